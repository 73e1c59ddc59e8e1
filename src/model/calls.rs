//! How often functions are called, and what whole call paths cost.
//!
//! A nest's own figures are those of one call of its function. Here they are multiplied: a call site
//! runs as often as the loops around it say, and a function is called as often as all its sites together.
//! A run begins once with each entry; where there is none, with each function that nothing calls. Nothing is counted twice: operations of a body that
//! stands in place of its calls belong to the calling nest, those of any other body to that body.

mod circles;
mod costs;
mod elsewhere;
mod figures;
mod givers;
mod in_place;
mod outside_loops;
mod paths;
mod reached;
mod revisits;
mod times;
mod touched;

use std::collections::{BTreeSet, HashMap, HashSet};

use super::nest::{ChainLoop, Content, Nest, Weight, block_contents, side};
use crate::analysis::facts::{
    Block, Body, Call, FunctionKey, Handed, Item, Loop, Program, Recursion, Rest,
};
use crate::expr::{Expr, Symbol};
pub use costs::{CallPath, Calls, Costs, FunctionFigures, SiteFigures};
pub(super) use elsewhere::left_out;
pub(super) use figures::runs;
use givers::Givers;
pub(super) use in_place::nests as nests_of_bodies_in_place;
pub use reached::Reached;
pub use revisits::Revisits;
pub(super) use revisits::{LoopPlace, Scene, define as revisits};
pub(super) use times::{Iterations, Times};

/// One call of a function of the program, where it stands.
#[derive(Clone)]
pub struct CallSite {
    /// Indices into the functions of the program.
    pub caller: usize,
    pub callee: usize,
    pub line: u32,
    /// It may also mean other procedures.
    pub is_ambiguous: bool,
    /// A nest that holds the innermost loop around the call, and how many loops that makes.
    loops: Option<(usize, usize)>,
    /// What the bounds and the conditions of the loops around it mention.
    around: Vec<Symbol>,
    /// Branches around the call inside that loop.
    weight: Weight,
    /// Of calls whose sizes fall from level to level: their mean size over the largest one.
    share: Option<Expr>,
    /// How often a library calls the callee for one execution of the call.
    times: Option<Expr>,
    /// What it hands over.
    handed: Vec<Handed>,
    /// Where the work of the callee outside its loops counts.
    rest: Rest,
}

/// A function that calls itself.
#[derive(Clone)]
struct Again {
    function: usize,
    recursion: Recursion,
    /// What its depth mentions.
    symbols: Vec<Symbol>,
    /// The calls.
    sites: Vec<CallSite>,
    /// For each call, the branches around the loops that it is in which only ask how deep the calls have gone.
    ends: Vec<Weight>,
}

