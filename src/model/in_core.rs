//! In-core time of a nest: what its iterations wait for, and how long the core takes to issue them, if all data are in
//! the first cache (guide: static-model, "In-core time").
//!
//! Chains and throughput are the two bounds of OSACA (Laukemann et al., PMBS 2018), from the source instead of from
//! machine code: what a compiler makes of it is an assumption, which switches of the machine state.

mod across;
mod alignment;
mod branches;
mod called;
mod groups;
mod remainder;
mod through_memory;
mod written_out;

use across::Along;
use called::Calls;
use groups::{Group, group};

use super::bandwidth;
use super::catalogue::StaticFigure as F;
use super::figures::{Detail, Figures};
use super::nest::{ChainLoop, Nest, Reference, weight_expr};
use super::operations::OperationFigures;
use crate::analysis::facts::{
    Access, AccessClass, Block, Body, ElementType, Loop, LoopDirective, Stream, Subscript,
};
use crate::analysis::in_core::{Carried, Chain, ChainKind, Functions, InCore, Order, Steps};
use crate::expr::{Comparison, Expr, FigureId, Symbol};
use crate::machine::MachineModel;
use crate::machine::parameters::{COMPARED, IN_CORE, MINIMUM_LATENCY, level_name};

/// In-core time of a nest; none where the machine does not say what its cores do in a cycle.
#[derive(Clone, Copy)]
pub struct InCoreFigures {
    /// Elements that the innermost loop does at once.
    pub lanes: FigureId,
    /// Cycles of one iteration of the innermost loop.
    pub chain_cycles: FigureId,
    pub port_cycles: FigureId,
    /// Seconds in which iterations wait for earlier ones.
    pub chains: FigureId,
    /// Seconds in which loads, stores and arithmetic are issued.
    pub ports: FigureId,
    /// Seconds in which loads and stores alone are issued.
    pub accesses: FigureId,
    /// Bytes that they load and store.
    pub bytes: FigureId,
    /// Branches that data decide; `None` where there are none.
    pub branches: Option<BranchFigures>,
    /// Bytes of the lines, at most, that are loaded one after the other, as each says where the next one is; `None` where no
    /// chain has such loads.
    pub in_turn: Option<FigureId>,
    /// Whether vectors hold iterations of the loop around the innermost one.
    pub across: Across,
    /// The larger of both if everything is done that compilers may do, and if nothing is; `None` where neither the source
    /// nor flags leave that open.
    pub open: Option<OpenCore>,
}

/// Branches that the core predicts wrongly.
#[derive(Clone, Copy)]
pub struct BranchFigures {
    /// How many, over the whole execution.
    pub mispredicted: FigureId,
    /// How many if data are random.
    pub most: FigureId,
    /// Seconds that the former take.
    pub seconds: FigureId,
}

/// Whether vectors hold iterations of the loop around the innermost one, which goes along lines where that one jumps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Across {
    No,
    /// The two change places.
    InItsPlace,
    /// The innermost one runs for several iterations of the other one at once.
    AroundIt,
}

/// Seconds of the core where it is open what a compiler makes of the code.
#[derive(Clone, Copy)]
pub struct OpenCore {
    /// In vectors, functions too, sums in another order.
    pub vectors: FigureId,
    /// One element after the other, sums as written.
    pub scalar: FigureId,
    pub may_be_vectors: bool,
    pub may_reorder: bool,
}

/// Which switches of the machine code is looked at with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Switches {
    /// As they are set.
    AsSet,
    AllOn,
    AllOff,
}

impl Switches {
    fn value(self, name: &str) -> Expr {
        match self {
            Switches::AsSet => Expr::machine(name),
            Switches::AllOn => 1.0.into(),
            Switches::AllOff => 0.0.into(),
        }
    }
}

/// What is known of a nest where its time is found.
#[derive(Clone, Copy)]
pub(super) struct Values<'v> {
    /// Iterations of its loops, outermost first.
    pub iterations: &'v [Expr],
    /// What symbols of its function are in the model.
    pub symbol: &'v dyn Fn(&Symbol) -> Expr,
    /// An expression of its function in the model; `None` where it has variables that are no parameters.
    pub resolved: &'v dyn Fn(&Expr) -> Option<Expr>,
}

