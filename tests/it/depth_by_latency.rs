//! T∞ as a function of the latency against the longest path at one latency after the other.

use std::fs;

use crate::random_programs::{
    Edge, Executed, Random, Regions, Wait, edges, program, repeated_program,
};
use crate::support::command::{self, loopsheet};
use crate::support::settings::edag_only;
use loopsheet_cache::CacheSpec;
use loopsheet_dataflow::{MemoryRule, Rules};
use loopsheet_metrics::analysis::Analysis;
use loopsheet_metrics::by_latency::DepthByLatency;
use loopsheet_metrics::costs::Costs;
use loopsheet_metrics::counted::Counted;
use loopsheet_metrics::settings::{RemoteSettings, Settings};
use loopsheet_trace::{Instruction, Options, UnknownPolicy, decompressed, stream};

const LATENCIES: usize = 100;
const OPTIONS: Options = Options {
    format: None,
    unknown: UnknownPolicy::Refuse,
};

pub fn rules(false_dependences: bool) -> Rules {
    Rules {
        memory: MemoryRule::Bytes,
        false_dependences,
    }
}

fn settings(false_dependences: bool) -> Settings {
    Settings {
        by_latency: true,
        ..edag_only(rules(false_dependences))
    }
}

pub fn counted(
    trace: &[u8],
    settings: Settings,
    region_of: Option<&mut dyn FnMut(&Instruction) -> u32>,
) -> Counted {
    let mut analysis = Analysis::new(settings, region_of).expect("settings");
    stream(
        decompressed(trace).expect("a trace"),
        OPTIONS,
        &mut analysis,
    )
    .expect("a trace");
    analysis.finish(true)
}

pub fn text(program: &[Executed]) -> String {
    (program.iter())
        .map(|executed| executed.line.clone() + "\n")
        .collect()
}

/// Cycles of the classes in [`COSTS`], by mnemonic.
const COSTS: &str = "[cycles]\nothers = 2\nmultiply = 9\nload = 3\nbranch = 0\n";

fn cost(executed: &Executed) -> u64 {
    let text = executed.line.split(';').nth(2).expect("the text");
    match text.split(' ').next().expect("a mnemonic") {
        "mulw" => 9,
        "lb" | "lhu" | "lw" | "lwu" | "ld" => 3,
        "bne" => 0,
        _ => 2,
    }
}

/// Latencies in eighths of a cycle: small ones, where pieces meet, and a few far out.
fn latencies(random: &mut Random) -> Vec<u64> {
    let near = 0..LATENCIES as u64 * 3 / 4;
    let far = (0..LATENCIES / 4).map(|_| random.below(1 << 20));
    near.map(|step| 3 * step).chain(far).collect()
}

/// The longest path in eighths of a cycle, vertex by vertex.
pub fn longest_path(incoming: &[Vec<Edge>], weights: &[u64]) -> u64 {
    let mut start = vec![0; weights.len()];
    for (to, edges) in incoming.iter().enumerate() {
        let ready = edges.iter().map(|edge| match edge.waits_for {
            Wait::Value | Wait::LastWrite => start[edge.from] + weights[edge.from],
            Wait::StartOfReader => start[edge.from],
        });
        start[to] = ready.max().unwrap_or(0);
    }
    let ends = start.iter().zip(weights).map(|(start, own)| start + own);
    ends.max().unwrap_or(0)
}

pub fn incoming(edges: &[Edge], vertices: usize) -> Vec<Vec<Edge>> {
    let mut incoming = vec![Vec::new(); vertices];
    for edge in edges {
        incoming[edge.to].push(*edge);
    }
    incoming
}

pub fn assert_equal_at(depth: &DepthByLatency, eighths: u64, expected: u64, what: &str) {
    // Exact: eighths of a cycle are binary fractions.
    let found = 8.0 * depth.at(eighths as f64 / 8.0);
    assert_eq!(found, expected as f64, "α = {eighths}/8, {depth:?}, {what}");
}

/// Slopes ascend, and each piece is above all others somewhere: none is there for nothing.
pub fn assert_minimal(depth: &DepthByLatency, what: &str) {
    for (number, pair) in depth.pieces.windows(2).enumerate() {
        assert!(
            pair[0].slope < pair[1].slope && pair[0].intercept > pair[1].intercept,
            "{what}"
        );
        assert!(depth.from(number) < depth.from(number + 1), "{what}");
    }
}

