//! How values that share texts and other values are written and read back: each shared one once.
//!
//! Fields that hold an [`Arc`] name this module, `#[serde(with = "interned")]`. What is written or read in one go
//! stands inside of [`fresh`].

use std::any::Any;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Default)]
struct Tables {
    prefix: String,
    written_texts: HashMap<Arc<str>, u32>,
    /// By address: what is written lives at least as long as the writing.
    written_values: HashMap<usize, u32>,
    written_numbers: HashMap<u64, u32>,
    texts: Vec<Arc<str>>,
    values: Vec<Arc<dyn Any + Send + Sync>>,
    numbers: Vec<u64>,
}

impl Tables {
    fn text(&mut self, text: Arc<str>) -> Arc<str> {
        self.texts.push(text.clone());
        text
    }
}

thread_local! {
    static TABLES: RefCell<Tables> = RefCell::default();
}

/// Writes or reads something that shares nothing with what was written or read before. Texts that begin with `prefix` are
/// written without it, and read with the one that holds then.
pub fn fresh<R>(prefix: &str, work: impl FnOnce() -> R) -> R {
    let tables = Tables {
        prefix: prefix.to_string(),
        ..Tables::default()
    };
    let before = TABLES.replace(tables);
    let result = work();
    TABLES.set(before);
    result
}

/// A value, or its position among those of its sort before it.
#[derive(Serialize, Deserialize)]
enum Link<T> {
    Known(u32),
    New(T),
    /// What follows the prefix.
    Below(T),
}

/// The position of a number among all different ones that were written.
pub fn number(number: u64) -> u32 {
    TABLES.with_borrow_mut(|tables| {
        let next = tables.written_numbers.len() as u32;
        *tables.written_numbers.entry(number).or_insert(next)
    })
}

/// The number that stands for the one at a position when it was written.
pub fn renumbered(position: u32, new: impl Fn() -> u64) -> u64 {
    TABLES.with_borrow_mut(|tables| {
        // Positions come in order; damaged ones must not make a table of any length.
        let at = (position as usize).min(tables.numbers.len());
        if at == tables.numbers.len() {
            tables.numbers.push(new());
        }
        tables.numbers[at]
    })
}

/// What is written with this module.
pub trait Interned: Sized {
    /// # Errors
    /// Those of the serializer.
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;

    /// # Errors
    /// Those of the deserializer, and positions of what did not come before.
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;
}

/// # Errors
/// Those of the serializer.
pub fn serialize<T: Interned, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    value.write(serializer)
}

/// # Errors
/// Those of the deserializer.
pub fn deserialize<'de, T: Interned, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    T::read(deserializer)
}

struct Written<'v, T>(&'v T);

impl<T: Interned> Serialize for Written<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.write(serializer)
    }
}

struct Read<T>(T);

impl<'de, T: Interned> Deserialize<'de> for Read<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::read(deserializer).map(Read)
    }
}

impl Interned for Arc<str> {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let known = TABLES.with_borrow(|tables| tables.written_texts.get(self).copied());
        if let Some(known) = known {
            return Link::<&str>::Known(known).serialize(serializer);
        }
        let link = TABLES.with_borrow_mut(|tables| {
            let next = tables.written_texts.len() as u32;
            tables.written_texts.insert(self.clone(), next);
            match self.strip_prefix(&tables.prefix) {
                Some(rest) if !tables.prefix.is_empty() => Link::Below(rest),
                _ => Link::New(&**self),
            }
        });
        link.serialize(serializer)
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Link::<&str>::deserialize(deserializer)? {
            Link::Known(at) => TABLES
                .with_borrow(|tables| tables.texts.get(at as usize).cloned())
                .ok_or_else(|| D::Error::custom("a text that did not come before")),
            Link::New(text) => Ok(TABLES.with_borrow_mut(|tables| tables.text(text.into()))),
            Link::Below(rest) => Ok(TABLES.with_borrow_mut(|tables| {
                let whole = format!("{}{rest}", tables.prefix);
                tables.text(whole.into())
            })),
        }
    }
}

impl<T: Serialize + DeserializeOwned + Any + Send + Sync> Interned for Arc<T> {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let address = Arc::as_ptr(self) as usize;
        let known = TABLES.with_borrow(|tables| tables.written_values.get(&address).copied());
        if let Some(known) = known {
            return Link::<&T>::Known(known).serialize(serializer);
        }
        let written = Link::New(&**self).serialize(serializer)?;
        // After what is inside of it, as when it is read.
        TABLES.with_borrow_mut(|tables| {
            let next = tables.written_values.len() as u32;
            tables.written_values.insert(address, next);
        });
        Ok(written)
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Link::<T>::deserialize(deserializer)? {
            Link::Known(at) => TABLES
                .with_borrow(|tables| tables.values.get(at as usize).cloned())
                .and_then(|value| value.downcast().ok())
                .ok_or_else(|| D::Error::custom("a value that did not come before")),
            Link::New(value) | Link::Below(value) => {
                let value = Arc::new(value);
                TABLES.with_borrow_mut(|tables| tables.values.push(value.clone()));
                Ok(value)
            }
        }
    }
}

impl<T: Serialize + DeserializeOwned> Interned for Arc<[T]> {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Arc::from)
    }
}

impl<T: Interned> Interned for Option<T> {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_ref().map(Written).serialize(serializer)
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::<Read<T>>::deserialize(deserializer)?.map(|read| read.0))
    }
}

impl<T: Interned> Interned for Vec<T> {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(Written))
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = Vec::<Read<T>>::deserialize(deserializer)?;
        Ok(read.into_iter().map(|read| read.0).collect())
    }
}

impl<A: Interned, B: Interned> Interned for (A, B) {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (Written(&self.0), Written(&self.1)).serialize(serializer)
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (a, b) = <(Read<A>, Read<B>)>::deserialize(deserializer)?;
        Ok((a.0, b.0))
    }
}

impl<T: Interned + Eq + Hash, H: BuildHasher + Default> Interned for HashSet<T, H> {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(Written))
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Vec::<T>::read(deserializer)?.into_iter().collect())
    }
}

impl<K: Interned + Eq + Hash, V: Interned, H: BuildHasher + Default> Interned for HashMap<K, V, H> {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let entry = |(key, value)| (Written(key), Written(value));
        serializer.collect_seq(self.iter().map(entry))
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Vec::<(K, V)>::read(deserializer)?.into_iter().collect())
    }
}

/// Types that are written as their own implementation of [`Serialize`] says, where something shared holds them.
#[macro_export]
macro_rules! interned_as_they_are {
    ($($name:ty),+) => {$(
        impl $crate::interned::Interned for $name {
            fn write<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serde::Serialize::serialize(self, serializer)
            }

            fn read<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                serde::Deserialize::deserialize(deserializer)
            }
        }
    )+};
}
