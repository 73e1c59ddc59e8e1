//! Every figure of a catalogue has a name of its own, a meaning and a source, and is shown.

use std::collections::HashSet;

use crate::support::command::loopsheet;
use loopsheet_base::formula::Catalogue;
use loopsheet_metrics::camat::formulas::{LevelFigure, ProgramFigure};
use loopsheet_metrics::formulas::EdagFigure;
use loopsheet_model::StaticFigure;

/// What a catalogue says is there, and each name is there once.
fn check<K: Catalogue + std::fmt::Debug>() {
    let mut names = HashSet::new();
    for key in K::ALL {
        let entry = key.entry();
        assert!(
            names.insert(entry.name),
            "{key:?}: {} is there twice",
            entry.name
        );
        assert!(
            !entry.name.is_empty() && !entry.meaning.is_empty(),
            "{key:?}"
        );
        assert!(!entry.source.to_string().is_empty(), "{key:?}");
        assert_eq!(K::named(entry.name), Some(*key));
    }
}

fn shown<K: Catalogue + std::fmt::Debug>(output: &str) {
    for key in K::ALL {
        let entry = key.entry();
        let names_it = |line: &&str| line.trim().split("  ").next() == Some(entry.meaning);
        let line = output.lines().find(names_it);
        let line = line.unwrap_or_else(|| panic!("{key:?} is not shown: {output}"));
        assert!(line.contains(entry.symbol), "{key:?}: {line}");
        let unit = entry.unit.symbol();
        assert!(
            line.trim_end().ends_with(unit) || line.contains("unknown"),
            "{key:?}: {line}"
        );
    }
}

#[test]
fn every_figure_has_a_meaning_and_a_source() {
    check::<StaticFigure>();
    check::<EdagFigure>();
    check::<ProgramFigure>();
    check::<LevelFigure>();
}

#[test]
fn every_figure_of_a_trace_is_shown_with_symbol_and_unit() {
    let trace = "samples/traces/matmul.execlog.zst";
    let output = loopsheet()
        .args(["trace", trace, "--camat"])
        .output()
        .expect("a run");
    let output = String::from_utf8(output.stdout).expect("text");
    shown::<EdagFigure>(&output);
    shown::<LevelFigure>(&output);
    for figure in ProgramFigure::ALL {
        assert!(
            output.contains(figure.entry().meaning),
            "{figure:?} is not shown"
        );
    }
}
