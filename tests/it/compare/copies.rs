//! Counts that agree with one another, and yet are those of other code: copies of a loop, code that was moved out of it or
//! left out, words of several elements.

use super::closing::begun;
use super::*;

fn of_call(at: Site, line: u32, column: u32) -> Site {
    Site {
        function: "g".into(),
        inlined: vec!["f".into()],
        called_from: vec![(FILE.to_string(), line)],
        call_columns: vec![column],
        ..at
    }
}

fn loop_of_g(line: u32, entries: u64, rounds: u64) -> MachineLoop {
    MachineLoop {
        function: "g".into(),
        ..machine_loop(line, None, entries, rounds)
    }
}

const CLEARED: &str = "static void f(int n, double *a) {
  for (int i = 0; i < n; i++)
    a[i] = 0.0;
}
void g(double *a) {
  double own[8];
  a[9] = 1.0;
  f(100, a);
  f(8, own);
}
";

/// What the second call stores is never read, and nothing of that is left: its line was reached all the same.
#[test]
fn a_call_of_which_nothing_is_left_may_have_been_made() {
    let run = SourceProfile {
        files: vec![FILE.into()],
        statements: begun(&[
            (7, 3, 10),
            (8, 3, 10),
            (2, 3, 10),
            (2, 21, 1010),
            (2, 26, 1000),
            (3, 5, 1000),
        ]),
        ..profile(
            vec![loop_of_g(2, 10, 1000)],
            vec![
                Site {
                    function: "g".into(),
                    ..site(7, None, 10, 0, 10)
                },
                of_call(site(3, Some(0), 1000, 0, 1000), 8, 3),
            ],
        )
    };
    let comparison = compared(&predicted(CLEARED, &[]), run);
    assert!(row(&comparison, "f@2", "executions").unsure.is_some());
}

/// The second copy has a test before its loop, three of ten times for nothing; the first one has none. As many tests as
/// entries of all copies are not all executions.
#[test]
fn copies_without_a_test_are_executed_as_often_as_they_are_entered() {
    let source = "static void f(int n, double *a) {
  for (int i = 0; i < n; i++)
    a[i] = a[i] + 1.0;
}
void g(int n, double *a) {
  f(3, a);
  f(n, a);
}
";
    let head = |at: Site| Site {
        decisions: at.executions,
        column: Some(21),
        ..at
    };
    let run = profile(
        vec![loop_of_g(2, 3, 9), loop_of_g(2, 7, 70)],
        vec![
            of_call(site(3, Some(0), 9, 9, 9), 6, 3),
            of_call(head(site(2, Some(0), 9, 0, 0)), 6, 3),
            of_call(head(site(2, None, 10, 0, 0)), 7, 3),
            of_call(site(3, Some(1), 70, 70, 70), 7, 3),
            of_call(head(site(2, Some(1), 70, 0, 0)), 7, 3),
        ],
    );
    let comparison = compared(&predicted(source, &["n=10"]), run);
    let found = row(&comparison, "f@2", "executions");
    assert_eq!(found.traced, Some(13.0));
}

/// What an arm needs of the outer loop's variable is computed in each round of that one, taken or not.
#[test]
fn code_of_an_arm_outside_of_the_loop_tells_no_frequency() {
    let source = "void f(int n, double *a, double *b) {
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      if (a[i] > 0.5)
        b[k] = b[k] + a[i];
}
";
    let run = |own: u64| {
        let head = Site {
            decisions: 1000,
            ..site(4, Some(1), 1000, 0, 0)
        };
        let mut sites = vec![head, site(5, Some(0), 10, 0, 0)];
        sites.extend((own > 0).then(|| site(5, Some(1), own, own, own)));
        let loops = vec![
            machine_loop(2, None, 1, 10),
            machine_loop(3, Some(0), 10, 1000),
        ];
        compared(&predicted(source, &["n=10"]), profile(loops, sites))
    };
    let fits = |comparison: &Comparison| -> Vec<f64> {
        let all = comparison.parameters.iter();
        all.filter(|one| one.is_probability)
            .map(|one| one.fits)
            .collect()
    };
    for own in [0, 250] {
        let found = fits(&run(own));
        assert!(
            found.iter().all(|fits| *fits == own as f64 / 1000.0),
            "{own}: {found:?}"
        );
    }
}

