//! The sheet Placement of an analysis: arrays that may go to slower memory, with that memory and what goes there as inputs.

use rust_xlsxwriter::utility::{row_col_to_cell, row_col_to_cell_absolute};
use rust_xlsxwriter::{ColNum, DataValidation, DataValidationRule, RowNum, Workbook, XlsxError};

use super::inputs::{define_name, write_value};
use super::layout::{NamesOn, Sheet, fixed_column_range};
use super::page::{Book, Page, UNKNOWN};
use super::style::{self, Look, Role};
use crate::expr::{CellNames, Excel, Expr, FigureId};
use crate::model::placement::{
    self, FAR_BUDGET as BUDGET, FAR_GBS, FAR_IRREGULAR, FAR_LATENCY, FAR_ORDERED, Moved, PlacedNest,
};
use crate::model::{FarMemory, MARK, Placement};

const INPUTS: RowNum = 4;
const VALUE: ColNum = 2;
const TOTAL_ROW: RowNum = 7;
const LOSS_ROW: RowNum = 8;
const HEADER_ROW: RowNum = 10;
/// Columns of arrays.
const BYTES: ColNum = 2;
const IRREGULAR: ColNum = 3;
const ALONE: ColNum = 4;
const SHARE: ColNum = 5;
const LAST: ColNum = 7;
/// Columns of what nests move of arrays.
const PART_OBJECT: ColNum = 1;
const PART_EXECUTIONS: ColNum = 2;
const PART_ORDERED: ColNum = 3;
const PART_IRREGULAR: ColNum = 4;
const PART_LONGER: ColNum = 5;
const PART_FAR: ColNum = 6;
const PART_FAR_IRREGULAR: ColNum = 7;

pub(super) fn define_names(workbook: &mut Workbook, book: Book) -> Result<(), XlsxError> {
    if book.model.far.is_some() {
        for (row, name) in (INPUTS..).zip([FAR_LATENCY, FAR_GBS, BUDGET]) {
            define_name(workbook, name, Sheet::Placement, (row, VALUE))?;
        }
    }
    Ok(())
}

/// Cells of this sheet for what formulas are over, beside those of others.
struct Here<'n> {
    names: NamesOn<'n>,
    /// Of the bytes in far memory.
    far: [String; 2],
}

impl CellNames for Here<'_> {
    fn figure(&self, id: FigureId) -> String {
        self.names.figure(id)
    }

    fn symbol(&self, name: &str) -> String {
        let far = [FAR_ORDERED, FAR_IRREGULAR].iter().zip(&self.far);
        let mut own = far.filter(|(known, _)| **known == name);
        match own.next() {
            Some((_, cell)) => cell.clone(),
            None => self.names.symbol(name),
        }
    }

    fn may_be_text(&self, figures: &[FigureId]) -> bool {
        self.names.may_be_text(figures)
    }

    fn range(&self, figures: &[FigureId]) -> Option<String> {
        self.names.range(figures)
    }
}

