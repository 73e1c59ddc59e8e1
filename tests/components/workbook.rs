//! The workbook in other programs: LibreOffice recalculates it to the figures of the model, pandas
//! and openpyxl read the cached ones.

use std::collections::BTreeMap;
use std::io::{Cursor, Read, Write};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, OnceLock};

use crate::support::programs::{self, WORKED, figures_with_inputs_of, mixed, model};
use crate::support::sources;
use crate::support::trace_reports;
use calamine::{Data, Reader, Xlsx};
use loopsheet_analysis::analyze;
use loopsheet_base::formula::Catalogue;
use loopsheet_export::xlsx::{
    ROOM, figure_cells, named_cells, profiles_workbook, timeline_workbook, trace_workbook, workbook,
};
use loopsheet_lower as lower;
use loopsheet_machine::MachineModel;
use loopsheet_metrics::formulas::{EdagFigure, Figures};
use loopsheet_metrics::report::{Inputs, TraceReport};
use loopsheet_model::{FarMemory, Model};
use loopsheet_source::SourceText;
use tempfile::TempDir;

/// Values by sheet, row and column, counted from zero.
pub(crate) type Cells = BTreeMap<(String, u32, u32), Data>;

pub(crate) fn cells(bytes: &[u8]) -> Cells {
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(bytes)).unwrap();
    let mut cells = Cells::new();
    for (sheet, range) in book.worksheets() {
        let (row, column) = range.start().unwrap_or_default();
        cells.extend(range.used_cells().map(|(r, c, value)| {
            (
                (sheet.clone(), row + r as u32, column + c as u32),
                value.clone(),
            )
        }));
    }
    cells
}

/// The cell that a defined name stands for: number of the sheet counted from one, reference.
pub(crate) fn named_cell(bytes: &[u8], name: &str) -> (usize, String) {
    let book: Xlsx<_> = Xlsx::new(Cursor::new(bytes)).unwrap();
    let (_, cell) = book
        .defined_names()
        .iter()
        .find(|(known, _)| known.as_str() == name)
        .unwrap();
    let (sheet, reference) = cell.split_once('!').unwrap();
    let number = book
        .sheet_names()
        .iter()
        .position(|known| known == sheet.trim_matches('\''))
        .unwrap()
        + 1;
    (number, reference.replace('$', ""))
}

/// The workbook with other numbers in some cells, as an editor of the file would put them there.
pub(crate) fn with_numbers(bytes: &[u8], numbers: &[((usize, String), f64)]) -> Vec<u8> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut edited = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let mut done = 0;
    for index in 0..archive.len() {
        let mut part = archive.by_index(index).unwrap();
        let name = part.name().unwrap().into_owned();
        let mut text = String::new();
        part.read_to_string(&mut text).unwrap();
        for ((sheet, cell), number) in numbers {
            if name == format!("xl/worksheets/sheet{sheet}.xml") {
                let start = text.find(&format!("<c r=\"{cell}\"")).unwrap();
                let head = start + text[start..].find('>').unwrap();
                if text[..head].ends_with('/') {
                    text.replace_range(head - 1..=head, "><v></v></c>");
                }
                let value = start + text[start..].find("<v>").unwrap() + 3;
                let end = value + text[value..].find("</v>").unwrap();
                text.replace_range(value..end, &number.to_string());
                done += 1;
            }
        }
        edited
            .start_file(name, zip::write::SimpleFileOptions::default())
            .unwrap();
        edited.write_all(text.as_bytes()).unwrap();
    }
    assert_eq!(done, numbers.len());
    edited.finish().unwrap().into_inner()
}

/// The workbook with a text in a cell that is empty.
pub(crate) fn with_text(bytes: &[u8], (sheet, cell): &(usize, String), content: &str) -> Vec<u8> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut edited = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for index in 0..archive.len() {
        let mut part = archive.by_index(index).unwrap();
        let name = part.name().unwrap().into_owned();
        let mut text = String::new();
        part.read_to_string(&mut text).unwrap();
        if name == format!("xl/worksheets/sheet{sheet}.xml") {
            let start = text.find(&format!("<c r=\"{cell}\"")).unwrap();
            let end = start + text[start..].find("/>").unwrap();
            let filled = format!(" t=\"inlineStr\"><is><t>{content}</t></is></c>");
            text.replace_range(end..end + 2, &filled);
        }
        edited
            .start_file(name, zip::write::SimpleFileOptions::default())
            .unwrap();
        edited.write_all(text.as_bytes()).unwrap();
    }
    edited.finish().unwrap().into_inner()
}

/// The number that stands for a text in the file.
pub(crate) fn shared_string(bytes: &[u8], wanted: &str) -> f64 {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut text = String::new();
    archive
        .by_name("xl/sharedStrings.xml")
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    let position = text
        .split("<si>")
        .skip(1)
        .position(|item| item.contains(&format!("<t>{wanted}</t>")));
    position.unwrap() as f64
}

