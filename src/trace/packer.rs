//! Compressing what is written.

use std::io::{self, Write};

use flate2::write::GzEncoder;
use lzma_rust2::{XzOptions, XzWriter};

use super::Compression;

/// Level of zstd, and preset of xz.
const LEVEL: u32 = 3;

/// Takes bytes and writes them, compressed or not.
pub enum Packer<W: Write> {
    Plain(io::BufWriter<W>),
    Gzip(GzEncoder<W>),
    Zstandard(zstd::Encoder<'static, W>),
    Xz(Box<XzWriter<W>>),
}

impl<W: Write> Packer<W> {
    /// # Errors
    /// Writing failed.
    pub fn new(out: W, compression: Compression) -> io::Result<Packer<W>> {
        Ok(match compression {
            Compression::None => Packer::Plain(io::BufWriter::new(out)),
            Compression::Gzip => Packer::Gzip(GzEncoder::new(out, flate2::Compression::fast())),
            Compression::Zstandard => {
                let mut encoder = zstd::Encoder::new(out, LEVEL as i32)?;
                // A byte that changes later is noticed, as gzip and xz do on their own.
                encoder.include_checksum(true)?;
                Packer::Zstandard(encoder)
            }
            Compression::Xz => {
                Packer::Xz(Box::new(XzWriter::new(out, XzOptions::with_preset(LEVEL))?))
            }
        })
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// Writing failed.
    pub fn finish(self) -> io::Result<W> {
        match self {
            Packer::Plain(out) => out.into_inner().map_err(io::IntoInnerError::into_error),
            Packer::Gzip(encoder) => encoder.finish(),
            Packer::Zstandard(encoder) => encoder.finish(),
            Packer::Xz(encoder) => encoder.finish(),
        }
    }
}

impl<W: Write> Write for Packer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Packer::Plain(out) => out.write(bytes),
            Packer::Gzip(encoder) => encoder.write(bytes),
            Packer::Zstandard(encoder) => encoder.write(bytes),
            Packer::Xz(encoder) => encoder.write(bytes),
        }
    }

    /// Nothing is cut off for it: [`Packer::finish`] writes the end.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
