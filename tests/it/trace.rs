//! `loopsheet trace` from outside: published figures, formats, and what is refused.

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::support::command::{self, loopsheet};
use serde_json::Value;

fn sample(name: &str) -> PathBuf {
    command::root().join("samples/traces").join(name)
}

/// The JSON of a trace given as text.
fn analysed(text: &str, arguments: &[&str]) -> Value {
    let output = loopsheet()
        .args(["trace", "-", "--json", "-"])
        .args(arguments)
        .write_stdin(text)
        .output();
    json(output.expect("it runs"))
}

fn analysed_file(path: &Path, arguments: &[&str]) -> Value {
    json(
        loopsheet()
            .arg("trace")
            .arg(path)
            .args(["--json", "-"])
            .args(arguments)
            .output()
            .expect("it runs"),
    )
}

fn json(output: std::process::Output) -> Value {
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn figure(report: &Value, key: &str) -> f64 {
    report["edag"][key]
        .as_f64()
        .unwrap_or_else(|| panic!("{key} is {}", report["edag"][key]))
}

/// EDAN slides, "Exposing Potential Parallelism": T₁ = 10, T∞ = 5 with true dependences, 6 with all.
#[test]
fn the_slides_ten_instructions() {
    let text = "lw a1,0(a4);0x1000\nlw a3,0(a2);0x1100\nmulw a3,a3,a1\naddw a5,a5,a3\nsw a5,0(a0);0x1200\n\
                lw a1,0(a4);0x1300\nlw a3,0(a2);0x1400\nmulw a3,a3,a1\naddw a5,a5,a3\nsw a5,0(a1);0x1500\n";
    let with_true = analysed(text, &[]);
    assert_eq!(
        (figure(&with_true, "work"), figure(&with_true, "depth")),
        (10.0, 5.0)
    );
    assert_eq!(figure(&with_true, "parallelism"), 2.0);
    let with_all = analysed(text, &["--dependences", "all"]);
    assert_eq!(
        (figure(&with_all, "work"), figure(&with_all, "depth")),
        (10.0, 6.0)
    );
    assert!((figure(&with_all, "parallelism") - 1.67).abs() < 0.005);
}

/// EDAN slides, "Memory Cost Model": four loads of a cold cache with one word per line, and only the
/// instructions that are shown.
#[test]
fn the_slides_summation_kernel() {
    let mut text = "mv a5,a0\nmv a0,zero\n".to_string();
    for address in [0x40080290, 0x40080294, 0x40080298, 0x4008029c] {
        text += &format!("lw a4,0(a5);{address:#x}\naddi a5,a5,4\naddw a0,a0,a4\n");
    }
    let report = analysed(&text, &["--cache", "1KiB,full,4B,lru"]);
    let figures =
        ["memory_work", "memory_depth", "non_memory_cost"].map(|key| figure(&report, key));
    assert_eq!(figures, [4.0, 1.0, 10.0]);
}

/// The summation kernel of the slide, "eDAG Generation Process", whole, with four and eight numbers. What
/// EDAN computes for it was taken from EDAN (m = 4): without cache, and with its cache of 16 KiB.
#[test]
fn the_summation_as_edan_counts_it() {
    for (n, cache, expected) in [
        (4, "none", [21.0, 25.0, 21.0, 6.0, 4.0, 1.0, 1.75]),
        (4, "16KiB", [21.0, 25.0, 21.0, 6.0, 1.0, 1.0, 1.0]),
        (8, "none", [37.0, 49.0, 37.0, 10.0, 8.0, 1.0, 2.75]),
        (8, "256", [37.0, 49.0, 37.0, 10.0, 1.0, 1.0, 1.0]),
    ] {
        let mut text =
            "0;0x0;blez a1,26 # 0x1a\n0;0x4;slli a1,a1,2\n0;0x6;mv a5,a0\n0;0x8;add a3,a0,a1\n0;0xc;mv a0,zero\n"
                .to_string();
        for i in 0..n {
            text += &format!(
                "0;0xe;lw a4,0(a5);{:#x}\n0;0x10;addi a5,a5,4\n",
                0x4000_0200 + 4 * i
            );
            text += "0;0x12;addw a0,a0,a4\n0;0x14;bne a3,a5,-6 # 0xe\n";
        }
        text += "0;0x18;ret \n";
        let report = analysed(&text, &["--compat", "edan", "--cache", cache]);
        let keys = [
            "vertices",
            "edges",
            "work",
            "depth",
            "memory_work",
            "memory_depth",
            "lambda",
        ];
        assert_eq!(
            keys.map(|key| figure(&report, key)),
            expected,
            "n = {n}, cache {cache}"
        );
    }
}

#[test]
fn every_format_tells_the_same() {
    let read = |name: &str| analysed_file(&sample(name), &[]);
    let execlog = read("factorial.execlog");
    for (name, format) in [
        ("edan", "edan"),
        ("edan-bare", "edan-bare"),
        ("spike", "spike"),
        ("gdb", "gdb"),
    ] {
        let other = read(&format!("factorial.{name}"));
        assert_eq!(other["trace"]["format"], format);
        for key in ["work", "depth", "edges"] {
            // Without addresses, dependences through memory are not seen.
            if format == "gdb" && key != "work" {
                assert!(figure(&other, key) < figure(&execlog, key), "{key}");
            } else {
                assert_eq!(other["edag"][key], execlog["edag"][key], "{format}: {key}");
            }
        }
        for key in ["memory_work", "memory_depth", "lambda", "time_upper"] {
            let expected = if format == "gdb" {
                &Value::Null
            } else {
                &execlog["edag"][key]
            };
            assert_eq!(&other["edag"][key], expected, "{format}: {key}");
        }
        assert_eq!(other["mix"], execlog["mix"], "{format}");
    }
}

#[test]
fn packed_and_piped_traces_are_read() {
    let plain = std::fs::read(sample("factorial.execlog")).expect("a sample");
    let directory = tempfile::tempdir().expect("a directory");
    let (gzip, zstandard) = (
        directory.path().join("a.gz"),
        directory.path().join("a.zst"),
    );
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(&plain).expect("memory");
    std::fs::write(&gzip, encoder.finish().expect("memory")).expect("a file");
    std::fs::write(&zstandard, zstd::encode_all(&plain[..], 3).expect("memory")).expect("a file");
    let expected = analysed_file(&sample("factorial.execlog"), &[]);
    for report in [
        analysed_file(&gzip, &[]),
        analysed_file(&zstandard, &[]),
        analysed(std::str::from_utf8(&plain).expect("text"), &[]),
    ] {
        assert_eq!(report["edag"], expected["edag"]);
        assert_eq!(report["trace"]["bytes"], expected["trace"]["bytes"]);
    }
}

/// A byte of a double word is stored, then the double word loaded: EDAN, which compares addresses, sees
/// no dependence.
#[test]
fn overlapping_accesses_depend_on_each_other() {
    let text = "li a1,1\nsb a1,3(a0);0x1003\nld a2,0(a0);0x1000\n";
    assert_eq!(figure(&analysed(text, &[]), "depth"), 3.0);
    assert_eq!(figure(&analysed(text, &["--compat", "edan"]), "depth"), 2.0);
    assert_eq!(
        figure(&analysed(text, &["--dependences", "register"]), "depth"),
        2.0
    );
}

#[test]
fn atomics_show_a_load_and_a_store() {
    let text = "0, 0x10, 0xb5a52f, \"amoadd.w a0,a1,(a1)\", load, 0x4000, store, 0x4000\n\
                0, 0x14, 0x18b5a52f, \"sc.w a0,a1,(a1)\"\n";
    // The second word is what QEMU shows of a store-conditional that failed: no access.
    let text = text.replace("0xb5a52f", "0x00b5a52f");
    let report = analysed(&text, &[]);
    assert_eq!(
        (figure(&report, "memory_work"), figure(&report, "work")),
        (1.0, 2.0)
    );
}

#[test]
fn harts_have_registers_of_their_own_and_share_memory() {
    let text = "0;li a0,1\n1;addi a0,a0,1\n0;sw a0,0(a1);0x100\n1;lw a2,0(a1);0x100\n";
    let report = analysed(text, &[]);
    assert_eq!(report["trace"]["harts"], 2);
    // li, sw, lw; the second hart's addi does not see the first's li.
    assert_eq!(
        (figure(&report, "depth"), figure(&report, "edges")),
        (3.0, 2.0)
    );
}

#[test]
fn unknown_mnemonics_are_counted_where_that_is_asked_for() {
    let text = "0;0x1;frobnicate a0,a1\n0;0x5;li a0,1\n0;0x1;frobnicate a0,a1\n";
    let report = analysed(text, &["--unknown", "warn"]);
    assert_eq!(report["trace"]["unknown"]["frobnicate"], 2);
    assert_eq!(figure(&report, "work"), 3.0);
}

/// What a message has to contain, and that nothing is written.
fn refused(name: &str, content: &[u8], arguments: &[&str], expected: &[&str]) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join(name);
    std::fs::write(&path, content).expect("a file");
    let output = directory.path().join("report.json");
    let run = loopsheet()
        .arg("trace")
        .arg(&path)
        .arg("--json")
        .arg(&output)
        .args(arguments)
        .output()
        .expect("it runs");
    let message = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(2), "{name}: {message}");
    for part in expected {
        assert!(
            message.contains(part),
            "{name}: `{part}` is not in: {message}"
        );
    }
    assert!(run.stdout.is_empty(), "{name}");
    assert_eq!(
        std::fs::read_dir(directory.path())
            .expect("a directory")
            .count(),
        1,
        "{name} left something behind"
    );
}

