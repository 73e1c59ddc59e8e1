//! Static against traced, with traces written by hand as a compiler would have made them of a few lines of C.

use std::sync::Arc;

use crate::support::{command, programs};
use loopsheet_analysis::analyze;
use loopsheet_analysis::facts::Program;
use loopsheet_compare::{
    Apart, Comparison, Direction, NestComparison, Quantity, Row, Run, StaticReport, compare,
};
use loopsheet_export::json::analysis;
use loopsheet_lower as lower;
use loopsheet_metrics::formulas::EdagFigure;
use loopsheet_metrics::profile::{
    Accesses, After, Called, DataAccesses, DataRange, MachineLoop, OnBehalf, Operations, Site,
    SourceProfile,
};
use loopsheet_source::SourceText;
use serde_json::json;

mod adding_up;
mod beside;
mod closing;
mod copies;
mod one_line;

const FILE: &str = "kernel.c";

/// The report on a source, its first line being line 1.
fn predicted(source: &str, settings: &[&str]) -> StaticReport {
    let report = command::analysed_text(FILE, source, &command::settings(settings));
    StaticReport::parse(&report.to_string()).expect("a report")
}

fn analysed(source: &str) -> Program {
    let path: Arc<str> = FILE.into();
    let source = SourceText::verbatim(&path, source.to_string());
    analyze(&[lower::c::lower(&path, &source)])
}

fn compared(report: &StaticReport, profile: SourceProfile) -> Comparison {
    let trace = json!({
        "schema": "loopsheet/trace/1",
        "trace": {"path": "by hand", "instructions": 0},
        "source": profile,
    });
    let run = Run::parse(&trace.to_string()).expect("a trace");
    let comparison = compare(report, &run, &|_| true);
    adding_up::check(&comparison);
    comparison
}

fn machine_loop(line: u32, parent: Option<u32>, entries: u64, rounds: u64) -> MachineLoop {
    MachineLoop {
        name: format!("f@{line}"),
        function: "f".into(),
        file: Some(FILE.into()),
        line: Some(line),
        parent,
        shares_header: false,
        entries,
        rounds,
        refused: 0,
        after: Vec::new(),
        left: Vec::new(),
        fewest: None,
        most: None,
    }
}

/// Code of a line in a machine loop: executions, and adds and stores in all.
fn site(line: u32, machine_loop: Option<u32>, executions: u64, adds: u64, stores: u64) -> Site {
    Site {
        function: "f".into(),
        file: Some(FILE.into()),
        line: Some(line),
        machine_loop,
        instructions: executions * 4,
        executions,
        operations: Operations {
            adds,
            ..Operations::default()
        },
        accesses: Accesses {
            stores,
            stored_bytes: 8 * stores,
            ..Accesses::default()
        },
        ..Site::default()
    }
}

fn profile(loops: Vec<MachineLoop>, sites: Vec<Site>) -> SourceProfile {
    SourceProfile {
        sites,
        loops,
        ..SourceProfile::default()
    }
}

fn nest<'c>(comparison: &'c Comparison, id: &str) -> &'c NestComparison {
    let ids: Vec<&str> = comparison
        .nests
        .iter()
        .map(|nest| nest.id.as_str())
        .collect();
    comparison
        .nests
        .iter()
        .find(|nest| nest.id == id)
        .unwrap_or_else(|| panic!("no {id} in {ids:?}"))
}

fn row<'c>(comparison: &'c Comparison, id: &str, quantity: &str) -> &'c Row {
    let rows = &nest(comparison, id).rows;
    let names: Vec<String> = rows.iter().map(|row| row.quantity.to_string()).collect();
    rows.iter()
        .find(|row| row.quantity.to_string() == quantity)
        .unwrap_or_else(|| panic!("no {quantity} in {names:?}"))
}

/// What the rows of accesses are about.
fn objects(nest: &NestComparison, wanted: Direction) -> Vec<String> {
    let object = |row: &Row| -> Option<String> {
        match &row.quantity {
            Quantity::Object(direction, object) if *direction == wanted => Some(object.to_string()),
            _ => None,
        }
    };
    nest.rows.iter().filter_map(object).collect()
}

fn sides(comparison: &Comparison, id: &str, quantity: &str) -> (Option<f64>, Option<f64>) {
    let row = row(comparison, id, quantity);
    (row.predicted, row.traced)
}

const PLAIN: &str = "void f(int n, double *a, double c) {
  for (int i = 0; i < n; i++)
    a[i] = a[i] + c;
}
";

#[test]
fn a_wrong_size_is_found_and_the_right_one_named() {
    let run = || {
        profile(
            vec![machine_loop(2, None, 1, 100)],
            vec![site(3, Some(0), 100, 100, 100)],
        )
    };
    let wrong = compared(&predicted(PLAIN, &["n=50"]), run());
    let [found] = &wrong.parameters[..] else {
        panic!("{:?}", wrong.parameters)
    };
    assert_eq!(
        (found.parameter.as_str(), found.value, found.fits),
        ("n", Some(50.0), 100.0)
    );
    let reason = row(&wrong, "f@2", "iterations")
        .reason
        .as_deref()
        .expect("a reason");
    assert_eq!(
        reason,
        "a parameter does not match: n is 50 in the report; 100 would fit the run"
    );
    let right = compared(&predicted(PLAIN, &["n=100"]), run());
    assert_eq!(right.parameters, []);
    assert_eq!(
        sides(&right, "f@2", "iterations"),
        (Some(100.0), Some(100.0))
    );
    assert_eq!(row(&right, "f@2", "iterations").reason, None);
}

#[test]
fn a_trip_count_names_the_parameters_of_its_own_loop() {
    let source = "void f(int n, int m, double a[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i][j] = a[i][j] + 1.0;
}
";
    let loops = vec![
        machine_loop(2, None, 1, 30),
        machine_loop(3, Some(0), 30, 600),
    ];
    let run = profile(loops, vec![site(4, Some(1), 600, 600, 600)]);
    let comparison = compared(&predicted(source, &["n=10", "m=10"]), run);
    let reason = |quantity| {
        row(&comparison, "f@2", quantity)
            .reason
            .clone()
            .unwrap_or_default()
    };
    assert_eq!(
        reason("mean trip count of i, line 2"),
        "a parameter does not match: n is 10 in the report; 30 would fit the run"
    );
    assert_eq!(
        reason("mean trip count of j, line 3"),
        "a parameter does not match: m is 10 in the report; 20 would fit the run"
    );
    assert!(reason("iterations").contains("n is 10") && reason("iterations").contains("m is 10"));
}

#[test]
fn code_of_a_file_with_the_same_name_elsewhere_is_not_joined() {
    let run = || {
        let here = site(3, Some(0), 100, 100, 100);
        let mut elsewhere = Site {
            file: Some("other/kernel.c".into()),
            ..site(3, Some(1), 70, 70, 70)
        };
        elsewhere.function = "g".into();
        let other = MachineLoop {
            file: elsewhere.file.clone(),
            ..machine_loop(2, None, 1, 70)
        };
        profile(
            vec![machine_loop(2, None, 1, 100), other],
            vec![here, elsewhere],
        )
    };
    let mut report = predicted(PLAIN, &["n=100"]);
    report.functions[0].file = "own/kernel.c".into();
    let own = |run: SourceProfile| {
        let rename = |file: &mut Option<String>| {
            if file.as_deref() == Some(FILE) {
                *file = Some("/src/own/kernel.c".into());
            }
        };
        let mut run = run;
        run.sites.iter_mut().for_each(|site| rename(&mut site.file));
        run.loops.iter_mut().for_each(|one| rename(&mut one.file));
        run
    };
    let comparison = compared(&report, own(run()));
    assert_eq!(
        sides(&comparison, "f@2", "iterations"),
        (Some(100.0), Some(100.0))
    );
    let [left] = &comparison.unjoined[..] else {
        panic!("{:?}", comparison.unjoined)
    };
    assert_eq!(
        (left.what.as_str(), left.instructions),
        ("other/kernel.c", 280)
    );
    // Only the other one was executed; the program has both.
    let mut only = own(run());
    only.sites.remove(0);
    only.files = vec!["/src/other/kernel.c".into(), "/src/own/kernel.c".into()];
    let comparison = compared(&report, only);
    assert_eq!(
        (comparison.nests.len(), &comparison.not_executed[..]),
        (0, &["f@2".to_string()][..])
    );
}

/// Two functions of the same lines, as made by including them twice.
#[test]
fn functions_of_the_same_lines_are_told_apart_by_name() {
    let mut report = predicted(PLAIN, &["n=100"]);
    let mut second = report.functions[0].clone();
    second.name = "g".into();
    report.functions.push(second);
    let inlined = Site {
        function: "main".into(),
        inlined: vec!["g".into()],
        called_from: vec![("main.c".into(), 9)],
        ..site(3, Some(1), 70, 70, 70)
    };
    let head = Site {
        line: Some(2),
        operations: Operations::default(),
        accesses: Accesses::default(),
        ..inlined.clone()
    };
    let loops = vec![
        machine_loop(2, None, 1, 100),
        MachineLoop {
            function: "main".into(),
            ..machine_loop(2, None, 1, 70)
        },
    ];
    let run = profile(loops, vec![site(3, Some(0), 100, 100, 100), inlined, head]);
    let comparison = compared(&report, run);
    let iterations: Vec<(&str, Option<f64>)> = comparison
        .nests
        .iter()
        .map(|nest| {
            (
                nest.function.as_str(),
                nest.rows
                    .iter()
                    .find(|row| row.quantity == Quantity::Iterations)
                    .expect("it is there")
                    .traced,
            )
        })
        .collect();
    assert_eq!(iterations, [("f", Some(100.0)), ("g", Some(70.0))]);
}

