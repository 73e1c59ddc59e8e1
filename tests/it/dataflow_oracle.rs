//! The streaming engine against graphs that are built and walked the slow way.

use std::collections::{BTreeMap, BTreeSet};

use crate::random_programs::{
    self, Edge, Executed, Random, Regions, Wait, edges, greedy_time, longest_path, program,
    repeated_program,
};
use crate::support::settings::edag_only;
use loopsheet_cache::{CacheSpec, Hierarchy, Served};
use loopsheet_dataflow::{MemoryRule, Rules};
use loopsheet_metrics::analysis::Analysis;
use loopsheet_metrics::costs::Costs;
use loopsheet_metrics::counted::Counted;
use loopsheet_metrics::settings::RemoteSettings;
use loopsheet_metrics::settings::Settings;
use loopsheet_trace::{Instruction, Options, UnknownPolicy, stream};

fn settings(false_dependences: bool) -> Settings {
    edag_only(Rules {
        memory: MemoryRule::Bytes,
        false_dependences,
    })
}

fn counted(
    program: &[Executed],
    settings: Settings,
    region_of: Option<&mut dyn FnMut(&Instruction) -> u32>,
) -> Counted {
    let text: String = program
        .iter()
        .map(|executed| executed.line.clone() + "\n")
        .collect();
    let mut analysis = Analysis::new(settings, region_of).expect("settings");
    let options = Options {
        format: None,
        unknown: UnknownPolicy::Refuse,
    };
    stream(text.as_bytes(), options, &mut analysis).expect("a trace");
    analysis.finish(true)
}

/// Which instructions go to RAM, from the cache simulation by itself.
fn misses(program: &[Executed], caches: &[CacheSpec]) -> Vec<bool> {
    let mut hierarchy = (!caches.is_empty()).then(|| Hierarchy::new(caches).expect("caches"));
    let miss = |executed: &Executed| {
        let Some(address) = executed
            .line
            .rsplit(';')
            .next()
            .filter(|_| executed.accesses_memory)
        else {
            return false;
        };
        let Some(hierarchy) = &mut hierarchy else {
            return true;
        };
        let address = u64::from_str_radix(&address[2..], 16).expect("an address");
        let bytes = |places: &[random_programs::Place]| {
            places
                .iter()
                .filter(|place| matches!(place, random_programs::Place::Byte(_)))
                .count()
        };
        let (read, written) = (bytes(&executed.reads), bytes(&executed.writes));
        let kind = match (read > 0, written > 0) {
            (true, true) => loopsheet_cache::AccessKind::Atomic,
            (true, false) => loopsheet_cache::AccessKind::Load,
            _ => loopsheet_cache::AccessKind::Store,
        };
        hierarchy
            .access(address, read.max(written) as u32, kind)
            .served
            == Served::Memory
    };
    program.iter().map(miss).collect()
}

#[test]
fn ten_thousand_random_programs() {
    for seed in 0..10_000 {
        let mut random = Random::new(seed);
        let (length, harts) = (1 + random.below(40) as usize, 1 + random.below(2) as usize);
        compare(&program(&mut random, length, harts), seed);
    }
}

/// The same of programs with blocks that are executed again and again, which are resolved once.
#[test]
fn a_thousand_repeated_programs() {
    for seed in 0..1_000 {
        let mut random = Random::new(seed);
        let (executions, harts) = (3 + random.below(12), 1 + random.below(2) as usize);
        let program = repeated_program(&mut random, executions as usize, harts);
        if !program.is_empty() {
            compare(&program, seed);
        }
    }
}

/// Compares what the engine finds with longest paths over the graph.
fn compare(program: &[Executed], seed: u64) {
    let caches = match seed % 2 {
        0 => Vec::new(),
        _ => vec!["64B,2way,8B,lru".parse::<CacheSpec>().expect("a cache")],
    };
    let length = program.len();
    let missing = misses(program, &caches);
    let units = vec![1; length];
    let ram: Vec<u64> = missing.iter().map(|missing| u64::from(*missing)).collect();
    let others: Vec<u64> = ram.iter().map(|ram| 1 - ram).collect();
    for false_ones in [false, true] {
        let edges = edges(program, false_ones);
        let settings = Settings {
            caches: caches.clone(),
            ..settings(false_ones)
        };
        let found = counted(program, settings, None).edag;
        let memory = found.memory.expect("addresses");
        let what = || format!("seed {seed}, false dependences {false_ones}:\n{program:#?}");
        let own = (found.vertices, found.work);
        assert_eq!(own, (length as u64, length as u64), "{}", what());
        assert_eq!(found.depth, longest_path(&edges, &units), "T∞, {}", what());
        assert_eq!(memory.depth, longest_path(&edges, &ram), "𝒟, {}", what());
        let span = longest_path(&edges, &others);
        assert_eq!(memory.non_memory_span, span, "{}", what());
        assert_eq!(memory.work, ram.iter().sum::<u64>(), "𝒲, {}", what());
        let values = edges.iter().filter(|edge| edge.waits_for == Wait::Value);
        assert_eq!(found.edges, values.count() as u64, "edges, {}", what());
        // 𝒟 ≤ 𝒲 and T∞ ≤ T₁ (guide: dynamic-model, "One idea carries the whole mode").
        let is_bounded = memory.depth <= memory.work && found.depth <= found.work;
        assert!(is_bounded, "{}", what());
    }
}

