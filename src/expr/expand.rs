//! The polynomial view of an expression: expansion to a canonical sum of monomials, and the linear
//! part in given variables. Whatever is not a polynomial (a quotient, a call) counts as one atom.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::{Expr, Function, Names, Node};

/// Atoms with their powers, sorted by atom; empty for the constant term.
pub type Monomial = Vec<(Expr, u32)>;

type Polynomial = BTreeMap<Monomial, f64>;

/// Above this many monomials an expression is left as one atom.
const MONOMIAL_LIMIT: usize = 4096;

/// `Σ coefficients[v]·v + rest`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linear {
    /// One coefficient a variable asked for, in that order; free of those variables.
    pub coefficients: Vec<Expr>,
    pub rest: Expr,
}

impl Expr {
    /// The canonical sum of monomials; two polynomials are equal exactly if their expansions are.
    pub fn expand(&self) -> Expr {
        let polynomial = self.polynomial();
        let (constant, others): (Vec<_>, Vec<_>) =
            polynomial.into_iter().partition(|(m, _)| m.is_empty());
        Expr::sum(
            others
                .into_iter()
                .chain(constant)
                .map(|(monomial, coefficient)| term(&monomial, coefficient)),
        )
    }

    /// The expressions of which this is the least, or the greatest: `min(a, b) + c` is the smaller of `a + c` and `b + c`.
    pub fn alternatives(&self, extremum: Function) -> Vec<Expr> {
        let is_call =
            |item: &Expr| matches!(item.node(), Node::Call(called, _) if *called == extremum);
        match self.node() {
            Node::Call(called, items) if *called == extremum => items
                .iter()
                .flat_map(|item| item.alternatives(extremum))
                .collect(),
            Node::Sum(items) => {
                let Some(at) = items.iter().position(is_call) else {
                    return vec![self.clone()];
                };
                let others = items.iter().enumerate().filter(|(i, _)| *i != at);
                let rest = Expr::sum(others.map(|(_, item)| item.clone()));
                let ends = items[at].alternatives(extremum).into_iter();
                ends.map(|one| one + rest.clone()).collect()
            }
            _ => vec![self.clone()],
        }
    }

    /// `self - other` if that is a number.
    pub fn distance(&self, other: &Expr) -> Option<f64> {
        if let (Some(own), Some(others)) = (self.as_number(), other.as_number()) {
            return Some(own - others);
        }
        if self == other {
            return Some(0.0);
        }
        let mut rest = self.polynomial();
        for (monomial, coefficient) in other.polynomial() {
            add(&mut rest, monomial, -coefficient);
        }
        match rest.len() {
            0 => Some(0.0),
            1 => rest.get(&Monomial::new()).copied(),
            _ => None,
        }
    }

    /// The polynomial that times `divisor` is this one, if there is one.
    pub fn divided_by(&self, divisor: &Expr) -> Option<Expr> {
        const STEPS: usize = 64;
        let degree = |m: &Monomial| m.iter().map(|(_, power)| *power).sum::<u32>();
        let leading = |p: Polynomial| {
            p.into_iter()
                .max_by(|a, b| degree(&a.0).cmp(&degree(&b.0)).then(a.0.cmp(&b.0)))
        };
        let (by, scale) = leading(divisor.polynomial())?;
        let (mut rest, mut found) = (self.expand(), Vec::new());
        for _ in 0..STEPS {
            let Some((monomial, coefficient)) = leading(rest.polynomial()) else {
                return Some(Expr::sum(found));
            };
            let mut powers: BTreeMap<Expr, u32> = monomial.into_iter().collect();
            for (atom, power) in &by {
                let own = powers.get_mut(atom)?;
                *own = own.checked_sub(*power)?;
            }
            powers.retain(|_, power| *power > 0);
            let part = term(
                &powers.into_iter().collect::<Monomial>(),
                coefficient / scale,
            );
            rest = (&rest - &(&part * divisor)).expand();
            found.push(part);
            if rest.is_zero() {
                return Some(Expr::sum(found));
            }
        }
        None
    }

    /// The linear part in `variables`; `None` if a variable occurs in any other way.
    pub fn linear_in<N: Names>(&self, variables: &[N]) -> Option<Linear> {
        let mut coefficients = vec![Vec::new(); variables.len()];
        let mut rest = Vec::new();
        for (monomial, coefficient) in self.polynomial() {
            let mut variable = None;
            let mut others = Monomial::new();
            for (atom, power) in monomial {
                match atom.node() {
                    Node::Symbol(symbol) if variables.iter().any(|v| v.names(symbol)) => {
                        if power != 1 || variable.is_some() {
                            return None;
                        }
                        variable = variables.iter().position(|v| v.names(symbol));
                    }
                    _ if variables.iter().any(|v| atom.mentions(v)) => return None,
                    _ => others.push((atom, power)),
                }
            }
            let part = term(&others, coefficient);
            match variable {
                Some(index) => coefficients[index].push(part),
                None => rest.push(part),
            }
        }
        Some(Linear {
            coefficients: coefficients.into_iter().map(Expr::sum).collect(),
            rest: Expr::sum(rest),
        })
    }

