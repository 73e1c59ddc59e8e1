//! From the model's nests to what can be run: which statements they are, and what values their symbols have.

use std::collections::{BTreeSet, HashMap};

use super::Settings;
use crate::analysis::ProcedureBody;
use crate::analysis::facts::{self, Asks, Decision, Item};
use crate::expr::{Lookup, Symbol};
use crate::interpret::Refusal;
use crate::interpret::blocks::Blocks;
use crate::interpret::code::Code;
use crate::interpret::compile;
use crate::interpret::compiler::{Chance, Part, Source};
use crate::ir::{self, Quantifier, Stmt};
use crate::model::parameters::{DEFAULT_PROBABILITY, DEFAULT_SIZE};
use crate::model::{Nest, Valued};
use crate::reason::ReasonCode;

/// Of a branch that goes one way in all iterations: the loops that decide it.
static NO_LOOPS: BTreeSet<u32> = BTreeSet::new();

/// What is to be compiled.
#[derive(Clone, Copy)]
pub enum Wanted<'a, 'p> {
    Nest(&'a Nest<'p>),
    /// A function, by its index, with all its nests: those of the model at these indices.
    Whole(usize, &'a [usize]),
}

/// Compiles a nest or a whole function.
///
/// # Errors
/// Why it cannot be run.
pub fn compile(
    valued: Valued,
    wanted: Wanted,
    body: &ProcedureBody,
    settings: &Settings,
) -> Result<Code, Vec<Refusal>> {
    let index = match wanted {
        Wanted::Nest(nest) => nest.function,
        Wanted::Whole(function, _) => function,
    };
    let model = valued.model;
    let function = &model.program.functions[index];
    let line = if let Wanted::Nest(nest) = wanted {
        nest.head().line
    } else {
        function.line
    };
    let refuse = |detail: &str| {
        vec![Refusal {
            code: ReasonCode::NoStatements,
            line,
            detail: detail.to_string(),
        }]
    };
    let Some(same) = Correspondence::of(&function.body, &body.function.body) else {
        return Err(refuse(
            "the loops of the statements are not those of the facts",
        ));
    };
    let numbers = match wanted {
        Wanted::Nest(_) => HashMap::new(),
        Wanted::Whole(_, nests) => numbered(valued, nests)?,
    };
    let number = |inner: &ir::Loop| {
        let facts = same.facts.get(&std::ptr::from_ref(inner))?;
        numbers.get(&std::ptr::from_ref(*facts)).copied()
    };
    let part = match wanted {
        Wanted::Nest(nest) => {
            let chain = nest.loops.iter().map(|chain| {
                same.statements
                    .get(&std::ptr::from_ref(chain.facts))
                    .copied()
            });
            let Some(chain) = chain.collect() else {
                return Err(refuse("a loop has no statements"));
            };
            let sizes = valued
                .blocked(nest)
                .into_iter()
                .map(|(at, size)| (at, size as i64))
                .collect();
            Part::Nest {
                chain,
                own: nest.own,
                blocks: Blocks {
                    from: nest.sweeps,
                    sizes,
                },
            }
        }
        Wanted::Whole(..) => Part::Whole { number: &number },
    };
    let other = |symbol: &Symbol| {
        settings
            .others
            .iter()
            .find(|(known, _)| known == symbol)
            .map(|(_, value)| *value)
    };
    let value = |symbol: &Symbol| valued.symbol_value(index, symbol).or_else(|| other(symbol));
    let decided = |name: &str| model.parameters.decided_by(&function.name, name);
    let named = |name: &str| value(&Symbol::source(name)).or_else(|| decided(name));
    let trips = |inner: &ir::Loop| {
        same.facts
            .get(&std::ptr::from_ref(inner))
            .map_or(0, |facts| trips(facts, &value))
    };
    let chance = |branch: &ir::If| chance(&same, branch, &value);
    let passed = |name: &str, at: usize| body.passed(name, at);
    compile::compile(&Source {
        function: &body.function,
        passed: &passed,
        part,
        symbol: &named,
        trips: &trips,
        chance: &chance,
        gap: settings.gap,
        most_probed: settings.most_probed,
    })
}

/// The loops of nests with the number of theirs.
fn numbered(
    valued: Valued,
    nests: &[usize],
) -> Result<HashMap<*const facts::Loop, usize>, Vec<Refusal>> {
    let mut numbers = HashMap::new();
    for (number, nest) in nests.iter().enumerate() {
        let nest = &valued.model.nests[*nest].nest;
        if !valued.blocked(nest).is_empty() {
            return Err(vec![Refusal {
                code: ReasonCode::Blocked,
                line: nest.head().line,
                detail: "a whole function is not run in blocks".to_string(),
            }]);
        }
        let own = nest.loops[nest.own..].iter();
        numbers.extend(own.map(|chain| (std::ptr::from_ref(chain.facts), number)));
    }
    Ok(numbers)
}

/// How a condition on data is drawn: as often as its parameter says, by the loops that change it.
fn chance<'a>(
    same: &Correspondence<'a>,
    branch: &ir::If,
    value: &dyn Fn(&Symbol) -> Option<f64>,
) -> Chance<'a> {
    let known = same.branches.get(&std::ptr::from_ref(branch)).copied();
    let probability = known.and_then(|known| value(&known.probability));
    let probability = probability.unwrap_or(DEFAULT_PROBABILITY);
    let loops = known.and_then(|known| match known.decision {
        Decision::Fixed => Some(&NO_LOOPS),
        _ => known.loops.as_ref(),
    });
    let parts = known.and_then(|known| known.parts.as_ref());
    let share = parts.map(|parts| parts.share_of_each(probability));
    let each = parts.into_iter().flat_map(|parts| &parts.loops);
    Chance {
        probability,
        loops,
        holds: parts.map_or(Quantifier::All, |parts| parts.holds),
        parts: share.into_iter().cycle().zip(each).collect(),
    }
}

