//! Loops that follow each other, in time: when each can start and end if nothing but dependences orders
//! them, and the traffic that making two of them one would save.

use std::collections::BTreeMap;

use petgraph::Direction;
use petgraph::graph::{DiGraph, NodeIndex};
use rayon::prelude::*;

use super::catalogue::StaticFigure as F;
use super::figures::Figures;
use super::label::Subject;
use super::nest_model::NestModel;
use super::stream::StreamFigures;
use super::traffic::cost_of;
use crate::analysis::dependence::fusion::{Candidate, Verdict};
use crate::analysis::dependence::{self, Dependence};
use crate::analysis::facts::{Loop, Program};
use crate::expr::{Comparison, Expr, FigureId};

/// Loops of one function, or inside one of its loops.
pub struct SequenceModel<'p> {
    /// Index into the functions of the program.
    pub function: usize,
    /// The loop that they are in, if any.
    pub within: Option<&'p Loop>,
    /// Nodes are the loops in program order.
    pub graph: DiGraph<&'p Loop, Dependence>,
    /// One a node.
    pub loops: Vec<LoopTimes>,
    /// Seconds of all loops, one after the other.
    pub total: FigureId,
    /// Seconds of the longest chain of dependences.
    pub critical: FigureId,
    pub fusions: Vec<FusionModel<'p>>,
}

impl SequenceModel<'_> {
    /// The function, or the loop that the sequence is in.
    pub fn place<'a>(&'a self, program: &'a Program) -> &'a str {
        self.within
            .map_or(program.functions[self.function].name.as_str(), |outer| {
                &outer.id
            })
    }
}

impl SequenceModel<'_> {
    /// Nodes of a longest chain, by the values that the model has now.
    pub fn critical_path(&self, figures: &Figures) -> Vec<NodeIndex> {
        let value = |id: FigureId| figures.value(id);
        let finish = |node: &NodeIndex| value(self.loops[node.index()].finish);
        let mut path = Vec::new();
        let mut next = self
            .graph
            .node_indices()
            .max_by(|a, b| finish(a).total_cmp(&finish(b)));
        while let Some(node) = next {
            path.push(node);
            let start = value(self.loops[node.index()].start);
            let mut sources = self.graph.neighbors_directed(node, Direction::Incoming);
            next = sources.find(|source| start > 0.0 && finish(source) == start);
        }
        path.reverse();
        path
    }
}

/// When a loop runs. Seconds are those of the whole execution.
#[derive(Clone, Copy, Debug)]
pub struct LoopTimes {
    /// Of all nests in it.
    pub seconds: FigureId,
    /// When all that it depends on is done.
    pub start: FigureId,
    pub finish: FigureId,
}

/// Two loops that could become one.
pub struct FusionModel<'p> {
    pub candidate: Candidate<'p>,
    /// Arrays that both use.
    pub shared: Vec<String>,
    /// Bytes of traffic that the fused loop saves if it finds in the cache what it has just used; `None`
    /// where nothing is shared or it is not legal.
    pub saved: Option<FigureId>,
}

/// The sequences of all functions.
pub(super) fn build<'p>(
    program: &'p Program,
    nests: &[NestModel<'p>],
    figures: &mut Figures,
) -> Vec<SequenceModel<'p>> {
    let mut by_loop: BTreeMap<(usize, &str), Vec<usize>> = BTreeMap::new();
    for (index, nest) in nests.iter().enumerate() {
        for chained in &nest.nest.loops {
            by_loop
                .entry((nest.nest.function, chained.facts.id.as_str()))
                .or_default()
                .push(index);
        }
    }
    let sequences: Vec<Vec<dependence::Sequence>> = program
        .functions
        .par_iter()
        .map(dependence::sequences)
        .collect();
    let mut found = Vec::new();
    for (index, sequences) in sequences.into_iter().enumerate() {
        let nests_of = |facts: &Loop| -> Vec<&NestModel<'p>> {
            let indices = by_loop.get(&(index, facts.id.as_str()));
            indices
                .into_iter()
                .flatten()
                .map(|nest| &nests[*nest])
                .collect()
        };
        for dependence::Sequence {
            within,
            graph,
            fusions,
        } in sequences
        {
            let loops = times(&graph, &nests_of, figures);
            let total = Expr::sum(loops.iter().map(|times| Expr::from(times.seconds)));
            let total = figures.define(F::SequenceTime, total);
            let critical = Expr::max(loops.iter().map(|times| Expr::from(times.finish)));
            let critical = figures.define(F::CriticalPath, critical);
            let fusions = fusions
                .into_iter()
                .map(|candidate| fusion(candidate, &nests_of, figures))
                .collect();
            found.push(SequenceModel {
                function: index,
                within,
                graph,
                loops,
                total,
                critical,
                fusions,
            });
        }
    }
    found
}

