//! The best configuration for each input, for each problem and latency.

use std::fmt::Write;

use super::{MOST_ROWS, Words, left_out, number, seconds, shown_time, stars};
use crate::quantity::significant;
use crate::svg::escaped;
use crate::sweep::best::{BestLine, best_lines, range};
use crate::sweep::columns::Column;
use crate::sweep::groups::TimeUnit;
use crate::sweep::report::SweepReport;
use crate::sweep::row::Row;

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

pub(super) fn best(page: &mut String, report: &SweepReport, words: &Words) {
    let _ = write!(
        page,
        "<h2>The best configuration for each input</h2>\n<p>The fastest one; among equals the one with the smallest area, then with less cache and fewer slots. Machines, \
         caches, slots, parameters of machines and loop blocks are compared, for the same problem and the same memory latency: \
         these are given, and the smallest problem and the shortest latency would always be best. Anything smaller \
         that takes at most 1 % longer is listed below.{}</p>\n\
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
    let lines = best_lines(report);
    for line in lines.iter().take(MOST_ROWS) {
        let of_kind = words.of_kind(line.kind);
        let rows = line.rows(report);
        let first = rows.first();
        let text = first.map_or_else(|| without_best(line, report), |row| of_kind.choice(row));
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
                "<br>best full estimate: {}",
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
    page.push_str(&left_out(lines.len(), "Best"));
    stars(page, doubts, marked.into_iter());
    for remark in [report.area_remark(), &report.clock_remark()] {
        if !remark.is_empty() {
            let _ = writeln!(page, "<p>{}</p>", escaped(remark));
        }
    }
}

/// Why there is no best configuration.
fn without_best(line: &BestLine, report: &SweepReport) -> String {
    let mut idle = line.groups.iter();
    match idle.find_map(|group| group.idle(&report.configurations)) {
        Some(row) => format!("takes no time on any machine: {}", seconds(row)),
        None => "no time is known".to_string(),
    }
}
