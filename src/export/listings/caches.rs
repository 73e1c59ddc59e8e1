//! The sheets Caches, one row a nest and cache level, and Layer conditions, one row a reuse: what lies
//! in between, and what moves again through every cache that does not hold it.

use super::{Column, Content, Look, Table};
use crate::model::{CacheFigures, Model, NestModel, ReuseFigures, StaticFigure as F};

/// A nest with one of its cache levels.
pub(crate) type CacheRow<'a> = (&'a NestModel<'a>, &'a CacheFigures);
/// A nest with one of its reuses.
pub(crate) type ReuseRow<'a> = (&'a NestModel<'a>, &'a ReuseFigures);

type Meaning<'m> = (&'m str, &'m str, &'static str, &'m str);

fn column<'a, R>(
    (group, header, unit, meaning): Meaning,
    look: Look,
    cell: impl Fn(&R) -> Content + 'a,
) -> Column<'a, R> {
    Column::new((group, header, unit), look, meaning, cell)
}

fn text(text: &str) -> Content {
    Content::Text(text.to_string())
}

/// Loop, function and line.
fn identity<'a, R: 'a>(model: &'a Model<'a>, nest: fn(&R) -> &NestModel<'a>) -> Vec<Column<'a, R>> {
    let group = "Nest";
    vec![
        column(
            (group, "Loop", "", "The nest: its row on sheet Loops"),
            Look::Text,
            move |row| text(&nest(row).nest.head().id),
        ),
        column(
            (group, "Function", "", "Function, subroutine or program"),
            Look::Text,
            move |row| text(&model.program.functions[nest(row).nest.function].name),
        ),
        column(
            (group, "Line", "", "Line of the outermost loop of the nest"),
            Look::Number,
            move |row| Content::Fact(f64::from(nest(row).nest.head().line)),
        ),
    ]
}

/// The sheet Caches.
pub(crate) fn table<'a>(model: &'a Model<'a>) -> Table<'a, CacheRow<'a>> {
    let mut columns: Vec<Column<CacheRow>> = identity(model, |row| row.0);
    let group = "Cache";
    columns.push(column(
        (group, "Level", "", "The cache"),
        Look::Text,
        |(_, cache): &CacheRow| text(&cache.name),
    ));
    columns.push(Column::figures(
        (group, "Capacity"),
        Look::Count,
        F::Capacity,
        |(_, c): &CacheRow| Content::Figure(c.capacity),
    ));
    columns.push(Column::figures(
        (group, "What stays"),
        Look::Text,
        F::WhatStays,
        |(nest, cache): &CacheRow| match cache.condition {
            Some(id) => Content::Choice(id, nest.levels.conditions.clone()),
            None => text(&cache.condition_text),
        },
    ));
    let group = "Moved over the whole execution";
    columns.push(Column::figures(
        (group, "Fetched"),
        Look::Count,
        F::Fetched,
        |(_, c): &CacheRow| Content::Figure(c.fetched),
    ));
    columns.push(Column::figures(
        (group, "Written back"),
        Look::Count,
        F::WrittenBack,
        |(_, c): &CacheRow| Content::Figure(c.written_back),
    ));
    columns.push(Column::figures(
        (group, "Found there"),
        Look::Count,
        F::LeftByNests,
        |(_, cache): &CacheRow| {
            cache
                .left
                .map_or(Content::Empty, |(found, _)| Content::Figure(found))
        },
    ));
    columns.push(Column::figures(
        (group, "Still dirty"),
        Look::Count,
        F::LeftDirtyByNests,
        |(_, cache): &CacheRow| {
            cache
                .left
                .map_or(Content::Empty, |(_, dirty)| Content::Figure(dirty))
        },
    ));
    columns.push(Column::figures(
        (group, "Together"),
        Look::Count,
        F::CacheTraffic,
        |(_, c): &CacheRow| Content::Figure(c.bytes),
    ));
    let meaning = "Bytes moved by a run with the machine's associativity and the sizes when this was written, where strides show \
                   that lines fall into few sets: it does not follow edits";
    columns.push(column(
        (group, "With its associativity", "B", meaning),
        Look::Count,
        |(nest, cache): &CacheRow| {
            let is_same = |known: &CacheFigures| std::ptr::eq(known, *cache);
            let level = nest.levels.caches.iter().position(is_same);
            let mut conflicts = nest.conflicts.iter();
            let conflict = conflicts.find(|conflict| Some(conflict.level) == level);
            conflict.map_or(Content::Empty, |c| Content::Fact(c.set_associative_bytes))
        },
    ));
    columns.push(Column::figures(
        (group, "Time"),
        Look::Seconds,
        F::TimeBehindCache,
        |(_, cache): &CacheRow| cache.seconds.map_or(Content::Empty, Content::Figure),
    ));
    Table {
        title: "Caches",
        remark: "One row per loop nest and cache: what moves between the cache and what is behind it. \
                 Fully associative, LRU, write-allocate and write-back. Nests in one loop share the caches; \
                 otherwise each begins with cold caches, unless reuse_between_nests is 1."
            .into(),
        rows: model.nests.iter().flat_map(|nest| nest.levels.caches.iter().map(move |cache| (nest, cache))).collect(),
        columns,
    }
}

