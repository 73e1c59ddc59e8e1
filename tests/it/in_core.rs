//! In-core time against counts by hand, on a core with round figures.

use crate::support::command::{analysed, analysed_text, fixture};
use serde_json::Value;

/// The kernels that `tests/studies/clock` times.
fn kernels(machine: &str, settings: &str) -> Value {
    let fortran = fixture("clock/kernels.f90");
    let fortran = fortran.to_str().expect("a path");
    let options = [
        fortran,
        "--machine",
        machine,
        "--set",
        settings,
        "--no-config",
    ];
    analysed(fixture("clock/kernels.c"), &options)
}

fn on_core(settings: &str) -> Value {
    let machine = fixture("clock/core.toml");
    kernels(machine.to_str().expect("a path"), settings)
}

fn nest<'j>(json: &'j Value, function: &str) -> &'j Value {
    let functions = json["functions"].as_array().expect("functions");
    let found = functions.iter().find(|f| f["name"] == function);
    &found.unwrap_or_else(|| panic!("no function {function}"))["nests"][0]
}

/// Elements at once, cycles of the chain, cycles of the ports.
fn check(json: &Value, function: &str, expected: [f64; 3]) {
    let found = &nest(json, function)["in_core"];
    for (key, expected) in ["lanes", "chain_cycles", "port_cycles"]
        .into_iter()
        .zip(expected)
    {
        let found = found[key].as_f64().expect("a number");
        assert!(
            (found - expected).abs() < 1e-9,
            "{function}, {key}: {found} is not {expected}"
        );
    }
}

#[test]
fn chains_and_ports_are_those_counted_by_hand() {
    let json = on_core("n=1000");
    // An addition waits for the one before; four elements a branch.
    check(&json, "sum", [4.0, 3.0, 0.25]);
    // The product does not wait.
    check(&json, "dot", [4.0, 3.0, 0.25]);
    check(&json, "f_norm", [4.0, 3.0, 0.25]);
    check(&json, "axpy", [4.0, 0.0, 0.25]);
    // Seven fused operations, two a cycle, of four elements each.
    check(&json, "polynomial", [4.0, 0.0, 7.0 / 8.0]);
    // What is carried is multiplied: fused.
    check(&json, "recurrence", [1.0, 4.0, 1.0]);
    // Every sum is stored, so that their order counts.
    check(&json, "prefix", [1.0, 3.0, 1.0]);
    // Fused, and a division that waits for it.
    check(&json, "f_solve", [1.0, 17.0, 5.0]);
    // Four loads, two a cycle, of four elements each: 998 of a row are 249 vectors and a half.
    let inside = 250.0 * 4.0 / 998.0;
    check(&json, "star2", [4.0, 0.0, 0.5 * inside]);
    check(&json, "f_star2", [4.0, 0.0, 0.5 * inside]);
    check(&json, "box2", [4.0, 0.0, 9.0 / 8.0 * inside]);
    check(&json, "quotient", [4.0, 0.0, 2.0]);
    // Functions of the library are scalar; a store comes beside exp.
    check(&json, "root", [1.0, 0.0, 9.0]);
    check(&json, "exponential", [1.0, 0.0, 21.0]);
    // Indices in vectors, elements one by one; what is stored at an index is never in vectors.
    check(&json, "gather", [4.0, 0.0, (0.125 + 1.0) / 2.0]);
    check(&json, "histogram", [1.0, 0.0, 1.0]);
    assert_eq!(nest(&json, "sum")["bound"], "chain");
    assert_eq!(nest(&json, "sum")["seconds"], 3e-6);
    assert_eq!(nest(&json, "quotient")["bound"], "ports");
}

/// Elements side by side that an iteration covers in full are vectors with shuffles; of others each is by itself.
#[test]
fn whole_groups_are_vectors() {
    let machine = fixture("clock/core.toml");
    let machine = machine.to_str().expect("a path");
    let options = ["--machine", machine, "--set", "n=1000", "--no-config"];
    let json = analysed(fixture("groups"), &options);
    // Three additions and nine elements with two shuffles each, in vectors of four, four a cycle.
    check(&json, "whole", [4.0, 0.0, 21.0 / 16.0]);
    check(&json, "part", [1.0, 0.0, 2.0]);
    // Four elements with a shuffle each; two are stored, a vector a cycle.
    check(&json, "pairs", [4.0, 0.0, 0.5]);
}

/// What a short loop inside another one comes to again and again stays in registers if its iterations are written out.
#[test]
fn tiles_stay_in_registers() {
    // A load of `b`, two a cycle in vectors of four; `c` is loaded once for 32 products.
    let loads = (1.0 + 1.0 / 32.0) / 4.0 / 2.0;
    // The next one waits for an addition.
    let add = 3.0 / 32.0;
    check(&on_core("n=960"), "matmul_tiled", [4.0, add, loads]);
    // Eight vectors are too many for six registers that are left, and scalar code is not written out.
    let few = on_core("n=960,fp_registers=8");
    check(&few, "matmul_tiled", [4.0, add, 0.25]);
    let scalar = on_core("n=960,vectorise=0");
    check(&scalar, "matmul_tiled", [1.0, add, 1.0]);
}

/// Loops that are written out wait for what the loop around them carries.
#[test]
fn loops_around_have_chains() {
    let machine = fixture("clock/core.toml");
    let machine = machine.to_str().expect("a path");
    let options = ["--machine", machine, "--set", "n=1000", "--no-config"];
    let json = analysed(fixture("groups/tiles.c"), &options);
    let chain = |function: &str| nest(&json, function)["in_core"]["chain_cycles"].as_f64();
    // An addition for two elements, a fused operation for two, an addition for four.
    assert_eq!(chain("two_sums"), Some(1.5));
    assert_eq!(chain("two_filters"), Some(2.0));
    assert_eq!(chain("square"), Some(0.75));
}

