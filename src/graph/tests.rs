use std::num::NonZeroU32;

use proptest::prelude::*;

use super::*;
use crate::trace::isa::{Class, Operands};

fn operands(numbers: &[u8]) -> Operands {
    let mut operands = Operands::default();
    for register in numbers
        .iter()
        .filter_map(|number| Register::integer(*number))
    {
        operands.insert(Operand {
            register,
            extent: Extent::One,
        });
    }
    operands
}

fn step(writes: &[u8], reads: &[u8], access: Option<(AccessKind, u64, u32)>) -> Step {
    let facts = Facts {
        class: Class::Integer,
        reads: operands(reads),
        writes: operands(writes),
        access: None,
        sets_vector_type: None,
        edan_omits: false,
    };
    let accesses = access
        .into_iter()
        .map(|(kind, address, bytes)| Touch {
            address,
            bytes,
            kind,
        })
        .collect();
    Step {
        facts,
        label: String::new(),
        pc: None,
        accesses,
        hart: 0,
        misses: access.is_some(),
        cycles: 1,
    }
}

/// EDAN slide "Exposing Potential Parallelism": a0 … a5 are x10 … x15, all addresses differ.
fn slide() -> Vec<Step> {
    let half = |last: u8, base: u64| {
        [
            step(&[11], &[14], Some((AccessKind::Load, base, 4))),
            step(&[13], &[12], Some((AccessKind::Load, base + 16, 4))),
            step(&[13], &[13, 11], None),
            step(&[15], &[15, 13], None),
            step(&[], &[15, last], Some((AccessKind::Store, base + 32, 4))),
        ]
    };
    half(10, 0x1000)
        .into_iter()
        .chain(half(11, 0x2000))
        .collect()
}

#[test]
fn the_slide_has_depth_5_with_true_and_6_with_all_dependences() {
    let edag = Edag::new(&slide(), Dependences::True).expect("small");
    assert_eq!((edag.work(), edag.depth()), (10, 5));
    let all = Edag::new(&slide(), Dependences::All).expect("small");
    assert_eq!((all.work(), all.depth()), (10, 6));
    assert_eq!((edag.memory_work(), all.memory_work()), (6, 6));
}

#[test]
fn one_path_of_full_length_is_marked() {
    for (dependences, length) in [(Dependences::True, 5), (Dependences::All, 6)] {
        let edag = Edag::new(&slide(), dependences).expect("small");
        let vertices: Vec<NodeIndex> = edag
            .graph
            .node_indices()
            .filter(|v| edag.graph[*v].critical)
            .collect();
        assert_eq!(
            edag.graph
                .edge_weights()
                .filter(|link| link.critical)
                .count(),
            vertices.len() - 1
        );
        for pair in vertices.windows(2) {
            let edge = edag
                .graph
                .find_edge(pair[0], pair[1])
                .expect("neighbours on the path are joined");
            assert!(edag.graph[edge].critical);
        }
        assert_eq!(edag.graph[vertices[0]].start, 0);
        assert_eq!(edag.graph[vertices[vertices.len() - 1]].finish(), length);
    }
}

#[test]
fn memory_dependences_are_exact_to_the_byte_and_cross_harts() {
    let store = step(&[], &[10, 11], Some((AccessKind::Store, 0x103, 1)));
    let mut near = step(&[12], &[13], Some((AccessKind::Load, 0x100, 4)));
    near.hart = 1;
    let beside = step(&[12], &[13], Some((AccessKind::Load, 0x104, 4)));
    let edag = Edag::new(&[store, near, beside], Dependences::True).expect("small");
    let edges: Vec<(usize, usize)> = edag
        .graph
        .edge_references()
        .map(|edge| (edge.source().index(), edge.target().index()))
        .collect();
    assert_eq!(edges, [(0, 1)]);
}