fn times<'n, 'p: 'n>(
    graph: &DiGraph<&'p Loop, Dependence>,
    nests_of: &dyn Fn(&Loop) -> Vec<&'n NestModel<'p>>,
    figures: &mut Figures,
) -> Vec<LoopTimes> {
    let mut all: Vec<LoopTimes> = Vec::new();
    for node in graph.node_indices() {
        let id = Subject::Loop(graph[node].id.as_str().into());
        let seconds = Expr::sum(
            nests_of(graph[node])
                .iter()
                .map(|nest| Expr::from(nest.time.seconds)),
        );
        let seconds = figures.define(F::LoopTime.about(id.clone()), seconds);
        let mut sources: Vec<NodeIndex> = graph
            .neighbors_directed(node, Direction::Incoming)
            .collect();
        sources.sort_unstable();
        sources.dedup();
        let finishes = sources
            .iter()
            .map(|source| Expr::from(all[source.index()].finish));
        let start = Expr::max(finishes.chain([Expr::from(0.0)]));
        let start = figures.define(F::LoopStart.about(id.clone()), start);
        let finish = Expr::from(start) + Expr::from(seconds);
        let finish = figures.define(F::LoopEnd.about(id), finish);
        all.push(LoopTimes {
            seconds,
            start,
            finish,
        });
    }
    all
}

/// What each shared stream moves is saved once: where both read it, the second reading; where one writes it, what
/// the two cost apart less what one pass costs. The smaller of the two parts counts.
fn fusion<'n, 'p: 'n>(
    candidate: Candidate<'p>,
    nests_of: &dyn Fn(&Loop) -> Vec<&'n NestModel<'p>>,
    figures: &mut Figures,
) -> FusionModel<'p> {
    let mut shared = Vec::new();
    let mut terms = Vec::new();
    for first in nests_of(candidate.first) {
        for second in nests_of(candidate.second) {
            for a in &first.streams {
                for b in &second.streams {
                    let [s, t] = [
                        &first.nest.streams[a.index].stream,
                        &second.nest.streams[b.index].stream,
                    ];
                    if s.array != t.array || s.component != t.component {
                        continue;
                    }
                    if !shared.iter().any(|array| *array == s.array) {
                        shared.push(s.array.to_string());
                    }
                    // What costs nothing saves nothing.
                    let once = |f: &StreamFigures| {
                        let (cost, none) = (Expr::from(f.cost), Expr::from(0.0));
                        let moved = Expr::from(f.compulsory).quotient(cost.clone());
                        Expr::choose(Comparison::Greater, cost, none.clone(), moved, none)
                    };
                    let [x, y] = [a, b].map(once);
                    let apart = cost_of(s.class) + cost_of(t.class);
                    terms.push(Expr::min([x, y]) * (apart - cost_of(s.class.then(t.class))));
                }
            }
        }
    }
    let is_legal = matches!(candidate.verdict, Verdict::Fuses { .. });
    let saved = (is_legal && !terms.is_empty()).then(|| {
        let both = (candidate.first.id.clone(), candidate.second.id.clone());
        let label = F::FusionSaving.about(Subject::Loops(both.into()));
        figures.define(label, Expr::sum(terms))
    });
    FusionModel {
        candidate,
        shared,
        saved,
    }
}
