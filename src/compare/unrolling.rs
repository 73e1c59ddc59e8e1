//! How many rounds of the source does one round of a machine loop do?
//!
//! What shows it best is how far addresses move: an access that walks by 32 bytes per round, where the source
//! moves by one element of 8, has done four rounds. Every address that moves has to allow the number, and the
//! work has to be there: a loop that goes through the arrays in another order moves as far and does one round's
//! work. Where no address decides, operations and stored bytes have to agree on it.
//!
//! Rounds may also lie side by side: after unroll-and-jam, a round of the inner loop does the work of several
//! rounds of the loop around ([`Copies::jammed`]), with addresses that move in the outer loop only.

use std::collections::BTreeSet;

use super::tolerance::ROUNDING;
use super::work::{ADDS, DIVIDES, MULTIPLIES, STORES, Work, predicted, writes};
use crate::expr::Expr;
use crate::metrics::profile::Site;
use crate::report::static_report::{ArrayReport, LoopReport};

/// More rounds of the source in one of the machine are not looked for.
const LARGEST: u64 = 64;
/// With vectors: eight of the longest registers that there are, of bytes.
const LARGEST_OF_VECTORS: u64 = 65_536;

/// Rounds of the source that one round of a machine loop does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copies {
    /// One after the other.
    pub unrolled: u64,
    /// Those of so many rounds of the loop around, side by side.
    pub jammed: u64,
}

impl Copies {
    pub const ONE: Copies = Copies {
        unrolled: 1,
        jammed: 1,
    };

    pub fn all(&self) -> u64 {
        self.unrolled * self.jammed
    }
}

/// Copies in one round of a machine loop: of its own code, whose `rounds` were counted. `expected` is what the static
/// report has of rounds.
pub fn copies(facts: &LoopReport, sites: &[&Site], rounds: f64, expected: Option<f64>) -> Copies {
    let rounds = rounds.max(1.0);
    let did = each_round(facts, sites, rounds);
    let bytes = sites.iter().map(|site| site.accesses.bytes()).sum::<u64>() as f64 / rounds;
    match by_strides(facts, sites) {
        // A loop that goes through the arrays in another order moves as far, but does one round's work.
        Some(copies) => match is_work_of(facts, copies, bytes, &did) {
            true => Copies {
                unrolled: copies,
                jammed: jammed(facts, copies, sites, rounds, &did),
            },
            false => Copies::ONE,
        },
        None if expected == Some(rounds) => Copies::ONE,
        None => Copies {
            unrolled: by_work(facts, &did),
            jammed: 1,
        },
    }
}

/// Rounds of a loop around that one round of a machine loop does side by side: as shown by addresses that move only
/// in the loop `around`, whose own code `sites` are, for references of `facts` inside. Some operation has to be done
/// so many times as often, and none more often.
pub fn side_by_side(around: &LoopReport, facts: &LoopReport, sites: &[&Site], did: &Work) -> u64 {
    let source = predicted(facts);
    let strides: Vec<i64> = facts
        .arrays
        .iter()
        .filter_map(|array| stride(around, array))
        .collect();
    let Some(copies) = rounds_by_strides(&strides, sites).filter(|copies| *copies > 1) else {
        return 1;
    };
    let times = |kind: usize| did[kind] / source[kind];
    let kinds = || (ADDS..=DIVIDES).filter(|kind| source[*kind] > 0.0);
    let agrees = kinds().any(|kind| times(kind) == copies as f64)
        && kinds().all(|kind| times(kind) <= copies as f64);
    if agrees { copies } else { 1 }
}

/// What sites of one loop did in one round.
pub fn each_round(facts: &LoopReport, sites: &[&Site], rounds: f64) -> Work {
    let did = sites.iter().map(|site| super::work::work(site, facts));
    did.fold(Work::default(), super::work::sum)
        .map(|value| value / rounds.max(1.0))
}

/// The fewest rounds of the source after which every address that moves in the source has moved as far as it did.
fn by_strides(facts: &LoopReport, sites: &[&Site]) -> Option<u64> {
    let of_source: Vec<i64> = facts
        .arrays
        .iter()
        .filter_map(|array| stride(facts, array))
        .collect();
    rounds_by_strides(&of_source, sites)
}

