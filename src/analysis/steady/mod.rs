//! Is what a loop touches the same each time that a caller's loop comes back to it?
//!
//! Two facts answer that. Of every loop: the dummy arguments that decide which storage it touches outside loops inside
//! ([`Steady::needs_of_loop`]). Of every call: in which loops around it each argument stays the same
//! ([`Steady::handed`]).
//!
//! ```text
//! void relax(int n, double *u) { for (i < n) u[i] = …; }       the loop needs the arguments 0 and 1
//! for (t …) for (k < m) relax(n, buf + k*n);                    0: the same in both loops; 1: repeats in t, changes in k
//! ```
//!
//! What is not shown to be so is unknown: data in subscripts, bounds and conditions; pointers that are loaded from memory;
//! storage of the program that statements may give another value while a loop runs.

mod query;
mod stable;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::addresses::roots;
use super::assignments::{Effects, count_assignments};
use super::facts::{Constancy, Handed, Needs};
use crate::ir::visit::{InLoop, each_value, statements, values_of, variables_of};
use crate::ir::{BinaryOp, Control, Function, Jump, Loop, Role, Stmt, Value, VarId, is_left_out};
use query::Query;
pub(super) use query::is_constant;
pub(crate) use stable::Stable;
use stable::changed_by;

/// A loop around the walk.
pub(crate) struct Around {
    counter: Option<VarId>,
    /// What its bounds read; nothing of a loop that is not counted.
    bounds: Option<BTreeSet<VarId>>,
    /// What its body gives values.
    assigned: BTreeSet<VarId>,
    /// What its body sets, whatever it was, before a loop inside begins.
    anew: BTreeSet<VarId>,
}

/// How far out the loop is, of these and without the innermost one, that gives a variable a value of its own in each of its
/// iterations before those inside begin; 0 if none does.
pub fn sets_around(id: VarId, loops: &[Around]) -> u32 {
    let mut around = (1..).zip(loops.iter().rev().skip(1));
    let found = around.find(|(_, one)| one.anew.contains(&id));
    found.map_or(0, |(apart, _)| apart)
}

/// What statements set, up to the first loop among them, without a look at what it was.
fn set_anew(body: &[Stmt], function: &Function) -> BTreeSet<VarId> {
    let before = body
        .iter()
        .take_while(|stmt| !matches!(stmt, Stmt::Loop(_)));
    let set = before.filter_map(|stmt| match stmt {
        Stmt::Assign {
            target: Value::Variable(id),
            value,
            ..
        } => Some((*id, value)),
        _ => None,
    });
    let is_free = |(id, value): &(VarId, &Value)| {
        let name = &function.variable(*id).name;
        let mut read = BTreeSet::new();
        variables_of(value, &mut read);
        let mut names = read.iter().map(|other| &function.variable(*other).name);
        !names.any(|other| other == name || other.structure() == Some(name.as_str()))
    };
    set.filter(is_free).map(|(id, _)| id).collect()
}

impl Around {
    pub fn of(inner: &Loop, function: &Function, effects: &Effects) -> Around {
        let mut counts = BTreeMap::new();
        count_assignments(&inner.body, effects, &mut counts);
        let mut assigned: BTreeSet<VarId> = counts.into_keys().collect();
        let may_write = |name: &str| may_write(function, effects, name);
        statements(&inner.body, InLoop::Yes, &mut |statement, _| {
            changed_by((function, &may_write), statement, &mut |id| {
                assigned.insert(id);
            });
        });
        let (counter, bounds) = match &inner.control {
            Control::Counted {
                variable,
                lower,
                upper,
                step,
            } => {
                let mut read = BTreeSet::new();
                let bounds = [lower, upper, step];
                bounds.into_iter().for_each(|v| variables_of(v, &mut read));
                let is_data = bounds.into_iter().any(loads);
                (Some(*variable), (!is_data).then_some(read))
            }
            Control::Uncounted { .. } => (None, None),
        };
        Around {
            counter,
            bounds,
            assigned,
            anew: set_anew(&inner.body, function),
        }
    }
}

/// Whether a call may give scalars that it gets other values, which is not known otherwise.
fn may_write(function: &Function, effects: &Effects, name: &str) -> bool {
    function.conventions.passes_places() && !effects.is_known(name)
}

/// Whether a value is made of elements of arrays, or of what is not understood.
fn loads(value: &Value) -> bool {
    let mut found = false;
    each_value(value, &mut |part| {
        found |= match part {
            Value::Element { subscripts, .. } => !subscripts.iter().any(is_left_out),
            Value::Opaque { .. } | Value::Call { .. } => true,
            _ => false,
        };
    });
    found
}

