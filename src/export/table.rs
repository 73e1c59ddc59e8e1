//! The table on standard output: nests, costliest first, and how much was understood.

use std::collections::{BTreeSet, HashSet};
use std::fmt::Write;

use anstyle::{AnsiColor, Style};

use super::band;
use super::columns::{self, Align};
use super::measured;
use super::placement_table;
use crate::analysis::coverage;
use crate::analysis::facts::Origin;
use crate::diagnostic::DiagnosticCode;
use crate::listings::inputs;
use crate::model::advice::words;
use crate::model::influence::{Influence, Influences, influence};
use crate::model::parameters::{Kind, Row};
use crate::model::ranking::listed;
use crate::model::{
    BoundBy, Costs, CountedLoop, KnownTotals, LevelKind, Model, NestModel, RunsOn, TimeFigures,
};
use crate::quantity::{Bytes, Flops, Seconds, significant, with_prefix};
use crate::reason::ReasonCode;
use crate::wording;

/// What a table is shown on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Screen {
    pub has_colour: bool,
    /// Characters of a line; `None` has room for all.
    pub width: Option<usize>,
}

/// Which nests the table has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// So many of the costliest, but none with less than a thousandth of the time.
    Top(usize),
    All,
}

impl Default for Shown {
    fn default() -> Shown {
        Shown::Top(20)
    }
}

/// The least share of the time that a nest has a row for.
const LEAST_SHARE: f64 = 1e-3;

/// So many nests that no calls lead to have a row.
const MOST_NOT_CALLED: usize = 5;

/// The table of the nests that are to be shown, and what is to be said of all of them.
pub fn render(model: &Model, shown: Shown, screen: Screen) -> String {
    let totals = KnownTotals::of(&model.nests, &model.figures);
    let all = match model.ranking.follows_calls {
        true => model.value(model.ranking.total),
        false => totals.seconds,
    };
    let nests = model.ranking.order(&model.nests, &model.figures);
    let nests = listed(&model.nests, nests, usize::MAX);
    let cost = |nest: usize| {
        let seconds = model.ranking.seconds(nest).map(|id| model.value(id));
        seconds
            .filter(|seconds| !seconds.is_nan())
            .unwrap_or(f64::NEG_INFINITY)
    };
    // What is asked for by name is listed, however little it is.
    let is_asked_for = model.program.hides_some();
    let matters = |nest: &&usize| is_asked_for || cost(**nest) >= LEAST_SHARE * all;
    let shown: Vec<usize> = match shown {
        Shown::All => nests.clone(),
        Shown::Top(most) => {
            let ranked = nests.iter().take(most).take_while(matters);
            let not_called = nests.iter().filter(|nest| {
                let seconds = model.value(model.nests[**nest].time.seconds);
                model.ranking.of(**nest).is_none() && seconds >= LEAST_SHARE * all
            });
            let ranked: Vec<usize> = ranked.copied().collect();
            let room = (most - ranked.len()).min(MOST_NOT_CALLED);
            let mut not_called: Vec<usize> = not_called.copied().collect();
            not_called.truncate(room);
            [ranked, not_called].concat()
        }
    };
    let (headings, align) = headings(model);
    let mut rows = vec![headings.iter().map(|text| (*text).to_string()).collect()];
    let mut bounds = vec![None];
    let mut is_called = true;
    for nest in &shown {
        if std::mem::replace(&mut is_called, model.ranking.of(*nest).is_some()) && !is_called {
            let mut line = vec![String::new(); headings.len()];
            line[0] = NOT_CALLED.to_string();
            rows.push(line);
            bounds.push(None);
        }
        rows.push(row(model, *nest));
        let time = &model.nests[*nest].time;
        bounds.push(Some(bound_style(time, model.value(time.bound))));
    }
    let mut text = format!("{} ({})\n\n", model.machine.name, model.machine.title);
    columns::shorten(&mut rows, screen.width, &[0, 1]);
    let table = columns::aligned(&rows, &align);
    match screen.has_colour {
        true => text.push_str(&coloured(&table, rows.iter().zip(bounds))),
        false => text.push_str(&table),
    }
    let in_table: HashSet<usize> = shown.iter().copied().collect();
    let is_hidden = |nest: &&usize| !in_table.contains(nest);
    let known = nests
        .iter()
        .filter(is_hidden)
        .map(|nest| cost(*nest))
        .filter(|cost| cost.is_finite());
    let left_out: Vec<f64> = known.collect();
    write_left_out(&mut text, &left_out, all);
    write_hidden(&mut text, model, (nests.len(), all));
    let is_serial = |nest: &usize| model.nests[*nest].nest.runs_on() == RunsOn::OneCore;
    if shown.iter().any(is_serial) {
        text.push_str(SERIAL);
    }
    measured::list(&mut text, model);
    placement_table::list(&mut text, model);
    write_advice(&mut text, model);
    write_summary(&mut text, model, (&totals, &shown), screen);
    text
}

