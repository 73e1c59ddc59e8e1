//! Arrays of structures: a member of `p[i]` lies in the memory of `p`, one structure after the other.

use std::collections::BTreeSet;

use super::delinearise::gcd;
use super::dimension::Dimension;
use super::facts::{Gather, Subscript};
use super::gathers::moved;
use super::symbols::Symbols;
use crate::expr::Expr;
use crate::ir::{MemberLayout, Name};

/// Structures behind pointers that are elements of an array, `p[i]->x`, may be anywhere: which one it is, is data as of a
/// gather. `led` says whether a pointer leads to the structure.
pub fn behind_elements(
    symbols: &Symbols,
    (layout, led): (&MemberLayout, Led),
    name: &Name,
    (dimensions, extents): (&mut Vec<Dimension>, &mut Extents),
) {
    let own = layout.extents.len();
    let is_data = |d: &Dimension| d.subscript.gather.is_some();
    if led == Led::BySubscript || dimensions.len() <= own || dimensions[own..].iter().any(is_data) {
        return;
    }
    extents.truncate(own);
    extents.push(None);
    let (mut loops, mut text) = (BTreeSet::new(), name.without_last(layout.steps).to_string());
    for dimension in dimensions.drain(own..).collect::<Vec<_>>().iter().rev() {
        let Subscript { terms, base, .. } = &dimension.subscript;
        let each = terms
            .iter()
            .map(|(name, by)| Expr::symbol(name) * by.clone());
        let place = Expr::sum(each.chain([base.clone()])) + dimension.offset as f64;
        loops.extend(moved(symbols, &place));
        text += &format!("[{place}]");
    }
    dimensions.push(Dimension::gathered(Gather {
        text,
        loops: Some(loops),
        multiple: 1,
    }));
}

/// First and last index of dimensions, where known.
type Extents = Vec<Option<(Expr, Expr)>>;

/// Structures behind pointers begin in a line as in an array of them, of lines that are a multiple of this.
const LINE: i64 = 64;

/// What leads to a structure.
#[derive(Clone, Copy, PartialEq)]
pub enum Led {
    /// It is an element of an array, beside the others.
    BySubscript,
    /// A pointer, which may be an element of an array.
    ByPointer,
}

/// Makes one dimension of a member's own dimensions and of the structures that it is in, counted in
/// elements of its size: `p[i].x` is element 4·i + 1 of `p` if `x` is the second of four. A packed structure
/// may be no whole number of them: the member then moves by a fraction more, and begins at the whole element
/// before. Of structures that data choose (`p[next[i]].x`), the place inside is one dimension, and which one it is another.
/// False, and nothing is changed, if a subscript is otherwise indirect.
pub fn in_structure(
    symbols: &Symbols,
    (layout, led): (&MemberLayout, Led),
    bytes: u32,
    dimensions: &mut Vec<Dimension>,
    extents: &mut Extents,
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
        let record = (Expr::from(0.0), Expr::from(scale - 1.0));
        extents.insert(0, Some(record).filter(|_| led == Led::BySubscript));
        if let (Led::ByPointer, Some(gather)) = (led, &mut dimensions[1].subscript.gather) {
            let aligned = gcd(i64::from(*record_bytes), LINE) / i64::from(bytes);
            gather.multiple = u32::try_from(aligned).unwrap_or(1).max(1);
        }
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
