//! Operations that repeat others of the same iteration, counted by hand.

use crate::support::command;
use serde_json::Value;

/// Adds, multiplies, divides and specials that repeat, by line of the loop; and those as written.
fn counted(extension: &str, text: &str) -> Vec<(u64, [u64; 4], [u64; 4])> {
    let report = command::analysed_text(&format!("source.{extension}"), text, &[]);
    let loops = report["functions"]
        .as_array()
        .expect("functions")
        .iter()
        .flat_map(|f| f["loops"].as_array());
    let counts = |one: &Value, what: &str| {
        ["adds", "multiplies", "divides", "specials"]
            .map(|kind| one[what][kind].as_u64().expect("a count"))
    };
    loops
        .flatten()
        .map(|one| {
            (
                one["line"].as_u64().expect("a line"),
                counts(one, "repeated"),
                counts(one, "flops"),
            )
        })
        .collect()
}

/// One loop over `i` in C with these statements; `a` to `d` are arrays of double, `s`, `t`, `u` locals, `x` an argument.
fn in_c(body: &str) -> [u64; 4] {
    let text = format!(
        "#include <math.h>\ndouble g;\ndouble f(int n, double x, double *a, double *b, double *c, float *e) {{\n  double s = 0, \
         t = 0, u = 0;\n  for (int i = 1; i < n; i++) {{ {body} }}\n  return s + t + u;\n}}\n"
    );
    let counted = counted("c", &text);
    assert_eq!(counted.len(), 1, "{body}");
    counted[0].1
}

#[test]
fn the_same_operation_on_the_same_operands() {
    // The squared deviation of `correlation`.
    assert_eq!(in_c("s += (a[i] - b[i]) * (a[i] - b[i]);"), [1, 0, 0, 0]);
    // The doubled middle of `heat-3d`.
    assert_eq!(
        in_c("t = (a[i+1] - 2.0*a[i]) + (b[i+1] - 2.0*a[i]) + (c[i] - 2.0*a[i]);"),
        [0, 2, 0, 0]
    );
    // Factors in another order, and a sum of equal sums; differences have an order.
    assert_eq!(
        in_c("s = x * a[i] + b[i]; t = b[i] + a[i] * x; u = a[i] - b[i]; s = b[i] - a[i];"),
        [1, 1, 0, 0]
    );
    assert_eq!(
        in_c("s = sqrt(a[i]) / x; t = sqrt(a[i]) / x; u = sqrt(b[i]);"),
        [0, 0, 1, 1]
    );
    // What a scalar holds is known until it gets another value.
    assert_eq!(
        in_c("s = a[i] * x; t = s + 1.0; u = a[i] * x + 1.0;"),
        [1, 1, 0, 0]
    );
    assert_eq!(in_c("s = x * u; u = u + 1.0; t = x * u;"), [0, 0, 0, 0]);
    // What literals give is no operation, and subscripts are none.
    assert_eq!(
        in_c("s = (2.0 * 3.0) * a[2*i + 1]; t = (2.0 * 3.0) + a[2*i + 1];"),
        [0, 0, 0, 0]
    );
}

#[test]
fn stores_in_between() {
    // The recurrence of `adi`: the element that is stored is another one of the same array.
    assert_eq!(
        in_c("a[i] = s / (x*a[i-1] + t); s = u / (x*a[i-1] + t);"),
        [1, 1, 0, 0]
    );
    // The same one, and one that may be.
    assert_eq!(in_c("s = x * a[i]; a[i] = s; t = x * a[i];"), [0, 0, 0, 0]);
    assert_eq!(
        in_c("s = x * a[i]; a[n - i] = s; t = x * a[i];"),
        [0, 0, 0, 0]
    );
    // Another array that is reached by a pointer may be the same; one of another type is not.
    assert_eq!(in_c("s = x * a[i]; b[i] = s; t = x * a[i];"), [0, 0, 0, 0]);
    assert_eq!(in_c("s = x * a[i]; e[i] = 0; t = x * a[i];"), [0, 1, 0, 0]);
    // A pointer may lead to a global scalar, and cannot lead to an argument.
    assert_eq!(in_c("s = g * 3.0; a[i] = s; t = g * 3.0;"), [0, 0, 0, 0]);
    assert_eq!(in_c("s = x * 3.0; a[i] = s; t = x * 3.0;"), [0, 1, 0, 0]);
}

#[test]
fn what_ends_a_run_of_statements() {
    assert_eq!(
        in_c("s = x * a[i]; if (i > 3) t = 1.0; u = x * a[i];"),
        [0, 0, 0, 0]
    );
    assert_eq!(in_c("s = x * a[i]; print(a); u = x * a[i];"), [0, 0, 0, 0]);
    // Only one of the sides is evaluated.
    assert_eq!(
        in_c("s = i > 3 ? x * a[i] : 0.0; u = x * a[i];"),
        [0, 0, 0, 0]
    );
    // Of each loop its own code.
    let text = "void f(int n, double x, double a[n][n], double *b) {\n  for (int i = 0; i < n; i++) {\n    b[i] = x * b[i] + \
                x * b[i];\n    for (int j = 0; j < n; j++)\n      a[i][j] = (x + a[i][j]) * (x + a[i][j]);\n  }\n}\n";
    assert_eq!(
        counted("c", text),
        [
            (2, [0, 1, 0, 0], [1, 2, 0, 0]),
            (4, [1, 0, 0, 0], [2, 1, 0, 0])
        ]
    );
}

/// In Fortran arrays of different names are apart.
#[test]
fn fortran_arrays_are_apart() {
    let text = "subroutine f(n, x, a, b)\n  integer :: n, i\n  real(8) :: x, a(n), b(n), s\n  do i = 2, n\n    b(i) = x * \
                a(i)\n    s = x * a(i) + b(i - 1)\n    a(i) = s\n    b(i) = x * a(i) + b(i - 1)\n  end do\nend subroutine\n";
    assert_eq!(counted("f90", text), [(4, [0, 1, 0, 0], [2, 3, 0, 0])]);
}

/// A model in XML keeps them.
#[test]
fn a_model_keeps_what_repeats() {
    let directory = tempfile::tempdir().expect("a directory");
    let source = directory.path().join("source.c");
    std::fs::write(
        &source,
        "void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = (a[i] + 1.5) * (a[i] + 1.5); }\n",
    )
    .expect("it can be written");
    let run = |arguments: &[&str]| {
        let mut command = command::loopsheet();
        command
            .current_dir(&directory)
            .arg("analyze")
            .args(arguments)
            .arg("--quiet")
            .assert()
            .success();
    };
    run(&["source.c", "--xml", "model.xml"]);
    run(&["model.xml", "--json", "again.json"]);
    let report = command::json(&directory.path().join("again.json"));
    assert_eq!(report["functions"][0]["loops"][0]["repeated"]["adds"], 1);
}
