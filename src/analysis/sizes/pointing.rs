//! Which pointers lead nowhere, and which texts are empty, unless the input says otherwise?
//!
//! ```text
//! FILE *out = NULL;                                   nowhere
//! if (argc > 3) out = fopen(argv[3], "w");            only where the input says so (`asked`)
//! if (out) write_results(out);                        not taken
//!
//! character(80) :: file = ''
//! if (command_argument_count() > 0) call get_command_argument(1, file)
//! if (file /= '') call write_results(file)            not taken
//!
//! for (k = 0; k < 9; k++) pack(x, NULL);              `if (out)` of `pack` is taken once in ten times
//! pack(x, out);
//! ```
//!
//! Pointers are followed as a whole, never what they lead to; components go by the type of their structures, dummy
//! arguments by what all calls pass. What procedures do with addresses of pointers is not followed, so that all of this
//! is a guess ([`usual_truth`](super::Sizes::usual_truth)).

use rustc_hash::{FxHashMap, FxHashSet};

use super::asked::asks_input;
use super::command_line::{CommandLine, command_line};
use super::often::Often;
use crate::calls::{ProcedureId, Procedures, Target, reached};
use crate::intrinsics::{Intrinsics, Meaning};
use crate::ir::visit::{assigned_to, calls_of};
use crate::ir::{BinaryOp, Function, Home, Role, Stmt, Type, UnaryOp, Value, VarId, addressed};

/// Names are followed so far.
const DEPTH: u32 = 8;

/// What holds a pointer or a text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Holder {
    Own(ProcedureId, VarId),
    Shared(Home),
}

/// What is known of each of them.
pub(super) struct Pointing {
    /// Whether it leads somewhere.
    leads: FxHashMap<Holder, bool>,
    /// Of dummy arguments that do in some calls only, how often.
    shares: FxHashMap<Holder, f64>,
}

