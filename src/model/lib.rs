//! The static performance model: working sets, traffic and time of every nest, each figure defined
//! once as an expression over named parameters and earlier figures, and of a kind that the [catalogue](StaticFigure)
//! explains.
//!
//! Exporters evaluate nothing: they show a figure's expression and the value beside it.

// The layers below, by their names.
use loopsheet_analysis as analysis;
use loopsheet_base::{formula, quantity, reason, wording};
use loopsheet_cache as cache;
use loopsheet_expr as expr;
use loopsheet_machine as machine;
use loopsheet_procedures::message_passing;

pub mod advice;
mod advice_kind;
mod all_calls;
pub mod alternatives;
mod arrays;
mod band;
pub mod bandwidth;
mod build;
pub mod calls;
mod catalogue;
pub mod communication;
mod compact;
mod data_time;
pub mod dependencies;
pub mod figures;
pub mod footprint;
pub mod goals;
mod group_names;
mod growth;
mod in_core;
pub mod influence;
mod irregular;
mod label;
pub mod levels;
mod loops;
pub mod measured;
mod messages;
pub mod nest;
mod nest_model;
mod open;
mod operations;
pub mod parameters;
mod peeled;
pub mod placement;
mod prediction;
pub mod ranking;
pub mod references;
pub mod registers;
pub mod roofline;
mod rows;
mod runs_on;
pub mod scenarios;
pub mod sensitivity;
mod shares;
mod shortened;
pub mod staircase;
mod stream;
mod summary;
mod time;
mod traffic;
mod trip_count;
mod what_if;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::OnceLock;

use fixedbitset::FixedBitSet;

use crate::analysis::coverage::{self, Coverage};
use crate::analysis::facts::Program;

use crate::expr::{FigureId, Symbol};
use crate::machine::{Level, MachineModel};
use crate::reason::ReasonCode;

pub use advice::{Advice, AdviceKind, Change};
pub use alternatives::Alternatives;
pub use arrays::Arrays;
pub use band::TotalBand;
pub use calls::{CallGraph, CallPath, Calls, Costs, Reached};
pub use catalogue::StaticFigure;
pub use communication::{CommunicationFigures, CommunicationModel};
pub use dependencies::SequenceModel;
pub use figures::{Detail, Figure, FigureMap, Figures};
pub use group_names::{group_name, scenario_name};
pub use growth::{Growth, largest_that_fits};
pub use in_core::InCoreFigures;
pub use irregular::IrregularFigures;
pub use label::{Instead, Label, Part, RegisterFile, ReuseSubject, Subject, Swings};
pub use levels::{
    ArrayFigures, CacheFigures, Collision, Neighbours, NestLevels, ReuseFigures, SetAssociative,
};
pub use loops::{LoopCounts, LoopFigures};
pub use measured::{Measured, MeasuredFigures, Measurements};
pub use nest::Nest;
pub use nest_model::{Checked, Conflict, CountedLoop, Findings, MARK, NestModel};
pub use open::{Band, Open, Question};
pub use operations::{IterationOperations, OperationFigures};
pub use parameters::{Ambiguous, ParameterTable, Setting, SettingError};
pub use placement::{FarMemory, Placement};
pub use prediction::{Prediction, Valued};
pub use ranking::{Ranked, Ranking};
pub use registers::{FileFigures, RegisterFigures};
pub use runs_on::RunsOn;
pub use sensitivity::Sweep;
pub use staircase::Staircase;
pub use stream::{StreamFigures, StreamShape};
pub use summary::{KnownTotals, Totals};
pub use time::{BoundBy, LevelFigures, LevelKind, TimeFigures};
pub use traffic::{NestTraffic, WorkingSet, WorkingSets};
pub use what_if::{OtherMachine, OtherNest};

