//! The pass that counts by site.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::blocks::Handed;
use super::calls::{CallCounts, CallStack, Calls};
use super::data::DataMeter;
use super::origins::Origins;
use super::rounds::{Finished, Left, RoundsMeter};
use super::strides::StrideMeter;
use super::symbols::{hands_out_memory, returns_memory};
use super::vectors::{Elements, VectorMeter};
use super::{
    AllocatedAt, Begun, Called, DataAccesses, Entered, MachineLoop, Moved, OnBehalf, Operations,
    Site, SourceProfile, Vectors,
};
use crate::counted::Counted;
use crate::metric::{Metric, Program, Run, Stretch, ram_use};
use crate::trace::Instruction;
use crate::trace::isa::{Access, Class, VectorArithmetic, vector_arithmetic};
use loopsheet_regions::{
    BegunPlace, LoopPlace, Places, RegionError, SitePlace, Sites, Spot, Statement,
};

/// Counts while the trace goes by.
pub struct ProfileMeter {
    sites: Sites,
    /// By instruction.
    spots: Vec<Spot>,
    /// Whether a function that hands out memory begins with it.
    hand_out: Vec<bool>,
    /// Whether what it returns then is memory.
    returns_memory: Vec<bool>,
    /// Positions among `threads`, by instruction.
    harts: Vec<u16>,
    threads: Vec<Thread>,
    rounds: RoundsMeter,
    /// By site, nearest level first.
    moved: Vec<Vec<Moved>>,
    /// What the levels had moved when they were last looked at.
    seen: Vec<Moved>,
    calls: CallCounts,
    data: DataMeter,
    origins: Origins,
    strides: StrideMeter,
    vectors: VectorMeter,
}

/// Where a hart is.
#[derive(Clone, Default)]
struct Thread {
    /// By function: its instruction that was executed last, and its loop that was left last.
    last: FxHashMap<u32, (Option<u32>, Option<Left>)>,
    calls: CallStack,
    /// Calls that were open when a function that hands out memory began, as long as it goes on.
    hands_out: Option<usize>,
    /// The site of the call that asked it for memory.
    asked_at: Option<u32>,
}

impl ProfileMeter {
    pub fn new(sites: Sites) -> ProfileMeter {
        let data = DataMeter::new(sites.variables(), sites.image());
        ProfileMeter {
            sites,
            spots: Vec::new(),
            hand_out: Vec::new(),
            returns_memory: Vec::new(),
            origins: Origins::default(),
            harts: Vec::new(),
            threads: Vec::new(),
            rounds: RoundsMeter::default(),
            moved: Vec::new(),
            seen: Vec::new(),
            calls: CallCounts::default(),
            data,
            strides: StrideMeter::default(),
            vectors: VectorMeter::default(),
        }
    }

    fn add_instruction(&mut self, instruction: &Instruction) {
        let spot = self.sites.spot_of(instruction);
        self.spots.push(spot);
        let is = |what: fn(&str) -> bool| {
            spot.is_first_of_function && what(self.sites.function_of(spot.site))
        };
        self.hand_out.push(is(hands_out_memory));
        self.returns_memory.push(is(returns_memory));
        self.origins.add_instruction(instruction);
        self.rounds.add(self.sites.loops_after(self.rounds.len()));
        self.harts.push(instruction.hart);
        let threads = usize::from(instruction.hart) + 1;
        if self.threads.len() < threads {
            self.threads.resize(threads, Thread::default());
        }
        self.data.add_instruction(instruction, spot.has_line);
        self.strides.add_instruction();
        self.vectors.add_instruction(instruction);
    }