/// How many nests of known time have no row, and what they would have said.
fn write_left_out(text: &mut String, seconds: &[f64], total: f64) {
    if seconds.is_empty() {
        return;
    }
    let share = match total > 0.0 {
        true => 100.0 * seconds.iter().sum::<f64>() / total,
        false => 0.0,
    };
    let share = match share < 0.05 {
        true => "less than 0.1".to_string(),
        false => format!("{share:.1}"),
    };
    let _ = writeln!(
        text,
        "… and {} more {} with {share} % of the time in all (--all shows them)",
        seconds.len(),
        if seconds.len() == 1 { "nest" } else { "nests" }
    );
}

/// Said where only functions without nests are to be listed.
const NONE_LISTED: &str = "the functions that --function lists have no loop nests";

/// How many nests are of functions that are not to be listed.
fn write_hidden(text: &mut String, model: &Model, (listed, total): (usize, f64)) {
    let hidden: Vec<usize> = (0..model.nests.len())
        .filter(|nest| !model.nests[*nest].nest.is_shown())
        .collect();
    if hidden.is_empty() {
        return;
    }
    let seconds = hidden
        .iter()
        .filter_map(|nest| model.ranking.seconds(*nest));
    let known = seconds.map(|id| model.value(id)).filter(|s| s.is_finite());
    let share = match total > 0.0 {
        true => 100.0 * known.sum::<f64>() / total,
        false => 0.0,
    };
    let which = match listed {
        0 => NONE_LISTED.to_string(),
        _ => format!("--function lists {listed} of {}", nests(model.nests.len())),
    };
    let _ = writeln!(
        text,
        "{which}; those of other functions take {share:.1} % of the time"
    );
}

/// So many pieces of advice are shown.
const ADVICE: usize = 5;

/// What would help most. Of a model without formulas, from one that has them for the costliest nests.
fn write_advice(text: &mut String, model: &Model) {
    if model.costliest(1).is_empty() {
        return;
    }
    let advised = (!model.figures.detail().has_formulas()).then(|| model.for_advice());
    let model = advised.as_ref().unwrap_or(model);
    if model.advice.is_empty() {
        let of = match model.program.hides_some() {
            true => " to what is listed",
            false => "",
        };
        let _ = writeln!(text, "\nadvice: no known change{of} saves 1 % of the time");
        return;
    }
    let _ = writeln!(text, "\nadvice, by share of time saved:");
    for one in model.advice.iter().take(ADVICE) {
        let saved = share(model.value(one.figures.share));
        let _ = writeln!(text, "  {saved:>6}  {}", words::sentence(model, one));
    }
    if let Some(more) = model.advice.len().checked_sub(ADVICE + 1) {
        let _ = writeln!(text, "  … and {} more (--json has them)", more + 1);
    }
}

/// Of what bounds a nest.
fn bound_style(time: &TimeFigures, bound: f64) -> Style {
    match time.bound_by(bound) {
        None => Style::new().dimmed(),
        Some(BoundBy::Arithmetic) => AnsiColor::Green.on_default(),
        Some(BoundBy::Level(level)) if time.levels[level].kind == LevelKind::Memory => {
            AnsiColor::Blue.on_default()
        }
        Some(BoundBy::Irregular) => AnsiColor::Blue.on_default(),
        Some(
            BoundBy::Level(_)
            | BoundBy::Chains
            | BoundBy::Ports
            | BoundBy::Text
            | BoundBy::Branches,
        ) => AnsiColor::Yellow.on_default(),
    }
}

