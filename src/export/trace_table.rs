//! The table of a trace on standard output: what was read, what it executed, and what its eDAG says.

use std::fmt::Write;

use super::blame_table;
use super::camat_table;
use super::columns::{Align, aligned, grid};
use super::numbers::{number, percent, rate};
use super::objects_table;
use super::varied_table;
use crate::formula::Catalogue;
use crate::metrics::by_latency::{DepthByLatency, GROWTHS, Piece};
use crate::metrics::formulas::{EdagFigure, Figures};
use crate::metrics::memory_chain::{ChainInstruction, ChainLine, MemoryChain};
use crate::metrics::profiles::Profiles;
use crate::metrics::report::{CacheEpochs, Epochs, Region, RemoteDelay, Reuse, TraceReport};
use crate::quantity::{Bytes, binary_size};
use crate::regions::SourceLine;
use crate::report::run_report::QUANTILES;
use Align::{Left, Right};

/// Instruction classes shown; the rest are put together.
const CLASSES: usize = 10;
/// Characters of the longest bar.
const BAR: f64 = 40.0;
/// Why figures of memory are missing.
const NO_ADDRESSES: &str = "unknown (the trace has no addresses)";
const NO_WIDTHS: &str = "unknown (the trace has no widths of accesses)";

/// The table; `top` limits the regions to that many.
pub fn render(report: &TraceReport, top: Option<usize>) -> String {
    let mut parts = vec![summary(report), mix(report)];
    if !report.cache.is_empty() {
        parts.push(cache(report));
    }
    parts.push(edag(report));
    parts.extend(report.reuse.as_ref().map(reuse));
    parts.extend(report.remote.as_ref().map(remote));
    parts.extend(report.epochs.as_ref().map(epochs));
    parts.extend(
        report
            .memory_chain
            .as_ref()
            .map(|chain| memory_chain(chain, top)),
    );
    parts.extend(
        report
            .depth_by_latency
            .as_ref()
            .map(|depth| depth_by_latency(depth, report.inputs.latency, top)),
    );
    parts.extend(
        report
            .depth_by_bandwidth
            .as_ref()
            .map(|depth| depth_by_bandwidth(depth, report.inputs.latency, top)),
    );
    parts.extend(report.camat.as_ref().map(camat_table::levels));
    parts.extend(varied_table::render(&report.varied_cores));
    parts.extend(
        report
            .blame
            .as_ref()
            .map(|blame| blame_table::render(blame, top)),
    );
    parts.extend(
        report
            .objects
            .as_ref()
            .map(|objects| objects_table::render(objects, top)),
    );
    if !report.regions.is_empty() {
        parts.push(regions(report, top));
    }
    if !report.notes.is_empty() {
        parts.push(
            report
                .notes
                .iter()
                .fold("notes\n".to_string(), |text, note| {
                    text + "  " + note + "\n"
                }),
        );
    }
    parts.join("\n")
}

fn summary(report: &TraceReport) -> String {
    let trace = &report.trace;
    let path = if trace.path == "-" {
        "standard input"
    } else {
        &trace.path
    };
    let harts = if trace.harts == 1 {
        "1 hart".to_string()
    } else {
        format!("{} harts", trace.harts)
    };
    let mut text = format!(
        "{path} ({}): {} instructions, ",
        trace.format, trace.instructions
    );
    let _ = writeln!(
        text,
        "{} of them distinct, {harts}, {}",
        trace.distinct_instructions,
        Bytes(trace.bytes as f64)
    );
    if !trace.unknown.is_empty() {
        let names = trace
            .unknown
            .iter()
            .map(|(name, count)| format!("{name} ({count})"));
        let _ = writeln!(
            text,
            "not in the instruction table: {}",
            names.collect::<Vec<_>>().join(", ")
        );
    }
    text
}

fn mix(report: &TraceReport) -> String {
    let mut classes: Vec<(&str, u64)> = report
        .mix
        .iter()
        .map(|(class, count)| (class.name(), *count))
        .collect();
    classes.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let total = classes.iter().map(|(_, count)| count).sum();
    let rest: u64 = classes.iter().skip(CLASSES).map(|(_, count)| count).sum();
    classes.truncate(CLASSES);
    if rest > 0 {
        classes.push(("others", rest));
    }
    let row = |(name, count): &(&str, u64)| {
        [
            format!("  {name}"),
            count.to_string(),
            percent(*count, total),
        ]
    };
    let rows: Vec<[String; 3]> = classes.iter().map(row).collect();
    format!("instruction mix\n{}", aligned(&rows, [Left, Right, Right]))
}

