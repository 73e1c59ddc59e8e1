//! The sheet Notes: how the figures are made, what each column means, and all that is missing.

use indexmap::IndexMap;
use rust_xlsxwriter::{ColNum, RowNum, XlsxError};

use super::layout::Sheet;
use super::nests::NestSheets;
use super::page::{Book, Page};
use super::style::{self, Look, Role};
use super::table::ShownColumn;
use crate::analysis::coverage;
use crate::listings::Table;
use crate::listings::notes::{LIMITS, METHOD};
use crate::model::advice::words;

/// Rows kept free for what follows a list that would not fit.
const LAST_ROW: RowNum = 1_048_576 - 1000;
const WIDTHS: [f64; 6] = [56.0, 28.0, 16.0, 10.0, 40.0, 70.0];

pub(super) fn write<'a, A, C, R>(
    book: Book<'a>,
    nests: &NestSheets,
    arrays: &Table<A>,
    (caches, conditions): (&Table<C>, &Table<R>),
) -> Result<Page<'a>, XlsxError> {
    let mut notes = Notes {
        page: Page::new(Sheet::Notes, book)?,
        row: 0,
    };
    for (column, width) in (0..).zip(WIDTHS) {
        notes.page.worksheet.set_column_width(column, width)?;
    }
    notes.page.title("Notes")?;
    notes.row = 2;
    notes.paragraphs("How the figures are computed", METHOD)?;
    notes.paragraphs("What the model leaves out", LIMITS)?;
    notes.gaps()?;
    notes.disagreements()?;
    notes.conflicts()?;
    notes.reasons()?;
    notes.diagnostics()?;
    notes.files()?;
    for (sheet, columns) in nests.glossary() {
        notes.glossary(sheet, columns)?;
    }
    notes.glossary(Sheet::Arrays, arrays.columns.iter().map(ShownColumn::of))?;
    notes.glossary(Sheet::Caches, caches.columns.iter().map(ShownColumn::of))?;
    notes.glossary(
        Sheet::Conditions,
        conditions.columns.iter().map(ShownColumn::of),
    )?;
    let mut page = notes.page;
    page.worksheet.set_repeat_rows(0, 0)?;
    style::print_setup(&mut page.worksheet);
    Ok(page)
}

struct Notes<'a> {
    page: Page<'a>,
    row: RowNum,
}

