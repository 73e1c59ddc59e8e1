//! The arena of computed figures: each has one expression, which may refer to parameters and to
//! earlier figures, and the value that follows from it.

use std::collections::HashMap;
use std::sync::Arc;

use super::parameters::ParameterTable;
use crate::expr::{Expr, FigureId, Lookup};
use crate::machine::MachineModel;

/// What a figure is measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    Count,
    Elements,
    Bytes,
    Flops,
    Seconds,
    FlopsPerByte,
    /// A position in a list of names, counted from one.
    Choice,
}

impl Unit {
    pub fn symbol(self) -> &'static str {
        match self {
            Unit::Count | Unit::Choice => "",
            Unit::Elements => "elements",
            Unit::Bytes => "B",
            Unit::Flops => "flop",
            Unit::Seconds => "s",
            Unit::FlopsPerByte => "flop/B",
        }
    }
}

/// One computed figure.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Short name for `--explain`, e.g. `trip count of i`.
    pub label: Arc<str>,
    pub unit: Unit,
    pub expr: Expr,
    pub value: f64,
}

/// All figures of a model, in the order of their definition.
pub struct Figures {
    figures: Vec<Figure>,
    symbols: HashMap<String, f64>,
}

impl Figures {
    pub fn new(machine: &MachineModel, parameters: &ParameterTable) -> Figures {
        let machine_values = machine.parameters.iter().filter_map(|p| Some((p.name.clone(), p.value?)));
        let problem_values = parameters.rows().iter().map(|row| (row.name.clone(), row.value));
        Figures { figures: Vec::new(), symbols: machine_values.chain(problem_values).collect() }
    }

    /// Defines a figure and evaluates it. A symbol without a value makes it not-a-number, which
    /// exporters show as unknown.
    pub fn define(&mut self, label: impl Into<Arc<str>>, unit: Unit, expr: Expr) -> FigureId {
        let value = expr.evaluate(&*self).unwrap_or(f64::NAN);
        let id = FigureId(self.figures.len() as u32);
        self.figures.push(Figure { label: label.into(), unit, expr, value });
        id
    }

    pub fn get(&self, id: FigureId) -> &Figure {
        &self.figures[id.0 as usize]
    }

    pub fn value(&self, id: FigureId) -> f64 {
        self.get(id).value
    }

    pub fn len(&self) -> usize {
        self.figures.len()
    }

    pub fn is_empty(&self) -> bool {
        self.figures.is_empty()
    }
}

impl Lookup for Figures {
    fn symbol(&self, name: &str) -> Option<f64> {
        self.symbols.get(name).copied()
    }

    fn figure(&self, id: FigureId) -> Option<f64> {
        self.figures.get(id.0 as usize).map(|figure| figure.value)
    }
}
