//! What the sheets of loops and of registers mark.

use rust_xlsxwriter::{
    ConditionalFormatBlank, ConditionalFormatDataBar, ConditionalFormatText,
    ConditionalFormatTextRule, Format, XlsxError,
};

use super::page::Page;
use super::table::FIRST_ROW;
use crate::listings::{Table, loops, registers};
use crate::model::NestModel;
use crate::model::registers::VERDICTS;

/// Bars for the shares, a colour for what was not understood.
pub(super) fn loops(page: &mut Page, table: &Table<(usize, &NestModel)>) -> Result<(), XlsxError> {
    let (first, last) = (FIRST_ROW, table.last_row());
    if let Some(column) = table.column(loops::SHARE.0, loops::SHARE.1) {
        let bars = ConditionalFormatDataBar::new()
            .set_fill_color(0x9DB9D9)
            .set_solid_fill(true);
        page.worksheet
            .add_conditional_format(first, column, last, column, &bars)?;
    }
    if let Some(column) = table.column(loops::REASONS.0, loops::REASONS.1) {
        let colour = Format::new().set_background_color(0xFBE0D3);
        let filled = ConditionalFormatBlank::new().invert().set_format(colour);
        page.worksheet
            .add_conditional_format(first, column, last, column, &filled)?;
    }
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
