use super::*;
use crate::dataflow::{Dependences, MemoryRule, Next, Operation, Steps};
use crate::timeline::{Stay, TimedAccess};
use crate::trace::InstructionId;
use crate::trace::isa::decode_text;

#[derive(Default)]
struct Collected {
    accesses: Vec<TimedAccess>,
    settled: u64,
}

impl TimelineSink for Collected {
    fn access(&mut self, access: &TimedAccess) {
        assert!(
            access.start >= self.settled,
            "an access before what was settled"
        );
        self.accesses.push(access.clone());
    }

    fn settled(&mut self, cycle: u64) {
        assert!(cycle >= self.settled);
        self.settled = cycle;
    }
}

fn level(text: &str, hit: u64, ports: u32, mshrs: u32) -> LevelModel {
    LevelModel {
        spec: text.parse().expect("a cache"),
        hit,
        ports,
        mshrs,
    }
}

fn model(levels: Vec<LevelModel>) -> CoreModel {
    CoreModel {
        window: 8,
        width: 4,
        levels,
        places: Vec::new(),
        ram: 10,
        ram_interval: 0,
        far_interval: 0,
        first_shared: 8,
        blocking_stores: false,
    }
}

/// Start, and hit and miss cycles at every level.
type Access = (u64, Vec<(u64, u64)>);

/// Start, counted from zero, and stays of every access, and cycles of the run.
fn run(model: &CoreModel, program: &[(&str, u64)]) -> (Vec<Access>, CoreCycles) {
    let rules = Rules {
        memory: MemoryRule::Bytes,
        false_dependences: false,
    };
    let mut machine = Machine::real(model, rules).expect("a machine");
    let mut perfect = Machine::perfect(model, rules);
    let mut sink = Collected::default();
    machine.add_hart(0);
    perfect.add_hart(0);
    let (steps, operations) = resolved(rules, program);
    steps.for_each(&operations, &[], |step| {
        machine.step(&step, 1, &mut sink);
        perfect.step(&step, 1, &mut Nobody);
    });
    let stays = |stays: &[Stay]| stays.iter().map(|stay| (stay.hit, stay.miss)).collect();
    (
        sink.accesses
            .iter()
            .map(|access| (access.start - 1, stays(&access.stays)))
            .collect(),
        CoreCycles::of(&machine, perfect.hart_cycles()),
    )
}

fn resolved(rules: Rules, program: &[(&str, u64)]) -> (Steps<()>, Vec<Operation>) {
    let mut dependences = Dependences::new(rules);
    dependences.add_hart(0);
    let (mut steps, mut operations) = (Steps::<()>::default(), Vec::new());
    for (text, address) in program {
        let operation = Operation::of(&decode_text(text).expect("an instruction").facts, 0);
        let addresses = operation.access.map(|_| *address);
        let next = Next {
            instruction: InstructionId(operations.len() as u32),
            operation: &operation,
            addresses: addresses.as_slice(),
        };
        dependences.resolve(next, |_| (), &mut steps);
        operations.push(operation);
    }
    (steps, operations)
}

/// One level: look-up 3 cycles, RAM 10, four ports, three MSHRs. Two misses start at once; a load of the
/// first one's line waits for it from cycle 3 to 13. A third miss takes the last MSHR, so that the level takes nothing
/// more until cycle 13: not the fourth line, nor the first one again, which hits when it is there.
#[test]
fn misses_share_lines_and_a_level_without_registers_takes_nothing() {
    let machine = model(vec![level("1KiB,full", 3, 4, 3)]);
    let program = [
        ("lw a0,0(s0)", 0x000),
        ("lw a1,0(s0)", 0x100),
        ("lw a2,0(s0)", 0x004),
        ("lw a3,0(s0)", 0x200),
        ("lw a4,0(s0)", 0x300),
        ("lw a5,0(s0)", 0x008),
        ("lw a6,0(a5)", 0x108),
    ];
    let (accesses, cycles) = run(&machine, &program);
    let (miss, hit) = (vec![(3, 10)], vec![(3, 0)]);
    let mut expected: Vec<Access> = [0, 0, 0, 0, 13].map(|start| (start, miss.clone())).into();
    expected.extend([(13, hit.clone()), (16, hit)]);
    assert_eq!(accesses, expected);
    // The fourth line is there in cycle 26. Perfect: the last but one enters and starts in cycle 1, the last in cycle 4.
    let expected = CoreCycles {
        instructions: 7,
        cycles: 26,
        hart_cycles: 26,
        perfect_cycles: 7,
    };
    assert_eq!(cycles, expected);
}

