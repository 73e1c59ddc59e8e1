//! The walk over the statements of a function that builds its facts.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use rayon::prelude::*;

use super::assignments::{Effects, assigned_once, assigns_any_of, count_assignments, inductions, outputs};
use super::calls::{ProcedureId, Procedures, Target, expand};
use super::facts::*;
use super::flops::FlopCounter;
use super::references;
use super::symbolic::{self, Known, Symbols};
use crate::diagnostic::Place;
use crate::expr::Expr;
use crate::intrinsics::IntrinsicKind;
use crate::ir::text::type_text;
use crate::ir::{self, Control, Jump, Stmt, Type, Value, VarId};
use crate::source::Language;

/// Facts of every function of the units, in their order. Loop ids are unique over all of them.
///
/// A function in a header is seen by every file that includes it: the version with the fewest
/// reasons is kept, the earliest of equals.
pub fn analyze(units: &[ir::Unit]) -> Program {
    let file = |unit: &ir::Unit| File {
        path: unit.path.clone(),
        language: unit.language,
        form: unit.form,
        lines: unit.lines,
        preprocessing: unit.preprocessing,
        diagnostics: unit.diagnostics.clone(),
    };
    let known = Procedures::new(units);
    let ids: Vec<ProcedureId> = known.ids().collect();
    let all: Vec<Function> = ids.par_iter().map(|id| analyze_procedure(&known, *id)).collect();
    let mut best: HashMap<(Arc<str>, u32, String), (usize, usize)> = HashMap::new();
    for (index, function) in all.iter().enumerate() {
        let reasons = count_reasons(&function.body);
        let known = best.entry(key(function)).or_insert((reasons, index));
        if reasons < known.0 {
            *known = (reasons, index);
        }
    }
    let is_best = |(index, function): &(usize, Function)| best.get(&key(function)).is_some_and(|(_, i)| i == index);
    let mut functions: Vec<Function> = all.into_iter().enumerate().filter(is_best).map(|(_, f)| f).collect();
    let mut ids = BTreeMap::new();
    for function in &mut functions {
        name_loops(&mut function.body, &function.name, &mut ids);
    }
    Program { files: units.iter().map(file).collect(), functions, unread: BTreeMap::new() }
}

fn key(function: &Function) -> (Arc<str>, u32, String) {
    (function.file.clone(), function.line, function.name.clone())
}

fn count_reasons(block: &Block) -> usize {
    let inner = block.items.iter().map(|item| match item {
        Item::Loop(inner) => count_reasons(&inner.body),
        Item::Branch(branch) => count_reasons(&branch.then) + branch.otherwise.as_ref().map_or(0, count_reasons),
    });
    block.reasons.len() + inner.sum::<usize>()
}

/// Facts of one procedure; loop ids are left empty.
fn analyze_procedure(known: &Procedures, id: ProcedureId) -> Function {
    let expansion = expand::in_loops(known, id);
    let (function, origins) = match &expansion {
        Some(expansion) => (&expansion.function, expansion.origins.clone()),
        None => (known.get(id).function, expand::Origins::default()),
    };
    let effects = Effects::new(known, id, function, origins);
    let language = known.get(id).language;
    let mut walker = Walker {
        symbols: Symbols {
            function,
            language,
            known: BTreeMap::new(),
            loops: Vec::new(),
            levels: Vec::new(),
            may_move: false,
            constants: BTreeMap::new(),
            assigned_once: assigned_once(function, &effects),
        },
        outputs: outputs(function, &effects),
        effects,
    };
    let body = walker.block(&function.body);
    Function {
        name: function.name.clone(),
        file: function.place.file.clone(),
        line: function.place.line,
        constants: walker.symbols.constants.into_values().collect(),
        body,
    }
}

/// Gives every loop its id: function and line, and a number where that is not unique.
pub(crate) fn name_loops(block: &mut Block, function: &str, taken: &mut BTreeMap<String, u32>) {
    for item in &mut block.items {
        match item {
            Item::Loop(inner) => {
                let base = format!("{function}@{}", inner.line);
                let count = taken.entry(base.clone()).or_insert(0);
                *count += 1;
                inner.id = if *count == 1 { base } else { format!("{base}#{count}") };
                name_loops(&mut inner.body, function, taken);
            }
            Item::Branch(branch) => {
                name_loops(&mut branch.then, function, taken);
                branch.otherwise.iter_mut().for_each(|block| name_loops(block, function, taken));
            }
        }
    }
}

struct Walker<'f> {
    symbols: Symbols<'f>,
    /// Scalars that calls are taken to assign.
    outputs: BTreeSet<VarId>,
    effects: Effects<'f>,
}

