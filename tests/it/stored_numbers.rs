//! What is left of numbers in the types that store, pass, return and compare them.

use serde_json::{Value, json};

use crate::small::{analyse, c, fortran, function, iterations, reasons};

/// Statements that give `n` a value, and how often `for (int j = 0; j < n; j++)` runs then.
const STORED_IN_C: &[(&str, &str, f64)] = &[
    ("unsigned characters", "unsigned char n = 300;", 44.0),
    ("short numbers", "short n = 70000;", 4464.0),
    ("another variable", "int m = 70000; short n = m;", 4464.0),
    ("truths", "_Bool n = 2;", 1.0),
    ("casts", "int k = 1000; int n = (unsigned char)k;", 232.0),
    (
        "casts of literals",
        "int n = (char)300 + (short)65537;",
        45.0,
    ),
    (
        "beyond the largest",
        "int n = 3000000000u + 1294967300;",
        4.0,
    ),
    (
        "differences without a sign",
        "unsigned a1 = 3, b1 = 5; int n = a1 - b1 + 9;",
        7.0,
    ),
    (
        "bit-fields",
        "struct { unsigned n : 3; } q; q.n = 13; int n = q.n;",
        5.0,
    ),
    ("products", "int n = 11; n *= 1.55;", 17.0),
    ("sums", "int n = 11; n += 0.9;", 11.0),
    ("halves", "int n = 11; n = n * 0.5;", 5.0),
    ("quotients", "int n = 11; n /= 2.0;", 5.0),
    ("rounded ones", "int n = lround(10.5) + ceil(10.2);", 22.0),
    (
        "shifts below zero",
        "int m = -7; int n = 10 + (m >> 1);",
        6.0,
    ),
    (
        "divisions below zero",
        "int m = -7; int n = 10 + m / 2;",
        7.0,
    ),
    (
        "remainders below zero",
        "int m = -7; int n = 10 + m % 4;",
        7.0,
    ),
    (
        "steps of unsigned characters",
        "unsigned char n = 254; n++; ++n; n++; n++;",
        2.0,
    ),
    ("steps below zero", "unsigned char n = 3; n -= 9;", 250.0),
    (
        "sums of unsigned characters",
        "unsigned char n = 200; n = n + 100;",
        44.0,
    ),
    (
        "sums of two unsigned characters",
        "unsigned char a1 = 200, b1 = 100; unsigned char n = a1 + b1;",
        44.0,
    ),
    (
        "differences of two unsigned characters",
        "unsigned char a1 = 10, b1 = 11; unsigned char n = a1 - b1;",
        255.0,
    ),
    (
        "sums of two short numbers",
        "unsigned short a1 = 50000, b1 = 50000; unsigned short n = a1 + b1;",
        34464.0,
    ),
    (
        "negatives",
        "unsigned char a1 = 5; unsigned char n = -a1;",
        251.0,
    ),
    (
        "what a loop counts in characters",
        "unsigned char n = 250; for (int i = 0; i < 10; i++) n++;",
        4.0,
    ),
    (
        "what a loop counts in short numbers",
        "unsigned short n = 65530; for (int i = 0; i < 20; i++) n++;",
        14.0,
    ),
    (
        "steps of bit-fields",
        "struct { unsigned n : 3; } q; q.n = 6; q.n++; q.n++; ++q.n; int n = q.n;",
        1.0,
    ),
    (
        "steps of members",
        "struct { unsigned char n; } q; q.n = 254; q.n++; q.n++; q.n++; int n = q.n;",
        1.0,
    ),
    (
        "what a condition has counted",
        "int n = 0; while (n++ < 9) a[n] = 1;",
        10.0,
    ),
];

fn last(json: &Value, name: &str) -> f64 {
    *iterations(json, name).last().expect("a nest")
}

#[test]
fn what_types_leave_of_numbers_is_counted() {
    for (what, statements, expected) in STORED_IN_C {
        let source = format!(
            "#include <math.h>
double a[100000];
int main(void) {{
  {statements}
  for (int j = 0; j < n; j++) a[j] += 1;
  return 0;
}}
"
        );
        assert_eq!(last(&c(&source), "main"), *expected, "{what}");
    }
}

/// Headers of loops, and how often they run.
#[test]
fn real_ends_lie_between_whole_numbers() {
    let headers = [
        ("int j = 0; j < 10.5; j++", 11.0),
        ("int j = 0; j <= 10.5; j++", 11.0),
        ("int j = 0; j < x; j++", 11.0),
        ("int j = 10; j > 0.5; j--", 10.0),
        ("int j = 0; 9.5 >= j; j += 2", 5.0),
        ("int j = 0; j < 10.0; j++", 10.0),
    ];
    for (header, expected) in headers {
        let source = format!(
            "double a[100];
int main(void) {{
  double x = 10.5;
  for ({header}) a[j] += x;
  return 0;
}}
"
        );
        assert_eq!(last(&c(&source), "main"), expected, "{header}");
    }
}

