//! The sheet Alternatives: the times of the nests that are compared, with the inputs of every scenario, with every input a
//! little less and more, and over the ranges of Sensitivity. Other sheets show the ten costliest of them, which are found
//! here anew whenever an input changes.

use rust_xlsxwriter::utility::{column_number_to_name, row_col_to_cell};
use rust_xlsxwriter::{ColNum, Note, RowNum, XlsxError};

use super::layout::{Layout, Place, Sheet, fixed_column_range};
use super::nests::NestSheets;
use super::page::{Book, Page, UNKNOWN};
use super::ranking::{Found, Ranking};
use super::style::{self, Look, Role};
use crate::expr::{Excel, Expr, FigureId, SymbolKind};
use crate::model::scenarios::SCENARIOS;
use crate::model::{Alternatives, Model, Sweep, Swings};

const GROUP_ROW: RowNum = 3;
const HEADER_ROW: RowNum = 4;
const FIRST_ROW: RowNum = 5;
const NAME: ColNum = 0;
const POSITION: ColNum = 1;
const WRITTEN: ColNum = 2;
/// The first column of times that are computed.
const FIRST: ColNum = 3;
/// Nests that other sheets show.
pub(super) const TOP: usize = 10;
/// What is said of a nest whose times with other inputs are not computed.
pub(super) const NOT_COMPARED: &str = "not compared";

/// What stands for a value as written that is still the value now.
const UNCHANGED: &str = " ";

/// Columns of the block that finds the costliest.
mod top {
    use rust_xlsxwriter::ColNum;

    pub const NAME: ColNum = 0;
    pub const POSITION: ColNum = 1;
    pub const TIME: ColNum = 2;
    pub const RANK: ColNum = 3;
    pub const ROW: ColNum = 4;
}

/// What a column of times is with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum With {
    /// The inputs in force.
    Own,
    /// The inputs of a scenario, by its number.
    Scenario(usize),
    /// An input, by its position among those that swing.
    Swing(usize, Swings),
    /// A value of Sensitivity: the position of the sweep, and of the value in it.
    Swept(usize, usize),
}

/// An answer of Goal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OfGoal {
    Bandwidth,
    /// Of a level, by its position.
    Instance(usize),
    Size(usize),
}

/// Columns of a level's answers: one core's share, the size of an instance, a name, the largest size.
const PER_LEVEL: ColNum = 4;

/// A column of times, and their sum if it stands below them.
struct TimesColumn<'m> {
    with: With,
    group: String,
    header: String,
    seconds: Vec<FigureId>,
    total: Option<&'m FigureId>,
}

/// The sheet, and where other sheets find what it has.
pub(super) struct AlternativesSheet<'m> {
    model: &'m Model<'m>,
    pub alternatives: &'m Alternatives,
    columns: Vec<TimesColumn<'m>>,
    /// The costliest nests when the workbook is written.
    pub ranked: Vec<usize>,
}

/// Whether the times of a sweep are those of all nests that are compared.
pub(super) fn is_compared(model: &Model, sweep: &Sweep) -> bool {
    model.alternatives.as_ref().is_some_and(|alternatives| {
        let nests = sweep.nests.iter().map(|(nest, _)| nest);
        sweep.symbol.kind() == SymbolKind::Machine && nests.eq(&alternatives.nests)
    })
}

