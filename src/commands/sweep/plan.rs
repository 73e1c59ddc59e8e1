//! `loopsheet sweep plan`.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context;

use super::contents::{self, Contents};
use super::inputs::{self, Inputs, Named, SourceInput};
use super::not_read;
use super::place::Place;
use crate::cli::SweepPlanArgs;
use crate::commands::outputs::Output;
use crate::commands::{Status, Voice};
use crate::reading::files;
use crate::sweep::hash::Hash;
use crate::sweep::manifest::{FileHash, Manifest, NotRead, TraceWork, Work, is_begun};
use crate::sweep::plan::{Configurations, Facts, Input, TraceInput, plan};
use crate::sweep::spec::SweepSpec;
use crate::sweep::swept::{Ambiguous, SettingRole};
use crate::wording::counted;

/// So many inputs that cannot be read are named.
const MOST_NAMED: usize = 10;

pub fn run(args: &SweepPlanArgs, voice: Voice) -> anyhow::Result<Status> {
    let what = || args.file.display().to_string();
    let text = files::read_text(&args.file).with_context(what)?;
    let spec = SweepSpec::parse(&text).with_context(what)?;
    let place = Place::of(&args.place.dir)?;
    let parent = args.file.parent().filter(|parent| *parent != Path::new(""));
    let directory = parent.unwrap_or(Path::new("."));
    let root = place.root(directory)?;
    std::env::set_current_dir(directory).with_context(what)?;
    let name = args.file.file_name().unwrap_or_default();
    let of_plan = (root.as_str(), Path::new(name));
    refuse_others(&place)?;
    let of_spec = FileHash {
        path: name.to_string_lossy().into_owned(),
        sha256: Hash::of(text.as_bytes()),
    };
    let (manifest, remarks, contents) =
        manifest((&spec, &of_spec), of_plan, &place).with_context(what)?;
    place.create()?;
    Output::create(&place.manifest())?.finish(manifest.to_lines().as_bytes())?;
    contents.note(&place, &manifest)?;
    if !voice.quiet {
        for remark in remarks {
            eprintln!("loopsheet: {remark}");
        }
        let header = &manifest.header;
        let inputs = manifest
            .shards
            .chunk_by(|one, other| one.input == other.input);
        let all = Configurations::of(&manifest);
        eprintln!(
            "loopsheet: {} of {} in {}{}; next: loopsheet sweep run --all --dir {}",
            counted(header.configurations, "configuration"),
            counted(inputs.count(), "input"),
            counted(header.shards, "shard"),
            all.in_parentheses(),
            place.word()
        );
    }
    let not_read: Vec<&NotRead> = manifest.header.not_read.iter().collect();
    Ok(not_read::say(&not_read, voice))
}

/// Files of other people are not what a plan takes the place of.
///
/// # Errors
/// One has a name that the plan needs.
fn refuse_others(place: &Place) -> anyhow::Result<()> {
    place.refuse_other(&place.manifest(), "plan of a sweep", is_begun)?;
    place.refuse_other(&place.contents(), "plan of a sweep", contents::is_begun)
}

