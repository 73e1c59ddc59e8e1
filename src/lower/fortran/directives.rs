//! OpenMP, OpenACC and compiler directives: comments that say something about the next loop.

use crate::ir::LoopDirective;

/// Directives seen since the last statement.
#[derive(Default)]
pub struct Pending {
    directives: Vec<Directive>,
}

struct Directive {
    text: String,
    /// It goes on in the next line.
    continues: bool,
}

impl Pending {
    /// Adds the text of a comment: a directive or the continuation of one.
    pub fn add(&mut self, comment: &str) {
        let line = comment.trim().trim_start_matches('!').to_ascii_lowercase();
        let body = ["$omp", "$acc", "dir$", "dec$"]
            .into_iter()
            .find_map(|s| line.strip_prefix(s).map(|body| (s, body)));
        let Some((sentinel, body)) = body else { return };
        let continues = body.trim_end().ends_with('&');
        let starts_with_mark = body.starts_with('&');
        let words = body
            .trim_start_matches('&')
            .trim_end()
            .trim_end_matches('&')
            .trim();
        match self.directives.last_mut() {
            Some(last) if last.continues || starts_with_mark => {
                last.text.push(' ');
                last.text
                    .push_str(words.trim_start_matches('&').trim_start());
                last.continues = continues;
            }
            _ => {
                let sentinel = sentinel.trim_matches('$');
                self.directives.push(Directive {
                    text: format!("{sentinel} {words}"),
                    continues,
                });
            }
        }
    }

    /// What the directives say about a loop that follows them; afterwards they are spent.
    pub fn take(&mut self) -> Option<LoopDirective> {
        let parallel: Vec<String> = self
            .directives
            .drain(..)
            .filter_map(|d| loop_directive(&d.text))
            .collect();
        (!parallel.is_empty()).then(|| LoopDirective::read(&parallel.join(", ")))
    }
}

/// Directive words without clauses, if they are about a loop.
fn loop_directive(text: &str) -> Option<String> {
    let words = text
        .split(|c: char| c.is_whitespace() || c == ',')
        .filter(|word| !word.is_empty());
    let sentinel = text.split_whitespace().next()?;
    let (constructs, loops): (&[&str], &[&str]) = match sentinel {
        "omp" => (OPENMP, &["do", "simd", "distribute", "taskloop", "loop"]),
        "acc" => (OPENACC, &["loop"]),
        _ => (COMPILER, COMPILER),
    };
    let words: Vec<&str> = words
        .enumerate()
        .take_while(|(at, word)| *at == 0 || constructs.contains(word))
        .map(|(_, word)| word)
        .collect();
    let about_loop = words.iter().skip(1).any(|word| loops.contains(word));
    // `omp end do`, `omp declare simd`: the first word is not a construct of the list, so nothing is left.
    about_loop.then(|| words.join(" "))
}

const OPENMP: &[&str] = &[
    "parallel",
    "do",
    "simd",
    "distribute",
    "target",
    "teams",
    "taskloop",
    "loop",
    "masked",
    "master",
];
const OPENACC: &[&str] = &["parallel", "kernels", "serial", "loop"];
const COMPILER: &[&str] = &["ivdep", "simd", "concurrent", "vector"];

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(comments: &[&str]) -> Option<String> {
        let mut pending = Pending::default();
        comments.iter().for_each(|comment| pending.add(comment));
        pending.take().map(|directive| directive.to_string())
    }

    #[test]
    fn words_before_the_first_clause_are_kept() {
        let expect = |text: &str| Some(text.to_string());
        assert_eq!(
            taken(&["!$OMP PARALLEL DO PRIVATE(i,j) &", "!$OMP& SHARED(do)"]),
            expect("omp parallel do")
        );
        assert_eq!(
            taken(&["!$omp parallel &", "!$omp   do schedule(static)"]),
            expect("omp parallel do")
        );
        assert_eq!(
            taken(&["!$acc parallel loop gang vector"]),
            expect("acc parallel loop")
        );
        assert_eq!(
            taken(&["!$omp do", "!dir$ ivdep"]),
            expect("omp do, dir ivdep")
        );
        assert_eq!(taken(&["!$omp do collapse(2)"]), expect("omp do"));
        assert_eq!(taken(&["!$omp parallel private(x)"]), None);
        assert_eq!(taken(&["!$omp end do"]), None);
        assert_eq!(taken(&["!$omp declare simd(f)"]), None);
    }
}
