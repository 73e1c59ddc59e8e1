//! What does an expression mean, once its names are known?
//!
//! `expression` has read it as written, where `a(i)` is an [`Expr::Apply`] whatever `a` is. Only a scope can
//! say which of these it is, and the order in which they are tried is the heart of this file
//! ([`Lowering::named`]):
//!
//! ```text
//! a(i)       an array that has been met       element              subscripts
//!            a procedure that is declared     call of a function   calls
//!            a generic name                   the specific one     generic
//!            a declared scalar                intrinsic, function, or substring of a text c(1:3)
//!            a variable                       element
//!            a statement function             its body, with the arguments in it
//!            an intrinsic                     its value            intrinsic_types
//!            nothing declares it              an array if the procedure assigns to it, else a function
//! ```
//!
//! The last line is a guess, and the only clue that there is where a module is not among the files: nothing but
//! an array can stand on the left with subscripts (`assigned`). The module is reported once.
//!
//! Sections and whole arrays stay in values as they are; `array_syntax` makes loops of the statement
//! afterwards. Chains of operators are walked along the left operands, not by recursion, as generated code has
//! chains of thousands ([`Lowering::operators`]); what is nested deeper than the stack allows is opaque
//! (`too_deep`).

use tree_sitter::Node;

use std::sync::Arc;

use super::expression::{Argument, CHARGE, Expr, MOST_CHARGED, MacroValue};
use super::intrinsic_types;
use super::modules::Found;
use super::path::{Applied, Path};
use super::procedure::{Lowering, Meaning};
use super::scope::{Base, Class, Scope, Symbol, TypeSpec};
use crate::diagnostic::{DiagnosticCode, Place, Severity};
use crate::ir::{BinaryOp, ConstantOrigin, Reason, Role, Type, Value, VarId, Variable};
use crate::reason::ReasonCode;

impl<'a> Lowering<'a> {
    /// The value of an expression whose names are seen from `scope`.
    pub fn value(&mut self, expr: &Expr, scope: &'a Scope) -> Value {
        if !self.nesting.enter_value() {
            return Value::opaque(ReasonCode::TooDeep, "");
        }
        let value = self.value_inside(expr, scope);
        self.nesting.leave_values(1);
        value
    }

    /// The value of an expression of the procedure itself.
    pub fn own_value(&mut self, expr: &Expr) -> Value {
        self.value(expr, self.scope)
    }

    fn value_inside(&mut self, expr: &Expr, scope: &'a Scope) -> Value {
        match expr {
            Expr::Integer(value) | Expr::IntegerOf(value, _) => Value::Integer(*value),
            Expr::Logical(value) => Value::Logical(*value),
            Expr::Text(text) => Value::Text(text.clone()),
            Expr::Real(value, kind) => {
                let resolved = self.world.real_size(kind, scope);
                Value::Real(*value, self.known(resolved).bytes().unwrap_or(4))
            }
            Expr::Macro(constant) => Value::Variable(self.macro_constant(constant)),
            Expr::Name(_) | Expr::Apply(..) | Expr::Member(..) => self.reference(expr, scope),
            Expr::Unary(op, operand) => {
                let operand = self.value(operand, scope);
                self.unary_operation(*op, operand, scope)
            }
            Expr::Binary(op, left, right) => self.operators(*op, left, right, scope),
            Expr::Complex(re, im) => {
                let arguments = vec![self.value(re, scope), self.value(im, scope)];
                let size = arguments
                    .iter()
                    .filter_map(|v| match v.ty(self.draft.function()) {
                        Type::Real(size) => Some(size),
                        _ => None,
                    });
                let ty = Type::Complex(2 * size.max().unwrap_or(4));
                Value::Call {
                    name: "cmplx".into(),
                    arguments,
                    ty,
                }
            }
            Expr::Array(values) => {
                self.opaque_value(ReasonCode::ArrayConstructor, String::new(), values, scope)
            }
            Expr::Select(parts) => {
                let [condition, then, otherwise] = &**parts;
                let condition = Box::new(self.value(condition, scope));
                let then = Box::new(self.value(then, scope));
                Value::Select(condition, then, Box::new(self.value(otherwise, scope)))
            }
            Expr::Operator(detail, operands) => {
                let operands = operands
                    .iter()
                    .map(|operand| self.value(operand, scope))
                    .collect();
                self.own_operator(detail, operands, scope)
            }
            Expr::Opaque(code, detail, inner) => {
                self.opaque_value(*code, detail.clone(), inner, scope)
            }
        }
    }

    /// Along the left operands, as deep as the chain is long.
    fn operators(&mut self, op: BinaryOp, left: &Expr, right: &Expr, scope: &'a Scope) -> Value {
        let (mut first, mut links) = (left, vec![(op, right)]);
        while let Expr::Binary(op, left, right) = first {
            links.push((*op, right));
            first = left;
        }
        let charge = (links.len() / CHARGE).min(MOST_CHARGED);
        self.nesting.charge_values(charge);
        let mut kind = self.world.kind_of_literals(first, scope);
        let first = self.value(first, scope);
        let value = links.into_iter().rev().fold(first, |left, (op, right)| {
            let other = self.world.kind_of_literals(right, scope);
            let right = self.value(right, scope);
            let [left, right] = self.made_alike(op, [(left, kind), (right, other)]);
            kind = kind.max(other);
            self.binary_operation(op, left, right, scope)
        });
        self.nesting.leave_values(charge);
        value
    }

