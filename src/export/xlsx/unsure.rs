//! Figures that are unknown on some machines: of all that depends on a machine figure that nobody published, the
//! workbook says so, and shows a number as soon as a machine is picked that has one.

use crate::expr::{Comparison, Expr, Function, Node, SymbolKind};
use crate::machine::parameters::{Fallback, all_parameters};
use crate::model::{Detail, FigureMap, Model};

/// Which figures are unknown on some machine.
pub(super) fn unsure(model: &Model) -> FigureMap<bool> {
    let mut unsure = model.figures.map_of(false);
    if model.figures.detail() != Detail::AnyMachine {
        return unsure;
    }
    // A level without bytes is no level, which formulas know.
    let may_lack = |(_, _, row): &(_, _, &crate::machine::parameters::ParameterRow)| {
        row.fallback == Fallback::Unknown && row.name != "bytes"
    };
    let names: Vec<String> = all_parameters()
        .filter(may_lack)
        .map(|(name, ..)| name)
        .collect();
    for (id, figure) in model.figures.iter() {
        if depends(&figure.expr, &names, &unsure, &mut Vec::new())
            && let Some(entry) = unsure.get_mut(id)
        {
            *entry = true;
        }
    }
    unsure
}

/// Whether the expression has one of the symbols where nothing asked before if it is more than zero.
fn depends(expr: &Expr, names: &[String], unsure: &FigureMap<bool>, asked: &mut Vec<Expr>) -> bool {
    match expr.node() {
        Node::Symbol(symbol) => {
            symbol.kind() == SymbolKind::Machine
                && names.iter().any(|known| known == symbol.name())
                && !asked.contains(expr)
        }
        Node::Figure(id) => unsure.get(*id) == Some(&true),
        Node::If(Comparison::Greater, parts) if parts[1].is_zero() => {
            let before = asked.len();
            match parts[0].node() {
                Node::Call(Function::Min, items) => asked.extend(items.iter().cloned()),
                _ => asked.push(parts[0].clone()),
            }
            let found = depends(&parts[0], names, unsure, asked)
                || depends(&parts[2], names, unsure, asked);
            asked.truncate(before);
            found || depends(&parts[3], names, unsure, asked)
        }
        _ => expr
            .children()
            .into_iter()
            .any(|child| depends(child, names, unsure, asked)),
    }
}
