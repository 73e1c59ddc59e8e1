//! Bytes inside of what a cache keeps.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Something that is written already, and copied as a whole: a list of numbers is read one by one.
#[derive(Clone, Debug)]
pub(crate) struct Packed(pub Vec<u8>);

impl Serialize for Packed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Packed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Packed, D::Error> {
        let bytes = <&[u8]>::deserialize(deserializer)?;
        Ok(Packed(bytes.to_vec()))
    }
}
