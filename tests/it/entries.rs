//! Nests are ranked by what a run of the program does: every call followed from where it begins.

use assert_cmd::Command;
use serde_json::{Value, json};

use crate::support::command::{analysed, analysed_text, fixture, loopsheet};
use crate::support::page;

fn nest<'j>(json: &'j Value, function: &str) -> &'j Value {
    let functions = json["functions"].as_array().expect("functions");
    let function = functions
        .iter()
        .find(|found| found["name"] == function)
        .unwrap_or_else(|| panic!("no function {function}"));
    &function["nests"][0]
}

fn steps(file: &str, arguments: &[&str]) -> Value {
    analysed(fixture("entries").join(file), arguments)
}

fn calls(json: &Value, function: &str) -> f64 {
    nest(json, function)["calls"].as_f64().expect("a number")
}

fn printed(arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command: Command = loopsheet();
    let output = command
        .arg("analyze")
        .args(arguments)
        .output()
        .expect("it runs");
    let [out, error] = [output.stdout, output.stderr].map(|t| String::from_utf8(t).expect("UTF-8"));
    (output.status.code(), out, error)
}

#[test]
fn loops_around_calls_multiply_from_the_main_program_on() {
    for file in ["steps.c", "steps.f90"] {
        let json = steps(file, &[]);
        let kernel = if file == "steps.c" {
            "kernel"
        } else {
            "smooth"
        };
        assert_eq!(calls(&json, kernel), 100.0, "{file}");
        let found = nest(&json, kernel);
        let [one, all, share] = ["one_call_seconds", "all_calls_seconds", "share"]
            .map(|key| found[key].as_f64().expect("a number"));
        assert_eq!(found["seconds"].as_f64(), Some(one));
        // That of the second program finds its data again.
        match found.get("warm_executions") {
            None => assert!((all - 100.0 * one).abs() < 1e-9 * all, "{file}"),
            Some(_) => assert!(all < 99.0 * one && file == "steps.f90", "{file}"),
        }
        let functions = json["functions"].as_array().expect("functions");
        let nests = functions
            .iter()
            .flat_map(|f| f["nests"].as_array().expect("nests"));
        let sum: f64 = nests
            .filter_map(|nest| nest["all_calls_seconds"].as_f64())
            .sum();
        assert!((share - all / sum).abs() < 1e-9, "{file}: {share}");
    }
}

#[test]
fn where_a_run_begins_is_a_fact_of_the_source() {
    let entry = |json: &Value| json["entry"].clone();
    let c = steps("steps.c", &[]);
    assert_eq!(
        (&c["entry"][0]["name"], &c["entry"][0]["line"]),
        (&json!("main"), &json!(49))
    );
    let fortran = steps("steps.f90", &[]);
    assert_eq!(fortran["entry"][0]["name"], "simulation");
    // A subroutine may have the name, a function that only its file knows is another one.
    let no_program = "subroutine main(a)\n real(8) :: a(9)\n a = 0\nend subroutine\n";
    assert_eq!(entry(&analysed_text("m.f90", no_program, &[])), json!([]));
    let hidden = "static int main(double *a) { for (int i = 0; i < 9; i++) a[i] = 0; return 0; }\n";
    assert_eq!(entry(&analysed_text("m.c", hidden, &[])), json!([]));
}

#[test]
fn what_no_call_leads_to_has_no_share() {
    let json = steps("steps.c", &[]);
    let forgotten = nest(&json, "forgotten");
    assert_eq!(
        (
            &forgotten["calls"],
            &forgotten["all_calls_seconds"],
            &forgotten["share"]
        ),
        (&Value::Null, &Value::Null, &Value::Null)
    );
    // What has no body here may call it.
    assert_eq!(forgotten["calls_reasons"], json!(["call"]));
    // Called by what nothing calls, and by the program.
    assert_eq!(calls(&steps("steps.f90", &[]), "set_up"), 1.0);
    let (_, table, _) = printed(&[fixture("entries/steps.c").to_str().expect("a path")]);
    let lines: Vec<&str> = table.lines().collect();
    let at = |start: &str| lines.iter().position(|line| line.starts_with(start));
    assert!(at("not reached from there:") < at("forgotten@"), "{table}");
    assert!(at("kernel@") < at("not reached from there:"), "{table}");
    assert!(table.contains("execution starts at main"), "{table}");
}

