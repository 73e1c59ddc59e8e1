//! One trace in several formats: `trace --write`, and what is read back.

use std::path::{Path, PathBuf};

use crate::support::command::{self, EVERYTHING, loopsheet};
use serde_json::Value;

fn sample(name: &str) -> PathBuf {
    command::root().join("samples/traces").join(name)
}

fn analysed(path: &Path, arguments: &[&str]) -> Value {
    let mut command = loopsheet();
    command.arg("trace").arg(path).args(["--json", "-"]);
    command::printed(command.args(arguments))
}

/// Writes a trace in another format; what was said.
fn write(trace: &Path, to: &Path) -> String {
    let output = loopsheet()
        .arg("trace")
        .arg(trace)
        .arg("--write")
        .arg(to)
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code().is_some_and(|code| code < 2), "{said}");
    assert!(output.stdout.is_empty(), "a conversion prints no table");
    said
}

fn same(one: &Value, other: &Value, keys: &[&str]) {
    for key in keys {
        assert_eq!(one[key], other[key], "{key}");
        assert!(!one[key].is_null(), "{key}");
    }
}

/// Recorded runs, one of them of two harts.
fn recorded() -> Vec<PathBuf> {
    let names = ["spmv", "list", "harts", "scan"];
    let paths = names.map(|name| sample(&format!("{name}.execlog.zst")));
    paths.into()
}

/// What the out-of-order core makes of two traces is the same.
fn same_core(one: &Path, other: &Path) {
    let core = ["--camat", "--quiet"];
    same(&analysed(one, &core), &analysed(other, &core), &["camat"]);
}

/// Work, depth, λ, epochs, reuse, regions of memory and C-AMAT are the same through STF, whatever the trace.
#[test]
fn stf_has_everything_that_execlog_has() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut traces = recorded();
    traces.push(sample("factorial.spike"));
    for trace in traces {
        for name in ["a.stf", "a.zstf"] {
            let path = directory.path().join(name);
            write(&trace, &path);
            let keys = [
                "edag", "mix", "cache", "reuse", "epochs", "program", "movement",
            ];
            let (from, to) = (analysed(&trace, &EVERYTHING), analysed(&path, &EVERYTHING));
            same(&from, &to, &keys);
            assert_eq!(to["trace"]["format"], "stf");
            for key in ["instructions", "harts"] {
                assert_eq!(from["trace"][key], to["trace"][key], "{key}");
            }
            same_core(&trace, &path);
        }
    }
}

/// The compact format has everything, whatever the trace is in, and is far shorter than text.
#[test]
fn the_compact_format_has_everything() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut traces = recorded();
    traces.extend(
        [
            "factorial.spike",
            "factorial.edan",
            "factorial.edan-bare",
            "factorial.execlog",
        ]
        .map(sample),
    );
    for trace in traces {
        for name in ["a.native", "a.native.zst", "a.native.gz", "a.native.xz"] {
            let path = directory.path().join(name);
            write(&trace, &path);
            let (mut from, mut to) = (analysed(&trace, &EVERYTHING), analysed(&path, &EVERYTHING));
            assert_eq!(to["trace"]["format"], "native");
            let bytes = |report: &Value| report["trace"]["bytes"].as_u64().expect("bytes");
            assert!(3 * bytes(&to) < bytes(&from), "{name}");
            for key in ["path", "format", "bytes"] {
                from["trace"][key] = Value::Null;
                to["trace"][key] = Value::Null;
            }
            assert_eq!(from, to);
            same_core(&trace, &path);
        }
    }
}

/// One program through text, STF and the compact format: equal work, depth, λ and epochs.
#[test]
fn one_program_through_all_formats() {
    let directory = tempfile::tempdir().expect("a directory");
    let trace = sample("spmv.execlog.zst");
    let arguments = ["--cache", "1KiB,2way", "--epochs", "--quiet"];
    let text = analysed(&trace, &arguments);
    for name in ["a.zstf", "a.native"] {
        let path = directory.path().join(name);
        write(&trace, &path);
        let other = analysed(&path, &arguments);
        for key in ["work", "depth", "memory_work", "memory_depth", "lambda"] {
            assert_eq!(text["edag"][key], other["edag"][key], "{name}: {key}");
        }
        same(&text, &other, &["epochs"]);
    }
}

/// A format that is given is taken, also where the trace looks like another one.
#[test]
fn a_format_that_is_given_is_not_guessed() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("a.native");
    write(&sample("spmv.execlog.zst"), &path);
    let mut command = loopsheet();
    command.args(["trace", "--format", "execlog"]).arg(&path);
    let output = command.output().expect("it runs");
    assert_eq!(output.status.code(), Some(2));
}

