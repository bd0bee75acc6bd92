//! Faults that change the content of a body.
//!
//! A fault changes the body of a successful response, and makes random choices with the seed of the request. The fault
//! `malformed` cuts any body short. The other faults change only bodies that are JSON.

use std::mem::discriminant;

use runtime::Value;
use runtime::registry::{BodyInfo, EndpointInfo, ServiceInfo, ValueType};
use serde_json::json;

use crate::seed::Seed;

/// The change to a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edit {
    Malformed,
    Nulls,
    WrongTypes,
    NewFields,
    NewValues,
}

/// A value that is not among the known values of any type.
const NEW_VALUE: &str = "sandbox_new_value";
const NEW_FIELD: &str = "sandboxNewField";

impl Edit {
    pub(crate) fn apply(
        self,
        body: &[u8],
        endpoint: Option<&EndpointInfo>,
        service: &ServiceInfo,
        dice: Seed,
    ) -> Vec<u8> {
        if self == Self::Malformed {
            return body.get(..body.len() * 2 / 3).unwrap_or_default().to_vec();
        }
        let Ok(mut body) = serde_json::from_slice::<Value>(body) else {
            return body.to_vec();
        };
        if self == Self::NewFields {
            add_field(&mut body);
        }
        for (index, record) in records(&mut body, service).into_iter().enumerate() {
            let dice = dice.number(i64::try_from(index).unwrap_or(0));
            match self {
                Self::Nulls => change_one(record, dice, |_| Value::Null),
                Self::WrongTypes => change_one(record, dice, |value| of_another_type(value, dice)),
                Self::NewFields => add_field(record),
                Self::NewValues => name_new_values(record, endpoint),
                Self::Malformed => {}
            }
        }
        if self == Self::NewValues {
            extend_metadata(&mut body, service);
        }
        body.to_string().into_bytes()
    }
}

/// The value at a dot-separated path of keys.
fn value_at<'b>(body: &'b mut Value, path: &str) -> Option<&'b mut Value> {
    let mut value = body;
    for key in path.split('.') {
        value = value.get_mut(key)?;
    }
    Some(value)
}

/// The records of a series, or the body itself if it is not a series.
fn records<'b>(body: &'b mut Value, service: &ServiceInfo) -> Vec<&'b mut Value> {
    let series = match &service.envelope {
        Some(envelope) if has_list(body, envelope.data) => value_at(body, envelope.data),
        _ => Some(body),
    };
    match series {
        Some(Value::Array(records)) => records.iter_mut().collect(),
        other => other.into_iter().collect(),
    }
}

fn has_list(body: &mut Value, path: &str) -> bool {
    matches!(value_at(body, path), Some(Value::Array(_)))
}

fn add_field(object: &mut Value) {
    if let Value::Object(fields) = object {
        fields.insert(NEW_FIELD.to_owned(), json!({ "nested": [1, "two", null] }));
    }
}

fn change_one(record: &mut Value, dice: Seed, change: impl Fn(&Value) -> Value) {
    if let Value::Object(fields) = record {
        let names: Vec<_> = fields.keys().cloned().collect();
        if let Some(name) = dice.pick(&names) {
            let value = &mut fields[name.as_str()];
            *value = change(value);
        }
    }
}

fn of_another_type(value: &Value, dice: Seed) -> Value {
    let mut others = vec![json!(true), json!("sandbox"), json!([]), json!({}), json!(-0.5)];
    others.retain(|other| discriminant(other) != discriminant(value));
    dice.name("type").pick(&others).cloned().unwrap_or_default()
}

/// Sets all fields of named types to a value that their type does not list.
fn name_new_values(record: &mut Value, endpoint: Option<&EndpointInfo>) {
    let Some(endpoint) = endpoint else { return };
    let (BodyInfo::Series { record: Some(info), .. } | BodyInfo::Object { record: info, .. }) = endpoint.body else {
        return;
    };
    for field in info.fields {
        if matches!(field.ty, ValueType::Named(_))
            && let Some(value) = record.get_mut(field.wire_name)
        {
            *value = NEW_VALUE.into();
        }
    }
}

/// Adds a value to every list of the metadata.
fn extend_metadata(body: &mut Value, service: &ServiceInfo) {
    let Some(envelope) = &service.envelope else { return };
    let Some(path) = envelope.metadata else { return };
    let Some(Value::Object(fields)) = value_at(body, path) else { return };
    for field in fields.values_mut() {
        if let Value::Array(values) = field {
            values.push(NEW_VALUE.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use runtime::registry::{EnvelopeInfo, Evidence, FieldInfo, RecordInfo, TypeInfo};

    use super::*;

    static SERVICE: ServiceInfo = ServiceInfo {
        envelope: Some(EnvelopeInfo { data: "data", metadata: Some("metadata"), time: None }),
        ..ServiceInfo::new("A service")
    };
    static SIDE: TypeInfo = TypeInfo::new("Side", &[]);
    static RECORD: RecordInfo =
        RecordInfo::new("Order", &[FieldInfo::new("side", "side", ValueType::Named(&SIDE), Evidence::Documented)]);
    static ORDERS: EndpointInfo = EndpointInfo {
        body: BodyInfo::Series { record: Some(&RECORD), time: None, evidence: Evidence::Documented },
        ..EndpointInfo::new("market", "orders", "Orders")
    };

    fn check(edit: Edit, body: &str) -> Value {
        let body = edit.apply(body.as_bytes(), Some(&ORDERS), &SERVICE, Seed::new(1));
        serde_json::from_slice(&body).unwrap_or_else(|_| Value::from(String::from_utf8(body).unwrap()))
    }

    const SERIES: &str = r#"{"data":[{"a":1,"b":2},{"a":3,"b":4}],"metadata":{"exchanges":["x"]}}"#;

    #[test]
    fn each_record_loses_one_value() {
        for edit in [Edit::Nulls, Edit::WrongTypes] {
            let body = check(edit, SERIES);
            for record in body["data"].as_array().unwrap() {
                let changed = record.as_object().unwrap().values().filter(|value| !value.is_u64());
                let changed = changed.collect::<Vec<_>>();
                assert_eq!(changed.len(), 1, "{edit:?}: {record}");
                assert_eq!(changed[0].is_null(), edit == Edit::Nulls, "{edit:?}: {record}");
                assert!(!changed[0].is_number(), "{edit:?}: {record}");
            }
            assert_eq!(body["metadata"], json!({ "exchanges": ["x"] }));
        }
        assert_eq!(check(Edit::Nulls, r#"{"status":"ok"}"#), json!({ "status": null }));
    }

    #[test]
    fn new_fields_and_values_are_in_every_object() {
        let body = check(Edit::NewFields, SERIES);
        for object in [&body, &body["data"][0], &body["data"][1]] {
            assert!(object[NEW_FIELD].is_object(), "{body}");
        }
        let body = check(Edit::NewValues, r#"{"data":[{"side":"long"}],"metadata":{"exchanges":[]}}"#);
        assert_eq!(body, json!({ "data": [{ "side": NEW_VALUE }], "metadata": { "exchanges": [NEW_VALUE] } }));
    }

    #[test]
    fn a_body_that_is_not_json_is_unchanged() {
        assert_eq!(check(Edit::Nulls, "words"), Value::from("words"));
        assert_eq!(check(Edit::Malformed, r#"{"data":[]}"#), Value::from(r#"{"data""#));
        assert_eq!(check(Edit::Malformed, ""), Value::from(""));
        assert_eq!(check(Edit::NewFields, "[1]"), json!([1]));
    }
}
