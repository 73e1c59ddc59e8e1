//! Runs compiled nests.

use rustc_hash::FxHashMap;

use super::code::{Address, Affine, Body, Branch, Counted, Integer, Intrinsic, Op, Reference, Slot, While};
use super::compile::Code;
use super::{Access, Sink};
use crate::cache::{AccessKind, split_mix};
use crate::ir::{BinaryOp, Jump, UnaryOp};

/// What a run did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    pub accesses: u64,
    /// It ended early, after as many accesses or loop iterations as were allowed.
    pub cut: bool,
}

/// Runs a nest; `line` is the length of the shortest line that the sink knows. It is cut after `limit` accesses.
pub fn run(code: &Code, line: u64, limit: u64, sink: &mut dyn Sink) -> Done {
    let mut run = Run {
        slots: code.initial.clone(),
        known: vec![true; code.initial.len()],
        memory: FxHashMap::default(),
        decisions: vec![0; code.branches],
        ends: vec![0; code.loops],
        pending: Vec::with_capacity(PENDING),
        line,
        accesses: 0,
        steps: 0,
        limit,
        sink,
    };
    let flow = run.statements(&code.body);
    run.flush();
    Done { accesses: run.accesses, cut: flow == Flow::Cut }
}

/// The value of an integer over slots that are all known; `None` if it depends on anything else.
pub(super) fn constant(value: &Integer, slots: &[i64]) -> Option<i64> {
    struct Nowhere;
    impl Sink for Nowhere {
        fn take(&mut self, _: &[Access], _: u64) {}
    }
    let mut run = Run {
        slots: slots.to_vec(),
        known: vec![true; slots.len()],
        memory: FxHashMap::default(),
        decisions: Vec::new(),
        ends: Vec::new(),
        pending: Vec::new(),
        line: 64,
        accesses: 0,
        steps: 0,
        limit: u64::MAX,
        sink: &mut Nowhere,
    };
    is_pure(value).then(|| run.integer(value)).and_then(|value| value.known.then_some(value.number))
}

fn is_pure(value: &Integer) -> bool {
    match value {
        Integer::Affine(_) => true,
        Integer::Binary(_, left, right) => is_pure(left) && is_pure(right),
        Integer::Unary(_, operand) => is_pure(operand),
        Integer::Intrinsic(_, operands) => operands.iter().all(is_pure),
        Integer::Select(a, b, c) => is_pure(a) && is_pure(b) && is_pure(c),
        Integer::Load(_) | Integer::Data(_) => false,
    }
}

/// How a block ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    Next,
    Exit,
    Cycle,
    Return,
    Cut,
}

/// An integer; one that is not known has a number that is drawn for it.
#[derive(Clone, Copy, Debug)]
struct Number {
    number: i64,
    known: bool,
}

pub(super) struct Run<'c> {
    pub slots: Vec<i64>,
    known: Vec<bool>,
    /// Elements of integer arrays that the nest wrote, by address.
    memory: FxHashMap<i64, Number>,
    /// How often each branch on data was decided.
    decisions: Vec<u64>,
    /// Where each loop with unknown bounds ended.
    ends: Vec<i64>,
    pending: Vec<Access>,
    pub line: u64,
    pub accesses: u64,
    /// Iterations of loops that make no accesses by themselves.
    steps: u64,
    limit: u64,
    pub sink: &'c mut dyn Sink,
}

/// Accesses that are handed over together.
const PENDING: usize = 256;

