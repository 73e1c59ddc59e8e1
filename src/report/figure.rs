//! Numbers that may be unknown.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::expr::FigureId;
use crate::model::Model;

/// A number of a report in base units, or unknown. In JSON a whole number without a fraction, any other number as it
/// is, unknown as null.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figure(Option<f64>);

impl Figure {
    /// Unknown.
    pub const UNKNOWN: Figure = Figure(None);

    /// A figure of a model.
    pub fn of(model: &Model, id: FigureId) -> Figure {
        model.value(id).into()
    }

    /// The number, where it is known.
    pub fn known(self) -> Option<f64> {
        self.0
    }
}

/// Infinities and what is not a number are unknown.
impl From<f64> for Figure {
    fn from(value: f64) -> Figure {
        Figure(Some(value).filter(|value| value.is_finite()))
    }
}

impl From<Option<f64>> for Figure {
    fn from(value: Option<f64>) -> Figure {
        value.map_or(Figure::UNKNOWN, Figure::from)
    }
}

impl Serialize for Figure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        /// From here on not every whole number can be told from its neighbours.
        const LARGEST: f64 = 9e15;
        if !serializer.is_human_readable() {
            return self.0.serialize(serializer);
        }
        match self.0 {
            None => serializer.serialize_none(),
            Some(value) if value.fract() == 0.0 && value.abs() < LARGEST => {
                serializer.serialize_i64(value as i64)
            }
            Some(value) => serializer.serialize_f64(value),
        }
    }
}

impl<'de> Deserialize<'de> for Figure {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Figure, D::Error> {
        Option::<f64>::deserialize(deserializer).map(Figure::from)
    }
}

#[cfg(test)]
mod tests {
    use super::Figure;

    #[test]
    fn figures_are_written_as_short_as_they_can_be_and_read_back() {
        for (value, text) in [
            (Some(3.0), "3"),
            (Some(-0.0), "0"),
            (Some(0.1), "0.1"),
            (Some(1e16), "1e+16"),
            (Some(f64::INFINITY), "null"),
            (None, "null"),
        ] {
            let figure = Figure::from(value);
            assert_eq!(serde_json::to_string(&figure).expect("JSON"), text);
            assert_eq!(
                serde_json::from_str::<Figure>(text).expect("a figure"),
                figure
            );
        }
    }
}
