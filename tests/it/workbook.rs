//! The workbook as a program that reads it sees it: cached values, formulas, names, text.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Read};

use crate::support::programs::{
    self, WORKED, flops, function, mixed, model, nest, program, stream,
};
use calamine::{Data, DataType, Range, Reader, Xlsx};
use loopsheet_analysis::facts::{AccessClass, Block, Program};
use loopsheet_export::xlsx::{ROOM, figure_cells, workbook};
use loopsheet_expr::spreadsheet::FORMULA_LENGTH;
use loopsheet_expr::{Expr, Node};
use loopsheet_model::{Model, Room, StaticFigure};

/// All sheets: values and formulas.
struct Opened {
    values: BTreeMap<String, Range<Data>>,
    formulas: BTreeMap<String, Range<String>>,
    names: Vec<(String, String)>,
}

impl Opened {
    fn new(model: &Model) -> Opened {
        let mut book: Xlsx<_> = Xlsx::new(Cursor::new(workbook(model).unwrap())).unwrap();
        let mut opened = Opened {
            values: BTreeMap::new(),
            formulas: BTreeMap::new(),
            names: Vec::new(),
        };
        for sheet in book.sheet_names() {
            opened
                .values
                .insert(sheet.clone(), book.worksheet_range(&sheet).unwrap());
            opened
                .formulas
                .insert(sheet.clone(), book.worksheet_formula(&sheet).unwrap());
        }
        opened.names = book
            .defined_names()
            .iter()
            .map(|(name, cell)| (name.to_string(), cell.to_string()))
            .collect();
        opened
    }

    fn value(&self, sheet: &str, row: u32, column: u32) -> &Data {
        self.values[sheet]
            .get_value((row, column))
            .unwrap_or(&Data::Empty)
    }

    fn formula(&self, sheet: &str, row: u32, column: u32) -> &str {
        self.formulas[sheet]
            .get_value((row, column))
            .map_or("", String::as_str)
    }

    /// The numbers of a column from the row behind a header on, up to the first cell that has none.
    fn numbers_below(&self, sheet: &str, header: &str) -> Vec<f64> {
        let cells = &self.values[sheet];
        let (row, column, _) = (cells.used_cells())
            .find(|(_, _, value)| value.as_string().as_deref() == Some(header))
            .expect("the header");
        let (top, left) = cells.start().expect("cells");
        let (row, column) = (row as u32 + top, column as u32 + left);
        (row + 1..)
            .map_while(|row| self.value(sheet, row, column).as_f64())
            .collect()
    }

    /// Sheet, row, column and formula of every cell that has one.
    fn all_formulas(&self) -> Vec<(&str, u32, u32, &str)> {
        let mut all = Vec::new();
        for (sheet, range) in &self.formulas {
            let (row, column) = range.start().unwrap_or_default();
            let used = range
                .used_cells()
                .filter(|(_, _, formula)| !formula.is_empty());
            all.extend(used.map(|(r, c, formula)| {
                (
                    sheet.as_str(),
                    row + r as u32,
                    column + c as u32,
                    formula.as_str(),
                )
            }));
        }
        all
    }

    /// Cells that hold exactly this text.
    fn cells_with(&self, text: &str) -> Vec<(&str, u32, u32)> {
        let mut found = Vec::new();
        for (sheet, range) in &self.values {
            let (row, column) = range.start().unwrap_or_default();
            let used = range
                .used_cells()
                .filter(|(_, _, value)| **value == Data::String(text.into()));
            found.extend(used.map(|(r, c, _)| (sheet.as_str(), row + r as u32, column + c as u32)));
        }
        found
    }
}

/// The sheets with a row for each nest.
const NESTS: [&str; 6] = [
    "Loops",
    "Iterations",
    "Operations",
    "Working sets",
    "Reuse scenarios",
    "Time",
];

