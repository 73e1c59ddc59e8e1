//! Compressed traces, recognised by how they begin.

use std::io::{self, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use lzma_rust2::XzReader;

/// How a trace is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    None,
    Gzip,
    Zstandard,
    Xz,
}

impl Compression {
    /// By the first bytes.
    pub fn of(start: &[u8]) -> Compression {
        match start {
            [0x1f, 0x8b, ..] => Compression::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Compression::Zstandard,
            [0xfd, b'7', b'z', b'X', ..] => Compression::Xz,
            _ => Compression::None,
        }
    }

    /// By the extension of a name.
    pub fn by_extension(path: &Path) -> Compression {
        let extension = path.extension().and_then(|extension| extension.to_str());
        match extension.map(str::to_lowercase).as_deref() {
            Some("gz") => Compression::Gzip,
            Some("zst") => Compression::Zstandard,
            Some("xz") => Compression::Xz,
            _ => Compression::None,
        }
    }
}

/// The trace itself, whatever it is packed with.
///
/// # Errors
/// The first bytes cannot be read.
pub fn decompressed<'r>(input: impl Read + Send + 'r) -> io::Result<Box<dyn Read + Send + 'r>> {
    unpacked(Box::new(input))
}

/// Not generic, so that unpacking is compiled here, with the optimisation of this crate.
fn unpacked<'r>(mut input: Box<dyn Read + Send + 'r>) -> io::Result<Box<dyn Read + Send + 'r>> {
    let mut start = Vec::new();
    input.by_ref().take(4).read_to_end(&mut start)?;
    let compression = Compression::of(&start);
    let whole = io::Cursor::new(start).chain(input);
    Ok(match compression {
        Compression::None => Box::new(whole),
        Compression::Gzip => Box::new(MultiGzDecoder::new(whole)),
        Compression::Zstandard => Box::new(zstd::stream::read::Decoder::new(whole)?),
        Compression::Xz => Box::new(XzReader::new(whole, true)),
    })
}
