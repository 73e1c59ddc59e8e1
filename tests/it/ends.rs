//! Ends of the program that are no error: what stands behind them does not run, and loops that come to them are shorter.

use serde_json::Value;

use crate::small::{analyse, c, fortran, function, iterations};

fn reasons(json: &Value, name: &str, nest: usize) -> Vec<String> {
    let nests = function(json, name)["nests"].as_array().expect("nests");
    let reasons = nests[nest]["reasons"].as_array().expect("reasons");
    let texts = reasons.iter().map(|one| one.as_str().expect("a code"));
    texts.map(str::to_string).collect()
}

const TIME_LOOP: &str = "#include <stdlib.h>
double a[1000];
static void finish(int status) { exit(status); }
int main(void) {
  for (int t = 0; t < 100; t++) {
    if (CONDITION) END;
    for (int i = 0; i < 1000; i++) a[i] += 1;
  }
  return 0;
}
";

#[test]
fn loops_run_to_where_they_end_the_program() {
    for end in ["exit(0)", "finish(0)", "{ a[0] = 1; exit(3); }"] {
        for condition in ["t == 49", "t > 48", "49 <= t"] {
            let source = TIME_LOOP.replace("CONDITION", condition);
            let json = c(&source.replace("END", end));
            assert_eq!(iterations(&json, "main"), [49_000.0], "{end}, {condition}");
            assert_eq!(reasons(&json, "main", 0), [""; 0], "{end}, {condition}");
        }
    }
    // It never gets there, and nobody expects that storage is missing or numbers are none.
    for condition in ["t == 200", "t < 0", "!malloc(8)", "a[t] != a[t]"] {
        let source = TIME_LOOP.replace("CONDITION", condition);
        let json = c(&source.replace("END", "exit(1)"));
        assert_eq!(iterations(&json, "main"), [100_000.0], "{condition}");
        assert_eq!(reasons(&json, "main", 0), [""; 0], "{condition}");
    }
    // Data may decide that it does.
    let source = TIME_LOOP.replace("CONDITION", "a[t] > 1e9");
    let json = c(&source.replace("END", "exit(1)"));
    assert_eq!(iterations(&json, "main"), [100_000.0]);
    assert_eq!(reasons(&json, "main", 0), ["approximate_trip_count"]);
}

