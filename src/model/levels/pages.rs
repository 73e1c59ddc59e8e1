//! Which pages of irregular accesses does the TLB not hold? The rule of lines, for pages: a reuse finds its
//! page if all pages touched in between fit (guide: static-model, "Irregular lines").

use super::cells::profile;
use super::geometry::Geometry;
use super::warm::define_found_again;
use super::{Irregular, profiled};
use crate::bandwidth;
use crate::catalogue::StaticFigure as F;
use crate::expr::{Comparison, Expr, FigureId};
use crate::figures::{Detail, Figures};
use crate::machine::MachineModel;
use crate::machine::parameters::WARM;
use crate::nest::Nest;
use crate::parameters::ParameterTable;

/// Pages of a nest with irregular accesses.
#[derive(Clone, Copy)]
pub struct Pages<T> {
    /// How many the TLB does not hold.
    pub missed: T,
    /// Bytes of all pages of the nest once.
    pub touched: T,
}

/// As numbers; `value` knows the symbols of the source and of the machine.
pub(super) fn count(nest: &Nest, value: &dyn Fn(&Expr) -> f64) -> Pages<f64> {
    let [page, reach, warm] =
        ["page_bytes", "tlb_bytes", WARM].map(|name| value(&Expr::machine(name)));
    let (pages, _) = profiled(nest, value, None, ("page_bytes", Irregular::Counted.into()));
    let touched = pages.cold * page;
    let missed = match warm > 0.0 && touched <= reach {
        true => 0.0,
        false => pages.unforeseen_through(reach),
    };
    Pages { missed, touched }
}

/// The same as a formula; `None` where the machine does not say what the buffer holds.
pub(super) fn define(
    nest: &Nest,
    (geometry, machine): (&Geometry, &MachineModel),
    parameters: &ParameterTable,
    figures: &mut Figures,
) -> Option<Pages<FigureId>> {
    let any_machine = figures.detail() == Detail::AnyMachine;
    if !any_machine && !machine.has_translation() {
        return None;
    }
    let page = Expr::machine("page_bytes");
    let unit = (&page, Irregular::Counted.into());
    let pages = profile(nest, &geometry.of_pages(), unit, parameters, figures);
    let reach = Expr::machine("tlb_bytes");
    let missed = pages
        .reuses
        .iter()
        .filter(|reuse| !reuse.unforeseen.is_zero());
    let missed = missed.map(|reuse| {
        let (distance, none) = (reuse.distance.clone(), 0.0.into());
        let again = reuse.unforeseen.clone();
        Expr::choose(
            Comparison::LessOrEqual,
            distance,
            reach.clone(),
            none,
            again,
        )
    });
    let missed = Expr::sum(missed.chain([pages.unforeseen.clone()]));
    let touched = figures.define(F::PagesTouched, pages.cold * page);
    let found = define_found_again(touched, figures);
    let (found, none) = (Expr::from(found), Expr::from(0.0));
    let missed = Expr::choose(Comparison::LessOrEqual, found, reach.clone(), none, missed);
    let missed = match any_machine {
        true => bandwidth::where_positive(reach, missed, 0.0.into()),
        false => missed,
    };
    let missed = figures.define(F::PagesMissed, missed);
    Some(Pages { missed, touched })
}
