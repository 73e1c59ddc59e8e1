//! Figures again with other inputs, from the same expressions: what a time would be on another machine, with another
//! cache, in other blocks. What does not depend on the inputs that change is shared.

use rustc_hash::FxHashMap;

use super::build::NestModel;
use super::figures::{Figures, Unit};
use super::{Model, busiest};
use crate::expr::{Comparison, Expr, FigureId, Node};
use crate::machine::MachineModel;

/// A model in which some symbols stand for something else.
pub(super) struct WhatIf<'r> {
    name: String,
    replace: &'r dyn Fn(&str) -> Option<Expr>,
    known: FxHashMap<FigureId, FigureId>,
}

impl<'r> WhatIf<'r> {
    /// `name` is added to the labels of figures.
    pub fn new(name: impl Into<String>, replace: &'r dyn Fn(&str) -> Option<Expr>) -> WhatIf<'r> {
        WhatIf { name: name.into(), replace, known: FxHashMap::default() }
    }

    /// The figure with the other inputs; itself if it does not depend on them.
    pub fn figure(&mut self, id: FigureId, figures: &mut Figures) -> FigureId {
        if let Some(known) = self.known.get(&id) {
            return *known;
        }
        let figure = figures.get(id).clone();
        let mut is_other = false;
        let expr = figure.expr.replace_leaves(&mut |leaf| {
            let other = match leaf.node() {
                Node::Symbol(name) => (self.replace)(name),
                Node::Figure(inner) => {
                    let other = self.figure(*inner, figures);
                    (other != *inner).then(|| Expr::from(other))
                }
                _ => None,
            };
            is_other |= other.is_some();
            other
        });
        let other = match is_other {
            true => figures.define(format!("{}, {}", figure.label, self.name), figure.unit, expr),
            false => id,
        };
        self.known.insert(id, other);
        other
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
    pub(super) fn define(machine: &MachineModel, nests: &[NestModel], figures: &mut Figures) -> OtherMachine {
        let on_other = |name: &str| machine.parameter(name).is_some().then(|| Expr::symbol(&Model::on_other(name)));
        let mut compared = busiest(nests, MOST_COMPARED, figures);
        compared.sort_unstable();
        let mut define = |nest: usize| {
            let time = &nests[nest].time;
            // One nest after the other, so that what is remembered stays small.
            let mut other = WhatIf::new("machine B", &on_other);
            let seconds = other.figure(time.seconds, figures);
            let bound = other.figure(time.bound, figures);
            let ratio = define_ratio("time on B over time on A", seconds, time.seconds, figures);
            OtherNest { nest, seconds, ratio, bound }
        };
        let compared: Vec<OtherNest> = compared.into_iter().map(&mut define).collect();
        let own = compared.iter().map(|other| nests[other.nest].time.seconds);
        let own = figures.define_total("time of the compared nests", Unit::Seconds, own);
        let others = compared.iter().map(|other| other.seconds);
        let others = figures.define_total("time of the compared nests, machine B", Unit::Seconds, others);
        let ratio = define_ratio("total time on B over total time on A", others, own, figures);
        OtherMachine { nests: compared, seconds: (own, others), ratio }
    }
}

fn define_ratio(label: &str, part: FigureId, whole: FigureId, figures: &mut Figures) -> FigureId {
    let (whole, none) = (Expr::from(whole), Expr::from(0.0));
    let ratio = Expr::from(part).quotient(whole.clone());
    figures.define(label, Unit::Ratio, Expr::choose(Comparison::Greater, whole, none.clone(), ratio, none))
}