impl<'m> AlternativesSheet<'m> {
    /// `None` where figures hold for one machine only.
    pub fn of(model: &'m Model<'m>) -> Option<AlternativesSheet<'m>> {
        let alternatives = model.alternatives.as_ref()?;
        let column =
            |with, group: &str, header: &str, times: &'m crate::model::alternatives::Times| {
                TimesColumn {
                    with,
                    group: group.to_string(),
                    header: header.to_string(),
                    seconds: times.seconds.clone(),
                    total: Some(&times.total),
                }
            };
        let mut columns = vec![column(With::Own, "In force", "In force", &alternatives.own)];
        for (number, (scenario, times)) in SCENARIOS.iter().zip(&alternatives.scenarios).enumerate()
        {
            let header = match number {
                0 => scenario.name.to_string(),
                _ => format!("Scenario {number}"),
            };
            let with = With::Scenario(number);
            columns.push(column(
                with,
                "With the inputs of a scenario",
                &header,
                times,
            ));
        }
        for (position, swing) in alternatives.swings.iter().enumerate() {
            for (side, times, header) in [
                (Swings::Less, &swing.less, "Less"),
                (Swings::More, &swing.more, "More"),
            ] {
                let group = format!("Tornado: {}", swing.input);
                columns.push(column(With::Swing(position, side), &group, header, times));
            }
        }
        let sweeps = model.sensitivity.iter().enumerate();
        for (position, sweep) in sweeps.filter(|(_, sweep)| is_compared(model, sweep)) {
            for at in 0..sweep.values.len() {
                let seconds = sweep.nests.iter().map(|(_, seconds)| seconds[at]);
                columns.push(TimesColumn {
                    with: With::Swept(position, at),
                    group: format!("Sensitivity: {}", sweep.label),
                    header: format!("Value {}", at + 1),
                    seconds: seconds.collect(),
                    total: None,
                });
            }
        }
        Some(AlternativesSheet {
            model,
            alternatives,
            columns,
            ranked: model.costliest(TOP),
        })
    }

    /// Gives the times their homes.
    pub fn place(&self, layout: &mut Layout) {
        let sheet = Sheet::Alternatives;
        for (column, times) in (FIRST..).zip(&self.columns) {
            for (row, figure) in (FIRST_ROW..).zip(&times.seconds) {
                layout.put(*figure, Place { sheet, row, column });
            }
            if let Some(total) = times.total {
                let row = self.total_row();
                layout.put(*total, Place { sheet, row, column });
            }
        }
        for (at, row) in (0..self.alternatives.goals.len()).zip(FIRST_ROW..) {
            for (column, figure) in self.answers(at) {
                layout.put(figure, Place { sheet, row, column });
            }
        }
    }

    /// The first column of answers.
    fn goals(&self) -> ColNum {
        FIRST + self.columns.len() as ColNum
    }

    /// The levels that Goal has answers for.
    pub fn goal_levels(&self) -> Vec<String> {
        let goals = self.alternatives.goals.first();
        let levels = goals.into_iter().flat_map(|goals| &goals.levels);
        levels.map(|level| level.name.clone()).collect()
    }

    /// The figures of answers, with their columns, of a nest by its position.
    fn answers(&self, at: usize) -> Vec<(ColNum, FigureId)> {
        let first = self.goals();
        let goals = &self.alternatives.goals[at];
        let mut found = vec![(first, goals.bandwidth)];
        for (column, level) in (first + 1..)
            .step_by(usize::from(PER_LEVEL))
            .zip(&goals.levels)
        {
            found.extend([(column, level.capacity), (column + 1, level.instance)]);
            let size = level.size.as_ref();
            found.extend(size.map(|(_, size)| (column + 3, *size)));
        }
        found
    }

    fn goal_column(&self, of: OfGoal) -> ColNum {
        let level = |at: usize| self.goals() + 1 + at as ColNum * PER_LEVEL;
        match of {
            OfGoal::Bandwidth => self.goals(),
            OfGoal::Instance(at) => level(at) + 1,
            OfGoal::Size(at) => level(at) + 3,
        }
    }

    /// The formula that finds an answer for the nest of a rank, and its value; an error or empty where there is none.
    pub fn goal(&self, rank: usize, of: OfGoal) -> (String, Option<f64>) {
        let column = self.goal_column(of);
        let formula = format!("INDEX({},{})", self.range(column), self.row_cell(rank));
        let figure = self.compared_rank(rank).and_then(|at| {
            let answers = self.answers(at);
            let found = answers.iter().find(|(own, _)| *own == column);
            found.map(|(_, figure)| *figure)
        });
        let value = figure.map(|id| self.model.value(id));
        (formula, value.filter(|value| value.is_finite()))
    }

    /// The formula that finds the size that an answer is about, and its name.
    pub fn goal_size_name(&self, rank: usize, at: usize) -> (String, String) {
        let column = self.goal_column(OfGoal::Size(at)) - 1;
        let found = format!("INDEX({},{})", self.range(column), self.row_cell(rank));
        let formula = format!("IFERROR(IF({found}=\"\",\" \",{found}),\" \")");
        let goals = self
            .compared_rank(rank)
            .map(|at| &self.alternatives.goals[at]);
        let level = goals.and_then(|goals| goals.levels.get(at));
        let size = level.and_then(|level| level.size.as_ref());
        let name = size.map_or_else(|| " ".to_string(), |(name, _)| name.clone());
        (formula, name)
    }

    fn total_row(&self) -> RowNum {
        FIRST_ROW + self.alternatives.nests.len() as RowNum
    }

    /// The first row of the block that finds the costliest.
    fn top_row(&self) -> RowNum {
        self.total_row() + 4
    }

    fn cell(&self, row: RowNum, column: ColNum) -> String {
        let cell = row_col_to_cell(row, column);
        format!("{}!{cell}", Sheet::Alternatives.name())
    }

    fn column(&self, with: With) -> Option<(ColNum, &TimesColumn<'m>)> {
        (FIRST..)
            .zip(&self.columns)
            .find(|(_, times)| times.with == with)
    }

    fn range(&self, column: ColNum) -> String {
        let cells = fixed_column_range(column, FIRST_ROW, self.total_row() - 1);
        format!("{}!{cells}", Sheet::Alternatives.name())
    }

    /// The position of a nest among those that are compared.
    fn compared(&self, nest: usize) -> Option<usize> {
        self.alternatives.nests.iter().position(|own| *own == nest)
    }

    /// The cell that says at which row of Loops the nest of a rank is, counted from one.
    pub fn position_cell(&self, rank: usize) -> String {
        self.cell(self.top_row() + rank as RowNum, top::POSITION)
    }

    /// The cell that says which row of this table it is, counted from one; a text where it is none.
    pub fn row_cell(&self, rank: usize) -> String {
        self.cell(self.top_row() + rank as RowNum, top::ROW)
    }

    /// The position among the compared nests of the nest of a rank.
    pub fn compared_rank(&self, rank: usize) -> Option<usize> {
        self.compared(self.ranked[rank])
    }

    /// The name of the nest of a rank.
    pub fn write_name(
        &self,
        page: &mut Page,
        (row, column): (RowNum, ColNum),
        rank: usize,
    ) -> Result<(), XlsxError> {
        let id = self.model.nests[self.ranked[rank]].nest.head().id.clone();
        let cell = self.cell(self.top_row() + rank as RowNum, top::NAME);
        let format = style::cell(Look::Text, Role::Plain);
        page.presented_text(row, column, &cell, &id, &format)
    }

    /// The time in force of the nest of a rank.
    pub fn write_own_time(
        &self,
        page: &mut Page,
        (row, column): (RowNum, ColNum),
        rank: usize,
    ) -> Result<(), XlsxError> {
        let cell = self.cell(self.top_row() + rank as RowNum, top::TIME);
        let seconds = self.model.ranking.seconds(self.ranked[rank]);
        let value = seconds.map_or(f64::NAN, |id| self.model.value(id));
        let format = style::cell(Look::Seconds, Role::Plain);
        page.presentation(row, column, &cell, &value.to_string(), &format)
    }

    /// The formula of the time of a rank's nest with other inputs, and its value; a text where it is not compared.
    pub fn time(&self, rank: usize, with: With) -> (String, Option<f64>) {
        let Some((column, times)) = self.column(with) else {
            return (format!("\"{NOT_COMPARED}\""), None);
        };
        let formula = format!(
            "IFERROR(INDEX({},{}),\"{NOT_COMPARED}\")",
            self.range(column),
            self.row_cell(rank)
        );
        let value = (self.compared_rank(rank)).map(|at| self.model.value(times.seconds[at]));
        (formula, value.filter(|value| value.is_finite()))
    }

    /// The formula of its time when the workbook was written, and what it shows before anything is edited.
    pub fn time_as_written(&self, rank: usize) -> (String, &'static str) {
        let formula = format!(
            "IFERROR(INDEX({},{}),\"{NOT_COMPARED}\")",
            self.range(WRITTEN),
            self.row_cell(rank)
        );
        let shown = match self.compared_rank(rank) {
            Some(_) => UNCHANGED,
            None => NOT_COMPARED,
        };
        (formula, shown)
    }

    /// The cell with the sum of all nests that are compared, and its figure.
    pub fn total(&self, with: With) -> Option<(String, FigureId)> {
        let (column, times) = self.column(with)?;
        let total = times.total?;
        Some((self.cell(self.total_row(), column), *total))
    }

    /// How many nests are compared, of how many.
    pub fn scope(&self) -> String {
        let listed = match self.model.left_out {
            None => "",
            Some(_) => " listed",
        };
        match (self.alternatives.nests.len(), self.model.nests.len()) {
            (own, all) if own == all => format!("all{listed} nests"),
            (1, all) => format!("the nest with the most work of {all}{listed}"),
            (own, all) => format!("the {own} nests with the most work of {all}{listed}"),
        }
    }

    /// Whether no nest is left out.
    pub fn has_all(&self) -> bool {
        self.alternatives.nests.len() == self.model.nests.len()
    }

    pub fn write<'b>(&self, book: Book<'b>, nests: &NestSheets) -> Result<Page<'b>, XlsxError> {
        let mut page = Page::new(Sheet::Alternatives, book)?;
        page.title("Alternatives")?;
        let text = format!(
            "Seconds of {} (operations and references when this was written) with other inputs, over all calls where \
             these are followed. Scenarios, Tornado, Sensitivity and Control show the costliest of them. Only the \
             headings are printed.",
            self.scope()
        );
        page.text(1, 0, &text, &style::remark())?;
        self.write_headings(&mut page)?;
        let plain = style::cell(Look::Text, Role::Plain);
        for ((row, nest), own) in (FIRST_ROW..)
            .zip(&self.alternatives.nests)
            .zip(&self.alternatives.own.seconds)
        {
            let id = &book.model.nests[*nest].nest.head().id;
            page.text(row, NAME, id, &plain)?;
            let number = style::cell(Look::Number, Role::Plain);
            page.number(row, POSITION, *nest as f64 + 1.0, &number)?;
            self.write_own_as_written(&mut page, row, *own)?;
        }
        page.text(self.total_row(), NAME, "All of these", &plain)?;
        self.write_own_as_written(&mut page, self.total_row(), self.alternatives.own.total)?;
        for (column, times) in (FIRST..).zip(&self.columns) {
            for (row, figure) in (FIRST_ROW..).zip(&times.seconds) {
                page.figure(row, column, *figure, Look::Seconds)?;
            }
            if let Some(total) = times.total {
                page.figure(self.total_row(), column, *total, Look::Seconds)?;
            }
        }
        self.write_answers(&mut page)?;
        self.write_top(&mut page, nests)?;
        page.worksheet.set_freeze_panes(FIRST_ROW, 1)?;
        page.worksheet.set_repeat_rows(GROUP_ROW, HEADER_ROW)?;
        style::print_setup(&mut page.worksheet);
        page.worksheet.set_print_area(0, 0, 1, 12)?;
        Ok(page)
    }

    fn write_own_as_written(
        &self,
        page: &mut Page,
        row: RowNum,
        own: FigureId,
    ) -> Result<(), XlsxError> {
        let now = row_col_to_cell(row, FIRST);
        let written = (self.model.value(own), Look::Seconds);
        write_until_changed(page, (row, WRITTEN), &now, written)
    }

    fn write_headings(&self, page: &mut Page) -> Result<(), XlsxError> {
        let fixed = [
            (NAME, "Loop", "The nest, as on sheet Loops", 34.0),
            (
                POSITION,
                "Row of Loops",
                "Its position in the table on sheet Loops, starting at 1",
                10.0,
            ),
            (
                WRITTEN,
                "As written",
                "Seconds when the workbook was written, if they differ from now: empty while nothing has changed",
                13.0,
            ),
        ];
        for (column, header, meaning, width) in fixed {
            page.text(HEADER_ROW, column, header, &style::header())?;
            write_note(page, (HEADER_ROW, column), meaning)?;
            page.worksheet.set_column_width(column, width)?;
        }
        page.text(GROUP_ROW, 0, "Nest", &style::group(0))?;
        let last = FIRST + self.columns.len() as ColNum - 1;
        page.worksheet.set_column_range_width(FIRST, last, 13)?;
        let mut column = FIRST;
        for (index, group) in self.columns.chunk_by(|a, b| a.group == b.group).enumerate() {
            page.text(GROUP_ROW, column, &group[0].group, &style::group(index + 1))?;
            for times in group {
                page.text(HEADER_ROW, column, &times.header, &style::header())?;
                let meaning = format!("Seconds. {}: {}", times.group, times.header);
                write_note(page, (HEADER_ROW, column), &meaning)?;
                column += 1;
            }
        }
        page.worksheet.set_row_height(GROUP_ROW, 60)?;
        page.worksheet.set_row_height(HEADER_ROW, 32)?;
        Ok(())
    }

    /// What Goal shows.
    fn write_answers(&self, page: &mut Page) -> Result<(), XlsxError> {
        let first = self.goals();
        let mut headings = vec![(
            first,
            "Memory bandwidth [B/s]".to_string(),
            "Memory bandwidth at which the nest reaches the speedup of Goal; 0 where none does"
                .to_string(),
        )];
        for (column, level) in (first + 1..)
            .step_by(usize::from(PER_LEVEL))
            .zip(self.goal_levels())
        {
            let what = [
                (
                    "share [B]",
                    "Smallest share of one core that holds the next reuse; 0 where all are held",
                ),
                ("size [B]", "The same as the size of one instance"),
                ("or size", "A parameter that sets the length of inner loops"),
                (
                    "up to",
                    "The largest value at which that reuse is held, or all still are",
                ),
            ];
            for (column, (header, meaning)) in (column..).zip(what) {
                headings.push((column, format!("{level}: {header}"), meaning.to_string()));
            }
        }
        page.text(GROUP_ROW, first, "Goal", &style::group(0))?;
        for (column, header, meaning) in headings {
            page.text(HEADER_ROW, column, &header, &style::header())?;
            write_note(page, (HEADER_ROW, column), &meaning)?;
            page.worksheet.set_column_width(column, 14)?;
        }
        let plain = style::cell(Look::Text, Role::Plain);
        for ((at, goals), row) in self.alternatives.goals.iter().enumerate().zip(FIRST_ROW..) {
            for (column, figure) in self.answers(at) {
                page.figure(row, column, figure, Look::Count)?;
            }
            for (at, level) in goals.levels.iter().enumerate() {
                let column = self.goal_column(OfGoal::Size(at)) - 1;
                if let Some((name, _)) = &level.size {
                    page.text(row, column, name, &plain)?;
                }
            }
        }
        Ok(())
    }

    /// The costliest nests, found by their times in force.
    fn write_top(&self, page: &mut Page, nests: &NestSheets) -> Result<(), XlsxError> {
        let first = self.top_row();
        page.text(first - 2, 0, "The costliest nests now", &style::section())?;
        for (column, header, meaning) in [
            (top::NAME, "Loop", "The nest"),
            (
                top::POSITION,
                "Row of Loops",
                "Its position in the table on sheet Loops, starting at 1",
            ),
            (top::TIME, "Time [s]", "Its time with the inputs in force"),
            (top::RANK, "Rank", "1 is the costliest"),
            (
                top::ROW,
                "Row above",
                "Its position in the table above, starting at 1",
            ),
        ] {
            page.text(first - 1, column, header, &style::header())?;
            write_note(page, (first - 1, column), meaning)?;
        }
        Ranking {
            rank: top::RANK,
            time: top::TIME,
            position: top::POSITION,
        }
        .write(page, nests, &self.ranked, first)?;
        for (row, nest) in (first..).zip(&self.ranked) {
            let position = row_col_to_cell(row, top::POSITION);
            let found = Found {
                nests,
                nest: *nest,
                position: position.clone(),
            };
            found.marked_id(page, (row, top::NAME))?;
            let cells = fixed_column_range(POSITION, FIRST_ROW, self.total_row() - 1);
            let formula = format!("IFERROR(MATCH({position},{cells},0),\"{NOT_COMPARED}\")");
            let format = style::cell(Look::Number, Role::Plain);
            match self.compared(*nest) {
                Some(at) => {
                    let shown = (at + 1).to_string();
                    page.presentation(row, top::ROW, &formula, &shown, &format)?;
                }
                None => page.presented_text(row, top::ROW, &formula, NOT_COMPARED, &format)?,
            }
        }
        Ok(())
    }
}

