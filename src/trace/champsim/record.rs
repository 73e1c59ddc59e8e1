//! One record, as bytes and as its fields.

/// Bytes of a record.
pub const BYTES: usize = 64;
pub const MOST_WRITES: usize = 2;
pub const MOST_READS: usize = 4;

/// Register numbers that have a meaning.
pub const STACK_POINTER: u8 = 6;
pub const FLAGS: u8 = 25;
pub const INSTRUCTION_POINTER: u8 = 26;

/// What a record says. 0 is no register, and no address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    pub pc: u64,
    pub is_branch: bool,
    pub is_taken: bool,
    pub writes: [u8; MOST_WRITES],
    pub reads: [u8; MOST_READS],
    pub stores: [u64; MOST_WRITES],
    pub loads: [u64; MOST_READS],
}

/// Whether a trace that begins so is one: a pc that processors have, and bytes behind it that no text has.
pub fn is_record(start: &[u8]) -> bool {
    start.len() >= 10
        && start[..6] != [0; 6]
        && matches!(start[6..8], [0, 0] | [0xff, 0xff])
        && start[8] <= 1
        && start[9] <= start[8]
}

impl Record {
    /// The record of so many bytes; `None` if it cannot be one.
    pub fn of(bytes: &[u8; BYTES]) -> Option<Record> {
        let flag = |at: usize| match bytes[at] {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        };
        let number = |at: usize| {
            let mut number = [0; 8];
            number.copy_from_slice(&bytes[at..at + 8]);
            u64::from_le_bytes(number)
        };
        let (is_branch, is_taken) = (flag(8)?, flag(9)?);
        (is_branch || !is_taken).then_some(Record {
            pc: number(0),
            is_branch,
            is_taken,
            writes: [bytes[10], bytes[11]],
            reads: [bytes[12], bytes[13], bytes[14], bytes[15]],
            stores: [number(16), number(24)],
            loads: [number(32), number(40), number(48), number(56)],
        })
    }

    pub fn bytes(&self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        bytes[..8].copy_from_slice(&self.pc.to_le_bytes());
        bytes[8] = u8::from(self.is_branch);
        bytes[9] = u8::from(self.is_taken);
        bytes[10..12].copy_from_slice(&self.writes);
        bytes[12..16].copy_from_slice(&self.reads);
        for (place, address) in self.stores.iter().chain(&self.loads).enumerate() {
            bytes[16 + 8 * place..][..8].copy_from_slice(&address.to_le_bytes());
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_back() {
        let record = Record {
            pc: 0x104be,
            is_branch: true,
            is_taken: true,
            writes: [26, 6],
            reads: [6, 26, 33, 0],
            stores: [0x1000, 0],
            loads: [0x2000, 0x3000, 0, 0x4000],
        };
        let bytes = record.bytes();
        assert_eq!(Record::of(&bytes), Some(record));
        assert!(is_record(&bytes));
        let mut not_taken = bytes;
        not_taken[8] = 0;
        assert_eq!(Record::of(&not_taken), None);
        assert!(!is_record(b"0, 0x104be, 0x4398"));
        assert!(!is_record(b"\x7fELF\x02\x01\x01\0\0\0\0\0"));
    }
}
