//! `--nest-sheet`: a nest's own sheet, the staircase on it, and what is said of names that are not one nest.

use std::io::Cursor;
use std::path::Path;

use calamine::{Data, Range, Reader, Xlsx};
use loopsheet_machine::MachineModel;
use loopsheet_model::{Detail, Model, Staircase};

use crate::support::command;
use crate::support::programs::{WORKED, matrix_multiply, program, settings, seven_point};

/// The worked example at the head of `src/model/levels/mod.rs`.
const STAR: &str = "void star(int n, double a[n][n], double b[n][n]) {
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      b[i][j] = a[i-1][j] + a[i+1][j] + a[i][j-1] + a[i][j+1] + a[i][j];
}
";
const TWICE: &str = "void twice(int n, double *a, double *b) {
  for (int i = 0; i < n; i++) a[i] = 1;
  for (int i = 0; i < n; i++) b[i] = a[i];
}
";

/// Status and standard error of `analyze` in a directory with these files.
fn run(directory: &Path, files: &[(&str, &str)], arguments: &[&str]) -> (Option<i32>, String) {
    for (name, text) in files {
        std::fs::write(directory.join(name), text).expect("a file");
    }
    let mut analyze = command::loopsheet();
    let analyze = analyze.current_dir(directory).args(["analyze", "-q"]);
    let output = analyze.args(arguments).output().expect("it runs");
    let errors = String::from_utf8(output.stderr).expect("UTF-8");
    (output.status.code(), errors)
}

fn opened(path: &Path) -> Xlsx<Cursor<Vec<u8>>> {
    Xlsx::new(Cursor::new(std::fs::read(path).expect("a workbook"))).expect("a workbook")
}

