//! The program from outside: exit statuses, messages, outputs that are whole or not there.

use std::fs;
use std::path::Path;

use crate::support::command;
use assert_cmd::Command;

fn loopsheet() -> Command {
    let mut command = command::loopsheet();
    command.current_dir(command::root());
    command
}

struct Outcome {
    status: i32,
    stdout: String,
    stderr: String,
}

fn run(arguments: &[&str]) -> Outcome {
    let output = loopsheet().args(arguments).output().expect("it runs");
    Outcome {
        status: output.status.code().expect("it ends by itself"),
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

fn path(dir: &tempfile::TempDir, name: &str) -> String {
    dir.path().join(name).to_str().expect("UTF-8").to_string()
}

/// Runs with `-o` into an empty directory: status 2, a message with all `parts`, nothing written.
fn refused(arguments: &[&str], parts: &[&str]) {
    let dir = tempfile::tempdir().expect("a directory");
    let report = path(&dir, "report.xlsx");
    let outcome = run(&[&["analyze"], arguments, &["-o", &report]].concat());
    assert_eq!(outcome.status, 2, "{arguments:?}: {}", outcome.stderr);
    for part in parts {
        assert!(
            outcome.stderr.contains(part),
            "{arguments:?}: no `{part}` in: {}",
            outcome.stderr
        );
    }
    assert!(!outcome.stderr.contains("panicked"), "{}", outcome.stderr);
    assert_eq!(
        fs::read_dir(dir.path()).expect("it is there").count(),
        0,
        "{arguments:?} left something behind"
    );
}

/// Named it is refused; beside sources it is told, and they are read.
#[test]
fn a_binary_file_among_sources_is_left_out() {
    let dir = tempfile::tempdir().expect("a directory");
    fs::write(path(&dir, "binary.c"), b"int main\0\x01\x02").expect("written");
    fs::write(
        path(&dir, "sum.c"),
        "double s(int n, double *a) { double t = 0; for (int i = 0; i < n; i++) t += a[i]; return t; }",
    )
    .expect("written");
    let outcome = run(&["analyze", &dir.path().display().to_string()]);
    assert_eq!(outcome.status, 1, "{}", outcome.stderr);
    assert!(
        outcome.stderr.contains("binary.c") && outcome.stderr.contains("zero byte at offset 8"),
        "{}",
        outcome.stderr
    );
    assert!(
        outcome.stdout.contains("1 found, 1 understood"),
        "{}",
        outcome.stdout
    );
}

#[test]
fn two_outputs_cannot_be_one_file() {
    let dir = tempfile::tempdir().expect("a directory");
    let (report, other) = (path(&dir, "report.xlsx"), path(&dir, "./report.xlsx"));
    let inputs = ["--static", "samples/kernels", "--trace", "samples/traces"];
    let outcome = run(&[
        &["compare"],
        &inputs[..],
        &["-o", &report, "--json", &other],
    ]
    .concat());
    assert_eq!(outcome.status, 2);
    assert!(
        outcome.stderr.contains("two outputs would be written"),
        "{}",
        outcome.stderr
    );
    assert_eq!(fs::read_dir(dir.path()).expect("it is there").count(), 0);
}

#[test]
fn bad_usage_and_input_is_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = |name: &str, content: &[u8]| {
        let path = path(&dir, name);
        fs::write(&path, content).expect("written");
        path
    };
    refused(&["no/such/file.f90"], &["no/such/file.f90"]);
    refused(
        &[&file("binary.c", b"int main\0\x01\x02")],
        &["binary.c", "binary"],
    );
    refused(
        &[&file("text.txt", b"do i = 1, n")],
        &["text.txt", "extension"],
    );
    refused(
        &[&file("broken.xml", b"<program><function name='x'")],
        &["broken.xml"],
    );
    refused(
        &[&file("garbage.f90", b"}{ )( == <<>> ,,, ;; %%\n")],
        &["nothing could be analysed"],
    );
    refused(
        &["samples", "--set", "cache_byte=1"],
        &["cache_byte", "cache_bytes"],
    );
    refused(
        &["samples", "--set", "cache_bytes=lots"],
        &["cache_bytes", "lots"],
    );
    refused(&["samples", "--set", "cache_bytes=-1"], &["cache_bytes"]);
    refused(&["samples", "--set", "cache_bytes"], &["NAME=VALUE"]);
    refused(&["samples", "--set", "block_x=1.5"], &["block_x", "whole"]);
    refused(&["samples", "--machine", "xeon"], &["xeon", "xeon-8380"]);
    refused(&["samples", "--machine", "no/such.toml"], &["no/such.toml"]);
    refused(&["samples", "--function", "no_such_*"], &["no_such_*"]);
    refused(
        &["samples/kernels", "--explain", "nothing@1"],
        &["nothing@1", "triad@8"],
    );
    refused(&["templates/machines"], &["no C or Fortran source"]);
    refused(
        &["samples", "--json", "no/such/directory/x.json"],
        &["no/such/directory"],
    );
    assert_eq!(run(&["analyze"]).status, 2);
    assert_eq!(run(&["analyze", "samples", "--no-such-flag"]).status, 2);
    assert_eq!(run(&["analyze", "samples", "-o", "report.pdf"]).status, 2);
}

#[cfg(unix)]
#[test]
fn an_unreadable_directory_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().expect("a directory");
    let closed = dir.path().join("closed");
    fs::create_dir(&closed).expect("made");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).expect("closed");
    let is_root = fs::read_dir(&closed).is_ok();
    let outcome = run(&["analyze", closed.to_str().expect("UTF-8")]);
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).expect("opened");
    assert_eq!(outcome.status, 2);
    // Whoever may read everything finds it empty instead.
    assert!(
        outcome.stderr.contains(if is_root {
            "no C or Fortran source"
        } else {
            "cannot read"
        }),
        "{}",
        outcome.stderr
    );
    assert!(outcome.stderr.contains("closed"), "{}", outcome.stderr);
}

