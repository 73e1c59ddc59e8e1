//! `loopsheet diff`: what a change of the source changes in the figures.

mod revisions;
mod sides;
mod trees;

use crate::reading::files;
use std::path::Path;

use anyhow::Context;

use super::reports::{Format, Reports};
use super::{Status, Voice, config, outputs};
use crate::cli::DiffArgs;
use crate::diff::{Difference, Limits, Side, compare, same_machine};
use crate::export::differences::{json, markdown, sarif, table};
use crate::export::xlsx;
use trees::Tree;

pub fn run(args: &DiffArgs, voice: Voice) -> anyhow::Result<Status> {
    let inputs: Vec<&Path> = [Some(args.old.as_path()), args.new.as_deref()]
        .into_iter()
        .flatten()
        .collect();
    let sides = Sides::of(args)?;
    let reports = Reports::create(
        args.output.as_ref(),
        &[
            (Format::Json, args.json.as_ref()),
            (Format::Markdown, args.markdown.as_ref()),
            (Format::Sarif, args.sarif.as_ref()),
        ],
        (&inputs, "files to compare"),
    )?;
    let difference = match &sides {
        Sides::Reports([old, new]) => of_reports(args, old, new, voice)?,
        Sides::Trees(trees) => trees::difference(args, trees, voice)?,
        Sides::Revisions(range) => {
            revisions::spare_tracked([&args.output, &args.json, &args.markdown, &args.sarif])?;
            let checked_out = revisions::read(range, args)?;
            trees::difference(args, &checked_out.trees, voice)?
        }
    };
    if reports.is_empty() {
        outputs::print(table::render(&difference, args.top).as_bytes())?;
    } else {
        difference
            .exceeded
            .iter()
            .map(|found| found.to_string().replace(char::is_control, "\u{fffd}"))
            .for_each(|found| eprintln!("loopsheet: exceeded: {found}"));
    }
    reports.finish(|format| {
        Ok(match format {
            Format::Workbook => xlsx::diff_workbook(&difference)?,
            Format::Json => json::render(&difference).into_bytes(),
            Format::Markdown => markdown::render(&difference, args.top).into_bytes(),
            Format::Sarif => sarif::render(&difference).into_bytes(),
            Format::Page => anyhow::bail!("`loopsheet diff` writes no page"),
        })
    })?;
    let is_too_much = !difference.exceeded.is_empty() || difference.reads_less();
    Ok(match is_too_much {
        true => Status::WithErrors,
        false => Status::Done,
    })
}

/// What is compared.
enum Sides<'a> {
    Reports([&'a Path; 2]),
    Trees(Box<[Tree; 2]>),
    /// `REV1..REV2`.
    Revisions(&'a str),
}

impl Sides<'_> {
    fn of(args: &DiffArgs) -> anyhow::Result<Sides<'_>> {
        let old = args.old.as_path();
        let Some(new) = args.new.as_deref() else {
            anyhow::ensure!(
                !old.exists(),
                "{}: also give what to compare it with: loopsheet diff OLD NEW",
                old.display()
            );
            let range = old.to_str().filter(|text| text.contains(".."));
            let range = range.with_context(|| {
                let what = "give OLD and NEW, or revisions as REV1..REV2";
                format!(
                    "{} does not exist, and does not name revisions: {what}",
                    old.display()
                )
            })?;
            return Ok(Sides::Revisions(range));
        };
        anyhow::ensure!(
            args.paths.is_empty(),
            "paths after -- choose files of REV1..REV2; of OLD and NEW everything is compared"
        );
        for path in [old, new] {
            let there = std::fs::metadata(path);
            there.with_context(|| {
                let hint = match revisions::are_revisions([old, new]) {
                    true => format!("; for revisions: {}..{}", old.display(), new.display()),
                    false => String::new(),
                };
                format!("cannot read {}{hint}", path.display())
            })?;
        }
        anyhow::ensure!(
            old.canonicalize()? != new.canonicalize()?,
            "OLD and NEW are the same: {}",
            new.display()
        );
        let is_report = |path: &Path| path.extension().is_some_and(|end| end == "json");
        match (is_report(old), is_report(new)) {
            (true, true) => Ok(Sides::Reports([old, new])),
            (false, false) => Ok(Sides::Trees(Box::new([Tree::at(old), Tree::at(new)]))),
            _ => anyhow::bail!(
                "{} and {}: one is a report, the other source; `loopsheet analyze --json` makes a report of source",
                old.display(),
                new.display()
            ),
        }
    }
}

/// What to do about reports for different machines.
const ONE_MACHINE: &str = "analyse both for the same machine, with --machine and --set";

fn of_reports(args: &DiffArgs, old: &Path, new: &Path, voice: Voice) -> anyhow::Result<Difference> {
    let source = &args.source;
    let given = [
        (args.machine.is_some(), "--machine"),
        (!source.settings.is_empty(), "--set"),
        (source.scenarios.is_some(), "--scenarios"),
        (source.function.is_some(), "--function"),
        (!source.entry.is_empty(), "--entry"),
        (!source.input.is_empty(), "--input"),
        (!source.define.is_empty(), "-D"),
        (!source.include.is_empty(), "-I"),
        (!source.ignore.is_empty(), "--ignore"),
        (!source.undefine.is_empty(), "-U"),
        (!source.flags.is_empty(), "--flags"),
        (source.database.is_some(), "-p"),
        (source.no_blas, "--no-blas"),
        (source.no_input, "--no-input"),
    ];
    if let Some((_, option)) = given.into_iter().find(|(is_given, _)| *is_given) {
        anyhow::bail!(
            "{option} is for source: reports have their figures; give it to `loopsheet analyze`"
        );
    }
    let side = |path: &Path| {
        let text = files::read_text(path);
        let text = text.with_context(|| format!("cannot read {}", path.display()))?;
        Side::parse(&text, &path.display().to_string()).with_context(|| path.display().to_string())
    };
    let (old, new) = (side(old)?, side(new)?);
    same_machine(&old, &new).map_err(|error| anyhow::anyhow!("{error}: {ONE_MACHINE}"))?;
    let (path, file) = config::chosen(source, &[])?;
    if let Some(path) = path.filter(|_| !voice.quiet && !file.budgets.is_empty()) {
        eprintln!("loopsheet: using the budgets of {}", path.display());
    }
    let limits = Limits {
        thresholds: args.fail_above.clone(),
        budgets: file.budgets,
    };
    limits.fit(&new)?;
    Ok(compare(&old, &new, &limits))
}
