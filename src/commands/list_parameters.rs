//! `loopsheet parameters`: what the figures of a program rest on.

use super::inputs::{self, Reading};
use super::outputs::{self, Output};
use super::{Status, Voice, diagnostics, machines, parameters};
use crate::cli::ParametersArgs;
use crate::diagnostic::Diagnostic;
use crate::export;
use crate::model::{Detail, Model};

pub fn run(args: &ParametersArgs, voice: Voice) -> anyhow::Result<Status> {
    let machine = machines::load(&args.machine)?;
    let settings = parameters::settings(&args.source.settings)?;
    let reading = Reading::of(&args.source)?;
    let json = args.json.as_deref().map(Output::create).transpose()?;
    let file = args.write.as_deref().map(Output::create).transpose()?;
    let program = inputs::read(&args.paths, &reading, voice)?;
    let found: Vec<&Diagnostic> = program.files.iter().flat_map(|f| &f.diagnostics).collect();
    diagnostics::print(&found, voice, &|path| std::fs::read_to_string(path).ok());
    anyhow::ensure!(
        !program.functions.is_empty(),
        "nothing could be analysed: no function could be read"
    );
    let model = Model::with(&program, machine, &settings, Detail::Least)?;
    let is_silent = json.is_none() && file.is_none();
    if let Some(output) = json {
        output.finish(export::parameters::json(&model)?.as_bytes())?;
    }
    if let Some(output) = file {
        output.finish(export::parameters::toml(&model).as_bytes())?;
    }
    if is_silent {
        let text = export::parameters::table(&model, args.all, voice.screen);
        outputs::print(text.as_bytes())?;
    }
    Ok(Status::Done)
}