/// Every part of the file as text.
fn parts(bytes: &[u8]) -> BTreeMap<String, String> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut parts = BTreeMap::new();
    for index in 0..archive.len() {
        let mut part = archive.by_index(index).unwrap();
        let mut text = String::new();
        part.read_to_string(&mut text).unwrap();
        parts.insert(part.name().unwrap().into_owned(), text);
    }
    parts
}

fn check_figures(model: &Model) {
    let opened = Opened::new(model);
    let cells = figure_cells(model);
    assert_eq!(cells.len(), model.figures.len(), "every figure has a cell");
    let places: BTreeSet<_> = cells.iter().map(|c| (c.sheet, c.row, c.column)).collect();
    assert_eq!(
        places.len(),
        cells.len(),
        "every figure has a cell of its own"
    );
    for cell in cells {
        let figure = model.figures.get(cell.figure);
        let place = (cell.sheet, cell.row, u32::from(cell.column));
        let formula = opened.formula(place.0, place.1, place.2);
        let shown = opened.value(place.0, place.1, place.2);
        if figure.value.is_nan() {
            assert_eq!(
                (shown, formula),
                (&Data::String("unknown".into()), ""),
                "{place:?} {}",
                figure.label
            );
            continue;
        }
        assert_eq!(
            shown,
            &Data::Float(figure.value),
            "{place:?} {} = {formula}",
            figure.label
        );
        let is_number = matches!(figure.expr.node(), Node::Number(_));
        assert_eq!(formula.is_empty(), is_number, "{place:?} {}", figure.label);
    }
}

#[test]
fn every_figure_is_a_formula_with_its_value() {
    let program = mixed();
    for machine in ["exasat", "xeon-8380", "grace"] {
        check_figures(&model(&program, machine, WORKED));
        check_figures(&model(
            &program,
            machine,
            &[("nta_hints", "1"), ("streaming_writes", "1"), ("m", "7")],
        ));
    }
    check_figures(&model(&Program::default(), "exasat", &[]));
}

/// A person can follow it.
fn assert_short(cell: (&str, u32, u32), formula: &str) {
    assert!(
        formula.len() <= FORMULA_LENGTH as usize,
        "{cell:?}: {} characters: {formula}",
        formula.len()
    );
}

#[test]
fn every_formula_has_a_value_and_fits_its_cell() {
    let program = mixed();
    let opened = Opened::new(&model(&program, "xeon-8380", WORKED));
    let formulas = opened.all_formulas();
    assert!(formulas.len() > 400, "{}", formulas.len());
    for (sheet, row, column, formula) in formulas {
        assert_short((sheet, row, column), formula);
        let value = opened.value(sheet, row, column);
        assert!(
            matches!(value, Data::Float(_) | Data::String(_)),
            "{sheet} {row} {column}: {formula} is {value:?}"
        );
    }
}

#[test]
fn the_worked_figures_are_in_their_columns() {
    let program = program(vec![programs::seven_point()]);
    let opened = Opened::new(&model(&program, "exasat", WORKED));
    let mut found = BTreeMap::new();
    for sheet in NESTS {
        let heading = |row: u32, column: u32| match opened.value(sheet, row, column) {
            Data::String(text) => text.clone(),
            _ => String::new(),
        };
        let mut group = String::new();
        for column in 0..=opened.values[sheet].end().unwrap().1 {
            if !heading(2, column).is_empty() {
                group = heading(2, column);
            }
            found.insert(
                (group.clone(), heading(3, column)),
                opened.value(sheet, 5, column).clone(),
            );
        }
    }
    let traffic = "Memory traffic over the whole execution, by what is reused";
    for (group, header, value) in [
        (traffic, "Between planes", 61_079_552.0),
        (traffic, "Between pencils", 94_371_840.0),
        (traffic, "Within pencils", 125_829_120.0),
        (traffic, "None", 150_994_944.0),
        (traffic, "Actual", 61_079_552.0),
        ("Working set, naive", "Plane", 9472.0),
        ("Working set, naive", "Pencil", 832.0),
        ("Working set, naive", "Cell", 64.0),
        ("Operations per iteration", "Adds", 6.0),
        ("Operations over the whole execution", "Flops", 16_777_216.0),
        ("Blocks", "All", 64.0),
        ("Work of one call", "Flops", 16_777_216.0),
        ("Bytes moved in one call", "DRAM", 61_079_552.0),
        ("Arrays", "R", 1.0),
        ("Arrays", "W", 1.0),
        ("Needed in cache for reuse", "Planes", 4.0),
    ] {
        assert_eq!(
            found[&(group.to_string(), header.to_string())],
            Data::Float(value),
            "{group}: {header}"
        );
    }
    assert_eq!(
        found[&("Time".to_string(), "Bound by".to_string())],
        Data::String("DRAM".into())
    );
    assert_eq!(
        found[&("Loop".to_string(), "Loop".to_string())],
        Data::String("smooth@8".into())
    );
}

