//! Measured times as comma-separated values with a header: `file,line` or `function`, then `seconds`, and `bytes` and
//! `flops` where they were measured. Columns are found by their names, in any order; others are passed over. What LIKWID
//! (`likwid`) and perf (`perf`) write is recognised and read as such a table.

mod likwid;
mod perf;

use csv::{ReaderBuilder, StringRecord, Trim};

use crate::model::measured::Amounts;

/// Where a time was measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Region {
    Line {
        file: String,
        line: u32,
        /// The function around it, if that was given.
        function: Option<String>,
    },
    Function {
        name: String,
        file: Option<String>,
    },
}

/// One row.
#[derive(Clone, Debug, PartialEq)]
pub struct Timing {
    pub region: Region,
    pub amounts: Amounts,
    /// The line of the table, counted from one.
    pub row: u64,
}

/// Why measured times cannot be read.
#[derive(Debug, thiserror::Error, PartialEq)]
pub enum TimingsError {
    #[error("line 1: the file is empty; it begins with a header such as file,line,seconds")]
    Empty,
    #[error("line {line}: no measurement follows the header")]
    NoRows { line: u64 },
    #[error(
        "line {line}: the header has no column `seconds`; columns are file and line, or function, then seconds, and \
         bytes and flops if you like"
    )]
    NoSeconds { line: u64 },
    #[error("line {line}: the header has neither `function` nor `file` and `line`")]
    NoRegion { line: u64 },
    #[error("line {line}: the header has the column `{name}` twice")]
    Twice { line: u64, name: &'static str },
    #[error("line {line}: {found} fields, not {expected} as in the header")]
    Fields {
        line: u64,
        found: usize,
        expected: usize,
    },
    #[error("line {line}, column {name}: `{text}` is not a number of {name}, 0 or more")]
    Number {
        line: u64,
        name: &'static str,
        text: String,
    },
    #[error("line {line}, column line: `{text}` is not the number of a line, 1 or more")]
    Line { line: u64, text: String },
    #[error("line {line}: it names neither a function nor a file and line")]
    Nowhere { line: u64 },
    #[error("line {line}: a quote is not closed on this line")]
    Quote { line: u64 },
    #[error("it is not a table of comma-separated values: {0}")]
    Table(String),
    #[error(
        "it is LIKWID's output without marker regions: put LIKWID_MARKER_START and LIKWID_MARKER_STOP around the nests, \
         name each region after its function or `file:line`, and run `likwid-perfctr -m -O`"
    )]
    NoMarkers,
    #[error("line {line}: region {region} has no row `RDTSC Runtime [s]`")]
    NoRuntime { line: u64, region: String },
    #[error("line {line}, {what}: `{text}` is not a number, 0 or more")]
    OfTool {
        line: u64,
        what: String,
        text: String,
    },
    #[error(
        "line {line}: samples of the event `{event}` do not measure time: record with `perf record -e cpu-clock`"
    )]
    NotTime { line: u64, event: String },
    #[error(
        "line {line}: the report has no column `Period` with `Symbol` or `Source:Line`: write it with \
         `perf report --stdio -t, -F period,sym`, or `--sort srcline -F period,srcline`"
    )]
    NoPeriod { line: u64 },
    #[error(
        "`perf stat` counts the whole program, and not lines or functions: record with `perf record -e cpu-clock`, and \
         give what `perf script -F +srcline` prints"
    )]
    WholeProgram,
}

/// The columns that are read.
const NAMES: [&str; 6] = ["file", "line", "function", "seconds", "bytes", "flops"];
const FILE: usize = 0;
const LINE: usize = 1;
const FUNCTION: usize = 2;
const SECONDS: usize = 3;
const BYTES: usize = 4;
const FLOPS: usize = 5;

/// Positions of the columns that are there.
struct Header {
    columns: [Option<usize>; NAMES.len()],
    fields: usize,
}

