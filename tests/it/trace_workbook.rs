//! The workbook of a trace as a program that reads it sees it.

use std::collections::BTreeMap;
use std::io::Cursor;

use crate::support::trace_reports;
use calamine::{Data, Reader, Xlsx};
use loopsheet_base::formula::Catalogue;
use loopsheet_export::xlsx::{named_cells, profiles_workbook, trace_workbook};
use loopsheet_metrics::formulas::{EdagFigure, Figures};
use loopsheet_metrics::report::TraceReport;

type Place = (String, u32, u32);

fn opened(
    report: &TraceReport,
) -> (
    BTreeMap<Place, Data>,
    BTreeMap<Place, String>,
    BTreeMap<String, String>,
) {
    opened_bytes(trace_workbook(report).unwrap())
}

fn opened_bytes(
    bytes: Vec<u8>,
) -> (
    BTreeMap<Place, Data>,
    BTreeMap<Place, String>,
    BTreeMap<String, String>,
) {
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(bytes)).unwrap();
    let (mut values, mut formulas) = (BTreeMap::new(), BTreeMap::new());
    for sheet in book.sheet_names() {
        let range = book.worksheet_range(&sheet).unwrap();
        let start = range.start().unwrap();
        for (row, column, value) in range.used_cells() {
            values.insert(
                (sheet.clone(), start.0 + row as u32, start.1 + column as u32),
                value.clone(),
            );
        }
        let range = book.worksheet_formula(&sheet).unwrap();
        let start = range.start().unwrap_or_default();
        for (row, column, formula) in range
            .used_cells()
            .filter(|(.., formula)| !formula.is_empty())
        {
            formulas.insert(
                (sheet.clone(), start.0 + row as u32, start.1 + column as u32),
                formula.clone(),
            );
        }
    }
    let names = book
        .defined_names()
        .iter()
        .map(|(name, cell)| (name.to_string(), cell.to_string()))
        .collect();
    (values, formulas, names)
}

fn place(report: &TraceReport, name: &str) -> Place {
    let cell = named_cells(report)
        .unwrap()
        .into_iter()
        .find(|cell| cell.name == name)
        .unwrap();
    (cell.sheet.to_string(), cell.row, u32::from(cell.column))
}

#[test]
fn derived_figures_are_formulas_and_counts_are_numbers() {
    for report in [
        trace_reports::full(),
        trace_reports::bare(),
        trace_reports::large(),
    ] {
        let (values, cells, _) = opened(&report);
        let figures = Figures::of(&report.edag, &report.inputs);
        for figure in EdagFigure::ALL {
            let (key, is_formula) = (figure.entry().name, figure.expr().is_some());
            let place = place(&report, key);
            let expected = figures
                .get(*figure)
                .map_or(Data::String("unknown".into()), Data::Float);
            assert_eq!(values[&place], expected, "{key}");
            assert_eq!(
                cells.contains_key(&place),
                is_formula && figures.get(*figure).is_some(),
                "{key}"
            );
        }
    }
}

#[test]
fn the_formula_of_lambda_is_the_published_one() {
    let report = trace_reports::large();
    let (values, cells, _) = opened(&report);
    let place = place(&report, "lambda");
    assert_eq!(
        cells[&place],
        "(memory_work-memory_depth)/slots+memory_depth"
    );
    // HPCG as published, m = 4.
    assert_eq!(values[&place], Data::Float(26_593_091.0));
}

