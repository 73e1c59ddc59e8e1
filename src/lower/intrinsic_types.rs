//! Types of the results of intrinsic functions that are the same in every language, whatever the arguments are.

use crate::intrinsics::ResultType;
use crate::ir::Type;

/// The type of such a result; `None` if the arguments or the language decide.
pub fn fixed(result: ResultType) -> Option<Type> {
    Some(match result {
        ResultType::Real4 => Type::Real(4),
        ResultType::Real8 => Type::Real(8),
        ResultType::LongDouble => Type::Real(16),
        ResultType::Complex8 => Type::Complex(8),
        ResultType::Complex16 => Type::Complex(16),
        ResultType::Complex32 => Type::Complex(32),
        ResultType::Logical => Type::Logical(4),
        ResultType::Character => Type::CHARACTER,
        _ => return None,
    })
}
