//! Loop nests as the model sees them: chains of loops, outermost first, with the streams of all
//! their levels.
//!
//! A chain follows a loop down as long as there is one loop inside it. Where a loop holds several,
//! each of them starts a nest of its own that repeats the outer loops, and what the shared loops do
//! themselves is one more nest. So every statement belongs to exactly one nest; what siblings leave each
//! other in the caches is a matter of [`levels`](super::levels).

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::peeled::{self, Referred};
use super::rows::{self, Rows};
use super::runs_on::RunsOn;
use super::trip_count;
use crate::analysis::called::Called;
use crate::analysis::coverage::{self, reasons};
use crate::analysis::facts::{
    AccessClass, Block, Body, Branch, Decision, File, Flops, Guard, GuardRange, Item, Loop, Origin,
    Parted, Program, Stream,
};
use crate::analysis::in_core::Carried;
use crate::analysis::{absorb, is_same_stream};
use crate::expr::{Expr, Symbol};
use crate::reason::ReasonCode;

/// A loop of a chain and the branches between it and the loop around it.
#[derive(Clone)]
pub struct ChainLoop<'p> {
    pub facts: &'p Loop,
    pub weight: Weight,
    /// Where those of the branches take it that ask for variables of the loops around.
    pub conditions: Vec<Guard>,
    /// Those of them that are ranges of these loops.
    pub guards: Vec<GuardRange>,
    /// Ranges within all of which one of them does not lead to it.
    pub hole: Vec<GuardRange>,
    /// The branches of which no range says when they are taken.
    pub open: Weight,
}

impl<'p> ChainLoop<'p> {
    /// A loop with branches around it of which nothing else is said.
    pub fn behind(facts: &'p Loop, weight: Weight) -> ChainLoop<'p> {
        ChainLoop {
            facts,
            open: weight.clone(),
            weight,
            conditions: Vec::new(),
            guards: Vec::new(),
            hole: Vec::new(),
        }
    }
}

/// Probability symbols that must all be taken; `false` stands for the other branch.
pub type Weight = Vec<(Symbol, bool)>;

/// Straight-line code of one level of a nest.
#[derive(Clone)]
pub struct Content {
    /// Number of loops of the chain around it.
    pub level: usize,
    pub weight: Weight,
    pub flops: Flops,
    /// Numbers that are written or read as text.
    pub texts: u64,
    pub called: Called,
}

/// What decides a branch.
#[derive(Clone, Debug, PartialEq)]
pub struct Decided {
    pub branch: Symbol,
    pub decision: Decision,
    /// The loops, from the outermost one, in whose iterations it may be decided otherwise; `None` if all of them are.
    pub loops: Option<BTreeSet<u32>>,
    pub parts: Option<Parted>,
}

impl Decided {
    /// Of several branches with one probability, the first.
    pub fn find<'d>(all: &'d [Decided], branch: &Symbol) -> Option<&'d Decided> {
        all.iter().find(|one| one.branch == *branch)
    }

    /// Of so many loops around it, those outside of all in which its condition has the same answer in every iteration.
    pub fn decided_in(&self, level: usize) -> usize {
        let behind_last = |loops: &BTreeSet<u32>| loops.last().map_or(0, |last| *last as usize + 1);
        let deepest = self.loops.as_ref().map_or(level, behind_last);
        deepest.min(level)
    }
}

/// A branch that data decide and that compilers leave as one: its sides do more than choose between values.
#[derive(Clone)]
pub struct Turn {
    /// Number of loops of the chain around it.
    pub level: usize,
    /// The branches on the way to it.
    pub weight: Weight,
    pub branch: Symbol,
}

/// A stream with the deepest level at which the nest refers to it.
#[derive(Clone)]
pub struct NestStream {
    pub stream: Stream,
    pub level: usize,
    /// In which iterations it is referred to,
    pub when: When,
    /// and written to, if these are not the same.
    pub writing: Option<When>,
    /// Branches that lead to its references, and to those of them that write; nothing where one is not in a branch.
    pub taken: Ways,
    pub written: Ways,
}

/// Iterations in which something happens: all of them where nothing is said.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct When {
    /// Ranges of loop variables outside of which it does not.
    pub ranges: Vec<GuardRange>,
    /// Ranges within all of which it does not.
    pub hole: Vec<GuardRange>,
}

impl When {
    pub fn is_always(&self) -> bool {
        self.ranges.is_empty() && self.hole.is_empty()
    }
}

impl NestStream {
    /// The ranges of loops that decide whether it is referred to, or written to.
    pub fn ranges(&self) -> impl Iterator<Item = &GuardRange> {
        let conditions = [&self.when].into_iter().chain(&self.writing);
        conditions.flat_map(|when| when.ranges.iter().chain(&when.hole))
    }

    fn is_written(&self) -> bool {
        self.stream.accesses.iter().any(|access| access.writes > 0)
    }
}

/// Ways that lead to something, each through all of its branches; `None` if something is there whichever are taken.
pub type Ways = Option<Vec<Weight>>;

/// Ways to either of two things.
fn either(ways: &mut Ways, others: Ways) {
    *ways = ways.take().zip(others).and_then(|(mut all, others)| {
        all.extend(others);
        all.sort();
        all.dedup();
        // What both sides of a branch lead to is there whichever is taken.
        while let Some((one, other, step)) = sides(&all) {
            all[one].remove(step);
            all.remove(other);
        }
        let is_sure = all.iter().any(Vec::is_empty) && !all.is_empty();
        (!is_sure).then_some(all)
    });
}

