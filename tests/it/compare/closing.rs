//! Counts that have to close: what the statements' marks of the line table say beside the loops of the machine code.

use loopsheet_metrics::profile::Begun;

use super::*;

const TIMED: &str = "void f(int n, double *a, double *t) {
  for (int k = 0; k <= n; k++) {
    if (k == 1)
      t[0] = 1.0;
    for (int i = 0; i < 500; i++)
      a[i] = a[i] + 1.0;
  }
}
";

/// Beginnings of the statements at these lines and columns.
fn begun(all: &[(u32, u32, u64)]) -> Vec<Begun> {
    let one = |(line, column, executions): &(u32, u32, u64)| Begun {
        file: 0,
        line: *line,
        column: *column,
        machine_loop: None,
        executions: *executions,
        most: *executions,
    };
    all.iter().map(one).collect()
}

/// A run of it for n = 7 whose machine code has the first round of the outer loop apart.
fn timed(statements: Vec<Begun>) -> SourceProfile {
    let loops = vec![
        machine_loop(2, None, 1, 7),
        machine_loop(5, Some(0), 8, 4000),
    ];
    SourceProfile {
        files: vec![FILE.into()],
        statements,
        ..profile(loops, vec![site(6, Some(1), 4000, 4000, 4000)])
    }
}

#[test]
fn a_round_that_the_compiler_set_apart_is_counted_by_its_statements() {
    let marks = [
        (2, 8, 1),
        (2, 19, 9),
        (2, 27, 8),
        (3, 5, 7),
        (4, 7, 1),
        (5, 21, 4008),
        (5, 30, 4000),
        (6, 7, 4000),
    ];
    let comparison = compared(&predicted(TIMED, &["n=128"]), timed(begun(&marks)));
    assert_eq!(
        sides(&comparison, "f@2", "mean trip count of k, line 2"),
        (Some(129.0), Some(8.0))
    );
    assert_eq!(
        sides(&comparison, "f@2", "mean trip count of i, line 5"),
        (Some(500.0), Some(500.0))
    );
    let fits: Vec<(&str, f64)> = comparison
        .parameters
        .iter()
        .map(|found| (found.parameter.as_str(), found.fits))
        .collect();
    assert_eq!(fits, [("n", 7.0)]);
}

#[test]
fn what_does_not_close_is_starred_and_sets_nothing() {
    // Eight executions of the loop inside in seven rounds, and no statement tells which of the two is wrong.
    let comparison = compared(&predicted(TIMED, &["n=128"]), timed(Vec::new()));
    let trips = row(&comparison, "f@2", "mean trip count of k, line 2");
    assert!(trips.unsure.is_some(), "{trips:?}");
    let reason = trips.reason.as_deref().unwrap_or_default();
    assert!(reason.starts_with("* not certain: "), "{reason}");
    assert_eq!(comparison.parameters, []);
}

#[test]
fn a_constant_of_the_source_is_not_fitted() {
    let source = "#define N 25
void f(double *a) {
  for (int i = 0; i < N; i++)
    a[i] = a[i] + 1.0;
}
";
    let run = profile(
        vec![machine_loop(3, None, 1, 825)],
        vec![site(4, Some(0), 825, 825, 825)],
    );
    assert_eq!(compared(&predicted(source, &[]), run).parameters, []);
}
