//! The sheet Summary, on one page: what program on what machine, how long it takes and what bounds it, the nests that
//! matter, and what the figures rest on. All of it is live.

mod chart;
mod costliest;

use rust_xlsxwriter::utility::row_col_to_cell;
use rust_xlsxwriter::{ColNum, ConditionalFormatFormula, RowNum, XlsxError};

use super::checks::{self, Checks};
use super::highlights;
use super::layout::{Layout, Place, Sheet};
use super::nests::NestSheets;
use super::page::{Book, Page};
use super::presets::Choices;
use super::style::{self, Look, Role};
use crate::analysis::coverage;
use crate::band;
use crate::expr::CellNames;
use crate::listings::totals::Total;
use crate::listings::{self, Table, loops};
use crate::model::influence::{Influence, Influences, influence};
use crate::model::{BoundBy, Model, OtherNest};
use crate::wording::counted;

type OtherTable<'a> = Table<'a, &'a OtherNest>;

/// Nests named as the costliest, and drawn in the chart.
const COSTLIEST: usize = 10;
/// Guessed sizes that are named.
const GUESSED: usize = 6;
/// The least share of the time that is named.
const LEAST_SHARE: f64 = 0.0005;

/// Of totals, which stand beside text in the unit that they are read in.
const SECONDS: &str = "[>=1000000]0.00E+00\" s\";[>=0.0001]#,##0.000000\" s\";##0.00E+0\" s\"";
const TOTALS_ROW: RowNum = 6;
const WIDTHS: [f64; 11] = [
    36.0, 14.0, 14.0, 11.0, 15.0, 12.0, 12.0, 44.0, 18.0, 14.0, 10.0,
];
/// Where it stands what bounds the time, beside the totals, and guessed sizes beside that.
const BOUNDS: ColNum = 3;
const GUESSES: ColNum = 7;

/// Said of figures of the nests of the workbook, where these are not all.
fn of_listed(model: &Model) -> &'static str {
    model.left_out.map_or("", |_| listings::totals::OF_LISTED)
}

/// The totals, and those of the nests on machine B.
fn totals(model: &Model) -> Vec<Total> {
    let mut found = listings::totals::totals(model);
    if let Some(other) = &model.on_other {
        let named = |name: &str| format!("{name}{}", of_listed(model));
        let is_all = other.nests.len() == model.nests.len();
        let (own, others) = other.seconds;
        if !is_all {
            let name = "Time on A (nests of sheet A and B)";
            found.push(Total::new(name, own, Look::Seconds));
        }
        found.extend([
            Total::new(named("Time on machine B"), others, Look::Seconds),
            Total::new(named("Time on B over time on A"), other.ratio, Look::Ratio),
        ]);
    }
    found
}

/// Gives the totals their homes.
pub(super) fn place(model: &Model, layout: &mut Layout) {
    for (row, total) in (TOTALS_ROW + 1..).zip(totals(model)) {
        layout.put(
            total.figure,
            Place {
                sheet: Sheet::Summary,
                row,
                column: 1,
            },
        );
    }
}

