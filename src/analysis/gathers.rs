//! Subscripts that are data: which loops choose another element, and what is added to it.
//!
//! ```text
//! x[3*col[k] + d]     gather 3*col[k], another one in each iteration of k, a multiple of 3     affine: d
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use super::assignments::{Assignments, Counts, Effects, parts_of};
use super::delinearise::gcd;
use super::dimension::{Dimension, affine};
use super::facts::{Gather, Subscript};
use super::literal::{DEPTH, literal};
use super::loaded::is_loaded;
use super::steady::Stable;
use super::symbols::{Known, Level, Start, Symbols};
use crate::expr::{Expr, Symbol};
use crate::ir::visit::{InLoop, calls_of, statements};
use crate::ir::{BinaryOp, Function, Role, Stmt, Value, VarId, addressed};

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
        None => Dimension::gathered(Gather::anywhere(symbols.text(value))),
    }
}

/// A sum: what has an expression, and what has none, with its sign.
struct Parts<'v> {
    known: Expr,
    data: Vec<(f64, &'v Value)>,
}

impl<'v> Parts<'v> {
    fn add(&mut self, symbols: &mut Symbols, value: &'v Value, sign: f64) {
        symbols.may_move = !is_loaded(symbols, value);
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
        let loops = (self.data.iter()).flat_map(|(_, value)| changes(symbols, value));
        let each = self.data.iter();
        let each = each.map(|(_, value)| multiple(symbols.function, value));
        let multiple = u32::try_from(each.fold(0, gcd).unsigned_abs());
        Gather {
            text,
            loops: Some(loops.collect()),
            multiple: multiple.unwrap_or(1).max(1),
        }
    }
}

/// The loops around, counted from the outermost one.
pub type Loops = BTreeSet<u32>;

/// So many of them.
pub fn outermost(loops: usize) -> Loops {
    (0..).take(loops).collect()
}

/// Those that may give a value in each iteration another one.
pub fn changes(symbols: &Symbols, value: &Value) -> Loops {
    let all = || outermost(symbols.levels.len());
    let of = |parts: &[&Value]| {
        let each = parts.iter().flat_map(|part| changes(symbols, part));
        each.collect()
    };
    match value {
        Value::Integer(_) | Value::Real(..) | Value::Logical(_) | Value::Text(_) | Value::Row => {
            Loops::new()
        }
        Value::Variable(id) => variable(symbols, *id),
        Value::Element {
            array, subscripts, ..
        } => {
            let each = subscripts.iter().flat_map(|part| changes(symbols, part));
            let stores = |level: &Level| level.stored.contains(array);
            let storing = symbols.levels.iter().rposition(stores);
            let again = outermost(storing.map_or(0, |deepest| deepest + 1));
            (each.chain(variable(symbols, *array)).chain(again)).collect()
        }
        Value::Unary(_, operand) | Value::Convert(_, operand) => changes(symbols, operand),
        Value::Binary(_, left, right) => of(&[left, right]),
        Value::Select(condition, then, otherwise) => of(&[condition, then, otherwise]),
        // What a function gives may be another value each time.
        Value::Call { .. } | Value::Address { .. } | Value::Section(_) | Value::Opaque { .. } => {
            all()
        }
    }
}

fn variable(symbols: &Symbols, id: VarId) -> Loops {
    let counts = |level: &usize| symbols.levels[*level].counter == Some(id);
    if let Some(level) = (0..symbols.levels.len()).find(counts) {
        let mut own = begins(symbols, (id, level));
        own.extend(u32::try_from(level));
        return own;
    }
    let mut own = match symbols.known.get(&id) {
        None => Loops::new(),
        Some(Known::Changes { depth, .. }) => match symbols.chosen_in.get(&id) {
            Some(loops) => loops.clone(),
            None => outermost(*depth),
        },
        Some(Known::Is(expr)) => moved(symbols, expr),
        Some(Known::Points(address)) => {
            let each = address.subscripts.iter();
            each.flat_map(|expr| moved(symbols, expr)).collect()
        }
        Some(Known::OneOf(_)) => outermost(symbols.levels.len()),
    };
    if let Some(root) = symbols.roots.get(&id) {
        own.extend(variable(symbols, *root));
    }
    own
}

