//! Which expression over other places is the value of each place?
//!
//! Places are resolved by following their definitions, each once ([`Resolver::resolve`]). One that is just
//! another name for a number or a place is replaced by it; any other stands as a symbol, so that expressions
//! stay short and show how the program computes its sizes.
//!
//! ```text
//! definitions of a place                          value               origin
//! one                                             that                Derived, or Caller if it is passed
//! several that differ                             the largest         Callers, with the smallest beside it
//! one, and read from outside                      that, as default    Given
//! as on one process that runs alone (MPI)         that                Alone
//! only an initial value                           that                Initial
//! also from its own old value (n = 2*n)           the others, not all; a number alone is nothing
//! ```
//!
//! A place that leads back to itself is a circle ([`Gap::Circle`]): its other values still count, but are not
//! all. If the input of a run has the name of a place that may be read, its number comes first
//! ([`Origin::Input`]).
//!
//! Values are found up to [`ROUNDS`] times again without the statements that `dead` shows to be out of reach,
//! as each round may show more of them to be.

use super::candidates::Gap;
use super::found::Found;
use super::places::{asked_of_images, inquired, literals};
use super::reals::NAMES;
use super::resolver::{Resolver, State};
use crate::calls::{ProcedureId, Target};
use crate::expr::{Expr, Node};
use crate::facts::Origin;
use crate::intrinsics::Meaning;
use crate::ir::visit::each_value;
use crate::ir::{BinaryOp, Extent, Function, Type, UnaryOp, Value, VarId, fold, wider};
use crate::symbolic::{
    bits, compared_by, extreme_of, integer_quotient, joined, lower_quotient, of_whole_numbers,
    one_if, one_if_joined, one_or_nothing, remainder, truth,
};

impl Resolver<'_, '_> {
    /// A value of a procedure over places.
    pub fn value(&mut self, id: ProcedureId, value: &Value, depth: u32) -> Result<Expr, Gap> {
        let depth = depth.checked_sub(1).ok_or(Gap::Unfollowed)?;
        let function = self.known.get(id).function;
        match value {
            Value::Integer(n) => Ok(Expr::from(*n)),
            Value::Logical(is_true) => Ok(Expr::from(i64::from(*is_true))),
            Value::Variable(variable) => {
                let constant = function.variable(*variable).constant.as_ref();
                match constant {
                    Some(constant) if !self.places.is_set(function, *variable) => {
                        self.value(id, constant, depth)
                    }
                    _ => self.named(id, value, depth),
                }
            }
            Value::Element { .. } => self.named(id, value, depth),
            Value::Unary(op @ (UnaryOp::Negate | UnaryOp::Complement), operand) => {
                let negative = -self.value(id, operand, depth)?;
                let result = match op {
                    UnaryOp::Complement => negative - 1.0,
                    _ => negative,
                };
                without_sign(&value.ty(function), result).ok_or(Gap::Unfollowed)
            }
            Value::Unary(UnaryOp::Not, _) if truth(value, function).is_some() => {
                self.operand(id, value, depth)
            }
            Value::Convert(Type::Integer(..), operand)
                if matches!(operand.ty(function), Type::Real(_)) =>
            {
                Ok(self.real(id, operand, depth)?.truncated())
            }
            Value::Convert(Type::Integer(..), operand)
                if matches!(operand.ty(function), Type::Integer(..)) =>
            {
                let number = self.value(id, operand, depth)?;
                let ty = value.ty(function);
                let left = || {
                    let known = Expr::from(self.number_of(&number, NAMES)?).as_integer()?;
                    ty.wrapped(known).filter(|left| *left != known)
                };
                Ok(left().map_or(number, Expr::from))
            }
            // What is known of any element says nothing of how two of them differ.
            Value::Binary(
                BinaryOp::Subtract | BinaryOp::Divide | BinaryOp::Remainder,
                left,
                right,
            ) if compares_elements(left, right) => Err(Gap::Unfollowed),
            Value::Binary(op, left, right) => {
                let (a, b) = (
                    self.operand(id, left, depth)?,
                    self.operand(id, right, depth)?,
                );
                if is_of_bytes(function, (*op, [left, right]), [&a, &b]) {
                    return Err(Gap::Unfollowed);
                }
                if op.is_bitwise() {
                    let number =
                        |side: &Expr| Expr::from(self.number_of(side, NAMES)?).as_integer();
                    let known = [number(&a), number(&b)];
                    return bits(*op, [a, b], known).ok_or(Gap::Unfollowed);
                }
                let both = wider(left.ty(function), right.ty(function));
                let computed = || {
                    let (a, b) = match op {
                        BinaryOp::Divide | BinaryOp::Remainder => {
                            (without_sign(&both, a)?, without_sign(&both, b)?)
                        }
                        _ => (a, b),
                    };
                    result_in(*op, &value.ty(function), arithmetic(*op, a, b)?)
                };
                computed().ok_or(Gap::Unfollowed)
            }
            Value::Select(condition, then, otherwise) => {
                self.selected(id, condition, [then, otherwise], depth)
            }
            Value::Call {
                name,
                arguments,
                ty,
            } => match self.known.target(id, name) {
                Target::Body(callee) => self.result(callee, depth),
                _ if asked_of_images(function, value).is_some() => self.named(id, value, depth),
                target => match inquired(function, value) {
                    Some((array, dimension)) => self.dimension(id, array, dimension, depth),
                    None => {
                        let result = self.computed(id, target.meaning(), arguments, depth)?;
                        Ok(left_in(ty, result))
                    }
                },
            },
            _ => Err(Gap::Unfollowed),
        }
    }

