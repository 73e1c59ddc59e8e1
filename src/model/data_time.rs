//! How long the data of a nest take, where not all of them move.

use super::figures::Figures;
use super::irregular;
use super::nest_model::NestModel;
use super::time::{LevelFigures, LevelKind};
use crate::expr::Expr;
use crate::machine::MachineModel;

/// What of a nest's lines and pages moves.
pub(super) struct Moves<'m> {
    /// By cache: 0 if nothing does, else 1.
    pub of_cache: &'m dyn Fn(usize) -> Expr,
    /// Pages that the TLB does not hold.
    pub pages: Option<Expr>,
    /// Seconds of lines that others of their sets evict.
    pub conflicts: Option<Expr>,
    /// Seconds of loads and stores that wait for all lines of memory.
    pub waiting: Option<Expr>,
}

/// The times of all levels as far as their lines move, those of memory with what is added to them.
pub(super) fn data(
    nest: &NestModel,
    Moves {
        of_cache: moves,
        pages,
        conflicts,
        waiting,
    }: Moves,
    machine: &MachineModel,
    figures: &Figures,
) -> Vec<Expr> {
    let irregular = nest.time.irregular.and_then(|found| {
        let parts = irregular::Parts {
            moves,
            pages,
            conflicts,
            in_turn: found.in_turn,
        };
        irregular::seconds(machine, &nest.levels, parts, figures)
    });
    let level = |level: &LevelFigures| {
        let waiting = waiting.iter().filter(|_| level.kind == LevelKind::Memory);
        let seconds = Expr::sum([level.seconds.into()].into_iter().chain(waiting.cloned()));
        let seconds = match level.behind {
            Some(cache) => seconds * moves(cache),
            None => seconds,
        };
        match (level.kind, &irregular) {
            (LevelKind::Memory, Some(irregular)) => seconds + irregular.clone(),
            _ => seconds,
        }
    };
    nest.time.levels.iter().map(level).collect()
}