/// A report on a file that names a type which its headers would declare.
#[test]
fn arrays_of_unknown_type_do_no_harm() {
    let source = "thread_t t[4];
void f(int n, double *a) {
  for (int i = 0; i < n; i++) {
    t[i] = t[i];
    a[i] = a[i] + 1.0;
  }
}
";
    let run = profile(
        vec![machine_loop(3, None, 1, 4)],
        vec![site(4, Some(0), 4, 0, 4), site(5, Some(0), 4, 4, 4)],
    );
    let comparison = compared(&predicted(source, &["n=4"]), run);
    assert_eq!(
        sides(&comparison, "f@3", "iterations"),
        (Some(4.0), Some(4.0))
    );
}

#[test]
fn what_is_not_joined_is_listed() {
    let mut elsewhere = site(7, None, 3, 0, 0);
    elsewhere.file = Some("other.c".into());
    let library = Site {
        function: "memchr".into(),
        file: None,
        line: None,
        ..site(0, None, 5, 0, 0)
    };
    let sites = vec![
        site(1, None, 2, 0, 0),
        site(3, Some(0), 100, 100, 100),
        elsewhere,
        library,
    ];
    let comparison = compared(
        &predicted(PLAIN, &["n=100"]),
        profile(vec![machine_loop(2, None, 1, 100)], sites),
    );
    let unjoined: Vec<(&str, u64, Apart)> = comparison
        .unjoined
        .iter()
        .map(|left| (left.what.as_str(), left.instructions, left.reason))
        .collect();
    assert_eq!(
        unjoined,
        [
            ("memchr", 20, Apart::NoLines),
            ("other.c", 12, Apart::UnknownFile),
            ("f", 8, Apart::StraightLine)
        ]
    );
    assert_eq!(comparison.joined_share, 400.0 / 440.0);
    let [share] = &comparison.functions[..] else {
        panic!("{:?}", comparison.functions)
    };
    assert_eq!(
        (share.name.as_str(), share.instructions, share.joined),
        ("f", 408, 400)
    );
}

#[test]
fn loops_on_one_line_are_told_apart_by_their_nesting() {
    let source = "void f(int n, int m, double a[n][m]) {
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] = a[i][j] + 1.0;
}
";
    let loops = vec![machine_loop(2, None, 1, 6), machine_loop(2, Some(0), 6, 42)];
    let run = profile(
        loops,
        vec![site(2, Some(0), 6, 0, 0), site(2, Some(1), 42, 42, 42)],
    );
    let comparison = compared(&predicted(source, &["n=6", "m=7"]), run);
    let id = &comparison.nests[0].id.clone();
    assert_eq!(
        sides(&comparison, id, "mean trip count of i, line 2"),
        (Some(6.0), Some(6.0))
    );
    assert_eq!(
        sides(&comparison, id, "mean trip count of j, line 2"),
        (Some(7.0), Some(7.0))
    );
    assert_eq!(
        sides(&comparison, id, "iterations"),
        (Some(42.0), Some(42.0))
    );
}

#[test]
fn loops_one_after_the_other_on_one_line_are_told_apart_by_their_order() {
    let source = "void f(int n, int m, double *a, double *b) {
  for (int i = 0; i < n; i++) a[i] = 0.5; for (int j = 0; j < m; j++) b[j] = b[j] + 1.5;
}
";
    let report = predicted(source, &["n=6", "m=7"]);
    let [first, second] = [0, 1].map(|number| report.functions[0].loops[number].id.clone());
    let run = |loops: Vec<MachineLoop>, sites| compared(&report, profile(loops, sites));
    let sites = vec![
        walking(&[8], site(2, Some(0), 6, 0, 6)),
        site(2, None, 1, 0, 0),
        walking(&[8], site(2, Some(1), 7, 7, 7)),
    ];
    let both = run(
        vec![machine_loop(2, None, 1, 6), machine_loop(2, None, 1, 7)],
        sites.clone(),
    );
    assert_eq!(sides(&both, &first, "iterations"), (Some(6.0), Some(6.0)));
    assert_eq!(sides(&both, &second, "iterations"), (Some(7.0), Some(7.0)));
    assert_eq!(
        sides(&both, &first, "stores per iteration"),
        (Some(1.0), Some(1.0))
    );
    // With one of them only, it is not said that the other was not executed.
    let one = run(
        vec![machine_loop(2, None, 1, 7)],
        vec![walking(&[8], site(2, Some(0), 7, 7, 7))],
    );
    assert!(
        one.not_executed[0].contains("indistinguishable"),
        "{:?}",
        one.not_executed
    );
}

/// 103 iterations: 25 rounds of four copies, and three in a loop for the rest.
#[test]
fn rounds_of_unrolled_loops_are_those_of_the_source() {
    let loops = vec![machine_loop(2, None, 1, 25), machine_loop(2, None, 1, 3)];
    let sites = vec![site(3, Some(0), 25, 100, 100), site(3, Some(1), 3, 3, 3)];
    let comparison = compared(&predicted(PLAIN, &["n=103"]), profile(loops, sites));
    assert_eq!(
        sides(&comparison, "f@2", "iterations"),
        (Some(103.0), Some(103.0))
    );
    assert_eq!(
        sides(&comparison, "f@2", "adds per iteration"),
        (Some(1.0), Some(1.0))
    );
    assert_eq!(comparison.parameters, []);
}

/// A site whose instructions' addresses move by so many bytes per round.
fn walking(strides: &[i64], site: Site) -> Site {
    Site {
        strides: strides.to_vec(),
        ..site
    }
}

#[test]
fn two_stores_an_iteration_are_no_unrolling() {
    // Complex numbers are stored in two parts.
    let source = "#include <complex.h>
void f(int n, double complex *z, double complex c) {
  for (int i = 0; i < n; i++)
    z[i] = z[i] + c;
}
";
    let halves = |strides: &[i64]| {
        walking(
            strides,
            Site {
                line: Some(4),
                ..site(4, Some(0), 100, 200, 200)
            },
        )
    };
    for strides in [&[16][..], &[]] {
        let run = profile(vec![machine_loop(3, None, 1, 100)], vec![halves(strides)]);
        let comparison = compared(&predicted(source, &["n=100"]), run);
        assert_eq!(
            sides(&comparison, "f@3", "iterations"),
            (Some(100.0), Some(100.0)),
            "{strides:?}"
        );
        assert_eq!(comparison.parameters, [], "{strides:?}");
    }
    // A counter in memory: as many stores, to the same place, and as many bytes.
    for strides in [&[8][..], &[]] {
        let run = profile(
            vec![machine_loop(2, None, 1, 100)],
            vec![
                site(2, Some(0), 100, 0, 100),
                walking(strides, site(3, Some(0), 100, 100, 100)),
            ],
        );
        let comparison = compared(&predicted(PLAIN, &["n=100"]), run);
        assert_eq!(
            sides(&comparison, "f@2", "iterations"),
            (Some(100.0), Some(100.0)),
            "{strides:?}"
        );
        assert_eq!(
            sides(&comparison, "f@2", "adds per iteration"),
            (Some(1.0), Some(1.0)),
            "{strides:?}"
        );
    }
}

/// Eight integers are loaded in each of 125 rounds; no store and no floating-point operation tells.
#[test]
fn addresses_tell_how_often_a_loop_was_unrolled() {
    let source = "int f(int n, int *a) {
  int s = 0;
  for (int i = 0; i < n; i++)
    s += a[i];
  return s;
}
";
    let loads = Accesses {
        loads: 1000,
        loaded_bytes: 4000,
        ..Accesses::default()
    };
    let rounds = |stride, accesses| {
        let code = Site {
            accesses,
            ..walking(&[stride], site(4, Some(0), 125, 0, 0))
        };
        let comparison = compared(
            &predicted(source, &["n=1000"]),
            profile(vec![machine_loop(3, None, 1, 125)], vec![code]),
        );
        sides(&comparison, "f@3", "iterations").1
    };
    assert_eq!(rounds(32, loads), Some(1000.0));
    // One load a round that moves as far: the loop goes through the array in another order.
    let few = Accesses {
        loads: 125,
        loaded_bytes: 500,
        ..Accesses::default()
    };
    assert_eq!(rounds(32, few), Some(125.0));
}

