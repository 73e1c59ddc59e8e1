//! Arrays of structures: a member of `p[i]` lies in the memory of `p`, one structure after the other.

use super::dimension::Dimension;
use super::facts::Subscript;
use super::symbols::Symbols;
use crate::expr::Expr;
use crate::ir::MemberLayout;

/// Makes one dimension of a member's own dimensions and of the structures that it is in, counted in
/// elements of its size: `p[i].x` is element 4·i + 1 of `p` if `x` is the second of four. A packed structure
/// may be no whole number of them: the member then moves by a fraction more, and begins at the whole element
/// before. Of structures that data choose (`p[next[i]].x`), the place inside is one dimension, and which one it is another.
/// False, and nothing is changed, if a subscript is otherwise indirect.
pub fn in_structure(
    symbols: &Symbols,
    layout: &MemberLayout,
    bytes: u32,
    dimensions: &mut Vec<Dimension>,
    extents: &mut Vec<Option<(Expr, Expr)>>,
) -> bool {
    let MemberLayout {
        offset,
        record_bytes,
        extents: own,
        ..
    } = layout;
    if bytes == 0 || *record_bytes < bytes || dimensions.len() <= own.len() {
        return false;
    }
    let scale = f64::from(*record_bytes) / f64::from(bytes);
    let is_data = |d: &Dimension| d.subscript.gather.is_some();
    let is_chosen = is_data(&dimensions[own.len()]) && scale.fract() == 0.0;
    // Dimensions that become one.
    let rank = own.len() + usize::from(!is_chosen);
    if dimensions[..rank].iter().any(is_data) {
        return false;
    }
    let strides = own.iter().scan(1.0, |stride, extent| {
        Some(std::mem::replace(stride, *stride * f64::from(*extent)))
    });
    let strides: Vec<f64> = strides.chain([scale]).collect();
    let mut joined = Dimension {
        subscript: Subscript {
            terms: Vec::new(),
            base: Expr::from(0.0),
            gather: None,
        },
        offset: offset.div_euclid(i64::from(bytes)),
        held: Vec::new(),
    };
    for (dimension, stride) in dimensions.drain(..rank).zip(strides) {
        for (variable, coefficient) in dimension.subscript.terms {
            let added = coefficient * stride;
            match joined
                .subscript
                .terms
                .iter_mut()
                .find(|(known, _)| *known == variable)
            {
                Some((_, known)) => *known = (known.clone() + added).expand(),
                None => joined.subscript.terms.push((variable, added.expand())),
            }
        }
        joined.subscript.base =
            (joined.subscript.base + dimension.subscript.base * stride).expand();
        joined.offset = joined
            .offset
            .saturating_add((dimension.offset as f64 * stride).floor() as i64);
    }
    let level = |name: &str| {
        symbols
            .loops
            .iter()
            .position(|id| symbols.function.variable(*id).name == name)
    };
    joined.subscript.terms.sort_by_key(|(name, _)| level(name));
    dimensions.insert(0, joined);
    if is_chosen {
        extents.drain(..rank.min(extents.len()));
        extents.insert(0, Some((Expr::from(0.0), Expr::from(scale - 1.0))));
        return true;
    }
    let structures = extents.drain(..rank).next_back().flatten();
    let scaled = structures.map(|(lower, upper)| (lower * scale, (upper + 1.0) * scale - 1.0));
    extents.insert(
        0,
        scaled.map(|(lower, upper)| (lower.expand(), upper.expand())),
    );
    true
}
