//! Loops that end on a condition: how often they run as far as it tells, marked where it may be less or is a guess.

use crate::small;
use crate::support::command;
use serde_json::Value;

fn analysis(path: &str) -> Value {
    command::analysed(path, &[])
}

/// Iterations of the only nest of a function, and whether they are marked as approximate.
fn iterations(json: &Value, function: &str) -> (f64, bool) {
    let functions = json["functions"].as_array().expect("functions");
    let found = functions
        .iter()
        .find(|f| f["name"] == function)
        .unwrap_or_else(|| panic!("no {function}"));
    let nest = &found["nests"][0];
    let reasons = nest["reasons"].as_array().expect("reasons");
    (
        nest["iterations"].as_f64().expect("a number"),
        reasons.iter().any(|r| r == "approximate_trip_count"),
    )
}

#[test]
fn conditions_tell_how_often_loops_run() {
    let json = analysis("tests/fixtures/conditions/loops.c");
    // i < 100 holds for 0 … 99; c may end it before.
    assert_eq!(iterations(&json, "while_both"), (100.0, true));
    // 100 … 1 pass the test.
    assert_eq!(iterations(&json, "counting_down"), (100.0, false));
    // i and j approach each other by two from n - 1 = 127: 63.5 rounds, the last with i = 63, j = 64.
    assert_eq!(iterations(&json, "both_ends"), (64.0, false));
    assert_eq!(iterations(&json, "at_least_once"), (50.0, false));
    // 100, 97 … 1.
    assert_eq!(iterations(&json, "by_three"), (34.0, false));
    assert_eq!(iterations(&json, "until_found"), (64.0, true));
    // 1, 2, 4 … 512.
    assert_eq!(iterations(&json, "doubling"), (10.0, false));
}

/// Conditions that ask for a variable whose loop moves the ends of another one, or that stand in one another: what they
/// leave is counted, not multiplied.
#[test]
fn conditions_on_one_variable_are_counted_together() {
    let bodies = [
        (
            "if (i >= 90) for (int j = 0; j < i; j++) c[i][j] += 1.0;",
            945.0,
        ),
        (
            "if (i < 50) for (int j = 0; j < i; j++) c[i][j] += 1.0;",
            1225.0,
        ),
        (
            "if (i < 90) continue; for (int j = 0; j < i; j++) c[i][j] += 1.0;",
            945.0,
        ),
        (
            "for (int j = 0; j < i; j++) if (i >= 90) c[i][j] += 1.0;",
            945.0,
        ),
        (
            "if (i >= 90) for (int j = i; j < 100; j++) c[i][j] += 1.0;",
            55.0,
        ),
        (
            "if (i != 5) for (int j = 0; j < i; j++) c[i][j] += 1.0;",
            4945.0,
        ),
        (
            "if (i < 10 || i >= 90) for (int j = 0; j < i; j++) c[i][j] += 1.0;",
            990.0,
        ),
        (
            "if (i >= 90) for (int j = 0; j < i; j++) if (j < 50) c[i][j] += 1.0;",
            500.0,
        ),
        (
            "for (int j = 0; j < 10; j++) if (i >= j) if (j >= 5) c[i][j] += 1.0;",
            465.0,
        ),
        ("if (i >= 90) { if (i >= 99) c[i][0] += 1.0; }", 1.0),
        (
            "if (i < 50) c[i][0] = 0.0; else if (i < 75) c[i][0] += 1.0;",
            25.0,
        ),
        (
            "if (i < 0) c[i][0] = 0.0; else if (i > 0) c[i][0] += 1.0;",
            99.0,
        ),
        (
            "if (i == 1) c[i][0] = 0.0; else if (i == 2) c[i][0] = 2.0; else if (i <= 5) c[i][0] += 1.0;",
            4.0,
        ),
    ];
    for (body, expected) in bodies {
        let text = format!(
            "double c[100][100];
             void f(void) {{ for (int i = 0; i < 100; i++) {{ {body} }} }}"
        );
        let report = command::analysed_text("f.c", &text, &[]);
        let nests = report["functions"][0]["nests"].as_array().expect("nests");
        let flops = nests
            .iter()
            .map(|nest| nest["flops"].as_f64().expect("a number"));
        let flops: f64 = flops.sum();
        assert!(
            (flops - expected).abs() < 1e-6,
            "{body}: {flops} for {expected}"
        );
    }
}

