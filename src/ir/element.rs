//! Types of elements as reports name them.

use std::fmt::{self, Display};

use super::{POINTER_BYTES, Type};

/// The type of an element of an array, or of a scalar: what it is made of and how large that is. Its text, `real8` or
/// `integer4`, is what reports print and what is read back from files of ours.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ElementType {
    Integer(u32),
    Real(u32),
    /// Size of both parts together.
    Complex(u32),
    Logical(u32),
    /// A string of so many characters, if that is known.
    Character(Option<u32>),
    /// The address of other elements, in a table of them, as C has for rows: not as a member of a structure, which is a
    /// number among others.
    Pointer,
    /// A structure, or what a description calls it: a name for people.
    Other(String),
    Unknown,
}

impl ElementType {
    /// The largest number that a description may name: more is taken for a slip.
    const LARGEST: u32 = 64;

    /// A type as it is printed.
    pub fn read(text: &str) -> ElementType {
        type Make = fn(u32) -> ElementType;
        const SIZED: [(&str, Make); 5] = [
            ("real", ElementType::Real),
            ("integer", ElementType::Integer),
            ("complex", ElementType::Complex),
            ("logical", ElementType::Logical),
            ("character", |length| ElementType::Character(Some(length))),
        ];
        match text {
            "" | "?" => return ElementType::Unknown,
            "pointer" => return ElementType::Pointer,
            "character" => return ElementType::Character(Some(1)),
            "character(*)" => return ElementType::Character(None),
            _ => {}
        }
        let sized = SIZED.into_iter().find_map(|(kind, make)| {
            let size = text.strip_prefix(kind)?;
            let is_number = size.bytes().all(|c| c.is_ascii_digit());
            Some(make(size.parse().ok().filter(|_| is_number)?))
        });
        sized.unwrap_or_else(|| ElementType::Other(text.to_string()))
    }

    /// Size of an element, where the type says it.
    pub fn bytes(&self) -> Option<u32> {
        match *self {
            ElementType::Integer(bytes)
            | ElementType::Real(bytes)
            | ElementType::Complex(bytes)
            | ElementType::Logical(bytes) => Some(bytes).filter(|bytes| *bytes <= Self::LARGEST),
            ElementType::Character(length) => length,
            ElementType::Pointer => Some(POINTER_BYTES),
            ElementType::Other(_) | ElementType::Unknown => None,
        }
        .filter(|bytes| *bytes > 0)
    }

    /// Numbers that an element consists of: a complex one of two.
    pub fn parts(&self) -> u32 {
        match self {
            ElementType::Complex(_) => 2,
            _ => 1,
        }
    }

    /// Whether arithmetic on it counts as floating-point operations.
    pub fn is_floating(&self) -> bool {
        matches!(self, ElementType::Real(_) | ElementType::Complex(_))
    }
}

impl From<&Type> for ElementType {
    fn from(ty: &Type) -> ElementType {
        match ty {
            Type::Integer(bytes, _) => ElementType::Integer(*bytes),
            Type::Real(bytes) => ElementType::Real(*bytes),
            Type::Complex(bytes) => ElementType::Complex(*bytes),
            Type::Logical(bytes) => ElementType::Logical(*bytes),
            Type::Character(length) => ElementType::Character(*length),
            Type::Derived(name, _) => ElementType::Other(name.clone()),
            Type::Unknown => ElementType::Unknown,
        }
    }
}

impl Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ElementType::Integer(bytes) => write!(f, "integer{bytes}"),
            ElementType::Real(bytes) => write!(f, "real{bytes}"),
            ElementType::Complex(bytes) => write!(f, "complex{bytes}"),
            ElementType::Logical(bytes) => write!(f, "logical{bytes}"),
            ElementType::Character(Some(1)) => f.write_str("character"),
            ElementType::Character(Some(length)) => write!(f, "character{length}"),
            ElementType::Character(None) => f.write_str("character(*)"),
            ElementType::Pointer => f.write_str("pointer"),
            ElementType::Other(name) => f.write_str(name),
            ElementType::Unknown => f.write_str("?"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_types_are_read_as_they_were() {
        use ElementType::*;
        let sized = [8, 1, 64].into_iter().flat_map(|size| {
            let length = Some(size);
            [
                Integer(size),
                Real(size),
                Complex(size),
                Logical(size),
                Character(length),
            ]
        });
        for ty in sized.chain([Character(None), Other("fab".into()), Unknown]) {
            assert_eq!(ElementType::read(&ty.to_string()), ty);
        }
    }

    #[test]
    fn names_that_only_begin_like_types_are_names() {
        for name in ["real", "real_field", "complex_t", "real+8", "integer4x"] {
            let ty = ElementType::read(name);
            assert_eq!(ty, ElementType::Other(name.into()));
            assert_eq!((ty.bytes(), ty.is_floating()), (None, false));
        }
        assert_eq!(ElementType::Complex(16).bytes(), Some(16));
        assert_eq!(ElementType::Complex(16).parts(), 2);
        assert_eq!(ElementType::read("real400").bytes(), None);
    }
}
