//! Calls: bodies in place of their calls, what is known of the others, and totals along call paths.

use crate::support::command;
use serde_json::{Value, json};

fn analysed(file: &str, settings: &[&str]) -> Value {
    let machine = ["--machine", "exasat"];
    let arguments = [&machine, &command::settings(settings)[..]].concat();
    command::analysed(command::fixture("calls").join(file), &arguments)
}

fn function<'j>(json: &'j Value, name: &str) -> &'j Value {
    let functions = json["functions"].as_array().expect("functions");
    functions
        .iter()
        .find(|function| function["name"] == name)
        .unwrap_or_else(|| panic!("no function {name}"))
}

fn only_loop<'j>(json: &'j Value, name: &str) -> &'j Value {
    let innermost = |l: &&Value| l["children"] == json!([]);
    function(json, name)["loops"]
        .as_array()
        .expect("loops")
        .iter()
        .find(innermost)
        .expect("a loop")
}

fn codes(facts: &Value) -> Vec<&str> {
    facts["reasons"]
        .as_array()
        .expect("reasons")
        .iter()
        .map(|r| r["code"].as_str().expect("a code"))
        .collect()
}

/// Offsets, reads and writes of a stream.
fn accesses(facts: &Value, array: &str) -> Value {
    let arrays = facts["arrays"].as_array().expect("arrays");
    let stream = arrays
        .iter()
        .find(|a| a["name"] == array)
        .unwrap_or_else(|| panic!("no array {array}"));
    let accesses = stream["accesses"].as_array().expect("accesses");
    accesses
        .iter()
        .map(|a| json!([a["offset"], a["reads"], a["writes"]]))
        .collect()
}

#[test]
fn a_body_without_loops_counts_where_it_is_called_in_c() {
    let json = analysed("steps.c", &[]);
    let facts = only_loop(&json, "leaves");
    assert_eq!(facts["reasons"], json!([]));
    // square 1 multiply; limited 1 add and 1 multiply; the sum of both 1 add; point 1 add and 1 multiply.
    assert_eq!(
        (&facts["flops"]["adds"], &facts["flops"]["multiplies"]),
        (&json!(3), &json!(3))
    );
    // a: i+1 by square, i as copied for limited, i and i+1 by point.
    assert_eq!(accesses(facts, "a"), json!([[[1], 2, 0], [[0], 2, 0]]));
    assert_eq!(accesses(facts, "b"), json!([[[0], 0, 1], [[1], 0, 1]]));
    let calls = facts["calls"].as_array().expect("calls");
    let listed: Vec<_> = calls
        .iter()
        .map(|c| (c["name"].as_str(), c["body"].as_str()))
        .collect();
    assert_eq!(
        listed,
        ["square", "limited", "point"].map(|name| (Some(name), Some("expanded")))
    );
}

#[test]
fn a_body_without_loops_counts_where_it_is_called_in_fortran() {
    let json = analysed("leaves.f90", &[]);
    let facts = only_loop(&json, "run");
    assert_eq!(facts["reasons"], json!([]));
    // square 1 multiply, + 1 add; point 1 add and 1 multiply.
    assert_eq!(
        (&facts["flops"]["adds"], &facts["flops"]["multiplies"]),
        (&json!(2), &json!(2))
    );
    assert_eq!(
        accesses(facts, "u"),
        json!([[[1, 0, 0], 1, 1], [[3, 0, 0], 1, 0], [[2, 0, 0], 0, 1]])
    );
}

#[test]
fn types_choose_the_procedure_behind_a_generic_name() {
    let json = analysed("leaves.f90", &[]);
    let facts = only_loop(&json, "generic");
    assert_eq!(facts["reasons"], json!([]));
    assert_eq!(
        (&facts["flops"]["adds"], &facts["flops"]["multiplies"]),
        (&json!(1), &json!(1))
    );
}

