//! Does it make a difference to the bytes or operations of a nest which way a branch goes?
//!
//! Where it is not known whether a branch is always or never taken, a nest is one of several. All of them are counted, each
//! with the references of the sides that it takes, and so is the nest itself, with the probability that the branch has. If
//! all move the same lines through caches of any size, the bytes are right whichever nest it is:
//!
//! ```text
//! y[i] += a[i]; if (flag) y[i] *= a[i];        the same with and without the branch
//! if (flag) y[i] += a[i]; else y[i] -= a[i];   the same on either side
//! y[i] += a[j][i]; if (flag) y[i] += a[j-8][i];    not where a cache does not hold eight rows
//! ```
//!
//! Operations need no profiles: those of one side of a branch are compared with those of the other.

use std::collections::BTreeSet;

use super::domain::{Given, Tiles};
use super::geometry::Geometry;
use super::{Counting, Irregular, Profile, Wanted, profile, profiled};
use crate::expr::{Expr, Lookup, Symbol};
use crate::nest::{Content, Nest, Reference, Weight};

/// Branches that are taken all ways: twice as many profiles for each.
const MOST_BRANCHES: usize = 3;
/// Capacities at which profiles are compared, in bytes.
const CAPACITIES: [f64; 11] = [
    1e3, 4e3, 16e3, 64e3, 256e3, 1e6, 4e6, 16e6, 64e6, 256e6, 1e15,
];
/// By so large a share two nests may differ that move the same.
const SAME: f64 = 0.01;
/// Bytes of a line.
const LINE: f64 = 64.0;

/// Whether it does, or may, for any of the branches.
pub fn matters(
    nest: &Nest,
    branches: &BTreeSet<&Symbol>,
    value: &dyn Fn(&Symbol) -> Option<f64>,
) -> bool {
    if branches.len() > MOST_BRANCHES {
        return true;
    }
    let of = |nest: &Nest| as_it_is(nest, value);
    let as_is = of(nest);
    (0..1_usize << branches.len()).any(|sides| {
        let each = branches.iter().enumerate();
        let sides: Weight = each
            .map(|(at, branch)| ((*branch).clone(), sides >> at & 1 == 1))
            .collect();
        !is_same(&as_is, &of(&decided(nest, &sides)))
    })
}

/// Those of open branches of which one side has more operations than the other.
pub fn deciding_operations<'n>(
    nest: &'n Nest,
    is_open: &dyn Fn(&Symbol) -> bool,
    value: &dyn Fn(&Symbol) -> Option<f64>,
) -> BTreeSet<&'n Symbol> {
    let steps = nest.contents.iter().flat_map(|content| &content.weight);
    let branches: BTreeSet<&Symbol> = steps
        .map(|(branch, _)| branch)
        .filter(|branch| is_open(branch))
        .collect();
    if branches.is_empty() {
        return branches;
    }
    let number = |expr: &Expr| expr.evaluate(&value as &dyn Lookup).unwrap_or(f64::NAN);
    let (domain, _) = Geometry::of(nest).map(&number);
    let spans = domain.spans(&vec![Given::Free; domain.loops.len()], Tiles::Full);
    let times = |level: usize| {
        spans[..level]
            .iter()
            .map(|span| span.count)
            .product::<f64>()
    };
    // As often as the other branches on the way lead there. Those of one line are one symbol, of which the first is meant.
    let taken = |content: &Content, except: Option<&Symbol>| {
        let steps = &content.weight;
        let own = steps.iter().position(|(branch, _)| Some(branch) == except);
        let others = (0..).zip(steps).filter(|(at, _)| Some(*at) != own);
        let share = |(_, (branch, taken)): (usize, &(Symbol, bool))| {
            let share = value(branch).unwrap_or(0.5);
            if *taken { share } else { 1.0 - share }
        };
        others.map(share).product::<f64>()
    };
    let flops = |content: &Content, except: Option<&Symbol>| {
        let once = content.flops.total().flops() as f64 * times(content.level);
        once * taken(content, except)
    };
    let all: f64 = nest.contents.iter().map(|one| flops(one, None)).sum();
    let apart = |branch: &Symbol| {
        let side = |content: &Content| {
            let step = content.weight.iter().find(|(known, _)| known == branch);
            step.map_or(0.0, |(_, taken)| if *taken { 1.0 } else { -1.0 })
        };
        let each = nest.contents.iter();
        let sides = each.map(|one| side(one) * flops(one, Some(branch)));
        sides.sum::<f64>().abs()
    };
    // Of unknown sizes nothing is known to be the same.
    let is_same = |apart: f64| apart == 0.0 || apart <= SAME * all;
    branches
        .into_iter()
        .filter(|branch| !is_same(apart(branch)))
        .collect()
}

/// The profile of a nest with lines of the usual length: which ways lead to the same ones does not depend on that.
pub fn as_it_is(nest: &Nest, value: &dyn Fn(&Symbol) -> Option<f64>) -> Profile<f64> {
    numbers(value, |number| profile(nest, number, None).0)
}

/// The lines of such a profile that any cache fetches.
pub fn cold(nest: &Nest, value: &dyn Fn(&Symbol) -> Option<f64>) -> f64 {
    let wanted = Wanted {
        counting: Counting::Cold,
        ..Irregular::Ignored.into()
    };
    numbers(value, |number| {
        let (mut profile, _) = profiled(nest, number, None, ("line_bytes", wanted));
        profile.count_few(nest, number);
        profile
    })
    .cold
}

/// The value of an expression.
pub type Number<'n> = dyn Fn(&Expr) -> f64 + 'n;

/// A profile of numbers, with lines of the usual length.
pub fn numbers(
    value: &dyn Fn(&Symbol) -> Option<f64>,
    profile: impl FnOnce(&Number) -> Profile<f64>,
) -> Profile<f64> {
    let machine = [
        (Symbol::machine("line_bytes"), LINE),
        (Symbol::machine("gather_lines"), 1.0),
    ];
    let symbol = |symbol: &Symbol| {
        let mut known = machine.iter();
        value(symbol).or_else(|| {
            known
                .find(|(one, _)| one == symbol)
                .map(|(_, value)| *value)
        })
    };
    let number = |expr: &Expr| expr.evaluate(&symbol as &dyn Lookup).unwrap_or(f64::NAN);
    profile(&number)
}

/// The nest in which branches take these sides.
fn decided<'p>(nest: &Nest<'p>, sides: &Weight) -> Nest<'p> {
    let side = |branch: &Symbol| sides.iter().find(|(known, _)| known == branch);
    let is_met = |reference: &&Reference| {
        let mut steps = reference.weight.iter();
        steps.all(|(branch, is_then)| side(branch).is_none_or(|(_, taken)| taken == is_then))
    };
    let certain = |reference: &Reference<'p>| {
        let mut reference = reference.clone();
        for steps in [&mut reference.weight, &mut reference.open] {
            steps.retain(|(branch, _)| side(branch).is_none());
        }
        reference
    };
    let references = nest.references.iter().filter(is_met).map(certain);
    nest.changed(
        nest.loops.clone(),
        nest.contents.clone(),
        references.collect(),
    )
}

fn is_same(a: &Profile<f64>, b: &Profile<f64>) -> bool {
    let near = |a: f64, b: f64| (a - b).abs() <= SAME * a.max(b);
    CAPACITIES.iter().all(|capacity| {
        let ((fetched, written), (others, also)) = (a.through(*capacity), b.through(*capacity));
        near(fetched, others) && near(written, also)
    })
}
