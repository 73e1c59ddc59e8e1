//! `loopsheet compare`: two reports to one.

use crate::reading::files;
use std::path::Path;

use anyhow::Context;

use super::reports::{Format, Reports};
use super::{Status, Voice, outputs, trace};
use crate::cli::CompareArgs;
use crate::compare::{Run, StaticReport, compare};
use crate::export::{compare_table, json, xlsx};

pub fn run(args: &CompareArgs, voice: Voice) -> anyhow::Result<Status> {
    let pattern = args
        .function
        .as_deref()
        .map(globset::Glob::new)
        .transpose()
        .context("--function")?;
    let pattern = pattern.map(|pattern| pattern.compile_matcher());
    let inputs = [args.predicted.as_path(), &args.trace];
    let reports = Reports::create(
        args.output.as_ref(),
        &[(Format::Json, args.json.as_ref())],
        (&inputs, "reports to compare"),
    )?;
    let static_name = args.predicted.display();
    let predicted = StaticReport::parse(&read("--static", &args.predicted)?)
        .with_context(|| format!("--static {static_name}"))?;
    let run = Run::parse(&read("--trace", &args.trace)?)
        .with_context(|| format!("--trace {}", args.trace.display()))?;
    let is_wanted = |name: &str| {
        pattern
            .as_ref()
            .is_none_or(|pattern| pattern.is_match(name))
    };
    let comparison = compare(&predicted, &run, &is_wanted);
    anyhow::ensure!(
        !comparison.nests.is_empty(),
        "nothing to compare: no instruction of the trace lies in a loop of {static_name}{}; is it the report of the \
         program's own source?",
        args.function
            .as_ref()
            .map_or_else(String::new, |pattern| format!(
                " whose function matches {pattern}"
            ))
    );
    let status = trace::judge(run.trace.end, voice);
    if voice.verbose {
        comparison
            .notes
            .iter()
            .for_each(|note| eprintln!("loopsheet: {note}"));
    }
    if reports.is_empty() {
        outputs::print(compare_table::render(&comparison, args.top).as_bytes())?;
    }
    reports.finish(|format| {
        Ok(match format {
            Format::Workbook => xlsx::compare_workbook(&comparison)?,
            Format::Page | Format::Markdown | Format::Sarif => {
                anyhow::bail!("the page needs the model: `loopsheet study --html` writes it")
            }
            Format::Json => json::comparison(&comparison).into_bytes(),
        })
    })?;
    Ok(status)
}

fn read(flag: &str, path: &Path) -> anyhow::Result<String> {
    files::read_text(path).with_context(|| format!("{flag} {}", path.display()))
}
