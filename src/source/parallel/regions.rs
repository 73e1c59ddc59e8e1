//! Which lines of a source stand in parallel regions of OpenMP.
//!
//! Lines are those of the file as it is, whatever is compiled of it. Where the end of a region is not certain, it is the
//! end of the file: what is said to be outside is outside.

mod c;
mod fortran;

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use crate::Language;

/// Regions in the order of their first lines.
pub type Regions = Vec<Region>;

/// A directive with what it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Region {
    /// First and last line.
    pub lines: RangeInclusive<u32>,
    pub run: Run,
}

/// Which threads run what a directive is about, but for what directives in it say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Run {
    /// Each thread runs all of it: `parallel`.
    Repeated,
    /// The threads share it out among them: `for`, `do`, `workshare`, `taskloop`.
    Shared,
    /// One of them runs it: `single`, `master`, `masked`, `task`, each of the `sections`.
    OneThread,
    /// Those that run what is around, one after the other: `critical`.
    InTurn,
    /// Those that run what is around: `taskgroup`, `target data`.
    AsAround,
}

impl Region {
    fn new(name: &str, lines: RangeInclusive<u32>) -> Region {
        Region {
            lines,
            run: run(name),
        }
    }
}

fn run(name: &str) -> Run {
    const SHARING: [&str; 5] = ["for", "do", "loop", "distribute", "workshare"];
    const ALONE: [&str; 4] = ["single", "sections", "master", "masked"];
    if SHARING.iter().any(|word| name.contains(word)) {
        Run::Shared
    } else if name == "task" || ALONE.iter().any(|word| name.ends_with(word)) {
        Run::OneThread
    } else if name.ends_with("parallel") {
        Run::Repeated
    } else if name == "critical" {
        Run::InTurn
    } else if matches!(name, "taskgroup" | "ordered" | "atomic" | "targetdata") {
        Run::AsAround
    } else {
        Run::Shared
    }
}

/// The regions of a text in which OpenMP is the only thing that begins parallel work; `None` if it cannot be told where they
/// are.
pub fn regions(text: &str, language: Language) -> Option<Regions> {
    match language {
        Language::C => c::regions(text),
        Language::Fortran => fortran::regions(text),
    }
}

/// What a directive is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum About {
    /// Nothing that follows, or how it is compiled.
    Nothing,
    /// The loop that follows.
    Loop,
    /// The block that follows.
    Block,
    /// The end of one.
    End,
}

/// Words of directives without clauses, joined.
fn name(text: &str) -> String {
    let words = text
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase);
    words.take_while(|word| is_construct(word)).collect()
}

fn is_construct(word: &str) -> bool {
    let mut rest = word;
    while !rest.is_empty() {
        let Some(behind) = WORDS.iter().find_map(|known| rest.strip_prefix(known)) else {
            return false;
        };
        rest = behind;
    }
    true
}

/// Longer ones before those that they begin with.
const WORDS: [&str; 38] = [
    "parallel",
    "distribute",
    "do",
    "for",
    "simd",
    "taskloop",
    "taskwait",
    "taskyield",
    "taskgroup",
    "task",
    "target",
    "teams",
    "loop",
    "masked",
    "master",
    "sections",
    "section",
    "single",
    "workshare",
    "critical",
    "atomic",
    "ordered",
    "barrier",
    "flush",
    "threadprivate",
    "declare",
    "enter",
    "exit",
    "data",
    "update",
    "end",
    "cancellation",
    "cancel",
    "point",
    "requires",
    "allocate",
    "scan",
    "nothing",
];

/// Directives that stand alone, and those that leave what follows to one thread or are in a region themselves.
const ALONE: [&str; 18] = [
    "barrier",
    "taskwait",
    "taskyield",
    "flush",
    "threadprivate",
    "declare",
    "targetenter",
    "targetexit",
    "targetupdate",
    "cancel",
    "requires",
    "allocate",
    "scan",
    "nothing",
    "section",
    "atomic",
    "ordereddepend",
    "simd",
];

fn about(name: &str) -> About {
    let is = |words: &[&str]| words.iter().any(|word| name.contains(word));
    if name.starts_with("end") {
        About::End
    } else if name == "sections" {
        About::Block
    } else if ALONE.iter().any(|alone| name.starts_with(alone)) && !name.starts_with("sections") {
        About::Nothing
    } else if is(&["for", "do", "loop", "distribute"]) {
        About::Loop
    } else {
        About::Block
    }
}

