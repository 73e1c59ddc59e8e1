//! The sheet Registers: one row a nest whose innermost loop says what it keeps in registers.

use super::{Column, Content, Look, Table, add, add_figures};
use crate::model::registers::VERDICTS;
use crate::model::{FileFigures, Model, NestModel, RegisterFigures, StaticFigure as F};

/// A nest and its registers.
pub(crate) type Row<'a> = (&'a NestModel<'a>, &'a RegisterFigures);

pub(crate) const SPILLS: (&str, &str) = ("Verdict", "Registers");

/// One row a nest, in the order of Loops.
pub(crate) fn table<'a>(model: &'a Model<'a>) -> Table<'a, Row<'a>> {
    let rows = model.nests.iter().zip(&model.registers);
    let rows: Vec<Row> = rows
        .filter_map(|(nest, registers)| Some((nest, registers.as_ref()?)))
        .collect();
    let mut columns: Vec<Column<Row>> = Vec::new();
    let text = |text: &str| Content::Text(text.to_string());
    add(
        &mut columns,
        ("Loop", "Nest", ""),
        Look::Text,
        "Its row on sheet Loops",
        move |(nest, _)| text(&nest.nest.head().id),
    );
    add(
        &mut columns,
        ("Loop", "Innermost loop", ""),
        Look::Text,
        "The loop whose iteration is considered",
        move |(nest, _)| {
            nest.nest
                .loops
                .last()
                .map_or(Content::Empty, |inner| text(&inner.facts.id))
        },
    );
    add_figures(
        &mut columns,
        SPILLS,
        Look::Text,
        F::Spills,
        |(_, registers)| Content::Choice(registers.spills, VERDICTS.map(String::from).to_vec()),
    );
    file(&mut columns, "Integer registers", &INTEGER, |registers| {
        registers.integer
    });
    file(
        &mut columns,
        "Floating-point registers",
        &FLOATING,
        |registers| registers.floating,
    );
    Table {
        title: "Registers",
        remark: "An estimate of the values that one iteration of the innermost loop keeps in registers, without \
                 vectorisation and unrolling; Notes explains how.".into(),
        rows,
        columns,
    }
}

/// Position among the parts, heading, kind.
type Part = (usize, &'static str, F);

const INTEGER: [Part; 5] = [
    (0, "Counters", F::Counters),
    (1, "Scalars", F::Scalars),
    (2, "Pointers", F::Pointers),
    (3, "Invariants", F::Invariants),
    (4, "Temporaries", F::Temporaries),
];
const FLOATING: [Part; 3] = [
    (1, "Scalars", F::Scalars),
    (3, "Invariants", F::Invariants),
    (4, "Temporaries", F::Temporaries),
];

fn file<'a>(
    columns: &mut Vec<Column<'a, Row<'a>>>,
    group: &str,
    parts: &[Part],
    of: fn(&RegisterFigures) -> FileFigures,
) {
    for &(index, header, kind) in parts {
        add_figures(
            columns,
            (group, header),
            Look::Number,
            kind,
            move |(_, r)| Content::Figure(of(r).parts[index]),
        );
    }
    add_figures(
        columns,
        (group, "Live"),
        Look::Number,
        F::LiveRegisters,
        move |(_, r)| Content::Figure(of(r).live),
    );
    add_figures(
        columns,
        (group, "Spilled"),
        Look::Number,
        F::SpilledRegisters,
        move |(_, r)| Content::Figure(of(r).spilled),
    );
}
