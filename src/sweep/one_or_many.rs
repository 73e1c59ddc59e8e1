//! One value or a list of such, as people write them; what is wrong with a value is said where it stands.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use indexmap::IndexMap;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{
    Deserialize, Deserializer, Error, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};

use crate::spec::{Axis, CacheEntry, Entry};

/// One value, or a list.
#[derive(Clone, Debug, PartialEq)]
pub struct OneOrMany<T>(pub Vec<T>);

impl<T> Default for OneOrMany<T> {
    fn default() -> OneOrMany<T> {
        OneOrMany(Vec::new())
    }
}

impl<T> Deref for OneOrMany<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

/// What stands for itself where a list may be.
pub trait Single: for<'de> Deserialize<'de> {
    const EXPECTED: &'static str;
}

impl Single for String {
    const EXPECTED: &'static str = "a text or a list of texts";
}

impl Single for Entry {
    const EXPECTED: &'static str =
        "a number, a range such as \"64..256:64\" or \"16KiB..1MiB:x2\", or a list of these";
}

impl Single for CacheEntry {
    const EXPECTED: &'static str = "caches such as \"32KiB,8way + 1MiB,16way\", { levels = \"32KiB,8way\", area_mm2 = 0.2 }, or a list of these";
}

impl<'de, T: Single> Deserialize<'de> for OneOrMany<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<OneOrMany<T>, D::Error> {
        struct Seen<T>(PhantomData<T>);

        impl<'de, T: Single> Visitor<'de> for Seen<T> {
            type Value = OneOrMany<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(T::EXPECTED)
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<OneOrMany<T>, E> {
                Ok(OneOrMany(vec![T::deserialize(text.into_deserializer())?]))
            }

            fn visit_i64<E: Error>(self, value: i64) -> Result<OneOrMany<T>, E> {
                Ok(OneOrMany(vec![T::deserialize(value.into_deserializer())?]))
            }

            fn visit_f64<E: Error>(self, value: f64) -> Result<OneOrMany<T>, E> {
                Ok(OneOrMany(vec![T::deserialize(value.into_deserializer())?]))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<OneOrMany<T>, A::Error> {
                Ok(OneOrMany(vec![T::deserialize(
                    MapAccessDeserializer::new(map),
                )?]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<OneOrMany<T>, A::Error> {
                let mut values = Vec::new();
                while let Some(value) = list.next_element()? {
                    values.push(value);
                }
                Ok(OneOrMany(values))
            }
        }

        from.deserialize_any(Seen(PhantomData))
    }
}

/// A list of names that are given, of which there is one at least.
///
/// # Errors
/// It is something else, or empty.
pub fn some<'de, D: Deserializer<'de>>(from: D) -> Result<OneOrMany<String>, D::Error> {
    let names: OneOrMany<String> = OneOrMany::deserialize(from)?;
    if names.is_empty() {
        let why = "the list is empty: name something, or leave the line out";
        return Err(D::Error::custom(why));
    }
    match names.iter().any(|name| name.trim().is_empty()) {
        true => Err(D::Error::custom(
            "a name is empty: name something, or leave it out",
        )),
        false => Ok(names),
    }
}

/// Axes by name. A name with dots, which without quotes is a table of tables in TOML, is one name.
///
/// # Errors
/// A value is not an axis, or a name comes twice.
pub fn settings<'de, D: Deserializer<'de>>(from: D) -> Result<IndexMap<String, Axis>, D::Error> {
    let named: IndexMap<String, AxisOrTable> = IndexMap::deserialize(from)?;
    let mut found = Vec::new();
    for (name, value) in named {
        value.add(name, &mut found);
    }
    found.sort_by(|(one, _), (other, _)| one.cmp(other));
    if let Some(pair) = found.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        let why = format!("`{}` is set twice", pair[0].0);
        return Err(D::Error::custom(why));
    }
    Ok(found.into_iter().collect())
}

enum AxisOrTable {
    Axis(Axis),
    Table(IndexMap<String, AxisOrTable>),
}

impl AxisOrTable {
    fn add(self, name: String, found: &mut Vec<(String, Axis)>) {
        match self {
            AxisOrTable::Axis(axis) => found.push((name, axis)),
            AxisOrTable::Table(table) => {
                for (part, value) in table {
                    value.add(format!("{name}.{part}"), found);
                }
            }
        }
    }
}

impl<'de> Deserialize<'de> for AxisOrTable {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<AxisOrTable, D::Error> {
        struct Seen;

        impl<'de> Visitor<'de> for Seen {
            type Value = AxisOrTable;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(Entry::EXPECTED)
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<AxisOrTable, E> {
                let axis = Axis::deserialize(text.into_deserializer());
                axis.map(AxisOrTable::Axis)
            }

            fn visit_i64<E: Error>(self, value: i64) -> Result<AxisOrTable, E> {
                let axis = Axis::deserialize(value.into_deserializer());
                axis.map(AxisOrTable::Axis)
            }

            fn visit_f64<E: Error>(self, value: f64) -> Result<AxisOrTable, E> {
                let axis = Axis::deserialize(value.into_deserializer());
                axis.map(AxisOrTable::Axis)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<AxisOrTable, A::Error> {
                let table = IndexMap::deserialize(MapAccessDeserializer::new(map));
                table.map(AxisOrTable::Table)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<AxisOrTable, A::Error> {
                let axis = Axis::deserialize(SeqAccessDeserializer::new(list));
                axis.map(AxisOrTable::Axis)
            }
        }

        from.deserialize_any(Seen)
    }
}

/// What has keys, and cannot be written as a list of its values.
pub trait Table: for<'de> Deserialize<'de> {
    const EXPECTED: &'static str;
}

/// A table with its keys.
///
/// # Errors
/// It is something else, or one of its values is wrong.
pub fn table<'de, T: Table, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    struct Seen<T>(PhantomData<T>);

    impl<'de, T: Table> Visitor<'de> for Seen<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(T::EXPECTED)
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
            T::deserialize(MapAccessDeserializer::new(map))
        }
    }

    from.deserialize_any(Seen(PhantomData))
}

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Entry, D::Error> {
        struct Seen;

        impl Visitor<'_> for Seen {
            type Value = Entry;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, or a range such as \"64..256:64\" or \"16KiB..1MiB:x2\"")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Entry, E> {
                Ok(Entry::Text(text.to_string()))
            }

            fn visit_i64<E: Error>(self, value: i64) -> Result<Entry, E> {
                Ok(Entry::Number(value as f64))
            }

            fn visit_f64<E: Error>(self, value: f64) -> Result<Entry, E> {
                Ok(Entry::Number(value))
            }
        }

        from.deserialize_any(Seen)
    }
}

impl<'de> Deserialize<'de> for CacheEntry {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<CacheEntry, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct WithArea {
            levels: String,
            area_mm2: f64,
        }

        struct Seen;

        impl<'de> Visitor<'de> for Seen {
            type Value = CacheEntry;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "caches such as \"32KiB,8way + 1MiB,16way\", or { levels = \"32KiB,8way\", area_mm2 = 0.2 }",
                )
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<CacheEntry, E> {
                Ok(CacheEntry::Text(text.to_string()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<CacheEntry, A::Error> {
                let WithArea { levels, area_mm2 } =
                    WithArea::deserialize(MapAccessDeserializer::new(map))?;
                Ok(CacheEntry::WithArea { levels, area_mm2 })
            }
        }

        from.deserialize_any(Seen)
    }
}
