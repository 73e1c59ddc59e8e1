//! `loopsheet parameters`: what the figures of a program rest on.

use std::path::{Path, PathBuf};

use super::outputs::{self, Output};
use super::progress::FileBar;
use super::project::Project;
use super::{Status, Voice, analyze, config, diagnostics, parameters};
use crate::cli::ParametersArgs;
use crate::diagnostic::Diagnostic;
use crate::export;
use crate::model::{Detail, Model};
use crate::reading::inputs;

pub fn run(args: &ParametersArgs, voice: Voice) -> anyhow::Result<Status> {
    let mut project = Project::of(args.machine.as_deref(), &args.source, &args.paths, voice)?;
    let json = args.json.as_deref().map(Output::create).transpose()?;
    let file = args.write.as_deref().map(Output::create).transpose()?;
    let mut program = inputs::read(&args.paths, &project.reading, &FileBar::new(voice))?;
    project.begin(&mut program)?;
    let typed = args.paths.iter().chain(&args.counts);
    let read = program.files.iter().map(|file| Path::new(&*file.path));
    let wanted = args.json.iter().chain(&args.write);
    outputs::spare_inputs(
        wanted.map(PathBuf::as_path),
        typed.map(PathBuf::as_path).chain(read),
        "files to read",
    )?;
    let found: Vec<&Diagnostic> = program.files.iter().flat_map(|f| &f.diagnostics).collect();
    diagnostics::print(&found, voice, &analyze::source_text);
    anyhow::ensure!(
        !program.functions.is_empty(),
        "nothing could be analysed: no function could be read"
    );
    let model = match analyze::counts_in_force(&args.counts, &project) {
        [] => {
            let (model, settings) = project.build(voice, |settings| {
                Model::with(&program, project.machine.clone(), settings, Detail::Least)
            })?;
            project.remark_without_effect(&model.machine, &settings, voice);
            model
        }
        counts => {
            let (model, _) = analyze::with_counts(&program, &project, voice, counts)?;
            project.remark_without_effect(&model.machine, &project.settings, voice);
            model
        }
    };
    let is_silent = json.is_none() && file.is_none();
    let toml = args.write.as_deref().map(|path| {
        let text = export::parameters::toml(&model);
        config::spare_settings(path, &text).map(|()| text)
    });
    let toml = toml.transpose()?;
    if let Some(output) = json {
        output.finish(export::parameters::json(&model)?.as_bytes())?;
    }
    if let (Some(output), Some(text)) = (file, toml) {
        output.finish(text.as_bytes())?;
    }
    if is_silent {
        let mut text = export::parameters::table(&model, args.all, voice.screen);
        text.push_str(&parameters::input_nearby(
            &model,
            (&project.reading, &args.paths),
        ));
        outputs::print(text.as_bytes())?;
    }
    Ok(Status::Done)
}
