//! The executions of a short trace, kept to draw its graph.

use super::counted::{Counted, Execution};
use super::entry::Entry;
use super::metric::{Metric, Program, Run, Stretch};

pub(super) const ENTRY: Entry = Entry {
    name: "executions",
    meaning: "the executions of a short trace, from which its graph is drawn",
    make: |asked| {
        let most = asked.settings.keep;
        Ok((most > 0).then(|| Box::new(Kept::new(most)) as Box<dyn Metric>))
    },
};

/// Keeps them as long as they are not too many.
struct Kept {
    most: usize,
    executions: Option<Vec<Execution>>,
}

impl Kept {
    fn new(most: usize) -> Kept {
        Kept {
            most,
            executions: Some(Vec::new()),
        }
    }
}

impl Metric for Kept {
    fn add(&mut self, _: &Program) {}

    fn take(&mut self, stretch: &Stretch<'_>) {
        let Some(executions) = &mut self.executions else {
            return;
        };
        if executions.len() + stretch.steps.len() > self.most {
            self.executions = None;
            return;
        }
        stretch.for_each(|step| {
            executions.push(Execution {
                instruction: step.instruction,
                access: step.accessed.map(|accessed| accessed.access),
                addresses: step.addresses().to_vec(),
                to_ram: step.accessed.is_some_and(|own| own.used.accesses > 0),
                cycles: stretch.program.cycles(step.instruction),
            });
        });
    }

    fn finish(self: Box<Self>, _: &Run<'_>, counted: &mut Counted) {
        counted.kept = self.executions;
    }
}
