//! Forms that real source trees are full of, and input that must not stop the program.

use std::fmt::Write;
use std::time::Duration;

use serde_json::Value;

use crate::small::{function, iterations};
use crate::support::command::{analysed, analysed_text, fixture, loopsheet};

fn understood(json: &Value) -> (u64, u64) {
    let count = |key: &str| json["coverage"][key].as_u64().expect("a count");
    (count("loops"), count("understood"))
}

/// 33 definitions, each from the one before, cut up a workspace: `k33 = 1 + 33 n k`.
#[test]
fn long_chains_of_definitions_are_followed() {
    let mut text = "subroutine f(a, n, k)\ninteger n, k, i\nreal(8) a(*)\n".to_string();
    let names: Vec<String> = (0..34).map(|at| format!("k{at}")).collect();
    let _ = writeln!(text, "integer {}\nk0 = 1", names.join(", "));
    for at in 1..34 {
        let _ = writeln!(text, "k{at} = k{} + n*k", at - 1);
    }
    text += "do i = 1, k33\na(i) = 0\nend do\ndo i = 1, n\na(k33 + i) = 0\nend do\nend\n";
    let json = analysed_text("workspace.f90", &text, &["--set", "n=10,k=10"]);
    assert_eq!(iterations(&json, "f"), [3301.0, 10.0]);
    assert_eq!(understood(&json), (2, 2));
}

#[test]
fn a_kind_that_is_defined_by_itself_is_unknown() {
    let text = "integer, parameter :: dp = kind(1.0_dp), e = kind(-(1.0_e, 2.0))\nreal(dp) :: a(9)\na = 1\nend\n";
    let json = analysed_text("kind.f90", text, &[]);
    assert_eq!(understood(&json), (1, 1));
}

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(|at| line(at) + "\n").collect()
}

#[test]
fn thousands_of_cases_are_read() {
    let c = |cases: &str| {
        format!(
            "void f(int n, int c, double *a) {{ for (int i = 0; i < n; i++) switch (c) {{\n{cases}default: a[i] = 2; }} }}\n"
        )
    };
    let in_a_row = lines(20_000, |at| format!("case {at}:")) + "a[i] = 1; break;\n";
    assert_eq!(
        understood(&analysed_text("row.c", &c(&in_a_row), &[])),
        (1, 1)
    );
    let apart = lines(20_000, |at| format!("case {at}: a[i] = {at}; break;"));
    let json = analysed_text("apart.c", &c(&apart), &[]);
    assert_eq!(json["coverage"]["reasons"]["too_deep"], 1);
    let list = lines(9_999, |at| format!("{at}, &")) + "9999";
    let fortran = format!(
        "subroutine f(n, c, a)\ninteger n, c, i\nreal a(n)\ndo i = 1, n\nselect case (c)\ncase ({list})\na(i) = 1\nend select\nend do\nend\n"
    );
    assert_eq!(
        understood(&analysed_text("list.f90", &fortran, &[])),
        (1, 1)
    );
}

/// A pipe that nobody writes to would be waited for, and a device read for ever.
#[cfg(unix)]
#[test]
fn only_regular_files_are_read() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name);
    let made = std::process::Command::new("mkfifo")
        .arg(path("pipe.h"))
        .status();
    assert!(made.expect("mkfifo").success());
    let text = "#include \"pipe.h\"\nvoid f(double *a) { for (int i = 0; i < 9; i++) a[i] = 1; }\n";
    std::fs::write(path("a.c"), text).expect("a file");
    let run = |arguments: &[&str]| {
        let mut command = loopsheet();
        command.arg("analyze").arg(path("a.c")).args(arguments);
        let output = command
            .timeout(Duration::from_secs(60))
            .output()
            .expect("it ends");
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), complaint)
    };
    let (status, complaint) = run(&[]);
    assert_eq!(status, Some(0));
    assert!(complaint.contains("`pipe.h` was not found"), "{complaint}");
    for option in ["--machine", "--config", "--input"] {
        let (status, complaint) = run(&[option, "/dev/zero"]);
        assert_eq!(status, Some(2), "{option}");
        assert!(complaint.contains("not a regular file"), "{complaint}");
    }
}

/// 4096 bodies do not fit in the place of one call: the loop has its reason. Eight do.
#[test]
fn bodies_that_are_too_large_for_their_callers_give_a_reason() {
    let json = analysed("tests/fixtures/trees/doubling_calls.c", &[]);
    let facts = |name: &str| &function(&json, name)["loops"][0];
    let reasons = facts("many")["reasons"].as_array().expect("reasons");
    assert_eq!(reasons.len(), 1);
    assert_eq!(reasons[0]["code"], "callee");
    assert_eq!(facts("few")["reasons"], Value::Array(Vec::new()));
    assert_eq!(facts("few")["flops"]["adds"], 8);
    assert_eq!(understood(&json), (2, 1));
}

