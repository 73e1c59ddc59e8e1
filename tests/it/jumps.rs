//! What a return or a jump leaves behind: code that runs where it is not taken. What runs how often is that of gcc and
//! gfortran, as the comments say; where data decide, a guess is named.

use crate::small::{c, fortran, function};
use crate::support::command::{analysed_text, loopsheet};
use serde_json::Value;

fn nests<'j>(json: &'j Value, name: &str) -> &'j [Value] {
    function(json, name)["nests"].as_array().expect("nests")
}

/// How often each loop of a function starts an iteration, and the probabilities that are guessed for that.
fn counted(json: &Value, name: &str) -> Vec<(f64, Vec<String>)> {
    let of = |nest: &Value| {
        let number = |key: &str| nest[key].as_f64().expect("a number");
        let guessed = nest["guessed"].as_array();
        let names = guessed.into_iter().flatten();
        let names = names.map(|name| name.as_str().expect("a name").to_string());
        (number("iterations") * number("calls"), names.collect())
    };
    nests(json, name).iter().map(of).collect()
}

#[track_caller]
fn assert_counted(json: &Value, name: &str, expected: &[(f64, &[&str])]) {
    let found = counted(json, name);
    let mut pairs = found.iter().zip(expected);
    let are_same = pairs.all(|((times, guessed), (count, names))| {
        (times - count).abs() < 1e-9 * count.max(1.0) && guessed == names
    });
    assert!(
        found.len() == expected.len() && are_same,
        "{name}: {found:?}, not {expected:?}"
    );
}

