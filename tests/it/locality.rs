//! Small nests of shapes that look simple and are easily got wrong, held against the simulation of their accesses: bounds
//! that move, strides that a parameter says, conditions on loop variables, one array in several forms.

use std::collections::BTreeSet;

use crate::small;
use crate::support::{command, programs, sources};
use loopsheet_analysis as analysis;
use loopsheet_analysis::facts::{Block, Item};
use loopsheet_model::{Detail, Model};
use serde_json::Value;

/// Of an array flattened by hand with a width that is not known, the last column but one lies beside the first of the next
/// row: rows of 514 doubles begin two of them further in a line each time, so that only one in four of these pairs lies in two
/// lines.
#[test]
fn two_columns_of_a_flattened_array_move_a_line_an_element() {
    let json = small::analyse(
        &[(
            "a.c",
            "void f(int n, double *restrict v) {
                for (int c = 0; c < n + 2; c++) { v[c*(n + 2)] = 0; v[c*(n + 2) + n] = 0; }
            }",
        )],
        &["n=512"],
    );
    let (rows, line) = (514.0, 64.0);
    let lines = rows + rows / 4.0;
    let [bytes] = small::bytes(&json, "f")[..] else {
        panic!("one nest");
    };
    assert!((bytes / (2.0 * line) - lines).abs() <= 1.0, "{bytes}");
}

/// Every case of some functions of a fixture is within 5 %, away from steps of the traffic.
fn is_right(file: &str, functions: &str, arguments: &[&str]) {
    let path = command::fixture("locality").join(file);
    let caches = ["--cache", "32KiB,full", "--cache", "1MiB,full"];
    let all = [&["--function", functions], &caches[..], arguments].concat();
    all_right(&command::validated(&path, &all));
}

/// Whether all cases are within 5 %, away from steps.
pub fn all_right(cases: &[Value]) {
    assert!(!cases.is_empty());
    for case in cases {
        let is_step = case["explained"]
            .as_str()
            .is_some_and(|e| e.contains("switch"));
        let ratio = case["ratio"].as_f64().expect("a ratio");
        assert!((ratio - 1.0).abs() < 0.05 || is_step, "{case}");
    }
}

/// The functions of a fixture whose nests are marked as not exact.
fn marked(file: &str) -> BTreeSet<String> {
    marked_in("locality", file)
}

/// The same in a directory of fixtures. What is not known of times alone does not count.
pub fn marked_in(directory: &str, file: &str) -> BTreeSet<String> {
    let report = command::analysed(command::fixture(directory).join(file), &[]);
    let functions = report["functions"].as_array().expect("functions").iter();
    let is_marked = |function: &&Value| {
        let nests = function["nests"].as_array().expect("nests");
        let is_of_bytes = |reason: &Value| reason != "unknown_latency";
        let reasons = |nest: &Value| nest["reasons"].as_array().expect("reasons").clone();
        let mut all = nests.iter().flat_map(reasons);
        all.any(|reason| is_of_bytes(&reason))
    };
    let name = |function: &Value| function["name"].as_str().expect("a name").to_string();
    functions.filter(is_marked).map(name).collect()
}

/// `k` from `i*s` to `(i + 1)*s - 1`: each iteration of `i` has elements of its own.
#[test]
fn bounds_that_an_outer_loop_shifts() {
    let sizes = ["--set", "n=200", "--sizes", "S=5,17,64,300"];
    is_right("bounds.c", "f[1489]", &sizes);
    is_right(
        "bounds.c",
        "f[57]",
        &["--set", "n=200", "--sizes", "r=1,4,30"],
    );
    is_right(
        "bounds.c",
        "f10",
        &[
            "--set",
            "n=200",
            "--sizes",
            "S=5,17,64",
            "--sizes",
            "w=3,17,100",
        ],
    );
    is_right("bounds.c", "f[236]", &["--sizes", "n=37,300"]);
    is_right("bounds.c", "f1[12]", &["--sizes", "n=37,300"]);
}

/// `a[i*inc]`, `k += j`: the stride is a parameter.
#[test]
fn strides_that_a_parameter_says() {
    let sizes = ["--set", "n=900", "--sizes", "inc=1,2,3,8,17"];
    is_right("strides.c", "i[345]", &sizes);
    is_right("strides.c", "i2", &["--set", "n=900", "--sizes", "j=1,2,3"]);
    is_right(
        "strides.c",
        "i1",
        &["--set", "n=900", "--sizes", "st=1,2,3,9"],
    );
    is_right("strides.c", "i7", &["--sizes", "n=100,1000"]);
}

/// `do i = lo, hi, st`: rows that the loop leaves out none of share their lines, whatever `st` is.
#[test]
fn steps_that_a_parameter_says() {
    let steps = ["--set", "hi=100", "--sizes", "st=1,2,3,9"];
    is_right("steps.f90", "s[124]", &steps);
    is_right("steps.f90", "s3", &["--sizes", "hi=30,100"]);
    is_right("forms.c", "h1", &["--set", "n=900", "--sizes", "st=1,2,4"]);
}

