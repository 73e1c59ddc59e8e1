//! What comes from outside of the program: values with a call of the library in them that reads a file, the
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
