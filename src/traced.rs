//! From the counts of a trace to its report: names and notes.

use std::collections::BTreeMap;
use std::io::Read;
use std::num::NonZeroU32;

use crate::dataflow::MemoryRule;
use crate::graph::Edag;
use crate::metrics::analysis::Analysis;
use crate::metrics::counted::Counted;
use crate::metrics::epoch::Stores;
use crate::metrics::report::{Inputs, Region, TraceReport, TraceSummary};
use crate::metrics::settings::Settings;
use crate::trace::isa::Class;
use crate::trace::{self, Instruction, Options, ReadSummary};

/// Reads a whole trace and counts what is asked for.
///
/// # Errors
/// It cannot be read, has no addresses where they are needed, or levels are not a hierarchy.
pub fn pass(
    input: impl Read + Send,
    options: Options,
    settings: Settings,
) -> anyhow::Result<(ReadSummary, Counted)> {
    let needs_addresses = settings.needs_addresses();
    let mut analysis = Analysis::new(settings, None)?;
    let read = trace::stream(input, options, &mut analysis)?;
    anyhow::ensure!(
        read.has_addresses || !needs_addresses,
        "caches, epochs and reuse distances need the addresses of accesses, which this trace ({}) does not have; \
         `loopsheet record` writes them",
        read.format
    );
    let has_addresses = read.has_addresses;
    Ok((read, analysis.finish(has_addresses)))
}

/// Everything that was found in the trace of this name.
pub fn of(
    path: String,
    settings: &Settings,
    inputs: &Inputs,
    read: &ReadSummary,
    counted: Counted,
    regions: Vec<Region>,
    graph: Option<&Edag>,
) -> TraceReport {
    let notes = notes(settings, inputs, read, &counted);
    // A schedule has whole slots and cycles.
    let slots =
        NonZeroU32::new(inputs.slots as u32).filter(|slots| f64::from(slots.get()) == inputs.slots);
    let schedule = match (graph, slots) {
        (Some(graph), Some(slots)) if read.has_addresses && inputs.latency.fract() == 0.0 => {
            Some(graph.greedy_schedule(slots, inputs.latency as u64))
        }
        _ => None,
    };
    let unknown = unknown(&counted);
    TraceReport {
        trace: TraceSummary {
            path,
            format: read.format.name(),
            instructions: read.instructions,
            bytes: read.bytes,
            harts: read.harts,
            unknown,
            distinct_instructions: counted.instructions.len() as u64,
            end: read.end,
        },
        mix: counted.mix,
        cache: counted.cache,
        inputs: *inputs,
        edag: counted.edag,
        movement: counted.movement,
        reuse: counted.reuse,
        remote: counted.remote,
        epochs: counted.epochs,
        memory_chain: counted.memory_chain,
        depth_by_latency: counted.depth_by_latency,
        depth_by_bandwidth: counted.depth_by_bandwidth,
        blame: counted.blame,
        objects: None,
        schedule,
        regions,
        camat: None,
        varied_cores: counted.varied_cores,
        placed: None,
        source: None,
        notes,
    }
}

/// Executions of each mnemonic that the table does not have.
fn unknown(counted: &Counted) -> BTreeMap<String, u64> {
    let mut unknown = BTreeMap::new();
    for (instruction, count) in counted.instructions.iter().zip(&counted.executions) {
        if instruction.decoded.facts.class == Class::Unknown {
            let mnemonic = instruction
                .text
                .split_whitespace()
                .next()
                .unwrap_or_default();
            *unknown.entry(mnemonic.to_string()).or_default() += count;
        }
    }
    unknown
}

/// What EDAN reads otherwise: it takes the names that stand in the text of a floating-point instruction.
fn integer_names(counted: &Counted) -> Option<String> {
    let says_none = |instruction: &&Instruction| {
        let facts = &instruction.decoded.facts;
        let mut read = facts.reads.iter();
        let (_, operands) = instruction.text.split_once([' ', '\t']).unwrap_or_default();
        let mut names = operands.split([',', '(', ')']).map(str::trim);
        read.any(|own| own.register.is_float())
            && !names.any(|name| name.starts_with('f') && name != "fp")
    };
    let found = counted.instructions.iter().find(says_none)?;
    Some(format!(
        "EDAN reads the names of integer registers that QEMU prints in some floating-point instructions, such as `{}`, as \
         integer registers; here they are the floating-point registers that the instruction has, so edges to and from them \
         differ",
        found.text.split_whitespace().collect::<Vec<_>>().join(" ")
    ))
}

