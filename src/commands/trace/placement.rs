//! `--objects` and `--place`: what may go to slower memory, and what is there.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Context;
use rayon::prelude::*;

use super::settings::{self, latency};
use super::{core, input};
use crate::binary::Variable;
use crate::cli::TraceArgs;
use crate::metrics::analysis::Analysis;
use crate::metrics::blame::Blame;
use crate::metrics::camat::Camat;
use crate::metrics::counted::Counted;
use crate::metrics::estimated::Estimated;
use crate::metrics::interleaving::Times;
use crate::metrics::objects::{Object, Objects};
use crate::metrics::out_of_order::{CoreModel, Pages, Place};
use crate::metrics::profile::{AllocatedAt, DataRange, RangeKind};
use crate::metrics::report::Placed;
use crate::metrics::settings::{LayoutSettings, Settings};
use crate::regions::Sites;
use crate::wording;

/// 140 and 410 ns, which is where memory behind CXL is measured to be, at 4 GHz.
const FAR: [u64; 2] = [560, 1640];
const LOSS: f64 = 5.0;
/// A share of the run's cycles that is not looked after.
const NOTHING: f64 = 0.001;
/// Objects with an estimate of their own, those with most misses.
const MOST_ESTIMATED: usize = 32;
/// Of places more are not named: the blocks of one line may be many.
const MOST_PLACED: usize = 12;
/// Of objects without addresses more are not named.
const MOST_NAMED: usize = 3;
/// Latencies that a sheet has columns for.
const MOST_FAR: usize = 8;
/// Percent of all pages that are interleaved.
const INTERLEAVED: [u64; 4] = [25, 50, 75, 100];
const MOST_INTERLEAVED: usize = 20;

fn far(args: &TraceArgs) -> &[u64] {
    match args.far.is_empty() {
        true => &FAR,
        false => &args.far,
    }
}

fn interleaved(args: &TraceArgs) -> &[u64] {
    match args.interleave.is_empty() {
        true => &INTERLEAVED,
        false => &args.interleave,
    }
}

/// # Errors
/// There are too many latencies, or one is not farther than RAM.
fn check_far(args: &TraceArgs) -> anyhow::Result<()> {
    anyhow::ensure!(
        args.far.is_empty() || args.objects || !args.place.is_empty(),
        "--far needs --objects or --place"
    );
    anyhow::ensure!(
        args.far.len() <= MOST_FAR,
        "--far: at most {MOST_FAR} latencies are possible, not {}",
        args.far.len()
    );
    anyhow::ensure!(
        args.interleave.len() <= MOST_INTERLEAVED,
        "--interleave: at most {MOST_INTERLEAVED} shares are possible, not {}",
        args.interleave.len()
    );
    let near = latency(args);
    let nearer = far(args).iter().find(|far| (**far as f64) < near);
    if let Some(nearer) = nearer.filter(|_| args.objects) {
        anyhow::bail!("--far {nearer}: RAM itself is {near} cycles away (--latency)");
    }
    Ok(())
}

/// What counts by source line are made with, if the program has lines.
type SitesOf<'s> = &'s dyn Fn() -> anyhow::Result<Option<Sites>>;

/// Addresses with latencies of their own, of `--place` and of `--place-against`.
///
/// # Errors
/// Nothing has that name, the latency is none, or two overlap.
pub fn places(
    args: &TraceArgs,
    variables: &[Variable],
    (sites, settings): (SitesOf, &Settings),
) -> anyhow::Result<Placements> {
    check_far(args)?;
    let blocks = blocks(args, variables, (sites, settings))?;
    let named = Named {
        variables,
        data: &blocks,
    };
    anyhow::ensure!(
        args.confirm.is_none() || args.trace.as_deref().is_none_or(input::can_be_read_again),
        "--confirm reads the trace again, so it must be a file, not standard input or a pipe"
    );
    Ok(Placements {
        own: listed(args, ("--place", &args.place), named)?,
        against: listed(args, ("--place-against", &args.place_against), named)?,
    })
}

