//! Sizes of types: kind parameters evaluated through named constants, modules and inquiry functions.

use super::super::fold;
use super::expression::{Argument, Expr, RealKind};
use super::modules::{Found, World, intrinsic_constant};
use super::scope::{Base, Class, Component, DerivedType, KindSpec, Scope, Symbol, TypeSpec};
use super::texts::argument;
use crate::ir::{Type, UnaryOp};

/// Constants that refer to constants, types inside types: deeper is taken for a circle.
pub const DEPTH_LIMIT: usize = 40;

/// A kind that could not be evaluated was taken to be this large, as by far the most are.
pub const ASSUMED_KIND: u32 = 8;

/// A type and the kind expression that could not be evaluated for it, if any.
pub struct Resolved {
    pub ty: Type,
    pub unknown_kind: Option<String>,
}

impl<'a> World<'a> {
    pub fn resolve(&self, spec: &TypeSpec, scope: &'a Scope) -> Resolved {
        self.resolve_within(spec, scope, 0)
    }

    fn resolve_within(&self, spec: &TypeSpec, scope: &'a Scope, depth: usize) -> Resolved {
        let known = |ty| Resolved {
            ty,
            unknown_kind: None,
        };
        let (base, kind) = match spec {
            TypeSpec::Intrinsic(base, kind) => (*base, kind),
            TypeSpec::Derived(name) => {
                let definition = self.derived_type(scope, name);
                let size = definition.and_then(|(ty, scope)| self.size(ty, scope));
                return known(Type::Derived(name.to_string(), size));
            }
            TypeSpec::Anything => return known(Type::Unknown),
        };
        let default = match base {
            Base::Byte => return known(Type::integer(1)),
            Base::Character => {
                return known(Type::Character(
                    self.length(kind.as_ref(), scope, depth)
                        .filter(|length| *length > 0),
                ));
            }
            Base::DoublePrecision => return known(Type::Real(scope.kinds.double)),
            Base::DoubleComplex => return known(Type::Complex(2 * scope.kinds.double)),
            Base::Integer => scope.kinds.integer,
            Base::Logical => scope.kinds.logical,
            Base::Real | Base::Complex => scope.kinds.real,
        };
        let of_kind = |kind: u32| match base {
            Base::Integer => scope.kinds.integer_of_kind(kind),
            Base::Logical => kind,
            _ => scope.kinds.real_of_kind(kind),
        };
        let (size, unknown_kind) = match kind {
            None => (default, None),
            Some(KindSpec::Bytes(bytes)) => match self.kind_within(bytes, scope, depth) {
                Some(bytes) if base == Base::Complex => (of_kind(bytes / 2), None),
                Some(bytes) => (of_kind(bytes), None),
                None => (ASSUMED_KIND, Some(describe(bytes))),
            },
            Some(KindSpec::Kind(kind)) => match self.kind_within(kind, scope, depth) {
                Some(kind) => (of_kind(kind), None),
                None => (ASSUMED_KIND, Some(describe(kind))),
            },
        };
        let ty = match base {
            Base::Integer => Type::integer(size),
            Base::Logical => Type::Logical(size),
            Base::Complex => Type::Complex(2 * size),
            _ => Type::Real(size),
        };
        Resolved { ty, unknown_kind }
    }

    /// The length of a string, if it is constant.
    pub fn length(&self, length: Option<&KindSpec>, scope: &'a Scope, depth: usize) -> Option<u32> {
        match length {
            None => Some(1),
            Some(KindSpec::Bytes(length) | KindSpec::Kind(length)) => {
                u32::try_from(self.integer(length, scope, depth)?).ok()
            }
        }
    }

    /// The size of a real literal.
    pub fn real_size(&self, kind: &RealKind, scope: &'a Scope) -> Resolved {
        self.real_size_within(kind, scope, 0)
    }

    fn real_size_within(&self, kind: &RealKind, scope: &'a Scope, depth: usize) -> Resolved {
        let (size, unknown_kind) = match kind {
            RealKind::Default => (scope.kinds.real, None),
            RealKind::Double => (scope.kinds.double, None),
            RealKind::Quadruple => (16, None),
            RealKind::Named(kind) => match self.kind_within(kind, scope, depth) {
                Some(kind) => (scope.kinds.real_of_kind(kind), None),
                None => (ASSUMED_KIND, Some(describe(kind))),
            },
        };
        Resolved {
            ty: Type::Real(size),
            unknown_kind,
        }
    }

