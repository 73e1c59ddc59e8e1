//! Totals over all nests.

use super::all_calls;
use super::catalogue::StaticFigure as F;
use super::figures::Figures;
use super::nest_model::NestModel;
use super::ranking::Ranking;
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

/// The sums of the nests whose figures are all known, and which nests have others.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KnownTotals {
    pub flops: f64,
    pub weighted_flops: f64,
    pub traffic: f64,
    pub seconds: f64,
    /// Indices of the nests that are not in the sums.
    pub unknown: Vec<usize>,
}

impl KnownTotals {
    /// Each nest once.
    pub fn of(nests: &[NestModel], figures: &Figures) -> KnownTotals {
        KnownTotals::weighted(nests, figures, |_| Some((1.0, None)))
    }

    /// Each nest as often as its function is called; `None` where calls are not followed.
    pub fn over_calls(
        nests: &[NestModel],
        ranking: &Ranking,
        figures: &Figures,
    ) -> Option<KnownTotals> {
        let all_calls = |nest: usize| {
            let ranked = ranking.of(nest)?;
            let calls = ranked.calls?;
            let known = ranking.revisits(nest).map(|found| {
                let bytes = all_calls::traffic(&nests[nest], calls, Some(found));
                let bytes = bytes.evaluate(figures).unwrap_or(f64::NAN);
                (bytes, figures.value(ranked.seconds))
            });
            Some((figures.value(calls), known))
        };
        let follows_calls = ranking.follows_calls;
        follows_calls.then(|| KnownTotals::weighted(nests, figures, all_calls))
    }

    /// Each nest so many times, or with this traffic and time; those without a weight do not count.
    fn weighted(
        nests: &[NestModel],
        figures: &Figures,
        weight: impl Fn(usize) -> Option<(f64, Option<(f64, f64)>)>,
    ) -> KnownTotals {
        let mut totals = KnownTotals::default();
        for (index, nest) in nests.iter().enumerate() {
            let Some((weight, known)) = weight(index) else {
                continue;
            };
            let parts = [
                nest.operations.flops,
                nest.operations.weighted,
                nest.traffic.actual,
                nest.time.seconds,
            ]
            .map(|id| weight * figures.value(id));
            let [flops, weighted, traffic, seconds] = parts;
            let (traffic, seconds) = known.unwrap_or((traffic, seconds));
            let parts = [flops, weighted, traffic, seconds];
            if parts.iter().all(|part| part.is_finite()) {
                let [flops, weighted_flops, traffic, seconds] = parts;
                totals.flops += flops;
                totals.weighted_flops += weighted_flops;
                totals.traffic += traffic;
                totals.seconds += seconds;
            } else {
                totals.unknown.push(index);
            }
        }
        totals
    }
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
        let intensity = define_ratio(F::TotalIntensity, (flops, traffic), figures);
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
    kind: F,
    (part, whole): (FigureId, FigureId),
    figures: &mut Figures,
) -> FigureId {
    let (whole, none) = (Expr::from(whole), Expr::from(0.0));
    let ratio = Expr::from(part).quotient(whole.clone());
    let ratio = Expr::choose(Comparison::Greater, whole, none.clone(), ratio, none);
    figures.define(kind, ratio)
}
