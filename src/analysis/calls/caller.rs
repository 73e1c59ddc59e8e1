//! The procedure that bodies are put into, while it grows: its variables, its budget, and where its statements
//! come from.

use rustc_hash::FxHashMap;

use super::procedures::Procedures;
use super::target::ProcedureId;
use super::template::{Origins, Template};
use crate::diagnostic::Place;
use crate::ir::{self, Name, VarId};

/// The procedure that is expanded.
pub struct Caller<'a> {
    pub known: &'a Procedures<'a>,
    pub id: ProcedureId,
    /// Variables of expanded bodies are added to those of the procedure.
    pub function: ir::Function,
    pub names: FxHashMap<Name, VarId>,
    /// Variables of callees that have become variables here.
    pub copies: FxHashMap<(ProcedureId, VarId), VarId>,
    pub origins: Origins,
    pub budget: usize,
}

impl Caller<'_> {
    /// Notes the procedure that a branch was written in, and calls that were expanded before.
    pub fn branch(&mut self, branch: &Place, template: &Template) {
        let origin = template
            .expansion
            .written_in(branch)
            .unwrap_or_else(|| self.known.own_name(&template.function));
        self.origins
            .branches
            .insert((branch.file.clone(), branch.line), origin.into());
    }

    pub fn call(&mut self, place: &Place, name: &str) {
        self.origins
            .expanded
            .insert((place.clone(), name.to_string()));
    }

    /// Notes a call that stays behind what its body does outside loops.
    pub fn call_behind(&mut self, place: &Place, name: &str) {
        self.origins
            .in_front
            .insert((place.clone(), name.to_string()));
    }
}