/// Headings in bold, and what bounds a nest, which ends its row, in a colour of its own: arithmetic, caches or memory.
fn coloured<'r>(
    table: &str,
    rows: impl Iterator<Item = (&'r Vec<String>, Option<Style>)>,
) -> String {
    let mut text = String::new();
    for (line, (row, bound)) in table.lines().zip(rows) {
        let style = bound.unwrap_or(Style::new().bold());
        let length = row.last().filter(|_| bound.is_some()).map(String::len);
        let (before, styled) = line.split_at(length.map_or(0, |length| line.len() - length));
        let _ = writeln!(text, "{before}{style}{styled}{style:#}");
    }
    text
}

const HEADINGS: [&str; 8] = [
    "nest",
    "file",
    "iterations",
    "flops",
    "traffic",
    "flop/B",
    "time",
    "bound by",
];
const ALIGN: [Align; 8] = {
    use Align::{Left, Right};
    [Left, Left, Right, Right, Right, Right, Right, Left]
};
/// The same where calls are followed.
const CALL_HEADINGS: [&str; 10] = [
    "nest",
    "file",
    "iterations",
    "flops",
    "traffic",
    "one call",
    "calls",
    "all calls",
    "share",
    "bound by",
];
const CALL_ALIGN: [Align; 10] = {
    use Align::{Left, Right};
    [
        Left, Left, Right, Right, Right, Right, Right, Right, Right, Left,
    ]
};
/// The line above nests that are ranked by the time of one call only.
const NOT_CALLED: &str = "not reached from there:";

/// What the mark of nests on one core means.
const SERIAL: &str = "serial: on one core, not shared out among threads\n";

/// Measured times stand before what bounds a nest.
const MEASURED: [&str; 2] = ["measured", "estimate/measured"];

fn headings(model: &Model) -> (Vec<&'static str>, Vec<Align>) {
    let (mut headings, mut align) = match model.ranking.follows_calls {
        true => (CALL_HEADINGS.to_vec(), CALL_ALIGN.to_vec()),
        false => (HEADINGS.to_vec(), ALIGN.to_vec()),
    };
    if model.measured.is_some() {
        let last = headings.len() - 1;
        headings.splice(last..last, MEASURED);
        align.splice(last..last, MEASURED.map(|_| Align::Right));
    }
    (headings, align)
}

fn row(model: &Model, index: usize) -> Vec<String> {
    let nest = &model.nests[index];
    let value = |id| model.value(id);
    let head = nest.nest.head();
    let bound = nest
        .time
        .bound_name(value(nest.time.bound))
        .unwrap_or("unknown");
    let mark = nest.mark();
    let known = |value: f64, text: String| {
        if value.is_finite() {
            text
        } else {
            "unknown".to_string()
        }
    };
    let shown = |id, text: &dyn Fn(f64) -> String| known(value(id), text(value(id)));
    let seconds = |id| shown(id, &|v| Seconds(v).to_string());
    let mut row = vec![
        format!("{}{mark}", head.id),
        format!("{}:{}", head.file, head.line),
        shown(nest.iterations, &count),
        shown(nest.operations.flops, &|v| Flops(v).to_string()),
        shown(nest.traffic.actual, &|v| Bytes(v).to_string()),
    ];
    if model.ranking.follows_calls {
        let ranked = model.ranking.of(index);
        let calls = ranked.and_then(|ranked| ranked.calls);
        let star = if model.doubts(index).is_empty() {
            ""
        } else {
            " *"
        };
        let rounded = |value: f64| match star.is_empty() || value < LARGE {
            true => times(value),
            false => about(value),
        };
        let calls = calls.map(|id| format!("{}{star}", shown(id, &rounded)));
        row.push(seconds(nest.time.seconds));
        row.push(calls.unwrap_or_default());
        row.push(ranked.map_or_else(String::new, |ranked| seconds(ranked.seconds)));
        row.push(ranked.map_or_else(String::new, |ranked| shown(ranked.share, &share)));
    } else {
        row.push(shown(nest.time.intensity, &significant));
        row.push(seconds(nest.time.seconds));
    }
    let measured = model.measured.as_ref();
    row.extend(
        measured
            .map(|found| measured::cells(model, found, index))
            .into_iter()
            .flatten(),
    );
    row.push(match nest.nest.runs_on().mark() {
        Some(mark) => format!("{bound}, {mark}"),
        None => bound.to_string(),
    });
    row
}

