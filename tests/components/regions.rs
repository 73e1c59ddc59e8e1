//! Regions of traces against nm and addr2line of GNU binutils, and against what was written in the source.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::support::command;
use crate::support::settings::edag_only;
use loopsheet_dataflow::{MemoryRule, Rules};
use loopsheet_metrics::analysis::Analysis;
use loopsheet_metrics::counted::Counted;
use loopsheet_regions::{Granularity, LikelyBase, Place, Placement, QEMU_BASE, RegionError};
use loopsheet_trace::{self as trace, Options, UnknownPolicy};
use tempfile::TempDir;

const C: &str = "riscv64-linux-gnu-gcc";
const FORTRAN: &str = "riscv64-linux-gnu-gfortran";

/// A program and its trace.
struct Traced {
    dir: TempDir,
    elf: Vec<u8>,
    trace: Vec<u8>,
}

fn fixture(name: &str) -> PathBuf {
    command::fixture("regions").join(name)
}

fn traced(compiler: &str, flags: &[&str], source: &str) -> Traced {
    let dir = tempfile::tempdir().expect("a directory");
    let (program, trace) = (dir.path().join("nests"), dir.path().join("trace"));
    let mut compile = Command::new(compiler);
    compile
        .args(flags)
        .arg("-o")
        .arg(&program)
        .arg(fixture(source))
        .stderr(Stdio::null());
    let status = compile
        .status()
        .unwrap_or_else(|e| panic!("{compiler} can be run: {e}"));
    assert!(status.success(), "{compiler} {flags:?} {source}");
    let mut record = command::recorder(dir.path());
    record
        .arg("record")
        .arg("-o")
        .arg(&trace)
        .arg("--")
        .arg(&program)
        .stdin(Stdio::null());
    let output = record.output().expect("it runs");
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let trace = std::fs::read_to_string(&trace).expect("a trace");
    let trace = trace.strip_suffix("# end: exit status 0\n");
    Traced {
        elf: std::fs::read(&program).expect("a program"),
        trace: trace.expect("the run's end is the last line").into(),
        dir,
    }
}

type Placed = (Counted, Result<Vec<Place>, RegionError>, Vec<u32>);

/// Also the region of each distinct instruction.
fn place(trace: &[u8], elf: &[u8], by: Granularity, base: Option<u64>) -> Placed {
    let mut placement =
        Placement::new(elf, "nests", by, base).expect("a program with symbols and lines");
    let mut of_instructions = Vec::new();
    let mut region_of = |instruction: &trace::Instruction| {
        of_instructions.push(placement.region_of(instruction));
        of_instructions[of_instructions.len() - 1]
    };
    let settings = edag_only(Rules {
        memory: MemoryRule::Bytes,
        false_dependences: false,
    });
    let mut analysis = Analysis::new(settings, Some(&mut region_of)).expect("sound settings");
    let options = Options {
        format: None,
        unknown: UnknownPolicy::Refuse,
    };
    trace::stream(std::io::Cursor::new(trace.to_vec()), options, &mut analysis).expect("a trace");
    let counted = analysis.finish(true);
    (counted, placement.finish(), of_instructions)
}

/// Executed instructions and most executions of one instruction, by name of the region.
fn regions(traced: &Traced, by: Granularity) -> BTreeMap<String, (u64, u64)> {
    let (counted, places, of_instructions) = place(&traced.trace, &traced.elf, by, None);
    let places = places.expect("its own program");
    let lines = traced.trace.iter().filter(|byte| **byte == b'\n').count() as u64;
    assert_eq!(
        counted
            .regions
            .iter()
            .map(|region| region.instructions)
            .sum::<u64>(),
        lines,
        "{by:?}"
    );
    assert_eq!(of_instructions.len(), counted.executions.len());
    assert_eq!(places.len(), counted.regions.len());
    let mut found: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for (region, executions) in of_instructions.iter().zip(&counted.executions) {
        let (sum, most) = found
            .entry(places[*region as usize].name.clone())
            .or_default();
        *sum += executions;
        *most = (*most).max(*executions);
    }
    for (place, region) in places.iter().zip(&counted.regions) {
        assert!(
            found[&place.name].0 >= region.instructions,
            "{}",
            place.name
        );
    }
    found
}

fn tool(name: &str, arguments: &[&str], input: &str) -> String {
    let mut child = Command::new(name)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|e| panic!("{name} can be run: {e}"));
    let mut pipe = child.stdin.take().expect("a pipe");
    let input = input.to_string();
    let writer = std::thread::spawn(move || pipe.write_all(input.as_bytes()));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("no panic").expect("all is written");
    String::from_utf8(output.stdout).expect("text")
}

