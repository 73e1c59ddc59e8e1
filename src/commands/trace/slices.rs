//! `--slices`: the weighted sum of several slices of a run.

use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::cli::TraceArgs;
use crate::commands::{Status, Voice, outputs};
use crate::export::{json, slices_table};
use crate::metrics::slices::{Slice, Slices};
use crate::reading::files;

use super::outputs::{Kind, Outputs, by_extension};
use super::{analyse, judge, settings};

/// Weight and trace.
type Listed = (f64, PathBuf);

pub fn run(args: &TraceArgs, list: &Path, voice: Voice) -> anyhow::Result<Status> {
    refuse_others(args)?;
    let text = files::read_text(list).with_context(|| format!("cannot read {}", list.display()))?;
    let directory = list.parent().unwrap_or(Path::new(""));
    let listed = parse(&text, directory).with_context(|| format!("--slices {}", list.display()))?;
    let files = files(args, list, &listed)?;
    let inputs = settings::inputs(args)?;
    let mut status = Status::Done;
    let mut slices = Vec::new();
    for (weight, trace) in listed {
        let own = TraceArgs {
            trace: Some(trace),
            slices: None,
            ..args.clone()
        };
        let report = analyse(&own, None, voice)?.report;
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
        let path = path.trim();
        anyhow::ensure!(
            path != "-",
            "line {number}: a slice is a file, not standard input"
        );
        let path = directory.join(path);
        anyhow::ensure!(
            listed.iter().all(|(_, known)| *known != path),
            "line {number}: {} is listed twice; add the weights",
            path.display()
        );
        listed.push((weight, path));
    }
    anyhow::ensure!(
        !listed.is_empty(),
        "no slices: each line is a weight and the path of a trace"
    );
    anyhow::ensure!(
        listed.iter().any(|(weight, _)| *weight > 0.0),
        "all weights are 0"
    );
    Ok(listed)
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
    let inputs = listed.iter().map(|(_, path)| path).chain([&list]);
    Outputs::of(&requested, &[], inputs.chain(&args.costs))
}

/// What is not a sum over slices.
fn refuse_others(args: &TraceArgs) -> anyhow::Result<()> {
    let heat_map = args.heatmap.as_ref().map(|_| "--heatmap");
    if let Some(flag) = settings::of_one_trace(args).or(heat_map) {
        anyhow::bail!(
            "{flag} takes one trace; of --slices the graph, caches, reuse distances and epochs are summed"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_weights_and_paths() {
        let text = "# simpoints\n\n0.25\tfirst one.zst\n  3 /abs/b\n";
        let listed = parse(text, Path::new("dir")).expect("a list");
        let expected = [(0.25, "dir/first one.zst"), (3.0, "/abs/b")];
        assert_eq!(
            listed,
            expected.map(|(weight, path)| (weight, PathBuf::from(path)))
        );
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
        ] {
            let error = parse(text, Path::new("")).expect_err(text).to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
