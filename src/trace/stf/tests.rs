use std::io::Cursor;

use proptest::prelude::*;

use super::record::Kind;
use super::{Packing, Writer};
use crate::{Batch, FormatName, Options, RunEnd, TraceError, UnknownPolicy};

/// One execution: hart, pc, machine word, addresses.
type Executed = (u16, u64, u32, Vec<u64>);

/// What was executed up to the end or the first error.
fn executed(bytes: &[u8]) -> (Vec<Executed>, Result<crate::ReadSummary, TraceError>) {
    let options = Options {
        format: None,
        unknown: UnknownPolicy::Refuse,
    };
    let mut instructions = Vec::new();
    let mut executed = Vec::new();
    let mut blocks = Vec::new();
    let read = crate::read(bytes, options, &mut |batch: Batch| {
        instructions.extend(batch.instructions.iter().cloned());
        blocks.extend_from_slice(&batch.blocks);
        batch.for_each(&blocks, |id, addresses| {
            let instruction = &instructions[id.0 as usize];
            executed.push((
                instruction.hart,
                instruction.pc.expect("a pc"),
                instruction.word.expect("a word"),
                addresses.to_vec(),
            ));
        });
        Some(batch)
    });
    (executed, read)
}

/// A trace as lines of execlog.
fn text(lines: &[(u16, u64, u32, &str)]) -> Vec<u8> {
    let lines = lines
        .iter()
        .map(|(hart, pc, word, tail)| format!("{hart}, {pc:#x}, {word:#x}, \"\"{tail}\n"));
    lines.collect::<String>().into_bytes()
}

/// The same trace as STF.
fn converted(text: &[u8], packing: Packing, end: Option<RunEnd>) -> Vec<u8> {
    let options = Options {
        format: Some(FormatName::Execlog),
        unknown: UnknownPolicy::Refuse,
    };
    let mut writer = Writer::new(Cursor::new(Vec::new()), packing).expect("memory");
    let mut blocks = Vec::new();
    crate::read(text, options, &mut |batch: Batch| {
        for instruction in &batch.instructions {
            writer.add(instruction).expect("words");
        }
        blocks.extend_from_slice(&batch.blocks);
        batch.for_each(&blocks, |id, addresses| {
            writer.execute(id.0 as usize, addresses).expect("memory");
        });
        Some(batch)
    })
    .expect("a trace");
    writer.finish(end).expect("memory").into_inner()
}

/// A loop with a load, a store, an atomic and a taken branch, on two harts, and a jump of the recording.
fn sample() -> Vec<u8> {
    let mut lines = Vec::new();
    for i in 0..40 {
        let hart = u16::from(i % 8 == 7);
        lines.extend([
            (
                hart,
                0x1_0000,
                0x4398,
                format!(", load, {:#x}", 0x4000 + 8 * i),
            ), // lw a4,0(a5)
            (
                hart,
                0x1_0002,
                0x00e6_b023,
                format!(", store, {:#x}", 0x8000 - 8 * i),
            ), // sd a4,0(a3)
            (
                hart,
                0x1_0006,
                0x00b5_a52f, // amoadd.w a0,a1,(a1)
                ", load, 0x9000, store, 0x9000".to_string(),
            ),
            (hart, 0x1_000a, 0xfe07_9be3, String::new()), // bnez a5,-10
        ]);
        if i % 16 == 15 {
            lines.push((hart, 0x2_0000, 0x0785, String::new())); // addi a5,a5,1
        }
    }
    let lines: Vec<_> = lines
        .iter()
        .map(|(hart, pc, word, tail)| (*hart, *pc, *word, tail.as_str()))
        .collect();
    text(&lines)
}

#[test]
fn what_is_written_is_read_back() {
    let text = sample();
    let (expected, read) = executed(&text);
    assert_eq!(read.expect("a trace").instructions, 162);
    for packing in [Packing::Plain, Packing::Chunks] {
        let bytes = converted(&text, packing, Some(RunEnd::Signal(11)));
        let (found, read) = executed(&bytes);
        let read = read.expect("a trace");
        assert_eq!(found, expected, "{packing:?}");
        assert_eq!(read.format, FormatName::Stf);
        assert_eq!((read.harts, read.end), (2, Some(RunEnd::Signal(11))));
        assert!(read.has_addresses);
    }
}

/// A header, and then records as they come.
fn records(more: &[(Kind, &[u8])]) -> Vec<u8> {
    let header: [(Kind, &[u8]); 6] = [
        (Kind::Identifier, b"STF"),
        (Kind::Version, &[1, 0, 0, 0, 5, 0, 0, 0]),
        (Kind::Isa, &[1, 0]),
        (Kind::Encoding, &[2, 0]),
        (Kind::ForcePc, &[0, 0, 1, 0, 0, 0, 0, 0]),
        (Kind::EndHeader, &[]),
    ];
    let records = header.iter().chain(more);
    records
        .flat_map(|(kind, payload)| [&[*kind as u8], *payload].concat())
        .collect()
}

/// An access of so many bytes, or bits.
fn access(address: u8, size: u16, kind: u8) -> Vec<u8> {
    let mut payload = vec![address, 0x40, 0, 0, 0, 0, 0, 0];
    payload.extend(size.to_le_bytes());
    payload.extend([0, 0, kind]);
    payload
}

const LW: &[u8] = &[0x98, 0x43];
const ADDI: &[u8] = &[0x85, 0x07];

