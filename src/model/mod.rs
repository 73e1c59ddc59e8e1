//! The static performance model: working sets, traffic and time of every nest, each figure defined
//! once as an expression over named parameters and earlier figures (static.md sections 3 to 5).
//!
//! Exporters evaluate nothing: they show a figure's expression and the value beside it.

mod build;
pub mod calls;
pub mod dependencies;
pub mod figures;
pub mod footprint;
pub mod levels;
pub mod nest;
pub mod parameters;
mod prediction;
mod stream;
mod summary;
mod time;
mod traffic;
mod trip_count;

use crate::analysis::facts::Program;
use crate::expr::FigureId;
use crate::machine::MachineModel;

pub use build::{IterationOperations, LoopCounts, LoopFigures, NestModel, OperationFigures};
pub use calls::{CallGraph, CallPath, Calls, Costs};
pub use dependencies::SequenceModel;
pub use figures::{Detail, Figure, Figures, Unit};
pub use levels::{CacheFigures, NestLevels, ReuseFigures};
pub use nest::Nest;
pub use parameters::{ParameterTable, Setting, SettingError};
pub use prediction::Prediction;
pub use stream::{StreamFigures, StreamShape};
pub use summary::Totals;
pub use time::{LevelFigures, TimeFigures};
pub use traffic::{NestTraffic, WorkingSet, WorkingSets, group_name, scenario_name};

/// Everything the model says about a program on a machine.
pub struct Model<'p> {
    pub program: &'p Program,
    pub machine: MachineModel,
    pub parameters: ParameterTable,
    pub figures: Figures,
    pub nests: Vec<NestModel<'p>>,
    pub totals: Totals,
    /// What follows what, function by function.
    pub sequences: Vec<SequenceModel<'p>>,
    /// Who calls whom.
    pub call_graph: CallGraph,
    /// What calls make of the nests' figures, if functions of the program call each other.
    pub calls: Option<Calls>,
    /// Number of spatial loops of the deepest nest, at least three.
    pub dimensions: usize,
}

impl<'p> Model<'p> {
    /// Builds the model.
    ///
    /// # Errors
    /// A setting names nothing, or its value is out of range.
    pub fn build(program: &'p Program, machine: MachineModel, settings: &[Setting]) -> Result<Model<'p>, SettingError> {
        Model::with(program, machine, settings, Detail::Formulas)
    }

    /// The same in as much detail as is needed: formulas of all cache levels take longer than their values.
    ///
    /// # Errors
    /// As for [`Model::build`].
    pub fn with(
        program: &'p Program,
        machine: MachineModel,
        settings: &[Setting],
        detail: Detail,
    ) -> Result<Model<'p>, SettingError> {
        let nests = nest::collect(program);
        let call_graph = CallGraph::collect(program, &nests);
        let dimensions = nests.iter().map(|nest| nest.spatial().len()).max().unwrap_or(0).max(3);
        let (machine, parameters) =
            ParameterTable::build(program, (&nests, &call_graph), machine, dimensions, settings)?;
        let mut figures = Figures::new(&machine, &parameters, detail);
        figures.reserve(nests.len(), nests.iter().map(|nest| nest.streams.len()).sum());
        let nests: Vec<NestModel> =
            (nests.into_iter()).map(|nest| NestModel::build(nest, &machine, &parameters, &mut figures)).collect();
        let totals = Totals::define(&nests, &mut figures);
        let sequences = dependencies::build(program, &nests, &mut figures);
        let calls = Calls::define(&call_graph, &nests, &parameters, &mut figures);
        Ok(Model { program, machine, parameters, figures, nests, totals, sequences, call_graph, calls, dimensions })
    }

    /// The functions of a call path: `main → step → advance`.
    pub fn path_name(&self, path: &CallPath) -> String {
        let names = path.functions.iter().map(|function| self.program.functions[*function].name.as_str());
        names.collect::<Vec<_>>().join(" → ")
    }

    /// The value of a symbol of a function, if it is a parameter.
    pub fn symbol_value(&self, function: usize, symbol: &str) -> Option<f64> {
        self.parameters.row(function, symbol).map(|row| row.value)
    }

    /// The value of a figure.
    pub fn value(&self, id: FigureId) -> f64 {
        self.figures.value(id)
    }
}

/// `x`, `y`, `z`, `w` … for a loop counted from the innermost: the suffix of `block_x`.
pub fn dimension_name(position: usize) -> String {
    const NAMES: [&str; 8] = ["x", "y", "z", "w", "v", "u", "t", "s"];
    NAMES.get(position).map_or_else(|| format!("d{}", position + 1), |name| name.to_string())
}
