//! Epochs of several traces as bars, the most sensitive to latency first.

use super::document::{Anchor, BLUE, Document, FAINT, GRID, INK, SKY, round_step, short};
use crate::metrics::rank::{Rank, RankFigure, RankedTrace};
use crate::numbers::{number, rate as rounded};

const WIDTH: f64 = 860.0;
const LEFT: f64 = 250.0;
const RIGHT: f64 = 90.0;
const TOP: f64 = 96.0;
const BOTTOM: f64 = 56.0;
const ROW: f64 = 26.0;
const BAR: f64 = 16.0;
/// Characters of a name.
const NAME: usize = 34;

/// A bar for the epochs with m misses in each, in 1,000 instructions, and a lighter one for the part of it that is left
/// with any number of misses in an epoch.
pub fn rank(rank: &Rank) -> String {
    let height = TOP + ROW * rank.traces.len() as f64 + BOTTOM;
    let title = "Programs by sensitivity to the latency of RAM";
    let about = format!(
        "epochs per 1,000 instructions: extra cycles per 1,000 instructions for one more cycle of latency; window {}, at most {} \
         misses in an epoch",
        rank.window, rank.slots
    );
    let mut document = Document::new(WIDTH, height, title, &about);
    let bold = "font-size=\"17\" font-weight=\"bold\"";
    document.text((24.0, 32.0), Anchor::Start, bold, title);
    let faint = format!("fill=\"{FAINT}\"");
    document.text(
        (24.0, 54.0),
        Anchor::Start,
        &faint,
        "extra cycles per 1,000 instructions for one more cycle of latency: epochs of the caches' own misses",
    );
    let limit = format!(
        "window {}; dark: at most {} misses in an epoch (E_m); light: any number",
        rank.window, rank.slots
    );
    document.text((24.0, 72.0), Anchor::Start, &faint, &limit);
    let most = rank.traces.iter().filter_map(rate).fold(0.0, f64::max);
    let step = step(most);
    let end = (most / step).ceil().max(1.0) * step;
    let at = |value: f64| LEFT + value / end * (WIDTH - LEFT - RIGHT);
    let bottom = height - BOTTOM;
    for tick in 0..=(end / step).round() as u32 {
        let value = f64::from(tick) * step;
        let x = at(value);
        document.line((x, TOP - 6.0), (x, bottom), &format!("stroke=\"{GRID}\""));
        let text = number((value * 1e9).round() / 1e9);
        document.text((x, bottom + 18.0), Anchor::Middle, &faint, &text);
    }
    for (number, trace) in rank.traces.iter().enumerate() {
        let y = TOP + ROW * number as f64;
        bar(&mut document, y, trace, &at);
    }
    let middle = (LEFT + WIDTH - RIGHT) / 2.0;
    let ink = format!("fill=\"{INK}\"");
    let axis = "epochs per 1,000 instructions";
    document.text((middle, height - 14.0), Anchor::Middle, &ink, axis);
    document.finish()
}

fn rate(trace: &RankedTrace) -> Option<f64> {
    trace.get(RankFigure::SlotEpochRate)
}

fn bar(document: &mut Document, y: f64, trace: &RankedTrace, at: &dyn Fn(f64) -> f64) {
    let text_y = y + BAR * 0.8;
    document.open("", Some(&trace.path));
    document.text((LEFT - 8.0, text_y), Anchor::End, "", &name(&trace.path));
    match rate(trace) {
        None => document.text(
            (LEFT + 6.0, text_y),
            Anchor::Start,
            &format!("fill=\"{FAINT}\""),
            "unknown",
        ),
        Some(value) => {
            let rectangle = |to: f64, height: f64, colour: &str| {
                let (x, width) = (short(LEFT), short(at(to) - LEFT));
                let top = short(y + (BAR - height) / 2.0);
                let height = short(height);
                format!(
                    "x=\"{x}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" fill=\"{colour}\""
                )
            };
            document.element("rect", &rectangle(value, BAR, BLUE));
            let unlimited = trace.get(RankFigure::EpochRate);
            if let Some(unlimited) = unlimited {
                document.element("rect", &rectangle(unlimited, BAR / 2.0, SKY));
            }
            let shown = rounded(value);
            document.text((at(value) + 6.0, text_y), Anchor::Start, "", &shown);
        }
    }
    document.close();
}

/// The end of a path, which is what tells traces apart.
fn name(path: &str) -> String {
    let count = path.chars().count();
    if count <= NAME {
        return path.to_string();
    }
    let end: String = path.chars().skip(count - NAME + 1).collect();
    format!("…{end}")
}

/// Between ticks: 1, 2 or 5 times a power of ten, so that there are at most seven.
fn step(most: f64) -> f64 {
    if most <= 0.0 {
        return 1.0;
    }
    round_step(most / 6.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        assert_eq!(
            [0.0, 1.0, 6.0, 7.0, 70.0].map(step),
            [1.0, 0.2, 1.0, 2.0, 20.0]
        );
    }
}
