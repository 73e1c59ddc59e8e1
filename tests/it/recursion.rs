//! Procedures that call themselves: how often they are called in all; figures by hand.

use crate::small::{analyse, c, calls, fortran, function};

/// A call of each, with the branches around the calls that go deeper taken as they are guessed.
fn near(found: f64, wanted: f64) {
    assert!((found - wanted).abs() < 1e-6 * wanted, "{found}, {wanted}");
}

#[test]
fn one_call_a_level_is_one_call_for_each_number() {
    let json = fortran(
        "
module m
contains
  recursive subroutine down(n, a)
    integer, intent(in) :: n
    real, intent(inout) :: a(100)
    integer :: i
    if (n == 0) return
    do i = 1, 100
      a(i) = a(i) + n
    end do
    call down(n - 1, a)
  end subroutine
end module
program p
  use m
  real :: a(100)
  a = 0
  call down(50, a)
  print *, a
end program",
    );
    near(calls(&json, "down"), 51.0);
    let reasons = function(&json, "down")["nests"][0]["calls_reasons"].to_string();
    assert!(reasons.contains("recursion"), "{reasons}");
}

#[test]
fn calls_multiply_along_the_depth() {
    let json = c("
#include <stdio.h>
static int fib(int n) {
  int s = 0;
  if (n < 2) return n;
  for (int i = 0; i < 10; i++) s += i * n;
  return s + fib(n - 1) + fib(n - 2);
}
int main(void) { printf(\"%d\\n\", fib(20)); return 0; }");
    // Numbers fall by 1.5 on average, from 20 to 1.
    near(calls(&json, "fib"), 2.0_f64.powf(19.0 / 1.5 + 1.0) - 1.0);
}

#[test]
fn a_search_goes_as_deep_as_its_argument_may_count() {
    let source = |ends: &str, goes_on: &str| {
        c(&format!(
            "
#include <stdio.h>
#define N 6
double best; int path[N]; double cost[N][4];
void search(int depth, double e) {{
  double s = 0;
  {ends}
  for (int k = 0; k < N; k++) s += cost[k][0];
  for (int i = 0; i < 4; i++)
    if ({goes_on})
      search(depth + 1, e + cost[depth][i] + s);
}}
int main(void) {{ search(0, 0.0); printf(\"%g\\n\", best); return 0; }}"
        ))
    };
    // Half of four ways, six levels: 1 + 2 + 4 + … + 64. How often the end is met does not count.
    let searched = |json| calls(&json, "search");
    let ways = "cost[depth][i] > e";
    near(
        searched(source(
            "if (depth == N) { if (e < best) best = e; return; }",
            ways,
        )),
        127.0,
    );
    near(searched(source("if (depth >= N) return;", ways)), 127.0);
}

#[test]
fn parts_of_a_range_are_smaller() {
    let json = c("
static void merge(double *a, int lo, int hi) { for (int i = lo; i < hi; i++) a[i] = a[i] * 2; }
static void sort(double *a, int lo, int hi) {
  int mid;
  if (hi - lo < 2) return;
  mid = (lo + hi) / 2;
  sort(a, lo, mid);
  sort(a, mid, hi);
  merge(a, lo, hi);
}
double a[4096];
int main(void) { sort(a, 0, 4096); return a[3] > 0; }");
    let nest = &function(&json, "merge")["nests"][0];
    let number = |name: &str| nest[name].as_f64().expect(name);
    // Twelve times halved; half of the calls return at once.
    near(number("calls"), 8191.0 / 2.0);
    // Each level goes through all elements once.
    near(number("all_calls_seconds"), 13.0 / 2.0 * number("seconds"));
}

#[test]
fn the_depth_of_a_tree_is_a_guess() {
    let json = c("
struct node { struct node *left, *right; double x[3]; };
static double sum(struct node *p) {
  double s = 0;
  if (!p) return 0;
  for (int i = 0; i < 3; i++) s += p->x[i];
  return s + sum(p->left) + sum(p->right);
}
extern struct node *root;
int main(void) { return sum(root) > 0; }");
    near(calls(&json, "sum"), 511.0);
}

/// Grids of a cycle become smaller from level to level.
#[test]
fn grids_of_levels_fall_in_size() {
    let json = c("
typedef struct { int cells; double *u; } grid;
static void smooth(grid *g) { for (int i = 0; i < g->cells; i++) g->u[i] *= 3.0; }
static void cycle(grid **grids, int level) {
  if (level == 5) return;
  smooth(grids[level]);
  cycle(grids, level + 1);
}
extern grid **given(void);
int main(void) { cycle(given(), 0); return 0; }");
    let nest = &function(&json, "smooth")["nests"][0];
    let number = |name: &str| nest[name].as_f64().expect(name);
    let all: f64 = (0..6).map(|level| 0.25_f64.powi(level)).sum();
    let runs = number("calls") / 6.0;
    near(number("all_calls_seconds"), runs * all * number("seconds"));
}

/// Reading numbers from text takes about as long as writing them.
#[test]
fn reading_numbers_takes_time() {
    let set = ["text_ns=150"];
    let text = "
program p
  integer :: i
  real :: x(100), y(100)
  do i = 1, 100
    read (10, *) x(i), y(i)
  end do
  do i = 1, 100
    write (*, *) x(i), y(i)
  end do
  do i = 1, 100
    read (11) x(i), y(i)
  end do
end program";
    let json = analyse(&[("a.f90", text)], &set);
    let nests = function(&json, "p")["nests"]
        .as_array()
        .expect("nests")
        .clone();
    let seconds: Vec<f64> = nests
        .iter()
        .map(|n| n["seconds"].as_f64().expect("s"))
        .collect();
    near(seconds[0], seconds[1]);
    assert!(seconds[2] < 0.1 * seconds[0], "{seconds:?}");
    let text = "
#include <stdio.h>
int main(void) {
  double x[100];
  FILE *f = fopen(\"x\", \"r\");
  for (int i = 0; i < 100; i++) fread(&x[i], 8, 1, f);
  for (int i = 0; i < 100; i++) fscanf(f, \"%lf\", &x[i]);
  return x[3] > 0;
}";
    let json = analyse(&[("a.c", text)], &set);
    let nests = function(&json, "main")["nests"]
        .as_array()
        .expect("nests")
        .clone();
    let seconds = |at: usize| nests[at]["seconds"].as_f64().expect("s");
    near(seconds(0), seconds(1));
}
