//! Loops: what the source says of each.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::SubscriptReport;
use crate::analysis::coverage;
use crate::analysis::facts::{
    Access, AccessClass, Asks, Beside, Block, Flops, Function, Item, Loop, OperationCounts, Stream,
    Subscript,
};
use crate::analysis::loop_variable::LoopVariable;
use crate::expr::Expr;
use crate::model::nest::ChainLoop;
use crate::model::{Model, StreamShape};

/// A loop, without those inside of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LoopReport {
    /// Of the function's loops only this one has it, also where several stand on one line.
    pub id: String,
    pub line: u32,
    pub end_line: u32,
    pub depth: usize,
    pub var: LoopVariable,
    pub lower: String,
    pub upper: String,
    pub step: String,
    #[serde(default)]
    pub parallel: Option<String>,
    /// It may be left before its bounds say so.
    #[serde(default)]
    pub exits_early: bool,
    /// Its test comes after each iteration, and none before the first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tests_last: bool,
    /// Lines of statements that are executed as often as the loop.
    #[serde(default, skip_serializing_if = "Beside::is_none")]
    pub beside: Beside,
    pub parent: Option<String>,
    #[serde(default)]
    pub children: Vec<String>,
    /// Of its own code, every operator once.
    #[serde(default)]
    pub flops: FlopsReport,
    /// Of these, those that do again what the same iteration has done.
    #[serde(default)]
    pub repeated: RepeatedReport,
    pub arrays: Vec<ArrayReport>,
    #[serde(default)]
    pub scalars: Vec<ScalarReport>,
    #[serde(default)]
    pub calls: Vec<CallReport>,
    /// That of the branches around it, as an expression.
    #[serde(default)]
    pub probability: String,
    #[serde(default)]
    pub branches: Vec<BranchReport>,
    /// A condition around it stands on the line where it begins: what was decided there may be that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shares_condition_line: bool,
    /// Why it is not understood in full.
    #[serde(default)]
    pub reasons: Vec<ReasonReport>,
    /// Where it is another one than the function's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// Operations of a block, all together and by type of their operands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FlopsReport {
    #[serde(flatten)]
    pub all: OperationCounts,
    #[serde(default)]
    pub by_type: BTreeMap<String, OperationCounts>,
}

/// Operations that do again what the same iteration has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RepeatedReport {
    pub adds: u64,
    pub multiplies: u64,
    pub divides: u64,
    pub specials: u64,
}

/// References to one array that differ by constants only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ArrayReport {
    pub name: String,
    /// Member of a structure, if it is one.
    #[serde(default)]
    pub component: String,
    #[serde(rename = "type", default)]
    pub ty: String,
    /// `None` where the type is not known.
    #[serde(default)]
    pub element_bytes: Option<u32>,
    #[serde(default)]
    pub class: Option<AccessClass>,
    #[serde(default)]
    pub shape: String,
    pub subscripts: Vec<SubscriptReport>,
    /// By dimension, how far accesses reach beyond the range on either side.
    #[serde(default)]
    pub ghost: Vec<(i64, i64)>,
    pub accesses: Vec<Access>,
    #[serde(default)]
    pub planes: usize,
    #[serde(default)]
    pub pencils: usize,
    #[serde(default)]
    pub cells: usize,
    #[serde(default)]
    pub live_planes: i64,
    #[serde(default)]
    pub live_pencils: i64,
    #[serde(default)]
    pub live_cells: i64,
}

/// A scalar that a loop uses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ScalarReport {
    pub name: String,
    #[serde(rename = "type")]
    pub ty: String,
    pub constant: bool,
    pub class: AccessClass,
    pub reads: u64,
    pub writes: u64,
}

/// A call in a loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CallReport {
    pub line: u32,
    pub name: String,
    pub arguments: Vec<String>,
    /// What is known of its body, in a word.
    pub body: String,
}

/// A condition whose outcome the source does not decide.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BranchReport {
    /// Where its condition stands.
    #[serde(default)]
    pub line: u32,
    #[serde(default)]
    pub condition: String,
    /// Name of the parameter that holds the probability of the first arm.
    pub probability: String,
    /// Name of the parameter that holds how often a part of the condition holds that asks for loops: the probability is that
    /// of the other part where this one holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
    /// First and last line of the first arm, and of the other one.
    pub then: Option<(u32, u32)>,
    pub otherwise: Option<(u32, u32)>,
}

