//! How the times of the nests with the most work follow a single input: caches, bandwidths, peak, sizes of blocks.

use rustc_hash::FxHashSet;

use super::catalogue::StaticFigure as F;
use super::compact::{Compact, Dependence};
use super::dimension_name;
use super::figures::Figures;
use super::label::{Instead, Label, Subject};
use super::levels_of;
use super::nest_model::NestModel;
use super::parameters::{Kind, ParameterTable};
use super::ranking::{Ranking, listed};
use super::runs_on::RunsOn;
use super::traffic::is_on;
use super::what_if::WhatIf;
use crate::expr::{Expr, FigureId, Symbol};
use crate::machine::MachineModel;
use crate::machine::parameters::{LATENCY_LIMIT, SCENARIOS};

/// Times over a range of one input.
pub struct Sweep {
    pub symbol: Symbol,
    /// What it is, with its unit.
    pub label: String,
    /// Factor by which the value in force is multiplied; empty where values are given.
    pub factors: Vec<FigureId>,
    /// Machine parameters without which it changes nothing.
    pub needs: Vec<&'static str>,
    pub values: Vec<FigureId>,
    /// A nest each: its position, and its seconds for every value.
    pub nests: Vec<(usize, Vec<FigureId>)>,
    /// Seconds of these nests for every value.
    pub totals: Vec<FigureId>,
}

/// Nests of the sweeps of machine parameters, which few figures depend on.
const NESTS: usize = 10;
/// Nests of the sweeps of block sizes, which almost all figures depend on.
const BLOCKED_NESTS: usize = 3;
/// Machine parameters, what they are called, and what they are multiplied by.
const SCALED: &[(&str, &str, &[f64])] = &[
    (
        CACHE,
        "Cache of a core [B]",
        &[0.0625, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0],
    ),
    (
        "dram_gbs",
        "Memory bandwidth [GB/s]",
        &[0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0],
    ),
    (
        LATENCY,
        "Memory latency [ns]",
        &[0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0],
    ),
    (
        "gflops_per_core",
        "Peak of a core [Gflop/s]",
        &[0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0],
    ),
];
/// One core's share of the last level: both rules for DRAM traffic take their own figure of it.
const CACHE: &str = "cache_bytes";
const LATENCY: &str = LATENCY_LIMIT[0];
/// Nanoseconds from memory, where a machine does not give them.
const LATENCIES: &[f64] = &[50.0, 75.0, 100.0, 150.0, 200.0, 300.0, 400.0];
/// Iterations of a block; 0 is not blocked.
const BLOCKS: &[f64] = &[0.0, 8.0, 16.0, 32.0, 64.0, 128.0];

pub(super) fn define(
    (nests, ranking): (&[NestModel], &Ranking),
    (machine, parameters): (&MachineModel, &ParameterTable),
    compared: Option<(&[usize], &Dependence)>,
    figures: &mut Figures,
) -> Vec<Sweep> {
    let mut sweeps = Vec::new();
    let shown = shown(nests, ranking, figures);
    let (swept_nests, dependence) = match compared {
        Some((compared, dependence)) => (compared, Some(dependence)),
        None => (shown.as_slice(), None),
    };
    if shown.is_empty() {
        return sweeps;
    }
    for (name, label, factors) in SCALED {
        let symbol = Symbol::machine(name);
        let inputs = match *name {
            LATENCY if machine.get(LATENCY).is_none() => {
                (Vec::new(), given(swept(name), LATENCIES, figures))
            }
            CACHE => scaled(name, &last_share(machine, figures), factors, figures),
            _ => scaled(name, &Expr::from(symbol.clone()), factors, figures),
        };
        let last = match *name {
            CACHE => shares_of(nests, swept_nests, machine, figures),
            _ => Vec::new(),
        };
        let mut sweep = Sweep::define(
            &symbol,
            label.to_string(),
            (inputs, &last),
            (ranking, swept_nests),
            dependence,
            figures,
        );
        if *name == LATENCY {
            sweep.needs = LATENCY_LIMIT
                .into_iter()
                .filter(|name| *name != LATENCY || !sweep.factors.is_empty())
                .collect();
        }
        sweeps.push(sweep);
    }
    let shown = &shown[..shown.len().min(BLOCKED_NESTS)];
    let is_block = |symbol: &Symbol| {
        parameters
            .rows()
            .iter()
            .any(|row| row.kind == Kind::Block && row.name == symbol.name())
    };
    for position in 0..nests
        .iter()
        .map(|nest| nest.nest.spatial().len())
        .max()
        .unwrap_or(0)
        .min(3)
    {
        let name = dimension_name(position);
        let symbol = Symbol::block(&name);
        let blocked: Vec<usize> = shown
            .iter()
            .copied()
            .filter(|nest| nests[*nest].nest.spatial().len() > position)
            .collect();
        if blocked.is_empty() || !is_block(&symbol) {
            continue;
        }
        let inputs = (Vec::new(), given(swept(symbol.name()), BLOCKS, figures));
        let label = format!("Block size in {name} [iterations; 0: not blocked]");
        sweeps.push(Sweep::define(
            &symbol,
            label,
            (inputs, &[]),
            (ranking, &blocked),
            None,
            figures,
        ));
    }
    sweeps
}

