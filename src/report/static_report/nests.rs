//! Nests: what the model says of each.

use serde::{Deserialize, Serialize};

use super::advice::BriefAdvice;
use super::levels::{self, CacheReport, LayerConditionReport, LevelReport};
use super::measured::MeasuredReport;
use super::registers::RegistersReport;
use crate::Figure;
use crate::analysis::facts::AccessClass;
use crate::expr::FigureId;
use crate::model::influence;
use crate::model::references::{self, ArrayReferences};
use crate::model::{
    Checked, Collision, Conflict, InCoreFigures, Model, NestModel, RunsOn, WorkingSet,
    dimension_name,
};

/// A nest, over one call of its function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NestReport {
    /// Id of the loop that stands for it.
    #[serde(rename = "loop")]
    pub head: String,
    /// Ids of all loops around its innermost code, outermost first.
    pub loops: Vec<String>,
    #[serde(default)]
    pub extents: Vec<ExtentReport>,
    pub iterations: Figure,
    /// Whether it is proven to run on one core of a program that uses several; absent where it is not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub serial: bool,
    /// Codes of what keeps it from being understood in full.
    #[serde(default)]
    pub reasons: Vec<String>,
    /// Names of the sizes, trip counts and probabilities that its figures and the number of its calls rest on and that
    /// nothing gives.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guessed: Vec<String>,
    /// The model's bytes over those of a run with small sizes, where the two do not agree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disagreement: Option<Figure>,
    /// What a run with small sizes moves, where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked: Option<CheckedReport>,
    /// Caches in whose sets its lines collide, where it was run with their ways.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<ConflictReport>,
    /// The loop of which counts of a run say otherwise, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted: Option<CountedReport>,
    #[serde(default)]
    pub sweeps: Figure,
    #[serde(default)]
    pub blocks: Figure,
    #[serde(default)]
    pub flops: Figure,
    pub adds: Figure,
    pub multiplies: Figure,
    pub divides: Figure,
    pub specials: Figure,
    #[serde(default)]
    pub weighted_flops: Figure,
    pub working_set: WorkingSetsReport,
    #[serde(default)]
    pub traffic: TrafficReport,
    #[serde(default)]
    pub streams: Vec<StreamReport>,
    pub references: Vec<ReferencesReport>,
    /// In all, by loop of `loops`.
    pub loop_iterations: Vec<Figure>,
    /// What serves the nest, nearest first.
    #[serde(default)]
    pub levels: Vec<LevelReport>,
    #[serde(default)]
    pub caches: Vec<CacheReport>,
    #[serde(default)]
    pub layer_conditions: Vec<LayerConditionReport>,
    #[serde(default)]
    pub intensity: Figure,
    #[serde(default)]
    pub cpu_seconds: Figure,
    /// Absent where the machine does not say what its cores do in a cycle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_core: Option<InCoreReport>,
    /// Absent where no line is irregular, or the machine does not say what such lines take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub irregular: Option<IrregularReport>,
    /// Numbers that it writes or reads as text, and the time of that; absent where it writes none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub texts: Option<Figure>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_seconds: Option<Figure>,
    pub seconds: Figure,
    /// The same if all that the source leaves open goes well, and if nothing of that does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low_seconds: Option<Figure>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high_seconds: Option<Figure>,
    /// What the source leaves open: `caches`, `vectors`, `sums`, `conflicts`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<String>,
    /// How often its function is called in a run of the program: once where nothing says where a run begins, never where no
    /// calls lead to it from there, unknown where calls that cannot be followed may.
    #[serde(default)]
    pub calls: Figure,
    /// The same, each call with its size over that of the largest; absent where all are of one size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls_of_full_size: Option<Figure>,
    /// Of these, executions of the nest that are shown to find all of its data in a cache, or one before it; absent where none
    /// are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warm_executions: Vec<WarmReport>,
    /// Codes of why that number is not exact.
    #[serde(default)]
    pub calls_reasons: Vec<String>,
    /// The same as `seconds`.
    #[serde(default)]
    pub one_call_seconds: Figure,
    #[serde(default)]
    pub all_calls_seconds: Figure,
    /// Of the time of all nests and calls; unknown where not reached by any call that could be followed.
    #[serde(default)]
    pub share: Figure,
    /// What it was measured to take, where times were given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<MeasuredReport>,
    /// Its estimate over all calls over that; of nests that were measured together, the sum of theirs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured_ratio: Option<Figure>,
    /// What its time is spent on: the processor or a level.
    #[serde(default)]
    pub bound: Option<String>,
    /// Absent where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registers: Option<RegistersReport>,
    /// Of called procedures that keep their loops to themselves, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub called_flops: Option<Figure>,
    /// What would make it faster, the most first, where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<Vec<BriefAdvice>>,
}

