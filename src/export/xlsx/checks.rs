//! The sheet Checks: what must hold between the figures of the workbook, whatever the inputs are. Every check is a formula,
//! and Summary says what they come to.

use std::fmt;

use rust_xlsxwriter::utility::row_col_to_cell;
use rust_xlsxwriter::{ConditionalFormatFormula, Format, RowNum, XlsxError};

use super::layout::{Sheet, in_force};
use super::nests::NestSheets;
use super::page::{Book, Page, UNKNOWN};
use super::style::{self, Look, Role};
use super::{machine, parameters};
use crate::expr::{CellNames, FigureId};
use crate::listings::loops;
use crate::machine::parameters::{SCENARIOS, level_name};
use crate::model::{LevelKind, NestModel};

const HEADER_ROW: RowNum = 3;
const FIRST_ROW: RowNum = 4;
const VERDICT: u16 = 3;
const COLUMNS: [(&str, f64); 5] = [
    ("Condition", 66.0),
    ("Found", 24.0),
    ("Expected", 24.0),
    ("Verdict", 24.0),
    ("Why", 90.0),
];
const OK: &str = "OK";
/// How the verdict of what does not hold begins.
pub(super) const OFF: &str = "off";
/// How it begins where the model only nearly says so.
const LOOK: &str = "look at";
const NOT_KNOWN: &str = "not known";
const CHANGED: &str = "inputs were changed";
const ALL_HOLD: &str = "Checks: all hold";

/// How the two sides of a check are compared.
#[derive(Clone, Copy)]
enum Rule {
    /// Both are the same but for rounding.
    Equal,
    /// A count of what must not be.
    Never,
    /// A count of what the model rules out but for what it only estimates.
    Rarely,
    /// The sum of inputs, which may be changed.
    Written,
    /// What follows from the inputs of the two checks before.
    Follows,
}

/// One side of a check; a value that is not known is not a number.
struct Side {
    cell: Cell,
    value: f64,
}

/// What the cell of a side has.
enum Cell {
    Formula(String),
    Number,
    /// Words: the number stands in the verdict, so that no cell shows one that edits do not change.
    AsWritten,
}

impl Side {
    fn formula(formula: String, value: f64) -> Side {
        Side {
            cell: Cell::Formula(formula),
            value,
        }
    }

    /// What it is by nature.
    fn number(value: f64) -> Side {
        Side {
            cell: Cell::Number,
            value,
        }
    }

    /// What it was when the workbook was written.
    fn written(value: f64) -> Side {
        Side {
            cell: Cell::AsWritten,
            value,
        }
    }

    /// How a formula writes it that has it in this cell.
    fn operand(&self, cell: &str) -> String {
        match self.cell {
            Cell::AsWritten if self.value.is_finite() => self.value.to_string(),
            _ => cell.to_string(),
        }
    }
}

/// What a check comes to.
enum Verdict {
    Ok,
    /// By so much.
    OffBy(f64),
    /// In so many cases.
    OffIn(f64),
    /// So many nests.
    Look(f64),
    NotKnown,
    Changed,
}

impl Verdict {
    fn is_off(&self) -> bool {
        matches!(self, Verdict::OffBy(_) | Verdict::OffIn(_))
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Ok => f.write_str(OK),
            Verdict::OffBy(difference) => write!(f, "{OFF} by {difference}"),
            Verdict::OffIn(cases) => write!(f, "{OFF}: {cases}"),
            Verdict::Look(nests) => write!(f, "{LOOK} {nests} nests"),
            Verdict::NotKnown => f.write_str(NOT_KNOWN),
            Verdict::Changed => f.write_str(CHANGED),
        }
    }
}

struct Check {
    what: String,
    /// Of both sides.
    look: Look,
    found: Side,
    expected: Side,
    rule: Rule,
    why: &'static str,
}

/// All checks of a workbook.
pub(super) struct Checks(Vec<Check>);

impl Checks {
    pub fn of(book: Book, nests: &NestSheets) -> Checks {
        let mut all = totals(book, nests);
        all.extend(levels(book, nests));
        all.push(negative(book, nests));
        all.extend(same_rows(nests));
        all.extend(as_written(book));
        Checks(all)
    }