#[test]
fn bad_traces_are_refused_with_their_line() {
    let good = "0;0x100;lw a4,0(a5);0x4000\n0;0x104;add a5,a5,a4\n".repeat(50);
    let with = |line: &str| format!("{good}{line}").into_bytes();
    refused("empty", b"", &[], &["line 1", "empty"]);
    refused("blank", b"\n\n\n", &[], &["empty"]);
    refused(
        "prose",
        b"not a trace\nat all\n",
        &[],
        &["line 1", "not a trace"],
    );
    refused(
        "binary",
        &[0x7f, b'E', b'L', b'F', 0, 1, 2, b'\n', 3],
        &[],
        &["line 1"],
    );
    refused(
        "unknown",
        &with("0;0x1;frobnicate a0\n"),
        &[],
        &["line 101", "frobnicate", "--unknown=warn"],
    );
    refused(
        "cut",
        &with("0;0x100;lw a4,0(a5);0x40"),
        &[],
        &["line 101", "cut short"],
    );
    refused(
        "address",
        &with("0;0x100;lw a4,0(a5);0x40zz\n"),
        &[],
        &["line 101", "0x40zz"],
    );
    refused(
        "long address",
        &with("0;0x100;lw a4,0(a5);0x12345678901234567\n"),
        &[],
        &["line 101"],
    );
    refused(
        "no address",
        &with("0;0x100;lw a4,0(a5)\n"),
        &[],
        &["line 101", "no address"],
    );
    refused(
        "not an access",
        &with("0;0x104;add a5,a5,a4;0x40\n"),
        &[],
        &["line 101", "does not access"],
    );
    refused(
        "operands",
        &with("0;0x104;add a5,a5\n"),
        &[],
        &["line 101", "add"],
    );
    refused(
        "mixed",
        &with("0, 0x104, 0x97ba, \"add a5,a5,a4\"\n"),
        &[],
        &["line 101", "edan"],
    );
    refused(
        "mixed up",
        &with("core   0: 3 0x104 (0x97ba) x15 0x0\n"),
        &[],
        &["line 101"],
    );
    refused(
        "wrong format",
        &with(""),
        &["--format", "execlog"],
        &["line 1", "execlog"],
    );
    refused(
        "spike",
        b"core   0: 0x0000000000001000 (0x00000297) auipc   t0, 0x0\n",
        &[],
        &["--log-commits"],
    );
    refused(
        "word",
        b"0, 0x1, 0xffffffff, \"unimp\"\n",
        &[],
        &["line 1", "0xffffffff"],
    );
    refused("nul", &with("0;0x104;add a5,\0a5,a4\n"), &[], &["line 101"]);
}

