//! What one iteration has from an earlier one, against literal runs of small loops that note which iteration stored each
//! element last.

use std::collections::BTreeMap;
use std::sync::Arc;

use loopsheet_analysis::facts::{Block, Item, Loop};
use loopsheet_analysis::in_core::{Chain as Chained, ChainKind, InCore, Order};
use loopsheet_analysis::{ProcedureBody, analyze_with_bodies};
use loopsheet_cache::AccessKind;
use loopsheet_interpret::blocks::Blocks;
use loopsheet_interpret::compile::compile;
use loopsheet_interpret::compiler::{Chance, Part, Source};
use loopsheet_interpret::run::run;
use loopsheet_interpret::{Access, Sink};
use loopsheet_lower as lower;
use loopsheet_source::{Form, SourceText};

/// Iterations of outer loops, and of inner ones.
const SIZES: [(&str, i64); 4] = [("m", 3), ("n", 40), ("inc", 3), ("lag", 5)];

/// What is said of a loop.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Said {
    /// A recurrence over so many iterations.
    Chain(u32),
    /// Elements are passed on without being computed with.
    PassedOn(u32),
    /// No iteration waits for one that is near.
    Free,
    ByData,
    Unknown,
}

use Said::{ByData, Chain, Free, PassedOn, Unknown};