/// Two rows at a time: one store, of both sums, three loads of eight bytes each.
#[test]
fn loops_whose_outer_loop_was_unrolled_do_its_rounds_side_by_side() {
    let source = "void f(int n, int m, double *x, double a[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      x[j] = x[j] + a[i][j];
}
";
    let accesses = Accesses {
        loads: 60,
        stores: 20,
        loaded_bytes: 480,
        stored_bytes: 160,
    };
    let body = Site {
        accesses,
        ..walking(&[8], site(4, Some(1), 20, 40, 20))
    };
    let run = profile(
        vec![machine_loop(2, None, 1, 2), machine_loop(3, Some(0), 2, 20)],
        vec![body],
    );
    let comparison = compared(&predicted(source, &["n=4", "m=10"]), run);
    assert_eq!(
        sides(&comparison, "f@2", "iterations"),
        (Some(40.0), Some(40.0))
    );
    assert_eq!(
        sides(&comparison, "f@2", "adds per iteration"),
        (Some(1.0), Some(1.0))
    );
}

#[test]
fn iterations_outside_of_the_machine_loop_count() {
    // The first one is peeled; a constant that is only loaded there is none.
    let peeled = vec![site(3, None, 1, 1, 1), site(3, Some(0), 99, 99, 99)];
    let run = profile(vec![machine_loop(2, None, 1, 99)], peeled);
    assert_eq!(
        sides(
            &compared(&predicted(PLAIN, &["n=100"]), run),
            "f@2",
            "iterations"
        )
        .1,
        Some(100.0)
    );
    let hoisted = vec![site(3, None, 1, 0, 0), site(3, Some(0), 99, 99, 99)];
    let run = profile(vec![machine_loop(2, None, 1, 99)], hoisted);
    assert_eq!(
        sides(
            &compared(&predicted(PLAIN, &["n=99"]), run),
            "f@2",
            "iterations"
        )
        .1,
        Some(99.0)
    );
    // None is left in a loop.
    let run = profile(Vec::new(), vec![site(3, None, 1, 4, 4)]);
    assert_eq!(
        sides(
            &compared(&predicted(PLAIN, &["n=4"]), run),
            "f@2",
            "iterations"
        )
        .1,
        Some(4.0)
    );
}

/// A loop of 60 iterations in whose place the compiler put one call.
fn cleared_by_a_call() -> Comparison {
    let source = "void f(int n, double *a) {
  for (int i = 0; i < n; i++)
    a[i] = 0.0;
}
";
    let accesses = Accesses {
        stores: 60,
        stored_bytes: 480,
        ..Accesses::default()
    };
    let call = Called {
        function: "memset".into(),
        times: 1,
        instructions: 130,
        accesses,
    };
    let run = profile(
        Vec::new(),
        vec![Site {
            calls: vec![call],
            ..site(3, None, 1, 0, 0)
        }],
    );
    compared(&predicted(source, &["n=60"]), run)
}

#[test]
fn loops_that_became_calls_count_by_what_these_store() {
    let comparison = cleared_by_a_call();
    assert_eq!(
        sides(&comparison, "f@2", "iterations"),
        (Some(60.0), Some(60.0))
    );
    assert_eq!(
        sides(&comparison, "f@2", "executions"),
        (Some(1.0), Some(1.0))
    );
}

const TWO_STATEMENTS: &str = "void f(int n, double *a, double *b) {
  for (int i = 0; i < n; i++) {
    a[i] = a[i] + 1.0;
    b[i] = b[i] + 2.0;
  }
}
";

#[test]
fn a_distributed_loop_goes_round_once_for_all_its_parts() {
    let loops = vec![machine_loop(2, None, 1, 80), machine_loop(2, None, 1, 80)];
    let run = profile(
        loops,
        vec![site(3, Some(0), 80, 80, 80), site(4, Some(1), 80, 80, 80)],
    );
    let comparison = compared(&predicted(TWO_STATEMENTS, &["n=80"]), run);
    assert_eq!(
        sides(&comparison, "f@2", "iterations"),
        (Some(80.0), Some(80.0))
    );
    assert_eq!(
        sides(&comparison, "f@2", "adds per iteration"),
        (Some(2.0), Some(2.0))
    );
}

#[test]
fn copies_of_an_unswitched_loop_add_up() {
    let loops = vec![machine_loop(2, None, 2, 80), machine_loop(2, None, 1, 40)];
    let both = |number, rounds| {
        [
            site(3, Some(number), rounds, rounds, rounds),
            site(4, Some(number), rounds, rounds, rounds),
        ]
    };
    let run = profile(loops, [both(0, 80), both(1, 40)].concat());
    let comparison = compared(&predicted(TWO_STATEMENTS, &["n=40"]), run);
    assert_eq!(sides(&comparison, "f@2", "iterations").1, Some(120.0));
    assert_eq!(sides(&comparison, "f@2", "executions").1, Some(3.0));
}

/// Outside of any loop the compiler tests whether the inner loop is to be entered: the last round of the outer one
/// ends there.
#[test]
fn a_round_that_ends_at_the_test_of_an_inner_loop_has_begun() {
    let source = "void f(int n, double a[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      a[i][j] = a[i][j] + 1.0;
}
";
    let outer = MachineLoop {
        refused: 1,
        ..machine_loop(3, None, 1, 9)
    };
    let loops = vec![outer, machine_loop(3, Some(0), 9, 45)];
    let run = profile(
        loops,
        vec![site(2, Some(0), 9, 0, 0), site(4, Some(1), 45, 45, 45)],
    );
    let comparison = compared(&predicted(source, &["n=10"]), run);
    assert_eq!(
        sides(&comparison, "f@2", "mean trip count of i, line 2"),
        (Some(10.0), Some(10.0))
    );
    assert_eq!(
        sides(&comparison, "f@2", "mean trip count of j, line 3"),
        (Some(4.5), Some(4.5))
    );
    assert_eq!(comparison.parameters, []);
}

/// Two arrays that are read alike, told apart by length; the sizes of the report are wrong by a common factor, which
/// does no harm to those that are told apart by counts.
#[test]
fn allocated_arrays_are_named_by_counts_and_lengths() {
    let source = "void f(int n, int m, double a[m], double b[n][m], double *c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      c[i] = c[i] + a[j] + b[i][j];
}
";
    let range = |name: &str, low: u64, bytes: u64| DataRange {
        name: name.into(),
        low,
        high: low + bytes,
        is_variable: false,
        allocated: Vec::new(),
    };
    let data = vec![
        range("heap 1", 0x1000, 160),
        range("heap 2", 0x2000, 80),
        range("heap 3", 0x3000, 1600),
    ];
    let touched = |range, loads, stores| DataAccesses {
        range,
        accesses: Accesses {
            loads,
            stores,
            ..Accesses::default()
        },
    };
    let mut inner = site(4, Some(1), 200, 400, 200);
    inner.data = vec![touched(0, 200, 0), touched(1, 200, 200), touched(2, 200, 0)];
    let run = || SourceProfile {
        data: data.clone(),
        ..profile(
            vec![
                machine_loop(2, None, 1, 10),
                machine_loop(3, Some(0), 10, 200),
            ],
            vec![inner.clone()],
        )
    };
    let names = |comparison: &Comparison| -> Vec<String> {
        objects(nest(comparison, "f@2"), Direction::Load)
    };
    let right = compared(&predicted(source, &["n=10", "m=20"]), run());
    assert_eq!(names(&right), ["a (heap 1)", "b (heap 3)", "c (heap 2)"]);
    let wrong = compared(&predicted(source, &["n=100", "m=200"]), run());
    assert_eq!(names(&wrong), ["a", "b", "c (heap 2)", "heap 1", "heap 3"]);
}

fn reason<'c>(comparison: &'c Comparison, id: &str, quantity: &str) -> &'c str {
    row(comparison, id, quantity)
        .reason
        .as_deref()
        .unwrap_or_default()
}

const TWO_SIZES: &str = "void f(int lo, int hi, double *a, double c) {
  for (int i = lo; i < hi; i++)
    a[i] = a[i] + c;
}
";

#[test]
fn of_two_sizes_in_one_bound_none_is_blamed() {
    let run = || {
        profile(
            vec![machine_loop(2, None, 1, 30)],
            vec![walking(&[8], site(3, Some(0), 30, 30, 30))],
        )
    };
    let comparison = compared(&predicted(TWO_SIZES, &["lo=10", "hi=128"]), run());
    assert_eq!(comparison.parameters, []);
    let told = reason(&comparison, "f@2", "iterations");
    assert!(told.contains("its bounds depend on hi, lo"), "{told}");
    // With one of them known from another loop, the other one is told.
    let source = format!(
        "{TWO_SIZES}void g(int lo, double *a) {{\n  for (int i = 0; i < lo; i++)\n    a[i] = a[i] + 1.0;\n}}\n"
    );
    let mut report = predicted(&source, &["lo=10", "hi=128"]);
    let shared = report
        .parameters
        .values_mut()
        .filter(|parameter| parameter.source_name == "lo");
    shared.for_each(|parameter| parameter.functions.clear());
    let both = profile(
        vec![machine_loop(2, None, 1, 30), machine_loop(6, None, 1, 10)],
        vec![
            walking(&[8], site(3, Some(0), 30, 30, 30)),
            walking(&[8], site(7, Some(1), 10, 10, 10)),
        ],
    );
    let comparison = compared(&report, both);
    let [hi] = &comparison.parameters[..] else {
        panic!("{:?}", comparison.parameters)
    };
    assert_eq!((hi.parameter.as_str(), hi.fits), ("hi", 40.0));
}

