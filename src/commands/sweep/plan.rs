//! `loopsheet sweep plan`.

use std::path::Path;

use anyhow::Context;

use super::inputs;
use super::place::Place;
use crate::cli::SweepPlanArgs;
use crate::commands::outputs::Output;
use crate::commands::{Status, Voice};
use crate::reading::files;
use crate::sweep::plan::{Facts, plan};
use crate::sweep::spec::SweepSpec;
use crate::wording::counted;

pub fn run(args: &SweepPlanArgs, voice: Voice) -> anyhow::Result<Status> {
    let what = || args.file.display().to_string();
    let text = files::read_text(&args.file).with_context(what)?;
    let spec = SweepSpec::parse(&text).with_context(what)?;
    let place = Place::of(&args.place.dir)?;
    let parent = args.file.parent().filter(|parent| *parent != Path::new(""));
    let directory = parent.unwrap_or(Path::new("."));
    let root = place.root(directory)?;
    std::env::set_current_dir(directory).with_context(what)?;

    let quiet = Voice {
        quiet: true,
        verbose: false,
        ..voice
    };
    let sources = inputs::named(&spec.sources, "sources")?;
    let traces = inputs::named(&spec.traces, "traces")?;
    let machines = spec.machines.iter();
    let machines = machines.map(|name| inputs::machine(name, !traces.is_empty()));
    let machines = machines
        .collect::<anyhow::Result<Vec<_>>>()
        .with_context(what)?;
    let sources = sources
        .iter()
        .map(|path| inputs::source(path, &spec.machines, quiet))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let traces = traces
        .iter()
        .map(|path| inputs::trace(path))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let facts = Facts {
        spec: &spec,
        sources: &sources,
        traces: &traces,
        machines: &machines,
        root: &root,
    };
    let manifest = plan(&facts).with_context(what)?;
    place.create()?;
    Output::create(&place.manifest())?.finish(manifest.to_lines().as_bytes())?;
    if !voice.quiet {
        let header = &manifest.header;
        eprintln!(
            "loopsheet: {} of {} in {}; next: loopsheet sweep run --all --dir {}",
            counted(header.configurations, "configuration"),
            counted(sources.len() + traces.len(), "input"),
            counted(header.shards, "shard"),
            place.word()
        );
    }
    Ok(Status::Done)
}
