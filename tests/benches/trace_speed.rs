//! How fast a trace is analysed, as a ratio to `md5sum` of the same file in the same run, and whether memory
//! stays flat.
//!
//!     cargo bench --bench trace_speed               a generated trace of 5 million instructions
//!     cargo bench --bench trace_speed -- TRACE      a trace of your own
//!
//! A run of a program with blocks of the heap is recorded, too (with `riscv64-linux-gnu-gcc` and QEMU): counting by source line,
//! which follows every block from where it was allocated, against the same without `--elf`.
//!
//! The generated trace is what a matrix multiply of 32-bit integers executes: the inner loop that GCC
//! makes of it, with its addresses, in EDAN's format. Other programs may run meanwhile, so what counts is processor time, of
//! each thread: an analysis takes on two cores what its longest thread takes, or half of all threads together if that is
//! more. Exit status 1 if that, in the best of the runs, is more than so many times the best of md5sum as [`ANALYSES`]
//! allow, or memory of the default one is more than 64 MiB and four times the touched bytes.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

const INSTRUCTIONS: u64 = 5_000_000;
const RUNS: usize = 5;

struct Analysis {
    name: &'static str,
    arguments: &'static [&'static str],
    input: Input,
    /// How many times as long as md5sum of the text it may take on two cores.
    limit: f64,
    /// And how many times as long as the default metrics from the same input, all threads together.
    of_default: Option<f64>,
}

/// What the trace is in.
#[derive(Clone, Copy, PartialEq)]
enum Input {
    Text,
    Native,
    /// Text of QEMU, of a program that is at hand.
    Recorded,
    /// The same with `--elf`.
    RecordedWithProgram,
}