impl InCoreFigures {
    pub(super) fn define(
        machine: &MachineModel,
        nest: &Nest,
        operations: &OperationFigures,
        known: Values,
        figures: &mut Figures,
    ) -> Option<InCoreFigures> {
        let is_known = IN_CORE.iter().all(|name| machine.get(name).is_some());
        let any_machine = figures.detail() == Detail::AnyMachine;
        if !is_known && !any_machine {
            return None;
        }
        // Of a machine that does not say, nothing is known.
        let where_known = |value: Expr| match any_machine {
            true => {
                bandwidth::where_positive(Expr::min(IN_CORE.map(Expr::machine)), value, 0.0.into())
            }
            false => value,
        };
        let iterations = known.iterations;
        let code_with =
            |switches| Orders::of((machine, any_machine), nest, known, operations, switches);
        let code = code_with(Switches::AsSet);
        let lanes = figures.define(F::Lanes, where_known(code.either(Code::lanes)));
        let ports = code.either(|code| code.port_cycles(Expr::from(lanes)));
        let port_cycles = figures.define(F::PortCycles, where_known(ports));
        let chains = code.either(|code| code.chain_cycles(Expr::from(lanes)));
        let chain_cycles = figures.define(F::ChainCycles, where_known(chains));
        let inside = &iterations[nest.loops.len()];
        let rate = Expr::product([Expr::machine("ghz"), figures.runs_on().cores(), 1e9.into()]);
        let seconds = |cycles: Expr| where_known(cycles.quotient(rate.clone()));
        let outside = code.either(|code| code.outside(operations));
        let ports = Expr::from(port_cycles) * inside.clone() + outside;
        let ports = figures.define(F::PortsTime, seconds(ports));
        let accesses =
            code.either(|code| code.access_cycles() * inside.clone() + code.accesses_outside());
        let accesses = figures.define(F::AccessTime, seconds(accesses));
        let bytes = code.either(|code| code.bytes() * inside.clone() + code.bytes_outside.clone());
        let bytes = figures.define(F::AccessedBytes, where_known(bytes));
        let in_turn = (code.as_written.loads_in_turn()).map(|loads| {
            let lines = loads * inside.clone();
            figures.define(F::LinesInTurn, lines * Expr::machine("line_bytes"))
        });
        let (may_be_vectors, may_reorder) = (code.may_be_vectors(), code.may_reorder());
        let mispredicted = code.mispredicted();
        let is_open = may_be_vectors || may_reorder || mispredicted.is_some();
        let ends = is_open.then(|| [Switches::AllOn, Switches::AllOff].map(code_with));
        let branches = mispredicted
            .zip(ends.as_ref())
            .map(|(mispredicted, [_, scalar])| {
                let mispredicted = figures.define(F::MispredictedBranches, mispredicted);
                let most = scalar.mispredicted().unwrap_or(0.0.into());
                let cycles = Expr::from(mispredicted) * Expr::machine("branch_cycles");
                BranchFigures {
                    mispredicted,
                    most: figures.define(F::MostMispredicted, most),
                    seconds: figures.define(F::BranchTime, seconds(cycles)),
                }
            });
        let chains = seconds(Expr::from(chain_cycles) * inside.clone());
        let chains = figures.define(F::ChainTime, chains);
        let open = ends.map(|[vectors, scalar]| {
            let mut with = |kind: F, code: &Orders| {
                let cycles = code.either(|code| code.cycles_in_all(operations));
                figures.define(kind, seconds(cycles))
            };
            OpenCore {
                vectors: with(F::CoreTimeOfVectors, &vectors),
                scalar: with(F::CoreTimeOfScalars, &scalar),
                may_be_vectors,
                may_reorder,
            }
        });
        Some(InCoreFigures {
            lanes,
            chain_cycles,
            port_cycles,
            chains,
            ports,
            accesses,
            bytes,
            branches,
            in_turn,
            across: code.across(),
            open,
        })
    }
}

/// References of code with as many loops around it.
#[derive(Clone, Default)]
struct References {
    /// Element after element: how many, and their bytes.
    runs: Vec<Expr>,
    run_bytes: Vec<Expr>,
    /// Of these, the bytes of vectors that lie in two lines.
    split_bytes: Vec<Expr>,
    /// Elements apart.
    others: Vec<Expr>,
    /// The bytes of all.
    bytes: Vec<Expr>,
    /// What takes vectors of elements side by side apart, and puts them together: instructions for each element.
    shuffles: Vec<Expr>,
}

impl References {
    fn count(&self) -> Expr {
        Expr::sum(self.runs.iter().chain(&self.others).cloned())
    }

    /// Adds so many references to elements that lie side by side with those of the other references of their group.
    fn add_group(&mut self, weight: Expr, (bytes, split): (f64, &Expr), group: Group) {
        if group.is_shuffled {
            let doublings = group.members.next_power_of_two().ilog2();
            self.shuffles.push(weight.clone() * f64::from(doublings));
        }
        self.add(weight, (bytes, split), 1.0.into());
    }

    /// Adds so many references, `run` of which walk element after element, a share `split` of their vectors in two lines.
    fn add(&mut self, weight: Expr, (bytes, split): (f64, &Expr), run: Expr) {
        self.bytes.push(weight.clone() * bytes);
        let runs = weight.clone() * run.clone();
        let run_bytes = runs.clone() * bytes;
        self.split_bytes.push(run_bytes.clone() * split.clone());
        self.run_bytes.push(run_bytes);
        self.runs.push(runs);
        self.others.push(weight * (Expr::from(1.0) - run));
    }
}

/// A load from the first cache of a machine that does not say what it takes: four or five cycles on most cores.
const FEW_CYCLES: f64 = 4.0;

/// Compilers store vectors one by one up to this distance of elements.
const MOST_APART: f64 = 4.0;

/// What a compiler makes of a nest with vectors along its innermost loop and, if it would rather have that, along another
/// one.
struct Orders<'a> {
    as_written: Code<'a>,
    other: Option<Code<'a>>,
}

impl<'a> Orders<'a> {
    fn of(
        machine: (&'a MachineModel, bool),
        nest: &'a Nest<'a>,
        known: Values<'a>,
        operations: &OperationFigures,
        switches: Switches,
    ) -> Orders<'a> {
        let code = |along| Code::of(machine, nest, known, operations, (switches, along));
        let as_written = code(Along::Innermost);
        let other = as_written.other_loop().map(code);
        Orders { as_written, other }
    }

    /// The other one where there are vectors.
    fn either(&self, of: impl Fn(&Code<'a>) -> Expr) -> Expr {
        let as_written = of(&self.as_written);
        match &self.other {
            None => as_written,
            Some(other) => {
                let switch = other.switches.value("vectorise");
                bandwidth::where_positive(switch, of(other), as_written)
            }
        }
    }

    fn all(&self) -> impl Iterator<Item = &Code<'a>> {
        std::iter::once(&self.as_written).chain(&self.other)
    }

    fn may_be_vectors(&self) -> bool {
        self.all().any(|code| !code.vectorised.is_zero())
    }

