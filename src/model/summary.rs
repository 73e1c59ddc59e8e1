//! Totals over all nests.

use super::catalogue::StaticFigure as F;
use super::figures::Figures;
use super::nest_model::NestModel;
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
    /// Every nest's part of the total time, in the order of the nests.
    pub shares: Vec<FigureId>,
}

impl Totals {
    pub(super) fn define(nests: &[NestModel], figures: &mut Figures) -> Totals {
        let mut total = |kind: F, figure: &dyn Fn(&NestModel) -> FigureId| {
            figures.define_total(kind, nests.iter().map(figure))
        };
        let flops = total(F::TotalFlops, &|n| n.operations.flops);
        let weighted_flops = total(F::TotalWeightedFlops, &|n| n.operations.weighted);
        let traffic = total(F::TotalTraffic, &|n| n.traffic.actual);
        let seconds = total(F::TotalTime, &|n| n.time.seconds);
        let mut ratio = |kind: F, part: FigureId, whole: FigureId| {
            let (whole, none) = (Expr::from(whole), Expr::from(0.0));
            let ratio = Expr::from(part).quotient(whole.clone());
            figures.define(
                kind,
                Expr::choose(Comparison::Greater, whole, none.clone(), ratio, none),
            )
        };
        let intensity = ratio(F::TotalIntensity, flops, traffic);
        let shares = nests
            .iter()
            .map(|n| ratio(F::ShareOfTime, n.time.seconds, seconds))
            .collect();
        Totals {
            flops,
            weighted_flops,
            traffic,
            seconds,
            intensity,
            shares,
        }
    }
}
