//! One symbolic expression type for everything: loop bounds, subscripts, and every formula of the
//! model. An expression is built and simplified here, evaluated in `evaluate`, and printed as text
//! or as an Excel formula in `print`, as steps of an interpreter in `operations`, with the limits of
//! spreadsheets in `spreadsheet`; nothing else in the crate builds formulas from strings.
//!
//! Numbers are `f64`, as in a spreadsheet, so the value that Rust computes and the value that a
//! spreadsheet computes come from the same operations in the same order.

mod children;
mod evaluate;
mod expand;
mod operations;
mod parse;
mod print;
pub mod spreadsheet;
mod summation;
mod symbol;

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::ops;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHasher};

pub use children::Children;
pub use evaluate::{Lookup, Unbound};
pub use expand::{Linear, Monomial};
pub use operations::{Leaves, Operand, Operation, Operations, Step};
pub use parse::ParseError;
pub use print::{CellNames, Excel};
pub use symbol::{Names, Symbol, SymbolKind};

/// A finite or infinite number with the total order of `f64::total_cmp`; `-0.0` is stored as `0.0`.
#[derive(Clone, Copy, Debug)]
pub struct Number(f64);

impl Number {
    pub fn new(value: f64) -> Number {
        Number(if value == 0.0 { 0.0 } else { value })
    }

    pub fn get(self) -> f64 {
        self.0
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Number) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}
impl Eq for Number {}
impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Number) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Number {
    fn cmp(&self, other: &Number) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}
impl Hash for Number {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

/// Index of a computed figure of the model; figures may only refer to earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FigureId(pub u32);

/// The functions that formulas use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Function {
    Min,
    Max,
    /// Smallest integer not below the (non-negative) argument.
    Ceiling,
    /// Largest integer not above the argument.
    Floor,
    /// Towards zero, as integer division in C and Fortran does.
    Truncate,
    Absolute,
    /// ⌈log₂ x⌉, zero for x ≤ 1: stages of a binary tree over x members.
    TreeStages,
    /// The greatest common divisor of two whole numbers that are not negative.
    CommonDivisor,
    /// Of a limit, so many sizes and as many amounts: the sum of the amounts whose size is above the limit.
    SumAbove,
}

impl Function {
    /// Whether it gives whole numbers of others.
    fn rounds(self) -> bool {
        use Function::*;
        matches!(self, Ceiling | Floor | Truncate | TreeStages)
    }
}

/// How the two sides of a condition are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Comparison {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
}

/// One node of an expression. Sums and products are flat, have at least two members and carry
/// their number, if any, last (sum) or first (product).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Node {
    Number(Number),
    Symbol(Symbol),
    Figure(FigureId),
    Sum(Box<[Expr]>),
    Product(Box<[Expr]>),
    Quotient(Expr, Expr),
    Power(Expr, Expr),
    Call(Function, Box<[Expr]>),
    /// Of `[left, right, first, second]`: the first if `left (comparison) right`, else the second.
    If(Comparison, Box<[Expr; 4]>),
}

// Models of big programs have tens of millions of nodes.
const _: () = assert!(size_of::<Node>() <= 24);

/// A symbolic expression; cheap to clone, to hash and to measure.
#[derive(Clone)]
pub struct Expr(Arc<Made>);

/// A node with what is asked of it again and again, however much it holds.
struct Made {
    node: Node,
    hash: u32,
    /// Characters of its formula; those of a number are counted when they are asked for.
    length: u32,
}

impl PartialEq for Expr {
    fn eq(&self, other: &Expr) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || (self.0.hash == other.0.hash && self.node() == other.node())
    }
}

impl Eq for Expr {}

impl Hash for Expr {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u32(self.0.hash);
    }
}

