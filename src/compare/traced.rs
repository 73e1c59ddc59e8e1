//! What did the run do in each nest?
//!
//! Sums over the sites, which are instructions by line, that lie in it, and the counts of its loops. Code
//! without lines that a nest calls (`exp`, `memset`) is that nest's, kept apart in [`Calls`]. Everything else
//! is listed with its instructions and why it could not be joined, so that shares add up to the whole run.

use std::collections::BTreeMap;

use super::branches::Lines;
use super::callers::Callers;
use super::comparison::{Apart, Unjoined};
use super::conservation::{self, OfSource};
use super::counts::LoopCounts;
use super::machine_loops;
use super::places::{LoopRef, Place, Places};
use super::surety::surety;
use super::witnesses::Witnesses;
use crate::intrinsics::Intrinsics;
use crate::metrics::profile::{
    Accesses, OnBehalf, Operations, Site, SourceProfile, Vectors, plain,
};
use crate::report::StaticReport;
use crate::source::Language;

/// What the run did in one nest.
#[derive(Clone, Debug, Default)]
pub struct Traced {
    pub instructions: u64,
    /// Instructions of code without lines that was called from there.
    pub called_instructions: u64,
    pub operations: Operations,
    pub vectors: Vectors,
    /// Calls of elementary functions.
    pub elementary: u64,
    pub accesses: Accesses,
    pub stack: Accesses,
    /// Bytes moved behind each cache level, nearest first.
    pub levels: Vec<u64>,
    /// By index of the range.
    pub data: BTreeMap<u32, Accesses>,
    /// Functions called, and what was executed on behalf of that.
    pub calls: BTreeMap<String, Calls>,
}

/// Calls of one function.
#[derive(Clone, Copy, Debug, Default)]
pub struct Calls {
    pub times: u64,
    /// Without line information, executed on behalf of these calls.
    pub instructions: u64,
    pub accesses: Accesses,
}

/// A run, joined with a static report.
pub struct Join {
    /// By target.
    pub targets: Vec<Traced>,
    pub loops: BTreeMap<LoopRef, LoopCounts>,
    pub unjoined: Vec<Unjoined>,
    pub joined: u64,
    pub instructions: u64,
    pub lines: Lines,
    /// By function of the report.
    pub functions: BTreeMap<String, Share>,
}

/// Instructions that belong to a function's lines, and how many of them to its loops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    pub instructions: u64,
    pub joined: u64,
}

/// Joins by file and line.
pub fn join(report: &StaticReport, places: &Places, profile: &SourceProfile) -> Join {
    let mut join = Join {
        targets: vec![Traced::default(); places.targets().len()],
        loops: BTreeMap::new(),
        unjoined: Vec::new(),
        joined: 0,
        instructions: 0,
        lines: Lines::of(places, profile),
        functions: BTreeMap::new(),
    };
    let mut unjoined: BTreeMap<(String, Apart), u64> = BTreeMap::new();
    let mut on_behalf: u64 = 0;
    let mut nowhere: BTreeMap<String, u64> = BTreeMap::new();
    for site in &profile.sites {
        join.instructions += site.instructions;
        let Some(file) = site.file.as_deref().filter(|_| site.line.is_some()) else {
            continue;
        };
        match place_of(places, site) {
            Place::Loop(found) => {
                let target = places.target(found);
                join.targets[target].add(site);
                let called = join.targets[target].add_calls(site);
                on_behalf += called;
                join.joined += site.instructions;
                let share = join.share(&report.functions[found.function].name);
                share.instructions += site.instructions + called;
                share.joined += site.instructions + called;
            }
            place => {
                if let Place::NoLoop(Some(function)) = place {
                    join.share(function).instructions += site.instructions;
                }
                let (what, reason) = why_not(place, file, site);
                *unjoined.entry((what, reason)).or_default() += site.instructions;
            }
        }
    }
    // What was executed without lines on behalf of calls from nests is theirs.
    join.joined += on_behalf;
    let mut left = on_behalf;
    for site in profile
        .sites
        .iter()
        .filter(|site| site.file.is_none() || site.line.is_none())
    {
        let is_of_nest = |on_behalf: &&OnBehalf| {
            let from = profile.sites.get(on_behalf.site as usize);
            from.is_some_and(|from| matches!(place_of(places, from), Place::Loop(_)))
        };
        let theirs = site
            .on_behalf
            .iter()
            .filter(is_of_nest)
            .map(|on_behalf| on_behalf.instructions)
            .sum::<u64>();
        let taken = theirs.min(left).min(site.instructions);
        left -= taken;
        *nowhere.entry(site.function.clone()).or_default() += site.instructions - taken;
    }
    for (function, instructions) in nowhere {
        // Traces from before this was counted do not show whose it was.
        let taken = left.min(instructions);
        left -= taken;
        let key = (function, Apart::NoLines);
        if instructions > taken {
            *unjoined.entry(key).or_default() += instructions - taken;
        }
    }
    join.unjoined = unjoined
        .into_iter()
        .map(|((what, reason), instructions)| Unjoined {
            what,
            instructions,
            reason,
        })
        .collect();
    join.unjoined.sort_by(|a, b| {
        b.instructions
            .cmp(&a.instructions)
            .then_with(|| a.what.cmp(&b.what))
    });
    let (loops, straight) = machine_loops::count(places, profile);
    join.loops = loops;
    let witnesses = Witnesses::of(report, places, profile);
    let callers = Callers::of(report, places, profile);
    let source = OfSource {
        callers: &callers,
        calls: &|found| report.functions[found.function].calls(),
        surety: &|found| surety(report, places, found),
        straight: &straight,
    };
    conservation::settle(places, &witnesses, &source, &mut join.loops);
    join
}

