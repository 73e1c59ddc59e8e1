//! Operations of a nest: of one iteration, and of the whole execution.

use super::catalogue::StaticFigure as F;
use super::figures::Figures;
use super::nest::{Content, Nest, weight_expr};
use crate::analysis::facts::OperationCounts;
use crate::expr::{Expr, FigureId, Symbol};

/// Operations of one nest over the whole execution, branches weighted by their probability.
#[derive(Clone, Copy)]
pub struct OperationFigures {
    pub adds: FigureId,
    pub multiplies: FigureId,
    pub divides: FigureId,
    pub specials: FigureId,
    pub fma_pairs: FigureId,
    /// adds + multiplies + divides + specials.
    pub flops: FigureId,
    /// The same with divisions and specials at their cost.
    pub weighted: FigureId,
    /// Numbers that are written or read as text, where there are any.
    pub texts: Option<FigureId>,
    pub iteration: IterationOperations,
}

/// Operations of one iteration of the innermost loop, branches weighted by their probability.
/// What the loops around it do themselves is not in here, but in the totals.
#[derive(Clone, Copy)]
pub struct IterationOperations {
    pub adds: FigureId,
    pub multiplies: FigureId,
    pub divides: FigureId,
    pub specials: FigureId,
    pub fma_pairs: FigureId,
    /// adds + multiplies + divides + specials.
    pub flops: FigureId,
}

/// Defines them; `iterations` are those of code with n loops around it, at index n.
pub(super) fn define(
    nest: &Nest,
    iterations: &[Expr],
    symbol: &dyn Fn(&Symbol) -> Expr,
    figures: &mut Figures,
) -> OperationFigures {
    let innermost = nest.loops.len();
    // One iteration of the innermost loop, and everything.
    let mut total = |each: F, all: F, kind: fn(OperationCounts) -> u64| {
        let count = |content: &Content| {
            let count = Expr::from(kind(content.flops.total()) as f64);
            count * weight_expr(&content.weight, symbol)
        };
        let (inside, outside): (Vec<&Content>, Vec<&Content>) = nest
            .contents
            .iter()
            .partition(|content| content.level == innermost);
        let iteration = Expr::sum(inside.into_iter().map(count));
        let iteration = figures.define(each, iteration);
        let inside = Expr::from(iteration) * iterations[innermost].clone();
        let outside = outside
            .into_iter()
            .map(|content| count(content) * iterations[content.level].clone());
        let total = Expr::sum(std::iter::once(inside).chain(outside));
        (iteration, figures.define(all, total))
    };
    let (adds_each, adds) = total(F::AddsPerIteration, F::Adds, |c| c.adds);
    let (multiplies_each, multiplies) =
        total(F::MultipliesPerIteration, F::Multiplies, |c| c.multiplies);
    let (divides_each, divides) = total(F::DividesPerIteration, F::Divides, |c| c.divides);
    let (specials_each, specials) = total(F::SpecialsPerIteration, F::Specials, |c| c.specials);
    let (fma_pairs_each, fma_pairs) = total(F::FmaPairsPerIteration, F::FmaPairs, |c| c.fma_pairs);
    let sum = [adds_each, multiplies_each, divides_each, specials_each].map(Expr::from);
    let iteration = IterationOperations {
        adds: adds_each,
        multiplies: multiplies_each,
        divides: divides_each,
        specials: specials_each,
        fma_pairs: fma_pairs_each,
        flops: figures.define(F::FlopsPerIteration, Expr::sum(sum)),
    };
    let sum = [adds, multiplies, divides, specials].map(Expr::from);
    let flops = figures.define(F::Flops, Expr::sum(sum));
    let [adds_, multiplies_, divides_, specials_, fused] =
        [adds, multiplies, divides, specials, fma_pairs].map(Expr::from);
    let weighted = adds_
        + multiplies_
        + Expr::machine("cost_div") * divides_
        + Expr::machine("cost_special") * specials_
        - Expr::machine("fma_aware") * fused;
    let weighted = figures.define(F::WeightedFlops, weighted);
    let texts = nest.contents.iter().filter(|content| content.texts > 0);
    let texts: Vec<Expr> = texts
        .map(|content| {
            let each = Expr::from(content.texts as f64) * weight_expr(&content.weight, symbol);
            each * iterations[content.level].clone()
        })
        .collect();
    let texts = (!texts.is_empty()).then(|| figures.define(F::Texts, Expr::sum(texts)));
    OperationFigures {
        adds,
        multiplies,
        divides,
        specials,
        fma_pairs,
        flops,
        weighted,
        texts,
        iteration,
    }
}
