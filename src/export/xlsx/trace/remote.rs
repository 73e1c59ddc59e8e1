//! What if a share of the RAM accesses were remote, on the sheet eDAG.

use rust_xlsxwriter::{RowNum, XlsxError};

use super::super::style::{self, Look, Role};
use super::Page;
use crate::report::run_report::QUANTILES;

/// The longest path with none, some and all accesses remote; returns the row for what follows.
pub(super) fn write(page: &mut Page, row: RowNum) -> Result<RowNum, XlsxError> {
    let Some(remote) = &page.book.report.remote else {
        return Ok(row);
    };
    let title = format!(
        "Longest path when {} % of the RAM accesses take {} cycles more ({} random choices, seed {})",
        remote.share * 100.0,
        remote.delay,
        remote.depths.len(),
        remote.seed
    );
    let first = page.section(
        row,
        &title,
        ["RAM accesses take the latency of the run", "", "Cycles"],
    )?;
    let mut rows = vec![("none remote".to_string(), Some(remote.local))];
    rows.extend(
        QUANTILES
            .iter()
            .map(|(name, share)| (name.to_string(), remote.quantile(*share))),
    );
    rows.push(("all remote".to_string(), Some(remote.all_remote)));
    for (row, (name, cycles)) in (first..).zip(&rows) {
        page.text(row, 0, name, &style::cell(Look::Text, Role::Plain))?;
        match cycles {
            Some(cycles) => page.number(
                row,
                2,
                *cycles as f64,
                &style::cell(Look::Count, Role::Plain),
            )?,
            None => page.text(
                row,
                2,
                super::super::page::UNKNOWN,
                &style::cell(Look::Text, Role::Unknown),
            )?,
        }
    }
    Ok(first + rows.len() as RowNum + 1)
}
