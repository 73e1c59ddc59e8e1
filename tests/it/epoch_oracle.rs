//! Epochs of all windows and capacities at once against an obvious simulator of one configuration, and what
//! has to hold between them, the eDAG and its cost bounds.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::random_programs::{Executed, Place, Random, Wait, edges, program};
use crate::support::settings::edag_only;
use loopsheet_cache::CacheSpec;
use loopsheet_dataflow::{MemoryRule, Rules};
use loopsheet_metrics::analysis::Analysis;
use loopsheet_metrics::counted::Counted;
use loopsheet_metrics::epoch::{EpochSettings, Stores};
use loopsheet_metrics::report::{EdagMemory, Epochs};
use loopsheet_metrics::settings::Settings;
use loopsheet_trace::isa::Class;
use loopsheet_trace::{Options, UnknownPolicy, stream};

const LINE: u64 = 8;

/// One configuration.
#[derive(Clone, Copy, Debug)]
struct Configuration {
    window: usize,
    capacity: u64,
    stores: Stores,
    slots: Option<u32>,
    /// Hits wait for lines that are under way.
    under_way: bool,
}

fn hart(executed: &Executed) -> &str {
    executed.line.split(';').next().expect("a hart")
}

/// Which lines an instruction touches, and whether it only writes them.
fn accessed(executed: &Executed) -> Option<(std::ops::RangeInclusive<u64>, bool)> {
    let bytes = |places: &[Place]| -> Vec<u64> {
        let byte = |place: &Place| {
            if let Place::Byte(byte) = place {
                Some(*byte)
            } else {
                None
            }
        };
        places.iter().filter_map(byte).collect()
    };
    let (read, written) = (bytes(&executed.reads), bytes(&executed.writes));
    let (first, last) = (
        read.iter().chain(&written).min()?,
        read.iter().chain(&written).max()?,
    );
    Some((first / LINE..=last / LINE, read.is_empty()))
}

/// Which instructions miss, from a list of lines with the last one touched at its end.
fn misses(program: &[Executed], capacity: u64) -> Vec<bool> {
    let mut touched: Vec<u64> = Vec::new();
    let mut touch = |line: u64| {
        let place = touched.iter().position(|other| *other == line);
        let misses =
            place.is_none_or(|place| (touched.len() - 1 - place) as u64 >= capacity / LINE);
        touched.retain(|other| *other != line);
        touched.push(line);
        misses
    };
    let any = |executed: &Executed| {
        let lines = accessed(executed).map(|(lines, _)| lines);
        lines.is_some_and(|lines| lines.map(&mut touch).filter(|misses| *misses).count() > 0)
    };
    program.iter().map(any).collect()
}

/// Epochs of one configuration, hart by hart, straight from the recurrence. The producers of every
/// instruction's values are given.
fn simulated(program: &[Executed], producers: &[Vec<usize>], configuration: Configuration) -> u64 {
    let missing = misses(program, configuration.capacity);
    let mut done = vec![0; program.len()];
    let mut retired: HashMap<&str, Vec<u64>> = HashMap::new();
    let mut started: HashMap<&str, BTreeMap<u64, u32>> = HashMap::new();
    let mut there: HashMap<(&str, u64), u64> = HashMap::new();
    for (index, executed) in program.iter().enumerate() {
        let own = hart(executed);
        let retired = retired.entry(own).or_default();
        let entered = retired
            .len()
            .checked_sub(configuration.window)
            .map_or(0, |oldest| retired[oldest]);
        let available = producers[index]
            .iter()
            .filter(|from| hart(&program[**from]) == own)
            .map(|from| done[*from]);
        let issued = available.fold(entered, u64::max);
        let is_store = accessed(executed).is_some_and(|(_, only_writes)| only_writes);
        let waits = configuration.stores == Stores::Blocking || !is_store;
        done[index] = issued;
        let lines = || accessed(executed).into_iter().flat_map(|(lines, _)| lines);
        if waits && configuration.under_way {
            done[index] = lines()
                .filter_map(|line| there.get(&(own, line)))
                .copied()
                .fold(issued, u64::max);
        }
        if missing[index] {
            let mut start = issued;
            if let Some(slots) = configuration.slots {
                let started = started.entry(own).or_default();
                while started.get(&start).is_some_and(|misses| *misses == slots) {
                    start += 1;
                }
                *started.entry(start).or_default() += 1;
            }
            there.extend(lines().map(|line| ((own, line), start + 1)));
            if waits {
                done[index] = done[index].max(start + 1);
            }
        }
        retired.push(done[index].max(retired.last().copied().unwrap_or(0)));
    }
    retired.values().filter_map(|retired| retired.last()).sum()
}

