//! Samples of Linux' perf: what `perf script` prints, sample by sample, and the table of `perf report --field-separator`.
//!
//! A sample of an event that counts time stands for so many nanoseconds at one line or in one function:
//!
//! ```text
//! solver  4711 [001] 4816.986628:     250000 cpu-clock:      401156 smooth+0x26 (/home/me/solver)
//!   smooth.c:12
//! ```
//!
//! The line below is there if `srcline` is among the fields. The time at a place is that of the thread that spent most
//! there.

use std::collections::BTreeMap;

use super::{Region, Timing, TimingsError, region_named};
use crate::model::measured::Amounts;

const NANO: f64 = 1e-9;

/// What of perf a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Script,
    Report,
    /// Counts of the whole program.
    Stat,
}

pub fn kind(text: &str) -> Option<Kind> {
    let is_said = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
    let first = text.lines().find(is_said)?;
    match () {
        () if first.starts_with('{') && first.contains("\"counter-value\"") => Some(Kind::Stat),
        () if text.lines().any(|line| line.starts_with("# Samples:")) => Some(Kind::Report),
        () if Sample::of(first).is_some() => Some(Kind::Script),
        () => None,
    }
}

/// Whether the samples of an event stand for nanoseconds.
fn is_clock(event: &str) -> bool {
    let name = event.split([':', '/']).next().unwrap_or_default();
    matches!(name, "cpu-clock" | "task-clock")
}

/// The head of a sample.
struct Sample<'a> {
    thread: &'a str,
    period: u64,
    event: &'a str,
    /// Behind the event; empty where a chain of callers follows.
    frame: &'a str,
}

impl<'a> Sample<'a> {
    fn of(line: &'a str) -> Option<Sample<'a>> {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let is_event = |word: &str| {
            word.ends_with(':') && word.starts_with(|first: char| first.is_ascii_alphabetic())
        };
        let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
        let at = words
            .windows(2)
            .position(|pair| is_number(pair[0]) && is_event(pair[1]))?;
        let event = words[at + 1];
        // Before the time of the sample, perhaps with the core between.
        let time = words[..at].iter().rposition(|word| {
            word.ends_with(':') && word.contains('.') && word.as_bytes()[0].is_ascii_digit()
        });
        let before = time.map_or(&words[..0], |time| &words[..time]);
        let thread = before.iter().rfind(|word| !word.starts_with('['));
        let after = line.find(event)? + event.len();
        Some(Sample {
            thread: thread.copied().unwrap_or_default(),
            period: words[at].parse().ok()?,
            event: event.trim_end_matches(':'),
            frame: line[after..].trim(),
        })
    }
}

/// The function of a frame, `401156 smooth+0x26 (/home/me/solver)`.
fn function(frame: &str) -> &str {
    let name = frame
        .split_once(char::is_whitespace)
        .map_or("", |(_, rest)| rest.trim());
    let name = name.rsplit_once(" (").map_or(name, |(name, _)| name);
    name.rsplit_once("+0x").map_or(name, |(name, _)| name)
}

/// A file with a line, or a function.
type Place = (String, Option<u32>);
/// Nanoseconds by thread.
type ByThread = BTreeMap<String, u64>;

/// Times by place, of each thread, with the line where it was seen first.
#[derive(Default)]
struct Times {
    by_place: BTreeMap<Place, (u64, ByThread)>,
}

impl Times {
    fn add(&mut self, region: &Region, thread: &str, period: u64, line: u64) {
        let key = match region {
            Region::Line { file, line, .. } => (file.clone(), Some(*line)),
            Region::Function { name, .. } => (name.clone(), None),
        };
        let (_, threads) = self.by_place.entry(key).or_insert((line, BTreeMap::new()));
        *threads.entry(thread.to_string()).or_default() += period;
    }