#[test]
fn numbers_decide_ends_in_called_procedures_that_say_that_something_is_wrong() {
    let source = "#include <stdio.h>
#include <stdlib.h>
double a[100];
static void fail(const char *text) { fprintf(stderr, \"%s\\n\", text); exit(1); }
static void check(int t) { if (t >= 30) fail(\"too far\"); }
static void between(int t) { check(t + 1); }
int main(void) {
  for (int t = 0; t < 100; t++) {
    CALL;
    for (int i = 0; i < 50; i++) a[i] += 1;
  }
  for (int i = 0; i < 70; i++) a[i] += 1;
  return 0;
}
";
    for (call, expect) in [("check(t)", 1500.0), ("between(t)", 1450.0)] {
        let json = c(&source.replace("CALL", call));
        assert_eq!(iterations(&json, "main"), [expect, 0.0], "{call}");
        assert_eq!(reasons(&json, "main", 0), [""; 0], "{call}");
    }
}

/// What else decides that something is wrong marks the loops, and what is behind is a guess or an assumption.
#[test]
fn ends_that_say_that_something_is_wrong_mark_the_loops_around() {
    for (body, call) in [
        ("static int n = 0; n++; if (n > 12) exit(3);", "check(t);"),
        ("if (t % 4 == 0 && t > 5) exit(2);", "check(t);"),
        (
            "if (table[t % 4] < 0) { puts(\"negative\"); exit(1); }",
            "check(t);",
        ),
        ("now += 0.5; if (now > 10) exit(1);", "check(t);"),
        (
            "if (t == 40) exit(1);",
            "for (int s = 0; s < 2; s++) check(t + s);",
        ),
        (
            "if (++steps == 40) { puts(\"limit\"); exit(1); } a[0] = 1;",
            "check(t);",
        ),
    ] {
        let source = "#include <stdio.h>
#include <stdlib.h>
double a[100], now;
int table[4] = { 1, 2, -3, 4 }, steps;
static void check(int t) { BODY }
int main(void) {
  for (int t = 0; t < 100; t++) {
    CALL
    for (int i = 0; i < 50; i++) a[i] += 1;
  }
  for (int i = 0; i < 70; i++) a[i] += 1;
  return 0;
}
";
        let json = c(&source.replace("BODY", body).replace("CALL", call));
        let nests = function(&json, "main")["nests"].as_array().expect("nests");
        for nest in nests.iter().filter(|nest| nest["iterations"] != 70.0) {
            let reasons = nest["reasons"].as_array().expect("reasons");
            let is_marked = reasons.iter().any(|one| one == "approximate_trip_count");
            assert!(is_marked || nest["iterations"] == 0.0, "{body}: {nest}");
        }
        let parameters = json["parameters"].as_object().expect("parameters");
        let is_last = nests.iter().any(|nest| nest["iterations"] == 70.0);
        let is_set = parameters
            .values()
            .any(|row| row["kind"] == "probability" && row["origin"] == "guessed");
        assert!(!is_last || is_set, "{body}: {parameters:?}");
    }
}

#[test]
fn calls_in_values_end_the_program_too() {
    let source = "#include <stdlib.h>
double a[100];
static int usage(void) { exit(0); return 1; }
int main(void) {
  for (int i = 0; i < 50; i++) a[i] += 1;
  CALL
  for (int i = 0; i < 70; i++) a[i] += 1;
  return 0;
}
";
    for (call, behind) in [
        ("int n = usage();", 0.0),
        ("if (usage() == 3) a[0] = 1;", 0.0),
        ("a[0] = 2.0 + usage();", 0.0),
        ("if (a[0] < 0 && usage()) a[0] = 1;", 70.0),
    ] {
        let json = c(&source.replace("CALL", call));
        assert_eq!(iterations(&json, "main"), [50.0, behind], "{call}");
    }
}

#[test]
fn loops_of_fortran_do_so_too() {
    let source = "program p
  implicit none
  integer :: t, i
  real(8) :: a(1000) = 0
  do t = 1, 100
    if (t == 50) END
    do i = 1, 1000
      a(i) = a(i) + 1
    end do
  end do
end program
subroutine finish()
  print *, 'done'
  stop
end subroutine
";
    for end in ["stop", "call finish()"] {
        let json = fortran(&source.replace("END", end));
        assert_eq!(iterations(&json, "p"), [49_000.0], "{end}");
    }
}

/// Where the iterations are not exact, they are marked, and what is behind is no more than a guess.
#[test]
fn ends_that_are_not_followed_exactly_are_marked() {
    for body in [
        "for (int s = 0; s < 9; s++) { if (s == 4 && t == 5) exit(0); WORK }",
        "WORK if (t == 49) exit(0); WORK",
        "step(t); WORK",
        "tick(); WORK",
        "for (int s = 0; s < 9; s++) { if (s == 5) exit(0); WORK } WORK",
    ] {
        let source = "#include <stdlib.h>
double a[1000];
int n;
static void step(int t) { if (t == 30) exit(0); for (int i = 0; i < 10; i++) a[i] += 1; }
static void tick(void) { n++; if (n == 30) exit(0); for (int i = 0; i < 10; i++) a[i] += 1; }
int main(void) {
  for (int t = 0; t < 100; t++) { BODY }
  for (int i = 0; i < 10; i++) a[i] += 1;
  return 0;
}
";
        let work = "for (int i = 0; i < 10; i++) a[i] += 1;";
        let source = source.replace("BODY", &body.replace("WORK", work));
        let json = c(&source);
        let nests = function(&json, "main")["nests"].as_array().expect("nests");
        let (last, around) = nests.split_last().expect("nests");
        for nest in around {
            let reasons = nest["reasons"].as_array().expect("reasons");
            let is_marked = reasons.iter().any(|one| one == "approximate_trip_count");
            assert!(is_marked, "{body}: {nest}");
        }
        let is_guessed = last["guessed"]
            .as_array()
            .is_some_and(|all| !all.is_empty());
        let is_none = last["iterations"] == 0.0;
        assert!(is_guessed || is_none, "{body}: {last}");
    }
}

#[test]
fn nothing_runs_behind_an_end() {
    let json = c("#include <stdlib.h>
double a[1000];
static void die(int status) { exit(status); }
int main(void) {
  for (int i = 0; i < 10; i++) a[i] += 1;
  for (int t = 0; t < 7; t++) {
    for (int i = 0; i < 10; i++) a[i] += 1;
    continue;
    for (int i = 0; i < 10; i++) a[i] += 1;
  }
  die(0);
  for (int i = 0; i < 10; i++) a[i] += 1;
  return 0;
}
");
    assert_eq!(iterations(&json, "main"), [10.0, 70.0, 0.0, 0.0]);
    for end in ["stop", "return"] {
        let json = fortran(&format!(
            "program p
  integer :: i
  real(8) :: a(10) = 0
  do i = 1, 10
    a(i) = a(i) + 1
  end do
  {end}
  do i = 1, 10
    a(i) = a(i) + 1
  end do
end program
"
        ));
        assert_eq!(iterations(&json, "p"), [10.0, 0.0], "{end}");
    }
}

/// An arm that ends the program and what stands behind the branch run once together; what says that something is wrong
/// does not run.
#[test]
fn arms_that_end_the_program_leave_the_rest_to_the_others() {
    let source = "#include <stdio.h>
#include <stdlib.h>
double a[1000];
int main(int argc, char **argv) {
  if (argc > 5) { ARM exit(STATUS); }
  for (int i = 0; i < 10; i++) a[i] += 1;
  return 0;
}
";
    let work = "for (int i = 0; i < 10; i++) a[i] += 1;";
    let json = c(&source.replace("ARM", work).replace("STATUS", "0"));
    let both = iterations(&json, "main");
    assert_eq!(both.iter().sum::<f64>(), 10.0, "{both:?}");
    let json = c(&source
        .replace("ARM", "puts(\"usage\");")
        .replace("STATUS", "1"));
    assert_eq!(iterations(&json, "main"), [10.0]);
}

#[test]
fn a_function_beside_its_caller_comes_before_the_library() {
    let caller = "double a[1000];
void exit(int);
int main(void) {
  for (int t = 0; t < 10; t++) {
    if (t == 4) exit(3);
    for (int i = 0; i < 10; i++) a[i] += 1;
  }
  return 0;
}
";
    let own = "int calls;\nvoid exit(int k) { calls += k; }\n";
    let json = analyse(&[("a.c", caller), ("b.c", own)], &[]);
    assert_eq!(iterations(&json, "main"), [100.0]);
    let json = analyse(&[("a.c", caller)], &[]);
    assert_eq!(iterations(&json, "main"), [40.0]);
}

/// What the library puts where an address leads is not what was there before.
#[test]
fn what_the_library_gives_is_marked_or_guessed() {
    for statement in [
        "int n = 10; fread(&n, sizeof n, 1, stdin);",
        "int n = 10; read(0, &n, sizeof n);",
        "int n = 10; scanf(\"%d\", &n);",
        "int n = 10; fscanf(stdin, \"%d\", &n);",
        "int n = 10; frexp(1000.0, &n);",
        "qsort(t, 4, sizeof(int), 0); int n = t[0];",
    ] {
        let json = c(&format!(
            "#include <stdio.h>
#include <stdlib.h>
#include <math.h>
double a[1000];
int t[4] = {{4, 3, 2, 1}};
int main(void) {{
  {statement}
  for (int i = 0; i < n; i++) a[i] += 1;
  return 0;
}}
"
        ));
        let nest = &function(&json, "main")["nests"][0];
        let is_empty = |key: &str| nest[key].as_array().is_none_or(Vec::is_empty);
        assert!(
            !is_empty("reasons") || !is_empty("guessed"),
            "{statement}: {nest}"
        );
    }
}

#[test]
fn components_that_only_a_computed_address_leads_to_are_marked() {
    let json = c("double a[1000];
struct S { int n, m; } one = {5, 6};
struct S *gs(void) { return &one; }
int main(void) {
  gs()->n = 300;
  for (int i = 0; i < one.n; i++) a[i] += 1;
  return 0;
}
");
    assert_eq!(reasons(&json, "main", 0), ["several_sizes"]);
}

#[test]
fn regions_say_which_threads_run_their_loops() {
    let json = c("double a[1000], b[1000];
static void shared(void) {
  #pragma omp for
  for (int i = 0; i < 100; i++) a[i] += 1;
}
static void alone(void) {
  #pragma omp single
  for (int i = 0; i < 200; i++) b[i] += 1;
}
static void each(void) { for (int i = 0; i < 300; i++) b[i] += 1; }
static void once(void) { for (int i = 0; i < 400; i++) b[i] += 1; }
int main(void) {
  #pragma omp parallel
  {
    shared();
    alone();
    each();
    #pragma omp master
    once();
    #pragma omp sections
    {
      #pragma omp section
      for (int i = 0; i < 500; i++) a[i] += 1;
      #pragma omp section
      for (int i = 0; i < 600; i++) b[i] += 1;
    }
    #pragma omp single
    {
      #pragma omp taskloop
      for (int i = 0; i < 700; i++) a[i] += 1;
    }
  }
  return 0;
}
");
    let functions = json["functions"].as_array().expect("functions");
    let nests = functions
        .iter()
        .flat_map(|function| function["nests"].as_array().expect("nests"));
    let mut found: Vec<(f64, bool, bool)> = Vec::new();
    for nest in nests {
        let reasons = nest["reasons"].as_array().expect("reasons");
        let is_repeated = reasons.iter().any(|one| one == "repeated_by_threads");
        let iterations = nest["iterations"].as_f64().expect("a number");
        found.push((iterations, nest["serial"] == true, is_repeated));
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    let expect = [
        (100.0, false, false),
        (200.0, true, false),
        (300.0, true, true),
        (400.0, true, false),
        (500.0, true, false),
        (600.0, true, false),
        (700.0, false, false),
    ];
    assert_eq!(found, expect);
}

#[test]
fn labels_among_arguments_are_read() {
    let json = fortran(
        "program p
  integer :: i
  real(8) :: a(100) = 0
  call s(4, *100)
  do i = 1, 20
    a(i) = a(i) + 1
  end do
100 continue
  do i = 1, 30
    a(i) = a(i) + 1
  end do
  print *, a(1)
contains
  subroutine s(k, *)
    integer, intent(in) :: k
    if (k > 3) return 1
  end subroutine
end program
",
    );
    assert_eq!(
        json["diagnostics"].as_array().map_or(0, Vec::len),
        0,
        "{}",
        json["diagnostics"]
    );
    // Which way it goes is a guess.
    assert_eq!(iterations(&json, "p")[1], 30.0);
    let nests = function(&json, "p")["nests"].as_array().expect("nests");
    let guessed = nests[0]["guessed"].as_array().expect("guesses");
    assert!(!guessed.is_empty(), "{}", nests[0]);
}

#[test]
fn conditions_that_variables_hold_are_those_conditions() {
    let json = fortran(
        "program p
  implicit none
  integer :: i, k, n
  logical :: inside, late
  real(8) :: a(100) = 0
  n = 30
  do i = 1, n
    inside = i > 1 .and. i < n
    late = .false.
    if (i > 20) late = .true.
    if (inside) then
      do k = 1, 5
        a(k) = a(k) + 1
      end do
    end if
    if (.not. inside) then
      do k = 1, 7
        a(k) = a(k) + 1
      end do
    end if
    if (late) then
      do k = 1, 11
        a(k) = a(k) + 1
      end do
    end if
  end do
  print *, a(1)
end program
",
    );
    let mut found = iterations(&json, "p");
    found.sort_by(f64::total_cmp);
    let found: Vec<f64> = found
        .iter()
        .map(|count| (count * 1e6).round() / 1e6)
        .collect();
    assert_eq!(found, [14.0, 110.0, 140.0]);
    // Not where its operands have other values by then.
    let json = c("double a[100];
int main(void) {
  for (int k = 0; k < 40; k++) {
    int h = k, is_large = h > 30;
    h -= 25;
    if (is_large)
      for (int i = 0; i < 10; i++) a[i] += 1;
  }
  return 0;
}
");
    let nests = function(&json, "main")["nests"].as_array().expect("nests");
    let guessed = nests[0]["guessed"].as_array().expect("guesses");
    assert!(
        nests[0]["iterations"] == 90.0 || !guessed.is_empty(),
        "{}",
        nests[0]
    );
}

#[test]
fn what_statements_say_of_themselves_is_not_what_variables_began_with() {
    let json = fortran(
        "program p
  implicit none
  integer :: i, ios = 0, count = 0
  logical :: there = .false.
  real(8) :: a(100) = 0
  inquire (file='none.dat', exist=there)
  open (10, file='none.dat', status='old', iostat=ios)
  call system_clock(count)
  if (there) then
    do i = 1, 10
      a(i) = a(i) + 1
    end do
  end if
  if (ios == 0) then
    do i = 1, 20
      a(i) = a(i) + 1
    end do
  end if
  do i = 1, mod(count, 7)
    a(i) = a(i) + 1
  end do
  print *, a(1)
end program
",
    );
    let nests = function(&json, "p")["nests"].as_array().expect("nests");
    for nest in nests {
        let guessed = nest["guessed"].as_array().expect("guesses");
        assert!(!guessed.is_empty(), "{nest}");
    }
}

#[test]
fn conditional_expressions_stand_in_for_what_has_no_value_yet() {
    let json = c("#include <stdlib.h>
double a[1000];
static int blocks = 0;
int main(int argc, char **argv) {
  int n = 0;
  if (argc > 1) n = atoi(argv[1]);
  n = n ? n : 20;
  for (int i = 0; i < n; i++) a[i] += 1;
  int b = blocks ? blocks : 32;
  for (int i = 0; i < b; i++) a[i] += 1;
  return 0;
}
");
    assert_eq!(iterations(&json, "main"), [20.0, 32.0]);
}

#[test]
fn loops_that_threads_repeat_are_marked_and_take_the_time_of_one_core() {
    let json = c("#include <omp.h>
double a[1000], b[64][1000];
int main(void) {
  #pragma omp parallel
  {
    int id = omp_get_thread_num(), threads = omp_get_num_threads();
    for (int i = 0; i < 1000; i++) b[id][i] += 1;
    for (int i = id; i < 1000; i += threads) a[i] += 1;
    for (int i = 0; i < id; i++) a[i] += 1;
    for (int t = 0; t < 10; t++) {
      #pragma omp for
      for (int i = 0; i < 1000; i++) a[i] += 1;
    }
  }
  return 0;
}
");
    let nests = function(&json, "main")["nests"].as_array().expect("nests");
    let is_marked = |nest: &Value| {
        let reasons = nest["reasons"].as_array().expect("reasons");
        reasons.iter().any(|one| one == "repeated_by_threads")
    };
    let marked: Vec<bool> = nests.iter().map(is_marked).collect();
    assert_eq!(marked, [true, false, true, false]);
    let serial = nests.iter().map(|nest| nest["serial"] == true);
    assert_eq!(serial.collect::<Vec<bool>>(), [true, false, true, false]);
}