impl Run<'_> {
    /// Hands over what is pending.
    pub fn flush(&mut self) {
        if !self.pending.is_empty() {
            self.sink.take(&self.pending, 1);
            self.pending.clear();
        }
    }

    fn statements(&mut self, statements: &[Op]) -> Flow {
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
                    self.memory.insert(address, value);
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
    fn access(&mut self, address: i64, bytes: u32, kind: AccessKind) {
        self.accesses += 1;
        self.pending.push(Access { address: address as u64, bytes, kind });
        if self.pending.len() >= PENDING {
            self.flush();
        }
    }

    fn set(&mut self, slot: Slot, value: Number) {
        self.slots[slot.0 as usize] = value.number;
        self.known[slot.0 as usize] = value.known;
    }

    fn counted(&mut self, inner: &Counted) -> Flow {
        let [lower, upper, step] = [&inner.lower, &inner.upper, &inner.step].map(|bound| self.integer(bound));
        let step = if step.known && step.number != 0 { step.number } else { 1 };
        let (first, trips) = if lower.known && upper.known {
            let trips = (i128::from(upper.number) - i128::from(lower.number)) / i128::from(step) + 1;
            let runs = if step > 0 { upper.number >= lower.number } else { upper.number <= lower.number };
            (lower.number, if runs { u64::try_from(trips).unwrap_or(u64::MAX) } else { 0 })
        } else {
            (if lower.known { lower.number } else { self.ends[inner.number] }, inner.trips)
        };
        let after = |count: u64| first.wrapping_add(step.wrapping_mul(count as i64));
        let slot = inner.variable.0 as usize;
        self.known[slot] = true;
        let mut flow = Flow::Next;
        match &inner.body {
            Body::Strided(accesses) => {
                self.slots[slot] = first;
                let left = self.limit.saturating_sub(self.accesses) / accesses.len() as u64;
                self.strided(accesses, inner.variable, step, trips.min(left));
                self.slots[slot] = after(trips);
                if trips > left {
                    flow = Flow::Cut;
                }
            }
            Body::Statements(body) => {
                let mut done = 0;
                while done < trips {
                    self.slots[slot] = after(done);
                    match self.iteration(body) {
                        Flow::Next => done += 1,
                        Flow::Exit => break,
                        other => return other,
                    }
                }
                if done == trips {
                    self.slots[slot] = after(done);
                }
            }
        }
        self.ends[inner.number] = self.slots[slot];
        flow
    }

    fn uncounted(&mut self, inner: &While) -> Flow {
        let mut done = 0;
        loop {
            let holds = |run: &mut Self| {
                let value = inner.condition.as_ref().map(|condition| run.integer(condition));
                match value {
                    Some(Number { number, known: true }) => number != 0,
                    _ => done < inner.trips,
                }
            };
            if !inner.tested_last && !holds(self) {
                return Flow::Next;
            }
            match self.iteration(&inner.body) {
                Flow::Next => {}
                Flow::Exit => return Flow::Next,
                other => return other,
            }
            done += 1;
            if inner.tested_last {
                let value = inner.condition.as_ref().map(|condition| self.integer(condition));
                let again = match value {
                    Some(Number { number, known: true }) => number != 0,
                    _ => done < inner.trips,
                };
                if !again {
                    return Flow::Next;
                }
            }
        }
    }

    /// One iteration; `Cycle` ends here.
    fn iteration(&mut self, body: &[Op]) -> Flow {
        self.steps += 1;
        if self.accesses >= self.limit || self.steps >= self.limit.saturating_mul(4) {
            return Flow::Cut;
        }
        match self.statements(body) {
            Flow::Cycle => Flow::Next,
            flow => flow,
        }
    }

    fn branch(&mut self, branch: &Branch) -> Flow {
        let condition = self.integer(&branch.condition);
        let holds =
            if condition.known { condition.number != 0 } else { self.decide(branch.number, branch.probability) };
        self.statements(if holds { &branch.then } else { &branch.otherwise })
    }

    /// Decides what only data know: multiples of the golden ratio are spread evenly over 0 to 1.
    fn decide(&mut self, number: usize, probability: f64) -> bool {
        const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
        self.decisions[number] += 1;
        let draw = self.decisions[number].wrapping_mul(GOLDEN);
        (draw as f64) < probability * 2f64.powi(64)
    }

    fn address(&mut self, reference: &Reference) -> i64 {
        match &reference.address {
            Address::Affine(address) => self.sum(address),
            Address::Computed { start, subscripts } => {
                let mut address = self.sum(start);
                for subscript in subscripts {
                    let Number { number, known } = self.integer(&subscript.value);
                    let place =
                        if known { number.wrapping_sub(subscript.lower) } else { number.rem_euclid(subscript.extent) };
                    address = address.wrapping_add(place.wrapping_mul(subscript.stride));
                }
                address
            }
        }
    }

    #[inline]
    pub fn sum(&self, affine: &Affine) -> i64 {
        let term = |(slot, coefficient): &(Slot, i64)| self.slots[slot.0 as usize].wrapping_mul(*coefficient);
        affine.terms.iter().map(term).fold(affine.base, i64::wrapping_add)
    }

    fn integer(&mut self, value: &Integer) -> Number {
        match value {
            Integer::Affine(affine) => {
                let known = affine.terms.iter().all(|(slot, _)| self.known[slot.0 as usize]);
                Number { number: self.sum(affine), known }
            }
            Integer::Binary(op, left, right) => {
                let left = self.integer(left);
                // The right side is not evaluated if the left one decides.
                if left.known
                    && ((*op == BinaryOp::And && left.number == 0) || (*op == BinaryOp::Or && left.number != 0))
                {
                    return Number { number: i64::from(left.number != 0), known: true };
                }
                let right = self.integer(right);
                binary(*op, left, right)
            }
            Integer::Unary(op, operand) => {
                let Number { number, known } = self.integer(operand);
                let number = match op {
                    UnaryOp::Negate => number.wrapping_neg(),
                    UnaryOp::Not => i64::from(number == 0),
                    UnaryOp::Complement => !number,
                };
                Number { number, known }
            }
            Integer::Intrinsic(function, operands) => {
                let mut operands = operands.iter().map(|operand| self.integer(operand)).collect::<Vec<_>>().into_iter();
                let first = operands.next().unwrap_or(Number { number: 0, known: false });
                operands.fold(intrinsic_of_one(*function, first), |a, b| intrinsic(*function, a, b))
            }
            Integer::Select(condition, then, otherwise) => {
                let condition = self.integer(condition);
                let chosen = if condition.number != 0 { then } else { otherwise };
                let Number { number, known } = self.integer(chosen);
                Number { number, known: known && condition.known }
            }
            Integer::Load(reference) => {
                let address = self.address(reference);
                if !reference.quiet {
                    self.access(address, reference.bytes, AccessKind::Load);
                }
                let drawn = (split_mix(address as u64) >> 2) as i64;
                self.memory.get(&address).copied().unwrap_or(Number { number: drawn, known: false })
            }
            Integer::Data(reads) => {
                self.statements(reads);
                let drawn = (split_mix(self.accesses) >> 2) as i64;
                Number { number: drawn, known: false }
            }
        }
    }
}

