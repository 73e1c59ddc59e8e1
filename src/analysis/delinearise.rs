//! One subscript that stands for several: `u[i + j*n + k*n*m]` walks three dimensions whose extents
//! are the ratios of its strides. The dimensions are recovered so that offsets such as `+ n` become
//! neighbours in them.

use super::dimension::split_integer;
use super::facts::Subscript;
use super::inductions::MOST_PARTS;
use crate::expr::{Expr, Monomial};

/// A dimension that was recovered.
pub struct Recovered {
    pub subscript: Subscript,
    pub offset: i64,
    /// The next dimension's stride over its own; `None` for the last one.
    pub extent: Option<Expr>,
}

/// The dimensions, contiguous first, that one affine subscript with symbolic strides stands for. `None` if
/// all strides are numbers, or if one of them is not a whole multiple of a polynomial that the others are
/// built from.
pub fn delinearise(subscript: &Subscript, offset: i64) -> Option<Vec<Recovered>> {
    let mut strides: Vec<Expr> = Vec::new();
    let mut terms: Vec<(String, usize, f64)> = Vec::new();
    let mut contiguous = Vec::new();
    for (variable, coefficient) in &subscript.terms {
        let coefficient = coefficient.expand();
        if coefficient.as_number().is_some() {
            contiguous.push((variable.clone(), coefficient));
            continue;
        }
        let (mut factor, stride) = primitive(&coefficient)?;
        let backwards = (-stride.clone()).expand();
        let position = match strides.iter().position(|s| *s == stride) {
            Some(position) => position,
            None => match strides.iter().position(|s| *s == backwards) {
                Some(position) => {
                    factor = -factor;
                    position
                }
                None => {
                    strides.push(stride);
                    strides.len() - 1
                }
            },
        };
        terms.push((variable.clone(), position, factor));
    }
    // A lone unknown stride is not a sign of a flattened array: it may be any vector's increment.
    if strides.is_empty() || (contiguous.is_empty() && strides.len() < 2) {
        return None;
    }
    let mut order: Vec<usize> = (0..strides.len()).collect();
    // Of strides that look alike, the one of the innermost loop is the shortest.
    let innermost = |position: usize| terms.iter().rposition(|(_, p, _)| *p == position);
    order.sort_by_key(|position| {
        (
            degree(&strides[*position]),
            std::cmp::Reverse(innermost(*position)),
        )
    });
    let mut rest = subscript.base.clone() + offset as f64;
    let mut places = vec![Expr::from(0.0); strides.len()];
    for position in order.iter().rev() {
        let stride = &strides[*position];
        let times = multiples_in(&rest, stride);
        rest = (rest - stride.clone() * times.clone()).expand();
        places[*position] = times;
    }
    from_the_end(
        &contiguous,
        &terms,
        (&strides, &order),
        (&mut rest, &mut places),
    );
    let (base, first) = split_integer(&rest);
    // Of every dimension but the last.
    let mut extents = order.iter().enumerate().map(|(at, position)| {
        let longer = strides[*position].clone();
        let Some(before) = at.checked_sub(1).map(|before| &strides[order[before]]) else {
            return longer;
        };
        longer
            .divided_by(before)
            .unwrap_or_else(|| longer.quotient(before.clone()))
    });
    let subscript = Subscript {
        terms: contiguous,
        base,
        gather: None,
    };
    let mut found = vec![Recovered {
        subscript,
        offset: first,
        extent: extents.next(),
    }];
    for position in &order {
        let walks = terms.iter().filter(|(_, p, _)| p == position);
        let terms = walks
            .map(|(variable, _, factor)| (variable.clone(), Expr::from(*factor)))
            .collect();
        let (base, offset) = split_integer(&places[*position]);
        let subscript = Subscript {
            terms,
            base,
            gather: None,
        };
        found.push(Recovered {
            subscript,
            offset,
            extent: extents.next(),
        });
    }
    Some(found)
}