#[test]
fn a_trace_without_addresses_says_so() {
    let (_, read) = executed(&records(&[(Kind::HalfWord, LW), (Kind::HalfWord, LW)]));
    assert!(!read.expect("a trace").has_addresses);
    // Without accesses there is nothing to be unknown.
    let (_, read) = executed(&records(&[(Kind::HalfWord, ADDI)]));
    assert!(read.expect("a trace").has_addresses);
    let late = [
        (Kind::HalfWord, LW),
        (Kind::Access, &access(0, 4, 1)[..]),
        (Kind::HalfWord, LW),
    ];
    let (_, read) = executed(&records(&late));
    assert!(read.is_err_and(|error| error.to_string().contains("the first accesses")));
    let missing = [late[1], late[2], late[0]];
    let (found, read) = executed(&records(&missing));
    assert!(read.is_err_and(|error| error.to_string().contains("after 1 instruction: ")));
    assert!(found.len() <= 1);
}

#[test]
fn a_trapped_instruction_counts_where_it_is_executed() {
    let (load, event) = (access(0, 4, 1), [13, 0, 0, 0, 0]);
    let bytes = records(&[
        (Kind::Event, &event),
        (Kind::EventPcTarget, &[0, 0, 2, 0, 0, 0, 0, 0]),
        (Kind::HalfWord, LW),
        (Kind::HalfWord, ADDI),
        (Kind::ForcePc, &[0, 0, 1, 0, 0, 0, 0, 0]),
        (Kind::Access, &load),
        (Kind::HalfWord, LW),
    ]);
    let (found, read) = executed(&bytes);
    assert_eq!(read.expect("a trace").trapped, 1);
    let pcs: Vec<u64> = found.iter().map(|(_, pc, ..)| *pc).collect();
    assert_eq!(pcs, [0x2_0000, 0x1_0000]);
}

/// `vle32.v v8,(a5)`: one record for the access, its size in bits as those of scalars are, or in bytes.
#[test]
fn a_vector_access_is_taken_apart() {
    let vle = 0x0207_e407u32.to_le_bytes();
    for (scalar, vector) in [(32, 128), (4, 16)] {
        let (scalar, vector) = (access(0, scalar, 1), access(0x80, vector, 1));
        let bytes = records(&[
            (Kind::Access, &scalar),
            (Kind::HalfWord, LW),
            (Kind::Access, &vector),
            (Kind::Word, &vle),
        ]);
        let (found, read) = executed(&bytes);
        read.expect("a trace");
        assert_eq!(found[1].3, [0x4080, 0x4084, 0x4088, 0x408c]);
    }
}

#[test]
fn other_architectures_are_named() {
    let mut bytes = records(&[(Kind::HalfWord, ADDI)]);
    let encoding = 4 + 9 + 3 + 1;
    bytes[encoding] = 1;
    let message = executed(&bytes).1.expect_err("RV32").to_string();
    assert!(message.contains("32-bit program (RV32)"), "{message}");
    bytes[encoding - 3] = 2;
    let message = executed(&bytes).1.expect_err("ARM").to_string();
    assert!(message.contains("ARM"), "{message}");
}

#[test]
fn records_that_are_none_have_their_place() {
    let header = records(&[]).len();
    let mut bytes = records(&[(Kind::HalfWord, ADDI)]);
    bytes.push(200);
    let message = executed(&bytes).1.expect_err("no record").to_string();
    let place = format!(
        "byte {} of the unpacked trace, after 1 instruction",
        header + 3
    );
    assert!(message.starts_with(&place), "{message}");
    assert!(
        message.contains("200 is not the number of a record"),
        "{message}"
    );
}

/// A trace cut anywhere: an error, or what was executed before.
#[test]
fn every_truncation_is_an_error_or_a_prefix() {
    let text = sample();
    let (whole, _) = executed(&text);
    for packing in [Packing::Plain, Packing::Chunks] {
        let bytes = converted(&text, packing, None);
        for length in 0..bytes.len() {
            let (found, read) = executed(&bytes[..length]);
            assert!(whole.starts_with(&found), "{packing:?} cut at {length}");
            // Chunks have an index behind them, which is missing then.
            assert!(packing == Packing::Plain || read.is_err(), "{length}");
        }
    }
}

proptest! {
    /// Changed bytes: chunks have checksums and an index, so that nothing else than what was written is read.
    #[test]
    fn changed_bytes_are_noticed(changes in proptest::collection::vec((any::<usize>(), 1u8..), 1..4)) {
        let text = sample();
        let (whole, _) = executed(&text);
        let mut bytes = converted(&text, Packing::Chunks, None);
        let length = bytes.len();
        for (at, change) in &changes {
            bytes[at % length] ^= change;
        }
        let (found, read) = executed(&bytes);
        if read.is_ok() {
            prop_assert_eq!(found, whole);
        }
    }

    /// Plain records have neither: an error or another trace, and never a panic.
    #[test]
    fn changed_records_do_no_harm(changes in proptest::collection::vec((any::<usize>(), 1u8..), 1..4)) {
        let mut bytes = converted(&sample(), Packing::Plain, None);
        let length = bytes.len();
        for (at, change) in &changes {
            bytes[at % length] ^= change;
        }
        let (found, read) = executed(&bytes);
        if let Ok(read) = read {
            prop_assert_eq!(read.instructions, found.len() as u64);
        }
    }
}
