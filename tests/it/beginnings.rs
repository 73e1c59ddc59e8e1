//! What components of structures have before the program runs.

use serde_json::Value;

use crate::small::{analyse, c, fortran, iterations};

const TYPES: &str = "
module types
  type inner
    integer :: q = 70
  end type
  type grid
    integer :: nt = 12, nx = 40
    real(8) :: h = 0.5d0
    type(inner) :: in
    type(inner) :: other = inner(90)
  end type
";

fn program(declared: &str, statements: &str, bound: &str) -> Vec<f64> {
    let source = format!(
        "{TYPES}  {declared}
end module
program p
  use types
  integer :: i
  real(8) :: x(1000)
  {statements}
  do i = 1, {bound}
    x(i) = 1
  end do
end program"
    );
    iterations(&fortran(&source), "p")
}

/// Fortran 2018, 7.5.4.6: objects of a type begin with what its components are declared with.
#[test]
fn components_begin_as_their_type_says() {
    let c = "type(grid) :: c";
    assert_eq!(program(c, "", "c%nt"), [12.0]);
    assert_eq!(program(c, "", "c%in%q"), [70.0]);
    assert_eq!(program(c, "", "c%other%q"), [90.0]);
    assert_eq!(program("type(grid) :: c = grid(5)", "", "c%nt"), [5.0]);
    assert_eq!(program("type(grid) :: c = grid(5)", "", "c%nx"), [40.0]);
    let named = "type(grid) :: c = grid(nx = 50, in = inner(60))";
    assert_eq!(program(named, "", "c%nx"), [50.0]);
    assert_eq!(program(named, "", "c%nt"), [12.0]);
    assert_eq!(program(named, "", "c%in%q"), [60.0]);
    let constant = "type(grid), parameter :: c = grid(nx = 50)";
    assert_eq!(program(constant, "", "c%nx"), [50.0]);
    assert_eq!(program(constant, "", "c%nt"), [12.0]);
}

#[test]
fn what_is_assigned_comes_before_that() {
    let c = "type(grid) :: c";
    assert_eq!(program(c, "c%nt = 5", "c%nt"), [5.0]);
    assert_eq!(program(c, "c = grid(6, 7)", "c%nx"), [7.0]);
    assert_eq!(program(c, "c = grid(nx = 8)", "c%nx"), [8.0]);
    assert_eq!(program(c, "c = grid(nx = 8)", "c%nt"), [12.0]);
}

/// A procedure without a body, a file or an expression that is not followed may give it anything.
#[test]
fn a_structure_that_something_else_changes_has_no_value_by_its_type() {
    let c = "type(grid) :: c";
    assert_eq!(program(c, "call elsewhere(c)", "c%nt"), [128.0]);
    assert_eq!(program(c, "read (10) c", "c%nt"), [128.0]);
    assert_eq!(program(c, "c = transfer(x, c)", "c%nt"), [128.0]);
}

/// Structures of one type that begin with different values: the largest, and it is told.
#[test]
fn structures_of_one_type_that_begin_differently() {
    let source = format!(
        "{TYPES}  type(grid) :: a = grid(nt = 50), b
end module
program p
  use types
  integer :: i
  real(8) :: x(1000)
  do i = 1, a%nt
    x(i) = 1
  end do
  do i = 1, b%nt
    x(i) = 1
  end do
end program"
    );
    let json = fortran(&source);
    assert_eq!(iterations(&json, "p"), [50.0, 50.0]);
    assert_eq!(json["parameters"]["grid_nt"]["detail"], "callers_differ");
}

/// `--set` counts for components, too.
#[test]
fn what_is_set_replaces_it() {
    let source = format!(
        "{TYPES}  type(grid) :: c
end module
program p
  use types
  integer :: i
  real(8) :: x(1000)
  do i = 1, c%nt
    x(i) = 1
  end do
end program"
    );
    let json = analyse(&[("a.f90", &source)], &["c%nt=77"]);
    assert_eq!(iterations(&json, "p"), [77.0]);
}