/// Loops of C over `double x[]`, `y[]` and `int idx[]`; each iteration of the innermost one stores one element, at its
/// end.
const C: &[(&str, Said, &str)] = &[
    (
        "plain",
        Chain(1),
        "for (int i = 1; i < n; i++) x[i] = b * x[i - 1];",
    ),
    (
        "next",
        Free,
        "for (int i = 1; i < n; i++) x[i] = b * x[i + 1];",
    ),
    (
        "temporary",
        Chain(1),
        "for (int i = 1; i < n; i++) { int k = i + 1; x[k] = b * x[k - 1]; }",
    ),
    (
        "ahead",
        Free,
        "for (int i = 1; i < n; i++) { int k = i + 1; x[k] = b * x[k + 1]; }",
    ),
    (
        "two_temporaries",
        Chain(2),
        "for (int i = 0; i < n; i++) { int k = i + 4; int j = k - 2; x[k] = b * x[j]; }",
    ),
    (
        "set_twice",
        Chain(3),
        "for (int i = 0; i < n; i++) { int k = i; double t = x[k]; k = k + 3; x[k] = b * t; }",
    ),
    (
        "stride",
        Chain(2),
        "for (int i = 0; i < n; i++) { int k = 3 * i + 6; x[k] = b * x[k - 6]; }",
    ),
    (
        "between",
        Free,
        "for (int i = 0; i < n; i++) { int k = 3 * i + 6; x[k] = b * x[k - 4]; }",
    ),
    (
        "induction",
        Chain(1),
        "int k = 7; for (int i = 0; i < n; i++) { x[k] = b * x[k - 1]; k = k + 1; }",
    ),
    (
        "induction_between",
        Chain(1),
        "int k = 7; for (int i = 0; i < n; i++) { double t = x[k]; k++; x[k] = b * t; }",
    ),
    (
        "induction_down",
        Chain(1),
        "int k = n; for (int i = 0; i < n; i++) { x[k] = b * x[k + 1]; k--; }",
    ),
    (
        "induction_by_two",
        Chain(2),
        "int k = 7; for (int i = 0; i < n; i++) { x[k] = b * x[k - 4]; k += 2; }",
    ),
    (
        "induction_by_size",
        Chain(1),
        "int k = 9; for (int i = 0; i < n; i++) { x[k] = b * x[k - inc]; k += inc; }",
    ),
    (
        "induction_ahead",
        Free,
        "int k = 9; for (int i = 0; i < n; i++) { x[k] = b * x[k + inc]; k += inc; }",
    ),
    (
        "beside_induction",
        Chain(1),
        "int k = 1; for (int i = 0; i < n; i++) { x[k] = b * x[i]; k++; }",
    ),
    (
        "pointer",
        Chain(1),
        "double *p = x + 4; for (int i = 0; i < n; i++) { *p = b * p[-1]; p++; }",
    ),
    (
        "pointer_ahead",
        Free,
        "double *p = x; for (int i = 0; i < n; i++) { *p = b * p[1]; p++; }",
    ),
    (
        "two_pointers",
        Chain(2),
        "double *p = x + 2; double *q = x; for (int i = 0; i < n; i++) { *p = b * *q; p++; q++; }",
    ),
    (
        "pointer_and_array",
        Chain(1),
        "double *p = x + 1; for (int i = 0; i < n; i++) { *p = b * x[i]; p++; }",
    ),
    (
        "pointer_in_body",
        Chain(1),
        "for (int i = 0; i < n; i++) { double *p = x + i; p[1] = b * p[0]; }",
    ),
    (
        "while_pointer",
        Chain(1),
        "double *p = x + 1; double *end = x + n; while (p < end) { *p = b * p[-1]; p++; }",
    ),
    (
        "row",
        Chain(1),
        "for (int j = 0; j < m; j++) { int o = j * n; for (int i = 1; i < n; i++) x[o + i] = b * x[o + i - 1]; }",
    ),
    (
        "row_of_data",
        Chain(1),
        "for (int j = 0; j < m; j++) { int o = idx[j]; for (int i = 1; i < n; i++) x[o + i] = b * x[o + i - 1]; }",
    ),
    (
        "row_at_once",
        Chain(1),
        "for (int j = 0; j < m; j++) for (int i = 1; i < n; i++) x[idx[j] + i] = b * x[idx[j] + i - 1];",
    ),
    (
        "row_of_data_ahead",
        Free,
        "for (int j = 0; j < m; j++) { int o = idx[j]; for (int i = 1; i < n; i++) x[o + i] = b * x[o + i + 1]; }",
    ),
    (
        "row_and_temporary",
        Chain(1),
        "for (int j = 0; j < m; j++) { int o = idx[j]; for (int i = 1; i < n; i++) { int k = o + i; x[k] = b * x[k - 1]; } }",
    ),
    (
        "column",
        Chain(1),
        "for (int j = 0; j < m; j++) for (int i = 1; i < n; i++) x[i * m + j] = b * x[(i - 1) * m + j];",
    ),
    (
        "row_before",
        Free,
        "for (int j = 1; j < m; j++) for (int i = 0; i < n; i++) x[j * n + i] = b * x[(j - 1) * n + i];",
    ),
    (
        "plane",
        Chain(1),
        "for (int j = 0; j < m; j++) for (int i = 1; i < n; i++) { int k = i; z[j][k] = b * z[j][k - 1]; }",
    ),
    (
        "other_plane",
        Free,
        "for (int j = 1; j < m; j++) for (int i = 1; i < n; i++) { int k = i; z[j][k] = b * z[j - 1][k - 1]; }",
    ),
    (
        "copied",
        PassedOn(1),
        "for (int i = 0; i < n; i++) { int k = i + 1; x[k] = x[i]; }",
    ),
    (
        "whole_numbers",
        Chain(1),
        "for (int i = 0; i < n; i++) { int k = i + 1; idx[k] = idx[i] + 3; }",
    ),
    (
        "far",
        Free,
        "for (int i = 0; i < n; i++) { int k = i + 100; x[k] = b * x[i]; }",
    ),
    (
        "remainder",
        Free,
        "for (int i = 0; i < n; i++) { int k = i + 1; y[k] = b * x[k - 1]; }",
    ),
    // One value for all iterations, that the loop does not follow.
    (
        "by_condition",
        Unknown,
        "int k = 0; for (int i = 0; i < n; i++) { if (y[i] > 0) k = i; x[k + 1] = b * x[i]; }",
    ),
    (
        "before_it_is_set",
        Unknown,
        "int k = 0; for (int i = 0; i < n; i++) { double t = x[k]; k = (i * i) % 7; x[i] = b * t; }",
    ),
    (
        "in_some_iterations",
        Unknown,
        "int k = 1; for (int i = 0; i < n; i++) { x[k] = b * x[k - 1]; if (y[i] > 0) k++; }",
    ),
    (
        "by_different_steps",
        Unknown,
        "int k = 1; for (int i = 0; i < n; i++) { k = 2 * k % 31; x[k] = b * x[i]; }",
    ),
    (
        "in_a_branch",
        Unknown,
        "for (int i = 1; i < n; i++) { int k = i; if (y[i] > 0) k = i - 1; x[i] = b * x[k]; }",
    ),
    (
        "gather",
        ByData,
        "for (int i = 0; i < n; i++) { int k = idx[i]; x[i] = b * x[k]; }",
    ),
    (
        "scatter",
        ByData,
        "for (int i = 0; i < n; i++) x[idx[i]] = b * x[idx[i]];",
    ),
    (
        "other_array",
        Free,
        "for (int i = 0; i < n; i++) { int k = idx[i]; y[i] = b * x[k]; }",
    ),
];

