//! `go to` as structure. Lowering leaves marks where labels and jumps stand; here
//! - a jump back makes a loop of what it repeats, its trip count unknown;
//! - a jump forward makes a condition of what it passes over: `if (c) go to 10; a; 10 b` is
//!   `if (c) then; else; a; end if; b`, and with a second jump after `a` an if with two branches;
//! - a jump out of a counted loop ends it early;
//! - a jump to where the procedure ends, with no loop left to run, is a `return`.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::flow::{Exits, Falls, Flow, Part};
use crate::diagnostic::Place;
use crate::ir::{
    BinaryOp, Control, Evaluation, Function, If, Jump, Label, Loop, Mark, Reason, Role, Stmt,
    Tested, Type, UnaryOp, Value, VarId, Variable,
};
use crate::reason::ReasonCode;

/// Blocks made by jumps nest this deeply at most; jumps beyond that stay as they are.
const NESTING_LIMIT: usize = 60;
/// So do the loops among them.
const LOOP_LIMIT: usize = 12;

/// Writes the marks of labels and jumps into the body of a function, and takes them out at its end.
#[derive(Debug, Default)]
pub struct Marks {
    /// Whether any stand in the body.
    any: bool,
}

impl Marks {
    /// The mark of a label before the statement that carries it.
    pub fn label(&mut self, place: Place, label: Label) -> Stmt {
        self.any = true;
        let mark = Mark::Label(label);
        Stmt::Mark { place, mark }
    }

    /// The mark of a jump to one of several labels; it may also go on behind itself if `falls` is not never.
    pub fn jump(&mut self, place: Place, labels: Vec<Label>, falls: Falls) -> Stmt {
        self.any = true;
        let mark = Mark::Goto {
            labels,
            may_pass: falls != Falls::Never,
        };
        Stmt::Mark { place, mark }
    }

    /// Makes structure of the marks in the body.
    pub fn resolve(&self, function: &mut Function) {
        if self.any {
            structure(function);
        }
    }
}

/// The body of a function without marks.
fn structure(function: &mut Function) {
    let body = std::mem::take(&mut function.body);
    let returns = last_labels(&body);
    let (targets, inside, seen) = (BTreeMap::new(), Vec::new(), BTreeSet::new());
    let (left_for, is_left) = (Vec::new(), Vec::new());
    let mut jumps = Jumps {
        function,
        returns,
        targets,
        inside,
        left_for,
        is_left,
        seen,
        depth: 0,
        loops_around: 0,
    };
    let (body, _) = jumps.block(body);
    jumps.function.body = body;
}

struct Jumps<'f> {
    function: &'f mut Function,
    /// Labels behind which the procedure only ends.
    returns: BTreeSet<Label>,
    /// Variables that say whether a label was jumped to.
    targets: BTreeMap<Label, VarId>,
    /// The labels inside each loop around.
    inside: Vec<BTreeSet<Label>>,
    /// The labels that such a loop is left for as by an `exit`, which passes over what is behind it in the loop.
    left_for: Vec<BTreeSet<Label>>,
    /// Whether a jump of its own, in none of the loops inside, leaves each loop around.
    is_left: Vec<bool>,
    /// Labels of the source so far.
    seen: BTreeSet<Label>,
    depth: usize,
    /// Loops made by jumps around what is looked at.
    loops_around: usize,
}

