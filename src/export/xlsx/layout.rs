//! Which figure is in which cell, so that formulas can refer to each other.
//!
//! A figure has one home: the first cell that shows it holds its formula, later ones refer to it.

use rust_xlsxwriter::utility::{column_number_to_name, row_col_to_cell};
use rust_xlsxwriter::{ColNum, RowNum};
use rustc_hash::FxHashSet;

use super::control::Controls;
use super::unsure::unsure;
use crate::expr::{CellNames, FigureId};
use crate::machine::parameters::all_parameters;
use crate::model::{FigureMap, Model};

/// The sheets of the workbooks, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sheet {
    Summary,
    Machine,
    Parameters,
    Control,
    ScenarioInputs,
    Tornado,
    Goal,
    Loops,
    Iterations,
    Operations,
    WorkingSets,
    Scenarios,
    Time,
    Top,
    Advice,
    Nest,
    Arrays,
    Caches,
    Conditions,
    Roofline,
    Sensitivity,
    Alternatives,
    SideBySide,
    Dependencies,
    Calls,
    Functions,
    CallPaths,
    Communication,
    Registers,
    Checks,
    Steps,
    Presets,
    Notes,
    Edag,
    Latency,
    ByteTime,
    Reuse,
    Regions,
    Epochs,
    DesignSpace,
    Camat,
    Blame,
    Placement,
    Rank,
    Compare,
    ComparePoints,
    Unjoined,
    Diff,
    DiffNotes,
    Best,
    Map,
    MapOfSources,
    MapOfEpochs,
    Front,
    Ranking,
    Configurations,
}

impl Sheet {
    /// The name on the tab.
    pub fn name(self) -> &'static str {
        match self {
            Sheet::Summary => "Summary",
            Sheet::Machine => "Machine",
            Sheet::Parameters => "Parameters",
            Sheet::Loops => "Loops",
            Sheet::Iterations => "Iterations",
            Sheet::Operations => "Operations",
            Sheet::WorkingSets => "Working sets",
            Sheet::Control => "Control",
            Sheet::ScenarioInputs => "Scenarios",
            Sheet::Tornado => "Tornado",
            Sheet::Goal => "Goal",
            Sheet::Scenarios => "Reuse scenarios",
            Sheet::Time => "Time",
            Sheet::Top => "Top 100",
            Sheet::Advice => "Advice",
            // What they are called is the name of their nest; no formula of another sheet goes there.
            Sheet::Nest => "Nest",
            Sheet::Arrays => "Arrays",
            Sheet::Caches => "Caches",
            Sheet::Conditions => "Layer conditions",
            Sheet::Roofline => "Roofline",
            Sheet::Sensitivity => "Sensitivity",
            Sheet::Alternatives => "Alternatives",
            Sheet::SideBySide => "A and B",
            Sheet::Dependencies => "Dependencies",
            Sheet::Calls => "Calls",
            Sheet::Functions => "Functions",
            Sheet::CallPaths => "Call paths",
            Sheet::Communication => "Communication",
            Sheet::Registers => "Registers",
            Sheet::Checks => "Checks",
            Sheet::Steps => "Steps",
            Sheet::Presets => "Presets",
            Sheet::Notes => "Notes",
            Sheet::Edag => "eDAG",
            Sheet::Latency => "Latency",
            Sheet::ByteTime => "Byte time",
            Sheet::Reuse => "Reuse",
            Sheet::Regions => "Regions",
            Sheet::Epochs => "Epochs",
            Sheet::DesignSpace => "Design space",
            Sheet::Camat => "C-AMAT",
            Sheet::Blame => "Blame",
            Sheet::Placement => "Placement",
            Sheet::Rank => "Rank",
            Sheet::Compare => "Compare",
            Sheet::ComparePoints => "Compare chart",
            Sheet::Unjoined => "Not compared",
            Sheet::Diff => "Changes",
            Sheet::DiffNotes => "Flips and limits",
            Sheet::Best => "Best",
            Sheet::Map => "Map",
            Sheet::MapOfSources => "Sources map",
            Sheet::MapOfEpochs => "Epochs map",
            Sheet::Front => "Front",
            Sheet::Ranking => "Ranking",
            Sheet::Configurations => "Configurations",
        }
    }

    /// The name as formulas write it.
    pub fn in_formulas(self) -> String {
        let name = self.name();
        if name.chars().all(char::is_alphanumeric) {
            name.to_string()
        } else {
            format!("'{name}'")
        }
    }
}

/// One cell, counted from zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub sheet: Sheet,
    pub row: RowNum,
    pub column: ColNum,
}

/// The homes of all figures.
pub(super) struct Layout {
    places: FigureMap<Option<Place>>,
    unsure: FigureMap<bool>,
    machine: FxHashSet<String>,
    /// The inputs on Control.
    pub controls: Controls,
}

impl Layout {
    /// A layout without places yet.
    pub fn of(model: &Model) -> Layout {
        Layout {
            controls: Controls::of(model),
            ..Layout::new(model.figures.map_of(None), unsure(model))
        }
    }

    fn new(places: FigureMap<Option<Place>>, unsure: FigureMap<bool>) -> Layout {
        Layout {
            controls: Controls::default(),
            places,
            unsure,
            machine: all_parameters().map(|(name, ..)| name).collect(),
        }
    }