#[test]
fn cut_compressed_traces_are_refused() {
    let good = "0;0x100;lw a4,0(a5);0x4000\n0;0x104;add a5,a5,a4\n".repeat(20_000);
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(good.as_bytes()).expect("memory");
    let gzip = encoder.finish().expect("memory");
    refused(
        "a.gz",
        &gzip[..gzip.len() - 10],
        &[],
        &["line ", "cut short"],
    );
    refused(
        "b.gz",
        &gzip[..gzip.len() / 2],
        &[],
        &["line ", "cut short"],
    );
    let zstandard = zstd::encode_all(good.as_bytes(), 3).expect("memory");
    refused(
        "a.zst",
        &zstandard[..zstandard.len() - 5],
        &[],
        &["line ", "cut short"],
    );
    let mut damaged = gzip.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 0xff;
    refused("damaged.gz", &damaged, &[], &["line "]);
}

#[test]
fn what_a_trace_without_addresses_cannot_tell_is_refused() {
    let text = std::fs::read(sample("factorial.gdb")).expect("a sample");
    refused(
        "a.gdb",
        &text,
        &["--cache", "32KiB"],
        &["--cache", "addresses"],
    );
    refused("a.gdb", &text, &["--reuse"], &["--reuse", "addresses"]);
    refused("a.gdb", &text, &["--camat"], &["--camat", "addresses"]);
}

