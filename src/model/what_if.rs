//! Figures again with other inputs, from the same expressions: what a time would be on another machine, with another
//! cache, in other blocks. What does not depend on the inputs that change is shared.

use rustc_hash::{FxHashMap, FxHashSet};

use super::bandwidth::MEMORY_BANDWIDTH;
use super::figures::{Figures, Unit};
use super::nest_model::NestModel;
use super::{Model, busiest};
use crate::expr::{Comparison, Expr, FigureId, Node, Symbol, SymbolKind};
use crate::machine::MachineModel;

/// A model in which some symbols stand for something else.
pub(super) struct WhatIf<'r> {
    name: String,
    replace: &'r dyn Fn(&Symbol) -> Option<Expr>,
    known: FxHashMap<FigureId, FigureId>,
    independent: &'r mut FxHashSet<FigureId>,
}

impl<'r> WhatIf<'r> {
    /// `name` is added to the labels of figures. Figures that depend on none of the symbols are kept in `independent`,
    /// for the next model in which the same symbols are replaced.
    pub fn new(
        name: impl Into<String>,
        replace: &'r dyn Fn(&Symbol) -> Option<Expr>,
        independent: &'r mut FxHashSet<FigureId>,
    ) -> WhatIf<'r> {
        WhatIf {
            name: name.into(),
            replace,
            known: FxHashMap::default(),
            independent,
        }
    }

    /// The figure with the other inputs; itself if it does not depend on them.
    pub fn figure(&mut self, id: FigureId, figures: &mut Figures) -> FigureId {
        if self.independent.contains(&id) {
            return id;
        }
        if let Some(known) = self.known.get(&id) {
            return *known;
        }
        let expr = figures.get(id).expr.clone();
        if !self.changes(&expr, figures) {
            self.independent.insert(id);
            return id;
        }
        let expr = expr.replace_leaves(&mut |leaf| match leaf.node() {
            Node::Symbol(symbol) => (self.replace)(symbol),
            Node::Figure(inner) => Some(Expr::from(self.figure(*inner, figures))),
            _ => None,
        });
        let figure = figures.get(id);
        let (label, unit) = (format!("{}, {}", figure.label, self.name), figure.unit);
        let other = figures.define(label, unit, expr);
        self.known.insert(id, other);
        other
    }

    fn changes(&mut self, expr: &Expr, figures: &mut Figures) -> bool {
        match expr.node() {
            Node::Symbol(symbol) => (self.replace)(symbol).is_some(),
            Node::Figure(inner) => self.figure(*inner, figures) != *inner,
            _ => expr
                .children()
                .into_iter()
                .any(|child| self.changes(child, figures)),
        }
    }
}

/// Times on a second machine.
pub struct OtherMachine {
    /// The nests that are compared: all, or those with the most work of a big program.
    pub nests: Vec<OtherNest>,
    /// Seconds of these nests on both machines, and the second over the first.
    pub seconds: (FigureId, FigureId),
    pub ratio: FigureId,
}

/// One nest on a second machine.
pub struct OtherNest {
    /// Position among the nests.
    pub nest: usize,
    pub seconds: FigureId,
    /// Over the time on the first machine.
    pub ratio: FigureId,
    pub bound: FigureId,
}

/// Nests that are compared: each has formulas of its own for the second machine.
const MOST_COMPARED: usize = 200;

impl OtherMachine {
    pub(super) fn define(
        machine: &MachineModel,
        nests: &[NestModel],
        figures: &mut Figures,
    ) -> OtherMachine {
        let on_other = |symbol: &Symbol| {
            let is_known = machine.parameter(symbol.name()).is_some();
            (symbol.kind() == SymbolKind::Machine && is_known)
                .then(|| Expr::machine(&Model::on_other(symbol.name())))
        };
        let mut compared = busiest(nests, MOST_COMPARED, figures);
        compared.sort_unstable();
        let mut independent = FxHashSet::default();
        let memory = figures.shared(MEMORY_BANDWIDTH);
        let other_memory =
            WhatIf::new("machine B", &on_other, &mut independent).figure(memory, figures);
        let mut define = |nest: usize| {
            let time = &nests[nest].time;
            // One nest after the other, so that what is remembered stays small.
            let mut other = WhatIf::new("machine B", &on_other, &mut independent);
            other.known.insert(memory, other_memory);
            let seconds = other.figure(time.seconds, figures);
            let bound = other.figure(time.bound, figures);
            let ratio = define_ratio("time on B over time on A", seconds, time.seconds, figures);
            OtherNest {
                nest,
                seconds,
                ratio,
                bound,
            }
        };
        let compared: Vec<OtherNest> = compared.into_iter().map(&mut define).collect();
        let own = compared.iter().map(|other| nests[other.nest].time.seconds);
        let own = figures.define_total("time of the compared nests", Unit::Seconds, own);
        let others = compared.iter().map(|other| other.seconds);
        let others = figures.define_total(
            "time of the compared nests, machine B",
            Unit::Seconds,
            others,
        );
        let ratio = define_ratio("total time on B over total time on A", others, own, figures);
        OtherMachine {
            nests: compared,
            seconds: (own, others),
            ratio,
        }
    }
}

fn define_ratio(label: &str, part: FigureId, whole: FigureId, figures: &mut Figures) -> FigureId {
    let (whole, none) = (Expr::from(whole), Expr::from(0.0));
    let ratio = Expr::from(part).quotient(whole.clone());
    figures.define(
        label,
        Unit::Ratio,
        Expr::choose(Comparison::Greater, whole, none.clone(), ratio, none),
    )
}
