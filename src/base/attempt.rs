//! Work on one part of the input whose failure must not end the work on the others.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::Once;

/// A defect of this program that stopped some work: what it says, and where in our source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defect {
    message: String,
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

thread_local! {
    /// How many attempts this thread is in.
    static ATTEMPTS: Cell<u32> = const { Cell::new(0) };
    /// What the last panic inside of one says.
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// The result of the work, unless a defect of ours stops it.
///
/// # Errors
/// The work panicked. Nothing is printed: whoever asked says what is lost.
pub fn attempt<R>(work: impl FnOnce() -> R) -> Result<R, Defect> {
    static HOOK: Once = Once::new();
    HOOK.call_once(keep_messages);
    ATTEMPTS.set(ATTEMPTS.get() + 1);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    ATTEMPTS.set(ATTEMPTS.get() - 1);
    result.map_err(|payload| {
        // Another thread that did a part of the work had no attempt of its own.
        let message = match LAST.take() {
            empty if empty.is_empty() => text(&*payload).to_string(),
            message => message,
        };
        Defect { message }
    })
}

/// From here on a panic inside of an attempt is kept, and any other printed as before.
fn keep_messages() {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if ATTEMPTS.get() > 0 {
            LAST.set(message(info));
        } else {
            before(info);
        }
    }));
}

fn message(info: &PanicHookInfo) -> String {
    let what = text(info.payload());
    match info.location() {
        Some(place) => format!("{what} ({}:{})", place.file(), place.line()),
        None => what.to_string(),
    }
}

fn text(payload: &dyn Any) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("it stopped")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_panics_leaves_its_message_and_place() {
        assert_eq!(attempt(|| 3), Ok(3));
        let defect = attempt(|| -> u32 { panic!("no element {}", 7) }).unwrap_err();
        let text = defect.to_string();
        assert!(text.starts_with("no element 7 (") && text.contains("attempt.rs:"));
        assert_eq!(attempt(|| 4), Ok(4));
    }
}