/// Tiles whose last one is cut off, or is not.
#[test]
fn tiles_of_any_length() {
    is_right("tiles.c", "j1", &["--sizes", "n=96,100,200,500"]);
    is_right(
        "tiles.c",
        "j[23]",
        &["--set", "n=200", "--sizes", "t=8,16,24,50"],
    );
    is_right("forms.c", "h[67]", &["--sizes", "n=37,100,280"]);
}

/// However the tiles are cut, every cell is met once.
#[test]
fn tiles_have_every_cell_once() {
    for (n, tile) in [(96, 32), (100, 32), (100, 7), (5, 32)] {
        let settings = [format!("n={n}"), format!("t={tile}")];
        let settings = settings.each_ref().map(String::as_str);
        let path = command::fixture("locality").join("tiles.c");
        let report = command::analysed(path, &command::settings(&settings));
        let function = &report["functions"][1];
        assert_eq!(function["name"], "j2");
        let iterations = &function["nests"][0]["iterations"];
        assert_eq!(iterations, &Value::from(n * n), "{n} in tiles of {tile}");
    }
    assert!(marked("tiles.c").is_empty());
}

/// `if (j == 3)`, `if (i < n/2)`: some iterations of a loop, which no probability spreads over all of them.
#[test]
fn conditions_on_loop_variables() {
    is_right("records.c", "g6", &["--sizes", "n=37,100"]);
    is_right("forms.c", "h12", &["--sizes", "n=37,100,280"]);
    is_right("steps.f90", "s5", &["--sizes", "n=30,128"]);
}

/// The same where another loop moves the ends of the range: a triangle, a diagonal.
#[test]
fn conditions_that_compare_loop_variables() {
    let text = "double w[300][300], g[300][300];
      void below(int n) { for (int j = 0; j < n; j++) for (int i = 0; i < n; i++) if (i >= j) w[j][i] = g[j][i]; }
      void above(int n) { for (int j = 0; j < n; j++) for (int i = 0; i < n; i++) if (i < j) w[j][i] += g[j][i]; }
      void diagonal(int n) { for (int j = 0; j < n; j++) for (int i = 0; i < n; i++) if (i == j) w[j][i] = g[j][i]; }
      void either(int n) { for (int j = 0; j < n; j++) for (int i = 0; i < n; i++)
        if (i == j) w[j][i] = g[j][i]; else w[j][i] = 1.0; }";
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("k.c");
    std::fs::write(&path, text).expect("written");
    for function in ["below", "above", "diagonal", "either"] {
        let caches = ["--cache", "32KiB,full", "--cache", "1MiB,full"];
        let arguments = [
            &["--function", function, "--sizes", "n=100,150,290"],
            &caches[..],
        ];
        all_right(&command::validated(&path, &arguments.concat()));
    }
}

/// How often a condition on loop variables holds follows from the ranges, whatever their sizes.
#[test]
fn conditions_on_loop_variables_hold_as_often_as_they_do() {
    let conditions = [
        ("j == 3", 20.0),
        ("j != 3", 20.0 * 29.0),
        ("i >= 5 && i < 9", 4.0 * 30.0),
        ("!(i >= 5 && j < 9)", 600.0 - 15.0 * 9.0),
        ("i < 3 || j > 26", 600.0 - 17.0 * 27.0),
        ("i < n/4", 5.0 * 30.0),
        ("n - 1 - i <= 2", 3.0 * 30.0),
        ("i == 20", 0.0),
    ];
    let square = [
        ("j < i", 190.0),
        ("i == j", 20.0),
        ("j > i", 190.0),
        ("j <= i", 210.0),
    ];
    let conditions = conditions.map(|(condition, expected)| (condition, expected, "m"));
    let square = square.map(|(condition, expected)| (condition, expected, "n"));
    for (condition, expected, m) in conditions.into_iter().chain(square) {
        let text = format!(
            "void f(int n, int m, double a[n][m]) {{
               for (int i = 0; i < n; i++)
                 for (int j = 0; j < {m}; j++)
                   if ({condition}) a[i][j] = a[i][j] + 1.0;
             }}"
        );
        let report = command::analysed_text("f.c", &text, &command::settings(&["n=20", "m=30"]));
        let nest = &report["functions"][0]["nests"][0];
        let flops = nest["flops"].as_f64().expect("a number");
        assert!(
            (flops - expected).abs() < 1e-6,
            "{condition}: {flops} for {expected}"
        );
        let stores = nest["references"][0]["stores"].as_f64().expect("a number");
        assert!((stores - expected).abs() < 1e-6, "{condition}: {stores}");
        assert_eq!(nest["reasons"], serde_json::json!([]), "{condition}");
    }
}

