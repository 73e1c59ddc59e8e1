//! A metric of one's own: one more watches a trace without a change to the pass, the dependences or other metrics.

use std::sync::{Arc, Mutex};

use crate::support::settings::edag_only;
use loopsheet_cache::CacheSpec;
use loopsheet_dataflow::{Held, Lanes, MemoryRule, Rules, Values};
use loopsheet_metrics::analysis::Analysis;
use loopsheet_metrics::counted::Counted;
use loopsheet_metrics::metric::{Metric, Program, Run, Stretch};
use loopsheet_metrics::settings::Settings;
use loopsheet_trace::{Options, UnknownPolicy, decompressed, stream};

const RULES: Rules = Rules {
    memory: MemoryRule::Bytes,
    false_dependences: false,
};

/// Instructions on the longest path up to a value.
#[derive(Clone, Copy)]
struct Length(u64);

impl Held for Length {
    const START: Length = Length(0);
    type Kept = u64;

    fn keep(self) -> u64 {
        self.0
    }

    fn recall(kept: u64) -> Length {
        Length(kept)
    }
}

impl Lanes for Length {
    fn latest(self, other: Length) -> Length {
        Length(self.0.max(other.0))
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Found {
    instructions: u64,
    edges: u64,
    to_ram: u64,
    longest: u64,
}

/// Counts once more what the eDAG counts if every instruction takes a cycle.
struct Again {
    values: Values<Length>,
    found: Found,
    result: Arc<Mutex<Option<Found>>>,
}

impl Metric for Again {
    fn add(&mut self, program: &Program) {
        self.values.add_hart(program.last().0.hart);
    }

    fn take(&mut self, stretch: &Stretch<'_>) {
        stretch.for_each(|step| {
            let ready = self.values.ready(&step);
            let done = Length(ready.0 + 1);
            self.values.complete(&step, ready, done);
            let accesses = step.accessed.map_or(0, |accessed| accessed.used.accesses);
            self.found.instructions += 1;
            self.found.edges += u64::from(step.edges);
            self.found.to_ram += u64::from(accesses);
            self.found.longest = self.found.longest.max(done.0);
        });
    }

    fn finish(self: Box<Self>, run: &Run<'_>, _: &mut Counted) {
        let executed: u64 = run.executions.iter().sum();
        assert_eq!(self.found.instructions, executed);
        *self.result.lock().expect("one thread") = Some(self.found);
    }
}

#[test]
fn one_more_metric_counts_what_the_edag_counts() {
    for trace in ["matmul", "scan", "vadd", "harts"] {
        let path = format!(
            "{}/samples/traces/{trace}.execlog.zst",
            env!("CARGO_MANIFEST_DIR")
        );
        let result = Arc::new(Mutex::new(None));
        let settings = Settings {
            caches: vec!["1KiB,2way,64B".parse::<CacheSpec>().expect("a cache")],
            ..edag_only(RULES)
        };
        let metric = Again {
            values: Values::new(RULES),
            found: Found::default(),
            result: result.clone(),
        };
        let analysis = Analysis::new(settings, None).expect("settings");
        let mut analysis = analysis.with(Box::new(metric));
        let file = std::fs::File::open(&path).expect("a sample");
        let options = Options {
            format: None,
            unknown: UnknownPolicy::Refuse,
        };
        let input = decompressed(file).expect("a trace");
        stream(input, options, &mut analysis).expect("a trace");
        let edag = analysis.finish(true).edag;
        let expected = Found {
            instructions: edag.vertices,
            edges: edag.edges,
            to_ram: edag.memory.expect("addresses").work,
            longest: edag.depth,
        };
        assert_eq!(
            *result.lock().expect("one thread"),
            Some(expected),
            "{trace}"
        );
    }
}