fn cache(report: &TraceReport) -> String {
    let headings = [
        "cache",
        "",
        "accesses",
        "misses",
        "miss ratio",
        "bytes in",
        "bytes out",
    ];
    let mut rows = vec![headings.map(String::from)];
    for (number, level) in (1..).zip(&report.cache) {
        let counters = &level.counters;
        rows.push([
            format!("  level {number}"),
            level.spec.to_string(),
            counters.accesses().to_string(),
            counters.misses.to_string(),
            percent(counters.misses, counters.accesses()),
            Bytes(counters.bytes_in as f64).to_string(),
            Bytes(counters.bytes_out as f64).to_string(),
        ]);
    }
    aligned(&rows, [Left, Left, Right, Right, Right, Right, Right])
}

fn edag(report: &TraceReport) -> String {
    let figures = Figures::of(&report.edag, &report.inputs);
    let has_addresses = report.edag.memory.is_some();
    let has_bytes = report
        .edag
        .memory
        .is_some_and(|memory| memory.bytes_moved.is_some());
    let value = |figure: EdagFigure| match figures.get(figure) {
        Some(value) => Ok(number(value)),
        None if !has_addresses && figure.needs_addresses() => Err(NO_ADDRESSES),
        None if figure.needs_widths() && !has_bytes => Err(NO_WIDTHS),
        None => Err("unknown (division by zero)"),
    };
    let row = |figure: &EdagFigure| {
        let entry = figure.entry();
        // What is unknown has no unit, and must not widen the column.
        let (value, unit) = match value(*figure) {
            Ok(value) => (value, entry.unit.symbol()),
            Err(why) => (String::new(), why),
        };
        [
            format!("  {}", entry.meaning),
            entry.symbol.to_string(),
            value,
            unit.to_string(),
        ]
    };
    let mut rows: Vec<[String; 4]> = EdagFigure::ALL.iter().map(row).collect();
    if let Some(schedule) = &report.schedule {
        let label = "  Time of a greedy schedule of the RAM accesses alone";
        rows.push([
            label.into(),
            String::new(),
            schedule.time.to_string(),
            "cycles".into(),
        ]);
    }
    format!("eDAG\n{}", aligned(&rows, [Left, Left, Right, Left]))
}

/// By line where lines are known, else by instruction.
fn memory_chain(chain: &MemoryChain, top: Option<usize>) -> String {
    let stack = |is_all: bool| {
        if is_all {
            "on the stack".to_string()
        } else {
            String::new()
        }
    };
    let of_line = |line: &ChainLine| {
        let ChainLine {
            function,
            place,
            accesses,
            loads,
            stores,
            stack: on_stack,
        } = line;
        let place = match place {
            Some(SourceLine { file, line }) => format!("  {function} {file}:{line}"),
            None => format!("  {function}"),
        };
        let kinds = format!("{loads} loads, {stores} stores");
        [
            place,
            accesses.to_string(),
            percent(*accesses, chain.depth),
            kinds,
            stack(on_stack == accesses),
        ]
    };
    let of_instruction = |instruction: &ChainInstruction| {
        let ChainInstruction {
            pc,
            text,
            kind,
            accesses,
            is_on_stack,
            ..
        } = instruction;
        let place = pc.map(|pc| format!("{pc:#x} ")).unwrap_or_default();
        let share = percent(*accesses, chain.depth);
        [
            format!("  {place}{text}"),
            accesses.to_string(),
            share,
            kind.name().to_string(),
            stack(*is_on_stack),
        ]
    };
    let mut rows: Vec<[String; 5]> = match chain.lines.is_empty() {
        false => chain.lines.iter().map(of_line).collect(),
        true => chain.instructions.iter().map(of_instruction).collect(),
    };
    let shown = top.unwrap_or(rows.len()).min(rows.len());
    let more = rows.len() - shown;
    rows.truncate(shown);
    let heading = format!(
        "the deepest chain of RAM accesses: {} of them\n",
        chain.depth
    );
    let rest = if more > 0 {
        format!("  … and {more} more\n")
    } else {
        String::new()
    };
    heading + &aligned(&rows, [Left, Right, Right, Left, Left]) + &rest
}