    /// Coefficients of the powers 0, 1, 2 … of `variable`; `None` if it hides inside an atom.
    pub(super) fn powers_of(&self, variable: &str) -> Option<Vec<Expr>> {
        let mut powers: Vec<Vec<Expr>> = vec![Vec::new()];
        for (monomial, coefficient) in self.polynomial() {
            let mut degree = 0;
            let mut others = Monomial::new();
            for (atom, power) in monomial {
                match atom.node() {
                    Node::Symbol(symbol) if symbol.is_source(variable) => degree = power as usize,
                    _ if atom.mentions(variable) => return None,
                    _ => others.push((atom, power)),
                }
            }
            if powers.len() <= degree {
                powers.resize(degree + 1, Vec::new());
            }
            powers[degree].push(term(&others, coefficient));
        }
        Some(powers.into_iter().map(Expr::sum).collect())
    }

    /// The monomials of the expansion with their coefficients, in canonical order.
    pub fn monomials(&self) -> Vec<(Monomial, f64)> {
        self.polynomial().into_iter().collect()
    }

    fn polynomial(&self) -> Polynomial {
        if let (Node::Product(_), Some(single)) = (self.node(), self.single_monomial()) {
            return Polynomial::from([single]);
        }
        let expanded = match self.node() {
            Node::Number(n) => Polynomial::from([(Vec::new(), n.get())]),
            Node::Sum(items) => items.iter().fold(Polynomial::new(), |mut total, item| {
                // Nearly all of them; no polynomial is made of each.
                if let Some((monomial, coefficient)) = item.single_monomial() {
                    add(&mut total, monomial, coefficient);
                    return total;
                }
                for (monomial, coefficient) in item.polynomial() {
                    add(&mut total, monomial, coefficient);
                }
                total
            }),
            Node::Product(items) => (items.iter())
                .fold(Polynomial::from([(Vec::new(), 1.0)]), |total, item| {
                    multiply(&total, &item.polynomial())
                }),
            Node::Power(base, exponent) => match exponent.as_integer() {
                Some(n @ 2..=16) => {
                    let base = base.polynomial();
                    (0..n).fold(Polynomial::from([(Vec::new(), 1.0)]), |total, _| {
                        multiply(&total, &base)
                    })
                }
                _ => self.atom(),
            },
            _ => self.atom(),
        };
        if expanded.len() > MONOMIAL_LIMIT {
            self.atom()
        } else {
            expanded
        }
    }

    /// The monomial that this is without any expansion, with its coefficient.
    fn single_monomial(&self) -> Option<(Monomial, f64)> {
        let Node::Product(factors) = self.node() else {
            return match self.node() {
                Node::Number(n) => Some((Vec::new(), n.get())),
                Node::Sum(_) | Node::Power(..) => None,
                _ => Some((vec![(self.clone(), 1)], 1.0)),
            };
        };
        let (mut coefficient, mut monomial) = (1.0, Monomial::with_capacity(factors.len()));
        for factor in factors {
            match (factor.node(), monomial.last_mut()) {
                (Node::Number(n), _) => coefficient *= n.get(),
                (Node::Sum(_) | Node::Power(..) | Node::Product(_), _) => return None,
                (_, Some((last, power))) if last == factor => *power += 1,
                (_, Some((last, _))) if *last > *factor => return None,
                _ => monomial.push((factor.clone(), 1)),
            }
        }
        Some((monomial, coefficient))
    }

    fn atom(&self) -> Polynomial {
        Polynomial::from([(vec![(self.clone(), 1)], 1.0)])
    }
}

fn add(total: &mut Polynomial, monomial: Monomial, coefficient: f64) {
    match total.entry(monomial) {
        Entry::Occupied(mut known) => {
            *known.get_mut() += coefficient;
            if *known.get() == 0.0 {
                known.remove();
            }
        }
        Entry::Vacant(place) if coefficient != 0.0 => drop(place.insert(coefficient)),
        Entry::Vacant(_) => {}
    }
}

fn multiply(left: &Polynomial, right: &Polynomial) -> Polynomial {
    let mut total = Polynomial::new();
    if left.len() * right.len() > 16 * MONOMIAL_LIMIT {
        let one_atom = |p: &Polynomial| Expr::sum(p.iter().map(|(m, c)| term(m, *c)));
        return Expr::product([one_atom(left), one_atom(right)]).atom();
    }
    for (a, x) in left {
        for (b, y) in right {
            let mut powers: BTreeMap<Expr, u32> = a.iter().cloned().collect();
            for (atom, power) in b {
                let sum = powers.entry(atom.clone()).or_insert(0);
                *sum = sum.saturating_add(*power);
            }
            add(&mut total, powers.into_iter().collect(), x * y);
        }
    }
    total
}

fn term(monomial: &Monomial, coefficient: f64) -> Expr {
    let factors = monomial
        .iter()
        .map(|(atom, power)| atom.clone().power(Expr::from(f64::from(*power))));
    Expr::product(std::iter::once(Expr::from(coefficient)).chain(factors))
}
