//! Kinds of figures of the static model: what each is called, its unit, what it means, and where its formula comes from.
//! A figure of a model is one of these, of a loop, an array, a cache (see [`Subject`](super::Subject)).

use crate::formula::Source;

const IN_CORE: Source = Source::Notes("In-core time");
const CONFLICTS: Source = Source::Notes("Conflicts");
const BRANCHES: Source = Source::Notes("Branches");
const IRREGULAR: Source = Source::Notes("Irregular lines");
const BY_ARRAY: Source = Source::Notes("Arrays in far memory");
const AGAIN: Source = Source::Notes("Nests executed again");
const BAND: Source = Source::Notes("Low, likely, high");
const CACHES: Source = Source::Notes("Cache levels");
const NESTS: Source = Source::Notes("Reuse between nests");
const GROUPS: Source = Source::Exasat("section 2.1");
const UNION: Source = Source::Exasat("section 2.1, made exact");
const VARIANTS: Source = Source::Exasat("section 2.3.3");
const TRAFFIC: Source = Source::Exasat("sections 2.1 and 2.3.3");

loopsheet_base::catalogue! {
    /// The kinds of figures, in the order in which nests and programs define them.
    pub enum StaticFigure {
        MemoryBandwidth "memory_bandwidth" "" BytesPerSecond "Bytes per second between memory and all cores together: what the memory can deliver, limited by the cache lines that all cores can have outstanding in one latency" Source::Little;
        MemoryBandwidthOfOneCore "memory_bandwidth_of_one_core" "" BytesPerSecond "Bytes per second between memory and one core while the others wait: what the memory can deliver, limited by the cache lines that the core can have outstanding in one latency" Source::Little;

        // Parts of the formulas of cache levels.
        Place "place" "" Count "The value of a loop variable in the middle of its range, or of a part of it" CACHES;
        RowAlignment "alignment_of_rows" "" Count "Where rows begin within a cache line" CACHES;
        Lines "lines" "" Count "Cache lines that references touch while some loops run" CACHES;
        LinesAtEnds "lines_at_ends" "" Count "Extra cache lines of rows that do not share the lines at their ends with neighbouring rows" CACHES;
        LoopRuns "loop_runs" "" Count "Iterations of a loop, or of a part of its range, with all loops around it" CACHES;
        LoopValues "values_of_loop" "" Count "Values that a loop takes while the loops around it are fixed: iterations of the loop, of a block or of a part of it" CACHES;
        FirstValue "first_value" "" Count "The smallest value that a loop takes while the loops around it are fixed" CACHES;
        LastValue "last_value" "" Count "The largest value that a loop takes while the loops around it are fixed" CACHES;
        BlockIterations "iterations_of_block" "" Count "Iterations of one block of a loop: block_x, block_y … of Parameters, or all where it is not blocked" CACHES;
        ElementsOfLine "elements_of_line" "" Elements "Elements of an array in one cache line" CACHES;
        WholeArray "bytes_of_array" "" Bytes "Bytes of the whole array as declared" CACHES;
        LinesOfRow "lines_of_row" "" Count "Cache lines of one row: of the elements that the loops touch along the contiguous dimension" CACHES;
        Rows "rows" "" Count "Rows of an array that references touch: runs of elements along the contiguous dimension" CACHES;
        Unforeseen "irregular_share" "" Share "1 if no prefetcher can predict the lines of an array, because accesses are random or follow more streams than prefetchers track; else 0" IRREGULAR;
        LinesOfPlace "lines_of_place" "" Count "Cache lines of one place that data choose" CACHES;
        ReturnWeights "return_weights" "" Count "Over the classes of distances between accesses to a line that data choose, the sum of those accesses of the array that leave time for such a distance" CACHES;
        LinesOwed "lines_owed" "" Count "Lines by which rounding overestimated the reuse in one part of a loop; subtracted from the next part" CACHES;
        LinesOfArray "lines_of_array" "" Count "Cache lines of one array that a nest touches" NESTS;
        SharedBytes "bytes_of_shared_iteration" "" Bytes "Bytes that several nests touch in one iteration of the loop around them" NESTS;
        LinesFoundFirst "lines_found_first" "" Count "Lines that are already in the cache when a nest first touches them" NESTS;
        LeastSince "least_bytes_since_earlier_nest" "" Bytes "Bytes touched between the last access to an array in an earlier nest and the first one in this nest, for the line with the fewest" NESTS;
        MostSince "most_bytes_since_earlier_nest" "" Bytes "Bytes touched between the last access to an array in an earlier nest and the first one in this nest, for the line with the most" NESTS;
        LinesOfEarlier "lines_of_earlier_nests" "" Count "Lines that a nest touches and that were last touched by an earlier nest" NESTS;

        // Loops.
        TripCount "trip_count" "" Count "Mean trip count of a loop each time it is entered; triangular loops are summed exactly" Source::Definition;
        UnweightedIterations "unweighted_iterations" "" Count "Iterations of a loop over the whole execution, as if every branch around it were taken" Source::Definition;
        Iterations "iterations" "" Count "Iterations of a loop over the whole execution, all sweeps, with branches weighted by probability" Source::Definition;
        BlockSize "block_size" "" Count "Iterations of a full block: block_x, block_y … of Parameters, at most the trip count" Source::Definition;
        LoopBlocks "loop_blocks" "" Count "Trip count over block size, rounded up; the last block may be smaller" Source::Definition;
        Sweeps "sweeps" "" Count "Times that the spatial loops run as a whole: loops over the components of arrays" Source::Definition;
        Blocks "blocks" "" Count "Blocks of one sweep: the product over the dimensions" Source::Definition;

        // Operations.
        AddsPerIteration "adds_per_iteration" "" Flops "Floating-point additions and subtractions; one iteration of the innermost loop, with branches weighted by probability" Source::Code;
        MultipliesPerIteration "multiplies_per_iteration" "" Flops "Floating-point multiplications; one iteration of the innermost loop, with branches weighted by probability" Source::Code;
        DividesPerIteration "divides_per_iteration" "" Flops "Floating-point divisions; one iteration of the innermost loop, with branches weighted by probability" Source::Code;
        SpecialsPerIteration "specials_per_iteration" "" Flops "Square roots, exponentials, logarithms, trigonometric functions …; one iteration of the innermost loop, with branches weighted by probability" Source::Code;
        FmaPairsPerIteration "fma_pairs_per_iteration" "" Flops "Adds that could be fused with a multiply (both are also counted separately); one iteration of the innermost loop, with branches weighted by probability" Source::Code;
        FlopsPerIteration "flops_per_iteration" "" Flops "Adds + multiplies + divides + specials; one iteration of the innermost loop, with branches weighted by probability" VARIANTS;
        Adds "adds" "" Flops "Additions and subtractions of all loops of the nest" Source::Code;
        Multiplies "multiplies" "" Flops "Multiplications of all loops of the nest" Source::Code;
        Divides "divides" "" Flops "Divisions of all loops of the nest" Source::Code;
        Specials "specials" "" Flops "Specials of all loops of the nest" Source::Code;
        FmaPairs "fma_pairs" "" Flops "Adds that could be fused with a multiply" Source::Code;
        Flops "flops" "" Flops "Adds + multiplies + divides + specials" VARIANTS;
        WeightedFlops "weighted_flops" "" Flops "Adds + multiplies + cost_div·divides + cost_special·specials, less fused pairs if fma_aware is 1" VARIANTS;

        // Arrays.
        ElementSize "element_size" "" Bytes "Bytes of one element; unknown types count as 8 bytes" Source::Code;
        CostPerByte "cost_per_byte" "" BytesPerByte "Bytes moved per byte accessed: cost_r, cost_rw or cost_w on Machine" TRAFFIC;
        ArrayGroups "array_groups" "" Count "Distinct offsets, or groups of them that one sweep of the innermost loops joins: pencils, planes …" GROUPS;
        LiveArrayGroups "live_array_groups" "" Count "Groups of offsets that must stay in the cache for reuse: span + largest gap" GROUPS;
        DistinctElements "distinct_elements" "" Elements "Distinct elements touched by that many innermost loops of a block: the exact union of the shifted blocks, with rows in whole cache lines" UNION;
        ArrayWorkingSet "array_working_set" "" Bytes "Bytes that must stay in cache for the next iteration of the loop at that level to reuse them" GROUPS;
        ArrayFootprint "array_footprint" "" Bytes "Distinct bytes of an array that the whole nest touches, all sweeps" UNION;
        ArrayTraffic "array_traffic" "" Bytes "Traffic of one array by the scenarios: cost · element size · elements that the sweeps at that level touch · number of sweeps" TRAFFIC;
        CompulsoryArrayTraffic "compulsory_array_traffic" "" Bytes "Traffic of one array by the scenarios if everything is reused: cost · footprint" TRAFFIC;

        // Working sets and traffic of nests.
        NaiveWorkingSet "naive_working_set" "" Bytes "Bytes that must stay in cache for reuse between groups of that size if all arrays share the cache" VARIANTS;
        StreamingWorkingSet "streaming_working_set" "" Bytes "Bytes that must stay in cache for reuse between groups of that size if written arrays bypass the cache" VARIANTS;
        ReuseWorkingSet "reuse_working_set" "" Bytes "Bytes that must stay in cache for reuse between groups of that size if arrays without reuse also bypass the cache" VARIANTS;
        ActualWorkingSet "actual_working_set" "" Bytes "Bytes that must stay in cache for reuse between groups of that size, in the variant selected by streaming_writes and nta_hints" VARIANTS;
        LiveGroups "live_groups" "" Count "Groups of all arrays that must stay in cache for the next iteration to reuse them: span + largest gap of each array" GROUPS;
        Footprint "footprint" "" Bytes "Distinct bytes that the whole nest touches, in whole cache lines" UNION;
        ScenarioTraffic "scenario_traffic" "" Bytes "Memory traffic if elements are reused within a block up to that level and not beyond; without reuse every reference moves its element" TRAFFIC;
        CompulsoryTraffic "compulsory_traffic" "" Bytes "By the scenarios, if everything is reused, even between blocks: the compulsory traffic of the nest" TRAFFIC;
        TrafficByScenarios "memory_traffic_by_scenarios" "" Bytes "Memory traffic of the scenario whose actual working set is below cache_bytes; between blocks if the footprint is" TRAFFIC;

        // Cache levels.
        Capacity "capacity" "" Bytes "One core's share of a cache, from Machine" Source::Definition;
        LeastFetched "least_fetched" "" Bytes "All lines of the nest once: fetched into any cache" CACHES;
        LeastWrittenBack "least_written_back" "" Bytes "Dirty lines of the nest once: written back from any cache" CACHES;
        ReuseWithin "reuse_distance" "" Bytes "Bytes of all distinct lines touched before a loop returns to the same lines: these must fit" CACHES;
        ReuseWithNests "reuse_distance_with_nests" "" Bytes "Bytes touched before a loop around several nests returns to the same lines, including those of the other nests" NESTS;
        ReuseFetched "reuse_fetched" "" Bytes "Bytes fetched once more if the working set of a reuse does not fit" CACHES;
        ReuseWrittenBack "reuse_written_back" "" Bytes "Bytes written back once more if the working set of a reuse does not fit" CACHES;
        IterationsInside "iterations_inside" "" Count "Product of the iterations of the inner loops, with which the working set of a reuse grows" CACHES;
        FetchedAgain "fetched_again" "" Bytes "Bytes fetched again for a reuse: none if its working set fits" CACHES;
        WrittenBackAgain "written_back_again" "" Bytes "Bytes written back again for a reuse: none if its working set fits" CACHES;
        IterationsThatFit "iterations_that_fit" "" Iterations "The largest number of iterations of the inner loops at which the working set of a reuse fits: exact where the working set is proportional to them" CACHES;
        LargestSize "largest_size" "" Count "The largest value of a parameter at which the working set of a reuse fits, with the others unchanged: exact where it is proportional to the iterations inside" CACHES;
        FoundIfHeld "found_if_held" "" Bytes "Bytes that a cache must hold to reuse all data of the nest: all of its lines where warm is 1, else more than any cache holds" CACHES;
        AllFetchedAgain "all_fetched_again" "" Bytes "Bytes fetched again for all reuses together" CACHES;
        AllWrittenBackAgain "all_written_back_again" "" Bytes "Bytes written back again for all reuses together" CACHES;
        LeftByNests "left_by_earlier_nests" "" Bytes "Bytes that need not be fetched because earlier nests in a loop around both (or, where reuse_between_nests is 1, any earlier nest of the function) left them in the cache: already subtracted" NESTS;
        LeftDirtyByNests "left_dirty_by_earlier_nests" "" Bytes "Bytes that earlier nests left dirty and that are written again before they are written back: already subtracted" NESTS;
        WrittenFirst "written_first" "" Bytes "Bytes fetched only because of write-allocate: for arrays that are never read, or are read only later" CACHES;
        IrregularPart "irregular_part" "" Bytes "Bytes of lines that no prefetcher predicts: all of them once, or those fetched again for a reuse that does not fit" IRREGULAR;
        Irregular "irregular" "" Bytes "Bytes of fetched lines that no prefetcher predicts" IRREGULAR;
        PagesTouched "bytes_of_pages" "" Bytes "All pages of the nest once" IRREGULAR;
        PagesMissed "pages_missed" "" Count "Pages of irregular accesses that miss the TLB: counted like lines, with page_bytes and tlb_bytes" IRREGULAR;
        NotAllocated "not_allocated" "" Bytes "Bytes of lines that are written and need not be fetched first, where cost_w is below 2: already subtracted" CACHES;
        Fetched "fetched" "" Bytes "Lines fetched: all lines once, and again for every reuse that does not fit" CACHES;
        WrittenBack "written_back" "" Bytes "Dirty lines written back, those left at the end included" CACHES;
        CarriedReuse "carried_reuse" "" Bytes "Bytes that would move again if no reuse of a loop, or of the nest, fit" CACHES;
        ReuseNotHeld "reuse_not_held" "" Bytes "Bytes that move again because the reuse of a loop, or of the nest, does not fit" CACHES;
        WhatStays "what_stays" "" Choice "The outermost loop whose reuse fits completely; sheet Layer conditions lists every reuse" CACHES;
        CacheTraffic "cache_traffic" "" Bytes "Fetched and written back" CACHES;
        ArrayMovedAgain "array_moved_again" "" Bytes "Bytes of an array that are fetched and written back again where a reuse does not fit" BY_ARRAY;
        ArrayIrregularAgain "array_irregular_again" "" Bytes "Of these, fetched lines that no prefetcher predicts" BY_ARRAY;
        ArrayLines "array_lines" "" Bytes "Lines of an array between the last cache and memory, by the refined rule" BY_ARRAY;
        ArrayIrregularLines "array_irregular_lines" "" Bytes "Of these, fetched lines that no prefetcher predicts" BY_ARRAY;
        ArrayTouched "array_touched" "" Bytes "Lines of an array that the nest touches" BY_ARRAY;
        ArrayMemoryTraffic "array_memory_traffic" "" Bytes "An array's part of the memory traffic: by its part of all arrays' lines" BY_ARRAY;
        ArrayIrregular "array_irregular" "" Bytes "An array's part of the lines from memory that no prefetcher predicts" BY_ARRAY;
        TimeBehindCache "time_behind_cache" "" Seconds "Fetched and written back together, at the bandwidth of the next level; empty if that is unknown" CACHES;

        MemoryTraffic "memory_traffic" "" Bytes "Actual memory traffic, from which times are computed: what the last cache fetches and writes back, or that of the scenarios where scenarios on Machine is 1" CACHES;

        // Time.
        CpuTime "cpu_time" "" Seconds "Weighted flops / (gflops_per_core · 1e9 · cores)" VARIANTS;
        Lanes "lanes" "" Elements "Elements that the innermost loop processes at once: those of a vector, or one where it is scalar" IN_CORE;
        PortCycles "port_cycles" "" Cycles "Cycles in which the core issues loads, stores and arithmetic of one iteration of the innermost loop" IN_CORE;
        ChainCycles "chain_cycles" "" Cycles "Cycles in which one iteration of the innermost loop waits for earlier ones" IN_CORE;
        PortsTime "ports_time" "" Seconds "Cycles in which the cores issue loads, stores and arithmetic of all iterations, over ghz and cores" IN_CORE;
        AccessTime "access_time" "" Seconds "Cycles in which the cores issue loads and stores alone, over ghz and cores" IN_CORE;
        WaitingTime "waiting_time" "" Seconds "Loads and stores that wait while lines arrive from memory: (1 − access_overlap) · the smaller of their time and the memory time, added to the latter" IN_CORE;
        ChainTime "chain_time" "" Seconds "Cycles in which iterations wait for earlier ones, over ghz and cores" IN_CORE;
        MispredictedBranches "mispredicted_branches" "" Count "Branches decided by data that go another way than the core predicts, over the whole execution: a share random_branches of the rarer side of each, and of one for each execution of a loop that data end; with warm at 1 those that the core does not remember" BRANCHES;
        MostMispredicted "most_mispredicted_branches" "" Count "The same in scalar code if data are random and new" BRANCHES;
        BranchTime "branch_time" "" Seconds "Mispredicted branches · branch_cycles, over ghz and cores; added to the larger of chain and ports time" BRANCHES;
        Texts "numbers_written" "" Count "Numbers written or read as text by all loops of the nest, with branches weighted by probability" Source::Code;
        TextTime "text_time" "" Seconds "Numbers written or read as text · text_ns / 1e9: one core does that" Source::Notes("Text output");
        CoreTime "core_time" "" Seconds "The larger of chain and ports time, with that of mispredicted branches, or the CPU time if the machine does not describe its cores cycle by cycle" IN_CORE;
        LinesInTurn "lines_in_turn" "" Bytes "Lines, at most, that are loaded one after the other because each says where the next one is: loads on the longest chain of them · iterations · line_bytes" IRREGULAR;
        IrregularTime "irregular_time" "" Seconds "Lines that no prefetcher predicts: each takes the latency of the level that holds it divided by the lines that a core can have outstanding, and no less than the bandwidth allows; those of lines_in_turn one after the other; or tlb_miss_ns for every page that misses the TLB, if that takes longer" IRREGULAR;
        SetsReached "sets_reached" "" Count "Sets of a cache that the lines fall into which a reference walks through before it returns to them" CONFLICTS;
        ConflictTime "conflict_time" "" Seconds "Lines that others of their sets evict, as many as the best replacement would: each takes the latency of the next cache divided by the lines that a core can have outstanding, or evicted_store_cycles; added to the irregular lines" CONFLICTS;
        LongestConflictTime "longest_conflict_time" "" Seconds "The same of the lines that LRU evicts" CONFLICTS;
        AccessedBytes "accessed_bytes" "" Bytes "Bytes that the code loads and stores over the whole execution: what stays in a register in the innermost loop is not among them" IN_CORE;
        RegisterTraffic "register_traffic" "" Bytes "Bytes delivered by the nearest cache: every reference, over the whole execution" VARIANTS;
        LevelTime "level_time" "" Seconds "Traffic of a cache divided by its bandwidth for all cores together, without irregular lines where these are separate" VARIANTS;
        MemoryTime "memory_time" "" Seconds "Actual memory traffic / memory bandwidth in force (shown on sheet Machine below the parameters), without irregular lines where these are separate" VARIANTS;
        SlowestPart "slowest_part" "" Seconds "The largest of the core time, the times of all levels and that of writing text; to that of memory, irregular lines where they are separate and loads and stores that wait are added" VARIANTS;
        Time "time" "" Seconds "Estimate of the whole execution: the largest of the core time (the CPU time if the machine does not describe its cores cycle by cycle) and the times of all levels, or of writing text; with overlap below 1, core and data time partly add up" VARIANTS;
        CoreTimeOfVectors "core_time_of_vectors" "" Seconds "The larger of chain and ports time if compilers do everything they are allowed to: vectors, vector functions, reordered sums; all branches are predicted" IN_CORE;
        CoreTimeOfScalars "core_time_of_scalars" "" Seconds "The larger of chain and ports time if compilers do none of that: one element at a time, sums as written; with the time of branches if data are random" IN_CORE;
        LowTime "low_time" "" Seconds "The estimate in the best case of what the source leaves open: caches large enough for all of the nest's data still hold it from the previous execution (where it is executed more than once, or an unknown number of times), vectors, reordered sums, branches that are predicted" BAND;
        HighTime "high_time" "" Seconds "The estimate in the worst case: caches as in the estimate, one element at a time, sums as written, branches by random data" BAND;
        LeftOpen "left_open" "" Choice "What the source leaves open between low and high: 1 is nothing, to which caches (warm or cold) add 1, vectors 2, sums (their order) 4, conflicts (of lines in few sets) 8, branches (whether they are predicted) 16" BAND;
        Bound "bound" "" Choice "What takes longest: 1 is CPU, then the levels, then chains and ports, then irregular lines, then writing text, then mispredicted branches" VARIANTS;
        Intensity "arithmetic_intensity" "" FlopsPerByte "Flops divided by actual memory traffic" Source::Roofline;
        Balance "bytes_per_flop" "" BytesPerFlop "Actual memory traffic divided by flops" VARIANTS;

        // The program.
        TotalFlops "total_flops" "" Flops "Flops of all nests" Source::Definition;
        TotalWeightedFlops "total_weighted_flops" "" Flops "Weighted flops of all nests" Source::Definition;
        TotalTraffic "total_memory_traffic" "" Bytes "Actual memory traffic of all nests" Source::Definition;
        TotalTime "total_time" "" Seconds "Estimates of all nests, one after another" Source::Definition;
        TotalIntensity "total_arithmetic_intensity" "" FlopsPerByte "Flops of all nests divided by their actual memory traffic" Source::Roofline;
        ShareOfTime "share_of_total_time" "" Share "Estimate divided by the sum of all estimates; where calls are followed, both for all calls" Source::Definition;
        BytesOfIteration "bytes_of_iteration" "" Bytes "The most that an iteration of a loop can touch, with all calls inside it: bytes of each nest times the number of executions" AGAIN;
        BytesOfCall "bytes_of_call" "" Bytes "The most that a call of a function can touch, with all calls inside it" AGAIN;
        ColdExecutions "cold_executions" "" Count "Executions of a nest that are not shown to find its data in a cache, or in one before it" AGAIN;
        WarmTime "warm_time" "" Seconds "Estimate of an execution that finds its data in a cache, and nothing in those before it" AGAIN;
        NestTimeOfAllCalls "time_of_nest_in_all_calls" "" Seconds "Estimate times the number of calls of the nest's function; executions shown to find the nest's data in a cache take the time of such executions" Source::Definition;
        NestTrafficOfAllCalls "memory_traffic_of_nest_in_all_calls" "" Bytes "Memory traffic, times the executions that are not shown to find the nest's data in a cache" Source::Definition;
        MeasuredTime "measured_time" "" Seconds "Measured time of the nest in a run of the program" Source::Definition;
        EstimateOfMeasured "estimate_of_measured_nests" "" Seconds "Estimates for all calls of nests that were measured together" Source::Definition;
        MeasuredRatio "measured_ratio" "" Ratio "Estimate for all calls divided by the measured time; for nests measured together, the sum of their estimates" Source::Definition;
        ProgramTime "time_of_program" "" Seconds "Time of all nests that an execution reaches, over all calls" Source::Definition;
        WholeTime "time_with_other_nests" "" Seconds "Time of the nests that a workbook lists, and of the others when it was written" Source::Definition;

        // Loops after each other.
        LoopTime "time_of_loop" "" Seconds "Estimates of all nests in a loop" Source::Definition;
        LoopStart "start_of_loop" "" Seconds "When everything that a loop depends on is done" Source::Definition;
        LoopEnd "end_of_loop" "" Seconds "When a loop that starts as early as possible is done" Source::Definition;
        SequenceTime "time_of_loops" "" Seconds "Loops of one function, or inside one loop, one after another" Source::Definition;
        CriticalPath "critical_path" "" Seconds "The longest chain of these loops in which each depends on the one before" Source::Definition;
        FusionSaving "traffic_saved_by_fusion" "" Bytes "Memory traffic avoided by fusing into one loop: for each array that both use, the smaller part once" Source::Definition;

        // Calls.
        CallsPerCall "calls_in_one_call" "" Count "Iterations of the loops around the call, times the probabilities of the branches around it" Source::Definition;
        FullCallsPerCall "calls_of_full_size_in_one_call" "" Count "Calls in one call of the caller, each weighted by its size relative to the largest: sizes that shrink from level to level count less" Source::Definition;
        FullCalls "calls_of_full_size" "" Count "Sum over all calls, each weighted by its size relative to the largest" Source::Definition;
        FlopsOutsideLoops "flops_outside_of_loops" "" Flops "Operations of a function outside its loops, in one call" Source::Code;
        FlopsOutsideLoopsWithCallees "flops_outside_of_loops_with_callees" "" Flops "The same, and that of the functions it calls there which counts together with it" Source::Definition;
        CallsCountedHere "calls_counted_here" "" Count "Calls of a function whose work outside loops does not count in a loop that calls it" Source::Definition;
        FlopsOfNests "flops_of_nests" "" Flops "Flops of the nests of a function, in one call" Source::Definition;
        FlopsOfCall "flops_of_one_call" "" Flops "Flops of a function's own nests, and outside loops" Source::Definition;
        TrafficOfCall "memory_traffic_of_one_call" "" Bytes "Memory traffic of a function's own nests" Source::Definition;
        TimeOfCall "time_of_one_call" "" Seconds "Time of a function's own nests" Source::Definition;
        InclusiveFlops "flops_with_callees" "" Flops "Flops of one call, including everything it calls" Source::Definition;
        InclusiveTraffic "memory_traffic_with_callees" "" Bytes "Memory traffic of one call, including everything it calls" Source::Definition;
        InclusiveTime "time_with_callees" "" Seconds "Time of one call, including everything it calls" Source::Definition;
        CallsOfItself "calls_of_itself" "b" Count "Calls of itself in one call of a function, but for conditions that only end them at a depth" Source::Definition;
        CallsAlongLevels "calls_along_levels" "" Count "Calls that one call from elsewhere leads to: 1 + b + b² + … as deep as they go" Source::Definition;
        FullCallsAlongLevels "calls_of_full_size_along_levels" "" Count "The same, each weighted by its size relative to the first" Source::Definition;
        TimesCalled "times_called" "" Count "Sum over all calls, starting where execution starts; without a main program, each function that nothing calls is run once" Source::Definition;
        CallsInAll "calls_in_all" "" Count "Calls in one call of the caller, times the number of calls of the caller" Source::Definition;
        CalledFlops "called_flops" "" Flops "Calls times the flops of one call, including everything called below" Source::Definition;
        ExecutedFlops "flops_of_all_calls" "" Flops "A function's own flops times the number of calls" Source::Definition;
        ExecutedTraffic "memory_traffic_of_all_calls" "" Bytes "Memory traffic of a function's own nests times the number of calls" Source::Definition;
        ExecutedTime "time_of_all_calls" "" Seconds "Time of a function's own nests times the number of calls" Source::Definition;
        FollowedFlops "flops_of_all_functions" "" Flops "Flops of all functions, each times its number of calls" Source::Definition;
        FollowedTraffic "memory_traffic_of_all_functions" "" Bytes "Memory traffic of all functions, each times its number of calls" Source::Definition;
        FollowedTime "time_of_all_functions" "" Seconds "Time of all functions, each times its number of calls" Source::Definition;
        FlopsCalledInNest "flops_called_in_nest" "" Flops "Flops of procedures with loops of their own that a nest calls" Source::Definition;
        PathCalls "calls_along_path" "" Count "Number of calls of the last function along this path" Source::Definition;
        PathFlops "flops_along_path" "" Flops "Calls along the path times the nest's own flops" Source::Definition;
        PathTraffic "memory_traffic_along_path" "" Bytes "Calls along the path times the nest's own memory traffic" Source::Definition;
        PathTime "time_along_path" "" Seconds "Calls along the path times the nest's own time" Source::Definition;

        // Communication.
        Executions "executions" "" Count "Iterations of the loops around the call, times the probabilities of the branches around it, times the number of calls of its function" Source::Definition;
        Components "components" "" Count "For a ghost exchange: components of a cell" Source::Code;
        GhostWidth "ghost_width" "" Cells "For a ghost exchange: cells on either side" Source::Code;
        MessageElements "message_elements" "" Elements "Elements that one process sends (for a receive: receives), or sends to each process; for a ghost exchange: components x sum over the dimensions d of 2 x width x the cells of the other dimensions" Source::Code;
        MessageElementSize "message_element_size" "" Bytes "Bytes of an element, from its type; a type created elsewhere in the program is unknown" Source::Code;
        MessageData "message_data" "" Bytes "Elements times their size" Source::Definition;
        Messages "messages" "" Count "Consecutive messages: 1 point to point, 2 per dimension for a ghost exchange, the number of stages for a collective" Source::Collectives;
        MessageBytes "message_bytes" "" Bytes "Bytes that one process sends in one execution; for a receive: receives" Source::Collectives;
        MessageTime "message_time" "" Seconds "Messages x nic_latency_us + bytes / nic_gbs; exchanges count twice and receives once where nic_full_duplex is 0" Source::Hockney;
        AllMessages "messages_of_all_executions" "" Count "Executions times messages" Source::Definition;
        AllMessageBytes "message_bytes_of_all_executions" "" Bytes "Executions times bytes" Source::Definition;
        AllMessageTime "message_time_of_all_executions" "" Seconds "Executions times the cost of one" Source::Definition;
        MessagesSent "messages_sent" "" Count "Messages sent by all communication calls" Source::Definition;
        BytesSent "bytes_sent" "" Bytes "Bytes sent by all communication calls with known sizes" Source::Definition;
        CommunicationTime "communication_time" "" Seconds "Time of all communication calls with known sizes" Source::Definition;

        // Registers.
        Counters "counter_registers" "" Registers "The loop variable, and its bound if that is not a constant" Source::Code;
        Scalars "scalar_registers" "" Registers "Scalars that are live throughout the loop" Source::Code;
        Pointers "pointer_registers" "" Registers "Addresses: one per array for all references a known distance apart, plus strides that are not constants" Source::Code;
        Invariants "invariant_registers" "" Registers "Array elements that are invariant in the loop; for floating point also literals and constants" Source::Code;
        Temporaries "temporary_registers" "" Registers "The most values of one iteration live at once: scalars between write and last read; for integers loaded indices, for floating point operands of expressions" Source::SethiUllman;
        LiveRegisters "live_registers" "" Registers "Values that one iteration of the innermost loop keeps in registers" Source::Definition;
        SpilledRegisters "spilled_registers" "" Registers "Live values beyond the registers of the machine: int_registers - int_reserved, or fp_registers" Source::Definition;
        Spills "spills" "" Choice "spills: more live values than registers, so some are stored to the stack and reloaded" Source::Definition;

        // Another machine.
        TimeRatio "time_ratio" "" Ratio "Time on B divided by time on A: below 1, B is faster" Source::Definition;
        ComparedTime "time_of_compared_nests" "" Seconds "Estimates of the compared nests" Source::Definition;
        ComparedRatio "time_ratio_of_compared_nests" "" Ratio "Time of the compared nests on B divided by that on A" Source::Definition;

        // Other values of an input.
        Factor "factor" "" Ratio "Factor by which the value in force is multiplied" Source::Given;
        SweptValue "swept_value" "" Count "A value of an input, in its unit, for which the times of nests are recomputed" Source::Given;
        NeededBandwidth "needed_bandwidth" "" BytesPerSecond "Memory bandwidth at which a nest reaches the requested speedup, all else unchanged; 0 where no memory bandwidth is enough" Source::Definition;
        NextCapacity "next_capacity" "" Bytes "Smallest share of a cache per core that holds the next reuse not held now; 0 where all are held" CACHES;
        SizeForNext "size_for_next_capacity" "" Count "Largest value of a size at which the next reuse not held now would be held, or at which all are still held, all else unchanged; 0: none" CACHES;
        ChangedTotal "total_with_other_inputs" "" Seconds "Estimates of the compared nests, over all calls where these are followed, with the inputs of a scenario or with one input slightly decreased or increased" Source::Definition;
        SweptTime "time_of_swept_nests" "" Seconds "Estimates of the nests shown, with that value" Source::Definition;

        // Advice.
        AdvisedTotal "known_time" "" Seconds "Time of all ranked nests with a known time, including those left out of a big workbook" Source::Definition;
        AdvisedBlock "advised_block" "" Iterations "Iterations of a block that makes a nest faster" Source::Given;
        AdvisedCapacity "advised_capacity" "" Bytes "Size of a cache larger than the machine's" Source::Given;
        NotFetched "bytes_not_fetched" "" Bytes "Bytes of arrays that a nest only writes, line after line: streaming stores do not fetch them first. None if everything the nest touches fits in the last cache, or if the machine does not write-allocate (cost_w)" TRAFFIC;
        AdvisedNests "time_of_advised_nests" "" Seconds "Time of the nests that the advice concerns, over all calls where these are followed" Source::Definition;
        TimeAsAdvised "time_as_advised" "" Seconds "The same if the advice is followed: the nest's own formulas with other blocks, another cache or less traffic, or the formulas of the changed nest" Source::Definition;
        AdviceSaving "time_saved_by_advice" "" Seconds "Time of the nests as they are minus the time if the advice is followed" Source::Definition;
        AdviceShare "share_saved_by_advice" "" Share "Time saved by the advice divided by the time of all ranked nests" Source::Definition;
        AdviceSpeedup "speedup_by_advice" "" Ratio "Time of the nests as they are divided by the time if the advice is followed" Source::Definition;
        AdviceTrafficSaving "traffic_saved_by_advice" "" Bytes "Memory traffic saved by the advice, over all calls where these are followed" Source::Definition;

        // The chart of the roofline.
        ChartIntensity "chart_intensity" "" FlopsPerByte "Where the chart of the roofline begins and ends" Source::Given;
        Peak "peak" "" FlopsPerSecond "Flops per second of all cores together" Source::Roofline;
        Ceiling "ceiling" "" FlopsPerSecond "The best that operations of that kind can reach" Source::Roofline;
        CeilingBandwidth "ceiling_bandwidth" "" BytesPerSecond "Bytes per second of a level, of all cores together" Source::Roofline;
        Ridge "ridge" "" FlopsPerByte "The intensity from which operations are the limit rather than that bandwidth" Source::Roofline;
        CeilingStart "ceiling_start" "" FlopsPerByte "Where the line of a bandwidth begins" Source::Roofline;
        CeilingHeight "ceiling_height" "" FlopsPerSecond "The operations per second allowed there" Source::Roofline;
        Performance "flops_per_second" "" FlopsPerSecond "Flops of a nest divided by its estimated time" Source::Roofline;
    }
}