#[test]
fn a_region_that_cannot_be_read_costs_only_itself() {
    let dir = tempfile::tempdir().expect("a directory");
    let source = path(&dir, "half.c");
    let text = "void good(int n, double *a) {\n  for (int i = 0; i < n; i++) a[i] = 2.0*a[i];\n}\n\
                void bad(int n) {\n  for (int i = 0; i < ; ) ) } {\n";
    fs::write(&source, text).expect("written");
    let outcome = run(&["analyze", &source]);
    assert_eq!(outcome.status, 1, "{}", outcome.stderr);
    assert!(outcome.stdout.contains("good@2"), "{}", outcome.stdout);
    assert!(
        outcome.stderr.contains("half.c:4") && outcome.stderr.contains('^'),
        "{}",
        outcome.stderr
    );
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut contents: Vec<Vec<Vec<u8>>> = Vec::new();
    for turn in ["1", "2"] {
        let files = ["r.xlsx", "r.xml", "r.json"].map(|name| path(&dir, &format!("{turn}{name}")));
        let outcome = run(&[
            "analyze", "samples", "-o", &files[0], "--xml", &files[1], "--json", &files[2],
        ]);
        assert_eq!(outcome.status, 0, "{}", outcome.stderr);
        assert_eq!(
            outcome.stdout, "",
            "outputs were asked for, so there is no table"
        );
        contents.push(
            files
                .iter()
                .map(|f| fs::read(f).expect("written"))
                .collect(),
        );
    }
    assert!(contents[0] == contents[1]);
}

