//! The check of every analysis: its costliest nests, run with small sizes, and with the machine's ways where their lines
//! collide (guide: accuracy-traffic, "The check of every analysis").

use rayon::prelude::*;

use crate::cache::spec::Ways;
use crate::core_levels::one_core;
use crate::model::{Findings, Model};
use crate::reading::Bodies;
use crate::threads::deep_threads;
use crate::validate::{Checks, MOST_NESTS};

/// Runs the costliest nests. Without bodies there is nothing to run.
pub fn checked(model: &Model, bodies: &Bodies) -> anyhow::Result<Findings> {
    if bodies.is_empty() {
        return Ok(Findings::default());
    }
    let checks = Checks::of(model);
    let nests = model.costliest(MOST_NESTS);
    let function = |nest: &usize| model.nests[*nest].nest.function;
    let bodies = bodies.of(&nests.iter().map(function).collect());
    // Where lines of a shared cache lie, other cores and its own hash of addresses decide, too.
    let levels = model.machine.levels();
    let own = levels.iter().take_while(|level| level.shared_by == 1.0);
    let own = own.map_while(|level| one_core(level).ok());
    let own: Vec<_> = own.take_while(|level| level.ways != Ways::Full).collect();
    let check = |(rank, nest): (usize, usize)| {
        let body = bodies[function(&nest)].as_ref()?;
        Some((
            nest,
            checks.of_nest(nest, rank, body),
            checks.conflicts(nest, rank, body, &own),
        ))
    };
    let pool = deep_threads()?;
    let found: Vec<_> = pool.install(|| {
        let nests = nests.into_par_iter().enumerate();
        nests.filter_map(check).collect()
    });
    let mut findings = Findings::default();
    for (nest, checked, conflicts) in found {
        findings
            .checked
            .extend(checked.map(|checked| (nest, checked)));
        if !conflicts.is_empty() {
            findings.conflicts.insert(nest, conflicts);
        }
    }
    Ok(findings)
}
