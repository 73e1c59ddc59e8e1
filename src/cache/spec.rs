//! What a cache level is: its size and shape, how it replaces lines and what it does with stores; and
//! the text in which a person gives it, `32KiB,2way,64B,lru`.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use thiserror::Error;

use crate::quantity::parse_bytes;

/// One cache level. As text: the size, then in any order what differs from the defaults, which are
/// `8way`, `64B`, `lru` and `write-back`. The default of the ways does not adapt to the size: a cache
/// too small for it is an error that says so.
///
/// | option | meaning |
/// |---|---|
/// | `4way`, `full` | lines in a set; all lines in one set |
/// | `64B` | bytes of a line |
/// | `lru`, `fifo`, `plru`, `random`, `random:SEED` | which line leaves; the seed is 1 if left out |
/// | `write-back`, `write-through` | what happens to stores |
/// | `4cycles` | latency of a hit; unknown if left out |
///
/// Display prints every option, in this order; the latency only where it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CacheSpec {
    pub bytes: u64,
    pub ways: Ways,
    /// Bytes of a line.
    pub line: u32,
    pub policy: Policy,
    pub write: WritePolicy,
    /// From the request to the value on a hit, in cycles of the core; `None` is unknown.
    pub latency_cycles: Option<u32>,
}

/// How many lines a set has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ways {
    Fixed(u32),
    /// One set that holds every line.
    Full,
}

/// Which line of a full set leaves for another. Free places are taken first under every policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Policy {
    /// The least recently used line.
    Lru,
    /// The line that came first, used since or not.
    Fifo,
    /// The line that a binary tree of one bit a node points to; every use turns the bits on its way
    /// to the other side.
    Plru,
    /// Any line, drawn by a generator that `seed` starts.
    Random { seed: u64 },
}

/// What a level does with stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WritePolicy {
    /// A store that misses brings the line in; a changed line is written when it leaves.
    Back,
    /// A store goes on to the next level at once; it neither looks up nor brings in a line, nor does it
    /// count as a use of one.
    Through,
}

/// Why something is not a cache level.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SpecError {
    #[error("the size of the cache: {reason}")]
    Size { reason: String },
    /// `position` counts the comma-separated parts from one.
    #[error(
        "`{part}`, part {position} of the cache, is not an option; options are `4way` or `full`, `64B` for the line, \
         `lru`, `fifo`, `plru`, `random` or `random:SEED`, `write-back` or `write-through`, and `4cycles`"
    )]
    Option { part: String, position: usize },
    #[error("`{part}`, part {position} of the cache: {reason}")]
    Value {
        part: String,
        position: usize,
        reason: String,
    },
    #[error("`{part}`, part {position} of the cache, gives {what} a second time")]
    Twice {
        part: String,
        position: usize,
        what: &'static str,
    },
    #[error("a cache of 0 bytes holds nothing; `none` stands for no cache")]
    NoBytes,
    #[error(
        "a set of 0 ways holds nothing; `1way` is direct-mapped, `full` is one set of all lines"
    )]
    NoWays,
    #[error(
        "a line of {line} bytes: lines are powers of two from {} to {} bytes{}",
        CacheSpec::MIN_LINE,
        CacheSpec::MAX_LINE,
        near(nearest)
    )]
    Line { line: u64, nearest: Vec<u64> },
    #[error("{bytes} bytes are not a whole number of sets of {ways} × {line} = {set} bytes{}{}", near(nearest),
        fitting.map_or(String::new(), |w| format!("; so would `{w}way`, or `full`")))]
    Sets {
        bytes: u64,
        ways: u64,
        line: u32,
        set: u64,
        nearest: Vec<u64>,
        fitting: Option<u64>,
    },
    #[error(
        "a PLRU tree over {ways} ways: the number of ways must be a power of two{}",
        near(nearest)
    )]
    PlruWays { ways: u64, nearest: Vec<u64> },
    #[error("{lines} lines are too many to simulate; at most {} are possible, {} bytes of {line}-byte lines",
        CacheSpec::MAX_LINES, CacheSpec::MAX_LINES * u64::from(*line))]
    TooLarge { lines: u64, line: u32 },
}

