//! Loads and stores as the source has them: every reference to an array counts whenever its statement is executed.

use super::Model;
use super::nest::Reference;
use super::nest_model::NestModel;

/// References to one array, or a component of one, over the whole execution of a nest.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrayReferences {
    pub array: String,
    /// Elements.
    pub loads: f64,
    /// Elements.
    pub stores: f64,
    /// Of an element; 8 where the type is unknown.
    pub element_bytes: f64,
}

/// By array and width of its elements, in the order of the source: reads and writes of a statement, times how often
/// it is executed, branches by their probability.
pub fn of_nest(model: &Model, nest: &NestModel) -> Vec<ArrayReferences> {
    let mut found: Vec<ArrayReferences> = Vec::new();
    for Reference {
        level,
        weight,
        stream,
        ..
    } in &nest.nest.references
    {
        let entered = weight.iter().map(|(name, taken)| {
            let probability = model.symbol_value(nest.nest.function, name);
            let probability = probability.unwrap_or(f64::NAN);
            if *taken {
                probability
            } else {
                1.0 - probability
            }
        });
        let executed = entered.product::<f64>() * model.value(nest.counts[level - 1].weighted);
        let count = |each: fn(&crate::analysis::facts::Access) -> f64| {
            stream.accesses.iter().map(each).sum::<f64>()
        };
        let loads = executed * count(|access| access.reads as f64);
        let stores = executed * count(|access| access.writes as f64);
        let element_bytes = stream.element_bytes.unwrap_or(8).into();
        let same = |known: &&mut ArrayReferences| {
            known.array == stream.array && known.element_bytes == element_bytes
        };
        match found.iter_mut().find(same) {
            Some(known) => {
                (known.loads, known.stores) = (known.loads + loads, known.stores + stores);
            }
            None => found.push(ArrayReferences {
                array: stream.array.to_string(),
                loads,
                stores,
                element_bytes,
            }),
        }
    }
    found
}