/// Elements that are stored by one execution of the inner loop and loaded by the next.
#[test]
fn executions_wait_for_what_the_one_before_has_stored() {
    let machine = fixture("clock/core.toml");
    let machine = machine.to_str().expect("a path");
    let cycles = |settings: &str, function: &str| {
        let options = ["--machine", machine, "--set", settings, "--no-config"];
        let json = analysed(fixture("groups/handed_on.c"), &options);
        let found = nest(&json, function)["in_core"]["chain_cycles"].as_f64();
        found.expect("a number")
    };
    let near = |found: f64, expected: f64| {
        assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
    };
    // A machine that does not say how long that takes.
    near(cycles("n=10", "update"), 0.0);
    let known = "forward_cycles=5,blocked_load_cycles=17";
    // Store to load and an addition of three cycles, once for each ten elements.
    near(cycles(&format!("n=10,{known}"), "update"), 0.8);
    near(cycles(&format!("n=1000,{known}"), "update"), 0.008);
    near(cycles(&format!("n=10,{known}"), "apart"), 0.0);
    // Vectors lie across those before; single elements do not, nor those of loops that are written out, or a vector further on.
    for function in ["taps", "taps_two_on"] {
        near(cycles(&format!("n=100,m=9,{known}"), function), 20.0 / 9.0);
        let scalar = format!("n=100,m=9,{known},vectorise=0");
        near(cycles(&scalar, function), 8.0 / 9.0);
    }
    near(
        cycles(&format!("n=100,m=9,{known}"), "taps_four_on"),
        8.0 / 9.0,
    );
    near(cycles(&format!("n=100,{known}"), "band"), 8.0 / 9.0);
    near(
        cycles(&format!("n=100,{known},vectorise=0"), "band"),
        8.0 / 9.0,
    );
    // An element is in nine executions, of which the core holds two, of 38 instructions each.
    near(
        cycles(&format!("n=100,{known},vectorise=0,window=38"), "band"),
        8.0 / 9.0,
    );
    // No element is in two executions.
    near(cycles(&format!("n=100,{known}"), "blocks"), 0.0);
    // A multiplication and an addition, fused, of one iteration after the other.
    near(cycles(&format!("n=100,{known}"), "along"), 4.0);
    // The same where the loop around is in the subscript.
    for function in ["shifted", "backwards", "rows"] {
        near(cycles(&format!("n=100,{known}"), function), 8.0 / 9.0);
    }
    for function in ["shifted_blocks", "odd_and_even"] {
        near(cycles(&format!("n=100,{known}"), function), 0.0);
    }
}

/// The first level's time is that of what is loaded and stored: an element at which the innermost loop stays is in a register.
#[test]
fn what_stays_in_registers_takes_no_bandwidth() {
    let machine = fixture("clock/core.toml");
    let machine = machine.to_str().expect("a path");
    let options = [
        "--machine",
        machine,
        "--set",
        "n=1000,l1_gbs=1",
        "--no-config",
    ];
    let json = analysed(fixture("groups/handed_on.c"), &options);
    let update = &nest(&json, "update")["levels"][0];
    let found = |key: &str| update[key].as_f64().expect("a number");
    assert_eq!(update["name"], "L1");
    // `y[i]` twice, `a[k][i]` and `x[k]`, of which the last is not loaded again.
    assert_eq!(found("bytes"), 32e6);
    let seconds = found("seconds");
    assert!((seconds / 24e-3 - 1.0).abs() < 1e-2, "{seconds}");
}

/// Advice names what executions of the inner loop wait for.
#[test]
fn advice_names_what_executions_wait_for() {
    let machine = fixture("clock/core.toml");
    let machine = machine.to_str().expect("a path");
    let settings = "n=100,forward_cycles=5,blocked_load_cycles=17,warm=1";
    let options = ["--machine", machine, "--set", settings, "--no-config"];
    let json = analysed(fixture("groups/handed_on.c"), &options);
    let advice = json["advice"].to_string();
    assert!(advice.contains("iterations wait for y:"), "{advice}");
    assert!(!advice.contains("wait for :"), "{advice}");
}

/// The longest time that is left open is that of scalar code, with the accesses of scalar code.
#[test]
fn the_band_has_the_accesses_of_scalar_code() {
    let memory = "n=100000,dram_gbs=30,access_overlap=0";
    let open = on_core(memory);
    let scalar = on_core(&format!("{memory},vectorise=0"));
    for function in ["triad", "star2"] {
        let high = nest(&open, function)["high_seconds"].as_f64();
        let seconds = nest(&scalar, function)["seconds"].as_f64();
        let (high, seconds) = high.zip(seconds).expect("numbers");
        assert!(
            (high / seconds - 1.0).abs() < 1e-9,
            "{function}: {high} {seconds}"
        );
    }
}

/// Loads and stores that wait for memory are added to its time.
#[test]
fn accesses_may_wait_for_memory() {
    let json = on_core("n=1000,dram_gbs=1,access_overlap=0.25");
    let triad = nest(&json, "triad");
    // Two loads, two a cycle, and a store a cycle, in vectors of four.
    let waiting = 0.75 * 1000.0 / 4.0 * 1e-9;
    let found = |value: &Value| value.as_f64().expect("a number");
    assert!((found(&triad["in_core"]["waiting_seconds"]) / waiting - 1.0).abs() < 1e-9);
    let memory = triad["levels"].as_array().and_then(|levels| levels.last());
    let memory = found(&memory.expect("memory")["seconds"]);
    assert!(memory > waiting / 0.75);
    assert!((found(&triad["seconds"]) / (memory + waiting) - 1.0).abs() < 1e-9);
    assert_eq!(triad["bound"], "DRAM");
    let overlapped = on_core("n=1000,dram_gbs=1");
    assert!((found(&nest(&overlapped, "triad")["seconds"]) / memory - 1.0).abs() < 1e-9);
}

