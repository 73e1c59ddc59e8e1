//! The table of machine parameters: the only place where their names, units and ranges are written.

/// What values a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParameterKind {
    /// Any number in the range.
    Real,
    /// A whole number in the range.
    Integer,
    /// A whole number of bytes; `48 KiB` may be written for it.
    Size,
    /// 0 is off, 1 is on.
    Switch,
}

/// What a machine has that does not say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fallback {
    /// Nothing: it must say.
    Required,
    /// It is unknown, and so is what depends on it.
    Unknown,
    /// This value.
    Value(f64),
    /// One core's share of the last cache level: its size over the cores that share it.
    ShareOfLastLevel,
}

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParameterRow {
    /// As in `--set` and the workbook's defined names; without the `l1_` of a cache level.
    pub name: &'static str,
    /// Heading in the sheet.
    pub label: &'static str,
    /// Empty for a pure number.
    pub unit: &'static str,
    pub description: &'static str,
    pub kind: ParameterKind,
    /// Smallest and largest allowed value.
    pub range: (f64, f64),
    pub fallback: Fallback,
}

/// Number of cache levels that can be described.
pub const MAX_LEVELS: usize = 4;

use Fallback::{Required, ShareOfLastLevel, Unknown, Value};
use ParameterKind::{Integer, Real, Size, Switch};

type Columns = (
    &'static str,
    &'static str,
    &'static str,
    ParameterKind,
    (f64, f64),
    Fallback,
    &'static str,
);

const fn row((name, label, unit, kind, range, fallback, description): Columns) -> ParameterRow {
    ParameterRow {
        name,
        label,
        unit,
        description,
        kind,
        range,
        fallback,
    }
}

/// Arithmetic and registers.
#[rustfmt::skip]
pub const CORE_PARAMETERS: &[ParameterRow] = &[
    row(("cores", "Cores", "cores", Integer, (1.0, 1e7), Required, "Cores, or hardware threads, of the whole machine")),
    row(("ghz", "Clock", "GHz", Real, (0.001, 100.0), Unknown, "Clock of a core in sustained vector work")),
    row(("gflops_per_core", "Peak per core", "Gflop/s", Real, (1e-3, 1e5), Required, "Double-precision additions and multiplications of one core per second, at best")),
    row(("fp_registers", "Floating-point registers", "registers", Integer, (1.0, 4096.0), Value(32.0), "Floating-point or vector registers that a program can name")),
    row(("int_registers", "Integer registers", "registers", Integer, (1.0, 4096.0), Value(16.0), "General-purpose registers that a program can name")),
    row(("int_reserved", "Reserved integer registers", "registers", Integer, (0.0, 4096.0), Value(1.0), "Integer registers that hold no value of a loop: the stack pointer and its like")),
    row(("cost_div", "Cost of a division", "flop", Real, (0.0, 1e5), Value(39.0), "Additions that take as long as one division; ExaSAT's default is 39")),
    row(("cost_special", "Cost of a special", "flop", Real, (0.0, 1e5), Value(125.0), "Additions that take as long as one sqrt, exp, sin …; ExaSAT's default is 125")),
    row(("text_ns", "Text output of a number", "ns", Real, (0.0, 1e6), Value(150.0), "Time in which one core writes a number as text (printf, write with a format): an estimate for any machine; GCC 12's libraries took 40 (integers in C) to 440 (reals in Fortran)")),
    row(("fma_aware", "Fused multiply-add", "", Switch, (0.0, 1.0), Value(0.0), "1: an addition that can be fused with a multiplication costs nothing")),
];

