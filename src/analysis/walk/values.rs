//! What evaluating values and assigning them does: operations, accesses, and what is known of variables after.

use super::Walker;
use crate::diagnostic::Place;
use crate::expr::Expr;
use crate::facts::{AccessClass, Block, Scalar};
use crate::flops::{Choices, FlopCounter, chooses_work};
use crate::gathers;
use crate::ir::{self, Type, Value, VarId, fold, is_left_out};
use crate::reason::ReasonCode;
use crate::references;
use crate::symbolic::is_from_reals;
use crate::symbols::{Address, Alternative, Known};

/// A scalar outside loops whose value has more symbols is known by its name.
pub(super) const MOST_SYMBOLS: usize = 8;

impl<'f> Walker<'f> {
    pub(super) fn assign(
        &mut self,
        place: &Place,
        target: &Value,
        value: &Value,
        block: &mut Block,
    ) {
        let always = self.always_evaluated(value);
        self.with_counter(place, block, |counter| counter.count(&always));
        match target {
            Value::Variable(_) if self.symbols.is_address(target) => {
                self.follows(place, value, block);
            }
            _ => self.reads_in(place, value, block),
        }
        let ty = target.ty(self.function());
        self.with_counter(place, block, |counter| counter.conversion(&ty, value));
        self.sets(target, value, block);
        match target {
            Value::Element { .. } => self.element(place, target, AccessClass::WriteOnly, block),
            Value::Variable(id) => {
                self.scalar(place, *id, AccessClass::WriteOnly, block);
                self.remember(*id, value);
            }
            _ => {
                let reason = target.reason().unwrap_or_else(|| ir::Reason {
                    code: ReasonCode::AssignmentTarget,
                    detail: self.symbols.text(target),
                });
                self.reason(block, place, reason.code, reason.detail);
            }
        }
    }

    /// What a pointer is set to: loads of pointers on the way to the elements that it is for do not count, but for those that
    /// say where to go next (`p = *p`).
    fn follows(&mut self, place: &Place, value: &Value, block: &mut Block) {
        match value {
            Value::Element {
                array, subscripts, ..
            } if self.symbols.is_pointer_element(value) && !self.symbols.leads_on(*array) => {
                subscripts.iter().for_each(|s| self.index(place, s, block));
            }
            Value::Convert(_, operand) => self.follows(place, operand, block),
            Value::Binary(_, left, right) => [left, right]
                .into_iter()
                .for_each(|v| self.follows(place, v, block)),
            _ => self.reads_in(place, value, block),
        }
    }

    /// Keeps the value of an integer scalar so that it can carry an index (`ijk = i + n*j`), and where
    /// a pointer points.
    fn remember(&mut self, id: VarId, value: &Value) {
        if self.symbols.assigned_once.contains_key(&id) {
            return self.renamed(id);
        }
        self.loaded.remove(&id);
        if self.depth() > 0 && self.symbols.set_once.contains(&id) {
            let loops = gathers::changes(&self.symbols, value);
            self.symbols.chosen_in.insert(id, loops);
        }
        if self.is_index(id)
            && self.depth() > 0
            && let Some(row) = self.row(value)
        {
            self.loaded.insert(id, row);
        }
        match self.known_after(id, value) {
            _ if self.symbols.pointed_to.contains(&id) => self.changes(id, self.depth()),
            Some(known) => drop(self.symbols.known.insert(id, known)),
            None => self.changes(id, 0),
        }
        self.remember_compared(id, value);
    }

    pub(super) fn is_index(&self, id: VarId) -> bool {
        let variable = self.function().variable(id);
        matches!(variable.ty, Type::Integer(..)) && variable.dimensions.is_empty()
    }

