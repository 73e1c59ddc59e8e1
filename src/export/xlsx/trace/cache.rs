//! The cache levels of the sheet eDAG.

use rust_xlsxwriter::{RowNum, XlsxError};

use super::super::style::{self, Look, Role};
use super::Page;
use crate::metrics::tables;

/// One row a level; returns the row for what follows.
pub(super) fn write(page: &mut Page, row: RowNum) -> Result<RowNum, XlsxError> {
    let levels = &page.book.report.cache;
    if levels.is_empty() {
        return Ok(row);
    }
    let headers = [
        "Cache, nearest first",
        "Level",
        "Accesses",
        "Hits",
        "Misses",
        "Miss ratio",
        "Bypasses",
        "Evictions",
        "Write-backs",
        "Bytes in",
        "Bytes out",
    ];
    let first = page.section(row, "Cache levels", headers)?;
    for (index, (row, level)) in (first..).zip(levels).enumerate() {
        let counters = &level.counters;
        page.text(
            row,
            0,
            &level.spec.to_string(),
            &style::cell(Look::Text, Role::Plain),
        )?;
        page.number(
            row,
            1,
            (index + 1) as f64,
            &style::cell(Look::Number, Role::Plain),
        )?;
        let facts = [
            (2, counters.accesses()),
            (3, counters.hits),
            (4, counters.misses),
            (6, counters.bypasses),
            (7, counters.evictions),
            (8, counters.write_backs),
            (9, counters.bytes_in),
            (10, counters.bytes_out),
        ];
        let mut scope = page.book.scope.clone();
        for (column, value) in facts {
            page.number(
                row,
                column,
                value as f64,
                &style::cell(Look::Count, Role::Plain),
            )?;
        }
        scope.cell("accesses", (row, 2), Some(counters.accesses() as f64));
        scope.cell("misses", (row, 4), Some(counters.misses as f64));
        page.live(
            (row, 5),
            &tables::share("misses", "accesses"),
            &scope,
            Look::Share,
        )?;
    }
    Ok(first + levels.len() as RowNum + 1)
}