/// All rows of a table.
///
/// # Errors
/// A column is missing, or a row has no place or no number where one has to be: with its line.
pub fn read(text: &str) -> Result<Vec<Timing>, TimingsError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match perf::kind(text) {
        Some(perf::Kind::Script) => return perf::script(text),
        Some(perf::Kind::Report) => return perf::report(text),
        Some(perf::Kind::Stat) => return Err(TimingsError::WholeProgram),
        None if likwid::is_output(text) => return likwid::read(text),
        None => {}
    }
    let mut header = None;
    let mut rows = Vec::new();
    let mut last = 1;
    // Line by line, so that each error has its place, and a quote that does not end takes no rows with it.
    for (line, text) in (1..).zip(text.lines()) {
        if text.trim().is_empty() || text.starts_with('#') {
            continue;
        }
        last = line;
        let record = record(text, line)?;
        match &header {
            None => header = Some(Header::of(&record, line)?),
            Some(_) if record.iter().all(str::is_empty) => {}
            Some(header) => rows.push(header.timing(&record, line)?),
        }
    }
    match (header, &rows[..]) {
        (None, _) => Err(TimingsError::Empty),
        (Some(_), []) => Err(TimingsError::NoRows { line: last }),
        _ => Ok(rows),
    }
}

/// The line that a text such as `solver.f90:120` names; perf adds `(discriminator 2)`.
fn region_named(text: &str) -> Option<Region> {
    let text = text.split(" (discriminator").next()?;
    let (file, line) = text.rsplit_once(':')?;
    let line = line.parse().ok().filter(|line| *line > 0)?;
    (!file.is_empty()).then(|| Region::Line {
        file: file.to_string(),
        line,
        function: None,
    })
}

/// The fields of one line.
fn record(text: &str, line: u64) -> Result<StringRecord, TimingsError> {
    if text.matches('"').count() % 2 == 1 {
        return Err(TimingsError::Quote { line });
    }
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .trim(Trim::All)
        .from_reader(text.as_bytes());
    let mut record = StringRecord::new();
    match reader.read_record(&mut record) {
        Ok(_) => Ok(record),
        Err(error) => Err(TimingsError::Table(error.to_string())),
    }
}

impl Header {
    fn of(record: &StringRecord, line: u64) -> Result<Header, TimingsError> {
        let mut columns = [None; NAMES.len()];
        for (position, text) in record.iter().enumerate() {
            let known = NAMES
                .iter()
                .position(|name| text.eq_ignore_ascii_case(name));
            let Some(known) = known else { continue };
            if columns[known].replace(position).is_some() {
                let name = NAMES[known];
                return Err(TimingsError::Twice { line, name });
            }
        }
        let has_region =
            columns[FUNCTION].is_some() || columns[FILE].is_some() && columns[LINE].is_some();
        match columns[SECONDS] {
            None => Err(TimingsError::NoSeconds { line }),
            Some(_) if !has_region => Err(TimingsError::NoRegion { line }),
            Some(_) => Ok(Header {
                columns,
                fields: record.len(),
            }),
        }
    }

