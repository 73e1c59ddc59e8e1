//! How sources are preprocessed: `compile_commands.json`, `--cpp`, `-D`, `-U`, and headers that the
//! include path does not lead to.

use std::fs;
use std::path::Path;

use crate::support::command;
use serde_json::Value;

fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a directory");
    for (name, text) in files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("made");
        fs::write(path, text).expect("written");
    }
    dir
}

/// The report of an analysis, and what it said.
fn analyse(dir: &Path, arguments: &[&str]) -> (Value, String) {
    let mut command = command::loopsheet();
    let output = command
        .current_dir(dir)
        .args(["analyze", "--json", "-"])
        .args(arguments)
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr).to_string();
    (
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {said}")),
        said,
    )
}

fn loops(report: &Value) -> Vec<&Value> {
    let functions = report["functions"].as_array().expect("functions").iter();
    functions
        .flat_map(|function| function["loops"].as_array().expect("loops"))
        .collect()
}

const SCALE: &str =
    "void scale(double *x) {\n  for (int i = 0; i < SIZE; i++)\n    x[i] *= 2;\n}\n";

#[test]
fn each_file_has_the_flags_of_its_compile_command() {
    let commands = r#"[{"directory": ".", "file": "src/a.c", "command": "cc -DSIZE=10 -c src/a.c"},
                       {"directory": "src", "file": "b.c", "arguments": ["cc", "-D", "SIZE=2*HALF", "-I../include", "-c", "b.c"]}]"#;
    let b = format!("#include \"half.h\"\n{SCALE}");
    let files = [
        ("compile_commands.json", commands),
        ("src/a.c", SCALE),
        ("src/b.c", &b),
        ("include/half.h", "#define HALF 4\n"),
    ];
    let dir = project(&files);
    let iterations = |report: &Value| -> Vec<f64> {
        let functions = report["functions"].as_array().expect("functions").iter();
        functions
            .map(|f| f["nests"][0]["iterations"].as_f64().expect("a number"))
            .collect()
    };
    // Found above the sources, or named.
    assert_eq!(iterations(&analyse(dir.path(), &["src"]).0), [10.0, 8.0]);
    assert_eq!(
        iterations(&analyse(dir.path(), &["src", "-p", "."]).0),
        [10.0, 8.0]
    );
    // The command line has the last word.
    assert_eq!(
        iterations(&analyse(dir.path(), &["src", "-D", "SIZE=3"]).0),
        [3.0, 3.0]
    );
    let (report, _) = analyse(dir.path(), &["src/a.c", "-U", "SIZE", "--set", "SIZE=21"]);
    assert_eq!(iterations(&report), [21.0]);
    let mut command = command::loopsheet();
    command
        .current_dir(dir.path())
        .args(["analyze", "src", "-p", "include"])
        .assert()
        .code(2);
}

#[test]
fn a_command_may_preprocess() {
    let dir = project(&[("a.c", SCALE), ("expand", "sed \"s/SIZE/12/\" \"$1\"\n")]);
    let (report, _) = analyse(dir.path(), &["a.c", "--cpp", "sh expand"]);
    assert_eq!(report["files"][0]["preprocessed"], "external");
    assert_eq!(loops(&report)[0]["upper"], "11");
    assert_eq!(loops(&report)[0]["line"], 2);
    // One that fails leaves the work to the built-in preprocessor, and is named.
    let (report, said) = analyse(dir.path(), &["a.c", "--cpp", "sh missing", "-D", "SIZE=5"]);
    assert_eq!(report["files"][0]["preprocessed"], "builtin");
    assert!(
        said.contains("cpp-failed") && said.contains("sh missing"),
        "{said}"
    );
    assert_eq!(loops(&report)[0]["upper"], "SIZE - 1");
}

#[test]
fn of_several_included_files_of_a_name_one_is_read_with_a_warning() {
    let main = "      subroutine f(x)\n      include 'SIZE'\n      real x(n)\n      do i = 1, n\n        x(i) = 0\n      end do\n      end\n";
    let size = |n: usize| format!("      integer n\n      parameter (n = {n} 000)\n");
    let (first, second) = (size(3), size(4));
    let dir = project(&[
        ("src/main.f", main),
        ("test/a/SIZE", &first),
        ("test/b/SIZE", &second),
    ]);
    let (report, said) = analyse(dir.path(), &["."]);
    let warning =
        "`SIZE` is not on the include path; test/a/SIZE is read, one of 2 files of that name";
    assert!(said.contains(warning), "{said}");
    assert_eq!(report["parameters"]["n"]["value"], 3000);
    let (report, said) = analyse(dir.path(), &[".", "-I", "test/b"]);
    assert!(!said.contains("SIZE"), "{said}");
    assert_eq!(report["parameters"]["n"]["value"], 4000);
}

