//! Nests of a program with OpenMP that run on one core.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::support::command::analysed_text;

const PROGRAM: &str = "\
#include <stdlib.h>
static double a[1000000], b[1000000];
static void both(double *x) { for (int i = 0; i < 1000000; i++) x[i] += 1.0; }
static void alone(double *x) { for (int i = 0; i < 1000000; i++) x[i] += 2.0; }
static void within(double *x) { for (int i = 0; i < 1000; i++) x[i] += 3.0; }
void nobody(double *x) { for (int i = 0; i < 1000000; i++) x[i] += 4.0; }
static void chosen(double *x) { for (int i = 0; i < 1000000; i++) x[i] += 5.0; }
static void shares(double *x) {
  for (int t = 0; t < 10; t++) {
#pragma omp parallel for
    for (int i = 0; i < 1000000; i++) x[i] += 6.0;
    for (int i = 0; i < 1000000; i++) x[i] *= 7.0;
  }
}
int main(int argc, char **argv) {
  void (*f)(double *) = chosen;
  for (int i = 0; i < 1000000; i++) a[i] = i;
#pragma omp simd
  for (int i = 0; i < 1000000; i++) b[i] = a[i];
#pragma omp parallel
  {
    within(a);
    both(a);
#pragma omp for
    for (int i = 0; i < 1000000; i++) b[i] += a[i];
  }
  both(b);
  alone(b);
  shares(b);
  f(a);
  return 0;
}
";

/// Of every nest by its function and line: whether it is serial, and its seconds.
fn nests(json: &Value) -> BTreeMap<String, (bool, f64)> {
    let functions = json["functions"].as_array().expect("functions");
    let nests = functions
        .iter()
        .flat_map(|f| f["nests"].as_array().expect("nests"));
    let one = |nest: &Value| {
        let is_serial = nest.get("serial").is_some_and(|serial| serial == true);
        let name = nest["loop"].as_str().expect("a name").to_string();
        (
            name,
            (is_serial, nest["seconds"].as_f64().expect("seconds")),
        )
    };
    nests.map(one).collect()
}

#[test]
fn nests_that_no_region_is_around_have_one_core() {
    let json = analysed_text("p.c", PROGRAM, &["--no-config"]);
    let found = nests(&json);
    let serial = found.iter().filter(|(_, (is_serial, _))| *is_serial);
    let serial: Vec<&str> = serial.map(|(name, _)| name.as_str()).collect();
    // Each thread of the region runs all of `within` and of `both`.
    let expect = [
        "alone@4",
        "both@3",
        "main@17",
        "main@19",
        "shares@12",
        "within@5",
    ];
    assert_eq!(serial, expect);
    let one_core = [
        "--no-config",
        "--set",
        "cores=1,l3_shared_by=1,cache_bytes=33554432",
    ];
    let alone = nests(&analysed_text("p.c", PROGRAM, &one_core));
    for (name, (is_serial, seconds)) in &found {
        let (_, on_one) = alone[name];
        assert_eq!(
            *is_serial,
            *seconds == on_one,
            "{name}: {seconds} and {on_one}"
        );
    }
}

#[test]
fn what_else_begins_parallel_work_leaves_all_cores_to_all() {
    let also = [
        (
            "static void both",
            "void g() { MPI_Init(0, 0); }\nstatic void both",
        ),
        (
            "static void both",
            "#define P _Pragma(\"omp parallel\")\nstatic void both",
        ),
        ("int main(", "int start("),
    ];
    for (old, new) in also {
        let text = PROGRAM.replacen(old, new, 1);
        assert_ne!(text, PROGRAM);
        let found = nests(&analysed_text("p.c", &text, &["--no-config"]));
        assert!(found.values().all(|(is_serial, _)| !is_serial), "{new}");
    }
}

#[test]
fn regions_of_fortran_end() {
    let text = "\
program p
  implicit none
  real(8) :: a(1000000), s
  integer :: i
  do i = 1, 1000000
    a(i) = i
  end do
!$omp parallel do
  do i = 1, 1000000
    a(i) = 2*a(i)
  end do
  call total(a, s)
!$omp parallel
  call scale(a)
!$omp end parallel
  print *, s
end program
subroutine total(a, s)
  real(8) :: a(1000000), s
  integer :: i
  s = 0
  do i = 1, 1000000
    s = s + a(i)
  end do
end subroutine
subroutine scale(a)
  real(8) :: a(1000000)
  integer :: i
  !$omp do
  do i = 1, 1000000
    a(i) = 3*a(i)
  end do
end subroutine
";
    let found = nests(&analysed_text("p.f90", text, &["--no-config"]));
    let serial = found.iter().filter(|(_, (is_serial, _))| *is_serial);
    let serial: Vec<&str> = serial.map(|(name, _)| name.as_str()).collect();
    assert_eq!(serial, ["p@5", "total@22"]);
}
