//! ExaSAT's names of types, which are those of C.

use crate::ir::ElementType::{self, Character, Complex, Integer, Logical, Real, Unknown};

/// ExaSAT's name and our type; the first row of a type of ours is how it is written.
const NAMES: &[(&str, ElementType)] = &[
    ("double", Real(8)),
    ("float", Real(4)),
    ("long double", Real(16)),
    ("int", Integer(4)),
    ("long", Integer(8)),
    ("short", Integer(2)),
    ("char", Character(Some(1))),
    ("bool", Logical(1)),
    ("logical", Logical(4)),
    ("unknown", Unknown),
    ("double precision", Real(8)),
    ("real", Real(4)),
    ("integer", Integer(4)),
    ("unsigned", Integer(4)),
    ("unsigned int", Integer(4)),
    ("long int", Integer(8)),
    ("long long", Integer(8)),
    ("unsigned long", Integer(8)),
    ("size_t", Integer(8)),
    ("signed char", Integer(1)),
    ("unsigned char", Integer(1)),
    ("complex", Complex(8)),
    ("double complex", Complex(16)),
];

/// ExaSAT's name of a type; one for which it has none keeps its own.
pub(super) fn written(ty: &ElementType) -> String {
    NAMES
        .iter()
        .find(|(_, known)| known == ty)
        .map_or_else(|| ty.to_string(), |(name, _)| (*name).to_string())
}

/// The type of a name.
pub(super) fn read(datatype: &str) -> ElementType {
    let name = datatype.trim();
    let name = name.strip_prefix("const ").unwrap_or(name).trim();
    NAMES
        .iter()
        .find(|(known, _)| *known == name)
        .map_or_else(|| ElementType::read(name), |(_, ty)| ty.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        for (name, ty) in NAMES {
            assert_eq!(read(name), *ty);
            assert_eq!(read(&written(ty)), *ty);
        }
        for (name, ty, bytes) in [
            ("double", Real(8), Some(8)),
            ("const float", Real(4), Some(4)),
            ("int", Integer(4), Some(4)),
            ("complex16", Complex(16), Some(16)),
            ("fab", ElementType::Other("fab".into()), None),
        ] {
            assert_eq!(read(name), ty, "{name}");
            assert_eq!(ty.bytes(), bytes, "{name}");
        }
    }
}
