//! Why the nest takes its time, live: a sentence for everything that may bound it, beyond what is printed, of which the page
//! shows the one that does. The words are those of `--explain`.

use rust_xlsxwriter::{RowNum, XlsxError};

use super::super::page::Page;
use super::super::readable;
use super::super::style::{self, Look, Role};
use super::data::{Data, FIRST_ROW};
use super::{at, cell, fixed};
use crate::explain::why;
use crate::expr::Expr;
use crate::machine::parameters::SCENARIOS;
use crate::model::{BoundBy, LevelKind, Model, NestModel, ReuseFigures};

const HEADERS: [&str; 9] = [
    "Bound",
    "Moved",
    "Most again [B]",
    "Again",
    "Must fit [B]",
    "Must fit",
    "Reuse",
    "Cache",
    "Why",
];
/// Columns of the parts of a sentence, behind the first.
const MOVED: u16 = 1;
const MOST: u16 = 2;
const AGAIN: u16 = 3;
const NEEDS: u16 = 4;
const NEEDED: u16 = 5;
const REUSE: u16 = 6;
const SIZE: u16 = 7;
const WHY: u16 = 8;

/// What is said of the traffic through a cache.
struct Traffic<'n> {
    size: f64,
    /// The reuse that costs most, what that is, and its position: of those that cost the same the first.
    most: Option<(usize, &'n ReuseFigures, f64)>,
}

