//! Runs compiled nests.

use rustc_hash::FxHashMap;

use super::code::{Branch, Code, DecidedBy, Draw, Op, Slot};
use super::evaluate::Number;
use super::windows::Plan;
use super::{Access, Sink};
use crate::cache::{AccessKind, split_mix};
use crate::ir::{Jump, Quantifier};

/// What a run did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    pub accesses: u64,
    /// It ended early, after as many accesses or loop iterations as were allowed.
    pub cut: bool,
    pub drew: Drawn,
}

/// What was drawn, as only data decide it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Drawn {
    #[default]
    Nothing,
    /// Which way branches go, as often as their probabilities say.
    Ways,
    /// The same, but not as often: too few draws for rare ways.
    FewWays,
    /// Where an access goes, or how often a loop runs.
    Places,
}

/// How much a run would do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    pub accesses: u64,
    /// By number of the loop.
    pub iterations: Vec<u64>,
    /// Counting itself took too long: these are estimates from the part that was counted, 0 if there is none.
    pub cut: bool,
}

/// Runs a nest; `line` is the length of the shortest line that the sink knows. It is cut after `limit` accesses.
pub fn run(code: &Code, line: u64, limit: u64, sink: &mut dyn Sink) -> Done {
    let mut run = Run::new(code, line, limit, sink);
    let flow = run.statements(&code.body);
    run.flush();
    Done {
        accesses: run.accesses,
        cut: flow == Flow::Cut,
        drew: run.drawn(),
    }
}

/// Runs windows of a nest: what lies between them is left out.
pub fn run_windows<'c>(code: &Code, line: u64, plan: &'c Plan, sink: &'c mut dyn Sink) -> Done {
    let mut run = Run::new(code, line, u64::MAX, sink);
    run.windows = Some(Windows {
        plan,
        unit: 0,
        next: 0,
    });
    run.statements(&code.body);
    run.flush();
    Done {
        accesses: run.accesses,
        cut: false,
        drew: run.drawn(),
    }
}

/// Counts the accesses and the iterations of each loop, with few steps where innermost loops are plain.
pub fn count(code: &Code, most_steps: u64) -> Counted {
    struct Nowhere;
    impl Sink for Nowhere {
        fn take(&mut self, _: &[Access], _: u64) {}
    }
    let mut nowhere = Nowhere;
    let mut run = Run::new(code, 64, u64::MAX, &mut nowhere);
    (run.only_count, run.most_steps) = (true, most_steps);
    if run.statements(&code.body) != Flow::Cut {
        return run.counted_so_far();
    }
    // Those that were counted are the first ones, which may be shorter than the others.
    let estimate = run.estimate.unwrap_or_default();
    let mut run = Run::new(code, 64, u64::MAX, &mut nowhere);
    (run.only_count, run.most_steps, run.in_parts) = (true, most_steps, true);
    let counted = match run.statements(&code.body) {
        Flow::Cut => estimate,
        _ => run.counted_so_far(),
    };
    Counted {
        cut: true,
        ..counted
    }
}

/// Runs only the first, the middle and the last iteration of loops that carry nothing from one to the next: enough
/// to see how far the accesses reach. Gives the least and the largest subscript of each dimension of each array.
pub(super) fn corners(
    code: &Code,
    limit: u64,
    arms: Arms,
    sink: &mut dyn Sink,
) -> Vec<Vec<(i64, i64)>> {
    let mut run = Run::new(code, 1, limit, sink);
    run.arms = arms;
    run.corners = Some(
        code.arrays
            .iter()
            .map(|array| vec![(i64::MAX, i64::MIN); array.bounds.len()])
            .collect(),
    );
    run.statements(&code.body);
    run.flush();
    run.corners.unwrap_or_default()
}

/// Which arms of branches are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arms {
    Taken,
    /// The others of those that are drawn, too, but only to see their accesses.
    Drawn,
    /// All others, in the same way.
    All,
    /// In one of those others.
    Others,
}

/// How a block ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    Next,
    Exit,
    Cycle,
    Return,
    Cut,
}

/// Where a run of windows stands.
pub(super) struct Windows<'c> {
    pub plan: &'c Plan,
    /// Iterations so far of the loop that the windows count.
    pub unit: u64,
    /// The window that is next, or under way.
    pub next: usize,
}

