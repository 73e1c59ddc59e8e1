//! What structures consist of, and what their components have before the program runs.
//!
//! ```text
//! type grid
//!   integer :: nx = 12, ny = 4
//! end type
//! type(grid) :: fine = grid(ny = 8), coarse       fine%nx 12, fine%ny 8, coarse%ny 4
//! ```

use std::sync::Arc;

use tree_sitter::Node;

use super::expression::{Argument, Expr};
use super::modules::Found;
use super::names::field;
use super::path::Path;
use super::procedure::Lowering;
use super::scope::{Base, Component, DerivedType, Scope, TypeSpec};
use crate::ir::{Stmt, Type, Value};

/// Components inside of components are followed so far.
const DEPTH: u32 = 6;

/// No structure whose components are sizes has more.
const MOST_COMPONENTS: usize = 512;

/// What a structure, or a part of one, has before the program runs.
#[derive(Clone, Copy)]
pub enum Beginning<'a> {
    /// What its type says.
    Declared,
    /// The value of an expression, with the scope that its names belong to.
    Given(&'a Expr, &'a Scope),
    Unknown,
}

impl<'a> Beginning<'a> {
    /// The same of a component; the scope is that of the type.
    pub fn of_component(
        self,
        (ty, scope): (&'a DerivedType, &'a Scope),
        (type_name, component): (&str, &'a Component),
    ) -> Beginning<'a> {
        let declared = match &component.initial {
            Some(value) => Beginning::Given(value, scope),
            None => Beginning::Declared,
        };
        match self {
            Beginning::Declared => declared,
            Beginning::Given(Expr::Apply(constructor, arguments, _), home) if matches!(&**constructor, Expr::Name(name) if **name == *type_name) => {
                match argument(ty, component, arguments) {
                    Passed::Value(value) => Beginning::Given(value, home),
                    Passed::Nothing => declared,
                    Passed::Unknown => Beginning::Unknown,
                }
            }
            Beginning::Given(..) | Beginning::Unknown => Beginning::Unknown,
        }
    }
}

/// What a structure constructor gives a component.
enum Passed<'a> {
    Value(&'a Expr),
    Nothing,
    Unknown,
}

fn argument<'a>(ty: &DerivedType, component: &Component, arguments: &'a [Argument]) -> Passed<'a> {
    let keyword = arguments.iter().find_map(|argument| match argument {
        Argument::Keyword(name, value) if *name == component.name => Some(value),
        _ => None,
    });
    if let Some(value) = keyword {
        return Passed::Value(value);
    }
    let position = (ty.components.iter()).position(|other| other.name == component.name);
    // What the type extends comes first.
    match (position, &ty.parent) {
        (Some(position), None) => match arguments.get(position) {
            Some(Argument::Value(value)) => Passed::Value(value),
            Some(Argument::Keyword(..)) | None => Passed::Nothing,
            Some(_) => Passed::Unknown,
        },
        _ if arguments.iter().all(|a| matches!(a, Argument::Keyword(..))) => Passed::Nothing,
        _ => Passed::Unknown,
    }
}

impl<'a> Lowering<'a> {
    /// What a structure constructor on the right of an assignment gives the whole numbers and truth values among the
    /// components of a scalar structure.
    pub fn constructed(&mut self, assignment: Node, target: &Value) -> Vec<Stmt> {
        let is_whole =
            matches!(target, Value::Variable(id) if self.draft.variable(*id).dimensions.is_empty());
        if !is_whole || !matches!(target.ty(self.draft.function()), Type::Derived(..)) {
            return Vec::new();
        }
        let sides = [field::LEFT, field::RIGHT].map(|side| {
            let node = assignment.child_by_field_name(side)?;
            Some(self.reader.read(node))
        });
        let [Some(left), Some(Expr::Apply(constructor, arguments, _))] = sides else {
            return Vec::new();
        };
        let Expr::Name(name) = &*constructor else {
            return Vec::new();
        };
        // Else a function has the name of the type.
        let is_type = matches!(self.world.symbol(self.scope, name), Found::Nowhere);
        let Some((ty, home)) = self
            .world
            .derived_type(self.scope, name)
            .filter(|_| is_type)
        else {
            return Vec::new();
        };
        let place = self.place(assignment);
        let mut found = Vec::new();
        for component in &ty.components {
            let is_followed = matches!(
                component.ty,
                TypeSpec::Intrinsic(Base::Integer | Base::Logical, _)
            );
            if !is_followed || component.indirect || !component.dimensions.is_empty() {
                continue;
            }
            let (value, scope) = match (argument(ty, component, &arguments), &component.initial) {
                (Passed::Value(value), _) => (value, self.scope),
                (Passed::Nothing, Some(value)) => (value, home),
                _ => continue,
            };
            let value = self.value(value, scope);
            let part = Expr::Member(Box::new(left.clone()), component.name.clone());
            let target = Path::of(&part).map(|path| self.component(&path, self.scope));
            if let Some(target @ Value::Variable(_)) = target {
                found.push(Stmt::Assign {
                    place: place.clone(),
                    target,
                    value,
                });
            }
        }
        found
    }

    /// Designators of all components of a structure that lie in it, those of its components among them.
    pub fn components_of(&self, name: &Arc<str>, scope: &'a Scope) -> Vec<Expr> {
        let mut found = Vec::new();
        if let Found::Symbol(symbol, home) = self.world.symbol(scope, name)
            && let Some(TypeSpec::Derived(ty)) = &symbol.ty
        {
            let base = Expr::Name(name.clone());
            self.add_components(&base, (ty, home), DEPTH, &mut found);
        }
        found
    }

    fn add_components(
        &self,
        base: &Expr,
        (ty, home): (&str, &'a Scope),
        depth: u32,
        found: &mut Vec<Expr>,
    ) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        for (definition, home) in self.world.ancestry(ty, home) {
            for component in definition.components.iter().filter(|c| !c.indirect) {
                let part = Expr::Member(Box::new(base.clone()), component.name.clone());
                match &component.ty {
                    TypeSpec::Derived(inner) => {
                        self.add_components(&part, (inner, home), depth, found);
                    }
                    _ if found.len() < MOST_COMPONENTS => found.push(part),
                    _ => {}
                }
            }
        }
    }
}
