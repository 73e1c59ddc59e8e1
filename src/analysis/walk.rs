//! The walk over the statements of a function that builds its facts.

mod answers;
mod beside;
mod bisections;
mod bodies;
mod branches;
mod calls;
mod choices;
mod coarse;
mod compared;
mod counted_exits;
mod doubling;
mod expected;
mod guards;
mod headers;
mod held;
mod iterations;
mod last_level;
mod leaving;
mod limits;
mod lists;
mod loops;
mod lost;
mod outputs;
mod parts;
mod passes;
mod records;
mod recursion;
mod refills;
mod replayed;
mod retries;
mod returning;
mod settings;
mod times;
mod values;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use std::slice;
use std::sync::Arc;

use rayon::prelude::*;

use expected::Givers;
use last_level::LastLevels;

use super::addresses::{chased, roots};
use super::as_read;
use super::assignments::{
    Counts, Effects, assigned_once, count_assignments, handed_out, handed_to_unknown, outputs,
    pointed_to,
};
use super::calls::{
    Finish, Finishes, Origins, ProcedureId, Procedures, Target, agreed, expand, with_ends,
};
use super::compared::Compared;
use super::datatypes::Datatypes;
use super::facts::*;
use super::gathers::{Changing, set_once};
use super::inputs::{Inputs, Used};
use super::iterations::with_iterations;
use super::serial;
use super::shared::{commons, same_storage, shared_storage};
use super::sizes::Sizes;
use super::steady::{Around, Stable, Steady};
use super::storage::Storages;
use super::symbols::{Known, Level, Symbols};
use crate::diagnostic::{Diagnostic, Place};
use crate::expr::{Expr, Symbol};
use crate::ir::visit::{self, InLoop, variables_of};
use crate::ir::{self, Jump, Name, Printed, Stmt, Value, VarId};
use crate::reason::ReasonCode;
use crate::source::parallel::Parallel;
pub use bodies::{ProcedureBody, Statements};

/// Facts of every function of the units, in their order. Loop ids are unique over all of them.
///
/// A function in a header is seen by every file that includes it: the version with the fewest
/// reasons is kept, the earliest of equals.
pub fn analyze(units: &[ir::Unit]) -> Program {
    analyze_given(units.to_vec(), &Inputs::default()).0
}

/// The same of a program that reads this input, and the names in it that some variable took its value from.
pub fn analyze_given(units: Vec<ir::Unit>, inputs: &Inputs) -> (Program, Used) {
    let units = &as_read::apart(with_ends(agreed(units)))[..];
    let (program, _, used) = analyze_known(units, &Procedures::new(units), inputs);
    (program, used)
}

/// The same, and the statements that the facts of each function come from.
pub fn analyze_with_bodies(units: &[ir::Unit]) -> (Program, Vec<ProcedureBody>) {
    let (program, statements, _) =
        analyze_given_with_statements(units.to_vec(), &Inputs::default());
    let bodies = statements.bodies(0..statements.len());
    (program, bodies)
}

/// [`analyze_given`] and the statements that the facts of each function come from.
pub fn analyze_given_with_statements(
    units: Vec<ir::Unit>,
    inputs: &Inputs,
) -> (Program, Statements, Used) {
    let units = as_read::apart(with_ends(agreed(units)));
    let (program, ids, used) = analyze_known(&units, &Procedures::new(&units), inputs);
    (program, Statements::new(units, ids), used)
}

