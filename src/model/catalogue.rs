//! Kinds of figures of the static model: what each is called, its unit, what it means, and where its formula comes from.
//! A figure of a model is one of these, of a loop, an array, a cache (see [`Subject`](super::Subject)).

use crate::formula::Source;

const IN_CORE: Source = Source::Notes("In-core time");
const IRREGULAR: Source = Source::Notes("Irregular lines");
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
        MemoryBandwidth "memory_bandwidth" "" BytesPerSecond "Bytes per second between memory and all cores together: what the memory can do, and no more than the lines that all cores wait for at once in one latency" Source::Little;
        MemoryBandwidthOfOneCore "memory_bandwidth_of_one_core" "" BytesPerSecond "Bytes per second between memory and one core while the others wait: what the memory can do, and no more than the lines that the core waits for at once in one latency" Source::Little;

        // Parts of the formulas of cache levels.
        Place "place" "" Count "The value of a loop variable in the middle of its range, or of a part of it" CACHES;
        RowAlignment "alignment_of_rows" "" Count "Where rows begin within a cache line" CACHES;
        Lines "lines" "" Count "Cache lines that references touch while some loops run" CACHES;
        LinesAtEnds "lines_at_ends" "" Count "Cache lines by which rows exceed rows that share the lines at their ends with their neighbours" CACHES;
        LoopRuns "loop_runs" "" Count "Iterations of a loop, or of a part of its range, with all loops around it" CACHES;
        LoopValues "values_of_loop" "" Count "Values that a loop takes while those outside of it stand still: iterations of a loop, of a block of it, or of a part" CACHES;
        FirstValue "first_value" "" Count "The smallest value that a loop takes while those outside of it stand still" CACHES;
        LastValue "last_value" "" Count "The largest value that a loop takes while those outside of it stand still" CACHES;
        BlockIterations "iterations_of_block" "" Count "Iterations of one block of a loop: block_x, block_y … of Parameters, or all where it is not blocked" CACHES;
        ElementsOfLine "elements_of_line" "" Elements "Elements of an array that a cache line holds" CACHES;
        WholeArray "bytes_of_array" "" Bytes "Bytes of the whole array as it is declared" CACHES;
        LinesOfRow "lines_of_row" "" Count "Cache lines of one row: of the elements that the loops touch along the contiguous dimension" CACHES;
        Rows "rows" "" Count "Rows of an array that references touch: runs of elements along the contiguous dimension" CACHES;
        Unforeseen "irregular_share" "" Share "1 if no prefetcher foresees the lines of an array: at random, or along more streams than prefetchers follow; else 0" IRREGULAR;
        LinesOwed "lines_owed" "" Count "Lines by which rounding overestimated the reuse in one part of a loop: they are subtracted from the next part" CACHES;
        LinesOfArray "lines_of_array" "" Count "Cache lines of one array that a nest touches" NESTS;
        SharedBytes "bytes_of_shared_iteration" "" Bytes "Bytes that several nests touch in one iteration of the loop around them" NESTS;
        LinesFoundFirst "lines_found_first" "" Count "Lines that a nest finds in the cache before it has touched them itself" NESTS;
        LeastSince "least_bytes_since_earlier_nest" "" Bytes "Bytes touched between the last touch of an array in an earlier nest and the first one in this nest, of the line for which that is least" NESTS;
        MostSince "most_bytes_since_earlier_nest" "" Bytes "Bytes touched between the last touch of an array in an earlier nest and the first one in this nest, of the line for which that is most" NESTS;
        LinesOfEarlier "lines_of_earlier_nests" "" Count "Lines that a nest touches and that an earlier nest was the last to touch" NESTS;

        // Loops.
        TripCount "trip_count" "" Count "Mean trip count of a loop each time it is entered; triangular loops are summed exactly" Source::Definition;
        UnweightedIterations "unweighted_iterations" "" Count "Iterations of a loop over the whole execution, as if every branch around it were taken" Source::Definition;
        Iterations "iterations" "" Count "Iterations of a loop over the whole execution, all sweeps, branches by their probability" Source::Definition;
        BlockSize "block_size" "" Count "Iterations of a full block: block_x, block_y … of Parameters, at most the trip count" Source::Definition;
        LoopBlocks "loop_blocks" "" Count "Trip count over block size, rounded up; the last block may be smaller" Source::Definition;
        Sweeps "sweeps" "" Count "Times that the spatial loops run as a whole: loops over the components of arrays" Source::Definition;
        Blocks "blocks" "" Count "Blocks of one sweep: the product over the dimensions" Source::Definition;

        // Operations.
        AddsPerIteration "adds_per_iteration" "" Flops "Floating-point additions and subtractions; one iteration of the innermost loop, branches by their probability" Source::Code;
        MultipliesPerIteration "multiplies_per_iteration" "" Flops "Floating-point multiplications; one iteration of the innermost loop, branches by their probability" Source::Code;
        DividesPerIteration "divides_per_iteration" "" Flops "Floating-point divisions; one iteration of the innermost loop, branches by their probability" Source::Code;
        SpecialsPerIteration "specials_per_iteration" "" Flops "Square roots, exponentials, logarithms, trigonometric functions …; one iteration of the innermost loop, branches by their probability" Source::Code;
        FmaPairsPerIteration "fma_pairs_per_iteration" "" Flops "Adds that could be fused with a multiply, both being counted on their own too; one iteration of the innermost loop, branches by their probability" Source::Code;
        FlopsPerIteration "flops_per_iteration" "" Flops "Adds + multiplies + divides + specials; one iteration of the innermost loop, branches by their probability" VARIANTS;
        Adds "adds" "" Flops "Additions and subtractions of all loops of the nest" Source::Code;
        Multiplies "multiplies" "" Flops "Multiplications of all loops of the nest" Source::Code;
        Divides "divides" "" Flops "Divisions of all loops of the nest" Source::Code;
        Specials "specials" "" Flops "Specials of all loops of the nest" Source::Code;
        FmaPairs "fma_pairs" "" Flops "Adds that could be fused with a multiply" Source::Code;
        Flops "flops" "" Flops "Adds + multiplies + divides + specials" VARIANTS;
        WeightedFlops "weighted_flops" "" Flops "Adds + multiplies + cost_div·divides + cost_special·specials, less fused pairs if fma_aware is 1" VARIANTS;

        // Arrays.
        ElementSize "element_size" "" Bytes "Bytes of one element; unknown types count as 8 bytes" Source::Code;
        CostPerByte "cost_per_byte" "" BytesPerByte "Bytes moved for each byte: cost_r, cost_rw or cost_w of Machine" TRAFFIC;
        ArrayGroups "array_groups" "" Count "Distinct offsets, or groups of them that one sweep of the innermost loops joins: pencils, planes …" GROUPS;
        LiveArrayGroups "live_array_groups" "" Count "Groups of offsets that must stay in the cache for reuse: span + largest gap" GROUPS;
        DistinctElements "distinct_elements" "" Elements "Distinct elements that so many innermost loops of a block touch: the exact union of the shifted blocks, rows in whole cache lines" UNION;
        ArrayWorkingSet "array_working_set" "" Bytes "Bytes to keep for reuse by the next iteration of the loop at that level" GROUPS;
        ArrayFootprint "array_footprint" "" Bytes "Distinct bytes of an array that the whole nest touches, all sweeps" UNION;
        ArrayTraffic "array_traffic" "" Bytes "Of one array by the scenarios: cost · element size · elements that the sweeps at that level touch · number of sweeps" TRAFFIC;
        CompulsoryArrayTraffic "compulsory_array_traffic" "" Bytes "Of one array by the scenarios, everything being reused: cost · footprint" TRAFFIC;

        // Working sets and traffic of nests.
        NaiveWorkingSet "naive_working_set" "" Bytes "Bytes to keep for reuse between groups of that size: all arrays share the cache" VARIANTS;
        StreamingWorkingSet "streaming_working_set" "" Bytes "Bytes to keep for reuse between groups of that size: written arrays bypass the cache" VARIANTS;
        ReuseWorkingSet "reuse_working_set" "" Bytes "Bytes to keep for reuse between groups of that size: arrays without reuse bypass the cache too" VARIANTS;
        ActualWorkingSet "actual_working_set" "" Bytes "Bytes to keep for reuse between groups of that size: the variant that streaming_writes and nta_hints choose" VARIANTS;
        LiveGroups "live_groups" "" Count "Groups of all arrays that must stay in the cache so that the next iteration reuses them: span + largest gap of each array" GROUPS;
        Footprint "footprint" "" Bytes "Distinct bytes that the whole nest touches, in whole cache lines" UNION;
        ScenarioTraffic "scenario_traffic" "" Bytes "Memory traffic if elements are reused that far within a block, and not beyond; without reuse every reference moves its element" TRAFFIC;
        CompulsoryTraffic "compulsory_traffic" "" Bytes "By the scenarios, everything being reused, between blocks too: the compulsory traffic of the nest" TRAFFIC;
        TrafficByScenarios "memory_traffic_by_scenarios" "" Bytes "Memory traffic of the scenario whose actual working set is below cache_bytes; between blocks if the footprint is" TRAFFIC;

        // Cache levels.
        Capacity "capacity" "" Bytes "One core's share of a cache, from Machine" Source::Definition;
        LeastFetched "least_fetched" "" Bytes "All lines of the nest once, which any cache fetches" CACHES;
        LeastWrittenBack "least_written_back" "" Bytes "Dirty lines of the nest once, which any cache writes back" CACHES;
        ReuseWithin "reuse_distance" "" Bytes "Bytes of all distinct lines touched before a loop comes back to the same lines: they must fit" CACHES;
        ReuseWithNests "reuse_distance_with_nests" "" Bytes "Bytes touched before a loop around several nests comes back to the same lines, those of the other nests too" NESTS;
        ReuseFetched "reuse_fetched" "" Bytes "Bytes fetched once more if the working set of a reuse does not fit" CACHES;
        ReuseWrittenBack "reuse_written_back" "" Bytes "Bytes written back once more if the working set of a reuse does not fit" CACHES;
        IterationsInside "iterations_inside" "" Count "Product of the iterations of the loops inside, which the working set of a reuse grows with" CACHES;
        FetchedAgain "fetched_again" "" Bytes "Bytes fetched again for a reuse: none if its working set fits" CACHES;
        WrittenBackAgain "written_back_again" "" Bytes "Bytes written back again for a reuse: none if its working set fits" CACHES;
        IterationsThatFit "iterations_that_fit" "" Iterations "The working set of a reuse fits while the iterations of the loops inside are at most so many: exact where the working set is proportional to them" CACHES;
        LargestSize "largest_size" "" Count "The working set of a reuse fits while a parameter is at most so much, the others being as they are: exact where it is proportional to the iterations inside" CACHES;
        FoundIfHeld "found_if_held" "" Bytes "Bytes that a cache must hold to find all of the nest's data again: all of its lines where warm is 1, else more than any cache holds" CACHES;
        AllFetchedAgain "all_fetched_again" "" Bytes "Bytes fetched again, all reuses together" CACHES;
        AllWrittenBackAgain "all_written_back_again" "" Bytes "Bytes written back again, all reuses together" CACHES;
        LeftByNests "left_by_earlier_nests" "" Bytes "Bytes that need not be fetched, because earlier nests in a loop around both left them in the cache, or, where reuse_between_nests is 1, any of the function: already subtracted" NESTS;
        LeftDirtyByNests "left_dirty_by_earlier_nests" "" Bytes "Bytes that earlier nests left dirty and that are written again before they are written back: already subtracted" NESTS;
        WrittenFirst "written_first" "" Bytes "Bytes fetched only because a cache fetches the lines that are written: of arrays that nothing reads, or only later" CACHES;
        IrregularPart "irregular_part" "" Bytes "Bytes of lines that no prefetcher foresees, all of them once, or those fetched again for a reuse that does not fit" IRREGULAR;
        Irregular "irregular" "" Bytes "Bytes of lines fetched that no prefetcher foresees" IRREGULAR;
        PagesTouched "bytes_of_pages" "" Bytes "All pages of the nest once" IRREGULAR;
        PagesMissed "pages_missed" "" Count "Pages of irregular accesses that the translation buffer does not hold: the rule of lines, for pages of page_bytes and tlb_bytes" IRREGULAR;
        NotAllocated "not_allocated" "" Bytes "Bytes of lines that are written and need not be fetched first, where cost_w is below 2: already subtracted" CACHES;
        Fetched "fetched" "" Bytes "Lines fetched: all lines once, and again after every reuse that does not fit" CACHES;
        WrittenBack "written_back" "" Bytes "Dirty lines written back, those left at the end included" CACHES;
        CarriedReuse "carried_reuse" "" Bytes "Bytes that would move again if no reuse of a loop, or of the nest, fitted" CACHES;
        ReuseNotHeld "reuse_not_held" "" Bytes "Bytes that move again, because the reuse of a loop, or of the nest, does not fit" CACHES;
        WhatStays "what_stays" "" Choice "The outermost loop whose reuse fits completely; Layer conditions has every reuse" CACHES;
        CacheTraffic "cache_traffic" "" Bytes "Fetched and written back" CACHES;
        TimeBehindCache "time_behind_cache" "" Seconds "Fetched and written back together, at the bandwidth of the next level; empty if that is not known" CACHES;

        MemoryTraffic "memory_traffic" "" Bytes "Actual memory traffic, which times are made of: what the last cache fetches and writes back; that of the scenarios where scenarios of Machine is 1" CACHES;

        // Time.
        CpuTime "cpu_time" "" Seconds "Weighted flops / (gflops_per_core · 1e9 · cores)" VARIANTS;
        Lanes "lanes" "" Elements "Elements that the innermost loop does at once: those of a vector, or one where it is scalar" IN_CORE;
        PortCycles "port_cycles" "" Cycles "Cycles in which the core issues loads, stores and arithmetic of one iteration of the innermost loop" IN_CORE;
        ChainCycles "chain_cycles" "" Cycles "Cycles in which one iteration of the innermost loop waits for earlier ones" IN_CORE;
        PortsTime "ports_time" "" Seconds "Cycles in which the cores issue loads, stores and arithmetic of all iterations, over ghz and cores" IN_CORE;
        ChainTime "chain_time" "" Seconds "Cycles in which iterations wait for earlier ones, over ghz and cores" IN_CORE;
        Texts "numbers_written" "" Count "Numbers that are written as text, all loops of the nest, branches by their probability" Source::Code;
        TextTime "text_time" "" Seconds "Numbers written as text · text_ns / 1e9: one core writes them" Source::Notes("Text output");
        CoreTime "core_time" "" Seconds "The larger of chain and ports time; where the machine does not say what its cores do in a cycle, the CPU time" IN_CORE;
        IrregularTime "irregular_time" "" Seconds "Lines that no prefetcher foresees: each takes the latency of the level that has it over the lines that a core waits for at once, and at least what the bandwidth takes; and tlb_miss_ns for every page that the translation buffer does not hold" IRREGULAR;
        RegisterTraffic "register_traffic" "" Bytes "Bytes that the nearest cache delivers: every reference, over the whole execution" VARIANTS;
        LevelTime "level_time" "" Seconds "Traffic of a cache, without irregular lines where these are apart, over its bandwidth, of all cores together" VARIANTS;
        MemoryTime "memory_time" "" Seconds "Actual memory traffic / memory bandwidth in force, as sheet Machine has it below its parameters; without irregular lines where these are apart" VARIANTS;
        SlowestLevel "slowest_level" "" Seconds "The largest of the times of all levels, irregular lines being apart" IRREGULAR;
        SlowestPart "slowest_part" "" Seconds "The largest of the core time, the times of all levels and that of writing text; irregular lines, where they are apart, come on top of those of the levels" VARIANTS;
        Time "time" "" Seconds "Estimate of the whole execution: the largest of the core time (the CPU time where the machine does not say what its cores do in a cycle) and the times of all levels, or of writing text; with overlap below 1, part of core and data time adds up" VARIANTS;
        CoreTimeOfVectors "core_time_of_vectors" "" Seconds "The larger of chain and ports time if compilers do all that they may: vectors, functions in vectors, sums in another order" IN_CORE;
        CoreTimeOfScalars "core_time_of_scalars" "" Seconds "The larger of chain and ports time if compilers do nothing of that: one element after the other, sums as written" IN_CORE;
        LowTime "low_time" "" Seconds "The estimate if all that the source leaves open goes well: caches that hold all of the nest's data have it from its last execution (where it is executed more than once, or nothing says how often), vectors, sums in another order" BAND;
        HighTime "high_time" "" Seconds "The estimate if nothing of that does: caches as in the estimate, one element after the other, sums as written" BAND;
        LeftOpen "left_open" "" Choice "What the source leaves open between low and high: 1 is nothing; on top of that caches (warm or cold) count 1, vectors 2, sums (their order) 4" BAND;
        Bound "bound" "" Choice "What takes longest: 1 is CPU, then the levels, then chains and ports, then irregular lines, then writing text" VARIANTS;
        Intensity "arithmetic_intensity" "" FlopsPerByte "Flops over actual memory traffic" Source::Roofline;
        Balance "bytes_per_flop" "" BytesPerFlop "Actual memory traffic over flops" VARIANTS;

        // The program.
        TotalFlops "total_flops" "" Flops "Flops of all nests" Source::Definition;
        TotalWeightedFlops "total_weighted_flops" "" Flops "Weighted flops of all nests" Source::Definition;
        TotalTraffic "total_memory_traffic" "" Bytes "Actual memory traffic of all nests" Source::Definition;
        TotalTime "total_time" "" Seconds "Estimates of all nests, one after the other" Source::Definition;
        TotalIntensity "total_arithmetic_intensity" "" FlopsPerByte "Flops of all nests over their actual memory traffic" Source::Roofline;
        ShareOfTime "share_of_total_time" "" Share "Estimate over the sum of all estimates; where calls are followed, both over all calls" Source::Definition;
        BytesOfIteration "bytes_of_iteration" "" Bytes "What an iteration of a loop touches at most, with all calls inside it: bytes of each nest, times how often it is executed" AGAIN;
        BytesOfCall "bytes_of_call" "" Bytes "What a call of a function touches at most, with all calls inside it" AGAIN;
        ColdExecutions "cold_executions" "" Count "Executions of a nest that are not shown to find its data in a cache, or in one before it" AGAIN;
        WarmTime "warm_time" "" Seconds "Estimate of an execution that finds its data in a cache, and nothing in those before it" AGAIN;
        NestTimeOfAllCalls "time_of_nest_in_all_calls" "" Seconds "Estimate, times how often the nest's function is called; of executions that are shown to find the nest's data in a cache, the time of those that do" Source::Definition;
        NestTrafficOfAllCalls "memory_traffic_of_nest_in_all_calls" "" Bytes "Memory traffic, times the executions that are not shown to find the nest's data in a cache" Source::Definition;
        MeasuredTime "measured_time" "" Seconds "What the nest was measured to take in a run of the program" Source::Definition;
        EstimateOfMeasured "estimate_of_measured_nests" "" Seconds "Estimates, over all calls, of nests that were measured together" Source::Definition;
        MeasuredRatio "measured_ratio" "" Ratio "Estimate, over all calls, over the measured time; of nests that were measured together, the sum of their estimates" Source::Definition;
        ProgramTime "time_of_program" "" Seconds "Time of all nests that a run reaches, over all calls" Source::Definition;

        // Loops after each other.
        LoopTime "time_of_loop" "" Seconds "Estimates of all nests in a loop" Source::Definition;
        LoopStart "start_of_loop" "" Seconds "When all that a loop depends on is done" Source::Definition;
        LoopEnd "end_of_loop" "" Seconds "When a loop is done that begins as soon as it can" Source::Definition;
        SequenceTime "time_of_loops" "" Seconds "Loops of one function, or inside one loop, one after the other" Source::Definition;
        CriticalPath "critical_path" "" Seconds "The longest chain of these loops in which each depends on the one before" Source::Definition;
        FusionSaving "traffic_saved_by_fusion" "" Bytes "Memory traffic that one loop would not have: of each array that both use, the smaller part once" Source::Definition;

        // Calls.
        CallsPerCall "calls_in_one_call" "" Count "Iterations of the loops around the call, times the probabilities of the branches around it" Source::Definition;
        FullCallsPerCall "calls_of_full_size_in_one_call" "" Count "Calls in one call of the caller, each with its size over that of the largest: sizes that fall from level to level count less" Source::Definition;
        FullCalls "calls_of_full_size" "" Count "Sum over all calls, each with its size over that of the largest" Source::Definition;
        FlopsOutsideLoops "flops_outside_of_loops" "" Flops "Operations of a function outside of its loops, in one call" Source::Code;
        FlopsOfNests "flops_of_nests" "" Flops "Flops of the nests of a function, in one call" Source::Definition;
        FlopsOfCall "flops_of_one_call" "" Flops "Flops of a function's own nests, and outside of loops" Source::Definition;
        TrafficOfCall "memory_traffic_of_one_call" "" Bytes "Memory traffic of a function's own nests" Source::Definition;
        TimeOfCall "time_of_one_call" "" Seconds "Time of a function's own nests" Source::Definition;
        InclusiveFlops "flops_with_callees" "" Flops "Flops of one call: own, and all that it calls" Source::Definition;
        InclusiveTraffic "memory_traffic_with_callees" "" Bytes "Memory traffic of one call: own, and all that it calls" Source::Definition;
        InclusiveTime "time_with_callees" "" Seconds "Time of one call: own, and all that it calls" Source::Definition;
        TimesCalled "times_called" "" Count "Sum over all calls, from where a run begins on; without a main program, a function that nothing calls is run once" Source::Definition;
        CallsInAll "calls_in_all" "" Count "Calls in one call of the caller, times how often the caller is called" Source::Definition;
        CalledFlops "called_flops" "" Flops "Calls times the flops of one call, with all that is called below" Source::Definition;
        ExecutedFlops "flops_of_all_calls" "" Flops "Flops of a function of its own, times how often it is called" Source::Definition;
        ExecutedTraffic "memory_traffic_of_all_calls" "" Bytes "Memory traffic of a function's own nests, times how often it is called" Source::Definition;
        ExecutedTime "time_of_all_calls" "" Seconds "Time of a function's own nests, times how often it is called" Source::Definition;
        FollowedFlops "flops_of_all_functions" "" Flops "Flops of all functions, each as often as it is called" Source::Definition;
        FollowedTraffic "memory_traffic_of_all_functions" "" Bytes "Memory traffic of all functions, each as often as it is called" Source::Definition;
        FollowedTime "time_of_all_functions" "" Seconds "Time of all functions, each as often as it is called" Source::Definition;
        FlopsCalledInNest "flops_called_in_nest" "" Flops "Flops of the procedures that a nest calls and that keep their loops to themselves" Source::Definition;
        PathCalls "calls_along_path" "" Count "How often the last function is called along this path" Source::Definition;
        PathFlops "flops_along_path" "" Flops "Calls along the path times the nest's own flops" Source::Definition;
        PathTraffic "memory_traffic_along_path" "" Bytes "Calls along the path times the nest's own memory traffic" Source::Definition;
        PathTime "time_along_path" "" Seconds "Calls along the path times the nest's own time" Source::Definition;

        // Communication.
        Executions "executions" "" Count "Iterations of the loops around the call, times the probabilities of the branches around it, times how often its function is called" Source::Definition;
        Components "components" "" Count "Of a ghost exchange: components of a cell" Source::Code;
        GhostWidth "ghost_width" "" Cells "Of a ghost exchange: cells on either side" Source::Code;
        MessageElements "message_elements" "" Elements "Elements that one process sends (a receive: receives), or sends to each; of a ghost exchange: components x sum over the dimensions d of 2 x width x the cells of the other dimensions" Source::Code;
        MessageElementSize "message_element_size" "" Bytes "Bytes of an element, from its type; a type that the program makes elsewhere is unknown" Source::Code;
        MessageData "message_data" "" Bytes "Elements times their size" Source::Definition;
        Messages "messages" "" Count "Messages one after another: 1 point to point, 2 per dimension of a ghost exchange, the stages of a collective" Source::Collectives;
        MessageBytes "message_bytes" "" Bytes "Bytes that one process sends in one execution; a receive: that it receives" Source::Collectives;
        MessageTime "message_time" "" Seconds "Messages x nic_latency_us + bytes / nic_gbs; exchanges twice and receives once where nic_full_duplex is 0" Source::Hockney;
        AllMessages "messages_of_all_executions" "" Count "Executions times messages" Source::Definition;
        AllMessageBytes "message_bytes_of_all_executions" "" Bytes "Executions times bytes" Source::Definition;
        AllMessageTime "message_time_of_all_executions" "" Seconds "Executions times the cost of one" Source::Definition;
        MessagesSent "messages_sent" "" Count "Messages of all calls between processes, those that are sent" Source::Definition;
        BytesSent "bytes_sent" "" Bytes "Bytes of all calls between processes, those that are sent, as far as sizes are known" Source::Definition;
        CommunicationTime "communication_time" "" Seconds "Time of all calls between processes, as far as sizes are known" Source::Definition;

        // Registers.
        Counters "counter_registers" "" Registers "The loop variable, and its bound if that is not a number" Source::Code;
        Scalars "scalar_registers" "" Registers "Scalars that live through the whole loop" Source::Code;
        Pointers "pointer_registers" "" Registers "Addresses: one per array for all references a known distance apart, and strides that are not numbers" Source::Code;
        Invariants "invariant_registers" "" Registers "Array elements that stay the same in the loop; floating-point: literals and constants too" Source::Code;
        Temporaries "temporary_registers" "" Registers "The most values of one iteration that live at once: scalars between write and last read; integer: loaded indices, floating-point: operands of expressions" Source::SethiUllman;
        LiveRegisters "live_registers" "" Registers "Values that one iteration of the innermost loop keeps in registers" Source::Definition;
        SpilledRegisters "spilled_registers" "" Registers "Live beyond the registers of Machine: int_registers - int_reserved, or fp_registers" Source::Definition;
        Spills "spills" "" Choice "spills: more values live than there are registers, so that some are stored to the stack and loaded again" Source::Definition;

        // Another machine.
        TimeRatio "time_ratio" "" Ratio "Time on B over time on A: below 1, B is faster" Source::Definition;
        ComparedTime "time_of_compared_nests" "" Seconds "Estimates of the nests that are compared" Source::Definition;
        ComparedRatio "time_ratio_of_compared_nests" "" Ratio "Time of the compared nests on B over that on A" Source::Definition;

        // Other values of an input.
        Factor "factor" "" Ratio "What the value in force is multiplied by" Source::Given;
        SweptValue "swept_value" "" Count "A value of an input, in the input's unit, for which the times of nests are computed again" Source::Given;
        NeededBandwidth "needed_bandwidth" "" BytesPerSecond "Memory bandwidth with which a nest is as many times as fast as is asked for, all else as it is; 0 where no memory bandwidth makes it so" Source::Definition;
        NextCapacity "next_capacity" "" Bytes "One core's share of a cache from which on the next reuse is held that is not held now; 0 where all are" CACHES;
        SizeForNext "size_for_next_capacity" "" Count "Largest value of a size with which the next reuse that is not held now would be, all else as it is, or all still are; 0: none" CACHES;
        ChangedTotal "total_with_other_inputs" "" Seconds "Estimates of the nests that are compared, over all calls where these are followed, with the inputs of a scenario or one input a little less or more" Source::Definition;
        SweptTime "time_of_swept_nests" "" Seconds "Estimates of the nests that are shown, with that value" Source::Definition;

        // Advice.
        AdvisedTotal "known_time" "" Seconds "Time of all nests that are ranked, as far as it is known, those that a big workbook leaves out included" Source::Definition;
        AdvisedBlock "advised_block" "" Iterations "Iterations of a block with which a nest is faster" Source::Given;
        AdvisedCapacity "advised_capacity" "" Bytes "Size of a cache that is larger than the machine's" Source::Given;
        NotFetched "bytes_not_fetched" "" Bytes "Bytes of arrays that a nest only writes, line after line: streaming stores do not fetch them first. None if what the nest touches fits the last cache, or the machine fetches nothing (cost_w)" TRAFFIC;
        AdvisedNests "time_of_advised_nests" "" Seconds "Time of the nests that a piece of advice is about, over all calls where these are followed" Source::Definition;
        TimeAsAdvised "time_as_advised" "" Seconds "The same if the advice is followed: the nest's own formulas with other blocks, another cache, less traffic, or those of the changed nest" Source::Definition;
        AdviceSaving "time_saved_by_advice" "" Seconds "Time of the nests as they are less that if the advice is followed" Source::Definition;
        AdviceShare "share_saved_by_advice" "" Share "Time that a piece of advice saves over the time of all nests that are ranked" Source::Definition;
        AdviceSpeedup "speedup_by_advice" "" Ratio "Time of the nests as they are over that if the advice is followed" Source::Definition;
        AdviceTrafficSaving "traffic_saved_by_advice" "" Bytes "Memory traffic that a piece of advice saves, over all calls where these are followed" Source::Definition;

        // The chart of the roofline.
        ChartIntensity "chart_intensity" "" FlopsPerByte "Where the chart of the roofline begins and ends" Source::Given;
        Peak "peak" "" FlopsPerSecond "Flops per second of all cores together" Source::Roofline;
        Ceiling "ceiling" "" FlopsPerSecond "What operations of that kind reach at best" Source::Roofline;
        CeilingBandwidth "ceiling_bandwidth" "" BytesPerSecond "Bytes per second of a level, of all cores together" Source::Roofline;
        Ridge "ridge" "" FlopsPerByte "The intensity from which operations limit, not that bandwidth" Source::Roofline;
        CeilingStart "ceiling_start" "" FlopsPerByte "Where the line of a bandwidth begins" Source::Roofline;
        CeilingHeight "ceiling_height" "" FlopsPerSecond "The operations per second that it allows there" Source::Roofline;
        Performance "flops_per_second" "" FlopsPerSecond "Flops of a nest over its estimate" Source::Roofline;
    }
}
