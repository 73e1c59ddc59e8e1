//! Whether a source runs on several cores: directives and calls that begin parallel work.

/// Directives behind the mark of a comment or pragma.
const DIRECTIVES: [&str; 2] = ["omp", "acc"];

/// Procedures and statements that no program has for anything else, in lower case.
const WORDS: [&str; 12] = [
    "mpi_init",
    "pthread_create",
    "thrd_create",
    "shmem_init",
    "gasnet_init",
    "upc_forall",
    "cilk_spawn",
    "cilk_for",
    "num_images",
    "do concurrent",
    "__global__",
    "fork()",
];

/// Whether some line of a text, as it is in the file, begins parallel work, whatever is compiled of it.
pub fn begins(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim_start();
        is_directive(line) || has_word(line)
    })
}

/// `!$omp`, `c$omp` or `#pragma omp`.
fn is_directive(line: &str) -> bool {
    let mark = line
        .strip_prefix(['!', 'c', 'C', '*'])
        .and_then(|rest| rest.strip_prefix('$'));
    let pragma = line
        .strip_prefix('#')
        .and_then(|rest| rest.trim_start().strip_prefix("pragma"));
    let Some(directive) = mark.or(pragma.map(str::trim_start)) else {
        return false;
    };
    let is_it = |name: &str| {
        let begins = directive.get(..name.len());
        begins.is_some_and(|begins| begins.eq_ignore_ascii_case(name))
    };
    DIRECTIVES.iter().any(|name| is_it(name))
}

fn has_word(line: &str) -> bool {
    // All words have a letter of these where few lines of other code have both.
    if !line.contains(['_', 'o', 'O']) {
        return false;
    }
    let lower = line.to_ascii_lowercase();
    WORDS.iter().any(|word| lower.contains(word))
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
        ] {
            assert!(begins(&text.replace("\\\n", "\n")), "{text}");
        }
        for text in [
            "      c = a + b",
            "!$ use omp_lib",
            "#pragma once",
            "/* omp */",
            "",
        ] {
            assert!(!begins(text), "{text}");
        }
    }
}
