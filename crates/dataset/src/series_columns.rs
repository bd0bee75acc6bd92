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

/// Returns `true` for a column that identifies the series of a row; the other columns are fields of the records.
pub(crate) fn identifies(field: &Field) -> bool {
    field.metadata().contains_key(IDENTIFIES)
}

/// Returns the unknown fields of a record as JSON, with its values that contradict a param, and without those that
/// agree with a param. The params identify the series of the record; a param that is not set has no value.
pub fn unknown_fields(params: &[(String, Option<String>)], record: &AnyRecord) -> Option<String> {
    let unknown = record.unknown_fields().filter(|all| !all.is_empty());
    let named = params.iter().filter_map(|param| Some((param, json(record, &param.0)?)));
    let named: Vec<_> = named.collect();
    if named.is_empty() {
        return Some(unknown?.as_json().to_owned());
    }
    let others = unknown.into_iter().flat_map(UnknownFields::iter_raw);
    let others = others.filter(|(name, _)| named.iter().all(|((param, _), _)| param != name));
    let contradicts =
        |value: &Option<String>, json: &str| json != NULL && value.as_ref().is_some_and(|value| !agree(value, json));
    let contradicting = named.iter().filter(|((_, value), json)| contradicts(value, json));
    let kept = contradicting.map(|((name, _), json)| (name.into(), json.as_str()));
    let kept = kept.chain(others).map(|(name, json): (Cow<'_, str>, _)| format!("{}:{json}", Value::from(&*name)));
    let kept = kept.collect::<Vec<_>>().join(",");
    (!kept.is_empty()).then(|| format!("{{{kept}}}"))
}

/// The values of a column that identifies the series. If the param is not set, the column has the value of the record's
/// field of this name, if there is one.
pub(crate) fn identity((name, value): &Param, records: &[AnyRecord]) -> ArrayRef {
    let given = |record| json(record, name).filter(|json| json != NULL).map(|json| text(&json).into_owned());
    let repeated = value.as_ref().map(|value| StringArray::new_repeated(value, records.len()));
    Arc::new(repeated.unwrap_or_else(|| records.iter().map(given).collect()))
}

/// The JSON of a value that is missing.
const NULL: &str = "null";

/// The value of a record's field as JSON; `None` if the record has no such field. A value that does not fit its field
/// is among the unknown fields.
fn json(record: &AnyRecord, name: &str) -> Option<String> {
    let unknown = record.unknown_fields().filter(|all| !all.is_empty()).and_then(|all| all.get_raw(name));
    unknown.map(str::to_owned).or_else(|| serde_json::to_string(&record.value(name)?).ok())
}

/// The text of a JSON string, and any other JSON unchanged.
fn text(json: &str) -> Cow<'_, str> {
    serde_json::from_str::<String>(json).map_or(json.into(), Cow::Owned)
}

/// `true` if the value of a param and a value of a record are the same text or number.
fn agree(param: &str, json: &str) -> bool {
    let (text, number) = (text(json), |text: &str| text.parse::<f64>().ok());
    text == param || number(&text).is_some_and(|value| number(param) == Some(value))
}
