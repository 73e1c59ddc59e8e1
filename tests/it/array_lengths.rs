//! Fortran arrays to which several statements give a length: all of them are known, and that they differ is said.

use serde_json::Value;

use crate::small::{fortran, function, iterations};

/// A program with these statements before a loop over `v`.
fn program(statements: &str) -> Value {
    fortran(&format!(
        "program p
  implicit none
  integer :: i, j, s
  integer, allocatable :: v(:), w(:)
  s = 0
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
