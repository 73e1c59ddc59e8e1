//! Iteration counts against running the loops.

use std::collections::BTreeMap;

use crate::support::command::{analysed, analysed_text};
use crate::support::programs::{expr, flops, function, model, program};
use loopsheet_analysis::facts::{Block, Item, Loop, Program};
use loopsheet_analysis::loop_variable::LoopVariable;
use loopsheet_base::reason::ReasonCode;
use loopsheet_expr::{Expr, Symbol};
use proptest::prelude::*;

/// Variable, first value, last value, step.
type Bounds<'a> = (&'a str, &'a str, &'a str, i64);

fn nest(loops: &[Bounds]) -> Loop {
    let ((variable, lower, upper, step), inner) = loops.split_first().expect("at least one loop");
    let body = match inner {
        [] => Block {
            flops: flops(1, 0, 0, 0),
            ..Block::default()
        },
        _ => Block {
            items: vec![Item::Loop(Box::new(nest(inner)))],
            ..Block::default()
        },
    };
    Loop {
        id: format!("f@{variable}"),
        file: "f.f90".into(),
        line: 1,
        end_line: 9,
        variable: LoopVariable::of_source(variable.to_string()),
        lower: expr(lower),
        upper: expr(upper),
        step: Expr::from(*step),
        parallel: None,
        is_serial: false,
        needs: None,
        exits_early: false,
        tests_last: false,
        steps_time: false,
        beside: Default::default(),
        registers: None,
        in_core: None,
        repeated: Default::default(),
        body,
    }
}

/// Runs the loops: iterations of each, outermost first.
fn run(loops: &[Bounds], values: &mut BTreeMap<String, f64>, counts: &mut [u64]) {
    let Some(((variable, lower, upper, step), inner)) = loops.split_first() else {
        return;
    };
    let value = |text: &str| {
        let lookup = |symbol: &Symbol| values.get(symbol.name()).copied();
        expr(text)
            .evaluate(&lookup as &dyn loopsheet_expr::Lookup)
            .expect("all symbols have values") as i64
    };
    let (mut at, last) = (value(lower), value(upper));
    while if *step > 0 { at <= last } else { at >= last } {
        counts[0] += 1;
        values.insert(variable.to_string(), at as f64);
        run(inner, values, &mut counts[1..]);
        at += step;
    }
}

fn run_all(loops: &[Bounds], sizes: &[(&str, i64)]) -> Vec<u64> {
    let mut values = sizes
        .iter()
        .map(|(name, value)| (name.to_string(), *value as f64))
        .collect();
    let mut counts = vec![0; loops.len()];
    run(loops, &mut values, &mut counts);
    counts
}

fn program_of(loops: &[Bounds]) -> Program {
    // Another nest mentions every size, so that it can be set.
    program(vec![function(
        "f",
        "f.f90",
        &[],
        vec![nest(loops), nest(&[("other", "1", "n + m", 1)])],
    )])
}

/// The model's iterations of each loop, outermost first, and whether it calls them exact.
fn modelled(program: &Program, sizes: &[(&str, i64)]) -> (Vec<f64>, bool) {
    let sizes: Vec<(&str, String)> = sizes
        .iter()
        .map(|(name, value)| (*name, value.to_string()))
        .collect();
    let sizes: Vec<(&str, &str)> = sizes
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    let model = model(program, "exasat", &sizes);
    let nest = &model.nests[0];
    let counts = nest
        .counts
        .iter()
        .map(|count| model.value(count.weighted))
        .collect();
    assert_eq!(
        model.value(nest.operations.flops),
        model.value(nest.iterations)
    );
    (
        counts,
        !nest
            .nest
            .reason_codes()
            .contains(&ReasonCode::ApproximateTripCount),
    )
}

/// Asserts that the model says it is exact, and is.
fn check(loops: &[Bounds], sizes: &[&[(&str, i64)]]) {
    let program = program_of(loops);
    for sizes in sizes {
        let counted: Vec<f64> = run_all(loops, sizes)
            .into_iter()
            .map(|n| n as f64)
            .collect();
        assert_eq!(
            modelled(&program, sizes),
            (counted, true),
            "{loops:?} {sizes:?}"
        );
    }
}

const N: &[&[(&str, i64)]] = &[
    &[("n", 0)],
    &[("n", 1)],
    &[("n", 2)],
    &[("n", 5)],
    &[("n", 8)],
    &[("n", 40)],
];

#[test]
fn rectangular() {
    check(&[("i", "1", "n", 1)], N);
    check(&[("i", "0", "n - 1", 1), ("j", "2", "n - 3", 1)], N);
    check(
        &[("i", "n", "1", -1), ("j", "1", "n", 2), ("k", "n", "2", -3)],
        N,
    );
    check(&[("i", "5", "1", 1), ("j", "1", "n", 1)], N);
    check(
        &[("i", "1", "n", 1), ("j", "3", "2", 1), ("k", "1", "n", 1)],
        N,
    );
}

