use super::*;
use crate::best::best_lines;
use crate::described::Description;
use crate::groups::{Latency, TimeUnit};
use crate::latency::{LatencyOf, RunLatency};
use crate::manifest::{CacheRun, TraceWork, Work};
use crate::sensitive::WhyUnranked;
use crate::swept::{SettingOf, SettingRole};

fn setting(name: &str, of: SettingOf) -> SweptSetting {
    SweptSetting {
        name: name.to_string(),
        role: SettingRole {
            of,
            bytes: of == SettingOf::Machine,
        },
        also_of: Vec::new(),
    }
}

fn problem(name: &str) -> SweptSetting {
    setting(name, SettingOf::Problem)
}

/// Three sizes on two machines with two sizes of L2: x is the faster one of size 1, y of all others; more L2 is better.
fn of_sources() -> (Vec<SweptSetting>, Vec<Row>) {
    let settings = vec![setting("l2_bytes", SettingOf::Machine), problem("n")];
    let mut rows = Vec::new();
    for input in ["a.c", "b.c"] {
        for (machine, factor) in [("x", 3.0), ("y", 2.0)] {
            for bytes in [262_144.0, 524_288.0] {
                for n in [1.0, 10.0, 100.0] {
                    let start = if machine == "y" { 10.0 } else { 0.0 };
                    let time = (start + factor * n) * 262_144.0 / bytes;
                    let row = Row::new(input, RowKind::Program)
                        .with_text(Column::Machine, machine)
                        .with(Column::TimeSeconds, time);
                    rows.push(row.with_settings(&[bytes, n]));
                }
            }
        }
    }
    (settings, rows)
}

/// The smallest problem is not the best configuration of a program.
#[test]
fn every_problem_has_a_best_configuration() {
    let (settings, rows) = of_sources();
    let report = SweepReport::of(&settings, rows.into_iter(), Vec::new(), None).expect("a report");
    assert_eq!(report.inputs.len(), 2);
    for input in &report.inputs {
        let best = input.groups.iter().map(|group| {
            let row = &report.configurations[group.best.expect("a time")];
            let machine = row.text(Column::Machine).expect("a machine");
            (group.problem[0].1, machine, row.setting(0))
        });
        let most = Some(524_288.0);
        let expected = [(1.0, "x", most), (10.0, "x", most), (100.0, "y", most)];
        assert_eq!(best.collect::<Vec<_>>(), expected);
    }
    // Two lines of each input, in words.
    let words = Description::of(RowKind::Program, &report.configurations, &report.settings);
    let lines = best_lines(&report);
    let lines: Vec<String> = (lines.iter())
        .map(|line| {
            let choice = words.choice(line.rows(&report)[0]);
            format!("{}: {}: {choice}", line.input, line.given(&report, &words))
        })
        .collect();
    let of_a = [
        "a.c: n = 1; n = 10: x, l2_bytes = 512 KiB",
        "a.c: n = 100: y, l2_bytes = 512 KiB",
    ];
    assert_eq!(lines[..2], of_a);
    assert_eq!(lines.len(), 4);
}

/// The choice with the most values is across, every other axis is down one map: each that varies is on one.
#[test]
fn every_axis_is_on_a_map() {
    let (settings, rows) = of_sources();
    let of = |asked| SweepReport::of(&settings, rows.iter().cloned(), Vec::new(), asked);
    let report = of(None).expect("a report");
    let machine = Axis::Column(Column::Machine);
    let axes: Vec<(Axis, Axis)> = report
        .maps
        .iter()
        .map(|map| (map.across, map.down))
        .collect();
    assert_eq!(
        axes,
        [(machine, Axis::Setting(1)), (machine, Axis::Setting(0))]
    );
    // x is the best of the first two sizes; y takes 12/3, then 30/30 times as long; of 100 x takes 300/210.
    let [by_size, by_cache] = &report.maps[..] else {
        panic!("two maps");
    };
    let rounded = |map: &Map| -> Vec<Vec<f64>> {
        let round = |value: &Option<f64>| (value.expect("known") * 1e6).round() / 1e6;
        map.values
            .iter()
            .map(|row| row.iter().map(round).collect())
            .collect()
    };
    assert_eq!(rounded(by_size), [[1.0, 4.0], [1.0, 1.0], [1.428571, 1.0]]);
    assert_eq!((by_size.inputs, by_size.problems), (2, 2));
    // Over six problems: the cube roots of 300/210 and of 4, and twice as much with half of the cache.
    assert_eq!((by_cache.inputs, by_cache.problems), (2, 6));
    let (x, y) = ((300.0_f64 / 210.0).cbrt(), 4.0_f64.cbrt());
    let expected =
        [[2.0 * x, 2.0 * y], [x, y]].map(|row| row.map(|value| (value * 1e6).round() / 1e6));
    assert_eq!(rounded(by_cache), expected);
    let meaning = by_cache.meaning(&settings);
    for part in ["for the same n:", "over 6 problems of 2 inputs"] {
        assert!(meaning.contains(part), "{part}: {meaning}");
    }
    let labels = by_cache.down.labels(&by_cache.rows, &settings);
    assert_eq!(labels, ["256 KiB", "512 KiB"]);
}

