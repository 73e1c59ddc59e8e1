//! How many elements did vector instructions work on?
//!
//! A trace has no register values, but every vector access has an address for each of its elements: under one
//! configuration, one unmasked access shows the length of all that is computed. Where nothing is accessed, the
//! configuration itself may say it: a small number, or as many as registers hold, which is known once the run has
//! shown how long registers are.
//!
//! ```text
//! vsetvli a3,a2,e64,m1     length not known: what follows waits
//! vfadd.vv v8,v9,v10       waits
//! vse64.v v8,(a0)          4 addresses: the length is 4, and so was that of vfadd.vv
//! vmfgt.vf v0,v8,fa0       another mask
//! vfmul.vv v8,v8,v9,v0.t   at most 4 elements, exactly 3 ...
//! vse64.v v8,(a1),v0.t     ... if 3 addresses follow under the same mask
//! ```

use rustc_hash::FxHashMap;

use crate::trace::Instruction;
use crate::trace::isa::{
    AccessLayout, Class, Extent, LengthRequest, Register, VectorType, access_layout, is_masked,
    length_request, writes_mask,
};

/// Lengths, instruction by instruction.
#[derive(Default)]
pub struct VectorMeter {
    roles: Vec<Option<Role>>,
    done: Vec<Elements>,
    harts: Vec<Hart>,
    /// Bits of a register, once an access has shown them.
    register_bits: Option<u64>,
    /// Whether an access had several addresses: some traces have one for each instruction.
    has_addresses_of_elements: bool,
}

/// What one instruction worked on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Elements {
    /// Executions whose length is known.
    pub executions: u64,
    pub elements: u64,
    /// Of the elements, those that a mask may have left out.
    pub at_most: u64,
    /// Executions whose length the trace does not show.
    pub unknown: u64,
    /// Bytes that were accessed.
    pub bytes: u64,
    /// Executions with all elements that a group of registers holds.
    most: Most,
    /// Of these, those under a mask.
    most_masked: Most,
}

/// Executions whose length is that of a group of registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Most {
    executions: u64,
    /// Elements for `UNITS` bits of a register.
    elements: u64,
}

/// With so many bits a group of an eighth of a register holds one element of 64 bits; all other groups hold more.
const UNITS: u64 = 512;

#[derive(Clone, Copy)]
struct Role {
    act: Act,
    is_masked: bool,
    writes_mask: bool,
}

#[derive(Clone, Copy)]
enum Act {
    Configure(LengthRequest, Option<VectorType>),
    Access(AccessLayout),
    /// A load that may end early, and then shortens what follows.
    FaultFirst,
    Compute,
    /// Something with masks, whole registers or single elements, whatever the length is.
    Other,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Length {
    Known(u64),
    /// All that a group of registers of this type holds.
    Most(VectorType),
    #[default]
    Unknown,
}

/// Which elements of its vector per instruction that waits has worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Share {
    All,
    /// Those of the mask that there is.
    OfMask,
    /// Those of a mask that there was.
    OfMaskBefore,
}

#[derive(Clone, Default)]
struct Hart {
    kind: Option<VectorType>,
    length: Length,
    /// Elements that the mask lets through.
    active: Option<u64>,
    /// Executions that wait for a length or a mask.
    waiting: FxHashMap<(u32, Share), u64>,
}

impl VectorMeter {
    pub fn add_instruction(&mut self, instruction: &Instruction) {
        self.roles.push(role(instruction));
        self.done.push(Elements::default());
        let harts = usize::from(instruction.hart) + 1;
        if self.harts.len() < harts {
            self.harts.resize(harts, Hart::default());
        }
    }

    /// Takes one execution, which accessed elements of `bytes` at these addresses.
    #[inline]
    pub fn step(&mut self, index: usize, hart: u16, bytes: u8, addresses: &[u64]) {
        if let Some(role) = self.roles[index] {
            self.take(index, usize::from(hart), role, bytes, addresses);
        }
    }

