//! How long the data of a nest take, where not all of them move.

use super::figures::Figures;
use super::irregular;
use super::nest_model::NestModel;
use crate::expr::Expr;
use crate::machine::MachineModel;

/// What of a nest's lines and pages moves.
pub(super) struct Moves<'m> {
    /// By cache: 0 if nothing does, else 1.
    pub of_cache: &'m dyn Fn(usize) -> Expr,
    /// Pages that the TLB does not hold.
    pub pages: Option<Expr>,
}

/// The times of all levels, and of irregular lines on top of the longest, as far as these move.
pub(super) fn data(
    nest: &NestModel,
    Moves {
        of_cache: moves,
        pages,
    }: Moves,
    machine: &MachineModel,
    figures: &Figures,
) -> Vec<Expr> {
    let regular = nest.time.levels.iter().map(|level| {
        let seconds = Expr::from(level.seconds);
        match level.behind {
            Some(cache) => seconds * moves(cache),
            None => seconds,
        }
    });
    let regular: Vec<Expr> = regular.collect();
    if nest.time.irregular.is_none() {
        return regular;
    }
    let irregular = irregular::seconds(machine, &nest.levels, (moves, pages), figures);
    vec![Expr::max(regular) + irregular.unwrap_or(0.0.into())]
}
