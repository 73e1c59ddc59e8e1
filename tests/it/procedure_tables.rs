//! Calls through tables of functions, and functions that others without a body are given to call.

use crate::small::{c, calls, fortran};

const FUNCTIONS: &str = "
double x[1000];
typedef void (*step)(double *);
void scale(double *a) { for (int i = 0; i < 1000; i++) a[i] = 2.0 * a[i]; }
void shift(double *a) { for (int i = 0; i < 1000; i++) a[i] = 2.0 + a[i]; }
int check(void) { for (int i = 0; i < 1000; i++) x[i] = i; return 1; }
";

/// Calls of `scale`, `shift` and `check`.
fn called(rest: &str) -> [f64; 3] {
    let json = c(&format!("{FUNCTIONS}{rest}"));
    ["scale", "shift", "check"].map(|name| calls(&json, name))
}

#[test]
fn a_table_means_what_it_has_from_the_beginning_and_is_given() {
    let both = "static const step steps[] = {scale, shift};
int main(int c, char **v) { for (int t = 0; t < 10; t++) steps[t % c](x); }";
    assert_eq!(called(both), [10.0, 10.0, 0.0]);
    let assigned = "step steps[2] = {scale};
int main(int c, char **v) { steps[1] = shift; for (int t = 0; t < 10; t++) (*steps[t % c])(x); }";
    assert_eq!(called(assigned), [10.0, 10.0, 0.0]);
    let single = "static step own = shift;
int main(void) { for (int t = 0; t < 10; t++) own(x); }";
    assert_eq!(called(single), [0.0, 10.0, 0.0]);
}

/// Of structures only what the member called has.
#[test]
fn members_in_tables_are_told_apart() {
    let table = |given: &str, call: &str| {
        called(&format!(
            "struct kernel {{ const char *name; int (*check)(void); step run; }};
static const struct kernel kernels[] = {{ {given} }};
int main(int c, char **v) {{ for (int t = 0; t < 10; t++) kernels[t % c].{call}; }}"
        ))
    };
    let by_place = "{\"scale\", check, scale}, {\"shift\", 0, &shift}";
    assert_eq!(table(by_place, "run(x)"), [10.0, 10.0, 0.0]);
    assert_eq!(table(by_place, "check()"), [0.0, 0.0, 10.0]);
    let by_name = "{.run = scale, .check = check}, {\"none\"}";
    assert_eq!(table(by_name, "run(x)"), [10.0, 0.0, 0.0]);
}

/// The procedure without a body is still named.
#[test]
fn what_is_handed_to_a_procedure_without_a_body_may_be_called_by_it() {
    let json = c(&format!(
        "{FUNCTIONS}void each(step, double *);
int main(void) {{ for (int t = 0; t < 10; t++) each(shift, x); }}"
    ));
    assert_eq!(calls(&json, "shift"), 10.0);
    assert_eq!(json["calls"]["unknown"]["each"], 1);
    let json = fortran(
        "
subroutine residual(x)
  real(8) :: x(1000)
  integer :: i
  do i = 1, 1000
    x(i) = x(i) + 1
  end do
end subroutine
program p
  external residual, minimise
  call minimise(residual, 3)
end program",
    );
    assert_eq!(calls(&json, "residual"), 1.0);
    assert_eq!(json["calls"]["unknown"]["minimise"], 1);
}
