//! The arena of computed figures: each has one expression, which may refer to parameters and to
//! earlier figures, and the value that follows from it.

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::Model;
use super::arrays::Arrays;
use super::catalogue::StaticFigure;
use super::label::{Instead, Label};
use super::parameters::ParameterTable;
use super::runs_on::RunsOn;
use super::scenarios;
use super::shortened;
use crate::expr::{Expr, FigureId, Lookup, Symbol};
use crate::machine::parameters::{LATENCY_LIMIT, absent};
use crate::machine::{MachineModel, MachineParameter};

/// One computed figure.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Big programs have millions of figures and few of them are ever named, so the text is put together when it is shown.
    pub label: Label,
    /// Kept with [`Detail::Formulas`] only.
    pub expr: Expr,
    pub value: f64,
}

/// Figures that a part of the work is expected to define: growing by copying is slow.
const A_PART: usize = 30_000;

/// One value for each figure. Figures are kept in segments, so that nests can be built side by side: the
/// upper bits of an id number the segment, the lower ones count within it.
#[derive(Clone, Debug)]
pub struct FigureMap<T> {
    segments: Vec<Vec<T>>,
}

impl<T> FigureMap<T> {
    const COUNT_BITS: u32 = 25;
    /// Of ids of 32 bits.
    pub const MOST_SEGMENTS: usize = 1 << (u32::BITS - Self::COUNT_BITS);

    /// The same value for every figure; as many in each segment as it says.
    pub fn filled(value: T, lengths: impl IntoIterator<Item = usize>) -> FigureMap<T>
    where
        T: Clone,
    {
        FigureMap {
            segments: lengths
                .into_iter()
                .map(|length| vec![value.clone(); length])
                .collect(),
        }
    }

    fn id(segment: usize, index: usize) -> FigureId {
        assert!(
            segment < Self::MOST_SEGMENTS && index < 1 << Self::COUNT_BITS,
            "too many figures"
        );
        FigureId((segment as u32) << Self::COUNT_BITS | index as u32)
    }

    fn place(id: FigureId) -> (usize, usize) {
        (
            (id.0 >> Self::COUNT_BITS) as usize,
            (id.0 & ((1 << Self::COUNT_BITS) - 1)) as usize,
        )
    }

    pub fn get(&self, id: FigureId) -> Option<&T> {
        let (segment, index) = Self::place(id);
        self.segments.get(segment)?.get(index)
    }

    pub fn get_mut(&mut self, id: FigureId) -> Option<&mut T> {
        let (segment, index) = Self::place(id);
        self.segments.get_mut(segment)?.get_mut(index)
    }

    /// All of them, in the order of definition.
    pub fn iter(&self) -> impl Iterator<Item = (FigureId, &T)> {
        let segments = self.segments.iter().enumerate();
        segments.flat_map(|(s, values)| {
            values
                .iter()
                .enumerate()
                .map(move |(index, value)| (Self::id(s, index), value))
        })
    }

    /// How many there are in each segment.
    pub fn lengths(&self) -> impl Iterator<Item = usize> + '_ {
        self.segments.iter().map(Vec::len)
    }
}

/// All figures of a model, in the order of their definition.
pub struct Figures {
    figures: FigureMap<Figure>,
    symbols: Arc<FxHashMap<String, f64>>,
    detail: Detail,
    /// Parts of long expressions that are figures already.
    parts: FxHashMap<Expr, FigureId>,
    /// Figures that all parts of the model see, by kind.
    shared: FxHashMap<StaticFigure, FigureId>,
    /// What is not as the inputs and the source say in the figures that are defined now.
    instead: Option<Arc<Instead>>,
    /// The cores that run what the figures are of that are defined now.
    runs_on: RunsOn,
    /// Whether what nests move is told apart by array.
    arrays: Arrays,
}

/// How much of the model is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// Figures are numbers, those of single nests and totals only, and those of cache levels only where the
    /// time of nests depends on them: enough for the table.
    Least,
    /// Figures are numbers, for outputs that show no formula.
    Values,
    /// Everything is a formula.
    Formulas,
    /// Everything is a formula that holds for every machine: cache levels that this one lacks have figures too, so
    /// that another may take its place in the workbook.
    AnyMachine,
}

