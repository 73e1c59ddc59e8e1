//! The figures of the static model: every kind is one that some program has, explained by its name, and shown in columns
//! that say so.

use std::collections::BTreeSet;
use std::path::Path;

use crate::support::sources;
use loopsheet_analysis as analysis;
use loopsheet_base::formula::Catalogue;
use loopsheet_base::reason::ReasonCode;
use loopsheet_export::listings::{PlainTable, plain_tables};
use loopsheet_export::{explain, xlsx};
use loopsheet_machine::MachineModel;
use loopsheet_model::measured::{Amounts, Measurement, Measurements};
use loopsheet_model::{
    Detail, FarMemory, Instead, Model, RegisterFile, ReuseSubject, Room, Setting, StaticFigure,
    Subject,
};

/// Times of one nest, and of two together.
fn measured() -> Measurements {
    let measurement = |nests: Vec<usize>| Measurement {
        nests,
        amounts: Amounts {
            seconds: 2.0,
            bytes: None,
            flops: None,
        },
    };
    Measurements {
        joined: vec![measurement(vec![0]), measurement(vec![1, 2])],
        unjoined: Vec::new(),
        inlined: Vec::new(),
    }
}

fn machine_in_file(name: &str) -> Result<MachineModel, String> {
    let path = Path::new("tests/fixtures/clock").join(name);
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let machine = MachineModel::parse_with_base(&text, name, &machine_in_file);
    machine.map_err(|error| error.to_string())
}

/// Works on the model of each of these programs, with formulas for any machine.
fn with_models(work: &mut dyn FnMut(&Model)) {
    let directories = [
        "samples/kernels",
        "tests/fixtures/kernels",
        "tests/fixtures/stencils",
        "tests/fixtures/calls",
        "tests/fixtures/levels",
        "tests/fixtures/communication",
        "tests/fixtures/output",
        "tests/fixtures/sequences",
        "tests/fixtures/serial",
    ];
    let machine = MachineModel::preset("xeon-8380").expect("a preset");
    let between_nests = Setting::new("reuse_between_nests", "1");
    let sizes = [
        ("planes.n", "1000"),
        ("triad.n", "1000000000"),
        ("columns.n", "6000"),
        ("columns.m", "400000"),
    ];
    let sizes = sizes.map(|(name, value)| Setting::new(name, value));
    let directories =
        directories.map(|directory| (directory, &machine, vec![between_nests.clone()]));
    let advised = ("tests/fixtures/advice", &machine, sizes.to_vec());
    // Of presets it is not known what irregular lines take.
    let of_ways = machine_in_file("ways.toml").expect("a machine");
    let irregular = ("tests/fixtures/irregular", &of_ways, Vec::new());
    for (directory, machine, settings) in directories.into_iter().chain([advised, irregular]) {
        let program = analysis::analyze(&sources::units(&[directory]));
        let model = Model::with(&program, machine.clone(), &settings, Detail::Least);
        let model = model.expect("sound");
        let model = match directory {
            "samples/kernels" => model.with_measured(measured()),
            _ => model,
        };
        work(&model.for_any_machine(xlsx::ROOM));
    }
}

#[test]
fn every_kind_of_figure_is_of_some_program() {
    let mut found = BTreeSet::new();
    with_models(&mut |model| found.extend(model.figures.iter().map(|(_, f)| f.label.kind)));
    let program = analysis::analyze(&sources::units(&["samples/kernels"]));
    let machine = MachineModel::preset("xeon-8380").expect("a preset");
    let model = Model::with(&program, machine, &[], Detail::Least).expect("sound");
    let room = Room {
        nests: 1,
        ..xlsx::ROOM
    };
    let short = model.for_any_machine(room);
    found.extend(short.figures.iter().map(|(_, f)| f.label.kind));
    // Arrays are told apart where some may go to far memory; irregular lines are of the last fixture.
    for (directory, machine) in [
        ("samples/kernels", "xeon-8380"),
        ("tests/fixtures/far_arrays", "epyc-7763"),
    ] {
        let program = analysis::analyze(&sources::units(&[directory]));
        let machine = MachineModel::preset(machine).expect("a preset");
        let model = Model::with(&program, machine, &[], Detail::Formulas).expect("sound");
        let far = FarMemory {
            latency_ns: 300.0,
            gbs: 16.0,
            budget: 0.05,
        };
        let apart = model.with_far_memory(far).for_any_machine(xlsx::ROOM);
        found.extend(apart.figures.iter().map(|(_, f)| f.label.kind));
    }
    let missing: Vec<&StaticFigure> = StaticFigure::ALL
        .iter()
        .filter(|kind| !found.contains(kind))
        .collect();
    assert!(missing.is_empty(), "no program has {missing:?}");
}

/// The sheet with the name, if it is a table.
fn table<'t>(tables: &'t [PlainTable], sheet: &str) -> Option<&'t PlainTable> {
    let name = match sheet {
        "Sensitivity" => return None,
        "A and B" => "machines_a_and_b".to_string(),
        _ => sheet.to_lowercase().replace(' ', "_"),
    };
    tables.iter().find(|table| table.name == name)
}