/// C17, 6.7.9: what has no designator comes behind the member that is named before it.
#[test]
fn members_of_lists_of_c() {
    let source = |storage: &str, list: &str| {
        format!(
            "
struct config {{ int m, n; double h; int k; }};
double x[1000];
{global}
static void work(struct config *p) {{ for (int i = 0; i < p->k; i++) x[i] = 2; }}
int main(void)
{{
    {local}
    for (int i = 0; i < c.n; i++) x[i] = 1;
    work(&c);
}}",
            global = if storage == "global" {
                format!("struct config c = {list};")
            } else {
                String::new()
            },
            local = match storage {
                "global" => String::new(),
                "static" => format!("static struct config c = {list};"),
                _ => format!("struct config c = {list};"),
            }
        )
    };
    for storage in ["global", "static", "local"] {
        for list in [
            "{ .n = 12, 0.5, 50 }",
            "{ 1, 12, 0.5, 50 }",
            "{ .k = 50, .n = 9, .n = 12 }",
        ] {
            let json = c(&source(storage, list));
            assert_eq!(iterations(&json, "main"), [12.0], "{storage} {list}");
            assert_eq!(iterations(&json, "work"), [50.0], "{storage} {list}");
        }
    }
}

/// Without braces of its own, an array takes as many values as it has elements.
#[test]
fn members_behind_arrays_are_known_by_braces_or_names() {
    let source = |list: &str| {
        format!(
            "
struct config {{ int a[2]; int n; }};
struct config c = {list};
double x[1000];
int main(void) {{ for (int i = 0; i < c.n; i++) x[i] = 1; }}"
        )
    };
    let runs = |list: &str| iterations(&c(&source(list)), "main");
    assert_eq!(runs("{ { 1, 2 }, 30 }"), [30.0]);
    assert_eq!(runs("{ .n = 30 }"), [30.0]);
    assert_eq!(runs("{ 1, 2, 30 }"), [30.0]);
}

/// A program that sets a counter in one procedure and counts it in another, up to what it reads.
fn stepped(begins: &str, again: &str, run: &str) -> Value {
    fortran(&format!(
        "module state\n  integer :: step {begins}, last\n  real(8) :: x(1000)\nend module\n\
         subroutine start\n  use state\n  read *, last\n  step = 0\nend subroutine\n\
         subroutine other\n  use state\n  {again}\nend subroutine\n\
         subroutine run\n  use state\n  integer :: i\n  do\n    step = step + 1\n    call work\n    \
         if (step >= last) exit\n  end do\nend subroutine\n\
         subroutine work\n  use state\n  integer :: i\n  do i = 1, 1000\n    x(i) = x(i)*2\n  end do\n\
         end subroutine\n\
         program main\n  call start\n  call other\n  {run}\nend program\n"
    ))
}

fn is_step_guessed(json: &Value) -> bool {
    let parameters = json["parameters"].as_object().expect("parameters");
    parameters.contains_key("step")
}

#[test]
fn counters_of_the_program_begin_where_it_sets_them() {
    for begins in ["", "= 0"] {
        let json = stepped(begins, "x(1) = 0", "call run");
        assert!(!is_step_guessed(&json));
    }
    // It may have gone on elsewhere, or begin with the end of another time loop.
    for (again, run) in [
        ("step = 7", "call run"),
        ("read *, step", "call run"),
        ("step = step + 1", "call run"),
        ("x(1) = 0", "call run\n  call run"),
    ] {
        let json = stepped("", again, run);
        assert!(is_step_guessed(&json), "{again}, {run}");
    }
}

#[test]
fn counters_of_a_file_begin_with_what_it_gives_them() {
    let counted = |global: &str| {
        let json = c(&format!(
            "{global}\ndouble x[100];\n\
             void run(void) {{ while (1) {{ step++; for (int i = 0; i < 100; i++) x[i] *= 2; if (step >= 30) break; }} }}\n\
             int main(void) {{ run(); }}\n"
        ));
        iterations(&json, "run")[0]
    };
    assert_eq!(counted("int step;"), 3000.0);
    assert_eq!(counted("static int step = 10;"), 2000.0);
}
