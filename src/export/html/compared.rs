//! What the source predicts beside what a run did, on the page of a study. The predicted side is formulas of the model,
//! so that it follows the inputs, and so does every ratio.

use serde_json::{Value, json};

use super::figures::Figures;
use super::tables;
use crate::compare::{Comparison, Live, NestComparison, Row};
use crate::expr::Expr;
use crate::formula::Catalogue;
use crate::listings::compared::Series;
use crate::metrics::formulas::{self, EdagFigure};
use crate::metrics::memory_chain::{ChainLine, MemoryChain};
use crate::metrics::report::TraceReport;
use crate::model::Model;
use crate::regions::SourceLine;

/// A run, and the comparison of it with the model.
#[derive(Clone, Copy)]
pub struct Study<'a> {
    pub run: &'a TraceReport,
    pub comparison: &'a Comparison,
}

/// Tables, and what the scatter chart shows.
pub(super) struct Compared {
    pub tables: Vec<Value>,
    pub scatter: Value,
}

/// One quantity of one nest, with cells as tables have them.
struct Side<'a> {
    nest: &'a NestComparison,
    row: &'a Row,
    predicted: Value,
    ratio: Value,
}

pub(super) fn build(model: &Model, study: Study, figures: &mut Figures) -> Compared {
    let Study { run, comparison } = study;
    let live = Live::of(model);
    let mut sides = Vec::new();
    let mut nests: Vec<&NestComparison> = comparison.nests.iter().collect();
    nests.sort_by_key(|nest| std::cmp::Reverse(nest.instructions));
    for nest in nests {
        sides.extend(nest.rows.iter().map(|row| side(nest, row, &live, figures)));
    }
    let mut tables = vec![
        rows(&sides, comparison),
        fits(comparison),
        joined(comparison),
        unjoined(comparison),
    ];
    tables.push(counts(run));
    tables.extend(run.memory_chain.as_ref().map(chain));
    Compared {
        tables,
        scatter: scatter(&sides),
    }
}

fn side<'a>(
    nest: &'a NestComparison,
    row: &'a Row,
    live: &Live,
    figures: &mut Figures,
) -> Side<'a> {
    let fact = |value: Option<f64>| value.map_or(Value::Null, |value| json!([value]));
    let Some(expr) = live.expression(nest, row) else {
        return Side {
            nest,
            row,
            predicted: fact(row.predicted),
            ratio: fact(row.ratio),
        };
    };
    // Nothing over nothing is no ratio.
    let ratio = row
        .traced
        .filter(|_| row.ratio.is_some())
        .map(|traced| figures.formula(Expr::from(traced).quotient(expr.clone())));
    Side {
        nest,
        row,
        predicted: json!(figures.formula(expr)),
        ratio: json!(ratio),
    }
}

fn rows(sides: &[Side], comparison: &Comparison) -> Value {
    let cells = |side: &Side| {
        let Side {
            nest,
            row,
            predicted,
            ratio,
        } = side;
        vec![
            json!(nest.id),
            json!(row.quantity.with_unit()),
            predicted.clone(),
            row.traced.map_or(Value::Null, |traced| json!([traced])),
            ratio.clone(),
            row.reason
                .as_ref()
                .map_or(Value::Null, |reason| json!(reason)),
            json!(nest.function),
            json!(nest.file),
            json!([nest.line]),
        ]
    };
    let headers = [
        ("Nest", "text"),
        ("Quantity", "text"),
        ("Predicted", "count"),
        ("Run", "count"),
        ("Run / predicted", "ratio"),
        ("Why they differ, at the inputs as recorded", "text"),
        ("Function", "text"),
        ("File", "text"),
        ("Line", "number"),
    ];
    let missing = match comparison.not_executed.as_slice() {
        [] => String::new(),
        names => format!(" Not executed: {}.", names.join(", ")),
    };
    let remark = format!(
        "The nests with the most instructions first. Of the {} instructions that {} executed, {:.2} % belong to loops of the source. The prediction follows the inputs; \
         the run stays as recorded, and the reasons for differences apply to the inputs as recorded.{missing} {}",
        comparison.instructions,
        comparison.trace,
        100.0 * comparison.joined_share,
        comparison.notes.join(" ")
    );
    let cells = sides.iter().map(cells).collect();
    let mut table = tables::plain(
        ("compared", "Predicted and run", remark.trim_end()),
        &headers,
        cells,
    );
    // How far apart, and why, before both sides.
    table["first"] = json!([0, 1, 4, 5, 2, 3]);
    table["sides"] = json!({ "predicted": 2, "run": 3, "ratio": 4 });
    table
}

