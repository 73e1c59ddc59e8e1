//! Loops after loops and after assignments to what their bounds are made of, counted by hand.

use crate::small::{self, analyse, c, fortran, iterations};

#[test]
fn loops_over_real_variables_run_as_often_as_programs_run_them() {
    let json = c("void eighths(double *a) { for (double t = 0; t < 1.0; t += 0.125) a[0] += t; }
        void tenths(double *a) { double t = 0; while (t < 1.0) { a[0] += t; t += 0.1; } }
        void hundredths(double *a) { double t = 0; do { a[0] += t; t += 0.01; } while (t < 1.0); }
        void down(float *a) { for (float t = 2; t > 0; t -= 0.5f) a[0] += t; }
        void inner(double *a, int n) {
          for (int i = 0; i < n; i++) { double t = 1.0; while (t < 3.0) { a[i] += t; t += 0.5; } }
        }
        void unknown(double *a, double end) { double t = 0; while (t < end) { a[0] += t; t += 0.1; } }");
    assert_eq!(iterations(&json, "eighths"), [8.0]);
    // Ten times 0.1 in binary is less than one.
    assert_eq!(iterations(&json, "tenths"), [11.0]);
    assert_eq!(iterations(&json, "hundredths"), [100.0]);
    assert_eq!(iterations(&json, "down"), [4.0]);
    assert_eq!(iterations(&json, "inner"), [128.0 * 4.0]);
    assert_eq!(
        small::function(&json, "unknown")["loops"][0]["upper"],
        "trip_unknown_8"
    );
    let json = fortran(
        "subroutine s(a)
           real(8) a(*), t
           t = 0
           do while (t < 1.0d0)
             a(1) = a(1) + t
             t = t + 0.01d0
           end do
         end subroutine",
    );
    assert_eq!(iterations(&json, "s"), [100.0]);
}

#[test]
fn bounds_that_are_assigned_between_loops_have_each_value() {
    let json = c("void s(double *a, int n) {
          for (int i = 0; i < n; i++) a[i] += 1;
          n = n / 2;
          for (int i = 0; i < n; i++) a[i] += 1;
          n--;
          for (int i = 0; i < n; i++) a[i] += 1;
        }");
    assert_eq!(iterations(&json, "s"), [128.0, 64.0, 63.0]);
    let source = "subroutine s(a, n)
           real(8) a(*)
           m = n
           do i = 1, m
             a(i) = 0
           end do
           m = m/2
           do i = 1, m
             a(i) = 0
           end do
         end subroutine";
    assert_eq!(
        iterations(&analyse(&[("a.f90", source)], &["n=1000"]), "s"),
        [1000.0, 500.0]
    );
    // A value that is not known makes a name of its own again, also for what was made from the old one.
    let json = fortran(
        "subroutine s(a, n)
           real(8) a(*)
           m = n/2
           read *, n
           do i = 1, m
             a(i) = 0
           end do
           m = 3
           do i = 1, m
             a(i) = 0
           end do
         end subroutine",
    );
    assert_eq!(small::function(&json, "s")["loops"][0]["upper"], "m");
    // Of the values that statements give it the largest counts.
    assert_eq!(iterations(&json, "s"), [64.0, 3.0]);
}

#[test]
fn loops_go_on_where_others_ended() {
    let json = c("double remainder(double *a, int n) {
          int i; double s = 0;
          for (i = 0; i < n - 3; i += 4) s += a[i] + a[i + 1] + a[i + 2] + a[i + 3];
          for (; i < n; i++) s += a[i];
          return s;
        }
        void halves(double *a, int n) {
          int i = 0;
          for (; i < n / 2; i++) a[i] = 0;
          for (; i < n; i++) a[i] = 1;
        }
        void whiles(double *a, int n, int j) {
          int i = 0;
          while (i < j) { a[i] = 0; i++; }
          while (i < 2 * n) { a[i] = 0; i++; }
        }
        void rows(double *a, int n) {
          for (int j = 0; j < n; j++) {
            int i;
            for (i = 0; i < n / 4; i++) a[j * n + i] = 0;
            for (; i < n; i++) a[j * n + i] = 1;
          }
        }
        void early(double *a, int n) {
          int i;
          for (i = 0; i < n; i++) if (a[i] < 0) break;
          for (; i < n; i++) a[i] = 1;
        }");
    // 128 = 32 times 4.
    assert_eq!(iterations(&json, "remainder"), [32.0, 0.0]);
    let source = "double r(double *a, int n) { int i; double s = 0; for (i = 0; i < n - 3; i += 4) s += a[i]; for (; i < n; i++) s += a[i]; return s; }";
    // 25 times 4, and 100, 101, 102.
    assert_eq!(
        iterations(&analyse(&[("a.c", source)], &["n=103"]), "r"),
        [25.0, 3.0]
    );
    assert_eq!(iterations(&json, "halves"), [64.0, 64.0]);
    assert_eq!(iterations(&json, "whiles"), [128.0, 128.0]);
    assert_eq!(iterations(&json, "rows"), [128.0 * 32.0, 128.0 * 96.0]);
    // Where the first ends is not known: a parameter.
    assert_eq!(small::reasons(&json, "early"), Vec::<String>::new());
    assert_eq!(
        small::function(&json, "early")["loops"][1]["upper"]
            .as_str()
            .map(|upper| upper.contains('i')),
        Some(true)
    );
    let json = fortran(
        "subroutine s(a, n)
           real(8) a(*)
           do i = 1, n - 3, 4
             a(i) = 0
           end do
           do j = i, n
             a(j) = 1
           end do
         end subroutine",
    );
    // 1, 5, …, 125.
    assert_eq!(iterations(&json, "s"), [32.0, 0.0]);
}
