//! Input that is long or deep: all of it counts, or its loops stay listed with the reason.

use crate::support::command;
use serde_json::Value;

fn analysed(name: &str, text: &str) -> Value {
    command::analysed_text(name, text, &[])
}

fn loops(json: &Value) -> Vec<&Value> {
    json["functions"][0]["loops"]
        .as_array()
        .expect("loops")
        .iter()
        .collect()
}

fn has(facts: &Value, code: &str) -> bool {
    facts["reasons"]
        .as_array()
        .expect("reasons")
        .iter()
        .any(|reason| reason["code"] == code)
}

/// 600 terms are 599 additions.
#[test]
fn long_sums_count() {
    let terms = |index: fn(usize) -> String| (0..600).map(index).collect::<Vec<_>>();
    let sum = terms(|k| format!("b[i + {k}]")).join(" + ");
    let c = analysed(
        "sum.c",
        &format!(
            "void f(int n, double *a, double *b) {{ for (int i = 0; i < n; i++) a[i] = {sum}; }}"
        ),
    );
    let sum = terms(|k| format!("b(i + {k})")).join(" + &\n");
    let fortran = format!(
        "subroutine f(n, a, b)\ninteger n, i\nreal(8) a(n), b(n + 600)\ndo i = 1, n\na(i) = {sum}\nend do\nend\n"
    );
    for json in [c, analysed("sum.f90", &fortran)] {
        assert_eq!(loops(&json)[0]["flops"]["adds"], 599);
        assert_eq!(loops(&json)[0]["reasons"], Value::Array(Vec::new()));
    }
}

fn arms(count: usize) -> String {
    let arm = |k: usize| format!("if (c == {k}) {{ for (int i = 0; i < n; i++) a[i] += {k}; }}");
    let chain = (0..count).map(arm).collect::<Vec<_>>().join(" else ");
    format!("void f(int n, int c, double *a) {{ {chain} }}")
}

#[test]
fn long_chains_of_else_if_keep_their_loops() {
    let json = analysed("arms.c", &arms(200));
    assert_eq!(loops(&json).len(), 200);
    assert!(
        loops(&json)
            .iter()
            .all(|facts| facts["reasons"] == Value::Array(Vec::new()))
    );
    let json = analysed("arms.c", &arms(250));
    assert_eq!(loops(&json).len(), 250);
    assert_eq!(json["coverage"]["outside"]["too_deep"], 1);
}

#[test]
fn loops_that_are_nested_too_deeply_stay_listed() {
    let heads: String = (0..180)
        .map(|k| format!("for (int i{k} = 0; i{k} < 2; i{k}++) {{\n"))
        .collect();
    let json = analysed(
        "nest.c",
        &format!(
            "void f(double *a) {{ {heads} a[i0] = 1; {} }}",
            "}".repeat(180)
        ),
    );
    assert_eq!(loops(&json).len(), 180);
    assert!(
        loops(&json)
            .iter()
            .filter(|facts| has(facts, "too_deep"))
            .count()
            > 50
    );
}

/// Forward out of loops ends them early; backward they make a loop that no header shows.
#[test]
fn jumps_out_of_loops_end_them() {
    let json = analysed(
        "jump.c",
        "int f(int n, double *a) {\n  for (int j = 0; j < n; j++)\n    for (int i = 0; i < n; i++)\n      if (a[i] < j) goto found;\n  for (int i = 0; i < n; i++) {\n    if (a[i] > 0) goto next;\n    a[i] = 0;\n  }\nnext:\n  a[0] = 1;\n  if (a[1] > 0) goto next;\nfound:\n  return 0;\n}\n",
    );
    let early: Vec<bool> = loops(&json)
        .iter()
        .map(|facts| facts["exits_early"] == true)
        .collect();
    assert_eq!(early, [true, true, true, false]);
    assert!(
        loops(&json)
            .iter()
            .all(|facts| facts["reasons"] == Value::Array(Vec::new()))
    );
    assert_eq!(json["coverage"]["outside"]["goto"], Value::Null);
}

