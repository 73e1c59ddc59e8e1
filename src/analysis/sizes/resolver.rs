//! From what gives places values to what is known of them.

use rustc_hash::{FxHashMap, FxHashSet};

use super::at_once::run_at_once;
use super::candidates::{Candidates, Gap};
use super::definition::{Definition, Definitions, Without, names_read};
use super::first::First;
use super::found::Found;
use super::places::{Place, PlaceId, Places};
use super::set::SetPlaces;
use crate::calls::{ProcedureId, Procedures};
use crate::expr::{Expr, Symbol};
use crate::facts::Origin;
use crate::inputs::{Inputs, Used};
use crate::ir::Value;

/// Places that lead to each other are followed so far.
const DEPTH: u32 = 100;

/// Places in circles are followed again so often; after that, a circle is unknown.
const MOST_AGAIN: u32 = 20_000;

#[derive(Clone, Debug)]
pub enum State {
    Waiting,
    /// It is being followed, as so manyth of the places that lead to each other.
    Busy(usize),
    Done(Found),
}

impl State {
    fn found(self) -> Found {
        match self {
            State::Done(found) => found,
            State::Waiting | State::Busy(_) => Found::NOTHING,
        }
    }
}

/// Follows places to others, each once.
pub struct Resolver<'a, 'u> {
    pub known: &'a Procedures<'u>,
    pub places: &'a Places,
    pub(super) definitions: &'a [Definitions<'u>],
    pub symbols: &'a [Symbol],
    pub numbers: &'a FxHashMap<&'a Symbol, usize>,
    pub states: Vec<State>,
    /// How many places are being followed, and the first of them that something led back to.
    followed: usize,
    led_back: usize,
    /// How often a place was followed again, as it led back to one that was being followed.
    again: u32,
    pub(super) inputs: &'a Inputs,
    /// What the user sets.
    pub(super) set: &'a SetPlaces,
    /// What every run calls.
    at_once: FxHashSet<ProcedureId>,
    /// The names of the input that places took their values from.
    pub(super) used: Used,
    /// In small letters, the names of variables, but for components, that the program reads.
    pub(super) read: FxHashSet<String>,
}

