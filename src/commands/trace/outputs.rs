//! What a run of `loopsheet trace` writes.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::cli::TraceArgs;
use crate::commands::outputs::{self, Output};
use crate::export::{camat_table, dot, json, svg, trace_table, xlsx};
use crate::graph::Edag;
use crate::metrics::camat::Camat;
use crate::metrics::report::{TimelineReport, TraceReport};

/// What an output file holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Workbook,
    Json,
    GraphDot,
    GraphSvg,
    SweepSvg,
    HeatMapSvg,
    DiagramSvg,
    VariedSvg,
    RankSvg,
}

/// What was found.
#[derive(Clone, Copy)]
pub enum Report<'a> {
    /// With the graph of a short trace.
    Trace(&'a TraceReport, Option<&'a Edag>),
    Timeline(&'a TimelineReport),
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
            requested.push((
                by_extension("--sweep", path, &[("svg", Kind::SweepSvg)])?,
                path,
            ));
        }
        if let Some(path) = &args.heatmap {
            requested.push((
                by_extension("--heatmap", path, &[("svg", Kind::HeatMapSvg)])?,
                path,
            ));
        }
        if let Some(path) = &args.diagram {
            requested.push((
                by_extension("--diagram", path, &[("svg", Kind::DiagramSvg)])?,
                path,
            ));
        }
        if let Some(path) = &args.vary_chart {
            requested.push((
                by_extension("--vary-chart", path, &[("svg", Kind::VariedSvg)])?,
                path,
            ));
        }
        let inputs = [&args.trace, &args.timeline, &args.elf, &args.costs];
        let inputs = inputs.into_iter().flatten().chain(&args.more);
        Outputs::of(&requested, args.write.as_slice(), inputs)
    }

    /// The same of these files; `others` are written by someone else, `inputs` are read.
    ///
    /// # Errors
    /// A path cannot be written, an output would replace an input, or more than one goes to standard output.
    pub fn of<'i>(
        requested: &[(Kind, &PathBuf)],
        others: &[PathBuf],
        inputs: impl Iterator<Item = &'i PathBuf>,
    ) -> anyhow::Result<Outputs> {
        let to_stdout = requested
            .iter()
            .filter(|(_, path)| path.as_os_str() == "-")
            .count();
        anyhow::ensure!(to_stdout <= 1, "only one output can go to standard output");
        let inputs: Vec<PathBuf> = inputs.filter_map(|path| real(path)).collect();
        let paths: Vec<&PathBuf> = requested
            .iter()
            .map(|(_, path)| *path)
            .chain(others)
            .collect();
        for path in &paths {
            let is_input = real(path).is_some_and(|path| inputs.contains(&path));
            anyhow::ensure!(
                !is_input,
                "cannot write {}: it is one of the files to read",
                path.display()
            );
        }
        for (index, path) in paths.iter().enumerate() {
            let is_twice = paths[..index]
                .iter()
                .any(|other| place(other) == place(path));
            anyhow::ensure!(
                !is_twice,
                "cannot write {}: it would be written twice",
                path.display()
            );
        }
        let create = |(kind, path): &(Kind, &PathBuf)| Ok((*kind, Output::create(path)?));
        Ok(Outputs(
            requested
                .iter()
                .map(create)
                .collect::<anyhow::Result<_>>()?,
        ))
    }

    /// Renders everything, then puts it in its place; a table with the `top` largest regions if nothing
    /// else was asked for.
    ///
    /// # Errors
    /// Rendering or writing failed.
    pub fn write(self, report: Report, top: usize) -> anyhow::Result<()> {
        if self.0.is_empty() {
            let table = match report {
                Report::Trace(report, _) => trace_table::render(report, Some(top)),
                Report::Timeline(report) => camat_table::timeline(report),
            };
            return outputs::print(table.as_bytes());
        }
        self.finish(&|kind| render(kind, report))
    }

    /// Renders everything, then puts it in its place.
    ///
    /// # Errors
    /// Rendering or writing failed.
    pub fn finish(self, render: &dyn Fn(Kind) -> anyhow::Result<Vec<u8>>) -> anyhow::Result<()> {
        let rendered = self
            .0
            .into_iter()
            .map(|(kind, output)| Ok((render(kind)?, output)));
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

/// The directory as it is and the name in it, however the path is written.
fn place(path: &Path) -> (Option<PathBuf>, Option<&OsStr>) {
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    (real(parent), path.file_name())
}

fn real(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok()
}

/// # Errors
/// The extension is none of these.
pub fn by_extension(flag: &str, path: &Path, kinds: &[(&str, Kind)]) -> anyhow::Result<Kind> {
    let extension = path
        .extension()
        .and_then(|extension| extension.to_str())
        .map(str::to_lowercase);
    let found = kinds
        .iter()
        .find(|(known, _)| extension.as_deref() == Some(known))
        .map(|(_, kind)| *kind);
    let known: Vec<String> = kinds.iter().map(|(known, _)| format!(".{known}")).collect();
    found.ok_or_else(|| {
        anyhow::anyhow!(
            "{flag} {}: the extension says what to write; it may be {}",
            path.display(),
            known.join(" or ")
        )
    })
}

fn render(kind: Kind, report: Report) -> anyhow::Result<Vec<u8>> {
    if matches!(kind, Kind::DiagramSvg) {
        return diagram(report);
    }
    match report {
        Report::Trace(report, graph) => of_trace(kind, report, graph),
        Report::Timeline(report) => of_timeline(kind, report),
    }
}

fn of_trace(kind: Kind, report: &TraceReport, graph: Option<&Edag>) -> anyhow::Result<Vec<u8>> {
    let drawn = || graph.ok_or_else(|| anyhow::anyhow!("--graph: there is no graph to draw"));
    Ok(match kind {
        Kind::Workbook => xlsx::trace_workbook(report)?,
        Kind::Json => json::trace(report).into_bytes(),
        Kind::GraphDot => dot::edag(drawn()?).into_bytes(),
        Kind::GraphSvg => {
            svg::edag(drawn()?, &format!("eDAG of {}", report.trace.path)).into_bytes()
        }
        Kind::SweepSvg => svg::latency_sweep(report)
            .ok_or_else(|| {
                anyhow::anyhow!(
                    "--sweep: the time bounds are not known: {}",
                    report.notes.join("; ")
                )
            })?
            .into_bytes(),
        Kind::HeatMapSvg => svg::epochs(report)
            .ok_or_else(|| anyhow::anyhow!("--heatmap: there are no epochs without instructions"))?
            .into_bytes(),
        Kind::DiagramSvg => diagram(Report::Trace(report, graph))?,
        Kind::VariedSvg => svg::varied_cores(report)
            .ok_or_else(|| anyhow::anyhow!("--vary-chart: no core was varied"))?
            .into_bytes(),
        Kind::RankSvg => anyhow::bail!("a ranking takes several traces"),
    })
}

fn of_timeline(kind: Kind, report: &TimelineReport) -> anyhow::Result<Vec<u8>> {
    Ok(match kind {
        Kind::Workbook => xlsx::timeline_workbook(report)?,
        Kind::Json => json::timeline(report).into_bytes(),
        Kind::DiagramSvg => diagram(Report::Timeline(report))?,
        Kind::GraphDot
        | Kind::GraphSvg
        | Kind::SweepSvg
        | Kind::HeatMapSvg
        | Kind::VariedSvg
        | Kind::RankSvg => {
            anyhow::bail!("a picture of a trace needs a trace")
        }
    })
}

fn diagram(report: Report) -> anyhow::Result<Vec<u8>> {
    let (camat, path): (Option<&Camat>, &str) = match report {
        Report::Trace(report, _) => (report.camat.as_ref(), &report.trace.path),
        Report::Timeline(report) => (Some(&report.camat), &report.path),
    };
    let camat = camat.ok_or_else(|| anyhow::anyhow!("--diagram: there is no timeline to draw"))?;
    let drawn = svg::cycles(camat, path).ok_or_else(|| {
        let (first, last) = camat.run;
        let cycles = last + 1 - first;
        let accesses = camat.levels.first().map_or(0, |level| level.alpha);
        anyhow::anyhow!("--diagram: at most 200 accesses in 200 cycles are drawn; the run has {accesses} in {cycles}")
    })?;
    Ok(drawn.into_bytes())
}
