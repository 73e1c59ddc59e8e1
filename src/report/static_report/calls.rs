//! Calls: how often what is called, and the costliest paths.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Figure;
use crate::analysis::coverage::unknown_calls;
use crate::model::{CallPath, Costs, KnownTotals, Model};

/// All of the program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CallsReport {
    /// Calls of functions whose bodies are known.
    pub known: usize,
    /// Names of the others, with how many calls there are.
    pub unknown: BTreeMap<String, usize>,
    /// The costliest first.
    pub paths: Vec<PathReport>,
}

impl CallsReport {
    pub(super) fn of(model: &Model) -> CallsReport {
        let unknown = unknown_calls(model.program).into_iter();
        let paths = model
            .calls
            .iter()
            .flat_map(|calls| calls.ranked_paths(&model.figures));
        CallsReport {
            known: model.call_graph.sites.len(),
            unknown: unknown
                .map(|(name, count)| (name.to_string(), count))
                .collect(),
            paths: paths.map(|path| PathReport::of(model, path)).collect(),
        }
    }
}

/// A way from a function that nothing calls to a nest, and what that costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PathReport {
    #[serde(flatten)]
    pub costs: CostsReport,
    /// Their names, the nest's own last.
    pub functions: Vec<String>,
    pub nest: String,
    /// Number of calls of the last function along this path.
    pub calls: Figure,
}

impl PathReport {
    fn of(model: &Model, path: &CallPath) -> PathReport {
        let names = path
            .functions
            .iter()
            .map(|function| model.program.functions[*function].name.clone());
        PathReport {
            costs: CostsReport::of(model, &path.costs),
            functions: names.collect(),
            nest: model.nests[path.nest].nest.head().id.clone(),
            calls: Figure::of(model, path.times),
        }
    }
}

/// Flops, bytes of memory traffic, seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CostsReport {
    pub flops: Figure,
    pub bytes: Figure,
    pub seconds: Figure,
}

impl CostsReport {
    pub(super) fn of(model: &Model, costs: &Costs) -> CostsReport {
        CostsReport {
            flops: Figure::of(model, costs.flops),
            bytes: Figure::of(model, costs.traffic),
            seconds: Figure::of(model, costs.seconds),
        }
    }
}

impl From<&KnownTotals> for CostsReport {
    fn from(known: &KnownTotals) -> CostsReport {
        CostsReport {
            flops: known.flops.into(),
            bytes: known.traffic.into(),
            seconds: known.seconds.into(),
        }
    }
}

/// A call of a function of the program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CalleeReport {
    pub name: String,
    pub file: String,
    /// Of the call.
    pub line: u32,
    /// In one call of the caller.
    pub calls: Figure,
    pub calls_in_all: Figure,
}

/// Whom a function calls; `None` where nothing calls anything.
pub(super) fn callees(model: &Model, function: usize) -> Option<Vec<CalleeReport>> {
    let calls = model.calls.as_ref()?;
    let callee = |index: usize| {
        let site = &model.call_graph.sites[index];
        let callee = &model.program.functions[site.callee];
        CalleeReport {
            name: callee.name.clone(),
            file: callee.file.to_string(),
            line: site.line,
            calls: Figure::of(model, calls.sites[index].runs),
            calls_in_all: Figure::of(model, calls.sites[index].times),
        }
    };
    Some(calls.sites_in(function).map(callee).collect())
}
