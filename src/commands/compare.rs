//! `loopsheet compare`: two reports to one.

use std::path::{Path, PathBuf};

use anyhow::Context;

use super::outputs::{self, Output};
use super::{Status, Voice};
use crate::cli::CompareArgs;
use crate::compare::{Comparison, StaticReport, TraceReport, compare};
use crate::export::{compare_json, compare_table, xlsx};

#[derive(Clone, Copy)]
enum Format {
    Workbook,
    Json,
}

pub fn run(args: &CompareArgs, voice: Voice) -> anyhow::Result<Status> {
    let pattern = args.function.as_deref().map(globset::Glob::new).transpose().context("--function")?;
    let pattern = pattern.map(|pattern| pattern.compile_matcher());
    let outputs = create(args)?;
    let static_name = args.promised.display();
    let promised =
        StaticReport::parse(&read("--static", &args.promised)?).with_context(|| format!("--static {static_name}"))?;
    let run = TraceReport::parse(&read("--trace", &args.trace)?)
        .with_context(|| format!("--trace {}", args.trace.display()))?;
    let is_wanted = |name: &str| pattern.as_ref().is_none_or(|pattern| pattern.is_match(name));
    let comparison = compare(&promised, &run, &is_wanted);
    anyhow::ensure!(
        !comparison.nests.is_empty(),
        "nothing to compare: no instruction of the trace lies in a loop of {static_name}{}; is it the report of the \
         program's own source?",
        args.function.as_ref().map_or_else(String::new, |pattern| format!(" whose function fits {pattern}"))
    );
    if voice.verbose {
        comparison.notes.iter().for_each(|note| eprintln!("loopsheet: {note}"));
    }
    if outputs.is_empty() {
        outputs::print(compare_table::render(&comparison, args.top).as_bytes())?;
    }
    for (format, output) in outputs {
        output.finish(&render(&comparison, format)?)?;
    }
    Ok(Status::Done)
}

fn read(flag: &str, path: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("{flag} {}", path.display()))
}

fn render(comparison: &Comparison, format: Format) -> anyhow::Result<Vec<u8>> {
    Ok(match format {
        Format::Workbook => xlsx::compare_workbook(comparison)?,
        Format::Json => compare_json::render(comparison).into_bytes(),
    })
}

/// Makes sure that everything asked for can be written.
fn create(args: &CompareArgs) -> anyhow::Result<Vec<(Format, Output)>> {
    let mut requested: Vec<(Format, &PathBuf)> = Vec::new();
    if let Some(path) = &args.output {
        let extension = path.extension().and_then(|extension| extension.to_str()).map(str::to_lowercase);
        let format = match extension.as_deref() {
            Some("xlsx") => Format::Workbook,
            Some("json") => Format::Json,
            _ => anyhow::bail!("-o {}: the extension says what to write; it may be .xlsx or .json", path.display()),
        };
        requested.push((format, path));
    }
    requested.extend(args.json.iter().map(|path| (Format::Json, path)));
    let inputs = [&args.promised, &args.trace].map(|path| path.canonicalize().ok());
    for (_, path) in &requested {
        let is_input = path.canonicalize().is_ok_and(|path| inputs.contains(&Some(path)));
        anyhow::ensure!(!is_input, "cannot write {}: it is one of the reports to compare", path.display());
    }
    anyhow::ensure!(
        requested.iter().filter(|(_, path)| path.as_os_str() == "-").count() <= 1,
        "only one output can go to standard output"
    );
    requested.into_iter().map(|(format, path)| Ok((format, Output::create(path)?))).collect()
}
