//! Types of the results of intrinsic functions.

use crate::ir::{Type, wider};

/// How the type of the result follows from the arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The widest of the arguments.
    Same,
    /// The first argument; the others say where or how.
    First,
    /// The real type of the size of the first argument: `abs` of a complex number.
    RealPart,
    Real(u32),
    Complex(u32),
    Integer,
    Logical,
    Text,
    /// Integer, real or complex of the kind that an argument gives, else of the default kind.
    ToInteger,
    ToReal,
    ToComplex,
    /// No rule: anything.
    Open,
}

/// How a function treats arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Element by element.
    Elemental,
    /// From arrays to one value (without `dim`).
    Reduction,
    /// From arrays to arrays of other shapes.
    Transformation,
}

/// Rule and shape of an intrinsic function; `None` for other names.
pub fn lookup(name: &str) -> Option<(Rule, Shape)> {
    let found = TABLE.binary_search_by(|(known, ..)| (*known).cmp(name)).ok()?;
    let (_, rule, shape) = TABLE[found];
    Some((rule, shape))
}

/// The type of the result. `kind` is the value of a kind argument.
pub fn result(rule: Rule, arguments: &[Type], kind: Option<u32>) -> Type {
    let first = || arguments.first().cloned().unwrap_or(Type::Unknown);
    match rule {
        Rule::Same => arguments.iter().cloned().reduce(wider).unwrap_or(Type::Unknown),
        Rule::First => first(),
        Rule::RealPart => match first() {
            Type::Complex(size) => Type::Real(size / 2),
            other => other,
        },
        Rule::Real(size) => Type::Real(size),
        Rule::Complex(size) => Type::Complex(size),
        Rule::Integer => Type::Integer(kind.unwrap_or(4)),
        Rule::Logical => Type::Logical(4),
        Rule::Text => Type::Character,
        Rule::ToInteger => Type::Integer(kind.unwrap_or(4)),
        Rule::ToReal => match (kind, first()) {
            (Some(kind), _) => Type::Real(kind),
            (None, Type::Complex(size)) => Type::Real(size / 2),
            (None, _) => Type::Real(4),
        },
        Rule::ToComplex => Type::Complex(2 * kind.unwrap_or(4)),
        Rule::Open => Type::Unknown,
    }
}

use Rule::*;
use Shape::*;