/// Elements at once and cycles of the chain.
fn check_order(json: &Value, function: &str, lanes: f64, chain: f64) {
    let found = &nest(json, function)["in_core"];
    assert_eq!(found["lanes"], lanes, "{function}");
    assert_eq!(found["chain_cycles"], chain, "{function}");
}

/// As GCC 12.2 has it with `-O3 -mavx2 -fopt-info-vec`: which of these loops are vectorised, and one in vectors of two; of
/// `own_row`, `last` and `crossed` it makes both, and looks before the loop which it may take: never the vectors.
#[test]
fn the_order_of_statements_limits_vectors() {
    let core = fixture("clock/core.toml");
    let core = core.to_str().expect("a path");
    let options = ["--machine", core, "--set", "n=1000", "--no-config"];
    let json = analysed(fixture("clock/order.c"), &options);
    check_order(&json, "read_first", 1.0, 0.0);
    check_order(&json, "stored_first", 4.0, 0.0);
    check_order(&json, "two_apart", 2.0, 0.0);
    check_order(&json, "next_read_first", 4.0, 0.0);
    check_order(&json, "next_read_last", 1.0, 0.0);
    check_order(&json, "kept", 1.0, 1.0);
    check_order(&json, "own_row", 1.0, 0.0);
    check_order(&json, "rest_of_row", 4.0, 0.0);
    check_order(&json, "four_apart", 4.0, 3.0 / 4.0);
    for (function, lanes) in [
        ("middle", 1.0),
        ("last", 1.0),
        ("before_first", 4.0),
        ("crossed", 1.0),
        ("back", 4.0),
        ("passed_on", 1.0),
        ("last_positive", 1.0),
        ("checked", 1.0),
        ("every_second", 4.0),
        ("written_out", 4.0),
        ("place_by_function", 4.0),
    ] {
        check_order(&json, function, lanes, 0.0);
    }
    // A multiplication fused with the addition, and the choice.
    check_order(&json, "one_of_two", 1.0, 4.0 + 3.0);
    check_order(&json, "in_one_arm", 1.0, 3.0);
    check_order(&json, "sums", 1.0, 3.0);
    // One more than before, or none.
    check_order(&json, "longest", 1.0, 1.0);
    check_order(&json, "ring", 1.0, 0.0);
    check_order(&json, "horner", 4.0, 4.0 / 4.0);
    check_order(&json, "box", 4.0, 3.0 / 4.0);
    let reasons = nest(&json, "ring")["reasons"].to_string();
    assert!(reasons.contains("unknown_dependence"), "{reasons}");
}

/// The largest of all waits for the largest so far, as a sum does; where it is, is found one by one.
#[test]
fn largest_elements_are_chains() {
    let core = fixture("clock/core.toml");
    let core = core.to_str().expect("a path");
    let with = |settings| {
        let options = ["--machine", core, "--set", settings, "--no-config"];
        analysed(fixture("clock/order.c"), &options)
    };
    let json = with("n=1000");
    check_order(&json, "largest", 4.0, 3.0);
    check_order(&json, "where_largest", 1.0, 3.0);
    let json = with("n=1000,reorder_sums=1");
    check_order(&json, "largest", 4.0, 0.75);
    check_order(&json, "where_largest", 1.0, 3.0);
    let json = with("n=1000,minimum_latency=2");
    check_order(&json, "largest", 4.0, 2.0);
}

/// GCC 12.2 takes the loop around of products that are added up in memory, of columns, and of a sum in a register that each of
/// its iterations begins; not one that conditions lead into.
#[test]
fn loops_that_compilers_interchange_are_in_vectors_of_the_other_one() {
    let directory = tempfile::tempdir().expect("a directory");
    let source = directory.path().join("a.c");
    let text = "#define N 400
        void memory(double (*restrict c)[N], double (*restrict a)[N], double (*restrict b)[N])\n        { for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) { c[i][j] = 0;\n          for (int k = 0; k < N; k++) c[i][j] += a[i][k] * b[k][j]; } }\n        void columns(double (*restrict a)[N], double (*restrict b)[N])\n        { for (int i = 0; i < N; i++) for (int j = 1; j < N; j++) a[j][i] = a[j - 1][i] + b[j][i]; }\n        void scalar(double (*restrict c)[N], double (*restrict a)[N], double (*restrict b)[N])\n        { for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) { double s = 0;\n          for (int k = 0; k < N; k++) s += a[i][k] * b[k][j]; c[i][j] = s; } }\n        void beside(double (*restrict a)[N], double (*restrict b)[N], double *restrict x, double *restrict y)\n        { for (int i = 0; i < N; i++) { x[i] += y[i] * y[i];\n          for (int j = 1; j < N; j++) a[j][i] = a[j - 1][i] + b[j][i] * x[i]; } }\n        void asked(double (*restrict a)[N], double (*restrict b)[N])\n        { for (int i = 0; i < N; i++) if (b[0][i] > 0)\n          for (int j = 1; j < N; j++) a[j][i] = a[j - 1][i] + b[j][i]; }\n";
    std::fs::write(&source, text).expect("written");
    let core = fixture("clock/core.toml");
    let core = core.to_str().expect("a path");
    let json = analysed(&source, &["--machine", core, "--no-config"]);
    check_order(&json, "memory", 4.0, 0.0);
    check_order(&json, "columns", 4.0, 0.0);
    check_order(&json, "scalar", 4.0, 3.0 / 4.0);
    check_order(&json, "beside", 4.0, 3.0 / 4.0);
    check_order(&json, "asked", 1.0, 3.0);
    let json = analysed(
        &source,
        &["--machine", core, "--no-config", "--set", "vectorise=0"],
    );
    check_order(&json, "memory", 1.0, 3.0);
    // A constant that is set is one of the source still.
    for size in ["N=400", "N=200"] {
        let json = analysed(&source, &["--machine", core, "--no-config", "--set", size]);
        check_order(&json, "memory", 4.0, 0.0);
        check_order(&json, "scalar", 4.0, 3.0 / 4.0);
    }
}

