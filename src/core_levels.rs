//! The caches of a machine as one core has them, to simulate.

use anyhow::Context;

use crate::cache::spec::Ways;
use crate::cache::{CacheSpec, Hierarchy};
use crate::machine::{Level, MachineModel};

/// The levels of a machine, as one core has them.
///
/// # Errors
/// They are not a hierarchy.
pub fn of_machine(machine: &MachineModel) -> anyhow::Result<Vec<CacheSpec>> {
    sound(
        machine
            .levels()
            .iter()
            .map(one_core)
            .collect::<anyhow::Result<_>>()?,
        "--machine",
    )
}

/// Levels that make a hierarchy; `origin` says who gave them.
///
/// # Errors
/// They do not.
pub fn sound(levels: Vec<CacheSpec>, origin: &'static str) -> anyhow::Result<Vec<CacheSpec>> {
    match levels.iter().all(|level| level.ways == Ways::Full) {
        // Each stands alone: there may be any number of them.
        true => levels
            .iter()
            .try_for_each(CacheSpec::validate)
            .context(origin)?,
        false => Hierarchy::new(&levels).map(|_| ()).context(origin)?,
    }
    Ok(levels)
}

/// One core's share of a level of a machine, in whole sets.
pub fn one_core(level: &Level) -> anyhow::Result<CacheSpec> {
    let ways = level
        .ways
        .map_or(Ways::Full, |ways| Ways::Fixed(ways as u32));
    let set = level.line as u64
        * if let Ways::Fixed(ways) = ways {
            u64::from(ways)
        } else {
            1
        };
    let bytes = (level.share() as u64 / set).max(1) * set;
    let spec = CacheSpec {
        ways,
        line: level.line as u32,
        ..CacheSpec::of_bytes(bytes)
    };
    spec.validate().with_context(|| level.name.clone())?;
    Ok(spec)
}
