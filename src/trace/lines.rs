//! The lines of a text, read in blocks.

use std::io::{Cursor, Read};

use super::champsim;
use super::error::{LineError, Place, TraceError, excerpt};

/// Bytes that are read at once.
pub(super) const BLOCK: usize = 512 << 10;
/// No format has longer lines: a vector instruction with 1,024 accesses takes about 24,000 bytes.
pub(super) const LONGEST_LINE: usize = 1 << 20;

/// The input in blocks of whole lines.
pub(super) struct Blocks<R> {
    input: R,
    pub bytes: Vec<u8>,
    /// Bytes so far.
    pub read: u64,
}

impl<R: Read> Blocks<R> {
    pub fn new(input: R) -> Blocks<R> {
        Blocks {
            input,
            bytes: Vec::new(),
            read: 0,
        }
    }

    /// Reads as much as tells records from text.
    pub fn start(&mut self) -> Result<(), TraceError> {
        let mut wanted = self.input.by_ref().take(champsim::BYTES as u64);
        let read = wanted.read_to_end(&mut self.bytes);
        let read = read.map_err(|error| TraceError {
            place: Place::Line(1),
            error: LineError::of_io(error),
        })?;
        self.read = read as u64;
        Ok(())
    }

    /// The whole input, with what was read of it.
    pub fn all(self) -> impl Read {
        Cursor::new(self.bytes).chain(self.input)
    }

    /// Reads on until there is a whole line or the end; returns whether there is more to come.
    pub fn fill(&mut self, line: u64) -> Result<bool, TraceError> {
        let failed = |error| TraceError {
            place: Place::Line(line),
            error,
        };
        loop {
            let before = self.bytes.len();
            self.bytes.resize(before + BLOCK, 0);
            let mut filled = before;
            // Pipes give small pieces.
            while filled < self.bytes.len() {
                match self.input.read(&mut self.bytes[filled..]) {
                    Ok(0) => break,
                    Ok(count) => filled += count,
                    Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(failed(LineError::of_io(error))),
                }
            }
            self.bytes.truncate(filled);
            self.read += (filled - before) as u64;
            if filled < before + BLOCK {
                return Ok(false);
            }
            if memchr::memrchr(b'\n', &self.bytes[before..]).is_some() {
                return Ok(true);
            }
            if self.bytes.len() > LONGEST_LINE {
                return Err(failed(LineError::TooLong {
                    limit: LONGEST_LINE,
                }));
            }
        }
    }

    /// The first line that is not blank and its number, without taking it.
    pub fn first_line(&mut self) -> Result<(u64, Vec<u8>), TraceError> {
        let more = self.fill(1)?;
        let mut lines = (1..).zip(self.bytes.split(|c| *c == b'\n'));
        match lines.find(|(_, line)| !line.trim_ascii().is_empty()) {
            Some((number, line)) => Ok((number, line.to_vec())),
            None if more => Err(TraceError {
                place: Place::Line(1),
                error: LineError::UnknownFormat(String::new()),
            }),
            None => Err(TraceError {
                place: Place::Line(1),
                error: LineError::Empty,
            }),
        }
    }
}

/// How much of a text was read.
pub(super) struct Extent {
    pub bytes: u64,
    /// Blank ones among them.
    lines: u64,
}

impl Extent {
    /// What is wrong at its end.
    pub fn failed(&self, error: LineError) -> TraceError {
        TraceError {
            place: Place::Line(self.lines.max(1)),
            error,
        }
    }
}

/// Gives every line that is not blank to `take`, without its end, until that says `false`.
///
/// # Errors
/// What `take` finds wrong, with the line; and a last line without end.
pub(super) fn each_line(
    mut blocks: Blocks<impl Read>,
    take: &mut impl FnMut(&[u8]) -> Result<bool, LineError>,
) -> Result<Extent, TraceError> {
    let mut lines = 0;
    let extent = |bytes, lines| Extent { bytes, lines };
    let failed = |lines: u64, error| TraceError {
        place: Place::Line(lines + 1),
        error,
    };
    // The first block is there already; it is whole if it is short.
    let mut more = blocks.bytes.len() >= BLOCK;
    loop {
        let whole = memchr::memrchr(b'\n', &blocks.bytes).map_or(0, |end| end + 1);
        let mut rest = &blocks.bytes[..whole];
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let line = rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end]);
            rest = &rest[end + 1..];
            if line.len() > LONGEST_LINE {
                let limit = LONGEST_LINE;
                return Err(failed(lines, LineError::TooLong { limit }));
            }
            if !line.trim_ascii().is_empty() && !take(line).map_err(|error| failed(lines, error))? {
                return Ok(extent(blocks.read, lines + 1));
            }
            lines += 1;
        }
        blocks.bytes.drain(..whole);
        if !more {
            let rest = excerpt(&blocks.bytes);
            return match (blocks.bytes.trim_ascii().is_empty(), lines) {
                (true, _) => Ok(extent(blocks.read, lines)),
                (false, 0) => Err(failed(lines, LineError::UnknownFormat(rest))),
                (false, _) => Err(failed(lines, LineError::Cut(rest))),
            };
        }
        more = blocks.fill(lines + 1)?;
    }
}
