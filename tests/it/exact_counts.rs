//! How often loops run and calls are made, by figures that were counted by hand.

use serde_json::Value;

use crate::small::{analyse, c, calls, fortran, function, iterations};

/// The reasons why iterations of the nests of a function, or its calls, are not exact.
fn doubts(json: &Value, name: &str) -> Vec<String> {
    let nests = function(json, name)["nests"].as_array().expect("nests");
    let codes = nests
        .iter()
        .flat_map(|nest| ["reasons", "calls_reasons"].map(|kind| &nest[kind]))
        .flat_map(|codes| codes.as_array().expect("codes"));
    codes
        .map(|code| code.as_str().expect("a code").to_string())
        .collect()
}

/// Calls of a function in two loops, with those of the loops themselves.
fn called_in(head: &str) -> (f64, f64, Vec<String>) {
    let json = c(&format!(
        "double x[20];
         void f(double *x) {{ for (int k = 0; k < 10; k++) x[k] += 1; }}
         int main(void) {{ {head} f(x); return 0; }}"
    ));
    let all = iterations(&json, "main")[0];
    (all, calls(&json, "f"), doubts(&json, "f"))
}

#[test]
fn triangles_with_a_step_are_exact() {
    let exact = |number: f64| (number, number, Vec::new());
    // Of 17 rows: 6 + 6 + 3·5 + 3·4 + 3·3 + 3·2 + 3·1
    let by_three = called_in("for (int i = 0; i < 17; i++) for (int j = i; j < 17; j += 3)");
    assert_eq!(by_three, exact(57.0));
    // 0 + 1 + 1 + 1 + 2 + 2 + 2 + 3 + 3 + 3 + 4
    let from_zero = called_in("for (int i = 0; i < 11; i++) for (int j = 0; j < i; j += 3)");
    assert_eq!(from_zero, exact(22.0));
    // Both by two: 5 + 4 + 3 + 2 + 1
    let both = called_in("for (int i = 0; i < 10; i += 2) for (int j = i; j < 10; j += 2)");
    assert_eq!(both, exact(15.0));
    // Twice as far in each row: ⌈0/3⌉ + ⌈2/3⌉ + ⌈4/3⌉ + ⌈6/3⌉ + ⌈8/3⌉
    let steep = called_in("for (int i = 0; i < 5; i++) for (int j = 0; j < 2*i; j += 3)");
    assert_eq!(steep, exact(8.0));
    // Rows 4 to 9 are empty: ⌈4/3⌉ + ⌈3/3⌉ + ⌈2/3⌉ + ⌈1/3⌉
    let short = called_in("for (int i = 0; i < 10; i++) for (int j = i; j < 4; j += 3)");
    assert_eq!(short, exact(5.0));
    let repeated = called_in(
        "for (int t = 0; t < 4; t++) for (int i = 0; i < 17; i++) for (int j = i; j < 17; j += 3)",
    );
    assert_eq!(repeated, exact(228.0));
}

/// The mean of many rows is no count.
#[test]
fn calls_in_sampled_loops_have_a_reason() {
    let (_, _, doubts) = called_in(
        "for (int i = 0; i < 20; i++) for (int j = i; j < 20; j++) for (int k = i; k < j; k += 3)",
    );
    assert_eq!(doubts, ["approximate_trip_count"]);
}

fn read_and_changed(statements: &str) -> Value {
    analyse(
        &[(
            "a.f90",
            &format!(
                "program p\n integer :: n\n real :: a(1000)\n {statements}\n call work(a, n)\ncontains
                 subroutine take(k)\n integer, intent(out) :: k\n read *, k\n end subroutine
                 subroutine take_by(k)\n integer, intent(out) :: k\n call take(k)\n end subroutine
                 subroutine change(k)\n integer, intent(inout) :: k\n k = 2*k\n end subroutine
                 subroutine work(a, m)\n integer, intent(in) :: m\n real :: a(m)\n integer :: i
                 do i = 1, m\n a(i) = a(i) + 1\n end do\n end subroutine\nend program\n"
            ),
        )],
        &["n=100"],
    )
}

#[test]
fn what_a_procedure_reads_another_one_changes() {
    let of = |statements: &str| doubts(&read_and_changed(statements), "work");
    assert_eq!(of("call take(n)\n call change(n)"), ["several_sizes"]);
    assert_eq!(of("call take_by(n)\n call change(n)"), ["several_sizes"]);
    assert!(of("call take(n)").is_empty());
}

#[test]
fn numbers_that_a_type_does_not_hold_are_marked() {
    let of = |ty: &str, set: &str| {
        let text = format!(
            "#include <stdlib.h>\ndouble a[100000];
             int main(int c, char **v) {{ {ty} n = atoi(v[1]);
             for (int i = 0; i < n; i++) a[i] += 1; return 0; }}"
        );
        doubts(&analyse(&[("a.c", &text)], &[set]), "main")
    };
    assert_eq!(of("unsigned char", "n=300"), ["several_sizes"]);
    assert!(of("unsigned char", "n=255").is_empty());
    assert_eq!(of("short", "n=40000"), ["several_sizes"]);
    assert!(of("unsigned short", "n=40000").is_empty());
    assert!(of("int", "n=40000").is_empty());
}