    /// `a < b ? a : b` and its relatives.
    fn selected(
        &mut self,
        id: ProcedureId,
        condition: &Value,
        [then, otherwise]: [&Value; 2],
        depth: u32,
    ) -> Result<Expr, Gap> {
        if let Some(is_true) = fold::value(self.known.get(id).function, condition) {
            return self.value(id, if is_true != 0 { then } else { otherwise }, depth);
        }
        let Value::Binary(op, left, right) = condition else {
            return Err(Gap::Unfollowed);
        };
        let comparison = compared_by(*op).ok_or(Gap::Unfollowed)?;
        let mut of = |value: &Value| self.value(id, value, depth);
        let (left, right) = (of(left)?, of(right)?);
        let (then, otherwise) = (of(then)?, of(otherwise)?);
        extreme_of(comparison, [&left, &right], [&then, &otherwise]).ok_or(Gap::Unfollowed)
    }

    /// One side of a computation with whole numbers; a comparison counts as one or nothing there.
    fn operand(&mut self, id: ProcedureId, value: &Value, depth: u32) -> Result<Expr, Gap> {
        let function = self.known.get(id).function;
        if let Some((op, sides)) = joined(value) {
            let depth = depth.checked_sub(1).ok_or(Gap::Unfollowed)?;
            let [left, right] = sides.map(|side| Ok(one_if(self.operand(id, side, depth)?)));
            return Ok(one_if_joined(op, left?, right?));
        }
        match truth(value, function) {
            Some((comparison, left, right)) => {
                let depth = depth.checked_sub(1).ok_or(Gap::Unfollowed)?;
                let (left, right) = (
                    self.operand(id, left, depth)?,
                    self.operand(id, right, depth)?,
                );
                Ok(one_or_nothing(comparison, left, right))
            }
            None if matches!(value.ty(function), Type::Integer(..)) => self.value(id, value, depth),
            None => Err(Gap::Unfollowed),
        }
    }

    /// How many elements an array that is passed, or a part of one, has along one of its dimensions.
    pub fn extent(
        &mut self,
        id: ProcedureId,
        array: &Value,
        dimension: u32,
        depth: u32,
    ) -> Result<Expr, Gap> {
        match array {
            Value::Variable(array) => self.dimension(id, *array, dimension, depth),
            Value::Element { subscripts, .. } => {
                let section = |subscript: &&Value| matches!(subscript, Value::Section(_));
                let mut sections = subscripts.iter().filter(section);
                let Some(Value::Section(section)) = sections.nth(dimension as usize) else {
                    return Err(Gap::Unfollowed);
                };
                let [first, last, step] = &**section;
                let (first, last) = (self.value(id, first, depth)?, self.value(id, last, depth)?);
                let step = self.value(id, step, depth)?;
                match step.as_integer() {
                    Some(1) => Ok((last - first + 1.0).expand()),
                    Some(step) if step != 0 => {
                        let steps = integer_quotient((last - first).expand(), Expr::from(step));
                        Ok(steps + 1.0)
                    }
                    _ => Err(Gap::Unfollowed),
                }
            }
            // Element by element: as long as any of the arrays in it.
            Value::Unary(_, inner) | Value::Convert(_, inner) => {
                self.extent(id, inner, dimension, depth)
            }
            Value::Binary(_, left, right) => self
                .extent(id, left, dimension, depth)
                .or_else(|_| self.extent(id, right, dimension, depth)),
            _ => Err(Gap::Unfollowed),
        }
    }