/// Loops has what fits a page; the sheets of its details have the same rows, and begin with the same columns.
#[test]
fn sheets_of_nests_have_few_columns_and_the_same_rows() {
    let program = mixed();
    let model = model(&program, "xeon-8380", WORKED).for_any_machine(ROOM);
    let opened = Opened::new(&model);
    let (_, last) = opened.values["Loops"].end().unwrap();
    assert!(last < 20, "{} columns", last + 1);
    let rows = 5..5 + model.nests.len() as u32;
    for sheet in NESTS {
        assert_eq!(
            opened.values[sheet].end().unwrap().0 + 1,
            rows.end,
            "{sheet}"
        );
        for row in [3].into_iter().chain(rows.clone()) {
            for column in 0..3 {
                let [here, there] = [sheet, "Loops"].map(|name| opened.value(name, row, column));
                assert_eq!(here, there, "{sheet}, row {row}, column {column}");
            }
        }
    }
    let parts = parts(&workbook(&model).unwrap());
    let (_, id) = parts["xl/workbook.xml"]
        .split_once("name=\"Loops\" sheetId=\"")
        .expect("the sheet");
    let id = id.split('"').next().expect("a number");
    let loops = &parts[&format!("xl/worksheets/sheet{id}.xml")];
    assert!(loops.contains("fitToWidth=\"1\"") || loops.contains("fitToHeight=\"0\""));
    assert!(!loops.contains("<colBreaks"));
}

/// Nests of equal time are all listed, each with a rank of its own, as they are in the source.
#[test]
fn nests_of_equal_time_have_ranks_of_their_own() {
    let of = |line: u32| {
        let body = Block {
            flops: flops(1, 0, 0, 0),
            streams: vec![stream("a", AccessClass::ReadOnly, &["i"], &[&[0]])],
            ..Block::default()
        };
        nest("f", "f.c", line, &[("i", "1", "n")], body)
    };
    let loops = [10, 20, 30].map(of).into();
    let program = program(vec![function("f", "f.c", &[], loops)]);
    let model = model(&program, "xeon-8380", &[("n", "1000")]).for_any_machine(ROOM);
    let opened = Opened::new(&model);
    let ranks = opened.cells_with("Rank");
    let (_, _, rank) = ranks.iter().find(|(sheet, ..)| *sheet == "Time").unwrap();
    let ranks: Vec<f64> = (5..8)
        .filter_map(|row| opened.value("Time", row, *rank).as_f64())
        .collect();
    assert_eq!(ranks, [1.0, 2.0, 3.0]);
    for (row, line) in (5..8).zip(["10", "20", "30"]) {
        let name = opened.value("Loops", row, 0).to_string();
        assert!(name.ends_with(line), "{name}");
        assert!(opened.formula("Time", row, *rank).contains("SUMPRODUCT("));
    }
    let links = ["Loops, row 6", "Loops, row 7", "Loops, row 8"];
    assert!(links.iter().all(|link| opened.cells_with(link).len() == 1));
}