/// What a core does in a cycle, and how long its operations take: the in-core time counts where all of [`IN_CORE`] are known.
#[rustfmt::skip]
pub const IN_CORE_PARAMETERS: &[ParameterRow] = &[
    row(("vector_bytes", "Vector", "B", Integer, (4.0, 4096.0), Unknown, "Bytes of the vectors that compilers use")),
    row(("vector_slots", "Slots of a vector", "", Real, (0.25, 64.0), Value(1.0), "Scalar instructions that take as long to issue as one vector instruction")),
    row(("loads_per_cycle", "Loads per cycle", "1/cycle", Real, (0.01, 64.0), Unknown, "Floating-point loads per cycle from L1")),
    row(("stores_per_cycle", "Stores per cycle", "1/cycle", Real, (0.01, 64.0), Unknown, "Floating-point stores per cycle to L1")),
    row(("adds_per_cycle", "Additions per cycle", "1/cycle", Real, (0.01, 64.0), Unknown, "Additions, subtractions, minima and maxima that can begin per cycle")),
    row(("multiplies_per_cycle", "Multiplications per cycle", "1/cycle", Real, (0.01, 64.0), Unknown, "Multiplications, fused with additions or not, that can begin per cycle")),
    row(("arithmetic_per_cycle", "Arithmetic per cycle", "1/cycle", Real, (0.01, 64.0), Unknown, "Additions and multiplications together that can begin per cycle")),
    row(("minima_per_cycle", "Minima per cycle", "per cycle", Real, (0.01, 64.0), Unknown, "Minima, maxima and absolute values; empty: as many as additions, whose units execute them on most cores")),
    row(("choices_per_cycle", "Choices per cycle", "per cycle", Real, (0.01, 64.0), Unknown, "In vectors: comparisons, each with a choice between two values by it; empty: half as many as additions, as they are two instructions")),
    row(("add_latency", "Addition, latency", "cycles", Real, (0.1, 1e4), Unknown, "From the operands of an addition to its result")),
    row(("multiply_latency", "Multiplication, latency", "cycles", Real, (0.1, 1e4), Unknown, "From the operands of a multiplication to its result")),
    row(("fma_latency", "Fused multiply-add, latency", "cycles", Real, (0.1, 1e4), Unknown, "From the factors of a fused multiply-add to its result")),
    row(("divide_latency", "Division, latency", "cycles", Real, (0.1, 1e4), Unknown, "From the operands of a division to its result")),
    row(("root_latency", "Square root, latency", "cycles", Real, (0.1, 1e4), Unknown, "From the operand of a square root to its result")),
    row(("minimum_latency", "Minimum, latency", "cycles", Real, (0.1, 1e4), Unknown, "From the operands of a minimum, a maximum or a choice by a comparison to its result; empty: as an addition")),
    row(("integer_latency", "Integer operation, latency", "cycles", Real, (0.1, 1e4), Value(1.0), "From the operands of an addition, shift or logical operation of integers to its result, where iterations wait for each other's")),
    row(("integer_multiply_latency", "Integer multiplication, latency", "cycles", Real, (0.1, 1e4), Value(3.0), "The same for multiplications of integers: a rough figure for any machine")),
    row(("integer_divide_latency", "Integer division, latency", "cycles", Real, (0.1, 1e4), Value(15.0), "The same for quotients and remainders of integers whose divisor no literal gives: a rough figure for any machine")),
    row(("divide_cycles", "Division, scalar", "cycles", Real, (0.01, 1e4), Unknown, "Cycles between the starts of two scalar divisions")),
    row(("root_cycles", "Square root, scalar", "cycles", Real, (0.01, 1e4), Unknown, "Cycles between the starts of two scalar square roots")),
    row(("divide_vector_cycles", "Division, in vectors", "cycles", Real, (0.01, 1e4), Unknown, "The same for divisions in vectors of doubles, per element")),
    row(("root_vector_cycles", "Square root, in vectors", "cycles", Real, (0.01, 1e4), Unknown, "The same for square roots in vectors of doubles, per element")),
    row(("exp_cycles", "Exponential", "cycles", Real, (0.01, 1e5), Unknown, "One call of exp from the system's library, overlapping with others; empty: cost_special additions at peak. Functions without a parameter of their own take as long")),
    row(("log_cycles", "Logarithm", "cycles", Real, (0.01, 1e5), Unknown, "The same for log")),
    row(("trig_cycles", "Sine", "cycles", Real, (0.01, 1e5), Unknown, "The same for sin, cos and tan")),
    row(("pow_cycles", "Power", "cycles", Real, (0.01, 1e5), Unknown, "The same for pow")),
    row(("minimum_cycles", "Minimum of C", "cycles", Real, (0.0, 1e5), Unknown, "One call of C's fmin or fmax, overlapping with others; 0: an instruction, in vectors too; empty: cost_special additions at peak")),
    row(("integer_divide_cycles", "Integer division", "cycles", Real, (0.0, 1e4), Unknown, "Cycles between the starts of two 32-bit integer divisions, none of them in vectors; empty: cost_special additions at peak")),
    row(("split_slots", "Cost of a split", "", Real, (0.0, 64.0), Value(0.0), "Extra loads equivalent to a vector access that spans two cache lines instead of one")),
    row(("iteration_cycles", "Minimum cycles per iteration", "cycles", Real, (0.0, 1e3), Value(0.0), "Minimum cycles per iteration, set by the loop branch; for vectors per vector of elements")),
    row(("call_cycles", "Call of a procedure", "cycles", Real, (0.0, 1e5), Value(5.0), "What a call costs where compilers leave it as one: call, return, and the registers that are kept meanwhile; an estimate for any machine")),
    row(("allocation_cycles", "Allocation", "cycles", Real, (0.0, 1e6), Value(50.0), "One call of malloc, free or their kin: a rough figure for any machine; GNU's library took 12 for small blocks that come and go, 1,500 and more for many large ones")),
    row(("set_lines", "Outstanding lines of a set", "lines", Real, (0.1, 1e6), Unknown, "Lines of one set of a cache that a core can have outstanding: fewer than of all sets where lines of few sets evict each other; empty: such lines take no time of their own")),
    row(("evicted_store_cycles", "Store to an evicted line", "cycles", Real, (0.0, 1e5), Unknown, "Cycles between two stores where the lines of later stores, which the core fetches ahead, evict a line from L1 before its store is done; empty: as for loads")),
    row(("stores_ahead", "Stores ahead", "stores", Real, (0.0, 1e6), Unknown, "Stores whose lines a core fetches before it is their turn: where the sets that they fall into hold fewer lines, evicted_store_cycles applies")),
    row(("branch_cycles", "Branch mispredicted", "cycles", Real, (0.0, 1e4), Value(20.0), "What a branch costs that goes another way than the core predicted: a rough figure for any machine")),
    row(("branches_remembered", "Branches remembered", "branches", Real, (0.0, 1e9), Value(16000.0), "With warm at 1: mispredicted branches of which the core remembers half when the same data come again: a rough figure for any machine; 0: none")),
    row(("window", "Reorder window", "instructions", Real, (0.0, 1e6), Value(0.0), "Instructions that a core holds while it waits: where a loop is shorter, its next execution begins before it ends; 0: none")),
    row(("forward_cycles", "Store to load", "cycles", Real, (0.0, 1e4), Value(0.0), "From a store of an element to a load of the same element that follows; 0: nothing waits for it")),
    row(("blocked_load_cycles", "Store to a wider load", "cycles", Real, (0.0, 1e4), Value(0.0), "From a store to a load of a vector of which it has only a part; 0: nothing waits for it")),
];

