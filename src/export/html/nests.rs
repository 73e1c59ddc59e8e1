//! Nests: the lines of the source around each, and why it is not fully understood.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::figures::Figures;
use super::{Sources, details};
use crate::analysis::coverage;
use crate::model::{Model, NestModel};
use crate::reason::ReasonCode;

/// Lines shown above the first loop of a nest.
const ABOVE: u32 = 2;
/// Most lines shown from the first loop on.
const BELOW: u32 = 24;
/// The same of nests that do not follow the inputs: there are thousands of them.
const BELOW_OTHERS: u32 = 2;
/// Characters of a line.
const WIDTH: usize = 160;

/// One entry a nest, in the order of the table of nests: where it is in the source, and the details of those that follow
/// the inputs.
pub(super) fn places(model: &Model, listed: &[usize], figures: &mut Figures) -> Vec<Value> {
    let live = figures.live().to_vec();
    let mut place = |index: usize| {
        let detail = live[index].then(|| details::build(model, index, figures));
        place(&model.nests[index], detail)
    };
    listed.iter().copied().map(&mut place).collect()
}

fn place(nest: &NestModel, detail: Option<Value>) -> Value {
    let head = nest.nest.head();
    let own = nest.nest.loops[nest.nest.own..].iter().map(|c| c.facts);
    let starts: BTreeSet<u32> = own
        .clone()
        .filter(|facts| facts.file == head.file)
        .map(|facts| facts.line)
        .collect();
    let (first, last) = shown_lines(nest, detail.is_some());
    let reasons = nest
        .nest
        .loops
        .iter()
        .flat_map(|c| coverage::reasons(c.facts));
    let reasons: BTreeSet<(ReasonCode, u32, &str)> = reasons
        .map(|r| (r.code, r.line, r.detail.as_str()))
        .collect();
    let told: BTreeSet<ReasonCode> = reasons.iter().map(|(code, ..)| *code).collect();
    let others: Vec<ReasonCode> = nest
        .reason_codes()
        .into_iter()
        .filter(|code| !told.contains(code))
        .collect();
    json!({
        "id": head.id, "file": *head.file, "line": head.line, "end": head.end_line.max(head.line),
        "first": first, "last": last, "starts": starts, "star": !nest.mark().is_empty(), "reasons": reasons, "codes": others,
        "disagreement": nest.disagreement(), "detail": detail,
    })
}

fn shown_lines(nest: &NestModel, is_live: bool) -> (u32, u32) {
    let head = nest.nest.head();
    let below = if is_live { BELOW } else { BELOW_OTHERS };
    (
        head.line.saturating_sub(ABOVE).max(1),
        head.end_line
            .clamp(head.line, head.line.saturating_add(below)),
    )
}

/// The lines of the source that some nest shows, by file and number; files that cannot be read are left out, and the page
/// says so.
pub(super) fn lines(model: &Model, (listed, live): (&[usize], &[bool]), sources: Sources) -> Value {
    let mut wanted: BTreeMap<&Arc<str>, BTreeSet<u32>> = BTreeMap::new();
    for nest in listed {
        let (nest, is_live) = (&model.nests[*nest], live[*nest]);
        let (first, last) = shown_lines(nest, is_live);
        wanted
            .entry(&nest.nest.head().file)
            .or_default()
            .extend(first..=last);
    }
    let mut files = Map::new();
    for (file, numbers) in wanted {
        let Some(text) = sources(file) else { continue };
        let numbered = (1u32..)
            .zip(text.lines())
            .filter(|(number, _)| numbers.contains(number));
        let lines: Map<String, Value> = numbered
            .map(|(number, line)| (number.to_string(), json!(cut(line))))
            .collect();
        files.insert(file.to_string(), Value::Object(lines));
    }
    Value::Object(files)
}

/// At most so much of a line as there is room for; says that it was cut.
fn cut(line: &str) -> String {
    match line.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_string(),
    }
}
