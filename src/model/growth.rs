//! How a working set grows with the sizes that the loops inside are as long as, so that a layer condition can be read:
//! `6·hi_1·8 B ≤ 32 KiB`.
//!
//! The formula of a working set counts lines and ends of rows. Its leading terms are found from its values at several
//! sizes: where these lie on a polynomial, and that gives the present value too, its large terms are the condition.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use super::levels::ReuseFigures;
use super::{Model, NestModel};
use crate::expr::{Expr, FigureId, Lookup, Symbol};
use crate::quantity::significant;

/// One term of a working set: bytes for each product of sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    pub bytes: f64,
    /// Defined names of sizes, with their powers; none is a constant.
    pub sizes: Vec<(String, u32)>,
}

/// The leading terms of a working set, the largest at the present sizes first.
#[derive(Clone, Debug, PartialEq)]
pub struct Growth {
    pub terms: Vec<Term>,
    /// Whether they are all of it at the present sizes, but for rounding.
    pub is_all: bool,
    /// Bytes of an element, if all arrays have the same.
    element: Option<f64>,
}

/// Polynomials may be as far off as that, relatively, where they are tried.
const TOLERANCE: f64 = 0.02;
/// Terms with a smaller part of the working set are left out.
const SMALL: f64 = 0.02;
/// Sizes are whole numbers of cache lines, and this many elements at least.
const ELEMENTS: f64 = 64.0;

impl Growth {
    /// The leading terms of what lies between two uses, over the sizes that its largest values are known of; `None` where
    /// there are none, the figures are no formulas, or no polynomial fits.
    pub fn of(model: &Model, nest: &NestModel, reuse: &ReuseFigures) -> Option<Growth> {
        let names: Vec<&str> = reuse.sizes.iter().map(|(name, _)| name.as_str()).collect();
        let now: Vec<f64> = (names.iter())
            .map(|name| model.figures.input(name))
            .collect::<Option<_>>()?;
        let present = model.value(reuse.distance);
        if names.is_empty() || !(present > 0.0 && present.is_finite()) {
            return None;
        }
        let degree = match names.len() {
            1 => 3,
            2 => 2,
            _ => 1,
        };
        let unit = |size: f64| (size.max(ELEMENTS) / ELEMENTS).ceil() * ELEMENTS;
        let nodes = |factors: std::ops::RangeInclusive<u32>| -> Vec<Vec<f64>> {
            let scaled = |size: &f64| {
                let unit = unit(*size);
                factors
                    .clone()
                    .map(move |by| f64::from(by) * unit)
                    .collect()
            };
            now.iter().map(scaled).collect()
        };
        let at = |sizes: &[f64]| Resized::new(model, &names, sizes).value(reuse.distance);
        let terms = fit(&at, &nodes(1..=degree + 1), &mut Vec::new())?;
        let sum = |sizes: &[f64]| -> f64 {
            let one = |(powers, bytes): &(Vec<u32>, f64)| bytes * product(sizes, powers);
            terms.iter().map(one).sum()
        };
        let fits = |sizes: &[f64], value: f64| (sum(sizes) - value).abs() <= TOLERANCE * value;
        let beyond: Vec<f64> = nodes(degree + 3..=degree + 3).concat();
        if !fits(&beyond, at(&beyond)) || !fits(&now, present) {
            return None;
        }
        let size_of = |(powers, bytes): &(Vec<u32>, f64)| bytes * product(&now, powers);
        let mut kept: Vec<&(Vec<u32>, f64)> = (terms.iter())
            .filter(|term| size_of(term).abs() >= SMALL * present)
            .collect();
        kept.sort_by(|a, b| size_of(b).abs().total_cmp(&size_of(a).abs()));
        let all: f64 = kept.iter().map(|term| size_of(term)).sum();
        let named = |powers: &[u32]| {
            let each = names.iter().zip(powers).filter(|(_, power)| **power > 0);
            each.map(|(name, power)| ((*name).to_string(), *power))
                .collect()
        };
        let growth = Growth {
            terms: (kept.iter())
                .map(|(powers, bytes)| Term {
                    bytes: *bytes,
                    sizes: named(powers),
                })
                .collect(),
            is_all: (all - present).abs() <= 1e-3 * present,
            element: element_bytes(model, nest, reuse),
        };
        let has_size = growth.terms.iter().any(|term| !term.sizes.is_empty());
        (has_size && (all - present).abs() <= 2.0 * TOLERANCE * present).then_some(growth)
    }