const ANALYSES: [Analysis; 9] = [
    Analysis {
        name: "default metrics and one cache level",
        arguments: &["--cache", "32KiB,8way,64B,lru"],
        input: Input::Text,
        limit: 0.5,
        of_default: None,
    },
    Analysis {
        name: "the same from the compact format",
        arguments: &["--cache", "32KiB,8way,64B,lru"],
        input: Input::Native,
        limit: 0.3,
        of_default: None,
    },
    Analysis {
        name: "the depth for every latency",
        arguments: &["--cache", "32KiB,8way,64B,lru", "--by-latency"],
        input: Input::Text,
        limit: 0.7,
        of_default: None,
    },
    Analysis {
        name: "the same from the compact format, and the depth for every latency",
        arguments: &["--cache", "32KiB,8way,64B,lru", "--by-latency"],
        input: Input::Native,
        limit: 0.5,
        of_default: Some(2.0),
    },
    Analysis {
        name: "epochs of 231 configurations",
        arguments: &["--epochs"],
        input: Input::Text,
        limit: 1.5,
        of_default: None,
    },
    Analysis {
        name: "C-AMAT of two cache levels",
        arguments: &["--camat"],
        input: Input::Text,
        limit: 2.0,
        of_default: None,
    },
    Analysis {
        name: "epochs with miss slots",
        arguments: &["--epochs", "--epoch-slots", "8"],
        input: Input::Text,
        limit: 3.0,
        of_default: None,
    },
    Analysis {
        name: "default metrics of a recorded run",
        arguments: &["--cache", "32KiB,8way,64B,lru"],
        input: Input::Recorded,
        limit: 0.5,
        of_default: None,
    },
    Analysis {
        name: "the same by source line and allocated block",
        arguments: &["--cache", "32KiB,8way,64B,lru"],
        input: Input::RecordedWithProgram,
        limit: 0.7,
        of_default: Some(2.5),
    },
];
/// Multiplies matrices of the heap that are each allocated on a line of its own.
const PROGRAM: &str = "
#include <stdlib.h>
enum { n = 88 };
int main(void) {
  int *a = malloc(sizeof(int) * n * n);
  int *b = malloc(sizeof(int) * n * n);
  int *c = calloc(n * n, sizeof(int));
  for (int i = 0; i < n * n; i++) {
    a[i] = i;
    b[i] = i % 7;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
  return c[17] == 0;
}
";
const N: u64 = 88;

fn main() -> ExitCode {
    let given = std::env::args()
        .skip(1)
        .find(|argument| !argument.starts_with("--"))
        .map(PathBuf::from);
    let directory = tempfile::tempdir().expect("a temporary directory");
    let (trace, touched) = match &given {
        Some(path) => (path.clone(), None),
        None => {
            let path = directory.path().join("matmul.edan");
            let mut file = BufWriter::new(File::create(&path).expect("a file"));
            generate(INSTRUCTIONS, &mut file);
            file.flush().expect("a file");
            (path, Some(3 * N * N * 4))
        }
    };
    let bytes = std::fs::metadata(&trace).expect("the trace").len();
    println!("{}: {:.1} MB", trace.display(), bytes as f64 / 1e6);
    let native = directory.path().join("trace.native");
    convert(&trace, &native);
    let recorded = given.is_none().then(|| record(directory.path()));
    let mut md5sums = [Duration::MAX; 2];
    let mut best: [Option<Took>; ANALYSES.len()] = [const { None }; ANALYSES.len()];
    for _ in 0..RUNS {
        for (best, analysis) in best.iter_mut().zip(&ANALYSES) {
            let mut command = match (analysis.input, &recorded) {
                (Input::Text, _) => command(&trace, analysis),
                (Input::Native, _) => command(&native, analysis),
                (Input::Recorded, Some(run)) => command(&run.trace, analysis),
                (Input::RecordedWithProgram, Some(run)) => {
                    let mut command = command(&run.trace, analysis);
                    command.arg("--elf").arg(&run.program);
                    command
                }
                // A trace of your own has no program here.
                (Input::Recorded | Input::RecordedWithProgram, None) => continue,
            };
            let took = watch(&mut command.spawn().expect("loopsheet runs"));
            let is_best = best
                .as_ref()
                .is_none_or(|best| took.on_two() < best.on_two());
            *best = if is_best { Some(took) } else { best.take() };
        }
        let texts = std::iter::once(&trace).chain(recorded.iter().map(|run| &run.trace));
        for (best, text) in md5sums.iter_mut().zip(texts) {
            let mut command = Command::new("md5sum");
            let command = command.arg(text).stdout(Stdio::null());
            let took = watch(&mut command.spawn().expect("md5sum runs"));
            *best = (*best).min(took.all);
        }
    }
    println!("md5sum: {:.3} s", md5sums[0].as_secs_f64());
    let (is_fast, mut memory) = judge(&best, md5sums, given.is_none());
    if given.is_none() {
        let (time, longer) = piped(4 * INSTRUCTIONS);
        println!(
            "four times as long, piped: {:.3} s, peak memory {:.1} MiB",
            time.as_secs_f64(),
            longer as f64 / 1048576.0
        );
        memory = memory.max(longer);
    }
    let allowed = touched.map(|touched| (64 << 20) + 4 * touched);
    let is_small = allowed.is_none_or(|allowed| memory <= allowed);
    if !is_small {
        println!(
            "too much memory: {:.1} MiB are allowed",
            allowed.unwrap_or(0) as f64 / 1048576.0
        );
    }
    if is_fast && is_small {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Prints what the analyses took; whether all kept to their limits, and the memory of the default one.
fn judge(best: &[Option<Took>], md5sums: [Duration; 2], is_generated: bool) -> (bool, u64) {
    let mut is_fast = true;
    let mut memory = 0;
    for (took, analysis) in best.iter().zip(&ANALYSES) {
        let Analysis { name, limit, .. } = analysis;
        let Some(took) = took else {
            continue;
        };
        let md5sum = match analysis.input {
            Input::Text | Input::Native => md5sums[0],
            Input::Recorded | Input::RecordedWithProgram => md5sums[1],
        };
        let ratio = took.on_two().as_secs_f64() / md5sum.as_secs_f64();
        let all = took.all.as_secs_f64();
        println!(
            "{name}: {:.3} s on two cores, {ratio:.2} times md5sum (at most {limit}); {all:.3} s on one, {:.2} times as \
             long; peak memory {:.1} MiB",
            took.on_two().as_secs_f64(),
            all / took.on_two().as_secs_f64(),
            took.memory as f64 / 1048576.0
        );
        if matches!(analysis.input, Input::Text | Input::Native) && is_generated {
            println!("  {:.1} ns an instruction", all * 1e9 / INSTRUCTIONS as f64);
        }
        if let Some(most) = analysis.of_default {
            let mut both = best.iter().zip(&ANALYSES);
            let same = match analysis.input {
                Input::RecordedWithProgram => Input::Recorded,
                other => other,
            };
            let default = both.find(|(_, other)| other.input == same);
            let default = default.and_then(|(took, _)| took.as_ref()).expect("it ran");
            let times = all / default.all.as_secs_f64();
            println!(
                "  {times:.2} times as long as the default metrics from the same input (at most {most})"
            );
            is_fast &= times <= most;
        }
        is_fast &= ratio <= *limit;
        memory = memory.max(if *name == ANALYSES[0].name {
            took.memory
        } else {
            0
        });
    }
    (is_fast, memory)
}

/// A run and its program.
struct Recorded {
    trace: PathBuf,
    program: PathBuf,
}

/// Compiles [`PROGRAM`] and records a run of it.
fn record(directory: &Path) -> Recorded {
    let at = |name: &str| directory.join(name);
    std::fs::write(at("heap.c"), PROGRAM).expect("a source");
    let mut compiler = Command::new("riscv64-linux-gnu-gcc");
    compiler.args(["-O1", "-g", "-static", "-o"]);
    let status = compiler.arg(at("heap")).arg(at("heap.c")).status();
    assert!(status.expect("the compiler runs").success());
    let mut command = Command::new(env!("CARGO_BIN_EXE_loopsheet"));
    command.args(["record", "--function", "main", "-o"]);
    command.arg(at("heap.execlog")).arg("--").arg(at("heap"));
    assert!(command.status().expect("loopsheet runs").success());
    Recorded {
        trace: at("heap.execlog"),
        program: at("heap"),
    }
}

/// Writes a trace in the compact format.
fn convert(trace: &Path, to: &Path) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_loopsheet"));
    command.arg("trace").arg(trace).arg("--write").arg(to);
    assert!(command.status().expect("loopsheet runs").success());
}

fn command(trace: &Path, analysis: &Analysis) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_loopsheet"));
    command
        .arg("trace")
        .arg(trace)
        .args(analysis.arguments)
        .stdout(Stdio::null());
    command
}

/// What a run took.
struct Took {
    /// Processor time of all threads, and of the one that took most.
    all: Duration,
    longest: Duration,
    /// Peak, in bytes.
    memory: u64,
}

impl Took {
    /// The shortest time on two cores.
    fn on_two(&self) -> Duration {
        self.longest.max(self.all / 2)
    }
}

/// Time and memory of the default analysis, with a trace of so many instructions on standard input.
fn piped(instructions: u64) -> (Duration, u64) {
    let start = Instant::now();
    let mut child = command(Path::new("-"), &ANALYSES[0])
        .stdin(Stdio::piped())
        .spawn()
        .expect("loopsheet runs");
    let input = child.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || generate(instructions, &mut BufWriter::new(input)));
    let peak = watch(&mut child).memory;
    writer.join().expect("the whole trace is read");
    (start.elapsed(), peak)
}