fn near(nearest: &[u64]) -> String {
    let names: Vec<_> = nearest.iter().map(u64::to_string).collect();
    if names.is_empty() {
        String::new()
    } else {
        format!("; {} would do", names.join(" or "))
    }
}

impl CacheSpec {
    pub const MIN_LINE: u32 = 4;
    pub const MAX_LINE: u32 = 1 << 20;
    /// Eight bytes of memory a line are taken at least: 2 GiB at this many.
    pub const MAX_LINES: u64 = 1 << 28;

    /// `bytes` with every option at its default; not yet checked.
    pub fn of_bytes(bytes: u64) -> CacheSpec {
        CacheSpec {
            bytes,
            ways: Ways::Fixed(8),
            line: 64,
            policy: Policy::Lru,
            write: WritePolicy::Back,
            latency_cycles: None,
        }
    }

    /// How many lines the level holds.
    pub fn lines(&self) -> u64 {
        self.bytes / u64::from(self.line)
    }

    /// How many lines a set holds.
    pub fn set_lines(&self) -> u64 {
        match self.ways {
            Ways::Fixed(ways) => u64::from(ways),
            Ways::Full => self.lines(),
        }
    }

    /// How many sets the level has; need not be a power of two.
    pub fn sets(&self) -> u64 {
        self.lines() / self.set_lines()
    }

    /// Checks what the fields demand of each other: bytes = sets × ways × line, and so on.
    ///
    /// # Errors
    /// What is wrong, and the nearest values that would not be.
    pub fn validate(&self) -> Result<(), SpecError> {
        check_line(u64::from(self.line))?;
        if self.bytes == 0 {
            return Err(SpecError::NoBytes);
        }
        if self.ways == Ways::Fixed(0) {
            return Err(SpecError::NoWays);
        }
        if self.lines() > CacheSpec::MAX_LINES {
            return Err(SpecError::TooLarge {
                lines: self.lines(),
                line: self.line,
            });
        }
        // A full cache smaller than its line has no way at all.
        let ways = match self.ways {
            Ways::Fixed(ways) => u64::from(ways),
            Ways::Full => 1,
        };
        let (bytes, line) = (self.bytes, self.line);
        let set = ways * u64::from(line);
        if !bytes.is_multiple_of(set) {
            let below = bytes / set * set;
            let nearest = if below > 0 {
                vec![below, below + set]
            } else {
                vec![set]
            };
            let fitting = largest_fitting(ways, self.lines())
                .filter(|_| bytes.is_multiple_of(u64::from(line)));
            return Err(SpecError::Sets {
                bytes,
                ways,
                line,
                set,
                nearest,
                fitting,
            });
        }
        let ways = self.set_lines();
        if self.policy == Policy::Plru && !ways.is_power_of_two() {
            let above = ways.next_power_of_two();
            return Err(SpecError::PlruWays {
                ways,
                nearest: vec![above / 2, above],
            });
        }
        Ok(())
    }
}

/// The largest number of ways below `ways` that divides `lines`.
fn largest_fitting(ways: u64, lines: u64) -> Option<u64> {
    (1..ways.min(lines + 1))
        .rev()
        .take(4096)
        .find(|w| lines.is_multiple_of(*w))
}

/// How long lines are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineSize {
    /// log₂ of the bytes.
    bits: u32,
}

impl LineSize {
    /// # Errors
    /// As of [`check_line`].
    pub fn new(bytes: u64) -> Result<LineSize, SpecError> {
        check_line(bytes).map(|bits| LineSize { bits })
    }

    /// Numbers of the lines that hold `bytes` bytes from `address` on; 0 bytes count as 1.
    #[inline]
    pub fn numbers(self, address: u64, bytes: u32) -> RangeInclusive<u64> {
        let last = address.saturating_add(u64::from(bytes.max(1) - 1));
        address >> self.bits..=last >> self.bits
    }
}

