//! Numbers that C converts: arguments, operands of mixed types, members, loops whose variables begin again. GCC's programs
//! count how often each loop runs.

use serde_json::Value;

use crate::small::{c, fortran, function, iterations, reasons};

fn last(json: &Value, name: &str) -> f64 {
    *iterations(json, name).last().expect("a nest")
}

/// Whether a size that nothing gives is behind the counts of a program.
fn is_guessed(json: &Value) -> bool {
    let parameters = json["parameters"].as_object().expect("parameters");
    parameters.values().any(|one| one["origin"] == "guessed")
}

/// Whether the counts of the last nest of `main` say that they may be others.
fn is_marked(json: &Value) -> bool {
    !reasons(json, "main").is_empty() || is_guessed(json)
}

#[test]
fn arguments_have_the_types_of_parameters() {
    // The definition of `f`, what `main` does, and how often `f` counts.
    let calls = [
        ("static void f(unsigned char n)", "f(300);", 44.0),
        (
            "static void f(unsigned char n)",
            "int m = 300; f(m); f(m);",
            44.0,
        ),
        ("static void f(short n)", "f(70000);", 4464.0),
        ("static void f(_Bool n)", "f(7);", 1.0),
        ("static void f(signed char n)", "f(300);", 44.0),
        ("static void f(int n)", "f(7.9);", 7.0),
        ("static void f(int n)", "double x = 7.9; f(x);", 7.0),
        ("static void f(int n)", "long k = 4294967301L; f(k);", 5.0),
        (
            "enum e { A = 300 }; static void f(unsigned char n)",
            "f(A);",
            44.0,
        ),
        ("int g = 513; static void f(unsigned char n)", "f(g);", 1.0),
        ("static void f(n) unsigned char n;", "f(300);", 44.0),
    ];
    for (definition, call, expected) in calls {
        let json = c(&format!(
            "double t;
{definition} {{ for (int j = 0; j < n; j++) t += 1; }}
int main(void) {{ {call} return 0; }}
"
        ));
        assert_eq!(last(&json, "f"), expected, "{definition} {call}");
        assert!(!is_guessed(&json), "{definition} {call}");
    }
}

