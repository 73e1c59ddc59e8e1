//! The values of parameters that follow from others.

use std::collections::HashMap;

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use super::{Kind, ParameterTable, Row};
use crate::analysis::facts::Origin;
use crate::expr::{Expr, Lookup, Symbol};

impl ParameterTable {
    /// Evaluates defined rows in the order of their dependence. Of rows that lead back to themselves nothing is known,
    /// whichever comes first.
    pub(super) fn evaluate(&mut self) {
        let index: HashMap<String, usize> = self
            .rows
            .iter()
            .enumerate()
            .map(|(i, r)| (r.name.clone(), i))
            .collect();
        for row in circular(&self.rows, &index) {
            (self.rows[row].definition, self.rows[row].origin) = (None, Origin::Default);
        }
        let mut state = vec![State::Waiting; self.rows.len()];
        for row in 0..self.rows.len() {
            self.evaluate_row(row, &index, &mut state);
        }
    }

    fn evaluate_row(
        &mut self,
        row: usize,
        index: &HashMap<String, usize>,
        state: &mut [State],
    ) -> bool {
        match state[row] {
            State::Done => return true,
            State::Busy => return false,
            State::Waiting => state[row] = State::Busy,
        }
        if let Some(definition) = self.rows[row].definition.clone() {
            let sound = (definition.symbols().iter()).all(|s| {
                index
                    .get(s.name())
                    .is_some_and(|other| self.evaluate_row(*other, index, state))
            });
            let rows = &self.rows;
            let values = |symbol: &Symbol| index.get(symbol.name()).map(|i| rows[*i].value);
            let value = definition
                .evaluate(&values as &dyn Lookup)
                .ok()
                .filter(|v| sound && v.is_finite());
            match value {
                Some(value) => self.rows[row].value = value,
                None => {
                    (self.rows[row].definition, self.rows[row].origin) = (None, Origin::Default);
                }
            }
        }
        let evaluated = &self.rows[row];
        let follows = |definition: &Expr| {
            let rows = definition.symbols().into_iter();
            rows.filter_map(|symbol| index.get(symbol.name()))
                .any(|other| self.rows[*other].rests_on_guess)
        };
        self.rows[row].rests_on_guess = evaluated.kind != Kind::Block && evaluated.is_guessed()
            || evaluated.definition.as_ref().is_some_and(follows);
        state[row] = State::Done;
        true
    }
}

/// The rows whose definitions lead back to themselves.
fn circular(rows: &[Row], index: &HashMap<String, usize>) -> Vec<usize> {
    let mut graph: DiGraph<(), ()> = DiGraph::with_capacity(rows.len(), rows.len());
    for _ in rows {
        graph.add_node(());
    }
    for (row, of) in rows.iter().enumerate() {
        let symbols = of.definition.iter().flat_map(Expr::symbols);
        let others = symbols.filter_map(|symbol| index.get(symbol.name()));
        for other in others {
            graph.update_edge(NodeIndex::new(row), NodeIndex::new(*other), ());
        }
    }
    let circles = tarjan_scc(&graph).into_iter();
    let circles =
        circles.filter(|rows| rows.len() > 1 || graph.find_edge(rows[0], rows[0]).is_some());
    circles.flatten().map(NodeIndex::index).collect()
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Waiting,
    Busy,
    Done,
}
