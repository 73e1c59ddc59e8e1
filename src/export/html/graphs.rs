//! Dependence graphs: the drawings of `--svg`, whose times follow the inputs.

use std::fmt::Write;

use super::escaped;
use super::figures::Figures;
use crate::loops_dot::name;
use crate::model::{Model, SequenceModel};
use crate::svg;

/// Drawings in a page; the others are named.
const MOST: usize = 100;

/// All sequences of loops, those with the most time first, as markup.
pub(super) fn drawings(model: &Model, figures: &mut Figures) -> String {
    let is_listed = |one: &&SequenceModel| model.program.functions[one.function].is_shown;
    let mut sequences: Vec<&SequenceModel> = model.sequences.iter().filter(is_listed).collect();
    let seconds = |sequence: &SequenceModel| {
        let seconds = model.value(sequence.total);
        if seconds.is_nan() {
            f64::NEG_INFINITY
        } else {
            seconds
        }
    };
    sequences.sort_by(|a, b| seconds(b).total_cmp(&seconds(a)));
    let (drawn, named) = sequences.split_at(sequences.len().min(MOST));
    let mut markup = String::new();
    if sequences.is_empty() {
        markup.push_str("<p>No function has several loops one after another.</p>\n");
    }
    for (index, sequence) in drawn.iter().enumerate() {
        let [total, critical] = [sequence.total, sequence.critical].map(|id| figures.position(id));
        let drawing = svg::sequence_with(model, sequence, &mut |id| {
            format!(
                "data-figure=\"{}\" data-unit=\"s\" data-look=\"seconds\"",
                figures.position(id)
            )
        });
        let drawing = drawing
            .split_once("?>")
            .map_or(drawing.as_str(), |(_, svg)| svg)
            .trim();
        let open = if index == 0 { " open" } else { "" };
        let _ = writeln!(
            markup,
            "<details class=\"graph\"{open}><summary>{}: <span data-figure=\"{total}\" data-unit=\"s\" \
             data-look=\"seconds\"></span> one after another, <span data-figure=\"{critical}\" data-unit=\"s\" \
             data-look=\"seconds\"></span> on the critical path</summary>\n<div class=\"wide\" tabindex=\"0\" \
             role=\"region\" aria-label=\"Drawing\">{drawing}</div></details>",
            escaped(&name(model, sequence))
        );
    }
    if !named.is_empty() {
        let names = named
            .iter()
            .map(|sequence| escaped(&name(model, sequence)))
            .collect::<Vec<String>>()
            .join(", ");
        let _ = writeln!(
            markup,
            "<p>Not drawn here, but by <code>--svg DIR</code>, {} more: {names}.</p>",
            named.len()
        );
    }
    markup
}
