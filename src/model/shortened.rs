//! Formulas that a person can follow: what is too long for one cell is split, and its parts become figures of their own.
//!
//! ```text
//! a formula of 2,000 characters          parts that occur twice are cells, then the longest operands, until it is short
//!   MIN(IF(…), IF(…), …) · (… + …)   ►   MIN(B7, B8, B9) · B10
//! ```
//!
//! Equal parts are one figure, whichever formulas they belong to. Values follow from the formulas as they are split, so
//! that a cell and the figure's value come from the same operations in the same order.

use rustc_hash::FxHashMap;

use super::figures::Figures;
use super::label::{Label, Part};
use crate::expr::spreadsheet::PART_LENGTH;
use crate::expr::{Expr, Function, Node};

/// Characters from which on a part that occurs more than once has a cell.
const WORTH_A_CELL: u32 = 60;
/// Operands of a sum, product or extremum that is split into several of its kind.
const MANY: usize = 6;

/// The expression with parts of it defined as figures, if it is too long for one cell.
pub(super) fn shortened(figures: &mut Figures, label: &Label, expr: Expr) -> Expr {
    if !expr.is_long() {
        return expr;
    }
    let mut uses = FxHashMap::default();
    count_uses(&expr, &mut uses);
    let mut splitter = Splitter {
        figures,
        label,
        uses,
        done: FxHashMap::default(),
    };
    let reduced = splitter.reduced(&expr, Part::Summand);
    splitter.fitted(reduced, Part::Summand)
}

/// How often each part occurs, by where it is.
fn count_uses(expr: &Expr, uses: &mut FxHashMap<usize, u32>) {
    let count = uses.entry(expr.address()).or_insert(0);
    *count += 1;
    if *count == 1 {
        expr.children().for_each(|child| count_uses(child, uses));
    }
}

/// Makes one expression of operands.
type Join = fn(Vec<Expr>) -> Expr;

struct Splitter<'f> {
    figures: &'f mut Figures,
    label: &'f Label,
    uses: FxHashMap<usize, u32>,
    /// Parts that are split, by where they were.
    done: FxHashMap<usize, Expr>,
}

impl Splitter<'_> {
    /// The same with every part of it short; `role` says what it is to the whole.
    fn reduced(&mut self, expr: &Expr, role: Part) -> Expr {
        if expr.children().len() == 0 {
            return expr.clone();
        }
        if let Some(done) = self.done.get(&expr.address()) {
            return done.clone();
        }
        let mut position = 0;
        let short = expr.map_children(&mut |child| {
            let own = role_of(expr, position, role);
            position += 1;
            let reduced = self.reduced(child, own);
            self.shared(child, reduced, own)
        });
        let short = self.fitted(short, role);
        self.done.insert(expr.address(), short.clone());
        short
    }

    /// A figure in place of a part that occurs more than once, here or in a formula before.
    fn shared(&mut self, part: &Expr, reduced: Expr, role: Part) -> Expr {
        if reduced.formula_length() < WORTH_A_CELL {
            return reduced;
        }
        match self.figures.known_part(&reduced) {
            Some(figure) => Expr::from(figure),
            None if self.uses.get(&part.address()).is_some_and(|uses| *uses > 1) => {
                self.figures.part(self.label.part(role), &reduced)
            }
            None => reduced,
        }
    }

    /// A short expression that comes to the same, as its operands are figures where they are long.
    fn fitted(&mut self, mut expr: Expr, role: Part) -> Expr {
        if !expr.is_long() {
            return expr;
        }
        loop {
            let before = expr.formula_length();
            if before <= PART_LENGTH {
                return expr;
            }
            let longest = expr.children().map(Expr::formula_length).max();
            expr = match is_flat(&expr, longest.unwrap_or(0)) {
                true => self.in_groups(&expr, role),
                false => self.without_longest(&expr, role),
            };
            // What is made of names alone is as short as it gets.
            if expr.formula_length() >= before {
                return expr;
            }
        }
    }

    /// Its longest operands as figures, one after the other until it is short, or has many that are short.
    fn without_longest(&mut self, expr: &Expr, role: Part) -> Expr {
        let mut operands: Vec<Expr> = expr.children().cloned().collect();
        let mut order: Vec<usize> = (0..operands.len()).collect();
        order.sort_by_key(|at| std::cmp::Reverse(operands[*at].formula_length()));
        let mut length = expr.formula_length();
        for (rank, at) in order.into_iter().enumerate() {
            let own = operands[at].formula_length();
            let is_enough = length <= PART_LENGTH || is_flat(expr, own);
            if rank > 0 && is_enough {
                break;
            }
            let shorter = self.positive(&operands[at], role_of(expr, at, role));
            if shorter.formula_length() >= own {
                break;
            }
            length = (length.saturating_sub(own)).saturating_add(shorter.formula_length());
            operands[at] = shorter;
        }
        let mut changed = operands.into_iter();
        expr.map_children(&mut |child| changed.next().unwrap_or_else(|| child.clone()))
    }

    /// A part as a figure; where it is subtracted, what is subtracted.
    fn positive(&mut self, part: &Expr, role: Part) -> Expr {
        match part.node() {
            Node::Product(factors) if factors.len() == 2 && factors[0].as_number().is_some() => {
                let rest = self.figures.part(self.label.part(role), &factors[1]);
                Expr::product([factors[0].clone(), rest])
            }
            _ => self.figures.part(self.label.part(role), part),
        }
    }

    /// A sum of sums, a product of products, the smallest of the least.
    fn in_groups(&mut self, expr: &Expr, role: Part) -> Expr {
        let (items, join): (&[Expr], Join) = match expr.node() {
            Node::Sum(items) => (items, |items| Expr::sum(items)),
            Node::Product(items) => (items, |items| Expr::product(items)),
            Node::Call(Function::Min, items) => (items, |items| Expr::min(items)),
            Node::Call(Function::Max, items) => (items, |items| Expr::max(items)),
            _ => return expr.clone(),
        };
        let own = role_of(expr, 0, role);
        let mut groups: Vec<Vec<Expr>> = vec![Vec::new()];
        let mut length = 0;
        for item in items {
            let more = item.formula_length().saturating_add(1);
            if length > 0 && length + more > PART_LENGTH {
                groups.push(Vec::new());
                length = 0;
            }
            length += more;
            groups
                .last_mut()
                .expect("starts with one")
                .push(item.clone());
        }
        let whole = |group: Vec<Expr>| match group.as_slice() {
            [only] => only.clone(),
            _ => self.figures.part(self.label.part(own), &join(group)),
        };
        let groups: Vec<Expr> = groups.into_iter().map(whole).collect();
        join(groups)
    }
}

/// Whether it has many operands, the longest of so many characters, which are short enough for groups of them.
fn is_flat(expr: &Expr, longest: u32) -> bool {
    expr.children().len() > MANY && longest < PART_LENGTH / 2
}

/// What an operand is to the whole, if the operation is this to it: of the same unit, or something else.
fn role_of(expr: &Expr, position: usize, role: Part) -> Part {
    let is_same = match expr.node() {
        Node::Sum(_) => true,
        Node::Call(function, _) => *function != Function::TreeStages,
        Node::If(..) => position >= 2,
        _ => false,
    };
    if is_same { role } else { Part::Operand }
}
