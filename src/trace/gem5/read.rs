//! From lines to executions.

use std::io::Read;

use rustc_hash::FxHashMap;

use super::assembly::assembly;
use super::line::{Line, Part, value};
use crate::batch::Batch;
use crate::error::{LineError, RecordError, TraceError, excerpt};
use crate::expected::Addresses;
use crate::format::{Named, address};
use crate::isa::Class;
use crate::lines::{Blocks, each_line};
use crate::words::Words;
use crate::{FormatName, Options, ReadSummary};

/// Reads a whole trace.
///
/// # Errors
/// The first line that is wrong.
pub(crate) fn read(
    blocks: Blocks<impl Read>,
    options: Options,
    sink: &mut dyn FnMut(Batch) -> Option<Batch>,
) -> Result<ReadSummary, TraceError> {
    let mut reader = Reader {
        words: Words::new(options.unknown, sink),
        known: FxHashMap::default(),
        harts: Vec::new(),
        trapped: 0,
    };
    let text = each_line(blocks, &mut |line| reader.line(line))?;
    reader.end(text.bytes).map_err(|error| text.failed(error))
}

/// What lines with a certain key say.
#[derive(Clone, Copy)]
struct Known {
    hart: usize,
    pc: u64,
    shown: Shown,
}

#[derive(Clone, Copy)]
enum Shown {
    Instruction {
        id: u32,
        part: Part,
        /// Whether it may be executed twice running: those that control the flow.
        repeats: bool,
        /// Whether the value that it writes says that it stored nothing: `sc`.
        is_conditional: bool,
    },
    Micro,
    /// In place of an instruction that could not be fetched.
    Nothing,
}

struct Hart {
    cpu: Box<[u8]>,
    thread: u64,
    /// Where the last instruction is, unless it may be executed twice running.
    last: Option<u64>,
    /// The instruction whose micro-operations follow.
    open: Option<Open>,
}

struct Open {
    pc: u64,
    /// If it was not executed yet, because its address is to come.
    waits: Option<(u32, bool)>,
}

struct Reader<'s> {
    words: Words<'s>,
    known: FxHashMap<Box<[u8]>, Known>,
    harts: Vec<Hart>,
    trapped: u64,
}

impl Reader<'_> {
    /// Takes a line; `false` if nobody wants more.
    fn line(&mut self, bytes: &[u8]) -> Result<bool, LineError> {
        let line = Line::parse(bytes).map_err(|reason| LineError::OtherFormat {
            text: excerpt(bytes),
            format: FormatName::Gem5,
            reason,
        })?;
        let Known { hart, pc, shown } = match self.known.get(line.key) {
            Some(known) => *known,
            None => self.first(&line)?,
        };
        match shown {
            Shown::Micro => self.micro(hart, pc, &line),
            Shown::Nothing => {
                self.trapped += 1;
                Ok(true)
            }
            Shown::Instruction {
                id,
                part,
                repeats,
                is_conditional,
            } => {
                let goes_on = self.close(hart)?;
                let own = &mut self.harts[hart];
                let opened = Open { pc, waits: None };
                // gem5 shows an instruction that a fault ended as if it had been executed. Where the operating system is
                // not simulated, or not shown, it is executed again at once: the one counts for both.
                if own.last == Some(pc) {
                    own.open = Some(opened).filter(|_| part == Part::Macro);
                    self.trapped += 1;
                    return Ok(goes_on);
                }
                own.last = Some(pc).filter(|_| !repeats);
                match part {
                    Part::Macro => {
                        let accesses = !matches!(
                            self.words.expects(id).0,
                            Addresses::None | Addresses::Ignored
                        );
                        let waits = accesses.then_some((id, is_conditional));
                        own.open = Some(Open { waits, ..opened });
                        match accesses {
                            true => Ok(goes_on),
                            false => Ok(self.words.execute(id)? && goes_on),
                        }
                    }
                    _ => {
                        self.addresses(line.effects, is_conditional)?;
                        Ok(self.words.execute(id)? && goes_on)
                    }
                }
            }
        }
    }

    fn end(&mut self, bytes: u64) -> Result<ReadSummary, LineError> {
        for hart in 0..self.harts.len() {
            self.close(hart)?;
        }
        self.words
            .ended(FormatName::Gem5, bytes, (self.trapped, None))
    }

    /// An instruction whose micro-operations had no address is over.
    fn close(&mut self, hart: usize) -> Result<bool, LineError> {
        match self.harts[hart].open.take() {
            Some(Open {
                waits: Some((id, _)),
                ..
            }) => self.words.execute(id),
            _ => Ok(true),
        }
    }

    fn micro(&mut self, hart: usize, pc: u64, line: &Line) -> Result<bool, LineError> {
        let Some(open) = &mut self.harts[hart].open else {
            return Err(LineError::WithoutMacro(excerpt(line.text)));
        };
        if open.pc != pc {
            return Err(LineError::WithoutMacro(excerpt(line.text)));
        }
        let Some((id, is_conditional)) = open.waits else {
            return Ok(true);
        };
        if value(line.effects, b"A=").is_none() {
            return Ok(true);
        }
        open.waits = None;
        self.addresses(line.effects, is_conditional)?;
        self.words.execute(id)
    }

    /// Adds the address of the next execution.
    fn addresses(&mut self, effects: &[u8], is_conditional: bool) -> Result<(), LineError> {
        let Some(text) = value(effects, b"A=") else {
            return Ok(());
        };
        let found = address(text).ok_or_else(|| LineError::Address(excerpt(text)))?;
        let failed = is_conditional
            && value(effects, b"D=")
                .and_then(address)
                .is_some_and(|result| result != 0);
        if !failed {
            self.words.address(found);
        }
        Ok(())
    }

    /// Decodes a line that was not seen before.
    fn first(&mut self, line: &Line) -> Result<Known, LineError> {
        let hart = self.hart(line);
        let pc = line.pc;
        let shown = match (line.part, line.text) {
            (Part::Micro, _) => Shown::Micro,
            (_, b"gem5 nop") => Shown::Nothing,
            (part, text) => {
                let text = std::str::from_utf8(text).map_err(|_| LineError::OtherFormat {
                    text: excerpt(line.key),
                    format: FormatName::Gem5,
                    reason: "it has bytes that are not text",
                })?;
                let text = assembly(text).ok_or(RecordError::Bits32)?;
                let named = Named {
                    hart: hart as u64,
                    pc: Some(pc),
                    word: None,
                    text: &text,
                };
                let (id, facts) = self.words.add(&named)?;
                Shown::Instruction {
                    id,
                    part,
                    repeats: matches!(facts.class, Class::Branch | Class::Jump),
                    is_conditional: self.words.expects(id).0 == Addresses::AtMostOne
                        && facts.writes.iter().next().is_some(),
                }
            }
        };
        let known = Known { hart, pc, shown };
        self.known.insert(line.key.into(), known);
        Ok(known)
    }

    fn hart(&mut self, line: &Line) -> usize {
        let is_own = |hart: &Hart| *hart.cpu == *line.cpu && hart.thread == line.thread;
        self.harts.iter().position(is_own).unwrap_or_else(|| {
            self.harts.push(Hart {
                cpu: line.cpu.into(),
                thread: line.thread,
                last: None,
                open: None,
            });
            self.harts.len() - 1
        })
    }
}