pub(super) fn write(book: Book<'_>) -> Result<Option<Page<'_>>, XlsxError> {
    let model = book.model;
    let (Some(memory), Some(placed)) = (model.far, model.placement()) else {
        return Ok(None);
    };
    let mut page = Page::new(Sheet::Placement, book)?;
    page.title("Arrays that may go to slower memory")?;
    page.text(
        1,
        0,
        "What each array moves from memory in the run, and how much longer the run takes with a share of its pages in far memory, by \
         the time model: both memories deliver side by side. Shares are inputs: at first those are there that go one after the \
         other within the slowdown allowed.",
        &style::remark(),
    )?;
    page.worksheet.set_column_width(0, 44.0)?;
    for column in 1..=LAST {
        page.worksheet.set_column_width(column, 17.0)?;
    }
    let sheet = PlacementSheet {
        memory,
        objects: HEADER_ROW + 1,
        parts: HEADER_ROW + 4 + placed.objects.len() as RowNum,
        rows: placed
            .nests
            .iter()
            .map(|own| own.moved.len())
            .sum::<usize>() as RowNum,
        nests: placed.nests.len() as RowNum,
    };
    sheet.write_inputs(&mut page, placed)?;
    sheet.write_objects(&mut page, placed)?;
    sheet.write_nests(&mut page, placed)?;
    page.worksheet.set_freeze_panes(HEADER_ROW + 1, 1)?;
    style::print_setup(&mut page.worksheet);
    Ok(Some(page))
}

/// Where what stands.
struct PlacementSheet {
    memory: FarMemory,
    /// The first row of arrays, and of what nests move of them.
    objects: RowNum,
    parts: RowNum,
    rows: RowNum,
    nests: RowNum,
}

/// The heading of a column with its unit.
type Heading = &'static str;

impl PlacementSheet {
    /// The first row of nests.
    fn first_nest(&self) -> RowNum {
        self.parts + self.rows + 3
    }

    fn part_column(&self, column: ColNum) -> String {
        fixed_column_range(column, self.parts, self.parts + self.rows.max(1) - 1)
    }

    fn write_inputs(&self, page: &mut Page, placed: &Placement) -> Result<(), XlsxError> {
        let plain = style::cell(Look::Text, Role::Plain);
        page.text(INPUTS - 1, 0, "Inputs", &style::section())?;
        let inputs = [
            (
                "Latency of far memory",
                "ns",
                self.memory.latency_ns,
                FAR_LATENCY,
            ),
            ("Bandwidth of far memory", "GB/s", self.memory.gbs, FAR_GBS),
            ("Slowdown allowed", "", self.memory.budget, BUDGET),
        ];
        for (row, (label, unit, value, name)) in (INPUTS..).zip(inputs) {
            for (column, text) in [(0, label), (VALUE + 1, unit), (VALUE + 2, name)] {
                page.text(row, column, text, &plain)?;
            }
            let look = if name == BUDGET {
                Look::Share
            } else {
                Look::Number
            };
            write_value(page, (row, VALUE), Some(value), look, Role::Input)?;
            let positive =
                DataValidation::new().allow_decimal_number(DataValidationRule::Between(0.0, 1e9));
            page.worksheet
                .add_data_validation(row, VALUE, row, VALUE, &positive)?;
        }
        page.text(TOTAL_ROW, 0, "Time of the run with all in RAM", &plain)?;
        let total = page.book.model.ranking.total;
        page.figure(TOTAL_ROW, VALUE, total, Look::Seconds)?;
        page.text(TOTAL_ROW, VALUE + 1, "s", &plain)?;
        page.text(LOSS_ROW, 0, "Longer with the shares below", &plain)?;
        let first = self.first_nest();
        let longer = fixed_column_range(PART_LONGER, first, first + self.nests.max(1) - 1);
        let total = row_col_to_cell_absolute(TOTAL_ROW, VALUE);
        let formula = format!("SUM({longer})/{total}");
        let share = style::cell(Look::Share, Role::Plain);
        page.presentation(
            LOSS_ROW,
            VALUE,
            &formula,
            &placed.together.to_string(),
            &share,
        )?;
        let cell = row_col_to_cell(LOSS_ROW, VALUE);
        let formula = format!("IF({cell}<={BUDGET},\"within\",\"too much\")");
        let shown = match placed.together <= self.memory.budget {
            true => "within",
            false => "too much",
        };
        page.presented_text(LOSS_ROW, VALUE + 1, &formula, shown, &plain)
    }

    fn write_objects(&self, page: &mut Page, placed: &Placement) -> Result<(), XlsxError> {
        let headings = [
            "Array",
            "Touched [B]",
            "From memory in the run [B]",
            "Irregular lines [B]",
            "Loss alone",
            "Share in far memory",
            "Best set",
            "Share, interleaved",
        ];
        self.write_headings(page, HEADER_ROW, headings)?;
        let text = style::cell(Look::Text, Role::Plain);
        let total = row_col_to_cell_absolute(TOTAL_ROW, VALUE);
        for (at, object) in placed.objects.iter().enumerate() {
            let row = self.objects + at as RowNum;
            let mark = if object.is_sure { "" } else { MARK };
            let name = format!("{}{mark}", object.name(&placed.objects));
            page.text(row, 0, &name, &text)?;
            let bytes = style::cell(Look::Bytes, Role::Plain);
            let touched = touched(page, (at, placed));
            page.expression(row, 1, &touched, object.touched, &bytes)?;
            let sum = |column: ColNum| {
                format!(
                    "SUMPRODUCT(({}={})*{}*{})",
                    self.part_column(PART_OBJECT),
                    at + 1,
                    self.part_column(PART_EXECUTIONS),
                    self.part_column(column)
                )
            };
            let all = format!("{}+{}", sum(PART_ORDERED), sum(PART_IRREGULAR));
            page.presentation(row, BYTES, &all, &object.bytes.to_string(), &bytes)?;
            let irregular = sum(PART_IRREGULAR);
            let unknown = style::cell(Look::Text, Role::Unknown);
            match object.irregular {
                None => page.text(row, IRREGULAR, UNKNOWN, &unknown)?,
                Some(found) => {
                    page.presentation(row, IRREGULAR, &irregular, &found.to_string(), &bytes)?;
                }
            }
            match object.loss {
                None => page.text(row, ALONE, UNKNOWN, &unknown)?,
                Some(loss) => {
                    let formula = format!(
                        "SUMIF({},{},{})/{total}",
                        self.part_column(PART_OBJECT),
                        at + 1,
                        self.part_column(PART_LONGER)
                    );
                    let share = style::cell(Look::Share, Role::Plain);
                    page.presentation(row, ALONE, &formula, &loss.to_string(), &share)?;
                }
            }
            let share = f64::from(u8::from(object.goes));
            write_value(page, (row, SHARE), Some(share), Look::Share, Role::Input)?;
            let rule =
                DataValidation::new().allow_decimal_number(DataValidationRule::Between(0.0, 1.0));
            page.worksheet
                .add_data_validation(row, SHARE, row, SHARE, &rule)?;
            let best = object.best;
            let best = best.map_or(UNKNOWN, |best| if best { "yes" } else { "no" });
            page.text(row, SHARE + 1, best, &text)?;
            let share = style::cell(Look::Share, Role::Plain);
            page.number(row, LAST, object.share, &share)?;
        }
        Ok(())
    }

    fn write_headings<const N: usize>(
        &self,
        page: &mut Page,
        row: RowNum,
        headings: [Heading; N],
    ) -> Result<(), XlsxError> {
        for (column, text) in (0..).zip(headings) {
            page.text(row, column, text, &style::header())?;
        }
        page.worksheet.set_row_height(row, 32)?;
        Ok(())
    }

    fn write_nests(&self, page: &mut Page, placed: &Placement) -> Result<(), XlsxError> {
        let headings = [
            "What nests move of arrays",
            "Array, by its row above",
            "Executions that move it",
            "In order, once [B]",
            "Irregular, once [B]",
            "Longer alone [s]",
            "In order, far [B]",
            "Irregular, far [B]",
        ];
        self.write_headings(page, self.parts - 1, headings)?;
        let headings = [
            "Nest",
            "",
            "Executions",
            "In order, far [B]",
            "Irregular, far [B]",
            "Longer [s]",
        ];
        self.write_headings(page, self.first_nest() - 1, headings)?;
        let mut row = self.parts;
        for (at, own) in placed.nests.iter().enumerate() {
            let first = row;
            for moved in &own.moved {
                self.write_part(page, row, (own, moved), placed)?;
                row += 1;
            }
            let cell = self.first_nest() + at as RowNum;
            self.write_nest(page, cell, (own, first), placed)?;
        }
        Ok(())
    }

    fn write_part(
        &self,
        page: &mut Page,
        row: RowNum,
        (nest, moved): (&PlacedNest, &Moved),
        placed: &Placement,
    ) -> Result<(), XlsxError> {
        let model = page.book.model;
        let object = &placed.objects[moved.object];
        // Irregular ones are among the bytes in order here, and formulas over both columns still hold.
        let remark = match moved.is_unrated {
            true => ": irregular lines unknown, with those in order",
            false => "",
        };
        let name = format!(
            "{}, {}{remark}",
            name(page, nest.nest),
            object.name(&placed.objects)
        );
        page.text(row, 0, &name, &style::cell(Look::Text, Role::Plain))?;
        let count = style::cell(Look::Count, Role::Plain);
        page.number(row, PART_OBJECT, (moved.object + 1) as f64, &count)?;
        self.write_executions(page, (row, PART_EXECUTIONS), nest)?;
        let arrays = moved.arrays.iter();
        let arrays = arrays.map(|array| &model.nests[nest.nest].arrays[*array]);
        let ordered = Expr::sum(arrays.clone().map(placement::ordered));
        let irregular = arrays.filter_map(|array| array.irregular);
        let irregular = Expr::sum(irregular.map(Expr::from));
        let bytes = style::cell(Look::Bytes, Role::Plain);
        page.expression(row, PART_ORDERED, &ordered, moved.ordered, &bytes)?;
        if !moved.is_unrated {
            page.expression(row, PART_IRREGULAR, &irregular, moved.irregular, &bytes)?;
        }
        let all = [PART_ORDERED, PART_IRREGULAR];
        self.write_longer(page, row, nest, ((moved.ordered, moved.irregular), all))?;
        let share = row_col_to_cell_absolute(self.objects + moved.object as RowNum, SHARE);
        let goes = f64::from(u8::from(object.goes));
        for (from, to, bytes) in [
            (PART_ORDERED, PART_FAR, moved.ordered),
            (PART_IRREGULAR, PART_FAR_IRREGULAR, moved.irregular),
        ] {
            let formula = format!("{share}*{}", row_col_to_cell(row, from));
            let format = style::cell(Look::Bytes, Role::Plain);
            page.presentation(row, to, &formula, &(goes * bytes).to_string(), &format)?;
        }
        Ok(())
    }

    fn write_nest(
        &self,
        page: &mut Page,
        row: RowNum,
        (nest, first): (&PlacedNest, RowNum),
        placed: &Placement,
    ) -> Result<(), XlsxError> {
        let name = name(page, nest.nest);
        page.text(row, 0, &name, &style::cell(Look::Text, Role::Plain))?;
        self.write_executions(page, (row, PART_EXECUTIONS), nest)?;
        let last = first + nest.moved.len() as RowNum - 1;
        let moved = nest.moved.iter();
        let goes = moved.filter(|own| placed.objects[own.object].goes);
        let far = goes.fold((0.0, 0.0), |sum, own| {
            (sum.0 + own.ordered, sum.1 + own.irregular)
        });
        for (from, to, bytes) in [
            (PART_FAR, PART_ORDERED, far.0),
            (PART_FAR_IRREGULAR, PART_IRREGULAR, far.1),
        ] {
            let formula = format!("SUM({})", fixed_column_range(from, first, last));
            let format = style::cell(Look::Bytes, Role::Plain);
            page.presentation(row, to, &formula, &bytes.to_string(), &format)?;
        }
        let all = [PART_ORDERED, PART_IRREGULAR];
        self.write_longer(page, row, nest, (far, all))
    }

    fn write_executions(
        &self,
        page: &mut Page,
        (row, column): (RowNum, ColNum),
        nest: &PlacedNest,
    ) -> Result<(), XlsxError> {
        let executions = placement::executions(page.book.model, nest.nest);
        let executions = executions.unwrap_or(Expr::from(0.0));
        let count = style::cell(Look::Count, Role::Plain);
        page.expression(row, column, &executions, nest.executions, &count)
    }

    /// How much longer all executions of a nest take with the bytes of two cells of the row in far memory.
    fn write_longer(
        &self,
        page: &mut Page,
        row: RowNum,
        nest: &PlacedNest,
        (bytes, columns): ((f64, f64), [ColNum; 2]),
    ) -> Result<(), XlsxError> {
        let model = page.book.model;
        let now = Expr::from(model.nests[nest.nest].time.seconds);
        let longer = nest.seconds.clone() - now;
        let value = nest.executions * placement::value(model, self.memory, &longer, bytes);
        let names = Here {
            names: page.book.layout.names(Sheet::Placement),
            far: columns.map(|column| row_col_to_cell(row, column)),
        };
        let formula = Excel {
            expr: &longer,
            names: &names,
        };
        let times = row_col_to_cell(row, PART_EXECUTIONS);
        let formula = format!("{times}*({formula})");
        let look = style::cell(Look::Seconds, Role::Plain);
        page.presentation(row, PART_LONGER, &formula, &value.to_string(), &look)
    }
}

/// Bytes that a nest touches of an array, the most of all nests.
fn touched(page: &Page, (object, placed): (usize, &Placement)) -> Expr {
    let of_nest = |nest: &PlacedNest| {
        let own = nest.moved.iter().find(|own| own.object == object)?;
        let arrays = own.arrays.iter();
        let arrays = arrays.map(|array| &page.book.model.nests[nest.nest].arrays[*array]);
        Some(Expr::sum(arrays.map(|array| Expr::from(array.touched))))
    };
    Expr::max(placed.nests.iter().filter_map(of_nest))
}

fn name(page: &Page, nest: usize) -> String {
    let nest = &page.book.model.nests[nest];
    format!("{}{}", nest.nest.head().id, nest.mark())
}
