//! The sheet Summary: totals, coverage, the costliest nests and a chart, all of them live.

use rust_xlsxwriter::utility::row_col_to_cell_absolute;
use rust_xlsxwriter::{
    Chart, ChartAxisLabelPosition, ChartFont, ChartFormat, ChartLegendPosition, ChartSolidFill,
    ChartType, ColNum, RowNum, XlsxError,
};

use super::layout::{Layout, Place, Sheet, fixed_column_range};
use super::nests::NestSheets;
use super::page::{Book, Page};
use super::presets::Choices;
use super::ranking::{Found, Ranking};
use super::style::{self, Look, Role};
use super::table::FIRST_ROW;
use crate::analysis::coverage;
use crate::expr::FigureId;
use crate::listings::totals::Total;
use crate::listings::{self, Table, chosen, loops, side_by_side};
use crate::model::{Model, OtherMachine, OtherNest};

type OtherTable<'a> = Table<'a, &'a OtherNest>;

/// Nests named as the costliest.
const COSTLIEST: usize = 5;
/// Nests drawn in the chart.
const DRAWN: usize = 20;

const TOTALS_ROW: RowNum = 4;
const CHART_ROWS: RowNum = 30;
const WIDTHS: [f64; 10] = [38.0, 16.0, 12.0, 12.0, 20.0, 18.0, 44.0, 10.0, 16.0, 12.0];
/// What bounds the nests of the chart.
const BOUND: ColNum = 4;
/// The columns of the chart's series begin here, beside what is printed.
const SERIES: ColNum = WIDTHS.len() as ColNum;
const SERIES_WIDTH: f64 = 12.0;
/// Of what bounds a nest: arithmetic, caches from the nearest, memory, chains, ports.
const COLOURS: [u32; 8] = [
    0x4F8A4C, 0xC9A227, 0xD9772B, 0x8064A2, 0x3A6491, 0xB0413E, 0x7F8C8D, 0x24476B,
];
/// Where the times on machine B stand beside the costliest nests.
const ON_B: ColNum = 8;
/// What is said of a nest that sheet A and B leaves out.
const NOT_COMPARED: &str = "not compared";
/// Where coverage stands beside the totals.
const COVERAGE: ColNum = 6;

