//! `loopsheet record`: run a RISC-V program under QEMU and write its trace.

mod conversion;
mod emulator;
mod shared;
mod sink;
mod tracer;

use crate::reading::files;
use std::io::IsTerminal;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::time::Instant;

use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};

pub use self::emulator::StandardOutput;
use self::emulator::{Emulator, Run, Signals};
use self::shared::{Phase, Report, Shared};
use self::sink::Sink;
use self::tracer::Tracer;
use super::{Status, Voice};
use crate::binary::{Binary, Function};
use crate::cli::{RecordArgs, RecordFormat};
use crate::trace::{Compression, RunEnd, native};

/// Records the program.
///
/// # Errors
/// It is not a program that can be recorded, something is not installed, or the trace cannot be written; then
/// nothing is left under its name.
pub fn run(args: &RecordArgs, voice: Voice) -> anyhow::Result<Status> {
    let is_taken = args.output.as_deref().is_none_or(sink::is_standard_output);
    let recorded = run_beside(
        args,
        voice,
        if is_taken {
            StandardOutput::Taken
        } else {
            StandardOutput::Free
        },
    )?;
    Ok(match recorded {
        Recorded::Whole => Status::Done,
        Recorded::Crashed | Recorded::Nothing => Status::WithErrors,
    })
}

/// What came of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// All of the program, or as much as was asked for.
    Whole,
    /// The program did not end by itself.
    Crashed,
    /// No instruction: the functions that were asked for were never entered.
    Nothing,
}

/// Records the program, where standard output may be that of a report.
///
/// # Errors
/// As [`run`].
pub fn run_beside(
    args: &RecordArgs,
    voice: Voice,
    standard_output: StandardOutput,
) -> anyhow::Result<Recorded> {
    let signals = Signals::hold()?;
    let path = Path::new(&args.program[0]);
    let binary = read_binary(path)?;
    let functions = find_functions(&binary, &args.function, path)?;
    let emulator = Emulator::find()?;
    emulator
        .check_loader(&binary)
        .with_context(|| format!("cannot record {}", path.display()))?;
    let tracer = Tracer::ready()?;
    if let Some(output) = args.output.as_deref() {
        let same = output
            .canonicalize()
            .is_ok_and(|output| path.canonicalize().is_ok_and(|path| path == output));
        anyhow::ensure!(
            !same,
            "cannot write {}: it is the program to record",
            output.display()
        );
    }
    let sink = Sink::create(args.output.as_deref())?;
    let format = format(args, &sink)?;
    let sink = match format {
        RecordFormat::Stf => sink.converting()?,
        RecordFormat::Execlog | RecordFormat::Native => sink,
    };
    let to_file = sink.is_file();

    let shared = Shared::create()?;
    let (receiver, out) = sink.open()?;
    let request = Run {
        program: &args.program,
        binary: &binary,
        functions: &functions,
        inside_only: args.without_callees,
        limit: args.limit,
        format,
        standard_output,
    };
    let begin = Instant::now();
    let mut child = emulator.start(&request, &tracer, &shared, out)?;
    let progress = progress(to_file, voice);
    let status = emulator::wait(&mut child, &signals, || {
        progress.set_position(shared.instructions());
    })?;
    progress.finish_and_clear();
    let seconds = begin.elapsed().as_secs_f64();

    let mut report = shared.report()?;
    explain_failure(&report, &emulator, path, status)?;
    let end = run_end(&report, status).filter(|_| report.instructions > 0);
    match format {
        RecordFormat::Execlog => {
            let line = end.map(RunEnd::line).unwrap_or_default();
            report.pending.extend(line.bytes());
        }
        RecordFormat::Native | RecordFormat::Stf => finish_chunks(&mut report, end),
    }
    receiver.finish(report.written, &report.pending, report.error.take())?;
    if voice.verbose {
        let Report {
            instructions,
            load_base,
            entered,
            ..
        } = report;
        eprintln!(
            "loopsheet: {instructions} instructions in {seconds:.3} s with {}",
            emulator.name()
        );
        eprintln!("loopsheet: {} is loaded at {load_base:#x}", path.display());
        if !functions.is_empty() && !args.without_callees {
            eprintln!(
                "loopsheet: {} entered {entered} times",
                args.function.join(", ")
            );
        }
    }
    Ok(judge(&report, status, path, args, voice))
}

/// The format that was asked for, or that the name of the trace says. What comes out of a pipe is for a program to read.
///
/// # Errors
/// The name says ChampSim's, which is only converted to.
fn format(args: &RecordArgs, sink: &Sink) -> anyhow::Result<RecordFormat> {
    let name = args
        .output
        .as_deref()
        .map(|path| match Compression::by_extension(path) {
            Compression::None => path.to_path_buf(),
            _ => path.with_extension(""),
        });
    let extension = name.as_deref().and_then(Path::extension);
    let extension = extension.and_then(|extension| extension.to_str());
    if let Some(format) = args.format {
        return Ok(format);
    }
    Ok(match extension {
        Some("native") => RecordFormat::Native,
        Some("stf" | "zstf") => RecordFormat::Stf,
        Some("champsim") => anyhow::bail!(
            "a run is not recorded as ChampSim's records: record it as run.native, then `loopsheet trace run.native --write \
             run.champsim.xz` converts it"
        ),
        _ if sink.is_standard_pipe() => RecordFormat::Native,
        _ => RecordFormat::Execlog,
    })
}

