//! What a symbol stands for is no matter of its name: sizes may be called as parameters of ours are.

use serde_json::{Value, json};

use crate::small::{analyse, c, fortran, function, iterations};

/// Flops of every nest of a function.
fn flops(json: &Value, name: &str) -> Vec<f64> {
    let nests = function(json, name)["nests"].as_array().expect("nests");
    nests
        .iter()
        .map(|nest| nest["flops"].as_f64().expect("a number"))
        .collect()
}

/// Why figures of the nests of a function are not exact.
fn reasons(json: &Value, name: &str) -> Vec<Value> {
    let nests = function(json, name)["nests"].as_array().expect("nests");
    nests.iter().map(|nest| nest["reasons"].clone()).collect()
}

const MATRIX: &str = "void m(int prob_rows, int prob_cols, double a[prob_rows][prob_cols]) {
    for (int i = 0; i < prob_rows; i++)
        for (int j = 0; j < prob_cols; j++)
            a[i][j] += 1.0;
}";

#[test]
fn sizes_called_like_probabilities_are_sizes() {
    let json = c(MATRIX);
    // Sizes that nothing gives are 128.
    assert_eq!(iterations(&json, "m"), [16384.0]);
    assert_eq!(flops(&json, "m"), [16384.0]);
    assert_eq!(reasons(&json, "m"), [json!([])]);
    let json = analyse(&[("a.c", MATRIX)], &["prob_rows=10", "prob_cols=20"]);
    assert_eq!(flops(&json, "m"), [200.0]);
}

#[test]
fn bounds_called_like_trip_counts_or_strides_are_exact() {
    for size in ["trip_n", "trip_f_2", "stride_of_n", "stride", "block_n"] {
        let source = format!(
            "void f(int {size}, double *a) {{
                for (int i = 0; i < {size}; i++) a[i] += 1.0;
            }}"
        );
        let json = analyse(&[("a.c", &source)], &[]);
        assert_eq!(reasons(&json, "f"), [json!([])], "{size}");
        assert_eq!(iterations(&json, "f"), [128.0], "{size}");
        let source = format!(
            "subroutine f({size}, a)
               integer {size}
               real(8) a({size})
               do i = 1, {size}
                 a(i) = a(i) + 1
               end do
             end subroutine"
        );
        let json = fortran(&source);
        assert_eq!(reasons(&json, "f"), [json!([])], "{size}");
        assert_eq!(iterations(&json, "f"), [128.0], "{size}");
    }
}