/// Elements that only some iterations of an outer loop use are not as far apart as on average, but as far as in these.
#[test]
fn conditions_on_outer_loops_leave_what_is_used_again() {
    let text = "double x[40000], y[40000], a[300][300];
      void again(void) { for (int t = 0; t < 100; t++) for (int i = 0; i < 40000; i++)
        if (t >= 45 && t < 50) y[i] += x[i]; }
      void once(void) { for (int t = 0; t < 300; t++) for (int i = 0; i < 300; i++)
        if (t >= 45 && t < 150) a[t][i] += 1.0; }
      void longer(void) { for (int t = 0; t < 300; t++)
        if (t >= 200) for (int i = 0; i < t; i++) a[t][i] += 1.0; }";
    let report = command::analysed_text("k.c", text, &[]);
    let reasons = |function: usize| report["functions"][function]["nests"][0]["reasons"].clone();
    for function in 0..3 {
        assert_eq!(reasons(function), serde_json::json!([]));
    }
}

/// The lowest bits of a number are what is left of its division by a power of two.
#[test]
fn lowest_bits_are_remainders() {
    let cases = [
        ("if ((j & 7) == 7) c[j] += 1.0;", 12.0),
        ("if (!(j & 7)) c[j] += 1.0;", 12.0),
        ("if ((j & 1) == 1) c[j] += 1.0;", 48.0),
        ("if (j & 1) c[j] += 1.0;", 48.0),
        ("if (j & 7) c[j] += 1.0;", 84.0),
    ];
    let nest = |body: &str| {
        let text = format!(
            "double c[100];
             void f(void) {{ for (int j = 0; j < 96; j++) {{ {body} }} }}"
        );
        let report = command::analysed_text("f.c", &text, &[]);
        report["functions"][0]["nests"][0].clone()
    };
    for (body, expected) in cases {
        let nest = nest(body);
        let flops = nest["flops"].as_f64().expect("a number");
        assert!(
            (flops - expected).abs() < 1e-6,
            "{body}: {flops} for {expected}: {}",
            nest["reasons"]
        );
    }
    let bits = nest("for (int k = j & 1; k < 90; k += 2) c[k] += 1.0;");
    let remainder = nest("for (int k = j % 2; k < 90; k += 2) c[k] += 1.0;");
    assert_eq!(bits["flops"], remainder["flops"]);
    assert_eq!(bits["reasons"], remainder["reasons"]);
    // Bits of data may be flags: how many are set is a guess.
    let text = "double c[100]; int flags[100];
      void f(void) { for (int j = 0; j < 96; j++) if (flags[j] & 1) c[j] += 1.0; }";
    let report = command::analysed_text("f.c", text, &[]);
    assert_eq!(report["parameters"]["prob_f_2"]["origin"], "guessed");
}

/// What rounds is taken at whole steps of the loop around: block by block, as it runs.
#[test]
fn whole_blocks_are_counted_step_by_step() {
    let source = "
#define B 16
void blocks(double *a, int n) {
  for (int first = 0; first < n - B; first += B) {
    int inside = (n - first - B)/B;
    for (int block = 0; block < inside*inside; block++)
      for (int i = 0; i < B; i++) a[(i + first)*n + block] = 1.0;
  }
}";
    for (n, blocks) in [("n=32", 1.0), ("n=64", 14.0), ("n=80", 30.0)] {
        let json = small::analyse(&[("a.c", source)], &[n]);
        let (found, is_marked) = iterations(&json, "blocks");
        assert!(
            (found - 16.0 * blocks).abs() < 1e-9 && is_marked,
            "{n}: {found}"
        );
    }
}

