//! What of a long sheet is printed: its first rows, and a remark on the sheet that says so and how many pages all of it
//! would be.

use rust_xlsxwriter::{ColNum, RowNum, XlsxError};

use super::page::Paper;

/// Lines of a long sheet that are printed: about those of a page.
const PRINTED_LINES: usize = 55;

/// Pages side by side on which the columns of a long sheet are printed.
const PRINTED_WIDE: usize = 2;

/// Rows of one kind, how they are set, and where the pages begin on which their columns stand side by side, but for the
/// first.
#[derive(Clone, Copy)]
pub(super) struct PrintedRows<'b> {
    pub first: RowNum,
    /// The lines of text of each row.
    pub lines: &'b [usize],
    pub last_column: ColNum,
    pub breaks: &'b [ColNum],
}

impl PrintedRows<'_> {
    /// The rows that one page has room for, and the first one whatever its height.
    fn fit(self) -> usize {
        let ends = self.lines.iter().scan(0, |end, lines| {
            *end += lines;
            Some(*end)
        });
        ends.take_while(|end| *end <= PRINTED_LINES).count().max(1)
    }

    fn is_long(self) -> bool {
        self.fit() < self.lines.len()
    }

    /// The last column that is printed of a long sheet, and whether that is not the last one.
    fn last_printed(self) -> (ColNum, bool) {
        match self.breaks.get(PRINTED_WIDE - 1) {
            Some(next) => (next - 1, true),
            None => (self.last_column, false),
        }
    }

    /// What the sheet says of its printed pages; nothing if all of it is printed.
    pub fn remark(self) -> String {
        if !self.is_long() {
            return String::new();
        }
        let lines: usize = self.lines.iter().sum();
        let pages = lines.div_ceil(PRINTED_LINES) * (self.breaks.len() + 1);
        let columns = match self.last_printed() {
            (last, true) => format!(
                ", with {} of {} columns",
                usize::from(last) + 1,
                usize::from(self.last_column) + 1
            ),
            (_, false) => String::new(),
        };
        format!(
            "Only the first {} of {} rows{columns} are printed; clearing the print area prints all (about {pages} pages).  ",
            self.fit(),
            self.lines.len()
        )
    }

    /// Lets a long sheet be printed as far as its first rows and columns go: on one page, if its columns fit there.
    pub fn set_print_area<B>(self, page: &mut Paper<B>) -> Result<(), XlsxError> {
        if self.is_long() {
            let last = self.first + self.fit() as RowNum - 1;
            let (last_column, _) = self.last_printed();
            page.worksheet.set_print_area(0, 0, last, last_column)?;
            if self.breaks.is_empty() {
                page.worksheet.set_print_fit_to_pages(1, 1);
            }
        }
        Ok(())
    }
}
