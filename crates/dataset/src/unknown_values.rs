//! The fields of rows that have no column of their own, as JSON objects whose values are as the service wrote them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow_schema::{Field, Schema};
use runtime::Value;
use serde_json::value::RawValue;

use crate::column_names::{RECORD, UNKNOWN_FIELDS};
use crate::series_columns::{identifies, is_one_of};
use crate::table_schema::is_json;

/// A JSON object whose values are as the service wrote them.
pub(crate) type Object = BTreeMap<String, Box<RawValue>>;

/// `true` if a column has the fields of a record: those that are not in the catalogue, or all of them.
pub(crate) fn is_object(field: &Field) -> bool {
    field.name() == UNKNOWN_FIELDS || field.name() == RECORD && is_json(field)
}

/// The object in the first row of a column.
pub(crate) fn object(column: &ArrayRef) -> Object {
    match column.as_string_opt::<i32>() {
        Some(texts) if texts.is_valid(0) => serde_json::from_str(texts.value(0)).unwrap_or_default(),
        _ => Object::new(),
    }
}

/// `true` if a field that is not a column has another value in the second object.
pub(crate) fn has_other_value(old: &Object, new: &Object, is_column: impl Fn(&str) -> bool) -> bool {
    for (name, was) in old {
        let Some(is) = new.get(name) else { continue };
        if was.get() != "null" && is.get() != was.get() && !is_column(name) {
            return true;
        }
    }
    false
}

/// Adds the fields of an old object that the new object lacks, unless they have a column of their own. The text of the
/// new object is not changed otherwise.
pub(crate) fn merged_object(old: &ArrayRef, new: &ArrayRef, is_column: impl Fn(&str) -> bool) -> ArrayRef {
    let is = object(new);
    let mut missing = object(old);
    missing.retain(|name, value| {
        let is_absent = is.get(name).is_none_or(|value| value.get() == "null");
        is_absent && value.get() != "null" && !is_column(name)
    });
    if missing.is_empty() {
        return new.clone();
    }
    let mut all = is;
    all.extend(missing);
    if has_same_fields(&object(old), &all) {
        return old.clone();
    }
    let text = serde_json::to_string(&all).ok();
    Arc::new(StringArray::from(vec![text]))
}

fn has_same_fields(old: &Object, new: &Object) -> bool {
    if old.len() != new.len() {
        return false;
    }
    for ((name, value), (other_name, other)) in old.iter().zip(new) {
        if name != other_name || value.get() != other.get() {
            return false;
        }
    }
    true
}

/// The names of the unknown fields of a row that have a value and no column of their own.
pub(crate) fn unknown_names(rows: &RecordBatch, row: usize) -> BTreeSet<String> {
    kept_names(rows, row, |name| rows.schema_ref().index_of(name).is_err())
}

/// The columns that a value of a row does not fit.
pub(crate) fn misfit_names(rows: &RecordBatch, row: usize) -> BTreeSet<String> {
    kept_names(rows, row, |name| rows.schema_ref().index_of(name).is_ok())
}

/// The names of the values among the unknown fields of a row.
fn kept_names(rows: &RecordBatch, row: usize, is_kept: impl Fn(&str) -> bool) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    if row < rows.num_rows() {
        for (name, value) in unknown_fields(rows, row).as_object().into_iter().flatten() {
            if !value.is_null() && is_kept(name) {
                names.insert(name.clone());
            }
        }
    }
    names
}

/// The unknown fields of a row, as a JSON object or null.
pub(crate) fn unknown_fields(rows: &RecordBatch, row: usize) -> Value {
    let Some(column) = rows.column_by_name(UNKNOWN_FIELDS) else { return Value::default() };
    match column.as_string_opt::<i32>() {
        Some(texts) if texts.is_valid(row) => serde_json::from_str(texts.value(row)).unwrap_or_default(),
        _ => Value::default(),
    }
}

/// Whether a value of each row did not fit its column. Such a value is among the unknown fields, under the
/// name of the column. `schema` has all columns of the file; the rows may have only some of these columns.
pub(crate) fn invalid<'r>(rows: &'r RecordBatch, schema: &'r Schema) -> impl Iterator<Item = bool> + 'r {
    misfits(rows, schema).map(|of_row| !of_row.is_empty())
}

/// The columns that a value of each row did not fit.
pub(crate) fn misfits<'r>(rows: &'r RecordBatch, schema: &'r Schema) -> impl Iterator<Item = Vec<&'r Field>> + 'r {
    // Fast path: few rows have unknown fields, and reading them takes longer than writing the row.
    let column = rows.column_by_name(UNKNOWN_FIELDS);
    (0..rows.num_rows()).map(move |row| {
        if column.is_some_and(|column| column.is_valid(row)) { misfits_of_row(rows, row, schema) } else { Vec::new() }
    })
}

/// The columns with the names of unknown fields, which the values of a row did not fit.
fn misfits_of_row<'s>(rows: &RecordBatch, row: usize, schema: &'s Schema) -> Vec<&'s Field> {
    let unknown = unknown_fields(rows, row);
    let mut columns = Vec::new();
    for (name, value) in unknown.as_object().into_iter().flatten() {
        let Ok(column) = schema.field_with_name(name) else { continue };
        if !identifies(column) || contradicts(rows, row, name, value) {
            columns.push(column);
        }
    }
    columns
}

/// `true` if an unknown field with the name of a param is another value of it. An object or a list cannot be the value of a
/// param, so it is another field of the same name, and one of several values of the param is no contradiction.
fn contradicts(rows: &RecordBatch, row: usize, param: &str, value: &Value) -> bool {
    if value.is_object() || value.is_array() {
        return false;
    }
    let column = rows.column_by_name(param).and_then(|column| column.as_string_opt::<i32>());
    let values = column.filter(|column| column.is_valid(row)).map(|column| column.value(row));
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    !is_one_of(values, &text)
}

#[cfg(test)]
mod tests {
    use arrow_schema::DataType;

    use super::*;
    use crate::series_columns::identifying;

    #[test]
    fn object_with_the_name_of_a_param_is_no_invalid_value() {
        let unknown = r#"{"country":{"id":"MX"}}|{"country":"BR"}|{"rate":{"value":1}}|{"more":1}"#;
        let unknown: Vec<_> = unknown.split('|').collect();
        let columns = [identifying("country"), Field::new("rate", DataType::Float64, true)];
        let schema = Schema::new(Vec::from(columns));
        let rows = RecordBatch::try_from_iter([(UNKNOWN_FIELDS, Arc::new(StringArray::from(unknown)) as ArrayRef)]);
        let rows = rows.expect("a column");
        assert_eq!(invalid(&rows, &schema).collect::<Vec<_>>(), [false, true, true, false]);
    }

    #[test]
    fn one_of_several_values_of_a_param_is_no_contradiction() {
        let texts = |values: [&str; 2]| Arc::new(StringArray::from(Vec::from(values))) as ArrayRef;
        let unknown = texts([r#"{"country":"BR"}"#, r#"{"country":"US"}"#]);
        let columns = [("country", texts(["MX,BR", "MX,BR"])), (UNKNOWN_FIELDS, unknown)];
        let rows = RecordBatch::try_from_iter(columns).expect("columns of one length");
        let schema = Schema::new(vec![identifying("country")]);
        assert_eq!(invalid(&rows, &schema).collect::<Vec<_>>(), [false, true]);
    }
}
