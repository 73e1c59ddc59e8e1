//! Control, Scenarios, Tornado, Sensitivity and Goal after edits, computed anew by LibreOffice: what they show is what a
//! model with the same inputs has, and an answer of Goal that becomes an input gives what was asked for.

use std::sync::OnceLock;

use calamine::Data;
use loopsheet_export::xlsx::{ROOM, workbook};
use loopsheet_model::Model;
use loopsheet_model::scenarios::{INPUTS, SCENARIOS};

use crate::support::programs::{WORKED, mixed, model};
use crate::workbook::{
    Cells, all_recalculated, cells, named_cell, recalculated, shared_string, with_numbers,
};

const MACHINE: &str = "xeon-8380";

/// But for rounding: sums are taken in another order.
fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

/// A row and a column, counted from zero, of the cell with this text.
fn find(cells: &Cells, sheet: &str, text: &str) -> (u32, u32) {
    let is_it = |(cell, value): &(&(String, u32, u32), &Data)| {
        cell.0 == sheet && matches!(value, Data::String(own) if own == text)
    };
    let found = cells.iter().find(is_it);
    let (cell, _) = found.unwrap_or_else(|| panic!("no `{text}` on {sheet}"));
    (cell.1, cell.2)
}

fn number(cells: &Cells, sheet: &str, (row, column): (u32, u32)) -> f64 {
    match cells.get(&(sheet.to_string(), row, column)) {
        Some(Data::Float(value)) => *value,
        other => panic!("{sheet} {row} {column}: {other:?}"),
    }
}

/// Seconds of all nests together.
fn total(model: &Model) -> f64 {
    model.value(model.ranking.total)
}

type Settings = Vec<(String, String)>;

fn with(settings: &[(String, String)]) -> Settings {
    let worked = WORKED.iter();
    let worked = worked.map(|(name, value)| ((*name).to_string(), (*value).to_string()));
    worked.chain(settings.iter().cloned()).collect()
}

/// The time of the program with these settings.
fn seconds(settings: &[(String, String)]) -> f64 {
    let program = mixed();
    let all = with(settings);
    let all: Vec<(&str, &str)> = (all.iter())
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    total(&model(&program, MACHINE, &all))
}

/// The edits as settings, with the figures of the machine times factors that it has known values of.
fn scaled(edits: &[(&str, f64)], factors: &[(&str, f64)]) -> Settings {
    let program = mixed();
    let written = model(&program, MACHINE, WORKED);
    let set = |name: &str, value: f64| (name.to_string(), value.to_string());
    let mut settings: Settings = edits
        .iter()
        .map(|(name, value)| set(name, *value))
        .collect();
    for (name, factor) in factors {
        let edited = edits.iter().find(|(own, _)| own == name);
        let value = edited
            .map(|(_, value)| *value)
            .or(written.machine.get(name));
        settings.extend(value.map(|value| set(name, value * factor)));
    }
    settings
}

type Numbers = Vec<((usize, String), f64)>;

/// A workbook whose inputs are edited.
fn written(edits: &[(&str, f64)], more: impl Fn(&[u8]) -> Numbers) -> Vec<u8> {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    let bytes = BYTES.get_or_init(|| {
        let program = mixed();
        workbook(&model(&program, MACHINE, WORKED).for_any_machine(ROOM)).unwrap()
    });
    let mut numbers: Vec<_> = (edits.iter())
        .map(|(name, value)| (named_cell(bytes, name), *value))
        .collect();
    numbers.extend(more(bytes));
    with_numbers(bytes, &numbers)
}

/// The same, recalculated.
fn edited(edits: &[(&str, f64)], more: impl Fn(&[u8]) -> Numbers) -> Cells {
    recalculated(&written(edits, more))
}

/// One machine figure, one size and a block are not as they were written.
const EDITS: [(&str, f64); 3] = [("dram_gbs", 51.2), ("m", 50.0), ("l2_bytes", 65536.0)];

#[test]
fn scenarios_side_by_side_are_models_with_their_inputs() {
    let found = edited(&EDITS, |_| Vec::new());
    let (row, _) = find(&found, "Scenarios", "Together: all nests");
    let mut changed = 0;
    for (number_of, scenario) in SCENARIOS.iter().enumerate() {
        if scenario.name == "blocked" {
            continue;
        }
        let shown = number(&found, "Scenarios", (row, 5 + number_of as u32));
        let expected = seconds(&scaled(&EDITS, scenario.factors));
        assert!(
            near(shown, expected),
            "{}: {shown}, not {expected}",
            scenario.name
        );
        changed += usize::from(!near(expected, seconds(&scaled(&EDITS, &[]))));
    }
    assert!(changed >= 2, "{changed} scenarios change anything");
}

