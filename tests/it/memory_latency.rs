//! Memory latency in the estimate: no more than the outstanding lines come in one latency.

use crate::support::programs::{WORKED, model, program, seven_point};
use loopsheet_model::{Model, Sweep};

/// A seven-point stencil (guide: static-model, "Worked example: the seven-point star"): 61,079,552 bytes on a machine
/// of 1,024 cores and 1,024 GB/s.
const BYTES: f64 = 61_079_552.0;

fn seconds(pairs: &[(&str, &str)]) -> f64 {
    let program = program(vec![seven_point()]);
    let model = model(&program, "exasat", &[WORKED, pairs].concat());
    let dram = model.nests[0].time.levels.last().expect("memory");
    assert_eq!(
        (dram.name.as_str(), model.value(dram.bytes)),
        ("DRAM", BYTES)
    );
    model.value(dram.seconds)
}

#[test]
fn lines_under_way_and_latency_limit_the_bandwidth_of_memory() {
    let free = BYTES / 1.024e12;
    assert_eq!(seconds(&[]), free);
    // One of the two says nothing.
    assert_eq!(seconds(&[("dram_latency_ns", "1000")]), free);
    assert_eq!(seconds(&[("dram_lines_in_flight", "10")]), free);
    // 10 lines x 1,024 cores x 64 bytes in 1,000 ns are 655.36 GB/s: 61,079,552 / 65,536 = 932.
    assert_eq!(
        seconds(&[("dram_latency_ns", "1000"), ("dram_lines_in_flight", "10")]),
        9.32e-5
    );
    // In 100 ns they would be 6,553.6 GB/s, which the memory does not deliver.
    assert_eq!(
        seconds(&[("dram_latency_ns", "100"), ("dram_lines_in_flight", "10")]),
        free
    );
}

fn latency<'m>(model: &'m Model) -> &'m Sweep {
    model
        .sensitivity
        .iter()
        .find(|sweep| sweep.symbol.name() == "dram_latency_ns")
        .expect("a sweep of the latency")
}

#[test]
fn times_are_swept_over_the_latency() {
    let program = program(vec![seven_point()]);
    let shown = |pairs: &[(&str, &str)]| {
        let model = model(&program, "exasat", &[WORKED, pairs].concat());
        let sweep = latency(&model);
        let values = |ids: &[_]| ids.iter().map(|id| model.value(*id)).collect::<Vec<f64>>();
        (
            values(&sweep.values),
            values(&sweep.nests[0].1),
            sweep.needs.clone(),
        )
    };
    let free = BYTES / 1.024e12;
    // Without a latency, latencies are given; without outstanding lines none matters.
    let (values, times, needs) = shown(&[]);
    assert_eq!(values, [50.0, 75.0, 100.0, 150.0, 200.0, 300.0, 400.0]);
    assert_eq!(
        (times, needs),
        (vec![free; 7], vec!["dram_lines_in_flight"])
    );
    // One line a core: 65,536 bytes in each latency, 1,310.72 GB/s in 50 ns.
    let (_, times, _) = shown(&[("dram_lines_in_flight", "1")]);
    assert_eq!((times[0], times[2], times[4]), (free, 9.32e-5, 1.864e-4));
    // A latency that is known is multiplied.
    let (values, times, needs) =
        shown(&[("dram_lines_in_flight", "1"), ("dram_latency_ns", "100")]);
    assert_eq!(values, [25.0, 50.0, 75.0, 100.0, 150.0, 200.0, 400.0]);
    assert_eq!((times[3], times[5]), (9.32e-5, 1.864e-4));
    assert_eq!(needs, ["dram_latency_ns", "dram_lines_in_flight"]);
}

/// The machine of the C-AMAT report: 16 lines of 64 bytes in 60 ns.
#[test]
fn a_preset_that_tells_both_is_limited() {
    let program = program(vec![seven_point()]);
    let model = model(&program, "camat", WORKED);
    let bandwidth = model.value(model.memory_bandwidth);
    assert!((bandwidth - 16.0 * 64.0 / 60e-9).abs() < 1.0, "{bandwidth}");
}
