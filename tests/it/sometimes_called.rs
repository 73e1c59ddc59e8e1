//! Calls that C makes only where what stands to the left of them says so. GCC's programs count
//! how often each loop runs.

use serde_json::Value;

use crate::small::{c, calls, fortran, iterations};

/// A program whose `f` and `g` have a loop each.
fn program(statements: &str) -> Value {
    c(&format!(
        "static double s, x[4];
static int f(int n) {{ for (int i = 0; i < n; i++) s += i; return 1; }}
static int g(int n) {{ for (int i = 0; i < n; i++) s += i; return 0; }}
int main(void) {{
  int no = 0, yes = 1, q = 0;
  {statements}
  return q;
}}
"
    ))
}

/// Iterations of all calls of a function.
fn all(json: &Value, name: &str) -> f64 {
    calls(json, name) * iterations(json, name)[0]
}

#[test]
fn calls_behind_what_is_decided() {
    // Statements, and iterations of the loops of `f` and `g`.
    let programs = [
        ("if (no && f(20)) s += 1;", 0.0, 0.0),
        ("if (yes && f(20)) s += 1;", 20.0, 0.0),
        ("if (yes || f(20)) s += 1;", 0.0, 0.0),
        ("if (no || f(20)) s += 1;", 20.0, 0.0),
        ("q = no && f(20);", 0.0, 0.0),
        ("q = no || f(20);", 20.0, 0.0),
        ("q = (yes || f(20)) && g(5);", 0.0, 5.0),
        ("q = no && f(20) && g(5);", 0.0, 0.0),
        ("q = (no && f(20)) || g(5);", 0.0, 5.0),
        ("q = !(yes && f(20));", 20.0, 0.0),
        ("s = 2.0*(no && f(20));", 0.0, 0.0),
        ("q = yes ? f(20) : g(5);", 20.0, 0.0),
        ("q = no ? f(20) : g(5);", 0.0, 5.0),
        ("q = 1 + (q > 3 ? f(20) : g(5));", 0.0, 5.0),
    ];
    for (statements, of_f, of_g) in programs {
        let json = program(statements);
        assert_eq!(
            (all(&json, "f"), all(&json, "g")),
            (of_f, of_g),
            "{statements}"
        );
    }
}

/// What data decide is a guess.
#[test]
fn calls_behind_data() {
    let json = program("if (x[0] > 3 && f(20)) s += 1;");
    assert_eq!(calls(&json, "f"), 0.5);
}

/// What is behind branches that go on with the next iteration runs as often as none of them does.
#[test]
fn what_is_behind_branches_inside_branches() {
    let json = program(
        "for (int i = 0; i < 12; i++) { if (i >= 4) { if (i >= 4) continue; q++; } f(2); }",
    );
    let is_marked = json["functions"]
        .as_array()
        .expect("functions")
        .iter()
        .flat_map(|function| function["nests"].as_array().expect("nests"))
        .any(|nest| nest["reasons"].to_string().contains("cycle"));
    assert!(calls(&json, "f") == 4.0 || is_marked, "{json:#}");
}

/// A variable that a loop advances in some iterations only is no bound that is known.
#[test]
fn counters_that_stand_still() {
    for counter in [
        "if (i == 50) n += 900;",
        "n += 3; if (n > 10) n -= 10;",
        "if (x[i & 3] > 1) n += 10; else n -= 1;",
        "if (n < 10) n += 3;",
    ] {
        let json = c(&format!(
            "static double s, x[4];
int main(void) {{
  int n = 10;
  for (int i = 0; i < 100; i++) {{ {counter} for (int j = 0; j < n; j++) s += x[i & 3]*j; }}
  return 0;
}}
"
        ));
        let reasons = &json["functions"][0]["nests"][0]["reasons"];
        let is_marked = reasons.to_string().contains("approximate_trip_count");
        assert!(is_marked, "{counter} {reasons}");
    }
}

/// The bounds of a Fortran loop call once, before the first iteration; the end of C's before each, and once more.
#[test]
fn calls_in_bounds() {
    let program = |header: &str| {
        fortran(&format!(
            "program main
  implicit none
  integer :: i, j
  real :: x(1000)
  {header}
  print *, x(3)
contains
  integer function f(n)
    integer, intent(in) :: n
    do f = 1, n - 1
      x(f) = x(f)*1.5
    end do
  end function
end program
"
        ))
    };
    let programs = [
        ("do i = 1, f(20)\n x(i) = i\n end do", 1.0),
        ("do i = f(20), 100\n x(i) = i\n end do", 1.0),
        ("do i = 1, 100, f(20)\n x(i) = i\n end do", 1.0),
        ("do i = 1, min(3, f(20))\n x(i) = i\n end do", 1.0),
        (
            "do j = 1, 7\n do i = 1, f(20)\n x(i) = i\n end do\n end do",
            7.0,
        ),
    ];
    for (loops, expected) in programs {
        assert_eq!(calls(&program(loops), "f"), expected, "{loops}");
    }
    let programs = [
        ("for (int i = f(20); i < 9; i++) s += i;", 1.0),
        ("for (int i = 0; i < 9; i++) s += i * f(20);", 9.0),
    ];
    for (statements, expected) in programs {
        assert_eq!(
            calls(&self::program(statements), "f"),
            expected,
            "{statements}"
        );
    }
}