/// All texts of a sheet.
fn texts(cells: &Range<Data>) -> Vec<&str> {
    let cells = cells.used_cells();
    cells
        .filter_map(|(_, _, cell)| match cell {
            Data::String(text) => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

/// Capacities and bytes of the staircase.
fn stairs(cells: &Range<Data>) -> Vec<(f64, f64)> {
    let head = |(_, _, cell): &(usize, usize, &Data)| **cell == Data::String("Capacity [B]".into());
    let (row, column, _) = cells.used_cells().find(head).expect("a staircase");
    let number = |row, column| match cells.get((row, column)) {
        Some(Data::Float(number)) => Some(*number),
        Some(Data::Int(number)) => Some(*number as f64),
        _ => None,
    };
    (row + 1..)
        .map_while(|row| Some((number(row, column)?, number(row, column + 1)?)))
        .collect()
}

/// Bytes through a cache: what the last point up to its size says.
fn through(stairs: &[(f64, f64)], capacity: f64) -> f64 {
    let before = stairs.iter().rev().find(|(x, _)| *x <= capacity);
    before.expect("the line begins before").1
}

/// By hand, on the page of the worked example: 999,500 lines once, 998,500 again unless 64,000 B fit, 499,500 written.
#[test]
fn the_staircase_falls_where_three_rows_fit() {
    let directory = tempfile::tempdir().expect("a directory");
    let arguments = [
        "star.c",
        "-o",
        "star.xlsx",
        "--nest-sheet",
        "star",
        "--machine",
        "xeon-8380",
    ];
    let (status, errors) = run(
        directory.path(),
        &[("star.c", STAR)],
        &[&arguments[..], &["--set", "n=2000"]].concat(),
    );
    assert_eq!(status, Some(0), "{errors}");
    let mut book = opened(&directory.path().join("star.xlsx"));
    let cells = book
        .worksheet_range("star@2")
        .expect("the sheet of the nest");
    let stairs = stairs(&cells);
    let lines = |lines: u64| (lines * 64) as f64;
    let (once, again) = (lines(999_500 + 499_500), lines(998_500));
    for (capacity, bytes) in [
        (4_000.0, once + again),
        (49_152.0, once + again),
        (63_999.0, once + again),
        (64_000.0, once),
        (1e7, once),
    ] {
        assert_eq!(through(&stairs, capacity), bytes, "{capacity}");
    }
    let texts = texts(&cells);
    let says = |wanted: &str| texts.iter().any(|text| text.contains(wanted));
    // Four rows of n doubles; on that page they fit 48 KiB up to n = 1536.
    for wanted in [
        "4·n·8 B",
        "≤ L1: 48 KiB",
        "✗ n ≤ 1536",
        "b[i][j] = a[i-1][j]",
        "a: 5 points",
    ] {
        assert!(says(wanted), "{wanted} is not in {texts:#?}");
    }
    let formulas = book.worksheet_formula("star@2").expect("formulas");
    let long = formulas.used_cells().map(|(_, _, formula)| formula.len());
    assert!(long.max().is_some_and(|longest| longest <= 500));
}

/// Where nothing was left by other nests and nothing is written past the caches, the points of the caches are on the line.
#[test]
fn caches_are_on_the_staircase() {
    let program = program(vec![seven_point(), matrix_multiply()]);
    let mut compared = 0;
    for machine in ["exasat", "xeon-8380", "a64fx"] {
        for pairs in [WORKED, &[("hi(1)", "60"), ("m", "333")]] {
            let machine = MachineModel::preset(machine).expect("a preset");
            let model = Model::with(&program, machine, &settings(pairs), Detail::Formulas);
            let model = model.expect("sound settings");
            for nest in &model.nests {
                let stairs = Staircase::of(nest).expect("formulas");
                for cache in &nest.levels.caches {
                    let [capacity, bytes] = [cache.capacity, cache.bytes].map(|id| model.value(id));
                    let found = stairs.through(&model, capacity);
                    assert!((found - bytes).abs() <= 1e-9 * bytes, "{found} and {bytes}");
                    compared += 1;
                }
                let corners = stairs.corners(&model).expect("all is known");
                let falls = |pair: &[_]| {
                    let [a, b]: &[loopsheet_model::staircase::Corner; 2] =
                        pair.try_into().expect("two");
                    a.capacity < b.capacity && a.after >= b.after - 1e-6
                };
                assert!(corners.windows(2).all(falls), "{corners:?}");
            }
        }
    }
    assert!(compared > 15, "{compared}");
}

#[test]
fn a_name_that_is_not_one_nest_lists_those_that_are() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path();
    let files = [("star.c", STAR), ("twice.c", TWICE)];
    let all = ["star.c", "twice.c", "-o", "book.xlsx", "--nest-sheet"];
    for (name, wanted) in [
        ("stra@2", "no nest has this name (did you mean star@2"),
        (
            "twice",
            "2 nests have this name; name one of these: twice@2 (twice.c:2), twice@3 (twice.c:3)",
        ),
        ("", "no nest has this name; the nests, costliest first: "),
        ("while_loop", "no nest has this name"),
    ] {
        let (status, errors) = run(path, &files, &[&all[..], &[name]].concat());
        assert_eq!(status, Some(2), "{errors}");
        assert!(errors.contains(wanted), "{errors}");
        assert!(errors.contains("star@2") || name == "twice", "{errors}");
        assert!(!path.join("book.xlsx").exists());
    }
    let (status, errors) = run(path, &files, &["star.c", "--nest-sheet", "star"]);
    assert_eq!(status, Some(2));
    assert!(errors.contains("add -o FILE.xlsx"), "{errors}");
}

/// Sheets have room for 31 characters: nests whose names begin alike are told apart; one of them is asked for twice.
#[test]
fn sheets_have_names_of_their_own() {
    let directory = tempfile::tempdir().expect("a directory");
    let long = TWICE.replace("twice", "a_name_of_a_function_that_is_long");
    let arguments = ["long.c", "-o", "book.xlsx", "--nest-sheet", "long.c:2"];
    let more = ["--nest-sheet", "long.c:3", "--nest-sheet", "long.c:2"];
    let files = [("long.c", long.as_str())];
    let (status, errors) = run(directory.path(), &files, &[&arguments[..], &more].concat());
    assert_eq!(status, Some(0), "{errors}");
    let mut book = opened(&directory.path().join("book.xlsx"));
    let of_nests = book.sheet_names().into_iter();
    let of_nests: Vec<String> = of_nests.filter(|name| name.starts_with("a_name")).collect();
    let expected = [
        "a_name_of_a_function_that_is_lo",
        "a_name_of_a_function_that_is_ 2",
    ];
    assert_eq!(of_nests, expected);
    for (name, place) in of_nests.iter().zip(["long.c:2", "long.c:3"]) {
        let cells = book.worksheet_range(name).expect("a sheet");
        assert!(texts(&cells).contains(&place), "{name}");
    }
}

#[test]
fn staircases_are_drawn() {
    let directory = tempfile::tempdir().expect("a directory");
    let arguments = ["star.c", "twice.c", "--svg", "pictures"];
    let files = [("star.c", STAR), ("twice.c", TWICE)];
    let (status, errors) = run(directory.path(), &files, &arguments);
    assert_eq!(status, Some(0), "{errors}");
    for nest in ["star@2", "twice@2", "twice@3"] {
        let path = directory
            .path()
            .join(format!("pictures/staircase-{nest}.svg"));
        let text = std::fs::read_to_string(path).expect("a picture");
        assert!(
            text.contains("<polyline") && text.contains("L1: "),
            "{text}"
        );
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    }
}
