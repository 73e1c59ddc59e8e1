//! Writing the records that ChampSim reads.
//!
//! A branch says whether it is taken, so an execution is held back until the next one is known. RISC-V registers have
//! the numbers 33 to 129, `sp` has 6. What ChampSim knows a branch's kind by is added: the instruction pointer, the flags
//! to conditional branches, the stack pointer in place of the link register to calls, and to returns.

use std::io::{self, Write};

use super::record::{FLAGS, INSTRUCTION_POINTER, MOST_READS, MOST_WRITES, Record, STACK_POINTER};
use crate::cache::AccessKind;
use crate::instruction::Instruction;
use crate::isa::{self, Flow, Operands, Register};
use crate::write::WriteError;

/// Added to the number of a register.
const ABOVE: usize = 32;
const LINK: usize = 1;

/// An instruction without what differs between executions.
struct Known {
    record: Record,
    bytes: u64,
    stores: bool,
    loads: bool,
    /// Registers that there is no room for.
    is_cut: bool,
}

/// Takes executions in program order.
pub struct Writer<W> {
    out: W,
    known: Vec<Known>,
    held: Option<(Record, u64)>,
    /// Executions with more registers or addresses than a record has.
    cut: u64,
}

impl<W: Write> Writer<W> {
    pub fn new(out: W) -> Writer<W> {
        Writer {
            out,
            known: Vec::new(),
            held: None,
            cut: 0,
        }
    }

    /// Takes note of an instruction, the next by number.
    ///
    /// # Errors
    /// The trace does not have its pc or its machine word, or has several harts.
    pub fn add(&mut self, instruction: &Instruction) -> Result<(), WriteError> {
        let Some((pc, word)) = instruction.pc.zip(instruction.word) else {
            return Err(WriteError::NoWords);
        };
        if instruction.hart != 0 {
            return Err(WriteError::SeveralHarts);
        }
        let facts = &instruction.decoded.facts;
        let mut record = Record {
            pc,
            ..Record::default()
        };
        let is_return = facts.reads.iter().any(|read| read.register.index() == LINK);
        let marks: (&[u8], &[u8]) = match isa::control_flow(word) {
            Flow::Next => (&[], &[]),
            Flow::Branch(_) => (&[INSTRUCTION_POINTER, FLAGS], &[INSTRUCTION_POINTER]),
            Flow::Jump(_) => (&[INSTRUCTION_POINTER], &[INSTRUCTION_POINTER]),
            Flow::Indirect if is_return => {
                (&[STACK_POINTER], &[INSTRUCTION_POINTER, STACK_POINTER])
            }
            Flow::Indirect => (&[], &[INSTRUCTION_POINTER]),
            Flow::Call(_) => (
                &[INSTRUCTION_POINTER, STACK_POINTER],
                &[INSTRUCTION_POINTER, STACK_POINTER],
            ),
        };
        record.is_branch = !marks.1.is_empty();
        let reads_fit = fill(&mut record.reads, marks.0, &facts.reads);
        // A call links by marking: ChampSim has a stack of return addresses.
        let written = match record.is_branch {
            true => Operands::default(),
            false => facts.writes,
        };
        let writes_fit = fill(&mut record.writes, marks.1, &written);
        let kind = facts.access.map(|access| access.kind);
        self.known.push(Known {
            record,
            bytes: u64::from(isa::length(word)),
            loads: matches!(kind, Some(AccessKind::Load | AccessKind::Atomic)),
            stores: matches!(kind, Some(AccessKind::Store | AccessKind::Atomic)),
            is_cut: !(reads_fit && writes_fit),
        });
        Ok(())
    }

    /// Takes an execution of an instruction by number.
    ///
    /// # Errors
    /// Writing failed.
    pub fn execute(&mut self, number: usize, addresses: &[u64]) -> io::Result<()> {
        let known = &self.known[number];
        let mut record = known.record;
        let mut is_cut = known.is_cut;
        if known.loads {
            is_cut |= addresses.len() > record.loads.len();
            record
                .loads
                .iter_mut()
                .zip(addresses)
                .for_each(|(to, from)| *to = *from);
        }
        if known.stores {
            is_cut |= addresses.len() > record.stores.len();
            record
                .stores
                .iter_mut()
                .zip(addresses)
                .for_each(|(to, from)| *to = *from);
        }
        self.cut += u64::from(is_cut);
        let after = record.pc.wrapping_add(known.bytes);
        self.release(Some(record.pc))?;
        self.held = Some((record, after));
        Ok(())
    }

    /// Writes the execution that is held back, behind which that at `next` comes.
    fn release(&mut self, next: Option<u64>) -> io::Result<()> {
        let Some((mut record, after)) = self.held.take() else {
            return Ok(());
        };
        record.is_taken = record.is_branch && next.is_some_and(|next| next != after);
        self.out.write_all(&record.bytes())
    }

    /// Writes what is left; how many executions had more registers or addresses than a record has.
    ///
    /// # Errors
    /// Writing failed.
    pub fn finish(mut self) -> io::Result<(W, u64)> {
        self.release(None)?;
        self.out.flush()?;
        Ok((self.out, self.cut))
    }
}

/// Puts marks and registers into the places of a record; whether they fit.
fn fill(places: &mut [u8], marks: &[u8], operands: &Operands) -> bool {
    let number = |register: Register| match register {
        Register::STACK_POINTER => STACK_POINTER,
        other => (other.index() + ABOVE) as u8,
    };
    let mut numbers: Vec<u8> = marks.to_vec();
    for operand in operands.iter() {
        let number = number(operand.register);
        if !numbers.contains(&number) {
            numbers.push(number);
        }
    }
    places
        .iter_mut()
        .zip(&numbers)
        .for_each(|(to, from)| *to = *from);
    let one = |operand: isa::Operand| operand.extent == isa::Extent::One;
    numbers.len() <= places.len() && operands.iter().all(one)
}

const _: () = assert!(Register::COUNT + ABOVE <= 256 && MOST_READS >= MOST_WRITES);
