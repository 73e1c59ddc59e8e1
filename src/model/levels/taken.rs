//! How often is a reference met to which branches lead, some of them on data?
//!
//! Branches that ask for loops in a way that has no closed form are such as well: `if (i % 8 == 0)`. Those that go the same
//! way in all iterations are taken always or never. What the share does to lines: [`met`](super::met).

use std::collections::BTreeSet;

use crate::analysis::facts::Decision;
use crate::expr::{Comparison, Expr, Symbol};
use crate::nest::{Decided, Weight, weight_expr};

/// How often a reference is met, of the iterations that its loops and guards leave.
#[derive(Clone, Debug, PartialEq)]
pub struct Taken<N> {
    /// One or nothing, as the branches around it are ever taken or never; where some iterations may decide otherwise than
    /// others, the share of these.
    pub share: N,
    /// Where it may be a share, what that is the product of: each is decided in more loops than the one before.
    pub draws: Vec<Draw<N>>,
}

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
            draws: self.draws.iter().map(draw).collect(),
        }
    }

    /// Whether it may be a share.
    pub fn is_partial(&self) -> bool {
        !self.draws.is_empty()
    }

    /// Whether other iterations of a loop may be met by other references.
    pub fn is_decided_in(&self, level: usize) -> bool {
        self.draws.iter().any(|draw| draw.is_decided_in(level))
    }

    /// The loops in which any of it is decided again.
    fn loops(&self) -> Option<BTreeSet<u32>> {
        all_of(self.draws.iter().map(|draw| &draw.loops))
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
                draws: Vec::new(),
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
                let loops = goes_both_ways(&step.0)?.loops.clone();
                Some(Draw { share, loops })
            });
            Taken::through(draws.collect(), always)
        });
        Taken::sum(each.collect())
    }

    /// Of one way, whose branches are decided like this, or that may never be taken at all.
    fn through(mut draws: Vec<Draw<Expr>>, always: Option<Expr>) -> Taken<Expr> {
        let number = |draw: &Draw<Expr>| draw.loops.as_ref().map_or(usize::MAX, BTreeSet::len);
        draws.sort_by_key(number);
        let is_within = |[outer, inner]: [&Draw<Expr>; 2]| match (&outer.loops, &inner.loops) {
            (Some(outer), Some(inner)) => outer.is_subset(inner),
            (_, inner) => inner.is_none(),
        };
        let are_nested = draws.windows(2).all(|two| is_within([&two[0], &two[1]]));
        let loops = all_of(draws.iter().map(|draw| &draw.loops));
        let mut joined: Vec<Draw<Expr>> = Vec::new();
        for draw in draws {
            match joined.last_mut() {
                Some(last) if !are_nested || last.loops == draw.loops => {
                    last.share = last.share.clone() * draw.share;
                }
                _ => joined.push(draw),
            }
        }
        if let ([only], false) = (&mut joined[..], are_nested) {
            only.loops = loops;
        }
        if let (Some(first), Some(always)) = (joined.first_mut(), always) {
            first.share = first.share.clone() * always;
        }
        Taken {
            share: Expr::product(joined.iter().map(|draw| draw.share.clone())),
            draws: joined,
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
            draws: vec![draw],
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
            draws: Vec::new(),
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

/// One if any of some ways is ever taken.
fn ever<'w>(ways: impl Iterator<Item = &'w Weight>) -> Expr {
    let way = |weight: &Weight| weight_expr(weight, &|branch| Expr::from(branch.clone()));
    let (none, one) = (Expr::from(0.0), Expr::from(1.0));
    let all = Expr::sum(ways.map(way));
    Expr::choose(Comparison::LessOrEqual, all, none.clone(), none, one)
}
