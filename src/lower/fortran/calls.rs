//! References to functions: of the program, by generic names, and intrinsic ones.
//!
//! Arguments become values in the order of the dummies (`keywords`). What a function of the program gives is of
//! the type that its declaration says; of an intrinsic one the arguments decide (`intrinsic_types`). A
//! reduction over an array (`sum(a(:, j))`) is not a call but a loop: `reductions` puts it before the statement.

use std::borrow::Cow;
use std::sync::Arc;

use super::expression::Argument;
use super::generic::{Choice, arranged};
use super::intrinsic_types;
use super::modules::callee;
use super::procedure::Lowering;
use super::scope::{Class, Scope, Symbol, TypeSpec};
use super::texts::is_of_literals;
use crate::intrinsics::Intrinsic;
use crate::ir::{Type, Value};
use crate::reason::ReasonCode;

impl<'a> Lowering<'a> {
    /// A reference to a function that is declared.
    pub fn function(
        &mut self,
        name: &Arc<str>,
        symbol: &Symbol,
        home: &'a Scope,
        arguments: &[Argument],
        scope: &'a Scope,
    ) -> Value {
        let implicit = || {
            if matches!(symbol.class, Class::Generic(_)) {
                None
            } else {
                home.implicit_type(name)
            }
        };
        let ty = match symbol.ty.clone().or_else(implicit) {
            Some(spec) => self.resolve(&spec, home),
            None => Type::Unknown,
        };
        self.call(name, arguments, ty, scope)
    }

    /// A function reference by a generic name, which may extend an intrinsic or stand for a structure constructor too.
    pub fn generic_reference(
        &mut self,
        name: &Arc<str>,
        arguments: &[Argument],
        scope: &'a Scope,
    ) -> Value {
        let candidates = self.candidates(scope, name);
        let given = self.given(arguments, scope);
        match (
            self.choose(&candidates, &given),
            intrinsic_types::lookup(name),
        ) {
            (Choice::One(candidate), _) => {
                let ty = self.result_of(&candidate);
                let name = self.name_of(&candidate, candidate.name.to_string());
                Value::Call {
                    name,
                    arguments: arranged(&candidate.dummies(), given),
                    ty,
                }
            }
            (Choice::None, Some(known)) => self.intrinsic(name, known, arguments, scope),
            _ => {
                self.note_callee(name, scope);
                let mut types = candidates
                    .iter()
                    .map(|candidate| self.result_of(candidate))
                    .collect::<Vec<_>>();
                types.dedup();
                let constructed = || {
                    self.world
                        .derived_type(scope, name)
                        .map(|_| TypeSpec::Derived(name.clone()))
                };
                let ty = match (&types[..], constructed()) {
                    ([only], _) => only.clone(),
                    (_, Some(spec)) => self.resolve(&spec, scope),
                    _ => Type::Unknown,
                };
                let arguments = given.into_iter().map(|(_, value)| value).collect();
                Value::Call {
                    name: name.to_string(),
                    arguments,
                    ty,
                }
            }
        }
    }

    /// Notes which procedure of which module a name stands for.
    pub fn note_callee(&mut self, name: &str, scope: &'a Scope) {
        if let Some((declared, home)) = self.world.module_procedure(scope, name) {
            self.draft
                .set_callee(name.to_string(), callee(home, declared));
        }
    }

    /// A reference to a function, with its arguments in the order of its dummies.
    pub fn call(
        &mut self,
        name: &str,
        arguments: &[Argument],
        ty: Type,
        scope: &'a Scope,
    ) -> Value {
        let arguments = self.world.in_order(name, Cow::Borrowed(arguments), scope);
        self.note_callee(name, scope);
        Value::Call {
            name: name.to_string(),
            arguments: self.bounds_of(&arguments, scope),
            ty,
        }
    }

    /// An intrinsic; a kind argument goes into the type.
    pub fn intrinsic(
        &mut self,
        name: &str,
        known: Intrinsic,
        arguments: &[Argument],
        scope: &'a Scope,
    ) -> Value {
        let kind_position = intrinsic_types::kind_position(known, name);
        let (mut kind, mut values) = (None, Vec::with_capacity(arguments.len()));
        let mut kind_of_first = None;
        for (at, argument) in arguments.iter().enumerate() {
            match argument {
                Argument::Keyword(keyword, e) if &**keyword == "kind" => kind = Some(e),
                Argument::Value(e) if Some(at) == kind_position => kind = Some(e),
                Argument::Value(e) | Argument::Keyword(_, e) => {
                    if values.is_empty() {
                        kind_of_first = self.world.kind_of_literals(e, scope);
                    }
                    values.push(self.value(e, scope));
                }
                Argument::Section(_) | Argument::Star => {
                    values.push(Value::opaque(ReasonCode::ArraySection, ""));
                }
            }
        }
        if let Some(declared) = self.inquiry(name, &values) {
            return declared;
        }
        if let Some(number) = self.of_fixed(name, arguments, (&values, kind_of_first), scope) {
            return Value::Integer(number);
        }
        let computed = self.of_bits(name, &values, kind_of_first);
        if let Some(computed) = computed.or_else(|| self.of_literals(name, &values)) {
            return computed;
        }
        let kind = kind.and_then(|e| self.world.kind_number(e, scope));
        let types: Vec<Type> = values.iter().map(|v| v.ty(self.draft.function())).collect();
        Value::Call {
            name: name.to_string(),
            ty: intrinsic_types::result(known, &types, kind, &scope.kinds),
            arguments: values,
        }
    }

    /// What an intrinsic function gives that the source fixes: of constant texts, of types, and of literals.
    fn of_fixed(
        &self,
        name: &str,
        arguments: &[Argument],
        (values, kind): (&[Value], Option<u32>),
        scope: &'a Scope,
    ) -> Option<i64> {
        let is_literal = |argument: &Argument| match argument {
            Argument::Value(expr) | Argument::Keyword(_, expr) => is_of_literals(expr),
            Argument::Section(_) | Argument::Star => false,
        };
        if let Some(number) = self.world.asked_of_text(name, arguments, scope, 0) {
            return Some(number);
        }
        let ty = match (values.first()?, kind) {
            (Value::Integer(_), Some(bytes)) => Type::integer(bytes),
            (first, _) => first.ty(self.draft.function()),
        };
        let of_type = || self.world.asked_of_type(name, &ty);
        if name == "rank" {
            return self
                .rank(values.first()?)
                .and_then(|rank| i64::try_from(rank).ok());
        }
        match arguments.iter().all(is_literal) {
            true => (self.world.inquiry(name, arguments, scope, 0)).or_else(of_type),
            false => of_type(),
        }
    }
}
