//! Hashes of contents and of what is to be computed: SHA-256, in hexadecimal.

use std::io::Read;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// A hash.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Hash(String);

impl Hash {
    pub fn of(bytes: &[u8]) -> Hash {
        Hash(hex(&Sha256::digest(bytes)))
    }

    /// Of everything that can be read.
    ///
    /// # Errors
    /// Reading failed.
    pub fn of_stream(mut from: impl Read) -> std::io::Result<Hash> {
        let mut hasher = Sha256::new();
        let mut buffer = vec![0; 1 << 16];
        loop {
            match from.read(&mut buffer) {
                Ok(0) => return Ok(Hash(hex(&hasher.finalize()))),
                Ok(count) => hasher.update(&buffer[..count]),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FIPS 180-2, appendix B.1.
    #[test]
    fn the_published_example() {
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(Hash::of(b"abc").as_str(), abc);
        assert_eq!(Hash::of_stream(&b"abc"[..]).unwrap().as_str(), abc);
    }
}
