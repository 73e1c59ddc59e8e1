//! Which loops of a program that uses OpenMP run on one core: those that no parallel region is around, in the procedure or
//! in what calls it.
//!
//! ```text
//! main ── read_input ── parse          nothing parallel around: one core
//!   └──── step: #pragma omp parallel for ── flux      flux is called from a region: all cores
//! ```
//!
//! A loop in a region that nothing shares out is run by each thread, all of it, which takes the time of one core:
//!
//! ```text
//! #pragma omp parallel                 #pragma omp parallel
//! for (i = 0; i < n; i++) …            { id = omp_get_thread_num(); for (i = id; i < n; i += threads) … }
//! ```
//!
//! So is one that such a region calls, where nothing in the procedure says otherwise. What `single`, `master`, `sections` and
//! `task` are about takes the time of one core, as one thread runs it.
//!
//! One whose bounds ask for the number of the thread may have a part of the iterations in each: with that and the number of
//! threads it is taken to be shared out, with that alone its iterations are those of the first thread.
//!
//! What is not proven stays open: procedures that nothing calls, or that may be called through pointers, and all that these
//! call; programs in which something else than OpenMP begins parallel work; loops of files that are not read by
//! themselves.

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::expr::Symbol;
use crate::facts::{Block, Body, Call, Constant, Function, Item, Loop, Origin, Reason};
use crate::function_index::FunctionIndex;
use crate::ir::{LoopDirective, Unit};
use crate::reason::ReasonCode;
use crate::source::parallel::{Parallel, Region, Regions, Run};

/// Regions by file.
type Files<'u> = HashMap<&'u str, &'u [Region]>;

/// Marks the loops that run on one core.
pub(crate) fn mark(units: &[Unit], functions: &mut [Function]) {
    let Some(files) = regions(units) else { return };
    let runs = runs_of_calls(&files, functions);
    for (function, around) in functions.iter_mut().zip(runs) {
        let constants = std::mem::take(&mut function.constants);
        let place = Place {
            files: &files,
            constants: &constants,
            around,
        };
        mark_repeated(&place, &mut function.body);
        function.constants = constants;
    }
    if !functions.iter().any(|function| function.is_entry) {
        return;
    }
    let is_serial = serial(&files, functions);
    for (function, _) in functions.iter_mut().zip(is_serial).filter(|(_, is)| *is) {
        mark_loops(&files, &mut function.body, false);
    }
}

/// Where OpenMP begins parallel work in a program in which nothing else does; `None` if something else, or nothing, does.
fn regions(units: &[Unit]) -> Option<Files<'_>> {
    static NOWHERE: Regions = Regions::new();
    let mut files = Files::new();
    let mut is_parallel = false;
    for unit in units {
        let regions = match unit.parallel.as_ref() {
            None => continue,
            Some(Parallel::Processes | Parallel::Anywhere) => return None,
            Some(Parallel::No) => &NOWHERE,
            Some(Parallel::OpenMp(regions)) => {
                is_parallel = true;
                regions
            }
        };
        files.insert(&*unit.path, regions);
    }
    is_parallel.then_some(files)
}

/// By function: whether it is proven that all of its calls come from one thread.
fn serial(files: &Files, functions: &[Function]) -> Vec<bool> {
    let mut calls = Calls::of(functions);
    for (index, function) in functions.iter().enumerate() {
        let around = Around {
            caller: index,
            files,
            file: &function.file,
            is_parallel: false,
        };
        calls.visit(&function.body, &around);
    }
    let called: HashSet<usize> = calls.leading.iter().flatten().copied().collect();
    let mut open: Vec<usize> = (0..functions.len())
        .filter(|function| {
            !functions[*function].is_entry && !called.contains(function)
                || !functions[*function].given_by.is_empty()
                || calls.open.contains(function)
        })
        .collect();
    let mut is_serial = vec![true; functions.len()];
    while let Some(function) = open.pop() {
        if std::mem::replace(&mut is_serial[function], false) {
            open.extend(&calls.leading[function]);
        }
    }
    is_serial
}

/// Who calls whom.
struct Calls {
    index: FunctionIndex,
    /// By function, those that it calls.
    leading: Vec<HashSet<usize>>,
    /// Those that are called from parallel regions, or through pointers.
    open: HashSet<usize>,
}

/// What is around a call.
struct Around<'a> {
    caller: usize,
    files: &'a Files<'a>,
    file: &'a Arc<str>,
    is_parallel: bool,
}

impl Calls {
    fn of(functions: &[Function]) -> Calls {
        Calls {
            index: FunctionIndex::of(functions),
            leading: vec![HashSet::new(); functions.len()],
            open: HashSet::new(),
        }
    }