/// Whether `line` bytes can be a cache line; gives the power of two.
///
/// # Errors
/// `SpecError::Line` with the nearest lines that can.
pub fn check_line(line: u64) -> Result<u32, SpecError> {
    let (least, most) = (
        u64::from(CacheSpec::MIN_LINE),
        u64::from(CacheSpec::MAX_LINE),
    );
    if (least..=most).contains(&line) && line.is_power_of_two() {
        return Ok(line.trailing_zeros());
    }
    let nearest = if line < least {
        vec![least]
    } else if line > most {
        vec![most]
    } else {
        let above = line.next_power_of_two();
        vec![above / 2, above]
    };
    Err(SpecError::Line { line, nearest })
}

impl FromStr for CacheSpec {
    type Err = SpecError;

    /// Reads `SIZE[,OPTION]...` and checks it.
    fn from_str(text: &str) -> Result<CacheSpec, SpecError> {
        let mut parts = text.split(',').map(str::trim);
        let size =
            parse_bytes(parts.next().unwrap_or("")).map_err(|reason| SpecError::Size { reason })?;
        let mut spec = CacheSpec::of_bytes(size.0 as u64);
        let mut given: Vec<&'static str> = Vec::new();
        for (part, position) in parts.zip(2..) {
            let what = spec.set(part).map_err(|problem| match problem {
                Problem::Unknown => SpecError::Option {
                    part: part.to_string(),
                    position,
                },
                Problem::Value(reason) => SpecError::Value {
                    part: part.to_string(),
                    position,
                    reason,
                },
                Problem::Spec(error) => error,
            })?;
            if given.contains(&what) {
                return Err(SpecError::Twice {
                    part: part.to_string(),
                    position,
                    what,
                });
            }
            given.push(what);
        }
        spec.validate()?;
        Ok(spec)
    }
}

enum Problem {
    Unknown,
    Value(String),
    Spec(SpecError),
}

impl CacheSpec {
    /// Sets what one option says; gives what that was.
    fn set(&mut self, part: &str) -> Result<&'static str, Problem> {
        let number = |text: &str, of: &str| {
            text.parse().map_err(|_| {
                Problem::Value(format!(
                    "`{text}` is not a number of {of} up to {}",
                    u32::MAX
                ))
            })
        };
        let digit = part.starts_with(|c: char| c.is_ascii_digit());
        let mut policy = |policy| {
            self.policy = policy;
            Ok("the policy")
        };
        match part {
            "lru" => policy(Policy::Lru),
            "fifo" => policy(Policy::Fifo),
            "plru" => policy(Policy::Plru),
            "random" => policy(Policy::Random { seed: 1 }),
            "full" => {
                self.ways = Ways::Full;
                Ok("the ways")
            }
            "write-back" => {
                self.write = WritePolicy::Back;
                Ok("the treatment of stores")
            }
            "write-through" => {
                self.write = WritePolicy::Through;
                Ok("the treatment of stores")
            }
            _ => {
                if let Some(seed) = part.strip_prefix("random:") {
                    let seed = seed
                        .parse()
                        .map_err(|_| Problem::Value(format!("`{seed}` is not a 64-bit number")))?;
                    policy(Policy::Random { seed })
                } else if let Some(ways) = part.strip_suffix("way").filter(|_| digit) {
                    self.ways = Ways::Fixed(number(ways, "ways")?);
                    Ok("the ways")
                } else if let Some(cycles) = part.strip_suffix("cycles").filter(|_| digit) {
                    self.latency_cycles = Some(number(cycles.trim_end(), "cycles")?);
                    Ok("the latency")
                } else if digit {
                    let line = parse_bytes(part).map_err(|_| Problem::Unknown)?.0 as u64;
                    check_line(line).map_err(Problem::Spec)?;
                    self.line = line as u32;
                    Ok("the line")
                } else {
                    Err(Problem::Unknown)
                }
            }
        }
    }
}

impl fmt::Display for CacheSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CacheSpec {
            bytes,
            ways,
            line,
            policy,
            write,
            latency_cycles,
        } = self;
        write!(f, "{},{ways},{line}B,{policy},{write}", size(*bytes))?;
        latency_cycles.map_or(Ok(()), |cycles| write!(f, ",{cycles}cycles"))
    }
}

