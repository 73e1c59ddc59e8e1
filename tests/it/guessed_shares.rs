//! Guesses of how often branches are taken, where each way is for other values of one number, or the answer is known.

use serde_json::Value;

use crate::small::{analyse, c, calls, fortran, function, iterations};

/// Procedures with a loop each, whose calls are counted.
const WAYS: &str = "
#include <stdio.h>
#include <stdlib.h>
double x[100];
void a(void) { for (int i = 0; i < 100; i++) x[i] += 1; }
void b(void) { for (int i = 0; i < 100; i++) x[i] += 2; }
void d(void) { for (int i = 0; i < 100; i++) x[i] += 3; }
void e(void) { for (int i = 0; i < 100; i++) x[i] += 4; }
";

fn ways(json: &Value) -> [f64; 4] {
    ["a", "b", "d", "e"].map(|name| calls(json, name))
}

fn assert_near(found: [f64; 4], expected: [f64; 4]) {
    let is_near = |(a, b): (f64, f64)| (a - b).abs() < 1e-9;
    let is_near = found.into_iter().zip(expected).all(is_near);
    assert!(is_near, "{found:?} instead of {expected:?}");
}

/// `k` is what nothing is known of. Branches in one line would have one probability.
fn chosen(statements: &str) -> [f64; 4] {
    let statements = ["if (", "case ", "default:"]
        .into_iter()
        .fold(statements.to_string(), |statements, word| {
            statements.replace(word, &format!("\n{word}"))
        });
    let json = c(&format!(
        "{WAYS} int main(int argc, char **argv) {{ int k = getchar(); double y = atof(argv[1]); {statements} }}"
    ));
    ways(&json)
}

#[test]
fn arms_on_one_number_share_evenly() {
    let quarters = [0.25; 4];
    assert_near(
        chosen("if (k == 1) a(); else if (k == 2) b(); else if (k == 3) d(); else e();"),
        quarters,
    );
    assert_near(
        chosen(
            "switch (k) { case 1: a(); break; case 2: b(); break; case 9: d(); break; default: e(); }",
        ),
        quarters,
    );
    assert_near(
        chosen("if (y < 0.1) a(); else if (y < 0.2) b(); else if (y < 0.3) d(); else e();"),
        quarters,
    );
    // An arm for several numbers has a share for each.
    assert_near(
        chosen("switch (k) { case 1: case 2: a(); break; case 8: b(); break; default: d(); }"),
        [0.5, 0.25, 0.25, 0.0],
    );
}

/// Where the numbers are one behind the other, nothing else is expected; where they are not, nothing may happen.
#[test]
fn what_has_no_arm_counts_unless_all_numbers_of_a_row_have() {
    let thirds = [1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, 0.0];
    assert_near(
        chosen("if (k == 1) a(); else if (k == 3) b(); else if (k == 2) d();"),
        thirds,
    );
    assert_near(
        chosen("if (k == 0) a(); else if (k == 255) b();"),
        [1.0 / 3.0, 1.0 / 3.0, 0.0, 0.0],
    );
    assert_near(
        chosen(
            "switch (k) { case 1: a(); break; case 5: b(); break; default: fprintf(stderr, \"no\"); exit(1); }",
        ),
        [0.5, 0.5, 0.0, 0.0],
    );
}

/// Conditions on different numbers are tried one after the other.
#[test]
fn other_chains_are_guessed_arm_by_arm() {
    assert_near(
        chosen("if (k == 1) a(); else if (y > 2) b(); else d();"),
        [0.5, 0.25, 0.25, 0.0],
    );
}

const SWEEPS: [&str; 2] = [
    "
subroutine sweep(way, turn, x)
  integer :: way, turn, step, i
  real(8) :: x(100)
  step = way + 2*(turn - 1)
  if (step == 1) then
    call first(x)
  else if (step == 2) then
    call second(x)
  else if (step <= 4) then
    call others(x)
  end if
  if (way /= 1) call second(x)
end subroutine
subroutine first(x)
  real(8) :: x(100)
  x = x + 1
end subroutine
subroutine second(x)
  real(8) :: x(100)
  x = x + 2
end subroutine
subroutine others(x)
  real(8) :: x(100)
  x = x + 3
end subroutine
",
    "
program p
  integer, parameter :: down = 2
  integer :: turn
  real(8) :: x(100)
  x = 0
  turn = 1
  call sweep(1, turn, x)
  call sweep(down, turn, x)
  turn = 2
  call sweep(1, turn, x)
  call sweep(down, turn, x)
end program
",
];

/// Two ways and two turns make four steps.
#[test]
fn numbers_that_calls_pass_decide_the_shares() {
    let both = fortran(&SWEEPS.concat());
    let found = ["first", "second", "others"].map(|name| calls(&both, name));
    assert_eq!(found, [1.0, 3.0, 2.0]);
    let reversed = analyse(&[("b.f90", SWEEPS[0]), ("a.f90", SWEEPS[1])], &[]);
    let unrelated = "subroutine zz(step, x)
  integer :: step, i
  real(8) :: x(step)
  if (step == 7) then
    do i = 1, step
      x(i) = 0
    end do
  end if
end subroutine";
    let more = [
        ("b.f90", SWEEPS[0]),
        ("a.f90", SWEEPS[1]),
        ("c.f90", unrelated),
    ];
    for other in [reversed, analyse(&more, &[])] {
        let again = ["first", "second", "others"].map(|name| calls(&other, name));
        assert_eq!(again, found);
    }
}