/// What is passed on is converted each time.
#[test]
fn arguments_are_converted_on_their_way() {
    let json = c("double t;
static void f(unsigned char n) { for (int j = 0; j < n; j++) t += 1; }
static void g(int n) { f(n + 1); }
int main(void) { g(300); return 0; }
");
    assert_eq!(last(&json, "f"), 45.0);
}

/// Statements that give `n` a value, and how often `for (int j = 0; j < n; j++)` runs then.
const OPERATIONS: &[(&str, f64)] = &[
    ("int e = -7; int n = e % 4u;", 1.0),
    ("int e = -7; int n = e / 400000000u;", 10.0),
    ("int e = -7; unsigned u = e; int n = u >> 29;", 7.0),
    ("int e = -7; int n = (unsigned)e >> 29;", 7.0),
    ("unsigned a1 = 3; int n = -a1 % 10;", 3.0),
    ("unsigned a1 = 3; int n = ~a1 % 10;", 2.0),
    ("int n = ~0u >> 28;", 15.0),
    ("int n = -0x80000000 >> 28;", 8.0),
    ("int n = 3000000000u * 2 / 100000000;", 17.0),
    ("int n = 3000000000 * 2 / 1000000000;", 6.0),
    ("int n = '\\xff' + 10;", 9.0),
    ("int e = -1; int n = (e < 5u) + 3;", 3.0),
    ("int e = -1; int n = (e < 5u) ? 4 : 9;", 9.0),
    (
        "unsigned u = 4294967295; long l = u + 1; int n = l + 3;",
        3.0,
    ),
    (
        "unsigned u = 4294967295; long l = u + 1L; int n = l >> 30;",
        4.0,
    ),
    ("unsigned a1 = 3; int n = (a1 << 31) >> 29;", 4.0),
    ("unsigned char q; int n = (q = 300);", 44.0),
    ("unsigned char q; int n; n = q = 300;", 44.0),
    ("struct { unsigned n : 3; } q = {13}; int n = q.n;", 5.0),
    (
        "struct { int a; unsigned n : 3; } q = {.n = 13}; int n = q.n;",
        5.0,
    ),
    ("struct { int n : 4; } q = {9}; int n = q.n + 10;", 3.0),
    (
        "int m = 13; struct { unsigned n : 3; } q = {m}; int n = q.n;",
        5.0,
    ),
    (
        "struct s { unsigned n : 3; } q; q = (struct s){13}; int n = q.n;",
        5.0,
    ),
    (
        "struct s { unsigned n : 3; } q = {13}; struct s r = q; int n = r.n;",
        5.0,
    ),
    ("_Bool b = 0.5; int n = b + 2;", 3.0),
    ("float x = 16777217; int n = x - 16777210;", 6.0),
    ("float x = 0.29f; int n = x * 100;", 29.0),
    ("float x = 0.29; int n = x * 100.0f;", 29.0),
    ("float h = 0.1; int n = 1.0 / h;", 9.0),
    ("int m = 16777217; float x = m; int n = x - 16777210;", 6.0),
];

#[test]
fn operands_and_members_are_converted() {
    for (statements, expected) in OPERATIONS {
        let json = c(&format!(
            "double t;
int main(void) {{
  {statements}
  for (int j = 0; j < n; j++) t += 1;
  return 0;
}}
"
        ));
        assert_eq!(last(&json, "main"), *expected, "{statements}");
    }
}

/// What 64 bits without a sign hold of a number below zero is no whole number of ours.
#[test]
fn large_numbers_without_a_sign_are_marked() {
    let statements = [
        "long e = -7; unsigned long u = e; int n = u >> 60;",
        "long e = -7; unsigned long u = e; int n = u % 10;",
        "long e = -7; int n = e % 10ul;",
        "int e = -7; int n = e % sizeof(double);",
    ];
    for statements in statements {
        let json = c(&format!(
            "double t; int main(void) {{ {statements} for (int j = 0; j < n; j++) t += 1; return 0; }}"
        ));
        assert!(is_marked(&json), "{statements}");
    }
}

/// Loops, and how often they run; `None` where they do not end.
#[test]
fn numbers_begin_again_behind_the_largest() {
    let headers = [
        ("int i = -3; i < 5u; i++", Some(0.0)),
        ("int i = -3; i < sizeof(double); i++", Some(0.0)),
        ("int i = s; i < 5u; i++", Some(0.0)),
        ("int i = -3; i < 0x80000000; i += 100000000", Some(0.0)),
        ("unsigned i = 5; i > -1; i--", Some(0.0)),
        ("unsigned char i = 0; i < 250; i += 100", Some(23.0)),
        ("unsigned char i = 0; i <= 250; i += 10", Some(51.0)),
        ("signed char i = 0; i < 120; i += 50", Some(23.0)),
        ("short i = 0; i < 32000; i += 20000", Some(18.0)),
        ("unsigned char i = 0; i < 250; i += 7", Some(36.0)),
        ("unsigned char i = 0; i < 300; i++", None),
        ("unsigned char i = 0; i < m; i++", None),
        ("unsigned char i = 10; i >= 0; i -= 4", None),
        ("unsigned char i = 0; i != 7; i += 2", None),
        ("unsigned i = u; i >= 0; i--", None),
        ("int i = 10; i >= 0u; i--", None),
        ("unsigned i = 0; i < s; i += 4", Some(1_073_741_823.0)),
        ("int i = 0; i < none; i++", Some(0.0)),
        ("int i = 0; i < u / 8; i++", Some(0.0)),
        ("unsigned short i = u; i >= 0; i -= 2", None),
        ("unsigned long i = u; i > 0; i -= 2", None),
    ];
    for (header, expected) in headers {
        let json = c(&format!(
            "double t; int main(void) {{
  int s = -4, m = 300; unsigned u = 5, none = 0;
  for ({header}) t += 1;
  return 0;
}}"
        ));
        match expected {
            Some(expected) => assert_eq!(last(&json, "main"), expected, "{header}"),
            None => assert!(is_marked(&json), "{header}"),
        }
    }
    let json = c("double t; int main(void) {
  unsigned char i = 0;
  while (i < 250) { t += 1; i += 100; }
  return 0;
}");
    assert!(is_marked(&json));
    assert!(function(&json, "main")["nests"][0]["iterations"].is_number());
}

