//! Which executions of a nest are shown to find its data in caches (guide: static-model, "Nests executed again").
//!
//! ```text
//! for (t = 0; t < steps; t++)        L: relax gets the same buffer in each iteration
//!   relax(n, buffer);                bytes of an iteration of L ≤ cache: all executions but the first find their data
//! ```
//!
//! A loop L around a call counts if what the nest touches is the same in each of its iterations, the nest is executed in
//! each, and all that one iteration touches, each byte as often as it is touched by another nest, has room. Between two
//! touches of a line there is no more than that, so that no cache with least recently used replacement drops it.

use std::collections::HashMap;

use super::touched::{bytes_of_nest, executions, has_calls, is_clean, straight};
use super::{CallGraph, CallSite, Times};
use crate::analysis::called::touches_little;
use crate::analysis::facts::{
    Block, Body, Call, Constancy, FunctionKey, Handed, Item, Loop, Program,
};
use crate::catalogue::StaticFigure as F;
use crate::expr::{Comparison, Expr, FigureId};
use crate::figures::Figures;
use crate::label::Subject;
use crate::loops::LoopCounts;
use crate::nest::{Nest, weight_expr};
use crate::nest_model::NestModel;
use crate::parameters::ParameterTable;
use crate::runs_on::RunsOn;

/// Executions of a nest that may not find its data.
#[derive(Clone)]
pub struct Revisits {
    /// By cache, the nearest first: how many find nothing in it or those before it, at most.
    pub cold: Vec<FigureId>,
}

/// A loop, by the nest that holds it and how many loops that makes.
pub(crate) type LoopPlace = (usize, usize);

/// What nests of a program are looked at with.
pub(crate) struct Scene<'a, 'p> {
    pub program: &'p Program,
    pub graph: &'a CallGraph,
    pub times: &'a Times,
    pub nests: &'a [NestModel<'p>],
    /// Where they are among all nests of the program.
    pub positions: &'a [usize],
    /// Other nests with loops around calls.
    pub around: &'a [(usize, Nest<'p>)],
    /// Bytes of iterations as a model of the whole program has them, where this one has only a part of it.
    pub bytes: Option<&'a HashMap<LoopPlace, f64>>,
}

/// A loop around a call, or around one further out.
struct Candidate {
    place: LoopPlace,
    /// How often each of the calls is made where control comes to the branches around it.
    made: Expr,
    /// Executions of the nest's function that may find nothing, if an iteration has room.
    cold: Expr,
}

/// The nests of a scene, with the bytes of the iterations that were looked at.
pub(crate) fn define<'a>(
    scene: &'a Scene<'a, '_>,
    parameters: &'a ParameterTable,
    figures: &mut Figures,
) -> (Vec<Option<Revisits>>, HashMap<LoopPlace, FigureId>) {
    // Without an entry nothing says how often anything is executed.
    if scene.graph.sites.is_empty() || scene.graph.reached.is_none() {
        return (vec![None; scene.nests.len()], HashMap::new());
    }
    let mut found = Finder::of(scene, parameters, figures);
    let revisits = (0..scene.nests.len()).map(|nest| found.revisits(nest, figures));
    let revisits = revisits.collect();
    let known = found.iterations.into_iter();
    let known = known.filter_map(|(place, bytes)| Some((place, bytes?)));
    (revisits, known.collect())
}

/// Loops further out than so many calls are not looked at.
const MOST_CALLS: usize = 8;
/// A function that is called from more places is not looked at.
const MOST_SITES: usize = 16;

struct Finder<'a, 'p> {
    scene: &'a Scene<'a, 'p>,
    parameters: &'a ParameterTable,
    /// Whether several cores, each of which has caches of its own, may do something in the same memory.
    is_parallel: bool,
    arriving: Vec<Vec<usize>>,
    functions: HashMap<FunctionKey, usize>,
    by_name: HashMap<String, Vec<usize>>,
    /// Nests of the model by function.
    own: HashMap<usize, Vec<usize>>,
    homes: HashMap<*const Loop, LoopPlace>,
    /// Of the nests around calls.
    counts: HashMap<usize, Vec<LoopCounts>>,
    iterations: HashMap<LoopPlace, Option<FigureId>>,
    /// Bytes of calls of functions; `None` also while one is looked at, so that recursion has none.
    calls: HashMap<usize, Option<FigureId>>,
}