/// Executions of every address.
fn executions(traced: &Traced) -> BTreeMap<u64, u64> {
    let mut found = BTreeMap::new();
    for line in String::from_utf8_lossy(&traced.trace).lines() {
        let pc = line.split(", 0x").nth(1).expect("an address");
        *found
            .entry(u64::from_str_radix(pc, 16).expect("hexadecimal"))
            .or_default() += 1;
    }
    found
}

#[test]
fn functions_have_what_nm_says() {
    let traced = traced(C, &["-O2", "-g", "-static"], "nests.c");
    let found = regions(&traced, Granularity::Function);
    let program = traced.dir.path().join("nests");
    let symbols = tool(
        "riscv64-linux-gnu-nm",
        &["-S", program.to_str().expect("UTF-8")],
        "",
    );
    let executions = executions(&traced);
    for name in ["main", "multiply", "search", "digits", "__printf_fp_l"] {
        let symbol = symbols
            .lines()
            .find(|line| line.ends_with(&format!(" {name}")))
            .expect("a symbol");
        let mut numbers = symbol
            .split(' ')
            .map(|text| u64::from_str_radix(text, 16).unwrap_or(0));
        let (low, size) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        let inside: u64 = executions
            .range(low..low + size)
            .map(|(_, count)| count)
            .sum();
        assert_eq!(
            found.get(name).map_or(0, |region| region.0),
            inside,
            "{name}"
        );
    }
    assert!(
        !found.contains_key("outside nests"),
        "a static program is all there is"
    );
}

#[test]
fn lines_are_those_of_addr2line() {
    for (compiler, source) in [(C, "nests.c"), (FORTRAN, "nests.f90")] {
        for level in ["-O0", "-O2"] {
            let traced = traced(compiler, &[level, "-g", "-static"], source);
            let found = regions(&traced, Granularity::Line);
            let executions = executions(&traced);
            let addresses: Vec<String> = executions.keys().map(|pc| format!("{pc:#x}\n")).collect();
            let program = traced.dir.path().join("nests");
            let lines = tool(
                "riscv64-linux-gnu-addr2line",
                &["-e", program.to_str().expect("UTF-8")],
                &addresses.concat(),
            );
            let mut expected: BTreeMap<String, u64> = BTreeMap::new();
            for (line, count) in lines.lines().zip(executions.values()) {
                let line = line.split(" (discriminator").next().expect("a piece");
                let name = line.rsplit('/').next().expect("a piece");
                let is_known = name.starts_with("nests.") && !name.ends_with(":?");
                *expected
                    .entry(
                        if is_known {
                            name
                        } else {
                            "no line information"
                        }
                        .to_string(),
                    )
                    .or_default() += count;
            }
            let found: BTreeMap<String, u64> = found
                .into_iter()
                .map(|(name, (sum, _))| (name, sum))
                .collect();
            assert_eq!(found, expected, "{source} {level}");
            assert!(found.len() > 10, "{found:?}");
        }
    }
}

/// Name, iterations and entries of the loops marked in a fixture.
fn marked(source: &str) -> Vec<(String, u64, u64)> {
    let text = std::fs::read_to_string(fixture(source)).expect("a fixture");
    let marks = text
        .lines()
        .enumerate()
        .filter_map(|(number, line)| Some((number + 1, line.split("loop: ").nth(1)?)));
    marks
        .map(|(line, mark)| {
            let mut words = mark.split([' ', ',']).filter(|word| !word.is_empty());
            let function = words.next().expect("a function");
            let mut next = words.next();
            let mut name = format!("{function}@{line}");
            if next == Some("in") {
                name = format!("{name} (in {})", words.next().expect("a caller"));
                next = words.next();
            }
            let number =
                |text: Option<&str>| text.and_then(|text| text.parse().ok()).expect("a number");
            let iterations = number(next);
            assert_eq!(words.next(), Some("of"));
            (name, iterations, number(words.next()))
        })
        .collect()
}

#[test]
fn loops_are_those_of_the_source() {
    for (compiler, source) in [(C, "nests.c"), (FORTRAN, "nests.f90")] {
        for level in ["-O0", "-O1", "-O2"] {
            let traced = traced(compiler, &[level, "-g", "-static", "-fno-inline"], source);
            let found = regions(&traced, Granularity::Loop);
            let marked = marked(source);
            for (name, iterations, entries) in &marked {
                let Some((_, most)) = found.get(name) else {
                    panic!("{source} {level}: no {name} in {found:#?}")
                };
                let possible = *iterations..=iterations + entries;
                assert!(
                    possible.contains(most),
                    "{source} {level}: {name} is executed {most} times, not {possible:?}"
                );
            }
            let is_own = |name: &&String| name.contains('@');
            let unexpected = found
                .keys()
                .filter(is_own)
                .filter(|name| !marked.iter().any(|mark| mark.0 == **name));
            // gfortran makes loops of its own of the assignments to whole arrays and of sum.
            let unexpected: Vec<&String> = unexpected
                .filter(|name| !name.starts_with("MAIN__@"))
                .collect();
            assert_eq!(unexpected, Vec::<&String>::new(), "{source} {level}");
            let function = if compiler == C {
                "multiply (no loop)"
            } else {
                "smooth_ (no loop)"
            };
            assert!(found.contains_key(function), "{source} {level}: {found:#?}");
        }
    }
}