fn analyze_known(
    units: &[ir::Unit],
    known: &Procedures,
    inputs: &Inputs,
) -> (Program, Vec<ProcedureId>, Used) {
    let file = |unit: &ir::Unit| File {
        path: unit.path.clone(),
        language: unit.language,
        form: unit.form,
        lines: unit.lines,
        is_parallel: unit.parallel.as_ref().map(Parallel::begins),
        is_of_processes: unit.parallel == Some(Parallel::Processes),
        preprocessing: unit.preprocessing,
        diagnostics: unit.diagnostics.clone(),
    };
    let mut files: Vec<File> = units.iter().map(file).collect();
    let ids: Vec<ProcedureId> = known.ids().collect();
    let sizes = Sizes::new(known, inputs);
    let commons = Arc::new(commons(known));
    let stable = Stable::of(known, Arc::clone(&commons));
    let storages = Storages::of(known, commons);
    let (all, defects): (Vec<Function>, Vec<Option<Diagnostic>>) = ids
        .par_iter()
        .map(|id| {
            let function = known.get(*id).function;
            lost::unless_lost(function, |function| {
                analyze_procedure(known, (&sizes, &stable, &storages), *id, function)
            })
        })
        .unzip();
    for (id, defect) in ids.iter().zip(defects) {
        files[known.get(*id).unit].diagnostics.extend(defect);
    }
    // Of what several files include, the copy in a file of the program, and of these the one that is understood best.
    let mut best: HashMap<_, (_, usize)> = HashMap::new();
    for (index, function) in all.iter().enumerate() {
        let unit = &units[known.get(ids[index]).unit];
        let reasons = count_reasons(&function.body);
        let rank = (!unit.is_listed, !unit.is_built, reasons);
        let known = best.entry(key(function)).or_insert((rank, index));
        if rank < known.0 {
            *known = (rank, index);
        }
    }
    let is_best = |index: usize, function: &Function| {
        best.get(&key(function)).is_some_and(|(_, i)| *i == index)
    };
    let (mut functions, mut kept) = (Vec::new(), Vec::new());
    for (index, function) in all.into_iter().enumerate() {
        if is_best(index, &function) {
            functions.push(function);
            kept.push(ids[index]);
        }
    }
    let mut ids = BTreeMap::new();
    for function in &mut functions {
        name_loops(&mut function.body, &function.name, &mut ids);
    }
    serial::mark(units, &mut functions);
    let places = sizes.settle(&mut functions);
    let set = sizes.set_variables(known, &places);
    let unmentioned = unmentioned(known, functions.iter().zip(&kept));
    (
        Program {
            files,
            functions,
            places,
            set,
            unmentioned,
            unread: BTreeMap::new(),
        },
        kept,
        sizes.used(),
    )
}

/// The parameters of functions that none of their expressions mentions.
fn unmentioned<'f>(
    known: &Procedures,
    functions: impl Iterator<Item = (&'f Function, &'f ProcedureId)>,
) -> BTreeMap<String, BTreeSet<String>> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (function, id) in functions {
        let is_fixed = |variable: &&ir::Variable| {
            variable.role == ir::Role::Constant(ir::ConstantOrigin::Parameter)
                && matches!(variable.ty, ir::Type::Integer(..))
                && variable.dimensions.is_empty()
                && function.constant(&Symbol::source(&variable.name)).is_none()
        };
        for variable in known.get(*id).function.variables.iter().filter(is_fixed) {
            let of = found.entry(variable.name.to_string()).or_default();
            of.insert(function.name.clone());
        }
    }
    found
}

fn key(function: &Function) -> (Arc<str>, u32, String) {
    (function.file.clone(), function.line, function.name.clone())
}

fn count_reasons(block: &Block) -> usize {
    let inner = block.items.iter().map(|item| match item {
        Item::Loop(inner) => count_reasons(&inner.body),
        Item::Branch(branch) => {
            count_reasons(&branch.then) + branch.otherwise.as_ref().map_or(0, count_reasons)
        }
    });
    let own = block.reasons.iter().filter(|r| !r.code.is_understood());
    own.count() + inner.sum::<usize>()
}