/// Everything the model says about a program on a machine.
pub struct Model<'p> {
    pub program: &'p Program,
    pub machine: MachineModel,
    /// The machine that it is compared with, if figures hold for any.
    pub other: Option<MachineModel>,
    pub parameters: ParameterTable,
    pub figures: Figures,
    /// Bytes per second between memory and all cores together.
    pub memory_bandwidth: FigureId,
    pub nests: Vec<NestModel<'p>>,
    pub totals: Totals,
    /// What the nests are ranked by.
    pub ranking: Ranking,
    /// What follows what, function by function; left out with [`Detail::Least`].
    pub sequences: Vec<SequenceModel<'p>>,
    /// Who calls whom.
    pub call_graph: CallGraph,
    /// What [`influence::influence`] finds of it, once.
    rows_of_calls: OnceLock<Vec<FixedBitSet>>,
    /// What the figures of each nest rest on, once.
    foundations: OnceLock<Vec<Vec<usize>>>,
    /// Which arrays may go to far memory, once.
    placed: OnceLock<Placement>,
    /// What calls make of the nests' figures, if functions of the program call each other.
    pub calls: Option<Calls>,
    /// What moves between processes, if anything does.
    pub communication: Option<CommunicationModel<'p>>,
    /// What the innermost loops keep in registers, in the order of the nests.
    pub registers: Vec<Option<RegisterFigures>>,
    /// Times on the other machine, if there is one.
    pub on_other: Option<OtherMachine>,
    /// Times with other figures of the machine, if figures hold for any.
    pub alternatives: Option<Alternatives>,
    /// Times over a range of single inputs, where there are formulas.
    pub sensitivity: Vec<Sweep>,
    /// What would make the costliest nests faster, where there are formulas.
    pub advice: Vec<Advice>,
    /// What the chart of the roofline shows, if figures hold for any machine.
    pub roofline: Option<roofline::Chart>,
    /// Nests that are not in it, because there are too many for a workbook, or because they are not to be listed.
    pub left_out: Option<LeftOut>,
    /// What runs of nests said of them.
    findings: Findings,
    /// Measured times beside the estimates, if there are any.
    pub measured: Option<Measured>,
    /// Far memory that arrays may go to, if that is asked: then what nests move is told apart by array.
    pub far: Option<FarMemory>,
    /// Number of spatial loops of the deepest nest, at least three.
    pub dimensions: usize,
    /// What iterations of loops around calls touch, by place.
    bytes_of_iterations: HashMap<calls::LoopPlace, FigureId>,
}

