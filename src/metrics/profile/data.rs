//! What accesses go to: global variables by their symbols, and whatever else is touched as ranges of addresses.
//!
//! A range that no variable names is a union of what single instructions touched: what one instruction walks through
//! between two calls of functions that hand out memory is taken for one array, and arrays that two instructions walk
//! through in part for one too, as are the parts that threads walk through with the same instruction if one begins
//! where the other ends. Where these functions store into a range themselves, what was there before has ended.

use std::collections::{BTreeMap, BTreeSet};

use super::blocks::{Blocks, Extent, Handed, Maker, united};
use super::{Accesses, AllocatedAt, DataAccesses, DataRange};
use crate::binary::Variable;
use crate::trace::Instruction;
use crate::trace::isa::Access;

/// Counts by instruction and range.
pub struct DataMeter {
    /// By address at run time, none inside another.
    variables: Vec<Variable>,
    instructions: Vec<Touched>,
    /// Addresses relative to the stack pointer, a stack each.
    stacks: Vec<(u64, u64)>,
    /// Addresses of the program's file.
    image: (u64, u64),
    blocks: Blocks,
}

/// What one instruction did.
#[derive(Clone, Default)]
struct Touched {
    is_on_stack: bool,
    has_line: bool,
    hart: u16,
    pc: Option<u64>,
    /// Number of the variable that was last accessed, and its bytes.
    last: Option<(u32, u64, u64)>,
    variables: BTreeMap<u32, Accesses>,
    elsewhere: Vec<Extent>,
    other: Accesses,
}

/// Addresses nearer to each other are of one stack.
const STACK_BYTES: u64 = 8 << 20;
/// An instruction's extents beyond these are taken for one.
const MOST_EXTENTS: usize = 64;

/// Of variables by address, those that are not inside an earlier one.
pub fn apart(variables: impl Iterator<Item = Variable>) -> Vec<Variable> {
    let mut apart: Vec<Variable> = Vec::new();
    for variable in variables {
        if apart.last().is_none_or(|last| variable.low >= last.high) {
            apart.push(variable);
        }
    }
    apart
}

impl DataMeter {
    pub fn new(variables: impl Iterator<Item = Variable>, image: (u64, u64)) -> DataMeter {
        DataMeter {
            variables: apart(variables),
            instructions: Vec::new(),
            stacks: Vec::new(),
            image,
            blocks: Blocks::default(),
        }
    }

    pub fn add_instruction(&mut self, instruction: &Instruction, has_line: bool) {
        let is_on_stack =
            instruction.decoded.facts.access.is_some() && instruction.is_relative_to_stack();
        self.instructions.push(Touched {
            is_on_stack,
            has_line,
            hart: instruction.hart,
            pc: instruction.pc,
            ..Touched::default()
        });
    }

    pub fn is_on_stack(&self, index: usize) -> bool {
        self.instructions[index].is_on_stack
    }

    /// A function that hands out memory, or takes it back, begins.
    pub fn hand_out(&mut self) {
        self.blocks.begin();
    }

    /// An instruction accesses memory, `inside` of functions that hand it out or not: an element at `every` so many of the
    /// addresses.
    #[inline]
    pub fn step(
        &mut self,
        index: usize,
        access: Access,
        addresses: &[u64],
        every: usize,
        (inside, origin): (bool, Handed),
    ) {
        let bytes = u64::from(access.bytes);
        let touched = &mut self.instructions[index];
        for &address in addresses.iter().step_by(every) {
            let past = address.saturating_add(bytes);
            if touched.is_on_stack {
                add_to_stacks(&mut self.stacks, address, past);
                continue;
            }
            let known = touched
                .last
                .filter(|(_, low, high)| (*low..*high).contains(&address));
            let number = known.map(|(number, ..)| number).or_else(|| {
                let after = self
                    .variables
                    .partition_point(|variable| variable.low <= address);
                let number = after
                    .checked_sub(1)
                    .filter(|&number| address < self.variables[number].high)?;
                let Variable { low, high, .. } = self.variables[number];
                touched.last = Some((number as u32, low, high));
                Some(number as u32)
            });
            let Some(number) = number else {
                if inside && access.kind != crate::cache::AccessKind::Load {
                    self.blocks.store(address);
                }
                match touched
                    .elsewhere
                    .last_mut()
                    .filter(|extent| extent.last == self.blocks.now())
                {
                    Some(extent) => {
                        extent.add(address, past);
                        extent.origin = extent.origin.and(origin);
                    }
                    None => self.blocks.add(
                        &mut touched.elsewhere,
                        (address, past),
                        origin,
                        MOST_EXTENTS,
                    ),
                }
                touched.other.count(access.kind, 1, bytes);
                continue;
            };
            touched
                .variables
                .entry(number)
                .or_default()
                .count(access.kind, 1, bytes);
        }
    }