/// What values of a variable are made of in a function.
#[derive(Default)]
struct Made<'f> {
    values: Vec<&'f Value>,
    /// Something else gives it a value, too.
    is_unknown: bool,
}

/// What decides which storage the code of one procedure touches.
pub(crate) struct Steady<'f> {
    function: &'f Function,
    effects: &'f Effects<'f>,
    stable: &'f Stable,
    formals: HashMap<VarId, u32>,
    roots: BTreeMap<VarId, VarId>,
    made: HashMap<VarId, Made<'f>>,
    /// What is around outermost loops, by their addresses.
    outermost: HashMap<*const Loop, Vec<&'f Value>>,
    /// What decides whether the procedure ends early.
    ends: Vec<&'f Value>,
}

impl<'f> Steady<'f> {
    pub fn new(
        function: &'f Function,
        effects: &'f Effects<'f>,
        stable: &'f Stable,
        formals: Vec<VarId>,
    ) -> Steady<'f> {
        let mut steady = Steady {
            function,
            effects,
            stable,
            formals: formals.into_iter().zip(0..).collect(),
            roots: roots(function),
            made: HashMap::new(),
            outermost: HashMap::new(),
            ends: Vec::new(),
        };
        steady.gather(&function.body, (&mut Vec::new(), InLoop::No, false));
        steady
    }

    /// The values that variables get, with what decides that, and the conditions that lead to ends.
    fn gather(
        &mut self,
        body: &'f [Stmt],
        (around, in_loop, is_unknown): (&mut Vec<&'f Value>, InLoop, bool),
    ) {
        for statement in body {
            let (function, effects) = (self.function, self.effects);
            let may_write = |name: &str| may_write(function, effects, name);
            let mut written = BTreeSet::new();
            self.effects.written_by(statement, &mut |id| {
                written.insert(id);
            });
            let is_assigned = |id: VarId| matches!(statement, Stmt::Assign { target: Value::Variable(own), .. } if *own == id);
            let is_counter = |id: VarId| match statement {
                Stmt::Loop(inner) => {
                    matches!(&inner.control, Control::Counted { variable, .. } if *variable == id)
                }
                _ => false,
            };
            changed_by((function, &may_write), statement, &mut |id| {
                if !is_assigned(id) && !is_counter(id) {
                    written.insert(id);
                }
            });
            for id in written {
                self.made.entry(id).or_default().is_unknown = true;
            }
            match statement {
                Stmt::Assign {
                    target: Value::Variable(id),
                    value,
                    ..
                } => {
                    let made = self.made.entry(*id).or_default();
                    made.values.push(value);
                    made.values.extend(around.iter().copied());
                    made.is_unknown |= is_unknown;
                }
                Stmt::Loop(inner) => {
                    let before = around.len();
                    if in_loop == InLoop::No {
                        self.outermost.insert(&raw const **inner, around.clone());
                    }
                    let mut is_unknown = is_unknown;
                    match &inner.control {
                        Control::Counted {
                            variable,
                            lower,
                            upper,
                            step,
                        } => {
                            let bounds = [lower, upper, step];
                            around.extend(bounds);
                            let made = self.made.entry(*variable).or_default();
                            made.values.extend(around.iter().copied());
                            made.is_unknown |= is_unknown;
                        }
                        Control::Uncounted { .. } => is_unknown = true,
                    }
                    self.gather(&inner.body, (around, InLoop::Yes, is_unknown));
                    around.truncate(before);
                }
                Stmt::If(branch) => {
                    around.push(&branch.condition);
                    if leaves(&branch.then) || leaves(&branch.otherwise) {
                        self.ends.extend(around.iter().copied());
                    }
                    self.gather(&branch.then, (around, in_loop, is_unknown));
                    self.gather(&branch.otherwise, (around, in_loop, is_unknown));
                    around.pop();
                }
                Stmt::Opaque { inner, .. } => self.gather(inner, (around, in_loop, true)),
                _ => {}
            }
        }
    }

    /// The dummy arguments that decide which storage a loop touches outside loops inside, and how often; of an outermost
    /// one, also whether it runs. `counters` are those of the loops around it.
    pub fn needs_of_loop(&self, inner: &Loop, around: &[Around]) -> Needs {
        let mut query = Query::of(self);
        if let Some(conditions) = self.outermost.get(&std::ptr::from_ref(inner)) {
            query.values(&self.ends);
            query.values(conditions);
        }
        // What they run over is a need of their own loops.
        query
            .seen
            .extend(around.iter().filter_map(|outer| outer.counter));
        query.enter_loop(inner);
        query.needs()
    }

    /// What a call hands over, by position, in the loops around it, the outermost first.
    pub fn handed(&self, arguments: &[Value], around: &[Around]) -> Vec<Handed> {
        let mut ends = Query::of(self);
        ends.values(&self.ends);
        let one = |argument: &Value| {
            let loops = (0..around.len()).map(|at| self.state(argument, &around[at..]));
            let loops = loops.collect();
            let mut query = ends.clone();
            query.value(&as_place(argument));
            let needs = query.needs();
            Handed { loops, needs }
        };
        arguments.iter().map(one).collect()
    }

    /// How an argument behaves in the first of some loops, the others being inside it.
    fn state(&self, argument: &Value, around: &[Around]) -> Constancy {
        let mut used = BTreeSet::new();
        variables_of(argument, &mut used);
        if is_loaded(argument) || used.iter().any(|id| !self.holds(*id)) {
            return Constancy::Changes;
        }
        let Some((outer, inside)) = around.split_first() else {
            return Constancy::Changes;
        };
        let counters = |id: &VarId| inside.iter().find(|l| l.counter == Some(*id));
        let changes = |id: &VarId| outer.counter == Some(*id) || outer.assigned.contains(id);
        let mut state = Constancy::Same;
        let mut pending: Vec<VarId> = used.into_iter().collect();
        let mut seen = BTreeSet::new();
        while let Some(id) = pending.pop() {
            if !seen.insert(id) || !changes(&id) {
                continue;
            }
            // Of a loop inside whose range is the same each time.
            match counters(&id).filter(|l| !l.assigned.contains(&id) && outer.counter != Some(id)) {
                Some(Around {
                    bounds: Some(bounds),
                    ..
                }) => {
                    state = Constancy::Repeats;
                    pending.extend(bounds);
                }
                _ => return Constancy::Changes,
            }
        }
        state
    }

    /// Whether a variable keeps its value unless a statement of the procedure gives it another one.
    fn holds(&self, id: VarId) -> bool {
        let variable = self.function.variable(id);
        let last = variable.dimensions.last();
        let is_storage = last.is_some_and(|extent| extent.upper.is_some());
        match variable.role {
            _ if !variable.name.is_plain() || self.function.members.contains_key(&id) => {
                let root = self.roots.get(&id);
                root.is_some_and(|root| self.holds(*root))
                    && (is_storage || self.stable.has(self.function, id))
            }
            Role::Constant(_) | Role::Argument | Role::Local => true,
            Role::Global => is_storage || self.stable.has(self.function, id),
            Role::Undeclared => false,
        }
    }
}