    fn timing(&self, record: &StringRecord, line: u64) -> Result<Timing, TimingsError> {
        if record.len() != self.fields {
            return Err(TimingsError::Fields {
                line,
                found: record.len(),
                expected: self.fields,
            });
        }
        // An empty field says nothing.
        let field = |column: usize| {
            let text = record.get(self.columns[column]?)?;
            Some(text).filter(|text| !text.is_empty())
        };
        let number = |column: usize, text: &str| {
            let value = text.parse::<f64>().ok();
            let value = value.filter(|value| value.is_finite() && *value >= 0.0);
            value.ok_or_else(|| TimingsError::Number {
                line,
                name: NAMES[column],
                text: text.to_string(),
            })
        };
        let optional = |column: usize| field(column).map(|text| number(column, text)).transpose();
        let function = field(FUNCTION).map(str::to_string);
        let file = field(FILE).map(str::to_string);
        let region = match (file, field(LINE), function) {
            (Some(file), Some(text), function) => Region::Line {
                file,
                line: text.parse().ok().filter(|line| *line > 0).ok_or_else(|| {
                    TimingsError::Line {
                        line,
                        text: text.to_string(),
                    }
                })?,
                function,
            },
            (file, _, Some(name)) => Region::Function { name, file },
            _ => return Err(TimingsError::Nowhere { line }),
        };
        Ok(Timing {
            region,
            amounts: Amounts {
                seconds: number(SECONDS, field(SECONDS).unwrap_or_default())?,
                bytes: optional(BYTES)?,
                flops: optional(FLOPS)?,
            },
            row: line,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_name() {
        let rows = read(
            "\u{feff}Seconds, note ,line,file\r\n1.5,\"a, b\",12,\"src/a b.c\"\r\n\r\n# more\r\n2e-3,,7,c.f90\r\n",
        );
        let rows = rows.expect("rows");
        let found: Vec<(&Region, f64, u64)> = rows
            .iter()
            .map(|row| (&row.region, row.amounts.seconds, row.row))
            .collect();
        let at = |file: &str, line| Region::Line {
            file: file.into(),
            line,
            function: None,
        };
        assert_eq!(
            found,
            [(&at("src/a b.c", 12), 1.5, 2), (&at("c.f90", 7), 2e-3, 5)]
        );
        assert_eq!(rows[0].amounts.bytes, None);
    }

    #[test]
    fn functions_need_no_line() {
        let rows =
            read("function,seconds,bytes,flops,file,line\nf,1,2,,,\ng,1,,3,x.c,\nh,1,,,x.c,4\n");
        let regions: Vec<Region> = rows
            .expect("rows")
            .into_iter()
            .map(|row| row.region)
            .collect();
        let function = |name: &str, file: Option<&str>| Region::Function {
            name: name.into(),
            file: file.map(str::to_string),
        };
        let line = Region::Line {
            file: "x.c".into(),
            line: 4,
            function: Some("h".into()),
        };
        assert_eq!(
            regions,
            [function("f", None), function("g", Some("x.c")), line]
        );
    }

    #[test]
    fn what_cannot_be_read_is_refused_with_its_line() {
        for (text, complaint) in [
            ("", "line 1: the file is empty"),
            ("\n\n", "line 1: the file is empty"),
            ("function,seconds\n", "line 1: no measurement"),
            (
                "function,time\nf,1\n",
                "line 1: the header has no column `seconds`",
            ),
            ("line,seconds\n1,1\n", "line 1: the header has neither"),
            (
                "function,seconds,Function\nf,1,g\n",
                "line 1: the header has the column `function` twice",
            ),
            ("function,seconds\nf\n", "line 2: 1 fields, not 2"),
            (
                "function,seconds\nf,1\ng,-1\n",
                "line 3, column seconds: `-1`",
            ),
            ("function,seconds\nf,NaN\n", "line 2, column seconds: `NaN`"),
            ("function,seconds\nf,inf\n", "line 2, column seconds: `inf`"),
            ("function,seconds\nf,\n", "line 2, column seconds: ``"),
            (
                "function,seconds,bytes\nf,1,many\n",
                "line 2, column bytes: `many`",
            ),
            ("file,line,seconds\na.c,0,1\n", "line 2, column line: `0`"),
            (
                "file,line,seconds\na.c,2.5,1\n",
                "line 2, column line: `2.5`",
            ),
            (
                "file,line,seconds\n,2,1\n",
                "line 2: it names neither a function",
            ),
            ("function,seconds\n\"f,1\ng,2\n", "line 2: a quote"),
        ] {
            let error = read(text).expect_err(text).to_string();
            assert!(error.starts_with(complaint), "{text:?}: {error}");
        }
    }
}