/// Where there is no room for all nests, every sheet with a row for each says which it has.
#[test]
fn sheets_say_which_nests_they_have() {
    let program = mixed();
    let whole = model(&program, "exasat", WORKED);
    let few = Room { nests: 3, ..ROOM };
    let text = format!(
        "Only the 3 costliest of {} nests, on exasat and with the inputs as written;",
        whole.nests.len()
    );
    let of = |model: &Model, sheet: &str| Opened::new(model).value(sheet, 1, 1).to_string();
    for sheet in NESTS
        .into_iter()
        .chain(["Arrays", "Caches", "Layer conditions"])
    {
        let remark = of(&whole.for_any_machine(few), sheet);
        assert!(remark.contains(&text), "{sheet}: {remark}");
    }
    assert!(!of(&whole.for_any_machine(ROOM), "Loops").contains("Only the"));
    let summary = Opened::new(&whole.for_any_machine(few));
    let program = summary.value("Summary", 1, 0).to_string();
    let nests = format!("{} nests, 3 of them in this workbook", whole.nests.len());
    assert!(program.contains(&nests), "{program}");
}

#[test]
fn checks_hold() {
    let program = mixed();
    for machine in ["exasat", "xeon-8380", "grace", "a64fx"] {
        let model = model(&program, machine, WORKED).for_any_machine(ROOM);
        let opened = Opened::new(&model);
        let last = opened.values["Checks"].end().unwrap().0;
        assert!(last > 15);
        for row in 4..=last {
            let verdict = opened.value("Checks", row, 3).to_string();
            let what = opened.value("Checks", row, 0);
            assert!(
                ["OK", "not known"].contains(&verdict.as_str()),
                "{what}: {verdict}"
            );
            assert!(!opened.formula("Checks", row, 1).is_empty(), "{what}");
        }
        assert_eq!(opened.cells_with("Checks: all hold"), [("Summary", 0, 7)]);
    }
}

/// The page that is printed of Summary names the nests that matter, each with a link to its row of Loops.
#[test]
fn summary_links_to_the_nests() {
    let program = mixed();
    let model = model(&program, "xeon-8380", WORKED).for_any_machine(ROOM);
    let opened = Opened::new(&model);
    let costliest = model.costliest(10);
    let links: Vec<(&str, u32, u32, &str)> = (opened.all_formulas().into_iter())
        .filter(|(.., formula)| formula.starts_with("HYPERLINK("))
        .collect();
    assert_eq!(links.len(), costliest.len());
    for ((sheet, row, column, _), nest) in links.into_iter().zip(costliest) {
        assert_eq!(
            opened.value(sheet, row, column).to_string(),
            format!("Loops, row {}", nest + 6)
        );
        let id = opened.value("Loops", nest as u32 + 5, 0).to_string();
        let marked = id + model.nests[nest].mark();
        assert_eq!(opened.value("Summary", row, 0).to_string(), marked);
    }
    let sheet = &parts(&workbook(&model).unwrap())["xl/worksheets/sheet1.xml"];
    assert!(sheet.contains("<pageSetUpPr fitToPage=\"1\"/>"));
}

#[test]
fn every_input_has_its_name() {
    let program = mixed();
    let model = model(&program, "xeon-8380", WORKED);
    let opened = Opened::new(&model);
    let names: BTreeMap<&str, &str> = opened
        .names
        .iter()
        .map(|(name, cell)| (&**name, &**cell))
        .collect();
    let lower: BTreeSet<String> = names.keys().map(|name| name.to_lowercase()).collect();
    assert_eq!(lower.len(), names.len(), "names that differ in case only");
    let machine = model.machine.parameters.iter().map(|p| (&p.name, p.value));
    let rows = model
        .parameters
        .rows()
        .iter()
        .map(|row| (&row.name, Some(row.value)));
    for (name, value) in machine.chain(rows) {
        let (sheet, cell) = names[name.as_str()].split_once('!').unwrap();
        let (column, row) = cell.strip_prefix('$').unwrap().split_once('$').unwrap();
        assert_eq!(column, "C");
        let shown = opened.value(sheet, row.parse::<u32>().unwrap() - 1, 2);
        assert_eq!(*shown, value.map_or(Data::Empty, Data::Float), "{name}");
        assert!(!looks_like_a_cell(name), "{name}");
    }
    for (_, figure) in model.figures.iter() {
        for symbol in figure
            .expr
            .symbols()
            .iter()
            .filter(|_| !figure.value.is_nan())
        {
            assert!(
                names.contains_key(symbol.name()),
                "{}: {symbol} is no name",
                figure.label
            );
        }
    }
    for name in ["n1_", "r_", "c_", "true_", "hi_1", "block_x", "cores"] {
        assert!(names.contains_key(name), "{name}");
    }
}