impl<'p> Model<'p> {
    /// Builds the model.
    ///
    /// # Errors
    /// A setting names nothing, or its value is out of range.
    pub fn build(
        program: &'p Program,
        machine: MachineModel,
        settings: &[Setting],
    ) -> Result<Model<'p>, SettingError> {
        Model::with(program, machine, settings, Detail::Formulas)
    }

    /// The same in as much detail as is needed: formulas of all cache levels take longer than their values.
    ///
    /// # Errors
    /// As for [`Model::build`].
    pub fn with(
        program: &'p Program,
        machine: MachineModel,
        settings: &[Setting],
        detail: Detail,
    ) -> Result<Model<'p>, SettingError> {
        let (collected, dimensions) = Collected::of(program);
        let Collected {
            nests,
            call_graph,
            messages,
            ..
        } = &collected;
        let (machine, parameters) = ParameterTable::build(
            program,
            (nests, call_graph, messages),
            machine,
            dimensions,
            settings,
        )?;
        Ok(Model::define(
            program,
            (machine, parameters),
            collected,
            dimensions,
            (detail, Beside::Sensitivity),
        ))
    }

    /// The same model with formulas that hold for every machine, for the workbook. Of a big program it has the
    /// costliest nests only, without what depends on all of them: calls, dependences, communication. The same where some
    /// functions are not to be listed.
    pub fn for_any_machine(&self, room: Room) -> Model<'p> {
        self.for_any_machine_with(room, &[])
    }

    /// The same with these nests, whatever they cost.
    pub fn for_any_machine_with(&self, room: Room, wanted: &[usize]) -> Model<'p> {
        let mut most = room.nests;
        loop {
            let model = self.of_costliest(most, wanted);
            if model.figures.len() <= room.figures || most == 1 {
                return model;
            }
            most = (most / 2).max(1);
        }
    }

    fn of_costliest(&self, most: usize, wanted: &[usize]) -> Model<'p> {
        let is_part = self.nests.len() > most || self.program.hides_some();
        let kept = is_part.then(|| {
            let ranked = self.ranking.order(&self.nests, &self.figures);
            let costliest = ranking::listed(&self.nests, ranked, most).into_iter();
            costliest.chain(wanted.iter().copied()).collect()
        });
        self.of(kept, Detail::AnyMachine, Beside::Sensitivity)
    }

    /// The same model with the values that reports have, whatever else was asked for.
    pub fn for_numbers(&self) -> Model<'p> {
        self.of(None, Detail::Values, Beside::Nothing)
    }

    /// A model with formulas of the functions whose nests are in [`Model::sensitivity`] or [`Model::advice`], and little
    /// else.
    pub fn for_sensitivity(&self) -> Model<'p> {
        let shown = sensitivity::shown(&self.nests, &self.ranking, &self.figures);
        let advised = self.worth_advice();
        let kept = self.with_functions_of(shown.into_iter().chain(advised));
        self.of(Some(kept), Detail::Formulas, Beside::Sensitivity)
    }

    /// A model with formulas of the functions whose nests are in [`Model::advice`], and that.
    pub fn for_advice(&self) -> Model<'p> {
        let kept = self.with_functions_of(self.worth_advice().into_iter());
        self.of(Some(kept), Detail::Formulas, Beside::Nothing)
    }

    /// A model with formulas of the functions that these nests are in, and little else.
    pub fn for_nests(&self, nests: &[usize]) -> Model<'p> {
        let kept = self.with_functions_of(nests.iter().copied());
        self.of(Some(kept), Detail::Formulas, Beside::Nothing)
    }

    /// The position of a nest of another model of the same program.
    pub fn position_of(&self, other: &NestModel) -> Option<usize> {
        let is_it = |nest: &NestModel| {
            nest.nest.own == other.nest.own && std::ptr::eq(nest.nest.head(), other.nest.head())
        };
        self.nests.iter().position(is_it)
    }

    /// The nests that advice is looked for.
    fn worth_advice(&self) -> Vec<usize> {
        let others = self.left_out.map_or(0.0, |others| others.seconds);
        advice::costliest((&self.nests, &self.ranking, others), &self.figures).0
    }

    /// Nests with all others of their functions.
    fn with_functions_of(&self, nests: impl Iterator<Item = usize>) -> HashSet<usize> {
        let of = |nest: usize| self.nests[nest].nest.function;
        let functions: HashSet<usize> = nests.map(of).collect();
        let all = 0..self.nests.len();
        all.filter(|nest| functions.contains(&of(*nest))).collect()
    }

    /// Takes what runs of nests said of them. Models that are made of this one take it, too. All nests must be in this
    /// model.
    pub fn mark(&mut self, findings: Findings) {
        for (position, nest) in self.nests.iter_mut().enumerate() {
            nest.take(&findings, position);
        }
        self.findings = findings;
    }

    /// The same model with measured times beside its estimates; models that are made of this one have them, too. All nests
    /// must be in this model.
    pub fn with_measured(&self, measurements: Measurements) -> Model<'p> {
        let asked = (self.figures.detail(), Beside::Sensitivity);
        self.beside((Some(measurements), self.far), None, asked)
    }

    /// The same model with far memory that arrays may go to, with the values that reports have; models that are made of this
    /// one have it, too. All nests must be in this model.
    pub fn with_far_memory(&self, memory: FarMemory) -> Model<'p> {
        let measurements = self.measured.as_ref().map(|measured| measured.all.clone());
        let detail = self.figures.detail().max(Detail::Values);
        let asked = (detail, Beside::Sensitivity);
        self.beside((measurements, Some(memory)), None, asked)
    }

    /// Which arrays may go to far memory, where some may.
    pub fn placement(&self) -> Option<&Placement> {
        let memory = self.far?;
        Some(self.placed.get_or_init(|| placement::place(self, memory)))
    }

    /// The nest with this number among those of its function.
    pub fn nest_of(&self, function: usize, number: usize) -> Option<usize> {
        let is_own = |nest: &usize| self.nests[*nest].nest.function == function;
        (0..self.nests.len()).filter(is_own).nth(number)
    }

    /// The nest that does the work of each function whose body stands in place of its calls; `None` where several nests do,
    /// or what is outside of nests.
    pub fn nests_of_bodies_in_place(&self) -> BTreeMap<&'p str, Option<usize>> {
        let nests: Vec<&Nest> = self.nests.iter().map(|nest| &nest.nest).collect();
        calls::nests_of_bodies_in_place(self.program, &nests)
    }

    /// The same model in other detail, of some of its nests if it says which.
    fn of(&self, kept: Option<HashSet<usize>>, detail: Detail, beside: Beside) -> Model<'p> {
        let measurements = self.measured.as_ref().map(|measured| measured.all.clone());
        self.beside((measurements, self.far), kept, (detail, beside))
    }

    fn beside(
        &self,
        (measurements, far): (Option<Measurements>, Option<FarMemory>),
        kept: Option<HashSet<usize>>,
        asked: (Detail, Beside),
    ) -> Model<'p> {
        let mut collected = match &kept {
            Some(kept) if self.left_out.is_none() => Collected::of_some(self, kept),
            _ => Collected::of(self.program).0,
        };
        collected.findings = self.findings.clone();
        collected.measurements = measurements;
        collected.far = far;
        if let Some(kept) = kept {
            let known = self.bytes_of_iterations.iter();
            let known = known.map(|(place, bytes)| (*place, self.value(*bytes)));
            collected.bytes = Some(known.collect());
            let others: Vec<usize> = (0..self.nests.len())
                .filter(|index| !kept.contains(index))
                .collect();
            let known = others
                .iter()
                .filter_map(|index| Some(self.value(self.ranking.seconds(*index)?)))
                .filter(|seconds| seconds.is_finite());
            let is_asked_for = |one: &&usize| self.nests[**one].nest.is_shown();
            let asked_for = others.iter().filter(is_asked_for).count();
            collected.left_out = Some(LeftOut {
                nests: others.len(),
                asked_for,
                // The sum of nothing would be -0.
                seconds: known.sum::<f64>() + 0.0,
                band: TotalBand::of((&self.nests, &others), &self.ranking, &self.figures),
            });
            if self.left_out.is_some() {
                collected.keep(&kept);
            }
        }
        let known = (self.machine.clone(), self.parameters.clone());
        Model::define(self.program, known, collected, self.dimensions, asked)
    }

    fn define(
        program: &'p Program,
        (machine, parameters): (MachineModel, ParameterTable),
        Collected {
            nests,
            positions,
            around,
            call_graph,
            messages,
            left_out,
            findings,
            measurements,
            far,
            bytes,
        }: Collected<'p>,
        dimensions: usize,
        (detail, beside): (Detail, Beside),
    ) -> Model<'p> {
        let other = (detail == Detail::AnyMachine).then(|| machine.counterpart());
        let mut figures = Figures::new((&machine, other.as_ref()), &parameters, detail)
            .with_arrays(Arrays::apart_if(far.is_some()));
        let memory_bandwidth = bandwidth::define_memory(&mut figures);
        if nests.iter().any(|nest| nest.runs_on() == RunsOn::OneCore) {
            bandwidth::define_memory_of_one_core(&mut figures);
        }
        let mut nests = build_nests(nests, &machine, &parameters, &mut figures);
        for (nest, position) in nests.iter_mut().zip(&positions) {
            nest.take(&findings, *position);
        }
        let totals = Totals::define(&nests, &mut figures);
        let sequences = match detail {
            _ if left_out.is_some() => Vec::new(),
            Detail::Least => Vec::new(),
            _ => dependencies::build(program, &nests, &mut figures),
        };
        let (times, ranking, bytes_of_iterations) = over_calls(
            program,
            (&call_graph, &positions, &around),
            (&nests, &totals, left_out.map(|others| others.seconds)),
            (&machine, &parameters),
            bytes.as_ref(),
            &mut figures,
        );
        band::define(&mut nests, &ranking, &machine, &mut figures);
        let measured =
            measurements.map(|all| Measured::define(&all, &positions, &ranking, &mut figures));
        let calls = match left_out {
            None => Calls::define(
                &call_graph,
                &times,
                (&nests, &ranking),
                &parameters,
                &mut figures,
            ),
            Some(_) => None,
        };
        let messages = if left_out.is_none() {
            messages
        } else {
            Vec::new()
        };
        let communication = CommunicationModel::define(
            messages,
            (&nests, calls.as_ref()),
            &parameters,
            &mut figures,
        );
        let registers = registers::define(&nests, &mut figures);
        let on_other = other
            .is_some()
            .then(|| OtherMachine::define(&machine, (&nests, &ranking), &mut figures));
        let known = (&machine, &parameters);
        let (sensitivity, alternatives) =
            what_inputs_do(known, (&nests, &ranking), (detail, beside), &mut figures);
        let others = left_out.map_or(0.0, |others| others.seconds);
        let advice = match detail.has_formulas() {
            true => advice::define(
                program,
                (&machine, &parameters),
                (&nests, &ranking, others),
                &mut figures,
            ),
            false => Vec::new(),
        };
        let chart = (detail == Detail::AnyMachine)
            .then(|| roofline::Chart::define(&machine, (&nests, &ranking), &mut figures));
        let mut model = Model {
            program,
            machine,
            other,
            parameters,
            figures,
            memory_bandwidth,
            nests,
            totals,
            ranking,
            sequences,
            call_graph,
            rows_of_calls: OnceLock::new(),
            placed: OnceLock::new(),
            foundations: OnceLock::new(),
            calls,
            communication,
            registers,
            on_other,
            alternatives,
            sensitivity,
            advice,
            roofline: chart,
            left_out,
            findings,
            measured,
            far,
            dimensions,
            bytes_of_iterations,
        };
        model.mark_several_sizes();
        model
    }

    /// Marks nests that have the largest of several sizes, where calls are followed and are not counted by their sizes.
    fn mark_several_sizes(&mut self) {
        let rows = self.parameters.rows();
        if !self.ranking.follows_calls || !rows.iter().any(parameters::Row::has_several) {
            return;
        }
        let is_by_size = |ranked: &Ranked| ranked.full.is_some() && ranked.full != ranked.calls;
        let has = |nest: usize| {
            let is_counted = self.ranking.of(nest).is_some_and(is_by_size);
            !is_counted && influence::has_several_sizes(self, nest)
        };
        let found: Vec<bool> = (0..self.nests.len()).map(has).collect();
        for (nest, has_several_sizes) in self.nests.iter_mut().zip(found) {
            nest.has_several_sizes = has_several_sizes;
        }
    }

    /// The functions that runs begin with; none where nothing says so.
    pub fn entries(&self) -> &[usize] {
        let reached = self.call_graph.reached.as_ref();
        reached.map_or(&[], |reached| &reached.entries)
    }

    /// Whether calls lead to a function from where a run begins, or nothing says where that is.
    pub fn reaches(&self, function: usize) -> bool {
        let reached = self.call_graph.reached.as_ref();
        reached.is_none_or(|reached| reached.includes(function))
    }

    /// How often the function of a nest is called in a run: once where nothing says where a run begins, never where no calls
    /// lead to it from there, not a number where calls that cannot be followed may.
    pub fn calls_of(&self, nest: usize) -> f64 {
        match self.ranking.of(nest) {
            Some(ranked) => ranked.calls.map_or(1.0, |calls| self.value(calls)),
            None if self.is_call_unknown(nest) => f64::NAN,
            None => 0.0,
        }
    }

    /// Seconds of all these calls.
    pub fn all_calls_seconds(&self, nest: usize) -> f64 {
        match self.ranking.seconds(nest) {
            Some(seconds) => self.value(seconds),
            None if self.is_call_unknown(nest) => f64::NAN,
            None => 0.0,
        }
    }

    /// Whether no calls that could be followed lead to a nest, but others may.
    pub fn is_call_unknown(&self, nest: usize) -> bool {
        let reached = self.call_graph.reached.as_ref();
        let function = self.nests[nest].nest.function;
        reached.is_some_and(|reached| reached.is_unknown(function))
    }

    /// Codes of what code outside of loops leaves out of the figures of a run.
    pub fn left_out_outside(&self) -> BTreeSet<ReasonCode> {
        match &self.call_graph.reached {
            Some(reached) => reached.left_out().clone(),
            None => calls::left_out(self.program.functions.iter()),
        }
    }

    /// Why the number of calls of a nest's function is not exact.
    pub fn doubts(&self, nest: usize) -> BTreeSet<ReasonCode> {
        let Some(reached) = &self.call_graph.reached else {
            return BTreeSet::new();
        };
        let function = self.nests[nest].nest.function;
        let mut codes = reached.doubts(function).clone();
        let is_largest =
            self.ranking.follows_calls && influence::are_calls_of_several_sizes(self, function);
        codes.extend(is_largest.then_some(ReasonCode::SeveralSizes));
        codes
    }

    /// All that may bound one of the nests, with its name.
    pub fn bounds(&self) -> BTreeMap<BoundBy, &str> {
        time::bounds(self.nests.iter().map(|nest| &nest.time))
    }

    /// The nests with the longest times in a run of the program, the longest first.
    pub fn costliest(&self, most: usize) -> Vec<usize> {
        self.ranking.costliest(&self.nests, most, &self.figures)
    }

    /// The functions of a call path: `main → step → advance`.
    pub fn path_name(&self, path: &CallPath) -> String {
        let names = path
            .functions
            .iter()
            .map(|function| self.program.functions[*function].name.as_str());
        names.collect::<Vec<_>>().join(" → ")
    }

    /// The name of a machine parameter of the machine that this one is compared with.
    pub fn on_other(name: &str) -> String {
        format!("{name}.B")
    }

    /// The cache levels that nests have figures of.
    pub fn levels(&self) -> Vec<Level> {
        levels_of(&self.machine, self.figures.detail())
    }

    /// The value of a symbol of a function, if it is a parameter.
    pub fn symbol_value(&self, function: usize, symbol: &Symbol) -> Option<f64> {
        self.parameters.row(function, symbol).map(|row| row.value)
    }

    /// The codes of all reasons of the program and its nests.
    pub fn reason_codes(&self) -> BTreeSet<ReasonCode> {
        let of_nests = self.nests.iter().flat_map(NestModel::reason_codes);
        of_nests.chain(coverage::codes(self.program)).collect()
    }

    /// How well loops are understood, with those whose iterations are estimates for no other reason than the model has.
    pub fn coverage(&self) -> Coverage {
        let mut coverage = coverage::coverage(self.program);
        let approximate: HashSet<(usize, &str)> = (self.nests.iter())
            .flat_map(|n| {
                let loops = n.nest.approximate_loops();
                let unexplained = loops.filter(|facts| coverage::estimates(facts).is_empty());
                unexplained.map(|facts| (n.nest.function, facts.id.as_str()))
            })
            .collect();
        if !approximate.is_empty() {
            let code = ReasonCode::ApproximateTripCount;
            coverage.estimated.insert(code, approximate.len());
        }
        coverage
    }

    /// The value of a figure.
    pub fn value(&self, id: FigureId) -> f64 {
        self.figures.value(id)
    }

    /// How many nests run no iteration, which take no time.
    pub fn idle_nests(&self) -> usize {
        let is_idle = |nest: &&NestModel| self.value(nest.iterations) <= 0.0;
        self.nests.iter().filter(is_idle).count()
    }
}

