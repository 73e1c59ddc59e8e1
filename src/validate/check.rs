//! Whether the model is right about a nest, at first sight: the nest is run with small sizes, and what it moves is put
//! beside what the model says of the same sizes.

use super::nests::{self, Wanted};
use super::outcome::{self, LevelOutcome};
use super::simulation::FACTORS;
use super::{Settings, cases};
use crate::analysis::ProcedureBody;
use crate::cache::CacheSpec;
use crate::cache::spec::Ways;
use crate::interpret::run;
use crate::model::{Model, ParameterTable, Valued};

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
/// Bytes of the caches: of nearly nothing, of some rows, of a small nest's arrays, of everything.
const CAPACITIES: [u64; 4] = [1 << 10, 1 << 13, 1 << 16, 1 << 30];
/// Traffic that is off by a larger factor is wrong.
const TOLERANCE: f64 = 1.2;
/// Ends of rows, whose places in lines may not be known, are not looked at: so many lines.
const ENDS: f64 = 8.0;
/// Nests that are checked: those with the longest times, which the table shows.
pub const MOST_NESTS: usize = 20;

impl<'m, 'p> Checks<'m, 'p> {
    pub fn of(model: &'m Model<'p>) -> Checks<'m, 'p> {
        let at_most = |sizes: [f64; 4]| sizes.map(|most| model.parameters.at_most(most)).into();
        Checks {
            model,
            smaller: at_most(SIZES),
            larger: at_most(SIZES.map(|most| most * 2.0)),
        }
    }

    /// What the model says over what the simulation moves, where the two do not agree; nothing where they do, where the
    /// nest cannot be run, or where only data decide what it moves.
    pub fn disagreement(&self, nest: usize, body: &ProcedureBody) -> Option<f64> {
        let known = &self.model.nests[nest];
        if !known.reason_codes().is_empty() || known.levels.neighbours.is_some() {
            return None;
        }
        let look = |sizes: &[ParameterTable], most: u64| {
            let mut sizes = sizes.iter();
            sizes
                .find_map(|one| compare(self.model.with_values(one), nest, body, most))
                .flatten()
        };
        look(&self.smaller, MOST_ACCESSES)?;
        look(&self.larger, MOST_AT_SECOND_LOOK)
    }
}

/// `None` with sizes for which that takes too long.
fn compare(valued: Valued, index: usize, body: &ProcedureBody, most: u64) -> Option<Option<f64>> {
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
    if code.is_outside || outcome.drew || outcome.share < 1.0 {
        return Some(None);
    }
    let weight = cases::entered(valued, nest);
    let levels = CAPACITIES.iter().zip(&outcome.levels);
    let ratios = levels.filter_map(|(capacity, simulated)| {
        let predicted =
            |factor: f64| valued.predict(index, *capacity as f64 * factor).bytes / weight;
        ratio(&FACTORS.map(predicted), simulated, ENDS * line)
    });
    let worst = ratios.max_by(|a, b| a.ln().abs().total_cmp(&b.ln().abs()));
    Some(worst)
}

/// Predicted over simulated bytes, where they are further apart than the ends of rows explain and neither changes with
/// a little more or less capacity.
fn ratio(predicted: &[f64; FACTORS.len()], simulated: &LevelOutcome, ends: f64) -> Option<f64> {
    let is_steady = |bytes: &[f64; FACTORS.len()]| bytes[0] <= bytes[2] * (1.0 + cases::STEP);
    let (here, there) = (predicted[1], simulated.bytes[1]);
    let ratio = here / there;
    let is_off = !(1.0 / TOLERANCE..=TOLERANCE).contains(&ratio) && (here - there).abs() > ends;
    (is_off && is_steady(predicted) && is_steady(&simulated.bytes)).then_some(ratio)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SamplingError;

    fn judged(predicted: [f64; 3], simulated: [f64; 3]) -> Option<f64> {
        let simulated = LevelOutcome {
            bytes: simulated,
            given: None,
            cold: None,
            error: SamplingError::default(),
        };
        ratio(&predicted, &simulated, 512.0)
    }

    #[test]
    fn only_clear_differences_away_from_steps_count() {
        assert_eq!(judged([3000.0; 3], [2000.0; 3]), Some(1.5));
        assert_eq!(judged([1000.0; 3], [4000.0; 3]), Some(0.25));
        // A fifth is no clear difference, nor are a few lines.
        assert_eq!(judged([2300.0; 3], [2000.0; 3]), None);
        assert_eq!(judged([600.0; 3], [200.0; 3]), None);
        // What fits a little later, or a little earlier.
        assert_eq!(judged([3000.0, 3000.0, 2000.0], [2000.0; 3]), None);
        assert_eq!(judged([3000.0; 3], [3000.0, 2000.0, 2000.0]), None);
    }
}
