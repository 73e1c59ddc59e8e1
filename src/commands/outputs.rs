//! Output files: created before the long work starts, so that a bad path fails at once, and renamed
//! into place when complete, so that nothing half-written is ever seen.

use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use tempfile::NamedTempFile;

/// A file to be, or standard output.
pub enum Output {
    File {
        path: PathBuf,
        temporary: NamedTempFile,
    },
    StandardOutput,
}

impl Output {
    /// Makes sure that `path` can be written; `-` is standard output.
    ///
    /// # Errors
    /// The directory is not there or not writable, or the path is a directory or a device.
    pub fn create(path: &Path) -> anyhow::Result<Output> {
        if path.as_os_str() == "-" {
            return Ok(Output::StandardOutput);
        }
        let asked = path;
        // A link is followed, so that its target is written and the link stays.
        let path = &target(path)?;
        anyhow::ensure!(
            !path.is_dir(),
            "cannot write {}: it is a directory",
            asked.display()
        );
        // A rename would put a file in the place of a device.
        anyhow::ensure!(
            !path.exists() || path.is_file(),
            "cannot write {}: it is a device or a pipe; - writes to standard output",
            asked.display()
        );
        let is_protected = std::fs::metadata(path).is_ok_and(|old| old.permissions().readonly());
        anyhow::ensure!(
            !is_protected,
            "cannot write {}: it is write-protected",
            asked.display()
        );
        let parent = path
            .parent()
            .filter(|p| !p.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        anyhow::ensure!(
            parent.is_dir(),
            "cannot write {}: there is no directory {}",
            asked.display(),
            parent.display()
        );
        // The error itself would name the temporary file.
        let temporary = unfinished_file(parent).map_err(|error| {
            anyhow::anyhow!("cannot write {}: {}", path.display(), error.kind())
        })?;
        Ok(Output::File {
            path: path.clone(),
            temporary,
        })
    }

    pub fn is_standard_output(&self) -> bool {
        matches!(self, Output::StandardOutput)
    }

    /// Writes the content piece by piece through `write`, and puts the file in its place.
    ///
    /// # Errors
    /// Writing or renaming failed.
    pub fn stream<T>(
        self,
        write: impl FnOnce(&mut (dyn Write + Send)) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        match self {
            Output::StandardOutput => {
                let mut out = std::io::stdout();
                let done = write(&mut out)?;
                out.flush()?;
                Ok(done)
            }
            Output::File {
                path,
                mut temporary,
            } => {
                let what = || format!("cannot write {}", path.display());
                let mut out = std::io::BufWriter::new(temporary.as_file_mut());
                let done = write(&mut out).with_context(what)?;
                out.flush().with_context(what)?;
                drop(out);
                put_in_place(temporary, &path)?;
                Ok(done)
            }
        }
    }

    /// Writes the content and puts the file in its place.
    ///
    /// # Errors
    /// Writing or renaming failed.
    pub fn finish(self, content: &[u8]) -> anyhow::Result<()> {
        match self {
            Output::StandardOutput => print(content),
            Output::File {
                path,
                mut temporary,
            } => {
                // The error of the temporary file itself would name it.
                let out = temporary.as_file_mut();
                out.write_all(content)
                    .with_context(|| format!("cannot write {}", path.display()))?;
                put_in_place(temporary, &path)
            }
        }
    }
}

/// Makes sure that no two outputs would be the same file.
///
/// # Errors
/// Two would be.
pub fn refuse_equal(paths: &[&Path]) -> anyhow::Result<()> {
    for (number, path) in paths.iter().enumerate() {
        anyhow::ensure!(
            !paths[..number]
                .iter()
                .any(|other| is_same_file(path, other)),
            "two outputs would be written to {}: give each a file of its own",
            path.display()
        );
    }
    Ok(())
}

/// Whether writing to two paths would write the same file, which may not be there yet.
fn is_same_file(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| -> Option<(PathBuf, std::ffi::OsString)> {
        let path = target(path).ok()?;
        let parent = path
            .parent()
            .filter(|p| !p.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        Some((
            parent.canonicalize().ok()?,
            path.file_name()?.to_os_string(),
        ))
    };
    one.as_os_str() != "-" && place(one).is_some_and(|one| place(other) == Some(one))
}

/// Where writing to a path ends up: behind all links, also those to what is not there yet.
fn target(path: &Path) -> anyhow::Result<PathBuf> {
    const MOST_LINKS: usize = 40;
    let mut target = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        let Ok(next) = std::fs::read_link(&target) else {
            return Ok(target);
        };
        // What /proc shows of a pipe or socket is not a path.
        if !next.is_absolute() && target.starts_with("/proc") {
            return Ok(target);
        }
        target = target.parent().unwrap_or(Path::new("")).join(next);
    }
    anyhow::bail!(
        "cannot write {}: too many symbolic links follow one another",
        path.display()
    )
}

/// Gives a complete file its name; one that takes the place of another keeps the other's mode.
///
/// # Errors
/// Renaming failed.
pub fn put_in_place(temporary: NamedTempFile, path: &Path) -> anyhow::Result<()> {
    let what = || format!("cannot write {}", path.display());
    match std::fs::metadata(path) {
        Ok(old) => {
            std::fs::set_permissions(temporary.path(), old.permissions()).with_context(what)?;
        }
        Err(_) => make_readable(temporary.path()).with_context(what)?,
    }
    let kept = temporary.persist(path).map_err(|error| error.error);
    kept.with_context(what)?;
    Ok(())
}

/// Writes to standard output.
///
/// # Errors
/// Writing failed; a broken pipe is for the caller to tell apart.
pub fn print(content: &[u8]) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(content)?;
    out.flush()?;
    Ok(())
}

