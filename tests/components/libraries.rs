//! Functions of shared libraries by their symbols, and arrays that threads have parts of.
#![cfg(target_os = "linux")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::command::{self, loopsheet};

const LIBRARIES: &str = "/usr/riscv64-linux-gnu/lib";

struct Run {
    directory: tempfile::TempDir,
    program: PathBuf,
    trace: PathBuf,
}

fn recorded(source: &str, flags: &[&str], trace: &str) -> Run {
    let directory = tempfile::tempdir().expect("a directory");
    let program = directory.path().join("program");
    let trace = directory.path().join(trace);
    let status = Command::new("riscv64-linux-gnu-gcc")
        .args(["-O1", "-g"])
        .args(flags)
        .arg("-o")
        .arg(&program)
        .arg(command::fixture(Path::new("libraries").join(source)))
        .stderr(Stdio::null())
        .status()
        .expect("the compiler runs");
    assert!(status.success());
    let mut record = command::recorder(directory.path());
    record.args(["record", "-o"]).arg(&trace).arg("--");
    assert!(
        record
            .arg(&program)
            .output()
            .expect("it runs")
            .status
            .success()
    );
    Run {
        directory,
        program,
        trace,
    }
}

/// `trace` of a run with its program.
fn trace(run: &Run) -> assert_cmd::Command {
    let mut command = loopsheet();
    command.arg("trace").arg(&run.trace);
    command.arg("--elf").arg(&run.program);
    command
}

fn traced(run: &Run, arguments: &[&str]) -> Value {
    let mut command = trace(run);
    command::printed(command.args(arguments).args(["--json", "-", "--quiet"]))
}

fn instructions(report: &Value, name: &str) -> u64 {
    let regions = report["regions"].as_array().expect("regions");
    let own = regions.iter().find(|region| region["name"] == name);
    own.map_or(0, |own| own["instructions"].as_u64().expect("a count"))
}

#[test]
fn functions_of_libraries_have_names() {
    let (libc, loader) = (
        format!("{LIBRARIES}/libc.so.6"),
        format!("{LIBRARIES}/ld-linux-riscv64-lp64d.so.1"),
    );
    for trace in ["run.zst", "run.native", "run.zstf"] {
        let run = recorded("calls.c", &[], trace);
        let by = ["--by", "function"];
        let without = traced(&run, &by);
        let given = ["--by", "function", "--library", &libc, "--library", &loader];
        let with = traced(&run, &given);
        assert!(instructions(&without, "outside program") > 5000);
        assert_eq!(instructions(&with, "outside program"), 0);
        assert_eq!(instructions(&without, "main"), instructions(&with, "main"));
        // 8000 bytes in words of 8. Of `memcpy` the part that copies pages has no symbol.
        for (name, least) in [
            ("memset (libc.so.6)", 1000),
            ("memcpy (libc.so.6)", 20),
            ("malloc (libc.so.6)", 20),
        ] {
            assert!(instructions(&with, name) > least, "{name}");
        }
        for name in ["malloc@plt", "free@plt"] {
            assert!(instructions(&with, name) > 0, "{name}");
        }
        let all = |report: &Value| {
            let regions = report["regions"].as_array().expect("regions").iter();
            regions
                .map(|own| own["instructions"].as_u64().unwrap_or(0))
                .sum::<u64>()
        };
        assert_eq!(all(&without), all(&with));
        let sites = with["source"]["sites"].as_array().expect("sites");
        assert!(sites.iter().any(|site| site["function"] == "memcpy"));
        // Loops of the machine code of libraries, too.
        let loops = traced(
            &run,
            &["--by", "loop", "--library", &libc, "--library", &loader],
        );
        let mut names = loops["regions"].as_array().expect("regions").iter();
        let is_own = |name: &str| name.starts_with("memset+0x") && name.ends_with(" (libc.so.6)");
        assert!(names.any(|own| own["name"].as_str().is_some_and(is_own)));
    }
}

#[test]
fn libraries_that_do_not_fit_are_refused_or_left_out() {
    let run = recorded("calls.c", &[], "run.zst");
    let said = |library: &str, trace: &Path| {
        let mut command = loopsheet();
        command
            .arg("trace")
            .arg(trace)
            .arg("--elf")
            .arg(&run.program);
        command.args(["--by", "function", "--library", library]);
        let output = command.output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), said)
    };
    let (status, message) = said(&format!("{LIBRARIES}/libgomp.so.1"), &run.trace);
    assert_eq!(status, Some(0), "{message}");
    assert!(message.contains("libgomp.so.1 is left out"), "{message}");
    let (status, message) = said(&format!("{LIBRARIES}/libc.so.6"), Path::new("-"));
    assert_eq!(status, Some(2));
    assert!(
        message.contains("if the trace is standard input"),
        "{message}"
    );
    let (status, message) = said(&format!("{LIBRARIES}/libc.so.6@0x12"), &run.trace);
    assert_eq!(status, Some(2));
    assert!(message.contains("multiples of 4096"), "{message}");
    let (status, message) = said(&format!("{LIBRARIES}/libc.so.6@0x4002830000"), &run.trace);
    if status == Some(2) {
        assert!(
            message.contains("--library libc.so.6: it is not the library that was traced"),
            "{message}"
        );
    }
    let (status, message) = said(&format!("{LIBRARIES}/libc.so.6@0x7000000000"), &run.trace);
    assert_eq!(status, Some(0), "{message}");
    let elsewhere = ["--by", "function", "--library"];
    let report = traced(
        &run,
        &[
            &elsewhere[..],
            &[&format!("{LIBRARIES}/libc.so.6@0x7000000000")],
        ]
        .concat(),
    );
    let notes = report["notes"].to_string();
    assert!(
        notes.contains("no instruction of the trace lies in it"),
        "{notes}"
    );
    let both = ["libc.so.6", "libgomp.so.1"].map(|name| format!("{LIBRARIES}/{name}@0x7000000000"));
    let mut command = trace(&run);
    command.args([
        "--by",
        "function",
        "--library",
        &both[0],
        "--library",
        &both[1],
    ]);
    let output = command.output().expect("it runs");
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("overlaps that of"), "{message}");
    let text = run.directory.path().join("text");
    std::fs::write(&text, "text").expect("a file");
    let (status, message) = said(&text.display().to_string(), &run.trace);
    assert_eq!(status, Some(2));
    assert!(message.contains("not an ELF file"), "{message}");
}

/// What two threads have of one array is one object; buffers of a thread each are two.
#[test]
fn chunks_of_threads_are_one_array() {
    let run = recorded("chunks.c", &["-static", "-fopenmp"], "run.native");
    let report = traced(&run, &["--camat", "--objects"]);
    let data = report["source"]["data"].as_array().expect("ranges").iter();
    let heap = data.filter(|own| {
        let name = own["name"].as_str().unwrap_or_default();
        name.starts_with("heap ") && !name.contains(',')
    });
    let bytes: Vec<u64> = heap
        .map(|own| own["high"].as_u64().unwrap_or(0) - own["low"].as_u64().unwrap_or(0))
        .collect();
    assert_eq!(bytes, [8000, 8000, 8000], "{}", report["source"]["data"]);
}