impl BranchReport {
    /// Whether a line lies in one of its arms.
    pub fn guards(&self, line: u32) -> bool {
        let mut arms = self.then.iter().chain(&self.otherwise);
        arms.any(|(first, last)| (*first..=*last).contains(&line))
    }
}

/// Why a loop is not understood in full.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReasonReport {
    pub code: String,
    pub line: u32,
    pub detail: String,
}

/// The loops of a function, each before those inside of it.
pub(super) fn loops(model: &Model, function: usize) -> Vec<LoopReport> {
    let place = Surroundings {
        model,
        index: function,
        function: &model.program.functions[function],
    };
    let mut found = Vec::new();
    place.collect(
        &place.function.body,
        &mut Vec::new(),
        &mut Vec::new(),
        &mut found,
    );
    found
}

/// Conditions of a function that are in no loop.
pub(super) fn branches_outside(model: &Model, function: usize) -> Vec<BranchReport> {
    let place = Surroundings {
        model,
        index: function,
        function: &model.program.functions[function],
    };
    place.branches(&place.function.body, None)
}

/// The parameters that symbols in the bounds of a function's loops stand for, where these have other names.
pub(super) fn bound_parameters(model: &Model, function: usize) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut loops = model.program.functions[function].body.loops();
    while let Some(inner) = loops.pop() {
        let bounds = [&inner.lower, &inner.upper, &inner.step];
        for symbol in bounds.into_iter().flat_map(Expr::symbols) {
            let text = model.parameters.text(&Expr::from(symbol.clone()));
            let row = model.parameters.row(function, &symbol);
            if let Some(row) = row.filter(|row| row.symbol != text) {
                found.insert(text, row.name.clone());
            }
        }
        loops.extend(inner.body.loops());
    }
    found
}

/// How often one arm of a condition is taken, and where that stands.
struct Weight {
    text: String,
    line: u32,
}

/// The function around loops.
struct Surroundings<'a> {
    model: &'a Model<'a>,
    index: usize,
    function: &'a Function,
}

impl<'a> Surroundings<'a> {
    fn collect(
        &self,
        block: &'a Block,
        chain: &mut Vec<ChainLoop<'a>>,
        weights: &mut Vec<Weight>,
        found: &mut Vec<LoopReport>,
    ) {
        for item in &block.items {
            match item {
                Item::Loop(inner) => {
                    chain.push(ChainLoop::behind(inner, Vec::new()));
                    found.push(self.report(inner, chain, weights));
                    self.collect(&inner.body, chain, weights, found);
                    chain.pop();
                }
                Item::Branch(branch) => {
                    let probability = self.text(&Expr::from(branch.probability.clone()));
                    let line = branch.line;
                    let weight = |text: String| Weight { text, line };
                    weights.push(weight(probability.clone()));
                    self.collect(&branch.then, chain, weights, found);
                    weights.pop();
                    if let Some(otherwise) = &branch.otherwise {
                        weights.push(weight(format!("1 - {probability}")));
                        self.collect(otherwise, chain, weights, found);
                        weights.pop();
                    }
                }
            }
        }
    }

    fn report(&self, facts: &Loop, chain: &[ChainLoop], weights: &[Weight]) -> LoopReport {
        let mut flops = Flops::default();
        let (mut scalars, mut calls) = (Vec::new(), Vec::new());
        let mut streams = Vec::new();
        facts.body.with_branches(&mut |block| {
            flops.add(&block.flops);
            scalars.extend(block.scalars.iter().map(ScalarReport::of));
            calls.extend(block.calls.iter().map(CallReport::of));
            block
                .streams
                .iter()
                .for_each(|s| crate::analysis::merge_stream(&mut streams, s.clone()));
        });
        LoopReport {
            id: facts.id.clone(),
            line: facts.line,
            end_line: facts.end_line,
            depth: chain.len(),
            var: facts.variable.clone(),
            lower: self.text(&facts.lower),
            upper: self.text(&facts.upper),
            step: self.text(&facts.step),
            parallel: facts.parallel.as_ref().map(ToString::to_string),
            exits_early: facts.exits_early,
            tests_last: facts.tests_last,
            beside: facts.beside.clone(),
            parent: (chain.len().checked_sub(2)).map(|outer| chain[outer].facts.id.clone()),
            children: facts.body.loops().iter().map(|l| l.id.clone()).collect(),
            flops: FlopsReport {
                all: flops.total(),
                by_type: (flops.by_type.into_iter())
                    .map(|(ty, counts)| (ty.to_string(), counts))
                    .collect(),
            },
            repeated: RepeatedReport::of(&facts.repeated),
            arrays: streams
                .iter()
                .map(|s| ArrayReport::of(s, chain, self))
                .collect(),
            scalars,
            calls,
            probability: match weights {
                [] => "1".to_string(),
                weights => {
                    let all: Vec<&str> = weights.iter().map(|one| one.text.as_str()).collect();
                    all.join(" * ")
                }
            },
            shares_condition_line: weights.iter().any(|one| one.line == facts.line),
            branches: self.branches(&facts.body, None),
            reasons: coverage::reasons(facts)
                .into_iter()
                .map(|reason| ReasonReport {
                    code: reason.code.to_string(),
                    line: reason.line,
                    detail: reason.detail.clone(),
                })
                .collect(),
            file: (facts.file != self.function.file).then(|| facts.file.to_string()),
        }
    }

