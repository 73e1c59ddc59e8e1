//! From the IR of a nest, or of a whole function, to its compact form.

use std::collections::BTreeSet;

use super::code::{Body, Branch, Code, Counted, Mark, Op, Reference, While};
use super::compiler::{Compiler, Part, Source};
use super::layout::{self, ArrayLayout};
use super::storage::UNKNOWN_EXTENT;
use super::{Refusal, blocks, probe, settle};
use crate::cache::AccessKind;
use crate::diagnostic::Place;
use crate::ir::{self, Control, Loop, Stmt, Tested, Type, Value, dimensions_behind};
use crate::reason::ReasonCode;

/// Compiles a nest or function.
///
/// # Errors
/// Everything that cannot be run, each once.
pub fn compile<'a>(source: &'a Source<'a>) -> Result<Code, Vec<Refusal>> {
    let mut compiler = Compiler::new(source);
    let mut body = Vec::new();
    match &source.part {
        Part::Nest { chain, .. } => {
            let Some(outermost) = chain.first() else {
                return Ok(compiler.finish(body));
            };
            compiler.find_pointers(&outermost.body);
            let mut before = Vec::new();
            compiler.before(&source.function.body, outermost, &mut before);
            compiler.chain_loop(outermost, 0, &mut body);
            body.splice(0..0, before);
        }
        Part::Whole { .. } => {
            compiler.find_pointers(&source.function.body);
            compiler.statements(&source.function.body, 0, &mut body);
        }
    }
    if !compiler.refusals.is_empty() {
        return Err(compiler.refusals);
    }
    Ok(compiler.finish(body))
}

impl<'a> Compiler<'a> {
    /// Places arrays and simplifies.
    fn finish(self, mut body: Vec<Op>) -> Code {
        let Compiler {
            mut initial,
            mut arrays,
            loops,
            branches,
            mut notes,
            ..
        } = self;
        for (number, array) in arrays.iter().enumerate() {
            initial[array.base.0 as usize] = layout::far_apart(number);
        }
        let code = |body: &[Op], initial: &[i64], arrays: &[ArrayLayout]| {
            let (body, initial, arrays) = (body.to_vec(), initial.to_vec(), arrays.to_vec());
            Code {
                body,
                initial,
                arrays,
                loops,
                branches,
                notes: BTreeSet::new(),
                is_outside: false,
                reach: (0, 0),
            }
        };
        settle::find_carried(&mut body);
        if arrays.iter().any(ArrayLayout::is_open) {
            let seen = probe::subscripts(&code(&body, &initial, &arrays), self.source.most_probed);
            for (array, seen) in arrays.iter_mut().zip(&seen) {
                if array.is_open() {
                    notes.insert(format!("extents of `{}` from its subscripts", array.name));
                    array.close(seen);
                }
            }
        }
        settle::settle(&mut body, &arrays, &initial, UNKNOWN_EXTENT);
        let most = self.source.most_probed;
        let (seen, written) = probe::bytes(&code(&body, &initial, &arrays), most);
        let reach = match branches {
            0 => layout::reach(&seen, &written),
            _ => {
                let (possible, changed) =
                    probe::possible_bytes(&code(&body, &initial, &arrays), most);
                layout::reach(&possible, &changed)
            }
        };
        let is_outside = arrays
            .iter()
            .zip(&seen)
            .any(|(array, seen)| layout::is_outside(array, *seen));
        for (array, seen) in arrays.iter().zip(&seen) {
            if layout::is_outside(array, *seen) {
                notes.insert(format!(
                    "accesses beyond the declared extents of `{}`",
                    array.name
                ));
            }
        }
        let room = probe::room(&code(&body, &initial, &arrays), most, &seen);
        let bases = layout::place(&arrays, &room, self.source.gap);
        for (array, base) in arrays.iter().zip(bases) {
            initial[array.base.0 as usize] = base;
        }
        Code {
            body,
            initial,
            arrays,
            loops,
            branches,
            notes,
            is_outside,
            reach,
        }
    }