/// How often a function is called. What is called once is outside the loops that call others.
fn times(value: f64) -> String {
    match value {
        1.0 => "once".to_string(),
        _ if value.fract() != 0.0 && value.abs() < 10.0 => format!("{value:.2}"),
        _ => count(value),
    }
}

/// From here on three digits of a number that is not exact say enough.
const LARGE: f64 = 1e5;

/// A number that is not exact: with no more than three digits where it is large.
fn about(value: f64) -> String {
    match value.abs() < LARGE {
        true => count(value),
        false => with_prefix(value),
    }
}

pub(crate) fn share(value: f64) -> String {
    // What rounds to nothing has no sign.
    let value = if value.abs() < 0.0005 { 0.0 } else { value };
    format!("{:.1} %", 100.0 * value)
}

fn count(value: f64) -> String {
    if value.abs() < 1e15 {
        format!("{value:.0}")
    } else {
        significant(value)
    }
}

/// A count that is compared with another one: a mean with its fraction.
fn precisely(value: f64) -> String {
    match value.fract() == 0.0 {
        true => count(value),
        false => format!("{value:.2}"),
    }
}

/// So many names of unknown procedures and so many call paths are shown.
const NAMES: usize = 8;
const PATHS: usize = 5;

/// Totals with every call followed, and the costliest call paths.
fn write_calls(text: &mut String, model: &Model, screen: Screen) {
    let Some(calls) = &model.calls else { return };
    let shown = |id, text: &dyn Fn(f64) -> String| {
        let value = model.value(id);
        if value.is_finite() {
            text(value)
        } else {
            "unknown".to_string()
        }
    };
    let costs = |costs: &Costs| {
        [
            shown(costs.flops, &|v| Flops(v).to_string()),
            shown(costs.traffic, &|v| Bytes(v).to_string()),
            shown(costs.seconds, &|v| Seconds(v).to_string()),
        ]
    };
    let known = KnownTotals::over_calls(&model.nests, &model.ranking, &model.figures);
    let all = match known.filter(|known| !known.unknown.is_empty()) {
        None => costs(&calls.executed),
        // The line of what is not in the total has named the nests.
        Some(known) => [
            Flops(known.flops).to_string(),
            Bytes(known.traffic).to_string(),
            Seconds(known.seconds).to_string(),
        ],
    };
    let _ = writeln!(text, "over all calls: {}", all.join(", "));
    let mut rows =
        vec![["call path", "nest", "calls", "flops", "traffic", "time"].map(String::from)];
    rows.extend(
        calls
            .ranked_paths(&model.figures)
            .into_iter()
            .take(PATHS)
            .map(|path| {
                let [flops, traffic, seconds] = costs(&path.costs);
                let nest = model.nests[path.nest].nest.head().id.clone();
                [
                    model.path_name(path),
                    nest,
                    shown(path.times, &about),
                    flops,
                    traffic,
                    seconds,
                ]
            }),
    );
    columns::shorten(&mut rows, screen.width, &[0, 1]);
    use Align::{Left, Right};
    let _ = writeln!(
        text,
        "\n{}",
        columns::aligned(&rows, [Left, Left, Right, Right, Right, Right])
    );
}

/// So many guessed sizes are named.
const GUESSES: usize = 5;

/// Which sizes the input of a run gives, those first that most time rests on.
fn write_read(text: &mut String, model: &Model, parameters: &[Influence]) {
    let is_read = |parameter: &&Influence| parameter.row.origin == Origin::Input;
    let read: Vec<&Influence> = parameters.iter().filter(is_read).collect();
    if read.is_empty() {
        return;
    }
    let diagnostics = model
        .program
        .files
        .iter()
        .flat_map(|file| &file.diagnostics);
    let inputs = diagnostics.filter(|diagnostic| diagnostic.code == DiagnosticCode::RunInput);
    let inputs: BTreeSet<&str> = inputs.map(|diagnostic| &*diagnostic.place.file).collect();
    let inputs: Vec<&str> = inputs.into_iter().collect();
    let shown = read.iter().take(GUESSES);
    let shown: Vec<String> = shown
        .map(|parameter| format!("{} = {}", parameter.row.label, parameter.row.value))
        .collect();
    let _ = writeln!(
        text,
        "sizes read from {}: {}{}",
        inputs.join(", "),
        shown.join(", "),
        more(read.len(), GUESSES)
    );
}

