//! What is known once all statements are: which slots always hold known integers, which addresses are sums
//! over such slots, and which loops only make accesses at addresses that move evenly.

use rustc_hash::FxHashSet;

use super::code::{Affine, Body, Integer, Op, Reference, Slot, Strided};
use super::layout::ArrayLayout;
use super::values::binary;

/// Simplifies addresses and loops. Unknown subscripts of arrays of unknown extent are below `extent`; slots that
/// nothing assigns keep their initial values.
pub(super) fn settle(body: &mut [Op], arrays: &[ArrayLayout], initial: &[i64], extent: i64) {
    let tainted = tainted(body);
    let mut assigned: FxHashSet<Slot> = arrays.iter().map(|array| array.base).collect();
    each_set(body, &mut |slot, _| {
        assigned.insert(slot);
    });
    each_variable(body, &mut |slot| {
        assigned.insert(slot);
    });
    Settle {
        tainted,
        assigned,
        initial,
        arrays,
        extent,
    }
    .statements(body);
}

/// Visits the variables of counted loops.
fn each_variable(body: &[Op], visit: &mut dyn FnMut(Slot)) {
    for op in body {
        match op {
            Op::Loop(inner) => {
                visit(inner.variable);
                if let Body::Statements(body) = &inner.body {
                    each_variable(body, visit);
                }
            }
            Op::While(inner) => each_variable(&inner.body, visit),
            Op::Branch(branch) => [&branch.then, &branch.otherwise]
                .into_iter()
                .for_each(|side| each_variable(side, visit)),
            Op::Access(..)
            | Op::Set(..)
            | Op::Store(..)
            | Op::Evaluate(_)
            | Op::Jump(_)
            | Op::Mark(_) => {}
        }
    }
}

/// Slots that may hold an unknown integer.
fn tainted(body: &[Op]) -> FxHashSet<Slot> {
    let mut tainted = FxHashSet::default();
    loop {
        let before = tainted.len();
        each_set(body, &mut |slot, value| {
            if may_be_unknown(value, &tainted) {
                tainted.insert(slot);
            }
        });
        if tainted.len() == before {
            return tainted;
        }
    }
}

fn each_set(body: &[Op], visit: &mut dyn FnMut(Slot, &Integer)) {
    for op in body {
        match op {
            Op::Set(slot, value) => visit(*slot, value),
            Op::Loop(inner) => match &inner.body {
                Body::Statements(body) => each_set(body, visit),
                Body::Strided(_) => {}
            },
            Op::While(inner) => each_set(&inner.body, visit),
            Op::Branch(branch) => [&branch.then, &branch.otherwise]
                .into_iter()
                .for_each(|side| each_set(side, visit)),
            Op::Access(..) | Op::Store(..) | Op::Evaluate(_) | Op::Jump(_) | Op::Mark(_) => {}
        }
    }
}

fn may_be_unknown(value: &Integer, tainted: &FxHashSet<Slot>) -> bool {
    let again = |v: &Integer| may_be_unknown(v, tainted);
    let sum = |affine: &Affine| affine.terms.iter().any(|(slot, _)| tainted.contains(slot));
    match value {
        Integer::Affine(affine) => sum(affine),
        Integer::Binary(_, left, right) => again(left) || again(right),
        Integer::Unary(_, operand) => again(operand),
        Integer::Intrinsic(_, operands) => operands.iter().any(again),
        Integer::Select(condition, then, otherwise) => {
            [condition, then, otherwise].into_iter().any(|v| again(v))
        }
        // An address made from an unknown index is one of the array all the same.
        Integer::Address(reference) => sum(&reference.start),
        Integer::Load(..) | Integer::Data(_) => true,
    }
}

struct Settle<'a> {
    tainted: FxHashSet<Slot>,
    /// Slots that statements, loops or the layout give values.
    assigned: FxHashSet<Slot>,
    initial: &'a [i64],
    arrays: &'a [ArrayLayout],
    extent: i64,
}

