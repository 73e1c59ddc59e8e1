//! One sheet while it is written: text stays text, and a figure becomes its formula with its value.

use rust_xlsxwriter::{ColNum, Format, FormatAlign, Formula, RowNum, Worksheet, XlsxError};

use super::layout::{Layout, Place, Sheet};
use super::readable;
use super::style::{self, Look, Role};
use crate::expr::{Excel, Expr, FigureId, Node};
pub(super) use crate::listings::UNKNOWN;
use crate::listings::{Content, NOTHING, SEPARATOR, chosen};
use crate::model::Model;

/// What every sheet needs to be written.
#[derive(Clone, Copy)]
pub(super) struct Book<'a> {
    pub model: &'a Model<'a>,
    pub layout: &'a Layout,
}

/// A sheet being written; `book` is what its workbook is about.
pub(super) struct Paper<B> {
    pub worksheet: Worksheet,
    pub sheet: Sheet,
    pub book: B,
}

/// A sheet of the static model's workbook.
pub(super) type Page<'a> = Paper<Book<'a>>;

impl<B> Paper<B> {
    pub fn new(sheet: Sheet, book: B) -> Result<Paper<B>, XlsxError> {
        Paper::on(Worksheet::new(), sheet, book)
    }

    /// The same on a worksheet that may be written row by row only.
    pub fn on(mut worksheet: Worksheet, sheet: Sheet, book: B) -> Result<Paper<B>, XlsxError> {
        worksheet.set_name(sheet.name())?;
        Ok(Paper {
            worksheet,
            sheet,
            book,
        })
    }

    /// The title of the sheet.
    pub fn title(&mut self, text: &str) -> Result<(), XlsxError> {
        self.worksheet.set_row_height(0, 24)?;
        self.text(0, 0, text, &style::title())
    }

    /// Text as it stands, whatever it begins with.
    pub fn text(
        &mut self,
        row: RowNum,
        column: ColNum,
        text: &str,
        format: &Format,
    ) -> Result<(), XlsxError> {
        let text = clipped(text);
        // A program that opens the cell for editing must not read it as a formula either.
        if text.starts_with(['=', '+', '-', '@']) {
            let format = format.clone().set_quote_prefix();
            self.worksheet
                .write_string_with_format(row, column, text, &format)?;
        } else {
            self.worksheet
                .write_string_with_format(row, column, text, format)?;
        }
        Ok(())
    }

    pub fn number(
        &mut self,
        row: RowNum,
        column: ColNum,
        value: f64,
        format: &Format,
    ) -> Result<(), XlsxError> {
        self.worksheet
            .write_number_with_format(row, column, value, format)?;
        Ok(())
    }

    /// A formula that only finds or names what other cells hold.
    pub fn presentation(
        &mut self,
        row: RowNum,
        column: ColNum,
        formula: &str,
        shown: &str,
        format: &Format,
    ) -> Result<(), XlsxError> {
        let formula = Formula::new(format!("={formula}")).set_result(shown);
        self.worksheet
            .write_formula_with_format(row, column, formula, format)?;
        Ok(())
    }

    /// A presentation formula whose value is text.
    pub fn presented_text(
        &mut self,
        row: RowNum,
        column: ColNum,
        formula: &str,
        shown: &str,
        format: &Format,
    ) -> Result<(), XlsxError> {
        // A cached text that looks like a number, a truth value or an error would be stored as one.
        let looks_typed = shown.parse::<f64>().is_ok()
            || matches!(shown, "TRUE" | "FALSE")
            || shown.starts_with('#');
        let shown = if looks_typed {
            format!("{shown} ")
        } else {
            clipped(shown).to_string()
        };
        self.presentation(row, column, formula, &shown, format)
    }
}

