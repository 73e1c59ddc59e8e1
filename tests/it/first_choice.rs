//! What a run has that is given nothing, as first runs on programs that people use showed it; figures by hand.

use serde_json::{Value, json};

use crate::small::{c, calls, fortran, function, iterations};

/// A parameter of the report.
fn parameter<'j>(json: &'j Value, name: &str) -> &'j Value {
    &json["parameters"][name]
}

/// A program of the words of its command line, with something else at its end.
fn of_words(end: &str) -> Value {
    c(&format!(
        r#"
#include <stdio.h>
#include <string.h>
static double total;
static void work_on(const char *name) {{
  for (int i = 0; i < 1000; i++) total += i * (double)name[0];
}}
static void sum_up(void) {{
  for (int i = 0; i < 1000; i++) total += i;
}}
int main(int argc, char **argv) {{
  int verbose = 0;
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "-v") == 0) verbose = 1;
  for (int i = 1; i < argc; i++) {{
    if (argv[i][0] != '-') {{
      if (verbose) puts(argv[i]);
      work_on(argv[i]);
    }}
  }}
  {end}
  printf("%g", total);
  return 0;
}}"#
    ))
}

/// A program that works on nothing but its words is given one; one that does something else may have none.
#[test]
fn a_program_that_only_works_on_its_words_has_one() {
    assert!(calls(&of_words(""), "work_on") > 0.0);
    assert_eq!(calls(&of_words("sum_up();"), "work_on"), 0.0);
}

/// A loop that ends when loops inside it have counted enough, where conditions hold, passes through them a few times.
#[test]
fn what_loops_inside_count_takes_few_passes() {
    let nests = |counts: &str| {
        let json = fortran(&format!(
            "
program p
  integer :: cells(100, 100), at(10000)
  integer :: free, t, r, c
  read *, cells
  free = count(cells == 0)
  t = 1
  do while (t <= free)
    do r = 1, 100
      do c = 1, 100
        if (cells(r, c) == 0) then
          at(t) = r
          {counts}
        end if
      end do
    end do
  end do
  print *, at
end program"
        ));
        let passes = parameter(&json, "trip_p_8");
        assert_eq!(passes["origin"], "guessed", "{passes}");
        iterations(&json, "p")
    };
    let passed = |counts: &str| nests(counts).contains(&(2.0 * 10000.0));
    assert!(passed("t = t + 1"), "{:?}", nests("t = t + 1"));
    // By how much is not known.
    assert!(!passed("t = t + cells(c, r)"));
}

/// What a procedure gives a number for a while is not what it has unless the input says otherwise.
#[test]
fn what_is_taken_back_is_no_default() {
    let taken_back = fortran(
        "
module m
  integer, allocatable :: n(:)
  integer :: kinds
contains
  subroutine input()
    integer :: k
    do k = 1, kinds
      n(k) = 0
    end do
    do k = 1, kinds
      read(5, *) n(k)
      if (n(k) < 1) stop
    end do
  end subroutine
  subroutine energy(e)
    real :: e
    integer :: k
    e = 0
    do k = 1, kinds
      call sum_up(n(k), e)
    end do
  end subroutine
  subroutine sum_up(count, e)
    integer :: count, i
    real :: e
    do i = 1, count
      e = e + 1.0/i
    end do
  end subroutine
  subroutine one_of(k, e)
    integer :: k, kept
    real :: e
    kept = n(k)
    n(k) = 1
    call energy(e)
    n(k) = kept
  end subroutine
end module
program p
  use m
  real :: e
  kinds = 4
  allocate(n(kinds))
  call input()
  call one_of(1, e)
  call energy(e)
  print *, e
end program",
    );
    assert_eq!(parameter(&taken_back, "n")["origin"], "guessed");
    assert_eq!(iterations(&taken_back, "sum_up"), [128.0]);
}

