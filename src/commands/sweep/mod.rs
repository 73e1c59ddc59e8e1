//! `loopsheet sweep`: many configurations of many inputs.

mod claim;
mod contents;
mod inputs;
mod leftovers;
mod merge;
mod merged;
mod not_read;
mod place;
mod plan;
mod progress;
mod report;
mod result;
mod run;
mod shard;
mod since_plan;
mod source;
mod submit;
mod trace;

use super::{Status, Voice};
use crate::cli::SweepCommand;

pub fn run(command: &SweepCommand, voice: Voice) -> anyhow::Result<Status> {
    match command {
        SweepCommand::Plan(args) => plan::run(args, voice),
        SweepCommand::Run(args) => run::run(args, voice),
        SweepCommand::Submit(args) => submit::run(args, voice),
        SweepCommand::Merge(args) => merge::run(args, voice),
        SweepCommand::Report(args) => report::run(args, voice),
    }
}
