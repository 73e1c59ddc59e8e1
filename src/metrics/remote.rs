//! What if a share of the RAM accesses were remote and cost more? The distribution of T∞ over trials,
//! each with its own random choice of accesses (guide: dynamic-model, "Memory work, memory
//! depth and λ").

use super::counted::Counted;
use super::entry::Entry;
use super::metric::{Metric, Program, Run, Stretch, ram_use};
use super::report::RemoteDelay;
use super::settings::RemoteSettings;
use crate::cache::split_mix;
use crate::dataflow::{Held, Lanes, Rules, Values};

pub(super) const ENTRY: Entry = Entry {
    name: "remote",
    meaning: "the depth when a share of the RAM accesses, chosen at random, costs more",
    make: |asked| {
        let meter = |remote| RemoteMeter::new(remote, asked.settings.rules);
        let meter = asked.settings.remote.map(meter);
        Ok(meter.map(|meter| Box::new(meter) as Box<dyn Metric>))
    },
};

/// Trials at once, as lanes of one engine.
const LANES: usize = 16;
/// The first two lanes of all are not trials: no access remote, and every access remote.
const BOUNDS: u32 = 2;

/// T∞ of every trial up to a value, cycles.
#[derive(Clone, Copy, Debug)]
struct Depths([u64; LANES]);

impl Held for Depths {
    const START: Depths = Depths([0; LANES]);
    type Kept = Depths;

    fn keep(self) -> Depths {
        self
    }

    fn recall(kept: Depths) -> Depths {
        kept
    }
}

impl Lanes for Depths {
    #[inline(always)]
    fn latest(self, other: Depths) -> Depths {
        Depths(std::array::from_fn(|lane| self.0[lane].max(other.0[lane])))
    }
}

/// Follows all trials.
struct RemoteMeter {
    settings: RemoteSettings,
    groups: Vec<Group>,
    /// RAM instructions so far; each has its own draw in every trial.
    drawn: u64,
}

struct Group {
    values: Values<Depths>,
    first: u32,
    deepest: Depths,
}

impl RemoteMeter {
    fn new(settings: RemoteSettings, rules: Rules) -> RemoteMeter {
        let group = |first| Group {
            values: Values::new(rules),
            first,
            deepest: Depths::START,
        };
        let groups = (0..settings.trials + BOUNDS)
            .step_by(LANES)
            .map(group)
            .collect();
        RemoteMeter {
            settings,
            groups,
            drawn: 0,
        }
    }

    fn depths(self) -> RemoteDelay {
        let RemoteSettings {
            share,
            delay,
            seed,
            trials,
            ..
        } = self.settings;
        let lanes: Vec<u64> = self
            .groups
            .iter()
            .flat_map(|group| group.deepest.0)
            .collect();
        let mut depths = lanes[BOUNDS as usize..][..trials as usize].to_vec();
        depths.sort_unstable();
        RemoteDelay {
            share,
            delay,
            seed,
            depths,
            local: lanes[0],
            all_remote: lanes[1],
        }
    }
}

impl Metric for RemoteMeter {
    fn add(&mut self, program: &Program) {
        let hart = program.last().0.hart;
        self.groups
            .iter_mut()
            .for_each(|group| group.values.add_hart(hart));
    }

    fn take(&mut self, stretch: &Stretch<'_>) {
        let before = self.drawn;
        for group in &mut self.groups {
            self.drawn = group.take(stretch, &self.settings, before);
        }
    }

    fn finish(self: Box<Self>, _: &Run<'_>, counted: &mut Counted) {
        counted.remote = Some(self.depths());
    }
}

impl Group {
    /// Takes the steps; an instruction that goes to RAM costs the latency in place of its cycles. So many have gone
    /// there before; returns how many then have.
    fn take(&mut self, stretch: &Stretch<'_>, settings: &RemoteSettings, mut drawn: u64) -> u64 {
        let RemoteSettings {
            share,
            delay,
            latency,
            seed,
            ..
        } = *settings;
        let first = self.first;
        stretch.for_each(|step| {
            let to_ram = ram_use(&step).accesses > 0;
            drawn += u64::from(to_ram);
            let cycles = stretch.program.cycles(step.instruction);
            let cost = |lane: usize| match (to_ram, first + lane as u32) {
                (false, _) => cycles,
                (true, 0) => latency,
                (true, 1) => latency + delay,
                (true, trial) if is_remote(seed, trial, drawn, share) => latency + delay,
                (true, _) => latency,
            };
            let ready = self.values.ready(&step);
            let done = Depths(std::array::from_fn(|lane| ready.0[lane] + cost(lane)));
            self.values.complete(&step, ready, done);
            self.deepest = self.deepest.latest(done);
        });
        drawn
    }
}

/// The draw depends on seed, trial and access alone, so that trials can be followed in any grouping.
fn is_remote(seed: u64, trial: u32, access: u64, share: f64) -> bool {
    let mixed = split_mix(
        split_mix(seed ^ u64::from(trial).wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_add(access),
    );
    // 53 bits make a uniform number from 0 to below 1.
    ((mixed >> 11) as f64) * (1.0 / (1u64 << 53) as f64) < share
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_have_the_share_asked_for() {
        for share in [0.0, 0.1, 0.5, 1.0] {
            let remote = (0..100_000)
                .filter(|access| is_remote(7, 3, *access, share))
                .count();
            // Four standard deviations of a binomial distribution.
            let spread = 4.0 * (100_000.0 * share * (1.0 - share)).sqrt();
            assert!(
                (remote as f64 - 100_000.0 * share).abs() <= spread,
                "{remote} of 100,000 at {share}"
            );
        }
    }
}
