//! Which part of an array a loop reads or writes: a box of inclusive ranges of subscripts, as far as
//! they are affine, over all iterations of the loop and of those inside it.

use std::collections::BTreeSet;

use crate::expr::{Expr, Linear, Lookup, Symbol};
use crate::facts::{Access, AccessClass, Block, Item, Loop, Stream, Subscript};

/// Ranges of the subscripts, contiguous dimension first and components last; `None` for one that is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    ranges: Vec<Option<Range>>,
    /// Extents of the array's dimensions, the last one's left out, where known.
    shape: Vec<Option<Range>>,
    /// Symbols of the array's declared extents: they are taken to be two or more.
    sizes: BTreeSet<Symbol>,
    /// Some subscript leaves its dimension for certain: it reaches other rows, other components.
    leaves: bool,
}

/// Inclusive.
type Range = (Expr, Expr);

/// A reference of a loop or of one inside it.
#[derive(Clone, Debug)]
pub struct Reference<'p> {
    pub stream: &'p Stream,
    /// The loop and those inside it that are around the reference, outermost first.
    pub loops: Vec<&'p Loop>,
    /// What is read, if anything is.
    pub read: Option<Region>,
    /// What is written, if anything is.
    pub written: Option<Region>,
    /// Whether all of `written` is written whenever the loop runs.
    pub writes_all: bool,
}

impl Reference<'_> {
    /// The number of the component that all accesses are to.
    pub fn component(&self) -> Option<i64> {
        self.stream.component.number().filter(|_| self.stays())
    }

    /// Whether no access is known to leave its dimension.
    pub fn stays(&self) -> bool {
        ![&self.read, &self.written]
            .into_iter()
            .flatten()
            .any(|region| region.leaves)
    }
}

impl Region {
    /// Some subscript is in ranges that do not meet.
    pub fn is_apart_from(&self, other: &Region) -> bool {
        let before = |a: &Expr, b: &Expr| self.is_positive(&(b - a).expand());
        let stay = !self.leaves && !other.leaves;
        stay && self.pairs(other).any(|pair| match pair {
            (Some((low, high)), Some((other_low, other_high))) => {
                before(high, other_low) || before(other_high, low)
            }
            _ => false,
        })
    }

    /// Everything of the other is in this one.
    pub fn covers(&self, other: &Region) -> bool {
        let reaches = |a: &Expr, b: &Expr| b.distance(a).is_some_and(|distance| distance >= 0.0);
        !self.leaves
            && self.ranges.len() == other.ranges.len()
            && self.shape == other.shape
            && self.pairs(other).all(|pair| match pair {
                (Some((low, high)), Some((other_low, other_high))) => {
                    reaches(low, other_low) && reaches(other_high, high)
                }
                _ => false,
            })
    }

    /// Whether a difference is above zero whatever the sizes are.
    fn is_positive(&self, difference: &Expr) -> bool {
        if let Some(number) = difference.as_number() {
            return number > 0.0;
        }
        let symbols = difference.symbols();
        let grows = |linear: Linear| {
            linear
                .coefficients
                .iter()
                .all(|c| c.as_number().is_some_and(|c| c >= 0.0))
        };
        let smallest = |symbol: &Symbol| self.sizes.contains(symbol).then_some(2.0);
        difference.linear_in(&symbols).is_some_and(grows)
            && difference
                .evaluate(&smallest as &dyn Lookup)
                .is_ok_and(|value| value > 0.0)
    }

    fn pairs<'r>(
        &'r self,
        other: &'r Region,
    ) -> impl Iterator<Item = (&'r Option<Range>, &'r Option<Range>)> {
        // References to one array in different shapes are not compared.
        let same = self.ranges.len() == other.ranges.len() && self.shape == other.shape;
        self.ranges.iter().zip(&other.ranges).filter(move |_| same)
    }
}

/// All references inside a loop, through branches; `changing` are scalars whose values are not the same everywhere.
pub fn references<'p>(facts: &'p Loop, changing: &BTreeSet<&str>) -> Vec<Reference<'p>> {
    let mut found = Vec::new();
    collect(&facts.body, &mut vec![facts], false, changing, &mut found);
    found
}

