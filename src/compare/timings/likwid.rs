//! LIKWID's marker regions, as `likwid-perfctr -m -O` prints them as comma-separated values.
//!
//! Each region has a table with its name, the run time of every core, and tables of events and metrics. Names of regions
//! are those of functions, or `file:line`. The time of a region is that of the core that took longest, its bytes are those
//! of all cores.

use super::{Region, Timing, TimingsError, region_named};
use crate::model::measured::Amounts;

const RUNTIME: &str = "RDTSC Runtime [s]";
/// Where a version has no table of run times, the metrics of most groups have it.
const RUNTIME_OF_METRICS: &str = "Runtime (RDTSC) [s]";
const VOLUME: &str = "Memory data volume [GBytes]";
const GIGA: f64 = 1e9;

/// Whether a text is such output.
pub fn is_output(text: &str) -> bool {
    let mut lines = text.lines().map(fields);
    lines.any(|fields| match fields[..] {
        ["STRUCT", "Info", ..] => true,
        ["TABLE", second, ..] => second.starts_with("Region ") || second.starts_with("Group "),
        _ => false,
    })
}

/// One table's region.
#[derive(Default)]
struct Found {
    name: String,
    line: u64,
    seconds: Option<f64>,
    seconds_of_metrics: Option<f64>,
    bytes: Option<f64>,
}

/// All regions.
///
/// # Errors
/// There are none, or one has no time.
pub fn read(text: &str) -> Result<Vec<Timing>, TimingsError> {
    let mut regions: Vec<Found> = Vec::new();
    let mut is_name_next = false;
    for (line, text) in (1..).zip(text.lines()) {
        let fields = fields(text);
        let named = match fields[..] {
            ["STRUCT", "Info", ..] => {
                is_name_next = true;
                continue;
            }
            // A number of a group and the name of the region follow.
            [group, name, ..] if is_name_next && group.parse::<u32>().is_ok() => Some(name),
            // Each table of a region begins with its name.
            ["TABLE", second, ..] => second
                .strip_prefix("Region ")
                .filter(|name| regions.last().is_none_or(|last| last.name != *name)),
            _ => None,
        };
        is_name_next = false;
        if let Some(name) = named.filter(|name| !name.is_empty()) {
            regions.push(Found {
                name: name.to_string(),
                line,
                ..Found::default()
            });
            continue;
        }
        let ([first, rest @ ..], Some(region)) = (&fields[..], regions.last_mut()) else {
            continue;
        };
        let cores = || numbers(rest, line, first);
        match *first {
            // Several groups of events have been measured in turns.
            RUNTIME => add(&mut region.seconds, longest(&cores()?)),
            RUNTIME_OF_METRICS => add(&mut region.seconds_of_metrics, longest(&cores()?)),
            VOLUME => add(&mut region.bytes, Some(cores()?.iter().sum::<f64>() * GIGA)),
            _ => {}
        }
    }
    if regions.is_empty() {
        return Err(TimingsError::NoMarkers);
    }
    regions.into_iter().map(timing).collect()
}

fn timing(found: Found) -> Result<Timing, TimingsError> {
    let seconds = found.seconds.or(found.seconds_of_metrics);
    let seconds = seconds.ok_or_else(|| TimingsError::NoRuntime {
        line: found.line,
        region: found.name.clone(),
    })?;
    Ok(Timing {
        region: region_named(&found.name).unwrap_or(Region::Function {
            name: found.name,
            file: None,
        }),
        amounts: Amounts {
            seconds,
            bytes: found.bytes,
            flops: None,
        },
        row: found.line,
    })
}

fn fields(line: &str) -> Vec<&str> {
    line.split(',').map(str::trim).collect()
}

/// Numbers of the cores; tables are filled up with empty fields.
fn numbers(fields: &[&str], line: u64, name: &str) -> Result<Vec<f64>, TimingsError> {
    let all = fields.iter().filter(|field| !field.is_empty());
    all.map(|field| {
        let number = field.parse::<f64>().ok();
        let number = number.filter(|number| number.is_finite() && *number >= 0.0);
        number.ok_or_else(|| TimingsError::OfTool {
            line,
            what: name.to_string(),
            text: (*field).to_string(),
        })
    })
    .collect()
}

fn add(sum: &mut Option<f64>, more: Option<f64>) {
    if let Some(more) = more {
        *sum = Some(sum.unwrap_or(0.0) + more);
    }
}

fn longest(cores: &[f64]) -> Option<f64> {
    cores.iter().copied().reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;

    /// As version 4 prints two cores and two regions, one named after a line.
    const TWO_CORES: &str = "\
CPU name:,Some CPU,,
STRUCT,Info,5,
1,smooth,,
Region Info,Core 0,Core 1,
RDTSC Runtime [s],1.250000,1.500000,
call count,10,10,
CPU clock,2.600000 MHz,,
TABLE,Group 1 Raw,1,
Event,Counter,Core 0,Core 1
INSTR_RETIRED_ANY,FIXC0,1.0e+09,1.1e+09
TABLE,Group 1 Metric,2,
Metric,Core 0,Core 1,
Runtime (RDTSC) [s],1.25,1.5,
Memory data volume [GBytes],2.5,0,
TABLE,Group 1 Metric Stat,2,
Metric,Sum,Min,Max,Avg
Memory data volume [GBytes] STAT,2.5,0,2.5,1.25
STRUCT,Info,5,
1,src/a.c:12,,
Region Info,Core 0,Core 1,
RDTSC Runtime [s],0.25,0,
";

    #[test]
    fn a_region_has_the_time_of_the_slowest_core_and_the_bytes_of_all() {
        let rows = read(TWO_CORES).expect("regions");
        let amounts = |seconds, bytes| Amounts {
            seconds,
            bytes,
            flops: None,
        };
        assert_eq!(
            rows,
            [
                Timing {
                    region: Region::Function {
                        name: "smooth".into(),
                        file: None
                    },
                    amounts: amounts(1.5, Some(2.5e9)),
                    row: 3,
                },
                Timing {
                    region: Region::Line {
                        file: "src/a.c".into(),
                        line: 12,
                        function: None
                    },
                    amounts: amounts(0.25, None),
                    row: 19,
                },
            ]
        );
    }

    #[test]
    fn tables_may_name_the_region() {
        let text = "TABLE,Region smooth,Group 1 Raw,MEM,1\nEvent,Counter,Core 0\n\
                    TABLE,Region smooth,Group 1 Metric,MEM,1\nRuntime (RDTSC) [s],0.5\n";
        let rows = read(text).expect("a region");
        assert_eq!((rows.len(), rows[0].amounts.seconds), (1, 0.5));
    }

    #[test]
    fn what_is_missing_is_said() {
        for (text, complaint) in [
            (
                "STRUCT,Info,3\nCPU name:,X\nTABLE,Group 1 Raw,1\n",
                "it is LIKWID's output without",
            ),
            (
                "STRUCT,Info,5\n1,f,\ncall count,1\n",
                "line 2: region f has no row",
            ),
            (
                "STRUCT,Info,5\n1,f,\nRDTSC Runtime [s],-1\n",
                "line 3, RDTSC Runtime [s]: `-1` is not",
            ),
        ] {
            let error = read(text).expect_err(text).to_string();
            assert!(error.starts_with(complaint), "{text:?}: {error}");
        }
    }
}
