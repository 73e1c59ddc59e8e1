//! What the charts and the sentence of the sheet are made from, beyond the columns that are printed: the reuses of the nest,
//! its staircase, and what moves through each cache.

use rust_xlsxwriter::{ColNum, RowNum, XlsxError};

use super::super::page::Page;
use super::super::readable;
use super::super::style::{self, Look, Role};
use super::{at, cell, fixed};
use crate::explain::conditions::reuse_name;
use crate::expr::FigureId;
use crate::model::staircase::{BELOW, BEYOND, Corner, Staircase, Window};
use crate::model::{Model, NestModel, ReuseFigures};

/// Columns that it takes at most.
pub(super) const COLUMNS: ColNum = 40;
pub(super) const HEADER_ROW: RowNum = 2;
pub(super) const FIRST_ROW: RowNum = 3;
/// Reuses that have a colour of their own in the chart of levels.
const NAMED: usize = 5;
/// Where these tables stand, and what they show now.
pub(super) struct Data {
    /// The column with the names of the reuses.
    pub first: ColNum,
    caches: usize,
    pub reuses: Vec<String>,
    /// Corners of the staircase, and its least bytes; `None` if something is not known.
    pub staircase: Option<Points>,
    /// The reuses in the chart of levels, those that cost most first.
    named: Vec<usize>,
}

/// What a staircase is drawn through.
pub(super) struct Points {
    stairs: Staircase,
    corners: Vec<Corner>,
    pub window: Window,
}

impl Points {
    fn of(model: &Model, nest: &NestModel) -> Option<Points> {
        let stairs = Staircase::of(nest)?;
        let corners = stairs.corners(model)?;
        let capacities = nest.levels.caches.iter();
        let capacities: Vec<f64> = capacities
            .map(|cache| model.value(cache.capacity))
            .collect();
        let window = stairs.window(model, &capacities)?;
        Some(Points {
            stairs,
            corners,
            window,
        })
    }
}

impl Data {
    pub fn new(model: &Model, nest: &NestModel, first: ColNum) -> Data {
        let reuses = &nest.levels.reuses;
        let cost = |at: &usize| {
            let ReuseFigures {
                fetched,
                written_back,
                ..
            } = &reuses[*at];
            model.value(*fetched) + model.value(*written_back)
        };
        let line = model.figures.input("line_bytes").unwrap_or(1.0);
        let mut named: Vec<usize> = (0..reuses.len()).filter(|at| cost(at) >= line).collect();
        named.sort_by(|a, b| cost(b).total_cmp(&cost(a)));
        named.truncate(NAMED);
        Data {
            first,
            caches: nest.levels.caches.len(),
            reuses: reuses.iter().map(reuse_name).collect(),
            staircase: Points::of(model, nest),
            named,
        }
    }

    pub fn caches(&self) -> usize {
        self.caches
    }

    fn count(&self) -> RowNum {
        self.reuses.len() as RowNum
    }

    /// Bytes that a cache must hold for a reuse; what moves again otherwise is in the next column.
    pub fn capacity(&self) -> ColNum {
        self.first + 1
    }

    /// What moves again through a cache.
    pub fn again(&self, cache: usize) -> ColNum {
        self.first + 3 + cache as ColNum
    }

    /// Capacities of the staircase's points; bytes are in the next column.
    pub fn stairs(&self) -> ColNum {
        self.first + 4 + self.caches as ColNum
    }

    /// Rows of the staircase's points.
    pub fn stair_rows(&self) -> (RowNum, RowNum) {
        (FIRST_ROW, FIRST_ROW + 2 * self.count() + 1)
    }

    /// Name, capacity and bytes of caches, two rows each, so that a line goes down from a point.
    pub fn points(&self) -> ColNum {
        self.stairs() + 3
    }

    /// The chart of levels: a name, and a column for each cache.
    pub fn moved(&self) -> ColNum {
        self.points() + 4
    }

    /// Rows of the chart of levels.
    pub fn moved_rows(&self) -> RowNum {
        let others = usize::from(self.reuses.len() > self.named.len());
        (2 + self.named.len() + others) as RowNum
    }

    /// Sentences, by what bounds the time, behind what they are made of.
    pub fn sentences(&self) -> ColNum {
        self.moved() + self.caches as ColNum + 2
    }

    /// The cell with the name and the size of a cache, if there is one.
    pub fn named_cache(&self, cache: usize) -> Option<String> {
        let row = FIRST_ROW + 2 * cache as RowNum;
        self.staircase.as_ref().map(|_| at(row, self.points()))
    }

    /// Whether there is something that may move again.
    pub fn has_reuse(&self) -> bool {
        !self.reuses.is_empty()
    }

