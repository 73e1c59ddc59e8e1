//! Subscripts that are data: which loops choose another element, and what is added to it.
//!
//! ```text
//! x[3*col[k] + d]     gather 3*col[k], another one in each iteration of k, a multiple of 3     affine: d
//! ```

use std::collections::BTreeSet;

use super::delinearise::gcd;
use super::dimension::{Dimension, affine};
use super::facts::{Gather, Subscript};
use super::literal::{DEPTH, literal};
use super::symbols::{Known, Symbols};
use crate::expr::Expr;
use crate::ir::visit::{InLoop, statements};
use crate::ir::{BinaryOp, Function, Stmt, Value, VarId};

/// A subscript that has no expression, and what a pointer adds to it.
pub fn dimension(symbols: &mut Symbols, value: &Value, plus: Option<&Expr>) -> Dimension {
    let mut parts = Parts {
        known: plus.cloned().unwrap_or(Expr::from(0.0)),
        data: Vec::new(),
    };
    parts.add(symbols, value, 1.0);
    let names: Vec<&str> = (symbols.loops.iter())
        .map(|id| symbols.function.variable(*id).name.as_str())
        .collect();
    let gather = parts.gather(symbols);
    match affine(&parts.known.expand(), &names) {
        Some((subscript, offset)) => Dimension {
            subscript: Subscript {
                gather: Some(gather),
                ..subscript
            },
            offset,
            held: Vec::new(),
        },
        None => Dimension {
            subscript: Subscript {
                terms: Vec::new(),
                base: Expr::from(0.0),
                gather: Some(Gather::anywhere(symbols.text(value))),
            },
            offset: 0,
            held: Vec::new(),
        },
    }
}

/// A sum: what has an expression, and what has none, with its sign.
struct Parts<'v> {
    known: Expr,
    data: Vec<(f64, &'v Value)>,
}

impl<'v> Parts<'v> {
    fn add(&mut self, symbols: &mut Symbols, value: &'v Value, sign: f64) {
        symbols.may_move = true;
        let expression = symbols.expression(value);
        symbols.may_move = false;
        match (expression, value) {
            (Some(expr), _) => self.known = self.known.clone() + expr * sign,
            (None, Value::Binary(BinaryOp::Add, left, right)) => {
                self.add(symbols, left, sign);
                self.add(symbols, right, sign);
            }
            (None, Value::Binary(BinaryOp::Subtract, left, right)) => {
                self.add(symbols, left, sign);
                self.add(symbols, right, -sign);
            }
            (None, other) => self.data.push((sign, other)),
        }
    }

    fn gather(&self, symbols: &Symbols) -> Gather {
        let mut text = String::new();
        for (sign, value) in &self.data {
            text += match (*sign < 0.0, text.is_empty()) {
                (true, true) => "-",
                (true, false) => " - ",
                (false, true) => "",
                (false, false) => " + ",
            };
            text += &symbols.text(value);
        }
        let around = self.data.iter().map(|(_, value)| changes(symbols, value));
        let around = around.max().unwrap_or_default();
        let each = self.data.iter();
        let each = each.map(|(_, value)| multiple(symbols.function, value));
        let multiple = u32::try_from(each.fold(0, gcd).unsigned_abs());
        Gather {
            text,
            around: u32::try_from(around).ok(),
            multiple: multiple.unwrap_or(1).max(1),
        }
    }
}

/// How many of the loops around, from the outermost on, may give it another value in each iteration.
fn changes(symbols: &Symbols, value: &Value) -> usize {
    let most = |values: &[Value]| {
        let each = values.iter().map(|value| changes(symbols, value));
        each.max().unwrap_or(0)
    };
    match value {
        Value::Integer(_) | Value::Real(..) | Value::Logical(_) | Value::Text(_) | Value::Row => 0,
        Value::Variable(id) => variable(symbols, *id),
        Value::Element {
            array, subscripts, ..
        } => match symbols.stored.contains(array) {
            true => symbols.levels.len(),
            false => most(subscripts).max(variable(symbols, *array)),
        },
        Value::Unary(_, operand) | Value::Convert(_, operand) => changes(symbols, operand),
        Value::Binary(_, left, right) => changes(symbols, left).max(changes(symbols, right)),
        Value::Select(condition, then, otherwise) => [condition, then, otherwise]
            .into_iter()
            .map(|part| changes(symbols, part))
            .max()
            .unwrap_or(0),
        // What a function gives may be another value each time.
        Value::Call { .. } | Value::Address { .. } | Value::Section(_) | Value::Opaque { .. } => {
            symbols.levels.len()
        }
    }
}

fn variable(symbols: &Symbols, id: VarId) -> usize {
    let counts = |level: usize| symbols.levels[level].counter == Some(id);
    if let Some(level) = (0..symbols.levels.len()).find(|level| counts(*level)) {
        return level + 1;
    }
    let around = symbols.roots.get(&id).map(|root| variable(symbols, *root));
    let own = match symbols.known.get(&id) {
        None => 0,
        Some(Known::Changes { depth, .. }) => *depth,
        Some(Known::Is(expr)) => moved(symbols, expr),
        Some(Known::Points(address)) => {
            let each = address.subscripts.iter().map(|expr| moved(symbols, expr));
            each.max().unwrap_or(0)
        }
        Some(Known::OneOf(_)) => symbols.levels.len(),
    };
    own.max(around.unwrap_or(0))
}

/// The same of an expression.
fn moved(symbols: &Symbols, expr: &Expr) -> usize {
    let mentions = |level: &usize| {
        let counter = symbols.levels[*level].counter;
        counter.is_some_and(|id| expr.mentions(symbols.function.variable(id).name.as_str()))
    };
    let deepest = (0..symbols.levels.len()).rev().find(mentions);
    deepest.map_or(0, |level| level + 1)
}

/// Of how many elements it is a whole multiple.
fn multiple(function: &Function, value: &Value) -> i64 {
    match value {
        Value::Convert(_, operand) => multiple(function, operand),
        Value::Binary(BinaryOp::Multiply, left, right) => {
            multiple(function, left).saturating_mul(multiple(function, right))
        }
        Value::Binary(BinaryOp::Add | BinaryOp::Subtract, left, right) => {
            gcd(multiple(function, left), multiple(function, right))
        }
        other => match literal(function, other, DEPTH) {
            Some(0) | None => 1,
            Some(number) => number.saturating_abs(),
        },
    }
}

/// Arrays of which statements in loops store elements.
pub fn stored_in_loops(function: &Function) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    statements(&function.body, InLoop::No, &mut |statement, in_loop| {
        if let Stmt::Assign {
            target: Value::Element { array, .. },
            ..
        } = statement
            && in_loop == InLoop::Yes
        {
            found.insert(*array);
        }
    });
    found
}