/// Its pieces, and how much latency it bears.
fn depth_by_latency(depth: &DepthByLatency, latency: f64, top: Option<usize>) -> String {
    let mut text = "depth for every latency α of RAM in cycles\n".to_string();
    text.push_str(&pieces(depth, 'α', top));
    let _ = writeln!(
        text,
        "  at α = {}: {} cycles, with accesses to RAM that wait for each other: {}",
        number(latency),
        number(depth.at(latency)),
        depth.slope_at(latency)
    );
    for percent in GROWTHS {
        let _ = match depth.grown_by(f64::from(percent), latency) {
            Some(reached) => writeln!(text, "  {percent} % longer at α = {}", number(reached)),
            None => writeln!(text, "  {percent} % longer at no latency"),
        };
    }
    text
}

/// Its pieces, and how little bandwidth it bears.
fn depth_by_bandwidth(depth: &DepthByLatency, latency: f64, top: Option<usize>) -> String {
    let mut text = format!(
        "depth for every time β of a byte, in cycles; an access to RAM takes {} cycles and β for each byte\n",
        number(latency)
    );
    text.push_str(&pieces(depth, 'β', top));
    let _ = writeln!(
        text,
        "  at β = 0: {} cycles, with {} bytes on the path",
        number(depth.at(0.0)),
        depth.slope_at(0.0)
    );
    for percent in GROWTHS {
        let _ = match depth.grown_by(f64::from(percent), 0.0) {
            Some(reached) => writeln!(text, "  {percent} % longer at β = {}", number(reached)),
            None => writeln!(text, "  {percent} % longer at no β"),
        };
    }
    text
}

/// The straight pieces of a depth over what a letter stands for.
fn pieces(depth: &DepthByLatency, of: char, top: Option<usize>) -> String {
    let mut rows = vec![[format!("  from {of}"), format!("T∞({of})")]];
    for (index, piece) in depth.pieces.iter().enumerate() {
        let Piece { slope, intercept } = piece;
        rows.push([
            format!("  {}", number(depth.from(index))),
            format!("{slope}·{of} + {intercept}"),
        ]);
    }
    let shown = top.unwrap_or(rows.len()).max(1).min(rows.len() - 1);
    let more = rows.len() - 1 - shown;
    rows.truncate(shown + 1);
    let mut text = aligned(&rows, [Right, Left]);
    if more > 0 {
        let _ = writeln!(text, "  … and {more} more");
    }
    text
}

fn reuse(reuse: &Reuse) -> String {
    let (total, most) = (
        reuse.touches(),
        reuse
            .histogram
            .iter()
            .map(|bin| bin.count)
            .max()
            .unwrap_or(0),
    );
    let most = most.max(reuse.cold);
    let row = |label: String, count: u64| {
        [
            format!("  {label}"),
            count.to_string(),
            percent(count, total),
            bar(count, most),
        ]
    };
    let mut rows: Vec<[String; 4]> = Vec::new();
    for bin in &reuse.histogram {
        let label = match (bin.lo, bin.hi) {
            (lo, hi) if hi == lo + 1 => format!("{lo}"),
            (lo, hi) => format!("{lo} to {}", hi - 1),
        };
        rows.push(row(label, bin.count));
    }
    rows.push(row("first touch".into(), reuse.cold));
    let heading = format!("reuse distance in lines of {}\n", binary_size(reuse.line));
    heading + &aligned(&rows, [Left, Right, Right, Left])
}

