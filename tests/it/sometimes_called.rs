//! Calls that C makes only where what stands to the left of them says so, and several branches of one line. GCC's programs count
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

/// What data decide is a guess, and has a parameter of its own.
#[test]
fn calls_behind_data() {
    let json = program("if (x[0] > 3 && f(20)) s += 1;");
    assert_eq!(calls(&json, "f"), 0.5);
    let parameters = json["parameters"].as_object().expect("parameters");
    assert_eq!(parameters["prob_main_6_2"]["origin"], "guessed");
}

/// Two branches of one line on two conditions are not taken together: what both do in other arms is not certain.
#[test]
fn branches_of_one_line_are_apart() {
    let json = program("if (x[0] > 0) f(4); if (x[1] > 0) g(6); else f(4);");
    let parameters = json["parameters"].as_object().expect("parameters");
    assert!(parameters.contains_key("prob_main_6") && parameters.contains_key("prob_main_6_2"));
    assert_eq!(calls(&json, "f"), 1.0);
    let again = program("if (x[0] > 0) f(4); if (x[0] > 0) g(6); else f(4);");
    let parameters = again["parameters"].as_object().expect("parameters");
    assert!(!parameters.contains_key("prob_main_6_2"));
}
