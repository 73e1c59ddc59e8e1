//! `--explain NEST` on a screen, and the list of names.

use crate::support::command;
use crate::support::programs::{WORKED, mixed, model};
use loopsheet_export::explain::{self, Depth};

/// Status, standard output, standard error.
fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut program = command::loopsheet();
    let output = program
        .arg("analyze")
        .args(arguments)
        .output()
        .expect("runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

/// The names that the list has, in its order.
fn names(list: &str) -> Vec<&str> {
    let rows = list.lines().skip(1);
    rows.filter_map(|row| row.split_whitespace().next())
        .collect()
}

#[test]
fn every_nest_fits_on_a_screen() {
    let program = mixed();
    for machine in ["xeon-8380", "exasat", "a64fx", "grace"] {
        let model = model(&program, machine, WORKED);
        for nest in 0..model.nests.len() {
            let source = |_: &str| Some("x = 1\n".repeat(500));
            let text = explain::nest(&model, nest, Depth::Screen, &source);
            assert!(
                text.lines().count() <= 40,
                "{} lines: {text}",
                text.lines().count()
            );
            assert!(!text.contains("NaN") && text.contains("\nwhy: "), "{text}");
        }
    }
    let (status, list, errors) = run(&["samples/kernels", "--explain"]);
    assert_eq!(status, Some(0), "{errors}");
    // Every fourth is enough: each is a run of the program.
    for name in names(&list).into_iter().step_by(4) {
        let (status, text, errors) = run(&["samples/kernels", "--explain", name]);
        assert_eq!(status, Some(0), "{errors}");
        assert!(text.starts_with(name), "{text}");
        let lines = text.lines().count();
        assert!((10..=40).contains(&lines), "{lines} lines of {name}");
    }
}

/// A nest that one of ten calls comes to: what is of one execution, and what is the mean, is said.
#[test]
fn shares_of_calls_are_said() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("once.c");
    let text = "double x[1000];
void step(void) {
  static int first = 1;
  if (first) { for (int i = 0; i < 1000; i++) x[i] = i; first = 0; }
}
int main(void) { for (int t = 0; t < 7; t++) step(); return 0; }";
    std::fs::write(&path, text).expect("a file");
    let path = path.to_str().expect("UTF-8");
    let (status, text, errors) = run(&[path, "--explain", "step@4"]);
    assert_eq!(status, Some(0), "{errors}");
    assert!(
        text.contains("branches lead to it in 14.3 % of the calls"),
        "{text}"
    );
    let (_, text, _) = run(&[path, "--explain", "step@4", "--explain-full"]);
    assert!(
        text.contains("0.142857") && !text.contains("0.1428571"),
        "{text}"
    );
}