#[test]
fn a_map_without_a_choice_is_refused() {
    let row = |n: f64, m: f64| {
        let row = Row::new("a.c", RowKind::Program).with(Column::TimeSeconds, n * m);
        row.with_settings(&[n, m])
    };
    let settings = [problem("n"), problem("m")];
    let rows = [row(1.0, 1.0), row(2.0, 1.0), row(1.0, 2.0), row(2.0, 2.0)];
    let of =
        |rows: &[Row], asked| SweepReport::of(&settings, rows.iter().cloned(), Vec::new(), asked);
    assert!(of(&rows, None).expect("a report").maps.is_empty());
    let error = of(&rows, Some(("set_n", "set_m"))).expect_err("nothing is chosen");
    assert!(
        error.to_string().contains("would compare nothing"),
        "{error}"
    );
    let error = of(&rows[..1], Some(("nope", "set_m"))).expect_err("one configuration");
    assert!(
        error
            .to_string()
            .contains("no column has more than one value"),
        "{error}"
    );
}

fn run(input: &str, caches: &str, latency: f64, (time, area): (f64, f64)) -> Row {
    Row::new(input, RowKind::Trace)
        .with_text(Column::Caches, caches)
        .with_latency(RunLatency::number(latency))
        .with(Column::TimeSeconds, time)
        .with(Column::AreaMm2, area)
        .with(Column::RelativeLambda, 1.0 / time)
}

fn failure(input: &str, caches: &str, latency: f64) -> Failure {
    let run = CacheRun {
        machine: None,
        ghz: Some(1.0),
        caches: vec![caches.to_string()],
        area_mm2: None,
        latencies: vec![RunLatency::number(latency)],
    };
    Failure {
        input: input.to_string(),
        error: "why".to_string(),
        work: Work::Trace(TraceWork {
            runs: vec![run],
            slots: vec![4.0],
            epochs: None,
        }),
    }
}

fn report() -> SweepReport {
    let rows = [
        run("a", "small", 50.0, (8.0, 1.0)),
        run("a", "small", 100.0, (16.0, 1.0)),
        run("a", "large", 50.0, (4.0, 2.0)),
        run("a", "large", 100.0, (4.0, 2.0)),
        run("b", "small", 50.0, (1.0, 1.0)),
        run("b", "small", 100.0, (2.0, 1.0)),
        run("b", "large", 50.0, (1.0, 2.0)),
        run("b", "large", 100.0, (8.0, 2.0)),
        Row::new("c", RowKind::Error).with_text(Column::Error, "why"),
    ];
    let failed = vec![failure("c", "tiny", 50.0)];
    SweepReport::of(&[], rows.into_iter(), failed, None).expect("a report")
}

#[test]
fn the_best_is_the_fastest_and_of_those_the_smallest() {
    let report = report();
    let groups = report.inputs.iter().flat_map(|input| &input.groups);
    let best: Vec<(Option<Latency>, Option<usize>)> =
        groups.map(|group| (group.latency, group.best)).collect();
    let (short, long) = (Some(Latency::Cycles(50.0)), Some(Latency::Cycles(100.0)));
    assert_eq!(
        best,
        [
            (short, Some(2)),
            (long, Some(3)),
            (short, Some(4)),
            (long, Some(5))
        ]
    );
    assert_eq!(report.failed, [failure("c", "tiny", 50.0)]);
    let lost = ("c".to_string(), WhyUnranked::NotComputed);
    assert_eq!(report.ranking.left_out, [lost]);
}

