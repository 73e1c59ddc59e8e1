//! Figures that are unknown on some machines: of all that depends on a machine figure that nobody published, the
//! workbook says so, and shows a number as soon as a machine is picked that has one.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::expr::{Comparison, Expr, FigureId, Function, Node, SymbolKind};
use crate::machine::parameters::{Fallback, all_parameters};
use crate::model::scenarios::{SCENARIOS, in_scenario};
use crate::model::{Detail, FigureMap, Figures, Model};

/// Which figures are unknown on some machine.
pub(super) fn unsure(model: &Model) -> FigureMap<bool> {
    let mut unsure = model.figures.map_of(false);
    if model.figures.detail() != Detail::AnyMachine {
        return unsure;
    }
    // A level without bytes is no level, which formulas know.
    let may_lack = |(_, _, row): &(_, _, &crate::machine::parameters::ParameterRow)| {
        row.fallback == Fallback::Unknown && row.name != "bytes"
    };
    let names: Vec<String> = all_parameters()
        .filter(may_lack)
        .map(|(name, ..)| name)
        .collect();
    // Of machine B and of scenarios the same.
    let elsewhere = |name: &String| {
        let scenarios = 0..SCENARIOS.len();
        let in_scenarios = scenarios.map(|scenario| in_scenario(name, scenario));
        let others: Vec<String> = in_scenarios.chain([Model::on_other(name)]).collect();
        others
    };
    let names: FxHashSet<String> = (names.iter())
        .flat_map(|name| elsewhere(name).into_iter().chain([name.clone()]))
        .collect();
    for (id, figure) in model.figures.iter() {
        let mut search = Search {
            figures: &model.figures,
            names: &names,
            unsure: &unsure,
            asked: Vec::new(),
            found: Vec::new(),
        };
        // What is not a number on the machine in force may be one on another.
        let is_unsure = search.depends(&figure.expr)
            || !figure.value.is_finite() && has_known_numbers(&figure.expr);
        if let Some(entry) = unsure.get_mut(id).filter(|_| is_unsure) {
            *entry = true;
        }
    }
    unsure
}

/// Whether all numbers in it are numbers, so that it can be written as a formula.
fn has_known_numbers(expr: &Expr) -> bool {
    let mut children = expr.children();
    expr.as_number().is_none_or(f64::is_finite) && children.all(has_known_numbers)
}

/// Looks for parameters that a machine may lack.
struct Search<'m> {
    figures: &'m Figures,
    names: &'m FxHashSet<String>,
    /// Of the figures that are defined before.
    unsure: &'m FigureMap<bool>,
    /// What was asked for being more than zero.
    asked: Vec<Expr>,
    /// What was found of figures, for each condition around.
    found: Vec<FxHashMap<FigureId, bool>>,
}

impl Search<'_> {
    /// Whether the expression has one of the symbols where nothing asked before if it is more than zero.
    fn depends(&mut self, expr: &Expr) -> bool {
        match expr.node() {
            Node::Symbol(_) => self.is_open(expr),
            // A part of a formula may be asked for outside of it.
            Node::Figure(id) if self.unsure.get(*id) == Some(&true) => {
                let part = &self.figures.get(*id).expr;
                if self.asked.is_empty() {
                    return true;
                }
                let known = self.found.last().and_then(|found| found.get(id));
                known.copied().unwrap_or_else(|| {
                    let depends = self.depends(part);
                    if let Some(found) = self.found.last_mut() {
                        found.insert(*id, depends);
                    }
                    depends
                })
            }
            Node::Figure(_) => false,
            Node::Quotient(dividend, divisor) => {
                self.is_zero_where_unknown(divisor)
                    || self.depends(dividend)
                    || self.depends(divisor)
            }
            Node::If(Comparison::Greater, parts) if parts[1].is_zero() => {
                let before = self.asked.len();
                self.ask(&parts[0]);
                self.found.push(FxHashMap::default());
                let found = self.depends(&parts[0]) || self.depends(&parts[2]);
                self.found.pop();
                self.asked.truncate(before);
                found || self.depends(&parts[3])
            }
            _ => (expr.children()).any(|child| self.depends(child)),
        }
    }

    /// Whether it is a figure that a machine leaves at zero by not having what nothing asked for before.
    fn is_zero_where_unknown(&self, divisor: &Expr) -> bool {
        let Node::Figure(id) = divisor.node() else {
            return false;
        };
        match self.figures.get(*id).expr.node() {
            Node::If(Comparison::Greater, parts) if parts[1].is_zero() && parts[3].is_zero() => {
                self.is_open(&parts[0])
            }
            _ => false,
        }
    }

    /// Whether a condition is about a parameter that a machine may lack and nothing asked for before.
    fn is_open(&self, condition: &Expr) -> bool {
        match condition.node() {
            Node::Call(Function::Min, items) => items.iter().any(|item| self.is_open(item)),
            Node::Symbol(symbol) => {
                symbol.kind() == SymbolKind::Machine
                    && self.names.contains(symbol.name())
                    && !self.asked.contains(condition)
            }
            Node::Figure(id) => {
                !self.asked.contains(condition) && self.is_open(&self.figures.get(*id).expr)
            }
            _ => false,
        }
    }

    /// The least of several is more than zero only if each of them is.
    fn ask(&mut self, condition: &Expr) {
        match condition.node() {
            Node::Call(Function::Min, items) => items.iter().for_each(|item| self.ask(item)),
            Node::Figure(id) => {
                let part = &self.figures.get(*id).expr;
                self.ask(part);
                self.asked.push(condition.clone());
            }
            _ => self.asked.push(condition.clone()),
        }
    }
}
