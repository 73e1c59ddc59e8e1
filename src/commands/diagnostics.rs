//! Diagnostics on standard error, with the source line underlined.

use std::collections::HashMap;
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use super::Voice;
use crate::diagnostic::{Diagnostic, Severity};

/// At most this many are shown in full; the reports hold all of them.
const SHOWN: usize = 40;

/// Prints the diagnostics that the voice asks for. `source` gives the text of a file.
pub fn print(diagnostics: &[&Diagnostic], voice: Voice, source: &dyn Fn(&str) -> Option<String>) {
    let least = match (voice.quiet, voice.verbose) {
        (true, _) => Severity::Error,
        (_, true) => Severity::Note,
        _ => Severity::Warning,
    };
    let wanted: Vec<&&Diagnostic> = diagnostics.iter().filter(|d| d.severity >= least).collect();
    let renderer = if voice.color {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let mut texts: HashMap<Arc<str>, Option<String>> = HashMap::new();
    for diagnostic in wanted.iter().take(SHOWN) {
        let place = &diagnostic.place;
        let text = texts
            .entry(place.file.clone())
            .or_insert_with(|| source(&place.file));
        eprintln!("{}", render(diagnostic, text.as_deref(), &renderer));
    }
    if wanted.len() > SHOWN {
        eprintln!(
            "… and {} more; all of them are in the reports (--json, sheet Notes)",
            wanted.len() - SHOWN
        );
    }
}

fn render(diagnostic: &Diagnostic, text: Option<&str>, renderer: &Renderer) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let place = &diagnostic.place;
    let line = text.and_then(|text| text.lines().nth(place.line.saturating_sub(1) as usize));
    let title = level
        .primary_title(diagnostic.message.as_str())
        .id(diagnostic.code.as_str());
    let group = match line {
        Some(line) => {
            let start = line
                .char_indices()
                .nth(place.column.saturating_sub(1) as usize)
                .map_or(line.len(), |(i, _)| i);
            let end = line[start..]
                .char_indices()
                .nth(diagnostic.width as usize)
                .map_or(line.len(), |(i, _)| start + i);
            let snippet = Snippet::source(line)
                .line_start(place.line as usize)
                .path(&*place.file)
                .annotation(AnnotationKind::Primary.span(start..end.max(start)));
            title.element(snippet)
        }
        None => {
            title.element(annotate_snippets::Origin::path(&*place.file).line(place.line as usize))
        }
    };
    let group = match &diagnostic.help {
        Some(help) => group.element(Level::HELP.message(help.as_str())),
        None => group,
    };
    renderer.render(&[group])
}
