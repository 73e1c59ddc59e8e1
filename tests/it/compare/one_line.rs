//! Loops that stand on one line: each has its own rows, with its own figures of both sides.

use loopsheet_compare::{Comparison, Live, Quantity, StaticReport};
use loopsheet_metrics::profile::{MachineLoop, SourceProfile};

use super::{analysed, compared, machine_loop, predicted, profile, reason, sides, site};
use crate::support::{command, programs};

const FORTRAN_FILE: &str = "kernel.f90";

/// The comparison of a Fortran source with a run that was written down for a C file.
fn compared_in_fortran(source: &str, settings: &[&str], mut run: SourceProfile) -> Comparison {
    let files = run.loops.iter_mut().map(|one| &mut one.file);
    let files = files.chain(run.sites.iter_mut().map(|site| &mut site.file));
    files.for_each(|file| *file = Some(FORTRAN_FILE.into()));
    let report = command::analysed_text(FORTRAN_FILE, source, &command::settings(settings));
    let report = StaticReport::parse(&report.to_string()).expect("a report");
    compared(&report, run)
}

/// What is shown of the loops of each nest: nest, quantity, both sides.
fn trip_counts(comparison: &Comparison) -> Vec<(&str, String, Option<f64>, Option<f64>)> {
    let rows = comparison.nests.iter().flat_map(|nest| {
        let rows = nest.rows.iter().map(move |row| (nest, row));
        rows.filter(|(_, row)| matches!(row.quantity, Quantity::TripCount(_)))
    });
    rows.map(|(nest, row)| {
        let quantity = row.quantity.to_string();
        (nest.id.as_str(), quantity, row.predicted, row.traced)
    })
    .collect()
}

/// A loop that is entered once and goes round 30 times, and in each of these rounds one that goes round 20 times.
fn nested(line: u32) -> SourceProfile {
    profile(
        vec![
            machine_loop(line, None, 1, 30),
            machine_loop(line, Some(0), 30, 600),
        ],
        vec![site(line, Some(1), 600, 600, 600)],
    )
}

/// A loop of 30 rounds, then one of 20.
fn in_sequence(line: u32) -> SourceProfile {
    profile(
        vec![
            machine_loop(line, None, 1, 30),
            machine_loop(line, None, 1, 20),
        ],
        vec![
            site(line, Some(0), 30, 30, 30),
            site(line, Some(1), 20, 20, 20),
        ],
    )
}

const NESTED_IN_C: &str = "void f(int n, int m, double a[n][m]) {
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] = a[i][j] + 1.0;
}
";

#[test]
fn nested_loops_in_c() {
    let comparison = compared(&predicted(NESTED_IN_C, &["n=10", "m=20"]), nested(2));
    assert_eq!(
        trip_counts(&comparison),
        [
            (
                "f@2",
                "mean trip count of i, line 2".into(),
                Some(10.0),
                Some(30.0)
            ),
            (
                "f@2",
                "mean trip count of j, line 2".into(),
                Some(20.0),
                Some(20.0)
            ),
        ]
    );
    assert_eq!(
        reason(&comparison, "f@2", "mean trip count of i, line 2"),
        "a parameter does not match: n is 10 in the report; 30 would fit the run"
    );
}

#[test]
fn nested_loops_in_fortran() {
    let source = "subroutine f(a, n, m)
  integer, intent(in) :: n, m
  real(8), intent(inout) :: a(m, n)
  integer :: i, j
  do j = 1, n; do i = 1, m; a(i, j) = a(i, j) + 1d0; end do; end do
end subroutine
";
    let comparison = compared_in_fortran(source, &["n=10", "m=20"], nested(5));
    assert_eq!(
        trip_counts(&comparison),
        [
            (
                "f@5",
                "mean trip count of j, line 5".into(),
                Some(10.0),
                Some(30.0)
            ),
            (
                "f@5",
                "mean trip count of i, line 5".into(),
                Some(20.0),
                Some(20.0)
            ),
        ]
    );
    assert_eq!(
        reason(&comparison, "f@5", "mean trip count of j, line 5"),
        "a parameter does not match: n is 10 in the report; 30 would fit the run"
    );
}

#[test]
fn loops_in_sequence_in_c() {
    let source = "void f(int n, int m, double *a, double *b) {
  for (int i = 0; i < n; i++) a[i] = a[i] + 1.0; for (int i = 0; i < m; i++) b[i] = b[i] + 1.0;
}
";
    let comparison = compared(&predicted(source, &["n=30", "m=10"]), in_sequence(2));
    let both = |id| sides(&comparison, id, "mean trip count of i, line 2");
    assert_eq!(both("f@2"), (Some(30.0), Some(30.0)));
    assert_eq!(both("f@2#2"), (Some(10.0), Some(20.0)));
    assert_eq!(
        reason(&comparison, "f@2#2", "mean trip count of i, line 2"),
        "a parameter does not match: m is 10 in the report; 20 would fit the run"
    );
}

