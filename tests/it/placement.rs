//! Memory of several latencies in the core, and what is refused.

use crate::support::command::{self, loopsheet};
use serde_json::Value;

fn analysed(arguments: &[&str]) -> Value {
    let mut command = loopsheet();
    let trace = command::root().join("samples/traces/spmv.execlog.zst");
    command
        .arg("trace")
        .arg(trace)
        .args(["--json", "-", "--camat"]);
    command::printed(command.args(arguments))
}

/// Everything elsewhere is the same as RAM at that latency; half of the addresses is between.
#[test]
fn all_addresses_placed_are_another_latency() {
    let placed = analysed(&["--place", "0x0-0xffffffffffffffff=555"]);
    let slow = analysed(&["--latency", "555"]);
    assert_eq!(placed["camat"]["levels"], slow["camat"]["levels"]);
    let notes = placed["notes"].to_string();
    assert!(notes.contains("at 555 cycles"), "{notes}");
    let near = analysed(&[]);
    let cycles = |report: &Value| {
        report["camat"]["levels"][0]["omega"]
            .as_u64()
            .expect("cycles")
    };
    assert!(cycles(&near) < cycles(&placed));
}

/// No pages elsewhere are none, all are all; half of them are between.
#[test]
fn pages_are_interleaved() {
    let cycles = |share: &str| {
        let place = format!("0x0-0xffffffffffffffff=1000@{share}");
        let report = analysed(&["--place", &place, "--ram-interval", "0"]);
        let cycles = &report["camat"]["levels"][0]["omega"];
        cycles.as_u64().expect("cycles")
    };
    let near = analysed(&["--ram-interval", "0"]);
    let near = near["camat"]["levels"][0]["omega"].as_u64();
    assert_eq!(near, Some(cycles("0%")));
    let (half, all) = (cycles("50"), cycles("100%"));
    assert!(cycles("0") < half && half < all);
}

/// Two placements side by side, each as in a run of its own, and all in RAM as in a run without one.
#[test]
fn placements_are_compared_in_one_run() {
    let all = |cycles: &str| format!("0x0-0xffffffffffffffff={cycles}");
    let (half, whole) = (all("1000@50"), all("1000"));
    let compared = analysed(&["--place", &half, "--place-against", &whole]);
    let cycles = |placed: &Value| placed["cycles"].as_u64().expect("cycles");
    let placed = &compared["placed"];
    let alone = |place: &str| analysed(&["--place", place])["placed"].clone();
    assert_eq!(cycles(placed), cycles(&alone(&half)));
    assert_eq!(cycles(&placed["against"]), cycles(&alone(&whole)));
    let near = alone(&all("240"));
    assert_eq!(near["cycles"], placed["in_ram_cycles"]);
    assert_eq!(near["loss"], 0.0);
    let in_ram = cycles(&near) as f64;
    let loss = placed["loss"].as_f64().expect("a share");
    assert!((loss - (cycles(placed) as f64 / in_ram - 1.0)).abs() < 1e-12);
    let notes = compared["notes"].to_string();
    assert!(notes.contains("with what --place-against says"), "{notes}");
    assert!(analysed(&[])["placed"].is_null());
}

#[test]
fn bad_placements_are_refused() {
    for (arguments, said) in [
        (&["--place", "A=400"][..], "names of variables need --elf"),
        (
            &["--place", "0x10-0x20=0"],
            "is not far, nor a number of cycles",
        ),
        (&["--place", "0x10-0x20"], "it must be NAME=CYCLES"),
        (&["--place", "0x20-0x10=5"], "names of variables need --elf"),
        (
            &["--place", "0x10-0x20=5", "--place", "0x18-0x28=far"],
            "from 0x18 on are placed twice",
        ),
        (
            &["--place", "0x10-0x20=far@110"],
            "`110` is not a percentage",
        ),
        (
            &["--place", "0x10-0x20=5", "--place-against", "A=far"],
            "--place-against A=far: names of variables need --elf",
        ),
        (&["--place-against", "0x10-0x20=5"], "--place"),
        (&["--far", "500"], "--far needs --objects or --place"),
        (&["--confirm"], "--objects"),
        (
            &["--place", "0x10-0x20=far", "--far", "1,2,3,4,5,6,7,8,9"],
            "at most 8 latencies",
        ),
    ] {
        let mut command = loopsheet();
        let trace = command::root().join("samples/traces/sum.execlog.zst");
        command.arg("trace").arg(trace).arg("--camat");
        let output = command.args(arguments).output().expect("it runs");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(error.contains(said), "{error}");
    }
}