/// Without one of these there is no in-core time.
pub const IN_CORE: [&str; 17] = [
    "ghz",
    "vector_bytes",
    "loads_per_cycle",
    "stores_per_cycle",
    "adds_per_cycle",
    "multiplies_per_cycle",
    "arithmetic_per_cycle",
    "add_latency",
    "multiply_latency",
    "fma_latency",
    "divide_latency",
    "root_latency",
    "divide_cycles",
    "root_cycles",
    "divide_vector_cycles",
    "root_vector_cycles",
    "vector_slots",
];

/// Costs of functions of the library; where one is unknown, `cost_special` additions at peak take its place.
pub const FUNCTION_CYCLES: [&str; 6] = [
    "exp_cycles",
    "log_cycles",
    "trig_cycles",
    "pow_cycles",
    "minimum_cycles",
    "integer_divide_cycles",
];

/// One cache level; each name is preceded by `l1_` … `l4_`.
#[rustfmt::skip]
pub const LEVEL_PARAMETERS: &[ParameterRow] = &[
    row(("bytes", "size", "B", Size, (1.0, 1e13), Unknown, "Capacity of one instance; empty: there is no such level")),
    row(("gbs", "bandwidth per core", "GB/s", Real, (1e-3, 1e6), Unknown, "10⁹ bytes per second that one core gets from this level; empty: unknown, sets no bound")),
    row(("ways", "ways", "ways", Integer, (1.0, 1e6), Unknown, "Associativity, for simulation; empty: fully associative")),
    row(("latency_cycles", "latency", "cycles", Integer, (0.0, 1e5), Unknown, "Load to use on a hit in this level, for simulation and irregular lines")),
    row(("irregular_lines", "outstanding irregular lines", "lines", Real, (0.1, 1e6), Unknown, "Lines of this level, L2 and beyond, that one core can have outstanding where no prefetcher predicts them; empty: all lines arrive at the level's bandwidth")),
    row(("shared_by", "shared by", "cores", Integer, (1.0, 1e7), Value(1.0), "Cores that share one instance")),
];