#[test]
fn a_loop_that_is_left_early_tells_no_size() {
    let source = "int f(int n, double *a, double x) {
  for (int i = 0; i < n; i++)
    if (a[i] == x)
      return i;
  return -1;
}
";
    let run = profile(
        vec![machine_loop(2, None, 1, 38)],
        vec![site(3, Some(0), 38, 0, 0)],
    );
    let comparison = compared(&predicted(source, &["n=100"]), run);
    assert_eq!(comparison.parameters, []);
    assert!(reason(&comparison, "f@2", "iterations").contains("can be left before its bound"));
}

#[test]
fn a_loop_that_was_not_entered_tells_no_size() {
    let source = "void f(int n, double *a) {
  for (int i = 5; i < n; i++)
    a[i] = a[i] + 1.0;
}
";
    let run = profile(
        vec![machine_loop(2, None, 1, 0)],
        vec![site(2, Some(0), 1, 0, 0)],
    );
    let comparison = compared(&predicted(source, &["n=3"]), run);
    assert_eq!(comparison.parameters, []);
    assert_eq!(
        sides(&comparison, "f@2", "iterations"),
        (Some(0.0), Some(0.0))
    );
}

#[test]
fn a_size_that_was_not_always_the_same_is_a_mean() {
    let loops = vec![MachineLoop {
        fewest: Some(10),
        most: Some(30),
        ..machine_loop(2, None, 2, 40)
    }];
    let run = profile(loops, vec![walking(&[8], site(3, Some(0), 40, 40, 40))]);
    let mut report = predicted(PLAIN, &["n=100"]);
    report.functions[0].times_called = Some(2.0.into());
    let comparison = compared(&report, run);
    let told = reason(&comparison, "f@2", "iterations");
    assert_eq!(
        told,
        "a parameter does not match: n is 100 in the report; in the run it varied, 20 on average"
    );
}

#[test]
fn more_executions_are_no_more_iterations_each() {
    let run = profile(
        vec![machine_loop(2, None, 4, 400)],
        vec![
            Site {
                decisions: 404,
                ..site(2, Some(0), 404, 0, 0)
            },
            walking(&[8], site(3, Some(0), 400, 400, 400)),
        ],
    );
    let comparison = compared(&predicted(PLAIN, &["n=100"]), run);
    assert_eq!(comparison.parameters, []);
    assert_eq!(
        reason(&comparison, "f@2", "iterations"),
        "each execution has the 100 of the report; the run has 4 executions"
    );
    assert_eq!(
        reason(&comparison, "f@2", "executions"),
        "the report has 1 call of the function, the run entered the loop 4 times"
    );
}

#[test]
fn a_product_of_a_size_tells_it() {
    let source = "void f(int n, double *a) {
  for (int i = 0; i < n * n; i++)
    a[i] = a[i] + 1.0;
}
";
    let run = profile(
        vec![machine_loop(2, None, 1, 3600)],
        vec![walking(&[8], site(3, Some(0), 3600, 3600, 3600))],
    );
    let comparison = compared(&predicted(source, &["n=128"]), run);
    assert_eq!(
        comparison.parameters.first().map(|found| found.fits),
        Some(60.0)
    );
}

/// A branch that was taken in 499 of 1000 rounds does not explain half of the loads.
#[test]
fn a_branch_explains_no_more_than_it_can() {
    let source = "void f(int n, double *a, double *b) {
  for (int i = 0; i < n; i++)
    if (a[i] > 0.5)
      b[i] = a[i] + 1.0;
}
";
    let loads = Accesses {
        loads: 1000,
        loaded_bytes: 8000,
        ..Accesses::default()
    };
    let head = Site {
        accesses: loads,
        ..walking(&[8], site(3, Some(0), 1000, 0, 0))
    };
    let arm = walking(&[8], site(4, Some(0), 499, 499, 499));
    let run = profile(vec![machine_loop(2, None, 1, 1000)], vec![head, arm]);
    let comparison = compared(&predicted(source, &["n=1000"]), run);
    assert!(reason(&comparison, "f@2", "stores per iteration").contains("0.4990 would fit"));
    let told = reason(&comparison, "f@2", "loads per iteration");
    assert!(!told.contains("would fit"), "{told}");
}

/// Only a constant of the arm was loaded, before the loop.
#[test]
fn an_arm_whose_code_is_outside_of_the_loop_tells_no_frequency() {
    let source = "void f(int n, double *a, double *b) {
  for (int i = 0; i < n; i++)
    if (a[i] > 0.5)
      b[i] = a[i] + 1.0;
}
";
    let run = profile(
        vec![machine_loop(2, None, 1, 1000)],
        vec![site(3, Some(0), 1000, 0, 0), site(4, None, 1, 0, 0)],
    );
    let comparison = compared(&predicted(source, &["n=1000"]), run);
    assert_eq!(comparison.parameters, []);
}

#[test]
fn a_pointer_is_not_the_array_that_it_points_to() {
    let source = "double *a;
void f(int n) {
  for (int i = 0; i < n; i++)
    a[i] = 1.5;
}
";
    let range = |name: &str, low: u64, bytes: u64, is_variable| DataRange {
        name: name.into(),
        low,
        high: low + bytes,
        is_variable,
        allocated: Vec::new(),
    };
    let touched = |range, loads, stores| DataAccesses {
        range,
        accesses: Accesses {
            loads,
            stores,
            ..Accesses::default()
        },
    };
    let inner = Site {
        data: vec![touched(1, 0, 55)],
        ..walking(&[8], site(4, Some(0), 55, 0, 55))
    };
    let before = Site {
        data: vec![touched(0, 1, 0)],
        ..site(4, None, 1, 0, 0)
    };
    let run = SourceProfile {
        data: vec![
            range("a", 0x100, 8, true),
            range("heap 1", 0x1000, 440, false),
        ],
        ..profile(vec![machine_loop(3, None, 1, 55)], vec![inner, before])
    };
    let comparison = compared(&predicted(source, &["n=55"]), run);
    assert_eq!(
        sides(&comparison, "f@3", "stores to a (heap 1)"),
        (Some(55.0), Some(55.0))
    );
    assert_eq!(
        sides(&comparison, "f@3", "loads of a, the pointer itself"),
        (None, Some(1.0))
    );
}

#[test]
fn what_became_a_call_is_said_with_what_that_did() {
    let comparison = cleared_by_a_call();
    assert_eq!(
        reason(&comparison, "f@2", "stores per iteration"),
        "became a call of memset, which stored 480 B in 130 instructions"
    );
}

#[test]
fn work_of_a_callee_is_said_to_be_counted_there() {
    let call = Called {
        function: "ext".into(),
        times: 100,
        instructions: 0,
        accesses: Accesses::default(),
    };
    let body = Site {
        calls: vec![call],
        ..walking(&[8], site(3, Some(0), 100, 0, 100))
    };
    let comparison = compared(
        &predicted(PLAIN, &["n=100"]),
        profile(vec![machine_loop(2, None, 1, 100)], vec![body]),
    );
    assert_eq!(
        reason(&comparison, "f@2", "adds per iteration"),
        "what it calls is counted at its own lines: ext (100 calls)"
    );
}

/// 995 of 1000 loads, and nobody knows which are missing.
#[test]
fn a_small_difference_has_a_reason_too() {
    let source = "double b[1000];
void f(int n, double *a) {
  for (int i = 0; i < n; i++)
    a[i] = b[i];
}
";
    let accesses = Accesses {
        loads: 995,
        stores: 1000,
        loaded_bytes: 7960,
        stored_bytes: 8000,
    };
    let data = vec![DataAccesses {
        range: 0,
        accesses: Accesses {
            loads: 995,
            ..Accesses::default()
        },
    }];
    let body = Site {
        accesses,
        data,
        ..walking(&[8], site(4, Some(0), 1000, 0, 0))
    };
    let run = SourceProfile {
        data: vec![DataRange {
            name: "b".into(),
            low: 0x100,
            high: 0x100 + 8000,
            is_variable: true,
            allocated: Vec::new(),
        }],
        ..profile(vec![machine_loop(3, None, 1, 1000)], vec![body])
    };
    let comparison = compared(&predicted(source, &["n=1000"]), run);
    for quantity in ["loads per iteration", "loads of b"] {
        let told = reason(&comparison, "f@3", quantity);
        assert!(
            told.starts_with("unexplained: 0.005 per iteration fewer"),
            "{quantity}: {told}"
        );
    }
}