/// Which files of the program's input give it nothing, and why.
fn write_not_taken(text: &mut String, model: &Model) {
    let files = model.program.files.iter();
    let all = files.flat_map(|file| &file.diagnostics);
    for unused in all.filter(|one| one.code == DiagnosticCode::InputNotTaken) {
        let _ = writeln!(text, "{}: {}", unused.place.file, unused.message);
    }
}

/// What stands behind a list that ends before all are named.
fn more(count: usize, shown: usize) -> String {
    match count.saturating_sub(shown) {
        0 => String::new(),
        more => format!(" and {more} more"),
    }
}

/// The probabilities that are guessed, those first that most time rests on, and how much of it rests on branches that
/// nothing decides.
fn write_guessed_branches(text: &mut String, influences: &Influences) {
    let is_guess = |row: &Row| row.kind == Kind::Probability && row.is_guessed();
    let guessed = felt(&influences.all, &is_guess);
    if let Some(first) = guessed.first() {
        let _ = writeln!(
            text,
            "probabilities guessed, by influence on {}: {}; set them with --set NAME=VALUE",
            costliest(first.nests.1),
            with_values(&guessed)
        );
    }
    let on_branches = influences.on_even_branches;
    if on_branches >= LEAST_SHARE {
        let _ = writeln!(
            text,
            "{} of the time depends on branches whose probability is assumed to be 0.5; `loopsheet parameters` lists them",
            share(on_branches)
        );
    }
}

/// The parameters of a kind that some of the time rests on, most of it first.
fn felt<'a, 'm>(
    all: &'a [Influence<'m>],
    is_of_kind: &dyn Fn(&Row) -> bool,
) -> Vec<&'a Influence<'m>> {
    let is_felt = |parameter: &&Influence| parameter.nests.0 > 0 && parameter.share >= LEAST_SHARE;
    let found = all.iter().filter(is_felt);
    found.filter(|found| is_of_kind(found.row)).collect()
}

fn costliest(nests: usize) -> String {
    match nests {
        1 => "the costliest nest".to_string(),
        nests => format!("the {nests} costliest nests"),
    }
}

/// The first of some parameters, with their values and the number of costly nests that rest on them.
fn with_values(parameters: &[&Influence]) -> String {
    let shown = parameters.iter().take(GUESSES).map(|parameter| {
        let Influence { row, nests, .. } = parameter;
        let value = inputs::short_value(row);
        format!("{} = {value} (in {})", row.label, nests.0)
    });
    let shown: Vec<String> = shown.collect();
    let more = more(parameters.len(), GUESSES);
    format!("{}{more}", shown.join(", "))
}

/// Which sizes are guessed, those first that most time rests on.
fn write_guesses(text: &mut String, influences: &Influences) {
    let Influences {
        all, on_guesses, ..
    } = influences;
    let is_size = |row: &Row| row.is_given() || row.kind == Kind::TripCount;
    let guessed = felt(all, &|row| is_size(row) && row.is_guessed());
    let idle = inputs::idle_guesses(influences);
    let Some(first) = guessed.first() else { return };
    let _ = writeln!(
        text,
        "sizes guessed, by influence on {}: {}; set them with --set NAME=VALUE",
        costliest(first.nests.1),
        with_values(&guessed)
    );
    let _ = writeln!(
        text,
        "{} of the time depends on guessed sizes{}",
        share(*on_guesses),
        idle.map_or_else(String::new, |idle| format!("; {idle}"))
    );
}

/// The nests that conditions leave out.
fn write_never_reached(text: &mut String, model: &Model) {
    if let Some(found) = named_where(model, |nest| nest.is_never_reached(&model.parameters)) {
        let _ = writeln!(
            text,
            "conditions that never hold leave out {found}: `loopsheet parameters` lists them"
        );
    }
}

