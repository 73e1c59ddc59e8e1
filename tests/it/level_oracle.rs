//! Cache levels against literal enumeration: every access of a nest, one by one, through stack distances
//! (guide: static-model, "The refined rule: reuse").

use crate::support::programs::{expr, function, program, settings};
use loopsheet_analysis::facts::{
    Access, AccessClass, Block, Component, ElementType, Item, Loop, Program, Stream, Subscript,
};
use loopsheet_analysis::loop_variable::LoopVariable;
use loopsheet_analysis::merge_stream;
use loopsheet_cache::StackDistances;
use loopsheet_expr::{Expr, Lookup, Symbol};
use loopsheet_machine::MachineModel;
use loopsheet_model::{Detail, Model};

const LINE: u64 = 64;
const WORD: i64 = 8;

/// A nest: loops from outside as (variable, first, last, step), and references (array, subscripts in
/// storage order, whether it writes). Arrays have `n` elements in every dimension, 0 being the first.
struct Case {
    name: String,
    loops: Vec<(&'static str, String, String, String)>,
    references: Vec<(&'static str, Vec<String>, bool)>,
}

fn case(
    name: &str,
    loops: &[[&'static str; 4]],
    references: &[(&'static str, &[&str], bool)],
) -> Case {
    let text = |subscripts: &&[&str]| subscripts.iter().map(ToString::to_string).collect();
    Case {
        name: name.to_string(),
        loops: loops
            .iter()
            .map(|[v, a, b, s]| (*v, a.to_string(), b.to_string(), s.to_string()))
            .collect(),
        references: references
            .iter()
            .map(|(array, subscripts, writes)| (*array, text(subscripts), *writes))
            .collect(),
    }
}

/// A stencil of a radius in two or three dimensions, from one array to another.
fn stencil(dimensions: usize, radius: i64, is_box: bool) -> Case {
    let variables = &["k", "j", "i"][3 - dimensions..];
    let loops = variables
        .iter()
        .map(|v| {
            (
                *v,
                radius.to_string(),
                format!("n - {}", radius + 1),
                "1".into(),
            )
        })
        .collect();
    let place = |offset: &[i64]| {
        variables
            .iter()
            .rev()
            .zip(offset)
            .map(|(v, o)| format!("{v} + {o}"))
            .collect()
    };
    let width = 2 * radius + 1;
    let mut references = Vec::new();
    for index in 0..width.pow(dimensions as u32) {
        let offset: Vec<i64> = (0..dimensions as u32)
            .map(|d| index / width.pow(d) % width - radius)
            .collect();
        if is_box || offset.iter().filter(|o| **o != 0).count() <= 1 {
            references.push(("a", place(&offset), false));
        }
    }
    references.push(("b", place(&vec![0; dimensions]), true));
    let shape = if is_box { "box" } else { "star" };
    Case {
        name: format!("{shape} of radius {radius} in {dimensions}-D"),
        loops,
        references,
    }
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for radius in 1..=4 {
        for (dimensions, is_box) in [(2, false), (2, true), (3, false), (3, true)] {
            if !is_box || dimensions == 2 || radius == 1 {
                cases.push(stencil(dimensions, radius, is_box));
            }
        }
    }
    let (i, j, k) = (
        ["i", "0", "n - 1", "1"],
        ["j", "0", "n - 1", "1"],
        ["k", "0", "n - 1", "1"],
    );
    cases.push(case(
        "copy, transposed",
        &[i, j],
        &[("a", &["j", "i"], false), ("b", &["i", "j"], true)],
    ));
    let vector: &[(_, &[&str], _)] = &[
        ("y", &["i"], false),
        ("a", &["j", "i"], false),
        ("x", &["j"], false),
        ("y", &["i"], true),
    ];
    cases.push(case("matrix times vector", &[i, j], vector));
    let multiply: &[(_, &[&str], _)] = &[
        ("c", &["j", "i"], false),
        ("a", &["k", "i"], false),
        ("b", &["j", "k"], false),
        ("c", &["j", "i"], true),
    ];
    cases.push(case("matrix multiply i, j, k", &[i, j, k], multiply));
    cases.push(case("matrix multiply i, k, j", &[i, k, j], multiply));
    let tiles = |v: &'static str| [v, "0", "n - 1", "16"];
    let inside = [
        ["i", "ii", "min(ii + 15, n - 1)", "1"],
        ["k", "kk", "min(kk + 15, n - 1)", "1"],
        ["j", "jj", "min(jj + 15, n - 1)", "1"],
    ];
    let tiled = [
        tiles("ii"),
        tiles("kk"),
        tiles("jj"),
        inside[0],
        inside[1],
        inside[2],
    ];
    cases.push(case("matrix multiply in tiles", &tiled, multiply));
    let lower = [i, ["j", "0", "i", "1"], k];
    let update: &[(_, &[&str], _)] = &[
        ("c", &["j", "i"], false),
        ("a", &["k", "i"], false),
        ("a", &["k", "j"], false),
        ("c", &["j", "i"], true),
    ];
    cases.push(case("symmetric update, triangular", &lower, update));
    let solve: &[(_, &[&str], _)] = &[
        ("a", &["j", "i"], false),
        ("x", &["j"], false),
        ("x", &["i"], true),
    ];
    cases.push(case(
        "triangular solve",
        &[i, ["j", "0", "i - 1", "1"]],
        solve,
    ));
    let t = ["t", "1", "4", "1"];
    let inner = [["i", "1", "n - 2", "1"], ["j", "1", "n - 2", "1"]];
    let smooth: &[(_, &[&str], _)] = &[
        ("a", &["j", "i - 1"], false),
        ("a", &["j - 1", "i"], false),
        ("a", &["j + 1", "i"], false),
        ("a", &["j", "i + 1"], false),
        ("a", &["j", "i"], true),
    ];
    cases.push(case(
        "in place, four sweeps",
        &[t, inner[0], inner[1]],
        smooth,
    ));
    cases
}

impl Case {
    fn program(&self) -> Program {
        let variables: Vec<&str> = self.loops.iter().map(|(v, ..)| *v).collect();
        let mut streams = Vec::new();
        for (array, subscripts, writes) in &self.references {
            let mut offsets = Vec::new();
            let subscripts: Vec<Subscript> = (subscripts.iter())
                .map(|text| {
                    let linear = expr(text).linear_in(&variables).expect("affine");
                    offsets.push(linear.rest.as_integer().expect("a number"));
                    let terms = variables
                        .iter()
                        .zip(linear.coefficients)
                        .filter(|(_, c)| !c.is_zero());
                    let terms = terms.map(|(v, c)| (v.to_string(), c)).collect();
                    Subscript {
                        terms,
                        base: Expr::from(0.0),
                        gather: None,
                    }
                })
                .collect();
            let access = Access {
                offset: offsets,
                reads: u64::from(!writes),
                writes: u64::from(*writes),
            };
            let class = if *writes {
                AccessClass::WriteOnly
            } else {
                AccessClass::ReadOnly
            };
            let extents = vec![Some((expr("0"), expr("n - 1"))); subscripts.len()];
            let array = (*array).into();
            let (component, ty) = (Component::default(), ElementType::Real(8));
            let element_bytes = Some(WORD as u32);
            let accesses = vec![access];
            merge_stream(
                &mut streams,
                Stream {
                    array,
                    component,
                    ty,
                    element_bytes,
                    class,
                    subscripts,
                    accesses,
                    extents,
                    held: Vec::new(),
                },
            );
        }
        let mut body = Block {
            streams,
            ..Block::default()
        };
        for (variable, lower, upper, step) in self.loops.iter().rev() {
            let facts = Loop {
                id: format!("f@{variable}"),
                file: "f.c".into(),
                line: 1,
                end_line: 9,
                variable: LoopVariable::of_source(variable.to_string()),
                lower: expr(lower),
                upper: expr(upper),
                step: expr(step),
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
            };
            body = Block {
                items: vec![Item::Loop(Box::new(facts))],
                ..Block::default()
            };
        }
        let Some(Item::Loop(outermost)) = body.items.pop() else {
            panic!("at least one loop")
        };
        program(vec![function("f", "f.c", &[], vec![*outermost])])
    }

    /// Runs the nest.
    fn run(&self, n: i64) -> Lines {
        let mut arrays: Vec<&str> = self.references.iter().map(|(array, ..)| *array).collect();
        arrays.sort_unstable();
        arrays.dedup();
        let loops: Vec<(Expr, Expr, i64)> = (self.loops.iter())
            .map(|(_, lower, upper, step)| {
                (
                    expr(lower),
                    expr(upper),
                    expr(step).as_integer().expect("a number"),
                )
            })
            .collect();
        let names: Vec<&str> = self.loops.iter().map(|(v, ..)| *v).collect();
        // Addresses as base and coefficients of the variables.
        let references: Vec<(i64, Vec<i64>, bool)> = (self.references.iter())
            .map(|(array, subscripts, writes)| {
                let array = arrays.iter().position(|a| a == array).expect("known") as i64;
                let (mut base, mut moves) = (FIRST + (array << ARRAY), vec![0; names.len()]);
                for (d, text) in subscripts.iter().enumerate() {
                    let pitch = WORD * n.pow(d as u32);
                    let linear = expr(text).linear_in(&names).expect("affine");
                    base += pitch * linear.rest.as_integer().expect("a number");
                    for (sum, c) in moves.iter_mut().zip(linear.coefficients) {
                        *sum += pitch * c.as_integer().expect("a number");
                    }
                }
                (base, moves, *writes)
            })
            .collect();
        let mut lines = Lines::new();
        visit(&loops, &names, n, &mut Vec::new(), &mut |values| {
            for (base, moves, writes) in &references {
                // Tests are not optimised, and this is done many million times: no iterators here.
                let (mut address, mut at) = (*base, 0);
                while at < moves.len() {
                    address += moves[at] * values[at];
                    at += 1;
                }
                lines.touch(address as u64 / LINE, *writes);
            }
        });
        lines
    }
}

fn visit(
    loops: &[(Expr, Expr, i64)],
    names: &[&str],
    n: i64,
    values: &mut Vec<i64>,
    body: &mut dyn FnMut(&[i64]),
) {
    let Some(((lower, upper, step), inner)) = loops.split_first() else {
        return body(values);
    };
    let value = |bound: &Expr, values: &[i64]| {
        let known = |symbol: &Symbol| match names.iter().position(|v| *v == symbol.name()) {
            Some(position) => values.get(position).map(|v| *v as f64),
            None => Some(n as f64),
        };
        bound
            .evaluate(&known as &dyn Lookup)
            .expect("all values are known") as i64
    };
    let last = value(upper, values);
    let mut at = value(lower, values);
    while at <= last {
        values.push(at);
        visit(inner, names, n, values, body);
        values.pop();
        at += step;
    }
}

/// Where the first array begins, and the bits of an address that say which one it is in.
const FIRST: i64 = 1 << 20;
const ARRAY: u32 = 32;

/// How often something had each distance; what never was before has none.
#[derive(Default)]
struct Counts {
    by_distance: Vec<u64>,
    without: u64,
}

impl Counts {
    fn add(&mut self, distance: Option<u64>) {
        let Some(distance) = distance else {
            self.without += 1;
            return;
        };
        let at = distance as usize;
        if at >= self.by_distance.len() {
            self.by_distance.resize(at + 1, 0);
        }
        self.by_distance[at] += 1;
    }

    /// Of that distance or larger.
    fn from(&self, distance: u64) -> u64 {
        let near = self.by_distance.len().min(distance as usize);
        self.without + self.by_distance[near..].iter().sum::<u64>()
    }
}

/// Fetches and write-backs by the number of lines that a cache must have to avoid them.
struct Lines {
    distances: StackDistances,
    fetched: Counts,
    written: Counts,
    /// The largest distance of each line since it was written, by array and line in it.
    since_write: Vec<Vec<Option<u64>>>,
}

impl Lines {
    fn new() -> Lines {
        let distances = StackDistances::new(LINE).expect("a line");
        Lines {
            distances,
            fetched: Counts::default(),
            written: Counts::default(),
            since_write: Vec::new(),
        }
    }

    fn touch(&mut self, line: u64, writes: bool) {
        let distance = self.distances.touch(line);
        self.fetched.add(distance);
        let array = ((line * LINE) >> ARRAY) as usize;
        let at = (((line * LINE) & ((1 << ARRAY) - 1)) / LINE - FIRST as u64 / LINE) as usize;
        if array >= self.since_write.len() {
            self.since_write.resize_with(array + 1, Vec::new);
        }
        let lines = &mut self.since_write[array];
        if at >= lines.len() {
            lines.resize(at + 1, None);
        }
        if let Some(largest) = &mut lines[at] {
            *largest = distance.unwrap_or(u64::MAX).max(*largest);
        }
        if writes {
            // Dirty once more, unless it stayed since it was.
            let largest = lines[at].replace(0);
            self.written.add(largest);
        }
    }

    /// Bytes that a cache of so many bytes moves.
    fn through(&self, bytes: f64) -> f64 {
        let lines = (bytes / LINE as f64) as u64;
        ((self.fetched.from(lines) + self.written.from(lines)) * LINE) as f64
    }
}

#[test]
fn traffic_is_that_of_the_accesses_one_by_one() {
    let (mut all, mut within_5, mut within_20, mut far) = (0, 0, 0, Vec::new());
    for case in cases() {
        let program = case.program();
        for n in [40, 64, 100] {
            if n == 100 && case.loops.len() > 2 && case.references.len() > 12 {
                continue;
            }
            let machine = MachineModel::preset("exasat").expect("a preset");
            let size = n.to_string();
            let model = Model::with(
                &program,
                machine,
                &settings(&[("n", &size)]),
                Detail::Values,
            )
            .expect("sound");
            let lines = case.run(n);
            for kib in [4, 8, 16, 32, 64, 128, 256, 512] {
                let capacity = f64::from(kib) * 1024.0;
                let predicted = |capacity: f64| model.predict(0, capacity).bytes;
                let steps = |moved: &dyn Fn(f64) -> f64| {
                    moved(capacity / 1.1) > 1.05 * moved(capacity * 1.1)
                };
                if steps(&predicted) || steps(&|capacity| lines.through(capacity)) {
                    continue;
                }
                let error = predicted(capacity) / lines.through(capacity) - 1.0;
                all += 1;
                within_5 += u32::from(error.abs() <= 0.05);
                within_20 += u32::from(error.abs() <= 0.2);
                if error.abs() > 0.05 {
                    far.push(format!(
                        "{}, n = {n}, {kib} KiB: {:+.1} %",
                        case.name,
                        100.0 * error
                    ));
                }
            }
        }
    }
    let report = format!(
        "{within_5} of {all} within 5 %, {within_20} within 20 %\n{}",
        far.join("\n")
    );
    assert!(all > 350, "{report}");
    assert!(f64::from(within_5) >= 0.95 * f64::from(all), "{report}");
    assert!(f64::from(within_20) >= 0.99 * f64::from(all), "{report}");
}

/// What everything once costs is exact where rows begin at lines and ranges are constant.
#[test]
fn cold_traffic_of_aligned_rows_is_exact() {
    for case in cases().iter().filter(|case| {
        case.loops
            .iter()
            .all(|(_, lower, ..)| lower.parse::<i64>().is_ok())
    }) {
        let program = case.program();
        for n in [40, 64] {
            let machine = MachineModel::preset("exasat").expect("a preset");
            let size = n.to_string();
            let model = Model::with(
                &program,
                machine,
                &settings(&[("n", &size)]),
                Detail::Values,
            )
            .expect("sound");
            let everything = 1e12;
            if case
                .loops
                .iter()
                .any(|(_, _, upper, _)| upper.contains('i'))
            {
                continue;
            }
            assert_eq!(
                model.predict(0, everything).bytes,
                case.run(n).through(everything),
                "{}, n = {n}",
                case.name
            );
        }
    }
}
