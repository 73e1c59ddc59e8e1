//! Which nest of one side is which of the other (guide: diff, "How nests are matched").
//!
//! First functions by name, then by what they do; inside of functions nests by what they do, then by how alike they
//! are; what is left over anywhere by how alike it is. A nest is matched once. Ties are broken by order, so that the same
//! input gives the same pairs.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use crate::nest::Nest;
use crate::side::{Function, Side};
use crate::structure::{StreamKey, Structure};

/// A nest of a side: positions of its function, and of the nest in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NestRef {
    pub function: usize,
    pub nest: usize,
}

/// How alike two nests of matched functions are at least.
const IN_FUNCTION: f64 = 0.3;
/// The same of nests of any two functions.
const ANYWHERE: f64 = 0.75;
/// Share of the nests that functions with different names have in common at least.
const OF_FUNCTIONS: f64 = 0.5;
/// With so many nests a nest is compared that moved, of those that have its rarest reference in common with it.
const MOST_CANDIDATES: usize = 64;

/// Pairs of an old nest and the new one that it became, in the order of the new ones.
pub fn matched(old: &Side, new: &Side) -> Vec<(NestRef, NestRef)> {
    let mut pairs = Pairs {
        old,
        new,
        found: BTreeMap::new(),
        is_taken: (old.functions.iter())
            .map(|function| vec![false; function.nests.len()])
            .collect(),
    };
    for (old, new) in functions(old, new) {
        pairs.in_functions(old, new);
    }
    pairs.anywhere();
    let found = pairs.found.into_iter();
    found.map(|(new, old)| (old, new)).collect()
}

/// Whether two functions of one name are near enough to be the same.
type Nearness<'n> = &'n dyn Fn(&Function, &Function) -> bool;

/// Functions by name, those in the same file first; then those of other names that do the same.
pub(crate) fn functions(old: &Side, new: &Side) -> Vec<(usize, usize)> {
    let mut left: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, function) in old.functions.iter().enumerate() {
        let name = function.name.to_lowercase();
        left.entry(name).or_default().push(index);
    }
    let file = |function: &Function| {
        let name = function.place.rsplit('/').next();
        name.unwrap_or_default().to_string()
    };
    let is_in_same_place = |a: &Function, b: &Function| a.place == b.place;
    let is_in_file_of_same_name = |a: &Function, b: &Function| file(a) == file(b);
    let is_anywhere = |_: &Function, _: &Function| true;
    let passes: [Nearness; 3] = [&is_in_same_place, &is_in_file_of_same_name, &is_anywhere];
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    let mut rest: Vec<usize> = (0..new.functions.len()).collect();
    for is_near in passes {
        rest.retain(|index| {
            let function = &new.functions[*index];
            let Some(named) = left.get_mut(&function.name.to_lowercase()) else {
                return true;
            };
            let place =
                (named.iter()).position(|old_one| is_near(&old.functions[*old_one], function));
            pairs.extend(place.map(|place| (named.remove(place), *index)));
            place.is_none()
        });
    }
    let left: Vec<usize> = left.into_values().flatten().collect();
    pairs.extend(renamed(old, new, left, &rest));
    pairs
}

/// Functions whose nests are mostly the same; the most alike ones first.
fn renamed(old: &Side, new: &Side, mut left: Vec<usize>, rest: &[usize]) -> Vec<(usize, usize)> {
    left.sort_unstable();
    let structures = |function: &Function| -> Vec<Structure> {
        let nests = function.nests.iter();
        let mut found: Vec<Structure> = nests.map(|nest| nest.structure.clone()).collect();
        found.sort_unstable();
        found
    };
    let mut by_structure: HashMap<Structure, Vec<usize>> = HashMap::new();
    for index in &left {
        for structure in structures(&old.functions[*index]) {
            by_structure.entry(structure).or_default().push(*index);
        }
    }
    let mut scored = Vec::new();
    for index in rest {
        let mut common: BTreeMap<usize, usize> = BTreeMap::new();
        for structure in structures(&new.functions[*index]) {
            for other in by_structure.get(&structure).into_iter().flatten() {
                *common.entry(*other).or_default() += 1;
            }
        }
        for (other, count) in common {
            let (one, two) = (&old.functions[other].nests, &new.functions[*index].nests);
            let least = one.len().min(two.len());
            let share = count.min(least) as f64 / one.len().max(two.len()) as f64;
            if share >= OF_FUNCTIONS {
                let names = |nests: &[Nest]| {
                    let all = nests.iter().flat_map(|nest| nest.arrays.clone());
                    all.collect::<std::collections::BTreeSet<String>>()
                };
                let (one, two) = (names(one), names(two));
                let same = one.intersection(&two).count() as f64;
                let all = one.union(&two).count().max(1) as f64;
                scored.push((share + same / all, other, *index));
            }
        }
    }
    greedy(scored)
}