#[test]
fn library_code_is_listed_but_for_what_nests_called() {
    let library = |name: &str, instructions, on_behalf| Site {
        function: name.into(),
        file: None,
        line: None,
        instructions,
        on_behalf,
        ..Site::default()
    };
    let call = Called {
        function: "pow".into(),
        times: 100,
        instructions: 500,
        accesses: Accesses::default(),
    };
    let body = Site {
        calls: vec![call],
        ..walking(&[8], site(3, Some(0), 100, 100, 100))
    };
    let of_nest = vec![OnBehalf {
        site: 0,
        instructions: 500,
    }];
    let run = profile(
        vec![machine_loop(2, None, 1, 100)],
        vec![
            body,
            library("puts", 70, vec![]),
            library("pow", 520, of_nest),
        ],
    );
    let comparison = compared(&predicted(PLAIN, &["n=100"]), run);
    let unjoined: Vec<(&str, u64)> = comparison
        .unjoined
        .iter()
        .map(|left| (left.what.as_str(), left.instructions))
        .collect();
    assert_eq!(unjoined, [("puts", 70), ("pow", 20)]);
}

/// Four floats are stored as two doubles.
#[test]
fn other_widths_of_the_same_bytes_are_told() {
    let source = "void f(int n, float *a) {
  for (int i = 0; i < n; i++)
    a[i] = 1.0f;
}
";
    let body = Site {
        accesses: Accesses {
            stores: 50,
            stored_bytes: 400,
            ..Accesses::default()
        },
        ..walking(&[8], site(3, Some(0), 50, 0, 0))
    };
    let comparison = compared(
        &predicted(source, &["n=100"]),
        profile(vec![machine_loop(2, None, 1, 50)], vec![body]),
    );
    assert_eq!(
        sides(&comparison, "f@2", "iterations"),
        (Some(100.0), Some(100.0))
    );
    assert_eq!(
        reason(&comparison, "f@2", "stores per iteration"),
        "the bytes agree: 8 B per access, where the source's elements have 4 B"
    );
}

/// The machine code of two loops begins with the same instruction: the outer loop's rounds are those of both, 200, of
/// which 10 enter the inner one.
#[test]
fn loops_that_share_a_header_are_told_apart_by_their_lines() {
    let source = "void f(int n, int m, double a[n][m], double *s) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++)
      s[i] = s[i] + a[i][j];
    s[i] = s[i] * 2.0;
  }
}
";
    let inner = MachineLoop {
        shares_header: true,
        ..machine_loop(3, Some(0), 10, 200)
    };
    let multiplies = Site {
        operations: Operations {
            multiplies: 10,
            ..Operations::default()
        },
        ..site(5, Some(0), 10, 0, 10)
    };
    let run = profile(
        vec![machine_loop(3, None, 1, 200), inner.clone()],
        vec![site(4, Some(1), 200, 200, 0), multiplies.clone()],
    );
    let comparison = compared(&predicted(source, &["n=10", "m=20"]), run);
    assert_eq!(
        sides(&comparison, "f@2", "iterations"),
        (Some(200.0), Some(200.0))
    );
    assert_eq!(
        sides(&comparison, "f@2", "executions"),
        (Some(1.0), Some(1.0))
    );
    assert_eq!(
        sides(&comparison, "f@2", "mean trip count of i, line 2"),
        (Some(10.0), Some(10.0))
    );
    assert_eq!(
        sides(&comparison, "f@2", "mean trip count of j, line 3"),
        (Some(20.0), Some(20.0))
    );
    // Another cycle passes the inner loop by, and holds the rest.
    let beside = machine_loop(3, Some(0), 9, 9);
    let run = profile(
        vec![machine_loop(3, None, 1, 200), inner, beside],
        vec![
            site(4, Some(1), 200, 200, 0),
            multiplies,
            site(2, Some(2), 9, 0, 0),
        ],
    );
    let comparison = compared(&predicted(source, &["n=10", "m=20"]), run);
    assert_eq!(
        sides(&comparison, "f@2", "mean trip count of i, line 2"),
        (Some(10.0), Some(10.0))
    );
    assert_eq!(
        sides(&comparison, "f@2", "mean trip count of j, line 3"),
        (Some(20.0), Some(20.0))
    );
}

/// Of 20 rounds of the inner loop one was peeled, in each of 10 executions; the outer loop stores too. Columns tell which
/// store is whose; without them, what the outer loop stores itself is not taken for rounds of the inner one.
#[test]
fn nested_loops_on_one_line_are_told_apart() {
    let source = "void f(int n, int m, double a[n][m], double *x) {
  for (int i = 0; i < n; i++) { x[i] = 1.0; for (int j = 0; j < m; j++) a[i][j] = 2.0; }
}
";
    let report = predicted(source, &["n=10", "m=20"]);
    let at = |column, site: Site| Site { column, ..site };
    let rounds = |comparison: &Comparison| sides(comparison, "f@2", "iterations").1;
    let run = |inner: u64, peeled: u64, columns: [Option<u32>; 2]| {
        let sites = vec![
            at(columns[0], site(2, Some(0), 10, 0, 10)),
            at(columns[1], site(2, Some(1), inner, 0, inner)),
            at(
                columns[1],
                Site {
                    called_from: vec![("kernel.c".into(), 9)],
                    ..site(2, Some(0), peeled, 0, peeled)
                },
            ),
        ];
        profile(
            vec![
                machine_loop(2, None, 1, 10),
                machine_loop(2, Some(0), 10, inner),
            ],
            sites,
        )
    };
    let columns = [Some(33), Some(73)];
    assert_eq!(
        rounds(&compared(&report, run(200, 0, columns))),
        Some(200.0)
    );
    assert_eq!(
        rounds(&compared(&report, run(190, 10, columns))),
        Some(200.0)
    );
    assert_eq!(
        rounds(&compared(&report, run(200, 0, [None; 2]))),
        Some(200.0)
    );
    assert_eq!(
        rounds(&compared(&report, run(190, 10, [None; 2]))),
        Some(200.0)
    );
    // All of a macro is in one column.
    assert_eq!(
        rounds(&compared(&report, run(200, 0, [Some(3); 2]))),
        Some(200.0)
    );
}

/// The compiler made two loops of the outer one, for whether the inner one has rounds: the first is left in the middle of
/// its only round, by the inner loop's test, and the second goes on with it.
#[test]
fn a_round_that_goes_on_in_another_loop_is_one() {
    let source = "void f(int n, int m, double *x) {
  for (int k = 0; k < m; k++)
    for (int i = 0; i < n; i++) {
      if (x[i] > 50.0) break;
      x[i] = x[i] + 1.0;
    }
}
";
    let report = predicted(source, &["n=40", "m=5"]);
    let run = |left_at: u32| {
        let after = vec![After {
            machine_loop: 0,
            site: 0,
            entries: 1,
        }];
        let again = MachineLoop {
            after,
            ..machine_loop(2, None, 1, 5)
        };
        let tests = [
            site(left_at, Some(0), 1, 0, 0),
            site(4, Some(0), 1, 0, 0),
            site(4, Some(2), 114, 0, 0),
        ];
        let sites = [
            &tests[..],
            &[site(2, Some(1), 5, 0, 0), site(5, Some(2), 110, 110, 110)],
        ]
        .concat();
        profile(
            vec![
                machine_loop(2, None, 1, 1),
                again,
                machine_loop(3, Some(1), 5, 114),
            ],
            sites,
        )
    };
    let continued = compared(&report, run(3));
    assert_eq!(
        sides(&continued, "f@2", "executions"),
        (Some(1.0), Some(1.0))
    );
    assert_eq!(
        sides(&continued, "f@2", "mean trip count of k, line 2"),
        (Some(5.0), Some(5.0))
    );
    assert_eq!(
        sides(&continued, "f@2", "iterations"),
        (Some(200.0), Some(114.0))
    );
    // Left by its own test, it was done: the second is the same execution going on, or that of another call.
    assert_eq!(
        sides(&compared(&report, run(2)), "f@2", "executions"),
        (Some(1.0), Some(1.0))
    );
    let mut calls = run(2);
    calls.sites[0] = Site {
        called_from: vec![("kernel.c".into(), 10)],
        call_columns: vec![5],
        ..calls.sites[0].clone()
    };
    calls.sites[3] = Site {
        called_from: vec![("kernel.c".into(), 10)],
        call_columns: vec![25],
        ..calls.sites[3].clone()
    };
    assert_eq!(
        sides(&compared(&report, calls), "f@2", "executions"),
        (Some(1.0), Some(2.0))
    );
}

/// A copy of a string in the body is a loop of the machine code, and none of the source.
#[test]
fn a_loop_that_one_statement_became_is_no_loop_of_the_source() {
    let source = "      subroutine f(n, x, w, v)
      integer n, i, j
      real*8 x(n)
      character*500 w, v
      do j = 1, n
        do i = 1, n
          x(i) = x(i) + 1d0
          w = v
          x(i) = x(i) * 2d0
        end do
      end do
      end
";
    let report = command::analysed_text("kernel.f", source, &["--set", "n=12"]);
    let report = StaticReport::parse(&report.to_string()).expect("a report");
    let here = |one: MachineLoop| MachineLoop {
        file: Some("kernel.f".into()),
        ..one
    };
    let at = |one: Site| Site {
        file: Some("kernel.f".into()),
        ..one
    };
    // The inner loop is named after the statement that its compiler put last.
    let loops = vec![
        machine_loop(5, None, 1, 12),
        machine_loop(7, Some(0), 12, 144),
        machine_loop(8, Some(1), 144, 2160),
    ];
    let sites = vec![
        site(7, Some(1), 144, 144, 144),
        site(8, Some(2), 2160, 0, 8640),
        site(6, Some(1), 144, 0, 0),
    ];
    let run = profile(
        loops.into_iter().map(here).collect(),
        sites.into_iter().map(at).collect(),
    );
    let comparison = compared(&report, run);
    assert_eq!(
        sides(&comparison, "f@5", "executions"),
        (Some(1.0), Some(1.0))
    );
    assert_eq!(
        sides(&comparison, "f@5", "iterations"),
        (Some(144.0), Some(144.0))
    );
}