/// Four planes of the 512² cells and six rows, as by hand; what bounds it is called by its name.
#[test]
fn layer_conditions_are_symbols_and_numbers() {
    let sizes = "ng=1,hi_1=512,hi_2=512,hi_3=512";
    let (_, text, _) = run(&[
        "samples/kernels/laplace7.f90",
        "--machine=xeon-8380",
        "--set",
        sizes,
        "--explain",
        "laplace7@16",
    ]);
    for part in [
        "reuse of lap, u along k: 4·hi_2·hi_1·8 B ≈ 8.42 MB > L3 1536 KiB (would hold up to",
        "reuse of lap, u along j: 6·hi_1·8 B ≈ 24.7 kB ≤ L1 48 KiB (holds up to hi_1 = 1022)",
        "time: 26.3 ms, bound by DRAM",
        "star of 7 points, offsets (−1…1, −1…1, −1…1)",
        "sizes guessed: lo(1), lo(2), lo(3)",
        "they agree",
    ] {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
}

#[test]
fn names_are_listed_the_costliest_first() {
    let arguments = ["samples/kernels", "--set", "hi_3=1000", "--explain"];
    let (status, list, errors) = run(&arguments);
    assert_eq!(status, Some(0), "{errors}");
    let names = names(&list);
    assert!(names.len() > 15 && names.contains(&"laplace7@16"), "{list}");
    assert!(list.contains("samples/kernels/laplace7.f90:16"), "{list}");
    let (_, table, _) = run(&["samples/kernels", "--set", "hi_3=1000", "--top", "3"]);
    let rows: Vec<&str> = table.lines().skip(3).take(3).collect();
    for (row, name) in rows.iter().zip(&names) {
        assert!(row.starts_with(name), "{row}: {name}");
    }
}

#[test]
fn names_that_fit_several_nests_or_none_are_refused() {
    for (name, parts) in [
        (
            "advance",
            &[
                "7 nests have this name",
                "advance@22 (samples/kernels/euler.f90:22)",
            ][..],
        ),
        ("lapalce7@16", &["did you mean laplace7@16", "triad@8"]),
    ] {
        let (status, _, errors) = run(&["samples/kernels", "--explain", name]);
        assert_eq!(status, Some(2), "{errors}");
        assert!(parts.iter().all(|part| errors.contains(part)), "{errors}");
    }
    for arguments in [&["--explain"][..], &["--explain", "samples"]] {
        let (status, _, errors) = run(arguments);
        assert_eq!(status, Some(2), "{errors}");
        assert!(errors.contains("before"), "{errors}");
    }
}

/// The size up to which a cache holds is exact: with it the condition holds, with one more it does not.
#[test]
fn up_to_which_size_a_cache_holds_is_exact() {
    let source = command::root().join("samples/input/jacobi.f90");
    let source = source.to_str().expect("a path");
    let condition = |ny: u64| {
        let sizes = format!("nx=2000,ny={ny},steps=50");
        let (status, text, complaint) =
            run(&[source, "-q", "--set", &sizes, "--explain", "jacobi@35"]);
        assert_eq!(status, Some(0), "{complaint}");
        let mut lines = text.lines().map(str::trim_start);
        let line = lines.find(|line| line.starts_with("reuse of ") && line.contains(" along step"));
        line.expect("a condition of the time loop").to_string()
    };
    let far = condition(1000);
    let (_, sizes) = far.split_once("ny = ").expect("a size");
    let digits: String = sizes.chars().take_while(char::is_ascii_digit).collect();
    let largest: u64 = digits.parse().expect("a number");
    let (within, beyond) = (condition(largest), condition(largest + 1));
    assert!(within.contains("≤ L2 "), "{far}\n{within}");
    assert!(beyond.contains("> L2 "), "{far}\n{beyond}");
}

#[test]
fn the_explanation_and_a_report_do_not_mix() {
    let source = command::root().join("samples/input/jacobi.f90");
    let source = source.to_str().expect("a path");
    let (status, text, complaint) = run(&[source, "--explain", "jacobi@35", "--json", "-"]);
    assert_eq!((status, text.as_str()), (Some(2), ""));
    assert!(complaint.contains("only one output"), "{complaint}");
}

/// Parameters of machines are explained by the names that `--set` has.
#[test]
fn parameters_of_machines_are_explained() {
    let (status, text, complaint) = run(&["--explain", "access_overlap"]);
    assert_eq!(status, Some(0), "{complaint}");
    assert!(
        text.starts_with("access_overlap (Overlap of accesses)\n"),
        "{text}"
    );
    assert!(text.contains("  values:  0 to 1\n  default: 1\n"), "{text}");
    let (_, text, _) = run(&["--explain", "l2_bytes"]);
    assert!(text.contains("  default: unknown\n"), "{text}");
    for (wrong, right) in [
        ("acces_overlap", "access_overlap"),
        ("l2_byte", "l2_bytes"),
        ("l3latency_cycle", "l3_latency_cycles"),
    ] {
        let (status, _, complaint) = run(&["--explain", wrong]);
        assert_eq!(status, Some(2));
        let said = format!("did you mean {right}");
        assert!(complaint.contains(&said), "{complaint}");
    }
}