/// Who calls whom, without recursion.
#[derive(Clone, Default)]
pub struct CallGraph {
    /// By callee, then in program order.
    pub sites: Vec<CallSite>,
    /// The functions that call themselves, in program order.
    again: Vec<Again>,
    /// Where runs begin, and what they come to; `None` where nothing says that a run begins there.
    pub reached: Option<Reached>,
    /// The functions whose calls are counted; `None` for all.
    counted: Option<HashSet<usize>>,
    /// Every function after all that it calls, and before those that give it to pointers.
    bottom_up: Vec<usize>,
    givers: Givers,
    /// What functions do outside loops; empty without sites.
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
        let entries = reached::entries(program);
        let mut sites = Vec::new();
        for (caller, function) in program.functions.iter().enumerate() {
            let mut found = Vec::new();
            each_call(
                &function.body,
                None,
                &Weight::new(),
                &mut |call, inside, weight| {
                    let keys = match &call.body {
                        Body::Function(key) => std::slice::from_ref(key),
                        // Where runs begin somewhere, only the calls that lead back there are not followed.
                        Body::Recursive(Some(key)) if !entries.is_empty() => {
                            std::slice::from_ref(key)
                        }
                        Body::OneOf(keys) if !entries.is_empty() => keys,
                        _ => return,
                    };
                    let loops = homes.of_loop(inside);
                    let around = around(loops, nests, call.share.iter().chain(&call.times));
                    for callee in keys.iter().filter_map(|key| index.get(key)) {
                        found.push(CallSite {
                            caller,
                            callee: *callee,
                            line: call.line,
                            is_ambiguous: matches!(call.body, Body::OneOf(_)),
                            loops,
                            around: around.clone(),
                            weight: weight.clone(),
                            share: call.share.clone(),
                            times: call.times.clone(),
                            handed: call.handed.clone(),
                            rest: call.rest,
                        });
                    }
                },
            );
            sites.extend(found);
        }
        drop_sites_in_place(program, &mut sites);
        let functions = program.functions.len();
        let mut circles = match entries.is_empty() {
            true => circles::drop_all(&mut sites, functions),
            false => circles::drop_backward(&mut sites, functions, &entries),
        };
        sites.sort_by_key(|site| site.callee);
        let again = again((program, nests), &mut circles.again);
        let reached =
            (!entries.is_empty()).then(|| Reached::of(entries, &sites, &circles, (program, nests)));
        let givers = match &reached {
            Some(reached) => Givers::of(program, &index, &sites, &|f| reached.includes(f)),
            None => Givers::default(),
        };
        let givers = givers.before_given(&sites, &mut circles.bottom_up);
        if sites.is_empty() {
            return CallGraph {
                reached,
                ..CallGraph::default()
            };
        }
        let mut is_called = vec![false; functions];
        sites.iter().for_each(|site| is_called[site.callee] = true);
        // A body without loops that no site calls is counted where it stands in place of its calls.
        let straight = program
            .functions
            .iter()
            .zip(is_called)
            .map(|(function, is_called)| {
                if is_called || function.is_entry || !function.body.loops().is_empty() {
                    block_contents(&function.body)
                } else {
                    Vec::new()
                }
            });
        let straight = straight.collect();
        CallGraph {
            sites,
            reached,
            counted: None,
            again,
            bottom_up: circles.bottom_up,
            givers,
            straight,
        }
    }

    /// Without the calls that do not lead to these functions, or any if nothing is ranked by calls.
    pub(super) fn towards(self, functions: impl Iterator<Item = usize>) -> CallGraph {
        let wanted = match &self.reached {
            Some(_) => Reached::on_the_way(&self.sites, &self.givers, functions),
            None => HashSet::new(),
        };
        let mut sites = self.sites;
        sites.retain(|site| wanted.contains(&site.callee));
        let mut again = self.again;
        again.retain(|again| wanted.contains(&again.function));
        CallGraph {
            sites,
            again,
            counted: Some(wanted),
            ..self
        }
    }

    fn counts(&self, function: usize) -> bool {
        let counted = self.counted.as_ref();
        counted.is_none_or(|counted| counted.contains(&function))
    }

    /// The nests whose loops are around calls.
    pub(super) fn homes(&self) -> HashSet<usize> {
        let again = self.again.iter().flat_map(|again| &again.sites);
        (self.sites.iter().chain(again))
            .filter_map(|site| Some(site.loops?.0))
            .collect()
    }

    /// Every function before all that it calls.
    pub(super) fn top_down(&self, functions: usize) -> Vec<usize> {
        match self.bottom_up.is_empty() {
            true => (0..functions).collect(),
            false => self.bottom_up.iter().rev().copied().collect(),
        }
    }

    /// The call sites in every function, by callee.
    fn sites_by_caller(&self) -> Vec<Vec<usize>> {
        let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); self.straight.len()];
        self.sites
            .iter()
            .enumerate()
            .for_each(|(index, site)| leaving[site.caller].push(index));
        leaving
    }

    /// The call sites of every function, in program order.
    pub(super) fn by_callee(&self, functions: usize) -> Vec<Vec<usize>> {
        let mut arriving: Vec<Vec<usize>> = vec![Vec::new(); functions];
        (self.sites.iter().enumerate()).for_each(|(index, site)| arriving[site.callee].push(index));
        arriving
    }

    /// Symbols of functions that only calls mention.
    pub(super) fn symbols(&self) -> impl Iterator<Item = (usize, &Symbol)> {
        let again = self.again.iter().flat_map(|again| &again.sites);
        let sites = self.sites.iter().chain(again);
        let depths = self.again.iter().flat_map(|again| {
            let symbols = again.symbols.iter();
            symbols.map(|symbol| (again.function, symbol))
        });
        let around = sites.map(|site| (site.caller, &site.weight));
        let straight = self.straight.iter().enumerate();
        let straight = straight
            .flat_map(|(function, contents)| contents.iter().map(move |c| (function, &c.weight)));
        around
            .chain(straight)
            .flat_map(|(function, weight)| weight.iter().map(move |(branch, _)| (function, branch)))
            .chain(depths)
    }

    /// How the function calls itself.
    fn again(&self, function: usize) -> Option<&Again> {
        let mut again = self.again.iter();
        again.find(|again| again.function == function)
    }

    /// What the calls of a function by itself depend on.
    pub(super) fn symbols_of_recursion(&self, function: usize) -> impl Iterator<Item = &Symbol> {
        self.again(function).into_iter().flat_map(|again| {
            let sites = again.sites.iter().flat_map(CallSite::symbols);
            again.symbols.iter().chain(sites)
        })
    }
}