    /// A kind value that is the size of something.
    pub fn kind_number(&self, kind: &Expr, scope: &'a Scope) -> Option<u32> {
        self.kind_within(kind, scope, 0)
    }

    /// The kind of an integer that literals alone give, where one of them has a kind.
    pub fn kind_of_literals(&self, expr: &Expr, scope: &'a Scope) -> Option<u32> {
        match expr {
            Expr::IntegerOf(_, kind) => self.kind_number(kind, scope),
            Expr::Unary(_, operand) => self.kind_of_literals(operand, scope),
            Expr::Binary(_, left, right) => {
                let sides = [left, right].map(|side| self.kind_of_literals(side, scope));
                sides.into_iter().max().flatten()
            }
            _ => None,
        }
    }

    fn kind_within(&self, kind: &Expr, scope: &'a Scope, depth: usize) -> Option<u32> {
        self.integer(kind, scope, depth)
            .filter(|n| (1..=32).contains(n))
            .map(|n| n as u32)
    }

    /// The value of an integer constant expression.
    pub fn integer(&self, expr: &Expr, scope: &'a Scope, depth: usize) -> Option<i64> {
        if depth > DEPTH_LIMIT {
            return None;
        }
        match expr {
            Expr::Integer(value) | Expr::IntegerOf(value, _) => Some(*value),
            Expr::Macro(constant) => self.integer(&constant.value, scope, depth + 1),
            Expr::Name(name) => match self.symbol(scope, name) {
                Found::Symbol(symbol, scope) => match &symbol.class {
                    Class::Constant(value) => self.integer(value, scope, depth + 1),
                    _ => None,
                },
                Found::Builtin(value) => Some(value),
                // A header or module that was not read: these names mean one thing only.
                Found::Elsewhere(_) | Found::Nowhere => intrinsic_constant(name),
            },
            Expr::Unary(UnaryOp::Negate, operand) => {
                self.integer(operand, scope, depth + 1)?.checked_neg()
            }
            Expr::Binary(op, left, right) => {
                let (left, right) = (
                    self.integer(left, scope, depth + 1)?,
                    self.integer(right, scope, depth + 1)?,
                );
                fold::arithmetic(*op, left, right)
            }
            Expr::Apply(function, arguments, _) => {
                let Expr::Name(function) = &**function else {
                    return None;
                };
                self.inquiry(function, arguments, scope, depth + 1)
            }
            _ => None,
        }
    }

    /// The whole number that is given in a place of a call, or by its keyword.
    pub fn integer_given(
        &self,
        arguments: &[Argument],
        (at, keyword): (usize, &str),
        scope: &'a Scope,
        depth: usize,
    ) -> Option<i64> {
        self.integer(argument(arguments, at, keyword)?, scope, depth)
    }

    /// `selected_real_kind(15)`, `kind(1.d0)` and their like.
    pub fn inquiry(
        &self,
        function: &str,
        arguments: &[Argument],
        scope: &'a Scope,
        depth: usize,
    ) -> Option<i64> {
        let value = |at: usize, keyword: &str| argument(arguments, at, keyword);
        let number =
            |at: usize, keyword: &str| self.integer_given(arguments, (at, keyword), scope, depth);
        match function {
            "selected_real_kind" => {
                let (precision, range) = (number(0, "p").unwrap_or(0), number(1, "r").unwrap_or(0));
                Some(real_kind(precision, range))
            }
            "selected_int_kind" => Some(match number(0, "r")? {
                ..=2 => 1,
                3..=4 => 2,
                5..=9 => 4,
                10..=18 => 8,
                19..=38 => 16,
                _ => -1,
            }),
            "kind" => self.kind_of(value(0, "x")?, scope, depth),
            "max" => Some(number(0, "")?.max(number(1, "")?)),
            "min" => Some(number(0, "")?.min(number(1, "")?)),
            _ if matches!(self.symbol(scope, function), Found::Symbol(..)) => None,
            _ => self
                .asked_of_text(function, arguments, scope, depth)
                .or_else(|| self.asked_of_numbers(function, arguments, scope, depth)),
        }
    }

