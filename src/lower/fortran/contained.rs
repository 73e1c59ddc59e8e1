//! What internal procedures make of the variables of the procedure that contains them: variables of the host that they
//! name are shared between both, as those of a module are, and its dummy arguments may get values there.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;

use crate::ir::visit::{InLoop, calls_of, statements};
use crate::ir::{Control, Function, Home, Role, Stmt, Value, VarId};

/// Marks scalars of hosts that internal procedures name.
pub fn share(functions: &mut [Function]) {
    let mut named: FxHashSet<Home> = FxHashSet::default();
    // Dummy arguments have no storage that belongs to the program: host and name.
    let mut given: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for function in functions.iter() {
        let Some(host) = &function.host else { continue };
        for id in (0..function.variables.len() as u32).map(VarId) {
            let variable = function.variable(id);
            if variable.role != Role::Global || !variable.dimensions.is_empty() {
                continue;
            }
            match function.homes.get(&id) {
                Some(home) => drop(named.insert(home.clone())),
                None if gets_value(function, id) => {
                    let names = given.entry(host.clone()).or_default();
                    names.insert(variable.name.to_string());
                }
                None => {}
            }
        }
    }
    for function in functions {
        for id in (0..function.variables.len() as u32).map(VarId) {
            let variable = function.variable(id);
            let is_named = || {
                function
                    .homes
                    .get(&id)
                    .is_some_and(|home| named.contains(home))
            };
            let is_given = || {
                let names = given.get(&function.name);
                names.is_some_and(|names| names.contains(variable.name.as_str()))
            };
            match variable.role {
                _ if !variable.dimensions.is_empty() => {}
                Role::Local if is_named() => {
                    function.variables[id.0 as usize].role = Role::Global;
                }
                Role::Argument if is_given() => drop(function.aliased.insert(id)),
                _ => {}
            }
        }
    }
}

/// Whether statements may give a variable a value.
fn gets_value(function: &Function, id: VarId) -> bool {
    let mut found = false;
    statements(&function.body, InLoop::No, &mut |stmt, _| {
        found |= match stmt {
            Stmt::Assign { target, .. } => *target == Value::Variable(id),
            Stmt::Loop(inner) => {
                matches!(&inner.control, Control::Counted { variable, .. } if *variable == id)
            }
            _ => false,
        };
        calls_of(stmt, &mut |_, arguments| {
            found |= arguments.contains(&Value::Variable(id));
        });
    });
    found
}