#[test]
fn counts_that_are_not_exact_are_marked_with_the_reason() {
    let json = steps("steps.c", &[]);
    let reasons = |function: &str| nest(&json, function)["calls_reasons"].clone();
    assert_eq!(reasons("kernel"), json!([]));
    assert_eq!(reasons("divide"), json!(["recursion"]));
    assert_eq!(reasons("set_up"), json!(["approximate_trip_count"]));
    assert_eq!(reasons("damp"), json!(["ambiguous_call"]));
    assert_eq!(
        (calls(&json, "divide"), calls(&json, "damp")),
        (2047.0, 150.0)
    );
    let (_, table, _) = printed(&[fixture("entries/steps.c").to_str().expect("a path")]);
    let row = |id: &str| {
        table
            .lines()
            .find(|l| l.starts_with(id))
            .expect("a row")
            .to_string()
    };
    assert!(row("damp@").contains(" 150 * "), "{table}");
    assert!(row("kernel@").contains(" 100 "), "{table}");
}

#[test]
fn functions_that_call_each_other_are_entered() {
    let text = "void odd(double *a, int n);\n\
        void even(double *a, int n) { for (int i = 0; i < 9; i++) a[i] = n; odd(a, n - 1); }\n\
        void odd(double *a, int n) { for (int i = 0; i < 9; i++) a[i] += n; if (n) even(a, n); }\n\
        int main(void) { double a[9]; for (int k = 0; k < 4; k++) even(a, 6); return 0; }\n";
    let json = analysed_text("m.c", text, &[]);
    for function in ["even", "odd"] {
        assert_eq!(calls(&json, function), 4.0);
        assert_eq!(nest(&json, function)["calls_reasons"], json!(["recursion"]));
    }
}

#[test]
fn pointers_mean_every_procedure_that_they_are_given() {
    let text = "subroutine a(x)\n real(8) :: x(9)\n x = 1\nend subroutine\n\
        subroutine b(x)\n real(8) :: x(9)\n x = 2\nend subroutine\n\
        subroutine apply(f, x)\n external f\n real(8) :: x(9)\n integer :: i\n\
        do i = 1, 5\n call f(x)\n end do\nend subroutine\n\
        program p\n external a, b\n real(8) :: x(9)\n call apply(a, x)\n call apply(b, x)\nend program\n";
    let json = analysed_text("m.f90", text, &[]);
    for function in ["a", "b"] {
        assert_eq!(calls(&json, function), 10.0, "{function}");
        assert_eq!(
            nest(&json, function)["calls_reasons"],
            json!(["ambiguous_call"])
        );
    }
}

/// Pointers of a file have what statements of any function give them, and what functions return that choose among others.
#[test]
fn pointers_of_files_and_results_of_functions_mean_procedures() {
    let text = "typedef void (*step)(double *);\n\
        static void one(double *a) { for (int i = 0; i < 9; i++) a[i] = 1; }\n\
        static void two(double *a) { for (int i = 0; i < 9; i++) a[i] = 2; }\n\
        static void three(double *a) { for (int i = 0; i < 9; i++) a[i] = 3; }\n\
        static void never(double *a) { for (int i = 0; i < 9; i++) a[i] = 4; }\n\
        static step chosen;\nvoid (*plain)(double *);\n\
        static step pick(int order) { if (order == 1) return one; return two; }\n\
        static step pick_again(int order) { return pick(order); }\n\
        static void init(void) { plain = &three; }\n\
        int main(int argc, char **argv) { double a[9]; chosen = pick_again(argc); init();\n\
        for (int k = 0; k < 5; k++) chosen(a);\n\
        for (int k = 0; k < 7; k++) (*plain)(a);\n return 0; }\n";
    let json = analysed_text("m.c", text, &[]);
    for (function, count) in [("one", 5.0), ("two", 5.0), ("three", 7.0)] {
        assert_eq!(calls(&json, function), count, "{function}");
        let reasons = &nest(&json, function)["calls_reasons"];
        assert_eq!(*reasons, json!(["ambiguous_call"]));
    }
    assert_eq!(calls(&json, "never"), 0.0);
}