/// Facts of one procedure, which has the statements of `function`; loop ids are left empty.
fn analyze_procedure(
    known: &Procedures,
    (sizes, stable, storages): (&Sizes, &Stable, &Storages),
    id: ProcedureId,
    function: &ir::Function,
) -> Function {
    let written = function;
    let expansion = expand::in_loops(known, id, function);
    let (function, origins) = match &expansion {
        Some(expansion) => (&expansion.function, expansion.origins.clone()),
        None => (function, Origins::default()),
    };
    let next_iteration = function.variables.len() as u32;
    let counted = with_iterations(function);
    let function = counted.as_ref().unwrap_or(function);
    let effects = Effects::new(known, id, function, origins);
    let held = held::with_held((sizes, id), function, &effects);
    let (function, effects) = match &held {
        Some(held) => (held, &Effects::new(known, id, held, effects.origins)),
        None => (function, &effects),
    };
    let steady = &Steady::new(function, effects, stable, known.formals(id));
    let set = sizes.set_scalars(id, function);
    let mut counts = BTreeMap::new();
    count_assignments(&function.body, effects, &mut counts);
    let handed = handed_to_unknown(&function.body, effects);
    let mut assigned_once = surely_once(effects, function, (&counts, &handed));
    assigned_once.extend(set.iter().map(|id| (*id, None)));
    let roots = Rc::new(match function.conventions.has_pointers() {
        true => roots(function),
        false => BTreeMap::new(),
    });
    let mut walker = Walker {
        last_levels: last_levels(effects, (known, id), function),
        procedures: known,
        sizes,
        procedure: id,
        symbols: Symbols {
            assigned_once: Rc::new(assigned_once),
            pointed_to: Rc::new(pointed_to(effects)),
            set: Rc::new(set),
            chased: Rc::new(match function.conventions.has_pointers() {
                true => chased(function),
                false => BTreeSet::new(),
            }),
            set_once: Rc::new(set_once(&counts)),
            roots: Rc::clone(&roots),
            ..Symbols::outside_loops(function, effects, known.own_name(function))
        },
        outputs: outputs(function, &counts),
        handed_out: handed_out(function, &counts),
        handed_to_unknown: handed,
        effects,
        changing: Changing {
            stable,
            same: same_storage(function),
            roots,
        },
        steady,
        around: Vec::new(),
        conditional: BTreeSet::new(),
        turns: BTreeSet::new(),
        loaded: BTreeMap::new(),
        in_sequence: settings::holds_sequence(&function.body),
        next_iteration,
        exits: Vec::new(),
        on_data: Vec::new(),
        ended: Ended::Never,
        unexpected: 0,
        behind: None,
        branches: 0,
        trip_counts: BTreeMap::new(),
        datatypes: None,
        undecided: Vec::new(),
        parts_asked: 0,
        then_cycles: false,
        answers: Vec::new(),
        conditions: Vec::new(),
        choices: HashMap::new(),
        once: BTreeSet::new(),
        compared: None,
        givers: Givers::default(),
    };
    let mut body = walker.block(&function.body);
    beside::note(written, &mut body);
    let recursion = walker.recursion(&body);
    let shared = shared_storage(function, &body);
    let constants = walker.into_constants();
    Function {
        name: function.name.clone(),
        file: function.place.file.clone(),
        line: function.place.line,
        end_line: function.end_line,
        is_entry: function.is_main,
        is_shown: true,
        given_by: known.givers(id),
        recursion,
        constants,
        shared,
        pointed: pointed(function).into_iter().collect(),
        objects: storages.objects(known, (id, function), &body),
        body,
    }
}

/// Pointers with what they point to, by name.
fn pointed(function: &ir::Function) -> BTreeSet<(Name, Name)> {
    let name = |id: &VarId| function.variable(*id).name.clone();
    let pointed = function.pointed.iter();
    pointed
        .map(|(pointer, target)| (name(pointer), name(target)))
        .collect()
}

fn last_levels(
    effects: &Effects,
    (known, id): (&Procedures, ProcedureId),
    function: &ir::Function,
) -> LastLevels {
    let itself = |name: &str| match effects.target(name) {
        Target::Body(callee) | Target::Recursive(callee) => Some(callee),
        _ => None,
    };
    LastLevels::of(id, &function.body, &known.formals(id), &itself)
}

/// The scalars that are assigned once, and in no other way.
fn surely_once(
    effects: &Effects,
    function: &ir::Function,
    (counts, handed): (&Counts, &BTreeSet<VarId>),
) -> BTreeMap<VarId, Option<Value>> {
    let mut all = counts.clone();
    for id in function.aliased.iter().chain(handed) {
        all.entry(*id).or_default().statements += 1;
    }
    assigned_once(function, effects, &all)
}