#[test]
fn what_is_global_passed_or_returned_is_converted() {
    let json = c("double a[100000];
unsigned char n = 270;
static unsigned char t[3] = {257, 258, 5};
struct { unsigned n : 3; int m : 4; } q = {13, 9};
static unsigned char sum(int k) { return k + 250; }
int main(void) {
  for (int j = 0; j < n; j++) a[j] += 1;
  for (int j = 0; j < t[0] + t[1]; j++) a[j] += 1;
  for (int j = 0; j < q.n; j++) a[j] += 1;
  for (int j = q.m; j < 10; j++) a[0] += 1;
  int k = sum(10);
  for (int j = 0; j < k; j++) a[j] += 1;
  return 0;
}
");
    assert_eq!(iterations(&json, "main"), [14.0, 3.0, 5.0, 17.0, 4.0]);
}

/// Statements that give `n` a value, and how often `do j = 1, n` runs then.
#[test]
fn fortran_converts_what_it_assigns() {
    let programs = [
        ("x = 9.7\n  n = x", 9.0),
        ("x = 9.7\n  n = x / 2", 4.0),
        ("n = 11\n  n = n * 1.55", 17.0),
        ("integer, parameter :: n = 2.9", 2.0),
        ("n = 7 / 2.0", 3.0),
        (
            "integer(2) :: n\n  integer :: m\n  m = 70000\n  n = m",
            4464.0,
        ),
        ("n = 5 + 2**(-1)", 5.0),
    ];
    for (statements, expected) in programs {
        let source = format!(
            "program p
  integer :: j
  real :: s(100000)
  {statements}
  do j = 1, n
    s(j) = 0
  end do
end program
"
        );
        let json = fortran(&source);
        assert_eq!(last(&json, "p"), expected, "{statements}");
    }
}

/// The number of calls of `f`, and its reasons, behind a condition in loops.
fn called(loops: &str) -> (f64, bool) {
    let json = analyse(
        &[(
            "a.c",
            &format!(
                "double a[100];
static void f(int n) {{
  for (int j = 0; j < n; j++) a[j] += 1;
}}
int main(void) {{
  {loops}
  return 0;
}}
"
            ),
        )],
        &[],
    );
    let nest = &function(&json, "f")["nests"][0];
    let reasons = nest["calls_reasons"].as_array().expect("reasons");
    let is_marked = reasons.iter().any(|code| code == "condition_on_loops");
    (nest["calls"].as_f64().expect("calls"), is_marked)
}

#[test]
fn calls_behind_remainders_are_counted_or_marked() {
    let stepped = "for (int i = 0; i < 21; i += 3) if (i % 4 == 1) f(5);";
    assert_eq!(called(stepped), (1.0, false));
    let moved = "for (int i = 0; i < 22; i++) if ((i + 1) % 4 == 1) f(5);";
    assert_eq!(called(moved), (6.0, false));
    let backwards = "for (int i = 37; i > 0; i -= 2) if (i % 7 == 3) f(5);";
    assert_eq!(called(backwards), (3.0, false));
    let triangle =
        "for (int i = 0; i < 21; i++) for (int k = 0; k < i; k++) if ((i + k) % 4 == 1) f(5);";
    assert!(called(triangle).1);
    let several = "for (int i = 0; i < 13; i++) { if (i % 3 == 0) continue; if (i > 6) f(5); }";
    assert!(called(several).1);
}

#[test]
fn loops_begin_below_zero_where_ends_have_no_sign() {
    let headers = [
        ("int i = -3; i < u; i++", 0.0),
        ("int i = -3; i < ul; i++", 0.0),
        ("int i = -3; i < uc; i++", 9.0),
        ("long i = -3; i < u; i++", 8.0),
        ("int i = -1; i <= (int)u; i++", 7.0),
        ("int i = s; i < u; i++", 0.0),
        ("int i = s; u > i; i++", 0.0),
        ("int i = s; i != u; i++", 9.0),
        ("int i = 10; i > u; i--", 5.0),
    ];
    for (header, expected) in headers {
        let source = format!(
            "double t;
int main(void) {{
  unsigned u = 5; unsigned long ul = 7; unsigned char uc = 6; int s = -4;
  for ({header}) t += 1;
  return 0;
}}
"
        );
        let json = c(&source);
        assert_eq!(last(&json, "main"), expected, "{header}");
        assert!(reasons(&json, "main").is_empty(), "{header}");
    }
}

/// A loop begins with what its variable holds. Counted by GCC's program.
#[test]
fn loops_begin_with_what_their_variables_hold() {
    let headers = [
        ("int i = none - 1; i >= 0; i--", 0.0),
        ("int i = a - b; i < 0; i++", 2.0),
        ("unsigned char i = below; i > 250; i--", 3.0),
        ("int i = c + c; i < 0; i++", 0.0),
        ("int i = (signed char)(c + c); i < 0; i++", 56.0),
    ];
    for (header, expected) in headers {
        let source = format!(
            "double t;
int main(void) {{
  unsigned none = 0, a = 3, b = 5; int below = -3; signed char c = 100;
  for ({header}) t += 1;
  return 0;
}}
"
        );
        let json = c(&source);
        assert_eq!(last(&json, "main"), expected, "{header}");
    }
}

/// What begins again within a loop, or is compared without a sign in some of its iterations, is no exact count without a mark:
/// GCC's program counts 12 and 1370.
#[test]
fn what_begins_again_in_loops_is_marked() {
    let loops = [
        "unsigned u = 5; for (int o = -2; o < 3; o++) for (int i = o; i < u; i++) t += 1;",
        "unsigned char n = 250;
         for (int k = 0; k < 20; k++) { n++; for (int i = 0; i < n; i++) t += 1; }",
    ];
    for text in loops {
        let json = c(&format!("double t; int main(void) {{ {text} return 0; }}"));
        let marks = &function(&json, "main")["nests"][0]["reasons"];
        assert_eq!(marks, &json!(["approximate_trip_count"]), "{text}");
    }
}

#[test]
fn numbers_at_file_scope_need_no_type() {
    let json = c("count = 13;
double a[20];
int main(void) {
  for (int i = 0; i < count; i++) a[i] += 1;
  return 0;
}
");
    assert_eq!(last(&json, "main"), 13.0);
}

/// Names of parameters whose values nothing in the source gives.
fn guessed(json: &Value) -> Vec<&str> {
    let parameters = json["parameters"].as_object().expect("parameters");
    let is_guess = |parameter: &&Value| parameter["origin"] == "guessed";
    let guesses = parameters.values().filter(is_guess);
    guesses
        .filter_map(|parameter| parameter["source_name"].as_str())
        .collect()
}

#[test]
fn arrays_that_assignments_make_longer_are_not_as_long_as_they_were_allocated() {
    let json = fortran(
        "module m
  type list
    integer, allocatable :: items(:)
  end type
contains
  subroutine push(l, item)
    type(list), intent(inout) :: l
    integer, intent(in) :: item
    if (.not. allocated(l%items)) allocate(l%items(2))
    l%items = [item, l%items]
  end subroutine
end module
program p
  use m
  type(list) :: l
  integer :: i, s
  integer, allocatable :: v(:)
  call push(l, 7)
  allocate(v(3))
  v = [v, 4]
  s = 0
  do i = 1, size(l%items)
    s = s + l%items(i)
  end do
  do i = 1, size(v)
    s = s + v(i)
  end do
  print *, s
end program
",
    );
    let guesses = guessed(&json);
    assert!(guesses.contains(&"size(list%items,1)"), "{guesses:?}");
    assert!(guesses.contains(&"size(v,1)"), "{guesses:?}");
}

/// A part of itself, and the storage of another array; what keeps its length stays known.
#[test]
fn arrays_that_get_another_length_are_not_as_long_as_they_were_allocated() {
    let json = fortran(
        "program p
  integer :: i, s
  integer, allocatable :: v(:), w(:), longer(:), same(:)
  allocate(v(4), w(4), longer(8), same(5))
  v = i
  same = 2
  same = same(:)
  v = v(2:3)
  longer(1:4) = w
  call move_alloc(longer, w)
  s = 0
  do i = 1, size(v)
    s = s + v(i)
  end do
  do i = 1, size(w)
    s = s + w(i)
  end do
  do i = 1, size(same)
    s = s + same(i)
  end do
  print *, s
end program
",
    );
    let guesses = guessed(&json);
    // Of `v` both lengths are known.
    let nests = function(&json, "p")["nests"].as_array().expect("nests");
    let marked = nests.iter().map(|nest| &nest["reasons"]);
    assert!(
        marked
            .clone()
            .any(|reasons| *reasons == json!(["several_sizes"])),
        "{nests:?}"
    );
    assert!(guesses.contains(&"size(w,1)"), "{guesses:?}");
    assert!(!guesses.contains(&"size(same,1)"), "{guesses:?}");
}

/// The sizes that are guessed of a program with a stack behind a pointer, on which two procedures work.
#[test]
fn members_behind_pointers_are_given_values_in_calls() {
    let program = |count: &str, reached: &str| {
        let source = format!(
            "#include <stdlib.h>
struct stack {{ int size, top; int *data; }};
static int is_full(struct stack *s) {{ return s->top == s->size - 1; }}
static void push(struct stack *s, int value) {{
  if (!is_full(s)) {{ s->top++; s->data[s->top] = value; }}
}}
static void push_twice(struct stack *s, int value) {{ push(s, value); push(s, value); }}
int main(void) {{
  struct stack *s = malloc(sizeof(struct stack));
  s->size = 50;
  s->top = -1;
  s->data = malloc(50 * sizeof(int));
  {count}
  for (int j = 0; j < {reached}; j++) s->data[j] += 1;
  return 0;
}}
"
        );
        let json = c(&source);
        (last(&json, "main"), !guessed(&json).is_empty())
    };
    // What no call gives a value keeps its own.
    assert_eq!(program("push(s, 5);", "s->size"), (50.0, false));
    assert!(program("push(s, 5);", "s->top + 1").1);
    assert!(program("push_twice(s, 5);", "s->top + 1").1);
}
