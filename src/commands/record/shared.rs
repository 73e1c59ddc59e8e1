//! What the tracer and loopsheet share: how far the run got, and the lines not yet written. It outlives the
//! emulator, so that no line is lost when the traced program is killed.

use std::fs::File;
use std::os::unix::fs::FileExt;

use anyhow::Context;

use crate::trace::native;

/// As in templates/tracer/tracer.c, `struct state`.
const STATE_BYTES: u64 = 4096;
const BUFFER_BYTES: u64 = 1 << 20;
const CONTROL_BYTES: u64 = 1 << 18;
const ADDRESSES_BYTES: u64 = (1 << 20) - (1 << 18) - 4096;
const FIELDS: usize = 9;

pub struct Shared {
    memory: File,
}

/// How far the emulator got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// It never loaded the tracer.
    NotLoaded,
    /// It never came to the program's first instruction.
    Loaded,
    /// The program ran, and was killed or replaced itself.
    Started,
    Ended,
    LimitReached,
}

#[derive(Debug)]
pub struct Report {
    pub phase: Phase,
    pub instructions: u64,
    /// Bytes that the output has taken.
    pub written: u64,
    /// The bytes after those, but for the end.
    pub pending: Vec<u8>,
    /// Chunks of the compact format, with that of the pending bytes, modulo 64.
    pub chunks: u64,
    /// Why a write failed.
    pub error: Option<std::io::Error>,
    /// Where the program lies in memory, less where it was linked to.
    pub load_base: u64,
    /// Times that a function to record was entered.
    pub entered: u64,
}

impl Shared {
    pub fn create() -> anyhow::Result<Shared> {
        let memory = rustix::fs::memfd_create("loopsheet-tracer", rustix::fs::MemfdFlags::CLOEXEC)
            .context("no memory to share with the tracer")?;
        let memory = File::from(memory);
        memory.set_len(STATE_BYTES + BUFFER_BYTES + CONTROL_BYTES + ADDRESSES_BYTES)?;
        Ok(Shared { memory })
    }

    pub fn file(&self) -> &File {
        &self.memory
    }

    /// Instructions recorded so far.
    pub fn instructions(&self) -> u64 {
        self.fields().map_or(0, |fields| fields[1])
    }

    /// To be read when the emulator has ended.
    pub fn report(&self) -> anyhow::Result<Report> {
        let [
            phase,
            instructions,
            written,
            used,
            start,
            error,
            load_base,
            entered,
            open,
        ] = self.fields()?;
        let damaged =
            "the tracer's shared memory is damaged: did the program write to its descriptors?";
        anyhow::ensure!(
            used <= BUFFER_BYTES && start <= BUFFER_BYTES - used,
            damaged
        );
        let (open, chunks) = (open & ((1 << 58) - 1), open >> 58);
        let (pending, chunks) = match open {
            0 => (self.bytes(start, used).context(damaged)?, chunks),
            _ => (self.open_chunk(chunks, open).context(damaged)?, chunks + 1),
        };
        let phase = match phase {
            0 => Phase::NotLoaded,
            1 => Phase::Loaded,
            2 => Phase::Started,
            3 => Phase::Ended,
            4 => Phase::LimitReached,
            _ => anyhow::bail!(damaged),
        };
        let error = (error != 0)
            .then(|| std::io::Error::from_raw_os_error(i32::try_from(error).unwrap_or(i32::MAX)));
        Ok(Report {
            phase,
            instructions,
            written,
            pending,
            chunks,
            error,
            load_base,
            entered,
        })
    }

    /// The chunk of the compact format that was not finished.
    fn open_chunk(&self, number: u64, open: u64) -> anyhow::Result<Vec<u8>> {
        let control = open & ((1 << 19) - 1);
        let addresses = open >> 19 & ((1 << 20) - 1);
        anyhow::ensure!(
            control <= CONTROL_BYTES && addresses <= ADDRESSES_BYTES,
            "streams are longer than there is room"
        );
        let run = u32::try_from(open >> 39)?;
        Ok(native::chunk(
            number,
            &self.bytes(BUFFER_BYTES, control)?,
            &self.bytes(BUFFER_BYTES + CONTROL_BYTES, addresses)?,
            run,
        ))
    }

    /// Bytes behind the state.
    fn bytes(&self, from: u64, count: u64) -> anyhow::Result<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(count)?];
        self.memory.read_exact_at(&mut bytes, STATE_BYTES + from)?;
        Ok(bytes)
    }

    fn fields(&self) -> anyhow::Result<[u64; FIELDS]> {
        let mut bytes = [0; FIELDS * 8];
        self.memory.read_exact_at(&mut bytes, 0)?;
        let mut fields = [0; FIELDS];
        for (field, bytes) in fields.iter_mut().zip(bytes.chunks_exact(8)) {
            *field = u64::from_ne_bytes(bytes.try_into()?);
        }
        Ok(fields)
    }
}
