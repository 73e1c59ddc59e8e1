//! The text form of the IR, one statement a line, indented; what the tests of `lower` compare.

use std::fmt::{self, Display, Write};

use super::*;

impl Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.functions
            .iter()
            .try_for_each(|function| function.fmt(f))
    }
}

impl Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "function {} @{}", self.name, self.place.line)?;
        for variable in &self.variables {
            let dimensions = variable
                .dimensions
                .iter()
                .map(|extent| extent_text(self, extent))
                .collect::<Vec<_>>();
            let shape = if dimensions.is_empty() {
                String::new()
            } else {
                format!("[{}]", dimensions.join(", "))
            };
            let constant = variable
                .constant
                .as_ref()
                .map_or(String::new(), |v| format!(" = {}", show(self, v)));
            writeln!(
                f,
                "  {} {}: {}{shape}{constant}",
                role(variable.role),
                variable.name,
                ElementType::from(&variable.ty)
            )?;
        }
        let mut text = String::new();
        write_block(&mut text, self, &self.body, 1)?;
        f.write_str(&text)
    }
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Argument => "argument",
        Role::Local => "local",
        Role::Global => "global",
        Role::Constant(ConstantOrigin::Parameter) => "parameter",
        Role::Constant(ConstantOrigin::Macro | ConstantOrigin::ImaginaryUnit) => "macro",
        Role::Constant(ConstantOrigin::Enumerator) => "enumerator",
        Role::Constant(ConstantOrigin::Const) => "const",
        Role::Undeclared => "undeclared",
    }
}

fn extent_text(function: &Function, extent: &Extent) -> String {
    let bound = |value: &Option<Value>| value.as_ref().map_or(String::new(), |v| show(function, v));
    format!("{}:{}", bound(&extent.lower), bound(&extent.upper))
}

fn write_block(out: &mut String, function: &Function, block: &[Stmt], depth: usize) -> fmt::Result {
    block
        .iter()
        .try_for_each(|stmt| write_stmt(out, function, stmt, depth))
}

fn write_stmt(out: &mut String, function: &Function, stmt: &Stmt, depth: usize) -> fmt::Result {
    let pad = "  ".repeat(depth);
    match stmt {
        Stmt::Assign { target, value, .. } => {
            writeln!(
                out,
                "{pad}{} := {}",
                show(function, target),
                show(function, value)
            )
        }
        Stmt::Loop(inner) => {
            let parallel = inner
                .parallel
                .as_ref()
                .map_or(String::new(), |p| format!(" parallel({p})"));
            match &inner.control {
                Control::Counted {
                    variable,
                    lower,
                    upper,
                    step,
                } => {
                    let name = &function.variable(*variable).name;
                    let [lower, upper, step] = [lower, upper, step].map(|v| show(function, v));
                    writeln!(
                        out,
                        "{pad}loop {name} = {lower} .. {upper} by {step}{parallel} @{}",
                        inner.place.line
                    )?;
                }
                Control::Uncounted {
                    condition, reason, ..
                } => {
                    let condition = condition
                        .as_ref()
                        .map_or(String::new(), |c| format!(" {}", show(function, c)));
                    writeln!(
                        out,
                        "{pad}loop{condition} ({}){parallel} @{}",
                        reason.code, inner.place.line
                    )?;
                }
            }
            write_block(out, function, &inner.body, depth + 1)
        }
        Stmt::If(branch) => {
            writeln!(
                out,
                "{pad}if {} @{}",
                show(function, &branch.condition),
                branch.place.line
            )?;
            write_block(out, function, &branch.then, depth + 1)?;
            if !branch.otherwise.is_empty() {
                writeln!(out, "{pad}else")?;
                write_block(out, function, &branch.otherwise, depth + 1)?;
            }
            Ok(())
        }
        Stmt::Call {
            name, arguments, ..
        } => writeln!(out, "{pad}call {name}({})", list(function, arguments)),
        Stmt::Jump { kind, .. } => writeln!(out, "{pad}{}", format!("{kind:?}").to_lowercase()),
        Stmt::Mark { mark, .. } => writeln!(out, "{pad}{mark:?}"),
        Stmt::Evaluate {
            values, printed, ..
        } => {
            let verb = match printed {
                Printed::No => "evaluate",
                Printed::AsText => "print",
            };
            writeln!(out, "{pad}{verb} {}", list(function, values))
        }
        Stmt::Opaque { reason, inner, .. } => {
            writeln!(
                out,
                "{pad}opaque {} {}",
                reason.code,
                reason.detail.replace('\n', " ")
            )?;
            write_block(out, function, inner, depth + 1)
        }
    }
}

fn list(function: &Function, values: &[Value]) -> String {
    values
        .iter()
        .map(|v| show(function, v))
        .collect::<Vec<_>>()
        .join(", ")
}

/// A value as text, fully parenthesised.
pub fn show(function: &Function, value: &Value) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_value(&mut text, function, value);
    text
}

fn write_value(out: &mut String, function: &Function, value: &Value) -> fmt::Result {
    match value {
        Value::Integer(n) => write!(out, "{n}"),
        Value::Real(x, bytes) => write!(out, "{x:?}_{bytes}"),
        Value::Logical(b) => write!(out, "{b}"),
        Value::Text(text) => write!(out, "{text:?}"),
        Value::Variable(id) => out.write_str(&function.variable(*id).name),
        Value::Element {
            array, subscripts, ..
        } => {
            write!(
                out,
                "{}[{}]",
                function.variable(*array).name,
                list(function, subscripts)
            )
        }
        Value::Unary(op, operand) => {
            let sign = match op {
                UnaryOp::Negate => "-",
                UnaryOp::Not => "not ",
                UnaryOp::Complement => "~",
            };
            write!(out, "({sign}{})", show(function, operand))
        }
        Value::Binary(op, left, right) => {
            write!(
                out,
                "({} {} {})",
                show(function, left),
                op.sign(),
                show(function, right)
            )
        }
        Value::Call {
            name, arguments, ..
        } => write!(out, "{name}({})", list(function, arguments)),
        Value::Convert(ty, operand) => {
            write!(
                out,
                "{}({})",
                ElementType::from(ty),
                show(function, operand)
            )
        }
        Value::Select(condition, then, otherwise) => {
            let [condition, then, otherwise] =
                [condition, then, otherwise].map(|v| show(function, v));
            write!(out, "({condition} ? {then} : {otherwise})")
        }
        Value::Section(parts) => write!(out, "opaque(array_section; {})", list(function, &**parts)),
        Value::Row => write!(out, "opaque(partial_element)"),
        Value::Address { of, .. } => write!(out, "opaque(address_of; {})", show(function, of)),
        Value::Opaque { reason, inner } => write!(out, "opaque({}{})", reason.code, {
            if inner.is_empty() {
                String::new()
            } else {
                format!("; {}", list(function, inner))
            }
        }),
    }
}