/// An element that is handed over stands for its place.
fn as_place(argument: &Value) -> Value {
    match argument {
        Value::Element { .. } => Value::Address {
            of: Box::new(argument.clone()),
            text: String::new(),
        },
        other => other.clone(),
    }
}

/// Whether an argument is made of what is in memory, other than a place in an array.
fn is_loaded(argument: &Value) -> bool {
    match argument {
        Value::Element { subscripts, .. } => subscripts.iter().any(loads),
        Value::Address { of, .. } => is_loaded(of),
        Value::Binary(BinaryOp::Add | BinaryOp::Subtract, left, right) => {
            is_loaded(left) || loads(right)
        }
        Value::Convert(_, inner) => is_loaded(inner),
        other => loads(other),
    }
}

/// Whether statements may end the procedure, or go elsewhere.
fn leaves(body: &[Stmt]) -> bool {
    let mut found = false;
    statements(body, InLoop::No, &mut |statement, _| {
        found |= matches!(
            statement,
            Stmt::Jump {
                kind: Jump::Return | Jump::Goto,
                ..
            } | Stmt::Mark { .. }
        );
    });
    found
}

/// Whether statements touch no arrays and lead nowhere.
fn is_quiet(body: &[Stmt]) -> bool {
    let mut is_quiet = true;
    statements(body, InLoop::No, &mut |statement, _| {
        is_quiet &= matches!(
            statement,
            Stmt::Assign { .. } | Stmt::If(_) | Stmt::Evaluate { .. }
        );
        values_of(statement, &mut |value| {
            is_quiet &= !matches!(value, Value::Element { .. } | Value::Call { .. });
        });
    });
    is_quiet
}