/// Where nothing says what a pointer has, a call may mean each procedure of as many arguments that any pointer has.
#[test]
fn calls_through_pointers_lead_somewhere_whatever_gives_them() {
    let kernels = "static double y[100];\n\
        static void add(int n) { for (int i = 0; i < n; i++) y[i] += 1; }\n\
        static void twice(int n) { for (int i = 0; i < n; i++) y[i] *= 2; }\n\
        static void never(int n) { for (int i = 0; i < n; i++) y[i] = 2; }\n\
        typedef void (*fn)(int);\nstruct ops { fn a; fn b; int k; };\nstruct outer { int n; struct ops in; };\n";
    let cases = [
        // A table of pointers, through a variable, a result, and a pointer that moves.
        (
            "static fn table[2] = {add, twice}; int main(int c, char **v) { fn f = table[c]; f(9); return 0; }",
            [1.0, 1.0],
        ),
        (
            "static fn table[2] = {add, twice}; static fn get(int k) { return table[k]; }\n\
          int main(int c, char **v) { get(c)(9); return 0; }",
            [1.0, 1.0],
        ),
        // Braces that are left out, structures in structures, structures of a function, literals.
        (
            "static struct outer o = {7, add, twice, 2}; int main(void) { o.in.a(9); return 0; }",
            [1.0, 1.0],
        ),
        (
            "int main(void) { struct ops o = {add}; o.a(9); return 0; }",
            [1.0, 0.0],
        ),
        (
            "static void go(struct ops *o) { o->a(9); }\n\
          int main(void) { go(&(struct ops){twice, add, 3}); return 0; }",
            [1.0, 1.0],
        ),
        // A value that is called, and a pointer that is set through its address.
        (
            "int main(int c, char **v) { (c > 2 ? add : twice)(9); return 0; }",
            [1.0, 1.0],
        ),
        (
            "static void set(fn *p) { *p = twice; }\n\
          int main(void) { fn f = add; set(&f); f(9); return 0; }",
            [1.0, 1.0],
        ),
        // What the library calls.
        (
            "int main(void) { extern int atexit(void (*)(int)); atexit(add); return 0; }",
            [1.0, 0.0],
        ),
    ];
    for (main, expected) in cases {
        let json = analysed_text("m.c", &format!("{kernels}{main}\n"), &[]);
        let times = ["add", "twice"].map(|function| calls(&json, function));
        assert_eq!(times, expected, "{main}");
        assert_eq!(calls(&json, "never"), 0.0, "{main}");
        for (function, times) in ["add", "twice"].into_iter().zip(times) {
            let reasons = &nest(&json, function)["calls_reasons"];
            let marked = json!(["ambiguous_call"]);
            assert!(times == 0.0 || *reasons == marked, "{main}: {reasons}");
        }
    }
}

#[test]
fn several_programs_are_each_run_once() {
    let json = steps("several", &[]);
    let names = |json: &Value| {
        let entries = json["entry"].as_array().expect("entries").clone();
        entries
            .iter()
            .map(|e| e["name"].clone())
            .collect::<Vec<Value>>()
    };
    assert_eq!(names(&json), ["first", "second"]);
    assert_eq!(calls(&json, "shared"), 17.0);
    let json = steps("several", &["--entry", "Second"]);
    assert_eq!(names(&json), ["second"]);
    assert_eq!(calls(&json, "shared"), 7.0);
    let (_, table, _) = printed(&[fixture("entries/several").to_str().expect("a path")]);
    assert!(table.contains("2 entries, each run once"), "{table}");
}

#[test]
fn an_entry_may_be_any_procedure_that_is_there() {
    let json = steps("steps.f90", &["--entry", "step"]);
    assert_eq!((calls(&json, "smooth"), calls(&json, "set_up")), (2.0, 0.0));
    let path = fixture("entries/steps.f90");
    let (status, _, error) = printed(&[path.to_str().expect("a path"), "--entry", "smoth"]);
    assert_eq!(status, Some(2));
    assert!(
        error.contains("no procedure has this name (did you mean smooth?)"),
        "{error}"
    );
}

#[test]
fn without_an_entry_every_nest_counts_once() {
    let path = fixture("calls/leaves.f90");
    let json = analysed(&path, &[]);
    assert_eq!(json["entry"], json!([]));
    let functions = json["functions"].as_array().expect("functions");
    for nest in functions
        .iter()
        .flat_map(|f| f["nests"].as_array().expect("nests"))
    {
        assert_eq!(
            (&nest["calls"], &nest["all_calls_seconds"]),
            (&json!(1), &nest["seconds"])
        );
    }
    let (_, table, _) = printed(&[path.to_str().expect("a path")]);
    assert!(
        table.contains("no PROGRAM or main in these sources: every nest counts once"),
        "{table}"
    );
}