/// Sorted by name.
const TABLE: &[(&str, Rule, Shape)] = &[
    ("abs", RealPart, Elemental),
    ("achar", Text, Elemental),
    ("acos", Same, Elemental),
    ("acosh", Same, Elemental),
    ("adjustl", Text, Elemental),
    ("adjustr", Text, Elemental),
    ("aimag", RealPart, Elemental),
    ("aint", First, Elemental),
    ("all", Logical, Reduction),
    ("allocated", Logical, Reduction),
    ("alog", Real(4), Elemental),
    ("alog10", Real(4), Elemental),
    ("amax0", Real(4), Elemental),
    ("amax1", Real(4), Elemental),
    ("amin0", Real(4), Elemental),
    ("amin1", Real(4), Elemental),
    ("amod", Real(4), Elemental),
    ("anint", First, Elemental),
    ("any", Logical, Reduction),
    ("asin", Same, Elemental),
    ("asinh", Same, Elemental),
    ("associated", Logical, Reduction),
    ("atan", Same, Elemental),
    ("atan2", Same, Elemental),
    ("atanh", Same, Elemental),
    ("bit_size", Integer, Reduction),
    ("btest", Logical, Elemental),
    ("c_loc", Open, Reduction),
    ("cabs", Real(4), Elemental),
    ("ccos", Complex(8), Elemental),
    ("cdabs", Real(8), Elemental),
    ("cdexp", Complex(16), Elemental),
    ("cdlog", Complex(16), Elemental),
    ("cdsqrt", Complex(16), Elemental),
    ("ceiling", ToInteger, Elemental),
    ("cexp", Complex(8), Elemental),
    ("char", Text, Elemental),
    ("clog", Complex(8), Elemental),
    ("cmplx", ToComplex, Elemental),
    ("command_argument_count", Integer, Reduction),
    ("conjg", First, Elemental),
    ("cos", Same, Elemental),
    ("cosh", Same, Elemental),
    ("count", Integer, Reduction),
    ("cshift", First, Transformation),
    ("csin", Complex(8), Elemental),
    ("csqrt", Complex(8), Elemental),
    ("dabs", Real(8), Elemental),
    ("dacos", Real(8), Elemental),
    ("dasin", Real(8), Elemental),
    ("datan", Real(8), Elemental),
    ("datan2", Real(8), Elemental),
    ("dble", Real(8), Elemental),
    ("dcmplx", Complex(16), Elemental),
    ("dconjg", Complex(16), Elemental),
    ("dcos", Real(8), Elemental),
    ("dcosh", Real(8), Elemental),
    ("ddim", Real(8), Elemental),
    ("dexp", Real(8), Elemental),
    ("dfloat", Real(8), Elemental),
    ("digits", Integer, Reduction),
    ("dim", Same, Elemental),
    ("dimag", Real(8), Elemental),
    ("dint", Real(8), Elemental),
    ("dlog", Real(8), Elemental),
    ("dlog10", Real(8), Elemental),
    ("dmax1", Real(8), Elemental),
    ("dmin1", Real(8), Elemental),
    ("dmod", Real(8), Elemental),
    ("dnint", Real(8), Elemental),
    ("dot_product", Same, Reduction),
    ("dprod", Real(8), Elemental),
    ("dreal", Real(8), Elemental),
    ("dsign", Real(8), Elemental),
    ("dsin", Real(8), Elemental),
    ("dsinh", Real(8), Elemental),
    ("dsqrt", Real(8), Elemental),
    ("dtan", Real(8), Elemental),
    ("dtanh", Real(8), Elemental),
    ("eoshift", First, Transformation),
    ("epsilon", First, Reduction),
    ("erf", Same, Elemental),
    ("erfc", Same, Elemental),
    ("exp", Same, Elemental),
    ("exponent", Integer, Elemental),
    ("findloc", Integer, Transformation),
    ("float", Real(4), Elemental),
    ("floor", ToInteger, Elemental),
    ("fraction", First, Elemental),
    ("gamma", Same, Elemental),
    ("huge", First, Reduction),
    ("hypot", Same, Elemental),
    ("iabs", Integer, Elemental),
    ("iachar", Integer, Elemental),
    ("iand", First, Elemental),
    ("ibclr", First, Elemental),
    ("ibits", First, Elemental),
    ("ibset", First, Elemental),
    ("ichar", Integer, Elemental),
    ("idim", Integer, Elemental),
    ("idint", Integer, Elemental),
    ("idnint", Integer, Elemental),
    ("ieor", First, Elemental),
    ("ifix", Integer, Elemental),
    ("index", Integer, Elemental),
    ("int", ToInteger, Elemental),
    ("ior", First, Elemental),
    ("ishft", First, Elemental),
    ("ishftc", First, Elemental),
    ("isign", Integer, Elemental),
    ("isnan", Logical, Elemental),
    ("kind", Integer, Reduction),
    ("lbound", Integer, Transformation),
    ("len", Integer, Reduction),
    ("len_trim", Integer, Elemental),
    ("lge", Logical, Elemental),
    ("lgt", Logical, Elemental),
    ("lle", Logical, Elemental),
    ("llt", Logical, Elemental),
    ("log", Same, Elemental),
    ("log10", Same, Elemental),
    ("log_gamma", Same, Elemental),
    ("logical", Logical, Elemental),
    ("matmul", Same, Transformation),
    ("max", Same, Elemental),
    ("max0", Integer, Elemental),
    ("max1", Integer, Elemental),
    ("maxexponent", Integer, Reduction),
    ("maxloc", Integer, Transformation),
    ("maxval", First, Reduction),
    ("merge", First, Elemental),
    ("min", Same, Elemental),
    ("min0", Integer, Elemental),
    ("min1", Integer, Elemental),
    ("minexponent", Integer, Reduction),
    ("minloc", Integer, Transformation),
    ("minval", First, Reduction),
    ("mod", Same, Elemental),
    ("modulo", Same, Elemental),
    ("nearest", First, Elemental),
    ("nint", ToInteger, Elemental),
    ("norm2", First, Reduction),
    ("not", First, Elemental),
    ("null", Open, Reduction),
    ("num_images", Integer, Reduction),
    ("omp_get_max_threads", Integer, Reduction),
    ("omp_get_num_threads", Integer, Reduction),
    ("omp_get_thread_num", Integer, Reduction),
    ("omp_get_wtime", Real(8), Reduction),
    ("pack", First, Transformation),
    ("precision", Integer, Reduction),
    ("present", Logical, Reduction),
    ("product", First, Reduction),
    ("radix", Integer, Reduction),
    ("range", Integer, Reduction),
    ("real", ToReal, Elemental),
    ("repeat", Text, Reduction),
    ("reshape", First, Transformation),
    ("scale", First, Elemental),
    ("scan", Integer, Elemental),
    ("selected_int_kind", Integer, Reduction),
    ("selected_real_kind", Integer, Reduction),
    ("shape", Integer, Transformation),
    ("shiftl", First, Elemental),
    ("shiftr", First, Elemental),
    ("sign", First, Elemental),
    ("sin", Same, Elemental),
    ("sinh", Same, Elemental),
    ("size", Integer, Reduction),
    ("sngl", Real(4), Elemental),
    ("spacing", First, Elemental),
    ("spread", First, Transformation),
    ("sqrt", Same, Elemental),
    ("sum", First, Reduction),
    ("tan", Same, Elemental),
    ("tanh", Same, Elemental),
    ("this_image", Integer, Reduction),
    ("tiny", First, Reduction),
    ("transfer", Open, Transformation),
    ("transpose", First, Transformation),
    ("trim", Text, Reduction),
    ("ubound", Integer, Transformation),
    ("unpack", First, Transformation),
    ("verify", Integer, Elemental),
    ("zabs", Real(8), Elemental),
    ("zexp", Complex(16), Elemental),
    ("zlog", Complex(16), Elemental),
    ("zsqrt", Complex(16), Elemental),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_has_no_name_twice() {
        assert!(TABLE.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }

    #[test]
    fn kinds_decide_conversions() {
        assert_eq!(result(Rule::ToReal, &[Type::Integer(4)], Some(8)), Type::Real(8));
        assert_eq!(result(Rule::ToReal, &[Type::Complex(16)], None), Type::Real(8));
        assert_eq!(result(Rule::Same, &[Type::Real(4), Type::Real(8)], None), Type::Real(8));
    }
}
