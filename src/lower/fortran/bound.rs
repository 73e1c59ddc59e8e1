//! Procedures that belong to a type: `call field%advance(dt)`.
//!
//! The declared type of the object decides which procedure is meant. If the object may be of an extension of that type
//! (`class`) and one among the files has its own, the run decides, and the call stays one of an unknown procedure.

use super::generic::{Candidate, Choice, arranged};
use super::modules::World;
use super::path::{Owner, Path};
use super::procedure::Lowering;
use super::scope::{Binding, Passed, Scope, Target};
use crate::ir::{Type, Value};
use crate::reason::ReasonCode;

/// The declared type of an object, and whether the object is of that very type, not of one that extends it.
#[derive(Clone, Copy)]
pub struct Operand<'n> {
    pub ty: &'n str,
    pub is_exact: bool,
}

/// The procedure that a binding leads to.
#[derive(Clone, Copy)]
struct Bound<'a> {
    /// Of the binding itself, not of a generic one.
    binding: &'a str,
    candidate: Candidate<'a>,
}

impl<'a> World<'a> {
    /// The binding of a type or of what it extends, with the scope that defines it.
    fn binding(&self, ty: &str, scope: &'a Scope, name: &str) -> Option<(&'a Binding, &'a Scope)> {
        self.ancestry(ty, scope).find_map(|(definition, home)| {
            let binding = definition
                .bindings
                .iter()
                .find(|binding| *binding.name == *name)?;
            Some((binding, home))
        })
    }

    /// Whether an extension of a type has another procedure of that name.
    fn is_overridden(&self, ty: &str, scope: &'a Scope, name: &str) -> bool {
        let Some((definition, _)) = self.derived_type(scope, ty) else {
            return false;
        };
        self.all_types().any(|(other, other_definition, home)| {
            other_definition
                .bindings
                .iter()
                .any(|binding| *binding.name == *name)
                && self
                    .ancestry(other, home)
                    .skip(1)
                    .any(|(ancestor, _)| ancestor.id == definition.id)
        })
    }

    /// The procedures that a name of a type may stand for, those of a generic one by the bindings of the type and what
    /// it extends; `None` if only the run decides one of them.
    fn bound(&self, operand: Operand, scope: &'a Scope, name: &str) -> Option<Vec<Bound<'a>>> {
        let mut found: Vec<Bound> = Vec::new();
        for (definition, _) in self.ancestry(operand.ty, scope) {
            for binding in definition
                .bindings
                .iter()
                .filter(|binding| *binding.name == *name)
            {
                let Target::Generic(specific) = &binding.target else {
                    return Some(vec![self.bound_procedure(operand, scope, name)?]);
                };
                for name in specific {
                    let bound = self.bound_procedure(operand, scope, name)?;
                    if !found.iter().any(|known| known.binding == bound.binding) {
                        found.push(bound);
                    }
                }
            }
        }
        Some(found)
    }

    fn bound_procedure(&self, operand: Operand, scope: &'a Scope, name: &str) -> Option<Bound<'a>> {
        let (binding, home) = self.binding(operand.ty, scope, name)?;
        let Target::Procedure {
            name: procedure,
            passed,
        } = &binding.target
        else {
            return None;
        };
        if !operand.is_exact && self.is_overridden(operand.ty, scope, name) {
            return None;
        }
        let declared = self.procedure(home, procedure)?;
        let arguments = &declared.symbol.arguments;
        let object = match passed {
            Passed::First => Some(0),
            Passed::Named(dummy) => Some(arguments.iter().position(|name| name == dummy)?),
            Passed::Nowhere => None,
        };
        Some(Bound {
            binding: &binding.name,
            candidate: Candidate {
                name: procedure,
                declared,
                object,
            },
        })
    }

    /// The procedures behind an operator or assignment of a type, which take all operands as arguments; `None` if
    /// only the run decides one of them.
    pub fn bound_generic(
        &self,
        operand: Operand,
        scope: &'a Scope,
        name: &str,
    ) -> Option<Vec<Candidate<'a>>> {
        let bound = self.bound(operand, scope, name)?;
        Some(
            bound
                .into_iter()
                .map(|bound| Candidate {
                    object: None,
                    ..bound.candidate
                })
                .collect(),
        )
    }
}

impl<'a> Lowering<'a> {
    /// A reference to the procedure that a path ends in; `owner` is the type of the object before that.
    pub fn bound_call(&mut self, path: &Path, owner: Option<Owner<'a>>, scope: &'a Scope) -> Value {
        let name = path.text();
        let Some((last, object)) = path.parts.split_last() else {
            return Value::opaque(ReasonCode::UnknownExpression, name);
        };
        let arguments = last.applied.map_or(&[][..], |(arguments, _)| arguments);
        let given = self.given(arguments, scope);
        let found = owner.and_then(|Owner { ty, home, is_exact }| {
            self.world
                .bound(Operand { ty: &ty, is_exact }, home, last.name)
        });
        let candidates: Vec<Candidate> = found
            .iter()
            .flatten()
            .map(|bound| bound.candidate)
            .collect();
        let chosen = match candidates[..] {
            [only] => Some(only),
            _ => match self.choose(&candidates, &given) {
                Choice::One(candidate) => Some(candidate),
                Choice::None | Choice::Several => None,
            },
        };
        let is_chosen =
            |bound: &&Bound| chosen.is_some_and(|one| one.declared == bound.candidate.declared);
        let Some(Bound { binding, candidate }) = found.iter().flatten().find(is_chosen).copied()
        else {
            let arguments = given.into_iter().map(|(_, value)| value).collect();
            let object = path.name().text_without_last(1).to_string();
            self.draft.note_object(&name, object, last.name);
            return Value::Call {
                name,
                arguments,
                ty: Type::Unknown,
            };
        };
        let mut values = arranged(&candidate.dummies(), given);
        if let Some(at) = candidate.object {
            let object = Path {
                parts: object.to_vec(),
                substring: None,
            };
            let object = self.path_or_name(&object, scope);
            values.insert(at.min(values.len()), object);
        }
        let ty = self.result_of(&candidate);
        let shown = format!(
            "{}{binding}",
            name.strip_suffix(&**last.name).unwrap_or(&name)
        );
        let name = self.name_of(&candidate, shown);
        Value::Call {
            name,
            arguments: values,
            ty,
        }
    }
}