/// gfortran 12.2 vectorises the statement, not the loop.
#[test]
fn statements_on_whole_arrays_are_no_chains() {
    let core = fixture("clock/core.toml");
    let core = core.to_str().expect("a path");
    let options = ["--machine", core, "--set", "n=1000", "--no-config"];
    let json = analysed(fixture("clock/at_once.f90"), &options);
    check_order(&json, "statement", 4.0, 0.0);
    check_order(&json, "loop", 1.0, 5.0);
}

#[test]
fn switches_say_what_compilers_may_do() {
    let json = on_core("n=1000,reorder_sums=1,vector_functions=1");
    check(&json, "sum", [4.0, 0.75, 0.25]);
    check(&json, "prefix", [1.0, 3.0, 1.0]);
    check(&json, "root", [4.0, 0.0, 3.0]);
    check(&json, "exponential", [4.0, 0.0, 0.25 + 20.0 / 4.0]);
    let json = on_core("n=1000,vectorise=0,reorder_sums=1");
    check(&json, "sum", [1.0, 3.0, 1.0]);
    check(&json, "star2", [1.0, 0.0, 2.0]);
    check(&json, "quotient", [1.0, 0.0, 5.0]);
}

/// Copies under a condition take time, too; of a hundred iterations one copies, so that the branch of the loop is longer.
#[test]
fn branches_without_arithmetic_have_a_time() {
    let core = fixture("clock/core.toml");
    let core = core.to_str().expect("a path");
    let json = analysed(fixture("locality/records.c"), &["--machine", core]);
    assert_eq!(json["totals"]["unknown"], Value::Null);
    check(&json, "g6", [4.0, 0.0, 0.25]);
}

/// Only C has a variable that says whether the argument was negative; the library's functions are scalar in both.
#[test]
fn square_roots_of_fortran_are_in_vectors() {
    let directory = tempfile::tempdir().expect("a directory");
    let source = directory.path().join("a.f90");
    let text = "subroutine root(n, a, b)\ninteger :: n, i\ndouble precision :: a(n), b(n)\n\
        do i = 1, n\nb(i) = sqrt(a(i))\nend do\nend\n\
        subroutine both(n, a, b)\ninteger :: n, i\ndouble precision :: a(n), b(n)\n\
        do i = 1, n\nb(i) = sqrt(a(i)) + exp(a(i))\nend do\nend\n\
        subroutine ends(n, a, b)\ninteger :: n, i\ndouble precision :: a(n), b(n)\n\
        do i = 1, n\nif (a(i) < 0) stop\nb(i) = 2*a(i)\nend do\nend\n";
    std::fs::write(&source, text).expect("written");
    let core = fixture("clock/core.toml");
    let core = core.to_str().expect("a path");
    let json = analysed(source, &["--machine", core, "--set", "n=1000"]);
    check(&json, "root", [4.0, 0.0, 3.0]);
    check(&json, "both", [1.0, 0.0, 29.0]);
    check(&json, "ends", [1.0, 0.0, 1.0]);
}

/// Of rows of ten elements with five instructions each, the window holds more than one; they are two vectors and a half.
#[test]
fn short_sums_overlap_as_far_as_the_window_goes() {
    check(&on_core("n=10"), "matvec", [4.0, 3.0, 0.3]);
    check(&on_core("n=10,window=60"), "matvec", [4.0, 3.0 / 2.2, 0.3]);
}

/// Without what the core does in a cycle, its time is that of arithmetic at peak.
#[test]
fn an_unknown_core_has_no_in_core_time() {
    let json = kernels("a64fx", "n=1000");
    assert_eq!(nest(&json, "sum")["in_core"], Value::Null);
}

/// Sixteen thousand bytes stay in a cache of so many, if their last use is not long ago.
#[test]
fn warm_caches_have_what_they_can_hold() {
    let bytes = |settings: &str| {
        let json = on_core(settings);
        let levels = nest(&json, "dot")["levels"].as_array().expect("levels");
        let memory = levels.last().expect("memory");
        memory["bytes"].as_f64().expect("a number")
    };
    // Lines of arrays whose place is not known: half a line more on average.
    let cold = bytes("n=1000");
    assert!((16_000.0..16_200.0).contains(&cold), "{cold}");
    assert_eq!(bytes("n=1000,warm=1"), 0.0);
    assert_eq!(bytes("n=10000,warm=1"), bytes("n=10000"));
}

