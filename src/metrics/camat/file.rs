//! Timelines as comma-separated values: `id,start,h1,m1[,h2,m2…]`, in cycles. A column `hart` may stand behind
//! `id`. Fields of levels that an access does not reach are empty. Lines may be in any order.

use std::io::Read;

use csv::{ReaderBuilder, StringRecord, Trim};
use smallvec::SmallVec;

use super::NamedAccess;
use super::meter::{CamatMeter, MeterSettings};
use crate::timeline::{Stay, TimedAccess, TimelineSink, WaitsFor};

/// Cycles up to which sums are exact in a spreadsheet too.
const MOST_CYCLES: u64 = 1 << 53;

/// A timeline from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeline {
    /// Levels that the header has columns for.
    pub levels: usize,
    /// By start; those that start together in the order of the file.
    pub accesses: Vec<NamedAccess>,
}

/// Why a timeline cannot be read. Lines and columns count from one.
#[derive(Debug, thiserror::Error)]
pub enum TimelineError {
    #[error("line 1: the file is empty; it begins with the header id,start,h1,m1")]
    Empty,
    #[error("line {line}: no access follows the header")]
    NoAccess { line: u64 },
    #[error(
        "line {line}, column {column}: `{found}` in the header, not `{expected}`: it is id,start,h1,m1,h2,m2…, and a \
         column hart may follow id"
    )]
    Header {
        line: u64,
        column: usize,
        found: String,
        expected: String,
    },
    #[error("line {line}: {found} fields, not {expected} as in the header")]
    Fields {
        line: u64,
        found: usize,
        expected: usize,
    },
    #[error(
        "line {line}, column {column} ({name}): `{text}` is not a whole number of cycles, 0 or more"
    )]
    Number {
        line: u64,
        column: usize,
        name: String,
        text: String,
    },
    #[error("line {line}, column {column} ({name}): a look-up takes at least one cycle")]
    NoLookUp {
        line: u64,
        column: usize,
        name: String,
    },
    #[error(
        "line {line}, column {column} (hart): `{text}` is not the number of a hart, 0 to 65535"
    )]
    Hart {
        line: u64,
        column: usize,
        text: String,
    },
    #[error("line {line}, column {column} ({name}): the field is empty")]
    Missing {
        line: u64,
        column: usize,
        name: String,
    },
    #[error("line {line}: level {level} is reached, but level {} is not", level - 1)]
    Gap { line: u64, level: usize },
    #[error(
        "line {line}: h{level} + m{level} is {stay}, but m{} is {miss}: the stay at a level is the wait at the level \
         before",
        level - 1
    )]
    Stay {
        line: u64,
        level: usize,
        stay: u64,
        miss: u64,
    },
    #[error("line {line}: cycles beyond 2^53, which cannot be counted exactly")]
    TooLarge { line: u64 },
    #[error("line {line}: {reason}")]
    Unreadable { line: u64, reason: String },
}

impl Timeline {
    /// Reads a timeline; all of it is held in memory, to bring it into order.
    ///
    /// # Errors
    /// The header or a line is not as it should be, or the input cannot be read.
    pub fn read(input: impl Read) -> Result<Timeline, TimelineError> {
        let mut text = Vec::new();
        let mut input = input;
        input
            .read_to_end(&mut text)
            .map_err(|error| TimelineError::Unreadable {
                line: 1,
                reason: error.to_string(),
            })?;
        let mut reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .trim(Trim::All)
            .from_reader(&text[..]);
        let mut record = StringRecord::new();
        let mut next = |record: &mut StringRecord| match reader.read_record(record) {
            Ok(is_there) => Ok(is_there.then(|| {
                record
                    .position()
                    .map_or(1, |position| line(&text, position))
            })),
            Err(error) => {
                let line = error.position().map_or(1, |position| line(&text, position));
                Err(TimelineError::Unreadable {
                    line,
                    reason: reason(&error),
                })
            }
        };
        let Some(header_line) = next(&mut record)? else {
            return Err(TimelineError::Empty);
        };
        let columns = Columns::new(&record, header_line)?;
        let mut accesses = Vec::new();
        let mut total = 0;
        while let Some(line) = next(&mut record)? {
            let named = columns.access(&record, line)?;
            // With the sum of all stays in range, so is every figure that is counted.
            for stay in &named.access.stays {
                total += stay.hit + stay.miss;
            }
            if total > MOST_CYCLES {
                return Err(TimelineError::TooLarge { line });
            }
            accesses.push(named);
        }
        if accesses.is_empty() {
            return Err(TimelineError::NoAccess {
                line: header_line + 1,
            });
        }
        accesses.sort_by_key(|named| named.access.start);
        Ok(Timeline {
            levels: columns.levels,
            accesses,
        })
    }

    /// Counts it; `first_shared` is the first level that harts share, counted from zero.
    pub fn counted(&self, first_shared: Option<usize>) -> CamatMeter {
        let mut meter = CamatMeter::new(MeterSettings {
            levels: self.levels,
            first_shared,
        });
        for named in &self.accesses {
            meter.settled(named.access.start);
            meter.access(&named.access);
        }
        meter
    }
}

