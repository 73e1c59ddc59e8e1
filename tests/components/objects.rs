//! What may go to slower memory, against the core with that memory slower.
#![cfg(target_os = "linux")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::command::{self, loopsheet};

const NEAR: u64 = 200;
const FAR: u64 = 600;

fn recorded(directory: &Path) -> (PathBuf, PathBuf) {
    recorded_of(directory, "three.c", "-O1", "")
}

fn recorded_of(directory: &Path, source: &str, level: &str, libraries: &str) -> (PathBuf, PathBuf) {
    let (program, trace) = (directory.join("three"), directory.join("trace.zst"));
    let status = Command::new("riscv64-linux-gnu-gcc")
        .args([level, "-g", "-static", "-o"])
        .arg(&program)
        .arg(command::fixture("objects").join(source))
        .stderr(Stdio::null())
        .status()
        .expect("the compiler runs");
    assert!(status.success());
    let mut record = command::recorder(directory);
    record.env("LD_LIBRARY_PATH", libraries);
    record.args(["record", "--function", "main", "-o"]);
    let output = record.arg(&trace).arg("--").arg(&program).output();
    assert!(output.expect("it runs").status.success());
    (program, trace)
}

fn analysed((program, trace): &(PathBuf, PathBuf), more: &[&str]) -> Value {
    let mut command = loopsheet();
    command.arg("trace").arg(trace).arg("--elf").arg(program);
    command.args(["--camat", "--cache", "2KiB,8way,4cycles"]);
    if !more.contains(&"--latency") {
        command.args(["--latency", &NEAR.to_string()]);
    }
    if !more.contains(&"--ram-interval") {
        command.args(["--ram-interval", "0"]);
    }
    command.args(["--slots", "8"]);
    command::printed(command.args(more).args(["--json", "-"]))
}

fn cycles(report: &Value) -> f64 {
    report["camat"]["levels"][0]["e"].as_f64().expect("cycles")
        + report["camat"]["levels"][0]["omega"]
            .as_f64()
            .expect("cycles")
}

/// The order of the objects by estimated loss is that of the loss in the core, and the larger losses are within 20 % of it.
#[test]
fn the_core_loses_what_is_estimated() {
    let directory = tempfile::tempdir().expect("a directory");
    let run = recorded(directory.path());
    let far = FAR.to_string();
    let report = analysed(&run, &["--objects", "--far", &far, "--confirm", "3"]);
    let near = cycles(&report);
    let mut losses = Vec::new();
    for name in ["next", "wide", "rare"] {
        let objects = report["objects"].as_array().expect("objects").iter();
        let mut own = objects.filter(|object| object["name"] == name);
        let object = own.next().unwrap_or_else(|| panic!("{name}: {report:#}"));
        let estimated = object["far"][0]["loss"].as_f64().expect("a loss");
        let placed = analysed(&run, &["--place", &format!("{name}=far"), "--far", &far]);
        let lost = cycles(&placed) / near - 1.0;
        let confirmed = object["far"][0]["core_loss"]
            .as_f64()
            .expect("it was tried");
        assert!(
            (confirmed - lost).abs() < 0.001,
            "{name}: {confirmed} {lost}"
        );
        losses.push((name, estimated, lost));
    }
    for pair in losses.windows(2) {
        assert!(pair[0].1 > pair[1].1 && pair[0].2 > pair[1].2, "{losses:?}");
    }
    for (name, estimated, simulated) in &losses {
        let error = (estimated - simulated).abs();
        assert!(
            error < 0.2 * simulated || error < 0.01,
            "{name}: {losses:?}"
        );
    }
    let objects = report["objects"].as_array().expect("objects");
    let depth = |name: &str| {
        let mut own = objects.iter().filter(|object| object["name"] == name);
        own.next().and_then(|own| own["memory_depth"].as_u64())
    };
    let tried = |object: &&Value| !object["far"][0]["core_loss"].is_null();
    assert_eq!(objects.iter().filter(tried).count(), 3);
    // All that goes there together loses what fits the budget, as the core has it too.
    let notes = report["notes"].to_string();
    assert!(
        notes.contains("in memory of 600 cycles the core takes"),
        "{notes}"
    );
    // A path of additions has one element of each array; the chased one waits for itself.
    assert_eq!((depth("wide"), depth("rare")), (Some(1), Some(1)));
    assert!((4000..=4400).contains(&depth("next").expect("known")));
    let epochs = objects
        .iter()
        .map(|own| own["epochs"].as_u64().expect("epochs"));
    assert_eq!(
        epochs.sum::<u64>(),
        report["blame"]["total"]["epochs"]
            .as_u64()
            .expect("a total")
    );
}