#[test]
fn triangular() {
    for inner in [
        ("j", "1", "i", 1),
        ("j", "i", "n", 1),
        ("j", "i + 1", "n", 1),
        ("j", "1", "i - 1", 1),
        ("j", "i + 3", "n", 1),
        ("j", "1", "i - 4", 1),
        ("j", "i", "n - 2", 1),
        ("j", "n", "i", -1),
        ("j", "i - 1", "1", -1),
        ("j", "n - i", "n", 1),
        ("j", "1", "n - i", 1),
        ("j", "i", "n - i", 1),
        ("j", "-i", "i", 1),
        ("j", "2*i", "n", 1),
    ] {
        for outer in [
            ("i", "1", "n", 1),
            ("i", "0", "n - 1", 1),
            ("i", "n", "1", -1),
            ("i", "1", "n", 2),
            ("i", "n - 1", "0", -3),
        ] {
            check(&[outer, inner], N);
        }
    }
}

#[test]
fn trapezoids_and_rectangles_of_two_sizes() {
    let sizes: &[&[(&str, i64)]] = &[
        &[("m", 6), ("n", 6)],
        &[("m", 9), ("n", 4)],
        &[("m", 4), ("n", 9)],
        &[("m", 0), ("n", 5)],
        &[("m", 5), ("n", 0)],
    ];
    for inner in [
        ("j", "i", "m", 1),
        ("j", "1", "i", 1),
        ("j", "i + 2", "m", 1),
        ("j", "i", "i + m", 1),
        ("j", "m", "i", -1),
    ] {
        check(&[("i", "1", "n", 1), inner], sizes);
        check(&[("i", "1", "n", 1), ("k", "1", "m", 1), inner], sizes);
    }
}

#[test]
fn factorisations() {
    let lu: &[Bounds] = &[
        ("k", "1", "n - 1", 1),
        ("i", "k + 1", "n", 1),
        ("j", "k + 1", "n", 1),
    ];
    check(lu, N);
    check(
        &[
            ("j", "1", "n", 1),
            ("k", "1", "j - 1", 1),
            ("i", "j", "n", 1),
        ],
        N,
    );
    check(
        &[
            ("i", "0", "n - 1", 1),
            ("j", "0", "i - 1", 1),
            ("k", "0", "j - 1", 1),
        ],
        N,
    );
    check(
        &[
            ("i", "0", "n - 1", 1),
            ("j", "i", "n - 1", 1),
            ("k", "0", "i - 1", 1),
        ],
        N,
    );
    check(
        &[
            ("i", "n", "1", -1),
            ("j", "i + 1", "n", 1),
            ("k", "j", "n", 1),
        ],
        N,
    );
    // That k is never empty follows from the range of i.
    check(
        &[
            ("i", "0", "n - 1", 1),
            ("j", "0", "i", 1),
            ("k", "j", "n - 1", 1),
        ],
        N,
    );
    check(
        &[
            ("i", "0", "n - 1", 2),
            ("j", "0", "i", 1),
            ("k", "j", "n - 1", 1),
        ],
        N,
    );
    check(
        &[
            ("i", "n", "1", -3),
            ("j", "i", "1", -1),
            ("k", "n", "j", -1),
        ],
        N,
    );
    check(
        &[
            ("i", "1", "n", 1),
            ("j", "i", "n", 1),
            ("k", "i", "j", 1),
            ("l", "k", "j", 1),
        ],
        N,
    );
    // The middle loop is empty for some i, and the innermost one would be counted below zero there.
    check(
        &[
            ("i", "1", "n + 4", 1),
            ("j", "i + 1", "n", 1),
            ("k", "j + 1", "n", 1),
        ],
        N,
    );
    check(
        &[
            ("i", "1", "n", 1),
            ("j", "i + 3", "n", 1),
            ("k", "j", "j + 1", 1),
        ],
        N,
    );
}

#[test]
fn counts_are_whole_numbers() {
    let lu: &[Bounds] = &[
        ("k", "0", "n - 1", 1),
        ("i", "0", "k - 1", 1),
        ("j", "0", "i - 1", 1),
    ];
    for n in 0..200 {
        let n_ = n as f64;
        let counts = modelled(&program_of(lu), &[("n", n)]).0;
        assert_eq!(
            counts,
            [
                n_,
                n_ * (n_ - 1.0) / 2.0,
                n_ * (n_ - 1.0) * (n_ - 2.0) / 6.0
            ]
        );
    }
}