/// The line of a record: its position is before the empty lines that are skipped.
fn line(text: &[u8], position: &csv::Position) -> u64 {
    let from = text.get(position.byte() as usize..).unwrap_or_default();
    let skipped = from.iter().take_while(|byte| matches!(byte, b'\r' | b'\n'));
    position.line() + skipped.filter(|byte| **byte == b'\n').count() as u64
}

fn reason(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::Utf8 { .. } => "no UTF-8 text".into(),
        csv::ErrorKind::Io(error) => error.to_string(),
        _ => error.to_string(),
    }
}

/// Which column holds what.
struct Columns {
    names: Vec<String>,
    hart: Option<usize>,
    start: usize,
    levels: usize,
}

impl Columns {
    fn new(header: &StringRecord, line: u64) -> Result<Columns, TimelineError> {
        // Some programs put a byte-order mark before the first name.
        let names: Vec<String> = header
            .iter()
            .map(|name| name.trim_start_matches('\u{feff}').to_string())
            .collect();
        let hart = (names.get(1).map(String::as_str) == Some("hart")).then_some(1);
        let mut expected = vec!["id".to_string()];
        expected.extend(hart.map(|_| "hart".to_string()));
        let start = expected.len();
        expected.push("start".into());
        let pairs = names.len().saturating_sub(start + 1).div_ceil(2).max(1);
        expected.extend((1..=pairs).flat_map(|level| [format!("h{level}"), format!("m{level}")]));
        for (index, expected) in expected.into_iter().enumerate() {
            let found = names.get(index).cloned().unwrap_or_default();
            if found != expected {
                return Err(TimelineError::Header {
                    line,
                    column: index + 1,
                    found,
                    expected,
                });
            }
        }
        Ok(Columns {
            names,
            hart,
            start,
            levels: pairs,
        })
    }

    fn access(&self, record: &StringRecord, line: u64) -> Result<NamedAccess, TimelineError> {
        if record.len() != self.names.len() {
            return Err(TimelineError::Fields {
                line,
                found: record.len(),
                expected: self.names.len(),
            });
        }
        let hart = self.hart.map_or(Ok(0), |index| {
            record[index].parse().map_err(|_| {
                let text = record[index].to_string();
                TimelineError::Hart {
                    line,
                    column: index + 1,
                    text,
                }
            })
        })?;
        let start = self.required(record, line, self.start)?;
        let nearest = self.looks_up(self.stay(record, line, 1)?, line, self.column(1))?;
        if start + nearest.hit + nearest.miss > MOST_CYCLES {
            return Err(TimelineError::TooLarge { line });
        }
        let (mut stays, mut before): (SmallVec<[Stay; 4]>, Stay) =
            (SmallVec::from_slice(&[nearest]), nearest);
        for level in 2..=self.levels {
            let column = self.column(level);
            if record[column].is_empty() && record[column + 1].is_empty() {
                continue;
            }
            let stay = self.stay(record, line, level)?;
            let (cycles, miss) = (stay.hit + stay.miss, before.miss);
            match stays.len() + 1 == level {
                // No cycle at a level is not being there.
                _ if cycles == 0 && miss == 0 => continue,
                false => return Err(TimelineError::Gap { line, level }),
                true if cycles != miss => {
                    return Err(TimelineError::Stay {
                        line,
                        level,
                        stay: cycles,
                        miss,
                    });
                }
                true => stays.push(self.looks_up(stay, line, column)?),
            }
            before = stay;
        }
        let access = TimedAccess {
            hart,
            start,
            stays,
            waits_for: WaitsFor::Untold,
        };
        Ok(NamedAccess {
            id: record[0].to_string(),
            access,
        })
    }

    /// The column of a level's hit cycles, counted from zero.
    fn column(&self, level: usize) -> usize {
        self.start + 2 * level - 1
    }

    fn stay(&self, record: &StringRecord, line: u64, level: usize) -> Result<Stay, TimelineError> {
        let column = self.column(level);
        Ok(Stay {
            hit: self.required(record, line, column)?,
            miss: self.required(record, line, column + 1)?,
        })
    }

    /// The stay, if there is a look-up in it.
    fn looks_up(&self, stay: Stay, line: u64, column: usize) -> Result<Stay, TimelineError> {
        if stay.hit == 0 {
            return Err(TimelineError::NoLookUp {
                line,
                column: column + 1,
                name: self.names[column].clone(),
            });
        }
        Ok(stay)
    }

    /// A number of cycles.
    fn required(
        &self,
        record: &StringRecord,
        line: u64,
        index: usize,
    ) -> Result<u64, TimelineError> {
        let (text, name) = (&record[index], self.names[index].clone());
        if text.is_empty() {
            return Err(TimelineError::Missing {
                line,
                column: index + 1,
                name,
            });
        }
        // A sign would pass as part of a number.
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        if !digits {
            return Err(TimelineError::Number {
                line,
                column: index + 1,
                name,
                text: text.to_string(),
            });
        }
        text.parse()
            .ok()
            .filter(|cycles| *cycles <= MOST_CYCLES)
            .ok_or(TimelineError::TooLarge { line })
    }
}
