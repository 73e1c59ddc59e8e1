//! The eDAG with other caches than those of the run, in the same pass: the trace is read and its dependences are resolved
//! once for all of them.

use rayon::prelude::*;

use super::counted::Counted;
use super::edag::EdagMeter;
use super::entry::Entry;
use super::metric::{Metric, Program, Run, Stretch};
use super::ram::Ram;
use crate::cache::hierarchy::Atomics;

pub(super) const ENTRY: Entry = Entry {
    name: "other_caches",
    meaning: "work, depth and RAM accesses of the execution DAG with other caches, side by side",
    make: |asked| {
        let settings = asked.settings;
        if settings.other_caches.is_empty() {
            return Ok(None);
        }
        let atomics = Atomics::of_run(settings.like_edan);
        let other = |levels: &Vec<_>| {
            Ok(Other {
                ram: Ram::new(levels, atomics)?,
                meter: EdagMeter::new(settings.rules),
            })
        };
        let others = settings.other_caches.iter().map(other);
        let others = others.collect::<Result<Vec<Other>, super::settings::SettingsError>>()?;
        Ok(Some(Box::new(OtherCaches { others })))
    },
};

struct OtherCaches {
    others: Vec<Other>,
}

/// One hierarchy, cold at the beginning, and the graph with it.
struct Other {
    ram: Ram,
    meter: EdagMeter,
}

impl Metric for OtherCaches {
    fn add(&mut self, program: &Program) {
        let others = self.others.iter_mut();
        others.for_each(|other| other.meter.add(program));
    }

    fn take(&mut self, stretch: &Stretch<'_>) {
        self.others.par_iter_mut().for_each(|Other { ram, meter }| {
            meter.follow(stretch, |accessed| {
                ram.access(accessed.access, accessed.addresses)
            });
        });
    }

    fn finish(self: Box<Self>, run: &Run<'_>, counted: &mut Counted) {
        let edags = self.others.iter().map(|other| other.meter.edag(run));
        counted.other_edags = edags.collect();
    }
}
