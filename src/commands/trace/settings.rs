//! Arguments to settings, with what is wrong with them.

use anyhow::Context;

use crate::cache::CacheSpec;
use crate::cache::spec::{Policy, Ways, WritePolicy, check_line};
use crate::cli::{Compat, DependenceKind, TraceArgs, TraceFormat, UnknownKind};
use crate::dataflow::{MemoryRule, Rules};
use crate::machine::{Level, MachineModel, preset_names};
use crate::metrics::costs::Costs;
use crate::metrics::counted::Counted;
use crate::metrics::report::Inputs;
use crate::metrics::settings::RemoteSettings;
use crate::metrics::settings::Settings;
use crate::quantity::parse_bytes;
use crate::reading::files;
use crate::trace::{FormatName, Options, ReadSummary, UnknownPolicy};

/// Vertices of the largest graph that is drawn.
pub const MOST_DRAWN: usize = 5000;

/// What to count.
///
/// # Errors
/// An argument is not a cache or not a length, is out of range, or cannot be combined with another.
pub fn from_arguments(args: &TraceArgs) -> anyhow::Result<Settings> {
    let costs = match &args.costs {
        None => Costs::default(),
        Some(path) => {
            let text = files::read_text(path)
                .with_context(|| format!("cannot read {}", path.display()))?;
            Costs::parse(&text).with_context(|| path.display().to_string())?
        }
    };
    let line = parse_bytes(args.line.as_deref().unwrap_or("64"))
        .map_err(|error| anyhow::anyhow!("--line: {error}"))?
        .0 as u64;
    check_line(line).context("--line")?;
    refuse_idle(args)?;
    let caches = caches(args)?;
    Ok(Settings {
        rules: rules(args)?,
        core: super::core::settings(args, &costs, &caches)?,
        varied: super::core::varied(args)?,
        other_places: Vec::new(),
        layouts: None,
        other_caches: Vec::new(),
        costs,
        like_edan: args.compat == Some(Compat::Edan),
        reuse_line: args.reuse.then_some(line),
        remote: remote(args)?,
        epochs: super::epochs::settings(args, line)?,
        memory_chain: args.memory_chain,
        by_latency: args.by_latency,
        by_bandwidth: by_bandwidth(args)?,
        blame: super::blame::settings(args, &caches)?,
        caches,
        keep: MOST_DRAWN,
    })
}

/// Options that would do nothing.
fn refuse_idle(args: &TraceArgs) -> anyhow::Result<()> {
    anyhow::ensure!(
        !args.blocking_stores || args.epochs || args.camat,
        "--blocking-stores needs --epochs or --camat"
    );
    anyhow::ensure!(
        args.line.is_none() || args.epochs || args.reuse,
        "--line needs --epochs or --reuse; --cache 32KiB,32B sets the line of a cache"
    );
    anyhow::ensure!(
        args.remote_share.is_some() || (args.trials.is_none() && args.seed.is_none()),
        "--trials and --seed need --remote-share and --remote-delay"
    );
    Ok(())
}

fn rules(args: &TraceArgs) -> anyhow::Result<Rules> {
    let is_edan = args.compat == Some(Compat::Edan);
    let (memory, false_dependences) = match args.dependences {
        DependenceKind::True if is_edan => (MemoryRule::SameAddress, false),
        DependenceKind::True => (MemoryRule::Bytes, false),
        DependenceKind::All => (MemoryRule::Bytes, true),
        DependenceKind::Register => (MemoryRule::Registers, false),
    };
    anyhow::ensure!(
        !is_edan || args.dependences == DependenceKind::True,
        "--compat edan counts true dependences: --dependences must be true"
    );
    anyhow::ensure!(
        args.by.is_none() || !false_dependences,
        "--by counts true dependences within a region: --dependences must be true or register"
    );
    Ok(Rules {
        memory,
        false_dependences,
    })
}

