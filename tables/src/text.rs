//! CSV and JSON Lines of Arrow tables.
//!
//! Batches are written as lines. Timestamps are in ISO 8601; in CSV a list or a record is JSON in its cell. A null is
//! an empty cell, or `null`.

use std::io::Write;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use runtime::Value;

use crate::table_schema::is_json;
use crate::times::Times;

/// Writes tables as lines of text.
#[derive(Debug)]
pub enum TextWriter<W: Write> {
    /// CSV with a header line.
    Csv(Box<Csv<W>>),
    /// JSON objects.
    Json(W),
}

/// Writes CSV.
#[derive(Debug)]
pub struct Csv<W: Write> {
    out: csv::Writer<W>,
    has_names: bool,
}

impl<W: Write> TextWriter<W> {
    /// Returns the inner writer after everything was written to it.
    pub fn into_inner(self) -> std::io::Result<W> {
        match self {
            Self::Csv(csv) => csv.out.into_inner().map_err(csv::IntoInnerError::into_error),
            Self::Json(mut out) => out.flush().map(|()| out),
        }
    }

    /// CSV.
    pub fn csv(out: W) -> Self {
        Self::Csv(Box::new(Csv { out: csv::Writer::from_writer(out), has_names: false }))
    }

    /// JSON Lines.
    pub fn json(out: W) -> Self {
        Self::Json(out)
    }

    /// Writes the header line, if the format has one and it was not written yet.
    pub fn begin(&mut self, schema: &Schema) -> std::io::Result<()> {
        if let Self::Csv(csv) = self
            && !std::mem::replace(&mut csv.has_names, true)
        {
            csv.out.write_record(schema.fields().iter().map(|field| field.name()))?;
        }
        Ok(())
    }

    /// Writes the rows of a batch.
    pub fn write(&mut self, batch: &RecordBatch) -> std::io::Result<()> {
        self.begin(batch.schema_ref())?;
        let schema = batch.schema();
        let columns: Vec<_> = schema.fields().iter().zip(batch.columns()).collect();
        let mut text = String::new();
        for row in 0..batch.num_rows() {
            match self {
                Self::Csv(csv) => {
                    for (field, column) in &columns {
                        text.clear();
                        cell(field, column, row, &mut text);
                        csv.out.write_field(&text)?;
                    }
                    csv.out.write_record(None::<&[u8]>)?;
                }
                Self::Json(out) => {
                    text.clear();
                    line(&columns, row, &mut text);
                    out.write_all(text.as_bytes())?;
                }
            }
        }
        Ok(())
    }

    /// Flushes what is still buffered.
    pub fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Self::Csv(csv) => csv.out.flush(),
            Self::Json(out) => out.flush(),
        }
    }
}

fn line(columns: &[(&std::sync::Arc<Field>, &ArrayRef)], row: usize, out: &mut String) {
    for (index, (field, column)) in columns.iter().enumerate() {
        out.push(if index == 0 { '{' } else { ',' });
        out.push_str(&Value::from(field.name().as_str()).to_string());
        out.push(':');
        json(field, column, row, out);
    }
    out.push_str("}\n");
}

/// A value as a CSV cell.
fn cell(field: &Field, column: &ArrayRef, row: usize, out: &mut String) {
    match column.data_type() {
        _ if column.is_null(row) => {}
        DataType::Utf8 if !is_json(field) => out.push_str(column.as_string::<i32>().value(row)),
        DataType::Timestamp(..) => out.push_str(&time(column, row)),
        _ => json(field, column, row, out),
    }
}

/// A value as JSON.
fn json(field: &Field, column: &ArrayRef, row: usize, out: &mut String) {
    if column.is_null(row) {
        return out.push_str("null");
    }
    match column.data_type() {
        // Numbers and order as the service wrote them, but in one line: a line break within a JSON string is an escape.
        DataType::Utf8 if is_json(field) => out.extend(column.as_string::<i32>().value(row).split(['\n', '\r'])),
        DataType::Utf8 => out.push_str(&Value::from(column.as_string::<i32>().value(row)).to_string()),
        DataType::Int64 => out.push_str(&column.as_primitive::<Int64Type>().value(row).to_string()),
        DataType::Float64 => out.push_str(&Value::from(column.as_primitive::<Float64Type>().value(row)).to_string()),
        DataType::Boolean => out.push_str(&column.as_boolean().value(row).to_string()),
        DataType::Timestamp(..) => out.push_str(&Value::from(time(column, row)).to_string()),
        DataType::Struct(fields) => {
            let all = fields.iter().zip(column.as_struct().columns());
            for (index, (field, column)) in all.enumerate() {
                out.push(if index == 0 { '{' } else { ',' });
                out.push_str(&Value::from(field.name().as_str()).to_string());
                out.push(':');
                json(field, column, row, out);
            }
            out.push('}');
        }
        DataType::List(item) => {
            let items = column.as_list::<i32>().value(row);
            out.push('[');
            for index in 0..items.len() {
                out.push_str(if index == 0 { "" } else { "," });
                json(item, &items, index, out);
            }
            out.push(']');
        }
        DataType::Map(..) => {
            let entries = column.as_map().value(row);
            let (keys, values) = (entries.column(0).as_string::<i32>(), entries.column(1));
            out.push('{');
            for index in 0..entries.len() {
                out.push_str(if index == 0 { "" } else { "," });
                out.push_str(&Value::from(keys.value(index)).to_string());
                out.push(':');
                json(&Field::new("value", values.data_type().clone(), true), values, index, out);
            }
            out.push('}');
        }
        _ => out.push_str("null"),
    }
}

fn time(column: &ArrayRef, row: usize) -> String {
    Times::of(column).map(|times| times.get(row).to_string()).unwrap_or_default()
}