    /// Operands of which literals have kinds of their own: the type of `n*1000_8` is that of the literal, which is written
    /// down where it makes a difference to the result.
    fn made_alike(&self, op: BinaryOp, sides: [(Value, Option<u32>); 2]) -> [Value; 2] {
        let function = self.draft.function();
        let shown = (sides.iter())
            .filter_map(|(side, _)| match side.ty(function) {
                Type::Integer(bytes, _) => Some(bytes),
                _ => None,
            })
            .max();
        let may_overflow = matches!(op, BinaryOp::Multiply | BinaryOp::Add | BinaryOp::Subtract);
        sides.map(|(side, kind)| match (side, kind, shown) {
            (Value::Integer(number), Some(kind), Some(shown)) if may_overflow && kind > shown => {
                Value::Convert(Type::integer(kind), Box::new(Value::Integer(number)))
            }
            (side, ..) => side,
        })
    }

    fn opaque_value(
        &mut self,
        code: ReasonCode,
        detail: String,
        inner: &[Expr],
        scope: &'a Scope,
    ) -> Value {
        let inner = inner.iter().map(|e| self.value(e, scope)).collect();
        Value::Opaque {
            reason: Reason { code, detail },
            inner,
        }
    }

    fn macro_constant(&mut self, constant: &Arc<MacroValue>) -> VarId {
        if let Some(id) = self.variables.of_macro(&constant.name) {
            return id;
        }
        let value = self.own_value(&constant.value);
        let ty = value.ty(self.draft.function());
        let id = self.draft.add(Variable {
            name: constant.name.to_string().into(),
            ty,
            dimensions: Vec::new(),
            role: Role::Constant(ConstantOrigin::Macro),
            constant: Some(value),
            place: constant.place.clone(),
        });
        self.variables.insert_macro(&constant.name, id);
        id
    }

    /// A name, an application or a component.
    fn reference(&mut self, expr: &Expr, scope: &'a Scope) -> Value {
        if let Some(replaced) = self.replace_alias(expr, scope) {
            return self.value(&replaced, scope);
        }
        let Some(path) = Path::of(expr) else {
            return self.other_application(expr, scope);
        };
        let value = match &path.parts[..] {
            [only] => self.named(only.name, only.applied, scope),
            _ => self.component(&path, scope),
        };
        match path.substring {
            Some((arguments, place)) => self.substring(value, arguments, place, scope),
            None => value,
        }
    }

    /// `f(x)%y`, `(/1, 2/)(1)`: nothing that Fortran has names for.
    fn other_application(&mut self, expr: &Expr, scope: &'a Scope) -> Value {
        let (base, arguments) = match expr {
            Expr::Apply(base, arguments, _) => (base, &arguments[..]),
            Expr::Member(base, _) => (base, &[][..]),
            _ => return Value::opaque(ReasonCode::UnknownExpression, ""),
        };
        let mut inner = vec![self.value(base, scope)];
        inner.extend(self.bounds_of(arguments, scope));
        Value::Opaque {
            reason: Reason {
                code: ReasonCode::UnknownExpression,
                detail: String::new(),
            },
            inner,
        }
    }

    /// A name without components: variable, element, substring, intrinsic or function reference.
    fn named(&mut self, name: &Arc<str>, applied: Applied, scope: &'a Scope) -> Value {
        let Some((arguments, place)) = applied else {
            return self.plain_name(name, scope);
        };
        if let Some(id) = self.variables.get(scope.id, name)
            && !self.draft.variable(id).dimensions.is_empty()
        {
            return self.element(id, arguments, place, scope);
        }
        match self.world.symbol(scope, name) {
            Found::Symbol(symbol, home) if matches!(symbol.class, Class::Procedure(_)) => {
                return self.function(name, symbol, home, arguments, scope);
            }
            Found::Symbol(
                Symbol {
                    class: Class::Generic(_),
                    ..
                },
                _,
            ) => {
                return self.generic_reference(name, arguments, scope);
            }
            Found::Symbol(symbol, home)
                if is_scalar(symbol)
                    && !(is_substring(arguments) && self.is_character(name, symbol, home)) =>
            {
                let is_argument = matches!(symbol.class, Class::Variable(Role::Argument));
                return match intrinsic_types::lookup(name) {
                    Some(known) if !is_argument => self.intrinsic(name, known, arguments, scope),
                    _ => self.function(name, symbol, home, arguments, scope),
                };
            }
            _ => {}
        }
        match self.meaning(name, scope) {
            Meaning::Variable(id) if self.draft.variable(id).dimensions.is_empty() => {
                self.substring(Value::Variable(id), arguments, place, scope)
            }
            Meaning::Variable(id) => self.element(id, arguments, place, scope),
            Meaning::Procedure(symbol, home) => self.function(name, symbol, home, arguments, scope),
            Meaning::StatementFunction(parameters, body) => {
                let message =
                    format!("`{name}` is a statement function: expanded where it is used");
                self.remark(
                    Severity::Note,
                    DiagnosticCode::StatementFunction,
                    name,
                    message,
                    None,
                );
                let values = arguments
                    .iter()
                    .map(argument_value)
                    .collect::<Option<Vec<_>>>();
                match values {
                    Some(values)
                        if values.len() == parameters.len() && self.expansions.may_begin(name) =>
                    {
                        self.expansions.begin();
                        let values = self.evaluated_once(parameters, body, values, place, scope);
                        let expanded = body.substitute(parameters, &values);
                        self.expansions.open(name);
                        let value = self.value(&expanded, scope);
                        self.expansions.close();
                        value
                    }
                    _ => self.call(name, arguments, Type::Unknown, scope),
                }
            }
            unknown => {
                if let Some(known) = intrinsic_types::lookup(name) {
                    return self.intrinsic(name, known, arguments, scope);
                }
                let role = match unknown {
                    Meaning::Elsewhere(module) => {
                        self.remark_module(&module);
                        Role::Undeclared
                    }
                    _ => Role::Local,
                };
                if self.is_assigned(name, arguments) {
                    let id = self.undeclared(name, scope, role);
                    self.open(id, arguments.len());
                    return self.element(id, arguments, place, scope);
                }
                let ty = match scope.implicit_type(name) {
                    Some(spec) => self.resolve(&spec, scope),
                    _ => Type::Unknown,
                };
                self.call(name, arguments, ty, scope)
            }
        }
    }

