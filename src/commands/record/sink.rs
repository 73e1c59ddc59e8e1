//! Where a trace goes: a file that gets its name when it is whole, or a stream; compressed by its extension.

use std::fs::File;
use std::io::{IsTerminal, PipeReader, Read, Seek, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use anyhow::Context;
use tempfile::NamedTempFile;

use super::conversion::Conversion;
use crate::commands::outputs::{self, Output};
use crate::trace::{self, Compression, Packer};

/// Where the trace is to go, made sure of before the program runs.
pub struct Sink {
    target: Target,
    compression: Compression,
    /// The format that it is converted to, if it is.
    converted: Option<trace::Target>,
    name: String,
}

enum Target {
    File {
        path: PathBuf,
        temporary: NamedTempFile,
    },
    /// Standard output, a pipe or a device.
    Stream(File),
}

/// Takes the trace while the program runs.
pub struct Receiver {
    target: Target,
    name: String,
    pump: Pump,
}

/// What is between the tracer and the target.
enum Pump {
    Nothing,
    Packing(JoinHandle<std::io::Result<Packed>>),
    Converting(Conversion),
}

/// What went through the compressor.
struct Packed {
    packer: Packer<File>,
    received: u64,
}

const STANDARD_OUTPUT: &str = "standard output";

pub fn is_standard_output(path: &Path) -> bool {
    ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]
        .iter()
        .any(|name| path.as_os_str() == *name)
}

impl Sink {
    /// # Errors
    /// Standard output is a terminal and was not asked for, or the path cannot be written.
    pub fn create(path: Option<&Path>) -> anyhow::Result<Sink> {
        let path = match path {
            Some(path) => path,
            None if std::io::stdout().is_terminal() => anyhow::bail!(
                "a trace is long: -o FILE writes it to a file (.zst compresses it), -o - shows it in the terminal"
            ),
            None => Path::new("-"),
        };
        if is_standard_output(path) {
            let stdout = std::io::stdout().as_fd().try_clone_to_owned()?;
            let name = STANDARD_OUTPUT.to_string();
            return Ok(Sink {
                target: Target::Stream(File::from(stdout)),
                compression: Compression::None,
                converted: None,
                name,
            });
        }
        let compression = Compression::by_extension(path);
        let name = path.display().to_string();
        let is_stream = |kind: std::fs::FileType| kind.is_fifo() || kind.is_char_device();
        let target = if std::fs::metadata(path).is_ok_and(|m| is_stream(m.file_type())) {
            let stream = File::options()
                .write(true)
                .open(path)
                .with_context(|| format!("cannot write {name}"))?;
            Target::Stream(stream)
        } else {
            match Output::create(path)? {
                Output::File { path, temporary } => Target::File { path, temporary },
                Output::StandardOutput => unreachable!("told apart above"),
            }
        };
        Ok(Sink {
            target,
            compression,
            converted: None,
            name,
        })
    }

    pub fn is_file(&self) -> bool {
        matches!(self.target, Target::File { .. })
    }

    /// Whether it is standard output, and that is a pipe.
    pub fn is_standard_pipe(&self) -> bool {
        let is_pipe = |file: &File| file.metadata().is_ok_and(|own| own.file_type().is_fifo());
        self.name == STANDARD_OUTPUT
            && matches!(&self.target, Target::Stream(file) if is_pipe(file))
    }

    /// The same for a trace that is converted from the compact format to STF.
    ///
    /// # Errors
    /// The name says that it is compressed otherwise than STF is, or chunks are to go where nothing can be put in later.
    pub fn converting(self) -> anyhow::Result<Sink> {
        let name = &self.name;
        anyhow::ensure!(
            self.compression == Compression::None,
            "cannot write {name}: compressed STF has the name ending .zstf"
        );
        let has_chunks = Path::new(name).extension().is_some_and(|own| own == "zstf");
        anyhow::ensure!(
            !has_chunks || self.is_file(),
            "cannot write {name}: the index of ZSTF needs a regular file; --format stf with another name writes plain STF"
        );
        let converted = match has_chunks {
            true => trace::Target::Zstf,
            false => trace::Target::Stf,
        };
        Ok(Sink {
            converted: Some(converted),
            ..self
        })
    }

