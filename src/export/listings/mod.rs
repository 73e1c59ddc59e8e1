//! The tables of a static report, whatever format shows them: a column says once what it holds, in which unit, and what
//! that means.

pub(crate) mod advice;
pub(crate) mod arrays;
pub(crate) mod caches;
pub(crate) mod calls;
pub(crate) mod communication;
pub(crate) mod compared;
pub(crate) mod inputs;
pub(crate) mod loops;
pub(crate) mod notes;
pub(crate) mod placement;
mod plain;
pub(crate) mod registers;
pub(crate) mod side_by_side;
pub(crate) mod totals;

use crate::expr::FigureId;
use crate::formula::Catalogue;
use crate::model::{Advice, CallPath, Model, NestModel, OtherNest, StaticFigure};
use crate::wording::counted;

pub use plain::{PlainCell, PlainColumn, PlainTable, plain_tables};

/// What a cell says where the value is not known.
pub(crate) const UNKNOWN: &str = "unknown";

/// What is in a cell, as far as the form of its number goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    Text,
    /// Small numbers that may have a fraction.
    Number,
    /// Whole counts, with thousands separators.
    Count,
    Bytes,
    Flops,
    /// Counts that may have a fraction, as those of what happens with a probability.
    Times,
    Seconds,
    Ratio,
    Share,
}

/// What one cell holds.
pub(crate) enum Content {
    Empty,
    Text(String),
    /// A fact of the source.
    Fact(f64),
    Figure(FigureId),
    /// The name that the figure counts.
    Choice(FigureId, Vec<String>),
    /// Those of the names that are in the figure less one: the first counts one there, the second two, the third four ….
    Several(FigureId, &'static [&'static str]),
}

impl Content {
    /// What each value of [`Content::Several`] says, from one on.
    pub fn all_of(names: &[&str]) -> Vec<String> {
        let said = |sum: usize| {
            let each = names.iter().enumerate();
            let there: Vec<&str> = each
                .filter(|(at, _)| sum >> at & 1 == 1)
                .map(|(_, name)| *name)
                .collect();
            match there.is_empty() {
                true => NOTHING.to_string(),
                false => there.join(SEPARATOR),
            }
        };
        (0..1 << names.len()).map(said).collect()
    }
}

/// What stands for none of several names, and between them.
pub(crate) const NOTHING: &str = "nothing";
pub(crate) const SEPARATOR: &str = ", ";

/// One column over rows of type `R`.
pub(crate) struct Column<'a, R> {
    /// Heading shared with its neighbours.
    pub group: String,
    pub header: String,
    pub unit: &'static str,
    /// What it holds and how it follows, for the header's comment and the glossary.
    pub meaning: String,
    /// What kind of figures it holds, if it holds figures.
    pub kind: Option<StaticFigure>,
    pub look: Look,
    pub cell: Box<dyn Fn(&R) -> Content + 'a>,
}

/// Group, header and unit.
type Heading<'h> = (&'h str, &'h str, &'static str);

impl<'a, R> Column<'a, R> {
    pub fn new(
        (group, header, unit): Heading,
        look: Look,
        meaning: &str,
        cell: impl Fn(&R) -> Content + 'a,
    ) -> Column<'a, R> {
        Column {
            group: group.into(),
            header: header.into(),
            unit,
            meaning: meaning.into(),
            kind: None,
            look,
            cell: Box::new(cell),
        }
    }

    /// A column of figures of one kind: its unit and meaning are those of the catalogue.
    pub fn figures(
        (group, header): (&str, &str),
        look: Look,
        kind: StaticFigure,
        cell: impl Fn(&R) -> Content + 'a,
    ) -> Column<'a, R> {
        let entry = kind.entry();
        let heading = (group, header, entry.unit.symbol());
        Column {
            kind: Some(kind),
            ..Column::new(heading, look, entry.meaning, cell)
        }
    }

    /// With what is to be said of this column beside others of its kind.
    pub fn remark(mut self, remark: &str) -> Column<'a, R> {
        self.meaning = format!("{}; {remark}", self.meaning);
        self
    }
}

/// One more column.
fn add<'a, R>(
    columns: &mut Vec<Column<'a, R>>,
    heading: Heading,
    look: Look,
    meaning: &str,
    cell: impl Fn(&R) -> Content + 'a,
) {
    columns.push(Column::new(heading, look, meaning, cell));
}

/// One more column of figures.
fn add_figures<'a, R>(
    columns: &mut Vec<Column<'a, R>>,
    heading: (&str, &str),
    look: Look,
    kind: StaticFigure,
    cell: impl Fn(&R) -> Content + 'a,
) {
    columns.push(Column::figures(heading, look, kind, cell));
}

/// A figure, where there is one.
fn some(figure: Option<FigureId>) -> Content {
    figure.map_or(Content::Empty, Content::Figure)
}

/// One table.
pub(crate) struct Table<'a, R> {
    pub title: &'static str,
    pub remark: String,
    pub rows: Vec<R>,
    pub columns: Vec<Column<'a, R>>,
}

