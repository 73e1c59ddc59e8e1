//! Code behind switches that nothing says are on: what input would say, and what runs every so many steps.

use crate::small::{analyse, calls, fortran};

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