    /// What is known of a variable that is given a value; nothing outside loops if that has no expression.
    pub(super) fn known_after(&mut self, id: VarId, value: &Value) -> Option<Known> {
        let variable = self.function().variable(id);
        let is_pointer =
            self.function().conventions.has_pointers() && !variable.dimensions.is_empty();
        let is_index = self.is_index(id);
        let is_single = variable.ty == Type::Real(4);
        let is_number = matches!(variable.ty, Type::Real(_))
            && variable.dimensions.is_empty()
            && is_literal(value);
        // The whole program is looked through for the numbers that a whole one is made from.
        let is_looked_for = self.depth() == 0
            && self.symbols.assigned_once.contains_key(&id)
            && is_from_reals(value, self.function());
        let is_followed = (is_index || is_number) && !is_looked_for;
        let expression = if is_followed && !self.effects.is_input(value) {
            self.value(value)
        } else {
            None
        };
        let expression = expression.map(|known| match known {
            // What four bytes hold of it.
            Known::Is(expr) if is_number && is_single => {
                let left = |number: f64| Expr::from(fold::in_single(number));
                Known::Is(expr.as_number().map_or(expr, left))
            }
            Known::Is(expr) if is_index => {
                let ty = &self.function().variable(id).ty;
                Known::Is(self.symbols.fitted(ty, expr))
            }
            known => known,
        });
        let ty = &self.function().variable(id).ty;
        if is_index
            && matches!(&expression, Some(Known::Is(expr)) if self.symbols.begins_again(ty, expr))
        {
            return Some(Known::Changes {
                depth: self.depth(),
                loaded: false,
            });
        }
        let address = if is_pointer {
            self.symbols.address(value)
        } else {
            None
        };
        // Cast from a pointer to something else: the two views have nothing but their storage in common.
        let ty = &self.function().variable(id).ty;
        let is_view = |address: &Address| {
            *ty != Type::Unknown && self.function().variable(address.array).ty != *ty
        };
        let address = address.filter(|address| !is_view(address));
        Some(match (expression, address) {
            (Some(known), _) if self.depth() > 0 => known,
            (Some(Known::Is(expr)), _) if expr.symbols().len() <= MOST_SYMBOLS => Known::Is(expr),
            (_, Some(address)) if self.depth() > 0 || self.names_elements(address.array) => {
                Known::Points(address)
            }
            _ if self.depth() == 0 => return None,
            _ => {
                let is_next = self.names_member_of(value, id);
                let loaded = is_next
                    || ((is_index || is_pointer) && crate::loaded::is_loaded(&self.symbols, value));
                Known::Changes {
                    depth: self.depth(),
                    loaded,
                }
            }
        })
    }

    /// An integer value: an expression, or one of a few if branches decided what it is made from.
    fn value(&mut self, value: &Value) -> Option<Known> {
        let mut found = self
            .symbols
            .each_way(std::slice::from_ref(value), |symbols| {
                symbols.expression(value)
            });
        if found.len() == 1 {
            return found.pop()?.1.map(Known::Is);
        }
        let alternative = |(ways, value): (_, Option<Expr>)| {
            Some(Alternative {
                ways,
                value: value?,
            })
        };
        found
            .into_iter()
            .map(alternative)
            .collect::<Option<Vec<Alternative>>>()
            .map(Known::OneOf)
    }

    /// Whether the name of an array says best what a pointer to it, set outside loops, points to. That of
    /// a member of a structure or of a `void *` does not.
    fn names_elements(&self, id: VarId) -> bool {
        let variable = self.function().variable(id);
        !variable.name.is_member() && variable.ty.bytes().is_some()
    }

    /// `p->next`.
    fn names_member_of(&self, value: &Value, pointer: VarId) -> bool {
        matches!(value, Value::Variable(id) | Value::Element { array: id, .. }
            if self.symbols.roots.get(id) == Some(&pointer))
    }

    /// Counts and records everything that evaluating `value` does.
    pub(super) fn read(&mut self, place: &Place, value: &Value, block: &mut Block) {
        let always = self.always_evaluated(value);
        self.with_counter(place, block, |counter| counter.count(&always));
        self.reads_in(place, value, block);
    }