impl<'f> Walker<'f> {
    fn function(&self) -> &'f ir::Function {
        self.symbols.function
    }

    fn block(&mut self, statements: &[Stmt]) -> Block {
        let mut block = Block::default();
        self.statements(statements, &mut block);
        block
    }

    fn statements(&mut self, statements: &[Stmt], block: &mut Block) {
        for (index, statement) in statements.iter().enumerate() {
            match statement {
                // `if (c) cycle` makes the rest of the block its other branch.
                Stmt::If(branch)
                    if branch.otherwise.is_empty()
                        && matches!(branch.then.last(), Some(Stmt::Jump { kind: Jump::Cycle, .. })) =>
                {
                    let then = &branch.then[..branch.then.len() - 1];
                    self.branch(branch, then, &statements[index + 1..], block);
                    return;
                }
                _ => self.statement(statement, block),
            }
        }
    }

    fn statement(&mut self, statement: &Stmt, block: &mut Block) {
        match statement {
            Stmt::Assign { place, target, value } => self.assign(place, target, value, block),
            Stmt::Loop(inner) => self.enter_loop(inner, block),
            Stmt::If(branch) => self.branch(branch, &branch.then, &branch.otherwise, block),
            Stmt::Call { place, name, arguments } => {
                if self.effects.origins.is_expanded(place, name) {
                    self.list(place, name, arguments, Body::Expanded, block);
                    return;
                }
                for (position, argument) in arguments.iter().enumerate() {
                    self.argument(place, (name, position), argument, block);
                }
                self.call(place, name, arguments, block);
                self.written_by_call(name, arguments);
            }
            Stmt::Evaluate { place, values } => values.iter().for_each(|value| self.read(place, value, block)),
            Stmt::Jump { place, kind } => {
                let code = match kind {
                    _ if self.depth() == 0 => return,
                    Jump::Cycle => "cycle",
                    Jump::Goto => "goto",
                    Jump::Exit | Jump::Return => "early_exit",
                    // Error exits: the run ends there.
                    Jump::Stop => return,
                };
                let detail = format!("{kind:?} inside a loop").to_lowercase();
                self.reason(block, place, code, detail);
            }
            Stmt::Opaque { place, reason, inner } => {
                self.reason(block, place, reason.code, reason.detail.clone());
                self.statements(inner, block);
            }
        }
    }

    fn reason(&self, block: &mut Block, place: &Place, code: &str, detail: String) {
        let reason = Reason { code: code.to_string(), line: place.line, detail };
        if !block.reasons.contains(&reason) {
            block.reasons.push(reason);
        }
    }

    fn assign(&mut self, place: &Place, target: &Value, value: &Value, block: &mut Block) {
        self.read(place, value, block);
        let ty = target.ty(self.function());
        self.with_counter(place, block, |counter| counter.conversion(&ty, value));
        match target {
            Value::Element { array, subscripts, .. } => {
                subscripts.iter().for_each(|s| self.reads_in(place, s, block));
                self.element(place, *array, subscripts, AccessClass::WriteOnly, block);
            }
            Value::Variable(id) => {
                self.scalar(*id, AccessClass::WriteOnly, block);
                self.remember(*id, value);
            }
            Value::Opaque { reason, .. } => self.reason(block, place, reason.code, reason.detail.clone()),
            _ => self.reason(block, place, "assignment_target", self.symbols.text(target)),
        }
    }

    /// Keeps the value of an integer scalar so that it can carry an index: `ijk = i + n*j`.
    fn remember(&mut self, id: VarId, value: &Value) {
        let variable = self.function().variable(id);
        if self.symbols.assigned_once.contains_key(&id) {
            return;
        }
        let is_index = matches!(variable.ty, Type::Integer(_)) && variable.dimensions.is_empty();
        let expression = if is_index { self.symbols.expression(value) } else { None };
        let known = match expression {
            Some(expr) if self.depth() > 0 => Known::Is(expr),
            // Outside of loops the name is more telling than its value, if that cannot change later.
            Some(expr) if expr.as_number().is_some() => Known::Is(expr),
            _ if self.depth() == 0 => {
                self.symbols.known.remove(&id);
                return;
            }
            _ => {
                let loaded = is_index && references::is_loaded(&self.symbols, value);
                Known::Changes { depth: self.depth(), loaded }
            }
        };
        self.symbols.known.insert(id, known);
    }

    /// Counts and records everything that evaluating `value` does.
    fn read(&mut self, place: &Place, value: &Value, block: &mut Block) {
        self.with_counter(place, block, |counter| counter.count(value));
        self.reads_in(place, value, block);
    }

    fn with_counter(&mut self, place: &Place, block: &mut Block, count: impl FnOnce(&mut FlopCounter<'f>)) {
        let mut counter = FlopCounter::new(self.symbols.function, self.symbols.language);
        count(&mut counter);
        block.flops.add(&counter.flops);
        for (code, detail) in counter.uncounted {
            self.reason(block, place, code, detail);
        }
    }

    fn reads_in(&mut self, place: &Place, value: &Value, block: &mut Block) {
        match value {
            Value::Variable(id) => self.scalar(*id, AccessClass::ReadOnly, block),
            Value::Element { array, subscripts, .. } => {
                subscripts.iter().for_each(|s| self.reads_in(place, s, block));
                self.element(place, *array, subscripts, AccessClass::ReadOnly, block);
            }
            Value::Unary(_, operand) | Value::Convert(_, operand) => self.reads_in(place, operand, block),
            Value::Binary(_, left, right) => {
                self.reads_in(place, left, block);
                self.reads_in(place, right, block);
            }
            Value::Call { name, arguments, .. } => {
                for (position, argument) in arguments.iter().enumerate() {
                    self.reads_in_argument(place, (name, position), argument, block);
                }
                self.call(place, name, arguments, block);
            }
            Value::Select(a, b, c) => match symbolic::extremum(value, self.function()) {
                Some((left, right)) => [left, right].into_iter().for_each(|v| self.reads_in(place, v, block)),
                None => [a, b, c].into_iter().for_each(|v| self.reads_in(place, v, block)),
            },
            Value::Opaque { reason, inner } => {
                self.reason(block, place, reason.code, reason.detail.clone());
                inner.iter().for_each(|v| self.reads_in(place, v, block));
            }
            Value::Integer(_) | Value::Real(..) | Value::Logical(_) | Value::Text(_) => {}
        }
    }

    fn element(&mut self, place: &Place, array: VarId, subscripts: &[Value], class: AccessClass, block: &mut Block) {
        for (code, detail) in references::record(&mut block.streams, &mut self.symbols, array, subscripts, class) {
            self.reason(block, place, code, detail);
        }
    }

    fn scalar(&mut self, id: VarId, class: AccessClass, block: &mut Block) {
        let variable = self.function().variable(id);
        if !variable.dimensions.is_empty() {
            return;
        }
        let writes = u64::from(class == AccessClass::WriteOnly);
        match block.scalars.iter_mut().find(|s| s.name == variable.name) {
            Some(scalar) => {
                scalar.class = scalar.class.then(class);
                scalar.reads += 1 - writes;
                scalar.writes += writes;
            }
            None => block.scalars.push(Scalar {
                name: variable.name.clone(),
                ty: type_text(&variable.ty),
                is_constant: matches!(variable.role, ir::Role::Constant(_)),
                class,
                reads: 1 - writes,
                writes,
            }),
        }
    }

    fn call(&mut self, place: &Place, name: &str, arguments: &[Value], block: &mut Block) {
        use IntrinsicKind::{Allocation, Array, Io, Memory, Reduction, System, Timer};
        let body = match self.effects.target(name) {
            Target::Library(kind) => {
                match kind {
                    Reduction | Array => self.reason(block, place, "array_intrinsic", name.to_string()),
                    Memory => self.reason(block, place, "memory_intrinsic", name.to_string()),
                    Io | Timer | System | Allocation => {}
                    _ => return,
                }
                Body::Library
            }
            Target::Body(callee) => {
                if let Some(gap) = self.effects.gap(callee) {
                    self.reason(block, place, "callee", format!("{name}: {gap}"));
                }
                Body::Function(self.effects.key(callee))
            }
            Target::Recursive(_) => {
                self.reason(block, place, "recursion", name.to_string());
                Body::Recursive
            }
            Target::Unknown => {
                self.reason(block, place, "call", name.to_string());
                Body::Unknown
            }
        };
        self.list(place, name, arguments, body, block);
    }

    /// Counts and records what passing an argument does.
    fn argument(&mut self, place: &Place, at: (&str, usize), argument: &Value, block: &mut Block) {
        self.with_counter(place, block, |counter| counter.count(argument));
        self.reads_in_argument(place, at, argument, block);
    }

    /// An array that a known body takes is passed as an address: the body's loops say what they touch.
    fn reads_in_argument(&mut self, place: &Place, at: (&str, usize), argument: &Value, block: &mut Block) {
        match argument {
            Value::Element { subscripts, .. } if self.effects.takes_array(at.0, at.1) => {
                for subscript in subscripts {
                    match subscript {
                        Value::Opaque { inner, .. } => inner.iter().for_each(|v| self.reads_in(place, v, block)),
                        _ => self.reads_in(place, subscript, block),
                    }
                }
            }
            _ => self.reads_in(place, argument, block),
        }
    }

    fn list(&mut self, place: &Place, name: &str, arguments: &[Value], body: Body, block: &mut Block) {
        let arguments = arguments.iter().map(|argument| self.symbols.text(argument)).collect();
        block.calls.push(Call { line: place.line, name: name.to_string(), arguments, body });
    }

    /// After the call, nobody knows the scalars that it gives values.
    fn written_by_call(&mut self, name: &str, arguments: &[Value]) {
        let written: Vec<VarId> = self.effects.written(name, arguments).collect();
        for id in written {
            self.changes(id, self.depth());
        }
    }

    fn branch(&mut self, branch: &ir::If, then: &[Stmt], otherwise: &[Stmt], block: &mut Block) {
        self.read(&branch.place, &branch.condition, block);
        let before = self.symbols.known.clone();
        let then_block = self.block(then);
        let after_then = std::mem::replace(&mut self.symbols.known, before.clone());
        let otherwise_block = if otherwise.is_empty() { None } else { Some(self.block(otherwise)) };
        let after_otherwise = std::mem::replace(&mut self.symbols.known, before);
        self.vary(then, self.depth());
        self.vary(otherwise, self.depth());
        self.join(&after_then, &after_otherwise);
        let written_in = self.effects.origins.written_in(&branch.place).unwrap_or(&self.function().name);
        let probability = probability_symbol(written_in, branch.place.line);
        block.items.push(Item::Branch(Box::new(Branch {
            line: branch.place.line,
            condition: self.symbols.text(&branch.condition),
            probability,
            then: then_block,
            otherwise: otherwise_block,
        })));
    }

    /// Keeps what both branches agree on, and that a value was loaded in either.
    fn join(&mut self, then: &BTreeMap<VarId, Known>, otherwise: &BTreeMap<VarId, Known>) {
        for (id, known) in &mut self.symbols.known {
            let sides = [then.get(id), otherwise.get(id)];
            if let Known::Changes { loaded, .. } = known {
                *loaded |= sides.into_iter().flatten().any(|k| matches!(k, Known::Changes { loaded: true, .. }));
                if let [Some(a @ Known::Is(_)), Some(b)] = sides
                    && a == b
                {
                    *known = a.clone();
                }
            }
        }
    }

    /// Number of loops around the walk.
    fn depth(&self) -> usize {
        self.symbols.levels.len()
    }

    /// A variable gets another value in every iteration of the loop at `depth`. Outside of loops its
    /// name stands for whatever it is.
    fn changes(&mut self, id: VarId, depth: usize) {
        match depth {
            0 => self.symbols.known.remove(&id),
            _ => self.symbols.known.insert(id, Known::Changes { depth, loaded: false }),
        };
    }

    /// Forgets what is known of every variable that the statements assign.
    fn vary(&mut self, statements: &[Stmt], depth: usize) {
        let mut assigned = BTreeMap::new();
        count_assignments(statements, &self.effects, &mut assigned);
        for (id, count) in assigned {
            let changes = count.statements > 0 || self.outputs.contains(&id);
            if changes && !self.symbols.assigned_once.contains_key(&id) {
                self.changes(id, depth);
            }
        }
    }

    fn enter_loop(&mut self, inner: &ir::Loop, block: &mut Block) {
        let function = self.function();
        let trip_symbol = || Expr::symbol(&format!("trip_{}_{}", symbol_part(&function.name), inner.place.line));
        let mut reasons = Vec::new();
        let unknown = (String::new(), Expr::from(1.0), trip_symbol(), Expr::from(1.0));
        let before = self.symbols.known.clone();
        let (variable, lower, upper, step) = match &inner.control {
            Control::Counted { variable, lower, upper, step } => {
                let name = function.variable(*variable).name.clone();
                let bounds = [lower, upper, step].map(|bound| self.symbols.bound(bound));
                let zero_step = bounds[2].as_ref().is_some_and(Expr::is_zero);
                if zero_step {
                    reasons.push(("zero_step", "a step of zero".to_string()));
                }
                let moves =
                    self.symbols.language == Language::C && assigns_any_of(&inner.body, &self.effects, [upper, step]);
                if moves {
                    reasons.push(("bound_modified", "the loop changes what its end depends on".to_string()));
                }
                match bounds {
                    [Some(lower), Some(upper), Some(step)] if !zero_step && !moves => (name, lower, upper, step),
                    // Bounds that change in the enclosing loops: the trip count is a parameter.
                    [_, _, step] => {
                        let step = step.filter(|s| s.as_integer().is_some_and(|s| s != 0));
                        let step = step.unwrap_or(Expr::from(1.0));
                        let last = (trip_symbol() - Expr::from(1.0)) * step.clone() + 1.0;
                        (name, Expr::from(1.0), last.expand(), step)
                    }
                }
            }
            Control::Uncounted { condition, reason } => {
                reasons.push((reason.code, reason.detail.clone()));
                if let Some(condition) = condition {
                    // Evaluated once an iteration: part of the body.
                    let mut body = Block::default();
                    self.vary(&inner.body, self.depth() + 1);
                    self.read(&inner.place, condition, &mut body);
                    self.loop_body(inner, body, unknown, &reasons, block);
                    self.symbols.known = before;
                    self.vary(&inner.body, self.depth());
                    return;
                }
                unknown
            }
        };
        let advancing = self.advancing(inner, &lower, &step);
        self.vary(&inner.body, self.depth() + 1);
        self.symbols.known.extend(advancing);
        self.loop_body(inner, Block::default(), (variable, lower, upper, step), &reasons, block);
        self.symbols.known = before;
        self.vary(&inner.body, self.depth());
        if let Control::Counted { variable, .. } = &inner.control {
            self.changes(*variable, self.depth());
        }
    }

    /// What is known of the induction variables of a counted loop while it runs:
    /// entry + amount · (variable − lower)/step. The entry value is an unknown multiple of the loop
    /// around if that changes it too.
    fn advancing(&mut self, inner: &ir::Loop, lower: &Expr, step: &Expr) -> Vec<(VarId, Known)> {
        let Control::Counted { variable, .. } = &inner.control else { return Vec::new() };
        let counter = self.function().variable(*variable).name.clone();
        let Some(step) = step.as_integer().filter(|s| s.abs() == 1) else { return Vec::new() };
        let iteration = (Expr::symbol(&counter) - lower.clone()) * step as f64;
        let mut found = Vec::new();
        for (id, amount) in inductions(&inner.body, &self.effects) {
            let name = self.function().variable(id).name.clone();
            let entry = match self.symbols.known.get(&id) {
                Some(Known::Is(expr)) => expr.clone(),
                None => Expr::symbol(&name),
                Some(Known::Changes { .. }) => match self.symbols.loops.last() {
                    Some(outer) => {
                        let outer = Expr::symbol(&self.function().variable(*outer).name);
                        Expr::symbol(&name) + Expr::symbol(&format!("stride of {name}")) * outer
                    }
                    None => Expr::symbol(&name),
                },
            };
            if let Some(amount) = self.symbols.expression(&amount) {
                found.push((id, Known::Is(entry + amount * iteration.clone())));
            }
        }
        found
    }

    fn loop_body(
        &mut self,
        inner: &ir::Loop,
        mut body: Block,
        (variable, lower, upper, step): (String, Expr, Expr, Expr),
        reasons: &[(&'static str, String)],
        block: &mut Block,
    ) {
        let counter = match &inner.control {
            Control::Counted { variable, .. } => Some(*variable),
            Control::Uncounted { .. } => None,
        };
        self.symbols.loops.extend(counter);
        self.symbols.levels.push(counter);
        for (code, detail) in reasons {
            if !UNDERSTOOD.contains(code) {
                self.reason(&mut body, &inner.place, code, detail.clone());
            }
        }
        self.statements(&inner.body, &mut body);
        self.symbols.levels.pop();
        if counter.is_some() {
            self.symbols.loops.pop();
        }
        if self.depth() == 0 {
            references::split_components(&mut body);
        }
        block.items.push(Item::Loop(Box::new(Loop {
            id: String::new(),
            file: inner.place.file.clone(),
            line: inner.place.line,
            end_line: inner.end_line,
            variable,
            lower,
            upper,
            step,
            parallel: inner.parallel.clone(),
            body,
        })));
    }
}

/// Loops of unknown trip count are understood all the same: the count is a parameter.
const UNDERSTOOD: &[&str] = &["while_loop", "do_while_loop", "infinite_loop", "geometric_step", "compound_condition"];

/// The parameter that holds how often a branch is taken.
pub(crate) fn probability_symbol(function: &str, line: u32) -> String {
    format!("prob_{}_{line}", symbol_part(function))
}

/// The part of a symbol that names a function: what is no letter, digit or underscore is replaced.
fn symbol_part(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect()
}
