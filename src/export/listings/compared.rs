//! What charts of a comparison tell apart.

use crate::compare::Quantity;

/// A kind of quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Series {
    Iterations,
    Flops,
    References,
    Traffic,
}

impl Series {
    /// In the order in which they are drawn.
    pub const ALL: [Series; 4] = [
        Series::Iterations,
        Series::Flops,
        Series::References,
        Series::Traffic,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Series::Iterations => "Iterations",
            Series::Flops => "Flops",
            Series::References => "Loads and stores",
            Series::Traffic => "Bytes behind caches",
        }
    }

    /// `None` for quantities that are in no chart.
    pub fn of(quantity: &Quantity) -> Option<Series> {
        match quantity {
            Quantity::Iterations => Some(Series::Iterations),
            Quantity::Operations(_) => Some(Series::Flops),
            Quantity::Object(..) => Some(Series::References),
            Quantity::Traffic { .. } => Some(Series::Traffic),
            _ => None,
        }
    }
}