/// The condition of a callee has the callee's lines; those of its arms are the call's.
#[test]
fn a_condition_of_a_callee_has_no_frequency_in_the_loop() {
    let source = "double g(double x) {
  if (x > 3.0)
    return x * 2.0;
  return x + 1.0;
}
void f(int n, double *a) {
  for (int i = 0; i < n; i++)
    a[i] = g(a[i]) + 1.0;
}
";
    let call = Site {
        decisions: 970,
        ..site(8, Some(0), 1000, 970, 970)
    };
    let run = profile(vec![machine_loop(7, None, 1, 1000)], vec![call]);
    let comparison = compared(&predicted(source, &["n=1000"]), run);
    let mut all = comparison.parameters.iter();
    assert!(
        all.all(|one| !one.is_probability),
        "{:?}",
        comparison.parameters
    );
}

/// A first round of each execution is done apart; a body before its test is done in no round that does not count.
#[test]
fn a_body_before_the_test_is_done_once_a_round() {
    let source = "int f(double *p, double *q) {
  do {
    p += 2;
  } while (p < q);
  return p == q;
}
";
    let run = SourceProfile {
        files: vec![FILE.into()],
        statements: begun(&[(2, 3, 181), (3, 5, 181), (4, 14, 181)]),
        ..profile(
            vec![machine_loop(4, None, 144, 37)],
            vec![site(3, Some(0), 37, 0, 0), site(3, None, 144, 0, 0)],
        )
    };
    let comparison = compared(&predicted(source, &[]), run);
    let found = row(&comparison, "f@2", "iterations");
    assert!(
        found.unsure.is_some() || found.traced == Some(181.0),
        "{found:?}"
    );
}

/// The loop does nothing where `p` is null: the compiler took the rounds out, but not the first test.
#[test]
fn a_test_alone_shows_no_loop_without_rounds_where_these_may_do_nothing() {
    let source = |body: &str| {
        format!(
            "void f(int n, double *a, double *p) {{
  for (int i = n; i > 0; --i) {{
    {body}
  }}
}}
void g(int n, double *a, double *p) {{
  f(n, a, p);
}}
"
        )
    };
    let iterations = |body: &str| {
        let test = Site {
            decisions: 2,
            column: Some(22),
            ..site(2, None, 2, 0, 0)
        };
        let run = SourceProfile {
            files: vec![FILE.into()],
            statements: begun(&[(2, 3, 2), (2, 22, 2), (7, 3, 2)]),
            ..profile(Vec::new(), vec![test])
        };
        let comparison = compared(&predicted(&source(body), &[]), run);
        let nest = comparison
            .nests
            .iter()
            .find(|nest| nest.id == "f@2")
            .cloned();
        let rows = nest.map_or_else(Vec::new, |nest| nest.rows);
        rows.into_iter()
            .find(|row| row.quantity.to_string() == "iterations" && row.unsure.is_none())
            .and_then(|row| row.traced)
    };
    assert_eq!(iterations("if (p) p[i] = 1.0;"), None);
    assert_eq!(iterations("a[i] = 1.0;"), Some(0.0));
}

/// The report guesses twice as many calls, the compiler left half of the rounds: that both multiply to the same proves
/// nothing.
#[test]
fn rounds_in_all_are_those_of_as_many_executions() {
    let source = "void f(double *a) {
  for (int i = 0; i < 16; i++)
    a[i] = a[i] + 1.0;
}
void g(double *a) {
  for (int k = 0; k < 14; k++)
    f(a);
}
";
    let run = SourceProfile {
        files: vec![FILE.into()],
        statements: begun(&[(2, 3, 28), (2, 21, 252), (2, 26, 224), (3, 5, 224)]),
        ..profile(Vec::new(), vec![site(3, None, 28, 224, 224)])
    };
    let comparison = compared(&predicted(source, &[]), run);
    let found = row(&comparison, "f@2", "iterations");
    assert!(
        found.unsure.is_some() || found.traced == Some(448.0),
        "{found:?}"
    );
}

