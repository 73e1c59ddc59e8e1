//! What each step of a formula is called, where it has a cell of its own.
//!
//! A figure of the catalogue has a name. A part of a formula that was too long is named after the formula that it was
//! first a part of, with what it computes.

use crate::expr::{Comparison, Expr, FigureId, Function, Node};
use crate::model::{Figures, Part};

/// Characters of what a part computes.
const BRIEF: usize = 90;
/// Terms and factors that are written before the rest is counted.
const TERMS: usize = 3;
/// Operations inside of each other that are written.
const DEPTH: usize = 3;

/// What a figure is called; of a part, also what it computes.
pub(super) fn step_name(figures: &Figures, id: FigureId) -> String {
    let figure = figures.get(id);
    match figure.label.part {
        Part::Whole => figure.label.to_string(),
        Part::Summand | Part::Operand => {
            let text = Brief { figures }.text(&figure.expr, DEPTH);
            format!("{}: {}", figure.label.whole(), shortened(&text))
        }
    }
}

/// At most [`BRIEF`] characters.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(BRIEF) {
        None => text.to_string(),
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
    }
}

/// Formulas in a few words.
struct Brief<'f> {
    figures: &'f Figures,
}

impl Brief<'_> {
    fn text(&self, expr: &Expr, depth: usize) -> String {
        let inner = |item: &Expr| self.text(item, depth - 1);
        match expr.node() {
            Node::Number(n) => n.get().to_string(),
            Node::Symbol(symbol) => symbol.name().to_string(),
            Node::Figure(id) => self.figure(*id),
            _ if depth == 0 => "…".to_string(),
            Node::Sum(items) => self.list(items, " + ", depth),
            Node::Product(items) => self.list(items, " · ", depth),
            Node::Quotient(a, b) => {
                format!("{} / {}", self.operand(a, depth), self.operand(b, depth))
            }
            Node::Power(a, b) => format!("{}^{}", self.operand(a, depth), self.operand(b, depth)),
            Node::Call(function, items) => {
                let items: Vec<String> = items.iter().take(TERMS).map(inner).collect();
                let more = if expr.children().len() > TERMS {
                    ", …"
                } else {
                    ""
                };
                format!("{}({}{more})", called(*function), items.join(", "))
            }
            Node::If(comparison, parts) => {
                let [a, b, then, otherwise] = parts.each_ref().map(inner);
                let sign = sign(*comparison);
                format!("{then} if {a} {sign} {b}, else {otherwise}")
            }
        }
    }

    /// In parentheses where it would be read as something else.
    fn operand(&self, expr: &Expr, depth: usize) -> String {
        let text = self.text(expr, depth - 1);
        match expr.node() {
            Node::Sum(_) | Node::Product(_) | Node::Quotient(..) | Node::If(..) if depth > 1 => {
                format!("({text})")
            }
            _ => text,
        }
    }

    fn list(&self, items: &[Expr], between: &str, depth: usize) -> String {
        let mut text = String::new();
        for (position, item) in items.iter().take(TERMS).enumerate() {
            let item = match item.node() {
                Node::Product(_) => self.text(item, depth - 1),
                _ => self.operand(item, depth),
            };
            if position > 0 {
                text.push_str(between);
            }
            text.push_str(&item);
        }
        if items.len() > TERMS {
            text.push_str(&format!("{between}{} more", items.len() - TERMS));
        }
        text.replace("+ -1 · ", "− ")
    }

    fn figure(&self, id: FigureId) -> String {
        let label = &self.figures.get(id).label;
        match label.part {
            Part::Whole => label.as_it_is().to_string(),
            Part::Summand | Part::Operand => "…".to_string(),
        }
    }
}

fn called(function: Function) -> &'static str {
    match function {
        Function::Min => "min",
        Function::Max => "max",
        Function::Ceiling => "ceil",
        Function::Floor => "floor",
        Function::Truncate => "truncated",
        Function::Absolute => "abs",
        Function::TreeStages => "stages of a tree over",
        Function::CommonDivisor => "greatest common divisor of",
        Function::SumAbove => "sum of what is above",
    }
}

fn sign(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::LessOrEqual => "≤",
        Comparison::GreaterOrEqual => "≥",
        Comparison::NotEqual => "≠",
        Comparison::Less | Comparison::Greater | Comparison::Equal => comparison.sign(),
    }
}
