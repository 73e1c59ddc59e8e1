//! The values that a place may have, and what they add up to.

use super::circles::{Way, way};
use super::found::{Found, only};
use super::places::Place;
use crate::expr::{Expr, Symbol};
use crate::facts::Origin;

/// Different values of one place of which the largest counts.
const MOST_VALUES: usize = 4;

/// Why an expression has no value over places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gap {
    /// It is made from the value that the place had before.
    Circle,
    /// It is computed in a way that is not followed.
    Unfollowed,
    /// It comes from outside, another value each time.
    Given,
}

/// The values that a place may have.
#[derive(Default)]
pub struct Candidates {
    pub values: Vec<Expr>,
    /// Those of them that it has unless the program is told otherwise, in every run and in runs that get there.
    pub defaults: [Vec<Expr>; 2],
    /// Those of them that it has if nothing else gave it one.
    pub stand_ins: Vec<Expr>,
    /// The program goes on where it is zero.
    pub is_done_without: bool,
    /// It is no larger than these.
    pub limits: Vec<Expr>,
    /// It is no smaller than these, or has them for a while.
    pub floors: Vec<Result<Expr, Gap>>,
    /// What statements may make of what is read.
    pub changes: Vec<Expr>,
    pub is_given: bool,
    /// About what it is given, where that is no choice of who runs the program.
    pub about: Option<f64>,
    /// What it is given where one process runs alone.
    pub alone: Option<i64>,
    /// How many words the command line has, if it is their number.
    pub words: Option<i64>,
    /// The variable of a loop, whose last value is one of them.
    pub is_counted: bool,
    /// What a procedure counts up to is one of them.
    pub is_counted_up: bool,
    /// Where the loops begin.
    pub firsts: Vec<Expr>,
    pub is_circular: bool,
    /// It is made from itself, but no larger.
    pub is_bounded: bool,
    pub has_gaps: bool,
}

impl Candidates {
    pub fn add(&mut self, value: Result<Expr, Gap>) {
        match value {
            Ok(value) if self.values.contains(&value) => {}
            Ok(value) => self.values.push(value),
            Err(Gap::Circle) => self.is_circular = true,
            Err(Gap::Unfollowed) => self.has_gaps = true,
            Err(Gap::Given) => self.is_given = true,
        }
    }

    /// Takes the values that it is no smaller than, or has for a while, for values of it. Of what is read from outside they
    /// are not the default.
    pub fn add_floors(&mut self) {
        let floors = std::mem::take(&mut self.floors);
        if !self.is_given {
            floors.into_iter().for_each(|floor| self.add(floor));
        }
    }

    /// Leaves out what the place with the symbol is made from itself and no larger by; what may be larger makes it circular.
    pub fn leave_out(&mut self, own: &Symbol) {
        for value in std::mem::take(&mut self.values) {
            match way(&value, own) {
                Way::FromOutside(value) => self.add(Ok(value)),
                Way::NoLarger(left) => {
                    self.is_bounded = true;
                    left.into_iter().for_each(|left| self.add(Ok(left)));
                }
                Way::Grows => self.is_circular = true,
            }
        }
        self.limits.retain(|limit| !limit.mentions(own));
        self.stand_ins.retain(|value| !value.mentions(own));
        self.firsts.retain(|first| !first.mentions(own));
    }

    /// Leaves out the numbers that the length of a list begins with which gets longer by what it is made of.
    pub fn forget_beginnings(&mut self) {
        if self.is_circular {
            self.values.retain(|value| value.as_number().is_none());
        }
    }