/// The manifest, remarks on it, and what was seen of its inputs.
fn manifest(
    (spec, of_spec): (&SweepSpec, &FileHash),
    (root, file): (&str, &Path),
    place: &Place,
) -> anyhow::Result<(Manifest, Vec<String>, Contents)> {
    let sources = inputs::named(&spec.sources, Inputs::Sources)?;
    let traces = inputs::named(&spec.traces, Inputs::Traces)?;
    let (names, again) = inputs::machines(&spec.machines);
    let (machines, mut of_machines) = files::noting_reads(|| {
        let machines = names.into_iter();
        let machines = machines.map(|name| inputs::machine(name, !traces.paths.is_empty()));
        machines.collect::<anyhow::Result<Vec<_>>>()
    });
    let machines = machines?;
    of_machines.insert(file.to_path_buf());
    let names = of_machines
        .iter()
        .map(|path| path.to_string_lossy().into_owned());
    let read: Vec<String> = names.collect();
    let planned = |sources: &[Input], traces: &[TraceInput], found: &Found| {
        let (machines, read) = (&machines, &read);
        plan(&Facts {
            spec,
            sources,
            traces,
            machines,
            roles: &found.roles,
            root,
            read,
            of_spec,
            not_read: &found.not_read,
            ambiguous: &found.ambiguous,
        })
    };
    // What is wrong with axes is said before anything long is read.
    let unread = |named: &Named| -> Vec<Input> {
        let one = named.paths.first().map(|path| Input {
            name: path.to_string_lossy().into_owned(),
            files: Vec::new(),
        });
        one.into_iter().collect()
    };
    let of_trace = |input| TraceInput {
        input,
        has_addresses: true,
    };
    let unread_traces: Vec<TraceInput> = unread(&traces).into_iter().map(of_trace).collect();
    let first = planned(&unread(&sources), &unread_traces, &Found::default())?;
    for shard in &first.manifest.shards {
        if let Work::Trace(TraceWork {
            epochs: Some(epochs),
            ..
        }) = &shard.work
        {
            super::trace::check_epochs(epochs).context("`trace`")?;
        }
    }
    let contents = Contents::noted(place);
    let mut remarks: Vec<String> = again;
    for (again, first) in sources.again.iter().chain(&traces.again) {
        remarks.push(format!(
            "{} is the same file as {}, and counts once",
            again.display(),
            first.display()
        ));
    }
    for (named, inputs) in [(&sources, Inputs::Sources), (&traces, Inputs::Traces)] {
        remarks.extend(named.left_out.iter().map(|path| inputs.left_out(path)));
    }
    let sources = read_all(&sources, |path| inputs::source(path, spec, &contents))?;
    let found = Found::of(&sources);
    remarks.extend(found.ambiguous.iter().map(ToString::to_string));
    for source in &sources {
        remarks.extend(source.remarks.iter().cloned());
    }
    let sources: Vec<Input> = sources.into_iter().map(|source| source.input).collect();
    let traces = read_all(&traces, |path| inputs::trace(path, &contents))?;
    remarks.extend(alike(traces.iter().map(|trace| &trace.input)));
    remarks.extend(alike(sources.iter()));
    let plan = planned(&sources, &traces, &found)?;
    remarks.extend(plan.remarks.iter().map(ToString::to_string));
    Ok((plan.manifest, remarks, contents))
}

/// What all sources say together.
#[derive(Default)]
struct Found {
    /// What the parameters are that are set.
    roles: Vec<SettingRole>,
    not_read: Vec<NotRead>,
    ambiguous: Vec<Ambiguous>,
}

impl Found {
    fn of(sources: &[SourceInput]) -> Found {
        let mut found = Found {
            roles: (sources.first()).map_or_else(Vec::new, |source| source.roles.clone()),
            ..Found::default()
        };
        for source in sources {
            for (role, own) in found.roles.iter_mut().zip(&source.roles) {
                *role = role.of_both(*own);
            }
            found.not_read.extend_from_slice(&source.not_read);
            found.ambiguous.extend_from_slice(&source.ambiguous);
        }
        found
    }
}

/// All inputs.
///
/// # Errors
/// One cannot be read: says which, and why.
fn read_all<T>(named: &Named, read: impl Fn(&Path) -> anyhow::Result<T>) -> anyhow::Result<Vec<T>> {
    let (mut inputs, mut refused) = (Vec::new(), Vec::new());
    for path in &named.paths {
        match read(path) {
            Ok(input) => inputs.push(input),
            Err(error) => refused.push(format!("{error:#}")),
        }
    }
    let more = match refused.len() {
        0 => return Ok(inputs),
        count if count > MOST_NAMED => format!("\n… and {} more", count - MOST_NAMED),
        _ => String::new(),
    };
    let named = &refused[..refused.len().min(MOST_NAMED)];
    anyhow::bail!("{}{more}", named.join("\n"))
}

/// Files of different names that hold the same.
fn alike<'i>(inputs: impl Iterator<Item = &'i Input>) -> Vec<String> {
    let mut known = BTreeMap::new();
    let mut remarks = Vec::new();
    for input in inputs {
        let name = files::normalized(Path::new(&input.name));
        let own = input
            .files
            .iter()
            .find(|file| Path::new(&file.path) == name);
        // Behind a link a trace has another name.
        let only = input.files.first().filter(|_| input.files.len() == 1);
        let Some(file) = own.or(only) else {
            continue;
        };
        match known.get(&file.sha256) {
            None => drop(known.insert(&file.sha256, &input.name)),
            Some(first) => remarks.push(format!(
                "{} holds the same as {first}: each counts as an input of its own",
                input.name
            )),
        }
    }
    remarks
}
