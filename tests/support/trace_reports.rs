//! Reports of traces made by hand, for the tests of what shows them.

use std::collections::BTreeMap;

use loopsheet_cache::{AccessKind, LevelCounters};
use loopsheet_metrics::blame::{Blame, BlamedInstruction, BlamedLine, BlamedObject, Units};
use loopsheet_metrics::by_latency::{DepthByLatency, Piece};
use loopsheet_metrics::epoch::Stores;
use loopsheet_metrics::estimated::Estimated;
use loopsheet_metrics::interleaving::Times;
use loopsheet_metrics::memory_chain::{ChainInstruction, ChainLine, MemoryChain};
use loopsheet_metrics::objects::{Object, Objects};
use loopsheet_metrics::profiles::Profiles;
use loopsheet_metrics::report::*;
use loopsheet_regions::SourceLine;
use loopsheet_trace::isa::Class;

/// The summation kernel of the EDAN slides, n = 4: 𝒲 = 4, 𝒟 = 1, C = 10; with everything that can be asked for.
#[expect(clippy::too_many_lines, reason = "one value, field by field")]
pub fn full() -> TraceReport {
    let mix = BTreeMap::from([
        (Class::FpLoad, 4),
        (Class::FpAdd, 4),
        (Class::Integer, 3),
        (Class::Branch, 2),
        (Class::Jump, 1),
    ]);
    let edag = Edag {
        vertices: 14,
        edges: 17,
        work: 14,
        depth: 7,
        memory: Some(memory(4, 1, 10, 6, 256)),
    };
    let region = |name: &str, line, edag: Edag| Region {
        kind: RegionKind::Function,
        name: name.into(),
        file: Some("sum.c".into()),
        line: Some(line),
        instructions: edag.vertices,
        mix: BTreeMap::from([(Class::FpLoad, 4), (Class::FpAdd, 4)]),
        edag,
        detail: Default::default(),
    };
    TraceReport {
        trace: TraceSummary {
            path: "sum_4.out".into(),
            format: "edan",
            instructions: 14,
            bytes: 592,
            harts: 1,
            unknown: BTreeMap::from([("frob.x".to_string(), 2)]),
            distinct_instructions: 9,
            end: None,
        },
        mix,
        cache: vec![
            CacheLevel {
                spec: "1KiB,2way,64B,lru".parse().unwrap(),
                counters: LevelCounters {
                    hits: 12,
                    misses: 6,
                    bytes_in: 384,
                    ..LevelCounters::default()
                },
            },
            CacheLevel {
                spec: "8KiB,full,64B,lru,write-through".parse().unwrap(),
                counters: LevelCounters {
                    hits: 2,
                    misses: 4,
                    bytes_in: 256,
                    ..LevelCounters::default()
                },
            },
        ],
        inputs: Inputs {
            slots: 4.0,
            latency: 100.0,
            base_latency: 50.0,
            ghz: 2.0,
            processors: 4.0,
        },
        edag,
        movement: Some(Movement {
            interval: 4,
            bytes: vec![256, 0],
        }),
        reuse: Some(Reuse {
            line: 64,
            cold: 5,
            histogram: vec![
                ReuseBin {
                    lo: 0,
                    hi: 1,
                    count: 7,
                },
                ReuseBin {
                    lo: 1,
                    hi: 2,
                    count: 3,
                },
                ReuseBin {
                    lo: 2,
                    hi: 4,
                    count: 4,
                },
                ReuseBin {
                    lo: 4,
                    hi: 8,
                    count: 1,
                },
            ],
            exact: vec![(0, 7), (1, 3), (2, 1), (3, 3), (6, 1)],
        }),
        remote: Some(RemoteDelay {
            share: 0.25,
            delay: 200,
            seed: 1,
            depths: (0..=20).map(|trial| 100 + 10 * trial).collect(),
            local: 107,
            all_remote: 307,
        }),
        epochs: Some(Epochs {
            windows: vec![1, 32, 256],
            capacities: vec![1 << 10, 1 << 20],
            epochs: vec![vec![4, 2, 1], vec![2, 1, 1]],
            slots: BTreeMap::from([(2, vec![vec![4, 3, 2], vec![2, 1, 1]])]),
            caches: Some(CacheEpochs {
                epochs: vec![3, 2, 1],
                slots: BTreeMap::from([(2, vec![3, 2, 2])]),
            }),
            instructions: 14,
            off_chip: vec![6, 3],
            line: 64,
            stores: Stores::Buffered,
        }),
        memory_chain: Some(chain()),
        depth_by_latency: Some(depth_by_latency()),
        depth_by_bandwidth: Some(depth_by_latency()),
        blame: Some(blame()),
        objects: Some(objects()),
        schedule: Some(GreedySchedule { time: 100 }),
        regions: vec![
            region(
                "=sum",
                3,
                Edag {
                    memory: Some(memory(4, 1, 6, 5, 256)),
                    ..edag
                },
            ),
            region(
                "main",
                9,
                Edag {
                    vertices: 4,
                    edges: 2,
                    work: 4,
                    depth: 3,
                    memory: Some(memory(0, 0, 4, 3, 0)),
                },
            ),
        ],
        camat: None,
        varied_cores: Vec::new(),
        placed: Some(Placed {
            cycles: 130,
            in_ram: 100,
            against: Some(120),
        }),
        source: None,
        notes: vec!["Stores that hit cost no RAM access.".into()],
    }
}

