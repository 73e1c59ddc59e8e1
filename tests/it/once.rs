//! Branches that a run takes once, counted literally: by gcc and gfortran, as the comments in the programs say.

use crate::small::{analyse, c, fortran, function};
use serde_json::Value;

/// How often the loop of each nest of 1,000 iterations is run in all calls of its function.
fn executions(json: &Value, name: &str) -> Vec<f64> {
    let nests = function(json, name)["nests"].as_array().expect("nests");
    let of = |nest: &Value| {
        let number = |key: &str| nest[key].as_f64().expect("a number");
        number("iterations") * number("calls") / 1000.0
    };
    nests.iter().map(of).collect()
}

#[track_caller]
fn assert_executions(json: &Value, name: &str, expected: &[f64]) {
    let found = executions(json, name);
    let is_near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-9 * b.abs().max(1.0);
    assert!(
        found.len() == expected.len() && found.iter().zip(expected).all(is_near),
        "{name}: {found:?}, not {expected:?}"
    );
}

/// Five functions, each called ten times.
const STATICS: &str = "
static double x[1000], y[1000];
static int ready = 0, zero;
int mode = 1;
void in_branch(void) {
  static int first = 0;
  if (first == 0) {
    for (int i = 0; i < 1000; i++) x[i] = i * 2.0;   /* 1 */
    first = 1;
  }
  for (int i = 0; i < 1000; i++) y[i] += x[i];       /* 10 */
}
void other_side(void) {
  if (!ready) {
    for (int i = 0; i < 1000; i++) x[i] = i * 3.0;   /* 1 */
    ready = 1;
  } else {
    for (int i = 0; i < 1000; i++) y[i] += 3*x[i];   /* 9 */
  }
}
void init(void) {
  for (int i = 0; i < 1000; i++) x[i] = i * 3.0;     /* 1 */
  mode = 2;
}
void elsewhere(void) {
  if (mode == 1) init();
  for (int i = 0; i < 1000; i++) y[i] += 4*x[i];     /* 10 */
}
void behind(void) {
  static int called = 0;
  if (called) {
    for (int i = 0; i < 1000; i++) y[i] += 5*x[i];   /* 9 */
  }
  called = 1;
}
void before(void) {
  static int first = 1;
  if (first) {
    first = 0;
    for (int i = 0; i < 1000; i++) y[i] += 6*x[i];   /* 1 */
  }
  if (!first)
    for (int i = 0; i < 1000; i++) y[i] += 7*x[i];   /* 10 */
}
void without_a_value(void) {
  if (!zero) {
    for (int i = 0; i < 1000; i++) y[i] += 8*x[i];   /* 1 */
    zero = 1;
  }
}
void without_a_value_inside(void) {
  static int called;
  if (!called) {
    for (int i = 0; i < 1000; i++) y[i] += 9*x[i];   /* 1 */
    called = 1;
  }
}
";

#[test]
fn what_a_static_flag_guards_runs_once() {
    let json = c(&format!(
        "{STATICS}
int main(void) {{
  for (int t = 0; t < 10; t++) {{
    in_branch(); other_side(); elsewhere(); behind(); before(); without_a_value(); without_a_value_inside();
  }}
  return 0;
}}"
    ));
    assert_executions(&json, "in_branch", &[1.0, 10.0]);
    assert_executions(&json, "other_side", &[1.0, 9.0]);
    assert_executions(&json, "init", &[1.0]);
    assert_executions(&json, "elsewhere", &[10.0]);
    assert_executions(&json, "behind", &[9.0]);
    assert_executions(&json, "before", &[1.0, 10.0]);
    assert_executions(&json, "without_a_value", &[1.0]);
    assert_executions(&json, "without_a_value_inside", &[1.0]);
}

