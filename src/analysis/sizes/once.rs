//! Which branches does a run take once, as what it does there makes their condition fail from then on?
//!
//! ```text
//! static int first = 1;                 a switch: it begins with one number and statements give it others
//! if (first) { fill(table); first = 0; }      taken once in a run
//! if (first == 1) start(x); … first = 0;      the same: the statement behind runs each time
//! if (done) return; … done = 1;               what is behind it runs once
//! ```
//!
//! The condition depends on nothing that may undo that: all statements of the program give the switch numbers for
//! which it comes out the other way, and one of them runs, in the same procedure or one that it calls, whenever the
//! branch was taken. What a setter is passed counts as what it assigns; a switch that has other names, or whose address
//! something has, is none.
//!
//! Of several procedures that ask for one switch, the one takes the branch that a run gets to first; where that is not
//! known, or the switch may be thrown before, each perhaps does ([`Turn::Perhaps`]). Everything else that a switch decides
//! is open.

use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};

use super::definition::{Definition, Definitions};
use super::first::First;
use super::places::{PlaceId, Places};
use super::set::SetPlaces;
use super::truth::{Choice, begins_with};
use crate::calls::{ProcedureId, Procedures, Target};
use crate::diagnostic::Place;
use crate::ir::visit::{each_value, jumps};
use crate::ir::{If, Jump, Stmt, Value};
use crate::literal::{DEPTH, literal};

/// Calls are followed so far to the statement that throws a switch.
const CALLS: u32 = 3;

/// Which way a branch on a switch goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// This side once in a run, the other one every other time.
    Once(bool),
    /// The same, if nothing has thrown the switch before.
    Perhaps(bool),
    /// This side always: the switch is thrown before.
    Always(bool),
}

/// What is known of the switches of a program.
#[derive(Default)]
pub(super) struct Switches {
    /// The branches that they decide, by where these are.
    pub turns: FxHashMap<Place, Turn>,
    /// The switches of these branches: other branches on them are open.
    pub places: FxHashSet<PlaceId>,
}

/// A variable that begins with one number and gets others.
struct Switch {
    before: i64,
    after: Vec<i64>,
}

/// Finds the branches of a program that are taken once. What the user sets does not change.
pub(super) fn switches(
    known: &Procedures,
    (places, set): (&Places, &SetPlaces),
    all: &[Definitions],
) -> Switches {
    let candidates: FxHashMap<PlaceId, Switch> = (0..all.len() as u32)
        .map(PlaceId)
        .filter(|place| set.value(*place).is_none() && !set.replaces(*place))
        .filter_map(|place| Some((place, switch(known, places, all, place)?)))
        .collect();
    let mut found = Switches::default();
    if candidates.is_empty() {
        return found;
    }
    let mut several: FxHashSet<Place> = FxHashSet::default();
    let mut asking: FxHashMap<PlaceId, Vec<(ProcedureId, Place)>> = FxHashMap::default();
    for procedure in known.ids() {
        let finder = Finder {
            known,
            places,
            candidates: &candidates,
            procedure,
        };
        let ends = (&Before::Start, &Behind::End);
        let body = &known.get(procedure).function.body;
        finder.block(body, ends, &mut |branch, (turn, place)| {
            found.places.insert(place);
            let Some(turn) = turn else { return };
            if matches!(turn, Turn::Once(_)) {
                let of = asking.entry(place).or_default();
                of.push((procedure, branch.place.clone()));
            }
            match found.turns.entry(branch.place.clone()) {
                Entry::Occupied(other) if *other.get() == turn => {}
                Entry::Occupied(_) => {
                    several.insert(branch.place.clone());
                }
                Entry::Vacant(entry) => {
                    entry.insert(turn);
                }
            }
        });
    }
    found.turns.retain(|place, _| !several.contains(place));
    for (place, askers) in asking {
        let first = all[place.at()].first_asked.as_ref();
        for (asker, branch) in &askers {
            if let Some(turn) = found.turns.get_mut(branch)
                && let Turn::Once(taken) = *turn
            {
                *turn = in_order(taken, *asker, &askers, first);
            }
        }
    }
    found
}

/// What a branch does that is taken once where nothing else throws its switch, by what a run does with that first.
fn in_order(
    taken: bool,
    asker: ProcedureId,
    askers: &[(ProcedureId, Place)],
    first: Option<&First>,
) -> Turn {
    let is_only = askers.iter().all(|(other, _)| *other == asker);
    match first {
        Some(First::Written) => Turn::Always(!taken),
        Some(First::Read {
            may_be_written: true,
            ..
        }) => Turn::Perhaps(taken),
        _ if is_only => Turn::Once(taken),
        Some(First::Read { by: Some(by), .. }) => {
            let mut known = askers.iter();
            match known.find(|(_, branch)| branch == by) {
                Some((first, _)) if *first == asker => Turn::Once(taken),
                Some(_) => Turn::Always(!taken),
                None => Turn::Perhaps(taken),
            }
        }
        Some(First::Read { by: None, .. }) | None => Turn::Perhaps(taken),
    }
}

