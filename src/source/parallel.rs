//! Whether a source runs on several cores: directives and calls that begin parallel work.

mod regions;

use serde::{Deserialize, Serialize};

use super::Language;
pub use regions::Regions;

/// What of a source runs on several cores.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Parallel {
    /// Nothing begins parallel work.
    No,
    /// OpenMP does, on these lines, and nothing else.
    OpenMp(Regions),
    /// Something else does, or it is not known where.
    Anywhere,
}

impl Parallel {
    /// Of a text as it is in the file, whatever is compiled of it.
    pub fn of(text: &str, language: Language) -> Parallel {
        match evidence(text) {
            Evidence::None => Parallel::No,
            Evidence::OpenMp => {
                regions::regions(text, language).map_or(Parallel::Anywhere, Parallel::OpenMp)
            }
            Evidence::Other => Parallel::Anywhere,
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
    Other,
}

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

fn evidence(text: &str) -> Evidence {
    let of_line = |line: &str| {
        let line = line.trim_start();
        match directive(line) {
            found if found > Evidence::None => found,
            _ if has_word(line) => Evidence::Other,
            _ => Evidence::None,
        }
    };
    text.lines().map(of_line).max().unwrap_or(Evidence::None)
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
        return Evidence::None;
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
            assert!(Parallel::of(text, Language::Fortran).begins(), "{text}");
        }
        for text in [
            "      c = a + b",
            "!$ use omp_lib",
            "#pragma once",
            "/* omp */",
            "",
        ] {
            assert!(!Parallel::of(text, Language::C).begins(), "{text}");
        }
    }
}
