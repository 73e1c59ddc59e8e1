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
    &[1.0 / 42.0, 0.0, -1.0 / 6.0, 0.0, 1.0 / 2.0, 1.0 / 2.0, 1.0 / 7.0],
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
                Some(Expr::sum(weights.map(|(i, w)| n.clone().power(Expr::from(i as f64 + 1.0)) * *w)))
            };
            terms.push(coefficient * (sum(upper)? - sum(&(lower.clone() - Expr::from(1.0)))?));
        }
        Some(Expr::sum(terms))
    }
}