    fn across(&self) -> Across {
        match self.other.as_ref().map(|other| other.along) {
            Some(Along::Interchanged) => Across::InItsPlace,
            Some(Along::Around) => Across::AroundIt,
            Some(Along::Innermost | Along::WrittenOut(_)) | None => Across::No,
        }
    }

    /// Mispredicted branches of the whole execution; `None` where data decide none.
    fn mispredicted(&self) -> Option<Expr> {
        self.as_written.mispredicted.as_ref()?;
        Some(self.either(|code| code.mispredicted.clone().unwrap_or(0.0.into())))
    }

    /// Whether a switch decides in which order sums are added.
    fn may_reorder(&self) -> bool {
        self.all().all(Code::may_reorder)
    }
}

/// What a compiler makes of a nest.
#[derive(Clone)]
struct Code<'a> {
    machine: &'a MachineModel,
    any_machine: bool,
    nest: &'a Nest<'a>,
    iterations: &'a [Expr],
    loads: References,
    stores: References,
    /// Loads and stores of the loops around the innermost one, over the whole execution.
    outside: (Expr, Expr),
    /// The bytes of these.
    bytes_outside: Expr,
    /// Calls that remain calls: of an iteration of the innermost loop, and of the loops around it, over the whole execution.
    calls: [Calls; 2],
    /// Adds, multiplies, divides and specials of an iteration that are done, of fused pairs the multiplication only.
    adds: Expr,
    multiplies: Expr,
    divides: Expr,
    specials: Expr,
    /// Minima, maxima and absolute values of an iteration, and comparisons.
    compared: [Expr; 2],
    /// All of them in the loops around, over the whole execution.
    compared_outside: Expr,
    /// Bytes of the numbers that it computes with.
    width: f64,
    along: Along,
    /// 1 if there are vectors.
    vectorised: Expr,
    /// Branches that are predicted wrongly, over the whole execution; `None` where data decide none.
    mispredicted: Option<Expr>,
    switches: Switches,
}

impl<'a> Code<'a> {
    fn of(
        (machine, any_machine): (&'a MachineModel, bool),
        nest: &'a Nest<'a>,
        known: Values<'a>,
        operations: &OperationFigures,
        (switches, along): (Switches, Along),
    ) -> Code<'a> {
        let each = operations.iteration;
        let done = |all: FigureId, repeated: u64| match repeated {
            0 => Expr::from(all),
            repeated => Expr::max([Expr::from(all) - repeated as f64, 0.0.into()]),
        };
        let repeated = nest.code().repeated;
        let adds = Expr::from(each.adds) - Expr::from(each.fma_pairs);
        let adds = match repeated.adds {
            0 => adds,
            repeated => Expr::max([adds - repeated as f64, 0.0.into()]),
        };
        let mut code = Code {
            machine,
            any_machine,
            nest,
            iterations: known.iterations,
            loads: References::default(),
            stores: References::default(),
            outside: (0.0.into(), 0.0.into()),
            bytes_outside: 0.0.into(),
            calls: Default::default(),
            adds,
            multiplies: done(each.multiplies, repeated.multiplies),
            divides: done(each.divides, repeated.divides),
            specials: done(each.specials, repeated.specials),
            compared: compared(nest, known),
            compared_outside: compared_outside(nest, known),
            width: width(nest),
            along,
            vectorised: 0.0.into(),
            mispredicted: None,
            switches,
        };
        code.vectorised = code.find_vectorised(code.vector_loop(), known);
        code.count_references(known);
        code.count_calls(known);
        code.mispredicted = code.mispredicted_of(known);
        code
    }

    fn count_calls(&mut self, known: Values) {
        let depth = self.nest.loops.len();
        for content in &self.nest.contents {
            let weight = weight_expr(&content.weight, known.symbol);
            let [inside, outside] = &mut self.calls;
            match content.level == depth {
                true => inside.add(content.called, &weight),
                false => {
                    let times = weight * self.iterations[content.level].clone();
                    outside.add(content.called, &times);
                }
            }
        }
    }

    fn count_references(&mut self, known: Values) {
        let innermost = self.vector_loop();
        let (mut loads, mut stores, mut bytes_outside) = (Vec::new(), Vec::new(), Vec::new());
        let kept = self.share_of_kept();
        for reference in &self.nest.references {
            let stream = reference.stream.as_ref();
            let inside = reference.level > self.vector_level();
            if inside && stays(stream, self.at(self.vector_level())) {
                continue;
            }
            let [read, written] = accesses(stream).map(|count| count as f64);
            let weight = weight_expr(&reference.weight, known.symbol);
            let weight = match inside && reference.level < self.nest.loops.len() {
                true => weight * self.share(reference.level),
                false => weight,
            };
            let weight = match (&kept, self.is_kept(reference)) {
                (Some(share), true) => weight * share.clone(),
                _ => weight,
            };
            let bytes = bytes_of(stream);
            if inside {
                let run = self.run(stream, known);
                let groups =
                    [Access::is_read, Access::is_written].map(|of| group(stream, innermost, of));
                let split = self.share_in_two_lines(stream);
                let found = [&mut self.loads, &mut self.stores];
                for ((count, found), group) in [read, written].into_iter().zip(found).zip(groups) {
                    let weight = weight.clone() * count;
                    match group {
                        _ if count == 0.0 => {}
                        Some(group) => found.add_group(weight, (bytes, &split), group),
                        None => found.add(weight, (bytes, &split), run.clone()),
                    }
                }
            } else {
                let times = weight * self.iterations[reference.level].clone();
                bytes_outside.push(times.clone() * ((read + written) * bytes));
                loads.push(times.clone() * read);
                stores.push(times * written);
            }
        }
        self.outside = (Expr::sum(loads), Expr::sum(stores));
        self.bytes_outside = Expr::sum(bytes_outside);
    }