    pub(super) fn with_counter(
        &mut self,
        place: &Place,
        block: &mut Block,
        count: impl FnOnce(&mut FlopCounter<'f>),
    ) {
        let mut counter = FlopCounter::new(self.symbols.function);
        counter.choices = Choices::Apart;
        count(&mut counter);
        block.flops.add(&counter.flops);
        for (code, detail) in counter.uncounted {
            self.reason(block, place, code, detail);
        }
    }

    pub(super) fn reads_in(&mut self, place: &Place, value: &Value, block: &mut Block) {
        match value {
            Value::Variable(id) => self.scalar(place, *id, AccessClass::ReadOnly, block),
            Value::Element { .. } => self.element(place, value, AccessClass::ReadOnly, block),
            Value::Unary(_, operand) | Value::Convert(_, operand) => {
                self.reads_in(place, operand, block);
            }
            Value::Binary(op, left, right) => {
                self.reads_in(place, left, block);
                match self.depends_on_left(*op, right) {
                    true => self.perhaps(place, (*op, left, right), block),
                    false => self.reads_in(place, right, block),
                }
            }
            Value::Call {
                name,
                arguments,
                ty,
            } => {
                for (position, argument) in arguments.iter().enumerate() {
                    self.reads_in_argument(place, (name, position), argument, block);
                }
                self.call(place, name, arguments, block);
                self.written_by_call(name, arguments, block);
                // Without a type it may be an array of a module that is not there.
                if *ty != Type::Unknown {
                    self.reset_by_call(name, arguments);
                }
            }
            Value::Select(a, b, c) => match value.extremum() {
                Some((left, right)) => [left, right]
                    .into_iter()
                    .for_each(|v| self.reads_in(place, v, block)),
                None if chooses_work(value, self.function())
                    || self.calls_bodies(b)
                    || self.calls_bodies(c) =>
                {
                    self.choice(place, (value, [a, b, c]), block);
                }
                None => [a, b, c]
                    .into_iter()
                    .for_each(|v| self.reads_in(place, v, block)),
            },
            Value::Address { of, .. } => {
                // Taking the address of an element reads only its subscripts.
                if let Value::Element { subscripts, .. } = &**of {
                    return subscripts.iter().for_each(|s| self.index(place, s, block));
                }
                self.not_read(place, value, block);
                self.reads_in(place, of, block);
            }
            Value::Section(parts) => {
                self.not_read(place, value, block);
                parts.iter().for_each(|v| self.reads_in(place, v, block));
            }
            Value::Row => self.not_read(place, value, block),
            Value::Opaque { inner, .. } => {
                self.not_read(place, value, block);
                inner.iter().for_each(|v| self.reads_in(place, v, block));
            }
            Value::Integer(_) | Value::Real(..) | Value::Logical(_) | Value::Text(_) => {}
        }
    }

    /// Why a value has no number.
    fn not_read(&self, place: &Place, value: &Value, block: &mut Block) {
        if let Some(reason) = value.reason() {
            self.reason(block, place, reason.code, reason.detail);
        }
    }

    /// A subscript; one that C leaves out makes an address of the element.
    fn index(&mut self, place: &Place, subscript: &Value, block: &mut Block) {
        if !self.function().conventions.has_pointers() || !is_left_out(subscript) {
            self.reads_in(place, subscript, block);
        }
    }

    fn element(&mut self, place: &Place, element: &Value, class: AccessClass, block: &mut Block) {
        let Value::Element {
            array, subscripts, ..
        } = element
        else {
            return;
        };
        subscripts.iter().for_each(|s| self.index(place, s, block));
        if let Some(compared) = &mut self.compared {
            compared.reach(element);
        }
        // The address of a row is not an access, a pointer to it is.
        let is_address =
            self.function().conventions.has_pointers() && subscripts.iter().any(is_left_out);
        if !is_address || self.symbols.is_pointer_element(element) {
            self.access(place, *array, subscripts, class, block);
        }
    }

    pub(super) fn access(
        &mut self,
        place: &Place,
        array: VarId,
        subscripts: &[Value],
        class: AccessClass,
        block: &mut Block,
    ) {
        for (code, detail) in references::record(
            &mut block.streams,
            &mut self.symbols,
            array,
            subscripts,
            class,
        ) {
            self.reason(block, place, code, detail);
        }
    }

    /// A pointer as a value. One that is a member of the structure which another pointer points to in this iteration is loaded
    /// or stored.
    fn pointer(&mut self, place: &Place, id: VarId, class: AccessClass, block: &mut Block) {
        // An array that is a member is its address.
        let outermost = self.function().variable(id).dimensions.last();
        let is_pointer = outermost.is_some_and(|extent| extent.upper.is_none())
            && self.function().conventions.has_pointers();
        if !is_pointer || !self.symbols.root_changes(id) {
            return;
        }
        let found = references::record_pointer(&mut block.streams, &mut self.symbols, id, class);
        for (code, detail) in found {
            self.reason(block, place, code, detail);
        }
    }

    fn scalar(&mut self, place: &Place, id: VarId, class: AccessClass, block: &mut Block) {
        let variable = self.function().variable(id);
        if !variable.dimensions.is_empty() {
            return self.pointer(place, id, class, block);
        }
        if self.symbols.root_changes(id) {
            // A member of the structure that a pointer points to in this iteration.
            return self.access(place, id, &[], class, block);
        }
        let writes = u64::from(class == AccessClass::WriteOnly);
        match block.scalars.iter_mut().find(|s| s.name == variable.name) {
            Some(scalar) => {
                scalar.class = scalar.class.then(class);
                scalar.reads += 1 - writes;
                scalar.writes += writes;
            }
            None => block.scalars.push(Scalar {
                name: variable.name.to_string(),
                ty: (&variable.ty).into(),
                is_constant: matches!(variable.role, ir::Role::Constant(_)),
                class,
                reads: 1 - writes,
                writes,
            }),
        }
    }
}

/// A number as written.
fn is_literal(value: &Value) -> bool {
    match value {
        Value::Integer(_) | Value::Real(..) => true,
        Value::Unary(ir::UnaryOp::Negate, inner) | Value::Convert(_, inner) => is_literal(inner),
        _ => false,
    }
}