/// Executions of a nest that are shown to find all of its data in a cache.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WarmReport {
    pub level: String,
    pub executions: Figure,
}

impl WarmReport {
    fn of(model: &Model, index: usize) -> Vec<WarmReport> {
        let calls = model.ranking.of(index).and_then(|ranked| ranked.calls);
        let Some((found, calls)) = model.ranking.revisits(index).zip(calls) else {
            return Vec::new();
        };
        let calls = model.value(calls);
        let caches = model.nests[index].levels.caches.iter();
        let warm = caches.zip(&found.cold).map(|(cache, cold)| WarmReport {
            level: cache.name.clone(),
            executions: (calls - model.value(*cold)).into(),
        });
        let is_some = |one: &WarmReport| one.executions.known().is_none_or(|n| n > 0.0);
        warm.filter(is_some).collect()
    }
}

/// A loop that went round more often, or less often, in a run than the model says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CountedReport {
    /// Its id.
    #[serde(rename = "loop")]
    pub id: String,
    /// Iterations in the run, and those of the model: of all calls, or of one.
    pub iterations: Figure,
    pub modelled_iterations: Figure,
    pub of_all_calls: bool,
}

/// A nest's bytes in a run with small sizes, for the cache for which the model is farthest from them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CheckedReport {
    /// Bytes of that cache.
    pub capacity: Figure,
    pub simulated_bytes: Figure,
    /// The model's bytes over the simulated ones.
    pub ratio: Figure,
}

impl CheckedReport {
    fn of(checked: Checked) -> CheckedReport {
        CheckedReport {
            capacity: (checked.capacity as f64).into(),
            simulated_bytes: checked.simulated_bytes.into(),
            ratio: checked.ratio.into(),
        }
    }
}

/// Lines of a nest that fall into few sets of a cache, and what a run of it with the sizes that are set moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ConflictReport {
    pub level: String,
    pub ways: Figure,
    pub array: String,
    /// Bytes between the lines, how many there are, the sets that they fall into, and lines that these hold.
    pub stride_bytes: Figure,
    pub lines: Figure,
    pub sets: Figure,
    pub held_lines: Figure,
    pub fully_associative_bytes: Figure,
    pub set_associative_bytes: Figure,
    /// The second over the first.
    pub ratio: Figure,
    /// Share of the accesses that was simulated.
    pub simulated_share: Figure,
}

impl ConflictReport {
    fn of(conflict: &Conflict, model: &Model) -> ConflictReport {
        let Collision {
            array,
            stride,
            lines,
            sets,
            held,
        } = &conflict.collision;
        let levels = model.levels();
        ConflictReport {
            level: (levels.get(conflict.level))
                .map_or_else(String::new, |level| level.name.clone()),
            ways: conflict.ways.into(),
            array: array.to_string(),
            stride_bytes: (*stride).into(),
            lines: (*lines).into(),
            sets: (*sets).into(),
            held_lines: (*held).into(),
            fully_associative_bytes: conflict.fully_associative_bytes.into(),
            set_associative_bytes: conflict.set_associative_bytes.into(),
            ratio: conflict.ratio().into(),
            simulated_share: conflict.share.into(),
        }
    }
}

/// Lines that no prefetcher predicts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct IrregularReport {
    /// Pages that the TLB does not hold; absent where the machine does not say what it holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages_missed: Option<Figure>,
    /// Of lines that others of their sets evict: part of `seconds`; absent where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conflict_seconds: Option<Figure>,
    /// Over the whole execution.
    pub seconds: Figure,
}

/// What the core does in its cycles, all data being in the first cache.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct InCoreReport {
    /// Elements that the innermost loop does at once.
    pub lanes: Figure,
    /// Cycles of one iteration of the innermost loop.
    pub chain_cycles: Figure,
    pub port_cycles: Figure,
    /// Over the whole execution.
    pub chain_seconds: Figure,
    pub ports_seconds: Figure,
    /// Loads and stores that wait for memory: added to its time.
    #[serde(default)]
    pub waiting_seconds: Figure,
    /// Branches that data decide and the core predicts wrongly: added to the larger of chain and ports; absent where data
    /// decide none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mispredicted_branches: Option<Figure>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch_seconds: Option<Figure>,
    /// What the flags of its file let the compiler do, by the names of the switches of the machine; absent where they say
    /// nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_flags: Vec<String>,
}

impl InCoreReport {
    fn of(model: &Model, nest: &NestModel, found: &InCoreFigures) -> InCoreReport {
        let figure = |id: FigureId| Figure::of(model, id);
        InCoreReport {
            lanes: figure(found.lanes),
            chain_cycles: figure(found.chain_cycles),
            port_cycles: figure(found.port_cycles),
            chain_seconds: figure(found.chains),
            ports_seconds: figure(found.ports),
            waiting_seconds: nest.time.waiting.map_or(Figure::default(), figure),
            mispredicted_branches: found.branches.map(|found| figure(found.mispredicted)),
            branch_seconds: found.branches.map(|found| figure(found.seconds)),
            by_flags: nest.by_flags().into_iter().map(str::to_string).collect(),
        }
    }
}

