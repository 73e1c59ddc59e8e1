//! One nest on a screen: its source, streams, layer conditions, traffic and time, and what bounds it.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::Sources;
use super::conditions;
use super::why;
use crate::analysis::coverage;
use crate::band;
use crate::expr::Symbol;
use crate::listings::inputs;
use crate::model::advice::words;
use crate::model::influence::{guessed, guesses};
use crate::model::parameters::{Kind, Row};
use crate::model::{BoundBy, LevelFigures, Model, NestModel, RunsOn, StreamFigures};
use crate::quantity::{Bytes, Flops, Seconds, significant};

/// Lines in all.
pub const LINES: usize = 40;
/// Lines of the source, where the rest leaves room.
const SOURCE: std::ops::RangeInclusive<usize> = 4..=14;
const STREAMS: usize = 6;
/// Characters of what comes from the source in one piece.
const WIDTH: usize = 100;

/// What the nest at a position costs, and why.
pub(super) fn text(model: &Model, index: usize, source: Sources) -> String {
    let nest = &model.nests[index];
    let head = nest.nest.head();
    let mut below = String::new();
    write_loops(&mut below, model, index);
    write_streams(&mut below, model, nest);
    conditions::write(&mut below, model, nest);
    write_time(&mut below, model, nest);
    let _ = writeln!(below, "why: {}", why::sentence(model, nest));
    write_marks(&mut below, model, index);
    write_advice(&mut below, model, index);
    below.push_str("--explain-full shows every formula behind these figures\n");
    let machine = &model.machine;
    let mark = nest.mark();
    let mut text = format!(
        "{}{mark} ({}:{}) on {}\n",
        head.id, head.file, head.line, machine.name
    );
    // One line for the name, one for where the source ends.
    let room = LINES.saturating_sub(below.lines().count() + 2);
    super::write_source(
        &mut text,
        head,
        room.clamp(*SOURCE.start(), *SOURCE.end()),
        source,
    );
    text + &below
}