/// A code that is not configured lacks headers: what they are made from says what to do.
#[test]
fn templates_of_missing_headers_are_named() {
    let main =
        "#include \"config.h\"\nvoid f(double *x) { for (int i = 0; i < N; i++) x[i] = 0; }\n";
    let fortran =
        "      subroutine g(x)\n      include 'sizes.h'\n      real x(n)\n      x = 0\n      end\n";
    let dir = project(&[
        ("src/main.c", main),
        ("src/config.h.in", "#define N @N@\n"),
        ("src/g.f", fortran),
        ("setup/sizes.h.in", "      parameter (n = @N@)\n"),
    ]);
    let (_, said) = analyse(dir.path(), &["."]);
    for template in ["src/config.h.in", "setup/sizes.h.in"] {
        let advice = format!("{template} is there: configure or build the program first");
        assert!(said.contains(&advice), "{said}");
    }
}

#[test]
fn a_header_under_the_analysed_directory_is_found_by_name() {
    let main = "#include <sizes.h>\n#include <stdio.h>\nvoid f(real *x) {\n  for (int i = 0; i < N; i++) x[i] = 0;\n}\n";
    let header = "#define N 17\ntypedef float real;\n";
    let dir = project(&[
        ("run/main.c", main),
        ("util/sizes.h", header),
        ("util/stdio.h", "#error not this one\n"),
    ]);
    let (report, said) = analyse(dir.path(), &[".", "--verbose"]);
    assert!(
        said.contains("include-guessed") && said.contains("util/sizes.h"),
        "{said}"
    );
    let all = loops(&report);
    assert_eq!(
        (&all[0]["reasons"], &all[0]["arrays"][0]["element_bytes"]),
        (&Value::from(Vec::<i32>::new()), &Value::from(4))
    );
    assert_eq!(report["parameters"]["N"]["value"], 17);
    let remarks = report["files"]
        .as_array()
        .expect("files")
        .iter()
        .flat_map(|f| f["diagnostics"].as_array().expect("a list"));
    assert_eq!(
        remarks
            .filter(|remark| remark["code"] == "error-directive")
            .count(),
        1,
        "only when it is read by itself"
    );
}

const COUNTED: &str = "void f(int n, double *a) {\n  for (int i = 0; i < n; i++) a[i] = 1.0;\n}\n";

/// A command that succeeds and prints nothing has not preprocessed anything.
#[test]
fn a_preprocessor_without_output_is_not_believed() {
    let dir = project(&[("a.c", COUNTED)]);
    let (report, said) = analyse(dir.path(), &["a.c", "--cpp", "true"]);
    assert_eq!(loops(&report).len(), 1);
    assert!(
        said.contains("cpp-no-output") && said.contains("`true` printed nothing"),
        "{said}"
    );
    let (_, said) = analyse(dir.path(), &["a.c", "--cpp", "true", "-v"]);
    assert!(
        said.contains("read: a.c (c, free form, preprocessed by loopsheet)"),
        "{said}"
    );
}

/// Padding at the end is left out, with a warning.
#[test]
fn zero_bytes_at_the_end_are_padding() {
    let dir = project(&[("a.c", &format!("{COUNTED}\0\0\0"))]);
    let (report, said) = analyse(dir.path(), &["a.c"]);
    assert_eq!(loops(&report).len(), 1);
    assert!(said.contains("3 zero bytes"), "{said}");
}

/// A preprocessor without end is stopped, and the built-in one does the work.
#[test]
fn a_command_that_writes_without_end_is_stopped() {
    let dir = tempfile::tempdir().expect("a directory");
    std::fs::write(
        dir.path().join("a.c"),
        "void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = 1; }",
    )
    .expect("written");
    let (report, said) = analyse(dir.path(), &["a.c", "--cpp", "yes"]);
    assert_eq!(
        report["functions"][0]["loops"]
            .as_array()
            .expect("loops")
            .len(),
        1
    );
    assert!(
        said.contains("it wrote more than 256 MiB and was stopped"),
        "{said}"
    );
}
