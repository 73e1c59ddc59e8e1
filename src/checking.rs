//! The check of every analysis: its costliest nests, run with small sizes (guide: accuracy).

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::analysis::ProcedureBody;
use crate::model::{Checked, Model};
use crate::threads::deep_threads;
use crate::validate::{Checks, MOST_NESTS};

/// Runs the costliest nests with small sizes. Without bodies there is nothing to run.
pub fn checked(
    model: &Model,
    bodies: &[Option<ProcedureBody>],
) -> anyhow::Result<BTreeMap<usize, Checked>> {
    if bodies.is_empty() {
        return Ok(BTreeMap::new());
    }
    let checks = Checks::of(model);
    let check = |nest: usize| {
        let body = bodies[model.nests[nest].nest.function].as_ref()?;
        Some((nest, checks.of_nest(nest, body)?))
    };
    let nests = model.costliest(MOST_NESTS);
    let pool = deep_threads()?;
    Ok(pool.install(|| nests.into_par_iter().filter_map(check).collect()))
}
