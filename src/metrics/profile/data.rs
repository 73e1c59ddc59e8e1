//! What accesses go to: global variables by their symbols, and whatever else is touched as ranges of addresses.
//!
//! A range that no variable names is a union of what single instructions touched: what one instruction walks through
//! is taken for one array, and arrays that two instructions walk through in part for one too.

use std::collections::BTreeMap;

use super::{Accesses, DataAccesses, DataRange};
use crate::binary::Variable;
use crate::trace::Instruction;
use crate::trace::isa::{Access, Register};

/// Counts by instruction and range.
pub struct DataMeter {
    /// By address at run time, none inside another.
    variables: Vec<Variable>,
    instructions: Vec<Touched>,
    /// Addresses relative to the stack pointer: lowest and past the highest.
    stack: Option<(u64, u64)>,
    /// Addresses of the program's file.
    image: (u64, u64),
}

/// What one instruction did.
#[derive(Clone, Default)]
struct Touched {
    is_on_stack: bool,
    has_line: bool,
    /// Number of the variable that was last accessed, and its bytes.
    last: Option<(u32, u64, u64)>,
    variables: BTreeMap<u32, Accesses>,
    elsewhere: Option<(u64, u64)>,
    other: Accesses,
}

impl DataMeter {
    pub fn new(variables: impl Iterator<Item = Variable>, image: (u64, u64)) -> DataMeter {
        let mut apart: Vec<Variable> = Vec::new();
        for variable in variables {
            if apart.last().is_none_or(|last| variable.low >= last.high) {
                apart.push(variable);
            }
        }
        DataMeter { variables: apart, instructions: Vec::new(), stack: None, image }
    }

    pub fn add_instruction(&mut self, instruction: &Instruction, has_line: bool) {
        let facts = &instruction.decoded.facts;
        let is_on_stack =
            facts.access.is_some() && facts.reads.iter().any(|operand| operand.register == Register::STACK_POINTER);
        self.instructions.push(Touched { is_on_stack, has_line, ..Touched::default() });
    }

    pub fn is_on_stack(&self, index: usize) -> bool {
        self.instructions[index].is_on_stack
    }

    #[inline]
    pub fn step(&mut self, index: usize, access: Access, addresses: &[u64]) {
        let bytes = u64::from(access.bytes);
        let touched = &mut self.instructions[index];
        for &address in addresses {
            let past = address.saturating_add(bytes);
            if touched.is_on_stack {
                self.stack = Some(united(self.stack, address, past));
                continue;
            }
            let known = touched.last.filter(|(_, low, high)| (*low..*high).contains(&address));
            let number = known.map(|(number, ..)| number).or_else(|| {
                let after = self.variables.partition_point(|variable| variable.low <= address);
                let number = after.checked_sub(1).filter(|&number| address < self.variables[number].high)?;
                let Variable { low, high, .. } = self.variables[number];
                touched.last = Some((number as u32, low, high));
                Some(number as u32)
            });
            match number {
                Some(number) => touched.variables.entry(number).or_default().count(access.kind, 1, bytes),
                None => {
                    touched.elsewhere = Some(united(touched.elsewhere, address, past));
                    touched.other.count(access.kind, 1, bytes);
                }
            }
        }
    }

    /// The ranges by address, and for each instruction what it accessed of them.
    pub fn finish(self) -> (Vec<DataRange>, Vec<Vec<DataAccesses>>) {
        let mut ranges = self.elsewhere();
        let used = |number: u32| self.instructions.iter().any(|touched| touched.variables.contains_key(&number));
        let mut numbers = BTreeMap::new();
        for (number, variable) in (0..).zip(&self.variables) {
            if used(number) {
                numbers.insert(number, ranges.len() as u32);
                let Variable { low, high, name } = variable.clone();
                ranges.push(DataRange { name, low, high, is_variable: true });
            }
        }
        let accesses = |touched: &Touched| -> Vec<DataAccesses> {
            let named = touched.variables.iter().map(|(number, accesses)| (numbers[number], *accesses));
            let other = touched.elsewhere.and_then(|(low, _)| {
                let holds = |r: &DataRange| !r.is_variable && r.name != OTHERS && (r.low..r.high).contains(&low);
                let range = ranges.iter().position(holds).or_else(|| ranges.iter().position(|r| r.name == OTHERS))?;
                Some((range as u32, touched.other))
            });
            named.chain(other).map(|(range, accesses)| DataAccesses { range, accesses }).collect()
        };
        let by_instruction = self.instructions.iter().map(accesses).collect();
        (ranges, by_instruction)
    }

    /// What no variable names. Code without lines, such as that of libraries, may go through several arrays with
    /// one instruction: it makes no ranges, but one for all that nothing else touches.
    fn elsewhere(&self) -> Vec<DataRange> {
        let spans = |has_line: bool| {
            let found = self.instructions.iter().filter(move |touched| touched.has_line == has_line);
            found.filter_map(|touched| touched.elsewhere)
        };
        let mut own: Vec<(u64, u64)> = spans(true).collect();
        own.sort_unstable();
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        for (low, high) in own {
            match ranges.last_mut().filter(|last| low < last.1) {
                Some(last) => last.1 = last.1.max(high),
                None => ranges.push((low, high)),
            }
        }
        let is_inside = |(low, high): (u64, u64), outer: (u64, u64)| low < outer.1 && high > outer.0;
        let mut numbers = 0..;
        let mut named: Vec<DataRange> = Vec::new();
        for range in ranges {
            let name = match () {
                () if self.stack.is_some_and(|stack| is_inside(range, stack)) => "stack".to_string(),
                () if is_inside(range, self.image) => "constants".to_string(),
                () => format!("heap {}", numbers.next().unwrap_or(0) + 1),
            };
            match named.last_mut().filter(|last| last.name == name) {
                Some(last) => last.high = last.high.max(range.1),
                None => named.push(DataRange { name, low: range.0, high: range.1, is_variable: false }),
            }
        }
        let others = spans(false).filter(|span| !named.iter().any(|range| (range.low..range.high).contains(&span.0)));
        let all = others.reduce(|all, span| (all.0.min(span.0), all.1.max(span.1)));
        named.extend(all.map(|(low, high)| DataRange { name: OTHERS.to_string(), low, high, is_variable: false }));
        named
    }
}

/// What only code without lines touches.
const OTHERS: &str = "data of code without lines";

fn united(range: Option<(u64, u64)>, low: u64, high: u64) -> (u64, u64) {
    range.map_or((low, high), |(first, past)| (first.min(low), past.max(high)))
}
