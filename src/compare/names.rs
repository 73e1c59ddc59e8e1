//! Names in a run and in a source: of variables, of ranges of addresses, in expressions.

use crate::ir::Name;

/// Whether a symbol of the program is the structure that an array is a member of: it holds the array itself, or says
/// where that is.
pub fn is_structure_of(symbol: &str, array: &str) -> bool {
    let array = Name::read(array);
    (array.structure()).is_some_and(|structure| is_variable_of(symbol, structure))
}

/// Whether a symbol of the program is this variable of the source: Fortran compilers add underscores and modules. Members
/// of COMMON blocks are named after them, `/block/name`.
pub fn is_variable_of(symbol: &str, variable: &str) -> bool {
    let name = Name::read(variable);
    let variable = name.members().last().unwrap_or(variable);
    let plain = symbol.rsplit('/').next().unwrap_or(symbol);
    let plain = plain.split('.').next().unwrap_or(plain);
    let plain = plain
        .rsplit("_MOD_")
        .next()
        .unwrap_or(plain)
        .trim_end_matches('_');
    plain == variable || plain.eq_ignore_ascii_case(variable) && symbol != plain
}