/// What is estimated of objects whose misses overlap, of one that is only stored to, and of interleaved pages where bandwidth
/// binds is within 20 % of what the core loses, or 2 % of the run.
#[test]
fn misses_that_overlap_and_bandwidth_are_estimated_too() {
    let directory = tempfile::tempdir().expect("a directory");
    let run = recorded_of(directory.path(), "together.c", "-O2", "");
    let far = FAR.to_string();
    let near = |estimated: &Value, found: &Value, what: &str| {
        let (estimated, found) = (estimated.as_f64(), found.as_f64());
        let (estimated, found) = (estimated.expect("a loss"), found.expect("it was tried"));
        let apart = (estimated - found).abs();
        assert!(
            apart < f64::max(0.2 * found.abs(), 0.02),
            "{what}: {estimated} {found}"
        );
        found
    };
    for interval in ["0", "60"] {
        let asked = [
            "--objects",
            "--far",
            &far,
            "--confirm",
            "3",
            "--ram-interval",
            interval,
        ];
        let report = analysed(&run, &asked);
        let objects = report["objects"].as_array().expect("objects");
        let epochs_of = |name: &str| {
            let own = objects.iter().find(|object| object["name"] == name);
            let own = own.unwrap_or_else(|| panic!("{name}: {report:#}"));
            let far = &own["far"][0];
            let found = near(&far["loss"], &far["core_loss"], name);
            assert!(far["estimated_cycles"].is_u64(), "{far}");
            (own["epochs"].as_u64().expect("epochs"), found)
        };
        let (left, right) = (epochs_of("left"), epochs_of("right"));
        let _ = epochs_of("out");
        // Epochs are one's or the other's; both lose as much.
        if interval == "0" {
            assert!(
                left.0.min(right.0) * 4 < left.0.max(right.0),
                "{left:?} {right:?}"
            );
            assert!(left.1 > 0.2 && right.1 > 0.2, "{left:?} {right:?}");
        }
        let shares = report["interleaving"]["far"][0]["shares"]
            .as_array()
            .expect("shares");
        assert_eq!(shares.len(), 4);
        for share in shares {
            let _ = near(
                &share["loss"],
                &share["core_loss"],
                &format!("{interval}: {share}"),
            );
        }
    }
}

/// From a pipe the trace cannot be read again: epochs say what is lost, and a note says why.
#[test]
fn losses_from_a_pipe_are_those_of_epochs() {
    let directory = tempfile::tempdir().expect("a directory");
    let (program, trace) = recorded(directory.path());
    let mut command = loopsheet();
    command.args(["trace", "-", "--elf"]).arg(&program);
    command.args([
        "--camat",
        "--cache",
        "2KiB,8way,4cycles",
        "--objects",
        "--json",
        "-",
    ]);
    let report = command::printed(command.pipe_stdin(trace).expect("a trace"));
    let next = report["objects"].as_array().expect("objects").iter();
    let next = next.filter(|object| object["name"] == "next");
    let far = &next.collect::<Vec<_>>()[0]["far"][0];
    assert!(far["loss"].as_f64() > Some(0.1) && far["estimated_cycles"].is_null());
    let notes = report["notes"].to_string();
    assert!(notes.contains("estimated by epochs alone"), "{notes}");
}

