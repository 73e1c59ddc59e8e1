//! `loopsheet trace`: an instruction trace to table, workbook, JSON and pictures.

mod input;
mod settings;

use std::path::Path;

use anyhow::Context;

use super::outputs::{self, Output};
use super::{Status, Voice};
use crate::cli::TraceArgs;
use crate::metrics::analysis::{Analysis, Counted};
use crate::metrics::report::{Inputs, TraceReport, TraceSummary};
use crate::trace::{self, ReadSummary};

pub fn run(args: &TraceArgs, voice: Voice) -> anyhow::Result<Status> {
    let settings = settings::of(args)?;
    let inputs = settings::inputs(args)?;
    let options = settings::options(args);
    let input = input::open(&args.trace, voice)?;
    let mut analysis = Analysis::new(settings, None)?;
    let read = trace::stream(input, options, &mut analysis)
        .map_err(|error| anyhow::anyhow!("{}: {error}", name(&args.trace)))?;
    let counted = analysis.finish(read.format.has_addresses());
    println!("{:?} {:?}", read, counted.edag);
    let f = crate::metrics::formulas::Figures::of(&counted.edag, &inputs);
    println!("{:?}", f);
    Ok(Status::Done)
}

fn name(path: &Path) -> String {
    if path.as_os_str() == "-" { "standard input".to_string() } else { path.display().to_string() }
}