/// A kernel without calls has the same memory figures through ChampSim's records.
#[test]
fn champsim_has_registers_and_addresses() {
    let directory = tempfile::tempdir().expect("a directory");
    for name in ["spmv", "list", "vadd", "jacobi", "sum"] {
        let trace = sample(&format!("{name}.execlog.zst"));
        for packed in ["a.champsim", "a.champsim.gz", "a.champsim.xz"] {
            let path = directory.path().join(packed);
            assert_eq!(write(&trace, &path), "", "{name}");
            let arguments = ["--cache", "4KiB", "--epochs", "--quiet"];
            let (from, to) = (analysed(&trace, &arguments), analysed(&path, &arguments));
            for key in ["work", "depth", "memory_work", "memory_depth", "lambda"] {
                assert_eq!(from["edag"][key], to["edag"][key], "{name}: {key}");
            }
            same(&from, &to, &["epochs"]);
            assert_eq!(to["trace"]["format"], "champsim");
            assert_eq!(to["mix"]["fp_fma"], Value::Null);
            assert!(to["mix"]["unclassified"].as_u64() > Some(0));
            let notes = to["notes"].to_string();
            assert!(
                notes.contains("including floating-point operations"),
                "{notes}"
            );
        }
    }
}

#[test]
fn what_a_format_lacks_is_said() {
    let directory = tempfile::tempdir().expect("a directory");
    let refused = |trace: &str, name: &str, expected: &str| {
        let path = directory.path().join(name);
        let output = loopsheet()
            .arg("trace")
            .arg(sample(trace))
            .arg("--write")
            .arg(&path)
            .output()
            .expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(expected), "{said}");
        assert!(!path.exists());
    };
    refused("factorial.edan", "a.zstf", "machine word");
    refused("factorial.gdb", "a.champsim", "machine word");
    refused("harts.execlog.zst", "a.champsim", "several harts");
    refused("sum.execlog.zst", "a.txt", ".zstf");
    refused("sum.execlog.zst", "-", "extension");
}

/// What a trace without addresses cannot say is unknown, and refused where it is asked for.
#[test]
fn stf_without_addresses_has_no_memory() {
    let directory = tempfile::tempdir().expect("a directory");
    let (with, without) = (
        directory.path().join("with.stf"),
        directory.path().join("without.stf"),
    );
    write(&sample("factorial.execlog"), &with);
    let bytes = std::fs::read(&with).expect("records");
    std::fs::write(&without, without_accesses(&bytes)).expect("a file");
    let gdb = analysed(&sample("factorial.gdb"), &["--quiet"]);
    let report = analysed(&without, &["--quiet"]);
    assert_eq!(report["edag"], gdb["edag"]);
    assert_eq!(report["edag"]["memory_work"], Value::Null);
    assert!(
        report["notes"]
            .to_string()
            .contains("this stf trace has no addresses")
    );
    let output = loopsheet()
        .arg("trace")
        .arg(&without)
        .args(["--cache", "4KiB", "--epochs"])
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("--cache, --epochs needs the addresses"),
        "{said}"
    );
}

/// Records without those of accesses and their contents.
fn without_accesses(bytes: &[u8]) -> Vec<u8> {
    let mut kept = Vec::new();
    let mut rest = bytes;
    while let [kind, payload @ ..] = rest {
        let length = match kind {
            1 => 3,
            3 => 4 + payload[0] as usize,
            4 | 5 | 241 => 2,
            6 => 6 + payload[4] as usize,
            19 => 0,
            60 => 13,
            240 => 4,
            2 | 7 | 9 | 31 | 61 => 8,
            other => panic!("record {other}"),
        };
        let (record, after) = rest.split_at(1 + length);
        if !matches!(kind, 60 | 61) {
            kept.extend_from_slice(record);
        }
        rest = after;
    }
    kept
}

/// The words of `c.jal` and `c.flw` mean something else in RV64.
#[test]
fn traces_of_32_bit_programs_are_named() {
    for text in [
        "core   0: 3 0x80000000 (0x00000297) x5 0x80000000\n",
        "0, 0x10490, 0x2001, \"jal 0\"\n",
        "0, 0x10490, 0x6108, \"flw fa0,0(a0)\", load, 0x4000\n",
    ] {
        let output = loopsheet()
            .args(["trace", "-"])
            .write_stdin(text)
            .output()
            .expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("32-bit program (RV32)"), "{said}");
    }
    let output = loopsheet()
        .args(["trace", "-"])
        .write_stdin("core   0: 3 0x0000000000000100 (0xffffffff) x5 0x80000000\n")
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("unknown machine word 0xffffffff;"), "{said}");
}