    /// How many elements an array of a procedure has along a dimension: what is declared, or what is known of its extent.
    pub fn dimension(
        &mut self,
        id: ProcedureId,
        array: VarId,
        dimension: u32,
        depth: u32,
    ) -> Result<Expr, Gap> {
        let depth = depth.checked_sub(1).ok_or(Gap::Unfollowed)?;
        let function = self.known.get(id).function;
        let declared = function.variable(array).dimensions.get(dimension as usize);
        match declared {
            Some(extent) if extent.upper.is_some() => self.between(id, extent, depth),
            _ => {
                let place = self.places.find_extent(function, id, array, dimension);
                self.mention(place.ok_or(Gap::Unfollowed)?, depth)
            }
        }
    }

    /// How many elements bounds of a procedure hold.
    pub fn between(&mut self, id: ProcedureId, extent: &Extent, depth: u32) -> Result<Expr, Gap> {
        let last = extent.upper.as_ref().ok_or(Gap::Unfollowed)?;
        let first = match &extent.lower {
            Some(lower) => self.value(id, lower, depth)?,
            None => Expr::from(self.known.get(id).function.conventions.first_index),
        };
        Ok((self.value(id, last, depth)? - first + 1.0).expand())
    }

    /// Of a value that is nothing but what some place is given from outside, what is known of that place.
    fn given(&self, value: &Expr) -> Option<&Found> {
        let Node::Symbol(symbol) = value.node() else {
            return None;
        };
        match &self.states[*self.numbers.get(symbol)?] {
            State::Done(found) if found.origin == Origin::Given => Some(found),
            _ => None,
        }
    }

    /// Whether that is all: it has no default.
    fn is_only_given(&self, value: &Expr) -> bool {
        self.given(value).is_some_and(|found| found.value.is_none())
    }

    /// Whether all values that a place may have are known, at least until the program is told another.
    pub fn is_known(&self, place: usize) -> bool {
        matches!(
            &self.states[place],
            State::Done(Found {
                value: Some(_),
                is_complete: true,
                ..
            })
        )
    }

    fn named(&mut self, id: ProcedureId, value: &Value, depth: u32) -> Result<Expr, Gap> {
        let function = self.known.get(id).function;
        let place = self.places.find(function, id, value);
        self.mention(place.ok_or(Gap::Unfollowed)?, depth)
    }

    /// What a function of the program returns.
    fn result(&mut self, callee: ProcedureId, depth: u32) -> Result<Expr, Gap> {
        let function = self.known.get(callee).function;
        let place = self.places.find_result(function, callee);
        let value = self.mention(place.ok_or(Gap::Unfollowed)?, depth)?;
        // What a function reads is another value in every call.
        match self.is_only_given(&value) {
            true => Err(Gap::Given),
            false => Ok(value),
        }
    }

    /// What a value is where nothing is read for it: of a function that reads, or that of the other arm of a choice.
    ///
    /// ```text
    /// n = number_or(words, "-n", 100);      int number_or(char **words, char *name, int otherwise)
    /// ►  n = 100                            { return is_there(words, name) ? number(words, name) : otherwise; }
    /// ```
    pub fn default_of_read(&mut self, id: ProcedureId, value: &Value, depth: u32) -> Option<Expr> {
        match value.unconverted() {
            Value::Select(_, then, otherwise) => {
                let arms = [then, otherwise].map(|arm| self.value(id, arm, depth));
                match arms {
                    [Err(Gap::Given), Ok(value)] | [Ok(value), Err(Gap::Given)] => Some(value),
                    _ => None,
                }
            }
            Value::Call {
                name, arguments, ..
            } => {
                let Target::Body(callee) = self.known.target(id, name) else {
                    return None;
                };
                let value = self.result(callee, depth).ok()?;
                let default = self.given(&value)?.value.clone()?;
                self.with_arguments(default, (id, arguments), callee, depth)
            }
            _ => None,
        }
    }

    /// An expression over dummy arguments, as a call has it.
    fn with_arguments(
        &mut self,
        value: Expr,
        (caller, arguments): (ProcedureId, &[Value]),
        callee: ProcedureId,
        depth: u32,
    ) -> Option<Expr> {
        let function = self.known.get(callee).function;
        let mut passed: Vec<(Expr, Expr)> = Vec::new();
        for (formal, argument) in self.known.formals(callee).into_iter().zip(arguments) {
            let place = self.places.find(function, callee, &Value::Variable(formal));
            let dummy = place.map(|place| self.symbols[place.at()].clone());
            if let Some(dummy) = dummy.filter(|dummy| value.mentions(dummy)) {
                let argument = self.value(caller, argument, depth).ok()?;
                passed.push((Expr::from(dummy), argument));
            }
        }
        Some(value.substitute(&|symbol| {
            let dummy = Expr::from(symbol.clone());
            let found = passed.iter().find(|(other, _)| *other == dummy);
            found.map(|(_, argument)| argument.clone())
        }))
    }

