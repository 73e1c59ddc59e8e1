//! Nests that are executed again: what is said to be found in caches is found there by a fully associative cache that
//! drops the least recently used line, on the accesses of the whole program.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use crate::support::command::analysed_text;

const LINE: u64 = 64;
/// The first two caches of the default machine.
const CACHES: [(&str, u64); 2] = [("L1", 32 << 10), ("L2", 512 << 10)];

/// Lines by the time of their last use.
struct Lru {
    lines: u64,
    clock: u64,
    used: HashMap<u64, u64>,
    order: BTreeMap<u64, u64>,
}

impl Lru {
    fn new(bytes: u64) -> Lru {
        Lru {
            lines: bytes / LINE,
            clock: 0,
            used: HashMap::new(),
            order: BTreeMap::new(),
        }
    }

    /// Whether it had to fetch the line.
    fn access(&mut self, line: u64) -> bool {
        self.clock += 1;
        let before = self.used.insert(line, self.clock);
        if let Some(before) = before {
            self.order.remove(&before);
        }
        self.order.insert(self.clock, line);
        if self.used.len() as u64 > self.lines
            && let Some((_, oldest)) = self.order.pop_first()
        {
            self.used.remove(&oldest);
        }
        before.is_none()
    }
}

/// What a program accesses: elements of 8 bytes of arrays, by nests.
#[derive(Default)]
struct Run {
    accesses: Vec<(&'static str, u64)>,
}

impl Run {
    /// A nest goes through so many elements of an array, each array being far from others.
    fn sweep(&mut self, nest: &'static str, array: u64, from: u64, elements: u64) {
        let base = array << 32;
        let all = from..from + elements;
        self.accesses
            .extend(all.map(|at| (nest, (base + 8 * at) / LINE)));
    }

    /// Lines that a cache fetches for each nest.
    fn fetched(&self, bytes: u64) -> BTreeMap<&'static str, f64> {
        let mut cache = Lru::new(bytes);
        let mut fetched = BTreeMap::new();
        for (nest, line) in &self.accesses {
            let count = fetched.entry(*nest).or_insert(0.0);
            *count += f64::from(u8::from(cache.access(*line)));
        }
        fetched
    }
}

/// What is said of the nests of a program: bytes fetched in one call, calls, and calls that find nothing, by cache.
struct Said {
    fetched: [f64; 2],
    calls: f64,
    cold: [f64; 2],
    one_call: f64,
    all_calls: f64,
    low: f64,
    is_open: bool,
}

fn said(text: &str) -> BTreeMap<String, Said> {
    let json = analysed_text("p.c", text, &["--no-config"]);
    let functions = json["functions"].as_array().expect("functions").clone();
    let mut found = BTreeMap::new();
    for function in &functions {
        for nest in function["nests"].as_array().expect("nests") {
            let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
            let calls = number(&nest["calls"]);
            let fetched = |at: usize| number(&nest["caches"][at]["fetched"]);
            let cold = |(name, _): (&str, u64)| {
                let warm = nest["warm_executions"].as_array();
                let warm = warm.and_then(|all| all.iter().find(|one| one["level"] == name));
                calls - warm.map_or(0.0, |one| number(&one["executions"]))
            };
            let said = Said {
                fetched: [0, 1].map(fetched),
                calls,
                cold: CACHES.map(cold),
                one_call: number(&nest["seconds"]),
                all_calls: number(&nest["all_calls_seconds"]),
                low: number(&nest["low_seconds"]),
                is_open: nest["open"]
                    .as_array()
                    .is_some_and(|open| open.iter().any(|one| one == "caches")),
            };
            let name = function["name"].as_str().expect("a name");
            found.insert(name.to_string(), said);
        }
    }
    found
}

