//! Trends of Wang and Sun's report, section VI, on recorded runs: what makes a machine faster makes C-AMAT
//! fall, while AMAT, which knows no concurrency, grows with issue width and window.
//!
//! The report has AMAT grow with MSHRs too. Here it does not from one register to two: accesses to a line
//! whose miss waits for a register start together with it, and all of them wait for the whole of it.

use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;

const TRACES: [&str; 4] = ["jacobi", "matmul", "spmv", "vadd"];

fn camat(trace: &str, arguments: &[&str]) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("samples/traces/{trace}.execlog.zst"));
    let mut command = Command::cargo_bin("loopsheet").expect("the program is built");
    let output =
        command.arg("trace").arg(path).args(["--camat", "--json", "-"]).args(arguments).output().expect("runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice::<Value>(&output.stdout).expect("JSON")["camat"].take()
}

/// A figure of the nearest level for each setting.
fn sweep(trace: &str, flag: &str, values: &[&str], key: &str) -> Vec<f64> {
    // Where RAM's bandwidth binds, nothing else shows.
    let limits = ["--ram-interval", "0"];
    let figure = |value: &&str| {
        let arguments = [&[flag, *value], &limits[..]].concat();
        camat(trace, &arguments)["levels"][0][key].as_f64().expect("a figure")
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
        let (amat, camat) =
            (sweep(trace, "--issue-width", &widths, "AMAT"), sweep(trace, "--issue-width", &widths, "CAMAT"));
        assert!(grows(&amat) && falls(&camat), "{trace}: AMAT {amat:?}, C-AMAT {camat:?}");
        assert!(grows(&sweep(trace, "--issue-width", &widths, "C_H")), "{trace}");
    }
}

/// Set 2, figure 4.
#[test]
fn window() {
    for trace in TRACES {
        let windows = ["16", "32", "64", "128"];
        let (amat, camat) = (sweep(trace, "--window", &windows, "AMAT"), sweep(trace, "--window", &windows, "CAMAT"));
        assert!(grows(&amat) && falls(&camat), "{trace}: AMAT {amat:?}, C-AMAT {camat:?}");
    }
}

/// Set 3, figure 6: C-AMAT and the concurrency of pure misses from one register to sixteen.
#[test]
fn miss_status_registers() {
    for trace in TRACES {
        let registers = ["1", "2", "4", "8", "16"];
        let camat = sweep(trace, "--mshrs", &registers, "CAMAT");
        assert!(falls(&camat), "{trace}: C-AMAT {camat:?}");
        assert!(grows(&sweep(trace, "--mshrs", &registers, "C_M")), "{trace}");
    }
}

/// Set 4, figure 5: bigger caches lower the miss ratio, and AMAT and C-AMAT with it.
#[test]
fn cache_size() {
    for trace in ["jacobi", "matmul", "spmv"] {
        let at = |size: &str| {
            let spec = format!("{size},2way,4cycles");
            let camat = camat(trace, &["--cache", &spec, "--cache", "512KiB,16way,24cycles"]);
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

/// Cycles are those of the four kinds, and C-AMAT is ω/α, on every sample.
#[test]
fn cycles_add_up() {
    for trace in ["axpy", "harts", "jacobi", "list", "matmul", "scan", "spmv", "sum", "vadd"] {
        for level in camat(trace, &[])["levels"].as_array().expect("levels") {
            let [h, m, x, omega, alpha, camat, apc] =
                ["h", "m", "x", "omega", "alpha", "CAMAT", "APC"].map(|key| level[key].as_f64().expect(key));
            assert_eq!(h + m + x, omega, "{trace}");
            assert!((camat - omega / alpha).abs() <= 1e-12 * camat && (camat * apc - 1.0).abs() < 1e-12, "{trace}");
        }
    }
}
