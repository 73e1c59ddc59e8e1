//! How many lines does a nest of few lines move?
//!
//! The rule takes means: of where rows begin in lines, of triangles, of rows that border on each other. Of a nest that moves a
//! few lines, the one line more or less that this leaves open is much of all. So where a nest has few iterations, and numbers of
//! the source say all of them, these are gone through (`literal`), and what they touch and write counts in place of the rule's.
//!
//! ```text
//! double q[3][3], r[3];  for i < 3, for j < 3: r[i] += q[i][j]          two lines of q and one of r
//! ```
//!
//! Where parameters decide it, the rule counts: a formula holds for all of their values. So it does where lines are not those of
//! usual machines.

use super::Profile;
use super::domain::{Affine, Domain};
use super::followed::Fixed;
use super::geometry::{self, Geometry};
use super::literal::{self, Counted, LINE};
use super::reference::Reference;
use crate::analysis::coverage;
use crate::analysis::facts::{Loop, Stream};
use crate::expr::{Comparison, Expr};
use crate::nest::{ChainLoop, Nest};

/// Iterations that are gone through at most.
const MOST_ITERATIONS: usize = 300;
/// A nest of more lines is none of few.
const FEW: f64 = 64.0;
/// Of so few lines, which any cache holds, the bytes are known whatever else is not.
pub const HELD: usize = 32;

/// The lines of a nest, if they are few and all is known of them.
pub fn lines(nest: &Nest, value: &dyn Fn(&Expr) -> f64) -> Option<Counted> {
    let is_short =
        |chain: &ChainLoop| chain.weight.is_empty() && is_short(nest, chain.facts, value);
    let may_be = is_plain(nest) && nest.decisions.is_empty() && nest.loops.iter().all(is_short);
    if !may_be {
        return None;
    }
    let geometry = Geometry::of(nest);
    if !is_constant(&geometry) {
        return None;
    }
    let Plain {
        domain,
        references,
        fixed,
        is_as_assumed: _,
    } = with_numbers(&geometry, value)?;
    let counted = literal::lines(&domain, &references, MOST_ITERATIONS)?;
    let counted = Counted {
        touched: counted.touched + fixed.touched as usize,
        written: counted.written + fixed.written as usize,
    };
    (counted.touched as f64 <= FEW).then_some(counted)
}

/// A nest of which everything is known.
pub struct Plain {
    pub domain: Domain<f64>,
    /// Those of one array, whatever its components, have one number.
    pub references: Vec<Reference<f64>>,
    pub fixed: Fixed,
    /// Whether what is taken to be zero is, with these numbers.
    pub is_as_assumed: bool,
}

/// The nest with numbers, if no condition decides what it does, and where its arrays begin is known.
pub fn plain(nest: &Nest, geometry: &Geometry, value: &dyn Fn(&Expr) -> f64) -> Option<Plain> {
    match is_plain(nest) {
        true => with_numbers(geometry, value),
        false => None,
    }
}

fn with_numbers(geometry: &Geometry, value: &dyn Fn(&Expr) -> f64) -> Option<Plain> {
    let fixed = Fixed::of(&geometry.fixed)?;
    let (domain, mut references) = geometry.map(value);
    references.extend(geometry::map_all(&geometry.beside, value));
    // Components of an array are parts of it.
    let names = &geometry.step_names.arrays;
    for reference in &mut references {
        let own = &names[reference.array];
        reference.array = (names.iter().position(|name| name == own)).unwrap_or(reference.array);
    }
    Some(Plain {
        domain,
        references,
        fixed,
        is_as_assumed: geometry.assumed.iter().all(|zero| value(zero) == 0.0),
    })
}

