//! Totals over all nests.

use super::build::NestModel;
use super::figures::{Figures, Unit};
use crate::expr::{Comparison, Expr, FigureId};

/// Sums over the nests of a model.
#[derive(Clone)]
pub struct Totals {
    pub flops: FigureId,
    pub weighted_flops: FigureId,
    pub traffic: FigureId,
    pub seconds: FigureId,
    /// Flops per byte of memory traffic, all nests together.
    pub intensity: FigureId,
}

impl Totals {
    pub(super) fn define(nests: &[NestModel], figures: &mut Figures) -> Totals {
        let mut total = |label: &str, unit: Unit, figure: &dyn Fn(&NestModel) -> FigureId| {
            figures.define_total(label, unit, nests.iter().map(figure))
        };
        let flops = total("total flops", Unit::Flops, &|n| n.operations.flops);
        let weighted_flops = total("total weighted flops", Unit::Flops, &|n| {
            n.operations.weighted
        });
        let traffic = total("total memory traffic", Unit::Bytes, &|n| n.traffic.actual);
        let seconds = total("total time", Unit::Seconds, &|n| n.time.seconds);
        let intensity = define_ratio(
            "total arithmetic intensity",
            Unit::FlopsPerByte,
            (flops, traffic),
            figures,
        );
        Totals {
            flops,
            weighted_flops,
            traffic,
            seconds,
            intensity,
        }
    }
}

/// A part over a whole; nothing where there is no whole.
pub(super) fn define_ratio(
    label: &'static str,
    unit: Unit,
    (part, whole): (FigureId, FigureId),
    figures: &mut Figures,
) -> FigureId {
    let (whole, none) = (Expr::from(whole), Expr::from(0.0));
    let ratio = Expr::from(part).quotient(whole.clone());
    let ratio = Expr::choose(Comparison::Greater, whole, none.clone(), ratio, none);
    figures.define(label, unit, ratio)
}