pub(super) struct Run<'c> {
    pub slots: Vec<i64>,
    pub known: Vec<bool>,
    /// Elements of integer arrays that the nest wrote, by address.
    pub memory: FxHashMap<i64, Number>,
    /// How often each branch on data was decided, and how often more it was taken than its probability says.
    pub decisions: Vec<u64>,
    pub surplus: Vec<f64>,
    pub drew: Drawn,
    /// Where each loop with unknown bounds ended.
    pub ends: Vec<i64>,
    pub pending: Vec<Access>,
    pub line: u64,
    pub accesses: u64,
    /// Iterations of loops that make no accesses by themselves.
    pub steps: u64,
    pub limit: u64,
    pub most_steps: u64,
    /// Iterations of each loop so far.
    pub iterations: Vec<u64>,
    pub only_count: bool,
    /// Of loops that carry nothing from one iteration to the next, some iterations stand for all.
    pub in_parts: bool,
    /// What a count that is cut would have come to.
    pub estimate: Option<Counted>,
    pub windows: Option<Windows<'c>>,
    /// What was seen of subscripts, where only corners of the loops are run.
    pub corners: Option<Vec<Vec<(i64, i64)>>>,
    /// Places in arrays that were drawn there.
    pub drawn_corners: u64,
    pub arms: Arms,
    pub sink: &'c mut dyn Sink,
}

/// Where the rarer way was drawn more often, or less, by a larger share, it does not stand for the probability.
const MOST_SURPLUS: f64 = 0.05;

/// So many iterations of an innermost loop go evenly both ways of a branch on data that other loops decide, too.
const EVENLY: u64 = 64;

/// Accesses that are handed over together.
const PENDING: usize = 256;