/// The cache levels, nearest first; empty if there are none.
///
/// # Errors
/// One is not a cache.
pub fn caches(args: &TraceArgs) -> anyhow::Result<Vec<CacheSpec>> {
    if args.cache.iter().any(|text| text == "none") {
        anyhow::ensure!(
            args.cache.len() == 1,
            "--cache none cannot be combined with another --cache"
        );
        return Ok(Vec::new());
    }
    if args.cache.is_empty() && args.camat {
        return levels(&MachineModel::preset(super::core::MACHINE)?);
    }
    if let [name] = &args.cache[..]
        && preset_names().any(|known| known == name)
    {
        anyhow::ensure!(
            args.compat.is_none(),
            "--cache {name}: with --compat edan a cache is a size"
        );
        return levels(&MachineModel::preset(name)?).with_context(|| format!("--cache {name}"));
    }
    args.cache
        .iter()
        .map(|text| cache(text, args.compat))
        .collect()
}

/// One instance of every cache level of a machine.
///
/// # Errors
/// One is not a cache.
pub fn levels(machine: &MachineModel) -> anyhow::Result<Vec<CacheSpec>> {
    let level = |level: Level| {
        let spec = CacheSpec {
            ways: level
                .ways
                .map_or(Ways::Full, |ways| Ways::Fixed(ways as u32)),
            line: level.line as u32,
            latency_cycles: level.latency_cycles.map(|cycles| cycles as u32),
            ..CacheSpec::of_bytes(level.bytes as u64)
        };
        spec.validate().with_context(|| level.name.clone())?;
        Ok(spec)
    };
    machine.levels().into_iter().map(level).collect()
}

fn cache(text: &str, compat: Option<Compat>) -> anyhow::Result<CacheSpec> {
    let what = || format!("--cache {text}");
    if compat.is_none() {
        return text.parse::<CacheSpec>().with_context(what);
    }
    // Only the size is open: the rest is what that tool simulates.
    let bytes = parse_bytes(text).map_err(|_| {
        anyhow::anyhow!(
            "{}: with --compat edan a cache is only a size: 2-way LRU, write-through, 64-byte lines",
            what()
        )
    })?;
    let spec = CacheSpec {
        ways: Ways::Fixed(2),
        line: 64,
        policy: Policy::Lru,
        write: WritePolicy::Through,
        ..CacheSpec::of_bytes(bytes.0 as u64)
    };
    spec.validate().with_context(what)?;
    Ok(spec)
}

fn remote(args: &TraceArgs) -> anyhow::Result<Option<RemoteSettings>> {
    let (Some(share), Some(delay)) = (args.remote_share, args.remote_delay) else {
        return Ok(None);
    };
    anyhow::ensure!(
        (0.0..=1.0).contains(&share),
        "--remote-share {share}: a share is from 0 to 1"
    );
    let (trials, seed) = (args.trials.unwrap_or(100), args.seed.unwrap_or(1));
    anyhow::ensure!(
        (1..=10_000).contains(&trials),
        "--trials {trials}: must be from 1 to 10000"
    );
    anyhow::ensure!(
        delay <= 1_000_000_000,
        "--remote-delay {delay}: must be at most 1000000000 cycles"
    );
    anyhow::ensure!(
        latency(args).fract() == 0.0,
        "--latency {}: with --remote-share it must be a whole number of cycles",
        latency(args)
    );
    Ok(Some(RemoteSettings {
        share,
        delay,
        latency: latency(args) as u64,
        trials,
        seed,
    }))
}

/// The latency at which time is counted by bytes.
fn by_bandwidth(args: &TraceArgs) -> anyhow::Result<Option<u64>> {
    if !args.by_bandwidth {
        return Ok(None);
    }
    anyhow::ensure!(
        latency(args).fract() == 0.0,
        "--latency {}: with --by-bandwidth it must be a whole number of cycles",
        latency(args)
    );
    anyhow::ensure!(
        (0.0..=1e6).contains(&latency(args)),
        "--latency {}: with --by-bandwidth it must be from 0 to 1000000 cycles",
        latency(args)
    );
    Ok(Some(latency(args) as u64))
}

/// α; the machine of the C-AMAT report has its own.
pub fn latency(args: &TraceArgs) -> f64 {
    args.latency
        .unwrap_or(if args.camat { 240.0 } else { 100.0 })
}

