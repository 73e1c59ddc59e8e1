//! Where was a block of memory handed out? What `malloc` and its kin return is followed through registers and memory, and
//! what is accessed by way of it belongs to that call. No values are needed: a copy, or an address with a number added to
//! it, has the origin of the address; what is made of two origins, or in any other way, has none.

use rustc_hash::FxHashMap;

use crate::trace::Instruction;
use crate::trace::isa::{Class, Facts, Register};

/// Integer registers, by number; `x0` has no origin.
const REGISTERS: usize = 32;
/// `a0`, by the calling convention: what a function returns.
const RESULT: u8 = 10;
/// Bytes of an address.
const WORD: u64 = 8;

/// Copies and additions in the table of instructions: all others make no address of one.
const ADDITIONS: [&str; 12] = [
    "add",
    "addi",
    "mv",
    "c.add",
    "c.addi",
    "c.mv",
    "c.addi16sp",
    "c.addi4spn",
    "add.uw",
    "sh1add",
    "sh2add",
    "sh3add",
];

/// The site of a call that handed out memory.
pub type Origin = u32;

/// What an instruction does to origins.
#[derive(Clone, Copy, Default)]
enum Effect {
    #[default]
    Nothing,
    /// It writes a register that two others may give an origin.
    Combines { to: u8, from: [u8; 2] },
    /// It loads an address, or what may be one.
    Loads { to: u8 },
    /// It stores a register.
    Stores { from: u8 },
    /// It stores something else, and writes a register.
    Overwrites { to: u8 },
    /// What it writes has no origin.
    Clears { to: u8 },
}

/// What is known of an instruction.
#[derive(Clone, Copy, Default)]
struct Known {
    /// The register that its access is relative to; 0 if that is not known.
    base: u8,
    bytes: u64,
    effect: Effect,
}

/// Origins of addresses.
#[derive(Default)]
pub struct Origins {
    known: Vec<Known>,
    harts: Vec<[Option<Origin>; REGISTERS]>,
    /// By address of the word that holds an address.
    memory: FxHashMap<u64, Origin>,
    /// Whether there was a call yet: before, nothing has an origin.
    has_begun: bool,
}

impl Origins {
    pub fn add_instruction(&mut self, instruction: &Instruction) {
        self.known.push(known(instruction));
        let harts = usize::from(instruction.hart) + 1;
        if self.harts.len() < harts {
            self.harts.resize(harts, [None; REGISTERS]);
        }
    }

    /// A function has returned memory that it was asked for at that site.
    pub fn returned(&mut self, hart: u16, origin: Origin) {
        self.has_begun = true;
        self.harts[usize::from(hart)][usize::from(RESULT)] = Some(origin);
    }

    /// The origin of what an instruction that is about to be executed accesses.
    #[inline]
    pub fn accessed(&self, index: usize, hart: u16) -> Option<Origin> {
        match self.has_begun {
            true => self.harts[usize::from(hart)][usize::from(self.known[index].base)],
            false => None,
        }
    }

    /// An instruction is executed.
    #[inline]
    pub fn step(&mut self, index: usize, hart: u16, addresses: &[u64]) {
        if self.has_begun {
            self.follow(index, hart, addresses);
        }
    }

    fn follow(&mut self, index: usize, hart: u16, addresses: &[u64]) {
        let Known { bytes, effect, .. } = self.known[index];
        let registers = &mut self.harts[usize::from(hart)];
        let mut set = |to: u8, origin: Option<Origin>| {
            if to != 0 {
                registers[usize::from(to)] = origin;
            }
        };
        match (effect, addresses) {
            (Effect::Nothing, _) => {}
            (Effect::Clears { to }, _) => set(to, None),
            (Effect::Combines { to, from }, _) => {
                let [a, b] = from.map(|from| registers[usize::from(from)]);
                let origin = match (a, b) {
                    (Some(origin), None) | (None, Some(origin)) => Some(origin),
                    // A difference of addresses is none, and what comes of two blocks is of neither.
                    _ => None,
                };
                if to != 0 {
                    registers[usize::from(to)] = origin;
                }
            }
            (Effect::Loads { to }, [address]) if bytes == WORD => {
                set(to, self.memory.get(address).copied());
            }
            (Effect::Loads { to }, _) => set(to, None),
            (Effect::Stores { from }, [address]) if bytes == WORD && address % WORD == 0 => {
                match registers[usize::from(from)] {
                    Some(origin) => drop(self.memory.insert(*address, origin)),
                    None => drop(self.memory.remove(address)),
                }
            }
            (Effect::Stores { .. } | Effect::Overwrites { .. }, _) => {
                if let Effect::Overwrites { to } = effect {
                    set(to, None);
                }
                if self.memory.is_empty() {
                    return;
                }
                for address in addresses {
                    let (first, last) = (address / WORD, (address + bytes.max(1) - 1) / WORD);
                    for word in first..=last {
                        self.memory.remove(&(word * WORD));
                    }
                }
            }
        }
    }
}

/// What the machine word says of a load or a store: the register that its address is relative to, and the one that it stores.
fn operands(word: u32) -> (u8, u8) {
    let register = |at: u32| (word >> at & 31) as u8;
    let short = |at: u32| (word >> at & 7) as u8 + 8;
    match word & 3 {
        3 => (register(15), register(20)),
        0 => (short(7), short(2)),
        _ => (2, register(2)),
    }
}

fn number(register: Register) -> Option<u8> {
    let index = register.index();
    (1..REGISTERS).contains(&index).then_some(index as u8)
}

