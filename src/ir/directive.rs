//! Directives that say how the iterations of a loop may run.

use serde::{Deserialize, Serialize};
use std::fmt::{self, Display};

/// A directive that makes a loop parallel, as written without its clauses: `omp parallel for simd`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopDirective {
    text: String,
    asks_for_vectors: bool,
    shares_out: bool,
}

/// What a directive says that leaves all iterations to one thread.
const OF_ONE_THREAD: [&str; 6] = ["omp", "simd", "dir", "dec", "ivdep", "vector"];

impl LoopDirective {
    /// The words of a directive, or of several with commas between them.
    pub fn read(text: &str) -> LoopDirective {
        let is_vectors = |word: &str| word.eq_ignore_ascii_case("simd");
        let words = || {
            text.split(|c: char| !c.is_alphanumeric())
                .filter(|word| !word.is_empty())
        };
        let of_one_thread = |word: &str| {
            OF_ONE_THREAD
                .iter()
                .any(|known| word.eq_ignore_ascii_case(known))
        };
        LoopDirective {
            text: text.to_string(),
            asks_for_vectors: words().any(is_vectors),
            shares_out: !words().all(of_one_thread),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether several threads may share the iterations out among them.
    pub fn shares_out(&self) -> bool {
        self.shares_out
    }

    /// Whether it asks for iterations in vectors, for which the compiler may reorder sums.
    pub fn asks_for_vectors(&self) -> bool {
        self.asks_for_vectors
    }
}

impl Display for LoopDirective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
