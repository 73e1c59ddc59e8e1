//! The sheet Notes: how the figures are made, what each column means, and all that is missing.

use rust_xlsxwriter::{ColNum, RowNum, XlsxError};

use super::layout::Sheet;
use super::page::{Book, Page};
use super::style::{self, Look, Role};
use super::table::{Column, Table};
use crate::analysis::coverage;

/// How the figures are made, with their sources.
pub(in crate::export) const METHOD: &[(&str, &str)] = &[
    (
        "Operations",
        "Floating-point additions, multiplications, divisions and special functions are counted from the source, branches weighted by their probability. Integer arithmetic and subscripts are never counted. Weighted flops give divisions and specials the cost set on Machine. (ExaSAT report 2012, section 2.3.3)",
    ),
    (
        "Streams",
        "References to one array that differ by constants form one stream with a set of offsets, its stencil. Offsets are in storage order, the contiguous dimension first. A component subscript makes a stream of its own.",
    ),
    (
        "Groups",
        "Cells are the offsets; pencils are the offsets that one sweep of the innermost loop joins; planes those that two loops join. The elements that a group touches are the exact union of the shifted blocks, rows rounded up to whole cache lines. (ExaSAT report, section 2.1, made exact)",
    ),
    (
        "Working sets",
        "To be reused by the next iteration, an array must keep its span plus the largest gap between neighbouring planes (pencils) over all arrays read in the nest: offsets -2, -1, 0, 1, 2 keep 5 planes, -2, -1, 1, 2 keep 6. (ExaSAT report, section 2.1)",
    ),
    (
        "Three variants",
        "Naive: all arrays share the cache. Streaming writes: written arrays bypass it. Reuse only: arrays without reuse bypass it too. The actual working set is the one that the switches streaming_writes and nta_hints choose. (ExaSAT report, section 2.3.3)",
    ),
    (
        "Memory traffic",
        "Per array: cost x element size x elements that the sweeps of a block touch x number of sweeps. Which scenario holds follows from comparing the actual working sets with cache_bytes, one core's share of the last cache; if the whole footprint fits, only compulsory traffic is left. (ExaSAT report, sections 2.1 and 2.3.3)",
    ),
    (
        "Cache levels",
        "Sheets Caches and Layer conditions go neighbour by neighbour: a line that a loop comes back to is found again if all lines touched in between fit, else it moves again. Each loop carries the reuse of what one of its iterations shares with those before; stencils, transposed and strided accesses, small arrays that outer loops reuse, tiles and blocks follow from the same rule. Rows count the lines that they really touch, where they begin being known, else on average. Where the bounds of inner loops depend on an outer one, that loop is taken at the middle of several parts of its range.",
    ),
    (
        "Reuse between nests",
        "With reuse_between_nests (sheet Machine) at 1, a nest finds what up to 32 nests of the same function before it left in a cache; a loop around several nests makes the last of them come before the first. Between the last touch of an array in one nest and the first one in the next lies what both sweep: from all that the first one touches, for the line that it touched first, to all that the second one touches, for the line that that one touches last; against each other, from nothing to both together. A cache that holds the larger of these finds everything, one that does not hold the smaller nothing, others a part in proportion. What two nests touch in common is taken from the boxes around their subscripts. Dirty lines that are written again before they leave are written back once.",
    ),
    (
        "Time",
        "CPU time is weighted flops over peak; the time of each memory level is its traffic over its bandwidth, that of memory no more than cores x dram_lines_in_flight x line_bytes / dram_latency_ns where both are known (Little's law: so many lines come in one latency); the largest is the estimate where overlap is 1, and arithmetic and data take turns where it is 0. (ExaSAT report, section 2.3.3, for every cache level)",
    ),
    (
        "Communication",
        "The time of a message is the network's latency plus its bytes over its bandwidth. A ghost exchange sends word x components x the sum over the dimensions of 2 x width x the cells of the others, both sides counted, in two messages a dimension. Collectives take the messages and bytes of the algorithms of MPICH, short and long ones, without the arithmetic of reductions. (Thakur, Rabenseifner and Gropp, Optimization of Collective Communication Operations in MPICH, Int. J. of High Performance Computing Applications 19(1), 2005)",
    ),
    (
        "Registers",
        "Of the innermost loop of a nest: the loop variable and its bound; scalars that live through the loop; one address an array for all references a known number of bytes apart, strides that only a symbol gives; elements, literals and constants that stay the same; and the most values of one iteration that live at once, with the registers that the deepest expression needs. A complex value takes two. What exceeds the registers of the machine is spilled. (Sethi and Ullman, The Generation of Optimal Code for Arithmetic Expressions, J. ACM 17(4), 1970)",
    ),
    (
        "Units",
        "Bytes, flops and seconds. GB/s and Gflop/s are powers of ten, KiB and MiB powers of two; they are never mixed.",
    ),
];

