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
    (first, last): (RowNum, RowNum),
) -> Result<(), XlsxError> {
    let rule = format!("=ABS({})<1000000", row_col_to_cell(first, column));
    let below = ConditionalFormatFormula::new()
        .set_rule(rule.as_str())
        .set_format(Format::new().set_num_format(style::SMALL_BYTES));
    page.worksheet
        .add_conditional_format(first, column, last, column, &below)?;
    Ok(())
}

/// Ratios for which a column has no room with all their digits.
pub(super) fn large_ratios(
    page: &mut Page,
    column: ColNum,
    (first, last): (RowNum, RowNum),
) -> Result<(), XlsxError> {
    let cell = row_col_to_cell(first, column);
    let rule = format!("=AND(ISNUMBER({cell}),{cell}>=1000000)");
    let large = ConditionalFormatFormula::new()
        .set_rule(rule.as_str())
        .set_format(Format::new().set_num_format("0.00E+00"));
    page.worksheet
        .add_conditional_format(first, column, last, column, &large)?;
    Ok(())
}

/// No seconds are shown as such, and not with an exponent.
pub(super) fn no_seconds(
    page: &mut Page,
    column: ColNum,
    (first, last): (RowNum, RowNum),
) -> Result<(), XlsxError> {
    let rule = format!("={}=0", row_col_to_cell(first, column));
    let none = ConditionalFormatFormula::new()
        .set_rule(rule.as_str())
        .set_format(Format::new().set_num_format("0"));
    page.worksheet
        .add_conditional_format(first, column, last, column, &none)?;
    Ok(())
}

/// Of long times, millionths of a second say nothing.
pub(super) fn long_seconds(
    page: &mut Page,
    (row, column): (RowNum, ColNum),
) -> Result<(), XlsxError> {
    let cell = row_col_to_cell(row, column);
    let rule = format!("=AND(ISNUMBER({cell}),{cell}>=100,{cell}<1000000)");
    let long = ConditionalFormatFormula::new()
        .set_rule(rule.as_str())
        .set_format(Format::new().set_num_format("#,##0.0\" s\""));
    page.worksheet
        .add_conditional_format(row, column, row, column, &long)?;
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
