//! Epochs per 1,000 instructions over windows and capacities: an epoch profile as in its publication.

use super::super::numbers::rate;
use super::document::{Anchor, Document, FAINT, INK, short};
use crate::metrics::epoch::Stores;
use crate::metrics::profiles::Profiles;
use crate::metrics::report::{Epochs, TraceReport};
use crate::quantity::binary_size;

const CELL: (f64, f64) = (58.0, 26.0);
const LEFT: f64 = 112.0;
const TOP: f64 = 84.0;
const BOTTOM: f64 = 66.0;
/// Room for the colour bar.
const RIGHT: f64 = 120.0;
const BAR: f64 = 18.0;
/// Pieces of the colour bar.
const PIECES: u32 = 64;

/// The heat map of one trace: W across, C up, the number in every cell and as colour; `None` without epochs
/// or instructions.
pub fn epochs(report: &TraceReport) -> Option<String> {
    let profile = report
        .epochs
        .as_ref()
        .filter(|profile| profile.instructions > 0)?;
    let path = if report.trace.path == "-" {
        "standard input"
    } else {
        &report.trace.path
    };
    let about = format!("{path}, {} instructions", profile.instructions);
    Some(draw(profile, &profile.epki(), &about))
}

/// The same of the mean over several traces; `None` without traces, or if one has no instructions.
pub fn mean_epochs(profiles: &Profiles) -> Option<String> {
    let (_, first) = profiles.traces.first()?;
    let has_instructions = profiles
        .traces
        .iter()
        .all(|(_, profile)| profile.instructions > 0);
    let about = format!("mean of {} traces", profiles.traces.len());
    has_instructions.then(|| draw(first, &profiles.mean_epki(), &about))
}

fn draw(profile: &Epochs, epki: &[Vec<f64>], about: &str) -> String {
    let most = epki.iter().flatten().copied().fold(0.0, f64::max);
    let (columns, rows) = (
        profile.windows.len() as f64,
        profile.capacities.len() as f64,
    );
    let height = (TOP + rows * CELL.1 + BOTTOM).max(300.0);
    let stores = if profile.stores == Stores::Blocking {
        "stores block"
    } else {
        "stores do not block"
    };
    let title = "Epochs per 1,000 instructions";
    let about = format!("{about}, lines of {} B, {stores}", profile.line);
    // The titles need room, however few cells there are; a letter is about 7 wide.
    let titles = LEFT + 7.0 * about.chars().count() as f64 + 12.0;
    let width = (LEFT + columns * CELL.0 + RIGHT).max(640.0).max(titles);
    let mut document = Document::new(width, height, title, &about);
    document.text(
        (LEFT, 32.0),
        Anchor::Start,
        "font-size=\"17\" font-weight=\"bold\"",
        title,
    );
    document.text(
        (LEFT, 54.0),
        Anchor::Start,
        &format!("fill=\"{FAINT}\""),
        &about,
    );
    for (row, (capacity, values)) in profile.capacities.iter().zip(epki).enumerate() {
        let y = TOP + (rows - 1.0 - row as f64) * CELL.1;
        document.text(
            (LEFT - 8.0, y + 17.0),
            Anchor::End,
            "",
            &binary_size(*capacity),
        );
        for (column, value) in values.iter().enumerate() {
            cell(
                &mut document,
                (LEFT + column as f64 * CELL.0, y),
                *value,
                most,
            );
        }
    }
    axes(&mut document, profile, (columns, rows));
    colour_bar(
        &mut document,
        (LEFT + columns * CELL.0 + 28.0, rows * CELL.1),
        most,
    );
    document.finish()
}

fn cell(document: &mut Document, (x, y): (f64, f64), value: f64, most: f64) {
    let colour = Colour::at(if most > 0.0 { value / most } else { 0.0 });
    let (w, h) = CELL;
    let place = format!(
        "x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"",
        short(x),
        short(y),
        short(w),
        short(h)
    );
    document.element(
        "rect",
        &format!(
            "{place} fill=\"{}\" stroke=\"#FFFFFF\" stroke-width=\"0.6\"",
            colour.hex()
        ),
    );
    let text = format!("font-size=\"11\" fill=\"{}\"", colour.ink());
    document.text((x + w / 2.0, y + 17.0), Anchor::Middle, &text, &rate(value));
}