/// What a heading means, for who points at it.
pub(super) fn write_note(
    page: &mut Page,
    (row, column): (RowNum, ColNum),
    meaning: &str,
) -> Result<(), XlsxError> {
    let note = Note::new(meaning).add_author_prefix(false).set_width(320);
    page.worksheet.insert_note(row, column, &note)?;
    Ok(())
}

/// What a value was when the workbook was written, for as long as the cell `now` holds another one.
pub(super) fn write_until_changed(
    page: &mut Page,
    (row, column): (RowNum, ColNum),
    now: &str,
    (written, look): (f64, Look),
) -> Result<(), XlsxError> {
    if !written.is_finite() {
        return page.text(
            row,
            column,
            UNKNOWN,
            &style::cell(Look::Text, Role::Unknown),
        );
    }
    let expr = Expr::from(written);
    let names = &page.book.layout.names(Sheet::Alternatives);
    let written = Excel { expr: &expr, names };
    let is_as_written = format!("ABS({now}-{written})<=1E-12*ABS({written})");
    let formula =
        format!("IF(ISNUMBER({now}),IF({is_as_written},\"{UNCHANGED}\",{written}),{written})");
    let format = style::cell(look, Role::Plain);
    page.presented_text(row, column, &formula, UNCHANGED, &format)
}

/// A number that a formula finds, or what it says where there is none.
pub(super) fn write_found(
    page: &mut Page,
    (row, column): (RowNum, ColNum),
    (formula, value): (&str, Option<f64>),
    (otherwise, look): (&str, Look),
) -> Result<(), XlsxError> {
    match value {
        Some(value) => {
            let format = style::cell(look, Role::Plain);
            page.presentation(row, column, formula, &value.to_string(), &format)
        }
        None => {
            let format = style::cell(look, Role::Unknown);
            page.presented_text(row, column, formula, otherwise, &format)
        }
    }
}

/// `F$6:M$6`.
pub(super) fn row_range(row: RowNum, first: ColNum, last: ColNum) -> String {
    let [first, last] = [first, last].map(column_number_to_name);
    format!("${first}${0}:${last}${0}", row + 1)
}
