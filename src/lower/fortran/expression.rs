//! Expressions as written: syntax nodes to a small tree of our own that needs no syntax tree to live.
//!
//! Bounds in a module are read once and resolved wherever the module is used, in other files too; that is why
//! expressions do not go to the IR in one step. Nothing is resolved here: `a(i)` stays an [`Expr::Apply`]
//! whatever `a` is. `value` resolves it, with the scope of the place where it is used.

use serde::{Deserialize, Serialize};
use std::sync::Arc;

use rustc_hash::FxHashMap;
use tree_sitter::Node;

use super::blocks::{self, Renamed};
use super::names::{field, kind};
use crate::diagnostic::Place;
use crate::interned;
use crate::ir::{BinaryOp, UnaryOp};
use crate::reason::ReasonCode;
use crate::source::SourceText;
use crate::syntax::{Role, SyntaxTree, named_children};

/// Deeper expressions are not followed: recursion must not depend on the input.
pub const DEPTH_LIMIT: usize = 200;
/// Chains of operators that are longer become opaque.
const CHAIN: usize = 2000;
/// Longer sums are read in parts of so many terms, up to a limit.
const PART: usize = 1000;
const MOST_TERMS: usize = 100_000;
/// So many links of a chain count as one level of nesting for its operands, up to a limit.
pub const CHARGE: usize = 8;
pub const MOST_CHARGED: usize = 50;