/// The nests of the sweeps.
pub(super) fn shown(nests: &[NestModel], ranking: &Ranking, figures: &Figures) -> Vec<usize> {
    listed(nests, ranking.busiest(nests, nests.len(), figures), NESTS)
}

/// One core's share of the last level, as the rule for DRAM traffic in force takes it.
fn last_share(machine: &MachineModel, figures: &Figures) -> Expr {
    let levels = levels_of(machine, figures.detail());
    let refined = RunsOn::AllCores.last_share(&levels, figures.detail());
    let by_scenarios = Expr::machine(CACHE);
    match refined {
        Some(refined) => is_on(SCENARIOS, by_scenarios, refined),
        None => by_scenarios,
    }
}

/// The figures that nests have of it.
pub(super) fn shares(nests: &[NestModel], shown: &[usize]) -> Vec<FigureId> {
    let last = |nest: &usize| nests[*nest].levels.caches.last();
    let shares = shown.iter().filter_map(last).map(|cache| cache.capacity);
    shares.collect()
}

/// The same with what a nest has that all cores have a share of each.
fn shares_of(
    nests: &[NestModel],
    shown: &[usize],
    machine: &MachineModel,
    figures: &Figures,
) -> Vec<(FigureId, Expr)> {
    let levels = levels_of(machine, figures.detail());
    let part = |nest: &usize| {
        let on = nests[*nest].nest.runs_on();
        on.of_last_share(&levels, figures.detail())
    };
    let has_caches = |nest: &&usize| !nests[**nest].levels.caches.is_empty();
    let parts = shown.iter().filter(has_caches).map(part);
    shares(nests, shown).into_iter().zip(parts).collect()
}

/// Factors, and the value in force times each.
fn scaled(
    name: &str,
    in_force: &Expr,
    factors: &[f64],
    figures: &mut Figures,
) -> (Vec<FigureId>, Vec<FigureId>) {
    let factors = given(F::Factor.into(), factors, figures);
    let times =
        |factor: &FigureId| figures.define(swept(name), Expr::from(*factor) * in_force.clone());
    let values = factors.iter().map(times).collect();
    (factors, values)
}

fn swept(input: &str) -> Label {
    F::SweptValue.about(Subject::Input(input.into()))
}

fn given(label: Label, values: &[f64], figures: &mut Figures) -> Vec<FigureId> {
    values
        .iter()
        .map(|value| figures.define(label.clone(), Expr::from(*value)))
        .collect()
}

/// Factors and values of an input, and figures that say the same times a factor.
type Inputs<'s> = ((Vec<FigureId>, Vec<FigureId>), &'s [(FigureId, Expr)]);

impl Sweep {
    /// The symbol takes each of the values in turn, and so do figures that say the `same`, times a factor.
    fn define(
        symbol: &Symbol,
        label: String,
        ((factors, values), same): Inputs,
        (ranking, shown): (&Ranking, &[usize]),
        dependence: Option<&Dependence>,
        figures: &mut Figures,
    ) -> Sweep {
        let mut times: Vec<(usize, Vec<FigureId>)> =
            shown.iter().map(|nest| (*nest, Vec::new())).collect();
        let mut independent = FxHashSet::default();
        for value in &values {
            let replace = |other: &Symbol| (other == symbol).then(|| Expr::from(*value));
            let instead = Instead::Value(symbol.name().to_string(), figures.value(*value));
            if let Some(dependence) = dependence {
                let changed = match same {
                    [] => dependence.on(&[symbol.name()]),
                    _ => dependence.with_last(&[symbol.name()]),
                };
                let replace = |name: &str| (name == symbol.name()).then(|| Expr::from(*value));
                let mut compact = Compact::new(instead, (dependence, changed), &replace);
                for (nest, seconds) in &mut times {
                    compact.forget();
                    for (figure, part) in same {
                        compact.replace(*figure, Expr::from(*value) * part.clone());
                    }
                    let time = ranking.seconds(*nest);
                    seconds.extend(time.map(|time| compact.define(time, figures)));
                }
                continue;
            }
            let mut what_if = WhatIf::new(instead, &replace, &mut independent);
            for (figure, part) in same {
                what_if.replace(*figure, Expr::from(*value) * part.clone(), figures);
            }
            for (nest, seconds) in &mut times {
                let time = ranking.seconds(*nest);
                seconds.extend(time.map(|time| what_if.figure(time, figures)));
            }
        }
        let totals = (0..values.len())
            .map(|at| {
                let seconds = times.iter().map(|(_, seconds)| seconds[at]);
                let input = Subject::Input(symbol.name().into());
                figures.define_total(F::SweptTime.about(input), seconds)
            })
            .collect();
        Sweep {
            symbol: symbol.clone(),
            label,
            factors,
            needs: Vec::new(),
            values,
            nests: times,
            totals,
        }
    }
}
