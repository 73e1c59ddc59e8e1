//! Calls once per level, with sizes that fall from level to level: what they come to beside calls of the largest size.

use std::collections::{BTreeMap, BTreeSet};

use super::Walker;
use crate::calls::ProcedureId;
use crate::expr::{Expr, Symbol};
use crate::ir::visit::variables_of;
use crate::ir::{Control, Stmt, Value, VarId};

/// A size that a call passes, from a table of levels.
struct Passed {
    /// So many loops of one nest end with it.
    loops: u32,
    factor: i64,
    /// The loop around, by its level, that counts the levels.
    counted_by: Option<usize>,
    /// How many levels lie between the largest that is passed and the largest of all.
    below: i64,
}

impl Walker<'_> {
    /// The mean size of the calls over that of the largest one, where their sizes come from tables of levels: of
    /// every size that bounds of the callee's deepest nest name, a factor less for each level and loop. `None` if all have one size.
    pub(super) fn share_of_largest(
        &mut self,
        callee: ProcedureId,
        arguments: &[Value],
    ) -> Option<Expr> {
        if !self.sizes.has_levels() {
            return None;
        }
        let bounds = bounds(&self.procedures.get(callee).function.body);
        let formals = self.procedures.formals(callee).into_iter();
        let mut sizes = Vec::new();
        for (formal, argument) in formals.zip(arguments) {
            if let Some(loops) = bounds.get(&formal)
                && let Some(passed) = self.passed(argument, *loops)
            {
                sizes.push(passed);
            }
        }
        let first = sizes.first()?;
        let alike =
            |size: &&Passed| size.factor == first.factor && size.counted_by == first.counted_by;
        let alike: Vec<&Passed> = sizes.iter().filter(alike).collect();
        let below: i64 = (alike.iter())
            .map(|size| size.below * i64::from(size.loops))
            .sum();
        let loops: u32 = alike.iter().map(|size| size.loops).sum();
        let by = Expr::from((first.factor as f64).powi(loops as i32));
        let largest = Expr::from((first.factor as f64).powi(-(below.min(60) as i32)));
        let Some(level) = first.counted_by else {
            return (below > 0).then_some(largest);
        };
        // 1 + 1/by + 1/by² + …, over the number of these.
        let counted = &self.symbols.levels[level].counted;
        let levels = (counted.upper.clone() - counted.lower.clone()).expand();
        let levels = match counted.step.as_integer()? {
            1 => levels + 1.0,
            -1 => (Expr::from(1.0) - levels).expand(),
            _ => return None,
        };
        let is_alone = |outer: &super::Level| !levels.mentions(&outer.counted.variable);
        self.symbols.levels.iter().all(is_alone).then(|| {
            let levels = Expr::max([levels.clone(), Expr::from(1.0)]);
            let last = by.clone().power(levels.clone() * -1.0);
            let all =
                (Expr::from(1.0) - last).quotient(Expr::from(1.0) - Expr::from(1.0).quotient(by));
            largest * all.quotient(levels)
        })
    }

    fn passed(&mut self, argument: &Value, loops: u32) -> Option<Passed> {
        let argument = argument.unconverted();
        let Value::Element { subscripts, .. } = argument else {
            return None;
        };
        let table = self
            .sizes
            .level_table(self.procedure, self.symbols.function, argument)?;
        let (factor, dimension, rises) = (table.factor, table.dimension, table.rises);
        let largest = table.largest.clone();
        let level = self.symbols.expression(subscripts.get(dimension)?)?;
        let levels = &self.symbols.levels;
        let names: Vec<&str> = levels.iter().map(|l| l.counted.variable.as_str()).collect();
        let linear = level.linear_in(&names)?;
        let mut moves = linear
            .coefficients
            .iter()
            .enumerate()
            .filter(|(_, by)| !by.is_zero());
        let (counted_by, end) = match (moves.next(), moves.next()) {
            (None, _) => (None, level.clone()),
            (Some((at, by)), None) => {
                let by = by.as_integer().filter(|by| by.abs() == 1)?;
                let counted = &levels[at].counted;
                let goes_up = counted.step.as_integer()? > 0;
                let ends = match goes_up {
                    true => [&counted.lower, &counted.upper],
                    false => [&counted.upper, &counted.lower],
                };
                let end = ends[usize::from((by > 0) == rises)];
                (Some(at), level.with(names[at], end))
            }
            _ => return None,
        };
        let below = largest.and_then(|largest| {
            let apart = (largest - self.over_places(&end)).expand().as_integer()?;
            Some(if rises { apart } else { -apart })
        });
        Some(Passed {
            loops,
            factor,
            counted_by,
            below: below.unwrap_or(0).max(0),
        })
    }

    /// An expression over the storage of the program instead of this function's names for it.
    fn over_places(&self, expr: &Expr) -> Expr {
        let place = |symbol: &Symbol| {
            let value = self.symbols.mentioned.get(symbol)?;
            let found = self
                .sizes
                .value(self.procedure, self.symbols.function, value);
            found.map(|(value, _)| value)
        };
        expr.substitute(&place)
    }
}

/// How many loops of the deepest nest of statements have a variable in their bounds.
fn bounds(statements: &[Stmt]) -> BTreeMap<VarId, u32> {
    let mut deepest = BTreeMap::new();
    let mut consider = |found: BTreeMap<VarId, u32>| {
        if found.values().sum::<u32>() > deepest.values().sum::<u32>() {
            deepest = found;
        }
    };
    for stmt in statements {
        match stmt {
            Stmt::Loop(inner) => {
                let mut found = bounds(&inner.body);
                if let Control::Counted { lower, upper, .. } = &inner.control {
                    let mut named = BTreeSet::new();
                    variables_of(lower, &mut named);
                    variables_of(upper, &mut named);
                    for id in named {
                        *found.entry(id).or_insert(0) += 1;
                    }
                }
                consider(found);
            }
            Stmt::If(branch) => {
                consider(bounds(&branch.then));
                consider(bounds(&branch.otherwise));
            }
            Stmt::Opaque { inner, .. } => consider(bounds(inner)),
            _ => {}
        }
    }
    deepest
}