/// Whether addresses that move in the source have moved as far as in one round of it, and not as far as in several.
pub fn moves_by_one(facts: &LoopReport, sites: &[&Site]) -> bool {
    let arrays = facts.arrays.iter();
    let of_source: Vec<i64> = arrays.filter_map(|array| stride(facts, array)).collect();
    common_copies(&of_source, sites).is_some_and(|copies| copies == [1])
}

/// The fewest rounds after which addresses that move by `of_source` in one have moved as far as those of the sites did.
fn rounds_by_strides(of_source: &[i64], sites: &[&Site]) -> Option<u64> {
    common_copies(of_source, sites)?.first().copied()
}

/// All numbers of rounds after which they have, ascending; `None` where none of them moves so.
fn common_copies(of_source: &[i64], sites: &[&Site]) -> Option<Vec<u64>> {
    let has_vectors = sites.iter().any(|site| !site.vectors.is_none());
    let largest = if has_vectors {
        LARGEST_OF_VECTORS
    } else {
        LARGEST
    };
    let possible = |stride: &i64| -> Vec<u64> {
        let exact = of_source.iter().filter(|own| stride % **own == 0);
        let copies: BTreeSet<u64> = exact
            .filter_map(|own| u64::try_from(stride / own).ok())
            .filter(|copies| (1..=largest).contains(copies))
            .collect();
        copies.into_iter().collect()
    };
    let told: Vec<Vec<u64>> = sites
        .iter()
        .flat_map(|site| &site.strides)
        .map(possible)
        .collect();
    let mut told = told.iter().filter(|possible| !possible.is_empty());
    let mut common = told.next()?.clone();
    told.for_each(|possible| common.retain(|copies| possible.contains(copies)));
    Some(common)
}

/// Bytes by which a reference moves in a round of the source; `None` where the source has no number for it.
fn stride(facts: &LoopReport, array: &ArrayReport) -> Option<i64> {
    // Reports have the subscript first that moves by one element, in every language.
    let (own, others) = array.subscripts.split_first()?;
    let is_elsewhere = others
        .iter()
        .any(|subscript| subscript.mentions(&facts.var));
    let element = array
        .element_bytes
        .filter(|_| array.component.is_empty() && !is_elsewhere)?;
    let linear = own.value()?.linear_in(&[facts.var.as_str()])?;
    let step = Expr::parse(&facts.step).ok()?.as_number()?;
    let stride = linear.coefficients.first()?.as_number()? * step * f64::from(element);
    (stride != 0.0 && stride.fract() == 0.0).then_some(stride as i64)
}

/// Whether vectors of a loop went over as many elements as so many rounds of the source do: all that they stored, or, of
/// a loop without stores, loaded. `parts` are the sites of its machine loops, `all` those of its lines, with what is left
/// outside of vectors. Where addresses do not show how far a round of vectors goes, elements are no second witness.
pub fn is_by_elements(
    facts: &LoopReport,
    parts: &[Vec<&Site>],
    all: &[&Site],
    rounds: u64,
) -> bool {
    let has_vectors = |sites: &&Vec<&Site>| sites.iter().any(|site| !site.vectors.is_none());
    let mut of_vectors = parts.iter().filter(has_vectors).peekable();
    if of_vectors.peek().is_none() || of_vectors.any(|sites| by_strides(facts, sites).is_none()) {
        return false;
    }
    let all_stores = predicted(facts)[STORES];
    if all_stores > 0.0 {
        let did: f64 = all
            .iter()
            .map(|site| super::work::work(site, facts)[STORES])
            .sum();
        return varying_stores(facts) == all_stores && did == all_stores * rounds as f64;
    }
    let bytes = |array: &ArrayReport| {
        let reads = array.accesses.iter().filter(|access| access.reads > 0);
        Some(f64::from(array.element_bytes?) * reads.count() as f64)
    };
    let varying = facts.arrays.iter().filter(|array| varies(facts, array));
    let each: Option<f64> = varying.map(bytes).sum();
    let did: u64 = all.iter().map(|site| site.accesses.loaded_bytes).sum();
    each.is_some_and(|each| each > 0.0 && did as f64 == each * rounds as f64)
}