/// Whether no condition in a nest decides what it does, and what its loops do and where its arrays begin is known.
fn is_plain(nest: &Nest) -> bool {
    let is_known = |stream: &Stream| {
        let begins = match stream.component.0.len() {
            0 => true,
            1 => {
                let is_first = stream.component.number() == Some(0);
                is_first
                    || stream.own_extents().len() == stream.subscripts.len()
                        && stream.component.number().is_some()
                        && stream.own_extents().iter().all(Option::is_some)
            }
            _ => false,
        };
        begins && stream.array.is_plain() && stream.element_bytes.is_some()
    };
    let mut streams = nest.streams.iter().chain(&nest.fixed);
    let is_exact = |chain: &ChainLoop| coverage::estimates(chain.facts).is_empty();
    nest.loops.iter().all(is_exact)
        && nest
            .loops
            .iter()
            .skip(1)
            .all(|chain| chain.weight.is_empty())
        && nest.references.iter().all(|used| used.weight.is_empty())
        && streams.all(|used| is_known(&used.stream) && used.when.is_always())
}

/// Whether a loop by itself has few iterations, of which numbers and the loops around say how many.
fn is_short(nest: &Nest, facts: &Loop, value: &dyn Fn(&Expr) -> f64) -> bool {
    let is_said = |end: &Expr| {
        let is_loop = |name: &str| {
            let mut loops = nest.loops.iter();
            loops.any(|chain| chain.facts.variable == *name)
        };
        let symbols = end.symbols();
        symbols.iter().all(|symbol| is_loop(symbol.name()))
    };
    let Some(step) = facts.step.as_number() else {
        return false;
    };
    let apart = || value(&facts.upper) - value(&facts.lower);
    is_said(&facts.lower)
        && is_said(&facts.upper)
        && (apart().is_nan() || (apart() / step).abs() < MOST_ITERATIONS as f64)
}

impl Profile<f64> {
    /// Counts what nests of few lines touch and write one by one.
    pub fn count_few(&mut self, nest: &Nest, value: &dyn Fn(&Expr) -> f64) {
        if self.cold > FEW || value(&Expr::machine("line_bytes")) != LINE {
            return;
        }
        if let Some(Counted { touched, written }) = lines(nest, value) {
            self.cold = touched as f64;
            self.flushed = written as f64;
        }
    }
}

impl Profile<Expr> {
    pub fn count_few(&mut self, nest: &Nest, value: &dyn Fn(&Expr) -> f64) {
        if let Some(Counted { touched, written }) = lines(nest, value) {
            let apart = (Expr::machine("line_bytes") - LINE).absolute();
            let counts = |counted: usize, rule: &Expr| {
                let (apart, none) = (apart.clone(), Expr::from(0.0));
                let counted = Expr::from(counted as f64);
                Expr::choose(Comparison::LessOrEqual, apart, none, counted, rule.clone())
            };
            self.cold = counts(touched, &self.cold);
            self.flushed = counts(written, &self.flushed);
        }
    }
}

/// Whether a nest comes to the same lines whatever parameters are.
fn is_constant(geometry: &Geometry) -> bool {
    let mut is_constant = true;
    let mut look_at = |expr: &Expr| is_constant &= expr.symbols().is_empty();
    of_domain(&geometry.domain, &mut look_at);
    let Geometry {
        references,
        fixed,
        beside,
        ..
    } = geometry;
    for reference in references.iter().chain(fixed).chain(beside) {
        of_reference(reference, &mut look_at);
    }
    is_constant
}

fn of_domain(domain: &Domain<Expr>, add: &mut dyn FnMut(&Expr)) {
    for range in &domain.loops {
        let ends = range.lowers.iter().chain(&range.uppers);
        ends.map(|Affine { rest, .. }| rest).for_each(&mut *add);
        add(&range.step);
    }
}

fn of_reference(reference: &Reference<Expr>, add: &mut dyn FnMut(&Expr)) {
    let sizes = reference.pitches.iter().flatten();
    let sizes = sizes.chain(&reference.whole).chain(&reference.stride);
    reference.bases.iter().chain(sizes).for_each(add);
}
