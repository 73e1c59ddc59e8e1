//! Figures again with other inputs, from the same expressions: what a time would be on another machine, with another
//! cache, in other blocks. What does not depend on the inputs that change is shared.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Model;
use super::catalogue::StaticFigure as F;
use super::figures::Figures;
use super::label::{Instead, Label};
use super::nest_model::NestModel;
use super::ranking::Ranking;
use super::summary::define_ratio;
use crate::expr::{Expr, FigureId, Node, Symbol, SymbolKind};
use crate::machine::MachineModel;

/// A model in which some symbols stand for something else.
pub(super) struct WhatIf<'r> {
    instead: Arc<Instead>,
    replace: &'r dyn Fn(&Symbol) -> Option<Expr>,
    known: FxHashMap<FigureId, FigureId>,
    independent: &'r mut FxHashSet<FigureId>,
}

impl<'r> WhatIf<'r> {
    /// Figures that depend on none of the symbols are kept in `independent`,
    /// for the next model in which the same symbols are replaced.
    pub fn new(
        instead: Instead,
        replace: &'r dyn Fn(&Symbol) -> Option<Expr>,
        independent: &'r mut FxHashSet<FigureId>,
    ) -> WhatIf<'r> {
        WhatIf {
            instead: Arc::new(instead),
            replace,
            known: FxHashMap::default(),
            independent,
        }
    }

    /// Lets a figure be something else, whatever it depends on.
    pub fn replace(&mut self, id: FigureId, expr: Expr, figures: &mut Figures) {
        let label = figures.get(id).label.clone().instead(&self.instead);
        let other = figures.define(label, expr);
        self.known.insert(id, other);
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
        let label = figures.get(id).label.clone().instead(&self.instead);
        let other = figures.define(label, expr);
        self.known.insert(id, other);
        other
    }

    fn changes(&mut self, expr: &Expr, figures: &mut Figures) -> bool {
        match expr.node() {
            Node::Symbol(symbol) => (self.replace)(symbol).is_some(),
            Node::Figure(inner) => self.figure(*inner, figures) != *inner,
            _ => expr.children().any(|child| self.changes(child, figures)),
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
        (nests, ranking): (&[NestModel], &Ranking),
        figures: &mut Figures,
    ) -> OtherMachine {
        // Asked for each name in each formula.
        let parameters = machine.parameters.iter().map(|parameter| {
            let name = parameter.name.as_str();
            (name, Expr::machine(&Model::on_other(name)))
        });
        let parameters: FxHashMap<&str, Expr> = parameters.collect();
        let on_other = |symbol: &Symbol| match symbol.kind() {
            SymbolKind::Machine => parameters.get(symbol.name()).cloned(),
            _ => None,
        };
        let mut compared = ranking.busiest(nests, MOST_COMPARED, figures);
        compared.sort_unstable();
        let mut independent = FxHashSet::default();
        let memory = figures.shared(F::MemoryBandwidth);
        let other_memory =
            WhatIf::new(Instead::OtherMachine, &on_other, &mut independent).figure(memory, figures);
        let mut define = |nest: usize| {
            let time = &nests[nest].time;
            // One nest after the other, so that what is remembered stays small.
            let mut other = WhatIf::new(Instead::OtherMachine, &on_other, &mut independent);
            other.known.insert(memory, other_memory);
            let own = ranking.seconds(nest).unwrap_or(time.seconds);
            let seconds = other.figure(own, figures);
            let bound = other.figure(time.bound, figures);
            let ratio = define_ratio(F::TimeRatio, (seconds, own), figures);
            OtherNest {
                nest,
                seconds,
                ratio,
                bound,
            }
        };
        let compared: Vec<OtherNest> = compared.into_iter().map(&mut define).collect();
        let own = (compared.iter()).filter_map(|other| ranking.seconds(other.nest));
        let own = match compared.len() == nests.len() {
            true => figures.define_total(F::ComparedTime, own),
            // Some of all nests, so that no range of a table holds them.
            false => figures.define(F::ComparedTime, Expr::sum(own.map(Expr::from))),
        };
        let others = compared.iter().map(|other| other.seconds);
        let others = figures.define_total(
            Label::from(F::ComparedTime).instead(&Arc::new(Instead::OtherMachine)),
            others,
        );
        let ratio = define_ratio(F::ComparedRatio, (others, own), figures);
        OtherMachine {
            nests: compared,
            seconds: (own, others),
            ratio,
        }
    }
}
