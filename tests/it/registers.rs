//! Registers of innermost loops against counts by hand.

use crate::support::command;
use serde_json::{Value, json};

fn analysed(file: &str, options: &[&str]) -> Value {
    let arguments = [&["--machine", "epyc-7763"], options].concat();
    command::analysed(command::fixture("registers").join(file), &arguments)
}

fn registers<'j>(json: &'j Value, function: &str) -> &'j Value {
    let functions = json["functions"].as_array().expect("functions");
    let found = functions
        .iter()
        .find(|f| f["name"] == function)
        .unwrap_or_else(|| panic!("no function {function}"));
    &found["nests"][0]["registers"]
}

/// Counters, scalars, pointers, invariants, temporaries, live.
fn parts(file: &Value) -> Value {
    [
        "counters",
        "scalars",
        "pointers",
        "invariants",
        "temporaries",
        "live",
    ]
    .map(|key| file[key].clone())
    .into()
}

fn check(json: &Value, function: &str, integer: [u32; 6], floating: [u32; 6]) {
    let found = registers(json, function);
    assert_eq!(
        parts(&found["integer"]),
        json!(integer),
        "{function}, integer"
    );
    assert_eq!(
        parts(&found["floating"]),
        json!(floating),
        "{function}, floating"
    );
}

#[test]
fn parts_are_those_counted_by_hand() {
    let json = analysed("kernels.c", &[]);
    check(&json, "axpy", [2, 0, 2, 0, 0, 4], [0, 1, 0, 0, 2, 3]);
    check(&json, "star", [2, 0, 4, 0, 0, 6], [0, 0, 0, 1, 2, 3]);
    check(&json, "fixed", [1, 0, 2, 0, 0, 3], [0, 0, 0, 1, 2, 3]);
    check(&json, "gather", [2, 0, 3, 0, 1, 6], [0, 1, 0, 0, 2, 3]);
    // While r is loaded, p and q wait; then p, q and r are live and their sum is made.
    check(&json, "short_lives", [2, 0, 3, 0, 0, 5], [0, 0, 0, 0, 4, 4]);
    // a and its stride, y; c[0] is loaded once.
    check(&json, "column", [2, 0, 3, 0, 0, 5], [0, 0, 0, 1, 1, 2]);
    let json = analysed("complex.f90", &[]);
    check(&json, "caxpy", [2, 0, 2, 0, 0, 4], [0, 2, 0, 0, 4, 6]);
}

#[test]
fn many_live_scalars_spill_and_few_do_not() {
    let json = analysed("kernels.c", &[]);
    assert_eq!(registers(&json, "axpy")["spills"], json!(false));
    // 40 scalars and two operands in 16 registers.
    let forty = registers(&json, "forty");
    assert_eq!(
        (&forty["spills"], &forty["floating"]["spilled"]),
        (&json!(true), &json!(26))
    );
    assert_eq!(forty["integer"]["spilled"], json!(0));
    let wide = analysed("kernels.c", &["--set", "fp_registers=42"]);
    assert_eq!(registers(&wide, "forty")["spills"], json!(false));
}

/// Of 16 integer registers one is the stack pointer.
#[test]
fn reserved_registers_hold_no_values() {
    let settings = ["--set", "int_registers=6", "--set", "int_reserved=3"];
    let json = analysed("kernels.c", &settings);
    assert_eq!(registers(&json, "axpy")["integer"]["spilled"], json!(1));
    assert_eq!(registers(&json, "axpy")["spills"], json!(true));
}
