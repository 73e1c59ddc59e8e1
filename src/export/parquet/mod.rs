//! Parquet: rows under named columns, with what the columns mean as metadata of the file.

mod sweep;
mod tables;

use std::io::Write;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{Type, TypePtr};

use crate::formula::ColumnType;
use crate::sweep::manifest::PROGRAM;

pub use sweep::RowWriter;
pub(super) use tables::file;

/// A column of a file.
struct Field {
    name: String,
    holds: ColumnType,
}

/// What a row has in a column; of another type than the column's it is nothing.
enum Cell<'r> {
    Nothing,
    Text(&'r str),
    Integer(i64),
    Number(f64),
}

/// A file while it is written, one group of rows after the other.
struct TableWriter<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    fields: Vec<Field>,
}

impl<W: Write + Send> TableWriter<W> {
    /// A file with this schema; `about` are keys and values of its metadata.
    fn new(
        out: W,
        schema: &str,
        fields: Vec<Field>,
        about: Vec<(String, String)>,
    ) -> Result<TableWriter<W>, ParquetError> {
        let about = about.into_iter();
        let about = about.map(|(key, value)| KeyValue::new(key, value));
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by(format!("loopsheet {PROGRAM}"))
            .set_key_value_metadata(Some(about.collect()))
            .build();
        let schema = schema_of(schema, &fields)?;
        Ok(TableWriter {
            writer: SerializedFileWriter::new(out, schema, Arc::new(properties))?,
            fields,
        })
    }

    /// Writes rows; `cell` says what one has in the column at a position.
    fn write_group<R>(
        &mut self,
        rows: &[R],
        cell: impl for<'r> Fn(&'r R, usize) -> Cell<'r>,
    ) -> Result<(), ParquetError> {
        let mut group = self.writer.next_row_group()?;
        for (at, field) in self.fields.iter().enumerate() {
            match field.holds {
                ColumnType::Text => {
                    let text = |row| match cell(row, at) {
                        Cell::Text(text) => Some(ByteArray::from(text)),
                        _ => None,
                    };
                    write_column::<_, _, ByteArrayType>(&mut group, rows, text)?;
                }
                ColumnType::Integer => {
                    let integer = |row| match cell(row, at) {
                        Cell::Integer(integer) => Some(integer),
                        _ => None,
                    };
                    write_column::<_, _, Int64Type>(&mut group, rows, integer)?;
                }
                ColumnType::Number => {
                    let number = |row| match cell(row, at) {
                        Cell::Number(number) => Some(number),
                        _ => None,
                    };
                    write_column::<_, _, DoubleType>(&mut group, rows, number)?;
                }
            }
        }
        group.close()?;
        Ok(())
    }

    /// Writes what readers look for at the end.
    fn finish(self) -> Result<W, ParquetError> {
        self.writer.into_inner()
    }
}

fn schema_of(name: &str, fields: &[Field]) -> Result<TypePtr, ParquetError> {
    let field = |Field { name, holds }: &Field| {
        let (physical, logical) = match holds {
            ColumnType::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            ColumnType::Integer => (Physical::INT64, None),
            ColumnType::Number => (Physical::DOUBLE, None),
        };
        let field = Type::primitive_type_builder(name, physical)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical)
            .build()?;
        Ok(Arc::new(field))
    };
    let fields = fields.iter().map(field);
    let fields = fields.collect::<Result<Vec<TypePtr>, ParquetError>>()?;
    let schema = Type::group_type_builder(name).with_fields(fields);
    Ok(Arc::new(schema.build()?))
}

fn write_column<'r, W: Write + Send, R, T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    rows: &'r [R],
    value: impl Fn(&'r R) -> Option<T::T>,
) -> Result<(), ParquetError> {
    let cells: Vec<Option<T::T>> = rows.iter().map(value).collect();
    let levels: Vec<i16> = cells.iter().map(|cell| i16::from(cell.is_some())).collect();
    let values: Vec<T::T> = cells.into_iter().flatten().collect();
    let Some(mut column) = group.next_column()? else {
        return Err(ParquetError::General("a column is missing".into()));
    };
    column
        .typed::<T>()
        .write_batch(&values, Some(&levels), None)?;
    column.close()
}

/// What a column holds, with its unit.
fn about(meaning: &str, unit: &str) -> String {
    match unit {
        "" => meaning.to_string(),
        unit => format!("{meaning} [{unit}]"),
    }
}
