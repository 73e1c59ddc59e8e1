//! Whether a source runs on several cores: directives and calls that begin parallel work.

mod regions;

use serde::{Deserialize, Serialize};

use super::Language;
pub use regions::{Region, Regions, Run};

/// What of a source runs on several cores.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Parallel {
    /// Nothing begins parallel work.
    No,
    /// OpenMP does, on these lines, and nothing else.
    OpenMp(Regions),
    /// MPI does, and nothing else: processes, each with memory of its own.
    Processes,
    /// Something else does, or it is not known where.
    Anywhere,
}

impl Parallel {
    /// Of a text as it is in the file, whatever is compiled of it.
    pub fn of(text: &str, language: Language) -> Parallel {
        Parallel::compiled(text, text, language)
    }

    /// The same where conditional compilation leaves only some of the text, as that says: calls in what it leaves out begin
    /// nothing. Directives do, as their macro `_OPENMP` comes from an option of the compiler that may not be known here.
    pub fn compiled(text: &str, left: &str, language: Language) -> Parallel {
        match (evidence_of(text, directive), evidence_of(left, call)) {
            (Evidence::None, Evidence::None) => Parallel::No,
            (Evidence::OpenMp, Evidence::None) => {
                regions::regions(text, language).map_or(Parallel::Anywhere, Parallel::OpenMp)
            }
            (Evidence::None, Evidence::Processes) => Parallel::Processes,
            _ => Parallel::Anywhere,
        }
    }

    /// Whether something begins parallel work.
    pub fn begins(&self) -> bool {
        *self != Parallel::No
    }
}

/// What says that a text runs in parallel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Evidence {
    None,
    OpenMp,
    Processes,
    Other,
}

/// Procedures that no program calls for anything else, in lower case; more letters may follow.
const CALLS: [&str; 6] = [
    "mpi_win_allocate_shared",
    "pthread_create",
    "thrd_create",
    "shmem_init",
    "gasnet_init",
    "num_images",
];

/// The same of those that only begin processes.
const OF_PROCESSES: &str = "mpi_init";

/// Words of statements and declarations that are of the same kind as the first.
const WORDS: [&str; 6] = [
    "upc_forall",
    "cilk_spawn",
    "cilk_for",
    "do concurrent",
    "__global__",
    "fork()",
];

fn evidence_of(text: &str, of_line: fn(&str) -> Evidence) -> Evidence {
    let lines = text.lines().map(str::trim_start);
    lines.map(of_line).max().unwrap_or(Evidence::None)
}

/// `!$omp`, `c$omp` or `#pragma omp`, and those of OpenACC.
fn directive(line: &str) -> Evidence {
    let mark = line
        .strip_prefix(['!', 'c', 'C', '*'])
        .and_then(|rest| rest.strip_prefix('$'));
    let pragma = line
        .strip_prefix('#')
        .and_then(|rest| rest.trim_start().strip_prefix("pragma"));
    let Some(directive) = mark.or(pragma.map(str::trim_start)) else {
        return in_macro(line);
    };
    let is_it = |name: &str| {
        let begins = directive.get(..name.len());
        begins.is_some_and(|begins| begins.eq_ignore_ascii_case(name))
    };
    match (is_it("omp"), is_it("acc")) {
        (true, _) => Evidence::OpenMp,
        (_, true) => Evidence::Other,
        _ => Evidence::None,
    }
}

/// `_Pragma("omp parallel")`, or a macro of a name like that.
fn in_macro(line: &str) -> Evidence {
    let is = |text: &[u8], word: &str| text.eq_ignore_ascii_case(word.as_bytes());
    let begins = |(at, _): (usize, &str)| {
        let name = line[at + 1..].trim_start_matches(['"', ' ']);
        let name = name.as_bytes().get(..4).unwrap_or_default();
        let is_pragma = at >= 6 && is(&line.as_bytes()[at - 6..at], "pragma");
        is_pragma && (is(name, "omp ") || is(name, "acc "))
    };
    match line.match_indices('(').any(begins) {
        true => Evidence::Other,
        false => Evidence::None,
    }
}

fn call(line: &str) -> Evidence {
    // All words have a letter of these where few lines of other code have both.
    if !line.contains(['_', 'o', 'O']) {
        return Evidence::None;
    }
    if line.starts_with("//") || line.starts_with("/*") || line.starts_with('!') {
        return Evidence::None;
    }
    let lower = line.to_ascii_lowercase();
    let is_called = |name: &str| {
        let rest = lower.split_once(name).map(|(_, rest)| rest);
        let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let behind = rest.map(|rest| rest.trim_start_matches(is_letter).trim_start());
        behind.is_some_and(|behind| behind.starts_with('('))
    };
    let is_begun = WORDS.iter().any(|word| lower.contains(word));
    if is_begun || CALLS.into_iter().any(is_called) {
        Evidence::Other
    } else if is_called(OF_PROCESSES) {
        Evidence::Processes
    } else {
        Evidence::None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_and_calls_begin_parallel_work() {
        for text in [
            "      do i = 1, n\nC$OMP PARALLEL DO",
            "  !$omp parallel",
            "#pragma omp parallel for",
            "# pragma acc kernels",
            "  call MPI_Init(ierr)",
            "  do concurrent (i = 1:n)",
            "  pthread_create(&t, 0, f, 0);",
            "#define EACH(n) _Pragma(\"omp parallel for\")",
            "#define EACH(n) OurPragma(omp parallel for if(n > 1))",
        ] {
            assert!(Parallel::of(text, Language::Fortran).begins(), "{text}");
        }
        for text in [
            "      c = a + b",
            "!$ use omp_lib",
            "#pragma once",
            "/* omp */",
            "// #pragma omp parallel",
            "",
        ] {
            assert!(!Parallel::of(text, Language::C).begins(), "{text}");
        }
    }

    #[test]
    fn processes_have_memory_of_their_own() {
        let of = |text| Parallel::of(text, Language::C);
        assert_eq!(of("MPI_Init(0, 0);"), Parallel::Processes);
        assert_eq!(of("MPI_Init_thread(0, 0, 0, 0);"), Parallel::Processes);
        for text in [
            "MPI_Init(0, 0);\n#pragma omp parallel",
            "MPI_Init(0, 0);\npthread_create(&t, 0, f, 0);",
            "MPI_Init(0, 0);\nMPI_Win_allocate_shared(n, 8, i, c, &p, &w);",
        ] {
            assert_eq!(of(text), Parallel::Anywhere, "{text}");
        }
    }

    #[test]
    fn calls_that_are_not_compiled_begin_nothing() {
        let text = "#ifdef DISTRIBUTED\nMPI_Init(0, 0);\n#endif\nsolve();\n";
        let compiled = |left| Parallel::compiled(text, left, Language::C);
        assert_eq!(compiled("\n\n\nsolve();\n"), Parallel::No);
        assert!(compiled("\nMPI_Init(0, 0);\n\nsolve();\n").begins());
        let text = "#ifdef _OPENMP\n#pragma omp parallel\n#endif\n{ solve(); }\n";
        assert!(Parallel::compiled(text, "\n\n\n{ solve(); }\n", Language::C).begins());
    }
}