/// Arrays that compilers lay out begin with a line: how many of their vectors lie in two lines follows from the subscripts.
#[test]
fn vectors_of_arrays_of_known_size_lie_in_two_lines_where_their_places_say_so() {
    let directory = tempfile::tempdir().expect("a directory");
    let source = directory.path().join("a.c");
    let text = "static double a[1024], b[1024], c[1024], m[100][18], r[100][20], t[100][20];
        void first(void) { for (int i = 0; i < 1024; i++) a[i] = b[i] + c[i]; }
        void next(void) { for (int i = 0; i < 1020; i++) a[i] = b[i + 1] + c[i]; }
        void later(void) { for (int i = 4; i < 1024; i++) a[i] = b[i] + c[i - 4]; }
        void rows(void) { for (int i = 0; i < 100; i++) for (int j = 0; j < 20; j++) t[i][j] = 2.0 * r[i][j]; }
        void odd_rows(void) { for (int i = 0; i < 100; i++) for (int j = 0; j < 16; j++) m[i][j] = 2.0 * m[i][j] + 1.0; }
        void any(double *restrict x, const double *restrict y) { for (int i = 0; i < 1024; i++) x[i] = 2.0 * y[i]; }
        void passed(double *restrict x, const double *restrict y) { for (int i = 0; i < 1024; i++) x[i] = 2.0 * y[i]; }
        void part(double *restrict x, const double *restrict y) { for (int i = 0; i < 512; i++) x[i] = 2.0 * y[i]; }
        void from(int k) { for (int i = k; i < 1024; i++) a[i] = 2.0 * b[i]; }
        int main(void) { first(); next(); later(); rows(); odd_rows(); passed(a, b); part(a, b + 2); from(a[3]); return 0; }
";
    std::fs::write(&source, text).expect("written");
    let core = fixture("clock/core.toml");
    let core = core.to_str().expect("a path");
    let settings = "split_slots=1,iteration_cycles=0,stores_per_cycle=4,k=4";
    let xml = directory.path().join("a.xml");
    let with = ["--machine", core, "--set", settings, "--no-config"];
    let whole = [&with[..], &["--xml", xml.to_str().expect("a path")]].concat();
    let json = analysed(&source, &whole);
    // Of vectors of four in lines of eight, half of those that do not begin at a multiple of four; of such that begin
    // anywhere, three eighths, and a quarter where every other of two elements may.
    let slots = |loads: f64, split: f64| [4.0, 0.0, (loads + split) / 4.0 / 2.0];
    for json in [&json, &analysed(&xml, &with)] {
        check(json, "first", slots(2.0, 0.0));
        check(json, "next", slots(2.0, 0.5));
        check(json, "later", slots(2.0, 0.0));
        check(json, "rows", slots(1.0, 0.0));
        check(json, "odd_rows", slots(1.0, 0.25));
        check(json, "any", slots(1.0, 0.375));
        check(json, "passed", slots(1.0, 0.0));
        check(json, "part", slots(1.0, 0.375));
        check(json, "from", slots(1.0, 0.375));
    }
}

/// A stride with a name counts as its value does, edited or set.
#[test]
fn named_strides_of_one_are_in_vectors() {
    let directory = tempfile::tempdir().expect("a directory");
    let source = directory.path().join("a.c");
    let text = "#define S 1\nstatic const int T = 1;\n\
        void named(int n, double *restrict x, const double *restrict y)\n\
        { for (int i = 0; i < n; i++) x[i*S] = y[i*T] + 1.0; }\n\
        void plain(int n, double *restrict x, const double *restrict y)\n\
        { for (int i = 0; i < n; i++) x[i] = y[i] + 1.0; }\n";
    std::fs::write(&source, text).expect("written");
    let core = fixture("clock/core.toml");
    let core = core.to_str().expect("a path");
    let with = |settings| analysed(&source, &["--machine", core, "--set", settings]);
    let json = with("n=1000");
    check(&json, "plain", [4.0, 0.0, 0.25]);
    check(&json, "named", [4.0, 0.0, 0.25]);
    // Elements of a vector are loaded one by one, and stored so if they are not far apart.
    check(&with("n=1000,T=2"), "named", [4.0, 0.0, 0.5]);
    check(&with("n=1000,S=2"), "named", [4.0, 0.0, 1.0]);
    check(&with("n=1000,S=8"), "named", [1.0, 0.0, 1.0]);
}

/// `fmin` is a call where a machine says so, or says nothing, and a comparison where all numbers are finite; whole numbers
/// are divided one after the other, by literals as products.
#[test]
fn minima_of_c_and_divisions_of_whole_numbers_take_their_cycles() {
    let directory = tempfile::tempdir().expect("a directory");
    let source = directory.path().join("a.c");
    let text = "#include <math.h>\n#define LINE 64\n\
        void least(int n, double *restrict x, const double *restrict y)\n\
        { for (int i = 0; i < n; i++) x[i] = fmin(x[i], y[i]); }\n\
        void ring(int n, double *restrict x, const double *restrict y)\n\
        { for (int i = 0; i < n; i++) x[i] = y[(i + 1) % n] + y[(i + 1) % n]; }\n\
        void lines(int n, int *restrict x, const int *restrict y)\n\
        { for (int i = 0; i < n; i++) x[i] = y[i] / LINE; }\n\
        void outside(int n, int m, double *restrict x)\n\
        { for (int i = 0; i < n; i++) x[i] = x[i] + n / m; }\n";
    std::fs::write(&source, text).expect("written");
    let core = fixture("clock/core.toml");
    let core = core.to_str().expect("a path");
    let with = |settings: &str, flags: &str| {
        let options = ["--machine", core, "--set", settings, flags];
        analysed(&source, &options)
    };
    let json = with(
        "n=1000,minimum_cycles=10,integer_divide_cycles=6",
        "--flags=-O3",
    );
    check(&json, "least", [1.0, 0.0, 11.0]);
    check(&json, "ring", [1.0, 0.0, 6.0]);
    check(&json, "lines", [8.0, 0.0, 0.125]);
    check(&json, "outside", [4.0, 0.0, 0.25]);
    let finite = with("n=1000,minimum_cycles=10", "--flags=-ffinite-math-only");
    check(&finite, "least", [4.0, 0.0, 0.25]);
    check(
        &with("n=1000,minimum_cycles=0", "--flags=-O3"),
        "least",
        [4.0, 0.0, 0.25],
    );
    // Nothing says what it takes: as long as any other function.
    let unknown = nest(&with("n=1000", "--flags=-O3"), "least").clone();
    assert_eq!(unknown["in_core"]["lanes"], 1.0);
}

