//! The figures of a nest at every cache level: as numbers, or with the formulas that they follow from.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use super::geometry::Geometry;
use super::{Reuse, compute, condition, profile};
use crate::expr::{Comparison, Expr, FigureId, Lookup, Node};
use crate::machine::{Level, MachineModel};
use crate::model::figures::{Detail, Figures, Unit};
use crate::model::nest::Nest;
use crate::model::parameters::ParameterTable;

/// What a nest moves through one cache.
#[derive(Clone)]
pub struct CacheFigures {
    /// `L1`, `L2` …
    pub name: String,
    /// One core's share, in bytes.
    pub capacity: FigureId,
    /// Bytes that it fetches.
    pub fetched: FigureId,
    /// Bytes that it writes back.
    pub written_back: FigureId,
    /// Both together.
    pub bytes: FigureId,
    /// At the bandwidth of what is behind it; `None` if that is not known.
    pub seconds: Option<FigureId>,
    /// What stays in it: a position in the names of [`NestLevels::conditions`].
    pub condition: Option<FigureId>,
    /// The same in words, for the values that the parameters have.
    pub condition_text: String,
}

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
}

/// All of a nest.
#[derive(Clone, Default)]
pub struct NestLevels {
    /// Nearest cache first.
    pub caches: Vec<CacheFigures>,
    /// Empty where only numbers were asked for.
    pub reuses: Vec<ReuseFigures>,
    /// What a cache may hold, in words.
    pub conditions: Vec<String>,
}

impl NestLevels {
    pub(crate) fn define(
        nest: &Nest,
        machine: &MachineModel,
        parameters: &ParameterTable,
        figures: &mut Figures,
    ) -> NestLevels {
        let has_times = machine.levels().iter().skip(1).any(|cache| cache.gbs.is_some());
        match figures.detail() {
            Detail::Least if !has_times => NestLevels::default(),
            Detail::Least => values(nest, machine, parameters, figures),
            Detail::Values => values(nest, machine, parameters, figures),
            Detail::Formulas => formulas(nest, machine, parameters, figures),
        }
    }
}

/// One core's share of a cache level.
pub(crate) fn share(cache: &Level) -> Expr {
    let symbol = |what: &str| Expr::symbol(&format!("l{}_{what}", cache.index));
    symbol("bytes").quotient(symbol("shared_by"))
}

fn values(nest: &Nest, machine: &MachineModel, parameters: &ParameterTable, figures: &mut Figures) -> NestLevels {
    let (profile, names) = {
        let symbol = |name: &str| match parameters.row(nest.function, name) {
            Some(row) => Some(row.value),
            None => figures.symbol(name),
        };
        let value = |expr: &Expr| match expr.as_number() {
            Some(number) => number,
            None => expr.evaluate(&symbol as &dyn Lookup).unwrap_or(f64::NAN),
        };
        profile(nest, &value)
    };
    let line = figures.symbol("line_bytes").unwrap_or(f64::NAN);
    let caches = machine.levels();
    let of = |(position, cache): (usize, &Level)| {
        let (fetched, written) = profile.through(cache.share());
        let mut number =
            |what: &str, value: f64| figures.define(format!("{what}, {}", cache.name), Unit::Bytes, Expr::from(value));
        let capacity = number("capacity", cache.share());
        let (fetched, written_back) = (number("fetched", fetched * line), number("written back", written * line));
        finish(&caches, position, (capacity, fetched, written_back), figures, |capacity| {
            (None, condition(&names, &profile, capacity))
        })
    };
    NestLevels { caches: caches.iter().enumerate().map(of).collect(), ..NestLevels::default() }
}

/// Bytes and seconds of one cache.
fn finish(
    caches: &[Level],
    position: usize,
    (capacity, fetched, written_back): (FigureId, FigureId, FigureId),
    figures: &mut Figures,
    condition: impl FnOnce(f64) -> (Option<FigureId>, String),
) -> CacheFigures {
    let name = caches[position].name.clone();
    let sum = Expr::from(fetched) + Expr::from(written_back);
    let bytes = figures.define(format!("bytes, {name}"), Unit::Bytes, sum);
    let giga = Expr::from(1e9);
    let rate = match caches.get(position + 1) {
        Some(Level { gbs: None, .. }) => None,
        Some(next) => Some(Expr::product([Expr::symbol(&format!("l{}_gbs", next.index)), Expr::symbol("cores"), giga])),
        None => Some(Expr::symbol("dram_gbs") * giga),
    };
    let seconds =
        rate.map(|rate| figures.define(format!("time behind {name}"), Unit::Seconds, Expr::from(bytes).quotient(rate)));
    let (condition, condition_text) = condition(figures.value(capacity));
    CacheFigures { name, capacity, fetched, written_back, bytes, seconds, condition, condition_text }
}