    /// Whether the figure is unknown on some machine.
    pub fn is_unsure(&self, figure: FigureId) -> bool {
        self.unsure.get(figure) == Some(&true)
    }

    /// Makes the cell the home of the figure, unless it has one.
    pub fn put(&mut self, figure: FigureId, place: Place) {
        self.places
            .get_mut(figure)
            .expect("all figures have an entry")
            .get_or_insert(place);
    }

    pub fn place(&self, figure: FigureId) -> Option<Place> {
        self.places.get(figure).copied().flatten()
    }

    /// Figures without a home, in the order of their definition.
    pub fn homeless(&self) -> Vec<FigureId> {
        self.places
            .iter()
            .filter(|(_, place)| place.is_none())
            .map(|(figure, _)| figure)
            .collect()
    }

    /// Names of cells as formulas of one sheet write them.
    pub fn names(&self, sheet: Sheet) -> NamesOn<'_> {
        NamesOn {
            layout: self,
            sheet,
        }
    }
}

/// Cells as formulas of one sheet name them: `B7`, on other sheets `Loops!B7`.
pub(super) struct NamesOn<'a> {
    layout: &'a Layout,
    sheet: Sheet,
}

impl NamesOn<'_> {
    /// A cell or a range with its sheet, if that is another one.
    pub fn qualified(&self, sheet: Sheet, cells: &str) -> String {
        if sheet == self.sheet {
            cells.to_string()
        } else {
            format!("{}!{cells}", sheet.in_formulas())
        }
    }
}

impl CellNames for NamesOn<'_> {
    fn figure(&self, id: FigureId) -> String {
        let place = self
            .layout
            .place(id)
            .expect("the sheet Steps takes every figure that no other sheet shows");
        self.qualified(place.sheet, &row_col_to_cell(place.row, place.column))
    }

    fn symbol(&self, name: &str) -> String {
        if self.layout.machine.contains(name) {
            in_force(name)
        } else {
            let in_force = self.layout.controls.in_force(name);
            in_force.unwrap_or(name).to_string()
        }
    }

    fn may_be_text(&self, figures: &[FigureId]) -> bool {
        figures.iter().any(|id| self.layout.is_unsure(*id))
    }

    fn range(&self, figures: &[FigureId]) -> Option<String> {
        let (first, rest) = figures.split_first()?;
        let start = self.layout.place(*first)?;
        let follows = |(index, id): (usize, &FigureId)| {
            let expected = Place {
                row: start.row + index as RowNum + 1,
                ..start
            };
            self.layout.place(*id) == Some(expected)
        };
        if rest.is_empty() || !rest.iter().enumerate().all(follows) {
            return None;
        }
        let last = start.row + rest.len() as RowNum;
        Some(self.qualified(start.sheet, &column_range(start.column, start.row, last)))
    }
}

/// The name of the cell with the value of a machine parameter that is in force.
pub(super) fn in_force(name: &str) -> String {
    format!("{name}.A")
}

/// `C5:C9`.
pub(super) fn column_range(column: ColNum, first: RowNum, last: RowNum) -> String {
    let column = column_number_to_name(column);
    format!("{column}{}:{column}{}", first + 1, last + 1)
}

/// `$C$5:$C$9`.
pub(super) fn fixed_column_range(column: ColNum, first: RowNum, last: RowNum) -> String {
    let column = column_number_to_name(column);
    format!("${column}${}:${column}${}", first + 1, last + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout() -> Layout {
        let mut layout = Layout::new(FigureMap::filled(None, [6]), FigureMap::filled(false, [6]));
        for (figure, row, column) in [(0, 4, 2), (1, 5, 2), (2, 6, 2), (3, 7, 3), (4, 9, 2)] {
            layout.put(
                FigureId(figure),
                Place {
                    sheet: Sheet::Arrays,
                    row,
                    column,
                },
            );
        }
        layout
    }

    #[test]
    fn only_a_run_of_one_column_in_order_is_a_range() {
        let layout = layout();
        let range = |ids: &[u32]| {
            layout.names(Sheet::Loops).range(
                &ids.iter()
                    .map(|id| FigureId(*id))
                    .collect::<Vec<FigureId>>(),
            )
        };
        assert_eq!(range(&[0, 1, 2]).as_deref(), Some("Arrays!C5:C7"));
        assert_eq!(
            layout
                .names(Sheet::Arrays)
                .range(&[FigureId(1), FigureId(2)])
                .as_deref(),
            Some("C6:C7")
        );
        for no in [&[0, 2][..], &[1, 0], &[2, 3], &[2, 4], &[0], &[]] {
            assert_eq!(range(no), None, "{no:?}");
        }
    }

    #[test]
    fn the_first_place_stays_and_the_rest_is_homeless() {
        let mut layout = layout();
        layout.put(
            FigureId(0),
            Place {
                sheet: Sheet::Summary,
                row: 0,
                column: 0,
            },
        );
        assert_eq!(
            layout.names(Sheet::Summary).figure(FigureId(0)),
            "Arrays!C5"
        );
        assert_eq!(layout.homeless(), [FigureId(5)]);
    }
}