#[test]
fn arguments_that_make_no_sense_are_refused() {
    let good = b"0;0x104;add a5,a5,a4\n";
    for (arguments, expected) in [
        (&["--cache", "32K"][..], "32K"),
        (&["--cache", "100B,2way,64B"], "100"),
        (&["--cache", "none", "--cache", "1KiB"], "none"),
        (
            &["--compat", "edan", "--cache", "1KiB,4way"],
            "--compat edan",
        ),
        (&["--slots", "0"], "--slots"),
        (&["--latency", "-1"], "-1"),
        (&["--line", "48"], "--line"),
        (&["--epochs", "--windows", "1,x"], "--windows 1,x: `x`"),
        (&["--epochs", "--windows", "1,,2"], "--windows"),
        (&["--epochs", "--windows", "0"], "window of 0"),
        (&["--epochs", "--windows", "65536"], "16384"),
        (&["--epochs", "--capacities", "1K"], "--capacities 1K"),
        (&["--epochs", "--capacities", "32B"], "32 bytes"),
        (&["--epochs", "--epoch-slots", "0"], "slots"),
        (&["--epochs", "--dependences", "all"], "renames"),
        (&["--epochs", "--compat", "edan"], "--compat"),
        (&["--epochs", "--heatmap", "a.png"], ".svg"),
        (&["--windows", "4"], "--epochs"),
        (&["--graph", "a.png"], ".svg"),
        (&["--blocking-stores"], "--camat"),
        (
            &["--remote-share", "1.5", "--remote-delay", "3"],
            "--remote-share",
        ),
    ] {
        refused("good", good, arguments, &[expected]);
    }
    refused("good", good, &["--reuse", "--line", "48"], &["--line"]);
}

#[cfg(unix)]
#[test]
fn links_are_written_through() {
    let directory = tempfile::tempdir().expect("a directory");
    let (target, link) = (
        directory.path().join("target.json"),
        directory.path().join("link.json"),
    );
    std::os::unix::fs::symlink("target.json", &link).expect("a link");
    for round in 0..2 {
        let run = loopsheet()
            .arg("trace")
            .arg(sample("factorial.edan"))
            .arg("--json")
            .arg(&link)
            .output();
        assert!(run.expect("it runs").status.success());
        assert!(link.is_symlink(), "round {round}");
        assert!(
            std::fs::read_to_string(&target)
                .expect("a report")
                .contains("loopsheet/trace/1")
        );
    }
    let pipe = loopsheet()
        .arg("trace")
        .arg(sample("factorial.edan"))
        .args(["--json", "/dev/stdout"])
        .output();
    assert_eq!(pipe.expect("it runs").status.code(), Some(2));
}

