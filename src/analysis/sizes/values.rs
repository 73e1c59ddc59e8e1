//! Which expression over other places is the value of each place?
//!
//! Places are resolved by following their definitions, each once ([`Resolver::resolve`]). One that is just
//! another name for a number or a place is replaced by it; any other stands as a symbol, so that expressions
//! stay short and show how the program computes its sizes.
//!
//! ```text
//! definitions of a place                          value               origin
//! one                                             that                Derived, or Caller if it is passed
//! several that differ                             the largest         Callers, with the smallest beside it
//! one, and read from outside                      that, as default    Given
//! as on one process that runs alone (MPI)         that                Alone
//! only an initial value                           that                Initial
//! also from its own old value (n = 2*n)           the others, not all; a number alone is nothing
//! ```
//!
//! A place that leads back to itself is a circle ([`Gap::Circle`]): its other values still count, but are not
//! all. If the input of a run has the name of a place that may be read, its number comes first
//! ([`Origin::Input`]).
//!
//! Values are found up to [`ROUNDS`] times again without the statements that `dead` shows to be out of reach,
//! as each round may show more of them to be.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::dead::Seen;
use super::definitions::{Collected, Collector, Definition, Definitions};
use super::options::option;
use super::places::{Place, PlaceId, Places, inquired};
use crate::calls::{ProcedureId, Procedures, Target};
use crate::expr::{Expr, Node, Symbol, SymbolKind};
use crate::facts::{self, Constant, Origin};
use crate::inputs::{Inputs, Used};
use crate::ir::{BinaryOp, Function, Type, UnaryOp, Value, VarId};
use crate::symbolic::{integer_quotient, of_whole_numbers, remainder};

/// Places that lead to each other are followed so far.
const DEPTH: u32 = 100;
/// Different values of one place of which the largest counts.
const MOST_VALUES: usize = 4;

/// What is left where statements are not reached may show of others that they are not, so many times.
const ROUNDS: usize = 3;

/// What is known of the value of a place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Found {
    /// Over other places; `None` if nothing that can be followed gives it a value.
    pub value: Option<Expr>,
    /// Of several values the smallest, where `value` is the largest.
    pub smallest: Option<Expr>,
    pub origin: Origin,
    /// Whether all that gives it values is followed.
    pub is_complete: bool,
}

impl Found {
    const NOTHING: Found = Found {
        value: None,
        smallest: None,
        origin: Origin::Default,
        is_complete: false,
    };

    /// A place that has the one value of an origin.
    fn one(value: Option<Expr>, origin: Origin) -> Found {
        Found {
            value,
            smallest: None,
            origin,
            is_complete: true,
        }
    }

    /// Whether the place is just another name for its value.
    fn is_plain(&self) -> bool {
        let is_plain = |value: &Expr| matches!(value.node(), Node::Number(_) | Node::Symbol(_));
        !matches!(self.origin, Origin::Given | Origin::Alone | Origin::Input)
            && self.smallest.is_none()
            && self.value.as_ref().is_some_and(is_plain)
    }
}

/// The integers of a program and where their values come from.
pub struct Sizes {
    places: Places,
    symbols: Vec<Symbol>,
    numbers: FxHashMap<Symbol, PlaceId>,
    found: Vec<Found>,
    options: Vec<Option<i64>>,
    /// Of every place, whether statements give it values, none of which are read from outside.
    filled: Vec<bool>,
    /// The names of the input that places took their values from.
    taken: Vec<String>,
    /// Whether a run begins somewhere: else anything may call what is passed to.
    has_entry: bool,
}

