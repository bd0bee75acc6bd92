//! The label of a row: the values of the fields that identify its record in addition to the time, such as a contract.

use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::Field;

use crate::text_writer::Cell;

/// The labels of the rows of a batch.
pub(crate) struct RowLabels<'r> {
    /// The columns of the key that the batch has.
    columns: Vec<(&'r Field, &'r ArrayRef)>,
}

impl<'r> RowLabels<'r> {
    /// Finds the columns of a key.
    pub(crate) fn new(rows: &'r RecordBatch, key: &[String]) -> Self {
        let mut columns = Vec::with_capacity(key.len());
        for name in key {
            if let Some((index, field)) = rows.schema_ref().column_with_name(name) {
                columns.push((field, rows.column(index)));
            }
        }
        Self { columns }
    }

    /// The values in a row, without nulls.
    pub(crate) fn of(&self, row: usize) -> String {
        let mut label = String::new();
        for (field, column) in &self.columns {
            if column.is_null(row) {
                continue;
            }
            if !label.is_empty() {
                label.push_str(", ");
            }
            label.push_str(&Cell::new(field, column, row).text());
        }
        label
    }
}