    /// The cells of a column that has an entry for each reuse.
    pub fn of_reuses(&self, column: ColNum) -> String {
        fixed(column, FIRST_ROW, FIRST_ROW + self.count().max(1) - 1)
    }

    /// What moves again through a cache, all reuses together.
    pub fn all_again(&self, cache: usize) -> String {
        match self.has_reuse() {
            true => format!("SUM({})", self.of_reuses(self.again(cache))),
            false => "0".to_string(),
        }
    }

    pub fn write(&self, page: &mut Page, nest: &NestModel) -> Result<(), XlsxError> {
        let title = "Data for the page and its charts; not printed";
        page.text(HEADER_ROW - 1, self.first, title, &style::section())?;
        self.write_reuses(page, nest)?;
        if let Some(points) = &self.staircase {
            self.write_stairs(page, points)?;
            self.write_points(page, nest, points)?;
        }
        if nest.levels.least.is_some() && !nest.levels.caches.is_empty() {
            self.write_moved(page, nest)?;
        }
        Ok(())
    }

    pub fn heads(page: &mut Page, first: ColNum, names: &[&str]) -> Result<(), XlsxError> {
        for (column, name) in (first..).zip(names) {
            page.text(HEADER_ROW, column, name, &style::header())?;
        }
        Ok(())
    }

    fn write_reuses(&self, page: &mut Page, nest: &NestModel) -> Result<(), XlsxError> {
        Self::heads(
            page,
            self.first,
            &["Reuse", "Must fit [B]", "Else again [B]"],
        )?;
        for (position, cache) in nest.levels.caches.iter().enumerate() {
            let name = format!("Again, {} [B]", cache.name);
            page.text(HEADER_ROW, self.again(position), &name, &style::header())?;
        }
        let plain = style::cell(Look::Text, Role::Plain);
        for (row, (name, reuse)) in (FIRST_ROW..).zip(self.reuses.iter().zip(&nest.levels.reuses)) {
            page.text(row, self.first, name, &plain)?;
            page.figure(row, self.capacity(), reuse.distance, Look::Count)?;
            let both = [reuse.fetched, reuse.written_back];
            sum(page, (row, self.capacity() + 1), both, Look::Count)?;
            for (position, (fetched, written, _)) in reuse.caches.iter().enumerate() {
                sum(
                    page,
                    (row, self.again(position)),
                    [*fetched, *written],
                    Look::Count,
                )?;
            }
        }
        Ok(())
    }

    /// The points of the staircase: a step begins and ends at each capacity that a reuse needs, in their order.
    fn write_stairs(&self, page: &mut Page, points: &Points) -> Result<(), XlsxError> {
        let (x, y) = (self.stairs(), self.stairs() + 1);
        Self::heads(page, x, &["Capacity [B]", "Through it [B]"])?;
        let Staircase {
            least_fetched,
            least_written_back,
            ..
        } = points.stairs;
        let least = format!(
            "{}+{}",
            cell(page, least_fetched),
            cell(page, least_written_back)
        );
        let (first, last) = self.stair_rows();
        let [needs, costs] = [self.capacity(), self.capacity() + 1].map(|c| self.of_reuses(c));
        let caches = (FIRST_ROW, FIRST_ROW + 2 * self.caches as RowNum - 1);
        let caches = fixed(self.points() + 1, caches.0, caches.1);
        let numbers = style::cell(Look::Count, Role::Plain);
        let mut put = |row: RowNum, (capacity, known): (&str, f64), (bytes, value): (&str, f64)| {
            page.presentation(row, x, capacity, &known.to_string(), &numbers)?;
            page.presentation(row, y, bytes, &value.to_string(), &numbers)
        };
        let needed = match self.has_reuse() {
            true => format!("{needs},"),
            false => String::new(),
        };
        let Window { from, to, most, .. } = points.window;
        let begin = at(first, x);
        let through = |row: RowNum, compared: &str| match self.has_reuse() {
            true => format!(
                "{least}+SUMPRODUCT(({needs}{compared}{})*{costs})",
                at(row, x)
            ),
            false => least.clone(),
        };
        let smallest = format!("MAX(1,MIN({needed}{caches})/{BEYOND},MIN({caches})/{BELOW})");
        put(first, (&smallest, from), (&through(first, ">"), most))?;
        let sorted = points.corners.iter().flat_map(|corner| {
            let several = corner.reuses.len();
            (0..several).map(move |_| corner)
        });
        for (order, corner) in (1u32..).zip(sorted) {
            let row = first + 2 * order - 1;
            // What is too small to be of interest stands where the line begins.
            let capacity = format!("MAX({begin},SMALL({needs},{order}))");
            let [before, after] = match corner.capacity >= from {
                true => [corner.before, corner.after],
                false => [most; 2],
            };
            let capacity = (capacity.as_str(), corner.capacity.max(from));
            put(row, capacity, (&through(row, ">="), before))?;
            put(row + 1, capacity, (&through(row + 1, ">"), after))?;
        }
        let largest = format!("MAX({needed}{caches})*{BEYOND}");
        put(last, (&largest, to), (&least, points.window.least))
    }