#[test]
fn a_model_gives_the_same_sheets_as_its_source() {
    let dir = tempfile::tempdir().expect("a directory");
    let model = path(&dir, "model.xml");
    let (direct, indirect) = (path(&dir, "direct.xlsx"), path(&dir, "indirect.xlsx"));
    assert_eq!(
        run(&["analyze", "samples", "--xml", &model, "-o", &direct]).status,
        0
    );
    let outcome = run(&["analyze", &model, "-o", &indirect]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    assert!(fs::read(direct).expect("written") == fs::read(indirect).expect("written"));
}

#[test]
fn settings_and_machines_change_the_estimates() {
    let value = |arguments: &[&str]| -> serde_json::Value {
        let outcome = run(&[
            &["analyze", "samples/kernels/triad.c", "--json", "-"],
            arguments,
        ]
        .concat());
        assert_eq!(outcome.status, 0, "{}", outcome.stderr);
        serde_json::from_str(&outcome.stdout).expect("nothing but JSON")
    };
    let usual = value(&[]);
    // 20,000,000 elements: two streams read, one written with write-allocate, 8 bytes each.
    assert_eq!(
        usual["functions"][0]["nests"][0]["traffic"]["actual"],
        640_000_000
    );
    assert_eq!(usual["parameters"]["LENGTH"]["detail"], "macro");
    let smaller = value(&["--set", "LENGTH=1000000"]);
    assert_eq!(smaller["parameters"]["LENGTH"]["detail"], "set");
    let slower = value(&["--set", "dram_gbs=1", "--machine", "exasat"]);
    assert_eq!(slower["functions"][0]["nests"][0]["seconds"], 0.64);
    assert_eq!(slower["functions"][0]["nests"][0]["bound"], "DRAM");
    let without_allocate = value(&["--set", "cost_w=1"]);
    assert_eq!(
        without_allocate["functions"][0]["nests"][0]["traffic"]["actual"],
        480_000_000
    );
}

#[test]
fn the_demo_is_complete_and_needs_nothing() {
    let dir = tempfile::tempdir().expect("a directory");
    let target = path(&dir, "demo");
    let output = loopsheet()
        .args(["demo", &target])
        .env("PATH", "")
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(0));
    for name in [
        "report.xlsx",
        "report.html",
        "model.xml",
        "report.json",
        "report.txt",
        "samples/kernels/triad.c",
    ] {
        assert!(
            Path::new(&target).join(name).metadata().expect(name).len() > 0,
            "{name}"
        );
    }
    assert!(String::from_utf8_lossy(&output.stdout).contains("(100.0 %)"));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let program = assert_cmd::cargo::cargo_bin("loopsheet");
    let script = format!(
        "'{}' analyze samples --json - | head -c 10 >/dev/null; exit ${{PIPESTATUS[0]}}",
        program.display()
    );
    let output = std::process::Command::new("bash")
        .args(["-c", &script])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("bash runs");
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(output.stderr.is_empty());
}

#[test]
fn every_formula_is_explained() {
    let explain = ["analyze", "samples", "--explain-full", "--explain"];
    let outcome = run(&[&explain[..], &["laplace7@16"]].concat());
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    let source = "   16 |   do k = lo(3), hi(3)";
    for part in [
        source,
        "trip count of i",
        "hi_1-lo_1+1",
        "naive working set, plane",
        "memory time",
        "(DRAM)",
    ] {
        assert!(
            outcome.stdout.contains(part),
            "no `{part}` in {}",
            outcome.stdout
        );
    }
    let by_place = run(&[&explain[..], &["laplace7.f90:16"]].concat());
    assert_eq!(by_place.stdout, outcome.stdout);
}

#[test]
fn a_kind_of_figure_is_explained_by_its_name() {
    for name in ["memory_traffic", "memory traffic"] {
        let alone = run(&["analyze", "--explain", name]);
        assert_eq!(alone.status, 0, "{}", alone.stderr);
        for part in [
            "memory_traffic\n",
            "unit:    B\n",
            "meaning: Actual memory traffic",
            "source:  sheet Notes, “Cache levels”\n",
        ] {
            assert!(alone.stdout.contains(part), "{part}: {}", alone.stdout);
        }
        let with_files = run(&["analyze", "samples", "--explain", name]);
        assert_eq!(with_files.stdout, alone.stdout);
    }
    // Figures of traces have catalogues of their own.
    let traced = run(&["analyze", "--explain", "memory_depth"]);
    assert!(traced.stdout.contains("unit:    accesses\n"));
    refused(&["--explain", "memory_trafic"], &["memory_traffic"]);
}

