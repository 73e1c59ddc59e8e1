//! What the sheets of a trace are about, and the cells that have names.

use super::super::layout::Place;
use super::super::page::Paper;
use super::scope::Scope;
use crate::metrics::formulas::Figures;
use crate::metrics::report::TraceReport;

/// What the sheets of a trace are about.
pub(super) struct TraceBook<'a> {
    pub report: &'a TraceReport,
    pub figures: Figures,
    /// Defined names and their cells, as the sheets are written.
    pub names: Vec<(String, Place)>,
    /// What the names stand for in formulas.
    pub scope: Scope,
}

pub(super) type Page<'a> = Paper<TraceBook<'a>>;

/// A book whose cells may have defined names.
pub(in crate::xlsx) trait Named {
    /// The names with their cells, and what they stand for in formulas.
    fn names(&mut self) -> (&mut Vec<(String, Place)>, &mut Scope);
}

/// What the sheets of several traces are about: nothing but what is written.
#[derive(Default)]
pub(super) struct Cells {
    pub names: Vec<(String, Place)>,
    pub scope: Scope,
}

impl Named for Cells {
    fn names(&mut self) -> (&mut Vec<(String, Place)>, &mut Scope) {
        (&mut self.names, &mut self.scope)
    }
}

impl Named for TraceBook<'_> {
    fn names(&mut self) -> (&mut Vec<(String, Place)>, &mut Scope) {
        (&mut self.names, &mut self.scope)
    }
}

impl TraceBook<'_> {
    pub fn new(report: &TraceReport) -> TraceBook<'_> {
        let figures = Figures::of(&report.edag, &report.inputs);
        TraceBook {
            report,
            figures,
            names: Vec::new(),
            scope: Scope::default(),
        }
    }
}