/// The nests that guessed sizes let run for ever or not at all.
fn write_implausible(text: &mut String, model: &Model) {
    if let Some(found) = named_where(model, |nest| nest.is_implausible) {
        let _ = writeln!(
            text,
            "* guessed sizes give at most one iteration, or more than 1e15: {found}; set the sizes listed by `loopsheet parameters`"
        );
    }
}

/// Nests that move other bytes when they are run.
fn write_disagreements(text: &mut String, model: &Model) {
    let nests = model.nests.iter();
    let found = nests.filter_map(|nest| Some((&nest.nest.head().id, nest.disagreement()?)));
    let found: Vec<String> = found
        .map(|(id, ratio)| format!("{id} ({} times)", significant(ratio)))
        .collect();
    if found.is_empty() {
        return;
    }
    let more = if found.len() > NAMES { " …" } else { "" };
    let _ = writeln!(
        text,
        "* run with small sizes, these do not move the bytes that the model says: {}{more}; `loopsheet validate` runs with the sizes in force",
        found[..found.len().min(NAMES)].join(", ")
    );
}

/// Nests of which a run counted other iterations.
fn write_counted(text: &mut String, model: &Model) {
    let found = model.nests.iter().filter_map(|nest| nest.counted.as_ref());
    let mut found: Vec<&CountedLoop> = found.collect();
    if found.is_empty() {
        return;
    }
    let most = |one: &CountedLoop| one.counted.max(one.modelled);
    found.sort_by(|a, b| most(b).total_cmp(&most(a)));
    let more = if found.len() > NAMES { " …" } else { "" };
    let _ = writeln!(
        text,
        "* {} a different number of iterations in the counted run than in the model:{more}",
        having(found.len())
    );
    for one in found.iter().take(NAMES) {
        let calls = match one.is_of_all_calls {
            true => "in all calls",
            false => "in one call",
        };
        let _ = writeln!(
            text,
            "    {}: {} counted, {} in the model, {calls}",
            one.id,
            precisely(one.counted),
            precisely(one.modelled)
        );
    }
}

/// Nests whose lines push each other out of few sets of a cache.
fn write_conflicts(text: &mut String, model: &Model) {
    for nest in &model.nests {
        let costly = nest
            .conflicts
            .iter()
            .filter(|conflict| conflict.is_costly());
        for conflict in costly {
            let id = &nest.nest.head().id;
            let _ = writeln!(text, "* {id}: {}", words::conflict(model, conflict));
        }
    }
}

/// What one process sends to others in all.
fn write_communication(text: &mut String, model: &Model) {
    let Some(communication) = &model.communication else {
        return;
    };
    let shown = |id, text: &dyn Fn(f64) -> String| {
        let value = model.value(id);
        if value.is_finite() {
            text(value)
        } else {
            "unknown".to_string()
        }
    };
    let unknown = communication.unknown().count();
    let without = if unknown > 0 {
        format!(", not counting {unknown} of unknown size")
    } else {
        String::new()
    };
    let _ = writeln!(
        text,
        "communication per process: {} messages, {}, {} in {} calls{without}",
        shown(communication.messages, &about),
        shown(communication.bytes, &|v| Bytes(v).to_string()),
        shown(communication.seconds, &|v| Seconds(v).to_string()),
        communication.calls.len(),
    );
}

fn nests(count: usize) -> String {
    if count == 1 {
        "1 nest".to_string()
    } else {
        format!("{count} nests")
    }
}

fn having(count: usize) -> String {
    format!(
        "{} {}",
        nests(count),
        if count == 1 { "has" } else { "have" }
    )
}

/// Where runs begin, in one line.
fn entries(model: &Model) -> String {
    let name = |index: &usize| {
        let function = &model.program.functions[*index];
        let file = columns::visible(&function.file);
        format!("{} ({file})", function.name)
    };
    let names: Vec<String> = model.entries().iter().take(NAMES).map(name).collect();
    let followed = match coverage::unknown_calls(model.program).is_empty() {
        true => "every call is followed",
        false => {
            "calls are followed to all procedures in these sources that they are known to mean"
        }
    };
    match model.entries().len() {
        0 => "no PROGRAM or main in these sources: every nest counts once".to_string(),
        1 => format!("execution starts at {}; {followed}", names[0]),
        several => format!(
            "{several} entries, each run once; {followed}: {}{}",
            names.join(", "),
            if several > NAMES { " …" } else { "" }
        ),
    }
}