#[test]
fn ten_thousand_random_programs_at_a_hundred_latencies() {
    let costs = Costs::parse(COSTS).expect("costs");
    let mut longest = 0;
    for seed in 0..10_500 {
        let mut random = Random::new(seed);
        let (length, harts) = (1 + random.below(60) as usize, 1 + random.below(2) as usize);
        // The last ones have blocks that are executed again and again.
        let program = match seed {
            ..10_000 => program(&mut random, length, harts),
            _ => repeated_program(&mut random, 20, harts),
        };
        let length = program.len();
        let has_costs = seed % 2 == 0;
        let false_dependences = seed % 4 < 2;
        let asked = Settings {
            costs: if has_costs {
                costs.clone()
            } else {
                Costs::default()
            },
            ..settings(false_dependences)
        };
        let found = counted(text(&program).as_bytes(), asked.clone(), None);
        let plain = Settings {
            by_latency: false,
            ..asked
        };
        let plain = counted(text(&program).as_bytes(), plain, None);
        assert_eq!(found.edag, plain.edag, "seed {seed}");
        assert_eq!(found.movement, plain.movement, "seed {seed}");
        let depth = found.depth_by_latency.expect("it was asked for");
        let what = format!("seed {seed}");
        assert_minimal(&depth, &what);
        longest = longest.max(depth.pieces.len());
        let incoming = incoming(&edges(&program, false_dependences), length);
        for eighths in latencies(&mut random) {
            let weight = |executed: &Executed| match executed.accesses_memory {
                true => eighths,
                false if has_costs => 8 * cost(executed),
                false => 8,
            };
            let weights: Vec<u64> = program.iter().map(weight).collect();
            let expected = longest_path(&incoming, &weights);
            assert_equal_at(&depth, eighths, expected, &what);
        }
        // The ends of the curve are known by other names.
        let memory = plain.edag.memory.expect("addresses");
        let (first, last) = (depth.pieces[0], depth.pieces[depth.pieces.len() - 1]);
        assert_eq!(first.intercept, memory.non_memory_span, "{what}");
        assert_eq!(last.slope, memory.depth, "{what}");
    }
    assert!(longest >= 4, "no envelope had more than {longest} pieces");
}

/// The depth at two latencies, by the lanes of the what-if of remote accesses: another way through the same trace.
fn at_two(trace: &[u8], settings: &Settings, latency: u64, delay: u64) -> (u64, u64) {
    let remote = RemoteSettings {
        share: 0.5,
        delay,
        latency,
        trials: 1,
        seed: 1,
    };
    let asked = Settings {
        remote: Some(remote),
        by_latency: false,
        ..settings.clone()
    };
    let found = counted(trace, asked, None).remote.expect("asked for");
    (found.local, found.all_remote)
}

#[test]
fn all_samples_at_a_hundred_latencies() {
    let directory = command::root().join("samples/traces");
    let mut seen = 0;
    for entry in fs::read_dir(directory).expect("the samples") {
        let path = entry.expect("a file").path();
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        if ![".zst", ".edan", ".edan-bare", ".execlog", ".spike"]
            .iter()
            .any(|end| name.ends_with(end))
        {
            continue;
        }
        seen += 1;
        let trace = fs::read(&path).expect("a sample");
        let asked = Settings {
            caches: vec!["1KiB,2way".parse::<CacheSpec>().expect("a cache")],
            ..settings(false)
        };
        let found = counted(&trace, asked.clone(), None);
        let depth = found.depth_by_latency.expect("it was asked for");
        let plain = Settings {
            by_latency: false,
            ..asked.clone()
        };
        let plain = counted(&trace, plain, None);
        assert_eq!(found.edag, plain.edag, "{name}");
        assert_eq!(found.movement, plain.movement, "{name}");
        assert_minimal(&depth, &name);
        for number in 0..LATENCIES as u64 / 2 {
            let (latency, delay) = (number * number, 7 + 11 * number);
            let (near, far) = at_two(&trace, &asked, latency, delay);
            assert_equal_at(&depth, 8 * latency, 8 * near, &name);
            assert_equal_at(&depth, 8 * (latency + delay), 8 * far, &name);
        }
    }
    assert!(seen >= 12, "{seen} samples");
}

