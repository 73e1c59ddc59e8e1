//! The workbook of a sweep: every configuration with its formulas, the best of each input, a map over two axes, what more
//! area buys, and which programs feel memory's latency most. With another latency or other slots times follow, and with
//! them what is best.

mod best;
mod configurations;
mod copied;
mod maps;

use rust_xlsxwriter::{Workbook, XlsxError};

use self::best::best;
use self::configurations::{Configurations, all};
use self::copied::{front, ranking};
use self::maps::{sheet_of, sheet_of_maps};
use super::package;
use crate::sweep::report::SweepReport;

/// The workbook of a sweep.
///
/// # Errors
/// More configurations than a sheet has rows.
pub fn sweep_workbook(report: &SweepReport) -> Result<Vec<u8>, XlsxError> {
    let mut workbook = Workbook::new();
    workbook.set_properties(&super::properties("A sweep over configurations")?);
    let configurations = Configurations::of(report);
    workbook.push_worksheet(best(report, &configurations)?);
    for maps in report
        .maps
        .chunk_by(|one, other| sheet_of(one, report) == sheet_of(other, report))
    {
        workbook.push_worksheet(sheet_of_maps(report, maps)?);
    }
    if !report.fronts.is_empty() {
        workbook.push_worksheet(front(report)?);
    }
    if !report.ranking.is_empty() {
        workbook.push_worksheet(ranking(report)?);
    }
    workbook.push_worksheet(all(report, &configurations)?);
    package::finish(workbook)
}
