//! Output files that are not finished when a signal ends the program: it removes them first.

use std::io::Read;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::low_level::{emulate_default_handler, pipe};

/// Temporary files and directories that were made. Those that have become outputs are no longer there under these names.
static MADE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// What a signal that ends the program says last.
type LastWord = Box<dyn Fn() -> Option<String> + Send>;

static LAST_WORD: Mutex<Option<LastWord>> = Mutex::new(None);

/// As long as it is there, a signal that ends the program says something.
pub struct Farewell(());

impl Drop for Farewell {
    fn drop(&mut self) {
        *LAST_WORD.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// From here on a signal that ends the program says `text` on standard error.
pub fn say_on_signals(text: impl Fn() -> Option<String> + Send + 'static) -> Farewell {
    *LAST_WORD.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(text));
    Farewell(())
}

/// Makes a temporary file or directory and notes it; no signal comes between.
///
/// # Errors
/// It cannot be made.
pub fn note<T>(
    make: impl FnOnce() -> std::io::Result<T>,
    path: impl FnOnce(&T) -> &Path,
) -> std::io::Result<T> {
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let new = make()?;
    made.push(path(&new).to_path_buf());
    Ok(new)
}

/// From here on a signal that ends the program removes the temporary files and directories first. Signals that are ignored,
/// as under `nohup`, stay so.
///
/// # Errors
/// The system has no room for a socket or a thread.
pub fn remove_on_signals() -> std::io::Result<()> {
    // Where a file may not grow, writing says so, as on a full disk.
    signal_hook::flag::register(SIGXFSZ, Arc::default())?;
    let ignored = ignored();
    for signal in [SIGHUP, SIGINT, SIGTERM] {
        if ignored & (1 << (signal - 1)) != 0 {
            continue;
        }
        let (mut seen, tell) = UnixStream::pair()?;
        pipe::register(signal, tell)?;
        std::thread::Builder::new().spawn(move || {
            // It fails only if nobody can be told any more.
            if seen.read(&mut [0]).is_ok() {
                let made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
                for path in made.iter() {
                    let _ = match path.is_dir() {
                        true => std::fs::remove_dir_all(path),
                        false => std::fs::remove_file(path),
                    };
                }
                let last = LAST_WORD.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(text) = last.as_ref().and_then(|text| text()) {
                    eprintln!("{text}");
                }
                let _ = emulate_default_handler(signal);
            }
        })?;
    }
    Ok(())
}

/// The signals that are ignored, one bit each from the first.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}
