//! The time bounds against the latency of RAM.

use super::document::{
    Anchor, BLUE, CRITICAL, Document, FAINT, GRID, INK, point, round_step, short,
};
use crate::metrics::report::TraceReport;
use crate::metrics::sweep::{self, Point};

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 520.0;
const LEFT: f64 = 96.0;
const RIGHT: f64 = 160.0;
const TOP: f64 = 84.0;
const BOTTOM: f64 = 64.0;

/// Lower and upper bound over latencies from 50 to 300 cycles with the area between them, in which the
/// time is; `None` where they are not known.
pub fn latency_sweep(report: &TraceReport) -> Option<String> {
    let points = sweep::points(&report.edag, &report.inputs)?;
    let (first, last) = (points.first()?, points.last()?);
    let scale = Scale::new(first, last);
    let slots = short(report.inputs.slots);
    let path = if report.trace.path == "-" {
        "standard input"
    } else {
        &report.trace.path
    };
    let title = "Time bounds against the latency of RAM";
    let about = format!("{path}, {slots} RAM accesses at once (m = {slots})");
    let mut document = Document::new(WIDTH, HEIGHT, title, &about);
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
    axes(&mut document, &scale);
    let lower: Vec<(f64, f64)> = points
        .iter()
        .map(|p| scale.at(p.latency, p.lower))
        .collect();
    let upper: Vec<(f64, f64)> = points
        .iter()
        .map(|p| scale.at(p.latency, p.upper))
        .collect();
    let outline: Vec<String> = upper
        .iter()
        .chain(lower.iter().rev())
        .map(|p| point(*p))
        .collect();
    document.element(
        "polygon",
        &format!(
            "points=\"{}\" fill=\"{BLUE}\" fill-opacity=\"0.14\"",
            outline.join(" ")
        ),
    );
    let line = |points: &[(f64, f64)]| {
        points
            .iter()
            .map(|p| point(*p))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let stroke = |colour| format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"2.4\"");
    document.element(
        "polyline",
        &format!("points=\"{}\" {}", line(&upper), stroke(CRITICAL)),
    );
    document.element(
        "polyline",
        &format!(
            "points=\"{}\" {} stroke-dasharray=\"8 5\"",
            line(&lower),
            stroke(BLUE)
        ),
    );
    marks(&mut document, report, &scale);
    labels(
        &mut document,
        [upper[upper.len() - 1], lower[lower.len() - 1]],
    );
    Some(document.finish())
}

struct Scale {
    latencies: (f64, f64),
    most: f64,
    step: f64,
}

impl Scale {
    fn new(first: &Point, last: &Point) -> Scale {
        let step = round_step(last.upper.max(1.0) / 5.0);
        Scale {
            latencies: (first.latency, last.latency),
            most: (last.upper.max(1.0) / step).ceil() * step,
            step,
        }
    }

    fn at(&self, latency: f64, time: f64) -> (f64, f64) {
        let (from, to) = self.latencies;
        let x = LEFT + (latency - from) / (to - from) * (WIDTH - LEFT - RIGHT);
        (
            x,
            HEIGHT - BOTTOM - time / self.most * (HEIGHT - TOP - BOTTOM),
        )
    }
}

fn axes(document: &mut Document, scale: &Scale) {
    let grid = format!("stroke=\"{GRID}\" stroke-width=\"1\"");
    let ticks = (scale.most / scale.step).round() as usize;
    let unit = unit(scale.most);
    for tick in 0..=ticks {
        let time = tick as f64 * scale.step;
        let (x, y) = scale.at(scale.latencies.0, time);
        document.line((x, y), (WIDTH - RIGHT, y), &grid);
        document.text((x - 8.0, y + 4.0), Anchor::End, "", &short(time / unit.0));
    }
    let (from, to) = scale.latencies;
    let latencies = (0..=((to - from) / 50.0) as usize).map(|tick| from + tick as f64 * 50.0);
    for latency in latencies {
        let (x, y) = scale.at(latency, 0.0);
        document.line((x, y), (x, TOP), &grid);
        document.line(
            (x, y),
            (x, y + 5.0),
            &format!("stroke=\"{INK}\" stroke-width=\"1\""),
        );
        document.text((x, y + 20.0), Anchor::Middle, "", &short(latency));
    }
    let (origin, end) = (scale.at(from, 0.0), scale.at(to, 0.0));
    let axis = format!("stroke=\"{INK}\" stroke-width=\"1.2\"");
    document.line(origin, end, &axis);
    document.line(origin, scale.at(from, scale.most), &axis);
    document.text(
        ((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 18.0),
        Anchor::Middle,
        "font-size=\"13\"",
        "latency α of a RAM access [cycles]",
    );
    let middle = (TOP + HEIGHT - BOTTOM) / 2.0;
    let turned = format!(
        "font-size=\"13\" transform=\"rotate(-90 26 {})\"",
        short(middle)
    );
    document.text(
        (26.0, middle),
        Anchor::Middle,
        &turned,
        &format!("time [{}]", unit.1),
    );
}

/// By what times are divided, and what that is called.
fn unit(most: f64) -> (f64, &'static str) {
    match most {
        m if m >= 1e12 => (1e12, "10¹² cycles"),
        m if m >= 1e9 => (1e9, "10⁹ cycles"),
        m if m >= 1e6 => (1e6, "10⁶ cycles"),
        m if m >= 1e4 => (1e3, "10³ cycles"),
        _ => (1.0, "cycles"),
    }
}

/// Where the chosen latency and the base latency are, if they are in the picture.
fn marks(document: &mut Document, report: &TraceReport, scale: &Scale) {
    let inputs = &report.inputs;
    let same = inputs.latency == inputs.base_latency;
    let marks = [
        (inputs.latency, if same { "α = α₀" } else { "α" }),
        (inputs.base_latency, "α₀"),
    ];
    for (latency, name) in &marks[..if same { 1 } else { 2 }] {
        if (scale.latencies.0..=scale.latencies.1).contains(latency) {
            let (x, y) = scale.at(*latency, 0.0);
            document.line(
                (x, y),
                (x, TOP - 4.0),
                &format!("stroke=\"{INK}\" stroke-width=\"1\" stroke-dasharray=\"3 3\""),
            );
            document.text(
                (x, TOP - 9.0),
                Anchor::Middle,
                "",
                &format!("{name} = {}", short(*latency)),
            );
        }
    }
}

/// Names at the right ends of the lines, apart from each other.
fn labels(document: &mut Document, [upper, lower]: [(f64, f64); 2]) {
    let overlap = (34.0 - (lower.1 - upper.1)).max(0.0) / 2.0;
    let texts = [
        (upper.1 - overlap, "upper bound", "slope λ", CRITICAL),
        (lower.1 + overlap, "lower bound", "slope λ_lower", BLUE),
    ];
    for (y, name, slope, colour) in texts {
        let bold = format!("font-weight=\"bold\" fill=\"{colour}\"");
        document.text((upper.0 + 10.0, y), Anchor::Start, &bold, name);
        document.text(
            (upper.0 + 10.0, y + 14.0),
            Anchor::Start,
            &format!("fill=\"{FAINT}\""),
            slope,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round() {
        for (value, step) in [
            (1.0, 1.0),
            (1.1, 2.0),
            (3.0, 5.0),
            (7.0, 10.0),
            (230.0, 500.0),
        ] {
            assert_eq!(round_step(value), step);
        }
    }
}
