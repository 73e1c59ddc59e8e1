//! Implicit typing: the type that a name has by its first letter.

use super::scope::{Base, TypeSpec};
use serde::{Deserialize, Serialize};

/// The rules of one scope.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Implicit {
    none: bool,
    /// Types of `implicit` statements with the ranges of letters they are for.
    rules: Vec<(u8, u8, TypeSpec)>,
}

impl Implicit {
    pub fn set_none(&mut self) {
        self.none = true;
    }

    /// `range` as written: `a-h` or `z`.
    pub fn add(&mut self, range: &str, ty: &TypeSpec) {
        let letters: Vec<u8> = range
            .bytes()
            .filter(u8::is_ascii_alphabetic)
            .map(|b| b.to_ascii_lowercase())
            .collect();
        if let (Some(first), Some(last)) = (letters.first(), letters.last()) {
            self.rules.push((*first, *last, ty.clone()));
        }
    }

    /// `None` under `implicit none`.
    pub fn type_of(&self, name: &str) -> Option<TypeSpec> {
        if self.none {
            return None;
        }
        let letter = name.bytes().next()?;
        let rule = self
            .rules
            .iter()
            .rev()
            .find(|(first, last, _)| (*first..=*last).contains(&letter));
        Some(match rule {
            Some((_, _, ty)) => ty.clone(),
            None if (b'i'..=b'n').contains(&letter) => TypeSpec::intrinsic(Base::Integer),
            None => TypeSpec::intrinsic(Base::Real),
        })
    }
}
