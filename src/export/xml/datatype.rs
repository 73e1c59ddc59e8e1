//! Names of types: ExaSAT's, which are those of C, and ours (`real8`, `integer4` …).

/// ExaSAT's name and ours; the first row of a type of ours is how it is written.
const NAMES: &[(&str, &str)] = &[
    ("double", "real8"),
    ("float", "real4"),
    ("long double", "real16"),
    ("int", "integer4"),
    ("long", "integer8"),
    ("short", "integer2"),
    ("char", "character"),
    ("bool", "logical1"),
    ("logical", "logical4"),
    ("unknown", "?"),
    ("double precision", "real8"),
    ("real", "real4"),
    ("integer", "integer4"),
    ("unsigned", "integer4"),
    ("unsigned int", "integer4"),
    ("long int", "integer8"),
    ("long long", "integer8"),
    ("unsigned long", "integer8"),
    ("size_t", "integer8"),
    ("signed char", "integer1"),
    ("unsigned char", "integer1"),
    ("complex", "complex8"),
    ("double complex", "complex16"),
];

/// ExaSAT's name of a type of ours; a type for which it has none keeps its own.
pub(super) fn written(ty: &str) -> &str {
    NAMES
        .iter()
        .find(|(_, ours)| *ours == ty)
        .map_or(ty, |(name, _)| name)
}

/// Our name of a type.
pub(super) fn read(datatype: &str) -> &str {
    let name = datatype.trim();
    let name = name.strip_prefix("const ").unwrap_or(name).trim();
    NAMES
        .iter()
        .find(|(known, _)| *known == name)
        .map_or(name, |(_, ours)| ours)
}

/// Size of an element of a type of ours, if its name tells.
pub(super) fn bytes(ty: &str) -> Option<u32> {
    if ty == "character" {
        return Some(1);
    }
    let kinds = [
        ("real", 64),
        ("integer", 64),
        ("complex", 64),
        ("logical", 64),
        ("character", u32::MAX),
    ];
    let (size, most) = kinds
        .into_iter()
        .find_map(|(kind, most)| Some((ty.strip_prefix(kind)?, most)))?;
    size.parse()
        .ok()
        .filter(|bytes| (1..=most).contains(bytes) && !size.starts_with('+'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        for (name, ours) in NAMES {
            assert_eq!(read(name), *ours);
            assert_eq!(read(written(ours)), *ours);
            assert_eq!(bytes(ours).is_some(), *ours != "?", "{ours}");
        }
        assert_eq!((read("double"), bytes(read("double"))), ("real8", Some(8)));
        assert_eq!(
            (read("const float"), bytes(read("float"))),
            ("real4", Some(4))
        );
        assert_eq!((read("int"), bytes(read("int"))), ("integer4", Some(4)));
        assert_eq!(
            (read("complex16"), bytes("complex16")),
            ("complex16", Some(16))
        );
        assert_eq!(
            (read("fab"), bytes("fab"), bytes("real"), bytes("real+8")),
            ("fab", None, None, None)
        );
    }
}
