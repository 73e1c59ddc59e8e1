//! A short timeline cycle by cycle: a row an access, and below how many look up and wait in each cycle.

use super::document::{Anchor, BLUE, CRITICAL, Document, FAINT, GRID, INK, ORANGE, SKY, short};
use crate::metrics::camat::Camat;
use crate::metrics::camat::cells::{Cycle, CycleKind, Panel, Row, panels};

const CELL: f64 = 18.0;
const ROW: f64 = 20.0;
const TOP: f64 = 128.0;
const MARGIN: f64 = 24.0;
/// Below a panel's rows: kind, two concurrencies, the axis of cycles.
const SUMMARY: [&str; 3] = ["kind of cycle", "hit concurrency", "miss concurrency"];
const HEADING: f64 = 26.0;
const GAP: f64 = 30.0;
/// The legend needs so much.
const LEAST_WIDTH: f64 = 900.0;

/// What a cell of an access shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    /// Look-up of an access that hits.
    Hit,
    /// Look-up of an access that misses.
    LookUp,
    Miss,
    PureMiss,
}

/// Every level of a timeline of at most 200 cycles; `None` if it is longer. Kinds of cells differ by shape as well
/// as by colour.
pub fn cycles(camat: &Camat, path: &str) -> Option<String> {
    let panels = panels(camat)?;
    let first = camat.run.0;
    let longest = panels
        .iter()
        .flat_map(|panel| &panel.rows)
        .map(|row| row.id.chars().count())
        .max()
        .unwrap_or(0);
    let left = MARGIN + (longest.clamp(18, 40) as f64) * 7.0;
    let columns = panels.first().map_or(0, |panel| panel.cycles.len()) as f64;
    let width = (left + columns * CELL + MARGIN + 40.0).max(LEAST_WIDTH);
    let height = TOP + panels.iter().map(|panel| size(panel) + GAP).sum::<f64>();
    let path = if path == "-" { "standard input" } else { path };
    let title = "Accesses cycle by cycle";
    let mut document = Document::new(width, height, title, path);
    document.text(
        (MARGIN, 32.0),
        Anchor::Start,
        "font-size=\"17\" font-weight=\"bold\"",
        title,
    );
    document.text(
        (MARGIN, 52.0),
        Anchor::Start,
        &format!("fill=\"{FAINT}\""),
        path,
    );
    legend(&mut document);
    let mut y = TOP;
    for panel in &panels {
        draw(&mut document, panel, first, (left, y));
        y += size(panel) + GAP;
    }
    Some(document.finish())
}

fn size(panel: &Panel) -> f64 {
    HEADING + ROW * (panel.rows.len() + SUMMARY.len() + 1) as f64 + 8.0
}

fn legend(document: &mut Document) {
    let entries = [
        (Mark::Hit, "look-up, hit"),
        (Mark::LookUp, "look-up, miss"),
        (Mark::Miss, "wait beside a look-up"),
        (Mark::PureMiss, "wait in a pure miss cycle"),
    ];
    let mut x = MARGIN;
    for (mark, label) in entries {
        cell(document, mark, (x, 66.0));
        document.text((x + CELL + 6.0, 79.0), Anchor::Start, "", label);
        x += CELL + 36.0 + label.chars().count() as f64 * 7.2;
    }
    let kinds = "kinds of cycles: e inactive, h look-ups only (pure hit), x both (mixed), m waits only (pure miss)";
    document.text(
        (MARGIN, 104.0),
        Anchor::Start,
        &format!("fill=\"{FAINT}\""),
        kinds,
    );
}

fn draw(document: &mut Document, panel: &Panel, first: u64, (left, top): (f64, f64)) {
    document.text(
        (MARGIN, top + 14.0),
        Anchor::Start,
        "font-weight=\"bold\" font-size=\"14\"",
        &panel.name,
    );
    let rows = top + HEADING;
    let below = rows + ROW * panel.rows.len() as f64 + 8.0;
    let right = left + CELL * panel.cycles.len() as f64;
    grid(
        document,
        panel,
        (left, right),
        (rows - 4.0, below + ROW * SUMMARY.len() as f64),
    );
    for (index, row) in panel.rows.iter().enumerate() {
        let y = rows + ROW * index as f64;
        let name: String = row.id.chars().take(40).collect();
        document.text((left - 8.0, y + 14.0), Anchor::End, "", &name);
        access(document, row, panel, first, (left, y));
    }
    document.line(
        (left, below - 4.0),
        (right, below - 4.0),
        &format!("stroke=\"{INK}\" stroke-width=\"1.2\""),
    );
    for (index, label) in SUMMARY.iter().enumerate() {
        let y = below + ROW * index as f64 + 14.0;
        document.text(
            (left - 8.0, y),
            Anchor::End,
            &format!("fill=\"{FAINT}\""),
            label,
        );
    }
    let axis = below + ROW * SUMMARY.len() as f64 + 13.0;
    document.text(
        (left - 8.0, axis),
        Anchor::End,
        &format!("font-size=\"10\" fill=\"{FAINT}\""),
        "cycle",
    );
    for (index, cycle) in panel.cycles.iter().enumerate() {
        summary(
            document,
            *cycle,
            (left + CELL * (index as f64 + 0.5), below),
        );
        let number = first + index as u64;
        // Numbers of three digits stand on every other cycle.
        if number < 100 || number.is_multiple_of(2) {
            let attributes = format!("font-size=\"10\" fill=\"{FAINT}\"");
            document.text(
                (left + CELL * (index as f64 + 0.5), axis),
                Anchor::Middle,
                &attributes,
                &number.to_string(),
            );
        }
    }
}

