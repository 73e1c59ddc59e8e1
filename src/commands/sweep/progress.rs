//! How far a run is: a bar on a terminal, now and then a line elsewhere, and a last word when a signal ends it.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::commands::Voice;
use crate::wording::counted;

/// A bar moves so often.
const TICK: Duration = Duration::from_millis(200);

/// Where there is no terminal, the first line comes after so long, …
const FIRST_LINE: Duration = Duration::from_secs(10);

/// … and others so long behind one another.
const BETWEEN_LINES: Duration = Duration::from_secs(60);

/// What all threads of a run have done.
pub struct Progress {
    shards: usize,
    /// How many the sweep has.
    all: usize,
    done: AtomicUsize,
    running: AtomicUsize,
    /// Bytes of the inputs of all shards, and how many of them were read.
    bytes: u64,
    read: Arc<AtomicU64>,
    begun: Instant,
    bar: ProgressBar,
    /// Nothing is said.
    is_quiet: bool,
}

impl Progress {
    /// Of some of all shards, whose inputs have so many bytes.
    pub fn begin((shards, all): (usize, usize), bytes: u64, voice: Voice) -> Arc<Progress> {
        let bar = match voice.quiet || shards == 0 || !std::io::stderr().is_terminal() {
            true => ProgressBar::hidden(),
            false => ProgressBar::with_draw_target(Some(bytes), ProgressDrawTarget::stderr()),
        };
        let style = ProgressStyle::with_template("{bar:30} {msg}");
        Arc::new(Progress {
            shards,
            all,
            done: AtomicUsize::new(0),
            running: AtomicUsize::new(0),
            bytes,
            read: Arc::default(),
            begun: Instant::now(),
            bar: bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())),
            is_quiet: voice.quiet,
        })
    }

    /// A shard is computed now: what its input's bytes are added to as they are read.
    pub fn start_shard(&self) -> Arc<AtomicU64> {
        self.running.fetch_add(1, Ordering::Relaxed);
        self.read.clone()
    }

    /// It is finished, or failed.
    pub fn finish_shard(&self) {
        self.running.fetch_sub(1, Ordering::Relaxed);
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    /// How far it is, in words.
    pub fn text(&self) -> String {
        let done = self.done.load(Ordering::Relaxed);
        let running = self.running.load(Ordering::Relaxed);
        let read = self.read.load(Ordering::Relaxed);
        let share = (read as f64 / self.bytes.max(1) as f64).min(1.0);
        let elapsed = self.begun.elapsed().as_secs_f64();
        let whole = |seconds: f64| HumanDuration(Duration::from_secs(seconds as u64));
        // Before that nobody can say.
        const ENOUGH: f64 = 0.02;
        let left = match share > ENOUGH {
            true => format!(", about {} left", whole(elapsed * (1.0 - share) / share)),
            false => String::new(),
        };
        format!(
            "{done} of {} finished, {running} running, {:.0} % of the input read in {}{left}",
            counted(self.shards, "shard"),
            100.0 * share,
            whole(elapsed)
        )
    }

    /// Speaks until nobody sends any more.
    pub fn speak(&self, end: &mpsc::Receiver<()>) {
        let mut next = FIRST_LINE;
        loop {
            self.bar.set_message(self.text());
            self.bar
                .set_position(self.read.load(Ordering::Relaxed).min(self.bytes));
            if end.recv_timeout(TICK) != Err(mpsc::RecvTimeoutError::Timeout) {
                break self.bar.finish_and_clear();
            }
            if self.bar.is_hidden() && !self.is_quiet && self.begun.elapsed() >= next {
                eprintln!("loopsheet: {}", self.text());
                next = self.begun.elapsed() + BETWEEN_LINES;
            }
        }
    }

    /// What is said when a signal ends the run that has kept so many results; `again` is the command that goes on.
    pub fn farewell(&self, kept: usize, again: &str) -> Option<String> {
        if self.is_quiet {
            return None;
        }
        self.bar.finish_and_clear();
        let all = match self.all == self.shards {
            true => String::new(),
            false => format!(" of {} in the sweep", self.all),
        };
        Some(format!(
            "loopsheet: stopped: {kept} of {}{all} finished and kept; {again} computes the others",
            counted(self.shards, "shard")
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_says_how_far_it_is() {
        let progress = Progress::begin((3, 3), 1000, Voice::silent());
        progress.start_shard().fetch_add(250, Ordering::Relaxed);
        let text = progress.text();
        let expected =
            "0 of 3 shards finished, 1 running, 25 % of the input read in 0 seconds, about";
        assert!(text.starts_with(expected), "{text}");
        progress.finish_shard();
        let text = progress.text();
        assert!(
            text.starts_with("1 of 3 shards finished, 0 running"),
            "{text}"
        );
    }
}
