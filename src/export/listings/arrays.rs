//! The sheet Arrays: one row a stream of a nest, the streams of one nest below each other.

use super::loops::{KEPT, capital};
use super::{Column, Content, Look, Table, add, add_figures};
use crate::analysis::facts::Stream;
use crate::expr::FigureId;
use crate::model::{Model, NestModel, StaticFigure as F, StreamFigures, group_name, scenario_name};

/// A nest with one of its streams.
pub(crate) type Row<'a> = (&'a NestModel<'a>, &'a StreamFigures);
type Columns<'a> = Vec<Column<'a, Row<'a>>>;

/// The whole table.
pub(crate) fn table<'a>(model: &'a Model<'a>) -> Table<'a, Row<'a>> {
    let mut columns = Columns::new();
    identity(model, &mut columns);
    shape(model, &mut columns);
    groups(model, &mut columns);
    bytes(model, &mut columns);
    Table {
        title: "Arrays",
        remark: "One row per array, or component of one, of a loop nest. Dimensions are in storage order, the contiguous one first."
            .into(),
        rows: model.nests.iter().flat_map(|nest| nest.streams.iter().map(move |stream| (nest, stream))).collect(),
        columns,
    }
}

fn facts<'a>((nest, figures): &Row<'a>) -> &'a Stream {
    &nest.nest.streams[figures.index].stream
}

fn at(figures: &[FigureId], level: usize) -> Content {
    figures
        .get(level)
        .map_or(Content::Empty, |id| Content::Figure(*id))
}

fn identity<'a>(model: &'a Model<'a>, columns: &mut Columns<'a>) {
    let text = |text: &str| Content::Text(text.to_string());
    let group = "Array";
    add(
        columns,
        (group, "Loop", ""),
        Look::Text,
        "The nest: its row on sheet Loops",
        move |(nest, _)| text(&nest.nest.head().id),
    );
    add(
        columns,
        (group, "Function", ""),
        Look::Text,
        "Function, subroutine or program",
        move |(nest, _)| text(&model.program.functions[nest.nest.function].name),
    );
    add(
        columns,
        (group, "Line", ""),
        Look::Number,
        "Line of the outermost loop of the nest",
        |(nest, _)| Content::Fact(f64::from(nest.nest.head().line)),
    );
    add(
        columns,
        (group, "Array", ""),
        Look::Text,
        "Name in the source",
        move |row| text(facts(row).array.as_str()),
    );
    let meaning = "Subscripts of the component dimensions, if the array has any";
    add(
        columns,
        (group, "Component", ""),
        Look::Text,
        meaning,
        move |row| text(&facts(row).component.to_string()),
    );
    add(
        columns,
        (group, "Type", ""),
        Look::Text,
        "Element type; unknown types count as 8 bytes",
        move |row| text(&facts(row).ty.to_string()),
    );
    let meaning = "readonly, writeonly, readwrite (read before it is written), writeread (written, then read)";
    add(
        columns,
        (group, "Access", ""),
        Look::Text,
        meaning,
        move |row| text(facts(row).class.as_str()),
    );
}

fn shape<'a>(model: &'a Model<'a>, columns: &mut Columns<'a>) {
    let meaning = "cell; star: neighbours along one dimension at a time; edges: along two; box; gather: indirect";
    add(
        columns,
        ("Shape", "Shape", ""),
        Look::Text,
        meaning,
        |(_, figures)| Content::Text(figures.shape.name().to_string()),
    );
    let streams = || model.nests.iter().flat_map(|nest| &nest.streams);
    let rank = streams()
        .map(|figures| figures.shape.rank)
        .max()
        .unwrap_or(0);
    for dimension in 0..rank {
        let ghost = move |(_, figures): &Row<'a>, high: usize| {
            let ghosts = figures.shape.ghosts();
            let ghost = ghosts.get(dimension).map(|(low, high)| [*low, *high]);
            ghost.map_or(Content::Empty, |range| Content::Fact(range[high] as f64))
        };
        let meaning = format!(
            "Lowest offset along dimension {} in storage order",
            dimension + 1
        );
        let header = format!("Dim {} low", dimension + 1);
        add(
            columns,
            ("Offsets (ghost cells)", &header, ""),
            Look::Number,
            &meaning,
            move |row| ghost(row, 0),
        );
        let meaning = format!(
            "Highest offset along dimension {} in storage order",
            dimension + 1
        );
        let header = format!("Dim {} high", dimension + 1);
        add(
            columns,
            ("Offsets (ghost cells)", &header, ""),
            Look::Number,
            &meaning,
            move |row| ghost(row, 1),
        );
    }
    add_figures(
        columns,
        ("Element", "Size"),
        Look::Number,
        F::ElementSize,
        |(_, f)| Content::Figure(f.width),
    );
    add_figures(
        columns,
        ("Element", "Cost"),
        Look::Number,
        F::CostPerByte,
        |(_, f)| Content::Figure(f.cost),
    );
}

fn groups<'a>(model: &'a Model<'a>, columns: &mut Columns<'a>) {
    for level in 0..model.dimensions {
        let header = capital(&group_name(level));
        let group = "Cells, pencils, planes";
        add_figures(
            columns,
            (group, &header),
            Look::Number,
            F::ArrayGroups,
            move |(_, f)| at(&f.groups, level),
        );
    }
    for level in 0..model.dimensions {
        let header = capital(&group_name(level));
        add_figures(
            columns,
            (KEPT, &header),
            Look::Number,
            F::LiveArrayGroups,
            move |(_, f)| at(&f.live, level),
        );
    }
    let swept = model
        .nests
        .iter()
        .map(|nest| nest.loops.len())
        .max()
        .unwrap_or(0);
    for level in 0..=swept {
        let header = match level {
            0 => "One iteration".to_string(),
            1 => "1 loop".to_string(),
            _ => format!("{level} loops"),
        };
        let group = "Distinct elements of a block";
        add_figures(
            columns,
            (group, &header),
            Look::Count,
            F::DistinctElements,
            move |(_, f)| at(&f.elements, level),
        );
    }
}

fn bytes<'a>(model: &'a Model<'a>, columns: &mut Columns<'a>) {
    for level in (0..model.dimensions).rev() {
        let header = capital(&group_name(level));
        add_figures(
            columns,
            ("Working set", &header),
            Look::Count,
            F::ArrayWorkingSet,
            move |(_, f)| at(&f.working_set, level),
        );
    }
    add_figures(
        columns,
        ("Footprint", "Footprint"),
        Look::Count,
        F::ArrayFootprint,
        |(_, f)| Content::Figure(f.footprint),
    );
    let group = "Memory traffic by scenarios over the whole execution, by what is reused";
    add_figures(
        columns,
        (group, "Between blocks"),
        Look::Count,
        F::CompulsoryArrayTraffic,
        |(_, f)| Content::Figure(f.compulsory),
    );
    let deepest = model
        .nests
        .iter()
        .map(|nest| nest.loops.len())
        .max()
        .unwrap_or(0);
    for level in (0..=deepest).rev() {
        let header = capital(&scenario_name(level));
        add_figures(
            columns,
            (group, &header),
            Look::Count,
            F::ArrayTraffic,
            move |(_, f)| at(&f.traffic, level),
        );
    }
}
