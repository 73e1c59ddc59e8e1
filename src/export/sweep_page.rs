//! A sweep as one page for a browser: the best of each input, the map, what more area buys, what is sensitive to latency.

mod best;
mod listed;

use std::fmt::Write;

use self::best::best;
use self::listed::{front, ranked};
use crate::quantity::{Seconds, significant};
use crate::svg::escaped;
use crate::sweep::columns::Column;
use crate::sweep::described::Description;
use crate::sweep::failure::{Failure, in_words};
use crate::sweep::groups::TimeUnit;
use crate::sweep::map::{Map, MapOf};
use crate::sweep::report::SweepReport;
use crate::sweep::row::{Row, RowKind};
use crate::wording::counted;

const STYLE: &str = "body{font:14px/1.5 system-ui,sans-serif;color:#1f2a37;margin:2rem auto;max-width:76rem;padding:0 1rem}\
table{border-collapse:collapse;margin:.5rem 0 2rem}th,td{padding:.25rem .7rem;border-bottom:1px solid #e2e7ee;text-align:right}\
th{background:#24476b;color:#fff;font-weight:600}th:first-child,td:first-child,.t{text-align:left}\
td.m{min-width:4rem}.scroll{overflow-x:auto}";

/// A page of thousands of rows is read by nobody.
const MOST_ROWS: usize = 500;

/// Where the rows are that a page leaves out; empty if it has all.
fn left_out(rows: usize, sheet: &str) -> String {
    match rows.saturating_sub(MOST_ROWS) {
        0 => String::new(),
        more => {
            format!("<p>… and {more} more: sheet {sheet} of the workbook has all of them.</p>\n")
        }
    }
}

/// The page.
pub fn sweep_page(report: &SweepReport) -> String {
    let mut page = String::new();
    let _ = write!(
        page,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Sweep</title><style>{STYLE}</style></head><body>\n\
         <h1>A sweep over configurations</h1>\n<p>{} of {}{}.</p>\n",
        counted(report.counts.total(), "configuration"),
        counted(report.inputs.len(), "input"),
        report.counts.in_parentheses()
    );
    failed(&mut page, report);
    let words = Words::of(report);
    page.push_str(&words.shared());
    let settings = report.setting_remark();
    if !settings.is_empty() {
        let _ = writeln!(page, "<p>{}</p>", escaped(&settings));
    }
    best(&mut page, report, &words);
    for map in &report.maps {
        shown(&mut page, report, map);
    }
    if !report.fronts.is_empty() {
        front(&mut page, report, &words);
    }
    if !report.ranking.is_empty() {
        ranked(&mut page, report, &words);
    }
    page.push_str("</body></html>\n");
    page
}

fn failed(page: &mut String, report: &SweepReport) {
    if report.failed.is_empty() {
        return;
    }
    let _ = writeln!(
        page,
        "<h2>Not computed</h2>\n<p>These shards failed and are not included in any figure below:</p>\n<ul>"
    );
    let names: Vec<String> = (report.settings.iter())
        .map(|setting| setting.name.clone())
        .collect();
    for Failure { input, error, work } in &report.failed {
        let _ = writeln!(
            page,
            "<li>{}, {}: {}</li>",
            escaped(input),
            escaped(&in_words(work, &names)),
            escaped(error)
        );
    }
    page.push_str("</ul>\n");
}

/// Configurations in words, of traces and of sources.
struct Words<'r>([(RowKind, Description<'r>); 2]);

impl<'r> Words<'r> {
    fn of(report: &'r SweepReport) -> Words<'r> {
        Words([RowKind::Trace, RowKind::Program].map(|kind| {
            let words = Description::of(kind, &report.configurations, &report.settings);
            (kind, words)
        }))
    }

    fn of_kind(&self, kind: RowKind) -> &Description<'r> {
        let [(first, traces), (_, sources)] = &self.0;
        if kind == *first { traces } else { sources }
    }

    /// All that configures a row and is not the same everywhere.
    fn all(&self, row: &Row) -> String {
        self.of_kind(row.kind()).all(row)
    }

    /// What is the same everywhere, a sentence a kind.
    fn shared(&self) -> String {
        let sentence = |(kind, words): &(RowKind, Description)| {
            let what = if *kind == RowKind::Trace {
                "traces"
            } else {
                "sources"
            };
            match words.shared() {
                shared if shared.is_empty() => String::new(),
                shared => format!("<p>All {what}: {}.</p>\n", escaped(&shared)),
            }
        };
        self.0.iter().map(sentence).collect()
    }
}

