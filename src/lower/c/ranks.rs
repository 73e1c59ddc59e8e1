//! Elements of arrays that nothing declares: how many subscripts there are is only known at the end
//! of the function. Those with fewer are rows.

use crate::ir::visit::each_part_mut;
use crate::ir::{Control, Stmt, Value, Variable};

/// Gives every element as many subscripts as its array has dimensions.
pub fn complete(block: &mut [Stmt], variables: &[Variable]) {
    for stmt in block {
        match stmt {
            Stmt::Assign { target, value, .. } => {
                complete_value(target, variables);
                complete_value(value, variables);
            }
            Stmt::Loop(inner) => {
                match &mut inner.control {
                    Control::Counted {
                        lower, upper, step, ..
                    } => {
                        [lower, upper, step]
                            .into_iter()
                            .for_each(|value| complete_value(value, variables));
                    }
                    Control::Uncounted { condition, .. } => {
                        condition
                            .iter_mut()
                            .for_each(|value| complete_value(value, variables));
                    }
                }
                complete(&mut inner.body, variables);
            }
            Stmt::If(branch) => {
                complete_value(&mut branch.condition, variables);
                complete(&mut branch.then, variables);
                complete(&mut branch.otherwise, variables);
            }
            Stmt::Call {
                arguments: values, ..
            }
            | Stmt::Evaluate { values, .. } => {
                values
                    .iter_mut()
                    .for_each(|value| complete_value(value, variables));
            }
            Stmt::Opaque { inner, .. } => complete(inner, variables),
            Stmt::Jump { .. } | Stmt::Mark { .. } => {}
        }
    }
}

fn complete_value(value: &mut Value, variables: &[Variable]) {
    each_part_mut(value, &mut |part| complete_value(part, variables));
    if let Value::Element {
        array, subscripts, ..
    } = value
    {
        let variable = &variables[array.0 as usize];
        let missing = variable.dimensions.len().saturating_sub(subscripts.len());
        subscripts.splice(0..0, std::iter::repeat_n(Value::Row, missing));
    }
}
