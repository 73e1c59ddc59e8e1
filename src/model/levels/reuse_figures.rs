//! One reuse as figures: what lies in between, what it costs where that does not fit, and up to where it does.
//!
//! A row of sheet *Layer conditions*: for the worked example of this module, loop `i`, "1 iteration of i",
//! 64,000 B in between, 63,904,000 B fetched again in a cache that does not hold them, and how many iterations
//! of the loops inside would just fit. Only reuse after one iteration has the latter, and the sizes that
//! `sizes` solves for: of others the working set is not a product of iterations.

use std::sync::Arc;

use super::geometry::Geometry;
use super::{Reuse, sizes};
use crate::catalogue::StaticFigure as F;
use crate::expr::{Comparison, Expr, FigureId};
use crate::figures::Figures;
use crate::label::{ReuseSubject, Subject};
use crate::nest::Nest;
use crate::parameters::ParameterTable;

/// One reuse and what it costs where it does not fit.
#[derive(Clone)]
pub struct ReuseFigures {
    /// Name of the loop that carries it, with the part of its range.
    pub carrier: String,
    /// What lies in between, in words.
    pub between: String,
    /// The arrays that are reused.
    pub arrays: Vec<String>,
    /// Bytes touched in between.
    pub distance: FigureId,
    /// Bytes that are fetched again, and written back once more, if they do not fit.
    pub fetched: FigureId,
    pub written_back: FigureId,
    /// Iterations of the loops inside, and their names: what the working set grows with.
    pub inside: Option<(FigureId, String)>,
    /// For each cache: bytes fetched again, bytes written back once more, iterations inside that would
    /// just fit.
    pub caches: Vec<(FigureId, FigureId, Option<FigureId>)>,
    /// Symbols that the loops inside are as long as, and for each cache the largest value with which the working set
    /// fits, the others staying as they are.
    pub sizes: Vec<(String, Vec<FigureId>)>,
}

impl ReuseFigures {
    pub(super) fn define(
        (nest, geometry, names): (&Nest, &Geometry, &[String]),
        reuse: &Reuse<Expr>,
        capacities: &[(Arc<str>, FigureId)],
        parameters: &ParameterTable,
        figures: &mut Figures,
    ) -> ReuseFigures {
        let line = Expr::machine("line_bytes");
        let (carrier, between) = loops_of(reuse, names);
        let mut arrays: Vec<String> = (reuse.references.iter())
            .map(|r| nest.streams[*r].stream.array.to_string())
            .collect();
        arrays.sort_unstable();
        arrays.dedup();
        let of_it = ReuseSubject {
            carrier: Some(carrier.clone()),
            between: Some(between.clone()),
            ..ReuseSubject::default()
        };
        let own = Subject::Reuse(Arc::new(of_it.clone()));
        let mut define =
            |kind: F, expr: &Expr| figures.define(kind.about(own.clone()), expr.clone());
        let mut distance = define(F::ReuseWithin, &reuse.distance);
        if let Some(body) = &reuse.shared {
            let all = Expr::max([Expr::from(distance), body.clone()]);
            distance = define(F::ReuseWithNests, &all);
        }
        let fetched = define(F::ReuseFetched, &(&reuse.fetched * &line));
        let written_back = define(F::ReuseWrittenBack, &(&reuse.written * &line));
        let loops: Vec<usize> = (reuse.between + 1..names.len())
            .filter(|v| {
                geometry.domain.loops[*v]
                    .tile_of
                    .is_none_or(|tile| tile <= reuse.between)
            })
            .collect();
        let inside: Vec<&str> = loops.iter().map(|v| names[*v].as_str()).collect();
        let inside = match &reuse.inside {
            Some(count) if !inside.is_empty() => {
                let id = figures.define(F::IterationsInside.about(own.clone()), count.clone());
                Some((id, inside.join("·")))
            }
            _ => None,
        };
        let of = |(level, capacity): &(Arc<str>, FigureId)| {
            let here = Subject::Reuse(Arc::new(ReuseSubject {
                level: Some(level.clone()),
                ..of_it.clone()
            }));
            let mut unless_fits = |kind: F, bytes: FigureId| {
                let (distance, capacity) = (Expr::from(distance), Expr::from(*capacity));
                let moved = Expr::choose(
                    Comparison::LessOrEqual,
                    distance,
                    capacity,
                    Expr::from(0.0),
                    bytes.into(),
                );
                figures.define(kind.about(here.clone()), moved)
            };
            let (fetched, written_back) = (
                unless_fits(F::FetchedAgain, fetched),
                unless_fits(F::WrittenBackAgain, written_back),
            );
            let most = inside.as_ref().map(|(count, _)| {
                // The product first: of whole numbers it is exact, and so is a quotient that is a whole number.
                let held = (Expr::from(*count) * Expr::from(*capacity))
                    .quotient(Expr::max([Expr::from(distance), Expr::from(1.0)]));
                figures.define(F::IterationsThatFit.about(here.clone()), held.floor())
            });
            (fetched, written_back, most)
        };
        let caches = capacities.iter().map(of).collect();
        let sizes = match reuse.gap {
            1 => sizes::of(nest, geometry, &loops, parameters),
            _ => Vec::new(),
        };
        let sizes = sizes.into_iter().map(|size| {
            let largest = capacities.iter().map(|(level, capacity)| {
                let here = Subject::Reuse(Arc::new(ReuseSubject {
                    size: Some(size.name.clone()),
                    level: Some(level.clone()),
                    ..of_it.clone()
                }));
                let largest = size.largest(&Expr::from(distance), &Expr::from(*capacity));
                figures.define(F::LargestSize.about(here), largest)
            });
            (size.name.clone(), largest.collect())
        });
        let sizes = sizes.collect();
        ReuseFigures {
            carrier,
            between,
            arrays,
            distance,
            fetched,
            written_back,
            inside,
            caches,
            sizes,
        }
    }
}

/// The loop that uses something again, and how much of which loop lies between, in words.
fn loops_of(reuse: &Reuse<Expr>, names: &[String]) -> (String, String) {
    let parts: Vec<String> = (reuse.parts.iter())
        .map(|(variable, part, parts)| format!("{} part {} of {parts}", names[*variable], part + 1))
        .collect();
    let carrier = match parts.as_slice() {
        [] => names[reuse.carrier].clone(),
        parts => format!("{} ({})", names[reuse.carrier], parts.join(", ")),
    };
    let between = match reuse.gap {
        super::gather::RANDOM => format!("random accesses in {}", names[reuse.between]),
        super::apart::APART => format!("rows and columns in {}", names[reuse.between]),
        super::reuse::WHOLE => format!("the whole of {}", names[reuse.between]),
        1 => format!("1 iteration of {}", names[reuse.between]),
        gap => format!("{gap} iterations of {}", names[reuse.between]),
    };
    (carrier, between)
}
