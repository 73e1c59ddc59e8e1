//! How figures are made, and what is left out.

/// How the figures are computed, with their sources.
pub(crate) const METHOD: &[(&str, &str)] = &[
    (
        "Operations",
        "Floating-point additions, multiplications, divisions and special functions are counted from the source, branches weighted by their probability. Integer arithmetic and subscripts are never counted. Weighted flops give divisions and specials the cost set on Machine. (ExaSAT report 2012, section 2.3.3)",
    ),
    (
        "Streams",
        "References to one array that differ by constants form one stream with a set of offsets, its stencil. Offsets are in storage order, the contiguous dimension first. A component subscript makes a stream of its own.",
    ),
    (
        "Groups",
        "Cells are the offsets; pencils are the offsets that one sweep of the innermost loop joins; planes those that two loops join. The elements that a group touches are the exact union of the shifted blocks, rows rounded up to whole cache lines. (ExaSAT report, section 2.1, made exact)",
    ),
    (
        "Working sets",
        "To be reused by the next iteration, an array must keep its span plus the largest gap between neighbouring planes (pencils) over all arrays read in the nest: offsets -2, -1, 0, 1, 2 keep 5 planes, -2, -1, 1, 2 keep 6. (ExaSAT report, section 2.1)",
    ),
    (
        "Three variants",
        "Naive: all arrays share the cache. Streaming writes: written arrays bypass it. Reuse only: arrays without reuse bypass it too. The actual working set is the one that the switches streaming_writes and nta_hints choose. (ExaSAT report, section 2.3.3)",
    ),
    (
        "Scenarios",
        "Per array: cost x element size x elements that the sweeps of a block touch x number of sweeps. Which scenario holds follows from comparing the actual working sets with cache_bytes, one core's share of the last cache; if the whole footprint fits, only compulsory traffic is left. These are the columns of sheet Reuse scenarios; DRAM traffic and time follow them where the switch scenarios is 1, else what the last cache of sheet Caches moves. (ExaSAT report, sections 2.1 and 2.3.3)",
    ),
    (
        "Cache levels",
        "Sheets Caches and Layer conditions go neighbour by neighbour: a line that a loop comes back to is found again if all lines touched in between fit, else it moves again. Each loop carries the reuse of what one of its iterations shares with those before; stencils, transposed and strided accesses, small arrays that outer loops reuse, tiles and blocks follow from the same rule. Rows count the lines that they really touch, where they begin being known, else on average. Where the bounds of inner loops depend on an outer one, that loop is taken at the middle of several parts of its range.",
    ),
    (
        "Reuse between nests",
        "A nest finds what up to 32 nests before it in a loop around both left in a cache, and with reuse_between_nests at 1 those of the same function, too; a loop around several nests makes the last of them come before the first. Between the last touch of an array in one nest and the first one in the next lies what both sweep: from all that the first one touches, for the line that it touched first, to all that the second one touches, for the line that that one touches last; against each other, from nothing to both together. A cache that holds the larger of these finds everything, one that does not hold the smaller nothing, others a part in proportion. What two nests touch in common is taken from the boxes around their subscripts. Dirty lines that are written again before they leave are written back once.",
    ),
    (
        "Time",
        "CPU time is weighted flops divided by peak; the time of each memory level is its traffic over its bandwidth, that of memory no more than cores x dram_lines_in_flight x line_bytes / dram_latency_ns where both are known (Little's law: so many lines come in one latency); the largest is the estimate where overlap is 1, and arithmetic and data take turns where it is 0. (ExaSAT report, section 2.3.3, for every cache level)",
    ),
    (
        "Inputs in scenarios",
        "Sheet Scenarios has columns of inputs, one of which is in force. Figures of the machine leave the working sets of sheet Layer conditions as they are, so that what a cache fetches again is a sum over these with any capacity, and the times of all scenarios, of Tornado and of Sensitivity are computed beside those in force. Sizes, blocks and switches change the working sets: their times are there when the scenario is in force. Sheet Goal solves the formula of the time for the bandwidth, and takes capacities and sizes from the least working set that does not fit.",
    ),
    (
        "In-core time",
        "Where a machine says what its cores do in a cycle, chain and ports take the place of the CPU time. Chain: iterations of the innermost loop times the longest row of operations that leads from one iteration to a later one, by the latencies of sheet Machine; sums of which only the last value is used are done in the lanes of a vector where reorder_sums is 1. Ports: the largest of loads, stores, additions, multiplications, divisions and roots over what begins in a cycle, in vectors where no iteration waits for another, subscripts are next to each other, no procedure is called and vectorise is 1; calls of exp, log, sin, pow come on top. With warm at 1, a nest finds all of its data in every cache that holds all of it.",
    ),
    (
        "Low, likely, high",
        "The estimate takes the switches of sheet Machine as they are. Low: caches that hold all of the nest's data have it from its last execution, where it is executed more than once or nothing says how often; vectors, also of functions, and sums in another order, where neither the source nor flags decide that. High: one element after the other and sums as written, caches as in the estimate. Column Left open says which of these it is. Sizes, bandwidths and latencies are taken to be right in both.",
    ),
    (
        "Nests executed again",
        "All calls of a nest's function take the time of one call each, but for executions that are shown to find all of the nest's data in a cache: a loop around a call, in the caller or further out, executes the nest in each of its iterations on the same data, as far as arguments, sizes, subscripts and conditions say, and all that one of its iterations touches, in all nests and calls inside it, has room in the cache. Then only the executions of its first iteration are cold, each time that it is entered. Columns Cold in L1 and so on have the executions that are not shown to find anything there.",
    ),
    (
        "Irregular lines",
        "Where a machine says what they take: lines that no prefetcher predicts, because they are at random places, or because the loops go along more than 32 streams at once, further than 2048 bytes from one access to the next (Intel 64 and IA-32 Architectures Optimization Reference Manual). Each takes the latency of the level that has it over the lines that a core waits for at once (latency_cycles and irregular_lines of the cache, dram_latency_ns and dram_irregular_lines of memory), and tlb_miss_ns more where its page is none of those that the TLB holds: pages are counted as lines are, with page_bytes and tlb_bytes. This comes on top of the longest time of a level, which all other lines take.",
    ),
    (
        "Communication",
        "The time of a message is the network's latency plus its bytes over its bandwidth. A ghost exchange sends word x components x the sum over the dimensions of 2 x width x the cells of the others, both sides counted, in two messages per dimension. Collectives take the messages and bytes of the algorithms of MPICH, short and long ones, without the arithmetic of reductions. (Thakur, Rabenseifner and Gropp, Optimization of Collective Communication Operations in MPICH, Int. J. of High Performance Computing Applications 19(1), 2005)",
    ),
    (
        "Registers",
        "Of the innermost loop of a nest: the loop variable and its bound; scalars that live through the loop; one address per array for all references a known number of bytes apart, strides that only a symbol gives; elements, literals and constants that stay the same; and the most values of one iteration that live at once, with the registers that the deepest expression needs. A complex value takes two. What exceeds the registers of the machine is spilled. (Sethi and Ullman, The Generation of Optimal Code for Arithmetic Expressions, J. ACM 17(4), 1970)",
    ),
    (
        "Text output",
        "Numbers written as text take text_ns each, on one core: a rough figure, 40 to 440 ns with GCC 12's libraries. Texts, what is written without a format and what is read are not counted.",
    ),
    (
        "Units",
        "Bytes, flops and seconds. GB/s and Gflop/s are powers of ten, KiB and MiB powers of two; they are never mixed.",
    ),
];