/// A profile of LibreOffice that computes every formula anew when it opens a workbook, as its first start leaves it: most of
/// the time of a start without one goes there. Each start has a copy.
fn profile() -> &'static Path {
    const ALWAYS: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><item oor:path="/org.openoffice.Office.Calc/Formula/Load"><prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item></oor:items>"#;
    static PROFILE: OnceLock<TempDir> = OnceLock::new();
    let made = PROFILE.get_or_init(|| {
        let directory = tempfile::tempdir().unwrap();
        let user = directory.path().join("user");
        std::fs::create_dir(&user).unwrap();
        std::fs::write(user.join("registrymodifications.xcu"), ALWAYS).unwrap();
        let work = tempfile::tempdir().unwrap();
        std::fs::write(work.path().join("one.csv"), "1\n").unwrap();
        convert(directory.path(), work.path(), &["one.csv".into()]);
        directory
    });
    made.path()
}

/// Lets LibreOffice, started once, write each of the files of a directory anew, as workbooks below `out`.
fn convert(profile: &Path, directory: &Path, files: &[String]) {
    let run = Command::new("soffice")
        .arg(format!(
            "-env:UserInstallation=file://{}",
            profile.display()
        ))
        .args(["--headless", "--convert-to", "xlsx", "--outdir", "out"])
        .args(files)
        .current_dir(directory)
        .output()
        .expect("LibreOffice is installed: apt-get install libreoffice-calc-nogui");
    for file in files {
        let result = directory.join("out").join(file).with_extension("xlsx");
        assert!(result.exists(), "{}", String::from_utf8_lossy(&run.stderr));
    }
}

/// What LibreOffice makes of the workbooks when it computes every formula anew.
pub(crate) fn all_recalculated(books: &[Vec<u8>]) -> Vec<Cells> {
    let directory = tempfile::tempdir().unwrap();
    let own = directory.path().join("profile");
    let copied = Command::new("cp")
        .arg("-r")
        .args([profile(), &own])
        .status();
    assert!(copied.unwrap().success());
    let files: Vec<String> = (0..books.len())
        .map(|at| format!("book{at}.xlsx"))
        .collect();
    for (file, bytes) in files.iter().zip(books) {
        std::fs::write(directory.path().join(file), bytes).unwrap();
    }
    convert(&own, directory.path(), &files);
    let out = directory.path().join("out");
    let result = |file: &String| cells(&std::fs::read(out.join(file)).unwrap());
    files.iter().map(result).collect()
}

/// The same of one.
pub(crate) fn recalculated(bytes: &[u8]) -> Cells {
    all_recalculated(&[bytes.to_vec()]).remove(0)
}

pub(crate) fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * a.abs().max(b.abs())
}

const PARAMETERS: &str = "Parameters";

/// Sheets with rows that were chosen when the workbook was written, or with what was so then: tests of their own compare
/// what they show with models that have the same inputs.
const CHOSEN: [&str; 6] = [
    "Control",
    "Scenarios",
    "Tornado",
    "Goal",
    "Sensitivity",
    "Alternatives",
];

/// The names of parameters by their rows.
fn parameters(cells: &Cells) -> BTreeMap<u32, &str> {
    let names = cells
        .iter()
        .filter(|((sheet, _, column), _)| sheet == PARAMETERS && *column == 0);
    names
        .filter_map(|((_, row, _), name)| match name {
            Data::String(name) => Some((*row, name.as_str())),
            _ => None,
        })
        .collect()
}

/// The columns of advice on Loops.
fn advised(cells: &Cells) -> Vec<u32> {
    let is_advice = |value: &Data| {
        ["What to change", "Time saved (% of program)"].contains(&value.to_string().as_str())
    };
    (cells.iter())
        .filter(|((sheet, row, _), value)| sheet == "Loops" && *row == 3 && is_advice(value))
        .map(|((.., column), _)| *column)
        .collect()
}

/// Asserts that every number and text of `expected` is in `found`; returns how many numbers.
fn compare(found: &Cells, expected: &Cells) -> usize {
    let mut numbers = 0;
    let (rows, expected_rows) = (parameters(found), parameters(expected));
    let advised = advised(expected);
    for (cell, value) in expected {
        // What is set is no longer what follows from others, and stands with what the program is given.
        let moved = expected_rows.get(&cell.1).and_then(|name| {
            let row = rows.iter().find(|(_, other)| *other == name)?.0;
            (cell.0 == PARAMETERS).then(|| (cell.0.clone(), *row, cell.2))
        });
        let cell = moved.as_ref().unwrap_or(cell);
        let other = found.get(cell).unwrap_or(&Data::Empty);
        match (value, other) {
            // Guessed sizes and advice were chosen when the workbook was written; they stand above the chart.
            _ if cell.0 == "Summary" && (6..30).contains(&cell.1) && [6, 7].contains(&cell.2) => {}
            // Inputs, and what follows from them, are compared with what was written: only the verdict must be right.
            _ if cell.0 == "Checks" => {
                let is_off = |cell: &Data| cell.to_string().starts_with("off");
                assert!(!is_off(value) && !is_off(other), "{cell:?}: {other}");
            }
            // What is advised was chosen when the workbook was written.
            _ if cell.0 == "Loops" && cell.1 > 4 && advised.contains(&cell.2) => {}
            (Data::Float(a), Data::Float(b)) => {
                assert!(near(*a, *b), "{cell:?}: {b}, not {a}");
                numbers += 1;
            }
            // Where a printed page ends depends on how wide the values were when the workbook was written.
            (Data::String(text), _) if text.ends_with(" (continued)") => {}
            // A sentence that says that it is not live.
            (Data::String(text), _) if text.starts_with("When this was written, ") => {}
            // What is said of a value that was set differs.
            (Data::String(_), Data::String(_))
                if ["Machine", "Parameters", "Presets"].contains(&cell.0.as_str()) => {}
            _ => assert_eq!(other, value, "{cell:?}"),
        }
    }
    numbers
}

