//! The call graph: callees before callers, recursion found.
//!
//! Summaries and templates of a procedure need those of its callees. The strongly connected components of the
//! graph come out in that order; a call inside one leads back to its caller, has no end to be computed from,
//! and becomes [`Target::Recursive`].

use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::FxHashMap;

use super::target::{ProcedureId, Target};

/// All procedures, callees before their callers. Calls within a strongly connected component become
/// [`Target::Recursive`].
pub fn bottom_up(targets: &mut [FxHashMap<&str, Target>]) -> Vec<ProcedureId> {
    let mut graph: DiGraph<(), (), u32> = DiGraph::with_capacity(targets.len(), targets.len());
    for _ in 0..targets.len() {
        graph.add_node(());
    }
    for (caller, names) in targets.iter().enumerate() {
        for target in names.values() {
            if let Target::Body(callee) = target {
                graph.add_edge(NodeIndex::new(caller), NodeIndex::new(callee.at()), ());
            }
        }
    }
    let components = petgraph::algo::kosaraju_scc(&graph);
    let mut component = vec![0; targets.len()];
    for (number, members) in components.iter().enumerate() {
        members
            .iter()
            .for_each(|member| component[member.index()] = number);
    }
    for (caller, names) in targets.iter_mut().enumerate() {
        for target in names.values_mut() {
            if let Target::Body(callee) = *target
                && component[callee.at()] == component[caller]
            {
                *target = Target::Recursive(callee);
            }
        }
    }
    components
        .into_iter()
        .flatten()
        .map(|node| ProcedureId(node.index() as u32))
        .collect()
}
