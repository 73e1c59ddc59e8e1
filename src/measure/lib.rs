//! Micro-benchmarks of the core that runs them: latencies and rates of arithmetic, bandwidths and latencies of caches
//! and memory. What they find is what `loopsheet machine measure` writes into a machine file.
//!
//! Loops are plain Rust that the compiler vectorises, for vectors that are chosen at run time (by `pulp`).
//! Everything is measured in several passes, and each figure is the median of the passes, so that what else runs on the
//! machine for a second or two shifts it little; how far the passes are apart is said beside it.

mod arithmetic;
mod branches;
mod conflicts;
mod forwarding;
mod irregular;
mod memory;
mod rounds;
mod vectors;

pub use rounds::Measured;
pub use vectors::Vectors;

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

impl Figure {
    pub(crate) fn new(
        parameter: impl Into<String>,
        measured: Measured,
        how: impl Into<String>,
    ) -> Figure {
        Figure {
            parameter: parameter.into(),
            measured,
            how: how.into(),
        }
    }
}

/// How often all parts are measured: on machines that others share, a core is slower for a second or two now and then.
pub const PASSES: usize = 5;

/// The figures of several passes, each as their median. What most passes do not have is left out.
pub fn combined(passes: &[Vec<Figure>]) -> Vec<Figure> {
    let mut found: Vec<Figure> = Vec::new();
    for figure in passes.iter().flatten() {
        let name = &figure.parameter;
        if found.iter().any(|known| known.parameter == *name) {
            continue;
        }
        let same = |other: &&Figure| other.parameter == *name;
        let all: Vec<&Figure> = passes.iter().flatten().filter(same).collect();
        if 2 * all.len() <= passes.len() {
            continue;
        }
        let mut values: Vec<f64> = all.iter().map(|figure| figure.measured.value).collect();
        let measured = Measured::of(&mut values);
        // What is said of it is said of the pass that it is taken from.
        let taken = |other: &&&Figure| other.measured.value == measured.value;
        let how = all
            .iter()
            .find(taken)
            .map_or(&figure.how, |taken| &taken.how);
        found.push(Figure::new(name, measured, how));
    }
    found
}

/// What is measured, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Clock,
    Latencies,
    Rates,
    Functions,
    Branches,
    /// What the TLB holds, and as much of the last cache as a core gets.
    Translation,
    /// The cache with this position among those that are given; the one behind the last is memory.
    Level(usize),
}

/// All parts of a machine with these caches.
pub fn parts(caches: &[Cache]) -> Vec<Part> {
    let levels = (0..=caches.len()).map(Part::Level);
    let core = [
        Part::Clock,
        Part::Latencies,
        Part::Rates,
        Part::Functions,
        Part::Branches,
    ];
    core.into_iter()
        .chain([Part::Translation])
        .chain(levels)
        .collect()
}

/// The figures of one part. `known` are those of the parts before it, with the clock among them.
pub fn measure(part: Part, vectors: Vectors, caches: &[Cache], known: &[Figure]) -> Vec<Figure> {
    let find = |name: &str| {
        let found = known.iter().find(|figure| figure.parameter == name);
        found.map(|figure| figure.measured.value)
    };
    let ghz = find("ghz").unwrap_or(1.0);
    match part {
        Part::Clock => vec![arithmetic::clock()],
        Part::Latencies => {
            let mut found = arithmetic::latencies(vectors, ghz);
            found.extend(arithmetic::integer_latencies(vectors, ghz));
            let add = (found.iter()).find(|figure| figure.parameter == "add_latency");
            let add = add.map(|add| add.measured.value);
            found.extend(add.map(|add| arithmetic::window(ghz, add)));
            found.extend(
                add.into_iter()
                    .flat_map(|add| forwarding::figures(vectors, ghz, add)),
            );
            found
        }
        Part::Rates => {
            let mut found = arithmetic::rates(vectors, ghz);
            let mut all = found.iter();
            let slots = all.find(|figure| figure.parameter == "vector_slots");
            let slots = slots.map_or(1.0, |slots| slots.measured.value);
            found.extend(arithmetic::rates_of_comparisons(ghz, slots));
            found
        }
        Part::Functions => arithmetic::functions(ghz),
        Part::Branches => branches::figures(ghz),
        Part::Translation => {
            let line = caches.first().map_or(64, |cache| cache.line);
            let found = irregular::translation(line).into_iter();
            found.chain(memory::last_cache(vectors, caches)).collect()
        }
        Part::Level(at) => {
            let installed = caches.last().map_or(0, |cache| cache.bytes);
            let mut caches = caches.to_vec();
            for cache in &mut caches {
                if let Some(bytes) = find(&format!("l{}_bytes", cache.level)) {
                    cache.bytes = bytes as usize;
                }
            }
            memory::level(vectors, at, &caches, installed, ghz, find("tlb_bytes"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(parameter: &str, value: f64) -> Figure {
        let measured = Measured { value, spread: 0.0 };
        Figure::new(parameter, measured, format!("found {value}"))
    }

    #[test]
    fn a_figure_is_the_median_of_the_passes_that_have_it() {
        let passes = [
            vec![figure("ghz", 3.0), figure("window", 180.0)],
            vec![figure("ghz", 3.1), figure("window", 60.0)],
            vec![
                figure("ghz", 2.9),
                figure("window", 190.0),
                figure("odd", 1.0),
            ],
        ];
        let found = combined(&passes);
        let of = |at: usize| (found[at].measured.value, found[at].how.as_str());
        assert_eq!(found.len(), 2);
        assert_eq!(of(0), (3.0, "found 3"));
        assert_eq!(of(1), (180.0, "found 180"));
    }
}