/// What is listed is chosen by name; figures are those of the whole program.
#[test]
fn functions_that_are_not_listed_change_no_figure() {
    let (whole, part) = (
        steps("steps.c", &[]),
        steps("steps.c", &["--function", "k*"]),
    );
    let names = |json: &Value| -> Vec<String> {
        let functions = json["functions"].as_array().expect("functions").iter();
        functions
            .map(|f| f["name"].as_str().expect("a name").to_string())
            .collect()
    };
    assert!(names(&whole).len() > 5);
    assert_eq!(names(&part), ["kernel"]);
    let without_advice = |json: &Value| {
        let mut nest = nest(json, "kernel").clone();
        nest.as_object_mut().expect("a nest").remove("advice");
        nest
    };
    assert_eq!(without_advice(&whole), without_advice(&part));
    for key in ["totals", "parameters", "entry", "coverage", "on_guesses"] {
        assert_eq!(whole[key], part[key], "{key}");
    }
    let path = fixture("entries/steps.c");
    let path = path.to_str().expect("a path");
    let (_, all, _) = printed(&[path, "--no-config"]);
    let (_, table, _) = printed(&[path, "--no-config", "--function", "k*"]);
    let row = |text: &str| -> Vec<String> {
        let row = text.lines().find(|line| line.starts_with("kernel@"));
        let row = row.expect("a row").split_whitespace();
        row.map(str::to_string).collect()
    };
    assert_eq!(row(&all), row(&table));
    let is_other = |line: &str| line.starts_with("set_up@");
    assert!(!table.lines().any(is_other), "{table}");
    assert!(
        table.contains("--function lists 1 of 7 nests; those of other functions take"),
        "{table}"
    );
    let (_, none, error) = printed(&[path, "--no-config", "--function", "none*"]);
    assert!(
        none.is_empty() && error.contains("no function matches --function none*"),
        "{error}"
    );
}

#[test]
fn tables_pages_and_workbooks_list_the_functions_that_are_asked_for() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = fixture("entries/steps.c");
    let written = |more: &[&str], name: &str| {
        let at = |extension: &str| directory.path().join(format!("{name}{extension}"));
        let files = [at(""), at(".html"), at(".xlsx")];
        let [tables, page, book] = files.each_ref().map(|file| file.to_str().expect("a path"));
        let path = path.to_str().expect("a path");
        let outputs = ["--tables", tables, "--html", page, "-o", book];
        let arguments = [&[path, "--no-config", "--quiet"], &outputs[..], more].concat();
        assert_eq!(printed(&arguments).0, Some(0));
        files
    };
    let (whole, part) = (written(&[], "all"), written(&["--function", "k*"], "some"));
    let text = |path: &std::path::Path| std::fs::read_to_string(path).expect("a file");
    let rows = |tables: &std::path::Path, name: &str| -> Vec<String> {
        let text = text(&tables.join(name));
        text.lines().skip(1).map(str::to_string).collect()
    };
    for table in ["loops.csv", "arrays.csv", "caches.csv"] {
        let (all, some) = (rows(&whole[0], table), rows(&part[0], table));
        assert!(some.len() < all.len() && !some.is_empty(), "{table}");
        assert!(
            some.iter()
                .all(|row| all.contains(row) && row.contains("kernel@")),
            "{table}"
        );
    }
    let about: Value = serde_json::from_str(&text(&part[0].join("tables.json"))).expect("JSON");
    let remark = "--function lists 1 of 7 nests; totals and shares are those of all.";
    assert_eq!(about["remark"], remark);
    let [all, some] = [&whole, &part].map(|files| page::data(&text(&files[1])));
    let nests = |data: &Value| -> Vec<String> {
        let nests = data["nests"].as_array().expect("nests").iter();
        nests.map(|nest| nest["id"].to_string()).collect()
    };
    assert_eq!(nests(&some).len(), 1, "{:?}", nests(&some));
    assert!(nests(&all).contains(&nests(&some)[0]));
    assert!(some["tables"][0]["remark"].to_string().contains(remark));
    let totals = |files: &[std::path::PathBuf; 3]| page::totals(&text(&files[1]));
    assert_eq!(totals(&whole), totals(&part));
    let mut book: calamine::Xlsx<_> = calamine::open_workbook(&part[2]).expect("a workbook");
    let range = calamine::Reader::worksheet_range(&mut book, "Summary").expect("a sheet");
    let cells = range.cells().map(|(_, _, cell)| cell.to_string());
    let cells: Vec<String> = cells.collect();
    assert!(
        !cells.iter().any(|cell| cell.starts_with("set_up@")),
        "{cells:?}"
    );
    for said in [
        "Further nests, not in this workbook",
        "Time of all nests, others as written",
        "Time over all calls, listed nests",
    ] {
        assert!(cells.iter().any(|cell| cell == said), "{said}: {cells:?}");
    }
    // Figures of the program are those of all of it: the time, the range that it may lie in, shares.
    let [all, some] = [&whole, &part].map(|files| summary(&files[2]));
    let beside = |rows: &[Vec<String>], name: &str, column: usize| -> Option<String> {
        let row = rows.iter().find(|row| row[0] == name)?;
        Some(row[column].clone())
    };
    assert_eq!(all[5][0], some[5][0]);
    assert!(all[5][0].starts_with("When this was written"), "{all:?}");
    let number = |text: Option<String>| -> f64 {
        let text = text.expect("a row");
        text.parse().expect("a number")
    };
    let whole = number(beside(&all, "Time over all calls", 1));
    let again = number(beside(&some, "Time of all nests, others as written", 1));
    assert!((whole / again - 1.0).abs() < 1e-12, "{whole} {again}");
    let [whole, again] = [&all, &some].map(|rows| number(beside(rows, "kernel@19", 2)));
    assert!((whole / again - 1.0).abs() < 1e-12, "{whole} {again}");
}

