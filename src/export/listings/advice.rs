//! Advice: one row a change that would make the costliest nests faster. Also its words, wherever it is shown.

use super::{Column, Content, Look, Table, add, add_figures, some};
use crate::expr::FigureId;
use crate::model::advice::{AdviceFigures, BlockedLoop, Check, Records};
use crate::model::{Advice, AdviceKind, Change, Model, StaticFigure as F};
use crate::quantity::{Bytes, Seconds, significant};

/// What to change, in words, without the sizes that figures give.
pub(crate) fn change(advice: &Advice) -> String {
    match &advice.change {
        Change::Block(loops) => {
            let one = |one: &BlockedLoop| format!("{} ({})", one.variable, one.parameter);
            let names: Vec<String> = loops.iter().map(one).collect();
            match names.as_slice() {
                [one] => format!("blocks of loop {one}"),
                several => format!("blocks of loops {}", several.join(", ")),
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
        Change::StreamingStores { arrays } => format!("streaming stores to {}", list(arrays)),
        Change::SplitRecords(records) => {
            let one = |one: &Records| {
                format!(
                    "{} ({} of {} elements used)",
                    one.array, one.used, one.elements
                )
            };
            let records: Vec<String> = records.iter().map(one).collect();
            format!("an array for each member of {}", records.join(", "))
        }
        Change::LargerCache { level, factor } => format!("{level} {factor} times as large"),
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
            format!("{}, {}", change(advice), Bytes(bytes))
        }
        _ => change(advice),
    }
}

/// So many names are listed.
const NAMES: usize = 4;

fn list(names: &[String]) -> String {
    match names.len().saturating_sub(NAMES) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names[..NAMES].join(", ")),
    }
}

/// The nests that it is about, by their loops.
pub(crate) fn nests(model: &Model, advice: &Advice) -> String {
    let ids = advice
        .nests
        .iter()
        .map(|nest| model.nests[*nest].nest.head().id.clone());
    list(&ids.collect::<Vec<String>>())
}

/// What fits then, and up to where.
pub(crate) fn fit(model: &Model, advice: &Advice) -> Option<String> {
    let fit = advice.fit.as_ref()?;
    let size = fit.size.as_ref();
    let size = size
        .map(|(name, largest)| format!(" while {name} ≤ {}", significant(model.value(*largest))));
    Some(format!("fits {}{}", fit.cache, size.unwrap_or_default()))
}

/// What has to be checked before it is followed.
pub(crate) fn checks(advice: &Advice) -> Option<String> {
    let checks: Vec<String> = advice.checks.iter().map(Check::to_string).collect();
    (!checks.is_empty()).then(|| checks.join("; "))
}

/// All that is said of it: where, what, what it gives, and what has to be checked.
pub(crate) fn sentence(model: &Model, advice: &Advice) -> String {
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

/// Whether the source has to change for it.
fn is_of_source(advice: &Advice) -> bool {
    advice.change.kind() != AdviceKind::LargerCache
}

const CHANGE: &str = "Change";
const TIME: &str = "Time";
const SIZES: &str = "Sizes";

/// One row a piece of advice, the one that saves the most first.
pub(crate) fn table<'a>(model: &'a Model<'a>) -> Table<'a, &'a Advice> {
    let mut columns: Vec<Column<&Advice>> = Vec::new();
    add_words(
        &mut columns,
        (CHANGE, "Nests"),
        "The nests that it is about, by their loops",
        move |advice| Some(nests(model, advice)),
    );
    add_words(
        &mut columns,
        (CHANGE, "What"),
        "What to change; names in brackets are those of parameters, which change all nests on sheet Parameters",
        |advice| Some(change(advice)),
    );
    let mut figure =
        |heading: (&str, &str), look: Look, kind: F, pick: fn(&AdviceFigures) -> FigureId| {
            add_figures(
                &mut columns,
                heading,
                look,
                kind,
                move |advice: &&Advice| Content::Figure(pick(&advice.figures)),
            );
        };
    figure((TIME, "Saved"), Look::Seconds, F::AdviceSaving, |one| {
        one.saved
    });
    figure(
        (TIME, "Share of program"),
        Look::Share,
        F::AdviceShare,
        |one| one.share,
    );
    figure((TIME, "Before"), Look::Seconds, F::AdvisedNests, |one| {
        one.before
    });
    figure((TIME, "After"), Look::Seconds, F::TimeAsAdvised, |one| {
        one.after
    });
    figure((TIME, "Speed-up"), Look::Ratio, F::AdviceSpeedup, |one| {
        one.speedup
    });
    figure(
        ("Memory traffic", "Saved"),
        Look::Count,
        F::AdviceTrafficSaving,
        |one| one.bytes,
    );
    add_conditions(&mut columns);
    add_inputs(&mut columns);
    Table {
        title: "Advice",
        remark: remark(model),
        rows: model.advice.iter().collect(),
        columns,
    }
}