/// Temporary files are private; reports are as readable as any other new file.
#[cfg(unix)]
fn make_readable(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let probe = tempfile::Builder::new()
        .permissions(std::fs::Permissions::from_mode(0o666))
        .tempfile()?;
    let mode = probe.as_file().metadata()?.permissions().mode();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn make_readable(_: &Path) -> std::io::Result<()> {
    Ok(())
}

/// An output must not take the place of a file that is read; `what` says which files these are.
///
/// # Errors
/// One would.
pub fn spare_inputs<'a, I: AsRef<Path>>(
    outputs: impl IntoIterator<Item = &'a Path>,
    inputs: impl IntoIterator<Item = I>,
    what: &str,
) -> anyhow::Result<()> {
    let inputs = inputs.into_iter();
    let inputs: HashSet<PathBuf> = inputs
        .filter_map(|path| path.as_ref().canonicalize().ok())
        .collect();
    for path in outputs {
        let is_input = path.canonicalize().is_ok_and(|path| inputs.contains(&path));
        anyhow::ensure!(
            !is_input,
            "cannot write {}: it is one of the {what}",
            path.display()
        );
    }
    Ok(())
}

/// How names of temporary files and directories begin.
pub const UNFINISHED: &str = ".loopsheet-";

/// A temporary file that a signal removes, where the system lets it.
fn unfinished_file(directory: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let make = || {
        tempfile::Builder::new()
            .prefix(UNFINISHED)
            .tempfile_in(directory)
    };
    removed_on_signals(make, tempfile::NamedTempFile::path)
}

/// A directory for files that are not finished, which a signal removes where the system lets it.
pub fn temporary_directory_in(directory: &Path) -> std::io::Result<tempfile::TempDir> {
    let make = || {
        let mut builder = tempfile::Builder::new();
        builder.prefix(UNFINISHED).tempdir_in(directory)
    };
    removed_on_signals(make, tempfile::TempDir::path)
}

/// Makes a temporary file or directory that a signal removes, where the system lets it.
///
/// # Errors
/// It cannot be made.
pub fn removed_on_signals<T>(
    make: impl FnOnce() -> std::io::Result<T>,
    path: impl FnOnce(&T) -> &Path,
) -> std::io::Result<T> {
    #[cfg(target_os = "linux")]
    let made = super::unfinished::note(make, path);
    #[cfg(not(target_os = "linux"))]
    let (made, _) = (make(), path);
    made
}
