//! Parameters from the command line and from runs.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::Context;

use super::Voice;
use crate::analysis::facts::{Origin, Program};
use crate::analysis::inputs::SetSize;
use crate::compare::{
    Elsewhere, LineCounts, Outdated, Run, StaticReport, Suggestion, outdated, told_by_lines,
    told_by_run,
};
use crate::machine::MachineModel;
use crate::model::parameters::Row;
use crate::model::{Model, Setting};
use crate::reading::{Reading, files, nearby};
use crate::wording;

/// `--set`, each with one `NAME=VALUE` or several that commas separate.
///
/// # Errors
/// One is not of the form NAME=VALUE, or a name is given two values.
pub fn settings(texts: &[String]) -> anyhow::Result<Vec<Setting>> {
    let setting = |part: String| {
        let (name, value) = part.split_once('=').with_context(|| {
            format!("--set {part}: expected NAME=VALUE, for example --set cache_bytes=1048576")
        })?;
        anyhow::ensure!(
            !name.trim().is_empty() && !value.trim().is_empty(),
            "--set {part}: expected NAME=VALUE, with a name and a value"
        );
        Ok(Setting::new(name.trim(), value.trim()))
    };
    let all = texts.iter().flat_map(|text| split_names(text)).map(setting);
    let all: Vec<Setting> = all.collect::<anyhow::Result<_>>()?;
    for (at, one) in all.iter().enumerate() {
        let other = (all[..at].iter()).find(|other| other.name == one.name);
        if let Some(other) = other.filter(|other| other.value != one.value) {
            anyhow::bail!(
                "--set {0}: given twice, as {1} and as {2}; give it one value",
                one.name,
                other.value,
                one.value
            );
        }
    }
    Ok(all)
}

/// A line that names an input that lies beside the sources and gives guessed sizes a value; empty where one is in force, or
/// the user wants none.
pub fn input_nearby(model: &Model, (reading, paths): (&Reading, &[PathBuf])) -> String {
    match reading.follows_opened {
        true => nearby_line(model, paths).unwrap_or_default(),
        false => String::new(),
    }
}

fn nearby_line(model: &Model, paths: &[PathBuf]) -> Option<String> {
    let rows = model.parameters.rows();
    if rows.iter().any(|row| row.origin == Origin::Input) {
        return None;
    }
    // Of a component, its own name.
    let own_name = |row: &Row| {
        let own = row.symbol.rsplit(['%', '.', '>']).next();
        own.unwrap_or_default().to_lowercase()
    };
    let guessed = rows.iter().filter(|row| row.is_given() && row.is_guessed());
    let guessed: BTreeSet<String> = guessed.map(own_name).collect();
    let found = nearby::naming_most(paths, &guessed);
    let (first, others) = found.split_first()?;
    let (file, names) = (files::name(&first.file), first.names);
    let others = match others.len() {
        0 => String::new(),
        1 => " (so does another file)".to_string(),
        others => format!(" (so do {others} other files)"),
    };
    Some(format!(
        "{file} names {names} of the guessed sizes{others}: --input {file} takes them from it, if it is what a run reads\n"
    ))
}

/// The settings that may name variables of the program, which take their values in place of what the program gives them.
pub fn sizes(settings: &[Setting], machine: &MachineModel) -> Vec<SetSize> {
    let of_source = (settings.iter()).filter(|set| machine.parameter(&set.name).is_none());
    of_source
        .map(|set| SetSize::new(&set.name, &set.value, set.origin))
        .collect()
}

/// What commas separate; those within brackets, as in `hi(1,2)`, do not.
pub fn split_names(text: &str) -> impl Iterator<Item = String> + '_ {
    let mut depth = 0i32;
    let names = text.split(move |c: char| {
        depth += i32::from(matches!(c, '(' | '[')) - i32::from(matches!(c, ')' | ']'));
        c == ',' && depth == 0
    });
    names.map(|name| name.trim().to_string())
}

/// Says which settings could mean something else than they set, and where negative ones leave nothing to run.
pub fn remark(model: &Model, settings: &[Setting], voice: Voice) {
    if voice.quiet {
        return;
    }
    for ambiguous in model.parameters.ambiguous(settings, &model.machine) {
        eprintln!("loopsheet: {ambiguous}");
    }
    for remark in model.parameters.remarks(model.program, settings) {
        eprintln!("loopsheet: --set {remark}");
    }
    if let Some(idle) = idle_by_negative(settings, model.idle_nests(), model.nests.len()) {
        eprintln!("loopsheet: {idle}");
    }
}

