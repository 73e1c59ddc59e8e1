//! What a comparison reads of the two reports: the parts of their JSON that it needs. Unknown keys are left alone.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::metrics::profile::SourceProfile;
use crate::model::parameters::Kind;

/// Schema of the reports of `loopsheet analyze`.
pub const STATIC: &str = "loopsheet/static/1";
/// Schema of the reports of `loopsheet trace`.
pub const TRACE: &str = "loopsheet/trace/1";

#[derive(Clone, Debug, Deserialize)]
pub struct StaticReport {
    pub machine: Machine,
    pub parameters: BTreeMap<String, Parameter>,
    pub functions: Vec<Function>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Machine {
    pub name: String,
    pub line_bytes: Option<f64>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Parameter {
    pub value: Option<f64>,
    pub origin: String,
    /// As the source writes it.
    pub source_name: String,
    /// What it is for.
    #[serde(default)]
    pub kind: Kind,
    /// Where it stands for that name; everywhere if there are none.
    #[serde(default)]
    pub functions: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Function {
    pub name: String,
    pub file: String,
    pub line: u32,
    /// Absent where nothing calls anything.
    pub times_called: Option<f64>,
    pub loops: Vec<Loop>,
    pub nests: Vec<Nest>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Loop {
    pub id: String,
    /// Where it is another one than the function's.
    pub file: Option<String>,
    pub line: u32,
    pub end_line: u32,
    pub depth: usize,
    pub var: String,
    pub lower: String,
    pub upper: String,
    pub step: String,
    pub parent: Option<String>,
    /// It may be left before its bounds say so.
    #[serde(default)]
    pub exits_early: bool,
    pub arrays: Vec<Array>,
    /// Of its own code, every operator once.
    #[serde(default)]
    pub flops: Flops,
    /// Of these, those that do again what the same iteration has done.
    #[serde(default)]
    pub repeated: Repeated,
    #[serde(default)]
    pub branches: Vec<Branch>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub struct Repeated {
    pub adds: f64,
    pub multiplies: f64,
    pub divides: f64,
    pub specials: f64,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub struct Flops {
    pub adds: f64,
    pub multiplies: f64,
    pub divides: f64,
}

/// A condition whose outcome the source does not tell.
#[derive(Clone, Debug, Deserialize)]
pub struct Branch {
    /// Where its condition stands.
    #[serde(default)]
    pub line: u32,
    /// Name of the parameter that holds the probability of the first arm.
    pub probability: String,
    /// Lines of the first arm, and of the other one.
    pub then: Option<(u32, u32)>,
    pub otherwise: Option<(u32, u32)>,
}

impl Branch {
    /// Whether a line lies in one of its arms.
    pub fn guards(&self, line: u32) -> bool {
        let mut arms = self.then.iter().chain(&self.otherwise);
        arms.any(|(first, last)| (*first..=*last).contains(&line))
    }
}

#[derive(Clone, Debug, Deserialize)]
pub struct Array {
    pub name: String,
    /// Member of a structure, if it is one.
    #[serde(default)]
    pub component: String,
    /// `None` where the type is not known.
    #[serde(default)]
    pub element_bytes: Option<f64>,
    pub subscripts: Vec<String>,
    pub accesses: Vec<Access>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Access {
    /// Distance from the subscripts, by dimension.
    #[serde(default)]
    pub offset: Vec<serde_json::Value>,
    pub reads: f64,
    pub writes: f64,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Nest {
    /// The loop that stands for it.
    #[serde(rename = "loop")]
    pub head: String,
    /// All loops around its innermost code, outermost first.
    pub loops: Vec<String>,
    pub iterations: Option<f64>,
    pub adds: Option<f64>,
    pub multiplies: Option<f64>,
    pub divides: Option<f64>,
    pub specials: Option<f64>,
    pub working_set: WorkingSets,
    pub references: Vec<References>,
    #[serde(default)]
    pub streams: Vec<Stream>,
    #[serde(default)]
    pub caches: Vec<Cache>,
    pub seconds: Option<f64>,
    #[serde(default)]
    pub reasons: Vec<String>,
    pub loop_iterations: Vec<Option<f64>>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct WorkingSets {
    pub actual: WorkingSet,
    pub footprint: Option<f64>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct WorkingSet {
    pub plane: Option<f64>,
    pub pencil: Option<f64>,
}

/// References to an array over the whole execution of a nest.
#[derive(Clone, Debug, Deserialize)]
pub struct References {
    pub array: String,
    pub loads: Option<f64>,
    pub stores: Option<f64>,
    pub element_bytes: f64,
}

/// What a nest touches of an array.
#[derive(Clone, Debug, Deserialize)]
pub struct Stream {
    pub name: String,
    pub footprint: Option<f64>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Cache {
    pub name: String,
    pub capacity: Option<f64>,
    pub bytes: Option<f64>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct TraceReport {
    pub trace: TraceSummary,
    #[serde(default)]
    pub cache: Vec<TraceCache>,
    pub source: SourceProfile,
    #[serde(default)]
    pub regions: Vec<Region>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct TraceSummary {
    pub path: String,
    pub instructions: u64,
}

#[derive(Clone, Debug, Deserialize)]
pub struct TraceCache {
    pub size: u64,
    #[serde(default)]
    pub line: u64,
}

/// Figures of a nest that do not add up from lines.
#[derive(Clone, Debug, Deserialize)]
pub struct Region {
    pub kind: String,
    pub name: String,
    #[serde(flatten)]
    pub metrics: BTreeMap<String, serde_json::Value>,
}
