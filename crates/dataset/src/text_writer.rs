//! Writes Arrow tables as CSV or JSON Lines.
//!
//! Each row is a line. Timestamps are in ISO 8601, and lists and records are JSON. A null is an empty cell in CSV, and
//! `null` in JSON.

use std::borrow::Cow;
use std::io::{self, Write};

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use runtime::Value;

use crate::table_schema::is_json;
use crate::timestamps::timestamp;

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
    pub fn begin(&mut self, schema: &Schema) -> io::Result<()> {
        if let Lines::Csv { out, has_names } = &mut self.0
            && !std::mem::replace(has_names, true)
        {
            out.write_record(schema.fields().iter().map(|field| field.name()))?;
        }
        Ok(())
    }

    /// Writes the rows of a batch.
    pub fn write(&mut self, batch: &RecordBatch) -> io::Result<()> {
        self.begin(batch.schema_ref())?;
        let schema = batch.schema();
        for row in 0..batch.num_rows() {
            match &mut self.0 {
                Lines::Csv { out, .. } => {
                    for (field, column) in schema.fields().iter().zip(batch.columns()) {
                        out.write_field(Cell::new(field, column, row).text().as_ref())?;
                    }
                    // This ends the line.
                    out.write_record(None::<&[u8]>)?;
                }
                Lines::Json(out) => {
                    out.write_all(b"{")?;
                    let mut separator = "";
                    for (field, column) in schema.fields().iter().zip(batch.columns()) {
                        let cell = Cell::new(field, column, row);
                        write!(out, "{separator}{}:{}", quoted(field.name()), cell.json())?;
                        separator = ",";
                    }
                    writeln!(out, "}}")?;
                }
            }
        }
        Ok(())
    }

    /// Returns the inner writer after everything has been written to it.
    pub fn into_inner(self) -> io::Result<W> {
        match self.0 {
            Lines::Csv { out, .. } => out.into_inner().map_err(csv::IntoInnerError::into_error),
            Lines::Json(mut out) => out.flush().map(|()| out),
        }
    }
}

/// A value of a table.
pub(crate) enum Cell<'a> {
    Null,
    Text(Cow<'a, str>),
    Json(Cow<'a, str>),
}

impl<'a> Cell<'a> {
    pub(crate) fn new(field: &Field, column: &'a ArrayRef, row: usize) -> Self {
        match column.data_type() {
            _ if column.is_null(row) => Self::Null,
            // Numbers and the order of keys stay as the service wrote them. Line breaks are removed, which changes no
            // value, because line breaks in JSON strings are escaped.
            DataType::Utf8 if is_json(field) => {
                Self::Json(column.as_string::<i32>().value(row).replace(['\n', '\r'], "").into())
            }
            DataType::Utf8 => Self::Text(column.as_string::<i32>().value(row).into()),
            DataType::Int64 => Self::Json(column.as_primitive::<Int64Type>().value(row).to_string().into()),
            DataType::Float64 => {
                Self::Json(Value::from(column.as_primitive::<Float64Type>().value(row)).to_string().into())
            }
            DataType::Boolean => Self::Json(column.as_boolean().value(row).to_string().into()),
            _ => match column.as_primitive_opt::<TimestampMicrosecondType>() {
                Some(times) => Self::Text(timestamp(times.value(row)).to_string().into()),
                None => Self::Null,
            },
        }
    }

    /// The text in CSV.
    pub(crate) fn text(self) -> Cow<'a, str> {
        match self {
            Self::Null => "".into(),
            Self::Text(text) | Self::Json(text) => text,
        }
    }

    fn json(self) -> Cow<'a, str> {
        match self {
            Self::Null => "null".into(),
            Self::Text(text) => quoted(&text).into(),
            Self::Json(json) => json,
        }
    }
}

/// A text as a JSON string.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