    /// Every cache as a point, and where the line down from it ends.
    fn write_points(
        &self,
        page: &mut Page,
        nest: &NestModel,
        points: &Points,
    ) -> Result<(), XlsxError> {
        let first = self.points();
        Self::heads(page, first, &["Cache", "Capacity [B]", "Through it [B]"])?;
        let model = page.book.model;
        let floor = match points.window.is_wide() {
            // An axis of powers has no zero.
            true => ("MIN", points.window.least),
            false => ("0*MIN", 0.0),
        };
        let stairs = fixed(self.stairs() + 1, self.stair_rows().0, self.stair_rows().1);
        for (cache, row) in nest.levels.caches.iter().zip((FIRST_ROW..).step_by(2)) {
            let capacity = at(row, first + 1);
            let (size, shown) = readable::size(&capacity, model.value(cache.capacity));
            let text = style::cell(Look::Text, Role::Plain);
            page.presented_text(
                row,
                first,
                &format!("\"{}: \"&{size}", cache.name),
                &format!("{}: {shown}", cache.name),
                &text,
            )?;
            for row in [row, row + 1] {
                page.figure(row, first + 1, cache.capacity, Look::Count)?;
            }
            page.figure(row, first + 2, cache.bytes, Look::Count)?;
            let numbers = style::cell(Look::Count, Role::Plain);
            let (formula, value) = floor;
            let formula = format!("{formula}({stairs})");
            page.presentation(row + 1, first + 2, &formula, &value.to_string(), &numbers)?;
        }
        Ok(())
    }

    /// What moves through each cache: once, and again for the reuses that cost most.
    fn write_moved(&self, page: &mut Page, nest: &NestModel) -> Result<(), XlsxError> {
        let Some((fetched, written)) = nest.levels.least else {
            return Ok(());
        };
        let first = self.moved();
        page.text(HEADER_ROW, first, "What moves [B]", &style::header())?;
        let behind = nest
            .time
            .levels
            .iter()
            .skip(1)
            .map(|level| level.name.as_str());
        let behind: Vec<&str> = behind.collect();
        let plain = style::cell(Look::Text, Role::Plain);
        for (cache, figures) in nest.levels.caches.iter().enumerate() {
            let column = first + 1 + cache as ColNum;
            let name = behind.get(cache).copied().unwrap_or(figures.name.as_str());
            page.text(HEADER_ROW, column, name, &style::header())?;
            page.figure(FIRST_ROW, column, fetched, Look::Count)?;
            page.figure(FIRST_ROW + 1, column, written, Look::Count)?;
            for (row, reuse) in (FIRST_ROW + 2..).zip(&self.named) {
                let (fetched, written, _) = nest.levels.reuses[*reuse].caches[cache];
                sum(page, (row, column), [fetched, written], Look::Count)?;
            }
            if self.reuses.len() > self.named.len() {
                let row = FIRST_ROW + 2 + self.named.len() as RowNum;
                let shown = fixed(column, FIRST_ROW + 2, row - 1);
                let formula = format!("{}-SUM({shown})", self.all_again(cache));
                let others = (0..self.reuses.len()).filter(|at| !self.named.contains(at));
                let model = page.book.model;
                let value: f64 = others
                    .map(|at| {
                        let (fetched, written, _) = nest.levels.reuses[at].caches[cache];
                        model.value(fetched) + model.value(written)
                    })
                    .sum();
                let format = style::cell(Look::Count, Role::Plain);
                page.presentation(row, column, &formula, &value.to_string(), &format)?;
            }
        }
        let again = self
            .named
            .iter()
            .map(|at| format!("again: {}", self.reuses[*at]));
        let names = [
            "fetched on first use".to_string(),
            "written back once".to_string(),
        ];
        let others =
            (self.reuses.len() > self.named.len()).then(|| "again: all others".to_string());
        for (row, name) in (FIRST_ROW..).zip(names.into_iter().chain(again).chain(others)) {
            page.text(row, first, &name, &plain)?;
        }
        Ok(())
    }
}

/// The sum of two figures.
pub(super) fn sum(
    page: &mut Page,
    (row, column): (RowNum, ColNum),
    figures: [FigureId; 2],
    look: Look,
) -> Result<(), XlsxError> {
    let model = page.book.model;
    let value: f64 = figures.iter().map(|id| model.value(*id)).sum();
    let formula = figures.map(|id| cell(page, id)).join("+");
    let format = style::cell(look, Role::Plain);
    page.presentation(row, column, &formula, &value.to_string(), &format)
}
