//! ZSTF: the records of an STF trace in chunks, each a Zstandard frame, with an index behind them.
//!
//! Magic, instructions of a chunk, offset of the index; the chunks; the index: their number, then for each its offset,
//! its first pc and its size without compression. All numbers have 64 bits, the lowest byte first. The chunks are read
//! from front to back, so that a trace can come through a pipe, and what the index says is compared with them.

use std::io::{self, BufRead, BufReader, ErrorKind, Read};

use zstd::stream::raw::{Decoder, InBuffer, Operation, OutBuffer};

pub const MAGIC: &[u8; 4] = b"ZSTF";
/// Bytes before the first chunk.
pub const HEADER: u64 = 20;

/// The records of a trace in chunks.
pub struct Container<R> {
    input: BufReader<R>,
    decoder: Decoder<'static>,
    /// Bytes of the file that were read.
    at: u64,
    /// Where the index begins.
    end: u64,
    /// Records that were unpacked.
    unpacked: u64,
    chunks: Vec<Chunk>,
    /// Whether the last chunk has more to come.
    is_inside: bool,
    is_done: bool,
}

/// Where a chunk begins in the file and in the records.
struct Chunk {
    offset: u64,
    records: u64,
}

impl<R: Read> Container<R> {
    /// Reads the header, magic and all.
    ///
    /// # Errors
    /// It is cut short, or has no place of an index.
    pub fn open(input: R) -> io::Result<Container<R>> {
        let mut input = BufReader::with_capacity(1 << 16, input);
        let mut magic = [0; MAGIC.len()];
        input.read_exact(&mut magic)?;
        number(&mut input)?;
        let end = number(&mut input)?;
        if end <= HEADER {
            return Err(damage(
                "the header does not say where the index is: whoever wrote it did not finish",
            ));
        }
        Ok(Container {
            input,
            decoder: Decoder::new()?,
            at: HEADER,
            end,
            unpacked: 0,
            chunks: Vec::new(),
            is_inside: false,
            is_done: false,
        })
    }

    /// Unpacks some of a chunk; 0 bytes if nothing came out yet.
    fn unpack(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let packed = self.input.fill_buf()?;
        if packed.is_empty() {
            return Err(damage("it is cut short before its index"));
        }
        if !self.is_inside {
            self.chunks.push(Chunk {
                offset: self.at,
                records: self.unpacked,
            });
            self.is_inside = true;
        }
        let here = packed
            .len()
            .min(usize::try_from(self.end - self.at).unwrap_or(usize::MAX));
        let mut from = InBuffer::around(&packed[..here]);
        let mut to = OutBuffer::around(buffer);
        let more = self.decoder.run(&mut from, &mut to)?;
        let (taken, unpacked) = (from.pos(), to.pos());
        self.input.consume(taken);
        self.at += taken as u64;
        self.unpacked += unpacked as u64;
        if more == 0 {
            self.decoder.reinit()?;
            self.is_inside = false;
        } else if self.at == self.end && unpacked == 0 {
            return Err(damage("its last chunk is not whole"));
        }
        Ok(unpacked)
    }

    /// Compares the index with the chunks that were read.
    fn check_index(&mut self) -> io::Result<()> {
        if number(&mut self.input)? != self.chunks.len() as u64 {
            return Err(damage(
                "its index has another number of chunks than there are",
            ));
        }
        for (place, chunk) in self.chunks.iter().enumerate() {
            let next = self.chunks.get(place + 1);
            let size = next.map_or(self.unpacked, |next| next.records) - chunk.records;
            let offset = number(&mut self.input)?;
            number(&mut self.input)?;
            if (offset, number(&mut self.input)?) != (chunk.offset, size) {
                return Err(damage("its index does not agree with its chunks"));
            }
        }
        match self.input.fill_buf()?.is_empty() {
            true => Ok(()),
            false => Err(damage("there is more after its index")),
        }
    }
}

impl<R: Read> Read for Container<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !self.is_done && !buffer.is_empty() {
            if self.at == self.end && !self.is_inside {
                self.check_index()?;
                self.is_done = true;
                break;
            }
            let unpacked = self.unpack(buffer)?;
            if unpacked > 0 {
                return Ok(unpacked);
            }
        }
        Ok(0)
    }
}

fn number(input: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    input.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

fn damage(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what)
}
