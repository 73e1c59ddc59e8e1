//! Which functions have to be called before a call through a pointer may mean another one.
//!
//! ```text
//! if (eam) initEam(p); else initLj(p);      initEam: p->force = eamForce;      initLj: p->force = ljForce;
//! …  p->force(s);                           means eamForce only if initEam is called
//! ```

use std::collections::{BTreeMap, HashMap, HashSet};

use super::CallSite;
use crate::analysis::facts::{FunctionKey, Program};

/// Of functions that calls through pointers may mean: those that give them to pointers.
#[derive(Clone, Default)]
pub(super) struct Givers(BTreeMap<usize, Vec<usize>>);

impl Givers {
    /// Of the functions that calls through pointers lead to. One of which a giver is not called as far as the sources say may
    /// be given by what they do not say: nothing is said of it.
    pub fn of(
        program: &Program,
        index: &HashMap<FunctionKey, usize>,
        sites: &[CallSite],
        is_called: &dyn Fn(usize) -> bool,
    ) -> Givers {
        let given = sites.iter().filter(|site| site.is_ambiguous);
        let of = |site: &CallSite| {
            let keys = &program.functions[site.callee].given_by;
            let givers = keys.iter().map(|key| index.get(key).copied());
            let givers: Vec<usize> = givers.collect::<Option<_>>()?;
            let is_known = !givers.is_empty() && givers.iter().all(|giver| is_called(*giver));
            is_known.then_some((site.callee, givers))
        };
        Givers(given.filter_map(of).collect())
    }

    /// Those that give a function to pointers; none if that is not known.
    pub fn of_function(&self, function: usize) -> &[usize] {
        self.0.get(&function).map_or(&[], Vec::as_slice)
    }

    /// Changes an order in which every function comes after all that it calls such that those that give functions come
    /// after these, too. What calls of a function lead to gives it while it runs: of such a function nothing is said.
    pub fn before_given(mut self, sites: &[CallSite], bottom_up: &mut Vec<usize>) -> Givers {
        if self.0.is_empty() {
            return self;
        }
        let mut below: Vec<Vec<usize>> = vec![Vec::new(); bottom_up.len()];
        sites
            .iter()
            .for_each(|site| below[site.caller].push(site.callee));
        self.0.retain(|function, givers| {
            let reached = all_below(&below, *function);
            if givers.iter().any(|giver| reached.contains(giver)) {
                return false;
            }
            givers
                .iter()
                .for_each(|giver| below[*giver].push(*function));
            true
        });
        *bottom_up = ordered(&below, bottom_up);
        self
    }
}

/// A function and all below it.
fn all_below(below: &[Vec<usize>], function: usize) -> HashSet<usize> {
    let (mut found, mut pending) = (HashSet::from([function]), vec![function]);
    while let Some(function) = pending.pop() {
        let next = below[function].iter().copied();
        pending.extend(next.filter(|function| found.insert(*function)));
    }
    found
}

/// Every function after all below it, else in the order before; there are no circles.
fn ordered(below: &[Vec<usize>], before: &[usize]) -> Vec<usize> {
    let mut is_met = vec![false; below.len()];
    let mut order = Vec::with_capacity(below.len());
    for first in before {
        if std::mem::replace(&mut is_met[*first], true) {
            continue;
        }
        let mut stack = vec![(*first, below[*first].iter())];
        while let Some((function, rest)) = stack.last_mut() {
            match rest.next() {
                None => {
                    order.push(*function);
                    stack.pop();
                }
                Some(next) if is_met[*next] => {}
                Some(next) => {
                    is_met[*next] = true;
                    stack.push((*next, below[*next].iter()));
                }
            }
        }
    }
    order
}
