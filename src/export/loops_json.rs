//! JSON of loops: what the source says of each.

use serde_json::{Map, Value, json};

use crate::analysis::coverage;
use crate::analysis::facts::{
    Block, Flops, Function, Item, Loop, OperationCounts, Stream, Subscript,
};
use crate::expr::{Expr, Symbol};
use crate::model::nest::ChainLoop;
use crate::model::{Model, StreamShape};

/// The loops of a function of the model, each before those inside of it.
pub(super) fn loops(model: &Model, index: usize) -> Vec<Value> {
    let function = &model.program.functions[index];
    let mut found = Vec::new();
    let place = Surroundings {
        model,
        index,
        function,
    };
    collect_loops(
        &function.body,
        &place,
        &mut Vec::new(),
        &mut Vec::new(),
        &mut found,
    );
    found
}

/// The function around loops.
struct Surroundings<'s> {
    model: &'s Model<'s>,
    index: usize,
    function: &'s Function,
}

impl Surroundings<'_> {
    /// The name of a symbol as a parameter.
    fn name(&self, symbol: &Symbol) -> String {
        match self.model.parameters.row(self.index, symbol) {
            Some(row) => row.name.clone(),
            None => symbol.name().to_string(),
        }
    }

    fn text(&self, expr: &Expr) -> String {
        self.model.parameters.text(expr)
    }
}

fn collect_loops<'a>(
    block: &'a Block,
    place: &Surroundings,
    chain: &mut Vec<ChainLoop<'a>>,
    weights: &mut Vec<String>,
    found: &mut Vec<Value>,
) {
    for item in &block.items {
        match item {
            Item::Loop(inner) => {
                chain.push(ChainLoop {
                    facts: inner,
                    weight: Vec::new(),
                });
                found.push(one_loop(inner, place, chain, weights));
                collect_loops(&inner.body, place, chain, weights, found);
                chain.pop();
            }
            Item::Branch(branch) => {
                let probability = place.text(&Expr::from(branch.probability.clone()));
                weights.push(probability.clone());
                collect_loops(&branch.then, place, chain, weights, found);
                weights.pop();
                if let Some(otherwise) = &branch.otherwise {
                    weights.push(format!("1 - {probability}"));
                    collect_loops(otherwise, place, chain, weights, found);
                    weights.pop();
                }
            }
        }
    }
}

fn one_loop(facts: &Loop, place: &Surroundings, chain: &[ChainLoop], weights: &[String]) -> Value {
    let mut flops = Flops::default();
    let (mut scalars, mut calls) = (Vec::new(), Vec::new());
    let mut streams = Vec::new();
    facts.body.with_branches(&mut |block| {
        flops.add(&block.flops);
        scalars.extend(&block.scalars);
        calls.extend(&block.calls);
        block
            .streams
            .iter()
            .for_each(|s| crate::analysis::merge_stream(&mut streams, s.clone()));
    });
    let by_type: Map<String, Value> = flops
        .by_type
        .iter()
        .map(|(ty, counts)| (ty.clone(), operations(*counts)))
        .collect();
    let mut all = operations(flops.total());
    all["by_type"] = by_type.into();
    let mut value = json!({
        "id": facts.id,
        "line": facts.line,
        "end_line": facts.end_line,
        "depth": chain.len(),
        "var": facts.variable,
        "lower": place.text(&facts.lower),
        "upper": place.text(&facts.upper),
        "step": place.text(&facts.step),
        "parallel": facts.parallel,
        "exits_early": facts.exits_early,
        "parent": chain.len().checked_sub(2).map(|i| chain[i].facts.id.clone()),
        "children": facts.body.loops().iter().map(|l| l.id.clone()).collect::<Vec<_>>(),
        "flops": all,
        "repeated": {
            "adds": facts.repeated.adds,
            "multiplies": facts.repeated.multiplies,
            "divides": facts.repeated.divides,
            "specials": facts.repeated.specials,
        },
        "arrays": streams.iter().map(|s| array(s, chain, place)).collect::<Vec<_>>(),
        "scalars": scalars.iter().map(|s| json!({
            "name": s.name, "type": s.ty, "constant": s.is_constant, "class": s.class.as_str(),
            "reads": s.reads, "writes": s.writes,
        })).collect::<Vec<_>>(),
        "calls": calls.iter().map(|c| json!({
            "line": c.line, "name": c.name, "arguments": c.arguments, "body": c.body.as_str(),
        })).collect::<Vec<_>>(),
        "probability": if weights.is_empty() { "1".to_string() } else { weights.join(" * ") },
        "branches": branches(&facts.body, place),
        "reasons": coverage::reasons(facts).iter().map(|r| json!({
            "code": r.code, "line": r.line, "detail": r.detail,
        })).collect::<Vec<_>>(),
    });
    if facts.file != place.function.file {
        value["file"] = json!(&*facts.file);
    }
    value
}

/// Conditions of a loop, those inside others too, with the parameter that holds the probability of the first arm.
fn branches(block: &Block, place: &Surroundings) -> Vec<Value> {
    let mut found = Vec::new();
    for item in &block.items {
        let Item::Branch(branch) = item else { continue };
        found.push(json!({
            "line": branch.line,
            "condition": branch.condition,
            "probability": place.name(&branch.probability),
            "then": branch.then_lines,
            "otherwise": branch.otherwise_lines,
        }));
        found.extend(branches(&branch.then, place));
        found.extend(
            branch
                .otherwise
                .iter()
                .flat_map(|block| branches(block, place)),
        );
    }
    found
}

fn operations(counts: OperationCounts) -> Value {
    let entries = OperationCounts::NAMES.iter().zip(counts.values());
    entries
        .map(|(name, count)| (name.to_string(), json!(count)))
        .collect::<Map<String, Value>>()
        .into()
}

fn array(stream: &Stream, chain: &[ChainLoop], place: &Surroundings) -> Value {
    let shape = StreamShape::new(stream, chain, &[]);
    let accesses = stream
        .accesses
        .iter()
        .map(|a| json!({ "offset": a.offset, "reads": a.reads, "writes": a.writes }));
    let gap = |level| shape.largest_gap(level).unwrap_or(1);
    json!({
        "name": stream.array,
        "component": stream.component,
        "type": stream.ty,
        "element_bytes": stream.element_bytes,
        "class": stream.class.as_str(),
        "shape": shape.name(),
        "subscripts": stream.subscripts.iter().map(|s| subscript(s, place)).collect::<Vec<_>>(),
        "ghost": shape.ghosts().iter().map(|(lo, hi)| json!([lo, hi])).collect::<Vec<_>>(),
        "accesses": accesses.collect::<Vec<_>>(),
        "planes": shape.groups(2),
        "pencils": shape.groups(1),
        "cells": shape.groups(0),
        "live_planes": shape.live_groups(2, gap(2)),
        "live_pencils": shape.live_groups(1, gap(1)),
        "live_cells": shape.live_groups(0, gap(0)),
    })
}

fn subscript(subscript: &Subscript, place: &Surroundings) -> String {
    match &subscript.gather {
        Some(text) => format!("gather({text})"),
        None => {
            let terms = subscript
                .terms
                .iter()
                .map(|(name, c)| c * &Expr::symbol(name));
            place.text(&Expr::sum(terms.chain([subscript.base.clone()])))
        }
    }
}
