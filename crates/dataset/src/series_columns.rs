//! The columns that identify the series of a row: the endpoint and the params of the series.
//!
//! If a record has a field with the name of a param, the param is written, and a value that contradicts it is kept
//! among the unknown fields.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, StringArray};
use arrow_schema::{DataType, Field};
use runtime::Value;
use runtime::record::{AnyRecord, UnknownFields};

/// The name and the value of a column; without a value if the param is not set.
pub(crate) type Param = (String, Option<String>);

/// The metadata key of a column that identifies the series of a row.
const IDENTIFIES: &str = "identifies";

/// Creates a column that identifies the series of a row.
pub(crate) fn identifying(name: &str) -> Field {
    let metadata = HashMap::from([(IDENTIFIES.to_owned(), "series".to_owned())]);
    Field::new(name, DataType::Utf8, true).with_metadata(metadata)
}

/// `true` for a column that identifies the series of a row; the other columns are fields of the records.
pub(crate) fn identifies(field: &Field) -> bool {
    field.metadata().contains_key(IDENTIFIES)
}

/// Returns the unknown fields of a record as JSON, with its values that contradict a param, and without those that
/// agree with a param. The params identify the series of the record; a param that is not set has no value.
pub fn unknown_fields(params: &[(String, Option<String>)], record: &AnyRecord) -> Option<String> {
    let unknown = record.unknown_fields().filter(|all| !all.is_empty());
    let mut kept = Vec::new();
    let mut has_param = false;
    for (name, value) in params {
        let Some(json) = json(record, name) else { continue };
        has_param = true;
        if contradicts(value.as_deref(), &json) {
            kept.push(member(name, &json));
        }
    }
    if !has_param {
        return Some(unknown?.as_json().to_owned());
    }
    for (name, json) in unknown.into_iter().flat_map(UnknownFields::iter_raw) {
        // The record has a value of each param with the name of an unknown field.
        if params.iter().all(|(param, _)| *param != name) {
            kept.push(member(&name, json));
        }
    }
    if kept.is_empty() {
        return None;
    }
    Some(format!("{{{}}}", kept.join(",")))
}

/// The params of which a record states another value than the request. An object or a list is another field of the same
/// name, and one of several values that were requested is no contradiction.
pub(crate) fn contradicted_params<'p>(params: &'p [(String, Option<String>)], record: &AnyRecord) -> Vec<&'p str> {
    let mut contradicted = Vec::new();
    for (name, value) in params {
        let Some(json) = json(record, name) else { continue };
        let is_value = !json.starts_with(['{', '[']);
        if is_value && contradicts(value.as_deref(), &json) && !is_one_of(value.as_deref(), &text(&json)) {
            contradicted.push(name.as_str());
        }
    }
    contradicted
}

/// Whether a value is one of several values of a param, which are separated by commas.
pub(crate) fn is_one_of(param: Option<&str>, value: &str) -> bool {
    param.is_some_and(|param| param.split(',').any(|one| one == value))
}

/// Whether a value of a record is another one than that of the param, if it is set.
fn contradicts(param: Option<&str>, json: &str) -> bool {
    json != NULL && param.is_some_and(|param| !agree(param, json))
}

/// A member of a JSON object.
fn member(name: &str, json: &str) -> String {
    format!("{}:{json}", Value::from(name))
}

/// The values of a column that identifies the series. If the param is not set, the column has the value of the record's
/// field of this name, if there is one.
pub(crate) fn identity((name, value): &Param, records: &[AnyRecord]) -> ArrayRef {
    if let Some(value) = value {
        return Arc::new(StringArray::new_repeated(value, records.len()));
    }
    let mut values = Vec::with_capacity(records.len());
    for record in records {
        values.push(match json(record, name) {
            Some(json) if json != NULL => Some(text(&json).into_owned()),
            _ => None,
        });
    }
    Arc::new(StringArray::from(values))
}

/// The JSON of a value that is missing.
const NULL: &str = "null";

/// The value of a record's field as JSON; `None` if the record has no such field. A value that does not fit its field
/// is among the unknown fields.
fn json(record: &AnyRecord, name: &str) -> Option<String> {
    if let Some(unknown) = record.unknown_fields()
        && !unknown.is_empty()
        && let Some(json) = unknown.get_raw(name)
    {
        return Some(json.to_owned());
    }
    serde_json::to_string(&record.value(name)?).ok()
}

/// The text of a JSON string, and any other JSON unchanged.
fn text(json: &str) -> Cow<'_, str> {
    match serde_json::from_str::<String>(json) {
        Ok(text) => Cow::Owned(text),
        Err(_) => json.into(),
    }
}

/// `true` if the value of a param and a value of a record are the same text or number.
fn agree(param: &str, json: &str) -> bool {
    let text = text(json);
    if text == param {
        return true;
    }
    let number = text.parse::<f64>().ok();
    number.is_some() && number == param.parse::<f64>().ok()
}