    /// The terms as text: `6·hi_1·8 B` is six rows of elements of eight bytes.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (at, term) in self.terms.iter().enumerate() {
            let sign = match (at, term.bytes < 0.0) {
                (0, false) => "",
                (0, true) => "−",
                (_, false) => " + ",
                (_, true) => " − ",
            };
            text.push_str(sign);
            text.push_str(&self.term(term));
        }
        text
    }

    fn term(&self, term: &Term) -> String {
        let bytes = term.bytes.abs();
        let in_elements = self.element.map(|element| (bytes / element, element));
        let is_whole = |count: f64| (count - count.round()).abs() <= 1e-6 * count;
        let elements = in_elements.filter(|(count, _)| is_whole(*count) && *count >= 1.0);
        let factor = match elements {
            Some((count, _)) if count.round() == 1.0 => None,
            Some((count, _)) => Some(count.round().to_string()),
            None if is_whole(bytes) => Some(bytes.round().to_string()),
            None => Some(significant(bytes)),
        };
        let power = |(name, power): &(String, u32)| match power {
            1 => name.clone(),
            2 => format!("{name}²"),
            _ => format!("{name}³"),
        };
        let sizes = term.sizes.iter().map(power);
        let element = elements.map(|(_, element)| element.to_string());
        let factors: Vec<String> = factor.into_iter().chain(sizes).chain(element).collect();
        format!("{} B", factors.join("·"))
    }

    /// The terms as a formula.
    pub fn expr(&self) -> Expr {
        let power =
            |(name, power): &(String, u32)| Expr::symbol(name).power(Expr::from(f64::from(*power)));
        let one = |term: &Term| {
            let sizes = term.sizes.iter().map(power);
            Expr::product(sizes.chain([Expr::from(term.bytes)]))
        };
        Expr::sum(self.terms.iter().map(one))
    }
}

/// Sizes that are tried for what still fits.
const LARGEST: f64 = 1e12;

/// The largest whole number for a size with which a working set fits a capacity, all else as it is, by the model's own
/// figures; `None` where none fits, any does, or the figures are no formulas.
pub fn largest_that_fits(
    model: &Model,
    reuse: &ReuseFigures,
    size: &str,
    capacity: f64,
) -> Option<f64> {
    let now = model.figures.input(size)?;
    let set = |value: f64| Resized::new(model, &[size], &[value]).value(reuse.distance);
    // Figures that do not follow the size have nothing to say.
    let fits = |value: f64| set(value) <= capacity;
    if !fits(1.0) || set(now * 2.0) == set(now) {
        return None;
    }
    let mut beyond = now.max(2.0).round();
    while fits(beyond) {
        beyond *= 2.0;
        if beyond > LARGEST {
            return None;
        }
    }
    let mut within = 1.0;
    while beyond - within > 1.0 {
        let middle = ((within + beyond) / 2.0).floor();
        match fits(middle) {
            true => within = middle,
            false => beyond = middle,
        }
    }
    Some(within)
}

/// The value of a figure with another value of one size, all else as it is.
pub(super) fn with_size(model: &Model, size: &str, value: f64, id: FigureId) -> f64 {
    const MOST_STEPS: usize = 32;
    let rows = model.parameters.rows();
    let defined = rows.iter().filter_map(|row| {
        let definition = row.definition.as_ref()?;
        (row.name != size && definition.as_number().is_none()).then_some((row, definition))
    });
    let defined: Vec<_> = defined.collect();
    let mut changed = vec![(size, value)];
    // What others define follows, step by step, as definitions may come before what they mention.
    for _ in 0..MOST_STEPS {
        let before = changed.clone();
        let lookup = |symbol: &Symbol| {
            let own = before.iter().find(|(name, _)| *name == symbol.name());
            let input = || model.figures.input(symbol.name());
            own.map(|(_, value)| *value).or_else(input)
        };
        for (row, definition) in &defined {
            let is_known = |name: &str| before.iter().any(|(known, _)| *known == name);
            if !definition
                .symbols()
                .iter()
                .any(|symbol| is_known(symbol.name()))
            {
                continue;
            }
            let value = definition.evaluate(&lookup).unwrap_or(f64::NAN);
            match changed.iter_mut().find(|(name, _)| *name == row.name) {
                Some(known) => known.1 = value,
                None => changed.push((&row.name, value)),
            }
        }
        if changed == before {
            break;
        }
    }
    let (names, values): (Vec<&str>, Vec<f64>) = changed.into_iter().unzip();
    Resized::new(model, &names, &values).value(id)
}

/// Bytes of an element of the arrays that are used again.
fn element_bytes(model: &Model, nest: &NestModel, reuse: &ReuseFigures) -> Option<f64> {
    let is_used = |name: &str| reuse.arrays.iter().any(|array| array == name);
    let streams = nest.streams.iter();
    let used = streams.filter(|s| is_used(nest.nest.streams[s.index].stream.array.as_str()));
    let mut widths = used.map(|figures| model.value(figures.width));
    let first = widths.next().filter(|width| *width > 0.0)?;
    widths.all(|width| width == first).then_some(first)
}

