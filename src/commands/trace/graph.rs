//! The graph of a short trace.

use crate::cli::{DependenceKind, TraceArgs};
use crate::graph::{Dependences, Edag, GraphError, Step, Touch};
use crate::metrics::counted::Counted;

/// The graph of a trace that is short enough and is followed as graphs are.
///
/// # Errors
/// `--graph` asks for one that cannot be drawn.
pub fn drawn(args: &TraceArgs, counted: &Counted) -> anyhow::Result<Option<Edag>> {
    let dependences = match args.dependences {
        DependenceKind::True => Dependences::True,
        DependenceKind::All => Dependences::All,
        DependenceKind::Register => {
            anyhow::ensure!(
                args.graph.is_none(),
                "--graph draws dependences through memory too, not --dependences register"
            );
            return Ok(None);
        }
    };
    let Some(kept) = &counted.kept else {
        let vertices = counted.edag.vertices as usize;
        return if args.graph.is_some() {
            Err(GraphError::TooLarge { vertices }.into())
        } else {
            Ok(None)
        };
    };
    let step = |execution: &crate::metrics::counted::Execution| {
        let instruction = &counted.instructions[execution.instruction.0 as usize];
        let facts = instruction.decoded.facts;
        let touch = |address: &u64| {
            execution.access.map(|access| Touch {
                address: *address,
                bytes: u32::from(access.bytes),
                kind: access.kind,
            })
        };
        Step {
            facts,
            label: instruction.text.to_string(),
            pc: instruction.pc,
            accesses: execution.addresses.iter().filter_map(touch).collect(),
            hart: u32::from(instruction.hart),
            misses: execution.to_ram,
            cycles: execution.cycles,
        }
    };
    let steps: Vec<Step> = kept.iter().map(step).collect();
    Ok(Some(Edag::new(&steps, dependences)?))
}
