//! What advice is about.

/// Kinds of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AdviceKind {
    Block,
    Interchange,
    Fuse,
    StreamingStores,
    SplitRecords,
    LargerCache,
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
        }
    }
}
