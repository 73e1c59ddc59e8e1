//! What comes first in a run: something that asks for a variable, or a statement that gives it a value?
//!
//! ```text
//! static int n = 100, first = 1;
//! int main(void) { step(); set_n(1000); step(); }          n: step reads the 100 first
//! int main(void) { first = 0; step(); }                    first: written before step asks for it
//! int main(void) { if (argc > 1) first = 0; step(); }      perhaps written before
//! ```
//!
//! The statements of the main program are followed in their order, with those of what it calls. Of a branch that may run or
//! not, what it does first may come first.

use std::cell::RefCell;

use rustc_hash::{FxHashMap, FxHashSet};

use super::definition::Definitions;
use super::first::First;
use super::places::{PlaceId, Places};
use super::touches::{Touches, is_bare_return};
use crate::calls::{ProcedureId, Procedures, Target};
use crate::diagnostic::Place;
use crate::ir::visit::{calls_of, each_value};
use crate::ir::{Control, If, Stmt, Value};

/// What counts as asking for a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    All,
    /// Conditions of branches.
    Conditions,
}

/// The order of what a program does with some variables.
pub struct Order<'a, 'u> {
    known: &'a Procedures<'u>,
    places: &'a Places,
    mains: Vec<ProcedureId>,
    /// The variables that each procedure mentions, and those that it calls.
    mentioned: Vec<FxHashSet<PlaceId>>,
    /// What each of its statements mentions.
    touches: Vec<Vec<Touches>>,
}

impl<'a, 'u> Order<'a, 'u> {
    /// Of variables that may have another value before the program runs than statements give them.
    pub fn new(
        known: &'a Procedures<'u>,
        places: &'a Places,
        definitions: &[Definitions],
    ) -> Order<'a, 'u> {
        let is_main = |id: &ProcedureId| known.get(*id).function.is_main;
        let mains: Vec<ProcedureId> = known.ids().filter(is_main).collect();
        let candidates: FxHashSet<PlaceId> = (0..)
            .map(PlaceId)
            .zip(definitions)
            .filter(|(id, of)| !of.assigned.is_empty() && of.begins(places, *id))
            .map(|(id, _)| id)
            .collect();
        let mut order = Order {
            known,
            places,
            mains,
            mentioned: Vec::new(),
            touches: Vec::new(),
        };
        match order.mains.is_empty() || candidates.is_empty() {
            true => order.mentioned = vec![FxHashSet::default(); known.ids().count()],
            false => {
                order.touches = known
                    .ids()
                    .map(|id| order.touched(id, &candidates))
                    .collect();
                order.mentioned = order.mentions();
            }
        }
        order
    }

    /// What every run does first with a variable; `None` if it does nothing with it, or it is not known where runs begin.
    pub fn first(&self, place: PlaceId, reads: Reads) -> Option<First> {
        let way = Way {
            order: self,
            place,
            reads,
            procedures: RefCell::default(),
        };
        let firsts = self.mains.iter().filter_map(|main| {
            let mut found = Seen::default();
            way.body(*main, &mut found);
            found.end
        });
        firsts.reduce(either)
    }

    /// What the statements of a procedure mention of these variables. Whatever an array is assigned may be an element of it.
    fn touched(&self, id: ProcedureId, candidates: &FxHashSet<PlaceId>) -> Vec<Touches> {
        let function = self.known.get(id).function;
        let places = |value: &Value| match self.places.find(function, id, value) {
            Some(place) => {
                let elements = self.places.get(place).elements.iter().copied();
                std::iter::once(place)
                    .chain(elements)
                    .filter(|place| candidates.contains(place))
                    .collect()
            }
            None => Vec::new(),
        };
        Touches::of(&function.body, &places, &|name| self.called(id, name))
    }

    fn mentions(&self) -> Vec<FxHashSet<PlaceId>> {
        let mut calls: Vec<FxHashSet<ProcedureId>> = Vec::new();
        let mut all: Vec<FxHashSet<PlaceId>> = Vec::new();
        for touches in &self.touches {
            let own = touches.iter().flat_map(Touches::places);
            all.push(own.copied().collect());
            calls.push(touches.iter().flat_map(Touches::calls).copied().collect());
        }
        let mut changes = true;
        while changes {
            changes = false;
            for id in (0..all.len()).rev() {
                let mut own = std::mem::take(&mut all[id]);
                let before = own.len();
                for callee in calls[id].iter().filter(|callee| callee.at() != id) {
                    own.extend(all[callee.at()].iter().copied());
                }
                changes |= own.len() > before;
                all[id] = own;
            }
        }
        all
    }

    fn called(&self, caller: ProcedureId, name: &str) -> Vec<ProcedureId> {
        match self.known.target(caller, name) {
            Target::Body(callee) | Target::Recursive(callee) => vec![callee],
            Target::Unknown => self.known.candidates(caller, name),
            Target::Library(_) | Target::Communication(_) => Vec::new(),
        }
    }
}