/// What is in slower memory.
pub struct Placements {
    pub own: Vec<Place>,
    /// In the placement that the first is compared with; empty if there is none.
    pub against: Vec<Place>,
}

impl Placements {
    /// Puts what it says into the core, and beside it all into RAM and the other placement into cores of their own.
    pub fn place(self, core: &mut CoreModel, others: &mut Vec<Vec<Place>>) {
        let Placements { own, against } = self;
        if own.is_empty() {
            return;
        }
        core.places = own;
        others.push(Vec::new());
        if !against.is_empty() {
            others.push(against);
        }
    }
}

/// The places of one list, by ascending address.
///
/// # Errors
/// As of [`places`].
fn listed(
    args: &TraceArgs,
    (option, texts): (&str, &[String]),
    named: Named,
) -> anyhow::Result<Vec<Place>> {
    let place = |text: &String| {
        let what = || format!("{option} {text}");
        let (name, cycles) = name_and_cycles(text).with_context(what)?;
        let (cycles, pages) = match cycles.split_once('@') {
            None => (cycles, Pages::ALL),
            Some((cycles, percent)) => {
                let pages = percent.trim_end_matches('%').parse().ok();
                let pages = pages.and_then(Pages::percent);
                let pages = pages
                    .with_context(|| format!("`{percent}` is not a percentage of its pages, a whole number from 0 to 100"))
                    .with_context(what)?;
                (cycles, pages)
            }
        };
        let cycles = match cycles {
            "far" => far(args)[0],
            cycles => cycles
                .parse::<u64>()
                .ok()
                .filter(|cycles| (1..=1_000_000).contains(cycles))
                .with_context(|| {
                    format!("`{cycles}` is not far, nor a number of cycles from 1 to 1000000")
                })
                .with_context(what)?,
        };
        let place = |(low, high)| Place {
            low,
            high,
            cycles,
            pages,
        };
        let ranges = named.ranges(name).with_context(what)?;
        Ok(ranges.into_iter().map(place).collect())
    };
    let places = texts.iter().map(place);
    let places = places.collect::<anyhow::Result<Vec<Vec<Place>>>>()?;
    let mut places = places.concat();
    places.sort_by_key(|place| place.low);
    for pair in places.windows(2) {
        anyhow::ensure!(
            pair[0].high <= pair[1].low,
            "{option}: addresses from {:#x} on are placed twice",
            pair[1].low
        );
    }
    Ok(places)
}

/// The two sides of `--place`.
fn name_and_cycles(text: &str) -> anyhow::Result<(&str, &str)> {
    let sides = text.rsplit_once('=');
    sides.context("it must be NAME=CYCLES or NAME=far, either with @PERCENT behind it")
}

/// What has a name that can be placed.
#[derive(Clone, Copy)]
pub struct Named<'n> {
    pub variables: &'n [Variable],
    /// Ranges of a run, of which the blocks of the heap are taken whose line is known.
    pub data: &'n [DataRange],
}

