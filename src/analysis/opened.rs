//! Files that the program opens by names that the source says.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::intrinsics::{IntrinsicKind, Intrinsics};
use crate::ir::visit::{InLoop, assigned_to, calls_of, statements};
use crate::ir::{Function, Unit, Value, VarId};

/// The names that `open (file = 'run.in')` and `fopen("run.in", "r")` mention, with the source files that do.
pub fn opened(units: &[Unit]) -> BTreeSet<(String, Arc<str>)> {
    let mut names = BTreeSet::new();
    for unit in units {
        for function in &unit.functions {
            let opens = |name: &str| {
                let intrinsic = Intrinsics::builtin().lookup(unit.language, name);
                intrinsic.is_some_and(|intrinsic| intrinsic.kind == IntrinsicKind::Open)
            };
            statements(&function.body, InLoop::No, &mut |stmt, _| {
                calls_of(stmt, &mut |name, arguments| {
                    let file = arguments.first().and_then(|file| text(function, file));
                    let file = file.filter(|_| opens(name));
                    names.extend(file.map(|file| (file.to_string(), unit.path.clone())));
                });
            });
        }
    }
    names
}

/// What a file is called: a literal, a constant, or the only literal that statements of the function give the variable,
/// whatever else a run may give it.
fn text<'v>(function: &'v Function, value: &'v Value) -> Option<&'v str> {
    match value {
        Value::Text(text) => Some(text.trim()),
        Value::Convert(_, inner) => text(function, inner),
        Value::Variable(id) => match function.variable(*id).constant.as_ref() {
            Some(Value::Text(text)) => Some(text.trim()),
            Some(_) => None,
            None => only_literal(function, *id),
        },
        // `trim(name)`
        Value::Call {
            name, arguments, ..
        } => {
            let language = function.conventions.language;
            let intrinsic = Intrinsics::builtin().lookup(language, name)?;
            match &arguments[..] {
                [only] if intrinsic.kind == IntrinsicKind::Character => text(function, only),
                _ => None,
            }
        }
        _ => None,
    }
}

fn only_literal(function: &Function, variable: VarId) -> Option<&str> {
    let values = assigned_to(&function.body, variable).into_iter();
    let literals = values.filter_map(|value| match value {
        Value::Text(text) => Some(text.trim()),
        _ => None,
    });
    let mut found: Vec<&str> = Vec::new();
    for text in literals {
        if !found.contains(&text) {
            found.push(text);
        }
    }
    match found[..] {
        [only] => Some(only),
        _ => None,
    }
}