/// A branch that neither literals nor the loops around it decide.
pub(super) struct Undecided {
    pub probability: Symbol,
    /// The usual name of a probability of its line.
    pub of_line: Symbol,
    pub condition: Value,
    /// How many of the remainders that it may ask for are known to be others.
    pub excluded: usize,
    /// Whether it is always or never taken by what the program has unless its input says otherwise.
    pub truth: Option<bool>,
    pub decision: Decision,
    /// How often it is taken as a rule: where one of its arms leaves the loops around, which happens at most once in each
    /// run of these, or keeps the largest value so far; and whether that is assumed or a guess.
    pub usual: Option<(Expr, Origin)>,
}

/// The branches that are always or never taken, or once in so many times, by what the program has unless its input says
/// otherwise.
fn decided(
    (sizes, known): (&Sizes, &Procedures),
    (id, function): (ProcedureId, &ir::Function),
    undecided: &[Undecided],
) -> impl Iterator<Item = Constant> + use<> {
    let mut found: BTreeMap<Symbol, Option<(Expr, Origin)>> = BTreeMap::new();
    for branch in undecided {
        let Undecided {
            probability,
            of_line: _,
            condition,
            excluded,
            truth,
            decision,
            usual,
        } = branch;
        let share = match *truth {
            Some(is_taken) => Some((Expr::from(f64::from(u8::from(is_taken))), Origin::Initial)),
            None => sizes
                .periodic_share(known, (id, function), (condition, *excluded, decision))
                .map(|share| (share, Origin::Default))
                .or_else(|| usual.clone()),
        };
        // Of several branches in one line that have one probability all must agree.
        let known = found
            .entry(probability.clone())
            .or_insert_with(|| share.clone());
        if *known != share {
            *known = None;
        }
    }
    let constant = |(symbol, share): (Symbol, Option<(Expr, Origin)>)| {
        let (value, origin) = share?;
        Some(Constant {
            symbol,
            value,
            origin,
        })
    };
    found.into_iter().filter_map(constant)
}

/// Gives every loop its id: function and line, and a number where that is not unique.
pub fn name_loops(block: &mut Block, function: &str, taken: &mut BTreeMap<String, u32>) {
    for item in &mut block.items {
        match item {
            Item::Loop(inner) => {
                let base = format!("{function}@{}", inner.line);
                let count = taken.entry(base.clone()).or_insert(0);
                *count += 1;
                inner.id = if *count == 1 {
                    base
                } else {
                    format!("{base}#{count}")
                };
                name_loops(&mut inner.body, function, taken);
            }
            Item::Branch(branch) => {
                name_loops(&mut branch.then, function, taken);
                branch
                    .otherwise
                    .iter_mut()
                    .for_each(|block| name_loops(block, function, taken));
            }
        }
    }
}

/// Whether the program has ended in a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Ended {
    Never,
    /// Where something is wrong, which data decide.
    IfWrong,
    Perhaps,
    Surely,
}