impl<'c> Run<'c> {
    pub fn new(code: &Code, line: u64, limit: u64, sink: &'c mut dyn Sink) -> Run<'c> {
        Run {
            slots: code.initial.clone(),
            known: vec![true; code.initial.len()],
            memory: FxHashMap::default(),
            decisions: vec![0; code.branches],
            surplus: vec![0.0; code.branches],
            drew: Drawn::Nothing,
            ends: vec![0; code.loops],
            pending: Vec::with_capacity(PENDING),
            line,
            accesses: 0,
            steps: 0,
            limit,
            most_steps: limit.saturating_mul(4),
            iterations: vec![0; code.loops],
            only_count: false,
            in_parts: false,
            estimate: None,
            windows: None,
            corners: None,
            drawn_corners: 0,
            arms: Arms::Taken,
            sink,
        }
    }

    fn counted_so_far(self) -> Counted {
        Counted {
            accesses: self.accesses,
            iterations: self.iterations,
            cut: false,
        }
    }

    /// Hands over what is pending.
    pub fn flush(&mut self) {
        if !self.pending.is_empty() {
            self.sink.take(&self.pending, 1);
            self.pending.clear();
        }
    }

    pub fn statements(&mut self, statements: &[Op]) -> Flow {
        for op in statements {
            let flow = match op {
                Op::Access(reference, kind) => {
                    let address = self.address(reference);
                    self.access(address, reference.bytes, *kind);
                    Flow::Next
                }
                Op::Set(slot, value) => {
                    let value = self.integer(value);
                    self.set(*slot, value);
                    Flow::Next
                }
                Op::Store(reference, value) => {
                    let value = self.integer(value);
                    let address = self.address(reference);
                    if self.arms != Arms::Others {
                        self.memory.insert(address, value);
                    }
                    if !reference.quiet {
                        self.access(address, reference.bytes, AccessKind::Store);
                    }
                    Flow::Next
                }
                Op::Evaluate(value) => {
                    self.integer(value);
                    Flow::Next
                }
                Op::Loop(inner) => self.counted(inner),
                Op::While(inner) => self.uncounted(inner),
                Op::Branch(branch) => self.branch(branch),
                Op::Mark(mark) => {
                    self.flush();
                    self.sink.mark(*mark);
                    Flow::Next
                }
                Op::Jump(Jump::Exit) => Flow::Exit,
                Op::Jump(Jump::Cycle) => Flow::Cycle,
                Op::Jump(Jump::Return | Jump::Goto | Jump::Stop) => Flow::Return,
            };
            if flow != Flow::Next {
                return flow;
            }
        }
        Flow::Next
    }

    #[inline]
    pub fn access(&mut self, address: i64, bytes: u32, kind: AccessKind) {
        self.accesses += 1;
        if self.only_count {
            self.steps += 1;
            return;
        }
        self.pending.push(Access {
            address: address as u64,
            bytes,
            kind,
        });
        if self.pending.len() >= PENDING {
            self.flush();
        }
    }

    pub fn set(&mut self, slot: Slot, value: Number) {
        self.slots[slot.0 as usize] = value.number;
        self.known[slot.0 as usize] = value.known;
    }

    /// One iteration; `Cycle` ends here.
    pub fn iteration(&mut self, body: &[Op]) -> Flow {
        self.steps += 1;
        if self.accesses >= self.limit || self.steps >= self.most_steps {
            return Flow::Cut;
        }
        match self.statements(body) {
            Flow::Cycle => Flow::Next,
            flow => flow,
        }
    }

    /// Notes that data decide where an access goes, or how often a loop runs, unless all is known.
    pub fn draws_places_unless(&mut self, is_known: bool) {
        if !is_known {
            self.drew = Drawn::Places;
        }
    }

    pub fn branch(&mut self, branch: &Branch) -> Flow {
        let condition = self.integer(&branch.condition);
        let holds = if condition.known {
            condition.number != 0
        } else {
            self.decide(branch)
        };
        let (taken, other) = match holds {
            true => (&branch.then, &branch.otherwise),
            false => (&branch.otherwise, &branch.then),
        };
        let looks = match self.arms {
            Arms::Taken => false,
            Arms::Drawn => !condition.known,
            Arms::All | Arms::Others => true,
        };
        if looks {
            self.look_at(other);
        }
        self.statements(taken)
    }

    /// Runs the arm of a branch that is not taken, and forgets what it does.
    fn look_at(&mut self, arm: &[Op]) {
        let before = (self.slots.clone(), self.known.clone(), self.arms);
        self.arms = Arms::Others;
        self.statements(arm);
        (self.slots, self.known, self.arms) = before;
    }

    /// What was drawn, and whether ways were drawn as often as they are taken.
    fn drawn(&self) -> Drawn {
        let is_uneven = |(decisions, surplus): (&u64, &f64)| {
            *decisions > 0 && surplus.abs() > MOST_SURPLUS * *decisions as f64
        };
        let mut each = self.decisions.iter().zip(&self.surplus);
        match self.drew {
            Drawn::Ways if each.any(is_uneven) => Drawn::FewWays,
            drew => drew,
        }
    }

    /// Decides what only data know, as often as it holds: multiples of the golden ratio are spread evenly over 0 to 1.
    fn decide(&mut self, branch: &Branch) -> bool {
        self.drew = self.drew.max(Drawn::Ways);
        let mut held = 0;
        for draw in &branch.draws {
            held += usize::from(self.holds(draw));
        }
        match branch.holds {
            Quantifier::All => held == branch.draws.len(),
            Quantifier::Any => held > 0,
        }
    }

    fn holds(&mut self, draw: &Draw) -> bool {
        self.decisions[draw.number] += 1;
        if draw.decided_by.as_ref().is_some_and(DecidedBy::is_once) {
            return draw.probability >= 0.5;
        }
        let holds = self.drawn_for(draw) < draw.probability;
        // Relative to the rarer way, of which the least is moved.
        let rarer = draw.probability.min(1.0 - draw.probability);
        if rarer > 0.0 {
            let taken = f64::from(u8::from(holds));
            self.surplus[draw.number] += (taken - draw.probability) / rarer;
        }
        holds
    }

    /// A number from 0 to 1.
    fn drawn_for(&self, one: &Draw) -> f64 {
        const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
        let draw = match &one.decided_by {
            None => self.decisions[one.number].wrapping_mul(GOLDEN),
            Some(by) => {
                let value = |slot: &Slot| self.slots[slot.0 as usize] as u64;
                let innermost = by.innermost.as_ref().map_or(0, value);
                let part = (!by.others.is_empty()).then_some(innermost / EVENLY);
                let others = by.others.iter().map(value).chain(part);
                let begin = others.fold(one.number as u64, |draw, value| {
                    split_mix(draw.wrapping_mul(GOLDEN) ^ value)
                });
                begin.wrapping_add(innermost.wrapping_mul(GOLDEN))
            }
        };
        draw as f64 / 2f64.powi(64)
    }
}