    fn visit(&mut self, block: &Block, around: &Around) {
        for call in &block.calls {
            let is_parallel =
                around.is_parallel || is_in_region(around.files, around.file, call.line);
            self.call(call, around.caller, is_parallel);
        }
        for item in &block.items {
            match item {
                Item::Loop(inner) => self.visit(
                    &inner.body,
                    &Around {
                        file: &inner.file,
                        is_parallel: around.is_parallel || is_parallel(around.files, inner),
                        ..*around
                    },
                ),
                Item::Branch(branch) => {
                    self.visit(&branch.then, around);
                    branch
                        .otherwise
                        .iter()
                        .for_each(|block| self.visit(block, around));
                }
            }
        }
    }

    fn call(&mut self, call: &Call, caller: usize, is_parallel: bool) {
        // What is handed over may be called from anywhere.
        self.open.extend(self.index.handed(call));
        let (callees, is_certain) = match &call.body {
            Body::Function(key) | Body::Recursive(Some(key)) => (self.index.keyed(key), true),
            Body::OneOf(keys) => (
                keys.iter().flat_map(|key| self.index.keyed(key)).collect(),
                false,
            ),
            // In place of the call, wherever that is.
            Body::Expanded | Body::Unknown | Body::Recursive(None) => {
                (self.index.named(&call.name).to_vec(), true)
            }
            Body::Library | Body::Communication(_) => return,
        };
        self.leading[caller].extend(&callees);
        if is_parallel || !is_certain {
            self.open.extend(callees);
        }
    }
}

fn mark_loops(files: &Files, block: &mut Block, is_within: bool) {
    for item in &mut block.items {
        match item {
            Item::Loop(inner) => {
                let is_within = is_within || is_parallel(files, inner);
                inner.is_serial |= !is_within && !holds_region(files, inner);
                mark_loops(files, &mut inner.body, is_within);
            }
            Item::Branch(branch) => {
                mark_loops(files, &mut branch.then, is_within);
                let otherwise = branch.otherwise.iter_mut();
                otherwise.for_each(|block| mark_loops(files, block, is_within));
            }
        }
    }
}

/// Where loops stand.
struct Place<'a> {
    files: &'a Files<'a>,
    constants: &'a [Constant],
    /// Which threads run what no region of the procedure is around, if regions call it.
    around: Option<Run>,
}

/// Marks the loops of regions of which each thread runs all iterations, or where that depends on which thread it is, and
/// those that one thread runs; whether something in the block is shared out.
fn mark_repeated(place: &Place, block: &mut Block) -> bool {
    let mut is_shared = false;
    for item in &mut block.items {
        let inner = match item {
            Item::Loop(inner) => inner,
            Item::Branch(branch) => {
                is_shared |= mark_repeated(place, &mut branch.then);
                if let Some(block) = &mut branch.otherwise {
                    is_shared |= mark_repeated(place, block);
                }
                continue;
            }
        };
        let is_own = (inner.parallel.as_ref()).is_some_and(LoopDirective::shares_out);
        let within = mark_repeated(place, &mut inner.body);
        let (run, is_in_turn) = run_at(place.files, &inner.file, inner.line);
        let run = run.or(place.around);
        inner.is_serial |= is_in_turn || run == Some(Run::OneThread) && !is_own && !within;
        if is_own || run != Some(Run::Repeated) {
            is_shared |= is_own || within;
            continue;
        }
        let of_thread = asks_for_thread(place.constants, inner);
        is_shared |= within || of_thread == Some(ByThread::Share);
        let detail = match of_thread {
            Some(ByThread::Share) => continue,
            Some(ByThread::Number) => "its bounds depend on the thread",
            None if within => continue,
            None => "each thread runs all iterations",
        };
        inner.is_serial = true;
        let reason = Reason {
            code: ReasonCode::RepeatedByThreads,
            line: inner.line,
            detail: detail.to_string(),
        };
        if !inner.body.reasons.contains(&reason) {
            inner.body.reasons.push(reason);
        }
    }
    is_shared
}

/// Which threads run a line, as the regions around it say, and whether they do that one after the other.
fn run_at(files: &Files, file: &str, line: u32) -> (Option<Run>, bool) {
    let regions = files.get(file).copied().unwrap_or_default();
    let around = regions.iter().filter(|region| region.lines.contains(&line));
    let mut is_in_turn = false;
    for region in around.rev() {
        match region.run {
            Run::AsAround => {}
            Run::InTurn => is_in_turn = true,
            run => return (Some(run), is_in_turn),
        }
    }
    (None, is_in_turn)
}