/// Brings what is pending to the whole end of a trace in the compact format.
fn finish_chunks(report: &mut Report, end: Option<RunEnd>) {
    let begins = native::beginning();
    // The tracer has written the beginning, or has it with the first chunk.
    if report.written == 0 && !report.pending.starts_with(&begins) {
        report.pending.splice(0..0, begins);
    }
    report.pending.extend(native::last(report.chunks, end));
}

fn read_binary(path: &Path) -> anyhow::Result<Binary> {
    let what = || format!("cannot record {}", path.display());
    let is_found = path.try_exists().with_context(what)?;
    anyhow::ensure!(
        is_found,
        "{}: No such file here; PATH is not searched, so write where the program is, such as ./a.out",
        what(),
    );
    let metadata = std::fs::metadata(path).with_context(what)?;
    anyhow::ensure!(!metadata.is_dir(), "{}: it is a directory", what());
    anyhow::ensure!(metadata.is_file(), "{}: it is not a file", what());
    let data = files::read(path).with_context(what)?;
    let binary = Binary::read(&data).with_context(what)?;
    let may_run = rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok();
    anyhow::ensure!(may_run, "{}: it is not executable (chmod +x)", what());
    Ok(binary)
}

fn find_functions(binary: &Binary, names: &[String], path: &Path) -> anyhow::Result<Vec<Function>> {
    let mut functions = Vec::new();
    for name in names {
        let found = binary.named(name);
        if found.is_empty() {
            let near = binary.names_near(name);
            let hint = if binary.functions.is_empty() {
                "it has no symbols: link it without -s".to_string()
            } else if near.is_empty() {
                "is it inlined, or in a shared library (link with -static)?".to_string()
            } else {
                format!("near names: {}", near.join(", "))
            };
            anyhow::bail!("{} has no function {name}; {hint}", path.display());
        }
        functions.extend(found.into_iter().cloned());
    }
    functions.sort();
    functions.dedup_by_key(|f| (f.low, f.high));
    Ok(functions)
}

fn progress(to_file: bool, voice: Voice) -> ProgressBar {
    if !to_file || voice.quiet || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{human_pos} instructions, {elapsed}")
        .expect("the template is constant");
    ProgressBar::no_length().with_style(style)
}

/// Failures of QEMU itself; it has said on standard error what it did not like.
fn explain_failure(
    report: &Report,
    emulator: &Emulator,
    path: &Path,
    status: ExitStatus,
) -> anyhow::Result<()> {
    match report.phase {
        Phase::NotLoaded => anyhow::bail!(
            "{} did not load the tracer ({}): it must be QEMU's user-mode emulator for riscv64, built with plugins, \
             as in Debian's qemu-user",
            emulator.name(),
            ending(status)
        ),
        Phase::Loaded => anyhow::bail!(
            "{} could not start {} ({})",
            emulator.name(),
            path.display(),
            ending(status)
        ),
        Phase::Started | Phase::Ended | Phase::LimitReached => Ok(()),
    }
}

fn judge(
    report: &Report,
    status: ExitStatus,
    path: &Path,
    args: &RecordArgs,
    voice: Voice,
) -> Recorded {
    if !status.success() && !voice.quiet {
        eprintln!(
            "loopsheet: {} ended with {}; the trace reaches up to there",
            path.display(),
            ending(status)
        );
    }
    if report.instructions > 0 || args.function.is_empty() {
        let end = run_end(report, status);
        return match end.is_some_and(RunEnd::is_crash) {
            true => Recorded::Crashed,
            false => Recorded::Whole,
        };
    }
    let names = args.function.join(", ");
    eprintln!(
        "loopsheet: the trace is empty: {} never entered {names} (the compiler may have put it into its callers)",
        path.display()
    );
    Recorded::Nothing
}

/// How the run ended; not known of a program that was stopped and goes on.
fn run_end(report: &Report, status: ExitStatus) -> Option<RunEnd> {
    match (report.phase, status.code(), status.signal()) {
        (Phase::LimitReached, ..) => Some(RunEnd::Limit(report.instructions)),
        (_, Some(code), _) => Some(RunEnd::ExitStatus(code)),
        (_, None, signal) => signal.map(RunEnd::Signal),
    }
}

fn ending(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit status {code}"),
        (None, Some(signal)) => match signal_hook::low_level::signal_name(signal) {
            Some(name) => format!("signal {signal}, {name}"),
            None => format!("signal {signal}"),
        },
        (None, None) => status.to_string(),
    }
}
