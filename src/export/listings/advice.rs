//! Advice: one row a change that would make the costliest nests faster.

use super::{Column, Content, Look, Table, add, add_figures, some};
use crate::expr::FigureId;
use crate::model::advice::AdviceFigures;
use crate::model::advice::words::{change, checks, list, nests};
use crate::model::{Advice, AdviceKind, Model, StaticFigure as F};

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
        "The nests concerned, by their loops",
        move |advice| Some(nests(model, advice)),
    );
    add_words(
        &mut columns,
        (CHANGE, "What"),
        "What to change; names in parentheses are parameters, which change all nests on sheet Parameters",
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
        Look::Bytes,
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

/// What it rests on: what has to be checked, sizes that nothing gives, what fits into a cache.
fn add_conditions<'a>(columns: &mut Vec<Column<'a, &'a Advice>>) {
    add_words(
        columns,
        ("Legality", "To check"),
        "What must be checked or done first; proven means that the dependences found allow it",
        |advice| match checks(advice) {
            None if is_of_source(advice) => Some("proven".to_string()),
            checks => checks,
        },
    );
    add_words(
        columns,
        ("Guessed", "Sizes"),
        "Sizes that the figures depend on and that are guessed",
        |advice| (!advice.guessed.is_empty()).then(|| list(&advice.guessed)),
    );
    add_words(
        columns,
        ("Fits", "In"),
        "The cache that then holds what it did not hold before",
        |advice| advice.fit.as_ref().map(|fit| fit.cache.clone()),
    );
    add_words(
        columns,
        ("Fits", "While"),
        "The parameter with which the held data grow",
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
        true => "No known change saves 1 % of the program's time.".to_string(),
        false => "Changes that each save 1 % or more of the program's time on their own. Chosen for the inputs in force when this was written; the figures follow the inputs.".to_string(),
    }
}
