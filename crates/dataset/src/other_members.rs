//! The members of records that the catalogue does not list by name. A table has them in one column, as a JSON object for
//! each record.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
use arrow_schema::Schema;
use runtime::Value;
use serde_json::Map;

use crate::column_names::OTHERS;
use crate::table_schema::is_json;

/// `true` if a table has a column of these members.
pub(crate) fn has_other_members(schema: &Schema) -> bool {
    schema.field_with_name(OTHERS).is_ok_and(is_json)
}

/// The numbers among these members as columns, by the names of the members. A member with the name of a column is omitted.
pub(crate) fn numbers_of_members(rows: &RecordBatch) -> BTreeMap<String, ArrayRef> {
    let mut numbers: BTreeMap<String, Vec<Option<f64>>> = BTreeMap::new();
    let schema = rows.schema_ref();
    let objects = if has_other_members(schema) { texts(rows) } else { None };
    for (row, object) in objects.into_iter().flatten().enumerate() {
        for (name, value) in members(object) {
            if let Some(number) = value.as_f64()
                && schema.index_of(&name).is_err()
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

fn texts(rows: &RecordBatch) -> Option<&StringArray> {
    rows.column_by_name(OTHERS)?.as_string_opt()
}

fn members(object: Option<&str>) -> Map<String, Value> {
    object.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}