#[test]
fn an_output_is_asked_for_once() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("same.svg");
    let mut command = loopsheet();
    command
        .arg("trace")
        .arg(sample("factorial.edan"))
        .arg("--graph")
        .arg(&path)
        .arg("--sweep")
        .arg(&path);
    assert_eq!(command.output().expect("it runs").status.code(), Some(2));
    let mut command = loopsheet();
    command
        .current_dir(directory.path())
        .arg("trace")
        .arg(sample("factorial.edan"));
    command.args(["--graph", "same.svg", "--sweep", "./same.svg"]);
    assert_eq!(command.output().expect("it runs").status.code(), Some(2));
    assert!(!path.exists());
}

/// How the program ended, as the last line says.
#[test]
fn the_end_of_the_program_is_in_the_json() {
    let ends = [
        ("# end: exit status 0\n", "exited", Some(0), None),
        ("# end: exit status 3\n", "exited", Some(3), None),
        ("# end: signal 11\n", "signalled", None, Some(11)),
        ("# end: limit 1\n", "limit", None, None),
        ("", "running", None, None),
    ];
    for (end, status, code, signal) in ends {
        let trace = format!("0, 0x104be, 0x00000073, \"ecall\"\n{end}");
        let output = loopsheet()
            .args(["trace", "-", "--json", "-"])
            .write_stdin(trace)
            .output()
            .expect("it runs");
        assert_eq!(
            output.status.code(),
            Some(i32::from(status == "signalled")),
            "{end}"
        );
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let program = serde_json::json!({"status": status, "code": code, "signal": signal});
        assert_eq!(report["program"], program, "{end}");
        // An orderly end is nothing to be told of.
        let is_told = !end.is_empty() && code != Some(0);
        assert_eq!(report["trace"].get("end").is_some(), is_told, "{end}");
        assert_eq!(!output.stderr.is_empty(), is_told, "{end}");
    }
}

#[test]
fn text_without_an_instruction_is_no_trace() {
    let prose = b"root:x:0:0:root\nuser:x:1:1:user\n";
    refused(
        "passwd",
        prose,
        &["--unknown", "warn"],
        &["line", "not a trace in the format edan-bare"],
    );
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let script = format!(
        "{} trace {} --json - | head -c 10 >/dev/null; echo ${{PIPESTATUS[0]}}",
        assert_cmd::cargo::cargo_bin("loopsheet").display(),
        sample("spmv.execlog.zst").display()
    );
    let output = std::process::Command::new("bash")
        .args(["-c", &script])
        .output()
        .expect("bash");
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "0");
}

/// Keys that scripts rely on.
#[test]
fn promised_keys_are_there() {
    let report = analysed_file(
        &sample("matmul.execlog.zst"),
        &["--cache", "1KiB,2way", "--reuse"],
    );
    assert_eq!(report["schema"], "loopsheet/trace/1");
    let has = |value: &Value, keys: &str| {
        for key in keys.split_whitespace() {
            assert!(value.get(key).is_some(), "no key {key}");
        }
    };
    has(&report, "trace mix cache edag reuse regions");
    has(
        &report["trace"],
        "path format instructions bytes harts unknown",
    );
    has(&report["cache"][0], "size line ways policy write");
    has(
        &report["edag"],
        "work depth parallelism edges memory_work memory_depth non_memory_cost slots latency lambda lambda_lower \
         relative_lambda time_lower time_upper bytes_moved average_bandwidth",
    );
    let report = analysed_file(
        &sample("matmul.execlog.zst"),
        &["--epochs", "--epoch-slots", "4,16", "--reuse"],
    );
    has(
        &report["epochs"],
        "windows capacities epochs epki slots off_chip instructions",
    );
    let (epochs, rows) = (
        &report["epochs"],
        report["epochs"]["epochs"].as_array().expect("rows"),
    );
    assert_eq!(
        (rows.len(), rows[0].as_array().expect("columns").len()),
        (21, 11)
    );
    let per_thousand = 1000.0 * rows[2][5].as_f64().expect("a count") / figure(&report, "vertices");
    assert!((epochs["epki"][2][5].as_f64().expect("a rate") - per_thousand).abs() < 1e-12);
    has(&epochs["slots"], "4 16");
    has(&report["reuse"], "line cold histogram");
    has(&report["reuse"]["histogram"][0], "lo hi count");
}

