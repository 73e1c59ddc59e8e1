//! What a change gives: as a number, from the nest built again with it, and as formulas.

use rustc_hash::FxHashSet;

use super::{Context, Fit};
use crate::advice_kind::AdviceKind;
use crate::bandwidth;
use crate::catalogue::StaticFigure as F;
use crate::expr::{Comparison, Expr, FigureId, Symbol, SymbolKind};
use crate::figures::{Detail, Figures};
use crate::label::Instead;
use crate::levels::{self, REUSE_BETWEEN_NESTS};
use crate::machine::MachineModel;
use crate::machine::parameters::SCENARIOS;
use crate::nest::Nest;
use crate::nest_model::NestModel;
use crate::parameters::ParameterTable;
use crate::traffic::is_on;
use crate::what_if::WhatIf;

/// How the model says what is changed.
pub(super) enum Plan<'p> {
    /// Inputs with other values.
    Inputs(Vec<(Symbol, Expr)>),
    /// Another nest stands for all those that the change is about.
    Nest(Box<Nest<'p>>),
    /// Memory moves so many bytes less in one execution.
    LessTraffic(Expr),
    /// The core does something else.
    Core(CoreChange),
}

/// What becomes of iterations that wait for earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CoreChange {
    /// Compilers may add sums in another order.
    SumsReordered,
    NothingWaits,
}

/// The switch of the machine that lets compilers change the order of sums.
pub(super) const REORDER_SUMS: &str = "reorder_sums";

/// Bytes of a cache that holds everything.
const ENDLESS: f64 = 1e13;

/// Where changes are tried.
pub(super) struct Bench<'b, 'c, 'p> {
    pub context: &'b Context<'c, 'p>,
    pub figures: &'b Figures,
}

impl<'p> Bench<'_, '_, 'p> {
    pub fn value(&self, id: FigureId) -> f64 {
        self.figures.value(id)
    }

    /// Seconds over all calls that are saved if one execution of a nest takes so many seconds.
    pub fn saved(&self, nest: usize, seconds: f64) -> f64 {
        let once = self.value(self.context.nests[nest].time.seconds);
        let all = self.context.seconds(nest, self.figures);
        if once > 0.0 {
            all * (once - seconds) / once
        } else {
            0.0
        }
    }

    /// Seconds of one execution of a nest with blocks of these sizes; not-a-number if there are no such parameters.
    pub fn with_blocks(&self, nest: usize, sizes: &[(Symbol, f64)]) -> f64 {
        let mut parameters = self.context.parameters.clone();
        for (symbol, size) in sizes {
            match parameters.with_block(symbol, *size) {
                Some(changed) => parameters = changed,
                None => return f64::NAN,
            }
        }
        self.seconds(&[nest], None, self.context.machine, &parameters)
    }

    /// Seconds of one execution of a nest on another machine.
    pub fn on(&self, nest: usize, machine: &MachineModel) -> f64 {
        self.seconds(&[nest], None, machine, self.context.parameters)
    }

    /// Seconds of one execution of a nest if caches held whatever it comes back to: blocks make it no faster than that.
    pub fn at_best(&self, nest: usize) -> f64 {
        let mut machine = self.context.machine.clone();
        let levels = machine.levels();
        let levels = levels.iter().map(|level| format!("l{}_bytes", level.index));
        for name in levels.chain(["cache_bytes".to_string()]) {
            if machine.set(&name, ENDLESS).is_err() {
                return 0.0;
            }
        }
        self.on(nest, &machine)
    }

    /// Seconds of one execution of a nest that stands for others.
    pub fn of(&self, nests: &[usize], changed: &Nest<'p>) -> f64 {
        let Context {
            machine,
            parameters,
            ..
        } = self.context;
        self.seconds(nests, Some(changed), machine, parameters)
    }

    fn seconds(
        &self,
        nests: &[usize],
        changed: Option<&Nest<'p>>,
        machine: &MachineModel,
        parameters: &ParameterTable,
    ) -> f64 {
        let mut figures = Figures::new((machine, None), parameters, Detail::Least);
        bandwidth::define_memory(&mut figures);
        bandwidth::define_memory_of_one_core(&mut figures);
        let changed = changed.unwrap_or(&self.context.nests[nests[0]].nest);
        let built = build(
            self.context,
            (nests, changed.clone()),
            (machine, parameters),
            &mut figures,
        );
        figures.value(built.time.seconds)
    }
}

/// Builds a nest in the place of others of its function.
fn build<'p>(
    context: &Context<'_, 'p>,
    (nests, changed): (&[usize], Nest<'p>),
    (machine, parameters): (&MachineModel, &ParameterTable),
    figures: &mut Figures,
) -> NestModel<'p> {
    let is_alone = machine.get(REUSE_BETWEEN_NESTS).unwrap_or(0.0) == 0.0;
    if is_alone && !figures.detail().has_formulas() {
        return NestModel::build(changed, machine, parameters, None, figures);
    }
    let mut part: Vec<Nest> = Vec::new();
    let mut own = 0;
    for (at, nest) in context.nests.iter().enumerate() {
        if at == nests[0] {
            own = part.len();
            part.push(changed.clone());
        } else if nest.nest.function == changed.function && !nests.contains(&at) {
            part.push(nest.nest.clone());
        }
    }
    let found = levels::neighbours(&part, parameters, figures);
    NestModel::build(changed, machine, parameters, found[own].as_ref(), figures)
}

