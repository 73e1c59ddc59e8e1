//! What lowering keeps on its way through a procedure: one small type for each thing, which alone changes it.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::expression::{DEPTH_LIMIT, Expr};
use super::intrinsic_types::Shape;
use crate::diagnostic::Place;
use crate::ir::Stmt;

/// Deeper statements are not followed.
const NESTING_LIMIT: usize = 120;

/// Statements inside statements and values inside values: bounded.
#[derive(Debug, Default)]
pub struct Nesting {
    values: usize,
    statements: usize,
}

impl Nesting {
    /// One value further inside; whether that is not too deep.
    pub fn enter_value(&mut self) -> bool {
        let is_bounded = self.values < DEPTH_LIMIT;
        self.values += usize::from(is_bounded);
        is_bounded
    }

    /// Some values further inside, however deep that is.
    pub fn charge_values(&mut self, levels: usize) {
        self.values += levels;
    }

    pub fn leave_values(&mut self, levels: usize) {
        self.values -= levels;
    }

    /// One statement further inside; whether that is not too deep.
    pub fn enter_statement(&mut self) -> bool {
        let is_bounded = self.statements < NESTING_LIMIT;
        self.statements += usize::from(is_bounded);
        is_bounded
    }

    pub fn leave_statement(&mut self) {
        self.statements -= 1;
    }
}

/// Names that `associate` gave to other expressions.
#[derive(Debug, Default)]
pub struct Aliases {
    /// Innermost last.
    known: Vec<(Arc<str>, Expr)>,
}

impl Aliases {
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// How many are in force.
    pub fn count(&self) -> usize {
        self.known.len()
    }

    pub fn add(&mut self, name: Arc<str>, target: Expr) {
        self.known.push((name, target));
    }

    /// Forgets all but the first `count`.
    pub fn truncate(&mut self, count: usize) {
        self.known.truncate(count);
    }

    /// What a name is another name of.
    pub fn target(&self, name: &str) -> Option<&Expr> {
        let alias = self.known.iter().rev().find(|(alias, _)| **alias == *name);
        alias.map(|(_, target)| target)
    }
}

/// Statement functions that are being expanded. None may lead to itself, and many that use each other twice grow
/// without bound.
#[derive(Debug, Default)]
pub struct Expansions {
    /// Outermost first.
    open: Vec<Arc<str>>,
    /// How many have been begun.
    count: usize,
}

impl Expansions {
    pub fn may_begin(&self, name: &Arc<str>) -> bool {
        const NESTED: usize = 20;
        const ALL: usize = 5000;
        !self.open.contains(name) && self.open.len() < NESTED && self.count < ALL
    }

    /// Counts another expansion.
    pub fn begin(&mut self) {
        self.count += 1;
    }

    pub fn count(&self) -> usize {
        self.count
    }

    pub fn open(&mut self, name: &Arc<str>) {
        self.open.push(name.clone());
    }

    pub fn close(&mut self) {
        self.open.pop();
    }
}

/// The statement at hand.
#[derive(Debug)]
pub struct Statement {
    place: Place,
    /// What has to be evaluated before it; `None` where nothing can stand before it.
    before: Option<Vec<Stmt>>,
}

impl Statement {
    pub fn at(place: Place) -> Statement {
        Statement {
            place,
            before: None,
        }
    }

    /// For what has no place of its own.
    pub fn place(&self) -> &Place {
        &self.place
    }

    pub fn move_to(&mut self, place: Place) {
        self.place = place;
    }

    /// Begins a new collection of what stands before; returns what was collected so far.
    pub fn collect(&mut self) -> Option<Vec<Stmt>> {
        self.before.replace(Vec::new())
    }

    /// Goes on with what was collected at first; gives what has been since.
    pub fn restore(&mut self, outer: Option<Vec<Stmt>>) -> Vec<Stmt> {
        std::mem::replace(&mut self.before, outer).unwrap_or_default()
    }

    pub fn takes_more(&self) -> bool {
        self.before.is_some()
    }

    pub fn add_before(&mut self, stmt: Stmt) {
        if let Some(before) = &mut self.before {
            before.push(stmt);
        }
    }
}

/// The loops around a statement.
#[derive(Debug, Default)]
pub struct Loops {
    /// Their names, innermost last.
    names: Vec<Option<Arc<str>>>,
}

impl Loops {
    pub fn enter(&mut self, name: Option<Arc<str>>) {
        self.names.push(name);
    }

    pub fn leave(&mut self) {
        self.names.pop();
    }

    /// The innermost loop's name, if it has one; `None` outside loops.
    pub fn innermost(&self) -> Option<Option<&Arc<str>>> {
        self.names.last().map(Option::as_ref)
    }
}

/// How functions treat arrays that calls name otherwise than the scope does, and the ranks of their results.
#[derive(Debug, Default)]
pub struct Results {
    by_name: FxHashMap<String, Returned>,
}

/// The result of a function.
#[derive(Clone, Copy, Debug)]
pub struct Returned {
    pub shape: Shape,
    pub rank: usize,
}

impl Results {
    pub fn get(&self, name: &str) -> Option<Returned> {
        self.by_name.get(name).copied()
    }

    pub fn insert(&mut self, name: &str, returned: Returned) {
        self.by_name.insert(name.to_string(), returned);
    }
}
