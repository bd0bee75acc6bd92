//! The members of records that the catalogue does not list by name. A table has them in one column, as a JSON object for
//! each record.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use serde_json::value::RawValue;

use crate::column_names::OTHERS;
use crate::error::Error;
use crate::table_schema::{is_json, json_column};

/// The members of a record by name.
type Members<'r> = BTreeMap<String, &'r RawValue>;

/// The columns of a table whose members have a column each, in the order of their names.
///
/// The names are known after all rows were passed to [`add`](Self::add), because each record can have other members.
#[derive(Clone, Debug, Default)]
pub struct MemberColumns {
    /// By name, `true` if each value is a text.
    texts: BTreeMap<String, bool>,
    /// `true` if the column of the members stays, with those that have the name of another column.
    has_rest: bool,
}

/// `true` if a table has a column of these members.
pub(crate) fn has_other_members(schema: &Schema) -> bool {
    schema.field_with_name(OTHERS).is_ok_and(is_json)
}

/// The numbers among these members as columns, by the names of the members. A member with the name of a column is omitted.
pub(crate) fn numbers_of_members(rows: &RecordBatch) -> BTreeMap<String, ArrayRef> {
    let mut numbers: BTreeMap<String, Vec<Option<f64>>> = BTreeMap::new();
    for (row, object) in objects(rows).enumerate() {
        for (name, value) in members(object).unwrap_or_default() {
            if let Some(number) = number(value)
                && !is_column(rows.schema_ref(), &name)
            {
                numbers.entry(name).or_insert_with(|| vec![None; rows.num_rows()])[row] = Some(number);
            }
        }
    }
    let mut columns = BTreeMap::new();
    for (name, values) in numbers {
        columns.insert(name, Arc::new(Float64Array::from(values)) as ArrayRef);
    }
    columns
}

impl MemberColumns {
    /// Adds the members of these rows.
    pub fn add(&mut self, rows: &RecordBatch) {
        for object in objects(rows) {
            let Some(members) = members(object) else {
                self.has_rest = true;
                continue;
            };
            for (name, value) in members {
                if is_column(rows.schema_ref(), &name) {
                    self.has_rest = true;
                    continue;
                }
                let is_text = value.get() == NULL || text(value).is_some();
                *self.texts.entry(name).or_insert(true) &= is_text;
            }
        }
    }

    /// Returns the columns, with those of the members in place of the column of all members.
    pub fn schema(&self, schema: &SchemaRef) -> SchemaRef {
        if !has_other_members(schema) {
            return schema.clone();
        }
        let mut fields = Vec::new();
        for field in schema.fields() {
            if field.name() != OTHERS {
                fields.push(field.clone());
                continue;
            }
            for (name, is_text) in &self.texts {
                let column = if *is_text { Field::new(name, DataType::Utf8, true) } else { json_column(name) };
                fields.push(Arc::new(column));
            }
            if self.has_rest {
                fields.push(field.clone());
            }
        }
        Arc::new(Schema::new(fields))
    }

    /// Converts rows that were passed to [`add`](Self::add).
    pub fn convert(&self, rows: &RecordBatch) -> Result<RecordBatch, Error> {
        if !has_other_members(rows.schema_ref()) {
            return Ok(rows.clone());
        }
        let mut values: BTreeMap<&str, Vec<Option<String>>> = BTreeMap::new();
        for name in self.texts.keys() {
            values.insert(name, vec![None; rows.num_rows()]);
        }
        let mut rest = vec![None; rows.num_rows()];
        for (row, object) in objects(rows).enumerate() {
            let Some(members) = members(object) else {
                rest[row] = object.map(str::to_owned);
                continue;
            };
            let mut without_column = Members::new();
            for (name, value) in members {
                match values.get_mut(name.as_str()) {
                    Some(column) if value.get() != NULL => column[row] = Some(self.written(&name, value)),
                    Some(_) => {}
                    None => {
                        without_column.insert(name, value);
                    }
                }
            }
            if !without_column.is_empty() {
                rest[row] = Some(serde_json::to_string(&without_column).map_err(Error::invalid_input)?);
            }
        }
        let mut columns: Vec<ArrayRef> = Vec::new();
        for (field, column) in rows.schema_ref().fields().iter().zip(rows.columns()) {
            if field.name() != OTHERS {
                columns.push(column.clone());
                continue;
            }
            for values in std::mem::take(&mut values).into_values() {
                columns.push(Arc::new(StringArray::from(values)));
            }
            if self.has_rest {
                columns.push(Arc::new(StringArray::from(std::mem::take(&mut rest))));
            }
        }
        RecordBatch::try_new(self.schema(rows.schema_ref()), columns).map_err(Error::invalid_input)
    }

