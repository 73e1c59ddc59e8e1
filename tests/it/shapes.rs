//! Extents of arrays whose declarations leave them open, and how often loops run whose bounds are data.

use serde_json::Value;

use crate::small::{analyse, c, fortran, iterations};

fn origin(json: &Value, name: &str) -> String {
    let parameter = &json["parameters"][name];
    assert!(parameter.is_object(), "{name}: {:?}", json["parameters"]);
    parameter["detail"].as_str().unwrap_or("").to_string()
}

const ASSUMED: &str = "
module work
  type :: field
    real(8), allocatable :: u(:, :)
  end type
contains
  subroutine make(f, n)
    type(field), intent(inout) :: f
    integer, intent(in) :: n
    allocate (f%u(n, 3))
  end subroutine
  subroutine twice(a)
    real(8), intent(inout) :: a(:, :)
    integer :: i, j
    do j = 1, ubound(a, 2)
      do i = 1, size(a, 1)
        a(i, j) = 2*a(i, j)
      end do
    end do
  end subroutine
  subroutine once(a)
    real(8), intent(inout) :: a(:, :)
    a = 1
  end subroutine
end module
program p
  use work
  type(field) :: f
  real(8), allocatable :: b(:, :, :)
  integer :: n
  read *, n
  call make(f, n)
  allocate (b(0:n, 4, 5))
  call twice(f%u)
  call once(b(1:n:2, :, 1))
end program";

#[test]
fn open_dimensions_are_those_of_what_is_passed() {
    let json = analyse(&[("a.f90", ASSUMED)], &["n=1000"]);
    assert_eq!(iterations(&json, "twice"), [3000.0]);
    assert_eq!(iterations(&json, "once"), [2000.0]);
}

#[test]
fn a_procedure_behind_a_pointer_is_called() {
    let source = "
module s
  type :: solver
    procedure(step), pointer, nopass :: next
  end type
contains
  subroutine step(u)
    real(8), intent(inout) :: u(:)
    integer :: i
    do i = 1, size(u)
      u(i) = 2*u(i)
    end do
  end subroutine
end module
program p
  use s
  type(solver) :: x
  real(8) :: u(500)
  integer :: t
  x%next => step
  do t = 1, 10
    call x%next(u)
  end do
end program";
    let json = fortran(source);
    assert_eq!(iterations(&json, "step"), [500.0]);
    let functions = json["functions"].as_array().expect("functions");
    let step = functions
        .iter()
        .find(|f| f["name"] == "step")
        .expect("step");
    assert_eq!(step["nests"][0]["calls"], 10.0);
}

#[test]
fn rows_that_lie_one_behind_another_fill_what_is_declared() {
    let source = "
subroutine multiply(x, y)
  integer, parameter :: rows = 1000, entries = 27000
  integer :: first(rows + 1), column(entries), j, k
  real(8) :: a(entries), x(rows), y(rows), sum
  common /matrix/ a, column, first
  do j = 1, rows
    sum = 0
    do k = first(j), first(j + 1) - 1
      sum = sum + a(k)*x(column(k))
    end do
    y(j) = sum
  end do
end subroutine";
    let json = fortran(source);
    assert_eq!(iterations(&json, "multiply"), [27000.0]);
    assert_eq!(origin(&json, "trip_multiply_9"), "default");
}

#[test]
fn a_loop_that_data_ends_is_short_and_no_longer_than_what_it_walks() {
    let source = "
void f(int n, const int *count, double a[n][4], double b[n][100], int w)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < count[i]; j++) a[i][j] = 0;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < count[i]; j++) b[i][j] = 0;
    }
}";
    let json = c(source);
    assert_eq!(iterations(&json, "f"), [512.0, 1024.0]);
}
