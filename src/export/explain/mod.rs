//! `--explain`: one nest on a screen, or with every formula; what nests there are; what a reason or a kind of figure
//! means.

pub(crate) mod conditions;
mod derivation;
mod list;
mod screen;
pub(crate) mod why;

use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

use strum::VariantArray;

use crate::analysis::facts::Loop;
use crate::diagnostic::DiagnosticCode;
use crate::formula::{Catalogue, Entry};
use crate::machine::parameters::{self, Fallback, ParameterKind};
use crate::metrics::camat::formulas::{LevelFigure, ProgramFigure};
use crate::metrics::formulas::EdagFigure;
use crate::model::{Model, NestModel, StaticFigure};
use crate::reason::ReasonCode;

pub use list::list;

/// The text of a source file by its path, if it can be read.
pub type Sources<'s> = &'s dyn Fn(&str) -> Option<String>;

/// How much is said of a nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// What it costs and why, on a screen of 40 lines.
    Screen,
    /// Every formula that leads to its time.
    Derivation,
}

/// What the code of a reason or of a diagnostic means, what a reason does to its loop, and what to do about it.
fn code(name: &str) -> Option<String> {
    if let Ok(code) = name.parse::<ReasonCode>() {
        let (meaning, effect, help) = (code.meaning(), code.effect().meaning(), code.help());
        return Some(format!(
            "{code}\n  meaning:    {meaning}\n  effect:     {effect}\n  what to do: {help}\n"
        ));
    }
    let code = name.parse::<DiagnosticCode>().ok()?;
    let (meaning, advice) = (code.meaning(), code.advice());
    Some(format!(
        "{code}\n  meaning:    {meaning}\n  what to do: {advice}\n"
    ))
}

/// All codes that can be explained.
fn codes() -> impl Iterator<Item = &'static str> {
    let reasons = ReasonCode::VARIANTS.iter().map(|code| code.as_str());
    let diagnostics = DiagnosticCode::VARIANTS.iter().map(|code| code.as_str());
    reasons
        .chain(diagnostics)
        .chain(MARKS.map(|[name, ..]| name))
}

/// Marks of loops and nests that are no reasons: name, meaning, what to do.
const MARKS: [[&str; 3]; 2] = [
    [
        "exits_early",
        "The loop may be left before its bounds say so (break, exit, return, a jump): its iterations, and all figures that follow \
         from them, are upper bounds.",
        "Take the iterations from a run with --counts or --parameters-from-trace, or set the size that bounds the loop with --set.",
    ],
    [
        "serial",
        "The nest is outside any parallel region, although the program has some: its time is that of one core.",
        "Nothing, if it does run on one core; otherwise put the nest into a parallel region, or analyse the procedure with its callers.",
    ],
];

/// What a mark of reports means.
fn mark(name: &str) -> Option<String> {
    let [name, meaning, advice] = MARKS.into_iter().find(|[known, ..]| *known == name)?;
    Some(format!(
        "{name}\n  meaning:    {meaning}\n  what to do: {advice}\n"
    ))
}

/// What has that name and needs no input to be explained: a reason, a diagnostic, a mark, or a kind of figure.
pub fn without_input(name: &str) -> Option<String> {
    code(name)
        .or_else(|| mark(name))
        .or_else(|| figure(name))
        .or_else(|| machine_parameter(name))
}

/// What a kind of figure means, in which unit it is, and where its formula comes from. Names are those of the
/// catalogues; words may have spaces between them, as formulas have.
pub fn figure(name: &str) -> Option<String> {
    let name = name.trim().replace(' ', "_");
    let entries = figures().filter(|entry| entry.name == name);
    let text: String = entries.map(entry).collect();
    Some(text).filter(|text| !text.is_empty())
}

fn entry(entry: &Entry) -> String {
    let unit = match entry.unit.symbol() {
        "" => "none",
        symbol => symbol,
    };
    let Entry {
        name,
        meaning,
        source,
        ..
    } = entry;
    format!("{name}\n  unit:    {unit}\n  meaning: {meaning}\n  source:  {source}\n")
}