/// One pass gives the same bytes every time.
#[test]
fn reports_are_reproducible() {
    let directory = tempfile::tempdir().expect("a directory");
    let bytes = |extension: &str, turn: usize| {
        let path = directory.path().join(format!("{turn}.{extension}"));
        let flag = if ["dot", "svg"].contains(&extension) {
            "--graph"
        } else {
            "-o"
        };
        let run = loopsheet()
            .arg("trace")
            .arg(sample("factorial.execlog"))
            .args([
                "--cache",
                "256B,2way,32B,random:5",
                "--reuse",
                "--remote-share",
                "0.5",
                "--remote-delay",
                "50",
            ])
            .arg(flag)
            .arg(&path)
            .output()
            .expect("it runs");
        assert!(
            run.status.success(),
            "{}",
            String::from_utf8_lossy(&run.stderr)
        );
        std::fs::read(path).expect("a report")
    };
    for extension in ["json", "xlsx", "dot", "svg"] {
        assert_eq!(bytes(extension, 1), bytes(extension, 2), "{extension}");
    }
}

/// A heat map has a cell for each window and capacity, with its number; of several traces, for the mean.
#[test]
fn heat_maps_and_means_of_several_traces() {
    let directory = tempfile::tempdir().expect("a directory");
    let picture = directory.path().join("epochs.svg");
    let epochs = [
        "--epochs",
        "--windows",
        "64,1,16",
        "--capacities",
        "1KiB,4KiB",
    ];
    let run = |traces: &[&str], arguments: &[&std::ffi::OsStr]| {
        let traces = traces.iter().map(|name| sample(name));
        loopsheet()
            .arg("trace")
            .args(traces)
            .args(epochs)
            .args(arguments)
            .output()
            .expect("it runs")
    };
    let both = ["matmul.execlog.zst", "spmv.execlog.zst"];
    let [matmul, spmv] = both.map(|name| analysed_file(&sample(name), &epochs));
    for traces in [&both[..1], &both[..]] {
        let output = run(traces, &["--heatmap".as_ref(), picture.as_ref()]);
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let svg = std::fs::read_to_string(&picture).expect("a picture");
        // The background, six cells, 64 pieces of the colour bar.
        assert_eq!(svg.matches("<rect").count(), 1 + 6 + 64);
        for label in [">4 KiB<", ">16<", "W: reorder window", "C: cache capacity"] {
            assert!(svg.contains(label), "{label}");
        }
    }
    let report = json(run(&both, &["--json".as_ref(), "-".as_ref()]));
    assert_eq!(report["windows"], serde_json::json!([1, 16, 64]));
    assert_eq!(report["traces"][1]["epochs"], spmv["epochs"]);
    let rate = |report: &Value| report["epochs"]["epki"][1][2].as_f64().expect("a rate");
    let mean = report["mean_epki"][1][2].as_f64().expect("a rate");
    assert!((mean - (rate(&matmul) + rate(&spmv)) / 2.0).abs() < 1e-12);
    let table = run(&both, &[]);
    assert!(String::from_utf8_lossy(&table.stdout).contains("mean of 2 traces"));
    let arguments = ["--reuse", "-q"].map(|argument| argument.as_ref());
    assert_eq!(run(&both, &arguments).status.code(), Some(2));
    let gdb = run(&["matmul.execlog.zst", "factorial.gdb"], &[]);
    assert!(
        String::from_utf8_lossy(&gdb.stderr)
            .contains("factorial.gdb: --epochs needs the addresses")
    );
}

