//! Counts that have to close: what the statements' marks of the line table say beside the loops of the machine code.

use loopsheet_metrics::profile::{Begun, Called, Left, Vectors};

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
pub(super) fn begun(all: &[(u32, u32, u64)]) -> Vec<Begun> {
    let one = |(line, column, executions): &(u32, u32, u64)| Begun {
        file: 0,
        line: *line,
        column: *column,
        machine_loop: None,
        at_header: false,
        executions: *executions,
        most: *executions,
        continued: 0,
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

/// A round that is left at its first condition has no code of its own where that condition is known, as in a copy for one
/// call: then what is behind the condition was begun in all rounds that were counted, and what is before it was not.
#[test]
fn rounds_in_which_a_loop_was_left_may_be_missing() {
    let source = "int f(int n, int *a, int x) {
  int i = 0;
  while (a[i] != x) {
    if (i >= n)
      return -1;
    i = i + 2;
  }
  return i;
}
";
    let trips = |first| {
        let run = SourceProfile {
            files: vec![FILE.into()],
            statements: begun(&[(3, 3, 2), (3, 15, 5), (4, 5, first), (6, 5, 3)]),
            ..profile(
                vec![machine_loop(3, None, 2, 3)],
                vec![site(6, Some(0), 3, 0, 0)],
            )
        };
        let comparison = compared(&predicted(source, &[]), run);
        row(&comparison, "f@3", "iterations").clone()
    };
    // How often the loop was left, and where, is not known here: no number of these can be proven.
    for first in 2..=4 {
        assert!(trips(first).unsure.is_some(), "{first}");
    }
}

/// The compiler does the rows of four columns at a time, and the loops the other way round: what the machine loops have
/// multiplies to the right number.
#[test]
fn rounds_that_the_source_fixes_are_not_exchanged() {
    let source = "#define N 40
void f(double a[N][N]) {
  for (int r = 0; r < N; r++)
    for (int s = 0; s < N; s++)
      a[r][s] = a[r][s] + 1.0;
}
";
    let run = profile(
        vec![
            machine_loop(3, None, 1, 10),
            machine_loop(4, Some(0), 10, 1600),
        ],
        vec![site(5, Some(1), 1600, 1600, 1600)],
    );
    let comparison = compared(&predicted(source, &[]), run);
    for trips in [
        "mean trip count of r, line 3",
        "mean trip count of s, line 4",
    ] {
        assert!(row(&comparison, "f@3", trips).unsure.is_some(), "{trips}");
    }
}

/// Of two calls that the compiler put in place, one has operands that it knows, and no code.
#[test]
fn executions_that_left_no_code_are_in_doubt() {
    let source = "void f(int n, double *a) {
  for (int i = 0; i < n; i++)
    a[i] = a[i] + 1.0;
}
void g(double *a, int n) {
  f(0, a);
  f(n, a);
}
";
    let run = |function: &str| {
        let own = Site {
            inlined: (function != "f")
                .then(|| "f".to_string())
                .into_iter()
                .collect(),
            called_from: (function != "f")
                .then(|| (FILE.to_string(), 7))
                .into_iter()
                .collect(),
            function: function.into(),
            ..site(3, Some(0), 20, 20, 20)
        };
        let found = MachineLoop {
            function: function.into(),
            ..machine_loop(2, None, 1, 20)
        };
        compared(
            &predicted(source, &["n=20"]),
            profile(vec![found], vec![own]),
        )
    };
    assert!(row(&run("g"), "f@2", "executions").unsure.is_some());
}

/// 1003 elements in vectors of 4, and three by themselves; the machine loop has 250 rounds and its statements are begun as
/// often.
#[test]
fn vectors_count_by_their_elements() {
    let vectors = |elements: u64, instructions: u64| Vectors {
        instructions,
        elements,
        unknown: 0,
    };
    let of_vectors = |stored: u64| {
        let both = Accesses {
            loads: stored,
            stores: stored,
            loaded_bytes: 8 * stored,
            stored_bytes: 8 * stored,
        };
        Site {
            vectors: vectors(3000, 750),
            strides: vec![32],
            accesses: both,
            ..site(3, Some(0), 250, 1000, 0)
        }
    };
    let compared = |stored: u64| {
        let loops = vec![machine_loop(2, None, 1, 250), machine_loop(2, None, 1, 3)];
        let left = walking(&[8], site(3, Some(1), 3, 3, 3));
        let run = SourceProfile {
            files: vec![FILE.into()],
            statements: begun(&[(2, 8, 1), (2, 3, 253), (3, 5, 253)]),
            ..profile(loops, vec![of_vectors(stored), left])
        };
        compared(&predicted(PLAIN, &["n=1003"]), run)
    };
    let comparison = compared(1000);
    let iterations = row(&comparison, "f@2", "iterations");
    assert_eq!(
        (iterations.traced, &iterations.unsure),
        (Some(1003.0), &None)
    );
    assert_eq!(
        sides(&comparison, "f@2", "adds per iteration"),
        (Some(1.0), Some(1.0))
    );
    let length = row(&comparison, "f@2", "elements per vector instruction");
    assert_eq!((length.predicted, length.traced), (None, Some(4.0)));
}