/// Lets a walk that goes back begin at the end of its own row, not before the beginning of the next one: `j*w + w - 1 - i`.
fn from_the_end(
    contiguous: &[(String, Expr)],
    terms: &[(String, usize, f64)],
    (strides, order): (&[Expr], &[usize]),
    (rest, places): (&mut Expr, &mut [Expr]),
) {
    let along = contiguous.iter().map(|(_, by)| by.as_number());
    let mut inner: Vec<f64> = along.collect::<Option<_>>().unwrap_or_default();
    for (at, position) in order.iter().enumerate() {
        let own = terms.iter().filter(|(_, p, _)| p == position);
        let factors: Vec<f64> = own.map(|(_, _, factor)| *factor).collect();
        let rows = factors.iter().fold(0, |rows, by| gcd(rows, *by as i64));
        let rows = rows.max(1);
        let (_, beyond) = split_integer(&places[*position]);
        let before = at.checked_sub(1).map(|before| order[before]);
        let length = || match before {
            None => Some(strides[*position].clone()),
            Some(before) => strides[*position].divided_by(&strides[before]),
        };
        if goes_back(inner)
            && beyond >= rows
            && let Some(length) = length()
        {
            let place = before.map_or(&mut *rest, |before| &mut places[before]);
            *place = (place.clone() + length * rows as f64).expand();
            places[*position] = (places[*position].clone() - rows as f64).expand();
        }
        inner = factors;
    }
}

/// Whether of the steps by which loops move a place the largest goes back.
pub fn goes_back(steps: impl IntoIterator<Item = f64>) -> bool {
    let largest = (steps.into_iter()).max_by(|a, b| a.abs().total_cmp(&b.abs()));
    largest.is_some_and(|by| by < 0.0)
}

/// The place in a row and the row, where others say how long rows are: `y*w + 1` beside `y*w + x`. `None` if nothing of it is
/// a whole number of rows, or something is a part of one.
pub fn in_rows(subscript: &Subscript, row: &Expr) -> Option<[Recovered; 2]> {
    if row.as_number().is_some() || subscript.gather.is_some() {
        return None;
    }
    let (per_row, shortest) = primitive(&row.expand())?;
    let (mut along, mut across) = (Vec::new(), Vec::new());
    for (variable, coefficient) in &subscript.terms {
        let coefficient = coefficient.expand();
        if coefficient.as_number().is_some() {
            along.push((variable.clone(), coefficient));
            continue;
        }
        let (factor, stride) = primitive(&coefficient)?;
        let rows = factor / per_row;
        if stride != shortest || rows.fract() != 0.0 {
            return None;
        }
        across.push((variable.clone(), Expr::from(rows)));
    }
    let times = multiples_in(&subscript.base, row);
    if across.is_empty() && times.as_number() == Some(0.0) {
        return None;
    }
    let rest = (subscript.base.clone() - row.clone() * times.clone()).expand();
    let recovered = |terms, base: &Expr, extent| {
        let (base, offset) = split_integer(base);
        let gather = None;
        let subscript = Subscript {
            terms,
            base,
            gather,
        };
        Recovered {
            subscript,
            offset,
            extent,
        }
    };
    Some([
        recovered(along, &rest, Some(row.clone())),
        recovered(across, &times, None),
    ])
}

/// The row that a subscript is one or more of away from the one where a loop begins, if that loop alone moves it: `y*w + w`.
pub fn row_beside(subscript: &Subscript) -> Option<Expr> {
    let [(_, coefficient)] = subscript.terms.as_slice() else {
        return None;
    };
    let coefficient = coefficient.expand();
    if coefficient.as_number().is_some() {
        return None;
    }
    let (_, row) = primitive(&coefficient)?;
    let times = multiples_in(&subscript.base, &row).as_integer();
    times.is_some_and(|times| times != 0).then_some(row)
}

