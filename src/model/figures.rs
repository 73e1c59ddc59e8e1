//! The arena of computed figures: each has one expression, which may refer to parameters and to
//! earlier figures, and the value that follows from it.

use std::fmt;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::group_name;
use super::parameters::ParameterTable;
use crate::expr::{Expr, FigureId, Lookup, Node};
use crate::machine::MachineModel;

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
    /// Part of a whole, 0 to 1.
    Share,
    /// A position in a list of names, counted from one.
    Choice,
}

impl Unit {
    pub fn symbol(self) -> &'static str {
        match self {
            Unit::Count | Unit::Choice | Unit::Share => "",
            Unit::Elements => "elements",
            Unit::Bytes => "B",
            Unit::Flops => "flop",
            Unit::Seconds => "s",
            Unit::FlopsPerByte => "flop/B",
            Unit::BytesPerFlop => "B/flop",
        }
    }
}

/// The name of a figure. Big programs have millions of figures and few of them are ever named, so the
/// text is put together when it is shown.
#[derive(Clone, Debug)]
pub struct Label {
    /// The whole text, or the name in the pattern.
    text: Arc<str>,
    pattern: Option<&'static str>,
    level: u32,
}

impl Label {
    /// A pattern that names something: `{name}`, and a `{level}` of swept loops or its `{group}` name.
    pub fn of(pattern: &'static str, name: &Arc<str>, level: usize) -> Label {
        Label { text: name.clone(), pattern: Some(pattern), level: level as u32 }
    }
}

impl From<&str> for Label {
    fn from(text: &str) -> Label {
        Label { text: text.into(), pattern: None, level: 0 }
    }
}

impl From<String> for Label {
    fn from(text: String) -> Label {
        Label { text: text.into(), pattern: None, level: 0 }
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(pattern) = self.pattern else { return f.write_str(&self.text) };
        let level = self.level as usize;
        let filled = pattern.replace("{level}", &level.to_string()).replace("{group}", &group_name(level));
        f.write_str(&filled.replace("{name}", &self.text))
    }
}

/// One computed figure.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Short name for `--explain`, e.g. `trip count of i`.
    pub label: Label,
    pub unit: Unit,
    pub expr: Expr,
    pub value: f64,
}

/// A cell holds 8,192 characters of formula; names of figures are not known here, so stay well below.
const FORMULA_LENGTH: usize = 5000;
const PART_LENGTH: usize = 1200;

/// About how many characters a formula takes, a figure being called `Arrays!AB12345`.
fn printed_length(expr: &Expr) -> usize {
    let own = match expr.node() {
        Node::Number(n) => n.get().to_string().len(),
        Node::Symbol(name) => name.len(),
        Node::Figure(_) => 14,
        _ => 10,
    };
    own + 3 + expr.children().into_iter().map(printed_length).sum::<usize>()
}

/// All figures of a model, in the order of their definition.
pub struct Figures {
    figures: Vec<Figure>,
    symbols: FxHashMap<String, f64>,
    detail: Detail,
}

/// How much of the model is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Figures of cache levels are numbers, and there only where the time of nests depends on them.
    Least,
    /// Figures of cache levels are numbers, for outputs that show no formula of theirs.
    Values,
    /// Everything is a formula.
    Formulas,
}

impl Figures {
    pub fn new(machine: &MachineModel, parameters: &ParameterTable, detail: Detail) -> Figures {
        let machine_values = machine.parameters.iter().filter_map(|p| Some((p.name.clone(), p.value?)));
        let problem_values = parameters.rows().iter().map(|row| (row.name.clone(), row.value));
        Figures { figures: Vec::new(), symbols: machine_values.chain(problem_values).collect(), detail }
    }

    pub fn detail(&self) -> Detail {
        self.detail
    }

    /// Makes room for about so many nests and streams: growing by copying is slow for millions.
    pub fn reserve(&mut self, nests: usize, streams: usize) {
        const A_NEST: usize = 90;
        const A_STREAM: usize = 26;
        self.figures.reserve(nests * A_NEST + streams * A_STREAM);
    }

    /// Defines a figure and evaluates it. A symbol without a value makes it not-a-number, which
    /// exporters show as unknown. Parts of an expression that is too long for one spreadsheet cell
    /// become figures of their own.
    pub fn define(&mut self, label: impl Into<Label>, unit: Unit, expr: Expr) -> FigureId {
        let label = label.into();
        let expr = self.shortened(&label, unit, expr);
        self.push(label, unit, expr)
    }

    /// Defines the sum of one figure over all members of a table: all streams of a nest, all nests.
    /// However many they are, a spreadsheet writes their sum as one range.
    pub fn define_total(
        &mut self,
        label: impl Into<Label>,
        unit: Unit,
        members: impl Iterator<Item = FigureId>,
    ) -> FigureId {
        self.push(label.into(), unit, Expr::sum(members.map(Expr::from)))
    }

    fn push(&mut self, label: Label, unit: Unit, expr: Expr) -> FigureId {
        let value = expr.evaluate(&*self).unwrap_or(f64::NAN);
        let id = FigureId(self.figures.len() as u32);
        self.figures.push(Figure { label, unit, expr, value });
        id
    }

    fn shortened(&mut self, label: &Label, unit: Unit, expr: Expr) -> Expr {
        if printed_length(&expr) <= FORMULA_LENGTH {
            return expr;
        }
        let Node::Sum(terms) = expr.node() else {
            return expr.map_children(&mut |child| match printed_length(child) > PART_LENGTH {
                true => Expr::from(self.define(format!("{label}, part"), Unit::Count, child.clone())),
                false => child.clone(),
            });
        };
        let mut parts: Vec<Vec<Expr>> = vec![Vec::new()];
        let mut length = 0;
        for term in terms {
            let own = printed_length(term);
            if length > 0 && length + own > PART_LENGTH {
                parts.push(Vec::new());
                length = 0;
            }
            length += own;
            parts.last_mut().expect("starts with one").push(term.clone());
        }
        let part = |part: Vec<Expr>| Expr::from(self.define(format!("{label}, part"), unit, Expr::sum(part)));
        let sum = Expr::sum(parts.into_iter().map(part).collect::<Vec<Expr>>());
        self.shortened(label, unit, sum)
    }

    pub fn get(&self, id: FigureId) -> &Figure {
        &self.figures[id.0 as usize]
    }

    pub fn value(&self, id: FigureId) -> f64 {
        self.get(id).value
    }

    pub fn len(&self) -> usize {
        self.figures.len()
    }

    pub fn is_empty(&self) -> bool {
        self.figures.is_empty()
    }
}

impl Lookup for Figures {
    fn symbol(&self, name: &str) -> Option<f64> {
        self.symbols.get(name).copied()
    }

    fn figure(&self, id: FigureId) -> Option<f64> {
        self.figures.get(id.0 as usize).map(|figure| figure.value)
    }
}