/// What a place is as a switch: storage that lasts, to which statements only give numbers.
fn switch(known: &Procedures, places: &Places, all: &[Definitions], id: PlaceId) -> Option<Switch> {
    let (place, definitions) = (places.get(id), &all[id.at()]);
    let is_simple = !place.is_array && !place.is_real && place.array.is_none();
    if !is_simple
        || place.structure.is_some()
        || definitions.is_handed_out
        || definitions.is_aliased
        || !definitions.passed.is_empty()
        || !definitions.other_initial.is_empty()
        || definitions.assigned.is_empty()
    {
        return None;
    }
    let before = begins_with(known, places, definitions, id)?;
    let assigned = definitions.assigned.iter();
    let after = assigned.map(|definition| match definition {
        Definition::Value(procedure, value) => numbers(known, (places, all), *procedure, value),
        _ => None,
    });
    let after = after.collect::<Option<Vec<Vec<i64>>>>()?.concat();
    Some(Switch { before, after })
}

/// The number that a value is, or those that calls pass for it, where it is a dummy argument that keeps what it is passed.
fn numbers(
    known: &Procedures,
    (places, all): (&Places, &[Definitions]),
    procedure: ProcedureId,
    value: &Value,
) -> Option<Vec<i64>> {
    let function = known.get(procedure).function;
    if let Some(number) = literal(function, value, DEPTH) {
        return Some(vec![number]);
    }
    let dummy = places.find(function, procedure, value.unconverted())?;
    let Definitions {
        assigned, passed, ..
    } = &all[dummy.at()];
    if !assigned.is_empty() || passed.is_empty() {
        return None;
    }
    let passed = passed.iter().map(|definition| match definition {
        Definition::Value(caller, value) => literal(known.get(*caller).function, value, DEPTH),
        _ => None,
    });
    passed.collect()
}

/// What runs behind a statement, up to the end of the procedure.
enum Behind<'a> {
    End,
    Then(&'a [Stmt], &'a Behind<'a>),
    /// All iterations of a loop, and then this.
    Iterations(&'a Behind<'a>),
}

/// What has run before a statement: the statements of blocks around it.
enum Before<'a> {
    Start,
    Then(&'a Before<'a>, &'a [Stmt]),
}

/// Gets the branches that ask for a switch that is thrown behind them, and which way they go, if that is known.
type Visit<'v> = &'v mut dyn FnMut(&If, (Option<Turn>, PlaceId));

struct Finder<'a, 'u> {
    known: &'a Procedures<'u>,
    places: &'a Places,
    candidates: &'a FxHashMap<PlaceId, Switch>,
    procedure: ProcedureId,
}

impl Finder<'_, '_> {
    fn block(&self, block: &[Stmt], (before, behind): (&Before, &Behind), visit: Visit) {
        for (at, stmt) in block.iter().enumerate() {
            let before = Before::Then(before, &block[..at]);
            let rest = Behind::Then(&block[at + 1..], behind);
            let in_loop = Behind::Iterations(&rest);
            match stmt {
                Stmt::Loop(inner) => self.block(&inner.body, (&before, &in_loop), visit),
                Stmt::Opaque { inner, .. } => self.block(inner, (&before, &in_loop), visit),
                Stmt::If(branch) => {
                    if let Some(found) = self.turn(branch, (&before, &rest)) {
                        visit(branch, found);
                    }
                    self.block(&branch.then, (&before, &rest), visit);
                    self.block(&branch.otherwise, (&before, &rest), visit);
                }
                _ => {}
            }
        }
    }

