//! What the tracer and loopsheet share: how far the run got, and the lines not yet written. It outlives the
//! emulator, so that no line is lost when the traced program is killed.

use std::fs::File;
use std::os::unix::fs::FileExt;

use anyhow::Context;

/// As in templates/tracer/tracer.c, `struct state`.
const STATE_BYTES: u64 = 4096;
const BUFFER_BYTES: u64 = 1 << 20;
const FIELDS: usize = 8;

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
    /// The bytes after those.
    pub pending: Vec<u8>,
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
        memory.set_len(STATE_BYTES + BUFFER_BYTES)?;
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
        ] = self.fields()?;
        let damaged =
            "the tracer's shared memory is damaged: did the program write to its descriptors?";
        anyhow::ensure!(
            used <= BUFFER_BYTES && start <= BUFFER_BYTES - used,
            damaged
        );
        let mut pending = vec![0; usize::try_from(used)?];
        self.memory
            .read_exact_at(&mut pending, STATE_BYTES + start)
            .context(damaged)?;
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
            error,
            load_base,
            entered,
        })
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
