//! Hashes of contents and of what is to be computed: SHA-256, in hexadecimal.

use std::io::Read;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// A hash: names of files are made of it, so that it is nothing else.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct Hash(String);

/// A text that is not a hash.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a hash, which is 64 hexadecimal digits")]
pub struct NotAHash(String);

impl TryFrom<String> for Hash {
    type Error = NotAHash;

    fn try_from(text: String) -> Result<Hash, NotAHash> {
        let is_digit = |c: u8| c.is_ascii_digit() || (b'a'..=b'f').contains(&c);
        match text.len() == 2 * Sha256::output_size() && text.bytes().all(is_digit) {
            true => Ok(Hash(text)),
            false => Err(NotAHash(text)),
        }
    }
}

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

/// A hash of what comes piece by piece.
#[derive(Clone, Debug, Default)]
pub struct Hasher(Sha256);

impl Hasher {
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub fn finish(self) -> Hash {
        Hash(hex(&self.0.finalize()))
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
        let mut pieces = Hasher::default();
        pieces.add(b"a");
        pieces.add(b"bc");
        assert_eq!(pieces.finish().as_str(), abc);
    }

    #[test]
    fn other_texts_are_no_hashes() {
        let hash = Hash::of(b"abc");
        assert_eq!(Hash::try_from(hash.as_str().to_string()), Ok(hash.clone()));
        let long = format!("{}0", hash.as_str());
        let upper = hash.as_str().to_uppercase();
        for text in ["", "../../evil", "ba78", &long, &upper] {
            let error = serde_json::from_str::<Hash>(&format!("\"{text}\"")).expect_err(text);
            assert!(error.to_string().contains("is not a hash"), "{error}");
        }
    }
}
