//! Parameters from the command line and from runs.

use anyhow::Context;

use super::Voice;
use crate::analysis::facts::{Origin, Program};
use crate::compare::{Run, StaticReport, Suggestion, told_by_run};
use crate::machine::MachineModel;
use crate::model::{Model, Setting};

/// `--set`.
///
/// # Errors
/// One is not of the form NAME=VALUE.
pub fn settings(texts: &[String]) -> anyhow::Result<Vec<Setting>> {
    let setting = |text: &String| {
        let (name, value) = text.split_once('=').with_context(|| {
            format!("--set {text}: expected NAME=VALUE, for example --set cache_bytes=1048576")
        })?;
        Ok(Setting {
            name: name.trim().to_string(),
            value: value.trim().to_string(),
        })
    };
    texts.iter().map(setting).collect()
}

/// Says which settings could mean something else than they set.
pub fn remark(model: &Model, settings: &[Setting], voice: Voice) {
    if voice.quiet {
        return;
    }
    for ambiguous in model.parameters.ambiguous(settings, &model.machine) {
        eprintln!("loopsheet: {ambiguous}");
    }
}

/// Trip counts and branch frequencies that a run tells, but for what is set by hand. Numbers that are no whole ones
/// say nothing of a problem size: they are means of loops that run differently often. To loops without a count means are
/// good enough.
pub fn from_trace(promised: &StaticReport, run: &Run, by_hand: &[Setting]) -> Vec<Setting> {
    let told = told_by_run(promised, run).into_iter();
    let may_be_mean = |found: &Suggestion| found.is_probability || found.is_trip_count;
    told.filter(|found| may_be_mean(found) || found.fits.fract() == 0.0 && !found.is_mean)
        .filter(|found| {
            by_hand
                .iter()
                .all(|setting| setting.name != found.parameter)
        })
        .map(|found| Setting {
            name: found.parameter,
            value: found.fits.to_string(),
        })
        .collect()
}

/// The model with what the run tells, marked as such.
///
/// # Errors
/// A setting names nothing, or its value is out of range.
pub fn rebuild<'p>(
    program: &'p Program,
    machine: &MachineModel,
    by_hand: &[Setting],
    seen: &[Setting],
) -> anyhow::Result<Model<'p>> {
    let mut model = Model::build(program, machine.clone(), &[by_hand, seen].concat())?;
    model.parameters.mark(
        &|name| seen.iter().any(|setting| setting.name == name),
        Origin::Traced,
    );
    Ok(model)
}
