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
    let remarks = unit.diagnostics.iter().map(|d| format!("{} {}: {}\n", d.place.line, d.code, d.message));
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
