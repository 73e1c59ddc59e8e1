//! Trends of Wang and Sun's report, section VI, on recorded runs: what makes a machine faster makes C-AMAT
//! fall, while AMAT, which knows no concurrency, grows with issue width, window and MSHRs.
//!
//! Where RAM's bandwidth binds, AMAT does not depend on width and window: queues are as long as MSHRs let them
//! be. So those two are told with RAM of unlimited bandwidth, and MSHRs with RAM as it is.

use crate::support::command;
use serde_json::Value;

const TRACES: [&str; 4] = ["jacobi", "matmul", "spmv", "vadd"];

fn camat(trace: &str, arguments: &[&str]) -> Value {
    let path = command::root().join(format!("samples/traces/{trace}.execlog.zst"));
    let mut command = command::loopsheet();
    command.arg("trace").arg(path);
    command.args(["--camat", "--json", "-"]).args(arguments);
    command::printed(&mut command)["camat"].take()
}

/// A figure of the nearest level for each setting.
fn sweep(trace: &str, flag: &str, values: &[&str], key: &str) -> Vec<f64> {
    // Where RAM's bandwidth binds, nothing else shows.
    let limits = ["--ram-interval", "0"];
    let figure = |value: &&str| {
        let arguments = [&[flag, *value], &limits[..]].concat();
        camat(trace, &arguments)["levels"][0][key]
            .as_f64()
            .expect("a figure")
    };
    values.iter().map(figure).collect()
}

fn grows(figures: &[f64]) -> bool {
    figures.windows(2).all(|pair| pair[0] <= pair[1]) && figures[0] < figures[figures.len() - 1]
}

fn falls(figures: &[f64]) -> bool {
    figures.windows(2).all(|pair| pair[0] >= pair[1]) && figures[0] > figures[figures.len() - 1]
}

/// Set 1 of the report, figure 3.
#[test]
fn issue_width() {
    for trace in TRACES {
        let widths = ["1", "2", "4", "8"];
        let (amat, camat) = (
            sweep(trace, "--issue-width", &widths, "AMAT"),
            sweep(trace, "--issue-width", &widths, "CAMAT"),
        );
        assert!(
            grows(&amat) && falls(&camat),
            "{trace}: AMAT {amat:?}, C-AMAT {camat:?}"
        );
        assert!(
            grows(&sweep(trace, "--issue-width", &widths, "C_H")),
            "{trace}"
        );
    }
}

/// Set 2, figure 4.
#[test]
fn window() {
    for trace in TRACES {
        let windows = ["16", "32", "64", "128"];
        let (amat, camat) = (
            sweep(trace, "--window", &windows, "AMAT"),
            sweep(trace, "--window", &windows, "CAMAT"),
        );
        assert!(
            grows(&amat) && falls(&camat),
            "{trace}: AMAT {amat:?}, C-AMAT {camat:?}"
        );
    }
}

/// Set 3, figure 6: with more registers AMAT and the concurrency of pure misses grow and C-AMAT falls, while hit
/// concurrency stays where it is, within a third.
#[test]
fn miss_status_registers() {
    for trace in TRACES {
        let registers = ["1", "2", "4", "8", "16"];
        let of = |key: &str| {
            registers.map(|count| {
                camat(trace, &["--mshrs", count])["levels"][0][key]
                    .as_f64()
                    .expect(key)
            })
        };
        let [amat, camat, hits, misses] = ["AMAT", "CAMAT", "C_H", "C_M"].map(of);
        assert!(
            grows(&amat) && falls(&camat),
            "{trace}: AMAT {amat:?}, C-AMAT {camat:?}"
        );
        assert!(
            grows(&misses) && misses[4] > 2.0 * misses[0],
            "{trace}: C_M {misses:?}"
        );
        let (least, most) = (
            hits.into_iter().fold(f64::MAX, f64::min),
            hits.into_iter().fold(0.0, f64::max),
        );
        assert!(most < 1.34 * least, "{trace}: C_H {hits:?}");
    }
}

/// Set 4, figure 5: bigger caches lower the miss ratio, and AMAT and C-AMAT with it.
#[test]
fn cache_size() {
    for trace in ["jacobi", "matmul", "spmv"] {
        let at = |size: &str| {
            let spec = format!("{size},2way,4cycles");
            let camat = camat(
                trace,
                &["--cache", &spec, "--cache", "512KiB,16way,24cycles"],
            );
            let level = &camat["levels"][0];
            let [misses, all, amat, camat] =
                ["alpha_m", "alpha", "AMAT", "CAMAT"].map(|key| level[key].as_f64().expect(key));
            [misses / all, amat, camat]
        };
        let sizes = ["512B", "4KiB", "16KiB"].map(at);
        for figure in 0..3 {
            let figures = sizes.map(|figures| figures[figure]);
            assert!(falls(&figures), "{trace}: {figures:?}");
        }
    }
}

/// Both sides of every identity agree on every sample, private and shared levels alike; cycles are those of the four
/// kinds, and C-AMAT is ω/α.
#[test]
fn identities_hold_on_recorded_runs() {
    for trace in [
        "axpy", "harts", "heat", "jacobi", "list", "matmul", "scan", "spmv", "sum", "vadd",
    ] {
        let shared: &[&str] = if trace == "harts" {
            &["--shared-level", "2"]
        } else {
            &[]
        };
        let camat = camat(trace, shared);
        let identities = camat["identities"].as_array().expect("identities");
        assert!(
            identities.len() > 20,
            "{trace}: {} identities",
            identities.len()
        );
        for identity in identities {
            let [left, right] = ["left", "right"].map(|side| identity[side].as_f64().expect(side));
            assert!(
                (left - right).abs() <= 1e-12 * left.abs().max(right.abs()),
                "{trace}: {identity}"
            );
        }
        for level in camat["levels"].as_array().expect("levels") {
            let [h, m, x, omega, alpha, camat, apc] =
                ["h", "m", "x", "omega", "alpha", "CAMAT", "APC"]
                    .map(|key| level[key].as_f64().expect(key));
            assert_eq!(h + m + x, omega, "{trace}");
            assert!(
                (camat - omega / alpha).abs() <= 1e-12 * camat && (camat * apc - 1.0).abs() < 1e-12,
                "{trace}"
            );
        }
    }
}
