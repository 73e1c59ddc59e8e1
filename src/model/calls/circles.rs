//! Recursion: circles of calls are cut, so that every function comes after all that it calls.

use petgraph::graph::{DiGraph, NodeIndex};

use super::CallSite;

/// The order of functions without the calls that were dropped.
pub(super) struct Circles {
    /// Every function after all that it calls.
    pub bottom_up: Vec<usize>,
    /// Functions that dropped calls lead back to.
    pub recursive: Vec<usize>,
    /// The dropped calls of functions by themselves.
    pub again: Vec<CallSite>,
}

/// Drops all calls between functions that lead back to each other.
pub(super) fn drop_all(sites: &mut Vec<CallSite>, functions: usize) -> Circles {
    let mut graph: DiGraph<(), (), u32> = DiGraph::with_capacity(functions, sites.len());
    for _ in 0..functions {
        graph.add_node(());
    }
    for site in sites.iter() {
        graph.add_edge(NodeIndex::new(site.caller), NodeIndex::new(site.callee), ());
    }
    let components = petgraph::algo::kosaraju_scc(&graph);
    let mut component = vec![0; functions];
    for (number, members) in components.iter().enumerate() {
        members
            .iter()
            .for_each(|member| component[member.index()] = number);
    }
    sites.retain(|site| component[site.caller] != component[site.callee]);
    Circles {
        bottom_up: components
            .into_iter()
            .flatten()
            .map(NodeIndex::index)
            .collect(),
        recursive: Vec::new(),
        again: Vec::new(),
    }
}

/// How far a function has been followed.
#[derive(Clone, Copy, PartialEq)]
enum Visit {
    Not,
    UnderWay,
    Done,
}

/// Drops the calls that lead back to a function that is under way, followed from the entries on and then from whatever
/// they do not come to. So each function of a circle that a run enters is called at least as often as it is entered.
pub(super) fn drop_backward(
    sites: &mut Vec<CallSite>,
    functions: usize,
    entries: &[usize],
) -> Circles {
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); functions];
    (sites.iter().enumerate()).for_each(|(index, site)| leaving[site.caller].push(index));
    let mut visits = vec![Visit::Not; functions];
    let mut is_backward = vec![false; sites.len()];
    let mut bottom_up = Vec::with_capacity(functions);
    for first in entries.iter().copied().chain(0..functions) {
        if visits[first] != Visit::Not {
            continue;
        }
        visits[first] = Visit::UnderWay;
        // Functions under way with the calls that are left to follow.
        let mut stack = vec![(first, leaving[first].iter())];
        while let Some((function, rest)) = stack.last_mut() {
            let Some(index) = rest.next() else {
                visits[*function] = Visit::Done;
                bottom_up.push(*function);
                stack.pop();
                continue;
            };
            let callee = sites[*index].callee;
            match visits[callee] {
                Visit::Not => {
                    visits[callee] = Visit::UnderWay;
                    stack.push((callee, leaving[callee].iter()));
                }
                Visit::UnderWay => is_backward[*index] = true,
                Visit::Done => {}
            }
        }
    }
    let backward = || sites.iter().zip(&is_backward).filter(|(_, is)| **is);
    let recursive = backward().map(|(site, _)| site.callee).collect();
    let by_itself = |site: &&CallSite| site.caller == site.callee;
    let again = backward().map(|(site, _)| site).filter(by_itself);
    let again = again.cloned().collect();
    let mut kept = is_backward.iter().map(|is_backward| !is_backward);
    sites.retain(|_| kept.next().unwrap_or(true));
    Circles {
        bottom_up,
        recursive,
        again,
    }
}
