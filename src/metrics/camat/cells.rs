//! A short timeline cycle by cycle, as the papers draw it.

use super::{Camat, NamedAccess};

/// Cycles of the longest timeline that is drawn.
pub const MOST_CYCLES: u64 = 200;

/// One level, of one hart if it is private.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panel {
    /// `L1`, or `L1 of hart 3` where there are several.
    pub name: String,
    pub rows: Vec<Row>,
    /// From the first cycle of the run on.
    pub cycles: Vec<Cycle>,
}

/// An access at a level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub id: String,
    /// First cycle of its look-up.
    pub start: u64,
    pub hit: u64,
    pub miss: u64,
}

/// Accesses that look up and wait in one cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cycle {
    pub hits: u64,
    pub misses: u64,
}

/// What goes on in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CycleKind {
    Inactive,
    PureHit,
    PureMiss,
    Mixed,
}

impl Cycle {
    pub fn kind(self) -> CycleKind {
        match (self.hits, self.misses) {
            (0, 0) => CycleKind::Inactive,
            (_, 0) => CycleKind::PureHit,
            (0, _) => CycleKind::PureMiss,
            _ => CycleKind::Mixed,
        }
    }
}

/// Every level of a timeline that is short enough; `None` if it is longer than [`MOST_CYCLES`] or its accesses
/// were too many to keep.
pub fn panels(camat: &Camat) -> Option<Vec<Panel>> {
    let accesses = camat.accesses.as_ref()?;
    let (first, last) = camat.run;
    if last + 1 - first > MOST_CYCLES {
        return None;
    }
    let mut harts: Vec<u16> = accesses.iter().map(|named| named.access.hart).collect();
    harts.sort_unstable();
    harts.dedup();
    let mut panels = Vec::new();
    for (index, level) in camat.levels.iter().enumerate() {
        if harts.len() == 1 || camat.first_shared.is_some_and(|shared| index >= shared) {
            panels.push(panel(
                level.name.clone(),
                index,
                camat.run,
                &mut accesses.iter(),
            ));
            continue;
        }
        for hart in &harts {
            let name = format!("{} of hart {hart}", level.name);
            panels.push(panel(
                name,
                index,
                camat.run,
                &mut accesses.iter().filter(|named| named.access.hart == *hart),
            ));
        }
    }
    Some(panels)
}

fn panel(
    name: String,
    level: usize,
    (first, last): (u64, u64),
    accesses: &mut dyn Iterator<Item = &NamedAccess>,
) -> Panel {
    let mut cycles = vec![Cycle::default(); (last + 1 - first) as usize];
    let mut rows = Vec::new();
    for NamedAccess { id, access } in accesses {
        let Some(stay) = access.stays.get(level) else {
            continue;
        };
        let start = access.start
            + access.stays[..level]
                .iter()
                .map(|stay| stay.hit)
                .sum::<u64>();
        let (from, looked_up) = (
            (start - first) as usize,
            (start + stay.hit - first) as usize,
        );
        cycles[from..looked_up]
            .iter_mut()
            .for_each(|cycle| cycle.hits += 1);
        cycles[looked_up..looked_up + stay.miss as usize]
            .iter_mut()
            .for_each(|cycle| cycle.misses += 1);
        rows.push(Row {
            id: id.clone(),
            start,
            hit: stay.hit,
            miss: stay.miss,
        });
    }
    Panel { name, rows, cycles }
}
