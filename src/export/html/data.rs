//! Everything that the page's scripts show, as one JSON value.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::figures::Figures;
use super::tables::{Choices, Shown, look};
use super::{Sources, Study, compared, inputs, maps, nests, remarks, tables};
use crate::listings::{self, Column, Content, Listings, Look, Table, loops, notes};
use crate::measured;
use crate::model::{Model, NestModel, RunsOn, bandwidth, roofline};

/// Columns of nests that are seen at first, in this order, with what they are called without a group above them.
const NESTS: &[((&str, &str), &str)] = &[
    (loops::ID, "nest"),
    (loops::SHARE, "share"),
    (loops::ALL_CALLS, "all calls"),
    (loops::SECONDS, "time"),
    (loops::LOW, "low"),
    (loops::HIGH, "high"),
    (loops::BOUND, "bound by"),
    (loops::CALLS, "calls"),
    (loops::DRAM_BYTES, "DRAM bytes"),
    (loops::INTENSITY, "flop/B"),
    (loops::MEASURED, "measured"),
    (loops::MEASURED_RATIO, "measured / time"),
];
/// What all nests have beside these: names, by which they are found.
const NAMES: &Shown = &[
    ("Loop", "Function"),
    loops::FILE,
    loops::LINE,
    loops::REASONS,
];
const ARRAYS: &Shown = &[
    ("Array", ""),
    ("Shape", ""),
    ("Element", "Size"),
    (loops::KEPT, ""),
    ("Working set", ""),
    ("Footprint", ""),
];
const CONDITIONS: &Shown = &[
    ("Nest", ""),
    ("Reuse", ""),
    ("Condition", ""),
    ("Moved again if it does not fit", ""),
];
const ADVICE: &Shown = &[
    ("Change", ""),
    ("Time", ""),
    ("Memory traffic", ""),
    ("Legality", ""),
    ("Guessed", ""),
    ("Sizes", ""),
    ("Fits", ""),
];
/// All columns.
const ALL: &Shown = &[];

const ABOUT_NESTS: &str = "One row per loop nest. Select its name to see its source, stencils, layer conditions and time by bound; select a \
     heading to sort by it. A star: part of the nest is not understood or only estimated.";
const ABOUT_REGISTERS: &str = "An estimate of the values that one iteration of the innermost loop keeps in registers, \
                               without vectorisation and unrolling.";

/// Calls and parts of them that are listed where not all nests follow the inputs.
const MOST_ROWS: usize = 2000;

pub(super) fn build(
    model: &Model,
    study: Option<Study>,
    sources: Sources,
    figures: &mut Figures,
) -> Value {
    let mut choices = Choices::default();
    // What a run did is said of all nests.
    let is_listed = |nest: &usize| study.is_some() || model.nests[*nest].nest.is_shown();
    let listed: Vec<usize> = (0..model.nests.len()).filter(is_listed).collect();
    let mut tables = tables(model, &listed, figures, &mut choices);
    let mut scatter = Value::Null;
    if let Some(study) = study {
        let compared = compared::build(model, study, figures);
        tables.extend(compared.tables);
        scatter = compared.scatter;
    }
    let machine = &model.machine;
    let nests = nests::places(model, &listed, figures);
    let headline = listings::totals::headline(model);
    let (totals, roofline) = (totals(model, figures), roofline(model, &listed, figures));
    let maps = maps::build(model, study, figures);
    let kept = figures.kept_inputs();
    let order = inputs::machine_order(model);
    json!({
        "machine": { "name": machine.name, "title": machine.title, "about": machine.about, "order": order },
        "presets": inputs::presets(model),
        "about_inputs": inputs::about(model, &kept),
        "order": inputs::order(model, &kept),
        "ranked": loops::ranked_by(model).1,
        "totals": totals,
        "headline": [headline.start, headline.end],
        "coverage": remarks::coverage(model),
        "inputs": inputs::all(model, &kept),
        "tables": tables,
        "choices": choices.value(),
        "roofline": roofline,
        "scatter": scatter,
        "maps": maps,
        "nests": nests,
        "live": listed.iter().map(|nest| figures.live()[*nest]).collect::<Vec<bool>>(),
        "notes": { "How the figures are computed": notes::METHOD, "What the model leaves out": notes::LIMITS },
        "lines": nests::lines(model, (&listed, figures.live()), sources),
    })
}