#[test]
fn a_function_that_is_called_like_something_unknown_is_a_bound_all_the_same() {
    let json = c("int kopaque(int n);
        int lookup(int n);
        void f(int n, double *a) { for (int i = 0; i < kopaque(n); i++) a[i] *= 2; }
        void g(int n, double *a) { for (int i = 0; i < lookup(n); i++) a[i] *= 2; }");
    assert_eq!(function(&json, "f")["loops"][0]["upper"], "kopaque(n) - 1");
    assert_eq!(function(&json, "g")["loops"][0]["upper"], "lookup(n) - 1");
    assert_eq!(reasons(&json, "f"), reasons(&json, "g"));
    assert_eq!(iterations(&json, "f"), iterations(&json, "g"));
}

#[test]
fn a_function_that_is_called_like_one_of_another_language_is_not_that_one() {
    let json = c("int min(int a, int b);
        int mod(int a, int b);
        static int max(int a, int b) { return a + b; }
        void h(int n, int m, double *a) { for (int i = 0; i < max(n, m); i++) a[i] *= 2; }
        void f(int n, int m, double *a) { for (int i = 0; i < min(n, m); i++) a[i] *= 2; }
        void g(int n, int m, double *a) { for (int i = 0; i < mod(n, m); i++) a[i] *= 2; }");
    assert_eq!(function(&json, "g")["loops"][0]["upper"], "mod(n,m) - 1");
    // Its own body says what it is.
    assert_eq!(function(&json, "h")["loops"][0]["upper"], "n + m - 1");
    // Headers that are not there may have it.
    assert_eq!(function(&json, "f")["loops"][0]["upper"], "min(n, m) - 1");
}

#[test]
fn functions_of_whole_numbers_are_known_by_what_they_compute() {
    let json = analyse(
        &[(
            "a.f90",
            "subroutine s(n, m, a)
               integer :: n, m, i
               real(8) :: a(*)
               do i = 1, min0(n, m)
                 a(i) = 1.0d0
               end do
               do i = 1, mod(n, m) + max(0, int(m, 4))
                 a(i) = 2.0d0
               end do
             end subroutine",
        )],
        &["n=10", "m=7"],
    );
    assert_eq!(iterations(&json, "s"), [7.0, 10.0]);
    let json = analyse(
        &[(
            "a.c",
            "#include <math.h>
             #include <stdlib.h>
             void f(int n, long m, double *a) { for (int i = 0; i < fmin(n, labs(m)); i++) a[i] *= 2; }",
        )],
        &["n=10", "m=-7"],
    );
    assert_eq!(iterations(&json, "f"), [7.0]);
}

/// A size with the very name of the probability of a branch, which gives way.
#[test]
fn a_size_and_a_probability_of_one_name_are_two_parameters() {
    let source = "void f(int prob_f_3, double *a, double *b) {
            for (int i = 0; i < prob_f_3; i++)
                if (b[i] > 0.0) a[i] = a[i] * 2.0;
        }";
    let json = analyse(&[("a.c", source)], &[]);
    assert_eq!(json["parameters"]["prob_f_3"]["kind"], "problem");
    assert_eq!(json["parameters"]["prob_f_3_"]["kind"], "probability");
    // Half of 128 iterations.
    assert_eq!(flops(&json, "f"), [64.0]);
    let branch = &function(&json, "f")["loops"][0]["branches"][0];
    assert_eq!(branch["probability"], "prob_f_3_");
    let set = ["prob_f_3=100", "prob_f_3_=0.25"];
    let json = analyse(&[("a.c", source)], &set);
    assert_eq!(iterations(&json, "f"), [100.0]);
    assert_eq!(flops(&json, "f"), [25.0]);
}

/// The same of a loop that nothing says the iterations of.
#[test]
fn a_size_and_a_trip_count_of_one_name_are_two_parameters() {
    let source = "int more(void);
        void f(int trip_f_4, double *a) {
            for (int i = 0; i < trip_f_4; i++)
                while (more()) a[i] += 1.0;
        }";
    let json = analyse(&[("a.c", source)], &["trip_f_4=10", "trip_f_4_=2.5"]);
    assert_eq!(json["parameters"]["trip_f_4"]["kind"], "problem");
    assert_eq!(json["parameters"]["trip_f_4_"]["kind"], "trip_count");
    assert_eq!(iterations(&json, "f"), [25.0]);
    assert_eq!(function(&json, "f")["loops"][0]["upper"], "trip_f_4 - 1");
    assert_eq!(function(&json, "f")["loops"][1]["upper"], "trip_f_4_");
}

/// Without a clash the names are those that `--set` always took.
#[test]
fn names_of_parameters_stay_as_they_are() {
    let source = "int more(void);
        void f(int n, double *a, double *b) {
            for (int i = 0; i < n; i++) {
                if (b[i] > 0.0) a[i] = a[i] * 2.0;
                while (more()) a[i] += 1.0;
            }
        }";
    let json = analyse(&[("a.c", source)], &[]);
    let mut names: Vec<&String> = json["parameters"]
        .as_object()
        .expect("parameters")
        .keys()
        .collect();
    names.sort();
    assert_eq!(
        names,
        ["block_x", "block_y", "block_z", "n", "prob_f_4", "trip_f_5"]
    );
}
