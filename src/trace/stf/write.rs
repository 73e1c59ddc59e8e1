//! Writing STF: executions as records, plain or in the chunks of ZSTF.
//!
//! An execution is held back until the next one is known, since a branch that is taken says where it goes. Accesses have
//! their size in bytes. What was loaded or stored is not known; other readers refuse an access without it, so 0 is written.
//! The records of an execution are in the order of their numbers, as the format's own library has them.

use std::io::{self, Seek, SeekFrom, Write};

use super::container;
use super::record::Kind;
use crate::cache::AccessKind;
use crate::instruction::Instruction;
use crate::isa::{self, Access, Flow};
use crate::run_end::RunEnd;
use crate::words::Site;
use crate::write::WriteError;

/// Executions of a chunk, as the format's own library has it.
const CHUNK: u64 = 100_000;
/// Bytes of plain records that are written at once.
const BLOCK: usize = 1 << 18;
const LEVEL: i32 = 3;
/// Written by something like QEMU; there is no number for converters.
const GENERATOR: [u8; 4] = [1, 1, 0, 0];
const REMARK: &[u8] = b"converted by loopsheet";
/// Of the features: words are those of RV64.
const FEATURES: u64 = 0x20;

/// How the records are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    Plain,
    Chunks,
}

/// Takes executions in program order.
pub struct Writer<W> {
    out: W,
    packing: Packing,
    sites: Vec<(Site, Option<Access>)>,
    held: Option<usize>,
    addresses: Vec<u64>,
    /// Hart and pc of the next instruction, as the records up to here have it.
    hart: u32,
    pc: Option<u64>,
    records: Vec<u8>,
    executions: u64,
    /// Offset, first pc and size of the chunks.
    chunks: Vec<[u64; 3]>,
    /// First pc of the chunk at hand, and where it will be.
    chunk_pc: u64,
    at: u64,
}

impl<W: Write + Seek> Writer<W> {
    /// # Errors
    /// Writing failed.
    pub fn new(mut out: W, packing: Packing) -> io::Result<Writer<W>> {
        let mut at = 0;
        if packing == Packing::Chunks {
            out.write_all(container::MAGIC)?;
            out.write_all(&CHUNK.to_le_bytes())?;
            // Where the index is, once it is there.
            out.write_all(&[0; 8])?;
            at = container::HEADER;
        }
        Ok(Writer {
            out,
            packing,
            sites: Vec::new(),
            held: None,
            addresses: Vec::new(),
            hart: 0,
            pc: None,
            records: Vec::new(),
            executions: 0,
            chunks: Vec::new(),
            chunk_pc: 0,
            at,
        })
    }

    /// Takes note of an instruction, the next by number.
    ///
    /// # Errors
    /// The trace does not have its pc or its machine word.
    pub fn add(&mut self, instruction: &Instruction) -> Result<(), WriteError> {
        let Some((pc, word)) = instruction.pc.zip(instruction.word) else {
            return Err(WriteError::NoWords);
        };
        let hart = u32::from(instruction.hart);
        self.sites
            .push((Site { hart, pc, word }, instruction.decoded.facts.access));
        Ok(())
    }

    /// Takes an execution of an instruction by number.
    ///
    /// # Errors
    /// Writing failed.
    pub fn execute(&mut self, number: usize, addresses: &[u64]) -> io::Result<()> {
        self.release(Some(self.sites[number].0))?;
        self.held = Some(number);
        self.addresses.clear();
        self.addresses.extend_from_slice(addresses);
        Ok(())
    }

    /// Writes the execution that is held back, behind which `next` comes.
    fn release(&mut self, next: Option<Site>) -> io::Result<()> {
        let Some(number) = self.held.take() else {
            return Ok(());
        };
        let (site, access) = self.sites[number];
        self.begin_at(site.pc);
        if site.hart != self.hart {
            self.hart = site.hart;
            self.begin(Kind::ProcessId);
            // Hardware thread, process, thread.
            for id in [site.hart, 0, site.hart] {
                self.records.extend(id.to_le_bytes());
            }
        }
        if self.pc != Some(site.pc) {
            self.number(Kind::ForcePc, site.pc);
        }
        let length = u64::from(isa::length(site.word));
        let mut after = site.pc.wrapping_add(length);
        let target = next.filter(|next| next.hart == site.hart && next.pc != after);
        if let Some(next) = target.filter(|_| isa::control_flow(site.word) != Flow::Next) {
            after = next.pc;
            self.number(Kind::PcTarget, after);
        }
        if let Some(access) = access {
            self.accesses(access);
        }
        self.pc = Some(after);
        if length == 2 {
            self.begin(Kind::HalfWord);
            self.records.extend((site.word as u16).to_le_bytes());
        } else {
            self.begin(Kind::Word);
            self.records.extend(site.word.to_le_bytes());
        }
        self.executions += 1;
        self.flush_full()
    }