#[test]
fn what_a_jump_passes_over_runs_where_it_is_not_taken() {
    let json = c("double a[1000], b[1000], x[100];
static int first = 1;
void over(int t) {
  if (t > 3) goto out;
  a[3] = 3.0;
  for (int i = 0; i < 100; i++) a[i] = 2.0 * i;
out:
  for (int i = 0; i < 100; i++) b[i] = 2.0 * i;
}
void either(void) {
  if (x[2] > 3) goto second;
  for (int i = 0; i < 100; i++) a[i] = 2.0 * i;
  goto out;
second:
  for (int i = 0; i < 100; i++) a[i] = 3.0 * i;
out:
  b[0] = 4;
}
void to_the_end(int t) {
  if (t > 3) { b[1] = 3; goto out; }
  for (int i = 0; i < 100; i++) a[i] = 2.0 * i;
out:
  return;
}
void once(void) {
  if (!first) goto rest;
  first = 0;
  for (int i = 0; i < 100; i++) a[i] = 2.0 * i;   /* 100 */
rest:
  for (int i = 0; i < 100; i++) b[i] += a[i];     /* 1000 */
}
int main(void) {
  for (int t = 0; t < 10; t++) { x[2] = t; over(t); either(); to_the_end(t); once(); }
}
");
    assert_counted(&json, "over", &[(500.0, &["prob_over_4"]), (1000.0, &[])]);
    let both: &[&str] = &["prob_either_11"];
    let mut found = counted(&json, "either");
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert_counted(&json, "either", &[(500.0, both), (500.0, both)]);
    assert_counted(&json, "to_the_end", &[(500.0, &["prob_to_the_end_20"])]);
    assert_counted(&json, "once", &[(100.0, &[]), (1000.0, &[])]);
}

#[test]
fn what_is_behind_a_return_runs_where_it_is_not_taken() {
    let json = c("double a[1000], b[1000], x[100];
static int first = 1, tries;
void bare(void) {
  if (x[0] > 3) return;
  for (int i = 0; i < 100; i++) a[i] = 2.0 * i;
}
void with_an_arm(void) {
  if (x[0] > 3) { for (int i = 0; i < 50; i++) b[i] += 1; return; }
  for (int i = 0; i < 100; i++) a[i] = 2.0 * i;
}
void inside(void) {
  if (first) {
    for (int i = 0; i < 100; i++) a[i] = 2.0 * i;
    if (++tries < 4) return;
    first = 0;
  }
  for (int i = 0; i < 100; i++) b[i] += a[i];
}
int main(void) {
  for (int t = 0; t < 10; t++) { x[0] = t; bare(); with_an_arm(); inside(); }
}
");
    assert_counted(&json, "bare", &[(500.0, &["prob_bare_4"])]);
    let data: &[&str] = &["prob_with_an_arm_8"];
    assert_counted(&json, "with_an_arm", &[(250.0, data), (500.0, data)]);
    let (first, both): (&[&str], &[&str]) =
        (&["prob_inside_12"], &["prob_inside_12", "prob_inside_14"]);
    assert_counted(&json, "inside", &[(500.0, first), (750.0, both)]);
    let fortran = fortran(
        "module m
  real(8) :: a(1000), b(1000)
contains
  subroutine step(x)
    real(8) :: x(10)
    integer :: i
    if (x(1) > 3) return
    do i = 1, 100
      a(i) = 2.0*i
    end do
  end subroutine
end module
program p
  use m
  real(8) :: x(10)
  integer :: t
  do t = 1, 10
    x(1) = t
    call step(x)
  end do
end program
",
    );
    assert_counted(&fortran, "step", &[(500.0, &["prob_step_7"])]);
}

#[test]
fn one_probability_holds_for_both_sides_of_a_return() {
    let text = "double a[1000], b[1000], x[100];
void step(void) {
  if (x[0] > 3) { for (int i = 0; i < 100; i++) b[i] += 1; return; }
  for (int i = 0; i < 100; i++) a[i] = 2.0 * i;
}
int main(void) { for (int t = 0; t < 10; t++) step(); }
";
    let json = crate::small::analyse(&[("a.c", text)], &["prob_step_3=0.6"]);
    assert_counted(&json, "step", &[(600.0, &[]), (400.0, &[])]);
}

/// An error, an empty size, missing storage: nobody asks for the time of a run that these end.
#[test]
fn returns_that_say_that_something_is_wrong_are_not_taken() {
    let json = c("#include <stdio.h>
double a[1000];
int work(int n, double *p, double alpha, int k) {
  int err = 0;
  if (n <= 0 || alpha == 0.0) return 0;
  if (!p) return -1;
  if (k > 1000) { fprintf(stderr, \"too large\\n\"); return 1; }
  if (k < n) { err = 3; return err; }
  for (int i = 0; i < n; i++) p[i] = alpha * i;
  return err;
}
int main(int argc, char **argv) {
  if (argc > 5) { printf(\"usage\\n\"); return 1; }
  for (int t = 0; t < 10; t++) work(100, a, 2.0 + t, 200);
  return 0;
}
");
    assert_counted(&json, "work", &[(1000.0, &[])]);
    let rows = json["parameters"].as_object().expect("parameters");
    for name in ["prob_work_5", "prob_work_6", "prob_work_7", "prob_work_8"] {
        assert_eq!(rows[name]["value"].as_f64(), Some(0.0), "{name}");
    }
    let fortran = fortran(
        "subroutine solve(n, a, info)
  integer :: n, info, i
  real(8) :: a(n)
  info = 0
  if (n < 0) then
    info = -1
    call xerbla('SOLVE', 1)
    return
  end if
  if (n == 0) return
  call factor(n, a, info)
  if (info /= 0) return
  do i = 1, n
    a(i) = 2.0*i
  end do
end subroutine
subroutine factor(n, a, info)
  integer :: n, info
  real(8) :: a(n)
  info = 0
  if (a(1) == 0.0d0) info = 1
end subroutine
program p
  integer :: info
  real(8) :: a(100)
  call solve(100, a, info)
end program
",
    );
    assert_counted(&fortran, "solve", &[(100.0, &[])]);
}

/// Whether data let a loop come to its end is not known; that nothing goes wrong is expected.
#[test]
fn what_is_behind_a_loop_that_may_return_is_a_guess() {
    const SOURCE: &str = "\
double a[1000], b[1000];
int find(double x) {
  for (int i = 0; i < 1000; i++)
    if (a[i] == x) return i;
  for (int i = 0; i < 1000; i++) b[i] += x;
  return 0;
}
int check(double x) {
  for (int i = 0; i < 1000; i++)
    if (a[i] > x) { printf(\"too large\\n\"); return -1; }
  for (int i = 0; i < 1000; i++) b[i] += x;
  return 0;
}
int main(void) {
  for (int k = 0; k < 10; k++) { find(k); check(k); }
  return 0;
}
";
    let behind = |more: &[&str]| {
        let json = analysed_text("r.c", SOURCE, &[&["--no-config"], more].concat());
        let seconds = |function: usize| {
            let nest = &json["functions"][function]["nests"][1];
            nest["all_calls_seconds"].as_f64().expect("seconds")
        };
        (seconds(0), seconds(1), json["parameters"].clone())
    };
    let (find, check, parameters) = behind(&[]);
    assert_eq!(find, check);
    assert_eq!(parameters["prob_find_5"]["origin"], "guessed");
    assert!(parameters.get("prob_check_11").is_none(), "{parameters}");
    let (less, same, _) = behind(&["--set", "prob_find_5=0.25"]);
    assert_eq!((less / find, same), (0.25, check));
}

/// What stands between a loop and the label that it is left for is passed over where it is.
#[test]
fn a_jump_out_of_one_loop_passes_over_what_is_behind_it() {
    let json = c("double a[1000], b[1000];
void to_the_end(int n, int *x) {
  for (int k = 0; k < n; k++) if (x[k] > 7) goto done;
  for (int i = 0; i < 1000; i++) a[i] += b[i];
done: ;
}
void to_the_middle(int n, int *x) {
  int k = 0;
  while (k < n) {
    if (x[k] > 7) goto middle;
    k++;
  }
  for (int i = 0; i < 1000; i++) a[i] += b[i];
middle:
  for (int i = 0; i < 500; i++) a[i] = 0;
}
void in_a_switch(int n, int *x) {
  for (int k = 0; k < n; k++)
    switch (x[k]) { case 1: goto out; case 2: b[k] = 0; break; default: break; }
  for (int i = 0; i < 1000; i++) a[i] += b[i];
out:
  a[0] = 1;
}
void to_the_next(int n, int *x) {
  for (int k = 0; k < n; k++) {
    for (int j = 0; j < n; j++) if (x[j] > 7) goto next;
    for (int i = 0; i < 10; i++) a[i] += b[k];
next: ;
  }
}
int main(void) {
  int n = 100, x[100];
  to_the_end(n, x); to_the_middle(n, x); in_a_switch(n, x); to_the_next(n, x);
}
");
    let end: &[&str] = &["prob_to_the_end_4"];
    assert_counted(&json, "to_the_end", &[(100.0, &[]), (1000.0, end)]);
    let middle: &[&str] = &["prob_to_the_middle_13"];
    assert_counted(
        &json,
        "to_the_middle",
        &[(100.0, &[]), (500.0, middle), (500.0, &[])],
    );
    let last = counted(&json, "in_a_switch").pop().expect("the nest");
    assert_eq!(last, (1000.0, vec!["prob_in_a_switch_20".to_string()]));
    let next: &[&str] = &["prob_to_the_next_27"];
    assert_counted(&json, "to_the_next", &[(10000.0, &[]), (500.0, next)]);
}

/// Where known sizes decide that a loop returns, nothing behind it runs.
#[test]
fn nothing_runs_behind_a_loop_that_certainly_returns() {
    const SOURCE: &str = "double a[1000], b[1000];
void reached(int n) {
  for (int k = 0; k < n; k++) { if (k == 5) return; b[k] = 1; }
  for (int i = 0; i < 1000; i++) a[i] += b[i];
}
void too_far(int n) {
  for (int k = 0; k < n; k++) if (k == 500) return;
  for (int i = 0; i < 1000; i++) a[i] += b[i];
}
void left_before(int n, int *x) {
  for (int k = 0; k < n; k++) { if (x[k]) break; if (k == 5) return; }
  for (int i = 0; i < 1000; i++) a[i] += b[i];
}
void downwards(int n) {
  for (int k = n - 1; k >= 0; k--) if (k < 3) goto out;
  for (int i = 0; i < 1000; i++) a[i] += b[i];
out:
  a[0] = 1;
}
int main(void) {
  int n = 100, x[100];
  reached(n); too_far(n); left_before(n, x); downwards(n);
}
";
    let json = c(SOURCE);
    let behind = |json: &Value, name: &str| counted(json, name).pop().expect("a nest");
    let guess = |name: &str| (1000.0, vec![name.to_string()]);
    assert_eq!(behind(&json, "reached"), (0.0, vec![]));
    assert_eq!(behind(&json, "too_far"), guess("prob_too_far_8"));
    assert_eq!(behind(&json, "left_before"), guess("prob_left_before_12"));
    assert_eq!(behind(&json, "downwards"), (0.0, vec![]));
    let json = crate::small::analyse(&[("a.c", SOURCE)], &["n=4"]);
    assert_eq!(behind(&json, "reached"), guess("prob_reached_4"));
}

/// Every guess that time rests on is named: below the table, with the nest, and among the parameters.
#[test]
fn guessed_probabilities_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("r.c");
    let source = "double a[1000], b[1000];
void r(int n, int *x) {
  for (int k = 0; k < n; k++) if (x[k] > 7) return;
  if (x[0]) for (int i = 0; i < 1000; i++) a[i] += b[i];
}
int main(void) { int n = 100, x[100]; r(n, x); }
";
    std::fs::write(&file, source).expect("a file");
    let path = file.to_str().expect("a path");
    let said = |arguments: &[&str]| {
        let all = [arguments, &[path, "--no-config"]].concat();
        let output = loopsheet().args(all).output().expect("it runs");
        String::from_utf8(output.stdout).expect("text")
    };
    let named = "probabilities guessed, by influence on the 2 costliest nests: \
                 prob_r_4 = 1 (in 1), prob_r_4_2 = 0.5 (in 1)";
    let text = said(&["analyze"]);
    assert!(text.contains(named), "{text}");
    let text = said(&["analyze", "--explain", "r@4"]);
    let named = "probabilities guessed: prob_r_4 = 1, prob_r_4_2 = 0.5; set them with --set";
    assert!(text.contains(named), "{text}");
    let text = said(&["parameters"]);
    let named = "guessed: if (the procedure has not returned)";
    assert!(text.contains(named), "{text}");
}

/// A jump out of several loops ends those between, too: each may have fewer iterations than its bounds say.
#[test]
fn a_jump_out_of_several_loops_leaves_each_of_them() {
    let exits = |json: &Value, name: &str| -> Vec<bool> {
        let loops = function(json, name)["loops"].as_array().expect("loops");
        let is_left = |one: &Value| one["exits_early"] == true;
        loops.iter().map(is_left).collect()
    };
    let json = c("void again(int n, int m, double *a) {
  int i, j, k;
again:
  for (i = 0; i < n; i++) a[i] += 1;
  for (i = 0; i < n; i++)
    for (j = 0; j < m; j++)
      for (k = 0; k < 3; k++)
        if (a[i] > a[j + k]) goto again;
}
");
    assert_eq!(exits(&json, "again"), [false, false, true, true, true]);
    let json = fortran(
        "subroutine next(n, m, a)
  integer n, m, i, j, k, it
  real a(*)
  outer: do it = 1, 10
    do i = 1, n
      do j = 1, m
        do k = 1, 3
          if (a(i) > a(j + k)) cycle outer
        end do
      end do
    end do
    a(it) = 0
  end do outer
end subroutine
",
    );
    assert_eq!(exits(&json, "next"), [false, true, true, true]);
}
