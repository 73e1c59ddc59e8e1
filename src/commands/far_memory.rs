//! `analyze --objects`: the memory that arrays may go to.

use crate::cli::AnalyzeArgs;
use crate::model::placement::{FAR_BUDGET, FAR_GBS, FAR_LATENCY};
use crate::model::{FarMemory, Model, SettingError};

/// The model with far memory, if that is asked for.
pub fn beside<'p>(model: Model<'p>, args: &AnalyzeArgs) -> Model<'p> {
    match args.objects {
        false => model,
        true => model.with_far_memory(FarMemory {
            latency_ns: args.far_latency,
            gbs: args.far_bandwidth,
            budget: args.loss / 100.0,
        }),
    }
}

/// The error, with the option that sets what the workbook calls so and `--set` does not know.
pub fn with_option(error: SettingError) -> anyhow::Error {
    let option = match (&error, error.setting()) {
        (SettingError::Unknown { .. }, FAR_LATENCY) => "--far-latency NS",
        (SettingError::Unknown { .. }, FAR_GBS) => "--far-bandwidth GB/S",
        (SettingError::Unknown { .. }, FAR_BUDGET) => "--loss PERCENT",
        _ => return error.into(),
    };
    let hint = format!(
        "--objects {option} sets {} of the workbook",
        error.setting()
    );
    anyhow::Error::new(error).context(hint)
}