/// Of these the array `a` is accessed in two epochs, `b` in one.
fn objects() -> Objects {
    let object = |name: &str, bytes| Object {
        name: Some(name.into()),
        bytes,
        accesses: 10,
        loads: 8,
        misses: 2,
        memory_depth: Some(1),
        epochs: 0,
    };
    let objects = vec![object("a", 4096), object("=b", 8192)];
    let mut blame = blame();
    blame.objects[1].name = Some("=b".into());
    let times = Times {
        cycles: 10_000,
        unlimited_cycles: 9_000,
        near: 100,
        near_interval: 15,
        far_interval: 30,
    };
    let mut all = Objects::new(objects, &blame, &times, (&[300, 1000], &[50]), 0.05);
    let estimated = |alone, interleaved| Estimated {
        near: 9_900,
        alone: vec![Some(alone), None],
        interleaved: vec![Some(interleaved)],
    };
    all.estimate(vec![estimated(10_400, 10_600), estimated(12_000, 13_000)]);
    all.confirm(0, vec![Some(10_300), None]);
    let confirmed = all.placements[0].confirmed.as_mut();
    confirmed.expect("it was asked").interleaved = vec![Some(10_500)];
    all
}

/// Two loads that share 50 cycles and three epochs.
fn blame() -> Blame {
    let units = |pure_miss_cycles, epochs| Units {
        pure_miss_cycles,
        epochs,
    };
    let place = |line| {
        Some(SourceLine {
            file: "sum.c".into(),
            line,
        })
    };
    let instruction = |pc, line, object: &str, units| BlamedInstruction {
        pc: Some(pc),
        text: "lw a4,0(a5)".into(),
        function: Some("sum".into()),
        place: place(line),
        object: Some(object.into()),
        units,
    };
    let line = |line, units| BlamedLine {
        function: Some("sum".into()),
        place: place(line),
        units,
    };
    let object = |name: &str, units| BlamedObject {
        name: Some(name.into()),
        units,
    };
    let (first, second) = (units(40, 2), units(10, 1));
    Blame {
        window: 64,
        slots: 4,
        epochs: 3,
        pure_miss_cycles: Some(50),
        instructions: vec![
            instruction(0x1_0490, 5, "a", first),
            instruction(0x1_0494, 6, "b", second),
        ],
        lines: vec![line(5, first), line(6, second)],
        objects: vec![object("a", first), object("b", second)],
    }
}