#[test]
fn loops_in_sequence_in_fortran() {
    let source = "subroutine f(a, b, n, m)
  integer, intent(in) :: n, m
  real(8), intent(inout) :: a(n), b(m)
  integer :: i
  do i = 1, n; a(i) = a(i) + 1d0; end do; do i = 1, m; b(i) = b(i) + 1d0; end do
end subroutine
";
    let comparison = compared_in_fortran(source, &["n=30", "m=10"], in_sequence(5));
    let both = |id| sides(&comparison, id, "mean trip count of i, line 5");
    assert_eq!(both("f@5"), (Some(30.0), Some(30.0)));
    assert_eq!(both("f@5#2"), (Some(10.0), Some(20.0)));
    assert_eq!(
        reason(&comparison, "f@5#2", "mean trip count of i, line 5"),
        "a parameter does not match: m is 10 in the report; 20 would fit the run"
    );
}

/// Neither loop has a variable, so that only the id tells them apart. The machine code of both begins with the same
/// instruction: the outer loop has the 20 rounds of both, of which 5 enter the inner one.
#[test]
fn nested_loops_without_variables() {
    let source = "void f(double *a, int *p, int *q) {
  do { do { a[0] = a[0] + 1.0; } while (p[(int)a[0]]); } while (q[(int)a[0]]);
}
";
    let report = predicted(source, &["trip_f_2=7", "trip_f_2_2=9"]);
    for (rounds, shares_header) in [(5, false), (20, true)] {
        let inner = MachineLoop {
            shares_header,
            ..machine_loop(2, Some(0), 5, 20)
        };
        let run = profile(
            vec![machine_loop(2, None, 1, rounds), inner],
            vec![site(2, Some(0), 5, 0, 0), site(2, Some(1), 20, 20, 20)],
        );
        let comparison = compared(&report, run);
        let (outer, inner) = (
            "mean trip count of the loop, line 2 (f@2)",
            "mean trip count of the loop, line 2 (f@2#2)",
        );
        assert_eq!(
            trip_counts(&comparison),
            [
                ("f@2", outer.to_string(), Some(7.0), Some(5.0)),
                ("f@2", inner.to_string(), Some(9.0), Some(4.0)),
            ]
        );
        assert_eq!(
            reason(&comparison, "f@2", outer),
            "a parameter does not match: trip_f_2 is 7 in the report; 5 would fit the run"
        );
        assert_eq!(
            reason(&comparison, "f@2", inner),
            "a parameter does not match: trip_f_2_2 is 9 in the report; 4 would fit the run"
        );
    }
}

/// Where some rounds of a loop on one line are cut short, the machine code has two loops for it.
#[test]
fn a_loop_with_rounds_that_are_cut_short_is_one() {
    let source = "void f(int n, double *a, int *p) {
  for (int i = 0; i < n; i++) do { if (p[i] > 3) continue; a[i] = a[i] + 1.0; } while (p[i]++ < 9);
}
";
    let inner = MachineLoop {
        shares_header: true,
        ..machine_loop(2, Some(1), 40, 60)
    };
    let run = profile(
        vec![
            machine_loop(2, None, 1, 10),
            machine_loop(2, Some(0), 10, 80),
            inner,
        ],
        vec![
            site(2, Some(0), 10, 0, 0),
            site(2, Some(1), 40, 0, 0),
            site(2, Some(2), 60, 60, 60),
        ],
    );
    let comparison = compared(&predicted(source, &["n=10", "trip_f_2=8"]), run);
    let both = |quantity| sides(&comparison, "f@2", quantity);
    assert_eq!(
        both("mean trip count of i, line 2"),
        (Some(10.0), Some(10.0))
    );
    assert_eq!(
        both("mean trip count of the loop, line 2"),
        (Some(8.0), Some(8.0))
    );
}

/// In the workbook and on the page each row follows the loop that it is of.
#[test]
fn formulas_are_those_of_each_loop() {
    let program = analysed(NESTED_IN_C);
    let model = programs::model(&program, "exasat", &[("n", "10"), ("m", "20")]);
    let comparison = compared(&StaticReport::from_model(&model), nested(2));
    let live = Live::of(&model);
    let rows = comparison.nests.iter().flat_map(|nest| {
        let rows = nest.rows.iter().map(move |row| (nest, row));
        rows.filter(|(_, row)| matches!(row.quantity, Quantity::TripCount(_)))
    });
    let values: Vec<f64> = rows
        .map(|(nest, row)| live.expression(nest, row).expect("a formula"))
        .map(|formula| formula.evaluate(&model.figures).expect("a number"))
        .collect();
    assert_eq!(values, [10.0, 20.0]);
}
