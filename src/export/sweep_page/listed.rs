//! Tables of configurations: what no other one beats, and what feels latency most.

use std::fmt::Write;

use super::{MOST_ROWS, Words, left_out, number, seconds, stars};
use crate::quantity::binary_size;
use crate::svg::escaped;
use crate::sweep::columns::Column;
use crate::sweep::latency::Latency;
use crate::sweep::report::SweepReport;
use crate::sweep::row::Row;

/// What no other configuration beats.
pub(super) fn front(page: &mut String, report: &SweepReport, words: &Words) {
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
    page.push_str(&left_out(report.fronts.len(), "Front"));
    stars(page, Vec::new(), rows());
}

/// What feels latency most.
pub(super) fn ranked(page: &mut String, report: &SweepReport, words: &Words) {
    let _ = writeln!(
        page,
        "<h2>Programs most sensitive to memory latency</h2>\n<p>{}</p>",
        escaped(&report.ranking.meaning())
    );
    if report.ranking.traces.is_empty() {
        return;
    }
    let has_epochs = report.ranking.has_epochs();
    let heads = match has_epochs {
        true => "<th>epochs per 1,000 instructions</th><th class=\"t\">of</th>",
        false => "",
    };
    let _ = writeln!(
        page,
        "<div class=\"scroll\"><table><tr><th>input</th>{heads}<th>Λ, 1/cycle</th><th>λ, accesses</th>\
         <th class=\"t\">configuration</th><th>time</th></tr>",
    );
    for trace in report.ranking.traces.iter().take(MOST_ROWS) {
        let row = &report.configurations[trace.configuration];
        let epochs = trace.epochs.as_ref();
        let figure = |column| number(epochs.and_then(|epochs| epochs.number(column)));
        let of_epochs = match has_epochs {
            true => format!(
                "<td>{}</td><td class=\"t\">{}</td>",
                figure(Column::EpochsPerThousand),
                epochs.map_or_else(String::new, window)
            ),
            false => String::new(),
        };
        let _ = writeln!(
            page,
            "<tr><td>{}</td>{of_epochs}<td>{}</td><td>{}</td><td class=\"t\">{}</td><td>{}</td></tr>",
            escaped(row.text(Column::Input).unwrap_or_default()),
            number(row.number(Column::RelativeLambda)),
            number(row.number(Column::Lambda)),
            escaped(&words.all(row)),
            seconds(row)
        );
    }
    page.push_str("</table></div>\n");
    page.push_str(&left_out(report.ranking.traces.len(), "Ranking"));
    let ranked = report.ranking.traces.iter().take(MOST_ROWS);
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
