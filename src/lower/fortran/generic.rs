//! Which procedure does a generic name, a defined operator or a defined assignment stand for?
//!
//! The one whose dummy arguments have the number, types, kinds and ranks of what is passed. Where what is known
//! leaves several, the call stays one of an unknown procedure: to choose would count the work of another body.

use std::sync::Arc;

use super::context::Returned;
use super::expression::Argument;
use super::intrinsic_types::Shape;
use super::keywords::in_places;
use super::modules::{Declared, callee};
use super::procedure::Lowering;
use super::scope::{Class, Dummy, Scope, TypeSpec};
use crate::ir::{Callee, Role, Type, Value};
use crate::reason::ReasonCode;

/// A specific procedure.
#[derive(Clone, Copy)]
pub struct Candidate<'a> {
    pub name: &'a Arc<str>,
    pub declared: Declared<'a>,
    /// The dummy argument that the object of a type-bound procedure becomes.
    pub object: Option<usize>,
}

/// What is passed, with keywords.
pub type Given = (Option<Arc<str>>, Value);

/// How well an argument fits a dummy argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    No,
    /// Not all is known, or only an element-by-element reference fits.
    Maybe,
    Yes,
}

/// What a generic reference leads to.
pub enum Choice<'a> {
    One(Candidate<'a>),
    /// None of the procedures takes what is passed.
    None,
    /// Several may be meant.
    Several,
}

impl Candidate<'_> {
    /// The names of the dummy arguments that arguments are given for.
    pub fn dummies(&self) -> Vec<Arc<str>> {
        let numbered = self.declared.symbol.arguments.iter().enumerate();
        numbered
            .filter(|(at, _)| Some(*at) != self.object)
            .map(|(_, name)| name.clone())
            .collect()
    }
}

