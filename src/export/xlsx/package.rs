//! The package of a workbook: the one place where a workbook becomes bytes, with every part in the order that its schema
//! asks for. Excel repairs a workbook with a part out of order when it opens it, and drops the drawing.

use std::io::{self, Cursor, Read, Write};
use std::ops::Range;

use quick_xml::Reader;
use quick_xml::events::Event;
use rust_xlsxwriter::{Workbook, XlsxError};
use zip::result::ZipError;
use zip::{ZipArchive, ZipWriter};

use crate::attempt::attempt;

/// What a series of a scatter chart holds, in the order of the schema (ECMA-376, `CT_ScatterSer`). rust_xlsxwriter 0.102
/// writes `marker` before `spPr`.
const SCATTER_SERIES: [&str; 13] = [
    "idx",
    "order",
    "tx",
    "spPr",
    "marker",
    "dPt",
    "dLbls",
    "trendline",
    "errBars",
    "xVal",
    "yVal",
    "smooth",
    "extLst",
];

/// Where the largest sheet is while a workbook is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    /// In a temporary file.
    File,
    Memory,
}

/// How rust_xlsxwriter's message begins where it cannot write to a temporary file, which it stops with in place of an error.
const NOT_WRITTEN: &str = "Couldn't write to xml file";

/// What is made with temporary files, or in memory where these cannot be written: the disk is full, or files may not grow.
///
/// # Errors
/// As for what makes it.
pub(super) fn in_files_or_memory<T>(
    make: impl Fn(Kept) -> Result<T, XlsxError>,
) -> Result<T, XlsxError> {
    match attempt(|| make(Kept::File)) {
        Ok(Err(XlsxError::IoError(_))) => make(Kept::Memory),
        Ok(made) => made,
        Err(defect) if defect.to_string().starts_with(NOT_WRITTEN) => make(Kept::Memory),
        Err(defect) => std::panic::resume_unwind(Box::new(defect.to_string())),
    }
}

/// The bytes of the finished workbook.
///
/// # Errors
/// More rows or columns than a sheet has, or no place for a temporary file.
pub(super) fn finish(mut workbook: Workbook) -> Result<Vec<u8>, XlsxError> {
    #[expect(clippy::disallowed_methods, reason = "only here")]
    let written = workbook.save_to_buffer()?;
    let mut package = ZipArchive::new(Cursor::new(&written))?;
    let names = package
        .file_names()
        .map(|name| name.map(std::borrow::Cow::into_owned))
        .collect::<Result<Vec<String>, ZipError>>()?;
    if !names.iter().any(|name| is_chart(name)) {
        return Ok(written);
    }
    let mut ordered = ZipWriter::new(Cursor::new(Vec::with_capacity(written.len())));
    for (index, name) in names.iter().enumerate() {
        let part = package.by_index_raw(index)?;
        if !is_chart(name) {
            ordered.raw_copy_file(part)?;
            continue;
        }
        ordered.start_file(name, part.options())?;
        drop(part);
        let mut chart = String::new();
        package.by_index(index)?.read_to_string(&mut chart)?;
        ordered.write_all(in_order(&chart).map_err(io::Error::other)?.as_bytes())?;
    }
    Ok(ordered.finish()?.into_inner())
}

fn is_chart(part: &str) -> bool {
    part.strip_prefix("xl/charts/chart")
        .is_some_and(|rest| rest.ends_with(".xml"))
}

/// A child of a series: its position in the schema's order, and where it stands.
struct Child {
    rank: usize,
    span: Range<usize>,
}

/// The chart with the children of each series of its scatter charts in the schema's order; those of the same name stay in
/// the order that they have.
fn in_order(chart: &str) -> Result<String, quick_xml::Error> {
    let mut reader = Reader::from_str(chart);
    let mut ordered = String::with_capacity(chart.len());
    let mut copied = 0;
    // The elements that are open, by their names and where they begin.
    let mut open: Vec<(String, usize)> = Vec::new();
    let mut children = Vec::new();
    loop {
        let start = reader.buffer_position() as usize;
        let event = reader.read_event()?;
        let end = reader.buffer_position() as usize;
        let (name, start) = match event {
            Event::Start(element) => {
                open.push((element.local_name().as_ref().to_string(), start));
                continue;
            }
            Event::Empty(element) => (element.local_name().as_ref().to_string(), start),
            Event::End(_) => open.pop().expect("the reader checks that tags match"),
            Event::Eof => break,
            _ => continue,
        };
        if is_scatter_series(&open) {
            let rank = SCATTER_SERIES.iter().position(|known| *known == name);
            children.push(Child {
                rank: rank.unwrap_or(SCATTER_SERIES.len()),
                span: start..end,
            });
        } else if name == "ser" && !children.is_empty() {
            copied = copy_ordered(chart, copied, &children, &mut ordered);
            children.clear();
        }
    }
    ordered.push_str(&chart[copied..]);
    Ok(ordered)
}

fn is_scatter_series(open: &[(String, usize)]) -> bool {
    matches!(open, [.., (chart, _), (series, _)] if chart == "scatterChart" && series == "ser")
}

