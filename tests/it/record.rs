//! What `record` refuses where neither QEMU nor a cross compiler is installed.
#![cfg(target_os = "linux")]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// `li a0,0; li a7,93; ecall` as a whole program, by the ELF specification and the RISC-V psABI.
fn smallest_program() -> Vec<u8> {
    let mut elf = b"\x7fELF\x02\x01\x01".to_vec();
    elf.resize(16, 0);
    for half in [2u16, 243] {
        elf.extend(half.to_le_bytes()); // an executable, for RISC-V
    }
    elf.extend(1u32.to_le_bytes());
    for offset in [0x10078u64, 64, 0] {
        elf.extend(offset.to_le_bytes()); // entry, program headers, no sections
    }
    elf.extend(5u32.to_le_bytes()); // compressed instructions, double-precision ABI
    for half in [64u16, 56, 1, 64, 0, 0] {
        elf.extend(half.to_le_bytes());
    }
    elf.extend(1u32.to_le_bytes()); // one segment to load,
    elf.extend(5u32.to_le_bytes()); // to read and execute
    for value in [0u64, 0x10000, 0x10000, 132, 132, 0x1000] {
        elf.extend(value.to_le_bytes());
    }
    for word in [0x0000_0513u32, 0x05d0_0893, 0x0000_0073] {
        elf.extend(word.to_le_bytes());
    }
    assert_eq!(elf.len(), 132);
    elf
}

fn put(dir: &Path, name: &str, content: &[u8], mode: u32) -> PathBuf {
    let path = dir.join(name);
    std::fs::write(&path, content).expect("written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("permissions");
    path
}

fn record(arguments: &[&str], environment: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_loopsheet"));
    command
        .arg("record")
        .args(arguments)
        .env_remove("LOOPSHEET_QEMU")
        .envs(environment.iter().copied());
    command.output().expect("it runs")
}

/// Status 2, all `parts` said, and nothing written.
fn refused(program: &Path, environment: &[(&str, &str)], parts: &[&str]) {
    let dir = tempfile::tempdir().expect("a directory");
    let trace = dir.path().join("trace");
    let arguments = [
        "-o",
        trace.to_str().expect("UTF-8"),
        "--",
        program.to_str().expect("UTF-8"),
    ];
    let output = record(&arguments, environment);
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(
        output.status.code(),
        Some(2),
        "{}: {said}",
        program.display()
    );
    for part in parts {
        assert!(
            said.contains(part),
            "{}: no `{part}` in: {said}",
            program.display()
        );
    }
    assert!(!said.contains("panicked"), "{said}");
    assert_eq!(
        std::fs::read_dir(dir.path()).expect("it is there").count(),
        0,
        "{}",
        program.display()
    );
}

#[test]
fn what_is_no_program_to_record_is_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    let program = smallest_program();
    let changed = |at: usize, byte: u8| {
        let mut changed = program.clone();
        changed[at] = byte;
        changed
    };
    refused(&dir.path().join("absent"), &[], &["absent", "No such file"]);
    refused(dir.path(), &[], &["is a directory"]);
    refused(
        &std::env::current_exe().expect("a path"),
        &[],
        &["it is a program for", "riscv64-linux-gnu-gcc"],
    );
    refused(
        &put(dir.path(), "script", b"#!/bin/sh\nexit 0\n", 0o755),
        &[],
        &["script"],
    );
    refused(
        &put(dir.path(), "text", b"hello", 0o755),
        &[],
        &["not an ELF file"],
    );
    refused(
        &put(dir.path(), "empty", b"", 0o755),
        &[],
        &["not an ELF file"],
    );
    refused(
        &put(dir.path(), "bits32", &changed(4, 1), 0o755),
        &[],
        &["32-bit"],
    );
    refused(
        &put(dir.path(), "object", &changed(16, 1), 0o755),
        &[],
        &["object file"],
    );
    refused(
        &put(dir.path(), "data", &changed(68, 4), 0o755),
        &[],
        &["no code"],
    );
    refused(
        &put(dir.path(), "cut", &program[..100], 0o755),
        &[],
        &["damaged"],
    );
    refused(
        &put(dir.path(), "plain", &program, 0o644),
        &[],
        &["it is not executable", "chmod +x"],
    );
    refused(Path::new("/dev/null"), &[], &["not a file"]);
}

#[test]
fn what_is_not_installed_is_named_with_where_to_get_it() {
    let dir = tempfile::tempdir().expect("a directory");
    let program = put(dir.path(), "program", &smallest_program(), 0o755);
    let cache = dir.path().join("cache");
    let cache = cache.to_str().expect("UTF-8");
    refused(
        &program,
        &[("PATH", "")],
        &[
            "qemu-riscv64",
            "apt-get install qemu-user",
            "LOOPSHEET_QEMU",
        ],
    );
    refused(
        &program,
        &[("LOOPSHEET_QEMU", "/no/qemu")],
        &["LOOPSHEET_QEMU", "/no/qemu"],
    );
    let qemu = put(dir.path(), "qemu", b"#!/bin/sh\nexit 3\n", 0o755);
    let qemu = ("LOOPSHEET_QEMU", qemu.to_str().expect("UTF-8"));
    refused(
        &program,
        &[qemu, ("PATH", ""), ("XDG_CACHE_HOME", cache)],
        &["no C compiler `cc`", "apt-get install gcc"],
    );
    refused(
        &program,
        &[qemu, ("XDG_CACHE_HOME", cache)],
        &["did not load the tracer (exit status 3)", "plugins"],
    );
}

#[test]
fn functions_are_looked_for_before_anything_runs() {
    let dir = tempfile::tempdir().expect("a directory");
    let program = put(dir.path(), "program", &smallest_program(), 0o755);
    let program = program.to_str().expect("UTF-8");
    let output = record(&["--function", "f", "--", program], &[("PATH", "")]);
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        said.contains("no function f") && said.contains("no symbols"),
        "{said}"
    );
    for usage in [
        &["--without-callees", "--", program][..],
        &["--limit", "0", "--", program],
        &["-o", "-"],
    ] {
        assert_eq!(record(usage, &[]).status.code(), Some(2), "{usage:?}");
    }
}
