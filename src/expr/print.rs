//! Expressions as text (XML, `--explain`, JSON bounds) and as Excel formulas.

use std::fmt;

use super::{Expr, FigureId, Function, Node, Symbol, SymbolKind};

/// What a figure or a symbol is called where a formula is shown.
pub trait CellNames {
    /// A cell reference such as `Loops!$C$5`, or a readable label.
    fn figure(&self, id: FigureId) -> String;
    /// A defined name.
    fn symbol(&self, name: &str) -> String;
    /// One range that holds exactly these figures, if there is one: `SUM` over it is shorter.
    fn range(&self, figures: &[FigureId]) -> Option<String>;
    /// Whether some of these may be text, as they are unknown: `SUM` over a range passes over text.
    fn may_be_text(&self, _: &[FigureId]) -> bool {
        false
    }
}

/// An Excel formula without the leading `=`. Displayed with the operations in the order in which
/// [`Expr::evaluate`] does them.
pub struct Excel<'a> {
    pub expr: &'a Expr,
    pub names: &'a dyn CellNames,
}

impl fmt::Display for Excel<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(
            f,
            self.expr,
            Binding::Loose,
            &Style {
                names: Some(self.names),
            },
        )
    }
}

impl fmt::Display for Expr {
    /// Text for people. In its alternate form (`{:#}`), [`Expr::parse`](Expr::parse) reads back an equal expression (figures
    /// excepted): what no source calls by its name has its kind with it, as in `` trip_count`trip_f_12` ``.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(f, self, Binding::Loose, &Style { names: None })
    }
}

struct Style<'a> {
    names: Option<&'a dyn CellNames>,
}

/// How tightly the surroundings bind; an expression that binds less tightly is put in parentheses.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Binding {
    Loose,
    Term,
    Factor,
    Tight,
}

fn write(f: &mut fmt::Formatter<'_>, expr: &Expr, around: Binding, style: &Style) -> fmt::Result {
    let own = match expr.node() {
        Node::Sum(_) => Binding::Loose,
        Node::Product(_) | Node::Quotient(..) => Binding::Term,
        Node::Power(..) => Binding::Factor,
        Node::Number(n) if n.get() < 0.0 => Binding::Loose,
        _ => Binding::Tight,
    };
    let is_range = style.names.is_some()
        && matches!(expr.node(), Node::Sum(items) if range(items, style).is_some());
    let parentheses = own < around && !is_range;
    if parentheses {
        f.write_str("(")?;
    }
    match expr.node() {
        Node::Number(n) => write_number(f, n.get(), style)?,
        Node::Symbol(symbol) => match style.names {
            Some(names) => f.write_str(&names.symbol(symbol.name()))?,
            None => write_symbol(f, symbol)?,
        },
        Node::Figure(id) => match style.names {
            Some(names) => f.write_str(&names.figure(*id))?,
            None => write!(f, "`figure {}`", id.0)?,
        },
        Node::Sum(items) => match range(items, style) {
            Some((range, true)) => write!(f, "IF(COUNT({range})<ROWS({range}),NA(),SUM({range}))")?,
            Some((range, false)) => write!(f, "SUM({range})")?,
            None => write_sum(f, items, style)?,
        },
        Node::Product(items) => write_product(f, items, style)?,
        Node::Quotient(a, b) => {
            // Read back, `-a/b` would be `-(a/b)`.
            let is_negative = a.split_coefficient().0 < 0.0;
            write(
                f,
                a,
                if is_negative {
                    Binding::Tight
                } else {
                    Binding::Term
                },
                style,
            )?;
            f.write_str("/")?;
            write(f, b, Binding::Tight, style)?;
        }
        Node::Power(a, b) => {
            write(f, a, Binding::Tight, style)?;
            f.write_str("^")?;
            write(f, b, Binding::Tight, style)?;
        }
        Node::Call(function, items) => write_call(f, *function, items, style)?,
        Node::If(comparison, parts) => {
            let [a, b, c, d] = &**parts;
            f.write_str(if style.names.is_some() { "IF(" } else { "if(" })?;
            write(f, a, Binding::Loose, style)?;
            f.write_str(comparison.sign())?;
            for (item, after) in [(b, ","), (c, ","), (d, ")")] {
                write(f, item, Binding::Loose, style)?;
                f.write_str(after)?;
            }
        }
    }
    if parentheses {
        f.write_str(")")?;
    }
    Ok(())
}

/// The range that holds just these, and whether some of it may be text.
fn range(items: &[Expr], style: &Style) -> Option<(String, bool)> {
    let names = style.names?;
    let figure = |item: &Expr| match item.node() {
        Node::Figure(id) => Some(*id),
        _ => None,
    };
    let figures = items
        .iter()
        .map(figure)
        .collect::<Option<Vec<FigureId>>>()?;
    Some((names.range(&figures)?, names.may_be_text(&figures)))
}

fn write_sum(f: &mut fmt::Formatter<'_>, items: &[Expr], style: &Style) -> fmt::Result {
    let [plus, minus] = if style.names.is_some() {
        ["+", "-"]
    } else {
        [" + ", " - "]
    };
    for (index, item) in items.iter().enumerate() {
        let (coefficient, rest) = item.split_coefficient();
        // Read back, `- (a + b)` would be `- a - b`.
        let is_negated_sum = coefficient == -1.0 && matches!(rest.node(), Node::Sum(_));
        match item.as_number() {
            _ if index == 0 => write(f, item, Binding::Term, style)?,
            Some(n) => {
                f.write_str(if n < 0.0 { minus } else { plus })?;
                write_number(f, n.abs(), style)?;
            }
            None if coefficient < 0.0 && !is_negated_sum => {
                f.write_str(minus)?;
                write(f, &(rest * -coefficient), Binding::Term, style)?;
            }
            None => {
                f.write_str(plus)?;
                write(f, item, Binding::Term, style)?;
            }
        }
    }
    Ok(())
}