/// Each latency has a best configuration of its own. That of x is also a number: its run is compared with those of y at that
/// number, and at the latency of each machine.
#[test]
fn machines_with_latencies_of_their_own_are_compared() {
    let run = |machine: &str, (cycles, of): (f64, LatencyOf), time: f64| {
        let row = run("a", "small", cycles, (time, 1.0)).with_text(Column::Machine, machine);
        row.with_latency(RunLatency { cycles, of })
    };
    let rows = [
        run("x", (50.0, LatencyOf::Both), 4.0),
        run("y", (50.0, LatencyOf::Number), 3.0),
        run("y", (170.0, LatencyOf::Machine), 8.0),
    ];
    let report = SweepReport::of(&[], rows.into_iter(), Vec::new(), None).expect("a report");
    let groups = report.inputs[0].groups.iter();
    let groups: Vec<(Option<Latency>, Vec<usize>, Option<usize>)> = groups
        .map(|group| (group.latency, group.configurations.clone(), group.best))
        .collect();
    let expected = [
        (Some(Latency::Cycles(50.0)), vec![0, 1], Some(1)),
        (Some(Latency::OfMachine), vec![0, 2], Some(0)),
    ];
    assert_eq!(groups, expected);
    // Machines at latencies of their own are in one row of the map.
    let [map] = &report.maps[..] else {
        panic!("one map");
    };
    let labels = map.down.labels(&map.rows, &[]);
    assert_eq!(labels, ["50", "machine"]);
    let rounded: Vec<Vec<f64>> = (map.values.iter())
        .map(|row| {
            let values = row.iter();
            values
                .map(|value| (value.expect("known") * 1e6).round() / 1e6)
                .collect()
        })
        .collect();
    assert_eq!(rounded, [[1.333333, 1.0], [1.0, 2.0]]);
    let words = Description::of(RowKind::Trace, &report.configurations, &[]);
    assert_eq!(
        words.all(&report.configurations[2]),
        "y, α = 170 of the machine"
    );
}

/// What is missing is counted where it would be compared, and the ranking takes what all have.
#[test]
fn what_failed_is_missing_where_it_would_be_compared() {
    let row = |input: &str, caches: &str, (bytes, relative): (u64, f64)| {
        let row = run(input, caches, 50.0, (1.0, 1.0)).with(Column::RelativeLambda, relative);
        row.with_count(Column::LastCacheBytes, bytes)
    };
    let rows = [
        row("a", "small", (1, 0.9)),
        row("a", "large", (2, 0.1)),
        row("b", "large", (2, 0.5)),
        run("b", "large", 60.0, (2.0, 1.0)),
    ];
    let failed = vec![failure("b", "small", 50.0), failure("b", "small", 60.0)];
    let report = SweepReport::of(&[], rows.into_iter(), failed, None).expect("a report");
    let doubts = report.inputs.iter().map(|input| input.groups[0].doubt());
    let expected = "1 of 2 configurations were not computed".to_string();
    assert_eq!(doubts.collect::<Vec<_>>(), [None, Some(expected)]);
    // a has the larger Λ with small caches, which b lacks.
    let ranked = report.ranking.traces.iter();
    let ranked: Vec<usize> = ranked.map(|trace| trace.configuration).collect();
    assert_eq!(ranked, [2, 1]);
    for remark in [report.front_remark(), report.map_remark(&report.maps[0])] {
        assert!(remark.contains("* Not all configurations of b"), "{remark}");
    }
}

/// Without a clock cycles are compared, where they are of one machine.
#[test]
fn times_without_a_clock_are_in_cycles() {
    let row = |machine: &str, cycles: f64| {
        Row::new("a", RowKind::Trace)
            .with_text(Column::Machine, machine)
            .with_latency(RunLatency::number(50.0))
            .with(Column::TimeUpperCycles, cycles)
    };
    let of = |rows: Vec<Row>| {
        let report = SweepReport::of(&[], rows.into_iter(), Vec::new(), None);
        let group = &report.expect("a report").inputs[0].groups[0];
        (group.unit, group.best)
    };
    let one = of(vec![row("x", 9.0), row("x", 8.0)]);
    assert_eq!(one, (TimeUnit::Cycles, Some(1)));
    let none = of(vec![row("", 9.0), row("", 8.0)]);
    assert_eq!(none, (TimeUnit::Cycles, Some(1)));
    // Cycles of different machines are not one unit.
    assert_eq!(of(vec![row("x", 9.0), row("y", 8.0)]).1, None);
    let timed = row("y", 8.0).with(Column::TimeSeconds, 1.0);
    let mixed = of(vec![row("x", 1.0), timed]);
    assert_eq!(mixed, (TimeUnit::Seconds, Some(1)));
}

/// The fastest is not always worth what it takes.
#[test]
fn the_smallest_that_is_hardly_slower_is_known() {
    let rows = [
        run("a", "small", 50.0, (1.009, 1.0)),
        run("a", "large", 50.0, (1.0, 2.0)),
        run("b", "small", 50.0, (1.02, 1.0)),
        run("b", "large", 50.0, (1.0, 2.0)),
    ];
    let report = SweepReport::of(&[], rows.into_iter(), Vec::new(), None).expect("a report");
    let near = report.inputs.iter();
    let near = near.map(|input| input.groups[0].smallest_near);
    assert_eq!(near.collect::<Vec<_>>(), [Some(0), None]);
}