    /// Bytes of an element as they count for an access: of whole registers and of indexed accesses those that the
    /// configuration has.
    #[inline]
    pub fn element_bytes(&self, index: usize, hart: u16, bytes: u8) -> u8 {
        let Some(Act::Access(layout)) = self.roles[index].as_ref().map(|role| role.act) else {
            return bytes;
        };
        let kind = self.harts[usize::from(hart)].kind;
        let configured = kind.map_or(bytes, |kind| kind.sew / 8);
        match layout {
            AccessLayout::Registers { .. } => configured.max(bytes),
            AccessLayout::Elements { .. } if bytes == 0 => configured,
            _ => bytes,
        }
    }

    fn take(&mut self, index: usize, hart: usize, role: Role, bytes: u8, addresses: &[u64]) {
        let seen = addresses.len() as u64;
        self.has_addresses_of_elements |= seen > 1;
        let hart = &mut self.harts[hart];
        let done = &mut self.done;
        let element = match (bytes, hart.kind) {
            (0, Some(kind)) => kind.sew / 8,
            _ => bytes,
        };
        done[index].bytes += seen * u64::from(element);
        match role.act {
            Act::Configure(request, kind) => {
                if request != LengthRequest::Keep {
                    hart.end(done);
                    hart.length = length(request, kind);
                }
                hart.kind = kind;
            }
            Act::Access(AccessLayout::Registers { number }) => {
                let all = seen * u64::from(bytes) * 8;
                if all > 0 {
                    self.register_bits = Some(all / u64::from(number.max(1)));
                }
                let element = hart.kind.map_or(bytes, |kind| (kind.sew / 8).max(bytes));
                done[index].add(all / 8 / u64::from(element.max(1)));
            }
            Act::Access(AccessLayout::Mask) => done[index].add(seen),
            Act::Access(AccessLayout::Elements { fields }) => {
                let elements = seen / u64::from(fields.max(1));
                done[index].add(elements);
                match role.is_masked {
                    false => {
                        if let (Length::Most(kind), true) = (hart.length, elements > 0) {
                            let eighths = u64::from(kind.lmul_eighths).max(1);
                            self.register_bits = Some(elements * u64::from(kind.sew) * 8 / eighths);
                        }
                        hart.show_length(elements, done);
                    }
                    true => hart.show_mask(elements, done),
                }
            }
            Act::FaultFirst => {
                hart.end(done);
                done[index].add(seen);
                hart.length = match role.is_masked {
                    true => Length::Unknown,
                    false => Length::Known(seen),
                };
            }
            Act::Compute => hart.compute(index, role.is_masked, &mut done[index]),
            Act::Other => {}
        }
        if role.writes_mask {
            hart.end_mask();
        }
    }

    /// By instruction; `None` for those that do not work on the elements of vectors.
    pub fn finish(mut self) -> Vec<Option<Elements>> {
        for hart in &mut self.harts {
            hart.end(&mut self.done);
        }
        let (bits, is_complete) = (self.register_bits, self.has_addresses_of_elements);
        let works = |role: &Role| !matches!(role.act, Act::Configure(..) | Act::Other);
        let all = self.roles.iter().zip(self.done);
        all.map(|(role, done)| {
            role.as_ref()
                .filter(|role| works(role))
                .map(|_| done.resolved(bits, is_complete))
        })
        .collect()
    }
}

fn role(instruction: &Instruction) -> Option<Role> {
    let facts = &instruction.decoded.facts;
    let act = match facts.class {
        Class::VectorConfig => Act::Configure(length_request(instruction)?, facts.sets_vector_type),
        Class::VectorLoad | Class::VectorStore => {
            let changes_length = facts
                .writes
                .iter()
                .any(|operand| operand.register == Register::VECTOR_CONFIG);
            match changes_length {
                true => Act::FaultFirst,
                false => Act::Access(access_layout(facts)?),
            }
        }
        Class::VectorFp | Class::VectorInteger => {
            let mut operands = facts.reads.iter().chain(facts.writes.iter());
            let is_group =
                |extent| matches!(extent, Extent::Group { .. } | Extent::Elements { .. });
            match operands.any(|operand| is_group(operand.extent)) {
                true => Act::Compute,
                false => Act::Other,
            }
        }
        _ => return None,
    };
    Some(Role {
        act,
        is_masked: is_masked(instruction),
        writes_mask: writes_mask(facts),
    })
}