/// For each instruction, those whose values it reads.
fn producers(program: &[Executed], memory: MemoryRule) -> Vec<Vec<usize>> {
    let mut program = program.to_vec();
    if memory == MemoryRule::Registers {
        for executed in &mut program {
            executed
                .reads
                .retain(|place| matches!(place, Place::Register(..)));
        }
    }
    let mut producers = vec![Vec::new(); program.len()];
    for edge in edges(&program, false)
        .into_iter()
        .filter(|edge| edge.waits_for == Wait::Value)
    {
        producers[edge.to].push(edge.from);
    }
    producers
}

fn settings(memory: MemoryRule, caches: Vec<CacheSpec>, epochs: EpochSettings) -> Settings {
    let rules = Rules {
        memory,
        false_dependences: false,
    };
    Settings {
        caches,
        epochs: Some(epochs),
        ..edag_only(rules)
    }
}

fn counted(trace: impl std::io::Read + Send, settings: Settings) -> (Counted, u64) {
    let mut analysis = Analysis::new(settings, None).expect("settings");
    let options = Options {
        format: None,
        unknown: UnknownPolicy::Refuse,
    };
    let read = stream(trace, options, &mut analysis).expect("a trace");
    (analysis.finish(true), read.harts)
}

fn profile(text: &str, memory: MemoryRule, epochs: EpochSettings) -> Epochs {
    counted(text.as_bytes(), settings(memory, Vec::new(), epochs))
        .0
        .epochs
        .expect("a profile")
}

fn text(program: &[Executed]) -> String {
    program
        .iter()
        .map(|executed| executed.line.clone() + "\n")
        .collect()
}

#[test]
fn all_lanes_equal_the_simulator_of_one() {
    let mut compared = 0;
    for seed in 0..120 {
        let mut random = Random::new(seed);
        let (length, harts) = (1 + random.below(60) as usize, 1 + random.below(2) as usize);
        let program = program(&mut random, length, harts);
        let memory = if seed % 2 == 0 {
            MemoryRule::Bytes
        } else {
            MemoryRule::Registers
        };
        let stores = if seed / 2 % 2 == 0 {
            Stores::Buffered
        } else {
            Stores::Blocking
        };
        // More capacities than one vector has lanes, some of them equal in lines to none other.
        let capacities: Vec<u64> = if seed % 3 == 0 {
            (1..=17).map(|n| n * LINE).collect()
        } else {
            vec![8, 24, 48]
        };
        let question = EpochSettings {
            windows: vec![1, 2, 3, 5, 8, 21, 64],
            capacities,
            slots: vec![1, 2, 3],
            line: LINE,
            stores,
        };
        let producers = producers(&program, memory);
        let found = profile(&text(&program), memory, question.clone());
        assert_eq!(found.instructions, length as u64);
        for (c, &capacity) in question.capacities.iter().enumerate() {
            for (w, &window) in question.windows.iter().enumerate() {
                let plain = Configuration {
                    window: window as usize,
                    capacity,
                    stores,
                    slots: None,
                    under_way: false,
                };
                let what = |slots: Option<u32>| {
                    format!("seed {seed}, {plain:?}, {slots:?}:\n{}", text(&program))
                };
                assert_eq!(
                    found.epochs[c][w],
                    simulated(&program, &producers, plain),
                    "{}",
                    what(None)
                );
                for (slots, table) in &found.slots {
                    let limited = Configuration {
                        slots: Some(*slots),
                        ..plain
                    };
                    assert_eq!(
                        table[c][w],
                        simulated(&program, &producers, limited),
                        "{}",
                        what(Some(*slots))
                    );
                }
                compared += 1;
            }
        }
    }
    assert!(compared > 5000, "{compared}");
}

/// Neither a larger window nor a larger cache has more epochs.
fn never_grows(profile: &Epochs) {
    for (c, row) in profile.epochs.iter().enumerate() {
        assert!(row.is_sorted_by(|a, b| a >= b), "over windows: {row:?}");
        if c > 0 {
            assert!(
                row.iter()
                    .zip(&profile.epochs[c - 1])
                    .all(|(larger, smaller)| larger <= smaller),
                "{row:?}"
            );
        }
    }
    assert!(
        profile.off_chip.is_sorted_by(|a, b| a >= b),
        "{:?}",
        profile.off_chip
    );
}

/// 𝒲 and 𝒟 with a fully associative LRU cache.
fn memory_edag(trace: &str, cache: &CacheSpec) -> EdagMemory {
    let settings = Settings {
        epochs: None,
        ..settings(MemoryRule::Bytes, vec![*cache], EpochSettings::default())
    };
    counted(trace.as_bytes(), settings)
        .0
        .edag
        .memory
        .expect("addresses")
}