/// Eight bytes at a time: a round of the machine loop is eight of the source, and each statement is begun once in it.
#[test]
fn words_of_several_elements_are_several_rounds() {
    let source = "void f(int n, char *to, char *from) {
  for (int i = 0; i < n; i++)
    to[i] = from[i];
}
";
    let copied = Accesses {
        loads: 125,
        stores: 125,
        loaded_bytes: 1000,
        stored_bytes: 1000,
    };
    let body = Site {
        accesses: copied,
        ..walking(&[8, 8], site(3, Some(0), 125, 0, 125))
    };
    let run = SourceProfile {
        files: vec![FILE.into()],
        statements: begun(&[(2, 3, 1), (2, 21, 126), (2, 26, 125), (3, 5, 125)]),
        ..profile(vec![machine_loop(2, None, 1, 125)], vec![body])
    };
    let comparison = compared(&predicted(source, &["n=128"]), run);
    let found = row(&comparison, "f@2", "iterations");
    assert!(
        found.unsure.is_some() || found.traced == Some(1000.0),
        "{found:?}"
    );
}

/// The first round was done apart, without its last condition, whose outcome is known there; the condition on one line with
/// what it guards was decided in it, too.
#[test]
fn a_condition_on_the_line_of_its_arm_is_decided_in_each_round() {
    let source = "int f(int n, int *a, double *x) {
  int k = 0;
  for (int i = 0; i < n; i++) {
    if (a[i] < 0) k = i + 1;
    if (k != 0) {
      if (x[i] < 3.0)
        return 1;
    }
  }
  return 0;
}
";
    let decided = |at: Site| Site {
        decisions: at.executions,
        ..at
    };
    let run = profile(
        vec![machine_loop(3, None, 1, 5)],
        vec![
            decided(site(4, None, 1, 0, 0)),
            decided(site(3, Some(0), 6, 0, 0)),
            decided(site(4, Some(0), 5, 0, 0)),
            decided(site(5, Some(0), 5, 0, 0)),
            site(6, Some(0), 5, 0, 0),
        ],
    );
    let comparison = compared(&predicted(source, &["n=6"]), run);
    let found = row(&comparison, "f@3", "iterations");
    assert!(found.unsure.is_some(), "{found:?}");
}

/// Each part of a divided loop computes the scalar that all of them use: that was not done in three times as many rounds.
#[test]
fn what_all_parts_of_a_divided_loop_do_is_done_once() {
    let source = "void f(int n, double *a, double *b, double w) {
  for (int i = 0; i < n; i++) {
    a[i] = w;
    b[i] = -w;
    w = w * 0.5;
  }
}
";
    let run = profile(
        vec![machine_loop(2, None, 8, 900), machine_loop(2, None, 8, 900)],
        vec![
            site(3, Some(0), 900, 0, 900),
            site(5, Some(0), 900, 0, 0),
            site(4, Some(1), 900, 0, 900),
            site(5, Some(1), 900, 0, 0),
        ],
    );
    let comparison = compared(&predicted(source, &["n=128"]), run);
    assert_eq!(row(&comparison, "f@2", "iterations").traced, Some(900.0));
}

/// In every second round of the outer loop the inner one does nothing, which the compiler sees before it.
#[test]
fn executions_without_a_test_may_have_had_rounds() {
    let source = "int n;
double t;
void f(double *a) {
  for (int y = 0; y < n; y++)
    for (int x = 0; x < n; x++)
      if (!(y & 1) && a[x] > 0.5)
        t = t + 1.0;
}
";
    let run = |tests: u64| {
        let decided = |at: Site| Site {
            decisions: at.executions,
            ..at
        };
        let run = SourceProfile {
            files: vec![FILE.into()],
            statements: begun(&[
                (4, 3, 1),
                (4, 21, 51),
                (4, 26, 50),
                (5, 23, tests),
                (5, 28, 650),
                (6, 7, 650),
            ]),
            ..profile(
                vec![
                    machine_loop(4, None, 1, 50),
                    machine_loop(5, Some(0), 26, 650),
                ],
                vec![
                    decided(site(4, Some(0), 50, 0, 0)),
                    decided(site(5, Some(1), 650, 0, 0)),
                    decided(site(6, Some(1), 650, 0, 0)),
                    site(7, Some(1), 300, 300, 300),
                ],
            )
        };
        let comparison = compared(&predicted(source, &[]), run);
        row(&comparison, "f@4", "iterations").clone()
    };
    assert!(run(650).unsure.is_some());
    assert!(run(700).unsure.is_none());
}
