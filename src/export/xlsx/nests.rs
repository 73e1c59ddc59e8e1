//! The table of nests on its sheets: Loops has what is read, and a sheet for each topic has all that is known about it.
//! All of them have the same rows, and begin with the nest's name and place.

use rust_xlsxwriter::utility::row_col_to_cell;
use rust_xlsxwriter::{ColNum, RowNum, XlsxError};

use super::highlights;
use super::layout::{Layout, Sheet, fixed_column_range};
use super::order;
use super::page::{Book, Page};
use super::table::{FIRST_ROW, Printed, Shown, ShownColumn};
use crate::listings::loops::{self, Topic};
use crate::listings::{Column, Look, Table};
use crate::model::{Model, NestModel};

pub(super) type LoopTable<'a> = Table<'a, (usize, &'a NestModel<'a>)>;

/// A column of the table of nests.
pub(super) type NestColumn<'a> = Column<'a, (usize, &'a NestModel<'a>)>;

/// Columns of a sheet of nests.
type ShownColumns<'t, 'a> = Vec<ShownColumn<'t, 'a, (usize, &'a NestModel<'a>)>>;

/// Group and header of a column, as the whole table has them.
pub(super) type Named<'n> = (&'n str, &'n str);

/// What every sheet begins with.
const PLACE: [Named; 3] = [loops::ID, loops::FILE, loops::LINE];

/// Where a column of the whole table is, and its headings there.
struct Shows {
    column: usize,
    headings: Option<(&'static str, &'static str)>,
}

/// A sheet of the table.
struct NestSheet {
    sheet: Sheet,
    title: &'static str,
    columns: Vec<Shows>,
    printed: Printed,
}

