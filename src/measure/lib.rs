//! Micro-benchmarks of the core that runs them: latencies and rates of arithmetic, bandwidths and latencies of caches
//! and memory. What they find is what `loopsheet machine measure` writes into a machine file.
//!
//! Loops are plain Rust that compilers vectorise for the widest vectors of the machine (`pulp` chooses at run time).
//! Each figure is the median of rounds, so that what else runs on the machine shifts it little; how far the rounds are
//! apart is said beside it.

mod arithmetic;
mod conflicts;
mod irregular;
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
    /// What the TLB holds, and as much of the last cache as a core gets.
    Translation,
    /// The cache with this position among those that are given; the one behind the last is memory.
    Level(usize),
}

/// All parts of a machine with these caches.
pub fn parts(caches: &[Cache]) -> Vec<Part> {
    let levels = (0..=caches.len()).map(Part::Level);
    let core = [Part::Clock, Part::Latencies, Part::Rates, Part::Functions];
    core.into_iter()
        .chain([Part::Translation])
        .chain(levels)
        .collect()
}

/// The figures of one part. `known` are those of the parts before it, with the clock among them.
pub fn measure(part: Part, caches: &[Cache], known: &[Figure]) -> Vec<Figure> {
    let find = |name: &str| {
        let found = known.iter().find(|figure| figure.parameter == name);
        found.map(|figure| figure.measured.median)
    };
    let ghz = find("ghz").unwrap_or(1.0);
    match part {
        Part::Clock => vec![arithmetic::clock()],
        Part::Latencies => {
            let mut found = arithmetic::latencies(ghz);
            let add = (found.iter()).find(|figure| figure.parameter == "add_latency");
            let window = add.map(|add| arithmetic::window(ghz, add.measured.median));
            found.extend(window);
            found
        }
        Part::Rates => {
            let mut found = arithmetic::rates(ghz);
            let mut all = found.iter();
            let slots = all.find(|figure| figure.parameter == "vector_slots");
            let slots = slots.map_or(1.0, |slots| slots.measured.median);
            found.extend(arithmetic::rates_of_comparisons(ghz, slots));
            found
        }
        Part::Functions => arithmetic::functions(ghz),
        Part::Translation => {
            let line = caches.first().map_or(64, |cache| cache.line);
            let found = irregular::translation(line).into_iter();
            found.chain(memory::last_cache(caches)).collect()
        }
        Part::Level(at) => {
            let installed = caches.last().map_or(0, |cache| cache.bytes);
            let mut caches = caches.to_vec();
            for cache in &mut caches {
                if let Some(bytes) = find(&format!("l{}_bytes", cache.level)) {
                    cache.bytes = bytes as usize;
                }
            }
            memory::level(at, &caches, installed, ghz, find("tlb_bytes"))
        }
    }
}
