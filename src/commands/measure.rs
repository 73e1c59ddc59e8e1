//! `loopsheet machine measure`: a machine file of the machine that it runs on.

use crate::reading::{files, machine_file};
use std::fmt::Write;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};

use super::outputs::Output;
use super::{Status, Voice};
use crate::cli::MeasureArgs;
use crate::machine::{Level, MachineModel, names_file};
use crate::measure::{self, Cache, Figure, Part, Vectors};
use crate::quantity::parse_bytes;

/// Measures and writes.
///
/// # Errors
/// The file cannot be written, the base cannot be read, or nothing says what caches there are.
pub fn run(args: &MeasureArgs, voice: Voice) -> anyhow::Result<Status> {
    let output = Output::create(&args.output)?;
    let base = args.base.as_deref().map(machine_file::load).transpose()?;
    let mut caches = caches(Path::new("/sys/devices/system/cpu/cpu0/cache"));
    if let (true, Some(base)) = (caches.is_empty(), &base) {
        caches = base.levels().iter().map(of_base).collect();
    }
    anyhow::ensure!(
        !caches.is_empty(),
        "the system does not say what caches this machine has; name a machine that has the same ones with --base"
    );
    let vectors = vectors(args.vector_bytes)?;
    let figures = figures(vectors, &caches, voice);
    let about = About {
        cpu: cpu_name().unwrap_or_else(|| "this machine".to_string()),
        date: date(),
    };
    let named = args.base.as_deref().map(base_name).transpose()?;
    let text = file(&about, vectors, named.as_deref(), &caches, &figures);
    // What is written can be read.
    let find_base = |_: &str| base.clone().ok_or_else(String::new);
    MachineModel::parse_with_base(&text, "the measured machine", &find_base)
        .context("the measurements do not make a machine: run it again while this one is idle")?;
    output.finish(text.as_bytes())?;
    Ok(Status::Done)
}

/// Those that are asked for, or that compilers use by themselves.
fn vectors(bytes: Option<usize>) -> anyhow::Result<Vectors> {
    let Some(bytes) = bytes else {
        return Ok(Vectors::usual());
    };
    Vectors::of(bytes).with_context(|| {
        let all: Vec<String> = Vectors::all()
            .map(|vectors| vectors.bytes().to_string())
            .collect();
        format!(
            "this processor has no vectors of {bytes} bytes; --vector-bytes can be {}",
            all.join(", ")
        )
    })
}

/// All figures, with a bar while they are measured.
fn figures(vectors: Vectors, caches: &[Cache], voice: Voice) -> Vec<Figure> {
    let parts = measure::parts(caches);
    let bar = match voice.quiet {
        true => ProgressBar::hidden(),
        false => ProgressBar::new((measure::PASSES * parts.len()) as u64),
    };
    if let Ok(style) = ProgressStyle::with_template("{msg:<12} {wide_bar} {pos}/{len}") {
        bar.set_style(style);
    }
    let mut passes = Vec::new();
    for _ in 0..measure::PASSES {
        let mut found = Vec::new();
        for part in &parts {
            bar.set_message(label(*part, caches));
            let more = measure::measure(*part, vectors, caches, &found);
            found.extend(more);
            bar.inc(1);
        }
        passes.push(found);
    }
    bar.finish_and_clear();
    measure::combined(&passes)
}

fn label(part: Part, caches: &[Cache]) -> String {
    match part {
        Part::Clock => "clock".to_string(),
        Part::Latencies => "latencies".to_string(),
        Part::Rates => "rates".to_string(),
        Part::Functions => "functions".to_string(),
        Part::Branches => "branches".to_string(),
        Part::Translation => "pages".to_string(),
        Part::Level(at) => caches
            .get(at)
            .map_or("memory".to_string(), |cache| format!("L{}", cache.level)),
    }
}

/// The caches of data that the system lists, nearest first; those that it does not describe in full are left out.
fn caches(directory: &Path) -> Vec<Cache> {
    let cache = |index: usize| {
        let read = |name: &str| {
            let path = directory.join(format!("index{index}")).join(name);
            Some(files::read_text(&path).ok()?.trim().to_string())
        };
        if read("type")? == "Instruction" {
            return None;
        }
        let number = |name: &str| read(name)?.parse::<usize>().ok().filter(|n| *n > 0);
        let bytes = parse_bytes(&format!("{}iB", read("size")?)).ok()?;
        Some(Cache {
            level: number("level")?,
            bytes: bytes.0 as usize,
            ways: number("ways_of_associativity"),
            line: number("coherency_line_size").unwrap_or(64),
            shared_by: read("shared_cpu_list")
                .map_or(1, |list| listed(&list))
                .max(1),
        })
    };
    let mut caches: Vec<Cache> = (0..8).filter_map(cache).collect();
    caches.sort_by_key(|cache| cache.level);
    caches.dedup_by_key(|cache| cache.level);
    caches
}