/// Pairs with the highest scores, each index once; ties by order.
fn greedy<T: Copy + Ord>(mut scored: Vec<(f64, T, T)>) -> Vec<(T, T)> {
    scored.sort_by(|a, b| {
        let by_score = b.0.partial_cmp(&a.0).unwrap_or(Ordering::Equal);
        by_score.then_with(|| (a.2, a.1).cmp(&(b.2, b.1)))
    });
    let mut taken = (
        std::collections::BTreeSet::new(),
        std::collections::BTreeSet::new(),
    );
    let mut pairs = Vec::new();
    for (_, old, new) in scored {
        if !taken.0.contains(&old) && !taken.1.contains(&new) {
            taken.0.insert(old);
            taken.1.insert(new);
            pairs.push((old, new));
        }
    }
    pairs
}

/// Pairs while they are found.
struct Pairs<'s> {
    old: &'s Side,
    new: &'s Side,
    /// From new to old.
    found: BTreeMap<NestRef, NestRef>,
    /// By function and nest of the old side.
    is_taken: Vec<Vec<bool>>,
}

impl Pairs<'_> {
    fn old_nest(&self, found: NestRef) -> &Nest {
        &self.old.functions[found.function].nests[found.nest]
    }

    fn new_nest(&self, found: NestRef) -> &Nest {
        &self.new.functions[found.function].nests[found.nest]
    }

    fn take(&mut self, old: NestRef, new: NestRef) {
        self.is_taken[old.function][old.nest] = true;
        self.found.insert(new, old);
    }

    /// Old nests of a function that became nothing yet.
    fn old_left(&self, function: usize) -> Vec<NestRef> {
        let nests = self.is_taken[function].iter().enumerate();
        nests
            .filter(|(_, is_taken)| !**is_taken)
            .map(|(nest, _)| NestRef { function, nest })
            .collect()
    }

    /// New nests of a function that come from nothing yet.
    fn new_left(&self, function: usize) -> Vec<NestRef> {
        let nests = 0..self.new.functions[function].nests.len();
        nests
            .map(|nest| NestRef { function, nest })
            .filter(|nest| !self.found.contains_key(nest))
            .collect()
    }

    /// Nests that do exactly the same, if there are as many on both sides, in order; then those that are most alike.
    fn in_functions(&mut self, old: usize, new: usize) {
        let mut same: BTreeMap<&Structure, (Vec<NestRef>, Vec<NestRef>)> = BTreeMap::new();
        let (old_side, new_side) = (self.old, self.new);
        for place in self.old_left(old) {
            let nest = &old_side.functions[old].nests[place.nest];
            same.entry(&nest.structure).or_default().0.push(place);
        }
        for place in self.new_left(new) {
            let nest = &new_side.functions[new].nests[place.nest];
            same.entry(&nest.structure).or_default().1.push(place);
        }
        for (old, new) in same.into_values() {
            if old.len() == new.len() {
                old.into_iter().zip(new).for_each(|(a, b)| self.take(a, b));
            }
        }
        let (old, new) = (self.old_left(old), self.new_left(new));
        let place = |of: NestRef, all: usize| of.nest as f64 / all.max(1) as f64;
        let mut scored = Vec::new();
        for a in &old {
            for b in &new {
                let likeness = self.likeness(*a, *b);
                if likeness >= IN_FUNCTION {
                    let all = (
                        self.old.functions[a.function].nests.len(),
                        self.new.functions[b.function].nests.len(),
                    );
                    let apart = (place(*a, all.0) - place(*b, all.1)).abs();
                    scored.push((likeness - ORDER * apart, *a, *b));
                }
            }
        }
        for (a, b) in greedy(scored) {
            self.take(a, b);
        }
    }

    /// What is left over: nests that went to other functions.
    fn anywhere(&mut self) {
        let old: Vec<NestRef> = (0..self.old.functions.len())
            .flat_map(|function| self.old_left(function))
            .collect();
        let new: Vec<NestRef> = (0..self.new.functions.len())
            .flat_map(|function| self.new_left(function))
            .collect();
        let mut by_stream: HashMap<&StreamKey, Vec<NestRef>> = HashMap::new();
        for place in &old {
            let nest = &self.old.functions[place.function].nests[place.nest];
            for key in nest.structure.streams() {
                let places = by_stream.entry(key).or_default();
                if places.last() != Some(place) {
                    places.push(*place);
                }
            }
        }
        let mut scored = Vec::new();
        for place in &new {
            let streams = self.new_nest(*place).structure.streams().iter();
            let rarest = streams
                .filter_map(|key| by_stream.get(key))
                .min_by_key(|places| places.len());
            for other in rarest.into_iter().flatten().take(MOST_CANDIDATES) {
                let likeness = self.likeness(*other, *place);
                if likeness >= ANYWHERE {
                    scored.push((likeness, *other, *place));
                }
            }
        }
        for (a, b) in greedy(scored) {
            self.take(a, b);
        }
    }

    fn likeness(&self, old: NestRef, new: NestRef) -> f64 {
        let (old, new) = (self.old_nest(old), self.new_nest(new));
        let names = (&old.arrays, &new.arrays);
        old.structure.likeness(&new.structure, names)
    }
}

/// How much less alike two nests are that stand at opposite ends of their functions.
const ORDER: f64 = 0.05;