impl<'a, 'u> Resolver<'a, 'u> {
    /// What is known of all places, and the names of the input that some took their values from.
    pub fn all(
        known: &'a Procedures<'u>,
        (places, definitions): (&'a Places, &'a [Definitions<'u>]),
        (symbols, numbers): (&'a [Symbol], &'a FxHashMap<&'a Symbol, usize>),
        (inputs, set): (&'a Inputs, &'a SetPlaces),
    ) -> (Vec<Found>, Used) {
        let mut resolver = Resolver {
            known,
            places,
            definitions,
            symbols,
            numbers,
            states: vec![State::Waiting; places.len()],
            followed: 0,
            led_back: usize::MAX,
            again: 0,
            inputs,
            set,
            at_once: run_at_once(known),
            used: Used::default(),
            read: names_read(places, definitions),
        };
        for place in 0..places.len() as u32 {
            let _ = resolver.resolve(PlaceId(place), DEPTH);
        }
        let found = resolver.states.into_iter().map(State::found).collect();
        (found, resolver.used)
    }

    /// What is known of a place. What a circle leads through is followed again once the place is known that closes it.
    fn resolve(&mut self, place: PlaceId, depth: u32) -> Result<Found, Gap> {
        match &self.states[place.at()] {
            State::Done(found) => return Ok(found.clone()),
            State::Busy(_) => return Err(Gap::Circle),
            State::Waiting if depth == 0 => return Err(Gap::Unfollowed),
            State::Waiting => {}
        }
        let own = self.followed;
        self.states[place.at()] = State::Busy(own);
        self.followed += 1;
        let before = std::mem::replace(&mut self.led_back, usize::MAX);
        let found = self.decide(place, depth - 1);
        self.followed -= 1;
        let is_settled = found.is_given() || found.value.is_none();
        let is_in_circle = self.led_back < own && !is_settled;
        self.led_back = match is_in_circle {
            true => before.min(self.led_back),
            false => before,
        };
        self.states[place.at()] = match is_in_circle {
            true => {
                self.again += 1;
                State::Waiting
            }
            false => State::Done(found.clone()),
        };
        Ok(found)
    }

    /// The value of a place where an expression mentions it.
    pub fn mention(&mut self, place: PlaceId, depth: u32) -> Result<Expr, Gap> {
        let itself = || Expr::from(self.symbols[place.at()].clone());
        if let State::Busy(at) = self.states[place.at()]
            && self.again < MOST_AGAIN
        {
            self.led_back = self.led_back.min(at);
            return Ok(itself());
        }
        let found = self.resolve(place, depth)?;
        let is_open = matches!(self.states[place.at()], State::Waiting);
        Ok(match &found.value {
            Some(value) if found.is_plain() || is_open => value.clone(),
            _ => Expr::from(self.symbols[place.at()].clone()),
        })
    }

    fn decide(&mut self, place: PlaceId, depth: u32) -> Found {
        if let Some(found) = self.set_and_changed(place, depth) {
            return found;
        }
        if let Some(found) = self.set.found(place) {
            return found;
        }
        if let Some(found) = self.made_and_changed(place, depth) {
            return found;
        }
        let mut candidates = Candidates::default();
        self.assigned(place, &mut candidates, depth);
        let is_assigned = !candidates.is_empty() || !candidates.floors.is_empty();
        self.passed(place, &mut candidates, depth);
        let initial = self.initial(place, &mut candidates, depth);
        candidates.add_floors();
        candidates.leave_out(&self.symbols[place.at()]);
        if self.places.get(place).is_extent {
            candidates.forget_beginnings();
        }
        if candidates.may_be_read(self.places.get(place), initial.is_some())
            && let Some((name, told)) = self.input(place, candidates.is_given)
        {
            let own = self.places.get(place);
            match told.value(own.is_logical) {
                Some(number) if own.is_real || number.fract() == 0.0 => {
                    self.used.take(&name);
                    return self.read(place, number, depth);
                }
                Some(_) => {}
                None => self.used.refuse(&name),
            }
        }
        let limits = std::mem::take(&mut candidates.limits);
        let changes = std::mem::take(&mut candidates.changes);
        let mut found = candidates.chosen(is_assigned, initial);
        let definitions = &self.definitions[place.at()];
        // What is read for certain has that number no longer, which is no more than a hint then.
        if definitions.is_always_read
            && found.origin == Origin::Given
            && let Some(number) = found.value.as_ref().and_then(Expr::as_number)
        {
            found.value = None;
            found.choices = vec![number];
        }
        if found.origin == Origin::Given {
            found = self.given_and_changed(place, found, &changes, depth);
        }
        // Only this run has the one value, or only another has it, or a pointer may give it another.
        let is_zero_here = definitions.is_unset_so_far && self.places.get(place).begins_with_zero;
        let is_one_of_several = (definitions.has_unreached || is_zero_here)
            && found.origin == Origin::Derived
            || self.may_differ_by_name(place)
                && matches!(found.origin, Origin::Derived | Origin::Initial);
        if definitions.is_set_again && found.origin == Origin::Given && found.value.is_some() {
            found.origin = Origin::Callers;
        }
        // A number below zero says that it has yet to get another.
        let is_negative = |value: &Expr| value.as_number().is_some_and(|number| number < 0.0);
        if is_one_of_several && found.value.as_ref().is_some_and(is_negative) {
            found = Found::NOTHING;
        } else if is_one_of_several {
            found.origin = Origin::Callers;
        }
        let limited = |value: Expr| Expr::min(std::iter::once(value).chain(limits.iter().cloned()));
        Found {
            value: found.value.map(limited),
            smallest: found.smallest.map(limited),
            ..found
        }
    }

    /// What a place has for which the input has the number.
    fn read(&mut self, place: PlaceId, number: f64, depth: u32) -> Found {
        let found = Found::one(Some(Expr::from(number)), Origin::Input);
        match self.places.get(place).holds(number) {
            true => self.changed(place, (number, found), depth),
            false => Found {
                may_change: true,
                origin: Origin::Callers,
                ..found
            },
        }
    }

    /// Whether statements that are not followed may give a place, or the array that it is an element of, other values.
    fn may_differ_by_name(&self, place: PlaceId) -> bool {
        let mut seen = Vec::new();
        let mut left = vec![place];
        while let Some(place) = left.pop() {
            if seen.contains(&place) {
                continue;
            }
            seen.push(place);
            let definitions = &self.definitions[place.at()];
            if definitions.is_aliased || definitions.may_be_reset {
                return true;
            }
            left.extend(self.places.get(place).array);
            // What a procedure that gets its place does with that.
            left.extend(
                definitions
                    .assigned
                    .iter()
                    .filter_map(|definition| match definition {
                        Definition::Returned(dummy) => Some(*dummy),
                        _ => None,
                    }),
            );
        }
        false
    }

    /// What statements give a place, those of procedures that it is passed to among them.
    fn assigned(&mut self, place: PlaceId, found: &mut Candidates, depth: u32) {
        let mut seen = Vec::new();
        self.by_statements(place, found, &mut seen, depth);
    }

    fn by_statements(
        &mut self,
        place: PlaceId,
        found: &mut Candidates,
        seen: &mut Vec<PlaceId>,
        depth: u32,
    ) {
        if depth == 0 {
            return;
        }
        // Of an element, also what is given to elements whose number is not known; of an array, what any has.
        let own = place;
        let Place {
            elements, array, ..
        } = self.places.get(own);
        let behind = std::iter::once(own).chain(*array);
        let behind: Vec<PlaceId> = behind.chain(elements.iter().copied()).collect();
        for place in behind {
            if seen.contains(&place) {
                continue;
            }
            seen.push(place);
            for definition in &self.definitions[place.at()].assigned {
                match definition {
                    Definition::Value(procedure, assigned) => {
                        let value = self.assigned_value(place, *procedure, assigned, depth - 1);
                        let value = self.distinct(own, value);
                        let read = self.default_of_read(*procedure, assigned, depth - 1);
                        found.is_given |= read.is_some();
                        let value = read.map_or(value, Ok);
                        let is_no_default = self.definitions[place.at()].is_no_default(assigned);
                        if !is_no_default
                            && self.definitions[place.at()].is_default(assigned)
                            && let Ok(value) = &value
                            && value.as_number().is_some()
                        {
                            let is_certain = self.at_once.contains(procedure);
                            found.defaults[usize::from(!is_certain)].push(value.clone());
                        }
                        if self.definitions[place.at()].is_stand_in(assigned) {
                            found.stand_ins.extend(value.clone());
                        }
                        match is_no_default {
                            true => found.floors.push(value),
                            false if self.definitions[place.at()].is_change(assigned) => {
                                found.changes.extend(value);
                            }
                            false => found.add(value),
                        }
                    }
                    Definition::Array(other) => {
                        let value = self.mention(self.counterpart(own, *other), depth - 1);
                        found.add(self.distinct(own, value));
                    }
                    Definition::Returned(dummy) => {
                        self.by_statements(*dummy, found, seen, depth - 1);
                    }
                    Definition::Given => {
                        found.is_given = true;
                        let without = self.definitions[place.at()].without;
                        found.is_done_without |= without == Some(Without::GoesOn);
                    }
                    Definition::About(guess) => {
                        (found.is_given, found.about) = (true, Some(f64::from(*guess)));
                    }
                    Definition::Alone(value) => {
                        (found.is_given, found.alone) = (true, Some(*value));
                    }
                    Definition::AtMost(procedure, limit) => {
                        found
                            .limits
                            .extend(self.value(*procedure, limit, depth - 1));
                    }
                    Definition::Counted(procedure, [first, last]) => {
                        found.add(self.value(*procedure, last, depth - 1));
                        found.is_counted = true;
                        found
                            .firsts
                            .extend(self.value(*procedure, first, depth - 1));
                    }
                    Definition::CountedUp(procedure, counter) => {
                        match self.counted_up(*procedure, counter, depth - 1) {
                            Ok([last, first]) => {
                                found.add(Ok(last));
                                found.firsts.push(first);
                                (found.is_counted, found.is_counted_up) = (true, true);
                            }
                            Err(gap) => found.add(Err(gap)),
                        }
                    }
                    Definition::Extent(procedure, array, dimension) => {
                        found.add(self.extent(*procedure, array, *dimension, depth - 1));
                    }
                    Definition::Allocated(procedure, array, dimension) => {
                        found.add(self.dimension(*procedure, *array, *dimension, depth - 1));
                    }
                    Definition::Between(procedure, extent) => {
                        found.add(self.between(*procedure, extent, depth - 1));
                    }
                    Definition::Words(_) => {}
                }
            }
        }
    }

    /// What calls pass for a dummy argument.
    fn passed(&mut self, place: PlaceId, found: &mut Candidates, depth: u32) {
        let passed = &self.definitions[place.at()].passed;
        let is_counted = |one: &Definition| matches!(one, Definition::Counted(..));
        let all_counted = passed.iter().all(is_counted);
        for definition in passed {
            match definition {
                Definition::Value(procedure, value) => {
                    found.add(self.assigned_value(place, *procedure, value, depth));
                }
                Definition::Array(array) => found.add(self.mention(*array, depth)),
                Definition::Words(words) => {
                    (found.is_given, found.words) = (true, Some(*words));
                }
                Definition::Extent(procedure, array, dimension) => {
                    found.add(self.extent(*procedure, array, *dimension, depth));
                }
                Definition::Counted(procedure, [first, last]) => {
                    found.add(self.assigned_value(place, *procedure, last, depth));
                    found.is_counted = true;
                    // What other calls pass may begin anywhere.
                    if all_counted {
                        let first = self.assigned_value(place, *procedure, first, depth);
                        found.firsts.extend(first);
                    }
                }
                Definition::Returned(_)
                | Definition::Allocated(..)
                | Definition::Between(..)
                | Definition::AtMost(..)
                | Definition::Given
                | Definition::About(_)
                | Definition::Alone(_)
                | Definition::CountedUp(..) => {}
            }
        }
        let Some(array) = self.places.get(place).array else {
            return;
        };
        for definition in &self.definitions[array.at()].passed {
            match definition {
                Definition::Array(other) => {
                    let value = self.mention(self.counterpart(place, *other), depth);
                    found.add(self.distinct(place, value));
                }
                // An array that is not followed to its elements.
                Definition::Value(..) => found.add(Err(Gap::Unfollowed)),
                _ => {}
            }
        }
    }

    /// The element of another array with the same subscripts as an element; the other array as a whole else.
    fn counterpart(&self, element: PlaceId, other: PlaceId) -> PlaceId {
        let numbers = &self.places.get(element).subscripts;
        let elements = &self.places.get(other).elements;
        let is_same = |element: &&PlaceId| self.places.get(**element).subscripts == *numbers;
        elements.iter().find(is_same).copied().unwrap_or(other)
    }

    /// A value of a place. An element is no other name for whatever element of an array: others would be the same then.
    fn distinct(&self, place: PlaceId, value: Result<Expr, Gap>) -> Result<Expr, Gap> {
        let is_whole = |symbol: &Symbol| {
            let number = self.numbers.get(symbol);
            number.is_some_and(|number| self.places.get(PlaceId(*number as u32)).is_array)
        };
        match &value {
            Ok(found) if self.places.get(place).array.is_some() => {
                match found.symbols().iter().any(is_whole) {
                    true => Err(Gap::Unfollowed),
                    false => value,
                }
            }
            _ => value,
        }
    }

    /// Whether a run uses the zero of a variable that is defined without a value before statements give it one. What only
    /// conditions ask for is an option.
    fn begins_as_zero(&self, place: PlaceId) -> bool {
        let (of, known) = (&self.definitions[place.at()], self.places.get(place));
        let is_read = matches!(
            of.first,
            Some(First::Read {
                may_be_written: false,
                ..
            })
        );
        let is_asked = matches!(of.first_asked, Some(First::Read { .. }));
        let is_scalar = known.array.is_none() && !known.is_array && !known.is_real;
        known.begins_with_zero && is_scalar && is_read && !is_asked && !of.assigned.is_empty()
    }

    /// What it has before the program runs; where structures of one type differ and nothing else gives it a value, the
    /// values are among the candidates.
    fn initial(&mut self, place: PlaceId, candidates: &mut Candidates, depth: u32) -> Option<Expr> {
        let definitions = self.definitions;
        let Definitions {
            initial,
            other_initial,
            ..
        } = &definitions[place.at()];
        if initial.is_none() && self.begins_as_zero(place) && !candidates.is_given {
            candidates.add(Ok(Expr::from(0.0)));
        }
        let known = self.places.get(place);
        let own = known.array.unwrap_or(place);
        let has_several = self.places.get(own).has_several;
        // What is given to one structure may be meant, or what elements of another begin with.
        let array = known.array.filter(|_| known.structure.is_some());
        if initial.is_none()
            && let Some(array) = array.filter(|_| !candidates.is_empty() && !candidates.is_given)
        {
            let of = &definitions[array.at()];
            for (procedure, value) in of.initial.iter().chain(&of.other_initial) {
                candidates.add(self.assigned_value(place, *procedure, value, depth));
            }
        }
        let mut value = |(procedure, value): &(ProcedureId, &Value)| {
            self.assigned_value(place, *procedure, value, depth)
        };
        let first = value(&(*initial)?);
        let others: Vec<Result<Expr, Gap>> = other_initial.iter().map(value).collect();
        if others.iter().all(|other| *other == first) {
            // `static int n = 100; step(); set_n(1000); step();`
            let is_size = |value: &Expr| value.as_integer().is_some_and(|number| number >= 1);
            if (has_several || definitions[place.at()].may_be_read_first())
                && (!candidates.values.is_empty() || !candidates.floors.is_empty())
                && !candidates.is_given
                && !self.places.get(place).is_real
            {
                let sizes = first.iter().filter(|value| is_size(value));
                sizes.for_each(|value| candidates.add(Ok(value.clone())));
            }
            return first.ok();
        }
        // What a statement gives one structure, the others still begin with.
        if !candidates.is_given {
            std::iter::once(first)
                .chain(others)
                .for_each(|value| candidates.add(value));
        }
        None
    }
}