impl Named<'_> {
    /// From which address to which a variable is, a pair of addresses says, or the blocks are that a line handed out.
    ///
    /// # Errors
    /// Nothing has that name, or several have it.
    fn ranges(&self, name: &str) -> anyhow::Result<Vec<(u64, u64)>> {
        if let Some(range) = variable(name, self.variables)?.or(addresses(name)) {
            return Ok(vec![range]);
        }
        let blocks = self
            .data
            .iter()
            .filter_map(|range| match &range.allocated[..] {
                [at] => Some((at, range)),
                _ => None,
            });
        let blocks: Vec<(&AllocatedAt, &DataRange)> = blocks
            .filter(|(at, range)| is_called(name, at, range))
            .collect();
        let lines: BTreeSet<&AllocatedAt> = blocks.iter().map(|(at, _)| *at).collect();
        anyhow::ensure!(
            lines.len() < 2,
            "lines of several files have this name: {}",
            wording::some(
                &lines
                    .iter()
                    .map(|at| at.file.as_str())
                    .collect::<Vec<&str>>(),
                MOST_NAMED
            )
        );
        if let Some(ranges) = self.ranges_of_rest(name).filter(|_| blocks.is_empty()) {
            return Ok(ranges);
        }
        anyhow::ensure!(
            !(blocks.is_empty() && self.variables.is_empty()),
            "names of variables need --elf, the program that ran; two addresses such as 0x4000-0x8000, the lower one first, do not"
        );
        anyhow::ensure!(
            !blocks.is_empty(),
            "no global variable of --elf has this name, and it is not two addresses such as 0x4000-0x8000, the lower one \
             first, nor the line of \
             a call that handed out a block of the heap, such as main.c:12 (where the program is linked dynamically, only \
             with --library for the library that hands them out, and not for a first call that the loader binds late: link \
             with -z now); --objects lists the objects of a run"
        );
        Ok(united(
            blocks.iter().map(|(_, range)| (range.low, range.high)),
        ))
    }
}

impl Named<'_> {
    /// Where the stack is, or what else no variable names and no known line handed out: without the variables and blocks
    /// that lie within.
    fn ranges_of_rest(&self, name: &str) -> Option<Vec<(u64, u64)>> {
        let is_block = |range: &&DataRange| range.allocated.len() == 1;
        let named = |range: &&DataRange| {
            let kinds = [RangeKind::Stack, RangeKind::Constants, RangeKind::Heap];
            !is_block(range) && kinds.contains(&range.kind()) && range.object() == name
        };
        let others = self.data.iter().filter(is_block);
        let others = others.map(|range| (range.low, range.high));
        let variables = self.variables.iter().map(|own| (own.low, own.high));
        let others = united(others.chain(variables));
        let own = self.data.iter().filter(named);
        let own = united(own.map(|range| (range.low, range.high)));
        let left: Vec<(u64, u64)> = (own.into_iter())
            .flat_map(|range| without(range, &others))
            .collect();
        (!left.is_empty()).then_some(left)
    }
}

/// What is left of a range without others, which are sorted and do not overlap.
fn without((low, high): (u64, u64), others: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let inside = others
        .iter()
        .filter(|other| other.0 < high && other.1 > low);
    let mut left = Vec::new();
    let mut from = low;
    for (begin, end) in inside {
        if from < *begin {
            left.push((from, *begin));
        }
        from = from.max(*end);
    }
    if from < high {
        left.push((from, high));
    }
    left
}

/// A block by the name that tables have, or by its file and line, with as much of the path as is needed.
fn is_called(name: &str, at: &AllocatedAt, range: &DataRange) -> bool {
    let place = name.rsplit_once(':');
    let place = place.and_then(|(file, line)| Some((file, line.parse::<u32>().ok()?)));
    let is_there =
        |(file, line): (&str, u32)| line == at.line && Path::new(&at.file).ends_with(file);
    range.object() == name || place.is_some_and(is_there)
}

/// Ranges by address that do not overlap: blocks may have had the same addresses one after the other.
fn united(ranges: impl Iterator<Item = (u64, u64)>) -> Vec<(u64, u64)> {
    let mut sorted: Vec<(u64, u64)> = ranges.collect();
    sorted.sort_unstable();
    let mut united: Vec<(u64, u64)> = Vec::new();
    for (low, high) in sorted {
        match united.last_mut().filter(|last| low <= last.1) {
            Some(last) => last.1 = last.1.max(high),
            None => united.push((low, high)),
        }
    }
    united
}

/// # Errors
/// Several variables are called so.
fn variable(name: &str, variables: &[Variable]) -> anyhow::Result<Option<(u64, u64)>> {
    let mut named = variables.iter().filter(|variable| variable.name == name);
    let Some(Variable { low, high, .. }) = named.next() else {
        return Ok(None);
    };
    anyhow::ensure!(
        named.next().is_none(),
        "several variables have this name; addresses such as {low:#x}-{high:#x} tell them apart"
    );
    Ok(Some((*low, *high)))
}