#[test]
fn files_that_are_not_read_are_counted() {
    let dir = tempfile::tempdir().expect("a directory");
    fs::write(
        dir.path().join("a.c"),
        "void f(int n, float *x) { for (int i = 0; i < n; i++) x[i] = 0; }\n",
    )
    .expect("written");
    fs::write(dir.path().join("b.cpp"), "class C {};\n").expect("written");
    let outcome = run(&["analyze", dir.path().to_str().expect("UTF-8")]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    assert!(
        outcome.stdout.contains("not read: 1 .cpp file\n"),
        "{}",
        outcome.stdout
    );
}

#[test]
fn outputs_take_the_place_of_no_input_and_no_device() {
    let dir = tempfile::tempdir().expect("a directory");
    let source = path(&dir, "a.c");
    let text = "void f(int n, float *x) { for (int i = 0; i < n; i++) x[i] = 0; }\n";
    fs::write(&source, text).expect("written");
    let outcome = run(&[
        "analyze",
        dir.path().to_str().expect("UTF-8"),
        "--xml",
        &source,
    ]);
    assert_eq!(outcome.status, 2, "{}", outcome.stderr);
    assert!(
        outcome.stderr.contains("one of the files to analyse"),
        "{}",
        outcome.stderr
    );
    assert_eq!(fs::read_to_string(&source).expect("still there"), text);
    #[cfg(unix)]
    {
        let socket = path(&dir, "socket.json");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).expect("bound");
        let outcome = run(&["analyze", &source, "--json", &socket]);
        assert_eq!(outcome.status, 2, "{}", outcome.stderr);
        assert!(
            outcome.stderr.contains("a device or a pipe"),
            "{}",
            outcome.stderr
        );
        assert!(!Path::new(&socket).is_file());
    }
}

