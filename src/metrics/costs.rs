//! Cycles of an instruction by its class: t(v) of the eDAG.

use serde::Deserialize;
use std::collections::BTreeMap;

use crate::trace::isa::Class;

/// Cycles of every class, 1 where nothing else is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Costs {
    others: u32,
    cycles: BTreeMap<Class, u32>,
}

/// Why a cost table cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CostsError {
    #[error(
        "the cost table has to be `[cycles]` and then lines `class = cycles`, whole numbers: {0}"
    )]
    Toml(Box<toml::de::Error>),
    #[error(
        "`{name}` in the cost table is not a class of instructions; the classes are {}",
        class_names()
    )]
    UnknownClass { name: String },
    #[error("`{name}` costs {cycles} cycles in the cost table; a class may cost from 0 to {MOST}")]
    TooMany { name: String, cycles: u64 },
}

/// So that a path over any trace that can be read stays within 44 bits.
const MOST: u32 = 100_000;

fn class_names() -> String {
    Class::ALL
        .iter()
        .map(|class| class.name())
        .collect::<Vec<&str>>()
        .join(", ")
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    cycles: BTreeMap<String, u64>,
}

impl Default for Costs {
    /// Every instruction takes one cycle, as in the publication.
    fn default() -> Costs {
        Costs {
            others: 1,
            cycles: BTreeMap::new(),
        }
    }
}

impl Costs {
    /// Reads a table: under `[cycles]`, names of classes ([`Class::name`]) and whole numbers; `others`
    /// is for the classes that are not named, 1 if it is absent.
    ///
    /// # Errors
    /// No such TOML, a name that is not a class, more cycles than an instruction may take.
    pub fn parse(text: &str) -> Result<Costs, CostsError> {
        let file: File = toml::from_str(text).map_err(|error| CostsError::Toml(Box::new(error)))?;
        let mut costs = Costs::default();
        for (name, cycles) in file.cycles {
            let number = u32::try_from(cycles).ok().filter(|cycles| *cycles <= MOST);
            let number = number.ok_or_else(|| CostsError::TooMany {
                name: name.clone(),
                cycles,
            })?;
            if name == "others" {
                costs.others = number;
            } else {
                let class = Class::from_name(&name).ok_or(CostsError::UnknownClass { name })?;
                costs.cycles.insert(class, number);
            }
        }
        Ok(costs)
    }

    /// Cycles of one execution.
    pub fn of(&self, class: Class) -> u32 {
        self.cycles.get(&class).copied().unwrap_or(self.others)
    }

    /// Cycles of every instruction, if all take as many.
    pub fn of_all(&self) -> Option<u32> {
        let mut cycles = Class::ALL.iter().map(|class| self.of(*class));
        let first = cycles.next()?;
        cycles.all(|cycles| cycles == first).then_some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_have_costs_and_mistakes_are_named() {
        let costs =
            Costs::parse("[cycles]\nothers = 2\nfp_divide = 20\nload = 4\n").expect("a table");
        assert_eq!(
            (
                costs.of(Class::FpDivide),
                costs.of(Class::Load),
                costs.of(Class::Branch)
            ),
            (20, 4, 2)
        );
        let error = |text: &str| Costs::parse(text).expect_err("no table").to_string();
        assert!(error("[cycles]\nfrobnicate = 2\n").contains("`frobnicate`"));
        assert!(error("[cycles]\nload = 1000000\n").contains("100000"));
        assert!(error("load = 3\n").contains("[cycles]"));
        Costs::parse(include_str!("instructions.toml")).expect("the table that users copy");
        assert_eq!(Costs::default().of(Class::Load), 1);
        assert_eq!((costs.of_all(), Costs::default().of_all()), (None, Some(1)));
    }
}
