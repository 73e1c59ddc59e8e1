//! How many lines does a nest of few lines move?
//!
//! The rule takes means: of where rows begin in lines, of triangles, of rows that border on each other. Of a nest that moves a
//! few lines, the one line more or less that this leaves open is much of all. So where a nest has few iterations and all is
//! known of them, these are gone through (`literal`), and what they touch and write counts in place of the rule's.
//!
//! ```text
//! double q[3][3], r[3];  for i < 3, for j < 3: r[i] += q[i][j]          two lines of q and one of r
//! ```
//!
//! In formulas that is so while all sizes are as they were given; with others, the rule counts again.

use std::collections::BTreeSet;

use super::domain::{Affine, Domain};
use super::geometry::{self, Geometry};
use super::literal::{self, Counted};
use super::reference::Reference;
use super::{Irregular, Profile, compute};
use crate::analysis::coverage;
use crate::analysis::facts::{Loop, Stream};
use crate::expr::{Comparison, Expr, Symbol};
use crate::nest::Nest;

/// Iterations that are gone through at most.
const MOST_ITERATIONS: usize = 300;
/// A nest of more lines is none of few.
const FEW: f64 = 64.0;
/// Bytes of a line.
const LINE: f64 = 64.0;
/// Of so few lines, which any cache holds, the bytes are known whatever else is not.
pub const HELD: usize = 32;

/// The lines of a nest with numbers for its sizes, if they are few and all is known of them.
pub fn lines(nest: &Nest, value: &dyn Fn(&Expr) -> f64) -> Option<Counted> {
    let may_be = is_plain(nest) && nest.loops.iter().all(|chain| is_short(chain.facts, value));
    if !may_be {
        return None;
    }
    let geometry = Geometry::of(nest);
    let (domain, mut references) = geometry.map(value);
    let fixed = geometry::map_all(&geometry.fixed, value);
    let alone = fixed.iter().map(|one| one.offsets.len()).max();
    references.extend(geometry::map_all(&geometry.beside, value));
    // Components of an array are parts of it.
    let names = &geometry.step_names.arrays;
    for reference in &mut references {
        let own = &names[reference.array];
        reference.array = (names.iter().position(|name| name == own)).unwrap_or(reference.array);
    }
    let counted = literal::lines(&domain, &references, MOST_ITERATIONS)?;
    // Elements of arrays to which nothing else goes: a line each, where there is one of each.
    let arrays: BTreeSet<usize> = fixed.iter().map(|one| one.array).collect();
    if alone.is_some_and(|offsets| offsets > 1) || arrays.len() < fixed.len() {
        return None;
    }
    let written = fixed.iter().filter(|one| !one.written.is_empty()).count();
    let counted = Counted {
        touched: counted.touched + fixed.len(),
        written: counted.written + written,
    };
    (counted.touched as f64 <= FEW).then_some(counted)
}

/// Whether no condition decides what a nest does, and what its loops do and where its arrays begin is known.
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
    nest.decisions.is_empty()
        && nest
            .loops
            .iter()
            .all(|chain| chain.weight.is_empty() && coverage::estimates(chain.facts).is_empty())
        && nest.references.iter().all(|used| used.weight.is_empty())
        && streams.all(|used| is_known(&used.stream) && used.when.is_always())
}

/// Whether a loop by itself has few iterations, or it is not known before others.
fn is_short(facts: &Loop, value: &dyn Fn(&Expr) -> f64) -> bool {
    let apart = value(&facts.upper) - value(&facts.lower);
    let Some(step) = facts.step.as_number() else {
        return false;
    };
    apart.is_nan() || (apart / step).abs() < MOST_ITERATIONS as f64
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
    /// The same as formulas, where the numbers are other ones than the rule's, which hold as long as the sizes are given.
    pub fn count_few(&mut self, given: &Given) {
        let Given {
            counted: Counted { touched, written },
            rule,
            symbols,
        } = given;
        let (touched, written) = (*touched, *written);
        let is_near = |rule: f64, counted: usize| (rule - counted as f64).abs() < SAME;
        if is_near(rule.0, touched) && is_near(rule.1, written) {
            return;
        }
        let apart = symbols.iter().map(|(symbol, value)| {
            let apart = symbol.clone() - *value;
            apart.absolute()
        });
        let line = (Expr::machine("line_bytes") - LINE).absolute();
        let apart = Expr::sum(apart.chain([line]));
        let counts = |counted: usize, rule: &Expr| {
            let (none, counted) = (Expr::from(0.0), Expr::from(counted as f64));
            let (apart, rule) = (apart.clone(), rule.clone());
            Expr::choose(Comparison::LessOrEqual, apart, none, counted, rule)
        };
        self.cold = counts(touched, &self.cold);
        self.flushed = counts(written, &self.flushed);
    }
}

/// By so much of a line two counts may differ that are the same.
const SAME: f64 = 1e-6;

/// What a nest of few lines comes to with the sizes that are given.
pub struct Given {
    counted: Counted,
    /// What the rule says that it touches and writes.
    rule: (f64, f64),
    /// What these sizes are called, and what they are.
    symbols: Vec<(Expr, f64)>,
}

impl Given {
    /// Nothing for nests that are none of few lines; `resolve` says where the value of a symbol stands.
    pub fn of(
        nest: &Nest,
        value: &dyn Fn(&Expr) -> f64,
        resolve: &dyn Fn(&Expr) -> Expr,
    ) -> Option<Given> {
        if value(&Expr::machine("line_bytes")) != LINE {
            return None;
        }
        let counted = lines(nest, value)?;
        let unit = (LINE, Irregular::Ignored.into());
        let rule = compute(&Geometry::of(nest), value, unit, &|_, number| number);
        let symbol = |symbol: Symbol| {
            let own = Expr::from(symbol);
            (resolve(&own), value(&own))
        };
        Some(Given {
            counted,
            rule: (rule.cold, rule.flushed),
            symbols: symbols(nest).into_iter().map(symbol).collect(),
        })
    }
}

/// The symbols on which the lines of a nest depend.
fn symbols(nest: &Nest) -> BTreeSet<Symbol> {
    let Geometry {
        domain,
        references,
        fixed,
        beside,
        ..
    } = Geometry::of(nest);
    let mut found = BTreeSet::new();
    let mut add = |expr: &Expr| found.extend(expr.symbols());
    of_domain(&domain, &mut add);
    for reference in references.iter().chain(&fixed).chain(&beside) {
        of_reference(reference, &mut add);
    }
    found
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
