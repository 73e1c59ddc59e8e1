//! In which other orders the iterations of one nest may run: the directions of its dependences, loop by loop (Wolf, Lam
//! 1991, "A loop transformation theory and an algorithm to maximize parallelism").
//!
//! A dependence has a direction in every loop: the later use of an element is in a later, the same or an earlier
//! iteration, or in any. Interchanged loops keep every dependence if its first direction that is not "the same" is still
//! "later". Blocks keep them if no direction of a blocked loop is "earlier": then blocks run in an order of their own.

use std::collections::BTreeSet;

use super::changing;
use super::fusion::{Distance, chain, components_differ, distances, never_meet, obstacle};
use super::regions::{Reference, references};
use super::shared::Sharing;
use crate::facts::{AccessClass, Block, Function, Item, Loop};

/// Loops in which a dependence may have any direction, of which all combinations are tried; of more nothing is proven.
const MOST_OPEN: usize = 8;
/// Accesses of a nest that are compared with each other; nothing is said of larger ones.
const MOST_ACCESSES: usize = 1000;

/// What the order of a nest's iterations depends on.
#[derive(Clone, Debug)]
pub struct Order {
    /// By dependence and loop, outermost first: `None` is any direction.
    directions: BTreeSet<Vec<Option<i8>>>,
    /// Loops of the chain that belong to the nest and have no code between them, innermost included.
    perfect: bool,
    /// What the dependences do not say.
    pub doubts: BTreeSet<Doubt>,
}

/// Why a change of the order may be wrong although no dependence forbids it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Doubt {
    /// Arrays, or an array and storage, that may be the same elements.
    SharedStorage(String, String),
    /// A scalar carries a value from one iteration to the next: a sum may be reordered, but for rounding.
    Carried(String),
    /// Something of the loop is not understood.
    Obstacle(String),
}

impl Order {
    /// Of the nest of these loops, outermost first, of which the first `shared` hold other code, too; `None` if they may
    /// be left early, or hold other loops.
    pub fn of(function: &Function, loops: &[&Loop], shared: usize) -> Option<Order> {
        let (head, innermost) = (loops.get(shared)?, loops.last()?);
        let nested = !innermost.body.loops().is_empty();
        if nested
            || loops
                .iter()
                .any(|one| one.exits_early || one.variable.is_none())
        {
            return None;
        }
        let mut order = Order {
            directions: BTreeSet::new(),
            perfect: chain(head).len() == loops.len() - shared,
            doubts: obstacle(head)
                .err()
                .map(Doubt::Obstacle)
                .into_iter()
                .collect(),
        };
        let changing = changing(function);
        let sharing = Sharing::new(function);
        let found = references(head, &changing);
        let accesses: usize = found.iter().map(|one| one.stream.accesses.len()).sum();
        if accesses > MOST_ACCESSES {
            return None;
        }
        for (at, a) in found.iter().enumerate() {
            for b in &found[at..] {
                order.add(a, b, loops, &sharing);
            }
        }
        order.add_scalars(&innermost.body, false);
        Some(order)
    }

    /// Scalars that one iteration leaves to the next, and those that only some iterations set, of which the last counts.
    fn add_scalars(&mut self, block: &Block, is_conditional: bool) {
        let matters = |class: AccessClass| match class {
            AccessClass::ReadWrite => true,
            AccessClass::WriteOnly => is_conditional,
            AccessClass::ReadOnly | AccessClass::WriteRead => false,
        };
        let scalars = block.scalars.iter().filter(|scalar| matters(scalar.class));
        self.doubts
            .extend(scalars.map(|scalar| Doubt::Carried(scalar.name.clone())));
        for item in &block.items {
            if let Item::Branch(branch) = item {
                self.add_scalars(&branch.then, true);
                let otherwise = branch.otherwise.iter();
                otherwise.for_each(|block| self.add_scalars(block, true));
            }
        }
    }

    fn add(&mut self, a: &Reference, b: &Reference, loops: &[&Loop], sharing: &Sharing) {
        let (name, other) = (a.stream.array.as_str(), b.stream.array.as_str());
        if a.written.is_none() && b.written.is_none() {
            return;
        }
        if name != other {
            if sharing.may_share(name, other) {
                let both = Doubt::SharedStorage(name.to_string(), other.to_string());
                self.doubts.insert(both);
            }
            return;
        }
        if components_differ(a, b) || never_meet(a, b) {
            return;
        }
        for x in &a.stream.accesses {
            let conflicting = (b.stream.accesses.iter()).filter(|y| x.writes > 0 || y.writes > 0);
            for y in conflicting {
                if let Distance::Of(entries) = distances((a, x), (b, y), loops, loops) {
                    let sign = |steps: f64| match steps {
                        0.0 => 0,
                        steps => steps.signum() as i8,
                    };
                    let directions = entries.into_iter().map(|entry| entry.map(sign));
                    self.directions.insert(directions.collect());
                }
            }
        }
        // A model written by hand may only say how the array is used.
        if a.stream.accesses.is_empty() || b.stream.accesses.is_empty() {
            self.directions.insert(vec![None; loops.len()]);
        }
    }

