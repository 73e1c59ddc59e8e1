//! Code behind switches that nothing says are on: what input would say, and what runs every so many steps.

use crate::small::{analyse, calls, fortran, iterations};

const BODIES: &str = "
subroutine show(x)
  real(8) :: x(1000)
  integer :: i
  do i = 1, 1000
    x(i) = x(i) + 1
  end do
end subroutine
subroutine work(x)
  real(8) :: x(1000)
  integer :: i
  do i = 1, 1000
    x(i) = 2 * x(i)
  end do
end subroutine
";

/// Without the file, all elements are zero.
#[test]
fn elements_that_a_file_gives_or_the_program_have_what_the_program_gives() {
    let json = fortran(&format!(
        "{BODIES}
program p
  integer :: debug(0:7), i, status
  real(8) :: x(1000)
  open (7, file='absent.in', status='old', iostat=status)
  if (status == 0) then
    read (7, *) (debug(i), i = 0, 7)
  else
    do i = 0, 7
      debug(i) = 0
    end do
  end if
  do i = 1, 10
    if (debug(0) >= 1) call show(x)
    if (debug(1) < 1) call work(x)
  end do
end program"
    ));
    assert_eq!((calls(&json, "show"), calls(&json, "work")), (0.0, 10.0));
}

/// What limits what is read is no value that it has without input.
#[test]
fn a_limit_of_what_is_read_decides_nothing() {
    let json = fortran(&format!(
        "{BODIES}
program p
  integer :: n
  real(8) :: x(1000)
  read *, n
  if (n > 3) n = 3
  if (n == 3) call show(x)
  if (n /= 3) call work(x)
end program"
    ));
    assert_eq!((calls(&json, "show"), calls(&json, "work")), (0.5, 0.5));
}

/// Every tenth step by the input, every hundredth by the program's own formula; what counts is passed on.
#[test]
fn output_every_so_many_steps_runs_once_in_so_many_times() {
    let source = format!(
        "{BODIES}
module settings
  integer :: every = 10, rare
end module
subroutine report(step, x)
  integer :: step
  real(8) :: x(1000)
  if (mod(step, 50) == 0) call work(x)
end subroutine
program p
  use settings
  integer :: step
  real(8) :: x(1000)
  namelist /run/ every
  read (*, nml=run)
  rare = 10 * every
  do step = 1, 1000
    if (mod(step, rare) == 0) call show(x)
    call report(step, x)
  end do
end program"
    );
    let calls_of = |settings: &[&str]| {
        let json = analyse(&[("a.f90", &source)], settings);
        (calls(&json, "show"), calls(&json, "work"))
    };
    // 1000/(10·10) and 1000/50.
    assert_eq!(calls_of(&[]), (10.0, 20.0));
    assert_eq!(calls_of(&["every=20"]), (5.0, 20.0));
}

/// An argument that is the same in all calls is a multiple or is not.
#[test]
fn a_size_that_is_passed_is_no_count() {
    let json = fortran(&format!(
        "{BODIES}
subroutine choose(n, x)
  integer :: n
  real(8) :: x(1000)
  if (mod(n, 4) == 0) call work(x)
end subroutine
program p
  real(8) :: x(1000)
  integer :: n
  read *, n
  call choose(n, x)
  call show(x)
end program"
    ));
    assert_eq!(calls(&json, "work"), 0.5);
}

const OPTIONS: &str = "
module options
  integer :: opt, a, b
  logical :: flag
  namelist /g/ opt, a, b, flag
