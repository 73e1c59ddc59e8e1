//! T∞ as a function of the time that a byte takes against the longest path at one time after the other.

use std::fs;

use crate::depth_by_latency::{
    assert_equal_at, assert_minimal, counted, incoming, longest_path, rules, text,
};
use crate::random_programs::{Edge, Executed, Random, Regions, edges, program, repeated_program};
use crate::support::command::{self, loopsheet};
use crate::support::settings::edag_only;
use loopsheet_cache::{AccessKind, CacheSpec, Hierarchy, Served};
use loopsheet_metrics::settings::Settings;
use loopsheet_trace::Instruction;

/// What an instruction accesses: bytes, and how.
fn access(mnemonic: &str) -> (u32, AccessKind) {
    match mnemonic {
        "lb" => (1, AccessKind::Load),
        "lhu" => (2, AccessKind::Load),
        "lw" | "lwu" | "flw" | "lr.w" => (4, AccessKind::Load),
        "ld" | "fld" => (8, AccessKind::Load),
        "sb" => (1, AccessKind::Store),
        "sh" => (2, AccessKind::Store),
        "sw" => (4, AccessKind::Store),
        "sd" | "fsd" | "sc.d" => (8, AccessKind::Store),
        "amoadd.w" => (4, AccessKind::Atomic),
        "amoswap.d.aqrl" => (8, AccessKind::Atomic),
        other => panic!("{other} accesses nothing"),
    }
}

/// Bytes that each instruction moves if it goes to RAM.
fn moved(program: &[Executed], caches: &[CacheSpec]) -> Vec<Option<u64>> {
    let mut hierarchy = (!caches.is_empty()).then(|| Hierarchy::new(caches).expect("caches"));
    let of = |executed: &Executed| {
        let fields: Vec<&str> = executed.line.split(';').collect();
        if !executed.accesses_memory {
            return None;
        }
        let (bytes, kind) = access(fields[2].split(' ').next().expect("a mnemonic"));
        let address = fields[3].strip_prefix("0x").expect("an address");
        let address = u64::from_str_radix(address, 16).expect("an address");
        match &mut hierarchy {
            None => Some(u64::from(bytes) * if kind == AccessKind::Atomic { 2 } else { 1 }),
            Some(hierarchy) => {
                let outcome = hierarchy.access(address, bytes, kind);
                (outcome.served == Served::Memory).then_some(outcome.ram_bytes)
            }
        }
    };
    program.iter().map(of).collect()
}

fn settings(false_dependences: bool, latency: u64, caches: &[CacheSpec]) -> Settings {
    Settings {
        by_bandwidth: Some(latency),
        by_latency: true,
        caches: caches.to_vec(),
        ..edag_only(rules(false_dependences))
    }
}

/// Times of a byte in eighths of a cycle: small ones, where pieces meet, and a few far out.
fn times(random: &mut Random) -> Vec<u64> {
    let far = (0..8).map(|_| random.below(1 << 20));
    (0..48).chain(far).collect()
}

#[test]
fn random_programs_at_many_times_of_a_byte() {
    let cache: CacheSpec = "64B,2way,8B,lru".parse().expect("a cache");
    let mut most_pieces = 0;
    for seed in 0..4_000 {
        let mut random = Random::new(seed);
        let (length, harts) = (1 + random.below(60) as usize, 1 + random.below(2) as usize);
        let program = match seed % 8 {
            0 => repeated_program(&mut random, 20, harts),
            _ => program(&mut random, length, harts),
        };
        let false_dependences = seed % 4 < 2;
        let caches = if seed % 2 == 0 {
            Vec::new()
        } else {
            vec![cache]
        };
        let latency = random.below(30);
        let found = counted(
            text(&program).as_bytes(),
            settings(false_dependences, latency, &caches),
            None,
        );
        let depth = found.depth_by_bandwidth.expect("it was asked for");
        let what = format!("seed {seed}");
        assert_minimal(&depth, &what);
        most_pieces = most_pieces.max(depth.pieces.len());
        let moved = moved(&program, &caches);
        let incoming = incoming(&edges(&program, false_dependences), program.len());
        for eighths in times(&mut random) {
            let weight = |moved: &Option<u64>| match moved {
                Some(bytes) => 8 * latency + eighths * bytes,
                None => 8,
            };
            let weights: Vec<u64> = moved.iter().map(weight).collect();
            let expected = longest_path(&incoming, &weights);
            assert_equal_at(&depth, eighths, expected, &what);
        }
        let by_latency = found.depth_by_latency.expect("it was asked for");
        assert_eq!(depth.at(0.0), by_latency.at(latency as f64), "{what}");
    }
    assert!(
        most_pieces >= 4,
        "no envelope had more than {most_pieces} pieces"
    );
}

