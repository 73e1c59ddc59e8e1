//! What does a program choose unless its input says otherwise?
//!
//! Flags that are set up once and changed only where input is read decide branches for a run without options:
//! what they leave out has no calls.
//!
//! ```text
//! int verbose = 0;                                   option: 0
//! while ((c = getopt(…)) != -1)
//!   case 'v': verbose = 1;                           only where the input says so (`asked`)
//! if (verbose) print_all(u);                         not taken
//! ```
//!
//! Anything else that assigns it, such as a count or a value from elsewhere, makes it no option, and the branch
//! keeps its probability. What message passing gives a process as its rank is zero: of all processes, the first does
//! the most. How many there are decides nothing here. Truth follows names through arguments and structures ([`Sizes::truth`]).

use rustc_hash::FxHashSet;

use super::definition::{Definition, Definitions, Without, is_left_alone};
use super::found::only;
use super::places::{PlaceId, Places};
use super::program::Sizes;
use super::truth::{Choice, begins_with};
use crate::calls::{ProcedureId, Procedures};
use crate::expr::{self, Expr, Node, Symbol};
use crate::intrinsics::Intrinsics;
use crate::ir::{Function, Value, VarId};
use crate::literal::{DEPTH, literal};

/// What may give an option another value than its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Changes {
    /// Statements that are followed, all of them.
    Followed,
    /// Others as well: procedures that it is passed to, whoever keeps its address, copies that come back. That none does is a
    /// guess, and that there is one process.
    Others,
}

/// The value that a place has unless the input says otherwise: nothing but literals are assigned to it, one of them
/// before or without any condition, others only where input is read. Of a variable that one procedure has for itself,
/// conditions on what is read have to be around those others: else it may be how the procedure remembers what it found.
/// What is read, or is one literal where it is not read, has that literal. Of an element, what any element is given
/// counts, too. The rank of a process is that of the first, unless something else may give it a number.
pub(super) fn option(
    known: &Procedures,
    places: &Places,
    all: &[Definitions],
    readers: &FxHashSet<ProcedureId>,
    (id, changes): (PlaceId, Changes),
) -> Option<i64> {
    let place = places.get(id);
    let definitions = &all[id.at()];
    let whole = place.array.map(|array| &all[array.at()]);
    let is_passed = |definitions: &Definitions| !definitions.passed.is_empty();
    let is_array = place.is_array && place.array.is_none();
    let gives_rank = |definition: &Definition| gives_rank(all, definition, DEPTH);
    let is_rank = definitions.assigned.iter().any(gives_rank);
    if let ([Definition::Words(words)], [], Changes::Others) =
        (&definitions.passed[..], &definitions.assigned[..], changes)
    {
        return Some(*words);
    }
    // What it has before it is read is no choice.
    if (definitions.is_always_read && !is_rank)
        || changes == Changes::Followed && (definitions.is_handed_out || definitions.is_aliased)
        || !definitions.other_initial.is_empty()
        || is_array
        || is_passed(definitions)
        || whole.is_some_and(is_passed)
    {
        return None;
    }
    let is_private = place.is_own || place.is_local;
    let number = |(procedure, value): (ProcedureId, &Value)| {
        literal(known.get(procedure).function, value, DEPTH)
    };
    let (mut certain, mut instead): (Vec<i64>, Vec<i64>) = Default::default();
    let parts = std::iter::once(definitions).chain(whole);
    for (of, definition) in parts.flat_map(|of| of.assigned.iter().map(move |one| (of, one))) {
        match definition {
            Definition::Given if !is_rank => {}
            definition if gives_rank(definition) => certain.push(0),
            Definition::Alone(value) if changes == Changes::Others => certain.push(*value),
            Definition::About(value) if changes == Changes::Others => {
                certain.push(i64::from(*value));
            }
            Definition::Value(procedure, value)
                if changes == Changes::Others
                    && comes_back(known, (places, all), id, (*procedure, value)) => {}
            // Whatever it is, no run without words has it.
            Definition::Value(_, value)
                if changes == Changes::Others && of.is_under_words(value) => {}
            Definition::Value(procedure, value) => {
                let number = number((*procedure, value))?;
                let is_asked =
                    of.is_under_input(value) || !is_private && readers.contains(procedure);
                // Of an array, which element it is is not known.
                let is_certain = of.is_unconditional(value) && std::ptr::eq(of, definitions);
                match (is_certain, of.is_instead_of_input(value)) {
                    (true, _) => certain.push(number),
                    (_, true) => instead.push(number),
                    _ if is_asked && !is_rank => {}
                    _ if is_rank && number == 0 => {}
                    _ => return None,
                }
            }
            Definition::Returned(dummy) if is_left_alone(all, *dummy, &mut Vec::new()) => {}
            Definition::Returned(dummy)
                if changes == Changes::Others
                    && changes_by_input(all, readers, *dummy, &mut Vec::new()) => {}
            _ => return None,
        }
    }
    let initial = definitions.initial.map(number);
    let before = match (definitions.initial, &certain[..]) {
        (_, [first, ..]) => *first,
        (Some(_), []) => initial.flatten()?,
        (None, []) => {
            let is_left_alone = |one: &Definition| matches!(one, Definition::Value(..));
            let is_usual = changes == Changes::Others && definitions.is_zero_structure;
            let begins_with_zero = place.begins_with_zero || is_usual;
            let is_zero = begins_with_zero && definitions.assigned.iter().all(is_left_alone);
            *instead.first().or_else(|| is_zero.then_some(&0))?
        }
    };
    // What it begins with, where something asks for it before it is given another value.
    let first = match definitions.keeps_first(places, id) {
        true if !certain.is_empty() => vec![begins_with(known, places, definitions, id)?],
        _ => Vec::new(),
    };
    let value = only(&[&[before], &certain[..], &instead[..], &first[..]].concat()).copied();
    // What a run must be given, it has.
    value.filter(|value| *value > 0 || is_rank || definitions.without != Some(Without::Ends))
}

