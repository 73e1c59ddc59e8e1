//! Every formula of one nest: first with names, then with numbers, then its value.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::Sources;
use crate::expr::{CellNames, Excel, Expr, FigureId, Node};
use crate::model::advice::words;
use crate::model::{Advice, Model};

/// Lines of the source that are shown.
const LINES: usize = 24;

/// The whole derivation of the nest at a position.
pub(super) fn text(model: &Model, index: usize, source: Sources) -> String {
    let nest = &model.nests[index];
    let registers = model.registers[index].as_ref();
    let head = nest.nest.head();
    let mut text = format!("{} ({}:{})\n", head.id, head.file, head.line);
    super::write_source(&mut text, head, LINES, source);
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
    let bound = nest.time.bound_name(model.value(nest.time.bound));
    let bound = bound.map(|name| format!(" ({name})"));
    for id in needed {
        let figure = model.figures.get(id);
        let value = number(figure.value);
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
            "    = {}{}",
            format!("{value} {}", figure.label.unit().symbol()).trim_end(),
            bound
                .as_deref()
                .filter(|_| id == nest.time.bound)
                .unwrap_or_default()
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

/// So many digits of a number that is not whole.
const DIGITS: i32 = 6;

/// A whole number as it is, another with so many digits as mean something; what is divided by nothing has no end.
fn number(value: f64) -> String {
    match value {
        _ if value.is_nan() => "unknown".to_string(),
        f64::INFINITY => "∞".to_string(),
        f64::NEG_INFINITY => "−∞".to_string(),
        whole if whole.fract() == 0.0 => whole.to_string(),
        known => {
            let before = known.abs().log10().floor() as i32;
            let behind = (DIGITS - 1 - before).clamp(1, 300) as usize;
            let rounded: f64 = format!("{known:.behind$}").parse().unwrap_or(known);
            rounded.to_string()
        }
    }
}

struct Numbers<'a, 'p> {
    model: &'a Model<'p>,
}

impl CellNames for Numbers<'_, '_> {
    fn figure(&self, id: FigureId) -> String {
        number(self.model.value(id))
    }

    fn symbol(&self, name: &str) -> String {
        self.model
            .figures
            .input(name)
            .map_or_else(|| name.to_string(), number)
    }

    fn range(&self, _: &[FigureId]) -> Option<String> {
        None
    }
}
