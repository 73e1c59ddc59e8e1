//! The instruction table against GNU binutils: what objdump prints for a word means what the word means.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use loopsheet_trace::isa::{
    Class, Decoded, Flow, Operands, Register, control_flow, decode_text, decode_word, encodings,
    length, pseudo_mnemonics,
};
use proptest::prelude::Rng;
use proptest::test_runner::TestRunner;

const ARCHITECTURE: &str = "-march=rv64gcv_zba_zbb_zbs_zicbop_zihintpause_zifencei";
const LIBRARIES: &str = "/usr/riscv64-linux-gnu/lib";

/// The styles of disassembly.
const STYLES: [&[&str]; 4] = [
    &[],
    &["-M", "no-aliases"],
    &["-M", "numeric"],
    &["-M", "no-aliases,numeric"],
];

fn run(command: &mut Command) -> String {
    let output = command
        .output()
        .expect("binutils can be run (Debian: binutils-riscv64-linux-gnu)");
    assert!(
        output.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("binutils print UTF-8")
}

/// Words with their text, in order.
fn disassemble(file: &Path, style: &[&str]) -> Vec<(u32, String)> {
    with_addresses(file, style)
        .into_iter()
        .map(|(_, word, text)| (word, text))
        .collect()
}

fn with_addresses(file: &Path, style: &[&str]) -> Vec<(i64, u32, String)> {
    let listing = run(Command::new("riscv64-linux-gnu-objdump")
        .arg("-d")
        .args(style)
        .arg(file));
    let instruction = |line: &str| {
        let (address, rest) = line.split_once(":\t")?;
        let address = i64::from_str_radix(address.trim(), 16).ok()?;
        let (word, text) = rest.split_once('\t')?;
        Some((
            address,
            u32::from_str_radix(word.trim(), 16).ok()?,
            text.to_owned(),
        ))
    };
    listing.lines().filter_map(instruction).collect()
}

fn assemble(directory: &tempfile::TempDir, source: &Path) -> PathBuf {
    let object = directory.path().join("object.o");
    run(Command::new("riscv64-linux-gnu-as")
        .arg(ARCHITECTURE)
        .arg("-o")
        .arg(&object)
        .arg(source));
    object
}

/// What word and text both say, or how they differ.
fn agreed(word: u32, text: &str) -> Result<Decoded, String> {
    let from_word = decode_word(word).ok_or_else(|| format!("{word:08x} `{text}` is not known"))?;
    let from_text = decode_text(text).map_err(|error| format!("{word:08x} `{text}`: {error}"))?;
    let facts = (from_word.facts, from_text.facts);
    if facts.0 == facts.1 {
        Ok(from_word)
    } else {
        Err(format!("{word:08x} `{text}`: {facts:?}"))
    }
}

#[test]
fn libraries_of_debian() {
    for library in ["libc.so.6", "libm.so.6"] {
        for style in STYLES {
            let mut instructions = disassemble(&Path::new(LIBRARIES).join(library), style);
            assert!(
                instructions.len() > 50_000,
                "{library} has {} instructions",
                instructions.len()
            );
            // Texts of jumps differ by their targets; all are looked at.
            instructions.sort_unstable();
            instructions.dedup();
            for (word, text) in instructions {
                agreed(word, &text).unwrap();
            }
        }
    }
}

/// Distances of branches and jumps, from the addresses that objdump computes.
#[test]
fn targets_in_debians_libraries() {
    for library in ["libc.so.6", "libm.so.6"] {
        for (address, word, text) in
            with_addresses(&Path::new(LIBRARIES).join(library), &["-M", "no-aliases"])
        {
            let operands = text
                .split_once('\t')
                .map_or("", |split| split.1)
                .split('#')
                .next()
                .unwrap_or_default();
            let target = operands.split_once(" <").map(|(before, _)| {
                let target = before
                    .rsplit(',')
                    .next()
                    .expect("rsplit gives one piece at least");
                i64::from_str_radix(target, 16).expect("an address") - address
            });
            let distance = match control_flow(word) {
                Flow::Branch(distance) | Flow::Jump(distance) | Flow::Call(Some(distance)) => {
                    Some(i64::from(distance))
                }
                Flow::Next | Flow::Call(None) | Flow::Indirect => None,
            };
            assert_eq!(distance, target, "{word:08x} `{text}`");
            let indirect = matches!(control_flow(word), Flow::Call(None) | Flow::Indirect);
            assert_eq!(
                indirect,
                text.starts_with("jalr") || text.starts_with("c.j") && target.is_none(),
                "{text}"
            );
        }
    }
}

/// Fixtures hold one instruction a line, so that the source is a text of the word as well.
#[test]
fn every_mnemonic_of_the_table() {
    let directory = tempfile::tempdir().expect("there is a temporary directory");
    let mut met: BTreeSet<String> = BTreeSet::new();
    for name in ["scalar.s", "compressed.s", "vector.s"] {
        let source = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/fixtures/isa")
            .join(name);
        let object = assemble(&directory, &source);
        let text = std::fs::read_to_string(&source).expect("the fixture can be read");
        let lines: Vec<&str> = text
            .lines()
            .filter(|line| !line.starts_with(['.', '#']))
            .collect();
        for style in STYLES {
            let listing = disassemble(&object, style);
            assert_eq!(listing.len(), lines.len(), "{name}");
            for (line, (word, text)) in lines.iter().zip(listing) {
                met.insert(agreed(word, line).unwrap().mnemonic.to_owned());
                agreed(word, &text).unwrap();
            }
        }
        met.extend(lines.iter().map(|line| {
            decode_text(line)
                .expect("it was decoded above")
                .mnemonic
                .to_owned()
        }));
    }
    for (mnemonic, ..) in encodings() {
        assert!(met.contains(mnemonic), "{mnemonic} is not in the fixtures");
    }
    // Two instructions in one, Spike's names, and names that this assembler knows no more.
    let not_assembled = [
        "la",
        "lla",
        "call",
        "tail",
        "c.ret",
        "c.slli64",
        "c.srli64",
        "c.srai64",
        "vfredsum.vs",
        "vfwredsum.vs",
        "vmornot.mm",
    ];
    for mnemonic in pseudo_mnemonics() {
        assert!(
            met.contains(mnemonic) != not_assembled.contains(&mnemonic),
            "{mnemonic}"
        );
    }
}

/// A macro of the assembler, which no word encodes: objdump 2.40 prints it for some words that it does not know.
const NOT_KNOWN: &str = "vmsge.vx\t";

/// Instructions that objdump 2.40 knows with some bits at zero only. The specification says that fences ignore
/// theirs, and conversions that are exact take any rounding mode.
const WIDER: [&str; 5] = ["fence", "fence.i", "fcvt.d.s", "fcvt.d.w", "fcvt.d.wu"];

/// c.addi16sp of nothing: reserved, but objdump prints it.
const RESERVED: u32 = 0x6101;

/// All words of 16 bits; of every row words with random operands; and random words of the major opcodes
/// of the table. objdump and the table know the same ones.
#[test]
fn random_words() {
    let mut runner = TestRunner::deterministic();
    let mut words: Vec<u32> = (0..=0xffff).filter(|word| length(*word) == 2).collect();
    for (_, mask, bits) in encodings().filter(|(_, _, bits)| bits & 3 == 3) {
        words.extend((0..20).map(|_| bits | runner.rng().next_u32() & !mask));
    }
    let opcodes: BTreeSet<u32> = encodings()
        .filter(|(_, _, bits)| bits & 3 == 3)
        .map(|row| row.2 & 0x7f)
        .collect();
    for opcode in opcodes {
        words.extend((0..4_000).map(|_| runner.rng().next_u32() & !0x7f | opcode));
    }
    let directory = tempfile::tempdir().expect("there is a temporary directory");
    let source = directory.path().join("words.s");
    let insn = |word: &u32| format!(".insn {}, {word:#x}\n", length(*word));
    std::fs::write(&source, words.iter().map(insn).collect::<String>())
        .expect("the directory can be written to");
    let object = assemble(&directory, &source);
    let mut differences = Vec::new();
    for style in [STYLES[0], STYLES[3]] {
        let listing = disassemble(&object, style);
        assert_eq!(listing.len(), words.len());
        for (word, text) in listing {
            if text.starts_with(['.', '0']) || text.starts_with(NOT_KNOWN) {
                let known = decode_word(word).filter(|known| !WIDER.contains(&known.mnemonic));
                differences.extend(
                    known.map(|known| format!("{word:08x} is {}, not `{text}`", known.mnemonic)),
                );
                continue;
            }
            if word == RESERVED {
                assert_eq!(decode_word(word), None);
                continue;
            }
            match agreed(word, &text) {
                Ok(decoded) if style == STYLES[3] => {
                    differences.extend(second_opinion(word, &text, &decoded));
                }
                Ok(_) => {}
                Err(difference) => differences.push(difference),
            }
        }
    }
    assert!(
        differences.is_empty(),
        "{} differences:\n{}",
        differences.len(),
        differences.join("\n")
    );
}

/// The registers that the text without aliases names, read without the table: all of them are read or written,
/// the first is the only one written, unless the instruction writes none, and all others are read.
fn second_opinion(word: u32, text: &str, decoded: &Decoded) -> Option<String> {
    let (mnemonic, operands) = text.split_once('\t').unwrap_or((text, ""));
    let operands = operands.split('#').next().unwrap_or_default();
    let without_target = if operands.contains('<') {
        operands.rsplit_once(',').map_or("", |split| split.0)
    } else {
        operands
    };
    let named: Vec<&str> = without_target
        .split([',', '(', ')', '.', ' '])
        .filter(|token| is_register(token))
        .collect();
    let writes_none = matches!(
        decoded.facts.class,
        Class::Store
            | Class::FpStore
            | Class::VectorStore
            | Class::Branch
            | Class::System
            | Class::Fence
    ) || mnemonic == "c.jr"
        || mnemonic.starts_with("prefetch");
    let (written, read) = match mnemonic {
        "c.jalr" => (set(&["x1"]), set(&named)),
        _ if writes_none || named.is_empty() => (set(&[]), set(&named)),
        _ => (set(&named[..1]), set(&named[1..])),
    };
    let (reads, writes) = (
        registers(&decoded.facts.reads),
        registers(&decoded.facts.writes),
    );
    let all = &read | &written;
    let same_registers = writes == written && reads.is_superset(&read) && reads.is_subset(&all);
    let unordered = mnemonic
        .trim_end_matches(".aqrl")
        .trim_end_matches(".aq")
        .trim_end_matches(".rl");
    // Encodings of other instructions that have a name for objdump, but no row.
    let named_alike = unordered == decoded.mnemonic
        || unordered.strip_suffix("64") == Some(decoded.mnemonic)
        || match decoded.mnemonic {
            "fence" => matches!(mnemonic, "fence.tso" | "pause"),
            "ori" => mnemonic.starts_with("prefetch"),
            "c.nop" => mnemonic == "c.addi",
            _ => false,
        };
    (!same_registers || !named_alike).then(|| {
        format!(
            "{word:08x} `{text}`: {} {reads:?} -> {writes:?}",
            decoded.mnemonic
        )
    })
}

fn is_register(token: &str) -> bool {
    let number = token.strip_prefix(['x', 'f', 'v']);
    number.is_some_and(|number| !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()))
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names
        .iter()
        .filter(|name| **name != "x0")
        .map(|name| (*name).to_owned())
        .collect()
}

/// All but those that text does not name.
fn registers(operands: &Operands) -> BTreeSet<String> {
    let named =
        |register: &Register| ![Register::FLOAT_STATUS, Register::VECTOR_CONFIG].contains(register);
    let name = |register: Register| {
        format!(
            "{}{}",
            ["x", "f", "v"][register.index() / 32],
            register.index() % 32
        )
    };
    operands
        .iter()
        .map(|operand| operand.register)
        .filter(named)
        .map(name)
        .collect()
}