/// Invariant 5: false dependences never shorten the longest path.
#[test]
fn false_dependences_only_add() {
    for seed in 0..2_000 {
        let program = program(&mut Random::new(seed), 60, 2);
        let of = |false_ones| counted(&program, settings(false_ones), None).edag;
        let (with_true, with_all) = (of(false), of(true));
        assert!(with_true.depth <= with_all.depth, "seed {seed}");
        let memory_depth =
            |edag: loopsheet_metrics::report::Edag| edag.memory.expect("addresses").depth;
        assert!(
            memory_depth(with_true) <= memory_depth(with_all),
            "seed {seed}"
        );
    }
}

/// Invariant 4: max(T₁/p, T∞) ≤ T_p ≤ (T₁ − T∞)/p + T∞ for a greedy schedule.
#[test]
fn greedy_schedules_are_between_brents_bounds() {
    for seed in 0..300 {
        let program = program(&mut Random::new(seed), 50, 1);
        let edges = edges(&program, false);
        let edag = counted(&program, settings(false), None).edag;
        for processors in [1, 2, 3, 7] {
            let time = greedy_time(&edges, program.len(), processors) as f64;
            let (work, depth, p) = (edag.work as f64, edag.depth as f64, processors as f64);
            assert!(
                (work / p).max(depth) <= time && time <= (work - depth) / p + depth,
                "seed {seed}, p = {processors}"
            );
        }
    }
}

/// Figures by region are those of the graph that has only the region's vertices and the edges between them.
#[test]
fn regions_are_subgraphs() {
    for seed in 0..1_000 {
        let mut random = Random::new(seed);
        let program = program(&mut random, 40, 2);
        let region = |pc: u64| (pc / 2 % 3) as u32;
        let mut regions = Regions::default();
        let mut region_of =
            |instruction: &Instruction| regions.number(region(instruction.pc.expect("a pc")));
        let found = counted(&program, settings(false), Some(&mut region_of)).regions;
        let all = edges(&program, false);
        for (number, found) in regions.order.iter().zip(found) {
            let is_inside = |vertex: usize| region(program[vertex].pc) == *number;
            let inside: Vec<Edge> = all
                .iter()
                .filter(|edge| is_inside(edge.from) && is_inside(edge.to))
                .copied()
                .collect();
            let weights: Vec<u64> = (0..program.len())
                .map(|vertex| u64::from(is_inside(vertex)))
                .collect();
            let ram =
                |vertex: usize| u64::from(is_inside(vertex) && program[vertex].accesses_memory);
            let ram: Vec<u64> = (0..program.len()).map(ram).collect();
            let memory = found.edag.memory.expect("addresses");
            assert_eq!(
                found.edag.vertices,
                weights.iter().sum::<u64>(),
                "seed {seed}"
            );
            assert_eq!(found.edag.edges, inside.len() as u64, "seed {seed}");
            assert_eq!(
                found.edag.depth,
                longest_path(&inside, &weights),
                "seed {seed}"
            );
            assert_eq!(
                (memory.work, memory.depth),
                (ram.iter().sum(), longest_path(&inside, &ram)),
                "seed {seed}"
            );
        }
    }
}

/// With none and with all accesses remote, T∞ is the longest path with those latencies; trials are between.
#[test]
fn random_delays_are_between_none_and_all() {
    for seed in 0..300 {
        let program = program(&mut Random::new(seed), 40, 1);
        let remote = RemoteSettings {
            share: 0.5,
            delay: 70,
            latency: 30,
            trials: 40,
            seed,
        };
        let found = counted(
            &program,
            Settings {
                remote: Some(remote),
                ..settings(false)
            },
            None,
        );
        let found = found.remote.expect("asked for");
        let edges = edges(&program, false);
        let weights = |ram: u64| -> Vec<u64> {
            program
                .iter()
                .map(|executed| if executed.accesses_memory { ram } else { 1 })
                .collect()
        };
        assert_eq!(
            found.local,
            longest_path(&edges, &weights(30)),
            "seed {seed}"
        );
        assert_eq!(
            found.all_remote,
            longest_path(&edges, &weights(100)),
            "seed {seed}"
        );
        assert_eq!(found.depths.len(), 40);
        assert!(
            found
                .depths
                .iter()
                .all(|depth| (found.local..=found.all_remote).contains(depth)),
            "seed {seed}"
        );
    }
}

