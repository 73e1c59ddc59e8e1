//! Where statements of the source begin, from the line table: GCC marks the beginning of each statement in every copy that
//! it makes of it (unrolled, peeled, behind a jump that it threaded), also where none of its instructions are left there.
//! How often these places are passed is how often the statement was executed, unless a mark was lost.

use std::sync::Arc;

use gimli::{EndianArcSlice, LineRow, LittleEndian};
use rustc_hash::FxHashMap;

use super::debug::SourceLine;

type Bytes = EndianArcSlice<LittleEndian>;
type Unit<'u> = gimli::UnitRef<'u, Bytes>;

/// A statement of the source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Statement {
    pub line: SourceLine,
    /// 0 where the compiler does not record it.
    pub column: u32,
}

/// Rows of a line table that begin no statement, by those that do, where the compiler marks these: without
/// optimisation nearly every row is one.
const LEAST_OTHERS: f64 = 0.25;

/// By address, those that begin there.
pub type Statements = FxHashMap<u64, Vec<Arc<Statement>>>;

/// Of all units that GCC compiled, and where it distinguished the beginnings of statements from other places of a line.
pub(super) fn find(dwarf: &gimli::Dwarf<Bytes>) -> Statements {
    let mut found = Statements::default();
    let mut headers = dwarf.units();
    while let Ok(Some(header)) = headers.next() {
        if let Ok(unit) = dwarf.unit(header) {
            // What is damaged has no marks.
            let _ = add_unit(unit.unit_ref(dwarf), &mut found);
        }
    }
    found
}

fn add_unit(unit: Unit, found: &mut Statements) -> gimli::Result<()> {
    let Some(program) = unit.line_program.clone().filter(|_| is_of_gcc(unit)) else {
        return Ok(());
    };
    let (mut own, mut others) = (Vec::new(), 0);
    let mut files: FxHashMap<u64, Option<String>> = FxHashMap::default();
    let mut rows = program.rows();
    while let Some((header, row)) = rows.next_row()? {
        if row.end_sequence() || row.address() == 0 {
            continue;
        }
        if !row.is_stmt() {
            others += 1;
            continue;
        }
        let Some((line, column)) = place(row) else {
            continue;
        };
        let file = files
            .entry(row.file_index())
            .or_insert_with(|| path(unit, row.file(header)?, header).ok());
        if let Some(file) = file.clone() {
            let line = SourceLine { file, line };
            own.push((row.address(), Arc::new(Statement { line, column })));
        }
    }
    let is_told_apart = others as f64 >= LEAST_OTHERS * own.len() as f64;
    for (address, statement) in own.into_iter().filter(|_| is_told_apart) {
        let there = found.entry(address).or_default();
        if !there.contains(&statement) {
            there.push(statement);
        }
    }
    Ok(())
}

/// Whether GCC compiled a unit, as that itself says. Others mark where a line begins in a block of the machine code, which may
/// have the end of one statement and none of its beginning.
fn is_of_gcc(unit: Unit) -> bool {
    let mut entries = unit.entries();
    let Ok(Some(root)) = entries.next_dfs() else {
        return false;
    };
    let producer = root.attr_value(gimli::DW_AT_producer);
    let text = producer.and_then(|value| unit.attr_string(value).ok());
    text.is_some_and(|text| {
        let text = String::from_utf8_lossy(&text).into_owned();
        text.split_whitespace().any(|word| word == "GNU")
    })
}

fn place(row: &LineRow) -> Option<(u32, u32)> {
    let line = u32::try_from(row.line()?.get()).ok()?;
    let column = match row.column() {
        gimli::ColumnType::LeftEdge => 0,
        gimli::ColumnType::Column(column) => u32::try_from(column.get()).ok()?,
    };
    Some((line, column))
}

/// The name of a file as [`super::Debug`] has it.
fn path(
    unit: Unit,
    file: &gimli::FileEntry<Bytes>,
    header: &gimli::LineProgramHeader<Bytes>,
) -> gimli::Result<String> {
    let text = |bytes: &Bytes| String::from_utf8_lossy(bytes).into_owned();
    let mut path = unit.comp_dir.as_ref().map_or_else(String::new, text);
    let directory = file
        .directory(header)
        .filter(|_| file.directory_index() != 0);
    if let Some(directory) = directory {
        append(&mut path, &text(&unit.attr_string(directory)?));
    }
    append(&mut path, &text(&unit.attr_string(file.path_name())?));
    Ok(path)
}

fn append(path: &mut String, part: &str) {
    if part.starts_with('/') {
        path.clear();
    } else if !path.is_empty() && !path.ends_with('/') {
        path.push('/');
    }
    path.push_str(part);
}
