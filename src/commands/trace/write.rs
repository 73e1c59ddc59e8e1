//! `--write`: the trace in the format of another tool, beside what is counted.

use std::path::{Path, PathBuf};

use anyhow::Context;
use tempfile::NamedTempFile;

use crate::commands::Voice;
use crate::commands::outputs::{self, Output};
use crate::metrics::analysis::Analysis;
use crate::trace::{Batch, Compression, Consumer, ReadSummary, Target, TraceWriter};

/// The file to be.
pub struct Written {
    path: PathBuf,
    temporary: NamedTempFile,
    writer: TraceWriter,
}

impl Written {
    /// Makes sure that it can be written.
    ///
    /// # Errors
    /// The extension says no format, or the path cannot be written.
    pub fn create(path: &Path) -> anyhow::Result<Written> {
        let target = target(path)?;
        let what = || format!("cannot write {}", path.display());
        match Output::create(path)? {
            Output::File { path, temporary } => {
                let file = temporary.as_file().try_clone().with_context(what)?;
                Ok(Written {
                    path,
                    temporary,
                    writer: TraceWriter::new(file, target).with_context(what)?,
                })
            }
            Output::StandardOutput => anyhow::bail!("--write takes a file, not standard output"),
        }
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// The trace lacks what the format needs, or writing failed.
    pub fn finish(self, read: &ReadSummary, voice: Voice) -> anyhow::Result<()> {
        let Written {
            path,
            temporary,
            writer,
        } = self;
        let summary = writer
            .finish(read.end)
            .with_context(|| format!("cannot write {}", path.display()))?;
        outputs::put_in_place(temporary, &path)?;
        if summary.cut > 0 && !voice.quiet {
            eprintln!(
                "loopsheet: {}: {} executions have more registers or addresses than a record has room for: the rest is \
                 left out",
                path.display(),
                summary.cut
            );
        }
        Ok(())
    }
}

fn target(path: &Path) -> anyhow::Result<Target> {
    let extension = |path: &Path| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        extension.map(str::to_lowercase).unwrap_or_default()
    };
    let compression = Compression::by_extension(path);
    let format = match compression {
        Compression::None => extension(path),
        _ => extension(Path::new(path.file_stem().unwrap_or_default())),
    };
    match (format.as_str(), compression) {
        ("stf", Compression::None) => Ok(Target::Stf),
        ("zstf", Compression::None) => Ok(Target::Zstf),
        ("champsim", _) => Ok(Target::Champsim(compression)),
        ("native", _) => Ok(Target::Native(compression)),
        _ => anyhow::bail!(
            "--write {}: the extension says what to write; it may be .stf, .zstf, or .champsim or .native with \
             .gz, .zst or .xz behind it",
            path.display()
        ),
    }
}

/// Counts and writes at once.
pub struct Both<'a, 'r> {
    pub analysis: &'a mut Analysis<'r>,
    pub written: Option<&'a mut Written>,
}

impl Consumer for Both<'_, '_> {
    fn take(&mut self, batch: &Batch) {
        self.analysis.take(batch);
        if let Some(written) = &mut self.written {
            written.writer.take(batch);
        }
    }
}
