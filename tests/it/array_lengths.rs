//! Fortran arrays to which several statements give a length: all of them are known, and that they differ is said.

use serde_json::Value;

use crate::small::{fortran, function, iterations};

/// A program with these statements before a loop over `v`.
fn program(statements: &str) -> Value {
    fortran(&format!(
        "program p
  implicit none
  integer :: i, j, s
  integer :: m(4, 5)
  integer, allocatable :: v(:), w(:)
  s = 0
  m = 1
  {statements}
  do j = 1, size(v)
    s = s + 1
  end do
  print *, s
contains
  subroutine grow(x)
    integer, allocatable, intent(inout) :: x(:)
    deallocate(x)
    allocate(x(11))
    x = 0
  end subroutine
  subroutine replace(x)
    integer, allocatable, intent(inout) :: x(:)
    x = [1, 2, 3, 4, 5, 6]
  end subroutine
  subroutine print_it(x)
    integer, allocatable, intent(in) :: x(:)
    print *, x(1)
  end subroutine
  function made_of(n) result(r)
    integer, intent(in) :: n
    integer :: r(n)
    r = 1
  end function
  function made() result(r)
    integer, allocatable :: r(:)
    allocate(r(8))
    r = 1
  end function
end program
"
    ))
}

/// Iterations of the last nest of the program, and whether they may be others.
fn counted(json: &Value) -> (f64, bool) {
    let own = function(json, "p");
    let nest = own["nests"].as_array().and_then(|nests| nests.last());
    let reasons = nest.expect("a nest")["reasons"].as_array();
    let parameters = json["parameters"].as_object().expect("parameters");
    let is_guess = parameters.values().any(|one| {
        let of_program = |names: &Vec<Value>| names.iter().any(|name| name == "p");
        one["origin"] == "guessed" && one["functions"].as_array().is_some_and(of_program)
    });
    let is_marked = is_guess || !reasons.expect("reasons").is_empty();
    (*iterations(json, "p").last().expect("a nest"), is_marked)
}

/// gfortran's programs run the last loop as often as is said here.
#[test]
fn arrays_with_several_lengths_are_marked() {
    let statements = [
        ("allocate(v(3), w(8))\n  w = 1\n  v = w", 8.0),
        ("allocate(v(3), w(8))\n  w = 1\n  v = w + 1", 8.0),
        ("allocate(v(3), w(8))\n  w = 1\n  v = abs(w)", 8.0),
        ("allocate(v(3), w(8))\n  w = 1\n  v = cshift(w, 1)", 8.0),
        ("allocate(v(3), w(8))\n  w = 1\n  v = w(2:5)", 4.0),
        (
            "allocate(v(3), w(8))\n  w = [(i, i=1,8)]\n  v = pack(w, w > 3)",
            5.0,
        ),
        ("allocate(v(3))\n  v = [1, 2]", 2.0),
        ("allocate(v(3))\n  v = [(i, i=1,5)]", 5.0),
        ("allocate(v(3), w(8))\n  w = 1\n  v = reshape(w, [4])", 4.0),
        ("allocate(v(3))\n  deallocate(v)\n  allocate(v(9))", 9.0),
        ("allocate(v(3))\n  call grow(v)", 11.0),
        ("allocate(v(3))\n  call replace(v)", 6.0),
        ("allocate(v(3))\n  v = made()", 8.0),
        ("allocate(v(3))\n  v = made_of(7)", 7.0),
        ("allocate(v(3), w(8))\n  w = 1\n  v = w([2, 4, 6, 8])", 4.0),
        ("allocate(v(3), w(8))\n  w = 1\n  v = 2*w(8:1:-2) + 1", 4.0),
        ("allocate(v(3))\n  v = matmul(m, [1, 1, 1, 1, 1])", 4.0),
        ("allocate(v(3))\n  v = maxloc(m)", 2.0),
        ("allocate(v(3))\n  v = sum(m, 1)", 5.0),
        ("allocate(v(3))\n  v = 1 + sum(m, 2)", 4.0),
        ("j = 5\n  allocate(v(j))\n  j = 9\n  s = j", 5.0),
    ];
    for (statements, expected) in statements {
        let (found, is_marked) = counted(&program(statements));
        assert!(is_marked || found == expected, "{statements}: {found}");
    }
}