impl Settle<'_> {
    fn statements(&self, body: &mut [Op]) {
        for op in body {
            match op {
                Op::Access(reference, _) => self.reference(reference),
                Op::Set(_, value) | Op::Evaluate(value) => self.integer(value),
                Op::Store(reference, value) => {
                    self.integer(value);
                    self.reference(reference);
                }
                Op::Loop(inner) => {
                    [&mut inner.lower, &mut inner.upper, &mut inner.step]
                        .into_iter()
                        .for_each(|v| self.integer(v));
                    if let Body::Statements(body) = &mut inner.body {
                        self.statements(body);
                        if let Some(strided) = strided(body) {
                            inner.body = Body::Strided(strided);
                        }
                    }
                }
                Op::While(inner) => {
                    inner.condition.iter_mut().for_each(|v| self.integer(v));
                    self.statements(&mut inner.body);
                }
                Op::Branch(branch) => {
                    self.integer(&mut branch.condition);
                    self.statements(&mut branch.then);
                    self.statements(&mut branch.otherwise);
                }
                Op::Jump(_) | Op::Mark(_) => {}
            }
        }
    }

    fn integer(&self, value: &mut Integer) {
        match value {
            Integer::Affine(affine) => self.fold(affine),
            Integer::Binary(op, left, right) => {
                [&mut *left, &mut *right]
                    .into_iter()
                    .for_each(|v| self.integer(v));
                // With what is fixed now, the product may be a sum over slots.
                if let (Integer::Affine(_), Integer::Affine(_)) = (&**left, &**right) {
                    let nothing = || Integer::Affine(Affine::default());
                    let (left, right) = (
                        std::mem::replace(&mut **left, nothing()),
                        std::mem::replace(&mut **right, nothing()),
                    );
                    *value = binary(*op, left, right);
                }
            }
            Integer::Unary(_, operand) => self.integer(operand),
            Integer::Intrinsic(_, operands) => operands.iter_mut().for_each(|v| self.integer(v)),
            Integer::Select(a, b, c) => [a, b, c].into_iter().for_each(|v| self.integer(v)),
            Integer::Load(reference, _) => self.reference(reference),
            Integer::Address(reference) => {
                self.reference(reference);
                if reference.subscripts.is_empty() {
                    *value = Integer::Affine(std::mem::take(&mut reference.start));
                }
            }
            Integer::Data(reads) => self.statements(reads),
        }
    }

    /// Puts values in place of slots that keep them.
    fn fold(&self, affine: &mut Affine) {
        let base = &mut affine.base;
        affine.terms.retain(|(slot, coefficient)| {
            let is_fixed = !self.assigned.contains(slot);
            if is_fixed {
                *base = base.wrapping_add(self.initial[slot.0 as usize].wrapping_mul(*coefficient));
            }
            !is_fixed
        });
    }

    /// Subscripts that are sums over known slots become part of the start.
    fn reference(&self, reference: &mut Reference) {
        let Reference {
            array,
            start,
            subscripts,
            ..
        } = reference;
        let layout = &self.arrays[*array];
        subscripts.retain_mut(|subscript| {
            self.integer(&mut subscript.value);
            // A member's own dimensions have theirs from the beginning.
            if subscript.stride == 0 {
                let bounds = layout.bounds[subscript.dimension];
                subscript.stride = layout.strides[subscript.dimension];
                subscript.lower = bounds.lower;
                subscript.extent = bounds.extent().unwrap_or(self.extent).max(1);
            }
            let Integer::Affine(value) = &subscript.value else {
                return true;
            };
            if value
                .terms
                .iter()
                .any(|(slot, _)| self.tainted.contains(slot))
            {
                return true;
            }
            let from = Affine::constant(subscript.lower.wrapping_neg());
            *start = std::mem::take(start)
                .plus(value, subscript.stride)
                .plus(&from, subscript.stride);
            false
        });
    }
}

/// Says of every loop whether it carries something from one iteration to the next.
pub(super) fn find_carried(body: &mut [Op]) {
    for op in body {
        match op {
            Op::Loop(inner) => {
                if let Body::Statements(body) = &mut inner.body {
                    inner.carries = carries(body);
                    find_carried(body);
                }
            }
            Op::While(inner) => find_carried(&mut inner.body),
            Op::Branch(branch) => {
                find_carried(&mut branch.then);
                find_carried(&mut branch.otherwise);
            }
            Op::Access(..)
            | Op::Set(..)
            | Op::Store(..)
            | Op::Evaluate(_)
            | Op::Jump(_)
            | Op::Mark(_) => {}
        }
    }
}

/// Whether an iteration needs what the one before left in a slot.
fn carries(body: &[Op]) -> bool {
    let mut assigned = FxHashSet::default();
    each_set(body, &mut |slot, _| {
        assigned.insert(slot);
    });
    let mut found = false;
    each_set(body, &mut |_, value| {
        found |= may_be_unknown(value, &assigned);
    });
    found
}

/// The accesses of a body that makes nothing else.
fn strided(body: &[Op]) -> Option<Vec<Strided>> {
    let access = |op: &Op| match op {
        Op::Access(
            Reference {
                bytes,
                start,
                subscripts,
                ..
            },
            kind,
        ) if subscripts.is_empty() => Some(Strided {
            bytes: *bytes,
            address: start.clone(),
            kind: *kind,
        }),
        _ => None,
    };
    let found: Option<Vec<Strided>> = body.iter().map(access).collect();
    found.filter(|all| !all.is_empty())
}