    /// Executions of the body of a loop around, over those of the innermost one.
    fn share(&self, level: usize) -> Expr {
        let (all, inside) = (&self.iterations[level], self.iterations.last());
        let inside = inside.expect("a nest has a loop").clone();
        let share = all.clone().quotient(inside.clone());
        bandwidth::where_positive(inside, share, 1.0.into())
    }

    /// Whether compilers can do several iterations at once: 0, or what the switches say.
    fn find_vectorised(&self, innermost: &Loop, known: Values) -> Expr {
        let code = self.nest.code();
        let (Some(in_core), Some(carried)) = (&code.in_core, self.carried()) else {
            return 0.0.into();
        };
        let recurs = self.recurrences().any(|chain| chain.distance < 2);
        let of_innermost = |reference: &&Reference| reference.level == self.nest.loops.len();
        // Compilers keep a loop for a stride of one beside the other one.
        let stored = (self.nest.references.iter())
            .filter(of_innermost)
            .map(|reference| reference.stream.as_ref())
            .filter(|stream| {
                accesses(stream)[1] > 0 && !stays(stream, self.at(self.vector_level()))
            })
            .filter(|stream| group(stream, innermost, Access::is_written).is_none());
        let mut runs: Vec<Expr> = Vec::new();
        for run in stored.map(|stream| self.is_stored(stream, known)) {
            if !runs.contains(&run) {
                runs.push(run);
            }
        }
        let in_order = Expr::product(runs);
        let is_asked_for =
            (innermost.parallel.as_ref()).is_some_and(LoopDirective::asks_for_vectors);
        let is_in_order = carried.order != Order::Shown || carried.at_once == Some(1);
        let waits = recurs || (is_in_order && !is_asked_for);
        if waits
            || in_order.is_zero()
            || code.exits_early
            || innermost.exits_early
            || innermost.variable.is_none()
            || calls_procedures(&code.body)
            || self.is_written_out_with_others(innermost)
            || in_core.compiled.is_scalar()
            || in_core.functions.integer_divisions > 0
            || in_core.functions.choices > 0
        {
            return 0.0.into();
        }
        let vectorise = self.switches.value("vectorise") * in_order;
        let vectorise = match self.called_minima() {
            0 => vectorise,
            _ => {
                let is_call = self.cycles("minimum_cycles");
                bandwidth::where_positive(is_call, 0.0.into(), vectorise)
            }
        };
        let specials = count_specials(&code.body);
        let is_instructions =
            specials == f64::from(in_core.functions.roots) && !in_core.notes_errors;
        let has_functions = is_instructions || in_core.compiled.vector_functions;
        match self.specials.is_zero() || specials == 0.0 || has_functions {
            true => vectorise,
            false => vectorise * self.switches.value("vector_functions"),
        }
    }

    /// Whether a loop that is written out a few times loads elements that do not lie side by side: vectors of the others
    /// would have to be put together.
    fn is_written_out_with_others(&self, innermost: &Loop) -> bool {
        let is_group = |stream: &Stream, of: fn(&Access) -> bool| {
            group(stream, innermost, of).is_some_and(|group| !group.is_shuffled)
        };
        let mut streams = (self.nest.references.iter())
            .filter(|reference| reference.level == self.nest.loops.len())
            .map(|reference| reference.stream.as_ref())
            .filter(|stream| !stays(stream, self.at(self.vector_level())));
        let is_written_out = streams
            .clone()
            .any(|stream| is_group(stream, Access::is_written));
        let is_other =
            |stream: &Stream| accesses(stream)[0] > 0 && !is_group(stream, Access::is_read);
        is_written_out && streams.any(is_other)
    }

    /// 1 if the loop of the vectors walks one element after the other, 0 if not.
    fn run(&self, stream: &Stream, known: Values) -> Expr {
        match self.step(stream, known) {
            None => 0.0.into(),
            Some(step) => {
                let off = (step.absolute() - 1.0).absolute();
                Expr::from(1.0) - Expr::min([1.0.into(), off])
            }
        }
    }

    /// 1 if vectors are stored: element after element, or one by one over a few that one reference leaves out.
    fn is_stored(&self, stream: &Stream, known: Values) -> Expr {
        let stored = stream.accesses.iter().filter(|access| access.is_written());
        match self.step(stream, known) {
            Some(step) if stored.count() == 1 => {
                let step = step.absolute();
                let moves = Expr::min([1.0.into(), step.clone()]);
                let order = Comparison::LessOrEqual;
                Expr::choose(order, step, MOST_APART.into(), moves, 0.0.into())
            }
            _ => self.run(stream, known),
        }
    }

    /// The elements by which an iteration of the loop of the vectors moves on; `None` where that changes or is not known.
    fn step(&self, stream: &Stream, known: Values) -> Option<Expr> {
        let step = step_of(stream, self.at(self.vector_level()))?;
        let changes = |c: &ChainLoop| step.mentions(&c.facts.variable);
        match self.nest.loops.iter().any(changes) {
            true => None,
            false => (known.resolved)(&step),
        }
    }

    /// The first in scalar code, the second in vectors.
    fn either(&self, scalar: Expr, vector: Expr) -> Expr {
        if self.vectorised.is_zero() {
            return scalar;
        }
        bandwidth::where_positive(self.vectorised.clone(), vector, scalar)
    }