impl Sizes {
    /// Reads what all statements of the program give integers.
    pub fn new(known: &Procedures, inputs: &Inputs) -> Sizes {
        let mut collector = Collector::new(known);
        collector.program();
        let Collected {
            places,
            mut definitions,
            readers,
        } = collector.finish();
        let symbols = symbols(&places);
        let numbers: FxHashMap<&Symbol, usize> = symbols.iter().zip(0..).collect();
        let all = |definitions: &[Definitions]| {
            Resolver::all(known, (&places, definitions), (&symbols, &numbers), inputs)
        };
        let (mut found, mut taken) = all(&definitions);
        for _ in 0..ROUNDS {
            let unreached = Seen {
                known,
                places: &places,
                definitions: &definitions,
                found: &found,
                numbers: &numbers,
            }
            .unreached();
            if unreached.is_empty() {
                break;
            }
            for (place, value) in unreached {
                definitions[place.at()].leave_out(value);
            }
            (found, taken) = all(&definitions);
        }
        let option = |(place, found): (u32, &Found)| match &found.value {
            Some(value) if found.origin == Origin::Input => value.as_integer(),
            _ => option(known, &places, &definitions, &readers, PlaceId(place)),
        };
        let options = (0..).zip(&found).map(option).collect();
        let numbers = symbols.iter().cloned().zip((0..).map(PlaceId)).collect();
        Sizes {
            places,
            symbols,
            numbers,
            found,
            options,
            filled: definitions.iter().map(Definitions::is_filled).collect(),
            taken,
            has_entry: known.ids().any(|id| known.get(id).function.is_main),
        }
    }

    /// What a variable or element of a procedure is, over places; a place that nothing gives a value is itself. Of a
    /// function with bodies in place of calls, `function` has the variables.
    pub fn value(
        &self,
        procedure: ProcedureId,
        function: &Function,
        value: &Value,
    ) -> Option<(Expr, Origin)> {
        let place = self.place(procedure, function, value)?;
        let found = &self.found[place.at()];
        if self.places.get(place).is_real && found.value.is_none() {
            return None;
        }
        let name = self.name_of(place).cloned();
        Some((name.unwrap_or_else(|| self.symbol(place)), found.origin))
    }

    /// The place of a variable or element of a procedure.
    pub(super) fn place(
        &self,
        procedure: ProcedureId,
        function: &Function,
        value: &Value,
    ) -> Option<PlaceId> {
        self.places.find(function, procedure, value)
    }

    /// The number or other place that a place is just another name for.
    pub(super) fn name_of(&self, place: PlaceId) -> Option<&Expr> {
        let found = &self.found[place.at()];
        found.value.as_ref().filter(|_| found.is_plain())
    }

    /// The largest and the smallest value that a place is given, where all that gives it values is followed. Without a
    /// main program, calls may come from anywhere.
    pub(super) fn ends(&self, place: PlaceId) -> Option<[&Expr; 2]> {
        let Found {
            value,
            smallest,
            origin,
            is_complete,
        } = &self.found[place.at()];
        let is_followed = matches!(origin, Origin::Derived | Origin::Caller | Origin::Callers);
        let largest = value.as_ref().filter(|_| *is_complete && is_followed)?;
        let is_name = matches!(largest.node(), Node::Symbol(_));
        if !self.has_entry && !is_name {
            return None;
        }
        Some([largest, smallest.as_ref().unwrap_or(largest)])
    }

    /// The value that a place has unless the input says otherwise.
    pub(super) fn option(&self, place: PlaceId) -> Option<i64> {
        self.options[place.at()]
    }

    /// The place of a symbol.
    pub(super) fn numbered(&self, symbol: &Symbol) -> Option<PlaceId> {
        self.numbers.get(symbol).copied()
    }

    /// Whether a value is nothing but a variable that one procedure has for itself and nothing gives a value.
    fn is_itself(&self, value: &Expr) -> bool {
        let Node::Symbol(symbol) = value.node() else {
            return false;
        };
        self.numbered(symbol).is_some_and(|place| {
            self.places.get(place).is_own && self.found[place.at()] == Found::NOTHING
        })
    }

    /// Drops the values of symbols that are nothing but themselves and that no other function knows of, and collects the
    /// places that the others mention.
    pub fn settle(&self, functions: &mut [facts::Function]) -> BTreeMap<Symbol, facts::Place> {
        let is_itself = |constant: &Constant| self.is_itself(&constant.value);
        let constants = functions.iter().flat_map(|function| &function.constants);
        let places = self.places_of(
            constants
                .filter(|constant| !is_itself(constant))
                .map(|constant| &constant.value),
        );
        let is_known = |value: &Expr| match value.node() {
            Node::Symbol(symbol) => places.contains_key(symbol),
            _ => false,
        };
        for function in functions {
            let constants = &mut function.constants;
            constants.retain(|constant| !is_itself(constant) || is_known(&constant.value));
        }
        places
    }

