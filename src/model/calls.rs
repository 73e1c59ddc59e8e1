//! How often functions are called, and what whole call paths cost.
//!
//! A nest's own figures are those of one call of its function. Here they are multiplied: a call site
//! runs as often as the loops around it say, a function is called as often as all its sites together,
//! and a function that nothing calls is run once. Nothing is counted twice: operations of a body that
//! stands in place of its calls belong to the calling nest, those of any other body to that body.

mod costs;
mod figures;
mod paths;

use std::collections::{HashMap, HashSet};

use petgraph::graph::{DiGraph, NodeIndex};

use super::nest::{Content, Nest, Weight, block_contents, side};
use crate::analysis::facts::{Block, Body, Call, FunctionKey, Item, Loop, Program};
use crate::expr::Symbol;
pub use costs::{CallPath, Calls, Costs, FunctionFigures, SiteFigures};
pub(super) use figures::runs;

/// One call of a function of the program, where it stands.
pub struct CallSite {
    /// Indices into the functions of the program.
    pub caller: usize,
    pub callee: usize,
    pub line: u32,
    /// A nest that holds the innermost loop around the call, and how many loops that makes.
    loops: Option<(usize, usize)>,
    /// Branches around the call inside that loop.
    weight: Weight,
}

/// Who calls whom, without recursion.
#[derive(Default)]
pub struct CallGraph {
    /// By callee, then in program order.
    pub sites: Vec<CallSite>,
    /// Every function after all that it calls.
    bottom_up: Vec<usize>,
    /// What functions do outside of loops; empty without sites.
    straight: Vec<Vec<Content>>,
}

impl CallGraph {
    pub fn collect(program: &Program, nests: &[Nest]) -> CallGraph {
        let index: HashMap<FunctionKey, usize> = program
            .functions
            .iter()
            .enumerate()
            .rev()
            .map(|(index, function)| (function.key(), index))
            .collect();
        let homes = Homes::of(nests);
        let mut sites = Vec::new();
        for (caller, function) in program.functions.iter().enumerate() {
            let mut found = Vec::new();
            each_call(
                &function.body,
                None,
                &Weight::new(),
                &mut |call, inside, weight| {
                    let Body::Function(key) = &call.body else {
                        return;
                    };
                    if let Some(callee) = index.get(key) {
                        let (line, weight) = (call.line, weight.clone());
                        found.push(CallSite {
                            caller,
                            callee: *callee,
                            line,
                            loops: homes.of_loop(inside),
                            weight,
                        });
                    }
                },
            );
            sites.extend(found);
        }
        if sites.is_empty() {
            return CallGraph::default();
        }
        drop_sites_in_place(program, &mut sites);
        let bottom_up = without_recursion(&mut sites, program.functions.len());
        sites.sort_by_key(|site| site.callee);
        let mut is_called = vec![false; program.functions.len()];
        sites.iter().for_each(|site| is_called[site.callee] = true);
        // A body without loops that no site calls is counted where it stands in place of its calls.
        let straight = program
            .functions
            .iter()
            .zip(is_called)
            .map(|(function, is_called)| {
                if is_called || !function.body.loops().is_empty() {
                    block_contents(&function.body)
                } else {
                    Vec::new()
                }
            });
        let straight = straight.collect();
        CallGraph {
            sites,
            bottom_up,
            straight,
        }
    }

    /// The call sites in every function, by callee.
    fn by_caller(&self) -> Vec<Vec<usize>> {
        let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); self.straight.len()];
        self.sites
            .iter()
            .enumerate()
            .for_each(|(index, site)| leaving[site.caller].push(index));
        leaving
    }

    /// Symbols of functions that only calls mention.
    pub(super) fn symbols(&self) -> impl Iterator<Item = (usize, &Symbol)> {
        let around = self.sites.iter().map(|site| (site.caller, &site.weight));
        let straight = self.straight.iter().enumerate();
        let straight = straight
            .flat_map(|(function, contents)| contents.iter().map(move |c| (function, &c.weight)));
        around
            .chain(straight)
            .flat_map(|(function, weight)| weight.iter().map(move |(branch, _)| (function, branch)))
    }
}

/// Where the loops of a program are among the nests.
pub(super) struct Homes(HashMap<*const Loop, (usize, usize)>);

impl Homes {
    pub fn of(nests: &[Nest]) -> Homes {
        let mut homes = HashMap::new();
        for (number, nest) in nests.iter().enumerate() {
            for (level, chain_loop) in (1..).zip(&nest.loops) {
                homes
                    .entry(std::ptr::from_ref(chain_loop.facts))
                    .or_insert((number, level));
            }
        }
        Homes(homes)
    }

    /// A nest that holds the loop, and how many of its loops end with it.
    pub fn of_loop(&self, inside: Option<&Loop>) -> Option<(usize, usize)> {
        self.0.get(&std::ptr::from_ref(inside?)).copied()
    }
}

type Visit<'v, 'p> = &'v mut dyn FnMut(&'p Call, Option<&'p Loop>, &Weight);

/// Every call in a block, with the innermost loop around it and the branches inside that loop.
pub(super) fn each_call<'p>(
    block: &'p Block,
    inside: Option<&'p Loop>,
    weight: &Weight,
    visit: Visit<'_, 'p>,
) {
    block
        .calls
        .iter()
        .for_each(|call| visit(call, inside, weight));
    for item in &block.items {
        match item {
            Item::Loop(inner) => each_call(&inner.body, Some(inner), &Weight::new(), visit),
            Item::Branch(branch) => {
                each_call(
                    &branch.then,
                    inside,
                    &side(weight, &branch.probability, true),
                    visit,
                );
                if let Some(otherwise) = &branch.otherwise {
                    each_call(
                        otherwise,
                        inside,
                        &side(weight, &branch.probability, false),
                        visit,
                    );
                }
            }
        }
    }
}

/// Drops the sites of bodies that only run in place of their calls: what they call is counted there too, and they are
/// no functions that are run once by themselves.
fn drop_sites_in_place(program: &Program, sites: &mut Vec<CallSite>) {
    let mut expanded = HashSet::new();
    for function in &program.functions {
        expanded_names(&function.body, &mut expanded);
    }
    loop {
        let mut is_called = vec![false; program.functions.len()];
        sites.iter().for_each(|site| is_called[site.callee] = true);
        let count = sites.len();
        sites.retain(|site| {
            let caller = &program.functions[site.caller];
            is_called[site.caller]
                || !expanded.contains(caller.name.as_str())
                || !caller.body.loops().is_empty()
        });
        if sites.len() == count {
            return;
        }
    }
}

fn expanded_names<'p>(block: &'p Block, found: &mut HashSet<&'p str>) {
    let expanded = block
        .calls
        .iter()
        .filter(|call| call.body == Body::Expanded);
    found.extend(expanded.map(|call| call.name.as_str()));
    for item in &block.items {
        match item {
            Item::Loop(inner) => expanded_names(&inner.body, found),
            Item::Branch(branch) => {
                expanded_names(&branch.then, found);
                branch
                    .otherwise
                    .iter()
                    .for_each(|block| expanded_names(block, found));
            }
        }
    }
}

/// Drops calls that lead back to their caller. Gives the functions, callees first.
fn without_recursion(sites: &mut Vec<CallSite>, functions: usize) -> Vec<usize> {
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
    components
        .into_iter()
        .flatten()
        .map(NodeIndex::index)
        .collect()
}