/// By function, which threads run it where regions call it: each of them, if one region does it that way; one, if all do;
/// `None` where something else calls it, too.
fn runs_of_calls(files: &Files, functions: &[Function]) -> Vec<Option<Run>> {
    if !functions.iter().any(|function| function.is_entry) {
        return vec![None; functions.len()];
    }
    let mut calls = Vec::new();
    let index = FunctionIndex::of(functions);
    for (caller, function) in functions.iter().enumerate() {
        collect_calls(
            &function.body,
            &function.file,
            &mut |call: &Call, file: &str| {
                let run = match files.contains_key(file) {
                    true => run_at(files, file, call.line).0,
                    false => Some(Run::Shared),
                };
                let (callees, run) = match &call.body {
                    Body::Function(key) | Body::Recursive(Some(key)) => (index.keyed(key), run),
                    Body::OneOf(keys) => {
                        let all = keys.iter().flat_map(|key| index.keyed(key));
                        (all.collect(), Some(Run::Shared))
                    }
                    _ => (Vec::new(), run),
                };
                let handed = index.handed(call);
                calls.extend(handed.map(|callee| (caller, callee, Some(Run::Shared))));
                calls.extend(callees.into_iter().map(|callee| (caller, callee, run)));
            },
        );
    }
    // What is known to call each: one thread, in which no region is around, or threads of a region.
    let begins = |function: &Function| Ways {
        alone: function.is_entry,
        ..Ways::default()
    };
    let mut ways: Vec<Ways> = functions.iter().map(begins).collect();
    loop {
        let before = ways.clone();
        for (caller, callee, run) in &calls {
            let way = match run {
                Some(run) => Ways::of(*run),
                None => ways[*caller],
            };
            ways[*callee].add(way);
        }
        if ways == before {
            break;
        }
    }
    ways.into_iter().map(Ways::run).collect()
}

fn collect_calls<'b>(block: &'b Block, file: &'b str, visit: &mut dyn FnMut(&'b Call, &'b str)) {
    block.calls.iter().for_each(|call| visit(call, file));
    for item in &block.items {
        match item {
            Item::Loop(inner) => collect_calls(&inner.body, &inner.file, visit),
            Item::Branch(branch) => {
                collect_calls(&branch.then, file, visit);
                let otherwise = branch.otherwise.iter();
                otherwise.for_each(|block| collect_calls(block, file, visit));
            }
        }
    }
}

/// The ways in which threads come to a function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Ways {
    /// Where no region is around.
    alone: bool,
    one_thread: bool,
    repeated: bool,
    shared: bool,
}

impl Ways {
    fn of(run: Run) -> Ways {
        Ways {
            one_thread: run == Run::OneThread,
            repeated: run == Run::Repeated,
            shared: run == Run::Shared,
            alone: false,
        }
    }

    fn add(&mut self, other: Ways) {
        let Ways {
            alone,
            one_thread,
            repeated,
            shared,
        } = other;
        self.alone |= alone;
        self.one_thread |= one_thread;
        self.repeated |= repeated;
        self.shared |= shared;
    }

    fn run(self) -> Option<Run> {
        match self {
            Ways { repeated: true, .. } => Some(Run::Repeated),
            Ways {
                one_thread: true,
                shared: false,
                ..
            } => Some(Run::OneThread),
            _ => None,
        }
    }
}

/// What the bounds of a loop ask for of the thread.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ByThread {
    /// The number of the thread.
    Number,
    /// That and something that is read or asked for: how many threads there are.
    Share,
}

fn asks_for_thread(constants: &[Constant], inner: &Loop) -> Option<ByThread> {
    let bounds = [&inner.lower, &inner.upper, &inner.step];
    let mut left: Vec<Symbol> = bounds.iter().flat_map(|bound| bound.symbols()).collect();
    let mut seen = HashSet::new();
    let (mut is_of_thread, mut is_of_all) = (false, false);
    while let Some(symbol) = left.pop() {
        let Some(known) = constants.iter().find(|constant| constant.symbol == symbol) else {
            continue;
        };
        if seen.insert(symbol) {
            is_of_thread |= known.origin == Origin::Alone;
            is_of_all |= known.origin == Origin::Given;
            left.extend(known.value.symbols());
        }
    }
    is_of_thread.then_some(match is_of_all {
        true => ByThread::Share,
        false => ByThread::Number,
    })
}

/// Whether a loop is in a region or distributed itself. One of a file that is not read by itself may be.
fn is_parallel(files: &Files, inner: &Loop) -> bool {
    inner
        .parallel
        .as_ref()
        .is_some_and(LoopDirective::shares_out)
        || is_in_region(files, &inner.file, inner.line)
}

fn is_in_region(files: &Files, file: &str, line: u32) -> bool {
    let regions = files.get(file);
    regions.is_none_or(|regions| regions.iter().any(|region| region.lines.contains(&line)))
}

/// Whether some of a loop's own code is in a region: one inside it that is more than a loop.
fn holds_region(files: &Files, outer: &Loop) -> bool {
    let regions = files.get(&*outer.file).copied().unwrap_or_default();
    let is_inside = |region: &&RangeInclusive<u32>| {
        outer.line < *region.start() && *region.start() <= outer.end_line
    };
    let lines = regions.iter().map(|region| &region.lines);
    let mut inside = lines.filter(is_inside);
    inside.any(|region| !is_loop(region, outer))
}

/// Whether a region is a loop inside another one, and no more.
fn is_loop(region: &RangeInclusive<u32>, outer: &Loop) -> bool {
    outer.body.loops().into_iter().any(|inner| {
        let is_it = region.contains(&inner.line) && inner.end_line >= *region.end();
        inner.file == outer.file && is_it || is_loop(region, inner)
    })
}
