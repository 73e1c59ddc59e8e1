//! Variables in the COMMON blocks of Fortran, which the symbol table has as one variable a block.

use std::collections::{BTreeMap, BTreeSet};

use gimli::{AttributeValue, Operation, Reader};

use crate::binary::Variable;

/// The members of one block as one routine declares them, by address.
pub type Layout = BTreeMap<u64, Member>;

/// A member of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// `/block/name`.
    pub name: String,
    /// Where its type gives it.
    pub bytes: Option<u64>,
}

/// Types of types are followed so far.
const DEEPEST: usize = 16;

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
    let Some(root) = entries.next_dfs()? else {
        return Ok(false);
    };
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

fn of_unit<R: Reader>(
    dwarf: &gimli::Dwarf<R>,
    unit: &gimli::Unit<R>,
    found: &mut Vec<Layout>,
) -> gimli::Result<()> {
    let mut entries = unit.entries();
    // Depth and name of the block that is gone through.
    let mut block: Option<(isize, String)> = None;
    while let Some(entry) = entries.next_dfs()? {
        let depth = entry.depth();
        let name = || -> gimli::Result<String> {
            let Some(value) = entry.attr_value(gimli::DW_AT_name) else {
                return Ok(String::new());
            };
            Ok(dwarf
                .attr_string(unit, value)?
                .to_string_lossy()?
                .into_owned())
        };
        block = block.filter(|(around, _)| depth > *around);
        match entry.tag() {
            gimli::DW_TAG_common_block => {
                found.push(Layout::new());
                block = Some((depth, name()?));
            }
            gimli::DW_TAG_variable => {
                if let Some((_, block)) = &block
                    && let Some(AttributeValue::Exprloc(place)) =
                        entry.attr_value(gimli::DW_AT_location)
                    && let Some(address) = address(place, unit.encoding())?
                    && let Some(layout) = found.last_mut()
                {
                    let bytes = match entry.attr_value(gimli::DW_AT_type) {
                        Some(AttributeValue::UnitRef(ty)) => size(unit, ty, DEEPEST)?,
                        _ => None,
                    };
                    layout.insert(
                        address,
                        Member {
                            name: format!("/{block}/{}", name()?),
                            bytes,
                        },
                    );
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Bytes of a type, of arrays those of an element times the elements of every dimension.
fn size<R: Reader>(
    unit: &gimli::Unit<R>,
    ty: gimli::UnitOffset<R::Offset>,
    left: usize,
) -> gimli::Result<Option<u64>> {
    let mut tree = unit.entries_tree(Some(ty))?;
    let root = tree.root()?;
    let entry = root.entry();
    if let Some(bytes) = entry
        .attr_value(gimli::DW_AT_byte_size)
        .and_then(|value| value.udata_value())
    {
        return Ok(Some(bytes));
    }
    let inner = match entry.attr_value(gimli::DW_AT_type) {
        Some(AttributeValue::UnitRef(inner)) if left > 0 => size(unit, inner, left - 1)?,
        _ => None,
    };
    if entry.tag() != gimli::DW_TAG_array_type {
        return Ok(inner.filter(|_| {
            matches!(
                entry.tag(),
                gimli::DW_TAG_typedef | gimli::DW_TAG_const_type
            )
        }));
    }
    let (mut bytes, mut dimensions) = (inner, root.children());
    while let Some(dimension) = dimensions.next()? {
        let bound = |name| {
            dimension
                .entry()
                .attr_value(name)
                .and_then(|value| value.sdata_value())
        };
        let count = bound(gimli::DW_AT_upper_bound)
            .and_then(|upper| upper.checked_sub(bound(gimli::DW_AT_lower_bound).unwrap_or(1)));
        let count = count.and_then(|last| u64::try_from(last.checked_add(1)?).ok());
        bytes = bytes
            .zip(count)
            .and_then(|(bytes, count)| bytes.checked_mul(count));
    }
    Ok(bytes)
}

/// Where a variable lies that is always in one place.
fn address<R: Reader>(
    place: gimli::Expression<R>,
    encoding: gimli::Encoding,
) -> gimli::Result<Option<u64>> {
    let mut operations = place.operations(encoding);
    let Some(Operation::Address { address }) = operations.next()? else {
        return Ok(None);
    };
    match (operations.next()?, operations.next()?) {
        (None, _) => Ok(Some(address)),
        (Some(Operation::PlusConstant { value }), None) => Ok(Some(address.wrapping_add(value))),
        _ => Ok(None),
    }
}

/// The variables, with those that are blocks divided into their members: at each address where a member begins or ends in
/// some routine, and in no other lies inside of one.
pub fn divide(variables: &[Variable], layouts: &[Layout]) -> Vec<Variable> {
    let mut divided = Vec::new();
    for variable in variables {
        let Variable { low, high, .. } = *variable;
        let is_own = |layout: &&Layout| {
            layout
                .keys()
                .next()
                .is_some_and(|at| (low..high).contains(at))
        };
        let own: Vec<&Layout> = layouts.iter().filter(is_own).collect();
        let extents: Vec<(u64, u64, &str)> = own
            .iter()
            .flat_map(|layout| extents(layout, high))
            .collect();
        let is_cut = |at: &u64| {
            !extents
                .iter()
                .any(|(first, past, _)| first < at && at < past)
        };
        let ends = extents.iter().flat_map(|(first, past, _)| [*first, *past]);
        let mut cuts: BTreeSet<u64> = ends
            .filter(|at| (low..=high).contains(at))
            .filter(is_cut)
            .collect();
        // What lies behind the last member belongs to no member.
        cuts.extend((!cuts.is_empty()).then_some(high));
        // A part is named as the first routine has it in which it is one member, else as the block.
        let name = |low: u64, high: u64| {
            let whole = extents
                .iter()
                .find(|(first, past, _)| (*first, *past) == (low, high));
            whole
                .map_or(variable.name.as_str(), |(.., name)| name)
                .to_string()
        };
        let cuts: Vec<u64> = cuts.into_iter().collect();
        if cuts.len() < 2 || cuts.first() != Some(&low) || cuts.last() != Some(&high) {
            divided.push(variable.clone());
            continue;
        }
        let parts = cuts.windows(2);
        divided.extend(parts.map(|pair| Variable {
            low: pair[0],
            high: pair[1],
            name: name(pair[0], pair[1]),
        }));
    }
    divided
}

/// From where to where each member lies; of unknown length, up to the next one or to the end of the block.
fn extents(layout: &Layout, high: u64) -> impl Iterator<Item = (u64, u64, &str)> {
    let ends = layout.keys().skip(1).copied().chain([high]);
    layout.iter().zip(ends).map(move |((at, member), next)| {
        let past = member
            .bytes
            .and_then(|bytes| at.checked_add(bytes))
            .map_or(next, |past| past.min(next));
        (*at, past.min(high), member.name.as_str())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(low: u64, high: u64, name: &str) -> Variable {
        Variable {
            low,
            high,
            name: name.to_string(),
        }
    }

    fn layout(members: &[(u64, &str)]) -> Layout {
        let member = |name: &str| Member {
            name: name.to_string(),
            bytes: None,
        };
        members
            .iter()
            .map(|(at, name)| (*at, member(name)))
            .collect()
    }

    fn sized(members: &[(u64, u64, &str)]) -> Layout {
        let member = |bytes: u64, name: &str| Member {
            name: name.to_string(),
            bytes: Some(bytes),
        };
        members
            .iter()
            .map(|(at, bytes, name)| (*at, member(*bytes, name)))
            .collect()
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
        assert_eq!(divide(&variables, &[]), variables);
    }

    #[test]
    fn where_routines_do_not_agree_a_block_is_divided_where_no_member_is() {
        let variables = [variable(0x100, 0x180, "blk_")];
        let main = sized(&[
            (0x100, 0x40, "/blk/a"),
            (0x140, 0x38, "/blk/b"),
            (0x178, 8, "/blk/k"),
        ]);
        // Shorter: it does not have the last member.
        let shorter = sized(&[(0x100, 0x40, "/blk/x"), (0x140, 0x38, "/blk/y")]);
        let members = [
            variable(0x100, 0x140, "/blk/a"),
            variable(0x140, 0x178, "/blk/b"),
            variable(0x178, 0x180, "/blk/k"),
        ];
        assert_eq!(divide(&variables, &[main.clone(), shorter]), members);
        // One member where the other routine has two.
        let wide = sized(&[(0x100, 0x78, "/blk/x"), (0x178, 8, "/blk/m")]);
        let expected = [
            variable(0x100, 0x178, "/blk/x"),
            variable(0x178, 0x180, "/blk/k"),
        ];
        assert_eq!(divide(&variables, &[main.clone(), wide]), expected);
        // One that lies across the borders of others; of unknown length it may go on to the end.
        let across = sized(&[(0x100, 0x50, "/blk/x"), (0x150, 0x30, "/blk/y")]);
        assert_eq!(divide(&variables, &[main.clone(), across]), variables);
        let unknown = layout(&[(0x100, "/blk/x"), (0x150, "/blk/y")]);
        assert_eq!(divide(&variables, &[main, unknown]), variables);
    }
}
