//! Variables in the COMMON blocks of Fortran, which the symbol table has as one variable a block.

use std::collections::BTreeMap;

use gimli::{AttributeValue, Operation, Reader};

use crate::binary::Variable;

/// The members of one block as one routine declares them, by address.
type Layout = BTreeMap<u64, String>;

/// The layouts of all blocks in the Fortran units of a program. What is damaged is left out.
pub fn layouts<R: Reader>(dwarf: &gimli::Dwarf<R>) -> Vec<Layout> {
    let mut found = Vec::new();
    let mut units = dwarf.units();
    while let Ok(Some(header)) = units.next() {
        if let Ok(unit) = dwarf.unit(header)
            && is_fortran(&unit).unwrap_or(false)
        {
            // What was read before the damage is kept.
            let _ = of_unit(dwarf, &unit, &mut found);
        }
    }
    found
}

fn is_fortran<R: Reader>(unit: &gimli::Unit<R>) -> gimli::Result<bool> {
    let mut entries = unit.entries();
    let Some(root) = entries.next_dfs()? else { return Ok(false) };
    let fortran = [
        gimli::DW_LANG_Fortran77,
        gimli::DW_LANG_Fortran90,
        gimli::DW_LANG_Fortran95,
        gimli::DW_LANG_Fortran03,
        gimli::DW_LANG_Fortran08,
        gimli::DW_LANG_Fortran18,
    ];
    Ok(match root.attr_value(gimli::DW_AT_language) {
        Some(AttributeValue::Language(language)) => fortran.contains(&language),
        _ => false,
    })
}

fn of_unit<R: Reader>(dwarf: &gimli::Dwarf<R>, unit: &gimli::Unit<R>, found: &mut Vec<Layout>) -> gimli::Result<()> {
    let mut entries = unit.entries();
    // Depth and name of the block that is gone through.
    let mut block: Option<(isize, String)> = None;
    while let Some(entry) = entries.next_dfs()? {
        let depth = entry.depth();
        let name = || -> gimli::Result<String> {
            let Some(value) = entry.attr_value(gimli::DW_AT_name) else { return Ok(String::new()) };
            Ok(dwarf.attr_string(unit, value)?.to_string_lossy()?.into_owned())
        };
        block = block.filter(|(around, _)| depth > *around);
        match entry.tag() {
            gimli::DW_TAG_common_block => {
                found.push(Layout::new());
                block = Some((depth, name()?));
            }
            gimli::DW_TAG_variable => {
                if let Some((_, block)) = &block
                    && let Some(AttributeValue::Exprloc(place)) = entry.attr_value(gimli::DW_AT_location)
                    && let Some(address) = address(place, unit.encoding())?
                    && let Some(layout) = found.last_mut()
                {
                    layout.insert(address, format!("/{block}/{}", name()?));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Where a variable lies that is always in one place.
fn address<R: Reader>(place: gimli::Expression<R>, encoding: gimli::Encoding) -> gimli::Result<Option<u64>> {
    let mut operations = place.operations(encoding);
    let Some(Operation::Address { address }) = operations.next()? else { return Ok(None) };
    match (operations.next()?, operations.next()?) {
        (None, _) => Ok(Some(address)),
        (Some(Operation::PlusConstant { value }), None) => Ok(Some(address.wrapping_add(value))),
        _ => Ok(None),
    }
}

/// The variables, with those that are blocks divided into their members, where all routines divide them alike.
pub fn divide(variables: &[Variable], layouts: &[Layout]) -> Vec<Variable> {
    let mut divided = Vec::new();
    for variable in variables {
        let Variable { low, high, .. } = *variable;
        let mut own = layouts.iter().filter(|layout| layout.keys().next().is_some_and(|at| (low..high).contains(at)));
        let first = own.next().filter(|first| first.keys().next() == Some(&low));
        let Some(first) = first.filter(|first| own.all(|other| other.keys().eq(first.keys()))) else {
            divided.push(variable.clone());
            continue;
        };
        let ends = first.keys().skip(1).copied().chain([high]);
        let members = first.iter().zip(ends).filter(|((at, _), end)| *at < end && *end <= high);
        divided.extend(members.map(|((at, name), end)| Variable { low: *at, high: end, name: name.clone() }));
    }
    divided
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(low: u64, high: u64, name: &str) -> Variable {
        Variable { low, high, name: name.to_string() }
    }

    fn layout(members: &[(u64, &str)]) -> Layout {
        members.iter().map(|(at, name)| (*at, (*name).to_string())).collect()
    }

    #[test]
    fn a_block_is_its_members_if_all_routines_agree_on_them() {
        let variables = [variable(0x100, 0x180, "blk_"), variable(0x180, 0x188, "n")];
        let main = layout(&[(0x100, "/blk/a"), (0x140, "/blk/b"), (0x178, "/blk/k")]);
        // Other names do no harm.
        let other = layout(&[(0x100, "/blk/x"), (0x140, "/blk/y"), (0x178, "/blk/m")]);
        let expected = [
            variable(0x100, 0x140, "/blk/a"),
            variable(0x140, 0x178, "/blk/b"),
            variable(0x178, 0x180, "/blk/k"),
            variable(0x180, 0x188, "n"),
        ];
        assert_eq!(divide(&variables, &[main.clone(), other]), expected);
        let longer = layout(&[(0x100, "/blk/x"), (0x150, "/blk/y")]);
        assert_eq!(divide(&variables, &[main, longer]), variables);
        assert_eq!(divide(&variables, &[]), variables);
    }
}