/// What is not exact or not called, where calls are followed.
fn write_doubts(text: &mut String, model: &Model) {
    if !model.ranking.follows_calls {
        return;
    }
    let mut codes = BTreeSet::new();
    let (mut estimated, mut not_called, mut never, mut once) = (0, 0, 0, 0.0);
    for nest in 0..model.nests.len() {
        match model.ranking.of(nest) {
            None => not_called += 1,
            Some(ranked) => {
                let doubts = model.doubts(nest);
                estimated += usize::from(!doubts.is_empty());
                codes.extend(doubts);
                let calls = ranked.calls.map(|calls| model.value(calls));
                never += usize::from(calls == Some(0.0));
                let is_once = ranked.calls.is_some_and(|calls| model.value(calls) == 1.0);
                let share = model.value(ranked.share);
                once += if is_once && share.is_finite() {
                    share
                } else {
                    0.0
                };
            }
        }
    }
    let _ = writeln!(
        text,
        "in functions called once: {} of the time",
        share(once)
    );
    if !codes.is_empty() {
        let codes: Vec<&str> = codes.into_iter().map(ReasonCode::as_str).collect();
        let _ = writeln!(
            text,
            "* the calls of {} are not exact: {}",
            nests(estimated),
            codes.join(", ")
        );
    }
    if never > 0 {
        let _ = writeln!(
            text,
            "by the program's own options {} no calls: `loopsheet parameters` lists the conditions",
            having(never)
        );
    }
    if not_called > 0 {
        let _ = writeln!(
            text,
            "no calls that could be followed lead to {}, which {} no share",
            nests(not_called),
            if not_called == 1 { "has" } else { "have" }
        );
    }
}

/// How much of the time is that of nests whose lines take longer than the bandwidth says.
fn write_unrated(text: &mut String, model: &Model) {
    let seconds = |nest: usize| model.value(model.nests[nest].time.seconds).max(0.0);
    let of = |nests: &mut dyn Iterator<Item = usize>| {
        nests.map(seconds).filter(|s| s.is_finite()).sum::<f64>()
    };
    let unrated = |nest: &usize| model.nests[*nest].levels.has_unrated_lines;
    let found: Vec<usize> = (0..model.nests.len()).filter(unrated).collect();
    let part = of(&mut found.iter().copied()) / of(&mut (0..model.nests.len()));
    // Unknown where no nest takes any time.
    if part.is_nan() || part < COSTLY {
        return;
    }
    let _ = writeln!(
        text,
        "{} memory accesses that prefetchers cannot predict, at the bandwidth, as the machine file gives no latencies; their \
         times, {} of all, may be several times as long: measure the machine with `loopsheet machine measure`",
        having(found.len()),
        share(part)
    );
}

/// Below this share of the time, what nests have in common is not worth a line.
const COSTLY: f64 = 0.01;

/// The nests that are not in the totals, by name.
fn write_unknown(text: &mut String, model: &Model, unknown: &[usize]) {
    if unknown.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "not in the total, because a figure is unknown (division by zero?): {}",
        named(model, unknown)
    );
}

/// The first of some nests by name, and how many there are beside them.
fn named(model: &Model, nests: &[usize]) -> String {
    let named = nests.iter().take(NAMES);
    let named: Vec<&str> = named
        .map(|nest| model.nests[*nest].nest.head().id.as_str())
        .collect();
    named.join(", ") + &more(nests.len(), NAMES)
}

/// The same of those that are so; `None` if there are none.
fn named_where(model: &Model, is_meant: impl Fn(&NestModel) -> bool) -> Option<String> {
    let all = 0..model.nests.len();
    let found: Vec<usize> = all.filter(|nest| is_meant(&model.nests[*nest])).collect();
    (!found.is_empty()).then(|| named(model, &found))
}

