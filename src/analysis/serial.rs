//! Which loops of a program that uses OpenMP run on one core: those that no parallel region is around, in the procedure or
//! in what calls it.
//!
//! ```text
//! main ── read_input ── parse          nothing parallel around: one core
//!   └──── step: #pragma omp parallel for ── flux      flux is called from a region: all cores
//! ```
//!
//! What is not proven stays open: procedures that nothing calls, or that may be called through pointers, and all that these
//! call; programs in which something else than OpenMP begins parallel work; loops of files that are not read by
//! themselves.

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::facts::{Block, Body, Call, Function, Item, Loop};
use crate::function_index::FunctionIndex;
use crate::ir::{LoopDirective, Unit};
use crate::source::parallel::{Parallel, Regions};

/// Regions by file.
type Files<'u> = HashMap<&'u str, &'u [RangeInclusive<u32>]>;

/// Marks the loops that run on one core.
pub(crate) fn mark(units: &[Unit], functions: &mut [Function]) {
    let Some(files) = regions(units) else { return };
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
                inner.is_serial = !is_within && !holds_region(files, inner);
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
    regions.is_none_or(|regions| regions.iter().any(|region| region.contains(&line)))
}

/// Whether some of a loop's own code is in a region: one inside it that is more than a loop.
fn holds_region(files: &Files, outer: &Loop) -> bool {
    let regions = files.get(&*outer.file).copied().unwrap_or_default();
    let is_inside = |region: &&RangeInclusive<u32>| {
        outer.line < *region.start() && *region.start() <= outer.end_line
    };
    let mut inside = regions.iter().filter(is_inside);
    inside.any(|region| !is_loop(region, outer))
}

/// Whether a region is a loop inside another one, and no more.
fn is_loop(region: &RangeInclusive<u32>, outer: &Loop) -> bool {
    outer.body.loops().into_iter().any(|inner| {
        let is_it = region.contains(&inner.line) && inner.end_line >= *region.end();
        inner.file == outer.file && is_it || is_loop(region, inner)
    })
}