/// An expression with names instead of variables.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Expr {
    Integer(i64),
    /// `1_8`, with its kind.
    IntegerOf(i64, Box<Expr>),
    Real(f64, RealKind),
    Logical(bool),
    Text(String),
    /// In lower case.
    Name(#[serde(with = "interned")] Arc<str>),
    /// A constant that the preprocessor left in the text, with its value.
    Macro(#[serde(with = "interned")] Arc<MacroValue>),
    /// `base(arguments)`: element, section, substring or function reference.
    Apply(Box<Expr>, Vec<Argument>, Place),
    Member(Box<Expr>, #[serde(with = "interned")] Arc<str>),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    Complex(Box<Expr>, Box<Expr>),
    Array(Vec<Expr>),
    Select(Box<[Expr; 3]>),
    /// An operator that the program may define itself, as written.
    Operator(String, Vec<Expr>),
    Opaque(ReasonCode, String, Vec<Expr>),
}

/// What the spelling of a real literal says about its size.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum RealKind {
    Default,
    Double,
    Quadruple,
    /// `1.0_dp`
    Named(Box<Expr>),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Argument {
    Value(Expr),
    /// `lower:upper:stride`
    Section(Box<[Option<Expr>; 3]>),
    /// `name=value`
    Keyword(#[serde(with = "interned")] Arc<str>, Expr),
    /// `*`, in declarations only.
    Star,
}

/// A macro constant of the file.
#[derive(Debug, Serialize, Deserialize)]
pub struct MacroValue {
    #[serde(with = "interned")]
    pub name: Arc<str>,
    pub value: Expr,
    pub place: Place,
}

/// Reads expressions of one tree.
pub struct Reader<'a> {
    pub tree: &'a SyntaxTree<'a>,
    pub source: &'a SourceText,
    /// By name as written: the preprocessor tells cases apart.
    pub macros: &'a FxHashMap<&'a str, Arc<MacroValue>>,
    /// Whether there can be `block` constructs.
    pub has_blocks: bool,
    /// Names that these have for themselves.
    renamed: Vec<Renamed>,
}

impl<'a> Reader<'a> {
    pub fn new(
        tree: &'a SyntaxTree<'a>,
        source: &'a SourceText,
        macros: &'a FxHashMap<&'a str, Arc<MacroValue>>,
    ) -> Reader<'a> {
        let after = |line: &'a str, word: &str| {
            let (first, rest) = line.trim_start().split_at_checked(word.len())?;
            first.eq_ignore_ascii_case(word).then_some(rest)
        };
        let is_end = |line| {
            after(line, "end")
                .and_then(|rest| after(rest, "block"))
                .is_some()
        };
        let has_blocks = tree.text.lines().any(is_end);
        Reader {
            tree,
            source,
            macros,
            has_blocks,
            renamed: match has_blocks {
                true => blocks::renamed(tree),
                false => Vec::new(),
            },
        }
    }

    pub fn place(&self, node: Node) -> Place {
        let start = node.start_position();
        self.source.place(start.row, start.column)
    }

    /// The text of a node as a name.
    pub fn name(&self, node: Node) -> Arc<str> {
        let text = self.tree.text(node);
        let name: Arc<str> = match text.bytes().any(|b| b.is_ascii_uppercase()) {
            true => text.to_ascii_lowercase().into(),
            false => text.into(),
        };
        blocks::meant(&self.renamed, node, &name).unwrap_or(name)
    }

    pub fn read(&self, node: Node) -> Expr {
        self.expression(node, 0)
    }

    fn expression(&self, node: Node, depth: usize) -> Expr {
        if depth > DEPTH_LIMIT {
            return Expr::Opaque(ReasonCode::TooDeep, String::new(), Vec::new());
        }
        match self.tree.role(node) {
            Some(Role::Name) => match self.macros.get(self.tree.text(node)) {
                Some(constant) => Expr::Macro(constant.clone()),
                None => Expr::Name(self.name(node)),
            },
            Some(Role::Number) => self.number(node, depth),
            Some(Role::LogicalLiteral) => Expr::Logical(
                self.tree
                    .text(node)
                    .get(..2)
                    .is_some_and(|t| t.eq_ignore_ascii_case(".t")),
            ),
            Some(Role::Text) => {
                let text = self.tree.text(node);
                let quote = text.find(['\'', '"']);
                let inside = quote.and_then(|at| {
                    let quote = text.get(at..=at)?;
                    let inside = text.get(at + 1..text.len().saturating_sub(1))?;
                    // Two of them are one in the text.
                    Some(inside.replace(&quote.repeat(2), quote))
                });
                Expr::Text(inside.unwrap_or_else(|| text.to_string()))
            }
            Some(Role::Parenthesised) => match named_children(node).first() {
                Some(inner) => self.expression(*inner, depth + 1),
                None => self.opaque(ReasonCode::SyntaxError, node, depth),
            },
            Some(Role::Binary) => self.binary(node, depth),
            Some(Role::Unary) => self.unary(node, depth),
            Some(Role::Call) => self.apply(node, depth),
            Some(Role::Member) => match named_children(node)[..] {
                [base, member] => Expr::Member(
                    Box::new(self.expression(base, depth + 1)),
                    self.name(member),
                ),
                _ => self.opaque(ReasonCode::SyntaxError, node, depth),
            },
            Some(Role::ComplexLiteral) => match named_children(node)[..] {
                [re, im] => Expr::Complex(
                    Box::new(self.expression(re, depth + 1)),
                    Box::new(self.expression(im, depth + 1)),
                ),
                _ => self.opaque(ReasonCode::SyntaxError, node, depth),
            },
            Some(Role::ArrayConstructor) => {
                let typed = node.child_by_field_name(field::TYPE);
                let values = named_children(node)
                    .into_iter()
                    .filter(|n| Some(*n) != typed);
                let value = |node: Node| match self.tree.role(node) {
                    Some(Role::ImpliedDo) => self.implied_do(node, depth),
                    _ => self.expression(node, depth + 1),
                };
                Expr::Array(values.map(value).collect())
            }
            Some(Role::Conditional) => {
                let parts = [field::CONDITION, field::CONSEQUENCE, field::ALTERNATIVE];
                match parts.map(|part| node.child_by_field_name(part)) {
                    [Some(c), Some(t), Some(e)] => {
                        Expr::Select(Box::new([c, t, e].map(|n| self.expression(n, depth + 1))))
                    }
                    _ => self.opaque(ReasonCode::SyntaxError, node, depth),
                }
            }
            Some(Role::ImpliedDo) => self.opaque(ReasonCode::IoImpliedDo, node, depth),
            Some(Role::Keyword) => match node.child_by_field_name(field::VALUE) {
                Some(value) => self.expression(value, depth + 1),
                None => self.opaque(ReasonCode::SyntaxError, node, depth),
            },
            _ if node.kind() == kind::COARRAY_EXPRESSION => {
                self.opaque(ReasonCode::Coarray, node, depth)
            }
            _ if node.kind() == kind::NULL || node.kind() == kind::NIL => {
                self.opaque(ReasonCode::Null, node, depth)
            }
            _ if node.is_error() => self.opaque(ReasonCode::SyntaxError, node, depth),
            _ => self.opaque(ReasonCode::UnknownExpression, node, depth),
        }
    }

    /// `(a(i), i = 1, n)`: variable, bounds and step stand before the values.
    pub fn implied_do(&self, node: Node, depth: usize) -> Expr {
        let parts = named_children(node);
        let control = parts
            .iter()
            .find(|n| n.kind() == kind::LOOP_CONTROL)
            .map(|control| named_children(*control));
        let [variable, lower, upper, ref step @ ..] = control.unwrap_or_default()[..] else {
            return self.opaque(ReasonCode::ImpliedDo, node, depth);
        };
        let mut inner = [variable, lower, upper]
            .map(|n| self.expression(n, depth + 1))
            .to_vec();
        inner.push(
            step.first()
                .map_or(Expr::Integer(1), |step| self.expression(*step, depth + 1)),
        );
        for value in parts.into_iter().filter(|n| self.tree.role(*n).is_some()) {
            inner.push(match self.tree.role(value) {
                Some(Role::ImpliedDo) => self.implied_do(value, depth + 1),
                _ => self.expression(value, depth + 1),
            });
        }
        let detail = self
            .tree
            .text(node)
            .lines()
            .next()
            .unwrap_or("")
            .to_string();
        Expr::Opaque(ReasonCode::ImpliedDo, detail, inner)
    }

    fn opaque(&self, code: ReasonCode, node: Node, depth: usize) -> Expr {
        let detail = self
            .tree
            .text(node)
            .lines()
            .next()
            .unwrap_or("")
            .to_string();
        let inner = named_children(node)
            .into_iter()
            .filter(|n| self.tree.role(*n).is_some());
        Expr::Opaque(
            code,
            detail,
            inner.map(|n| self.expression(n, depth + 1)).collect(),
        )
    }

    fn number(&self, node: Node, depth: usize) -> Expr {
        let kind = node.child_by_field_name(field::KIND);
        let end = kind.map_or(node.end_byte(), |k| k.start_byte().saturating_sub(1));
        let mut text = self
            .tree
            .text
            .get(node.start_byte()..end)
            .unwrap_or("")
            .to_ascii_lowercase();
        text.retain(|c| !c.is_whitespace());
        if let Some(value) = boz(&text) {
            return Expr::Integer(value);
        }
        if let Ok(value) = text.parse::<i64>() {
            return match kind {
                Some(kind) => Expr::IntegerOf(value, Box::new(self.expression(kind, depth + 1))),
                None => Expr::Integer(value),
            };
        }
        let exponent = text.find(['d', 'q', 'e']);
        let spelled = match exponent.map(|at| &text[at..=at]) {
            Some("d") => RealKind::Double,
            Some("q") => RealKind::Quadruple,
            _ => RealKind::Default,
        };
        let spelled = match kind {
            Some(kind) => RealKind::Named(Box::new(self.expression(kind, depth + 1))),
            None => spelled,
        };
        match text.replace(['d', 'q'], "e").parse::<f64>() {
            Ok(value) => Expr::Real(value, spelled),
            Err(_) => Expr::Opaque(ReasonCode::SyntaxError, text, Vec::new()),
        }
    }

    /// The grammar groups `**` to the left; Fortran to the right.
    fn binary(&self, node: Node, depth: usize) -> Expr {
        let parts =
            [field::LEFT, field::OPERATOR, field::RIGHT].map(|part| node.child_by_field_name(part));
        let [Some(left), Some(operator), Some(right)] = parts else {
            return self.opaque(ReasonCode::SyntaxError, node, depth);
        };
        let Some(op) = binary_operator(self.tree.text(operator)) else {
            let detail = self.tree.text(operator).to_string();
            let inner = [left, right].map(|n| self.expression(n, depth + 1));
            return Expr::Operator(detail, inner.into());
        };
        if op == BinaryOp::Power {
            let left = self.expression_of_operand(left, op, depth);
            let right = self.expression(right, depth + 1);
            return match left {
                Operand::Power(mut operands) => {
                    operands.push(right);
                    right_associative(operands)
                }
                Operand::Other(left) => Expr::Binary(op, Box::new(left), Box::new(right)),
            };
        }
        self.chain(node, left, op, right, depth)
    }

    /// `a + b + c + …`, which the grammar nests to the left as deep as it is long.
    fn chain(&self, node: Node, left: Node, op: BinaryOp, right: Node, depth: usize) -> Expr {
        let (mut first, mut links) = (left, vec![(op, right)]);
        while self.tree.role(first) == Some(Role::Binary) {
            let parts = [field::LEFT, field::OPERATOR, field::RIGHT]
                .map(|part| first.child_by_field_name(part));
            let [Some(left), Some(operator), Some(right)] = parts else {
                break;
            };
            let Some(op) =
                binary_operator(self.tree.text(operator)).filter(|op| *op != BinaryOp::Power)
            else {
                break;
            };
            links.push((op, right));
            first = left;
        }
        let is_sum = || {
            links
                .iter()
                .all(|(op, _)| matches!(op, BinaryOp::Add | BinaryOp::Subtract))
        };
        if links.len() > CHAIN && links.len() <= MOST_TERMS && is_sum() {
            return self.long_sum(first, &links, depth + 1 + MOST_CHARGED);
        }
        if links.len() > CHAIN {
            return self.opaque(ReasonCode::TooDeep, node, DEPTH_LIMIT);
        }
        // A long chain leaves less room for what is nested in its operands.
        let depth = depth + 1 + (links.len() / CHARGE).min(MOST_CHARGED);
        links
            .into_iter()
            .rev()
            .fold(self.expression(first, depth), |left, (op, right)| {
                Expr::Binary(op, Box::new(left), Box::new(self.expression(right, depth)))
            })
    }

    /// A sum in parts, one beside the other: behind a minus sign `- b - c` is `- (b + c)`.
    fn long_sum(&self, first: Node, links: &[(BinaryOp, Node)], depth: usize) -> Expr {
        let mut sum = self.expression(first, depth);
        for part in links.rchunks(PART) {
            let Some(((head, first), rest)) = part.split_last() else {
                continue;
            };
            let mut terms = self.expression(*first, depth);
            for (op, term) in rest.iter().rev() {
                let op = if op == head {
                    BinaryOp::Add
                } else {
                    BinaryOp::Subtract
                };
                terms = Expr::Binary(op, Box::new(terms), Box::new(self.expression(*term, depth)));
            }
            sum = Expr::Binary(*head, Box::new(sum), Box::new(terms));
        }
        sum
    }

    fn expression_of_operand(&self, mut node: Node, op: BinaryOp, depth: usize) -> Operand {
        let is_power = |n: Node| {
            let operator = n.child_by_field_name(field::OPERATOR);
            self.tree.role(n) == Some(Role::Binary)
                && operator.is_some_and(|o| self.tree.text(o) == "**")
        };
        if op != BinaryOp::Power || !is_power(node) {
            return Operand::Other(self.expression(node, depth + 1));
        }
        let mut operands = Vec::new();
        while is_power(node) && operands.len() < DEPTH_LIMIT {
            let [Some(left), Some(right)] =
                [field::LEFT, field::RIGHT].map(|f| node.child_by_field_name(f))
            else {
                break;
            };
            operands.push(self.expression(right, depth + 1));
            node = left;
        }
        operands.push(self.expression(node, depth + 1));
        operands.reverse();
        Operand::Power(operands)
    }

    fn unary(&self, node: Node, depth: usize) -> Expr {
        let parts = [field::OPERATOR, field::ARGUMENT].map(|part| node.child_by_field_name(part));
        let [Some(operator), Some(argument)] = parts else {
            return self.opaque(ReasonCode::SyntaxError, node, depth);
        };
        let operand = self.expression(argument, depth + 1);
        match self.tree.text(operator) {
            "+" => operand,
            "-" => Expr::Unary(UnaryOp::Negate, Box::new(operand)),
            text if text.eq_ignore_ascii_case(".not.") => {
                Expr::Unary(UnaryOp::Not, Box::new(operand))
            }
            text => Expr::Operator(text.to_string(), vec![operand]),
        }
    }

    /// `a(i)`, and `a(i)(1:3)` as nested applications.
    fn apply(&self, node: Node, depth: usize) -> Expr {
        let mut children = named_children(node).into_iter();
        let Some(base) = children.next() else {
            return self.opaque(ReasonCode::SyntaxError, node, depth);
        };
        let place = self.place(node);
        children.fold(self.expression(base, depth + 1), |base, list| {
            Expr::Apply(
                Box::new(base),
                self.argument_list(list, depth + 1),
                place.clone(),
            )
        })
    }

    /// The arguments, subscripts or extents between parentheses.
    pub fn arguments(&self, list: Node) -> Vec<Argument> {
        self.argument_list(list, 0)
    }

    fn argument_list(&self, list: Node, depth: usize) -> Vec<Argument> {
        named_children(list)
            .into_iter()
            .map(|n| self.argument(n, depth + 1))
            .collect()
    }

    fn argument(&self, node: Node, depth: usize) -> Argument {
        match self.tree.role(node) {
            Some(Role::Range) => self.section(node, depth),
            Some(Role::Keyword) => {
                let name = node
                    .child_by_field_name(field::NAME)
                    .map_or_else(|| "".into(), |n| self.name(n));
                match node.child_by_field_name(field::VALUE) {
                    Some(value) if value.kind() != kind::ASSUMED_SIZE => {
                        Argument::Keyword(name, self.expression(value, depth + 1))
                    }
                    _ => Argument::Star,
                }
            }
            _ if node.kind() == kind::ASSUMED_SIZE => Argument::Star,
            _ => Argument::Value(self.expression(node, depth + 1)),
        }
    }

    /// Which bound an expression is follows from the colons before it.
    fn section(&self, node: Node, depth: usize) -> Argument {
        let mut bounds = [None, None, None];
        let mut at = 0;
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            if child.kind() == ":" {
                at += 1;
            } else if child.is_named()
                && !child.is_extra()
                && child.kind() != kind::ASSUMED_SIZE
                && let Some(bound) = bounds.get_mut(at)
            {
                *bound = Some(self.expression(child, depth + 1));
            }
        }
        Argument::Section(Box::new(bounds))
    }
}

