//! What a program chooses unless its input says otherwise, and what no run of it gets to.

use serde_json::Value;

use crate::small::{analyse, c, fortran, function, iterations};
use crate::support::command;

const OPTIONS: &str = "
module setup
  logical :: use_fast
  integer :: kind_of_solver
  integer :: cells
  integer, parameter :: jacobi = 1, cg = 2
contains
  subroutine read_options
    character(80) :: line
    use_fast = .true.
    kind_of_solver = jacobi
    cells = 10
    do
      read (5, '(a)', end=9) line
      select case (line)
      case ('slow')
        use_fast = .false.
      case ('cg')
        kind_of_solver = cg
      case ('cells')
        read (5, *) cells
      end select
    end do
9   continue
  end subroutine
end module
program p
  use setup
  real(8) :: a(1000), b(1000)
  call read_options
  if (use_fast .and. kind_of_solver == jacobi) then
    call sweep(a, cells)
  end if
  if (kind_of_solver == cg) then
    call step(b, cells)
  end if
contains
  subroutine sweep(x, n)
    integer :: n
    real(8) :: x(n)
    do i = 1, n
      x(i) = 2.0d0*x(i)
    end do
  end subroutine
  subroutine step(x, n)
    integer :: n
    real(8) :: x(n)
    do i = 1, n
      x(i) = 3.0d0*x(i)
    end do
  end subroutine
end program";

fn calls(json: &Value, name: &str) -> f64 {
    let nest = &function(json, name)["nests"][0];
    nest["calls"].as_f64().unwrap_or(f64::NAN)
}

#[test]
fn options_that_are_set_up_once_decide_branches() {
    let json = fortran(OPTIONS);
    assert_eq!((calls(&json, "sweep"), calls(&json, "step")), (1.0, 0.0));
    let parameters = json["parameters"].as_object().expect("parameters");
    let never = parameters
        .iter()
        .find(|(_, p)| p["value"] == 0.0 && p["detail"] == "initial");
    let (name, _) = never.expect("a branch that is not taken");
    let json = analyse(&[("a.f90", OPTIONS)], &[&format!("{name}=1")]);
    assert_eq!(calls(&json, "step"), 1.0);
}

