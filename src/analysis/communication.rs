//! What calls move between processes: buffers, element counts, element sizes, ghost cells.
//!
//! A count that has no expression where the call stands, or follows a loop variable, is a parameter
//! `count_function_line`, as trip counts are. What a distributed array does not say of itself are
//! parameters too: `box_x`, `box_y`, `box_z` (cells of one process; 0: no such dimension), `ghost_A`
//! (ghost cells on either side) and `components_A`.

use super::datatypes::{Datatypes, GlobalTypes, Made};
use super::facts::{Communication, Halo};
use super::symbols::Symbols;
use crate::expr::{Expr, Symbol};
use crate::ir::{self, BinaryOp, Callee, Role, Type, Value, VarId, addressed};
use crate::message_passing::{Interface, InterfaceKind, Interfaces, mpich_datatype_bytes};

/// One call of a procedure of the table.
pub struct Call<'c> {
    pub line: u32,
    pub name: &'c str,
    pub interface: &'c Interface,
    pub arguments: &'c [Value],
}

impl<'c> Call<'c> {
    fn argument(&self, position: Option<usize>) -> Option<&'c Value> {
        self.arguments.get(position?.checked_sub(1)?)
    }
}

/// All that says how long the elements of a type are.
pub struct Types<'t, 'f> {
    pub local: &'t Datatypes<'f>,
    pub global: &'t GlobalTypes,
}

/// What a call moves.
pub fn moved(call: &Call, types: Option<&Types>, symbols: &mut Symbols) -> Communication {
    let Interface {
        library,
        kind,
        array,
        ..
    } = call.interface;
    let mut found = Communication {
        library: library.clone(),
        kind: *kind,
        arrays: arrays(call, symbols),
        count: None,
        datatype: String::new(),
        element_bytes: None,
        halo: None,
    };
    if !kind.moves_data() {
        return found;
    }
    let count = symbols_of_count(call, symbols);
    let datatype = call.argument(call.interface.datatype.or(call.interface.to_type));
    found.datatype = datatype.map_or_else(String::new, |value| symbols.text(value));
    let written_bytes = call.interface.word.map(|word| Expr::from(f64::from(word)));
    found.element_bytes = match datatype {
        Some(value) => {
            let declared = declared_bytes(call, symbols);
            types.and_then(|types| bytes_of(value, (types, declared), symbols, 0))
        }
        None => declared_bytes(call, symbols)
            .map(|bytes| Expr::from(f64::from(bytes)))
            .or(written_bytes),
    };
    if array.is_some() && *kind == InterfaceKind::Halo {
        found.halo = Some(halo(call, symbols));
    } else {
        found.count = count;
    }
    found
}

