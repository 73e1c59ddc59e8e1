//! A function with everything in it.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};

use super::calls::{self, CalleeReport, CostsReport};
use super::communication::{self, MessageReport};
use super::dependences::{self, DependenceReport, SequenceReport};
use super::loops::{self, BranchReport, LoopReport};
use super::nests::NestReport;
use crate::Figure;
use crate::model::dependencies::SequenceModel;
use crate::model::{Model, NestModel};

/// A function of the program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FunctionReport {
    pub name: String,
    pub file: String,
    pub line: u32,
    /// Absent where it is not known, and of one that contains others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_line: Option<u32>,
    /// Each before those inside of it.
    pub loops: Vec<LoopReport>,
    pub nests: Vec<NestReport>,
    #[serde(default)]
    pub dependencies: Vec<DependenceReport>,
    #[serde(default)]
    pub sequences: Vec<SequenceReport>,
    /// How often it is called in all. This and what follows is absent where nothing calls anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times_called: Option<Figure>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one_call: Option<CostsReport>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one_call_with_callees: Option<CostsReport>,
    /// All calls together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executed: Option<CostsReport>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub callees: Option<Vec<CalleeReport>>,
    /// Absent where nothing is communicated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub communication: Vec<MessageReport>,
    /// The parameters that symbols in the bounds of its loops stand for, where these have other names, as members of
    /// structures do; not in JSON.
    #[serde(skip)]
    pub bound_parameters: BTreeMap<String, String>,
    /// Conditions outside its loops; not in JSON.
    #[serde(skip)]
    pub branches: Vec<BranchReport>,
}

impl FunctionReport {
    /// A loop that is said to be inside of itself or of one that comes after it.
    pub(super) fn misplaced_loop(&self) -> Option<&str> {
        let mut before = HashSet::new();
        for one in &self.loops {
            let parent = one.parent.as_deref();
            if !parent.is_none_or(|parent| before.contains(parent)) {
                return Some(&one.id);
            }
            before.insert(one.id.as_str());
        }
        None
    }

    /// The function with this index, with the indices of its nests.
    pub(super) fn of(
        model: &Model,
        index: usize,
        nests: &[usize],
        sequences: &[&SequenceModel],
    ) -> FunctionReport {
        let function = &model.program.functions[index];
        let figures = model.calls.as_ref().map(|calls| &calls.functions[index]);
        FunctionReport {
            name: function.name.clone(),
            file: function.file.to_string(),
            line: function.line,
            end_line: function.end_line,
            loops: loops::loops(model, index),
            nests: nests
                .iter()
                .map(|nest| NestReport::of(model, *nest))
                .collect(),
            dependencies: dependences::dependencies(sequences),
            sequences: sequences
                .iter()
                .map(|sequence| SequenceReport::of(model, sequence))
                .collect(),
            times_called: figures
                .filter(|_| model.reaches(index))
                .map(|figures| Figure::of(model, figures.times)),
            one_call: figures.map(|figures| CostsReport::of(model, &figures.own)),
            one_call_with_callees: figures
                .map(|figures| CostsReport::of(model, &figures.inclusive)),
            executed: figures.map(|figures| CostsReport::of(model, &figures.executed)),
            callees: calls::callees(model, index),
            communication: communication::of_function(model, index),
            branches: loops::branches_outside(model, index),
            bound_parameters: loops::bound_parameters(model, index),
        }
    }

    /// How often it is called in all; once where nothing calls anything, or not reached by any call that could be followed from where a run begins.
    pub fn calls(&self) -> f64 {
        self.times_called.and_then(Figure::known).unwrap_or(1.0)
    }
}

/// How much of the program a report lists.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ListedReport {
    pub functions: usize,
    pub of_functions: usize,
    pub nests: usize,
    pub of_nests: usize,
}

impl ListedReport {
    pub(super) fn of(model: &Model) -> ListedReport {
        let functions = &model.program.functions;
        let is_shown = |nest: &&NestModel| nest.nest.is_shown();
        ListedReport {
            functions: functions.iter().filter(|one| one.is_shown).count(),
            of_functions: functions.len(),
            nests: model.nests.iter().filter(is_shown).count(),
            of_nests: model.nests.len(),
        }
    }
}

/// A function that a run begins with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EntryReport {
    pub name: String,
    pub file: String,
    pub line: u32,
}

impl EntryReport {
    pub(super) fn all(model: &Model) -> Vec<EntryReport> {
        let entry = |index: &usize| {
            let function = &model.program.functions[*index];
            EntryReport {
                name: function.name.clone(),
                file: function.file.to_string(),
                line: function.line,
            }
        };
        model.entries().iter().map(entry).collect()
    }
}