/// A list that is allocated with one element where there is none, and lengthened from then on, is as long as nothing says.
#[test]
fn what_a_list_begins_with_says_nothing_of_its_length() {
    let json = fortran(
        "
module m
  type site
    real, allocatable :: kinds(:)
  end type
contains
  subroutine append(list, item)
    real, allocatable, intent(inout) :: list(:)
    real, intent(in) :: item
    real, allocatable :: old(:)
    integer :: n
    if (.not. allocated(list)) then
      allocate(list(1))
      list(1) = item
    else
      n = size(list)
      allocate(old(n))
      old = list
      deallocate(list)
      allocate(list(n + 1))
      list(1:n) = old
      list(n + 1) = item
    end if
  end subroutine
  subroutine grow(here)
    type(site), intent(inout) :: here
    integer :: k, kinds
    kinds = size(here%kinds)
    do k = 1, kinds
      here%kinds(k) = here%kinds(k)*1.01
    end do
  end subroutine
end module
program p
  use m
  type(site) :: here
  real :: item
  integer :: known, k
  read *, known
  if (known == 0) then
    allocate(here%kinds(0))
  else
    do k = 1, known
      read *, item
      call append(here%kinds, item)
    end do
  end if
  call grow(here)
  print *, here%kinds
end program",
    );
    let guessed = |name: &str| function(&json, name)["nests"][0]["guessed"].clone();
    assert!(iterations(&json, "grow")[0] > 100.0);
    assert_eq!(guessed("grow"), json!(["n"]));
}

/// What is allocated only where it is not says nothing of the length that it comes with.
#[test]
fn a_list_that_comes_has_not_the_length_that_it_would_get() {
    let json = fortran(
        "
module m
contains
  subroutine scaled(list)
    real, allocatable, intent(inout) :: list(:)
    integer :: n, k
    if (.not. allocated(list)) then
      allocate(list(3))
      do k = 1, size(list)
        list(k) = 1.0
      end do
    else
      n = size(list)
      do k = 1, n
        list(k) = list(k)*2.0
      end do
    end if
  end subroutine
end module
program p
  use m
  real, allocatable :: x(:)
  allocate(x(100))
  x = 1.0
  call scaled(x)
  print *, x
end program",
    );
    let [made, came] = [0, 1].map(|at| &function(&json, "scaled")["nests"][at]);
    // In half of the calls, as nothing says which.
    assert_eq!(
        (&made["iterations"], &made["guessed"]),
        (&json!(1.5), &json!(["prob_scaled_7"]))
    );
    assert_eq!(came["guessed"], json!(["prob_scaled_7", "size_list"]));
}

/// What a loop over scalars counts are its rounds, as many as it is taken to have.
#[test]
fn what_a_loop_counts_are_its_rounds() {
    let json = fortran(
        "
subroutine halved(x, c)
  real :: x, c
  integer :: n, i
  n = 0
  do while (x >= 0.1)
    n = n + 1
    x = x*0.25
  end do
  do i = n, 1, -1
    c = 2*c*c - 1
  end do
end subroutine
program p
  real :: x, c
  read *, x, c
  call halved(x, c)
  print *, c
end program",
    );
    let nests = iterations(&json, "halved");
    assert_eq!(nests[0], nests[1]);
    let guessed = &function(&json, "halved")["nests"][1]["guessed"];
    assert_eq!(guessed[0], "trip_halved_6", "{guessed}");
}

/// A pointer that some calls leave out is asked for as often as these run, also by a name for the answer.
#[test]
fn what_some_calls_leave_out_is_there_as_often_as_the_others_run() {
    let times = |asks: &str| {
        let json = c(&format!(
            "
#include <stdio.h>
static double packed(const double *x, double *out) {{
  double sum = 0;
  int is_counted = !out;
  for (int i = 0; i < 100; i++) sum += x[i];
  if ({asks})
    for (int i = 0; i < 100; i++) out[i] = x[i];
  return sum;
}}
int main(void) {{
  double x[100] = {{0}}, y[100], sum = 0;
  for (int k = 0; k < 9; k++) sum += packed(x, NULL);
  sum += packed(x, y);
  printf(\"%g %g\", sum, y[3]);
  return 0;
}}"
        ));
        let nest = &function(&json, "packed")["nests"][1];
        assert!(nest["guessed"].is_array(), "{nest}");
        nest["iterations"].as_f64().expect("a number")
    };
    for asks in ["out", "out != NULL", "!is_counted"] {
        assert!((times(asks) - 10.0).abs() < 1e-9, "{asks}: {}", times(asks));
    }
    for asks in ["!out", "is_counted", "out == NULL"] {
        assert!((times(asks) - 90.0).abs() < 1e-9, "{asks}: {}", times(asks));
    }
}