/// Compares what is said with the run: never less than it fetches, and as much where it says how many executions are
/// cold. `expected` are the cold ones of each function in both caches.
fn check(text: &str, run: &Run, expected: &[(&str, [f64; 2])]) {
    let said = said(text);
    for (at, (_, bytes)) in CACHES.iter().enumerate() {
        let fetched = run.fetched(*bytes);
        for (name, lines) in &fetched {
            let nest = &said[*name];
            let all = nest.fetched[at] * nest.cold[at] / LINE as f64;
            assert!(
                all >= 0.999 * lines,
                "{name} in {}: {all} and {lines}",
                CACHES[at].0
            );
            if nest.cold[at] < nest.calls {
                assert!(all <= 1.02 * lines + 2.0, "{name}: {all} and {lines}");
            }
        }
    }
    for (name, cold) in expected {
        let nest = &said[*name];
        assert_eq!(nest.cold, *cold, "{name} of {} calls", nest.calls);
        assert!(nest.low <= nest.one_call, "{name}: low");
        match cold[0] < nest.calls {
            true => assert!(nest.all_calls < nest.calls * nest.one_call && !nest.is_open),
            false => assert!(nest.all_calls <= nest.calls * nest.one_call * 1.0001),
        }
    }
}

const RELAX: &str =
    "static void relax(int n, double *u) { for (int i = 0; i < n; i++) u[i] = 0.5 * u[i]; }\n";

/// `relax` with what is around its calls.
fn program(main: &str) -> String {
    format!(
        "#include <stdlib.h>\nstatic double u[100000], v[100000], big[4000000];\nstatic int at[2000];\n{RELAX}{main}"
    )
}

#[test]
fn a_buffer_that_fits_is_fetched_once() {
    let text = program("int main(void) { for (int t = 0; t < 50; t++) relax(2000, u); return 0; }");
    let mut run = Run::default();
    (0..50).for_each(|_| run.sweep("relax", 0, 0, 2000));
    check(&text, &run, &[("relax", [1.0, 1.0])]);
}

#[test]
fn one_that_fits_the_second_cache_is_fetched_from_there() {
    let text =
        program("int main(void) { for (int t = 0; t < 20; t++) relax(10000, u); return 0; }");
    let mut run = Run::default();
    (0..20).for_each(|_| run.sweep("relax", 0, 0, 10000));
    check(&text, &run, &[("relax", [20.0, 1.0])]);
}

#[test]
fn data_that_others_touch_take_room() {
    let text = program(
        "static void other(double *w) { for (int i = 0; i < 3000; i++) w[i] += 1.0; }
         int main(void) { for (int t = 0; t < 20; t++) { relax(2000, u); other(v); } return 0; }",
    );
    let mut run = Run::default();
    for _ in 0..20 {
        run.sweep("relax", 0, 0, 2000);
        run.sweep("other", 1, 0, 3000);
    }
    check(
        &text,
        &run,
        &[("relax", [20.0, 1.0]), ("other", [20.0, 1.0])],
    );
}

#[test]
fn a_window_that_moves_is_always_new() {
    let text = program(
        "int main(void) { for (int t = 0; t < 50; t++) relax(2000, big + 2000 * t); return 0; }",
    );
    let mut run = Run::default();
    (0..50).for_each(|t| run.sweep("relax", 0, 2000 * t, 2000));
    check(&text, &run, &[("relax", [50.0, 50.0])]);
}

#[test]
fn windows_that_come_again_are_found_again() {
    let text = program(
        "int main(void) { for (int t = 0; t < 20; t++) for (int k = 0; k < 8; k++) relax(2000, big + 2000 * k); return 0; }",
    );
    let mut run = Run::default();
    for _ in 0..20 {
        (0..8).for_each(|k| run.sweep("relax", 0, 2000 * k, 2000));
    }
    check(&text, &run, &[("relax", [160.0, 8.0])]);
}

#[test]
fn a_table_stays_while_other_data_stream_by() {
    let text = program(
        "int main(void) { for (int t = 0; t < 200; t++) { relax(2000, u); for (int i = 0; i < 1000; i++) big[1000*t+i] = 1.0; } return 0; }",
    );
    let mut run = Run::default();
    for t in 0..200 {
        run.sweep("relax", 0, 0, 2000);
        run.sweep("main", 1, 1000 * t, 1000);
    }
    check(&text, &run, &[("relax", [1.0, 1.0])]);
}

