//! Probabilities of branches that data decide, where what stands in them says something of it.

use crate::small::{c, calls, fortran};

const SHOW: &str = "
subroutine show(x)
  real(8) :: x(1000)
  integer :: i
  do i = 1, 1000
    x(i) = x(i) + 1
  end do
end subroutine
";

/// What stands behind a condition in two loops of 50 and 100 iterations.
fn in_two_loops(then: &str) -> f64 {
    let json = fortran(&format!(
        "{SHOW}
subroutine look(x, y)
  real(8) :: x(1000), y(100, 50)
  integer :: i, j
  do j = 1, 50
    do i = 1, 100
      if (y(i, j) > 3) then
        {then}
      end if
    end do
  end do
end subroutine
program p
  real(8) :: x(1000), y(100, 50)
  read *, y
  call look(x, y)
end program"
    ));
    calls(&json, "show")
}

/// `exit` leaves the inner loop, which runs 50 times; `return` both, which run once.
#[test]
fn what_leaves_a_loop_runs_at_most_once_in_each_run_of_it() {
    let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{found}");
    near(in_two_loops("call show(x); exit"), 50.0);
    near(in_two_loops("call show(x); return"), 1.0);
    near(in_two_loops("call show(x); stop"), 1.0);
    // What goes on is what is left: 99 of 100 in each of 50.
    near(
        in_two_loops("call show(x)\n      else\n        exit"),
        50.0 * 99.0,
    );
    // Nothing leaves, or either way does: nothing is known.
    near(in_two_loops("call show(x)"), 2500.0);
}

/// Of N values in any order, 1 + 1/2 + … + 1/N are larger than all before.
#[test]
fn the_largest_so_far_is_replaced_as_often_as_records_occur() {
    let harmonic: f64 = (1..=1024).map(|k| 1.0 / f64::from(k)).sum();
    let found = |kept: &str| {
        let json = fortran(&format!(
            "{SHOW}
program p
  real(8) :: x(1000), y(1024), most, other(1024)
  integer :: i
  read *, y
  most = 0
  do i = 1, 1024
    if (abs(y(i)) > {kept}) then
      {kept} = abs(y(i))
      call show(x)
    end if
  end do
end program"
        ));
        calls(&json, "show")
    };
    assert!(
        (found("most") - harmonic).abs() < 1e-3 * harmonic,
        "{}",
        found("most")
    );
    // One of each: each is compared with its own, once.
    assert_eq!(found("other(i)"), 512.0);
}

const POTENTIALS: &str = "
#include <stdlib.h>
struct potential { int (*force)(double *x, int n); };
static int eam(double *x, int n) { for (int i = 0; i < 1000; i++) x[i] = 2 * x[i]; return 0; }
static int lj(double *x, int n) { for (int i = 0; i < 1000; i++) x[i] = 3 * x[i]; return 0; }
void use_eam(struct potential *p) { p->force = eam; }
void use_lj(struct potential *p) { p->force = lj; }
";

/// Calls of the two functions behind a pointer.
fn potentials(main: &str) -> (f64, f64) {
    let json = c(&format!("{POTENTIALS}{main}"));
    (calls(&json, "eam"), calls(&json, "lj"))
}

