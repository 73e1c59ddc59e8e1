//! What real numbers of the program decide in a first run, what loops pass of their variables, and how many kinds of something
//! there are; figures by hand.

use serde_json::Value;

use crate::small::{c, calls, fortran, iterations};

/// How often `late` is called, in a program with a coefficient.
fn late(declared: &str, before: &str, steps: &str) -> f64 {
    let json = c(&format!(
        "
#include <stdio.h>
#include <stdlib.h>
{declared}
double x[1000];
void elsewhere(double *value);
static void late(void) {{ for (int i = 0; i < 1000; i++) x[i] += 1.0; }}
static void apply(double c) {{ if (c > 0.) late(); }}
int main(int argc, char **argv) {{
  {before}
  for (int step = 0; step < 100; step++) {{ {steps} }}
  printf(\"%g\\n\", x[3]);
  return 0;
}}"
    ));
    calls(&json, "late")
}

/// A real number that statements give once decides branches, also as an argument and as a named constant.
#[test]
fn real_numbers_that_the_program_gives_decide_branches() {
    let global = "static double coef;";
    assert_eq!(late(global, "coef = 3.0;", "apply(coef);"), 100.0);
    assert_eq!(late(global, "coef = -3.0;", "apply(coef);"), 0.0);
    let copied = "double c = coef; if (c > 0.) late();";
    assert_eq!(late(global, "coef = 3.0;", copied), 100.0);
    let made = "if (2.0*coef - 7 > 0.) late();";
    assert_eq!(late(global, "coef = 3.0;", made), 0.0);
    assert_eq!(late(global, "coef = 4.0;", made), 100.0);
    // Of members, which structure is asked is not followed.
    let member = "static struct { double c; int n; } all;";
    assert_eq!(
        late(member, "all.c = 0.5;", "if (all.c >= 0.5) late();"),
        50.0
    );
    let both = "static const double coef = 2.0;";
    assert_eq!(late(both, "", "if (coef > 1.0 && coef < 2.0) late();"), 0.0);
}

/// What a number begins with counts where something asks for it before it is given another value: which of the two it has is
/// not known.
#[test]
fn numbers_that_have_two_values_decide_nothing() {
    let global = "static double coef = -1;";
    let before = "for (int step = 0; step < 4; step++) apply(coef); coef = 2;";
    assert_eq!(late(global, before, ""), 2.0);
    let zero = "static double coef;";
    assert_eq!(late(zero, before, ""), 2.0);
    let by_address = "static double coef; static void set(double *c) { *c = 2; }";
    let steps = "if (coef > 0) late();";
    assert_eq!(late(by_address, "", &format!("{steps} set(&coef);")), 50.0);
    // Nor do those of which another structure of the type has another.
    let both = "static struct S { int m; double c; } one = {1, 0.5}, other;";
    for asked in ["one.m == 1", "one.c > 0.1"] {
        let steps = format!("if ({asked}) late();");
        assert_eq!(late(both, "other.m = 2; other.c = 0;", &steps), 50.0);
    }
    let zero = "static struct S { int m; } only;";
    let before = "if (only.m != 0) late(); only.m = -1;";
    assert_eq!(late(zero, before, ""), 0.5);
}

/// Four bytes hold a little more than a tenth.
#[test]
fn real_numbers_are_compared_as_their_types_hold_them() {
    let single = "static float coef = 0.1f;";
    assert_eq!(late(single, "", "if (coef > 0.1) late();"), 100.0);
    assert_eq!(late(single, "", "if (coef > 0.1f) late();"), 0.0);
    let json = fortran(
        "
program p
  real :: coef = 0.1
  real(8) :: wide = 0.1d0
  real(8) :: x(1000)
  x = 0
  if (coef > 0.1d0) call first(x)
  if (wide > 0.1d0) call second(x)
  print *, x(3)
contains
  subroutine first(x)
    real(8) :: x(1000)
    integer :: i
    do i = 1, 1000
      x(i) = x(i) + 1
    end do
  end subroutine
  subroutine second(x)
    real(8) :: x(1000)
    integer :: i
    do i = 1, 1000
      x(i) = x(i) + 1
    end do
  end subroutine
end program",
    );
    assert_eq!((calls(&json, "first"), calls(&json, "second")), (1.0, 0.0));
}

/// In Fortran, too, what a variable begins with counts where a statement under a condition gives it another value.
#[test]
fn real_numbers_that_fortran_begins_with_count() {
    let late = |before: &str| {
        let json = fortran(&format!(
            "
module m
  real(8) :: coef = 1.0d0
end module
program p
  use m
  real(8) :: x(1000)
  read *, x
  {before}
  if (coef > 0) call late(x)
  print *, x(3)
end program
subroutine late(x)
  real(8) :: x(1000)
  integer :: i
  do i = 1, 1000
    x(i) = x(i) + 1
  end do
end subroutine"
        ));
        calls(&json, "late")
    };
    assert_eq!(late(""), 1.0);
    assert_eq!(late("if (x(2) > 0.5) coef = -1"), 0.5);
    assert_eq!(late("coef = -1"), 0.0);
}

/// What has several values, or may get others, decides nothing: such a branch is taken in half of the steps.
#[test]
fn real_numbers_that_may_change_decide_nothing() {
    let global = "static double coef;";
    let open = |before: &str, steps: &str| {
        let taken = late(global, before, steps);
        assert!(taken > 0.0 && taken < 100.0, "{before} {steps}: {taken}");
    };
    let taken = "if (coef > 0.) late();";
    open("coef = 0.0;", &format!("{taken} coef += 0.1;"));
    open(
        "coef = 0.0;",
        &format!("{taken} if (x[step] > coef) coef = x[step];"),
    );
    open("coef = 0.0;", &format!("coef = 1.0 - coef; {taken}"));
    open("coef = 1.0; elsewhere(&coef);", taken);
    open("coef = 1.0; double *other = &coef; *other = x[7];", taken);
    open("if (scanf(\"%lf\", &coef) != 1) return 1;", taken);
    open(
        "coef = 1.0;",
        &format!("{taken} if (step > 50) coef = -1.0;"),
    );
    // What is read has its own default only where nothing else gives it values.
    let read = "coef = 2.0; if (argc > 1) scanf(\"%lf\", &coef);";
    assert_eq!(late(global, read, taken), 100.0);
    open(read, &format!("{taken} coef += 0.1;"));
    // It keeps what it begins with, or not.
    let begun = "static double coef = 1.0;";
    let kept = late(begun, "if (x[2] > 0.5) coef = -1.0;", taken);
    assert!(kept > 0.0 && kept < 100.0, "{kept}");
    // It begins with zero, and some of the steps come before it is set.
    open("", &format!("{taken} coef = 1.0;"));
    // Different calls pass different numbers: of 200 calls, one half.
    let both = late(global, "", "apply(1.0); apply(-1.0);");
    assert!(both > 0.0 && both < 200.0, "{both}");
}

/// A loop that calls passes its own range, whatever other loops count by the same variable.
#[test]
fn arguments_that_loops_count_have_the_range_of_the_loop_around() {
    let of_stage = |main: &str| -> Vec<f64> {
        let json = c(&format!(
            "
#include <stdio.h>
double x[5000];
static void stage(int m) {{ for (int j = 0; j < m; j++) x[j] += 1.0; }}
int main(void) {{
  int i, k;
  {main}
  printf(\"%g\\n\", x[3]);
  return 0;
}}"
        ));
        iterations(&json, "stage")
    };
    let up = "for (i = 0; i < 5000; i++) x[i] = 0.0; for (i = 1; i <= 8; i++) stage(i);";
    assert_eq!(of_stage(up), [8.0]);
    let down = "for (i = 0; i < 5000; i++) x[i] = 0.0; for (i = 12; i >= 1; i--) stage(i);";
    assert_eq!(of_stage(down), [12.0]);
    let before = "i = 4000; x[i] = 1.0; for (i = 1; i <= 8; i++) stage(i);";
    assert_eq!(of_stage(before), [8.0]);
    // Of two such calls, the largest; outside of loops, whatever the variable has.
    let two = "for (i = 1; i <= 8; i++) stage(i); for (i = 0; i < 5000; i++) x[i] = 0.0;
               for (i = 1; i <= 30; i++) for (k = 0; k < 3; k++) stage(i);";
    assert_eq!(of_stage(two), [30.0]);
    // What the loop changes itself is not followed.
    let changed =
        "for (i = 0; i < 5000; i++) x[i] = 0.0; for (i = 1; i <= 8; i++) { i = 2*i; stage(i); }";
    assert!(of_stage(changed)[0] > 8.0);
}

/// A program that fills a grid by states, of which a table says something, or that has the states as a dimension.
fn of_states(filled: &str, inside: i64) -> Value {
    fortran(&format!(
        "
program p
  integer, parameter :: m = {inside}
  integer :: i, j, k, n
  integer, allocatable :: at(:)
  real(8), allocatable :: density(:), low(:), u(:,:), v(:,:,:)
  read *, n
  allocate (density(n), low(n), at(n), u(m, m), v(m, m, n))
  read *, density, low, at
  do k = 1, n
    do j = 1, m
      do i = 1, m
        {filled}
      end do
    end do
  end do
  print *, u(1, 1), v(1, 1, 1)
end program"
    ))
}

/// Loops that go through whole grids for each of some kinds have eight of them.
#[test]
fn tables_beside_grids_count_kinds() {
    let table = "if (i*j > low(k)) u(i, j) = density(k)";
    let filled = |json: &Value, count: f64| iterations(json, "p").contains(&count);
    let kinds = of_states(table, 960);
    assert!(
        filled(&kinds, 8.0 * 960.0 * 960.0),
        "{:?}",
        iterations(&kinds, "p")
    );
    assert_eq!(kinds["parameters"]["n"]["origin"], "guessed");
    // Of places there may be many.
    let places = of_states("u(at(k), j) = low(k)", 960);
    assert!(filled(&places, 128.0 * 960.0 * 960.0));
    // As a dimension of the grid it may be as long as any.
    let layers = of_states("v(i, j, k) = density(k)", 960);
    assert!(filled(&layers, 128.0 * 960.0 * 960.0));
    // Around few places, such as the cells that a particle touches, there may be many.
    let particles = of_states(table, 3);
    assert!(filled(&particles, 128.0 * 3.0 * 3.0));
}
