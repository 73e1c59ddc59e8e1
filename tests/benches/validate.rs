//! How many accesses per second `validate` simulates: run alone, through fully associative LRU caches of all
//! capacities, and through a set-associative hierarchy too. Only printed; figures depend on the machine.
//!
//!     cargo bench --bench validate [-- FILTER]

use std::sync::Arc;
use std::time::Instant;

use loopsheet_analysis::analyze_with_bodies;
use loopsheet_interpret::blocks::Blocks;
use loopsheet_interpret::code::Code;
use loopsheet_interpret::compile::compile;
use loopsheet_interpret::compiler::{Chance, Part, Source};
use loopsheet_interpret::run::run;
use loopsheet_interpret::{Access, Sink};
use loopsheet_lower as lower;
use loopsheet_source::SourceText;
use loopsheet_validate::Simulation;

const KERNELS: [(&str, i64, &str); 7] = [
    (
        "matrix multiply, rows",
        300,
        "void f(int n, double a[n][n], double b[n][n], double c[n][n]) {
           for (int i = 0; i < n; i++) for (int k = 0; k < n; k++) for (int j = 0; j < n; j++) c[i][j] += a[i][k] * b[k][j]; }",
    ),
    (
        "matrix multiply, columns",
        200,
        "void f(int n, double a[n][n], double b[n][n], double c[n][n]) {
           for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int k = 0; k < n; k++) c[i][j] += a[i][k] * b[k][j]; }",
    ),
    (
        "five points",
        2000,
        "void f(int n, double a[n][n], double b[n][n]) {
           for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++)
             b[i][j] = a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i - 1][j] + a[i + 1][j]; }",
    ),
    (
        "seven points",
        150,
        "void f(int n, double a[n][n][n], double b[n][n][n]) {
           for (int k = 1; k < n - 1; k++) for (int j = 1; j < n - 1; j++) for (int i = 1; i < n - 1; i++)
             b[k][j][i] = a[k][j][i] + a[k][j][i - 1] + a[k][j][i + 1] + a[k][j - 1][i] + a[k][j + 1][i]
                        + a[k - 1][j][i] + a[k + 1][j][i]; }",
    ),
    (
        "branch",
        3000,
        "void f(int n, double a[n][n], double b[n][n]) {
           for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) if (a[i][j] > 0) b[i][j] = a[i][j]; }",
    ),
    (
        "gather",
        1500,
        "void f(int n, int c[n][n], double x[n], double y[n]) {
           for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) y[i] += x[c[i][j]]; }",
    ),
    (
        "moving pointer",
        3000,
        "void f(int n, double a[n][n], double s) {
           for (int i = 0; i < n; i++) { double *p = a[i]; for (int j = 0; j < n; j++) *p++ *= s; } }",
    ),
];

fn main() {
    let filter = std::env::args()
        .skip(1)
        .find(|argument| argument != "--bench")
        .unwrap_or_default();
    let levels = |texts: [&str; 2]| texts.map(|text| text.parse().expect("a legal level"));
    let (full, ways) = (
        levels(["32KiB,full", "1MiB,full"]),
        levels(["32KiB,8way", "1MiB,16way"]),
    );
    println!(
        "{:<28}{:>12}{:>12}{:>12}{:>16}",
        "million accesses per second", "accesses", "alone", "all LRU", "and two levels"
    );
    for (name, size, text) in KERNELS
        .into_iter()
        .filter(|(name, ..)| name.contains(&filter))
    {
        let code = code(text, size);
        let alone = rate(&code, &mut Nothing);
        let all = rate(&code, &mut Simulation::new(&full));
        let both = rate(&code, &mut Simulation::new(&ways));
        println!(
            "{name:<28}{:>12}{:>12.0}{:>12.0}{:>16.0}",
            alone.0, alone.1, all.1, both.1
        );
    }
}

struct Nothing;

impl Sink for Nothing {
    fn take(&mut self, _: &[Access], _: u64) {}
}

/// Accesses, and millions of them a second.
fn rate(code: &Code, sink: &mut dyn Sink) -> (u64, f64) {
    let start = Instant::now();
    let done = run(code, 64, u64::MAX, sink);
    (
        done.accesses,
        done.accesses as f64 / start.elapsed().as_secs_f64() / 1e6,
    )
}

fn code(text: &str, size: i64) -> Code {
    let path: Arc<str> = "kernel.c".into();
    let unit = lower::c::lower(&path, &SourceText::verbatim(&path, text.to_string()));
    let body = analyze_with_bodies(&[unit]).1.remove(0);
    let part = Part::Nest {
        chain: body.loops(),
        own: 0,
        blocks: Blocks::default(),
    };
    let symbol = |name: &str| (name == "n").then_some(size as f64);
    let function = &body.function;
    let source = Source {
        function,
        part,
        symbol: &symbol,
        trips: &|_| 1,
        chance: &|_| Chance::of_all(0.5),
        passed: &|_, _| None,
        most_probed: 5_000_000,
        gap: 0,
    };
    compile(&source).expect("it can be run")
}
