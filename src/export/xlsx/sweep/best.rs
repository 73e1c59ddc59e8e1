//! The sheet with the best configuration of each input, for each problem and latency.

use rust_xlsxwriter::utility::row_col_to_cell;
use rust_xlsxwriter::{ColNum, RowNum, Worksheet, XlsxError};

use super::configurations::{Configurations, HEADER, Shown, begin, doubts, finish, from, head};
use crate::sweep::columns::Column;
use crate::sweep::failure::{Failure, in_words};
use crate::sweep::groups::{Group, TimeUnit};
use crate::sweep::report::SweepReport;
use crate::xlsx::layout::Sheet;
use crate::xlsx::page::Paper;
use crate::xlsx::style::{self, Look, Role};

/// The fastest configuration of each input.
pub(super) fn best(
    report: &SweepReport,
    configurations: &Configurations,
) -> Result<Worksheet, XlsxError> {
    let mut page = begin(
        Sheet::Best,
        "The best configuration for each input",
        &format!(
            "The shortest time on sheet Configurations (among equals the one with the smallest area), and how much longer the worst takes. \
             Machines, caches, slots, parameters of machines and loop blocks are compared, for the same problem (a trace, or a source \
             with its sizes) and memory latency, which are given. A star marks a time that is not exact, with the \
             reason. A lower bound does not beat a full estimate: where it is the shortest, the best of the full estimates is listed below it. \
             Below the best stands the smallest (by area, else by cache and slots) of those that take at most 1 % longer, if it is another one. {} {} {}",
            report.area_remark(),
            report.setting_remark(),
            report.clock_remark()
        ),
    )?;
    let is_found = |shown: &&Shown| {
        let is_own = matches!(
            shown,
            Shown::Setting(_) | Shown::Input(_) | Shown::LatencyFrom | Shown::Doubts
        );
        (is_own || matches!(shown, Shown::Text(_))) && **shown != Shown::Text(Column::Input)
    };
    let found: Vec<Shown> = configurations
        .columns
        .iter()
        .filter(is_found)
        .copied()
        .collect();
    let groups = report.inputs.iter().flat_map(|input| &input.groups);
    let mut in_cycles = groups.filter(|group| group.unit == TimeUnit::Cycles);
    let mut heads = vec![
        ("input", Look::Text),
        ("configurations", Look::Count),
        ("minimum time_seconds", Look::Seconds),
    ];
    // Where nothing says how fast a clock is.
    if in_cycles.any(|group| group.best.is_some()) {
        heads.push(("minimum time_upper_cycles", Look::Count));
    }
    let mut groups = report.inputs.iter().flat_map(|input| &input.groups);
    // Elsewhere all configurations are compared.
    let has_full = groups.any(|group| comparisons(group, report).len() > 1);
    let compared = has_full.then_some(heads.len() as ColNum);
    heads.extend(compared.map(|_| ("compared", Look::Text)));
    heads.push(("worst / best", Look::Ratio));
    for (column, (text, look)) in (0..).zip(&heads) {
        head(&mut page, column, text, *look)?;
    }
    let behind = heads.len() as ColNum;
    for (column, shown) in (behind..).zip(&found) {
        head(&mut page, column, &shown.header(report), shown.look())?;
    }
    let mut at = HEADER;
    let mut first = 0;
    for input in &report.inputs {
        for group in &input.groups {
            for comparison in comparisons(group, report) {
                at += 1;
                let Comparison { what, best, of, .. } = &comparison;
                let text = style::cell(Look::Text, Role::Plain);
                let count = of.len() as f64;
                page.text(at, 0, &input.name, &text)?;
                page.number(at, 1, count, &style::cell(Look::Count, Role::Plain))?;
                if let Some(column) = compared {
                    page.text(at, column, what, &text)?;
                }
                if best.is_some() {
                    let (place, sheet) = ((at, behind), (report, configurations));
                    best_of(
                        &mut page,
                        place,
                        (group, &comparison),
                        first,
                        (sheet, &found),
                    )?;
                } else {
                    let why = match group.idle(&report.configurations) {
                        Some(_) => "takes no time on any machine",
                        None => "no time is known",
                    };
                    page.text(at, behind, why, &text)?;
                }
            }
            first += group.configurations.len();
        }
    }
    let names: Vec<String> = (report.settings.iter())
        .map(|setting| setting.name.clone())
        .collect();
    for Failure { input, error, work } in &report.failed {
        at += 1;
        let text = style::cell(Look::Text, Role::Plain);
        page.text(at, 0, input, &text)?;
        let what = format!("not computed: {}: {error}", in_words(work, &names));
        page.text(at, behind, &what, &text)?;
    }
    finish(page, at, heads.len() + found.len())
}