struct Walker<'f> {
    last_levels: LastLevels,
    procedures: &'f Procedures<'f>,
    sizes: &'f Sizes,
    /// The one that is walked.
    procedure: ProcedureId,
    symbols: Symbols<'f>,
    /// Scalars that calls are taken to assign.
    outputs: BTreeSet<VarId>,
    /// Scalars that are passed to procedures without a body, which may give them other values.
    handed_out: BTreeSet<VarId>,
    /// Those of them that are followed no further.
    handed_to_unknown: BTreeSet<VarId>,
    effects: &'f Effects<'f>,
    changing: Changing<'f>,
    /// What decides which storage it touches.
    steady: &'f Steady<'f>,
    /// What is known of the loops around the walk for that, the outermost first.
    around: Vec<Around>,
    /// Variables that the loops around may advance in an iteration or not.
    conditional: BTreeSet<VarId>,
    /// Whole numbers that the loops around give each other's values (`new = 3 - new`): elements are those of any, but what they
    /// decide is another thing in each iteration.
    turns: BTreeSet<VarId>,
    /// The elements that variables inside loops were last set to, as array and place.
    loaded: BTreeMap<VarId, (VarId, Expr)>,
    /// Whether the loop around the walk, or the function, has several loops side by side.
    in_sequence: bool,
    /// The next variable that counts iterations of a loop without a variable.
    next_iteration: u32,
    /// For every loop around the walk, whether something leaves it early.
    exits: Vec<bool>,
    /// For every loop around the walk, how many branches in it are around that data decide.
    on_data: Vec<u32>,
    /// Whether loops or calls have ended the program.
    ended: Ended,
    /// How many branches around the walk are not expected to be taken.
    unexpected: u32,
    /// Whether what is walked stands behind what may have ended the procedure or the program, by an assumption or a guess.
    behind: Option<Origin>,
    /// Number of branches met so far.
    branches: u32,
    /// Columns of the loops that have a trip count as parameter, by line.
    trip_counts: BTreeMap<u32, Vec<u32>>,
    /// What the procedure gives the variables that hold MPI types, once a call needs it.
    datatypes: Option<Datatypes<'f>>,
    /// Branches whose conditions are not constants.
    undecided: Vec<Undecided>,
    /// How many parts of conditions around the walk say whether what it walks is evaluated.
    parts_asked: u32,
    /// Whether the first arm of the branch that comes next goes on with the next iteration, which its statements leave out.
    then_cycles: bool,
    /// What branches around the walk have found.
    answers: Vec<answers::Answer>,
    /// What branches around the walk ask of the variables of loops around these, and hold.
    conditions: Vec<Guard>,
    /// The shares of branches that are one of several on one number, with their conditions.
    choices: HashMap<Place, (Value, Expr)>,
    /// The probabilities of branches that a run takes once.
    once: BTreeSet<Symbol>,
    /// Where the elements are that the iterations of the loop around the walk may have in common, if it has no loops inside.
    compared: Option<Box<Compared<'f>>>,
    givers: Givers,
}