/// What several harts have together, and what each has.
fn of_harts(settings: &Settings, read: &ReadSummary) -> Vec<String> {
    let mut notes = Vec::new();
    if read.harts > 1 && read.has_addresses {
        notes.push(format!(
            "C is that of the hart with most: the {} harts run side by side; T ≤ holds if none waits for values of another \
             one",
            read.harts
        ));
        if !settings.caches.is_empty() {
            let core = match &settings.core {
                Some(_) => {
                    "; the core of C-AMAT has the caches once for each hart, but for levels that are shared, so it misses otherwise"
                }
                None => "",
            };
            notes.push(format!(
                "the harts use one hierarchy of caches together, in the order of the trace, for what goes to RAM: the eDAG, bytes, \
                 epochs, and misses by line and object{core}"
            ));
        }
    }
    notes
}

fn notes(
    settings: &Settings,
    inputs: &Inputs,
    read: &ReadSummary,
    counted: &Counted,
) -> Vec<String> {
    let mut notes = Vec::new();
    let bad_end = read.end.filter(|end| !end.is_orderly());
    notes.extend(bad_end.map(|end| format!("the run ended {end}")));
    let unknown = unknown(counted);
    if !unknown.is_empty() {
        let named: Vec<String> = unknown
            .iter()
            .map(|(mnemonic, count)| format!("{mnemonic} {count} times"))
            .collect();
        notes.push(format!(
            "not in the table, so assumed to read and write nothing: {}",
            named.join(", ")
        ));
    }
    if !read.has_addresses {
        notes.push(format!(
            "this {} trace has no addresses of accesses: dependences through memory are not followed, and \
             everything about memory is unknown",
            read.format
        ));
    }
    if !read.format.has_opcodes() {
        notes.push(format!(
            "a {} trace has no opcodes: operations are unknown, including floating-point operations, and so are the widths \
             of accesses: each counts as one byte, so dependences through memory are by start address and bytes are known only in cache lines; an instruction that loads and stores elsewhere counts as two",
            read.format
        ));
    }
    if read.trapped > 0 {
        notes.push(format!(
            "{} instructions ended with a fault or an interrupt: they count where they are executed again",
            read.trapped
        ));
    }
    if settings.like_edan {
        notes.push(
            "counted as EDAN does: no vertices for nop, ret and ecall; through memory an access depends on the last \
             store to the same start address, so partial overlaps are missed; atomics always go to RAM"
                .to_string(),
        );
        notes.extend(integer_names(counted));
    }
    notes.extend(of_harts(settings, read));
    if settings.rules.false_dependences {
        notes.push(
            "write-after-read and write-after-write count for all paths; `edges` are the true dependences".to_string(),
        );
    }
    if settings.rules.memory == MemoryRule::Registers {
        notes.push("dependences through memory are not followed".to_string());
    }
    if inputs.slots.fract() != 0.0 || inputs.latency.fract() != 0.0 {
        notes.push(
            "a greedy schedule needs whole numbers of slots and cycles, so there is none"
                .to_string(),
        );
    }
    if let Some(epochs) = settings
        .epochs
        .as_ref()
        .filter(|_| counted.epochs.is_some())
    {
        notes.push(match epochs.stores {
            Stores::Blocking => "epochs: stores that miss are waited for".to_string(),
            Stores::Buffered => {
                "epochs: stores that miss wait in a buffer and cause no stall".to_string()
            }
        });
        if read.harts > 1 {
            notes.push(format!(
                "epochs: each of the {} harts has its own window and waits only for its own values; their epochs are \
                 added",
                read.harts
            ));
        }
    }
    if counted.dirty_bytes > 0 {
        notes.push(format!(
            "{} bytes are in changed cache lines at the end; they have not been moved and are not counted",
            counted.dirty_bytes
        ));
    }
    notes
}
