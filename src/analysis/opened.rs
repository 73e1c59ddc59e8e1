//! Files that the program opens by names that the source says.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::intrinsics::{IntrinsicKind, Intrinsics};
use crate::ir::visit::{InLoop, calls_of, statements};
use crate::ir::{Function, Unit, Value};

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

fn text<'v>(function: &'v Function, value: &'v Value) -> Option<&'v str> {
    match value {
        Value::Text(text) => Some(text.trim()),
        Value::Convert(_, inner) => text(function, inner),
        Value::Variable(id) => match function.variable(*id).constant.as_ref()? {
            Value::Text(text) => Some(text.trim()),
            _ => None,
        },
        _ => None,
    }
}