#[test]
fn an_estimate_says_so() {
    // Two outer variables meet in a maximum: no polynomial.
    let loops: &[Bounds] = &[
        ("i", "1", "n", 1),
        ("j", "1", "n", 1),
        ("k", "max(i, j)", "n", 1),
    ];
    let (_, exact) = modelled(&program_of(loops), &[("n", 10)]);
    assert!(!exact);
}

/// constant + c·n + coefficients of the variables outside.
fn bound(depth: usize) -> impl Strategy<Value = String> {
    (
        -3i64..=3,
        0i64..=1,
        prop::collection::vec(prop::sample::select(vec![-1i64, 0, 0, 1, 1, 2]), depth),
    )
        .prop_map(move |(constant, n, coefficients)| {
            let names = ["i", "j", "k"];
            let terms = coefficients
                .iter()
                .zip(names)
                .map(|(c, name)| format!(" + {c}*{name}"))
                .collect::<String>();
            format!("{constant} + {n}*n{terms}").replace("+ -", "- ")
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn exact_or_said_to_be_an_estimate(
        outer in (bound(0), bound(0)),
        middle in (bound(1), bound(1)),
        inner in (bound(2), bound(2)),
        steps in prop::collection::vec(prop::sample::select(vec![1i64, 1, 1, -1, 2]), 3),
    ) {
        let loops: Vec<Bounds> = vec![
            ("i", &outer.0, &outer.1, steps[0]),
            ("j", &middle.0, &middle.1, steps[1]),
            ("k", &inner.0, &inner.1, steps[2]),
        ];
        let program = program_of(&loops);
        for n in [0, 1, 3, 6, 11] {
            let counted: Vec<f64> = run_all(&loops, &[("n", n)]).into_iter().map(|n| n as f64).collect();
            let (counts, exact) = modelled(&program, &[("n", n)]);
            if exact {
                prop_assert_eq!(counts, counted, "{:?} n = {}", loops, n);
            }
        }
    }
}

/// Two at least: as many as were there, if there were more.
#[test]
fn a_loop_that_fills_up_leaves_the_larger_of_both() {
    const SOURCE: &str = "\
void f(int len, double *x) {
    while (len < 2) len++;
    for (int n = len / 2; n >= 1; n--) x[n] = 1.0;
}
";
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("f.c");
    std::fs::write(&path, SOURCE).expect("written");
    for (len, iterations) in [
        (-3, [5.0, 1.0]),
        (1, [1.0, 1.0]),
        (2, [0.0, 1.0]),
        (80, [0.0, 40.0]),
    ] {
        let set = format!("len={len}");
        let json = analysed(path.clone(), &["--no-config", "--set", &set]);
        let nests = json["functions"][0]["nests"].as_array().expect("nests");
        let found: Vec<f64> = nests
            .iter()
            .filter_map(|nest| nest["iterations"].as_f64())
            .collect();
        assert_eq!(found, iterations, "len = {len}");
    }
}

/// The last block is shorter.
#[test]
fn branches_keep_the_ends_of_blocks_within_the_range() {
    const SOURCE: &str = "\
double a[1000];
void last(void) {
    for (int first = 0; first < 1000; first += 32) {
        int end = first + 32;
        if (end > 1000) end = 1000;
        for (int i = first; i < end; i++) a[i] += 1.0;
    }
}
void either(void) {
    for (int first = 0; first < 1000; first += 32) {
        int end;
        if (1000 < first + 32) end = 1000;
        else end = first + 32;
        for (int i = first; i < end; i++) a[i] += 1.0;
    }
}
void size(int n) {
    int size = 100;
    if (size > n) size = n;
    for (int i = 0; i < size; i++) a[i] += 1.0;
}
";
    for (n, size) in [(7, 7.0), (500, 100.0)] {
        let set = format!("n={n}");
        let json = analysed_text("f.c", SOURCE, &["--no-config", "--set", &set]);
        let functions = json["functions"].as_array().expect("functions");
        for (function, expected) in functions.iter().zip([1000.0, 1000.0, size]) {
            let nest = &function["nests"][0];
            assert_eq!(nest["iterations"], expected, "{} {n}", function["name"]);
            assert_eq!(
                nest["reasons"],
                serde_json::json!([]),
                "{}",
                function["name"]
            );
        }
    }
}

/// Of a list in Fortran, whose pointer is not followed, nothing says that it has one element.
#[test]
fn a_list_is_not_a_number_that_is_brought_into_a_range() {
    let text = "module m
 type node
  type(node), pointer :: next
  real(8) :: v
 end type
contains
subroutine total(head, s)
 type(node), pointer :: head, p
 real(8) :: s
 p => head
 do while (associated(p))
  s = s + p%v
  p => p%next
 end do
end
end module
";
    let report = analysed_text("list.f90", text, &[]);
    assert_eq!(report["functions"][0]["nests"][0]["iterations"], 8);
}