/// Two ways that are the same but for the side that they take of one branch, and where that is in the first.
fn sides(ways: &[Weight]) -> Option<(usize, usize, usize)> {
    let at_one_branch = |a: &Weight, b: &Weight| {
        let mut steps = a.iter().zip(b).enumerate().filter(|(_, (a, b))| a != b);
        let (at, (a, b)) = steps.next()?;
        (steps.next().is_none() && a.0 == b.0).then_some(at)
    };
    ways.iter().enumerate().find_map(|(one, a)| {
        let mut others = ways.iter().enumerate().skip(one + 1);
        others.find_map(|(other, b)| {
            let step = (a.len() == b.len()).then(|| at_one_branch(a, b))??;
            Some((one, other, step))
        })
    })
}

/// References of straight-line code to one stream.
#[derive(Clone)]
pub struct Reference<'p> {
    /// Number of loops of the chain around it.
    pub level: usize,
    pub weight: Weight,
    /// Branches around it that take it to some iterations only.
    pub guards: Vec<GuardRange>,
    /// Ranges within all of which one of them does not lead to it.
    pub hole: Vec<GuardRange>,
    /// The others.
    pub open: Weight,
    pub stream: Cow<'p, Stream>,
}

/// One nest.
#[derive(Clone)]
pub struct Nest<'p> {
    /// Index into the functions of the program.
    pub function: usize,
    /// The index of the first element of an array of which only the language says it.
    pub first_index: f64,
    /// What it is of, if it was collected from one.
    pub program: Option<&'p Program>,
    /// Whether that function leads back to itself, so that it is not known how often the nest runs.
    pub is_recursive: bool,
    /// The cores that run what it does.
    runs_on: RunsOn,
    /// All loops, outermost first.
    pub loops: Vec<ChainLoop<'p>>,
    /// Index in `loops` of the outermost loop that belongs to this nest alone.
    pub own: usize,
    /// How many outer loops are sweeps: they walk the component dimension of arrays only.
    pub sweeps: usize,
    pub contents: Vec<Content>,
    pub streams: Vec<NestStream>,
    /// What conditions leave of loops for all of these.
    pub narrowed: Vec<GuardRange>,
    /// Elements that stay the same in the whole nest: they live in registers, and their lines are fetched once.
    pub fixed: Vec<NestStream>,
    /// What decides the branches on the way to what it does.
    pub decisions: Vec<Decided>,
    /// Of these, those that data decide.
    pub turns: Vec<Turn>,
    /// As the source has them, also those to elements that stay the same in the whole nest.
    pub references: Vec<Reference<'p>>,
    /// The loop that has the innermost code, where loops stand in another order than in the source.
    code: Option<&'p Loop>,
}

