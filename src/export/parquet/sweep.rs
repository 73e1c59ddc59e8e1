//! Rows of a sweep: a column for each of the catalogue and each setting.

use std::io::Write;

use parquet::errors::ParquetError;

use super::{Cell, Field, TableWriter, about};
use crate::formula::ColumnType;
use crate::sweep::columns::{Column, setting_name};
use crate::sweep::row::Row;
use crate::sweep::swept::SweptSetting;

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
    fn field(self, settings: &[SweptSetting]) -> Field {
        match self {
            From::Catalogue(column) => Field {
                name: column.entry().name.to_string(),
                holds: column.entry().holds,
            },
            From::Setting(position) => Field {
                name: setting_name(&settings[position].name),
                holds: ColumnType::Number,
            },
        }
    }

    fn cell(self, row: &Row) -> Cell<'_> {
        let column = match self {
            From::Setting(position) => {
                return row.setting(position).map_or(Cell::Nothing, Cell::Number);
            }
            From::Catalogue(column) => column,
        };
        match column.entry().holds {
            ColumnType::Text => row.text(column).map_or(Cell::Nothing, Cell::Text),
            ColumnType::Integer => row.integer(column).map_or(Cell::Nothing, Cell::Integer),
            ColumnType::Number => row.number(column).map_or(Cell::Nothing, Cell::Number),
        }
    }
}

/// Writes rows as they come.
pub struct RowWriter<W: Write + Send> {
    writer: TableWriter<W>,
    columns: Vec<From>,
    waiting: Vec<Row>,
}

impl<W: Write + Send> RowWriter<W> {
    /// # Errors
    /// Writing failed.
    pub fn new(out: W, settings: &[SweptSetting]) -> Result<RowWriter<W>, ParquetError> {
        let columns = columns(settings.len());
        let fields = columns.iter().map(|column| column.field(settings));
        let meaning = |column: &Column| {
            let entry = column.entry();
            (entry.name.to_string(), about(entry.meaning, entry.unit))
        };
        let of_setting = |setting: &SweptSetting| (setting_name(&setting.name), setting.meaning());
        let meanings = Column::ALL.iter().map(meaning);
        let meanings = meanings.chain(settings.iter().map(of_setting)).collect();
        Ok(RowWriter {
            writer: TableWriter::new(out, "loopsheet_sweep", fields.collect(), meanings)?,
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
        self.writer.finish()
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        let rows = std::mem::take(&mut self.waiting);
        let columns = &self.columns;
        self.writer
            .write_group(&rows, |row, at| columns[at].cell(row))
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