    /// The value in the column of a member.
    fn written(&self, name: &str, value: &RawValue) -> String {
        let is_text = self.texts.get(name).copied().unwrap_or_default();
        let text = if is_text { text(value) } else { None };
        text.unwrap_or_else(|| value.get().to_owned())
    }
}

const NULL: &str = "null";

/// A number, which the service may have sent in quotes.
fn number(value: &RawValue) -> Option<f64> {
    let number: Option<f64> = match text(value) {
        Some(digits) => digits.parse().ok(),
        None => value.get().parse().ok(),
    };
    number.filter(|number| number.is_finite())
}

/// The content of a JSON string.
fn text(value: &RawValue) -> Option<String> {
    serde_json::from_str(value.get()).ok()
}

/// `true` if a member has the name of another column, which is also that of all members.
fn is_column(schema: &Schema, name: &str) -> bool {
    schema.index_of(name).is_ok()
}

/// The JSON object of each row.
fn objects(rows: &RecordBatch) -> impl Iterator<Item = Option<&str>> {
    let texts: Option<&StringArray> = match rows.column_by_name(OTHERS) {
        Some(column) if has_other_members(rows.schema_ref()) => column.as_string_opt(),
        _ => None,
    };
    texts.into_iter().flatten()
}

/// The members of a JSON object; `None` if the text is not an object.
fn members(object: Option<&str>) -> Option<Members<'_>> {
    match object {
        Some(text) => serde_json::from_str(text).ok(),
        None => Some(Members::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text_writer::TextWriter;

    fn rows(members: &[Option<&str>]) -> RecordBatch {
        let assets = vec![Some("one"); members.len()];
        let schema = Schema::new(vec![Field::new("asset", DataType::Utf8, true), json_column(OTHERS)]);
        let columns: [ArrayRef; 2] =
            [Arc::new(StringArray::from(assets)), Arc::new(StringArray::from(members.to_vec()))];
        RecordBatch::try_new(Arc::new(schema), columns.into()).unwrap()
    }

    /// Converts batches to CSV.
    fn csv(batches: &[RecordBatch]) -> String {
        let mut members = MemberColumns::default();
        for batch in batches {
            members.add(batch);
        }
        let mut writer = TextWriter::csv(Vec::new());
        for batch in batches {
            let wide = members.convert(batch).unwrap();
            assert_eq!(wide.schema(), members.schema(&batch.schema()));
            writer.write(&wide).unwrap();
        }
        String::from_utf8(writer.into_inner().unwrap()).unwrap()
    }

    #[test]
    fn a_member_of_any_row_is_a_column_of_all() {
        let first = rows(&[Some(r#"{"b":1.50,"a":2}"#), None]);
        let later = rows(&[Some(r#"{"c":"x, y","a":null}"#)]);
        assert_eq!(csv(&[first, later]), "asset,a,b,c\none,2,1.50,\none,,,\none,,,\"x, y\"\n");
    }

    #[test]
    fn a_member_without_a_column_stays_with_the_others() {
        let taken = rows(&[Some(r#"{"asset":7,"a":1}"#), Some(r#"{"others":true}"#), Some("[1]")]);
        let expected = "asset,a,others\none,1,\"{\"\"asset\"\":7}\"\none,,\"{\"\"others\"\":true}\"\none,,[1]\n";
        assert_eq!(csv(&[taken]), expected);
    }

    #[test]
    fn members_of_different_types_are_json() {
        let mixed = rows(&[Some(r#"{"a":"x"}"#), Some(r#"{"a":1}"#)]);
        assert_eq!(csv(&[mixed]), "asset,a\none,\"\"\"x\"\"\"\none,1\n");
    }
}
