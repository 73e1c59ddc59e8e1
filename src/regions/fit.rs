//! Whether a trace is one of this program, loaded where it is said to be.

use std::collections::BTreeMap;

use super::code::{Code, PAGE};
use crate::trace::Instruction;
use crate::trace::isa::{Class, Facts, decode_word, length};

/// Compares the instructions of a trace with those in the file.
#[derive(Default)]
pub struct Fit {
    base: u64,
    /// Address and machine word of all that have both.
    words: Vec<(u64, u32)>,
    /// With addresses, wherever they lie.
    addressed: u64,
    /// Of these in the program.
    inside: u64,
    first_difference: Option<Difference>,
}

/// An instruction that is another one in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Run-time address.
    pub pc: u64,
    /// Machine word, if the trace has it, and text.
    pub traced: String,
    pub in_file: String,
}

/// What came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Fits,
    /// Addresses are known, and none lies in the program.
    NothingInside,
    Differs(Difference),
}

impl Fit {
    /// For a program loaded at this base.
    pub fn at(base: u64) -> Fit {
        Fit {
            base,
            words: Vec::new(),
            addressed: 0,
            inside: 0,
            first_difference: None,
        }
    }

    /// Takes note of an instruction and its machine word; where it lies.
    pub fn see(&mut self, instruction: &Instruction) -> Option<u64> {
        let pc = instruction.pc?;
        self.addressed += 1;
        if let Some(word) = instruction.word {
            self.words.push((pc, significant(word)));
        }
        Some(pc)
    }

    /// Looks at an instruction; its address as linked, if it lies in the program.
    pub fn address(&mut self, instruction: &Instruction, code: &Code) -> Option<u64> {
        let pc = self.see(instruction)?;
        let address = pc.checked_sub(self.base)?;
        let in_file = code.word(address)?;
        let differs = match instruction.word {
            Some(word) => significant(word) != in_file,
            None if !instruction.decoded.has_opcode => {
                is_branch(instruction.decoded.facts.class) != is_branch_word(in_file)
            }
            None => is_other(&instruction.decoded.facts, in_file),
        };
        self.inside += 1;
        if differs && self.first_difference.is_none() {
            let word = instruction
                .word
                .map_or_else(String::new, |word| format!("{:#x}, ", significant(word)));
            let name = decode_word(in_file).map_or("no instruction", |decoded| decoded.mnemonic);
            self.first_difference = Some(Difference {
                pc,
                traced: format!("{word}{}", instruction.text),
                in_file: format!("{in_file:#x}, {name}"),
            });
        }
        Some(address)
    }

    /// Whether any instruction lies in it.
    pub fn has_any(&self) -> bool {
        self.inside > 0
    }

    /// One instruction that differs is enough: programs of the same library differ in few.
    pub fn verdict(&self) -> Verdict {
        match &self.first_difference {
            Some(difference) => Verdict::Differs(difference.clone()),
            None if self.addressed > 0 && self.inside == 0 => Verdict::NothingInside,
            None => Verdict::Fits,
        }
    }

    /// The base, a multiple of the page, at which the most words are those of the file and none inside it differs;
    /// `None` if there are several, or the words are fewer than 8.
    pub fn likely_base(&self, code: &Code) -> Option<u64> {
        let mut votes: BTreeMap<u64, u64> = BTreeMap::new();
        for &(pc, word) in &self.words {
            for address in code.at_page_offset(pc % PAGE) {
                if address <= pc && code.word(address) == Some(word) {
                    *votes.entry(pc - address).or_default() += 1;
                }
            }
        }
        let fits = |base: u64| {
            let mut inside = self
                .words
                .iter()
                .filter_map(|(pc, word)| Some((code.word(pc.checked_sub(base)?)?, *word)));
            inside.all(|(in_file, traced)| in_file == traced)
        };
        let mut fitting: Vec<(u64, u64)> = votes
            .into_iter()
            .filter(|&(base, votes)| votes >= 8 && fits(base))
            .map(|(base, n)| (n, base))
            .collect();
        fitting.sort_unstable();
        let (most, base) = *fitting.last()?;
        (fitting.iter().filter(|(votes, _)| *votes == most).count() == 1).then_some(base)
    }
}

fn is_branch(class: Class) -> bool {
    matches!(class, Class::Branch | Class::Jump)
}

fn is_branch_word(word: u32) -> bool {
    decode_word(word).is_some_and(|decoded| is_branch(decoded.facts.class))
}

/// Whether text is not that of the word. Unknown text may be anything; and QEMU names the wrong registers in moves
/// and changes of sign.
fn is_other(facts: &Facts, in_file: u32) -> bool {
    if facts.class == Class::Unknown {
        return false;
    }
    decode_word(in_file).is_none_or(|decoded| {
        let both_move = facts.class == Class::FpOther && decoded.facts.class == Class::FpOther;
        !both_move && *facts != decoded.facts
    })
}

fn significant(word: u32) -> u32 {
    if length(word) == 2 {
        word & 0xffff
    } else {
        word
    }
}
