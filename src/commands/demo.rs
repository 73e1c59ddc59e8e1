//! `loopsheet demo`: a complete report of the samples, with nothing else installed.

use super::progress::FileBar;
use std::path::Path;

use anyhow::Context;
use clap::Parser;

use super::outputs::{self, Output};
use super::{Status, Voice, parameters, samples, trace};
use crate::cli::{Cli, Command, TraceArgs};
use crate::export::{html, json, table, xlsx, xml};
use crate::machine::MachineModel;
use crate::model::{Model, Setting};
use crate::reading::files;
use crate::reading::{Caching, Cpp, Order, Reading, RunInput, inputs};

/// The machine that the demo estimates for.
const MACHINE: &str = "xeon-8380";

/// Sizes that make the samples interesting: all that much depends on, so that nothing of it is guessed. Each can be changed
/// in the workbook.
const SETTINGS: &[(&str, &str)] = &[
    ("n", "512"),
    ("ncomp", "5"),
    ("lo(1)", "1"),
    ("lo(2)", "1"),
    ("lo(3)", "1"),
    ("hi(1)", "256"),
    ("hi(2)", "256"),
    ("hi(3)", "256"),
    ("ng", "4"),
    ("colour", "1"),
    ("nx", "128"),
    ("ny", "128"),
];

pub fn run(dir: &Path, voice: Voice) -> anyhow::Result<Status> {
    let what = || format!("cannot write the demo into {}", dir.display());
    anyhow::ensure!(!dir.is_file(), "{}: it is a file", what());
    let kernels = samples::KERNELS
        .iter()
        .map(|(name, text)| (name, text.as_bytes()));
    for (name, content) in kernels.chain(
        samples::TRACES
            .iter()
            .map(|(name, content)| (name, *content)),
    ) {
        let path = dir.join("samples").join(name);
        std::fs::create_dir_all(path.parent().unwrap_or(dir)).with_context(what)?;
        std::fs::write(&path, content).with_context(what)?;
    }
    let settings: Vec<Setting> = (SETTINGS.iter())
        .map(|(name, value)| Setting::new(*name, *value))
        .collect();
    let machine = MachineModel::preset(MACHINE)?;
    let reading = Reading {
        include: Vec::new(),
        define: Vec::new(),
        undefine: Vec::new(),
        flags: Vec::new(),
        database: None,
        ignore: Vec::new(),
        cpp: Cpp::Auto,
        blas: true,
        function: None,
        input: RunInput::default(),
        sizes: parameters::sizes(&settings, &machine),
        follows_opened: false,
        order: Order::default(),
        caching: Caching::Off,
        hidden: None,
        stands_for: None,
    };
    let mut program = inputs::read(
        &[dir.join("samples/kernels")],
        &reading,
        &FileBar::new(voice),
    )?;
    name_relative_to(&mut program, dir);
    let model = Model::build(&program, machine, &settings)?;
    let source_text = |path: &str| std::fs::read(dir.join(path)).ok().map(files::decode);
    let files: [(&str, Vec<u8>); 5] = [
        (
            "report.xlsx",
            xlsx::workbook(&model.for_any_machine(xlsx::ROOM))?,
        ),
        (
            "report.html",
            html::report(&model, &source_text).into_bytes(),
        ),
        ("model.xml", xml::write(&program).into_bytes()),
        ("report.json", json::report(&model).into_bytes()),
        (
            "report.txt",
            table::render(&model, table::Shown::All, table::Screen::default()).into_bytes(),
        ),
    ];
    for (name, content) in files {
        Output::create(&dir.join(name))?.finish(&content)?;
    }
    outputs::print(table::render(&model, table::Shown::default(), voice.screen).as_bytes())?;
    for arguments in TRACE_RUNS {
        trace::run(&trace_arguments(dir, arguments)?, voice)?;
    }
    if !voice.quiet {
        let dir = dir.display();
        eprintln!("\nwrote {dir}/report.html (open it in a browser and change an input),");
        eprintln!(
            "      {dir}/report.xlsx (open it in Excel or LibreOffice and change a cell of sheet Control),"
        );
        eprintln!(
            "      {dir}/model.xml, {dir}/report.json, {dir}/report.txt and the sources in {dir}/samples;"
        );
        eprintln!(
            "      of two recorded runs {dir}/trace.xlsx, {dir}/trace.json, {dir}/latency.svg and {dir}/edag.svg"
        );
    }
    Ok(Status::Done)
}

/// What is asked of the recorded runs; files are in the demo's directory.
const TRACE_RUNS: [&str; 2] = [
    "samples/traces/jacobi.execlog.zst --cache 4KiB,4way --cache 16KiB,8way --reuse --output trace.xlsx --json trace.json \
     --sweep latency.svg",
    "samples/traces/factorial.execlog --graph edag.svg",
];

/// Arguments of `loopsheet trace` as a person would type them.
fn trace_arguments(dir: &Path, arguments: &str) -> anyhow::Result<TraceArgs> {
    let is_file = |argument: &str| argument.contains('.');
    let typed = arguments
        .split_whitespace()
        .map(|argument| match is_file(argument) {
            true => dir.join(argument).into_os_string(),
            false => argument.into(),
        });
    let cli = Cli::try_parse_from(
        ["loopsheet".into(), "trace".into()]
            .into_iter()
            .chain(typed),
    )?;
    match cli.command {
        Command::Trace(args) => Ok(*args),
        _ => anyhow::bail!("the demo asks for a trace"),
    }
}

/// Reports name the samples relative to the directory, so that they are the same wherever it is.
fn name_relative_to(program: &mut crate::analysis::facts::Program, dir: &Path) {
    let prefix = format!("{}/", dir.to_string_lossy().replace('\\', "/"));
    let prefix = prefix.strip_prefix("./").unwrap_or(&prefix).to_string();
    program.rename_files(&|path| path.strip_prefix(&prefix).unwrap_or(path).into());
}
