//! The names that `--explain` takes for nests.

use super::super::columns::{Align, aligned};
use crate::model::Model;
use crate::model::ranking::listed;
use crate::quantity::Seconds;

/// All nests, the costliest first, with their places.
pub fn list(model: &Model) -> String {
    let nests = model.ranking.order(&model.nests, &model.figures);
    let nests = listed(&model.nests, nests, usize::MAX);
    let time = match model.ranking.follows_calls {
        true => "all calls",
        false => "time",
    };
    let mut rows = vec![["nest", time, "place"].map(String::from).to_vec()];
    rows.extend(nests.iter().map(|index| row(model, *index)));
    let mut text = aligned(&rows, [Align::Left, Align::Right, Align::Left]);
    if nests.is_empty() {
        text.push_str("There are no nests here.\n");
    }
    text
}

fn row(model: &Model, index: usize) -> Vec<String> {
    let nest = &model.nests[index];
    let head = nest.nest.head();
    let mark = nest.mark();
    let seconds = match model.ranking.seconds(index).map(|id| model.value(id)) {
        Some(seconds) if seconds.is_finite() => Seconds(seconds).to_string(),
        Some(_) => "unknown".to_string(),
        None => "not called".to_string(),
    };
    vec![
        format!("{}{mark}", head.id),
        seconds,
        format!("{}:{}", head.file, head.line),
    ]
}