    /// The cell on Summary: its formula and what it shows.
    pub fn verdict(&self) -> (String, String) {
        let last = FIRST_ROW as usize + self.0.len();
        let range = format!("{}!$D${}:$D${last}", Sheet::Checks.name(), FIRST_ROW + 1);
        let count = |word: &str| format!("COUNTIF({range},\"{word}*\")");
        let (off, look, unknown) = (count(OFF), count(LOOK), count(NOT_KNOWN));
        let formula = format!(
            "IF({off}>0,\"Checks: \"&{off}&\" {OFF}\",IF({unknown}>0,\"{ALL_HOLD} but \"&{unknown}&\" {NOT_KNOWN}\",IF({look}>0,\"{ALL_HOLD} but \"&{look}&\" to look at\",\"{ALL_HOLD}\")))"
        );
        let verdicts: Vec<Verdict> = self.0.iter().map(Check::verdict).collect();
        let off = verdicts.iter().filter(|verdict| verdict.is_off()).count();
        let look = (verdicts.iter())
            .filter(|verdict| matches!(verdict, Verdict::Look(_)))
            .count();
        let unknown = (verdicts.iter())
            .filter(|verdict| matches!(verdict, Verdict::NotKnown))
            .count();
        let shown = match (off, unknown, look) {
            (0, 0, 0) => ALL_HOLD.to_string(),
            (0, 0, look) => format!("{ALL_HOLD} but {look} to look at"),
            (0, unknown, _) => format!("{ALL_HOLD} but {unknown} {NOT_KNOWN}"),
            (off, _, _) => format!("Checks: {off} {OFF}"),
        };
        (formula, shown)
    }

    pub fn write<'b>(&self, book: Book<'b>) -> Result<Page<'b>, XlsxError> {
        let mut page = Page::new(Sheet::Checks, book)?;
        page.title("Checks")?;
        let text = "Conditions that must hold between the figures, whatever the inputs are. A verdict beginning with “off” indicates an error in the workbook or in the program that computes it.";
        page.text(1, 0, text, &style::remark())?;
        for (column, (header, width)) in (0..).zip(COLUMNS) {
            page.text(HEADER_ROW, column, header, &style::header())?;
            page.worksheet.set_column_width(column, width)?;
        }
        page.worksheet.set_row_height(HEADER_ROW, 24)?;
        for (row, check) in (FIRST_ROW..).zip(&self.0) {
            check.write(&mut page, row)?;
        }
        let last = FIRST_ROW + self.0.len() as RowNum - 1;
        for (word, colour) in [(OFF, style::BAD), (LOOK, style::FAIR), (OK, style::GOOD)] {
            let first = row_col_to_cell(FIRST_ROW, VERDICT);
            let rule = format!("=COUNTIF({first},\"{word}*\")>0");
            let coloured = ConditionalFormatFormula::new()
                .set_rule(rule.as_str())
                .set_format(Format::new().set_background_color(colour));
            page.worksheet
                .add_conditional_format(FIRST_ROW, VERDICT, last, VERDICT, &coloured)?;
        }
        page.worksheet.set_freeze_panes(FIRST_ROW, 1)?;
        style::print_setup(&mut page.worksheet);
        Ok(page)
    }
}

impl Check {
    fn is_near(&self, tolerance: f64) -> bool {
        let (found, expected) = (self.found.value, self.expected.value);
        (found - expected).abs() <= tolerance * (found.abs() + expected.abs())
    }

    /// What the cell shows when the workbook is written.
    fn verdict(&self) -> Verdict {
        let (found, expected) = (self.found.value, self.expected.value);
        if !(found.is_finite() && expected.is_finite()) {
            return Verdict::NotKnown;
        }
        match self.rule {
            Rule::Equal | Rule::Follows if self.is_near(NEAR) => Verdict::Ok,
            Rule::Equal | Rule::Follows => Verdict::OffBy(found - expected),
            Rule::Never | Rule::Rarely if found == expected => Verdict::Ok,
            Rule::Never => Verdict::OffIn(found),
            Rule::Rarely => Verdict::Look(found),
            Rule::Written if self.is_near(SAME) => Verdict::Ok,
            Rule::Written => Verdict::Changed,
        }
    }

