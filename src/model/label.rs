//! Which figure of its kind a figure is, and what that is called. Names are made when they are shown and never read back.

use std::fmt;
use std::sync::Arc;

use super::advice_kind::AdviceKind;
use super::catalogue::StaticFigure;
use super::dimension_name;
use super::group_names::{group_name, scenario_name};
use crate::formula::{Catalogue, Entry, Unit};

/// What a figure is about, where a program has several of its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The nest or the program as a whole, or a part of a formula.
    Whole,
    /// A loop, by its variable or its id.
    Loop(Arc<str>),
    /// A spatial loop, counted from the innermost.
    Dimension(u32),
    Array(Arc<str>),
    /// An array in one iteration of a loop, or in one nest.
    ArrayIn(Arc<str>, Arc<str>),
    /// Cells, pencils, planes … of an array.
    ArrayGroup(Arc<str>, u32),
    /// What so many innermost loops sweep of an array.
    ArraySweep(Arc<str>, u32),
    /// Cells, pencils, planes …
    Group(u32),
    /// Within how many loops elements are reused.
    Scenario(u32),
    /// A cache or memory.
    Level(Arc<str>),
    Reuse(Arc<ReuseSubject>),
    /// Two loops.
    Loops(Arc<(String, String)>),
    Registers(RegisterFile),
    /// An input of the model.
    Input(Arc<str>),
    /// A line of the roofline.
    Ceiling(Arc<str>),
}

/// A reuse, or all that a loop carries, and what of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReuseSubject {
    /// The loop that carries it; `None` stands for all of the nest.
    pub carrier: Option<String>,
    /// What lies in between.
    pub between: Option<String>,
    /// The parameter that makes its working set larger.
    pub size: Option<String>,
    /// The cache.
    pub level: Option<Arc<str>>,
}

/// A kind of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegisterFile {
    Integer,
    Floating,
}

/// What is not as the inputs in force say.
#[derive(Clone, Debug, PartialEq)]
pub enum Instead {
    /// Machine B in place of machine A.
    OtherMachine,
    /// One input has another value.
    Value(String, f64),
    /// A piece of advice is followed.
    Advised(AdviceKind),
    /// The inputs of a scenario, by its number.
    Scenario(usize),
    /// One input is a little less or more.
    Swing(&'static str, Swings),
}

/// To which side an input swings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Swings {
    Less,
    More,
}

/// Whether a figure is whole: of formulas that are too long for one cell, parts are figures too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Whole,
    /// What the whole is a sum of.
    Summand,
    /// Anything else, with a unit that only the formula knows.
    Operand,
}

/// One figure among all.
#[derive(Clone, Debug)]
pub struct Label {
    pub kind: StaticFigure,
    pub subject: Subject,
    pub instead: Option<Arc<Instead>>,
    pub part: Part,
}

impl StaticFigure {
    /// The figure of this kind that is about something.
    pub fn about(self, subject: Subject) -> Label {
        Label {
            kind: self,
            subject,
            instead: None,
            part: Part::Whole,
        }
    }
}

impl From<StaticFigure> for Label {
    fn from(kind: StaticFigure) -> Label {
        kind.about(Subject::Whole)
    }
}

impl Label {
    pub fn entry(&self) -> &'static Entry {
        self.kind.entry()
    }

    pub fn unit(&self) -> Unit {
        match self.part {
            Part::Whole | Part::Summand => self.entry().unit,
            Part::Operand => Unit::Count,
        }
    }

    /// The same figure with other inputs.
    pub(super) fn instead(self, instead: &Arc<Instead>) -> Label {
        Label {
            instead: Some(instead.clone()),
            ..self
        }
    }

    /// The figure that it is a part of.
    pub fn whole(&self) -> Label {
        Label {
            part: Part::Whole,
            ..self.clone()
        }
    }

    /// The figure with the inputs as they are.
    pub fn as_it_is(&self) -> Label {
        Label {
            instead: None,
            ..self.clone()
        }
    }

    /// A part of its formula.
    pub(super) fn part(&self, part: Part) -> Label {
        let part = match self.part {
            Part::Operand => Part::Operand,
            Part::Whole | Part::Summand => part,
        };
        Label {
            part,
            ..self.clone()
        }
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.entry().name.replace('_', " "), self.subject)?;
        match self.instead.as_deref() {
            None => {}
            Some(Instead::OtherMachine) => f.write_str(", machine B")?,
            Some(Instead::Value(input, value)) => write!(f, ", {input} {value}")?,
            Some(Instead::Advised(kind)) => write!(f, ", {}", kind.name())?,
            Some(Instead::Scenario(number)) => write!(f, ", scenario {number}")?,
            Some(Instead::Swing(input, Swings::Less)) => write!(f, ", less {input}")?,
            Some(Instead::Swing(input, Swings::More)) => write!(f, ", more {input}")?,
        }
        match self.part {
            Part::Whole => Ok(()),
            Part::Summand | Part::Operand => f.write_str(", part"),
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subject::Whole => Ok(()),
            Subject::Loop(name) | Subject::Array(name) => write!(f, " of {name}"),
            Subject::ArrayIn(name, place) => write!(f, " of {name} in {place}"),
            Subject::Dimension(position) => {
                write!(f, " in {}", dimension_name(*position as usize))
            }
            Subject::ArrayGroup(name, level) => {
                write!(f, " of {name}, {}", group_name(*level as usize))
            }
            Subject::ArraySweep(name, 1) => write!(f, " of {name}, 1 loop swept"),
            Subject::ArraySweep(name, level) => write!(f, " of {name}, {level} loops swept"),
            Subject::Group(level) => write!(f, ", {}", group_name(*level as usize)),
            Subject::Scenario(index) => {
                write!(f, ", reuse {}", scenario_name(*index as usize))
            }
            Subject::Level(name) | Subject::Input(name) | Subject::Ceiling(name) => {
                write!(f, ", {name}")
            }
            Subject::Reuse(reuse) => write!(f, "{reuse}"),
            Subject::Loops(loops) => write!(f, " of {} and {}", loops.0, loops.1),
            Subject::Registers(RegisterFile::Integer) => f.write_str(", integer"),
            Subject::Registers(RegisterFile::Floating) => f.write_str(", floating-point"),
        }
    }
}

impl fmt::Display for ReuseSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(size) = &self.size {
            write!(f, " of {size}")?;
        }
        let parts = [&self.carrier, &self.between].into_iter().flatten();
        let parts = parts.map(String::as_str).chain(self.level.as_deref());
        let parts: Vec<&str> = parts.collect();
        write!(f, ": {}", parts.join(", "))
    }
}
