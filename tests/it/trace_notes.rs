//! What a reader of a trace's figures has to know stands with them.

use crate::support::command::{self, loopsheet};
use serde_json::Value;

fn analysed(lines: &str, arguments: &[&str]) -> Value {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("a.edan");
    std::fs::write(&path, lines).expect("a trace");
    let mut command = loopsheet();
    command.arg("trace").arg(&path).args(["--json", "-"]);
    command::printed(command.args(arguments))
}

/// Three instructions of one hart beside five of another one, with a RAM access each: harts run side by side.
#[test]
fn harts_have_their_own_serial_cost() {
    let own = |hart: u32, additions: usize| {
        let address = 0x1000 * (hart + 1);
        format!("{hart};0x10;ld a0,0(a1);{address:#x}\n")
            + &format!("{hart};0x14;addi a2,a2,1\n").repeat(additions)
    };
    let lines = own(0, 3) + &own(1, 5);
    let report = analysed(&lines, &["--slots", "1", "--latency", "100"]);
    let edag = &report["edag"];
    assert_eq!(
        (&edag["work"], &edag["memory_work"]),
        (&10.into(), &2.into())
    );
    assert_eq!(edag["non_memory_cost"], 5);
    // 𝒲 = 2, 𝒟 = 1, m = 1: λ = 2, T ≤ 2·100 + 5.
    assert_eq!(edag["time_upper"], 205);
    let notes = report["notes"].to_string();
    assert!(notes.contains("2 harts run side by side"), "{notes}");
    let one = analysed(&own(0, 3), &[]);
    assert_eq!(one["edag"]["non_memory_cost"], 3);
    assert!(!one["notes"].to_string().contains("side by side"));
}

/// QEMU prints integer registers in `fmv.d`; EDAN takes them for those.
#[test]
fn what_edan_reads_otherwise_is_named() {
    let lines = "0;0x10;fmv.d a2,a0\n0;0x14;fadd.d fa0,fa2,fa2\n0;0x18;sd a0,0(sp);0x1000\n";
    let notes = analysed(lines, &["--compat", "edan"])["notes"].to_string();
    assert!(notes.contains("such as `fmv.d a2,a0`"), "{notes}");
    let plain = analysed(lines, &[])["notes"].to_string();
    assert!(!plain.contains("fmv.d"), "{plain}");
    let named = lines.replace("fmv.d a2,a0", "fmv.d fa2,fa0");
    let notes = analysed(&named, &["--compat", "edan"])["notes"].to_string();
    assert!(!notes.contains("fmv.d"), "{notes}");
}

/// Wherever the core's cycles are, it says how far they may be off.
#[test]
fn the_core_has_an_error_band() {
    let mut command = loopsheet();
    let trace = command::root().join("samples/traces/spmv.execlog.zst");
    let report = command::printed(
        command
            .arg("trace")
            .arg(&trace)
            .args(["--camat", "--json", "-"]),
    );
    let notes = report["notes"].to_string();
    assert!(
        notes.contains("0.24 to 1.8 times those of ChampSim"),
        "{notes}"
    );
    let mut rank = loopsheet();
    let report = command::printed(rank.arg("rank").arg(&trace).args(["--json", "-"]));
    let notes = report["notes"].to_string();
    assert!(
        notes.contains("0.24 to 1.8 times those of ChampSim"),
        "{notes}"
    );
}