    fn formula(&self, row: RowNum) -> String {
        // Excel counts rows from one.
        let row = row + 1;
        let expected = self.expected.operand(&format!("C{row}"));
        let is_near = |tolerance: &str| {
            format!("ABS(B{row}-{expected})<={tolerance}*(ABS(B{row})+ABS({expected}))")
        };
        let verdict = match self.rule {
            Rule::Equal => format!(
                "IF({},\"{OK}\",\"{OFF} by \"&(B{row}-{expected}))",
                is_near("1E-9")
            ),
            Rule::Never => format!("IF(B{row}={expected},\"{OK}\",\"{OFF}: \"&B{row})"),
            Rule::Rarely => format!("IF(B{row}={expected},\"{OK}\",\"{LOOK} \"&B{row}&\" nests\")"),
            Rule::Written => format!("IF({},\"{OK}\",\"{CHANGED}\")", is_near("1E-12")),
            Rule::Follows => format!(
                "IF({},\"{OK}\",IF(COUNTIF(D{}:D{},\"{OK}\")=2,\"{OFF} by \"&(B{row}-{expected}),\"{CHANGED}\"))",
                is_near("1E-9"),
                row - 2,
                row - 1
            ),
        };
        format!("IF(COUNT(B{row},{expected})<2,\"{NOT_KNOWN}\",{verdict})")
    }

    fn write(&self, page: &mut Page, row: RowNum) -> Result<(), XlsxError> {
        page.text(row, 0, &self.what, &style::wrapped())?;
        let format = style::cell(self.look, Role::Plain);
        for (column, side) in [(1, &self.found), (2, &self.expected)] {
            let shown = side.value.to_string();
            match &side.cell {
                Cell::Number if side.value.is_finite() => {
                    page.number(row, column, side.value, &format)?;
                }
                Cell::AsWritten if side.value.is_finite() => {
                    page.text(row, column, "as it was written", &format)?;
                }
                Cell::Number | Cell::AsWritten => page.text(row, column, UNKNOWN, &format)?,
                Cell::Formula(formula) if side.value.is_finite() => {
                    page.presentation(row, column, formula, &shown, &format)?;
                }
                Cell::Formula(formula) => {
                    page.presented_text(row, column, formula, UNKNOWN, &format)?;
                }
            }
        }
        let text = style::cell(Look::Text, Role::Plain);
        page.presented_text(
            row,
            VERDICT,
            &self.formula(row),
            &self.verdict().to_string(),
            &text,
        )?;
        page.text(row, 4, self.why, &style::wrapped())?;
        let lines =
            style::lines(&self.what, COLUMNS[0].1).max(style::lines(self.why, COLUMNS[4].1));
        page.worksheet
            .set_row_height(row, style::row_height(lines))?;
        Ok(())
    }
}

/// Relative difference of what is the same but for rounding, and of sums of the same inputs.
const NEAR: f64 = 1e-9;
const SAME: f64 = 1e-12;

/// The sum of what is known, as SUM has it.
fn sum(values: impl Iterator<Item = f64>) -> f64 {
    values.filter(|value| value.is_finite()).sum()
}

