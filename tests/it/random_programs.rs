//! Random programs with what each instruction reads and writes, known from how it was made and not from
//! any table, and the longest paths of their graphs, found the slow way.

use std::collections::BTreeSet;

/// A generator of pseudo-random numbers (xorshift64*), so that a failing program can be made again.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

/// Regions in the order in which a run comes to them.
#[derive(Default)]
pub struct Regions {
    pub order: Vec<u32>,
}

impl Regions {
    /// The number of a region: one more than the last if it is new.
    pub fn number(&mut self, region: u32) -> u32 {
        let known = self.order.iter().position(|known| *known == region);
        let number = known.unwrap_or_else(|| {
            self.order.push(region);
            self.order.len() - 1
        });
        number as u32
    }
}

/// Where a value can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    Register(usize, &'static str),
    Byte(u64),
}

/// One executed instruction.
#[derive(Clone, Debug)]
pub struct Executed {
    pub line: String,
    pub pc: u64,
    pub reads: Vec<Place>,
    pub writes: Vec<Place>,
    pub accesses_memory: bool,
}

const INTEGERS: [&str; 6] = ["zero", "a0", "a1", "a2", "s1", "t6"];
const FLOATS: [&str; 3] = ["fa0", "fa1", "ft11"];

/// A program of so many instructions on so many harts. Accesses of all widths overlap in a few dozen
/// bytes, across the boundary of 4 KiB.
pub fn program(random: &mut Random, length: usize, harts: usize) -> Vec<Executed> {
    (0..length).map(|_| instruction(random, harts)).collect()
}

/// A program of a few straight pieces that are executed again and again, most of them whole, on harts that take turns. Some
/// pieces have no atomic instructions, and most end with a branch.
pub fn repeated_program(random: &mut Random, executions: usize, harts: usize) -> Vec<Executed> {
    let pieces: Vec<Vec<Executed>> = (0..4).map(|_| piece(random, harts)).collect();
    let mut program = Vec::new();
    for _ in 0..executions {
        let piece = &pieces[random.below(pieces.len() as u64) as usize];
        let end = match random.below(8) {
            0 => random.below(piece.len() as u64) as usize,
            _ => piece.len(),
        };
        program.extend_from_slice(&piece[..end]);
    }
    program
}

/// Instructions of one hart.
fn piece(random: &mut Random, harts: usize) -> Vec<Executed> {
    let hart = random.below(harts as u64).to_string();
    let (length, has_atomics) = (2 + random.below(7) as usize, random.below(3) == 0);
    let mut piece: Vec<Executed> = Vec::new();
    while piece.len() < length {
        let own = instruction(random, harts);
        let text = own.line.split(';').nth(2).expect("the text");
        let is_atomic = ["lr.", "sc.", "amo"]
            .iter()
            .any(|name| text.starts_with(name));
        let is_last = piece.len() + 1 == length && random.below(4) > 0;
        let fits = own.line.starts_with(&hart)
            && (has_atomics || !is_atomic)
            && is_last == text.starts_with("bne");
        piece.extend(fits.then_some(own));
    }
    piece
}