fn looks_like_a_cell(name: &str) -> bool {
    let letters = name.chars().take_while(char::is_ascii_alphabetic).count();
    (1..=3).contains(&letters)
        && name.len() > letters
        && name[letters..].chars().all(|c| c.is_ascii_digit())
}

#[test]
fn a_parameter_that_others_define_is_a_formula() {
    let program = mixed();
    let opened = Opened::new(&model(&program, "exasat", &[]));
    let (_, cell) = opened.names.iter().find(|(name, _)| name == "n").unwrap();
    let row: u32 = cell.rsplit_once('$').unwrap().1.parse().unwrap();
    assert_eq!(opened.formula("Parameters", row - 1, 2), "2*m");
    assert_eq!(opened.value("Parameters", row - 1, 2), &Data::Float(256.0));
}

#[test]
fn text_of_the_source_is_never_a_formula() {
    let program = mixed();
    let opened = Opened::new(&model(&program, "exasat", WORKED));
    for text in ["=cmd()", "+b", "@c", "-d", "=odd.f90", "=while (err > tol)"] {
        let cells = opened.cells_with(text);
        assert!(!cells.is_empty(), "{text}");
        for (sheet, row, column) in cells {
            let formula = opened.formula(sheet, row, column);
            assert!(
                formula.is_empty() || formula.starts_with("INDEX("),
                "{sheet} {row} {column}: {formula}"
            );
        }
    }
}

#[test]
fn what_is_missing_is_visible() {
    let program = mixed();
    let opened = Opened::new(&model(&program, "exasat", WORKED));
    for (text, sheets) in [
        ("approximate_trip_count, call, zero_step", &["Loops"][..]),
        // Where it was met, and what it means.
        ("zero_step", &["Notes", "Notes"]),
        ("user_norm", &["Notes"]),
        ("outside loops", &["Notes"]),
        ("cannot be read (mend it)", &["Notes"]),
        ("cpp", &["Notes"]),
        ("files not read: .cpp", &["Summary"]),
        ("loops with call", &["Summary"]),
    ] {
        let found: Vec<&str> = opened
            .cells_with(text)
            .into_iter()
            .map(|(sheet, ..)| sheet)
            .collect();
        assert_eq!(found, sheets, "{text}");
    }
}

#[test]
fn the_unknown_is_text_and_never_zero() {
    let program = mixed();
    let mut model = model(&program, "exasat", WORKED);
    let unknown = model
        .figures
        .define(StaticFigure::Time, Expr::symbol("nobody knows this"));
    let costliest = model.nests[0].time.seconds;
    model.nests[0].time.seconds = unknown;
    model.figures.define(
        StaticFigure::TotalTime,
        Expr::from(unknown) + Expr::from(costliest),
    );
    check_figures(&model);
    let opened = Opened::new(&model);
    assert!(
        opened
            .cells_with("unknown")
            .iter()
            .any(|(sheet, ..)| *sheet == "Loops")
    );
    assert!(
        !opened
            .cells_with("matmul@5")
            .iter()
            .all(|(sheet, ..)| *sheet != "Summary")
    );
}

