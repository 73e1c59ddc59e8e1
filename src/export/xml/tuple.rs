//! ExaSAT's tuples, `(1,0,0,qu)`, and the subscripts that they stand for.

use crate::analysis::affine;
use crate::analysis::facts::{Access, Component, Gather, Stream, Subscript};
use crate::expr::Expr;

/// The entries of a tuple in parentheses, trimmed; `()` has none. `None` if it is not a tuple.
pub(super) fn entries(text: &str) -> Option<Vec<&str>> {
    let inside = text.trim().strip_prefix('(')?.strip_suffix(')')?;
    if inside.trim().is_empty() {
        Some(Vec::new())
    } else {
        Some(split(inside))
    }
}

/// The parts between the commas that stand outside of parentheses, brackets and backticks.
pub(super) fn split(text: &str) -> Vec<&str> {
    let (mut depth, mut quoted, mut start) = (0i32, false, 0);
    let mut parts = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '`' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth <= 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}

/// A subscript and its integer offset. `variable` is the part that ExaSAT calls `dependentloopvar`,
/// `offset` the rest, `loops` the variables of the nest, outermost first.
///
/// What is not affine in the loop variables, or hangs on something that changes with them, is a
/// gather with the text of the whole.
pub(super) fn subscript(variable: &str, offset: &str, loops: &[&str]) -> (Subscript, i64) {
    let gather = || {
        let text = match (variable, offset) {
            ("", text) | (text, "0" | "") => text.to_string(),
            (variable, offset) => format!("{variable} + {offset}"),
        };
        (
            Subscript {
                terms: Vec::new(),
                base: Expr::from(0.0),
                gather: Some(Gather::anywhere(text)),
            },
            0,
        )
    };
    let part = |text: &str| {
        if text.is_empty() {
            Some(Expr::from(0.0))
        } else {
            Expr::parse(text).ok()
        }
    };
    let (Some(moving), Some(fixed)) = (part(variable), part(offset)) else {
        return gather();
    };
    let expr = moving.clone() + fixed;
    let hangs_on_loop = mentions_indirect(&expr, loops);
    let moves = variable.is_empty() || loops.iter().any(|name| moving.mentions(name));
    if hangs_on_loop || !moves {
        gather()
    } else {
        affine(&expr, loops).unwrap_or_else(gather)
    }
}

/// Whether the text of a gather is one by an element that the loops pick: `col(k)`, `2*col[k] + 1`.
pub(super) fn is_indirect(text: &str, loops: &[&str]) -> bool {
    Expr::parse(text).is_ok_and(|expr| mentions_indirect(&expr, loops))
}

fn mentions_indirect(expr: &Expr, loops: &[&str]) -> bool {
    expr.symbols().iter().any(|symbol| {
        let subscripts = symbol
            .name()
            .split_once(['(', '['])
            .map_or("", |(_, subscripts)| subscripts);
        subscripts
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .any(|word| loops.contains(&word))
    })
}

/// Parts of a component as ExaSAT writes them: what is not an expression is a name.
pub(super) fn component(parts: &[&str]) -> Component {
    let parts = parts.iter().filter(|part| !part.is_empty());
    let subscript = |part: &&str| Expr::parse(part).unwrap_or_else(|_| Expr::symbol(part));
    Component(parts.map(subscript).collect())
}

/// `offset` of an access as ExaSAT writes it: the component, if any, comes last.
pub(super) fn offset_text(stream: &Stream, access: &Access) -> String {
    let rank = stream.subscripts.len().max(access.offset.len());
    let entry = |d: usize| {
        let offset = access.offset.get(d).copied().unwrap_or(0);
        match stream.subscripts.get(d) {
            Some(Subscript {
                gather: Some(gather),
                ..
            }) => match offset {
                0 => gather.text.clone(),
                _ => format!("{} + {offset}", gather.text),
            },
            Some(subscript) if !subscript.base.is_zero() => {
                format!("{:#}", subscript.base.clone() + offset as f64)
            }
            _ => offset.to_string(),
        }
    };
    let component =
        Some(format!("{:#}", stream.component)).filter(|component| !component.is_empty());
    tuple((0..rank).map(entry).chain(component))
}

/// `dependentloopvar` of every access of a stream.
pub(super) fn variables_text(stream: &Stream) -> String {
    let term = |(name, coefficient): &(String, Expr)| {
        let variable = Expr::symbol(name);
        match coefficient.as_number() {
            Some(1.0) => format!("{variable:#}"),
            Some(number) if number >= 0.0 => format!("{coefficient:#} * {variable:#}"),
            _ => format!("({coefficient:#}) * {variable:#}"),
        }
    };
    let entry = |subscript: &Subscript| {
        subscript
            .terms
            .iter()
            .map(term)
            .collect::<Vec<_>>()
            .join(" + ")
    };
    let fixed = stream.component.0.len();
    tuple(
        stream
            .subscripts
            .iter()
            .map(entry)
            .chain(std::iter::repeat_n(String::new(), fixed)),
    )
}

fn tuple(entries: impl Iterator<Item = String>) -> String {
    format!("({})", entries.collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_inside_stay_inside() {
        assert_eq!(
            entries("( 1, a(2,3),-4 ,qu)"),
            Some(vec!["1", "a(2,3)", "-4", "qu"])
        );
        assert_eq!(entries("(,,)"), Some(vec!["", "", ""]));
        assert_eq!(entries("(`a,b`,x[1,2])"), Some(vec!["`a,b`", "x[1,2]"]));
        assert_eq!(
            (entries("()"), entries("1,2"), entries("(1")),
            (Some(vec![]), None, None)
        );
    }

    #[test]
    fn subscripts_of_entries() {
        let show = |variable, offset| {
            let (s, offset) = subscript(variable, offset, &["k", "j", "i"]);
            let terms: Vec<String> = s
                .terms
                .iter()
                .map(|(name, c)| format!("{c}·{name}"))
                .collect();
            format!(
                "{} | {} | {offset} | {}",
                terms.join(" "),
                s.base,
                s.gather.map(|gather| gather.text).unwrap_or_default()
            )
        };
        assert_eq!(show("i", "-1"), "1·i | 0 | -1 | ");
        assert_eq!(show("2 * i", "ng + 3"), "2·i | ng | 3 | ");
        assert_eq!(show("(n + 1) * j + k", "0"), "1·k n + 1·j | 0 | 0 | ");
        assert_eq!(show("", "qu"), " | qu | 0 | ");
        assert_eq!(show("", "i+1"), "1·i | 0 | 1 | ");
        assert_eq!(show("", "hi(1) - 2"), " | hi(1) | -2 | ");
        assert_eq!(show("", "col(k)"), " | 0 | 0 | col(k)");
        assert_eq!(show("i*j", "1"), " | 0 | 0 | i*j + 1");
        assert_eq!(show("m", "0"), " | 0 | 0 | m");
        assert_eq!(show("", "a b"), " | 0 | 0 | a b");
    }
}
