//! `--camat`: the out-of-order core that a trace is run through.

use anyhow::Context;

use crate::cache::CacheSpec;
use crate::cache::spec::WritePolicy;
use crate::cli::TraceArgs;
use crate::metrics::camat::{Camat, Program};
use crate::metrics::costs::Costs;
use crate::metrics::counted::CountedCore;
use crate::metrics::formulas::{EdagFigure, Figures};
use crate::metrics::out_of_order::{CoreCycles, CoreModel, LevelModel, cpi_band};
use crate::metrics::report::TraceReport;
use crate::metrics::varied_core::CoreParameter;

use super::settings::latency;
use super::timeline::program;

/// The preset whose caches are taken where none are given.
pub const MACHINE: &str = "camat";
/// Ports are not in the report's table; two at the nearest level are what its text gives for an Opteron.
const PORTS: [u32; 4] = [2, 1, 1, 1];
/// Wang and Sun 2012, table I.
const MSHRS: [u32; 4] = [8, 16, 16, 16];
/// A line of 64 bytes over the preset's 17.07 GB/s, in cycles of 4 GHz.
const RAM_INTERVAL: u64 = 15;
/// The longest look-up and the longest way to RAM.
const MOST_CYCLES: u32 = 1_000_000;
/// Cores beside that of the run.
const MOST_VARIED: usize = 64;
pub const WINDOW: usize = 64;
const WIDTH: u32 = 4;
/// Cycles of the functional units of the same table; a fused operation takes a multiplication and an addition. The table's
/// processor divides no integers: those cycles are of gem5's out-of-order core, which has the table's others.
const COSTS: &str = "[cycles]\nmultiply = 3\ndivide = 20\nfp_add = 2\nfp_other = 2\nfp_multiply = 4\nfp_fma = 6\nfp_divide = 12\n\
                     fp_sqrt = 12\n";

/// The core, if one is asked for, and its cycles of each class.
///
/// # Errors
/// An argument is out of range, there are no caches or their latencies are not given, or stores are written through.
pub fn settings(
    args: &TraceArgs,
    costs: &Costs,
    caches: &[CacheSpec],
) -> anyhow::Result<Option<(CoreModel, Costs)>> {
    if !args.camat {
        return Ok(None);
    }
    anyhow::ensure!(
        args.compat.is_none(),
        "--compat edan has no core: it cannot be combined with --camat"
    );
    anyhow::ensure!(
        args.instructions.is_none() && args.cpi_exe.is_none(),
        "--instructions and --cpi-exe belong to --timeline; --camat counts both itself"
    );
    program(args, None)?;
    anyhow::ensure!(
        !caches.is_empty(),
        "--camat reports cache levels: with --cache none there are none"
    );
    check_ranges(args, caches.len())?;
    let ram_interval = args.ram_interval.unwrap_or(RAM_INTERVAL);
    let model = CoreModel {
        window: args.window.unwrap_or(WINDOW),
        width: args.issue_width.unwrap_or(WIDTH),
        levels: (caches.iter().enumerate())
            .map(|(index, spec)| level(args, index, spec))
            .collect::<anyhow::Result<_>>()?,
        ram: latency(args) as u64,
        places: Vec::new(),
        ram_interval,
        far_interval: args.far_interval.unwrap_or(ram_interval),
        first_shared: args.shared_level.map_or(caches.len(), |level| level - 1),
        blocking_stores: args.blocking_stores,
    };
    let costs = if args.costs.is_some() {
        costs.clone()
    } else {
        Costs::parse(COSTS)?
    };
    Ok(Some((model, costs)))
}

/// Parameters of the core with values to try.
///
/// # Errors
/// A name is none of a parameter, or a value is out of range.
pub fn varied(args: &TraceArgs) -> anyhow::Result<Vec<(CoreParameter, u32)>> {
    let mut varied = Vec::new();
    for text in &args.vary {
        let what = || format!("--vary {text}");
        let names = CoreParameter::ALL.map(CoreParameter::name).join(", ");
        let (name, list) = text.split_once('=').with_context(|| {
            format!(
                "{}: it must be PARAMETER=LIST, such as window=16,64",
                what()
            )
        })?;
        let parameter = CoreParameter::ALL
            .into_iter()
            .find(|own| own.name() == name);
        let parameter = parameter.with_context(|| {
            format!(
                "{}: the core has no parameter {name}; it has {names}",
                what()
            )
        })?;
        let most = match parameter {
            CoreParameter::IssueWidth => 64,
            CoreParameter::Window | CoreParameter::Ports | CoreParameter::Mshrs => 1024,
        };
        for value in list.split(',') {
            let value = value.trim().parse().ok();
            let value = value.filter(|value| (1..=most).contains(value));
            let value = value.with_context(|| {
                format!(
                    "{}: values must be from 1 to {most}, with commas between",
                    what()
                )
            })?;
            anyhow::ensure!(
                !varied.contains(&(parameter, value)),
                "{}: {value} twice",
                what()
            );
            varied.push((parameter, value));
        }
    }
    anyhow::ensure!(
        varied.len() <= MOST_VARIED,
        "--vary: at most {MOST_VARIED} values in all are possible, not {}",
        varied.len()
    );
    Ok(varied)
}