impl<'a, 'p> Finder<'a, 'p> {
    fn of(
        scene: &'a Scene<'a, 'p>,
        parameters: &'a ParameterTable,
        figures: &mut Figures,
    ) -> Finder<'a, 'p> {
        let functions = &scene.program.functions;
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
        for (index, function) in functions.iter().enumerate() {
            let name = function.name.to_ascii_lowercase();
            by_name.entry(name).or_default().push(index);
        }
        let mut own: HashMap<usize, Vec<usize>> = HashMap::new();
        for (index, nest) in scene.nests.iter().enumerate() {
            own.entry(nest.nest.function).or_default().push(index);
        }
        let mut homes: HashMap<*const Loop, LoopPlace> = HashMap::new();
        let here = scene.nests.iter().map(|nest| &nest.nest);
        let here = scene.positions.iter().copied().zip(here);
        let others = scene
            .around
            .iter()
            .map(|(position, nest)| (*position, nest));
        for (position, nest) in here.chain(others) {
            for (level, inner) in (1..).zip(&nest.loops) {
                let place = homes.entry(std::ptr::from_ref(inner.facts));
                let first = place.or_insert((position, level));
                *first = (position, level).min(*first);
            }
        }
        let counts = scene
            .around
            .iter()
            .map(|(position, nest)| (*position, LoopCounts::define(nest, parameters, figures)));
        let mut files = scene.program.files.iter();
        Finder {
            scene,
            parameters,
            is_parallel: files.any(|file| file.is_parallel == Some(true) && !file.is_of_processes),
            arriving: scene.graph.by_callee(functions.len()),
            functions: (functions.iter().enumerate().rev())
                .map(|(index, function)| (function.key(), index))
                .collect(),
            by_name,
            own,
            homes,
            counts: counts.collect(),
            iterations: HashMap::new(),
            calls: HashMap::new(),
        }
    }

    /// Of a nest whose function is called from where a run begins, and may find data.
    fn revisits(&mut self, index: usize, figures: &mut Figures) -> Option<Revisits> {
        let nest = &self.scene.nests[index];
        let function = nest.nest.function;
        let (graph, times) = (self.scene.graph, self.scene.times);
        let is_reached = (graph.reached.as_ref()).is_some_and(|r| r.includes(function));
        let needs = needs_of(nest.nest.loops.iter().map(|c| c.facts))?;
        let sites = self.arriving[function].clone();
        if !is_reached
            || !is_clean(nest)
            || nest.levels.caches.is_empty()
            || times.full[function] != times.functions[function]
            || sites.len() > MOST_SITES
        {
            return None;
        }
        let candidates: Vec<(usize, Vec<(FigureId, Expr)>)> = (sites.iter())
            .map(|site| (*site, self.candidates(*site, &needs, figures)))
            .collect();
        if candidates.iter().all(|(_, found)| found.is_empty()) {
            return None;
        }
        let is_entry = (graph.reached.as_ref()).is_some_and(|r| r.entries.contains(&function));
        let first = Expr::from(f64::from(u8::from(is_entry)));
        let mut cold: Vec<FigureId> = Vec::new();
        for cache in &self.scene.nests[index].levels.caches {
            let of_site = |(site, found): &(usize, Vec<(FigureId, Expr)>)| {
                let all = Expr::from(times.sites[*site]);
                let with = found.iter().map(|(bytes, cold)| {
                    let (bytes, room) = (Expr::from(*bytes), Expr::from(cache.capacity));
                    let (cold, all) = (cold.clone(), all.clone());
                    Expr::choose(Comparison::LessOrEqual, bytes, room, cold, all)
                });
                Expr::min(with.chain([all.clone()]))
            };
            let all = Expr::sum(candidates.iter().map(of_site).chain([first.clone()]));
            let before = cold.last().map(|before| Expr::from(*before));
            // What a nearer cache has, those behind it need not have.
            let all = Expr::min(before.into_iter().chain([all]));
            let level = Subject::Level(cache.name.as_str().into());
            cold.push(figures.define(F::ColdExecutions.about(level), all));
        }
        Some(Revisits { cold })
    }

