//! How often loops run whose bounds are data: rows of a sparse matrix, particles of a cell, a search that ends when it
//! has found something.
//!
//! Where rows lie one behind another, they fill what is declared for their elements: their mean length is its extent
//! over the number of rows. Elsewhere such loops are short; those that repeat other loops, until something converges
//! or time is over, are not. One that only brings a real number into a range (`while (x > half) x -= length;`) ends at once.

use super::{Around, Guesses, NOMINAL, SHORT, each_loop, repeated};
use crate::expr::{Expr, Function, Symbol, SymbolKind};
use crate::facts::{Block, Body, Call, Constant, Item, Loop, Origin, Program, Stream, Subscript};
use crate::intrinsics::{IntrinsicKind, Intrinsics};
use crate::source::Language;

/// Iterations of a loop that only moves a real number by a step: most of what it is asked for is in the range already, and
/// the rest is seldom further outside than by one step. So many options has a run, if any.
const FEW: f64 = 1.0;

/// Steps of a time. What moves across a domain crosses no more than about one cell in each, and a run that stops before it
/// has crossed some domains of the nominal size would show little.
const STEPS: f64 = 8.0 * NOMINAL;

/// What is around a loop, in its procedure and around the calls of that.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Nothing,
    Loops,
    /// Loops that repeat something until it is done.
    Repetitions,
}

/// What reads input that says how often a loop runs.
const INPUT: [IntrinsicKind; 2] = [IntrinsicKind::Input, IntrinsicKind::Read];

/// In a procedure around whose calls so many loops repeat something, others that do are short, as they are inside one.
const REPEATED: u32 = 2;

/// Gives a value to every trip count that is a parameter.
pub(super) fn give(program: &mut Program) {
    let guesses = Guesses::new(program);
    let around_calls = repeated::around_calls(program);
    let mut found: Vec<(usize, Symbol, Expr)> = Vec::new();
    each_loop(program, &mut |function, around, inner| {
        let symbols = inner.upper.symbols();
        for symbol in symbols {
            if symbol.kind() == SymbolKind::TripCount {
                let is_repeated = around_calls[function] >= REPEATED
                    || around.iter().any(|outer| is_repetition(outer));
                let within = match (around_calls[function], around.is_empty()) {
                    (0, true) => Within::Nothing,
                    _ if is_repeated => Within::Repetitions,
                    _ => Within::Loops,
                };
                let value = guesses.trips(function, (around, inner), (&symbol, within));
                found.push((function, symbol, value));
            }
        }
    });
    for (function, symbol, value) in found {
        let function = &mut program.functions[function];
        if function.constant(&symbol).is_none() {
            function.constants.push(Constant {
                symbol,
                value,
                origin: Origin::Default,
            });
        }
    }
}

impl<'p> Guesses<'p> {
    /// A value for the trip count of a loop.
    fn trips(
        &self,
        function: usize,
        (around, inner): (Around<'_, 'p>, &Loop),
        (trips, within): (&Symbol, Within),
    ) -> Expr {
        let mut streams = Vec::new();
        collect(&inner.body, &mut streams);
        let mut most = f64::INFINITY;
        for stream in streams {
            for (dimension, subscript) in stream.subscripts.iter().enumerate() {
                let moves = |(variable, by): &(String, Expr)| {
                    *variable == inner.variable && by.as_number().is_some_and(|by| by.abs() == 1.0)
                };
                let length = |at: usize| {
                    let (lower, upper) = stream.extents.get(at)?.as_ref()?;
                    Some((upper.clone() - lower.clone() + 1.0).expand())
                };
                if !subscript.terms.iter().any(moves) {
                    continue;
                }
                let Some(extent) = length(dimension) else {
                    continue;
                };
                if extent == Expr::from(trips.clone()) {
                    let rows = stream
                        .subscripts
                        .get(dimension + 1)
                        .zip(length(dimension + 1));
                    let mean = rows.and_then(|(rows, length)| {
                        self.mean((function, around), rows, &(length * extent))
                    });
                    if let Some(mean) = mean {
                        let one = |symbol: &Symbol| (symbol == trips).then(|| Expr::from(1.0));
                        return mean.substitute(&one);
                    }
                } else if self.unknowns(function, &[&extent], around).is_empty() {
                    let size = self.evaluate(function, &extent, around, &None);
                    most = if size > 1.0 { most.min(size) } else { most };
                }
            }
        }
        if let Some(limit) = self.limit(function, (around, inner), trips) {
            return limit;
        }
        let repeats = inner.body.items.iter().any(has_loops) || !inner.body.calls.is_empty();
        let counts = inner.variable.is_of_source() || moves(&inner.body, &inner.variable);
        let usual = match !counts {
            _ if calls(&inner.body, IntrinsicKind::Options) => FEW,
            true if inner.steps_time && repeats && within == Within::Nothing => STEPS,
            true if repeats && within == Within::Repetitions => SHORT,
            true if repeats && !INPUT.iter().any(|kind| calls(&inner.body, *kind)) => NOMINAL,
            true if only_adds(&inner.body) => FEW,
            _ => SHORT,
        };
        Expr::from(usual.min(most))
    }

