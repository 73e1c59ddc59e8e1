//! The figures of a page: those that it shows, all that they are made from, and the steps that compute them.

use std::collections::HashMap;
use std::ops::Range;

use super::formulas::{Definition, Formulas};
use crate::expr::{Expr, FigureId, Leaves, Node, Operand, Operations, Symbol};
use crate::model::parameters::Row;
use crate::model::{FigureMap, Model};

/// Figures of nests that follow the inputs: some megabytes of formulas.
const MOST_FIGURES: usize = 200_000;
/// The same of programs with many nests, whose names and values have to fit beside them.
const MOST_OF_MANY: usize = 80_000;
/// More nests than that are many.
const MANY_NESTS: usize = 800;

/// Gives every figure that is shown a position in the page's array of values.
pub(super) struct Figures<'m> {
    model: &'m Model<'m>,
    positions: FigureMap<Option<u32>>,
    /// The figures by position; `None` is a formula that only the page has.
    bound: Vec<Option<FigureId>>,
    formulas: Vec<(u32, Expr)>,
    /// Which nests follow the inputs.
    live: Vec<bool>,
    /// Figures of the other nests, in their order.
    fixed: Vec<Range<FigureId>>,
}

impl<'m> Figures<'m> {
    pub fn new(model: &'m Model<'m>) -> Figures<'m> {
        let live = live_nests(model);
        let others = model
            .nests
            .iter()
            .zip(&live)
            .filter(|(_, is_live)| !**is_live);
        Figures {
            model,
            positions: model.figures.map_of(None),
            bound: Vec::new(),
            formulas: Vec::new(),
            fixed: others.map(|(nest, _)| nest.figures.clone()).collect(),
            live,
        }
    }

    /// Which nests follow the inputs. The figures of the others are numbers, also where totals are made from them.
    pub fn live(&self) -> &[bool] {
        &self.live
    }

    fn is_fixed(&self, id: FigureId) -> bool {
        let after = self.fixed.partition_point(|range| range.start <= id);
        after
            .checked_sub(1)
            .is_some_and(|last| self.fixed[last].contains(&id))
    }

    /// What the page assigns to a figure.
    fn expr(&self, id: FigureId) -> Expr {
        let figure = self.model.figures.get(id);
        if self.is_fixed(id) {
            Expr::from(figure.value)
        } else {
            figure.expr.clone()
        }
    }

    /// The position of a figure.
    pub fn position(&mut self, id: FigureId) -> u32 {
        let next = self.bound.len() as u32;
        let position = self.positions.get_mut(id).expect("a figure of the model");
        *position.get_or_insert_with(|| {
            self.bound.push(Some(id));
            next
        })
    }

    /// The position of the value of a formula over figures.
    pub fn formula(&mut self, expr: Expr) -> u32 {
        let position = self.bound.len() as u32;
        self.bound.push(None);
        self.formulas.push((position, expr));
        position
    }

    /// Figures by position, those included that are only needed by others; `None` is a formula of the page.
    pub fn bound(mut self) -> Vec<Option<FigureId>> {
        self.close();
        self.bound
    }

    /// The rows of parameters that the page has: all of them, or those that something follows if not all nests do.
    pub fn kept_inputs(&mut self) -> Vec<usize> {
        let rows = self.model.parameters.rows();
        if self.live.iter().all(|live| *live) {
            return (0..rows.len()).collect();
        }
        self.close();
        let index = rows.iter().map(|row| row.name.as_str()).zip(0..);
        let index: HashMap<&str, usize> = index.collect();
        let mut kept = vec![false; rows.len()];
        let mut pending: Vec<usize> = Vec::new();
        let positions = self.positions.iter();
        let shown = positions.filter_map(|(id, at)| at.map(|_| self.expr(id)));
        for expr in shown.chain(self.formulas.iter().map(|(_, expr)| expr.clone())) {
            pending.extend(expr.symbols().iter().filter_map(|s| index.get(s.name())));
        }
        while let Some(row) = pending.pop() {
            if std::mem::replace(&mut kept[row], true) {
                continue;
            }
            if let Some(definition) = &rows[row].definition {
                let mentioned = definition.symbols();
                pending.extend(mentioned.iter().filter_map(|s| index.get(s.name())));
            }
        }
        (0..rows.len()).filter(|row| kept[*row]).collect()
    }

    /// The formulas of the page; `kept` are the rows of parameters that it has.
    pub fn formulas(mut self, kept: &[usize]) -> Formulas {
        self.close();
        let symbols = symbols(self.model, kept);
        let mut following = Operations::default();
        let none = self.model.figures.map_of(None);
        let leaves = Names {
            symbols: &symbols,
            places: &none,
        };
        let mut follow = |(row, expr): (usize, &Expr)| {
            following.separate();
            let value = following.add(expr, &leaves);
            Definition {
                input: row as u32,
                value,
                end: following.steps.len() as u32,
            }
        };
        let definitions = derived(self.model, kept).into_iter();
        let definitions = definitions.map(&mut follow).collect();
        let mut operations = Operations::default();
        let mut places = self.model.figures.map_of(None);
        let unknown = operations.constant(f64::NAN);
        let mut positions = vec![unknown; self.bound.len()];
        let shown = self.positions.iter();
        let shown: Vec<(FigureId, u32)> = shown.filter_map(|(id, at)| Some((id, (*at)?))).collect();
        for (id, at) in shown {
            let leaves = Names {
                symbols: &symbols,
                places: &places,
            };
            let value = operations.add(&self.expr(id), &leaves);
            *places.get_mut(id).expect("a figure of the model") = Some(value);
            positions[at as usize] = value;
        }
        let leaves = Names {
            symbols: &symbols,
            places: &places,
        };
        for (at, expr) in &self.formulas {
            positions[*at as usize] = operations.add(expr, &leaves);
        }
        Formulas {
            inputs: symbols.len() as u32,
            following,
            definitions,
            operations,
            positions,
        }
    }

    /// Adds what the figures so far are made from. Figures only name earlier ones, so one pass from the last to the
    /// first finds all.
    fn close(&mut self) {
        let figures = &self.model.figures;
        for (_, expr) in self.formulas.clone() {
            self.add_leaves(&expr);
        }
        let ids: Vec<FigureId> = figures.iter().map(|(id, _)| id).collect();
        for id in ids.into_iter().rev() {
            if self.positions.get(id).is_some_and(Option::is_some) {
                self.add_leaves(&self.expr(id));
            }
        }
    }

    fn add_leaves(&mut self, expr: &Expr) {
        if let Node::Figure(id) = expr.node() {
            self.position(*id);
        }
        expr.children().for_each(|child| self.add_leaves(child));
    }
}

