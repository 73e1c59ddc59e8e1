//! Rows of a sweep as Parquet: a column for each of the catalogue and each setting, units and meanings as metadata.

use std::io::Write;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{Type, TypePtr};

use crate::sweep::columns::{Column, ColumnType, setting_name};
use crate::sweep::manifest::PROGRAM;
use crate::sweep::row::Row;

/// Rows of a group: so many are in memory at once.
const GROUP: usize = 1 << 16;

/// Where a column of the file is from.
#[derive(Clone, Copy)]
enum From {
    Catalogue(Column),
    /// By position.
    Setting(usize),
}

impl From {
    fn holds(self) -> ColumnType {
        match self {
            From::Catalogue(column) => column.entry().holds,
            From::Setting(_) => ColumnType::Number,
        }
    }
}

/// Writes rows as they come.
pub struct RowWriter<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    columns: Vec<From>,
    waiting: Vec<Row>,
}

impl<W: Write + Send> RowWriter<W> {
    /// # Errors
    /// Writing failed.
    pub fn new(out: W, settings: &[String]) -> Result<RowWriter<W>, ParquetError> {
        let columns = columns(settings.len());
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by(format!("loopsheet {PROGRAM}"))
            .set_key_value_metadata(Some(metadata()))
            .build();
        let schema = schema(&columns, settings)?;
        Ok(RowWriter {
            writer: SerializedFileWriter::new(out, schema, Arc::new(properties))?,
            columns,
            waiting: Vec::new(),
        })
    }

    /// # Errors
    /// Writing failed.
    pub fn push(&mut self, row: Row) -> Result<(), ParquetError> {
        self.waiting.push(row);
        match self.waiting.len() < GROUP {
            true => Ok(()),
            false => self.write_group(),
        }
    }

    /// Writes the rest and what readers look for at the end.
    ///
    /// # Errors
    /// Writing failed.
    pub fn finish(mut self) -> Result<W, ParquetError> {
        if !self.waiting.is_empty() {
            self.write_group()?;
        }
        self.writer.into_inner()
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        let rows = std::mem::take(&mut self.waiting);
        let mut group = self.writer.next_row_group()?;
        for column in &self.columns {
            match column.holds() {
                ColumnType::Text => {
                    let text = |row: &Row| match column {
                        From::Catalogue(column) => row.text(*column).map(ByteArray::from),
                        From::Setting(_) => None,
                    };
                    write_column::<_, ByteArrayType>(&mut group, &rows, text)?;
                }
                ColumnType::Integer => {
                    let integer = |row: &Row| match column {
                        From::Catalogue(column) => row.integer(*column),
                        From::Setting(_) => None,
                    };
                    write_column::<_, Int64Type>(&mut group, &rows, integer)?;
                }
                ColumnType::Number => {
                    let number = |row: &Row| match column {
                        From::Catalogue(column) => row.number(*column),
                        From::Setting(position) => row.setting(*position),
                    };
                    write_column::<_, DoubleType>(&mut group, &rows, number)?;
                }
            }
        }
        group.close()?;
        Ok(())
    }
}

/// The columns in their order: those of settings behind the machine.
fn columns(settings: usize) -> Vec<From> {
    let mut columns = Vec::new();
    for column in Column::ALL {
        columns.push(From::Catalogue(*column));
        if *column == Column::BEFORE_SETTINGS {
            columns.extend((0..settings).map(From::Setting));
        }
    }
    columns
}

fn schema(columns: &[From], settings: &[String]) -> Result<TypePtr, ParquetError> {
    let field = |column: &From| {
        let name = match column {
            From::Catalogue(column) => column.entry().name.to_string(),
            From::Setting(position) => setting_name(&settings[*position]),
        };
        let (physical, logical) = match column.holds() {
            ColumnType::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            ColumnType::Integer => (Physical::INT64, None),
            ColumnType::Number => (Physical::DOUBLE, None),
        };
        let field = Type::primitive_type_builder(&name, physical)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical)
            .build()?;
        Ok(Arc::new(field))
    };
    let fields = columns.iter().map(field);
    let fields = fields.collect::<Result<Vec<TypePtr>, ParquetError>>()?;
    let schema = Type::group_type_builder("loopsheet_sweep").with_fields(fields);
    Ok(Arc::new(schema.build()?))
}

/// Unit and meaning of every column, under its name.
fn metadata() -> Vec<KeyValue> {
    let about = |column: &Column| {
        let entry = column.entry();
        let text = match entry.unit {
            "" => entry.meaning.to_string(),
            unit => format!("{} [{unit}]", entry.meaning),
        };
        KeyValue::new(entry.name.to_string(), text)
    };
    Column::ALL.iter().map(about).collect()
}

fn write_column<W: Write + Send, T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    rows: &[Row],
    value: impl Fn(&Row) -> Option<T::T>,
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
