//! What of a long sheet is printed: its first rows, and a remark on the sheet that says so and how many pages all of it
//! would be.

use rust_xlsxwriter::{ColNum, RowNum, XlsxError};

use super::page::Paper;

/// Rows of a long sheet that are printed: about those of a page.
const PRINTED_ROWS: usize = 55;

/// Rows of one kind, how they are set, and on how many pages side by side their columns stand.
#[derive(Clone, Copy)]
pub(super) struct PrintedRows {
    pub first: RowNum,
    pub count: usize,
    pub last_column: ColNum,
    pub pages_wide: usize,
}

impl PrintedRows {
    fn is_long(self) -> bool {
        self.count > PRINTED_ROWS
    }

    /// What the sheet says of its printed pages; nothing if all of it is printed.
    pub fn remark(self) -> String {
        if !self.is_long() {
            return String::new();
        }
        let pages = self.count.div_ceil(PRINTED_ROWS) * self.pages_wide;
        format!(
            "Printed are the first {PRINTED_ROWS} of {} rows; without the print area all are about {pages} pages. ",
            self.count
        )
    }

    /// Lets a long sheet be printed as far as its first rows go.
    pub fn set_print_area<B>(self, page: &mut Paper<B>) -> Result<(), XlsxError> {
        if self.is_long() {
            let last = self.first + PRINTED_ROWS as RowNum - 1;
            page.worksheet
                .set_print_area(0, 0, last, self.last_column)?;
        }
        Ok(())
    }
}