/// How many processors a list has: 0-3,8 has five.
fn listed(list: &str) -> usize {
    let count = |range: &str| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let ends = (first.parse::<usize>().ok()?, last.parse::<usize>().ok()?);
        Some(ends.1.checked_sub(ends.0)? + 1)
    };
    list.split(',').filter_map(count).sum()
}

/// A base as a file in another directory names it.
fn base_name(base: &str) -> anyhow::Result<String> {
    if !names_file(base) {
        return Ok(base.to_string());
    }
    let path = Path::new(base).canonicalize();
    let path = path.with_context(|| format!("cannot find the machine file {base}"))?;
    Ok(path.display().to_string())
}

fn of_base(level: &Level) -> Cache {
    Cache {
        level: level.index,
        bytes: level.bytes as usize,
        ways: level.ways.map(|ways| ways as usize),
        line: level.line as usize,
        shared_by: level.shared_by as usize,
    }
}

fn cpu_name() -> Option<String> {
    let text = files::read_text(Path::new("/proc/cpuinfo")).ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    let name = line.split_once(':')?.1.trim();
    Some(name.replace(['"', '\\'], ""))
}

/// The day, in UTC.
fn date() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH);
    let days = seconds.map_or(0, |since| since.as_secs() / 86400) as i64;
    let (year, month, day) = civil(days);
    format!("{year}-{month:02}-{day:02}")
}

/// Year, month and day, so many days after 1 January 1970 (Hinnant, chrono-compatible low-level date algorithms).
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

struct About {
    cpu: String,
    date: String,
}

/// The machine file.
fn file(
    about: &About,
    vectors: Vectors,
    base: Option<&str>,
    caches: &[Cache],
    figures: &[Figure],
) -> String {
    let About { cpu, date } = about;
    let mut text = String::new();
    if let Some(base) = base {
        let _ = writeln!(text, "base = \"{base}\"");
    }
    let _ = write!(
        text,
        "name = \"measured\"\ntitle = \"{cpu}, one core, measured\"\nabout = \"\"\"\nMeasured by loopsheet {} on {date}: \
         one core, with all of the caches and of the memory bandwidth that it gets alone.\n\"\"\"\n",
        env!("CARGO_PKG_VERSION")
    );
    let mut row = |name: &str, value: f64, source: &str, note: &str| {
        let note = match note {
            "" => String::new(),
            note => format!("note = \"{note}\"\n"),
        };
        let _ = write!(
            text,
            "\n[{name}]\nvalue = {value}\nsource = \"{source}\"\n{note}"
        );
    };
    row("cores", 1.0, "by definition", "one core is measured");
    let measured = format!("measured on {date}");
    for Figure {
        parameter,
        measured: found,
        how,
    } in figures
    {
        let note = format!(
            "{how}; median of {} passes, quartiles {:.1} % apart",
            measure::PASSES,
            100.0 * found.spread
        );
        let value = match parameter.ends_with("_bytes") {
            true => found.value,
            false => rounded(found.value),
        };
        row(parameter, value, &measured, &note);
    }
    let widest = Vectors::widest().bytes();
    let note = match vectors.bytes() == widest {
        true => "the widest that it has of those that loops can be measured with".to_string(),
        false => format!(
            "loops were measured with these; the widest that it has are {widest} bytes long"
        ),
    };
    row(
        "vector_bytes",
        vectors.bytes() as f64,
        "the processor",
        &note,
    );
    let assumed = "a taken branch each cycle, as most cores have; not measured";
    row("iteration_cycles", 1.0, "assumed", assumed);
    let system = "the operating system";
    for cache in caches {
        let mut figure = |what: &str, value: usize| {
            row(
                &format!("l{}_{what}", cache.level),
                value as f64,
                system,
                "",
            );
        };
        let is_measured = |figure: &Figure| figure.parameter == format!("l{}_bytes", cache.level);
        if !figures.iter().any(is_measured) {
            figure("bytes", cache.bytes);
        }
        cache.ways.into_iter().for_each(|ways| figure("ways", ways));
    }
    let shared = |cache: &&Cache| cache.shared_by > 1;
    for cache in caches.iter().filter(shared) {
        let note = format!(
            "{} processors share it; the one that is measured runs alone",
            cache.shared_by
        );
        row(
            &format!("l{}_shared_by", cache.level),
            1.0,
            "by definition",
            &note,
        );
    }
    row("line_bytes", caches[0].line as f64, system, "");
    text
}

/// Four figures: more are noise.
fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_dates() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(19_782), (2024, 2, 29));
        assert_eq!(civil(20_454), (2026, 1, 1));
    }

    #[test]
    fn lists_of_processors_are_counted() {
        assert_eq!(["0", "0-3", "0-3,8", "0,2,4-5"].map(listed), [1, 4, 5, 4]);
    }
}
