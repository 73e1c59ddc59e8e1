//! Rows that follow each other in memory, though each has a length of its own: packed triangles.
//!
//! ```text
//! for j, for i = 0 .. j:  v[j*(j+1)/2 + i]        row j ends with j·(j+3)/2, row j+1 begins behind that
//! ```
//!
//! What the loop over rows does to such a subscript is a stride of no one length, as in [`super::moving`], and its symbol says
//! that rows are packed, with the elements that lie between them.

use super::counted_loop::Counted;
use super::facts::Subscript;
use super::moving::is_unknown_stride;
use crate::expr::{Expr, Function, Node, Symbol, SymbolKind};

/// Elements that lie between two rows at most: less than a line.
const MOST_BETWEEN: f64 = 4.0;
/// Numbers that polynomials are divided by, and variables of them, of which all remainders are tried.
const MOST_DIVISOR: i64 = 4;
const MOST_VARIABLES: usize = 4;

/// Makes the stride of a loop over rows one of packed rows, if they are. `expr` is what the subscript is of.
pub fn pack(subscript: &mut Subscript, expr: &Expr, around: &[&Counted]) {
    let is_unknown = |(_, by): &&(String, Expr)| is_unknown_stride(by);
    let mut unknown = subscript.terms.iter().filter(is_unknown);
    let (Some((outer, _)), None) = (unknown.next(), unknown.next()) else {
        return;
    };
    let is_along = |(_, by): &&(String, Expr)| by.as_integer().is_some_and(|by| by.abs() == 1);
    let Some((inner, by)) = subscript.terms.iter().rfind(is_along) else {
        return;
    };
    let of = |name: &String| around.iter().find(|one| one.variable == *name);
    let (Some(rows), Some(row)) = (of(outer), of(inner)) else {
        return;
    };
    let by_one = |one: &Counted| one.step.as_integer().is_some_and(|step| step.abs() == 1);
    if !by_one(rows) || !by_one(row) || !(row.lower.mentions(outer) || row.upper.mentions(outer)) {
        return;
    }
    let Some(place) = undivided(expr) else {
        return;
    };
    let end = |end: &Expr| place.with(inner, end);
    let (lower, upper) = (end(&row.lower), end(&row.upper));
    let is_turned = (row.step.as_integer() == Some(-1)) != (by.as_integer() == Some(-1));
    let (first, last) = match is_turned {
        false => (lower, upper),
        true => (upper, lower),
    };
    let next = |end: &Expr| end.with(outer, &(Expr::symbol(outer) + 1.0));
    // The next row behind this one, or before it.
    let between = [(next(&first), last.clone()), (first, next(&last))]
        .map(|(begin, end)| (begin - end - 1.0).expand().as_number());
    let fits = |between: &f64| (0.0..=MOST_BETWEEN).contains(between);
    let Some(between) = between.into_iter().flatten().find(fits) else {
        return;
    };
    let text = subscript.base.to_string();
    let packed = Expr::from(Symbol::packed(&text)) + between;
    let outer = outer.clone();
    let own = subscript
        .terms
        .iter_mut()
        .filter(|(name, _)| *name == outer);
    own.for_each(|(_, stride)| *stride = packed.clone());
}

/// Elements between packed rows, if a stride is one of these.
pub fn between(stride: &Expr) -> Option<f64> {
    let is_packed = |expr: &Expr| matches!(expr.node(), Node::Symbol(symbol) if symbol.kind() == SymbolKind::Packed);
    match stride.node() {
        Node::Symbol(_) => is_packed(stride).then_some(0.0),
        Node::Sum(items) => match &items[..] {
            [rows, number] if is_packed(rows) => number.as_number(),
            [number, rows] if is_packed(rows) => number.as_number(),
            _ => None,
        },
        _ => None,
    }
}

/// A polynomial in place of an expression that divides others without a remainder, `j*(j + 1)/2`.
fn undivided(expr: &Expr) -> Option<Expr> {
    let all_divided = std::cell::Cell::new(true);
    let found = divided(expr, &all_divided);
    all_divided.get().then_some(found)
}