impl Jumps<'_> {
    fn block(&mut self, statements: Vec<Stmt>) -> (Vec<Stmt>, Flow) {
        let mut parts = Vec::with_capacity(statements.len());
        for statement in statements {
            self.part(statement, &mut parts);
        }
        let parts = if parts.iter().any(Part::is_label) {
            self.loops(parts)
        } else {
            parts
        };
        self.forward(parts.into())
    }

    fn part(&mut self, statement: Stmt, parts: &mut Vec<Part>) {
        let (statement, exits) = match statement {
            Stmt::Mark {
                mark: Mark::Label(label),
                ..
            } => {
                // Of labels that stand twice, which is an error, jumps go to the first. Names of constructs may be used
                // again.
                let may_stand_again = match &label {
                    Label::Statement(_) => false,
                    Label::Cycle(_) | Label::Exit(_) => true,
                };
                if may_stand_again || self.seen.insert(label.clone()) {
                    parts.push(Part::Label(label));
                }
                return;
            }
            Stmt::Mark {
                place,
                mark: Mark::Goto { labels, may_pass },
            } => {
                if labels.iter().all(|label| self.returns.contains(label)) {
                    let back = self.jump(place, Jump::Return, (&labels, may_pass));
                    let flow = if may_pass {
                        Flow::through()
                    } else {
                        Flow::end()
                    };
                    parts.push(Part::statement(Some(back), Exits::Plain(flow)));
                    return;
                }
                let leaves = self
                    .inside
                    .last()
                    .is_some_and(|inside| labels.iter().any(|l| !inside.contains(l)));
                if let Some(is_left) = self.is_left.last_mut() {
                    *is_left |= leaves;
                }
                let exit = leaves.then(|| self.jump(place, Jump::Exit, (&labels, may_pass)));
                // With labels in the loop, the innermost one may be one that jumps back make.
                let only_leaves = leaves && self.inside.last().is_some_and(BTreeSet::is_empty);
                let flow = match self.left_for.last_mut() {
                    Some(left_for) if only_leaves && !may_pass => {
                        left_for.extend(labels);
                        Flow::through()
                    }
                    _ if may_pass => Flow::jump(labels, Falls::Sometimes),
                    _ => Flow::jump(labels, Falls::Never),
                };
                (exit, Exits::Plain(flow))
            }
            Stmt::If(mut branch) => {
                let (then, taken) = self.block(branch.then);
                let (otherwise, not_taken) = self.block(branch.otherwise);
                (branch.then, branch.otherwise) = (then, otherwise);
                (Some(Stmt::If(branch)), Exits::branches(taken, not_taken))
            }
            Stmt::Loop(inner) => {
                let (inner, flow) = self.counted(*inner);
                (Some(inner), Exits::Plain(flow))
            }
            Stmt::Opaque {
                place,
                reason,
                inner,
            } => {
                let (inner, flow) = self.block(inner);
                (
                    Some(Stmt::Opaque {
                        place,
                        reason,
                        inner,
                    }),
                    Exits::Plain(flow),
                )
            }
            back @ Stmt::Jump {
                kind: Jump::Return | Jump::Stop,
                ..
            } => (Some(back), Exits::Plain(Flow::end())),
            other => (Some(other), Exits::Plain(Flow::through())),
        };
        parts.push(Part::statement(statement, exits));
    }

    /// A jump to labels; one that may go on behind itself depends on a flag that says whether it jumps.
    fn jump(&mut self, place: Place, kind: Jump, (labels, may_pass): (&[Label], bool)) -> Stmt {
        let jump = Stmt::Jump {
            place: place.clone(),
            kind,
        };
        match labels.first() {
            Some(label) if may_pass => Stmt::If(Box::new(If {
                condition: Value::Variable(self.target(label, &place)),
                place,
                then: vec![jump],
                otherwise: Vec::new(),
            })),
            _ => jump,
        }
    }

    /// A loop of the source: what jumps out of it is for the blocks around.
    fn counted(&mut self, mut inner: Loop) -> (Stmt, Flow) {
        let mut labels = BTreeSet::new();
        collect_labels(&inner.body, &mut labels);
        self.inside.push(labels);
        self.left_for.push(BTreeSet::new());
        self.is_left.push(false);
        let (mut body, mut flow) = self.block(inner.body);
        let is_left = self.is_left.pop().unwrap_or_default();
        flow.jumps.extend(self.left_for.pop().unwrap_or_default());
        let labels = self.inside.pop().unwrap_or_default();
        let (lost, jumps): (BTreeSet<Label>, BTreeSet<Label>) = flow
            .jumps
            .into_iter()
            .partition(|label| labels.contains(label));
        if !lost.is_empty() {
            // Into the middle of a block: nothing here can say what that does.
            body.push(Stmt::Jump {
                place: inner.place.clone(),
                kind: Jump::Goto,
            });
        }
        // A jump out of several loops ends those around the innermost, too.
        if !is_left && !jumps.is_empty() {
            let labels: Vec<Label> = jumps.iter().cloned().collect();
            let exit = self.jump(inner.place.clone(), Jump::Exit, (&labels, true));
            body.push(exit);
        }
        inner.body = body;
        let falls = if jumps.is_empty() {
            Falls::Always
        } else {
            Falls::Sometimes
        };
        (Stmt::Loop(Box::new(inner)), Flow { falls, jumps })
    }

    /// Makes loops of what jumps back repeat.
    fn loops(&mut self, mut parts: Vec<Part>) -> Vec<Part> {
        let mut last: BTreeMap<Label, usize> = BTreeMap::new();
        for (at, part) in parts.iter().enumerate() {
            if let Part::Statement(_, exits) = part {
                last.extend(exits.total().jumps.into_iter().map(|label| (label, at)));
            }
        }
        let end = |at: usize, part: &Part| match part {
            Part::Label(label) => last.get(label).copied().filter(|last| *last > at),
            Part::Statement(..) => None,
        };
        let Some(first) = (0..parts.len()).find(|at| end(*at, &parts[*at]).is_some()) else {
            return parts;
        };
        if self.depth >= NESTING_LIMIT || self.loops_around >= LOOP_LIMIT {
            let of_part = |part: &Part| match part {
                Part::Statement(Some(statement), _) => Some(place(statement)),
                _ => None,
            };
            let place = parts
                .iter()
                .find_map(of_part)
                .unwrap_or_else(|| self.function.place.clone());
            let left = Stmt::Jump {
                place,
                kind: Jump::Goto,
            };
            parts.push(Part::statement(Some(left), Exits::Plain(Flow::through())));
            return parts;
        }
        let mut until = first;
        let mut at = first;
        // Loops that overlap: the first one reaches to the end of the last.
        while at <= until {
            until = until.max(end(at, &parts[at]).unwrap_or(at));
            at += 1;
        }
        let after = parts.split_off(until + 1);
        let mut body = parts.split_off(first);
        let start = body.remove(0);
        let Part::Label(label) = &start else {
            return parts;
        };
        let label = label.clone();
        // A jump back goes on at the end of the body: with the next iteration.
        body.push(start);
        self.depth += 1;
        self.loops_around += 1;
        let body = self.loops(body);
        self.loops_around -= 1;
        let (body, flow) = self.forward(body.into());
        let after = self.loops(after);
        self.depth -= 1;
        parts.push(repeated(body, flow, &label));
        parts.extend(after);
        parts
    }

    /// Statements that jumps pass over become conditional.
    fn forward(&mut self, mut parts: VecDeque<Part>) -> (Vec<Stmt>, Flow) {
        let mut out = Vec::with_capacity(parts.len());
        let mut last = Flow::through();
        while let Some(part) = parts.pop_front() {
            last = Flow::through();
            let Part::Statement(statement, mut exits) = part else {
                continue;
            };
            out.extend(statement);
            while exits.has_jumps() {
                let target =
                    |part: &Part| matches!(part, Part::Label(label) if exits.jumps_to(label));
                let until = parts.iter().position(target).unwrap_or(parts.len());
                let passed: VecDeque<Part> = parts.drain(..until).collect();
                *exits = self.pass(&mut out, passed, *exits);
                match parts.pop_front() {
                    Some(Part::Label(label)) => exits.land(&label),
                    _ => return (out, exits.total()),
                }
            }
            last = exits.total();
        }
        (out, last)
    }

    /// Puts statements that are passed over where control falls through to them.
    fn pass(&mut self, out: &mut Vec<Stmt>, passed: VecDeque<Part>, exits: Exits) -> Exits {
        if passed.is_empty() {
            return exits;
        }
        if self.depth >= NESTING_LIMIT {
            out.extend(passed.into_iter().filter_map(|part| match part {
                Part::Statement(statement, _) => statement,
                Part::Label(_) => None,
            }));
            if let Some(place) = out.last().map(place) {
                out.push(Stmt::Jump {
                    place,
                    kind: Jump::Goto,
                });
            }
            return exits;
        }
        self.depth += 1;
        let (body, flow) = self.forward(passed);
        self.depth -= 1;
        self.put(out, body, flow, exits, 0)
    }

    /// Puts statements behind others, in the branches from which control goes on to them.
    fn put(
        &mut self,
        out: &mut Vec<Stmt>,
        body: Vec<Stmt>,
        flow: Flow,
        exits: Exits,
        depth: usize,
    ) -> Exits {
        match (exits, out.last_mut()) {
            (Exits::Plain(before), _) if before.falls == Falls::Always => {
                out.extend(body);
                Exits::Plain(flow)
            }
            (Exits::Branches(then, otherwise), Some(Stmt::If(branch)))
                if then.falls() == Falls::Never && otherwise.falls() != Falls::Never =>
            {
                let otherwise = self.put(&mut branch.otherwise, body, flow, *otherwise, depth + 1);
                Exits::Branches(then, Box::new(otherwise))
            }
            (Exits::Branches(then, otherwise), Some(Stmt::If(branch)))
                if otherwise.falls() == Falls::Never && then.falls() != Falls::Never =>
            {
                let then = self.put(&mut branch.then, body, flow, *then, depth + 1);
                Exits::Branches(Box::new(then), otherwise)
            }
            (exits, _) => {
                let before = exits.total();
                if before.jumps.is_empty() {
                    out.extend(body);
                    return Exits::Plain(flow);
                }
                let Some(guarded) = self.guarded(body, &before.jumps) else {
                    return exits;
                };
                out.push(guarded);
                if flow.falls == Falls::Never
                    && before.falls == Falls::Sometimes
                    && depth < NESTING_LIMIT
                {
                    // Either these run, and leave, or one of the jumps was taken: what comes next runs for the rest.
                    return Exits::branches(
                        flow,
                        Flow {
                            falls: Falls::Never,
                            ..before
                        },
                    );
                }
                let falls = if before.falls == Falls::Never {
                    Falls::Never
                } else {
                    Falls::Sometimes
                };
                Exits::Plain(Flow {
                    falls,
                    jumps: before.jumps.union(&flow.jumps).cloned().collect(),
                })
            }
        }
    }

    /// Statements that run if none of the jumps was taken.
    fn guarded(&mut self, body: Vec<Stmt>, jumps: &BTreeSet<Label>) -> Option<Stmt> {
        let place = place(body.first()?);
        let mut condition = None;
        for label in jumps {
            let jumped = Value::Variable(self.target(label, &place));
            condition = Some(match condition {
                Some(before) => Value::binary(BinaryOp::Or, before, jumped),
                None => jumped,
            });
        }
        let condition = Value::Unary(UnaryOp::Not, Box::new(condition?));
        Some(Stmt::If(Box::new(If {
            place,
            condition,
            then: body,
            otherwise: Vec::new(),
        })))
    }

    /// The flag that says whether a label was jumped to.
    fn target(&mut self, label: &Label, place: &Place) -> VarId {
        let next = VarId(self.function.variables.len() as u32);
        let id = *self.targets.entry(label.clone()).or_insert(next);
        if id == next {
            self.function.variables.push(Variable {
                name: label.to_string().into(),
                ty: Type::Logical(4),
                dimensions: Vec::new(),
                role: Role::Local,
                constant: None,
                place: place.clone(),
            });
        }
        id
    }
}