    /// Takes one execution, with what the cache levels have moved so far if it may have changed.
    #[inline]
    fn step(&mut self, index: usize, access: Option<Access>, addresses: &[u64], levels: &[Moved]) {
        let spot = self.spots[index];
        let hart = self.harts[index];
        let bytes = access.map_or(0, |access| access.bytes);
        self.vectors.step(index, hart, bytes, addresses);
        let thread = &mut self.threads[usize::from(hart)];
        let depth = thread.calls.depth();
        if thread
            .hands_out
            .is_some_and(|began| spot.has_line || depth < began)
        {
            let has_returned = thread.hands_out.is_some_and(|began| depth < began);
            thread.hands_out = None;
            if let Some(site) = thread.asked_at.take().filter(|_| has_returned) {
                self.origins.returned(hart, site);
            }
        }
        if self.hand_out[index] && thread.hands_out.is_none() {
            thread.hands_out = Some(depth.max(1));
            let asked = self.returns_memory[index] && depth > 0;
            thread.asked_at = thread.calls.last_with_line().filter(|_| asked);
            self.data.hand_out();
        }
        if let Some(access) = access {
            let bytes = self.vectors.element_bytes(index, hart, access.bytes);
            let element = Access { bytes, ..access };
            // Whole registers have an address for each byte.
            let every = usize::from(bytes / access.bytes.max(1)).max(1);
            let inside = thread.hands_out.is_some();
            let origin = Handed::of(self.origins.accessed(index, hart));
            self.data
                .step(index, element, addresses, every, (inside, origin));
            self.attribute(spot.site, levels);
        }
        self.origins.step(index, hart, addresses);
        let thread = &mut self.threads[usize::from(self.harts[index])];
        if let Some(function) = spot.function {
            let (last, left) = thread.last.entry(function).or_default();
            let before = last
                .replace(index as u32)
                .filter(|_| !spot.is_first_of_function);
            self.rounds
                .step(&spot, before.map(|index| &self.spots[index as usize]), left);
        }
        if let (Some(_), Some(innermost)) = (access, spot.innermost) {
            self.strides
                .step(index, addresses, self.rounds.round(innermost));
        }
        let access = access.filter(|_| !self.data.is_on_stack(index));
        thread.calls.step(&mut self.calls, &spot, access);
    }

    /// Gives a site what the levels have moved since the last time.
    fn attribute(&mut self, site: u32, levels: &[Moved]) {
        for (level, now) in levels.iter().copied().enumerate() {
            if self.seen.len() <= level {
                self.seen.resize(level + 1, Moved::default());
            }
            let before = std::mem::replace(&mut self.seen[level], now);
            if now == before {
                continue;
            }
            if self.moved.len() <= site as usize {
                self.moved.resize(site as usize + 1, Vec::new());
            }
            let moved = &mut self.moved[site as usize];
            if moved.len() <= level {
                moved.resize(level + 1, Moved::default());
            }
            moved[level].bytes_in += now.bytes_in - before.bytes_in;
            moved[level].bytes_out += now.bytes_out - before.bytes_out;
        }
    }

    /// What was counted, with the instructions of the trace and how often each was executed; and what each accessed.
    ///
    /// # Errors
    /// The trace is not one of this program, or it was loaded elsewhere.
    fn profile(
        self,
        instructions: &[Instruction],
        executions: &[u64],
    ) -> Result<(SourceProfile, Vec<Vec<DataAccesses>>), RegionError> {
        let files = self.sites.files();
        let Places {
            sites: places,
            loops,
            begun,
        } = self.sites.finish()?;
        let statements = statements(&files, &begun, executions);
        let entered = entered(&places, &self.spots, executions);
        let vectors = self.vectors.finish();
        let on_stack: Vec<bool> = (0..instructions.len())
            .map(|index| self.data.is_on_stack(index))
            .collect();
        let place = |site: u32| {
            let line = places[site as usize].line.as_ref()?;
            Some(AllocatedAt {
                file: line.file.to_string(),
                line: line.line,
            })
        };
        let (data, of_instructions) = self.data.finish(&place);
        let levels = self.seen.len();
        let mut sites: Vec<Site> = places.iter().map(|place| site(place, levels)).collect();
        for (index, (instruction, executions)) in instructions.iter().zip(executions).enumerate() {
            let site = &mut sites[self.spots[index].site as usize];
            site.instructions += executions;
            site.least = Some(
                site.least
                    .map_or(*executions, |least| least.min(*executions)),
            );
            site.executions = site.executions.max(*executions);
            let class = instruction.decoded.facts.class;
            match (vectors[index], vector_arithmetic(instruction)) {
                (Some(elements), arithmetic) => site.add_vectors(elements, arithmetic),
                (None, _) => site.operations.count(class, *executions),
            }
            if class.has_effects() {
                let (fewest, most) = site.effects.unwrap_or((*executions, *executions));
                site.effects = Some((fewest.min(*executions), most.max(*executions)));
            }
            if class == Class::Branch {
                site.decisions = site.decisions.max(*executions);
            }
            for data in &of_instructions[index] {
                add_data(site, data);
            }
            if on_stack[index] {
                site.add_on_stack(instruction, *executions, vectors[index]);
            }
        }
        for site in &mut sites {
            site.least = site.least.filter(|least| *least < site.executions);
        }
        for (spot, stride) in self.spots.iter().zip(self.strides.finish()) {
            add_stride(&mut sites[spot.site as usize], stride.unwrap_or(0));
        }
        for (site, moved) in sites.iter_mut().zip(self.moved) {
            site.levels
                .iter_mut()
                .zip(moved)
                .for_each(|(level, moved)| *level = moved);
        }
        let mut on_behalf: Vec<_> = self.calls.on_behalf.into_iter().collect();
        on_behalf.sort_unstable();
        for ((at, site), instructions) in on_behalf {
            sites[at as usize]
                .on_behalf
                .push(OnBehalf { site, instructions });
        }
        add_calls(&mut sites, &places, self.calls.calls);
        let counts = loops.iter().zip(self.rounds.finish());
        let loops = counts
            .map(|(place, counts)| machine_loop(place, counts))
            .collect();
        let profile = SourceProfile {
            sites,
            loops,
            data,
            files,
            statements,
            entered,
        };
        Ok((profile, of_instructions))
    }
}