/// The same of Fortran.
const FORTRAN: &[(&str, Said, &str)] = &[
    ("plain", Chain(1), "do i = 2, n\nx(i) = b*x(i-1)\nend do"),
    ("down", Chain(1), "do i = n, 1, -1\nx(i) = b*x(i+1)\nend do"),
    (
        "reversed",
        Chain(1),
        "do i = 1, n\nj = n + 1 - i\nx(j) = y(j)*x(j+1)\nend do",
    ),
    (
        "reversed_ahead",
        Free,
        "do i = 1, n\nj = n + 2 - i\nx(j) = y(j)*x(j-1)\nend do",
    ),
    (
        "reversed_twice",
        Chain(2),
        "do i = 1, n\nj = n + 1 - i\nk = j + 2\nx(j) = y(j)*x(k)\nend do",
    ),
    (
        "before",
        Chain(1),
        "do i = 2, n\nim = i - 1\nx(i) = b*x(im)\nend do",
    ),
    (
        "line_before",
        Free,
        "do j = 2, m\njm = j - 1\ndo i = 1, n\nz(i,j) = b*z(i,jm)\nend do\nend do",
    ),
    (
        "along_line",
        Chain(1),
        "do j = 2, m\njm = j - 1\ndo i = 2, n\nim = i - 1\nz(i,jm) = b*z(im,jm)\nend do\nend do",
    ),
    (
        "across",
        Chain(1),
        "do i = 1, n\ndo j = 2, m\njm = j - 1\nz(i,j) = b*z(i,jm)\nend do\nend do",
    ),
    (
        "advanced",
        Chain(1),
        "k = 3\ndo i = 1, n\nk = k + inc\nx(k) = b*x(k-inc)\nend do",
    ),
    (
        "constant",
        Chain(5),
        "do i = 6, n\nj = i - five\nx(i) = b*x(j)\nend do",
    ),
    (
        "components",
        Free,
        "do i = 2, n\nj = i - 1\nw(1,i) = b*w(2,j)\nend do",
    ),
    (
        "component",
        Chain(1),
        "do i = 2, n\nj = i - 1\nw(1,i) = b*w(1,j)\nend do",
    ),
    (
        "set_by_data",
        ByData,
        "do i = 1, n\nj = idx(i)\nx(i) = b*x(j)\nend do",
    ),
    (
        "not_every_time",
        Unknown,
        "k = 1\ndo i = 2, n\nif (y(i) > 0) k = i - 1\nx(i) = b*x(k)\nend do",
    ),
];

/// In which iteration each element was stored last, and how long before it was read.
#[derive(Default)]
struct Stores {
    at: u64,
    /// Iterations of one execution of the innermost loop.
    each: u64,
    last: BTreeMap<u64, u64>,
    nearest: Option<u64>,
}

impl Sink for Stores {
    fn take(&mut self, accesses: &[Access], times: u64) {
        assert_eq!(times, 1, "lines of one byte");
        for access in accesses {
            match access.kind {
                AccessKind::Load => {
                    let stored = self.last.get(&access.address);
                    let is_same = |stored: &&u64| **stored / self.each == self.at / self.each;
                    if let Some(stored) = stored.filter(is_same) {
                        let apart = self.at - stored;
                        self.nearest = Some(self.nearest.map_or(apart, |known| known.min(apart)));
                    }
                }
                AccessKind::Store | AccessKind::Atomic => {
                    self.last.insert(access.address, self.at);
                    self.at += 1;
                }
            }
        }
    }
}

fn innermost(block: &Block) -> Option<&Loop> {
    let inner = block.items.iter().find_map(|item| match item {
        Item::Loop(inner) => Some(inner),
        Item::Branch(_) => None,
    })?;
    Some(innermost(&inner.body).unwrap_or(inner))
}

fn said(in_core: &InCore) -> Said {
    let recurrence = in_core
        .carried
        .chains
        .iter()
        .find(|c| c.kind == ChainKind::Recurrence);
    // Of loops that have a chain of whole numbers only, elements may say more.
    let has_real = |chain: &Chained| chain.steps.integer_adds == 0;
    match (recurrence, in_core.carried.order) {
        (Some(chain), Order::ByData | Order::Unknown) if !has_real(chain) => {
            said_of(in_core.carried.order)
        }
        (Some(chain), _) => Chain(chain.distance),
        (None, order) => said_of(order),
    }
}

fn said_of(order: Order) -> Said {
    match order {
        Order::Shown => Free,
        Order::Carried => PassedOn(1),
        Order::ByData => ByData,
        Order::Unknown => Unknown,
    }
}

