//! How often is a reference met to which branches lead, some of them on data?
//!
//! Branches that ask for loops in a way that has no closed form are such as well: `if (i % 8 == 0)`. Those that go the same
//! way in all iterations are taken always or never. What the share does to lines: [`met`](super::met).

use crate::analysis::facts::Decision;
use crate::expr::{Comparison, Expr, Symbol};
use crate::nest::{Weight, weight_expr};

/// How often a reference is met, of the iterations that its loops and guards leave.
#[derive(Clone, Debug, PartialEq)]
pub struct Taken<N> {
    /// One or nothing, as the branches around it are ever taken or never; where some iterations may decide otherwise than
    /// others, the share of these.
    pub share: N,
    /// Whether it may be a share.
    pub is_partial: bool,
}

impl<N> Taken<N> {
    pub fn map<M>(&self, value: &dyn Fn(&N) -> M) -> Taken<M> {
        Taken {
            share: value(&self.share),
            is_partial: self.is_partial,
        }
    }
}

impl Taken<Expr> {
    /// Of ways that lead to it, each through all of its branches.
    pub fn of(ways: &[Weight], decisions: &[(Symbol, Decision)]) -> Taken<Expr> {
        let goes_both_ways = |branch: &Symbol| {
            let decision = decisions.iter().find(|(known, _)| known == branch);
            decision.is_some_and(|(_, one)| matches!(one, Decision::Data | Decision::Loops(_)))
        };
        let mut branches = ways.iter().flatten();
        if !branches.any(|(branch, _)| goes_both_ways(branch)) {
            return Taken {
                share: ever(ways.iter()),
                is_partial: false,
            };
        }
        // A way that goes on where another one ends adds nothing to it.
        let goes_on = |way: &Weight| {
            let mut others = ways.iter().filter(|other| other.len() < way.len());
            others.any(|other| other.iter().all(|step| way.contains(step)))
        };
        let share = |way: &Weight| {
            let (some, all): (Weight, Weight) =
                (way.iter().cloned()).partition(|(branch, _)| goes_both_ways(branch));
            let share = weight_expr(&some, &|branch| Expr::from(branch.clone()));
            match all.is_empty() {
                true => share,
                false => share * ever([&all].into_iter()),
            }
        };
        let shares: Vec<Expr> = ways.iter().filter(|way| !goes_on(way)).map(share).collect();
        Taken {
            share: match shares.as_slice() {
                [share] => share.clone(),
                _ => Expr::min([Expr::from(1.0), Expr::sum(shares)]),
            },
            is_partial: true,
        }
    }

    /// Where one of two is met.
    pub fn or(self, other: Taken<Expr>) -> Taken<Expr> {
        let is_partial = self.is_partial || other.is_partial;
        let share = match self.share == other.share {
            true => self.share,
            false if is_partial => Expr::min([Expr::from(1.0), self.share + other.share]),
            false => Expr::max([self.share, other.share]),
        };
        Taken { share, is_partial }
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