fn write_product(f: &mut fmt::Formatter<'_>, items: &[Expr], style: &Style) -> fmt::Result {
    let rest = if items[0].as_number() == Some(-1.0) {
        f.write_str(match items[1].node() {
            // In Excel a sign binds more tightly than a power.
            Node::Power(..) if style.names.is_some() => "-1*",
            // Read back, `-(a + b)` would be `-a - b`.
            Node::Sum(_) if items.len() == 2 => "(-1)*",
            _ => "-",
        })?;
        &items[1..]
    } else if let Some(n) = items[0].as_number().filter(|n| *n < 0.0) {
        f.write_str("-")?;
        write_number(f, -n, style)?;
        f.write_str("*")?;
        &items[1..]
    } else {
        items
    };
    for (index, item) in rest.iter().enumerate() {
        if index > 0 {
            f.write_str("*")?;
        }
        // A quotient inside a product keeps its parentheses: a*(b/c) is evaluated in that order.
        write(f, item, Binding::Factor, style)?;
    }
    Ok(())
}

fn write_call(
    f: &mut fmt::Formatter<'_>,
    function: Function,
    items: &[Expr],
    style: &Style,
) -> fmt::Result {
    if let (Function::SumAbove, Some(_)) = (function, style.names) {
        return write_sum_above(f, items, style);
    }
    let (text, excel, tail) = match function {
        Function::Min => ("min", "MIN", ""),
        Function::Max => ("max", "MAX", ""),
        Function::Ceiling => ("ceil", "ROUNDUP", ",0"),
        Function::Floor => ("floor", "INT", ""),
        Function::Truncate => ("trunc", "TRUNC", ""),
        Function::Absolute => ("abs", "ABS", ""),
        // Rounded first: a spreadsheet's logarithm of 8 may be a little more than 3.
        Function::TreeStages => ("treestages", "ROUNDUP(ROUND(LOG(MAX", ",1),2),9),0"),
        Function::CommonDivisor => ("gcd", "GCD", ""),
        Function::SumAbove => ("sumabove", "", ""),
    };
    let in_excel = style.names.is_some();
    write!(f, "{}(", if in_excel { excel } else { text })?;
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            f.write_str(if in_excel { "," } else { ", " })?;
        }
        write(f, item, Binding::Loose, style)?;
    }
    write!(f, "{})", if in_excel { tail } else { "" })
}

/// As one product of two ranges where sizes and amounts stand in columns, else a condition for each.
fn write_sum_above(f: &mut fmt::Formatter<'_>, items: &[Expr], style: &Style) -> fmt::Result {
    let (limit, members) = (&items[0], &items[1..]);
    let (sizes, amounts) = members.split_at(members.len() / 2);
    if let [Some((sizes, false)), Some((amounts, false))] =
        [sizes, amounts].map(|members| range(members, style))
    {
        write!(f, "SUMPRODUCT(({sizes}>")?;
        write(f, limit, Binding::Loose, style)?;
        return write!(f, ")*{amounts})");
    }
    f.write_str("(")?;
    for (index, (size, amount)) in sizes.iter().zip(amounts).enumerate() {
        f.write_str(if index > 0 { "+IF(" } else { "IF(" })?;
        write(f, size, Binding::Loose, style)?;
        f.write_str(">")?;
        write(f, limit, Binding::Loose, style)?;
        f.write_str(",")?;
        write(f, amount, Binding::Loose, style)?;
        f.write_str(",0)")?;
    }
    f.write_str(")")
}

fn write_number(f: &mut fmt::Formatter<'_>, value: f64, style: &Style) -> fmt::Result {
    let magnitude = value.abs();
    if value.is_infinite() && style.names.is_some() {
        // Excel refuses a literal that is too large; this comes to an error when it is computed.
        return f.write_str(if value > 0.0 { "(10^999)" } else { "(-10^999)" });
    }
    if value.is_infinite() {
        // Too large for a number, which is how it is read back.
        return f.write_str(if value > 0.0 { "1E999" } else { "-1E999" });
    }
    if magnitude != 0.0 && !(1e-5..1e15).contains(&magnitude) {
        // Excel writes a sign, and not every reader of its formulas takes an exponent without one.
        let sign = if style.names.is_some() && magnitude > 1.0 {
            "E+"
        } else {
            "E"
        };
        f.write_str(&format!("{value:E}").replace('E', sign))
    } else {
        write!(f, "{value}")
    }
}

/// Names that would not be read back as one symbol are quoted with backticks, those inside doubled.
fn write_symbol(f: &mut fmt::Formatter<'_>, symbol: &Symbol) -> fmt::Result {
    let (kind, name) = (symbol.kind(), symbol.name());
    if f.alternate() && kind != SymbolKind::Source {
        return write!(f, "{}`{}`", kind.as_str(), name.replace('`', "``"));
    }
    if super::parse::is_plain_symbol(name) {
        f.write_str(name)
    } else {
        write!(f, "`{}`", name.replace('`', "``"))
    }
}
