//! What a run over a trace is to count, and how.

use crate::cache::CacheSpec;
use crate::cache::hierarchy::HierarchyError;
use crate::cache::spec::SpecError;
use crate::dataflow::Rules;

use super::blame::BlameSettings;
use super::costs::Costs;
use super::epoch::{EpochError, EpochSettings};
use super::out_of_order::{CoreModel, Place};
use super::varied_core::CoreParameter;

/// What to count and how. By default the graph alone, with true dependences, one cycle an instruction and no cache.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    pub rules: Rules,
    /// Nearest first; without levels every access goes to RAM.
    pub caches: Vec<CacheSpec>,
    /// More hierarchies, with each of which the graph is counted too.
    pub other_caches: Vec<Vec<CacheSpec>>,
    pub costs: Costs,
    /// Leave out the vertices that EDAN has none for, and send atomics to RAM.
    pub like_edan: bool,
    /// Bytes of a line for reuse distances, if they are asked for.
    pub reuse_line: Option<u64>,
    pub remote: Option<RemoteSettings>,
    pub epochs: Option<EpochSettings>,
    /// Find which instructions are on the deepest chain of RAM accesses.
    pub memory_chain: bool,
    /// Find the depth for every latency of RAM.
    pub by_latency: bool,
    /// Find the depth for every time that a byte takes from or to RAM, with this latency of an access in cycles.
    pub by_bandwidth: Option<u64>,
    /// Find who causes pure miss cycles and epochs.
    pub blame: Option<BlameSettings>,
    /// The out-of-order core whose accesses are timed, if that is asked for, and its cycles of each class.
    pub core: Option<(CoreModel, Costs)>,
    /// Parameters of that core with values to try too, each with the others as they are.
    pub varied: Vec<(CoreParameter, u32)>,
    /// What is in slower memory in more cores like that one, which run beside it.
    pub other_places: Vec<Vec<Place>>,
    /// Machines nearly like a core, which differ in what is in slower memory.
    pub layouts: Option<LayoutSettings>,
    /// Keep the executions if they are no more than this, to draw the graph.
    pub keep: usize,
}

impl Settings {
    /// The same core over the same trace, and nothing else.
    pub fn of_core_alone(&self) -> Settings {
        Settings {
            rules: self.rules,
            caches: self.caches.clone(),
            other_caches: Vec::new(),
            costs: self.costs.clone(),
            like_edan: self.like_edan,
            reuse_line: None,
            remote: None,
            epochs: None,
            memory_chain: false,
            by_latency: false,
            by_bandwidth: None,
            blame: None,
            core: self.core.clone(),
            varied: Vec::new(),
            other_places: Vec::new(),
            layouts: None,
            keep: 0,
        }
    }

    /// Whether it takes the addresses of accesses to answer.
    pub fn needs_addresses(&self) -> bool {
        let has_caches = !self.caches.is_empty() || !self.other_caches.is_empty();
        has_caches || self.epochs.is_some() || self.reuse_line.is_some()
    }
}

/// Machines nearly like a core, which need not run itself.
#[derive(Clone, Debug)]
pub struct LayoutSettings {
    pub model: CoreModel,
    /// Cycles of each class of instructions.
    pub costs: Costs,
    /// Of each machine, what is in slower memory.
    pub places: Vec<Vec<Place>>,
}

/// Why a run cannot start.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    #[error(transparent)]
    Hierarchy(#[from] HierarchyError),
    #[error("--line: {0}")]
    Line(#[from] SpecError),
    #[error("--epochs")]
    Epochs(#[from] EpochError),
}

/// What if a share of the RAM accesses were remote?
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RemoteSettings {
    /// Share of the RAM accesses that are remote, 0 to 1.
    pub share: f64,
    /// Cycles that a remote access takes more.
    pub delay: u64,
    /// Cycles of a local one.
    pub latency: u64,
    pub trials: u32,
    pub seed: u64,
}
