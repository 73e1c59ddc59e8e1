//! Types and shapes of the results of intrinsic functions.

use super::super::intrinsic_types::fixed;
use crate::intrinsics::{Intrinsic, IntrinsicKind, Intrinsics, ResultType};
use crate::ir::{Type, wider};
use crate::source::Language;
use crate::source::flags::Kinds;
use serde::{Deserialize, Serialize};

/// How a function treats arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shape {
    /// Element by element.
    Elemental,
    /// One value, whatever goes in.
    Scalar,
    /// From arrays to one value, unless a dimension is named.
    Reduction,
    /// The bounds of an array, or one of them if a dimension is named.
    Bounds,
    /// Arrays of other shapes.
    Array,
}

/// The intrinsic function of that name, in lower case.
pub fn lookup(name: &str) -> Option<Intrinsic> {
    Intrinsics::builtin()
        .lookup(Language::Fortran, name)
        .copied()
}

pub fn shape(name: &str, intrinsic: Intrinsic) -> Shape {
    use IntrinsicKind::*;
    match (name, intrinsic.kind) {
        ("lbound" | "ubound" | "shape", _) => Shape::Bounds,
        ("merge" | "isnan", _) => Shape::Elemental,
        ("matmul" | "maxloc" | "minloc" | "findloc", _) => Shape::Array,
        ("trim" | "repeat", _) => Shape::Scalar,
        (name, Inquiry) if name.starts_with("ieee_is") => Shape::Elemental,
        (
            _,
            Special | Power | MinMaxAbs | Add | Multiply | Fma | Conversion | Integer | Character,
        ) => Shape::Elemental,
        (_, Reduction) => Shape::Reduction,
        (_, Array) => Shape::Array,
        (
            _,
            Inquiry | Memory | Allocation | Association | Communication | Input | Read | Open | Io
            | Text | Timer | Status | Options | System | Lock | Termination | Parsing,
        ) => Shape::Scalar,
    }
}

/// Whether an intrinsic function that takes whole arrays gives one of the shape of the first.
pub fn is_as_long_as_first(name: &str) -> bool {
    matches!(name, "cshift" | "eoshift")
}

/// Where the kind argument of a conversion stands.
pub fn kind_position(intrinsic: Intrinsic, name: &str) -> Option<usize> {
    match (name, intrinsic.result) {
        ("cmplx", _) => Some(2),
        ("real" | "int" | "nint" | "floor" | "ceiling" | "aint" | "anint" | "logical", _) => {
            Some(1)
        }
        _ => None,
    }
}

/// The type of the result. `kind` is the value of a kind argument, `kinds` has the sizes without one.
pub fn result(intrinsic: Intrinsic, arguments: &[Type], kind: Option<u32>, kinds: &Kinds) -> Type {
    let first = || arguments.first().cloned().unwrap_or(Type::Unknown);
    let real = || kind.map(|kind| kinds.real_of_kind(kind));
    match intrinsic.result {
        ResultType::Same => match (real(), same(arguments)) {
            (Some(kind), Type::Real(_)) => Type::Real(kind),
            (_, ty) => ty,
        },
        ResultType::SameReal => match first() {
            Type::Complex(size) => Type::Real(size / 2),
            other => other,
        },
        ResultType::Last => arguments.last().cloned().unwrap_or(Type::Unknown),
        ResultType::Real => match (real(), first()) {
            (Some(kind), _) => Type::Real(kind),
            (None, Type::Complex(size)) => Type::Real(size / 2),
            (None, _) => Type::Real(kinds.real),
        },
        ResultType::Complex => Type::Complex(2 * real().unwrap_or(kinds.real)),
        ResultType::Integer => match (intrinsic.kind, first()) {
            (IntrinsicKind::Integer, Type::Integer(size, _)) => Type::integer(size),
            _ => Type::integer(kind.map_or(kinds.integer, |kind| kinds.integer_of_kind(kind))),
        },
        // Specific names are of default kinds.
        ResultType::Real4 => Type::Real(kinds.real),
        ResultType::Real8 => Type::Real(kinds.double),
        ResultType::Complex8 => Type::Complex(2 * kinds.real),
        ResultType::Complex16 => Type::Complex(2 * kinds.double),
        ResultType::Logical => Type::Logical(kinds.logical),
        other => fixed(other).unwrap_or(Type::Unknown),
    }
}

/// The widest type among arguments that should all have one; what is unknown does not count.
fn same(arguments: &[Type]) -> Type {
    let known = arguments
        .iter()
        .filter(|ty| matches!(ty, Type::Real(_) | Type::Complex(_) | Type::Integer(..)));
    known
        .cloned()
        .reduce(wider)
        .unwrap_or_else(|| arguments.first().cloned().unwrap_or(Type::Unknown))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, arguments: &[Type], kind: Option<u32>) -> Option<Type> {
        let result = |intrinsic| result(intrinsic, arguments, kind, &Kinds::default());
        lookup(name).map(result)
    }

    #[test]
    fn kinds_decide_conversions() {
        assert_eq!(
            of("real", &[Type::integer(4)], Some(8)),
            Some(Type::Real(8))
        );
        assert_eq!(of("real", &[Type::Complex(16)], None), Some(Type::Real(8)));
        assert_eq!(of("real", &[Type::integer(4)], None), Some(Type::Real(4)));
        assert_eq!(of("int", &[Type::Real(8)], Some(8)), Some(Type::integer(8)));
    }

    #[test]
    fn the_widest_argument_decides() {
        assert_eq!(
            of("max", &[Type::Real(4), Type::Real(8)], None),
            Some(Type::Real(8))
        );
        assert_eq!(of("abs", &[Type::Complex(16)], None), Some(Type::Real(8)));
        assert_eq!(
            of("iand", &[Type::integer(8), Type::integer(8)], None),
            Some(Type::integer(8))
        );
    }
}
