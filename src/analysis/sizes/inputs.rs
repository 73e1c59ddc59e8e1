//! What comes from outside the program: values with a call of the library in them that reads a file, the
//! command line or the environment. Which functions do that, `templates/intrinsics.toml` says.

use crate::calls::{ProcedureId, Procedures, Target};
use crate::ir::Value;
use crate::ir::visit::each_value;

/// Whether a value is read from a file, the command line or the environment, in a call of the library.
pub fn is_input(value: &Value, known: &Procedures, id: ProcedureId) -> bool {
    let mut found = false;
    each_value(value, &mut |part| {
        if let Value::Call { name, .. } = part {
            found |= matches!(known.target(id, name), Target::Library(called) if called.kind.gives_from_outside());
        }
    });
    found
}

/// How much a call of the library gives as a rule that reads from outside, if that is known.
pub fn about(value: &Value, known: &Procedures, id: ProcedureId) -> Option<u32> {
    let Value::Call { name, .. } = value.unconverted() else {
        return None;
    };
    match known.target(id, name) {
        Target::Library(called) => called.about,
        _ => None,
    }
}

/// What a choice between what is read and something else has where nothing is read: `argc > 1 ? atoi(argv[1]) : 1000`.
pub fn default_of<'v>(value: &'v Value, known: &Procedures, id: ProcedureId) -> Option<&'v Value> {
    match value {
        Value::Convert(_, inner) => default_of(inner, known, id),
        Value::Select(_, then, otherwise) => {
            let read = |arm: &Value| is_input(arm, known, id);
            match (read(then), read(otherwise)) {
                (true, false) => Some(otherwise),
                (false, true) => Some(then),
                _ => None,
            }
        }
        _ => None,
    }
}