    /// Starts to receive. The descriptor is for the tracer to write to; whoever passes it on must close it here.
    ///
    /// # Errors
    /// No pipe or thread can be had.
    pub fn open(self) -> anyhow::Result<(Receiver, OwnedFd)> {
        let Sink {
            target,
            compression,
            converted,
            name,
        } = self;
        let file = match &target {
            Target::File { temporary, .. } => temporary.as_file(),
            Target::Stream(file) => file,
        };
        let copy = file.try_clone()?;
        if let Some(converted) = converted {
            let (reader, writer) = std::io::pipe()?;
            let conversion = Conversion::start(reader, copy, converted)?;
            let receiver = Receiver {
                target,
                name,
                pump: Pump::Converting(conversion),
            };
            return Ok((receiver, writer.into()));
        }
        if compression == Compression::None {
            return Ok((
                Receiver {
                    target,
                    name,
                    pump: Pump::Nothing,
                },
                copy.into(),
            ));
        }
        let (reader, writer) = std::io::pipe()?;
        let packer = Packer::new(copy, compression)?;
        let pump = std::thread::Builder::new().spawn(move || pump(reader, packer))?;
        Ok((
            Receiver {
                target,
                name,
                pump: Pump::Packing(pump),
            },
            writer.into(),
        ))
    }
}

impl Receiver {
    /// Adds what the tracer could not write any more, and gives the file its name. `written` bytes were written by
    /// the tracer's account, and `pending` follow. A failed write of the tracer comes as `error`.
    ///
    /// # Errors
    /// Something could not be written. A broken pipe is for the caller to tell apart.
    pub fn finish(
        self,
        written: u64,
        pending: &[u8],
        error: Option<std::io::Error>,
    ) -> anyhow::Result<()> {
        let Receiver {
            mut target,
            name,
            pump,
        } = self;
        let what = || format!("cannot write {name}");
        // A failure of the compressor's file shows as a broken pipe to the tracer: the compressor knows better.
        let packed = match pump {
            Pump::Nothing => None,
            Pump::Packing(pump) => {
                let packed = pump.join().expect("the compressor does not panic");
                Some(packed.with_context(what)?)
            }
            Pump::Converting(conversion) if error.is_some() => {
                conversion.finish(None).with_context(what)?;
                None
            }
            Pump::Converting(conversion) => {
                let rest = Some((written, pending));
                conversion.finish(rest).with_context(what)?;
                return place(target);
            }
        };
        if let Some(error) = error {
            return Err(anyhow::Error::new(error).context(what()));
        }
        match (packed, &mut target) {
            (
                Some(Packed {
                    mut packer,
                    received,
                }),
                _,
            ) => {
                packer
                    .write_all(beyond(pending, received, written))
                    .with_context(what)?;
                packer.finish().with_context(what)?;
            }
            (None, Target::File { temporary, .. }) => {
                let file = temporary.as_file_mut();
                let received = file.stream_position().with_context(what)?;
                file.write_all(beyond(pending, received, written))
                    .with_context(what)?;
            }
            (None, Target::Stream(file)) => file.write_all(pending).with_context(what)?,
        }
        place(target)
    }
}

/// Gives a file its name.
fn place(target: Target) -> anyhow::Result<()> {
    match target {
        Target::File { path, temporary } => outputs::put_in_place(temporary, &path),
        Target::Stream(_) => Ok(()),
    }
}

/// What of `pending` lies beyond the bytes received: a write that the tracer was killed in may have been done and
/// not counted.
pub(super) fn beyond(pending: &[u8], received: u64, written: u64) -> &[u8] {
    let done = usize::try_from(received.saturating_sub(written)).unwrap_or(usize::MAX);
    &pending[done.min(pending.len())..]
}

fn pump(mut reader: PipeReader, mut packer: Packer<File>) -> std::io::Result<Packed> {
    let mut buffer = vec![0; 1 << 18];
    let mut received = 0;
    loop {
        let n = match reader.read(&mut buffer) {
            Ok(0) => return Ok(Packed { packer, received }),
            Ok(n) => n,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        packer.write_all(&buffer[..n])?;
        received += n as u64;
    }
}
