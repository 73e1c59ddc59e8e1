//! What a nest moves: measured in full, or estimated from windows.

use super::simulation::{FACTORS, Measured, Simulation};
use crate::cache::CacheSpec;
use crate::interpret::code::Code;
use crate::interpret::run::{self, Drawn};
use crate::interpret::windows;

/// The traffic of one nest.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    pub accesses: u64,
    /// Share of the accesses that was measured.
    pub share: f64,
    pub drew: Drawn,
    pub levels: Vec<LevelOutcome>,
}

/// The traffic at one level, in bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelOutcome {
    /// Of a fully associative LRU cache of the capacity times [`FACTORS`].
    pub bytes: [f64; 3],
    pub given: Option<f64>,
    /// Lines touched for the first time; unknown from windows.
    pub cold: Option<f64>,
    pub error: SamplingError,
}

/// How far the bytes of a run in full may be from those that windows lead to, relative to these; nothing where all was
/// run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SamplingError {
    /// Half the width of the 95 % confidence interval of the mean of the windows, by Student's t.
    pub spread: f64,
    /// What a longer warm-up might have changed: lines that the windows touched for the first time, if the cache was not
    /// full by then.
    pub warm_up: f64,
    /// What windows do not see: the cache fills at the beginning, and dirty lines leave it at the end.
    pub ends: f64,
}

impl SamplingError {
    pub fn all(&self) -> f64 {
        self.spread + self.warm_up + self.ends
    }
}

/// Quantiles of Student's t for 95 % on both sides together, by degrees of freedom from one.
const STUDENT: [f64; 10] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
];

/// Steps that counting the accesses of a nest, or coming to its windows, may take.
const MOST_STEPS: u64 = 30_000_000;

/// Runs a nest with at most so many accesses.
///
/// # Errors
/// The nest is too long and cannot be sampled: why.
pub fn of(code: &Code, levels: &[CacheSpec], most: u64) -> Result<Outcome, &'static str> {
    let line = u64::from(levels.iter().map(|level| level.line).min().unwrap_or(64));
    let counted = run::count(code, MOST_STEPS);
    if counted.cut && counted.accesses == 0 {
        return Err("even counting its accesses takes too long");
    }
    let mut simulation = Simulation::new(levels);
    if counted.accesses <= most {
        // A count that was cut is an estimate, which may be too low.
        let done = run::run(code, line, most.saturating_mul(2), &mut simulation);
        if !done.cut {
            return Ok(Outcome::whole(&simulation.finish(), done.drew));
        }
        simulation = Simulation::new(levels);
    }
    let plan = windows::plan(code, &counted, most);
    let plan = plan.ok_or("its iterations depend on each other, so none can be left out")?;
    if plan.executions > MOST_STEPS {
        return Err("even leaving most of its iterations out takes too long");
    }
    let done = run::run_windows(code, line, &plan, &mut simulation);
    let (measured, seen) = simulation.windows();
    let compulsory = levels
        .iter()
        .zip(seen)
        .map(|(level, seen)| Compulsory::of(code.reach, seen, level));
    Ok(Outcome::estimated(&measured, counted.accesses, done.drew)
        .bounded(&compulsory.collect::<Vec<Compulsory>>()))
}

/// Runs a function with at most so many accesses; gives what each of its nests moved.
///
/// # Errors
/// It is too long.
pub fn of_parts(
    code: &Code,
    levels: &[CacheSpec],
    most: u64,
    nests: usize,
) -> Result<Vec<Outcome>, &'static str> {
    let line = u64::from(levels.iter().map(|level| level.line).min().unwrap_or(64));
    let mut simulation = Simulation::new(levels);
    let done = run::run(code, line, most, &mut simulation);
    if done.cut {
        return Err("a whole function is not sampled");
    }
    Ok((1..=nests)
        .map(|part| Outcome::whole(&simulation.part(part), done.drew))
        .collect())
}

impl Outcome {
    pub fn whole(measured: &Measured, drew: Drawn) -> Outcome {
        let level = |level: &super::simulation::LevelMeasured| LevelOutcome {
            bytes: level.bytes.map(|bytes| bytes as f64),
            given: level.given.map(|bytes| bytes as f64),
            cold: Some(level.cold as f64),
            error: SamplingError::default(),
        };
        Outcome {
            accesses: measured.accesses,
            share: 1.0,
            drew,
            levels: measured.levels.iter().map(level).collect(),
        }
    }

