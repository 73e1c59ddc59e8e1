//! C-AMAT of a timeline.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::SCHEMA;
use crate::Figure;
use crate::formula::Catalogue;
use crate::metrics::camat::formulas::{LevelFigure, ProgramFigure};
use crate::metrics::camat::identities::{Identity, identities};
use crate::metrics::camat::{Camat, Figures, LevelCounts, matching};
use crate::metrics::report::TimelineReport;

/// The whole report of a timeline without a trace; what is about a trace is absent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TimelineRunReport {
    pub schema: String,
    pub timeline: TimelineFileReport,
    pub camat: CamatReport,
}

/// What was read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TimelineFileReport {
    pub path: String,
}

impl TimelineRunReport {
    /// Of everything that was found.
    pub fn of(report: &TimelineReport) -> TimelineRunReport {
        let TimelineReport { path, camat } = report;
        TimelineRunReport {
            schema: SCHEMA.to_string(),
            timeline: TimelineFileReport { path: path.clone() },
            camat: CamatReport::of(camat),
        }
    }
}

/// Figures of the program and of every level.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CamatReport {
    #[serde(default)]
    pub program: CamatProgramReport,
    /// Nearest first.
    pub levels: Vec<CamatLevelReport>,
    #[serde(default)]
    pub identities: Vec<IdentityReport>,
}

/// Figures of the program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct CamatProgramReport {
    pub instructions: Option<u64>,
    #[serde(rename = "CPI_exe")]
    pub cpi_exe: Figure,
    pub hart_cycles: Option<u64>,
    pub stall_target: Figure,
    /// By the names of the figures of a program that are derived.
    #[serde(flatten)]
    pub figures: IndexMap<String, Figure>,
    pub harts: u64,
    pub first_cycle: u64,
    pub last_cycle: u64,
    pub advice: Vec<String>,
}

/// Figures of one level.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CamatLevelReport {
    #[serde(default)]
    pub name: String,
    /// By the names of the figures of a level.
    #[serde(flatten)]
    pub figures: IndexMap<String, Figure>,
}

/// Two sides of an equation that have to be equal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct IdentityReport {
    pub name: String,
    /// Counted from one.
    pub level: usize,
    pub left: Figure,
    pub right: Figure,
}

impl CamatReport {
    pub(super) fn of(camat: &Camat) -> CamatReport {
        let figures = Figures::of(camat);
        let levels = camat.levels.iter().zip(1..);
        CamatReport {
            program: CamatProgramReport::of(camat, &figures),
            levels: levels
                .map(|(counts, number)| CamatLevelReport::of(counts, number, &figures))
                .collect(),
            identities: identities(camat)
                .into_iter()
                .map(IdentityReport::of)
                .collect(),
        }
    }
}

impl CamatProgramReport {
    fn of(camat: &Camat, figures: &Figures) -> CamatProgramReport {
        CamatProgramReport {
            instructions: camat.program.instructions,
            cpi_exe: camat.program.cpi_exe.into(),
            hart_cycles: camat.program.hart_cycles,
            stall_target: camat.program.stall_target.into(),
            figures: ProgramFigure::derived()
                .map(|figure| (figure.entry().name.to_string(), figures.get(figure).into()))
                .collect(),
            harts: camat.harts,
            first_cycle: camat.run.0,
            last_cycle: camat.run.1,
            advice: matching::advice(camat, figures),
        }
    }
}

impl CamatLevelReport {
    /// Of a level by its number, counted from one.
    fn of(counts: &LevelCounts, number: usize, figures: &Figures) -> CamatLevelReport {
        let counted = LevelFigure::counts().map(|figure| {
            let value = figure.count(counts).map(|count| count as f64);
            (figure.entry().name.to_string(), value.into())
        });
        let derived = LevelFigure::derived().map(|figure| {
            let value = figures.at(figure, number);
            (figure.entry().name.to_string(), value.into())
        });
        CamatLevelReport {
            name: counts.name.clone(),
            figures: counted.chain(derived).collect(),
        }
    }
}

impl IdentityReport {
    fn of(identity: Identity) -> IdentityReport {
        IdentityReport {
            name: identity.name.to_string(),
            level: identity.level,
            left: identity.left.into(),
            right: identity.right.into(),
        }
    }
}
