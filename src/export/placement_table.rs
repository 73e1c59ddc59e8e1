//! Which arrays may go to slower memory, as text.

use std::fmt::Write;

use super::columns::grid;
use super::listings::UNKNOWN;
use super::listings::placement::{goes, memory as far_memory};
use super::table::share;
use crate::model::{MARK, Model, Placement};
use crate::quantity::Bytes;
use crate::wording::{self, longer};

/// A row an array, those that may go first.
pub fn list(text: &mut String, model: &Model) {
    let (Some(memory), Some(placed)) = (model.far, model.placement()) else {
        return;
    };
    let _ = writeln!(text, "\narrays in far memory {}", far_memory(memory));
    if placed.objects.is_empty() {
        text.push_str("  no loop moves an array that is known\n");
        return;
    }
    text.push_str(&grid(&rows(placed)));
    write_end(text, placed);
}

fn rows(placed: &Placement) -> Vec<Vec<String>> {
    let heading = [
        "  array",
        "touched",
        "from memory",
        "irregular",
        "loss alone",
        "far?",
        "pages far if split",
    ];
    let mut rows = vec![heading.map(String::from).to_vec()];
    for object in &placed.objects {
        let mark = if object.is_sure { "" } else { MARK };
        rows.push(vec![
            format!("  {}{mark}", object.name(&placed.objects)),
            Bytes(object.touched).to_string(),
            Bytes(object.bytes).to_string(),
            object
                .irregular
                .map_or_else(|| UNKNOWN.to_string(), |bytes| Bytes(bytes).to_string()),
            object.loss.map_or_else(|| UNKNOWN.to_string(), share),
            goes(object.goes, object.best).to_string(),
            share(object.share),
        ]);
    }
    rows
}

fn write_end(text: &mut String, placed: &Placement) {
    let _ = writeln!(
        text,
        "  all arrays marked yes there: the run takes {}\n  pages far if split: another plan, in which each array in turn has as many of \
         its pages there as the limit allows",
        longer(placed.together)
    );
    let shares = placed.interleaved.iter();
    let shares =
        shares.map(|(part, loss)| format!("{} with {} of them far", longer(*loss), share(*part)));
    let _ = writeln!(
        text,
        "  pages of all arrays in turn in both memories: {} of them may be far; the run takes {}",
        share(placed.largest_share),
        shares.collect::<Vec<String>>().join(", ")
    );
    if placed.fastest_share > 0.0 {
        let _ = writeln!(
            text,
            "  with {} of all pages far the run is {} shorter",
            share(placed.fastest_share),
            share(-placed.fastest_loss)
        );
    }
    if placed.objects.iter().any(|object| object.loss.is_none()) {
        text.push_str(
            "  unknown: the machine file gives no latencies for lines that no prefetcher predicts; `loopsheet machine measure` does. With pages of all \
             arrays in turn, such lines count as lines in order\n",
        );
    }
    if placed.unknown_nests > 0 {
        let _ = writeln!(
            text,
            "  without {} whose time or bytes are not known",
            wording::counted(placed.unknown_nests, "nest")
        );
    }
}
