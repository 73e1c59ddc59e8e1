//! Which cores of the machine a nest has: all of them, or the one that it runs on while the others wait (guide:
//! static-model, "Serial code").

use crate::expr::Expr;
use crate::machine::Level;
use crate::machine::parameters::level_name;

/// Which cores run a nest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunsOn {
    /// Each has its share of what they share.
    #[default]
    AllCores,
    /// One, which has all of every cache and of the memory.
    OneCore,
}

impl RunsOn {
    /// What tables say of it; nothing of what all cores run.
    pub fn mark(self) -> Option<&'static str> {
        (self == RunsOn::OneCore).then_some("serial")
    }

    /// How many cores.
    pub(super) fn cores(self) -> Expr {
        match self {
            RunsOn::AllCores => Expr::machine("cores"),
            RunsOn::OneCore => Expr::from(1.0),
        }
    }

    /// What a core has of a level, in bytes.
    pub(super) fn share(self, cache: &Level) -> Expr {
        let symbol = |what: &str| Expr::machine(&level_name(cache.index, what));
        match self {
            RunsOn::AllCores => symbol("bytes").quotient(symbol("shared_by")),
            RunsOn::OneCore => symbol("bytes"),
        }
    }

    /// The same as a number.
    pub(super) fn share_value(self, cache: &Level) -> f64 {
        match self {
            RunsOn::AllCores => cache.share(),
            RunsOn::OneCore => cache.bytes,
        }
    }
}
