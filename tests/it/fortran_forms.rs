//! The same kernel in different words of Fortran is the same nest.

use std::fmt::Write as _;

use crate::support::command;
use serde_json::Value;

/// Everything that the words must not change: operations, streams, offsets, working sets, traffic.
fn figures(source: &str, name: &str) -> String {
    let json = command::analysed_text(name, source, &[]);
    let function = json["functions"]
        .as_array()
        .and_then(|f| f.last())
        .expect("a function");
    let innermost = function["loops"]
        .as_array()
        .and_then(|l| l.last())
        .expect("a loop");
    let nest = function["nests"]
        .as_array()
        .and_then(|n| n.last())
        .expect("a nest");
    let mut text = format!("{}\n", innermost["flops"]);
    for array in innermost["arrays"].as_array().expect("arrays") {
        let array_name = array["name"]
            .as_str()
            .and_then(|n| n.rsplit('%').next())
            .expect("a name");
        let mut accesses: Vec<String> = array["accesses"]
            .as_array()
            .expect("accesses")
            .iter()
            .map(Value::to_string)
            .collect();
        accesses.sort();
        let _ = writeln!(
            text,
            "{array_name} {} {} {} {accesses:?}",
            array["class"], array["shape"], array["ghost"]
        );
    }
    let _ = writeln!(
        text,
        "{} {} {}",
        nest["iterations"], nest["working_set"], nest["traffic"]
    );
    assert_eq!(innermost["reasons"], Value::Array(Vec::new()), "{name}");
    text
}

const PLAIN: &str = "
subroutine relax(n, u, v)
  integer, intent(in) :: n
  real(8), intent(in) :: u(n, n)
  real(8), intent(inout) :: v(n, n)
  integer :: i, j
  do j = 2, n - 1
    do i = 2, n - 1
      v(i, j) = 0.25d0*(u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1))
    end do
  end do
end subroutine
";

const SECTIONS: &str = "
subroutine relax(n, u, v)
  integer, intent(in) :: n
  real(8), intent(in) :: u(n, n)
  real(8), intent(inout) :: v(n, n)
  v(2:n-1, 2:n-1) = 0.25d0*(u(1:n-2, 2:n-1) + u(3:n, 2:n-1) + u(2:n-1, 1:n-2) + u(2:n-1, 3:n))
end subroutine
";

const COMPONENTS: &str = "
module fields
  type :: field
    real(8), allocatable :: u(:, :), v(:, :)
  end type
  type :: tile
    type(field) :: f
  end type
end module
subroutine relax(n, t)
  use fields
  integer, intent(in) :: n
  type(tile), intent(inout) :: t
  integer :: i, j
  allocate (t%f%u(n, n), t%f%v(n, n))
  do j = 2, n - 1
    do i = 2, n - 1
      t%f%v(i, j) = 0.25d0*(t%f%u(i - 1, j) + t%f%u(i + 1, j) + t%f%u(i, j - 1) + t%f%u(i, j + 1))
    end do
  end do
end subroutine
";

const LABELLED: &str = "
      SUBROUTINE RELAX(N, U, V)
      IMPLICIT DOUBLE PRECISION (A-H, O-Z)
      DIMENSION U(N, N), V(N, N)
      DO 10 J = 2, N - 1
      DO 10 I = 2, N - 1
   10 V(I, J) = 0.25D0*(U(I - 1, J) + U(I + 1, J) + U(I, J - 1) + U(I, J + 1))
      END
";

const POINTERS: &str = "
subroutine relax(n, u, v)
  integer, intent(in) :: n
  real(8), intent(in), target :: u(n, n)
  real(8), intent(inout), target :: v(n, n)
  real(8), pointer :: below(:), row(:), above(:)
  integer :: i, j
  do j = 2, n - 1
    below => u(:, j - 1)
    above => u(1:n, j + 1)
    row => v(2:, j)
    do i = 2, n - 1
      row(i - 1) = 0.25d0*(u(i - 1, j) + u(i + 1, j) + below(i) + above(i))
    end do
  end do
end subroutine
";