#[test]
fn the_same_model_gives_the_same_bytes() {
    let program = mixed();
    let bytes = workbook(&model(&program, "xeon-8380", WORKED)).unwrap();
    assert_eq!(
        bytes,
        workbook(&model(&mixed(), "xeon-8380", WORKED)).unwrap()
    );
    let here = std::env::current_dir().unwrap();
    for (name, text) in parts(&bytes) {
        assert!(!text.contains(here.to_str().unwrap()), "{name}");
        assert!(!text.contains("<f></f>"), "{name}");
        assert!(!name.contains("vba"), "{name}");
    }
}

/// Many nests, one of them with many arrays: sums are ranges or are split, whatever their size.
#[test]
fn large_programs_have_short_formulas() {
    let wide = |index: usize| {
        let class = [AccessClass::ReadOnly, AccessClass::WriteOnly][index % 2];
        stream(&format!("array_{index}"), class, &["i"], &[&[0]])
    };
    let body = Block {
        flops: flops(1, 1, 0, 0),
        streams: (0..900).map(wide).collect(),
        ..Block::default()
    };
    let mut functions = vec![function(
        "wide",
        "wide.f90",
        &[],
        vec![nest("wide", "wide.f90", 3, &[("i", "1", "n")], body)],
    )];
    for index in 0..400 {
        let body = Block {
            flops: flops(1, 0, 0, 0),
            streams: vec![stream("a", AccessClass::ReadOnly, &["i"], &[&[0]])],
            ..Block::default()
        };
        let name = format!("f{index}_");
        functions.push(function(
            &name,
            "many.f90",
            &[],
            vec![nest(&name, "many.f90", 9, &[("i", "1", "n")], body)],
        ));
    }
    let program = program(functions);
    let model = model(&program, "xeon-8380", &[]);
    check_figures(&model);
    let opened = Opened::new(&model);
    let formulas = opened.all_formulas();
    for (sheet, row, column, formula) in &formulas {
        assert_short((sheet, *row, *column), formula);
    }
    let is_total = |f: &str| f.starts_with("SUM(Loops!") || f.starts_with("SUM(Operations!");
    let totals = formulas
        .iter()
        .filter(|(sheet, .., f)| *sheet == "Summary" && is_total(f))
        .count();
    assert_eq!(totals, 4);
    assert!(
        opened.values.contains_key("Steps"),
        "parts of the sums over every second array"
    );
}

/// The samples, and halos as big codes have them: branches in loops over blocks, sums over calls, arrays in many nests.
#[test]
fn steps_have_names_and_short_formulas() {
    let mut source = String::from(
        "void exchange(int depth, int nx, int ny, double (*u)[ny], double (*v)[ny], int *on) {\n",
    );
    for side in 0..30 {
        source += &format!(
            "  if (on[{side}] > 0) {{\n    for (int j = {side} - depth; j < nx + depth; j++)\n      for (int k = 0; k < depth; k++)\n        \
             if (on[k + {side}] > j) u[j][k] = u[j][2 * depth - k] + v[j + 1][k] * v[j - 1][k + {side}];\n  }}\n"
        );
    }
    source += "}\nvoid run(int steps, int depth, int nx, int ny, double (*u)[ny], double (*v)[ny], int *on) {\n";
    for _ in 0..40 {
        source += "  for (int s = 0; s < steps; s++) exchange(depth, nx, ny, u, v, on);\n";
    }
    source += "}\n";
    let path = "halo.c".into();
    let text = loopsheet_source::SourceText::verbatim(&path, source);
    let halo = loopsheet_lower::c::lower(&path, &text);
    for program in [loopsheet_analysis::analyze(&[halo]), mixed()] {
        let model = model(&program, "xeon-8380", &[]).for_any_machine(ROOM);
        check_steps(&Opened::new(&model));
    }
}

fn check_steps(opened: &Opened) {
    for (sheet, row, column, formula) in opened.all_formulas() {
        assert_short((sheet, row, column), formula);
    }
    let steps = &opened.values["Steps"];
    assert!(steps.height() > 100);
    for row in 3..steps.height() as u32 {
        let Data::String(name) = opened.value("Steps", row, 0) else {
            panic!("row {row} has no name");
        };
        assert!(name.len() > 3 && !name.ends_with(", part"), "{name}");
        assert!(name.chars().count() < 250, "{name}");
    }
}