impl<'p> Nest<'p> {
    /// The loop that has the innermost code: the innermost one, unless they were interchanged.
    pub fn code(&self) -> &'p Loop {
        let innermost = self.loops.last();
        self.code
            .or(innermost.map(|one| one.facts))
            .expect("a nest has a loop")
    }

    /// What iterations of the innermost loop have from earlier ones; `None` where that is not known.
    pub fn carried(&self) -> Option<&'p Carried> {
        let code = self.code();
        let innermost = self.loops.last()?.facts;
        (code.in_core.as_ref())?.carried_by(&innermost.variable, &code.variable)
    }

    /// The same of one of its loops.
    pub fn carried_by(&self, level: usize) -> Option<&'p Carried> {
        let code = self.code();
        let variable = &self.loops.get(level)?.facts.variable;
        (code.in_core.as_ref())?.carried_by(variable, &code.variable)
    }

    /// The loop that stands for the nest in reports.
    pub fn head(&self) -> &'p Loop {
        self.loops[self.own].facts
    }

    /// Whether it is known where a run of its program begins.
    pub fn has_entry(&self) -> bool {
        let functions = self.program.iter().flat_map(|program| &program.functions);
        functions.into_iter().any(|function| function.is_entry)
    }

    /// Whether outputs are to list it.
    pub fn is_shown(&self) -> bool {
        self.program
            .is_none_or(|program| program.functions[self.function].is_shown)
    }

    /// Whether a branch is around it that a run takes once, or another procedure in its place.
    pub fn is_uncertain_turn(&self) -> bool {
        let around = self.loops.iter().flat_map(|chain| &chain.weight);
        let mut around = around.map(|(branch, _)| branch).peekable();
        let Some(program) = self.program.filter(|_| around.peek().is_some()) else {
            return false;
        };
        let shared = coverage::uncertain_turns(&program.functions[self.function].body);
        around.any(|branch| shared.contains(branch))
    }

    /// The cores that run what it does.
    pub fn runs_on(&self) -> RunsOn {
        self.runs_on
    }

    /// An expression with what the source says of sizes in their place, unless that is only where a value begins or a
    /// guess.
    pub fn settled(&self, expr: &Expr) -> Expr {
        self.with_values(expr, |origin, _| {
            matches!(
                origin,
                Origin::Constant
                    | Origin::Macro
                    | Origin::Assigned
                    | Origin::Derived
                    | Origin::Caller
                    | Origin::Set
                    | Origin::Config
            )
        })
    }

    /// The value that an expression has for the compiler.
    pub fn compiled(&self, expr: &Expr) -> Option<f64> {
        let is_compiled =
            |origin, is_constant| is_constant || matches!(origin, Origin::Constant | Origin::Macro);
        self.with_values(expr, is_compiled).as_number()
    }

    /// An expression with what the source says of sizes in their place, where that is settled by its origin and whether it
    /// is a named constant that a setting names.
    fn with_values(&self, expr: &Expr, is_settled: fn(Origin, bool) -> bool) -> Expr {
        let Some(program) = self.program else {
            return expr.clone();
        };
        let is_constant = |symbol: &Symbol| program.place(symbol).is_some_and(|p| p.is_constant);
        let said = |symbol: &Symbol| {
            let (value, origin, is_set) = match program.functions[self.function].constant(symbol) {
                Some(constant) => {
                    let is_set = constant.value.symbols().iter().any(is_constant);
                    (&constant.value, constant.origin, is_set)
                }
                None => {
                    let place = program.place(symbol)?;
                    (place.value.as_ref()?, place.origin, place.is_constant)
                }
            };
            (is_settled(origin, is_set) && !value.is_symbol(symbol)).then(|| value.clone())
        };
        (0..MOST_STEPS).fold(expr.clone(), |expr, _| expr.substitute(&said))
    }

    /// How many streams are used in that way.
    pub fn streams_of(&self, class: AccessClass) -> usize {
        self.streams
            .iter()
            .filter(|s| s.stream.class == class)
            .count()
    }

    /// Why some loop of the chain is not fully understood, or the model only estimates it: codes, sorted.
    pub fn reason_codes(&self) -> BTreeSet<ReasonCode> {
        let reasons = self
            .loops
            .iter()
            .flat_map(|c| reasons(c.facts))
            .map(|reason| reason.code);
        let of_nest = [
            self.has_approximate_trip_count()
                .then_some(ReasonCode::ApproximateTripCount),
            self.is_recursive.then_some(ReasonCode::Recursion),
            self.is_repeated().then_some(ReasonCode::RepeatedByThreads),
        ];
        reasons.chain(of_nest.into_iter().flatten()).collect()
    }

    /// Whether several threads run the whole of some loop.
    fn is_repeated(&self) -> bool {
        let mut reasons = (self.loops.iter()).flat_map(|one| coverage::estimates(one.facts));
        reasons.any(|reason| reason.code == ReasonCode::RepeatedByThreads)
    }

    /// Whether the iterations of some loop are not exact.
    pub fn has_approximate_trip_count(&self) -> bool {
        self.approximate_loops().next().is_some()
    }

    /// The loops whose iterations are taken at the middle of the ranges of the loops around them, are an upper bound
    /// because something leaves the loop early, or are a parameter because nothing gives them.
    pub fn approximate_loops(&self) -> impl Iterator<Item = &'p Loop> {
        (0..self.loops.len())
            .filter(|at| self.is_approximate(*at))
            .map(|at| self.loops[at].facts)
    }

    /// Whether the iterations of a loop of the chain are not exact.
    pub fn is_approximate(&self, at: usize) -> bool {
        let facts = self.loops[at].facts;
        let depends = || {
            self.loops[..at].iter().any(|outer| {
                [&facts.lower, &facts.upper]
                    .iter()
                    .any(|bound| bound.mentions(&outer.facts.variable))
            })
        };
        facts.is_estimated()
            || depends() && trip_count::is_approximate(&self.loops[..=at])
            || trip_count::is_narrowed_in_part(&self.loops[..=at])
    }

    /// The branches that lead to anything it does, and those that data decide, each as often as it is met.
    pub fn branches(&self) -> impl Iterator<Item = &Symbol> {
        let contents = self.contents.iter().flat_map(|content| &content.weight);
        let references = self.references.iter().flat_map(|used| &used.weight);
        let turns = self.turns.iter().flat_map(|turn| &turn.weight);
        let ways = contents.chain(references).chain(turns);
        let own = self.turns.iter().map(|turn| &turn.branch);
        ways.map(|(branch, _)| branch).chain(own)
    }

    /// Loops that are not sweeps, outermost first.
    pub fn spatial(&self) -> &[ChainLoop<'p>] {
        &self.loops[self.sweeps..]
    }

    /// The same with other references, or more code, in loops that may stand in another order.
    pub(super) fn changed(
        &self,
        loops: Vec<ChainLoop<'p>>,
        contents: Vec<Content>,
        references: Vec<Reference<'p>>,
    ) -> Nest<'p> {
        let gathered = Gathered {
            contents,
            decisions: self.decisions.clone(),
            turns: self.turns.clone(),
            references,
        };
        Nest {
            is_recursive: self.is_recursive,
            program: self.program,
            first_index: self.first_index,
            runs_on: self.runs_on,
            code: Some(self.code()),
            ..finish(self.function, loops, self.own, gathered)
        }
    }
}

/// Sizes that follow from sizes that follow from others are followed so far.
const MOST_STEPS: usize = 4;

/// The product of the probabilities.
pub fn weight_expr(weight: &Weight, symbol: &dyn Fn(&Symbol) -> Expr) -> Expr {
    Expr::product(weight.iter().map(|(branch, taken)| {
        let probability = symbol(branch);
        if *taken {
            probability
        } else {
            Expr::from(1.0) - probability
        }
    }))
}

/// All nests of a program, in program order.
pub fn collect(program: &Program) -> Vec<Nest<'_>> {
    let mut nests: Vec<Nest> = Vec::new();
    let first_index = |file: &'_ File| (file.path.clone(), file.language.first_index());
    let first_indices: HashMap<Arc<str>, f64> = program.files.iter().map(first_index).collect();
    for (index, function) in program.functions.iter().enumerate() {
        let mut outermost = Vec::new();
        children(&function.body, &Way::default(), &mut outermost);
        let first = nests.len();
        for (facts, way) in outermost {
            descend(
                index,
                vec![way.to(facts)],
                0,
                Gathered::default(),
                &mut nests,
            );
        }
        for nest in &mut nests[first..] {
            nest.program = Some(program);
            nest.first_index = first_indices.get(&*function.file).copied().unwrap_or(0.0);
        }
        if nests.len() > first && is_recursive(&function.body) {
            nests[first..]
                .iter_mut()
                .for_each(|nest: &mut Nest| nest.is_recursive = true);
        }
    }
    nests
}

