//! Whether the model is right about a nest, at first sight: the nest is run with small sizes, and what it moves is put
//! beside what the model says of the same sizes.

use super::nests::{self, Wanted};
use super::outcome;
use super::simulation::FACTORS;
use super::{Settings, cases};
use crate::analysis::ProcedureBody;
use crate::cache::CacheSpec;
use crate::cache::spec::Ways;
use crate::interpret::run::{self, Drawn};
use crate::model::{Checked, Collision, Conflict, Model, ParameterTable, SetAssociative, Valued};

/// A model with its parameters at ever smaller sizes, as checks of its nests need them.
pub struct Checks<'m, 'p> {
    model: &'m Model<'p>,
    /// The largest sizes first.
    smaller: Vec<ParameterTable>,
    /// For a second look.
    larger: Vec<ParameterTable>,
}

/// The largest sizes that fit are taken: multiples of a line, so that rows end with it.
const SIZES: [f64; 4] = [1024.0, 64.0, 16.0, 8.0];
/// Accesses of a nest that are simulated. Work is bounded by this and not by time, so that a check always has the same
/// result.
const MOST_ACCESSES: u64 = 50_000;
/// The same of a nest that is looked at once more, as small sizes may be what makes the difference.
const MOST_AT_SECOND_LOOK: u64 = 1_000_000;
/// The same of one that small sizes do not show to be wrong, but not to be right either.
const MOST_OF_DOUBTFUL: u64 = 50_000;
/// Accesses of a nest that are simulated with the sizes that are set.
const MOST_WITH_WAYS: u64 = 400_000;
/// Bytes of the caches: of nearly nothing, of some rows, of a small nest's arrays, of everything.
const CAPACITIES: [u64; 4] = [1 << 10, 1 << 13, 1 << 16, 1 << 30];
/// Traffic that is off by a larger factor is wrong.
const TOLERANCE: f64 = 1.2;
/// Ends of rows, whose places in lines may not be known, are not looked at: so many lines.
const ENDS: f64 = 8.0;
/// By such a share it may be with other sizes,
const DOUBT: f64 = 0.1;
/// but not by so few lines.
const FEWEST: f64 = 1.0;
/// Nests that are checked, those with the longest times.
pub const MOST_NESTS: usize = 300;
/// The first of them, which the table shows without a star; of the others fewer accesses are simulated.
const MOST_SHOWN: usize = 20;
const FEW_ACCESSES: u64 = 5_000;

impl<'m, 'p> Checks<'m, 'p> {
    pub fn of(model: &'m Model<'p>) -> Checks<'m, 'p> {
        let of_loops = model
            .parameters
            .of_loops(model.nests.iter().map(|known| &known.nest));
        let at_most = |sizes: [f64; 4]| {
            sizes
                .map(|most| model.parameters.at_most(most, &of_loops))
                .into()
        };
        Checks {
            model,
            smaller: at_most(SIZES),
            larger: at_most(SIZES.map(|most| most * 2.0)),
        }
    }

    /// What the simulation moves beside what the model says; nothing where the nest cannot be run, or where only data
    /// decide where its accesses go or how often its loops run. Branches on data go either way as often as their probabilities
    /// say; where small sizes have too few draws for that, nothing follows. So many nests, its `rank`, take longer.
    pub fn of_nest(&self, nest: usize, rank: usize, body: &ProcedureBody) -> Option<Checked> {
        let known = &self.model.nests[nest];
        let reasons = known.reason_codes();
        let has_doubts = reasons.iter().any(|reason| !reason.is_of_times());
        if known.levels.neighbours.is_some() || has_doubts {
            return None;
        }
        let look = |sizes: &[ParameterTable], most: u64| {
            let mut sizes = sizes.iter();
            sizes
                .find_map(|one| compare(self.model.with_values(one), nest, body, most))
                .flatten()
        };
        let most = match rank < MOST_SHOWN && reasons.is_empty() {
            true => MOST_ACCESSES,
            false => FEW_ACCESSES,
        };
        let first = look(&self.smaller, most)?;
        let checked = match (first.worst.is_off, first.is_doubtful) {
            (true, _) => look(&self.larger, MOST_AT_SECOND_LOOK)?,
            (false, true) => look(&self.larger, MOST_OF_DOUBTFUL).unwrap_or(first),
            (false, false) => first,
        };
        Some(checked.worst)
    }

    /// What a nest moves through caches with these ways, for those in which its strides show that lines collide. It is run
    /// with the sizes that are set, windows of it where it is long, as no smaller ones would have the same strides.
    pub fn conflicts(
        &self,
        nest: usize,
        rank: usize,
        body: &ProcedureBody,
        caches: &[CacheSpec],
    ) -> Vec<Conflict> {
        if rank >= MOST_SHOWN {
            return Vec::new();
        }
        let valued = self.model.valued();
        let collision = |(level, cache): (usize, &CacheSpec)| {
            let Ways::Fixed(ways) = cache.ways else {
                return None;
            };
            let cache = SetAssociative {
                bytes: cache.bytes as f64,
                ways: f64::from(ways),
                line: f64::from(cache.line),
            };
            Some((level, cache.ways, valued.collision(nest, cache)?))
        };
        let collisions: Vec<_> = caches.iter().enumerate().filter_map(collision).collect();
        if collisions.is_empty() {
            return Vec::new();
        }
        let settings = Settings {
            levels: caches.into(),
            most_accesses: MOST_WITH_WAYS,
            most_probed: MOST_WITH_WAYS,
            gap: 0,
            others: Vec::new(),
            whole: false,
        };
        let known = &self.model.nests[nest].nest;
        let Ok(code) = nests::compile(valued, Wanted::Nest(known), body, &settings) else {
            return Vec::new();
        };
        let outcome = match outcome::of(&code, caches, MOST_WITH_WAYS) {
            Ok(outcome) if outcome.drew == Drawn::Nothing && !code.is_outside => outcome,
            _ => return Vec::new(),
        };
        let weight = cases::entered(valued, &self.model.nests[nest]);
        let conflict = |(level, ways, collision): (usize, f64, Collision)| {
            let simulated = &outcome.levels[level];
            Some(Conflict {
                level,
                ways,
                collision,
                fully_associative_bytes: simulated.bytes[1] * weight,
                set_associative_bytes: simulated.given? * weight,
                share: outcome.share,
            })
        };
        collisions.into_iter().filter_map(conflict).collect()
    }
}

