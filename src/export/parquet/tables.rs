//! Tables of a report, one per file.

use parquet::errors::ParquetError;

use super::{Cell, Field, TableWriter, about};
use crate::formula::ColumnType;
use crate::listings::{PlainCell, PlainTable};

/// A table as the bytes of a file; `keys` are further metadata.
pub(crate) fn file(
    table: &PlainTable,
    keys: Vec<(String, String)>,
) -> Result<Vec<u8>, ParquetError> {
    let fields = table.columns.iter().map(|column| Field {
        name: column.with_unit(),
        holds: column.holds,
    });
    let meanings = table.columns.iter();
    let meanings = meanings.map(|column| (column.with_unit(), about(&column.meaning, column.unit)));
    let about = keys.into_iter().chain(meanings).collect();
    let mut writer = TableWriter::new(
        Vec::new(),
        &format!("loopsheet_{}", table.name),
        fields.collect(),
        about,
    )?;
    if !table.rows.is_empty() {
        let columns = &table.columns;
        writer.write_group(&table.rows, |row, at| stored(&row[at], columns[at].holds))?;
    }
    writer.finish()
}

/// What is not known is nothing, as in the other formats.
fn stored(cell: &PlainCell, holds: ColumnType) -> Cell<'_> {
    match (cell, holds) {
        (PlainCell::Text(text), ColumnType::Text) => Cell::Text(text),
        (PlainCell::Number(value), ColumnType::Integer) if value.fract() == 0.0 => {
            Cell::Integer(*value as i64)
        }
        (PlainCell::Number(value), ColumnType::Number) if value.is_finite() => Cell::Number(*value),
        _ => Cell::Nothing,
    }
}