/// With a window as long as the program the epochs are the memory depth, with one of 1 the memory work
/// (guide: dynamic-model, "Epochs"); with m slots they are between the bounds of EDAN's cost model.
#[test]
fn random_programs_keep_the_invariants() {
    for seed in 1000..1200 {
        let mut random = Random::new(seed);
        let length = 1 + random.below(60) as usize;
        let program = text(&program(&mut random, length, 1));
        let question = EpochSettings {
            windows: vec![1, 4, 16, 64],
            capacities: vec![16, 32, 64],
            slots: vec![1, 2, 4, 1000],
            line: LINE,
            stores: Stores::Blocking,
        };
        let buffered = EpochSettings {
            stores: Stores::Buffered,
            ..question.clone()
        };
        never_grows(&profile(&program, MemoryRule::Bytes, buffered));
        let found = profile(&program, MemoryRule::Bytes, question);
        never_grows(&found);
        assert_eq!(found.caches, None);
        assert_eq!(found.slots[&1000], found.epochs, "seed {seed}");
        for (c, capacity) in found.capacities.iter().enumerate() {
            let cache = format!("{capacity}B,full,8B,lru").parse().expect("a cache");
            let EdagMemory { work, depth, .. } = memory_edag(&program, &cache);
            assert_eq!(
                [found.epochs[c][3], found.epochs[c][0]],
                [depth, work],
                "seed {seed}, {cache}:\n{program}"
            );
            for (slots, table) in &found.slots {
                let (limited, slots) = (table[c][3], u64::from(*slots));
                assert!(
                    limited >= depth.max(work.div_ceil(slots)),
                    "seed {seed}, {slots} slots"
                );
                assert!(
                    limited <= (work - depth).div_ceil(slots) + depth,
                    "seed {seed}, {slots} slots"
                );
            }
        }
    }
}

/// The run's own cache: what it misses is what a capacity misses, and hits wait for outstanding lines.
#[test]
fn own_caches_equal_the_simulator() {
    for seed in 3000..3100 {
        let mut random = Random::new(seed);
        let (length, harts) = (1 + random.below(60) as usize, 1 + random.below(2) as usize);
        let program = program(&mut random, length, harts);
        let stores = if seed % 2 == 0 {
            Stores::Buffered
        } else {
            Stores::Blocking
        };
        let capacity = [8, 24, 48][seed as usize % 3];
        let (windows, slots) = (vec![1, 3, 8, 64], vec![1, 2]);
        let question = EpochSettings {
            windows: windows.clone(),
            capacities: vec![capacity],
            slots,
            line: LINE,
            stores,
        };
        let cache = format!("{capacity}B,full,8B,lru").parse().expect("a cache");
        let settings = settings(MemoryRule::Bytes, vec![cache], question);
        let found = counted(text(&program).as_bytes(), settings)
            .0
            .epochs
            .and_then(|found| found.caches);
        let found = found.expect("epochs of the cache");
        let producers = producers(&program, MemoryRule::Bytes);
        for (limit, row) in found.rows() {
            for (&window, epochs) in windows.iter().zip(row) {
                let window = window as usize;
                let configuration = Configuration {
                    window,
                    capacity,
                    stores,
                    slots: limit,
                    under_way: true,
                };
                let expected = simulated(&program, &producers, configuration);
                assert_eq!(
                    *epochs,
                    expected,
                    "seed {seed}, {configuration:?}:\n{}",
                    text(&program)
                );
            }
        }
    }
}

/// With two levels no capacity says what goes to RAM; a window of one still waits for every miss.
#[test]
fn epochs_of_two_levels_keep_the_invariants() {
    let caches: Vec<CacheSpec> = ["16B,2way,8B,fifo", "64B,4way,16B,plru"]
        .map(|cache| cache.parse().expect("a cache"))
        .into();
    for seed in 2000..2100 {
        let mut random = Random::new(seed);
        let length = 1 + random.below(60) as usize;
        let program = text(&program(&mut random, length, 1));
        let question = EpochSettings {
            windows: vec![1, 64],
            capacities: vec![16],
            slots: vec![1, 1000],
            line: LINE,
            stores: Stores::Blocking,
        };
        let counted = counted(
            program.as_bytes(),
            settings(MemoryRule::Bytes, caches.clone(), question),
        )
        .0;
        let memory = counted.edag.memory.expect("addresses");
        let found = counted
            .epochs
            .and_then(|found| found.caches)
            .expect("epochs of the caches");
        assert_eq!(found.epochs[0], memory.work, "seed {seed}:\n{program}");
        assert!(found.epochs[1] >= memory.depth, "seed {seed}:\n{program}");
        assert_eq!(found.slots[&1000], found.epochs);
        assert!(found.slots[&1][1] >= memory.work, "seed {seed}:\n{program}");
    }
}

fn samples() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/traces");
    let files = std::fs::read_dir(directory)
        .expect("samples")
        .map(|entry| entry.expect("an entry").path());
    let mut traces: Vec<PathBuf> = files
        .filter(|path| path.to_string_lossy().contains(".execlog"))
        .collect();
    traces.sort();
    traces
}