/// Long enough that shapes are forgotten again and again.
#[test]
fn a_long_random_program() {
    let costs = Costs::parse(COSTS).expect("costs");
    let program = program(&mut Random::new(3), 60_000, 2);
    let trace = text(&program);
    for false_dependences in [false, true] {
        let asked = Settings {
            costs: costs.clone(),
            caches: vec!["64B,2way,8B,lru".parse::<CacheSpec>().expect("a cache")],
            ..settings(false_dependences)
        };
        let found = counted(trace.as_bytes(), asked.clone(), None);
        let depth = found.depth_by_latency.expect("it was asked for");
        for number in 0..6_u64 {
            let (latency, delay) = (number * number, 1 + 31 * number);
            let (near, far) = at_two(trace.as_bytes(), &asked, latency, delay);
            let what = format!("false dependences {false_dependences}");
            assert_equal_at(&depth, 8 * latency, 8 * near, &what);
            assert_equal_at(&depth, 8 * (latency + delay), 8 * far, &what);
        }
    }
}

/// A region's curve is that of the graph of its own vertices.
#[test]
fn regions_have_curves_of_their_own() {
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let program = program(&mut random, 60, 1);
        let region = |pc: u64| (pc / 16 % 3) as u32;
        let mut regions = Regions::default();
        let mut region_of =
            |instruction: &Instruction| regions.number(region(instruction.pc.expect("a pc")));
        let found = counted(
            text(&program).as_bytes(),
            settings(false),
            Some(&mut region_of),
        );
        let all = edges(&program, false);
        for (number, counted) in regions.order.iter().zip(&found.regions) {
            let depth = counted.detail.depth_by_latency.as_ref().expect("asked for");
            let is_own = |vertex: usize| region(program[vertex].pc) == *number;
            let own = all
                .iter()
                .filter(|edge| is_own(edge.from) && is_own(edge.to));
            let own: Vec<Edge> = own.copied().collect();
            let incoming = incoming(&own, program.len());
            for eighths in latencies(&mut random).into_iter().step_by(9) {
                let weight = |(vertex, executed): (usize, &Executed)| match is_own(vertex) {
                    false => 0,
                    true if executed.accesses_memory => eighths,
                    true => 8,
                };
                let weights: Vec<u64> = program.iter().enumerate().map(weight).collect();
                let expected = longest_path(&incoming, &weights);
                assert_equal_at(depth, eighths, expected, &format!("seed {seed}"));
            }
        }
    }
}

/// Two loads in a chain beside four additions in a chain: 4 cycles up to a latency of 2, then two loads. At 10 there are
/// 20 cycles; 21 are reached at 10.5, 22 at 11, 30 at 15.
#[test]
fn a_chain_of_loads_beside_a_chain_of_additions() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("two chains.edan");
    let lines = "0;0x10;ld a0,0(a1);0x1000\n0;0x14;ld a0,0(a0);0x2000\n".to_string()
        + &"0;0x18;addi a2,a2,1\n".repeat(4);
    fs::write(&path, lines).expect("a trace");
    let mut command = loopsheet();
    command.arg("trace").arg(&path);
    command.args(["--by-latency", "--latency", "10", "--json", "-"]);
    let report = command::printed(&mut command);
    assert_eq!(
        report["depth_by_latency"],
        serde_json::json!([
            {"from": 0, "slope": 0, "intercept": 4},
            {"from": 2, "slope": 2, "intercept": 0}
        ])
    );
    assert_eq!(
        report["latency_tolerance"],
        serde_json::json!({
            "latency": 10, "depth": 20, "memory_depth": 2,
            "growth": [
                {"percent": 1, "latency": 10.1},
                {"percent": 5, "latency": 10.5},
                {"percent": 10, "latency": 11},
                {"percent": 50, "latency": 15}
            ]
        })
    );
    let mut table = loopsheet();
    table.arg("trace").arg(&path);
    table.args(["--by-latency", "--latency", "10"]);
    let table = table.output().expect("it runs").stdout;
    let table = String::from_utf8(table).expect("text");
    assert!(table.contains("2·α + 0"), "{table}");
    assert!(table.contains("5 % longer at α = 10.5"), "{table}");
}

/// What needs addresses is refused without them.
#[test]
fn without_addresses_it_is_refused() {
    let path = command::root().join("samples/traces/factorial.gdb");
    let mut command = loopsheet();
    let output = command.arg("trace").arg(path).arg("--by-latency");
    let output = output.output().expect("it runs");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("--by-latency needs the addresses"), "{said}");
}