/// The inputs of the formulas.
///
/// # Errors
/// One is not in its range.
pub fn inputs(args: &TraceArgs) -> anyhow::Result<Inputs> {
    let in_range = |name: &str, value: f64, least: f64, most: f64| {
        anyhow::ensure!(
            (least..=most).contains(&value),
            "--{name} {value}: must be from {least} to {most}"
        );
        Ok(value)
    };
    let latency = in_range("latency", latency(args), 0.0, 1e9)?;
    Ok(Inputs {
        slots: in_range("slots", args.slots, 1.0, 1e9)?,
        latency,
        base_latency: in_range(
            "base-latency",
            args.base_latency.unwrap_or(latency),
            0.0,
            1e9,
        )?,
        ghz: in_range("ghz", args.ghz, 0.001, 1000.0)?,
        processors: in_range("processors", args.processors, 1.0, 1e9)?,
    })
}

/// A flag that was given of those that are about one trace alone.
pub fn of_one_trace(args: &TraceArgs) -> Option<&'static str> {
    let given = [
        (args.elf.is_some(), "--elf"),
        (args.graph.is_some(), "--graph"),
        (args.sweep.is_some(), "--sweep"),
        (args.remote_share.is_some(), "--remote-share"),
        (args.camat, "--camat"),
        (args.memory_chain, "--memory-chain"),
        (args.by_latency, "--by-latency"),
        (args.by_bandwidth, "--by-bandwidth"),
        (args.blame, "--blame"),
        (args.write.is_some(), "--write"),
    ];
    given
        .into_iter()
        .find(|(given, _)| *given)
        .map(|(_, flag)| flag)
}

/// Figures of memory that were asked for, from a trace that says nothing of it.
///
/// # Errors
/// There are some.
pub fn refuse_memory(args: &TraceArgs, read: &ReadSummary) -> anyhow::Result<()> {
    let asked = [
        (args.cache.iter().any(|text| text != "none"), "--cache"),
        (args.reuse, "--reuse"),
        (args.remote_share.is_some(), "--remote-share"),
        (args.sweep.is_some(), "--sweep"),
        (args.epochs, "--epochs"),
        (args.memory_chain, "--memory-chain"),
        (args.by_latency, "--by-latency"),
        (args.by_bandwidth, "--by-bandwidth"),
        (args.blame, "--blame"),
        (args.objects, "--objects"),
        (args.camat, "--camat"),
    ];
    let asked: Vec<&str> = asked
        .into_iter()
        .filter(|(asked, _)| *asked)
        .map(|(_, flag)| flag)
        .collect();
    anyhow::ensure!(
        read.has_addresses || asked.is_empty(),
        "{} needs the addresses of accesses, which this {} trace does not have; `loopsheet record` writes them",
        asked.join(", "),
        read.format
    );
    Ok(())
}

/// Time by bytes of so many accesses that their paths are too long to be counted.
///
/// # Errors
/// There are.
pub fn refuse_too_long(args: &TraceArgs, counted: &Counted) -> anyhow::Result<()> {
    anyhow::ensure!(
        !args.by_bandwidth || counted.depth_by_bandwidth.is_some(),
        "--by-bandwidth: all instructions together take more than 2^43 cycles, or move more than 2^39 bytes; a shorter --latency may fit"
    );
    Ok(())
}

/// How to read the trace.
pub fn options(args: &TraceArgs) -> Options {
    let format = match args.format {
        TraceFormat::Auto => None,
        TraceFormat::Edan => Some(FormatName::Edan),
        TraceFormat::EdanBare => Some(FormatName::EdanBare),
        TraceFormat::Execlog => Some(FormatName::Execlog),
        TraceFormat::Spike => Some(FormatName::Spike),
        TraceFormat::Gdb => Some(FormatName::Gdb),
        TraceFormat::Gem5 => Some(FormatName::Gem5),
        TraceFormat::Whisper => Some(FormatName::Whisper),
        TraceFormat::Stf => Some(FormatName::Stf),
        TraceFormat::Champsim => Some(FormatName::Champsim),
        TraceFormat::Native => Some(FormatName::Native),
    };
    let unknown = match args.unknown {
        UnknownKind::Error => UnknownPolicy::Refuse,
        UnknownKind::Warn => UnknownPolicy::Warn,
    };
    Options { format, unknown }
}
