//! From the IR of a nest to its compact form.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Refusal;
use super::code::{Body, Branch, Counted, Op, Slot, While};
use super::layout::{self, ArrayLayout};
use super::settle;
use crate::cache::AccessKind;
use crate::diagnostic::Place;
use crate::ir::{self, Control, Function, If, Loop, Stmt, Type, Value, VarId};
use crate::source::Language;

/// What is to run, and what it needs to know.
pub struct Nest<'a> {
    pub function: &'a Function,
    pub language: Language,
    /// The loops of the nest, outermost first. Other loops inside them are left out.
    pub chain: Vec<&'a Loop>,
    /// Index of the outermost loop that is the nest's own: what the loops around it do besides makes no
    /// accesses here.
    pub own: usize,
    /// Values of the symbols of the source: scalars by their names, elements as they are written.
    pub symbol: &'a dyn Fn(&str) -> Option<f64>,
    /// Iterations of loops whose bounds only data decide.
    pub trips: &'a dyn Fn(&Loop) -> u64,
    /// How often a condition on data holds.
    pub probability: &'a dyn Fn(&If) -> f64,
    /// Bytes between arrays.
    pub gap: i64,
}

/// A nest that can be run.
#[derive(Clone, Debug)]
pub struct Code {
    pub body: Vec<Op>,
    /// Values that slots have at the beginning.
    pub initial: Vec<i64>,
    pub arrays: Vec<ArrayLayout>,
    pub loops: usize,
    pub branches: usize,
    /// Names of arrays and functions whose unknown integers decide about addresses or control.
    pub unknown: Vec<String>,
}

/// Size of what nothing gives a size, as in the model.
pub(super) const DEFAULT_SIZE: i64 = 128;

/// Compiles a nest.
///
/// # Errors
/// Everything that cannot be run, each once.
pub fn compile(nest: &Nest) -> Result<Code, Vec<Refusal>> {
    let mut compiler = Compiler {
        nest,
        slots: FxHashMap::default(),
        initial: Vec::new(),
        arrays: Vec::new(),
        array_numbers: FxHashMap::default(),
        refusals: Vec::new(),
        evaluating: FxHashSet::default(),
        unknown: Vec::new(),
        loops: 0,
        branches: 0,
        quiet: false,
    };
    let mut body = Vec::new();
    if let Some(outermost) = nest.chain.first() {
        compiler.chain_loop(outermost, 0, &mut body);
    }
    if !compiler.refusals.is_empty() {
        return Err(compiler.refusals);
    }
    let Compiler { initial, mut arrays, loops, branches, mut unknown, .. } = compiler;
    layout::place(&mut arrays, nest.gap);
    settle::settle(&mut body, &arrays);
    unknown.sort();
    unknown.dedup();
    Ok(Code { body, initial, arrays, loops, branches, unknown })
}

pub(super) struct Compiler<'a> {
    pub nest: &'a Nest<'a>,
    slots: FxHashMap<VarId, Slot>,
    initial: Vec<i64>,
    pub arrays: Vec<ArrayLayout>,
    array_numbers: FxHashMap<VarId, usize>,
    refusals: Vec<Refusal>,
    /// Variables whose first value is being looked for.
    evaluating: FxHashSet<VarId>,
    pub unknown: Vec<String>,
    loops: usize,
    branches: usize,
    /// What is compiled makes no accesses: it belongs to another nest.
    pub quiet: bool,
}

impl<'a> Compiler<'a> {
    pub fn refuse(&mut self, code: &'static str, line: u32, detail: impl Into<String>) {
        let refusal = Refusal { code, line, detail: detail.into() };
        if !self.refusals.contains(&refusal) {
            self.refusals.push(refusal);
        }
    }

    pub fn new_branch(&mut self) -> usize {
        self.branches += 1;
        self.branches - 1
    }

    fn chain_loop(&mut self, inner: &'a Loop, level: usize, out: &mut Vec<Op>) {
        let outer = std::mem::replace(&mut self.quiet, level < self.nest.own);
        match &inner.control {
            Control::Counted { variable, lower, upper, step } => {
                let [lower, upper, step] = [lower, upper, step].map(|bound| self.integer(bound));
                let variable = self.slot(*variable);
                let number = self.loops;
                self.loops += 1;
                let body = self.loop_body(inner, level);
                let trips = (self.nest.trips)(inner);
                let body = Body::Statements(body);
                out.push(Op::Loop(Box::new(Counted { variable, lower, upper, step, trips, number, body })));
            }
            Control::Uncounted { condition, reason } => {
                let condition = condition.as_ref().map(|condition| self.integer(condition));
                let body = self.loop_body(inner, level);
                let (trips, tested_last) = ((self.nest.trips)(inner), reason.code == "do_while_loop");
                out.push(Op::While(Box::new(While { condition, trips, tested_last, body })));
            }
        }
        self.quiet = outer;
    }

    fn loop_body(&mut self, inner: &'a Loop, level: usize) -> Vec<Op> {
        let mut body = Vec::new();
        self.quiet = level < self.nest.own;
        self.statements(&inner.body, level + 1, &mut body);
        body
    }

    fn statements(&mut self, statements: &'a [Stmt], level: usize, out: &mut Vec<Op>) {
        statements.iter().for_each(|statement| self.statement(statement, level, out));
    }

