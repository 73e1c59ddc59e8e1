//! Variables to which branches give one of a few values (upwind or downwind): `if (u > 0) k = i - 1;
//! else k = i;`.
//!
//! A reference through such a variable is one access, to one of several places.

use std::collections::BTreeSet;

use super::symbols::{Alternative, Known, Symbols, Ways};
use crate::expr::Expr;
use crate::ir::visit::variables_of;
use crate::ir::{Value, VarId};

/// More alternatives than this, those of three branches, are not followed.
const LIMIT: usize = 8;

/// What is known of a variable after a branch, from what is known at the end of its two sides.
pub fn either(branch: u32, then: Known, otherwise: Known) -> Option<Known> {
    let mut all = Vec::new();
    for (known, taken) in [(then, true), (otherwise, false)] {
        let values = match known {
            Known::Is(value) => vec![Alternative {
                ways: Ways::new(),
                value,
            }],
            Known::OneOf(values) => values,
            _ => return None,
        };
        for Alternative { mut ways, value } in values {
            ways.insert(branch, taken);
            all.push(Alternative { ways, value });
        }
    }
    (all.len() <= LIMIT).then_some(Known::OneOf(all))
}

impl Symbols<'_> {
    /// What `action` finds for every combination of the values that the variables in `values` may have at
    /// the same time; once, with none of them known, if there are too many.
    pub fn each_way<T>(
        &mut self,
        values: &[Value],
        mut action: impl FnMut(&mut Self) -> T,
    ) -> Vec<(Ways, T)> {
        let open = self.open_variables(values);
        let combinations = combinations(&open).unwrap_or_default();
        if open.is_empty() || combinations.is_empty() {
            return vec![(Ways::new(), action(self))];
        }
        let mut found = Vec::new();
        for (ways, chosen) in combinations {
            for ((id, _), value) in open.iter().zip(chosen) {
                self.known.insert(*id, Known::Is(value));
            }
            found.push((ways, action(self)));
        }
        self.known.extend(
            open.into_iter()
                .map(|(id, alternatives)| (id, Known::OneOf(alternatives))),
        );
        found
    }

    fn open_variables(&self, values: &[Value]) -> Vec<(VarId, Vec<Alternative>)> {
        if !self.has_alternatives {
            return Vec::new();
        }
        let mut used = BTreeSet::new();
        values
            .iter()
            .for_each(|value| variables_of(value, &mut used));
        let alternatives = |id| match self.known.get(&id) {
            Some(Known::OneOf(alternatives)) => Some((id, alternatives.clone())),
            _ => None,
        };
        used.into_iter().filter_map(alternatives).collect()
    }
}

/// Values for all variables that go together; `None` if there are too many.
fn combinations(open: &[(VarId, Vec<Alternative>)]) -> Option<Vec<(Ways, Vec<Expr>)>> {
    let mut all = vec![(Ways::new(), Vec::new())];
    for (_, alternatives) in open {
        let mut longer = Vec::new();
        for (ways, chosen) in &all {
            for Alternative { ways: more, value } in alternatives {
                if more
                    .iter()
                    .all(|(branch, taken)| ways.get(branch).is_none_or(|known| known == taken))
                {
                    let ways = ways
                        .iter()
                        .chain(more)
                        .map(|(branch, taken)| (*branch, *taken))
                        .collect();
                    let chosen = chosen.iter().chain([value]).cloned().collect();
                    longer.push((ways, chosen));
                }
            }
        }
        all = longer;
        if all.len() > LIMIT {
            return None;
        }
    }
    Some(all)
}
