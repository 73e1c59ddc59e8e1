//! Which optional arguments do calls pass?
//!
//! ```text
//! call smooth(u)                        two calls in all
//! call smooth(u, mask = m)
//! if (present(mask)) …                  of `smooth`: in one of two
//! if (present(scale)) …                 in none: never
//! ```
//!
//! That is known where a run begins somewhere, so that all calls are seen, and where no pointer leads to the procedure.

use rustc_hash::{FxHashMap, FxHashSet};

use super::often::Often;
use crate::calls::{ProcedureId, Procedures, Target, reached};
use crate::intrinsics::{Intrinsics, Meaning};
use crate::ir::visit::{InLoop, calls_of, statements, values_of};
use crate::ir::{Function, UnaryOp, Value, VarId};
use crate::reason::ReasonCode;

/// Arguments that are passed on are followed so far.
const DEPTH: u32 = 8;

/// By procedures and their dummy arguments, the share of calls that pass something.
#[derive(Default)]
pub(super) struct Presence(FxHashMap<(ProcedureId, VarId), f64>);

/// What calls pass to a dummy argument: nothing, or a value.
type Passed<'u> = Vec<(ProcedureId, Option<&'u Value>, f64)>;

impl Presence {
    pub fn new(known: &Procedures, often: &Often) -> Presence {
        let asked: FxHashSet<ProcedureId> = known
            .ids()
            .filter(|id| asks(known.get(*id).function))
            .collect();
        let Some(reached) = reached(known).filter(|_| !asked.is_empty()) else {
            return Presence::default();
        };
        let mut passed: FxHashMap<(ProcedureId, VarId), Passed> = FxHashMap::default();
        let mut lost: FxHashSet<ProcedureId> = FxHashSet::default();
        for id in known.ids().filter(|id| reached[id.at()]) {
            statements(&known.get(id).function.body, InLoop::No, &mut |stmt, _| {
                calls_of(stmt, &mut |name, arguments| {
                    let callee = match known.target(id, name) {
                        Target::Body(callee) | Target::Recursive(callee) => callee,
                        Target::Unknown => return lost.extend(known.candidates(id, name)),
                        Target::Library(_) => return lost.extend(known.handed(id, name)),
                        Target::Communication(_) => return,
                    };
                    let times = arguments
                        .first()
                        .map_or(1.0, |first| often.passes(id, first));
                    for (at, formal) in known.formals(callee).into_iter().enumerate() {
                        let value = arguments.get(at).filter(|value| !is_nothing(value));
                        let of = passed.entry((callee, formal)).or_default();
                        of.push((id, value, times));
                    }
                });
            });
        }
        let follow = Follow {
            known,
            passed: &passed,
            lost: &lost,
        };
        let of_asked = passed.keys().filter(|(id, _)| asked.contains(id));
        let shares = of_asked.filter_map(|of| Some((*of, follow.share(*of, DEPTH)?)));
        Presence(shares.collect())
    }

    /// The share of the calls of a procedure in which a condition holds that asks whether something is passed.
    pub fn share(&self, id: ProcedureId, function: &Function, condition: &Value) -> Option<f64> {
        match condition {
            Value::Unary(UnaryOp::Not, inner) => {
                self.share(id, function, inner).map(|share| 1.0 - share)
            }
            condition => self.0.get(&(id, asked(function, condition)?)).copied(),
        }
    }

    /// Whether such a condition holds, if that is so in all calls, or in none.
    pub fn truth(&self, id: ProcedureId, function: &Function, condition: &Value) -> Option<bool> {
        match self.share(id, function, condition)? {
            0.0 => Some(false),
            1.0 => Some(true),
            _ => None,
        }
    }
}

struct Follow<'a, 'u> {
    known: &'a Procedures<'u>,
    passed: &'a FxHashMap<(ProcedureId, VarId), Passed<'u>>,
    lost: &'a FxHashSet<ProcedureId>,
}

impl Follow<'_, '_> {
    fn share(&self, of: (ProcedureId, VarId), depth: u32) -> Option<f64> {
        let depth = depth.checked_sub(1)?;
        if self.lost.contains(&of.0) {
            return None;
        }
        let (mut some, mut all) = (0.0, 0.0);
        for (caller, value, times) in self.passed.get(&of)? {
            let share = match value {
                None => 0.0,
                Some(value) => self.of_value(*caller, value, depth)?,
            };
            some += share * times;
            all += times;
        }
        Some(some / all)
    }

    /// How often a value that a caller passes is something: its own dummy argument may be nothing there.
    fn of_value(&self, caller: ProcedureId, value: &Value, depth: u32) -> Option<f64> {
        let formals = self.known.formals(caller);
        match value {
            Value::Variable(id) if formals.contains(id) => self.share((caller, *id), depth),
            _ => Some(1.0),
        }
    }
}

/// Whether a procedure asks what it is passed.
fn asks(function: &Function) -> bool {
    let mut found = false;
    statements(&function.body, InLoop::No, &mut |stmt, _| {
        values_of(stmt, &mut |value| found |= asked(function, value).is_some());
    });
    found
}

/// The dummy argument of which a value says whether a call passes it.
fn asked(function: &Function, value: &Value) -> Option<VarId> {
    let Value::Call {
        name, arguments, ..
    } = value
    else {
        return None;
    };
    let called = Intrinsics::builtin().lookup(function.conventions.language, name)?;
    match &arguments[..] {
        [Value::Variable(id)] if called.meaning == Some(Meaning::Present) => Some(*id),
        _ => None,
    }
}

/// What stands for an argument that is left out.
fn is_nothing(value: &Value) -> bool {
    value
        .reason()
        .is_some_and(|reason| reason.code == ReasonCode::Null)
}
