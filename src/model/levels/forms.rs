//! References to one array in several forms of which the rule is not shown to know what they have in common, though one
//! of them covers the others or lies beside them:
//!
//! ```text
//! diagonals    a[i][i + 4] beside a[j][i]     it comes to elements of the other's rows in iterations of its own
//! lines        a[k] beside a[i], i from j     of short rows, each a few lines, how much of them is the same
//! ```

use super::domain::Domain;
use super::order::is_near;
use super::reference::Reference;
use crate::expr::Expr;

/// Elements from the main diagonal to one that is beside it.
const BESIDE_DIAGONAL: f64 = 1.5;

/// Whether references to one array, all of them affine, are of such forms.
pub fn are_doubtful(domain: &Domain<Expr>, references: &[&Reference<Expr>]) -> bool {
    references.iter().any(|a| {
        let others = references.iter();
        let mut others = others.filter(|b| a.array == b.array && a.dimensions != b.dimensions);
        match is_diagonal(a) {
            true => others.next().is_some(),
            false => others.any(|b| are_inner_lines(domain, a, b)),
        }
    })
}

/// Whether one loop moves along two dimensions, not along the main diagonal: `a[i][i + 4]`.
fn is_diagonal(reference: &Reference<Expr>) -> bool {
    let dimensions = &reference.dimensions;
    let is_off = |d: usize, e: usize| {
        let base = &reference.bases[d] - &reference.bases[e];
        let mut offsets = reference.offsets.iter();
        offsets.any(|offset| {
            let apart = base.clone() + (offset[d] - offset[e]) as f64;
            !is_near(&apart, BESIDE_DIAGONAL)
        })
    };
    (0..dimensions.len()).any(|d| {
        let mut further = d + 1..dimensions.len();
        further.any(|e| dimensions[d].len() == 1 && dimensions[d] == dimensions[e] && is_off(d, e))
    })
}

/// Whether two loops inside of others walk the same elements of an array of one dimension.
fn are_inner_lines(domain: &Domain<Expr>, a: &Reference<Expr>, b: &Reference<Expr>) -> bool {
    let walker = |r: &Reference<Expr>| match r.dimensions.as_slice() {
        [row] => row.iter().map(|(v, _)| *v).max(),
        _ => None,
    };
    match (walker(a), walker(b)) {
        (Some(a), Some(b)) => a != b && a.min(b) > 0 && domain.loops.len() > 2,
        _ => false,
    }
}