impl Detail {
    /// Whether figures keep their formulas.
    pub fn has_formulas(self) -> bool {
        self >= Detail::Formulas
    }
}

impl Figures {
    /// Whether what nests move is told apart by array.
    pub fn arrays(&self) -> Arrays {
        self.arrays
    }

    /// The same, which may tell apart what nests move by array.
    #[must_use]
    pub fn with_arrays(mut self, arrays: Arrays) -> Figures {
        self.arrays = arrays;
        self
    }

    /// Figures over the symbols of a machine, of another one to compare it with, and of the problem.
    pub fn new(
        (machine, other): (&MachineModel, Option<&MachineModel>),
        parameters: &ParameterTable,
        detail: Detail,
    ) -> Figures {
        let limits_nothing =
            |name: &str| detail == Detail::AnyMachine || LATENCY_LIMIT.contains(&name);
        let value = |p: &MachineParameter| {
            p.value
                .or_else(|| absent(&p.name).filter(|_| limits_nothing(&p.name)))
        };
        let machine_values = machine
            .parameters
            .iter()
            .filter_map(|p| Some((p.name.clone(), value(p)?)));
        let others = other.into_iter().flat_map(|other| &other.parameters);
        let other_values = others.filter_map(|p| Some((Model::on_other(&p.name), value(p)?)));
        let scenarios = (detail == Detail::AnyMachine)
            .then(|| scenarios::symbols(machine))
            .into_iter()
            .flatten();
        let problem_values = parameters
            .rows()
            .iter()
            .map(|row| (row.name.clone(), row.value));
        let symbols = Arc::new(
            machine_values
                .chain(other_values)
                .chain(scenarios)
                .chain(problem_values)
                .collect(),
        );
        let figures = FigureMap {
            segments: vec![Vec::new()],
        };
        Figures {
            figures,
            symbols,
            detail,
            parts: FxHashMap::default(),
            shared: FxHashMap::default(),
            instead: None,
            runs_on: RunsOn::default(),
            arrays: Arrays::Together,
        }
    }

    /// Defines a figure that all parts of the model see. There are few of them, and they come first.
    pub fn share(&mut self, kind: StaticFigure, expr: Expr) -> FigureId {
        let id = self.define(kind, expr);
        self.shared.insert(kind, id);
        id
    }

    /// The figure of that kind which all parts see.
    pub fn shared(&self, kind: StaticFigure) -> FigureId {
        self.shared[&kind]
    }

    pub fn detail(&self) -> Detail {
        self.detail
    }

    /// Works on every part at once, each with a segment of its own: all see what was defined before, and none what
    /// another part defines. Gives the results in the order of the parts, which is also the order of the figures.
    pub fn define_side_by_side<P: Send, R: Send>(
        &mut self,
        parts: Vec<P>,
        work: impl Fn(P, &mut Figures) -> R + Sync,
    ) -> Vec<R> {
        let before = &self.figures.segments;
        let first = before.len();
        let done: Vec<(R, Vec<Figure>)> = (parts.into_par_iter().enumerate())
            .map(|(index, part)| {
                let mut segments = before.clone();
                segments.resize(first + index, Vec::new());
                segments.push(Vec::with_capacity(A_PART));
                let mut own = Figures {
                    figures: FigureMap { segments },
                    symbols: self.symbols.clone(),
                    detail: self.detail,
                    parts: FxHashMap::default(),
                    shared: self.shared.clone(),
                    instead: self.instead.clone(),
                    runs_on: self.runs_on,
                    arrays: self.arrays,
                };
                let result = work(part, &mut own);
                let mut defined = own.figures.segments.pop().unwrap_or_default();
                defined.shrink_to_fit();
                (result, defined)
            })
            .collect();
        let (results, segments): (Vec<R>, Vec<Vec<Figure>>) = done.into_iter().unzip();
        self.figures.segments.extend(segments);
        self.figures.segments.push(Vec::new());
        results
    }

