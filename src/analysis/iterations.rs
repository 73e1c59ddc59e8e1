//! Loops without a loop variable: their iterations get a variable of their own, so that what the body
//! advances can be followed.

use std::collections::BTreeMap;

use super::facts::{Block, Item};
use crate::diagnostic::Place;
use crate::ir::{self, Control, Stmt, Type};
use crate::loop_variable;

/// The function with a variable for the iterations of every loop that has none.
pub fn with_iterations(function: &ir::Function) -> Option<ir::Function> {
    fn uncounted(statements: &[Stmt], lines: &mut Vec<Place>) {
        for statement in statements {
            match statement {
                Stmt::Loop(inner) => {
                    if matches!(inner.control, Control::Uncounted { .. }) {
                        lines.push(inner.place.clone());
                    }
                    uncounted(&inner.body, lines);
                }
                Stmt::If(branch) => {
                    uncounted(&branch.then, lines);
                    uncounted(&branch.otherwise, lines);
                }
                Stmt::Opaque { inner, .. } => uncounted(inner, lines),
                _ => {}
            }
        }
    }
    let mut places = Vec::new();
    uncounted(&function.body, &mut places);
    if places.is_empty() {
        return None;
    }
    let mut with = function.clone();
    let mut same_line: BTreeMap<u32, u32> = BTreeMap::new();
    for place in places {
        let count = same_line.entry(place.line).or_insert(0);
        *count += 1;
        let name = loop_variable::iterations(place.line, *count);
        let (ty, role) = (Type::integer(8), ir::Role::Local);
        with.variables.push(ir::Variable {
            name: name.into(),
            ty,
            dimensions: Vec::new(),
            role,
            constant: None,
            place,
        });
    }
    Some(with)
}

/// Whether a stream or the bounds of a loop in a block depend on a symbol.
pub fn mentions(block: &Block, name: &str) -> bool {
    block.streams.iter().any(|s| {
        s.subscripts
            .iter()
            .any(|s| s.terms.iter().any(|(variable, _)| variable == name))
    }) || block.items.iter().any(|item| match item {
        Item::Loop(inner) => {
            [&inner.lower, &inner.upper]
                .iter()
                .any(|bound| bound.mentions(name))
                || mentions(&inner.body, name)
        }
        Item::Branch(branch) => {
            mentions(&branch.then, name)
                || branch
                    .otherwise
                    .as_ref()
                    .is_some_and(|block| mentions(block, name))
        }
    })
}
