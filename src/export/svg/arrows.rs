//! Edges of layered drawings: curves from the bottom of one vertex to the top of another.

use super::document::{CRITICAL, Document, FAINT, point};

/// How an edge looks.
pub(super) struct Line {
    pub is_critical: bool,
    /// Lengths of dashes and gaps; empty for a whole line.
    pub dash: &'static str,
}

/// A curve through its bends with an arrow head; ends are the middles of vertices of the given height.
pub(super) fn draw(
    document: &mut Document,
    line: &Line,
    height: f64,
    [from, to]: [(f64, f64); 2],
    bends: impl Iterator<Item = (f64, f64)>,
) {
    const HEAD: f64 = 6.0;
    let half = height / 2.0;
    let start = (from.0, from.1 + half);
    let tip = (to.0, to.1 - half);
    let end = (tip.0, tip.1 - HEAD);
    let mut path = format!("M{}", point(start));
    let mut last = start;
    // Edges run vertically past the vertices of the layers that they cross.
    for bend in bends {
        path.push_str(&curve(last, (bend.0, bend.1 - half)));
        last = (bend.0, bend.1 + half);
        path.push_str(&format!("L{}", point(last)));
    }
    path.push_str(&curve(last, end));
    let (colour, width) = if line.is_critical {
        (CRITICAL, 3.2)
    } else {
        (FAINT, 1.1)
    };
    let dash = if line.dash.is_empty() {
        String::new()
    } else {
        format!(" stroke-dasharray=\"{}\"", line.dash)
    };
    document.element(
        "path",
        &format!("d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\"{dash}"),
    );
    let side = if line.is_critical { 5.0 } else { 3.2 };
    let head = [
        tip,
        (tip.0 - side, tip.1 - HEAD - 1.0),
        (tip.0 + side, tip.1 - HEAD - 1.0),
    ]
    .map(point)
    .join(" ");
    document.element("polygon", &format!("points=\"{head}\" fill=\"{colour}\""));
}

fn curve(from: (f64, f64), to: (f64, f64)) -> String {
    let reach = (to.1 - from.1) / 2.0;
    format!(
        "C{} {} {}",
        point((from.0, from.1 + reach)),
        point((to.0, to.1 - reach)),
        point(to)
    )
}