fn product(sizes: &[f64], powers: &[u32]) -> f64 {
    let each = sizes.iter().zip(powers);
    each.map(|(size, power)| size.powi(*power as i32)).product()
}

/// The coefficients of the polynomial through the values at all combinations of nodes: powers of the sizes, and a number.
/// `None` where some value is not known.
fn fit(
    value: &dyn Fn(&[f64]) -> f64,
    nodes: &[Vec<f64>],
    sizes: &mut Vec<f64>,
) -> Option<Vec<(Vec<u32>, f64)>> {
    let Some(own) = nodes.get(sizes.len()) else {
        let value = value(sizes);
        return value.is_finite().then(|| vec![(Vec::new(), value)]);
    };
    let mut inner = Vec::new();
    for node in own {
        sizes.push(*node);
        inner.push(fit(value, nodes, sizes));
        sizes.pop();
    }
    let inner: Vec<Vec<(Vec<u32>, f64)>> = inner.into_iter().collect::<Option<_>>()?;
    let mut terms = Vec::new();
    for at in 0..inner.first()?.len() {
        let values: Vec<f64> = inner.iter().map(|terms| terms[at].1).collect();
        for (power, coefficient) in coefficients(own, &values).into_iter().enumerate() {
            let powers = [&[power as u32], inner[0][at].0.as_slice()].concat();
            terms.push((powers, coefficient));
        }
    }
    Some(terms)
}

/// Of the polynomial through points, that of the lowest power first: Newton's divided differences, multiplied out.
fn coefficients(nodes: &[f64], values: &[f64]) -> Vec<f64> {
    let mut divided = values.to_vec();
    for order in 1..nodes.len() {
        for at in (order..nodes.len()).rev() {
            let width = nodes[at] - nodes[at - order];
            divided[at] = (divided[at] - divided[at - 1]) / width;
        }
    }
    let mut found = vec![0.0; nodes.len()];
    for at in (0..nodes.len()).rev() {
        // found · (x − node) + divided
        let shifted = std::iter::once(0.0).chain(found.iter().copied());
        let next: Vec<f64> = shifted
            .zip(found.iter().copied().chain([0.0]))
            .map(|(up, same)| up - nodes[at] * same)
            .take(nodes.len())
            .collect();
        found = next;
        found[0] += divided[at];
    }
    found
}

/// The model's figures with other sizes.
struct Resized<'a, 'p> {
    model: &'a Model<'p>,
    sizes: FxHashMap<&'a str, f64>,
    known: RefCell<FxHashMap<FigureId, f64>>,
}

impl<'a, 'p> Resized<'a, 'p> {
    fn new(model: &'a Model<'p>, names: &[&'a str], sizes: &[f64]) -> Resized<'a, 'p> {
        Resized {
            model,
            sizes: names.iter().copied().zip(sizes.iter().copied()).collect(),
            known: RefCell::default(),
        }
    }

    fn value(&self, id: FigureId) -> f64 {
        self.figure(id).unwrap_or(f64::NAN)
    }
}

impl Lookup for Resized<'_, '_> {
    fn symbol(&self, symbol: &Symbol) -> Option<f64> {
        let resized = self.sizes.get(symbol.name()).copied();
        resized.or_else(|| self.model.figures.input(symbol.name()))
    }

    fn figure(&self, id: FigureId) -> Option<f64> {
        if let Some(value) = self.known.borrow().get(&id) {
            return Some(*value);
        }
        let value = self.model.figures.get(id).expr.evaluate(self);
        let value = value.unwrap_or(f64::NAN);
        self.known.borrow_mut().insert(id, value);
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_are_found_from_their_values() {
        let cubic = |x: f64| 3.0 - x + 0.5 * x * x * x;
        let nodes = [64.0, 128.0, 192.0, 256.0];
        let found = coefficients(&nodes, &nodes.map(cubic));
        for (found, expected) in found.iter().zip([3.0, -1.0, 0.0, 0.5]) {
            assert!((found - expected).abs() < 1e-6, "{found} for {expected}");
        }
        let plane = |sizes: &[f64]| 32.0 * sizes[0] * sizes[1] + 16.0 * sizes[1] + 7.0;
        let nodes = vec![vec![64.0, 128.0], vec![512.0, 1024.0]];
        let terms = fit(&plane, &nodes, &mut Vec::new()).expect("values");
        for (powers, expected) in [([1, 1], 32.0), ([0, 1], 16.0), ([0, 0], 7.0), ([1, 0], 0.0)] {
            let (_, found) = terms.iter().find(|(p, _)| *p == powers).expect("a term");
            assert!((found - expected).abs() < 1e-6, "{powers:?}: {found}");
        }
    }
}