#[test]
fn a_pointer_means_what_it_has_been_given() {
    let run = "for (int t = 0; t < 10; t++) p.force(x, 1000); return 0; }";
    let both = "
int main(void) {
  double x[1000]; struct potential p; int with_eam = 0;";
    let chosen = format!("{both} if (with_eam) use_eam(&p); else use_lj(&p); {run}");
    assert_eq!(potentials(&chosen), (0.0, 10.0));
    // Both are given: either may be meant.
    let twice = format!("{both} use_eam(&p); use_lj(&p); {run}");
    assert_eq!(potentials(&twice), (10.0, 10.0));
    // Nothing calls what gives one of them: nobody knows who does.
    let once = format!("{both} use_lj(&p); {run}");
    assert_eq!(potentials(&once), (10.0, 10.0));
}

/// What ends the program in loops does so once in a run, not once in each call.
#[test]
fn what_ends_the_program_in_loops_does_so_once() {
    let json = fortran(&format!(
        "{SHOW}
subroutine look(x, y)
  real(8) :: x(1000), y(100)
  integer :: i
  do i = 1, 100
    if (y(i) > 3) then
      call show(x)
      stop
    end if
  end do
end subroutine
subroutine find(x, y)
  real(8) :: x(1000), y(100)
  integer :: i
  do i = 1, 100
    if (y(i) > 3) then
      call found(x)
      exit
    end if
  end do
end subroutine
subroutine found(x)
  real(8) :: x(1000)
  integer :: i
  do i = 1, 1000
    x(i) = x(i) + 1
  end do
end subroutine
program p
  real(8) :: x(1000), y(100)
  integer :: t
  read *, y
  do t = 1, 10
    call look(x, y)
    call find(x, y)
  end do
end program"
    ));
    assert!((calls(&json, "show") - 1.0).abs() < 1e-9);
    // Each call may leave its loop.
    assert!((calls(&json, "found") - 10.0).abs() < 1e-9);
}

/// A run comes to `stop` once at most, however often the procedure is called; what goes on always does.
#[test]
fn a_procedure_that_ends_the_program_does_so_in_none_of_its_calls() {
    let calls_of = |check: &str| {
        let json = fortran(&format!(
            "{SHOW}
subroutine check(x, n)
  real(8) :: x(1000)
  integer :: n
  {check}
end subroutine
program p
  real(8) :: x(1000)
  integer :: n
  read *, x
  do n = 1, 100
    call check(x, n)
  end do
end program"
        ));
        calls(&json, "show")
    };
    let ends = "if (sum(x) < 1d-9) then\n call show(x)\n stop\n end if";
    assert_eq!(calls_of(ends), 0.0);
    let goes_on = "if (sum(x) < 1d-9) then\n stop\n else\n call show(x)\n end if";
    assert_eq!(calls_of(goes_on), 100.0);
    assert_eq!(calls_of("if (sum(x) < 1d-9) call show(x)"), 50.0);
}

/// What ends the program does so once at most: `exit`, a procedure that comes to one, and whatever stands behind it.
#[test]
fn what_ends_the_program_runs_once_in_c_as_in_fortran() {
    let with = |branch: &str| {
        let json = c(&format!(
            "#include <stdlib.h>
void abort_run(int code) {{ if (code < 0) code = 1; exit(code); }}
void returns(int code) {{ if (code < 0) return; exit(code); }}
void show(double *x) {{ for (int i = 0; i < 1000; i++) x[i] += 1; }}
void look(double *x, int *k) {{
  for (int j = 0; j < 50; j++)
    for (int i = 0; i < 100; i++) {{ {branch} }}
}}
int main(void) {{ static double x[1000]; static int k[100]; look(x, k); }}"
        ));
        calls(&json, "show")
    };
    let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-6, "{found}");
    near(with("if (k[i] > 3) { show(x); exit(1); }"), 1.0);
    near(with("if (k[i] > 3) { show(x); exit(1);; }"), 1.0);
    near(with("if (k[i] > 3) { show(x); abort_run(k[i]); }"), 1.0);
    // In an arm of a choice, too, and on the other side.
    near(
        with("if (k[i] == 3) x[i] = 1;\n else if (k[i] == 4) show(x);\n else abort();"),
        2499.0,
    );
    // It may come back.
    near(with("if (k[i] > 3) { show(x); returns(k[i]); }"), 2500.0);
}

/// No run leaves a file for each of the iterations in which something is found.
#[test]
fn a_branch_that_opens_a_file_to_write_is_rare() {
    let looked = |inside: &str| {
        let json = fortran(&format!(
            "{SHOW}
subroutine save(x)
  real(8) :: x(1000)
  open (7, file = 'part.out')
  write (7, *) x(1)
  call show(x)
  close (7)
end subroutine
subroutine load(x)
  real(8) :: x(1000)
  open (7, file = 'part.in')
  read (7, *) x
  call show(x)
  close (7)
end subroutine
program p
  real(8) :: x(1000), y(256)
  integer :: i
  read *, y
  do i = 1, 256
    {inside}
  end do
end program"
        ));
        calls(&json, "show")
    };
    assert_eq!(looked("if (y(i) > 3) call save(x)"), 2.0);
    assert_eq!(
        looked("if (y(i) > 3) then; y(i) = 1; else; call save(x); end if"),
        2.0
    );
    assert_eq!(looked("if (y(i) > 3) call load(x)"), 128.0);
    assert_eq!(looked("call save(x)"), 256.0);
}
