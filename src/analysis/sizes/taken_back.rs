//! Values that a procedure takes back: it keeps what a place had, and gives it that again.
//!
//! ```text
//! kept = n(k)
//! n(k) = 1                     1 for a while, and nothing that n(k) would be if it were not read
//! call solve(…)
//! n(k) = kept
//! ```

use crate::ir::{Stmt, Value};

/// The values that statements assign to what the same block has kept before, and gives back behind them.
pub(super) fn taken_back(block: &[Stmt]) -> Vec<&Value> {
    let mut found = Vec::new();
    add(block, &mut found);
    found
}

fn add<'u>(block: &'u [Stmt], found: &mut Vec<&'u Value>) {
    for (at, stmt) in block.iter().enumerate() {
        match stmt {
            Stmt::Assign {
                target: kept @ Value::Variable(_),
                value: place @ (Value::Variable(_) | Value::Element { .. }),
                ..
            } => {
                let behind = &block[at + 1..];
                let back = (behind.iter()).rposition(|later| {
                    assigned(later, place).is_some_and(|value| value.unconverted() == kept)
                });
                let meanwhile = &behind[..back.unwrap_or(0)];
                found.extend(meanwhile.iter().filter_map(|later| assigned(later, place)));
            }
            Stmt::Loop(inner) => add(&inner.body, found),
            Stmt::If(branch) => {
                add(&branch.then, found);
                add(&branch.otherwise, found);
            }
            Stmt::Opaque { inner, .. } => add(inner, found),
            _ => {}
        }
    }
}

/// What a statement gives a place.
fn assigned<'u>(stmt: &'u Stmt, place: &Value) -> Option<&'u Value> {
    match stmt {
        Stmt::Assign { target, value, .. } if target == place => Some(value),
        _ => None,
    }
}