/// The rows of the sheet Summary.
fn summary(path: &std::path::Path) -> Vec<Vec<String>> {
    let mut book: calamine::Xlsx<_> = calamine::open_workbook(path).expect("a workbook");
    let range = calamine::Reader::worksheet_range(&mut book, "Summary").expect("a sheet");
    let row = |row: &[calamine::Data]| row.iter().map(ToString::to_string).collect();
    range.rows().map(row).collect()
}

#[test]
fn long_names_keep_their_lines_on_summary() {
    let directory = tempfile::tempdir().expect("a directory");
    let [path, book] = ["a.c", "a.xlsx"].map(|name| directory.path().join(name));
    let source = "double a[1000];
void a_function_whose_name_has_forty_characters(int n) { for (int i = 0; i < n; i++) a[i] += 1; }
int main(void) { a_function_whose_name_has_forty_characters(1000); }
";
    std::fs::write(&path, source).expect("a source");
    let arguments = [&path, &book].map(|path| path.to_str().expect("UTF-8"));
    let (status, _, error) = printed(&[arguments[0], "--no-config", "-o", arguments[1]]);
    assert_eq!(status, Some(0), "{error}");
    let rows = summary(&book);
    let said = "a_function_whose…ty_characters@2";
    assert!(rows.iter().any(|row| row[0] == said), "{rows:?}");
}

#[test]
fn what_is_not_listed_is_said() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("a.c");
    let source = "double a[1000000], b[1000000];
int one(void) { return 1; }
void scale(int n) { for (int i = 0; i < n; i++) a[i] *= 2.0; }
void twice(int n) { for (int i = 0; i < n; i++) a[i] = 0; for (int i = 0; i < n; i++) b[i] = a[i]; }
int main(void) { scale(1000000); twice(1000000); return one(); }
";
    std::fs::write(&path, source).expect("a source");
    let [path, book] = [path, directory.path().join("a.xlsx")];
    let [path, book] = [&path, &book].map(|path| path.to_str().expect("UTF-8"));
    let (_, table, _) = printed(&[path, "--no-config", "--function", "scale"]);
    assert!(
        table.contains("advice: no known change to what is listed saves 1 % of the time"),
        "{table}"
    );
    let (_, json, _) = printed(&[path, "--no-config", "--function", "scale", "--json", "-"]);
    let report: Value = serde_json::from_str(&json).expect("JSON");
    let expected = serde_json::json!({
        "functions": 1, "of_functions": 4, "nests": 1, "of_nests": 3
    });
    assert_eq!(report["listed"], expected);
    let (_, json, _) = printed(&[path, "--no-config", "--json", "-"]);
    let report: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(report.get("listed"), None);
    let (status, _, _) = printed(&[path, "--no-config", "--function", "one", "-o", book]);
    assert_eq!(status, Some(0));
    let (_, table, _) = printed(&[path, "--no-config", "--function", "one"]);
    let said = "the functions that --function lists have no loop nests; those of other functions take 100.0 % of the time";
    assert!(table.contains(said), "{table}");
    let said = "The functions that --function lists have no loop nests.";
    let rows = summary(std::path::Path::new(book));
    assert!(rows.iter().any(|row| row[0] == said), "{rows:?}");
}