impl Join {
    fn share(&mut self, function: &str) -> &mut Share {
        self.functions.entry(function.to_string()).or_default()
    }
}

/// Where a site's line lies; straight-line code of a function that was inlined belongs to the loop around its call, and
/// what the compiler moved into a loop to that loop.
fn place_of<'r>(places: &Places<'r>, site: &Site) -> Place<'r> {
    let own = places.own(site);
    let is_loop = |place: &Place| matches!(place, Place::Loop(_));
    let around = super::places::functions(site);
    let mut calls = site
        .called_from
        .iter()
        .rev()
        .enumerate()
        .map(|(depth, (file, line))| {
            places.find(file, *line, around.get(depth + 1..).unwrap_or_default())
        });
    match own {
        Place::Loop(_) => own,
        Place::NoLoop(_) => calls
            .find(is_loop)
            .or_else(|| places.origin(site).map(Place::Loop))
            .unwrap_or(own),
        _ => calls.find(is_loop).unwrap_or(own),
    }
}

fn why_not(place: Place, file: &str, site: &Site) -> (String, Apart) {
    let own = site.inlined.last().unwrap_or(&site.function);
    match place {
        Place::NoLoop(function) => (function.unwrap_or(own).to_string(), Apart::StraightLine),
        Place::Ambiguous => (file.to_string(), Apart::Ambiguous),
        Place::UnknownFile | Place::Loop(_) => (file.to_string(), Apart::UnknownFile),
    }
}

impl Traced {
    fn add(&mut self, site: &Site) {
        self.instructions += site.instructions;
        let (sum, add) = (&mut self.operations, &site.operations);
        sum.adds += add.adds;
        sum.multiplies += add.multiplies;
        sum.divides += add.divides;
        sum.square_roots += add.square_roots;
        sum.fused += add.fused;
        sum.vector += add.vector;
        sum.masked += add.masked;
        self.vectors.add(&site.vectors);
        self.accesses.add(&site.accesses);
        self.stack.add(&site.stack);
        self.levels
            .resize(self.levels.len().max(site.levels.len()), 0);
        for (sum, moved) in self.levels.iter_mut().zip(&site.levels) {
            *sum += moved.bytes_in + moved.bytes_out;
        }
        for data in &site.data {
            self.data.entry(data.range).or_default().add(&data.accesses);
        }
    }

    /// Calls from a site; returns the instructions that were executed on their behalf.
    fn add_calls(&mut self, site: &Site) -> u64 {
        let mut instructions = 0;
        for call in &site.calls {
            let sum = self.calls.entry(call.function.clone()).or_default();
            sum.times += call.times;
            sum.instructions += call.instructions;
            sum.accesses.add(&call.accesses);
            self.elementary += if is_elementary(&call.function) {
                call.times
            } else {
                0
            };
            instructions += call.instructions;
        }
        self.called_instructions += instructions;
        instructions
    }
}

/// Whether a function of the C library is one that counts as a special operation, as `exp`, `expf` and `__exp`.
pub fn is_elementary(name: &str) -> bool {
    let plain = plain(name).trim_start_matches('_');
    let known = |name: &str| {
        let flops = Intrinsics::builtin()
            .lookup(Language::C, name)
            .and_then(|intrinsic| intrinsic.flops());
        flops.is_some_and(|flops| flops.specials > 0)
    };
    known(plain) || plain.strip_suffix("_finite").is_some_and(known)
}
