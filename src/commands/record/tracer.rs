//! The tracer, built from its source when first used and kept in the user's cache directory.

use std::hash::Hasher;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use tempfile::TempDir;

use crate::reading::directory_of_user;

const SOURCE: &str = include_str!("../../../templates/tracer/tracer.c");
const COMPILER: &str = "cc";
const FLAGS: [&str; 4] = ["-O2", "-shared", "-fPIC", "-fvisibility=hidden"];

/// A built tracer.
pub struct Tracer {
    pub path: PathBuf,
    /// Where no cache directory can be written, it lives as long as the run.
    _temporary: Option<TempDir>,
}

impl Tracer {
    /// Finds the tracer, or builds it.
    ///
    /// # Errors
    /// There is no C compiler, or it fails.
    pub fn ready() -> anyhow::Result<Tracer> {
        let name = file_name();
        if let Some(dir) = directory_of_user() {
            let path = dir.join(&name);
            if path.is_file() {
                return Ok(Tracer {
                    path,
                    _temporary: None,
                });
            }
            if std::fs::create_dir_all(&dir).is_ok()
                && let Ok(temporary) = tempfile::Builder::new().prefix(".build-").tempdir_in(&dir)
            {
                // Two first uses at once both build; the last to rename wins, and both files are the same.
                build(temporary.path(), &name)?;
                std::fs::rename(temporary.path().join(&name), &path)
                    .with_context(|| format!("cannot write {}", path.display()))?;
                return Ok(Tracer {
                    path,
                    _temporary: None,
                });
            }
        }
        let temporary = tempfile::tempdir().context("no directory to build the tracer in")?;
        build(temporary.path(), &name)?;
        Ok(Tracer {
            path: temporary.path().join(name),
            _temporary: Some(temporary),
        })
    }
}

/// Changes with the source and with how it is built, so that a new version is built again.
fn file_name() -> String {
    let mut hasher = rustc_hash::FxHasher::default();
    hasher.write(SOURCE.as_bytes());
    FLAGS.iter().for_each(|flag| hasher.write(flag.as_bytes()));
    format!(
        "tracer-{}-{:016x}.so",
        std::env::consts::ARCH,
        hasher.finish()
    )
}

fn build(dir: &Path, name: &str) -> anyhow::Result<()> {
    let source = dir.join("tracer.c");
    std::fs::write(&source, SOURCE)
        .with_context(|| format!("cannot write {}", source.display()))?;
    let output = Command::new(COMPILER)
        .args(FLAGS)
        .arg("-o")
        .arg(dir.join(name))
        .arg(&source)
        .output();
    let output = match output {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            anyhow::bail!(
                "no C compiler `{COMPILER}` to build the tracer with: apt-get install gcc libc6-dev"
            )
        }
        output => output.with_context(|| format!("cannot run {COMPILER}"))?,
    };
    anyhow::ensure!(
        output.status.success(),
        "{COMPILER} could not build the tracer (are the C library's headers there? apt-get install libc6-dev):\n{}",
        String::from_utf8_lossy(&output.stderr).trim_end()
    );
    Ok(())
}