#[test]
fn editing_inputs_gives_the_figures_of_the_model() {
    let program = mixed();
    let machines = [
        (
            "exasat",
            &[
                ("cache_bytes", "1024"),
                ("dram_gbs", "51.2"),
                ("block_x", "32"),
                ("hi_1", "100"),
            ][..],
        ),
        (
            "camat",
            &[
                ("dram_latency_ns", "150"),
                ("dram_lines_in_flight", "3"),
                ("cores", "2"),
            ],
        ),
        (
            "xeon-8380",
            &[
                ("cache_bytes", "65536"),
                ("dram_gbs", "51.2"),
                ("block_x", "30"),
                ("m", "50"),
                ("n1_", "9"),
            ],
        ),
        (
            "xeon-8380",
            &[
                ("nta_hints", "1"),
                ("cost_div", "20"),
                ("overlap", "0.5"),
                ("prob_31", "0.125"),
                ("scenarios", "1"),
            ],
        ),
        ("epyc-7763", &[("cost_w", "1"), ("l3_bytes", "2097152")]),
        ("exasat", &[("scenarios", "0"), ("cost_w", "1")]),
        (
            "grace",
            &[
                ("streaming_writes", "1"),
                ("l1_bytes", "4096"),
                ("block_y", "0"),
                ("trip_30", "1e7"),
            ],
        ),
    ];
    let edited = |(machine, edits): &(&str, &[(&str, &str)])| {
        let before = model(&program, machine, WORKED);
        let bytes = workbook(&before).unwrap();
        // One wrong cached value shows that formulas are computed and not just read.
        let total = figure_cells(&before)
            .into_iter()
            .find(|c| c.figure == before.totals.seconds)
            .unwrap();
        assert_eq!((total.sheet, total.column), ("Summary", 1));
        let mut numbers = vec![((1, format!("B{}", total.row + 1)), 12_345.0)];
        for (name, value) in *edits {
            numbers.push((named_cell(&bytes, name), value.parse().unwrap()));
        }
        let edited = with_numbers(&bytes, &numbers);
        let poisoned = ("Summary".to_string(), total.row, 1);
        assert_eq!(cells(&edited)[&poisoned], Data::Float(12_345.0));
        (before, cells(&bytes), edited, poisoned)
    };
    let all: Vec<_> = machines.iter().map(edited).collect();
    let books: Vec<Vec<u8>> = all.iter().map(|(.., edited, _)| edited.clone()).collect();
    for (((machine, edits), (before, written, _, poisoned)), found) in
        machines.iter().zip(all).zip(all_recalculated(&books))
    {
        let settings: Vec<(&str, &str)> = WORKED.iter().chain(*edits).copied().collect();
        let after = model(&program, machine, &settings);
        // The rows of Sensitivity and Advice were chosen when the workbook was written.
        let same_rows = |(sheet, ..): &(String, u32, u32)| {
            !["Advice", "Steps"].contains(&sheet.as_str()) && !CHOSEN.contains(&sheet.as_str())
        };
        let expected = cells(&workbook(&after).unwrap())
            .into_iter()
            .filter(|(cell, _)| same_rows(cell))
            .collect();
        let checked = compare(&found, &expected);
        assert!(checked > 500, "{checked} numbers");
        assert!(compare_figures(&found, &before, &after) > 500);
        assert_ne!(found[&poisoned], Data::Float(12_345.0));
        let changed = written
            .iter()
            .filter(|(cell, value)| found.get(cell) != Some(value))
            .count();
        assert!(changed > 20, "{changed} cells changed");
    }
}

/// Sheet Placement of an analysis follows sizes, the machine, and far memory; what goes there is an input.
#[test]
fn arrays_in_far_memory_follow_all_inputs() {
    let program = analyze(&sources::units(&["tests/fixtures/far_arrays"]));
    let memory = |latency_ns| FarMemory {
        latency_ns,
        gbs: 16.0,
        budget: 0.05,
    };
    let of = |latency, settings: &[(&str, &str)]| {
        let model = model(&program, "xeon-8380", settings);
        model.with_far_memory(memory(latency)).for_any_machine(ROOM)
    };
    let before = workbook(&of(250.0, &[])).unwrap();
    let numbers = [
        ("far_latency_ns", 900.0),
        ("dram_gbs", 50.0),
        ("cores", 8.0),
    ];
    let edits: Vec<_> = numbers
        .iter()
        .map(|(name, value)| (named_cell(&before, name), *value))
        .collect();
    let found = recalculated(&with_numbers(&before, &edits));
    let after = of(900.0, &[("dram_gbs", "50"), ("cores", "8")]);
    let expected = cells(&workbook(&after).unwrap());
    let nests = expected
        .iter()
        .find(|(cell, value)| cell.0 == "Placement" && **value == Data::String("Nest".into()));
    let nests = nests.expect("rows of nests").0.1;
    let mut checked = 0;
    for (cell, value) in &expected {
        // What goes there, and what follows from it, is as written.
        let follows = cell.1 < nests && cell.1 != 8 && cell.2 < 6;
        let is_share =
            cell.2 == 5 && expected.contains_key(&("Placement".into(), cell.1, 7)) && cell.1 < 20;
        if cell.0 == "Placement"
            && follows
            && !is_share
            && let Data::Float(value) = value
        {
            let Some(Data::Float(shown)) = found.get(cell) else {
                panic!("{cell:?}: {:?}, not {value}", found.get(cell));
            };
            assert!(near(*shown, *value), "{cell:?}: {shown}, not {value}");
            checked += 1;
        }
    }
    assert!(checked > 40, "{checked}");
}

