//! What decides branches for a run of which nothing is known: the rank of the first process, options that nothing seems to
//! change, and where a recursion over levels ends.

use serde_json::Value;

use crate::small::{c, calls, fortran, function, iterations};
use crate::support::command;

/// A probability, and where it comes from.
fn probability(json: &Value, name: &str) -> (f64, String) {
    let found = &json["parameters"][name];
    let value = found["value"].as_f64();
    let value = value.unwrap_or_else(|| panic!("no {name} in {}", json["parameters"]));
    let detail = found["detail"].as_str().unwrap_or_default().to_string();
    (value, detail)
}

const RANKS: &str = "
#include <mpi.h>
typedef struct { int rank, size; } sys_t;
double u[1000];
void start(sys_t *sys) {
  MPI_Comm_rank(MPI_COMM_WORLD, &sys->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &sys->size);
}
void first(void) { for (int i = 0; i < 1000; i++) u[i] *= 2.0; }
void others(void) { for (int i = 0; i < 1000; i++) u[i] *= 3.0; }
void exchange(void) { for (int i = 0; i < 1000; i++) u[i] *= 4.0; }
int main(int argc, char **argv) {
  sys_t sys;
  MPI_Init(&argc, &argv);
  start(&sys);
  for (int t = 0; t < 10; t++) {
    if (sys.rank == 0) first(); else others();
    if (sys.size > 1) exchange();
  }
}";

#[test]
fn the_first_process_decides_branches_on_its_rank() {
    let json = c(RANKS);
    let found = ["first", "others", "exchange"].map(|name| calls(&json, name));
    assert_eq!(found, [10.0, 0.0, 0.0]);
    assert_eq!(probability(&json, "prob_main_17"), (1.0, "initial".into()));
    // How many processes a run has is not known: a guess.
    assert_eq!(probability(&json, "prob_main_18"), (0.0, "default".into()));
}

const RANK: &str = "prob_work_19";

#[test]
fn a_rank_that_is_passed_on_or_changed() {
    let program = |change: &str| {
        format!(
            "
program p
  use mpi
  integer :: me, ierr
  real(8) :: a(100)
  call mpi_init(ierr)
  call ranked(me)
  {change}
  call work(a, me)
contains
  subroutine ranked(r)
    integer, intent(out) :: r
    integer :: ierr
    call mpi_comm_rank(mpi_comm_world, r, ierr)
  end subroutine
  subroutine work(x, r)
    integer, intent(in) :: r
    real(8) :: x(100)
    if (r == 0) then
      do i = 1, 100
        x(i) = 2.0d0*x(i)
      end do
    end if
  end subroutine
end program"
        )
    };
    let json = fortran(&program(""));
    assert_eq!(probability(&json, RANK), (1.0, "initial".into()));
    let json = fortran(&program("if (command_argument_count() > 1) me = 3"));
    assert_ne!(probability(&json, RANK).1, "initial");
}

/// A procedure is given the option to change, and does so where a word of the command line says so.
#[test]
fn an_option_that_a_procedure_is_given_to_change_counts_with_its_own_value() {
    let json = fortran(
        "
program p
  logical :: rows = .false.
  real(8) :: a(100)
  call words(rows)
  if (rows) then
    call by_rows(a)
  else
    call by_columns(a)
  end if
contains
  subroutine words(rows)
    logical, intent(inout) :: rows
    character(20) :: word
    integer :: i
    do i = 1, command_argument_count()
      call get_command_argument(i, word)
      if (word == '--rows') rows = .true.
    end do
  end subroutine
  subroutine by_rows(x)
    real(8) :: x(100)
    do i = 1, 100
      x(i) = 2.0d0*x(i)
    end do
  end subroutine
  subroutine by_columns(x)
    real(8) :: x(100)
    do i = 1, 100
      x(i) = 3.0d0*x(i)
    end do
  end subroutine
end program",
    );
    let found = ["by_rows", "by_columns"].map(|name| calls(&json, name));
    assert_eq!(found, [0.0, 1.0]);
    assert_eq!(probability(&json, "prob_p_6"), (0.0, "default".into()));
}