/// What the model leaves out.
pub(crate) const LIMITS: &[(&str, &str)] = &[
    (
        "Caches",
        "Fully associative with LRU replacement: conflict misses are not in the formulas. Where strides show that lines fall into few sets, the costliest nests are run with the ways of the machine: column With its associativity of Caches.",
    ),
    (
        "Stores that miss",
        "A line that is written is fetched first (write-allocate) in every cache, and memory sees that unless cost_w (sheet Machine) is below 2. What hardware avoids of it depends on the machine, and on what else runs: the note of cost_w says what is known. Streaming stores are not assumed.",
    ),
    (
        "Prefetching",
        "Lines that a prefetcher brings too early, beyond the end of a row or as a pair with a neighbour, move no bytes here, and latencies that it hides are taken as hidden: only bandwidths, and where it is known the number of lines in flight, limit the time of a level.",
    ),
    (
        "Bounds",
        "Triangular and other affine bounds are summed exactly; other bounds that depend on outer loops are taken at the middle of their range.",
    ),
    (
        "Subscripts",
        "Subscripts that are not affine are gathers: gather_lines cache lines per reference.",
    ),
    (
        "Blocks",
        "Formulas for blocks hold for extents of at least the span of the offsets. Where the last block is smaller, its smaller extent is counted.",
    ),
    (
        "Scenarios",
        "In the scenarios of Loops and Arrays reuse is all or nothing at each level, and rows are rounded to whole cache lines. In Caches, and in the DRAM traffic that times are made of unless scenarios is 1, it is not.",
    ),
    (
        "Cache levels",
        "Everything shares the caches; streaming_writes and nta_hints are of the scenarios only. What is written is fetched first; where cost_w is below 2 memory does not see that of arrays that nothing reads before. Gathers take one line per access until the array is loaded as a whole. Bounds that are not affine are taken at the middle of the ranges around. Only loops of constant range in steps of one are blocked by block_x, block_y, ... there.",
    ),
    (
        "Siblings",
        "Neighbouring loops are nests of their own. In the columns of scenarios what one leaves in the cache for the next is not counted; sheet Caches has what Notes says of reuse between nests.",
    ),
    (
        "Unknown",
        "What cannot be known is shown as unknown and never as zero; what depends on it is unknown too. Such cells are text: to fill a gap, set the value and run the program again. Cache levels whose bandwidth is empty set no bound.",
    ),
    (
        "Messages",
        "No contention between processes, no overlap with arithmetic, no waiting for slower processes. Types that a procedure does not make itself from MPI's own have unknown sizes.",
    ),
    (
        "Registers",
        "An estimate for scalar code: no vectorisation, no unrolling, nothing that calls save, no values that a compiler loads again instead of keeping them.",
    ),
    (
        "Calls",
        "Calls of functions that are not known are listed below and cost nothing. A run begins once with each main program; nests that no calls lead to from there have no share. Recursion counts as one call, a pointer as if it always meant each procedure that it is given.",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::{Catalogue, Source};
    use crate::model::StaticFigure;

    #[test]
    fn what_figures_cite_is_there() {
        for kind in StaticFigure::ALL {
            if let Source::Notes(heading) = kind.entry().source {
                let is_there = METHOD.iter().any(|(known, _)| *known == heading);
                assert!(is_there, "{kind:?} cites {heading}");
            }
        }
    }
}