    /// The switch that a branch asks for and that is thrown before or behind it, and which way the branch goes.
    fn turn(
        &self,
        branch: &If,
        (mut before, mut behind): (&Before, &Behind),
    ) -> Option<(Option<Turn>, PlaceId)> {
        let place = self.asked(&branch.condition)?;
        let switch = &self.candidates[&place];
        let thrown = Throw {
            finder: self,
            place,
            before: switch.before,
        };
        let mut outcomes = (switch.after.iter())
            .map(|value| thrown.truth(self.procedure, &branch.condition, *value));
        let later = outcomes.next()??;
        if outcomes.any(|other| other != Some(later))
            || thrown.truth(self.procedure, &branch.condition, switch.before) != Some(!later)
        {
            return None;
        }
        while let Before::Then(outer, block) = before {
            if thrown.is_by(self.procedure, block, CALLS) == Some(true) {
                return Some((Some(Turn::Always(later)), place));
            }
            before = outer;
        }
        let taken = match later {
            true => &branch.otherwise,
            false => &branch.then,
        };
        let mut turn = Some(Turn::Once(!later));
        let mut is_thrown = thrown.is_by(self.procedure, taken, CALLS);
        while is_thrown.is_none() {
            match behind {
                Behind::End => break,
                Behind::Then(rest, outer) => {
                    is_thrown = thrown.is_by(self.procedure, rest, CALLS);
                    behind = outer;
                }
                // Until then every iteration takes it.
                Behind::Iterations(outer) => (turn, behind) = (None, outer),
            }
        }
        (is_thrown == Some(true)).then_some((turn, place))
    }

    /// The switch that a condition asks for, where it asks for nothing else.
    fn asked(&self, condition: &Value) -> Option<PlaceId> {
        let function = self.known.get(self.procedure).function;
        let mut found: Option<Option<PlaceId>> = None;
        each_value(condition, &mut |part| {
            let place = match part {
                Value::Variable(id) if function.variable(*id).constant.is_none() => {
                    let place = self.places.find(function, self.procedure, part);
                    place.filter(|place| self.candidates.contains_key(place))
                }
                Value::Element { .. } | Value::Call { .. } | Value::Opaque { .. } => None,
                _ => return,
            };
            found = Some(match found {
                None => place,
                Some(known) => known.filter(|known| Some(*known) == place),
            });
        });
        found?
    }
}

/// A switch as it is before it is thrown.
struct Throw<'a, 'u> {
    finder: &'a Finder<'a, 'u>,
    place: PlaceId,
    before: i64,
}

impl Throw<'_, '_> {
    fn truth(&self, procedure: ProcedureId, condition: &Value, value: i64) -> Option<bool> {
        let function = self.finder.known.get(procedure).function;
        let of = |part: &Value, _| {
            let place = self.finder.places.find(function, procedure, part)?;
            (place == self.place).then_some(value)
        };
        let choice = Choice {
            function,
            is_set: &|_| false,
            value: &of,
            real: &|_| None,
            is_rank: &|_| false,
            leads: &|_| None,
        };
        choice.truth(condition, DEPTH)
    }

    /// Whether statements throw it whenever they run while it is not thrown: `None` if they may not, but go on behind
    /// themselves, and `Some(false)` if they may leave without it.
    fn is_by(&self, procedure: ProcedureId, block: &[Stmt], calls: u32) -> Option<bool> {
        let known = self.finder.known;
        let function = known.get(procedure).function;
        for stmt in block {
            let is_thrown = match stmt {
                Stmt::Assign { target, .. } => {
                    let place = self.finder.places.find(function, procedure, target);
                    (place == Some(self.place)).then_some(true)
                }
                Stmt::Call { name, .. } => match known.target(procedure, name) {
                    Target::Body(callee) if calls > 0 => {
                        let body = &known.get(callee).function.body;
                        // Whatever it does, its caller goes on.
                        self.is_by(callee, body, calls - 1)
                            .filter(|is_thrown| *is_thrown)
                    }
                    _ => None,
                },
                Stmt::If(branch) => match self.truth(procedure, &branch.condition, self.before) {
                    Some(true) => self.is_by(procedure, &branch.then, calls),
                    Some(false) => self.is_by(procedure, &branch.otherwise, calls),
                    None => {
                        let arms = [&branch.then, &branch.otherwise];
                        match arms.map(|arm| self.is_by(procedure, arm, calls)) {
                            [Some(true), Some(true)] => Some(true),
                            [Some(false), _] | [_, Some(false)] => Some(false),
                            _ => None,
                        }
                    }
                },
                Stmt::Jump { kind, .. } => match kind {
                    // Nothing is asked again in this run.
                    Jump::Stop => Some(true),
                    Jump::Exit | Jump::Cycle | Jump::Return | Jump::Goto => Some(false),
                },
                Stmt::Loop(inner) => leaves(&inner.body).then_some(false),
                Stmt::Opaque { inner, .. } => leaves(inner).then_some(false),
                Stmt::Mark { .. } | Stmt::Evaluate { .. } => None,
            };
            if is_thrown.is_some() {
                return is_thrown;
            }
        }
        None
    }
}

/// Whether something in a loop leaves the procedure, or goes where nobody knows.
fn leaves(block: &[Stmt]) -> bool {
    jumps(block, |kind| matches!(kind, Jump::Return | Jump::Goto))
}