/// How often functions with lines were begun, on all harts together.
fn entered(places: &[SitePlace], spots: &[Spot], executions: &[u64]) -> Vec<Entered> {
    let mut times: BTreeMap<(&str, &str, u32), u64> = BTreeMap::new();
    let first = spots.iter().zip(executions);
    for (spot, executions) in first.filter(|(spot, _)| spot.is_first_of_function) {
        let place = &places[spot.site as usize];
        if let Some(line) = &place.line {
            *times
                .entry((&place.function, &line.file, line.line))
                .or_default() += executions;
        }
    }
    let entered = |((function, file, line), times): ((&str, &str, u32), u64)| Entered {
        function: function.to_string(),
        file: file.to_string(),
        line,
        times,
    };
    times.into_iter().map(entered).collect()
}

/// Gives sites the functions that they call.
fn add_calls(sites: &mut [Site], places: &[SitePlace], calls: FxHashMap<(u32, u32), Calls>) {
    let mut calls: Vec<_> = calls.into_iter().collect();
    calls.sort_unstable_by_key(|(key, _)| *key);
    for (
        (from, to),
        Calls {
            times,
            instructions,
            accesses,
        },
    ) in calls
    {
        let function = places[to as usize].function.clone();
        let found = &mut sites[from as usize].calls;
        match found.iter_mut().find(|called| called.function == function) {
            Some(called) => {
                called.times += times;
                called.instructions += instructions;
                called.accesses.add(&accesses);
            }
            None => found.push(Called {
                function,
                times,
                instructions,
                accesses,
            }),
        }
    }
}

/// File, line, column, loop of the machine code, and whether its rounds begin there.
type StatementPlace = (u32, u32, u32, Option<u32>, bool);

/// Executions by statement, of what begins with each instruction.
fn statements(files: &[String], begun: &[Vec<BegunPlace>], executions: &[u64]) -> Vec<Begun> {
    let mut found: BTreeMap<StatementPlace, (u64, u64, u64)> = BTreeMap::new();
    let all = begun
        .iter()
        .zip(executions)
        .filter(|(_, executions)| **executions > 0);
    for (one, executions) in
        all.flat_map(|(begun, executions)| begun.iter().map(move |one| (one, executions)))
    {
        let Statement { line, column } = &*one.statement;
        if let Ok(file) = files.binary_search(&line.file) {
            let key = (
                file as u32,
                line.line,
                *column,
                one.machine_loop,
                one.is_at_header,
            );
            let (sum, most, continued) = found.entry(key).or_default();
            *sum += executions;
            *continued += if one.is_continued { *executions } else { 0 };
            *most = *executions.max(most);
        }
    }
    let begun = |(place, (executions, most, continued))| {
        let (file, line, column, machine_loop, at_header): StatementPlace = place;
        Begun {
            file,
            line,
            column,
            machine_loop,
            at_header,
            executions,
            most,
            continued,
        }
    };
    found.into_iter().map(begun).collect()
}

impl Metric for ProfileMeter {
    fn add(&mut self, program: &Program) {
        self.add_instruction(program.last().0);
    }

    fn watches_levels(&self) -> bool {
        true
    }