/// Formulas of a change.
pub(super) struct Defined {
    pub inputs: Vec<FigureId>,
    /// By nest, over all calls; one if a nest stands for all.
    pub seconds: Vec<FigureId>,
    /// Memory traffic that is saved, over all calls.
    pub bytes_saved: Vec<Expr>,
    pub fit: Option<Fit>,
}

pub(super) fn define(
    context: &Context,
    (kind, nests): (AdviceKind, &[usize]),
    plan: &Plan,
    figures: &mut Figures,
) -> Defined {
    match plan {
        Plan::Inputs(inputs) => with_inputs(context, (kind, nests), inputs, figures),
        Plan::Nest(changed) => with_nest(context, (kind, nests), changed, figures),
        Plan::LessTraffic(bytes) => with_less_traffic(context, (kind, nests), bytes, figures),
        Plan::Core(change) => define_core(context, (kind, nests), *change, figures),
    }
}

/// Calls of a nest's function.
fn calls(context: &Context, nest: usize) -> Expr {
    let calls = context.ranking.of(nest).and_then(|ranked| ranked.calls);
    calls.map_or(Expr::from(1.0), Expr::from)
}

/// Calls of a nest's function in which it moves bytes between the last cache and memory.
fn moving_calls(context: &Context, nest: usize) -> Expr {
    let calls = calls(context, nest);
    let revisits = context.ranking.revisits(nest);
    match revisits.and_then(|found| found.cold.last()) {
        Some(cold) => is_on(SCENARIOS, calls, Expr::from(*cold)),
        None => calls,
    }
}

/// Seconds of all calls of nests if one call of all of them takes so long. What is found in caches is taken to be the same part
/// as before.
fn over_calls(context: &Context, nests: &[usize], once: FigureId) -> Expr {
    let cold = |nest: &usize| calls(context, *nest) * Expr::from(context.nests[*nest].time.seconds);
    let all = calls(context, nests[0]) * Expr::from(once);
    if nests
        .iter()
        .all(|nest| context.ranking.revisits(*nest).is_none())
    {
        return all;
    }
    let known = nests
        .iter()
        .filter_map(|nest| context.ranking.seconds(*nest));
    let cold = Expr::sum(nests.iter().map(cold));
    let part = Expr::sum(known.map(Expr::from)).quotient(cold.clone());
    let none = Expr::from(0.0);
    all * Expr::choose(Comparison::Greater, cold, none.clone(), part, none)
}

/// Bytes that a nest moves between the last cache and memory.
fn memory_bytes(nest: &NestModel) -> FigureId {
    let memory = nest.time.levels.last();
    memory.map_or(nest.traffic.actual, |level| level.bytes)
}

fn with_inputs(
    context: &Context,
    (kind, nests): (AdviceKind, &[usize]),
    inputs: &[(Symbol, Expr)],
    figures: &mut Figures,
) -> Defined {
    let values: Vec<(Symbol, FigureId)> = (inputs.iter())
        .map(|(symbol, value)| {
            let is_capacity = symbol.kind() == SymbolKind::Machine;
            let kind = if is_capacity {
                F::AdvisedCapacity
            } else {
                F::AdvisedBlock
            };
            (symbol.clone(), figures.define(kind, value.clone()))
        })
        .collect();
    let replace = |symbol: &Symbol| {
        let found = values.iter().find(|(known, _)| known == symbol);
        found.map(|(_, value)| Expr::from(*value))
    };
    let mut independent = FxHashSet::default();
    let mut defined = Defined {
        inputs: values.iter().map(|(_, value)| *value).collect(),
        seconds: Vec::new(),
        bytes_saved: Vec::new(),
        fit: None,
    };
    for nest in nests {
        let mut what_if = WhatIf::new(Instead::Advised(kind), &replace, &mut independent);
        let model = &context.nests[*nest];
        let Some(own) = context.ranking.seconds(*nest) else {
            continue;
        };
        defined.seconds.push(what_if.figure(own, figures));
        let bytes = memory_bytes(model);
        let after = what_if.figure(bytes, figures);
        let saved = Expr::from(bytes) - Expr::from(after);
        defined
            .bytes_saved
            .push(moving_calls(context, *nest) * saved);
        if kind == AdviceKind::Block {
            let cache = before_bound(context, model, figures);
            defined.fit = cache.and_then(|cache| fit(model, cache, &mut what_if, figures));
        }
    }
    defined
}

/// A value that no program has is not a limit.
const NO_LIMIT: f64 = 1e12;

