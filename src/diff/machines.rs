//! Whether two sides are for the same machine: figures of two machines differ whatever the source does.

use crate::side::Side;

/// The sides are for different machines.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum OtherMachine {
    #[error("{} is for the machine {}, {} for {}", sides[0], machines[0], sides[1], machines[1])]
    Name {
        sides: [String; 2],
        machines: [String; 2],
    },
    #[error(
        "the two reports are for different machines: {name} is {} in {} and {} in {}",
        shown(values[0]), sides[0], shown(values[1]), sides[1]
    )]
    Parameter {
        name: String,
        sides: [String; 2],
        /// As far as they are known.
        values: [Option<f64>; 2],
    },
}

fn shown(value: Option<f64>) -> String {
    value.map_or_else(|| "nothing".to_string(), |value| value.to_string())
}

/// Whether both sides are for the same machine.
///
/// # Errors
/// They are not: by name, or by the first parameter that differs.
pub fn same_machine(old: &Side, new: &Side) -> Result<(), OtherMachine> {
    let both = [old, new];
    let sides = || both.map(|side| side.name.clone());
    if old.machine.name != new.machine.name {
        return Err(OtherMachine::Name {
            sides: sides(),
            machines: both.map(|side| side.machine.name.clone()),
        });
    }
    let figures = both.map(|side| &side.machine.parameters);
    let mut names = figures[0].keys().chain(figures[1].keys());
    match names.find(|name| figures[0].get(*name) != figures[1].get(*name)) {
        None => Ok(()),
        Some(name) => Err(OtherMachine::Parameter {
            name: name.clone(),
            sides: sides(),
            values: figures.map(|figures| figures.get(name).and_then(|figure| figure.known())),
        }),
    }
}