/// What a branch leads to that is never taken moves nothing, and all of it moves if it always is.
#[test]
fn branches_that_are_never_or_always_taken() {
    for (taken, value) in [("0", 3), ("1", 3), ("0", 4)] {
        let probability = format!("prob_g5_9={taken}");
        let value = format!("c={}", if taken == "1" { value } else { 4 });
        let arguments = ["--set", "n=200", "--set", &probability, "--set", &value];
        is_right("records.c", "g5", &arguments);
    }
}

/// One array under two names of a subscript, of which nothing says how far apart they are; inductions that feed each other.
#[test]
fn one_array_in_two_forms() {
    is_right(
        "forms.c",
        "h10",
        &["--set", "n=900", "--sizes", "k=0,1,7,100,2000"],
    );
    is_right("records.c", "g[1-4]", &["--sizes", "n=37,64"]);
    is_right("forms.c", "h3", &["--sizes", "n=37,100,280"]);
    for function in ["h4", "h8", "h9"] {
        is_right("forms.c", function, &["--sizes", "n=37,280"]);
    }
}

/// Members of different sizes are elements of one array, unless a loop walks along one of them: that has its mark.
#[test]
fn members_of_different_sizes() {
    is_right("members.c", "m[1245]", &["--sizes", "n=100,1000,9001"]);
    assert!(marked("members.c").contains("m3"));
}

/// What the data lead to says where to go next, and is loaded: a member that is an array of pointers, too.
#[test]
fn trees_whose_way_is_data_take_latencies() {
    let json = small::analyse(
        &[(
            "a.c",
            "struct node { int key; struct node *kids[8]; };
            int down(struct node *t, int n) {
                for (int i = 0; i < n; i++) t = t->kids[i & 7];
                return t->key;
            }
            void *chase(void **p, int n) { for (int i = 0; i < n; i++) p = (void **)*p; return p; }",
        )],
        &["n=100000"],
    );
    for function in ["down", "chase"] {
        let [bytes] = small::bytes(&json, function)[..] else {
            panic!("one nest");
        };
        assert!(bytes >= 64.0 * 100000.0, "{function}: {bytes}");
    }
}

/// Data choose a place; what is subscripted inside of it is affine. So few of many, or many of few.
#[test]
fn places_that_data_choose() {
    for sizes in ["n=100000,m=10000,t=4", "n=1000,m=6000,t=4"] {
        is_right("places.c", "*", &["--set", sizes]);
        let sizes = sizes.trim_end_matches(",t=4");
        is_right("places.f90", "*", &["--set", sizes]);
    }
}

/// Rows to which only one side of a condition goes are met in its iterations alone.
#[test]
fn sides_of_conditions_that_are_rows_apart() {
    let path = command::fixture("locality").join("corners.c");
    for cache in ["512,full", "1KiB,full", "32KiB,full"] {
        let options = [
            "--function",
            "{sides,halves}",
            "--set",
            "n=100",
            "--cache",
            cache,
        ];
        all_right(&command::validated(&path, &options));
    }
}

/// A part of a condition that holds a loop at a place says what another part leaves of the loop around.
#[test]
fn conditions_at_a_place_of_a_loop() {
    is_right("corners.c", "*", &["--set", "n=100"]);
    let path = command::fixture("locality").join("corners.c");
    let json = command::analysed(path, &["--set", "n=100"]);
    // By hand: three lines for each of the elements, two of them of what is stored.
    let elements = [
        ("corner", 1.0),
        ("corner_first", 1.0),
        ("half_diagonal", 50.0),
        ("diagonal", 100.0),
        ("part_of_a_column", 3.0),
    ];
    for (function, elements) in elements {
        let bytes = small::bytes(&json, function);
        let [bytes] = bytes[..] else {
            panic!("one nest");
        };
        assert!(
            (bytes - 3.0 * 64.0 * elements).abs() < 0.5,
            "{function}: {bytes}"
        );
    }
}

/// What data decide only in some of the loops around is decided once for all iterations of the others.
#[test]
fn conditions_on_data_that_do_not_change_in_all_loops() {
    for sizes in ["n=4000,m=100,t=20", "n=1000,m=1200,t=5"] {
        is_right("masks.c", "*", &["--set", sizes]);
        let (sizes, _) = sizes.split_once(",t=").expect("steps");
        is_right("masks.f90", "*", &["--set", &format!("{sizes},steps=9")]);
    }
    let bytes = |function: &str, set: &str| {
        let path = command::fixture("locality").join("masks.c");
        let json = command::analysed(path, &["--set", set]);
        let [bytes] = small::bytes(&json, function)[..] else {
            panic!("one nest");
        };
        bytes
    };
    // Every fourth row; this is by hand, as what is simulated is drawn by the same loops.
    let rows = bytes("rows", "n=1000,m=800,prob_rows_14=0.25");
    assert!(
        (rows - (0.25 * 8.0 * 800.0 * 1000.0 + 4000.0)).abs() < 0.01 * rows,
        "{rows}"
    );
    // Two rows for each of those.
    let both = bytes("neighbours", "n=1000,m=800,prob_neighbours_27=0.25");
    let share = 1.0 - 0.75 * 0.75;
    assert!(
        (both - share * 8.0 * 800.0 * 1000.0).abs() < 0.02 * both,
        "{both}"
    );
    // The same lines in each step, or others.
    let lines = 64.0 * 1000.0;
    let same = bytes("steps", "n=1000,t=10,prob_steps_8=0.25");
    assert!(
        (same - 2.0 * 0.25 * lines - 4000.0).abs() < 0.01 * same,
        "{same}"
    );
    let others = bytes("growing", "n=1000,t=10,prob_growing_58=0.25");
    let ever = 1.0 - 0.75f64.powi(10);
    assert!(
        (others - 2.0 * ever * lines - 8000.0).abs() < 0.01 * others,
        "{others}"
    );
}

