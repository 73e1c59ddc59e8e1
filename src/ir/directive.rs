//! Directives that say how the iterations of a loop may run.

use serde::{Deserialize, Serialize};
use std::fmt::{self, Display};

/// A directive that makes a loop parallel, as written without its clauses: `omp parallel for simd`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopDirective {
    text: String,
    asks_for_vectors: bool,
}

impl LoopDirective {
    /// The words of a directive, or of several with commas between them.
    pub fn read(text: &str) -> LoopDirective {
        let mut words = text.split(|c: char| !c.is_alphanumeric());
        LoopDirective {
            text: text.to_string(),
            asks_for_vectors: words.any(|word| word.eq_ignore_ascii_case("simd")),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.text
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
