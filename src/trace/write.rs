//! Writing a trace in a format for other tools, while it is read.

use std::fs::File;
use std::io;

use super::packer::Packer;
use super::stf::{self, Packing};
use super::{Batch, Block, Compression, Consumer, InstructionId, RunEnd, champsim, native};

/// The formats that are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// STF, plain.
    Stf,
    /// STF in compressed chunks.
    Zstf,
    /// ChampSim's records, packed or not.
    Champsim(Compression),
    /// The compact format, packed or not.
    Native(Compression),
}

/// Why a trace could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error(
        "it needs the pc and the machine word of every instruction, which this trace does not have; traces of \
         `loopsheet record`, of Spike and in STF do"
    )]
    NoWords,
    #[error(
        "the compact format needs what instructions do, which this trace does not say: it has no opcodes"
    )]
    NoOpcodes,
    #[error("the compact format needs the addresses of accesses, which this trace does not have")]
    NoAddresses,
    #[error("a ChampSim trace is of one core, and this trace has several harts")]
    SeveralHarts,
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteSummary {
    /// Executions with more registers or addresses than the format has room for; the rest of them is left out.
    pub cut: u64,
}

/// Takes a trace batch by batch. It is not generic over what it writes to, so that it is compiled with the optimisation of
/// this crate.
pub struct TraceWriter {
    writer: Writer,
    blocks: Vec<Block>,
    failed: Option<WriteError>,
}

enum Writer {
    Stf(stf::Writer<File>),
    Champsim(Box<champsim::Writer<Packer<File>>>),
    Native(Box<native::Writer<Packer<File>>>),
}

impl Consumer for TraceWriter {
    /// What goes wrong is told at the end.
    fn take(&mut self, batch: &Batch) {
        if self.failed.is_none() {
            self.failed = self.write(batch).err();
        }
    }
}

impl TraceWriter {
    /// # Errors
    /// Writing failed.
    pub fn new(out: File, target: Target) -> io::Result<TraceWriter> {
        let writer = match target {
            Target::Stf => Writer::Stf(stf::Writer::new(out, Packing::Plain)?),
            Target::Zstf => Writer::Stf(stf::Writer::new(out, Packing::Chunks)?),
            Target::Champsim(compression) => {
                let packer = Packer::new(out, compression)?;
                Writer::Champsim(Box::new(champsim::Writer::new(packer)))
            }
            Target::Native(compression) => {
                let packer = Packer::new(out, compression)?;
                Writer::Native(Box::new(native::Writer::new(packer)?))
            }
        };
        Ok(TraceWriter {
            writer,
            blocks: Vec::new(),
            failed: None,
        })
    }

    fn write(&mut self, batch: &Batch) -> Result<(), WriteError> {
        for instruction in &batch.instructions {
            match &mut self.writer {
                Writer::Stf(writer) => writer.add(instruction)?,
                Writer::Champsim(writer) => writer.add(instruction)?,
                Writer::Native(writer) => writer.add(instruction)?,
            }
        }
        self.blocks.extend_from_slice(&batch.blocks);
        let mut done: Result<(), WriteError> = Ok(());
        batch.for_each(&self.blocks, |InstructionId(number), addresses| {
            if done.is_ok() {
                done = match &mut self.writer {
                    Writer::Stf(writer) => writer
                        .execute(number as usize, addresses)
                        .map_err(Into::into),
                    Writer::Champsim(writer) => writer
                        .execute(number as usize, addresses)
                        .map_err(Into::into),
                    Writer::Native(writer) => writer.execute(number as usize, addresses),
                };
            }
        });
        done
    }

    /// Writes what is left; `end` is how the run ended.
    ///
    /// # Errors
    /// The trace lacks something, or writing failed, now or before.
    pub fn finish(self, end: Option<RunEnd>) -> Result<WriteSummary, WriteError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        Ok(match self.writer {
            Writer::Stf(writer) => {
                writer.finish(end)?;
                WriteSummary::default()
            }
            Writer::Champsim(writer) => {
                let (packer, cut) = writer.finish()?;
                packer.finish()?;
                WriteSummary { cut }
            }
            Writer::Native(writer) => {
                writer.finish(end)?.finish()?;
                WriteSummary::default()
            }
        })
    }
}
