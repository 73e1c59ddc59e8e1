//! Advice in words, wherever it is shown.

use super::{Advice, BlockedLoop, Change, Check, Records};
use crate::expr::{CellNames, Excel, FigureId, Node};
use crate::quantity::{Bytes, Seconds, binary_size, significant};
use crate::wording::some;
use crate::{Collision, Conflict, Model};

/// What to change, in words, without the sizes that figures give.
pub fn change(advice: &Advice) -> String {
    match &advice.change {
        Change::Block(loops) => {
            let one = |one: &BlockedLoop| format!("{} ({})", one.variable, one.parameter);
            let names: Vec<String> = loops.iter().map(one).collect();
            match names.as_slice() {
                [one] => format!("block loop {one}"),
                several => format!("block loops {}", several.join(", ")),
            }
        }
        Change::Interchange { from, to } => {
            let moved: Vec<&str> = (from.iter().zip(to))
                .filter(|(from, to)| from != to)
                .map(|(from, _)| from.as_str())
                .collect();
            match moved.as_slice() {
                [one, other] => format!("interchange loops {one} and {other}"),
                _ => format!(
                    "nest the loops as {}, not {}",
                    to.join(", "),
                    from.join(", ")
                ),
            }
        }
        Change::Fuse { arrays } => format!("fuse both nests, which share {}", list(arrays)),
        Change::StreamingStores { arrays } => format!("use streaming stores to {}", list(arrays)),
        Change::SplitRecords(records) => {
            let one = |one: &Records| {
                format!(
                    "{} ({} of {} elements used)",
                    one.array, one.used, one.elements
                )
            };
            let records: Vec<String> = records.iter().map(one).collect();
            format!(
                "use a separate array for each member of {}",
                records.join(", ")
            )
        }
        Change::LargerCache { level, factor } => match factor {
            2.0 => format!("{level} twice as large"),
            factor => format!("{level} {factor} times as large"),
        },
        Change::ReorderSums { sums } => format!(
            "let the compiler reorder the sums of {} (`omp simd reduction`, -ffast-math)",
            list(sums)
        ),
        Change::IndependentWork { waits } => format!(
            "iterations wait for {}: independent work between them, such as several rows at once, gives at most",
            list(waits)
        ),
    }
}

/// The same with sizes.
fn sized_change(model: &Model, advice: &Advice) -> String {
    let bytes = advice.figures.inputs.first().map(|id| model.value(*id));
    match (&advice.change, bytes) {
        (Change::Block(loops), _) => {
            let one = |one: &BlockedLoop| {
                format!("{}={} (loop {})", one.parameter, one.size, one.variable)
            };
            let loops: Vec<String> = loops.iter().map(one).collect();
            loops.join(", ")
        }
        (Change::LargerCache { .. }, Some(bytes)) => {
            format!("{} ({})", change(advice), size(bytes))
        }
        _ => change(advice),
    }
}

/// A size of a cache: in binary units where it is a whole number of KiB.
fn size(bytes: f64) -> String {
    match bytes % 1024.0 == 0.0 && (0.0..9e15).contains(&bytes) {
        true => binary_size(bytes as u64),
        false => Bytes(bytes).to_string(),
    }
}

/// So many names are listed.
const NAMES: usize = 4;

/// The first names, and how many more there are.
pub fn list(names: &[String]) -> String {
    some(names, NAMES)
}

/// The nests concerned, by their loops.
pub fn nests(model: &Model, advice: &Advice) -> String {
    let ids = advice
        .nests
        .iter()
        .map(|nest| model.nests[*nest].nest.head().id.clone());
    list(&ids.collect::<Vec<String>>())
}

/// What fits then, and up to where.
pub fn fit(model: &Model, advice: &Advice) -> Option<String> {
    let fit = advice.fit.as_ref()?;
    let size = fit.size.as_ref();
    let size = size
        .map(|(name, largest)| format!(" while {name} ≤ {}", significant(model.value(*largest))));
    Some(format!("fits {}{}", fit.cache, size.unwrap_or_default()))
}

/// What has to be checked before it is followed.
pub fn checks(advice: &Advice) -> Option<String> {
    let checks: Vec<String> = advice.checks.iter().map(Check::to_string).collect();
    (!checks.is_empty()).then(|| checks.join("; "))
}

/// All that is said of it: where, what, what it gives, and what has to be checked.
pub fn sentence(model: &Model, advice: &Advice) -> String {
    let figures = &advice.figures;
    let [before, after] =
        [figures.before, figures.after].map(|id| Seconds(model.value(id)).to_string());
    let (nests, change) = (nests(model, advice), sized_change(model, advice));
    let speedup = model.value(figures.speedup);
    let mut text = format!("{nests}: {change}: {before} → {after} ({speedup:.2} ×)");
    let bytes = model.value(figures.bytes);
    if bytes >= 1.0 {
        text.push_str(&format!(", −{}", Bytes(bytes)));
    }
    if let Some(fit) = fit(model, advice) {
        text.push_str(&format!(", {fit}"));
    }
    if let Some(checks) = checks(advice) {
        text.push_str(&format!("; check: {checks}"));
    }
    if !advice.guessed.is_empty() {
        text.push_str(&format!("; sizes guessed: {}", list(&advice.guessed)));
    }
    text
}

/// What it saves as a formula over figures by their names, in guillemets, and inputs.
pub fn formula(model: &Model, advice: &Advice) -> String {
    let names = Named {
        model,
        depth: DEPTH,
    };
    let expr = &model.figures.get(advice.figures.saved).expr;
    Excel {
        expr,
        names: &names,
    }
    .to_string()
}

/// Figures that a saving is made of stand in its formula with their own formulas, so deep: down to what the times of nests
/// are the largest of.
const DEPTH: usize = 2;

struct Named<'a, 'p> {
    model: &'a Model<'p>,
    depth: usize,
}

impl CellNames for Named<'_, '_> {
    fn figure(&self, id: FigureId) -> String {
        let mut figure = self.model.figures.get(id);
        // What is nothing but another figure adds nothing.
        while let Node::Figure(same) = figure.expr.node() {
            figure = self.model.figures.get(*same);
        }
        if self.depth == 0 || figure.expr.as_number().is_some() {
            return format!("«{}»", figure.label);
        }
        let names = Named {
            model: self.model,
            depth: self.depth - 1,
        };
        let expr = &figure.expr;
        format!(
            "({})",
            Excel {
                expr,
                names: &names
            }
        )
    }

    fn symbol(&self, name: &str) -> String {
        name.to_string()
    }

    fn range(&self, _: &[FigureId]) -> Option<String> {
        None
    }
}

/// What collides in the sets of a cache, what that costs, and what to do about it.
pub fn conflict(model: &Model, conflict: &Conflict) -> String {
    let Collision {
        array,
        stride,
        lines,
        sets,
        held,
    } = &conflict.collision;
    let level = model.machine.levels().into_iter().nth(conflict.level);
    let (name, line) = level.map_or((String::new(), 0.0), |level| (level.name, level.line));
    let times = significant(conflict.ratio());
    let places = format!(
        "{lines} lines of {array} are {} apart and share {sets} of the sets of {name}, which hold {held}",
        Bytes(*stride)
    );
    match conflict.is_costly() {
        true => format!(
            "{places}: {times} times the bytes that it would move without conflicts; pad the rows of {array} by a line ({})",
            Bytes(line)
        ),
        false => format!("{places}: {times} times the bytes, hardly more than without conflicts"),
    }
}