/// Numbers that were typed into cells of sheets.
type Typed = Vec<((usize, String), f64)>;

/// The workbook in which a scenario names a figure of the machine and has a value for it, and the edits that pick it.
fn with_scenario(bytes: &[u8], name: &str, value: f64) -> (Vec<u8>, Typed) {
    let (sheet, _) = named_cell(bytes, "scenario.A");
    let (control, _) = named_cell(bytes, "cores");
    let is_free = |(cell, value): &(&(String, u32, u32), &Data)| {
        cell.0 == "Scenarios" && **value == Data::String("Any other figure of the machine".into())
    };
    let row = cells(bytes).iter().find(is_free).unwrap().0.1 + 1;
    let edits = vec![
        ((sheet, format!("L{row}")), value),
        (
            (control, "C6".to_string()),
            shared_string(bytes, "your own 1"),
        ),
    ];
    (with_text(bytes, &(sheet, format!("B{row}")), name), edits)
}

/// Asserts that every figure's cell holds what its expression is with the inputs of another model.
fn compare_figures(found: &Cells, model: &Model, other: &Model) -> usize {
    let values = figures_with_inputs_of(model, other);
    let cells = figure_cells(model);
    for cell in &cells {
        let shown = found.get(&(cell.sheet.to_string(), cell.row, u32::from(cell.column)));
        let value = values[&cell.figure];
        match shown {
            Some(Data::Float(shown)) => {
                let label = &model.figures.get(cell.figure).label;
                assert!(
                    near(*shown, value),
                    "{label:?} in {cell:?}: {shown}, not {value}"
                );
            }
            _ => assert!(!value.is_finite(), "{cell:?}: {shown:?}, not {value}"),
        }
    }
    cells.len()
}

/// Any machine that is picked in the sheet, with or without values set by hand, has the figures of a model of it: all
/// cells of all sheets but those that say what the workbook was written for.
#[test]
fn a_machine_that_is_picked_is_in_force_everywhere() {
    let program = mixed();
    let pairs = [
        ("exasat", "xeon-8380", &[][..]),
        (
            "exasat",
            "grace",
            &[("dram_gbs", "77.5"), ("cost_div", "39")],
        ),
        ("xeon-8380", "exasat", &[("cache_bytes", "4096")]),
        (
            "grace",
            "a64fx",
            &[("line_bytes", "64"), ("l2_gbs", "12.5")],
        ),
        (
            "exasat",
            "sg2042",
            &[("dram_latency_ns", "150"), ("dram_lines_in_flight", "3")],
        ),
        ("epyc-7763", "camat", &[]),
    ];
    let edited = |(written, picked, overrides): &(&str, &str, &[(&str, &str)])| {
        let before = model(&program, written, WORKED).for_any_machine(ROOM);
        let mut bytes = workbook(&before).unwrap();
        let counterpart = MachineModel::preset(picked).unwrap().counterpart();
        let (control, _) = named_cell(&bytes, "cache_bytes");
        let mut numbers = vec![
            ((control, "C4".to_string()), shared_string(&bytes, picked)),
            (
                (control, "C5".to_string()),
                shared_string(&bytes, &counterpart.name),
            ),
        ];
        for (name, value) in *overrides {
            let value: f64 = value.parse().unwrap();
            let cell = named_cell(&bytes, name);
            // What is to be as it was written stands in a scenario, or it gave way to the machine that is picked.
            match before.machine.get(name) == Some(value) {
                true => {
                    let (with_it, edits) = with_scenario(&bytes, name, value);
                    bytes = with_it;
                    numbers.extend(edits);
                }
                false => numbers.push((cell, value)),
            }
        }
        (before, with_numbers(&bytes, &numbers))
    };
    let (models, books): (Vec<Model>, Vec<Vec<u8>>) = pairs.iter().map(edited).unzip();
    for (((written, picked, overrides), before), found) in
        pairs.iter().zip(models).zip(all_recalculated(&books))
    {
        let settings: Vec<(&str, &str)> = WORKED.iter().chain(*overrides).copied().collect();
        let other = model(&program, picked, &settings).for_any_machine(ROOM);
        let after = cells(&workbook(&other).unwrap());
        const IN_FORCE: u32 = 3;
        let follows = |(sheet, _, column): &(String, u32, u32)| match sheet.as_str() {
            "Machine" => *column == IN_FORCE,
            // These are checked figure by figure below.
            "Presets" | "Advice" | "Roofline" | "Steps" => false,
            name => !CHOSEN.contains(&name),
        };
        let expected: Cells = after
            .into_iter()
            .filter(|(cell, _)| follows(cell))
            .collect();
        let checked = compare(&found, &expected);
        assert!(checked > 1000, "{written} to {picked}: {checked} numbers");
        assert!(compare_figures(&found, &before, &other) > checked);
    }
}