/// A procedure that only prints a message under an error condition leaves nothing out.
#[test]
fn messages_are_no_work_that_is_left_out() {
    let text = "subroutine f(n, a)\nreal(8) a(n)\ndo i = 1, n\ncall step(n, a)\nend do\nend\n\
                subroutine step(n, a)\nreal(8) a(n)\nif (n < 1) call complain('step')\ncall scale(n, a)\nend\n\
                subroutine scale(n, a)\nreal(8) a(n)\ndo i = 1, n\na(i) = 2*a(i)\nend do\nend\n\
                subroutine complain(name)\ncharacter*(*) name\nprint *, name(1:len_trim(name))\nstop\nend\n";
    assert_eq!(understood(&analysed_text("message.f90", text, &[])), (2, 2));
}

/// The attribute makes a type public in a module that is private, and private in one that is not.
#[test]
fn types_are_public_by_attribute() {
    let json = analysed("tests/fixtures/trees/public_type.f90", &[]);
    assert_eq!(understood(&json), (2, 2));
    let own = &function(&json, "own")["loops"][0]["arrays"][0];
    assert_eq!(own["element_bytes"], 8, "{own}");
}

/// Statements in column 6 are no continuation lines, and comments in column 1 no statements.
#[test]
fn the_form_of_a_file_is_found_out() {
    for (file, form, flops) in [("free.F", "free", 3), ("columns.F", "fixed", 1)] {
        let json = analysed(format!("tests/fixtures/trees/{file}"), &[]);
        assert_eq!(json["files"][0]["form"], form, "{file}");
        assert_eq!(json["files"][0]["diagnostics"], Value::Array(Vec::new()));
        let flops_found = &json["functions"][0]["loops"][0]["flops"];
        let count = |key: &str| flops_found[key].as_u64().expect("a count");
        assert_eq!(count("adds") + count("multiplies"), flops, "{file}");
    }
    let flags = ["--flags=-ffixed-form"];
    let json = analysed("tests/fixtures/trees/free.F", &flags);
    assert_eq!(json["files"][0]["form"], "fixed");
}

/// What reads the same in both forms is what its neighbours are: here nothing is cut off after column 72.
#[test]
fn the_form_of_a_file_is_that_of_its_directory() {
    let directory = tempfile::tempdir().expect("a directory");
    let source = |name: &str| directory.path().join(name);
    let blanks = " ".repeat(40);
    let wide = format!(
        "      subroutine w(a, n)\n      real a(n)\n      do i = 1, n\n        a(i) = a(i) {blanks}+ 1.0 + 2.0 + 3.0 + 4.0\n      end do\n      end\n"
    );
    std::fs::write(source("wide.F"), wide).expect("a file");
    let adds = || {
        let json = analysed(source("wide.F").parent().expect("a directory"), &[]);
        let facts = &function(&json, "w")["loops"][0];
        facts["flops"]["adds"].as_u64().expect("a count")
    };
    assert_eq!(adds(), 2);
    std::fs::copy(fixture("trees/free.F"), source("free.F")).expect("a copy");
    assert_eq!(adds(), 4);
}

fn codes(json: &Value) -> Vec<&str> {
    let found = json["files"][0]["diagnostics"].as_array().expect("a list");
    found
        .iter()
        .filter_map(|remark| remark["code"].as_str())
        .collect()
}

/// Only one branch of an `#if` is compiled, whatever the extension.
#[test]
fn directives_are_followed_in_any_file() {
    let file = "tests/fixtures/trees/directives.f90";
    let followed = analysed(file, &[]);
    assert_eq!(understood(&followed), (1, 1));
    assert_eq!(followed["functions"][0]["loops"][0]["line"], 9);
    assert_eq!(followed["files"][0]["preprocessed"], "builtin");
    assert_eq!(codes(&followed), ["preprocessed"]);
    let other = analysed(file, &["-D", "GPU"]);
    assert_eq!(other["functions"][0]["loops"][0]["line"], 5);
    for arguments in [&["--cpp", "never"], &["--flags", "-nocpp"]] {
        let read = analysed(file, arguments);
        assert_eq!(understood(&read), (2, 2));
        assert_eq!(codes(&read), ["undecided-branch"]);
    }
    let by_compiler = analysed(file, &["--cpp", "always", "-D", "GPU"]);
    assert_eq!(by_compiler["functions"][0]["loops"][0]["line"], 5);
    assert_eq!(by_compiler["files"][0]["preprocessed"], "external");
}

/// A text that `#include` puts in is the preprocessor's, whatever the extension of the file; one of an `include` line is not.
#[test]
fn directives_of_included_files_are_followed_or_named() {
    let followed = analysed("tests/fixtures/trees/parts.f90", &[]);
    assert_eq!(understood(&followed), (1, 1));
    assert_eq!(followed["functions"][0]["loops"][0]["line"], 9);
    assert_eq!(codes(&followed), ["preprocessed"]);
    let read = analysed("tests/fixtures/trees/included_parts.f90", &[]);
    assert_eq!(understood(&read), (2, 2));
    assert_eq!(codes(&read), ["undecided-branch"]);
}