/// Each part of a condition is decided in the loops that change it.
#[test]
fn parts_of_conditions_that_other_loops_change() {
    let sizes = ["--set", "n=4000,m=100"];
    for function in ["pairs", "neither", "cells"] {
        is_right("parts.c", function, &sizes);
    }
    for function in ["loaded", "rounds"] {
        is_right("parts.c", function, &["--set", "n=4000,t=20"]);
    }
    let bytes = |function: &str, set: &str| {
        let path = command::fixture("locality").join("parts.c");
        let json = command::analysed(path, &["--set", set]);
        let [bytes] = small::bytes(&json, function)[..] else {
            panic!("one nest");
        };
        bytes
    };
    // Both parts hold equally often: in half of the rows, each with all of its lines.
    let near = |found: f64, expected: f64| {
        assert!(
            (found - expected).abs() < 0.02 * expected,
            "{found} for {expected}"
        );
    };
    let rows = 8.0 * 800.0 * 1000.0;
    near(bytes("pairs", "n=1000,m=800,prob_pairs_7=0.25"), 0.5 * rows);
    near(
        bytes("neither", "n=1000,m=800,prob_neither_12=0.25"),
        0.5 * rows,
    );
    // Other elements in each of ten steps, whatever the pointer is called. What two names lead to is two arrays, of which one
    // is read and the other one read and written.
    let ever = 1.0 - 0.75f64.powi(10);
    for (function, line) in [("renamed", 25), ("loaded", 34)] {
        let found = bytes(
            function,
            &format!("n=1000,t=10,prob_{function}_{line}=0.25"),
        );
        near(found, 2.0 * ever * 64.0 * 1000.0 + 12_000.0);
    }
    // The same ones, by a loop that counts itself.
    let same = bytes("rounds", "n=1000,t=10,prob_rounds_43=0.25");
    near(same, 2.0 * 0.25 * 64.0 * 1000.0 + 4000.0);
}

/// What conditions leave out at the borders of loops of a few iterations.
#[test]
fn borders_of_short_loops() {
    is_right("borders.c", "chain", &["--sizes", "n=4,8,12,16,32"]);
    is_right("borders.c", "ends", &["--sizes", "n=8,12,16,32"]);
    is_right("borders.c", "cube", &["--sizes", "n=8,12,16,32"]);
}

/// Of a triangle that is too long to be counted, windows stand for as many accesses as there are; a cache that holds
/// everything moves what the data may lead to, within the error that is said.
#[test]
fn samples_of_long_triangles() {
    let path = command::fixture("locality").join("triangle.c");
    let sizes = ["--set", "n=8000", "--max-accesses", "4000000"];
    let caches = ["--cache", "16KiB,full", "--cache", "4MiB,full"];
    let cases = command::validated(&path, &[&sizes[..], &caches].concat());
    assert_eq!(cases.len(), 2);
    for case in &cases {
        let number = |name: &str| case[name].as_f64().expect("a number");
        let all = 4.0 * 8000.0 * 7999.0 / 2.0;
        assert!((number("accesses") - all).abs() < 0.001 * all, "{case}");
        let error = number("error") + 0.05;
        let apart = (number("predicted_bytes") - number("simulated_bytes")).abs();
        assert!(apart <= error * number("simulated_bytes"), "{case}");
    }
}