#[test]
fn names_are_valid_and_every_name_in_a_formula_is_defined() {
    let report = trace_reports::full();
    let (_, cells, names) = opened(&report);
    let looks_like_a_cell = |name: &str| {
        let letters = name.chars().take_while(char::is_ascii_alphabetic).count();
        (1..=3).contains(&letters)
            && name.len() > letters
            && name[letters..].chars().all(|c| c.is_ascii_digit())
    };
    // Print areas and the like are the format's own.
    for name in names.keys().filter(|name| !name.starts_with("_xlnm.")) {
        assert!(
            name.chars().all(|c| c.is_ascii_lowercase() || c == '_'),
            "{name}"
        );
        assert!(!looks_like_a_cell(name) && name.len() > 1, "{name}");
    }
    // Texts, and the sheets that cells are on.
    let bare = |formula: &str| {
        let without_texts: String = formula.split('"').step_by(2).collect();
        ["'Design space'!", "Epochs!"]
            .iter()
            .fold(without_texts, |formula, sheet| formula.replace(sheet, ""))
    };
    for (place, formula) in &cells {
        let formula = bare(formula);
        for word in formula
            .split(|c: char| !(c.is_ascii_lowercase() || c == '_'))
            .filter(|word| !word.is_empty())
        {
            assert!(names.contains_key(word), "{place:?}: {word} in {formula}");
        }
    }
    assert!(cells.len() > 150, "{}", cells.len());
}

/// By hand: the pieces 6 and β + 4 meet at 2; 1 % more than the 6 cycles at β = 0 is reached at 2.06.
#[test]
fn depth_over_the_time_of_a_byte_is_live() {
    let (values, cells, names) = opened(&trace_reports::full());
    assert_eq!(names["byte_time"], "'Byte time'!$C$6");
    assert_eq!(names["depth_at_byte_time"], "'Byte time'!$C$10");
    let at = |row: u32, column: u32| ("Byte time".to_string(), row, column);
    let number = |place: Place| match values[&place] {
        Data::Float(number) => number,
        ref other => panic!("{place:?} has {other}"),
    };
    assert_eq!(cells[&at(9, 2)], "MAX(E20:E21)");
    assert_eq!(number(at(9, 2)), 6.0);
    assert!((number(at(10, 2)) - 2.06).abs() < 1e-12);
    assert_eq!(number(at(20, 1)), 2.0);
    assert!(cells[&at(20, 4)].contains("byte_time"));
}

#[test]
fn reuse_gives_the_misses_of_every_capacity() {
    let report = trace_reports::full();
    let (values, cells, _) = opened(&report);
    let at = |row: u32, column: u32| match &values[&("Reuse".to_string(), row, column)] {
        Data::Float(value) => *value,
        other => panic!("{other:?}"),
    };
    // 5 first touches and 15 reuses; by hand: a cache of 1, 2, 4, 8 lines misses 13, 10, 6, 5 of 20.
    let first = (0..60)
        .find(|row| {
            values.get(&("Reuse".to_string(), *row, 7)) == Some(&Data::String("64 B".into()))
        })
        .unwrap();
    for (index, misses) in [13.0, 10.0, 6.0, 5.0].into_iter().enumerate() {
        let row = first + index as u32;
        assert_eq!((at(row, 9), at(row, 10)), (misses, misses / 20.0));
        assert!(cells.contains_key(&("Reuse".to_string(), row, 10)));
    }
    // The last level has 8 KiB, more than is ever reused.
    assert_eq!(values[&place(&report, "reuse_misses")], Data::Float(5.0));
    assert_eq!(
        values[&place(&report, "reuse_miss_ratio")],
        Data::Float(0.25)
    );
}

#[test]
fn text_of_the_trace_is_never_a_formula() {
    let (values, cells, _) = opened(&trace_reports::full());
    let found: Vec<&Place> = values
        .iter()
        .filter(|(_, v)| **v == Data::String("=sum".into()))
        .map(|(p, _)| p)
        .collect();
    assert_eq!(found.len(), 1);
    assert!(!cells.contains_key(found[0]));
}

#[test]
fn the_same_report_gives_the_same_bytes() {
    let bytes = trace_workbook(&trace_reports::full()).unwrap();
    assert_eq!(bytes, trace_workbook(&trace_reports::full()).unwrap());
}

