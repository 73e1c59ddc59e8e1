//! Caches that a nest's last execution has filled.

use crate::bandwidth;
use crate::catalogue::StaticFigure as F;
use crate::expr::{Expr, FigureId};
use crate::figures::Figures;
use crate::machine::parameters::WARM;

/// The capacity from which on a nest finds all of its data again.
pub fn define_found_again(cold: FigureId, figures: &mut Figures) -> FigureId {
    const MORE_THAN_ANY: f64 = 1e99;
    let bytes =
        bandwidth::where_positive(Expr::machine(WARM), Expr::from(cold), MORE_THAN_ANY.into());
    figures.define(F::FoundIfHeld, bytes)
}