    /// What a function of the language computes.
    fn computed(
        &mut self,
        id: ProcedureId,
        meaning: Option<Meaning>,
        arguments: &[Value],
        depth: u32,
    ) -> Result<Expr, Gap> {
        let meaning = meaning.ok_or(Gap::Unfollowed)?;
        let function = self.known.get(id).function;
        if (arguments.iter()).any(|argument| matches!(argument.ty(function), Type::Real(_))) {
            return self.rounded(id, meaning, arguments, depth);
        }
        let values = arguments
            .iter()
            .map(|argument| self.value(id, argument, depth))
            .collect::<Result<Vec<Expr>, Gap>>()?;
        of_whole_numbers(meaning, values).ok_or(Gap::Unfollowed)
    }
}

fn arithmetic(op: BinaryOp, a: Expr, b: Expr) -> Option<Expr> {
    Some(match op {
        BinaryOp::Add => a + b,
        BinaryOp::Subtract => a - b,
        BinaryOp::Multiply => a * b,
        BinaryOp::Divide if !b.is_zero() => integer_quotient(a, b),
        BinaryOp::ShiftRight if !b.is_zero() => lower_quotient(a, b),
        BinaryOp::Remainder if !b.is_zero() => remainder(a, b),
        BinaryOp::Power => a.power(b),
        _ => return None,
    })
}

/// What is left of a value in a type of whole numbers, where it is a number.
fn left_in(ty: &Type, value: Expr) -> Expr {
    let left = || ty.wrapped(value.as_integer()?);
    match ty {
        Type::Integer(..) => left().map_or(value, Expr::from),
        _ => value,
    }
}

/// A number as an operation of a type has it: of those without a sign, none is negative; `None` of one that is more than a
/// whole number of ours holds.
fn without_sign(ty: &Type, value: Expr) -> Option<Expr> {
    match value.as_integer() {
        Some(number) => ty.computed(number).map(Expr::from),
        None => Some(value),
    }
}

/// The result of an operation in a type that begins again behind its largest number, or has no number there.
fn result_in(op: BinaryOp, ty: &Type, result: Expr) -> Option<Expr> {
    let may_leave = matches!(
        op,
        BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Power
    );
    match ty {
        _ if !may_leave => Some(result),
        Type::Integer(1 | 2, _) => Some(left_in(ty, result)),
        ty if ty.is_unsigned() => Some(left_in(ty, result)),
        _ => without_sign(ty, result),
    }
}

/// Whether a number is put together from bytes, or groups of them, of which each is read by itself: `256*high + low`. What is
/// known of any byte says nothing of how large the number is.
fn is_of_bytes(
    function: &Function,
    (op, sides): (BinaryOp, [&Value; 2]),
    [a, b]: [&Expr; 2],
) -> bool {
    let is_byte = |value: &Value| matches!(value.unconverted().ty(function), Type::Integer(1, _));
    let shares = || a.symbols().into_iter().any(|symbol| b.mentions(&symbol));
    op == BinaryOp::Add
        && match sides.map(is_moved_by_bytes) {
            [true, false] => is_byte(sides[1]) || shares(),
            [false, true] => is_byte(sides[0]) || shares(),
            _ => false,
        }
}

/// Whether a value is moved up by whole bytes: `high << 8`, `65536*high`.
fn is_moved_by_bytes(value: &Value) -> bool {
    let is_factor = |value: &Value| {
        let factor = match value.unconverted() {
            Value::Integer(factor) => *factor,
            _ => return false,
        };
        factor > 1 && factor.count_ones() == 1 && factor.trailing_zeros() % 8 == 0
    };
    match value.unconverted() {
        Value::Binary(BinaryOp::Multiply, left, right) => is_factor(left) || is_factor(right),
        _ => false,
    }
}

/// Whether two values have different elements of one array in them.
fn compares_elements(left: &Value, right: &Value) -> bool {
    let elements = |value: &Value| {
        let mut found: Vec<(VarId, Vec<Value>)> = Vec::new();
        each_value(value, &mut |part| {
            // Those with numbers have places of their own.
            if let Value::Element {
                array, subscripts, ..
            } = part
                && literals(subscripts).is_none()
            {
                found.push((*array, subscripts.clone()));
            }
        });
        found
    };
    let others = elements(right);
    !others.is_empty()
        && elements(left).iter().any(|(array, subscripts)| {
            let differs = |other: &(VarId, Vec<Value>)| other.0 == *array && other.1 != *subscripts;
            others.iter().any(differs)
        })
}