/// Copies the chart from `copied` to the end of the last child, and returns where that is. What stands between two
/// children stays between their places.
fn copy_ordered(chart: &str, mut copied: usize, children: &[Child], ordered: &mut String) -> usize {
    let mut sorted: Vec<&Child> = children.iter().collect();
    sorted.sort_by_key(|child| child.rank);
    for (place, child) in children.iter().zip(sorted) {
        ordered.push_str(&chart[copied..place.span.start]);
        ordered.push_str(&chart[child.span.clone()]);
        copied = place.span.end;
    }
    copied
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scatter(series: &str) -> String {
        format!(
            "<?xml version=\"1.0\"?>\n<c:chartSpace><c:plotArea><c:scatterChart><c:scatterStyle val=\"x\"/>\
             {series}<c:axId val=\"1\"/></c:scatterChart></c:plotArea></c:chartSpace>"
        )
    }

    #[test]
    fn a_series_gets_the_order_of_the_schema() {
        let before = "<c:ser><c:idx val=\"0\"/><c:order val=\"0\"/><c:marker><c:spPr><a:ln/></c:spPr></c:marker>\
                      <c:spPr><a:ln w=\"9\"/></c:spPr><c:smooth val=\"0\"/><c:yVal>é</c:yVal><c:xVal/></c:ser>";
        let after = "<c:ser><c:idx val=\"0\"/><c:order val=\"0\"/><c:spPr><a:ln w=\"9\"/></c:spPr>\
                     <c:marker><c:spPr><a:ln/></c:spPr></c:marker><c:xVal/><c:yVal>é</c:yVal><c:smooth val=\"0\"/></c:ser>";
        let pair = |series: &str| scatter(&series.repeat(2));
        assert_eq!(in_order(&pair(before)).unwrap(), pair(after));
    }

    #[test]
    fn repeated_and_unknown_children_keep_their_order_and_space_stays() {
        let before = "<c:ser> <c:new/>\n<c:trendline a=\"1\"/>\t<c:dPt b=\"1\"/><c:trendline a=\"2\"/><c:dPt b=\"2\"/></c:ser>";
        let after = "<c:ser> <c:dPt b=\"1\"/>\n<c:dPt b=\"2\"/>\t<c:trendline a=\"1\"/><c:trendline a=\"2\"/><c:new/></c:ser>";
        assert_eq!(in_order(&scatter(before)).unwrap(), scatter(after));
    }

    #[test]
    fn what_is_in_order_or_no_scatter_chart_stays_as_it_is() {
        for same in [
            scatter(""),
            scatter("<c:ser/>"),
            scatter("<c:ser><c:idx val='0'/><!-- <c:tx/> --><c:spPr/><c:marker/><c:xVal/></c:ser>"),
            scatter("<c:dLbls><c:ser><c:marker/><c:spPr/></c:ser></c:dLbls>"),
            "<c:barChart><c:ser><c:marker/><c:spPr/><c:invertIfNegative/></c:ser></c:barChart>"
                .into(),
        ] {
            assert_eq!(in_order(&same).unwrap(), same);
        }
    }

    #[test]
    fn a_part_that_does_not_nest_is_an_error() {
        assert!(in_order("<c:scatterChart><c:ser></c:scatterChart>").is_err());
    }

    #[test]
    fn the_other_parts_of_a_package_keep_their_bytes() {
        use rust_xlsxwriter::{Chart, ChartMarker, ChartMarkerType, ChartType};
        let book = || {
            let mut workbook = Workbook::new();
            workbook.set_properties(&super::super::properties("test").unwrap());
            let sheet = workbook.add_worksheet();
            sheet.write_column(0, 0, [1.0, 2.0]).unwrap();
            let mut chart = Chart::new(ChartType::Scatter);
            (chart.add_series())
                .set_values("Sheet1!$A$1:$A$2")
                .set_categories("Sheet1!$A$1:$A$2")
                .set_marker(ChartMarker::new().set_type(ChartMarkerType::Circle));
            sheet.insert_chart(0, 2, &chart).unwrap();
            workbook
        };
        #[expect(clippy::disallowed_methods, reason = "compared with what is finished")]
        let before = book().save_to_buffer().unwrap();
        let after = finish(book()).unwrap();
        assert_eq!(after, finish(book()).unwrap());
        let [mut before, mut after] =
            [&before, &after].map(|b| ZipArchive::new(Cursor::new(b)).unwrap());
        assert_eq!(before.len(), after.len());
        for index in 0..before.len() {
            let content = |package: &mut ZipArchive<Cursor<&Vec<u8>>>| {
                let mut part = package.by_index(index).unwrap();
                let mut content = String::new();
                part.read_to_string(&mut content).unwrap();
                (part.name().unwrap().into_owned(), content)
            };
            let (old, was) = content(&mut before);
            let (name, is) = content(&mut after);
            assert_eq!(old, name);
            if is_chart(&name) {
                let at = |part: &str| is.find(part).unwrap();
                assert!(at("<c:spPr>") < at("<c:marker>"), "{is}");
                assert!(at("<c:marker>") < at("<c:xVal>"), "{is}");
            } else {
                assert_eq!(was, is, "{name}");
            }
        }
    }
}
