//! Layered performance matching: which levels are too slow for what is asked of them (L 52–59).

use super::formulas::{LevelFigure, ProgramFigure};
use super::{Camat, Figures};

/// A level and its target.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelMatch {
    pub name: String,
    /// LPMR(l).
    pub ratio: f64,
    /// The largest LPMR(l) with which Δ stays within the stall target (L 56–58).
    pub target: f64,
}

impl LevelMatch {
    pub fn meets(&self) -> bool {
        self.ratio <= self.target
    }
}

/// Levels from the nearest on, as far as ratios and targets are known.
pub fn matches(camat: &Camat, figures: &Figures) -> Vec<LevelMatch> {
    let of_level = |(number, level): (usize, &super::LevelCounts)| {
        let (ratio, target) = (
            figures.at(LevelFigure::Lpmr, number)?,
            figures.at(LevelFigure::LpmrTarget, number)?,
        );
        Some(LevelMatch {
            name: level.name.clone(),
            ratio,
            target,
        })
    };
    (1..).zip(&camat.levels).map_while(of_level).collect()
}

/// What to do about it, a sentence or two a finding.
///
/// The search is the paper's: a level whose ratio is above its target wants work, and so may the next one, until a
/// level meets its target. With μ and κ as measured the targets of all levels follow from one Δ (L 55), so they
/// part only where secondary misses or shared levels do.
pub fn advice(camat: &Camat, figures: &Figures) -> Vec<String> {
    let target = short(100.0 * camat.program.stall_target);
    let levels = matches(camat, figures);
    if camat.levels.iter().all(|level| level.alpha == 0) {
        return vec!["Nothing is accessed: there is no significant memory time.".into()];
    }
    let Some(delta) = figures.get(ProgramFigure::Delta) else {
        let missing = match (camat.program.instructions, camat.program.cpi_exe) {
            (None, None) => {
                "the number of instructions and CPI_exe, the cycles per instruction without stalls"
            }
            (None, Some(_)) => "the number of instructions",
            _ => "CPI_exe, the cycles per instruction without stalls",
        };
        return vec![format!("Matching ratios are unknown: they need {missing}.")];
    };
    if camat.levels.first().is_some_and(|level| level.m == 0) {
        return vec![format!(
            "{} has no pure miss cycle: memory causes no stalls.",
            camat.levels[0].name
        )];
    }
    let mut advice = vec![format!(
        "Stalls take {} % of the compute time; the target is {target} %.",
        short(100.0 * delta)
    )];
    // Pure miss cycles hold up nobody while a window or a store buffer has something else to do.
    if let Some(measured) = figures
        .get(ProgramFigure::DeltaCore)
        .filter(|measured| 2.0 * measured < delta)
    {
        advice.push(format!(
            "The harts took {} % beyond the compute time: the other pure miss cycles are hidden behind stores or \
             independent instructions.",
            short(100.0 * measured)
        ));
    }
    let too_slow: Vec<&LevelMatch> = levels.iter().take_while(|level| !level.meets()).collect();
    for level in &too_slow {
        let LevelMatch {
            name,
            ratio,
            target,
        } = level;
        advice.push(format!(
            "{name} misses its target: LPMR {} is above {}.",
            short(*ratio),
            short(*target)
        ));
    }
    let names: Vec<&str> = too_slow.iter().map(|level| level.name.as_str()).collect();
    advice.push(match (names.as_slice(), levels.get(names.len())) {
        ([], _) => "The nearest level meets its target, so the memory system does.".into(),
        (slow, Some(enough)) => {
            format!(
                "{} meets its target: work on {}, not on the levels behind it.",
                enough.name,
                slow.join(", ")
            )
        }
        (slow, None) => format!(
            "Work on {}: more hits or more concurrency at each.",
            slow.join(", ")
        ),
    });
    advice
}

/// Four digits, no zeros at the end.
fn short(value: f64) -> String {
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    text.to_string()
}