/// Whether so many rounds' accesses and operations can be in what one round of the machine did.
fn is_work_of(facts: &LoopReport, copies: u64, bytes: f64, did: &Work) -> bool {
    let source = predicted(facts);
    let element = facts
        .arrays
        .iter()
        .filter_map(|array| array.element_bytes.map(f64::from))
        .fold(f64::INFINITY, f64::min);
    let has_flops = (ADDS..=DIVIDES).any(|kind| did[kind] > 0.0 && source[kind] > 0.0);
    let more = (STORES..=DIVIDES).any(|kind| source[kind] > 0.0 && did[kind] > source[kind]);
    copies == 1 || bytes >= copies as f64 * element && (more || !has_flops)
}

/// Rounds of the loop around that one round does side by side, where addresses do not show it: every kind of operation
/// is done so many times as often, and more is loaded than those references of the source are that change.
fn jammed(facts: &LoopReport, copies: u64, sites: &[&Site], rounds: f64, did: &Work) -> u64 {
    let source = predicted(facts);
    let mut times = (ADDS..=DIVIDES)
        .filter(|kind| source[*kind] > 0.0)
        .map(|kind| did[kind] / source[kind]);
    let Some(first) = times
        .next()
        .filter(|first| first.fract() == 0.0 && *first as u64 <= LARGEST)
    else {
        return 1;
    };
    let loaded = sites.iter().map(|site| site.accesses.loads).sum::<u64>() as f64 / rounds;
    let read = |array: &ArrayReport| {
        array
            .accesses
            .iter()
            .filter(|access| access.reads > 0)
            .count() as f64
    };
    let once: f64 = facts
        .arrays
        .iter()
        .filter(|array| varies(facts, array))
        .map(read)
        .sum();
    let agrees = times.all(|other| other == first)
        && first > copies as f64
        && (first as u64).is_multiple_of(copies);
    if agrees && loaded > once * copies as f64 {
        first as u64 / copies
    } else {
        1
    }
}

/// By what a round of the machine stored and computed.
fn by_work(facts: &LoopReport, did: &Work) -> u64 {
    let source = predicted(facts);
    let varying = varying_stores(facts);
    if varying > 0.0 && source[STORES] == varying {
        let copies = did[STORES] / varying;
        let is_whole = copies > 1.0 && copies.fract() < ROUNDING;
        // Scalars in memory are stored too: operations have to be as many times as many.
        let has_flops = (ADDS..=DIVIDES).any(|kind| source[kind] > 0.0 && did[kind] > 0.0);
        let is_confirmed = !has_flops || (ADDS..=DIVIDES).any(|kind| did[kind] > source[kind]);
        return if is_whole && is_confirmed {
            copies as u64
        } else {
            1
        };
    }
    // The fewest for which it does no more than the source has. Products by two may be sums, and quotients products.
    let fits = |copies: &u64| {
        let source = source.map(|value| value * *copies as f64 + ROUNDING);
        let spare = |kind: usize| (source[kind] - did[kind]).max(0.0);
        did[DIVIDES] <= source[DIVIDES]
            && did[MULTIPLIES] <= source[MULTIPLIES] + spare(DIVIDES)
            && did[ADDS] <= source[ADDS] + spare(MULTIPLIES)
    };
    (1..=LARGEST).find(fits).unwrap_or(1)
}

/// Stores of a round to elements that are others in the next round.
fn varying_stores(facts: &LoopReport) -> f64 {
    facts
        .arrays
        .iter()
        .filter(|array| varies(facts, array))
        .map(writes)
        .sum()
}

/// Whether a reference is another element in the next round.
fn varies(facts: &LoopReport, array: &ArrayReport) -> bool {
    array
        .subscripts
        .iter()
        .any(|subscript| subscript.mentions(&facts.var))
}
