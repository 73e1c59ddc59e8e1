//! Loops that data end, after so many rounds at the latest.

use crate::small::{analyse, c, calls, fortran, function, iterations};

/// `do it = 1, 5000` with `if (condition) exit` at its end, and `more` before.
fn solver(limit: &str, condition: &str, more: &str) -> String {
    format!(
        "program p
  real(8) :: u(100), res, history(5000), rows(100, 5000)
  integer :: it, other
  res = 1
  other = 0
  do it = 1, {limit}
    call relax(u, res)
    {more}
    if ({condition}) exit
  end do
  print *, u(1)
contains
  subroutine relax(x, norm)
    real(8) :: x(100), norm
    norm = 0
    do i = 2, 100
      x(i) = 0.5d0*(x(i) + x(i - 1))
      norm = norm + x(i)
    end do
  end subroutine
end program"
    )
}

/// With each order of magnitude as likely as any other, a loop of at most 5000 rounds has 4999/ln 5000 = 586.9 in the mean.
const MEAN: f64 = 587.0;

#[test]
fn a_solver_stops_before_its_limit() {
    let source = solver("5000", "res < 1d-6", "history(it) = res");
    let json = fortran(&source);
    assert_eq!(calls(&json, "relax"), MEAN);
    let trips = &json["parameters"]["trip_p_6"];
    assert_eq!(
        (&trips["kind"], &trips["origin"]),
        (&"trip_count".into(), &"guessed".into())
    );
    for (set, runs) in [("trip_p_6=20", 20.0), ("trip_p_6=9000", 5000.0)] {
        let json = analyse(&[("a.f90", &source)], &[set]);
        assert_eq!(calls(&json, "relax"), runs);
    }
}

#[test]
fn a_limit_that_is_not_known_says_nothing_of_a_solver() {
    let source = solver("other", "res < 1d-6", "").replace("other = 0", "read *, other");
    assert_eq!(calls(&fortran(&source), "relax"), 128.0);
}

#[test]
fn what_counters_end_runs_to_its_limit() {
    let runs = |condition: &str, more: &str| {
        let json = fortran(&solver("5000", condition, more));
        calls(&json, "relax")
    };
    // What counts is no data, nor is what the loop leaves as it is; a counter that ends it is a limit.
    assert_eq!(runs("other == 7", ""), 5000.0);
    assert_eq!(runs("other == 7", "other = other + 1"), 7.0);
    // A search is no repetition.
    assert_eq!(runs("history(it) > 3", ""), 5000.0);
    // Nor is one row after the other: two calls in each of 5000 rounds.
    assert_eq!(runs("res < 1d-6", "call relax(rows(:, it), res)"), 10000.0);
}

/// A thousand rounds of C over a sum, of which what `ends` says may leave.
fn rounds_of_c(ends: &str) -> f64 {
    let json = c(&format!(
        "
#include <math.h>
double u[100];
static double relax(double *x) {{
    double sum = 0;
    for (int i = 1; i < 100; i++) {{ x[i] = 0.5*(x[i] + x[i - 1]); sum += x[i]; }}
    return sum;
}}
static void step(double *x, int *status) {{ *status = relax(x) > 3; }}
int main(void) {{
    int status, it = 0;
    double err = 1;
    {ends}
    return 0;
}}
"
    ));
    calls(&json, "relax")
}

/// What goes wrong is not expected to, so that it ends nothing. 999/ln 1000 = 144.6.
#[test]
fn guards_against_failure_are_no_ends() {
    for guarded in [
        "for (it = 0; it < 1000; it++) { err = relax(u); if (isnan(err)) return 0; }",
        "for (it = 0; it < 1000; it++) { err = relax(u); if (err != err || err > 1e30) break; }",
        "for (it = 0; it < 1000; it++) { err = relax(u); if (1e30 < fabs(err)) break; }",
        "for (it = 0; it < 1000; it++) { err = relax(u); if (!(err < 1e30)) break; }",
        "for (it = 0; it < 1000; it++) { err = relax(u); int bad = err < -1e30; if (bad) break; }",
        "for (it = 0; it < 1000; it++) { step(u, &status); if (status != 0) break; }",
        "for (it = 0; it < 1000; it++) { step(u, &status); if (status) return 0; }",
        "while (isfinite(err) && it < 1000) { err = relax(u); it++; }",
        "status = 0; while (it < 1000 && !status) { step(u, &status); it++; }",
    ] {
        assert_eq!(rounds_of_c(guarded), 1000.0, "{guarded}");
    }
    for solver in [
        "for (it = 0; it < 1000; it++) { err = relax(u); if (isnan(err) || err < 1e-9) break; }",
        "for (it = 0; it < 1000; it++) { err = relax(u); if (err < 1e30) break; }",
        "for (it = 0; it < 1000; it++) { err = relax(u); if (err > 1e3) break; }",
        "for (it = 0; it < 1000; it++) { step(u, &status); if (status == 0) break; }",
        "for (it = 0; it < 1000; it++) { err = relax(u); int done = err < 1e-9; if (done) break; }",
        "while (isfinite(err) && err > 1e-9 && it < 1000) { err = relax(u); it++; }",
    ] {
        assert_eq!(rounds_of_c(solver), 145.0, "{solver}");
    }
}