/// The largest number that divides all coefficients, of which these are small multiples, and the expression divided by it;
/// the leading coefficients of the quotient are positive together. Of two that cancel, as those of `m - n`, nothing says
/// which one is larger.
fn primitive(expr: &Expr) -> Option<(f64, Expr)> {
    let monomials = expr.monomials();
    let is_whole = |parts: i64| {
        let mut coefficients = monomials.iter().map(|(_, by)| by * parts as f64);
        coefficients.all(|by| (by - by.round()).abs() < 1e-9 && by.abs() < 1e9)
    };
    // `k*n` where `k` advances by one for two of its loop.
    let parts = (1..=MOST_PARTS).find(|parts| is_whole(*parts))?;
    let whole = |by: f64| (by * parts as f64).round() as i64;
    let all = monomials.iter();
    let divisor = all.fold(0, |divisor, (_, by)| gcd(divisor, whole(*by)));
    let leading: f64 = leading(&monomials).iter().map(|(_, by)| by).sum();
    let sign = if leading < 0.0 { -1.0 } else { 1.0 };
    let divisor = sign * divisor.max(1) as f64;
    let stride = (expr.clone() * (parts as f64 / divisor)).expand();
    Some((divisor / parts as f64, stride))
}

/// The greatest common divisor.
pub fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

fn degree(expr: &Expr) -> u32 {
    expr.monomials()
        .iter()
        .map(|(monomial, _)| monomial_degree(monomial))
        .max()
        .unwrap_or(0)
}

fn monomial_degree(monomial: &Monomial) -> u32 {
    monomial.iter().map(|(_, power)| power).sum()
}

/// The monomials of the highest degree: what their symbols are called makes none of them the first.
fn leading(monomials: &[(Monomial, f64)]) -> Vec<&(Monomial, f64)> {
    let degrees = || {
        monomials
            .iter()
            .map(|(monomial, _)| monomial_degree(monomial))
    };
    let highest = degrees().max();
    let all = monomials.iter().zip(degrees());
    all.filter(|(_, degree)| Some(*degree) == highest)
        .map(|(monomial, _)| monomial)
        .collect()
}

/// What all of them come to, if it is the same for all.
fn agreed<T: PartialEq>(mut all: impl Iterator<Item = T>) -> Option<T> {
    let first = all.next()?;
    all.all(|other| other == first).then_some(first)
}

/// How often `stride` is in `rest`, judged by its leading monomials: a whole number of times, or as often as symbols say,
/// `r*w + 2*w` being r + 2 times w.
fn multiples_in(rest: &Expr, stride: &Expr) -> Expr {
    let monomials = stride.monomials();
    let leading = leading(&monomials);
    let each = leading.iter().map(|(lead, coefficient)| {
        let times = |(monomial, by): (Monomial, f64)| {
            let times = by / coefficient;
            let mut left = monomial;
            for (factor, power) in lead {
                let (_, own) = left.iter_mut().find(|(known, _)| known == factor)?;
                *own = own.checked_sub(*power)?;
            }
            let factors = left
                .into_iter()
                .map(|(factor, power)| factor.power(Expr::from(f64::from(power))));
            (times.fract() == 0.0 && times.abs() < 1e9).then(|| Expr::product(factors) * times)
        };
        Expr::sum(rest.monomials().into_iter().filter_map(times)).expand()
    });
    agreed(each).unwrap_or_else(|| Expr::from(0.0))
}

