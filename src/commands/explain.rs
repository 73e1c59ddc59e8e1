//! `analyze --explain`: one nest, the names of all, or what a code or a figure means.

use anyhow::Context;

use super::Status;
use super::analyze::{has_reports, source_text};
use super::outputs::{self, Output};
use crate::cli::AnalyzeArgs;
use crate::export::explain::{self, Depth, Meant};
use crate::model::Model;

/// Explains what takes no input, if no files are given.
pub(super) fn before_reading(args: &AnalyzeArgs) -> anyhow::Result<Option<Status>> {
    let Some(name) = &args.explain else {
        return Ok(None);
    };
    let Some(name) = name else {
        anyhow::ensure!(
            !args.paths.is_empty(),
            "--explain: to list the names of nests, give files or directories before it: loopsheet analyze src --explain"
        );
        return Ok(None);
    };
    anyhow::ensure!(
        !name.trim().is_empty(),
        "--explain: give a loop such as smooth@12 and its file, or a code such as while_loop or syntax-error"
    );
    match args.paths.is_empty() {
        true => without_input(name, args).map(Some),
        false => Ok(None),
    }
}

/// Explains a reason or diagnostic by its code, a kind of figure by its name. As text, to the file of `-o` if there is
/// one.
fn without_input(name: &str, args: &AnalyzeArgs) -> anyhow::Result<Status> {
    let text = explain::without_input(name).with_context(|| {
        let near = explain::did_you_mean(name, explain::known());
        let files = match std::path::Path::new(name).exists() {
            true => format!("; to list the nests of {name}, give it before --explain"),
            false => "; for a loop, give its file, too".to_string(),
        };
        format!("--explain {name}: no reason or diagnostic has this code, and no figure or parameter of machines has this name{near}{files}")
    })?;
    anyhow::ensure!(
        !has_reports(args),
        "--explain {name}: there is nothing to analyse, so only -o can be written, as text"
    );
    match &args.output {
        Some(path) => {
            let format = path.extension().and_then(|extension| extension.to_str());
            anyhow::ensure!(
                format.is_none_or(|format| matches!(format, "txt" | "text" | "md")),
                "-o {}: the meaning of a code is written as text; give the file the extension .txt",
                path.display()
            );
            Output::create(path)?.finish(text.as_bytes())?;
        }
        None => outputs::print(text.as_bytes())?,
    }
    Ok(Status::Done)
}

/// What is asked to be explained of a model.
pub(super) fn explained(model: &Model, args: &AnalyzeArgs) -> anyhow::Result<Option<String>> {
    let depth = match args.explain_full {
        true => Depth::Derivation,
        false => Depth::Screen,
    };
    let text = match &args.explain {
        None => return Ok(None),
        Some(None) => explain::list(model),
        Some(Some(name)) => match explain::meant(model, name).map_err(anyhow::Error::msg)? {
            Meant::Text(text) => text,
            Meant::Nest(nest) => explain::nest(model, nest, depth, &source_text),
        },
    };
    Ok(Some(text))
}

/// The nests that have a sheet of their own, each once.
pub(super) fn nest_sheets(model: &Model, names: &[String]) -> anyhow::Result<Vec<usize>> {
    let mut nests = Vec::new();
    for name in names {
        let nest =
            explain::nest_named(model, ("--nest-sheet", name)).map_err(anyhow::Error::msg)?;
        if !nests.contains(&nest) {
            nests.push(nest);
        }
    }
    Ok(nests)
}