/// A column of text.
fn add_words<'a>(
    columns: &mut Vec<Column<'a, &'a Advice>>,
    (group, header): (&str, &str),
    meaning: &str,
    words: impl Fn(&Advice) -> Option<String> + 'a,
) {
    add(
        columns,
        (group, header, ""),
        Look::Text,
        meaning,
        move |advice: &&Advice| words(advice).map_or(Content::Empty, Content::Text),
    );
}

/// What it rests on: what has to be checked, sizes that nothing tells, what fits into a cache.
fn add_conditions<'a>(columns: &mut Vec<Column<'a, &'a Advice>>) {
    add_words(
        columns,
        ("Legality", "To check"),
        "What has to be checked or done before; where it says proven, the dependences that were found allow it",
        |advice| match checks(advice) {
            None if is_of_source(advice) => Some("proven".to_string()),
            checks => checks,
        },
    );
    add_words(
        columns,
        ("Guessed", "Sizes"),
        "Sizes that the figures rest on and that nothing tells",
        |advice| (!advice.guessed.is_empty()).then(|| list(&advice.guessed)),
    );
    add_words(
        columns,
        ("Fits", "In"),
        "The cache that holds with it what it did not hold before",
        |advice| advice.fit.as_ref().map(|fit| fit.cache.clone()),
    );
    add_words(
        columns,
        ("Fits", "While"),
        "The parameter that what is held grows with",
        |advice| {
            let (name, _) = advice.fit.as_ref()?.size.as_ref()?;
            Some(name.clone())
        },
    );
    add_figures(
        columns,
        ("Fits", "At most"),
        Look::Count,
        F::LargestSize,
        |advice: &&Advice| {
            let size = advice.fit.as_ref().and_then(|fit| fit.size.as_ref());
            some(size.map(|(_, largest)| *largest))
        },
    );
}

/// What the inputs are changed to.
fn add_inputs(columns: &mut Vec<Column<&Advice>>) {
    let input = |advice: &Advice, kind: AdviceKind, at: usize| {
        let inputs = &advice.figures.inputs;
        some(
            (advice.change.kind() == kind)
                .then(|| inputs.get(at).copied())
                .flatten(),
        )
    };
    for (at, header) in ["Block", "Second block"].into_iter().enumerate() {
        add_figures(
            columns,
            (SIZES, header),
            Look::Number,
            F::AdvisedBlock,
            move |advice: &&Advice| input(advice, AdviceKind::Block, at),
        );
    }
    add_figures(
        columns,
        (SIZES, "Cache"),
        Look::Count,
        F::AdvisedCapacity,
        move |advice: &&Advice| input(advice, AdviceKind::LargerCache, 0),
    );
}

/// What is said of the table as a whole.
fn remark(model: &Model) -> String {
    match model.advice.is_empty() {
        true => "Nothing that is known here saves 1 % of the program's time.".to_string(),
        false => "What saves 1 % of the program's time or more, each change by itself. Chosen for the inputs in force when this was written; the figures follow the inputs.".to_string(),
    }
}
