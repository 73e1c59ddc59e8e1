//! `[[budget]]` of `loopsheet.toml`: what nests may cost at most, and which of them cost more.

use globset::Glob;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::Voice;
use super::config::{File, decimal};
use crate::diff::{Bound, Budget, Function, OverBudget, Place, Quantity, Side, over_budget};
use crate::model::Model;
use crate::quantity::parse_bytes;
use crate::report::StaticReport;

/// What a budget may bound.
const KNOWN: &str = "dram_bytes, l1_bytes (and of other caches), seconds, flops";

/// Whether nests exceed budgets; says which, and which budgets no nest fits.
///
/// # Errors
/// A budget bounds the bytes of a level that the machine lacks.
pub fn are_exceeded(model: &Model, budgets: &[Budget], voice: Voice) -> anyhow::Result<bool> {
    let report = StaticReport::with_functions(model, None, Function::from);
    let side = Side::of(report, "the source", &Place::Below(String::new()));
    let OverBudget {
        exceeded, unused, ..
    } = over_budget(&side, budgets.to_vec())?;
    for found in &exceeded {
        eprintln!("loopsheet: exceeded: {found}");
    }
    for pattern in unused.iter().filter(|_| !voice.quiet) {
        eprintln!("loopsheet: no nest matches the budget for {pattern}");
    }
    Ok(!exceeded.is_empty())
}

/// The budgets of the file.
///
/// # Errors
/// It is not a list of tables, or a budget lacks its nests or bounds, or bounds what is not known.
pub fn read(file: &File<'_>, value: &Spanned<DeValue<'_>>) -> anyhow::Result<Vec<Budget>> {
    let refuse = || {
        let message =
            "`budget` must be a list of tables: [[budget]], then nest = \"PATTERN\" and bounds";
        file.complaint(value.span().start, message)
    };
    let list = value.get_ref().as_array().ok_or_else(refuse)?;
    let budgets = list.iter().map(|item| {
        let table = item.get_ref().as_table().ok_or_else(refuse)?;
        budget(file, item.span().start, table)
    });
    budgets.collect()
}

fn budget(file: &File<'_>, place: usize, table: &DeTable<'_>) -> anyhow::Result<Budget> {
    let (mut nests, mut bounds) = (None, Vec::new());
    for (key, value) in table {
        let complaint = |message: &str| file.complaint(value.span().start, message);
        match key.get_ref().as_ref() {
            "nest" => {
                let pattern = file.text(value, "nest")?;
                if pattern.trim().is_empty() {
                    return Err(complaint("`nest` is empty; \"*\" is every nest"));
                }
                let glob = Glob::new(&pattern);
                nests = Some(glob.map_err(|error| complaint(&error.to_string()))?);
            }
            "seconds" => bounds.push(Bound {
                quantity: Quantity::Seconds,
                most: number(value)
                    .ok_or_else(|| complaint("`seconds` must be a number that is 0 or more"))?,
            }),
            "flops" => bounds.push(Bound {
                quantity: Quantity::Flops,
                most: number(value)
                    .ok_or_else(|| complaint("`flops` must be a number that is 0 or more"))?,
            }),
            name => {
                let level = level(name).ok_or_else(|| {
                    let message =
                        format!("unknown key `{name}`; known are nest and the bounds {KNOWN}");
                    file.complaint(key.span().start, &message)
                })?;
                let most = match value.get_ref().as_str() {
                    Some(text) => parse_bytes(text).map(|bytes| bytes.0),
                    None => number(value).ok_or_else(|| {
                        "it must be 0 or more: a number, or a size in quotes".to_string()
                    }),
                };
                bounds.push(Bound {
                    quantity: Quantity::Bytes(level),
                    most: most.map_err(|why| complaint(&format!("`{name}`: {why}")))?,
                });
            }
        }
    }
    let nests = nests.ok_or_else(|| {
        file.complaint(
            place,
            "a budget must say which nests it applies to: nest = \"pdv*\"",
        )
    })?;
    if bounds.is_empty() {
        let message = format!("the budget of {nests} sets no bound; it may bound {KNOWN}");
        return Err(file.complaint(place, &message));
    }
    Ok(Budget { nests, bounds })
}

/// The level of `l2_bytes` or `dram_bytes`.
fn level(key: &str) -> Option<String> {
    let level = key.strip_suffix("_bytes")?;
    let is_cache = level
        .strip_prefix('l')
        .is_some_and(|number| number.parse::<u8>().is_ok());
    (is_cache || level == "dram").then(|| level.to_uppercase())
}

/// A number that is no less than zero.
fn number(value: &Spanned<DeValue<'_>>) -> Option<f64> {
    let number = decimal(value.get_ref())?.replace('_', "").parse().ok();
    number.filter(|number: &f64| number.is_finite() && *number >= 0.0)
}
