//! Micro-benchmarks of the core that runs them: latencies and rates of arithmetic, bandwidths and latencies of caches
//! and memory. What they find is what `loopsheet machine measure` writes into a machine file.
//!
//! Loops are plain Rust that compilers vectorise for the widest vectors of the machine (`pulp` chooses at run time).
//! Each figure is the median of rounds, so that what else runs on the machine shifts it little; how far the rounds are
//! apart is said beside it.

mod arithmetic;
mod memory;
mod rounds;

pub use arithmetic::vector_bytes;
pub use rounds::Measured;

/// A cache of the machine, as its operating system describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Cache {
    /// Counted from one, nearest to the core first.
    pub level: usize,
    pub bytes: usize,
    pub ways: Option<usize>,
    pub line: usize,
    pub shared_by: usize,
}

/// One figure of a machine file.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// As machine files call it.
    pub parameter: String,
    pub measured: Measured,
    /// How it was measured.
    pub how: String,
}

/// What is measured, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Clock,
    Latencies,
    Rates,
    Functions,
    /// The cache with this position among those that are given; the one behind the last is memory.
    Level(usize),
}

/// All parts of a machine with these caches.
pub fn parts(caches: &[Cache]) -> Vec<Part> {
    let levels = (0..=caches.len()).map(Part::Level);
    [Part::Clock, Part::Latencies, Part::Rates, Part::Functions]
        .into_iter()
        .chain(levels)
        .collect()
}

/// The figures of one part. `known` are those of the parts before it, with the clock among them.
pub fn measure(part: Part, caches: &[Cache], known: &[Figure]) -> Vec<Figure> {
    let ghz = known.iter().find(|figure| figure.parameter == "ghz");
    let ghz = ghz.map_or(1.0, |figure| figure.measured.median);
    match part {
        Part::Clock => vec![arithmetic::clock()],
        Part::Latencies => arithmetic::latencies(ghz),
        Part::Rates => arithmetic::rates(ghz),
        Part::Functions => arithmetic::functions(ghz),
        Part::Level(at) => memory::level(at, caches, ghz),
    }
}