#[test]
fn real_traces_keep_the_invariants() {
    const LARGEST: u32 = 16_384;
    let mut compared = 0;
    for path in samples() {
        let open = || {
            loopsheet_trace::decompressed(std::fs::File::open(&path).expect("a sample"))
                .expect("a stream")
        };
        let question = EpochSettings {
            windows: (0..=10).map(|bits| 1 << bits).chain([LARGEST]).collect(),
            slots: vec![1, 4],
            stores: Stores::Blocking,
            ..EpochSettings::default()
        };
        let last = question.windows.len() - 1;
        for (c, capacity) in question.capacities.iter().enumerate().step_by(4).take(3) {
            let cache: CacheSpec = format!("{capacity}B,full,64B,lru")
                .parse()
                .expect("a cache");
            let (counted, harts) = counted(
                open(),
                settings(MemoryRule::Bytes, vec![cache], question.clone()),
            );
            let (found, memory) = (
                counted.epochs.expect("a profile"),
                counted.edag.memory.expect("addresses"),
            );
            never_grows(&found);
            // A vector instruction has several accesses, and is waited for once.
            let is_vector = |class: &Class| matches!(class, Class::VectorLoad | Class::VectorStore);
            let has_vectors = counted.mix.keys().any(is_vector);
            if !has_vectors {
                assert_eq!(
                    found.epochs[c][0],
                    memory.work,
                    "{}, {cache}",
                    path.display()
                );
            }
            if harts == 1 && found.instructions <= u64::from(LARGEST) {
                assert_eq!(
                    found.epochs[c][last],
                    memory.depth,
                    "{}, {cache}",
                    path.display()
                );
                compared += 1;
            }
        }
        let buffered = EpochSettings {
            stores: Stores::Buffered,
            ..question
        };
        never_grows(
            &counted(
                open(),
                settings(MemoryRule::Registers, Vec::new(), buffered),
            )
            .0
            .epochs
            .expect("a profile"),
        );
    }
    assert!(compared >= 12, "{compared}");
}

/// More epochs than lanes can count, known by hand: N loads of as many lines, each of which waits for the
/// one before, or none for any other.
#[test]
fn many_epochs_do_not_overflow() {
    const N: u64 = 150_000;
    let loads = |instruction: &str| {
        let mut text = String::new();
        for index in 0..N {
            let _ = writeln!(
                text,
                "0;0x1000;{instruction};{:#x}",
                0x4000_0000 + 64 * index
            );
        }
        text
    };
    let question = EpochSettings {
        windows: vec![1, 2, 1000, 16_384],
        capacities: vec![64, 1 << 20, 1 << 30],
        slots: vec![1, 500],
        ..EpochSettings::default()
    };
    let chained = profile(&loads("ld a0,0(a0)"), MemoryRule::Bytes, question.clone());
    assert_eq!(chained.epochs, [[N; 4]; 3]);
    assert_eq!(chained.slots[&1], [[N; 4]; 3]);
    assert_eq!(chained.off_chip, [N; 3]);
    let independent = profile(&loads("ld a1,0(a0)"), MemoryRule::Bytes, question);
    assert_eq!(
        independent.epochs,
        [[N, N / 2, N / 1000, N.div_ceil(16_384)]; 3]
    );
    assert_eq!(independent.slots[&1], [[N; 4]; 3]);
    assert_eq!(independent.slots[&500][0][3], N / 500);
}

/// Stores that miss cause no stall and fill the epochs to come; a load behind them waits for its turn. One
/// that reads what was stored has it at once, unless stores block.
#[test]
fn stores_wait_in_a_buffer() {
    let mut text = String::new();
    for index in 0..100 {
        let _ = writeln!(text, "0;0x1000;sd a1,0(a0);{:#x}", 0x4000_0000 + 64 * index);
    }
    let question = |stores| EpochSettings {
        windows: vec![1, 256],
        capacities: vec![1 << 20],
        slots: vec![2],
        stores,
        ..EpochSettings::default()
    };
    let of = |text: &str, stores| profile(text, MemoryRule::Bytes, question(stores));
    let forwarded = text.clone() + "0;0x1004;ld a2,0(a0);0x40000000\n";
    assert_eq!(of(&forwarded, Stores::Buffered).epochs, [[0, 0]]);
    assert_eq!(of(&forwarded, Stores::Blocking).epochs, [[100, 1]]);
    let other = text + "0;0x1004;ld a2,0(a0);0x50000000\n";
    let buffered = of(&other, Stores::Buffered);
    assert_eq!(buffered.epochs, [[1, 1]]);
    assert_eq!(buffered.slots[&2], [[51, 51]]);
    assert_eq!(buffered.off_chip, [101]);
}
