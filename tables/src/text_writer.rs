//! Writes Arrow tables as CSV or JSON Lines.
//!
//! Each row is a line. Timestamps are in ISO 8601, and lists and records are JSON. A null is an empty cell in CSV, and
//! `null` in JSON.

use std::io::Write;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use runtime::Value;

use crate::table_schema::is_json;
use crate::timestamps::Timestamps;

/// Writes tables as lines of text.
#[derive(Debug)]
pub struct TextWriter<W: Write>(Lines<W>);

#[derive(Debug)]
enum Lines<W: Write> {
    Csv { out: Box<csv::Writer<W>>, has_names: bool },
    Json(W),
}

impl<W: Write> TextWriter<W> {
    /// Creates a writer of CSV with a header line.
    pub fn csv(out: W) -> Self {
        Self(Lines::Csv { out: Box::new(csv::Writer::from_writer(out)), has_names: false })
    }

    /// Creates a writer of JSON Lines, which have one object per row.
    pub fn json(out: W) -> Self {
        Self(Lines::Json(out))
    }

    /// Writes the header line, if the format has one and it was not written yet.
    pub fn begin(&mut self, schema: &Schema) -> std::io::Result<()> {
        if let Lines::Csv { out, has_names } = &mut self.0
            && !std::mem::replace(has_names, true)
        {
            out.write_record(schema.fields().iter().map(|field| field.name()))?;
        }
        Ok(())
    }

    /// Writes the rows of a batch.
    pub fn write(&mut self, batch: &RecordBatch) -> std::io::Result<()> {
        self.begin(batch.schema_ref())?;
        let schema = batch.schema();
        let mut text = String::new();
        for row in 0..batch.num_rows() {
            match &mut self.0 {
                Lines::Csv { out, .. } => {
                    for (field, column) in schema.fields().iter().zip(batch.columns()) {
                        text.clear();
                        cell(field, column, row, &mut text);
                        out.write_field(&text)?;
                    }
                    out.write_record(None::<&[u8]>)?;
                }
                Lines::Json(out) => {
                    text.clear();
                    object(batch, row, &mut text);
                    text.push('\n');
                    out.write_all(text.as_bytes())?;
                }
            }
        }
        Ok(())
    }

    /// Returns the inner writer after everything has been written to it.
    pub fn into_inner(self) -> std::io::Result<W> {
        match self.0 {
            Lines::Csv { out, .. } => out.into_inner().map_err(csv::IntoInnerError::into_error),
            Lines::Json(mut out) => out.flush().map(|()| out),
        }
    }
}

/// Writes a row as a JSON object.
fn object(batch: &RecordBatch, row: usize, out: &mut String) {
    for (index, (field, column)) in batch.schema_ref().fields().iter().zip(batch.columns()).enumerate() {
        out.push(if index == 0 { '{' } else { ',' });
        out.push_str(&Value::from(field.name().as_str()).to_string());
        out.push(':');
        json(field, column, row, out);
    }
    out.push('}');
}

/// Writes a value as a CSV cell.
pub(crate) fn cell(field: &Field, column: &ArrayRef, row: usize, out: &mut String) {
    match column.data_type() {
        _ if column.is_null(row) => {}
        DataType::Utf8 if !is_json(field) => out.push_str(column.as_string::<i32>().value(row)),
        DataType::Timestamp(..) => out.push_str(&time(column, row)),
        _ => json(field, column, row, out),
    }
}

/// Writes a value as JSON.
fn json(field: &Field, column: &ArrayRef, row: usize, out: &mut String) {
    if column.is_null(row) {
        return out.push_str("null");
    }
    match column.data_type() {
        // Numbers and the order of keys stay as the service wrote them. Line breaks are removed, which changes no
        // value, because line breaks in JSON strings are escaped.
        DataType::Utf8 if is_json(field) => out.extend(column.as_string::<i32>().value(row).split(['\n', '\r'])),
        DataType::Utf8 => out.push_str(&Value::from(column.as_string::<i32>().value(row)).to_string()),
        DataType::Int64 => out.push_str(&column.as_primitive::<Int64Type>().value(row).to_string()),
        DataType::Float64 => out.push_str(&Value::from(column.as_primitive::<Float64Type>().value(row)).to_string()),
        DataType::Boolean => out.push_str(&column.as_boolean().value(row).to_string()),
        DataType::Timestamp(..) => out.push_str(&Value::from(time(column, row)).to_string()),
        _ => out.push_str("null"),
    }
}

fn time(column: &ArrayRef, row: usize) -> String {
    Timestamps::of(column).map(|times| times.get(row).to_string()).unwrap_or_default()
}
