//! From bytes to batches of executed instructions.
//!
//! A line is recognised by what followed the last one before: one comparison of bytes, then the
//! address. Only a line that surprises is searched for its end and looked up, and only one that is new
//! is decoded.

use std::io::Read;

use super::batch::{Batch, Filling};
use super::champsim;
use super::error::{LineError, Place, TraceError, excerpt};
use super::expected::Addresses;
use super::format::{Edan, Execlog, Format, Gdb, Spike};
use super::format_name::FormatName;
use super::gem5;
use super::lines::{BLOCK, Blocks, LONGEST_LINE};
use super::native;
use super::program::Program;
use super::run_end::RunEnd;
use super::stf;
use super::whisper;
use super::{Options, ReadSummary};

/// Reads a whole trace and hands over batches; `sink` gives an empty one back, or `None` to stop.
///
/// # Errors
/// The first line that is wrong. Batches before it have been handed over: what they led to is not a result.
pub fn read(
    mut input: impl Read + Send,
    options: Options,
    sink: &mut dyn FnMut(Batch) -> Option<Batch>,
) -> Result<ReadSummary, TraceError> {
    read_whole(&mut input, options, sink)
}

/// Not generic, so that what is done for every instruction is compiled here, with the optimisation of this crate, and not
/// with that of the caller's.
fn read_whole(
    input: &mut (dyn Read + Send),
    options: Options,
    sink: &mut dyn FnMut(Batch) -> Option<Batch>,
) -> Result<ReadSummary, TraceError> {
    let mut blocks = Blocks::new(input);
    blocks.start()?;
    let records = match options.format {
        Some(format) => Some(format).filter(|format| format.is_records()),
        None => of_records(&blocks.bytes),
    };
    match records {
        Some(FormatName::Champsim) => return champsim::read(blocks.all(), sink),
        Some(FormatName::Native) => return native::read(blocks.all(), options, sink),
        Some(_) => return stf::read(blocks.all(), options, sink),
        None => {}
    }
    let (number, first) = blocks.first_line()?;
    let looks_like = FormatName::of_line(&first);
    let format = match options.format.or(looks_like) {
        Some(format) => format,
        None => {
            return Err(TraceError {
                place: Place::Line(number),
                error: LineError::UnknownFormat(excerpt(&first)),
            });
        }
    };
    match format {
        FormatName::Edan => Reader::<Edan<false>>::read(blocks, options, sink),
        FormatName::EdanBare => Reader::<Edan<true>>::read(blocks, options, sink),
        FormatName::Execlog => Reader::<Execlog>::read(blocks, options, sink),
        FormatName::Spike => Reader::<Spike>::read(blocks, options, sink),
        FormatName::Gdb => Reader::<Gdb>::read(blocks, options, sink),
        FormatName::Gem5 => gem5::read(blocks, options, sink),
        FormatName::Whisper => whisper::read(blocks, options, sink),
        FormatName::Stf | FormatName::Champsim | FormatName::Native => {
            unreachable!("told apart above")
        }
    }
}

/// The format of records that a trace looks like by how it begins.
fn of_records(start: &[u8]) -> Option<FormatName> {
    match start {
        start if native::is_native(start) => Some(FormatName::Native),
        start if stf::is_stf(start) => Some(FormatName::Stf),
        start if champsim::is_record(start) => Some(FormatName::Champsim),
        _ => None,
    }
}

struct Reader<'s, F> {
    program: Program,
    batch: Filling,
    /// Lines before the one at hand.
    lines: u64,
    instructions: u64,
    end: Option<RunEnd>,
    last: u32,
    sink: &'s mut dyn FnMut(Batch) -> Option<Batch>,
    format: std::marker::PhantomData<F>,
}