/// Whether a block or what is inside it calls a procedure that leads back to it.
fn is_recursive(block: &Block) -> bool {
    let inside = |item: &Item| match item {
        Item::Loop(inner) => is_recursive(&inner.body),
        Item::Branch(branch) => {
            is_recursive(&branch.then) || branch.otherwise.as_ref().is_some_and(is_recursive)
        }
    };
    block
        .calls
        .iter()
        .any(|call| matches!(call.body, Body::Recursive(_)))
        || block.items.iter().any(inside)
}

/// What the levels of a chain do so far.
#[derive(Clone, Default)]
struct Gathered<'p> {
    contents: Vec<Content>,
    decisions: Vec<Decided>,
    turns: Vec<Turn>,
    references: Vec<Reference<'p>>,
}

/// The branches on the way to a block.
#[derive(Clone, Default)]
struct Way {
    weight: Weight,
    conditions: Vec<Guard>,
    guards: Vec<GuardRange>,
    hole: Vec<GuardRange>,
    open: Weight,
    /// Branches that ask for loops in a way that is no range of one.
    outside: Weight,
}

impl Way {
    /// The way into one side of a branch.
    fn into(&self, branch: &Branch, is_then: bool) -> Way {
        let mut way = self.clone();
        let step = (branch.probability.clone(), is_then);
        way.weight.push(step.clone());
        match &branch.decision {
            Decision::Guard(guard) => {
                let guard = match is_then {
                    true => guard.clone(),
                    false => guard.clone().negated(),
                };
                way.conditions.push(guard.clone());
                match guard {
                    Guard::Inside(ranges) => way.guards.extend(ranges),
                    Guard::Outside(ranges) if way.hole.is_empty() && is_hole(&ranges) => {
                        way.hole = ranges;
                    }
                    Guard::Outside(_) => way.outside.push(step),
                }
            }
            _ => way.open.push(step),
        }
        way
    }

    /// A loop to which it leads.
    fn to(self, facts: &Loop) -> ChainLoop<'_> {
        ChainLoop {
            facts,
            weight: self.weight,
            conditions: self.conditions,
            guards: self.guards,
            hole: self.hole,
            open: [self.open, self.outside].concat(),
        }
    }
}

/// Whether ranges of loops are left out in a way that bytes can be exactly those of the others: more than one place, and
/// always the same ones.
fn is_hole(ranges: &[GuardRange]) -> bool {
    let is_one = |range: &GuardRange| range.lower.is_some() && range.lower == range.upper;
    let mut variables = ranges.iter().map(|range| range.variable.as_str());
    let mut ends = ranges.iter().flat_map(|range| [&range.lower, &range.upper]);
    !ranges.iter().any(is_one)
        && variables.all(|variable| !ends.clone().flatten().any(|end| end.mentions(variable)))
        && ends.any(Option::is_some)
}

impl<'p> Gathered<'p> {
    /// Adds what decides a branch; of several with one probability the loops of all.
    fn decide(&mut self, branch: &Branch) {
        let (mut loops, mut parts) = (branch.loops.clone(), branch.parts.clone());
        for known in &mut self.decisions {
            if known.branch != branch.probability {
                continue;
            }
            if known.loops != loops {
                (known.loops, loops) = (None, None);
            }
            if known.parts != parts {
                (known.parts, parts) = (None, None);
            }
        }
        self.decisions.push(Decided {
            branch: branch.probability.clone(),
            decision: branch.decision.clone(),
            loops,
            parts,
        });
    }

    /// Adds the block's own operations and streams, through branches.
    fn add(&mut self, block: &'p Block, level: usize, way: &Way) {
        let called = Called::of(block);
        if !block.flops.by_type.is_empty() || block.texts > 0 || !called.is_none() {
            self.contents.push(Content {
                level,
                weight: way.weight.clone(),
                flops: block.flops.clone(),
                texts: block.texts,
                called,
            });
        }
        let reference = |stream| Reference {
            level,
            weight: way.weight.clone(),
            guards: way.guards.clone(),
            hole: way.hole.clone(),
            open: way.open.clone(),
            stream: Cow::Borrowed(stream),
        };
        self.references.extend(block.streams.iter().map(reference));
        for item in &block.items {
            if let Item::Branch(branch) = item {
                self.decide(branch);
                if branch.decision == Decision::Data && jumps(branch) {
                    self.turns.push(Turn {
                        level,
                        weight: way.weight.clone(),
                        branch: branch.probability.clone(),
                    });
                }
                self.add(&branch.then, level, &way.into(branch, true));
                if let Some(otherwise) = &branch.otherwise {
                    self.add(otherwise, level, &way.into(branch, false));
                }
            }
        }
    }
}

/// Whether a side of a branch does more than give scalars other values, which compilers do without a branch.
fn jumps(branch: &Branch) -> bool {
    let does_more = |block: &Block| {
        let inside = |item: &Item| match item {
            Item::Loop(_) => true,
            Item::Branch(inner) => jumps(inner),
        };
        !block.streams.is_empty()
            || !block.flops.by_type.is_empty()
            || !Called::of(block).is_none()
            || block.items.iter().any(inside)
            || block.texts > 0
    };
    does_more(&branch.then) || branch.otherwise.as_ref().is_some_and(does_more)
}

pub(super) fn side(weight: &Weight, probability: &Symbol, taken: bool) -> Weight {
    [weight.as_slice(), &[(probability.clone(), taken)]].concat()
}