/// One dimension of a nest's range.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ExtentReport {
    pub dimension: String,
    pub var: String,
    pub trip_count: Figure,
    pub block: Figure,
    pub blocks: Figure,
}

/// Bytes that have to stay in a cache for reuse, by what is reused, under four assumptions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WorkingSetsReport {
    #[serde(default)]
    pub naive: WorkingSetReport,
    #[serde(default)]
    pub streaming: WorkingSetReport,
    #[serde(default)]
    pub reuse: WorkingSetReport,
    pub actual: WorkingSetReport,
    pub footprint: Figure,
}

/// Bytes by what is reused.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WorkingSetReport {
    pub plane: Figure,
    pub pencil: Figure,
    #[serde(default)]
    pub cell: Figure,
    /// Cells first.
    #[serde(default)]
    pub by_level: Vec<Figure>,
}

/// Bytes to and from memory by what is reused, and what the cache has room for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TrafficReport {
    pub between_blocks: Figure,
    pub between_planes: Figure,
    pub between_pencils: Figure,
    pub within_pencils: Figure,
    pub none: Figure,
    pub actual: Figure,
    pub by_level: Vec<Figure>,
}

/// What a nest touches of an array; lists as [`WorkingSetReport::by_level`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StreamReport {
    pub name: String,
    #[serde(default)]
    pub component: String,
    #[serde(default)]
    pub class: Option<AccessClass>,
    #[serde(default)]
    pub elements: Vec<Figure>,
    #[serde(default)]
    pub working_set: Vec<Figure>,
    #[serde(default)]
    pub traffic: Vec<Figure>,
    pub footprint: Figure,
}

/// References to an array over the whole execution of a nest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReferencesReport {
    pub array: String,
    pub loads: Figure,
    pub stores: Figure,
    pub element_bytes: Figure,
}

impl NestReport {
    /// The nest with this index.
    pub(super) fn of(model: &Model, index: usize) -> NestReport {
        let nest = &model.nests[index];
        let figure = |id: FigureId| Figure::of(model, id);
        let band = nest.time.band;
        let operations = &nest.operations;
        let registers = model.registers[index].as_ref();
        let calls = model.calls.as_ref();
        let ranked = model.ranking.of(index);
        let measured = model
            .measured
            .as_ref()
            .and_then(|measured| measured.of(index));
        NestReport {
            head: nest.nest.head().id.clone(),
            loops: (nest.nest.loops.iter())
                .map(|one| one.facts.id.clone())
                .collect(),
            extents: extents(model, nest),
            iterations: figure(nest.iterations),
            serial: nest.nest.runs_on() == RunsOn::OneCore,
            reasons: (nest.reason_codes().into_iter())
                .map(|code| code.to_string())
                .collect(),
            guessed: (influence::guesses(model, index))
                .map(|row| row.name.clone())
                .collect(),
            disagreement: nest.disagreement().map(Figure::from),
            checked: nest.checked.map(CheckedReport::of),
            counted: nest.counted.as_ref().map(|found| CountedReport {
                id: found.id.clone(),
                iterations: found.counted.into(),
                modelled_iterations: found.modelled.into(),
                of_all_calls: found.is_of_all_calls,
            }),
            conflicts: (nest.conflicts.iter())
                .map(|conflict| ConflictReport::of(conflict, model))
                .collect(),
            sweeps: figure(nest.sweeps),
            blocks: figure(nest.blocks),
            flops: figure(operations.flops),
            adds: figure(operations.adds),
            multiplies: figure(operations.multiplies),
            divides: figure(operations.divides),
            specials: figure(operations.specials),
            weighted_flops: figure(operations.weighted),
            working_set: WorkingSetsReport::of(model, nest),
            traffic: TrafficReport::of(model, nest),
            streams: streams(model, nest),
            references: (references::of_nest(model, nest).into_iter())
                .map(ReferencesReport::of)
                .collect(),
            loop_iterations: (nest.counts.iter())
                .map(|counts| figure(counts.weighted))
                .collect(),
            levels: levels::levels(model, nest),
            caches: (nest.levels.caches.iter())
                .map(|cache| CacheReport::of(model, cache))
                .collect(),
            layer_conditions: (nest.levels.reuses.iter())
                .map(|reuse| LayerConditionReport::of(model, nest, reuse))
                .collect(),
            intensity: figure(nest.time.intensity),
            cpu_seconds: figure(nest.time.cpu),
            in_core: (nest.time.in_core.as_ref()).map(|found| InCoreReport::of(model, nest, found)),
            irregular: (nest.time.irregular.as_ref()).map(|found| IrregularReport {
                pages_missed: nest.levels.pages.map(|pages| figure(pages.missed)),
                conflict_seconds: found.conflicts.map(|found| figure(found.seconds)),
                seconds: figure(found.seconds),
            }),
            texts: operations.texts.map(figure),
            text_seconds: nest.time.text.map(figure),
            seconds: figure(nest.time.seconds),
            low_seconds: band.map(|band| figure(band.low)),
            high_seconds: band.map(|band| figure(band.high)),
            open: (band.into_iter())
                .flat_map(|band| band.open.all())
                .map(|question| question.name().to_string())
                .collect(),
            calls: model.calls_of(index).into(),
            calls_of_full_size: ranked
                .and_then(|ranked| ranked.full.filter(|full| Some(*full) != ranked.calls))
                .map(figure),
            warm_executions: WarmReport::of(model, index),
            calls_reasons: (model.doubts(index).into_iter())
                .map(|code| code.to_string())
                .collect(),
            one_call_seconds: figure(nest.time.seconds),
            all_calls_seconds: model.all_calls_seconds(index).into(),
            share: ranked.map_or_else(|| Figure::from(f64::NAN), |ranked| figure(ranked.share)),
            measured: measured.map(|found| MeasuredReport::of(model, found)),
            measured_ratio: measured
                .map(|found| found.ratio.map_or_else(|| Figure::from(f64::NAN), figure)),
            bound: (nest.time.bound_name(model.value(nest.time.bound))).map(str::to_string),
            registers: registers.map(|found| RegistersReport::of(model, found)),
            called_flops: calls
                .and_then(|calls| calls.called_flops.get(&index))
                .map(|flops| figure(*flops)),
            advice: None,
        }
    }
}