/// Lines of conditional compilation that make two texts of one.
fn has_alternatives<'t>(mut lines: impl Iterator<Item = &'t str>) -> bool {
    lines.any(|line| {
        let directive = line.trim_start().strip_prefix('#').map(str::trim_start);
        directive.is_some_and(|rest| rest.starts_with("el"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(language: Language, text: &str, expect: &[(u32, u32)]) {
        let found = regions(text, language).expect("the regions are known");
        let found: Vec<(u32, u32)> = found
            .iter()
            .map(|region| (*region.lines.start(), *region.lines.end()))
            .collect();
        assert_eq!(found, expect, "{text}");
    }

    #[test]
    fn regions_of_c_end_with_their_statement() {
        check(
            Language::C,
            "void f() {\n#pragma omp parallel for\n  for (i = 0; i < n; i++) {\n    a[i] = '}'; // }\n  }\n  g();\n}\n",
            &[(2, 5)],
        );
        check(
            Language::C,
            "#pragma omp parallel \\\n  private(i)\n{\n#pragma omp for\n  for (;;)\n    if (a) b(); else\n      c();\n#pragma omp barrier\n}\nd();\n",
            &[(1, 9), (4, 7)],
        );
        check(Language::C, "#pragma omp simd\nfor (;;) a();\nb();\n", &[]);
        check(
            Language::C,
            "#pragma omp parallel for\n#ifdef X\nfor (;;) {\n#else\nfor (;;) {\n#endif\n}\nb();\n",
            &[(1, 9)],
        );
        check(Language::C, "#pragma omp parallel\n{ a();\n", &[(1, 3)]);
        assert_eq!(
            regions("#define P _Pragma(\"omp parallel\")\n", Language::C),
            None
        );
    }

    #[test]
    fn threads_repeat_what_no_directive_shares_out() {
        let text = "#pragma omp parallel private(i)\n{\n#pragma omp for\nfor (;;) a();\n}\n#pragma omp parallel for\nfor (;;) a();\n";
        let found = regions(text, Language::C).expect("the regions are known");
        let found: Vec<Run> = found.iter().map(|region| region.run).collect();
        assert_eq!(found, [Run::Repeated, Run::Shared, Run::Shared]);
    }

    #[test]
    fn directives_say_which_threads_run() {
        for (name, expect) in [
            ("single", Run::OneThread),
            ("parallelsections", Run::OneThread),
            ("parallelmasked", Run::OneThread),
            ("mastertaskloop", Run::Shared),
            ("task", Run::OneThread),
            ("taskloop", Run::Shared),
            ("workshare", Run::Shared),
            ("targetparallel", Run::Repeated),
            ("critical", Run::InTurn),
            ("taskgroup", Run::AsAround),
        ] {
            assert_eq!(run(name), expect, "{name}");
        }
    }

    #[test]
    fn regions_of_fortran_end_where_they_say_or_with_the_loop() {
        check(
            Language::Fortran,
            "!$omp parallel do &\n!$omp private(j)\ndo i = 1, n\n  do j = 1, n ! do\n  end do\nenddo\nx = 1\n!$omp parallel\n!$OMP DO\ndo i = 1, n\nend do\n!$omp end do\n!$omp end parallel\ny = 1\n",
            &[(1, 6), (8, 13), (9, 11)],
        );
        check(
            Language::Fortran,
            "C$OMP PARALLEL DO\n      DO 10 I = 1, N\n      DO 20 J = 1, N\n 20   CONTINUE\n 10   CONTINUE\n      X = 1\n",
            &[(1, 5)],
        );
        check(
            Language::Fortran,
            "!$omp parallel do\ncall f\nx = 1\n",
            &[(1, 3)],
        );
        check(Language::Fortran, "!$omp parallel\nx = 1\n", &[(1, 2)]);
        check(
            Language::Fortran,
            "!$omp paralleldo\nname: do i = 1, n\nend do name\n!$omp endparalleldo\n",
            &[(1, 3)],
        );
        assert_eq!(regions("!$omp end parallel\n", Language::Fortran), None);
    }
}