#[test]
fn one_kernel_in_many_words_is_one_nest() {
    let plain = figures(PLAIN, "plain.f90");
    // Three sums, one product; four neighbours read, one element written.
    assert!(
        plain.contains("\"adds\":3") && plain.contains("\"multiplies\":1"),
        "{plain}"
    );
    assert!(
        plain.contains("u \"readonly\" \"star\" [[-1,1],[-1,1]]"),
        "{plain}"
    );
    for (name, source) in [
        ("sections.f90", SECTIONS),
        ("components.f90", COMPONENTS),
        ("labelled.f", LABELLED),
        ("pointers.f90", POINTERS),
    ] {
        assert_eq!(figures(source, name), plain, "{name}");
    }
}

/// What a pointer means where that is not certain is a gap.
#[test]
fn pointers_that_may_mean_something_else_are_not_followed() {
    let procedure = |before: &str, behind: &str| {
        format!(
            "
subroutine s(n, k, a, b)
  integer, intent(in) :: n
  integer, intent(inout) :: k
  real(8), target :: a(n, n), b(n)
  real(8), pointer :: p(:)
  integer :: i, j
  do j = 1, n
    {before}
    do i = 1, n
      b(i) = b(i) + p(i)
    end do
    {behind}
  end do
end subroutine
"
        )
    };
    let is_gap = |before: &str, behind: &str| {
        let json = command::analysed_text("p.f90", &procedure(before, behind), &[]);
        json["coverage"].to_string().contains("pointer_assignment")
    };
    assert!(!is_gap("p => a(:, j)", ""));
    assert!(!is_gap("p => a(:, k)", "if (b(1) > 0) b(1) = k"));
    for (before, behind) in [
        // Set in one arm only.
        ("if (k > 1) p => a(:, j)", ""),
        (
            "if (k > 1) then\n p => a(:, j)\n else\n b(1) = p(1)\n end if",
            "",
        ),
        // Of the iteration before.
        ("", "p => a(:, j)"),
        // The column changes.
        ("p => a(:, k)", "k = k + 1\n b(1) = p(1)"),
        ("p => a(:, k)", "call next(k)\n b(1) = p(1)"),
        ("p => a(:, k)", "read *, k\n b(1) = p(1)"),
        // It may get another target.
        ("p => a(:, j)", "call move(p)"),
        ("p => a(:, j)", "nullify (p)"),
        ("p => a(:, j)\n p(1:n) => b", ""),
        ("p => a(:, j)\n if (k > 1) then\n p => b\n end if", ""),
        // A jump passes it.
        ("if (k > 1) goto 10\n p => a(:, j)\n 10 continue", ""),
    ] {
        assert!(is_gap(before, behind), "{before}; {behind}");
    }
}

/// A pointer outside of the loops, with what stands behind it; the bytes of the nest, and whether it has a star.
fn beside_its_target(assignment: &str, behind: &str) -> (f64, bool) {
    let source = format!(
        "
subroutine s(n, m, a, b, row)
  integer, intent(in) :: n, m
  real(8), target :: a(n, m), b(n, m)
  real(8), allocatable :: w(:)
  real(8), pointer :: p(:, :)
  integer :: i, k
  {assignment}
  do k = 1, m
    do i = 1, n
      b(i, k) = p(i, k) + a(i, k)
    end do
  end do
  {behind}
end subroutine
"
    );
    let json = command::analysed_text("p.f90", &source, &["--set", "n=1000,m=500"]);
    let nest = &json["functions"][0]["nests"][0];
    let bytes = nest["traffic"]["actual"].as_f64().expect("bytes");
    let is_marked = nest["reasons"].to_string().contains("pointer_assignment");
    (bytes, is_marked)
}

#[test]
fn pointers_to_sections_count_their_target_once() {
    let once = beside_its_target("p => a", "");
    assert_eq!(once, (3.0 * 4e6, false));
    for behind in [
        "",
        "allocate (w(n))",
        "print *, n",
        "b(n, m) = w(n)",
        "w(1:n:2) = 0",
    ] {
        let found = beside_its_target("p => a(1:n, 1:m)", behind);
        assert_eq!(found, once, "{behind}");
    }
}

/// Where a pointer cannot be followed, an array beside it has a star: the elements of both are counted.
#[test]
fn pointers_that_are_not_followed_mark_nests_with_their_targets() {
    for (assignment, behind) in [
        ("p(0:, 0:) => a", ""),
        ("p => a\n call init(p)", ""),
        ("p => a", "p(0:, 0:) => b"),
        ("p => a(1:n, 1:m)", "call other(n)"),
        ("if (m > 3) p => a", ""),
    ] {
        let (bytes, is_marked) = beside_its_target(assignment, behind);
        assert!(
            is_marked && bytes > 3.0 * 4e6,
            "{assignment}; {behind}: {bytes}"
        );
    }
}