/// All of them.
pub(crate) struct Listings<'a> {
    pub loops: Table<'a, (usize, &'a NestModel<'a>)>,
    /// What each column of these is about.
    pub topics: Vec<loops::Topic>,
    pub arrays: Table<'a, arrays::Row<'a>>,
    pub caches: Table<'a, caches::CacheRow<'a>>,
    pub conditions: Table<'a, caches::ReuseRow<'a>>,
    pub calls: Option<CallListings<'a>>,
    pub communication: Option<Table<'a, communication::Row<'a>>>,
    pub registers: Table<'a, registers::Row<'a>>,
    pub advice: Table<'a, &'a Advice>,
    pub side_by_side: Option<Table<'a, &'a OtherNest>>,
}

pub(crate) struct CallListings<'a> {
    pub sites: Table<'a, usize>,
    pub functions: Table<'a, Option<usize>>,
    pub paths: Table<'a, &'a CallPath>,
}

impl<'a> Listings<'a> {
    pub fn new(model: &'a Model<'a>) -> Listings<'a> {
        let communication = model.communication.as_ref();
        let on_other = model.on_other.as_ref();
        let (loops, topics) = loops::by_topic(model);
        let scope = scope(model);
        Listings {
            loops: of_scope(loops, scope.as_deref()),
            topics,
            arrays: of_scope(arrays::table(model), scope.as_deref()),
            caches: of_scope(caches::table(model), scope.as_deref()),
            conditions: of_scope(caches::conditions(model), scope.as_deref()),
            calls: model.calls.as_ref().map(|calls| CallListings {
                sites: calls::sites(model, calls),
                functions: calls::functions(model, calls),
                paths: calls::paths(model, calls),
            }),
            communication: communication.map(|found| communication::table(model, found)),
            registers: of_scope(registers::table(model), scope.as_deref()),
            advice: of_scope(advice::table(model), scope.as_deref()),
            side_by_side: on_other.map(|other| side_by_side::table(model, other)),
        }
    }
}

/// Which nests are listed, where that is not all: those of the functions that are asked for, and of these the costliest,
/// where there is no room for more. Which ones that are was decided when the report was written.
pub(crate) fn scope(model: &Model) -> Option<String> {
    let left_out = model.left_out?;
    let listed = model.nests.len();
    let (all, asked_for) = (listed + left_out.nests, listed + left_out.asked_for);
    let costliest = || {
        format!(
            "on {} and with the inputs as written; with others, nests that are not here may be costlier.",
            model.machine.name
        )
    };
    Some(match (model.program.hides_some(), left_out.asked_for) {
        (true, 0) => format!("Only the nests that --function lists: {listed} of {all}."),
        (true, _) => format!(
            "Only the {listed} costliest of the {asked_for} nests (of {all}) that --function lists, {}",
            costliest()
        ),
        (false, _) => format!(
            "Only the {listed} costliest of {all} nests, {}",
            costliest()
        ),
    })
}

/// A table that says first which nests it has.
fn of_scope<'a, R>(mut table: Table<'a, R>, scope: Option<&str>) -> Table<'a, R> {
    if let Some(scope) = scope {
        table.remark = format!("{scope} {}", table.remark);
    }
    table
}

impl Listings<'_> {
    /// Drops the rows of functions that are not to be listed. All figures stay those of the whole program.
    pub fn keep_shown(&mut self, model: &Model) {
        if !model.program.hides_some() {
            return;
        }
        let is_shown = |function: usize| model.program.functions[function].is_shown;
        self.loops.rows.retain(|(_, nest)| nest.nest.is_shown());
        self.arrays.rows.retain(|(nest, _)| nest.nest.is_shown());
        self.caches.rows.retain(|(nest, _)| nest.nest.is_shown());
        self.conditions
            .rows
            .retain(|(nest, _)| nest.nest.is_shown());
        self.registers.rows.retain(|(nest, _)| nest.nest.is_shown());
        self.advice.rows.retain(|advice| {
            let mut nests = advice.nests.iter();
            nests.any(|nest| model.nests[*nest].nest.is_shown())
        });
        if let Some(calls) = &mut self.calls {
            let sites = &model.call_graph.sites;
            let leads = |site: &usize| {
                let site = &sites[*site];
                is_shown(site.caller) || is_shown(site.callee)
            };
            calls.sites.rows.retain(leads);
            let functions = &mut calls.functions.rows;
            functions.retain(|function| function.is_none_or(is_shown));
            calls
                .paths
                .rows
                .retain(|path| model.nests[path.nest].nest.is_shown());
        }
        if let Some(communication) = &mut self.communication {
            let is_shown =
                |row: &communication::Row| row.is_none_or(|row| is_shown(row.site.function));
            communication.rows.retain(is_shown);
        }
    }
}

/// What --function leaves out of the lists of nests.
pub(crate) fn hidden(model: &Model) -> Option<String> {
    let shown = model.nests.iter().filter(|nest| nest.nest.is_shown());
    model.program.hides_some().then(|| {
        format!(
            "--function lists {} of {}; totals and shares are those of all.",
            shown.count(),
            counted(model.nests.len(), "nest")
        )
    })
}

/// The name at a position counted from one.
pub(crate) fn chosen<'n>(position: f64, names: &[&'n str]) -> Option<&'n str> {
    (position >= 1.0)
        .then(|| names.get(position as usize - 1).copied())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_out_of_range_is_no_name() {
        assert_eq!(chosen(2.0, &["CPU", "DRAM"]), Some("DRAM"));
        for none in [0.0, 3.0, f64::NAN] {
            assert_eq!(chosen(none, &["CPU", "DRAM"]), None);
        }
    }
}
