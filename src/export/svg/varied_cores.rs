//! C-AMAT and AMAT of the nearest level over parameters of the core, a panel a parameter.

use super::document::{
    Anchor, BLUE, CRITICAL, Document, FAINT, GRID, INK, point, round_step, short,
};
use crate::metrics::report::TraceReport;
use crate::metrics::varied_core::{CoreParameter, VariedCore};
use crate::numbers::number;

const WIDTH: f64 = 860.0;
const LEFT: f64 = 84.0;
const RIGHT: f64 = 40.0;
const TOP: f64 = 84.0;
const PANEL: f64 = 230.0;
const PLOT: f64 = 150.0;
const TICKS: u32 = 4;

/// `None` where no core was varied.
pub fn varied_cores(report: &TraceReport) -> Option<String> {
    let panels: Vec<(CoreParameter, Vec<&VariedCore>)> = (CoreParameter::ALL.into_iter())
        .map(|parameter| {
            let own = report.varied_cores.iter();
            (
                parameter,
                own.filter(|core| core.parameter == parameter).collect(),
            )
        })
        .filter(|(_, own): &(_, Vec<_>)| !own.is_empty())
        .collect();
    if panels.is_empty() {
        return None;
    }
    let title = "Access time of the nearest level over the core";
    let about = format!(
        "{}: C-AMAT (solid) and AMAT (dashed) in cycles, one parameter varied at a time",
        report.trace.path
    );
    let height = TOP + PANEL * panels.len() as f64;
    let mut document = Document::new(WIDTH, height, title, &about);
    let bold = "font-size=\"17\" font-weight=\"bold\"";
    document.text((LEFT, 32.0), Anchor::Start, bold, title);
    let faint = format!("fill=\"{FAINT}\"");
    document.text((LEFT, 54.0), Anchor::Start, &faint, &about);
    for (number, (parameter, cores)) in panels.iter().enumerate() {
        panel(
            &mut document,
            TOP + PANEL * number as f64,
            *parameter,
            cores,
        );
    }
    Some(document.finish())
}

fn panel(document: &mut Document, top: f64, parameter: CoreParameter, cores: &[&VariedCore]) {
    let values = cores.iter().flat_map(|core| [core.amat, core.camat]);
    let most = values.flatten().fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let step = round_step(most / f64::from(TICKS));
    let end = (most / step).ceil() * step;
    let bottom = top + PLOT;
    let y = |value: f64| bottom - value / end * PLOT;
    let between = (WIDTH - LEFT - RIGHT) / cores.len() as f64;
    let x = |place: usize| LEFT + between * (place as f64 + 0.5);
    let faint = format!("fill=\"{FAINT}\"");
    for tick in 0..=(end / step).round() as u32 {
        let value = f64::from(tick) * step;
        let ends = ((LEFT, y(value)), (WIDTH - RIGHT, y(value)));
        document.line(ends.0, ends.1, &format!("stroke=\"{GRID}\""));
        document.text(
            (LEFT - 8.0, y(value) + 4.0),
            Anchor::End,
            &faint,
            &short(value),
        );
    }
    for (place, core) in cores.iter().enumerate() {
        let at = (x(place), bottom + 18.0);
        document.text(at, Anchor::Middle, "", &core.value.to_string());
    }
    type Pick = fn(&VariedCore) -> Option<f64>;
    let curves: [(&str, Pick, &str); 2] = [
        (CRITICAL, |core| core.amat, " stroke-dasharray=\"8 5\""),
        (BLUE, |core| core.camat, ""),
    ];
    for (colour, pick, dashes) in curves {
        let known = cores.iter().enumerate();
        let known = known.filter_map(|(place, core)| Some((x(place), pick(core)?)));
        let points: Vec<(f64, f64)> = known.collect();
        let line: Vec<String> = points
            .iter()
            .map(|(x, value)| point((*x, y(*value))))
            .collect();
        let line = line.join(" ");
        document.element(
            "polyline",
            &format!(
                "points=\"{line}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2.4\"{dashes}"
            ),
        );
        let ink = format!("fill=\"{colour}\"");
        for (x, value) in points {
            let shown = number((value * 100.0).round() / 100.0);
            document.text((x, y(value) - 6.0), Anchor::Middle, &ink, &shown);
        }
    }
    let middle = ((LEFT + WIDTH - RIGHT) / 2.0, bottom + 38.0);
    let ink = format!("fill=\"{INK}\"");
    document.text(middle, Anchor::Middle, &ink, parameter.meaning());
}
