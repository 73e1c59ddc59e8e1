use super::*;
use crate::best::best_lines;
use crate::described::Description;
use crate::groups::Latency;
use crate::swept::{SettingOf, SettingRole};

fn setting(name: &str, of: SettingOf) -> SweptSetting {
    SweptSetting {
        name: name.to_string(),
        role: SettingRole {
            of,
            bytes: of == SettingOf::Machine,
        },
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
    let report = SweepReport::of(&settings, rows.into_iter(), None).expect("a report");
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
    let of = |asked| SweepReport::of(&settings, rows.iter().cloned(), asked);
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
    for part in ["for the same n a program", "over 6 problems of 2 inputs"] {
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
    let of = |rows: &[Row], asked| SweepReport::of(&settings, rows.iter().cloned(), asked);
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
        .with(Column::LatencyCycles, latency)
        .with(Column::TimeSeconds, time)
        .with(Column::AreaMm2, area)
        .with(Column::RelativeLambda, 1.0 / time)
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
    SweepReport::of(&[], rows.into_iter(), None).expect("a report")
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
    assert_eq!(report.failed, [("c".to_string(), "why".to_string())]);
}

/// Each latency has a best configuration of its own.
#[test]
fn machines_with_latencies_of_their_own_are_compared() {
    let run = |machine: &str, latency: f64, time: f64| {
        run("a", "small", latency, (time, 1.0)).with_text(Column::Machine, machine)
    };
    let rows = [
        run("x", 50.0, 4.0),
        run("x", 130.0, 9.0),
        run("y", 50.0, 3.0),
        run("y", 170.0, 8.0),
    ];
    let report = SweepReport::of(&[], rows.into_iter(), None).expect("a report");
    let groups = report.inputs[0].groups.iter();
    let groups: Vec<(Option<Latency>, Option<usize>)> =
        groups.map(|group| (group.latency, group.best)).collect();
    let expected = [
        (Some(Latency::Cycles(50.0)), Some(2)),
        (Some(Latency::OfMachine), Some(3)),
    ];
    assert_eq!(groups, expected);
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
    let report = SweepReport::of(&[problem("n")], rows.into_iter(), None);
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
        let report = SweepReport::of(&[], rows.iter().cloned(), asked);
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
    let report = SweepReport::of(&[], without.cloned(), None).expect("a report");
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
    assert_eq!(report().fronts, [0, 2, 1, 3, 4, 5]);
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
    let error = SweepReport::of(&[], rows.into_iter(), Some(("caches", "slots")));
    let error = error.expect_err("slots has one value").to_string();
    assert!(error.contains("`slots`; there are caches"), "{error}");
}