    /// Bytes per access of all windows together, times all accesses.
    fn estimated(windows: &[Measured], accesses: u64, drew: Drawn) -> Outcome {
        let measured: u64 = windows.iter().map(|window| window.accesses).sum();
        let scale = accesses as f64 / measured.max(1) as f64;
        let count = windows.first().map_or(0, |window| window.levels.len());
        let level = |index: usize| {
            let sum = |of: &dyn Fn(&super::simulation::LevelMeasured) -> u64| -> f64 {
                windows
                    .iter()
                    .map(|window| of(&window.levels[index]) as f64)
                    .sum()
            };
            let bytes: [f64; FACTORS.len()] =
                std::array::from_fn(|factor| sum(&|level| level.bytes[factor]) * scale);
            let given = windows
                .iter()
                .all(|window| window.levels[index].given.is_some());
            let rates = windows.iter().filter(|w| w.accesses > 0);
            let rates = rates
                .map(|w| w.levels[index].bytes[1] as f64 / w.accesses as f64)
                .collect::<Vec<f64>>();
            let uncertain = sum(&|level| level.uncertain) * scale;
            let filled = windows
                .iter()
                .map(|window| window.levels[index].filled)
                .max()
                .unwrap_or(0) as f64;
            let of_all = |part: f64| if bytes[1] > 0.0 { part / bytes[1] } else { 0.0 };
            let error = SamplingError {
                spread: half_interval(&rates),
                warm_up: of_all(uncertain),
                ends: of_all(filled),
            };
            LevelOutcome {
                bytes,
                given: given.then(|| sum(&|level| level.given.unwrap_or(0)) * scale),
                cold: None,
                error,
            }
        };
        Outcome {
            accesses,
            share: measured as f64 / accesses.max(1) as f64,
            drew,
            levels: (0..count).map(level).collect(),
        }
    }
}

/// What is moved once, however large a cache is.
struct Compulsory {
    /// Lines that the windows have seen are moved, and dirty ones moved back: at least so many bytes.
    least: f64,
    /// From the first to the last byte of every array.
    most: f64,
    /// Whether caches of the capacity times [`FACTORS`] hold all of that.
    fits: [bool; FACTORS.len()],
}

impl Compulsory {
    fn of((reach, written): (u64, u64), seen: (u64, u64), level: &CacheSpec) -> Compulsory {
        let least = (seen.0 + seen.1) as f64;
        let reach = (reach as f64).max(seen.0 as f64);
        Compulsory {
            least,
            most: (reach + (written as f64).max(seen.1 as f64)).max(least),
            fits: FACTORS.map(|factor| reach <= (level.bytes as f64 * factor).floor()),
        }
    }
}

impl Outcome {
    /// Windows are too short to see data that are touched once, and all but the first one would find them in a cache
    /// that holds everything: what such a cache moves lies between what all windows saw and what the arrays have.
    fn bounded(mut self, compulsory: &[Compulsory]) -> Outcome {
        for (level, Compulsory { least, most, fits }) in self.levels.iter_mut().zip(compulsory) {
            let before = level.bytes[1];
            for (bytes, fits) in level.bytes.iter_mut().zip(fits) {
                *bytes = if *fits {
                    (least + most) / 2.0
                } else {
                    bytes.max(*least)
                };
            }
            let now = level.bytes[1];
            level.error = match now > 0.0 {
                true if fits[1] => SamplingError {
                    ends: (most - least) / 2.0 / now,
                    ..SamplingError::default()
                },
                true => level.error.of(before / now, (now - before) / now),
                false => SamplingError::default(),
            };
        }
        self
    }
}

impl SamplingError {
    /// Of an estimate that was taken to be larger by so much.
    fn of(self, share: f64, raised: f64) -> SamplingError {
        let SamplingError {
            spread,
            warm_up,
            ends,
        } = self;
        SamplingError {
            spread: spread * share,
            warm_up: warm_up * share,
            ends: ends * share + raised,
        }
    }
}

/// Half the 95 % confidence interval of the mean, relative to it.
fn half_interval(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    if values.len() < 2 || mean == 0.0 {
        return 0.0;
    }
    let variance = values
        .iter()
        .map(|value| (value - mean).powi(2))
        .sum::<f64>()
        / (count - 1.0);
    let quantile = STUDENT[(values.len() - 2).min(STUDENT.len() - 1)];
    quantile * (variance / count).sqrt() / mean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_that_of_the_mean() {
        assert_eq!(half_interval(&[4.0, 4.0, 4.0]), 0.0);
        // Mean 3, variance 8, two values: 12.706·√(8/2)/3.
        assert!((half_interval(&[1.0, 5.0]) - 12.706 * 2.0 / 3.0).abs() < 1e-12);
        // Mean 2, variance 1, three values: 4.303·√(1/3)/2.
        assert!((half_interval(&[1.0, 2.0, 3.0]) - 4.303 / 3f64.sqrt() / 2.0).abs() < 1e-12);
    }
}
