//! How long a whole analysis takes beside bare tree-sitter parsing of the same files, in one run.
//!
//!     cargo bench --bench lapack_parsing -- /path/to/lapack/SRC [limit]
//!
//! The directory may hold any Fortran sources. Both sides use the same number of threads. The limit
//! is the largest allowed ratio, 3 if it is left out; above it the exit status is 1. Without a
//! directory the samples are taken, and only printed: they are too small to judge by.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use loopsheet_allocator as _;
use loopsheet_analysis as analysis;
use loopsheet_export::{json, table};
use loopsheet_lower::{self as lower, fortran::Modules};
use loopsheet_machine::MachineModel;
use loopsheet_model::{Detail, Model};
use loopsheet_source::flags::FortranFlags;
use loopsheet_source::{self as source, Form, Language, SourceText, fixed_form};
use rayon::prelude::*;

fn main() {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| a != "--bench")
        .collect();
    let given = arguments.first().map(PathBuf::from);
    let limit: f64 = arguments
        .get(1)
        .map_or(3.0, |text| text.parse().expect("the limit is a number"));
    let root = given
        .clone()
        .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("samples"));
    let files = files(&root);
    // Once to warm up, then the best of five of each, in turn.
    parse_all(&files);
    let mut stages = Vec::new();
    let mut parsing = Duration::MAX;
    let mut analysing = Duration::MAX;
    for _ in 0..5 {
        parsing = parsing.min(timed(|| parse_all(&files)));
        let mut latest = Vec::new();
        let time = analyse_all(&files, &mut latest);
        if time < analysing {
            (analysing, stages) = (time, latest);
        }
    }
    let ratio = analysing.as_secs_f64() / parsing.as_secs_f64();
    println!(
        "{} files, {} threads",
        files.len(),
        rayon::current_num_threads()
    );
    println!("bare parsing    {:8.3} s", parsing.as_secs_f64());
    println!(
        "whole analysis  {:8.3} s, {ratio:.2} times",
        analysing.as_secs_f64()
    );
    for (name, time) in stages {
        println!("  {name:<14}{:8.3} s", time.as_secs_f64());
    }
    if given.is_some() && ratio > limit {
        println!("more than {limit} times");
        std::process::exit(1);
    }
}

fn timed(action: impl FnOnce()) -> Duration {
    let start = Instant::now();
    action();
    start.elapsed()
}

/// Free-form text of every Fortran file, so that bare parsing sees what the analysis parses.
fn files(root: &Path) -> Vec<(Arc<str>, Form, String)> {
    let mut found = Vec::new();
    for entry in ignore::WalkBuilder::new(root)
        .sort_by_file_path(Path::cmp)
        .build()
        .filter_map(Result::ok)
    {
        if let Some((Language::Fortran, form, _)) = source::classify(entry.path()) {
            let bytes = std::fs::read(entry.path()).expect("the file can be read");
            let text = String::from_utf8_lossy(&bytes).into_owned();
            found.push((entry.path().to_string_lossy().into(), form, text));
        }
    }
    assert!(
        !found.is_empty(),
        "no Fortran files under {}",
        root.display()
    );
    found
}

fn prepare((name, form, text): &(Arc<str>, Form, String)) -> SourceText {
    let source = SourceText::verbatim(name, text.clone());
    let source = if *form == Form::Fixed {
        fixed_form::to_free_form(source, &FortranFlags::default())
    } else {
        source
    };
    fixed_form::nest_labelled_do(source)
}

fn parse_all(files: &[(Arc<str>, Form, String)]) {
    let nodes: usize = (files.par_iter())
        .map(|file| {
            let text = prepare(file).text;
            let mut parser = tree_sitter::Parser::new();
            parser
                .set_language(&tree_sitter_fortran::LANGUAGE.into())
                .expect("the grammar fits");
            parser
                .parse(&text, None)
                .expect("parsed")
                .root_node()
                .descendant_count()
        })
        .sum();
    assert!(nodes > 0);
}

/// From text to the table on standard output. JSON, which is a hundred times as long as the table, is
/// timed beside it.
fn analyse_all(
    files: &[(Arc<str>, Form, String)],
    stages: &mut Vec<(&'static str, Duration)>,
) -> Duration {
    stages.clear();
    let start = Instant::now();
    let mut last = start;
    let mut stage = |name| {
        stages.push((name, last.elapsed()));
        last = Instant::now();
    };
    let units: Vec<_> = (files.par_iter())
        .map(|file| lower::fortran::lower(&file.0, file.1, &prepare(file), &Modules::default()))
        .collect();
    stage("lowering");
    let program = analysis::analyze(&units);
    stage("analysis");
    let machine = MachineModel::preset("exasat").expect("the preset is there");
    let model =
        Model::with(&program, machine.clone(), &[], Detail::Least).expect("no settings, no errors");
    stage("model");
    assert!(table::render(&model, table::Shown::All, table::Screen::default()).len() > 2);
    stage("table");
    let whole = start.elapsed();
    drop(model);
    let model =
        Model::with(&program, machine, &[], Detail::Values).expect("no settings, no errors");
    assert!(json::analysis(&model).len() > 2);
    stage("(to JSON)");
    whole
}
