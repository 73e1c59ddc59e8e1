//! Expressions as JavaScript, for pages whose figures follow their inputs.
//!
//! A page brings the functions that an expression calls (`templates/report/evaluate.js`): `min`, `max`, `pow`,
//! `ceiling`, `floor`, `truncate`, `absolute`, `treeStages`, `sumAbove`, and one a comparison, such as `less(a, b, then, otherwise)`.
//! They agree with [`Expr::evaluate`] also where operands are not-a-number.

use std::fmt;

use super::{CellNames, Comparison, Expr, Function, Node};

/// A JavaScript expression, with the operations in the order in which [`Expr::evaluate`] does them. Parts that have names
/// are named; the whole expression is always written out.
pub struct JavaScript<'a> {
    pub expr: &'a Expr,
    pub names: &'a dyn CellNames,
}

impl fmt::Display for JavaScript<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_operation(f, self.expr, self.names)
    }
}

fn write(f: &mut fmt::Formatter<'_>, expr: &Expr, names: &dyn CellNames) -> fmt::Result {
    match names.part(expr) {
        Some(name) => f.write_str(&name),
        None => write_operation(f, expr, names),
    }
}

fn write_operation(f: &mut fmt::Formatter<'_>, expr: &Expr, names: &dyn CellNames) -> fmt::Result {
    match expr.node() {
        Node::Number(n) => write_number(f, n.get()),
        Node::Symbol(symbol) => f.write_str(&names.symbol(symbol.name())),
        Node::Figure(id) => f.write_str(&names.figure(*id)),
        Node::Sum(items) => write_list(f, items, "+", &|f, item| write(f, item, names)),
        Node::Product(items) => write_list(f, items, "*", &|f, item| write_factor(f, item, names)),
        Node::Quotient(a, b) => write_list(f, [a, b], "/", &|f, item| write_factor(f, item, names)),
        Node::Power(a, b) => write_call(f, "pow", [a, b], names),
        Node::Call(function, items) => write_call(f, function_name(*function), items, names),
        Node::If(comparison, parts) => {
            write_call(f, comparison_name(*comparison), parts.iter(), names)
        }
    }
}

/// What is not a single operand is put in parentheses.
fn write_factor(f: &mut fmt::Formatter<'_>, expr: &Expr, names: &dyn CellNames) -> fmt::Result {
    match expr.node() {
        Node::Sum(_) | Node::Product(_) | Node::Quotient(..) if names.part(expr).is_none() => {
            f.write_str("(")?;
            write(f, expr, names)?;
            f.write_str(")")
        }
        _ => write(f, expr, names),
    }
}

type WriteItem<'w> = &'w dyn Fn(&mut fmt::Formatter<'_>, &Expr) -> fmt::Result;

fn write_list<'e>(
    f: &mut fmt::Formatter<'_>,
    items: impl IntoIterator<Item = &'e Expr>,
    between: &str,
    write_item: WriteItem,
) -> fmt::Result {
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            f.write_str(between)?;
        }
        write_item(f, item)?;
    }
    Ok(())
}

fn write_call<'e>(
    f: &mut fmt::Formatter<'_>,
    function: &str,
    arguments: impl IntoIterator<Item = &'e Expr>,
    names: &dyn CellNames,
) -> fmt::Result {
    write!(f, "{function}(")?;
    write_list(f, arguments, ",", &|f, argument| write(f, argument, names))?;
    f.write_str(")")
}

fn function_name(function: Function) -> &'static str {
    match function {
        Function::Min => "min",
        Function::Max => "max",
        Function::Ceiling => "ceiling",
        Function::Floor => "floor",
        Function::Truncate => "truncate",
        Function::Absolute => "absolute",
        Function::TreeStages => "treeStages",
        Function::SumAbove => "sumAbove",
    }
}

fn comparison_name(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Less => "less",
        Comparison::LessOrEqual => "lessOrEqual",
        Comparison::Greater => "greater",
        Comparison::GreaterOrEqual => "greaterOrEqual",
        Comparison::Equal => "equal",
        Comparison::NotEqual => "notEqual",
    }
}

/// The shortest text that is read back as the same number. `a--1` would be something else, but a sign never follows a
/// minus here, and powers are calls.
fn write_number(f: &mut fmt::Formatter<'_>, value: f64) -> fmt::Result {
    let magnitude = value.abs();
    if value.is_nan() {
        f.write_str("NaN")
    } else if value.is_infinite() {
        f.write_str(if value > 0.0 { "Infinity" } else { "-Infinity" })
    } else if magnitude != 0.0 && !(1e-5..1e15).contains(&magnitude) {
        write!(f, "{value:e}")
    } else {
        write!(f, "{value}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FigureId;

    struct Plain;

    impl CellNames for Plain {
        fn figure(&self, id: FigureId) -> String {
            format!("f[{}]", id.0)
        }
        fn symbol(&self, name: &str) -> String {
            name.to_string()
        }
        fn range(&self, _: &[FigureId]) -> Option<String> {
            None
        }
    }

    fn check(text: &str, expected: &str) {
        let expr = Expr::parse(text).unwrap();
        assert_eq!(
            JavaScript {
                expr: &expr,
                names: &Plain
            }
            .to_string(),
            expected
        );
    }

    #[test]
    fn operations_keep_their_order() {
        check("a*(b/c)", "a*(b/c)");
        check("(a + b)*c/d", "(c*(a+b))/d");
        check("a/(b/c)", "a/(b/c)");
        check("a - 2*b - 3", "a+-2*b+-3");
        check("-(a*b)", "-1*a*b");
        check("(a + 1)^2", "pow(a+1,2)");
    }

    #[test]
    fn functions_and_conditions_are_calls() {
        check("min(a, ceil(b/2))", "min(a,ceiling(b/2))");
        check(
            "if(a<b, trunc(a), floor(b))",
            "less(a,b,truncate(a),floor(b))",
        );
        check(
            "if(a<>0, abs(a), treestages(b))",
            "notEqual(a,0,absolute(a),treeStages(b))",
        );
    }

    #[test]
    fn numbers_are_read_back_as_they_are() {
        let shown = |value: f64| {
            JavaScript {
                expr: &Expr::from(value),
                names: &Plain,
            }
            .to_string()
        };
        for value in [0.1, 1e-300, 123_456_789.125, 1e15, f64::MAX, -2.5e-7] {
            assert_eq!(shown(value).parse::<f64>(), Ok(value));
        }
        assert_eq!(
            [shown(f64::INFINITY), shown(f64::NEG_INFINITY)],
            ["Infinity", "-Infinity"]
        );
        let figure = Expr::from(FigureId(7)) * 3.0;
        assert_eq!(
            JavaScript {
                expr: &figure,
                names: &Plain
            }
            .to_string(),
            "3*f[7]"
        );
    }
}
