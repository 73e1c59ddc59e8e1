//! A recording in the compact format that is written in another one while it comes.

use std::fs::File;
use std::io::{self, Cursor, PipeReader, Read};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use crate::trace::{FormatName, Options, Target, TraceWriter, UnknownPolicy, stream};

/// What the tracer could not write any more, behind what it wrote by its own account.
struct Rest {
    written: u64,
    pending: Vec<u8>,
}

/// A thread that reads what the tracer writes.
pub struct Conversion {
    thread: JoinHandle<anyhow::Result<()>>,
    rest: Sender<Rest>,
}

impl Conversion {
    /// # Errors
    /// There is no thread, or the beginning cannot be written.
    pub fn start(pipe: PipeReader, out: File, target: Target) -> anyhow::Result<Conversion> {
        let (rest, later) = channel();
        let mut writer = TraceWriter::new(out, target)?;
        let input = Whole {
            pipe,
            received: 0,
            later,
            tail: None,
        };
        let convert = move || {
            let options = Options {
                format: Some(FormatName::Native),
                unknown: UnknownPolicy::Warn,
            };
            let read = stream(input, options, &mut writer)?;
            writer.finish(read.end)?;
            Ok(())
        };
        let thread = std::thread::Builder::new().spawn(convert)?;
        Ok(Conversion { thread, rest })
    }

    /// Gives it what follows what the tracer wrote, if that is known, and waits until all is written.
    ///
    /// # Errors
    /// The trace cannot be written in the other format.
    pub fn finish(self, rest: Option<(u64, &[u8])>) -> anyhow::Result<()> {
        let Conversion {
            thread,
            rest: sender,
        } = self;
        if let Some((written, pending)) = rest {
            let pending = pending.to_vec();
            // If it has ended already, it says why.
            let _ = sender.send(Rest { written, pending });
        }
        drop(sender);
        thread.join().expect("the conversion does not panic")
    }
}

/// What comes through the pipe, and what follows it.
struct Whole {
    pipe: PipeReader,
    received: u64,
    later: Receiver<Rest>,
    tail: Option<Cursor<Vec<u8>>>,
}

impl Read for Whole {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(tail) = &mut self.tail {
            return tail.read(buffer);
        }
        let count = self.pipe.read(buffer)?;
        self.received += count as u64;
        if count > 0 || buffer.is_empty() {
            return Ok(count);
        }
        let Ok(Rest { written, pending }) = self.later.recv() else {
            return Ok(0);
        };
        let rest = super::sink::beyond(&pending, self.received, written).to_vec();
        self.tail.insert(Cursor::new(rest)).read(buffer)
    }
}