    fn chain_loop(&mut self, inner: &'a Loop, level: usize, out: &mut Vec<Op>) {
        let own = self.own();
        let quiet = std::mem::replace(&mut self.quiet, level < own);
        let in_loop = std::mem::replace(&mut self.in_loop, true);
        let trips = (self.source.trips)(inner);
        let over_blocks = self.loops_over_blocks(level);
        let mut one = Vec::new();
        match &inner.control {
            Control::Counted {
                variable,
                lower,
                upper,
                step,
            } => {
                // Those of the nest's first loop are evaluated before the nest begins.
                let around = std::mem::replace(&mut self.quiet, level <= own);
                let [mut lower, mut upper, step] =
                    [lower, upper, step].map(|bound| self.integer(bound));
                self.quiet = around;
                let mut trips = trips;
                if let Some(block) = self.in_blocks.get(&level) {
                    (lower, upper, trips) = block.narrow(upper, trips);
                }
                let variable = self.slot(*variable);
                let number = self.loops;
                self.loops += 1;
                let mut body = Vec::new();
                self.around.push(variable);
                self.statements(&inner.body, level + 1, &mut body);
                self.around.pop();
                let body = Body::Statements(body);
                let counted = Counted {
                    variable,
                    lower,
                    upper,
                    step,
                    trips,
                    number,
                    carries: true,
                    body,
                };
                one.push(Op::Loop(Box::new(counted)));
            }
            Control::Uncounted {
                condition, tested, ..
            } => {
                let condition = condition.as_ref().map(|condition| self.integer(condition));
                let mut body = Vec::new();
                let round = self.new_slot(0);
                self.around.push(round);
                self.statements(&inner.body, level + 1, &mut body);
                self.around.pop();
                let tested_last = *tested == Tested::AfterBody;
                one.push(Op::While(Box::new(While {
                    condition,
                    trips,
                    tested_last,
                    round,
                    body,
                })));
            }
        }
        out.extend(blocks::inside(over_blocks, one));
        (self.quiet, self.in_loop) = (quiet, in_loop);
    }

    fn statements(&mut self, statements: &'a [Stmt], level: usize, out: &mut Vec<Op>) {
        // The statements of a loop are the nest's own if the loop is.
        let own = self.own();
        let quiet = std::mem::replace(&mut self.quiet, level <= own && own > 0);
        statements
            .iter()
            .for_each(|statement| self.statement(statement, level, out));
        self.quiet = quiet;
    }

    fn statement(&mut self, statement: &'a Stmt, level: usize, out: &mut Vec<Op>) {
        self.line = super::before::line_of(statement);
        match statement {
            Stmt::Assign {
                place,
                target,
                value,
            } => self.assign(place, target, value, out),
            Stmt::Loop(inner) => match &self.source.part {
                Part::Nest { chain, .. } => {
                    if chain
                        .get(level)
                        .is_some_and(|next| std::ptr::eq(*next, &**inner))
                    {
                        self.chain_loop(inner, level, out);
                    } else {
                        self.bounds_of(inner, out);
                        match chain.get(level.wrapping_sub(1)..=level) {
                            Some([around, next]) => self.leave_out(inner, around, next),
                            _ if level == chain.len() => self.leave_out_inside(inner, chain),
                            _ => {}
                        }
                    }
                }
                Part::Whole { number } => {
                    out.push(Op::Mark(Mark::Enter(number(inner))));
                    self.chain_loop(inner, level, out);
                    out.push(Op::Mark(Mark::Leave));
                }
            },
            Stmt::If(branch) => {
                let chance = (self.source.chance)(branch);
                let condition = self.condition(&branch.condition, chance.probability);
                let [mut then, mut otherwise] = [Vec::new(), Vec::new()];
                let draws = match chance.parts.as_slice() {
                    [] => vec![self.draw(chance.probability, chance.loops)],
                    parts => {
                        let part = |(probability, loops): &(f64, &BTreeSet<u32>)| {
                            self.draw(*probability, Some(loops))
                        };
                        parts.iter().map(part).collect()
                    }
                };
                self.statements(&branch.then, level, &mut then);
                self.statements(&branch.otherwise, level, &mut otherwise);
                out.push(Op::Branch(Box::new(Branch {
                    condition,
                    holds: chance.holds,
                    draws,
                    then,
                    otherwise,
                })));
            }
            Stmt::Call {
                name, arguments, ..
            } => {
                self.notes
                    .insert(format!("what `{name}` itself accesses is left out"));
                for (at, argument) in arguments.iter().enumerate() {
                    self.argument((name, at), argument, out);
                }
            }
            Stmt::Jump { place, kind } => match kind {
                ir::Jump::Goto => self.refuse(ReasonCode::Goto, place.line, "a jump to a label"),
                // Error exits: data are assumed to be sound.
                ir::Jump::Stop => {}
                kind => out.push(Op::Jump(*kind)),
            },
            Stmt::Evaluate { values, .. } => values.iter().for_each(|value| self.reads(value, out)),
            Stmt::Mark { .. } => {}
            Stmt::Opaque { place, reason, .. } => {
                self.refuse(reason.code, place.line, reason.detail.clone());
            }
        }
    }