/// `call step(u, n, status)` in Fortran says how it went.
#[test]
fn a_status_in_fortran_ends_no_loop() {
    let of = |condition: &str| {
        let more = "call check(u, other)";
        let check = "
  subroutine check(x, status)
    real(8) :: x(100)
    integer :: status
    status = 0
    if (any(x > 1d30)) status = 1
  end subroutine
end program";
        let source = solver("5000", condition, more).replace("\nend program", check);
        calls(&fortran(&source), "relax")
    };
    assert_eq!(of("other /= 0"), 5000.0);
    assert_eq!(of("other > 0 .or. res > huge(res)/2"), MEAN);
    assert_eq!(of("other > 0 .or. res > 1d20"), 5000.0);
}

/// A loop takes row after row if loops inside begin or end at its counter: of 60 rows, 60 + 59 + … + 1 elements.
#[test]
fn a_counter_in_bounds_of_loops_inside_runs_to_its_limit() {
    let of = |work: &str| {
        let json = c(&format!(
            "
double a[60];
double pivots(double tol) {{
    double m = 0;
    for (int k = 0; k < 60; k++) {{ {work} if (m < tol) return m; }}
    return m;
}}
"
        ));
        let nest = &function(&json, "pivots")["nests"][0];
        nest["iterations"].as_f64().unwrap()
    };
    assert_eq!(of("for (int i = k; i < 60; i++) m += a[i];"), 1830.0);
    assert_eq!(of("for (int i = 59; i >= k; i--) m += a[i];"), 1830.0);
    // 59/ln 60 = 14.4
    assert_eq!(of("for (int i = 0; i < 60; i++) m += a[i];"), 900.0);
}

/// Each loop of C with the same solver in it.
#[test]
fn a_limit_in_c_is_beside_a_condition_or_counted_down_to() {
    for repeated in [
        "while (err > 1e-6 && it < 200) { err = relax(u); it++; }",
        "for (it = 0; it < 200 && err > 1e-6; it++) err = relax(u);",
        "for (it = 200; it > 0; it--) { err = relax(u); if (err < 1e-6) break; }",
        "for (it = 0; it < 400; it += 2) { if (relax(u) < 1e-6) break; }",
    ] {
        let json = c(&format!(
            "
double u[100];
static double relax(double *x) {{
    double sum = 0;
    for (int i = 1; i < 100; i++) {{ x[i] = 0.5*(x[i] + x[i - 1]); sum += x[i]; }}
    return sum;
}}
int main(void) {{
    int it = 0;
    double err = 1;
    {repeated}
    return 0;
}}
"
        ));
        // 199/ln 200 = 37.6
        assert_eq!(calls(&json, "relax"), 38.0, "{repeated}");
    }
}