    fn lanes(&self) -> Expr {
        let lanes = self.vector_bytes().quotient(self.width.into());
        self.either(1.0.into(), Expr::max([1.0.into(), lanes]))
    }

    /// Bytes of a vector: fewer than the machine's where no more iterations can be done side by side.
    fn vector_bytes(&self) -> Expr {
        let bytes = Expr::machine("vector_bytes");
        let carried = self.carried();
        let apart = self.recurrences().map(|chain| chain.distance);
        let most = apart.chain(carried.and_then(|known| known.at_once)).min();
        match most.and_then(u32::checked_ilog2) {
            Some(doublings) => {
                let most = self.width * f64::from(1_u32 << doublings);
                Expr::min([bytes, most.into()])
            }
            None => bytes,
        }
    }

    /// Slots of memory instructions; a vector in two lines takes more.
    fn memory_slots(&self, references: &References, may_split: bool) -> Expr {
        let vectors =
            |bytes: &[Expr]| Expr::sum(bytes.iter().cloned()).quotient(self.vector_bytes());
        let scalar = Expr::sum(references.runs.iter().cloned());
        let vector = vectors(&references.run_bytes) * Expr::machine("vector_slots");
        let vector = match may_split {
            true => vector + vectors(&references.split_bytes) * Expr::machine("split_slots"),
            false => vector,
        };
        self.either(scalar, vector) + Expr::sum(references.others.iter().cloned())
    }

    /// Bytes that one iteration of the innermost loop loads and stores.
    fn bytes(&self) -> Expr {
        Expr::sum(self.loads.bytes.iter().chain(&self.stores.bytes).cloned())
    }

    /// Cycles in which loads and stores of one iteration of the innermost loop are issued, side by side.
    fn access_cycles(&self) -> Expr {
        let machine = Expr::machine;
        // Where the vectors of most arrays begin in a line is not known: at best none lies in two.
        let may_split = self.switches != Switches::AllOn;
        Expr::max([
            self.memory_slots(&self.loads, may_split)
                .quotient(machine("loads_per_cycle")),
            self.memory_slots(&self.stores, false)
                .quotient(machine("stores_per_cycle")),
        ])
    }

    /// Cycles of one iteration of the innermost loop, on average.
    fn port_cycles(&self, lanes: Expr) -> Expr {
        let [calls, _] = self.call_cycles();
        let in_vectors = self.issue_cycles(lanes.clone());
        let issue = self.with_remainder(&lanes, in_vectors);
        Expr::sum(std::iter::once(issue).chain(calls))
    }

    /// The same of one in a whole vector, where there are vectors, without calls of procedures.
    fn issue_cycles(&self, lanes: Expr) -> Expr {
        let machine = Expr::machine;
        let slots = self.slots(&lanes);
        let issued = |count: Expr, rate: &str| (count * slots.clone()).quotient(machine(rate));
        let (adds, multiplies) = (self.adds.clone(), self.multiplies.clone());
        let (roots, functions) = self.functions();
        let minima_and_choices = Expr::sum(self.compared.clone());
        let divisions = (self.in_core()).map_or(0, |known| known.functions.integer_divisions);
        let issue = Expr::max([
            self.access_cycles(),
            issued(adds.clone(), "adds_per_cycle"),
            issued(multiplies.clone(), "multiplies_per_cycle"),
            self.compared_cycles(&slots),
            issued(
                Expr::sum([adds, multiplies, self.shuffles(), minima_and_choices]),
                "arithmetic_per_cycle",
            ),
            self.divides.clone() * self.divide_cycles(),
            roots * self.either(machine("root_cycles"), machine("root_vector_cycles")),
            machine("iteration_cycles").quotient(self.elements_of_a_branch(&lanes)),
            self.cycles("integer_divide_cycles") * f64::from(divisions),
        ]);
        let minima = self.cycles("minimum_cycles") * f64::from(self.called_minima());
        issue + functions.quotient(lanes) + minima
    }

    /// Cycles of minima and maxima, and of comparisons: these are branches, or choices in vectors.
    fn compared_cycles(&self, slots: &Expr) -> Expr {
        let [minima, comparisons] = self.compared.clone();
        let adds = Expr::machine("adds_per_cycle");
        let [of_minima, of_choices] = COMPARED;
        let choices = self.known_or(of_choices, adds.clone() * 0.5);
        let choices = self.either(adds.clone(), choices);
        let minima = (minima * slots.clone()).quotient(self.known_or(of_minima, adds));
        minima + (comparisons * slots.clone()).quotient(choices)
    }

    /// Cycles of calls: of one iteration of the innermost loop, and of the loops around it over the whole execution.
    fn call_cycles(&self) -> [Option<Expr>; 2] {
        self.calls.each_ref().map(Calls::cycles)
    }

    /// Instructions of an operation of one element.
    fn slots(&self, lanes: &Expr) -> Expr {
        let vector = Expr::machine("vector_slots").quotient(lanes.clone());
        self.either(1.0.into(), vector)
    }

    /// Cycles of a division.
    fn divide_cycles(&self) -> Expr {
        let machine = Expr::machine;
        self.either(machine("divide_cycles"), machine("divide_vector_cycles"))
    }

    /// Instructions that take vectors apart and put them together, for each iteration.
    fn shuffles(&self) -> Expr {
        let all = self.loads.shuffles.iter().chain(&self.stores.shuffles);
        self.either(0.0.into(), Expr::sum(all.cloned()))
    }

    /// Calls of `fmin` and `fmax` in an iteration, where the compiler may not take all numbers for finite.
    fn called_minima(&self) -> u32 {
        let known = self.in_core().filter(|known| !known.compiled.is_finite);
        known.map_or(0, |known| known.functions.minima)
    }