impl fmt::Display for Ways {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ways::Fixed(ways) => write!(f, "{ways}way"),
            Ways::Full => f.write_str("full"),
        }
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Policy::Lru => f.write_str("lru"),
            Policy::Fifo => f.write_str("fifo"),
            Policy::Plru => f.write_str("plru"),
            Policy::Random { seed } => write!(f, "random:{seed}"),
        }
    }
}

impl fmt::Display for WritePolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            WritePolicy::Back => "write-back",
            WritePolicy::Through => "write-through",
        })
    }
}

/// Exactly, in the largest binary unit that has no fraction.
fn size(bytes: u64) -> String {
    let unit = [(30, "GiB"), (20, "MiB"), (10, "KiB")]
        .into_iter()
        .find(|(bits, _)| bytes.is_multiple_of(1 << bits));
    unit.map_or(format!("{bytes}B"), |(bits, name)| {
        format!("{}{name}", bytes >> bits)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_come_in_any_order_and_print_in_one() {
        for (text, canonical) in [
            ("32KiB,2way,64B,lru", "32KiB,2way,64B,lru,write-back"),
            ("32KiB", "32KiB,8way,64B,lru,write-back"),
            ("32kB,fifo,4way", "32000B,4way,64B,fifo,write-back"),
            (
                "1.5 MiB, write-through, 128 B, 12way",
                "1536KiB,12way,128B,lru,write-through",
            ),
            ("4MiB,full,32B,random", "4MiB,full,32B,random:1,write-back"),
            (
                "256,random:18446744073709551615,2way",
                "256B,2way,64B,random:18446744073709551615,write-back",
            ),
            (
                "64KiB,plru,4cycles",
                "64KiB,8way,64B,plru,write-back,4cycles",
            ),
        ] {
            let spec: CacheSpec = text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(spec.to_string(), canonical);
            assert_eq!(canonical.parse(), Ok(spec));
        }
    }

    #[test]
    fn shapes_multiply_to_the_size() {
        let spec: CacheSpec = "48KiB,12way".parse().expect("legal");
        assert_eq!((spec.lines(), spec.set_lines(), spec.sets()), (768, 12, 64));
        let spec: CacheSpec = "192,full".parse().expect("legal");
        assert_eq!((spec.lines(), spec.set_lines(), spec.sets()), (3, 3, 1));
        let spec: CacheSpec = "32kB,4way".parse().expect("125 sets");
        assert_eq!(spec.sets(), 125);
    }

    #[test]
    fn errors_say_what_would_do() {
        for (text, parts) in [
            ("", &["size", "does not begin with a number"][..]),
            ("32K", &["`K` is not a unit"]),
            ("0", &["0 bytes"]),
            (
                "256",
                &["sets of 8 × 64 = 512", "512 would do", "`4way`, or `full`"],
            ),
            ("1000,2way", &["896 or 1024 would do"]),
            ("32,full", &["1 × 64", "64 would do"]),
            ("32KiB,0way", &["0 ways"]),
            ("32KiB,48B", &["line of 48", "32 or 64 would do"]),
            ("32KiB,2B", &["4 would do"]),
            ("32KiB,0", &["line of 0"]),
            ("48KiB,12way,plru", &["12 ways", "8 or 16 would do"]),
            (
                "32KiB,64B,2way,32B",
                &["`32B`, part 4", "the line a second time"],
            ),
            ("32KiB,lru,fifo", &["the policy a second time"]),
            ("32KiB,2ways", &["`2ways`, part 2", "is not an option"]),
            ("32KiB,LRU", &["`LRU`, part 2"]),
            ("32KiB,", &["``, part 2"]),
            ("32KiB,way", &["`way`, part 2"]),
            ("32KiB,99999999999way", &["`99999999999`", "4294967295"]),
            ("32KiB,random:-1", &["`-1` is not a 64-bit number"]),
            ("99999999999999999999GiB", &["too many"]),
            ("1024GiB", &["17179869184 lines", "at most 268435456"]),
        ] {
            let message = text.parse::<CacheSpec>().expect_err(text).to_string();
            for part in parts {
                assert!(message.contains(part), "{text}: {message}");
            }
        }
    }
}