/// A sum waits for itself, a division for the divider: what a core takes for them is not known of every machine. Written
/// for one that does not say, a workbook has the times of one that does as soon as that is picked.
#[test]
fn in_core_times_follow_the_machine_that_is_picked() {
    let path: Arc<str> = "sums.c".into();
    let text = "double dot(int n, double *x, double *y) {
           double s = 0;
           for (int i = 0; i < n; i++) s += x[i] * y[i];
           return s;
         }
         void ratio(int n, double a, double *w, double *x) {
           for (int i = 0; i < n; i++) w[i] = a / x[i];
         }";
    let text = SourceText::verbatim(&path, text.to_string());
    let program = analyze(&[lower::c::lower(&path, &text)]);
    let settings = [("n", "1000")];
    let pairs = [("a64fx", "epyc-7763"), ("epyc-7763", "a64fx")];
    let edited = |(written, picked): &(&str, &str)| {
        let before = model(&program, written, &settings).for_any_machine(ROOM);
        let bytes = workbook(&before).unwrap();
        let (control, _) = named_cell(&bytes, "cache_bytes");
        let machine = ((control, "C4".to_string()), shared_string(&bytes, picked));
        let counterpart = MachineModel::preset(picked).unwrap().counterpart();
        let counterpart = shared_string(&bytes, &counterpart.name);
        let other = ((control, "C5".to_string()), counterpart);
        (before, with_numbers(&bytes, &[machine, other]))
    };
    let (models, books): (Vec<Model>, Vec<Vec<u8>>) = pairs.iter().map(edited).unzip();
    for (((_, picked), before), found) in pairs.iter().zip(models).zip(all_recalculated(&books)) {
        let after = model(&program, picked, &settings).for_any_machine(ROOM);
        assert!(compare_figures(&found, &before, &after) > 100);
    }
}

/// A trace's workbook after its inputs were edited, and the cell that then holds what no formula comes to.
fn trace_edited(
    report: &TraceReport,
    inputs: Inputs,
    others: &[(&str, f64)],
) -> (Vec<u8>, (String, u32, u32)) {
    let bytes = trace_workbook(report).unwrap();
    let poisoned = named_cells(report)
        .unwrap()
        .into_iter()
        .find(|cell| cell.name == "parallelism")
        .unwrap();
    let place = (
        poisoned.sheet.to_string(),
        poisoned.row,
        u32::from(poisoned.column),
    );
    let mut numbers = vec![((1, format!("C{}", poisoned.row + 1)), 12_345.0)];
    let Inputs {
        slots,
        latency,
        base_latency,
        ghz,
        processors,
    } = inputs;
    let edits = [
        ("slots", slots),
        ("latency", latency),
        ("base_latency", base_latency),
        ("ghz", ghz),
        ("processors", processors),
    ];
    numbers.extend(
        edits
            .iter()
            .chain(others)
            .map(|(name, value)| (named_cell(&bytes, name), *value)),
    );
    let edited = with_numbers(&bytes, &numbers);
    assert_eq!(cells(&edited)[&place], Data::Float(12_345.0));
    (edited, place)
}