/// Memory, the model's switches, the network.
#[rustfmt::skip]
pub const MEMORY_PARAMETERS: &[ParameterRow] = &[
    row(("line_bytes", "Cache line", "B", Size, (1.0, 65536.0), Required, "Bytes that move together, at every level")),
    row(("cache_bytes", "Cache per core", "B", Size, (1.0, 1e13), ShareOfLastLevel, "One core's share of the last level, with which ExaSAT's scenarios compare working sets")),
    row(("gather_lines", "Lines per gather", "lines", Real, (0.0, 16.0), Value(1.0), "Cache lines moved for one element that is addressed through an index array")),
    row(("dram_gbs", "Memory bandwidth", "GB/s", Real, (1e-3, 1e9), Required, "10⁹ bytes per second between memory and all cores together")),
    row(("dram_latency_ns", "Memory latency", "ns", Real, (0.0, 1e6), Unknown, "From a load that misses every cache to its data, memory idle; with dram_lines_in_flight it limits the bandwidth")),
    row(("dram_lines_in_flight", "Outstanding cache lines per core", "lines", Real, (0.0, 1e6), Unknown, "Cache lines that one core can have outstanding (miss registers of its last private level): no more than all cores' lines arrive in one latency; 0: no limit")),
    row(("dram_irregular_lines", "Outstanding irregular lines", "lines", Real, (0.1, 1e6), Unknown, "Lines of memory that one core can have outstanding where no prefetcher predicts them; where this, dram_latency_ns, and latency_cycles and irregular_lines of every cache from L2 on are known, such lines have a time of their own")),
    row(("page_bytes", "Page", "B", Size, (1.0, 1e12), Value(4096.0), "Bytes of memory covered by one TLB entry")),
    row(("tlb_bytes", "TLB reach", "B", Size, (1.0, 1e13), Unknown, "Bytes of all pages held by the last-level TLB of a core; empty: it holds all")),
    row(("tlb_miss_ns", "Page miss", "ns", Real, (0.0, 1e6), Unknown, "Extra time of an irregular access to a page that is not in the TLB, overlapping with others")),
    row((SCENARIOS, "DRAM traffic by scenarios", "", Switch, (0.0, 1.0), Value(0.0), "1: DRAM traffic, and time, by ExaSAT's scenarios; 0: by the refined rule, as that of the last cache")),
    row(("cost_r", "Bytes moved per byte read", "B/B", Real, (0.0, 16.0), Value(1.0), "Scenarios: memory traffic for one byte of a stream that is only read")),
    row(("cost_rw", "Bytes moved per byte updated", "B/B", Real, (0.0, 16.0), Value(2.0), "Scenarios: memory traffic for one byte of a stream that is read and written")),
    row(("cost_w", "Bytes moved per byte written", "B/B", Real, (0.0, 16.0), Value(2.0), "Memory traffic for one byte of a stream that is only written: 2 with write-allocate, 1 without")),
    row(("streaming_writes", "Streaming writes", "", Switch, (0.0, 1.0), Value(0.0), "Scenarios: 1: written streams take no room in the cache")),
    row(("nta_hints", "NTA hints", "", Switch, (0.0, 1.0), Value(0.0), "Scenarios: 1: read streams without reuse take no room in the cache either")),
    row(("reuse_between_nests", "Reuse between nests", "", Switch, (0.0, 1.0), Value(0.0), "1: a nest finds in the caches what earlier nests of its function left there; 0: only what those in a loop around both left there")),
    row(("overlap", "Overlap", "", Real, (0.0, 1.0), Value(1.0), "1: arithmetic and memory time overlap fully; 0: they add up")),
    row(("access_overlap", "Overlap of accesses", "", Real, (0.0, 1.0), Value(1.0), "In-core time: 1: loads and stores proceed while lines arrive from memory; 0: they wait")),
    row(("warm", "Warm caches", "", Switch, (0.0, 1.0), Value(0.0), "1: a nest finds in every cache large enough for all of its data what its last execution left there; 0: caches are cold when it begins")),
    row(("vectorise", "Vectorised", "", Switch, (0.0, 1.0), Value(1.0), "In-core time: 1: compilers use vectors where iterations do not wait for each other; 0: code is scalar")),
    row(("reorder_sums", "Sums reordered", "", Switch, (0.0, 1.0), Value(0.0), "In-core time: 1: compilers may change the order of sums (-ffast-math, -Ofast, -fassociative-math), so that vectors hold parts of them; 0: additions wait for each other")),
    row(("vector_functions", "Functions in vectors", "", Switch, (0.0, 1.0), Value(0.0), "In-core time: 1: exp, sqrt … come in vectors (-ffast-math, -Ofast); 0: a loop that calls them is scalar")),
    row(("random_branches", "Random branches", "", Real, (0.0, 1.0), Value(0.5), "In-core time: the share of branches decided by data that no predictor foresees: 1 if data are random, 0 if they are sorted or regular; nothing in a source says which")),
    row(("nic_gbs", "Network bandwidth", "GB/s", Real, (1e-6, 1e9), Unknown, "10⁹ bytes per second of one node's network interface")),
    row(("nic_latency_us", "Network latency", "µs", Real, (0.0, 1e6), Unknown, "Time of an empty message")),
    row(("nic_full_duplex", "Receives beside sends", "", Switch, (0.0, 1.0), Value(1.0), "1: a process receives while it sends, so receiving takes no extra time; 0: it takes turns")),
    row(("long_message_bytes", "Long messages", "B", Size, (1.0, 1e13), Value(2048.0), "Collectives that move more use the algorithms for long messages; MPICH's limit for reductions")),
];

