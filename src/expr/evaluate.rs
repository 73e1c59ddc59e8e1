//! Expressions to numbers.

use super::{Comparison, Expr, FigureId, Function, Node, Symbol};

/// Where an evaluation gets the values of its leaves from.
pub trait Lookup {
    fn symbol(&self, symbol: &Symbol) -> Option<f64>;
    fn figure(&self, id: FigureId) -> Option<f64>;
}

/// A leaf without a value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no value for `{0}`")]
pub struct Unbound(pub String);

impl<F: Fn(&Symbol) -> Option<f64>> Lookup for F {
    fn symbol(&self, symbol: &Symbol) -> Option<f64> {
        self(symbol)
    }

    fn figure(&self, _: FigureId) -> Option<f64> {
        None
    }
}

impl Expr {
    /// The value, with the operations in the order in which they are printed. A figure that is
    /// not-a-number makes everything unknown that depends on it, extrema and conditions too.
    pub fn evaluate(&self, lookup: &dyn Lookup) -> Result<f64, Unbound> {
        let value = |e: &Expr| e.evaluate(lookup);
        Ok(match self.node() {
            Node::Number(n) => n.get(),
            Node::Symbol(symbol) => lookup
                .symbol(symbol)
                .ok_or_else(|| Unbound(symbol.to_string()))?,
            Node::Figure(id) => lookup
                .figure(*id)
                .ok_or_else(|| Unbound(format!("figure {}", id.0)))?,
            Node::Sum(items) => fold(items, 0.0, &value, |a, b| a + b)?,
            Node::Product(items) => fold(items, 1.0, &value, |a, b| a * b)?,
            Node::Quotient(a, b) => value(a)? / value(b)?,
            Node::Power(a, b) => value(a)?.powf(value(b)?),
            Node::Call(function, items) => {
                let arguments = items
                    .iter()
                    .map(value)
                    .collect::<Result<Vec<f64>, Unbound>>()?;
                apply(*function, &arguments)
            }
            Node::If(comparison, parts) => {
                let [a, b, c, d] = &**parts;
                let (left, right) = (value(a)?, value(b)?);
                if left.is_nan() || right.is_nan() {
                    f64::NAN
                } else if comparison.holds(left, right) {
                    value(c)?
                } else {
                    value(d)?
                }
            }
        })
    }
}

fn fold(
    items: &[Expr],
    start: f64,
    value: &dyn Fn(&Expr) -> Result<f64, Unbound>,
    combine: fn(f64, f64) -> f64,
) -> Result<f64, Unbound> {
    items
        .iter()
        .try_fold(start, |total, item| Ok(combine(total, value(item)?)))
}

pub(super) fn apply(function: Function, arguments: &[f64]) -> f64 {
    match function {
        Function::Min | Function::Max if arguments.iter().any(|a| a.is_nan()) => f64::NAN,
        Function::Min => arguments.iter().copied().fold(f64::INFINITY, f64::min),
        Function::Max => arguments.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        Function::Ceiling => arguments[0].ceil(),
        Function::Floor => arguments[0].floor(),
        Function::Truncate => arguments[0].trunc(),
        Function::Absolute => arguments[0].abs(),
        Function::TreeStages if arguments[0].is_nan() => f64::NAN,
        Function::TreeStages => (0..1024)
            .find(|stages| 2f64.powi(*stages) >= arguments[0])
            .map_or(f64::NAN, f64::from),
        Function::CommonDivisor => common_divisor(arguments[0].trunc(), arguments[1].trunc()),
        Function::SumAbove if arguments.iter().any(|a| a.is_nan()) => f64::NAN,
        Function::SumAbove => {
            let (limit, members) = (arguments[0], &arguments[1..]);
            let (sizes, amounts) = members.split_at(members.len() / 2);
            let above = sizes.iter().zip(amounts).filter(|(size, _)| **size > limit);
            above.fold(0.0, |sum, (_, amount)| sum + amount)
        }
    }
}

/// Euclid's; unknown for what is not known or negative, as in a spreadsheet.
fn common_divisor(a: f64, b: f64) -> f64 {
    let is_whole = |number: f64| (0.0..1e15).contains(&number);
    if !is_whole(a) || !is_whole(b) {
        return f64::NAN;
    }
    let (mut a, mut b) = (a, b);
    while b != 0.0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Comparison {
    /// The sign as printed in every output format.
    pub fn sign(self) -> &'static str {
        match self {
            Comparison::Less => "<",
            Comparison::LessOrEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterOrEqual => ">=",
            Comparison::Equal => "=",
            Comparison::NotEqual => "<>",
        }
    }
}
