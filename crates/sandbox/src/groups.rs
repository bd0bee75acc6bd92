//! Converts generated records to groups, as a service sends them: each with its labels, and without the fields whose
//! values are elsewhere in the body. Also converts keys that are indices to lists.

use runtime::registry::{FieldInfo, FieldSource, RecordInfo, RecordLayout, ValueType};
use runtime::{Timestamp, Value};
use serde_json::Map;

use crate::rejection::put;

/// A group of records with the same labels.
struct Group {
    labels: Vec<Value>,
    records: Vec<Value>,
}

/// Returns whether the value of a field is outside of its record.
pub(crate) fn has_derived(record: &RecordInfo) -> bool {
    record.fields.iter().any(|field| field.source.is_derived())
}

/// Sets the year and the period of which the time of a record consists.
pub(crate) fn with_period(mut values: Value, record: &RecordInfo, start: i64) -> Value {
    let periods = record.fields.iter().filter_map(|field| match field.source {
        FieldSource::Period(year, period) => Some((year, period)),
        _ => None,
    });
    for (year_name, period_name) in periods {
        let date = Timestamp::from_unix_seconds(start).to_string();
        let mut parts = date.split('-');
        let year = parts.next().unwrap_or_default().to_owned();
        let month = format!("M{}", parts.next().unwrap_or("01"));
        if let Value::Object(fields) = &mut values {
            fields.insert(year_name.to_owned(), year.into());
            fields.insert(period_name.to_owned(), month.into());
        }
    }
    values
}

/// Returns the value at the first key of `path` that contains the records: the records, or their groups. `path` is the
/// path of the records.
pub(crate) fn grouped<'p>(record: &RecordInfo, records: Vec<Value>, path: &'p str) -> (Value, &'p str) {
    let labels: Vec<_> = record.fields.iter().enumerate().filter_map(labeled).collect();
    let Some((before, after)) = path.split_once('*').filter(|_| !labels.is_empty()) else {
        return (records.into_iter().map(|values| stripped(record, values)).collect(), path);
    };
    let before = before.trim_end_matches('.');
    let after = after.trim_start_matches('.');
    let is_single = labels.iter().any(|(_, at, ty)| *at == "*" && matches!(ty, ValueType::Timestamp(_)));
    let mut groups: Vec<Group> = Vec::new();
    for values in records {
        let own: Vec<_> = labels.iter().map(|(index, _, _)| value_of(record, &values, *index)).collect();
        let stripped = stripped(record, values);
        match groups.iter_mut().find(|group| group.labels == own) {
            Some(group) if !is_single => group.records.push(stripped),
            _ => groups.push(Group { labels: own, records: vec![stripped] }),
        }
    }
    let key = labels.iter().position(|(_, at, _)| *at == "*");
    let mut keyed = Map::new();
    let mut listed = Vec::new();
    for group in groups {
        let name = key.and_then(|index| group.labels.get(index)).map(text_of).unwrap_or_default();
        let value = written(record, group, &labels, after, is_single);
        match key {
            Some(_) => drop(keyed.insert(name, value)),
            None => listed.push(value),
        }
    }
    let groups = if key.is_some() { Value::Object(keyed) } else { Value::Array(listed) };
    (groups, before)
}

/// Returns the index, the path and the type of a field that is a label.
fn labeled((index, field): (usize, &FieldInfo)) -> Option<(usize, &'static str, ValueType)> {
    if let FieldSource::Group(at) = field.source { Some((index, at, field.ty)) } else { None }
}