#[test]
fn names_that_look_like_r1c1_cells_do_not_spoil_the_workbook() {
    let dir = tempfile::tempdir().expect("a directory");
    let (source, report) = (path(&dir, "a.c"), path(&dir, "a.xlsx"));
    let text = "void f(int c1, int r2max, float *x) {\n\
                for (int i = 0; i < c1; i++) x[i] = 0;\n\
                for (int i = 0; i < r2max; i++) x[i] = 0;\n}\n";
    fs::write(&source, text).expect("written");
    let outcome = run(&["analyze", &source, "-o", &report, "--set", "c1=7"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
}

/// Memory traffic of the only nest of each function, in the order of the source.
fn traffic(source: &str) -> Vec<f64> {
    let dir = tempfile::tempdir().expect("a directory");
    let file = path(&dir, "source.c");
    fs::write(&file, source).expect("written");
    let outcome = run(&["analyze", &file, "--json", "-"]);
    let value: serde_json::Value = serde_json::from_str(&outcome.stdout).expect("nothing but JSON");
    let functions = value["functions"].as_array().expect("a list");
    functions
        .iter()
        .map(|f| {
            f["nests"][0]["traffic"]["actual"]
                .as_f64()
                .expect("a number")
        })
        .collect()
}

#[test]
fn strides_move_whole_lines() {
    // 240 MB in 8-byte elements, updated in place: read and written. Every third element touches every
    // line, every eighth as well, every sixteenth half of them.
    let source = "double a[30000000];
void third(void) { for (long i = 0; i < 30000000; i += 3) a[i] = a[i]*2; }
void eighth(void) { for (long i = 0; i < 30000000; i += 8) a[i] = a[i]*2; }
void sixteenth(void) { for (long i = 0; i < 30000000; i += 16) a[i] = a[i]*2; }
";
    let [third, eighth, sixteenth] = traffic(source).try_into().expect("three nests");
    for (moved, expected) in [(third, 480e6), (eighth, 480e6), (sixteenth, 240e6)] {
        assert!(
            (moved / expected - 1.0).abs() < 1e-3,
            "{moved} for {expected}"
        );
    }
}

#[test]
fn a_tiled_loop_covers_the_whole_array() {
    // 100,000,000 elements in tiles of 1,000: 800 MB read and written once.
    let source = "double a[100000000];
void tiled(void) {
  for (int ii = 0; ii < 100000000; ii += 1000)
    for (int i = ii; i < (ii + 1000 < 100000000 ? ii + 1000 : 100000000); i++) a[i] *= 2;
}
";
    let moved = traffic(source)[0];
    assert!((moved / 1600e6 - 1.0).abs() < 1e-3, "{moved}");
}

#[test]
fn two_outputs_are_two_files() {
    let dir = tempfile::tempdir().expect("a directory");
    let same = path(&dir, "same.txt");
    let outcome = run(&[
        "analyze",
        "samples/kernels",
        "--json",
        &same,
        "--xml",
        &same,
    ]);
    assert_eq!(outcome.status, 2);
    assert!(
        outcome.stderr.contains("two outputs would be written to"),
        "{}",
        outcome.stderr
    );
    assert!(!Path::new(&same).exists());
}

#[test]
fn manual_pages_and_completions_name_every_command() {
    let dir = tempfile::tempdir().expect("a directory");
    let pages = path(&dir, "man");
    assert_eq!(run(&["man", &pages]).status, 0);
    let page = fs::read_to_string(Path::new(&pages).join("loopsheet-analyze.1")).expect("a page");
    for part in [
        "\\fB\\-o\\fR \\fIFILE\\fR]",
        "[\\fB\\-D\\fR \\fINAME[=VALUE]\\fR...]",
        "\\fIPATHS\\fR...",
        ".SH EXAMPLES\n.nf\n",
    ] {
        assert!(page.contains(part), "no {part}");
    }
    let whole = fs::read_to_string(dir.path().join("man/loopsheet.1")).expect("a page");
    for command in [
        "analyze", "record", "trace", "compare", "study", "validate", "machines", "guide", "demo",
    ] {
        assert!(
            whole.contains(&format!("loopsheet\\-{command}(1)")),
            "{command}: {whole}"
        );
        assert!(
            dir.path()
                .join(format!("man/loopsheet-{command}.1"))
                .exists(),
            "{command}"
        );
    }
    let page = fs::read_to_string(dir.path().join("man/loopsheet-analyze.1")).expect("a page");
    assert!(page.contains("\\-\\-machine"), "{page}");
    for shell in ["bash", "zsh", "fish"] {
        let completions = run(&["completions", shell]);
        assert_eq!(completions.status, 0);
        assert!(completions.stdout.contains("analyze") && completions.stdout.contains("machine"));
    }
    assert_eq!(run(&["completions", "csh"]).status, 2);
}

#[test]
fn tables_have_colours_where_they_are_asked_for() {
    let plain = run(&["analyze", "samples/kernels/triad.c"]).stdout;
    assert!(!plain.contains('\u{1b}'));
    let coloured = run(&["analyze", "samples/kernels/triad.c", "--color", "always"]).stdout;
    assert!(coloured.contains("\u{1b}[34mDRAM\u{1b}[0m"), "{coloured:?}");
    let mut without = coloured;
    for code in ["\u{1b}[34m", "\u{1b}[1m", "\u{1b}[0m"] {
        without = without.replace(code, "");
    }
    assert_eq!(without, plain);
}

#[test]
fn lines_are_as_long_as_the_terminal_is_wide() {
    let source = "samples/kernels";
    let lines = |columns: Option<&str>| {
        let mut command = loopsheet();
        command
            .args(["analyze", source, "--all"])
            .env_remove("COLUMNS");
        columns.map(|columns| command.env("COLUMNS", columns));
        let text = String::from_utf8(command.output().expect("it runs").stdout).expect("UTF-8");
        let table = text.lines().skip(2).take_while(|line| !line.is_empty());
        table.map(str::to_string).collect::<Vec<String>>()
    };
    let longest = |lines: &[String]| {
        lines
            .iter()
            .map(|line| line.chars().count())
            .max()
            .expect("a table")
    };
    let whole = lines(None);
    assert!(longest(&whole) > 100 && whole.iter().all(|line| !line.contains('…')));
    let narrow = lines(Some("90"));
    assert_eq!((longest(&narrow), narrow.len()), (90, whole.len()));
    assert!(narrow.iter().any(|line| line.contains('…')));
    assert_eq!(lines(Some("0")), whole, "no width at all");
}

#[test]
fn names_of_c_have_a_case_and_those_of_fortran_have_none() {
    let dir = tempfile::tempdir().expect("a directory");
    let (c, fortran) = (path(&dir, "a.c"), path(&dir, "a.f90"));
    fs::write(
        &c,
        "void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = 1.0; }\n",
    )
    .expect("written");
    let text = "subroutine f(n, a)\n  integer :: n\n  real(8) :: a(n)\n  integer :: i\n  do i = 1, n\n    a(i) = 1.0d0\n  end do\nend\n";
    fs::write(&fortran, text).expect("written");
    refused(
        &[&c, "--set", "N=5"],
        &["no parameter of that name", "near ones are n"],
    );
    assert_eq!(run(&["analyze", &c, "--set", "n=5"]).status, 0);
    assert_eq!(run(&["analyze", &fortran, "--set", "N=5"]).status, 0);
}