/// The operations of a block, its branches included and its loops not.
pub(super) fn block_contents(block: &Block) -> Vec<Content> {
    let mut gathered = Gathered::default();
    gathered.add(block, 0, &Way::default());
    gathered.contents
}

/// Loops directly inside a block, through branches, with the ways to them.
fn children<'p>(block: &'p Block, way: &Way, found: &mut Vec<(&'p Loop, Way)>) {
    for item in &block.items {
        match item {
            Item::Loop(inner) => found.push((inner, way.clone())),
            Item::Branch(branch) => {
                children(&branch.then, &way.into(branch, true), found);
                if let Some(otherwise) = &branch.otherwise {
                    children(otherwise, &way.into(branch, false), found);
                }
            }
        }
    }
}

fn descend<'p>(
    function: usize,
    chain: Vec<ChainLoop<'p>>,
    own: usize,
    mut gathered: Gathered<'p>,
    nests: &mut Vec<Nest<'p>>,
) {
    let innermost = chain[chain.len() - 1].facts;
    gathered.add(&innermost.body, chain.len(), &Way::default());
    let mut inner = Vec::new();
    children(&innermost.body, &Way::default(), &mut inner);
    let extended = |facts: &'p Loop, way: Way| {
        let mut chain = chain.clone();
        chain.push(way.to(facts));
        chain
    };
    if inner.len() == 1 {
        let (facts, way) = inner.remove(0);
        descend(function, extended(facts, way), own, gathered, nests);
        return;
    }
    let decisions = gathered.decisions.clone();
    // Lines that a loop around several others prints are no nest of their own.
    let computes = |content: &Content| !content.flops.by_type.is_empty();
    if inner.is_empty() || gathered.contents.iter().any(computes) || !gathered.references.is_empty()
    {
        nests.push(finish(function, chain.clone(), own, gathered));
    }
    for (facts, way) in inner {
        descend(
            function,
            extended(facts, way),
            chain.len(),
            Gathered {
                decisions: decisions.clone(),
                ..Gathered::default()
            },
            nests,
        );
    }
}

fn finish<'p>(
    function: usize,
    loops: Vec<ChainLoop<'p>>,
    own: usize,
    gathered: Gathered<'p>,
) -> Nest<'p> {
    // An element that stays the same in the whole nest lives in a register.
    let moves = |known: &NestStream| known.stream.subscripts.iter().any(|s| !s.is_invariant());
    let narrowed = narrowed(&loops, &gathered.references);
    let streams = streams(&loops, &gathered.references, &narrowed, &gathered.decisions);
    let (streams, fixed): (Vec<NestStream>, Vec<NestStream>) = streams.into_iter().partition(moves);
    let sweeps = count_sweeps(&loops, &streams);
    let runs_on = match loops.last().is_some_and(|inner| inner.facts.is_serial) {
        true => RunsOn::OneCore,
        false => RunsOn::AllCores,
    };
    let Gathered {
        contents,
        decisions,
        turns,
        references,
    } = gathered;
    Nest {
        function,
        first_index: 0.0,
        program: None,
        is_recursive: false,
        runs_on,
        loops,
        own,
        sweeps,
        contents,
        streams,
        narrowed,
        fixed,
        decisions,
        turns,
        references,
        code: None,
    }
}

/// The ranges of loops outside of which conditions lead to no reference: its own, and those of the loops around it.
fn ranges<'r>(
    loops: &'r [ChainLoop],
    reference: &'r Reference,
) -> impl Iterator<Item = &'r GuardRange> {
    let around = loops[..reference.level.min(loops.len())].iter();
    around
        .flat_map(|chain| &chain.guards)
        .chain(&reference.guards)
}

/// What conditions leave of loops for all references that loops move.
fn narrowed(loops: &[ChainLoop], references: &[Reference]) -> Vec<GuardRange> {
    let moves = |used: &&Reference| used.stream.subscripts.iter().any(|s| !s.is_invariant());
    let mut moved = references.iter().filter(moves);
    let Some(first) = moved.next() else {
        return Vec::new();
    };
    let can_be = |range: &&GuardRange| can_be_narrowed(range, loops);
    let mut found: Vec<GuardRange> = ranges(loops, first).filter(can_be).cloned().collect();
    for reference in moved {
        found.retain(|range| ranges(loops, reference).any(|own| own == range));
    }
    found.dedup();
    found
}

/// Whether a range of a loop can be a part of its bounds: one that goes by one, and not over the cells of tiles, from
/// which it would begin elsewhere.
fn can_be_narrowed(range: &GuardRange, loops: &[ChainLoop]) -> bool {
    let of_range = |chain: &ChainLoop| chain.facts.variable == range.variable;
    let Some(at) = loops.iter().rposition(of_range) else {
        return false;
    };
    let own = loops[at].facts;
    let is_cell = |chain: &ChainLoop| {
        let tile = &chain.facts.variable;
        own.lower.mentions(tile) && own.upper.mentions(tile)
    };
    let around: Vec<&str> = (loops[..at].iter())
        .map(|chain| chain.facts.variable.as_str())
        .collect();
    let is_even = |end: &Expr| {
        let linear = end.linear_in(&around);
        let is_number = |by: &Expr| by.as_number().is_some();
        linear.is_some_and(|linear| linear.coefficients.iter().all(is_number))
    };
    let is_outside = |end: &Expr| {
        let mut inner = loops[at..].iter();
        !inner.any(|chain| end.mentions(&chain.facts.variable))
    };
    // One place for each of those around is a diagonal.
    let is_diagonal = range.lower.is_some()
        && range.lower == range.upper
        && loops.iter().any(|chain| {
            let mut end = range.lower.iter();
            end.any(|end| end.mentions(&chain.facts.variable))
        });
    let mut ends = [&range.lower, &range.upper].into_iter().flatten();
    !is_diagonal
        && own.step.as_number().is_some_and(|step| step.abs() == 1.0)
        && !loops[..at].iter().any(is_cell)
        && ends.all(|end| is_outside(end) && is_even(end))
}

