//! Sizes and shares that a first look finds without being told: words of the input, decompositions, intervals.

use serde_json::Value;

use crate::small::{analyse, c, fortran, function, iterations};

fn detail<'j>(json: &'j Value, name: &str) -> &'j str {
    json["parameters"][name]["detail"]
        .as_str()
        .unwrap_or("none")
}

const KEYS: &str = "
module setup
  integer :: cells, limit
contains
  subroutine read_options
    character(80) :: word
    integer :: other
    cells = 10
    limit = 20
    open (unit=10, file='run.in', status='old')
    do
      read (10, *, end=9) word
      select case (word)
      case ('grid')
        read (10, *) cells
      case ('max_iters', 'iters')
        limit = next()
      case ('both')
        read (10, *) other, limit
      end select
    end do
9   continue
  end subroutine
  integer function next()
    read (10, *) next
  end function
end module
program p
  use setup
  real(8) :: a(100000), b(100000)
  call read_options
  do i = 1, cells
    a(i) = 2
  end do
  do i = 1, limit
    b(i) = 2
  end do
end program";

/// The word that is compared before a variable is read is what the input calls it.
#[test]
fn the_word_before_a_value_is_its_name() {
    let with = |input: &str| analyse(&[("p.f90", KEYS), ("run.in", input)], &[]);
    let json = with("grid 700\nmax_iters 300\n");
    assert_eq!(iterations(&json, "p"), [700.0, 300.0]);
    assert_eq!(detail(&json, "cells"), "input");
    assert!(
        !json.to_string().contains(
            "not taken, as it names no number or truth value that the program reads: grid"
        )
    );
    // Its own name is one as well, and what one word has two values behind it names neither.
    let json = with("cells = 600\nboth = 5\n");
    assert_eq!(iterations(&json, "p"), [600.0, 20.0]);
    let program = "
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
double a[100000];
int main(void) {
    int n = 50;
    char key[80], value[80];
    FILE *file = fopen(\"run.in\", \"r\");
    while (fscanf(file, \"%s = %s\", key, value) == 2) {
        if (strcmp(key, \"points\") == 0) n = atoi(value);
        else if (!strcmp(key, \"seed\")) srand(atoi(value));
    }
    for (int i = 0; i < n; i++) a[i] = 1;
}";
    let json = analyse(
        &[("p.c", program), ("run.in", "points = 900\nseed = 3\n")],
        &[],
    );
    assert_eq!(*iterations(&json, "main").last().expect("a loop"), 900.0);
}

/// Cells that do not divide evenly go to the first chunks: of one chunk, to none. Counted so, all cells are its own.
#[test]
fn one_chunk_has_all_cells() {
    let program = |chunks: &str| {
        fortran(&format!(
            "
module grid
  integer :: cells = 1000, left, right
end module
subroutine decompose(chunks)
  use grid
  integer :: chunks, c, width, more, extra, before
  width = cells/chunks
  more = mod(cells, chunks)
  before = 0
  do c = 1, chunks
    extra = 0
    if (c <= more) extra = 1
    if (c == 1) then
      left = (c - 1)*width + 1 + before
      right = left + width - 1 + extra
    end if
    if (c <= more) before = before + 1
  end do
end subroutine
program p
  use grid
  integer :: n
  real(8), allocatable :: a(:)
  {chunks}
  call decompose(n)
  allocate (a(left:right))
  do i = left, right
    a(i) = 2
  end do
end program"
        ))
    };
    assert_eq!(iterations(&program("n = 1"), "p"), [1000.0]);
    // How many there are is read: any may have one more.
    let open = program("read *, n");
    assert_ne!(iterations(&open, "p"), [1000.0]);
}

/// A variable is one behind where its loop ends: what asks for that behind the loop is reached.
#[test]
fn behind_its_loop_a_variable_is_past_the_end() {
    let json = fortran(
        "
program p
  integer :: i, n
  real(8) :: a(3000)
  n = 10
  do i = 1, 4
    if (a(i) > 0) exit
  end do
  if (i > 4) n = 2000
  do i = 1, n
    a(i) = 2
  end do
end program",
    );
    assert_eq!(iterations(&json, "p").last(), Some(&2000.0));
}

#[test]
fn what_is_done_every_so_often_has_that_share() {
    let json = fortran(
        "
program p
  real(8) :: a(1000)
  integer :: step, every
  every = 20
  do step = 1, 400
    a(1) = a(1) + step
    if (mod(step, every) == 0) call report(a)
    if (mod(step, 4) /= 0) call sweep(a)
  end do
contains
  subroutine report(x)
    real(8) :: x(1000)
    do i = 1, 1000
      x(i) = 2*x(i)
    end do
  end subroutine
  subroutine sweep(x)
    real(8) :: x(1000)
    do i = 1, 1000
      x(i) = 3*x(i)
    end do
  end subroutine
end program",
    );
    let calls = |name: &str| function(&json, name)["nests"][0]["calls"].as_f64();
    assert_eq!((calls("report"), calls("sweep")), (Some(20.0), Some(300.0)));
    // In what is decided once for all, nothing says which way it goes.
    let json = c("
        void f(int n, double *a) {
            for (int i = 0; i < 100; i++) if (n % 2 == 0) a[i] = 1;
        }");
    let probability = &json["parameters"]["prob_f_3"];
    assert_eq!(probability["value"], 0.5, "{probability}");
    assert_eq!(probability["origin"], "guessed");
}

/// How many there are of something in each of many places is data; how far a grid goes in each direction is its size.
#[test]
fn what_a_table_says_for_each_of_many_is_few() {
    let program = |last: &str| {
        c(&format!(
            "
#include <stdlib.h>
int count[1000], cell_of[5000];
double *x;
void work(int cell) {{
    int n = count[cell];
    for (int i = 0; i < n; i++) x[64*cell + i] *= 2;
}}
int main(void) {{
    for (int i = 0; i < 1000; i++) count[i] = 0;
    for (int i = 0; i < 5000; i++) count[cell_of[i]]++;
    for (int i = 0; i < 1000; i++) work(i);
    {last}
}}"
        ))
    };
    assert_eq!(iterations(&program(""), "work"), [8.0]);
    // An element by its number, or one that is read, is no entry of a table.
    for last in ["count[1]++;", "count[cell_of[0]] = atoi(\"9\");"] {
        assert!(iterations(&program(last), "work")[0] >= 128.0, "{last}");
    }
}

fn reasons(json: &Value, name: &str) -> Vec<String> {
    let nest = &function(json, name)["nests"][0];
    let codes = nest["reasons"].as_array().expect("reasons");
    let codes = codes.iter().filter_map(Value::as_str);
    codes.map(str::to_string).collect()
}

/// What elements of arrays begin with is known like what scalars do.
#[test]
fn sizes_in_tables_are_known() {
    let json = c("double a[100][100];
int dims[3] = {30, 40, 50};
static const int edge[2][2] = {{7, 8}, {9, 10}};
int main(void) {
  int own[2] = {11, 12};
  for (int i = 0; i < dims[0]; i++)
    for (int j = 0; j < dims[2]; j++) a[i][j] += 1.0;
  for (int i = 0; i < edge[1][0]; i++) a[i][0] += 2.0;
  for (int i = 0; i < own[1]; i++) a[i][0] += 2.0;
}
");
    assert_eq!(iterations(&json, "main"), [1500.0, 9.0, 12.0]);
    let json = fortran(
        "program p
  integer :: dims(0:2) = (/ 30, 40, 50 /), loc(2), i
  integer, parameter :: c(2) = [7, 9]
  real(8) :: a(100)
  data loc /11, 12/
  do i = 1, dims(2)
    a(i) = a(i) + 1
  end do
  do i = 1, c(2)
    a(i) = a(i) + 1
  end do
  do i = 1, loc(2)
    a(i) = a(i) + 1
  end do
end program",
    );
    assert_eq!(iterations(&json, "p"), [50.0, 9.0, 12.0]);
}

/// An element that a statement changes as well has several values.
#[test]
fn tables_that_change_are_marked() {
    let json = c("double a[100];
int dims[2] = {30, 40};
void grow(void) { if (a[3] > 3) dims[1] = 60; }
void work(void) { for (int i = 0; i < dims[1]; i++) a[i] += 1.0; }
int main(void) { grow(); work(); }
");
    assert_eq!(iterations(&json, "work"), [60.0]);
    assert_eq!(reasons(&json, "work"), ["several_sizes"]);
}

/// `f` runs with 17 and with 5.
#[test]
fn structures_in_tables_begin_with_their_own_values() {
    let json = c("typedef struct { int n, m; } Pair;
Pair one = {17, 6}, several[2] = {{2, 4}, {5, 8}};
double a[1000];
void f(Pair *q) { for (int i = 0; i < q->n; i++) a[i] += 1.0; }
int main(void) { f(&one); f(&several[1]); }
");
    assert_eq!(reasons(&json, "f"), ["several_sizes"]);
}

/// A store through a pointer is not followed: what it may change is not known by its other values.
#[test]
fn what_a_pointer_may_change_is_marked() {
    for kept in ["int *p = &n; *p = 4;", "int *p; p = &n; *p += 4;"] {
        let json = c(&format!(
            "double a[100];
int main(void) {{
  int n = 26;
  {kept}
  for (int i = 0; i < n; i++) a[i] += 1.0;
}}
"
        ));
        assert_eq!(reasons(&json, "main"), ["several_sizes"], "{kept}");
    }
}

/// Arms that move a counter by different steps: 60 iterations, or 30, or any number between.
#[test]
fn steps_that_differ_by_arm_do_not_count() {
    let json = c("double a[100], b[100];
void f(void) {
  int i = 0;
  while (i < 60) {
    a[i] += 1.5;
    if (b[i] > 3) i += 2; else i++;
  }
}
void g(void) {
  int i = 0;
  while (i < 60) {
    a[i] += 1.5;
    if (b[i] > 3) i += 2; else i += 2;
  }
}
int main(void) { f(); g(); }
");
    assert!(
        !reasons(&json, "f").is_empty(),
        "{:?}",
        iterations(&json, "f")
    );
    assert_eq!(iterations(&json, "g"), [30.0]);
    assert_eq!(reasons(&json, "g"), [""; 0]);
}

/// The 4 that `n` begins with is what the loop runs with unless the condition holds.
#[test]
fn what_a_condition_may_change_is_marked() {
    let json = c("double a[100], b[4];
int n = 4;
int main(void) {
  if (b[0] > 2) n = 60;
  for (int i = 0; i < n; i++) a[i] += 1.0;
}
");
    assert_eq!(reasons(&json, "main"), ["several_sizes"]);
}

/// 4 + 40 calls of `smooth`.
#[test]
fn calls_by_the_largest_of_several_sizes_are_marked() {
    let json = c("double a[100];
void smooth(void) { for (int i = 0; i < 10; i++) a[i] *= 2.0; }
void work(int n) { for (int k = 0; k < n; k++) smooth(); }
int main(void) { work(4); work(40); }
");
    let nest = &function(&json, "smooth")["nests"][0];
    assert_eq!(nest["calls_reasons"], serde_json::json!(["several_sizes"]));
}

/// A size that halves on the way to the call is not what it began with.
#[test]
fn passed_sizes_that_change_are_marked() {
    let json = fortran(
        "program p
  integer :: n
  n = 14
  n = n/2
  call f(n)
contains
  subroutine f(q)
    integer, intent(in) :: q
    real(8) :: a(100)
    integer :: i
    do i = 1, q
      a(i) = 2
    end do
  end subroutine
end program",
    );
    assert_eq!(reasons(&json, "f"), ["several_sizes"]);
}

/// Blocks have variables of their own: all that is computed goes by names, so each needs one.
#[test]
fn blocks_have_variables_of_their_own() {
    let block = |declared: &str| format!("{{ {declared} for (int i = 0; i < n; i++) a[i] += 1; }}");
    for [first, second] in [
        ["const int n = 17;", "const int n = 1000;"],
        ["int n = 17;", "int n = 1000;"],
        ["enum { n = 17 };", "enum { n = 1000 };"],
    ] {
        let (first, second) = (block(first), block(second));
        let json = c(&format!(
            "double a[2000];
int main(void) {{
  {first}
  {second}
}}
"
        ));
        assert_eq!(iterations(&json, "main"), [17.0, 1000.0], "{first}");
    }
    let json = c("double a[20000];
int k = 100;
int main(void) {
  const int n = 17;
  for (int i = 0; i < k; i++) a[i] += 1;
  int k = 9000;
  for (int i = 0; i < k; i++) a[i] += 1;
  for (int r = 0; r < 3; r++) {
    const int n = 1000;
    for (int i = 0; i < n; i++) a[i] += 1;
  }
  for (int i = 0; i < n; i++) a[i] += 1;
}
");
    assert_eq!(iterations(&json, "main"), [100.0, 9000.0, 3000.0, 17.0]);
}

/// What keeps an address may change all that is reached from there.
#[test]
fn what_an_address_reaches_is_marked() {
    for change in [
        "int *p = own; p[1] = 45;",
        "int *p = own + 1; *p = 45;",
        "int *p = &own[0]; p[1] = 45;",
        "struct { int *at; } s = {&own[1]}; *s.at = 45;",
        "elsewhere(own);",
        "memcpy(own, a, sizeof own);",
    ] {
        let json = c(&format!(
            "#include <string.h>
void elsewhere(int *x);
double a[100];
int main(void) {{
  int own[2] = {{11, 12}};
  {change}
  for (int i = 0; i < own[1]; i++) a[i] += 1;
}}
"
        ));
        assert!(!reasons(&json, "main").is_empty(), "{change}");
    }
}

/// 100/8 + 1, 7 + 1, 5 and 3 + 1.
#[test]
fn comparisons_in_sizes_are_one_or_nothing() {
    let json = c("double a[1000];
int main(void) {
  int rank = 2, size = 8, cells = 100, some = 103;
  int n = cells/size + (rank < cells % size);
  int big = (cells > 50)*7 + 1;
  int left = (some & 3) + !(cells == 3);
  for (int i = 0; i < n; i++) a[i] += 1.0;
  for (int i = 0; i < big; i++) a[i] += 1.0;
  for (int i = 0; i < !cells + 5; i++) a[i] += 1.0;
  for (int i = 0; i < left; i++) a[i] += 1.0;
  return 0;
}
");
    assert_eq!(iterations(&json, "main"), [13.0, 8.0, 5.0, 4.0]);
}

/// 64 blocks of 1000, of which a process among four has a quarter: which ones is not known, so the count has a mark.
#[test]
fn blocks_whose_remainder_is_the_rank_are_shared_out() {
    let json = analyse(
        &[(
            "a.c",
            "#include <mpi.h>
double a[1000];
int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int b = 0; b < 64; b++)
    if (b % size == rank)
      for (int i = 0; i < 1000; i++) a[i] += b;
  MPI_Finalize();
  return 0;
}",
        )],
        &["size=4"],
    );
    assert_eq!(iterations(&json, "main"), [16_000.0]);
    assert!(!reasons(&json, "main").is_empty());
}

/// What `memset` leaves in a structure is not what statements gave its components before.
#[test]
fn components_that_memset_clears_are_marked() {
    let program = |clear: &str| {
        c(&format!(
            "#include <string.h>
struct limits {{ int n; }};
double v[1000];
int main(void) {{
  struct limits d;
  d.n = 10;
  {clear}
  for (int i = 0; i < d.n; i++) v[i] += 1;
  return 0;
}}"
        ))
    };
    assert_eq!(iterations(&program(""), "main"), [10.0]);
    assert!(reasons(&program(""), "main").is_empty());
    let cleared = program("memset(&d, 0, sizeof d);");
    assert!(!reasons(&cleared, "main").is_empty());
}