    fn text(&self, expr: &Expr) -> String {
        self.model.parameters.text(expr)
    }

    /// Conditions of a block, those inside others too.
    fn branches(&self, block: &Block, within: Option<&str>) -> Vec<BranchReport> {
        let mut found = Vec::new();
        for item in &block.items {
            let Item::Branch(branch) = item else { continue };
            let parameter = self.model.parameters.row(self.index, &branch.probability);
            let probability = parameter.map_or_else(
                || branch.probability.name().to_string(),
                |row| row.name.clone(),
            );
            let otherwise = branch.otherwise.iter();
            if branch.asks == Asks::Loops {
                found.extend(self.branches(&branch.then, Some(&probability)));
                found.extend(otherwise.flat_map(|block| self.branches(block, None)));
                continue;
            }
            found.push(BranchReport {
                line: branch.line,
                condition: branch.condition.clone(),
                probability,
                within: within.map(str::to_string),
                then: branch.then_lines,
                otherwise: branch.otherwise_lines,
            });
            found.extend(self.branches(&branch.then, None));
            found.extend(otherwise.flat_map(|block| self.branches(block, None)));
        }
        found
    }
}

impl RepeatedReport {
    fn of(counts: &OperationCounts) -> RepeatedReport {
        RepeatedReport {
            adds: counts.adds,
            multiplies: counts.multiplies,
            divides: counts.divides,
            specials: counts.specials,
        }
    }
}

impl ScalarReport {
    fn of(scalar: &crate::analysis::facts::Scalar) -> ScalarReport {
        ScalarReport {
            name: scalar.name.clone(),
            ty: scalar.ty.to_string(),
            constant: scalar.is_constant,
            class: scalar.class,
            reads: scalar.reads,
            writes: scalar.writes,
        }
    }
}

impl CallReport {
    fn of(call: &crate::analysis::facts::Call) -> CallReport {
        CallReport {
            line: call.line,
            name: call.name.clone(),
            arguments: call.arguments.clone(),
            body: call.body.as_str().to_string(),
        }
    }
}

impl ArrayReport {
    fn of(stream: &Stream, chain: &[ChainLoop], place: &Surroundings) -> ArrayReport {
        let shape = StreamShape::new(stream, chain, &[]);
        let gap = |level| shape.largest_gap(level).unwrap_or(1);
        ArrayReport {
            name: stream.array.to_string(),
            component: stream.component.to_string(),
            ty: stream.ty.to_string(),
            element_bytes: stream.element_bytes,
            class: Some(stream.class),
            shape: shape.name().to_string(),
            subscripts: (stream.subscripts.iter())
                .map(|s| subscript(s, place))
                .collect(),
            ghost: shape.ghosts(),
            accesses: stream.accesses.clone(),
            planes: shape.groups(2),
            pencils: shape.groups(1),
            cells: shape.groups(0),
            live_planes: shape.live_groups(2, gap(2)),
            live_pencils: shape.live_groups(1, gap(1)),
            live_cells: shape.live_groups(0, gap(0)),
        }
    }
}

fn subscript(subscript: &Subscript, place: &Surroundings) -> SubscriptReport {
    match &subscript.gather {
        Some(gather) => SubscriptReport::Gather(gather.text.clone()),
        None => {
            let terms = subscript
                .terms
                .iter()
                .map(|(name, c)| c * &Expr::symbol(name));
            SubscriptReport::Affine(place.text(&Expr::sum(terms.chain([subscript.base.clone()]))))
        }
    }
}