/// One of two runs.
fn either(one: First, other: First) -> First {
    match (one, other) {
        (
            First::Read {
                by: a,
                may_be_written: x,
            },
            First::Read {
                by: b,
                may_be_written: y,
            },
        ) => First::Read {
            by: a.filter(|a| Some(a) == b.as_ref()),
            may_be_written: x || y,
        },
        (First::Written, First::Written) => First::Written,
        (First::Read { .. }, First::Written) | (First::Written, First::Read { .. }) => {
            First::Read {
                by: None,
                may_be_written: true,
            }
        }
    }
}

/// What has been seen of a variable so far.
#[derive(Default)]
struct Seen {
    /// What comes first.
    end: Option<First>,
    may_be_written: bool,
    /// Whether the procedure may have returned before, without a word.
    may_have_left: bool,
}

impl Seen {
    fn read(&mut self, by: Option<Place>) {
        let may_be_written = self.may_be_written;
        self.end = Some(First::Read { by, may_be_written });
    }

    fn write(&mut self) {
        match self.may_have_left {
            true => self.may_be_written = true,
            false => self.end = Some(First::Written),
        }
    }

    /// What may run or not.
    fn maybe(&mut self, other: Seen) {
        match other.end {
            Some(First::Read { may_be_written, .. }) => {
                self.may_be_written |= may_be_written;
                self.read(None);
            }
            Some(First::Written) => self.may_be_written = true,
            None => self.may_be_written |= other.may_be_written,
        }
    }
}

struct Way<'o, 'a, 'u> {
    order: &'o Order<'a, 'u>,
    place: PlaceId,
    reads: Reads,
    /// What procedures do first, whatever came before; nothing while one is followed.
    procedures: RefCell<FxHashMap<ProcedureId, (Option<First>, bool)>>,
}

