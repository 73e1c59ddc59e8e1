//! The report of an analysis, schema `loopsheet/static/1`.

mod advice;
mod calls;
mod communication;
mod dependences;
mod files;
mod functions;
mod inputs;
mod levels;
mod loops;
mod measured;
mod nests;
mod placement;
mod registers;
mod sensitivity;
mod subscripts;
mod totals;

use std::collections::{BTreeMap, HashMap};

use indexmap::IndexMap;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{ReadError, read};
use crate::model::Model;
use crate::model::influence::influence;

pub use advice::{
    AdviceReport, AdvisedNestReport, BlockedLoopReport, BriefAdvice, ChangeReport, CheckKind,
    CheckReport, FitReport, LegalityReport, RecordsReport,
};
pub use calls::{CalleeReport, CallsReport, CostsReport, PathReport};
pub use communication::{CommunicationReport, MessageReport};
pub use dependences::{DependenceReport, FusionReport, LoopTimesReport, SequenceReport};
pub use files::{DiagnosticReport, FileReport};
pub use functions::{EntryReport, FunctionReport, ListedReport};
pub use inputs::{MachineReport, ParameterReport, RootReport};
pub use levels::{CacheFitReport, CacheReport, LayerConditionReport, LeftReport, LevelReport};
pub use loops::{
    ArrayReport, BranchReport, CallReport, FlopsReport, LoopReport, ReasonReport, RepeatedReport,
    ScalarReport,
};
pub use measured::{InlinedReport, MeasuredReport, MeasuredTotalReport, UnjoinedTimeReport};
pub use nests::{
    CheckedReport, ExtentReport, NestReport, ReferencesReport, StreamReport, TrafficReport,
    WorkingSetReport, WorkingSetsReport,
};
pub use placement::{
    ArrayOfProgramReport, InterleavedArraysReport, InterleavedShareReport, PlacedPartReport,
    PlacedReport, PlacementReport,
};
pub use registers::{RegisterFileReport, RegistersReport};
pub use sensitivity::{SweepReport, SweptNestReport};
pub use subscripts::SubscriptReport;
pub use totals::{CoverageReport, ReasonCodeReport, TotalsReport};

/// Of the reports of `loopsheet analyze`.
pub const SCHEMA: &str = "loopsheet/static/1";

/// The whole analysis. Bytes and seconds are plain numbers in base units.
///
/// `F` is what stands for a function: its report, or one that is rendered already, since a big tree has more functions
/// than fit in memory comfortably as values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StaticReport<F = FunctionReport> {
    pub schema: String,
    pub machine: MachineReport,
    /// By name for `--set`.
    pub parameters: IndexMap<String, ParameterReport>,
    /// What of them the program is given, by influence.
    #[serde(default)]
    pub roots: Vec<RootReport>,
    /// Share of the time of all nests in those whose figures depend on guessed sizes or trip counts.
    #[serde(default)]
    pub on_guesses: crate::Figure,
    /// The same of branches whose probability is taken to be 0.5, as nothing says how often they are taken.
    #[serde(default)]
    pub on_even_branches: crate::Figure,
    #[serde(default)]
    pub files: Vec<FileReport>,
    /// Files that are not read, by extension.
    #[serde(default)]
    pub unread_files: BTreeMap<String, usize>,
    /// How much of the program is in it, where some functions are not to be listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listed: Option<ListedReport>,
    /// Where execution starts; empty where nothing says so, and every nest counts once.
    #[serde(default)]
    pub entry: Vec<EntryReport>,
    pub functions: Vec<F>,
    #[serde(default)]
    pub totals: TotalsReport,
    #[serde(default)]
    pub coverage: CoverageReport,
    /// What the codes of reasons mean that occur.
    #[serde(default)]
    pub reason_codes: IndexMap<String, ReasonCodeReport>,
    #[serde(default)]
    pub calls: CallsReport,
    /// Times over a range of single inputs, where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sensitivity: Option<Vec<SweepReport>>,
    /// What would make the costliest nests faster, by the time that it saves, where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<Vec<AdviceReport>>,
    /// What was measured in all, where times were given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<MeasuredTotalReport>,
    /// Arrays that may go to slower memory, where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placement: Option<PlacementReport>,
    /// `None` where nothing communicates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub communication: Option<CommunicationReport>,
}

impl StaticReport {
    /// Everything that a model has, without sensitivities; also the functions that outputs do not list.
    pub fn from_model(model: &Model) -> StaticReport {
        StaticReport::made(model, None, (Listed::All, |function| function))
    }

