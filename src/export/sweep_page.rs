//! A sweep as one page for a browser: the best of each input, the map, what more area buys, what is sensitive to latency.

use std::fmt::Write;

use crate::quantity::{Seconds, binary_size, significant};
use crate::svg::escaped;
use crate::sweep::best::{BestLine, best_lines, range};
use crate::sweep::columns::Column;
use crate::sweep::described::Description;
use crate::sweep::failure::{Failure, in_words};
use crate::sweep::groups::{Latency, TimeUnit};
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
    best(&mut page, report, &words);
    for map in &report.maps {
        shown(&mut page, report, map);
    }
    if !report.fronts.is_empty() {
        front(&mut page, report, &words);
    }
    if !report.ranking.traces.is_empty() {
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
        "<h2>Not computed</h2>\n<p>These shards failed, and are in no figure below:</p>\n<ul>"
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
        (Column::IdleNests, "without an iteration"),
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

/// One time of several rows, or from which to which.
fn seconds_of(rows: &[&Row], unit: TimeUnit) -> String {
    match (range(rows, unit), rows) {
        (_, [row]) => seconds(row),
        (Some((least, most)), _) if least < most => {
            let star = rows.iter().any(|row| !row.doubts().is_empty());
            let star = if star { " *" } else { "" };
            let [least, most] = [least, most].map(|value| shown_time(value, unit));
            format!("{least} to {most}{star}")
        }
        _ => rows.first().map_or_else(String::new, |row| seconds(row)),
    }
}

fn best(page: &mut String, report: &SweepReport, words: &Words) {
    let _ = write!(
        page,
        "<h2>The best configuration of each input</h2>\n<p>The fastest one, of equal ones that with the smallest area, then with less cache and fewer slots. Compared are \
         machines, caches, slots, parameters of machines and blocks of loops, for the same problem and the same latency of memory: \
         nobody chooses these, and the smallest problem and the shortest latency would always be the best. Where something \
         smaller takes at most 1 % longer, it stands below.{}</p>\n\
         <div class=\"scroll\"><table><tr><th>input</th><th class=\"t\">for</th><th class=\"t\">configuration</th><th>area, mm²</th>\
         <th>time</th></tr>\n",
        match report.counts.runs {
            0 => "",
            _ =>
                " Times of traces are upper bounds, in which a hit costs the same in every cache, however large.",
        }
    );
    let mut marked: Vec<&Row> = Vec::new();
    let mut doubts: Vec<String> = Vec::new();
    for line in best_lines(report) {
        let of_kind = words.of_kind(line.kind);
        let rows = line.rows(report);
        let first = rows.first();
        let text = first.map_or_else(|| without_best(&line, report), |row| of_kind.choice(row));
        let unit = line.unit();
        let mut time = seconds_of(&rows, unit);
        let full = line.full(report);
        let near = line.smallest_near(report);
        marked.extend(rows.iter().chain(&full).chain(&near).copied());
        let mut text = escaped(&text);
        let given = line.given(report, of_kind);
        if let Some(doubt) = line.doubt() {
            if !time.ends_with('*') {
                time.push_str(" *");
            }
            let place = [line.input, &given];
            let place = place.into_iter().filter(|part| !part.is_empty());
            doubts.push(format!(
                "{}: {doubt}",
                place.collect::<Vec<&str>>().join(", ")
            ));
        }
        if let Some(row) = full.first() {
            // A lower bound is no win over what is estimated in full.
            let _ = write!(
                text,
                "<br>of full estimates: {}",
                escaped(&of_kind.choice(row))
            );
            let _ = write!(time, "<br>{}", seconds_of(&full, unit));
        }
        if let Some(row) = near.first() {
            let _ = write!(
                text,
                "<br>smaller: {}{}",
                escaped(&of_kind.choice(row)),
                row.number(Column::AreaMm2)
                    .map_or_else(String::new, |area| format!(", {} mm²", significant(area)))
            );
            let _ = write!(time, "<br>{}", seconds_of(&near, unit));
        }
        let _ = writeln!(
            page,
            "<tr><td>{}</td><td class=\"t\">{}</td><td class=\"t\">{}</td><td>{}</td><td>{time}</td></tr>",
            escaped(line.input),
            escaped(&given),
            text,
            number(first.and_then(|row| row.number(Column::AreaMm2))),
        );
    }
    page.push_str("</table></div>\n");
    stars(page, doubts, marked.into_iter());
    let clocks = report.clock_remark();
    if !clocks.is_empty() {
        let _ = writeln!(page, "<p>{}</p>", escaped(&clocks));
    }
}

/// Why there is no best configuration.
fn without_best(line: &BestLine, report: &SweepReport) -> String {
    let positions = line.groups.iter().flat_map(|group| &group.configurations);
    let mut rows = positions.map(|position| &report.configurations[*position]);
    match rows.find(|row| line.unit().time(row).is_some()) {
        Some(row) => format!("takes no time on any machine: {}", seconds(row)),
        None => "no time is known".to_string(),
    }
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
    for (label, figures) in map
        .down
        .labels(&map.rows, &report.settings)
        .iter()
        .zip(&map.values)
    {
        let _ = write!(page, "<tr><td>{}</td>", escaped(label));
        for figure in figures {
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
                "<td class=\"m\" style=\"background:{colour}\">{text}</td>"
            );
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</table></div>\n");
}

/// What no other configuration beats.
fn front(page: &mut String, report: &SweepReport, words: &Words) {
    // A run may be in two fronts: at a number, and at the latency of each machine.
    let mut fronts = report.fronts.iter();
    let has_own = fronts.any(|front| front.latency == Some(Latency::OfMachine));
    let for_head = if has_own {
        "<th class=\"t\">for</th>"
    } else {
        ""
    };
    let for_cell = |latency: Option<Latency>| match latency.filter(|_| has_own) {
        Some(latency) => format!("<td class=\"t\">{}</td>", latency.short()),
        None if has_own => "<td></td>".to_string(),
        None => String::new(),
    };
    let _ = writeln!(
        page,
        "<h2>What more area buys</h2>\n<p>{}</p>\n<div class=\"scroll\"><table><tr><th>input</th>{for_head}\
         <th class=\"t\">configuration</th><th>area, mm²</th><th>time</th></tr>",
        escaped(&report.front_remark())
    );
    let shown = report.fronts.iter().take(MOST_ROWS);
    let rows = || {
        shown
            .clone()
            .map(|front| &report.configurations[front.configuration])
    };
    for (front, row) in shown.clone().zip(rows()) {
        let _ = writeln!(
            page,
            "<tr><td>{}</td>{}<td class=\"t\">{}</td><td>{}</td><td>{}</td></tr>",
            escaped(row.text(Column::Input).unwrap_or_default()),
            for_cell(front.latency),
            escaped(&words.all(row)),
            number(row.number(Column::AreaMm2)),
            seconds(row)
        );
    }
    page.push_str("</table></div>\n");
    if report.fronts.len() > MOST_ROWS {
        let more = report.fronts.len() - MOST_ROWS;
        let _ = writeln!(
            page,
            "<p>… and {more} more: sheet Front of the workbook has all.</p>"
        );
    }
    stars(page, Vec::new(), rows());
}

/// What feels latency most.
fn ranked(page: &mut String, report: &SweepReport, words: &Words) {
    let _ = writeln!(
        page,
        "<h2>Which programs feel memory's latency most</h2>\n<p>{}</p>\n<div class=\"scroll\"><table><tr><th>input</th>\
         <th>epochs per 1,000 instructions</th><th class=\"t\">of</th><th>Λ, 1/cycle</th><th>λ, accesses</th>\
         <th class=\"t\">configuration</th><th>time</th></tr>",
        escaped(&report.ranking.meaning())
    );
    for trace in &report.ranking.traces {
        let row = &report.configurations[trace.configuration];
        let epochs = trace.epochs.as_ref();
        let figure = |column| number(epochs.and_then(|epochs| epochs.number(column)));
        let _ = writeln!(
            page,
            "<tr><td>{}</td><td>{}</td><td class=\"t\">{}</td><td>{}</td><td>{}</td><td class=\"t\">{}</td><td>{}</td></tr>",
            escaped(row.text(Column::Input).unwrap_or_default()),
            figure(Column::EpochsPerThousand),
            epochs.map_or_else(String::new, window),
            number(row.number(Column::RelativeLambda)),
            number(row.number(Column::Lambda)),
            escaped(&words.all(row)),
            seconds(row)
        );
    }
    page.push_str("</table></div>\n");
    let ranked = report.ranking.traces.iter();
    stars(
        page,
        Vec::new(),
        ranked.map(|trace| &report.configurations[trace.configuration]),
    );
}

/// What epochs were counted with, in words.
fn window(epochs: &Row) -> String {
    let part = |column, name: &str| {
        let value = epochs.number(column);
        value.map(|value| format!("{name} {value}"))
    };
    let parts = [
        part(Column::Window, "window"),
        epochs
            .number(Column::LastCacheBytes)
            .map(|bytes| format!("cache {}", binary_size(bytes as u64))),
        part(Column::EpochSlots, "m"),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