fn intrinsic_of_one(function: Intrinsic, Number { number, known }: Number) -> Number {
    let number = if function == Intrinsic::Absolute { number.wrapping_abs() } else { number };
    Number { number, known }
}

fn intrinsic(function: Intrinsic, a: Number, b: Number) -> Number {
    let known = a.known && b.known;
    let (a, b) = (a.number, b.number);
    let number = match function {
        Intrinsic::Min => Some(a.min(b)),
        Intrinsic::Max => Some(a.max(b)),
        Intrinsic::Absolute => Some(a),
        Intrinsic::Remainder => a.checked_rem(b),
        Intrinsic::Modulo => {
            a.checked_rem(b).map(|rest| if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest })
        }
    };
    Number { number: number.unwrap_or(0), known: known && number.is_some() }
}

fn binary(op: BinaryOp, left: Number, right: Number) -> Number {
    let known = left.known && right.known;
    let (a, b) = (left.number, right.number);
    let number = match op {
        BinaryOp::Add => Some(a.wrapping_add(b)),
        BinaryOp::Subtract => Some(a.wrapping_sub(b)),
        BinaryOp::Multiply => Some(a.wrapping_mul(b)),
        // Both languages round towards zero.
        BinaryOp::Divide => a.checked_div(b),
        BinaryOp::Remainder => a.checked_rem(b),
        BinaryOp::Power => u32::try_from(b).ok().and_then(|b| a.checked_pow(b)),
        BinaryOp::Less => Some(i64::from(a < b)),
        BinaryOp::LessOrEqual => Some(i64::from(a <= b)),
        BinaryOp::Greater => Some(i64::from(a > b)),
        BinaryOp::GreaterOrEqual => Some(i64::from(a >= b)),
        BinaryOp::Equal => Some(i64::from(a == b)),
        BinaryOp::NotEqual => Some(i64::from(a != b)),
        BinaryOp::And => Some(i64::from(a != 0 && b != 0)),
        BinaryOp::Or => Some(i64::from(a != 0 || b != 0)),
        // Shifts and bits are one operator in the IR.
        BinaryOp::Other => None,
    };
    Number { number: number.unwrap_or(a ^ b.rotate_left(32)), known: known && number.is_some() }
}
