//! What a run of `loopsheet trace` writes.

use std::path::{Path, PathBuf};

use crate::cli::TraceArgs;
use crate::commands::outputs::{self, Output};
use crate::export::{dot, svg, trace_json, trace_table, xlsx};
use crate::graph::Edag;
use crate::metrics::report::TraceReport;

/// What an output file holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Workbook,
    Json,
    GraphDot,
    GraphSvg,
    SweepSvg,
    HeatMapSvg,
}

/// Files to be.
pub struct Outputs(Vec<(Kind, Output)>);

impl Outputs {
    /// Makes sure that everything asked for can be written.
    ///
    /// # Errors
    /// An extension says nothing, a path cannot be written, an output would replace the trace, or more
    /// than one goes to standard output.
    pub fn create(args: &TraceArgs) -> anyhow::Result<Outputs> {
        let mut requested: Vec<(Kind, &PathBuf)> = Vec::new();
        if let Some(path) = &args.output {
            let kinds = [("xlsx", Kind::Workbook), ("json", Kind::Json)];
            requested.push((by_extension("-o", path, &kinds)?, path));
        }
        requested.extend(args.json.iter().map(|path| (Kind::Json, path)));
        if let Some(path) = &args.graph {
            let kinds = [("dot", Kind::GraphDot), ("svg", Kind::GraphSvg)];
            requested.push((by_extension("--graph", path, &kinds)?, path));
        }
        if let Some(path) = &args.sweep {
            requested.push((by_extension("--sweep", path, &[("svg", Kind::SweepSvg)])?, path));
        }
        if let Some(path) = &args.heatmap {
            requested.push((by_extension("--heatmap", path, &[("svg", Kind::HeatMapSvg)])?, path));
        }
        let to_stdout = requested.iter().filter(|(_, path)| path.as_os_str() == "-").count();
        anyhow::ensure!(to_stdout <= 1, "only one output can go to standard output");
        let inputs: Vec<PathBuf> = [Some(&args.trace), args.elf.as_ref(), args.costs.as_ref()]
            .into_iter()
            .flatten()
            .chain(&args.more)
            .filter_map(|path| real(path))
            .collect();
        for (_, path) in &requested {
            let is_input = real(path).is_some_and(|path| inputs.contains(&path));
            anyhow::ensure!(!is_input, "cannot write {}: it is one of the files to read", path.display());
        }
        let create = |(kind, path): &(Kind, &PathBuf)| Ok((*kind, Output::create(path)?));
        Ok(Outputs(requested.iter().map(create).collect::<anyhow::Result<_>>()?))
    }

    /// Renders everything, then puts it in its place; a table with the `top` largest regions if nothing
    /// else was asked for.
    ///
    /// # Errors
    /// Rendering or writing failed.
    pub fn write(self, report: &TraceReport, graph: Option<&Edag>, top: usize) -> anyhow::Result<()> {
        if self.0.is_empty() {
            return outputs::print(trace_table::render(report, Some(top)).as_bytes());
        }
        self.finish(&|kind| render(kind, report, graph))
    }

    /// Renders everything, then puts it in its place.
    ///
    /// # Errors
    /// Rendering or writing failed.
    pub fn finish(self, render: &dyn Fn(Kind) -> anyhow::Result<Vec<u8>>) -> anyhow::Result<()> {
        let rendered = self.0.into_iter().map(|(kind, output)| Ok((render(kind)?, output)));
        for (content, output) in rendered.collect::<anyhow::Result<Vec<_>>>()? {
            output.finish(&content)?;
        }
        Ok(())
    }

    /// Whether nothing was asked for.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn has(&self, kind: Kind) -> bool {
        self.0.iter().any(|(other, _)| *other == kind)
    }
}

fn real(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok()
}

fn by_extension(flag: &str, path: &Path, kinds: &[(&str, Kind)]) -> anyhow::Result<Kind> {
    let extension = path.extension().and_then(|extension| extension.to_str()).map(str::to_lowercase);
    let found = kinds.iter().find(|(known, _)| extension.as_deref() == Some(known)).map(|(_, kind)| *kind);
    let known: Vec<String> = kinds.iter().map(|(known, _)| format!(".{known}")).collect();
    found.ok_or_else(|| {
        anyhow::anyhow!("{flag} {}: the extension says what to write; it may be {}", path.display(), known.join(" or "))
    })
}

fn render(kind: Kind, report: &TraceReport, graph: Option<&Edag>) -> anyhow::Result<Vec<u8>> {
    let drawn = || graph.ok_or_else(|| anyhow::anyhow!("--graph: there is no graph to draw"));
    Ok(match kind {
        Kind::Workbook => xlsx::trace_workbook(report)?,
        Kind::Json => trace_json::trace(report).into_bytes(),
        Kind::GraphDot => dot::edag(drawn()?).into_bytes(),
        Kind::GraphSvg => svg::edag(drawn()?, &format!("eDAG of {}", report.trace.path)).into_bytes(),
        Kind::SweepSvg => svg::latency_sweep(report)
            .ok_or_else(|| anyhow::anyhow!("--sweep: the time bounds are not known: {}", report.notes.join("; ")))?
            .into_bytes(),
        Kind::HeatMapSvg => svg::epochs(report)
            .ok_or_else(|| anyhow::anyhow!("--heatmap: there are no epochs without instructions"))?
            .into_bytes(),
    })
}
