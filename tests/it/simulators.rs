//! Traces of simulators as text, gem5's and Whisper's: the same run in execlog gives the same figures.

use std::fmt::Write;
use std::fs;

use crate::support::command::{self, EVERYTHING, loopsheet};
use crate::support::simulators::{Flags, gem5, whisper};
use loopsheet_cache::AccessKind;
use loopsheet_trace::isa;
use serde_json::Value;

fn sample(name: &str) -> String {
    let path = command::root().join(format!("samples/traces/{name}.execlog.zst"));
    let bytes = fs::read(path).expect("a sample");
    String::from_utf8(zstd::decode_all(&bytes[..]).expect("compressed")).expect("text")
}

fn traced(text: &str, arguments: &[&str]) -> Value {
    let mut command = loopsheet();
    command.args(["trace", "-", "--json", "-"]).args(arguments);
    command::printed(command.write_stdin(text))
}

fn said(text: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let output = loopsheet()
        .args(["trace", "-"])
        .args(arguments)
        .write_stdin(text)
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), said)
}

/// Every scalar instruction of the table once, in the order of the table, as execlog has it.
fn every_instruction() -> String {
    let mut text = String::new();
    for (number, (name, mask, bits)) in isa::encodings().enumerate() {
        // Registers 10 to 13 and what else their places in the word mean; the numbers of control registers are of known ones.
        let fields = match bits & 3 {
            3 if name.starts_with("csr") => 0x0036_0500,
            3 => 10 << 7 | 11 << 15 | 12 << 20 | 13 << 27,
            _ => 0x0528,
        };
        let word = bits | fields & !mask;
        let Some(decoded) = isa::decode_word(word).filter(|own| own.mnemonic == name) else {
            continue;
        };
        if name.starts_with('v') {
            continue;
        }
        let access = match decoded.facts.access {
            Some(access) if access.kind == AccessKind::Load => ", load, 0x2000",
            Some(_) => ", store, 0x2000",
            None => "",
        };
        let pc = 0x1000 + 4 * number;
        writeln!(text, "0, {pc:#x}, {word:#x}, \"\"{access}").expect("memory");
    }
    let lines = text.lines().count();
    assert!(lines > 200, "{lines}");
    // A store-conditional that failed.
    text.push_str("0, 0x900, 0x18b7a72f, \"\"\n");
    text
}

/// Figures of a run and of the same one in other text.
fn compared(name: &str, run: &str, text: &str, format: &str) {
    let from = traced(run, &EVERYTHING);
    let to = traced(text, &EVERYTHING);
    assert_eq!(to["trace"]["format"], format);
    for key in ["instructions", "harts"] {
        assert_eq!(from["trace"][key], to["trace"][key], "{name}: {key}");
    }
    for key in ["work", "depth", "memory_work", "memory_depth", "lambda"] {
        assert_eq!(from["edag"][key], to["edag"][key], "{name}: {key}");
        assert!(!from["edag"][key].is_null(), "{name}: {key}");
    }
    for key in ["edag", "mix", "cache", "reuse", "epochs", "movement"] {
        assert_eq!(from[key], to[key], "{name}: {key}");
        assert!(!from[key].is_null(), "{name}: {key}");
    }
}

/// Seeds of the fuzzer, and short files to look at.
#[test]
fn the_fixtures_are_the_sample() {
    let path = command::root().join("samples/traces/factorial.execlog");
    let text = fs::read_to_string(path).expect("a sample");
    for (name, own) in [
        ("factorial.gem5", gem5(&text, Flags::All)),
        ("factorial.whisper", whisper(&text)),
    ] {
        let path = command::fixture("traces").join(name);
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            fs::create_dir_all(command::fixture("traces")).expect("a directory");
            fs::write(&path, &own).expect("a file");
        }
        assert_eq!(fs::read_to_string(path).ok(), Some(own), "{name}");
    }
}

#[test]
fn one_program_through_gem5() {
    for name in ["spmv", "list", "matmul", "axpy", "harts"] {
        for flags in [Flags::Exec, Flags::All, Flags::Few] {
            let run = sample(name);
            compared(name, &run, &gem5(&run, flags), "gem5");
        }
    }
}

#[test]
fn one_program_through_whisper() {
    for name in ["spmv", "list", "matmul", "axpy", "harts"] {
        let run = sample(name);
        compared(name, &run, &whisper(&run), "whisper");
    }
}

#[test]
fn every_scalar_instruction_through_both() {
    let run = every_instruction();
    compared("all", &run, &gem5(&run, Flags::Exec), "gem5");
    compared("all", &run, &whisper(&run), "whisper");
}

const LOAD: &str = " 500: system.cpu: T0 : 0x100 @f    : c_lw a4, 0(a5)             : MemRead :  D=0x2a A=0x8000\n";
const ADD: &str =
    "1000: system.cpu: T0 : 0x102 @f+2    : c_addi a4, 1               : IntAlu :  D=0x2b\n";

/// gem5 shows an access that ended with a page fault, and then again.
#[test]
fn what_a_fault_ended_counts_once() {
    let twice = format!("{LOAD}{LOAD}{ADD}");
    let report = traced(&twice, &["--quiet"]);
    assert_eq!(report["trace"]["instructions"], 2);
    assert_eq!(report["edag"]["memory_work"], 1);
    let branch = "9: system.cpu: T0 : 0x104 @f+4    : bne a0, a1, 0              : IntAlu : \n";
    let report = traced(&format!("{ADD}{branch}{branch}"), &["--quiet"]);
    assert_eq!(report["trace"]["instructions"], 3);
}

