//! How many words does the command line of a run have, the name of the program among them?
//!
//! Nothing says more than the program itself: as few as it goes on with.
//!
//! ```text
//! if (argc < 3) { usage(); return 1; }                  3
//! for (i = 1; i < argc; i++) work_on(argv[i]);          2: without a word there is nothing to do
//! for (i = 1; i < argc; i++) if (…) work_on(argv[i]);   2, if nothing else in the program does any work
//! if (argc > 1) n = atoi(argv[1]);                      1
//! ```

use crate::calls::{ProcedureId, Procedures, Target};
use crate::ir::visit::{InLoop, calls_of, each_value, statements};
use crate::ir::{BinaryOp, Control, If, Jump, Stmt, UnaryOp, Value, VarId, fold};

/// More words than any program asks for by their number.
const MOST: i64 = 64;

/// Calls inside one another that are looked into for what asks for words, and for loops.
const DEPTH: u32 = 2;

/// The words that a run has at least, by what the main program, and procedures that it passes their number to, ask of it.
pub fn words(known: &Procedures, main: ProcedureId, count: VarId) -> i64 {
    let program = Program { known };
    let mut guards = Vec::new();
    program.guards((main, count), DEPTH, &mut guards);
    let goes_on = |words: &i64| guards.iter().all(|guard| !guard.ends(*words));
    let least = (1..=MOST).find(goes_on).unwrap_or(1);
    let body = &known.get(main).function.body;
    match least {
        1 if program.works_on_words(main, body, count) => 2,
        least => least,
    }
}

/// A condition on the number of words on which the program ends.
struct Guard<'u> {
    condition: &'u Value,
    count: VarId,
    /// What it comes to where the program ends.
    ends_if: bool,
}

impl Guard<'_> {
    fn ends(&self, words: i64) -> bool {
        truth(self.condition, self.count, words) == Some(self.ends_if)
    }
}

struct Program<'p, 'u> {
    known: &'p Procedures<'u>,
}

impl<'u> Program<'_, 'u> {
    /// Adds what ends the program outside of loops without doing any work.
    fn guards(&self, (id, count): (ProcedureId, VarId), depth: u32, found: &mut Vec<Guard<'u>>) {
        let function = self.known.get(id).function;
        for stmt in &function.body {
            // Behind it, the number is another one.
            if matches!(stmt, Stmt::Assign { target, .. } if *target == Value::Variable(count)) {
                break;
            }
            if let Stmt::If(branch) = stmt
                && let Some(ends_if) = self.ending_arm(id, branch)
            {
                let condition = &branch.condition;
                found.push(Guard {
                    condition,
                    count,
                    ends_if,
                });
            }
            let Some(depth) = depth.checked_sub(1) else {
                continue;
            };
            calls_of(stmt, &mut |name, arguments| {
                let Target::Body(callee) = self.known.target(id, name) else {
                    return;
                };
                let formals = self.known.formals(callee);
                let passed = arguments
                    .iter()
                    .position(|argument| argument.unconverted().variable() == Some(count));
                if let Some(formal) = passed.and_then(|at| formals.get(at)) {
                    self.guards((callee, *formal), depth, found);
                }
            });
        }
    }

    /// Which way of a branch ends the program at once, where the other one does not. In the main program a return does.
    fn ending_arm(&self, id: ProcedureId, branch: &If) -> Option<bool> {
        let is_main = self.known.get(id).function.is_main;
        let ends = |arm: &[Stmt]| {
            let ends = arm.iter().any(|stmt| match stmt {
                Stmt::Jump { kind, .. } => *kind == Jump::Stop || is_main && *kind == Jump::Return,
                _ => false,
            });
            ends && !self.works(id, arm, DEPTH)
        };
        match [&branch.then, &branch.otherwise].map(|arm| ends(arm)) {
            [true, false] => Some(true),
            [false, true] => Some(false),
            _ => None,
        }
    }

    /// Whether a loop over the words, that nothing is around, does work for each of them, or all of the work there is.
    fn works_on_words(&self, id: ProcedureId, body: &[Stmt], count: VarId) -> bool {
        let works = |stmt: &Stmt| self.works(id, std::slice::from_ref(stmt), DEPTH);
        let (over_words, others): (Vec<&Stmt>, Vec<&Stmt>) =
            body.iter().partition(|stmt| is_over_words(stmt, count));
        let bodies = || {
            over_words.iter().filter_map(|stmt| match stmt {
                Stmt::Loop(inner) => Some(&inner.body),
                _ => None,
            })
        };
        // What an option asks for is no work of every word.
        let is_option = |stmt: &&Stmt| matches!(stmt, Stmt::If(_));
        let sure = |body: &Vec<Stmt>| body.iter().filter(|stmt| !is_option(stmt)).any(works);
        bodies().any(sure)
            || bodies().any(|body| body.iter().any(works)) && !others.into_iter().any(works)
    }

    /// Whether statements run loops, or call procedures that do.
    fn works(&self, id: ProcedureId, block: &[Stmt], calls: u32) -> bool {
        let mut found = false;
        statements(block, InLoop::No, &mut |stmt, _| {
            found |= matches!(stmt, Stmt::Loop(_));
            calls_of(stmt, &mut |name, _| {
                found |= match self.known.target(id, name) {
                    _ if found => true,
                    Target::Body(callee) if calls > 0 => {
                        let body = &self.known.get(callee).function.body;
                        self.works(callee, body, calls - 1)
                    }
                    Target::Body(_) | Target::Recursive(_) => true,
                    Target::Unknown | Target::Library(_) | Target::Communication(_) => false,
                };
            });
        });
        found
    }
}

/// Whether a statement is a loop whose rounds depend on the number of words.
fn is_over_words(stmt: &Stmt, count: VarId) -> bool {
    let Stmt::Loop(inner) = stmt else {
        return false;
    };
    match &inner.control {
        Control::Counted { lower, upper, .. } => mentions(lower, count) || mentions(upper, count),
        Control::Uncounted { condition, .. } => {
            (condition.as_ref()).is_some_and(|condition| mentions(condition, count))
        }
    }
}

/// Whether a condition holds of so many words; `None` if it asks for more than their number.
fn truth(condition: &Value, count: VarId, words: i64) -> Option<bool> {
    match condition.unconverted() {
        Value::Unary(UnaryOp::Not, operand) => truth(operand, count, words).map(|holds| !holds),
        Value::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
            op.joined([left, right].map(|side| truth(side, count, words)))
        }
        Value::Binary(op, left, right) if op.is_comparison() => {
            let (left, right) = (number(left, count, words)?, number(right, count, words)?);
            Some(op.holds_of(left.cmp(&right)))
        }
        other => Some(number(other, count, words)? != 0),
    }
}

/// What an expression of literals and the number of words comes to.
fn number(value: &Value, count: VarId, words: i64) -> Option<i64> {
    match value.unconverted() {
        Value::Integer(number) => Some(*number),
        Value::Variable(id) => (*id == count).then_some(words),
        Value::Unary(UnaryOp::Negate, operand) => number(operand, count, words)?.checked_neg(),
        Value::Binary(op, left, right) => {
            let (left, right) = (number(left, count, words)?, number(right, count, words)?);
            fold::arithmetic(*op, left, right)
        }
        _ => None,
    }
}

fn mentions(value: &Value, id: VarId) -> bool {
    let mut found = false;
    each_value(value, &mut |part| found |= *part == Value::Variable(id));
    found
}