/// Where something may change what a condition asks for: under another name of its storage, in what is called, or only
/// before the loops.
#[test]
fn what_may_change_conditions() {
    let answers = |file: &str, text: &str| {
        let units = [sources::of_text(file, text)];
        let program = analysis::analyze(&units);
        let mut found = Vec::new();
        for function in &program.functions {
            answers_in(&function.body, &mut found);
        }
        found
    };
    let steps = |loops: [u32; 2]| vec![Some(loops.into())];
    let inner =
        "for (int j = 0; j < n; j++) for (int i = 0; i < n; i++) if (m[i] > 0) u[j][i] = 1;";
    let c = |before: &str, step: &str| {
        let text = format!(
            "void touch(int *p);
            struct s {{ int m[100]; }};
            void fill(struct s *g) {{ for (int i = 0; i < 100; i++) g->m[i] = i; }}
            void f(int n, int m[100], double u[n][n], int t, struct s *g) {{
                {before}
                for (int k = 0; k < t; k++) {{ {step} {inner} }}
            }}"
        );
        answers("a.c", &text)
    };
    assert_eq!(
        c("for (int i = 0; i < n; i++) m[i] = i;", ""),
        vec![Some([2].into())]
    );
    assert_eq!(
        c("", "for (int i = 0; i < n; i++) m[i] = i;"),
        steps([0, 2])
    );
    assert_eq!(c("", "touch(m);"), steps([0, 2]));
    assert_eq!(
        c("", "int *r = m; for (int i = 0; i < n; i++) r[i] = i;"),
        steps([0, 2])
    );
    let member = "
        struct s { int m[100]; };
        void fill(struct s *g);
        void f(int n, double u[n][n], int t, struct s *g) {
            for (int k = 0; k < t; k++) {
                fill(g);
                for (int j = 0; j < n; j++) for (int i = 0; i < n; i++) if (g->m[i] > 0) u[j][i] = 1;
            }
        }";
    assert_eq!(answers("a.c", member), steps([0, 2]));
    let fortran = |declared: &str, step: &str| {
        let text = format!(
            "subroutine f(n, t, u)
              integer :: n, t, i, j, k
              real :: u(n, n)
              {declared}
              do k = 1, t
                {step}
                do j = 1, n
                  do i = 1, n
                    if (m(i) > 0) u(i, j) = 1
                  end do
                end do
              end do
            end subroutine
            subroutine touch
              integer :: other(100)
              common /c/ other
              other(3) = 1
            end subroutine"
        );
        answers("a.f90", &text)
    };
    let common = "integer :: m(100)\n common /c/ m";
    assert_eq!(fortran(common, ""), vec![Some([2].into())]);
    assert_eq!(fortran(common, "call touch"), steps([0, 2]));
    let equivalence = "integer :: m(100), e(100)\n equivalence (m, e)";
    assert_eq!(fortran(equivalence, "e(k) = 1"), steps([0, 2]));
    assert_eq!(c("", ""), vec![Some([2].into())]);
}

fn answers_in(block: &Block, found: &mut Vec<Option<BTreeSet<u32>>>) {
    for item in &block.items {
        match item {
            Item::Loop(inner) => answers_in(&inner.body, found),
            Item::Branch(branch) => found.push(branch.loops.clone()),
        }
    }
}

/// What nothing changes goes one way in all iterations: that is marked where it makes a difference.
#[test]
fn conditions_on_data_that_no_loop_changes() {
    let json = small::analyse(
        &[(
            "a.c",
            "void copied(int n, double *x, double *y, double tolerance, double *to) {
                for (int i = 0; i < n; i++) if (tolerance > 0) y[i] = x[i];
            }
            void perhaps(int n, double *x, double *y, double *to) {
                for (int i = 0; i < n; i++) { y[i] = x[i]; if (to) to[i] = x[i]; }
            }
            void both(int n, double *x, double *y, double tolerance) {
                for (int i = 0; i < n; i++) if (x[i] > 0) y[i] = x[i];
            }",
        )],
        &["n=100000"],
    );
    let nests = json["functions"].as_array().expect("functions").iter();
    let reasons: Vec<String> = nests
        .map(|function| function["nests"][0]["reasons"].to_string())
        .collect();
    let undecided = r#"["undecided_branch"]"#;
    assert_eq!(reasons, [undecided, undecided, "[]"]);
}

/// A branch that is always or never taken, and which is not known, is marked where that makes a difference to bytes or
/// operations, and nowhere else. So is storage that is used as two types.
#[test]
fn branches_that_make_a_difference() {
    for taken in ["flag=0,other=0", "flag=1,other=1"] {
        let sizes = ["--set", taken, "--sizes", "n=37,300"];
        is_right("branches.c", "b3", &sizes);
    }
    for taken in ["flag=0", "flag=1"] {
        is_right(
            "branches.c",
            "b[12]",
            &["--set", taken, "--sizes", "n=37,300"],
        );
    }
    is_right("branches.c", "t4", &["--sizes", "n=37,300"]);
    let expected = ["b2", "c1", "c2", "t1", "t2", "t3"];
    assert_eq!(marked("branches.c"), expected.map(String::from).into());
}

/// Few short rows are marked where they begin at other places of lines than on average.
#[test]
fn few_short_rows() {
    let report = |step: u32| {
        let source = format!(
            "float f(float *a) {{
                float sum = 0;
                for (int t = 0; t < 9; t++)
                    for (int y = 1; y <= 8; y++) for (int x = 1; x <= 8; x++) sum += a[x + {step} * y];
                return sum;
            }}"
        );
        small::analyse(&[("a.c", source.as_str())], &[])
    };
    let is_marked = |step: u32| {
        let json = report(step);
        json["functions"][0]["nests"][0]["reasons"]
            .to_string()
            .contains("few_rows")
    };
    // Of rows 31 floats apart seven of eight lie in two lines of 16; of rows 37 apart four, as on average; of rows 32 apart
    // it is known that they lie in one.
    assert!(is_marked(31));
    assert!(!is_marked(37) && !is_marked(32));
}

