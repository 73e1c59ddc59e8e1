//! How often is a reference met to which branches lead, some of them on data?
//!
//! Branches that ask for loops in a way that has no closed form are such as well: `if (i % 8 == 0)`. Those that go the same
//! way in all iterations are taken always or never. What the share does to lines: [`met`](super::met).

use std::collections::BTreeSet;

use crate::analysis::facts::{Decision, Parted, Quantifier};
use crate::expr::{Comparison, Expr, Symbol};
use crate::nest::{Decided, Weight, weight_expr};

/// How often a reference is met, of the iterations that its loops and guards leave.
#[derive(Clone, Debug, PartialEq)]
pub struct Taken<N> {
    /// One or nothing, as the branches around it are ever taken or never; where some iterations may decide otherwise than
    /// others, the share of these.
    pub share: N,
    /// Where it may be a share, what that is the product of, by chains that have no loop in common.
    pub chains: Vec<Chain<N>>,
}

/// Draws each of which is decided in more loops than the one before.
pub type Chain<N> = Vec<Draw<N>>;

/// Branches that are decided again in the same loops, all of which have to go one way.
#[derive(Clone, Debug, PartialEq)]
pub struct Draw<N> {
    /// In what share of the iterations they do.
    pub share: N,
    /// The loops, from the outermost one, in whose iterations they may be decided otherwise; `None` if all of them are.
    pub loops: Option<BTreeSet<u32>>,
}

impl<N> Draw<N> {
    pub fn is_decided_in(&self, level: usize) -> bool {
        let holds = |loops: &BTreeSet<u32>| loops.iter().any(|own| *own as usize == level);
        self.loops.as_ref().is_none_or(holds)
    }
}

impl<N> Taken<N> {
    pub fn map<M>(&self, value: &dyn Fn(&N) -> M) -> Taken<M> {
        let draw = |one: &Draw<N>| Draw {
            share: value(&one.share),
            loops: one.loops.clone(),
        };
        Taken {
            share: value(&self.share),
            chains: (self.chains.iter())
                .map(|chain| chain.iter().map(draw).collect())
                .collect(),
        }
    }

    fn draws(&self) -> impl Iterator<Item = &Draw<N>> {
        self.chains.iter().flatten()
    }

    pub fn draws_mut(&mut self) -> impl Iterator<Item = &mut Draw<N>> {
        self.chains.iter_mut().flatten()
    }

    /// Whether it may be a share.
    pub fn is_partial(&self) -> bool {
        !self.chains.is_empty()
    }

    /// Whether other iterations of a loop may be met by other references.
    pub fn is_decided_in(&self, level: usize) -> bool {
        self.draws().any(|draw| draw.is_decided_in(level))
    }

    /// The loops in which any of it is decided again.
    fn loops(&self) -> Option<BTreeSet<u32>> {
        all_of(self.draws().map(|draw| &draw.loops))
    }
}

/// Loops that are among any of some; `None` stands for all.
fn all_of<'l>(some: impl Iterator<Item = &'l Option<BTreeSet<u32>>>) -> Option<BTreeSet<u32>> {
    let each: Option<Vec<&BTreeSet<u32>>> = some.map(Option::as_ref).collect();
    Some(each?.into_iter().flatten().copied().collect())
}

impl Taken<Expr> {
    /// Of ways that lead to it, each through all of its branches.
    pub fn of(ways: &[Weight], decisions: &[Decided]) -> Taken<Expr> {
        let goes_both_ways = |branch: &Symbol| {
            let decided = Decided::find(decisions, branch);
            decided.filter(|one| matches!(one.decision, Decision::Data | Decision::Loops(_)))
        };
        let mut branches = ways.iter().flatten();
        if !branches.any(|(branch, _)| goes_both_ways(branch).is_some()) {
            return Taken {
                share: ever(ways.iter()),
                chains: Vec::new(),
            };
        }
        // A way that goes on where another one ends adds nothing to it.
        let goes_on = |way: &Weight| {
            let mut others = ways.iter().filter(|other| other.len() < way.len());
            others.any(|other| other.iter().all(|step| way.contains(step)))
        };
        let ways: Vec<&Weight> = ways.iter().filter(|way| !goes_on(way)).collect();
        let each = ways.iter().map(|way| {
            let (some, all): (Weight, Weight) =
                (way.iter().cloned()).partition(|(branch, _)| goes_both_ways(branch).is_some());
            let always = (!all.is_empty()).then(|| ever([&all].into_iter()));
            let draws = some.iter().filter_map(|step| {
                let share = weight_expr(&vec![step.clone()], &|branch| Expr::from(branch.clone()));
                Some(draws_of(goes_both_ways(&step.0)?, step.1, share))
            });
            Taken::through(draws.flatten().collect(), always)
        });
        Taken::sum(each.collect())
    }

