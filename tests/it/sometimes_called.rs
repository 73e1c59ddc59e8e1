//! Calls that C makes only where what stands to the left of them says so. GCC's programs count
//! how often each loop runs.

use serde_json::Value;

use crate::small::{c, calls, iterations};

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