/// EPKI is live over the counts, and the design space over the constants: by hand, 320 cores with a window
/// of 1 take 659.5 mm² and fit beside 1 MiB, 320 with a window of 32 do not fit.
#[test]
fn epochs_and_design_space_are_live() {
    let report = trace_reports::full();
    let (values, cells, names) = opened(&report);
    let rates: Vec<&String> = cells
        .iter()
        .filter(|((sheet, ..), _)| sheet == "Epochs")
        .map(|(_, f)| f)
        .collect();
    // Two tables of two capacities, three windows and the lines fetched; and two rows of the run's own caches.
    assert_eq!(rates.len(), 2 * 2 * (3 + 1) + 2 * 3);
    assert!(rates.iter().all(|formula| formula.starts_with("1000*") && formula.ends_with("/epoch_instructions")));
    for constant in loopsheet_metrics::design_space::constants(report.epochs.as_ref().unwrap().line)
    {
        assert!(
            names[constant.name.key].starts_with("'Design space'!"),
            "{}",
            names[constant.name.key]
        );
        assert_eq!(
            values[&place(&report, constant.name.key)],
            Data::Float(constant.value)
        );
    }
    let texts = |value: &Data| {
        if let Data::String(text) = value {
            Some(text.clone())
        } else {
            None
        }
    };
    // How far a CPI may be off stands above, and beside the table of CPIs.
    let says = |text: &str| {
        let holds = |(place, value): (&Place, &Data)| {
            place.0 == "Design space" && texts(value).is_some_and(|own| own.contains(text))
        };
        values.iter().filter(|one| holds((one.0, one.1))).count()
    };
    assert_eq!(says("x/1.8 to x/0.24"), 2);
    let map: Vec<String> = (values.iter())
        .filter(|(place, _)| {
            place.0 == "Design space" && cells.get(*place).is_some_and(|f| f.contains("\" b\""))
        })
        .filter_map(|(_, value)| texts(value))
        .collect();
    assert_eq!(map.len(), 2 * 16);
    // 1 MiB is above 1 KiB. A window of 1 allows 1/(6.325 + 2/14·45) = 0.078 of a core, so that 320 cores are bound by
    // 32·14/(3·64) = 2.333.
    assert_eq!(map[15], "1 b");
    // One core, a window of 256: 1/(0.3953 + 1/14·45) = 0.277.
    assert_eq!(map[0], "256 c");
}

/// The mean of two traces is live over the counts of both, and its design space is that of a trace with as many epochs.
#[test]
fn the_mean_of_several_traces_has_a_design_space() {
    let (profiles, mean) = trace_reports::mean_of_two();
    let (values, cells, names) = opened_bytes(profiles_workbook(&profiles).unwrap());
    let floats: Vec<f64> = (cells.iter())
        .filter(|((sheet, ..), formula)| sheet == "Epochs" && formula.ends_with("/2"))
        .map(|(place, _)| match &values[place] {
            Data::Float(value) => *value,
            other => panic!("{other:?}"),
        })
        .collect();
    // The largest capacity is on top: lines, then epochs.
    assert_eq!(floats, [21.0, 15.0, 10.0, 8.0, 46.0, 39.0, 27.0, 17.0]);
    let rates = (cells.iter())
        .filter(|((sheet, ..), formula)| sheet == "Epochs" && formula.starts_with("1000*"));
    assert_eq!(rates.count(), 2 * 2 * (3 + 1));
    assert!(names["epoch_instructions"].starts_with("Epochs!"));
    let expected = profiles.mean_epki();
    for (row, rates) in expected.iter().rev().enumerate() {
        assert_eq!(floats[4 * row + 1..][..3], rates[..]);
    }
    let report = TraceReport {
        epochs: Some(mean),
        ..trace_reports::full()
    };
    let (of_one, ..) = opened(&report);
    let design = |values: &BTreeMap<Place, Data>| -> BTreeMap<Place, Data> {
        let own = values
            .iter()
            .filter(|((sheet, row, _), _)| sheet == "Design space" && *row != 1);
        own.map(|(place, value)| (place.clone(), value.clone()))
            .collect()
    };
    assert!(design(&of_one).len() > 100);
    assert_eq!(design(&values), design(&of_one));
}