/// Full names and rows of all parameters in the order of the sheet: core, in-core, levels L1 … L4, memory.
pub fn all_parameters() -> impl Iterator<Item = (String, Option<usize>, &'static ParameterRow)> {
    let plain = |row: &'static ParameterRow| (row.name.to_string(), None, row);
    let levels = (1..=MAX_LEVELS).flat_map(|level| {
        LEVEL_PARAMETERS
            .iter()
            .map(move |row| (level_name(level, row.name), Some(level), row))
    });
    CORE_PARAMETERS
        .iter()
        .chain(IN_CORE_PARAMETERS)
        .map(plain)
        .chain(levels)
        .chain(MEMORY_PARAMETERS.iter().map(plain))
}

/// The switch between the two rules for DRAM traffic: the refined one, and ExaSAT's scenarios.
pub const SCENARIOS: &str = "scenarios";

/// What only the scenarios read, and for all but the size of the cache, what the refined rule takes in its place: every
/// line that is read is fetched, what is written goes back once, and everything shares the caches.
pub const OF_SCENARIOS: [(&str, Option<f64>); 5] = [
    ("cache_bytes", None),
    ("cost_r", Some(1.0)),
    ("cost_rw", Some(2.0)),
    ("streaming_writes", Some(0.0)),
    ("nta_hints", Some(0.0)),
];

