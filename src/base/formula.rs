//! What the figures of a report are. Every figure has an entry in a catalogue: its name, unit, meaning and source. The
//! keys of a catalogue are the variants of an enum, so that a figure is never looked up by text.

use std::fmt;

/// What a figure is measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    Count,
    Elements,
    Bytes,
    Flops,
    Seconds,
    FlopsPerByte,
    BytesPerFlop,
    FlopsPerSecond,
    BytesPerSecond,
    BytesPerByte,
    Cycles,
    PerCycle,
    Iterations,
    Cells,
    Registers,
    Instructions,
    Edges,
    Accesses,
    Gigahertz,
    /// Part of a whole, 0 to 1.
    Share,
    /// One thing over another of its kind.
    Ratio,
    /// A position in a list of names, counted from one.
    Choice,
}

impl Unit {
    pub fn symbol(self) -> &'static str {
        match self {
            Unit::Count | Unit::Choice | Unit::Share | Unit::Ratio => "",
            Unit::Elements => "elements",
            Unit::Bytes => "B",
            Unit::Flops => "flop",
            Unit::Seconds => "s",
            Unit::FlopsPerByte => "flop/B",
            Unit::BytesPerFlop => "B/flop",
            Unit::FlopsPerSecond => "flop/s",
            Unit::BytesPerSecond => "B/s",
            Unit::BytesPerByte => "B/B",
            Unit::Cycles => "cycles",
            Unit::PerCycle => "1/cycle",
            Unit::Iterations => "iterations",
            Unit::Cells => "cells",
            Unit::Registers => "registers",
            Unit::Instructions => "instructions",
            Unit::Edges => "edges",
            Unit::Accesses => "accesses",
            Unit::Gigahertz => "GHz",
        }
    }
}

/// Where a figure comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// Counted while the trace went by.
    Counted,
    /// An input that a person may change.
    Given,
    /// Follows from what was measured, by its definition.
    Measured,
    /// What the source code says.
    Code,
    /// Follows from other figures by what its meaning says, without an assumption.
    Definition,
    /// A paragraph of "How the figures are computed" on sheet Notes of the workbook, by its heading.
    Notes(&'static str),
    /// Sections of the ExaSAT report of 2012.
    Exasat(&'static str),
    /// Williams, Waterman and Patterson, Communications of the ACM 52(4), 2009.
    Roofline,
    /// Little, Operations Research 9(3), 1961.
    Little,
    /// Hockney, Parallel Computing 20(3), 1994: a message takes a latency, and its bytes over the bandwidth.
    Hockney,
    /// Thakur, Rabenseifner and Gropp, Int. J. of High Performance Computing Applications 19(1), 2005.
    Collectives,
    /// Sethi and Ullman, Journal of the ACM 17(4), 1970.
    SethiUllman,
    /// EDAN, arXiv 2512.13176.
    Edan,
    /// Brent, Journal of the ACM 21(2), 1974.
    Brent,
    /// Equation of Liu, Espina, Sun 2021, Journal of Computer Science and Technology 36(1).
    Liu(&'static str),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Counted => f.write_str("counted"),
            Source::Given => f.write_str("given"),
            Source::Measured => f.write_str("measured"),
            Source::Code => f.write_str("the source code"),
            Source::Definition => f.write_str("by definition"),
            Source::Notes(heading) => write!(f, "sheet Notes, “{heading}”"),
            Source::Exasat(section) => write!(f, "ExaSAT report (2012), {section}"),
            Source::Roofline => {
                f.write_str("Williams, Waterman and Patterson, Commun. ACM 52(4), 2009")
            }
            Source::Little => f.write_str("Little, Operations Research 9(3), 1961"),
            Source::Hockney => f.write_str("Hockney, Parallel Computing 20(3), 1994"),
            Source::Collectives => f.write_str(
                "Thakur, Rabenseifner and Gropp, Int. J. High Perform. Comput. Appl. 19(1), 2005",
            ),
            Source::SethiUllman => f.write_str("Sethi and Ullman, J. ACM 17(4), 1970"),
            Source::Edan => f.write_str("EDAN (arXiv 2512.13176)"),
            Source::Brent => f.write_str("Brent, J. ACM 21(2), 1974"),
            Source::Liu(equation) => write!(f, "L {equation}"),
        }
    }
}

/// What is said of a figure wherever it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What `--explain` takes. Of a figure of a trace also the key in JSON and the defined name in a workbook.
    pub name: &'static str,
    /// The symbol of the publication; empty if it has none.
    pub symbol: &'static str,
    pub unit: Unit,
    pub meaning: &'static str,
    pub source: Source,
}

impl Entry {
    /// What formulas call it in print: its symbol, or else its name.
    pub fn printed(&self) -> &'static str {
        match self.symbol {
            "" => self.name,
            symbol => symbol,
        }
    }
}

/// The keys of a catalogue.
pub trait Catalogue: Copy + Eq + 'static {
    /// All of them, in the order in which they are shown.
    const ALL: &'static [Self];

    fn entry(self) -> &'static Entry;

    /// What is counted.
    fn counts() -> impl Iterator<Item = Self> + Clone {
        Self::ALL
            .iter()
            .copied()
            .filter(|key| key.entry().source == Source::Counted)
    }

    /// What a person may change.
    fn inputs() -> impl Iterator<Item = Self> + Clone {
        Self::ALL
            .iter()
            .copied()
            .filter(|key| key.entry().source == Source::Given)
    }

    /// What follows from both; later ones may name earlier ones.
    fn derived() -> impl Iterator<Item = Self> + Clone {
        Self::ALL
            .iter()
            .copied()
            .filter(|key| !matches!(key.entry().source, Source::Counted | Source::Given))
    }

    /// The key with that name.
    fn named(name: &str) -> Option<Self> {
        let mut all = Self::ALL.iter().copied();
        all.find(|key| key.entry().name == name)
    }
}

/// Defines an enum and its catalogue, a line a figure: variant, name, symbol, unit, meaning, source.
#[macro_export]
macro_rules! catalogue {
    ($(#[$attribute:meta])* $visibility:vis enum $keys:ident {
        $($key:ident $name:literal $symbol:literal $unit:ident $meaning:literal $source:expr;)*
    }) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $visibility enum $keys {
            $(#[doc = $meaning] $key,)*
        }

        impl $crate::formula::Catalogue for $keys {
            const ALL: &'static [$keys] = &[$($keys::$key),*];

            fn entry(self) -> &'static $crate::formula::Entry {
                match self {
                    $($keys::$key => &const {
                        $crate::formula::Entry {
                            name: $name,
                            symbol: $symbol,
                            unit: $crate::formula::Unit::$unit,
                            meaning: $meaning,
                            source: $source,
                        }
                    },)*
                }
            }
        }
    };
}

/// What a column of a table for scripts holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    Text,
    Integer,
    Number,
}

impl ColumnType {
    pub fn as_str(self) -> &'static str {
        match self {
            ColumnType::Text => "text",
            ColumnType::Integer => "integer",
            ColumnType::Number => "number",
        }
    }
}