/// At 50 cycles means of 2 and 1, 1 and 1; at 100 cycles of 4 and 1, 1 and 4.
#[test]
fn a_map_has_geometric_means_of_slowdowns() {
    let [map] = &report().maps[..] else {
        panic!("one map");
    };
    assert_eq!((map.columns.len(), map.inputs), (2, 2));
    let rounded: Vec<Vec<f64>> = map
        .values
        .iter()
        .map(|row| {
            row.iter()
                .map(|value| (value.expect("known").powi(2) * 1e6).round() / 1e6)
                .collect()
        })
        .collect();
    // Caches across, latencies down; squares.
    assert_eq!(rounded, [[2.0, 1.0], [4.0, 4.0]]);
}

/// No configuration has both a size and caches.
#[test]
fn a_map_is_over_axes_that_go_together() {
    let source = |size| {
        let row = Row::new("s", RowKind::Program).with(Column::TimeSeconds, size);
        row.with_settings(&[size])
    };
    let rows = [
        source(1.0),
        source(2.0),
        run("a", "small", 50.0, (1.0, 1.0)),
        run("a", "small", 100.0, (1.0, 1.0)),
        run("a", "large", 50.0, (1.0, 2.0)),
    ];
    let report = SweepReport::of(&[problem("n")], rows.into_iter(), Vec::new(), None);
    let report = report.expect("a report");
    let [map] = &report.maps[..] else {
        panic!("one map");
    };
    assert_eq!(map.across, Axis::Column(Column::Caches));
    assert_eq!(map.down, Axis::Column(Column::LatencyCycles));
    assert_eq!((map.inputs, map.values[1][1]), (1, None));
}

/// Two programs with 10 and 20 epochs at the first place; the third axis stays at its first value.
#[test]
fn epochs_have_a_map_of_means() {
    let epochs = |input: &str, (window, bytes, slots): (u64, u64, Option<u64>), found: f64| {
        Row::new(input, RowKind::Epochs)
            .with_count(Column::Window, window)
            .with_count(Column::LastCacheBytes, bytes)
            .with_count(Column::EpochSlots, slots)
            .with(Column::EpochsPerThousand, found)
    };
    let rows = [
        epochs("a", (16, 1024, None), 10.0),
        epochs("a", (64, 1024, None), 4.0),
        epochs("a", (16, 2048, None), 6.0),
        epochs("a", (64, 2048, None), 3.0),
        epochs("a", (16, 1024, Some(4)), 90.0),
        epochs("a", (16, 1024, Some(8)), 80.0),
        epochs("b", (16, 1024, None), 20.0),
        epochs("b", (64, 1024, None), 8.0),
        epochs("b", (16, 2048, None), 6.0),
    ];
    let of = |asked| {
        let report = SweepReport::of(&[], rows.iter().cloned(), Vec::new(), asked);
        report.map(|report| report.maps)
    };
    let maps = of(None).expect("a report");
    assert_eq!(maps.len(), 1);
    assert_eq!(
        maps[0].values,
        [[None, None], [None, None]],
        "m is 4, the first that there is, which b has not"
    );
    let without = rows
        .iter()
        .filter(|row| row.number(Column::EpochSlots).is_none());
    let report = SweepReport::of(&[], without.cloned(), Vec::new(), None).expect("a report");
    assert_eq!(
        report.maps[0].values,
        [[Some(15.0), Some(6.0)], [Some(6.0), None]],
        "b has no last place"
    );
    let maps = of(Some(("epoch_slots", "last_cache_bytes"))).expect("a report");
    assert_eq!(maps[0].values, [[None, None]], "only of a");
    let error = of(Some(("epoch_slots", "slots"))).expect_err("no such axis");
    let expected = "`slots`; there are window_instructions, last_cache_bytes, epoch_slots";
    assert!(error.to_string().contains(expected), "{error}");
}

#[test]
fn fronts_leave_out_what_others_beat_in_both() {
    let fronts = report().fronts;
    let front: Vec<usize> = fronts.iter().map(|front| front.configuration).collect();
    assert_eq!(front, [0, 2, 1, 3, 4, 5]);
    let ranked = report().ranking.traces;
    let order: Vec<usize> = ranked.iter().map(|trace| trace.configuration).collect();
    assert_eq!(order, [4, 0]);
}

#[test]
fn an_unknown_axis_names_those_there_are() {
    let rows = [
        run("a", "x", 1.0, (1.0, 1.0)),
        run("a", "y", 1.0, (1.0, 1.0)),
    ];
    let error = SweepReport::of(&[], rows.into_iter(), Vec::new(), Some(("caches", "slots")));
    let error = error.expect_err("slots has one value").to_string();
    assert!(error.contains("`slots`; there are caches"), "{error}");
}