#[test]
fn the_model_in_xml_knows_where_a_run_begins() {
    let directory = tempfile::tempdir().expect("a directory");
    let model = directory.path().join("model.xml");
    let path = fixture("entries/steps.c");
    let arguments = [
        path.to_str().expect("a path"),
        "--xml",
        model.to_str().expect("a path"),
    ];
    assert_eq!(printed(&arguments).0, Some(0));
    let again = analysed(&model, &[]);
    let json = steps("steps.c", &[]);
    for function in ["kernel", "damp", "divide", "set_up", "forgotten"] {
        let (a, b) = (nest(&json, function), nest(&again, function));
        for key in ["calls", "calls_reasons", "all_calls_seconds", "share"] {
            assert_eq!(a[key], b[key], "{function} {key}");
        }
    }
}

/// More nests than a workbook has, of which the cheaper ones are called in loops.
#[test]
fn a_workbook_of_a_big_program_keeps_what_a_run_spends_most_time_in() {
    let mut text = String::new();
    for index in 0..1_600 {
        let size = 10 + index;
        text += &format!(
            "void f{index}(double *a) {{ for (int i = 0; i < {size}; i++) a[i] += 1; }}\n"
        );
    }
    text += "void steps(double *a) { for (int k = 0; k < 30; k++) f3(a); }\n";
    text += "int main(void) { double a[2000];\n for (int t = 0; t < 200; t++) steps(a);\n";
    (0..1_600).for_each(|index| text += &format!("f{index}(a);\n"));
    text += "return 0; }\n";
    let directory = tempfile::tempdir().expect("a directory");
    let (path, book) = (
        directory.path().join("m.c"),
        directory.path().join("m.xlsx"),
    );
    std::fs::write(&path, text).expect("a file");
    let [path, book] = [&path, &book].map(|path| path.to_str().expect("a path"));
    // The loop around these calls would take the longest.
    let free = "machine.call_cycles=0";
    let arguments = [path, "-q", "-o", book, "--set", free];
    assert_eq!(printed(&arguments).0, Some(0));
    let mut book: calamine::Xlsx<_> = calamine::open_workbook(book).expect("a workbook");
    let sheet = |book: &mut calamine::Xlsx<_>, name: &str| {
        let range = calamine::Reader::worksheet_range(book, name).expect("a sheet");
        range
            .rows()
            .map(|row| row.iter().map(std::string::ToString::to_string).collect())
            .collect::<Vec<Vec<String>>>()
    };
    let top = sheet(&mut book, "Top 100");
    let first = top.iter().find(|row| row[0] == "1").expect("a first row");
    assert_eq!(first[1], "f3@4", "{first:?}");
    assert_eq!(first[12], "6001", "{first:?}");
}

/// Which of two implementations is linked is not known.
#[test]
fn of_several_bodies_each_counts_with_a_mark() {
    let directory = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| {
        std::fs::create_dir_all(directory.path().join(name).parent().expect("a directory"))
            .and_then(|()| std::fs::write(directory.path().join(name), text))
            .expect("a file");
    };
    let smooth = "void smooth(double *a) { for (int i = 0; i < 9; i++) a[i] *= 0.5; }\n";
    write("one/jacobi.c", smooth);
    write("one/gauss.c", smooth);
    write(
        "main.c",
        "void smooth(double *a);\nint main(void) { double a[9]; for (int k = 0; k < 6; k++) smooth(a); return 0; }\n",
    );
    let json = analysed(directory.path(), &[]);
    let functions = json["functions"].as_array().expect("functions");
    let smooth: Vec<&Value> = functions.iter().filter(|f| f["name"] == "smooth").collect();
    assert_eq!(smooth.len(), 2);
    for function in smooth {
        let nest = &function["nests"][0];
        assert_eq!(
            (&nest["calls"], &nest["calls_reasons"]),
            (&json!(6), &json!(["ambiguous_call"]))
        );
    }
}

/// `validate` begins where `analyze` does, and refuses what is not there.
#[test]
fn validate_takes_an_entry() {
    let path = fixture("entries").join("steps.c");
    let status = |entry: &str| {
        let mut command: Command = loopsheet();
        let output = command
            .arg("validate")
            .arg(&path)
            .args(["--quiet", "--entry", entry])
            .output()
            .expect("it runs");
        let error = String::from_utf8(output.stderr).expect("UTF-8");
        (output.status.code(), error)
    };
    assert_eq!(status("main").0, Some(0));
    let (code, error) = status("nosuch");
    assert_eq!(code, Some(2));
    assert!(
        error.contains("--entry nosuch: no procedure has this name"),
        "{error}"
    );
}