/// Columns of Loops add up to the totals.
fn totals(book: Book, nests: &NestSheets) -> Vec<Check> {
    let model = book.model;
    let cell = |figure: FigureId| book.layout.names(Sheet::Checks).figure(figure);
    let total = |figure: FigureId| Side::formula(cell(figure), model.value(figure));
    let column = |named, values: &mut dyn Iterator<Item = f64>| {
        Side::formula(format!("SUM({})", nests.range(named)), sum(values))
    };
    let of_nests = |named, pick: fn(&NestModel) -> FigureId| {
        column(
            named,
            &mut model.nests.iter().map(|nest| model.value(pick(nest))),
        )
    };
    let ranked = || (0..model.nests.len()).filter_map(|nest| model.ranking.of(nest));
    let of_program = total(model.ranking.total);
    let (what, all) = match model.left_out {
        None => ("Shares of the nests add up to 100 %", "1".to_string()),
        Some(_) => (
            "Shares of the listed nests add up to theirs of the time of all nests",
            format!(
                "{}/{}",
                cell(model.ranking.total),
                cell(model.ranking.whole)
            ),
        ),
    };
    let is_any = format!("IF(N({})>0,{all},0)", cell(model.ranking.total));
    let whole = match of_program.value > 0.0 {
        true => of_program.value / model.value(model.ranking.whole),
        false => 0.0,
    };
    let equal = |(what, look): (&str, Look), found, expected, why| Check {
        what: what.to_string(),
        look,
        found,
        expected,
        rule: Rule::Equal,
        why,
    };
    let each = "A total is the sum of its column";
    vec![
        equal(
            (what, Look::Share),
            column(
                loops::SHARE,
                &mut ranked().map(|one| model.value(one.share)),
            ),
            Side::formula(is_any, whole),
            "A share is the time of a nest divided by that of all",
        ),
        equal(
            (
                "Times that nests are ranked by add up to the program's [s]",
                Look::Seconds,
            ),
            column(
                loops::ranked_by(model),
                &mut ranked().map(|one| model.value(one.seconds)),
            ),
            of_program,
            each,
        ),
        equal(
            (
                "Times of one call add up to the total of Summary [s]",
                Look::Seconds,
            ),
            of_nests(loops::SECONDS, |nest| nest.time.seconds),
            total(model.totals.seconds),
            each,
        ),
        equal(
            (
                "Memory traffic adds up to the total of Summary",
                Look::Bytes,
            ),
            of_nests(loops::DRAM_BYTES, |nest| nest.traffic.actual),
            total(model.totals.traffic),
            each,
        ),
        equal(
            ("Flops add up to the total of Summary [flop]", Look::Flops),
            of_nests(loops::FLOPS, |nest| nest.operations.flops),
            total(model.totals.flops),
            each,
        ),
    ]
}

/// A larger cache, farther away, moves no more than a smaller one.
fn levels(book: Book, nests: &NestSheets) -> Vec<Check> {
    let model = book.model;
    let Some(first) = model.nests.first() else {
        return Vec::new();
    };
    // What registers and the first cache exchange are elements and no lines.
    let caches: Vec<(usize, usize)> = (first.time.levels.iter().enumerate())
        .filter(|(_, level)| level.kind == LevelKind::Cache)
        .filter_map(|(at, level)| Some((at, level.name.strip_prefix('L')?.parse().ok()?)))
        .filter(|(_, number)| *number > 1)
        .collect();
    let named = |number: usize| format!("L{number}");
    let known = |number: usize| level_name(number, "bytes");
    let of = |farther: Option<(usize, usize)>, (at, number): (usize, usize)| {
        let near_name = named(number);
        let near = nests.range((loops::CACHE_TRAFFIC, &near_name));
        let far_name = farther.map(|(_, number)| named(number));
        let (far, condition) = match (&far_name, farther) {
            (Some(name), Some((_, number))) => (
                nests.range((loops::CACHE_TRAFFIC, name)),
                format!("N({})>0", in_force(&known(number))),
            ),
            _ => (
                nests.range(loops::DRAM_BYTES),
                format!("{}=0", in_force(SCENARIOS)),
            ),
        };
        let input = |name: &str| model.figures.input(name).unwrap_or(0.0);
        let is_asked = input(&known(number)) > 0.0
            && match farther {
                Some((_, number)) => input(&known(number)) > 0.0,
                None => input(SCENARIOS) == 0.0,
            };
        let exceeds = |nest: &NestModel| {
            let bytes = |at: usize| model.value(nest.time.levels[at].bytes);
            let far = farther.map_or(model.value(nest.traffic.actual), |(at, _)| bytes(at));
            (far - bytes(at), far > bytes(at) * SLACK)
        };
        let all: Vec<(f64, bool)> = model.nests.iter().map(exceeds).collect();
        let is_known = all.iter().all(|(difference, _)| difference.is_finite());
        let count = match (is_asked, is_known) {
            (false, _) => 0.0,
            (true, true) => all.iter().filter(|(_, exceeds)| *exceeds).count() as f64,
            (true, false) => f64::NAN,
        };
        let formula = format!(
            "IF(AND(N({})>0,{condition}),IFERROR(SUMPRODUCT(--({far}>{near}*{SLACK})),\"{UNKNOWN}\"),0)",
            in_force(&known(number))
        );
        Check {
            what: format!(
                "Nests with more bytes at {} than at {near_name}",
                far_name.as_deref().unwrap_or("DRAM")
            ),
            look: Look::Count,
            found: Side::formula(formula, count),
            expected: Side::number(0.0),
            rule: Rule::Rarely,
            why: "What a cache nearer to the core holds does not move farther away; only approximately where rows are counted on average",
        }
    };
    let farther = |at: usize| caches.get(at + 1).copied();
    (caches.iter().enumerate())
        .flat_map(|(at, cache)| {
            let next = farther(at).map(|next| of(Some(next), *cache));
            next.into_iter().chain([of(None, *cache)])
        })
        .collect()
}