/// Those that decide where the variable of a loop begins: it takes other values in each of their iterations.
fn begins(symbols: &Symbols, (id, level): (VarId, usize)) -> Loops {
    let lower = &symbols.levels[level].counted.lower;
    let of_data = |symbol: &Symbol| match symbols.mentioned.get(symbol) {
        Some(Value::Variable(_)) | None => Loops::new(),
        Some(value) => changes(symbols, value),
    };
    let mut own: Loops = lower.symbols().iter().flat_map(of_data).collect();
    own.extend(moved(symbols, lower));
    match symbols.starts.get(&id) {
        Some(Start::Exact(start)) => own.extend(moved(symbols, start)),
        Some(Start::Estimated(_)) => own.extend(outermost(level)),
        None => {}
    }
    own
}

/// The same of an expression.
pub fn moved(symbols: &Symbols, expr: &Expr) -> Loops {
    let mentions = |level: &u32| {
        let level = &symbols.levels[*level as usize];
        let counter = level
            .counter
            .map(|id| symbols.function.variable(id).name.as_str());
        expr.mentions(counter.unwrap_or(&level.counted.variable))
    };
    outermost(symbols.levels.len())
        .into_iter()
        .filter(mentions)
        .collect()
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

/// What may give elements of arrays other values, beside statements that name them.
pub struct Changing<'a> {
    pub stable: &'a Stable,
    /// By name: others for the same storage.
    pub same: BTreeMap<VarId, BTreeSet<VarId>>,
    /// By member: the pointer that it is reached through.
    pub roots: Rc<BTreeMap<VarId, VarId>>,
}

/// Arrays whose elements statements give other values, or calls among them may.
pub fn stored_in(
    body: &[Stmt],
    (function, effects): (&Function, &Effects),
    changing: &Changing,
) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    let passes_places = function.conventions.passes_places();
    let mut calls_others = false;
    statements(body, InLoop::No, &mut |statement, _| {
        if let Stmt::Assign {
            target: Value::Element { array, .. },
            ..
        } = statement
        {
            found.insert(*array);
        }
        calls_of(statement, &mut |name, arguments| {
            let target = effects.target(name);
            if target.meaning().is_some() || is_expanded(effects, statement, name) {
                return;
            }
            calls_others |= changing.stable.may_store(target);
            for (position, argument) in arguments.iter().enumerate() {
                let address = addressed(argument);
                let passed = match address.unwrap_or(argument) {
                    Value::Variable(id) => *id,
                    Value::Element { array, .. } if passes_places || address.is_some() => *array,
                    _ => continue,
                };
                if !function.read_only.contains(&passed) && !effects.only_reads(name, position) {
                    found.extend(parts_of(passed, function));
                    let members = changing.roots.iter().filter(|(_, root)| **root == passed);
                    found.extend(members.map(|(member, _)| *member));
                }
            }
        });
    });
    if calls_others {
        let numbered = (0..).map(VarId).zip(&function.variables);
        let global = numbered.filter(|(id, variable)| {
            let is_array = variable.role == Role::Global && !variable.dimensions.is_empty();
            is_array && !changing.stable.has_elements(function, *id)
        });
        found.extend(global.map(|(id, _)| id));
    }
    let named: Vec<VarId> = found.iter().copied().collect();
    let block = |id: &VarId| changing.stable.shared_block(function, *id);
    let blocks: BTreeSet<&Arc<str>> = named.iter().filter_map(block).collect();
    if !blocks.is_empty() {
        let members = function.homes.keys();
        found.extend(members.filter(|id| block(id).is_some_and(|own| blocks.contains(own))));
    }
    found.extend(
        named
            .iter()
            .filter_map(|id| changing.same.get(id))
            .flatten(),
    );
    found
}

/// Whether what a call does stands in its place.
fn is_expanded(effects: &Effects, statement: &Stmt, name: &str) -> bool {
    matches!(statement, Stmt::Call { place, name: own, .. } if own == name && effects.origins.is_expanded(place, name))
}

/// Variables that one statement sets.
pub fn set_once(counts: &Counts) -> BTreeSet<VarId> {
    let once = |count: &&Assignments| count.statements == 1 && count.calls == 0;
    let found = counts.iter().filter(|(_, count)| once(count));
    found.map(|(id, _)| *id).collect()
}