    /// Square roots of an iteration, and cycles of all other functions.
    fn functions(&self) -> (Expr, Expr) {
        let specials = self.specials.clone();
        let counted = count_specials(&self.nest.code().body);
        if counted == 0.0 {
            return (0.0.into(), 0.0.into());
        }
        let found = self
            .in_core()
            .map_or(Functions::default(), |known| known.functions);
        let Functions {
            roots,
            exponentials,
            logarithms,
            trigonometric,
            powers,
            ..
        } = found;
        let named = roots + logarithms + trigonometric + powers;
        let all = counted.max(f64::from(named) + f64::from(exponentials));
        // Functions of branches are as probable as all specials together.
        let share = |count: u32| specials.clone() * (f64::from(count) / all);
        let others = (all - f64::from(named)).max(f64::from(exponentials));
        let cycles = Expr::sum([
            specials.clone() * (others / all) * self.cycles("exp_cycles"),
            share(logarithms) * self.cycles("log_cycles"),
            share(trigonometric) * self.cycles("trig_cycles"),
            share(powers) * self.cycles("pow_cycles"),
        ]);
        (share(roots), cycles)
    }

    /// Cycles of a function; where nobody knows them, those of so many additions at peak.
    fn cycles(&self, name: &str) -> Expr {
        let at_peak = (Expr::machine("cost_special") * Expr::machine("ghz"))
            .quotient(Expr::machine("gflops_per_core"));
        self.known_or(name, at_peak)
    }

    fn known_or(&self, name: &str, otherwise: Expr) -> Expr {
        known_or((self.machine, self.any_machine), name, otherwise)
    }