/// What a configuration by itself says. V has registers of at least 128 bits.
fn length(request: LengthRequest, kind: Option<VectorType>) -> Length {
    const LEAST_BITS: u64 = 128;
    match (request, kind) {
        (LengthRequest::Most, Some(kind)) => Length::Most(kind),
        (LengthRequest::Number(number), Some(kind)) => {
            let bits = u64::from(number) * u64::from(kind.sew) * 8;
            match bits <= LEAST_BITS * u64::from(kind.lmul_eighths) {
                true => Length::Known(u64::from(number)),
                false => Length::Unknown,
            }
        }
        _ => Length::Unknown,
    }
}

impl Hart {
    fn compute(&mut self, index: usize, is_masked: bool, done: &mut Elements) {
        let share = if is_masked { Share::OfMask } else { Share::All };
        match (self.length, is_masked) {
            (Length::Known(length), false) => done.add(length),
            (Length::Most(kind), false) => done.most.add(kind, 1),
            _ if is_masked && self.active.is_some() => {
                done.add(self.active.unwrap_or_default());
            }
            _ => *self.waiting.entry((index as u32, share)).or_default() += 1,
        }
    }

    /// An access has shown the length.
    fn show_length(&mut self, elements: u64, done: &mut [Elements]) {
        if self.length == Length::Unknown {
            self.length = Length::Known(elements);
            self.waiting.retain(|(index, share), executions| {
                let done = &mut done[*index as usize];
                match share {
                    Share::OfMask => return true,
                    Share::All => done.add_several(elements, *executions),
                    Share::OfMaskBefore => done.add_at_most(elements, *executions),
                }
                false
            });
        }
    }

    /// An access has shown how many elements the mask lets through.
    fn show_mask(&mut self, elements: u64, done: &mut [Elements]) {
        self.active = Some(elements);
        self.waiting.retain(|(index, share), executions| {
            let is_of_mask = *share == Share::OfMask;
            if is_of_mask {
                done[*index as usize].add_several(elements, *executions);
            }
            !is_of_mask
        });
    }

    /// The mask is another.
    fn end_mask(&mut self) {
        self.active = None;
        let of_mask: Vec<(u32, u64)> = self
            .waiting
            .extract_if(|(_, share), _| *share == Share::OfMask)
            .map(|((index, _), executions)| (index, executions))
            .collect();
        for (index, executions) in of_mask {
            *self
                .waiting
                .entry((index, Share::OfMaskBefore))
                .or_default() += executions;
        }
    }

    /// The length is another: what still waits has no exact one.
    fn end(&mut self, done: &mut [Elements]) {
        self.active = None;
        for ((index, share), executions) in self.waiting.drain() {
            let done = &mut done[index as usize];
            match (self.length, share) {
                (Length::Known(length), _) => done.add_at_most(length, executions),
                (Length::Most(kind), _) => done.most_masked.add(kind, executions),
                (Length::Unknown, _) => done.unknown += executions,
            }
        }
    }
}

impl Elements {
    fn add(&mut self, elements: u64) {
        self.add_several(elements, 1);
    }

    fn add_several(&mut self, elements: u64, executions: u64) {
        self.executions += executions;
        self.elements += elements * executions;
    }

    fn add_at_most(&mut self, elements: u64, executions: u64) {
        self.add_several(elements, executions);
        self.at_most += elements * executions;
    }

    /// With what the whole run has shown of registers and of addresses.
    fn resolved(mut self, register_bits: Option<u64>, is_complete: bool) -> Elements {
        let most = std::mem::take(&mut self.most);
        let masked = std::mem::take(&mut self.most_masked);
        match register_bits {
            Some(bits) => {
                let elements = (most.elements * bits / UNITS, masked.elements * bits / UNITS);
                self.executions += most.executions + masked.executions;
                self.elements += elements.0 + elements.1;
                self.at_most += elements.1;
            }
            None => self.unknown += most.executions + masked.executions,
        }
        match is_complete {
            true => self,
            false => Elements {
                unknown: self.executions + self.unknown,
                ..Elements::default()
            },
        }
    }
}

impl Most {
    fn add(&mut self, kind: VectorType, executions: u64) {
        let eighths = u64::from(kind.lmul_eighths) * (UNITS / 8);
        self.executions += executions;
        self.elements += executions * eighths / u64::from(kind.sew.max(1));
    }
}

#[cfg(test)]
mod tests;