/// Loops, and how often their innermost one runs: counted, or marked.
#[test]
fn numbers_that_are_cut_off_or_begin_again_in_loops() {
    let loops = [
        ("for (int i = 0; i < 20; i += 1.5) t += i;", 20.0),
        ("for (int i = 0; i < 20; i += 2.9) t += i;", 10.0),
        ("for (int i = 20; i > 0; i -= 1.5) t += i;", 10.0),
        ("for (int i = -7; i < 7; i += 1.5) t += i;", 12.0),
        (
            "for (int i = 300; i < 310; i++) { unsigned char c = i; for (int j = 0; j < c; j++) t += 1; }",
            485.0,
        ),
        (
            "for (int i = 0; i < 3; i++) { signed char c = 100*i; for (int j = 0; j < c; j++) t += 1; }",
            100.0,
        ),
        (
            "for (int i = 0; i < 10; i++) { unsigned char c = i; for (int j = 0; j < c; j++) t += 1; }",
            45.0,
        ),
    ];
    for (statement, expected) in loops {
        let json = c(&format!(
            "double t; int main(void) {{ {statement} return 0; }}"
        ));
        let found = last(&json, "main");
        assert!(
            found == expected || is_marked(&json),
            "{statement}: {found}"
        );
    }
}

/// A parameter that is declared as an array is a pointer.
#[test]
fn sizes_of_parameters_are_those_of_pointers() {
    let json = c("double t;
void f(double a[10]) { for (unsigned i = 0; i < sizeof a/sizeof *a; i++) t += a[i]; }
void g(char a[]) { for (unsigned i = 0; i < sizeof(a); i++) t += a[i]; }
void h(void) { double a[10]; for (unsigned i = 0; i < sizeof a/sizeof *a; i++) t += a[i]; }
");
    assert_eq!(
        (last(&json, "f"), last(&json, "g"), last(&json, "h")),
        (1.0, 8.0, 10.0)
    );
}

/// Operators on bits, of numbers that are known.
#[test]
fn bits_of_known_numbers() {
    let operations = [
        ("int n = 10 & 6;", 2.0),
        ("int k = 10; int n = k & 6;", 2.0),
        ("int k = 10; int n = k | 5;", 15.0),
        ("int k = 10; int n = k ^ 3;", 9.0),
        ("int k = 10; int n = (k & ~2) | 1;", 9.0),
        ("int k = 10; int n = !k;", 0.0),
        ("int k = 0; int n = !k;", 1.0),
    ];
    for (statements, expected) in operations {
        let json = c(&format!(
            "double t; int main(void) {{ {statements} for (int j = 0; j < n; j++) t += 1; return 0; }}"
        ));
        assert_eq!(
            (last(&json, "main"), is_marked(&json)),
            (expected, false),
            "{statements}"
        );
    }
    let functions = [
        ("iand(k, 6)", 2.0),
        ("ior(k, 5)", 15.0),
        ("ieor(k, 3)", 9.0),
        ("ibset(k, 2)", 14.0),
        ("ibclr(k, 1)", 8.0),
        ("not(k) + 20", 9.0),
        ("ishft(k, 2)", 40.0),
        ("ishft(k, -1)", 5.0),
        ("shiftr(k, 1)", 5.0),
        ("bit_size(k)", 32.0),
        ("huge(k) - 2147483640", 7.0),
        ("digits(1.0)", 24.0),
        ("kind(1.0d0)", 8.0),
    ];
    for (value, expected) in functions {
        let json = fortran(&format!(
            "program p
  implicit none
  integer :: j, k, n
  real :: s
  k = 10
  n = {value}
  do j = 1, n
    s = s + 1
  end do
end program
"
        ));
        assert_eq!(
            (last(&json, "p"), is_guessed(&json)),
            (expected, false),
            "{value}"
        );
    }
}