fn collect<'p>(
    block: &'p Block,
    loops: &mut Vec<&'p Loop>,
    is_conditional: bool,
    changing: &BTreeSet<&str>,
    found: &mut Vec<Reference<'p>>,
) {
    for stream in &block.streams {
        let region = |uses: fn(&Access) -> u64| region(stream, loops, uses, changing);
        let (read, written) = match stream.accesses.as_slice() {
            // A model written by hand may only say how the array is used.
            [] => {
                let ranges = vec![None; stream.subscripts.len()];
                let all = || Region {
                    ranges: ranges.clone(),
                    shape: stream.shape().cloned().collect(),
                    sizes: BTreeSet::new(),
                    leaves: false,
                };
                let is_read = stream.class != AccessClass::WriteOnly;
                (
                    is_read.then(all),
                    (stream.class != AccessClass::ReadOnly).then(all),
                )
            }
            _ => (
                region(|access| access.reads),
                region(|access| access.writes),
            ),
        };
        let every = |facts: &&Loop| facts.step.as_number().is_some_and(|step| step.abs() == 1.0);
        let is_whole = stream
            .subscripts
            .iter()
            .all(|s| s.terms.len() <= 1 && s.terms.iter().all(|t| is_unit(&t.1)));
        let writes_all = !is_conditional && is_whole && loops.iter().all(every);
        found.push(Reference {
            stream,
            loops: loops.clone(),
            read,
            written,
            writes_all,
        });
    }
    for item in &block.items {
        match item {
            Item::Loop(inner) => {
                loops.push(inner);
                collect(&inner.body, loops, is_conditional, changing, found);
                loops.pop();
            }
            Item::Branch(branch) => {
                collect(&branch.then, loops, true, changing, found);
                branch
                    .otherwise
                    .iter()
                    .for_each(|block| collect(block, loops, true, changing, found));
            }
        }
    }
}

fn is_unit(coefficient: &Expr) -> bool {
    coefficient
        .as_number()
        .is_some_and(|value| value.abs() == 1.0)
}

/// The box around all accesses of a stream that are such uses; `None` if none is.
fn region(
    stream: &Stream,
    loops: &[&Loop],
    uses: fn(&Access) -> u64,
    changing: &BTreeSet<&str>,
) -> Option<Region> {
    let used = || stream.accesses.iter().filter(|access| uses(access) > 0);
    used().next()?;
    let is_known = |end: &Expr| !changing.iter().any(|name| end.mentions(*name));
    let of_dimension = |(dimension, subscript): (usize, &Subscript)| {
        let offsets = || used().map(|access| access.offset[dimension] as f64);
        let (least, most) = (
            offsets().fold(f64::MAX, f64::min),
            offsets().fold(f64::MIN, f64::max),
        );
        let (low, high) = range(subscript, loops)?;
        (is_known(&low) && is_known(&high))
            .then(|| ((low + least).expand(), (high + most).expand()))
    };
    let of_component = |place: &Expr| is_known(place).then(|| (place.clone(), place.clone()));
    let ends = stream
        .own_extents()
        .iter()
        .flatten()
        .flat_map(|(lower, upper)| [lower, upper]);
    let mut region = Region {
        ranges: stream
            .subscripts
            .iter()
            .enumerate()
            .map(of_dimension)
            .chain(stream.component.0.iter().map(of_component))
            .collect(),
        shape: stream.shape().cloned().collect(),
        sizes: ends.flat_map(Expr::symbols).collect(),
        leaves: false,
    };
    let outside = |(range, extent): (&Option<Range>, &Option<Range>)| match (range, extent) {
        (Some((low, high)), Some((first, last))) => {
            region.is_positive(&(low - last).expand())
                || region.is_positive(&(first - high).expand())
        }
        _ => false,
    };
    region.leaves = region.ranges.iter().zip(stream.own_extents()).any(outside);
    Some(region)
}

/// From where to where a subscript goes, without its offset.
fn range(subscript: &Subscript, loops: &[&Loop]) -> Option<Range> {
    if subscript.gather.is_some() {
        return None;
    }
    let terms = subscript
        .terms
        .iter()
        .map(|(name, coefficient)| Expr::symbol(name) * coefficient.clone());
    let whole = Expr::sum(terms.chain([subscript.base.clone()]));
    let (mut low, mut high) = (whole.clone(), whole);
    // From the inside out: bounds of inner loops may depend on outer ones.
    for facts in loops.iter().rev() {
        let is_up = facts.step.as_number()? > 0.0;
        let (first, last) = if is_up {
            (&facts.lower, &facts.upper)
        } else {
            (&facts.upper, &facts.lower)
        };
        low = at_end(&low, &facts.variable, first, last)?;
        high = at_end(&high, &facts.variable, last, first)?;
    }
    Some((low, high))
}

/// The expression at `near` if it grows with the variable, at `far` if it falls.
fn at_end(expr: &Expr, variable: &str, near: &Expr, far: &Expr) -> Option<Expr> {
    if variable.is_empty() || !expr.mentions(variable) {
        return Some(expr.clone());
    }
    let slope = expr
        .linear_in(&[variable])?
        .coefficients
        .remove(0)
        .as_number()?;
    let end = if slope >= 0.0 { near } else { far };
    Some(expr.with(variable, end))
}