/// What is compared on a row.
struct Comparison {
    what: &'static str,
    best: Option<usize>,
    how: How,
    /// Positions, those that stand first on sheet Configurations.
    of: Vec<usize>,
}

/// How the configuration of a row is found.
enum How {
    /// It takes the shortest time.
    Shortest,
    /// It stands at this place of the group, from one on.
    Placed(usize),
}

impl How {
    /// Its value among those of its group.
    fn found(&self, cells: &str, (time, times): (&str, &str)) -> String {
        match self {
            How::Shortest => format!("INDEX({cells},MATCH({time},{times},0))"),
            How::Placed(place) => format!("INDEX({cells},{place})"),
        }
    }
}

/// All configurations of a group; where the best is a lower bound, the full estimates; and what is smaller than the best
/// and takes hardly longer.
fn comparisons(group: &Group, report: &SweepReport) -> Vec<Comparison> {
    let rows = &report.configurations;
    let mut comparisons = vec![Comparison {
        what: "all",
        best: group.best,
        how: How::Shortest,
        of: group.configurations.clone(),
    }];
    if group.is_bound(rows) && group.best_of_full.is_some() {
        let own = group.configurations.iter().copied();
        comparisons.push(Comparison {
            what: "full estimates",
            best: group.best_of_full,
            how: How::Shortest,
            of: own
                .filter(|number| !rows[*number].is_lower_bound())
                .collect(),
        });
    }
    let mut places = group.configurations.iter();
    let near = group.smallest_near;
    if let Some(place) = near.and_then(|near| places.position(|number| *number == near)) {
        comparisons.push(Comparison {
            what: "smaller, at most 1 % longer",
            best: near,
            how: How::Placed(place + 1),
            of: group.configurations.clone(),
        });
    }
    comparisons
}

/// One row of the sheet: the best of the configurations that stand from the row `first` on.
fn best_of(
    page: &mut Paper<()>,
    (at, behind): (RowNum, ColNum),
    (group, comparison): (&Group, &Comparison),
    first: usize,
    ((report, configurations), found): ((&SweepReport, &Configurations), &[Shown]),
) -> Result<(), XlsxError> {
    let Some(best) = comparison.best else {
        return Ok(());
    };
    let row = &report.configurations[best];
    let rows = (first, comparison.of.len());
    let (of_time, look, column) = match group.unit {
        TimeUnit::Seconds => (Shown::TimeSeconds, Look::Seconds, 2),
        TimeUnit::Cycles => (Shown::TimeCycles, Look::Count, 3),
    };
    let times = configurations.range(rows, configurations.column(of_time));
    let least = group.time(row).unwrap_or(0.0);
    let own = comparison.of.iter();
    let own = own.map(|number| &report.configurations[*number]);
    let most = own.filter_map(|row| group.time(row));
    let most = most.fold(0.0, f64::max);
    let looked = style::cell(look, Role::Plain);
    let formula = match comparison.how {
        How::Shortest => format!("MIN({times})"),
        How::Placed(_) => comparison.how.found(&times, ("", &times)),
    };
    page.presentation(at, column, &formula, &least.to_string(), &looked)?;
    let this = row_col_to_cell(at, column);
    // Nothing takes no time, or everything does.
    let ratio = if least > 0.0 { most / least } else { 1.0 };
    let formula = format!("IF({this}=0,1,MAX({times})/{this})");
    let looked = style::cell(Look::Ratio, Role::Plain);
    page.presentation(at, behind - 1, &formula, &ratio.to_string(), &looked)?;
    for (column, shown) in (behind..).zip(found) {
        let cells = configurations.range(rows, configurations.column(*shown));
        let formula = comparison.how.found(&cells, (&this, &times));
        let looked = style::cell(shown.look(), Role::Plain);
        let value = match shown {
            Shown::Text(of) => {
                if let Some(text) = row.text(*of) {
                    page.presented_text(at, column, &formula, text, &looked)?;
                }
                continue;
            }
            Shown::Doubts => {
                let of_group = group.doubt();
                let of_group = of_group.map_or_else(String::new, |doubt| format!("* {doubt} "));
                // An empty cell would be 0.
                let formula = format!("\"{of_group}\"&{formula}");
                // Nor would an empty text be kept as one.
                let text = match format!("{of_group}{}", doubts(row)) {
                    text if text.is_empty() => " ".to_string(),
                    text => text,
                };
                page.presented_text(at, column, &formula, &text, &looked)?;
                continue;
            }
            Shown::LatencyFrom => {
                if let Some(latency) = group.latency {
                    page.presented_text(at, column, &formula, from(latency), &looked)?;
                }
                continue;
            }
            Shown::Setting(position) => row.setting(*position),
            Shown::Input(of) => row.number(*of),
            _ => None,
        };
        if let Some(value) = value {
            page.presentation(at, column, &formula, &value.to_string(), &looked)?;
        }
    }
    Ok(())
}
