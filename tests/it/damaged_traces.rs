//! Traces that end too early or have changed bytes, in every format: an error, or what was executed before; never a panic.

use std::fs;

use crate::random_programs::Random;
use crate::support::command;
use crate::support::simulators::{Flags, gem5, whisper};
use loopsheet_trace::{
    Batch, Block, Compression, Consumer, Options, ReadSummary, Target, TraceError, TraceWriter,
    UnknownPolicy, decompressed, stream,
};

const OPTIONS: Options = Options {
    format: None,
    unknown: UnknownPolicy::Refuse,
};

/// Executions, as hart, pc, machine word, text, and addresses.
#[derive(Default)]
struct Executed {
    instructions: Vec<String>,
    blocks: Vec<Block>,
    executed: Vec<(usize, Vec<u64>)>,
}

impl Consumer for Executed {
    fn take(&mut self, batch: &Batch) {
        let names = batch
            .instructions
            .iter()
            .map(|own| format!("{} {:?} {:?} {}", own.hart, own.pc, own.word, own.text));
        self.instructions.extend(names);
        self.blocks.extend_from_slice(&batch.blocks);
        let Executed {
            blocks, executed, ..
        } = self;
        batch.for_each(blocks, |number, addresses| {
            executed.push((number.0 as usize, addresses.to_vec()));
        });
    }
}

impl Executed {
    fn is_prefix_of(&self, whole: &Executed) -> bool {
        whole.instructions.starts_with(&self.instructions)
            && whole.executed.starts_with(&self.executed)
    }
}

fn read(bytes: &[u8]) -> (Executed, Result<ReadSummary, TraceError>) {
    let mut executed = Executed::default();
    let read = match decompressed(bytes) {
        Ok(input) => stream(input, OPTIONS, &mut executed),
        Err(error) => panic!("{error}"),
    };
    (executed, read)
}

/// A sample, no longer than that many lines.
fn sample(name: &str, lines: usize) -> Vec<u8> {
    let path = command::root().join("samples/traces").join(name);
    let text = fs::read_to_string(path).expect("a sample");
    text.split_inclusive('\n')
        .take(lines)
        .collect::<String>()
        .into()
}

fn as_text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn converted(text: &[u8], target: Target) -> Vec<u8> {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let out = file.reopen().expect("a file");
    let mut writer = TraceWriter::new(out, target).expect("a file");
    let read = stream(text, OPTIONS, &mut writer).expect("a trace");
    writer.finish(read.end).expect("it has everything");
    fs::read(file.path()).expect("a file")
}

/// Every format, of traces of 60 instructions.
fn all() -> Vec<(&'static str, Vec<u8>)> {
    let text = sample("factorial.execlog", 60);
    let mut all = vec![
        ("edan", sample("factorial.edan", 60)),
        ("edan-bare", sample("factorial.edan-bare", 60)),
        ("gdb", sample("factorial.gdb", 60)),
        ("spike", sample("factorial.spike", 60)),
        ("gem5", gem5(&as_text(&text), Flags::All).into()),
        ("whisper", whisper(&as_text(&text)).into()),
        ("stf", converted(&text, Target::Stf)),
        ("zstf", converted(&text, Target::Zstf)),
        (
            "champsim",
            converted(&text, Target::Champsim(Compression::None)),
        ),
        (
            "champsim.xz",
            converted(&text, Target::Champsim(Compression::Xz)),
        ),
        (
            "champsim.gz",
            converted(&text, Target::Champsim(Compression::Gzip)),
        ),
        (
            "native",
            converted(&text, Target::Native(Compression::None)),
        ),
        (
            "native.zst",
            converted(&text, Target::Native(Compression::Zstandard)),
        ),
    ];
    all.push(("execlog", text));
    all
}

/// Text that was cut in a line may have a shorter number in the last one: that line is refused.
#[test]
fn every_cut_is_an_error_or_a_prefix() {
    for (name, bytes) in all() {
        let (whole, read_whole) = read(&bytes);
        let all = read_whole.expect(name).instructions;
        assert!(all >= 50, "{name}: {all}");
        for end in 0..bytes.len() {
            let (executed, read) = read(&bytes[..end]);
            assert!(executed.is_prefix_of(&whole), "{name}, cut at {end}");
            // Only where an instruction ends.
            if let Ok(read) = read {
                assert_eq!(read.instructions, executed.executed.len() as u64, "{name}");
                let has_ends = [
                    "edan",
                    "edan-bare",
                    "gdb",
                    "spike",
                    "gem5",
                    "whisper",
                    "stf",
                    "champsim",
                    "execlog",
                ];
                assert!(
                    has_ends.contains(&name),
                    "{name}, cut at {end}, is taken for whole"
                );
            }
        }
    }
}

/// Formats with checksums of all that matters notice every changed byte; of others a changed digit makes another trace.
#[test]
fn every_changed_byte_is_an_error_or_a_trace() {
    let mut random = Random::new(29);
    for (name, bytes) in all() {
        let (whole, _) = read(&bytes);
        for place in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[place] ^= 1 + random.below(255) as u8;
            let (executed, read) = read(&damaged);
            match name {
                "native" | "zstf" => {
                    assert!(executed.is_prefix_of(&whole), "{name}, byte {place}");
                    assert!(
                        read.is_err() || executed.executed.len() == whole.executed.len(),
                        "{name}, byte {place}"
                    );
                }
                _ => assert!(
                    read.is_err() || !executed.executed.is_empty(),
                    "{name}, {place}"
                ),
            }
        }
    }
}