impl<'f> Walker<'f> {
    fn function(&self) -> &'f ir::Function {
        self.symbols.function
    }

    /// Named constants that the walk met, what it mentioned that has a value, and the shares of branches that are decided.
    fn into_constants(self) -> Vec<Constant> {
        let (sizes, known) = (self.sizes, self.procedures);
        let (id, function) = (self.procedure, self.function());
        let Symbols {
            mut constants,
            mentioned,
            ..
        } = self.symbols;
        for (symbol, value) in mentioned {
            if !constants.contains_key(&symbol)
                && let Some((value, origin)) = sizes.value(id, function, &value)
            {
                let constant = Constant {
                    symbol: symbol.clone(),
                    value,
                    origin,
                };
                constants.insert(symbol, constant);
            }
        }
        let decided = decided((sizes, known), (id, function), &self.undecided);
        constants.extend(decided.map(|constant| (constant.symbol.clone(), constant)));
        constants.into_values().collect()
    }

    fn block(&mut self, statements: &[Stmt]) -> Block {
        self.block_and_share(statements).0
    }

    /// The block of statements, and how often control gets to its end where a procedure may return in it outside of loops.
    fn block_and_share(&mut self, statements: &[Stmt]) -> (Block, Expr) {
        let mut block = Block::default();
        let share = self.statements(statements, &mut block);
        (block, share)
    }

    /// Adds statements to a block; how often control gets to their end.
    fn statements(&mut self, statements: &[Stmt], block: &mut Block) -> Expr {
        let mut share = Expr::from(1.0);
        for (index, statement) in statements.iter().enumerate() {
            let rest = &statements[index + 1..];
            match statement {
                // What is behind a branch that returns runs where it does not.
                Stmt::If(branch) if self.depth() == 0 && leaving::may_leave(branch) => {
                    if let Some(arms) = leaving::with_rest(branch, rest) {
                        let arms = arms.each_ref().map(|arm| &**arm);
                        return share * self.leaving_branch(branch, arms, rest, block);
                    }
                    let stays = self.branch(branch, &branch.then, &branch.otherwise, block);
                    if stays.as_number() != Some(1.0) && self.works(rest) {
                        return share * self.guarded(stays, Origin::Derived, rest, block);
                    }
                    share = share * stays;
                }
                // How often data let the loop come to its end is not known.
                Stmt::Loop(_)
                | Stmt::Call { .. }
                | Stmt::Assign { .. }
                | Stmt::Evaluate { .. }
                | Stmt::If(_)
                    if self.depth() == 0 && self.may_be_last(statement) && self.works(rest) =>
                {
                    let Some((behind, origin)) = self.entered(statement, block) else {
                        continue;
                    };
                    let is_guess = behind.as_number() == Some(1.0);
                    if is_guess
                        && self
                            .behind
                            .is_some_and(|b| b == Origin::Default || b == origin)
                    {
                        continue;
                    }
                    let around = self.behind;
                    self.behind = if is_guess { Some(origin) } else { around };
                    let stays = self.guarded(behind, origin, rest, block);
                    self.behind = around;
                    return share * stays;
                }
                // `if (c) cycle` makes the rest of the block its other branch.
                Stmt::If(branch)
                    if branch.otherwise.is_empty()
                        && matches!(
                            branch.then.last(),
                            Some(Stmt::Jump {
                                kind: Jump::Cycle,
                                ..
                            })
                        ) =>
                {
                    let then = &branch.then[..branch.then.len() - 1];
                    self.then_cycles = true;
                    return share * self.branch(branch, then, rest, block);
                }
                // What is behind one with such a branch in it runs where none of these goes on with the loop.
                Stmt::If(branch) if self.depth() > 0 => {
                    let stays = self.branch(branch, &branch.then, &branch.otherwise, block);
                    if stays.as_number() != Some(1.0) && !rest.is_empty() {
                        let detail = "cycle in a branch inside a loop".to_string();
                        self.reason(block, &branch.place, ReasonCode::Cycle, detail);
                        return share * self.guarded(stays, Origin::Derived, rest, block);
                    }
                    share = share * stays;
                }
                // Nothing gets behind it.
                Stmt::Jump { kind, .. } => {
                    if *kind == Jump::Stop {
                        self.end_program(statements);
                    }
                    self.statement(statement, block);
                    if self.works(rest) {
                        self.guarded(Expr::from(0.0), Origin::Derived, rest, block);
                    }
                    return match (self.depth(), kind) {
                        (0, _) | (_, Jump::Cycle) => Expr::from(0.0),
                        _ => share,
                    };
                }
                _ => self.statement(statement, block),
            }
        }
        share
    }

    /// Whether control may not get behind a statement, by loops or calls in it.
    fn may_be_last(&self, statement: &Stmt) -> bool {
        let mut found = false;
        visit::statements(
            slice::from_ref(statement),
            InLoop::No,
            &mut |stmt, in_loop| {
                let is_loop = matches!(statement, Stmt::Loop(_)) || in_loop == InLoop::Yes;
                found |= match stmt {
                    Stmt::Jump { kind, .. } => is_loop && matches!(kind, Jump::Return | Jump::Stop),
                    _ => false,
                };
                visit::calls_of(stmt, &mut |name, _| {
                    if let Target::Body(callee) = self.effects.target(name) {
                        found |= *self.procedures.finishes(callee) != Finishes::default();
                    }
                });
            },
        );
        found
    }

    /// Adds a statement outside of loops; how often control gets behind it, if that is not each time, or a guess.
    fn entered(&mut self, statement: &Stmt, block: &mut Block) -> Option<(Expr, Origin)> {
        let (certainly, may_return) = match statement {
            Stmt::Loop(inner) => {
                let may_return = self.may_return(&inner.body);
                let may_leave = may_return || leaving::may_end(&inner.body);
                (
                    may_leave.then(|| self.behind_return(inner)).flatten(),
                    may_return,
                )
            }
            _ => (None, false),
        };
        let before = std::mem::replace(&mut self.ended, Ended::Never);
        self.statement(statement, block);
        let ended = match (statement, self.ended) {
            (Stmt::If(_), Ended::Surely) => Ended::Perhaps,
            (_, ended) => ended,
        };
        self.ended = before.max(ended);
        match (certainly, ended) {
            (Some(none), _) => Some((none, Origin::Derived)),
            // How the loops get there is not known exactly.
            (None, Ended::Surely) => Some((Expr::from(0.0), Origin::Default)),
            // How often data let the loop come to its end is not known.
            (None, Ended::Perhaps) => Some((Expr::from(1.0), Origin::Default)),
            (None, _) if may_return => Some((Expr::from(1.0), Origin::Default)),
            (None, Ended::IfWrong) => Some((Expr::from(1.0), Origin::Assumed)),
            (None, Ended::Never) => None,
        }
    }

    fn statement(&mut self, statement: &Stmt, block: &mut Block) {
        match statement {
            Stmt::Assign {
                place,
                target,
                value,
            } => {
                self.assign(place, target, value, block);
                if self.is_from_text(value) {
                    block.texts += self.texts(std::slice::from_ref(target));
                }
            }
            Stmt::Loop(inner) => self.enter_loop(inner, block),
            Stmt::If(branch) => {
                self.branch(branch, &branch.then, &branch.otherwise, block);
            }
            Stmt::Call {
                place,
                name,
                arguments,
            } => {
                if self.effects.origins.is_expanded(place, name) {
                    self.list(place, name, arguments, Body::Expanded, block);
                    return;
                }
                for (position, argument) in arguments.iter().enumerate() {
                    self.argument(place, (name, position), argument, block);
                }
                self.call(place, name, arguments, block);
                self.written_by_call(name, arguments, block);
                self.reset_by_call(name, arguments);
            }
            Stmt::Evaluate {
                place,
                values,
                printed,
            } => {
                values
                    .iter()
                    .for_each(|value| self.read(place, value, block));
                if *printed == Printed::AsText {
                    block.texts += self.texts(values);
                }
            }
            Stmt::Jump { place, kind } => {
                if matches!(kind, Jump::Exit | Jump::Return | Jump::Goto) {
                    self.ends(block);
                }
                let code = match kind {
                    _ if self.depth() == 0 => return,
                    Jump::Cycle => ReasonCode::Cycle,
                    Jump::Goto => ReasonCode::Goto,
                    // The iterations of the loop become an upper bound.
                    Jump::Exit => {
                        return self
                            .exits
                            .iter_mut()
                            .next_back()
                            .into_iter()
                            .for_each(|exit| *exit = true);
                    }
                    Jump::Return => return self.exits.iter_mut().for_each(|exit| *exit = true),
                    // The run ends there, which branches on data are not expected to do.
                    Jump::Stop => return,
                };
                let detail = format!("{kind:?} inside a loop").to_lowercase();
                self.reason(block, place, code, detail);
            }
            // None is left once a function is lowered.
            Stmt::Mark { .. } => {}
            Stmt::Opaque {
                place,
                reason,
                inner,
            } => {
                self.reason(block, place, reason.code, reason.detail.clone());
                self.statements(inner, block);
            }
        }
    }

    fn reason(&self, block: &mut Block, place: &Place, code: ReasonCode, detail: String) {
        let reason = Reason {
            code,
            line: place.line,
            detail,
        };
        if !block.reasons.contains(&reason) {
            block.reasons.push(reason);
        }
    }

    /// Notes that the program ends behind statements in loops.
    fn end_program(&mut self, arm: &[Stmt]) {
        if self.depth() == 0 || self.unexpected > 0 {
            return;
        }
        let shares = self.conditions.iter().map(|guard| {
            let share = self.share_of_guard(guard)?;
            self.known_number(&share)
        });
        let shares: Vec<Option<f64>> = shares.collect();
        let is_on_data = self.on_data.iter().any(|branches| *branches > 0);
        let is_failure = self.is_failure(arm);
        // Where numbers do not say that it happens, nobody expects that something goes wrong.
        let is_never = |share: &Option<f64>| match share {
            Some(share) => *share <= 0.0,
            None => is_failure && !is_on_data,
        };
        if !shares.iter().any(is_never) {
            self.leave_all_loops(match (is_on_data, is_failure) {
                (false, _) => Ended::Surely,
                (true, true) => Ended::IfWrong,
                (true, false) => Ended::Perhaps,
            });
        }
    }

    /// Notes that the loops around the walk are left together, with what is behind them.
    fn leave_all_loops(&mut self, ended: Ended) {
        self.exits.iter_mut().for_each(|exit| *exit = true);
        self.ended = self.ended.max(ended);
    }

    /// Notes that the program may end in a call, by what the loops around count and pass, by what the procedure itself
    /// counts, or by data.
    fn may_end_in(&mut self, callee: ProcedureId, arguments: &[Value]) {
        let Finishes { regular, failing } = self.procedures.finishes(callee);
        if self.unexpected > 0 {
            return;
        }
        let passes = |at: &usize, is_asked: &dyn Fn(VarId) -> bool| {
            let mut used = BTreeSet::new();
            arguments
                .get(*at)
                .iter()
                .for_each(|value| variables_of(value, &mut used));
            used.into_iter().any(is_asked)
        };
        let counts = |at: &usize| passes(at, &|id| self.symbols.loops.contains(&id));
        let is_in_loop = self.depth() > 0;
        let decided = |finish: &Finish| {
            finish.is_own || finish.is_of_data && is_in_loop || finish.arguments.iter().any(counts)
        };
        let ended = match (regular, failing) {
            (Some(regular), _) if decided(regular) || regular.is_of_data => Ended::Perhaps,
            (_, Some(failing)) if decided(failing) => match failing.is_of_data {
                true => Ended::IfWrong,
                false => Ended::Perhaps,
            },
            _ => return,
        };
        self.leave_all_loops(ended);
    }

    /// Number of loops around the walk.
    fn depth(&self) -> usize {
        self.symbols.levels.len()
    }

    /// A variable gets another value in every iteration of the loop at `depth`. Outside loops its
    /// name stands for whatever it is.
    fn changes(&mut self, id: VarId, depth: usize) {
        if depth > 0 {
            self.symbols.known.insert(
                id,
                Known::Changes {
                    depth,
                    loaded: false,
                },
            );
            return;
        }
        self.symbols.known.remove(&id);
        self.renamed(id);
    }

    /// From here on the name of a variable stands for another value: what was made from the one before is not known
    /// any more.
    fn renamed(&mut self, id: VarId) {
        let name = self.symbols.function.variable(id).name.as_str();
        self.symbols
            .known
            .retain(|_, known| !matches!(known, Known::Is(expr) if expr.mentions(name)));
    }

    /// The name of a variable is that of a loop's counter from here on: `nb = i`, and then a loop over `i`.
    fn becomes_counter(&mut self, id: VarId) {
        let depth = self.depth();
        if depth == 0 {
            return self.renamed(id);
        }
        let name = self.symbols.function.variable(id).name.as_str();
        for known in self.symbols.known.values_mut() {
            if matches!(known, Known::Is(expr) if expr.mentions(name)) {
                *known = Known::Changes {
                    depth,
                    loaded: false,
                };
            }
        }
    }

    /// Forgets what is known of every variable that the statements assign.
    fn vary(&mut self, statements: &[Stmt], depth: usize) {
        let mut assigned = BTreeMap::new();
        count_assignments(statements, self.effects, &mut assigned);
        for (id, count) in assigned {
            let changes = count.statements > 0 || self.outputs.contains(&id);
            if changes && !self.symbols.assigned_once.contains_key(&id) {
                self.changes(id, depth);
            }
        }
        if self.handed_to_unknown.is_empty() {
            return;
        }
        for id in handed_to_unknown(statements, self.effects) {
            if self.is_index(id) && !self.symbols.loops.contains(&id) {
                self.changes(id, depth);
            }
        }
    }
}
