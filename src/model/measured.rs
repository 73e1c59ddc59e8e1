//! Times that runs were measured to take, beside the estimates.

use std::fmt;

use super::catalogue::StaticFigure as F;
use super::figures::Figures;
use super::ranking::Ranking;
use super::summary::define_ratio;
use crate::expr::{Expr, FigureId};

/// What was measured over a whole run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Amounts {
    pub seconds: f64,
    /// To and from memory; `None` where that was not measured.
    pub bytes: Option<f64>,
    pub flops: Option<f64>,
}

/// What was measured of one nest, or of all nests of a function together.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// By position among all nests of the program, ascending.
    pub nests: Vec<usize>,
    pub amounts: Amounts,
}

/// All measurements of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measurements {
    /// Each nest is in one at most.
    pub joined: Vec<Measurement>,
    /// The longest first.
    pub unjoined: Vec<UnjoinedTime>,
    /// Functions of which nothing was measured by itself.
    pub inlined: Vec<Inlined>,
}

/// A function with nests of which nothing was measured, though functions that call it were measured as a whole: compilers
/// may have put it in place of its calls there.
#[derive(Clone, Debug, PartialEq)]
pub struct Inlined {
    pub function: String,
    /// Those that were measured.
    pub callers: Vec<String>,
    /// Whether its nests count to what was measured of the caller: nothing else calls it.
    pub is_joined: bool,
}

/// A time that belongs to no nest.
#[derive(Clone, Debug, PartialEq)]
pub struct UnjoinedTime {
    /// A function, or a file and line.
    pub what: String,
    /// The file and line that it was read from.
    pub place: String,
    pub seconds: f64,
    pub reason: NotJoined,
}

/// Why a time belongs to no nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotJoined {
    UnknownFile,
    AmbiguousFile,
    OutsideLoops,
    SeveralNests,
    UnknownFunction,
    AmbiguousFunction,
    NoNests,
    /// A body that stands in place of calls in several nests, or outside of nests.
    InSeveralNests,
    AlsoByLine,
}

impl fmt::Display for NotJoined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NotJoined::UnknownFile => "the file is not among the sources",
            NotJoined::AmbiguousFile => "several files of the sources may be meant",
            NotJoined::OutsideLoops => "the line is in no loop",
            NotJoined::SeveralNests => "the line is in a loop around several nests",
            NotJoined::UnknownFunction => "no function of the sources has this name",
            NotJoined::AmbiguousFunction => "several functions have this name: also give the file",
            NotJoined::NoNests => "the function has no loops",
            NotJoined::InSeveralNests => {
                "the function has no loops, and its calls are not all in one nest"
            }
            NotJoined::AlsoByLine => "the function's nests are also measured by line",
        })
    }
}

impl fmt::Display for Inlined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (function, callers) = (&self.function, self.callers.join(", "));
        match self.is_joined {
            true => write!(
                f,
                "{function} has no time of its own: it counts towards {callers}, which calls it"
            ),
            false => write!(
                f,
                "{function} has no time of its own: its inlined code is in the time of {callers}; measure by line to tell them \
                 apart"
            ),
        }
    }
}

impl Measurements {
    /// All that was measured, and what of it belongs to nests.
    pub fn seconds(&self) -> (f64, f64) {
        let joined: f64 = self.joined.iter().map(|one| one.amounts.seconds).sum();
        let others: f64 = self.unjoined.iter().map(|one| one.seconds).sum();
        (joined + others, joined)
    }

    /// What of the measured time belongs to nests; `None` if no time was measured.
    pub fn joined_share(&self) -> Option<f64> {
        let (all, joined) = self.seconds();
        (all > 0.0).then(|| joined / all)
    }
}

/// A measurement beside the estimate of its nests.
#[derive(Clone, Debug)]
pub struct MeasuredFigures {
    /// Those of the model, by index.
    pub nests: Vec<usize>,
    pub amounts: Amounts,
    pub seconds: FigureId,
    /// Estimate, over all calls, over measured; `None` where no time was measured, no calls lead to the nests, or some of
    /// them are not in the model.
    pub ratio: Option<FigureId>,
}

/// Measurements beside the estimates of a model.
pub struct Measured {
    pub all: Measurements,
    pub figures: Vec<MeasuredFigures>,
    /// By nest of the model.
    of_nests: Vec<Option<usize>>,
}

impl Measured {
    /// `positions` are those of the model's nests among all of the program.
    pub(super) fn define(
        all: &Measurements,
        positions: &[usize],
        ranking: &Ranking,
        figures: &mut Figures,
    ) -> Measured {
        let mut measured = Measured {
            all: all.clone(),
            figures: Vec::new(),
            of_nests: vec![None; positions.len()],
        };
        for one in &all.joined {
            let index = |position: &usize| positions.iter().position(|known| known == position);
            let nests: Vec<usize> = one.nests.iter().filter_map(index).collect();
            if nests.is_empty() {
                continue;
            }
            for nest in &nests {
                measured.of_nests[*nest] = Some(measured.figures.len());
            }
            let seconds = figures.define(F::MeasuredTime, Expr::from(one.amounts.seconds));
            let estimates = nests.iter().filter_map(|nest| ranking.seconds(*nest));
            let estimates: Vec<FigureId> = estimates.collect();
            let is_whole = nests.len() == one.nests.len() && one.amounts.seconds > 0.0;
            let estimate = match estimates[..] {
                [] => None,
                _ if !is_whole => None,
                [alone] => Some(alone),
                _ => Some(figures.define(
                    F::EstimateOfMeasured,
                    Expr::sum(estimates.iter().copied().map(Expr::from)),
                )),
            };
            let ratio = estimate
                .map(|estimate| define_ratio(F::MeasuredRatio, (estimate, seconds), figures));
            measured.figures.push(MeasuredFigures {
                nests,
                amounts: one.amounts,
                seconds,
                ratio,
            });
        }
        measured
    }

    /// What was measured of a nest, alone or together with others.
    pub fn of(&self, nest: usize) -> Option<&MeasuredFigures> {
        Some(&self.figures[self.of_nests[nest]?])
    }

    /// Measurements with their ratios, those first whose ratio is farthest from one.
    pub fn worst(&self, figures: &Figures) -> Vec<(&MeasuredFigures, f64)> {
        let ratio = |one: &MeasuredFigures| one.ratio.map(|ratio| figures.value(ratio));
        let known = self.figures.iter();
        let known = known.filter_map(|one| Some((one, ratio(one)?)));
        let mut known: Vec<(&MeasuredFigures, f64)> =
            known.filter(|(_, ratio)| ratio.is_finite()).collect();
        let distance = |ratio: f64| ratio.ln().abs();
        known.sort_by(|a, b| distance(b.1).total_cmp(&distance(a.1)));
        known
    }
}
