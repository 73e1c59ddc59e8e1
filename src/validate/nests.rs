//! From the model's nests to what can be run: which statements they are, and what values their symbols have.

use std::collections::HashMap;

use crate::analysis::ProcedureBody;
use crate::analysis::facts::{self, Item};
use crate::interpret::Refusal;
use crate::interpret::compile::{self, Code};
use crate::ir::{self, Stmt};
use crate::model::{Model, Nest};

/// Compiles a nest of a function.
///
/// # Errors
/// Why it cannot be run.
pub fn compile(model: &Model, nest: &Nest, body: &ProcedureBody, gap: i64) -> Result<Code, Vec<Refusal>> {
    let function = &model.program.functions[nest.function];
    let refuse = |code, detail: &str| vec![Refusal { code, line: nest.head().line, detail: detail.to_string() }];
    let Some(same) = Correspondence::of(&function.body, &body.function.body) else {
        return Err(refuse("no_statements", "the loops of the statements are not those of the facts"));
    };
    let chain: Option<Vec<&ir::Loop>> =
        nest.loops.iter().map(|chain| same.statements.get(&std::ptr::from_ref(chain.facts)).copied()).collect();
    let Some(chain) = chain else { return Err(refuse("no_statements", "a loop has no statements")) };
    let value = |name: &str| model.symbol_value(nest.function, name);
    let trips = |inner: &ir::Loop| same.facts.get(&std::ptr::from_ref(inner)).map_or(0, |facts| trips(facts, &value));
    let probability = |branch: &ir::If| {
        let symbol = same.probabilities.get(&std::ptr::from_ref(branch));
        symbol.and_then(|symbol| value(symbol)).unwrap_or(0.5)
    };
    compile::compile(&compile::Nest {
        function: &body.function,
        language: body.language,
        chain,
        own: nest.own,
        symbol: &value,
        trips: &trips,
        probability: &probability,
        gap,
    })
}

/// Iterations by the loop's range, for one whose bounds the statements do not tell.
fn trips(facts: &facts::Loop, value: &dyn Fn(&str) -> Option<f64>) -> u64 {
    let [lower, upper, step] =
        [&facts.lower, &facts.upper, &facts.step].map(|bound| bound.evaluate(&value as &dyn crate::expr::Lookup));
    match (lower, upper, step) {
        (Ok(lower), Ok(upper), Ok(step)) if step != 0.0 => ((upper - lower) / step + 1.0).floor().max(0.0) as u64,
        _ => crate::model::parameters::DEFAULT_SIZE as u64,
    }
}

/// The loops and branches of the facts and those of the statements, which are in the same order.
struct Correspondence<'a> {
    statements: HashMap<*const facts::Loop, &'a ir::Loop>,
    facts: HashMap<*const ir::Loop, &'a facts::Loop>,
    probabilities: HashMap<*const ir::If, &'a str>,
}

impl<'a> Correspondence<'a> {
    fn of(block: &'a facts::Block, statements: &'a [Stmt]) -> Option<Correspondence<'a>> {
        let (mut loops, mut branches) = (Vec::new(), Vec::new());
        facts_in_order(block, &mut loops, &mut branches);
        let (mut ir_loops, mut ir_branches) = (Vec::new(), Vec::new());
        statements_in_order(statements, &mut ir_loops, &mut ir_branches);
        let agree = loops.len() == ir_loops.len()
            && branches.len() == ir_branches.len()
            && loops.iter().zip(&ir_loops).all(|(facts, inner)| facts.line == inner.place.line)
            && branches.iter().zip(&ir_branches).all(|(facts, branch)| facts.line == branch.place.line);
        agree.then(|| Correspondence {
            statements: loops.iter().zip(&ir_loops).map(|(f, s)| (std::ptr::from_ref(*f), *s)).collect(),
            facts: loops.iter().zip(&ir_loops).map(|(f, s)| (std::ptr::from_ref(*s), *f)).collect(),
            probabilities: (branches.iter().zip(&ir_branches))
                .map(|(f, s)| (std::ptr::from_ref(*s), f.probability.as_str()))
                .collect(),
        })
    }
}

fn facts_in_order<'a>(
    block: &'a facts::Block,
    loops: &mut Vec<&'a facts::Loop>,
    branches: &mut Vec<&'a facts::Branch>,
) {
    for item in &block.items {
        match item {
            Item::Loop(inner) => {
                loops.push(inner);
                facts_in_order(&inner.body, loops, branches);
            }
            Item::Branch(branch) => {
                branches.push(branch);
                facts_in_order(&branch.then, loops, branches);
                branch.otherwise.iter().for_each(|block| facts_in_order(block, loops, branches));
            }
        }
    }
}

fn statements_in_order<'a>(statements: &'a [Stmt], loops: &mut Vec<&'a ir::Loop>, branches: &mut Vec<&'a ir::If>) {
    for statement in statements {
        match statement {
            Stmt::Loop(inner) => {
                loops.push(inner);
                statements_in_order(&inner.body, loops, branches);
            }
            Stmt::If(branch) => {
                branches.push(branch);
                statements_in_order(&branch.then, loops, branches);
                statements_in_order(&branch.otherwise, loops, branches);
            }
            Stmt::Opaque { inner, .. } => statements_in_order(inner, loops, branches),
            Stmt::Assign { .. } | Stmt::Call { .. } | Stmt::Jump { .. } | Stmt::Evaluate { .. } => {}
        }
    }
}