/// References to the same elements as one, those that other iterations come to apart.
fn streams(
    loops: &[ChainLoop],
    references: &[Reference],
    narrowed: &[GuardRange],
    decisions: &[Decided],
) -> Vec<NestStream> {
    let mut streams: Vec<NestStream> = Vec::new();
    let rows = rows::of(references);
    for reference in references {
        let mut when = When::default();
        for range in ranges(loops, reference) {
            // Around a loop it is as many times the lines of that.
            let is_own = reference.guards.contains(range);
            let counts = !is_own || leaves_out(range, loops, &reference.stream);
            if counts && !narrowed.contains(range) && !when.ranges.contains(range) {
                when.ranges.push(range.clone());
            }
        }
        // Where it is held at a border, it goes to nothing to which it does not go anyway.
        for range in &reference.stream.held {
            if !when.ranges.contains(range) {
                when.ranges.push(range.clone());
            }
        }
        when.hole = hole_of(loops, reference);
        let open = [
            reference.open.as_slice(),
            &perhaps_never(loops, reference, decisions),
        ]
        .concat();
        let ways = (!open.is_empty()).then(|| vec![open.clone()]);
        let stream = rows::in_rows_of(reference.stream.as_ref(), &rows);
        let stream = stream.as_ref();
        let written = if stream.accesses.iter().any(|access| access.writes > 0) {
            ways.clone()
        } else {
            Some(Vec::new())
        };
        let same =
            |known: &&mut NestStream| known.when == when && is_same_stream(&known.stream, stream);
        match streams.iter_mut().find(same) {
            Some(known) => {
                absorb(&mut known.stream, stream.clone());
                known.level = known.level.max(reference.level);
                either(&mut known.taken, ways);
                either(&mut known.written, written);
            }
            None => streams.push(NestStream {
                stream: stream.clone(),
                level: reference.level,
                when,
                writing: None,
                taken: ways,
                written,
            }),
        }
    }
    join_sides(&mut streams);
    join_guarded(&mut streams);
    cut_at_borders(
        &mut streams,
        (loops, references, decisions),
        (narrowed, &rows),
    );
    streams
}

/// Leaves out the iterations at the borders of loops in which stencils would go beyond what they do.
fn cut_at_borders(
    streams: &mut [NestStream],
    (loops, references, decisions): (&[ChainLoop], &[Reference], &[Decided]),
    (narrowed, rows): (&[GuardRange], &[Rows]),
) {
    let is_guard = |one: &Decided| matches!(one.decision, Decision::Guard(_));
    if !decisions.iter().any(is_guard) {
        return;
    }
    let all: Vec<&Loop> = loops.iter().map(|chain| chain.facts).collect();
    let in_rows = references
        .iter()
        .map(|one| (one, rows::in_rows_of(one.stream.as_ref(), rows)));
    let in_rows: Vec<(&Reference, Cow<Stream>)> = in_rows.collect();
    for at in 0..streams.len() {
        let own = &streams[at];
        let same = |other: &Stream| is_same_stream(&own.stream, other);
        let is_plain = own.when.hole.is_empty() && own.stream.held.is_empty();
        let number = streams.iter().filter(|other| same(&other.stream)).count();
        if !is_plain || number > 1 {
            continue;
        }
        let to_it = in_rows.iter().filter(|(_, stream)| same(stream));
        let referred = to_it.map(|(reference, stream)| Referred {
            accesses: &stream.accesses,
            inside: ranges(loops, reference).collect(),
            outside: left_out(loops, reference, decisions).collect(),
        });
        let referred: Vec<Referred> = referred.collect();
        let is_whole = |inner: &&&Loop| {
            let mut known = narrowed.iter().chain(&own.when.ranges);
            !known.any(|range| range.variable == inner.variable)
        };
        let found = (all.iter().filter(is_whole))
            .filter_map(|inner| peeled::reached(inner, (&all, &own.stream), &referred));
        let found: Vec<GuardRange> = found.collect();
        streams[at].when.ranges.extend(found);
    }
}

/// Ranges that conditions on the way to a reference leave out by themselves: `else` of `if (i == 0)`.
fn left_out<'n>(
    loops: &'n [ChainLoop],
    reference: &'n Reference,
    decisions: &'n [Decided],
) -> impl Iterator<Item = &'n GuardRange> {
    let around = &loops[..reference.level.min(loops.len())];
    let ways = around.iter().flat_map(|chain| &chain.weight);
    let steps = ways.chain(&reference.weight);
    steps.filter_map(move |(branch, is_first)| {
        let ranges = match &Decided::find(decisions, branch)?.decision {
            Decision::Guard(Guard::Inside(ranges)) if !is_first => ranges,
            Decision::Guard(Guard::Outside(ranges)) if *is_first => ranges,
            _ => return None,
        };
        match &ranges[..] {
            [only] => Some(only),
            _ => None,
        }
    })
}

/// The one hole that conditions leave out on the way to a reference, of several one that holds all others; else none is known.
pub fn hole_of(loops: &[ChainLoop], reference: &Reference) -> Vec<GuardRange> {
    let around = &loops[..reference.level.min(loops.len())];
    let holes = around.iter().map(|chain| &chain.hole);
    let holes = holes
        .chain([&reference.hole])
        .filter(|hole| !hole.is_empty());
    let holes: Vec<&Vec<GuardRange>> = holes.collect();
    // The fewer ranges say what is in it, the more is.
    let holds = |one: &&&Vec<GuardRange>| {
        let mut others = holes.iter();
        others.all(|other| one.iter().all(|range| other.contains(range)))
    };
    holes
        .iter()
        .find(holds)
        .map_or(Vec::new(), |hole| hole.to_vec())
}

