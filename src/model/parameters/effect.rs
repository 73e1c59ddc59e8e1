//! Which settings change nothing, and which set several variables?

use std::collections::{BTreeSet, HashMap};
use std::fmt;

use super::usage::Usage;
use super::{ParameterTable, Setting};
use crate::analysis::facts::Program;
use crate::expr::{Expr, Symbol, SymbolKind};
use crate::wording::some;

/// What is to be said of a setting that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingRemark {
    /// No figure depends on what it sets: the variables that the program has, with their places.
    WithoutEffect {
        name: String,
        value: String,
        variables: Vec<String>,
    },
    /// Others have the name, too, and keep what the program gives them.
    NotOthers {
        name: String,
        variables: Vec<String>,
        others: Vec<String>,
    },
    /// Several variables have the name: all of them are set.
    Several {
        name: String,
        variables: Vec<String>,
    },
}

impl fmt::Display for SettingRemark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingRemark::WithoutEffect {
                name,
                value,
                variables,
            } => {
                let of = match &variables[..] {
                    [] => "it".to_string(),
                    variables => variables.join(", "),
                };
                write!(
                    f,
                    "{name}={value} has no effect: no figure depends on {of}, or everything computed from it is also set"
                )
            }
            SettingRemark::NotOthers {
                name,
                variables,
                others,
            } => write!(
                f,
                "{name} sets {}, not {}; to set one of these, write what it belongs to before its name",
                variables.join(", "),
                some(others, OTHERS)
            ),
            SettingRemark::Several { name, variables } => write!(
                f,
                "{name} sets {} variables of that name: {}; to set one alone, write what it belongs to before its name",
                variables.len(),
                variables.join(", ")
            ),
        }
    }
}

/// So many variables of a name are listed that keep their values.
const OTHERS: usize = 3;

impl ParameterTable {
    /// What is to be said of settings that were taken.
    pub fn remarks(&self, program: &Program, settings: &[Setting]) -> Vec<SettingRemark> {
        let mut remarks = Vec::new();
        for setting in settings {
            let Some(rows) = self.applied.get(&setting.name) else {
                continue;
            };
            let own = program.set.get(&setting.name);
            let variables = own.map_or_else(Vec::new, |own| own.declared.clone());
            let others = own.map_or_else(Vec::new, |own| own.others.clone());
            let decides = own.is_some_and(|own| own.is_asked);
            // Sizes of blocks are no part of the source, but every nest of that depth has them.
            let is_block = |row: &usize| self.rows[*row].stands_for == SymbolKind::Block;
            if !decides
                && !rows.iter().any(is_block)
                && !rows.iter().any(|row| self.used.contains(row))
            {
                remarks.push(SettingRemark::WithoutEffect {
                    name: setting.name.clone(),
                    value: setting.value.clone(),
                    variables,
                });
            } else if variables.len() > 1 {
                remarks.push(SettingRemark::Several {
                    name: setting.name.clone(),
                    variables,
                });
            } else if !variables.is_empty() && !others.is_empty() {
                remarks.push(SettingRemark::NotOthers {
                    name: setting.name.clone(),
                    variables,
                    others,
                });
            }
        }
        remarks
    }

    /// Finds the rows that figures depend on, through the values of others.
    pub(super) fn find_used(&mut self, usage: &Usage) {
        let direct = usage.direct.iter();
        self.used = self.behind(direct.map(|(function, symbol)| (*function, symbol)));
    }

    /// The rows that some symbols of functions stand for, and those from which their values follow.
    pub(super) fn behind<'s>(
        &self,
        symbols: impl Iterator<Item = (usize, &'s Symbol)>,
    ) -> BTreeSet<usize> {
        let index: HashMap<&str, usize> = (self.rows.iter().map(|row| row.name.as_str()))
            .zip(0..)
            .collect();
        let mut pending: Vec<usize> = symbols
            .filter_map(|(function, symbol)| self.row_of(function, symbol))
            .collect();
        let mut found = BTreeSet::new();
        while let Some(row) = pending.pop() {
            if found.insert(row) {
                let symbols = self.rows[row].definition.iter().flat_map(Expr::symbols);
                pending
                    .extend(symbols.filter_map(|symbol: Symbol| index.get(symbol.name()).copied()));
            }
        }
        found
    }
}