/// A running sum that is kept in memory, as `*sum += a[i]` when `a` may be changed by it: of every round the load and
/// the store of the sum are on the chain, the element is not; of the first round the load finds nothing of the trace.
/// Before it, a value passes through the stack twice.
#[test]
fn the_deepest_chain_is_named() {
    let mut text =
        "0;0x100;ld s0,0(a0);0x8000\n0;0x104;sd s0,8(sp);0x4008\n0;0x108;ld s0,8(sp);0x4008\n\
                    0;0x10c;sd s0,8(sp);0x4008\n0;0x110;ld s0,8(sp);0x4008\n"
            .to_string();
    let rounds = 4;
    for i in 0..rounds {
        text += &format!(
            "0;0x200;lw a4,0(a5);{:#x}\n0;0x204;lw a3,0(a2);0x6000\n",
            0x1000 + 4 * i
        );
        text += "0;0x208;addw a3,a3,a4\n0;0x20c;sw a3,0(a2);0x6000\n0;0x210;addi a5,a5,4\n";
    }
    let report = analysed(&text, &["--memory-chain"]);
    // The first store waits for the element as much as for the sum, whose load is read first.
    assert_eq!(figure(&report, "memory_depth"), 8.0);
    let chain = &report["memory_chain"];
    assert_eq!(
        (&chain["depth"], &chain["lines"]),
        (&serde_json::json!(8), &serde_json::json!([]))
    );
    let told = |part: &Value| {
        (
            part["text"].clone(),
            part["kind"].clone(),
            part["accesses"].clone(),
        )
    };
    let told: Vec<_> = chain["instructions"]
        .as_array()
        .expect("instructions")
        .iter()
        .map(told)
        .collect();
    let expected = |text: &str, kind: &str| (text.into(), kind.into(), rounds.into());
    assert_eq!(
        told,
        [
            expected("lw a3,0(a2)", "load"),
            expected("sw a3,0(a2)", "store")
        ]
    );
    // With a cache that holds all, only first touches go to RAM: the sum's line and then nothing that waits for it.
    let cached = analysed(&text, &["--memory-chain", "--cache", "1KiB,full"]);
    assert_eq!(
        figure(&cached, "memory_depth"),
        cached["memory_chain"]["depth"].as_f64().expect("a depth")
    );
    // Three rounds less, and the stack's chain is the deepest, with one load more than there.
    let short = analysed(
        &text
            .lines()
            .take(5)
            .fold(String::new(), |all, line| all + line + "\n"),
        &["--memory-chain"],
    );
    assert_eq!(short["memory_chain"]["depth"], 5);
    let parts = short["memory_chain"]["instructions"]
        .as_array()
        .expect("instructions");
    let stack = parts.iter().filter(|part| part["stack"] == true).count();
    assert_eq!((parts.len(), stack), (5, 4));
    // Instructions that are executed as often are told in the order in which they were first executed.
    assert_eq!(parts[0]["pc"], "0x100");
}

/// A chain of millions of accesses through one place takes no more room than a short one.
#[test]
fn a_long_chain_is_counted() {
    let rounds = 1_500_000u64;
    let round =
        "0;0x200;ld a3,0(a2);0x6000\n0;0x204;sd a3,0(a2);0x6000\n0;0x208;ld a4,8(a2);0x6008\n";
    let report = analysed(&round.repeat(rounds as usize), &["--memory-chain"]);
    assert_eq!(report["memory_chain"]["depth"], 2 * rounds);
    let parts = report["memory_chain"]["instructions"]
        .as_array()
        .expect("instructions");
    assert_eq!(parts.len(), 2);
    parts
        .iter()
        .for_each(|part| assert_eq!(part["accesses"], rounds));
}
