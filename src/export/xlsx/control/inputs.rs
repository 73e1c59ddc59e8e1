//! Which inputs have their cells on Control: those that results depend on the most. Every other input has its cell on
//! Machine or Parameters; no input has two.

use rust_xlsxwriter::utility::row_col_to_cell_absolute;
use rust_xlsxwriter::{ColNum, RowNum};
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::layout::Sheet;
use crate::model::Model;
use crate::model::influence::influence;
use crate::model::parameters::{Kind, Row};
use crate::model::scenarios::INPUTS;

/// The column of an input's cell.
pub(crate) const VALUE: ColNum = 2;
/// The cells in which machines and the scenario are picked.
pub(crate) const PICK_A: (RowNum, ColNum) = (3, VALUE);
pub(crate) const PICK_B: (RowNum, ColNum) = (4, VALUE);
pub(crate) const PICK_SCENARIO: (RowNum, ColNum) = (5, VALUE);
/// The first row of the first section: behind title, legend and the lists.
const FIRST_ROW: RowNum = 7;
/// Parameters that are picked for their influence.
const MOST_INFLUENTIAL: usize = 10;

/// What changes how the model counts rather than what the machine is.
const SWITCHES: [&str; 7] = [
    "scenarios",
    "warm",
    "reuse_between_nests",
    "vectorise",
    "reorder_sums",
    "vector_functions",
    "cost_w",
];

/// A cell of Control as other sheets write it.
pub(crate) fn control_cell((row, column): (RowNum, ColNum)) -> String {
    let cell = row_col_to_cell_absolute(row, column);
    format!("{}!{cell}", Sheet::Control.name())
}

/// What an input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    /// By its position among the machine's.
    Machine(usize),
    /// By its position in the table of parameters.
    Parameter(usize),
}

/// An input with a cell on Control.
pub(crate) struct Control {
    pub name: String,
    pub of: Of,
    /// On Control.
    pub row: RowNum,
}

impl Control {
    /// Whether scenarios are side by side whatever it is in them.
    pub fn is_side_by_side(&self) -> bool {
        INPUTS.contains(&self.name.as_str())
    }
}

/// Inputs under one heading.
pub(crate) struct Section {
    pub title: &'static str,
    /// Of its heading.
    pub row: RowNum,
    pub controls: Vec<Control>,
}

/// All inputs on Control.
#[derive(Default)]
pub(crate) struct Controls {
    pub sections: Vec<Section>,
    /// By the names of parameters: the names of their values in force, where scenarios may set others.
    in_force: FxHashMap<String, String>,
}

impl Controls {
    pub fn of(model: &Model) -> Controls {
        let machine = |names: &[&str]| -> Vec<(String, Of)> {
            let found = names.iter().filter_map(|name| {
                let is_named =
                    |parameter: &crate::machine::MachineParameter| parameter.name == *name;
                let position = model.machine.parameters.iter().position(is_named)?;
                Some((name.to_string(), Of::Machine(position)))
            });
            found.collect()
        };
        let rows = model.parameters.rows();
        let parameter = |row: &Row| {
            let position = rows.iter().position(|other| other.name == row.name)?;
            Some((row.name.clone(), Of::Parameter(position)))
        };
        let blocks = rows.iter().filter(|row| row.kind == Kind::Block);
        // By work, not by time: another machine than the one that the workbook is written for has the same rows.
        let mut influences = influence(model).all;
        influences.retain(|found| found.work > 0.0 && is_plain(found.row));
        influences.sort_by(|a, b| b.work.total_cmp(&a.work));
        let sizes = (influences.iter().take(MOST_INFLUENTIAL)).map(|found| found.row);
        let sections = [
            ("Figures of the machine", machine(&INPUTS)),
            ("Switches of the model", machine(&SWITCHES)),
            ("Sizes of blocks", blocks.filter_map(parameter).collect()),
            (
                "Most influential sizes",
                sizes.filter_map(parameter).collect(),
            ),
        ];
        let mut row = FIRST_ROW;
        let mut placed = Vec::new();
        for (title, inputs) in sections {
            if inputs.is_empty() {
                continue;
            }
            let controls = (row + 1..).zip(inputs);
            let controls: Vec<Control> = controls
                .map(|(row, (name, of))| Control { name, of, row })
                .collect();
            let next = row + 2 + controls.len() as RowNum;
            placed.push(Section {
                title,
                row,
                controls,
            });
            row = next;
        }
        let mut controls = Controls {
            sections: placed,
            in_force: FxHashMap::default(),
        };
        if model.alternatives.is_some() {
            controls.in_force = controls.names_in_force(model);
        }
        controls
    }

    /// Names that no parameter has.
    fn names_in_force(&self, model: &Model) -> FxHashMap<String, String> {
        let rows = model.parameters.rows().iter();
        let mut taken: FxHashSet<String> = rows.map(|row| row.name.to_lowercase()).collect();
        let parameters = self
            .all()
            .filter(|control| matches!(control.of, Of::Parameter(_)));
        let mut names = FxHashMap::default();
        for control in parameters {
            let mut name = format!("{}.A", control.name);
            while !taken.insert(name.to_lowercase()) {
                name.push('_');
            }
            names.insert(control.name.clone(), name);
        }
        names
    }

    /// Every one of them, from top to bottom.
    pub fn all(&self) -> impl Iterator<Item = &Control> {
        self.sections.iter().flat_map(|section| &section.controls)
    }

    /// The row of an input on Control, if its cell is there.
    pub fn row(&self, name: &str) -> Option<RowNum> {
        let found = self.all().find(|control| control.name == name)?;
        Some(found.row)
    }

    /// The name of the cell with a parameter's value in force, if that is another than the input.
    pub fn in_force(&self, name: &str) -> Option<&str> {
        self.in_force.get(name).map(String::as_str)
    }

    /// The row after the last.
    pub fn end(&self) -> RowNum {
        let last = self.all().map(|control| control.row).last();
        last.map_or(FIRST_ROW, |row| row + 1)
    }
}

/// Whether its cell holds a number and no formula over other parameters.
fn is_plain(row: &Row) -> bool {
    (row.definition.as_ref()).is_none_or(|definition| definition.as_number().is_some())
}