/// Blocks of the heap are told apart by where they were handed out, whatever goes through them.
#[test]
fn blocks_are_named_by_where_they_were_allocated() {
    // A static program reads this list before it begins, and leaves a free place in the heap, where the first nodes go.
    let libraries = vec!["/no/such/directory"; 40].join(":");
    for (level, libraries) in [
        ("-O0", ""),
        ("-O0", libraries.as_str()),
        ("-O1", ""),
        ("-O2", ""),
        ("-O3", libraries.as_str()),
    ] {
        let directory = tempfile::tempdir().expect("a directory");
        let run = recorded_of(directory.path(), "sites.c", level, libraries);
        let report = analysed(&run, &["--objects"]);
        let objects = report["objects"].as_array().expect("objects");
        let of = |line: u32| {
            let is_own = |object: &&Value| {
                let name = object["name"].as_str().expect("a name");
                name.starts_with("allocated at") && name.ends_with(&format!("sites.c:{line}"))
            };
            let own = objects.iter().find(is_own);
            own.unwrap_or_else(|| panic!("{level}: nothing of line {line}: {objects:#?}"))
        };
        let number = |line: u32, what: &str| of(line)[what].as_u64().expect("a number");
        // The nodes, all of one line; the four rows, which the library's copy may fill; and single blocks.
        assert!(
            (500 * 16..=500 * 40).contains(&number(11, "bytes")),
            "{level}"
        );
        assert!(number(11, "accesses") >= 4 * 500, "{level}");
        assert!(number(34, "bytes") <= 4 * (400 * 8 + 16), "{level}");
        assert_eq!(number(28, "bytes"), 2000 * 8, "{level}");
        assert!(number(28, "accesses") >= 3000, "{level}");
        assert!(number(27, "accesses") >= 3600, "{level}");
    }
}

/// Blocks of the heap are placed by the line that allocated them, and the core loses what it loses with their addresses there.
#[test]
fn blocks_are_placed_by_their_line() {
    let directory = tempfile::tempdir().expect("a directory");
    let run = recorded_of(directory.path(), "sites.c", "-O1", "");
    let report = analysed(&run, &["--objects", "--far", "600", "--confirm", "4"]);
    let near = cycles(&report);
    let ranges = report["source"]["data"].as_array().expect("ranges").iter();
    let own = ranges.filter(|range| range["allocated"][0]["line"] == 28);
    let own: Vec<&Value> = own.collect();
    assert_eq!(own.len(), 1, "{own:#?}");
    let address = |name: &str| own[0][name].as_u64().expect("an address");
    let by_addresses = format!("{:#x}-{:#x}=600", address("low"), address("high"));
    let whole_name = format!(
        "allocated at {}:28=600",
        own[0]["allocated"][0]["file"].as_str().expect("a file")
    );
    let losses = [&by_addresses, "sites.c:28=600", &whole_name]
        .map(|place| cycles(&analysed(&run, &["--place", place])) / near - 1.0);
    assert!(losses[0] > 0.01, "{losses:?}");
    assert_eq!([losses[0]; 3], losses);
    // The core was asked with the same addresses.
    let objects = report["objects"].as_array().expect("objects");
    let mut named = objects.iter().filter(|object| {
        let name = object["name"].as_str().expect("a name");
        name.starts_with("allocated at") && name.ends_with("sites.c:28")
    });
    let confirmed = named.next().expect("the block")["far"][0]["core_loss"].as_f64();
    let confirmed = confirmed.expect("it was tried");
    assert!(
        (confirmed - losses[0]).abs() < 0.001,
        "{confirmed} {losses:?}"
    );
    // All nodes are of one line; nothing was allocated by another.
    assert!(cycles(&analysed(&run, &["--place", "sites.c:11=600"])) > near);
    let mut command = loopsheet();
    command.arg("trace").arg(&run.1).arg("--elf").arg(&run.0);
    command.args(["--camat", "--place", "sites.c:12=600"]);
    let output = command.output().expect("it runs");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("nor the line of a call"), "{error}");
}

/// Everything elsewhere is the same as RAM at that latency.
#[test]
fn all_memory_placed_is_another_latency() {
    let directory = tempfile::tempdir().expect("a directory");
    let run = recorded(directory.path());
    let placed = analysed(&run, &["--place", "0x0-0xffffffffffffffff=333"]);
    let slow = analysed(&run, &["--latency", "333"]);
    assert_eq!(placed["camat"]["levels"], slow["camat"]["levels"]);
}