#[test]
fn dummy_arrays_have_their_own_bounds() {
    // x(-1) is c(i-1), x(0) the element after it.
    let json = analysed("leaves.f90", &[]);
    assert_eq!(
        accesses(only_loop(&json, "shifted"), "c"),
        json!([[[-1], 1, 0], [[0], 0, 1]])
    );
}

#[test]
fn a_scalar_that_a_callee_assigns_is_no_symbol() {
    let json = analysed("leaves.f90", &[]);
    let loops = function(&json, "run")["loops"].as_array().expect("loops");
    let last = loops.last().expect("a loop");
    assert_eq!(codes(last), [""; 0]);
    assert_eq!(last["arrays"][0]["subscripts"], json!(["gather(k)"]));
    assert_eq!(last["calls"][0]["body"], "known");
}

#[test]
fn only_bodies_in_place_of_their_calls_leave_loops_fusable() {
    let json = analysed("leaves.f90", &[]);
    let fusion = |name: &str| function(&json, name)["sequences"][0]["fusions"][0].clone();
    assert_eq!(
        (
            &fusion("neighbours")["legal"],
            &fusion("neighbours")["loops"]
        ),
        (&json!(true), &json!(1))
    );
    assert_eq!(
        fusion("strangers")["prevented_by"],
        "strangers@106 calls fill"
    );
}

#[test]
fn recursion_is_cut_and_what_is_not_known_is_listed() {
    let json = analysed("steps.c", &[]);
    assert_eq!(codes(only_loop(&json, "deep")), ["recursion"]);
    assert_eq!(codes(only_loop(&json, "stranger")), ["call"]);
    assert_eq!(codes(only_loop(&json, "through")), ["call"]);
    assert_eq!(
        json["calls"]["unknown"],
        json!({"action": 1, "elsewhere": 1})
    );
}

/// One sweep: 126·126 points of 3 adds and 1 multiply.
const SWEEP: i64 = 126 * 126 * 4;

#[test]
fn a_time_loop_multiplies_what_it_calls() {
    for niter in [10, 25] {
        let json = analysed("steps.c", &[&format!("niter={niter}"), "n=128"]);
        assert_eq!(function(&json, "step")["times_called"], niter);
        let sweep = function(&json, "sweep");
        assert_eq!(sweep["times_called"], 2 * niter);
        assert_eq!(sweep["one_call"]["flops"], SWEEP);
        assert_eq!(sweep["executed"]["flops"], SWEEP * 2 * niter);
        assert_eq!(
            function(&json, "step")["one_call_with_callees"]["flops"],
            2 * SWEEP
        );
        // All steps but the first three run leaves: 128·6 flops, of which half of limited's 2 are done.
        let leaves = function(&json, "leaves");
        assert_eq!(leaves["times_called"].as_f64(), Some(niter as f64 - 3.0));
        assert_eq!(leaves["one_call"]["flops"], 128 * 5);
        let path = &json["calls"]["paths"][0];
        assert_eq!(
            (&path["functions"], &path["calls"]),
            (&json!(["main", "step", "sweep"]), &json!(2 * niter))
        );
        assert_eq!(path["flops"], SWEEP * 2 * niter);
        // Each nest once.
        let once: i64 = json["totals"]["flops"].as_i64().expect("a total");
        assert_eq!(once, SWEEP + 128 * 5);
        let executed = SWEEP * 2 * niter + 128 * 5 * (niter - 3);
        assert_eq!(json["totals"]["executed"]["flops"], executed);
        let time_loop = &function(&json, "main")["nests"][0];
        assert_eq!(time_loop["called_flops"], executed);
    }
}

#[test]
fn a_branch_in_a_body_keeps_its_own_probability() {
    // The branch of limited, line 10, is never taken: all of its 2 flops are done.
    let json = analysed("steps.c", &["prob_limited_10=0"]);
    assert_eq!(function(&json, "leaves")["one_call"]["flops"], 128 * 6);
}