/// A loop made of jumps back.
fn repeated(body: Vec<Stmt>, flow: Flow, label: &Label) -> Part {
    let Some((first, last)) = body.first().zip(body.last()) else {
        return Part::statement(None, Exits::Plain(flow));
    };
    let (place, end_line) = (place(first), end_line(last));
    let control = Control::Uncounted {
        condition: None,
        tested: Tested::BeforeBody,
        reason: Reason {
            code: ReasonCode::GotoLoop,
            detail: label.to_string(),
        },
    };
    let falls = if flow.jumps.is_empty() {
        Falls::Always
    } else {
        Falls::Sometimes
    };
    let inner = Loop {
        place,
        end_line,
        parallel: None,
        evaluation: Evaluation::InTurn,
        control,
        body,
    };
    Part::statement(
        Some(Stmt::Loop(Box::new(inner))),
        Exits::Plain(Flow { falls, ..flow }),
    )
}

/// The labels of a procedure's own block that are followed by neither loops nor jumps.
fn last_labels(body: &[Stmt]) -> BTreeSet<Label> {
    fn ends(statement: &Stmt) -> bool {
        match statement {
            Stmt::Loop(_) => false,
            Stmt::If(branch) => branch.then.iter().chain(&branch.otherwise).all(ends),
            Stmt::Opaque { inner, .. } => inner.iter().all(ends),
            Stmt::Mark { mark, .. } => matches!(mark, Mark::Label(_)),
            Stmt::Assign { .. } | Stmt::Call { .. } | Stmt::Evaluate { .. } | Stmt::Jump { .. } => {
                true
            }
        }
    }
    let label = |statement: &Stmt| match statement {
        Stmt::Mark {
            mark: Mark::Label(label),
            ..
        } => Some(label.clone()),
        _ => None,
    };
    body.iter()
        .rev()
        .take_while(|statement| ends(statement))
        .filter_map(label)
        .collect()
}