impl PartialOrd for Expr {
    fn partial_cmp(&self, other: &Expr) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Expr {
    fn cmp(&self, other: &Expr) -> Ordering {
        match Arc::ptr_eq(&self.0, &other.0) {
            true => Ordering::Equal,
            false => self.node().cmp(other.node()),
        }
    }
}

impl std::fmt::Debug for Expr {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{self}`")
    }
}

impl From<f64> for Expr {
    fn from(value: f64) -> Expr {
        let make = |value: f64| Expr::wrap(Node::Number(Number::new(value)));
        // Small whole numbers are everywhere; each thread makes them once.
        thread_local! {
            static SMALL: [Expr; 16] = std::array::from_fn(|n| Expr::wrap(Node::Number(Number::new(n as f64))));
        }
        match value {
            0.0..16.0 if value.fract() == 0.0 => SMALL.with(|small| small[value as usize].clone()),
            _ => make(value),
        }
    }
}
impl From<i64> for Expr {
    fn from(value: i64) -> Expr {
        Expr::from(value as f64)
    }
}
impl From<Symbol> for Expr {
    fn from(symbol: Symbol) -> Expr {
        Expr::wrap(Node::Symbol(symbol))
    }
}
impl From<FigureId> for Expr {
    fn from(id: FigureId) -> Expr {
        Expr::wrap(Node::Figure(id))
    }
}

impl Expr {
    fn wrap(node: Node) -> Expr {
        let mut hasher = FxHasher::default();
        node.hash(&mut hasher);
        let hash = hasher.finish();
        Expr(Arc::new(Made {
            hash: (hash ^ (hash >> 32)) as u32,
            length: spreadsheet::length(&node),
            node,
        }))
    }

    /// What a source calls by this name, or a formula by this key.
    pub fn symbol(name: &str) -> Expr {
        Expr::from(Symbol::source(name))
    }

    /// A parameter of the machine.
    pub fn machine(name: &str) -> Expr {
        Expr::from(Symbol::machine(name))
    }

    /// Where it is, which no other expression is as long as this one lives; its copies are there, too.
    pub fn address(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    pub fn node(&self) -> &Node {
        &self.0.node
    }

    /// How many characters its formula takes, or a few less; written out, it may be exponentially longer than it is.
    pub fn formula_length(&self) -> u32 {
        match self.node() {
            Node::Number(number) => spreadsheet::number_length(number.get()),
            _ => self.0.length,
        }
    }

    /// Whether its formula is more than a person can follow in one cell.
    pub fn is_long(&self) -> bool {
        spreadsheet::is_long(self.formula_length())
    }

    /// The value of a literal number.
    pub fn as_number(&self) -> Option<f64> {
        match self.node() {
            Node::Number(n) => Some(n.get()),
            _ => None,
        }
    }

    /// Whether it is this symbol by itself.
    pub fn is_symbol(&self, symbol: &Symbol) -> bool {
        matches!(self.node(), Node::Symbol(own) if own == symbol)
    }

    /// The value of a literal whole number.
    pub fn as_integer(&self) -> Option<i64> {
        self.as_number()
            .filter(|n| n.fract() == 0.0 && n.abs() < 9e15)
            .map(|n| n as i64)
    }

    pub fn is_zero(&self) -> bool {
        self.as_number() == Some(0.0)
    }

    /// The sum, flattened, numbers folded and like terms collected; the first appearance of a term
    /// decides its place.
    pub fn sum(terms: impl IntoIterator<Item = Expr>) -> Expr {
        Expr::collected_sum(terms.into_iter().collect())
    }

    fn collected_sum(mut terms: Vec<Expr>) -> Expr {
        let mut constant = 0.0;
        let mut collected: Vec<(Expr, f64)> = Vec::new();
        let mut index = FxHashMap::default();
        terms.reverse();
        let mut pending = terms;
        while let Some(term) = pending.pop() {
            match term.node() {
                Node::Number(n) => constant += n.get(),
                Node::Sum(inner) => pending.extend(inner.iter().rev().cloned()),
                _ => {
                    let (coefficient, rest) = term.split_coefficient();
                    match position(&rest, &collected, &mut index) {
                        Some(at) => collected[at].1 += coefficient,
                        None => collected.push((rest, coefficient)),
                    }
                }
            }
        }
        let mut terms: Vec<Expr> = (collected
            .into_iter()
            .filter(|(_, coefficient)| *coefficient != 0.0))
        .map(|(rest, coefficient)| rest.with_coefficient(coefficient))
        .collect();
        if constant != 0.0 || terms.is_empty() {
            terms.push(Expr::from(constant));
        }
        if terms.len() == 1 {
            terms.remove(0)
        } else if terms.iter().any(|term| matches!(term.node(), Node::Sum(_))) {
            // `3*(a + b) - 2*(a + b)` left a bare sum behind.
            Expr::sum(terms)
        } else {
            Expr::wrap(Node::Sum(terms.into()))
        }
    }

    /// The product, flattened and sorted, numbers folded into one leading factor.
    pub fn product(factors: impl IntoIterator<Item = Expr>) -> Expr {
        Expr::collected_product(factors.into_iter().collect())
    }

    fn collected_product(mut factors: Vec<Expr>) -> Expr {
        let mut constant = 1.0;
        let mut collected: Vec<Expr> = Vec::new();
        factors.reverse();
        let mut pending = factors;
        while let Some(factor) = pending.pop() {
            match factor.node() {
                Node::Number(n) => constant *= n.get(),
                Node::Product(inner) => pending.extend(inner.iter().rev().cloned()),
                _ => collected.push(factor),
            }
        }
        if constant == 0.0 {
            return Expr::from(0.0);
        }
        collected.sort();
        if constant != 1.0 || collected.is_empty() {
            collected.insert(0, Expr::from(constant));
        }
        if collected.len() == 1 {
            collected.remove(0)
        } else {
            Expr::wrap(Node::Product(collected.into()))
        }
    }

    /// `self / divisor` as real numbers; use [`Expr::truncated`] around it for integer division.
    pub fn quotient(self, divisor: Expr) -> Expr {
        match (self.as_number(), divisor.as_number()) {
            (_, Some(1.0)) => self,
            (Some(a), Some(b)) if b != 0.0 => Expr::from(a / b),
            (Some(0.0), divisor) if divisor != Some(0.0) => self,
            _ => Expr::wrap(Node::Quotient(self, divisor)),
        }
    }

    pub fn power(self, exponent: Expr) -> Expr {
        match (self.as_number(), exponent.as_number()) {
            (_, Some(1.0)) => self,
            (_, Some(0.0)) => Expr::from(1.0),
            (Some(a), Some(b)) => Expr::from(a.powf(b)),
            _ => Expr::wrap(Node::Power(self, exponent)),
        }
    }

    /// Smallest of the arguments.
    pub fn min(arguments: impl IntoIterator<Item = Expr>) -> Expr {
        Expr::extremum(Function::Min, arguments.into_iter().collect(), f64::min)
    }

    /// Largest of the arguments.
    pub fn max(arguments: impl IntoIterator<Item = Expr>) -> Expr {
        Expr::extremum(Function::Max, arguments.into_iter().collect(), f64::max)
    }

    fn extremum(function: Function, arguments: Vec<Expr>, fold: fn(f64, f64) -> f64) -> Expr {
        let mut constant: Option<f64> = None;
        let mut rest: Vec<Expr> = Vec::new();
        for argument in arguments {
            match argument.as_number() {
                Some(n) => constant = Some(constant.map_or(n, |c| fold(c, n))),
                None if rest.contains(&argument) => {}
                None => rest.push(argument),
            }
        }
        rest.extend(constant.map(Expr::from));
        match rest.len() {
            0 => Expr::from(0.0),
            1 => rest.remove(0),
            _ => Expr::wrap(Node::Call(function, rest.into())),
        }
    }

    /// ⌈x⌉ for x ≥ 0.
    pub fn ceiling(self) -> Expr {
        self.rounded(Function::Ceiling)
    }

    /// ⌊x⌋.
    pub fn floor(self) -> Expr {
        self.rounded(Function::Floor)
    }

    /// Towards zero.
    pub fn truncated(self) -> Expr {
        self.rounded(Function::Truncate)
    }

    pub fn absolute(self) -> Expr {
        self.rounded(Function::Absolute)
    }

    /// ⌈log₂ x⌉, zero for x ≤ 1.
    pub fn tree_stages(self) -> Expr {
        self.rounded(Function::TreeStages)
    }

    /// The greatest common divisor of this and another whole number, neither of them negative.
    pub fn common_divisor(self, other: Expr) -> Expr {
        match (self.as_number(), other.as_number()) {
            (Some(a), Some(b)) => Expr::from(evaluate::apply(Function::CommonDivisor, &[a, b])),
            _ => Expr::wrap(Node::Call(Function::CommonDivisor, [self, other].into())),
        }
    }

    /// The sum of the amounts, each with a size, whose size is above the limit.
    pub fn sum_above(limit: Expr, members: &[(Expr, Expr)]) -> Expr {
        let sizes = members.iter().map(|(size, _)| size.clone());
        let amounts = members.iter().map(|(_, amount)| amount.clone());
        let arguments: Vec<Expr> = std::iter::once(limit).chain(sizes).chain(amounts).collect();
        Expr::wrap(Node::Call(Function::SumAbove, arguments.into()))
    }

    fn rounded(self, function: Function) -> Expr {
        match self.as_number() {
            Some(n) => Expr::from(evaluate::apply(function, &[n])),
            None => Expr::wrap(Node::Call(function, [self].into())),
        }
    }

    /// `then` if the comparison holds, else `otherwise`.
    pub fn choose(
        comparison: Comparison,
        left: Expr,
        right: Expr,
        then: Expr,
        otherwise: Expr,
    ) -> Expr {
        if then == otherwise {
            return then;
        }
        match (left.as_number(), right.as_number()) {
            (Some(a), Some(b)) => {
                if comparison.holds(a, b) {
                    then
                } else {
                    otherwise
                }
            }
            _ => Expr::wrap(Node::If(
                comparison,
                Box::new([left, right, then, otherwise]),
            )),
        }
    }

    /// The numeric factor and what it multiplies.
    fn split_coefficient(&self) -> (f64, Expr) {
        if let Node::Product(factors) = self.node()
            && let Some(coefficient) = factors[0].as_number()
        {
            // What is left is flat and sorted as it was.
            let rest = match &factors[1..] {
                [only] => only.clone(),
                rest => Expr::wrap(Node::Product(rest.into())),
            };
            return (coefficient, rest);
        }
        (1.0, self.clone())
    }

    /// A number times what is no number and has no numeric factor. A product is a new one, which nothing else shares: what
    /// is shared becomes a step of its own where formulas are long.
    fn with_coefficient(self, coefficient: f64) -> Expr {
        let number = (coefficient != 1.0).then(|| Expr::from(coefficient));
        let factors: Box<[Expr]> = match (self.node(), number) {
            (Node::Product(factors), number) => number.iter().chain(factors).cloned().collect(),
            (_, Some(number)) => [number, self].into(),
            (_, None) => return self,
        };
        Expr::wrap(Node::Product(factors))
    }

    /// Direct sub-expressions.
    pub fn children(&self) -> Children<'_> {
        Children::of(self)
    }

    /// Every symbol, in order of first appearance.
    pub fn symbols(&self) -> Vec<Symbol> {
        let mut found = Vec::new();
        self.collect_symbols(&mut found);
        found
    }

    fn collect_symbols(&self, found: &mut Vec<Symbol>) {
        if let Node::Symbol(symbol) = self.node()
            && !found.contains(symbol)
        {
            found.push(symbol.clone());
        }
        for child in self.children() {
            child.collect_symbols(found);
        }
    }

    /// Whether the symbol occurs anywhere.
    pub fn mentions<N: Names + ?Sized>(&self, name: &N) -> bool {
        matches!(self.node(), Node::Symbol(symbol) if name.names(symbol))
            || self.children().any(|child| child.mentions(name))
    }

    /// Whether it has no value between whole numbers of a symbol, as a power has it in its exponent (`(-1)^s`), or another
    /// one there than beside them, as something made from it is rounded.
    pub fn is_stepped<N: Names + ?Sized>(&self, name: &N) -> bool {
        let is_here = match self.node() {
            Node::Power(_, exponent) => exponent.mentions(name),
            Node::Call(function, arguments) => {
                function.rounds() && arguments.iter().any(|argument| argument.mentions(name))
            }
            _ => false,
        };
        is_here || self.children().any(|child| child.is_stepped(name))
    }

    /// Whether it is made of more parts than that: operations, names and numbers.
    pub fn has_more_parts(&self, than: usize) -> bool {
        fn count(expr: &Expr, left: &mut usize) -> bool {
            if *left == 0 {
                return false;
            }
            *left -= 1;
            expr.children().all(|child| count(child, left))
        }
        let mut left = than;
        !count(self, &mut left)
    }

    /// The expression with symbols replaced; `None` keeps a symbol.
    pub fn substitute(&self, replace: &dyn Fn(&Symbol) -> Option<Expr>) -> Expr {
        self.replace_leaves(&mut |leaf| match leaf.node() {
            Node::Symbol(symbol) => replace(symbol),
            _ => None,
        })
    }

    /// The expression with what a source calls by this name replaced.
    pub fn with(&self, name: &str, value: &Expr) -> Expr {
        self.substitute(&|symbol| symbol.is_source(name).then(|| value.clone()))
    }

    /// The expression with symbols and figures replaced; `None` keeps one.
    pub fn replace_leaves(&self, replace: &mut dyn FnMut(&Expr) -> Option<Expr>) -> Expr {
        self.replaced(replace, &mut FxHashMap::default())
    }

    /// Parts that are shared are changed once, and stay shared: written out, they may be exponentially more.
    fn replaced(
        &self,
        replace: &mut dyn FnMut(&Expr) -> Option<Expr>,
        done: &mut FxHashMap<usize, Expr>,
    ) -> Expr {
        match self.node() {
            Node::Symbol(_) | Node::Figure(_) => {
                return replace(self).unwrap_or_else(|| self.clone());
            }
            Node::Number(_) => return self.clone(),
            _ => {}
        }
        let shared = (Arc::strong_count(&self.0) > 1).then(|| self.address());
        if let Some(done) = shared.and_then(|address| done.get(&address)) {
            return done.clone();
        }
        let changed = self.map_children(&mut |child| child.replaced(replace, done));
        if let Some(address) = shared {
            done.insert(address, changed.clone());
        }
        changed
    }

    /// The same operation on changed operands, simplified again.
    pub fn map_children(&self, change: &mut dyn FnMut(&Expr) -> Expr) -> Expr {
        let mut again = |e: &Expr| change(e);
        match self.node() {
            Node::Symbol(_) | Node::Number(_) | Node::Figure(_) => self.clone(),
            Node::Sum(items) => Expr::sum(items.iter().map(again)),
            Node::Product(items) => Expr::product(items.iter().map(again)),
            Node::Quotient(a, b) => again(a).quotient(again(b)),
            Node::Power(a, b) => again(a).power(again(b)),
            Node::Call(Function::Min, items) => Expr::min(items.iter().map(again)),
            Node::Call(Function::Max, items) => Expr::max(items.iter().map(again)),
            Node::Call(Function::SumAbove, items) => Expr::wrap(Node::Call(
                Function::SumAbove,
                items.iter().map(again).collect(),
            )),
            Node::Call(Function::CommonDivisor, items) => {
                again(&items[0]).common_divisor(again(&items[1]))
            }
            Node::Call(function, items) => again(&items[0]).rounded(*function),
            Node::If(comparison, parts) => {
                let [left, right, then, otherwise] = parts.each_ref().map(again);
                Expr::choose(*comparison, left, right, then, otherwise)
            }
        }
    }
}

/// Where a term stands among those collected. Few are compared one by one, many through an index.
fn position(
    term: &Expr,
    collected: &[(Expr, f64)],
    index: &mut FxHashMap<Expr, usize>,
) -> Option<usize> {
    const FEW: usize = 16;
    if collected.len() < FEW {
        return collected.iter().position(|(other, _)| other == term);
    }
    while index.len() < collected.len() {
        index.insert(collected[index.len()].0.clone(), index.len());
    }
    index.get(term).copied()
}

impl Comparison {
    /// What holds of two sides where this one holds of them in the other order.
    pub fn turned(self) -> Comparison {
        match self {
            Comparison::Less => Comparison::Greater,
            Comparison::LessOrEqual => Comparison::GreaterOrEqual,
            Comparison::Greater => Comparison::Less,
            Comparison::GreaterOrEqual => Comparison::LessOrEqual,
            Comparison::Equal | Comparison::NotEqual => self,
        }
    }

    pub fn holds(self, left: f64, right: f64) -> bool {
        match self {
            Comparison::Less => left < right,
            Comparison::LessOrEqual => left <= right,
            Comparison::Greater => left > right,
            Comparison::GreaterOrEqual => left >= right,
            Comparison::Equal => left == right,
            Comparison::NotEqual => left != right,
        }
    }
}

impl ops::Add for Expr {
    type Output = Expr;
    fn add(self, other: Expr) -> Expr {
        Expr::sum([self, other])
    }
}
impl ops::Sub for Expr {
    type Output = Expr;
    fn sub(self, other: Expr) -> Expr {
        Expr::sum([self, -other])
    }
}
impl ops::Neg for Expr {
    type Output = Expr;
    /// Distributes over a sum, so that `a - (b + c)` becomes `a - b - c`.
    fn neg(self) -> Expr {
        match self.node() {
            Node::Sum(items) => Expr::sum(items.iter().map(|item| -item.clone())),
            _ => Expr::product([Expr::from(-1.0), self]),
        }
    }
}
impl ops::Mul for Expr {
    type Output = Expr;
    fn mul(self, other: Expr) -> Expr {
        Expr::product([self, other])
    }
}

macro_rules! with_plain_numbers {
    ($($trait:ident $method:ident),*) => {$(
        impl ops::$trait<f64> for Expr {
            type Output = Expr;
            fn $method(self, other: f64) -> Expr {
                ops::$trait::$method(self, Expr::from(other))
            }
        }
        impl ops::$trait<&Expr> for &Expr {
            type Output = Expr;
            fn $method(self, other: &Expr) -> Expr {
                ops::$trait::$method(self.clone(), other.clone())
            }
        }
    )*};
}
with_plain_numbers!(Add add, Sub sub, Mul mul);

#[cfg(test)]
mod tests;