/// 100 iterations of twice (4 flops) + point (2) and one addition: 700, and nothing of it again as functions that nothing calls.
#[test]
fn bodies_in_place_of_their_calls_count_once() {
    let json = analysed("in_place.c", &[]);
    assert_eq!(json["totals"]["flops"], 700);
    let executed = &json["totals"]["executed"]["flops"];
    assert!(executed.is_null() || *executed == 700, "{executed}");
}

/// What a body does outside its loops is work of the loop that calls it, there only, with what it calls there.
#[test]
fn work_around_loops_counts_where_the_body_is_called_once() {
    let json = analysed("around.c", &[]);
    let executed = |name: &str| function(&json, name)["executed"]["flops"].clone();
    // In front of each of 10 · 1000 calls of `flux`: 4 of its own, 1 of `deep`; of 10 calls of `norm`: 2.
    let nests = &function(&json, "main")["nests"];
    assert_eq!(nests[0]["flops"], 10 * 1000 * 5 + 10 * 2);
    assert_eq!(nests[0]["called_flops"], 10 * 1000 * 8 + 10 * 2000);
    // One more call of each outside of loops.
    assert_eq!(executed("flux"), 10_001 * 4 + 4);
    assert_eq!(executed("deep"), 10_002 * 4 + 2);
    assert_eq!(executed("norm"), 10 * 2000);
    let total = 10_001 * 8 + 10_002 * 5 + 10 * 2002;
    assert_eq!(json["totals"]["executed"]["flops"], total + 50 * 16);
    let whole = &function(&json, "main")["one_call_with_callees"];
    assert_eq!(whole["flops"], total + 50 * 16);
}

/// Flops of the only loop of a function in one call, and of the calls in it.
fn own_and_called(json: &Value, name: &str) -> (f64, f64) {
    let nest = &function(json, name)["nests"][0];
    let number = |key: &str| {
        nest[key]
            .as_f64()
            .unwrap_or_else(|| panic!("{name}: {key}"))
    };
    // Shares of iterations are not exact in binary.
    let rounded = |flops: f64| (flops * 1e6).round() / 1e6;
    (rounded(number("flops")), rounded(number("called_flops")))
}

/// Arguments, what is around the loops of functions that functions without loops call, subscripts of what is counted up, and
/// operands that are not always evaluated: each counts as often as a program does it.
#[test]
fn what_is_computed_once_counts_once() {
    let json = analysed("once.c", &[]);
    for (name, own, called) in [
        ("sum", 200, 1000),
        ("nested", 200, 2000),
        ("counted", 200, 1000),
        ("wrapped", 300, 1000),
        ("both", 10, 100),
        ("either", 10, 100),
        ("chosen", 110, 100),
        // Two operations in five more calls.
        ("three", 20, 150),
        ("whole", 10, 100),
    ] {
        let (own, called) = (f64::from(own), f64::from(called));
        assert_eq!(own_and_called(&json, name), (own, called), "{name}");
    }
    let executed = &json["totals"]["executed"]["flops"];
    let executed = executed.as_f64().expect("flops of the run").round();
    let own = 200.0 * 3.0 + 300.0 + 10.0 * 2.0 + 110.0;
    assert_eq!(executed, own + 5300.0);
    let power = &function(&json, "power")["nests"][0];
    assert_eq!(power["calls"].as_f64().map(f64::round), Some(530.0));
    let json = analysed("once.f90", &[]);
    for (name, called) in [("sum_of", 1000), ("nested", 2000), ("inside", 1000)] {
        let called = f64::from(called);
        assert_eq!(own_and_called(&json, name), (200.0, called), "{name}");
    }
    assert_eq!(json["totals"]["executed"]["flops"], 3 * 200 + 4000);
}