/// What one look shows.
struct Seen {
    worst: Checked,
    /// Whether it is off, or by less than that or by a few lines: of larger sizes it may be off.
    is_doubtful: bool,
}

/// `None` with sizes for which that takes too long.
fn compare(valued: Valued, index: usize, body: &ProcedureBody, most: u64) -> Option<Option<Seen>> {
    let nest = &valued.model.nests[index];
    let line = valued.model.figures.input("line_bytes").unwrap_or(64.0);
    let level = |bytes| CacheSpec {
        ways: Ways::Full,
        line: line as u32,
        ..CacheSpec::of_bytes(bytes)
    };
    let settings = Settings {
        levels: CAPACITIES.map(level).into(),
        most_accesses: most,
        most_probed: most,
        gap: 0,
        others: Vec::new(),
        whole: false,
    };
    let Ok(code) = nests::compile(valued, Wanted::Nest(&nest.nest), body, &settings) else {
        return Some(None);
    };
    let counted = run::count(&code, most);
    if counted.cut || counted.accesses > most {
        return None;
    }
    let Ok(outcome) = outcome::of(&code, &settings.levels, most) else {
        return Some(None);
    };
    if code.is_outside || outcome.drew > Drawn::Ways || outcome.share < 1.0 {
        return Some(None);
    }
    let weight = cases::entered(valued, nest);
    let (profile, _) = valued.profile(index);
    let levels = CAPACITIES.iter().zip(&outcome.levels);
    let checked = levels.filter_map(|(capacity, simulated)| {
        let predicted =
            |factor: f64| valued.through(index, &profile, *capacity as f64 * factor) / weight;
        judge(
            *capacity,
            &FACTORS.map(predicted),
            &simulated.bytes,
            ENDS * line,
        )
    });
    // Of those that are as far, the smallest capacity, which moves the most.
    let mut checked: Vec<(f64, Checked)> = checked.collect();
    checked.reverse();
    let is_doubtful = checked.iter().any(|(_, one)| {
        let apart = (one.ratio - 1.0).abs();
        apart > DOUBT && apart * one.simulated_bytes > FEWEST * line
    });
    let worst = checked.into_iter().max_by(|a, b| a.0.total_cmp(&b.0));
    Some(worst.map(|(_, worst)| Seen { worst, is_doubtful }))
}

/// How far the two are apart, as a logarithm and 0 where the ends of rows explain it, and what there is to say of them.
/// Nothing where one of them changes with a little more or less capacity.
fn judge(
    capacity: u64,
    predicted: &[f64; FACTORS.len()],
    simulated: &[f64; FACTORS.len()],
    ends: f64,
) -> Option<(f64, Checked)> {
    let is_steady = |bytes: &[f64; FACTORS.len()]| bytes[0] <= bytes[2] * (1.0 + cases::STEP);
    let (here, there) = (predicted[1], simulated[1]);
    let ratio = here / there;
    // A run that moves nothing took another branch: it says nothing about the model.
    if !is_steady(predicted) || !is_steady(simulated) || !ratio.is_finite() {
        return None;
    }
    let is_clear = (here - there).abs() > ends;
    let checked = Checked {
        capacity,
        simulated_bytes: there,
        ratio,
        is_off: is_clear && !(1.0 / TOLERANCE..=TOLERANCE).contains(&ratio),
    };
    let distance = if is_clear { ratio.ln().abs() } else { 0.0 };
    Some((distance, checked))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(predicted: [f64; 3], simulated: [f64; 3]) -> Option<f64> {
        let (_, checked) = judge(1 << 10, &predicted, &simulated, 512.0)?;
        checked.is_off.then_some(checked.ratio)
    }

    #[test]
    fn only_clear_differences_away_from_steps_count() {
        assert_eq!(judged([3000.0; 3], [2000.0; 3]), Some(1.5));
        assert_eq!(judged([1000.0; 3], [4000.0; 3]), Some(0.25));
        // A fifth is not a clear difference, nor are a few lines.
        assert_eq!(judged([2300.0; 3], [2000.0; 3]), None);
        assert_eq!(judged([600.0; 3], [200.0; 3]), None);
        // Nothing ran.
        assert!(judge(1 << 10, &[3000.0; 3], &[0.0; 3], 512.0).is_none());
        // What fits a little later, or a little earlier.
        assert_eq!(judged([3000.0, 3000.0, 2000.0], [2000.0; 3]), None);
        assert_eq!(judged([3000.0; 3], [3000.0, 2000.0, 2000.0]), None);
    }

    #[test]
    fn a_few_lines_are_no_distance() {
        let distance = |here: f64, there: f64| judge(1 << 10, &[here; 3], &[there; 3], 512.0);
        let (apart, checked) = distance(600.0, 200.0).expect("judged");
        assert_eq!((apart, checked.is_off), (0.0, false));
        assert_eq!((checked.simulated_bytes, checked.ratio), (200.0, 3.0));
        let (apart, checked) = distance(11_000.0, 10_000.0).expect("judged");
        assert!(apart > 0.09 && !checked.is_off);
    }
}