fn divided(expr: &Expr, all: &std::cell::Cell<bool>) -> Expr {
    let of_quotient = |whole: &Expr| match whole.node() {
        Node::Quotient(dividend, divisor) => {
            let by = divisor
                .as_integer()
                .filter(|by| (2..=MOST_DIVISOR).contains(by))?;
            is_multiple(dividend, by).then(|| (dividend.clone() * (1.0 / by as f64)).expand())
        }
        _ => None,
    };
    match expr.node() {
        Node::Call(Function::Truncate | Function::Floor, operands) => {
            if let [operand] = &operands[..]
                && let Some(exact) = of_quotient(operand)
            {
                return exact;
            }
            all.set(false);
            expr.clone()
        }
        Node::Quotient(dividend, divisor) if divisor.as_number().is_some() => {
            let by = divisor.as_number().unwrap_or(1.0);
            (divided(dividend, all) * (1.0 / by)).expand()
        }
        Node::Quotient(..) | Node::Call(..) | Node::If(..) => {
            all.set(false);
            expr.clone()
        }
        _ => expr.map_children(&mut |child| divided(child, all)),
    }
}

/// Whether a polynomial with whole coefficients is a multiple of a number, whatever its variables are.
fn is_multiple(polynomial: &Expr, of: i64) -> bool {
    let is_whole = |(_, by): &(_, f64)| by.fract() == 0.0;
    let variables = polynomial.symbols();
    if variables.len() > MOST_VARIABLES || !polynomial.monomials().iter().all(is_whole) {
        return false;
    }
    let combinations = of.pow(variables.len() as u32);
    (0..combinations).all(|combination| {
        let value = |symbol: &Symbol| {
            let at = variables.iter().position(|known| known == symbol)?;
            Some(Expr::from((combination / of.pow(at as u32) % of) as f64))
        };
        let there = polynomial.substitute(&value).expand().as_integer();
        there.is_some_and(|there| there % of == 0)
    })
}

#[cfg(test)]
mod tests {
    use super::{between, is_multiple, pack, undivided};
    use crate::counted_loop::Counted;
    use crate::expr::Expr;
    use crate::moving::partly_affine;

    #[test]
    fn rows_of_a_triangle_follow_each_other() {
        let (i, j) = (Expr::symbol("i"), Expr::symbol("j"));
        let range = |variable: &str, upper: Expr| Counted {
            variable: variable.to_string(),
            lower: Expr::from(0.0),
            upper,
            step: Expr::from(1.0),
        };
        let (rows, row) = (range("j", Expr::symbol("n") - 1.0), range("i", j.clone()));
        let triangle = (&j * &(j.clone() + 1.0)).quotient(Expr::from(2.0));
        for (start, expected) in [
            (triangle.clone().truncated(), Some(0.0)),
            (triangle.clone() + j.clone() * 2.0, Some(2.0)),
            (triangle * 2.0, None),
        ] {
            let expr = i.clone() + start;
            let (mut subscript, _) = partly_affine(&expr, &["j", "i"]).expect("affine in i");
            pack(&mut subscript, &expr, &[&rows, &row]);
            assert_eq!(between(&subscript.terms[0].1), expected, "{expr}");
        }
    }

    #[test]
    fn products_of_neighbours_are_even() {
        let (j, n) = (Expr::symbol("j"), Expr::symbol("n"));
        let triangle = &j * &(j.clone() + 1.0);
        assert!(is_multiple(&triangle, 2));
        assert!(is_multiple(&((n * 2.0 - j.clone()) * (j.clone() - 1.0)), 2));
        assert!(!is_multiple(&(&j * &j), 2));
        let half = triangle.clone().quotient(Expr::from(2.0)).truncated();
        assert_eq!(undivided(&half), Some((triangle * 0.5).expand()));
        let odd = (&j * &j).quotient(Expr::from(2.0)).truncated();
        assert_eq!(undivided(&odd), None);
    }
}