    fn innermost(&self) -> &'a Loop {
        self.nest.loops[self.nest.loops.len() - 1].facts
    }

    fn in_core(&self) -> Option<&'a InCore> {
        self.nest.code().in_core.as_ref()
    }

    /// Cycles of the whole execution.
    fn cycles_in_all(&self, operations: &OperationFigures) -> Expr {
        let inside = &self.iterations[self.nest.loops.len()];
        let lanes = self.lanes();
        let ports = self.port_cycles(lanes.clone()) * inside.clone() + self.outside(operations);
        let core = Expr::max([ports, self.chain_cycles(lanes) * inside.clone()]);
        match &self.mispredicted {
            Some(mispredicted) => core + mispredicted.clone() * Expr::machine("branch_cycles"),
            None => core,
        }
    }

    /// What iterations that vectors hold have from each other.
    fn carried(&self) -> Option<&'a Carried> {
        self.nest.carried_by(self.vector_level())
    }

    /// Chains that vectors cannot go along: none where each of their elements begins its own.
    fn recurrences(&self) -> impl Iterator<Item = &'a Chain> {
        let chains = match self.along {
            Along::WrittenOut(_) | Along::Around => &[][..],
            Along::Innermost | Along::Interchanged => self.chains(),
        };
        (chains.iter()).filter(|chain| chain.kind == ChainKind::Recurrence)
    }

    fn chains(&self) -> &'a [Chain] {
        let carried = match self.along {
            Along::Interchanged => self.carried(),
            Along::Innermost | Along::WrittenOut(_) | Along::Around => self.nest.carried(),
        };
        carried.map_or(&[][..], |carried| &carried.chains)
    }

    /// Whether a switch decides in which order sums are added.
    fn may_reorder(&self) -> bool {
        let chains = self.chains();
        let has_sums = chains.iter().any(|c| c.kind == ChainKind::Reduction);
        has_sums && !self.is_reordered()
    }

    /// Cycles of one iteration of the innermost loop.
    fn chain_cycles(&self, lanes: Expr) -> Expr {
        let chains = self.chains();
        let around = [
            self.chain_cycles_around(&lanes),
            self.cycles_through_memory(),
        ];
        let around = around.into_iter().filter(|cycles| !cycles.is_zero());
        let cycles = |chain: &Chain| {
            let latency = self.chain_latency(chain, &lanes, self.is_reordered());
            match self.begins_anew(chain) {
                true => latency.quotient(self.executions_in_flight()),
                false => latency,
            }
        };
        let waits: Vec<Expr> = chains.iter().map(cycles).chain(around).collect();
        match waits.is_empty() {
            true => 0.0.into(),
            false => Expr::max(waits),
        }
    }

    /// Loads of an iteration that wait for the one before to say where they go.
    fn loads_in_turn(&self) -> Option<Expr> {
        let of_chain = |chain: &Chain| {
            let loads = Expr::from(f64::from(chain.steps.loads) / f64::from(chain.distance));
            match self.begins_anew(chain) {
                true => loads.quotient(self.executions_in_flight()),
                false => loads,
            }
        };
        let loads: Vec<Expr> = (self.chains().iter())
            .filter(|chain| chain.steps.loads > 0)
            .map(of_chain)
            .collect();
        (!loads.is_empty()).then(|| Expr::max(loads))
    }

    /// Cycles of a chain over the iterations that it goes through; a sum that is reordered, or that a switch reorders, is one
    /// for each element of a vector.
    fn chain_latency(&self, chain: &Chain, lanes: &Expr, is_reordered: bool) -> Expr {
        let latency = self
            .latency(chain.steps)
            .quotient(f64::from(chain.distance).into());
        let apart = latency.clone().quotient(lanes.clone());
        match chain.kind {
            _ if matches!(self.along, Along::WrittenOut(_) | Along::Around) => return apart,
            ChainKind::Extremum => return apart,
            ChainKind::Recurrence => return latency,
            ChainKind::Reduction => {}
        }
        match is_reordered {
            true => apart,
            false => {
                let switch = self.switches.value("reorder_sums");
                bandwidth::where_positive(switch, apart, latency)
            }
        }
    }

    fn latency(&self, steps: Steps) -> Expr {
        let Steps {
            adds,
            multiplies,
            fused,
            divides,
            roots,
            specials,
            selections,
            loads,
            integer_adds,
            integer_multiplies,
            integer_divides,
        } = steps;
        let times = |count: u32, latency: Expr| latency * f64::from(count);
        let mut parts = vec![
            times(adds, Expr::machine("add_latency")),
            times(multiplies, Expr::machine("multiply_latency")),
            times(fused, Expr::machine("fma_latency")),
            times(divides, Expr::machine("divide_latency")),
            times(roots, Expr::machine("root_latency")),
        ];
        if selections > 0 {
            let latency = self.known_or(MINIMUM_LATENCY, Expr::machine("add_latency"));
            parts.push(times(selections, latency));
        }
        if specials > 0 {
            parts.push(times(specials, self.cycles("exp_cycles")));
        }
        if loads > 0 {
            parts.push(times(loads, load_latency(self.machine, self.any_machine)));
        }
        let of_integers = [
            (integer_adds, "integer_latency"),
            (integer_multiplies, "integer_multiply_latency"),
            (integer_divides, "integer_divide_latency"),
        ];
        let of_integers = of_integers.into_iter().filter(|(count, _)| *count > 0);
        parts.extend(of_integers.map(|(count, name)| times(count, Expr::machine(name))));
        Expr::sum(parts)
    }

    /// Whether a directive or flags let the compiler reorder sums of the innermost loop.
    fn is_reordered(&self) -> bool {
        let directive = self.innermost().parallel.as_ref();
        directive.is_some_and(LoopDirective::asks_for_vectors)
            || (self.in_core()).is_some_and(|known| known.compiled.reorders_sums)
    }

    /// Whether every execution of the innermost loop has a chain of its own.
    fn begins_anew(&self, chain: &Chain) -> bool {
        let written_out = self.written_out_whole().max(1);
        let Some(level) = (self.nest.loops.len() - 1).checked_sub(written_out) else {
            return false;
        };
        let set_in = (chain.set_around > 0)
            .then(|| (self.nest.loops.len() - 1).checked_sub(chain.set_around as usize))
            .flatten();
        let is_set =
            set_in.is_some_and(|set_in| set_in >= level) || self.is_set_inside(level, &chain.name);
        // A sum in an element of an array goes on where the loop around stays at the element.
        let moves = |reference: &Reference| {
            let stream = reference.stream.as_ref();
            stream.array.as_str() == chain.name && !stays(stream, self.at(level))
        };
        is_set || (chain.kind != ChainKind::Recurrence && self.nest.references.iter().any(moves))
    }

    /// Whether a scalar gets a value inside this loop before the innermost loop begins.
    fn is_set_inside(&self, level: usize, name: &str) -> bool {
        let mut is_set = false;
        for around in &self.nest.loops[level..self.nest.loops.len() - 1] {
            around.facts.body.with_branches(&mut |block| {
                is_set |= block
                    .scalars
                    .iter()
                    .any(|scalar| scalar.name == name && scalar.class.is_written_first());
            });
        }
        is_set
    }

    /// Operations on whole numbers that its chains wait for.
    fn integers_of_chains(&self) -> f64 {
        let of_chain = |chain: &Chain| {
            let Steps {
                integer_adds,
                integer_multiplies,
                integer_divides,
                ..
            } = chain.steps;
            f64::from(integer_adds + integer_multiplies + integer_divides)
                / f64::from(chain.distance)
        };
        self.chains().iter().map(of_chain).fold(0.0, f64::max)
    }

    /// How many executions of the innermost loop, with those that are written out, the core holds at once.
    fn executions_at_once(&self) -> Expr {
        let depth = self.nest.loops.len();
        let around = depth - self.written_out_whole().max(1);
        let operations = Expr::sum([
            self.loads.count(),
            self.stores.count(),
            self.adds.clone(),
            self.multiplies.clone(),
            self.divides.clone(),
            self.specials.clone(),
            self.integers_of_chains().into(),
            // Counter and branch.
            2.0.into(),
        ]);
        let inside = self.iterations[depth].clone();
        let length = inside.clone() * operations;
        let window = Expr::machine("window") * self.iterations[around].clone();
        let held = Expr::from(1.0) + window.quotient(length);
        bandwidth::where_positive(inside, held, 1.0.into())
    }

    /// Cycles of loads and stores of the loops around the innermost one, over the whole execution.
    fn accesses_outside(&self) -> Expr {
        let (loads, stores) = self.outside.clone();
        loads.quotient(Expr::machine("loads_per_cycle"))
            + stores.quotient(Expr::machine("stores_per_cycle"))
    }

    /// Cycles of the code of the loops around the innermost one, over the whole execution.
    fn outside(&self, operations: &OperationFigures) -> Expr {
        let depth = self.nest.loops.len();
        let is_outside = self
            .nest
            .contents
            .iter()
            .any(|content| content.level < depth && !content.flops.by_type.is_empty());
        let rest = |all: FigureId, each: FigureId| {
            Expr::from(all) - Expr::from(each) * self.iterations[depth].clone()
        };
        let each = operations.iteration;
        let mut parts = vec![self.accesses_outside()];
        let [_, calls] = self.call_cycles();
        parts.extend(calls);
        if is_outside {
            let arithmetic = Expr::machine("arithmetic_per_cycle");
            let plain = Expr::sum([
                rest(operations.adds, each.adds),
                rest(operations.multiplies, each.multiplies),
                self.compared_outside.clone(),
            ]);
            let divides = rest(operations.divides, each.divides);
            // What stands around loops that are written out is in the same vectors.
            let (slots, cycles) = match self.along {
                Along::WrittenOut(_) | Along::Around => {
                    (self.slots(&self.lanes()), self.divide_cycles())
                }
                Along::Innermost | Along::Interchanged => {
                    (1.0.into(), Expr::machine("divide_cycles"))
                }
            };
            parts.push((plain * slots).quotient(arithmetic));
            parts.push(divides * cycles);
            let specials = rest(operations.specials, each.specials);
            parts.push(specials * self.cycles("exp_cycles"));
        }
        Expr::sum(parts)
    }
}