#[test]
fn registers_belong_to_their_hart() {
    let first = step(&[10], &[], None);
    let mut second = step(&[11], &[10], None);
    second.hart = 1;
    assert_eq!(
        Edag::new(&[first, second], Dependences::All)
            .expect("small")
            .graph
            .edge_count(),
        0
    );
}

#[test]
fn longer_traces_are_refused_with_the_limit() {
    let error =
        Edag::new(&vec![step(&[], &[], None); 5001], Dependences::True).expect_err("too long");
    assert!(
        error.to_string().contains("5001") && error.to_string().contains("5000"),
        "{error}"
    );
}

#[test]
fn three_misses_take_one_latency_or_three() {
    let three = NonZeroU32::new(3).expect("not zero");
    let load = |to, from, address| step(&[to], &[from], Some((AccessKind::Load, address, 8)));
    let chained = [load(10, 10, 0), load(10, 10, 64), load(10, 10, 128)];
    let independent = [load(10, 13, 0), load(11, 13, 64), load(12, 13, 128)];
    for (steps, time) in [(chained, 300), (independent, 100)] {
        let edag = Edag::new(&steps, Dependences::True).expect("small");
        assert_eq!(edag.greedy_schedule(three, 100).time, time);
    }
}

/// Longest path with misses as weights by following every edge until nothing changes (Bellman–Ford).
fn slow_memory_depth(edag: &Edag) -> u64 {
    let mut start = vec![0; edag.graph.node_count()];
    let weight = |vertex: NodeIndex| u64::from(edag.graph[vertex].misses);
    for _ in 0..edag.graph.node_count() {
        for edge in edag.graph.edge_references() {
            let (source, target) = (edge.source(), edge.target());
            let own = if edge.weight().kind == Dependence::Anti {
                0
            } else {
                weight(source)
            };
            start[target.index()] = start[target.index()].max(start[source.index()] + own);
        }
    }
    edag.graph
        .node_indices()
        .map(|vertex| start[vertex.index()] + weight(vertex))
        .max()
        .unwrap_or(0)
}

fn any_step() -> impl Strategy<Value = Step> {
    let access = proptest::option::of((0..3u8, 0..24u64, 1..5u32));
    (1..8u8, 1..8u8, 1..8u8, access, any::<bool>(), 0..2u32).prop_map(
        |(to, a, b, access, misses, hart)| {
            let kinds = [AccessKind::Load, AccessKind::Store, AccessKind::Atomic];
            let access =
                access.map(|(kind, address, bytes)| (kinds[usize::from(kind)], address, bytes));
            let mut made = step(&[to], &[a, b], access);
            made.misses = access.is_some() && misses;
            made.hart = hart;
            made
        },
    )
}

proptest! {
    #[test]
    fn a_greedy_schedule_lies_between_the_bounds(
        steps in proptest::collection::vec(any_step(), 0..120),
        slots in 1..9u32,
        latency in 0..300u64,
        all in any::<bool>(),
    ) {
        let edag = Edag::new(&steps, if all { Dependences::All } else { Dependences::True }).expect("small");
        let (work, depth, m) = (edag.memory_work(), edag.memory_depth(), u64::from(slots));
        prop_assert_eq!(depth, slow_memory_depth(&edag));
        let time = edag.greedy_schedule(NonZeroU32::new(slots).expect("not zero"), latency).time;
        // Both bounds times m, in whole numbers.
        prop_assert!(time * m >= work.max(depth * m) * latency, "{time}: {work} {depth} {m} {latency}");
        prop_assert!(time * m <= (work - depth + depth * m) * latency, "{time}: {work} {depth} {m} {latency}");
    }

    #[test]
    fn false_dependences_never_shorten_the_depth(steps in proptest::collection::vec(any_step(), 0..80)) {
        let of = |dependences| Edag::new(&steps, dependences).expect("small");
        let (truly, all) = (of(Dependences::True), of(Dependences::All));
        prop_assert!(truly.depth() <= all.depth() && all.depth() <= all.work());
        prop_assert!(truly.memory_depth() <= all.memory_depth());
    }
}
