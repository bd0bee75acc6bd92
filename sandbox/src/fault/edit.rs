//! Changes to the content of bodies.
//!
//! The body of a success comes in and goes out changed, by chance from the request's dice. A body that is not JSON
//! stays as it is.

use generated_client::Value;
use generated_client::registry::{BodyInfo, EndpointInfo, ValueType};
use serde_json::json;

use crate::fields;
use crate::market::noise::Seed;

/// The change to a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edit {
    Malformed,
    Nulls,
    WrongTypes,
    NewFields,
    NewValues,
}

/// A value that no list of values has.
const NEW_VALUE: &str = "sandbox_new_value";
const NEW_FIELD: &str = "sandboxNewField";

impl Edit {
    /// The body after the change.
    pub(crate) fn apply(self, body: &[u8], endpoint: Option<&EndpointInfo>, dice: Seed) -> Vec<u8> {
        if self == Self::Malformed {
            return body.get(..body.len() * 2 / 3).unwrap_or_default().to_vec();
        }
        let Ok(mut body) = serde_json::from_slice::<Value>(body) else {
            return body.to_vec();
        };
        if self == Self::NewFields {
            add_field(&mut body);
        }
        for (index, record) in records(&mut body).into_iter().enumerate() {
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
            name_a_new_venue(&mut body);
        }
        body.to_string().into_bytes()
    }
}

/// The records of a series, or the body itself if it is none.
fn records(body: &mut Value) -> Vec<&mut Value> {
    let place = fields::envelope().map(|(data, _)| data);
    let place = place.filter(|place| fields::at(body, place).is_some_and(|records| records.is_array()));
    let series = match place {
        Some(place) => fields::at(body, place),
        None => Some(body),
    };
    match series {
        Some(Value::Array(records)) => records.iter_mut().collect(),
        other => other.into_iter().collect(),
    }
}

fn add_field(object: &mut Value) {
    if let Value::Object(fields) = object {
        fields.insert(NEW_FIELD.to_owned(), json!({ "nested": [1, "two", null] }));
    }
}

fn change_one(record: &mut Value, dice: Seed, change: impl Fn(&Value) -> Value) {
    if let Value::Object(fields) = record {
        let names = fields.keys().cloned().collect::<Vec<_>>();
        if let Some(value) = dice.pick(&names).and_then(|name| fields.get_mut(name)) {
            *value = change(value);
        }
    }
}

fn of_another_type(value: &Value, dice: Seed) -> Value {
    let others = [json!(true), json!("sandbox"), json!([]), json!({}), json!(-0.5)];
    let of_same_type = |other: &Value| std::mem::discriminant(other) == std::mem::discriminant(value);
    let others = others.into_iter().filter(|other| !of_same_type(other)).collect::<Vec<_>>();
    dice.name("type").pick(&others).cloned().unwrap_or_default()
}

/// Gives fields with a named type a value that the type does not know.
fn name_new_values(record: &mut Value, endpoint: Option<&EndpointInfo>) {
    let Some(BodyInfo::Series { record: Some(info), .. } | BodyInfo::Object { record: info, .. }) =
        endpoint.map(|endpoint| endpoint.body)
    else {
        return;
    };
    for field in info.fields.iter().filter(|field| matches!(field.ty, ValueType::Named(_))) {
        if let Some(value) = record.get_mut(field.wire_name) {
            *value = NEW_VALUE.into();
        }
    }
}

/// Adds a value to every list of the metadata.
fn name_a_new_venue(body: &mut Value) {
    let metadata = fields::envelope().and_then(|(_, metadata)| fields::at(body, metadata?));
    for list in metadata.and_then(Value::as_object_mut).into_iter().flatten().map(|(_, list)| list) {
        if let Value::Array(values) = list {
            values.push(NEW_VALUE.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known;

    fn check(edit: Edit, path: &str, body: &str) -> Value {
        let body = edit.apply(body.as_bytes(), known::endpoint(path), Seed::new(1));
        serde_json::from_slice(&body).unwrap_or_else(|_| Value::from(String::from_utf8(body).unwrap()))
    }

    const SERIES: &str = r#"{"data":[{"a":1,"b":2},{"a":3,"b":4}],"metadata":{"exchanges":["x"]}}"#;

    #[test]
    fn each_record_loses_one_value() {
        for edit in [Edit::Nulls, Edit::WrongTypes] {
            let body = check(edit, "/klines", SERIES);
            for record in body["data"].as_array().unwrap() {
                let changed = record.as_object().unwrap().values().filter(|value| !value.is_u64());
                let changed = changed.collect::<Vec<_>>();
                assert_eq!(changed.len(), 1, "{edit:?}: {record}");
                assert_eq!(changed[0].is_null(), edit == Edit::Nulls, "{edit:?}: {record}");
                assert!(!changed[0].is_number(), "{edit:?}: {record}");
            }
            assert_eq!(body["metadata"], json!({ "exchanges": ["x"] }));
        }
        assert_eq!(check(Edit::Nulls, "/ping", r#"{"status":"ok"}"#), json!({ "status": null }));
    }

    #[test]
    fn what_is_new_is_everywhere() {
        let body = check(Edit::NewFields, "/klines", SERIES);
        for object in [&body, &body["data"][0], &body["data"][1]] {
            assert!(object[NEW_FIELD].is_object(), "{body}");
        }
        let body =
            check(Edit::NewValues, "/liquidationLevels", r#"{"data":[{"side":"long"}],"metadata":{"exchanges":[]}}"#);
        assert_eq!(body, json!({ "data": [{ "side": NEW_VALUE }], "metadata": { "exchanges": [NEW_VALUE] } }));
    }

    #[test]
    fn what_is_no_json_stays_as_it_is() {
        assert_eq!(check(Edit::Nulls, "/klines", "words"), Value::from("words"));
        assert_eq!(check(Edit::Malformed, "/klines", r#"{"data":[]}"#), Value::from(r#"{"data""#));
        assert_eq!(check(Edit::Malformed, "/klines", ""), Value::from(""));
        assert_eq!(check(Edit::NewFields, "/klines", "[1]"), json!([1]));
    }
}