    /// `kind(x)`.
    fn kind_of(&self, expr: &Expr, scope: &'a Scope, depth: usize) -> Option<i64> {
        if depth > DEPTH_LIMIT {
            return None;
        }
        let ty = match expr {
            Expr::Integer(_) => return Some(i64::from(scope.kinds.integer)),
            Expr::IntegerOf(_, kind) => return self.integer(kind, scope, depth + 1),
            Expr::Logical(_) => return Some(i64::from(scope.kinds.logical)),
            Expr::Real(_, kind) => self.real_size_within(kind, scope, depth + 1).ty,
            Expr::Complex(re, _) => return self.kind_of(re, scope, depth + 1),
            Expr::Unary(_, operand) => return self.kind_of(operand, scope, depth + 1),
            Expr::Name(name) => match self.symbol(scope, name) {
                // No other type has a kind.
                Found::Symbol(
                    Symbol {
                        ty: Some(ty @ TypeSpec::Intrinsic(..)),
                        ..
                    },
                    scope,
                ) => self.resolve_within(ty, scope, depth + 1).ty,
                _ => return None,
            },
            _ => return None,
        };
        match ty {
            Type::Complex(size) => Some(i64::from(size / 2)),
            Type::Integer(size, _) | Type::Real(size) | Type::Logical(size) => {
                Some(i64::from(size))
            }
            _ => None,
        }
    }

    /// A component of a derived type or of one it extends, with the scope that its bounds belong to.
    ///
    /// `None` if the type or one that it extends is not known, `Some(None)` if none of them has such a component.
    pub fn component(
        &self,
        ty: &str,
        scope: &'a Scope,
        name: &str,
    ) -> Option<Option<(&'a Component, &'a Scope)>> {
        let mut oldest = None;
        for (definition, home) in self.ancestry(ty, scope) {
            if let Some(component) = definition
                .components
                .iter()
                .find(|component| *component.name == *name)
            {
                return Some(Some((component, home)));
            }
            oldest = Some(definition);
        }
        // A parent that is not among the files may have it.
        oldest?.parent.is_none().then_some(None)
    }

    /// The scope that knows a type which another one extends, directly or not.
    pub fn parent(&self, ty: &str, scope: &'a Scope, parent: &str) -> Option<&'a Scope> {
        let mut ancestry = self.ancestry(ty, scope);
        ancestry.find_map(|(definition, home)| {
            (definition.parent.as_deref()? == parent).then_some(home)
        })
    }

    /// A type and what it extends, with the scopes that define them.
    pub fn ancestry(
        &self,
        ty: &str,
        scope: &'a Scope,
    ) -> impl Iterator<Item = (&'a DerivedType, &'a Scope)> + use<'a> {
        let world = *self;
        let parent = move |(definition, home): &(&'a DerivedType, &'a Scope)| {
            definition
                .parent
                .as_ref()
                .and_then(|parent| world.derived_type(home, parent))
        };
        std::iter::successors(self.derived_type(scope, ty), parent).take(DEPTH_LIMIT)
    }
}

/// The kind of real numbers with so many digits, and exponents so large: their bytes, as all but a type of ten bytes that some
/// processors have; below zero, as the language says, where none has that.
fn real_kind(precision: i64, range: i64) -> i64 {
    let by_precision = match precision {
        ..=6 => Some(4),
        7..=15 => Some(8),
        16..=33 => Some(16),
        _ => None,
    };
    let by_range = match range {
        ..=37 => Some(4),
        38..=307 => Some(8),
        308..=4931 => Some(16),
        _ => None,
    };
    match (by_precision, by_range) {
        (Some(a), Some(b)) => a.max(b),
        (None, Some(_)) => -1,
        (Some(_), None) => -2,
        (None, None) => -3,
    }
}

fn describe(expr: &Expr) -> String {
    match expr {
        Expr::Name(name) => name.to_string(),
        Expr::Apply(function, ..) => match &**function {
            Expr::Name(name) => format!("{name}(…)"),
            _ => "an expression".to_string(),
        },
        Expr::Integer(value) | Expr::IntegerOf(value, _) => value.to_string(),
        _ => "an expression".to_string(),
    }
}