/// All sheets of the table of nests.
pub(super) struct NestSheets<'t, 'a> {
    pub table: &'t LoopTable<'a>,
    sheets: Vec<NestSheet>,
    /// What only the workbook has: places of the nests in the order of their times, on sheet Time.
    order: [NestColumn<'a>; 2],
}

/// The columns of Loops that are not caches, before and after these, with their headings there.
type Read = (Named<'static>, (&'static str, &'static str));

/// What Loops shows before the bytes that move.
fn read_before(model: &Model) -> Vec<Read> {
    let time = "Time";
    let mut read = vec![
        (loops::ID, ("Loop", loops::ID.1)),
        (loops::FILE, ("Loop", loops::FILE.1)),
        (loops::LINE, ("Loop", loops::LINE.1)),
        (loops::SHARE, (time, "Share")),
    ];
    if model.ranking.follows_calls {
        read.extend([
            (loops::ALL_CALLS, (time, "All calls")),
            (loops::SECONDS, (time, "One call")),
            (loops::CALLS, (time, "Calls")),
        ]);
    } else {
        read.push((loops::SECONDS, (time, "Estimate")));
    }
    if model.measured.is_some() {
        read.push((loops::MEASURED, (time, "Measured")));
    }
    let work = "Work of one call";
    read.extend([
        (loops::BOUND, (time, "Bound by")),
        (loops::ITERATIONS, (work, "Iterations")),
        (loops::FLOPS, (work, "Flops")),
    ]);
    read
}

/// What Loops shows after the bytes of caches.
const READ_AFTER: [Read; 5] = [
    (loops::DRAM_BYTES, (BYTES, "DRAM")),
    (loops::INTENSITY, (BYTES, "Intensity")),
    (loops::ADVICE, ("Advice", "What to change")),
    (loops::GAIN, ("Advice", "Time saved (% of program)")),
    (loops::REASONS, ("Marked", loops::REASONS.1)),
];
const BYTES: &str = "Bytes moved in one call";

/// The sheets of topics, in their order.
const TOPICS: [(Topic, Sheet, &str); 5] = [
    (
        Topic::Iterations,
        Sheet::Iterations,
        "Loops: what they iterate over",
    ),
    (
        Topic::Operations,
        Sheet::Operations,
        "Loops: what they compute",
    ),
    (
        Topic::WorkingSets,
        Sheet::WorkingSets,
        "Loops: what they keep for reuse",
    ),
    (
        Topic::Scenarios,
        Sheet::Scenarios,
        "Loops: memory traffic by what is reused",
    ),
    (Topic::Time, Sheet::Time, "Loops: what takes the time"),
];

impl<'t, 'a> NestSheets<'t, 'a> {
    pub fn new(model: &Model, (table, topics): (&'t LoopTable<'a>, &[Topic])) -> Self {
        let at = |(group, header): Named| {
            table
                .column(group, header)
                .map(usize::from)
                .expect("the table has the columns that it names")
        };
        let shows = |(named, headings): Read| Shows {
            column: at(named),
            headings: Some(headings),
        };
        let is_cache = |column: &usize| table.columns[*column].group == loops::CACHE_TRAFFIC;
        let all = 0..table.columns.len();
        let caches = all.clone().filter(is_cache).map(|column| Shows {
            column,
            headings: None,
        });
        let is_there = |(named, _): &Read| table.column(named.0, named.1).is_some();
        let read: Vec<Shows> = (read_before(model).into_iter().map(shows))
            .chain(caches)
            .chain(READ_AFTER.into_iter().filter(is_there).map(shows))
            .collect();
        let place = PLACE.map(at);
        let on_loops: Vec<usize> = read.iter().map(|shown| shown.column).collect();
        // Figures of Loops stand beside what they are made of, texts are not repeated.
        let is_repeated =
            |column: &usize| on_loops.contains(column) && table.columns[*column].kind.is_none();
        let topic = |(topic, sheet, title)| {
            let own =
                (all.clone()).filter(|column| topics[*column] == topic && !is_repeated(column));
            let columns = place.into_iter().chain(own).map(|column| Shows {
                column,
                headings: None,
            });
            NestSheet {
                sheet,
                title,
                columns: columns.collect(),
                printed: Printed::OnPages,
            }
        };
        let topics = TOPICS.map(topic);
        let loops = NestSheet {
            sheet: Sheet::Loops,
            title: table.title,
            columns: read,
            printed: Printed::OnePageWide,
        };
        let sheets = std::iter::once(loops).chain(topics).collect();
        NestSheets {
            table,
            sheets,
            order: order::columns(model),
        }
    }

    /// The places of the nests in the order of their times.
    pub fn places(&self) -> String {
        let column = self.order_column() + 1;
        let cells = fixed_column_range(column, FIRST_ROW, self.table.last_row());
        format!("{}!{cells}", Sheet::Time.in_formulas())
    }

    /// The first column of sheet Time that only the workbook has.
    fn order_column(&self) -> ColNum {
        let time = self.sheets.iter().find(|own| own.sheet == Sheet::Time);
        time.map_or(0, |time| time.columns.len() as ColNum)
    }

    /// The first sheet with that column, and its position there.
    pub fn column(&self, (group, header): Named) -> Option<(Sheet, ColNum)> {
        let wanted = usize::from(self.table.column(group, header)?);
        self.sheets.iter().find_map(|sheet| {
            let shows = |shown: &Shows| shown.column == wanted;
            let position = sheet.columns.iter().position(shows)?;
            Some((sheet.sheet, position as ColNum))
        })
    }

    /// Which column of the whole table a sheet shows at a position; `None` of other sheets.
    pub fn whole_column(&self, sheet: Sheet, position: ColNum) -> Option<usize> {
        let found = self.sheets.iter().find(|own| own.sheet == sheet)?;
        Some(found.columns.get(usize::from(position))?.column)
    }

    /// The whole column as a formula on another sheet writes it.
    pub fn range(&self, named: Named) -> String {
        let (sheet, column) = self
            .column(named)
            .expect("the sheets of nests have the columns that they name");
        let cells = fixed_column_range(column, FIRST_ROW, self.table.last_row());
        format!("{}!{cells}", sheet.in_formulas())
    }

    /// The cell of a row in that column, as a formula on another sheet writes it.
    pub fn cell(&self, named: Named, row: RowNum) -> String {
        let (sheet, column) = self
            .column(named)
            .expect("the sheets of nests have the columns that they name");
        format!("{}!{}", sheet.in_formulas(), row_col_to_cell(row, column))
    }

    /// The sheets of topics.
    pub fn topics(&self) -> impl Iterator<Item = Sheet> + '_ {
        self.sheets.iter().skip(1).map(|sheet| sheet.sheet)
    }

    /// The names of the nests on one of the sheets, all of which begin with them.
    pub fn names_on(&self, sheet: Sheet) -> String {
        let cells = fixed_column_range(0, FIRST_ROW, self.table.last_row());
        format!("{}!{cells}", sheet.in_formulas())
    }

    /// Gives every figure of the table its home: on Loops, else on the sheet of its topic.
    pub fn place(&self, layout: &mut Layout) {
        for sheet in &self.sheets {
            self.shown(sheet).place(sheet.sheet, layout);
        }
    }

    fn shown<'s>(&'s self, sheet: &'s NestSheet) -> Shown<'s, 'a, (usize, &'a NestModel<'a>)> {
        let column = |shows: &Shows| {
            let shown = ShownColumn::of(&self.table.columns[shows.column]);
            let is_cache = shown.group == loops::CACHE_TRAFFIC;
            match shows.headings {
                Some((group, header)) => ShownColumn {
                    group,
                    header,
                    ..shown
                },
                None if sheet.sheet == Sheet::Loops && is_cache => ShownColumn {
                    group: BYTES,
                    ..shown
                },
                None => shown,
            }
        };
        let mut columns: ShownColumns = sheet.columns.iter().map(column).collect();
        if sheet.sheet == Sheet::Time {
            columns.extend(self.order.iter().map(ShownColumn::of));
        }
        Shown {
            title: sheet.title,
            remark: &self.table.remark,
            rows: &self.table.rows,
            columns,
            printed: sheet.printed,
        }
    }