pub(super) fn write<'a>(
    book: Book<'a>,
    (nests, checks): (&NestSheets, &Checks),
    side_by_side: Option<&OtherTable>,
) -> Result<Page<'a>, XlsxError> {
    let mut page = Page::new(Sheet::Summary, book)?;
    for (column, width) in (0..).zip(WIDTHS) {
        page.worksheet.set_column_width(column, width)?;
    }
    write_head(&mut page)?;
    write_verdict(&mut page, checks)?;
    let row = write_totals(&mut page)?
        .max(write_bounds(&mut page, nests)?)
        .max(write_guesses(&mut page)?)
        + 1;
    let ranked = book.model.costliest(usize::MAX);
    let after = if ranked.is_empty() {
        let text = match (book.model.left_out, book.model.nests.is_empty()) {
            (Some(_), true) => "The functions that --function lists have no loop nests.",
            (Some(_), false) => "No listed loop has a known time.",
            (None, _) => "No loop with a known time was found.",
        };
        page.text(row, 0, text, &style::remark())?;
        row + 2
    } else {
        let rows = ranked.len().min(COSTLIEST) as RowNum;
        let chart_row = row + rows + 3;
        let data_row = chart_row + chart::ROWS + 1;
        costliest::write(&mut page, nests, &ranked, (row, data_row))?;
        let mut last_column = GUESSES + 1;
        if let (Some(other), Some(compared)) = (side_by_side, &book.model.on_other) {
            costliest::write_on_other(&mut page, (other, compared), &ranked, (row, data_row))?;
            last_column = WIDTHS.len() as ColNum - 1;
        }
        chart::write(&mut page, nests, &ranked, (chart_row, data_row))?;
        page.worksheet
            .set_print_area(0, 0, data_row - 1, last_column)?;
        data_row + rows + 3
    };
    write_coverage(&mut page, after)?;
    style::print_setup(&mut page.worksheet);
    page.worksheet.set_print_fit_to_pages(1, 1);
    Ok(page)
}

/// The program, where its runs begin, and the machines.
fn write_head(page: &mut Page) -> Result<(), XlsxError> {
    let model = page.book.model;
    let plain = style::cell(Look::Text, Role::Plain);
    page.title("What the loops cost")?;
    let program = model.program;
    let lines: usize = program.files.iter().map(|file| file.lines).sum();
    let entries = model.entries().iter().map(|index| {
        let function = &program.functions[*index];
        format!("{} ({}:{})", function.name, function.file, function.line)
    });
    let entries: Vec<String> = entries.collect();
    let begins = match entries.as_slice() {
        [] => "the starting point of execution is unknown, so each nest counts once".to_string(),
        [one] => format!("execution starts at {one}"),
        [one, other] => format!("execution starts at {one} and {other}"),
        [one, others @ ..] => format!("execution starts at {one} and {} others", others.len()),
    };
    let coverage = coverage::coverage(program);
    let listed = model.nests.len();
    let nests = match model.left_out {
        None => counted(listed, "nest"),
        Some(others) => format!(
            "{}, {listed} of them in this workbook",
            counted(listed + others.nests, "nest")
        ),
    };
    let text = format!(
        "Program: {}, {}, {nests}; {begins}. {} of {} are fully understood.",
        counted(program.files.len(), "file"),
        counted(lines, "line"),
        coverage.understood,
        counted(coverage.loops, "loop"),
    );
    page.text(1, 0, &text, &plain)?;
    let machine = &model.machine;
    let text = format!("Machine: {} ({})", machine.title, machine.name);
    let titles = Choices::of(model).titles();
    let formula = format!("\"Machine: \"&INDEX({titles},1,preset.A)");
    page.presented_text(2, 0, &formula, &text, &plain)?;
    if let Some(other) = &model.other {
        let text = format!("Compared with machine B: {} ({})", other.title, other.name);
        let formula = format!("\"Compared with machine B: \"&INDEX({titles},1,preset.B)");
        page.presented_text(3, 0, &formula, &text, &plain)?;
    }
    let text = "Every figure is a formula over the inputs on Control, Machine and Parameters; Notes explains the formulas.";
    page.text(4, 0, text, &style::remark())?;
    let Some(band) = band::of_all(model) else {
        return Ok(());
    };
    let text =
        format!("When this was written, {band}. Sheet Time shows low and high for each nest.");
    page.text(5, 0, &text, &plain)
}

/// What sheet Checks comes to.
fn write_verdict(page: &mut Page, checks: &Checks) -> Result<(), XlsxError> {
    let (formula, shown) = checks.verdict();
    let (row, column) = (0, GUESSES);
    let format = style::cell(Look::Text, Role::Plain)
        .set_bold()
        .set_background_color(style::GOOD);
    page.presented_text(row, column, &formula, &shown, &format)?;
    let bad = style::cell(Look::Text, Role::Plain).set_background_color(style::BAD);
    let rule = format!(
        "=COUNTIF({},\"*{}*\")>0",
        row_col_to_cell(row, column),
        checks::OFF
    );
    let is_off = ConditionalFormatFormula::new()
        .set_rule(rule.as_str())
        .set_format(bad);
    page.worksheet
        .add_conditional_format(row, column, row, column, &is_off)?;
    Ok(())
}