#[test]
fn the_scenario_that_is_picked_is_in_force() {
    let picked = [
        ("half the caches", None),
        ("your own 2", Some(("block_x", 16.0))),
        ("your own 2", Some(("m", 40.0))),
        ("your own 2", Some(("dram_gbs", 20.0))),
        ("your own 2", Some(("warm", 1.0))),
    ];
    let books = picked.map(|(name, own)| {
        written(&EDITS, |bytes| {
            let (control, _) = named_cell(bytes, "cores");
            let (sheet, _) = named_cell(bytes, "scenario.A");
            let pick = ((control, "C6".to_string()), shared_string(bytes, name));
            let input = own.map(|(input, value)| {
                let row = find(&cells(bytes), "Scenarios", input).0 + 1;
                ((sheet, format!("M{row}")), value)
            });
            [pick].into_iter().chain(input).collect()
        })
    });
    for ((name, own), found) in picked.into_iter().zip(all_recalculated(&books)) {
        let factors = SCENARIOS.iter().find(|scenario| scenario.name == name);
        let mut settings = scaled(&EDITS, factors.expect("a scenario").factors);
        settings.extend(own.map(|(input, value)| (input.to_string(), value.to_string())));
        let expected = seconds(&settings);
        let (row, _) = find(&found, "Control", "Time [s]");
        let shown = number(&found, "Control", (row, 8));
        assert!(
            near(shown, expected),
            "{name} {own:?}: {shown}, not {expected}"
        );
        let (row, _) = find(&found, "Scenarios", "Together: all nests");
        let shown = number(&found, "Scenarios", (row, 4));
        assert!(
            near(shown, expected),
            "{name} {own:?}: {shown}, not {expected}"
        );
    }
}

#[test]
fn the_tornado_is_models_with_one_input_less_and_more() {
    const SHARE: f64 = 0.25;
    let found = edited(&EDITS, |bytes| {
        vec![(named_cell(bytes, "tornado.share"), SHARE)]
    });
    let (head, _) = find(&found, "Tornado", "The unsorted values of the table above");
    let program = mixed();
    let written = model(&program, MACHINE, WORKED);
    let mut effects = Vec::new();
    for (row, input) in (head + 2..).zip(&INPUTS[..INPUTS.len() - 1]) {
        if written.machine.get(input).is_none_or(|value| value == 0.0) {
            continue;
        }
        for (column, factor) in [(4, 1.0 - SHARE), (5, 1.0 + SHARE)] {
            let shown = number(&found, "Tornado", (row, column));
            // Whole numbers of cores and bytes are those of --set.
            if ["cores", "l1_bytes", "l2_bytes", "l3_bytes", "cache_bytes"].contains(input) {
                let value = written.machine.get(input).expect("known") * factor;
                if value.fract() != 0.0 {
                    continue;
                }
            }
            let expected = seconds(&scaled(&EDITS, &[(*input, factor)]));
            assert!(
                near(shown, expected),
                "{input} times {factor}: {shown}, not {expected}"
            );
        }
        effects.push(number(&found, "Tornado", (row, 8)));
    }
    assert!(effects.len() > 5 && effects.iter().any(|effect| *effect > 0.01));
    // Sorted: the largest effect is on top.
    let first = number(&found, "Tornado", (6, 8));
    let largest = effects.iter().copied().fold(f64::MIN, f64::max);
    let top = number(&found, "Tornado", (head + 1 + first as u32, 8));
    assert!(near(top, largest), "{top}, not {largest}");
}

/// The nests of Sensitivity are those that are the costliest with the inputs in force.
#[test]
fn sensitivity_follows_edits() {
    let edits = [("n1_", 3.0), ("m", 4000.0)];
    let found = edited(&edits, |_| Vec::new());
    let program = mixed();
    let settings: Vec<(String, String)> = scaled(&edits, &[]);
    let all = with(&settings);
    let all: Vec<(&str, &str)> = (all.iter())
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    let after = model(&program, MACHINE, &all);
    let order = after.costliest(10);
    let before = model(&program, MACHINE, WORKED).costliest(10);
    assert_ne!(order, before, "the edit changes the order");
    let (row, _) = find(&found, "Sensitivity", "Memory bandwidth [GB/s]");
    for (row, nest) in (row + 3..).zip(&order) {
        let name = &found[&("Sensitivity".to_string(), row, 0)];
        let nest = &after.nests[*nest];
        let marked = format!("{}{}", nest.nest.head().id, nest.mark());
        assert_eq!(*name, Data::String(marked), "row {row}");
    }
    // Of twice the bandwidth.
    let doubled = seconds(&scaled(&edits, &[("dram_gbs", 2.0)]));
    let shown = number(&found, "Sensitivity", (row + 3 + order.len() as u32, 5));
    assert!(near(shown, doubled), "{shown}, not {doubled}");
}

