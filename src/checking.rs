//! The check of every analysis: its costliest nests, run with small sizes (guide: accuracy).

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::model::{Checked, Model};
use crate::reading::Bodies;
use crate::threads::deep_threads;
use crate::validate::{Checks, MOST_NESTS};

/// Runs the costliest nests with small sizes. Without bodies there is nothing to run.
pub fn checked(model: &Model, bodies: &Bodies) -> anyhow::Result<BTreeMap<usize, Checked>> {
    if bodies.is_empty() {
        return Ok(BTreeMap::new());
    }
    let checks = Checks::of(model);
    let nests = model.costliest(MOST_NESTS);
    let function = |nest: &usize| model.nests[*nest].nest.function;
    let bodies = bodies.of(&nests.iter().map(function).collect());
    let check = |nest: usize| {
        let body = bodies[function(&nest)].as_ref()?;
        Some((nest, checks.of_nest(nest, body)?))
    };
    let pool = deep_threads()?;
    Ok(pool.install(|| nests.into_par_iter().filter_map(check).collect()))
}