/// How many whole times `stride` is in `rest`, judged by its leading monomials.
pub fn multiple_in(rest: &Expr, stride: &Expr) -> i64 {
    let (monomials, in_rest) = (stride.monomials(), rest.monomials());
    let leading = leading(&monomials);
    let each = leading.iter().map(|(monomial, coefficient)| {
        let found = in_rest.iter().find(|(other, _)| other == monomial);
        found.map_or(0.0, |(_, by)| *by) / coefficient
    });
    match agreed(each) {
        Some(times) if times.fract() == 0.0 && times.abs() < 1e9 => times as i64,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::dimension::affine;
    use super::*;

    fn check(text: &str, expected: &[(&str, i64)]) {
        let (subscript, offset) = affine(&Expr::parse(text).unwrap(), &["k", "j", "i"]).unwrap();
        let found = delinearise(&subscript, offset);
        let found = found.unwrap_or_else(|| {
            vec![Recovered {
                subscript,
                offset,
                extent: None,
            }]
        });
        let shown: Vec<(String, i64)> = found
            .iter()
            .map(
                |Recovered {
                     subscript, offset, ..
                 }| {
                    let terms = subscript
                        .terms
                        .iter()
                        .map(|(v, c)| c.clone() * Expr::symbol(v));
                    (
                        Expr::sum(terms.chain([subscript.base.clone()])).to_string(),
                        *offset,
                    )
                },
            )
            .collect();
        assert_eq!(
            shown
                .iter()
                .map(|(t, o)| (t.as_str(), *o))
                .collect::<Vec<_>>(),
            expected,
            "{text}"
        );
    }

    #[test]
    fn flattened_arrays_get_their_dimensions_back() {
        check("i + j*js + k*ks", &[("i", 0), ("j", 0), ("k", 0)]);
        check(
            "i + 1 + j*js - js + k*ks + 2*ks",
            &[("i", 1), ("j", -1), ("k", 2)],
        );
        check("(k*ny + j)*nx + i - 1", &[("i", -1), ("j", 0), ("k", 0)]);
        check(
            "((k + 1)*(ny + 2) + j - 1)*(nx + 2) + i",
            &[("i", 0), ("j", -1), ("k", 1)],
        );
        check("i + 2*n*j + n", &[("i", 0), ("2*j", 1)]);
        check("i + r*w + j*w", &[("i", 0), ("j + r", 0)]);
        check("i + (r + j - 1)*(w + 2)", &[("i", 0), ("j + r", -1)]);
        check(
            "i + j*w + k*w*h + l*w*h + 3",
            &[("i", 3), ("j", 0), ("k + l", 0)],
        );
        check("j*w + w - 1 - i", &[("-i + w", -1), ("j", 0)]);
        check(
            "(j*w + w - 1 - i)*3 + k",
            &[("k - 3*i + 3*w", -3), ("3*j", 0)],
        );
        check(
            "(k*h + h - 1 - j)*w + i",
            &[("i", 0), ("-j + h", -1), ("k", 0)],
        );
    }

    #[test]
    fn extents_are_ratios_of_strides() {
        let extents = |text: &str| {
            let (subscript, offset) =
                affine(&Expr::parse(text).unwrap(), &["k", "j", "i"]).unwrap();
            let found = delinearise(&subscript, offset).unwrap();
            found
                .iter()
                .map(|r| r.extent.as_ref().map_or("?".into(), Expr::to_string))
                .collect::<Vec<String>>()
        };
        assert_eq!(
            extents("((k + 1)*(ny + 2) + j - 1)*(nx + 2) + i"),
            ["nx + 2", "ny + 2", "?"]
        );
        assert_eq!(extents("i + j*js + k*ks"), ["js", "ks/js", "?"]);
    }

    #[test]
    fn what_symbols_are_called_decides_nothing() {
        for [a, b] in [["m", "n"], ["n", "m"]] {
            check(&format!("i + j*({a} - {b})"), &[("i", 0), ("j", 0)]);
            let text = format!("i + j*({a} - {b}) + 3*{a} + 2*{b}");
            let (subscript, offset) =
                affine(&Expr::parse(&text).unwrap(), &["k", "j", "i"]).unwrap();
            let found = delinearise(&subscript, offset).unwrap();
            let extent = found[0].extent.clone().unwrap();
            assert_eq!(extent, Expr::parse(&format!("{a} - {b}")).unwrap().expand());
            assert_eq!(found[1].subscript.base, Expr::from(0.0));
        }
        check("i + j*(m - n) + k*(n - m)", &[("i", 0), ("k - j", 0)]);
    }

    #[test]
    fn what_is_not_flattened_stays() {
        check("i + 128*j", &[("128*j + i", 0)]);
        check("n*i + 3", &[("i*n", 3)]);
    }
}
