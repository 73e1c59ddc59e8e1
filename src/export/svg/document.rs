//! One SVG document while it is written: elements, escaped text, coordinates with two decimals.

use std::fmt::Write;

/// Text and axes.
pub(super) const INK: &str = "#1F2A37";
/// Less important text, edges.
pub(super) const FAINT: &str = "#6B7280";
/// Lines of a grid.
pub(super) const GRID: &str = "#E2E7EE";
/// Okabe and Ito's vermilion: what is critical.
pub(super) const CRITICAL: &str = "#D55E00";
/// Okabe and Ito's blue.
pub(super) const BLUE: &str = "#0072B2";
/// Okabe and Ito's orange: what goes to RAM.
pub(super) const ORANGE: &str = "#F2B44A";
/// Sky blue, lighter: accesses that hit.
pub(super) const SKY: &str = "#CFE8F7";
/// Everything that is not an access.
pub(super) const PALE: &str = "#F4F6F9";

pub(super) struct Document {
    body: String,
}

/// Where a text is anchored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Document {
    /// A document of that size in pixels with a title and a description for who cannot see it.
    pub fn new(width: f64, height: f64, title: &str, description: &str) -> Document {
        let (w, h) = (short(width), short(height));
        let mut body = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        let _ = writeln!(
            body,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
             role=\"img\" font-family=\"'DejaVu Sans', Verdana, sans-serif\" font-size=\"12\" fill=\"{INK}\">"
        );
        let _ = writeln!(
            body,
            "<title>{}</title>\n<desc>{}</desc>",
            escaped(title),
            escaped(description)
        );
        let _ = writeln!(
            body,
            "<rect width=\"{w}\" height=\"{h}\" fill=\"#FFFFFF\"/>"
        );
        Document { body }
    }

    /// One element without content; `attributes` as they stand.
    pub fn element(&mut self, name: &str, attributes: &str) {
        let _ = writeln!(self.body, "<{name} {attributes}/>");
    }

    /// A group that is open until [`Document::close`], with a tooltip if it has one.
    pub fn open(&mut self, attributes: &str, tooltip: Option<&str>) {
        let space = if attributes.is_empty() { "" } else { " " };
        let _ = writeln!(self.body, "<g{space}{attributes}>");
        if let Some(tooltip) = tooltip {
            let _ = writeln!(self.body, "<title>{}</title>", escaped(tooltip));
        }
    }

    pub fn close(&mut self) {
        self.body.push_str("</g>\n");
    }

    pub fn text(&mut self, (x, y): (f64, f64), anchor: Anchor, attributes: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let (x, y) = (short(x), short(y));
        let space = if attributes.is_empty() { "" } else { " " };
        let text = escaped(text);
        let _ = writeln!(
            self.body,
            "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\"{space}{attributes}>{text}</text>"
        );
    }

    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), attributes: &str) {
        let ends = format!(
            "x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" {attributes}",
            short(from.0),
            short(from.1),
            short(to.0),
            short(to.1)
        );
        self.element("line", &ends);
    }

    pub fn finish(mut self) -> String {
        self.body.push_str("</svg>\n");
        self.body
    }
}

/// A coordinate with at most two decimals.
pub(super) fn short(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" {
        "0".to_string()
    } else {
        text.to_string()
    }
}

/// The next of 1, 2, 5, 10, 20 … from below: between ticks of an axis.
pub(super) fn round_step(value: f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    let fits = |factor: &f64| factor * power >= value;
    [1.0, 2.0, 5.0, 10.0].into_iter().find(fits).unwrap_or(10.0) * power
}

/// `x,y`.
pub(super) fn point((x, y): (f64, f64)) -> String {
    format!("{},{}", short(x), short(y))
}

/// Text as XML takes it; characters that XML does not have are replaced.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' => escaped.push(c),
            c if c.is_control() || matches!(c, '\u{FFFE}' | '\u{FFFF}') => escaped.push('\u{FFFD}'),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_coordinates_are_short() {
        assert_eq!(escaped("a<b>&\"c\u{1}"), "a&lt;b&gt;&amp;&quot;c\u{FFFD}");
        assert_eq!(
            [short(1.0), short(-0.001), short(2.345_6)],
            ["1", "0", "2.35"]
        );
    }
}