/// Four executions of 3, 0, 5 and 0 rounds enter the loop twice.
#[test]
fn executions_of_no_round_count() {
    let source = "void f(int n, int *c, double *t) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < c[i]; j++)
      t[j] = t[j] + 1.5;
}
";
    let inner = MachineLoop {
        fewest: Some(3),
        most: Some(5),
        ..machine_loop(3, Some(0), 2, 8)
    };
    let run = profile(
        vec![machine_loop(2, None, 1, 4), inner],
        vec![site(4, Some(1), 8, 8, 8)],
    );
    let comparison = compared(&predicted(source, &["n=4"]), run);
    let [found] = &comparison.parameters[..] else {
        panic!("{:?}", comparison.parameters)
    };
    assert_eq!(
        (found.parameter.as_str(), found.fits, found.is_mean),
        ("trip_f_3", 2.0, true)
    );
    assert_eq!(
        sides(&comparison, "f@2", "mean trip count of j, line 3").1,
        Some(2.0)
    );
}

/// Of 100 rounds 60 end with `continue`: the same machine code, of one loop.
#[test]
fn rounds_that_are_cut_short_are_rounds() {
    let source = "void f(int n, double *a, double *b) {
  for (int i = 0; i < n; i++) {
    if (a[i] > 0.0) continue;
    b[i] = a[i] + 1.0;
  }
}
";
    let inner = MachineLoop {
        shares_header: true,
        ..machine_loop(2, Some(0), 40, 100)
    };
    let run = profile(
        vec![machine_loop(2, None, 1, 100), inner],
        vec![site(3, Some(1), 100, 0, 0), site(4, Some(0), 40, 40, 40)],
    );
    let comparison = compared(&predicted(source, &["n=100"]), run);
    assert_eq!(
        sides(&comparison, "f@2", "iterations"),
        (Some(100.0), Some(100.0))
    );
    assert_eq!(
        sides(&comparison, "f@2", "executions"),
        (Some(1.0), Some(1.0))
    );
    assert_eq!(
        sides(&comparison, "f@2", "stores per iteration").1,
        Some(0.4)
    );
}

/// A block that moved to where another had been: the range is not the array of before.
#[test]
fn a_block_that_was_moved_lends_its_name_to_no_earlier_access() {
    let source = "void f(int n, double *a, double *b) {
  for (int i = 0; i < n; i++) {
    a[i] = 1.0;
    b[i] = 2.0;
  }
  free(b); a = realloc(a, 2 * n * sizeof *a);
  for (int i = 0; i < n; i++)
    a[n + i] = 3.0;
}
";
    let range = |name: &str, low: u64| DataRange {
        name: name.into(),
        low,
        high: low + 800,
        is_variable: false,
        allocated: Vec::new(),
    };
    let stores = |line, machine_loop, range| Site {
        data: vec![DataAccesses {
            range,
            accesses: Accesses {
                stores: 100,
                ..Accesses::default()
            },
        }],
        ..walking(&[8], site(line, Some(machine_loop), 100, 0, 100))
    };
    let run = |moves: Site| SourceProfile {
        data: vec![range("heap 1", 0x1000), range("heap 2", 0x2000)],
        ..profile(
            vec![machine_loop(2, None, 1, 100), machine_loop(7, None, 1, 100)],
            vec![stores(3, 0, 0), stores(4, 0, 1), moves, stores(8, 1, 1)],
        )
    };
    let rows = |comparison: &Comparison, id| -> Vec<String> {
        objects(nest(comparison, id), Direction::Store)
    };
    let moves = Called {
        function: "realloc".into(),
        times: 1,
        instructions: 90,
        accesses: Accesses::default(),
    };
    let report = predicted(source, &["n=100"]);
    let moved = compared(
        &report,
        run(Site {
            calls: vec![moves],
            ..site(6, None, 1, 0, 0)
        }),
    );
    assert_eq!(rows(&moved, "f@2"), ["a", "b", "heap 1", "heap 2"]);
    assert_eq!(rows(&moved, "f@7"), ["a (heap 2)"]);
    // As long as nothing moves, an array is one range.
    let stays = compared(&report, run(site(6, None, 1, 0, 0)));
    assert_eq!(rows(&stays, "f@2"), ["a (heap 2)", "b (heap 1)"]);
}

/// The arm of a branch that was never taken: all loads have the name of another array.
#[test]
fn an_array_that_was_not_accessed_is_told_from_one_that_was_not_found() {
    let source = "double a[100], v[100];
double f(int n, double s) {
  for (int i = 0; i < n; i++)
    if (a[i] > 5.0)
      s += v[i];
  return s;
}
";
    let loads = |range| DataAccesses {
        range,
        accesses: Accesses {
            loads: 100,
            ..Accesses::default()
        },
    };
    let run = |data: Vec<DataAccesses>| {
        let accesses = Accesses {
            loads: 100,
            loaded_bytes: 800,
            ..Accesses::default()
        };
        let body = Site {
            accesses,
            data,
            ..walking(&[8], site(4, Some(0), 100, 0, 0))
        };
        SourceProfile {
            data: vec![
                DataRange {
                    name: "a".into(),
                    low: 0x100,
                    high: 0x420,
                    is_variable: true,
                    allocated: Vec::new(),
                },
                DataRange {
                    name: "heap 1".into(),
                    low: 0x1000,
                    high: 0x1320,
                    is_variable: false,
                    allocated: Vec::new(),
                },
            ],
            ..profile(vec![machine_loop(3, None, 1, 100)], vec![body])
        }
    };
    let report = predicted(source, &["n=100"]);
    let comparison = compared(&report, run(vec![loads(0)]));
    assert_eq!(
        sides(&comparison, "f@3", "loads of v"),
        (Some(50.0), Some(0.0))
    );
    assert_eq!(
        reason(&comparison, "f@3", "loads of v"),
        "none of the nest's own loads accessed it: values are in registers, or paths were not taken; the counts do not show which"
    );
    // What has no name may be it.
    let comparison = compared(&report, run(vec![loads(0), loads(1)]));
    assert_eq!(sides(&comparison, "f@3", "loads of v").1, None);
}

#[test]
fn levels_are_only_set_where_the_machine_has_them() {
    let trace = json!({
        "schema": "loopsheet/trace/1",
        "trace": {"path": "by hand", "instructions": 0},
        "source": profile(vec![machine_loop(2, None, 1, 100)], vec![site(3, Some(0), 100, 100, 100)]),
        "cache": [{"size": 100, "line": 64}, {"size": 200, "line": 64}],
    });
    let trace = Run::parse(&trace.to_string()).expect("a trace");
    let options = ["--set", "n=100", "--machine", "exasat"];
    let report = command::analysed_text(FILE, PLAIN, &options);
    let report = StaticReport::parse(&report.to_string()).expect("a report");
    let notes = compare(&report, &trace, &|_| true).notes;
    let about = |level: &str| {
        notes
            .iter()
            .find(|note| note.contains(level))
            .expect("it is there")
    };
    assert!(about("level 1").ends_with("make both the same with --cache and --set l1_bytes"));
    assert!(
        about("level 2")
            .ends_with("--set cannot add a level to that machine; --machine chooses another")
    );
}

/// A loop without a count whose rounds vary: 77 in 10 executions. Its parameter is a mean.
#[test]
fn the_rounds_of_a_loop_without_a_count_may_be_a_mean() {
    let source = "void f(int n, int *start, double *a, double *y) {
  for (int i = 0; i < n; i++)
    for (int k = start[i]; k < start[i + 1]; k++)
      y[i] = y[i] + a[k];
}
";
    let inner = MachineLoop {
        fewest: Some(5),
        most: Some(9),
        ..machine_loop(3, Some(0), 10, 77)
    };
    let run = || {
        profile(
            vec![machine_loop(2, None, 1, 10), inner.clone()],
            vec![site(4, Some(1), 77, 77, 0)],
        )
    };
    let comparison = compared(&predicted(source, &["n=10"]), run());
    let told: Vec<(&str, f64, bool)> = comparison
        .parameters
        .iter()
        .map(|found| (found.parameter.as_str(), found.fits, found.is_mean))
        .collect();
    assert_eq!(told, [("trip_f_3", 7.7, true)]);
    assert_eq!(
        reason(&comparison, "f@2", "iterations"),
        "a parameter does not match: trip_f_3 is 8 in the report; in the run it varied, 7.7 on average"
    );
    let comparison = compared(&predicted(source, &["n=10", "trip_f_3=7.7"]), run());
    assert_eq!(
        sides(&comparison, "f@2", "iterations"),
        (Some(77.0), Some(77.0))
    );
    assert_eq!(comparison.parameters, []);
}

