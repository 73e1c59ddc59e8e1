//! What is each step of the rule called, where its formula gets a cell of its own?
//!
//! The rule itself knows loops and arrays by numbers. A [`Step`] says what kind of figure it is and what it is about, with
//! the [`Names`] that make words of the numbers; where only values are asked for, nobody looks at it.

use std::sync::Arc;

use super::number::Number;
use crate::catalogue::StaticFigure;
use crate::label::{Label, Subject};

/// What the loops and arrays of a nest are called.
#[derive(Clone, Debug, Default)]
pub struct Names {
    pub loops: Vec<Arc<str>>,
    pub arrays: Vec<Arc<str>>,
    /// The nest, where steps of several are made together.
    pub nest: Option<Arc<str>>,
}

/// What a step is about.
#[derive(Clone, Copy, Debug)]
pub enum About<'s> {
    Loop(usize),
    /// An array in one iteration of a loop, or in the whole nest.
    Array(usize, Option<usize>),
    /// An array that several nests go to, by its name.
    Shared(&'s str),
}

/// A part of the rule whose formula may get a cell.
#[derive(Clone, Copy)]
pub struct Step<'s> {
    pub kind: StaticFigure,
    pub about: About<'s>,
    pub names: &'s Names,
}

/// Gives a result a cell of its own, where formulas are made.
pub type NameStep<'n, N> = &'n dyn Fn(Step, N) -> N;

impl Names {
    pub fn step<'s>(&'s self, kind: StaticFigure, about: About<'s>) -> Step<'s> {
        Step {
            kind,
            about,
            names: self,
        }
    }
}

impl Step<'_> {
    pub fn label(&self) -> Label {
        let Names {
            loops,
            arrays,
            nest,
        } = self.names;
        let in_nest = |text: &str| match nest {
            Some(nest) => format!("{text} of {nest}"),
            None => text.to_string(),
        };
        let subject = match self.about {
            About::Loop(v) => Subject::Loop(in_nest(&loops[v]).into()),
            About::Array(array, None) => match nest {
                Some(nest) => Subject::ArrayIn(arrays[array].clone(), nest.clone()),
                None => Subject::Array(arrays[array].clone()),
            },
            About::Array(array, Some(v)) => {
                let iteration = format!("one iteration of {}", in_nest(&loops[v]));
                Subject::ArrayIn(arrays[array].clone(), iteration.into())
            }
            About::Shared(array) => match nest {
                Some(nest) => Subject::ArrayIn(array.into(), nest.clone()),
                None => Subject::Array(array.into()),
            },
        };
        self.kind.about(subject)
    }
}

/// A cell for what is long: what is short is easier to read where it stands, and cancels with its like.
pub fn if_long<N: Number>(name: NameStep<N>, step: Step, value: N) -> N {
    match value.is_long() {
        true => name(step, value),
        false => value,
    }
}