/// Where every access moves eight bytes, a byte that takes β is a latency that is 8·β longer.
#[test]
fn accesses_of_one_size_give_the_curve_over_latency() {
    for seed in 0..500 {
        let mut random = Random::new(seed);
        let mut program = program(&mut random, 200, 1);
        program.retain(|executed| {
            let mnemonic = executed.line.split([';', ' ']).nth(2).expect("a mnemonic");
            !executed.accesses_memory || ["ld", "fld", "sd", "fsd"].contains(&mnemonic)
        });
        let found = counted(text(&program).as_bytes(), settings(false, 10, &[]), None);
        let by_bandwidth = found.depth_by_bandwidth.expect("it was asked for");
        let by_latency = found.depth_by_latency.expect("it was asked for");
        for eighths in 0..100 {
            let beta = f64::from(eighths) / 8.0;
            let rescaled = by_latency.at(10.0 + 8.0 * beta);
            assert_eq!(by_bandwidth.at(beta), rescaled, "seed {seed}, β = {beta}");
        }
    }
}

/// A region's curve is that of the graph of its own vertices.
#[test]
fn regions_have_curves_of_their_own() {
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let program = program(&mut random, 60, 1);
        let region = |pc: u64| (pc / 16 % 3) as u32;
        let mut regions = Regions::default();
        let mut region_of =
            |instruction: &Instruction| regions.number(region(instruction.pc.expect("a pc")));
        let found = counted(
            text(&program).as_bytes(),
            settings(false, 5, &[]),
            Some(&mut region_of),
        );
        let (all, moved) = (edges(&program, false), moved(&program, &[]));
        for (number, counted) in regions.order.iter().zip(&found.regions) {
            let depth = counted.detail.depth_by_bandwidth.as_ref();
            let depth = depth.expect("it was asked for");
            let is_own = |vertex: usize| region(program[vertex].pc) == *number;
            let own = (all.iter()).filter(|edge| is_own(edge.from) && is_own(edge.to));
            let own: Vec<Edge> = own.copied().collect();
            let incoming = incoming(&own, program.len());
            for eighths in times(&mut random).into_iter().step_by(5) {
                let weight = |(vertex, moved): (usize, &Option<u64>)| match (is_own(vertex), moved)
                {
                    (false, _) => 0,
                    (true, Some(bytes)) => 40 + eighths * bytes,
                    (true, None) => 8,
                };
                let weights: Vec<u64> = moved.iter().enumerate().map(weight).collect();
                let expected = longest_path(&incoming, &weights);
                assert_equal_at(depth, eighths, expected, &format!("seed {seed}"));
            }
        }
    }
}

/// By hand, at a latency of 3: two loads of a byte in a chain, 6 + 2·β, beside one of eight bytes, 3 + 8·β, which is longer
/// from β = ½ on. 1 % of 6 is reached by 2·β = 0.06, 50 % by 8·β = 6.
#[test]
fn a_chain_of_narrow_loads_beside_a_wide_one() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("two widths.edan");
    let lines = "0;0x10;lb a0,0(a1);0x1000\n0;0x14;lb a0,0(a0);0x2000\n0;0x18;ld a2,0(a3);0x3000\n";
    fs::write(&path, lines).expect("a trace");
    let run = |latency: &str, more: &[&str]| {
        let mut command = loopsheet();
        command.arg("trace").arg(&path);
        command.args(["--by-bandwidth", "--latency", latency]);
        command.args(more);
        command
    };
    let report = command::printed(&mut run("3", &["--json", "-"]));
    assert_eq!(
        report["depth_by_bandwidth"],
        serde_json::json!([
            {"from": 0, "slope": 2, "intercept": 6},
            {"from": 0.5, "slope": 8, "intercept": 3}
        ])
    );
    let tolerance = &report["bandwidth_tolerance"];
    assert_eq!(
        ["latency", "depth", "bytes"].map(|key| tolerance[key].as_u64()),
        [3, 6, 2].map(Some)
    );
    let growth = tolerance["growth"].as_array().expect("growth");
    let expected = [(1, 0.03), (5, 0.15), (10, 0.3), (50, 0.75)];
    assert_eq!(growth.len(), expected.len());
    for (found, (percent, beta)) in growth.iter().zip(expected) {
        assert_eq!(found["percent"], percent);
        let reached = found["cycles_per_byte"].as_f64().expect("a number");
        assert!((reached - beta).abs() < 1e-12, "{percent} %: {reached}");
    }
    let table = run("3", &[]).output().expect("it runs").stdout;
    let table = String::from_utf8(table).expect("text");
    assert!(table.contains("8·β + 3"), "{table}");
    assert!(table.contains("50 % longer at β = 0.75"), "{table}");
    for (latency, reason) in [("2.5", "whole number"), ("2000000", "from 0 to 1000000")] {
        let output = run(latency, &[]).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && said.contains(reason),
            "{latency}: {said}"
        );
    }
}