/// A text of the source in one line, cut where it is long.
pub(super) fn cut(text: &str, most: usize) -> String {
    let text = text.replace(char::is_control, " ");
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// A value with its unit, or that it is unknown.
pub(super) fn known(value: f64, text: impl Fn(f64) -> String) -> String {
    match value.is_finite() {
        true => text(value),
        false => "unknown".to_string(),
    }
}

pub(super) fn bytes(value: f64) -> String {
    known(value, |value| Bytes(value).to_string())
}

pub(super) fn seconds(value: f64) -> String {
    known(value, |value| Seconds(value).to_string())
}

pub(super) fn count(value: f64) -> String {
    known(value, |value| {
        match value.fract() == 0.0 && value.abs() < 1e15 {
            true => format!("{value:.0}"),
            false => significant(value),
        }
    })
}

/// The loops with their trip counts, and how often the nest runs.
fn write_loops(text: &mut String, model: &Model, index: usize) {
    let nest = &model.nests[index];
    let trips = nest.sweep_trips.iter().copied();
    let trips = trips.chain(nest.loops.iter().rev().map(|extents| extents.trip));
    let each = nest.nest.loops.iter().zip(trips).map(|(chain, trip)| {
        let facts = chain.facts;
        let step = match facts.step.as_integer() {
            Some(1) => String::new(),
            _ => format!(" step {}", facts.step),
        };
        let range = cut(&format!("{} .. {}{step}", facts.lower, facts.upper), 40);
        format!(
            "{} = {range} ({})",
            facts.variable,
            count(model.value(trip))
        )
    });
    let loops: Vec<String> = each.collect();
    let _ = writeln!(text, "loops: {}", cut(&loops.join(", "), 2 * WIDTH));
    let iterations = count(model.value(nest.iterations));
    let flops = known(model.value(nest.operations.flops), |v| Flops(v).to_string());
    let _ = write!(text, "{iterations} iterations, {flops}");
    let ranked = model.ranking.of(index);
    match ranked.map(|ranked| (ranked.calls, ranked)) {
        Some((Some(calls), ranked)) => {
            let star = match model.doubts(index).is_empty() {
                true => "",
                false => " *",
            };
            let share = known(model.value(ranked.share), |v| format!("{:.1} %", 100.0 * v));
            let all = seconds(model.value(ranked.seconds));
            let calls = match model.value(calls) {
                1.0 => format!("called once{star}: {all}"),
                calls => format!("one call; {}{star} calls take {all}", count(calls)),
            };
            let _ = writeln!(text, ", {calls}, {share} of the time");
            write_found_again(text, model, index);
        }
        Some((None, _)) => text.push('\n'),
        None => text.push_str("; it is not reached by any call that could be followed\n"),
    }
    let taken = taken(model, nest);
    if taken > 0.0 && taken < 1.0 {
        let share = significant(100.0 * taken);
        let _ = writeln!(
            text,
            "branches lead to it in {share} % of the calls: streams and layer conditions are those of a call that takes \
             them, all other figures the mean of all calls"
        );
    }
}

/// In which part of the calls of its function branches around all of its loops lead to a nest.
pub(super) fn taken(model: &Model, nest: &NestModel) -> f64 {
    let function = nest.nest.function;
    let around = nest.nest.loops.first().map(|outermost| &outermost.weight);
    let share = |(branch, taken): &(Symbol, bool)| {
        let row = model.parameters.row(function, branch);
        let share = row.map_or(f64::NAN, |row| row.value);
        if *taken { share } else { 1.0 - share }
    };
    around.into_iter().flatten().map(share).product()
}

/// How many executions are shown to find the nest's data in a cache.
fn write_found_again(text: &mut String, model: &Model, index: usize) {
    let calls = model.ranking.of(index).and_then(|ranked| ranked.calls);
    let Some((found, calls)) = model.ranking.revisits(index).zip(calls) else {
        return;
    };
    let mut before = model.value(calls);
    let mut parts = Vec::new();
    for (cache, cold) in model.nests[index].levels.caches.iter().zip(&found.cold) {
        let cold = model.value(*cold);
        if cold < before {
            let found = count(before - cold);
            parts.push(match parts.is_empty() {
                true => format!("{found} find all their data in {}", cache.name),
                false => format!("{found} in {}", cache.name),
            });
            before = cold;
        }
    }
    if !parts.is_empty() {
        let parts = words::list(&parts);
        let _ = writeln!(text, "of these calls, {parts}");
    }
}

fn write_streams(text: &mut String, model: &Model, nest: &NestModel) {
    if nest.streams.is_empty() {
        text.push_str("streams: none\n");
        return;
    }
    let mut streams: Vec<&StreamFigures> = nest.streams.iter().collect();
    let size = |figures: &StreamFigures| model.value(figures.footprint);
    streams.sort_by(|a, b| size(b).total_cmp(&size(a)));
    text.push_str("streams:\n");
    for figures in streams.iter().take(STREAMS) {
        let _ = writeln!(text, "  {}", stream(model, nest, figures));
    }
    if let Some(more @ 1..) = streams.len().checked_sub(STREAMS) {
        let _ = writeln!(text, "  … and {more} more, smaller ones");
    }
}

fn stream(model: &Model, nest: &NestModel, figures: &StreamFigures) -> String {
    let used = &nest.nest.streams[figures.index].stream;
    let component = match used.component.is_empty() {
        true => String::new(),
        false => format!("[{}]", used.component),
    };
    let points = figures.shape.offsets.len();
    let shape = match points {
        0 | 1 => figures.shape.name().to_string(),
        _ => format!(
            "{} of {points} points, offsets {}",
            figures.shape.name(),
            offsets(figures)
        ),
    };
    let name = cut(&format!("{}{component}", used.array), 32);
    format!(
        "{name:<8} {}, {}, {shape}: footprint {}",
        used.class.as_str(),
        used.ty,
        bytes(model.value(figures.footprint))
    )
}

/// `(−1…1, 0, −1…1)`, the contiguous dimension first.
fn offsets(figures: &StreamFigures) -> String {
    let one = |(low, high): (i64, i64)| match low == high {
        true => low.to_string(),
        false => format!("{low}…{high}"),
    };
    let all: Vec<String> = figures.shape.ghosts().into_iter().map(one).collect();
    format!("({})", all.join(", ")).replace('-', "−")
}

fn write_time(text: &mut String, model: &Model, nest: &NestModel) {
    let time = &nest.time;
    let value = |id| model.value(id);
    let bound = time.bound_by(value(time.bound));
    let by = time.bound_name(value(time.bound)).unwrap_or("unknown");
    let overlap = match model.machine.get("overlap") {
        Some(overlap) if overlap < 1.0 => format!(", overlap {overlap} of core and data"),
        _ => String::new(),
    };
    let cores = match nest.nest.runs_on() {
        RunsOn::AllCores => "",
        RunsOn::OneCore => "; serial: on one core",
    };
    let total = seconds(value(time.seconds));
    let _ = match why::is_nothing(model, nest) {
        true => writeln!(text, "time: {total}"),
        false => writeln!(text, "time: {total}, bound by {by}{overlap}{cores}"),
    };
    if let Some(line) = band::of_nest(model, nest) {
        let _ = writeln!(text, "  {line}");
    }
    let names = time.branches().map_or(7, |_| "branches".len());
    let mut row = |name: &str, taken: f64, about: String, what: Option<BoundBy>| {
        let mark = if what.is_some() && bound == what {
            "  ← slowest"
        } else {
            ""
        };
        let taken = seconds(taken);
        let _ = writeln!(text, "  {name:<names$} {taken:>10}  {about}{mark}");
    };
    match time.in_core {
        Some(core) => {
            let cycles = |id| significant(value(id));
            let by = match nest.by_flags().as_slice() {
                [] => String::new(),
                names => format!(" (by its flags: {})", names.join(", ")),
            };
            let ports = format!(
                "{} cycles per iteration to issue{by}",
                cycles(core.port_cycles)
            );
            row("ports", value(core.ports), ports, Some(BoundBy::Ports));
            let chain = format!(
                "{} cycles per iteration spent waiting for the previous one",
                cycles(core.chain_cycles)
            );
            row("chain", value(core.chains), chain, Some(BoundBy::Chains));
            if let Some(branches) = core.branches {
                let mispredicted = significant(value(branches.mispredicted));
                row(
                    "branches",
                    value(branches.seconds),
                    format!("{mispredicted} mispredicted, added to the larger of both"),
                    Some(BoundBy::Branches),
                );
            }
        }
        None => row(
            "CPU",
            value(time.cpu),
            "arithmetic at peak".into(),
            Some(BoundBy::Arithmetic),
        ),
    }
    for (position, level) in time.levels.iter().enumerate() {
        let about = moved(model, nest, level);
        row(
            &level.name,
            value(level.seconds),
            about,
            Some(BoundBy::Level(position)),
        );
    }
    let waiting = time.waiting.map_or(0.0, value);
    if waiting > 0.0 {
        let about = "loads and stores that wait for lines of memory: added to its time";
        row("waiting", waiting, about.into(), None);
    }
    if let Some(found) = time.irregular {
        let pages = nest.levels.pages.map_or(String::new(), |pages| {
            format!(", {} page misses", significant(value(pages.missed)))
        });
        let about =
            format!("lines that no prefetcher predicts{pages}: added to the time of memory");
        row(
            "latency",
            value(found.seconds),
            about,
            Some(BoundBy::Irregular),
        );
    }
    if let (Some(text), Some(texts)) = (time.text, nest.operations.texts) {
        let about = format!(
            "{} numbers written or read as text",
            significant(value(texts))
        );
        row("text", value(text), about, Some(BoundBy::Text));
    }
}

/// Bytes between a level and what it serves.
fn moved(model: &Model, nest: &NestModel, level: &LevelFigures) -> String {
    let all = bytes(model.value(level.bytes));
    match why::behind(model, nest, level) {
        Some(cache) => {
            let (fetched, written) = (model.value(cache.fetched), model.value(cache.written_back));
            let (fetched, written) = (bytes(fetched), bytes(written));
            format!(
                "{all} to and from {}: {fetched} fetched, {written} written back",
                cache.name
            )
        }
        None => all,
    }
}

/// What is not exact, with its reasons, what is guessed, and what a run said.
fn write_marks(text: &mut String, model: &Model, index: usize) {
    let nest = &model.nests[index];
    let loops = nest.nest.loops.iter();
    let reasons: Vec<_> = loops
        .flat_map(|chain| coverage::reasons(chain.facts))
        .collect();
    let said: BTreeSet<_> = reasons.iter().map(|reason| reason.code).collect();
    let mut shown: Vec<String> = (reasons.iter())
        .map(|reason| {
            let detail = cut(&reason.detail, 40);
            format!("{} (line {}: {detail})", reason.code, reason.line)
        })
        .collect();
    let codes = nest.reason_codes();
    shown.extend(codes.difference(&said).map(ToString::to_string));
    shown.dedup();
    if !shown.is_empty() {
        let _ = writeln!(
            text,
            "* not understood or only estimated: {}",
            words::list(&shown)
        );
    }
    let sizes = guessed(&nest.nest, &model.parameters);
    if !sizes.is_empty() {
        let _ = writeln!(
            text,
            "sizes guessed: {}; set them with --set",
            words::list(&sizes)
        );
    }
    let probabilities = guesses(model, index).filter(|row| row.kind == Kind::Probability);
    let with_value = |row: &Row| format!("{} = {}", row.label, inputs::short_value(row));
    let probabilities: Vec<String> = probabilities.map(with_value).collect();
    if !probabilities.is_empty() {
        let _ = writeln!(
            text,
            "probabilities guessed: {}; set them with --set",
            words::list(&probabilities)
        );
    }
    if let Some(checked) = nest.checked {
        let verdict = if checked.is_off {
            "the model is wrong here"
        } else {
            "they agree"
        };
        let _ = writeln!(
            text,
            "checked by a run with small sizes: the model has {} times the bytes of the run, {verdict}",
            significant(checked.ratio)
        );
    }
    for conflict in &nest.conflicts {
        let _ = writeln!(
            text,
            "with the associativity of the caches: {}",
            words::conflict(model, conflict)
        );
    }
}

/// What would help most.
fn write_advice(text: &mut String, model: &Model, index: usize) {
    let is_about = |advice: &&crate::model::Advice| advice.nests.contains(&index);
    if let Some(advice) = model.advice.iter().find(is_about) {
        let _ = writeln!(text, "advice: {}", words::sentence(model, advice));
    }
}
