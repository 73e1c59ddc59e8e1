//! Files that end too early: every prefix of our own sources is read, lowered and analysed without a
//! panic, and every loop that is found keeps its place.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::support::command;
use loopsheet_analysis as analysis;
use loopsheet_analysis::coverage::coverage;
use loopsheet_ir::Unit;
use loopsheet_lower as lower;
use loopsheet_source::preprocess::{Options, preprocess};
use loopsheet_source::{Form, Language, ReadFile, SourceText};
use rayon::prelude::*;

struct NoFiles;

impl ReadFile for NoFiles {
    fn read_included(&self, _: &str, _: &str) -> Option<(Arc<str>, String)> {
        None
    }
}

fn files(extension: &str) -> Vec<PathBuf> {
    let directories = [
        "samples/kernels",
        "tests/fixtures/kernels",
        "tests/fixtures/ways",
    ];
    let mut files: Vec<PathBuf> = directories.into_iter().flat_map(command::files).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == extension));
    assert!(files.len() >= 4, "{extension}");
    files
}

fn lower_c(text: &str) -> Unit {
    let name: Arc<str> = "prefix.c".into();
    let options = Options {
        defines: Vec::new(),
        language: Language::C,
    };
    let source = preprocess(
        SourceText::verbatim(&name, text.to_string()),
        &options,
        &NoFiles,
    );
    lower::c::lower(&name, &source)
}

fn lower_fortran(text: &str) -> Unit {
    let name: Arc<str> = "prefix.f90".into();
    let source = SourceText::verbatim(&name, text.to_string());
    let modules = lower::fortran::modules(&source);
    lower::fortran::lower(&name, Form::Free, &source, &modules)
}

fn analyse_every_prefix(path: &Path, lower: fn(&str) -> Unit) {
    let text = std::fs::read_to_string(path).expect("a readable file");
    let ends: Vec<usize> = (0..=text.len())
        .filter(|end| text.is_char_boundary(*end))
        .collect();
    ends.par_iter().for_each(|end| {
        let unit = lower(&text[..*end]);
        let coverage = coverage(&analysis::analyze(&[unit]));
        assert_eq!(
            coverage.loops,
            coverage.understood + coverage.partial,
            "{} up to {end}",
            path.display()
        );
    });
}

#[test]
fn every_prefix_of_c_is_analysed() {
    files("c")
        .iter()
        .for_each(|path| analyse_every_prefix(path, lower_c));
}

#[test]
fn every_prefix_of_fortran_is_analysed() {
    files("f90")
        .iter()
        .for_each(|path| analyse_every_prefix(path, lower_fortran));
}