/// A number that divides a size is the smallest of several: more would make loops shorter.
#[test]
fn of_several_divisors_the_smallest_counts() {
    let json = c("
#include <stdlib.h>
struct part { int rows; };
double a[1000][8];
static int divisor(int a, int b) {
    while (b != 0) { int c = a % b; a = b; b = c; }
    return a;
}
static void split(struct part *p, int parts) { p->rows = 1000 / divisor(parts, 1000); }
static void scale(struct part *p) {
    for (int i = 0; i < p->rows; i++) a[i][0] *= 2;
}
int main(void) {
    struct part p;
    split(&p, 1);
    scale(&p);
    return 0;
}
");
    let nest = &function(&json, "scale")["nests"][0];
    assert_eq!(nest["iterations"].as_f64(), Some(1000.0));
}

/// Numbers are expected to be numbers: what is done where they are not takes no time.
#[test]
fn nothing_is_expected_to_be_no_number() {
    let of = |condition: &str| {
        let json = c(&format!(
            "
#include <math.h>
double a[100], b[100];
static void mend(double *x) {{ for (int i = 0; i < 100; i++) x[i] = 0; }}
int main(void) {{
    for (int i = 0; i < 10; i++) if ({condition}) mend(b);
    return 0;
}}
"
        ));
        calls(&json, "mend")
    };
    for never in [
        "isnan(a[i])",
        "isinf(a[i]) != 0",
        "!isfinite(a[i])",
        "a[i] != a[i]",
    ] {
        assert_eq!(of(never), 0.0, "{never}");
    }
    for always in [
        "isfinite(a[i])",
        "isnan(a[i]) == 0",
        "a[i] == a[i] || a[i] > b[i]",
    ] {
        assert_eq!(of(always), 10.0, "{always}");
    }
    assert_eq!(of("isnan(a[i]) || a[i] > b[i]"), 5.0);
    assert_eq!(of("!isnan(a[i]) && a[i] > b[i]"), 5.0);
}

/// A main program that ends with a status other than zero has failed, whatever it tidies up before.
#[test]
fn a_status_of_failure_is_not_expected() {
    let of = |status: &str| {
        let json = c(&format!(
            "
#include <stdlib.h>
double b[100];
double *get(void);
static void tidy(double *x) {{ for (int i = 0; i < 100; i++) x[i] = 0; }}
static void work(double *x) {{ for (int i = 0; i < 100; i++) x[i] += 1; }}
int main(int argc, char **argv) {{
    double *a = get();
    if (atoi(argv[1]) > 7) {{ tidy(b); return {status}; }}
    work(b);
    return 0;
}}
"
        ));
        [calls(&json, "tidy"), calls(&json, "work")]
    };
    assert_eq!(of("1"), [0.0, 1.0]);
    assert_eq!(of("0"), [0.5, 0.5]);
}

/// Iterations of the innermost loop of a program in C that computes a point of a picture; `x`, `y` and `it` change in it.
fn rounds_of_a_point(ends: &str) -> f64 {
    let json = c(&format!(
        "
#include <math.h>
double table[100];
struct point {{ double x, y; }};
static double size(double x, double y) {{ return sqrt(x*x + y*y); }}
double picture(double a, double b) {{
    double x = 0, y = 0, t, z[2] = {{0, 0}};
    int it = 0, done = 0;
    {ends}
    return x + y + it + done;
}}
"
    ));
    iterations(&json, "picture")[0]
}

/// 99/ln 100 = 21.5 of 100 rounds, where real numbers that the loop computes end it.
#[test]
fn innermost_loops_that_data_end_have_a_parameter() {
    let step = "t = x*x - y*y + a; y = 2*x*y + b; x = t;";
    for ended in [
        "while (x*x + y*y < 4 && it < 100) { STEP it++; }",
        "for (it = 0; it < 100; it++) { STEP if (x*x + y*y > 4) break; }",
        "for (it = 0; it < 100; it++) { STEP if (size(x, y) > 2) return it; }",
        "for (it = 0; it < 100; it++) { STEP if (fabs(x - t) < 1e-9) break; }",
        "while (!done && it < 100) { STEP done = x > 2; it++; }",
        "for (it = 0; it < 100; it++) { z[0] = z[0]*a + b; z[1] += z[0]; if (z[0]*z[1] > 4) break; }",
        "do { STEP it++; } while (x < 2 && it < 100);",
        "while (1) { STEP if (x > 2 || ++it >= 100) break; }",
    ] {
        let source = ended.replace("STEP", step);
        assert_eq!(rounds_of_a_point(&source), 22.0, "{ended}");
    }
    // What goes through an array gets to its end, as does what nothing that is computed ends.
    for whole in [
        "for (it = 0; it < 100; it++) { x += table[it]; if (x > 4) break; }",
        "for (it = 0; it < 100; it++) { STEP table[it] = x; if (x > 4) break; }",
        "for (it = 0; it < 100; it++) { STEP if (isnan(x)) break; }",
        "for (it = 0; it < 100; it++) { STEP if (a > b) break; }",
        "while (it < 100 && table[it] < 4) { STEP it++; }",
    ] {
        let source = whole.replace("STEP", step);
        assert_eq!(rounds_of_a_point(&source), 100.0, "{whole}");
    }
}

#[test]
fn the_rounds_of_a_root_are_a_guess_that_can_be_set() {
    let source = "
subroutine roots(n, a, x)
  integer :: n, i, k
  real(8) :: a(n), x(n), y, d
  do i = 1, n
    y = a(i)
    do k = 1, 100
      d = (y*y - a(i))/(2*y)
      y = y - d
      if (abs(d) < 1d-12) exit
    end do
    x(i) = y
  end do
end subroutine";
    let json = fortran(source);
    assert_eq!(iterations(&json, "roots"), [128.0 * 22.0]);
    let trips = &json["parameters"]["trip_roots_7"];
    assert_eq!(
        (&trips["kind"], &trips["origin"]),
        (&"trip_count".into(), &"guessed".into())
    );
    for (set, rounds) in [("trip_roots_7=5", 5.0), ("trip_roots_7=1000", 100.0)] {
        let json = analyse(&[("a.f90", source)], &[set]);
        assert_eq!(iterations(&json, "roots"), [128.0 * rounds]);
    }
}

/// How often `relax` is called in a loop of C that a counter ends in its body.
#[test]
fn counters_end_loops_in_their_bodies() {
    for (ends, rounds) in [
        (
            "while (1) { err = relax(u); it++; if (it == 20) break; }",
            20.0,
        ),
        (
            "while (1) { err = relax(u); if (it == 20) break; it++; }",
            21.0,
        ),
        (
            "while (1) { if (it == 20) break; err = relax(u); it++; }",
            20.0,
        ),
        (
            "while (1) { it++; if (it == 20) break; err = relax(u); }",
            19.0,
        ),
        ("for (;;) { err = relax(u); if (++it >= 20) break; }", 20.0),
        ("for (;;) { err = relax(u); if (it++ >= 20) break; }", 21.0),
        (
            "for (it = 30; ; it -= 3) { err = relax(u); if (it < 20) return 0; }",
            5.0,
        ),
        (
            "for (it = 0; it < 1000; it++) { if (it == 20) break; err = relax(u); }",
            20.0,
        ),
        (
            "for (it = 0; it < 1000; it++) { err = relax(u); if (it >= 20) break; }",
            21.0,
        ),
        (
            "for (it = 0; it < 10; it++) { err = relax(u); if (it >= 20) break; }",
            10.0,
        ),
        (
            "do { err = relax(u); if (it > 20) break; it++; } while (1);",
            22.0,
        ),
        // 999/ln 1000, at most 1000.
        (
            "while (1) { err = relax(u); if (err < 1e-9 || ++it >= 1000) break; }",
            145.0,
        ),
        (
            "while (1) { err = relax(u); if (err < 1e-9) break; if (++it == 1000) break; }",
            145.0,
        ),
        (
            "for (it = 30; it < 1000; it++) { err = relax(u); if (it >= 20) break; }",
            1.0,
        ),
        // It has passed that number, or data have to agree.
        (
            "for (it = 30; it < 1000; it++) { err = relax(u); if (it == 20) break; }",
            970.0,
        ),
        (
            "for (it = 0; it < 1000; it++) { err = relax(u); if (it == 20 && err < 3) break; }",
            145.0,
        ),
    ] {
        assert_eq!(rounds_of_c(ends), rounds, "{ends}");
    }
    let source =
        solver("5000", "other == 50", "other = other + 1").replace("do it = 1, 5000", "do");
    assert_eq!(
        calls(
            &fortran(&source.replace(
                "if (other == 50) exit",
                "if (other == 50) exit\n    if (res < 0) stop 1"
            )),
            "relax"
        ),
        50.0
    );
}

/// The parts of a condition hold in any order, and a counter in the second one counts all rounds but perhaps the last.
#[test]
fn a_counter_behind_another_condition_limits_the_rounds() {
    let rounds = |condition: &str| {
        let json = c(&format!(
            "double x[100];
double sweep(void) {{ double s = 0; for (int i = 0; i < 100; i++) s += x[i]; return s; }}
int main(void) {{
  int it = 0; double err = 1;
  while ({condition}) err = sweep();
}}"
        ));
        calls(&json, "sweep")
    };
    let first = rounds("it++ < 20 && err > 1e-6");
    assert!(first < 20.0);
    assert_eq!(rounds("err > 1e-6 && it++ < 20"), first);
    assert_eq!(rounds("err > 1e-6 && (it++ < 20)"), first);
    assert_eq!(rounds("it++ < 20"), 20.0);
}
