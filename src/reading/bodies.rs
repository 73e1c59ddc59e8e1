//! The statements of a program's functions, for those who run some of them.

use std::collections::BTreeSet;

use crate::analysis::{ProcedureBody, Statements};

/// The statements of the functions of a program; none of those of a model in XML.
#[derive(Debug, Default)]
pub struct Bodies {
    statements: Option<Statements>,
    /// For each function its position among those with statements.
    positions: Vec<Option<usize>>,
}

impl Bodies {
    pub(super) fn new(statements: Option<Statements>, positions: Vec<Option<usize>>) -> Bodies {
        Bodies {
            statements,
            positions,
        }
    }

    /// Of these functions of the program.
    pub fn of(&self, functions: &BTreeSet<usize>) -> Vec<Option<ProcedureBody>> {
        let mut found = vec![None; self.positions.len()];
        let Some(statements) = &self.statements else {
            return found;
        };
        let known = (functions.iter())
            .filter_map(|function| Some((*function, (*self.positions.get(*function)?)?)));
        let (functions, positions): (Vec<usize>, Vec<usize>) = known.unzip();
        let bodies = statements.bodies(positions);
        for (function, body) in functions.into_iter().zip(bodies) {
            found[function] = Some(body);
        }
        found
    }

    /// Of all functions.
    pub fn all(&self) -> Vec<Option<ProcedureBody>> {
        self.of(&(0..self.positions.len()).collect())
    }

    pub fn is_empty(&self) -> bool {
        self.statements.is_none()
    }
}