fn figures(model: &Model, ids: &[FigureId]) -> Vec<Figure> {
    ids.iter().map(|id| Figure::of(model, *id)).collect()
}

fn extents(model: &Model, nest: &NestModel) -> Vec<ExtentReport> {
    let spatial = nest.nest.spatial();
    let extent = |(position, extent): (usize, &crate::model::LoopFigures)| ExtentReport {
        dimension: dimension_name(position).clone(),
        var: (spatial[nest.loops.len() - 1 - position].facts.variable).to_string(),
        trip_count: Figure::of(model, extent.trip),
        block: Figure::of(model, extent.block),
        blocks: Figure::of(model, extent.blocks),
    };
    nest.loops.iter().enumerate().map(extent).collect()
}

fn streams(model: &Model, nest: &NestModel) -> Vec<StreamReport> {
    let found = nest.streams.iter().map(|s| {
        let stream = &nest.nest.streams[s.index].stream;
        StreamReport {
            name: stream.array.to_string(),
            component: stream.component.to_string(),
            class: Some(stream.class),
            elements: figures(model, &s.elements),
            working_set: figures(model, &s.working_set),
            traffic: figures(model, &s.traffic),
            footprint: Figure::of(model, s.footprint),
        }
    });
    found.collect()
}

impl WorkingSetsReport {
    fn of(model: &Model, nest: &NestModel) -> WorkingSetsReport {
        let sets = &nest.working_sets;
        let report = |set: &WorkingSet| WorkingSetReport {
            plane: Figure::of(model, set.levels[2]),
            pencil: Figure::of(model, set.levels[1]),
            cell: Figure::of(model, set.levels[0]),
            by_level: figures(model, &set.levels),
        };
        WorkingSetsReport {
            naive: report(&sets.naive),
            streaming: report(&sets.streaming),
            reuse: report(&sets.reuse),
            actual: report(&sets.actual),
            footprint: Figure::of(model, sets.footprint),
        }
    }
}

impl TrafficReport {
    fn of(model: &Model, nest: &NestModel) -> TrafficReport {
        let traffic = &nest.traffic;
        TrafficReport {
            between_blocks: Figure::of(model, traffic.between_blocks),
            between_planes: Figure::of(model, traffic.scenarios[3]),
            between_pencils: Figure::of(model, traffic.scenarios[2]),
            within_pencils: Figure::of(model, traffic.scenarios[1]),
            none: Figure::of(model, traffic.scenarios[0]),
            actual: Figure::of(model, traffic.actual),
            by_level: figures(model, &traffic.scenarios),
        }
    }
}

impl ReferencesReport {
    fn of(found: ArrayReferences) -> ReferencesReport {
        let ArrayReferences {
            array,
            loads,
            stores,
            element_bytes,
        } = found;
        ReferencesReport {
            array,
            loads: loads.into(),
            stores: stores.into(),
            element_bytes: element_bytes.into(),
        }
    }
}