/// The costliest nests, as many as a page can compute; all of them in any but big programs.
fn live_nests(model: &Model) -> Vec<bool> {
    // What is not listed is in the totals.
    let order = model.ranking.order(&model.nests, &model.figures);
    let is_shown = |nest: &usize| model.nests[*nest].nest.is_shown();
    let (listed, hidden): (Vec<usize>, Vec<usize>) = order.into_iter().partition(is_shown);
    let order = listed.into_iter().chain(hidden);
    let mut live = vec![false; model.nests.len()];
    let mut left = match model.nests.len() > MANY_NESTS {
        true => MOST_OF_MANY,
        false => MOST_FIGURES,
    };
    for nest in order {
        let Range { start, end } = &model.nests[nest].figures;
        let Some(rest) = left.checked_sub((end.0 - start.0) as usize) else {
            break;
        };
        left = rest;
        live[nest] = true;
    }
    live
}

/// Positions of all inputs: machine, then those rows of the problem that are kept.
fn symbols<'m>(model: &'m Model, kept: &[usize]) -> HashMap<&'m str, usize> {
    let machine = model
        .machine
        .parameters
        .iter()
        .map(|parameter| parameter.name.as_str());
    let rows = model.parameters.rows();
    let problem = kept.iter().map(|row| rows[*row].name.as_str());
    machine
        .chain(problem)
        .enumerate()
        .map(|(index, name)| (name, index))
        .collect()
}

/// Parameters with a definition and their positions among the inputs, each after those that it mentions.
fn derived<'m>(model: &'m Model, kept: &[usize]) -> Vec<(usize, &'m Expr)> {
    let symbols = symbols(model, kept);
    let first = model.machine.parameters.len();
    let all = model.parameters.rows();
    let rows: Vec<&Row> = kept.iter().map(|row| &all[*row]).collect();
    let mut order = Vec::new();
    let mut seen = vec![false; rows.len()];
    for start in 0..rows.len() {
        // A definition that was begun comes up again when all that it mentions is done.
        let mut pending = vec![(start, false)];
        while let Some((row, is_ready)) = pending.pop() {
            let Some(definition) = rows[row]
                .definition
                .as_ref()
                .filter(|d| d.as_number().is_none())
            else {
                continue;
            };
            if is_ready {
                order.push((first + row, definition));
            } else if !std::mem::replace(&mut seen[row], true) {
                pending.push((row, true));
                let mentioned = definition.symbols();
                let mentioned = mentioned
                    .iter()
                    .filter_map(|symbol| symbols.get(symbol.name())?.checked_sub(first));
                pending.extend(mentioned.map(|other| (other, false)));
            }
        }
    }
    order
}

/// Where what formulas mention has its values.
struct Names<'n> {
    symbols: &'n HashMap<&'n str, usize>,
    places: &'n FigureMap<Option<Operand>>,
}

impl Leaves for Names<'_> {
    fn figure(&self, id: FigureId) -> Option<Operand> {
        *self.places.get(id)?
    }

    fn input(&self, symbol: &Symbol) -> Option<u32> {
        let position = self.symbols.get(symbol.name())?;
        Some(*position as u32)
    }
}