/// What a parameter of machines means, which values it has, and how it is set.
pub fn machine_parameter(name: &str) -> Option<String> {
    let name = name.trim();
    let (_, _, row) = parameters::all_parameters().find(|(known, ..)| known == name)?;
    let unit = match row.unit {
        "" => "none",
        unit => unit,
    };
    let (low, high) = row.range;
    let values = match row.kind {
        ParameterKind::Switch => "0 or 1".to_string(),
        ParameterKind::Real => format!("{low} to {high}"),
        ParameterKind::Integer => format!("{low} to {high}, a whole number"),
        ParameterKind::Size => format!("{low} to {high}, also as 48 KiB"),
    };
    let otherwise = match row.fallback {
        Fallback::Required => "none: a machine file must say it".to_string(),
        Fallback::Unknown => "unknown".to_string(),
        Fallback::Value(value) => value.to_string(),
        Fallback::ShareOfLastLevel => "one core's share of the last cache level".to_string(),
    };
    Some(format!(
        "{name} ({})\n  unit:    {unit}\n  meaning: {}\n  values:  {values}\n  default: {otherwise}\n  \
         set by:  --set {name}=VALUE, or a machine file\n",
        row.label, row.description
    ))
}

/// Every kind of figure, those of the static model first.
fn figures() -> impl Iterator<Item = &'static Entry> {
    fn entries<K: Catalogue>() -> impl Iterator<Item = &'static Entry> {
        K::ALL.iter().map(|kind| kind.entry())
    }
    let of_traces = entries::<EdagFigure>().chain(entries::<ProgramFigure>());
    let of_traces = of_traces.chain(entries::<LevelFigure>());
    entries::<StaticFigure>().chain(of_traces)
}

/// What has an explanation without any input: codes of reasons, names of kinds of figures and of parameters of machines.
pub fn known<'a>() -> impl Iterator<Item = Cow<'a, str>> {
    let of_machines = parameters::all_parameters();
    codes()
        .chain(figures().map(|entry| entry.name))
        .map(|name| -> Cow<'a, str> { Cow::Borrowed(name) })
        .chain(of_machines.map(|(name, ..)| Cow::Owned(name)))
}

/// Names like the one that nothing has, as an end of a message.
pub fn did_you_mean(
    name: &str,
    known: impl Iterator<Item = impl AsRef<str> + PartialEq>,
) -> String {
    let plain = |text: &str| text.replace(['_', '-', ' '], "").to_lowercase();
    let wanted = plain(name);
    let mut near: Vec<(f64, _)> = known
        .map(|known| (strsim::jaro_winkler(&wanted, &plain(known.as_ref())), known))
        .filter(|(likeness, _)| *likeness > 0.85)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    near.dedup();
    let nearest = near.iter().take(3);
    let names: Vec<&str> = nearest.map(|(_, known)| known.as_ref()).collect();
    if names.is_empty() {
        return String::new();
    }
    format!(" (did you mean {}?)", names.join(" or "))
}

/// What `--explain` means.
pub enum Meant {
    /// A nest, by its position.
    Nest(usize),
    /// Something that needs no nest, already explained.
    Text(String),
}

/// What a name means: a nest (as [`nest_named`] finds them), else a reason by its code, or a kind of figure by its name.
///
/// # Errors
/// Nothing fits, or several nests do; the message lists the nests that there are.
pub fn meant(model: &Model, name: &str) -> Result<Meant, String> {
    match fitting(model, name).as_slice() {
        [nest] => Ok(Meant::Nest(*nest)),
        [] => match without_input(name) {
            Some(text) => Ok(Meant::Text(text)),
            None => Err(unknown(model, name)),
        },
        several => Err(ambiguous(model, ("--explain", name), several)),
    }
}

/// The nest that a name means: by a loop id (`smooth@12`), `function:line`, `file:line` with as much of the path as is
/// needed, or its function, if that has no other. The name is the value of `option`.
///
/// # Errors
/// No nest is called so, or several are; the message lists the nests that there are.
pub fn nest_named(model: &Model, (option, name): (&str, &str)) -> Result<usize, String> {
    match fitting(model, name).as_slice() {
        [nest] => Ok(*nest),
        [] => {
            let near = did_you_mean(name, nest_names(model));
            let there = there(model);
            Err(format!(
                "{option} {name}: no nest has this name{near}; {there}"
            ))
        }
        several => Err(ambiguous(model, (option, name), several)),
    }
}

/// The nests that a name fits best.
fn fitting(model: &Model, name: &str) -> Vec<usize> {
    let wanted = name.replace(':', "@");
    let of_function = |n: &NestModel| model.program.functions[n.nest.function].name == wanted;
    let place = name
        .rsplit_once(':')
        .and_then(|(file, line)| Some((Path::new(file), line.parse::<u32>().ok()?)));
    let is_there = |l: &Loop| {
        place.is_some_and(|(file, line)| line == l.line && Path::new(&*l.file).ends_with(file))
    };
    let contains = |n: &NestModel, is_meant: &dyn Fn(&Loop) -> bool| {
        n.nest.loops[n.nest.own..].iter().any(|l| is_meant(l.facts))
    };
    let fitting = |fits: &dyn Fn(&NestModel) -> bool| -> Vec<usize> {
        let all = 0..model.nests.len();
        all.filter(|index| fits(&model.nests[*index])).collect()
    };
    let found = [
        fitting(&|n| n.nest.head().id == wanted),
        fitting(&|n| contains(n, &|l| l.id == wanted)),
        fitting(&|n| is_there(n.nest.head())),
        fitting(&|n| contains(n, &is_there)),
        fitting(&of_function),
    ];
    let best = found.into_iter().find(|nests| !nests.is_empty());
    best.unwrap_or_default()
}

fn ambiguous(model: &Model, (option, name): (&str, &str), several: &[usize]) -> String {
    format!(
        "{option} {name}: {} nests have this name; name one of these: {}",
        several.len(),
        some(model, several)
    )
}

/// Nests that a message names.
const NAMED: usize = 20;

/// The first of these nests with their places, and how many more there are.
fn some(model: &Model, nests: &[usize]) -> String {
    let name = |index: &usize| {
        let head = model.nests[*index].nest.head();
        format!("{} ({}:{})", head.id, head.file, head.line)
    };
    let names: Vec<String> = nests.iter().take(NAMED).map(name).collect();
    let more = match nests.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" … and {more} more"),
    };
    names.join(", ") + &more
}