/// The last elements of a row share lines with the first ones of the next, where rows are as long as that.
#[test]
fn ends_of_rows_that_lie_beside_each_other() {
    is_right("ends.f90", "halo", &["--sizes", "n,m=30,64,203"]);
    let sizes = ["--set", "nv=3", "--sizes", "nx,nz=30,64,203"];
    is_right("ends.f90", "ghosts", &sizes);
    is_right("ends.f90", "assumed", &["--sizes", "np,mp=30,64,203"]);
    is_right("ends.f90", "long_rows", &["--sizes", "m=30,64,203"]);
    is_right("ends.f90", "first", &["--sizes", "n=16,20,64"]);
    // Arrays without declared bounds begin at one, wherever the loop begins.
    let sizes = [
        "--sizes",
        "shifted.n=16,40,64",
        "--sizes",
        "shifted.m=7,40,64",
    ];
    is_right("ends.f90", "shifted", &sizes);
    // Guessed, its rows have one element, and columns 1 and `mp` are the same.
    assert_eq!(marked("ends.f90"), BTreeSet::from(["assumed".to_string()]));
}

/// A string is an array of its characters: they lie in memory like others, and a loop may walk along them.
#[test]
fn strings_walked_character_by_character() {
    is_right("strings.f90", "upper", &["--sizes", "len_s=17,64,203"]);
    for function in ["blank", "spaces"] {
        is_right("strings.f90", function, &["--sizes", "n=17,64,203"]);
    }
    assert!(marked("strings.f90").is_empty());
}

/// What a call of another procedure accesses is its own: C loads the values that it passes, Fortran passes places.
#[test]
fn arguments_of_calls() {
    let c = "void use(double x); double b[4000];
      void values(int n) { for (int i = 0; i < n; i++) use(b[i]); }";
    let fortran = "subroutine places(n, a, b)
      integer :: n, i
      real(8) :: a(n), b(n)
      do i = 1, n
        call outside(a(i), b(i) + 1d0)
      end do
    end subroutine";
    let directory = tempfile::tempdir().expect("a directory");
    for (name, text) in [("k.c", c), ("k.f90", fortran)] {
        let path = directory.path().join(name);
        std::fs::write(&path, text).expect("written");
        let cases = command::validated(&path, &["--set", "n=800", "--cache", "32KiB,full"]);
        all_right(&cases);
        // 800 elements of one array in either.
        assert_eq!(cases[0]["simulated_bytes"], 6400, "{name}");
    }
}

/// Lines that lie a multiple of all sets apart push each other out: 512 rows of 4 KiB begin in one set of 64, which holds
/// eight of them. So every element of `a` is fetched anew, 512 × 512 lines, and those of `b` as they are written.
#[test]
fn lines_that_collide_in_sets() {
    let caches = "l1_bytes=48 KiB,l1_ways=12";
    let report = command::analysed("tests/fixtures/collisions/rows.c", &["--set", caches]);
    let functions = report["functions"].as_array().expect("functions");
    let nest = |name: &str| {
        let function = functions.iter().find(|function| function["name"] == name);
        &function.expect("the function")["nests"][0]
    };
    let turned = nest("turned");
    let expected = serde_json::json!(["conflict_misses"]);
    assert_eq!(turned["reasons"], expected);
    let conflict = &turned["conflicts"][0];
    assert_eq!(conflict["level"], "L1");
    assert_eq!(conflict["array"], "a");
    assert_eq!(conflict["stride_bytes"], 4096);
    assert_eq!(
        (&conflict["lines"], &conflict["sets"]),
        (&512.into(), &1.into())
    );
    assert_eq!(conflict["held_lines"], 12);
    let bytes = conflict["set_associative_bytes"]
        .as_f64()
        .expect("a number");
    let expected = 64.0 * (512.0 * 512.0 + 2.0 * 512.0 * 64.0);
    assert!(
        (bytes / expected - 1.0).abs() < 0.05,
        "{bytes} for {expected}"
    );
    for name in ["padded", "guessed"] {
        assert_eq!(nest(name)["reasons"], serde_json::json!([]), "{name}");
        assert!(nest(name).get("conflicts").is_none(), "{name}");
    }
}

/// A loop that runs in a part of the range of the one around it is marked.
#[test]
fn loops_that_run_in_a_part_of_a_range_are_marked() {
    let text = "void cut(int n, int m, double a[n][m]) {
        for (int k = 0; k < n; k++) for (int j = k; j < m; j++) a[k][j] += 1.0;
      }";
    let reasons = |n: &str, m: &str| {
        let settings = command::settings(&[n, m]);
        let report = command::analysed_text("k.c", text, &settings);
        report["functions"][0]["nests"][0]["reasons"].clone()
    };
    assert_eq!(
        reasons("n=1000", "m=200"),
        serde_json::json!(["partly_empty"])
    );
    assert_eq!(reasons("n=1000", "m=1000"), serde_json::json!([]));
    assert_eq!(reasons("n=1000", "m=2000"), serde_json::json!([]));
    // Few enough to be followed, and 4,714 bytes for 4,864.
    assert_eq!(reasons("n=100", "m=20"), serde_json::json!([]));
}

