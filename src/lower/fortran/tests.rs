//! Sources and the text of the IR they become.

use std::sync::Arc;

use expect_test::{Expect, expect};

use super::*;
use crate::ir::Unit;

fn lowered(input: &str) -> Unit {
    let file: Arc<str> = "test.f90".into();
    let source = SourceText::verbatim(&file, input.to_string());
    lower(&file, Form::Free, &source, &Modules::default())
}

fn check(input: &str, expect: Expect) {
    let unit = lowered(input);
    let remarks = unit
        .diagnostics
        .iter()
        .map(|d| format!("{} {}: {}\n", d.place.line, d.code, d.message));
    expect.assert_eq(&format!("{unit}{}", remarks.collect::<String>()));
}

#[test]
fn counted_loops_and_elements() {
    check(
        "module grid
  integer, parameter :: dp = selected_real_kind(15), nvar = 3
end module
subroutine sweep(a, b, lo, hi, ng)
  use grid
  implicit none
  integer, intent(in) :: lo(2), hi(2), ng
  real(dp), intent(in) :: a(lo(1)-ng:hi(1)+ng, lo(2)-ng:hi(2)+ng)
  real(kind=dp), dimension(lo(1):hi(1), lo(2):hi(2), nvar) :: b
  integer :: i, j
  !$omp parallel do private(i) &
  !$omp shared(a)
  do j = lo(2), hi(2)
    do i = lo(1), hi(1), 2
      b(i,j,1) = -a(i-1,j)**2**ng + 0.5_dp*sqrt(a(I,J)) + 1.0
    end do
  end do
end subroutine
",
        expect![[r#"
            function sweep @4
              argument a: real8[(lo[1] - ng):(hi[1] + ng), (lo[2] - ng):(hi[2] + ng)]
              argument b: real8[lo[1]:hi[1], lo[2]:hi[2], 1:nvar]
              argument lo: integer4[1:2]
              argument hi: integer4[1:2]
              argument ng: integer4
              parameter nvar: integer4 = 3
              local j: integer4
              local i: integer4
              loop j = lo[2] .. hi[2] by 1 parallel(omp parallel do) @13
                loop i = lo[1] .. hi[1] by 2 @14
                  b[i, j, 1] := (((-(a[(i - 1), j] ** (2 ** ng))) + (0.5_8 * sqrt(a[i, j]))) + 1.0_4)
        "#]],
    );
}

#[test]
fn declarations_in_all_spellings() {
    check(
        "subroutine s(x1, n)
  use, intrinsic :: iso_fortran_env, only: wp => real64
  use iso_c_binding
  implicit real*8 (a-h, o-z), complex(k)
  parameter (m = 2*3, pi = 3.14d0)
  integer, parameter :: dp = kind(1.d0), lk = selected_int_kind(12)
  dimension x1(n, 0:m), w(m)
  common /blk/ y(10), z, ic
  equivalence (y(1), other)
  integer*8 big
  integer(lk) long
  real(wp), dimension(:,:), allocatable :: a, b(:)
  real(kind=dp) r
  real rr*8
  real(c_double) :: cd
  double complex dc
  complex*16 zc
  complex(wp), pointer :: q(:)
  logical(1) flag
  character(len=*) text
  byte bt
  external f
  x1(1, 0) = r + rr + cd + big + long + y(1) + z + w(1) + a(1, 1) + b(1) + undeclared + icount + kc
  dc = zc + q(1)*f(x) + m*pi
  flag = bt > ic
end subroutine
",
        expect![[r#"
            function s @1
              argument x1: real8[1:n, 0:m]
              argument n: integer4
              parameter m: integer4 = (2 * 3)
              local r: real8
              local rr: real8
              local cd: real8
              local big: integer8
              local long: integer8
              global y: real8[1:10]
              global z: real8
              local w: real8[1:m]
              local a: real8[:, :]
              local b: real8[:]
              local undeclared: real8
              local icount: integer4
              local kc: complex8
              local other: real8
              local dc: complex16
              local zc: complex16
              local q: complex16[:]
              local x: real8
              parameter pi: real8 = 3.14_8
              local flag: logical1
              local bt: integer1
              global ic: integer4
              x1[1, 0] := ((((((((((((r + rr) + cd) + big) + long) + y[1]) + z) + w[1]) + a[1, 1]) + b[1]) + undeclared) + icount) + kc)
              dc := ((zc + (q[1] * f(x))) + (m * pi))
              flag := (bt > ic)
            1 equivalence: variables share storage here: dependences follow it, footprints count each separately
        "#]],
    );
}

#[test]
fn components_of_derived_types_across_modules() {
    check(
        "module types
  integer, parameter :: width = 2
  type field
    real(8), dimension(:,:), allocatable :: density
    real(8) :: edges(0:width)
  end type
  type, extends(field) :: tile
    type(field) :: field
    integer :: nx
    complex(8) :: phase
  contains
    procedure :: area
  end type
end module
module data
  use types
  private :: hidden
  integer :: hidden
  type chunk_type
    type(tile), allocatable :: tiles(:)
  end type
  type(chunk_type) :: chunk
end module
subroutine s(t, u)
  use data, only: piece => chunk, tile
  implicit none
  type(tile) :: u
  integer :: j, k, t
  do k = 1, u%nx
    do j = 1, piece%tiles(t)%nx
      piece%tiles(t)%field%density(j, k) = u%edges(j) + u%density(j, k) * u%phase%im
      piece%tiles(j)%field%density(:, k) = u%area(j)
    end do
  end do
end subroutine
",
        expect![[r#"
            function s @24
              argument t: integer4
              argument u: tile
              argument u%nx: integer4
              local k: integer4
              global piece%tiles%nx: integer4[:]
              local j: integer4
              global piece%tiles%field%density: real8[:, :, :]
              parameter width: integer4 = 2
              argument u%edges: real8[0:width]
              argument u%density: real8[:, :]
              argument u%phase: complex16
              local u_area_1: ?
              local i_1: integer4
              loop k = 1 .. u%nx by 1 @29
                loop j = 1 .. piece%tiles%nx[t] by 1 @30
                  piece%tiles%field%density[j, k, t] := (u%edges[j] + (u%density[j, k] * aimag(u%phase)))
                  u_area_1 := u%area(j)
                  loop i_1 = 1 .. ubound(piece%tiles%field%density, 1) by 1 @32
                    piece%tiles%field%density[i_1, k, j] := u_area_1
        "#]],
    );
}

#[test]
fn every_kind_of_loop() {
    check(
        "subroutine s(a, n, m)
  real a(n, m)
  outer: do i = n, 1, -1
    do while (a(i, 1) > 0)
      if (i == 2) cycle outer
      if (i == 3) exit
    end do
    do
      exit outer
    end do
  end do outer
  do x = 0.0, 1.0, 0.1
    a(1, 1) = x
  end do
  do concurrent (i = 1:n, j = 1:m, a(i, j) > 0)
    a(i, j) = 0
  end do
  do concurrent (integer :: k = 1:n:2)
    a(k, 1) = k
  end do
  forall (i = 1:n, j = 1:m) a(i, j) = 1
  forall (i = 1:n, a(i, 1) > 0)
    a(i, 2) = 2
  end forall
  !$omp parallel
  !$omp do schedule(static)
  do i = 1, n
    !$omp simd
    do j = 1, m
      a(i, j) = 3
    end do
  end do
  !$omp end do
  !$acc parallel loop
  do i = 1, n
    a(i, 1) = 4
  end do
  !$omp end parallel
end subroutine
",
        expect![[r#"
            function s @1
              argument a: real4[1:n, 1:m]
              argument n: integer4
              argument m: integer4
              local i: integer4
              local x: real4
              local j: integer4
              local k: integer4
              local cycle outer: logical4
              local exit outer: logical4
              loop i = n .. 1 by (-1) @3
                loop (a[i, 1] > 0) (while_loop) @4
                  if (i == 2) @5
                    exit
                  if (i == 3) @6
                    exit
                if (not cycle outer) @8
                  loop (infinite_loop) @8
                    exit
                if exit outer @3
                  exit
              loop (real_loop_variable) @12
                a[1, 1] := x
              loop j = 1 .. m by 1 @15
                loop i = 1 .. n by 1 @15
                  if (a[i, j] > 0) @15
                    a[i, j] := 0
              loop k = 1 .. n by 2 @18
                a[k, 1] := k
              loop j = 1 .. m by 1 @21
                loop i = 1 .. n by 1 @21
                  a[i, j] := 1
              loop i = 1 .. n by 1 @22
                if (a[i, 1] > 0) @22
                  a[i, 2] := 2
              loop i = 1 .. n by 1 parallel(omp do) @27
                loop j = 1 .. m by 1 parallel(omp simd) @29
                  a[i, j] := 3
              loop i = 1 .. n by 1 parallel(acc parallel loop) @35
                a[i, 1] := 4
        "#]],
    );
}

#[test]
fn branches_and_jumps() {
    check(
        "subroutine s(a, k, c)
  character(4) c
  if (a > 1) then
    a = 1
  else if (a < -1 .and. .not. k .eq. 2) then
    a = -1
  else
    return
  end if
  select case (k)
  case default
    stop 'no'
  case (1, 3:5)
    a = 2
  case (:0)
    a = 3
  end select
  if (a) 10, 20, 30
10 goto 20
20 goto (10, 30), k
30 continue
  c(1:2) = 'ab'
  if (c(3:3) == 'x') a = 4
end
",
        expect![[r#"
            function s @1
              argument a: real4
              argument k: integer4
              argument c: character
              local go to 20: logical4
              if (a > 1) @3
                a := 1
              else
                if ((a < (-1)) and (not (k == 2))) @5
                  a := (-1)
                else
                  return
              if ((k == 1) or ((k >= 3) and (k <= 5))) @13
                a := 2
              else
                if (k <= 0) @15
                  a := 3
                else
                  stop
              if (a < 0.0_4) @18
              else
                if (a == 0.0_4) @18
                else
                  return
                if (not go to 20) @20
                  loop (goto_loop) @20
                    evaluate k
                  c[1] := "ab"
                  if (c[3] == "x") @23
                    a := 4
        "#]],
    );
}

#[test]
fn expressions() {
    check(
        "module ops
  interface operator(.cross.)
    module procedure cross
  end interface
contains
  real(8) function cross(a, b)
    real(8), intent(in) :: a, b
    cross = a*b
  end function
end module
subroutine s(x, y, z, n, i)
  use ops
  integer, parameter :: dp = kind(0d0)
  real(dp) :: x, y
  complex(dp) :: z
  integer n, i
  x = -y**2
  x = 2**n**i
  x = (2**n)**i
  x = -y*x + y/x/2
  x = 1.5_dp + 1.d-3 + .5e1 + 7 + z'1F'
  z = (1.0_dp, -2.0) * conjg(z) + cmplx(x, y, dp)
  x = abs(z) + real(n, dp) + real(n) + max(x, y, 1.0_dp) + mod(n, 2) + cross(x, y)
  x = x .cross. y
  x = y == x .or. n /= i
end subroutine
",
        expect![[r#"
            function cross @6
              argument a: real8
              argument b: real8
              local cross: real8
              cross := (a * b)
            function s @11
              argument x: real8
              argument y: real8
              argument z: complex16
              argument n: integer4
              argument i: integer4
              x := (-(y ** 2))
              x := (2 ** (n ** i))
              x := ((2 ** n) ** i)
              x := ((-(y * x)) + ((y / x) / 2))
              x := ((((1.5_8 + 0.001_8) + 5.0_4) + 7) + 31)
              z := ((cmplx(1.0_8, (-2.0_4)) * conjg(z)) + cmplx(x, y))
              x := (((((abs(z) + real(n)) + real(n)) + max(x, y, 1.0_8)) + mod(n, 2)) + cross(x, y))
              x := cross(x, y)
              x := ((y == x) or (n /= i))
        "#]],
    );
}

#[test]
fn names_with_parentheses_are_what_declarations_say() {
    check(
        "program main
  use elsewhere
  implicit none
  real, external :: ext
  double precision dabs, dlamch, fun
  real :: v(3)
  integer :: i
  v(1) = ext(v(2)) + dabs(v(1)) + dlamch('e') + inner(i) + sqrt(v(1))
  v(2) = mystery(i) + unknown(i, 1)
  unknown(i, 2) = table(:, 1)
  call sub(inner, v(:))
contains
  integer function inner(k)
    integer, intent(in) :: k
    inner = k + i
    v(k) = 0
  end function
end program
",
        expect![[r#"
            function main @1
              local v: real4[1:3]
              global i: integer4
              undeclared unknown: ?[:, :]
              undeclared table: ?[:, :]
              v[1] := ((((ext(v[2]) + dabs(v[1])) + dlamch("e")) + inner(i)) + sqrt(v[1]))
              v[2] := (mystery(i) + unknown[i, 1])
              unknown[i, 2] := table[opaque(array_section; 1, ubound(table, 1), 1), 1]
              call sub(opaque(procedure_name), v[opaque(array_section; 1, 3, 1)])
            function inner @13
              argument k: integer4
              local inner: integer4
              global i: integer4
              global v: real4[1:3]
              inner := (k + i)
              v[k] := 0
            1 unknown-module: module `elsewhere` is not among the files: what it declares is unknown
        "#]],
    );
}

#[test]
fn statement_functions_are_expanded() {
    check(
        "subroutine s(x, z)
  complex*16 z
  double precision x, cabs1, twice
  cabs1(z) = abs(dble(z)) + abs(dimag(z))
  twice(x) = 2*x
  x = cabs1(z) + twice(x + 1)
end
",
        expect![[r#"
            function s @1
              argument x: real8
              argument z: complex16
              x := ((abs(dble(z)) + abs(dimag(z))) + (2 * (x + 1)))
            1 statement-function: `cabs1` is a statement function: expanded where it is used
            1 statement-function: `twice` is a statement function: expanded where it is used
        "#]],
    );
}

#[test]
fn array_syntax_becomes_loops() {
    check(
        "subroutine s(a, b, c, e, idx, n, m, lo, hi, t)
  integer, intent(in) :: n, m, lo, hi, idx(n)
  real(8) :: a(n, m), b(0:n-1, m), c(n), e(2*n), t, d(3)
  real(8), allocatable :: w(:, :)
  a = b
  a(:, 1) = b(:, 2)*2 + t
  c(lo:hi) = c(lo-1:hi-1) + c(lo+2:hi+2)
  e(1:2*n:2) = c
  c = e(2:2*n:2)
  c = a(idx, 1)
  d = (/1.d0, t, 3.d0/)
  allocate (w(0:n, m))
  w = sqrt(t)
  a = matmul(a, w)
  a(1, :) = scale_of(t)*a(2, :)
  d = lbound(a)
end subroutine
",
        expect![[r#"
            function s @1
              argument a: real8[1:n, 1:m]
              argument b: real8[0:(n - 1), 1:m]
              argument c: real8[1:n]
              argument e: real8[1:(2 * n)]
              argument idx: integer4[1:n]
              argument n: integer4
              argument m: integer4
              argument lo: integer4
              argument hi: integer4
              argument t: real8
              local i_1: integer4
              local i_2: integer4
              local d: real8[1:3]
              local w: real8[0:n, 1:m]
              local i_3: integer4
              local matmul_1: real8[1:n, 1:m]
              local scale_of_1: real4
              loop i_2 = 1 .. m by 1 @5
                loop i_1 = 1 .. n by 1 @5
                  a[i_1, i_2] := b[(i_1 - 1), i_2]
              loop i_1 = 1 .. n by 1 @6
                a[i_1, 1] := ((b[(i_1 - 1), 2] * 2) + t)
              loop i_1 = lo .. hi by 1 @7
                c[i_1] := (c[(i_1 - 1)] + c[(i_1 + 2)])
              loop i_1 = 1 .. n by 1 @8
                e[(1 + ((i_1 - 1) * 2))] := c[i_1]
              loop i_1 = 1 .. n by 1 @9
                c[i_1] := e[(2 + ((i_1 - 1) * 2))]
              loop i_1 = 1 .. n by 1 @10
                c[i_1] := a[idx[i_1], 1]
              d[1] := 1.0_8
              d[2] := t
              d[3] := 3.0_8
              loop i_2 = 1 .. m by 1 @13
                loop i_1 = 0 .. n by 1 @13
                  w[i_1, i_2] := sqrt(t)
              loop i_3 = 1 .. m by 1 @14
                loop i_1 = 1 .. n by 1 @14
                  matmul_1[i_1, i_3] := 0.0_8
              loop i_3 = 1 .. m by 1 @14
                loop i_2 = 1 .. m by 1 @14
                  loop i_1 = 1 .. n by 1 @14
                    matmul_1[i_1, i_3] := (matmul_1[i_1, i_3] + (a[i_1, i_2] * w[(i_2 - 1), i_3]))
              loop i_2 = 1 .. m by 1 @14
                loop i_1 = 1 .. n by 1 @14
                  a[i_1, i_2] := matmul_1[i_1, i_2]
              scale_of_1 := scale_of(t)
              loop i_1 = 1 .. m by 1 @15
                a[1, i_1] := (scale_of_1 * a[2, i_1])
              loop i_1 = 1 .. 3 by 1 @16
                d[i_1] := lbound(a, i_1)
        "#]],
    );
}

#[test]
fn where_and_reductions() {
    check(
        "subroutine s(a, b, c, n, t)
  integer n
  real a(n, n), b(n, n), c(n), t
  where (a > 0)
    a = sqrt(a)
    b = a
  elsewhere (a < -1)
    a = 3
  elsewhere
    a = 0
  end where
  where (c > 0) c = 1/c
  t = sum(a(:, 1)*c) + dot_product(c, c(1:n))
  t = maxval(abs(a))
  if (any(c > t)) t = sum(a, dim=1)
end subroutine
",
        expect![[r#"
            function s @1
              argument a: real4[1:n, 1:n]
              argument b: real4[1:n, 1:n]
              argument c: real4[1:n]
              argument n: integer4
              argument t: real4
              local i_1: integer4
              local i_2: integer4
              local sum_1: real4
              local dot_product_1: real4
              local maxval_1: real4
              local any_1: logical4
              local sum_2: real4[1:n]
              loop i_2 = 1 .. n by 1 @4
                loop i_1 = 1 .. n by 1 @4
                  if (a[i_1, i_2] > 0) @4
                    a[i_1, i_2] := sqrt(a[i_1, i_2])
                    b[i_1, i_2] := a[i_1, i_2]
                  else
                    if (a[i_1, i_2] < (-1)) @4
                      a[i_1, i_2] := 3
                    else
                      a[i_1, i_2] := 0
              loop i_1 = 1 .. n by 1 @12
                if (c[i_1] > 0) @12
                  c[i_1] := (1 / c[i_1])
              sum_1 := 0.0_4
              loop i_1 = 1 .. n by 1 @13
                sum_1 := (sum_1 + (a[i_1, 1] * c[i_1]))
              dot_product_1 := 0.0_4
              loop i_1 = 1 .. n by 1 @13
                dot_product_1 := (dot_product_1 + (c[i_1] * c[i_1]))
              t := (sum_1 + dot_product_1)
              maxval_1 := (-huge(1.0_4))
              loop i_2 = 1 .. n by 1 @14
                loop i_1 = 1 .. n by 1 @14
                  maxval_1 := max(maxval_1, abs(a[i_1, i_2]))
              t := maxval_1
              any_1 := false
              loop i_1 = 1 .. n by 1 @15
                any_1 := (any_1 or (c[i_1] > t))
              if any_1 @15
                loop i_2 = 1 .. n by 1 @15
                  sum_2[i_2] := 0.0_4
                loop i_2 = 1 .. n by 1 @15
                  loop i_1 = 1 .. n by 1 @15
                    sum_2[i_2] := (sum_2[i_2] + a[i_1, i_2])
                t := sum_2
        "#]],
    );
}

#[test]
fn scopes_allocation_and_output() {
    check(
        "module grid
  integer :: nx, ny
  real(8), allocatable :: u(:, :)
end module
subroutine setup
  use grid
  allocate (u(0:nx+1, ny))
end subroutine
subroutine s(p, v)
  use grid
  real(8), pointer :: p(:)
  type(unknown) :: v
  associate (x => u(1, 1), w => u, y => v%part, s => u(1, :))
    x = w(2, 2) + y
    print *, x, (w(i, 1), i = 1, nx)
  end associate
  block
    integer :: k
    u(k, 1) = 0
  end block
  p => u(:, 1)
  deallocate (u)
  entry other
end subroutine
",
        expect![[r#"
            function setup @5
              global nx: integer4
              global ny: integer4
              global u: real8[0:(nx + 1), 1:ny]
            function s @9
              argument p: real8[:]
              argument v: unknown
              global u: real8[0:(nx + 1), 1:ny]
              global nx: integer4
              global ny: integer4
              argument v%part: ?
              local i: integer4
              local k: integer4
              u[1, 1] := (u[2, 2] + v%part)
              call print statement()
              print u[1, 1]
              loop i = 1 .. nx by 1 @15
                print u[i, 1]
              u[k, 1] := 0
              opaque pointer_assignment p => u(:, 1)
              opaque entry entry other
        "#]],
    );
}

#[test]
fn macro_constants_keep_their_names() {
    let file: Arc<str> = "test.F90".into();
    let mut source = SourceText::verbatim(
        &file,
        "subroutine s(a, n)\nreal a(N, n)\na(N, 1) = M\nend\n".to_string(),
    );
    for (name, text) in [("N", "128"), ("M", "2*N")] {
        let place = crate::diagnostic::Place {
            file: file.clone(),
            line: 1,
            column: 1,
        };
        source.macros.push(crate::source::MacroConstant {
            name: name.into(),
            text: text.into(),
            place,
        });
    }
    let unit = lower(&file, Form::Free, &source, &Modules::default());
    expect![[r#"
        function s @1
          argument a: real4[1:N, 1:n]
          argument n: integer4
          macro N: integer4 = 128
          macro M: integer4 = (2 * N)
          a[N, 1] := M
    "#]]
    .assert_eq(&unit.to_string());
}

#[test]
fn modules_of_other_files_are_seen() {
    let read = |name: &str, text: &str| SourceText::verbatim(&name.into(), text.to_string());
    let mut known = modules(&read(
        "a.f90",
        "module a\nuse b\nreal(wp) :: x(size)\nend module\n",
    ));
    known.merge(modules(&read(
        "b.f90",
        "module b\ninteger, parameter :: wp = 8, size = 10\nend module\n",
    )));
    let user = read("c.f90", "subroutine s\nuse a\nx(1) = 0\nend subroutine\n");
    let unit = lower(&"c.f90".into(), Form::Free, &user, &known);
    expect![[r#"
        function s @1
          global x: real8[1:size]
          parameter size: integer4 = 10
          x[1] := 0
    "#]]
    .assert_eq(&unit.to_string());
}

/// All of the language that the other tests use, cut off anywhere.
#[test]
fn every_prefix_lowers() {
    let text = include_str!("tests.rs");
    let sources = text
        .split("check(\n        \"")
        .skip(1)
        .filter_map(|rest| rest.split("\",\n").next());
    let mut count = 0;
    for source in sources {
        for end in (0..source.len()).step_by(3) {
            if let Some(prefix) = source.get(..end) {
                lowered(prefix);
                count += 1;
            }
        }
    }
    assert!(
        count > 1000,
        "only {count} prefixes: are the sources still found in this file?"
    );
}

#[test]
fn deep_nesting_is_cut_not_followed() {
    let deep = |open: &str, middle: &str, close: &str| {
        lowered(&format!(
            "subroutine s\n{}{middle}{}end subroutine\n",
            open.repeat(3000),
            close.repeat(3000)
        ))
    };
    for unit in [
        deep("do i = 1, 2\n", "x = 1\n", "end do\n"),
        deep("if (x > 1) then\n", "x = 1\n", "end if\n"),
        lowered(&format!(
            "x = {}1{}\nend\n",
            "(".repeat(3000),
            ")".repeat(3000)
        )),
        lowered(&format!("x = {}1\nend\n", "2 * ".repeat(3000))),
        lowered(&format!("x = {}1\nend\n", "-f(".repeat(3000))),
    ] {
        assert!(unit.to_string().contains("too_deep") || !unit.diagnostics.is_empty());
    }
}

#[test]
fn jumps_are_structure() {
    check(
        "subroutine s(a, n, x)
  integer n, i, k
  real a(n), x
  do 30 i = 1, n
    if (a(i) > x) go to 10
    a(i) = 1
    go to 20
10  a(i) = 2
20  if (a(i) < 0) go to 30
    if (a(i) == 5) go to 90
    a(i) = 3
30 continue
  k = n
40 if (k < 1) go to 50
  x = x + a(k)
  k = k - 1
  go to 40
50 do 60 i = 1, n
    if (a(i) == 0) go to 70
60 continue
  x = 1
70 do 80 i = 1, n
    a(i) = 4
80 continue
90 x = 0
end
",
        expect![[r#"
            function s @1
              argument a: real4[1:n]
              argument n: integer4
              argument x: real4
              local i: integer4
              local k: integer4
              local go to 70: logical4
              loop i = 1 .. n by 1 @4
                if (a[i] > x) @5
                  a[i] := 2
                else
                  a[i] := 1
                if (a[i] < 0) @9
                else
                  if (a[i] == 5) @10
                    return
                  a[i] := 3
              k := n
              loop (goto_loop) @14
                if (k < 1) @14
                else
                  x := (x + a[k])
                  k := (k - 1)
              loop i = 1 .. n by 1 @18
                if (a[i] == 0) @19
                  exit
              if (not go to 70) @21
                x := 1
              loop i = 1 .. n by 1 @22
                a[i] := 4
              x := 0
        "#]],
    );
}

#[test]
fn many_jumps_are_no_problem() {
    let forward: String = (0..3000)
        .map(|i| format!("if (x == {i}) go to 1\n"))
        .collect();
    let backward: String = (2..3000)
        .map(|i| format!("{i} x = x + 1\nif (x < {i}) go to {i}\n"))
        .collect();
    let crossing: String = (2..300)
        .map(|i| format!("{i} if (x < {i}) go to {}\n", 301 - i))
        .collect();
    for body in [forward, backward, crossing] {
        let unit = lowered(&format!(
            "subroutine s(x)\n{body}1 do i = 1, 2\nx = 1\nend do\nend\n"
        ));
        assert_eq!(unit.functions.len(), 1);
    }
}

/// Statement functions that lead to themselves or double at every step are calls in the end.
#[test]
fn statement_functions_do_not_grow_without_bound() {
    let itself = "subroutine s(x)\n  real x\n  f(y) = f(y) + f(y)\n  x = f(x)\nend\n";
    let mut doubling = String::from("subroutine s(x)\n  real x\n  f0(y) = y + y\n");
    for n in 1..60 {
        doubling += &format!("  f{n}(y) = f{}(y) * f{}(y)\n", n - 1, n - 1);
    }
    doubling += "  x = f59(x)\nend\n";
    for text in [itself.to_string(), doubling] {
        let name: std::sync::Arc<str> = "s.f90".into();
        let source = crate::source::SourceText::verbatim(&name, text);
        let modules = super::modules(&source);
        let unit = super::lower(&name, crate::source::Form::Free, &source, &modules);
        assert_eq!(unit.functions.len(), 1);
    }
}

/// Loops that jumps make do not nest without end, and of equal labels only the first counts.
#[test]
fn labels_that_stand_twice_and_many_loops_of_jumps() {
    let twice = "      subroutine f(n)\n".to_string()
        + &" 10   continue\n".repeat(100)
        + "      n = n - 1\n      if (n .gt. 0) goto 10\n      end\n";
    assert_eq!(
        lowered(&twice)
            .to_string()
            .matches("loop (goto_loop)")
            .count(),
        1
    );
    let labels: String = (100..174)
        .map(|label| format!("  {label} continue\n"))
        .collect();
    let jumps: String = (100..174)
        .map(|label| format!("      if (n .gt. {label}) goto {label}\n"))
        .collect();
    let text = lowered(&format!(
        "      subroutine f(n)\n{labels}      n = n - 1\n{jumps}      end\n"
    ))
    .to_string();
    assert_eq!(text.matches("loop (goto_loop)").count(), 12);
    assert!(text.contains("goto\n"));
}

#[test]
fn what_an_unread_parent_may_have_is_no_procedure() {
    check(
        "module shapes
  use elsewhere
  type :: own
    real :: v(3)
  end type
  type, extends(base) :: child
    real :: z
  end type
contains
  subroutine s(a, b, i)
    type(child) :: a
    type(own) :: b
    integer :: i
    a%z = a%arr(i) + b%f(i)
  end subroutine
end module
",
        expect![[r#"
            function s @10
              argument a: child
              argument b: own
              argument i: integer4
              argument a%z: real4
              argument a%arr: ?
              a%z := (opaque(unknown_type; i) + b%f(i))
        "#]],
    );
}