/// What stands amid statements that are carried out holds before, and does not hide the loops behind it.
#[test]
fn valid_forms_are_read() {
    let files = [
        ("valid.f90", 2),
        ("without_blanks.f", 2),
        ("late_data.f90", 2),
    ];
    for (file, loops) in files {
        let json = analysed(format!("tests/fixtures/trees/{file}"), &[]);
        assert_eq!(
            json["files"][0]["diagnostics"],
            Value::Array(Vec::new()),
            "{file}"
        );
        assert_eq!(understood(&json), (loops, loops), "{file}");
    }
}

/// One nest that divides by zero is named, and the others add up.
#[test]
fn a_division_by_zero_leaves_the_other_totals() {
    let text = "void f(int n, double *a) {\n  for (int i = 0; i < n; i++) a[i] += 1;\n  for (int i = 0; i < n / (n - 8); i++) a[i] += 1;\n}\n";
    let json = analysed_text("zero.c", text, &["--set", "n=8"]);
    let totals = &json["totals"];
    assert_eq!(totals["unknown"], serde_json::json!(["f@3"]));
    assert_eq!((&totals["nests"], &totals["flops"]), (&2.into(), &8.into()));
    assert!(
        totals["seconds"]
            .as_f64()
            .is_some_and(|seconds| seconds > 0.0)
    );
}

/// A tree of links, as build and run directories are: every file is read once, under its own path if it has one there.
#[cfg(unix)]
#[test]
fn links_are_followed_once() {
    use std::os::unix::fs::symlink;
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name);
    for name in ["store", "tree", "tree/own"] {
        std::fs::create_dir(path(name)).expect("a directory");
    }
    for name in ["store/far", "tree/own/near"] {
        let text = "void f(double *a) { for (int i = 0; i < 9; i++) a[i] = 1; }\n";
        std::fs::write(path(&format!("{name}.c")), text).expect("a file");
    }
    symlink(path("store"), path("tree/linked")).expect("a link");
    symlink(path("store/far.c"), path("tree/again.c")).expect("a link");
    symlink(path("tree/own/near.c"), path("tree/a.c")).expect("a link");
    symlink(path("tree"), path("tree/own/circle")).expect("a link");
    let json = analysed(path("tree"), &[]);
    let files = json["files"].as_array().expect("files");
    let mut names: Vec<&str> = (files.iter())
        .filter_map(|file| file["path"].as_str()?.rsplit_once("/tree/"))
        .map(|(_, name)| name)
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["again.c", "own/near.c"]);
}

/// `.h` is an extension of several languages.
#[test]
fn headers_are_read_as_what_they_are() {
    let directory = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| {
        std::fs::write(directory.path().join(name), text).expect("a file");
    };
    write("sizes.h", "      external f\n      common /sizes/ n\n");
    write(
        "grid.h",
        "namespace grid {\ntemplate <int N> struct A { double x[N]; };\n}\n",
    );
    write(
        "work.h",
        "static void f(double *a) { for (int i = 0; i < 9; i++) a[i] = 1; }\n",
    );
    write(
        "s.f",
        "      subroutine s(a)\n      include 'sizes.h'\n      real a(n)\n      do i = 1, n\n        a(i) = 1\n      end do\n      end\n",
    );
    let json = analysed(directory.path(), &[]);
    assert_eq!(understood(&json), (2, 2));
    for file in json["files"].as_array().expect("files") {
        let remarks = file["diagnostics"].as_array().expect("a list");
        assert!(
            remarks.iter().all(|remark| remark["severity"] == "note"),
            "{file}"
        );
    }
}

/// What was set stays set in a description, for functions, for what several files share, and for probabilities.
#[test]
fn a_description_keeps_what_was_set() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name);
    let text = "#include <stdio.h>\nint n;\nvoid read(void) { scanf(\"%d\", &n); }\nvoid f(int m, double *a) {\n  for (int j = 0; j < m; j++)\n    for (int i = 0; i < n; i++)\n      if (a[i] > 0) a[i] = a[i] * 2;\n}\n";
    std::fs::write(path("a.c"), text).expect("a file");
    let settings = ["--set", "m=7,n=11"];
    let before = analysed(path("a.c"), &settings);
    let model = path("m.xml").display().to_string();
    let written = loopsheet()
        .arg("analyze")
        .arg(path("a.c"))
        .args(settings)
        .args(["--xml", &model, "-q"])
        .ok();
    written.expect("it runs");
    let after = analysed(path("m.xml"), &[]);
    assert_eq!(iterations(&after, "f"), [77.0]);
    assert_eq!(before["totals"]["flops"], after["totals"]["flops"]);
    assert_eq!(before["totals"]["seconds"], after["totals"]["seconds"]);
    let again = analysed(path("m.xml"), &["--set", "m=2"]);
    assert_eq!(iterations(&again, "f"), [22.0]);
}