/// Structures by value: the same arithmetic as with a scalar for each member waits as long.
#[test]
fn members_of_structures_that_are_given_as_a_whole_wait_for_each_other() {
    let directory = tempfile::tempdir().expect("a directory");
    let source = directory.path().join("a.c");
    let text = "struct v { double x, y; };\n\
        static inline struct v plus(struct v a, struct v b)\n\
        { struct v r; r.x = a.x + b.x; r.y = a.y + b.y; return r; }\n\
        static inline struct v times(struct v a, struct v b)\n\
        { struct v r; r.x = a.x * b.x - a.y * b.y; r.y = a.x * b.y + a.y * b.x; return r; }\n\
        static inline struct v more(struct v a, double x, double y)\n\
        { struct v r = a; r.x += x; r.y += y; return r; }\n\
        void whole(struct v *out, struct v c, int n)\n\
        { struct v z = {0, 0}; for (int i = 0; i < n; i++) z = plus(times(z, z), c); *out = z; }\n\
        void scalars(double *out, double cx, double cy, int n)\n\
        { double x = 0, y = 0;\n\
          for (int i = 0; i < n; i++)\n\
          { double p = x * x - y * y, q = x * y + y * x; x = p + cx; y = q + cy; }\n\
          out[0] = x; out[1] = y; }\n\
        void chosen(struct v *out, const int *m, struct v c, int n)\n\
        { struct v z = {0, 0};\n\
          for (int i = 0; i < n; i++)\n\
          { struct v t = z; if (m[i]) t = times(z, c); z = plus(t, c); }\n\
          *out = z; }\n\
        void sums(struct v *out, const double *a, const double *b, int n)\n\
        { struct v s = {0, 0}; for (int i = 0; i < n; i++) s = more(s, a[i], b[i]); *out = s; }\n\
        void fresh(double *restrict x, const double *restrict a, int n)\n\
        { for (int i = 0; i < n; i++)\n\
          { struct v p; p.x = a[i]; p.y = a[i]; p = times(p, p); x[i] = p.x + p.y; } }\n";
    std::fs::write(&source, text).expect("written");
    let core = fixture("clock/core.toml");
    let core = core.to_str().expect("a path");
    let json = analysed(&source, &["--machine", core, "--set", "n=1000"]);
    let chain = |function: &str| {
        let chain = &nest(&json, function)["in_core"]["chain_cycles"];
        chain.as_f64().expect("a number")
    };
    assert!(chain("scalars") > 0.0);
    assert_eq!(chain("whole"), chain("scalars"));
    assert!(chain("chosen") > 0.0);
    // The members are two sums, and neither waits for the other.
    assert_eq!(chain("sums"), 3.0);
    // Nothing is left from the iteration before.
    assert_eq!(chain("fresh"), 0.0);
}

/// 1002 and 1003 elements are 250 vectors of four; two more are half a vector, which takes as long, and one is done alone.
#[test]
fn what_no_whole_vector_holds_takes_longer() {
    check(&on_core("n=1002"), "axpy", [4.0, 0.0, 251.0 / 1002.0]);
    check(&on_core("n=1003"), "axpy", [4.0, 0.0, 252.0 / 1003.0]);
    check(&on_core("n=1001"), "axpy", [4.0, 0.0, 251.0 / 1001.0]);
    // No vector at all.
    check(&on_core("n=1"), "axpy", [4.0, 0.0, 1.0]);
}

/// Eight maxima of an element, in vectors of four, are two instructions, of which two begin in a cycle as additions do.
#[test]
fn minima_and_choices_take_ports() {
    let directory = tempfile::tempdir().expect("a directory");
    let source = directory.path().join("a.f90");
    let text = "subroutine most(n, y, x, a, b, c, d, e, f, g, h)
          integer :: n, i
          real(8) :: y(n), x(n), a, b, c, d, e, f, g, h
          do i = 1, n
            y(i) = max(x(i), a, b, c, d, e, f, g, h)
          end do
        end subroutine
        subroutine either(n, y, x, a)
          integer :: n, i
          real(8) :: y(n), x(n), a, v
          do i = 1, n
            v = x(i)
            if (v > a) v = 2.0d0
            if (v > 3.0d0) v = 4.0d0
            y(i) = v
          end do
        end subroutine\n";
    std::fs::write(&source, text).expect("written");
    let core = fixture("clock/core.toml");
    let core = core.to_str().expect("a path");
    let with = |settings: &str| {
        let options = ["--machine", core, "--set", settings, "--no-config"];
        analysed(&source, &options)
    };
    let json = with("n=1000");
    check(&json, "most", [4.0, 0.0, 8.0 / 4.0 / 2.0]);
    // Two comparisons with a choice each, one of which begins in a cycle.
    check(&json, "either", [4.0, 0.0, 2.0 / 4.0]);
    let json = with("n=1000,minima_per_cycle=4,choices_per_cycle=0.5");
    check(&json, "most", [4.0, 0.0, 8.0 / 4.0 / 4.0]);
    check(&json, "either", [4.0, 0.0, 2.0 / 4.0 / 0.5]);
}