/// What counts as more, beyond rounding.
const SLACK: f64 = 1.000001;

/// Nothing is less than nothing.
fn negative(book: Book, nests: &NestSheets) -> Check {
    let model = book.model;
    type Pick = fn(&NestModel) -> FigureId;
    let columns: [(_, Pick); 4] = [
        (loops::SECONDS, |nest| nest.time.seconds),
        (loops::ITERATIONS, |nest| nest.iterations),
        (loops::FLOPS, |nest| nest.operations.flops),
        (loops::DRAM_BYTES, |nest| nest.traffic.actual),
    ];
    let formulas = columns.map(|(named, _)| format!("COUNTIF({},\"<0\")", nests.range(named)));
    let is_negative = |(nest, pick): (&NestModel, Pick)| model.value(pick(nest)) < 0.0;
    let all = columns
        .iter()
        .flat_map(|(_, pick)| model.nests.iter().map(move |nest| (nest, *pick)));
    let count = all.filter(|one| is_negative(*one)).count();
    Check {
        what: "Times, iterations, flops and bytes of nests that are negative".to_string(),
        look: Look::Count,
        found: Side::formula(formulas.join("+"), count as f64),
        expected: Side::number(0.0),
        rule: Rule::Never,
        why: "Counts and what follows from them are never negative",
    }
}

/// Every sheet of nests has them in the same rows.
fn same_rows(nests: &NestSheets) -> Vec<Check> {
    let here = nests.range(loops::ID);
    let check = |sheet: Sheet| {
        let there = nests.names_on(sheet);
        Check {
            what: format!("Rows of {} with a different nest than Loops", sheet.name()),
            look: Look::Count,
            found: Side::formula(format!("SUMPRODUCT(--({there}<>{here}))"), 0.0),
            expected: Side::number(0.0),
            rule: Rule::Never,
            why: "Sheets of nests share their rows; sorting one of them alone breaks that",
        }
    };
    nests.topics().map(check).collect()
}

/// What a program that opens the workbook computes is what was computed when it was written.
fn as_written(book: Book) -> [Check; 3] {
    let model = book.model;
    let weighted = |(range, sum): (String, f64), what: &str| Check {
        what: format!("Inputs on {what}, each multiplied by its row"),
        look: Look::Number,
        found: Side::formula(format!("SUMPRODUCT({range},ROW({range}))"), sum),
        expected: Side::written(sum),
        rule: Rule::Written,
        why: "Expected: their values when the workbook was written",
    };
    let total = model.totals.seconds;
    let cell = book.layout.names(Sheet::Checks).figure(total);
    [
        weighted(machine::weighted(model), Sheet::Machine.name()),
        weighted(parameters::weighted(model), Sheet::Parameters.name()),
        Check {
            what: "The total time is unchanged from when the workbook was written [s]".to_string(),
            look: Look::Seconds,
            found: Side::formula(cell, model.value(total)),
            expected: Side::written(model.value(total)),
            rule: Rule::Follows,
            why: "With unchanged inputs, a program that recalculates the workbook must find the same",
        },
    ]
}