end module
subroutine solve(x, k)
  use options
  integer :: k, n, m
  real(8) :: x(1000)
  select case (opt)
  case (1)
    call show(x)
  case (2:4, 7)
    call work(x)
  case default
    call other(x)
  end select
  select case (k)
  case (:1)
    call show(x)
  case (3:)
    call work(x)
  end select
  if (a == 1 .and. b > 2) call show(x)
  if (flag .and. (a == 5 .or. b < 7)) call work(x)
  if (a + 1 == 2 .and. opt*b /= 9) call other(x)
  if (.not. flag .or. (a == 1 .neqv. b == 3)) call other(x)
  if (opt == 3) then; n = 50; else; n = 500; end if
  call sized(x, n)
  if (flag) then; m = 60; else; m = 600; end if
  call sized2(x, m)
end subroutine
";

/// Values that the source has, the input gives or the user sets decide conditions made of several, and cases.
#[test]
fn known_options_decide_compound_conditions_and_cases() {
    let of = |name: &str, bound: &str| {
        format!(
            "
subroutine {name}(x{passed})
  real(8) :: x(1000)
  integer :: i, n
  do i = 1, {bound}
    x(i) = 3 * x(i)
  end do
end subroutine
",
            passed = if bound == "n" { ", n" } else { "" }
        )
    };
    let bodies = [
        BODIES,
        &of("other", "1000"),
        &of("sized", "n"),
        &of("sized2", "n"),
    ]
    .concat();
    let source = |gives: &str| {
        format!(
            "{bodies}{OPTIONS}
program p
  use options
  real(8) :: x(1000)
  {gives}
  call solve(x, opt)
end program"
        )
    };
    let assigned = source("opt = 3; a = 1; b = 3; flag = .true.");
    let read = source("read (*, nml = g)");
    let file = ("run.nml", "&g opt = 3, a = 1, b = 3, flag = .true. /\n");
    let opened = read.replace("read (*,", "open (10, file='run.nml')\n  read (10,");
    let runs = [
        analyse(&[("a.f90", &assigned)], &[]),
        analyse(&[("a.f90", &opened), file], &[]),
        analyse(&[("a.f90", &read)], &["opt=3,a=1,b=3,flag=1"]),
    ];
    for (json, way) in runs.iter().zip(["assigned", "read", "set"]) {
        let calls = ["show", "work", "other"].map(|name| calls(json, name));
        assert_eq!(calls, [1.0, 3.0, 0.0], "{way}");
        assert_eq!(iterations(json, "sized"), [50.0], "{way}");
        assert_eq!(iterations(json, "sized2"), [60.0], "{way}");
    }
    // What is not known is taken half of the time, and the condition says which one it is.
    let json = analyse(&[("a.f90", &read)], &["opt=3,b=3,flag=1"]);
    assert_eq!(calls(&json, "show"), 0.5);
    let line = 1 + read
        .lines()
        .position(|line| line.contains("a == 1 .and."))
        .expect("a line");
    let probability = &json["parameters"][format!("prob_solve_{line}")];
    assert_eq!(probability["origin"], "guessed");
}

/// Arms in one line are told apart where what the program has decides them.
#[test]
fn cases_of_c_in_one_line_or_several() {
    let source = |breaks: &str| {
        "
double x[1000];
void show(void) { for (int i = 0; i < 1000; i++) x[i] += 1; }
void work(void) { for (int i = 0; i < 1000; i++) x[i] *= 2; }
void other(void) { for (int i = 0; i < 1000; i++) x[i] *= 3; }
enum kind { ONE = 1, TWO, THREE };
static void solve(int k, enum kind q)
{
    switch (k) { case 1: show(); break;| case 2: case 3: work(); break;| default: other(); }
    switch (q) { case ONE: show(); break;| case TWO: case THREE: work(); break;| default: other(); }
    if (k + 1 == 3 && q != THREE) show();
}
int main(void) { solve(2, TWO); }"
            .replace('|', breaks)
    };
    for breaks in [" ", "\n"] {
        let json = analyse(&[("a.c", &source(breaks))], &[]);
        let calls = ["show", "work", "other"].map(|name| calls(&json, name));
        assert_eq!(calls, [1.0, 2.0, 0.0], "{breaks:?}");
    }
}