/// How much whoever shows a model has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    pub nests: usize,
    pub figures: usize,
}

/// Nests that a workbook is without.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeftOut {
    pub nests: usize,
    /// Of these, the ones that outputs are to list, for which there was no room.
    pub asked_for: usize,
    /// Their time on the machine as written, as far as it is known.
    pub seconds: f64,
    /// The shortest and the longest that they take, as far as that is known.
    pub band: TotalBand,
}

/// How often calls run, what nests are ranked by, and what iterations of loops around calls touch.
fn over_calls<'p>(
    program: &'p Program,
    (call_graph, positions, around): (&CallGraph, &[usize], &[(usize, Nest<'p>)]),
    (nests, totals, others): (&[NestModel<'p>], &Totals, Option<f64>),
    (machine, parameters): (&MachineModel, &ParameterTable),
    bytes: Option<&HashMap<calls::LoopPlace, f64>>,
    figures: &mut Figures,
) -> (calls::Times, Ranking, HashMap<calls::LoopPlace, FigureId>) {
    let iterations = calls::Iterations::define(
        call_graph,
        (nests, positions.iter().copied()),
        around,
        parameters,
        figures,
    );
    let functions = program.functions.len();
    let times = calls::Times::define(call_graph, functions, &iterations, parameters, figures);
    let scene = calls::Scene {
        program,
        graph: call_graph,
        times: &times,
        nests,
        positions,
        around,
        bytes,
    };
    let (revisits, bytes) = calls::revisits(&scene, parameters, figures);
    let known = (&times, revisits);
    let ranking = Ranking::define(call_graph, known, (nests, totals, others), machine, figures);
    (times, ranking, bytes)
}

/// Times over ranges of inputs, and with other inputs side by side, as far as they are asked for.
fn what_inputs_do(
    (machine, parameters): (&MachineModel, &ParameterTable),
    (nests, ranking): (&[NestModel], &Ranking),
    (detail, beside): (Detail, Beside),
    figures: &mut Figures,
) -> (Vec<Sweep>, Option<Alternatives>) {
    let compared = (detail == Detail::AnyMachine).then(|| {
        let compared = alternatives::compared(nests, ranking, figures);
        let last = sensitivity::shares(nests, &compared);
        let dependence = compact::Dependence::new(&scenarios::INPUTS, &last, figures);
        (compared, dependence)
    });
    let compared = compared
        .as_ref()
        .map(|(nests, dependence)| (nests.as_slice(), dependence));
    let sensitivity = match beside {
        Beside::Sensitivity if detail.has_formulas() => {
            let known = (machine, parameters);
            sensitivity::define((nests, ranking), known, compared, figures)
        }
        _ => Vec::new(),
    };
    let alternatives = compared.and_then(|(compared, dependence)| {
        Alternatives::define(compared, (nests, ranking), dependence, figures)
    });
    (sensitivity, alternatives)
}

/// What is asked for beside the nests and what is always there.
#[derive(Clone, Copy, PartialEq)]
enum Beside {
    Nothing,
    /// Times over ranges of inputs, where there are formulas.
    Sensitivity,
}

/// What figures are defined of.
struct Collected<'p> {
    nests: Vec<Nest<'p>>,
    /// Where they are among all nests of the program.
    positions: Vec<usize>,
    /// Other nests with loops around calls that lead to these, with their positions.
    around: Vec<(usize, Nest<'p>)>,
    call_graph: CallGraph,
    messages: Vec<messages::MessageSite<'p>>,
    left_out: Option<LeftOut>,
    findings: Findings,
    measurements: Option<Measurements>,
    far: Option<FarMemory>,
    /// What iterations of loops around calls touch, where not all nests are here.
    bytes: Option<HashMap<calls::LoopPlace, f64>>,
}

/// What settings are checked against, without building a model with each.
pub struct SettingCheck<'p> {
    program: &'p Program,
    collected: Collected<'p>,
    dimensions: usize,
}

impl<'p> SettingCheck<'p> {
    pub fn of(program: &'p Program) -> SettingCheck<'p> {
        let (collected, dimensions) = Collected::of(program);
        SettingCheck {
            program,
            collected,
            dimensions,
        }
    }

    /// # Errors
    /// As for [`Model::build`].
    pub fn check(&self, machine: MachineModel, settings: &[Setting]) -> Result<(), SettingError> {
        self.table(machine, settings).map(|_| ())
    }

    /// The settings that set the machine, though the source has variables of that name, too.
    ///
    /// # Errors
    /// As for [`Model::build`].
    pub fn ambiguous(
        &self,
        machine: MachineModel,
        settings: &[Setting],
    ) -> Result<Vec<Ambiguous>, SettingError> {
        let (machine, table) = self.table(machine, settings)?;
        Ok(table.ambiguous(settings, &machine))
    }

    fn table(
        &self,
        machine: MachineModel,
        settings: &[Setting],
    ) -> Result<(MachineModel, ParameterTable), SettingError> {
        let Collected {
            nests,
            call_graph,
            messages,
            ..
        } = &self.collected;
        ParameterTable::build(
            self.program,
            (nests, call_graph, messages),
            machine,
            self.dimensions,
            settings,
        )
    }

    /// The parameters of the source that a setting sets, with what they are; none if it sets one of the machine.
    ///
    /// # Errors
    /// As for [`Model::build`].
    pub fn set_by(
        &self,
        machine: MachineModel,
        setting: &Setting,
    ) -> Result<Vec<(String, parameters::Kind)>, SettingError> {
        let (_, table) = self.table(machine, std::slice::from_ref(setting))?;
        let set = table.rows().iter();
        let set = set.filter(|row| row.origin == setting.origin);
        Ok(set.map(|row| (row.name.to_string(), row.kind)).collect())
    }
}

/// Side by side, as far as no nest has to know the ones before it.
fn build_nests<'p>(
    nests: Vec<Nest<'p>>,
    machine: &MachineModel,
    parameters: &ParameterTable,
    figures: &mut Figures,
) -> Vec<NestModel<'p>> {
    let built = figures.define_side_by_side(parts(nests), |part, figures| {
        let neighbours = levels::neighbours(&part, parameters, figures);
        let each = part.into_iter().zip(&neighbours);
        let build = |(nest, found): (_, &Option<_>)| {
            NestModel::build(nest, machine, parameters, found.as_ref(), figures)
        };
        each.map(build).collect::<Vec<_>>()
    });
    built.into_iter().flatten().collect()
}

impl<'p> Collected<'p> {
    /// With the number of dimensions of the deepest nest.
    fn of(program: &'p Program) -> (Collected<'p>, usize) {
        let nests = nest::collect(program);
        let call_graph = CallGraph::collect(program, &nests);
        let messages = messages::collect(program, &nests);
        let dimensions = nests
            .iter()
            .map(|nest| nest.spatial().len())
            .max()
            .unwrap_or(0)
            .max(3);
        (
            Collected {
                positions: (0..nests.len()).collect(),
                around: Vec::new(),
                nests,
                call_graph,
                messages,
                left_out: None,
                findings: Findings::default(),
                measurements: None,
                far: None,
                bytes: None,
            },
            dimensions,
        )
    }
}

impl<'p> Collected<'p> {
    /// Some nests of a model of the whole program, and what [`Collected::keep`] leaves beside them.
    fn of_some(model: &Model<'p>, kept: &HashSet<usize>) -> Collected<'p> {
        let nest = |position: &usize| model.nests[*position].nest.clone();
        let (positions, others): (Vec<usize>, Vec<usize>) =
            (0..model.nests.len()).partition(|position| kept.contains(position));
        let nests: Vec<Nest> = positions.iter().map(nest).collect();
        let functions = nests.iter().map(|nest| nest.function);
        let call_graph = model.call_graph.clone().towards(functions);
        let homes = call_graph.homes();
        let around = others.iter().filter(|position| homes.contains(position));
        Collected {
            around: around.map(|position| (*position, nest(position))).collect(),
            positions,
            nests,
            call_graph,
            messages: Vec::new(),
            left_out: None,
            findings: Findings::default(),
            measurements: None,
            far: model.far,
            bytes: None,
        }
    }
}

impl Collected<'_> {
    /// Leaves out all other nests, and calls that do not lead to these.
    fn keep(&mut self, kept: &HashSet<usize>) {
        let is_kept = |(position, _): &(usize, Nest)| kept.contains(position);
        let nests = std::mem::take(&mut self.nests);
        let (kept, others): (Vec<_>, Vec<_>) = (0..).zip(nests).partition(is_kept);
        let functions = kept.iter().map(|(_, nest)| nest.function);
        self.call_graph = std::mem::take(&mut self.call_graph).towards(functions);
        let homes = self.call_graph.homes();
        self.around = others;
        self.around.retain(|(position, _)| homes.contains(position));
        (self.positions, self.nests) = kept.into_iter().unzip();
    }
}

/// The cache levels that a model of this detail has figures of.
fn levels_of(machine: &MachineModel, detail: Detail) -> Vec<Level> {
    if detail == Detail::AnyMachine {
        machine.possible_levels()
    } else {
        machine.levels()
    }
}

/// Nests that are built one after the other, next to other such parts; however many threads there are, the
/// parts are the same.
fn parts(nests: Vec<Nest>) -> Vec<Vec<Nest>> {
    const SMALLEST: usize = 128;
    const MOST: usize = FigureMap::<Figure>::MOST_SEGMENTS / 2;
    let size = nests.len().div_ceil(MOST).max(SMALLEST);
    let mut rest = nests.into_iter().peekable();
    // Nests of a function stay together.
    let part = || {
        let mut part: Vec<Nest> = rest.by_ref().take(size).collect();
        let function = part.last()?.function;
        while let Some(more) = rest.next_if(|nest| nest.function == function) {
            part.push(more);
        }
        Some(part)
    };
    std::iter::from_fn(part).collect()
}

/// `x`, `y`, `z`, `w` … for a loop counted from the innermost: the suffix of `block_x`.
pub fn dimension_name(position: usize) -> String {
    const NAMES: [&str; 8] = ["x", "y", "z", "w", "v", "u", "t", "s"];
    NAMES.get(position).map_or_else(
        || format!("d{}", position + 1),
        std::string::ToString::to_string,
    )
}