/// The sheet Layer conditions.
pub(crate) fn conditions<'a>(model: &'a Model<'a>) -> Table<'a, ReuseRow<'a>> {
    let mut columns: Vec<Column<ReuseRow>> = identity(model, |row| row.0);
    add_reuse(&mut columns);
    add_condition(&mut columns);
    add_levels(model, &mut columns);
    add_largest_sizes(model, &mut columns);
    Table {
        title: "Layer conditions",
        remark: "One row per reuse distance of a loop that carries reuse: if the working set in between fits, the lines are \
                 reused, else they move again. Sheet Caches adds these up."
            .into(),
        rows: model.nests.iter().flat_map(|nest| nest.levels.reuses.iter().map(move |reuse| (nest, reuse))).collect(),
        columns,
    }
}

fn add_reuse(columns: &mut Vec<Column<'_, ReuseRow<'_>>>) {
    let group = "Reuse";
    let meaning = "The loop that returns to the same lines; where inner loops depend on outer ones, the outer ones are \
                   evaluated at the midpoints of several parts of their ranges";
    columns.push(column(
        (group, "Carried by", "", meaning),
        Look::Text,
        |(_, reuse): &ReuseRow| text(&reuse.carrier),
    ));
    let meaning = "Arrays with references in that loop";
    columns.push(column(
        (group, "Arrays", "", meaning),
        Look::Text,
        |(_, reuse): &ReuseRow| text(&reuse.arrays.join(", ")),
    ));
    let meaning = "What the nest does before it returns";
    columns.push(column(
        (group, "In between", "", meaning),
        Look::Text,
        |(_, reuse): &ReuseRow| text(&reuse.between),
    ));
}

fn add_condition(columns: &mut Vec<Column<'_, ReuseRow<'_>>>) {
    let group = "Condition";
    let working_set = Column::figures(
        (group, "Working set"),
        Look::Count,
        F::ReuseWithin,
        |(_, r): &ReuseRow| Content::Figure(r.distance),
    );
    columns.push(working_set.remark("including what other nests in the loop touch"));
    let meaning = "Inner loops with whose iterations the working set grows";
    columns.push(column(
        (group, "Loops inside", "", meaning),
        Look::Text,
        |(_, reuse): &ReuseRow| {
            reuse
                .inside
                .as_ref()
                .map_or(Content::Empty, |(_, names)| text(names))
        },
    ));
    columns.push(Column::figures(
        (group, "Iterations inside"),
        Look::Count,
        F::IterationsInside,
        |(_, reuse): &ReuseRow| {
            reuse
                .inside
                .as_ref()
                .map_or(Content::Empty, |(id, _)| Content::Figure(*id))
        },
    ));
    let group = "Moved again if it does not fit";
    columns.push(Column::figures(
        (group, "Fetched"),
        Look::Count,
        F::ReuseFetched,
        |(_, r): &ReuseRow| Content::Figure(r.fetched),
    ));
    columns.push(Column::figures(
        (group, "Written back"),
        Look::Count,
        F::ReuseWrittenBack,
        |(_, r): &ReuseRow| Content::Figure(r.written_back),
    ));
}

fn add_levels(model: &Model, columns: &mut Vec<Column<'_, ReuseRow<'_>>>) {
    for (position, cache) in model.levels().iter().enumerate() {
        let group = format!("At {}", cache.name);
        columns.push(Column::figures(
            (&group, "Fetched"),
            Look::Count,
            F::FetchedAgain,
            move |(_, reuse): &ReuseRow| Content::Figure(reuse.caches[position].0),
        ));
        columns.push(Column::figures(
            (&group, "Written back"),
            Look::Count,
            F::WrittenBackAgain,
            move |(_, reuse): &ReuseRow| Content::Figure(reuse.caches[position].1),
        ));
        columns.push(Column::figures(
            (&group, "Fits up to"),
            Look::Count,
            F::IterationsThatFit,
            move |(_, reuse): &ReuseRow| {
                reuse.caches[position]
                    .2
                    .map_or(Content::Empty, Content::Figure)
            },
        ));
    }
}

/// The parameters with which a working set just fits.
fn add_largest_sizes(model: &Model, columns: &mut Vec<Column<'_, ReuseRow<'_>>>) {
    let group = "Largest sizes";
    let most = model
        .nests
        .iter()
        .flat_map(|nest| &nest.levels.reuses)
        .map(|reuse| reuse.sizes.len())
        .max()
        .unwrap_or(0);
    for place in 0..most {
        let meaning = "A parameter that sets the length of the inner loops";
        columns.push(column(
            (group, "Size", "", meaning),
            Look::Text,
            move |(_, reuse): &ReuseRow| {
                reuse
                    .sizes
                    .get(place)
                    .map_or(Content::Empty, |(name, _)| text(name))
            },
        ));
        for (position, cache) in model.levels().iter().enumerate() {
            let header = format!("In {} up to", cache.name);
            columns.push(Column::figures(
                (group, &header),
                Look::Count,
                F::LargestSize,
                move |(_, reuse): &ReuseRow| {
                    let size = reuse.sizes.get(place);
                    size.map_or(Content::Empty, |(_, largest)| {
                        Content::Figure(largest[position])
                    })
                },
            ));
        }
    }
}
