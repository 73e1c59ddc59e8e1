//! The Simulation Trace Format, which performance models of RISC-V cores read: a stream of records, plain or in
//! compressed chunks (ZSTF). Records before that of an instruction's word belong to it (STF specification 1.6).

mod container;
mod record;
mod state;
mod write;

use std::io::{Cursor, Read};

use super::ahead::ahead;
use super::batch::Batch;
use super::error::{LineError, Place, RecordError, TraceError};
use super::{Options, ReadSummary};
use container::Container;
use state::State;

pub(super) use write::{Packing, Writer};

/// How plain records begin: the identifier.
const IDENTIFIER: &[u8; 4] = b"\x01STF";
/// Bytes that are read at once.
const BLOCK: usize = 128 << 10;

/// Whether a trace that begins so is one.
pub(super) fn is_stf(start: &[u8]) -> bool {
    start.starts_with(IDENTIFIER) || start.starts_with(container::MAGIC)
}

/// Reads a whole trace and hands over batches.
///
/// # Errors
/// The first record that is wrong. What was executed before it has been handed over.
pub(super) fn read(
    mut input: impl Read + Send,
    options: Options,
    sink: &mut dyn FnMut(Batch) -> Option<Batch>,
) -> Result<ReadSummary, TraceError> {
    let start = |error| TraceError {
        place: Place::Byte {
            offset: 0,
            instructions: 0,
        },
        error,
    };
    let mut magic = Vec::new();
    let mut beginning = input.by_ref().take(IDENTIFIER.len() as u64);
    beginning
        .read_to_end(&mut magic)
        .map_err(|error| start(LineError::of_io(error)))?;
    let is_packed = magic == container::MAGIC;
    let input = Cursor::new(magic).chain(input);
    if is_packed {
        let records = Container::open(input).map_err(|error| start(LineError::of_io(error)))?;
        // Chunks are unpacked by another thread.
        ahead(records, |records| read_records(records, options, sink))
    } else {
        read_records(input, options, sink)
    }
}

fn read_records(
    mut records: impl Read,
    options: Options,
    sink: &mut dyn FnMut(Batch) -> Option<Batch>,
) -> Result<ReadSummary, TraceError> {
    let mut state = State::new(options.unknown, sink);
    let mut bytes: Vec<u8> = Vec::with_capacity(2 * BLOCK);
    // Records before those in `bytes`.
    let mut offset = 0;
    loop {
        let before = bytes.len();
        let mut wanted = records.by_ref().take(BLOCK as u64);
        let failed = wanted.read_to_end(&mut bytes).err();
        let is_end = bytes.len() == before && failed.is_none();
        // What came before a failure is looked at first: damage there comes first.
        let (taken, result) = state.take(&bytes);
        let at = |taken: usize, error| TraceError {
            place: Place::Byte {
                offset: offset + taken as u64,
                instructions: state.instructions(),
            },
            error,
        };
        match result {
            Err(error) => return Err(at(taken, error)),
            Ok(false) => break,
            Ok(true) => {}
        }
        if let Some(error) = failed {
            return Err(at(bytes.len(), LineError::of_io(error)));
        }
        if is_end {
            if taken < bytes.len() || state.is_within() {
                return Err(at(taken, LineError::Record(RecordError::Cut)));
            }
            break;
        }
        bytes.drain(..taken);
        offset += taken as u64;
    }
    let end = offset + bytes.len() as u64;
    let place = Place::Byte {
        offset: end,
        instructions: state.instructions(),
    };
    state
        .finish(end)
        .map_err(|error| TraceError { place, error })
}

#[cfg(test)]
mod tests;