    /// Defines figures of something that is not as the source has it.
    pub(super) fn define_instead<R>(
        &mut self,
        instead: Instead,
        define: impl FnOnce(&mut Figures) -> R,
    ) -> R {
        let before = self.instead.replace(Arc::new(instead));
        let result = define(self);
        self.instead = before;
        result
    }

    /// Defines figures of something that these cores run.
    pub(super) fn define_on<R>(
        &mut self,
        runs_on: RunsOn,
        define: impl FnOnce(&mut Figures) -> R,
    ) -> R {
        let before = std::mem::replace(&mut self.runs_on, runs_on);
        let result = define(self);
        self.runs_on = before;
        result
    }

    /// The cores that run what figures are of that are defined now.
    pub fn runs_on(&self) -> RunsOn {
        self.runs_on
    }

    /// Defines a figure and evaluates it. A symbol without a value makes it not-a-number, which
    /// exporters show as unknown. Parts of an expression that is too long for one spreadsheet cell
    /// become figures of their own.
    pub fn define(&mut self, label: impl Into<Label>, expr: Expr) -> FigureId {
        let label = label.into();
        let expr = if self.detail.has_formulas() {
            shortened::shortened(self, &label, expr)
        } else {
            expr
        };
        self.push(label, expr)
    }

    /// Defines the sum of one figure over all members of a table: all streams of a nest, all nests.
    /// However many they are, a spreadsheet writes their sum as one range.
    pub fn define_total(
        &mut self,
        label: impl Into<Label>,
        members: impl Iterator<Item = FigureId>,
    ) -> FigureId {
        self.push(label.into(), Expr::sum(members.map(Expr::from)))
    }

    /// The id of the figure that is defined next.
    pub fn next(&self) -> FigureId {
        let last = self.figures.segments.len() - 1;
        FigureMap::<Figure>::id(last, self.figures.segments[last].len())
    }

    fn push(&mut self, label: Label, expr: Expr) -> FigureId {
        let label = match &self.instead {
            Some(instead) => label.instead(instead),
            None => label,
        };
        let value = expr.evaluate(&*self).unwrap_or(f64::NAN);
        let expr = if self.detail.has_formulas() {
            expr
        } else {
            Expr::from(0.0)
        };
        let id = self.next();
        if let Some(segment) = self.figures.segments.last_mut() {
            segment.push(Figure { label, expr, value });
        }
        id
    }

    /// A part of a long expression as a figure of its own; one that several expressions share is defined once.
    pub(super) fn part(&mut self, label: Label, part: &Expr) -> Expr {
        if let Some(figure) = self.parts.get(part) {
            return Expr::from(*figure);
        }
        let figure = self.push(label, part.clone());
        self.parts.insert(part.clone(), figure);
        Expr::from(figure)
    }

    /// The figure that is this part of a formula already.
    pub(super) fn known_part(&self, part: &Expr) -> Option<FigureId> {
        self.parts.get(part).copied()
    }

    pub fn get(&self, id: FigureId) -> &Figure {
        self.figures.get(id).expect("ids come from definitions")
    }

    /// All of them, in the order of definition.
    pub fn iter(&self) -> impl Iterator<Item = (FigureId, &Figure)> {
        self.figures.iter()
    }

    /// The same value for every figure.
    pub fn map_of<T: Clone>(&self, value: T) -> FigureMap<T> {
        FigureMap::filled(value, self.figures.lengths())
    }

    pub fn value(&self, id: FigureId) -> f64 {
        self.get(id).value
    }

    /// The value of a parameter of the machine or the problem, by its defined name.
    pub fn input(&self, name: &str) -> Option<f64> {
        self.symbols.get(name).copied()
    }

    pub fn len(&self) -> usize {
        self.figures.lengths().sum()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Lookup for Figures {
    fn symbol(&self, symbol: &Symbol) -> Option<f64> {
        self.input(symbol.name())
    }

    fn figure(&self, id: FigureId) -> Option<f64> {
        self.figures.get(id).map(|figure| figure.value)
    }
}
