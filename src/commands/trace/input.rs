//! The trace as a stream of text: a file or standard input, unpacked, with a progress bar.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};

use crate::commands::Voice;
use crate::trace;

/// Opens a trace; `-` is standard input.
///
/// # Errors
/// There is no such file, it cannot be read, or it is a directory.
pub fn open(path: &Path, voice: Voice) -> anyhow::Result<Box<dyn Read + Send>> {
    let what = || format!("cannot read {}", path.display());
    if path.as_os_str() == "-" {
        return trace::decompressed(std::io::stdin()).context("cannot read standard input");
    }
    anyhow::ensure!(
        !path.is_dir(),
        "{}: it is a directory; a trace is a file, or - for standard input",
        what()
    );
    let file = File::open(path).with_context(what)?;
    let length = file.metadata().with_context(what)?.len();
    let bar = progress(length, voice);
    let note = move |count: usize| {
        bar.inc(count as u64);
        if count == 0 {
            bar.finish_and_clear();
        }
    };
    trace::decompressed(Watched { file, note }).with_context(what)
}

/// Whether a trace can be opened again to be read a second time: a file can, standard input and pipes cannot.
pub fn can_be_read_again(path: &Path) -> bool {
    let is_file = || path.metadata().is_ok_and(|found| found.is_file());
    path.as_os_str() != "-" && is_file()
}

/// Opens a file, and hands on how many bytes are read of it, as they are read.
///
/// # Errors
/// There is no such file, or it cannot be read.
pub fn open_noting(
    path: &Path,
    note: impl FnMut(usize) + Send + 'static,
) -> anyhow::Result<Box<dyn Read + Send>> {
    let what = || format!("cannot read {}", path.display());
    let file = File::open(path).with_context(what)?;
    trace::decompressed(Watched { file, note }).with_context(what)
}

/// A bar on a terminal, nothing elsewhere.
fn progress(length: u64, voice: Voice) -> ProgressBar {
    if voice.quiet || length == 0 {
        return ProgressBar::hidden();
    }
    let style =
        ProgressStyle::with_template("{bar:40} {bytes}/{total_bytes} {bytes_per_sec}, {eta} left")
            .expect("the template is well-formed");
    ProgressBar::new(length).with_style(style)
}

/// A file that reports how far it was read.
struct Watched<N> {
    file: File,
    note: N,
}

impl<N: FnMut(usize)> Read for Watched<N> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.file.read(buffer)?;
        (self.note)(count);
        Ok(count)
    }
}
