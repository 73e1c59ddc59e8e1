//! The walk over the statements of a function that builds its facts.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use rayon::prelude::*;

use super::addresses::{Address, addressed, chased, is_left_out, roots};
use super::alternatives::{Alternative, either};
use super::assignments::{Effects, assigned_once, assigns_any_of, count_assignments, outputs};
use super::calls::{ProcedureId, Procedures, Target, expand};
use super::facts::*;
use super::flops::FlopCounter;
use super::inductions::{advanced, inductions, per_iteration};
use super::iterations::{mentions, with_iterations};
use super::moving::Level;
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
    let language = known.get(id).language;
    let expansion = expand::in_loops(known, id);
    let (function, origins) = match &expansion {
        Some(expansion) => (&expansion.function, expansion.origins.clone()),
        None => (known.get(id).function, expand::Origins::default()),
    };
    let next_iteration = function.variables.len() as u32;
    let counted = with_iterations(function);
    let function = counted.as_ref().unwrap_or(function);
    let effects = Effects::new(known, id, function, origins);
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
            chased: if language == Language::C { chased(function) } else { BTreeSet::new() },
            has_alternatives: false,
            roots: if language == Language::C { roots(function) } else { BTreeMap::new() },
        },
        outputs: outputs(function, &effects),
        effects,
        conditional: BTreeSet::new(),
        next_iteration,
        exits: Vec::new(),
        branches: 0,
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
    /// Variables that the loops around may advance in an iteration or not.
    conditional: BTreeSet<VarId>,
    /// The next variable that counts iterations of a loop without a variable.
    next_iteration: u32,
    /// For every loop around the walk, whether something leaves it early.
    exits: Vec<bool>,
    /// Number of branches met so far.
    branches: u32,
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
                    // The iterations of the loop become an upper bound.
                    Jump::Exit => return self.exits.iter_mut().next_back().into_iter().for_each(|exit| *exit = true),
                    Jump::Return => return self.exits.iter_mut().for_each(|exit| *exit = true),
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
                subscripts.iter().for_each(|s| self.index(place, s, block));
                self.element(place, *array, subscripts, AccessClass::WriteOnly, block);
            }
            Value::Variable(id) => {
                self.scalar(place, *id, AccessClass::WriteOnly, block);
                self.remember(*id, value);
            }
            Value::Opaque { reason, .. } => self.reason(block, place, reason.code, reason.detail.clone()),
            _ => self.reason(block, place, "assignment_target", self.symbols.text(target)),
        }
    }

    /// Keeps the value of an integer scalar so that it can carry an index (`ijk = i + n*j`), and where
    /// a pointer points.
    fn remember(&mut self, id: VarId, value: &Value) {
        if self.symbols.assigned_once.contains_key(&id) {
            return;
        }
        let variable = self.function().variable(id);
        let is_pointer = self.symbols.language == Language::C && !variable.dimensions.is_empty();
        let is_index = matches!(variable.ty, Type::Integer(_)) && variable.dimensions.is_empty();
        let expression = if is_index { self.value(value) } else { None };
        let address = if is_pointer { self.symbols.address(value) } else { None };
        let known = match (expression, address) {
            (Some(known), _) if self.depth() > 0 => known,
            // Outside of loops the name is more telling than its value, if that cannot change later.
            (Some(Known::Is(expr)), _) if expr.as_number().is_some() => Known::Is(expr),
            (_, Some(address)) if self.depth() > 0 || self.names_elements(address.array) => Known::Points(address),
            _ if self.depth() == 0 => {
                self.symbols.known.remove(&id);
                return;
            }
            _ => {
                let is_next = self.names_member_of(value, id);
                let loaded = is_next || ((is_index || is_pointer) && references::is_loaded(&self.symbols, value));
                Known::Changes { depth: self.depth(), loaded }
            }
        };
        self.symbols.known.insert(id, known);
    }

    /// An integer value: an expression, or one of a few if branches decided what it is made from.
    fn value(&mut self, value: &Value) -> Option<Known> {
        let mut found = self.symbols.each_way(std::slice::from_ref(value), |symbols| symbols.expression(value));
        if found.len() == 1 {
            return found.pop()?.1.map(Known::Is);
        }
        let alternative = |(ways, value): (_, Option<Expr>)| Some(Alternative { ways, value: value? });
        found.into_iter().map(alternative).collect::<Option<Vec<Alternative>>>().map(Known::OneOf)
    }

    /// Whether the name of an array says best what a pointer to it, set outside of loops, points to. That of
    /// a member of a structure or of a `void *` does not.
    fn names_elements(&self, id: VarId) -> bool {
        let variable = self.function().variable(id);
        !variable.name.contains(['.', '>']) && variable.ty.bytes().is_some()
    }

    /// `p->next`.
    fn names_member_of(&self, value: &Value, pointer: VarId) -> bool {
        matches!(value, Value::Variable(id) | Value::Element { array: id, .. }
            if self.symbols.roots.get(id) == Some(&pointer))
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
            Value::Variable(id) => self.scalar(place, *id, AccessClass::ReadOnly, block),
            Value::Element { array, subscripts, .. } => {
                subscripts.iter().for_each(|s| self.index(place, s, block));
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
                self.written_by_call(name, arguments);
            }
            Value::Select(a, b, c) => match symbolic::extremum(value, self.function()) {
                Some((left, right)) => [left, right].into_iter().for_each(|v| self.reads_in(place, v, block)),
                None => [a, b, c].into_iter().for_each(|v| self.reads_in(place, v, block)),
            },
            Value::Opaque { reason, inner } => {
                // Taking the address of an element reads only its subscripts.
                if let Some(Value::Element { subscripts, .. }) = addressed(value) {
                    return subscripts.iter().for_each(|s| self.index(place, s, block));
                }
                self.reason(block, place, reason.code, reason.detail.clone());
                inner.iter().for_each(|v| self.reads_in(place, v, block));
            }
            Value::Integer(_) | Value::Real(..) | Value::Logical(_) | Value::Text(_) => {}
        }
    }

    /// A subscript; one that C leaves out makes an address of the element.
    fn index(&mut self, place: &Place, subscript: &Value, block: &mut Block) {
        if self.symbols.language != Language::C || !is_left_out(subscript) {
            self.reads_in(place, subscript, block);
        }
    }

    fn element(&mut self, place: &Place, array: VarId, subscripts: &[Value], class: AccessClass, block: &mut Block) {
        // The address of a row is no access.
        if self.symbols.language == Language::C && subscripts.iter().any(is_left_out) {
            return;
        }
        for (code, detail) in references::record(&mut block.streams, &mut self.symbols, array, subscripts, class) {
            self.reason(block, place, code, detail);
        }
    }

    fn scalar(&mut self, place: &Place, id: VarId, class: AccessClass, block: &mut Block) {
        let variable = self.function().variable(id);
        if !variable.dimensions.is_empty() {
            return;
        }
        if self.symbols.root_changes(id) {
            // A member of the structure that a pointer points to in this iteration.
            return self.element(place, id, &[], class, block);
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

    /// An array that a known body takes is passed as an address, a section of an array is handed over:
    /// the caller only evaluates subscripts and bounds.
    fn reads_in_argument(&mut self, place: &Place, at: (&str, usize), argument: &Value, block: &mut Block) {
        let is_section = |v: &Value| matches!(v, Value::Opaque { reason, .. } if reason.code == "array_section");
        match argument {
            Value::Element { subscripts, .. }
                if self.effects.takes_array(at.0, at.1) || subscripts.iter().any(is_section) =>
            {
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
        self.join(after_then, after_otherwise);
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

    /// Keeps what the branches say of a variable: the value if they agree, else the few values that it
    /// may have, and that a value was loaded in either. What only one branch advances counts as advanced.
    fn join(&mut self, mut then: BTreeMap<VarId, Known>, mut otherwise: BTreeMap<VarId, Known>) {
        self.branches += 1;
        for (id, known) in &mut self.symbols.known {
            let Known::Changes { loaded, .. } = known else { continue };
            let sides = [then.remove(id), otherwise.remove(id)];
            *loaded |= sides.iter().flatten().any(|k| matches!(k, Known::Changes { loaded: true, .. }));
            if let [Some(a), Some(b)] = sides {
                match (a, b) {
                    (a, _) if self.conditional.contains(id) && !matches!(a, Known::Changes { .. }) => *known = a,
                    (a, b) if a == b => *known = a,
                    (a, b) => {
                        if let Some(values) = either(self.branches, a, b) {
                            *known = values;
                            self.symbols.has_alternatives = true;
                        }
                    }
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
        let counter = self.counter(inner);
        let counter_name = counter.map_or(String::new(), |id| function.variable(id).name.clone());
        let unknown = (counter_name, Expr::from(1.0), trip_symbol(), Expr::from(1.0));
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
            Control::Uncounted { reason, .. } => {
                reasons.push((reason.code, reason.detail.clone()));
                unknown
            }
        };
        let (advancing, conditional) = self.advancing(inner, &variable, &lower, &step);
        self.vary(&inner.body, self.depth() + 1);
        self.symbols.known.extend(advancing);
        let outer_conditional = std::mem::replace(&mut self.conditional, conditional);
        let bounds = (variable, lower, upper, step);
        self.loop_body(inner, counter, bounds, &reasons, block);
        self.conditional = outer_conditional;
        self.symbols.known = before;
        self.vary(&inner.body, self.depth());
        if let Control::Counted { variable, .. } = &inner.control {
            self.changes(*variable, self.depth());
        }
    }

    /// The variable that counts the iterations.
    fn counter(&mut self, inner: &ir::Loop) -> Option<VarId> {
        match &inner.control {
            Control::Counted { variable, .. } => Some(*variable),
            Control::Uncounted { .. } => {
                let id = VarId(self.next_iteration);
                self.next_iteration += 1;
                ((id.0 as usize) < self.function().variables.len()).then_some(id)
            }
        }
    }

    /// What is known of the induction variables of a loop when an iteration starts:
    /// entry + amount · (variable − lower)/step, and which of them some iterations may not advance. The
    /// entry value is an unknown multiple of the loop around if that changes it too.
    fn advancing(
        &mut self,
        inner: &ir::Loop,
        counter: &str,
        lower: &Expr,
        step: &Expr,
    ) -> (Vec<(VarId, Known)>, BTreeSet<VarId>) {
        let (mut found, mut conditional) = (Vec::new(), BTreeSet::new());
        if counter.is_empty() {
            return (found, conditional);
        }
        for induction in inductions(&inner.body, &self.effects) {
            let id = induction.variable;
            let amounts = induction.amounts.iter().map(|amount| self.symbols.expression(amount));
            let amounts = amounts.collect::<Option<Vec<Expr>>>();
            let Some(amounts) = amounts.filter(|all| !all.iter().any(|a| a.mentions(counter))) else { continue };
            let Some(moved) = per_iteration(&Expr::sum(amounts).expand(), counter, lower, step) else { continue };
            let Some(known) = self.entry(id, moved) else { continue };
            found.push((id, known));
            if induction.conditional {
                conditional.insert(id);
            }
        }
        (found, conditional)
    }

    /// An induction variable that the loop has moved by an amount since it was entered.
    fn entry(&self, id: VarId, moved: Expr) -> Option<Known> {
        let variable = self.function().variable(id);
        let is_pointer = self.symbols.language == Language::C && !variable.dimensions.is_empty();
        let known = self.symbols.known.get(&id);
        let depth = if let Some(Known::Changes { depth, .. }) = known { *depth } else { self.depth() };
        let stride = self.symbols.moved_by(id, depth);
        if is_pointer {
            let mut address = match known {
                Some(Known::Points(address)) => address.clone(),
                Some(_) => Address { array: id, subscripts: vec![stride?] },
                None => Address { array: id, subscripts: vec![Expr::from(0.0)] },
            };
            let first = address.subscripts.first_mut()?;
            *first = first.clone() + moved;
            return Some(Known::Points(address));
        }
        let entry = match (known, stride) {
            (Some(Known::Is(expr)), _) => expr.clone(),
            (Some(_), Some(stride)) => Expr::symbol(&variable.name) + stride,
            _ => Expr::symbol(&variable.name),
        };
        Some(Known::Is(entry + moved))
    }

    fn loop_body(
        &mut self,
        inner: &ir::Loop,
        counter: Option<VarId>,
        (variable, lower, upper, step): (String, Expr, Expr, Expr),
        reasons: &[(&'static str, String)],
        block: &mut Block,
    ) {
        self.symbols.loops.extend(counter);
        let has_unit_step = step.as_integer().is_some_and(|step| step.abs() == 1);
        self.symbols.levels.push(Level { counter, has_unit_step, advanced: advanced(&inner.body, &self.effects) });
        self.exits.push(false);
        let mut body = Block::default();
        for (code, detail) in reasons {
            if !UNDERSTOOD.contains(code) {
                self.reason(&mut body, &inner.place, code, detail.clone());
            }
        }
        if let Control::Uncounted { condition: Some(condition), .. } = &inner.control {
            // Evaluated once an iteration: part of the body.
            self.read(&inner.place, condition, &mut body);
        }
        self.statements(&inner.body, &mut body);
        self.symbols.levels.pop();
        if counter.is_some() {
            self.symbols.loops.pop();
        }
        let exits_early = self.exits.pop().unwrap_or(false);
        let is_counted = matches!(inner.control, Control::Counted { .. });
        let variable = if is_counted || mentions(&body, &variable) { variable } else { String::new() };
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
            exits_early,
            body,
        })));
    }
}

/// Loops of unknown trip count are understood all the same: the count is a parameter.
const UNDERSTOOD: &[&str] = &[
    "while_loop",
    "do_while_loop",
    "goto_loop",
    "infinite_loop",
    "geometric_step",
    "compound_condition",
    "pointer_variable",
    "floating_variable",
    "irregular_variable",
    "irregular_condition",
    "irregular_step",
    "unknown_direction",
    "step_direction",
    "variable_modified",
    "bound_depends_on_variable",
    "bound_modified",
    "missing_condition",
    "missing_initialiser",
    "missing_step",
    "side_effect_in_condition",
];

/// The parameter that holds how often a branch is taken.
pub(crate) fn probability_symbol(function: &str, line: u32) -> String {
    format!("prob_{}_{line}", symbol_part(function))
}

/// The part of a symbol that names a function: what is no letter, digit or underscore is replaced.
fn symbol_part(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect()
}