/// The nearest earlier iteration that a run has an element from.
fn nearest(body: &ProcedureBody, trips: u64) -> Option<u64> {
    let symbol = |name: &str| {
        let known = SIZES.iter().find(|(known, _)| *known == name);
        known.map(|(_, value)| *value as f64)
    };
    let code = compile(&Source {
        function: &body.function,
        part: Part::Nest {
            chain: body.loops(),
            own: 0,
            blocks: Blocks::default(),
        },
        symbol: &symbol,
        trips: &|_| trips,
        chance: &|_| Chance::of_all(0.25),
        passed: &|name, at| body.passed(name, at),
        most_probed: 5_000_000,
        gap: 0,
    });
    let code = code.expect("runs");
    let mut stores = Stores {
        each: trips,
        ..Stores::default()
    };
    run(&code, 1, 1_000_000, &mut stores);
    assert!(stores.at >= trips, "{} stores", stores.at);
    stores.nearest
}

fn analysed(file: &str, text: &str) -> (InCore, ProcedureBody) {
    let path: Arc<str> = file.into();
    let source = SourceText::verbatim(&path, text.to_string());
    let unit = match file.ends_with(".c") {
        true => lower::c::lower(&path, &source),
        false => lower::fortran::lower(
            &path,
            Form::Free,
            &source,
            &lower::fortran::Modules::default(),
        ),
    };
    let (program, mut bodies) = analyze_with_bodies(&[unit]);
    let inner = innermost(&program.functions[0].body).expect("a loop");
    let in_core = inner.in_core.clone().expect("in-core facts");
    (in_core, bodies.swap_remove(0))
}

/// What is said of a loop, and what a run has, must agree; and it must be what is expected.
fn check(file: &str, name: &str, expected: Said, text: &str) {
    let (in_core, body) = analysed(file, text);
    assert_eq!(said(&in_core), expected, "{name}: {in_core:?}");
    let run = nearest(&body, trips(text));
    let is_right = match expected {
        Chain(distance) | PassedOn(distance) => run == Some(u64::from(distance)),
        Free => run.is_none(),
        ByData | Unknown => true,
    };
    assert!(is_right, "{name}: said {expected:?}, but a run has {run:?}");
}

/// Iterations of the innermost loop in one execution.
fn trips(text: &str) -> u64 {
    let loops = [
        ("do j = 2, m\njm = j - 1\nz", 2),
        ("do i = 2, n", 39),
        ("do i = 6, n", 35),
        ("int i = 1", 39),
        ("p < end", 39),
    ];
    let known = loops.iter().find(|(part, _)| text.contains(part));
    known.map_or(40, |(_, trips)| *trips)
}

#[test]
fn chains_of_c_are_those_of_literal_runs() {
    for (name, expected, text) in C {
        let text = format!(
            "void f(int n, int m, int inc, int lag, double b, double *x, double *y, double z[][64], int *idx) {{\n{text}\n}}\n"
        );
        check("a.c", name, *expected, &text);
    }
}

#[test]
fn chains_of_fortran_are_those_of_literal_runs() {
    for (name, expected, text) in FORTRAN {
        let text = format!(
            "subroutine f(n, m, inc, b, x, y, z, w, idx)\ninteger :: n, m, inc, i, j, k, jm, im\ninteger :: idx(100)\n\
             double precision :: b, x(200), y(200), z(60,20), w(2,60)\ninteger, parameter :: five = 5\n{text}\nend\n"
        );
        check("a.f90", name, *expected, &text);
    }
}

/// Whole numbers that go from iteration to iteration in scalars, which a list of accesses does not show.
#[test]
fn whole_numbers_in_scalars_keep_loops_in_order() {
    let forms = [
        ("running_sum", Chain(1), "s += idx[i]; jdx[i] = s;"),
        ("random", Chain(1), "s = s * 5 % 17; x[i] = s * 0.5;"),
        ("decided", Chain(1), "s += idx[i]; if (s > 7) x[i] = 0;"),
        ("sum", Free, "s += idx[i]; jdx[i] = idx[i];"),
        ("largest", Free, "s = idx[i] > s ? idx[i] : s;"),
        ("advanced", Free, "s += 2; jdx[i] = s;"),
        ("last", Free, "s = idx[i]; jdx[i] = s + 1;"),
    ];
    for (name, expected, body) in forms {
        let text = format!(
            "int f(int n, double *x, int *idx, int *jdx) {{\nint s = 0;\nfor (int i = 0; i < n; i++) {{ {body} }}\nreturn s;\n}}\n"
        );
        let (in_core, _) = analysed("a.c", &text);
        assert_eq!(said(&in_core), expected, "{name}: {in_core:?}");
    }
}