impl Page<'_> {
    /// The figure's formula in its home cell, a reference to it in any other, its value in both. A
    /// figure that is a plain number is a fact of the source and no formula.
    pub fn figure(
        &mut self,
        row: RowNum,
        column: ColNum,
        id: FigureId,
        look: Look,
    ) -> Result<(), XlsxError> {
        let figure = self.book.model.figures.get(id);
        if self.book.layout.is_unsure(id) {
            return self.unsure(row, column, id, look);
        }
        if !figure.value.is_finite() {
            return self.text(row, column, UNKNOWN, &style::cell(look, Role::Unknown));
        }
        let format = style::cell(look, Role::Plain);
        let is_home = self.book.layout.place(id)
            == Some(Place {
                sheet: self.sheet,
                row,
                column,
            });
        if !is_home {
            return self.expression(row, column, &Expr::from(id), figure.value, &format);
        }
        match figure.expr.node() {
            Node::Number(_) => self.number(row, column, figure.value, &format),
            _ => self.expression(row, column, &figure.expr, figure.value, &format),
        }
    }

    /// A figure that is a number on some machines and unknown on others.
    fn unsure(
        &mut self,
        row: RowNum,
        column: ColNum,
        id: FigureId,
        look: Look,
    ) -> Result<(), XlsxError> {
        let figure = self.book.model.figures.get(id);
        let is_home = self.book.layout.place(id)
            == Some(Place {
                sheet: self.sheet,
                row,
                column,
            });
        let expr = if is_home {
            figure.expr.clone()
        } else {
            Expr::from(id)
        };
        let formula = format!("IFERROR({},\"{UNKNOWN}\")", self.formula(&expr));
        if figure.value.is_finite() {
            return self.presentation(
                row,
                column,
                &formula,
                &figure.value.to_string(),
                &style::cell(look, Role::Plain),
            );
        }
        self.presented_text(
            row,
            column,
            &formula,
            UNKNOWN,
            &style::cell(look, Role::Plain),
        )
    }

    /// Seconds of another cell as text in the unit that they are read in.
    pub fn readable_seconds(
        &mut self,
        (row, column): (RowNum, ColNum),
        cell: &str,
        seconds: f64,
    ) -> Result<(), XlsxError> {
        let format = style::cell(Look::Text, Role::Plain).set_align(FormatAlign::Right);
        let (formula, shown) = readable::seconds(cell, seconds);
        self.presented_text(row, column, &formula, &shown, &format)
    }

    /// An expression as formula, with its value.
    pub fn expression(
        &mut self,
        row: RowNum,
        column: ColNum,
        expr: &Expr,
        value: f64,
        format: &Format,
    ) -> Result<(), XlsxError> {
        let formula = self.formula(expr);
        self.presentation(row, column, &formula, &value.to_string(), format)
    }

    /// The formula of an expression, without `=`.
    pub fn formula(&self, expr: &Expr) -> String {
        Excel {
            expr,
            names: &self.book.layout.names(self.sheet),
        }
        .to_string()
    }

    /// The name that a figure counted from one chooses.
    pub fn choice(
        &mut self,
        row: RowNum,
        column: ColNum,
        id: FigureId,
        names: &[&str],
    ) -> Result<(), XlsxError> {
        let quoted: Vec<String> = names.iter().map(|name| quoted(name)).collect();
        let value = self.book.model.value(id);
        let formula = format!(
            "CHOOSE({},{})",
            self.formula(&Expr::from(id)),
            quoted.join(",")
        );
        self.named(row, column, &formula, chosen(value, names))
    }

    /// Those of several names that are in a figure less one, which counts the first as one, the second as two, the third as
    /// four, and so on.
    pub fn several(
        &mut self,
        row: RowNum,
        column: ColNum,
        id: FigureId,
        names: &[&str],
    ) -> Result<(), XlsxError> {
        let all = Content::all_of(names);
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let value = self.book.model.value(id);
        let figure = self.formula(&Expr::from(id));
        let each = names.iter().enumerate().map(|(at, name)| {
            let (own, next) = (1_u32 << at, 2_u32 << at);
            let name = quoted(&format!("{SEPARATOR}{name}"));
            format!("IF(MOD({figure}-1,{next})>={own},{name},\"\")")
        });
        let each: Vec<String> = each.collect();
        let longest = names.join(SEPARATOR).len();
        let formula = format!(
            "IF({figure}=1,{},MID({},{},{longest}))",
            quoted(NOTHING),
            each.join("&"),
            SEPARATOR.len() + 1,
        );
        self.named(row, column, &formula, chosen(value, &all))
    }

    /// A formula of a name, which it has now; `None` where what it follows from is unknown.
    fn named(
        &mut self,
        row: RowNum,
        column: ColNum,
        formula: &str,
        name: Option<&str>,
    ) -> Result<(), XlsxError> {
        let Some(name) = name else {
            let unknown = style::cell(Look::Text, Role::Unknown);
            return self.text(row, column, UNKNOWN, &unknown);
        };
        let plain = style::cell(Look::Text, Role::Plain);
        self.presented_text(row, column, formula, name, &plain)
    }
}

/// A text in a formula.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// At most as much text as a cell takes.
fn clipped(text: &str) -> &str {
    const CELL_LENGTH: usize = 32_767;
    // No character takes more units than bytes.
    if text.len() <= CELL_LENGTH {
        return text;
    }
    let mut units = 0;
    for (offset, c) in text.char_indices() {
        units += c.len_utf16();
        if units > CELL_LENGTH {
            return &text[..offset];
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_where_a_cell_ends() {
        assert_eq!(clipped("abc"), "abc");
        assert_eq!(clipped(&"é".repeat(40_000)).chars().count(), 32_767);
        assert_eq!(clipped(&"𝄞".repeat(40_000)).chars().count(), 16_383);
    }
}