impl Way<'_, '_, '_> {
    fn body(&self, id: ProcedureId, seen: &mut Seen) {
        let body = &self.order.known.get(id).function.body;
        self.block(id, (body, &self.order.touches[id.at()]), seen);
    }

    fn block(&self, id: ProcedureId, (block, touches): (&[Stmt], &[Touches]), seen: &mut Seen) {
        for (stmt, touches) in block.iter().zip(touches) {
            if touches.matter(self.place, &self.order.mentioned) {
                self.statement(id, stmt, touches, seen);
            }
            if seen.end.is_some() {
                return;
            }
        }
    }

    fn statement(&self, id: ProcedureId, stmt: &Stmt, touches: &Touches, seen: &mut Seen) {
        if self.asks(id, stmt) {
            let by = match stmt {
                Stmt::If(branch) => Some(branch.place.clone()),
                _ => None,
            };
            return seen.read(by);
        }
        calls_of(stmt, &mut |name, arguments| {
            if seen.end.is_none() {
                let is_it = |argument: &Value| self.is_it(id, argument);
                seen.may_be_written |= arguments.iter().any(is_it);
                self.call(id, name, seen);
            }
        });
        if seen.end.is_some() {
            return;
        }
        match stmt {
            Stmt::Assign { target, .. } => {
                if self.is_it(id, target) || self.is_around(id, target) {
                    seen.write();
                }
            }
            Stmt::If(branch) => self.arms(id, branch, touches, seen),
            Stmt::Loop(inner) => match inner.control {
                Control::Counted {
                    lower: Value::Integer(lower),
                    upper: Value::Integer(upper),
                    step: Value::Integer(1),
                    ..
                } if lower <= upper => self.block(id, (&inner.body, touches.inner(0)), seen),
                // It may have no iterations.
                Control::Counted { .. } | Control::Uncounted { .. } => {
                    let mut inside = seen.inside();
                    self.block(id, (&inner.body, touches.inner(0)), &mut inside);
                    match inside.end {
                        Some(First::Read { by, .. }) => seen.read(by),
                        _ => seen.maybe(inside),
                    }
                }
            },
            Stmt::Opaque { inner, .. } => self.block(id, (inner, touches.inner(0)), seen),
            Stmt::Call { .. } | Stmt::Jump { .. } | Stmt::Mark { .. } | Stmt::Evaluate { .. } => {}
        }
    }

    fn arms(&self, id: ProcedureId, branch: &If, touches: &Touches, seen: &mut Seen) {
        let arms: [(&[Stmt], usize); 2] = [(&branch.then, 0), (&branch.otherwise, 1)];
        let [then, otherwise] = arms.map(|(arm, at)| {
            let mut inside = seen.inside();
            self.block(id, (arm, touches.inner(at)), &mut inside);
            inside
        });
        match (&then.end, &otherwise.end) {
            (Some(a), Some(b)) => seen.end = Some(either(a.clone(), b.clone())),
            _ => {
                seen.maybe(then);
                if seen.end.is_none() {
                    seen.maybe(otherwise);
                }
            }
        }
        seen.may_have_left |= arms.into_iter().any(|(arm, _)| is_bare_return(arm));
    }

    fn call(&self, caller: ProcedureId, name: &str, seen: &mut Seen) {
        let called = self.order.called(caller, name);
        let is_certain = called.len() == 1;
        for callee in called {
            let touches = self.order.mentioned[callee.at()].contains(&self.place);
            if !touches || seen.end.is_some() {
                continue;
            }
            let (end, may_be_written) = self.procedure(callee);
            let before = seen.may_be_written;
            let end = end.map(|first| match first {
                First::Read { by, may_be_written } => First::Read {
                    by,
                    may_be_written: may_be_written || before,
                },
                First::Written => First::Written,
            });
            match is_certain
                && end.is_some()
                && !(end == Some(First::Written) && seen.may_have_left)
            {
                true => seen.end = end,
                false => seen.maybe(Seen {
                    end,
                    may_be_written,
                    may_have_left: false,
                }),
            }
        }
    }

    fn procedure(&self, id: ProcedureId) -> (Option<First>, bool) {
        if let Some(known) = self.procedures.borrow().get(&id) {
            return known.clone();
        }
        self.procedures.borrow_mut().insert(id, (None, false));
        let mut inside = Seen::default();
        self.body(id, &mut inside);
        let found = (inside.end, inside.may_be_written);
        self.procedures.borrow_mut().insert(id, found.clone());
        found
    }

    /// Whether a statement asks for the variable before it does anything else.
    fn asks(&self, id: ProcedureId, stmt: &Stmt) -> bool {
        let mentions = |value: &Value| {
            let mut found = false;
            each_value(value, &mut |part| found |= self.is_it(id, part));
            found
        };
        match (stmt, self.reads) {
            (Stmt::If(branch), _) => mentions(&branch.condition),
            (_, Reads::Conditions) => false,
            (Stmt::Assign { value, .. }, _) => mentions(value),
            (Stmt::Loop(inner), _) => match &inner.control {
                Control::Counted {
                    lower, upper, step, ..
                } => [lower, upper, step].into_iter().any(mentions),
                Control::Uncounted { condition, .. } => condition.as_ref().is_some_and(mentions),
            },
            (Stmt::Evaluate { values, .. }, _) => values.iter().any(mentions),
            // What is passed may be given a value there, unless only its own value is.
            (Stmt::Call { arguments, .. }, _) => arguments.iter().any(|argument| {
                (!self.is_it(id, argument) || self.is_passed_by_value(id)) && mentions(argument)
            }),
            (Stmt::Jump { .. } | Stmt::Mark { .. } | Stmt::Opaque { .. }, _) => false,
        }
    }

    /// Whether the variable is a real one, of which called procedures get nothing but the value.
    fn is_passed_by_value(&self, id: ProcedureId) -> bool {
        let conventions = &self.order.known.get(id).function.conventions;
        !conventions.passes_places() && self.order.places.get(self.place).is_real
    }

    fn is_it(&self, id: ProcedureId, value: &Value) -> bool {
        let function = self.order.known.get(id).function;
        self.order.places.find(function, id, value) == Some(self.place)
    }

    /// Whether a target is some element of the array that the variable is an element of.
    fn is_around(&self, id: ProcedureId, target: &Value) -> bool {
        let function = self.order.known.get(id).function;
        let array = self.order.places.get(self.place).array;
        array.is_some() && self.order.places.find(function, id, target) == array
    }
}

impl Seen {
    /// What is inside of something that may run or not.
    fn inside(&self) -> Seen {
        Seen {
            end: None,
            may_be_written: self.may_be_written,
            may_have_left: self.may_have_left,
        }
    }
}

/// What runs do first with the variables of a program that begin with a value.
pub(super) fn note(known: &Procedures, places: &Places, definitions: &mut [Definitions]) {
    let order = Order::new(known, places, definitions);
    if order.mains.is_empty() {
        return;
    }
    let candidates: FxHashSet<PlaceId> = order
        .mains
        .iter()
        .flat_map(|main| order.mentioned[main.at()].iter().copied())
        .collect();
    let firsts: FxHashMap<PlaceId, [Option<First>; 2]> = candidates
        .into_iter()
        .map(|place| {
            let firsts = [Reads::All, Reads::Conditions].map(|reads| order.first(place, reads));
            (place, firsts)
        })
        .collect();
    for (place, [first, first_asked]) in firsts {
        let of = &mut definitions[place.at()];
        (of.first, of.first_asked) = (first, first_asked);
    }
}