#[test]
fn loops_further_out_count() {
    let text = program(
        "static void step(int n, double *x) { for (int k = 0; k < 5; k++) relax(n, x); }
         int main(void) { for (int t = 0; t < 20; t++) { step(2000, u); relax(40000, v); } return 0; }",
    );
    let mut run = Run::default();
    for _ in 0..20 {
        (0..5).for_each(|_| run.sweep("relax", 0, 0, 2000));
        run.sweep("relax", 1, 0, 40000);
    }
    // Of five calls one is cold in L1, but that of v always; all of both fits L2.
    let said = said(&text);
    assert_eq!(said["relax"].calls, 120.0);
    assert!(said["relax"].cold[0] >= 40.0 && said["relax"].cold[1] >= 2.0);
    let _ = run;
}

#[test]
fn what_is_not_shown_to_be_the_same_is_cold() {
    for main in [
        // Another one each time.
        "int main(void) { double *p = u, *q = v; for (int t = 0; t < 50; t++) { relax(2000, p); double *s = p; p = q; q = s; } return 0; }",
        // A size that grows.
        "int main(void) { for (int t = 0; t < 50; t++) relax(20 * t, u); return 0; }",
        // Nobody knows what is called.
        "void more(double *); int main(void) { for (int t = 0; t < 50; t++) { relax(2000, u); more(v); } return 0; }",
        // Not in each iteration.
        "int main(void) { for (int t = 0; t < 50; t++) { if (v[t] > 0.0) relax(2000, u); for (int i = 0; i < 1000; i++) big[1000*t+i] = 1.0; } return 0; }",
        // A pointer in memory.
        "struct s { double *p; }; int main(void) { struct s *a = malloc(8); for (int t = 0; t < 50; t++) { relax(2000, a->p); a->p = t % 2 ? u : v; } return 0; }",
        // Once.
        "int main(void) { relax(2000, u); return 0; }",
    ] {
        let text = program(main);
        let found = said(&text);
        let nest = &found["relax"];
        assert_eq!(nest.cold, [nest.calls; 2], "{main}");
    }
    // Which elements is data.
    let text = "static double u[100000]; static int at[2000];
        static void take(int n, double *x) { for (int i = 0; i < n; i++) x[at[i]] += 1.0; }
        int main(void) { for (int t = 0; t < 50; t++) take(2000, u); return 0; }";
    let found = said(text);
    assert_eq!(found["take"].cold, [50.0; 2]);
}

/// Processes have memory of their own: no other core takes lines from a cache. Threads do.
#[test]
fn data_stay_in_the_caches_of_a_process() {
    let text = program(
        "void MPI_Init(int *, char ***);
         int main(void) { MPI_Init(0, 0); for (int t = 0; t < 50; t++) relax(2000, u); return 0; }",
    );
    assert_eq!(said(&text)["relax"].cold, [1.0, 1.0]);
    let threads = format!("void f(int *x) {{\n#pragma omp parallel\n *x = 1;\n}}\n{text}");
    assert_eq!(said(&threads)["relax"].cold, [50.0, 50.0]);
}

/// A branch that is always taken is none, and functions that only compute take no room.
#[test]
fn branches_that_are_always_taken_and_functions_that_compute_hide_nothing() {
    let cold = |inside: &str| {
        let main = format!(
            "#include <math.h>
int main(void) {{ for (int t = 0; t < 50; t++) {{ {inside} relax(2000, u); }} return 0; }}"
        );
        said(&program(&main))["relax"].cold
    };
    assert_eq!(cold("double x = cos(0.5 * t);"), [1.0, 1.0]);
    assert_eq!(cold("if (1)"), [1.0, 1.0]);
    assert_eq!(cold("if (v[t] > 0)"), [25.0, 25.0]);
}