/// Names of what is sent and received, without the values that say where in them.
fn arrays(call: &Call, symbols: &Symbols) -> Vec<String> {
    let Interface {
        buffer,
        to_buffer,
        array,
        ..
    } = call.interface;
    if *array == Some(0) {
        return match symbols.function.callees.get(call.name) {
            Some(Callee::OfObject { object, .. }) => vec![object.clone()],
            _ => Vec::new(),
        };
    }
    let positions = [*buffer, *array, *to_buffer].into_iter().flatten();
    let mut names: Vec<String> = Vec::new();
    for value in positions.filter_map(|position| call.argument(Some(position))) {
        let name = match variable(value) {
            Some(id) => symbols.function.variable(id).name.to_string(),
            None => symbols.text(value),
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The variable that a buffer argument leads to: `a`, `a(1,j)`, `&a[j]`, `a + j`.
fn variable(value: &Value) -> Option<VarId> {
    match value {
        Value::Variable(id) | Value::Element { array: id, .. } => Some(*id),
        Value::Convert(_, inner) => variable(inner),
        Value::Binary(BinaryOp::Add | BinaryOp::Subtract, left, right) => {
            variable(left).or_else(|| variable(right))
        }
        other => variable(addressed(other)?),
    }
}

/// Elements that the call moves.
fn symbols_of_count(call: &Call, symbols: &mut Symbols) -> Option<Expr> {
    let Interface {
        count,
        to_count,
        counts,
        buffer,
        to_buffer,
        word,
        ..
    } = call.interface;
    let given = call.argument(count.or(*to_count));
    if let (Some(value), false) = (given, *counts) {
        return Some(
            stays(symbols.expression(value), symbols)
                .unwrap_or_else(|| unknown_count(call, symbols)),
        );
    }
    if *counts {
        return Some(unknown_count(call, symbols));
    }
    match buffer.or(*to_buffer) {
        Some(position) => {
            let id = variable(call.argument(Some(position))?)?;
            let whole = matches!(call.argument(Some(position)), Some(Value::Variable(_)));
            if symbols.function.variable(id).dimensions.is_empty() || !whole {
                return Some(Expr::from(1.0));
            }
            let extents = extents(id, symbols);
            Some(extents.map_or_else(|| unknown_count(call, symbols), Expr::product))
        }
        // One value of a whole distributed array.
        None => word.map(|_| Expr::from(1.0)),
    }
}

/// An expression that no loop around the call changes.
fn stays(expr: Option<Expr>, symbols: &Symbols) -> Option<Expr> {
    let expr = expr?;
    let moves = symbols
        .loops
        .iter()
        .any(|id| expr.mentions(symbols.function.variable(*id).name.as_str()));
    (!moves).then_some(expr)
}

fn unknown_count(call: &Call, symbols: &Symbols) -> Expr {
    Expr::from(Symbol::message_count(symbols.own_name, call.line))
}

/// Declared extents in storage order, if all are known.
fn extents(id: VarId, symbols: &mut Symbols) -> Option<Vec<Expr>> {
    let dimensions = symbols.function.variable(id).dimensions.clone();
    let extent = |bounds: &ir::Extent| {
        let lower = match &bounds.lower {
            Some(lower) => symbols.expression(lower)?,
            None => Expr::from(1.0),
        };
        let upper = symbols.expression(bounds.upper.as_ref()?)?;
        Some((upper - lower + Expr::from(1.0)).expand())
    };
    dimensions.iter().map(extent).collect()
}

/// Bytes of an element of the buffer's declared type.
fn declared_bytes(call: &Call, symbols: &Symbols) -> Option<u32> {
    let Interface {
        buffer,
        to_buffer,
        array,
        ..
    } = call.interface;
    let id = variable(call.argument(buffer.or(*to_buffer).or(*array))?)?;
    match &symbols.function.variable(id).ty {
        Type::Derived(..) => None,
        ty => ty.bytes(),
    }
}

/// Bytes of an element of an MPI type.
fn bytes_of(
    value: &Value,
    types: (&Types, Option<u32>),
    symbols: &mut Symbols,
    depth: u32,
) -> Option<Expr> {
    const DEEPEST: u32 = 16;
    if depth > DEEPEST {
        return None;
    }
    let number = |bytes: u32| Expr::from(f64::from(bytes));
    match value {
        Value::Integer(handle) => mpich_datatype_bytes(*handle).map(number),
        Value::Convert(_, inner) => bytes_of(inner, types, symbols, depth + 1),
        Value::Variable(id) => {
            let variable = symbols.function.variable(*id);
            if let Some(bytes) = Interfaces::builtin().datatype_bytes(&variable.name) {
                return Some(number(bytes));
            }
            if let Some(constant) = &variable.constant {
                return bytes_of(constant, types, symbols, depth + 1);
            }
            let global = || {
                types
                    .0
                    .global
                    .bytes(&variable.name, types.1)
                    .filter(|_| variable.role == Role::Global)
            };
            let Some(made) = types.0.local.made.get(id) else {
                return global().map(number);
            };
            match made {
                Made::Value(value) => bytes_of(value, types, symbols, depth + 1),
                Made::Of { elements, of } => {
                    let each = bytes_of(of, types, symbols, depth + 1)?;
                    let elements = elements
                        .iter()
                        .map(|value| stays(symbols.expression(value), symbols));
                    let elements = elements.collect::<Option<Vec<Expr>>>()?;
                    Some(Expr::product(elements.into_iter().chain([each])))
                }
                Made::Unknown => global().map(number),
            }
        }
        // `sizeof(real) == 4 ? MPI_FLOAT : MPI_DOUBLE`.
        Value::Select(condition, then, otherwise) => {
            let Value::Binary(BinaryOp::Equal, left, right) = condition.as_ref() else {
                return None;
            };
            let (Some(left), Some(right)) = (whole(left, symbols), whole(right, symbols)) else {
                return None;
            };
            bytes_of(
                if left == right { then } else { otherwise },
                types,
                symbols,
                depth + 1,
            )
        }
        // `&ompi_mpi_double`.
        other => match addressed(other) {
            Some(inner) => bytes_of(inner, types, symbols, depth + 1),
            None => match other {
                Value::Opaque { inner, .. } if inner.len() == 1 => {
                    bytes_of(&inner[0], types, symbols, depth + 1)
                }
                _ => None,
            },
        },
    }
}

fn whole(value: &Value, symbols: &mut Symbols) -> Option<i64> {
    symbols.expression(value)?.as_integer()
}

/// The ghost cells of a distributed array.
fn halo(call: &Call, symbols: &mut Symbols) -> Halo {
    let Interface {
        array,
        components,
        ghost,
        ..
    } = call.interface;
    let argument = call.argument(*array);
    let name = arrays(call, symbols).into_iter().next().unwrap_or_default();
    let mut given = |position: Option<usize>, otherwise: &str| {
        let value = call
            .argument(position)
            .and_then(|value| stays(symbols.expression(value), symbols));
        value.unwrap_or_else(|| Expr::from(Symbol::halo(otherwise, &name)))
    };
    let components = given(*components, "components");
    let width = given(*ghost, "ghost");
    let declared = argument
        .and_then(variable)
        .and_then(|id| extents(id, symbols))
        .filter(|found| !found.is_empty());
    let extents =
        declared.unwrap_or_else(|| BOX.map(|name| Expr::from(Symbol::cells(name))).to_vec());
    Halo {
        components,
        width,
        extents,
    }
}

/// Dimensions of the cells of one process, where no array says.
const BOX: [&str; 3] = ["x", "y", "z"];