    /// The names of the input that places took their values from.
    pub fn used(&self) -> Used {
        Used::of(self.taken.iter().map(String::as_str))
    }

    fn symbol(&self, place: PlaceId) -> Expr {
        Expr::from(self.symbols[place.at()].clone())
    }

    /// Whether statements give an array its elements, none of which are read from outside.
    fn is_filled(&self, place: PlaceId) -> bool {
        self.filled[place.at()]
    }

    /// The places that expressions mention, and those that their values do.
    fn places_of<'e>(
        &self,
        expressions: impl Iterator<Item = &'e Expr>,
    ) -> BTreeMap<Symbol, facts::Place> {
        let mut found: BTreeMap<Symbol, facts::Place> = BTreeMap::new();
        let mut pending: Vec<Symbol> = expressions.flat_map(Expr::symbols).collect();
        while let Some(symbol) = pending.pop() {
            let Some(number) = self.numbered(&symbol) else {
                continue;
            };
            if found.contains_key(&symbol) {
                continue;
            }
            let place = self.places.get(number);
            let Found {
                value,
                smallest,
                origin,
                is_complete: _,
            } = self.found[number.at()].clone();
            let values = value.iter().chain(&smallest);
            pending.extend(values.flat_map(Expr::symbols));
            let place = facts::Place {
                name: place.name.clone(),
                file: place.file.clone(),
                line: place.line,
                is_real: place.is_real,
                is_table: place.is_array && place.elements.is_empty() && self.is_filled(number),
                value,
                smallest,
                guess: None,
                origin,
            };
            found.insert(symbol, place);
        }
        found
    }
}

/// A symbol for every place: its name, behind what it belongs to.
fn symbols(places: &Places) -> Vec<Symbol> {
    let mut taken: BTreeMap<String, u32> = BTreeMap::new();
    let name = |number: usize| {
        let place = places.get(PlaceId(number as u32));
        let name = match place.scope.as_str() {
            "" => place.name.clone(),
            scope => format!("{scope}.{}", place.name),
        };
        let count = taken.entry(name.clone()).or_insert(0);
        *count += 1;
        let name = match *count {
            1 => name,
            count => format!("{name}#{count}"),
        };
        Symbol::new(SymbolKind::Place, &name)
    };
    (0..places.len()).map(name).collect()
}

#[derive(Clone, Debug)]
enum State {
    Waiting,
    Busy,
    Done(Found),
}

impl State {
    fn found(self) -> Found {
        match self {
            State::Done(found) => found,
            State::Waiting | State::Busy => Found::NOTHING,
        }
    }
}

/// Why an expression has no value over places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gap {
    /// It is made from the value that the place had before.
    Circle,
    /// It is computed in a way that is not followed.
    Unfollowed,
    /// It comes from outside, another value each time.
    Given,
}

/// The values that a place may have.
#[derive(Default)]
struct Candidates {
    values: Vec<Expr>,
    /// It is no larger than these.
    limits: Vec<Expr>,
    is_given: bool,
    /// What it is given where one process runs alone.
    alone: Option<i64>,
    /// The variable of a loop, whose last value is one of them.
    is_counted: bool,
    /// Where the loops begin.
    firsts: Vec<Expr>,
    is_circular: bool,
    has_gaps: bool,
}

impl Candidates {
    fn add(&mut self, value: Result<Expr, Gap>) {
        match value {
            Ok(value) if self.values.contains(&value) => {}
            Ok(value) => self.values.push(value),
            Err(Gap::Circle) => self.is_circular = true,
            Err(Gap::Unfollowed) => self.has_gaps = true,
            Err(Gap::Given) => self.is_given = true,
        }
    }

