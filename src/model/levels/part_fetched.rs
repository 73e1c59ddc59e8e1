//! Parts of the lines that a cache fetches: what is fetched only to be written, and what no prefetcher predicts.

use std::sync::Arc;

use super::reuse_figures::ReuseFigures;
use super::{Profile, Reuse};
use crate::bandwidth;
use crate::catalogue::StaticFigure as F;
use crate::expr::{Comparison, Expr, FigureId};
use crate::figures::{Detail, Figures};
use crate::label::Subject;
use crate::machine::Level;

/// The parameter that says whether what is written is fetched first: 2, or written to memory right away: 1.
pub const COST_W: &str = "cost_w";

/// The lines of a reuse that are of a part.
type PartOf = fn(&Reuse<Expr>) -> &Expr;

/// Bytes of a part of the lines that are fetched: those of arrays that are only written, or before they are read; or
/// those that no prefetcher predicts.
pub struct PartFetched {
    /// All lines once.
    least: FigureId,
    /// Bytes touched before a reuse, and what it fetches again if these do not fit.
    again: Vec<(FigureId, FigureId)>,
}

impl PartFetched {
    /// `None` if nothing is; `defined` are the profile's reuses but those of nothing.
    pub fn define(
        kind: F,
        least: &Expr,
        (profile, part): (&Profile<Expr>, PartOf),
        defined: &[(usize, ReuseFigures)],
        figures: &mut Figures,
    ) -> Option<PartFetched> {
        if least.is_zero() {
            return None;
        }
        let mut define = |lines: &Expr| figures.define(kind, lines * &Expr::machine("line_bytes"));
        let some = profile.reuses.iter().filter(|reuse| reuse.is_some());
        let again = some
            .zip(defined)
            .filter(|(reuse, _)| !part(reuse).is_zero());
        let least = define(least);
        let again = again.map(|(reuse, (_, known))| (known.distance, define(part(reuse))));
        Some(PartFetched {
            least,
            again: again.collect(),
        })
    }

    /// What a cache of that capacity fetches of it.
    fn fetched(&self, capacity: FigureId) -> Expr {
        let missed = self.again.iter().map(|(distance, bytes)| {
            let (distance, capacity) = (Expr::from(*distance), Expr::from(capacity));
            let (none, again) = (Expr::from(0.0), Expr::from(*bytes));
            Expr::choose(Comparison::LessOrEqual, distance, capacity, none, again)
        });
        Expr::sum(missed.chain([Expr::from(self.least)]))
    }

    /// Bytes of irregular lines that a cache fetches, of `all`; none where it holds all of the nest's data from before.
    pub fn irregular(
        &self,
        (caches, found_again): (&[Level], FigureId),
        (name, capacity): (&Arc<str>, FigureId),
        all: FigureId,
        figures: &mut Figures,
    ) -> FigureId {
        let bytes = Expr::min([self.fetched(capacity), all.into()]);
        let (found, own) = (Expr::from(found_again), Expr::from(capacity));
        let bytes = Expr::choose(Comparison::LessOrEqual, found, own, 0.0.into(), bytes);
        let bytes = match figures.detail() {
            Detail::AnyMachine => bandwidth::where_irregular_known(caches, bytes),
            _ => bytes,
        };
        figures.define(F::Irregular.about(Subject::Level(name.clone())), bytes)
    }

    /// What the last cache fetches without them, as far as `cost_w` says; `all` with them.
    pub fn spared(
        &self,
        caches: &[Level],
        position: usize,
        (capacity, all): (FigureId, FigureId),
        figures: &mut Figures,
    ) -> FigureId {
        let behind = caches.get(position + 1);
        if behind.is_some() && figures.detail() != Detail::AnyMachine {
            return all;
        }
        let level = || Subject::Level(caches[position].name.as_str().into());
        let fetched = self.fetched(capacity);
        let mut spared =
            (Expr::from(2.0) - Expr::machine(COST_W)) * Expr::min([fetched, Expr::from(all)]);
        if let Some(behind) = behind {
            spared = bandwidth::where_present(behind, Expr::from(0.0), spared);
        }
        let spared = figures.define(F::NotAllocated.about(level()), spared);
        figures.define(
            F::Fetched.about(level()),
            Expr::from(all) - Expr::from(spared),
        )
    }
}