    /// The ranges by address, and for each instruction what it accessed of them.
    /// `place` says where a site stands.
    pub fn finish(
        self,
        place: &dyn Fn(u32) -> Option<AllocatedAt>,
    ) -> (Vec<DataRange>, Vec<Vec<DataAccesses>>) {
        let mut ranges = Vec::new();
        let of_extents = self.elsewhere(&mut ranges, place);
        let others = self.of_others(&ranges);
        let other = others.map(|range| {
            ranges.push(range);
            ranges.len() as u32 - 1
        });
        let mut several: BTreeMap<BTreeSet<u32>, u32> = BTreeMap::new();
        let used: BTreeSet<u32> = self
            .instructions
            .iter()
            .flat_map(|touched| touched.variables.keys().copied())
            .collect();
        let mut numbers = BTreeMap::new();
        for number in used {
            numbers.insert(number, ranges.len() as u32);
            let Variable { low, high, name } = self.variables[number as usize].clone();
            ranges.push(DataRange {
                name,
                low,
                high,
                is_variable: true,
                allocated: Vec::new(),
            });
        }
        let mut by_instruction = Vec::with_capacity(self.instructions.len());
        let mut extents = of_extents.into_iter();
        for touched in &self.instructions {
            let mut found: Vec<DataAccesses> = touched
                .variables
                .iter()
                .map(|(number, accesses)| DataAccesses {
                    range: numbers[number],
                    accesses: *accesses,
                })
                .collect();
            let own: BTreeSet<u32> = match touched.has_line {
                true => extents.by_ref().take(touched.elsewhere.len()).collect(),
                false => BTreeSet::new(),
            };
            let holds = |extent: &Extent| {
                let mut heap = ranges
                    .iter()
                    .take(other.map_or(ranges.len(), |other| other as usize));
                heap.position(|range| {
                    !range.is_variable && (range.low..range.high).contains(&extent.low)
                })
            };
            let range = match (own.len(), touched.elsewhere.last()) {
                (_, None) => None,
                (0, Some(extent)) => holds(extent).map(|range| range as u32).or(other),
                (1, _) => own.first().copied(),
                _ => Some(*several.entry(own.clone()).or_insert_with(|| {
                    ranges.push(together(&ranges, &own));
                    ranges.len() as u32 - 1
                })),
            };
            found.extend(range.map(|range| DataAccesses {
                range,
                accesses: touched.other,
            }));
            by_instruction.push(found);
        }
        (ranges, by_instruction)
    }