/// What the stars behind names say; of nests that have none in the table, how many would.
fn write_partial(text: &mut String, model: &Model, shown: &[usize]) {
    let is_partial = |nest: &NestModel| !nest.reason_codes().is_empty();
    let partial = model.nests.iter().filter(|nest| is_partial(nest)).count();
    let listed = shown.iter().filter(|nest| is_partial(&model.nests[**nest]));
    match (listed.count(), partial) {
        (0, 0) => {}
        (0, others) => {
            let _ = writeln!(
                text,
                "{} that the table leaves out {} not understood in part, or only estimated",
                nests(others),
                if others == 1 { "is" } else { "are" }
            );
        }
        _ => {
            let _ = writeln!(
                text,
                "* part of this nest is not understood or only estimated; omitted parts are not counted"
            );
        }
    }
}

fn write_summary(
    text: &mut String,
    model: &Model,
    (totals, shown): (&KnownTotals, &[usize]),
    screen: Screen,
) {
    let coverage = coverage::coverage(model.program);
    let _ = writeln!(text, "\n{}", entries(model));
    let whole = match model.ranking.follows_calls && model.calls.is_some() {
        true => "counting each nest once",
        false => "total",
    };
    let _ = writeln!(
        text,
        "{whole}: {} in {}, {}, {}",
        Flops(totals.flops),
        nests(model.nests.len() - totals.unknown.len()),
        Bytes(totals.traffic),
        Seconds(totals.seconds),
    );
    if let Some(line) = band::of_all(model) {
        let _ = writeln!(text, "{line}");
    }
    write_unknown(text, model, &totals.unknown);
    if coverage.loops == 0 {
        let _ = writeln!(text, "no loops found");
        return;
    }
    let is_estimated = |nest: &&NestModel| {
        let codes = nest.reason_codes();
        codes.contains(&ReasonCode::ApproximateTripCount)
    };
    let estimated = model.nests.iter().filter(is_estimated).count();
    if estimated > 0 {
        let _ = writeln!(text, "{} estimated trip counts", having(estimated));
    }
    write_partial(text, model, shown);
    let influences = influence(model);
    write_read(text, model, &influences.all);
    write_not_taken(text, model);
    write_guesses(text, &influences);
    write_guessed_branches(text, &influences);
    write_never_reached(text, model);
    write_implausible(text, model);
    write_disagreements(text, model);
    write_counted(text, model);
    write_conflicts(text, model);
    write_unrated(text, model);
    write_doubts(text, model);
    write_calls(text, model, screen);
    write_communication(text, model);
    let share = 100.0 * coverage.understood as f64 / coverage.loops.max(1) as f64;
    let _ = writeln!(
        text,
        "loops: {} found, {} understood ({share:.1} %)",
        coverage.loops, coverage.understood
    );
    for (code, loops) in &coverage.reasons {
        let _ = writeln!(text, "  {loops:>6} with {code}");
    }
    if let Some(code) = coverage.reasons.keys().next() {
        let _ = writeln!(
            text,
            "  what a reason means: loopsheet analyze --explain {code}"
        );
    }
    // Calls without a body are named below.
    let outside = coverage
        .outside
        .iter()
        .filter(|(code, _)| **code != ReasonCode::Call);
    let outside: Vec<String> = outside
        .map(|(code, places)| format!("{code} {places}"))
        .collect();
    if !outside.is_empty() {
        let _ = writeln!(
            text,
            "not understood outside loops, number of places: {}",
            outside.join(", ")
        );
    }
    let unknown = coverage::unknown_calls(model.program);
    if !unknown.is_empty() {
        let mut names: Vec<(&str, usize)> = unknown.into_iter().collect();
        names.sort_by_key(|(_, calls)| std::cmp::Reverse(*calls));
        let shown: Vec<String> = names
            .iter()
            .take(NAMES)
            .map(|(name, calls)| format!("{name} {calls}"))
            .collect();
        let more = if names.len() > NAMES { " …" } else { "" };
        let _ = writeln!(
            text,
            "calls to {} without a body in these sources: {}{more}",
            wording::counted(names.len(), "procedure"),
            shown.join(", ")
        );
    }
    for (extension, files) in &model.program.unread {
        let files = wording::counted(*files, &format!(".{extension} file"));
        let _ = writeln!(text, "not read: {files}");
    }
}