/// What is not right carries a mark.
#[test]
fn what_is_estimated_is_marked() {
    let names = |names: &[&str]| {
        names
            .iter()
            .map(ToString::to_string)
            .collect::<BTreeSet<String>>()
    };
    assert_eq!(marked("bounds.c"), names(&[]));
    assert_eq!(marked("steps.f90"), names(&[]));
    assert_eq!(marked("records.c"), names(&["g5"]));
    assert_eq!(marked("forms.c"), names(&["h5", "h8"]));
    assert_eq!(marked("strides.c"), names(&["i8", "i9"]));
}

/// What rests on data, on directions that cross, or on where rows end carries a mark, too.
#[test]
fn what_no_rule_covers_is_marked() {
    let text = "double u[300][129];
      void packs(int n, double *a, double *b)
      { int j = 0; for (int i = 0; i < n; i++) if (b[i] > 0) { a[j] = b[i]; j++; } }
      void counts(int n, int *j, double *b) { int k = 0; for (int i = 0; i < n; i++) if (b[i] > 0) k++; *j = k; }
      void turned(int n, double *a, double *b) { for (int i = 0; i < n; i++) a[i] = a[n - i - 1] + b[i]; }
      void halves(int n, double *a) { for (int i = 0; i < n; i++) a[i] = a[2 * n - i]; }
      void ends(int n, int m, int w, double a[n][w]) { for (int j = 0; j < n; j++) a[j][0] = a[j][m]; }
      void beside(int n, int m, double a[n][m + 1]) { for (int j = 0; j < n; j++) a[j][0] = a[j][m]; }
      void sides(int n, int m, double a[n][m + 99]) { for (int j = 0; j < n; j++) a[j][0] = a[j][m]; }
      void known(int n) { for (int j = 0; j < n; j++) u[j][0] = u[j][128]; }";
    let report = command::analysed_text("k.c", text, &[]);
    let functions = report["functions"].as_array().expect("functions");
    let reasons = |name: &str| {
        let function = functions.iter().find(|function| function["name"] == name);
        &function.expect("the function")["nests"][0]["reasons"]
    };
    assert_eq!(reasons("packs"), &serde_json::json!(["conditional_step"]));
    for name in ["turned", "ends"] {
        assert_eq!(
            reasons(name),
            &serde_json::json!(["several_forms"]),
            "{name}"
        );
    }
    for name in ["counts", "halves", "sides", "known", "beside"] {
        assert_eq!(reasons(name), &serde_json::json!([]), "{name}");
    }
}

/// `analyze` runs nests with small sizes, and marks one of which the model says something else: nothing declares how long
/// the rows are, and they are as long as subscripts reach in the run.
#[test]
fn nests_that_disagree_with_a_run_are_marked() {
    let text = "subroutine left(field, buffer, x, y1, y2, depth)
        integer :: x, y1, y2, depth, j, k
        real(8) :: field(-1:, -1:), buffer(:)
        do k = y1 - depth, y2 + depth
          do j = 1, depth
            buffer(j + (k + depth - 1)*depth) = field(x + 2 - j, k)
          end do
        end do
      end subroutine";
    let settings = command::settings(&["depth=2"]);
    let report = command::analysed_text("k.f90", text, &settings);
    let nest = &report["functions"][0]["nests"][0];
    assert_eq!(nest["reasons"], serde_json::json!(["check_failed"]));
    let ratio = nest["disagreement"].as_f64().expect("a ratio");
    assert_eq!(nest["checked"]["ratio"], ratio);
    let without = [&settings[..], &["--no-check"]].concat();
    let report = command::analysed_text("k.f90", text, &without);
    let nest = &report["functions"][0]["nests"][0];
    assert_eq!(nest["reasons"], serde_json::json!([]));
    assert!(nest.get("disagreement").is_none() && nest.get("checked").is_none());

    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("k.f90");
    std::fs::write(&path, text).expect("written");
    let caches = [
        "--set",
        "depth=2",
        "--set",
        "y2=1024",
        "--cache",
        "1KiB,full",
    ];
    let cases = command::validated(&path, &caches);
    let expected = cases[0]["ratio"].as_f64().expect("a ratio");
    assert!(
        (ratio / expected - 1.0).abs() < 0.05,
        "{ratio} for {expected}"
    );
}