/// The branches on the way to a reference that may never be taken, though they only ask for loops: a single place that a
/// loop by steps of two may pass over, a triangle beside another one.
fn perhaps_never(loops: &[ChainLoop], reference: &Reference, decisions: &[Decided]) -> Weight {
    let around = &loops[..reference.level.min(loops.len())];
    let ways = around.iter().flat_map(|chain| &chain.weight);
    let steps = ways.chain(&reference.weight);
    let decision = |branch: &Symbol| Some(&Decided::find(decisions, branch)?.decision);
    let ranges = |step: &(Symbol, bool)| decision(&step.0).map_or(&[][..], |d| d.ranges());
    let guards: Vec<&(Symbol, bool)> = steps.filter(|step| !ranges(step).is_empty()).collect();
    let is_moved = |expr: &Expr| {
        let mut variables = loops.iter().map(|chain| &chain.facts.variable);
        variables.any(|variable| !variable.is_none() && expr.mentions(variable))
    };
    let may_pass = |range: &GuardRange| {
        let Some(own) = loops.iter().find(|l| l.facts.variable == range.variable) else {
            return false;
        };
        let mut ends = [&range.lower, &range.upper].into_iter().flatten();
        let is_even = own
            .facts
            .step
            .as_number()
            .is_some_and(|step| step.abs() == 1.0);
        let is_one = range.lower.is_some() && range.lower == range.upper;
        let shapes = [&own.facts.lower, &own.facts.upper];
        let is_triangle = ends.any(is_moved);
        !is_even || is_one && !is_triangle || is_triangle && shapes.into_iter().any(is_moved)
    };
    let several = |step: &(Symbol, bool)| {
        let own = ranges(step);
        let mut others = guards.iter().filter(|other| ***other != *step);
        others.any(|other| {
            let mut all = ranges(other).iter();
            all.any(|range| own.iter().any(|o| o.variable == range.variable))
        })
    };
    // A hole may be all of the loop.
    let leaves_a_hole = |step: &(Symbol, bool)| match decision(&step.0) {
        Some(Decision::Guard(guard)) => match step.1 {
            true => matches!(guard, Guard::Outside(_)),
            false => matches!(guard.clone().negated(), Guard::Outside(_)),
        },
        _ => false,
    };
    let may_be_never = |step: &&(Symbol, bool)| {
        ranges(step).iter().any(may_pass) || several(step) || leaves_a_hole(step)
    };
    guards
        .iter()
        .copied()
        .filter(may_be_never)
        .cloned()
        .collect()
}

/// What is read, or written, in all iterations is so in some.
fn join_guarded(streams: &mut Vec<NestStream>) {
    let goes_to = |stream: &Stream, offset: &[i64], writes: bool| {
        let mut accesses = stream.accesses.iter();
        accesses.any(|a| a.offset == offset && (a.writes > 0 || !writes))
    };
    let mut at = 0;
    while at < streams.len() {
        let guarded = &streams[at];
        let holds = |other: &NestStream| {
            let mut accesses = guarded.stream.accesses.iter();
            !guarded.when.is_always()
                && other.when.is_always()
                && is_same_stream(&guarded.stream, &other.stream)
                && accesses.all(|a| goes_to(&other.stream, &a.offset, a.writes > 0))
        };
        match streams.iter().position(holds) {
            None => at += 1,
            Some(other) => {
                let guarded = streams.remove(at);
                let known = &mut streams[if other > at { other - 1 } else { other }];
                known.level = known.level.max(guarded.level);
                if guarded.is_written() {
                    known.writing = None;
                }
                absorb(&mut known.stream, guarded.stream);
            }
        }
    }
}

/// What is referred to on both sides of a condition on a loop is referred to in all iterations.
fn join_sides(streams: &mut Vec<NestStream>) {
    let mut at = 0;
    while at < streams.len() {
        let is_other_side = |other: &NestStream| {
            is_same_stream(&streams[at].stream, &other.stream)
                && are_sides(&streams[at].when, &other.when)
                && are_beside(&streams[at], other)
        };
        if let Some(other) = (at + 1..streams.len()).find(|other| is_other_side(&streams[*other])) {
            let other = streams.remove(other);
            let known = &mut streams[at];
            known.writing = match (known.is_written(), other.is_written()) {
                (true, false) => Some(known.writing.take().unwrap_or(known.when.clone())),
                (false, true) => Some(other.writing.unwrap_or(other.when.clone())),
                _ => None,
            };
            known.when = When {
                ranges: common(&known.when.ranges, &other.when.ranges),
                hole: Vec::new(),
            };
            known.level = known.level.max(other.level);
            absorb(&mut known.stream, other.stream);
            either(&mut known.taken, other.taken);
            either(&mut known.written, other.written);
        }
        at += 1;
    }
}