    /// The loops in which a nest with these needs may find its data again, of one place that its function is called from.
    fn candidates(
        &mut self,
        site: usize,
        needs: &[u32],
        figures: &mut Figures,
    ) -> Vec<(FigureId, Expr)> {
        let found = self.loops_around(site, needs);
        let all = Expr::from(self.scene.times.sites[site]);
        let one = Expr::from(1.0);
        let with_bytes = found
            .into_iter()
            .filter_map(|Candidate { place, made, cold }| {
                let bytes = self.iteration(place, figures)?;
                let always = Comparison::LessOrEqual;
                Some((
                    bytes,
                    Expr::choose(always, one.clone(), made, cold, all.clone()),
                ))
            });
        with_bytes.collect()
    }

    fn loops_around(&self, site: usize, needs: &[u32]) -> Vec<Candidate> {
        let mut found = Vec::new();
        let (mut site, mut needs) = (site, needs.to_vec());
        let mut made = Expr::from(1.0);
        // Executions in one of the call that is looked at, that may differ.
        let mut within = Expr::from(1.0);
        for _ in 0..MOST_CALLS {
            let at = &self.scene.graph.sites[site];
            let Some(call) = Around::of(at, &needs) else {
                break;
            };
            let symbol = |branch: &_| self.parameters.symbol(at.caller, branch);
            made = made * weight_expr(&at.weight, &symbol);
            found.extend(call.candidates(self, (&within, &made)));
            let Some((outer, all)) = call.leave(self, &within) else {
                break;
            };
            let [next] = self.arriving[at.caller][..] else {
                break;
            };
            (site, needs, within) = (next, outer, all);
        }
        found
    }

    fn counts(&self, (position, level): LoopPlace) -> Option<Vec<LoopCounts>> {
        let counts = match self.scene.positions.binary_search(&position) {
            Ok(at) => &self.scene.nests[at].counts,
            Err(_) => self.counts.get(&position)?,
        };
        counts.get(..level).map(<[LoopCounts]>::to_vec)
    }

    fn nest(&self, position: usize) -> Option<&'a Nest<'p>> {
        match self.scene.positions.binary_search(&position) {
            Ok(at) => Some(&self.scene.nests[at].nest),
            Err(_) => {
                let mut others = self.scene.around.iter();
                others
                    .find(|(other, _)| *other == position)
                    .map(|(_, nest)| nest)
            }
        }
    }

    /// Bytes that an iteration of a loop touches, at most.
    fn iteration(&mut self, place: LoopPlace, figures: &mut Figures) -> Option<FigureId> {
        if let Some(known) = self.iterations.get(&place) {
            return *known;
        }
        let bytes = match self.scene.bytes {
            Some(known) => known.get(&place).map(|bytes| Expr::from(*bytes)),
            None => self.bytes_of_iteration(place, figures),
        };
        let name = self.nest(place.0)?.loops[place.1 - 1].facts.id.as_str();
        let label = F::BytesOfIteration.about(Subject::Loop(name.into()));
        let bytes = bytes.map(|bytes| figures.define(label, bytes));
        self.iterations.insert(place, bytes);
        bytes
    }

