//! Totals over all nests.

use super::build::NestModel;
use super::figures::{Figures, Unit};
use crate::expr::{Expr, FigureId};

/// Sums over the nests of a model.
#[derive(Clone)]
pub struct Totals {
    pub flops: FigureId,
    pub weighted_flops: FigureId,
    pub traffic: FigureId,
    pub seconds: FigureId,
}

impl Totals {
    pub(super) fn define(nests: &[NestModel], figures: &mut Figures) -> Totals {
        let mut total = |label: &str, unit: Unit, figure: &dyn Fn(&NestModel) -> FigureId| {
            let sum = Expr::sum(nests.iter().map(|nest| Expr::from(figure(nest))));
            figures.define(label, unit, sum)
        };
        Totals {
            flops: total("total flops", Unit::Flops, &|n| n.operations.flops),
            weighted_flops: total("total weighted flops", Unit::Flops, &|n| n.operations.weighted),
            traffic: total("total memory traffic", Unit::Bytes, &|n| n.traffic.actual),
            seconds: total("total time", Unit::Seconds, &|n| n.time.seconds),
        }
    }
}