/// Two profiles, and one of 1,000 instructions that has their mean: (e + 2·e')/2 of 1,000 and of 500 instructions.
pub fn mean_of_two() -> (Profiles, Epochs) {
    let profile = |instructions, epochs: [[u64; 3]; 2], off_chip: [u64; 2]| Epochs {
        windows: vec![1, 32, 256],
        capacities: vec![1 << 10, 1 << 20],
        epochs: epochs.map(|row| row.to_vec()).to_vec(),
        slots: BTreeMap::new(),
        caches: None,
        instructions,
        off_chip: off_chip.to_vec(),
        line: 64,
        stores: Stores::Buffered,
    };
    let first = profile(1000, [[60, 40, 30], [20, 12, 8]], [70, 30]);
    let second = profile(500, [[9, 7, 2], [5, 4, 4]], [11, 6]);
    let mean = profile(1000, [[39, 27, 17], [15, 10, 8]], [46, 21]);
    let traces = [("first.zst", first), ("=second.zst", second)];
    let traces = traces
        .map(|(path, epochs)| (path.to_string(), epochs))
        .to_vec();
    (Profiles { traces }, mean)
}

/// α + 4 is the longer path from 2 cycles on.
fn depth_by_latency() -> DepthByLatency {
    let piece = |(slope, intercept)| Piece { slope, intercept };
    DepthByLatency {
        pieces: [(0, 6), (1, 4)].map(piece).to_vec(),
    }
}

/// One load of the four, by line and by instruction.
fn chain() -> MemoryChain {
    let place = Some(SourceLine {
        file: "sum.c".into(),
        line: 5,
    });
    let line = ChainLine {
        function: "sum".into(),
        place: place.clone(),
        accesses: 1,
        loads: 1,
        stores: 0,
        stack: 0,
    };
    let instruction = ChainInstruction {
        pc: Some(0x1_0490),
        text: "lw a4,0(a5)".into(),
        kind: AccessKind::Load,
        is_on_stack: false,
        accesses: 1,
        function: Some("sum".into()),
        place,
    };
    MemoryChain {
        depth: 1,
        lines: vec![line],
        instructions: vec![instruction],
    }
}

fn memory(
    work: u64,
    depth: u64,
    non_memory_cost: u64,
    non_memory_span: u64,
    bytes_moved: u64,
) -> EdagMemory {
    EdagMemory {
        work,
        depth,
        non_memory_cost,
        non_memory_span,
        bytes_moved: Some(bytes_moved),
    }
}

/// A trace without addresses, with nothing else asked for.
pub fn bare() -> TraceReport {
    let full = full();
    TraceReport {
        cache: Vec::new(),
        edag: Edag {
            memory: None,
            ..full.edag
        },
        movement: None,
        reuse: None,
        remote: None,
        epochs: None,
        memory_chain: None,
        depth_by_latency: None,
        depth_by_bandwidth: None,
        blame: None,
        objects: None,
        schedule: None,
        placed: None,
        regions: Vec::new(),
        notes: Vec::new(),
        ..full
    }
}

/// Figures of the size of real ones: HPCG as published, a mix and distances over many bins.
pub fn large() -> TraceReport {
    let mut report = full();
    let counts = Class::ALL
        .into_iter()
        .zip(1..)
        .map(|(class, n): (Class, u64)| (class, 512_000_000 / n.pow(2)));
    report.mix = counts.collect();
    report.trace.path = "hpcg.zst".into();
    report.trace.unknown.clear();
    report.edag = Edag {
        vertices: 823_456_789,
        edges: 1_234_567_890,
        work: 823_456_789,
        depth: 1_834_217,
        memory: Some(memory(
            106_151_255,
            73_703,
            717_305_534,
            1_745_120,
            9_876_543_210,
        )),
    };
    report.movement = Some(Movement {
        interval: 16_384,
        bytes: (0..112)
            .map(|i: u64| 40_000_000 + (i * 7919 % 101) * 900_000)
            .collect(),
    });
    let bins = (0..22).map(|bin: u32| ReuseBin {
        lo: if bin == 0 { 0 } else { 1 << (bin - 1) },
        hi: 1 << bin,
        count: 90_000_000 / (1 + u64::from(bin.abs_diff(6)).pow(2)),
    });
    let histogram: Vec<ReuseBin> = bins.collect();
    let exact = histogram.iter().map(|bin| (bin.lo, bin.count)).collect();
    report.reuse = Some(Reuse {
        line: 64,
        cold: 12_345_678,
        histogram,
        exact,
    });
    report
}