    /// Of one way, whose branches are decided like this, or that may never be taken at all.
    fn through(draws: Vec<Draw<Expr>>, always: Option<Expr>) -> Taken<Expr> {
        let mut apart: Vec<Chain<Expr>> = Vec::new();
        for draw in draws {
            let (near, others): (Vec<_>, Vec<_>) = (apart.into_iter())
                .partition(|chain| chain.iter().any(|one| have_common_loop(one, &draw)));
            apart = others;
            apart.push(near.into_iter().flatten().chain([draw]).collect());
        }
        let mut chains: Vec<Chain<Expr>> = apart.into_iter().map(chain).collect();
        let first = chains.first_mut().and_then(|chain| chain.first_mut());
        if let (Some(first), Some(always)) = (first, always) {
            first.share = first.share.clone() * always;
        }
        let shares = chains.iter().flatten().map(|draw| draw.share.clone());
        Taken {
            share: Expr::product(shares),
            chains,
        }
    }

    /// Where any of some is met, of which no two are at once.
    fn sum(mut each: Vec<Taken<Expr>>) -> Taken<Expr> {
        if each.len() == 1 {
            return each.remove(0);
        }
        let shares = each.iter().map(|one| one.share.clone());
        let share = Expr::min([Expr::from(1.0), Expr::sum(shares)]);
        let partial = each.iter().filter(|one| one.is_partial());
        let loops: Vec<Option<BTreeSet<u32>>> = partial.map(Taken::loops).collect();
        let draw = Draw {
            share: share.clone(),
            loops: all_of(loops.iter()),
        };
        Taken {
            share,
            chains: vec![vec![draw]],
        }
    }

    /// Where one of two is met.
    pub fn or(self, other: Taken<Expr>) -> Taken<Expr> {
        if self == other {
            return self;
        }
        if self.is_partial() || other.is_partial() {
            return Taken::sum(vec![self, other]);
        }
        Taken {
            share: Expr::max([self.share, other.share]),
            chains: Vec::new(),
        }
    }
}

impl Taken<f64> {
    pub fn is_never(&self) -> bool {
        self.share == 0.0
    }

    pub fn is_all_or_nothing(&self) -> bool {
        self.share == 0.0 || self.share == 1.0
    }
}

/// What a side of a branch draws, which is taken in a share of the iterations: where it needs all parts of a condition, or none
/// of them, each by itself.
fn draws_of(decided: &Decided, is_first: bool, share: Expr) -> Vec<Draw<Expr>> {
    let needs_each = |parts: &&Parted| (parts.holds == Quantifier::All) == is_first;
    let Some(parts) = decided.parts.as_ref().filter(needs_each) else {
        let loops = decided.loops.clone();
        return vec![Draw { share, loops }];
    };
    let share = share.power(Expr::from(1.0 / parts.loops.len() as f64));
    let draw = |loops: &BTreeSet<u32>| Draw {
        share: share.clone(),
        loops: Some(loops.clone()),
    };
    parts.loops.iter().map(draw).collect()
}

fn have_common_loop<N>(one: &Draw<N>, other: &Draw<N>) -> bool {
    match (&one.loops, &other.loops) {
        (Some(one), Some(other)) => !one.is_disjoint(other),
        _ => true,
    }
}

/// Draws that have loops in common, from the one that is decided in the fewest. What is not decided in all loops of the one
/// before is taken to be drawn in these, too.
fn chain(mut draws: Vec<Draw<Expr>>) -> Chain<Expr> {
    let order = |draw: &Draw<Expr>| {
        let number = draw.loops.as_ref().map_or(usize::MAX, BTreeSet::len);
        (number, draw.loops.clone())
    };
    draws.sort_by_key(order);
    let mut joined: Chain<Expr> = Vec::new();
    for mut draw in draws {
        let Some(last) = joined.last_mut() else {
            joined.push(draw);
            continue;
        };
        draw.loops = all_of([&last.loops, &draw.loops].into_iter());
        match last.loops == draw.loops {
            true => last.share = last.share.clone() * draw.share,
            false => joined.push(draw),
        }
    }
    joined
}

/// One if any of some ways is ever taken.
fn ever<'w>(ways: impl Iterator<Item = &'w Weight>) -> Expr {
    let way = |weight: &Weight| weight_expr(weight, &|branch| Expr::from(branch.clone()));
    let (none, one) = (Expr::from(0.0), Expr::from(1.0));
    let all = Expr::sum(ways.map(way));
    Expr::choose(Comparison::LessOrEqual, all, none.clone(), none, one)
}