fn addresses(text: &str) -> Option<(u64, u64)> {
    let address = |text: &str| u64::from_str_radix(text.trim().strip_prefix("0x")?, 16).ok();
    let (low, high) = text.split_once('-')?;
    let range = (address(low)?, address(high)?);
    (range.0 < range.1).then_some(range)
}

/// Where the run's blocks of the heap are, if `--place` names some: a pass of its own, as the core needs them from the
/// first access on.
///
/// # Errors
/// The trace cannot be read twice, or not at all.
fn blocks(
    args: &TraceArgs,
    variables: &[Variable],
    (sites, settings): (SitesOf, &Settings),
) -> anyhow::Result<Vec<DataRange>> {
    let is_block = |text: &&String| {
        let name = name_and_cycles(text).map(|(name, _)| name);
        name.is_ok_and(|name| {
            let is_named = variables.iter().any(|variable| variable.name == name);
            !is_named && addresses(name).is_none()
        })
    };
    let mut all = args.place.iter().chain(&args.place_against);
    let Some(named) = all.find(is_block) else {
        return Ok(Vec::new());
    };
    let (Some(sites), Some(trace)) = (sites()?, args.trace.as_deref()) else {
        return Ok(Vec::new());
    };
    anyhow::ensure!(
        input::can_be_read_again(trace),
        "{named}: where blocks of the heap are is known only after the trace has been read, so it must be a file, not \
         standard input or a pipe"
    );
    let alone = Settings {
        core: None,
        ..settings.of_core_alone()
    };
    let mut analysis = Analysis::new(alone, None)?.with_profile(sites);
    let again = input::open_noting(trace, |_| ())?;
    let read = crate::trace::stream(again, settings::options(args), &mut analysis)
        .map_err(|error| anyhow::anyhow!("{}: {error}", trace.display()))?;
    let profile = analysis.finish(read.has_addresses).profile.transpose();
    // What is wrong with the program is said by the pass that counts.
    Ok(profile.ok().flatten().map_or_else(Vec::new, |own| own.data))
}

/// For whoever reads the core's figures.
pub fn in_words(places: &[Place]) -> Option<String> {
    let words = places.iter().map(|place| {
        let Place {
            low,
            high,
            cycles,
            pages,
        } = place;
        let part = match *pages {
            Pages::ALL => String::new(),
            some => format!("{} % of the pages of ", some.in_percent()),
        };
        format!("{part}{low:#x} to {high:#x} at {cycles} cycles")
    });
    let words: Vec<String> = words.collect();
    (!words.is_empty()).then(|| {
        format!(
            "placed elsewhere in the core of C-AMAT: {}",
            wording::some(&words, MOST_PLACED)
        )
    })
}

/// What the placement comes to, from the core's cycles with it, and with others: with all in RAM and the one that it is compared
/// with, if there is one.
pub fn placed(cycles: Option<u64>, others: &[u64]) -> Option<Placed> {
    let (in_ram, against) = others.split_first()?;
    Some(Placed {
        cycles: cycles?,
        in_ram: *in_ram,
        against: against.first().copied(),
    })
}

/// The same in words.
pub fn compared(placed: &Placed) -> String {
    let beside_ram = |cycles| wording::longer_than(placed.loss(cycles), "with all in RAM");
    let against = placed.against.map(|cycles| {
        let own = placed.cycles as f64 / cycles.max(1) as f64 - 1.0;
        format!(
            "; with what --place-against says it takes {}; the run with --place takes {}",
            beside_ram(cycles),
            wording::longer_than(own, "that one")
        )
    });
    format!(
        "with what --place says in slower memory the core takes {}{}",
        beside_ram(placed.cycles),
        against.unwrap_or_default()
    )
}