/// Waits for the end, looking at threads and memory meanwhile.
fn watch(child: &mut std::process::Child) -> Took {
    let mut memory = 0;
    let mut threads: BTreeMap<std::ffi::OsString, u64> = BTreeMap::new();
    loop {
        let status =
            std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kibibytes = line
            .and_then(|line| line.trim().strip_suffix(" kB"))
            .and_then(|n| n.trim().parse::<u64>().ok());
        memory = memory.max(kibibytes.unwrap_or(0) << 10);
        let tasks = std::fs::read_dir(format!("/proc/{}/task", child.id()));
        for task in tasks.into_iter().flatten().flatten() {
            let said = std::fs::read_to_string(task.path().join("schedstat")).unwrap_or_default();
            let ran = said.split(' ').next().and_then(|ran| ran.parse().ok());
            let known = threads.entry(task.file_name()).or_default();
            *known = ran.unwrap_or(0).max(*known);
        }
        if let Some(status) = child.try_wait().expect("a child") {
            assert!(status.success(), "the command failed");
            return Took {
                all: Duration::from_nanos(threads.values().sum()),
                longest: Duration::from_nanos(threads.values().copied().max().unwrap_or(0)),
                memory,
            };
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Writes what `for i for j for k: c[i][j] += a[i][k] * b[k][j]` executes, over and over.
fn generate(instructions: u64, out: &mut impl Write) {
    const A: u64 = 0x4000_800210;
    const ROW: u64 = 4 * N;
    let (b, c) = (A + N * ROW, A + 2 * N * ROW);
    let mut left = instructions;
    let mut lines = String::new();
    while left > 0 {
        for element in 0..N * N {
            let (i, j) = (element / N, element % N);
            lines.clear();
            let target = c + i * ROW + 4 * j;
            let _ = writeln!(
                lines,
                "0;0x105dc;mv a2,t1\n0;0x105de;mv a0,t5\n0;0x105e0;lw a5,0(a0);{target:#x}"
            );
            for k in 0..N {
                let (x, y) = (A + i * ROW + 4 * k, b + k * ROW + 4 * j);
                let _ = writeln!(
                    lines,
                    "0;0x105e6;lw a1,0(a4);{x:#x}\n0;0x105e8;lw a3,0(a2);{y:#x}\n0;0x105ea;addi a4,a4,4\n\
                     0;0x105ec;add a2,a2,a6\n0;0x105ee;mulw a3,a3,a1\n0;0x105f2;addw a5,a5,a3\n0;0x105f4;bne a4,a7,-14"
                );
            }
            let _ = writeln!(
                lines,
                "0;0x105f8;sw a5,0(a0);{target:#x}\n0;0x105fc;bne t2,t6,-46"
            );
            let own = 5 + 7 * N;
            let whole: String;
            let text = if own <= left {
                &lines
            } else {
                whole = lines
                    .lines()
                    .take(left as usize)
                    .flat_map(|line| [line, "\n"])
                    .collect();
                &whole
            };
            out.write_all(text.as_bytes()).expect("the trace is read");
            left -= own.min(left);
            if left == 0 {
                break;
            }
        }
    }
    out.flush().expect("the trace is read");
}