/// Whether what two sides refer to is in the same rows of each iteration: rows that one side comes to and the other one does
/// not are met in the iterations of that side only.
fn are_beside(a: &NestStream, b: &NestStream) -> bool {
    let both = common(&a.when.ranges, &b.when.ranges);
    let is_asked = |variable: &str| {
        let mut all = [&a.when, &b.when]
            .into_iter()
            .flat_map(|when| when.ranges.iter().chain(&when.hole));
        all.any(|range| range.variable == variable && !both.contains(range))
    };
    let places = |stream: &Stream, dimension: usize| {
        let all = stream
            .accesses
            .iter()
            .filter_map(|access| access.offset.get(dimension).copied());
        all.collect::<BTreeSet<i64>>()
    };
    let rows = a.stream.subscripts.iter().enumerate().skip(1);
    let mut moved =
        rows.filter(|(_, subscript)| subscript.terms.iter().any(|(name, _)| is_asked(name)));
    moved.all(|(dimension, _)| places(&a.stream, dimension) == places(&b.stream, dimension))
}

/// Ranges that are in both.
fn common(a: &[GuardRange], b: &[GuardRange]) -> Vec<GuardRange> {
    a.iter()
        .filter(|range| b.contains(range))
        .cloned()
        .collect()
}

/// Whether what two conditions do not have in common is the two sides of one: one range of a loop begins where the other one
/// ends, or is what the other one leaves out.
fn are_sides(a: &When, b: &When) -> bool {
    let both = common(&a.ranges, &b.ranges);
    let own = |when: &When| {
        let own = when.ranges.iter().filter(|range| !both.contains(range));
        own.cloned().collect::<Vec<_>>()
    };
    match (own(a).as_slice(), own(b).as_slice()) {
        ([a_own], [b_own]) if a.hole.is_empty() && b.hole.is_empty() => follow(a_own, b_own),
        ([], inside) => b.hole.is_empty() && fills(inside, &a.hole),
        (inside, []) => a.hole.is_empty() && fills(inside, &b.hole),
        _ => false,
    }
}

/// Whether ranges are just those of a hole.
fn fills(ranges: &[GuardRange], hole: &[GuardRange]) -> bool {
    let halves = |range: &GuardRange| {
        let half = |lower: Option<&Expr>, upper: Option<&Expr>| GuardRange {
            variable: range.variable.clone(),
            lower: lower.cloned(),
            upper: upper.cloned(),
        };
        let lower = range.lower.as_ref().map(|lower| half(Some(lower), None));
        let upper = range.upper.as_ref().map(|upper| half(None, Some(upper)));
        lower.into_iter().chain(upper)
    };
    let all = |ranges: &[GuardRange]| ranges.iter().flat_map(halves).collect::<Vec<_>>();
    let (ranges, hole) = (all(ranges), all(hole));
    !hole.is_empty()
        && ranges.len() == hole.len()
        && ranges.iter().all(|range| hole.contains(range))
}

/// Whether one range of a loop begins where the other one ends.
fn follow(a: &GuardRange, b: &GuardRange) -> bool {
    let follows = |first: &GuardRange, second: &GuardRange| {
        let (Some(end), Some(begin)) = (&first.upper, &second.lower) else {
            return false;
        };
        first.lower.is_none() && second.upper.is_none() && begin.distance(end) == Some(1.0)
    };
    a.variable == b.variable && (follows(a, b) || follows(b, a))
}

/// Iterations at the end of a loop that make no difference to the lines that it touches, if it goes along them.
const PEELED: f64 = 8.0;
/// The same of a loop that goes from line to line.
const PEELED_ACROSS: f64 = 1.0;

/// Whether a range leaves out more of a loop than its first or last iterations.
fn leaves_out(range: &GuardRange, loops: &[ChainLoop], stream: &Stream) -> bool {
    let Some(at) = loops
        .iter()
        .rposition(|l| l.facts.variable == range.variable)
    else {
        return false;
    };
    let (around, own) = (&loops[..at], loops[at].facts);
    let (first, last) = match own.step.as_number() {
        Some(step) if step < 0.0 => (&own.upper, &own.lower),
        _ => (&own.lower, &own.upper),
    };
    let peeled = match goes_along_lines(stream, &range.variable) {
        true => PEELED,
        false => PEELED_ACROSS,
    };
    let is_within = |apart: Expr| trip_count::is_never_negative(&(apart + peeled), around);
    let is_short = (last - first)
        .expand()
        .as_number()
        .is_some_and(|length| length <= 4.0 * PEELED);
    let lower = range.lower.as_ref().map(|lower| first - lower);
    let upper = range.upper.as_ref().map(|upper| upper - last);
    is_short || !lower.into_iter().chain(upper).all(is_within)
}

/// Whether a loop moves a stream by an element, or not at all.
fn goes_along_lines(stream: &Stream, variable: &str) -> bool {
    let mut terms = stream
        .subscripts
        .iter()
        .enumerate()
        .flat_map(|(d, subscript)| {
            let own = subscript.terms.iter().filter(|(name, _)| name == variable);
            own.map(move |(_, by)| (d, by))
        });
    terms.all(|(d, by)| d == 0 && by.as_number().is_some_and(|by| by.abs() == 1.0))
}

/// Outer loops whose variable occurs only as the last subscript of arrays of rank four or more.
fn count_sweeps(loops: &[ChainLoop], streams: &[NestStream]) -> usize {
    let is_sweep = |variable: &str| {
        let mut used = false;
        let only_last = streams.iter().all(|NestStream { stream, .. }| {
            let rank = stream.subscripts.len();
            stream.subscripts.iter().enumerate().all(|(d, subscript)| {
                let mentions = subscript.terms.iter().any(|(name, _)| name == variable);
                used |= mentions;
                !mentions || (d + 1 == rank && rank >= 4 && subscript.terms.len() == 1)
            })
        });
        used && only_last
    };
    let walks_components =
        |c: &&ChainLoop| !c.facts.variable.is_none() && is_sweep(&c.facts.variable);
    loops[..loops.len().saturating_sub(1)]
        .iter()
        .take_while(walks_components)
        .count()
}
