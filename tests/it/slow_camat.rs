//! The obvious way to count a timeline: every cycle of every hart in turn, asking every access. And random timelines.

use loopsheet_metrics::camat::{Camat, CamatMeter, LevelCounts, MeterSettings, Program};
use loopsheet_metrics::timeline::{Stay, TimedAccess, TimelineSink, WaitsFor};
use proptest::prelude::*;

#[derive(Clone, Debug)]
pub struct RandomTimeline {
    pub levels: usize,
    pub first_shared: Option<usize>,
    pub program: Program,
    /// By start.
    pub accesses: Vec<TimedAccess>,
}

/// 1 to 4 levels, 1 to 40 accesses of 1 to 3 harts, secondary misses in half of them.
pub fn timeline() -> impl Strategy<Value = RandomTimeline> {
    let access = (
        0..3u16,
        0..60u64,
        0..5usize,
        prop::collection::vec(1..4u64, 4),
        0..20u64,
        any::<bool>(),
    );
    let shape = (
        1..=4usize,
        prop::option::of(0..4usize),
        1..=3u16,
        any::<bool>(),
    );
    (shape, prop::collection::vec(access, 1..40)).prop_map(
        |((levels, shared, harts, secondary), drawn)| {
            let made = drawn
                .into_iter()
                .map(|(hart, start, depth, hits, beyond, waits)| {
                    let depth = depth.min(levels);
                    let is_secondary = secondary && waits && depth < levels;
                    (
                        hart % harts,
                        start,
                        stays(levels, depth, &hits, beyond, is_secondary),
                    )
                });
            let mut accesses: Vec<TimedAccess> = made
                .map(|(hart, start, stays)| TimedAccess {
                    hart,
                    start,
                    stays: stays.into(),
                    waits_for: WaitsFor::Untold,
                })
                .collect();
            accesses.sort_by_key(|access| access.start);
            let program = Program {
                instructions: Some(100),
                cpi_exe: Some(0.75),
                hart_cycles: None,
                stall_target: 0.1,
            };
            RandomTimeline {
                levels,
                first_shared: shared.filter(|level| *level < levels),
                program,
                accesses,
            }
        },
    )
}

/// Misses the first `depth` levels; `beyond` is the wait of a secondary miss or for RAM.
fn stays(levels: usize, depth: usize, hits: &[u64], beyond: u64, is_secondary: bool) -> Vec<Stay> {
    let visited = if is_secondary {
        depth.max(1)
    } else {
        (depth + 1).min(levels)
    };
    let mut stays: Vec<Stay> = Vec::new();
    let mut miss = if is_secondary || depth == levels {
        beyond
    } else {
        0
    };
    for level in (0..visited).rev() {
        stays.insert(
            0,
            Stay {
                hit: hits[level],
                miss,
            },
        );
        miss += hits[level];
    }
    stays
}

impl RandomTimeline {
    pub fn streamed(&self) -> Camat {
        let mut meter = CamatMeter::new(MeterSettings {
            levels: self.levels,
            first_shared: self.first_shared,
        });
        for access in &self.accesses {
            meter.settled(access.start);
            meter.access(access);
        }
        meter.finish(self.program, None)
    }

    pub fn all_misses_go_on(&self) -> bool {
        let is_secondary = |access: &TimedAccess| {
            access.stays.len() < self.levels
                && access.stays.last().is_some_and(|stay| stay.miss > 0)
        };
        self.first_shared.is_none() && !self.accesses.iter().any(is_secondary)
    }

    pub fn csv(&self) -> String {
        let levels = (1..=self.levels)
            .map(|level| format!(",h{level},m{level}"))
            .collect::<String>();
        let mut text = format!("id,hart,start{levels}\n");
        for (index, access) in self.accesses.iter().enumerate() {
            text += &format!("a{index},{},{}", access.hart, access.start);
            for level in 0..self.levels {
                match access.stays.get(level) {
                    Some(stay) => text += &format!(",{},{}", stay.hit, stay.miss),
                    None => text += ",,",
                }
            }
            text += "\n";
        }
        text
    }

    pub fn brute_force(&self) -> Vec<LevelCounts> {
        let mut harts: Vec<u16> = self.accesses.iter().map(|access| access.hart).collect();
        harts.sort_unstable();
        harts.dedup();
        (0..self.levels)
            .map(|level| {
                if self.first_shared.is_some_and(|shared| level >= shared) {
                    return self.level(level, &harts, harts.len() as u64);
                }
                let mut sum = LevelCounts::default();
                harts
                    .iter()
                    .for_each(|hart| sum.combine(self.level(level, &[*hart], 1)));
                sum
            })
            .collect()
    }

    /// One level of some harts.
    fn level(&self, level: usize, harts: &[u16], sharers: u64) -> LevelCounts {
        let begins = |access: &TimedAccess| {
            access.start + access.stays[..level].iter().map(|s| s.hit).sum::<u64>()
        };
        let here: Vec<(u64, Stay, bool)> = self
            .accesses
            .iter()
            .filter(|access| harts.contains(&access.hart) && access.stays.len() > level)
            .map(|access| {
                (
                    begins(access),
                    access.stays[level],
                    access.stays.len() == level + 1 && level + 1 < self.levels,
                )
            })
            .collect();
        let end = self
            .accesses
            .iter()
            .map(|a| a.start + a.stays[0].hit + a.stays[0].miss)
            .max()
            .unwrap_or(0);
        let first = self
            .accesses
            .iter()
            .map(|access| access.start)
            .min()
            .unwrap_or(1);
        let looks_up = |(start, stay, _): &(u64, Stay, bool), cycle| {
            (*start..start + stay.hit).contains(&cycle)
        };
        let waits = |(start, stay, _): &(u64, Stay, bool), cycle| {
            (start + stay.hit..start + stay.hit + stay.miss).contains(&cycle)
        };
        let mut counts = LevelCounts {
            name: format!("L{}", level + 1),
            sharers,
            ..LevelCounts::default()
        };
        let mut pure_cycles = Vec::new();
        for cycle in first..end {
            let hits = here.iter().filter(|stay| looks_up(stay, cycle)).count() as u64;
            let misses = here.iter().filter(|stay| waits(stay, cycle)).count() as u64;
            counts.n += 1;
            counts.hit_cycles += hits;
            counts.miss_cycles += misses;
            counts.onward += u64::from(here.iter().any(|stay| waits(stay, cycle) && !stay.2));
            match (hits > 0, misses > 0) {
                (false, false) => counts.e += 1,
                (true, false) => counts.h += 1,
                (true, true) => counts.x += 1,
                (false, true) => {
                    counts.m += 1;
                    counts.pure_miss_cycles += misses;
                    pure_cycles.push(cycle);
                }
            }
        }
        counts.omega = counts.n - counts.e;
        for stay in &here {
            counts.alpha += 1;
            counts.stay_cycles += stay.1.hit + stay.1.miss;
            counts.alpha_m += u64::from(stay.1.miss > 0);
            counts.untold += u64::from(level + 1 == self.levels && stay.1.miss > 0);
            counts.alpha_pure += u64::from(pure_cycles.iter().any(|cycle| waits(stay, *cycle)));
            if stay.2 && stay.1.miss > 0 {
                counts.secondary += 1;
                counts.secondary_cycles += stay.1.miss;
            }
        }
        counts
    }
}
