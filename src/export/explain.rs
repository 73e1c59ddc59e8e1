//! `--explain`: the source of one nest, and every formula: first with names, then with numbers, then its value. Also
//! what a reason or a kind of figure means.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use strum::VariantArray;

use crate::analysis::facts::Loop;
use crate::diagnostic::DiagnosticCode;
use crate::expr::{CellNames, Excel, Expr, FigureId, Node};
use crate::formula::{Catalogue, Entry};
use crate::metrics::camat::formulas::{LevelFigure, ProgramFigure};
use crate::metrics::formulas::EdagFigure;
use crate::model::advice::words;
use crate::model::{Advice, Model, NestModel, RegisterFigures, StaticFigure};
use crate::reason::ReasonCode;

/// Lines of the source that are shown.
const LINES: usize = 24;

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
fn codes<'a>() -> impl Iterator<Item = &'a str> {
    let reasons = ReasonCode::VARIANTS.iter().map(|code| code.as_str());
    reasons.chain(DiagnosticCode::VARIANTS.iter().map(|code| code.as_str()))
}

/// What has that name and needs no input to be explained: a reason, a diagnostic, or a kind of figure.
pub fn without_input(name: &str) -> Option<String> {
    code(name).or_else(|| figure(name))
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

/// Every kind of figure, those of the static model first.
fn figures() -> impl Iterator<Item = &'static Entry> {
    fn entries<K: Catalogue>() -> impl Iterator<Item = &'static Entry> {
        K::ALL.iter().map(|kind| kind.entry())
    }
    let of_traces = entries::<EdagFigure>().chain(entries::<ProgramFigure>());
    let of_traces = of_traces.chain(entries::<LevelFigure>());
    entries::<StaticFigure>().chain(of_traces)
}

/// What has an explanation without any input: codes of reasons, and names of kinds of figures.
pub fn known<'a>() -> impl Iterator<Item = &'a str> {
    codes().chain(figures().map(|entry| entry.name))
}

/// Names like the one that nothing has, as an end of a message.
pub fn did_you_mean<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let plain = |text: &str| text.replace(['_', '-', ' '], "").to_lowercase();
    let wanted = plain(name);
    let mut near: Vec<(f64, &str)> = known
        .map(|known| (strsim::jaro_winkler(&wanted, &plain(known)), known))
        .filter(|(likeness, _)| *likeness > 0.85)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    near.dedup();
    let names: Vec<&str> = near.into_iter().take(3).map(|(_, known)| known).collect();
    if names.is_empty() {
        return String::new();
    }
    format!(" (did you mean {}?)", names.join(" or "))
}

/// The explanation of the nest that `name` means: a loop id (`smooth@12`), `function:line`, `file:line` with as much
/// of the path as is needed, or a function; else of the reason whose code it is, or the kind of figure whose name.
/// `source` is the text of a file.
///
/// # Errors
/// Nothing fits; the message lists the nests that there are.
pub fn named(
    model: &Model,
    name: &str,
    source: &dyn Fn(&str) -> Option<String>,
) -> Result<String, String> {
    let wanted = name.replace(':', "@");
    let of_function = |n: &&NestModel| model.program.functions[n.nest.function].name == wanted;
    let place = name
        .rsplit_once(':')
        .and_then(|(file, line)| Some((Path::new(file), line.parse::<u32>().ok()?)));
    let is_there = |l: &Loop| {
        place.is_some_and(|(file, line)| line == l.line && Path::new(&*l.file).ends_with(file))
    };
    let contains = |n: &&NestModel, is_meant: &dyn Fn(&Loop) -> bool| {
        n.nest.loops[n.nest.own..].iter().any(|l| is_meant(l.facts))
    };
    let named = model
        .nests
        .iter()
        .find(|n| contains(n, &|l| l.id == wanted));
    let mut fitting: Vec<&NestModel> = named.into_iter().collect();
    if fitting.is_empty() {
        fitting.extend(model.nests.iter().filter(|n| contains(n, &is_there)));
    }
    if fitting.is_empty() {
        fitting.extend(model.nests.iter().filter(of_function));
    }
    if fitting.is_empty() {
        if let Some(text) = without_input(name) {
            return Ok(text);
        }
        let ids: Vec<&str> = model
            .nests
            .iter()
            .take(20)
            .map(|n| n.nest.head().id.as_str())
            .collect();
        let mut names: Vec<&str> = known().collect();
        names.extend(model.nests.iter().map(|n| n.nest.head().id.as_str()));
        let more = model.nests.len().saturating_sub(ids.len());
        let more = if more > 0 {
            format!(" … and {more} more")
        } else {
            String::new()
        };
        return Err(format!(
            "--explain {name}: neither a nest, nor the code of a reason, nor the name of a figure{}; there are the nests {}{more}",
            did_you_mean(name, names.into_iter()),
            ids.join(", ")
        ));
    }
    let texts = fitting.into_iter().map(|n| {
        let index = model.nests.iter().position(|other| std::ptr::eq(other, n));
        one(
            model,
            n,
            index.and_then(|index| model.registers[index].as_ref()),
            source,
        )
    });
    Ok(texts.collect())
}

