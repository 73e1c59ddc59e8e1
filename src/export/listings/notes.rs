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
        "Sheets Caches and Layer conditions go neighbour by neighbour: a line that a loop returns to is reused if all lines touched in between fit in the cache; otherwise it moves again. Each loop carries the reuse of what one of its iterations shares with those before; stencils, transposed and strided accesses, small arrays that outer loops reuse, tiles and blocks follow from the same rule. Rows count the lines that they actually touch if their start is known, otherwise the average. Where the bounds of inner loops depend on an outer one, that loop is evaluated at the midpoints of several parts of its range.",
    ),
    (
        "Reuse between nests",
        "A nest finds what up to 32 nests before it in a loop around both left in a cache, and with reuse_between_nests at 1 those of the same function, too; a loop around several nests makes the last of them come before the first. Between the last touch of an array in one nest and the first one in the next lies what both sweep: from all that the first one touches, for the line that it touched first, to all that the second one touches, for the line that that one touches last; against each other, from nothing to both together. A cache that holds the larger of these finds everything, one that does not hold the smaller nothing, others a proportional part. What two nests touch in common is taken from the boxes around their subscripts. Dirty lines that are written again before they leave are written back once.",
    ),
    (
        "Time",
        "CPU time is weighted flops divided by peak; the time of each memory level is its traffic over its bandwidth, that of memory no more than cores x dram_lines_in_flight x line_bytes / dram_latency_ns where both are known (Little's law: that many lines arrive in one latency); the largest is the estimate where overlap is 1, and arithmetic and data take turns where it is 0. (ExaSAT report, section 2.3.3, for every cache level)",
    ),
    (
        "Inputs in scenarios",
        "Sheet Scenarios has columns of inputs, one of which is in force. Figures of the machine leave the working sets of sheet Layer conditions as they are, so that what a cache fetches again is a sum over these with any capacity, and the times of all scenarios, of Tornado and of Sensitivity are computed next to those in force. Sizes, blocks and switches change the working sets: their times are shown when the scenario is in force. Sheet Goal solves the formula of the time for the bandwidth, and takes capacities and sizes from the smallest working set that does not fit.",
    ),
    (
        "In-core time",
        "Where a machine describes its cores cycle by cycle, chain and ports take the place of the CPU time. Chain: iterations of the innermost loop times the longest chain of operations from one iteration to a later one, with the latencies on sheet Machine; sums of which only the last value is used are computed in the lanes of a vector where reorder_sums is 1. Ports: the largest of loads, stores, additions, multiplications, divisions and roots divided by how many can begin per cycle (minima, maxima and comparisons too), in vectors where no iteration waits for another, accesses are contiguous, no procedure is called and vectorise is 1; calls of exp, log, sin, pow are added. What no whole vector holds of a loop is done in a vector of half the length, and one by one. With warm at 1, a nest finds all of its data in every cache large enough for it.",
    ),
    (
        "Branches",
        "Where a machine describes its cores: a branch that data decide, with a store, a load or arithmetic on one of its sides, goes the rarer way in a share min(p, 1 - p) of the iterations, and a loop of which data say how often it runs ends once each time. A share random_branches of these is mispredicted and takes branch_cycles, added to the larger of chain and ports; nothing in a source says whether data are random, so low and high take it to be 0 and 1. In vectors both sides are computed, and nothing is predicted. With warm at 1 the core remembers them: m are a share m² / (m² + branches_remembered²) of m. Where a loop ends by what it computes and that is mispredicted, its executions do not overlap.",
    ),
    (
        "Low, likely, high",
        "The estimate uses the switches on sheet Machine. Low: caches large enough for all of the nest's data still hold it from its last execution, where it is executed more than once or an unknown number of times; vectors, also for functions, and reordered sums, where neither the source nor flags decide that; no conflicts in sets; all branches predicted. High: one element at a time and sums as written, caches as in the estimate, conflicts of LRU, branches decided by random data. Column Left open shows which of these apply. Sizes, bandwidths and latencies are assumed to be right in both.",
    ),
    (
        "Nests executed again",
        "Each call of a nest's function takes the time of one call, except executions that are shown to find all of the nest's data in a cache: a loop around a call, in the caller or further out, executes the nest in each of its iterations on the same data, judging by arguments, sizes, subscripts and conditions, and everything that one of its iterations touches, in all nests and calls inside it, fits in the cache. Then only the executions of its first iteration are cold, each time it is entered. Columns Cold in L1 and so on count the executions that are not shown to find anything there.",
    ),
    (
        "Irregular lines",
        "Where a machine gives their cost: lines that no prefetcher predicts, because they are at random places, or because the loops follow more than 32 streams at once with more than 2048 bytes between accesses (Intel 64 and IA-32 Architectures Optimization Reference Manual). Each takes the latency of the level that holds it divided by the lines that a core can have outstanding (latency_cycles and irregular_lines of the cache, dram_latency_ns and dram_irregular_lines of memory), or tlb_miss_ns for each page that is not in the TLB, whichever takes longer: pages are counted like lines, with page_bytes and tlb_bytes. This is added to the time of memory for all other lines.",
    ),
    (
        "Conflicts",
        "Where a machine gives the ways of its caches and what irregular lines take: lines that strides lead to few sets evict each other though the whole cache would hold them. Of the lines that a reference returns to, 1 - ways x sets / (lines that it walks through in between) are evicted by the best replacement, all by LRU (high time), none in the low time; the sets are the product, over the loops that move it, slowest dimension first, of the smaller of the iterations and g / gcd(stride, g), from g = bytes of the cache / ways (no more than a page, as pages lie anywhere) on, which each divisor then takes the place of. Each evicted line takes the latency of the next cache divided by the smaller of its outstanding lines and set_lines x sets of the innermost loop; a store takes evicted_store_cycles where these sets hold no more lines than stores_ahead. The last cache is left out. This is added to the irregular lines.",
    ),
    (
        "Communication",
        "The time of a message is the network's latency plus its bytes over its bandwidth. A ghost exchange sends word x components x the sum over the dimensions of 2 x width x the cells of the others, both sides counted, in two messages per dimension. Collectives take the messages and bytes of the algorithms of MPICH, short and long ones, without the arithmetic of reductions. (Thakur, Rabenseifner and Gropp, Optimization of Collective Communication Operations in MPICH, Int. J. of High Performance Computing Applications 19(1), 2005)",
    ),
    (
        "Arrays in far memory",
        "Lines of a nest are told apart by array: those that any cache fetches and writes back, and those of every reuse that the last cache does not hold, less what earlier nests left. An array's bytes are its part of the nest's memory traffic by these lines, so that arrays add up to it. Lines in order take the longer of the times that near and far memory need for theirs; an irregular one in far memory takes its latency in place of RAM's.",
    ),
    (
        "Registers",
        "For the innermost loop of a nest: the loop variable and its bound; scalars that are live throughout the loop; one address per array for all references a known number of bytes apart, symbolic strides; invariant elements, literals and constants; and the most values of one iteration live at once, with the registers that the deepest expression needs. A complex value takes two. What exceeds the registers of the machine is spilled. (Sethi and Ullman, The Generation of Optimal Code for Arithmetic Expressions, J. ACM 17(4), 1970)",
    ),
    (
        "Text output",
        "Numbers written as text, and those that scanf reads, take text_ns each, on one core: a rough figure, 40 to 440 ns with GCC 12's libraries. Strings and unformatted output are not counted, nor is other input.",
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
        "Fully associative with LRU replacement: conflict misses are not in the formulas of bytes, only in those of times (Conflicts). Where strides show that lines fall into few sets, the costliest nests are run with the machine's associativity: column With its associativity on sheet Caches.",
    ),
    (
        "Stores that miss",
        "A line that is written is fetched first (write-allocate) in every cache, and from memory too unless cost_w (sheet Machine) is below 2. How much of this hardware avoids depends on the machine and on what else runs: see the note of cost_w. Streaming stores are not assumed.",
    ),
    (
        "Prefetching",
        "Lines that a prefetcher brings too early, beyond the end of a row or as a pair with a neighbour, move no bytes here, and latencies are assumed to be hidden: only bandwidths, and the number of lines in flight where known, limit the time of a level.",
    ),
    (
        "Bounds",
        "Triangular and other affine bounds are summed exactly; other bounds that depend on outer loops are evaluated at the middle of their range.",
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
        "In the scenarios of Loops and Arrays reuse is all or nothing at each level, and rows are rounded to whole cache lines. In Caches, and in the DRAM traffic used for times unless scenarios is 1, it is not.",
    ),
    (
        "Cache levels",
        "Everything shares the caches; streaming_writes and nta_hints apply only to the scenarios. Written lines are fetched first; where cost_w is below 2, arrays that are not read before are not fetched from memory. Gathers take one line per access until the array is loaded as a whole. Bounds that are not affine are evaluated at the middle of the surrounding ranges. Only loops of constant range with a step of one are blocked by block_x, block_y, ... there.",
    ),
    (
        "Siblings",
        "Neighbouring loops are nests of their own. The scenario columns do not count what one leaves in the cache for the next; sheet Caches does, as described under Reuse between nests.",
    ),
    (
        "Unknown",
        "What cannot be known is shown as unknown and never as zero; what depends on it is unknown too. Such cells are text: to fill a gap, set the value and run the program again. Cache levels whose bandwidth is empty set no bound.",
    ),
    (
        "Messages",
        "No contention between processes, no overlap with arithmetic, no waiting for slower processes. Types that a procedure does not itself construct from MPI's own have unknown sizes.",
    ),
    (
        "Registers",
        "An estimate for scalar code: no vectorisation, no unrolling, no registers saved for calls, no values that a compiler reloads instead of keeping.",
    ),
    (
        "Calls",
        "Calls of unknown functions are listed below and cost nothing. Execution starts once at each main program; nests that are not reached from there have no share. Recursion counts as one call, a call through a pointer as a call of each procedure that the pointer may refer to.",
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