    fn statement(&mut self, statement: &'a Stmt, level: usize, out: &mut Vec<Op>) {
        match statement {
            Stmt::Assign { place, target, value } => self.assign(place, target, value, out),
            Stmt::Loop(inner) => {
                if self.nest.chain.get(level).is_some_and(|next| std::ptr::eq(*next, &**inner)) {
                    self.chain_loop(inner, level, out);
                }
            }
            Stmt::If(branch) => {
                let condition = self.integer(&branch.condition);
                let [mut then, mut otherwise] = [Vec::new(), Vec::new()];
                let number = self.new_branch();
                self.statements(&branch.then, level, &mut then);
                self.statements(&branch.otherwise, level, &mut otherwise);
                let probability = (self.nest.probability)(branch);
                out.push(Op::Branch(Box::new(Branch { condition, probability, number, then, otherwise })));
            }
            Stmt::Call { arguments, .. } => arguments.iter().for_each(|argument| self.argument(argument, out)),
            Stmt::Jump { place, kind } => match kind {
                ir::Jump::Goto => self.refuse("goto", place.line, "a jump to a label"),
                // Error exits: data are assumed to be sound.
                ir::Jump::Stop => {}
                kind => out.push(Op::Jump(*kind)),
            },
            Stmt::Evaluate { values, .. } => values.iter().for_each(|value| self.reads(value, out)),
            Stmt::Opaque { place, reason, .. } => self.refuse(reason.code, place.line, reason.detail.clone()),
        }
    }

    fn assign(&mut self, place: &Place, target: &'a Value, value: &'a Value, out: &mut Vec<Op>) {
        match target {
            Value::Variable(id) => {
                let variable = self.nest.function.variable(*id);
                if !variable.dimensions.is_empty() {
                    return self.refuse("pointer_assigned", place.line, format!("`{}` is assigned", variable.name));
                }
                match variable.ty {
                    Type::Integer(_) | Type::Logical(_) | Type::Unknown => {
                        let value = self.integer(value);
                        let slot = self.slot(*id);
                        out.push(Op::Set(slot, value));
                    }
                    _ => self.reads(value, out),
                }
            }
            Value::Element { array, subscripts, place } => {
                let is_integer = matches!(self.nest.function.variable(*array).ty, Type::Integer(_) | Type::Logical(_));
                let stored = if is_integer { Some(self.integer(value)) } else { None };
                if stored.is_none() {
                    self.reads(value, out);
                }
                let Some(reference) = self.reference(*array, subscripts, place) else { return };
                match stored {
                    Some(value) => out.push(Op::Store(reference, value)),
                    None => self.access(reference, AccessKind::Store, out),
                }
            }
            Value::Opaque { reason, .. } => self.refuse(reason.code, place.line, reason.detail.clone()),
            _ => self.refuse("assignment_target", place.line, "an assignment to a computed place"),
        }
    }

    /// The slot of a scalar, with what it holds when the nest begins.
    pub fn slot(&mut self, id: VarId) -> Slot {
        if let Some(slot) = self.slots.get(&id) {
            return *slot;
        }
        let value = self.first_value(id);
        let slot = Slot(self.initial.len() as u32);
        self.initial.push(value);
        self.slots.insert(id, slot);
        slot
    }

    fn first_value(&mut self, id: VarId) -> i64 {
        let variable = self.nest.function.variable(id);
        if let Some(value) = (self.nest.symbol)(&variable.name) {
            return value as i64;
        }
        let constant = variable.constant.as_ref().filter(|_| self.evaluating.insert(id));
        let value = constant.and_then(|value| self.fixed(value));
        self.evaluating.remove(&id);
        value.unwrap_or(DEFAULT_SIZE)
    }

    /// A value that stays the same in the whole nest.
    pub fn fixed(&mut self, value: &'a Value) -> Option<i64> {
        let compiled = self.integer(value);
        super::run::constant(&compiled, &self.initial)
    }

    /// The number of an array and its layout, which is made when it is first met.
    pub fn array(&mut self, id: VarId, rank: usize) -> Option<usize> {
        if let Some(number) = self.array_numbers.get(&id) {
            return Some(*number);
        }
        let function = self.nest.function;
        let variable = function.variable(id);
        if variable.dimensions.len() != rank {
            let detail = format!("`{}` has {} dimensions, not {rank}", variable.name, variable.dimensions.len());
            self.refuse("rank", variable.place.line, detail);
            return None;
        }
        let first = i64::from(self.nest.language == Language::Fortran);
        let mut bounds = Vec::new();
        for extent in &variable.dimensions {
            let lower = extent.lower.as_ref().map_or(Some(first), |lower| self.fixed(lower));
            let upper = extent.upper.as_ref().and_then(|upper| self.fixed(upper));
            bounds.push((lower.unwrap_or(first), upper));
        }
        match layout::layout(function, id, bounds) {
            Ok(layout) => {
                let number = self.arrays.len();
                self.arrays.push(layout);
                self.array_numbers.insert(id, number);
                Some(number)
            }
            Err(refusal) => {
                self.refuse(refusal.code, refusal.line, refusal.detail);
                None
            }
        }
    }

    /// Whether the values of a variable may be integers of the program's control.
    pub fn is_integer(&self, value: &Value) -> bool {
        matches!(value.ty(self.nest.function), Type::Integer(_) | Type::Logical(_) | Type::Unknown)
    }
}