/// The cache in front of what takes longest, by its position.
fn before_bound(context: &Context, nest: &NestModel, figures: &Figures) -> Option<usize> {
    let level = (figures.value(nest.time.bound) as usize).checked_sub(2)?;
    let bytes = nest.time.levels.get(level)?.bytes;
    let own = nest.levels.caches.iter();
    let own = own.take(context.machine.levels().len());
    let behind = own.clone().position(|cache| cache.bytes == bytes);
    behind.or(own.len().checked_sub(1))
}

/// The reuse that fits a cache with the change and did not before, the one that moves the most bytes.
fn fit(nest: &NestModel, cache: usize, what_if: &mut WhatIf, figures: &mut Figures) -> Option<Fit> {
    let mut best: Option<(f64, usize)> = None;
    for (at, reuse) in nest.levels.reuses.iter().enumerate() {
        let (fetched, written, _) = reuse.caches[cache];
        let before = figures.value(fetched) + figures.value(written);
        if before.is_nan() || before <= best.map_or(0.0, |(most, _)| most) {
            continue;
        }
        let after = [fetched, written].map(|id| what_if.figure(id, figures));
        let after: f64 = after.iter().map(|id| figures.value(*id)).sum();
        if after == 0.0 {
            best = Some((before, at));
        }
    }
    let (_, at) = best?;
    let mut size: Option<(String, FigureId)> = None;
    for (name, largest) in &nest.levels.reuses[at].sizes {
        let largest = what_if.figure(largest[cache], figures);
        let value = figures.value(largest);
        let is_less = size
            .as_ref()
            .is_none_or(|(_, known)| value < figures.value(*known));
        if is_less && value > 0.0 && value < NO_LIMIT {
            size = Some((name.clone(), largest));
        }
    }
    Some(Fit {
        cache: nest.levels.caches[cache].name.clone(),
        size,
    })
}

fn with_nest(
    context: &Context,
    (kind, nests): (AdviceKind, &[usize]),
    changed: &Nest,
    figures: &mut Figures,
) -> Defined {
    let Context {
        machine,
        parameters,
        ..
    } = context;
    let built = figures.define_instead(Instead::Advised(kind), |figures| {
        build(
            context,
            (nests, changed.clone()),
            (machine, parameters),
            figures,
        )
    });
    let seconds = over_calls(context, nests, built.time.seconds);
    let before = nests.iter().map(|nest| memory_bytes(&context.nests[*nest]));
    let before = Expr::sum(before.map(Expr::from));
    let saved = before - Expr::from(memory_bytes(&built));
    Defined {
        inputs: Vec::new(),
        seconds: vec![figures.define(F::TimeAsAdvised, seconds)],
        bytes_saved: vec![moving_calls(context, nests[0]) * saved],
        fit: None,
    }
}

fn with_less_traffic(
    context: &Context,
    (kind, nests): (AdviceKind, &[usize]),
    saved: &Expr,
    figures: &mut Figures,
) -> Defined {
    let mut independent = FxHashSet::default();
    let mut defined = Defined {
        inputs: Vec::new(),
        seconds: Vec::new(),
        bytes_saved: Vec::new(),
        fit: None,
    };
    for nest in nests {
        let Some(own) = context.ranking.seconds(*nest) else {
            continue;
        };
        let bytes = memory_bytes(&context.nests[*nest]);
        let saved = figures.define(F::NotFetched, saved.clone());
        let saved = Expr::min([Expr::from(saved), Expr::from(bytes)]);
        let after = Expr::from(bytes) - saved.clone();
        let mut what_if = WhatIf::new(Instead::Advised(kind), &|_| None, &mut independent);
        what_if.replace(bytes, after, figures);
        defined.seconds.push(what_if.figure(own, figures));
        defined
            .bytes_saved
            .push(moving_calls(context, *nest) * saved);
    }
    defined
}

/// What becomes of the nests' times if the core does something else.
fn define_core(
    context: &Context,
    (kind, nests): (AdviceKind, &[usize]),
    change: CoreChange,
    figures: &mut Figures,
) -> Defined {
    let switch = Symbol::machine(REORDER_SUMS);
    let replace = |symbol: &Symbol| {
        let is_switched = change == CoreChange::SumsReordered && *symbol == switch;
        is_switched.then(|| Expr::from(1.0))
    };
    let mut independent = FxHashSet::default();
    let mut defined = Defined {
        inputs: Vec::new(),
        seconds: Vec::new(),
        bytes_saved: Vec::new(),
        fit: None,
    };
    for nest in nests {
        let Some(own) = context.ranking.seconds(*nest) else {
            continue;
        };
        let mut what_if = WhatIf::new(Instead::Advised(kind), &replace, &mut independent);
        let in_core = context.nests[*nest].time.in_core;
        if let Some(found) = in_core.filter(|_| change == CoreChange::NothingWaits) {
            what_if.replace(found.chains, Expr::from(0.0), figures);
        }
        defined.seconds.push(what_if.figure(own, figures));
    }
    defined
}
