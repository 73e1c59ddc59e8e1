//! The columns of a sweep's rows: names with their units, and what they mean.

use serde::{Deserialize, Serialize};

pub use loopsheet_base::formula::ColumnType;

/// A row of the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct ColumnEntry {
    pub name: &'static str,
    pub holds: ColumnType,
    /// Empty where there is none.
    pub unit: &'static str,
    pub meaning: &'static str,
}

macro_rules! columns {
    ($($column:ident $name:literal $holds:ident $unit:literal $meaning:literal;)*) => {
        /// A column; those of `--set` stand behind [`Column::Machine`], under their own names.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Column {
            $(#[serde(rename = $name)] $column,)*
        }

        impl Column {
            /// All, in their order.
            pub const ALL: &'static [Column] = &[$(Column::$column,)*];

            pub fn entry(self) -> ColumnEntry {
                match self {
                    $(Column::$column => ColumnEntry {
                        name: $name,
                        holds: ColumnType::$holds,
                        unit: $unit,
                        meaning: $meaning,
                    },)*
                }
            }
        }
    };
}

// Names are no words of SQL, so that queries need no quotes.
columns! {
    Input "input" Text "" "The source or trace, as sweep.toml names it";
    Kind "kind" Text "" "program or nest of a source; trace: one run with caches; epochs: one window and capacity; error: a shard that failed";
    Nest "nest" Text "" "The loop that stands for a nest";
    Function "function" Text "" "The function of a nest";
    File "file" Text "" "The file of a nest";
    Line "line" Integer "" "The line where a nest begins";
    Machine "machine" Text "" "The machine, as sweep.toml names it";
    Caches "caches" Text "" "Caches, nearest first; none is no cache";
    FirstCacheBytes "first_cache_bytes" Integer "B" "Size of the nearest cache";
    LastCacheBytes "last_cache_bytes" Integer "B" "Size of the farthest cache";
    AreaMm2 "area_mm2" Number "mm²" "Area of all caches, as sweep.toml has it";
    Window "window_instructions" Integer "instructions" "Reorder window of epochs";
    EpochSlots "epoch_slots" Integer "accesses" "m of epochs: misses that can start in one; empty is no limit";
    LatencyCycles "latency_cycles" Number "cycles" "α: latency of a RAM access";
    LatencyFrom "latency_from" Text "" "What of trace.latencies asks for it: number, machine, or number, machine where the machine's is one of the numbers";
    Slots "slots" Number "accesses" "m: outstanding RAM accesses";
    Ghz "ghz" Number "GHz" "Clock of a trace; null where no machine says it, and of sources";
    Iterations "iterations" Number "iterations" "Iterations of one call of a nest";
    Flops "flops" Number "flop" "Floating-point operations: of a nest one call, of a program all calls";
    TrafficBytes "traffic_bytes" Number "B" "Bytes to and from memory: of a nest one call, of a program all calls";
    IntensityFlopPerByte "intensity_flop_per_byte" Number "flop/B" "Flops per byte of memory traffic";
    TimeSeconds "time_seconds" Number "s" "Estimated time: of a nest one call, of a program all calls, of a trace the upper bound at its clock, null where the clock is unknown";
    Calls "calls" Number "calls" "How often the function of a nest is called; null where no calls that can be followed lead to it, but others may";
    AllCallsSeconds "all_calls_seconds" Number "s" "Estimated time of all calls of a nest";
    BoundBy "bound_by" Text "" "What takes a nest longest";
    Reasons "reasons" Text "" "Codes of what is not understood or not exact, of a program those of all nests in its sums and of what code outside of loops leaves out, see `loopsheet analyze --explain CODE`";
    GuessedSizes "guessed_sizes" Text "" "Sizes and trip counts that figures or numbers of calls rest on and that nothing gives, and probabilities of branches, by their names for --set, of which nothing says how often they go which way";
    MachineUnknown "machine_unknown" Text "" "What the machine leaves unknown: of sources what would bound the time, which is a lower bound without it; of traces the clock, without which a time in seconds is unknown";
    Cores "cores" Number "cores" "Cores that the program of a source uses: all that the machine has or that are set, or one if nothing in it runs in parallel";
    UnknownNests "unknown_nests" Integer "nests" "Nests of a program whose figures or number of calls are not all known, and which are not in its sums";
    IdleNests "idle_nests" Integer "nests" "Nests of a program that run no iteration, and take no time";
    ErrorRemarks "error_remarks" Integer "remarks" "Remarks of severity error on a program's source: places that could not be read, and are in no figure";
    NotRead "not_read" Text "" "Files of a program that could not be read in full, and included files that are missing; of a nest only its own file";
    Instructions "instructions" Integer "instructions" "Executed instructions";
    Edges "edges" Integer "edges" "True dependences between them";
    WorkCycles "work_cycles" Number "cycles" "Work: cycles of all instructions";
    DepthCycles "depth_cycles" Number "cycles" "Depth: cycles of the longest path";
    MemoryWork "memory_work" Integer "accesses" "𝒲: accesses that go to RAM";
    MemoryDepth "memory_depth" Integer "accesses" "𝒟: most of them on one path";
    NonMemoryCycles "non_memory_cycles" Number "cycles" "C: cycles of everything that does not go to RAM";
    BytesMoved "bytes_moved" Integer "B" "Bytes to and from RAM";
    Lambda "lambda_accesses" Number "accesses" "λ: growth of the upper bound per cycle of latency";
    LambdaLower "lambda_lower_accesses" Number "accesses" "Growth of the lower bound per cycle of latency";
    RelativeLambda "relative_lambda_per_cycle" Number "1/cycle" "Λ: share by which the upper bound grows per cycle of latency";
    TimeLowerCycles "time_lower_cycles" Number "cycles" "Minimum time";
    TimeUpperCycles "time_upper_cycles" Number "cycles" "Maximum time";
    Epochs "epochs" Integer "epochs" "E, or E_m where epoch_slots is given: misses that wait for each other";
    EpochsPerThousand "epochs_per_1000_instructions" Number "" "The same in 1,000 instructions";
    Error "error" Text "" "Why a shard failed";
    NotComputed "not_computed" Text "" "The configurations of a shard that failed";
}

impl Column {
    /// Behind this one stand those of `--set`.
    pub const BEFORE_SETTINGS: Column = Column::Machine;
}

/// What the column of a setting is called.
pub fn setting_name(setting: &str) -> String {
    format!("set_{setting}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_words_and_unique() {
        for (number, column) in Column::ALL.iter().enumerate() {
            let entry = column.entry();
            let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            assert!(entry.name.chars().all(is_word), "{}", entry.name);
            assert!(!entry.meaning.is_empty(), "{}", entry.name);
            let same = |other: &&Column| other.entry().name == entry.name;
            assert!(!Column::ALL[..number].iter().any(|other| same(&other)));
        }
    }
}