impl<'n> Traffic<'n> {
    fn of(model: &Model, nest: &'n NestModel, cache: usize) -> Traffic<'n> {
        let cost = |reuse: &ReuseFigures| {
            let (fetched, written, _) = reuse.caches[cache];
            model.value(fetched) + model.value(written)
        };
        let reuses = nest.levels.reuses.iter().enumerate();
        let most = reuses.map(|(at, reuse)| (at, reuse, cost(reuse)));
        let figures = &nest.levels.caches[cache];
        Traffic {
            size: model.value(figures.capacity),
            most: most.rev().max_by(|a, b| a.2.total_cmp(&b.2)),
        }
    }
}

fn text(bytes: f64) -> String {
    readable::bytes("", bytes).1
}

/// What one of them says now.
fn said(model: &Model, nest: &NestModel, data: &Data, bound: BoundBy) -> String {
    let position = match bound {
        BoundBy::Arithmetic => return why::ARITHMETIC.to_string(),
        BoundBy::Chains => return why::CHAINS.to_string(),
        BoundBy::Ports => return why::PORTS.to_string(),
        BoundBy::Irregular => return why::IRREGULAR.to_string(),
        BoundBy::Text => return why::TEXT.to_string(),
        BoundBy::Branches => return why::BRANCHES.to_string(),
        BoundBy::Level(position) => position,
    };
    let level = &nest.time.levels[position];
    let moved = text(model.value(level.bytes));
    let Some(cache) = position.checked_sub(1) else {
        return format!("{} {}: {moved}", why::EVERY_ACCESS, level.name);
    };
    if level.kind == LevelKind::Memory && model.machine.has_scenarios() {
        return format!("{} moves {moved}{}", level.name, why::BY_SCENARIOS);
    }
    let traffic = Traffic::of(model, nest, cache);
    let name = &nest.levels.caches[cache].name;
    match traffic.most {
        Some((reuse, figures, again)) if again != 0.0 => format!(
            "{} moves {moved}; {} of it again: loop {} after {}, which {name} ({}) does not hold",
            level.name,
            text(again),
            data.reuses[reuse],
            text(model.value(figures.distance)),
            readable::size("", traffic.size).1
        ),
        _ => format!("{} moves {moved}; {name} holds all reused data", level.name),
    }
}

/// All of them, with the parts that they are made of.
pub(super) fn write(page: &mut Page, nest: &NestModel, data: &Data) -> Result<(), XlsxError> {
    let (first, model) = (data.sentences(), page.book.model);
    Data::heads(page, first, &HEADERS)?;
    let plain = style::cell(Look::Text, Role::Plain);
    for (row, (position, name)) in (FIRST_ROW..).zip((1u32..).zip(nest.time.bound_names())) {
        page.text(row, first, name, &plain)?;
        let Some(bound) = nest.time.bound_by(f64::from(position)) else {
            continue;
        };
        let shown = said(model, nest, data, bound);
        let BoundBy::Level(position) = bound else {
            page.text(row, first + WHY, &shown, &plain)?;
            continue;
        };
        let level = &nest.time.levels[position];
        let reference = cell(page, level.bytes);
        let (formula, moved) = readable::bytes(&reference, model.value(level.bytes));
        page.presented_text(row, first + MOVED, &formula, &moved, &plain)?;
        let moved = at(row, first + MOVED);
        let formula = match position.checked_sub(1) {
            None => format!("\"{} {}: \"&{moved}", why::EVERY_ACCESS, level.name),
            Some(cache) => {
                write_parts(page, nest, data, (row, cache))?;
                of_cache(page, nest, data, (row, cache))
            }
        };
        page.presented_text(row, first + WHY, &formula, &shown, &plain)?;
    }
    Ok(())
}

/// The reuse that costs a cache most.
fn write_parts(
    page: &mut Page,
    nest: &NestModel,
    data: &Data,
    (row, cache): (RowNum, usize),
) -> Result<(), XlsxError> {
    let (first, model) = (data.sentences(), page.book.model);
    let traffic = Traffic::of(model, nest, cache);
    let plain = style::cell(Look::Text, Role::Plain);
    let counts = style::cell(Look::Count, Role::Plain);
    let capacity = cell(page, nest.levels.caches[cache].capacity);
    let (formula, shown) = readable::size(&capacity, traffic.size);
    page.presented_text(row, first + SIZE, &formula, &shown, &plain)?;
    let Some((reuse, figures, again)) = traffic.most else {
        return Ok(());
    };
    let [most, needs] = [MOST, NEEDS].map(|column| at(row, first + column));
    let costs = data.of_reuses(data.again(cache));
    let position = format!("MATCH({most},{costs},0)");
    let formula = format!("MAX({costs})");
    page.presentation(row, first + MOST, &formula, &again.to_string(), &counts)?;
    let (formula, shown) = readable::bytes(&most, again);
    page.presented_text(row, first + AGAIN, &formula, &shown, &plain)?;
    let distance = model.value(figures.distance);
    let formula = format!("INDEX({},{position})", data.of_reuses(data.capacity()));
    page.presentation(row, first + NEEDS, &formula, &distance.to_string(), &counts)?;
    let (formula, shown) = readable::bytes(&needs, distance);
    page.presented_text(row, first + NEEDED, &formula, &shown, &plain)?;
    let formula = format!("INDEX({},{position})", data.of_reuses(data.first));
    page.presented_text(row, first + REUSE, &formula, &data.reuses[reuse], &plain)
}

/// The formula of the sentence about a cache.
fn of_cache(page: &Page, nest: &NestModel, data: &Data, (row, cache): (RowNum, usize)) -> String {
    let first = data.sentences();
    let level = &nest.time.levels[cache + 1];
    let name = &nest.levels.caches[cache].name;
    let [moved, most, again, needed, reuse, size] =
        [MOVED, MOST, AGAIN, NEEDED, REUSE, SIZE].map(|column| at(row, first + column));
    let held = format!("\"; {name} holds all reused data\"");
    let reason = match data.has_reuse() {
        false => held,
        true => format!(
            "IF({most}=0,{held},\"; \"&{again}&\" of it again: loop \"&{reuse}&\" after \"&{needed}&\", which {name} (\"&{size}&\
             \") does not hold\")"
        ),
    };
    let reason = match level.kind {
        LevelKind::Cache => reason,
        LevelKind::Memory => {
            let scenarios = page.formula(&Expr::machine(SCENARIOS));
            format!("IF({scenarios}<>0,\"{}\",{reason})", why::BY_SCENARIOS)
        }
    };
    format!("\"{} moves \"&{moved}&{reason}", level.name)
}

/// The sentence of what bounds the time: its formula, and what it says now.
pub(super) fn why(page: &Page, nest: &NestModel, data: &Data) -> (String, String) {
    let (model, time) = (page.book.model, &nest.time);
    let column = data.sentences() + WHY;
    let count = time.bound_names().len() as RowNum;
    let sentences = fixed(column, FIRST_ROW, FIRST_ROW + count - 1);
    let [seconds, iterations, bound] =
        [time.seconds, nest.iterations, time.bound].map(|id| cell(page, id));
    let formula = format!(
        "IF(ISNUMBER({seconds}),IF({seconds}=0,IF({iterations}=0,\"{}\",\"{}\"),INDEX({sentences},{bound})),\"{}\")",
        why::NEVER,
        why::NOTHING,
        why::UNKNOWN
    );
    let shown = match (model.value(time.seconds), model.value(nest.iterations)) {
        (0.0, 0.0) => why::NEVER.to_string(),
        (0.0, _) => why::NOTHING.to_string(),
        (seconds, _) if !seconds.is_finite() => why::UNKNOWN.to_string(),
        _ => (time.bound_by(model.value(time.bound))).map_or_else(
            || why::UNKNOWN.to_string(),
            |bound| said(model, nest, data, bound),
        ),
    };
    (formula, shown)
}