/// Iterations by the loop's range, for one whose bounds the statements do not give.
fn trips(facts: &facts::Loop, value: &dyn Fn(&Symbol) -> Option<f64>) -> u64 {
    let [lower, upper, step] = [&facts.lower, &facts.upper, &facts.step]
        .map(|bound| bound.evaluate(&value as &dyn Lookup));
    match (lower, upper, step) {
        (Ok(lower), Ok(upper), Ok(step)) if step != 0.0 => {
            ((upper - lower) / step + 1.0).floor().max(0.0) as u64
        }
        _ => DEFAULT_SIZE as u64,
    }
}

/// The loops and branches of the facts and those of the statements, which are in the same order.
struct Correspondence<'a> {
    statements: HashMap<*const facts::Loop, &'a ir::Loop>,
    facts: HashMap<*const ir::Loop, &'a facts::Loop>,
    branches: HashMap<*const ir::If, &'a facts::Branch>,
}

impl<'a> Correspondence<'a> {
    fn of(block: &'a facts::Block, statements: &'a [Stmt]) -> Option<Correspondence<'a>> {
        let (mut loops, mut branches) = (Vec::new(), Vec::new());
        facts_in_order(block, &mut loops, &mut branches);
        let (mut ir_loops, mut ir_branches) = (Vec::new(), Vec::new());
        statements_in_order(statements, &mut ir_loops, &mut ir_branches);
        let agree = loops.len() == ir_loops.len()
            && branches.len() == ir_branches.len()
            && loops
                .iter()
                .zip(&ir_loops)
                .all(|(facts, inner)| facts.line == inner.place.line)
            && branches
                .iter()
                .zip(&ir_branches)
                .all(|(facts, branch)| facts.line == branch.place.line);
        agree.then(|| Correspondence {
            statements: loops
                .iter()
                .zip(&ir_loops)
                .map(|(f, s)| (std::ptr::from_ref(*f), *s))
                .collect(),
            facts: loops
                .iter()
                .zip(&ir_loops)
                .map(|(f, s)| (std::ptr::from_ref(*s), *f))
                .collect(),
            branches: (branches.iter().zip(&ir_branches))
                .map(|(f, s)| (std::ptr::from_ref(*s), *f))
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
                // Of a branch that asks for loops first, the statements have the one inside.
                if branch.asks == Asks::All {
                    branches.push(branch);
                }
                facts_in_order(&branch.then, loops, branches);
                branch
                    .otherwise
                    .iter()
                    .for_each(|block| facts_in_order(block, loops, branches));
            }
        }
    }
}

fn statements_in_order<'a>(
    statements: &'a [Stmt],
    loops: &mut Vec<&'a ir::Loop>,
    branches: &mut Vec<&'a ir::If>,
) {
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
            Stmt::Assign { .. }
            | Stmt::Call { .. }
            | Stmt::Jump { .. }
            | Stmt::Mark { .. }
            | Stmt::Evaluate { .. } => {}
        }
    }
}