fn fits(comparison: &Comparison) -> Value {
    let row = |found: &crate::compare::Suggestion| {
        let value = found.value.map_or(Value::Null, |value| json!([value]));
        vec![
            json!(found.parameter),
            value,
            json!([found.fits]),
            json!(found.seen_in.join(", ")),
        ]
    };
    let headers = [
        ("Parameter", "text"),
        ("Value here", "ratio"),
        ("Value that fits the run", "ratio"),
        ("Seen in", "text"),
    ];
    let remark = "Parameters of the report that do not fit this run.";
    let rows = comparison.parameters.iter().map(row).collect();
    tables::plain(
        ("fits", "Parameters that do not fit", remark),
        &headers,
        rows,
    )
}

fn joined(comparison: &Comparison) -> Value {
    let row = |share: &crate::compare::FunctionShare| {
        let of = if share.instructions == 0 {
            0.0
        } else {
            share.joined as f64 / share.instructions as f64
        };
        vec![
            json!(share.name),
            json!([share.instructions]),
            json!([share.joined]),
            json!([of]),
        ]
    };
    let headers = [
        ("Function", "text"),
        ("Instructions", "count"),
        ("In its loops", "count"),
        ("Share", "share"),
    ];
    let rows = comparison.functions.iter().map(row).collect();
    tables::plain(
        (
            "joined",
            "Functions of the run",
            "Functions of the source that the run executed.",
        ),
        &headers,
        rows,
    )
}

fn unjoined(comparison: &Comparison) -> Value {
    let row = |left: &crate::compare::Unjoined| {
        vec![
            json!(left.what),
            json!([left.instructions]),
            json!(left.reason),
        ]
    };
    let headers = [("What", "text"), ("Instructions", "count"), ("Why", "text")];
    let remark = "Instructions that belong to no loop of the source.";
    tables::plain(
        ("unjoined", "What was not joined", remark),
        &headers,
        comparison.unjoined.iter().map(row).collect(),
    )
}

/// The eDAG of the whole run.
fn counts(run: &TraceReport) -> Value {
    let figures = formulas::Figures::of(&run.edag, &run.inputs);
    let row = |figure: &EdagFigure| {
        let entry = figure.entry();
        let value = figures.get(*figure);
        let value = value.map_or(Value::Null, |value| json!([value]));
        vec![
            json!(entry.meaning),
            json!(entry.symbol),
            value,
            json!(entry.unit.symbol()),
        ]
    };
    let headers = [
        ("Figure", "text"),
        ("Symbol", "text"),
        ("Value", "count"),
        ("Unit", "text"),
    ];
    let rows = EdagFigure::ALL.iter().map(row).collect();
    tables::plain(
        (
            "run",
            "The run as a whole",
            "Its execution DAG, with the caches of the run.",
        ),
        &headers,
        rows,
    )
}

fn chain(chain: &MemoryChain) -> Value {
    let row = |line: &ChainLine| {
        let ChainLine {
            function,
            place,
            accesses,
            loads,
            stores,
            stack,
        } = line;
        let (file, number) = match place {
            Some(SourceLine { file, line }) => (json!(file), json!([line])),
            None => (Value::Null, Value::Null),
        };
        vec![
            json!(function),
            json!([accesses]),
            json!([loads]),
            json!([stores]),
            json!([stack]),
            file,
            number,
        ]
    };
    let headers = [
        ("Function", "text"),
        ("Accesses", "count"),
        ("Loads", "count"),
        ("Stores", "count"),
        ("On the stack", "count"),
        ("File", "text"),
        ("Line", "number"),
    ];
    let remark = format!(
        "The path with the most accesses to RAM has {} of them, one after another.",
        chain.depth
    );
    tables::plain(
        ("chain", "The deepest chain of RAM accesses", &remark),
        &headers,
        chain.lines.iter().map(row).collect(),
    )
}

/// Series by name; of each point its series, nest, quantity, and both sides.
fn scatter(sides: &[Side]) -> Value {
    let point = |side: &Side| {
        let series = Series::of(&side.row.quantity)?;
        Some(json!([
            series as usize,
            side.nest.id,
            side.row.quantity.to_string(),
            side.predicted,
            side.row.traced?
        ]))
    };
    let points: Vec<Value> = sides
        .iter()
        .filter(|side| side.row.predicted.is_some())
        .filter_map(point)
        .collect();
    json!({ "series": Series::ALL.map(Series::name), "points": points })
}
