//! Converts generated records to groups, as a service sends them: each with its labels, and without the fields whose
//! values are elsewhere in the body.

use runtime::registry::{FieldInfo, FieldSource, RecordInfo, ValueType};
use runtime::{Timestamp, Value};
use serde_json::Map;

use crate::json::{put, text_of};
use crate::record_layout::{WrittenRecords, written};

/// A group of records with the same labels.
struct Group {
    /// The values of the labels, in the order of [`Label`]s.
    labels: Vec<Value>,
    records: Vec<Value>,
}

/// A field whose value is next to the records of its group.
struct Label {
    /// The position among the fields of the record.
    index: usize,
    /// The path in the group; `*` for the key of the group.
    path: &'static str,
    ty: ValueType,
}

impl Label {
    fn all(record: &RecordInfo) -> Vec<Self> {
        let mut labels = Vec::new();
        for (index, field) in record.fields.iter().enumerate() {
            if let FieldSource::Group(path) = field.source {
                labels.push(Self { index, path, ty: field.ty });
            }
        }
        labels
    }

    fn is_key(&self) -> bool {
        self.path == "*"
    }
}

/// The fields whose values are in the record.
fn fields_inside(record: &RecordInfo) -> impl Iterator<Item = &FieldInfo> {
    record.fields.iter().filter(|field| !field.source.is_derived())
}

/// Sets the year and the period of which the time of a record consists.
pub(crate) fn with_period(mut values: Value, record: &RecordInfo, start: i64) -> Value {
    for field in record.fields {
        let FieldSource::Period(year_name, period_name) = field.source else { continue };
        let date = Timestamp::from_unix_seconds(start).to_string();
        if let Value::Object(fields) = &mut values
            && let Some((year, month_and_rest)) = date.split_once('-')
            && let Some((month, _)) = month_and_rest.split_once('-')
        {
            fields.insert(year_name.to_owned(), year.into());
            fields.insert(period_name.to_owned(), format!("M{month}").into());
        }
    }
    values
}

/// The value at the first key of `path` that contains the records, which is the records or their groups, and the path of
/// that key. `path` is the path of the records.
pub(crate) fn grouped<'p>(record: &RecordInfo, records: Vec<Value>, path: &'p str) -> (WrittenRecords, &'p str) {
    let labels = Label::all(record);
    match path.split_once('*') {
        Some((path_of_groups, path_in_group)) if !labels.is_empty() => {
            let path_in_group = path_in_group.trim_start_matches('.');
            let json = Grouping { record, labels, path_in_group }.json(records);
            (WrittenRecords { json, names: None }, path_of_groups.trim_end_matches('.'))
        }
        _ => {
            let records = records.into_iter().map(|values| stripped(record, values)).collect();
            (written(record, records), path)
        }
    }
}

/// How records are divided into groups.
struct Grouping<'g> {
    record: &'g RecordInfo,
    labels: Vec<Label>,
    path_in_group: &'g str,
}

impl Grouping<'_> {
    /// The groups: an object if a label is their key, otherwise a list.
    fn json(&self, records: Vec<Value>) -> Value {
        let groups = self.groups(records);
        let Some(key) = self.labels.iter().position(Label::is_key) else {
            return groups.into_iter().map(|group| self.group_json(group)).collect();
        };
        let mut keyed = Map::new();
        for group in groups {
            keyed.insert(text_of(&group.labels[key]), self.group_json(group));
        }
        Value::Object(keyed)
    }

    /// `true` if each group has one record, because the key of the group is the time of the record.
    fn has_single_records(&self) -> bool {
        self.labels.iter().any(|label| label.is_key() && matches!(label.ty, ValueType::Timestamp(_)))
    }

    fn groups(&self, records: Vec<Value>) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        for values in records {
            let mut labels = Vec::with_capacity(self.labels.len());
            for label in &self.labels {
                labels.push(value_of(self.record, &values, label.index));
            }
            let values = stripped(self.record, values);
            match groups.iter_mut().find(|group| group.labels == labels) {
                Some(group) if !self.has_single_records() => group.records.push(values),
                _ => groups.push(Group { labels, records: vec![values] }),
            }
        }
        groups
    }

    fn group_json(&self, group: Group) -> Value {
        let mut records = written(self.record, group.records);
        // Columns of one record are still columns.
        if self.has_single_records()
            && let Value::Array(list) = &mut records.json
        {
            records.json = list.pop().unwrap_or_default();
        }
        if self.path_in_group.is_empty() {
            return records.json;
        }
        let mut object = Value::Object(Map::new());
        for (label, value) in self.labels.iter().zip(group.labels) {
            if !label.is_key() {
                put(&mut object, label.path, value);
            }
        }
        if let Some((path, names)) = records.names {
            put(&mut object, path, names);
        }
        put(&mut object, self.path_in_group, records.json);
        object
    }
}

fn value_of(record: &RecordInfo, values: &Value, index: usize) -> Value {
    let value = match values {
        Value::Array(items) => items.get(index),
        other => other.get(record.fields[index].wire_name),
    };
    value.cloned().unwrap_or_default()
}

/// Removes the fields whose values are not in a record on the wire.
fn stripped(record: &RecordInfo, mut values: Value) -> Value {
    match &mut values {
        Value::Object(fields) => {
            for field in record.fields {
                if field.source.is_derived() {
                    fields.remove(field.wire_name);
                }
            }
        }
        Value::Array(items) => items.truncate(fields_inside(record).count()),
        _ => {}
    }
    values
}

#[cfg(test)]
mod tests {
    use runtime::registry::{Evidence, RecordLayout, TimeUnit};
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
        let record =
            RecordInfo { layout: RecordLayout::Positional, ..RecordInfo::new("Sample", fields.to_vec().leak()) };
        let records = vec![json!([1, "a"]), json!([2, "b"]), json!([3, "a"])];
        let (groups, path) = grouped(&record, records, "data.*.values");
        assert_eq!(path, "data");
        let expected = json!([
            {"metric": {"job": "a"}, "values": [[1], [3]]},
            {"metric": {"job": "b"}, "values": [[2]]}
        ]);
        assert_eq!(groups.json, expected);
    }

    #[test]
    fn time_as_a_label_is_the_key_of_its_record() {
        let time = ValueType::Timestamp(TimeUnit::Date);
        let fields =
            [field("close", ValueType::Number, FieldSource::Record), field("day", time, FieldSource::Group("*"))];
        let record = RecordInfo::new("Price", fields.to_vec().leak());
        let records = vec![json!({"close": 1, "day": "2024-01-01"}), json!({"close": 2, "day": "2024-01-02"})];
        let (groups, path) = grouped(&record, records, "*");
        assert_eq!((groups.json, path), (json!({"2024-01-01": {"close": 1}, "2024-01-02": {"close": 2}}), ""));
    }

    #[test]
    fn single_record_has_the_layout_of_its_table() {
        let time = ValueType::Timestamp(TimeUnit::Date);
        let fields =
            [field("close", ValueType::Number, FieldSource::Record), field("day", time, FieldSource::Group("*"))];
        let fields = fields.to_vec().leak();
        for (layout, expected) in [
            (RecordLayout::Columns, json!({"2024-01-01": {"in": {"close": [1]}}})),
            (RecordLayout::Named("names"), json!({"2024-01-01": {"names": ["close"], "in": [1]}})),
        ] {
            let record = RecordInfo { layout, ..RecordInfo::new("Price", fields) };
            let (groups, _) = grouped(&record, vec![json!({"close": 1, "day": "2024-01-01"})], "*.in");
            assert_eq!(groups.json, expected, "{layout:?}");
        }
    }
}