fn formulas(nest: &Nest, machine: &MachineModel, parameters: &ParameterTable, figures: &mut Figures) -> NestLevels {
    let geometry = Geometry::of(nest).blocked(nest, &|_| true);
    let names = geometry.names(nest);
    let line = Expr::symbol("line_bytes");
    let profile = {
        let cells = Cells { figures: RefCell::new(figures), known: RefCell::default() };
        let resolve = |expr: &Expr| parameters.resolve(nest.function, expr);
        compute(&geometry, &resolve, line.clone(), &|what, expr| cells.name(what, expr))
    };
    let caches = machine.levels();
    let capacities: Vec<FigureId> = (caches.iter())
        .map(|cache| figures.define(format!("capacity, {}", cache.name), Unit::Bytes, share(cache)))
        .collect();
    let mut bytes = |what: &str, lines: &Expr| figures.define(what.to_string(), Unit::Bytes, lines * &line);
    let (cold, flushed) = (bytes("fetched at least", &profile.cold), bytes("written back at least", &profile.flushed));
    // A reuse of nothing is none, whatever the parameters are.
    let some = |reuse: &&Reuse<Expr>| !(reuse.fetched.is_zero() && reuse.written.is_zero());
    let defined: Vec<(usize, ReuseFigures)> = (profile.reuses.iter().filter(some))
        .map(|reuse| (reuse.carrier, define_reuse(nest, &geometry, &names, reuse, &capacities, figures)))
        .collect();
    let conditions = conditions(&names);
    let of = |(position, cache): (usize, &Level)| {
        let name = &cache.name;
        let mut total = |what: &str, least: FigureId, each: &dyn Fn(&ReuseFigures) -> FigureId| {
            let label = format!("{what} again, {name}");
            let again = figures.define_total(label, Unit::Bytes, defined.iter().map(|(_, reuse)| each(reuse)));
            figures.define(format!("{what}, {name}"), Unit::Bytes, Expr::from(least) + Expr::from(again))
        };
        let fetched = total("fetched", cold, &|reuse| reuse.caches[position].0);
        let written_back = total("written back", flushed, &|reuse| reuse.caches[position].1);
        let held = define_condition(names.len(), position, name, &defined, figures);
        // What is not known is no position.
        let text = (figures.value(held) as usize).checked_sub(1).and_then(|at| conditions.get(at));
        let text = text.cloned().unwrap_or_default();
        finish(&caches, position, (capacities[position], fetched, written_back), figures, |_| (Some(held), text))
    };
    let caches = caches.iter().enumerate().map(of).collect();
    NestLevels { caches, reuses: defined.into_iter().map(|(_, reuse)| reuse).collect(), conditions }
}

/// Gives parts of formulas cells of their own, equal ones the same.
struct Cells<'a> {
    figures: RefCell<&'a mut Figures>,
    known: RefCell<FxHashMap<Expr, FigureId>>,
}

impl Cells<'_> {
    fn name(&self, what: &'static str, expr: Expr) -> Expr {
        if matches!(expr.node(), Node::Number(_) | Node::Symbol(_) | Node::Figure(_)) {
            return expr;
        }
        let mut known = self.known.borrow_mut();
        let id = known
            .entry(expr)
            .or_insert_with_key(|expr| self.figures.borrow_mut().define(what, Unit::Count, expr.clone()));
        Expr::from(*id)
    }
}

