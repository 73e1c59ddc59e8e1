//! References that step over each other's elements: `a(2*i)` and `a(2*i + 1)` never meet (the GCD test: a difference of subscripts
//! is a sum of multiples of all strides, hence a multiple of their greatest common divisor).

use super::regions::Reference;
use crate::expr::Expr;
use crate::facts::{Access, Loop, Subscript};

/// Whether no element that the first uses in one way is one that the second uses in the other.
pub fn are_apart(a: &Reference, b: &Reference, (a_writes, b_writes): (bool, bool)) -> bool {
    let (s, t) = (&a.stream.subscripts, &b.stream.subscripts);
    if s.len() != t.len() {
        return false;
    }
    let strides: Vec<Option<(f64, f64)>> = s
        .iter()
        .zip(t)
        .map(|(s, t)| common(places(s, &a.loops)?, places(t, &b.loops)?))
        .collect();
    if strides.iter().all(Option::is_none) {
        return false;
    }
    let uses = |access: &&Access, writes: bool| {
        if writes {
            access.writes > 0
        } else {
            access.reads > 0
        }
    };
    a.stream
        .accesses
        .iter()
        .filter(|access| uses(access, a_writes))
        .all(|x| {
            b.stream
                .accesses
                .iter()
                .filter(|access| uses(access, b_writes))
                .all(|y| {
                    strides.iter().enumerate().any(|(dimension, stride)| {
                        let shift = (x.offset[dimension] - y.offset[dimension]) as f64;
                        stride.is_some_and(|(divisor, distance)| {
                            (distance + shift).rem_euclid(divisor) != 0.0
                        })
                    })
                })
        })
}

/// Where a subscript starts, and by which multiples it moves.
struct Places {
    start: Expr,
    strides: Vec<f64>,
}

/// `None` for a gather, and if it is not known by how much a loop moves it.
fn places(subscript: &Subscript, loops: &[&Loop]) -> Option<Places> {
    if subscript.gather.is_some() {
        return None;
    }
    let mut found = Places {
        start: subscript.base.clone(),
        strides: Vec::new(),
    };
    for (variable, coefficient) in &subscript.terms {
        let facts = loops.iter().find(|facts| facts.variable == *variable)?;
        let coefficient = coefficient.as_number()?;
        found.start = found.start + facts.lower.clone() * coefficient;
        found.strides.push(coefficient * facts.step.as_number()?);
    }
    Some(found)
}

/// The greatest common divisor of all strides, if it is above one, and the distance of the starts.
fn common(a: Places, b: Places) -> Option<(f64, f64)> {
    let whole = |x: &f64| x.fract() == 0.0 && x.abs() < 2f64.powi(40);
    let strides: Vec<f64> = a.strides.iter().chain(&b.strides).copied().collect();
    if strides.is_empty() || !strides.iter().all(whole) {
        return None;
    }
    let divisor = strides
        .into_iter()
        .map(|x| x.abs() as u64)
        .fold(0, greatest_common_divisor) as f64;
    let distance = b.start.distance(&a.start).filter(whole)?;
    (divisor > 1.0).then_some((divisor, -distance))
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