fn written(
    record: &RecordInfo,
    group: Group,
    labels: &[(usize, &'static str, ValueType)],
    path: &str,
    is_single: bool,
) -> Value {
    let records = if is_single {
        group.records.into_iter().next().unwrap_or_default()
    } else if record.form == RecordLayout::Columns {
        columns(record, &group.records)
    } else {
        Value::Array(group.records)
    };
    if path.is_empty() {
        return records;
    }
    let mut object = Map::new();
    for ((_, at, _), value) in labels.iter().zip(group.labels) {
        if *at != "*" {
            put(&mut object, at, value);
        }
    }
    put(&mut object, path, records);
    Value::Object(object)
}

/// Returns an object with a list for each field of the records.
pub(crate) fn columns(record: &RecordInfo, records: &[Value]) -> Value {
    let own = record.fields.iter().filter(|field| !field.source.is_derived());
    let column = |name: &str| records.iter().map(|values| values[name].clone()).collect::<Value>();
    Value::Object(own.map(|field| (field.wire_name.to_owned(), column(field.wire_name))).collect())
}

fn value_of(record: &RecordInfo, values: &Value, index: usize) -> Value {
    let value = match values {
        Value::Array(items) => items.get(index),
        other => other.get(record.fields[index].wire_name),
    };
    value.cloned().unwrap_or_default()
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Removes the fields whose values are not in a record on the wire.
fn stripped(record: &RecordInfo, mut values: Value) -> Value {
    match &mut values {
        Value::Object(fields) => {
            for field in record.fields.iter().filter(|field| field.source.is_derived()) {
                fields.remove(field.wire_name);
            }
        }
        Value::Array(items) => items.truncate(record.fields.iter().filter(|field| !field.source.is_derived()).count()),
        _ => {}
    }
    values
}

/// Converts each object whose keys are indices to a list. An item without a value is an empty object.
pub(crate) fn with_lists(value: Value) -> Value {
    let Value::Object(members) = value else { return value };
    let members: Map<_, _> = members.into_iter().map(|(key, value)| (key, with_lists(value))).collect();
    let indices: Option<Vec<usize>> = members.keys().map(|key| key.parse().ok()).collect();
    let Some(last) = indices.and_then(|indices| indices.into_iter().max()) else { return Value::Object(members) };
    let item = |index: usize| members.get(&index.to_string()).cloned().unwrap_or_else(|| Value::Object(Map::new()));
    (0..=last).map(item).collect()
}

#[cfg(test)]
mod tests {
    use runtime::registry::{Evidence, TimeUnit};
    use serde_json::json;

    use super::*;

    const fn field(name: &'static str, ty: ValueType, source: FieldSource) -> FieldInfo {
        FieldInfo { source, ..FieldInfo::new(name, name, ty, Evidence::Documented) }
    }

    #[test]
    fn records_with_equal_labels_are_a_group() {
        let fields = [
            field("value", ValueType::Number, FieldSource::Record),
            field("job", ValueType::String, FieldSource::Group("metric.job")),
        ];
        let record = RecordInfo { form: RecordLayout::Positional, ..RecordInfo::new("Sample", fields.to_vec().leak()) };
        let records = vec![json!([1, "a"]), json!([2, "b"]), json!([3, "a"])];
        let (groups, path) = grouped(&record, records, "data.*.values");
        assert_eq!(path, "data");
        let expected = json!([
            {"metric": {"job": "a"}, "values": [[1], [3]]},
            {"metric": {"job": "b"}, "values": [[2]]}
        ]);
        assert_eq!(groups, expected);
    }

    #[test]
    fn time_as_a_label_is_the_key_of_its_record() {
        let time = ValueType::Timestamp(TimeUnit::Date);
        let fields =
            [field("close", ValueType::Number, FieldSource::Record), field("day", time, FieldSource::Group("*"))];
        let record = RecordInfo::new("Price", fields.to_vec().leak());
        let records = vec![json!({"close": 1, "day": "2024-01-01"}), json!({"close": 2, "day": "2024-01-02"})];
        let (groups, path) = grouped(&record, records, "*");
        assert_eq!((groups, path), (json!({"2024-01-01": {"close": 1}, "2024-01-02": {"close": 2}}), ""));
    }

    #[test]
    fn indices_become_lists() {
        let body = json!({"1": [1], "x": 2});
        assert_eq!(with_lists(body.clone()), body);
        assert_eq!(with_lists(json!({"1": [1]})), json!([{}, [1]]));
        assert_eq!(with_lists(json!({"a": {"0": 1}})), json!({"a": [1]}));
    }
}