/// The simulation says where it draws what only data decide.
#[test]
fn drawn_data_is_said() {
    let text = "int at[1000]; double a[5000], b[1000];
      void gathers(int n) { for (int i = 0; i < n; i++) b[i] = a[at[i]]; }
      void branches(int n) { for (int i = 0; i < n; i++) if (b[i] > 0.0) a[i] = 1.0; }
      void plain(int n) { for (int i = 0; i < n; i++) if (i > 4) a[i] = b[i]; }";
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("k.c");
    std::fs::write(&path, text).expect("written");
    for case in command::validated(&path, &["--set", "n=500", "--cache", "32KiB,full"]) {
        let is_drawn = case["explained"].as_str().expect("a text").contains("data");
        assert_eq!(is_drawn, case["function"] != "plain", "{case}");
    }
}

/// Rows and columns of one matrix meet in other iterations of the outer loop, from none to all of it apart.
#[test]
fn rows_beside_columns_of_one_array() {
    for function in ["both", "written", "summed"] {
        is_right("transposed.c", function, &["--sizes", "n=50,100,200"]);
    }
    is_right("transposed.c", "planes", &["--sizes", "n=17,30,40"]);
    let marked = marked("transposed.c");
    assert_eq!(marked, ["apart", "part"].map(String::from).into());
}

/// Indices that advance by another step than their loop are as affine as its variable.
#[test]
fn indices_that_advance_by_another_step() {
    for function in ["halves", "pairs", "thirds"] {
        is_right("counters.c", function, &["--sizes", "n=100,1000,9001"]);
    }
    let sizes = ["--sizes", "n=30,101", "--sizes", "m=9,17,64"];
    is_right("counters.c", "rows", &sizes);
    is_right(
        "counters.c",
        "along",
        &["--sizes", "n=100,900", "--sizes", "m=300,900"],
    );
    let cache = ["--cache", "1KiB,full", "--cache", "2KiB,full"];
    let path = command::fixture("locality").join("counters.c");
    let sizes = [&["--function", "forces", "--sizes", "n=17,100"], &cache[..]];
    all_right(&command::validated(&path, &sizes.concat()));
    assert!(marked("counters.c").is_empty());
}

/// One loop goes along packed triangles evenly, whatever the other one does: `i + j*(j - 1)/2`. Rows follow each other.
#[test]
fn packed_triangles() {
    is_right("packed.f90", "along", &["--sizes", "m=17,64,203,300"]);
    is_right("packed.f90", "across", &["--sizes", "m=203,300"]);
    let marked = marked("packed.f90");
    assert_eq!(marked, [String::from("across")].into());
}

/// `(i + 1) % n` is the next one in all iterations but the last.
#[test]
fn grids_that_are_closed_to_rings() {
    for function in ["rest", "chosen", "branched", "pushed"] {
        is_right("wrapped.c", function, &["--sizes", "n=64,203"]);
    }
    let sizes = ["--sizes", "n=30,100", "--sizes", "m=50,64"];
    is_right("wrapped.c", "flat", &sizes);
    let marked = marked("wrapped.c");
    assert_eq!(marked, [String::from("round_and_round")].into());
}

/// The formulas of a model follow when a size is edited: they come to what another model has for that size.
#[test]
fn formulas_follow_sizes() {
    let units = sources::units(&["tests/fixtures/locality"]);
    let program = analysis::analyze(&units);
    let models = [
        programs::model(&program, "epyc-7763", &[("block_x", "0")]),
        programs::model(&program, "epyc-7763", OTHER_SIZES),
    ];
    for (model, other) in [(&models[0], &models[1]), (&models[1], &models[0])] {
        let values = programs::figures_with_inputs_of(model, other);
        for (nest, as_other) in model.nests.iter().zip(&other.nests) {
            let caches = nest.levels.caches.iter().zip(&as_other.levels.caches);
            for (cache, expected) in caches {
                let (found, expected) = (values[&cache.bytes], other.value(expected.bytes));
                let name = &nest.nest.head().id;
                assert!(
                    (found - expected).abs() <= 1e-6 * expected.abs(),
                    "{name}: {found} for {expected}"
                );
            }
            let (found, expected) = (values[&nest.iterations], other.value(as_other.iterations));
            assert!((found - expected).abs() <= 1e-6 * expected.abs());
        }
    }
    let numbers = Model::with(
        &program,
        models[0].machine.clone(),
        &programs::settings(OTHER_SIZES),
        Detail::Values,
    )
    .expect("settings");
    for (nest, same) in models[1].nests.iter().zip(&numbers.nests) {
        for (cache, expected) in nest.levels.caches.iter().zip(&same.levels.caches) {
            let (found, expected) = (models[1].value(cache.bytes), numbers.value(expected.bytes));
            let name = &nest.nest.head().id;
            assert!(
                (found - expected).abs() <= 1e-6 * expected.abs(),
                "{name}: {found} for {expected}"
            );
        }
    }
}

const OTHER_SIZES: &[(&str, &str)] = &[
    ("n", "90"),
    ("S", "17"),
    ("inc", "3"),
    ("st", "2"),
    ("t", "24"),
    ("w", "9"),
    ("hi", "70"),
    ("m", "1000"),
];