/// The totals, seconds also in the unit that they are read in; returns the row after the last.
fn write_totals(page: &mut Page) -> Result<RowNum, XlsxError> {
    let model = page.book.model;
    let plain = style::cell(Look::Text, Role::Plain);
    let each_once = match model.ranking.follows_calls {
        true => "Totals; each nest once, or over all calls",
        false => "Totals",
    };
    page.text(TOTALS_ROW, 0, each_once, &style::section())?;
    let mut row = TOTALS_ROW + 1;
    for total in totals(model) {
        page.text(row, 0, &total.name, &plain)?;
        page.figure(row, 1, total.figure, total.look)?;
        let value = model.value(total.figure);
        match total.look {
            Look::Seconds => {
                let format = style::cell(total.look, Role::Plain).set_num_format(SECONDS);
                page.worksheet.set_cell_format(row, 1, &format)?;
                highlights::long_seconds(page, (row, 1))?;
                page.readable_seconds((row, 2), &format!("B{}", row + 1), value)?;
            }
            Look::Flops => {
                let format = style::cell(total.look, Role::Plain).set_num_format(style::FLOPS);
                page.worksheet.set_cell_format(row, 1, &format)?;
            }
            Look::Bytes => highlights::small_bytes(page, 1, (row, row))?,
            _ => {
                highlights::large_ratios(page, 1, (row, row))?;
                page.text(row, 2, total.unit(model), &plain)?;
            }
        }
        row += 1;
    }
    let Some(left_out) = model.left_out else {
        return Ok(row);
    };
    page.text(row, 0, "Further nests, not in this workbook", &plain)?;
    page.number(
        row,
        1,
        left_out.nests as f64,
        &style::cell(Look::Count, Role::Plain),
    )?;
    page.text(row + 1, 0, "Their time when it was written", &plain)?;
    page.number(
        row + 1,
        1,
        left_out.seconds,
        &style::cell(Look::Seconds, Role::Plain),
    )?;
    page.text(row + 1, 2, "s", &plain)?;
    let text = match model.program.hides_some() {
        true => {
            "Listed are the nests that --function lists. Shares are parts of the time of all nests, and calls are those of the whole program."
        }
        false => {
            "Listed are the costliest nests. Shares are parts of the time of all nests. JSON and --tables have all nests, calls, dependences and communication."
        }
    };
    page.text(row + 2, 0, text, &style::remark())?;
    Ok(row + 3)
}

/// What share of the time each resource bounds; returns the row after the last.
fn write_bounds(page: &mut Page, nests: &NestSheets) -> Result<RowNum, XlsxError> {
    let model = page.book.model;
    if model.nests.is_empty() {
        return Ok(TOTALS_ROW + 1);
    }
    let title = format!("What bounds the time{}", of_listed(model));
    page.text(TOTALS_ROW, BOUNDS, &title, &style::section())?;
    let shares = bound_shares(model, nests);
    for (row, (name, formula, share)) in (TOTALS_ROW + 1..).zip(&shares) {
        page.text(row, BOUNDS, name, &style::cell(Look::Text, Role::Plain))?;
        let format = style::cell(Look::Share, Role::Plain);
        page.presentation(row, BOUNDS + 1, formula, &share.to_string(), &format)?;
    }
    Ok(TOTALS_ROW + 1 + shares.len() as RowNum)
}

