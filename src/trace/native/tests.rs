use proptest::prelude::*;

use super::write::put;
use super::{HEADER, Writer, beginning, chunk, last};
use crate::{Batch, FormatName, Instruction, Options, ReadSummary, RunEnd, TraceError};
use crate::{LineError, UnknownPolicy};

/// Executions with their instructions and addresses.
type Executed = Vec<(Instruction, Vec<u64>)>;

/// What was executed up to the end or the first error.
fn executed(bytes: &[u8]) -> (Executed, Result<ReadSummary, TraceError>) {
    let options = Options {
        format: None,
        unknown: UnknownPolicy::Refuse,
    };
    let mut instructions: Vec<Instruction> = Vec::new();
    let mut executed = Vec::new();
    let mut blocks = Vec::new();
    let read = crate::read(bytes, options, &mut |batch: Batch| {
        instructions.extend(batch.instructions.iter().cloned());
        blocks.extend_from_slice(&batch.blocks);
        batch.for_each(&blocks, |id, addresses| {
            executed.push((instructions[id.0 as usize].clone(), addresses.to_vec()));
        });
        Some(batch)
    });
    (executed, read)
}

/// A trace of text in the compact format.
fn converted(text: &[u8]) -> Vec<u8> {
    let options = Options {
        format: None,
        unknown: UnknownPolicy::Refuse,
    };
    let mut writer = Writer::new(Vec::new()).expect("memory");
    let mut blocks = Vec::new();
    let read = crate::read(text, options, &mut |batch: Batch| {
        for instruction in &batch.instructions {
            writer.add(instruction).expect("words or text");
        }
        blocks.extend_from_slice(&batch.blocks);
        batch.for_each(&blocks, |id, addresses| {
            writer.execute(id.0 as usize, addresses).expect("addresses");
        });
        Some(batch)
    });
    let end = read.expect("a trace").end;
    writer.finish(end).expect("memory")
}

/// Loops on two harts with a load, a store, an atomic that is a load and a store, and a vector load.
fn sample(rounds: u64) -> Vec<u8> {
    let mut text = String::new();
    for i in 0..rounds {
        let hart = i / 7 % 2;
        let far = (i * i).wrapping_mul(0x1234_5678_9abc) ^ 0xffff_0000_0000_0000;
        for line in [
            format!(
                "0x10000, 0x4398, \"lw a4,0(a5)\", load, {:#x}",
                0x4000 + 8 * i
            ),
            format!("0x10002, 0xe6b023, \"sd a4,0(a3)\", store, {far:#x}"),
            format!(
                "0x10006, 0x00b6a52f, \"amoadd.w a0,a1,(a3)\", load, {far:#x}, store, {far:#x}"
            ),
            format!(
                "0x1000a, 0x02056407, \"vle64.v v8,(a0)\", load, {:#x}, load, {:#x}",
                i * 16,
                i * 16 + 8
            ),
            "0x1000e, 0x0785, \"addi a5,a5,1\"".to_string(),
        ] {
            text.push_str(&format!("{hart}, {line}\n"));
        }
        if i % 5 == 0 {
            text.push_str(&format!("{hart}, 0x20000, 0x8082, \"ret\"\n"));
        }
    }
    text.push_str("# end: signal 11\n");
    text.into_bytes()
}

#[test]
fn what_is_written_is_read() {
    let text = sample(3000);
    let native = converted(&text);
    let (from_text, read_text) = executed(&text);
    let (from_native, read_native) = executed(&native);
    let (read_text, read_native) = (read_text.expect("a trace"), read_native.expect("a trace"));
    assert_eq!(from_text.len(), 3000 * 5 + 600);
    assert!(from_text == from_native);
    assert_eq!(read_native.end, Some(RunEnd::Signal(11)));
    assert_eq!(read_native.bytes, native.len() as u64);
    let expected = ReadSummary {
        format: FormatName::Native,
        bytes: read_native.bytes,
        ..read_text
    };
    assert_eq!(read_native, expected);
}

#[test]
fn repeated_blocks_take_little() {
    // Three instructions, one with an address eight bytes further each time: the address takes a byte.
    let mut text = String::new();
    for i in 0..10_000 {
        text.push_str(&format!(
            "0;0x10;ld a4,0(a5);{:#x}\n0;0x14;addi a5,a5,8\n0;0x18;bne a5,a6,-8\n",
            8 * i
        ));
    }
    let native = converted(text.as_bytes());
    assert!(native.len() < 10_000 + 200, "{} bytes", native.len());
}