/// # Errors
/// A number is larger or smaller than the core can have it.
fn check_ranges(args: &TraceArgs, levels: usize) -> anyhow::Result<()> {
    let whole = |value: f64| value.fract() == 0.0 && value >= 1.0;
    let most = f64::from(MOST_CYCLES);
    anyhow::ensure!(
        whole(latency(args)) && latency(args) <= most,
        "--latency {}: --camat needs whole cycles, from 1 to {MOST_CYCLES}",
        latency(args)
    );
    let positive = |flag: &str, number: usize, most: usize| {
        anyhow::ensure!(
            (1..=most).contains(&number),
            "{flag} {number}: must be from 1 to {most}"
        );
        Ok(())
    };
    positive("--window", args.window.unwrap_or(WINDOW), 1024)?;
    let width = args.issue_width.unwrap_or(WIDTH);
    positive("--issue-width", width as usize, 64)?;
    if let Some(interval) = args.ram_interval.filter(|cycles| *cycles > 1_000_000) {
        anyhow::bail!("--ram-interval {interval}: must be at most 1000000 cycles");
    }
    for (flag, list) in [("--ports", &args.ports), ("--mshrs", &args.mshrs)] {
        anyhow::ensure!(
            list.len() <= levels,
            "{flag}: there are {levels} cache levels, not {}",
            list.len()
        );
        (list.iter()).try_for_each(|number| positive(flag, *number as usize, 1024))?;
    }
    if let Some(level) = args.shared_level {
        anyhow::ensure!(
            (1..=levels).contains(&level),
            "--shared-level {level}: there are levels 1 to {levels}"
        );
    }
    Ok(())
}

/// # Errors
/// The cache cannot be timed.
fn level(args: &TraceArgs, index: usize, spec: &CacheSpec) -> anyhow::Result<LevelModel> {
    let number = index + 1;
    anyhow::ensure!(
        spec.write == WritePolicy::Back,
        "cache level {number}: --camat needs write-back caches"
    );
    let hit = spec.latency_cycles.filter(|cycles| *cycles > 0);
    let hit = hit.ok_or_else(|| {
        anyhow::anyhow!("cache level {number}: --camat needs the cycles of a hit, such as --cache 32KiB,4cycles; --cache {MACHINE} has them")
    })?;
    anyhow::ensure!(
        hit <= MOST_CYCLES,
        "cache level {number}: {hit} cycles; must be at most {MOST_CYCLES}"
    );
    let at = |given: &[u32], default: [u32; 4]| given.get(index).copied().unwrap_or(default[index]);
    Ok(LevelModel {
        spec: *spec,
        hit: u64::from(hit),
        ports: at(&args.ports, PORTS),
        mshrs: at(&args.mshrs, MSHRS),
    })
}

/// The core in words, for whoever reads its figures.
pub fn in_words(model: &CoreModel) -> String {
    let list = |of: &dyn Fn(&LevelModel) -> u64| {
        model
            .levels
            .iter()
            .map(|level| of(level).to_string())
            .collect::<Vec<String>>()
            .join(", ")
    };
    let shared = match model.first_shared {
        first if first < model.levels.len() => {
            format!("; harts share level {} and those behind", first + 1)
        }
        _ => String::new(),
    };
    format!(
        "the core of C-AMAT: window {}, {} instructions per cycle; from the nearest level on {} ports, {} MSHRs, look-ups of {} \
         cycles; RAM {} cycles and a line every {}; MSHRs and RAM are assigned in program order; a store {}; an access across lines counts as one to each{shared}; {}",
        model.window,
        model.width,
        list(&|level| u64::from(level.ports)),
        list(&|level| u64::from(level.mshrs)),
        list(&|level| level.hit),
        model.ram,
        model.ram_interval,
        if model.blocking_stores {
            "is waited for"
        } else {
            "waits in a buffer, where its miss cycles still count"
        },
        cpi_band("this core"),
    )
}

/// Why the bound of the eDAG is above the cycles that C-AMAT counts, where it is.
pub fn below_bound(report: &TraceReport) -> Option<String> {
    let (first, last) = report.camat.as_ref()?.run;
    let cycles = (last + 1).saturating_sub(first) as f64;
    let bound = Figures::of(&report.edag, &report.inputs).get(EdagFigure::TimeLower)?;
    (cycles < bound).then(|| {
        format!(
            "T ≥ is {bound} cycles with the inputs of the run, and the run counted by C-AMAT took {cycles}: T ≥ assumes a machine \
             that executes everything but RAM accesses one instruction at a time, the run a core that executes several at once"
        )
    })
}

/// What the core's timeline comes to. Without memory stalls an instruction takes what it takes where every
/// access hits; cycles of several harts add up.
pub fn camat(args: &TraceArgs, core: CountedCore) -> Camat {
    let CoreCycles {
        instructions,
        cycles,
        hart_cycles,
        perfect_cycles,
        ..
    } = core.cycles;
    let cpi_exe = (instructions > 0).then(|| perfect_cycles as f64 / instructions as f64);
    let program = Program {
        instructions: Some(instructions),
        cpi_exe,
        hart_cycles: Some(hart_cycles),
        stall_target: args.stall_target / 100.0,
    };
    core.meter.finish(program, Some(cycles))
}