/// Called with 10, 20 and 31: no one size fits, and only one is there.
#[test]
fn a_size_that_varied_is_said_to_have_no_one_value() {
    let inner = MachineLoop {
        fewest: Some(10),
        most: Some(31),
        ..machine_loop(2, None, 3, 61)
    };
    let run = profile(
        vec![inner],
        vec![walking(&[8], site(3, Some(0), 61, 61, 61))],
    );
    let comparison = compared(&predicted(PLAIN, &["n=100"]), run);
    assert!(
        reason(&comparison, "f@2", "iterations")
            .ends_with("its bounds depend on n, and no single value of it explains that"),
        "{}",
        reason(&comparison, "f@2", "iterations")
    );
}

/// Structures of two doubles, through an array with more than one dimension: 16 bytes are one element, and the other array
/// is walked across its rows.
#[test]
fn rows_and_columns_are_not_taken_for_each_other() {
    let source = "typedef struct { double re, im; } cx;
void f(int n, int m, cx a[n][m], cx *b) {
  for (int i = 0; i < n; i++)
    a[i][0] = b[i];
}
void g(int n, int m, double a[n][m], double *b) {
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++)
      a[i][j] = 1.0;
}
";
    let wide = Accesses {
        loads: 128,
        stores: 128,
        loaded_bytes: 1024,
        stored_bytes: 1024,
    };
    let copied = Site {
        accesses: wide,
        ..walking(&[16, 512], site(4, Some(0), 64, 0, 0))
    };
    let down = Site {
        function: "g".into(),
        ..walking(&[32], site(9, Some(2), 40, 0, 40))
    };
    let of_g = |one: MachineLoop| MachineLoop {
        function: "g".into(),
        ..one
    };
    let loops = vec![
        machine_loop(3, None, 1, 64),
        of_g(machine_loop(7, None, 1, 4)),
        of_g(machine_loop(8, Some(1), 4, 40)),
    ];
    let comparison = compared(
        &predicted(source, &["n=100", "m=4"]),
        profile(loops, vec![copied, down]),
    );
    assert_eq!(sides(&comparison, "f@3", "iterations").1, Some(64.0));
    assert_eq!(sides(&comparison, "g@7", "iterations").1, Some(40.0));
}

/// The test that ends the loop of an inlined function was moved there from its caller: the code tells.
#[test]
fn a_machine_loop_whose_test_is_in_no_loop_comes_from_that_of_its_code() {
    let loops = vec![machine_loop(6, None, 1, 100)];
    let comparison = compared(
        &predicted(PLAIN, &["n=100"]),
        profile(
            loops,
            vec![
                site(3, Some(0), 100, 100, 100),
                Site {
                    instructions: 100,
                    ..site(6, Some(0), 100, 0, 0)
                },
            ],
        ),
    );
    assert_eq!(
        sides(&comparison, "f@2", "iterations"),
        (Some(100.0), Some(100.0))
    );
    assert_eq!(
        sides(&comparison, "f@2", "executions"),
        (Some(1.0), Some(1.0))
    );
}

/// A parameter has the name of a global variable, which another parameter points into.
#[test]
fn a_namesake_of_a_variable_is_not_that_variable() {
    let source = "void f(int n, double *x, double *y) {
  for (int i = 0; i < n; i++) {
    *x = *x * 3.0;
    y[i] = *x + *x * *x;
  }
}
";
    let touched = |range, loads, stores| DataAccesses {
        range,
        accesses: Accesses {
            loads,
            stores,
            ..Accesses::default()
        },
    };
    let run = |of_x: DataAccesses, of_heap: DataAccesses| SourceProfile {
        data: vec![
            DataRange {
                name: "x".into(),
                low: 0x100,
                high: 0x420,
                is_variable: true,
                allocated: Vec::new(),
            },
            DataRange {
                name: "heap 1".into(),
                low: 0x1000,
                high: 0x1320,
                is_variable: false,
                allocated: Vec::new(),
            },
        ],
        ..profile(
            vec![machine_loop(2, None, 1, 100)],
            vec![Site {
                data: vec![of_x, of_heap],
                ..walking(&[8], site(4, Some(0), 100, 100, 200))
            }],
        )
    };
    let report = predicted(source, &["n=100"]);
    // What has the variable's name is stored once per iteration and not loaded: as y.
    let comparison = compared(&report, run(touched(0, 0, 100), touched(1, 100, 100)));
    assert_eq!(sides(&comparison, "f@2", "loads of x").1, None);
    assert_eq!(
        sides(&comparison, "f@2", "stores to x, the variable"),
        (None, Some(100.0))
    );
    // Another range is y.
    let comparison = compared(&report, run(touched(0, 100, 100), touched(1, 0, 100)));
    assert_eq!(sides(&comparison, "f@2", "loads of x").1, Some(100.0));
    assert_eq!(
        sides(&comparison, "f@2", "stores to y (heap 1)").1,
        Some(100.0)
    );
}

/// Addresses are computed in the loop, with the line of the declaration that they come from.
#[test]
fn what_was_moved_into_a_loop_is_that_of_the_loop() {
    let run = profile(
        vec![machine_loop(2, None, 1, 100)],
        vec![
            site(3, Some(0), 100, 100, 100),
            site(1, Some(0), 100, 0, 0),
            site(1, None, 1, 0, 0),
        ],
    );
    let comparison = compared(&predicted(PLAIN, &["n=100"]), run);
    let share: Vec<(u64, u64)> = comparison
        .functions
        .iter()
        .map(|function| (function.instructions, function.joined))
        .collect();
    assert_eq!(share, [(804, 800)]);
}

/// Each way back to the head is a loop of its own, one inside the other, with a copy of what every round does.
#[test]
fn rounds_of_both_ways_back_to_the_head_count() {
    let source = "int f(long n) {
  int steps = 0;
  while (n != 1) {
    if (n & 1)
      n = 3 * n + 1;
    else
      n = n / 2;
    steps++;
  }
  return steps;
}
";
    let report = predicted(source, &[]);
    let run = |inner_steps: Option<u64>| {
        let inner = inner_steps.map(|steps| site(8, Some(1), steps, 0, 0));
        let mut sites = vec![
            site(4, Some(0), 70, 0, 0),
            site(4, Some(1), 41, 0, 0),
            site(8, Some(0), 70, 0, 0),
        ];
        sites.extend(inner);
        profile(
            vec![
                machine_loop(3, None, 1, 70),
                machine_loop(3, Some(0), 30, 41),
            ],
            sites,
        )
    };
    let found = compared(&report, run(Some(41)));
    assert_eq!(sides(&found, "f@3", "iterations").1, Some(111.0));
    assert_eq!(sides(&found, "f@3", "executions").1, Some(1.0));
    // What every round does is not in the inner one: its rounds are none.
    assert_eq!(
        sides(&compared(&report, run(None)), "f@3", "iterations").1,
        Some(70.0)
    );
}

/// Rows two by two, and the rest in a loop after that: the outer loop walks two elements per round.
#[test]
fn a_loop_for_the_rounds_that_are_left_is_the_same_execution() {
    let source = "void f(int n, int m, double *y, double a[n][m], double *x) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      y[j] += a[i][j] * x[i];
}
";
    let after = vec![After {
        machine_loop: 0,
        site: 0,
        entries: 1,
    }];
    let rest = MachineLoop {
        after,
        ..machine_loop(2, None, 1, 2)
    };
    let loops = vec![
        machine_loop(2, None, 1, 4),
        rest,
        machine_loop(3, Some(0), 4, 80),
        machine_loop(3, Some(1), 2, 40),
    ];
    let multiplied = |site: Site, multiplies| {
        let operations = Operations {
            multiplies,
            ..site.operations
        };
        Site { operations, ..site }
    };
    let between = walking(&[16], site(4, Some(0), 4, 0, 0));
    let run = |multiplies| {
        let pairs = multiplied(walking(&[8], site(4, Some(2), 80, 160, 80)), multiplies);
        let singles = multiplied(walking(&[8], site(4, Some(3), 40, 40, 40)), 40);
        profile(loops.clone(), vec![between.clone(), pairs, singles])
    };
    let report = predicted(source, &["n=10", "m=20"]);
    // Of the second row's products none may be left, where the compiler knows them.
    for multiplies in [160, 80, 0] {
        let found = compared(&report, run(multiplies));
        assert_eq!(
            sides(&found, "f@2", "iterations"),
            (Some(200.0), Some(200.0)),
            "{multiplies}"
        );
        assert_eq!(
            sides(&found, "f@2", "mean trip count of i, line 2").1,
            Some(10.0),
            "{multiplies}"
        );
        assert_eq!(
            sides(&found, "f@2", "executions").1,
            Some(1.0),
            "{multiplies}"
        );
    }
}