/// Objects with the epochs that they are blamed for. `core` is what ran, with its cycles if there were no limit of bandwidth
/// where it has one.
pub fn objects(
    args: &TraceArgs,
    objects: Option<Vec<Object>>,
    blame: Option<&Blame>,
    camat: Option<&Camat>,
    core: Option<(&CoreModel, Option<u64>)>,
) -> Option<Objects> {
    let loss = args.loss.unwrap_or(LOSS);
    let (Some(objects), Some(blame), Some(camat), Some((model, unlimited_cycles))) =
        (objects, blame, camat, core)
    else {
        return None;
    };
    let cycles = cycles(camat);
    let times = Times {
        cycles,
        unlimited_cycles: unlimited_cycles.unwrap_or(cycles),
        near: latency(args) as u64,
        near_interval: model.ram_interval,
        far_interval: model.far_interval,
    };
    let asked = (far(args), interleaved(args));
    Some(Objects::new(objects, blame, &times, asked, loss / 100.0))
}

/// Cycles of the run in the core.
fn cycles(camat: &Camat) -> u64 {
    camat.run.1 + 1 - camat.run.0
}

/// Of each object by position the addresses that it alone has, if these are known and `--place` has not placed them.
fn ranges_of(objects: &Objects, named: Named, model: &CoreModel) -> Vec<Option<Vec<(u64, u64)>>> {
    let is_free = |all: &Vec<(u64, u64)>| all.iter().all(|own| is_free(*own, &model.places));
    (objects.objects.iter())
        .map(|object| named.ranges(object.name.as_deref()?).ok().filter(is_free))
        .collect()
}

/// Has machines nearly like the core run with objects in far memory, each alone of those that can matter, and with pages of all
/// interleaved. Says why not, if they cannot.
///
/// # Errors
/// The trace cannot be read again.
pub fn estimate(
    args: &TraceArgs,
    objects: &mut Objects,
    named: Named,
    settings: &Settings,
) -> anyhow::Result<Option<String>> {
    let (Some(trace), Some((model, costs))) = (args.trace.as_deref(), &settings.core) else {
        return Ok(None);
    };
    if !input::can_be_read_again(trace) {
        let said = "losses are estimated by epochs alone: for more the trace is read again, so it must be a file";
        return Ok(Some(said.to_string()));
    }
    let ranges = ranges_of(objects, named, model);
    let farthest = objects.placements.iter().map(|own| own.latency).max();
    let can_matter = |at: &usize| {
        ranges[*at].is_some() && !loses_nothing(objects, *at, farthest.unwrap_or_default())
    };
    let mut tried: Vec<usize> = (0..ranges.len()).filter(can_matter).collect();
    tried.sort_by_key(|at| std::cmp::Reverse(objects.objects[*at].misses));
    tried.truncate(MOST_ESTIMATED);
    let with = |far: Vec<Place>| {
        let mut places = model.places.clone();
        places.extend(far);
        places.sort_by_key(|place| place.low);
        places
    };
    let shares = match model.places.is_empty() {
        true => interleaved(args),
        false => &[],
    };
    let mut places = vec![with(Vec::new())];
    for placement in &objects.placements {
        let cycles = placement.latency;
        for own in tried.iter().filter_map(|at| ranges[*at].clone()) {
            let place = |(low, high)| Place {
                low,
                high,
                cycles,
                pages: Pages::ALL,
            };
            places.push(with(
                united(own.into_iter()).into_iter().map(place).collect(),
            ));
        }
        let share = |percent: &u64| Pages::percent(*percent).map(|pages| everywhere(cycles, pages));
        places.extend(
            shares
                .iter()
                .filter_map(share)
                .map(|place| with(vec![place])),
        );
    }
    let alone = Settings {
        core: None,
        layouts: Some(LayoutSettings {
            model: model.clone(),
            costs: costs.clone(),
            places,
        }),
        ..settings.of_core_alone()
    };
    let cycles = again(args, alone)?.layout_cycles;
    let Some((near, mut rest)) = cycles.split_first() else {
        return Ok(None);
    };
    let mut estimated = Vec::new();
    for _ in &objects.placements {
        let (own, behind) = rest.split_at(tried.len());
        let (interleaved, behind) = behind.split_at(shares.len());
        rest = behind;
        let mut alone = vec![None; ranges.len()];
        for (at, cycles) in tried.iter().zip(own) {
            alone[*at] = Some(*cycles);
        }
        let mut interleaved: Vec<Option<u64>> = interleaved.iter().copied().map(Some).collect();
        interleaved.resize(objects.interleaving.shares.len(), None);
        estimated.push(Estimated {
            near: *near,
            alone,
            interleaved,
        });
    }
    objects.estimate(estimated);
    Ok(None)
}