/// What rests on what the loops of a body find out cannot stand in front of its calls: that is said.
#[test]
fn work_behind_what_loops_find_is_missing_with_a_mark() {
    let json = analysed("around.c", &[]);
    let searches = only_loop(&json, "searches");
    assert_eq!(codes(searches), ["callee"]);
    let text = searches["reasons"][0]["detail"].as_str().expect("a text");
    assert!(text.contains("outside its loops"), "{text}");
    assert_eq!(function(&json, "found")["executed"]["flops"], 50 * 16);
}

#[test]
fn the_blas_needs_no_sources() {
    let json = analysed("blas.f90", &["m=10", "n=20", "k=30", "nb=4"]);
    let (caller, callee) = (only_loop(&json, "blocks"), function(&json, "dgemm"));
    assert_eq!(caller["reasons"], json!([]));
    assert_eq!(callee["file"], "(loopsheet)/blas.f90");
    // Scaling c is m·n multiplies, factors are n·k, then m·n·k of both; once for each of nb.
    let once = 10 * 20 + 20 * 30 + 2 * 10 * 20 * 30;
    assert_eq!(
        function(&json, "blocks")["nests"][0]["called_flops"],
        4 * once
    );
    let reasons = codes(only_loop(&json, "other"));
    assert_eq!(reasons, ["call"]);
}

#[test]
fn the_blas_is_known_to_c() {
    let json = analysed("blas.c", &["m=10", "n=20"]);
    let caller = only_loop(&json, "rows");
    assert_eq!(caller["reasons"], json!([]));
    assert_eq!(
        function(&json, "rows")["nests"][0]["called_flops"],
        10 * 2 * 20
    );
}

#[test]
fn the_blas_can_be_left_out() {
    let json = command::analysed(command::fixture("calls/blas.f90"), &["--no-blas"]);
    assert_eq!(codes(only_loop(&json, "blocks")), ["call"]);
}

fn operations(facts: &Value) -> Value {
    json!(["adds", "multiplies", "divides"].map(|kind| facts["flops"][kind].clone()))
}

#[test]
fn a_module_says_which_procedure_a_name_stands_for() {
    let json = analysed("bound.f90", &[]);
    let facts = only_loop(&json, "renamed");
    assert_eq!(codes(facts), [""; 0]);
    // `weight` of `shapes`: one sum, two products; `scale` of `others`: one quotient.
    assert_eq!(operations(facts), json!([1, 2, 1]));
}

#[test]
fn procedures_that_belong_to_a_type() {
    let json = analysed("bound.f90", &[]);
    let facts = only_loop(&json, "objects");
    assert_eq!(codes(facts), [""; 0]);
    // scale 2 products; add 1 sum; area 1 product; unit 1 sum; and 1 sum, 1 product here.
    assert_eq!(operations(facts), json!([3, 4, 0]));
    // w and h, the first two numbers of a structure, are read and written by scale, w by add, both read by area.
    assert_eq!(accesses(facts, "s"), json!([[[0], 3, 2], [[1], 2, 1]]));
}

#[test]
fn the_number_of_arguments_chooses_behind_a_generic_binding() {
    let json = analysed("bound.f90", &[]);
    let loops = function(&json, "generic_ones")["loops"]
        .as_array()
        .expect("loops");
    // put_both assigns; scale has two products.
    let found: Vec<Value> = loops
        .iter()
        .map(|facts| json!([operations(facts), codes(facts)]))
        .collect();
    assert_eq!(found, [json!([[0, 0, 0], []]), json!([[0, 2, 0], []])]);
}

#[test]
fn what_an_extension_overrides_is_known_to_the_run_only() {
    let json = analysed("bound.f90", &[]);
    let facts = only_loop(&json, "overridden");
    assert_eq!(codes(facts), ["call"]);
}