/// Of a loop that is blocked, the size of the block decides what fits, and no size of the problem.
const UNBLOCKED: [(&str, f64); 6] = [
    ("dram_gbs", 51.2),
    ("m", 50.0),
    ("l2_bytes", 65536.0),
    ("block_x", 0.0),
    ("block_y", 0.0),
    ("block_z", 0.0),
];

/// What Goal answers becomes an input, and the nest does what was asked for.
#[test]
fn answers_of_goal_are_inputs_that_do_it() {
    let found = edited(&UNBLOCKED, |bytes| {
        vec![(named_cell(bytes, "goal.speedup"), 1.5)]
    });
    let program = mixed();
    let model_with = |more: &[(String, String)]| {
        let settings: Settings = [scaled(&UNBLOCKED, &[]).as_slice(), more].concat();
        with(&settings)
    };
    let before = model_with(&[]);
    let before: Vec<(&str, &str)> = (before.iter())
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    let before = model(&program, MACHINE, &before);
    let order = before.costliest(10);
    let held = |model: &Model, nest: usize, level: usize| {
        let levels = &model.nests[nest].levels;
        let capacity = model.value(levels.caches[level].capacity);
        let reuses = levels.reuses.iter();
        reuses
            .filter(|reuse| model.value(reuse.distance) <= capacity)
            .count()
    };
    let (mut bandwidths, mut caches, mut sizes) = (0, 0, 0);
    let (head, _) = find(&found, "Goal", "Loop");
    for (row, nest) in (head + 1..).zip(&order) {
        let answer = |column: u32| found.get(&("Goal".to_string(), row, column)).cloned();
        let set = |name: &str, value: f64| {
            let settings = model_with(&[(name.to_string(), value.to_string())]);
            let settings: Vec<(String, String)> = settings;
            settings
        };
        let build = |settings: Settings| -> (f64, [usize; 3]) {
            let all: Vec<(&str, &str)> = (settings.iter())
                .map(|(name, value)| (name.as_str(), value.as_str()))
                .collect();
            let after = model(&program, MACHINE, &all);
            let seconds = after.ranking.seconds(*nest).expect("it is ranked");
            (
                after.value(seconds),
                [0, 1, 2].map(|level| held(&after, *nest, level)),
            )
        };
        let own = before.value(before.ranking.seconds(*nest).expect("it is ranked"));
        if let Some(Data::Float(bandwidth)) = answer(4) {
            let (seconds, _) = build(set("dram_gbs", bandwidth));
            assert!(near(seconds, own / 1.5), "{seconds}, not {own}/1.5");
            bandwidths += 1;
        }
        for level in 0..3 {
            let now = held(&before, *nest, level);
            let column = 5 + 3 * level as u32;
            if let Some(Data::Float(bytes)) = answer(column) {
                let name = format!("l{}_bytes", level + 1);
                let (_, then) = build(set(&name, bytes));
                assert!(then[level] > now, "{name} {bytes}: {then:?}, {now} before");
                let shared = before.machine.get(&format!("l{}_shared_by", level + 1));
                let (_, less) = build(set(&name, bytes - shared.unwrap_or(1.0)));
                assert!(less[level] < then[level], "{name} {bytes} is not the least");
                caches += 1;
            }
            if let (Some(Data::String(name)), Some(Data::Float(size))) =
                (answer(column + 1), answer(column + 2))
                && size < 1e12
            {
                // Ghost cells make it close rather than exact.
                let (_, then) = build(set(&name, (size * 0.97).floor().max(1.0)));
                let all = before.nests[*nest].levels.reuses.len();
                assert!(
                    then[level] > now || now == all,
                    "{name} {size}: {then:?}, {now} before"
                );
                sizes += 1;
            }
        }
    }
    assert!(
        bandwidths >= 1 && caches >= 2 && sizes >= 1,
        "{bandwidths} bandwidths, {caches} caches, {sizes} sizes"
    );
}
