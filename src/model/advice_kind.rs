//! What advice is about.

use serde::{Deserialize, Serialize};

/// Kinds of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AdviceKind {
    Block,
    Interchange,
    Fuse,
    StreamingStores,
    SplitRecords,
    LargerCache,
    ReorderSums,
    IndependentWork,
}

impl AdviceKind {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            AdviceKind::Block => "blocked",
            AdviceKind::Interchange => "loops interchanged",
            AdviceKind::Fuse => "fused",
            AdviceKind::StreamingStores => "streaming stores",
            AdviceKind::SplitRecords => "records split into arrays",
            AdviceKind::LargerCache => "larger cache",
            AdviceKind::ReorderSums => "sums reordered",
            AdviceKind::IndependentWork => "nothing waits",
        }
    }
}