    fn timings(self) -> Vec<Timing> {
        let timing = |((name, line), (row, threads)): (Place, (u64, ByThread))| Timing {
            region: match line {
                Some(line) => Region::Line {
                    file: name,
                    line,
                    function: None,
                },
                None => Region::Function { name, file: None },
            },
            amounts: Amounts {
                seconds: threads.values().copied().max().unwrap_or(0) as f64 * NANO,
                bytes: None,
                flops: None,
            },
            row,
        };
        self.by_place.into_iter().map(timing).collect()
    }
}

/// All samples of `perf script`.
///
/// # Errors
/// They are of an event that counts something else than time.
pub fn script(text: &str) -> Result<Vec<Timing>, TimingsError> {
    let mut times = Times::default();
    let mut lines = (1..).zip(text.lines()).peekable();
    while let Some((number, line)) = lines.next() {
        let Some(sample) = Sample::of(line) else {
            continue;
        };
        if !is_clock(sample.event) {
            return Err(TimingsError::NotTime {
                line: number,
                event: sample.event.to_string(),
            });
        }
        let next = |lines: &mut std::iter::Peekable<_>| -> Option<&str> {
            let is_inside =
                |(_, line): &(u64, &str)| !line.trim().is_empty() && Sample::of(line).is_none();
            lines.next_if(is_inside).map(|(_, line): (u64, &str)| line)
        };
        let frame = match sample.frame {
            "" => next(&mut lines).map_or("", str::trim),
            frame => frame,
        };
        let place = next(&mut lines).and_then(|line| region_named(line.trim()));
        let region = place.unwrap_or_else(|| Region::Function {
            name: function(frame).to_string(),
            file: None,
        });
        times.add(&region, sample.thread, sample.period, number);
    }
    Ok(times.timings())
}

/// The table of `perf report --stdio -t, -F period,sym` (or `srcline`).
///
/// # Errors
/// Its event counts something else than time, a column is missing, or a row has no number.
pub fn report(text: &str) -> Result<Vec<Timing>, TimingsError> {
    let mut columns: Option<(usize, usize)> = None;
    let mut times = Times::default();
    for (number, line) in (1..).zip(text.lines()) {
        if let Some(comment) = line.strip_prefix('#') {
            let event = comment.trim().strip_prefix("Samples:");
            let event = event
                .and_then(|rest| rest.split_once("of event"))
                .map(|one| one.1.trim());
            if let Some(event) = event
                .map(|event| event.trim_matches('\''))
                .filter(|event| !is_clock(event))
            {
                let event = event.to_string();
                return Err(TimingsError::NotTime {
                    line: number,
                    event,
                });
            }
            let names: Vec<&str> = comment.split(',').map(str::trim).collect();
            let find = |wanted: &[&str]| names.iter().position(|name| wanted.contains(name));
            let place = find(&["Source:Line", "srcline"]).or_else(|| find(&["Symbol"]));
            columns = find(&["Period"]).zip(place).or(columns);
            continue;
        }
        if line.trim().is_empty() {
            continue;
        }
        let (period, place) = columns.ok_or(TimingsError::NoPeriod { line: number })?;
        // What a symbol's name has of commas is its own.
        let fields: Vec<&str> = line
            .splitn(period.max(place) + 1, ',')
            .map(str::trim)
            .collect();
        let (Some(period), Some(place)) = (fields.get(period), fields.get(place)) else {
            let (found, expected) = (fields.len(), period.max(place) + 1);
            return Err(TimingsError::Fields {
                line: number,
                found,
                expected,
            });
        };
        let nanoseconds = period.parse().map_err(|_| TimingsError::OfTool {
            line: number,
            what: "Period".to_string(),
            text: (*period).to_string(),
        })?;
        // A symbol has `[.]` or `[k]` in front.
        let name = match place.split_once("] ") {
            Some((mark, name)) if mark.starts_with('[') => name,
            _ => place,
        };
        let region = region_named(place).unwrap_or_else(|| Region::Function {
            name: name.trim().to_string(),
            file: None,
        });
        times.add(&region, "", nanoseconds, number);
    }
    match columns {
        None => Err(TimingsError::NoPeriod { line: 1 }),
        Some(_) => Ok(times.timings()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::read;

    fn places(text: &str) -> Vec<(String, Option<u32>, f64)> {
        let rows = read(text).expect("samples").into_iter();
        rows.map(|row| match row.region {
            super::Region::Line { file, line, .. } => (file, Some(line), row.amounts.seconds),
            super::Region::Function { name, .. } => (name, None, row.amounts.seconds),
        })
        .collect()
    }

    #[test]
    fn samples_add_up_by_line_or_function() {
        // As perf 6.1 prints them: with lines, with time and thread, with a chain of callers.
        let lines = "pf 250000 cpu-clock:      401156 smooth+0x26\n  my smooth.c:12\n\
                     pf 250000 cpu-clock:      401158 smooth+0x28\n  smooth.c:12\n\
                     pf 250000 cpu-clock:      40115a smooth+0x2a\n  smooth.c:12 (discriminator 2)\n";
        assert_eq!(
            places(lines),
            [
                ("my smooth.c".to_string(), Some(12), 0.00025),
                ("smooth.c".to_string(), Some(12), 0.0005)
            ]
        );
        let functions = "a b 12/14 [001] 4816.986381:     250000 task-clock:u:      401156 f(int, char)+0x1 (/tmp/a b)\n\
                         a b 12/15 [001] 4816.986390:     500000 task-clock:u:      401156 f(int, char)+0x1 (/tmp/a b)\n\
                         a b 12/15 [001] 4816.986391:     500000 task-clock:u: \n\t  401156 g+0x1 (/tmp/a b)\n\t  401200 main+0x2 (/tmp/a b)\n\n";
        // The longest of the threads.
        assert_eq!(
            places(functions),
            [
                ("f(int, char)".to_string(), None, 0.0005),
                ("g".to_string(), None, 0.0005)
            ]
        );
    }

    #[test]
    fn reports_have_columns() {
        let head = "# Total Lost Samples: 0\n#\n# Samples: 1K of event 'cpu-clock'\n";
        let text = format!(
            "{head}# Overhead,Period,Symbol  \n 47.65% , 164500000  ,[.] triad\n 1.38%  , 4750000    ,[k] f(int, int)\n"
        );
        let expected = [
            ("f(int, int)".to_string(), None, 0.00475),
            ("triad".to_string(), None, 0.1645),
        ];
        assert_eq!(places(&text), expected);
        let text = format!("{head}#       Period,Source:Line\n 250000     ,pf.c:5\n");
        assert_eq!(places(&text), [("pf.c".to_string(), Some(5), 0.00025)]);
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for (text, complaint) in [
            (
                "pf 250000 cycles:      401156 smooth+0x26\n",
                "line 1: samples of the event `cycles` do not measure time",
            ),
            (
                "# Samples: 1K of event 'cycles:u'\n# Period,Symbol\n1,[.] f\n",
                "line 1: samples of the event `cycles:u`",
            ),
            (
                "# Samples: 1K of event 'cpu-clock'\n# Overhead,Symbol\n47%,[.] f\n",
                "line 3: the report has no column",
            ),
            (
                "# Samples: 1K of event 'cpu-clock'\n# Period,Symbol\nmany,[.] f\n",
                "line 3, Period: `many` is not a number",
            ),
            (
                "{\"counter-value\" : \"345.360868\", \"unit\" : \"msec\", \"event\" : \"task-clock\"}\n",
                "`perf stat` counts the whole program",
            ),
        ] {
            let error = read(text).expect_err(text).to_string();
            assert!(error.starts_with(complaint), "{text:?}: {error}");
        }
    }
}
