//! The sheet Registers: one row a nest whose innermost loop says what it keeps in registers.

use super::{Column, Content, Look, Table, add};
use crate::model::registers::VERDICTS;
use crate::model::{FileFigures, Model, NestModel, RegisterFigures};

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
        "Its row in Loops",
        move |(nest, _)| text(&nest.nest.head().id),
    );
    add(
        &mut columns,
        ("Loop", "Innermost loop", ""),
        Look::Text,
        "The loop whose iteration is looked at",
        move |(nest, _)| {
            nest.nest
                .loops
                .last()
                .map_or(Content::Empty, |inner| text(&inner.facts.id))
        },
    );
    add(
        &mut columns,
        SPILL_COLUMN,
        Look::Text,
        "spills: more values live than there are registers, so that some are stored to the stack and loaded again",
        |(_, registers)| Content::Choice(registers.spills, VERDICTS.map(String::from).to_vec()),
    );
    file(
        &mut columns,
        "Integer registers",
        &INTEGER,
        "Live beyond int_registers - int_reserved",
        |registers| registers.integer,
    );
    file(
        &mut columns,
        "Floating-point registers",
        &FLOATING,
        "Live beyond fp_registers",
        |registers| registers.floating,
    );
    Table {
        title: "Registers",
        remark: "An estimate of the values that one iteration of the innermost loop keeps in registers, without vectorisation and unrolling; Notes tell how.".into(),
        rows,
        columns,
    }
}

const SPILL_COLUMN: (&str, &str, &str) = (SPILLS.0, SPILLS.1, "");

/// Position among the parts, heading, meaning.
type Part = (usize, &'static str, &'static str);

const INTEGER: [Part; 5] = [
    (
        0,
        "Counters",
        "The loop variable, and its bound if that is no number",
    ),
    (1, "Scalars", "Scalars that live through the whole loop"),
    (
        2,
        "Pointers",
        "Addresses: one an array for all references a known distance apart, and strides that are no numbers",
    ),
    (
        3,
        "Invariants",
        "Array elements that stay the same in the loop",
    ),
    (
        4,
        "Temporaries",
        "The most values of one iteration that live at once: scalars between write and last read, loaded indices",
    ),
];
const FLOATING: [Part; 3] = [
    (1, "Scalars", "Scalars that live through the whole loop"),
    (
        3,
        "Invariants",
        "Array elements, literals and constants that stay the same in the loop",
    ),
    (
        4,
        "Temporaries",
        "The most values of one iteration that live at once: scalars between write and last read, operands of expressions (Sethi-Ullman number)",
    ),
];

fn file<'a>(
    columns: &mut Vec<Column<'a, Row<'a>>>,
    group: &str,
    parts: &[Part],
    spilled: &str,
    of: fn(&RegisterFigures) -> FileFigures,
) {
    for &(index, header, meaning) in parts {
        add(
            columns,
            (group, header, "registers"),
            Look::Number,
            meaning,
            move |(_, r)| Content::Figure(of(r).parts[index]),
        );
    }
    add(
        columns,
        (group, "Live", "registers"),
        Look::Number,
        "Their sum",
        move |(_, r)| Content::Figure(of(r).live),
    );
    add(
        columns,
        (group, "Spilled", "registers"),
        Look::Number,
        spilled,
        move |(_, r)| Content::Figure(of(r).spilled),
    );
}