/// What a library function gives from outside as a rule: no run without options has words on its command line.
fn about(function: &Function, name: &str) -> Option<i64> {
    let called = Intrinsics::builtin().lookup(function.conventions.language, name)?;
    called.about.map(i64::from)
}

/// Whether what procedures give a dummy argument depends on what is read, as far as that is followed: one that counts it up,
/// or computes it, gives it another value in any run.
fn changes_by_input(
    all: &[Definitions],
    readers: &FxHashSet<ProcedureId>,
    dummy: PlaceId,
    seen: &mut Vec<PlaceId>,
) -> bool {
    if seen.contains(&dummy) {
        return true;
    }
    seen.push(dummy);
    let of = &all[dummy.at()];
    of.assigned.iter().all(|definition| match definition {
        Definition::Value(procedure, value) => {
            readers.contains(procedure) || of.is_under_input(value)
        }
        Definition::Returned(dummy) => changes_by_input(all, readers, *dummy, seen),
        Definition::CountedUp(procedure, _) | Definition::Counted(procedure, _) => {
            readers.contains(procedure)
        }
        _ => true,
    })
}

/// Whether a place is given what was copied from itself.
fn comes_back(
    known: &Procedures,
    (places, all): (&Places, &[Definitions]),
    id: PlaceId,
    (procedure, value): (ProcedureId, &Value),
) -> bool {
    let place_of = |at: ProcedureId, value| places.find(known.get(at).function, at, value);
    let from = place_of(procedure, value);
    let assigned = from.iter().flat_map(|from| &all[from.at()].assigned);
    assigned
        .filter_map(|definition| match definition {
            Definition::Value(at, value) => Some((*at, *value)),
            _ => None,
        })
        .any(|(at, value)| place_of(at, value) == Some(id))
}

/// Whether message passing gives a place the rank of its process, itself or in a procedure that is called.
fn gives_rank(all: &[Definitions], definition: &Definition, depth: u32) -> bool {
    match (definition, depth.checked_sub(1)) {
        (Definition::Alone(rank), _) => *rank == 0,
        (Definition::Returned(dummy), Some(depth)) => {
            let given = &all[dummy.at()].assigned;
            !given.is_empty() && given.iter().all(|one| gives_rank(all, one, depth))
        }
        _ => false,
    }
}

impl Sizes {
    /// Whether a condition of a procedure holds, unless the input says otherwise; `None` where that is not known.
    pub fn truth(
        &self,
        procedure: ProcedureId,
        function: &Function,
        condition: &Value,
    ) -> Option<bool> {
        self.truth_with(Changes::Followed, procedure, function, condition)
    }

    /// The same if nothing gives options other values than their own where statements are not followed: a guess.
    pub fn usual_truth(
        &self,
        procedure: ProcedureId,
        function: &Function,
        condition: &Value,
    ) -> Option<bool> {
        self.truth_with(Changes::Others, procedure, function, condition)
    }