/// What may bound a nest, the formula of the share of the time that it bounds, and that share.
pub(super) fn bound_shares<'m>(
    model: &'m Model,
    nests: &NestSheets,
) -> Vec<(&'m str, String, f64)> {
    let (bounds, shares) = (nests.range(loops::BOUND), nests.range(loops::SHARE));
    let of = |(bound, name): (BoundBy, &'m str)| {
        let of_nest = |(index, nest): (usize, &crate::model::NestModel)| {
            let is_bound = nest.time.bound_by(model.value(nest.time.bound)) == Some(bound);
            let share = model.value(model.ranking.of(index)?.share);
            (is_bound && share.is_finite()).then_some(share)
        };
        let share: f64 = model.nests.iter().enumerate().filter_map(of_nest).sum();
        let formula = format!("SUMIF({bounds},\"{name}\",{shares})");
        (name, formula, share)
    };
    model.bounds().into_iter().map(of).collect()
}

/// Guessed sizes, and what part of the time rested on them; returns the row after the last that it may take.
fn write_guesses(page: &mut Page) -> Result<RowNum, XlsxError> {
    let influences = influence(page.book.model);
    let Influences {
        all,
        on_guesses,
        on_even_branches,
        ..
    } = &influences;
    let plain = style::cell(Look::Text, Role::Plain);
    page.text(TOTALS_ROW, GUESSES, "Guessed sizes", &style::section())?;
    let whose = listings::inputs::of_listed(page.book.model);
    let matters = |one: &&Influence| one.row.is_guessed() && one.share >= LEAST_SHARE;
    let guessed: Vec<Influence> = all.iter().filter(matters).copied().collect();
    let first = TOTALS_ROW + 1;
    let text = match guessed.as_slice() {
        [] => "Almost no time depends on a size that is not known.".to_string(),
        _ => format!(
            "{:.1} % of the time{whose} depended on guesses when this was written, {:.1} % on assumed probabilities of 0.5.",
            100.0 * on_guesses,
            100.0 * on_even_branches
        ),
    };
    page.text(first, GUESSES, &text, &plain)?;
    for (row, one) in (first + 1..).zip(guessed.iter().take(GUESSED)) {
        let (name, value) = (&one.row.name, one.row.value.to_string());
        let format = style::cell(Look::Number, Role::Guessed);
        let name = page.book.layout.names(Sheet::Summary).symbol(name);
        page.presentation(row, GUESSES - 1, &name, &value, &format)?;
        let (label, share) = (&one.row.label, 100.0 * one.share);
        let text = format!("{label}: {share:.1} % of the time{whose}");
        page.text(row, GUESSES, &text, &plain)?;
    }
    let after = first + 1 + GUESSED as RowNum;
    if guessed.len() > GUESSED {
        let text = format!("and {} more: see Parameters", guessed.len() - GUESSED);
        page.text(after, GUESSES, &text, &style::remark())?;
    }
    Ok(after + 1)
}

/// Counts of loops and of reasons, below what is printed.
fn write_coverage(page: &mut Page, mut row: RowNum) -> Result<(), XlsxError> {
    let program = page.book.model.program;
    let coverage = coverage::coverage(program);
    let mut lines: Vec<(String, usize)> = vec![
        ("Files read".into(), program.files.len()),
        ("Loops".into(), coverage.loops),
        ("fully understood".into(), coverage.understood),
        ("understood in part".into(), coverage.partial),
    ];
    lines.extend(
        coverage
            .reasons
            .iter()
            .map(|(code, count)| (format!("loops with {code}"), *count)),
    );
    lines.extend(
        coverage
            .outside
            .iter()
            .map(|(code, count)| (format!("outside loops: {code}"), *count)),
    );
    lines.extend(
        program
            .unread
            .iter()
            .map(|(extension, count)| (format!("files not read: .{extension}"), *count)),
    );
    page.text(row, 0, "Coverage", &style::section())?;
    for (label, count) in lines {
        row += 1;
        page.text(row, 0, &label, &style::cell(Look::Text, Role::Plain))?;
        page.number(row, 1, count as f64, &style::cell(Look::Count, Role::Plain))?;
    }
    Ok(())
}