/// Costs by class are the weights of the vertices.
#[test]
fn costs_weigh_the_vertices() {
    let costs =
        Costs::parse("[cycles]\nothers = 2\nmultiply = 5\nload = 3\nbranch = 0\n").expect("costs");
    let cost = |line: &str| match line
        .split(';')
        .nth(2)
        .and_then(|text| text.split(' ').next())
        .expect("a mnemonic")
    {
        "mulw" => 5,
        "lb" | "lhu" | "lw" | "lwu" | "ld" => 3,
        "bne" => 0,
        _ => 2,
    };
    for seed in 0..500 {
        let program = program(&mut Random::new(seed), 30, 1);
        let weights: Vec<u64> = program
            .iter()
            .map(|executed| cost(&executed.line))
            .collect();
        let found = counted(
            &program,
            Settings {
                costs: costs.clone(),
                ..settings(false)
            },
            None,
        )
        .edag;
        assert_eq!(found.work, weights.iter().sum::<u64>(), "seed {seed}");
        assert_eq!(
            found.depth,
            longest_path(&edges(&program, false), &weights),
            "seed {seed}"
        );
        let ram: u64 = program
            .iter()
            .zip(&weights)
            .filter(|(e, _)| e.accesses_memory)
            .map(|(_, weight)| weight)
            .sum();
        assert_eq!(
            found.memory.expect("addresses").non_memory_cost,
            found.work - ram,
            "seed {seed}"
        );
    }
}

/// Instructions by address and text, as often as they are on a chain.
type Multiset = BTreeMap<(u64, String), u64>;

/// What the RAM accesses on each path with most of them are.
fn deepest_chains(program: &[Executed], edges: &[Edge], ram: &[u64]) -> BTreeSet<Multiset> {
    let mut chains: Vec<(u64, BTreeSet<Multiset>)> = Vec::new();
    for (vertex, executed) in program.iter().enumerate() {
        let before = || {
            edges
                .iter()
                .filter(|edge| edge.to == vertex)
                .map(|edge| &chains[edge.from])
        };
        let depth = before().map(|(depth, _)| *depth).max().unwrap_or(0);
        let deepest = before()
            .filter(|(other, _)| *other == depth)
            .flat_map(|(_, chains)| chains.clone());
        let mut own: BTreeSet<Multiset> = deepest.collect();
        if own.is_empty() {
            own.insert(Multiset::new());
        }
        if ram[vertex] > 0 {
            let text = executed
                .line
                .split(';')
                .nth(2)
                .expect("the text")
                .to_string();
            let longer = |mut chain: Multiset| {
                *chain.entry((executed.pc, text.clone())).or_default() += 1;
                chain
            };
            own = own.into_iter().map(longer).collect();
        }
        chains.push((depth + ram[vertex], own));
    }
    let most = chains.iter().map(|(depth, _)| *depth).max().unwrap_or(0);
    chains
        .into_iter()
        .filter(|(depth, _)| *depth == most)
        .flat_map(|(_, chains)| chains)
        .collect()
}

/// The deepest chain that is told is one of the deepest that there are.
#[test]
fn the_deepest_chain_is_one_of_the_deepest() {
    for seed in 0..2_000 {
        let mut random = Random::new(seed);
        let program = program(&mut random, 40, 2);
        let caches = if seed % 2 == 0 {
            Vec::new()
        } else {
            vec!["64B,2way,8B,lru".parse::<CacheSpec>().expect("a cache")]
        };
        let ram: Vec<u64> = misses(&program, &caches)
            .into_iter()
            .map(u64::from)
            .collect();
        let found = counted(
            &program,
            Settings {
                caches,
                memory_chain: true,
                ..settings(false)
            },
            None,
        );
        let chain = found.memory_chain.expect("it was asked for");
        assert_eq!(
            chain.depth,
            found.edag.memory.expect("addresses").depth,
            "seed {seed}"
        );
        let mut told = Multiset::new();
        for instruction in &chain.instructions {
            *told
                .entry((instruction.pc.expect("a pc"), instruction.text.to_string()))
                .or_default() += instruction.accesses;
        }
        assert_eq!(told.values().sum::<u64>(), chain.depth, "seed {seed}");
        let expected = deepest_chains(&program, &edges(&program, false), &ram);
        assert!(
            expected.contains(&told),
            "seed {seed}: {told:#?} is none of {expected:#?}"
        );
    }
}
