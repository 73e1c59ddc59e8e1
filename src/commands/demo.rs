//! `loopsheet demo`: a complete report of the samples, with nothing else installed.

use std::path::Path;

use anyhow::Context;

use super::inputs::{self, Reading};
use super::outputs::{self, Output};
use super::{Status, Voice, samples};
use crate::cli::Cpp;
use crate::export::{json, table, xlsx, xml};
use crate::machine::MachineModel;
use crate::model::{Model, Setting};

/// The machine that the demo estimates for.
const MACHINE: &str = "xeon-8380";

/// Blocks and bounds that make the samples interesting; each can be changed in the workbook.
const SETTINGS: &[(&str, &str)] = &[("n", "512"), ("ncomp", "5"), ("hi(1)", "256"), ("hi(2)", "256"), ("hi(3)", "256")];

pub fn run(dir: &Path, voice: Voice) -> anyhow::Result<Status> {
    let what = || format!("cannot write the demo into {}", dir.display());
    anyhow::ensure!(!dir.is_file(), "{}: it is a file", what());
    for (name, text) in samples::KERNELS {
        let path = dir.join("samples").join(name);
        std::fs::create_dir_all(path.parent().unwrap_or(dir)).with_context(what)?;
        std::fs::write(&path, text).with_context(what)?;
    }
    let reading = Reading { include: &[], define: &[], cpp: Cpp::Auto, function: None };
    let mut program = inputs::read(&[dir.join("samples")], &reading, voice)?;
    name_relative_to(&mut program, dir);
    let settings: Vec<Setting> =
        (SETTINGS.iter()).map(|(name, value)| Setting { name: name.to_string(), value: value.to_string() }).collect();
    let model = Model::build(&program, MachineModel::preset(MACHINE)?, &settings)?;
    let table = table::render(&model, None);
    let files: [(&str, Vec<u8>); 4] = [
        ("report.xlsx", xlsx::workbook(&model)?),
        ("model.xml", xml::write(&program).into_bytes()),
        ("report.json", json::analysis(&model).into_bytes()),
        ("report.txt", table.clone().into_bytes()),
    ];
    for (name, content) in files {
        Output::create(&dir.join(name))?.finish(&content)?;
    }
    outputs::print(table.as_bytes())?;
    if !voice.quiet {
        let dir = dir.display();
        eprintln!("\nwrote {dir}/report.xlsx (open it in Excel or LibreOffice and change a cell of sheet Machine),");
        eprintln!("      {dir}/model.xml, {dir}/report.json, {dir}/report.txt and the sources in {dir}/samples");
    }
    Ok(Status::Done)
}

/// Reports name the samples relative to the directory, so that they are the same wherever it is.
fn name_relative_to(program: &mut crate::analysis::facts::Program, dir: &Path) {
    let prefix = format!("{}/", dir.to_string_lossy().replace('\\', "/"));
    let prefix = prefix.strip_prefix("./").unwrap_or(&prefix).to_string();
    program.rename_files(&|path| path.strip_prefix(&prefix).unwrap_or(path).into());
}