/// What the model leaves out.
pub(in crate::export) const LIMITS: &[(&str, &str)] = &[
    (
        "Caches",
        "Fully associative, least recently used first to go: conflict misses are not in the formulas.",
    ),
    (
        "Bounds",
        "Triangular and other affine bounds are summed exactly; other bounds that depend on outer loops are taken at the middle of their range.",
    ),
    (
        "Subscripts",
        "Subscripts that are not affine are gathers: gather_lines cache lines a reference.",
    ),
    (
        "Blocks",
        "Formulas for blocks hold for extents of at least the span of the offsets. Where the last block is smaller, its smaller extent is counted.",
    ),
    (
        "Scenarios",
        "In Loops and Arrays reuse is all or nothing at each level, and rows are rounded to whole cache lines; so is the DRAM traffic of Loops. In Caches it is not.",
    ),
    (
        "Cache levels",
        "Gathers take one line an access until the array is loaded as a whole. Bounds that are not affine are taken at the middle of the ranges around. Only loops of constant range in steps of one are blocked by block_x, block_y, ... there.",
    ),
    (
        "Siblings",
        "Loops side by side are nests of their own; what one leaves in the cache for the next is not counted.",
    ),
    (
        "Unknown",
        "What cannot be known is shown as unknown and never as zero; what depends on it is unknown too. Such cells are text: to fill a gap, set the value and run the program again. Cache levels whose bandwidth is empty set no bound.",
    ),
    (
        "Messages",
        "No contention between processes, no overlap with arithmetic, no waiting for slower processes. Types that a procedure does not make itself from MPI's own have unknown sizes.",
    ),
    (
        "Registers",
        "An estimate for scalar code: no vectorisation, no unrolling, nothing that calls save, no values that a compiler loads again instead of keeping them.",
    ),
    (
        "Calls",
        "Calls of functions that are not known are listed below and cost nothing.",
    ),
];

/// Rows kept free for what follows a list that would not fit.
const LAST_ROW: RowNum = 1_048_576 - 1000;
const WIDTHS: [f64; 6] = [56.0, 28.0, 16.0, 10.0, 40.0, 70.0];

pub(super) fn write<'a, L, A, C, R>(
    book: Book<'a>,
    loops: &Table<L>,
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
    notes.paragraphs("How the figures are made", METHOD)?;
    notes.paragraphs("What the model leaves out", LIMITS)?;
    notes.gaps()?;
    notes.reasons()?;
    notes.diagnostics()?;
    notes.files()?;
    notes.glossary(loops)?;
    notes.glossary(arrays)?;
    notes.glossary(caches)?;
    notes.glossary(conditions)?;
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

    fn gaps(&mut self) -> Result<(), XlsxError> {
        let gaps = coverage::gaps(self.page.book.model.program);
        let title = "What was not understood";
        let headers = ["Loop", "Reason", "Function", "Line", "File", "Detail"];
        let rows = gaps.into_iter().map(|gap| {
            let file = gap.inside.map_or(&gap.function.file, |inner| &inner.file);
            let inside = gap.inside.map_or("outside of loops", |inner| &inner.id);
            [
                text(inside),
                text(gap.reason.code.as_str()),
                text(&gap.function.name),
                Cell::Number(f64::from(gap.reason.line)),
                text(file),
                text(&gap.reason.detail),
            ]
        });
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
                    text(&diagnostic.code),
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

    fn glossary<R>(&mut self, table: &Table<R>) -> Result<(), XlsxError> {
        let title = format!("Columns of {}", table.sheet.name());
        let rows = table.columns.iter().map(
            |Column {
                 group,
                 header,
                 unit,
                 meaning,
                 ..
             }| [text(group), text(header), text(unit), text(meaning)],
        );
        self.list(&title, ["Group", "Column", "Unit", "Meaning"], rows)
    }
}

enum Cell {
    Text(String),
    Number(f64),
}

fn text(text: &str) -> Cell {
    Cell::Text(text.to_string())
}