fn known(instruction: &Instruction) -> Known {
    let facts: &Facts = &instruction.decoded.facts;
    let reads = || facts.reads.iter().filter_map(|own| number(own.register));
    let written = facts
        .writes
        .iter()
        .find_map(|own| number(own.register))
        .unwrap_or(0);
    let only = match reads().count() {
        1 => reads().next().unwrap_or(0),
        _ => 0,
    };
    let (base, stored) = match instruction.word {
        Some(word) => operands(word),
        None => (only, 0),
    };
    let effect = match facts.class {
        Class::Load => Effect::Loads { to: written },
        Class::Store if instruction.word.is_some() => Effect::Stores { from: stored },
        _ if facts.access.is_some_and(|access| access.kind.writes()) => {
            Effect::Overwrites { to: written }
        }
        Class::Integer if ADDITIONS.contains(&instruction.decoded.mnemonic) => {
            let mut from = reads();
            let pair = [from.next().unwrap_or(0), from.next().unwrap_or(0)];
            Effect::Combines {
                to: written,
                from: pair,
            }
        }
        _ if written != 0 => Effect::Clears { to: written },
        _ => Effect::Nothing,
    };
    Known {
        base: if facts.access.is_some() { base } else { 0 },
        bytes: facts.access.map_or(0, |access| u64::from(access.bytes)),
        effect,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::isa::decode_word;

    // As the GNU assembler writes them.
    const MV_S1_A0: u32 = 0x0005_0493;
    const C_MV_S0_A0: u32 = 0x842a;
    const ADDI_A5_S1: u32 = 0x0404_8793;
    const ADD_A4_A5_A3: u32 = 0x00d7_8733;
    const SUB_A2_A4_S1: u32 = 0x4097_0633;
    const SLLI_A1_S1: u32 = 0x0034_9593;
    const SD_S1_IN_A7: u32 = 0x0098_b023;
    const LD_T0_FROM_A7: u32 = 0x0008_b283;
    const SW_T1_IN_A7_4: u32 = 0x0068_a223;
    const SD_T0_IN_T0: u32 = 0x0052_b423;
    const ADD_T2_A5_T0: u32 = 0x0057_83b3;
    const C_LD_A2_FROM_S0: u32 = 0x6410;
    const C_SD_A0_IN_A5: u32 = 0xe388;

    /// The origin of what the last of some words accesses; `malloc` returns before the first, and once more before `again`.
    fn accessed(words: &[(u32, u64)], again: usize) -> Option<Origin> {
        let mut origins = Origins::default();
        for (word, _) in words {
            origins.add_instruction(&Instruction {
                hart: 0,
                pc: None,
                word: Some(*word),
                text: "".into(),
                decoded: decode_word(*word).expect("an instruction"),
            });
        }
        origins.returned(0, 7);
        for (index, (word, address)) in words.iter().enumerate() {
            if index == again {
                origins.returned(0, 8);
            }
            if index + 1 == words.len() {
                return origins.accessed(index, 0);
            }
            let access = decode_word(*word).and_then(|decoded| decoded.facts.access);
            let addresses: &[u64] = if access.is_some() { &[*address] } else { &[] };
            origins.step(index, 0, addresses);
        }
        None
    }

    /// `t0` is loaded from where `s1` was stored, and used.
    fn through_memory(between: &[(u32, u64)]) -> Option<Origin> {
        let stored = [(MV_S1_A0, 0), (SD_S1_IN_A7, 64)];
        let loaded = [(LD_T0_FROM_A7, 64), (SD_T0_IN_T0, 0)];
        accessed(&[&stored[..], between, &loaded].concat(), usize::MAX)
    }

    #[test]
    fn copies_and_sums_have_the_origin_of_the_address() {
        let never = usize::MAX;
        let direct = [(C_MV_S0_A0, 0), (C_LD_A2_FROM_S0, 0)];
        assert_eq!(accessed(&direct, never), Some(7));
        let moved = [(MV_S1_A0, 0), (ADDI_A5_S1, 0), (C_SD_A0_IN_A5, 0)];
        assert_eq!(accessed(&moved, never), Some(7));
        // Another block was handed out in between.
        assert_eq!(accessed(&moved, 1), Some(7));
        // What is stored is not what it is stored to.
        assert_eq!(accessed(&[(C_SD_A0_IN_A5, 0)], never), None);
    }

    #[test]
    fn memory_keeps_origins_until_something_else_is_stored() {
        assert_eq!(through_memory(&[]), Some(7));
        assert_eq!(through_memory(&[(SW_T1_IN_A7_4, 68)]), None);
        assert_eq!(through_memory(&[(SW_T1_IN_A7_4, 72)]), Some(7));
    }

    #[test]
    fn differences_shifts_and_sums_of_two_addresses_have_none() {
        let base_a5 = |word: u32| [(MV_S1_A0, 0), (ADDI_A5_S1, 0), (word, 0)];
        let mut origins = Origins::default();
        for (word, _) in base_a5(ADD_A4_A5_A3).iter().chain(&[
            (SUB_A2_A4_S1, 0),
            (SLLI_A1_S1, 0),
            (ADD_T2_A5_T0, 0),
        ]) {
            origins.add_instruction(&Instruction {
                hart: 0,
                pc: None,
                word: Some(*word),
                text: "".into(),
                decoded: decode_word(*word).expect("an instruction"),
            });
        }
        origins.returned(0, 7);
        origins.harts[0][5] = Some(8);
        (0..6).for_each(|index| origins.step(index, 0, &[]));
        let [a1, a2, a4, t2] = [11, 12, 14, 7].map(|register| origins.harts[0][register]);
        assert_eq!((a4, a1, a2, t2), (Some(7), None, None, None));
    }
}