/// Blocks whose line is not known are run through machines nearly like the core by their addresses, and are placed by their
/// names.
#[test]
fn blocks_without_a_line_are_estimated_by_their_addresses() {
    let directory = tempfile::tempdir().expect("a directory");
    let run = recorded_of(directory.path(), "aligned.c", "-O1", "");
    let far = FAR.to_string();
    let report = analysed(&run, &["--objects", "--far", &far]);
    let near = cycles(&report);
    let objects = report["objects"].as_array().expect("objects").iter();
    let name = |object: &Value| object["name"].as_str().expect("a name").to_string();
    let blocks: Vec<&Value> = objects
        .filter(|object| name(object).starts_with("heap ") && object["misses"].as_u64() > Some(100))
        .collect();
    assert_eq!(blocks.len(), 3, "{report:#}");
    for block in blocks {
        let own = &block["far"][0];
        assert!(own["estimated_cycles"].is_u64(), "{block:#}");
        let estimated = own["loss"].as_f64().expect("a loss");
        let placed = format!("{}=far", name(block));
        let placed = analysed(&run, &["--place", &placed, "--far", &far]);
        let lost = cycles(&placed) / near - 1.0;
        let apart = (estimated - lost).abs();
        assert!(
            apart < 0.2 * lost || apart < 0.02,
            "{estimated} {lost}: {block:#}"
        );
    }
}

/// What is read twice cannot come out of a pipe: it is estimated by epochs alone, or refused, and never waited for.
#[test]
fn pipes_are_read_once() {
    let directory = tempfile::tempdir().expect("a directory");
    let (program, trace) = recorded(directory.path());
    let pipe = directory.path().join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo runs").success());
    let through = |more: &[&str]| {
        let mut writer = Command::new("sh")
            .args(["-c", "cat \"$0\" > \"$1\" || true"])
            .args([&trace, &pipe])
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        let mut command = loopsheet();
        command.arg("trace").arg(&pipe).arg("--elf").arg(&program);
        command.args(["--camat", "--cache", "2KiB,8way,4cycles"]);
        let output = command.args(more).output().expect("it runs");
        let _ = writer.kill();
        let _ = writer.wait();
        output
    };
    let estimated = through(&["--objects"]);
    let text = String::from_utf8_lossy(&estimated.stdout).into_owned();
    assert!(
        text.contains("losses are estimated by epochs alone"),
        "{text}"
    );
    let refused = through(&["--objects", "--confirm", "1"]);
    let text = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{text}");
    assert!(text.contains("not standard input or a pipe"), "{text}");
}

/// Records without opcodes fit their program by where they branch; nothing is counted by line, and widths are unknown.
#[test]
fn records_without_opcodes_fit_their_program() {
    let directory = tempfile::tempdir().expect("a directory");
    let (program, trace) = recorded(directory.path());
    let records = directory.path().join("run.champsim.xz");
    let mut command = loopsheet();
    command
        .arg("trace")
        .arg(&trace)
        .arg("--write")
        .arg(&records);
    assert!(command.output().expect("it runs").status.success());
    let of = |elf: &Path, more: &[&str]| {
        let mut command = loopsheet();
        command.arg("trace").arg(&records).arg("--elf").arg(elf);
        command.args(more).output().expect("it runs")
    };
    let json = |more: &[&str]| -> Value {
        let output = of(&program, &[more, &["--json", "-"]].concat());
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{complaint}");
        serde_json::from_slice(&output.stdout).expect("JSON")
    };
    let report = json(&["--by-bandwidth"]);
    assert!(report["source"].is_null() && report["depth_by_bandwidth"].is_null());
    assert!(
        report["notes"]
            .to_string()
            .contains("the depth for every bandwidth is not known")
    );
    assert!(json(&["--by-bandwidth", "--cache", "2KiB"])["depth_by_bandwidth"].is_array());
    let other = recorded_of(directory.path(), "together.c", "-O2", "").0;
    let output = of(&other, &[]);
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{complaint}");
    assert!(
        complaint.contains("it is not the program that was traced"),
        "{complaint}"
    );
}