/// Ids of nests and names of their functions.
fn nest_names<'m>(model: &'m Model) -> impl Iterator<Item = &'m str> {
    let heads = model.nests.iter().map(|n| n.nest.head().id.as_str());
    let functions = model.nests.iter().map(|n| n.nest.function);
    heads.chain(functions.map(|function| model.program.functions[function].name.as_str()))
}

/// The nests that there are.
fn there(model: &Model) -> String {
    match model.nests.is_empty() {
        true => "there are no nests".to_string(),
        false => {
            let order = model.ranking.order(&model.nests, &model.figures);
            format!("the nests, costliest first: {}", some(model, &order))
        }
    }
}

fn unknown(model: &Model, name: &str) -> String {
    let near = did_you_mean(name, known().chain(nest_names(model).map(Cow::from)));
    let there = there(model);
    format!(
        "--explain {name}: neither a nest, nor the code of a reason, nor the name of a figure or of a parameter of machines{near}; {there}"
    )
}

/// What is to be said of the nest at a position. The model has formulas.
pub fn nest(model: &Model, index: usize, depth: Depth, source: Sources) -> String {
    match depth {
        Depth::Screen => screen::text(model, index, source),
        Depth::Derivation => derivation::text(model, index, source),
    }
}

/// The lines of a nest, at most so many.
fn write_source(text: &mut String, head: &Loop, most: usize, source: Sources) {
    let Some(read) = source(&head.file) else {
        return;
    };
    let lines = (1u32..)
        .zip(read.lines())
        .filter(|(line, _)| (head.line..=head.end_line.max(head.line)).contains(line));
    for (line, code) in lines.clone().take(most) {
        let _ = writeln!(text, "{line:>5} | {}", code.trim_end());
    }
    if lines.count() > most {
        let _ = writeln!(text, "      | … to line {}", head.end_line);
    }
}