const TABLE: &str = "
typedef struct { int kind, chosen; } command;
typedef struct { const char *name; void *to; } option;
static option table[8];
static int options;
static double u[1000];
static void add(const char *name, void *to) {
  table[options].name = name;
  table[options].to = to;
  options++;
}
static void gauss(void) { for (int i = 0; i < 1000; i++) u[i] *= 2.0; }
static void jacobi(void) { for (int i = 0; i < 1000; i++) u[i] *= 3.0; }
int main(int argc, char **argv) {
  command cmd;
  cmd.kind = 2;
  add(\"kind\", &(cmd.kind));
  for (int i = 1; i < argc; i++) *(int *)table[i].to = argv[i][0] - 48;
  if (cmd.kind == 1) jacobi();
  if (cmd.kind == 2) gauss();
}";

/// Whoever has the address may change it: what the program has is a guess, which says so.
#[test]
fn an_option_whose_address_is_kept_counts_with_its_own_value_as_a_guess() {
    let json = c(TABLE);
    assert_eq!((calls(&json, "jacobi"), calls(&json, "gauss")), (0.0, 1.0));
    assert_eq!(probability(&json, "prob_main_19"), (0.0, "default".into()));
    assert_eq!(probability(&json, "prob_main_20"), (1.0, "default".into()));
}

/// An option that is copied to an array and back, as programs do that send all of their options at once.
#[test]
fn an_option_that_comes_back_from_a_copy_keeps_its_value() {
    let json = c("
#include <stdlib.h>
static double u[1000];
static void five(void) { for (int i = 0; i < 1000; i++) u[i] *= 2.0; }
static void nine(void) { for (int i = 0; i < 1000; i++) u[i] *= 3.0; }
void send(int *all, int n);
int main(int argc, char **argv) {
  struct { int points; } given;
  int all[2];
  given.points = 5;
  if (argc > 1) given.points = atoi(argv[1]);
  all[0] = given.points;
  send(all, 2);
  given.points = all[0];
  if (given.points == 5) five();
  else if (given.points == 9) nine();
}");
    assert_eq!((calls(&json, "five"), calls(&json, "nine")), (1.0, 0.0));
    assert_eq!(probability(&json, "prob_main_15"), (1.0, "default".into()));
}

#[test]
fn what_a_function_returns_decides_branches() {
    let json = c("
static int verbose = 0;
static double u[1000];
static int is_verbose(void) { return verbose; }
static void print_all(void) { for (int i = 0; i < 1000; i++) u[i] *= 2.0; }
int main(void) {
  if (is_verbose()) print_all();
  return 0;
}");
    assert_eq!(calls(&json, "print_all"), 0.0);
}

/// The solver runs on the coarsest grid, whose size nothing gives.
#[test]
fn what_runs_where_a_recursion_over_levels_ends_is_small() {
    let json = c("
typedef struct { int cells; double *u; } grid;
static void solve(grid *g) { for (int i = 0; i < g->cells; i++) g->u[i] *= 2.0; }
static void smooth(grid *g) { for (int i = 0; i < g->cells; i++) g->u[i] *= 3.0; }
static void cycle(grid **grids, int level, int last) {
  if (level == last) {
    solve(grids[level]);
    return;
  }
  smooth(grids[level]);
  cycle(grids, level + 1, last);
}
extern grid **given(int *last);
int main(void) {
  int last;
  grid **grids = given(&last);
  for (int i = 0; i < 10; i++) cycle(grids, 0, last);
}");
    let share = |name: &str| {
        let nest = &function(&json, name)["nests"][0];
        nest["share"].as_f64().expect("a share")
    };
    assert!(share("solve") < 0.02 * share("smooth"));
    let solve = &function(&json, "solve")["nests"][0];
    let reasons = solve["calls_reasons"].as_array().expect("reasons");
    assert!(reasons.iter().any(|r| r == "approximate_trip_count"));
}

/// Cycles that iterations of a loop around calls take to issue, with some settings of the machine.
fn ports(text: &str, function_name: &str, settings: &[&str]) -> f64 {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("a.c"), text).expect("a file");
    let json = command::analysed(directory.path(), &command::settings(settings));
    let nest = &function(&json, function_name)["nests"][0];
    nest["in_core"]["port_cycles"].as_f64().expect("cycles")
}

#[test]
fn calls_and_allocations_take_cycles() {
    let text = "
#include <assert.h>
#include <stdlib.h>
static void one(double *x, int n) { for (int i = 0; i < n; i++) x[i] *= 2.0; }
void around(double **x, int n) { for (int k = 0; k < n; k++) one(x[k], n); }
void sure(double *x, int n) { for (int k = 0; k < n; k++) assert(x[k] >= 0.0); }
void comes_and_goes(int n) {
  for (int k = 0; k < n; k++) { double *x = malloc(800); free(x); }
}
int main(void) { return 0; }";
    let cost = |name: &str, setting: &str| {
        let [none, some] = [0.0, 8.0].map(|value| {
            let setting = format!("machine.{setting}={value}");
            ports(text, name, &[&setting])
        });
        some - none
    };
    assert_eq!(cost("around", "call_cycles"), 8.0);
    assert_eq!(cost("around", "allocation_cycles"), 0.0);
    assert_eq!(cost("comes_and_goes", "allocation_cycles"), 16.0);
    assert_eq!(cost("comes_and_goes", "call_cycles"), 0.0);
    // A macro, which calls something when the program is wrong.
    assert_eq!(cost("sure", "call_cycles"), 0.0);
}

#[test]
fn a_branch_on_a_call_takes_its_share_of_the_cycles() {
    let text = "
void f(int n, int *seen);
void around(int n, int *wanted) {
  for (int k = 0; k < n; k++) if (wanted[k] > 3) f(n, wanted);
}
int main(void) { return 0; }";
    let [none, some] = [0.0, 8.0].map(|value| {
        let setting = format!("machine.call_cycles={value}");
        ports(text, "around", &[&setting])
    });
    assert_eq!(some - none, 4.0);
}

/// Two kinds of calls, of which loops between literals say how often they are made.
#[test]
fn branches_share_by_rounds_between_literals() {
    let json = c("
static double u[1000];
static void even(void) { for (int i = 0; i < 1000; i++) u[i] *= 2.0; }
static void odd(void) { for (int i = 0; i < 1000; i++) u[i] *= 3.0; }
static void sweep(int kind) { if (kind == 1) odd(); else even(); }
int main(void) {
  for (int k = 0; k < 10; k++) sweep(1);
  for (int k = 0; k < 30; k++) sweep(2);
}");
    assert_eq!((calls(&json, "odd"), calls(&json, "even")), (10.0, 30.0));
}

/// Conditions on words of the command line are shown as they are written.
#[test]
fn conditions_are_shown_as_in_the_source() {
    let directory = tempfile::tempdir().expect("a directory");
    let text = "
#include <string.h>
static double u[1000];
int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) if (!strcmp(argv[i], \"-2\")) u[i] *= 2.0;
}";
    std::fs::write(directory.path().join("a.c"), text).expect("a file");
    let mut listed = command::loopsheet();
    listed.args(["parameters", "--all", "--no-config"]);
    let shown = listed.arg(directory.path()).output().expect("it runs");
    let shown = String::from_utf8(shown.stdout).expect("text");
    assert!(shown.contains("if (!strcmp(argv[i],\"-2\"))"), "{shown}");
}

/// Numbers in data that are compared with the rank are ranks: with one process, all are its own.
#[test]
fn what_data_say_belongs_to_the_only_process() {
    let json = c("
#include <mpi.h>
int owner[100], me, copy;
double u[1000];
void keep(void) { for (int i = 0; i < 1000; i++) u[i] *= 2.0; }
void send(void) { for (int i = 0; i < 1000; i++) u[i] *= 3.0; }
void other(void) { for (int i = 0; i < 1000; i++) u[i] *= 4.0; }
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  copy = me;
  for (int b = 0; b < 100; b++) {
    if (owner[b] == copy) keep();
    if (me != owner[b]) send();
    if (owner[b] == b) other();
  }
}");
    let found = ["keep", "send", "other"].map(|name| calls(&json, name));
    assert_eq!(found, [100.0, 0.0, 50.0]);
    assert_eq!(probability(&json, "prob_main_13"), (1.0, "default".into()));
}

/// A run has few options, if any.
#[test]
fn options_of_the_command_line_are_few() {
    let json = c("
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
double a[1000];
int main(int argc, char **argv) {
  int option, n = 1000;
  while ((option = getopt(argc, argv, \"n:v\")) != -1) {
    if (option == 'n') n = atoi(optarg);
    else printf(\"what is -%c?\\n\", option);
  }
  for (int i = 0; i < n; i++) a[i] = i;
}");
    assert_eq!(iterations(&json, "main"), [1.0, 1000.0]);
}