/// A bar in eighths of a character; what is not zero is seen.
fn bar(count: u64, most: u64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    if count == 0 {
        return String::new();
    }
    let eighths = ((count as f64 / most as f64 * BAR * 8.0).round() as usize).max(1);
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

fn remote(remote: &RemoteDelay) -> String {
    let mut text = format!(
        "longest path in cycles, RAM accesses taking the latency α, when {} of them take {} cycles more ({} trials, seed {})\n",
        percent_of(remote.share),
        remote.delay,
        remote.depths.len(),
        remote.seed
    );
    let unknown = || "unknown (no trials)".to_string();
    let quantile = |share| {
        remote
            .quantile(share)
            .map_or_else(unknown, |depth| depth.to_string())
    };
    let mut rows = vec![["  none remote".to_string(), remote.local.to_string()]];
    rows.extend(
        QUANTILES
            .iter()
            .map(|(name, share)| [format!("  {name}"), quantile(*share)]),
    );
    rows.push(["  all remote".into(), remote.all_remote.to_string()]);
    text.push_str(&aligned(&rows, [Left, Right]));
    text
}

fn epochs(profile: &Epochs) -> String {
    let mut text = rates("epochs per 1,000 instructions", profile, profile.epki());
    for (slots, limited) in &profile.slots {
        let heading =
            format!("\nepochs per 1,000 instructions, at most {slots} misses started in each");
        text.push_str(&rates(&heading, profile, profile.per_thousand(limited)));
    }
    if let Some(caches) = &profile.caches {
        text.push_str(&epochs_of_caches(profile, caches));
    }
    text
}

/// A row for each number of misses that may start in an epoch.
fn epochs_of_caches(profile: &Epochs, caches: &CacheEpochs) -> String {
    let windows = profile.windows.iter().map(|window| format!("W={window}"));
    let mut rows = vec![
        std::iter::once("  misses in an epoch".to_string())
            .chain(windows)
            .collect::<Vec<String>>(),
    ];
    for (most, epochs) in caches.rows() {
        let cells = profile
            .per_thousand(&[epochs.to_vec()])
            .into_iter()
            .flatten()
            .map(rate);
        let most = most.map_or("any number".to_string(), |slots| format!("at most {slots}"));
        rows.push(std::iter::once(format!("  {most}")).chain(cells).collect());
    }
    format!(
        "\nepochs per 1,000 instructions, of the misses of the caches above\n{}",
        grid(&rows)
    )
}

/// A row a capacity, the largest on top as in the picture; a column a window.
pub(super) fn rates(heading: &str, profile: &Epochs, rates: Vec<Vec<f64>>) -> String {
    let windows = profile.windows.iter().map(|window| format!("W={window}"));
    let mut rows = vec![
        std::iter::once("  capacity".to_string())
            .chain(windows)
            .collect::<Vec<String>>(),
    ];
    for (capacity, row) in profile.capacities.iter().zip(rates).rev() {
        let cells = row.into_iter().map(rate);
        rows.push(
            std::iter::once(format!("  {}", binary_size(*capacity)))
                .chain(cells)
                .collect(),
        );
    }
    format!("{heading}\n{}", grid(&rows))
}

/// The epochs of several traces, one after the other, and their mean.
pub fn profiles(profiles: &Profiles) -> String {
    let of = |(path, profile): &(String, Epochs)| {
        format!(
            "{path}: {} instructions\n{}",
            profile.instructions,
            epochs(profile)
        )
    };
    let mut parts: Vec<String> = profiles.traces.iter().map(of).collect();
    if let Some((_, first)) = profiles.traces.first() {
        let heading = format!(
            "epochs per 1,000 instructions, mean of {} traces",
            profiles.traces.len()
        );
        parts.push(rates(&heading, first, profiles.mean_epki()));
    }
    parts.join("\n")
}

fn percent_of(share: f64) -> String {
    format!("{} %", number(share * 100.0))
}

fn regions(report: &TraceReport, top: Option<usize>) -> String {
    let figures = [
        EdagFigure::Work,
        EdagFigure::Depth,
        EdagFigure::MemoryWork,
        EdagFigure::MemoryDepth,
        EdagFigure::Lambda,
        EdagFigure::RelativeLambda,
    ];
    let row = |name: String, place: String, instructions: String, values: [String; 6]| {
        let [a, b, c, d, e, f] = values;
        [name, place, instructions, a, b, c, d, e, f]
    };
    let name = format!("by {}", report.regions[0].kind.name());
    let symbols = figures.map(|figure| figure.entry().symbol.to_string());
    let mut rows = vec![row(name, "place".into(), "instructions".into(), symbols)];
    let shown = top
        .unwrap_or(report.regions.len())
        .min(report.regions.len());
    for region in &report.regions[..shown] {
        let known = Figures::of(&region.edag, &report.inputs);
        let value = |figure| known.get(figure).map_or("unknown".to_string(), number);
        rows.push(row(
            format!("  {}", region.name),
            place(region),
            region.instructions.to_string(),
            figures.map(value),
        ));
    }
    let mut text = aligned(
        &rows,
        [Left, Left, Right, Right, Right, Right, Right, Right, Right],
    );
    if shown < report.regions.len() {
        let _ = writeln!(text, "  … and {} more", report.regions.len() - shown);
    }
    text
}

fn place(region: &Region) -> String {
    match (&region.file, region.line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        (Some(file), None) => file.clone(),
        (None, _) => "unknown".to_string(),
    }
}