/// Names of cells of a workbook with what they are changed to.
type Edits<'e> = &'e [(&'e str, f64)];

/// The cells of traces' workbooks after inputs were edited and everything was computed anew.
fn traces_recalculated(edits: &[(&TraceReport, Inputs, Edits)]) -> Vec<Cells> {
    let edited = edits.iter().copied();
    let edited = edited.map(|(report, inputs, others)| trace_edited(report, inputs, others));
    let (books, places): (Vec<_>, Vec<_>) = edited.unzip();
    let found = all_recalculated(&books);
    for (found, place) in found.iter().zip(&places) {
        assert_ne!(found[place], Data::Float(12_345.0));
    }
    found
}

fn trace_recalculated(report: &TraceReport, inputs: Inputs, others: &[(&str, f64)]) -> Cells {
    traces_recalculated(&[(report, inputs, others)]).remove(0)
}

#[test]
fn editing_inputs_of_a_trace_gives_its_figures() {
    let inputs = Inputs {
        slots: 7.0,
        latency: 133.0,
        base_latency: 81.0,
        ghz: 3.5,
        processors: 12.0,
    };
    let reports = [trace_reports::full(), trace_reports::large()];
    let found = traces_recalculated(&reports.each_ref().map(|report| (report, inputs, &[][..])));
    for (report, found) in reports.into_iter().zip(found) {
        let after = TraceReport { inputs, ..report };
        let figures = Figures::of(&after.edag, &inputs);
        for figure in EdagFigure::derived() {
            let name = figure.entry().name;
            let cell = named_cells(&after)
                .unwrap()
                .into_iter()
                .find(|cell| cell.name == name)
                .unwrap();
            let shown = &found[&(cell.sheet.to_string(), cell.row, u32::from(cell.column))];
            let value = figures.get(figure).unwrap();
            assert!(
                matches!(shown, Data::Float(shown) if near(*shown, value)),
                "{name}: {shown}, not {value}"
            );
        }
        // Every other cell too: the sweep, regions, movement, reuse.
        assert!(compare(&found, &cells(&trace_workbook(&after).unwrap())) > 200);
    }
}

/// By hand: with `=b` at 300 cycles the run takes 10,400 cycles and at 1,000 it takes 12,000, so at 650 it takes 11,200 in place
/// of 9,900. With half of the pages there 11,800, so a slowdown of 5 % allows for 0.05·9,900/1,900 of a half.
#[test]
fn losses_in_far_memory_follow_its_latency() {
    let report = trace_reports::full();
    let found = trace_recalculated(&report, report.inputs, &[("far_latency_b", 650.0)]);
    let on_sheet = |row: u32, column: u32| &found[&("Placement".to_string(), row, column)];
    let row_of = |text: &str| {
        let text = Data::String(text.into());
        let mut rows = found
            .iter()
            .filter(|(cell, value)| cell.0 == "Placement" && **value == text);
        rows.next().expect("a row").0.1
    };
    let is = |value: &Data, expected: f64| {
        let is_near = matches!(value, Data::Float(value) if near(*value, expected));
        assert!(is_near, "{value}, not {expected}");
    };
    // Of the second far memory, behind the eight columns of the first.
    is(on_sheet(row_of("=b"), 7 + 8), 11_200.0 / 9_900.0 - 1.0);
    is(
        on_sheet(row_of("Largest share within the slowdown allowed"), 5),
        0.5 * 0.05 * 9_900.0 / 1_900.0,
    );
}

#[test]
fn the_cache_of_the_sheet_reuse_has_any_size() {
    let report = trace_reports::full();
    let place = |name: &str| {
        let cell = named_cells(&report)
            .unwrap()
            .into_iter()
            .find(|cell| cell.name == name)
            .unwrap();
        (cell.sheet.to_string(), cell.row, u32::from(cell.column))
    };
    // By hand from distances 0 ×7, 1 ×3, 2 ×1, 3 ×3, 6 ×1 and five first touches.
    let sizes = [
        (0.0, 20.0),
        (64.0, 13.0),
        (191.0, 10.0),
        (192.0, 9.0),
        (256.0, 6.0),
        (1e6, 5.0),
    ];
    let edits = sizes.map(|(bytes, _)| [("reuse_cache_bytes", bytes)]);
    let edits = edits
        .each_ref()
        .map(|edit| (&report, report.inputs, &edit[..]));
    for ((bytes, misses), found) in sizes.into_iter().zip(traces_recalculated(&edits)) {
        assert_eq!(
            found[&place("reuse_misses")],
            Data::Float(misses),
            "{bytes}"
        );
        assert_eq!(
            found[&place("reuse_miss_ratio")],
            Data::Float(misses / 20.0),
            "{bytes}"
        );
    }
}

/// A smaller chip with less bandwidth: every pair of cores and capacity as computed here, from the relations alone.
#[test]
fn the_design_space_follows_its_constants() {
    const AREA: f64 = 300.0;
    const BANDWIDTH: f64 = 8.0;
    let report = trace_reports::full();
    let epochs = report.epochs.clone().unwrap();
    let found = trace_recalculated(
        &report,
        report.inputs,
        &[("processor_area", AREA), ("chip_gbs", BANDWIDTH)],
    );
    let row_of = |title: &str| {
        let is_title = |(place, value): &(&(String, u32, u32), &Data)| {
            place.0 == "Design space"
                && matches!(value, Data::String(text) if text.starts_with(title))
        };
        found
            .iter()
            .find(is_title)
            .map(|(place, _)| place.1)
            .unwrap()
    };
    let [map, ipc] = ["Best window", "Instructions per cycle of"].map(|title| row_of(title) + 2);
    let instructions = epochs.instructions as f64;
    for (row, capacity) in (0..epochs.capacities.len()).rev().enumerate() {
        let llc = epochs.capacities[capacity] as f64 / 1024.0 * 3.2305e-3;
        let bound = BANDWIDTH * instructions / (epochs.off_chip[capacity] as f64 * 64.0);
        for (column, cores) in loopsheet_metrics::design_space::CORES
            .into_iter()
            .map(f64::from)
            .enumerate()
        {
            let mut best = (0.0, 0);
            for (window, count) in epochs.windows.iter().zip(&epochs.epochs[capacity]) {
                let w = f64::from(*window);
                let cpi = 0.5 * (160.0 / w).sqrt() + *count as f64 / instructions * 45.0;
                let reached = (cores / cpi).min(bound);
                if cores * 2.0609 * w.powf(0.3851) + llc <= AREA && reached > best.0 * (1.0 + 1e-12)
                {
                    best = (reached, *window);
                }
            }
            let at = |first: u32| {
                &found[&(
                    "Design space".to_string(),
                    first + row as u32,
                    column as u32 + 2,
                )]
            };
            let kind = if best.0 >= bound { "b" } else { "c" };
            let text = if best.1 == 0 {
                "–".to_string()
            } else {
                format!("{} {kind}", best.1)
            };
            assert_eq!(at(map), &Data::String(text), "{capacity}, {cores} cores");
            assert!(
                matches!(at(ipc), Data::Float(value) if (value - best.0).abs() <= 1e-9),
                "{:?}, {}",
                at(ipc),
                best.0
            );
        }
    }
}

/// The same of the mean of two traces: as of one that has so many epochs.
#[test]
fn the_design_space_of_a_mean_follows_its_constants() {
    let (profiles, mean) = trace_reports::mean_of_two();
    let report = TraceReport {
        epochs: Some(mean),
        ..trace_reports::full()
    };
    let changed = |bytes: Vec<u8>| -> Vec<u8> {
        let edits = [("processor_area", 300.0), ("chip_gbs", 8.0)];
        let numbers: Vec<_> = (edits.iter())
            .map(|(name, value)| (named_cell(&bytes, name), *value))
            .collect();
        with_numbers(&bytes, &numbers)
    };
    let mut found = all_recalculated(&[
        changed(profiles_workbook(&profiles).unwrap()),
        changed(trace_workbook(&report).unwrap()),
    ]);
    for found in &mut found {
        // The second row says what the cores run.
        found.retain(|(sheet, row, _), _| sheet == "Design space" && *row != 1);
    }
    assert!(compare(&found[0], &found[1]) > 100);
}

/// Names that are functions or keywords somewhere are still names of cells.
#[test]
fn names_of_functions_are_names_of_cells() {
    let names = [
        "n", "t", "e", "sum", "max", "row", "date", "log10", "pi", "int", "if", "a1", "rc", "day",
        "l1",
    ];
    let loops: Vec<_> = (names.iter().enumerate())
        .map(|(index, name)| {
            let body = programs::stream(
                "a",
                loopsheet_analysis::facts::AccessClass::ReadOnly,
                &["i"],
                &[&[0]],
            );
            let body = loopsheet_analysis::facts::Block {
                flops: programs::flops(1, 0, 0, 0),
                streams: vec![body],
                ..Default::default()
            };
            programs::nest(
                "names",
                "names.c",
                10 * (index as u32 + 1),
                &[("i", "1", name)],
                body,
            )
        })
        .collect();
    let program = programs::program(vec![programs::function("names", "names.c", &[], loops)]);
    let sizes: Vec<String> = (0..names.len())
        .map(|index| (100 + index).to_string())
        .collect();
    let settings: Vec<(&str, &str)> = names
        .iter()
        .copied()
        .zip(sizes.iter().map(String::as_str))
        .collect();
    let model = model(&program, "exasat", &settings);
    let bytes = workbook(&model).unwrap();
    assert!(compare(&recalculated(&bytes), &cells(&bytes)) > 500);
}

const READ: &str = r#"
import json, sys
import openpyxl, pandas
book = openpyxl.load_workbook(sys.argv[1], data_only=True)
cells = [[s.title, c.row - 1, c.column - 1, c.value] for s in book for r in s.iter_rows() for c in r if isinstance(c.value, (int, float))]
frame = pandas.read_excel(sys.argv[1], sheet_name="Loops", header=None)
frame = [[int(r), int(c), float(v)] for r, row in frame.iterrows() for c, v in enumerate(row) if isinstance(v, (int, float)) and v == v]
json.dump({"openpyxl": cells, "pandas": frame}, sys.stdout)
"#;

#[test]
fn pandas_and_openpyxl_read_the_cached_values() {
    let program = mixed();
    let bytes = workbook(&model(&program, "xeon-8380", WORKED)).unwrap();
    let expected = cells(&bytes);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("book.xlsx");
    std::fs::write(&path, &bytes).unwrap();
    let python = std::env::var("LOOPSHEET_TEST_PYTHON").unwrap_or_else(|_| "python3".into());
    let read = python_output(&python, &path);
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    let is_near = |cell: &Data, value: f64| matches!(cell, Data::Float(cell) if near(*cell, value));
    let at = |value: &serde_json::Value| value.as_u64().unwrap() as u32;
    let floats = |cells: &Cells, sheet: Option<&str>| {
        let of_sheet = |(cell, value): &(&(String, u32, u32), &Data)| {
            matches!(value, Data::Float(_)) && sheet.is_none_or(|name| cell.0 == name)
        };
        cells.iter().filter(of_sheet).count()
    };
    let openpyxl = read["openpyxl"].as_array().unwrap();
    for cell in openpyxl {
        let place = (
            cell[0].as_str().unwrap().to_string(),
            at(&cell[1]),
            at(&cell[2]),
        );
        assert!(is_near(&expected[&place], number(&cell[3])), "{place:?}");
    }
    assert_eq!(openpyxl.len(), floats(&expected, None));
    let pandas = read["pandas"].as_array().unwrap();
    for cell in pandas {
        let place = ("Loops".to_string(), at(&cell[0]), at(&cell[1]));
        assert!(is_near(&expected[&place], number(&cell[2])), "{place:?}");
    }
    assert_eq!(pandas.len(), floats(&expected, Some("Loops")));
}

fn python_output(python: &str, path: &Path) -> serde_json::Value {
    let run = Command::new(python)
        .args(["-c", READ])
        .arg(path)
        .output()
        .unwrap();
    let why = String::from_utf8_lossy(&run.stderr);
    assert!(
        run.status.success(),
        "{python} needs pandas and openpyxl (set LOOPSHEET_TEST_PYTHON): {why}"
    );
    serde_json::from_slice(&run.stdout).unwrap()
}

/// New inputs on the sheet C-AMAT give the figures and verdicts of a run with those inputs.
#[test]
fn inputs_of_a_timeline_give_the_figures_of_another_run() {
    use loopsheet_metrics::camat::Program;
    use loopsheet_metrics::camat::file::Timeline;
    use loopsheet_metrics::report::TimelineReport;
    let csv = "id,start,h1,m1,h2,m2\nA,1,2,0,,\nB,1,2,3,3,0\nC,3,2,8,3,5\nD,4,2,9,3,6\nE,9,2,4,,\n";
    let timeline = Timeline::read(csv.as_bytes()).unwrap();
    let report = |instructions, cpi_exe, stall_target| {
        let program = Program {
            instructions: Some(instructions),
            cpi_exe: Some(cpi_exe),
            hart_cycles: None,
            stall_target,
        };
        TimelineReport {
            path: "t.csv".into(),
            camat: timeline.counted(None).finish(program, None),
        }
    };
    let before = timeline_workbook(&report(20, 0.8, 0.1)).unwrap();
    let edits = [
        ("instructions", 70.0),
        ("cpi_exe", 1.25),
        ("stall_target", 0.9),
    ];
    let numbers: Vec<_> = edits
        .iter()
        .map(|(name, value)| (named_cell(&before, name), *value))
        .collect();
    let found = recalculated(&with_numbers(&before, &numbers));
    let mut after = cells(&timeline_workbook(&report(70, 1.25, 0.9)).unwrap());
    // Differences of equal sides, which LibreOffice takes for zero.
    after.retain(|(_, _, column), value| *column != 4 || !matches!(value, Data::Float(_)));
    assert!(compare(&found, &after) > 100);
    assert!(
        after
            .values()
            .any(|cell| *cell == Data::String("meets".into()))
    );
}

/// The workbook that `analyze` writes of a file, and its cells.
fn written(path: &Path, arguments: &[&str]) -> Vec<u8> {
    let directory = tempfile::tempdir().unwrap();
    let output = directory.path().join("report.xlsx");
    let mut command = crate::support::command::loopsheet();
    let command = command.arg("analyze").arg(path).arg("-q").arg("-o");
    let run = command.arg(&output).args(arguments).output().unwrap();
    assert!(output.exists(), "{}", String::from_utf8_lossy(&run.stderr));
    std::fs::read(output).unwrap()
}

/// How often functions are called follows the trip counts of the loops around calls, and with it the ranking.
#[test]
fn calls_and_ranking_follow_the_inputs() {
    let path = crate::support::command::fixture("entries/steps.c");
    let bytes = written(&path, &[]);
    let edits = [("STEPS", 80.0), ("N", 1200.0)];
    let numbers: Vec<_> = edits
        .iter()
        .map(|(name, value)| (named_cell(&bytes, name), *value))
        .collect();
    let found = recalculated(&with_numbers(&bytes, &numbers));
    // What the source passes as a constant is a number of its own in the workbook; `--set` follows it.
    let settings = ["STEPS=80", "N=1200", "damp.n=1000", "divide.hi=128"];
    let settings = settings.into_iter().flat_map(|set| ["--set", set]);
    let expected = cells(&written(&path, &settings.collect::<Vec<&str>>()));
    let same_rows =
        |(sheet, ..): &(String, u32, u32)| sheet != "Steps" && !CHOSEN.contains(&sheet.as_str());
    let expected: Cells = (expected.into_iter())
        .filter(|(cell, _)| same_rows(cell))
        .collect();
    assert!(compare(&found, &expected) > 300);
    let calls = |cells: &Cells| {
        cells
            .iter()
            .filter(|(cell, value)| cell.0 == "Loops" && **value == Data::Float(160.0))
            .count()
    };
    assert!(calls(&found) >= 1, "kernel is called twice a step");
}

/// The sheet of a nest, edited, has what it has in a workbook with these inputs: figures, conditions, staircase, sentences.
#[test]
fn editing_inputs_gives_the_sheet_of_a_nest() {
    let directory = tempfile::tempdir().unwrap();
    let book = |file: &str, settings: &[&str]| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let run = Command::new(env!("CARGO_BIN_EXE_loopsheet"))
            .args(["analyze", "-q", "--nest-sheet", "laplace7@16", "-o", file])
            .arg(root.join("samples/kernels/laplace7.f90"))
            .args(settings.iter().flat_map(|setting| ["--set", setting]))
            .current_dir(directory.path())
            .status();
        assert!(run.unwrap().success());
        std::fs::read(directory.path().join(file)).unwrap()
    };
    let before = book("before.xlsx", &[]);
    let inputs = [
        ("hi_1", 700.0),
        ("hi_2", 90.0),
        ("l1_bytes", 16_384.0),
        ("dram_gbs", 999.0),
    ];
    let settings: Vec<String> = inputs
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
    let expected = cells(&book("after.xlsx", &settings));
    let numbers: Vec<((usize, String), f64)> = inputs
        .iter()
        .map(|(name, value)| (named_cell(&before, name), *value))
        .collect();
    let found = recalculated(&with_numbers(&before, &numbers));
    let mut compared = 0;
    for (place, expected) in expected
        .iter()
        .filter(|((sheet, ..), _)| sheet == "laplace7@16")
    {
        let nothing = Data::String(String::new());
        let found = found.get(place).unwrap_or(&nothing);
        let same = match (found, expected) {
            (Data::Float(a), Data::Float(b)) => near(*a, *b),
            // Which small terms of a working set are shown is decided when a workbook is written.
            (Data::String(a), Data::String(b)) if a.contains("·") => {
                a.split(" + ").next() == b.split(" + ").next()
            }
            (Data::String(a), Data::String(b)) => a.trim_end() == b.trim_end(),
            (a, b) => a == b,
        };
        // What was so when it was written: advice, and which sizes were guessed.
        let is_as_written = |text: &str| text.contains(" → ") || text.starts_with("Sizes guessed");
        let advice = matches!(expected, Data::String(text) if is_as_written(text));
        assert!(same || advice, "{place:?}: {found:?} and {expected:?}");
        compared += 1;
    }
    assert!(compared > 200, "{compared}");
}
