//! The sheets Calls, Functions and Call paths: how often what is called, and what that costs in all.

use super::{Column, Content, Look, Table};
use crate::expr::FigureId;
use crate::model::{CallPath, Calls, Costs, Model, StaticFigure as F};

/// The costs of a row; `None` stands for all functions together.
type CostsOf<'a> = Box<dyn Fn(Option<usize>) -> Option<Costs> + 'a>;

fn name(model: &Model, function: usize) -> Content {
    Content::Text(model.program.functions[function].name.clone())
}

/// One row a call site, by its index.
pub(crate) fn sites<'a>(model: &'a Model<'a>, calls: &'a Calls) -> Table<'a, usize> {
    let site = |index: &usize| &model.call_graph.sites[*index];
    let figures = |index: &usize| calls.sites[*index];
    let columns: Vec<Column<usize>> = vec![
        Column::new(
            ("Call", "Called function", ""),
            Look::Text,
            "What is called",
            move |i| name(model, site(i).callee),
        ),
        Column::new(
            ("Call", "In function", ""),
            Look::Text,
            "The caller",
            move |i| name(model, site(i).caller),
        ),
        Column::new(
            ("Call", "Line", ""),
            Look::Number,
            "Line of the call",
            move |i| Content::Fact(site(i).line.into()),
        ),
        Column::figures(
            ("Calls", "In one call of the caller"),
            Look::Times,
            F::CallsPerCall,
            move |i| Content::Figure(figures(i).runs),
        ),
        Column::figures(("Calls", "In all"), Look::Times, F::CallsInAll, move |i| {
            Content::Figure(figures(i).times)
        }),
        Column::figures(
            ("Cost", "Flops in one call of the caller"),
            Look::Count,
            F::CalledFlops,
            move |i| Content::Figure(figures(i).flops),
        ),
    ];
    Table {
        title: "Calls",
        remark: "One row per call of a function in these files that has loops of its own. Bodies without loops are counted where they are called.".into(),
        rows: (0..calls.sites.len()).collect(),
        columns,
    }
}

/// One row a function; the last one is all of them.
pub(crate) fn functions<'a>(model: &'a Model<'a>, calls: &'a Calls) -> Table<'a, Option<usize>> {
    let facts = |index: usize| &model.program.functions[index];
    let figures = |index: usize| &calls.functions[index];
    let mut columns: Vec<Column<Option<usize>>> = vec![
        Column::new(
            ("Function", "Name", ""),
            Look::Text,
            "Function, subroutine or program",
            move |row: &Option<usize>| {
                row.map_or(Content::Text("all functions".into()), |f| name(model, f))
            },
        ),
        Column::new(
            ("Function", "File", ""),
            Look::Text,
            "Where it is defined",
            move |row: &Option<usize>| {
                row.map_or(Content::Empty, |f| Content::Text(facts(f).file.to_string()))
            },
        ),
        Column::new(
            ("Function", "Line", ""),
            Look::Number,
            "Line of its definition",
            move |row: &Option<usize>| {
                row.map_or(Content::Empty, |f| Content::Fact(facts(f).line.into()))
            },
        ),
        Column::figures(
            ("Function", "Times called"),
            Look::Times,
            F::TimesCalled,
            move |row: &Option<usize>| {
                row.map_or(Content::Empty, |f| Content::Figure(figures(f).times))
            },
        ),
    ];
    let parts: [(&str, [F; 3], CostsOf<'a>); 3] = [
        (
            "One call",
            [F::FlopsOfCall, F::TrafficOfCall, F::TimeOfCall],
            Box::new(move |f| Some(figures(f?).own)),
        ),
        (
            "One call, with callees",
            [F::InclusiveFlops, F::InclusiveTraffic, F::InclusiveTime],
            Box::new(move |f| Some(figures(f?).inclusive)),
        ),
        (
            "All calls",
            [F::ExecutedFlops, F::ExecutedTraffic, F::ExecutedTime],
            Box::new(move |f| Some(f.map_or(calls.executed, |f| figures(f).executed))),
        ),
    ];
    for (group, kinds, costs) in parts {
        let costs = std::rc::Rc::new(costs);
        for ((header, look, cost), kind) in COSTS.into_iter().zip(kinds) {
            let costs = costs.clone();
            let cell = move |row: &Option<usize>| {
                costs(*row).map_or(Content::Empty, |c| Content::Figure(cost(&c)))
            };
            let column = Column::figures((group, header), look, kind, cell);
            columns.push(match kind {
                F::ExecutedFlops | F::ExecutedTraffic | F::ExecutedTime => {
                    column.remark("the last row is the sum")
                }
                _ => column,
            });
        }
    }
    Table {
        title: "Functions",
        remark: "How often every function is called, and the resulting figures of its nests. Change a trip count on Parameters and everything follows.".into(),
        rows: (0..calls.functions.len()).map(Some).chain([None]).collect(),
        columns,
    }
}

type CostColumn = (&'static str, Look, fn(&Costs) -> FigureId);

const COSTS: [CostColumn; 3] = [
    ("Flops", Look::Count, |c| c.flops),
    ("Memory traffic", Look::Count, |c| c.traffic),
    ("Time", Look::Seconds, |c| c.seconds),
];

/// One row a path, in program order.
pub(crate) fn paths<'a>(model: &'a Model<'a>, calls: &'a Calls) -> Table<'a, &'a CallPath> {
    let mut columns: Vec<Column<&'a CallPath>> = vec![
        Column::new(
            ("Path", "Functions", ""),
            Look::Text,
            "From where execution starts, or a function that nothing calls, to the nest's own function",
            move |path: &&CallPath| Content::Text(model.path_name(path)),
        ),
        Column::new(
            ("Path", "Nest", ""),
            Look::Text,
            "Its row on sheet Loops",
            move |path: &&CallPath| Content::Text(model.nests[path.nest].nest.head().id.clone()),
        ),
        Column::figures(
            ("Path", "Calls"),
            Look::Times,
            F::PathCalls,
            |path: &&CallPath| Content::Figure(path.times),
        ),
    ];
    let kinds = [F::PathFlops, F::PathTraffic, F::PathTime];
    for ((header, look, cost), kind) in COSTS.into_iter().zip(kinds) {
        let cell = move |path: &&CallPath| Content::Figure(cost(&path.costs));
        columns.push(Column::figures(("All calls", header), look, kind, cell));
    }
    Table {
        title: "Call paths",
        remark:
            "The costliest nests by the calls that lead to them, as ranked when this file was written; in program order."
                .into(),
        rows: calls.paths.iter().collect(),
        columns,
    }
}