/// All addresses, of which so many pages are in memory of that latency.
fn everywhere(cycles: u64, pages: Pages) -> Place {
    Place {
        low: 0,
        high: u64::MAX,
        cycles,
        pages,
    }
}

/// Whether an object goes to RAM so seldom that it loses next to nothing, wherever it lies.
fn loses_nothing(objects: &Objects, at: usize, latency: u64) -> bool {
    let times = objects.times();
    let longer = (latency as f64 - times.near as f64).max(0.0);
    objects.objects[at].misses as f64 * longer <= NOTHING * times.cycles as f64
}

/// Reads the trace once more.
///
/// # Errors
/// That is not possible.
fn again(args: &TraceArgs, settings: Settings) -> anyhow::Result<Counted> {
    let trace = args.trace.as_deref().context("no trace is given")?;
    let mut analysis = Analysis::new(settings, None)?;
    let input = input::open_noting(trace, |_| ())?;
    let read = crate::trace::stream(input, settings::options(args), &mut analysis)
        .map_err(|error| anyhow::anyhow!("{}: {error}", trace.display()))?;
    Ok(analysis.finish(read.has_addresses))
}

/// Asks the core what it takes with objects in far memory: each alone of those with most misses, and all that go there. Says
/// what the latter comes to.
///
/// # Errors
/// The trace cannot be read again.
pub fn confirm(
    args: &TraceArgs,
    objects: &mut Objects,
    named: Named,
    settings: &Settings,
) -> anyhow::Result<Vec<String>> {
    let (Some(most), Some((model, _))) = (args.confirm, &settings.core) else {
        return Ok(Vec::new());
    };
    let ranges = ranges_of(objects, named, model);
    let mut tried: Vec<usize> = (0..ranges.len())
        .filter(|at| ranges[*at].is_some())
        .collect();
    tried.sort_by_key(|at| std::cmp::Reverse(objects.objects[*at].misses));
    tried.truncate(most as usize);
    let times = *objects.times();
    let in_core = |which: &[usize], latency: u64| -> anyhow::Result<Option<u64>> {
        let far = which.iter().map(|at| ranges[*at].clone());
        let far = far.collect::<Option<Vec<Vec<(u64, u64)>>>>();
        let place = |(low, high)| Place {
            low,
            high,
            cycles: latency,
            pages: Pages::ALL,
        };
        match far.map(|far| united(far.into_iter().flatten())) {
            // The run itself.
            Some(far) if far.is_empty() => Ok(Some(times.cycles)),
            Some(far) => {
                let far: Vec<Place> = far.into_iter().map(place).collect();
                in_the_core(args, &far, settings).map(Some)
            }
            None => Ok(None),
        }
    };
    let mut said = Vec::new();
    for number in 0..objects.placements.len() {
        let latency = objects.placements[number].latency;
        let alone_there = tried.par_iter().map(|at| in_core(&[*at], latency));
        let mut alone = vec![None; ranges.len()];
        let found = alone_there.collect::<anyhow::Result<Vec<Option<u64>>>>()?;
        for (at, cycles) in tried.iter().zip(found) {
            alone[*at] = cycles;
        }
        objects.confirm(number, alone);
        let greedy = objects.placements[number].greedy.clone();
        let best = objects.placements[number].best.clone();
        let sets = std::iter::once((&greedy, ""))
            .chain((best.iter().filter(|best| **best != greedy)).map(|best| (best, " (best set)")));
        let mut together = None;
        for (set, called) in sets {
            let there: Vec<usize> = (0..set.len()).filter(|at| set[*at]).collect();
            let (placed, nowhere) = split(&there, (objects, latency), &ranges);
            let cycles = in_core(&placed, latency)?;
            if called.is_empty() && nowhere.is_empty() {
                together = cycles;
            }
            let what = format!(
                "{} of {}{called}",
                there.len(),
                wording::counted(ranges.len(), "object")
            );
            said.extend(
                cycles.map(|cycles| set_in_words((&what, &nowhere), (objects, latency), cycles)),
            );
        }
        let interleaved = in_core_interleaved(args, latency, settings)?;
        if let Some(confirmed) = &mut objects.placements[number].confirmed {
            confirmed.together = together;
            confirmed.interleaved = interleaved;
        }
    }
    Ok(said)
}

