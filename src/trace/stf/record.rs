//! The records of STF 1.2 to 1.6: one byte that says which, and a payload whose length follows from its beginning.

use crate::error::RecordError;

/// Longest payload that is taken for one: comments.
pub const LONGEST: usize = 1 << 20;

/// The records, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Identifier = 1,
    Version = 2,
    Comment = 3,
    Isa = 4,
    Encoding = 5,
    Generator = 6,
    Features = 7,
    ProcessId = 8,
    ForcePc = 9,
    VectorLength = 10,
    IsaExtended = 13,
    EndHeader = 19,
    PcTarget = 31,
    Register = 40,
    ReadyRegister = 41,
    PageTableWalk = 50,
    Access = 60,
    Content = 61,
    BusAccess = 62,
    BusContent = 63,
    Event = 100,
    EventPcTarget = 101,
    MicroOperation = 230,
    Word = 240,
    HalfWord = 241,
}

/// What earlier records say about the length of later ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lengths {
    /// Bits of a vector register.
    pub vector_bits: u32,
    /// Events have numbers of 64 bits.
    pub long_events: bool,
}

/// Of the features: numbers of events have 64 bits.
pub const LONG_EVENTS: u64 = 1 << 19;
/// Type of a register record: a vector register.
const VECTOR: u8 = 3;

impl Kind {
    /// # Errors
    /// No record has that number, or none of an instruction trace.
    pub fn of(number: u8) -> Result<Kind, RecordError> {
        Ok(match number {
            1 => Kind::Identifier,
            2 => Kind::Version,
            3 => Kind::Comment,
            4 => Kind::Isa,
            5 => Kind::Encoding,
            6 => Kind::Generator,
            7 => Kind::Features,
            8 => Kind::ProcessId,
            9 => Kind::ForcePc,
            10 => Kind::VectorLength,
            13 => Kind::IsaExtended,
            19 => Kind::EndHeader,
            31 => Kind::PcTarget,
            40 => Kind::Register,
            41 => Kind::ReadyRegister,
            50 => Kind::PageTableWalk,
            60 => Kind::Access,
            61 => Kind::Content,
            62 => Kind::BusAccess,
            63 => Kind::BusContent,
            100 => Kind::Event,
            101 => Kind::EventPcTarget,
            230 => Kind::MicroOperation,
            240 => Kind::Word,
            241 => Kind::HalfWord,
            11 | 12 | 250 | 251 => return Err(RecordError::Transaction),
            other => return Err(RecordError::Unknown(other)),
        })
    }

    /// Bytes of the payload that begins `rest`; `None` if too little of it is there to say.
    ///
    /// # Errors
    /// It is longer than any that is right.
    #[inline(always)]
    pub fn length(self, rest: &[u8], lengths: &Lengths) -> Result<Option<usize>, RecordError> {
        let fixed = match self {
            Kind::EndHeader => 0,
            Kind::HalfWord | Kind::Isa | Kind::Encoding | Kind::ReadyRegister => 2,
            Kind::Identifier => 3,
            Kind::Word | Kind::VectorLength => 4,
            Kind::MicroOperation => 5,
            Kind::ProcessId => 12,
            Kind::Access => 13,
            Kind::BusAccess => 17,
            Kind::Version
            | Kind::Features
            | Kind::ForcePc
            | Kind::PcTarget
            | Kind::Content
            | Kind::BusContent
            | Kind::EventPcTarget => 8,
            _ => return self.counted_length(rest, lengths),
        };
        Ok(Some(fixed))
    }

    /// Of those whose payload says how long it is.
    fn counted_length(self, rest: &[u8], lengths: &Lengths) -> Result<Option<usize>, RecordError> {
        let length = match self {
            Kind::Comment | Kind::IsaExtended => {
                array(rest, 0).map(|count| 4 + u32::from_le_bytes(count) as usize)
            }
            Kind::Generator => {
                array(rest, 4).map(|count| 6 + usize::from(u16::from_le_bytes(count)))
            }
            Kind::Register => rest.get(2).map(|kind| match kind & 15 {
                VECTOR => 3 + (lengths.vector_bits as usize).div_ceil(64).max(1) * 8,
                _ => 3 + 8,
            }),
            Kind::Event => {
                let number = if lengths.long_events { 8 } else { 4 };
                rest.get(number)
                    .map(|count| number + 1 + 8 * usize::from(*count))
            }
            Kind::PageTableWalk => rest.get(20).map(|count| 21 + 16 * usize::from(*count)),
            _ => Some(0),
        };
        match length {
            Some(length) if length > LONGEST => Err(RecordError::TooLong { limit: LONGEST }),
            length => Ok(length),
        }
    }
}

/// So many bytes from `at` on, if they are there.
pub fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at + N)?.try_into().ok()
}