#[test]
fn chunks_have_their_order() {
    // `ret` as a new instruction without pc, and one of the same.
    let mut control = vec![0, 0, 8, 0x82, 0x80, 0, 0];
    put(&mut control, 3);
    control.extend_from_slice(b"ret");
    let (first, second) = (chunk(0, &control, &[], 0), chunk(1, &[], &[], 0));
    let end = last(2, None);
    let whole = [&beginning()[..], &first, &second, &end].concat();
    let (steps, read) = executed(&whole);
    assert_eq!((steps.len(), read.expect("a trace").instructions), (1, 1));
    let swapped = [&beginning()[..], &second, &first, &end].concat();
    let missing = [&beginning()[..], &first, &end].concat();
    let doubled = [&beginning()[..], &first, &first, &second, &end].concat();
    let longer = [&whole[..], b"\n"].concat();
    for damaged in [swapped, missing, doubled, longer] {
        assert!(executed(&damaged).1.is_err());
    }
}

#[test]
fn of_a_later_version_is_said() {
    let mut bytes = converted(&sample(1));
    bytes[7] = 2;
    let error = executed(&bytes).1.expect_err("a later version");
    assert!(error.to_string().contains("version 2"), "{error}");
}

#[test]
fn harts_without_executions_are_refused_in_the_end() {
    let mut control = Vec::new();
    for hart in 0..5000 {
        control.extend_from_slice(&[0, 1]);
        put(&mut control, hart + 1);
    }
    let bytes = [
        &beginning()[..],
        &chunk(0, &control, &[], 0),
        &last(1, None),
    ]
    .concat();
    let error = executed(&bytes).1.expect_err("too many harts").error;
    assert!(matches!(error, LineError::TooManyHarts { .. }), "{error}");
}

/// Checks that what damaged bytes lead to is an error behind a prefix of the executions.
fn is_refused(whole: &Executed, damaged: &[u8]) {
    let (steps, read) = executed(damaged);
    assert!(read.is_err(), "damage went unnoticed");
    assert!(whole.starts_with(&steps), "damage changed an execution");
}

#[test]
fn every_cut_is_noticed() {
    let bytes = converted(&sample(20));
    let whole = executed(&bytes).0;
    for length in 0..bytes.len() {
        is_refused(&whole, &bytes[..length]);
    }
}

#[test]
fn every_changed_byte_is_noticed() {
    let bytes = converted(&sample(20));
    let whole = executed(&bytes).0;
    for place in 0..bytes.len() {
        for change in [1, 0x80, 0xff] {
            let mut damaged = bytes.clone();
            damaged[place] ^= change;
            is_refused(&whole, &damaged);
        }
    }
}

proptest! {
    /// Streams with a right checksum that no writer made: an error or executions, and no panic.
    #[test]
    fn streams_of_anything_do_not_panic(
        control in proptest::collection::vec(prop_oneof![0u8..4, any::<u8>()], 0..200),
        addresses in proptest::collection::vec(any::<u8>(), 0..100),
        run in 0u32..300_000,
    ) {
        let mut start = vec![0, 0, 8 + 1, 0x98, 0x43, 0, 0, 0, 0, 0];
        start.extend_from_slice(&control);
        let bytes = [&beginning()[..], &chunk(0, &start, &addresses, run), &last(1, None)].concat();
        let _ = executed(&bytes);
    }

    /// Damage behind which the checksums are right again.
    #[test]
    fn damage_in_streams_does_not_panic(place in 0usize..1 << 16, value: u8) {
        let bytes = converted(&sample(20));
        let header = beginning().len();
        let size = |at: usize| {
            let field = bytes[at..].first_chunk().expect("a header");
            u32::from_le_bytes(*field) as usize
        };
        let (control, addresses) = (size(header + 4), size(header + 8));
        let mut streams = bytes[header + HEADER..][..control + addresses].to_vec();
        let place = place % streams.len();
        streams[place] = value;
        let (in_control, in_addresses) = streams.split_at(control);
        let run = size(header + 12) as u32;
        let bytes = [&beginning()[..], &chunk(0, in_control, in_addresses, run), &last(1, None)].concat();
        let _ = executed(&bytes);
    }
}