    /// # Errors
    /// The text is not what `loopsheet analyze --json` writes.
    pub fn parse(text: &str) -> Result<StaticReport, ReadError> {
        let hint = "it must come from `loopsheet analyze --json`";
        let report: StaticReport = read(text, SCHEMA, hint)?;
        for function in &report.functions {
            if let Some(id) = function.misplaced_loop() {
                return Err(ReadError::MisplacedLoop { id: id.to_string() });
            }
        }
        Ok(report)
    }
}

impl<F> StaticReport<F> {
    /// The same with what `each` makes of every function.
    pub fn map_functions<G>(self, each: impl FnMut(F) -> G) -> StaticReport<G> {
        StaticReport {
            schema: self.schema,
            machine: self.machine,
            parameters: self.parameters,
            roots: self.roots,
            on_guesses: self.on_guesses,
            on_even_branches: self.on_even_branches,
            files: self.files,
            unread_files: self.unread_files,
            listed: self.listed,
            entry: self.entry,
            functions: self.functions.into_iter().map(each).collect(),
            totals: self.totals,
            coverage: self.coverage,
            reason_codes: self.reason_codes,
            calls: self.calls,
            sensitivity: self.sensitivity,
            advice: self.advice,
            measured: self.measured,
            placement: self.placement,
            communication: self.communication,
        }
    }
}

impl<F: Send> StaticReport<F> {
    /// The same with what `each` makes of every function that is to be listed, right after it is made, and with the times
    /// over a range of single inputs and the advice that the model `swept` has, if any.
    pub fn with_functions(
        model: &Model,
        swept: Option<&Model>,
        each: impl Fn(FunctionReport) -> F + Sync,
    ) -> StaticReport<F> {
        StaticReport::made(model, swept, (Listed::Shown, each))
    }

    fn made(
        model: &Model,
        swept: Option<&Model>,
        each: (Listed, impl Fn(FunctionReport) -> F + Sync),
    ) -> StaticReport<F> {
        let influences = influence(model);
        StaticReport {
            schema: SCHEMA.to_string(),
            machine: MachineReport::of(&model.machine),
            parameters: inputs::parameters(model),
            roots: inputs::roots(&influences),
            on_guesses: influences.on_guesses.into(),
            on_even_branches: influences.on_even_branches.into(),
            files: model.program.files.iter().map(FileReport::of).collect(),
            unread_files: model.program.unread.clone(),
            listed: (each.0 == Listed::Shown && model.program.hides_some())
                .then(|| ListedReport::of(model)),
            entry: EntryReport::all(model),
            functions: functions_of(model, swept, each),
            totals: TotalsReport::of(model),
            coverage: CoverageReport::of(model),
            reason_codes: totals::reason_codes(model),
            calls: CallsReport::of(model),
            sensitivity: swept.map(sensitivity::sweeps),
            advice: swept.map(advice::all),
            measured: model.measured.as_ref().map(MeasuredTotalReport::of),
            placement: PlacementReport::of(model),
            communication: CommunicationReport::of(model),
        }
    }
}

/// The functions of a report.
#[derive(Clone, Copy, PartialEq)]
enum Listed {
    All,
    /// Those that outputs are to list.
    Shown,
}

fn functions_of<F: Send>(
    model: &Model,
    swept: Option<&Model>,
    (listed, each): (Listed, impl Fn(FunctionReport) -> F + Sync),
) -> Vec<F> {
    let advice = swept.map(advice::by_nest);
    let mut nests = vec![Vec::new(); model.program.functions.len()];
    for (index, nest) in model.nests.iter().enumerate() {
        nests[nest.nest.function].push(index);
    }
    let mut sequences = vec![Vec::new(); model.program.functions.len()];
    for sequence in &model.sequences {
        sequences[sequence.function].push(sequence);
    }
    let own = nests.par_iter().zip(sequences.par_iter()).enumerate();
    let is_listed = |index: usize| listed == Listed::All || model.program.functions[index].is_shown;
    own.filter(|(index, _)| is_listed(*index))
        .map(|(index, (nests, sequences))| {
            let mut function = FunctionReport::of(model, index, nests, sequences);
            for nest in &mut function.nests {
                let about = |advice: &HashMap<_, Vec<BriefAdvice>>| {
                    advice
                        .get(&(index, &*nest.head))
                        .cloned()
                        .unwrap_or_default()
                };
                nest.advice = advice.as_ref().map(about);
            }
            each(function)
        })
        .collect()
}