#[test]
fn without_debug_information_loops_have_addresses_and_lines_are_refused() {
    let traced = traced(C, &["-O2", "-static"], "nests.c");
    let found = regions(&traced, Granularity::Loop);
    assert!(
        found
            .iter()
            .any(|(name, (_, most))| name.starts_with("multiply+0x") && *most == 5184),
        "{found:#?}"
    );
    let refused = |by| Placement::new(&traced.elf, "nests", by, None).err();
    assert_eq!(refused(Granularity::Line), Some(RegionError::NoLines));
    let program = traced.dir.path().join("nests");
    assert_eq!(
        tool(
            "riscv64-linux-gnu-strip",
            &[program.to_str().expect("UTF-8")],
            ""
        ),
        ""
    );
    let stripped = std::fs::read(&program).expect("a program");
    let refused = |by| Placement::new(&stripped, "nests", by, None).err();
    assert_eq!(refused(Granularity::Function), Some(RegionError::NoSymbols));
    assert_eq!(refused(Granularity::Loop), Some(RegionError::NoSymbols));
}

#[test]
fn compressed_debug_sections_say_the_same() {
    let plain = traced(C, &["-O1", "-g", "-static"], "nests.c");
    let packed = traced(C, &["-O1", "-g", "-static", "-gz=zlib"], "nests.c");
    assert!(packed.elf.len() < plain.elf.len());
    let program = Placement::new(&packed.elf, "nests", Granularity::Line, None);
    assert!(program.is_ok(), "{:?}", program.err());
    let of_own_code = |traced: &Traced| {
        let mut found = regions(traced, Granularity::Line);
        found.remove("no line information");
        found
    };
    assert_eq!(of_own_code(&plain), of_own_code(&packed));
}

#[test]
fn position_independent_programs_are_where_qemu_loads_them() {
    let traced = traced(C, &["-O1", "-g", "-pie", "-fPIE"], "nests.c");
    let found = regions(&traced, Granularity::Loop);
    for (name, iterations, _) in marked("nests.c") {
        assert!(
            found
                .get(&name)
                .is_some_and(|(_, most)| *most >= iterations),
            "{name} {found:#?}"
        );
    }
    assert!(found.contains_key("outside nests"), "{found:#?}");
    let at = |base| {
        place(
            &traced.trace,
            &traced.elf,
            Granularity::Function,
            Some(base),
        )
        .1
    };
    assert!(at(QEMU_BASE).is_ok());
    let likely_base = LikelyBase::At(QEMU_BASE);
    let elsewhere = QEMU_BASE + (1 << 32);
    assert_eq!(
        at(elsewhere),
        Err(RegionError::NothingInside {
            base: elsewhere,
            likely_base
        })
    );
}

#[test]
fn another_program_is_refused() {
    let right = traced(C, &["-O2", "-g", "-static"], "nests.c");
    let wrong = traced(C, &["-O1", "-g", "-static"], "nests.c");
    let refused = place(&right.trace, &wrong.elf, Granularity::Function, None)
        .1
        .expect_err("another program");
    assert!(
        matches!(
            refused,
            RegionError::Differs {
                likely_base: LikelyBase::Fixed,
                ..
            }
        ),
        "{refused}"
    );
    let fixed = Placement::new(&right.elf, "nests", Granularity::Function, Some(0x1000)).err();
    assert_eq!(fixed, Some(RegionError::FixedBase));

    // The same trace without machine words.
    let edan: String = String::from_utf8_lossy(&right.trace)
        .lines()
        .map(|line| {
            let parts: Vec<&str> = line.split('"').collect();
            let pc = parts[0].split(", ").nth(1).expect("an address");
            let access = parts[2]
                .split(", ")
                .nth(2)
                .map_or(String::new(), |address| format!(";{address}"));
            format!("0;{pc};{}{access}\n", parts[1])
        })
        .collect();
    let (_, places, _) = place(edan.as_bytes(), &right.elf, Granularity::Function, None);
    assert!(places.is_ok(), "{:?}", places.err());
    let (_, places, _) = place(edan.as_bytes(), &wrong.elf, Granularity::Function, None);
    assert!(
        matches!(places, Err(RegionError::Differs { .. })),
        "{places:?}"
    );
}
