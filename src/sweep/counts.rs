//! How many configurations there are, of each kind.

use crate::manifest::{CacheRun, EpochWork, Manifest, Work};

impl Work {
    /// How many configurations it has.
    pub fn configurations(&self) -> usize {
        self.counts().total()
    }

    pub(crate) fn counts(&self) -> Configurations {
        match self {
            Work::Source(work) => Configurations {
                models: work.models.len(),
                ..Configurations::default()
            },
            Work::Trace(work) => {
                let of_run = |run: &CacheRun| run.latencies.len() * work.slots.len();
                let of_epochs = |epochs: &EpochWork| {
                    epochs.windows.len() * epochs.capacities.len() * (epochs.slots.len() + 1)
                };
                Configurations {
                    models: 0,
                    runs: work.runs.iter().map(of_run).sum(),
                    epochs: work.epochs.as_ref().map_or(0, of_epochs),
                }
            }
        }
    }
}

/// How many configurations there are of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Configurations {
    /// Models of sources.
    pub models: usize,
    /// Runs of traces with caches, a latency and slots.
    pub runs: usize,
    /// Windows and capacities of epochs.
    pub epochs: usize,
}

impl Configurations {
    pub fn of(manifest: &Manifest) -> Configurations {
        let mut all = Configurations::default();
        for shard in &manifest.shards {
            let Configurations {
                models,
                runs,
                epochs,
            } = shard.work.counts();
            all.models += models;
            all.runs += runs;
            all.epochs += epochs;
        }
        all
    }

    pub fn total(self) -> usize {
        self.models + self.runs + self.epochs
    }

    /// What the kinds are, where there is more than one: ` (3 of sources, 7 of traces)`.
    pub fn in_parentheses(self) -> String {
        let kinds = [
            (self.models, "of sources"),
            (self.runs, "of traces"),
            (self.epochs, "of epochs"),
        ];
        let there = kinds.iter().filter(|(count, _)| *count > 0);
        let there: Vec<String> = there
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        match there.len() {
            0 | 1 => String::new(),
            _ => format!(" ({})", there.join(", ")),
        }
    }
}