    fn bytes_of_iteration(&mut self, place: LoopPlace, figures: &mut Figures) -> Option<Expr> {
        let outer = self.nest(place.0)?.loops[place.1 - 1].facts;
        let function = self.nest(place.0)?.function;
        self.on_one_core(outer.is_serial)?;
        let mut parts = Vec::new();
        for index in self.own.get(&function).cloned().unwrap_or_default() {
            let nest = &self.scene.nests[index];
            let chain = &nest.nest.loops;
            let is_inside = chain
                .get(place.1 - 1)
                .is_some_and(|c| std::ptr::eq(c.facts, outer));
            if is_inside {
                self.on_one_core(nest.nest.runs_on() == RunsOn::OneCore)?;
                parts.push(bytes_of_nest(nest, place.1)?);
            }
        }
        self.add_calls(&outer.body, &mut parts, place.1, Some(place), figures)?;
        Some(Expr::sum(parts))
    }

    /// Nothing of what several cores may do.
    fn on_one_core(&self, is_serial: bool) -> Option<()> {
        (is_serial || !self.is_parallel).then_some(())
    }

    /// Bytes that a call of a function touches, at most.
    fn call(&mut self, function: usize, figures: &mut Figures) -> Option<FigureId> {
        if let Some(known) = self.calls.get(&function) {
            return *known;
        }
        self.calls.insert(function, None);
        let mut parts = Vec::new();
        for index in self.own.get(&function).cloned().unwrap_or_default() {
            let nest = &self.scene.nests[index];
            self.on_one_core(nest.nest.runs_on() == RunsOn::OneCore)?;
            parts.push(bytes_of_nest(nest, 0)?);
        }
        let body = &self.scene.program.functions[function].body;
        parts.push(straight(body));
        self.add_calls(body, &mut parts, 0, None, figures)?;
        let bytes = figures.define(F::BytesOfCall, Expr::sum(parts));
        self.calls.insert(function, Some(bytes));
        Some(bytes)
    }

    /// Adds what calls in a block touch, for each execution of the loop at a depth; `None` if one is not known.
    fn add_calls(
        &mut self,
        block: &Block,
        parts: &mut Vec<Expr>,
        depth: usize,
        inside: Option<LoopPlace>,
        figures: &mut Figures,
    ) -> Option<()> {
        if block.texts > 0 {
            return None;
        }
        for call in &block.calls {
            let runs = self.runs(inside, depth)?;
            for callee in self.callees(call, inside.is_some())? {
                let bytes = self.call(callee, figures)?;
                parts.push(runs.clone() * Expr::from(bytes));
            }
        }
        for item in &block.items {
            match item {
                Item::Loop(inner) => {
                    self.on_one_core(inner.is_serial)?;
                    let place = self.homes.get(&std::ptr::from_ref(&**inner)).copied();
                    if place.is_some() || has_calls(&inner.body) {
                        self.add_calls(&inner.body, parts, depth, Some(place?), figures)?;
                    }
                }
                Item::Branch(branch) => {
                    self.add_calls(&branch.then, parts, depth, inside, figures)?;
                    if let Some(block) = &branch.otherwise {
                        self.add_calls(block, parts, depth, inside, figures)?;
                    }
                }
            }
        }
        Some(())
    }

    /// How often the body of a loop is executed in one iteration of the loop at a depth around it, or in one call.
    fn runs(&self, inside: Option<LoopPlace>, depth: usize) -> Option<Expr> {
        let Some((position, level)) = inside else {
            return Some(Expr::from(1.0));
        };
        executions(
            &self.nest(position)?.loops[..level]
                .iter()
                .map(|c| c.facts)
                .collect::<Vec<_>>(),
            &self.counts((position, level))?,
            depth,
        )
    }

    /// The functions whose nests a call executes; `None` if it may do something that is not known. What stands in place of
    /// a call is in the nests of the loop around it.
    fn callees(&self, call: &Call, is_in_loop: bool) -> Option<Vec<usize>> {
        match &call.body {
            Body::Function(key) => Some(vec![*self.functions.get(key)?]),
            Body::Expanded if is_in_loop => Some(Vec::new()),
            Body::Expanded => self.by_name.get(&call.name.to_ascii_lowercase()).cloned(),
            Body::Library if touches_little(call) => Some(Vec::new()),
            Body::Unknown
            | Body::Library
            | Body::OneOf(_)
            | Body::Recursive(_)
            | Body::Communication(_) => None,
        }
    }
}

