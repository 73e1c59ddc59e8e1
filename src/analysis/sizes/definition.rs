//! What gives places values.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::amended::Amended;
use super::counters::Counter;
use super::first::First;
use super::guarded::Around;
use super::places::{PlaceId, Places};
use crate::calls::ProcedureId;
use crate::ir::{Extent, Value, VarId};

/// One way in which a place gets a value.
#[derive(Clone, Debug)]
pub enum Definition<'u> {
    /// The value of an expression of a procedure.
    Value(ProcedureId, &'u Value),
    /// What a called procedure gives the dummy argument that the place is passed for.
    Returned(PlaceId),
    /// Whatever another array has, element by element: the one that is passed for a dummy array, or that is copied.
    Array(PlaceId),
    /// The number of words of the command line, as few as the program goes on with.
    Words(i64),
    /// No more than the value, which it is given where it is larger: `if (x > n) x = n`.
    AtMost(ProcedureId, &'u Value),
    /// From outside: a file, the command line, the environment.
    Given,
    /// From outside, about so much.
    About(u32),
    /// From outside, and this where one process runs alone: their number, its rank.
    Alone(i64),
    /// The variable of a loop, with its smallest and its largest value.
    Counted(ProcedureId, [&'u Value; 2]),
    /// What a procedure counts up to.
    CountedUp(ProcedureId, Arc<Counter<'u>>),
    /// The number of elements that an array, or a part of one, has along a dimension.
    Extent(ProcedureId, &'u Value, u32),
    /// The same of an array whose bounds a procedure knows, as it allocates it.
    Allocated(ProcedureId, VarId, u32),
    /// What these bounds hold.
    Between(ProcedureId, &'u Extent),
}

/// What the program does where a value is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Without {
    GoesOn,
    /// The program ends there.
    Ends,
}

/// Everything that gives one place values.
#[derive(Clone, Debug, Default)]
pub struct Definitions<'u> {
    /// By statements.
    pub assigned: Vec<Definition<'u>>,
    /// By calls of the procedure whose dummy argument it is.
    pub passed: Vec<Definition<'u>>,
    /// Before the program runs.
    pub initial: Option<(ProcedureId, &'u Value)>,
    /// Of a component, the same of other structures of the type, where their declarations say something else.
    pub other_initial: Vec<(ProcedureId, &'u Value)>,
    /// Of what is assigned, the values of statements that no condition and no loop is around.
    pub unconditional: Vec<&'u Value>,
    /// Whether the procedure that has it for itself, or the main program, reads it where no condition and no loop is around.
    pub is_always_read: bool,
    /// Of what is assigned, the values that it is given where it is smaller: `if (x < n) x = n`.
    pub floors: Vec<&'u Value>,
    /// Of what is assigned, the values that the same procedure takes back: `kept = n; n = 1; …; n = kept`.
    pub taken_back: Vec<&'u Value>,
    /// Of what is assigned, the values that it is given where it has none so far: `if (x == 0) x = n`.
    pub stand_ins: Vec<&'u Value>,
    /// What the program does where it is zero, if it asks for that: where it ends somewhere, it ends.
    pub without: Option<Without>,
    /// Of what is assigned, the values of statements under conditions on what their procedure reads.
    pub under_input: Vec<&'u Value>,
    /// Of these, the values of statements under conditions on words of the command line that are there.
    pub under_words: Vec<&'u Value>,
    /// Of what is assigned, the values of statements that run where it is not read.
    pub instead_of_input: Vec<&'u Value>,
    /// Of these, the ones that nothing but the branch around them asks for more: whatever it had before is gone.
    pub always_instead: Vec<&'u Value>,
    /// Whether it is set once more behind a branch that reads it or gives it a value: it has one value before, one behind.
    pub is_set_again: bool,
    /// What changes the value that has been read.
    pub amended: Vec<Amended<'u>>,
    /// Of what is assigned, literals and counts under conditions, and these.
    pub guards: Vec<(ProcedureId, &'u Value, Around<'u>)>,
    /// Whether something that is assigned is left out, as no run that is given the same gets there.
    pub has_unreached: bool,
    /// What the input calls it, where that is not its own name.
    pub keys: Vec<&'u str>,
    /// What the input calls the structures that it is a component of, with its own name: `cfg%n`.
    pub read_as: Vec<String>,
    /// Whether nothing counts but what is there already.
    pub is_settled: bool,
    /// Whether what runs get to mentions it, but does not give it a value.
    pub is_unset_so_far: bool,
    /// Whether a procedure without a body gets its place, and may give it any value.
    pub is_handed_out: bool,
    /// Whether a call of a procedure without a body gets its place in a language that passes places, and nothing says that
    /// it is only read there.
    pub may_be_reset: bool,
    /// Whether it is a component of a structure that is zero before the program runs, and nothing else gives it a first value.
    pub is_zero_structure: bool,
    /// Whether statements may give it values by other names, or through its address, which nothing here follows.
    pub is_aliased: bool,
    /// What runs do first with it: read what it begins with, or write it.
    pub first: Option<First>,
    /// The same where only conditions count as reading.
    pub first_asked: Option<First>,
}

impl<'u> Definitions<'u> {
    /// Whether no condition and no loop is around the statement that assigns the value.
    pub fn is_unconditional(&self, value: &Value) -> bool {
        is_among(&self.unconditional, value)
    }

    /// Whether the statement that assigns the value says nothing of what the place has unless the program is told otherwise:
    /// it keeps it from being smaller, or is taken back.
    pub fn is_no_default(&self, value: &Value) -> bool {
        is_among(&self.floors, value) || is_among(&self.taken_back, value)
    }

    /// Whether the statement that assigns the value runs where the place has none so far.
    pub fn is_stand_in(&self, value: &Value) -> bool {
        is_among(&self.stand_ins, value)
    }

    /// Whether the statement that assigns the value is under a condition on what its procedure reads.
    pub fn is_under_input(&self, value: &Value) -> bool {
        is_among(&self.under_input, value)
    }

    /// Whether only a run that is given words on its command line assigns the value.
    pub fn is_under_words(&self, value: &Value) -> bool {
        is_among(&self.under_words, value)
    }

    /// Whether the statement that assigns the value changes what has been read, under a condition.
    pub fn is_change(&self, value: &Value) -> bool {
        let changes = |one: &Amended| {
            std::ptr::eq(one.value, value) && one.is_behind && !one.conditions.is_empty()
        };
        self.amended.iter().any(changes)
            && self.is_read()
            && !self.is_instead_of_input(value)
            && !self.is_stand_in(value)
    }

    /// Whether the statement that assigns the value runs where the place is not read.
    pub fn is_instead_of_input(&self, value: &Value) -> bool {
        is_among(&self.instead_of_input, value)
    }

    /// Whether the place has that value unless the program is told another: what the program gives it instead of reading
    /// it, what it is set to before anything else, or else where it is not read.
    pub fn is_default(&self, value: &Value) -> bool {
        match (&self.always_instead[..], &self.unconditional[..]) {
            ([], []) => self.is_instead_of_input(value),
            ([], unconditional) => is_among(unconditional, value),
            (instead, _) => is_among(instead, value),
        }
    }

    /// Whether statements give it values, and nothing from outside does.
    pub fn is_filled(&self) -> bool {
        let is_value = |definition: &Definition| {
            matches!(definition, Definition::Value(..) | Definition::Array(_))
        };
        let is_given = |definition: &Definition| {
            matches!(
                definition,
                Definition::Given | Definition::About(_) | Definition::Alone(_)
            )
        };
        self.assigned.iter().any(is_value) && !self.assigned.iter().any(is_given)
    }

    /// Leaves out the statement that assigns the value.
    pub fn leave_out(&mut self, value: &Value) {
        let is_it = |definition: &Definition| matches!(definition, Definition::Value(_, other) if std::ptr::eq(*other, value));
        self.has_unreached |= self.assigned.iter().any(is_it);
        self.assigned.retain(|definition| !is_it(definition));
        self.guards
            .retain(|(_, other, _)| !std::ptr::eq(*other, value));
    }

    /// Adds a value that it has before the program runs.
    pub fn begin(&mut self, id: ProcedureId, value: &'u Value) {
        match self.initial {
            None => self.initial = Some((id, value)),
            Some((_, first)) if first == value || self.is_settled => {}
            Some(_) => self.other_initial.push((id, value)),
        }
    }

    /// Whether it may have another value than statements give it: what it has before the program runs, as something asks
    /// for it before these run (`static int done = 0; if (!done) …; done = 1;` in a branch).
    pub fn may_keep_initial(&self) -> bool {
        self.initial.is_some() && !self.assigned.is_empty() && self.may_be_read_first()
    }

    /// Whether it may be read before statements give it a value. Where it is not known in which order they run, those
    /// that no condition is around come first.
    pub fn may_be_read_first(&self) -> bool {
        match self.first {
            Some(First::Written) => false,
            Some(First::Read { .. }) => true,
            None => self.unconditional.is_empty(),
        }
    }

    /// Whether it has a value before the program runs: of an element, that of its array.
    pub fn begins(&self, places: &Places, id: PlaceId) -> bool {
        let place = places.get(id);
        // What the elements of an array begin with is not followed.
        let is_element = place.array.is_some() && !place.is_own;
        self.initial.is_some() || place.begins_with_zero || self.is_zero_structure || is_element
    }

    /// Whether statements may read what it begins with: what is written first may be that of another structure of the type.
    pub fn keeps_first(&self, places: &Places, id: PlaceId) -> bool {
        let is_read_first = self.may_be_read_first() || places.get(id).has_several;
        self.begins(places, id) && is_read_first
    }

    /// Whether it has what it begins with, or what statements give it, but never one after the other, nor what nothing
    /// follows.
    pub fn is_given_once(&self, places: &Places, id: PlaceId) -> bool {
        let is_followed = !self.is_handed_out && !self.is_aliased && !self.may_be_reset;
        is_followed && (self.assigned.is_empty() || !self.keeps_first(places, id))
    }

    /// Whether something from outside gives it values.
    pub fn is_read(&self) -> bool {
        let is_given = |definition: &Definition| {
            matches!(definition, Definition::Given | Definition::About(_))
        };
        self.assigned.iter().any(is_given)
    }

    /// Whether statements, calls or declarations have given it a value.
    pub fn is_given_so_far(&self) -> bool {
        !self.assigned.is_empty() || !self.passed.is_empty() || self.initial.is_some()
    }

    pub fn assign(&mut self, definition: Definition<'u>) {
        if !self.is_settled {
            self.assigned.push(definition);
        }
    }

    pub fn pass(&mut self, definition: Definition<'u>) {
        if !self.is_settled {
            self.passed.push(definition);
        }
    }
}

/// Whether a dummy argument keeps what it is passed: neither its procedure nor one that this passes it on to assigns it.
pub(super) fn is_left_alone(all: &[Definitions], dummy: PlaceId, seen: &mut Vec<PlaceId>) -> bool {
    if seen.contains(&dummy) {
        return true;
    }
    seen.push(dummy);
    (all[dummy.at()].assigned.iter()).all(|definition| match definition {
        Definition::Returned(dummy) => is_left_alone(all, *dummy, seen),
        _ => false,
    })
}

/// Whether a value is one of those, not just equal to it.
pub fn is_among(values: &[&Value], value: &Value) -> bool {
    values.iter().any(|other| std::ptr::eq(*other, value))
}

/// In small letters, the names of variables, but for components, that the program reads.
pub(super) fn names_read(places: &Places, all: &[Definitions]) -> FxHashSet<String> {
    let named = (0..).map(PlaceId).zip(all);
    let read = named.filter(|(_, definitions)| definitions.is_read());
    let places = read.map(|(place, _)| places.get(place));
    let variables = places.filter(|place| place.structure.is_none());
    variables
        .map(|place| place.own_name.to_lowercase())
        .collect()
}