    /// Whether it is what input may give: it is read from outside, or is shared and has numbers only.
    pub fn may_be_read(&self, place: &Place, has_initial: bool) -> bool {
        let is_open = self.is_circular || self.is_bounded || self.has_gaps || self.is_counted;
        let has_numbers = self.values.iter().all(|value| value.as_number().is_some());
        let is_set = has_initial || !self.values.is_empty();
        self.is_given || (!place.is_local && !place.is_own && !is_open && has_numbers && is_set)
    }

    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
            && !self.is_given
            && !self.is_circular
            && !self.is_bounded
            && !self.has_gaps
    }

    /// The value that several add up to.
    pub fn chosen(self, is_assigned: bool, initial: Option<Expr>) -> Found {
        let Candidates {
            mut values,
            defaults,
            stand_ins,
            is_done_without,
            limits: _,
            floors: _,
            changes: _,
            is_given,
            about,
            alone,
            words,
            is_counted,
            is_counted_up,
            firsts,
            is_circular,
            is_bounded,
            has_gaps,
        } = self;
        if let Some(alone) = alone {
            return Found::one(Some(Expr::from(alone)), Origin::Alone);
        }
        if let Some(words) = words {
            return Found::one(Some(Expr::from(words)), Origin::Words);
        }
        if is_given {
            let choices = several_sizes(&values);
            // What the program has unless it is told otherwise.
            let mut numbers = values.iter().filter(|value| value.as_number().is_some());
            let value = match (&values[..], numbers.next(), numbers.next()) {
                ([only], ..) => Some(only.clone()),
                ([], ..) => initial,
                (_, Some(only), None) => Some(only.clone()),
                // Others are set under conditions: `n = 100; if (is_large) n = 1000; if (argc > 1) n = atoi(argv[1]);`
                _ => {
                    let known = defaults.into_iter().find(|known| !known.is_empty());
                    known.and_then(|known| only(&known).cloned())
                }
            };
            // Zero and less say that the program has yet to be told, unless it goes on without.
            let has_none = |value: &Expr| is_done_without && value.as_number() == Some(0.0);
            let stand_in = || {
                only(&stand_ins)
                    .cloned()
                    .filter(|value| !is_zero_or_less(value))
            };
            let value = match value {
                Some(value) if !is_zero_or_less(&value) => Some(value),
                Some(value) => stand_in().or_else(|| has_none(&value).then_some(value)),
                None => stand_in(),
            };
            return Found {
                choices,
                about,
                ..Found::one(value, Origin::Given)
            };
        }
        let is_followed = !is_circular && !has_gaps;
        let is_complete = is_followed && !is_bounded;
        let is_count = is_counted_up && is_complete && values.len() == 1;
        match (values.len(), initial) {
            (0, Some(value)) if is_complete => Found::one(Some(value), Origin::Initial),
            (0, _) => Found::NOTHING,
            // What is counted from a number, or is a number at times, is not known by it.
            (1, _) if !is_followed && values[0].as_number().is_some() => Found::NOTHING,
            // `n = -1; …; n = 0; do …; n = n + cells(i)`: it has yet to be counted.
            _ if !is_followed && values.iter().all(is_zero_or_less) => Found::NOTHING,
            (1, _) if is_complete && !is_counted => {
                let origin = match is_assigned {
                    true => Origin::Derived,
                    false => Origin::Caller,
                };
                Found::one(values.pop(), origin)
            }
            (..=MOST_VALUES, _) => Found {
                smallest: (values.len() + firsts.len() > 1 && !is_bounded)
                    .then(|| Expr::min(values.iter().cloned().chain(firsts))),
                value: Some(Expr::max(values)),
                origin: Origin::Callers,
                is_complete: is_complete && !is_counted,
                is_count,
                choices: Vec::new(),
                about: None,
                may_change: false,
            },
            _ => {
                let (value, smallest) = ends(&values).unzip();
                let smallest = smallest.filter(|_| !is_bounded);
                Found {
                    value,
                    smallest,
                    origin: Origin::Callers,
                    is_complete: is_complete && !is_counted,
                    is_count,
                    choices: Vec::new(),
                    about: None,
                    may_change: false,
                }
            }
        }
    }
}

/// Whether a value is a number that is zero or less.
fn is_zero_or_less(value: &Expr) -> bool {
    value.as_number().is_some_and(|number| number <= 0.0)
}

/// The numbers of at least one among values, in order, if there are several.
fn several_sizes(values: &[Expr]) -> Vec<f64> {
    let numbers = values.iter().filter_map(Expr::as_number);
    let mut numbers: Vec<f64> = numbers.filter(|number| *number >= 1.0).collect();
    numbers.sort_by(f64::total_cmp);
    numbers.dedup();
    match numbers.len() {
        0 | 1 => Vec::new(),
        _ => numbers,
    }
}

/// The largest and the smallest of numbers, if all are.
fn ends(values: &[Expr]) -> Option<(Expr, Expr)> {
    let numbers: Option<Vec<f64>> = values.iter().map(Expr::as_number).collect();
    let numbers = numbers?;
    let largest = numbers.iter().copied().reduce(f64::max)?;
    let smallest = numbers.iter().copied().reduce(f64::min)?;
    Some((Expr::from(largest), Expr::from(smallest)))
}