impl CallSite {
    /// The loops around it, and the branches inside the innermost of them.
    pub(super) fn way<'n, 'p>(&self, nests: &'n [Nest<'p>]) -> (&'n [ChainLoop<'p>], &Weight) {
        let loops = self
            .loops
            .map_or(&[][..], |(nest, level)| &nests[nest].loops[..level]);
        (loops, &self.weight)
    }

    /// What the number of calls in one of the caller mentions.
    pub(super) fn symbols(&self) -> impl Iterator<Item = &Symbol> {
        let branches = self.weight.iter().map(|(branch, _)| branch);
        self.around.iter().chain(branches)
    }
}

/// The functions with these calls of themselves.
fn again((program, nests): (&Program, &[Nest]), sites: &mut [CallSite]) -> Vec<Again> {
    sites.sort_by_key(|site| site.callee);
    (sites.chunk_by(|a, b| a.callee == b.callee))
        .filter_map(|sites| {
            let function = sites[0].callee;
            let recursion = program.functions[function].recursion.clone()?;
            let ends = sites.iter().map(|site| {
                let mut around = Weight::new();
                for chain_loop in site.way(nests).0 {
                    around.extend(chain_loop.weight.iter().cloned());
                }
                around.retain(|(branch, _)| recursion.ends.contains(branch));
                around
            });
            let ends = ends.collect();
            Some(Again {
                function,
                ends,
                symbols: recursion.depth.symbols(),
                recursion,
                sites: sites.to_vec(),
            })
        })
        .collect()
}

/// What the bounds and the conditions of the loops around a call mention, and its share and the like.
fn around<'e>(
    loops: Option<(usize, usize)>,
    nests: &[Nest],
    own: impl Iterator<Item = &'e Expr>,
) -> Vec<Symbol> {
    let chain = loops.map_or(&[][..], |(nest, level)| &nests[nest].loops[..level]);
    let mut found: BTreeSet<Symbol> = own.flat_map(Expr::symbols).collect();
    for one in chain {
        let bounds = [&one.facts.lower, &one.facts.upper, &one.facts.step];
        found.extend(bounds.into_iter().flat_map(Expr::symbols));
        found.extend(one.weight.iter().map(|(branch, _)| branch.clone()));
    }
    found.into_iter().collect()
}

/// Where the loops of a program are among the nests.
pub(super) struct Homes(HashMap<*const Loop, (usize, usize)>);

impl Homes {
    pub fn of<'n, 'p: 'n>(nests: impl IntoIterator<Item = &'n Nest<'p>>) -> Homes {
        let mut homes = HashMap::new();
        for (number, nest) in nests.into_iter().enumerate() {
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
                || caller.is_entry
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
