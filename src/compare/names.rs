//! Names in a run and in a source: of variables, of ranges of addresses, in expressions.

/// What a member of a structure is a member of: `g` of `g->u`, `a` of `a%p`.
pub fn base_of(array: &str) -> Option<&str> {
    let end = array.find(['%', '.', '-'])?;
    Some(&array[..end])
}

/// Whether a symbol of the program is the structure that an array is a member of: it holds the array itself, or says
/// where that is.
pub fn is_structure_of(symbol: &str, array: &str) -> bool {
    base_of(array).is_some_and(|base| is_variable_of(symbol, base))
}

/// Whether a symbol of the program is this variable of the source: Fortran compilers add underscores and modules. Members
/// of COMMON blocks are named after them, `/block/name`.
pub fn is_variable_of(symbol: &str, variable: &str) -> bool {
    let variable = variable.rsplit(['%', '.', '>']).next().unwrap_or(variable);
    let plain = symbol.rsplit('/').next().unwrap_or(symbol);
    let plain = plain.split('.').next().unwrap_or(plain);
    let plain = plain
        .rsplit("_MOD_")
        .next()
        .unwrap_or(plain)
        .trim_end_matches('_');
    plain == variable || plain.eq_ignore_ascii_case(variable) && symbol != plain
}

/// Whether a name stands in an expression.
pub fn mentions(text: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.split(|c| !is_word(c)).any(|word| word == name)
}
