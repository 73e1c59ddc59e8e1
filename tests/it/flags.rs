//! Flags that are written in ways that are not all known, or asked for by several procedures: counted right, or the guess
//! is named. How often each loop runs is what gcc and gfortran count.

use crate::small::{c, fortran, function};
use serde_json::Value;

/// Iterations of the first nest of a function in a run, where nothing is guessed for them.
fn certain(json: &Value, name: &str) -> Option<f64> {
    let nest = &function(json, name)["nests"][0];
    let number = |key: &str| nest[key].as_f64().expect("a number");
    let is_guess = nest["guessed"]
        .as_array()
        .is_some_and(|all| !all.is_empty());
    (!is_guess).then(|| number("iterations") * number("calls"))
}

#[track_caller]
fn assert_certain(json: &Value, name: &str, expected: f64) {
    let found = certain(json, name);
    assert!(
        found.is_some_and(|found| (found - expected).abs() < 1e-9 * expected.max(1.0)),
        "{name}: {found:?}, not {expected}"
    );
}

#[track_caller]
fn assert_open(json: &Value, name: &str) {
    assert_eq!(certain(json, name), None, "{name} is certain");
}

const STEP: &str = "
  if (!done) {
    for (int i = 0; i < 100; i++) a[i] = 2.0 * i;
    done = 1;
  }
}
";

