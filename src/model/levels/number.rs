//! One arithmetic for two purposes: plain numbers where only values are asked for, expressions where the
//! formulas are.
//!
//! The rule of this module is written once, over either. What depends on a parameter is therefore no `if` of
//! Rust but [`Number::if_at_most`], which becomes `IF(…)` in a cell. The exceptions are questions whose answer
//! holds whatever the parameters are ([`Number::is_one`], [`Number::is_surely_at_least`]): over expressions
//! they may be `false` where the number would say `true`. They only spare terms; what they do not spare comes
//! to the same.

use crate::expr::{Comparison, Expr};

/// A number or the formula of one.
pub trait Number: Clone {
    fn of(value: f64) -> Self;
    fn plus(&self, other: &Self) -> Self;
    fn minus(&self, other: &Self) -> Self;
    fn times(&self, other: &Self) -> Self;
    fn over(&self, other: &Self) -> Self;
    fn smaller(&self, other: &Self) -> Self;
    fn larger(&self, other: &Self) -> Self;
    fn floor(&self) -> Self;
    fn power(&self, exponent: &Self) -> Self;
    /// Of whole numbers that are not negative.
    fn common_divisor(&self, other: &Self) -> Self;
    /// `then` if `self ≤ limit`, else `otherwise`.
    fn if_at_most(&self, limit: &Self, then: &Self, otherwise: &Self) -> Self;
    /// Whether it is one, whatever the parameters are.
    fn is_one(&self) -> bool;
    /// Whether it is at least another one, whatever the parameters are; `false` if that is not known.
    fn is_surely_at_least(&self, other: &Self) -> bool;

    /// Whether it is a formula that is hard to read inside of another one.
    fn is_long(&self) -> bool;

    fn scaled(&self, factor: f64) -> Self {
        if factor == 1.0 {
            self.clone()
        } else {
            self.times(&Self::of(factor))
        }
    }

    fn shifted(&self, by: f64) -> Self {
        if by == 0.0 {
            self.clone()
        } else {
            self.plus(&Self::of(by))
        }
    }

    fn not_negative(&self) -> Self {
        self.larger(&Self::of(0.0))
    }

    /// How many there are but the first: none where there is less than one on average, as in the middle of a part of a triangle.
    fn beyond_first(&self) -> Self {
        self.shifted(-1.0).not_negative()
    }

    /// self − ⌊self⌋.
    fn fraction(&self) -> Self {
        self.minus(&self.floor())
    }

    fn sum(terms: impl IntoIterator<Item = Self>) -> Self {
        terms
            .into_iter()
            .fold(Self::of(0.0), |total, term| total.plus(&term))
    }
}

impl Number for f64 {
    fn of(value: f64) -> f64 {
        value
    }
    fn plus(&self, other: &f64) -> f64 {
        self + other
    }
    fn minus(&self, other: &f64) -> f64 {
        self - other
    }
    fn times(&self, other: &f64) -> f64 {
        self * other
    }
    fn over(&self, other: &f64) -> f64 {
        self / other
    }
    fn smaller(&self, other: &f64) -> f64 {
        if self.is_nan() || other.is_nan() {
            f64::NAN
        } else {
            self.min(*other)
        }
    }
    fn larger(&self, other: &f64) -> f64 {
        if self.is_nan() || other.is_nan() {
            f64::NAN
        } else {
            self.max(*other)
        }
    }
    fn floor(&self) -> f64 {
        f64::floor(*self)
    }
    fn power(&self, exponent: &f64) -> f64 {
        self.powf(*exponent)
    }
    fn common_divisor(&self, other: &f64) -> f64 {
        let divisor = Expr::from(*self).common_divisor(Expr::from(*other));
        divisor.as_number().unwrap_or(f64::NAN)
    }
    fn if_at_most(&self, limit: &f64, then: &f64, otherwise: &f64) -> f64 {
        if self.is_nan() || limit.is_nan() {
            f64::NAN
        } else if self <= limit {
            *then
        } else {
            *otherwise
        }
    }
    fn is_one(&self) -> bool {
        *self == 1.0
    }
    fn is_surely_at_least(&self, other: &f64) -> bool {
        self >= other
    }
    fn is_long(&self) -> bool {
        false
    }
}

impl Number for Expr {
    fn of(value: f64) -> Expr {
        Expr::from(value)
    }
    fn plus(&self, other: &Expr) -> Expr {
        self + other
    }
    fn minus(&self, other: &Expr) -> Expr {
        self - other
    }
    fn times(&self, other: &Expr) -> Expr {
        self * other
    }
    fn over(&self, other: &Expr) -> Expr {
        self.clone().quotient(other.clone())
    }
    fn smaller(&self, other: &Expr) -> Expr {
        Expr::min([self.clone(), other.clone()])
    }
    fn larger(&self, other: &Expr) -> Expr {
        Expr::max([self.clone(), other.clone()])
    }
    fn floor(&self) -> Expr {
        self.clone().floor()
    }
    fn power(&self, exponent: &Expr) -> Expr {
        self.clone().power(exponent.clone())
    }
    fn common_divisor(&self, other: &Expr) -> Expr {
        self.clone().common_divisor(other.clone())
    }
    fn if_at_most(&self, limit: &Expr, then: &Expr, otherwise: &Expr) -> Expr {
        Expr::choose(
            Comparison::LessOrEqual,
            self.clone(),
            limit.clone(),
            then.clone(),
            otherwise.clone(),
        )
    }
    fn is_one(&self) -> bool {
        self.as_number() == Some(1.0)
    }
    fn is_surely_at_least(&self, other: &Expr) -> bool {
        match (self.as_number(), other.as_number()) {
            (Some(own), Some(other)) => own >= other,
            // What is no number by now seldom becomes one, and this is asked often.
            (Some(_), None) | (None, Some(_)) => false,
            (None, None) => (self - other)
                .expand()
                .as_number()
                .is_some_and(|apart| apart >= 0.0),
        }
    }
    fn is_long(&self) -> bool {
        /// `MAX(nx-2,0)` has five parts.
        const READABLE: usize = 8;
        self.has_more_parts(READABLE)
    }
    fn sum(terms: impl IntoIterator<Item = Expr>) -> Expr {
        Expr::sum(terms)
    }
}