/// Strings of declared lengths are the elements of an array, characters those of a scalar.
#[test]
fn strings_have_their_length() {
    let source = "
subroutine names(n, a, b, c, d, e, any, text)
  integer, parameter :: long = 8
  integer, intent(in) :: n
  character*8 :: a(n)
  character(len=long) :: b(n)
  character :: c(n)*8
  character*(8) d(n)
  character e(n)
  character(*) any(n), text
  integer :: i
  do i = 1, n
    a(i) = 'abcdefgh'
    b(i)(3:4) = 'ab'
    c(i) = d(i)
    any(i) = e(i)
    text(i:i) = 'x'
  end do
end subroutine
";
    let json = command::analysed_text("names.f90", source, &[]);
    let arrays = json["functions"][0]["loops"][0]["arrays"]
        .as_array()
        .expect("arrays");
    let mut sizes: Vec<(&str, Option<u64>, usize)> = arrays
        .iter()
        .map(|array| {
            let rank = array["subscripts"].as_array().expect("subscripts").len();
            (
                array["name"].as_str().expect("a name"),
                array["element_bytes"].as_u64(),
                rank,
            )
        })
        .collect();
    sizes.sort_unstable();
    let eight = |name| (name, Some(8), 1);
    let one = |name| (name, Some(1), 1);
    assert_eq!(
        sizes,
        [
            eight("a"),
            ("any", None, 1),
            eight("b"),
            eight("c"),
            eight("d"),
            one("e"),
            one("text")
        ]
    );
}

/// A statement on whole arrays ends with its last line, as that is where compilers file its operations.
#[test]
fn loops_of_a_statement_reach_to_its_last_line() {
    let json = crate::small::fortran(
        "subroutine s(a, b, c, n)
  integer :: n
  real(8) :: a(n, n), b(n, n), c(n, n)
  a(:, :) &
    = b(:, :) &
    + c(:, :)
  b = a
end subroutine",
    );
    let loops = crate::small::function(&json, "s")["loops"]
        .as_array()
        .expect("loops")
        .iter();
    let lines: Vec<_> = loops
        .map(|one| (one["line"].as_u64(), one["end_line"].as_u64()))
        .collect();
    let (first, second) = ((Some(4), Some(6)), (Some(7), Some(7)));
    assert_eq!(lines, [first, first, second, second]);
}

/// `modulo` has the sign of the divisor.
#[test]
fn bounds_may_have_a_modulo() {
    let json = crate::small::fortran(
        "subroutine colours(a, n)
  integer :: n, i, j
  real(8) :: a(n, n)
  do j = 1, 128
    do i = 1 + mod(j, 2), 128, 2
      a(i, j) = 1
    end do
  end do
  do j = 1, 128
    do i = 1 + modulo(j, 2), 128, 2
      a(i, j) = 1
    end do
  end do
  do i = modulo(-3, 5), 5
    a(i, 1) = 1
  end do
end subroutine",
    );
    let found = crate::small::iterations(&json, "colours");
    assert_eq!(found[0], found[1]);
    // 2 to 5.
    assert_eq!(found[2], 4.0);
}

/// The shape of a section has as many numbers as the section has dimensions, not as it has elements: no loop runs over these.
#[test]
fn inquiries_about_sections_run_no_loops() {
    let loops = |asked: &str| {
        let source = format!(
            "program p
  real(8) :: a(10, 20)
  integer :: i
  do i = 1, 20
    a(2, i) = 3.0d0
  end do
  print *, {asked}
end program
"
        );
        let json = command::analysed_text("inquiry.f90", &source, &[]);
        json["functions"][0]["loops"].as_array().map_or(0, Vec::len)
    };
    for asked in [
        "shape(a(2, :))",
        "shape(a)",
        "lbound(a(:, 2:5))",
        "size(a(:, 1))",
    ] {
        assert_eq!(loops(asked), 1, "{asked}");
    }
    assert_eq!(loops("a(2, :)"), 2);
}