/// Where an earlier iteration says which element comes next, or which whole number, iterations wait as they do for sums.
#[test]
fn whole_numbers_and_addresses_are_waited_for() {
    let machine = fixture("clock/core.toml");
    let fortran = fixture("clock/integers.f90");
    let options = [
        fortran.to_str().expect("a path"),
        "--machine",
        machine.to_str().expect("a path"),
        "--set",
        "n=1000,window=0,l1_latency_cycles=5",
        "--no-config",
    ];
    let json = analysed(fixture("clock/integers.c"), &options);
    let chain = |function: &str| nest(&json, function)["in_core"]["chain_cycles"].as_f64();
    // A load from where the one before has said, longer than the addition beside it.
    assert_eq!(chain("list_sum"), Some(5.0));
    assert_eq!(chain("followed"), Some(5.0));
    assert_eq!(chain("automaton"), Some(5.0));
    assert_eq!(chain("f_followed"), Some(6.0));
    // A sum and a division by two, a load, the choice: a comparison and a move.
    assert_eq!(chain("places"), Some(9.0));
    // A load and a choice between two that follow.
    assert_eq!(chain("leaves"), Some(7.0));
    // A product, with an operation of a cycle.
    assert_eq!(chain("hashed"), Some(4.0));
    assert_eq!(chain("congruential"), Some(4.0));
    // Shifts and exclusive ors.
    assert_eq!(chain("shifted"), Some(6.0));
    assert_eq!(chain("f_hashed"), Some(3.0));
    // A remainder by an argument is a division; by a literal, two products, shifts and a difference.
    assert_eq!(chain("rolling"), Some(19.0));
    assert_eq!(chain("f_congruential"), Some(12.0));
    // What is stored waits for what was; a count is advanced in some iterations.
    for function in ["starts", "f_starts", "kept", "summed_twice"] {
        assert_eq!(chain(function), Some(1.0), "{function}");
    }
    // One more, and the smaller of two.
    assert_eq!(chain("edited"), Some(3.0));
    assert_eq!(chain("f_edited"), Some(3.0));
}

/// Bits of all elements come together in any order, and in vectors; those of two operations in turn do not.
#[test]
fn bits_are_sums_in_any_order() {
    let text = "unsigned all(int n, const unsigned *a) { unsigned x = 0; for (int i = 0; i < n; i++) x ^= a[i]; return x; }
        int some(int n, const int *a) { int f = 0; for (int i = 0; i < n; i++) f |= a[i] > 3; return f; }
        unsigned both(int n, const unsigned *a) {
            unsigned x = 0; for (int i = 0; i < n; i++) x = (x ^ a[i]) & 77u; return x; }";
    let machine = fixture("clock/core.toml");
    let options = [
        "--machine",
        machine.to_str().expect("a path"),
        "--no-config",
    ];
    let json = analysed_text("bits.c", text, &options);
    check_order(&json, "all", 8.0, 0.0);
    check_order(&json, "some", 8.0, 0.0);
    check_order(&json, "both", 1.0, 2.0);
}

/// A list that each iteration of the loop around begins overlaps with the next one; one that goes on does not.
#[test]
fn lists_that_begin_anew_overlap() {
    let text = "struct node { struct node *next; double v; };
        double buckets(int n, struct node **table) {
            double s = 0;
            for (int k = 0; k < n; k++)
                for (struct node *p = table[k]; p; p = p->next) s += p->v;
            return s;
        }
        double on(int n, struct node *p) {
            double s = 0;
            for (int k = 0; k < n; k++)
                for (int j = 0; j < 8; j++) { s += p->v; p = p->next; }
            return s;
        }";
    let machine = fixture("clock/lines.toml");
    let lines = machine.to_str().expect("a path");
    let seconds = |window: &str| {
        let set = format!("n=1000,window={window},random_branches=0");
        let json = analysed_text(
            "lists.c",
            text,
            &["--machine", lines, "--set", &set, "--no-config"],
        );
        ["buckets", "on"].map(|name| nest(&json, name)["seconds"].as_f64().expect("a number"))
    };
    let ([buckets, on], [overlapped, still]) = (seconds("0"), seconds("1000"));
    assert!(overlapped < 0.2 * buckets, "{overlapped} of {buckets}");
    assert_eq!(on, still);
}

/// Mispredicted branches and their cycles, with what the core loses by each set to ten.
fn branches(settings: &str) -> Value {
    let (machine, fortran) = (fixture("clock/core.toml"), fixture("clock/branches.f90"));
    let set = format!("n=1000,branch_cycles=10,{settings}");
    let options = [
        fortran.to_str().expect("a path"),
        "--machine",
        machine.to_str().expect("a path"),
        "--set",
        &set,
        "--no-config",
    ];
    analysed(fixture("clock/branches.c"), &options)
}

fn mispredicted(json: &Value, function: &str) -> Option<f64> {
    nest(json, function)["in_core"]["mispredicted_branches"].as_f64()
}

/// Of the rarer way of each branch, and of each end of a loop that data end.
#[test]
fn branches_that_data_decide_are_mispredicted() {
    let json = branches("random_branches=1,prob_parted_11=0.3");
    assert_eq!(mispredicted(&json, "parted"), Some(300.0));
    assert_eq!(mispredicted(&json, "runs"), Some(0.5 * 999.0));
    // Rows have any number of elements, words any number of letters; neither chooses further.
    assert_eq!(mispredicted(&json, "sparse_rows"), Some(1000.0));
    assert_eq!(mispredicted(&json, "f_sparse_rows"), Some(1000.0));
    assert_eq!(mispredicted(&json, "words"), Some(1000.0));
    // The two ways of an iteration are values, between which a core chooses.
    assert_eq!(mispredicted(&json, "halved"), Some(1000.0));
    // Both sides are computed in vectors.
    assert_eq!(mispredicted(&json, "carried_along"), Some(0.0));
    assert!(
        mispredicted(&branches("random_branches=1,vectorise=0"), "carried_along") > Some(400.0)
    );
    // A choice of four ways is none for vectors.
    for function in ["of_kinds", "f_of_kinds"] {
        assert_eq!(nest(&json, function)["in_core"]["lanes"], 1.0, "{function}");
        assert!(mispredicted(&json, function) > Some(400.0), "{function}");
    }
}

