//! What the rows of a sweep say together: the best configuration of every program, how much worse others are over two
//! axes, what more area buys, and which programs feel memory's latency most.

use crate::axis::{Axis, EPOCHS, FOLLOWING, configuring, values};
use crate::columns::Column;
use crate::groups::{InputPart, area, inputs, time};
use crate::map::{Map, are_together, first_pair};
use crate::plan::Configurations;
use crate::row::{Row, RowKind};
use crate::sensitive::{FirstEpochs, Ranking};

/// Everything together.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepReport {
    pub settings: Vec<String>,
    /// Configurations of whole programs and runs, those of an input together, in the order of the plan.
    pub configurations: Vec<Row>,
    /// Where each input's configurations are, by position, and which of them is the fastest.
    pub inputs: Vec<InputPart>,
    /// How many configurations there are of each kind.
    pub counts: Configurations,
    /// Time over two axes, of traces and of sources, and epochs.
    pub maps: Vec<Map>,
    /// Positions of the configurations of every input that no other one at the same latency beats in both time and area, by
    /// latency and area.
    pub fronts: Vec<usize>,
    /// The traces, the most sensitive to latency first.
    pub ranking: Ranking,
    /// Shards that failed: the input and why.
    pub failed: Vec<(String, String)>,
}

impl SweepReport {
    /// Of rows in the order of the plan; those of nests are passed over. `asked` are axes of the map, by name.
    ///
    /// # Errors
    /// An axis of the map has no such name or only one value: says which there are.
    pub fn of(
        settings: &[String],
        rows: impl Iterator<Item = Row>,
        asked: Option<(&str, &str)>,
    ) -> Result<SweepReport, UnknownAxis> {
        let (mut configurations, mut failed) = (Vec::new(), Vec::new());
        let (mut epochs, mut windows) = (FirstEpochs::default(), Vec::new());
        for row in rows {
            if row.is(RowKind::Program) || row.is(RowKind::Trace) {
                configurations.push(row);
            } else if row.is(RowKind::Epochs) {
                epochs.add(row.clone());
                windows.push(row);
            } else if row.is(RowKind::Error) {
                let text = |column| row.text(column).unwrap_or_default().to_string();
                failed.push((text(Column::Input), text(Column::Error)));
            }
        }
        let inputs = inputs(&configurations);
        let kinds = [RowKind::Trace, RowKind::Program].map(|kind| {
            let of_kind = configurations.iter().filter(|row| row.is(kind)).cloned();
            (kind, of_kind.collect::<Vec<Row>>())
        });
        let counts = Configurations {
            runs: kinds[0].1.len(),
            models: kinds[1].1.len(),
            epochs: windows.len(),
        };
        let of_epochs = several(EPOCHS.to_vec(), &windows);
        let axes = kinds
            .each_ref()
            .map(|(_, rows)| several(configuring(settings.len(), rows), rows));
        let mut pairs: Vec<Option<(Axis, Axis)>> = (axes.iter().zip(&kinds))
            .map(|(axes, (_, rows))| first_pair(axes, rows))
            .collect();
        let mut of_windows = first_pair(&of_epochs, &windows);
        if let Some(asked) = asked {
            let all = axes.iter().zip(&kinds).map(|(axes, (_, rows))| {
                let mut all = axes.clone();
                let following = several(FOLLOWING.to_vec(), rows);
                all.extend(following.into_iter().filter(|axis| !axes.contains(axis)));
                all
            });
            let all: Vec<Vec<Axis>> = all.collect();
            let pair = |known: &[Axis], rows: &[Row]| {
                let named = |name: &str| known.iter().find(|axis| axis.name(settings) == name);
                let pair = named(asked.0).copied().zip(named(asked.1).copied());
                pair.filter(|pair| are_together(*pair, rows))
            };
            let of_time = all
                .iter()
                .zip(&kinds)
                .map(|(known, (_, rows))| pair(known, rows));
            let of_time: Vec<Option<(Axis, Axis)>> = of_time.collect();
            match pair(&of_epochs, &windows) {
                _ if of_time.iter().any(Option::is_some) => pairs = of_time,
                Some(pair) => of_windows = Some(pair),
                None => return Err(unknown(asked, [&all.concat(), &of_epochs], settings)),
            }
        }
        let maps = pairs
            .into_iter()
            .zip(&kinds)
            .filter_map(|(pair, (kind, _))| {
                Some(Map::of_time(pair?, *kind, &inputs, &configurations))
            });
        let of_windows = of_windows.map(|pair| Map::of_epochs(pair, &windows));
        Ok(SweepReport {
            settings: settings.to_vec(),
            maps: maps.chain(of_windows).collect(),
            fronts: fronts(&inputs, &configurations),
            ranking: epochs.ranking(&inputs, &configurations),
            inputs,
            counts,
            configurations,
            failed,
        })
    }
}

/// Those of the axes that have more than one value.
fn several(axes: Vec<Axis>, rows: &[Row]) -> Vec<Axis> {
    let is_several = |axis: &Axis| values(*axis, rows.iter()).len() > 1;
    axes.into_iter().filter(is_several).collect()
}

/// Axes of a map that there are not, or not together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownAxis {
    #[error("no axis with several values is called `{name}`; there are {}", if known.is_empty() { "none".to_string() } else { known.join(", ") })]
    Name { name: String, known: Vec<String> },
    #[error("there is no map over `{across}` and `{down}`: no row has both")]
    Apart { across: String, down: String },
}

fn unknown((across, down): (&str, &str), known: [&[Axis]; 2], settings: &[String]) -> UnknownAxis {
    let mut names: Vec<String> = Vec::new();
    for axis in known.concat() {
        let name = axis.name(settings);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let is_missing = |name: &&str| !names.iter().any(|known| known == name);
    match [across, down].into_iter().find(is_missing) {
        Some(name) => UnknownAxis::Name {
            name: name.to_string(),
            known: names,
        },
        None => UnknownAxis::Apart {
            across: across.to_string(),
            down: down.to_string(),
        },
    }
}

fn fronts(inputs: &[InputPart], configurations: &[Row]) -> Vec<usize> {
    let mut front = Vec::new();
    for group in inputs.iter().flat_map(|input| &input.groups) {
        let known = |number: &usize| {
            let row = &configurations[*number];
            time(row).is_some() && row.number(Column::AreaMm2).is_some()
        };
        let own = group.configurations.iter().copied();
        let mut numbers: Vec<usize> = own.filter(known).collect();
        let key = |number: usize| {
            let row = &configurations[number];
            (area(row), time(row).unwrap_or(f64::INFINITY))
        };
        numbers.sort_by(|one, other| {
            let ((a, t), (b, u)) = (key(*one), key(*other));
            a.total_cmp(&b).then(t.total_cmp(&u))
        });
        let mut least = f64::INFINITY;
        for number in numbers {
            let (_, time) = key(number);
            if time < least {
                least = time;
                front.push(number);
            }
        }
    }
    front
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::groups::Latency;

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
        let report = SweepReport::of(&["n".to_string()], rows.into_iter(), None);
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
}
