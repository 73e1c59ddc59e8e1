//! Differences and what they consist of.

use loopsheet_compare::{Cause, State};

use super::*;

/// In every row the amounts of the reasons add up to traced less static, and the state says how near the sides are.
pub fn check(comparison: &Comparison) {
    for nest in &comparison.nests {
        for row in &nest.rows {
            let what = format!("{}: {row:?}", nest.id);
            let sum: f64 = row.reasons.iter().map(|reason| reason.amount).sum();
            let (Some(predicted), Some(traced)) = (row.predicted, row.traced) else {
                assert_eq!((row.state, sum), (State::Unknown, 0.0), "{what}");
                continue;
            };
            let (difference, larger) = (traced - predicted, predicted.abs().max(traced.abs()));
            assert!((sum - difference).abs() <= 1e-9 * larger, "{what}");
            let expected = match row.unsure {
                Some(_) => State::Unknown,
                None if difference.abs() <= 1e-9 * larger => State::Exact,
                None if difference.abs() <= 0.02 * larger => State::Near,
                None => State::Differs,
            };
            assert_eq!(row.state, expected, "{what}");
        }
    }
}

fn reasons(comparison: &Comparison, quantity: &str) -> Vec<(Cause, f64)> {
    let row = row(comparison, &comparison.nests[0].id, quantity);
    let rounded = |amount: f64| (amount * 1e6).round() / 1e6;
    let reasons = row.reasons.iter();
    reasons
        .map(|reason| (reason.code, rounded(reason.amount)))
        .collect()
}

/// Three executions of 40 iterations, for one of 100.
#[test]
fn executions_and_sizes_have_their_shares_of_the_iterations() {
    let head = Site {
        decisions: 123,
        ..site(2, Some(0), 123, 0, 0)
    };
    let run = profile(
        vec![machine_loop(2, None, 3, 120)],
        vec![head, walking(&[8], site(3, Some(0), 120, 120, 120))],
    );
    let comparison = compared(&predicted(PLAIN, &["n=100"]), run);
    assert_eq!(
        sides(&comparison, "f@2", "iterations"),
        (Some(100.0), Some(120.0))
    );
    assert_eq!(
        reasons(&comparison, "iterations"),
        [(Cause::Executions, 200.0), (Cause::Parameter, -180.0)]
    );
    assert_eq!(
        reasons(&comparison, "mean trip count of i, line 2"),
        [(Cause::Parameter, -60.0)]
    );
    assert_eq!(
        reasons(&comparison, "executions"),
        [(Cause::Unexplained, 2.0)]
    );
}

/// Of three neighbours one is loaded, ten of 1000 times once more, beside spills and a constant that is loaded twice.
#[test]
fn several_causes_share_a_difference() {
    let source = "double a[1002], b[1002];
void f(int n) {
  for (int i = 1; i <= n; i++)
    b[i] = a[i - 1] + a[i] + a[i + 1];
}
";
    let loads = |loads| Accesses {
        loads,
        loaded_bytes: 8 * loads,
        ..Accesses::default()
    };
    let data = |range, count| DataAccesses {
        range,
        accesses: loads(count),
    };
    let body = Site {
        accesses: Accesses {
            stores: 1000,
            stored_bytes: 8000,
            ..loads(1012)
        },
        stack: loads(500),
        data: vec![data(0, 1010), data(1, 2)],
        ..walking(&[8], site(4, Some(0), 1000, 2000, 0))
    };
    let range = |name: &str, low: u64, bytes: u64, is_variable| DataRange {
        name: name.into(),
        low,
        high: low + bytes,
        is_variable,
        allocated: Vec::new(),
    };
    let run = SourceProfile {
        data: vec![
            range("a", 0x1000, 8016, true),
            range(DataRange::CONSTANTS, 0x100, 16, false),
        ],
        ..profile(vec![machine_loop(3, None, 1, 1000)], vec![body])
    };
    let comparison = compared(&predicted(source, &["n=1000"]), run);
    assert_eq!(
        reasons(&comparison, "loads per iteration"),
        [
            (Cause::Stack, 0.5),
            (Cause::Constants, 0.002),
            (Cause::Kept, -2.0),
            (Cause::Unexplained, 0.01)
        ]
    );
    assert_eq!(
        reasons(&comparison, "loads of a"),
        [(Cause::Kept, -2000.0), (Cause::Unexplained, 10.0)]
    );
    assert_eq!(reasons(&comparison, "adds per iteration"), []);
}

#[test]
fn what_became_a_call_has_the_bytes_of_the_call() {
    let comparison = cleared_by_a_call();
    assert_eq!(
        reasons(&comparison, "bytes stored per iteration"),
        [(Cause::ReplacedByCall, -8.0)]
    );
    assert_eq!(
        reasons(&comparison, "stores per iteration"),
        [(Cause::ReplacedByCall, -1.0)]
    );
}

#[test]
fn vector_operations_have_a_star_and_no_number() {
    let body = Site {
        operations: Operations {
            vector: 25,
            ..Operations::default()
        },
        ..walking(&[32], site(3, Some(0), 25, 0, 100))
    };
    let comparison = compared(
        &predicted(PLAIN, &["n=100"]),
        profile(vec![machine_loop(2, None, 1, 25)], vec![body]),
    );
    let adds = row(&comparison, "f@2", "adds per iteration");
    assert_eq!((adds.predicted, adds.traced), (Some(1.0), None));
    assert_eq!(
        adds.reason.as_deref(),
        Some(
            "* not certain: 25 vector instructions were executed whose lengths are not shown by the trace"
        )
    );
    let stores = row(&comparison, "f@2", "stores per iteration");
    assert_eq!(stores.traced, Some(1.0));
}