/// Together they limit what memory delivers; without one of them there is no such limit (`model::roofline`).
pub const LATENCY_LIMIT: [&str; 2] = ["dram_latency_ns", "dram_lines_in_flight"];

/// What an irregular line of memory takes; of a cache, its [`LEVEL_LATENCY`].
pub const IRREGULAR: [&str; 2] = ["dram_latency_ns", "dram_irregular_lines"];
pub const LEVEL_LATENCY: [&str; 2] = ["latency_cycles", "irregular_lines"];
/// What lines take that evict each other from few sets of a cache.
pub const CONFLICTS: [&str; 3] = ["set_lines", "evicted_store_cycles", "stores_ahead"];
/// Rates of comparisons; where one is unknown, that of additions says it.
pub const COMPARED: [&str; 2] = ["minima_per_cycle", "choices_per_cycle"];
/// Whether caches have what the last execution of a nest left there.
pub const WARM: &str = "warm";
/// The latency of comparisons; where it is unknown, that of additions says it.
pub const MINIMUM_LATENCY: &str = "minimum_latency";
/// What the TLB holds, and what a page that it does not hold takes.
pub const TRANSLATION: [&str; 2] = ["tlb_bytes", "tlb_miss_ns"];

/// What formulas take for a figure of a cache level that the machine lacks or that nobody knows: no bytes, no
/// bandwidth, shared with nobody; and for what limits nothing where it is not known. `None` for all other parameters.
pub fn absent(name: &str) -> Option<f64> {
    let limits: [&[&str]; 8] = [
        &LATENCY_LIMIT,
        &IN_CORE,
        &FUNCTION_CYCLES,
        &IRREGULAR,
        &CONFLICTS,
        &COMPARED,
        &[MINIMUM_LATENCY],
        &TRANSLATION,
    ];
    if limits.iter().any(|names| names.contains(&name)) {
        return Some(0.0);
    }
    match of_level(name)? {
        "bytes" | "gbs" | "ways" | "latency_cycles" | "irregular_lines" => Some(0.0),
        "shared_by" => Some(1.0),
        _ => None,
    }
}

/// What the parameter of a cache level says of it, without the level: `gbs` of `l2_gbs`.
pub fn of_level(name: &str) -> Option<&'static str> {
    all_parameters()
        .find(|(known, level, _)| level.is_some() && known == name)
        .map(|(.., row)| row.name)
}

/// `l2_gbs` for the bandwidth of level 2, counted from one.
pub fn level_name(level: usize, name: &str) -> String {
    format!("l{level}_{name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_fallbacks_are_in_range() {
        let mut seen = std::collections::BTreeSet::new();
        for (name, _, row) in all_parameters() {
            assert!(seen.insert(name.clone()), "{name}");
            assert!(row.range.0 < row.range.1, "{name}");
            if let Fallback::Value(value) = row.fallback {
                assert!((row.range.0..=row.range.1).contains(&value), "{name}");
            }
        }
    }

    /// The names that scripts rely on.
    #[test]
    fn the_promised_names_are_there() {
        let names: Vec<String> = all_parameters().map(|(name, ..)| name).collect();
        let wanted = "cores ghz gflops_per_core dram_gbs dram_latency_ns cache_bytes line_bytes cost_r cost_rw cost_w \
             cost_div cost_special streaming_writes nta_hints overlap nic_gbs nic_latency_us l1_bytes l1_gbs l2_bytes";
        for name in wanted.split_whitespace() {
            assert!(names.iter().any(|known| known == name), "{name}");
        }
    }
}