/// `with n = -4 2 of 3 nests run no iteration, which takes no time`, if a negative value is set and some are idle.
pub fn idle_by_negative(settings: &[Setting], idle: usize, all: usize) -> Option<String> {
    let is_negative =
        |setting: &&Setting| setting.value.parse().is_ok_and(|value: f64| value < 0.0);
    let negative = settings.iter().filter(is_negative);
    let negative: Vec<String> = negative
        .map(|setting| format!("{} = {}", setting.name, setting.value))
        .collect();
    (idle > 0 && !negative.is_empty()).then(|| {
        format!(
            "with {} {}, which takes no time",
            negative.join(", "),
            idle_nests(idle, all)
        )
    })
}

/// `2 of 3 nests run no iteration`.
pub fn idle_nests(idle: usize, all: usize) -> String {
    match (idle, all) {
        (1, 1) => "the only nest runs no iteration".to_string(),
        (1, _) => format!("1 of {all} nests runs no iteration"),
        _ => format!("{idle} of {all} nests run no iteration"),
    }
}

/// Trip counts and branch frequencies that follow from a run, except for what is set by hand. Numbers that are not
/// whole ones say nothing of a problem size: they are means of loops that run differently often. To loops without a
/// count means are good enough.
pub fn from_trace(predicted: &StaticReport, run: &Run, by_hand: &[Setting]) -> Vec<Setting> {
    settled(told_by_run(predicted, run), by_hand, Origin::Traced)
}

/// The same of counts by line.
///
/// # Errors
/// They are of other files.
pub fn from_counts(
    predicted: &StaticReport,
    counts: &LineCounts,
    by_hand: &[Setting],
) -> anyhow::Result<Vec<Setting>> {
    let outdated = outdated(predicted, counts);
    for Outdated {
        file,
        function,
        compiled,
        functions,
    } in &outdated
    {
        let names: Vec<&str> = functions.iter().map(|own| own.name.as_str()).collect();
        let change = match compiled {
            Elsewhere::Began { then, now } => {
                format!("began on line {then} then, and begins on line {now} now")
            }
            Elsewhere::Ended { then, now } => {
                format!("ended on line {then} then, and ends on line {now} now")
            }
        };
        eprintln!(
            "loopsheet: warning: --counts: {file} is not as it was when it was counted: {} {change}; no counts are taken \
             of {}. Compile and run again, with the macros of the analysis",
            function.name,
            wording::some(&names, MOST_NAMES)
        );
    }
    let told = told_by_lines(predicted, counts).with_context(|| {
        let files: Vec<&str> = counts.files().take(MOST_NAMES).collect();
        match files.is_empty() {
            true => "--counts: there are no counts in it".to_string(),
            false => format!(
                "--counts: none of the sources is in it; it has {}",
                files.join(", ")
            ),
        }
    })?;
    Ok(settled(told, by_hand, Origin::Counted))
}

/// Of files and of functions more are not named.
const MOST_NAMES: usize = 4;

fn settled(told: Vec<Suggestion>, by_hand: &[Setting], origin: Origin) -> Vec<Setting> {
    let may_be_mean = |found: &Suggestion| found.is_probability || found.is_trip_count;
    told.into_iter()
        .filter(|found| may_be_mean(found) || found.fits.fract() == 0.0 && !found.is_mean)
        .filter(|found| {
            let is_set = |setting: &Setting| {
                setting.origin == Origin::Set && setting.name == found.parameter
            };
            !by_hand.iter().any(is_set)
        })
        .map(|found| Setting {
            name: found.parameter,
            value: found.fits.to_string(),
            origin: match found.is_of_sums {
                true => Origin::CountedMean,
                false => origin,
            },
        })
        .collect()
}

/// The model with what the run shows, marked as such.
///
/// # Errors
/// A setting names nothing, or its value is out of range.
pub fn rebuild<'p>(
    program: &'p Program,
    machine: &MachineModel,
    by_hand: &[Setting],
    seen: &[Setting],
) -> anyhow::Result<Model<'p>> {
    Ok(Model::build(
        program,
        machine.clone(),
        &[by_hand, seen].concat(),
    )?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_values_may_stand_in_one_argument() {
        let texts = ["a=1,b = 2", "hi(1,2)=3", "x[i,j]=4,y=5"].map(String::from);
        let found = settings(&texts).unwrap();
        let found: Vec<(&str, &str)> = (found.iter())
            .map(|setting| (setting.name.as_str(), setting.value.as_str()))
            .collect();
        assert_eq!(
            found,
            [
                ("a", "1"),
                ("b", "2"),
                ("hi(1,2)", "3"),
                ("x[i,j]", "4"),
                ("y", "5")
            ]
        );
        for wrong in ["a", "a=1,", "a=1,b"] {
            assert!(settings(&[wrong.to_string()]).is_err(), "{wrong}");
        }
    }
}
