//! Closed forms of sums over a loop variable: exact iteration counts of triangular nests.

use super::Expr;

/// Σ_{v=1}^{n} v^k as a polynomial in n: coefficients of n¹, n², … (Faulhaber's formula, k ≤ 6).
const POWER_SUMS: [&[f64]; 7] = [
    &[1.0],
    &[1.0 / 2.0, 1.0 / 2.0],
    &[1.0 / 6.0, 1.0 / 2.0, 1.0 / 3.0],
    &[0.0, 1.0 / 4.0, 1.0 / 2.0, 1.0 / 4.0],
    &[-1.0 / 30.0, 0.0, 1.0 / 3.0, 1.0 / 2.0, 1.0 / 5.0],
    &[0.0, -1.0 / 12.0, 0.0, 5.0 / 12.0, 1.0 / 2.0, 1.0 / 6.0],
    &[
        1.0 / 42.0,
        0.0,
        -1.0 / 6.0,
        0.0,
        1.0 / 2.0,
        1.0 / 2.0,
        1.0 / 7.0,
    ],
];

impl Expr {
    /// `Σ_{variable=lower}^{upper} self`, steps of one, taken as a polynomial identity: it holds for
    /// upper ≥ lower − 1. `None` if `self` is not a polynomial of degree ≤ 6 in the variable.
    pub fn sum_over(&self, variable: &str, lower: &Expr, upper: &Expr) -> Option<Expr> {
        if !self.mentions(variable) {
            return Some(self * &(upper - lower + 1.0));
        }
        let powers = self.powers_of(variable)?;
        let mut terms = Vec::new();
        for (k, coefficient) in powers.into_iter().enumerate() {
            let sum = |n: &Expr| -> Option<Expr> {
                let weights = POWER_SUMS.get(k)?.iter().enumerate();
                Some(Expr::sum(weights.map(|(i, w)| {
                    n.clone().power(Expr::from(i as f64 + 1.0)) * *w
                })))
            };
            terms.push(coefficient * (sum(upper)? - sum(&(lower.clone() - Expr::from(1.0)))?));
        }
        Some(Expr::sum(terms))
    }

    /// A polynomial as whole coefficients over one denominator, so that sums of whole numbers come out
    /// whole: `(n^2 + n)/2`. Any other expression stays as it is.
    pub fn over_common_denominator(&self) -> Expr {
        let monomials = self.monomials();
        let whole = |x: f64| (x - x.round()).abs() < 1e-6 && x.abs() < 1e12;
        let fits = |denominator: &f64| {
            monomials
                .iter()
                .all(|(_, coefficient)| whole(coefficient * denominator))
        };
        let Some(denominator) = [2.0, 6.0, 12.0, 24.0, 60.0, 120.0, 720.0, 5040.0, 40320.0]
            .into_iter()
            .find(fits)
        else {
            return self.clone();
        };
        if monomials
            .iter()
            .all(|(_, coefficient)| coefficient.fract() == 0.0)
        {
            return self.clone();
        }
        let terms = monomials.into_iter().map(|(monomial, coefficient)| {
            let powers = monomial
                .into_iter()
                .map(|(atom, power)| atom.power(Expr::from(f64::from(power))));
            Expr::product(powers) * (coefficient * denominator).round()
        });
        Expr::sum(terms).quotient(Expr::from(denominator))
    }
}
