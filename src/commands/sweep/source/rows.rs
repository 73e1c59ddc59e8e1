//! From a model to rows: the program, and each of its nests.

use std::collections::BTreeSet;

use crate::diagnostic::Severity;
use crate::model::influence;
use crate::model::parameters::Kind;
use crate::model::{KnownTotals, Model, NestModel};
use crate::sweep::columns::Column;
use crate::sweep::manifest::{self, NotRead};
use crate::sweep::row::{Row, RowKind};
use crate::wording::some;
use loopsheet_base::reason::ReasonCode;

/// `L1, L2 and L3`.
fn listed(names: &[String]) -> String {
    match names {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => names.concat(),
    }
}

/// What the figures of each nest, and the number of its calls, rest on and nothing gives.
pub(super) fn guesses(model: &Model) -> Vec<BTreeSet<String>> {
    let guessed = |nest| {
        influence::guesses(model, nest).map(|row| match row.kind {
            // Their labels are conditions.
            Kind::Probability => row.name.clone(),
            _ => row.label.clone(),
        })
    };
    (0..model.nests.len())
        .map(|nest| guessed(nest).collect())
        .collect()
}

/// What the machine leaves unknown and would bound times of these nests: without it they are lower bounds.
fn machine_unknown<'m>(
    model: &Model,
    nests: impl Iterator<Item = &'m NestModel<'m>> + Clone,
) -> String {
    let mut unknown = Vec::new();
    if nests.clone().any(|nest| nest.time.in_core.is_none()) {
        unknown.push("what its cores do in a cycle".to_string());
    }
    let levels = model.machine.levels().into_iter();
    let levels: Vec<String> = levels
        .filter(|level| level.gbs.is_none())
        .map(|level| level.name)
        .collect();
    if !levels.is_empty() {
        unknown.push(format!("the bandwidth of {}", listed(&levels)));
    }
    let has_rates = model.machine.has_irregular_rates();
    let waits = |nest: &NestModel| {
        let is_gathered = nest.reason_codes().contains(&ReasonCode::GatheredElements);
        is_gathered && !has_rates
    };
    if nests.clone().any(waits) {
        unknown.push("the time of lines that no prefetcher predicts".to_string());
    }
    listed(&unknown)
}

/// What stands behind stars and does not follow from the model.
#[derive(Clone, Copy)]
pub(super) struct Marks<'m> {
    /// Of each nest.
    pub guessed: &'m [BTreeSet<String>],
    pub not_read: &'m [NotRead],
}

/// The rows of a model: the program, its nests behind it.
pub(super) fn add_rows(
    input: &str,
    asked: &manifest::Model,
    (model, marks): (&Model, Marks),
    rows: &mut Vec<Row>,
) {
    let Marks { guessed, not_read } = marks;
    let machine = asked.machine.as_deref().unwrap_or(&model.machine.name);
    let row = |kind: RowKind| {
        Row::new(input, kind)
            .with_text(Column::Machine, machine)
            .with_settings(&asked.values)
    };
    let over_calls = KnownTotals::over_calls(&model.nests, &model.ranking, &model.figures);
    let mut totals = over_calls.unwrap_or_else(|| KnownTotals::of(&model.nests, &model.figures));
    let unknown_calls = (0..model.nests.len()).filter(|nest| model.is_call_unknown(*nest));
    totals.unknown.extend(unknown_calls.clone());
    let remarks = model
        .program
        .files
        .iter()
        .flat_map(|file| &file.diagnostics);
    let errors = remarks.filter(|remark| remark.severity == Severity::Error);
    let codes = |index: usize| {
        let codes = model.nests[index].reason_codes().into_iter();
        codes.chain(model.doubts(index))
    };
    let text = |words: BTreeSet<String>, between: &str| -> String {
        words.into_iter().collect::<Vec<_>>().join(between)
    };
    let of_file = |file: &str| {
        let file = file.to_string();
        not_read.iter().filter(move |part| part.file == file)
    };
    // Those in its sums.
    let is_counted =
        |nest: &usize| model.ranking.of(*nest).is_some() && !totals.unknown.contains(nest);
    let counted = (0..model.nests.len()).filter(is_counted);
    // Of nothing that is known nothing is known, not 0.
    let of_counted = |sum: f64| match counted.clone().next() {
        Some(_) => sum,
        None => f64::NAN,
    };
    let outside = model.left_out_outside();
    let of_calls = unknown_calls.flat_map(|nest| model.doubts(nest));
    let all_codes = counted.clone().flat_map(codes);
    let all_codes = all_codes.chain(outside).chain(of_calls);
    let all_codes = all_codes.map(|code| code.to_string());
    let all_guessed = counted
        .clone()
        .flat_map(|nest| guessed[nest].iter().cloned());
    let of_machine = machine_unknown(model, counted.clone().map(|nest| &model.nests[nest]));
    rows.push(
        row(RowKind::Program)
            .with_text(Column::Reasons, &text(all_codes.collect(), " "))
            .with_text(Column::GuessedSizes, &text(all_guessed.collect(), ", "))
            .with_text(Column::NotRead, &named(not_read.iter()))
            .with_text(Column::MachineUnknown, &of_machine)
            .with(
                Column::Cores,
                model.machine.get("cores").unwrap_or(f64::NAN),
            )
            .with(Column::Flops, of_counted(totals.flops))
            .with(Column::TrafficBytes, of_counted(totals.traffic))
            .with(Column::TimeSeconds, of_counted(totals.seconds))
            .with_count(Column::UnknownNests, totals.unknown.len() as u64)
            .with_count(Column::IdleNests, model.idle_nests() as u64)
            .with_count(Column::ErrorRemarks, errors.count() as u64),
    );
    for (index, nest) in model.nests.iter().enumerate() {
        let function = &model.program.functions[nest.nest.function];
        let head = nest.nest.head();
        let bound = nest.time.bound_name(model.value(nest.time.bound));
        rows.push(
            row(RowKind::Nest)
                .with_text(Column::Nest, &head.id)
                .with_text(Column::Function, &function.name)
                .with_text(Column::File, &function.file)
                .with_count(Column::Line, u64::from(head.line))
                .with(Column::Iterations, model.value(nest.iterations))
                .with(Column::Flops, model.value(nest.operations.flops))
                .with(Column::TrafficBytes, model.value(nest.traffic.actual))
                .with(
                    Column::IntensityFlopPerByte,
                    model.value(nest.time.intensity),
                )
                .with(Column::TimeSeconds, model.value(nest.time.seconds))
                .with(Column::Calls, model.calls_of(index))
                .with(Column::AllCallsSeconds, model.all_calls_seconds(index))
                .with_text(Column::BoundBy, bound.unwrap_or(""))
                .with_text(
                    Column::Reasons,
                    &text(codes(index).map(|code| code.to_string()).collect(), " "),
                )
                .with_text(Column::GuessedSizes, &text(guessed[index].clone(), ", "))
                .with_text(Column::NotRead, &named(of_file(&function.file)))
                .with_text(
                    Column::MachineUnknown,
                    &machine_unknown(model, std::iter::once(nest)),
                ),
        );
    }
}

/// Files that are not read in full; all of few.
fn named<'p>(parts: impl Iterator<Item = &'p NotRead>) -> String {
    const MOST_NAMED: usize = 10;
    let parts: Vec<String> = parts.map(NotRead::named).collect();
    some(&parts, MOST_NAMED)
}