/// Of a set of objects those that matter, which are there in the core, and the names of those that have no addresses.
fn split(
    set: &[usize],
    (objects, latency): (&Objects, u64),
    ranges: &[Option<Vec<(u64, u64)>>],
) -> (Vec<usize>, Vec<String>) {
    let matter = set
        .iter()
        .copied()
        .filter(|at| !loses_nothing(objects, *at, latency));
    let (placed, nowhere): (Vec<usize>, Vec<usize>) = matter.partition(|at| ranges[*at].is_some());
    let name = |at: usize| objects.objects[at].name.clone();
    let names = nowhere
        .into_iter()
        .map(|at| name(at).unwrap_or_else(|| "unknown".to_string()));
    (placed, names.collect())
}

/// What the core takes with a set of objects in far memory, and whether that is too much.
fn set_in_words(
    (what, nowhere): (&str, &[String]),
    (objects, latency): (&Objects, u64),
    cycles: u64,
) -> String {
    let loss = objects.longer(cycles);
    let mut text = format!(
        "with {what} in memory of {latency} cycles the core takes {}",
        wording::longer(loss)
    );
    if loss > objects.budget {
        let allowed = 100.0 * objects.budget;
        text += &format!(", more than the {allowed} % allowed");
    }
    if !nowhere.is_empty() {
        let names: Vec<&str> = nowhere.iter().map(String::as_str).collect();
        text += &format!(
            "; that is without those that have no addresses of their own, whose part is not known: {}",
            wording::some(&names, MOST_NAMED)
        );
    }
    text
}

/// Cycles of the run in the core with each share of all pages in memory of that latency; unknown where some are elsewhere.
///
/// # Errors
/// The trace cannot be read again.
fn in_core_interleaved(
    args: &TraceArgs,
    latency: u64,
    settings: &Settings,
) -> anyhow::Result<Vec<Option<u64>>> {
    let is_placed = (settings.core.as_ref()).is_some_and(|(model, _)| !model.places.is_empty());
    let shares = interleaved(args).par_iter();
    let in_core = |percent: &u64| {
        let pages = Pages::percent(*percent).filter(|_| !is_placed);
        let place = pages.map(|pages| everywhere(latency, pages));
        let cycles = place.map(|place| in_the_core(args, &[place], settings));
        cycles.transpose()
    };
    shares.map(in_core).collect()
}

fn is_free((low, high): (u64, u64), places: &[Place]) -> bool {
    places
        .iter()
        .all(|place| place.high <= low || high <= place.low)
}

/// Cycles of the run in the core with this in far memory, too.
fn in_the_core(args: &TraceArgs, far: &[Place], settings: &Settings) -> anyhow::Result<u64> {
    let mut alone = settings.of_core_alone();
    if let Some((model, _)) = &mut alone.core {
        model.places.extend_from_slice(far);
        model.places.sort_by_key(|place| place.low);
    }
    let timed = again(args, alone)?.core;
    let timed = timed.context("the core has counted nothing")?;
    Ok(cycles(&core::camat(args, timed)))
}
