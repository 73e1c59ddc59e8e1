//! The scripts in `tests/studies` do on a tiny input what they do on public codes: two kernels in a directory that is
//! laid out as PolyBench/C is, and the samples.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::command;
use crate::support::tools::tool;

/// What is in `tests/studies`: scripts, and what they share.
const FILES: [&str; 29] = [
    "browser.py",
    "clock",
    "clock_suites",
    "compared",
    "counted",
    "depth_cost",
    "diff_seeded",
    "drawn_nests",
    "engines",
    "far_objects",
    "first_run",
    "formulas",
    "lines.py",
    "measured.py",
    "memory_depth",
    "outcomes.py",
    "own_counts",
    "random_nests",
    "random_programs",
    "rankings",
    "repaint",
    "running.py",
    "sweep",
    "swept",
    "timings.py",
    "understood",
    "unseen",
    "validated",
    "workbook.py",
];

/// A script, run with the program that is tested.
pub fn study(name: &str) -> Command {
    let mut study = Command::new(command::root().join("tests/studies").join(name));
    study
        .current_dir(command::root())
        .env("LOOPSHEET", env!("CARGO_BIN_EXE_loopsheet"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env_remove("COMPILER")
        .env_remove("QEMU_LD_PREFIX");
    study
}

/// What it prints; its status must be 0.
pub fn printed(command: &mut Command) -> String {
    let output = command.output().expect("it runs");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{text}\n{complaint}");
    text
}

const KERNELS: &str = "tests/fixtures/studies/polybench";
const UTILITIES: &str = "tests/fixtures/studies/polybench/utilities";

/// A script that records, with a cache of its own.
fn recording(name: &str, directory: &TempDir) -> Command {
    let mut study = study(name);
    study.env("XDG_CACHE_HOME", directory.path()).arg(KERNELS);
    study
}

fn has(text: &str, part: &str) {
    assert!(text.contains(part), "no {part:?} in\n{text}");
}

#[test]
fn every_study_says_how_to_use_it() {
    let names: Vec<String> = command::files("tests/studies")
        .iter()
        .filter_map(|path| path.file_name())
        .map(|name| name.to_string_lossy().into_owned())
        .filter(|name| name != "__pycache__")
        .collect();
    assert_eq!(names, FILES, "a study needs a test here");
    for name in FILES.iter().filter(|name| !name.ends_with(".py")) {
        let help = printed(study(name).arg("--help"));
        has(&help, &format!("tests/studies/{name} "));
        has(&help, "--loopsheet");
    }
}

/// Examples of what the studies share hold: lines of included files belong to the functions that they are in.
#[test]
fn examples_of_shared_parts_hold() {
    let mut python = Command::new("python3");
    python
        .current_dir(command::root().join("tests/studies"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .args([
            "-m",
            "doctest",
            "lines.py",
            "measured.py",
            "outcomes.py",
            "workbook.py",
        ]);
    assert_eq!(printed(&mut python), "");
}

/// Formulas and numbers of our own kernels are the same.
#[test]
fn formulas() {
    let text = printed(study("formulas").arg("samples=samples/kernels"));
    has(&text, "| samples | 20 |");
    has(&text, "samples: none");
}

/// Sources of a program with as many nests as a small application has: stencils over fields, in routines that a main
/// program calls.
fn application(directory: &Path, routines: usize) {
    let mut main = String::from(
        "program application\n  implicit none\n  integer, parameter :: nx = 600, ny = 400\n  integer :: step\n  \
         real(8) :: a(nx,ny), b(nx,ny), c(nx,ny)\n  do step = 1, 20\n",
    );
    for number in 0..routines {
        main.push_str(&format!("    call routine_{number}(a, b, c, nx, ny)\n"));
        let far = 1 + number % 3;
        let text = format!(
            "subroutine routine_{number}(a, b, c, nx, ny)\n  implicit none\n  integer, intent(in) :: nx, ny\n  \
             real(8), intent(inout) :: a(nx,ny), b(nx,ny), c(nx,ny)\n  integer :: i, j\n  \
             do j = 1 + {far}, ny - {far}\n    do i = 1 + {far}, nx - {far}\n      \
             b(i,j) = 0.25d0*(a(i-{far},j) + a(i+{far},j) + a(i,j-{far}) + a(i,j+{far}))\n    end do\n  end do\n  \
             do j = 1, ny\n    do i = 1, nx\n      c(i,j) = c(i,j) + {number}.5d0*b(i,j)/a(i,j)\n    end do\n  end do\n  \
             do j = 2, ny\n    do i = 1, nx\n      a(i,j) = b(i,j) - c(i,j-1)\n    end do\n  end do\nend subroutine\n"
        );
        let path = directory.join(format!("routine_{number}.f90"));
        std::fs::write(path, text).expect("the directory can be written to");
    }
    main.push_str("  end do\nend program\n");
    std::fs::write(directory.join("main.f90"), main).expect("the directory can be written to");
}

/// Three engines compute the edited workbook as loopsheet does with the edited inputs, where all nests have room in it: of
/// more, those that are listed depend on the machine. A third of the nests take the same time, ten by ten.
#[test]
fn engines() {
    let directory = tempfile::tempdir().expect("a directory");
    application(directory.path(), 10);
    let mut engines = study("engines");
    engines.arg("--ironcalc").arg(tool("python/bin/python"));
    engines
        .arg("--hyperformula")
        .arg(tool("node_modules/hyperformula"));
    let text = printed(engines.arg(directory.path()));
    for engine in ["LibreOffice", "IronCalc", "HyperFormula"] {
        has(&text, &format!("{engine}: 0 of "));
    }
}

/// An edit is on the screen before a tenth of a second is over.
#[test]
fn repaint() {
    let directory = tempfile::tempdir().expect("a directory");
    application(directory.path(), 130);
    let text = printed(
        study("repaint")
            .args(["--times", "4"])
            .arg(directory.path()),
    );
    has(&text, " 391 nests, ");
    has(
        &text,
        " ms at most are computed from an edit to its picture",
    );
}

/// Both sides of both kernels agree, and the picture says so.
#[test]
fn compared() {
    let directory = tempfile::tempdir().expect("a directory");
    let picture = directory.path().join("compared.svg");
    let flags = ["--sizes", "MINI", "--separate", "--cache", "4KiB"];
    let text = printed(
        recording("compared", &directory)
            .args(flags)
            .arg("--flags=-O1 -ffp-contract=off")
            .arg("--picture")
            .arg(&picture),
    );
    has(
        &text,
        "2 nests, iterations exact in 2, flops by kind in 2 as written",
    );
    let picture = std::fs::read_to_string(picture).expect("a picture");
    has(&picture, "iterations: 2 of 2 the same");
}

#[test]
fn memory_depth() {
    let directory = tempfile::tempdir().expect("a directory");
    let text = printed(recording("memory_depth", &directory).args(["--sizes", "8,16,24"]));
    has(&text, "2 kernels: 2 constant");
}

#[test]
fn far_objects() {
    let directory = tempfile::tempdir().expect("a directory");
    let text = printed(recording("far_objects", &directory).arg("2"));
    has(&text, " arrays of 2 programs: ");
    has(&text, " pairs out of order");
}

/// Traces as short as these take as long to open: no ratio is too large.
#[test]
fn depth_cost() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut study = recording("depth_cost", &directory);
    let text = printed(study.args(["--dataset", "MINI", "--runs", "1", "--limit", "100"]));
    for row in ["row_sums ", "smooth ", "all together "] {
        has(&text, row);
    }
}

#[test]
fn rankings() {
    let directory = tempfile::tempdir().expect("a directory");
    let text = printed(recording("rankings", &directory).arg("1"));
    for kernel in ["row_sums", "smooth"] {
        assert_eq!(text.matches(&format!("\n{kernel} ")).count(), 3, "{text}");
    }
    assert_eq!(text.matches("The one to trust here is ").count(), 3);
    has(&text, "E_8, lines: rank correlation 1.0000");
}

/// Two machines, three caches, four latencies of two traces, and two of these in the loop.
#[test]
fn swept() {
    let traces = ["axpy", "list"].map(|name| format!("samples/traces/{name}.execlog.zst"));
    let flags = ["--caches", "3", "--latencies", "4", "--loop", "2"];
    let text = printed(study("swept").args(traces).args(flags));
    has(&text, "2 traces, 48 configurations");
    has(&text, "shell loop, 4 of them");
    has(&text, " 0 figures differ");
}

/// A loop of a kernel, one that fills, one that uses: 4 of each kernel and one more.
#[test]
fn understood() {
    let arguments = ["--at-least", "100", KERNELS, "--", "-I", UTILITIES];
    let text = printed(
        study("understood")
            .args(arguments)
            .args(["-D", "MINI_DATASET"]),
    );
    has(&text, "9    100.0 %  .\n");
    has(&text, "4    100.0 %  kernels/smooth\n");
}

/// Edits of the samples that do not matter have no rows, and every change of a loop is found.
#[test]
fn diff_seeded() {
    let text = printed(study("diff_seeded").args(["--at-least", "6", "samples/kernels"]));
    has(
        &text,
        "neutral edits: 0 nests with rows; changes: 6 of 6 found",
    );
}

#[test]
fn drawn_nests() {
    let drawn = |count: &str| {
        let arguments = ["--figures", "1", count, KERNELS, "--", "-I", UTILITIES];
        printed(
            study("drawn_nests")
                .args(arguments)
                .args(["-D", "MINI_DATASET"]),
        )
    };
    assert_eq!(drawn("2"), drawn("2"));
    let all = drawn("5");
    has(&all, "5 of 5 nests, seed 1\n");
    has(
        &all,
        "kernel_smooth  i@8 > j@9\n       of j@9: 2 adds, 1 multiplies, 0 divides",
    );
}

/// Counts of random programs are gcov's, or something says that they may not be.
#[test]
fn random_programs() {
    let arguments = ["--programs", "30", "--seed", "30000"];
    let text = printed(study("random_programs").args(arguments));
    has(&text, "C: 30 programs, ");
    has(&text, "Fortran: 30 programs, ");
    has(&text, " 0 wrong");
}

/// A file and a directory as programs: what is counted and what a guess says, and a file that is no program.
#[test]
fn own_counts() {
    let directory = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| {
        let path = directory.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        std::fs::write(&path, text).expect("a file");
        path
    };
    let one = write(
        "one.c",
        "int n = 7; double a[99];\nint main(void) {\n  for (int i = 0; i < n; i++)\n    a[i] = i;\n  return 0;\n}\n",
    );
    let part = "subroutine fill(a, n)\n  integer n, i\n  real a(n)\n  do i = 1, n\n    a(i) = i\n  end do\nend\n";
    write("two/fill.f90", part);
    let two = write(
        "two/main.f90",
        "program p\n  real a(50)\n  call fill(a, 50)\nend\n",
    );
    let three = write("three.c", "void f(void) {}\n");
    let programs = [&one, two.parent().expect("a parent"), &three];
    let text = printed(study("own_counts").args(programs));
    has(&text, "3 programs: 2 run, 1 do not compile\n");
    has(
        &text,
        "nests: 2 equal, 0 marked, 0 guessed, 0 not run, 0 wrong\n",
    );
}

#[test]
fn validated() {
    let directory = tempfile::tempdir().expect("a directory");
    let cases = directory.path().join("cases.json");
    let arguments = ["samples", "--kernel", "triad", "--at-least", "95", "--json"];
    let text = printed(study("validated").args(arguments).arg(&cases));
    has(&text, "| samples | 90 | 100.0 % |");
    let cases: Vec<Value> = serde_json::from_value(command::json(&cases)).expect("a list");
    assert_eq!(cases.len(), 90);
    assert!(cases.iter().all(|case| case["kernel"] == "triad"));
}

/// LibreOffice computes what the simulation counts.
#[test]
fn sweep() {
    let directory = tempfile::tempdir().expect("a directory");
    let picture = directory.path().join("sweep.svg");
    let text = printed(
        study("sweep")
            .args(["--sizes", "16,24", "--svg"])
            .arg(&picture),
    );
    has(&text, "6 cases, 0 differ by more than 5 % away from steps");
    let picture = std::fs::read_to_string(picture).expect("a picture");
    has(&picture, "matmul.c on sg2042");
}

/// Macros of several statements, tests at the end, ways out, tables of constant size and copies of small functions: the
/// counts of all these loops close, and none has a star but where a test moved.
#[test]
fn counts_of_codes_and_tables_are_certain() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut counted = study("counted");
    counted
        .env("XDG_CACHE_HOME", directory.path())
        .arg(command::fixture("counts").join("codes.c"))
        .arg("--levels=-O0,-O1,-O2");
    let text = printed(&mut counted);
    // At -O2 a search is right, but its middle is marked before the test.
    for (level, unconfirmed) in [("-O0", "0"), ("-O1", "0"), ("-O2", "1")] {
        let row = text.lines().find(|line| line.starts_with(level));
        let row: Vec<&str> = row.expect("a row").split('\t').collect();
        assert_eq!(row[2..5], [unconfirmed, "0", "0"], "{text}");
    }
}

/// Loops that compilers peel, jam, rotate, unroll and thread jumps through, or begin in the middle of their test, with
/// gcov's counts beside: none is wrong without a star.
#[test]
fn counts_of_optimised_code_are_exact_or_starred() {
    for source in ["shapes.c", "shapes.f90", "parts.c", "beside.c"] {
        let directory = tempfile::tempdir().expect("a directory");
        let mut counted = study("counted");
        counted
            .env("XDG_CACHE_HOME", directory.path())
            .arg(command::fixture("counts").join(source))
            .arg("--levels=-O0,-O1,-O2,-O3,-Ofast");
        let text = printed(&mut counted);
        let last = text.lines().last().unwrap_or_default();
        assert!(last.starts_with("-Ofast\t"), "{text}");
    }
}