    fn take(&mut self, stretch: &Stretch<'_>) {
        let mut levels = stretch.levels_moved();
        stretch.for_each(|step| {
            let moved = match ram_use(&step).left_nearest {
                true => levels.after_next(),
                false => &[],
            };
            let access = step.accessed.map(|accessed| accessed.access);
            let index = step.instruction.0 as usize;
            self.step(index, access, step.addresses(), moved);
        });
    }

    fn finish(self: Box<Self>, run: &Run<'_>, counted: &mut Counted) {
        counted.sites_of_instructions = self.spots.iter().map(|spot| spot.site).collect();
        let instructions = &run.program.instructions;
        let found = self.profile(instructions, run.executions);
        counted.profile = Some(found.map(|(profile, data)| {
            counted.data_of_instructions = data;
            profile
        }));
    }
}

fn site(place: &SitePlace, levels: usize) -> Site {
    Site {
        function: place.function.clone(),
        inlined: place.inlined.clone(),
        called_from: place
            .called_from
            .iter()
            .map(|line| (line.file.clone(), line.line))
            .collect(),
        call_columns: place.call_columns.clone(),
        file: place.line.as_ref().map(|line| line.file.clone()),
        line: place.line.as_ref().map(|line| line.line),
        column: place.column,
        machine_loop: place.machine_loop,
        levels: vec![Moved::default(); levels],
        ..Site::default()
    }
}

fn add_data(site: &mut Site, data: &DataAccesses) {
    site.accesses.add(&data.accesses);
    match site.data.iter_mut().find(|known| known.range == data.range) {
        Some(known) => known.accesses.add(&data.accesses),
        None => site.data.push(*data),
    }
}

fn add_stride(site: &mut Site, stride: i64) {
    if let (true, Err(at)) = (stride != 0, site.strides.binary_search(&stride)) {
        site.strides.insert(at, stride);
    }
}

fn machine_loop(place: &LoopPlace, counted: Finished) -> MachineLoop {
    let Finished {
        rounds: counts,
        after,
        left,
    } = counted;
    MachineLoop {
        name: place.name.clone(),
        function: place.function.clone(),
        file: place.line.as_ref().map(|line| line.file.clone()),
        line: place.line.as_ref().map(|line| line.line),
        parent: place.parent,
        shares_header: place.shares_header,
        entries: counts.entries,
        // A trace may begin in the middle of a round.
        rounds: counts.begun.saturating_sub(counts.refused),
        refused: counts.refused,
        after,
        left,
        fewest: counts.range.map(|(fewest, _)| fewest),
        most: counts.range.map(|(_, most)| most),
    }
}

impl Operations {
    fn count(&mut self, class: Class, executions: u64) {
        match class {
            Class::FpAdd => self.adds += executions,
            Class::FpMultiply => self.multiplies += executions,
            Class::FpFma => {
                self.adds += executions;
                self.multiplies += executions;
                self.fused += executions;
            }
            Class::FpDivide => self.divides += executions,
            Class::FpSqrt => self.square_roots += executions,
            _ => {}
        }
    }

    fn count_elements(&mut self, elements: Elements, arithmetic: VectorArithmetic) {
        let Elements {
            elements: all,
            at_most,
            unknown,
            ..
        } = elements;
        let class = match arithmetic {
            VectorArithmetic::Add => Class::FpAdd,
            VectorArithmetic::Multiply => Class::FpMultiply,
            VectorArithmetic::Fused => Class::FpFma,
            VectorArithmetic::Divide => Class::FpDivide,
            VectorArithmetic::SquareRoot => Class::FpSqrt,
        };
        self.count(class, all);
        self.vector += unknown;
        self.masked += at_most;
    }
}

impl Site {
    fn add_on_stack(&mut self, code: &Instruction, executions: u64, vectors: Option<Elements>) {
        if let Some(access) = code.decoded.facts.access {
            let scalar = (executions, executions * u64::from(access.bytes));
            let (accesses, bytes) = vectors.map_or(scalar, |found| (found.elements, found.bytes));
            self.stack.count(access.kind, accesses, bytes);
        }
    }

    fn add_vectors(&mut self, elements: Elements, arithmetic: Option<VectorArithmetic>) {
        self.vectors.add(&Vectors {
            instructions: elements.executions,
            elements: elements.elements,
            unknown: elements.unknown,
        });
        if let Some(arithmetic) = arithmetic {
            self.operations.count_elements(elements, arithmetic);
        }
    }
}