fn grid(
    document: &mut Document,
    panel: &Panel,
    (left, right): (f64, f64),
    (top, bottom): (f64, f64),
) {
    let line = format!("stroke=\"{GRID}\" stroke-width=\"1\"");
    for index in 0..=panel.cycles.len() {
        let x = left + CELL * index as f64;
        document.line((x, top), (x, bottom), &line);
    }
    document.line((left, bottom), (right, bottom), &line);
}

fn access(document: &mut Document, row: &Row, panel: &Panel, first: u64, (left, y): (f64, f64)) {
    let Row {
        id,
        start,
        hit,
        miss,
    } = row;
    let pure = |cycle: u64| panel.cycles[(cycle - first) as usize].kind() == CycleKind::PureMiss;
    let waits = start + hit..start + hit + miss;
    let pure_waits = waits.clone().filter(|cycle| pure(*cycle)).count();
    let tooltip = format!(
        "{id}: from cycle {start}, {hit} of look-up, {miss} of waiting, {pure_waits} in pure miss cycles"
    );
    document.open("", Some(&tooltip));
    let look_up = if *miss == 0 { Mark::Hit } else { Mark::LookUp };
    let look_ups = (*start..start + hit).map(|cycle| (cycle, look_up));
    let waits = waits.map(|cycle| {
        (
            cycle,
            if pure(cycle) {
                Mark::PureMiss
            } else {
                Mark::Miss
            },
        )
    });
    for (cycle, mark) in look_ups.chain(waits) {
        cell(document, mark, (left + CELL * (cycle - first) as f64, y));
    }
    document.close();
}

/// Full, framed, one stroke, or a cross.
fn cell(document: &mut Document, mark: Mark, (x, y): (f64, f64)) {
    let (fill, stroke) = match mark {
        Mark::Hit => (BLUE, BLUE),
        Mark::LookUp => (SKY, BLUE),
        Mark::Miss => ("#FBE3B8", ORANGE),
        Mark::PureMiss => (CRITICAL, CRITICAL),
    };
    let (width, height) = (CELL - 2.0, ROW - 4.0);
    let place = format!(
        "x=\"{}\" y=\"{}\" width=\"{width}\" height=\"{height}\"",
        short(x + 1.0),
        short(y + 1.0)
    );
    document.element(
        "rect",
        &format!("{place} rx=\"2\" fill=\"{fill}\" stroke=\"{stroke}\" stroke-width=\"1\""),
    );
    let (left, right, top, bottom) = (x + 4.5, x + CELL - 4.5, y + 4.5, y + ROW - 6.5);
    let line =
        |colour: &str| format!("stroke=\"{colour}\" stroke-width=\"1.6\" stroke-linecap=\"round\"");
    match mark {
        Mark::Hit | Mark::LookUp => {}
        Mark::Miss => document.line((left, bottom), (right, top), &line("#8A5A00")),
        Mark::PureMiss => {
            document.line((left, bottom), (right, top), &line("#FFFFFF"));
            document.line((left, top), (right, bottom), &line("#FFFFFF"));
        }
    }
}

/// The kind of a cycle as a letter of the paper, and how many look up and wait in it.
fn summary(document: &mut Document, cycle: Cycle, (x, y): (f64, f64)) {
    let (letter, attributes) = match cycle.kind() {
        CycleKind::Inactive => ("e", format!("fill=\"{FAINT}\"")),
        CycleKind::PureHit => ("h", format!("fill=\"{BLUE}\" font-weight=\"bold\"")),
        CycleKind::Mixed => ("x", format!("fill=\"{INK}\" font-weight=\"bold\"")),
        CycleKind::PureMiss => ("m", format!("fill=\"{CRITICAL}\" font-weight=\"bold\"")),
    };
    document.text((x, y + 14.0), Anchor::Middle, &attributes, letter);
    for (index, count) in [cycle.hits, cycle.misses].into_iter().enumerate() {
        let size = if count < 100 { "11" } else { "9" };
        let colour = if count == 0 { FAINT } else { INK };
        let attributes = format!("font-size=\"{size}\" fill=\"{colour}\"");
        document.text(
            (x, y + ROW * (index + 1) as f64 + 14.0),
            Anchor::Middle,
            &attributes,
            &count.to_string(),
        );
    }
}