fn one(
    model: &Model,
    nest: &NestModel,
    registers: Option<&RegisterFigures>,
    source: &dyn Fn(&str) -> Option<String>,
) -> String {
    let head = nest.nest.head();
    let mut text = format!("{} ({}:{})\n", head.id, head.file, head.line);
    if let Some(read) = source(&head.file) {
        let lines = (1u32..)
            .zip(read.lines())
            .filter(|(line, _)| (head.line..=head.end_line.max(head.line)).contains(line));
        for (line, code) in lines.clone().take(LINES) {
            let _ = writeln!(text, "{line:>5} | {}", code.trim_end());
        }
        if lines.count() > LINES {
            let _ = writeln!(text, "      | … to line {}", head.end_line);
        }
    }
    for chain_loop in &nest.nest.loops {
        let l = chain_loop.facts;
        let _ = writeln!(
            text,
            "  loop {} = {} .. {} step {}",
            l.variable, l.lower, l.upper, l.step
        );
    }
    let is_about = |advice: &&Advice| {
        let mut nests = advice.nests.iter().map(|at| &model.nests[*at]);
        nests.any(|other| std::ptr::eq(other, nest))
    };
    for one in model.advice.iter().filter(is_about) {
        let _ = writeln!(text, "  advice: {}", words::sentence(model, one));
    }
    let mut needed = BTreeSet::new();
    let results = [
        nest.operations.flops,
        nest.time.intensity,
        nest.time.bound,
        nest.time.seconds,
    ];
    let sets = nest.working_sets.naive.levels.iter().copied();
    let spilled = registers.map(|found| [found.integer.spilled, found.floating.spilled]);
    for id in results
        .into_iter()
        .chain(sets)
        .chain(spilled.into_iter().flatten())
    {
        require(model, id, &mut needed);
    }
    for id in needed {
        let figure = model.figures.get(id);
        let value = if figure.value.is_nan() {
            "unknown".to_string()
        } else {
            figure.value.to_string()
        };
        let unit = match figure.label.unit().symbol() {
            "" => String::new(),
            unit => format!(" [{unit}]"),
        };
        let _ = writeln!(text, "\n  {}{unit}", figure.label);
        if figure.expr.as_number().is_none() {
            let _ = writeln!(text, "    = {}", show(&figure.expr, &Labels { model }));
            let _ = writeln!(text, "    = {}", show(&figure.expr, &Numbers { model }));
        }
        let _ = writeln!(
            text,
            "    = {}",
            format!("{value} {}", figure.label.unit().symbol()).trim_end()
        );
    }
    text
}

fn require(model: &Model, id: FigureId, needed: &mut BTreeSet<FigureId>) {
    if needed.insert(id) {
        require_all(model, &model.figures.get(id).expr, needed);
    }
}

fn require_all(model: &Model, expr: &Expr, needed: &mut BTreeSet<FigureId>) {
    if let Node::Figure(id) = expr.node() {
        require(model, *id, needed);
    }
    expr.children()
        .into_iter()
        .for_each(|child| require_all(model, child, needed));
}

fn show(expr: &Expr, names: &dyn CellNames) -> String {
    Excel { expr, names }.to_string()
}

struct Labels<'a, 'p> {
    model: &'a Model<'p>,
}

impl CellNames for Labels<'_, '_> {
    fn figure(&self, id: FigureId) -> String {
        format!("«{}»", self.model.figures.get(id).label)
    }

    fn symbol(&self, name: &str) -> String {
        name.to_string()
    }

    fn range(&self, _: &[FigureId]) -> Option<String> {
        None
    }
}

struct Numbers<'a, 'p> {
    model: &'a Model<'p>,
}

impl CellNames for Numbers<'_, '_> {
    fn figure(&self, id: FigureId) -> String {
        self.model.value(id).to_string()
    }

    fn symbol(&self, name: &str) -> String {
        self.model
            .figures
            .input(name)
            .map_or_else(|| name.to_string(), |value| value.to_string())
    }

    fn range(&self, _: &[FigureId]) -> Option<String> {
        None
    }
}