#[test]
fn a_condition_asked_again_is_answered() {
    let all = chosen(
        "if (k > 2) { if (k > 2) a(); if (!(k > 2)) b(); if (k <= 2 || y > 1) d(); } else if (2 >= k) e();",
    );
    assert_near(all, [0.5, 0.0, 0.25, 0.5]);
    // One number is no other one.
    assert_near(
        chosen("if (k == 3) { if (k == 4) a(); if (k < 5) b(); }"),
        [0.0, 0.5, 0.0, 0.0],
    );
    // A part that does not hold is not known by the whole.
    assert_near(
        chosen("if (k > 2 && y > 1) { if (y > 1) a(); } else if (y > 1) b();"),
        [0.5, 0.25, 0.0, 0.0],
    );
    // Operators are told apart, or not compared.
    assert_near(
        chosen("if ((k & 1) == 1) { if ((k ^ 1) == 1) a(); if ((k | 1) == 1) b(); }"),
        [0.25, 0.25, 0.0, 0.0],
    );
    // Another number by then.
    assert_near(
        chosen("if (k > 2) { k = getchar(); if (k > 2) a(); }"),
        [0.25, 0.0, 0.0, 0.0],
    );
    assert_near(
        chosen("if (k > 2) { scanf(\"%d\", &k); if (k > 2) a(); }"),
        [0.25, 0.0, 0.0, 0.0],
    );
}

/// Nothing says how often: as often as a loop runs.
#[test]
fn a_period_that_nothing_gives_is_as_long_as_a_loop() {
    let found = chosen(
        "for (int t = 0; t < 1280; t++) { if (t % k == 0) a(); if (y > 1 && t % k == 0) b(); if (t % 10 == 0 || t == k) d(); if (y > 1) e(); }",
    );
    assert_near(found, [10.0, 10.0, 128.0, 640.0]);
    // What the loop itself counts is no period.
    let found = chosen("for (int t = 1; t < 129; t++) if (k % t == 0) a();");
    assert_near(found, [64.0, 0.0, 0.0, 0.0]);
}

/// Between two limits a number is what it was.
#[test]
fn two_limits_in_a_chain_are_both_kept() {
    let chain = "
subroutine s(a, n, w)
  integer :: n, w, i, j, lo
  real(8) :: a(n)
  do j = 1, n
    lo = j - w
    if (lo < 1) then
      lo = 1
    else if (lo > n) then
      lo = n
    end if
    do i = lo, j
      a(j) = a(j) + a(i)
    end do
  end do
end subroutine";
    let apart = chain.replace("else if (lo > n) then", "end if\n    if (lo > n) then");
    let sizes = ["n=100", "w=30"];
    let all = |text: &str| iterations(&analyse(&[("a.f90", text)], &sizes), "s");
    // Below 31 from the first on; from there 31 each.
    let counted: i32 = (1..=100).map(|j: i32| j - (j - 30).max(1) + 1).sum();
    assert!((all(chain)[0] / f64::from(counted) - 1.0).abs() < 0.01);
    assert_eq!(all(chain), all(&apart));
    // The second limit may not lie on the same side.
    let same_side = chain.replace("else if (lo > n)", "else if (lo < 5)");
    assert_eq!(reasons_of(&analyse(&[("a.f90", &same_side)], &sizes)), 1);
}

/// How many nests of `s` have a trip count that is a guess.
fn reasons_of(json: &Value) -> usize {
    let nests = function(json, "s")["nests"].as_array().expect("nests");
    let is_marked = |nest: &&Value| nest["reasons"].as_array().is_some_and(|r| !r.is_empty());
    nests.iter().filter(is_marked).count()
}

/// What is read and kept from being too small has no default.
#[test]
fn a_lower_limit_of_what_is_read_is_no_default() {
    let json = c("#include <stdlib.h>
        double x[100000];
        int main(int argc, char **argv) {
          int n = atoi(argv[1]);
          if (n < 10) n = 10; else if (n > 4000) n = 4000;
          for (int i = 0; i < n; i++) x[i] += 1;
        }");
    assert_eq!(iterations(&json, "main"), [128.0]);
}

#[test]
fn what_only_brings_a_number_into_a_range_ends_at_once() {
    let json = c("double wrap(double x, double half) {
          while (x > half) x -= 2.0*half;
          while (x < -half) x += 2.0*half;
          return x;
        }
        double root(double x, double y) {
          while (x*x > y) x = 0.5*(x + y/x);
          return x;
        }");
    assert_eq!(iterations(&json, "root"), [8.0]);
    assert_eq!(iterations(&json, "wrap"), [1.0, 1.0]);
    // A guess, but not one that can hardly be meant.
    let nests = function(&json, "wrap")["nests"].as_array().expect("nests");
    for nest in nests {
        let reasons = nest["reasons"].as_array().expect("reasons");
        assert!(reasons.iter().all(|r| r != "implausible_size"), "{nest}");
    }
}

/// The state of a generator of random numbers is small, however it is asked for.
#[test]
fn what_a_generator_needs_is_small() {
    for asked in ["size=count", "count"] {
        let json = fortran(&format!(
            "program p
  integer :: count, i
  integer, allocatable :: seed(:)
  call random_seed({asked})
  allocate(seed(count))
  do i = 1, count
    seed(i) = 37*i
  end do
  call random_seed(put=seed)
end program"
        ));
        assert_eq!(iterations(&json, "p"), [8.0], "{asked}");
    }
}
