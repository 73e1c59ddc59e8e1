//! What is known once all statements are: which slots always hold known integers, which addresses are sums
//! over such slots, and which loops only make accesses at addresses that move evenly.

use rustc_hash::FxHashSet;

use super::code::{Address, Affine, Body, Integer, Op, Reference, Slot, Strided};
use super::layout::ArrayLayout;

/// Simplifies addresses and loops.
pub(super) fn settle(body: &mut [Op], arrays: &[ArrayLayout]) {
    let tainted = tainted(body);
    let settle = Settle { tainted, arrays };
    settle.statements(body);
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
            Op::Branch(branch) => [&branch.then, &branch.otherwise].into_iter().for_each(|side| each_set(side, visit)),
            Op::Access(..) | Op::Store(..) | Op::Evaluate(_) | Op::Jump(_) => {}
        }
    }
}

fn may_be_unknown(value: &Integer, tainted: &FxHashSet<Slot>) -> bool {
    let again = |v: &Integer| may_be_unknown(v, tainted);
    match value {
        Integer::Affine(affine) => affine.terms.iter().any(|(slot, _)| tainted.contains(slot)),
        Integer::Binary(_, left, right) => again(left) || again(right),
        Integer::Unary(_, operand) => again(operand),
        Integer::Intrinsic(_, operands) => operands.iter().any(again),
        Integer::Select(condition, then, otherwise) => [condition, then, otherwise].into_iter().any(|v| again(v)),
        Integer::Load(..) | Integer::Data(_) => true,
    }
}

struct Settle<'a> {
    tainted: FxHashSet<Slot>,
    arrays: &'a [ArrayLayout],
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
                    [&mut inner.lower, &mut inner.upper, &mut inner.step].into_iter().for_each(|v| self.integer(v));
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
                Op::Jump(_) => {}
            }
        }
    }

    fn integer(&self, value: &mut Integer) {
        match value {
            Integer::Affine(_) => {}
            Integer::Binary(_, left, right) => [left, right].into_iter().for_each(|v| self.integer(v)),
            Integer::Unary(_, operand) => self.integer(operand),
            Integer::Intrinsic(_, operands) => operands.iter_mut().for_each(|v| self.integer(v)),
            Integer::Select(a, b, c) => [a, b, c].into_iter().for_each(|v| self.integer(v)),
            Integer::Load(reference) => self.reference(reference),
            Integer::Data(reads) => self.statements(reads),
        }
    }

    /// Subscripts that are sums over known slots become part of the start.
    fn reference(&self, reference: &mut Reference) {
        let base = self.arrays[reference.array].base;
        let Address::Computed { start, subscripts } = &mut reference.address else { return };
        *start = std::mem::take(start).plus(&Affine::constant(base), 1);
        subscripts.retain_mut(|subscript| {
            self.integer(&mut subscript.value);
            let Integer::Affine(value) = &subscript.value else { return true };
            if value.terms.iter().any(|(slot, _)| self.tainted.contains(slot)) {
                return true;
            }
            let from = Affine::constant(subscript.lower.wrapping_neg());
            *start = std::mem::take(start).plus(value, subscript.stride).plus(&from, subscript.stride);
            false
        });
        if subscripts.is_empty() {
            reference.address = Address::Affine(std::mem::take(start));
        }
    }
}

/// The accesses of a body that makes nothing else.
fn strided(body: &[Op]) -> Option<Vec<Strided>> {
    let access = |op: &Op| match op {
        Op::Access(Reference { bytes, address: Address::Affine(address), .. }, kind) => {
            Some(Strided { bytes: *bytes, address: address.clone(), kind: *kind })
        }
        _ => None,
    };
    let found: Option<Vec<Strided>> = body.iter().map(access).collect();
    found.filter(|all| !all.is_empty())
}