/// What runs other loops until a time is over runs long, also where a procedure without a body, or the loop itself, moves what
/// those read; what walks along an array does not.
#[test]
fn loops_over_time_are_long_wherever_their_data_lie() {
    let json = small::c(
        "
#include <stdlib.h>
typedef struct { double time, dt; double **rows; } Mesh;
Mesh mesh;
double list[1000];
void more(Mesh *m);
void smooth(void) { for (int i = 0; i < 100; i++) list[i] *= 0.5; }
void moved(double end) {
  while (mesh.time < end) {
    more(&mesh);
    for (int j = 0; j < 100; j++) for (int i = 0; i < 100; i++) mesh.rows[j][i] += 1;
    mesh.time += mesh.dt;
  }
}
void walks(double end) {
  int p = 0;
  while (list[p] < end) { smooth(); p++; }
}",
    );
    assert_eq!(small::iterations(&json, "moved")[0], 1024.0 * 1e4);
    assert_eq!(small::iterations(&json, "walks"), [8.0]);
}

/// What loops alone lead to is done whatever data say: of `k < 10 || b[k] > 0` only the rest has the probability. Where data
/// hardly ever lead to the rest, its lines count all the same, with a star.
#[test]
fn a_part_on_loops_holds_whatever_data_say() {
    for condition in ["i < 200 || m[i][j]", "!(i >= 200 && m[i][j] == 0)"] {
        let source = format!(
            "double a[300][300], b[300][300]; int m[300][300];
void f(void) {{
  for (int i = 0; i < 300; i++)
    for (int j = 0; j < 300; j++)
      if ({condition}) a[i][j] += b[i][j];
}}"
        );
        let of = |setting: &str| {
            let json = small::analyse(&[("a.c", &source)], &[setting]);
            let nest = small::function(&json, "f")["nests"][0].clone();
            let reasons = nest["reasons"].as_array().expect("reasons").clone();
            (nest["flops"].as_f64().expect("flops"), reasons)
        };
        let (half, rare) = (of("prob_f_5=0.5"), of("prob_f_5=0.01"));
        assert_eq!(half, (60_000.0 + 15_000.0, Vec::new()), "{condition}");
        let marked = vec![Value::from("condition_on_loops")];
        assert_eq!(rare, (60_000.0 + 300.0, marked), "{condition}");
    }
}

/// How often a remainder is left between two ends, not once in so many times. (gcov: 49, 35, 42; and by hand for the rest.)
#[test]
fn remainders_of_loops_that_are_known_are_counted() {
    let json = small::c(
        "double x[100];
int steps = 20;
void f(void) { for (int i = 0; i < 7; i++) x[i] += 1; }
void g(void) { for (int i = 0; i < 5; i++) x[i] += 1; }
void h(void) { for (int i = 0; i < 3; i++) x[i] += 1; }
void odd(void) { for (int i = 0; i < 2; i++) x[i] += 1; }
void less(void) { for (int i = 0; i < 2; i++) x[i] += 1; }
int main(void) {
  for (int k = 0; k < steps; k++) { x[k] += 1; if (k % 3 == 0) f(); }
  for (int k = 1; k <= steps; k++) { x[k] += 1; if (k % 3 == 1) g(); }
  for (int k = 20; k >= 1; k--) { x[k] += 1; if (k % 3) h(); }
  for (int k = 2; k <= 8; k++) { x[k] += 1; if (k & 1) odd(); }
  for (int k = 0; k < 50; k++) { x[k] += 1; if (k % -3 == 0) less(); }
}",
    );
    let calls = |name| small::calls(&json, name);
    assert!((calls("f") - 7.0).abs() < 1e-9);
    assert!((calls("g") - 7.0).abs() < 1e-9);
    assert!((calls("h") - 14.0).abs() < 1e-9);
    assert!((calls("odd") - 3.0).abs() < 1e-9);
    assert!((calls("less") - 17.0).abs() < 1e-9);
}