    /// What no variable names, of code with lines; and by extent of that code, in its order, the number of its range.
    fn elsewhere(
        &self,
        named: &mut Vec<DataRange>,
        place: &dyn Fn(u32) -> Option<AllocatedAt>,
    ) -> Vec<u32> {
        let own = || self.instructions.iter().filter(|touched| touched.has_line);
        let extents: Vec<Extent> = own()
            .flat_map(|touched| touched.elsewhere.iter().copied())
            .collect();
        let makers: Vec<Maker> = own()
            .flat_map(|touched| {
                let maker = touched.pc.map(|pc| (pc, touched.hart));
                touched.elsewhere.iter().map(move |_| maker)
            })
            .collect();
        let is_inside =
            |(low, high): (u64, u64), outer: (u64, u64)| low < outer.1 && high > outer.0;
        let mut of_extents = vec![0; extents.len()];
        let mut numbers = 0..;
        for members in self.blocks.joined(&extents, &makers) {
            let all = members
                .iter()
                .map(|&member| (extents[member].low, extents[member].high));
            let Some(range) = all.reduce(|all, one| united(Some(all), one.0, one.1)) else {
                continue;
            };
            let allocated = allocated(members.iter().map(|&member| extents[member].origin), place);
            let name = match () {
                () if self.stacks.iter().any(|stack| is_inside(range, *stack)) => {
                    DataRange::STACK.to_string()
                }
                () if is_inside(range, self.image) => DataRange::CONSTANTS.to_string(),
                () => format!("heap {}", numbers.next().unwrap_or(0) + 1),
            };
            match named.last_mut().filter(|last| last.name == name) {
                Some(last) => last.high = last.high.max(range.1),
                None => named.push(DataRange {
                    name,
                    low: range.0,
                    high: range.1,
                    is_variable: false,
                    allocated,
                }),
            }
            members
                .iter()
                .for_each(|&member| of_extents[member] = named.len() as u32 - 1);
        }
        of_extents
    }

    /// Code without lines, such as that of libraries, may go through several arrays with one instruction: it makes no
    /// ranges, but one for all that nothing else touches.
    fn of_others(&self, named: &[DataRange]) -> Option<DataRange> {
        let others = self
            .instructions
            .iter()
            .filter(|touched| !touched.has_line)
            .flat_map(|touched| &touched.elsewhere);
        let others = others.filter(|extent| {
            !named
                .iter()
                .any(|range| (range.low..range.high).contains(&extent.low))
        });
        let all = others.fold(None, |all, extent| {
            Some(united(all, extent.low, extent.high))
        });
        all.map(|(low, high)| DataRange {
            name: DataRange::OTHERS.to_string(),
            low,
            high,
            is_variable: false,
            allocated: Vec::new(),
        })
    }
}

/// Several ranges that one instruction went to, one after the other; as long as the longest.
fn together(ranges: &[DataRange], own: &BTreeSet<u32>) -> DataRange {
    let all: Vec<&DataRange> = own.iter().map(|number| &ranges[*number as usize]).collect();
    let names: Vec<&str> = all.iter().map(|range| range.name.as_str()).collect();
    let name = match names[..] {
        [first, _, _, .., last] => format!("{first} … {last}"),
        _ => names.join(", "),
    };
    let is_known = all.iter().all(|range| !range.allocated.is_empty());
    let allocated = all.iter().flat_map(|range| range.allocated.clone());
    let allocated: BTreeSet<AllocatedAt> = allocated.filter(|_| is_known).collect();
    let longest = all.iter().max_by_key(|range| range.high - range.low);
    let (low, high) = longest.map_or((0, 0), |range| (range.low, range.high));
    DataRange {
        name,
        low,
        high,
        is_variable: false,
        allocated: allocated.into_iter().collect(),
    }
}

/// Where a block was handed out whose parts were handed out there: nowhere if that is not known of any, or not clear.
fn allocated(
    origins: impl Iterator<Item = Handed>,
    place: &dyn Fn(u32) -> Option<AllocatedAt>,
) -> Vec<AllocatedAt> {
    match origins.fold(Handed::Unknown, Handed::and) {
        Handed::At(site) => place(site).into_iter().collect(),
        Handed::Unknown | Handed::AtSome => Vec::new(),
    }
}

fn add_to_stacks(stacks: &mut Vec<(u64, u64)>, low: u64, high: u64) {
    let near = |stack: &&mut (u64, u64)| {
        low < stack.1.saturating_add(STACK_BYTES) && high.saturating_add(STACK_BYTES) > stack.0
    };
    match stacks.iter_mut().find(near) {
        Some(stack) => *stack = united(Some(*stack), low, high),
        None => stacks.push((low, high)),
    }
}