/// The loops around a call, for a nest with certain needs.
struct Around<'s> {
    site: &'s CallSite,
    handed: Vec<&'s Handed>,
    home: Option<LoopPlace>,
    level: usize,
}

impl<'s> Around<'s> {
    /// `None` if the call may mean another procedure, or is not of one size.
    fn of(site: &'s CallSite, needs: &[u32]) -> Option<Around<'s>> {
        if site.is_ambiguous || site.share.is_some() || site.times.is_some() {
            return None;
        }
        let level = site.loops.map_or(0, |(_, level)| level);
        let handed = needs.iter().map(|position| {
            let handed = site.handed.get(*position as usize)?;
            (handed.loops.len() == level).then_some(handed)
        });
        let handed = handed.collect::<Option<_>>()?;
        Some(Around {
            site,
            handed,
            home: site.loops,
            level,
        })
    }

    fn constancy(&self, depth: usize) -> Constancy {
        let each = self.handed.iter().map(|handed| handed.loops[depth]);
        each.max().unwrap_or(Constancy::Same)
    }

    /// The executions of the body of the innermost loop around the call in one iteration of the loop at a depth, counted
    /// from one, that may differ from each other; in one call with a depth of zero.
    fn differing(&self, finder: &Finder, depth: usize) -> Option<Expr> {
        let Some((position, level)) = self.home else {
            return Some(Expr::from(1.0));
        };
        let same = (depth..level).find(|inner| self.constancy(*inner) == Constancy::Same);
        let until = same.unwrap_or(level);
        let nest = finder.nest(position)?;
        let loops: Vec<&Loop> = nest.loops[..level].iter().map(|c| c.facts).collect();
        let is_executed =
            |inner: usize| nest.loops[inner].weight.is_empty() && !loops[inner].exits_early;
        // All of them run, and as often each time.
        let counts = finder.counts((position, level))?;
        executions(&loops, &counts, depth)?;
        (depth..level)
            .all(is_executed)
            .then(|| executions(&loops[..until], &counts[..until], depth))?
    }

    fn candidates(&self, finder: &Finder, (within, made): (&Expr, &Expr)) -> Vec<Candidate> {
        let Some((position, level)) = self.home else {
            return Vec::new();
        };
        let one = |depth: usize| {
            if self.constancy(depth) == Constancy::Changes {
                return None;
            }
            let counts = finder.counts((position, level))?;
            let entries = match depth {
                0 => Expr::from(1.0),
                depth => Expr::from(counts[depth - 1].unweighted),
            };
            let calls = Expr::from(finder.scene.times.functions[self.site.caller]);
            let each = self.differing(finder, depth + 1)? * within.clone();
            Some(Candidate {
                place: (position, depth + 1),
                made: made.clone(),
                cold: calls * entries * each,
            })
        };
        (0..level).filter_map(one).collect()
    }

    /// What the nest needs of what the caller gets, and its executions in one call of the caller that may differ.
    fn leave(&self, finder: &Finder, within: &Expr) -> Option<(Vec<u32>, Expr)> {
        if (0..self.level).any(|depth| self.constancy(depth) == Constancy::Changes) {
            return None;
        }
        let mut needs: Vec<u32> = Vec::new();
        for handed in &self.handed {
            needs.extend(handed.needs.as_ref()?);
        }
        if let Some((position, level)) = self.home {
            let around = finder.nest(position)?.loops.get(..level)?;
            needs.extend(needs_of(around.iter().map(|c| c.facts))?);
        }
        needs.sort_unstable();
        needs.dedup();
        Some((needs, self.differing(finder, 0)? * within.clone()))
    }
}

/// What some loops need together.
fn needs_of<'l>(loops: impl Iterator<Item = &'l Loop>) -> Option<Vec<u32>> {
    let mut all = Vec::new();
    for inner in loops {
        all.extend(inner.needs.as_ref()?);
    }
    all.sort_unstable();
    all.dedup();
    Some(all)
}
