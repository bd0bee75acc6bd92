//! Writes the records of a series, which are generated as objects, in the layout that the service sends.

use runtime::Value;
use runtime::registry::{FieldSource, RecordInfo, RecordLayout};
use serde_json::Map;

/// Records in the layout of the service.
pub(crate) struct WrittenRecords {
    pub(crate) json: Value,
    /// The path of the names of the values, and the names, if they are elsewhere in the body.
    pub(crate) names: Option<(&'static str, Value)>,
}

/// The records in the layout of their table.
pub(crate) fn written(record: &RecordInfo, records: Vec<Value>) -> WrittenRecords {
    match record.layout {
        RecordLayout::Columns => WrittenRecords { json: columns(record, &records), names: None },
        RecordLayout::Named(path) => {
            let names = names(record, &records);
            let json = records.iter().map(|values| values_of(values, &names)).collect();
            WrittenRecords { json, names: Some((path, names.into())) }
        }
        RecordLayout::Object | RecordLayout::Positional | RecordLayout::Value => {
            WrittenRecords { json: Value::Array(records), names: None }
        }
    }
}

/// An object with a list for each member of the records.
fn columns(record: &RecordInfo, records: &[Value]) -> Value {
    let mut columns = Map::new();
    for name in names(record, records) {
        let column = records.iter().map(|values| values[name.as_str()].clone()).collect();
        columns.insert(name, Value::Array(column));
    }
    Value::Object(columns)
}

/// The list of the values with these names.
fn values_of(record: &Value, names: &[String]) -> Value {
    names.iter().map(|name| record[name.as_str()].clone()).collect()
}

/// The names of the members of the records, those of the table first.
fn names(record: &RecordInfo, records: &[Value]) -> Vec<String> {
    let mut names = Vec::new();
    for field in record.fields {
        if field.source == FieldSource::Record {
            names.push(field.wire_name.to_owned());
        }
    }
    for values in records {
        let Value::Object(members) = values else { continue };
        for name in members.keys() {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
    }
    names
}