/// An access of bytes 60 to 67 looks up both lines, and is done with the later one: with one port a cycle later.
#[test]
fn an_access_across_lines_is_one_to_each() {
    let machine = model(vec![level("1KiB,full", 3, 1, 4)]);
    let (accesses, cycles) = run(&machine, &[("ld a0,0(s0)", 60)]);
    assert_eq!(accesses, [(0, vec![(3, 10)]), (1, vec![(3, 10)])]);
    assert_eq!(cycles.cycles, 14);
}

/// Two levels: the stay at the second is the miss of the first. One port at the first level: the second
/// access starts per cycle later.
#[test]
fn a_stay_is_the_miss_of_the_level_before() {
    let machine = model(vec![
        level("128B,full", 2, 1, 4),
        level("1KiB,full", 5, 1, 4),
    ]);
    let lines = [0x000, 0x100, 0x200, 0x300];
    let mut program: Vec<(&str, u64)> = lines.iter().map(|line| ("lw a0,0(s0)", *line)).collect();
    // When all is quiet, the first line is in the second level only.
    program.extend([("lw a1,0(a0)", 0x000), ("lw a2,0(a1)", 0x000)]);
    let (accesses, _) = run(&machine, &program);
    let from_ram = vec![(2, 15), (5, 10)];
    assert_eq!(
        accesses[..4],
        [0, 1, 2, 3].map(|start| (start, from_ram.clone()))
    );
    assert_eq!(accesses[4], (20, vec![(2, 5), (5, 0)]));
    assert_eq!(accesses[5], (27, vec![(2, 0)]));
}

/// Window 2: the third instruction enters when the first has retired. Stores retire without their data.
#[test]
fn the_window_holds_back_and_stores_do_not() {
    let machine = CoreModel {
        window: 2,
        ..model(vec![level("1KiB,full", 3, 4, 4)])
    };
    let (loads, _) = run(
        &machine,
        &[("lw a0,0(s0)", 0), ("li a1,1", 0), ("lw a2,0(s0)", 0x100)],
    );
    assert_eq!(
        loads.iter().map(|access| access.0).collect::<Vec<u64>>(),
        [0, 13]
    );
    let program = [("sw a0,0(s0)", 0), ("li a1,1", 0), ("lw a2,0(s0)", 0x100)];
    let (stores, _) = run(&machine, &program);
    assert_eq!(
        stores.iter().map(|access| access.0).collect::<Vec<u64>>(),
        [0, 1]
    );
    let (blocking, _) = run(
        &CoreModel {
            blocking_stores: true,
            ..machine
        },
        &program,
    );
    assert_eq!(
        blocking.iter().map(|access| access.0).collect::<Vec<u64>>(),
        [0, 13]
    );
}

/// Width 1: one instruction enters and issues a cycle.
#[test]
fn the_width_limits_entering() {
    let machine = CoreModel {
        width: 1,
        ..model(vec![level("1KiB,full", 3, 4, 4)])
    };
    let (accesses, _) = run(
        &machine,
        &[("lw a0,0(s0)", 0), ("li a1,1", 0), ("lw a2,0(s0)", 0x100)],
    );
    assert_eq!(
        accesses.iter().map(|access| access.0).collect::<Vec<u64>>(),
        [0, 2]
    );
}

/// RAM takes up an access 4 cycles after the one before: of two that get there in cycle 3 one waits until 7.
#[test]
fn ram_takes_up_one_access_at_a_time() {
    let machine = CoreModel {
        ram_interval: 4,
        ..model(vec![level("1KiB,full", 3, 4, 4)])
    };
    let (accesses, _) = run(&machine, &[("lw a0,0(s0)", 0), ("lw a1,0(s0)", 0x100)]);
    assert_eq!(accesses, [(0, vec![(3, 10)]), (0, vec![(3, 14)])]);
}