    /// Whether it is what input may give: it is read from outside, or is shared and has numbers only.
    fn may_be_read(&self, place: &Place, has_initial: bool) -> bool {
        let is_open = self.is_circular || self.has_gaps || self.is_counted;
        let has_numbers = self.values.iter().all(|value| value.as_number().is_some());
        let is_set = has_initial || !self.values.is_empty();
        self.is_given || (!place.is_local && !place.is_own && !is_open && has_numbers && is_set)
    }

    fn is_empty(&self) -> bool {
        self.values.is_empty() && !self.is_given && !self.is_circular && !self.has_gaps
    }
}

pub(super) struct Resolver<'a, 'u> {
    pub(super) known: &'a Procedures<'u>,
    pub(super) places: &'a Places,
    definitions: &'a [Definitions<'u>],
    symbols: &'a [Symbol],
    pub(super) numbers: &'a FxHashMap<&'a Symbol, usize>,
    states: Vec<State>,
    inputs: &'a Inputs,
    /// The names of the input that places took their values from.
    taken: Vec<String>,
}

impl<'a, 'u> Resolver<'a, 'u> {
    /// What is known of all places, and the names of the input that some took their values from.
    fn all(
        known: &'a Procedures<'u>,
        (places, definitions): (&'a Places, &'a [Definitions<'u>]),
        (symbols, numbers): (&'a [Symbol], &'a FxHashMap<&'a Symbol, usize>),
        inputs: &'a Inputs,
    ) -> (Vec<Found>, Vec<String>) {
        let mut resolver = Resolver {
            known,
            places,
            definitions,
            symbols,
            numbers,
            states: vec![State::Waiting; places.len()],
            inputs,
            taken: Vec::new(),
        };
        for place in 0..places.len() as u32 {
            let _ = resolver.resolve(PlaceId(place), DEPTH);
        }
        let found = resolver.states.into_iter().map(State::found).collect();
        (found, resolver.taken)
    }

    fn resolve(&mut self, place: PlaceId, depth: u32) -> Result<Found, Gap> {
        match &self.states[place.at()] {
            State::Done(found) => return Ok(found.clone()),
            State::Busy => return Err(Gap::Circle),
            State::Waiting if depth == 0 => return Err(Gap::Unfollowed),
            State::Waiting => {}
        }
        self.states[place.at()] = State::Busy;
        let found = self.decide(place, depth - 1);
        self.states[place.at()] = State::Done(found.clone());
        Ok(found)
    }

    /// The value of a place where an expression mentions it.
    pub(super) fn mention(&mut self, place: PlaceId, depth: u32) -> Result<Expr, Gap> {
        let found = self.resolve(place, depth)?;
        Ok(match &found.value {
            Some(value) if found.is_plain() => value.clone(),
            _ => Expr::from(self.symbols[place.at()].clone()),
        })
    }

    fn decide(&mut self, place: PlaceId, depth: u32) -> Found {
        let mut candidates = Candidates::default();
        self.assigned(place, &mut candidates, depth);
        let is_assigned = !candidates.is_empty();
        self.passed(place, &mut candidates, depth);
        let initial = self.initial(place, depth);
        if candidates.may_be_read(self.places.get(place), initial.is_some())
            && let Some((name, number)) = self.input(place)
            && (self.places.get(place).is_real || number.fract() == 0.0)
        {
            self.taken.push(name);
            return Found::one(Some(Expr::from(number)), Origin::Input);
        }
        let limits = std::mem::take(&mut candidates.limits);
        let mut found = Self::choose(candidates, is_assigned, initial);
        // Only this run has the one value.
        if self.definitions[place.at()].has_unreached && found.origin == Origin::Derived {
            found.origin = Origin::Callers;
        }
        let limited = |value: Expr| Expr::min(std::iter::once(value).chain(limits.iter().cloned()));
        Found {
            value: found.value.map(limited),
            smallest: found.smallest.map(limited),
            ..found
        }
    }

    /// What the input gives a place, by the word that the program looks for or else by its own name.
    fn input(&self, place: PlaceId) -> Option<(String, f64)> {
        let keys = self.definitions[place.at()].keys.iter().copied();
        let mut names = keys.chain([self.places.get(place).own_name.as_str()]);
        names.find_map(|name| Some((name.to_string(), self.inputs.value(name)?)))
    }

    /// The value that several add up to.
    fn choose(candidates: Candidates, is_assigned: bool, initial: Option<Expr>) -> Found {
        let Candidates {
            mut values,
            limits: _,
            is_given,
            alone,
            is_counted,
            firsts,
            is_circular,
            has_gaps,
        } = candidates;
        if let Some(alone) = alone {
            return Found::one(Some(Expr::from(alone)), Origin::Alone);
        }
        if is_given {
            // What the program has unless it is told otherwise.
            let mut numbers = values.iter().filter(|value| value.as_number().is_some());
            let value = match (&values[..], numbers.next(), numbers.next()) {
                ([only], ..) => Some(only.clone()),
                ([], ..) => initial,
                (_, Some(only), None) => Some(only.clone()),
                _ => None,
            };
            // Zero and less say that the program has yet to be told.
            let is_unset = |value: &Expr| value.as_number().is_some_and(|n| n <= 0.0);
            let value = value.filter(|value| !is_unset(value));
            return Found::one(value, Origin::Given);
        }
        let is_complete = !is_circular && !has_gaps;
        match (values.len(), initial) {
            (0, Some(value)) if is_complete => Found::one(Some(value), Origin::Initial),
            (0, _) => Found::NOTHING,
            // What is counted from a number, or is a number at times, is not known by it.
            (1, _) if !is_complete && values[0].as_number().is_some() => Found::NOTHING,
            (1, _) if is_complete && !is_counted => {
                let origin = match is_assigned {
                    true => Origin::Derived,
                    false => Origin::Caller,
                };
                Found::one(values.pop(), origin)
            }
            (..=MOST_VALUES, _) => Found {
                smallest: (values.len() + firsts.len() > 1)
                    .then(|| Expr::min(values.iter().cloned().chain(firsts))),
                value: Some(Expr::max(values)),
                origin: Origin::Callers,
                is_complete: is_complete && !is_counted,
            },
            _ => {
                let (value, smallest) = ends(&values).unzip();
                Found {
                    value,
                    smallest,
                    origin: Origin::Callers,
                    is_complete: is_complete && !is_counted,
                }
            }
        }
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
        let Place {
            elements, array, ..
        } = self.places.get(place);
        let behind = std::iter::once(place).chain(*array);
        let behind: Vec<PlaceId> = behind.chain(elements.iter().copied()).collect();
        for place in behind {
            if seen.contains(&place) {
                continue;
            }
            seen.push(place);
            for definition in &self.definitions[place.at()].assigned {
                match definition {
                    Definition::Value(procedure, value) => {
                        found.add(self.assigned_value(place, *procedure, value, depth - 1));
                    }
                    Definition::Returned(dummy) => {
                        self.by_statements(*dummy, found, seen, depth - 1);
                    }
                    Definition::Given => found.is_given = true,
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
                    Definition::Extent(procedure, array, dimension) => {
                        found.add(self.extent(*procedure, array, *dimension, depth - 1));
                    }
                    Definition::Allocated(procedure, array, dimension) => {
                        found.add(self.dimension(*procedure, *array, *dimension, depth - 1));
                    }
                    Definition::Array(_) | Definition::Arguments => {}
                }
            }
        }
    }

    /// What calls pass for a dummy argument.
    fn passed(&mut self, place: PlaceId, found: &mut Candidates, depth: u32) {
        for definition in &self.definitions[place.at()].passed {
            match definition {
                Definition::Value(procedure, value) => {
                    found.add(self.assigned_value(place, *procedure, value, depth));
                }
                Definition::Array(array) => found.add(self.mention(*array, depth)),
                Definition::Arguments => {
                    found.is_given = true;
                    found.add(Ok(Expr::from(1.0)));
                }
                Definition::Extent(procedure, array, dimension) => {
                    found.add(self.extent(*procedure, array, *dimension, depth));
                }
                Definition::Returned(_)
                | Definition::Allocated(..)
                | Definition::AtMost(..)
                | Definition::Given
                | Definition::Alone(_)
                | Definition::Counted(..) => {}
            }
        }
        let Some(array) = self.places.get(place).array else {
            return;
        };
        for definition in &self.definitions[array.at()].passed {
            if let Definition::Array(other) = definition {
                let numbers = &self.places.get(place).subscripts;
                let elements = &self.places.get(*other).elements;
                let same = elements
                    .iter()
                    .find(|element| self.places.get(**element).subscripts == *numbers);
                found.add(self.mention(*same.unwrap_or(other), depth));
            }
        }
    }

    fn initial(&mut self, place: PlaceId, depth: u32) -> Option<Expr> {
        let (procedure, value) = self.definitions[place.at()].initial?;
        self.assigned_value(place, procedure, value, depth).ok()
    }

    /// A value of a procedure over places.
    pub(super) fn value(
        &mut self,
        id: ProcedureId,
        value: &Value,
        depth: u32,
    ) -> Result<Expr, Gap> {
        let depth = depth.checked_sub(1).ok_or(Gap::Unfollowed)?;
        let function = self.known.get(id).function;
        match value {
            Value::Integer(n) => Ok(Expr::from(*n)),
            Value::Logical(is_true) => Ok(Expr::from(i64::from(*is_true))),
            Value::Variable(variable) => {
                let constant = function.variable(*variable).constant.as_ref();
                match constant {
                    Some(constant) => self.value(id, constant, depth),
                    None => self.named(id, value, depth),
                }
            }
            Value::Element { .. } => self.named(id, value, depth),
            Value::Unary(UnaryOp::Negate, operand) => Ok(-self.value(id, operand, depth)?),
            Value::Convert(Type::Integer(_), operand)
                if matches!(operand.ty(function), Type::Real(_)) =>
            {
                Ok(self.real(id, operand, depth)?.truncated())
            }
            Value::Convert(Type::Integer(_), operand)
                if matches!(operand.ty(function), Type::Integer(_)) =>
            {
                self.value(id, operand, depth)
            }
            Value::Binary(op, left, right) => {
                let integers = [left, right]
                    .iter()
                    .all(|v| matches!(v.ty(function), Type::Integer(_)));
                if !integers {
                    return Err(Gap::Unfollowed);
                }
                let (a, b) = (self.value(id, left, depth)?, self.value(id, right, depth)?);
                arithmetic(*op, a, b).ok_or(Gap::Unfollowed)
            }
            Value::Call {
                name, arguments, ..
            } => match inquired(function, value) {
                Some((array, dimension)) => self.dimension(id, array, dimension, depth),
                None => self.call(id, name, arguments, depth),
            },
            _ => Err(Gap::Unfollowed),
        }
    }

    /// How many elements an array that is passed, or a part of one, has along one of its dimensions.
    fn extent(
        &mut self,
        id: ProcedureId,
        array: &Value,
        dimension: u32,
        depth: u32,
    ) -> Result<Expr, Gap> {
        match array {
            Value::Variable(array) => self.dimension(id, *array, dimension, depth),
            Value::Element { subscripts, .. } => {
                let section = |subscript: &&Value| matches!(subscript, Value::Section(_));
                let mut sections = subscripts.iter().filter(section);
                let Some(Value::Section(section)) = sections.nth(dimension as usize) else {
                    return Err(Gap::Unfollowed);
                };
                let [first, last, step] = &**section;
                let (first, last) = (self.value(id, first, depth)?, self.value(id, last, depth)?);
                let step = self.value(id, step, depth)?;
                match step.as_integer() {
                    Some(1) => Ok((last - first + 1.0).expand()),
                    Some(step) if step != 0 => {
                        let steps = integer_quotient((last - first).expand(), Expr::from(step));
                        Ok(steps + 1.0)
                    }
                    _ => Err(Gap::Unfollowed),
                }
            }
            // Element by element: as long as any of the arrays in it.
            Value::Unary(_, inner) | Value::Convert(_, inner) => {
                self.extent(id, inner, dimension, depth)
            }
            Value::Binary(_, left, right) => self
                .extent(id, left, dimension, depth)
                .or_else(|_| self.extent(id, right, dimension, depth)),
            _ => Err(Gap::Unfollowed),
        }
    }

    /// How many elements an array of a procedure has along a dimension: what is declared, or what is known of its extent.
    fn dimension(
        &mut self,
        id: ProcedureId,
        array: VarId,
        dimension: u32,
        depth: u32,
    ) -> Result<Expr, Gap> {
        let depth = depth.checked_sub(1).ok_or(Gap::Unfollowed)?;
        let function = self.known.get(id).function;
        let declared = function.variable(array).dimensions.get(dimension as usize);
        match declared.map(|extent| (&extent.lower, &extent.upper)) {
            Some((lower, Some(last))) => {
                let first = match lower {
                    Some(lower) => self.value(id, lower, depth)?,
                    None => Expr::from(function.conventions.first_index),
                };
                Ok((self.value(id, last, depth)? - first + 1.0).expand())
            }
            _ => {
                let place = self.places.find_extent(function, id, array, dimension);
                self.mention(place.ok_or(Gap::Unfollowed)?, depth)
            }
        }
    }

    /// Whether a value is nothing but what some place is given from outside.
    fn is_given(&self, value: &Expr) -> bool {
        let Node::Symbol(symbol) = value.node() else {
            return false;
        };
        self.numbers.get(symbol).is_some_and(|place| {
            matches!(&self.states[*place], State::Done(found) if found.origin == Origin::Given)
        })
    }

    /// Whether all values that a place may have are known, at least until the program is told another.
    pub(super) fn is_known(&self, place: usize) -> bool {
        matches!(
            &self.states[place],
            State::Done(Found {
                value: Some(_),
                is_complete: true,
                ..
            })
        )
    }

    fn named(&mut self, id: ProcedureId, value: &Value, depth: u32) -> Result<Expr, Gap> {
        let function = self.known.get(id).function;
        let place = self.places.find(function, id, value);
        self.mention(place.ok_or(Gap::Unfollowed)?, depth)
    }

    fn call(
        &mut self,
        id: ProcedureId,
        name: &str,
        arguments: &[Value],
        depth: u32,
    ) -> Result<Expr, Gap> {
        if let Target::Body(callee) = self.known.target(id, name) {
            let function = self.known.get(callee).function;
            let result = function.result.ok_or(Gap::Unfollowed)?;
            let place = self.places.find(function, callee, &Value::Variable(result));
            let place = place.ok_or(Gap::Unfollowed)?;
            let value = self.mention(place, depth)?;
            // What a function reads is another value in every call.
            return match self.is_given(&value) {
                true => Err(Gap::Given),
                false => Ok(value),
            };
        }
        let function = self.known.get(id).function;
        if (arguments.iter()).any(|argument| matches!(argument.ty(function), Type::Real(_))) {
            return self.rounded(id, name, arguments, depth);
        }
        let values = arguments
            .iter()
            .map(|argument| self.value(id, argument, depth))
            .collect::<Result<Vec<Expr>, Gap>>()?;
        of_whole_numbers(name, values).ok_or(Gap::Unfollowed)
    }
}

fn arithmetic(op: BinaryOp, a: Expr, b: Expr) -> Option<Expr> {
    Some(match op {
        BinaryOp::Add => a + b,
        BinaryOp::Subtract => a - b,
        BinaryOp::Multiply => a * b,
        BinaryOp::Divide if !b.is_zero() => integer_quotient(a, b),
        BinaryOp::Remainder if !b.is_zero() => remainder(a, b),
        BinaryOp::Power => a.power(b),
        _ => return None,
    })
}

/// The largest and the smallest of numbers, if all are.
fn ends(values: &[Expr]) -> Option<(Expr, Expr)> {
    let numbers: Option<Vec<f64>> = values.iter().map(Expr::as_number).collect();
    let numbers = numbers?;
    let largest = numbers.iter().copied().reduce(f64::max)?;
    let smallest = numbers.iter().copied().reduce(f64::min)?;
    Some((Expr::from(largest), Expr::from(smallest)))
}