#[test]
fn a_run_may_come_to_it_once_or_never() {
    let once = c(&format!(
        "{STATICS} int main(void) {{ in_branch(); other_side(); return 0; }}"
    ));
    assert_executions(&once, "in_branch", &[1.0, 1.0]);
    assert_executions(&once, "other_side", &[1.0, 0.0]);
    // Nothing says how often it is called.
    let library = c("static double x[1000];
void step(void) {
  static int first = 1;
  for (int j = 0; j < 10; j++) {
    if (first) { for (int i = 0; i < 1000; i++) x[i] = i; first = 0; }
  }
}");
    assert!(is_marked(&library, "step", "undecided_branch"));
}

/// Whether the first nest of a function has a reason.
fn is_marked(json: &Value, name: &str, reason: &str) -> bool {
    let reasons = &function(json, name)["nests"][0]["reasons"];
    let mut reasons = reasons.as_array().expect("reasons").iter();
    reasons.any(|own| own == reason)
}

/// What is only declared here may begin with any value; what a definition gives none begins with zero.
#[test]
fn only_definitions_say_that_a_flag_begins_with_zero() {
    let with = |declaration: &str| {
        let json = c(&format!(
            "static double x[1000];
{declaration}
void step(void) {{
  if (!ready) {{
    for (int i = 0; i < 1000; i++) x[i] = i;
    ready = 1;
  }}
}}
int main(void) {{ for (int t = 0; t < 10; t++) step(); return 0; }}"
        ));
        executions(&json, "step")[0]
    };
    assert_eq!(with("int ready;"), 1.0);
    assert_eq!(with("extern int ready;\nint ready;"), 1.0);
    assert_eq!(with("extern int ready;\nint ready = 1;"), 0.0);
    assert_eq!(with("extern int ready;"), 5.0);
}

/// The first of them to run does it; where the order of a run is not known, that has a mark.
#[test]
fn of_several_procedures_that_ask_for_a_flag_the_first_takes_it() {
    let program = "static double x[1000];
static int ready;
void fill(void) { for (int i = 0; i < 1000; i++) x[i] = 3*i; }
void one(void) {
  if (!ready) {
    for (int i = 0; i < 1000; i++) x[i] = i;
    ready = 1;
  }
}
void other(void) {
  if (!ready) { fill(); ready = 1; }
}
int main(void) { for (int t = 0; t < 10; t++) { one(); other(); } return 0; }";
    let json = c(program);
    assert_executions(&json, "one", &[1.0]);
    assert_executions(&json, "fill", &[0.0]);
    assert!(!is_marked(&json, "one", "undecided_branch"));
    let either = c(&program
        .replace("int main(void) {", "int main(int argc, char **argv) {")
        .replace("one(); other();", "if (x[t] > 5) one(); other();"));
    assert_executions(&either, "one", &[1.0]);
    assert_executions(&either, "fill", &[1.0]);
    assert!(is_marked(&either, "one", "undecided_branch"));
    let doubts = &function(&either, "fill")["nests"][0]["calls_reasons"];
    assert!(doubts.to_string().contains("undecided_branch"), "{doubts}");
    let alone = c(&program
        .replace("one(); other();", "one();")
        .replace("if (!ready) { fill(); ready = 1; }", "fill();"));
    assert_executions(&alone, "one", &[1.0]);
    assert!(!is_marked(&alone, "one", "undecided_branch"));
}

/// All iterations of the loop that is run first take it, and no others: neither once nor always.
#[test]
fn what_is_set_behind_a_loop_is_open_in_it() {
    let json = c("static double x[1000];
static int first = 1;
void step(void) {
  for (int j = 0; j < 10; j++) {
    if (first) for (int i = 0; i < 1000; i++) x[i] = i;
  }
  first = 0;
}
int main(void) { for (int t = 0; t < 10; t++) step(); return 0; }");
    assert!(is_marked(&json, "step", "undecided_branch"));
}

#[test]
fn the_number_of_calls_follows_sizes() {
    let program = "
static double x[1000];
static void step(void) {
  static int first = 1;
  if (first) {
    for (int i = 0; i < 1000; i++) x[i] = i;
    first = 0;
  } else
    for (int i = 0; i < 1000; i++) x[i] += 1;
}
int main(int argc, char **argv) {
  int steps = 5;
  scanf(\"%d\", &steps);
  for (int t = 0; t < steps; t++) { step(); step(); }
  return 0;
}";
    let files = [("a.c", program)];
    assert_executions(&analyse(&files, &[]), "step", &[1.0, 9.0]);
    assert_executions(&analyse(&files, &["steps=50"]), "step", &[1.0, 99.0]);
    assert_executions(&analyse(&files, &["prob_step_5=1"]), "step", &[10.0, 0.0]);
    // What is set stays.
    assert_executions(&analyse(&files, &["first=0"]), "step", &[0.0, 10.0]);
}

#[test]
fn in_loops_each_iteration_asks() {
    let json = c("
static double x[1000];
static int first = 1;
void sweep(void) {
  for (int t = 0; t < 20; t++) {
    if (first) {
      for (int i = 0; i < 1000; i++) x[i] = i;      /* 1 */
      first = 0;
    } else {
      for (int i = 0; i < 1000; i++) x[i] += 1;     /* 59 */
    }
  }
}
int main(void) { for (int k = 0; k < 3; k++) sweep(); return 0; }");
    assert_executions(&json, "sweep", &[1.0, 59.0]);
    // Bytes are those of a mean iteration.
    assert!(is_marked(&json, "sweep", "condition_on_loops"));
    assert!(!is_marked(&json, "sweep", "check_failed"));
}

/// What may be set back, or is set under a condition of its own, runs any number of times.
#[test]
fn what_may_happen_again_is_open() {
    let with = |body: &str, more: &str| {
        let json = c(&format!(
            "static double x[1000];
static int first = 1;
void step(int k) {{
  if (first) {{
    for (int i = 0; i < 1000; i++) x[i] = i;
    {body}
  }}
}}
{more}
int main(void) {{ for (int t = 0; t < 10; t++) {{ step(t); }} return 0; }}"
        ));
        executions(&json, "step")[0]
    };
    assert_eq!(with("first = 0;", ""), 1.0);
    assert_eq!(with("if (x[k] > 3) first = 0;", ""), 5.0);
    assert_eq!(with("if (x[k] > 3) return; first = 0;", ""), 5.0);
    assert_eq!(with("first = 0;", "void again(void) { first = 1; }"), 1.0);
    let reset = "void again(void) { first = 1; }
int also(void) { for (int t = 0; t < 3; t++) again(); return 0; }";
    assert_eq!(with("first = 0; also();", reset), 5.0);
}

#[test]
fn fortran_saves_its_flags() {
    let json = fortran(
        "module m
  real(8) :: x(1000), y(1000)
  logical :: ready = .false.
contains
  subroutine in_branch
    logical, save :: first = .true.
    integer :: i
    if (first) then
      do i = 1, 1000     ! 1
        x(i) = i
      end do
      first = .false.
    end if
    do i = 1, 1000       ! 10
      y(i) = y(i) + x(i)
    end do
  end subroutine
  subroutine elsewhere
    integer :: i
    if (.not. ready) then
      call init
    else
      do i = 1, 1000     ! 9
        y(i) = y(i) + 2*x(i)
      end do
    end if
  end subroutine
  subroutine init
    integer :: i
    do i = 1, 1000       ! 1
      x(i) = 3*i
    end do
    ready = .true.
  end subroutine
  subroutine leaves
    logical, save :: done
    data done /.false./
    integer :: i
    if (done) return
    do i = 1, 1000       ! 1
      x(i) = 4*i
    end do
    done = .true.
  end subroutine
  subroutine counted
    integer :: visits = 0, i
    if (visits == 0) then
      do i = 1, 1000     ! 1
        x(i) = 4*i
      end do
    end if
    visits = 1
  end subroutine
end module
program p
  use m
  integer :: t
  do t = 1, 10
    call in_branch; call elsewhere; call leaves; call counted
  end do
  print *, y(3)
end program",
    );
    assert_executions(&json, "in_branch", &[1.0, 10.0]);
    assert_executions(&json, "elsewhere", &[9.0]);
    assert_executions(&json, "init", &[1.0]);
    assert_executions(&json, "leaves", &[1.0]);
    assert_executions(&json, "counted", &[1.0]);
}
