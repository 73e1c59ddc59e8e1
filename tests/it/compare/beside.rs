//! What the statements beside a loop say of it, and marks that are too many or too few.

use loopsheet_metrics::profile::{After, Begun, Entered};

use super::closing::begun;
use super::*;

const WALK: &str = "void f(int n, const int *p, double *a) {
  int i = 0;
  a[n] = 1.0;
  while (p[i] > 0) {
    a[i] = 2.0;
    i++;
  }
  a[n + 1] = 3.0;
}
";

/// The outcome of the first test was known in 14 of 27 executions: neither its mark nor its branch was met there.
fn walked(behind: u64) -> SourceProfile {
    SourceProfile {
        files: vec![FILE.into()],
        statements: begun(&[
            (2, 3, 27),
            (3, 3, 27),
            (4, 3, 13),
            (4, 10, 602),
            (5, 5, 589),
            (6, 5, 589),
            (8, 3, behind),
        ]),
        ..profile(
            vec![machine_loop(4, None, 13, 589)],
            vec![site(5, Some(0), 589, 0, 589)],
        )
    }
}

#[test]
fn statements_on_both_sides_of_a_loop_show_its_executions() {
    let comparison = compared(&predicted(WALK, &[]), walked(27));
    let found = row(&comparison, "f@4", "executions");
    assert_eq!((found.traced, &found.unsure), (Some(27.0), &None));
}

/// A mark may stand on the other side of a branch: one side alone says nothing.
#[test]
fn statements_that_disagree_show_nothing() {
    let comparison = compared(&predicted(WALK, &[]), walked(26));
    assert_ne!(row(&comparison, "f@4", "executions").traced, Some(27.0));
}

const DIVIDED: &str = "static void g(double *a) {
  for (int k = 0; k < 8; k++)
    a[k] = a[k] + 1.0;
}
void f(int n, double *a, double *b) {
  for (int i = 0; i < n; i++) {
    g(a);
    b[i] = 2.0;
  }
}
";

/// Both parts of a divided loop have the marks of all its statements.
#[test]
fn marks_in_the_parts_of_a_divided_loop_are_of_one_beginning() {
    let mark = |line, column, number| Begun {
        machine_loop: Some(number),
        ..begun(&[(line, column, 100)])[0]
    };
    let all = [(6, 23), (6, 26), (7, 5), (8, 5), (2, 3), (3, 5)];
    let marks = all.map(|(line, column)| [mark(line, column, 0), mark(line, column, 1)]);
    let in_g = Site {
        inlined: vec!["g".into()],
        called_from: vec![(FILE.to_string(), 7)],
        call_columns: vec![5],
        effects: Some((100, 100)),
        ..site(3, Some(0), 100, 800, 800)
    };
    let second_store = Site {
        effects: Some((100, 100)),
        ..site(8, Some(1), 100, 0, 100)
    };
    let second = MachineLoop {
        after: vec![After {
            machine_loop: 0,
            site: 0,
            entries: 1,
        }],
        ..machine_loop(6, None, 1, 100)
    };
    let run = SourceProfile {
        files: vec![FILE.into()],
        statements: marks.into_iter().flatten().collect(),
        ..profile(
            vec![machine_loop(6, None, 1, 100), second],
            vec![in_g, second_store],
        )
    };
    let comparison = compared(&predicted(DIVIDED, &["n=100"]), run);
    let nest = comparison.nests.iter().find(|nest| nest.id == "g@2");
    let rows = nest.into_iter().flat_map(|nest| &nest.rows);
    for row in rows.filter(|row| row.traced == Some(200.0) || row.traced == Some(1600.0)) {
        assert!(row.unsure.is_some(), "{row:?}");
    }
}

/// A copy for certain arguments has no loop: what the other copy's loop did is not all.
#[test]
fn a_copy_without_a_loop_may_have_had_rounds() {
    let source = "static void g(int n, double *a) {
  for (int i = 0; i < n; i++)
    a[0] = a[0] + 1.0;
}
void f(int n, double *a) {
  g(1, a);
  g(n, a);
}
";
    let of = |name: &str, at: Site| Site {
        function: name.into(),
        ..at
    };
    let entered = |name: &str, line| Entered {
        function: name.into(),
        file: FILE.into(),
        line,
        times: 1,
    };
    let own = MachineLoop {
        function: "g.constprop.0".into(),
        ..machine_loop(2, None, 1, 170)
    };
    let run = SourceProfile {
        files: vec![FILE.into()],
        entered: vec![
            entered("f", 5),
            entered("g.constprop.0", 1),
            entered("g.constprop.1", 1),
        ],
        statements: begun(&[(2, 8, 2), (2, 21, 172), (2, 26, 170), (6, 3, 1), (7, 3, 1)]),
        ..profile(
            vec![own],
            vec![
                of("g.constprop.0", site(3, Some(0), 170, 170, 170)),
                of("g.constprop.1", site(3, None, 1, 1, 1)),
            ],
        )
    };
    let comparison = compared(&predicted(source, &["n=170"]), run);
    let found = row(&comparison, "g@2", "iterations");
    assert!(found.traced != Some(170.0) || found.unsure.is_some());
}