/// Each loop runs over a tile of the one around it; following every tile of every tile doubled the time with each loop.
#[test]
fn tiles_of_tiles_take_no_longer_with_each() {
    let heads: String = (1..40)
        .map(|k| format!("for (int i{k} = i{0}; i{k} < i{0} + 4; i{k}++) {{\n", k - 1))
        .collect();
    let text = format!(
        "void f(int n, double *a) {{ for (int i0 = 0; i0 < n; i0 += 4) {{ {heads} a[i39] += 1.0; {} }}",
        "}".repeat(40)
    );
    let json = analysed("tiles.c", &text);
    assert_eq!(loops(&json).len(), 40);
}

/// A union of two blocks in thirty dimensions would have 3^29 regions.
#[test]
fn arrays_of_many_dimensions_are_compared_in_time() {
    let heads: String = (0..30)
        .map(|k| format!("for (int i{k} = 0; i{k} < 2; i{k}++) {{\n"))
        .collect();
    let subscript = |shift: &str| {
        (0..30)
            .map(|k| format!("[i{k}{shift}]"))
            .collect::<String>()
    };
    let (here, next) = (subscript(""), subscript("+1"));
    let text = format!(
        "void f(double a{0}, double b{0}) {{ {heads} a{here} = b{here} + b{next}; {1} }}",
        "[3]".repeat(30),
        "}".repeat(30)
    );
    let json = analysed("dimensions.c", &text);
    assert_eq!(loops(&json).len(), 30);
    let inner = loops(&json)
        .into_iter()
        .find(|facts| facts["children"] == serde_json::json!([]))
        .expect("inner");
    assert_eq!(inner["flops"]["adds"], 1);
}

/// More dimensions than the language has are no nest as deep.
#[test]
fn fortran_arrays_of_thirty_dimensions_stay_listed() {
    let shape = vec!["3"; 30].join(",");
    let json = analysed(
        "rank.f90",
        &format!("subroutine f(a)\nreal(8) a({shape})\na = 0\nend\n"),
    );
    assert_eq!(json["coverage"]["outside"]["array_syntax"], 1);
}

/// Loops whose bounds all depend on the loop around, in two nests that reuse each other's lines: time and memory
/// grow with a power of the depth, not with its exponential.
#[test]
fn deep_triangular_loops_are_modelled() {
    let depth = 16;
    let head = |k: usize| match k {
        0 => "for (int i0 = 0; i0 < n; i0++) ".to_string(),
        _ => format!("for (int i{k} = i{}; i{k} < n; i{k}++) ", k - 1),
    };
    let heads: String = (0..depth).map(head).collect();
    let nest = format!(
        "{heads} a[i{}][i{}] += b[i{}][i{}];",
        depth - 1,
        depth - 2,
        depth - 2,
        depth - 1
    );
    let text = format!("void f(int n, double a[n][n], double b[n][n]) {{ {nest}\n{nest} }}");
    let json = analysed("triangles.c", &text);
    let nests = json["functions"][0]["nests"].as_array().expect("nests");
    assert_eq!(nests.len(), 2);
    assert!(
        nests
            .iter()
            .all(|nest| nest["extents"].as_array().expect("extents").len() == depth)
    );
}

/// The same with two bounds at either end of every loop: 2^16 combinations of them.
#[test]
fn deep_loops_with_several_bounds_are_modelled() {
    let depth = 16;
    let head = |k: usize| match k {
        0 => "do i0 = 1, n\n".to_string(),
        _ => format!("do i{k} = max(1, i{0} - 2), min(n, i{0} + 2)\n", k - 1),
    };
    let heads: String = (0..depth).map(head).collect();
    let ends = "end do\n".repeat(depth);
    let text = format!(
        "subroutine f(n, a)\ninteger n\nreal(8) a(n, n)\n{heads}a(i15, i14) = a(i14, i15)\n{ends}end\n"
    );
    let json = analysed("bounds.f90", &text);
    assert_eq!(
        json["functions"][0]["nests"]
            .as_array()
            .expect("nests")
            .len(),
        1
    );
}
