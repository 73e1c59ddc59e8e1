//! `--slices`: the weighted sum of several slices of a run.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::cli::TraceArgs;
use crate::commands::{Status, Voice, outputs};
use crate::export::{json, slices_table};
use crate::metrics::slices::{Slice, Slices};
use crate::reading::files;
use crate::sweep::hash::Hash;

use super::outputs::{Kind, Outputs, by_extension};
use super::{analyse, judge, settings};

/// A line of a list.
#[derive(Clone, Debug, PartialEq)]
struct Listed {
    line: usize,
    weight: f64,
    trace: PathBuf,
}

pub fn run(args: &TraceArgs, list: &Path, voice: Voice) -> anyhow::Result<Status> {
    refuse_others(args)?;
    let text = files::read_text(list).with_context(|| format!("cannot read {}", list.display()))?;
    let directory = list.parent().unwrap_or(Path::new(""));
    let listed = parse(&text, directory).with_context(|| format!("--slices {}", list.display()))?;
    let files = files(args, list, &listed)?;
    remark_on_copies(&listed, voice);
    let inputs = settings::inputs(args)?;
    let mut status = Status::Done;
    let mut slices = Vec::new();
    for Listed {
        line,
        weight,
        trace,
    } in listed
    {
        let own = TraceArgs {
            trace: Some(trace),
            slices: None,
            ..args.clone()
        };
        let report = analyse(&own, None, voice)
            .with_context(|| format!("--slices {}, line {line}", list.display()))?
            .report;
        status = status.max(judge(report.trace.end, voice));
        slices.push(Slice::of(weight, report));
    }
    let slices = Slices { inputs, slices };
    if files.is_empty() {
        outputs::print(slices_table::render(&slices).as_bytes())?;
        return Ok(status);
    }
    files.finish(&|_| Ok(json::slices(&slices).into_bytes()))?;
    Ok(status)
}

/// The lines of a list: a weight, then the path of a trace, from the directory of the list on.
fn parse(text: &str, directory: &Path) -> anyhow::Result<Vec<Listed>> {
    let mut listed: Vec<Listed> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let expected = || {
            anyhow::anyhow!(
                "line {number}: `{line}` is not a weight and the path of a trace, as in `0.25 first.zst`"
            )
        };
        let (weight, path) = line.split_once(char::is_whitespace).ok_or_else(expected)?;
        let weight: f64 = weight.parse().map_err(|_| expected())?;
        anyhow::ensure!(
            (0.0..=1e12).contains(&weight),
            "line {number}: the weight {weight} is not from 0 to 1e12"
        );
        let path = unquoted(path.trim()).ok_or_else(expected)?;
        anyhow::ensure!(
            path != "-",
            "line {number}: a slice is a file, not standard input"
        );
        let trace = directory.join(path);
        if let Some(known) = listed.iter().find(|known| is_same(&known.trace, &trace)) {
            let other = match known.trace == trace {
                true => String::new(),
                false => format!(", as {}", known.trace.display()),
            };
            anyhow::bail!(
                "line {number}: {} is listed twice: line {} has it{other}; add the weights",
                trace.display(),
                known.line
            );
        }
        listed.push(Listed {
            line: number,
            weight,
            trace,
        });
    }
    anyhow::ensure!(
        !listed.is_empty(),
        "no slices: each line is a weight and the path of a trace"
    );
    anyhow::ensure!(
        listed.iter().any(|listed| listed.weight > 0.0),
        "all weights are 0"
    );
    Ok(listed)
}

/// A path without the quotes around it and without the remark behind it: ` # …`. None if a quote is not closed, or something
/// else follows it.
fn unquoted(text: &str) -> Option<&str> {
    let quote = text
        .chars()
        .next()
        .filter(|first| matches!(first, '"' | '\''));
    let Some(quote) = quote else {
        let remark = text
            .match_indices('#')
            .find(|(at, _)| text[..*at].ends_with(char::is_whitespace));
        let path = remark.map_or(text, |(at, _)| text[..at].trim_end());
        return (!path.is_empty() && !path.starts_with('#')).then_some(path);
    };
    let (path, rest) = text[1..].split_once(quote)?;
    let rest = rest.trim_start();
    (!path.is_empty() && (rest.is_empty() || rest.starts_with('#'))).then_some(path)
}

