//! `analyze --objects`: the memory that arrays may go to.

use crate::cli::AnalyzeArgs;
use crate::model::{FarMemory, Model};

/// The model with far memory, if that is asked for.
///
/// # Errors
/// A figure of it is out of range.
pub fn beside<'p>(model: Model<'p>, args: &AnalyzeArgs) -> anyhow::Result<Model<'p>> {
    if !args.objects {
        return Ok(model);
    }
    let AnalyzeArgs {
        far_latency,
        far_bandwidth,
        loss,
        ..
    } = *args;
    anyhow::ensure!(
        (1.0..=1e6).contains(&far_latency),
        "--far-latency {far_latency}: must be from 1 to 1000000 ns"
    );
    anyhow::ensure!(
        (1e-3..=1e9).contains(&far_bandwidth),
        "--far-bandwidth {far_bandwidth}: must be from 0.001 to 1000000000 GB/s"
    );
    anyhow::ensure!(
        (0.0..=1000.0).contains(&loss),
        "--loss {loss}: must be from 0 to 1000 percent"
    );
    Ok(model.with_far_memory(FarMemory {
        latency_ns: far_latency,
        gbs: far_bandwidth,
        budget: loss / 100.0,
    }))
}