    /// Whether blocks of the loops at these positions may run one after another, around all loops.
    pub fn may_block(&self, at: &[usize]) -> bool {
        self.perfect && self.each(&|directions| at.iter().all(|at| directions[*at] >= 0))
    }

    /// Whether the loops may be nested in another order: the positions that they have now, outermost first.
    pub fn may_permute(&self, order: &[usize]) -> bool {
        self.perfect
            && self.each(&|directions| {
                let first = order.iter().map(|at| directions[*at]).find(|one| *one != 0);
                first.is_none_or(|one| one > 0)
            })
    }

    /// Whether all dependences are such, from the earlier use to the later one.
    fn each(&self, is_kept: &dyn Fn(&[i8]) -> bool) -> bool {
        self.directions.iter().all(|directions| {
            let open = directions.iter().filter(|one| one.is_none()).count();
            open <= MOST_OPEN && possible(directions, &mut Vec::new(), is_kept)
        })
    }
}

/// The same for every direction where any is possible.
fn possible(open: &[Option<i8>], known: &mut Vec<i8>, is_kept: &dyn Fn(&[i8]) -> bool) -> bool {
    let Some((next, rest)) = open.split_first() else {
        let later = match known.iter().find(|one| **one != 0) {
            None => return true,
            Some(1) => known.clone(),
            // Then the other use is the earlier one.
            Some(_) => known.iter().map(|one| -one).collect(),
        };
        return is_kept(&later);
    };
    let choices = match next {
        Some(direction) => vec![*direction],
        None => vec![-1, 0, 1],
    };
    choices.into_iter().all(|direction| {
        known.push(direction);
        let kept = possible(rest, known, is_kept);
        known.pop();
        kept
    })
}

/// Whether the code beside a nest in the loops that it shares may be moved out of them, before or behind it: no value
/// passes from one iteration of these loops to another between the two.
pub fn may_split(function: &Function, loops: &[&Loop], shared: usize) -> bool {
    let (Some(outermost), Some(head)) = (loops.first(), loops.get(shared)) else {
        return false;
    };
    let changing = changing(function);
    let sharing = Sharing::new(function);
    let found = references(outermost, &changing);
    let is_own = |reference: &&Reference| {
        reference
            .loops
            .get(shared)
            .is_some_and(|one| std::ptr::eq(*one, *head))
    };
    let (own, beside): (Vec<&Reference>, Vec<&Reference>) = found.iter().partition(is_own);
    let outside = &loops[..shared];
    let stays = |a: &Reference, b: &Reference| {
        let (name, other) = (a.stream.array.as_str(), b.stream.array.as_str());
        if a.written.is_none() && b.written.is_none() || name != other {
            return !sharing.may_share(name, other);
        }
        let accesses = |x| b.stream.accesses.iter().map(move |y| (x, y));
        let pairs = a.stream.accesses.iter().flat_map(accesses);
        let mut pairs = pairs.filter(|(x, y)| x.writes > 0 || y.writes > 0);
        pairs.all(|(x, y)| match distances((a, x), (b, y), outside, outside) {
            Distance::Never => true,
            Distance::Of(entries) => entries.iter().all(|entry| *entry == Some(0.0)),
        })
    };
    let apart = own.iter().all(|a| beside.iter().all(|b| stays(a, b)));
    apart && !passes_scalars(outermost, head)
}

/// Whether the nest or the code beside it sets a scalar that the other one mentions.
fn passes_scalars(outermost: &Loop, head: &Loop) -> bool {
    let (mut own, mut beside) = (Scalars::default(), Scalars::default());
    own.collect(&head.body, None);
    beside.collect(&outermost.body, Some(head));
    !own.set.is_disjoint(&beside.used) || !beside.set.is_disjoint(&own.used)
}

/// Names of scalars that are set, and of all that are mentioned.
#[derive(Default)]
struct Scalars<'p> {
    set: BTreeSet<&'p str>,
    used: BTreeSet<&'p str>,
}

impl<'p> Scalars<'p> {
    fn collect(&mut self, block: &'p Block, without: Option<&Loop>) {
        for scalar in &block.scalars {
            self.used.insert(&scalar.name);
            if scalar.class != AccessClass::ReadOnly {
                self.set.insert(&scalar.name);
            }
        }
        for item in &block.items {
            match item {
                Item::Loop(inner) if without.is_some_and(|one| std::ptr::eq(one, &**inner)) => {}
                Item::Loop(inner) => self.collect(&inner.body, without),
                Item::Branch(branch) => {
                    self.collect(&branch.then, without);
                    let otherwise = branch.otherwise.iter();
                    otherwise.for_each(|block| self.collect(block, without));
                }
            }
        }
    }
}