impl<'a> Lowering<'a> {
    /// The procedures behind a generic name, from all modules that the scope sees.
    pub fn candidates(&self, scope: &'a Scope, name: &str) -> Vec<Candidate<'a>> {
        let mut found: Vec<Candidate> = Vec::new();
        for generic in self.world.generics(scope, name) {
            let Class::Generic(names) = &generic.symbol.class else {
                continue;
            };
            for name in names {
                let Some(declared) = self.world.procedure(generic.home, name) else {
                    continue;
                };
                if !found.iter().any(|known| known.declared == declared) {
                    found.push(Candidate {
                        name,
                        declared,
                        object: None,
                    });
                }
            }
        }
        found
    }

    /// Evaluates arguments once, in the order of the source.
    pub fn given(&mut self, arguments: &[Argument], scope: &'a Scope) -> Vec<Given> {
        let mut given = Vec::with_capacity(arguments.len());
        for argument in arguments {
            match argument {
                Argument::Keyword(name, e) => {
                    given.push((Some(name.clone()), self.value(e, scope)));
                }
                other => {
                    let values = self.bounds_of(std::slice::from_ref(other), scope);
                    given.extend(values.into_iter().map(|value| (None, value)));
                }
            }
        }
        given
    }

    /// The one procedure that takes what is passed.
    pub fn choose(&mut self, candidates: &[Candidate<'a>], given: &[Given]) -> Choice<'a> {
        let fits: Vec<(Candidate, Fit)> = candidates
            .iter()
            .map(|c| (*c, self.fit(c, given)))
            .collect();
        let only = |least: Fit| {
            let mut fitting = fits.iter().filter(|(_, fit)| *fit >= least);
            fitting
                .next()
                .filter(|_| fitting.next().is_none())
                .map(|(candidate, _)| *candidate)
        };
        match only(Fit::Yes).or_else(|| only(Fit::Maybe)) {
            Some(candidate) => Choice::One(candidate),
            None if fits.iter().all(|(_, fit)| *fit == Fit::No) => Choice::None,
            None => Choice::Several,
        }
    }

    /// Whether a procedure certainly takes what is passed.
    pub fn takes(&mut self, candidate: &Candidate<'a>, given: &[Given]) -> bool {
        self.fit(candidate, given) == Fit::Yes
    }

    fn fit(&mut self, candidate: &Candidate<'a>, given: &[Given]) -> Fit {
        let (Declared { symbol, home, .. }, object) = (candidate.declared, candidate.object);
        let is_elemental = matches!(symbol.class, Class::Procedure(Shape::Elemental));
        if symbol.dummies.len() != symbol.arguments.len() {
            let count = symbol.arguments.len()
                - usize::from(object.is_some_and(|at| at < symbol.arguments.len()));
            return if given.len() <= count {
                Fit::Maybe
            } else {
                Fit::No
            };
        }
        let numbered = symbol.arguments.iter().zip(&symbol.dummies).enumerate();
        let dummies: Vec<(&Arc<str>, &Dummy)> = numbered
            .filter(|(at, _)| Some(*at) != object)
            .map(|(_, dummy)| dummy)
            .collect();
        let mut taken = vec![false; dummies.len()];
        let mut worst = Fit::Yes;
        for (at, (keyword, value)) in given.iter().enumerate() {
            let position = match keyword {
                Some(keyword) => dummies.iter().position(|(name, _)| *name == keyword),
                None => Some(at).filter(|at| *at < dummies.len()),
            };
            let Some(position) = position.filter(|position| !taken[*position]) else {
                return Fit::No;
            };
            taken[position] = true;
            let dummy = dummies[position].1;
            worst = worst.min(match self.is_declared(value) {
                true => self
                    .rank_fit(dummy, value, is_elemental)
                    .min(self.type_fit(dummy, home, value)),
                false => Fit::Maybe,
            });
        }
        let is_whole = taken
            .iter()
            .zip(&dummies)
            .all(|(taken, (_, dummy))| *taken || dummy.optional);
        if is_whole { worst } else { Fit::No }
    }

    /// Whether a declaration that was read says what a value is.
    fn is_declared(&self, value: &Value) -> bool {
        !matches!(value, Value::Variable(id) | Value::Element { array: id, .. }
            if self.draft.variable(*id).role == Role::Undeclared)
    }

    fn rank_fit(&self, dummy: &Dummy, value: &Value, is_elemental: bool) -> Fit {
        match self.rank(value) {
            None => Fit::Maybe,
            Some(rank) if rank == dummy.rank => Fit::Yes,
            Some(_) if is_elemental => Fit::Maybe,
            // An array from that element on.
            Some(0) if matches!(value, Value::Element { .. }) => Fit::Maybe,
            Some(_) => Fit::No,
        }
    }

    fn type_fit(&mut self, dummy: &Dummy, home: &'a Scope, value: &Value) -> Fit {
        let actual = value.ty(self.draft.function());
        let expected = match &dummy.ty {
            None => return Fit::Maybe,
            Some(TypeSpec::Anything) => return Fit::Yes,
            Some(TypeSpec::Derived(name)) => return self.derived_fit(name, dummy, home, &actual),
            Some(spec) => self.world.resolve(spec, home),
        };
        let same_base = std::mem::discriminant(&expected.ty) == std::mem::discriminant(&actual);
        let is_literal = matches!(
            (value, &expected.ty),
            (Value::Integer(_) | Value::Logical(_), _)
        );
        match actual {
            Type::Unknown => Fit::Maybe,
            _ if !same_base => Fit::No,
            // The kind of a literal is not kept.
            _ if expected.unknown_kind.is_some() || is_literal => Fit::Maybe,
            _ if expected.ty.is_same_kind(&actual) => Fit::Yes,
            _ => Fit::No,
        }
    }

    fn derived_fit(&self, name: &str, dummy: &Dummy, home: &'a Scope, actual: &Type) -> Fit {
        let Type::Derived(actual, _) = actual else {
            return if *actual == Type::Unknown {
                Fit::Maybe
            } else {
                Fit::No
            };
        };
        let Some((expected, _)) = self.world.derived_type(home, name) else {
            return Fit::Maybe;
        };
        // A type from elsewhere may have the name of another one here.
        let named = self
            .world
            .all_types()
            .filter(|(name, ..)| ***name == **actual)
            .take(2)
            .count();
        let mut ancestry = self.world.ancestry(actual, self.scope).peekable();
        let Some((own, _)) = ancestry.peek().copied() else {
            return Fit::Maybe;
        };
        let fits = own.id == expected.id
            || dummy.polymorphic && ancestry.any(|(ancestor, _)| ancestor.id == expected.id);
        match (fits, named > 1) {
            (_, true) => Fit::Maybe,
            (true, false) => Fit::Yes,
            (false, false) => Fit::No,
        }
    }

    /// The name that calls of a chosen procedure have: its own, with its module where that means something else here.
    pub fn name_of(&mut self, candidate: &Candidate<'a>, shown: String) -> String {
        let (name, declared) = (candidate.name, candidate.declared);
        let Declared { symbol, home, .. } = declared;
        let callee = callee(home, name);
        let is_free = match self.world.procedure(self.scope, &shown) {
            Some(other) => other == declared,
            None => !self.scope.symbols.contains_key(&*shown),
        };
        let known = self.draft.function().callees.get(&shown);
        let shown = match known.filter(|known| matches!(known, Callee::OfModule { .. })) {
            Some(known) if *known != callee => format!("{}::{name}", home.name),
            None if !is_free => format!("{}::{name}", home.name),
            _ => shown,
        };
        self.draft.set_callee(shown.clone(), callee);
        if let Class::Procedure(shape) = symbol.class {
            let rank = symbol.dimensions.len();
            self.results.insert(&shown, Returned { shape, rank });
        }
        shown
    }

    /// The type of what a procedure gives.
    pub fn result_of(&mut self, candidate: &Candidate<'a>) -> Type {
        match &candidate.declared.symbol.ty {
            Some(spec) => self.resolve(spec, candidate.declared.home),
            None => Type::Unknown,
        }
    }
}

/// Values in the places of those dummies, with nothing for those that are left out before the last one.
pub fn arranged(dummies: &[Arc<str>], given: Vec<Given>) -> Vec<Value> {
    let place = |(at, (keyword, _)): (usize, &Given)| match keyword {
        Some(keyword) => dummies.iter().position(|dummy| dummy == keyword),
        None => Some(at),
    };
    let places: Option<Vec<usize>> = given.iter().enumerate().map(place).collect();
    let values: Vec<Value> = given.into_iter().map(|(_, value)| value).collect();
    let left_out = || Value::opaque(ReasonCode::Null, "");
    match places {
        Some(places) => in_places(&places, values, left_out).unwrap_or_else(|values| values),
        None => values,
    }
}
