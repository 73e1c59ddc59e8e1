//! Where programs call what moves data between processes.

use super::calls::{Homes, each_call};
use super::nest::{Nest, Weight};
use crate::analysis::facts::{Block, Body, Call, Communication, Halo, Item, Loop, Program};
use crate::expr::{Expr, Symbol};
use crate::message_passing::InterfaceKind;

/// One call between processes, where it stands.
pub struct MessageSite<'p> {
    /// Index into the functions of the program.
    pub function: usize,
    pub call: &'p Call,
    pub moved: &'p Communication,
    /// The innermost loop around it.
    pub inside: Option<&'p Loop>,
    pub(super) loops: Option<(usize, usize)>,
    pub(super) weight: Weight,
}

impl MessageSite<'_> {
    /// Every symbol that the call's figures mention, and whether it makes them larger.
    pub(super) fn symbols(&self, visit: &mut dyn FnMut(&Symbol, bool)) {
        let mut all = |expr: &Expr, is_size| {
            expr.symbols()
                .iter()
                .for_each(|symbol| visit(symbol, is_size));
        };
        let Communication {
            count,
            element_bytes,
            halo,
            kind,
            ..
        } = self.moved;
        count
            .iter()
            .chain(element_bytes)
            .for_each(|expr| all(expr, true));
        if let Some(Halo {
            components,
            width,
            extents,
        }) = halo
        {
            [components, width]
                .into_iter()
                .for_each(|expr| all(expr, false));
            extents.iter().for_each(|expr| all(expr, true));
        }
        if is_collective(*kind) {
            visit(&Symbol::processes(), true);
        }
        if *kind == InterfaceKind::Neighbours {
            visit(&Symbol::neighbours(), true);
        }
        self.weight
            .iter()
            .for_each(|(branch, _)| visit(branch, false));
    }
}

/// Every call between processes in program order, but those that only set something up.
pub fn collect<'p>(program: &'p Program, nests: &[Nest]) -> Vec<MessageSite<'p>> {
    let mut sites = Vec::new();
    let mut homes = None;
    for (function, facts) in program.functions.iter().enumerate() {
        if !communicates(&facts.body) {
            continue;
        }
        let homes = homes.get_or_insert_with(|| Homes::of(nests));
        let first = sites.len();
        each_call(
            &facts.body,
            None,
            &Weight::new(),
            &mut |call, inside, weight| {
                let Body::Communication(moved) = &call.body else {
                    return;
                };
                if moved.kind != InterfaceKind::Setup {
                    let (loops, weight) = (homes.of_loop(inside), weight.clone());
                    sites.push(MessageSite {
                        function,
                        call,
                        moved,
                        inside,
                        loops,
                        weight,
                    });
                }
            },
        );
        sites[first..].sort_by_key(|site: &MessageSite| site.call.line);
    }
    sites
}

fn communicates(block: &Block) -> bool {
    block
        .calls
        .iter()
        .any(|call| matches!(call.body, Body::Communication(_)))
        || block.items.iter().any(|item| match item {
            Item::Loop(inner) => communicates(&inner.body),
            Item::Branch(branch) => {
                communicates(&branch.then) || branch.otherwise.as_ref().is_some_and(communicates)
            }
        })
}

fn is_collective(kind: InterfaceKind) -> bool {
    use InterfaceKind::*;
    matches!(
        kind,
        Broadcast
            | Reduce
            | Allreduce
            | ReduceScatter
            | Scan
            | Gather
            | Allgather
            | Scatter
            | Alltoall
            | Barrier
    )
}