#[test]
fn operations_under_a_mask_are_at_most_so_many() {
    let masked = Site {
        operations: Operations {
            adds: 1000,
            masked: 1000,
            ..Operations::default()
        },
        ..site(3, Some(0), 1000, 0, 1000)
    };
    let run = profile(vec![machine_loop(2, None, 1, 1000)], vec![masked]);
    let comparison = compared(&predicted(PLAIN, &["n=1000"]), run);
    let adds = row(&comparison, "f@2", "adds per iteration");
    let reason = adds.reason.as_deref().unwrap_or_default();
    assert!(
        reason.starts_with("* not certain: at most so many"),
        "{reason}"
    );
}

/// The compiler makes a call of the first row, whose values it knows, and leaves nothing of the loop around the rows: what
/// the machine loop has closes, but is not all.
#[test]
fn executions_that_were_done_elsewhere_leave_rounds_in_doubt() {
    let source = "#define N 16
void f(int m, double *a) {
  for (int r = 0; r < N; r++)
    for (int s = 0; s < m; s++)
      a[r * m + s] = r * (s + 2);
}
";
    let iterations = |rows: u64| {
        let rounds = rows * 24;
        let run = profile(
            vec![machine_loop(4, None, rows, rounds)],
            vec![site(5, Some(0), rounds, rounds, 0)],
        );
        let comparison = compared(&predicted(source, &["m=24"]), run);
        row(&comparison, "f@3", "iterations").clone()
    };
    let part = iterations(15);
    assert!(part.unsure.is_some() || part.traced.is_none(), "{part:?}");
    let all = iterations(16);
    assert_eq!(all.traced, Some(384.0));
}

/// A condition around a nest decides how often that is executed, and not how often its loops go round then.
#[test]
fn a_call_in_place_of_a_whole_nest_has_the_iterations_of_its_bounds() {
    let source = "void f(double a[20][30]) {
  for (int i = 0; i < 20; i++)
    for (int j = 0; j < 30; j++)
      a[i][j] = 0.0;
}
";
    let call = |bytes: u64| Site {
        calls: vec![Called {
            function: "memset".into(),
            times: 1,
            instructions: 10,
            accesses: Accesses {
                stored_bytes: bytes,
                stores: bytes / 8,
                ..Accesses::default()
            },
        }],
        accesses: Accesses::default(),
        ..site(4, None, 1, 0, 0)
    };
    let iterations = |bytes: u64| {
        let comparison = compared(
            &predicted(source, &[]),
            profile(Vec::new(), vec![call(bytes)]),
        );
        let row = row(&comparison, "f@2", "iterations");
        (row.traced, row.unsure.is_some())
    };
    assert_eq!(iterations(20 * 30 * 8), (Some(600.0), false));
    // Of a part of the rows nothing is known.
    assert!(iterations(19 * 30 * 8).1);
}

/// The exit of a search became part of its test: the machine code has one way out, and the branch of the exit is gone.
#[test]
fn a_loop_whose_exit_is_gone_may_lack_the_round_that_it_ends() {
    let source = "int f(int n, double *a, int limit) {
  int i;
  for (i = 0; i < n; i++) {
    if (i > limit)
      break;
    a[i] = a[i] + 1.0;
  }
  return i;
}
";
    let is_unsure = |exit: bool| {
        let left = |number: usize, times: u64| Left {
            site: number as u32,
            times,
        };
        let mut one = machine_loop(3, None, 4, 40);
        one.left = vec![left(0, if exit { 1 } else { 4 })];
        let head = Site {
            decisions: 40,
            ..site(3, Some(0), 40, 0, 0)
        };
        let condition = Site {
            decisions: if exit { 40 } else { 0 },
            ..site(4, Some(0), 40, 0, 0)
        };
        let sites = vec![head, condition, site(6, Some(0), 40, 40, 40)];
        let run = SourceProfile {
            files: vec![FILE.into()],
            statements: begun(&[(3, 8, 4), (3, 15, 44), (3, 22, 40), (4, 5, 40), (6, 5, 40)]),
            ..profile(vec![one], sites)
        };
        let comparison = compared(&predicted(source, &["n=128"]), run);
        row(&comparison, "f@3", "iterations").unsure.is_some()
    };
    assert!(is_unsure(false));
}