/// 300 each.
#[test]
fn a_flag_that_is_written_through_its_address_is_open() {
    let run = "for (int t = 0; t < 10; t++) step(); } }";
    let with = |before: &str, reset: &str| {
        c(&format!(
            "#include <string.h>
double a[1000];
static int done = 0;
{before}
void step(void) {{ {STEP}
int main(void) {{ int *q[2]; q[0] = 0;
  for (int r = 0; r < 3; r++) {{ {reset} {run}"
        ))
    };
    for (before, reset) in [
        ("int *fp = &done;", "*fp = 0;"),
        ("int *fp;", "fp = &done; *fp = 0;"),
        ("", "q[0] = &done; q[0][0] = 0;"),
        ("", "memset(&done, 0, sizeof done);"),
        (
            "void clear(void *p, int n) { memset(p, 0, n); }",
            "clear(&done, sizeof done);",
        ),
    ] {
        assert_open(&with(before, reset), "step");
    }
    assert_certain(&with("", ""), "step", 100.0);
}

/// 300 each.
#[test]
fn a_flag_with_other_names_is_open() {
    let step = "contains
  subroutine step()
    integer :: i
    if (first) then
      do i = 1, 100
        a(i) = 2.0*i
      end do
      first = .false.
    end if
  end subroutine
end module
program p
  use m
  integer :: t, r
";
    let run = "
    do t = 1, 10
      call step()
    end do
  end do
end program
";
    let pointer = format!(
        "module m
  real(8) :: a(1000)
  logical, target :: first = .true.
  logical, pointer :: fp => null()
{step}  fp => first
  do r = 1, 3
    fp = .true.{run}"
    );
    assert_open(&fortran(&pointer), "step");
    let equivalence = format!(
        "module m
  real(8) :: a(1000)
  logical :: first = .true.
  integer :: ifirst
  equivalence (first, ifirst)
{step}  do r = 1, 3
    ifirst = 1{run}"
    );
    assert_open(&fortran(&equivalence), "step");
    let element = format!(
        "module m
  real(8) :: a(1000)
  logical :: first(2) = .true.
{}  do r = 1, 1{run}",
        step.replace("(first)", "(first(1))")
            .replace("first = .false.", "first(1) = .false.")
    );
    assert_open(&fortran(&element), "step");
    let renamed = format!(
        "module flags
  logical :: needed = .true.
end module
module m
  use flags, only: first => needed
  real(8) :: a(1000)
{}  do r = 1, 3
    needed = .true.{run}",
        step.replace("  use m\n", "  use m, only: step\n  use flags\n")
    );
    let json = fortran(&renamed);
    assert!(certain(&json, "step").is_none_or(|found| found == 300.0));
    let common = "program p
  logical :: again
  real(8) :: a(1000)
  common /c/ a, again
  integer :: t, r
  do r = 1, 3
    again = .true.
    do t = 1, 10
      call step()
    end do
  end do
end program
subroutine step()
  logical :: first
  integer :: i
  real(8) :: a(1000)
  common /c/ a, first
  if (first) then
    do i = 1, 100
      a(i) = 2.0*i
    end do
    first = .false.
  end if
end subroutine
block data
  logical :: first
  real(8) :: a(1000)
  common /c/ a, first
  data first /.true./
end block data
";
    assert_open(&fortran(common), "step");
}

#[test]
fn what_a_setter_is_passed_is_what_it_assigns() {
    let json = c("double a[1000], b[1000];
static int state = 0, mode = 0;
static inline void set_state(int s) { state = s; }
void set_mode(int m) { mode = m; }
void step(void) {
  if (state == 0) {
    for (int i = 0; i < 100; i++) a[i] = 2.0 * i;   /* 100 */
    set_state(1);
  }
}
void other(void) {
  if (mode == 0)
    for (int i = 0; i < 100; i++) a[i] = 2.0 * i;   /* 1000 */
}
int main(void) {
  for (int t = 0; t < 10; t++) { step(); other(); }
  set_mode(1);
  for (int t = 0; t < 10; t++) other();
}
");
    assert_certain(&json, "step", 100.0);
    assert_open(&json, "other");
}

#[test]
fn a_flag_that_is_set_under_a_condition_or_midway_is_open() {
    let json = c("double a[1000];
int ready, tries;
static int phase;
void init(void) {
  for (int i = 0; i < 100; i++) a[i] = 2.0 * i;     /* 400 */
  tries++;
  if (tries > 3) ready = 1;
}
void step(void) { if (!ready) init(); }
void late(void) {
  if (phase)
    for (int i = 0; i < 100; i++) a[i] += 2.0 * i;  /* 2000 */
}
int main(void) {
  for (int t = 0; t < 10; t++) { step(); late(); }
  phase = 1;
  for (int t = 0; t < 20; t++) late();
}
");
    let init = &function(&json, "init")["nests"][0];
    assert!(init["calls"].as_f64().expect("calls") > 0.0);
    assert_open(&json, "late");
}

#[test]
fn of_several_that_ask_the_first_one_takes_the_branch() {
    let json = c("double a[1000], b[1000];
static int inited, first = 1, off = 1;
static void init(void) {
  for (int i = 0; i < 100; i++) a[i] = 2.0 * i;          /* 100 */
  inited = 1;
}
void api1(void) { if (!inited) init(); b[1] = 1; }
void api2(void) { if (!inited) init(); b[2] = 1; }
void s1(void) {
  if (first) { for (int i = 0; i < 100; i++) a[i] = i; first = 0; }   /* 100 */
}
void s2(void) {
  if (first) { for (int i = 0; i < 100; i++) b[i] = i; first = 0; }   /* 0 */
}
void s3(void) {
  if (off) { for (int i = 0; i < 100; i++) b[i] = i; off = 0; }       /* 0 */
}
int main(void) {
  off = 0;
  for (int t = 0; t < 10; t++) { api1(); api2(); s1(); s2(); s3(); }
}
");
    assert_certain(&json, "init", 100.0);
    assert_certain(&json, "s1", 100.0);
    assert_certain(&json, "s2", 0.0);
    assert_certain(&json, "s3", 0.0);
    let perhaps = c("double a[1000];
static int first = 1;
void s1(void) {
  if (first) { for (int i = 0; i < 100; i++) a[i] = i; first = 0; }
}
int main(int argc, char **argv) {
  if (argc > 1) first = 0;
  for (int t = 0; t < 10; t++) s1();
}
");
    assert_open(&perhaps, "s1");
}

/// 2000 iterations: 100 in each of ten calls, and 1000 in the last.
#[test]
fn a_size_that_changes_midway_is_marked() {
    let json = c("double a[1000];
static int n = 100;
void set_n(int m) { n = m; }
void step(void) { for (int i = 0; i < n; i++) a[i] = 2.0 * i; }
int main(void) {
  for (int t = 0; t < 10; t++) step();
  set_n(1000);
  step();
}
");
    let reasons = &function(&json, "step")["nests"][0]["reasons"];
    let reasons = reasons.as_array().expect("reasons");
    assert!(
        reasons.iter().any(|one| one == "several_sizes"),
        "{reasons:?}"
    );
}

#[test]
fn a_nest_that_a_condition_leaves_out_needs_no_sizes() {
    let json = fortran(
        "program p
  integer :: k, mode, i
  real(8) :: u(100), length
  mode = 1
  read(*, *) length
  k = nint(length)
  if (mode == 2) then
    do i = 1, k
      u(i) = 1.0d0
    end do
  end if
end program
",
    );
    let nest = &function(&json, "p")["nests"][0];
    assert_eq!(nest["iterations"], 0.0);
    let reasons = nest["reasons"].as_array().expect("reasons");
    assert!(
        reasons.iter().all(|one| one != "implausible_size"),
        "{reasons:?}"
    );
}