    /// `c(i:j)`: characters are the elements of a string, and the first of these stands for all. Of an array of strings
    /// the elements are strings.
    fn substring(
        &mut self,
        base: Value,
        arguments: &[Argument],
        place: &Place,
        scope: &'a Scope,
    ) -> Value {
        let first = match arguments {
            [Argument::Section(parts)] => parts[0].as_ref().map(|first| self.value(first, scope)),
            _ => None,
        };
        let first = first.unwrap_or(Value::Integer(1));
        let is_character = matches!(base.ty(self.draft.function()), Type::Character(_));
        match base {
            Value::Variable(array) if is_character => Value::Element {
                array,
                subscripts: vec![first],
                place: place.clone(),
            },
            element @ Value::Element { .. } if is_character => element,
            other => {
                let mut inner = self.bounds_of(arguments, scope);
                inner.insert(0, other);
                Value::Opaque {
                    reason: Reason {
                        code: ReasonCode::Substring,
                        detail: String::new(),
                    },
                    inner,
                }
            }
        }
    }

    fn is_character(&mut self, name: &Arc<str>, symbol: &Symbol, home: &'a Scope) -> bool {
        let spec = symbol.ty.clone().or_else(|| home.implicit_type(name));
        matches!(spec, Some(TypeSpec::Intrinsic(Base::Character, _)))
    }

    pub fn plain_name(&mut self, name: &Arc<str>, scope: &'a Scope) -> Value {
        match self.meaning(name, scope) {
            Meaning::Variable(id) => Value::Variable(id),
            Meaning::Procedure(..) | Meaning::StatementFunction(..) => {
                Value::opaque(ReasonCode::ProcedureName, &**name)
            }
            Meaning::Elsewhere(module) => {
                self.remark_module(&module);
                Value::Variable(self.undeclared(name, scope, Role::Undeclared))
            }
            Meaning::Nowhere => Value::Variable(self.undeclared(name, scope, Role::Local)),
        }
    }

    /// Whether a path with these subscripts must be an array.
    pub fn is_assigned(&mut self, path: &str, arguments: &[Argument]) -> bool {
        let unit = self.unit.node;
        self.assigned.has(self.reader, unit, path, arguments)
    }

    /// Whether the unit gives an array another length than it was allocated with.
    pub fn grows(&mut self, path: &str) -> bool {
        let unit = self.unit.node;
        self.assigned.grows(self.reader, unit, path)
    }

    /// Whether the unit gives a variable another value behind a statement.
    pub fn changes_behind(&mut self, name: &str, statement: Node) -> bool {
        let unit = self.unit.node;
        self.assigned
            .changes_behind(self.reader, unit, (name, statement))
    }

    fn remark_module(&mut self, module: &Arc<str>) {
        let message =
            format!("module `{module}` is not among the files: what it declares is unknown");
        let help = "name the file that defines it as well";
        self.remark(
            Severity::Warning,
            DiagnosticCode::UnknownModule,
            module,
            message,
            Some(help),
        );
    }
}

/// A declared scalar: with parentheses it is a function, or a substring.
fn is_scalar(symbol: &Symbol) -> bool {
    matches!(symbol.class, Class::Variable(_)) && symbol.dimensions.is_empty()
}

fn is_substring(arguments: &[Argument]) -> bool {
    matches!(arguments, [Argument::Section(_)])
}

fn argument_value(argument: &Argument) -> Option<Expr> {
    match argument {
        Argument::Value(e) => Some(e.clone()),
        _ => None,
    }
}