fn tables(
    model: &Model,
    listed: &[usize],
    figures: &mut Figures,
    choices: &mut Choices,
) -> Vec<Value> {
    let follow = listed.iter().filter(|nest| figures.live()[**nest]);
    let live: HashSet<*const NestModel> = follow
        .map(|nest| std::ptr::from_ref(&model.nests[*nest]))
        .collect();
    let is_live = |nest: &NestModel| live.contains(&std::ptr::from_ref(nest));
    let shown: Vec<(&str, &str)> = NESTS.iter().map(|(column, _)| *column).collect();
    let mut all = Listings::new(model);
    let is_part = listed.len() < model.nests.len();
    if is_part {
        all.keep_shown(model);
    }
    let mut nests = all.loops;
    // What is not seen at first is left out of the rows that do not follow.
    let brief = |column: &Column<(usize, &NestModel)>| {
        tables::is_meant(&shown, column) || tables::is_meant(NAMES, column)
    };
    for column in nests.columns.iter_mut().filter(|column| !brief(column)) {
        let whole = std::mem::replace(&mut column.cell, Box::new(|_| Content::Empty));
        let is_live = &is_live;
        column.cell = Box::new(move |row| {
            if is_live(row.1) {
                whole(row)
            } else {
                Content::Empty
            }
        });
    }
    let mut add = Adder {
        tables: Vec::new(),
        figures,
        choices,
    };
    let measured = model.measured.as_ref().map(measured::total);
    let mut about = vec![ABOUT_NESTS.to_string()];
    about.extend(measured.map(|total| format!("{total}.")));
    about.extend(listings::hidden(model).filter(|_| is_part));
    add.table("nests", Some(&about.join(" ")), &shown, &nests);
    let mut first = Vec::new();
    for (wanted, short) in NESTS {
        let mut columns = nests.columns.iter();
        if let Some(at) = columns.position(|column| tables::is_meant(&[*wanted], column)) {
            first.push(at);
            add.tables[0]["columns"][at]["short"] = json!(short);
        }
    }
    add.tables[0]["first"] = json!(first);
    let mut rows = all.arrays;
    rows.rows.retain(|(nest, _)| is_live(nest));
    add.table("arrays", None, ARRAYS, &rows);
    let mut rows = all.caches;
    rows.rows.retain(|(nest, _)| is_live(nest));
    add.table("caches", None, ALL, &rows);
    let mut rows = all.conditions;
    rows.rows.retain(|(nest, _)| is_live(nest));
    add.table("conditions", None, CONDITIONS, &rows);
    add.table("advice", None, ADVICE, &all.advice);
    if let Some(calls) = all.calls {
        let mut sites = calls.sites;
        if listed.len() > live.len() && sites.rows.len() > MOST_ROWS {
            let left = sites.rows.len() - MOST_ROWS;
            sites.rows.truncate(MOST_ROWS);
            let remark = format!(
                "{} The first {MOST_ROWS} in program order; {left} more with --tables.",
                sites.remark
            );
            sites.remark = remark;
        }
        add.table("calls", None, ALL, &sites);
        add.table("functions", None, ALL, &calls.functions);
        add.table("paths", None, ALL, &calls.paths);
    }
    if let Some(communication) = &all.communication {
        add.table("communication", None, ALL, communication);
    }
    let mut registers = all.registers;
    registers.rows.retain(|(nest, _)| is_live(nest));
    if !registers.rows.is_empty() {
        add.table("registers", Some(ABOUT_REGISTERS), ALL, &registers);
    }
    let mut tables = add.tables;
    tables.extend(placed(model));
    tables.extend([
        remarks::gaps(model),
        remarks::diagnostics(model),
        remarks::files(model),
    ]);
    tables
}

/// Arrays that may go to slower memory. What goes there was searched for, so it does not follow the inputs.
fn placed(model: &Model) -> Option<Value> {
    let (memory, placed) = (model.far?, model.placement()?);
    let looks = [
        Look::Text,
        Look::Bytes,
        Look::Bytes,
        Look::Bytes,
        Look::Share,
        Look::Text,
        Look::Share,
        Look::Count,
    ];
    let remark = format!(
        "Arrays in far memory {}. With the inputs as written: these rows do not follow them, the sheet Placement of the \
         workbook does.",
        listings::placement::memory(memory)
    );
    Some(tables::of_plain(
        ("placement", "Placement", &remark),
        &listings::placement::objects(placed),
        &looks,
    ))
}

/// The tables so far.
struct Adder<'a, 'm> {
    tables: Vec<Value>,
    figures: &'a mut Figures<'m>,
    choices: &'a mut Choices,
}

impl Adder<'_, '_> {
    /// Without a remark of its own, a table says of itself what its sheet does.
    fn table<R>(&mut self, id: &str, remark: Option<&str>, shown: &Shown, rows: &Table<R>) {
        let remark = remark.unwrap_or(&rows.remark);
        self.tables.push(tables::table(
            (id, remark, shown),
            rows,
            self.figures,
            self.choices,
        ));
    }
}

/// Name, figure, unit, look.
fn totals(model: &Model, figures: &mut Figures) -> Value {
    let mut row = |total: listings::totals::Total| {
        let unit = total.unit(model);
        // A ratio is shown without its unit.
        let name = match total.look {
            Look::Ratio => format!("{} [{unit}]", total.name),
            _ => total.name,
        };
        json!([name, figures.position(total.figure), unit, look(total.look)])
    };
    let totals = listings::totals::totals(model).into_iter();
    totals.map(&mut row).collect()
}

/// Peak, bandwidths, and a point a nest: intensity, rate, time.
fn roofline(model: &Model, listed: &[usize], figures: &mut Figures) -> Value {
    let roofs: Vec<Value> = (roofline::roofs(model).into_iter())
        .map(|roof| json!([roof.name, figures.formula(roof.bandwidth)]))
        .collect();
    let points: Vec<Value> = (listed.iter())
        .map(|index| {
            let nest = &model.nests[*index];
            let rate = figures.formula(roofline::rate(nest));
            let seconds = model.ranking.seconds(*index);
            json!([
                figures.position(nest.time.intensity),
                rate,
                seconds.map(|seconds| figures.position(seconds))
            ])
        })
        .collect();
    json!({ "peak": figures.formula(bandwidth::peak(RunsOn::AllCores)), "roofs": roofs, "points": points })
}