/// What a loop over options gives a number is not used there, and what is asked of the number says what becomes of its default.
#[test]
fn branches_behind_options_change_their_defaults() {
    let json = c("#include <stdlib.h>\n#include <unistd.h>\ndouble a[100000];
         int main(int c, char **v) { int n = 10, o;
         while ((o = getopt(c, v, \"n:\")) != -1) { switch (o) { case 'n': n = atoi(optarg); break; } }
         if (n == 10) n = 33;
         for (int i = 0; i < n; i++) a[i] += 1; return 0; }");
    assert!(iterations(&json, "main").contains(&33.0));
}

/// Functions that choose which number they return.
#[test]
fn bounds_know_which_return_is_taken() {
    let json = c("double a[1000];
         int most(int k) { if (k > 3) return 40; return 7; }
         int main(void) { int m = 5;
         for (int i = 0; i < most(m); i++) a[i] += 1;
         for (int i = 0; i < most(2); i++) a[i] += 2;
         int w = most(4);
         for (int i = 0; i < w; i++) a[i] += 3;
         for (int t = 0; t < 3; t++) for (int i = 0; i < most(2); i++) a[i] += 1;
         return 0; }");
    assert_eq!(iterations(&json, "main"), [40.0, 7.0, 40.0, 21.0]);
    assert!(doubts(&json, "main").is_empty());
}

#[test]
fn optional_arguments_decide_sizes() {
    let of = |call: &str| {
        let json = fortran(&format!(
            "program p\n real :: a(1000)\n {call}\ncontains
             subroutine work(a, k)\n real :: a(:)\n integer, optional :: k\n integer :: kk, i
             kk = 1\n if (present(k)) kk = k\n do i = 1, kk\n a(i) = a(i) + 1\n end do
             end subroutine\nend program\n"
        ));
        (iterations(&json, "work")[0], doubts(&json, "work"))
    };
    assert_eq!(of("call work(a)"), (1.0, Vec::new()));
    assert_eq!(of("call work(a, 30)"), (30.0, Vec::new()));
    let both = of("call work(a)\n call work(a, 30)");
    assert_eq!(both, (30.0, vec!["several_sizes".to_string()]));
}

fn bound_of_c(declarations: &str, bound: &str) -> (f64, bool) {
    let json = c(&format!(
        "{declarations}\nstatic const int table[4] = {{3, 4, 5, 6}};\ndouble a[100000];
         int main(void) {{ for (int i = 0; i < {bound}; i++) a[i] += 1; return 0; }}"
    ));
    let parameters = json["parameters"].as_object().expect("parameters");
    let is_guess = |row: &Value| row["origin"] == "guessed" && row["kind"] == "problem";
    let is_guessed = parameters.values().any(is_guess);
    (iterations(&json, "main")[0], is_guessed)
}

#[test]
fn constants_of_c_have_the_types_that_the_language_gives_them() {
    let enumerated = |value: &str| bound_of_c(&format!("enum {{ E = {value} }};"), "E");
    // What overflows has no value.
    assert!(enumerated("70000*70000").1);
    assert!(bound_of_c("static const int k = 70000*70000;", "k").1);
    assert!(bound_of_c("#define K (70000*70000)", "K").1);
    assert_eq!(enumerated("70000*70000L/1000000"), (4900.0, false));
    assert_eq!(enumerated("1 << 6"), (64.0, false));
    // 65537·65537 is 131073 beyond a multiple of 2³².
    assert_eq!(enumerated("65537u*65537u%1000"), (73.0, false));
    // 5 − 6 is 2³² − 1 without a sign.
    let of_macro = "(N - 6)/1000000000";
    assert_eq!(bound_of_c("#define N 5u", of_macro), (4.0, false));
    assert_eq!(bound_of_c("#define N 5", of_macro).0, 0.0);
    assert_eq!(enumerated("sizeof(double)*3-1"), (23.0, false));
    assert_eq!(bound_of_c("", "(5 ? 11 : 22)"), (11.0, false));
    assert_eq!(bound_of_c("", "table[0] + table[3]"), (9.0, false));
}

#[test]
fn inquiries_of_fortran_are_numbers() {
    let of = |bound: &str| {
        let json = fortran(&format!(
            "program p\n real :: a(1000)\n integer :: i\n do i = 1, {bound}\n a(i) = 1\n end do\nend program\n"
        ));
        iterations(&json, "p")[0]
    };
    assert_eq!(of("kind('a')*12"), 12.0);
    assert_eq!(of("radix(1.0)*13"), 26.0);
    // No kind has so many digits, or so large an exponent.
    assert_eq!(of("selected_real_kind(400) + 20"), 19.0);
    assert_eq!(of("selected_real_kind(6, 9999) + 20"), 18.0);
    assert_eq!(of("selected_real_kind(400, 9999) + 20"), 17.0);
    assert_eq!(of("selected_int_kind(60) + 20"), 19.0);
    assert_eq!(of("selected_real_kind(15)"), 8.0);
}