/// Half of the pages are in a memory of its own, which takes an access up beside RAM, and is 5 cycles farther away.
#[test]
fn memories_side_by_side_take_up_accesses_of_their_own() {
    let half = Place {
        low: 0,
        high: u64::MAX,
        cycles: 15,
        pages: Pages::percent(50).expect("a share"),
    };
    let machine = CoreModel {
        ram_interval: 4,
        far_interval: 6,
        places: vec![half],
        ..model(vec![level("1KiB,full", 3, 4, 4)])
    };
    let loads = ["lw a0,0(s0)", "lw a1,0(s0)", "lw a2,0(s0)", "lw a3,0(s0)"];
    let addresses = [0, 0x1000, 0x2100, 0x3100];
    let program: Vec<(&str, u64)> = loads.into_iter().zip(addresses).collect();
    let (accesses, _) = run(&machine, &program);
    let misses: Vec<u64> = accesses.iter().map(|(_, stays)| stays[0].1).collect();
    assert_eq!(misses, [10, 15, 14, 21]);
}

#[test]
fn so_many_of_a_hundred_pages_are_elsewhere() {
    for percent in [0, 1, 25, 33, 50, 99, 100] {
        let pages = Pages::percent(percent).expect("a share");
        let count = |from: u64, to: u64| {
            let pages = (from..to).filter(|page| pages.hold(page * PAGE));
            pages.count() as u64
        };
        assert_eq!(count(700, 800), percent);
        // Spread evenly: of so many pages about their share.
        assert!(count(0, 10).abs_diff(percent / 10) <= 1);
    }
    assert_eq!(Pages::percent(101), None);
}

/// Without limits of ports and of issue, each of the layouts takes as long as the core with its memory laid out so, to the
/// cycle: registers, lines under way, bandwidth and windows are the same.
#[test]
fn layouts_are_the_core_without_ports_and_issue_limits() {
    let rules = Rules::default();
    let place = |low: u64, cycles, percent| Place {
        low,
        high: low + 0x4000,
        cycles,
        pages: Pages::percent(percent).expect("a share"),
    };
    let layouts = [
        vec![],
        vec![place(0, 40, 100)],
        vec![place(0x4000, 40, 100)],
        vec![place(0, 25, 50), place(0x4000, 90, 100)],
        vec![place(0, 90, 33), place(0x4000, 90, 33)],
    ];
    let mut state = 1_u64;
    let mut random = move |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % below
    };
    for seed in 0..40 {
        let levels = vec![
            level("512B,2way", 3, u32::MAX, 2 + seed % 4),
            level("2KiB,full", 5, u32::MAX, 3 + seed % 3),
        ];
        let model = CoreModel {
            // As many as can be ready at once.
            width: 64,
            window: 4 + 4 * seed as usize,
            ram_interval: u64::from(seed % 3) * 4,
            far_interval: u64::from(seed % 5) * 3,
            blocking_stores: seed % 4 == 0,
            ..model(levels)
        };
        let texts: Vec<String> = (0..1500).map(|_| instruction(&mut random)).collect();
        let program: Vec<(&str, u64)> = texts
            .iter()
            .map(|text| (text.as_str(), random(0x1000) * 8 + random(4)))
            .collect();
        let mut all = Layouts::new(&model, &layouts, rules).expect("machines");
        all.add_hart(0);
        let (steps, operations) = resolved(rules, &program);
        steps.for_each(&operations, &[], |step| all.step(&step, 2));
        let expected = layouts.each_ref().map(|places| {
            let places = places.clone();
            let one = CoreModel {
                places,
                ..model.clone()
            };
            let mut machine = Machine::real(&one, rules).expect("a machine");
            machine.add_hart(0);
            steps.for_each(&operations, &[], |step| machine.step(&step, 2, &mut Nobody));
            machine.cycles()
        });
        assert_eq!(all.cycles(), expected, "seed {seed}");
        assert!(expected[0] < expected[3], "seed {seed}: {expected:?}");
    }
}

fn instruction(random: &mut impl FnMut(u64) -> u64) -> String {
    let register = |number: u64| format!("a{}", number % 6);
    let (to, from, other) = (
        register(random(6)),
        register(random(6)),
        register(random(6)),
    );
    match random(5) {
        0 => format!("ld {to},0({from})"),
        1 => format!("lw {to},0(s0)"),
        2 => format!("sd {to},0({from})"),
        _ => format!("add {to},{from},{other}"),
    }
}