/// The left operand of a binary operator, or the chain of a power.
enum Operand {
    Power(Vec<Expr>),
    Other(Expr),
}

fn right_associative(mut operands: Vec<Expr>) -> Expr {
    let last = operands.pop().unwrap_or(Expr::Integer(1));
    operands.into_iter().rev().fold(last, |right, left| {
        Expr::Binary(BinaryOp::Power, Box::new(left), Box::new(right))
    })
}

fn binary_operator(text: &str) -> Option<BinaryOp> {
    use BinaryOp::*;
    // `. eq .` is read as an operator of the program's own.
    let word: String = text
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| c.to_ascii_lowercase())
        .collect();
    Some(match word.as_str() {
        "+" => Add,
        "-" => Subtract,
        "*" => Multiply,
        "/" => Divide,
        "**" => Power,
        "<" | ".lt." => Less,
        "<=" | ".le." => LessOrEqual,
        ">" | ".gt." => Greater,
        ">=" | ".ge." => GreaterOrEqual,
        "==" | ".eq." | ".eqv." => Equal,
        "/=" | ".ne." | ".neqv." => NotEqual,
        ".and." => And,
        ".or." => Or,
        "//" => Other,
        _ => return None,
    })
}

/// `z'1f'`, `b"101"`, `'17'o`.
fn boz(text: &str) -> Option<i64> {
    let quote = text.find(['\'', '"'])?;
    let digits: &str = text.get(quote + 1..)?.split(['\'', '"']).next()?;
    let base = text.chars().find(|c| matches!(c, 'z' | 'x' | 'o' | 'b'))?;
    // `b` and its like are digits of hexadecimal numbers too: only letters outside of the quotes count.
    let outside = |c: char| text.starts_with(c) || text.ends_with(c);
    let radix = match base {
        _ if outside('z') || outside('x') => 16,
        _ if outside('o') => 8,
        _ => 2,
    };
    u64::from_str_radix(digits, radix)
        .ok()
        .map(|bits| bits as i64)
}