fn axes(document: &mut Document, profile: &Epochs, (columns, rows): (f64, f64)) {
    let bottom = TOP + rows * CELL.1;
    for (column, window) in profile.windows.iter().enumerate() {
        let x = LEFT + (column as f64 + 0.5) * CELL.0;
        document.text((x, bottom + 18.0), Anchor::Middle, "", &window.to_string());
    }
    let middle = LEFT + columns * CELL.0 / 2.0;
    let label = "W: reorder window [instructions]";
    document.text(
        (middle.max(LEFT + 110.0), bottom + 44.0),
        Anchor::Middle,
        "font-size=\"13\"",
        label,
    );
    let y = (TOP + bottom) / 2.0;
    let turned = format!("font-size=\"13\" transform=\"rotate(-90 24 {})\"", short(y));
    document.text((24.0, y), Anchor::Middle, &turned, "C: cache capacity");
}

fn colour_bar(document: &mut Document, (x, height): (f64, f64), most: f64) {
    let piece = height / f64::from(PIECES);
    for index in 0..PIECES {
        let share = (f64::from(index) + 0.5) / f64::from(PIECES);
        let y = TOP + height - f64::from(index + 1) * piece;
        // A little over the next one, so that no gap shows.
        let place = format!(
            "x=\"{}\" y=\"{}\" width=\"{BAR}\" height=\"{}\"",
            short(x),
            short(y),
            short(piece + 0.5)
        );
        document.element(
            "rect",
            &format!("{place} fill=\"{}\"", Colour::at(share).hex()),
        );
    }
    let ticks = if height >= 100.0 { 4 } else { 1 };
    for tick in 0..=ticks {
        let share = f64::from(tick) / f64::from(ticks);
        let y = TOP + height * (1.0 - share);
        document.line(
            (x + BAR, y),
            (x + BAR + 4.0, y),
            &format!("stroke=\"{INK}\" stroke-width=\"1\""),
        );
        document.text(
            (x + BAR + 8.0, y + 4.0),
            Anchor::Start,
            "font-size=\"11\"",
            &rate(share * most),
        );
    }
    document.text((x, TOP - 12.0), Anchor::Start, "font-size=\"11\"", "EPKI");
}

/// A colour of the scale viridis (van der Walt and Smith 2015): its brightness alone shows the value.
struct Colour([f64; 3]);

impl Colour {
    /// From 0, dark, to 1, bright.
    fn at(share: f64) -> Colour {
        const ANCHORS: [[f64; 3]; 9] = [
            [68.0, 1.0, 84.0],
            [71.0, 44.0, 122.0],
            [59.0, 81.0, 139.0],
            [44.0, 113.0, 142.0],
            [33.0, 144.0, 141.0],
            [39.0, 173.0, 129.0],
            [92.0, 200.0, 99.0],
            [170.0, 220.0, 50.0],
            [253.0, 231.0, 37.0],
        ];
        let place = share.clamp(0.0, 1.0) * (ANCHORS.len() - 1) as f64;
        let index = (place as usize).min(ANCHORS.len() - 2);
        let part = place - index as f64;
        let mixed =
            |c: usize| ANCHORS[index][c] + part * (ANCHORS[index + 1][c] - ANCHORS[index][c]);
        Colour([mixed(0), mixed(1), mixed(2)])
    }

    fn hex(&self) -> String {
        let [r, g, b] = self.0.map(|c| c.round() as u8);
        format!("#{r:02X}{g:02X}{b:02X}")
    }

    /// Relative luminance, 0 to 1 (WCAG 2).
    fn luminance(&self) -> f64 {
        let linear = |c: f64| {
            if c <= 0.03928 {
                c / 12.92
            } else {
                ((c + 0.055) / 1.055).powf(2.4)
            }
        };
        let [r, g, b] = self.0.map(|c| linear(c / 255.0));
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    /// Black or white, whichever is read more easily on it.
    fn ink(&self) -> &'static str {
        if self.luminance() > 0.179 {
            "#000000"
        } else {
            "#FFFFFF"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Text on a cell has a contrast of at least 4.5 to 1, and brightness grows with the value.
    #[test]
    fn every_colour_can_be_read() {
        let mut before = -1.0;
        for step in 0..=1000 {
            let colour = Colour::at(f64::from(step) / 1000.0);
            let luminance = colour.luminance();
            let contrast = if colour.ink() == "#000000" {
                (luminance + 0.05) / 0.05
            } else {
                1.05 / (luminance + 0.05)
            };
            assert!(contrast >= 4.5, "{}: {contrast}", colour.hex());
            assert!(luminance >= before, "{}", colour.hex());
            before = luminance;
        }
        assert_eq!(
            [Colour::at(0.0).hex(), Colour::at(1.0).hex()],
            ["#440154", "#FDE725"]
        );
    }
}