/// What stays the same in an inner loop is seen once for each of its executions, in vectors too.
#[test]
fn branches_that_only_loops_around_change() {
    let text = "
        void inner(int n, int m, int *k, double *a, double *b) {
            for (int i = 0; i < n; i++)
                for (int j = 0; j < m; j++)
                    if (k[i] > 0) b[j] += a[j]; else b[j] -= a[j];
        }
        void loaded(int n, int m, double *k, double *a, double *b) {
            for (int i = 0; i < n; i++) {
                double q = k[i];
                for (int j = 0; j < m; j++)
                    if (q > 0) b[j] += q * a[j];
            }
        }
        void each(int n, int m, int *k, double *a, double *b) {
            for (int i = 0; i < n; i++)
                for (int j = 0; j < m; j++)
                    if (k[j] > 0) b[j] += a[j]; else b[j] -= a[j];
        }
        void same(int n, int m, double limit, double *a, double *b) {
            for (int i = 0; i < n; i++)
                for (int j = 0; j < m; j++)
                    if (limit > 0) b[j] += a[j]; else b[j] -= a[j];
        }";
    let set = "n=100,m=1000,random_branches=1,vectorise=";
    let of = |vectorise: &str, function: &str| {
        let set = format!("{set}{vectorise}");
        let json = analysed_text("stays.c", text, &["--set", &set, "--no-config"]);
        mispredicted(&json, function)
    };
    for vectorise in ["0", "1"] {
        assert_eq!(of(vectorise, "inner"), Some(50.0));
        assert_eq!(of(vectorise, "loaded"), Some(50.0));
        assert_eq!(of(vectorise, "same"), None);
    }
    assert_eq!(of("0", "each"), Some(50_000.0));
    assert_eq!(of("1", "each"), Some(0.0));
}

/// They take their cycles beyond what the core issues and waits for; predictable data and memory of them take these away.
#[test]
fn mispredicted_branches_take_time() {
    let core = |json: &Value| {
        let found = &nest(json, "parted")["in_core"];
        ["chain_seconds", "ports_seconds", "branch_seconds"]
            .map(|key| found[key].as_f64().expect("a number"))
    };
    let json = branches("random_branches=1,dram_gbs=1000");
    let [chain, ports, lost] = core(&json);
    assert!((lost - 5e-6).abs() < 1e-12, "{lost}");
    let found = nest(&json, "parted");
    assert_eq!(found["bound"], "branches");
    let seconds = found["seconds"].as_f64().expect("a number");
    assert!((seconds - chain.max(ports) - lost).abs() < 1e-12);
    let open = found["open"].as_array().expect("what is open");
    assert!(open.contains(&"branches".into()));
    assert!(found["low_seconds"].as_f64() < Some(0.5 * seconds));
    let predicted = branches("dram_gbs=1000,random_branches=0");
    assert_eq!(core(&predicted)[2], 0.0);
    // 500 of 500 that the core remembers: half of them remain, where the same data come again.
    let cold = branches("random_branches=1,branches_remembered=500");
    assert_eq!(mispredicted(&cold, "parted"), Some(500.0));
    let warm = branches("random_branches=1,branches_remembered=500,warm=1");
    assert_eq!(mispredicted(&warm, "parted"), Some(250.0));
    // What a search stores does not wait for its condition.
    let chain = |function: &str| nest(&json, function)["in_core"]["chain_cycles"].as_f64();
    assert_eq!(chain("merged"), Some(1.0));
}

/// Loops that do not run take no time, in the workbook too.
#[test]
fn what_does_not_run_takes_no_time() {
    let text = "void f(int n, float b[100][10]) {
        for (int i = 0; i < n; i++) for (int j = 0; j < 10; j++) b[i][j] = 1; }";
    let directory = tempfile::tempdir().expect("a directory");
    let book = directory.path().join("none.xlsx");
    let options = [
        "--set",
        "n=0",
        "--no-config",
        "-o",
        book.to_str().expect("a path"),
    ];
    let json = analysed_text("none.c", text, &options);
    assert_eq!(nest(&json, "f")["seconds"], 0.0);
    assert!(book.exists());
}

/// What compilers do without a branch, or what only writes a message, is no branch; its time is known all the same.
#[test]
fn branches_of_scalars_and_messages_are_none() {
    let text = "#include <stdio.h>
        int checked(int n, double *a, const int *k) {
            for (int i = 0; i < n; i++) {
                if (k[i] >= 10) { fprintf(stderr, \"too large\\n\"); return 2; }
                a[i] = 1;
            }
            return 0; }
        void chosen(int n, double *a, const int *k, const int *ix) {
            for (int i = 0; i < n; i++) {
                int t;
                switch (k[i]) { case 0: t = 3; break; case 1: t = 5; break; default: t = 9; }
                a[ix[i]] = t;
            } }";
    let machine = fixture("clock/core.toml");
    let options = [
        "--machine",
        machine.to_str().expect("a path"),
        "--set",
        "n=1000,random_branches=1",
        "--no-config",
    ];
    let json = analysed_text("messages.c", text, &options);
    for function in ["checked", "chosen"] {
        let found = nest(&json, function);
        for key in ["low_seconds", "seconds", "high_seconds"] {
            assert!(found[key].as_f64() > Some(0.0), "{function}: {key}");
        }
    }
    // A loop that is left ends once.
    assert_eq!(mispredicted(&json, "checked"), Some(1.0));
    assert_eq!(mispredicted(&json, "chosen"), None);
}