/// Components of a structure, set up in a procedure that nothing reads in but looks at the words of the command line.
#[test]
fn options_in_structures_decide_what_pointers_mean_and_branches() {
    let json = c("
#include <string.h>
typedef void (*Precondition)(double *x, int n);
typedef void (*Solver)(double *x, int n, Precondition by);
typedef struct { int kind; Solver solver; Precondition by; } Choice;
enum { OWN, LIBRARY };
static double x[1000];
static void scale(double *x, int n) { for (int i = 0; i < n; i++) x[i] *= 2.0; }
static void own(double *x, int n, Precondition by) {
  for (int k = 0; k < 3; k++) by(x, n);
}
static void library(double *x, int n) { for (int i = 0; i < n; i++) x[i] += 1.0; }
static void choose(Choice *choice, int argc, char **argv) {
  choice->kind = OWN;
  choice->solver = own;
  choice->by = scale;
  if (argc > 1) {
    if (strcmp(argv[1], \"library\") == 0) choice->kind = LIBRARY;
  }
}
static void solve(const Choice *choice) {
  if (choice->kind == OWN) {
    choice->solver(x, 1000, choice->by);
  } else {
    library(x, 1000);
  }
}
int main(int argc, char **argv) {
  Choice choice;
  choose(&choice, argc, argv);
  for (int t = 0; t < 10; t++) solve(&choice);
  return 0;
}");
    assert_eq!(
        (calls(&json, "scale"), calls(&json, "library")),
        (30.0, 0.0)
    );
}

/// C has globals without a value begin with zero.
#[test]
fn flags_without_a_value_are_not_set() {
    let with = |flag: &str| {
        c(&format!(
            "
#include <stdlib.h>
{flag}
static double x[1000];
static void check(double *x, int n) {{ for (int i = 0; i < n; i++) x[i] += 1.0; }}
int main(int argc, char **argv) {{
  for (int i = 1; i < argc; i++) if (argv[i][0] == 'v') verbose = 1;
  for (int t = 0; t < 10; t++) if (verbose) check(x, 1000);
  return 0;
}}"
        ))
    };
    assert_eq!(calls(&with("int verbose;"), "check"), 0.0);
    assert_eq!(calls(&with("int verbose = 0;"), "check"), 0.0);
}

/// `log2` by doubling, and extents of rows of dummy arguments.
#[test]
fn doublings_are_counted_and_rows_are_as_long_as_what_is_passed() {
    let json = fortran(
        "program p
  integer, parameter :: n = 96
  integer :: log
  real(8) :: a(7), table(20, 30)
  log = stages(n)
  do i = 1, log
    a(i) = i
  end do
  call rows(table)
contains
  integer function stages(k)
    integer, intent(in) :: k
    integer :: power, count
    count = 1
    power = 2
    do while (power < k)
      power = power*2
      count = count + 1
    end do
    stages = count
  end function
  subroutine rows(t)
    real(8), intent(inout) :: t(:, :)
    integer :: i
    do i = 1, size(t(1, :))
      t(1, i) = 0.0d0
    end do
    do i = 1, size(t(2:5, :), 1)
      t(i, 1) = 0.0d0
    end do
  end subroutine
end program",
    );
    assert_eq!(iterations(&json, "p"), [7.0]);
    assert_eq!(iterations(&json, "rows"), [30.0, 4.0]);
}

#[test]
fn a_size_of_a_few_that_is_read_is_only_a_placeholder() {
    let json = fortran(OPTIONS);
    assert_eq!(iterations(&json, "sweep"), [128.0]);
    assert_eq!(json["parameters"]["cells"]["value"], 128.0);
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("a.f90"), OPTIONS).expect("a file");
    let mut parameters = command::loopsheet();
    parameters.arg("parameters").arg(directory.path());
    let output = parameters.output().expect("runs");
    let table = String::from_utf8_lossy(&output.stdout);
    let origin = "read by the program; guessed (default: 10)";
    assert!(table.contains(origin), "{table}");
    let json = fortran(&OPTIONS.replace("cells = 10", "cells = 40"));
    assert_eq!(iterations(&json, "sweep"), [40.0]);
    let json = fortran(&OPTIONS.replace("cells = 10", "cells = 1"));
    assert_eq!(iterations(&json, "sweep"), [1.0]);
}

#[test]
fn what_a_procedure_found_is_no_option() {
    let json = fortran(
        "program p
          logical :: found
          real(8) :: a(100)
          read *, a
          found = .false.
          do i = 1, 100
            if (a(i) > 1.0d0) found = .true.
          end do
          if (found) call s(a)
        contains
          subroutine s(x)
            real(8) :: x(100)
            do i = 1, 100
              x(i) = 0.0d0
            end do
          end subroutine
        end program",
    );
    assert_eq!(calls(&json, "s"), 0.5);
}

#[test]
fn only_what_a_run_gets_to_gives_values() {
    let json = fortran(
        "subroutine unused(n)
           integer :: n
           call kernel(n)
         end subroutine
         subroutine kernel(n)
           integer :: n
           real(8) :: a(1000)
           common /data/ a
           do i = 1, n
             a(i) = 1.0d0
           end do
         end subroutine
         program p
           call kernel(12)
         end program",
    );
    assert_eq!(iterations(&json, "kernel"), [12.0]);
}

#[test]
fn data_statements_and_limits_give_values() {
    let json = fortran(
        "program p
           integer :: n, m, k
           logical :: on
           data n, on / 25, .true. /, m / 3 /
           real(8) :: a(100)
           k = 70
           if (k > n) k = n
           do i = 1, k
             a(i) = 1.0d0
           end do
           do i = 1, m
             a(i) = 2.0d0
           end do
         end program",
    );
    assert_eq!(iterations(&json, "p"), [25.0, 3.0]);
}

#[test]
fn numbers_behind_pointers_follow_from_variables_that_are_passed_by_place() {
    let kernel = "void stretch_(double *x, int *n) { for (int i = 0; i < *n; i++) x[i] *= 2; }";
    let program = "program p
        real(8) :: a(100)
        integer :: n
        n = 57
        call stretch(a, n)
      end program";
    let json = analyse(&[("a.c", kernel), ("b.f90", program)], &[]);
    assert_eq!(iterations(&json, "stretch_"), [57.0]);
    let json = c(
        "void f(int *n, double *x) { for (int i = 0; i < *n; i++) x[i] = 0; }
        int main(void) { int n[1] = {9}; double x[9]; int k = 7; f(&k, x); return 0; }",
    );
    assert_eq!(iterations(&json, "f"), [7.0]);
}

#[test]
fn guesses_that_let_a_nest_run_for_ever_are_named() {
    let source = "void f(double *a, int m) { for (long i = 0; i < 1L << m; i++) a[i & 7] += 1; }
        void g(double *a, int n, int m) {
          for (int i = 0; i < n; i++) for (int j = i + 1; j < i + 1; j++) a[j] += 1;
        }";
    let json = c(source);
    let is_marked = |name: &str| {
        let reasons = &function(&json, name)["nests"][0]["reasons"];
        let reasons = reasons.as_array().expect("reasons");
        reasons.iter().any(|reason| reason == "implausible_size")
    };
    assert_eq!(["f", "g"].map(is_marked), [false, true], "{json:#}");
}

/// A flag is what its callers pass, each as often as it calls.
#[test]
fn flags_weigh_as_their_callers_call() {
    let of = |calls: &str| {
        let json = fortran(&format!(
            "
program p
  real(8) :: a(100)
  integer :: step
  {calls}
  print *, a(1)
contains
  subroutine begin(x)
    real(8) :: x(100)
    call sweep(x, .true.)
  end subroutine
  subroutine sweep(x, is_first)
    real(8) :: x(100)
    logical :: is_first
    if (is_first) then
      do i = 1, 100
        x(i) = 0
      end do
    else
      do i = 1, 100
        x(i) = x(i) + 1
      end do
    end if
  end subroutine
end program"
        ));
        let share = &json["parameters"]["prob_sweep_15"];
        (share["value"].as_f64(), share["origin"].clone())
    };
    let guessed = |share: f64| (Some(share), Value::from("guessed"));
    let in_loop = "do step = 1, 10; call sweep(a, .false.); end do";
    assert_eq!(
        of("call sweep(a, .true.); call sweep(a, .false.)"),
        guessed(0.5)
    );
    assert_eq!(
        of(
            "call sweep(a, .true.); call sweep(a, .true.); call sweep(a, .true.); call sweep(a, .false.)"
        ),
        guessed(0.75)
    );
    assert_eq!(
        of(&format!("call begin(a); {in_loop}")),
        guessed(1.0 / 11.0)
    );
    let unknown = in_loop.replace("1, 10", "1, int(a(1))");
    assert_eq!(
        of(&format!("call begin(a); {unknown}")),
        guessed(1.0 / 129.0)
    );
    assert_eq!(
        of(&format!(
            "{in_loop}; do step = 1, 10; call begin(a); end do"
        )),
        guessed(0.5)
    );
}