fn define_reuse(
    nest: &Nest,
    geometry: &Geometry,
    names: &[String],
    reuse: &Reuse<Expr>,
    capacities: &[FigureId],
    figures: &mut Figures,
) -> ReuseFigures {
    let line = Expr::symbol("line_bytes");
    let parts: Vec<String> = (reuse.parts.iter())
        .map(|(variable, part, parts)| format!("{} part {} of {parts}", names[*variable], part + 1))
        .collect();
    let carrier = match parts.as_slice() {
        [] => names[reuse.carrier].clone(),
        parts => format!("{} ({})", names[reuse.carrier], parts.join(", ")),
    };
    let between = match reuse.gap {
        super::gather::RANDOM => format!("random accesses in {}", names[reuse.between]),
        super::reuse::WHOLE => format!("the whole of {}", names[reuse.between]),
        1 => format!("1 iteration of {}", names[reuse.between]),
        gap => format!("{gap} iterations of {}", names[reuse.between]),
    };
    let mut arrays: Vec<String> = (reuse.references.iter()).map(|r| nest.streams[*r].stream.array.clone()).collect();
    arrays.sort_unstable();
    arrays.dedup();
    let mut define =
        |what: &str, expr: &Expr| figures.define(format!("{what}: {carrier}, {between}"), Unit::Bytes, expr.clone());
    let distance = define("working set", &reuse.distance);
    let fetched = define("fetched again", &(&reuse.fetched * &line));
    let written_back = define("written back again", &(&reuse.written * &line));
    let inside: Vec<&str> = (reuse.between + 1..names.len())
        .filter(|v| geometry.domain.loops[*v].tile_of.is_none_or(|tile| tile <= reuse.between))
        .map(|v| names[v].as_str())
        .collect();
    let inside = match &reuse.inside {
        Some(count) if !inside.is_empty() => {
            let id = figures.define(format!("iterations inside {}", names[reuse.between]), Unit::Count, count.clone());
            Some((id, inside.join("·")))
        }
        _ => None,
    };
    let of = |capacity: &FigureId| {
        let mut unless_fits = |bytes: FigureId| {
            let (distance, capacity) = (Expr::from(distance), Expr::from(*capacity));
            let moved = Expr::choose(Comparison::LessOrEqual, distance, capacity, Expr::from(0.0), bytes.into());
            figures.define("again", Unit::Bytes, moved)
        };
        let (fetched, written_back) = (unless_fits(fetched), unless_fits(written_back));
        let most = inside.as_ref().map(|(count, _)| {
            let scale = Expr::from(*capacity).quotient(Expr::max([Expr::from(distance), Expr::from(1.0)]));
            figures.define("iterations inside that fit", Unit::Count, (Expr::from(*count) * scale).floor())
        });
        (fetched, written_back, most)
    };
    let caches = capacities.iter().map(of).collect();
    ReuseFigures { carrier, between, arrays, distance, fetched, written_back, inside, caches }
}

/// What [`define_condition`] counts.
fn conditions(names: &[String]) -> Vec<String> {
    let carried = names.iter().map(|name| format!("loop {name} carries reuse"));
    ["all reuse stays".to_string()].into_iter().chain(carried).chain(["nothing stays".to_string()]).collect()
}

/// The outermost loop whose reuse fits as good as completely.
fn define_condition(
    loops: usize,
    cache: usize,
    name: &str,
    reuses: &[(usize, ReuseFigures)],
    figures: &mut Figures,
) -> FigureId {
    let mut sums = |carrier: Option<usize>| {
        let of = || reuses.iter().filter(|(own, _)| carrier.is_none_or(|carrier| carrier == *own)).map(|(_, r)| r);
        let all = Expr::sum(of().flat_map(|r| [Expr::from(r.fetched), Expr::from(r.written_back)]));
        let again = Expr::sum(of().flat_map(|r| [Expr::from(r.caches[cache].0), Expr::from(r.caches[cache].1)]));
        let all = Expr::from(figures.define(format!("reuse, {name}"), Unit::Bytes, all));
        (all, Expr::from(figures.define(format!("not held, {name}"), Unit::Bytes, again)))
    };
    let holds = |(all, again): (Expr, Expr), then: f64, otherwise: Expr| {
        let limit = all * (1.0 - super::ALL);
        Expr::choose(Comparison::LessOrEqual, again, limit, Expr::from(then), otherwise)
    };
    let nothing = Expr::from(loops as f64 + 2.0);
    let carried = (0..loops).rev().fold(nothing, |otherwise, carrier| {
        if reuses.iter().all(|(own, _)| *own != carrier) {
            return otherwise;
        }
        let (all, again) = sums(Some(carrier));
        let held = holds((all.clone(), again), carrier as f64 + 2.0, otherwise.clone());
        let least = Expr::symbol("line_bytes") * super::HALF_A_LINE;
        Expr::choose(Comparison::Less, all, least, otherwise, held)
    });
    let all = holds(sums(None), 1.0, carried);
    figures.define(format!("condition, {name}"), Unit::Choice, all)
}
