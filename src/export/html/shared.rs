//! Parts that several formulas of a page share: each is evaluated once, which also makes the page several times smaller.

use rustc_hash::FxHashMap;

use crate::expr::{Comparison, Expr, Function, Node};

/// An operation on parts that are known by number.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    operation: Operation,
    operands: Box<[u32]>,
}

#[derive(PartialEq, Eq, Hash)]
enum Operation {
    Leaf(Expr),
    Sum,
    Product,
    Quotient,
    Power,
    Call(Function),
    If(Comparison),
}

/// Expressions by what they are made of: equal ones have one number.
#[derive(Default)]
pub(super) struct Parts {
    numbers: FxHashMap<Key, u32>,
    /// Numbers of expressions by where they are; what was added lives as long as this.
    known: FxHashMap<usize, u32>,
    kept: Vec<Expr>,
    /// In how many places of different expressions each stands.
    uses: Vec<u32>,
}

impl Parts {
    /// Counts a formula and its parts.
    pub fn add(&mut self, formula: &Expr) {
        self.kept.push(formula.clone());
        let number = self.number(formula);
        self.uses[number as usize] += 1;
    }

    fn number(&mut self, expr: &Expr) -> u32 {
        let place = std::ptr::from_ref(expr.node()).addr();
        if let Some(number) = self.known.get(&place) {
            return *number;
        }
        let operands: Box<[u32]> = expr
            .children()
            .into_iter()
            .map(|child| self.number(child))
            .collect();
        let next = self.uses.len() as u32;
        let number = *self
            .numbers
            .entry(Key {
                operation: operation(expr),
                operands,
            })
            .or_insert(next);
        if number == next {
            self.uses.push(0);
            for child in expr.children() {
                let child = self.known[&std::ptr::from_ref(child.node()).addr()];
                self.uses[child as usize] += 1;
            }
        }
        self.known.insert(place, number);
        number
    }

    /// The number of an operation that stands in several expressions that were added.
    pub fn shared(&self, expr: &Expr) -> Option<u32> {
        if expr.children().is_empty() {
            return None;
        }
        let number = *self.known.get(&std::ptr::from_ref(expr.node()).addr())?;
        (self.uses[number as usize] > 1).then_some(number)
    }
}

fn operation(expr: &Expr) -> Operation {
    match expr.node() {
        Node::Number(_) | Node::Symbol(_) | Node::Figure(_) => Operation::Leaf(expr.clone()),
        Node::Sum(_) => Operation::Sum,
        Node::Product(_) => Operation::Product,
        Node::Quotient(..) => Operation::Quotient,
        Node::Power(..) => Operation::Power,
        Node::Call(function, _) => Operation::Call(*function),
        Node::If(comparison, _) => Operation::If(*comparison),
    }
}