/// The test before the loop was done six times, and passed once.
#[test]
fn outermost_loops_are_executed_without_a_round_too() {
    let report = predicted(PLAIN, &["n=10"]);
    let test = |column, decisions| Site {
        column,
        decisions,
        ..site(2, None, 6, 0, 0)
    };
    let run = |outside: Vec<Site>| {
        let latch = Site {
            column: Some(21),
            decisions: 3,
            ..site(2, Some(0), 3, 0, 0)
        };
        profile(
            vec![machine_loop(2, None, 1, 3)],
            [vec![latch, site(3, Some(0), 3, 3, 3)], outside].concat(),
        )
    };
    let found = compared(&report, run(vec![test(Some(21), 6)]));
    assert_eq!(sides(&found, "f@2", "executions").1, Some(6.0));
    assert_eq!(
        sides(&found, "f@2", "mean trip count of i, line 2").1,
        Some(0.5)
    );
    assert_eq!(found.parameters, []);
    assert!(reason(&found, "f@2", "iterations").contains("no single value of it explains that"));
    // Another condition on that line, and one that was done once for several executions.
    for other in [test(Some(5), 6), test(Some(21), 0)] {
        assert_eq!(
            sides(&compared(&report, run(vec![other])), "f@2", "executions").1,
            Some(1.0)
        );
    }
}

/// What an assignment under a mask becomes: a loop for the mask, and one for each arm.
#[test]
fn loops_that_share_the_work_of_a_line_go_round_for_the_same_rounds() {
    let source = "void f(int n, double *x, double *y) {
  for (int i = 0; i < n; i++) { x[i] += 1.5; y[i] *= x[i] + 2.5; }
}
";
    let report = predicted(source, &["n=100"]);
    let after = |machine_loop| {
        vec![After {
            machine_loop,
            site: 0,
            entries: 1,
        }]
    };
    let loops = vec![
        machine_loop(2, None, 1, 100),
        MachineLoop {
            after: after(0),
            ..machine_loop(2, None, 1, 100)
        },
    ];
    let found = compared(
        &report,
        profile(
            loops.clone(),
            vec![
                site(2, Some(0), 100, 100, 100),
                site(2, Some(1), 100, 100, 100),
            ],
        ),
    );
    assert_eq!(
        sides(&found, "f@2", "iterations"),
        (Some(100.0), Some(100.0))
    );
    assert_eq!(sides(&found, "f@2", "executions").1, Some(1.0));
    // Each does the work of whole rounds: they have half of the rounds each.
    let found = compared(
        &report,
        profile(
            loops,
            vec![
                site(2, Some(0), 100, 200, 200),
                site(2, Some(1), 100, 200, 200),
            ],
        ),
    );
    assert_eq!(sides(&found, "f@2", "iterations").1, Some(200.0));
}

/// What a compiler made of both arms is executed in every round, and tells nothing of either.
#[test]
fn arms_are_taken_as_often_as_what_only_they_do() {
    let source = "void f(int n, double *a, double *b) {
  for (int i = 0; i < n; i++) {
    if (b[i] > 0.5)
      a[i] = b[i] + 1.0;
    else
      a[i] = b[i] * 2.5;
  }
}
";
    let report = predicted(source, &["n=100"]);
    let told = |then: Site, otherwise: Site| {
        let run = profile(
            vec![machine_loop(2, None, 1, 100)],
            vec![site(3, Some(0), 100, 0, 0), then, otherwise],
        );
        let found = compared(&report, run).parameters;
        found.first().map(|found| found.fits)
    };
    let arm = |line, most, least| Site {
        least: Some(least),
        ..site(line, Some(0), most, 0, 0)
    };
    assert_eq!(told(arm(4, 30, 30), arm(6, 70, 70)), Some(0.3));
    assert_eq!(told(arm(4, 100, 30), arm(6, 70, 70)), Some(0.3));
    assert_eq!(told(arm(4, 30, 30), arm(6, 100, 70)), Some(0.3));
    // Both lines are executed in every round: nothing tells.
    assert_eq!(told(arm(4, 100, 100), arm(6, 100, 100)), None);
}

/// One loop is that before the first number of a maximum, which goes round no time.
#[test]
fn several_loops_of_a_line_are_told_apart_by_columns_or_by_the_rounds_they_have() {
    let source = "void f(int n, double *x, double *y) {
  for (int i = 0; i < n; i++) x[i] += 1.5; for (int j = 0; j < 2 * n; j++) y[j] *= 2.5;
}
";
    let report = predicted(source, &["n=10"]);
    let run = |middle: u64, columns: [Option<u32>; 3]| {
        let at = |column, site: Site| Site { column, ..site };
        let rounds = [10, middle, 20];
        let loops = rounds
            .map(|rounds| machine_loop(2, None, 1, rounds))
            .to_vec();
        let body = |number: usize| {
            site(
                2,
                Some(number as u32),
                rounds[number].max(1),
                rounds[number],
                rounds[number],
            )
        };
        profile(
            loops,
            (0..3)
                .map(|number| at(columns[number], body(number)))
                .collect(),
        )
    };
    let rounds =
        |comparison: &Comparison| ["f@2", "f@2#2"].map(|id| sides(comparison, id, "iterations").1);
    assert_eq!(
        rounds(&compared(&report, run(0, [None; 3]))),
        [Some(10.0), Some(20.0)]
    );
    assert_eq!(
        rounds(&compared(&report, run(5, [Some(31), Some(44), Some(44)]))),
        [Some(10.0), Some(25.0)]
    );
}

/// Numbers in a file may be of nothing.
#[test]
fn a_trace_whose_numbers_name_nothing_is_refused() {
    let refused = |profile: SourceProfile| {
        let trace = json!({
            "schema": "loopsheet/trace/1",
            "trace": {"path": "by hand", "instructions": 0},
            "source": profile,
        });
        Run::parse(&trace.to_string())
            .expect_err("refused")
            .to_string()
    };
    let told = refused(profile(vec![], vec![site(2, Some(3), 1, 0, 0)]));
    assert!(told.contains("site 0 names a loop"), "{told}");
    // Around each other.
    let told = refused(profile(
        vec![
            machine_loop(2, Some(1), 1, 1),
            machine_loop(3, Some(0), 1, 1),
        ],
        vec![],
    ));
    assert!(told.contains("loop 0 names a loop"), "{told}");
}

/// Functions of two files that have the same name and lines have nests with the same id.
#[test]
fn regions_are_those_of_the_file() {
    let files = ["a.c", "b.c"];
    let mut report = predicted(PLAIN, &["n=100"]);
    report.functions.push(report.functions[0].clone());
    for (function, file) in report.functions.iter_mut().zip(files) {
        function.file = file.into();
    }
    let in_file = |number: usize| MachineLoop {
        file: Some(files[number].into()),
        ..machine_loop(2, None, 1, 100)
    };
    let code = |number: usize| Site {
        file: Some(files[number].into()),
        ..site(3, Some(number as u32), 100, 100, 100)
    };
    let region = |number: usize| json!({"kind": "nest", "name": "f@2", "file": files[number], "line": 2, "memory_work": 10 + number});
    let trace = json!({
        "schema": "loopsheet/trace/1",
        "trace": {"path": "by hand", "instructions": 0},
        "source": profile(vec![in_file(0), in_file(1)], vec![code(0), code(1)]),
        "regions": [region(0), region(1)],
    });
    let run = Run::parse(&trace.to_string()).expect("a trace");
    let comparison = compare(&report, &run, &|_| true);
    let work = Quantity::Edag(EdagFigure::MemoryWork);
    let of_nest = |nest: &NestComparison| {
        let row = nest.rows.iter().find(|row| row.quantity == work);
        (nest.file.clone(), row.and_then(|row| row.traced))
    };
    let found: Vec<(String, Option<f64>)> = comparison.nests.iter().map(of_nest).collect();
    assert_eq!(
        found,
        [("a.c".into(), Some(10.0)), ("b.c".into(), Some(11.0))]
    );
}

/// A report is the same read back as it was.
#[test]
fn a_static_report_is_read_back_as_it_was() {
    let program = analysed(PLAIN);
    let model = programs::model(&program, "exasat", &[("n", "100")]);
    let text = analysis(&model);
    assert_eq!(
        StaticReport::parse(&text).expect("a report"),
        StaticReport::from_model(&model)
    );
}

/// What is missing or of another type is named with its place.
#[test]
fn a_report_that_lacks_something_is_refused_with_its_place() {
    let program = analysed(PLAIN);
    let model = programs::model(&program, "exasat", &[("n", "100")]);
    let text = analysis(&model);
    let refused = |from: &str, to: &str| {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        StaticReport::parse(&changed)
            .expect_err("refused")
            .to_string()
    };
    let told = refused("\"loop_iterations\"", "\"other\"");
    assert!(
        told.contains("functions[0].nests[0]") && told.contains("loop_iterations"),
        "{told}"
    );
    let told = refused("\"adds\":1", "\"adds\":\"one\"");
    assert!(told.contains("functions[0].loops[0]"), "{told}");
    let told = refused("loopsheet/static/1", "loopsheet/static/9");
    assert!(told.contains("loopsheet/static/9"), "{told}");
    // Whoever goes outwards from it would never arrive.
    let report = StaticReport::parse(&text).expect("a report");
    let own = &report.functions[0].loops[0].id;
    let told = refused("\"parent\":null", &format!("\"parent\":\"{own}\""));
    assert!(
        told.contains(&format!("the loop {own} is not behind the one around it")),
        "{told}"
    );
}