#[test]
fn arrays_that_keep_their_length_are_exact() {
    let statements = [
        ("allocate(v(3))\n  v = 7", 3.0),
        ("allocate(v(3), w(3))\n  w = 1\n  v = w", 3.0),
        ("allocate(v(3), w(0:2))\n  w = 1\n  v = 2*w", 3.0),
        ("allocate(v(3))\n  v(:) = [1, 2, 3]", 3.0),
        ("allocate(v(3))\n  v = [1, 2, 3]", 3.0),
        ("allocate(v(3))\n  deallocate(v)\n  allocate(v(3))", 3.0),
        ("allocate(v(3))\n  v = 1\n  call print_it(v)", 3.0),
    ];
    for (statements, expected) in statements {
        assert_eq!(
            counted(&program(statements)),
            (expected, false),
            "{statements}"
        );
    }
}

/// What is assigned to an array that nothing else allocates says how long it is.
#[test]
fn arrays_are_as_long_as_what_is_assigned() {
    let statements = [
        ("v = matmul(m, [1, 1, 1, 1, 1])", 4.0),
        ("v = reshape(m, [20])", 20.0),
        ("v = maxloc(m)", 2.0),
        ("v = shape(m)", 2.0),
        ("v = sum(m, 1)", 5.0),
        ("v = 2*maxval(m, dim=2)", 4.0),
        ("v = m([1, 3, 4], 2)", 3.0),
        ("v = spread(7, 1, 6)", 6.0),
        ("v = m(4:1:-2, 3)", 2.0),
    ];
    for (statements, expected) in statements {
        assert_eq!(
            counted(&program(statements)),
            (expected, false),
            "{statements}"
        );
    }
}

/// A module and its user, which allocates components and arrays of the module and calls what does that, too.
fn of_module(statements: &str) -> Value {
    fortran(&format!(
        "module m
  implicit none
  type t
    integer, allocatable :: v(:)
  end type
  integer, allocatable :: g(:)
contains
  subroutine grow(x)
    type(t), intent(inout) :: x
    deallocate(x%v)
    allocate(x%v(12))
  end subroutine
  subroutine renew()
    deallocate(g)
    allocate(g(12))
  end subroutine
  subroutine renew_for_others()
    call renew()
  end subroutine
end module
program p
  use m
  implicit none
  type(t) :: a, b
  integer :: j, s
  s = 0
  {statements}
    s = s + 1
  end do
  print *, s
end program
"
    ))
}

#[test]
fn shared_arrays_and_components_may_have_another_length() {
    let changed = [
        (
            "allocate(a%v(5))\n  call grow(a)\n  do j = 1, size(a%v)",
            12.0,
        ),
        (
            "allocate(a%v(5))\n  a%v = [1, 2, 3]\n  do j = 1, size(a%v)",
            3.0,
        ),
        (
            "allocate(a%v(5))\n  deallocate(a%v)\n  allocate(a%v(8))\n  do j = 1, size(a%v)",
            8.0,
        ),
        ("allocate(g(5))\n  call renew()\n  do j = 1, size(g)", 12.0),
    ];
    for (statements, expected) in changed {
        let (found, is_marked) = counted(&of_module(statements));
        assert!(is_marked || found == expected, "{statements}: {found}");
    }
    let kept = [
        ("allocate(a%v(5))\n  do j = 1, size(a%v)", 5.0),
        ("allocate(a%v(5), b%v(7))\n  do j = 1, size(b%v)", 7.0),
        (
            "allocate(a%v(5), b%v(7))\n  call grow(a)\n  do j = 1, size(b%v)",
            7.0,
        ),
    ];
    for (statements, expected) in kept {
        let found = counted(&of_module(statements));
        assert_eq!(found, (expected, false), "{statements}");
    }
}

/// What kinds hold, and what `nint` makes of halves.
#[test]
fn kinds_and_halves() {
    let programs = [
        ("integer(1) :: n", "n = int(300, 1)", 44.0),
        ("integer :: n, m", "m = 300\n  n = int(m, 1)", 44.0),
        (
            "integer :: n",
            "n = nint(2.5) + nint(-2.5) + nint(3.5)",
            4.0,
        ),
        (
            "integer :: n\n  real :: x",
            "x = -2.5\n  n = nint(x) + 10",
            7.0,
        ),
        ("integer :: n\n  real :: x", "x = 0.29\n  n = x*100", 29.0),
        (
            "integer :: n\n  double precision :: h",
            "h = 0.1\n  n = 1.0/h",
            9.0,
        ),
        (
            "integer :: n\n  real :: x",
            "x = 16777217\n  n = x - 16777210",
            6.0,
        ),
    ];
    for (declared, statements, expected) in programs {
        let json = fortran(&format!(
            "program p
  implicit none
  integer :: j
  real :: s
  {declared}
  {statements}
  do j = 1, n
    s = s + 1
  end do
end program
"
        ));
        assert_eq!(
            iterations(&json, "p").last(),
            Some(&expected),
            "{statements}"
        );
    }
}