/// The totals, and those of the nests on machine B.
fn totals(model: &Model) -> Vec<Total> {
    let mut found = listings::totals::totals(model);
    if let Some(other) = &model.on_other {
        let is_all = other.nests.len() == model.nests.len();
        let (own, others) = other.seconds;
        if !is_all {
            let name = "Time of the nests of sheet A and B";
            found.push(Total::new(name, own, Look::Seconds));
        }
        let name = if is_all {
            "Time on machine B"
        } else {
            "Time of these on machine B"
        };
        found.extend([
            Total::new(name, others, Look::Seconds),
            Total::new("Time on B over time on A", other.ratio, Look::Ratio),
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
    nests: &NestSheets,
    side_by_side: Option<&OtherTable>,
) -> Result<Page<'a>, XlsxError> {
    let mut page = Page::new(Sheet::Summary, book)?;
    let machine = &book.model.machine;
    page.title("What the loops cost")?;
    let text = format!("Machine: {} ({})", machine.title, machine.name);
    let formula = format!(
        "\"Machine: \"&INDEX({},preset.A)",
        Choices::of(book.model).titles()
    );
    page.presented_text(1, 0, &formula, &text, &style::cell(Look::Text, Role::Plain))?;
    let text = "Every figure is a formula over the inputs on Machine and Parameters; Notes says how they are made.";
    page.text(2, 0, text, &style::remark())?;
    if let Some(other) = &book.model.other {
        let text = format!("Compared with machine B: {} ({})", other.title, other.name);
        let formula = format!(
            "\"Compared with machine B: \"&INDEX({},preset.B)",
            Choices::of(book.model).titles()
        );
        page.presented_text(3, 0, &formula, &text, &style::cell(Look::Text, Role::Plain))?;
    }
    for (column, width) in (0..).zip(WIDTHS) {
        page.worksheet.set_column_width(column, width)?;
    }
    write_totals(&mut page)?;
    let row = write_coverage(&mut page)?.max(
        TOTALS_ROW
            + totals(book.model).len() as RowNum
            + if book.model.left_out.is_some() { 5 } else { 2 },
    ) + 1;
    let ranked = book.model.costliest(usize::MAX);
    if ranked.is_empty() {
        page.text(
            row,
            0,
            "No loop with a known time was found.",
            &style::remark(),
        )?;
    } else {
        let rows = ranked.len().min(COSTLIEST) as RowNum;
        let chart_row = row + rows + 3;
        let data_row = chart_row + CHART_ROWS + 1;
        write_costliest(&mut page, nests, &ranked, row, data_row)?;
        if let (Some(other), Some(compared)) = (side_by_side, &book.model.on_other) {
            write_on_other(&mut page, (other, compared), &ranked, row, data_row)?;
        }
        write_chart(&mut page, nests, &ranked, chart_row, data_row)?;
        let last_row = data_row + 1 + ranked.len().min(DRAWN) as RowNum;
        page.worksheet.set_print_area(0, 0, last_row, SERIES - 1)?;
    }
    style::print_setup(&mut page.worksheet);
    page.worksheet.set_print_fit_to_pages(1, 1);
    Ok(page)
}

fn write_totals(page: &mut Page) -> Result<(), XlsxError> {
    let each_once = if page.book.model.calls.is_some() {
        "Totals, each nest once"
    } else {
        "Totals"
    };
    page.text(TOTALS_ROW, 0, each_once, &style::section())?;
    for (row, total) in (TOTALS_ROW + 1..).zip(totals(page.book.model)) {
        let unit = total.unit(page.book.model);
        page.text(row, 0, &total.name, &style::cell(Look::Text, Role::Plain))?;
        page.figure(row, 1, total.figure, total.look)?;
        page.text(row, 2, unit, &style::cell(Look::Text, Role::Plain))?;
    }
    let row = TOTALS_ROW + 1 + totals(page.book.model).len() as RowNum;
    let plain = style::cell(Look::Text, Role::Plain);
    let Some(left_out) = page.book.model.left_out else {
        return Ok(());
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
    let text = "The totals are those of the costliest nests. JSON and --tables have all, and calls, dependences and communication.";
    page.text(row + 2, 0, text, &style::remark())
}

/// Counts of loops and of reasons; returns the row after the last.
fn write_coverage(page: &mut Page) -> Result<RowNum, XlsxError> {
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
            .map(|(code, count)| (format!("outside of loops: {code}"), *count)),
    );
    lines.extend(
        program
            .unread
            .iter()
            .map(|(extension, count)| (format!("files not read: .{extension}"), *count)),
    );
    page.text(TOTALS_ROW, COVERAGE, "Coverage", &style::section())?;
    let mut row = TOTALS_ROW + 1;
    for (label, count) in lines {
        page.text(row, COVERAGE, &label, &style::cell(Look::Text, Role::Plain))?;
        page.number(
            row,
            COVERAGE + 1,
            count as f64,
            &style::cell(Look::Count, Role::Plain),
        )?;
        row += 1;
    }
    Ok(row)
}

/// The table of the costliest nests; the rows of Loops that it shows are found beside the chart's data.
fn write_costliest(
    page: &mut Page,
    nests: &NestSheets,
    ranked: &[usize],
    row: RowNum,
    data_row: RowNum,
) -> Result<(), XlsxError> {
    let model = page.book.model;
    let title = match ranked.len().min(COSTLIEST) {
        1 => "The costliest loop nest".to_string(),
        count => format!("The {count} costliest loop nests"),
    };
    page.text(row, 0, &title, &style::section())?;
    let [time, fourth, fifth] = match model.ranking.follows_calls {
        true => ["All calls [s]", "One call [s]", "Calls"],
        false => ["Time [s]", "Memory traffic [B]", "Intensity [flop/B]"],
    };
    let headers = [
        "Loop", time, "Share", "Bound by", fourth, fifth, "File", "Line",
    ];
    for (column, header) in (0..).zip(headers) {
        page.text(row + 1, column, header, &style::header())?;
    }
    for (rank, index) in ranked.iter().take(COSTLIEST).enumerate() {
        let nest = &model.nests[*index];
        let Some(ranked) = model.ranking.of(*index) else {
            continue;
        };
        let row = row + 2 + rank as RowNum;
        let found = Found {
            nests,
            nest: *index,
            position: format!("D{}", data_row + 3 + rank as RowNum),
        };
        found.id(page, (row, 0))?;
        let [fourth, fifth] = match ranked.calls {
            Some(calls) => [
                (loops::SECONDS, nest.time.seconds, Look::Seconds),
                (loops::CALLS, calls, Look::Times),
            ],
            None => [
                (loops::DRAM_BYTES, nest.traffic.actual, Look::Bytes),
                (loops::INTENSITY, nest.time.intensity, Look::Ratio),
            ],
        };
        for (column, (what, id, look)) in [
            (1, (loops::ranked_by(model), ranked.seconds, Look::Seconds)),
            (2, (loops::SHARE, ranked.share, Look::Share)),
            (4, fourth),
            (5, fifth),
        ] {
            found.figure(page, (row, column), what, (id, look))?;
        }
        found.bound(page, (row, 3))?;
        found.file(page, (row, 6))?;
        found.line(page, (row, 7))?;
    }
    Ok(())
}

/// Beside the costliest nests: their times on machine B, and the ratios.
fn write_on_other(
    page: &mut Page,
    (table, other): (&OtherTable, &OtherMachine),
    ranked: &[usize],
    row: RowNum,
    data_row: RowNum,
) -> Result<(), XlsxError> {
    let whole = |(group, header): (&str, &str)| {
        let column = table
            .column(group, header)
            .expect("the sheet A and B has the columns that it names");
        format!(
            "{}!{}",
            Sheet::SideBySide.in_formulas(),
            fixed_column_range(column, FIRST_ROW, table.last_row())
        )
    };
    type Pick = fn(&OtherNest) -> FigureId;
    let columns: [(&str, (&str, &str), Look, Pick); 2] = [
        ("Time on B [s]", side_by_side::ON_B, Look::Seconds, |nest| {
            nest.seconds
        }),
        ("B over A", side_by_side::RATIO, Look::Ratio, |nest| {
            nest.ratio
        }),
    ];
    for (column, (header, what, look, pick)) in (ON_B..).zip(columns) {
        page.text(row + 1, column, header, &style::header())?;
        for (rank, index) in ranked.iter().take(COSTLIEST).enumerate() {
            let row = row + 2 + rank as RowNum;
            let position = format!(
                "MATCH(D{},{},0)",
                data_row + 3 + rank as RowNum,
                whole(side_by_side::POSITION)
            );
            let formula = format!(
                "IFERROR(INDEX({},{position}),\"{NOT_COMPARED}\")",
                whole(what)
            );
            let nest = other.nests.iter().find(|nest| nest.nest == *index);
            match nest
                .map(|nest| page.book.model.value(pick(nest)))
                .filter(|value| value.is_finite())
            {
                Some(value) => {
                    let format = style::cell(look, Role::Plain);
                    page.presentation(row, column, &formula, &value.to_string(), &format)?;
                }
                None => page.presented_text(
                    row,
                    column,
                    &formula,
                    NOT_COMPARED,
                    &style::cell(look, Role::Unknown),
                )?,
            }
        }
    }
    Ok(())
}

/// The time of each nest in the column of what bounds it, so that the chart has a colour for each; returns how many
/// columns there are.
fn write_by_bound(page: &mut Page, shown: &[usize], first: RowNum) -> Result<usize, XlsxError> {
    let model = page.book.model;
    let names = model.nests[shown[0]].time.bound_names();
    for (column, name) in (SERIES..).zip(&names) {
        page.worksheet.set_column_width(column, SERIES_WIDTH)?;
        page.text(first - 1, column, name, &style::header())?;
        let head = row_col_to_cell_absolute(first - 1, column);
        for (row, index) in (first..).zip(shown) {
            let time = &model.nests[*index].time;
            let is_bound = chosen(model.value(time.bound), &names) == Some(*name);
            let value = if is_bound {
                model
                    .ranking
                    .seconds(*index)
                    .map_or(0.0, |id| model.value(id))
            } else {
                0.0
            };
            let formula = format!("IF(E{0}={head},B{0},0)", row + 1);
            let format = style::cell(Look::Seconds, Role::Plain).set_num_format("0.000E+00;;");
            page.presentation(row, column, &formula, &value.to_string(), &format)?;
        }
    }
    Ok(names.len())
}

/// Rank, time and row in Loops of the nests in the chart, and the chart.
fn write_chart(
    page: &mut Page,
    nests: &NestSheets,
    ranked: &[usize],
    chart_row: RowNum,
    data_row: RowNum,
) -> Result<(), XlsxError> {
    page.text(
        data_row,
        0,
        "Time by loop nest, the costliest first",
        &style::section(),
    )?;
    for (column, header) in (0..).zip(["Loop", "Time [s]", "Rank", "Row of table", "Bound by"]) {
        page.text(data_row + 1, column, header, &style::header())?;
    }
    let first = data_row + 2;
    let drawn = ranked.len().min(DRAWN) as RowNum;
    let shown = &ranked[..drawn as usize];
    Ranking {
        rank: 2,
        time: 1,
        position: 3,
    }
    .write(page, nests, shown, first)?;
    for (row, index) in (first..).zip(shown) {
        let found = Found {
            nests,
            nest: *index,
            position: format!("D{}", row + 1),
        };
        found.id(page, (row, 0))?;
        found.bound(page, (row, BOUND))?;
    }
    let bounds = write_by_bound(page, shown, first)?;
    let mut chart = Chart::new(ChartType::BarStacked);
    let last = first + drawn - 1;
    let name = Sheet::Summary.name();
    for (column, colour) in (SERIES..).take(bounds).zip(COLOURS.iter().cycle()) {
        let fill = ChartSolidFill::new().set_color(*colour).clone();
        (chart.add_series())
            .set_name((name, first - 1, column))
            .set_categories((name, first, 0, last, 0))
            .set_values((name, first, column, last, column))
            .set_format(ChartFormat::new().set_solid_fill(&fill))
            .set_gap(40)
            .set_overlap(100);
    }
    chart
        .title()
        .set_name("Estimated time by loop nest and what bounds it, the costliest first");
    // A bar chart has its categories on the y axis, upwards; the costliest is to be on top.
    chart
        .y_axis()
        .set_reverse()
        .set_label_interval(1)
        .set_font(ChartFont::new().set_size(8));
    chart
        .x_axis()
        .set_name("seconds")
        .set_num_format("0.0E+00")
        .set_label_position(ChartAxisLabelPosition::High);
    chart.legend().set_position(ChartLegendPosition::Right);
    chart
        .set_width(1180)
        .set_height(u32::from(CHART_ROWS as u16) * 20 - 10);
    page.worksheet.insert_chart(chart_row, 0, &chart)?;
    Ok(())
}