    /// What is read where a loop that is left out begins.
    fn bounds_of(&mut self, inner: &'a Loop, out: &mut Vec<Op>) {
        if let Control::Counted {
            lower, upper, step, ..
        } = &inner.control
        {
            [lower, upper, step]
                .into_iter()
                .for_each(|bound| self.reads(bound, out));
        }
    }

    /// Fortran passes the place of an element. Where it is not the beginning of an array, what a body among the inputs does
    /// with it is the caller's access, unless it is a structure. C passes the value.
    pub fn argument(&mut self, (name, at): (&str, usize), argument: &'a Value, out: &mut Vec<Op>) {
        let function = self.source.function;
        let Value::Element {
            array,
            subscripts,
            place: element,
        } = argument
        else {
            return self.reads(argument, out);
        };
        if function.conventions.passes_places() {
            let is_structure = matches!(argument.ty(function), Type::Derived(..));
            let passed = (self.source.passed)(name, at);
            let (reads, writes) = match passed.filter(|_| !is_structure) {
                None if !is_structure => return self.reads(argument, out),
                Some((reads, writes)) if reads || writes => (reads, writes),
                _ => return subscripts.iter().for_each(|s| self.reads(s, out)),
            };
            if let Some(reference) = self.reference(*array, subscripts, element, out) {
                if reads {
                    self.access(reference.clone(), AccessKind::Load, out);
                }
                if writes {
                    self.access(reference, AccessKind::Store, out);
                }
            }
            return;
        }
        if dimensions_behind(function.variable(*array), subscripts).is_some() {
            let detail = format!("`{name}` takes a pointer out of an array");
            return self.refuse(ReasonCode::PointerFromData, self.line, detail);
        }
        self.reads(argument, out);
    }

    fn assign(&mut self, place: &'a Place, target: &'a Value, value: &'a Value, out: &mut Vec<Op>) {
        match target {
            Value::Variable(id) => {
                let variable = self.source.function.variable(*id);
                self.refuse_if_moving(*id);
                if let Some(reference) = self.behind_pointer(*id) {
                    return self.store(reference, self.is_integer(target), value, out);
                }
                if !variable.dimensions.is_empty() {
                    return match self.pointer(value) {
                        Some((address, _)) => out.push(Op::Set(self.slot(*id), address)),
                        None => self.refuse(
                            ReasonCode::PointerFromData,
                            place.line,
                            format!("`{}`", variable.name),
                        ),
                    };
                }
                match variable.ty {
                    Type::Integer(..) | Type::Logical(_) | Type::Unknown if self.may_set(*id) => {
                        let value = self.integer(value);
                        let slot = self.slot(*id);
                        out.push(Op::Set(slot, value));
                    }
                    _ => self.reads(value, out),
                }
            }
            Value::Element {
                array,
                subscripts,
                place,
            } => {
                let variable = self.source.function.variable(*array);
                let is_integer = matches!(variable.ty, Type::Integer(..) | Type::Logical(_))
                    && dimensions_behind(variable, subscripts).is_none();
                let stored = if is_integer {
                    Some(self.integer(value))
                } else {
                    None
                };
                if stored.is_none() {
                    self.reads(value, out);
                }
                let Some(reference) = self.stored_to(*array, subscripts, place, out) else {
                    return;
                };
                match stored {
                    Some(value) => out.push(Op::Store(reference, value)),
                    None => self.access(reference, AccessKind::Store, out),
                }
            }
            _ => match target.reason() {
                Some(reason) => self.refuse(reason.code, place.line, reason.detail),
                None => self.refuse(
                    ReasonCode::AssignmentTarget,
                    place.line,
                    "an assignment to a computed place",
                ),
            },
        }
    }

    /// Stores a value to an element.
    fn store(&mut self, to: Reference, is_integer: bool, value: &'a Value, out: &mut Vec<Op>) {
        if is_integer {
            let value = self.integer(value);
            out.push(Op::Store(to, value));
        } else {
            self.reads(value, out);
            self.access(to, AccessKind::Store, out);
        }
    }
}