    /// The number that a value of a procedure is, unless the input says otherwise.
    pub fn number(
        &self,
        procedure: ProcedureId,
        function: &Function,
        value: &Value,
    ) -> Option<i64> {
        let is_set = |id: VarId| self.is_set_constant(function, id);
        let value_of = |value: &Value, depth| {
            self.chosen_of((procedure, function), value, Changes::Followed, depth)
        };
        let choice = Choice {
            function,
            is_set: &is_set,
            value: &value_of,
            real: &|_| None,
            is_rank: &|_| false,
            leads: &|_| None,
        };
        choice.number(value, DEPTH)
    }

    /// The number that a variable or element of a procedure has, or what it calls gives.
    fn chosen_of(
        &self,
        (procedure, function): (ProcedureId, &Function),
        value: &Value,
        changes: Changes,
        depth: u32,
    ) -> Option<i64> {
        let place = match value {
            Value::Call { name, .. } => match self.result(procedure, name) {
                Some(result) => result,
                None if changes == Changes::Others => return about(function, name),
                None => return None,
            },
            // A pointer is none of the numbers that it leads to.
            Value::Variable(id) if !function.variable(*id).dimensions.is_empty() => return None,
            value => self.place(procedure, function, value)?,
        };
        self.chosen((place, changes), depth)
    }

    /// The number that a real variable has wherever a run asks for it, unless the input says otherwise.
    fn certain_number(&self, place: PlaceId, depth: u32) -> Option<f64> {
        let depth = depth.checked_sub(1)?;
        if !self.is_real(place) {
            let number = self.chosen((place, Changes::Followed), depth)?;
            return Some(number as f64);
        }
        let lookup = |symbol: &Symbol| self.certain_number(self.numbered(symbol)?, depth);
        self.certain_real(place)?.evaluate(&lookup).ok()
    }

    fn truth_with(
        &self,
        changes: Changes,
        procedure: ProcedureId,
        function: &Function,
        condition: &Value,
    ) -> Option<bool> {
        let is_set = |id: VarId| self.is_set_constant(function, id);
        let value =
            |value: &Value, depth| self.chosen_of((procedure, function), value, changes, depth);
        let leads = |condition: &Value| match changes {
            Changes::Followed => self.presence.truth(procedure, function, condition),
            Changes::Others => {
                let presence = self.presence.truth(procedure, function, condition);
                presence.or_else(|| self.pointing.truth(procedure, function, condition))
            }
        };
        let is_rank = |value: &Value| {
            let place = self.place(procedure, function, value.unconverted());
            changes == Changes::Others && place.is_some_and(|place| self.is_rank(place, DEPTH))
        };
        Choice {
            function,
            is_set: &is_set,
            value: &value,
            real: &|value| self.certain_number(self.place(procedure, function, value)?, DEPTH),
            is_rank: &is_rank,
            leads: &leads,
        }
        .truth(condition, DEPTH)
    }
}

impl Sizes {
    /// What a place has unless the input says otherwise, or the place that it is another name for.
    fn chosen(&self, (place, changes): (PlaceId, Changes), depth: u32) -> Option<i64> {
        let depth = depth.checked_sub(1)?;
        if self.is_real(place) && !self.is_given_once(place) {
            return None;
        }
        if let Some(option) = self.option(place, changes) {
            return Some(option);
        }
        let [largest, smallest] = self.ends(place)?;
        let largest = self.chosen_value((largest, changes), depth)?;
        let is_certain = self.chosen_value((smallest, changes), depth) == Some(largest);
        (is_certain && !self.may_begin_otherwise(place, largest)).then_some(largest)
    }

    /// Whether a place has the number that one of several processes or threads goes by, or is another name for such a place.
    fn is_rank(&self, place: PlaceId, depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        let named = |name: &Expr| match name.node() {
            Node::Symbol(symbol) => self.numbered(symbol),
            _ => None,
        };
        self.is_number_alone(place)
            || (self.name_of(place).and_then(named)).is_some_and(|place| self.is_rank(place, depth))
    }

    /// The same of what a place is given; several values have to agree.
    fn chosen_value(&self, (value, changes): (&Expr, Changes), depth: u32) -> Option<i64> {
        let depth = depth.checked_sub(1)?;
        match value.node() {
            Node::Number(_) => value.as_integer(),
            Node::Symbol(symbol) => self.chosen((self.numbered(symbol)?, changes), depth),
            Node::Call(expr::Function::Max | expr::Function::Min, values) => {
                let chosen = |value| self.chosen_value((value, changes), depth);
                let mut values = values.iter().map(chosen);
                let first = values.next()??;
                values.all(|value| value == Some(first)).then_some(first)
            }
            _ => None,
        }
    }
}
