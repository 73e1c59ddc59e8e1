//! What counts the iterations of a loop.

use std::fmt::{self, Display};
use std::ops::Deref;

use serde::{Deserialize, Serialize};

use crate::expr::{Names, Symbol};

/// What counts the iterations of a loop, by its name, which expressions over the loop contain. Reports print the name
/// alone, and it is read back from files of ours.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct LoopVariable {
    name: String,
    counter: Counter,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Counter {
    /// There is none, or nothing follows it.
    #[default]
    None,
    /// A variable of the source.
    Source,
    /// The iterations of a loop for which the source has no variable.
    Iterations,
}

/// What the names of variables begin with that the source does not have; no name of a source contains the sign.
const ITERATIONS: &str = "iteration@";

/// A name for the iterations of the loop on a line, the first or a later one there.
pub fn iterations(line: u32, number: u32) -> String {
    match number {
        1 => format!("{ITERATIONS}{line}"),
        _ => format!("{ITERATIONS}{line}#{number}"),
    }
}

impl LoopVariable {
    /// A variable of the source.
    pub fn of_source(name: String) -> LoopVariable {
        let counter = Counter::Source;
        LoopVariable { name, counter }
    }

    /// The iterations of a loop without a variable, under a name that [`iterations`] made.
    pub fn of_iterations(name: String) -> LoopVariable {
        let counter = Counter::Iterations;
        LoopVariable { name, counter }
    }

    /// A variable as it is printed.
    pub fn read(name: &str) -> LoopVariable {
        let counter = match name {
            "" => Counter::None,
            name if name.starts_with(ITERATIONS) => Counter::Iterations,
            _ => Counter::Source,
        };
        let name = name.to_string();
        LoopVariable { name, counter }
    }

    pub fn as_str(&self) -> &str {
        &self.name
    }

    /// Whether nothing counts the iterations.
    pub fn is_none(&self) -> bool {
        self.counter == Counter::None
    }

    /// Whether the source has a variable for it.
    pub fn is_of_source(&self) -> bool {
        self.counter == Counter::Source
    }
}

impl From<String> for LoopVariable {
    fn from(name: String) -> LoopVariable {
        LoopVariable::read(&name)
    }
}

impl From<LoopVariable> for String {
    fn from(variable: LoopVariable) -> String {
        variable.name
    }
}

impl Deref for LoopVariable {
    type Target = str;

    fn deref(&self) -> &str {
        &self.name
    }
}

impl Names for LoopVariable {
    fn names(&self, symbol: &Symbol) -> bool {
        symbol.is_source(self)
    }
}

impl Display for LoopVariable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.name)
    }
}

loopsheet_ir::compares_with_text!(LoopVariable);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_variables_are_read_as_they_were() {
        for variable in [
            LoopVariable::default(),
            LoopVariable::of_source("i".into()),
            LoopVariable::of_iterations(iterations(7, 1)),
            LoopVariable::of_iterations(iterations(7, 2)),
        ] {
            assert_eq!(LoopVariable::read(&variable), variable);
            assert_eq!(variable.is_none(), variable.is_empty());
        }
        assert_eq!(iterations(7, 2), "iteration@7#2");
        assert!(!LoopVariable::of_iterations(iterations(7, 1)).is_of_source());
    }
}