impl Notes<'_> {
    fn paragraphs(&mut self, title: &str, paragraphs: &[(&str, &str)]) -> Result<(), XlsxError> {
        self.section(title)?;
        for (name, text) in paragraphs {
            self.page.text(
                self.row,
                0,
                name,
                &style::cell(Look::Text, Role::Plain).set_bold(),
            )?;
            let (last, format) = (WIDTHS.len() as ColNum - 1, style::wrapped());
            self.page
                .worksheet
                .merge_range(self.row, 1, self.row, last, text, &format)?;
            let lines = style::lines(text, WIDTHS[1..].iter().sum());
            self.page
                .worksheet
                .set_row_height(self.row, style::row_height(lines))?;
            self.row += 1;
        }
        self.row += 1;
        Ok(())
    }

    fn section(&mut self, title: &str) -> Result<(), XlsxError> {
        self.page.text(self.row, 0, title, &style::section())?;
        self.row += 1;
        Ok(())
    }

    /// A list with headings; says so if it is empty or too long for the sheet.
    fn list<const N: usize>(
        &mut self,
        title: &str,
        headers: [&str; N],
        rows: impl Iterator<Item = [Cell; N]>,
    ) -> Result<(), XlsxError> {
        self.section(title)?;
        let mut rows = rows.peekable();
        if rows.peek().is_none() {
            self.page
                .text(self.row, 0, "None.", &style::cell(Look::Text, Role::Plain))?;
            self.row += 2;
            return Ok(());
        }
        for (column, header) in (0..).zip(headers) {
            self.page.text(self.row, column, header, &style::header())?;
        }
        self.row += 1;
        let mut left_out = 0;
        for cells in rows {
            if self.row >= LAST_ROW {
                left_out += 1;
                continue;
            }
            self.list_row(cells)?;
            self.row += 1;
        }
        if left_out > 0 {
            let text = format!("{left_out} more do not fit on this sheet.");
            self.page.text(self.row, 0, &text, &style::remark())?;
            self.row += 1;
        }
        self.row += 1;
        Ok(())
    }

    /// One row; a text in the last cell takes the room of the columns that are left.
    fn list_row<const N: usize>(&mut self, cells: [Cell; N]) -> Result<(), XlsxError> {
        const LAST: usize = WIDTHS.len() - 1;
        let mut lines = 1;
        for (column, cell) in cells.into_iter().enumerate() {
            match cell {
                Cell::Text(text) => {
                    let end = if column + 1 == N { LAST } else { column };
                    lines = lines.max(style::lines(&text, WIDTHS[column..=end].iter().sum()));
                    if end > column {
                        let (first, last) = (column as ColNum, end as ColNum);
                        self.page.worksheet.merge_range(
                            self.row,
                            first,
                            self.row,
                            last,
                            "",
                            &style::wrapped(),
                        )?;
                    }
                    self.page
                        .text(self.row, column as ColNum, &text, &style::wrapped())?;
                }
                Cell::Number(value) => {
                    let format = style::cell(Look::Number, Role::Plain);
                    self.page
                        .number(self.row, column as ColNum, value, &format)?;
                }
            }
        }
        self.page
            .worksheet
            .set_row_height(self.row, style::row_height(lines))?;
        Ok(())
    }

    /// Reasons that differ by their lines only are one row.
    fn gaps(&mut self) -> Result<(), XlsxError> {
        let mut lines: IndexMap<_, Vec<u32>> = IndexMap::new();
        for gap in coverage::gaps(self.page.book.model.program) {
            let file = gap.inside.map_or(&gap.function.file, |inner| &inner.file);
            let inside = gap.inside.map_or("outside loops", |inner| &inner.id);
            let of = lines.entry((
                inside,
                gap.reason.code,
                &gap.function.name,
                file,
                &gap.reason.detail,
            ));
            of.or_default().push(gap.reason.line);
        }
        let headers = ["Loop", "Reason", "Function", "Lines", "File", "Detail"];
        let rows = lines
            .into_iter()
            .map(|((inside, code, function, file, detail), lines)| {
                [
                    text(inside),
                    text(code.as_str()),
                    text(function),
                    Cell::lines(&lines),
                    text(file),
                    text(detail),
                ]
            });
        self.list("What was not understood", headers, rows)
    }

    /// Nests of which a run with small sizes says something else than the model.
    fn disagreements(&mut self) -> Result<(), XlsxError> {
        let nests = self.page.book.model.nests.iter();
        let rows = nests.filter_map(|nest| {
            let (head, ratio) = (nest.nest.head(), nest.disagreement()?);
            Some([
                text(&head.id),
                Cell::Number(ratio),
                text(&format!("{}:{}", head.file, head.line)),
            ])
        });
        let title = "Nests that move different bytes when run with small sizes";
        self.list(title, ["Loop", "Model / run", "Place"], rows)
    }

    /// Nests whose lines fall into few sets of a cache.
    fn conflicts(&mut self) -> Result<(), XlsxError> {
        let model = self.page.book.model;
        let rows = model.nests.iter().flat_map(|nest| {
            let head = nest.nest.head();
            nest.conflicts.iter().map(move |conflict| {
                [
                    text(&head.id),
                    text(&conflict.collision.array),
                    Cell::Number(conflict.collision.stride),
                    Cell::Number(conflict.ratio()),
                    text(&format!("{}:{}", head.file, head.line)),
                    text(&words::conflict(model, conflict)),
                ]
            })
        });
        let title = "Nests whose lines fall into few sets of a cache, run with its ways and the sizes of this workbook";
        let headers = [
            "Loop",
            "Array",
            "Bytes apart",
            "Ways / full",
            "Place",
            "What happens",
        ];
        self.list(title, headers, rows)
    }

    /// What the codes of reasons mean that occur anywhere in the workbook.
    fn reasons(&mut self) -> Result<(), XlsxError> {
        let codes = self.page.book.model.reason_codes();
        let rows = codes.into_iter().map(|code| {
            let texts = [code.meaning(), code.effect().meaning(), code.help()];
            [text(code.as_str()), text(&texts.join(" "))]
        });
        self.list("What the reasons mean", ["Reason", "Meaning"], rows)
    }

    fn diagnostics(&mut self) -> Result<(), XlsxError> {
        let program = self.page.book.model.program;
        let headers = ["Code", "Severity", "Column", "Line", "File", "Message"];
        let rows = program
            .files
            .iter()
            .flat_map(|file| &file.diagnostics)
            .map(|diagnostic| {
                let message = match &diagnostic.help {
                    Some(help) => format!("{} ({help})", diagnostic.message),
                    None => diagnostic.message.clone(),
                };
                [
                    text(diagnostic.code.as_str()),
                    text(diagnostic.severity.as_str()),
                    Cell::Number(f64::from(diagnostic.place.column)),
                    Cell::Number(f64::from(diagnostic.place.line)),
                    text(&diagnostic.place.file),
                    Cell::Text(message),
                ]
            });
        self.list("Diagnostics", headers, rows)
    }

    fn files(&mut self) -> Result<(), XlsxError> {
        let program = self.page.book.model.program;
        let headers = ["Language", "Preprocessed", "Form", "Lines", "File"];
        let rows = program.files.iter().map(|file| {
            [
                text(file.language.title()),
                text(file.preprocessing.in_words()),
                text(file.form.as_str()),
                Cell::Number(file.lines as f64),
                text(&file.path),
            ]
        });
        self.list("Files read", headers, rows)?;
        let rows = program
            .unread
            .iter()
            .map(|(extension, count)| [text(extension), Cell::Number(*count as f64)]);
        self.list("Files not read", ["Extension", "Files"], rows)
    }

    fn glossary<'t, 'a: 't, R: 't>(
        &mut self,
        sheet: Sheet,
        columns: impl IntoIterator<Item = ShownColumn<'t, 'a, R>>,
    ) -> Result<(), XlsxError> {
        let title = format!("Columns of {}", sheet.name());
        let rows = columns.into_iter().map(
            |ShownColumn {
                 group,
                 header,
                 column,
             }| {
                [
                    text(group),
                    text(header),
                    text(column.unit),
                    text(&column.meaning),
                ]
            },
        );
        self.list(&title, ["Group", "Column", "Unit", "Meaning"], rows)
    }
}

enum Cell {
    Text(String),
    Number(f64),
}

impl Cell {
    /// One line as a number, several as a list.
    fn lines(lines: &[u32]) -> Cell {
        match lines {
            [line] => Cell::Number(f64::from(*line)),
            _ => {
                let lines: Vec<String> = lines.iter().map(u32::to_string).collect();
                Cell::Text(lines.join(", "))
            }
        }
    }
}

fn text(text: &str) -> Cell {
    Cell::Text(text.to_string())
}