impl<F: Format> Reader<'_, F> {
    fn read(
        mut blocks: Blocks<impl Read>,
        options: Options,
        sink: &mut dyn FnMut(Batch) -> Option<Batch>,
    ) -> Result<ReadSummary, TraceError> {
        let mut reader = Reader::<F> {
            program: Program::new(options.unknown),
            batch: Filling::default(),
            lines: 0,
            instructions: 0,
            end: None,
            last: u32::MAX,
            sink,
            format: std::marker::PhantomData,
        };
        // The first block is there already; it is whole if it is short.
        let mut more = blocks.bytes.len() >= BLOCK;
        loop {
            let whole = memchr::memrchr(b'\n', &blocks.bytes).map_or(0, |end| end + 1);
            if !reader.block(&blocks.bytes[..whole])? {
                break;
            }
            blocks.bytes.drain(..whole);
            if !more {
                reader.refuse_rest(&blocks.bytes)?;
                break;
            }
            more = blocks.fill(reader.lines + 1)?;
        }
        reader.finish(blocks.read)
    }

    /// Reads whole lines; `false` if nobody wants more.
    fn block(&mut self, block: &[u8]) -> Result<bool, TraceError> {
        let mut rest = block;
        while !rest.is_empty() {
            let length = match self.quick_line(rest) {
                Some(length) => length,
                None => self.line(rest)?,
            };
            rest = &rest[length..];
            self.lines += 1;
        }
        Ok(self.batch.hand_over(self.sink))
    }

    /// Takes a line that was foreseen and is plain; its length.
    #[inline(always)]
    fn quick_line(&mut self, rest: &[u8]) -> Option<usize> {
        let (id, key_length) = self.program.follower(self.last, rest)?;
        let before = self.batch.addresses.len();
        let tail = F::quick_tail(&rest[key_length..], &mut self.batch.addresses);
        let key = self.program.key(id);
        let is_plain = tail.as_ref().is_some_and(|tail| match key.addresses {
            Addresses::None => tail.addresses == 0,
            Addresses::One => tail.addresses == 1,
            _ => false,
        });
        if !is_plain {
            self.batch.addresses.truncate(before);
            return None;
        }
        let tail = tail?;
        self.batch.push(id, tail.addresses);
        self.instructions += 1;
        self.last = id;
        Some(key_length + tail.length)
    }

    /// Takes any line; its length.
    fn line(&mut self, rest: &[u8]) -> Result<usize, TraceError> {
        let length = memchr::memchr(b'\n', rest).expect("blocks end with a newline") + 1;
        let line = rest[..length - 1]
            .strip_suffix(b"\r")
            .unwrap_or(&rest[..length - 1]);
        if F::is_remark(line) {
            self.end = RunEnd::of_line(line).or(self.end);
        } else {
            self.instruction(line).map_err(|error| TraceError {
                place: Place::Line(self.lines + 1),
                error,
            })?;
        }
        Ok(length)
    }

    fn instruction(&mut self, line: &[u8]) -> Result<(), LineError> {
        if line.len() > LONGEST_LINE {
            return Err(LineError::TooLong {
                limit: LONGEST_LINE,
            });
        }
        let (key, tail) = line.split_at(F::key_length(line));
        let id = match self.program.find(key) {
            Some(id) => id,
            None => {
                let (id, instruction) = self
                    .program
                    .insert::<F>(key)
                    .map_err(|error| self.first_error(line, error))?;
                self.batch.add(instruction);
                id
            }
        };
        let before = self.batch.addresses.len();
        F::tail(tail, &mut self.batch.addresses)?;
        let expected = self.program.key(id);
        let count = expected.addresses.settle(
            expected.bytes,
            &mut self.batch.addresses,
            before,
            || excerpt(key),
            expected.mnemonic,
        )?;
        self.batch.push(id, count);
        self.instructions += 1;
        self.program.follows(self.last, id);
        self.last = id;
        Ok(())
    }

    /// The first line decides the format, so what is wrong with it may be that it is not a trace at all.
    fn first_error(&self, line: &[u8], error: LineError) -> LineError {
        match error {
            LineError::OtherFormat { .. } | LineError::Operands { .. }
                if self.instructions == 0 =>
            {
                LineError::UnknownFormat(excerpt(line))
            }
            error => error,
        }
    }

    /// What is left behind the last newline when the input ends.
    fn refuse_rest(&self, rest: &[u8]) -> Result<(), TraceError> {
        if rest.trim_ascii().is_empty() {
            return Ok(());
        }
        let line = self.lines + 1;
        let error = match self.instructions {
            0 => self.first_error(rest, LineError::UnknownFormat(excerpt(rest))),
            _ => LineError::Cut(excerpt(rest)),
        };
        Err(TraceError {
            place: Place::Line(line),
            error,
        })
    }

    fn finish(self, bytes: u64) -> Result<ReadSummary, TraceError> {
        if self.instructions > 0 && !self.program.knows_any() {
            return Err(TraceError {
                place: Place::Line(self.lines.max(1)),
                error: LineError::NothingKnown(F::NAME),
            });
        }
        if self.instructions == 0 {
            let error = if F::NAME == FormatName::Spike {
                LineError::NoCommits
            } else {
                LineError::Empty
            };
            return Err(TraceError {
                place: Place::Line(self.lines.max(1)),
                error,
            });
        }
        Ok(ReadSummary {
            format: F::NAME,
            bytes,
            has_addresses: F::NAME.lines_have_addresses(),
            trapped: 0,
            instructions: self.instructions,
            harts: self.program.harts() as u64,
            end: self.end,
        })
    }
}
