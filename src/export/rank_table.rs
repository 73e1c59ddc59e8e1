//! The table of several traces on standard output, the most sensitive to latency first.

use super::columns::{Align, aligned};
use super::numbers::{number, rate};
use crate::formula::Catalogue;
use crate::metrics::rank::{Rank, RankFigure, RankedTrace};
use crate::quantity::Bytes;
use Align::{Left, Right};

/// Columns behind the name.
const COLUMNS: [RankFigure; 8] = [
    RankFigure::SlotEpochRate,
    RankFigure::SlotEpochs,
    RankFigure::Lambda,
    RankFigure::RelativeLambda,
    RankFigure::Overlap,
    RankFigure::Camat,
    RankFigure::Bandwidth,
    RankFigure::Instructions,
];

pub fn render(rank: &Rank) -> String {
    let mut rows = vec![headings()];
    rows.extend((1..).zip(&rank.traces).map(row));
    let mut text = format!(
        "window {}, m = {}, caches {}\n\n",
        rank.window,
        rank.slots,
        rank.caches.join(" | ")
    );
    let aligns = [
        Right, Left, Right, Right, Right, Right, Right, Right, Right, Right,
    ];
    text.push_str(&aligned(&rows, aligns));
    text.push('\n');
    for figure in COLUMNS {
        let entry = figure.entry();
        let rows = [[format!("  {}", heading(figure)), entry.meaning.to_string()]];
        text.push_str(&aligned(&rows, [Left, Left]));
    }
    let own = rank.traces.iter().flat_map(|trace| {
        let note = |note: &String| format!("  {}: {note}\n", trace.path);
        trace.notes.iter().map(note).collect::<Vec<String>>()
    });
    let notes: String = rank
        .notes
        .iter()
        .map(|note| format!("  {note}\n"))
        .chain(own)
        .collect();
    if !notes.is_empty() {
        text.push_str("\nnotes\n");
        text.push_str(&notes);
    }
    text
}

fn heading(figure: RankFigure) -> String {
    match figure {
        RankFigure::Bandwidth => "bandwidth".to_string(),
        _ => figure.entry().printed().to_string(),
    }
}

fn headings() -> [String; 10] {
    let [a, b, c, d, e, f, g, h] = COLUMNS.map(heading);
    [String::new(), "trace".to_string(), a, b, c, d, e, f, g, h]
}

fn row((place, trace): (usize, &RankedTrace)) -> [String; 10] {
    let shown = |figure: RankFigure| match (figure, trace.get(figure)) {
        (_, None) => "unknown".to_string(),
        (RankFigure::SlotEpochRate | RankFigure::Overlap | RankFigure::Camat, Some(value)) => {
            rate(value)
        }
        (RankFigure::RelativeLambda, Some(value)) => format!("{value:.2e}"),
        (RankFigure::Bandwidth, Some(value)) => format!("{}/s", Bytes(value)),
        (_, Some(value)) => number(value),
    };
    let [a, b, c, d, e, f, g, h] = COLUMNS.map(shown);
    [
        place.to_string(),
        trace.path.clone(),
        a,
        b,
        c,
        d,
        e,
        f,
        g,
        h,
    ]
}