#[test]
fn a_parent_is_a_component() {
    let json = analysed("bound.f90", &[]);
    let loops = function(&json, "through_the_parent")["loops"]
        .as_array()
        .expect("loops");
    let found: Vec<Value> = loops
        .iter()
        .map(|facts| json!([operations(facts), codes(facts)]))
        .collect();
    assert_eq!(found, [json!([[1, 1, 0], []]), json!([[1, 1, 1], []])]);
}

/// Neither of the two is taken for the other: a product of numbers, and one of integers.
#[test]
fn different_procedures_behind_one_name_are_told_apart() {
    let json = analysed("bound.f90", &[]);
    let loops = function(&json, "two_behind_one_name")["loops"]
        .as_array()
        .expect("loops");
    let found: Vec<Value> = loops
        .iter()
        .map(|facts| json!([operations(facts), codes(facts)]))
        .collect();
    assert_eq!(found, [json!([[0, 1, 0], []]), json!([[0, 0, 0], []])]);
}

/// A body that points into what it is passed has the accesses of the body written out.
#[test]
fn pointers_of_a_body_lead_to_the_arrays_of_its_caller() {
    let text = "typedef struct { double e, a, b; } P;
void sum(int k, long n, double *restrict g, double *restrict x) { double *low = &g[k*n]; x[0] = low[0] + low[1]; }
void call_sum(int m, long n, double *restrict g, double *restrict h, double *restrict out)
{ for (int j = 0; j < m; j++) { sum(j, n, g, &out[j]); sum(j, n, h, &out[m + j]); } }
void wrote_sum(int m, long n, double *restrict g, double *restrict h, double *restrict out)
{ for (int j = 0; j < m; j++) { out[j] = g[j*n] + g[j*n + 1]; out[m + j] = h[j*n] + h[j*n + 1]; } }
void twice(double *q, int k) { double *r = q; r[k] = 1; r = q + 2; r[k] = 2; }
void call_twice(int m, double *q) { for (int j = 0; j < m; j++) twice(q, 4*j); }
void wrote_twice(int m, double *q) { for (int j = 0; j < m; j++) { q[4*j] = 1; q[4*j + 2] = 2; } }
void other(const P *restrict g, int k, double *restrict x) { const P *low; if (k > 3) low = &g[k]; else low = &g[k + 1]; x[0] = low->e * low->a; }
void call_other(int m, const int *restrict at, const P *restrict g, double *restrict out)
{ for (int j = 0; j < m; j++) other(g, at[j], &out[j]); }
";
    let json = command::analysed_text("m.c", text, &["--no-check"]);
    let nest = |name: &str| function(&json, name)["nests"][0].clone();
    for name in ["sum", "twice"] {
        let (call, wrote) = (
            nest(&format!("call_{name}")),
            nest(&format!("wrote_{name}")),
        );
        assert_eq!(call["reasons"], wrote["reasons"], "{name}");
        for key in ["iterations", "flops", "caches", "seconds"] {
            assert_eq!(call[key], wrote[key], "{name}, {key}");
        }
    }
    let other = nest("call_other");
    let reasons = other["reasons"].to_string();
    assert!(
        reasons.contains("gathered_elements") && !reasons.contains("callee"),
        "{reasons}"
    );
    assert_eq!(other["flops"], json!(128));
}

/// `i < f()` is asked once more than there are iterations; what the library gives stays the same.
#[test]
fn functions_in_the_heads_of_loops_are_called_in_each_iteration() {
    let json = crate::small::c(
        "#include <math.h>
double a[100];
int f(void) { for (int i = 0; i < 3; i++) a[i] += 1; return 12; }
int main(void) {
  for (int i = 0; i < f(); i++) a[i] += 1;
  for (int i = 0; i < sqrt(49.0); i++) a[i] += 1;
  return 0;
}",
    );
    assert_eq!(crate::small::iterations(&json, "main")[0], 12.0);
    assert_eq!(crate::small::iterations(&json, "f"), [3.0]);
    assert_eq!(crate::small::calls(&json, "f"), 13.0);
}