fn collect_labels(statements: &[Stmt], labels: &mut BTreeSet<Label>) {
    for statement in statements {
        match statement {
            Stmt::Mark { mark, .. } => {
                if let Mark::Label(label) = mark {
                    labels.insert(label.clone());
                }
            }
            Stmt::Opaque { inner, .. } => collect_labels(inner, labels),
            Stmt::Loop(inner) => collect_labels(&inner.body, labels),
            Stmt::If(branch) => {
                collect_labels(&branch.then, labels);
                collect_labels(&branch.otherwise, labels);
            }
            Stmt::Assign { .. } | Stmt::Call { .. } | Stmt::Evaluate { .. } | Stmt::Jump { .. } => {
            }
        }
    }
}

fn place(statement: &Stmt) -> Place {
    match statement {
        Stmt::Assign { place, .. }
        | Stmt::Call { place, .. }
        | Stmt::Jump { place, .. }
        | Stmt::Mark { place, .. }
        | Stmt::Evaluate { place, .. }
        | Stmt::Opaque { place, .. } => place.clone(),
        Stmt::Loop(inner) => inner.place.clone(),
        Stmt::If(branch) => branch.place.clone(),
    }
}

fn end_line(statement: &Stmt) -> u32 {
    match statement {
        Stmt::Loop(inner) => inner.end_line,
        Stmt::If(branch) => {
            let last = branch.otherwise.last().or(branch.then.last());
            last.map_or(branch.place.line, end_line)
                .max(branch.place.line)
        }
        other => place(other).line,
    }
}
