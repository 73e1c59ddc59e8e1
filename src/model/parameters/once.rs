//! Probabilities of branches that a run takes once: one over the times that it comes to them.

use std::collections::BTreeMap;

use super::ParameterTable;
use crate::analysis::facts::{Block, Item, Origin, Program};
use crate::calls::CallGraph;
use crate::expr::{Expr, Symbol};
use crate::nest::{ChainLoop, Nest, Weight, side, weight_expr};
use crate::trip_count::{self, TripCount};

/// A formula of more characters is no formula of one cell.
const LONGEST: usize = 4_000;

impl ParameterTable {
    /// Defines them, where it is known where a run begins.
    pub(super) fn define_once(&mut self, program: &Program, nests: &[Nest], calls: &CallGraph) {
        let mut found: BTreeMap<usize, Once> = BTreeMap::new();
        for (function, facts) in program.functions.iter().enumerate() {
            let mut way = Way {
                function,
                loops: Vec::new(),
                weight: Weight::new(),
            };
            way.each_once(&facts.body, &mut |branch, taken, visit| {
                if let Some(row) = self.row_of(function, branch) {
                    // That a run ends there is one: it may well not.
                    let is_guess = facts.constant(branch).is_some();
                    let once = found.entry(row).or_insert_with(|| Once {
                        taken,
                        is_guess,
                        visits: Vec::new(),
                    });
                    once.visits.push(visit);
                }
            });
        }
        if found.is_empty() {
            return;
        }
        let times = self.times(program, nests, calls);
        for (row, once) in found {
            let all = once.visits.iter().map(|visit| {
                let called = times.get(visit.function)?.clone()?;
                Some(called * visit.executions(self))
            });
            let Some(all) = all.collect::<Option<Vec<Expr>>>() else {
                continue;
            };
            let one = Expr::from(1.0);
            let share = one
                .clone()
                .quotient(Expr::max([Expr::sum(all), one.clone()]));
            let share = if once.taken { share } else { one - share };
            if share.to_string().len() <= LONGEST {
                self.rows[row].definition = Some(share);
                if !once.is_guess {
                    self.rows[row].origin = Origin::Derived;
                }
            }
        }
    }

    /// How often each function is called in a run; `None` where that is not known, or too long to say. Nothing if it is not
    /// known where a run begins.
    fn times(&self, program: &Program, nests: &[Nest], calls: &CallGraph) -> Vec<Option<Expr>> {
        let Some(reached) = &calls.reached else {
            return Vec::new();
        };
        let functions = program.functions.len();
        let arriving = calls.by_callee(functions);
        let mut times: Vec<Option<Expr>> = vec![Some(Expr::from(0.0)); functions];
        for function in calls.top_down(functions) {
            let is_entry = reached.entries.contains(&function);
            let mut all = Some(vec![Expr::from(f64::from(u8::from(is_entry)))]);
            for site in arriving[function].iter().map(|site| &calls.sites[*site]) {
                if !reached.includes(site.caller) {
                    continue;
                }
                let (loops, weight) = site.way(nests);
                let visit = Visit {
                    function: site.caller,
                    iterations: iterations(loops),
                    weight: [weights(loops), weight.clone()].concat(),
                };
                let one = times[site.caller]
                    .clone()
                    .map(|caller| caller * visit.executions(self));
                all = all.zip(one).map(|(all, one)| [all, vec![one]].concat());
            }
            let sum = all.map(Expr::sum);
            times[function] = sum.filter(|sum| sum.to_string().len() <= LONGEST);
        }
        times
    }
}

/// The branches with one probability.
struct Once {
    /// Whether it is the first side that a run takes once.
    taken: bool,
    /// Whether that is assumed.
    is_guess: bool,
    visits: Vec<Visit>,
}

/// Something that a function does.
struct Visit {
    function: usize,
    iterations: Expr,
    weight: Weight,
}

impl Visit {
    /// How often in one call.
    fn executions(&self, parameters: &ParameterTable) -> Expr {
        let symbol = |branch: &_| parameters.symbol(self.function, branch);
        parameters.resolve(self.function, &self.iterations) * weight_expr(&self.weight, &symbol)
    }
}

/// The way to a block.
struct Way<'p> {
    function: usize,
    loops: Vec<ChainLoop<'p>>,
    /// Branches inside the innermost loop.
    weight: Weight,
}

impl<'p> Way<'p> {
    /// Every branch that a run takes once, with the side that it takes so.
    fn each_once(&mut self, block: &'p Block, found: &mut dyn FnMut(&Symbol, bool, Visit)) {
        for item in &block.items {
            match item {
                Item::Loop(inner) => {
                    let weight = std::mem::take(&mut self.weight);
                    self.loops.push(ChainLoop::behind(inner, weight.clone()));
                    self.each_once(&inner.body, found);
                    self.loops.pop();
                    self.weight = weight;
                }
                Item::Branch(branch) => {
                    if let Some(taken) = branch.decision.once() {
                        let visit = Visit {
                            function: self.function,
                            iterations: iterations(&self.loops),
                            weight: [weights(&self.loops), self.weight.clone()].concat(),
                        };
                        found(&branch.probability, taken, visit);
                    }
                    let sides = [
                        (Some(&branch.then), true),
                        (branch.otherwise.as_ref(), false),
                    ];
                    for (arm, taken) in sides {
                        let Some(arm) = arm else { continue };
                        let weight = side(&self.weight, &branch.probability, taken);
                        let before = std::mem::replace(&mut self.weight, weight);
                        self.each_once(arm, found);
                        self.weight = before;
                    }
                }
            }
        }
    }
}

/// The branches on the way into the innermost of these loops.
fn weights(loops: &[ChainLoop]) -> Weight {
    loops.iter().flat_map(|one| one.weight.clone()).collect()
}

/// Iterations of the innermost of these loops, as if every branch around it were taken.
fn iterations(loops: &[ChainLoop]) -> Expr {
    (0..loops.len()).fold(Expr::from(1.0), |before, at| {
        match trip_count::count(&loops[..=at]) {
            TripCount::Rectangular(trips) | TripCount::Sampled(trips) => before * trips,
            TripCount::Summed(all) => all,
        }
    })
}