#[test]
fn what_gem5_does_not_print_is_unknown() {
    let without = format!("{LOAD}{ADD}").replace(" A=0x8000", "");
    let report = traced(&without, &["--quiet"]);
    assert_eq!(report["edag"]["memory_work"], Value::Null);
    assert_eq!(report["edag"]["depth"], 2);
    let (status, message) = said(&without, &["--cache", "4KiB"]);
    assert_eq!(status, Some(2));
    assert!(message.contains("needs the addresses"), "{message}");

    let vector = "2: system.cpu: T0 : 0x110 @f    : vle32_v v1, (a0)          \n\
                  2: system.cpu: T0 : 0x110 @f. 0 : vle32_v_micro v1, 0(a0), v1 : VectorUnitStrideLoad :  A=0x9000\n";
    let text = format!("{LOAD}{vector}{ADD}");
    let (status, message) = said(&text, &[]);
    assert_eq!(status, Some(2));
    assert!(
        message.contains("line 2: unknown mnemonic `vle32_v`"),
        "{message}"
    );
    let report = traced(&text, &["--unknown=warn", "--quiet"]);
    assert_eq!(report["trace"]["instructions"], 3);
    assert_eq!(report["mix"]["unknown"], 1);
    assert!(
        report["notes"].to_string().contains("vle32_v"),
        "{}",
        report["notes"]
    );
}

#[test]
fn what_is_wrong_has_its_line() {
    let alone =
        "2: system.cpu: T0 : 0x110 @f. 1 : amoadd_w[l] a0, a1, (a2) : MemRead :  D=0x1 A=0x9000\n";
    for (second, expected) in [
        (
            alone,
            "line 2: `amoadd_w[l] a0, a1, (a2)` is part of an instruction",
        ),
        (
            "2: system.cpu: T0 : 0x104 @f+4    : c_jal 16      : IntAlu :  D=0x1\n",
            "32-bit program",
        ),
        (
            "2: system.cpu: T0 : 0x104 @f+4    : c_lw a4, 0(a5)   : MemRead :  D=0x1\n",
            "line 2: `c.lw at 0x104` accesses memory, but the line has no address",
        ),
        (
            "2: system.cpu: T0 : 0x104 @f+4    : c_lw a4, 0(a5)   : MemRead :  A=0xg\n",
            "line 2: `0xg` is not an address",
        ),
        (
            "2: system.cpu: T0 : 0x104 @f+4    : c_addi a4, 1   : MemRead :  A=0x20\n",
            "line 2: `c.addi at 0x104`, read as `c.addi`, does not access memory",
        ),
        (
            "2: system.cpu: T0 : 0x104 @f+4    : c_lw a4   : MemRead :  A=0x20\n",
            "`c.lw` takes 2 operands",
        ),
        // Its micro-operations are missing.
        (
            "2: system.cpu: T0 : 0x104 @f+4    : amoadd_w a0, a1, (a2)\n",
            "line 2: `amoadd.w at 0x104` accesses memory, but the line has no address",
        ),
        (
            "info: Entering event queue\n",
            "line 2: `info: Entering event queue` is not a line of the format gem5",
        ),
        (
            "2: system.cpu: T0 : 0x104",
            "line 2: the last line has no end",
        ),
    ] {
        let (status, message) = said(&format!("{LOAD}{second}"), &[]);
        assert_eq!(status, Some(2), "{message}");
        assert!(message.contains(expected), "{second}: {message}");
    }
}

#[test]
fn whisper_rows() {
    let titles = "pc, inst, modified regs, source operands, memory, inst info, privilege, trap, disassembly, hartid\n";
    let rows = [
        // Physical addresses, elements that a mask leaves out, a page fault, a system call.
        "1000:80001000,4398,x14=2a,x15;i0,4000:80004000,l,u,,c.lw     x14; 0x0(x15),0",
        "1002,4398,,,,l,u,d,c.lw     x14; 0x0(x15),0",
        "1002,4398,x14=2a,x15;i0,4008,l,u,,c.lw     x14; 0x0(x15),0",
        "1004,73,,,,,u,8,ecall,0",
        "1008,18b7a72f,x14=0,x15;x11,4010,a,u,,sc.w     x14; x11; (x15),0",
        "100c,18b7a72f,x14=1,x15;x11,4010=2a,a,u,,sc.w     x14; x11; (x15),0",
    ];
    let text = format!("{titles}{}\n", rows.join("\n"));
    let report = traced(&text, &["--quiet", "--cache", "4KiB"]);
    assert_eq!(report["trace"]["instructions"], 5);
    assert_eq!(report["cache"][0]["accesses"], 3, "{}", report["cache"]);
    for (row, expected) in [
        (
            "1000,4398,,,4000,l,u,",
            "line 2: `1000,4398,,,4000,l,u,` is not a line of the format whisper",
        ),
        (
            "1000,4398,,,zz,l,u,,c.lw,0",
            "line 2: `zz` is not an address",
        ),
        (
            "1000,ffffffff,,,,l,u,,illegal,0",
            "line 2: unknown machine word 0xffffffff (`illegal`)",
        ),
        ("1000,2001,,,,j,u,,c.jal . + 0x8,0", "32-bit program"),
    ] {
        let (status, message) = said(&format!("{titles}{row}\n"), &[]);
        assert_eq!(status, Some(2), "{message}");
        assert!(message.contains(expected), "{row}: {message}");
    }
}