/// Whether two paths lead to the same file.
fn is_same(one: &Path, other: &Path) -> bool {
    let whole = |path: &Path| path.canonicalize().ok();
    one == other || whole(one).is_some_and(|one| whole(other) == Some(one))
}

/// Slices that are copies of one another may be meant, or a mistake.
fn remark_on_copies(listed: &[Listed], voice: Voice) {
    if voice.quiet {
        return;
    }
    let length = |path: &Path| path.metadata().ok().map(|file| file.len());
    let content = |path: &Path| Hash::of_stream(File::open(path).ok()?).ok();
    for (number, slice) in listed.iter().enumerate() {
        let is_copy = |known: &&Listed| {
            let (one, other) = (&known.trace, &slice.trace);
            length(one).is_some() && length(one) == length(other) && {
                let one = content(one);
                one.is_some() && one == content(other)
            }
        };
        if let Some(known) = listed[..number].iter().find(is_copy) {
            eprintln!(
                "loopsheet: lines {} and {} name files that hold the same; each counts with its weight",
                known.line, slice.line
            );
        }
    }
}

fn files(args: &TraceArgs, list: &Path, listed: &[Listed]) -> anyhow::Result<Outputs> {
    let mut requested: Vec<(Kind, &PathBuf)> = Vec::new();
    if let Some(path) = &args.output {
        let kinds = [("json", Kind::Json)];
        let kind = by_extension("-o", path, &kinds);
        requested.push((
            kind.context("--slices: a workbook takes one trace; the sums are a table or JSON")?,
            path,
        ));
    }
    requested.extend(args.json.iter().map(|path| (Kind::Json, path)));
    let list = list.to_path_buf();
    let inputs = listed.iter().map(|listed| &listed.trace).chain([&list]);
    Outputs::of(&requested, &[], inputs.chain(&args.costs))
}

/// What is not a sum over slices.
fn refuse_others(args: &TraceArgs) -> anyhow::Result<()> {
    let heat_map = args.heatmap.as_ref().map(|_| "--heatmap");
    let varied = (!args.vary.is_empty()).then_some("--vary");
    // C-AMAT is summed, too.
    let others = TraceArgs {
        camat: false,
        ..args.clone()
    };
    if let Some(flag) = settings::of_one_trace(&others).or(heat_map).or(varied) {
        anyhow::bail!(
            "{flag} takes one trace; of --slices the graph, caches, reuse distances, epochs and C-AMAT are summed"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_weights_and_paths() {
        let text = "# simpoints\n\n0.25\tfirst one.zst\n  3 /abs/b # last\n1 'c # d' # e\n2 \"f\"\n4 g#h\n";
        let listed = parse(text, Path::new("dir")).expect("a list");
        let expected = [
            (3, 0.25, "dir/first one.zst"),
            (4, 3.0, "/abs/b"),
            (5, 1.0, "dir/c # d"),
            (6, 2.0, "dir/f"),
            (7, 4.0, "dir/g#h"),
        ];
        let expected = expected.map(|(line, weight, path)| Listed {
            line,
            weight,
            trace: PathBuf::from(path),
        });
        assert_eq!(listed, expected);
    }

    #[test]
    fn what_is_no_list_is_refused() {
        for (text, said) in [
            ("", "no slices"),
            ("# nothing\n", "no slices"),
            ("a.zst", "line 1: `a.zst` is not a weight"),
            ("1 a\nhalf b", "line 2: `half b`"),
            ("-1 a", "line 1: the weight -1 is not from 0"),
            ("inf a", "the weight inf"),
            ("NaN a", "the weight NaN"),
            ("0 a\n0 b", "all weights are 0"),
            ("1 a\n2 a", "line 2: a is listed twice"),
            ("1 -", "not standard input"),
            ("1 \"a", "line 1: `1 \"a` is not a weight"),
            ("1 # a", "line 1: `1 # a` is not a weight"),
        ] {
            let error = parse(text, Path::new("")).expect_err(text).to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
