//! `record` with a compiler and QEMU: every instruction is there, once, whatever the program does.
#![cfg(target_os = "linux")]

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

/// A directory with the fixtures built, and with its own cache.
struct Bench {
    dir: PathBuf,
}

use crate::support::command;

fn fixture(name: &str) -> PathBuf {
    command::fixture("record").join(name)
}

fn compile(compiler: &str, output: &Path, flags: &[&str], sources: &[&str]) {
    let status = Command::new(compiler)
        .current_dir(output.parent().expect("a directory")) // where gfortran puts modules
        .args(flags)
        .arg("-o")
        .arg(output)
        .args(sources.iter().map(|name| fixture(name)))
        .stderr(Stdio::null())
        .status()
        .unwrap_or_else(|e| {
            panic!("{compiler} can be run (Debian: gcc-riscv64-linux-gnu, gfortran-…): {e}")
        });
    assert!(status.success(), "{compiler} {flags:?} {sources:?}");
}

fn bench() -> &'static Bench {
    static BENCH: OnceLock<Bench> = OnceLock::new();
    BENCH.get_or_init(|| {
        // Under the build directory and made anew each time: nothing removes what a static holds.
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("record");
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).expect("a directory");
        let gcc = |name: &str, flags: &[&str], sources: &[&str]| {
            compile("riscv64-linux-gnu-gcc", &dir.join(name), flags, sources);
        };
        let both = ["program.c", "counted.S"];
        gcc("static", &["-O1", "-static", "-pthread"], &both);
        gcc("dynamic", &["-O1", "-no-pie", "-pthread"], &both);
        gcc("dynamic-pie", &["-O1", "-pie", "-fPIE", "-pthread"], &both);
        gcc(
            "static-pie",
            &["-static-pie", "-nostdlib", "-Wl,--no-dynamic-linker"],
            &["start.S", "counted.S"],
        );
        gcc("stripped", &["-O1", "-static", "-pthread", "-s"], &both);
        gcc("object.o", &["-c"], &["counted.S"]);
        compile(
            "riscv64-linux-gnu-gfortran",
            &dir.join("fortran"),
            &["-O0", "-static"],
            &["module.f90"],
        );
        Bench { dir }
    })
}

impl Bench {
    fn path(&self, name: &str) -> String {
        self.dir.join(name).to_str().expect("UTF-8").to_string()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = command::recorder(&self.dir.join("cache"));
        command
            .arg("record")
            .args(arguments)
            .current_dir(&self.dir)
            .stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("it runs")
    }