#[test]
fn printed_pages_have_heads_and_whole_groups() {
    let program = mixed();
    let model = model(&program, "xeon-8380", WORKED).for_any_machine(ROOM);
    let parts = parts(&workbook(&model).unwrap());
    let names = &parts["xl/workbook.xml"];
    let dependencies = (!model.sequences.is_empty()).then_some("Dependencies!$1:$1");
    for title in [
        "Sensitivity!$1:$3",
        "Notes!$1:$1",
        "Loops!$A:$A,Loops!$3:$5",
        "'Working sets'!$A:$A,'Working sets'!$3:$5",
    ]
    .into_iter()
    .chain(dependencies)
    {
        assert!(
            names.contains(&format!(">{title}<")),
            "no {title} among the printed titles"
        );
    }
    // Layer conditions: every page but the first begins with a group of columns, or goes on with one that says so.
    let number = names
        .split("<sheet name=\"")
        .skip(1)
        .position(|rest| rest.starts_with("Layer conditions"))
        .expect("the sheet")
        + 1;
    let sheet = &parts[&format!("xl/worksheets/sheet{number}.xml")];
    let breaks: Vec<u32> = (sheet
        .split("<colBreaks")
        .nth(1)
        .expect("breaks")
        .split("</colBreaks>")
        .next()
        .unwrap())
    .split("<brk id=\"")
    .skip(1)
    .map(|rest| rest.split('"').next().unwrap().parse().unwrap())
    .collect();
    assert!(!breaks.is_empty());
    let merged: Vec<&str> = sheet
        .split("<mergeCell ref=\"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap())
        .collect();
    let column = |cell: &str| {
        let letters = cell.chars().take_while(char::is_ascii_alphabetic);
        letters.fold(0, |number, letter| {
            number * 26 + (letter as u32 - 'A' as u32 + 1)
        }) - 1
    };
    for range in merged {
        let (first, last) = range.split_once(':').expect("a range");
        let inside = |at: &&u32| column(first) < **at && **at <= column(last);
        assert_eq!(breaks.iter().find(inside), None, "{range} is cut");
    }
}

/// The chart of the roofline has no limits of its own: its ceilings reach beyond every nest and to both sides of the
/// point where bandwidth and peak meet.
#[test]
fn the_roofline_spans_what_it_shows() {
    let source = "
        void low(int n, double *a, double *b) { for (int i = 0; i < n; i++) a[i * 1000] += b[i * 500]; }
        void high(int n, double *a) {
            for (int i = 0; i < n; i++)
                for (int k = 0; k < 4000; k++) a[i] = a[i] * 1.5 + 0.5;
        }";
    let path = "a.c".into();
    let text = loopsheet_source::SourceText::verbatim(&path, source.to_string());
    let program = loopsheet_analysis::analyze(&[loopsheet_lower::c::lower(&path, &text)]);
    let model = model(&program, "exasat", &[]).for_any_machine(ROOM);
    let opened = Opened::new(&model);
    let intensities: Vec<f64> = (model.nests.iter())
        .map(|nest| model.value(nest.time.intensity))
        .collect();
    assert!(intensities[0] < 0.01 && intensities[1] > 100.0);
    let ends = opened.numbers_below("Roofline", "Intensity [flop/B]");
    let ridge = 10.0;
    for inside in [intensities[0], intensities[1], ridge] {
        assert!(ends[0] < inside && inside < ends[1], "{inside}: {ends:?}");
    }
    let parts = parts(&workbook(&model).unwrap());
    let charts = parts.iter().filter(|(name, _)| name.contains("charts/"));
    for (name, chart) in charts.filter(|(_, chart)| chart.contains("Roofline")) {
        assert!(
            !chart.contains("<c:min ") && !chart.contains("<c:max "),
            "{name}"
        );
    }
}
