//! Layer conditions: what has to fit, in symbols and now, and in which cache it does, up to which size.

use rust_xlsxwriter::{
    ColNum, ConditionalFormatText, ConditionalFormatTextRule, Format, RowNum, XlsxError,
};

use super::super::page::Page;
use super::super::readable;
use super::super::style::{self, Look, Role};
use super::data::{Data, sum};
use super::{CACHE_WIDTH, Columns, WIDTHS, bytes, cell, headers, heading};
use crate::explain::conditions::costly;
use crate::expr::FigureId;
use crate::model::{Growth, NestModel, ReuseFigures};

/// Conditions that are listed; sheet Layer conditions has all.
const MOST: usize = 12;
/// How far a polynomial of a working set may be off to be shown.
const ROUGHLY: &str = "0.04";
const FITS: &str = "✓";
const MISSES: &str = "✗";
/// From here on any size fits.
const ANY: f64 = 1e15;

/// The conditions, those of outer loops first; returns the row behind.
pub(super) fn write(
    page: &mut Page,
    nest: &NestModel,
    (mut row, columns): (RowNum, Columns),
    data: &Data,
) -> Result<RowNum, XlsxError> {
    let reuses = costly(page.book.model, nest);
    let remark = match (reuses.is_empty(), reuses.len().saturating_sub(MOST)) {
        (true, _) => "none: nothing is reused".to_string(),
        (_, 0) => "what must fit in cache for a loop to reuse its data; the approximate largest size at which it does, with the others unchanged".to_string(),
        (_, more) => format!("those of the outer loops; {more} more are on sheet Layer conditions"),
    };
    heading(page, row, "Layer conditions", &remark)?;
    if reuses.is_empty() {
        return Ok(row + 2);
    }
    row += 1;
    headers(
        page,
        row,
        &["Loop", "Reuses", "After", "Working set", "Now"],
    )?;
    for (position, cache) in nest.levels.caches.iter().enumerate() {
        let column = (WIDTHS.len() + position) as ColNum;
        let header = style::header();
        let Some(named) = data.named_cache(position) else {
            page.text(row, column, &format!("≤ {}", cache.name), &header)?;
            continue;
        };
        let (_, size) = readable::size("", page.book.model.value(cache.capacity));
        let shown = format!("≤ {}: {size}", cache.name);
        page.presented_text(row, column, &format!("\"≤ \"&{named}"), &shown, &header)?;
    }
    page.text(row, columns.last(), "Else moved again", &style::header())?;
    let first = row + 1;
    let plain = style::cell(Look::Text, Role::Plain);
    for reuse in reuses.iter().take(MOST) {
        row += 1;
        page.text(row, 0, &reuse.carrier, &plain)?;
        page.text(row, 1, &reuse.arrays.join(", "), &style::wrapped())?;
        page.text(row, 2, &reuse.between, &style::wrapped())?;
        let symbols = write_symbols(page, nest, (row, reuse))?;
        bytes(page, (row, 4), reuse.distance)?;
        let long = [&reuse.arrays.join(", "), &reuse.between];
        let mut lines = long
            .map(|text| style::lines(text, WIDTHS[1]))
            .into_iter()
            .fold(symbols, usize::max);
        for (cache, column) in (WIDTHS.len() as ColNum..columns.last()).enumerate() {
            lines = lines.max(write_condition(page, nest, (row, column), (reuse, cache))?);
        }
        write_cost(
            page,
            (row, columns.last()),
            [reuse.fetched, reuse.written_back],
        )?;
        page.worksheet
            .set_row_height(row, style::row_height(lines))?;
    }
    for (mark, colour) in [(FITS, style::GOOD), (MISSES, style::BAD)] {
        let rule = ConditionalFormatTextRule::BeginsWith(mark.to_string());
        let coloured = ConditionalFormatText::new()
            .set_rule(rule)
            .set_format(Format::new().set_background_color(colour));
        page.worksheet.add_conditional_format(
            first,
            WIDTHS.len() as ColNum,
            row,
            columns.last() - 1,
            &coloured,
        )?;
    }
    Ok(row + 2)
}

/// The working set in symbols, where that is what it is now; returns the lines that it takes.
fn write_symbols(
    page: &mut Page,
    nest: &NestModel,
    (row, reuse): (RowNum, &ReuseFigures),
) -> Result<usize, XlsxError> {
    let model = page.book.model;
    let Some(growth) = Growth::of(model, nest, reuse) else {
        return Ok(1);
    };
    let (now, terms) = (cell(page, reuse.distance), growth.text());
    let sum = page.formula(&growth.expr());
    let formula = format!("IF(ABS({sum}-{now})<={ROUGHLY}*{now},\"{terms}\",\"\")");
    page.presented_text(row, 3, &formula, &terms, &style::wrapped())?;
    Ok(style::lines(&terms, WIDTHS[3]))
}

/// `✓ nx ≤ 81920`: whether a cache holds it, and up to which size it does; returns the lines that it takes.
fn write_condition(
    page: &mut Page,
    nest: &NestModel,
    (row, column): (RowNum, ColNum),
    (reuse, cache): (&ReuseFigures, usize),
) -> Result<usize, XlsxError> {
    let model = page.book.model;
    let capacity = nest.levels.caches[cache].capacity;
    let fits = model.value(reuse.distance) <= model.value(capacity);
    let [needed, capacity] = [reuse.distance, capacity].map(|id| cell(page, id));
    let mut formula = format!("IF({needed}<={capacity},\"{FITS}\",\"{MISSES}\")");
    let mut shown = if fits { FITS } else { MISSES }.to_string();
    let largest =
        |(name, figures): &(String, Vec<FigureId>)| Some((name.clone(), *figures.get(cache)?));
    if let Some((name, largest)) = reuse.sizes.iter().find_map(largest) {
        let value = model.value(largest);
        let reference = cell(page, largest);
        formula = format!(
            "{formula}&IF(AND({reference}>=1,{reference}<1E+15),\" {name} ≤ \"&{reference},\"\")"
        );
        if (1.0..ANY).contains(&value) {
            shown = format!("{shown} {name} ≤ {value}");
        }
    }
    page.presented_text(row, column, &formula, &shown, &style::wrapped())?;
    Ok(style::lines(&shown, CACHE_WIDTH))
}

/// What moves again through a cache that does not hold it.
fn write_cost(
    page: &mut Page,
    (row, column): (RowNum, ColNum),
    figures: [FigureId; 2],
) -> Result<(), XlsxError> {
    sum(page, (row, column), figures, Look::Bytes)?;
    super::super::highlights::small_bytes(page, column, (row, row))
}