    /// The trace on standard output, as text, of a run that ends well.
    fn trace(&self, arguments: &[&str]) -> Vec<String> {
        let output = self.run(&[&["--format", "execlog"], arguments].concat());
        assert_eq!(
            output.status.code(),
            Some(0),
            "{arguments:?}: {}",
            text(&output.stderr)
        );
        lines(&output.stdout)
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// Whole, well-formed lines.
fn lines(trace: &[u8]) -> Vec<String> {
    assert!(
        trace.is_empty() || trace.ends_with(b"\n"),
        "the last line is cut"
    );
    let mut lines: Vec<String> = text(trace).lines().map(str::to_string).collect();
    // How the run ended.
    if lines.last().is_some_and(|line| line.starts_with("# end: ")) {
        lines.pop();
    }
    lines.iter().for_each(|line| check_shape(line));
    lines
}

/// `cpu, 0xpc, 0xword, "text"` and any number of `, load|store, 0xaddress`.
fn check_shape(line: &str) {
    let parts: Vec<&str> = line.split('"').collect();
    assert_eq!(parts.len(), 3, "{line}");
    let head: Vec<&str> = parts[0].split(", ").collect();
    let hex = |field: &str| {
        field
            .strip_prefix("0x")
            .is_some_and(|f| u64::from_str_radix(f, 16).is_ok())
    };
    assert!(
        head.len() == 4 && head[0].parse::<u32>().is_ok() && hex(head[1]) && hex(head[2]),
        "{line}"
    );
    assert!(
        !parts[1].is_empty() && !parts[1].contains("  ") && parts[1].trim() == parts[1],
        "{line}"
    );
    let accesses: Vec<&str> = parts[2].split(", ").collect();
    assert!(accesses[0].is_empty() && accesses.len() % 2 == 1, "{line}");
    for access in accesses[1..].chunks(2) {
        assert!(
            ["load", "store"].contains(&access[0]) && hex(access[1]),
            "{line}"
        );
    }
}

fn texts(lines: &[String]) -> Vec<&str> {
    lines
        .iter()
        .map(|line| line.split('"').nth(1).expect("a text"))
        .collect()
}

#[test]
fn functions_have_the_instructions_counted_by_hand() {
    let bench = bench();
    for program in ["./static", "./dynamic", "./dynamic-pie"] {
        let count = |options: &[&str]| {
            bench
                .trace(&[options, &["--", program, "all"]].concat())
                .len()
        };
        // counted itself, and as the end of tail and of calling
        assert_eq!(count(&["--function", "counted"]), 3 * 12, "{program}");
        assert_eq!(count(&["--function", "tail"]), 13, "{program}");
        assert_eq!(count(&["--function", "calling"]), 18, "{program}");
        assert_eq!(
            count(&["--function", "calling", "--without-callees"]),
            6,
            "{program}"
        );
        assert_eq!(count(&["--function", "recursive"]), 8 * 3 + 3, "{program}");
        assert_eq!(
            count(&["--function", "tail", "--function", "recursive"]),
            13 + 27,
            "{program}"
        );
    }
    let trace = bench.trace(&["--function", "calling", "--", "./static-pie"]);
    assert_eq!(trace.len(), 18);
    assert_eq!(texts(&trace)[0], "addi sp,sp,-16");
    assert_eq!(bench.trace(&["--", "./static-pie"]).len(), 18 + 4);
}

#[test]
fn verbose_tells_where_a_program_was_loaded() {
    let bench = bench();
    let run = |program: &str| {
        let options = ["-v", "--format", "execlog", "--function", "calling"];
        let output = bench.run(&[&options[..], &["--", program, "all"]].concat());
        let first = lines(&output.stdout)[0]
            .split(", ")
            .nth(1)
            .expect("a pc")
            .to_string();
        let pc = u64::from_str_radix(&first[2..], 16).expect("hexadecimal");
        let said = text(&output.stderr);
        let base = said
            .lines()
            .find_map(|l| l.split("is loaded at 0x").nth(1))
            .expect("the base")
            .to_string();
        let nm = Command::new("riscv64-linux-gnu-nm")
            .arg(bench.path(program))
            .output()
            .expect("nm runs");
        let symbol = text(&nm.stdout)
            .lines()
            .find(|l| l.ends_with(" calling"))
            .expect("the symbol")[..16]
            .to_string();
        let linked = u64::from_str_radix(&symbol, 16).expect("hexadecimal");
        assert_eq!(
            u64::from_str_radix(&base, 16).expect("hexadecimal"),
            pc - linked,
            "{program}"
        );
        pc - linked
    };
    assert_eq!(run("./static"), 0);
    assert_eq!(run("./dynamic"), 0);
    assert_ne!(run("./dynamic-pie"), 0);
    assert_ne!(run("./static-pie"), 0);
}

#[test]
fn each_access_is_shown_once() {
    let bench = bench();
    let check = |trace: &[String]| {
        let lines: Vec<(&str, Vec<(&str, u64)>)> = trace
            .iter()
            .map(|line| {
                let parts: Vec<&str> = line.split('"').collect();
                let fields: Vec<&str> = parts[2].split(", ").skip(1).collect();
                let address = |hex: &str| u64::from_str_radix(&hex[2..], 16).expect("hexadecimal");
                (
                    parts[1],
                    fields
                        .chunks(2)
                        .map(|access| (access[0], address(access[1])))
                        .collect(),
                )
            })
            .collect();
        let start = lines[3].1[0].1; // amoadd.d t0,t0,(a0)
        assert_eq!(start % 64, 0);
        let expected = [
            vec![("load", 3)],
            vec![("store", 61)],
            vec![("load", 1)],
            vec![("load", 0), ("store", 0)],
            vec![("load", 0)],
            vec![("store", 0)],
            vec![("load", 63)],
            vec![],
            vec![],
        ];
        assert_eq!(lines.len(), expected.len());
        for ((text, accesses), expected) in lines.iter().zip(expected) {
            let expected: Vec<(&str, u64)> = expected
                .iter()
                .map(|(kind, offset)| (*kind, start + offset))
                .collect();
            assert_eq!(*accesses, expected, "{text}");
        }
    };
    check(&bench.trace(&["--function", "accesses", "--", "./static", "all"]));
    // With several harts QEMU carries out atomics in another way.
    let trace = bench.trace(&["--function", "thread", "--", "./static", "threads"]);
    for hart in ["1, ", "2, "] {
        let own: Vec<String> = trace
            .iter()
            .filter(|line| line.starts_with(hart))
            .cloned()
            .collect();
        let first = texts(&own)
            .iter()
            .position(|t| t.starts_with("ld t0,3(a0)"))
            .expect("accesses was called");
        // The other hart may come between lr and sc, which then stores nothing: then its line has no access.
        let mut own = own[first..first + 9].to_vec();
        if !own[5].contains("store") {
            own[5] = own[4]
                .replace("lr.w t1", "sc.w t2")
                .replace("load", "store");
        }
        check(&own);
    }
}

#[test]
fn harts_are_told_apart_and_each_is_whole() {
    let trace = bench().trace(&["--function", "counted", "--", "./static", "threads"]);
    let of = |hart: &str| trace.iter().filter(|line| line.starts_with(hart)).count();
    assert_eq!((of("0, "), of("1, "), of("2, ")), (0, 12, 12));
    let all = bench().trace(&["--", "./static", "threads"]);
    assert!(
        ["0, ", "1, ", "2, "]
            .iter()
            .all(|hart| all.iter().any(|line| line.starts_with(hart)))
    );
}

#[test]
fn the_programs_streams_are_its_own() {
    let bench = bench();
    let echo = |arguments: &[&str]| {
        let input = bench.path("input");
        std::fs::write(&input, "hello\n").expect("written");
        let mut command = bench.command(&[arguments, &["--", "./static", "echo"]].concat());
        command
            .stdin(std::fs::File::open(input).expect("it is there"))
            .output()
            .expect("it runs")
    };
    let output = echo(&["-o", "echo.trace"]);
    assert_eq!(text(&output.stdout), "hello\n");
    assert_eq!(text(&output.stderr), "to stderr\n");
    let in_file = lines(&std::fs::read(bench.path("echo.trace")).expect("the trace"));
    let output = echo(&["--format", "execlog", "-o", "-"]);
    // The program's C library writes its buffered standard output last.
    assert_eq!(text(&output.stderr), "to stderr\nhello\n");
    assert_eq!(lines(&output.stdout), in_file);
    let output = echo(&["--format", "execlog", "-o", "/dev/stdout"]);
    assert_eq!(lines(&output.stdout), in_file);
    // Into a pipe it is in the compact format.
    assert!(echo(&["-o", "-"]).stdout.starts_with(b"LSTRACE"));
    assert_eq!(texts(&in_file).last(), Some(&"ecall"));
}

#[test]
fn compressed_traces_hold_the_same() {
    let bench = bench();
    // 100,000 calls of 12 instructions are more than any buffer on the way.
    let record = |name: &str| {
        let output = bench.run(&["-o", name, "--", "./static", "long", "100000"]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        std::fs::read(bench.path(name)).expect("the trace")
    };
    let plain = record("long.trace");
    assert!(
        plain.len() > 40_000_000 && plain.ends_with(b"\"ecall\"\n# end: exit status 0\n"),
        "{} bytes",
        plain.len()
    );
    let mut unpacked = Vec::new();
    flate2::read::GzDecoder::new(&record("long.trace.gz")[..])
        .read_to_end(&mut unpacked)
        .expect("gzip");
    assert!(unpacked == plain, "gzip differs");
    let unpacked = zstd::decode_all(&record("long.trace.zst")[..]).expect("zstd");
    assert!(unpacked == plain, "zstd differs");
    // Standard output takes another way.
    let piped = bench.run(&["--format", "execlog", "--", "./static", "long", "100000"]);
    assert!(piped.stdout == plain, "the pipe differs");
}

/// What is counted of a recorded trace, without what its form says.
fn counted(path: &str) -> serde_json::Value {
    let mut command = command::loopsheet();
    command.args(["trace", path, "--reuse", "--json", "-"]);
    let output = command.output().expect("it runs");
    let mut report: serde_json::Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
            panic!("{path}: {error}: {}", text(&output.stderr));
        });
    for key in ["path", "format", "bytes"] {
        report["trace"][key] = serde_json::Value::Null;
    }
    report
}

/// Also of programs that fail, or are killed while a chunk is open.
#[test]
fn the_compact_format_holds_the_same() {
    let bench = bench();
    let runs: [&[&str]; 7] = [
        &["all"],
        &["long", "50000"],
        &["exit"],
        &["fault"],
        &["abort"],
        &["kill"],
        &["close"],
    ];
    for what in runs {
        let record = |name: &str, more: &[&str]| {
            let arguments = [&["-o", name], more, &["--", "./static"], what].concat();
            let output = bench.run(&arguments);
            assert!(output.status.code() < Some(2), "{}", text(&output.stderr));
            counted(&bench.path(name))
        };
        let lines = record("compact.trace", &[]);
        assert_eq!(record("compact.native", &[]), lines, "{what:?}");
        assert_eq!(record("compact.native.zst", &[]), lines, "{what:?}");
        assert_eq!(
            record("other.name", &["--format", "native"]),
            lines,
            "{what:?}"
        );
        for name in ["a.stf", "a.zstf"] {
            let stf = record(name, &[]);
            assert_eq!(stf["edag"], lines["edag"], "{what:?}");
            assert_eq!(stf["program"], lines["program"], "{what:?}");
            let executed = &stf["trace"]["instructions"];
            assert_eq!(executed, &lines["trace"]["instructions"], "{what:?}");
        }
        let limit = ["--limit", "1000"];
        assert_eq!(
            record("limit.native", &limit),
            record("limit.trace", &limit),
            "{what:?}"
        );
    }
    let size = |name: &str| std::fs::metadata(bench.path(name)).expect("a file").len();
    bench.run(&["-o", "long.trace", "--", "./static", "long", "50000"]);
    bench.run(&["-o", "long.native", "--", "./static", "long", "50000"]);
    assert!(20 * size("long.native") < size("long.trace"));
    let function = ["-o", "counted.native", "--function", "counted", "--"];
    bench.run(&[&function[..], &["./static", "threads"]].concat());
    let threads = counted(&bench.path("counted.native"));
    assert_eq!(threads["trace"]["instructions"], 24);
    assert_eq!(threads["trace"]["harts"], 2);
}

#[test]
fn a_limit_ends_the_program_after_so_many_lines() {
    let bench = bench();
    let whole = bench.trace(&["--", "./static", "all"]);
    for limit in [1, 2, 1000] {
        let cut = bench.trace(&["--limit", &limit.to_string(), "--", "./static", "all"]);
        assert_eq!(cut, whole[..limit]);
    }
    let trace = bench.trace(&[
        "--limit",
        "15",
        "--function",
        "calling",
        "--",
        "./static",
        "all",
    ]);
    assert_eq!(trace.len(), 15);
    assert_eq!(
        bench
            .trace(&["--limit", "5000", "--", "./static", "threads"])
            .len(),
        5000
    );
    assert_eq!(
        bench.run(&["--limit", "0", "--", "./static"]).status.code(),
        Some(2)
    );
}

#[test]
fn a_program_that_fails_has_a_trace_up_to_there() {
    let bench = bench();
    let cases = [
        ("exit", "exit status 7"),
        ("fault", "SIGSEGV"),
        ("abort", "SIGABRT"),
        ("kill", "SIGKILL"),
        ("close", ""),
    ];
    for (what, said) in cases {
        for name in ["failing.trace", "failing.trace.zst", "-"] {
            let format = ["--format", "execlog"];
            let output = bench.run(&[&format[..], &["-o", name, "--", "./static", what]].concat());
            // What died of a signal was not done.
            let expected = i32::from(said.starts_with("SIG"));
            assert_eq!(
                output.status.code(),
                Some(expected),
                "{what} {name}: {}",
                text(&output.stderr)
            );
            assert!(
                text(&output.stderr).contains(said),
                "{what} {name}: {}",
                text(&output.stderr)
            );
            let trace = match name {
                "-" => output.stdout,
                "failing.trace" => std::fs::read(bench.path(name)).expect("the trace"),
                _ => zstd::decode_all(&std::fs::read(bench.path(name)).expect("the trace")[..])
                    .expect("zstd"),
            };
            let trace = lines(&trace);
            let last = *texts(&trace).last().expect("lines");
            // The store that faults is not done, so it is not there.
            assert_eq!(last == "ecall", what != "fault", "{what}: {last}");
            let counted = texts(&trace)
                .iter()
                .filter(|t| **t == "addi t0,t0,-1")
                .count();
            assert_eq!(counted, if what == "exit" { 0 } else { 5 }, "{what}");
        }
    }
}

#[test]
fn only_the_first_process_is_recorded() {
    let output = bench().run(&[
        "-o",
        "fork.trace",
        "--function",
        "counted",
        "--",
        "./static",
        "fork",
    ]);
    assert_eq!(text(&output.stdout), "child\n");
    let trace = lines(&std::fs::read(bench().path("fork.trace")).expect("the trace"));
    assert_eq!(
        trace.len(),
        12,
        "the child's call is not there, the parent's through tail is"
    );
}

#[test]
fn a_function_left_by_longjmp_ends_with_the_function_jumped_to() {
    let trace = bench().trace(&["--function", "jumper", "--", "./static", "jump"]);
    assert!(trace.len() > 10, "jumper and longjmp");
    assert!(
        !texts(&trace).contains(&"addi t0,t0,-1"),
        "counted runs after catcher has returned"
    );
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let bench = bench();
    let many = "100000000";
    let mut child = bench
        .command(&["--format", "execlog", "--", "./static", "long", many])
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut reader = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut line = String::new();
    reader.read_line(&mut line).expect("a line");
    check_shape(line.trim_end());
    drop(reader);
    assert_eq!(child.wait().expect("it ends").code(), Some(0));

    for name in ["fifo", "fifo.gz"] {
        let fifo = bench.path(name);
        assert!(
            Command::new("mkfifo")
                .arg(&fifo)
                .status()
                .expect("mkfifo runs")
                .success()
        );
        let mut child = bench
            .command(&["-o", &fifo, "--", "./static", "long", many])
            .spawn()
            .expect("it runs");
        let mut reader = std::fs::File::open(&fifo).expect("the fifo");
        reader.read_exact(&mut [0; 100]).expect("some of it");
        drop(reader);
        assert_eq!(child.wait().expect("it ends").code(), Some(0), "{name}");
    }
}

#[test]
fn a_trace_that_cannot_be_written_whole_is_not_left_behind() {
    let bench = bench();
    let output = bench.run(&["-o", "/dev/full", "--", "./static", "all"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("/dev/full: No space left"),
        "{}",
        text(&output.stderr)
    );

    let dir = tempfile::tempdir().expect("a directory");
    for name in ["big.trace", "big.trace.gz"] {
        let path = dir.path().join(name);
        let size = if name.ends_with("gz") {
            "300000000"
        } else {
            "1000000"
        };
        // Blocks of 512 or of 1,024 bytes, by the shell
        let script = format!(
            "ulimit -f 4096; exec \"$0\" record -o {} -- ./static long {size}",
            path.display()
        );
        let mut command = Command::new("sh");
        command
            .args(["-c", &script, env!("CARGO_BIN_EXE_loopsheet")])
            .current_dir(&bench.dir);
        let output = command
            .env("XDG_CACHE_HOME", bench.path("cache"))
            .output()
            .expect("sh runs");
        assert_eq!(
            output.status.code(),
            Some(2),
            "{name}: {}",
            text(&output.stderr)
        );
        let said = text(&output.stderr);
        assert!(
            said.contains(name) && said.contains("File too large"),
            "{said}"
        );
        assert_eq!(
            std::fs::read_dir(dir.path()).expect("it is there").count(),
            0,
            "{name}"
        );
    }
}

#[test]
fn a_signal_to_loopsheet_ends_the_program_and_keeps_the_trace() {
    let bench = bench();
    for signal in ["TERM", "HUP"] {
        let mut command = bench.command(&["-o", "signal.trace", "--", "./static", "wait"]);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it runs");
        let mut said = String::new();
        BufReader::new(child.stdout.take().expect("a pipe"))
            .read_line(&mut said)
            .expect("a line");
        assert_eq!(said, "waiting\n");
        let kill = Command::new("kill")
            .args([format!("-{signal}"), child.id().to_string()])
            .status();
        assert!(kill.expect("kill runs").success());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
        assert!(
            text(&output.stderr).contains(&format!("SIG{signal}")),
            "{}",
            text(&output.stderr)
        );
        let trace = lines(&std::fs::read(bench.path("signal.trace")).expect("the trace"));
        assert_eq!(
            texts(&trace)
                .iter()
                .filter(|t| **t == "addi t0,t0,-1")
                .count(),
            5
        );
        std::fs::remove_file(bench.path("signal.trace")).expect("removed");
    }
}

#[test]
fn fortran_procedures_go_by_their_names_in_the_source() {
    let trace = bench().trace(&["--function", "Fill", "--", "./fortran"]);
    let stores = texts(&trace)
        .iter()
        .filter(|t| t.starts_with("fsd"))
        .count();
    assert_eq!(stores, 10, "ten elements");
    assert!(
        !bench()
            .trace(&["--function", "MAIN__", "--", "./fortran"])
            .is_empty()
    );
}

#[test]
fn what_cannot_be_recorded_is_refused_with_a_reason() {
    let bench = bench();
    let refused = |arguments: &[&str], parts: &[&str]| {
        let output = bench.run(&[&["-o", "refused.trace"], arguments].concat());
        assert_eq!(
            output.status.code(),
            Some(2),
            "{arguments:?}: {}",
            text(&output.stderr)
        );
        for part in parts {
            assert!(
                text(&output.stderr).contains(part),
                "{arguments:?}: {}",
                text(&output.stderr)
            );
        }
        assert!(
            !Path::new(&bench.path("refused.trace")).exists(),
            "{arguments:?}"
        );
    };
    refused(&["--", "./object.o"], &["object file", "link"]);
    refused(
        &["--function", "countd", "--", "./static"],
        &["no function countd", "near names: counted"],
    );
    refused(
        &["--function", "counted", "--", "./stripped"],
        &["no symbols"],
    );
    let copy = bench.path("copy");
    std::fs::copy(bench.path("static"), &copy).expect("copied");
    let output = bench.run(&["-o", "copy", "--", "./copy"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        std::fs::read(&copy).expect("it is there")
            == std::fs::read(bench.path("static")).expect("it is there")
    );

    let output = bench.run(&[
        "-o",
        "empty.trace",
        "--function",
        "tail",
        "--",
        "./static",
        "jump",
    ]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr).contains("never entered tail"),
        "{}",
        text(&output.stderr)
    );
    assert_eq!(
        std::fs::read(bench.path("empty.trace")).expect("the trace"),
        b""
    );

    let loader = bench
        .command(&["--", "./dynamic"])
        .env("QEMU_LD_PREFIX", "/nowhere")
        .output()
        .expect("it runs");
    assert_eq!(loader.status.code(), Some(2));
    assert!(
        text(&loader.stderr).contains("ld-linux-riscv64-lp64d.so.1"),
        "{}",
        text(&loader.stderr)
    );
}

const LIMITED: [&str; 6] = ["--format", "execlog", "--limit", "100", "--", "./static"];

#[test]
fn first_uses_at_once_build_one_tracer() {
    let bench = bench();
    let cache = tempfile::Builder::new()
        .prefix("a,b=c ")
        .tempdir()
        .expect("a directory");
    let children: Vec<_> = (0..4)
        .map(|_| {
            let mut command = bench.command(&LIMITED);
            command
                .env("XDG_CACHE_HOME", cache.path())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped());
            command.spawn().expect("it runs")
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert_eq!(lines(&output.stdout).len(), 100);
    }
    let kept: Vec<_> = std::fs::read_dir(cache.path().join("loopsheet"))
        .expect("the cache")
        .collect();
    assert_eq!(kept.len(), 1, "{kept:?}");

    let mut command = bench.command(&LIMITED);
    let output = command
        .env("XDG_CACHE_HOME", "/proc/none")
        .output()
        .expect("it runs");
    assert_eq!(lines(&output.stdout).len(), 100, "{}", text(&output.stderr));
}

/// The sample program reads its own input as `parameters` does.
#[test]
fn the_sample_reads_its_input() {
    let samples = command::root().join("samples/input");
    let directory = tempfile::tempdir().expect("a directory");
    let at = |name: &str| directory.path().join(name);
    let source = std::fs::read_to_string(samples.join("jacobi.f90")).expect("the sample");
    let call = "  call read_sizes()\n";
    let stops = source.replace(call, &format!("{call}  print *, nx, ny, steps\n  stop\n"));
    assert_ne!(stops, source);
    std::fs::write(at("jacobi.f90"), stops).expect("a file");
    std::fs::copy(samples.join("jacobi.in"), at("jacobi.in")).expect("a copy");
    let (compiler, emulator) = ("riscv64-linux-gnu-gfortran", "qemu-riscv64");
    let built = Command::new(compiler)
        .current_dir(&directory)
        .args(["-static", "-o", "jacobi", "jacobi.f90"])
        .status();
    assert!(built.expect("the compiler runs").success());
    let run = Command::new(emulator)
        .current_dir(&directory)
        .arg("./jacobi")
        .output();
    let printed = String::from_utf8(run.expect("QEMU runs").stdout).expect("text");
    let printed: Vec<f64> = (printed.split_whitespace())
        .map(|word| word.parse().expect("a number"))
        .collect();
    let report = command::analysed(&samples, &["--no-config"]);
    let read = ["nx", "ny", "steps"].map(|name| {
        let own = &report["parameters"][name];
        assert_eq!(own["detail"], "input", "{name}");
        own["value"].as_f64().expect("a value")
    });
    assert_eq!(printed, read);
}
