//! What the sheets of loops and of registers mark.

use rust_xlsxwriter::utility::row_col_to_cell;
use rust_xlsxwriter::{
    ColNum, ConditionalFormatBlank, ConditionalFormatFormula, ConditionalFormatText,
    ConditionalFormatTextRule, Format, RowNum, XlsxError,
};

use super::layout::Sheet;
use super::nests::{Named, NestSheets};
use super::page::Page;
use super::style;
use super::table::FIRST_ROW;
use crate::listings::{Table, loops, registers};
use crate::model::registers::VERDICTS;

/// Bars for the shares, a colour for what was not understood: on Loops.
pub(super) fn loops(page: &mut Page, nests: &NestSheets) -> Result<(), XlsxError> {
    let (first, last) = (FIRST_ROW, nests.table.last_row());
    let on_loops = |named: Named| {
        let (sheet, column) = nests.column(named)?;
        (sheet == Sheet::Loops).then_some(column)
    };
    for share in [loops::SHARE, loops::GAIN] {
        if let Some(column) = on_loops(share) {
            page.worksheet
                .add_conditional_format(first, column, last, column, &style::bars())?;
        }
    }
    if let Some(column) = on_loops(loops::REASONS) {
        let colour = Format::new().set_background_color(0xFBE0D3);
        let filled = ConditionalFormatBlank::new().invert().set_format(colour);
        page.worksheet
            .add_conditional_format(first, column, last, column, &filled)?;
    }
    Ok(())
}

/// Bytes below a million are shown in thousands, and those below a thousand as they are.
pub(super) fn small_bytes(
    page: &mut Page,
    column: ColNum,
    rows: (RowNum, RowNum),
) -> Result<(), XlsxError> {
    let is_small = |cell: &str| format!("=ABS({cell})<1000000");
    shown_where(page, column, rows, (is_small, style::SMALL_BYTES))
}

/// Ratios for which a column has no room with all their digits.
pub(super) fn large_ratios(
    page: &mut Page,
    column: ColNum,
    rows: (RowNum, RowNum),
) -> Result<(), XlsxError> {
    let is_large = |cell: &str| format!("=AND(ISNUMBER({cell}),{cell}>=1000000)");
    shown_where(page, column, rows, (is_large, "0.00E+00"))
}

/// No seconds are shown as such, and not with an exponent.
pub(super) fn no_seconds(
    page: &mut Page,
    column: ColNum,
    rows: (RowNum, RowNum),
) -> Result<(), XlsxError> {
    let is_none = |cell: &str| format!("={cell}=0");
    shown_where(page, column, rows, (is_none, "0"))
}

/// Of long times, millionths of a second say nothing.
pub(super) fn long_seconds(
    page: &mut Page,
    (row, column): (RowNum, ColNum),
) -> Result<(), XlsxError> {
    let is_long = |cell: &str| format!("=AND(ISNUMBER({cell}),{cell}>=100,{cell}<1000000)");
    shown_where(page, column, (row, row), (is_long, "#,##0.0\" s\""))
}

/// Gives numbers of a column another form where a rule on a cell holds.
fn shown_where(
    page: &mut Page,
    column: ColNum,
    (first, last): (RowNum, RowNum),
    (rule, form): (impl Fn(&str) -> String, &str),
) -> Result<(), XlsxError> {
    let rule = rule(&row_col_to_cell(first, column));
    let shown = ConditionalFormatFormula::new()
        .set_rule(rule.as_str())
        .set_format(Format::new().set_num_format(form));
    page.worksheet
        .add_conditional_format(first, column, last, column, &shown)?;
    Ok(())
}

/// Marks the nests that spill, as long as they do.
pub(super) fn registers(page: &mut Page, table: &Table<registers::Row>) -> Result<(), XlsxError> {
    if let Some(column) = table.column(registers::SPILLS.0, registers::SPILLS.1) {
        let colour = Format::new().set_background_color(0xFBE0D3);
        let rule = ConditionalFormatTextRule::Contains(VERDICTS[0].to_string());
        let spills = ConditionalFormatText::new()
            .set_rule(rule)
            .set_format(colour);
        page.worksheet.add_conditional_format(
            FIRST_ROW,
            column,
            table.last_row(),
            column,
            &spills,
        )?;
    }
    Ok(())
}