/// What else may stand in a column of a kind: the sum below it, and what other nests add.
fn beside(kind: StaticFigure) -> StaticFigure {
    use StaticFigure as F;
    match kind {
        F::ReuseWithin => F::ReuseWithNests,
        F::ExecutedFlops => F::FollowedFlops,
        F::ExecutedTraffic => F::FollowedTraffic,
        F::ExecutedTime => F::FollowedTime,
        F::AllMessages => F::MessagesSent,
        F::AllMessageBytes => F::BytesSent,
        F::AllMessageTime => F::CommunicationTime,
        other => other,
    }
}

#[test]
fn columns_hold_the_figures_that_they_say() {
    let mut checked = BTreeSet::new();
    with_models(&mut |model| {
        let tables = plain_tables(model);
        for cell in xlsx::figure_cells(model) {
            let sheet = match cell.whole_column {
                Some(_) => "Loops",
                None => cell.sheet,
            };
            let Some(table) = table(&tables, sheet) else {
                continue;
            };
            let label = &model.figures.get(cell.figure).label;
            let column = &table.columns[cell.whole_column.unwrap_or(usize::from(cell.column))];
            let place = format!("{label}: {} / {}", table.name, column.header);
            let kind = column.kind.unwrap_or_else(|| panic!("{place}: of no kind"));
            let is_beside = label.kind == beside(kind);
            assert!(label.kind == kind || is_beside, "{place}: {kind:?}");
            assert_eq!(column.unit, label.unit().symbol(), "{place}");
            checked.insert(kind);
        }
    });
    assert!(checked.len() > 80, "only {} kinds in tables", checked.len());
}

#[test]
fn every_kind_is_explained_by_its_name() {
    for kind in StaticFigure::ALL {
        let entry = kind.entry();
        for name in [entry.name.to_string(), entry.name.replace('_', " ")] {
            let text = explain::without_input(&name).unwrap_or_else(|| panic!("{name}"));
            let source = entry.source.to_string();
            for part in [entry.name, entry.meaning, entry.unit.symbol(), &source] {
                assert!(text.contains(part), "{name}: no `{part}` in {text}");
            }
        }
        assert!(
            entry.name.parse::<ReasonCode>().is_err(),
            "{} is a reason, too",
            entry.name
        );
    }
    assert_eq!(explain::without_input("memory_traffik"), None);
}

#[test]
fn labels_say_what_figures_are_about() {
    use StaticFigure as F;
    let a = || "a".into();
    let reuse = ReuseSubject {
        carrier: Some("k".to_string()),
        between: Some("1 iteration of k".to_string()),
        ..ReuseSubject::default()
    };
    let largest = ReuseSubject {
        size: Some("n".to_string()),
        level: Some("L2".into()),
        ..reuse.clone()
    };
    for (kind, subject, label) in [
        (F::Flops, Subject::Whole, "flops"),
        (F::TripCount, Subject::Loop("i".into()), "trip count of i"),
        (F::BlockSize, Subject::Dimension(1), "block size in y"),
        (F::ElementSize, Subject::Array(a()), "element size of a"),
        (
            F::ArrayGroups,
            Subject::ArrayGroup(a(), 2),
            "array groups of a, plane",
        ),
        (
            F::DistinctElements,
            Subject::ArraySweep(a(), 1),
            "distinct elements of a, 1 loop swept",
        ),
        (
            F::NaiveWorkingSet,
            Subject::Group(1),
            "naive working set, pencil",
        ),
        (
            F::ScenarioTraffic,
            Subject::Scenario(3),
            "scenario traffic, reuse between planes",
        ),
        (F::Capacity, Subject::Level("L2".into()), "capacity, L2"),
        (
            F::ReuseFetched,
            Subject::Reuse(reuse.into()),
            "reuse fetched: k, 1 iteration of k",
        ),
        (
            F::LargestSize,
            Subject::Reuse(largest.into()),
            "largest size of n: k, 1 iteration of k, L2",
        ),
        (
            F::FusionSaving,
            Subject::Loops(("f@1".to_string(), "f@5".to_string()).into()),
            "traffic saved by fusion of f@1 and f@5",
        ),
        (
            F::LiveRegisters,
            Subject::Registers(RegisterFile::Floating),
            "live registers, floating-point",
        ),
        (
            F::SweptValue,
            Subject::Input("cores".into()),
            "swept value, cores",
        ),
        (F::Ceiling, Subject::Ceiling("Peak".into()), "ceiling, Peak"),
    ] {
        assert_eq!(kind.about(subject).to_string(), label);
    }
    // Figures with other inputs are told apart.
    let mut others = BTreeSet::new();
    with_models(&mut |model| {
        for (_, figure) in model.figures.iter() {
            let label = figure.label.to_string();
            if let Some(instead) = figure.label.instead.as_deref() {
                let named = match instead {
                    Instead::OtherMachine => ", machine B".to_string(),
                    Instead::Value(input, value) => format!(", {input} {value}"),
                    Instead::Advised(kind) => format!(", {}", kind.name()),
                    Instead::Scenario(number) => format!(", scenario {number}"),
                    Instead::Swing(input, _) => format!(" {input}"),
                };
                assert!(label.contains(&named), "{label}");
                others.insert(named);
            }
        }
    });
    assert!(others.contains(", machine B") && others.len() > 5);
}
