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
    // It never gets there, and what data decide is no end that is expected.
    for condition in ["t == 200", "t < 0", "a[t] > 1e9"] {
        let source = TIME_LOOP.replace("CONDITION", condition);
        let json = c(&source.replace("END", "exit(1)"));
        assert_eq!(iterations(&json, "main"), [100_000.0], "{condition}");
        assert_eq!(reasons(&json, "main", 0), [""; 0], "{condition}");
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