    /// The pages of all sheets, in their order.
    pub fn write<'b>(&self, book: Book<'b>) -> Result<Vec<Page<'b>>, XlsxError> {
        let write = |sheet: &NestSheet| {
            let mut page = Page::new(sheet.sheet, book)?;
            let shown = self.shown(sheet);
            shown.write(&mut page)?;
            if sheet.sheet == Sheet::Time {
                let column = self.order_column();
                order::write(&mut page, self, column)?;
            }
            self.fold_steps(&mut page, &shown)?;
            for (column, shown) in (0..).zip(&shown.columns) {
                let rows = (FIRST_ROW, self.table.last_row());
                match shown.column.look {
                    Look::Bytes => highlights::small_bytes(&mut page, column, rows)?,
                    Look::Seconds => highlights::no_seconds(&mut page, column, rows)?,
                    _ => {}
                }
            }
            Ok(page)
        };
        self.sheets.iter().map(write).collect()
    }

    /// The columns of every sheet.
    pub fn glossary(&self) -> impl Iterator<Item = (Sheet, ShownColumns<'_, 'a>)> {
        (self.sheets.iter()).map(|sheet| (sheet.sheet, self.shown(sheet).columns))
    }

    /// Steps on the way to other columns are folded away.
    fn fold_steps<R>(&self, page: &mut Page, shown: &Shown<R>) -> Result<(), XlsxError> {
        let is_step = |column: &ShownColumn<R>| column.group == loops::STEPS;
        let Some(first) = shown.columns.iter().position(is_step) else {
            return Ok(());
        };
        let count = shown
            .columns
            .iter()
            .filter(|column| is_step(column))
            .count();
        let last = first + count - 1;
        page.worksheet
            .group_columns_collapsed(first as ColNum, last as ColNum)?;
        Ok(())
    }
}