/// A figure of the machine; where nobody knows it, what stands for it.
fn known_or((machine, any_machine): (&MachineModel, bool), name: &str, otherwise: Expr) -> Expr {
    match machine.get(name) {
        _ if any_machine => {
            bandwidth::where_positive(Expr::machine(name), Expr::machine(name), otherwise)
        }
        Some(_) => Expr::machine(name),
        None => otherwise,
    }
}

/// Cycles from a load to its use, with its line in the first cache. What others take longer is counted by lines.
pub(super) fn load_latency(machine: &MachineModel, any_machine: bool) -> Expr {
    let name = level_name(1, "latency_cycles");
    known_or((machine, any_machine), &name, FEW_CYCLES.into())
}

/// Minima, maxima and absolute values of an iteration of the innermost loop, and comparisons; those of C's `fmin` are calls.
fn compared(nest: &Nest, known: Values) -> [Expr; 2] {
    let inside = (nest.contents.iter()).filter(|content| content.level == nest.loops.len());
    let mut found = [Vec::new(), Vec::new()];
    for content in inside {
        let counts = content.flops.total();
        let weight = weight_expr(&content.weight, known.symbol);
        let kinds = [counts.selections, counts.comparisons];
        for (count, found) in kinds.into_iter().zip(&mut found) {
            found.push(weight.clone() * count as f64);
        }
    }
    found.map(Expr::sum)
}

/// All of these in the loops around, over the whole execution.
fn compared_outside(nest: &Nest, known: Values) -> Expr {
    let outside = (nest.contents.iter()).filter(|content| content.level < nest.loops.len());
    let counts = outside.map(|content| {
        let counts = content.flops.total();
        let count = (counts.selections + counts.comparisons) as f64;
        let weight = weight_expr(&content.weight, known.symbol);
        weight * count * known.iterations[content.level].clone()
    });
    Expr::sum(counts)
}

/// Bytes of the largest real numbers that a nest computes with, or of its largest elements if it computes nothing.
fn width(nest: &Nest) -> f64 {
    let number = |ty: &ElementType| Some(f64::from(ty.bytes()? / ty.parts()));
    let depth = nest.loops.len();
    let inside = nest
        .contents
        .iter()
        .filter(|content| content.level == depth);
    let computed = inside.flat_map(|content| content.flops.by_type.keys());
    let largest = computed.filter_map(number).fold(0.0, f64::max);
    let elements = nest.references.iter().map(|r| bytes_of(&r.stream));
    match largest > 0.0 {
        true => largest,
        false => elements.fold(0.0, f64::max).clamp(4.0, 8.0),
    }
}

fn bytes_of(stream: &Stream) -> f64 {
    f64::from(stream.element_bytes.unwrap_or(8))
}

/// Elements that are loaded and stored, each once: what is stored first is in a register then.
fn accesses(stream: &Stream) -> [usize; 2] {
    let loads = stream.accesses.iter().filter(|access| {
        access.reads > 0 && (access.writes == 0 || stream.class != AccessClass::WriteRead)
    });
    let stores = stream.accesses.iter().filter(|access| access.writes > 0);
    [loads.count(), stores.count()]
}

/// The elements by which an iteration of a loop moves a stream on along its lines; `None` where data say it, or where the
/// loop moves it along another dimension.
fn step_of(stream: &Stream, (one, level): (&Loop, usize)) -> Option<Expr> {
    let by = |subscript: &Subscript| {
        let found = (subscript.terms.iter()).find(|(name, _)| *name == one.variable);
        found.map(|(_, by)| by.clone())
    };
    let gathers = |subscript: &Subscript| {
        let gather = subscript.gather.as_ref();
        gather.is_some_and(|gather| gather.changes_at(level))
    };
    let (first, others) = stream.subscripts.split_first()?;
    let is_elsewhere = others.iter().any(|other| by(other).is_some());
    match is_elsewhere || stream.subscripts.iter().any(gathers) {
        true => None,
        false => Some(by(first)? * one.step.clone()),
    }
}

/// Whether the innermost loop comes to the same element again and again.
fn stays(stream: &Stream, (innermost, level): (&Loop, usize)) -> bool {
    stream.subscripts.iter().all(|subscript| {
        (subscript.gather.as_ref()).is_none_or(|gather| !gather.changes_at(level))
            && subscript
                .terms
                .iter()
                .all(|(name, _)| *name != innermost.variable)
    })
}

/// Whether code calls bodies that do not stand in place of their calls, or what the language brings along to do more than
/// compute.
pub(super) fn calls_procedures(block: &Block) -> bool {
    let mut calls = false;
    block.with_branches(&mut |block| {
        calls |= block
            .calls
            .iter()
            .any(|call| !matches!(call.body, Body::Expanded));
    });
    calls
}

/// Of an iteration, branches included.
fn count_specials(block: &Block) -> f64 {
    let mut count = 0;
    block.with_branches(&mut |block| count += block.flops.total().specials);
    count as f64
}