    /// Writes the header, in front of the first instruction.
    fn begin_at(&mut self, pc: u64) {
        if self.pc.is_some() {
            return;
        }
        (self.pc, self.chunk_pc) = (Some(pc), pc);
        self.records.extend_from_slice(super::IDENTIFIER);
        self.begin(Kind::Version);
        self.records.extend([1, 0, 0, 0, 5, 0, 0, 0]);
        self.comment(REMARK);
        self.begin(Kind::Isa);
        self.records.extend(1u16.to_le_bytes());
        self.begin(Kind::Encoding);
        self.records.extend(2u16.to_le_bytes());
        self.begin(Kind::Generator);
        self.records.extend(GENERATOR);
        self.records.extend((REMARK.len() as u16).to_le_bytes());
        self.records.extend_from_slice(REMARK);
        self.number(Kind::Features, FEATURES);
        self.number(Kind::ForcePc, pc);
        self.begin(Kind::EndHeader);
    }

    fn accesses(&mut self, access: Access) {
        let kinds: &[u8] = match access.kind {
            AccessKind::Load => &[1],
            AccessKind::Store => &[2],
            AccessKind::Atomic => &[1, 2],
        };
        for address in std::mem::take(&mut self.addresses) {
            for kind in kinds {
                self.number(Kind::Access, address);
                self.records.extend(u16::from(access.bytes).to_le_bytes());
                self.records.extend([0, 0, *kind]);
                self.number(Kind::Content, 0);
            }
        }
    }

    fn begin(&mut self, kind: Kind) {
        self.records.push(kind as u8);
    }

    fn number(&mut self, kind: Kind, number: u64) {
        self.begin(kind);
        self.records.extend(number.to_le_bytes());
    }

    fn comment(&mut self, text: &[u8]) {
        self.begin(Kind::Comment);
        self.records.extend((text.len() as u32).to_le_bytes());
        self.records.extend_from_slice(text);
    }

    fn flush_full(&mut self) -> io::Result<()> {
        match self.packing {
            Packing::Chunks if self.executions.is_multiple_of(CHUNK) => self.flush(),
            Packing::Plain if self.records.len() >= BLOCK => self.flush(),
            _ => Ok(()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.records.is_empty() {
            return Ok(());
        }
        if self.packing == Packing::Plain {
            self.out.write_all(&self.records)?;
        } else {
            let mut packer = zstd::bulk::Compressor::new(LEVEL)?;
            // A byte that changes later is noticed.
            packer.include_checksum(true)?;
            let packed = packer.compress(&self.records)?;
            self.out.write_all(&packed)?;
            self.chunks
                .push([self.at, self.chunk_pc, self.records.len() as u64]);
            self.at += packed.len() as u64;
            self.chunk_pc = self.pc.unwrap_or(0);
        }
        self.records.clear();
        Ok(())
    }

    /// Writes what is left, how the run ended, and the index.
    ///
    /// # Errors
    /// Writing failed.
    pub fn finish(mut self, end: Option<RunEnd>) -> io::Result<W> {
        if let (Some(end), Some(last)) = (end, self.held) {
            // In front of the last instruction: nothing stands behind it.
            self.begin_at(self.sites[last].0.pc);
            self.comment(end.line().trim_end().as_bytes());
        }
        self.release(None)?;
        self.flush()?;
        if self.packing == Packing::Chunks {
            self.out
                .write_all(&(self.chunks.len() as u64).to_le_bytes())?;
            for number in self.chunks.iter().flatten() {
                self.out.write_all(&number.to_le_bytes())?;
            }
            self.out.seek(SeekFrom::Start(container::HEADER - 8))?;
            self.out.write_all(&self.at.to_le_bytes())?;
        }
        self.out.flush()?;
        Ok(self.out)
    }
}