/// Time, and what is not in it.
fn seconds(row: &Row) -> String {
    let of = |unit: TimeUnit| unit.time(row).map(|value| shown_time(value, unit));
    let Some(mut text) = of(TimeUnit::Seconds).or_else(|| of(TimeUnit::Cycles)) else {
        return String::new();
    };
    for (column, what) in [
        (Column::UnknownNests, "not known"),
        (Column::IdleNests, "without iterations"),
    ] {
        if let Some(count) = row.integer(column).filter(|count| *count > 0) {
            let _ = write!(text, ", {} {what}", counted(count as usize, "nest"));
        }
    }
    if !row.doubts().is_empty() {
        text.push_str(" *");
    }
    text
}

/// A time, where no clock is known in cycles.
fn shown_time(value: f64, unit: TimeUnit) -> String {
    match unit {
        TimeUnit::Seconds => Seconds(value).to_string(),
        TimeUnit::Cycles => format!("{} cycles", significant(value)),
    }
}

/// What stars stand for: of rows, and before them of others.
fn stars<'r>(page: &mut String, others: Vec<String>, rows: impl Iterator<Item = &'r Row>) {
    const MOST_NAMED: usize = 20;
    let mut sentences = others;
    for row in rows {
        let doubts = row.doubts();
        let place = [Column::Input, Column::Machine].map(|column| row.text(column));
        let place: Vec<&str> = place.into_iter().flatten().collect();
        let sentence = format!("{}: {}", place.join(", "), doubts.join("; "));
        if !doubts.is_empty() && !sentences.contains(&sentence) {
            sentences.push(sentence);
        }
    }
    if sentences.is_empty() {
        return;
    }
    page.push_str("<p>* not exact:</p>\n<ul>\n");
    for sentence in sentences.iter().take(MOST_NAMED) {
        let _ = writeln!(page, "<li>{}</li>", escaped(sentence));
    }
    if sentences.len() > MOST_NAMED {
        let more = sentences.len() - MOST_NAMED;
        let _ = writeln!(
            page,
            "<li>… and {more} more: columns reasons, guessed_sizes, machine_unknown, not_read of the data set</li>"
        );
    }
    page.push_str("</ul>\n");
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(String::new, significant)
}

/// From white for the best to red for so many times as much, by the logarithm.
fn colour(times: f64, most: f64) -> String {
    let share = times.max(1.0).log(most.max(1.0 + f64::EPSILON)).min(1.0);
    let channel = |end: f64| (255.0 + share * (end - 255.0)).round() as u8;
    format!(
        "#{:02X}{:02X}{:02X}",
        channel(244.0),
        channel(182.0),
        channel(166.0)
    )
}

fn shown(page: &mut String, report: &SweepReport, map: &Map) {
    let [across, down] = [map.across, map.down].map(|axis| axis.name(&report.settings));
    let _ = write!(
        page,
        "<h2>{} over {} and {}</h2>\n<p>{}</p>\n<div class=\"scroll\"><table><tr><th>{} ↓ {} →</th>",
        map.title(),
        escaped(&across),
        escaped(&down),
        escaped(&report.map_remark(map)),
        escaped(&down),
        escaped(&across)
    );
    for label in map.across.labels(&map.columns, &report.settings) {
        let _ = write!(page, "<th>{}</th>", escaped(&label));
    }
    page.push_str("</tr>\n");
    // Twice as long is red; of epochs, the most are.
    let all = || map.values.iter().flatten().flatten().copied();
    let (least, most) = (
        all().fold(f64::INFINITY, f64::min),
        all().fold(0.0, f64::max),
    );
    for ((label, figures), inexact) in map
        .down
        .labels(&map.rows, &report.settings)
        .iter()
        .zip(&map.values)
        .zip(&map.inexact)
    {
        let _ = write!(page, "<tr><td>{}</td>", escaped(label));
        for (figure, is_inexact) in figures.iter().zip(inexact) {
            let Some(figure) = figure else {
                page.push_str("<td class=\"m\"></td>");
                continue;
            };
            let (colour, text) = match map.of {
                MapOf::Time { .. } => (colour(*figure, 2.0), format!("{figure:.2}")),
                // None at all may be the fewest.
                MapOf::Epochs(_) => (
                    colour((figure + 1.0) / (least + 1.0), (most + 1.0) / (least + 1.0)),
                    significant(*figure),
                ),
            };
            let _ = write!(
                page,
                "<td class=\"m\" style=\"background:{colour}\">{text}{}</td>",
                if *is_inexact { " *" } else { "" }
            );
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</table></div>\n");
}