/// What gives a pointer or a text its values.
#[derive(Default)]
struct Given<'u> {
    /// Before the program runs.
    begins: Option<bool>,
    /// Where no condition on the input is around: in each run, or in some.
    certain: Vec<(ProcedureId, &'u Value)>,
    perhaps: Vec<(ProcedureId, &'u Value)>,
    passed: Vec<(ProcedureId, &'u Value)>,
    /// Of what calls pass, that whose address they do: `f(&n)`.
    addresses: Vec<(ProcedureId, &'u Value)>,
    /// Whether something gives it values that is not followed.
    is_lost: bool,
}

/// What is around a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    Nothing,
    Conditions,
    /// A condition on what the procedure reads.
    Input,
}

impl Pointing {
    /// Follows all assignments and calls that a run may get to.
    pub fn new(known: &Procedures, often: &Often) -> Pointing {
        let words = command_line(known);
        let reached = reached(known);
        let mut collector = Collector {
            known,
            all: FxHashMap::default(),
        };
        for id in known.ids() {
            if reached.as_ref().is_none_or(|reached| reached[id.at()]) {
                collector.procedure(id, &words);
            }
        }
        let holders = || collector.all.keys();
        let leads = holders().filter_map(|holder| {
            let leads = collector.leads(holder, DEPTH)?;
            Some((holder.clone(), leads))
        });
        let has_entry = known.ids().any(|id| known.get(id).function.is_main);
        let shares = holders().filter_map(|holder| {
            let share = collector.share(holder, often)?;
            Some((holder.clone(), share))
        });
        Pointing {
            leads: leads.collect(),
            // Else others may call, too.
            shares: match has_entry {
                true => shares.collect(),
                false => FxHashMap::default(),
            },
        }
    }

    /// How often a condition holds that asks a dummy argument whether it leads somewhere, or a variable that is set to that
    /// once, where some calls pass nothing.
    pub fn share(
        &self,
        procedure: ProcedureId,
        function: &Function,
        condition: &Value,
    ) -> Option<f64> {
        self.share_within((procedure, function), condition, DEPTH)
    }

    fn share_within(
        &self,
        (procedure, function): (ProcedureId, &Function),
        condition: &Value,
        depth: u32,
    ) -> Option<f64> {
        let depth = depth.checked_sub(1)?;
        let share = |value: &Value| self.share_within((procedure, function), value, depth);
        match condition.unconverted() {
            Value::Unary(UnaryOp::Not, inner) => share(inner).map(|share| 1.0 - share),
            Value::Variable(id) => {
                let own = holder(function, procedure, *id);
                let known = own.and_then(|holder| self.shares.get(&holder).copied());
                known.or_else(|| share(set_once(function, *id)?))
            }
            Value::Binary(op @ (BinaryOp::Equal | BinaryOp::NotEqual), left, right) => {
                let value = match (left.is_null(), right.is_null()) {
                    (true, false) => right,
                    (false, true) => left,
                    _ => return None,
                };
                match op {
                    BinaryOp::Equal => share(value).map(|share| 1.0 - share),
                    _ => share(value),
                }
            }
            _ => None,
        }
    }

    /// Whether a condition holds that asks a pointer whether it leads somewhere, or a text whether it is empty.
    pub fn truth(
        &self,
        procedure: ProcedureId,
        function: &Function,
        condition: &Value,
    ) -> Option<bool> {
        let leads = |value: &Value| self.leads(procedure, function, value);
        match condition {
            Value::Convert(_, inner) => self.truth(procedure, function, inner),
            Value::Variable(id) if function.conventions.has_pointers() => {
                let is_number = function.variable(*id).dimensions.is_empty();
                let is_question = |value: &&Value| matches!(value.unconverted(), Value::Binary(..));
                let question = || set_once(function, *id).filter(is_question);
                let asked = || self.truth(procedure, function, question()?);
                leads(condition).or_else(|| is_number.then(asked).flatten())
            }
            Value::Binary(op, left, right) if op.is_comparison() => {
                let (value, op) = match (is_nothing(left), is_nothing(right)) {
                    (true, false) => (right, op.mirrored()),
                    (false, true) => (left, *op),
                    _ => return None,
                };
                match op {
                    BinaryOp::Equal => leads(value).map(|leads| !leads),
                    BinaryOp::NotEqual => leads(value),
                    // Of the length of a text.
                    BinaryOp::Greater if !matches!(**value, Value::Variable(_)) => leads(value),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn leads(&self, procedure: ProcedureId, function: &Function, value: &Value) -> Option<bool> {
        match value.unconverted() {
            Value::Variable(id) => {
                let holder = holder(function, procedure, *id)?;
                self.leads.get(&holder).copied()
            }
            // `len_trim(file)`, `trim(file)`
            Value::Call {
                name, arguments, ..
            } => match &arguments[..] {
                [text @ Value::Variable(_)] if is_trimmed(function, name) => {
                    self.leads(procedure, function, text)
                }
                _ => None,
            },
            _ => None,
        }
    }
}

struct Collector<'k, 'u> {
    known: &'k Procedures<'u>,
    all: FxHashMap<Holder, Given<'u>>,
}

impl<'u> Collector<'_, 'u> {
    fn procedure(&mut self, id: ProcedureId, words: &CommandLine) {
        let function = self.known.get(id).function;
        self.begin(id, function);
        let known = self.known;
        let decides = asks_input(known, words, id);
        self.block(id, &function.body, Around::Nothing, &decides);
        for alias in &function.aliased {
            self.lose(id, *alias);
        }
    }

    /// Adds what variables have before the program runs.
    fn begin(&mut self, id: ProcedureId, function: &'u Function) {
        let numbered = || (0..).map(VarId).zip(&function.variables);
        let zero: FxHashSet<&str> = numbered()
            .filter(|(id, _)| function.zero.contains(id))
            .map(|(_, variable)| variable.name.as_str())
            .collect();
        for (number, variable) in numbered() {
            let Some(holder) = holder(function, id, number) else {
                continue;
            };
            let name = &variable.name;
            let is_part = name.is_member() && !name.is_behind_pointer();
            let is_zero =
                function.zero.contains(&number) || is_part && zero.contains(name.variable());
            let begins = match function.initial.get(&number) {
                Some(Value::Text(text)) => Some(!text.trim().is_empty()),
                _ => is_zero.then_some(false),
            };
            let given = self.all.entry(holder).or_default();
            given.is_lost |=
                begins.is_some() && given.begins.is_some_and(|own| begins != Some(own));
            given.begins = given.begins.or(begins);
        }
    }

    fn block(
        &mut self,
        id: ProcedureId,
        block: &'u [Stmt],
        around: Around,
        decides: &dyn Fn(&Value) -> bool,
    ) {
        for stmt in block {
            match stmt {
                Stmt::Assign { target, value, .. } => self.assigned(id, (target, value), around),
                Stmt::If(branch) => {
                    let inner = match decides(&branch.condition) || around == Around::Input {
                        true => Around::Input,
                        false => Around::Conditions,
                    };
                    self.block(id, &branch.then, inner, decides);
                    self.block(id, &branch.otherwise, inner, decides);
                }
                Stmt::Loop(inner) => {
                    let around = match around {
                        Around::Input => Around::Input,
                        _ => Around::Conditions,
                    };
                    self.block(id, &inner.body, around, decides);
                }
                Stmt::Opaque { inner, .. } => self.block(id, inner, Around::Conditions, decides),
                _ => {}
            }
            calls_of(stmt, &mut |name, arguments| {
                self.call(id, name, arguments, around);
            });
        }
    }

    fn assigned(
        &mut self,
        id: ProcedureId,
        (target, value): (&'u Value, &'u Value),
        around: Around,
    ) {
        let function = self.known.get(id).function;
        let Value::Variable(target) = target else {
            return;
        };
        if let Some(holder) = holder(function, id, *target) {
            let given = self.all.entry(holder).or_default();
            match around {
                Around::Nothing => given.certain.push((id, value)),
                Around::Conditions => given.perhaps.push((id, value)),
                Around::Input => {}
            }
        }
    }

    fn call(&mut self, id: ProcedureId, name: &str, arguments: &'u [Value], around: Around) {
        let function = self.known.get(id).function;
        let passes_places = function.conventions.passes_places();
        let may_write = match self.known.target(id, name) {
            Target::Body(callee) | Target::Recursive(callee) => {
                let there = self.known.get(callee).function;
                for (formal, actual) in self.known.formals(callee).into_iter().zip(arguments) {
                    if let Some(holder) = holder(there, callee, formal) {
                        let given = self.all.entry(holder).or_default();
                        match is_address_of(function, actual, (there, formal)) {
                            true => given.addresses.push((id, actual)),
                            false => given.passed.push((id, actual)),
                        }
                    }
                    // What a procedure of Fortran gives a text is not followed.
                    if passes_places && !there.read_only.contains(&formal) {
                        self.lose_argument(id, actual, around);
                    }
                }
                false
            }
            Target::Library(called) => called.kind.may_write(),
            Target::Unknown => true,
            Target::Communication(_) => false,
        };
        if passes_places && may_write {
            for argument in arguments {
                self.lose_argument(id, argument, around);
            }
        }
        // Where an address goes, anything may be put there.
        for argument in arguments.iter().filter_map(addressed) {
            self.lose_argument(id, argument, around);
        }
    }

    /// Notes that a call may give an argument a value; under conditions on the input that is none of the program's own.
    fn lose_argument(&mut self, id: ProcedureId, argument: &Value, around: Around) {
        if let Value::Variable(variable) = argument
            && around != Around::Input
        {
            self.lose(id, *variable);
        }
    }

    fn lose(&mut self, id: ProcedureId, variable: VarId) {
        if let Some(holder) = holder(self.known.get(id).function, id, variable) {
            self.all.entry(holder).or_default().is_lost = true;
        }
    }

    /// Whether what a holder has leads somewhere, in all runs whose input does not say otherwise.
    fn leads(&self, holder: &Holder, depth: u32) -> Option<bool> {
        let depth = depth.checked_sub(1)?;
        let given = self.all.get(holder).filter(|given| !given.is_lost)?;
        let value = |(id, value): &(ProcedureId, &Value)| self.value(*id, value, depth);
        let own = given.certain.iter().chain(&given.perhaps);
        let addresses = given.addresses.iter().map(|_| Some(true));
        let values = own.chain(&given.passed).map(value).chain(addresses);
        // What it begins with is gone where each run gives it a value.
        let begins = given.begins.filter(|_| given.certain.is_empty());
        let is_passed = !given.passed.is_empty() || !given.addresses.is_empty();
        if begins.is_none() && given.certain.is_empty() && !is_passed {
            return None;
        }
        let mut all = begins.map(Some).into_iter().chain(values);
        let first = all.next()??;
        all.all(|other| other == Some(first)).then_some(first)
    }

    /// How often a dummy argument leads somewhere that nothing else gives a value, if it does in some calls and not in others.
    fn share(&self, holder: &Holder, often: &Often) -> Option<f64> {
        let given = self.all.get(holder).filter(|given| !given.is_lost)?;
        if given.begins.is_some() || !given.certain.is_empty() || !given.perhaps.is_empty() {
            return None;
        }
        let mut times = [0.0, 0.0];
        for (caller, value) in &given.passed {
            let leads = self.value(*caller, value, DEPTH)?;
            times[usize::from(leads)] += often.passes(*caller, value);
        }
        for (caller, value) in &given.addresses {
            times[1] += often.passes(*caller, value);
        }
        let [nowhere, somewhere] = times;
        (nowhere > 0.0 && somewhere > 0.0).then(|| somewhere / (nowhere + somewhere))
    }

    fn value(&self, id: ProcedureId, value: &Value, depth: u32) -> Option<bool> {
        let function = self.known.get(id).function;
        match value.unconverted() {
            Value::Integer(n) => Some(*n != 0),
            Value::Text(text) => {
                Some(function.conventions.has_pointers() || !text.trim().is_empty())
            }
            Value::Address { .. } => Some(true),
            Value::Variable(variable) if is_array(function, *variable) => Some(true),
            Value::Variable(variable) => self.leads(&holder(function, id, *variable)?, depth),
            _ => None,
        }
    }
}

/// Whether an argument of C is the address of a variable, which is given as the variable itself: it has fewer dimensions than
/// what the dummy argument leads to.
fn is_address_of(function: &Function, actual: &Value, (there, formal): (&Function, VarId)) -> bool {
    let rank = |function: &Function, id: VarId| function.variable(id).dimensions.len();
    function.conventions.has_pointers()
        && matches!(actual, Value::Variable(id) if rank(function, *id) < rank(there, formal))
}

/// Whether a variable of C is an array itself, not a pointer to one.
fn is_array(function: &Function, variable: VarId) -> bool {
    let declared = function.variable(variable);
    function.conventions.has_pointers()
        && matches!(declared.role, Role::Local | Role::Global)
        && (declared.dimensions.first()).is_some_and(|extent| extent.upper.is_some())
}

/// What a local number is given that one statement sets, and nothing else may.
fn set_once(function: &Function, id: VarId) -> Option<&Value> {
    let variable = function.variable(id);
    let is_own = variable.role == Role::Local && variable.dimensions.is_empty();
    if !is_own || function.aliased.contains(&id) || function.initial.contains_key(&id) {
        return None;
    }
    match assigned_to(&function.body, id)[..] {
        [value] => Some(value),
        _ => None,
    }
}

/// What holds a variable, if that is a pointer as a whole or a text.
fn holder(function: &Function, id: ProcedureId, variable: VarId) -> Option<Holder> {
    let declared = function.variable(variable);
    let is_holder = match function.conventions.has_pointers() {
        true => (declared.dimensions.last()).is_some_and(|extent| extent.upper.is_none()),
        false => matches!(declared.ty, Type::Character(_)) && declared.dimensions.is_empty(),
    };
    is_holder.then(|| match function.homes.get(&variable) {
        Some(home) => Holder::Shared(home.clone()),
        None => Holder::Own(id, variable),
    })
}

/// What pointers are compared with that lead nowhere, texts that are empty, and lengths of such.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Text(text) => text.trim().is_empty(),
        value => value.is_null(),
    }
}

/// Whether a function leaves out the blanks behind a text, or counts what is before them.
fn is_trimmed(function: &Function, name: &str) -> bool {
    let called = Intrinsics::builtin().lookup(function.conventions.language, name);
    called.and_then(|called| called.meaning) == Some(Meaning::Trimmed)
}
