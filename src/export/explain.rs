//! `--explain`: every formula of one nest, first with names, then with numbers, then its value.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::analysis::facts::Loop;
use crate::expr::{CellNames, Excel, Expr, FigureId, Node};
use crate::model::{Model, NestModel, RegisterFigures};

/// The explanation of the nest that `name` means: a loop id (`smooth@12`), `function:line`,
/// `file:line`, or a function.
///
/// # Errors
/// No nest fits; the message lists those that there are.
pub fn nest(model: &Model, name: &str) -> Result<String, String> {
    let wanted = name.replace(':', "@");
    let of_function = |n: &&NestModel| model.program.functions[n.nest.function].name == wanted;
    let is_meant = |l: &Loop| l.id == wanted || format!("{}:{}", l.file, l.line) == name;
    let contains = |n: &&NestModel| n.nest.loops[n.nest.own..].iter().any(|l| is_meant(l.facts));
    let fitting: Vec<&NestModel> = match model.nests.iter().find(contains) {
        Some(nest) => vec![nest],
        None => model.nests.iter().filter(of_function).collect(),
    };
    if fitting.is_empty() {
        let ids: Vec<&str> = model.nests.iter().take(20).map(|n| n.nest.head().id.as_str()).collect();
        let more = model.nests.len().saturating_sub(ids.len());
        let more = if more > 0 { format!(" … and {more} more") } else { String::new() };
        return Err(format!("--explain {name}: no such nest; there are {}{more}", ids.join(", ")));
    }
    let texts = fitting.into_iter().map(|n| {
        let index = model.nests.iter().position(|other| std::ptr::eq(other, n));
        one(model, n, index.and_then(|index| model.registers[index].as_ref()))
    });
    Ok(texts.collect())
}

fn one(model: &Model, nest: &NestModel, registers: Option<&RegisterFigures>) -> String {
    let head = nest.nest.head();
    let mut text = format!("{} ({}:{})\n", head.id, head.file, head.line);
    for chain_loop in &nest.nest.loops {
        let l = chain_loop.facts;
        let _ = writeln!(text, "  loop {} = {} .. {} step {}", l.variable, l.lower, l.upper, l.step);
    }
    let mut needed = BTreeSet::new();
    let results = [nest.operations.flops, nest.time.intensity, nest.time.bound, nest.time.seconds];
    let sets = nest.working_sets.naive.levels.iter().copied();
    let spilled = registers.map(|found| [found.integer.spilled, found.floating.spilled]);
    for id in results.into_iter().chain(sets).chain(spilled.into_iter().flatten()) {
        require(model, id, &mut needed);
    }
    for id in needed {
        let figure = model.figures.get(id);
        let value = if figure.value.is_nan() { "unknown".to_string() } else { figure.value.to_string() };
        let _ = writeln!(text, "\n  {} [{}]", figure.label, figure.unit.symbol());
        if figure.expr.as_number().is_none() {
            let _ = writeln!(text, "    = {}", show(&figure.expr, &Labels { model }));
            let _ = writeln!(text, "    = {}", show(&figure.expr, &Numbers { model }));
        }
        let _ = writeln!(text, "    = {value} {}", figure.unit.symbol());
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
    expr.children().into_iter().for_each(|child| require_all(model, child, needed));
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
        use crate::expr::Lookup;
        self.model.figures.symbol(name).map_or_else(|| name.to_string(), |value| value.to_string())
    }

    fn range(&self, _: &[FigureId]) -> Option<String> {
        None
    }
}