#[expect(clippy::too_many_lines, reason = "a table of instructions")]
fn instruction(random: &mut Random, harts: usize) -> Executed {
    let hart = random.below(harts as u64) as usize;
    let [d, s, t] = std::array::from_fn(|_| random.pick(&INTEGERS));
    let [fd, fs, ft, fr] = std::array::from_fn(|_| random.pick(&FLOATS));
    let address = 0x4000_0fe8 + random.below(48);
    let pc = 0x10000 + 2 * random.below(40);
    let (text, reads, writes, access) = match random.below(14) {
        0 => (format!("add {d},{s},{t}"), vec![s, t], vec![d], None),
        1 => (format!("addi {d},{s},4"), vec![s], vec![d], None),
        2 => (format!("li {d},7"), vec![], vec![d], None),
        3 => (
            format!("bne {s},{t},-6 # 0x104be"),
            vec![s, t],
            vec![],
            None,
        ),
        4 => (
            format!("fmadd.d {fd},{fs},{ft},{fr}"),
            vec![fs, ft, fr],
            vec![fd],
            None,
        ),
        5 => (format!("fcvt.d.w {fd},{s}"), vec![s], vec![fd], None),
        6 => (format!("mulw {d},{s},{t}"), vec![s, t], vec![d], None),
        7 | 8 => {
            let (name, bytes) =
                random.pick(&[("lb", 1), ("lhu", 2), ("lw", 4), ("lwu", 4), ("ld", 8)]);
            (
                format!("{name} {d},0({s})"),
                vec![s],
                vec![d],
                Some((bytes, "r")),
            )
        }
        9 => {
            let (name, bytes) = random.pick(&[("flw", 4), ("fld", 8)]);
            (
                format!("{name} {fd},8({s})"),
                vec![s],
                vec![fd],
                Some((bytes, "r")),
            )
        }
        10 | 11 => {
            let (name, bytes) = random.pick(&[("sb", 1), ("sh", 2), ("sw", 4), ("sd", 8)]);
            (
                format!("{name} {t},0({s})"),
                vec![s, t],
                vec![],
                Some((bytes, "w")),
            )
        }
        12 => (
            format!("fsd {ft},0({s})"),
            vec![s, ft],
            vec![],
            Some((8, "w")),
        ),
        _ => match random.below(5) {
            0 => (format!("lr.w {d},({s})"), vec![s], vec![d], Some((4, "r"))),
            1 => (
                format!("sc.d {d},{t},({s})"),
                vec![s, t],
                vec![d],
                Some((8, "w")),
            ),
            // A store-conditional that failed.
            2 => (format!("sc.w {d},{t},({s})"), vec![s, t], vec![d], None),
            3 => (
                format!("amoadd.w {d},{t},({s})"),
                vec![s, t],
                vec![d],
                Some((4, "rw")),
            ),
            _ => (
                format!("amoswap.d.aqrl {d},{t},({s})"),
                vec![s, t],
                vec![d],
                Some((8, "rw")),
            ),
        },
    };
    let places = |names: Vec<&'static str>, kind: &str| {
        let registers = names
            .into_iter()
            .filter(|name| *name != "zero")
            .map(|name| Place::Register(hart, name));
        let bytes = access
            .iter()
            .filter(|(_, kinds)| kinds.contains(kind))
            .flat_map(|(bytes, _)| 0..*bytes);
        registers
            .chain(bytes.map(|byte| Place::Byte(address + byte)))
            .collect()
    };
    let (reads, writes) = (places(reads, "r"), places(writes, "w"));
    let behind = access.map_or(String::new(), |_| format!(";{address:#x}"));
    Executed {
        line: format!("{hart};{pc:#x};{text}{behind}"),
        pc,
        reads,
        writes,
        accesses_memory: access.is_some(),
    }
}

/// An edge of the graph: the later instruction starts when the earlier one is done, or has started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    pub from: usize,
    pub to: usize,
    pub waits_for: Wait,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wait {
    Value,
    LastWrite,
    StartOfReader,
}

/// All edges, found by looking back from every instruction over all before it.
pub fn edges(program: &[Executed], false_ones: bool) -> Vec<Edge> {
    let mut edges = BTreeSet::new();
    for (to, later) in program.iter().enumerate() {
        for place in &later.reads {
            if let Some(from) = program[..to]
                .iter()
                .rposition(|earlier| earlier.writes.contains(place))
            {
                edges.insert(Edge {
                    from,
                    to,
                    waits_for: Wait::Value,
                });
            }
        }
        for place in later.writes.iter().filter(|_| false_ones) {
            let last = program[..to]
                .iter()
                .rposition(|earlier| earlier.writes.contains(place));
            edges.extend(last.map(|from| Edge {
                from,
                to,
                waits_for: Wait::LastWrite,
            }));
            let readers = (last.map_or(0, |last| last)..to)
                .filter(|from| program[*from].reads.contains(place));
            // The last writer may have read the place before it wrote; it started then all the same.
            edges.extend(readers.map(|from| Edge {
                from,
                to,
                waits_for: Wait::StartOfReader,
            }));
        }
    }
    edges.into_iter().collect()
}

/// The longest path by weight of the vertices.
pub fn longest_path(edges: &[Edge], weights: &[u64]) -> u64 {
    let mut start = vec![0; weights.len()];
    for to in 0..weights.len() {
        let incoming = edges.iter().filter(|edge| edge.to == to);
        let ready = incoming.map(|edge| match edge.waits_for {
            Wait::Value | Wait::LastWrite => start[edge.from] + weights[edge.from],
            Wait::StartOfReader => start[edge.from],
        });
        start[to] = ready.max().unwrap_or(0);
    }
    start
        .iter()
        .zip(weights)
        .map(|(start, weight)| start + weight)
        .max()
        .unwrap_or(0)
}

/// Cycles of a greedy schedule on `processors` processors (unit weights, edges of values only).
pub fn greedy_time(edges: &[Edge], vertices: usize, processors: usize) -> u64 {
    let mut done = vec![u64::MAX; vertices];
    let mut time = 0;
    while done.contains(&u64::MAX) {
        let is_ready = |to: usize| {
            edges
                .iter()
                .filter(|edge| edge.to == to)
                .all(|edge| done[edge.from] <= time)
        };
        let ready: Vec<usize> = (0..vertices)
            .filter(|to| done[*to] == u64::MAX && is_ready(*to))
            .collect();
        time += 1;
        ready
            .into_iter()
            .take(processors)
            .for_each(|vertex| done[vertex] = time);
    }
    time
}