    /// Iterations of a loop that ends by data, after so many at the latest. A limit is chosen to be enough, often by orders of
    /// magnitude, so each order from one iteration to the limit is taken to be as likely as any other. What counts for
    /// times is the mean, (N - 1)/ln N of N. A limit that is not known says nothing: its own guess is one of iterations.
    fn limit(
        &self,
        function: usize,
        (around, inner): (Around<'_, 'p>, &Loop),
        trips: &Symbol,
    ) -> Option<Expr> {
        let (first, last) = (&inner.lower, &inner.upper);
        let is_upwards = inner.step.as_number()? > 0.0;
        let extremum = if is_upwards {
            Function::Min
        } else {
            Function::Max
        };
        let mut ends = last.alternatives(extremum);
        ends.retain(|end| !end.mentions(trips));
        let end = match is_upwards {
            _ if ends.is_empty() => return None,
            true => Expr::min(ends),
            false => Expr::max(ends),
        };
        if !self.unknowns(function, &[&end, first], around).is_empty() {
            return Some(Expr::from(NOMINAL));
        }
        let span = (end - first.clone()).expand();
        let most = span.quotient(inner.step.clone()) + 1.0;
        let most = self.evaluate(function, &most, around, &None);
        let mean = if most > 1.0 {
            (most - 1.0) / most.ln()
        } else {
            1.0
        };
        Some(Expr::from(mean.ceil()))
    }

    /// The mean length of rows that lie one behind another, and are all walked, in an array of so many elements.
    fn mean(
        &self,
        (function, around): (usize, Around<'_, 'p>),
        rows: &Subscript,
        elements: &Expr,
    ) -> Option<Expr> {
        let [(row, by)] = &rows.terms[..] else {
            return None;
        };
        let walked = around.iter().find(|l| l.variable == *row)?;
        let (first, last) = walked.ends();
        let rows = (last.clone() - first.clone() + 1.0).expand();
        let is_known = self
            .unknowns(function, &[elements, &rows], around)
            .is_empty();
        (is_known && by.as_number() == Some(1.0)).then(|| elements.clone().quotient(rows))
    }
}

/// Whether a loop repeats what is in it until something happens.
pub(super) fn is_repetition(outer: &Loop) -> bool {
    let mut symbols = outer.upper.symbols().into_iter();
    let is_open = symbols.any(|symbol| symbol.kind() == SymbolKind::TripCount);
    is_open && !outer.variable.is_of_source() && !moves(&outer.body, &outer.variable)
}

fn has_loops(item: &Item) -> bool {
    match item {
        Item::Loop(_) => true,
        Item::Branch(branch) => {
            let otherwise = branch.otherwise.iter().flat_map(|block| &block.items);
            branch.then.items.iter().chain(otherwise).any(has_loops)
        }
    }
}

/// Whether a block only adds a step to a real scalar, which may be a multiple of something.
fn only_adds(block: &Block) -> bool {
    let counts = block.flops.total();
    counts.adds == 1
        && counts.multiplies <= 1
        && counts.flops() == counts.adds + counts.multiplies
        && block.texts == 0
        && block.streams.is_empty()
        && block.calls.is_empty()
        && block.items.is_empty()
        && (block.reasons.iter()).all(|reason| reason.code.is_understood())
}

/// Whether a block calls library functions of a kind itself. If they read input, its loop ends with the lines, of which
/// such input has few; most runs have few options.
fn calls(block: &Block, kind: IntrinsicKind) -> bool {
    let is_one = |call: &Call| {
        let known = |language| Intrinsics::builtin().lookup(language, &call.name);
        let mut kinds = [Language::Fortran, Language::C].map(known).into_iter();
        call.body == Body::Library
            && kinds.any(|found| found.is_some_and(|found| found.kind == kind))
    };
    holds_itself(block, &|own| own.calls.iter().any(is_one))
}

/// Whether a loop moves through arrays itself, rather than in loops inside.
fn moves(block: &Block, variable: &str) -> bool {
    let is_moved = |stream: &Stream| {
        let mut subscripts = stream.subscripts.iter();
        subscripts.any(|subscript| subscript.terms.iter().any(|(by, _)| by == variable))
    };
    holds_itself(block, &|own| own.streams.iter().any(is_moved))
}

/// Whether that is so of a block or of what is in its branches, without the loops inside.
fn holds_itself(block: &Block, is_so: &dyn Fn(&Block) -> bool) -> bool {
    is_so(block)
        || block.items.iter().any(|item| match item {
            Item::Loop(_) => false,
            Item::Branch(branch) => std::iter::once(&branch.then)
                .chain(&branch.otherwise)
                .any(|arm| holds_itself(arm, is_so)),
        })
}

/// All streams of a block and of what is inside of it.
fn collect<'p>(block: &'p Block, streams: &mut Vec<&'p Stream>) {
    streams.extend(&block.streams);
    for item in &block.items {
        match item {
            Item::Loop(inner) => collect(&inner.body, streams),
            Item::Branch(branch) => {
                collect(&branch.then, streams);
                branch
                    .otherwise
                    .iter()
                    .for_each(|block| collect(block, streams));
            }
        }
    }
}
