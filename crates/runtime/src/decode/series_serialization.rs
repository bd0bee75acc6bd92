//! Serialization of series into their bodies: the records at their path in the envelope, in groups or as columns.
//!
//! Unknown fields of the envelope and of the objects in it are written where they were in the response.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_core::ser::{Error as _, SerializeMap, SerializeSeq};
use serde_core::{Serialize, Serializer};
use serde_json::Map;

use super::column_names::ColumnNames;
use super::envelope_rest::{Group, Groups, GroupsForm};
use super::field_value::{AsFieldValue, FieldValue};
use super::serialization::{WrittenRecord, WrittenValue};
use super::series_layout::Paths;
use super::unknown_fields::{UnknownFields, member, members, value_of};
use crate::registry::{RecordInfo, RecordLayout};
use crate::values::Value;

/// An element of a series, as it is written in its body.
struct InBody<'r> {
    value: FieldValue<'r>,
    /// The names of the values, if records are lists whose names are elsewhere in the body.
    column_names: Option<&'r ColumnNames<'r>>,
}

impl Serialize for InBody<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let FieldValue::Record(record) = self.value else { return self.value.serialize(serializer) };
        let written = WrittenRecord { record, is_in_body: true };
        let Some(names) = self.column_names else { return written.serialize(serializer) };
        let (known, others) = written.fields();
        let mut values = Vec::with_capacity(names.columns.len());
        for column in &names.columns {
            values.push(match column.field {
                Some(index) => value_named(&known, record.info().fields[index].wire_name),
                None => value_named(&others, &column.name),
            });
        }
        // Values after the last name have their positions as names.
        while let Some(value) = value_named(&others, &values.len().to_string()) {
            values.push(Some(value));
        }
        serializer.collect_seq(values)
    }
}

/// The value of the first field with this name.
fn value_named<'v, 'r, N: AsRef<str>>(fields: &'v [(N, WrittenValue<'r>)], name: &str) -> Option<&'v WrittenValue<'r>> {
    let (_, value) = fields.iter().find(|(known, _)| known.as_ref() == name)?;
    Some(value)
}

/// The names of the columns in the other members of a body or of a group; `None` if they are not declared.
fn column_names<'u>(info: Option<&'static RecordInfo>, unknown: &'u str) -> Option<ColumnNames<'u>> {
    let info = info?;
    let RecordLayout::Named(path) = info.layout else { return None };
    ColumnNames::at(unknown, path, info).ok()?
}

/// Writes a series in its envelope, or as a bare list if it has none. The arguments are the paths of the records and of
/// the metadata, the table of the records, if it is known, and the groups of the records.
pub(crate) fn serialize_series<T: AsFieldValue, S: Serializer>(
    paths: &Paths<'_>,
    info: Option<&'static RecordInfo>,
    groups: Option<&Groups>,
    records: &[T],
    metadata: &impl Serialize,
    unknown: &UnknownFields,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let unknown = unknown.as_json();
    let mut path = Cow::Borrowed(paths.records.as_deref().unwrap_or_default());
    let mut group = unknown;
    if groups.is_some_and(|groups| groups.form == GroupsForm::One)
        && let Some(position) = path.iter().position(|key| *key == "*")
    {
        path.to_mut().remove(position);
        group = inner_at(unknown, &path[..position]);
    }
    let path = &*path;
    let rest = Rest { records: Some(path), metadata: paths.metadata.as_deref() };
    let values: Vec<_> = records.iter().map(T::as_field_value).collect();
    if let (Some(groups), Some(position)) = (groups, path.iter().position(|key| *key == "*")) {
        let to_groups = &path[..position];
        let others = inner_at(unknown, to_groups);
        let names = names_of_groups(groups, info, others);
        let records = records_in_groups(groups, &names, values);
        let records = &WrittenGroups { groups, path: &path[position + 1..], records: &records, unknown: others };
        let rest = Rest { records: Some(to_groups), ..rest };
        return Level { rest, records, metadata, unknown }.serialize(serializer);
    }
    match info {
        Some(info) if info.layout == RecordLayout::Columns => {
            let records = &columns(info, &values, inner_at(unknown, path)).map_err(S::Error::custom)?;
            Level { rest, records, metadata, unknown }.serialize(serializer)
        }
        _ => {
            let names = column_names(info, group);
            let column_names = names.as_ref();
            let records: Vec<_> = values.into_iter().map(|value| InBody { value, column_names }).collect();
            Level { rest, records: &records, metadata, unknown }.serialize(serializer)
        }
    }
}

/// The names of the columns of each group.
fn names_of_groups<'u>(
    groups: &Groups,
    info: Option<&'static RecordInfo>,
    others: &'u str,
) -> Vec<Option<ColumnNames<'u>>> {
    let mut names = Vec::with_capacity(groups.groups.len());
    for group in &groups.groups {
        names.push(column_names(info, inner(others, &group.key)));
    }
    names
}

/// The records of all groups, each with the names of the columns of its group.
fn records_in_groups<'r>(
    groups: &Groups,
    names: &'r [Option<ColumnNames<'r>>],
    values: Vec<FieldValue<'r>>,
) -> Vec<InBody<'r>> {
    let mut records = Vec::with_capacity(values.len());
    let mut values = values.into_iter();
    for (group, names) in groups.groups.iter().zip(names) {
        for value in values.by_ref().take(group.records) {
            records.push(InBody { value, column_names: names.as_ref() });
        }
    }
    for value in values {
        records.push(InBody { value, column_names: None });
    }
    records
}

/// The object of the other members, with a list for each field that any record has, known or not.
fn columns(info: &RecordInfo, records: &[FieldValue<'_>], others: &str) -> serde_json::Result<Value> {
    let mut object = Map::new();
    for (name, text) in members(others) {
        object.insert(name.into_owned(), value_of(text));
    }
    let mut objects = Vec::with_capacity(records.len());
    for record in records {
        objects.push(serde_json::to_value(record)?);
    }
    let mut names: Vec<_> = info.fields.iter().map(|field| field.wire_name.to_owned()).collect();
    names.extend(other_names(&objects, &names));
    for name in names {
        let is_missing = objects.is_empty() && object.get(&name).is_none();
        if is_missing || objects.iter().any(|record| record.get(&name).is_some()) {
            let mut column = Vec::with_capacity(objects.len());
            for record in &mut objects {
                column.push(record.get_mut(&name).map(Value::take).unwrap_or_default());
            }
            object.insert(name, column.into());
        }
    }
    Ok(object.into())
}

/// The names of the members that are not among the known names, sorted.
fn other_names(objects: &[Value], known: &[String]) -> BTreeSet<String> {
    let mut others = BTreeSet::new();
    for object in objects {
        let Value::Object(members) = object else { continue };
        for name in members.keys() {
            if !known.contains(name) {
                others.insert(name.clone());
            }
        }
    }
    others
}

/// The remaining paths to the records and to the metadata; `None` for a path that is not below this level.
#[derive(Clone, Copy)]
struct Rest<'r> {
    records: Option<&'r [&'r str]>,
    metadata: Option<&'r [&'r str]>,
}

impl<'r> Rest<'r> {
    /// The first keys of the paths, each once.
    fn keys(&self) -> Vec<&'r str> {
        let mut keys = Vec::new();
        for path in [self.records, self.metadata].into_iter().flatten() {
            keys.extend(path.first().copied());
        }
        keys.dedup();
        keys
    }

    /// The remaining paths from the member with this key.
    fn after(&self, key: &str) -> Self {
        Self { records: rest_after(self.records, key), metadata: rest_after(self.metadata, key) }
    }
}

fn rest_after<'r>(path: Option<&'r [&'r str]>, key: &str) -> Option<&'r [&'r str]> {
    let (first, rest) = path?.split_first()?;
    if *first == key { Some(rest) } else { None }
}

/// The records, the metadata, or an object that contains them.
struct Level<'r, R, M> {
    rest: Rest<'r>,
    records: &'r R,
    metadata: &'r M,
    /// The unknown fields of this object and of inner objects, as a JSON object.
    unknown: &'r str,
}

impl<R: Serialize, M: Serialize> Serialize for Level<'_, R, M> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.rest {
            Rest { records: Some([]), .. } => return self.records.serialize(serializer),
            Rest { metadata: Some([]), .. } => return self.metadata.serialize(serializer),
            _ => {}
        }
        let keys = self.rest.keys();
        if !keys.is_empty() && keys.iter().all(|key| key.parse::<usize>().is_ok()) {
            return self.list(&keys, serializer);
        }
        let mut object = serializer.serialize_map(None)?;
        for key in &keys {
            object.serialize_entry(key, &self.inner(key))?;
        }
        for (name, text) in members(self.unknown) {
            if !keys.contains(&&*name) {
                object.serialize_entry(&name, &WrittenValue::received(text))?;
            }
        }
        object.end()
    }
}

impl<R: Serialize, M: Serialize> Level<'_, R, M> {
    /// Writes a list, some of whose items are at these indices.
    fn list<S: Serializer>(&self, keys: &[&str], serializer: S) -> Result<S::Ok, S::Error> {
        let others = members(self.unknown);
        let length = others.len() + keys.len();
        let mut list = serializer.serialize_seq(Some(length))?;
        for index in 0..length {
            let index = index.to_string();
            if keys.contains(&index.as_str()) {
                list.serialize_element(&self.inner(&index))?;
            } else if let Some((_, text)) = others.iter().find(|(name, _)| *name == index) {
                list.serialize_element(&WrittenValue::received(text))?;
            }
        }
        list.end()
    }

    /// The member with this key.
    fn inner(&self, key: &str) -> Self {
        Self { rest: self.rest.after(key), unknown: inner(self.unknown, key), ..*self }
    }
}

/// The groups of a series, each with its records.
struct WrittenGroups<'r, R> {
    groups: &'r Groups,
    /// The path from a group to its records.
    path: &'r [&'r str],
    records: &'r [R],
    /// The other members of the groups, as a JSON object.
    unknown: &'r str,
}

impl<R: Serialize> Serialize for WrittenGroups<'_, R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Groups { form, groups } = self.groups;
        let mut rest = self.records;
        let mut written = Vec::with_capacity(groups.len());
        for group in groups {
            let (records, after) = rest.split_at(group.records.min(rest.len()));
            rest = after;
            written.push(WrittenGroup { group, path: self.path, records, unknown: self.unknown });
        }
        if *form == GroupsForm::Items {
            return serializer.collect_seq(written);
        }
        serializer.collect_map(written.iter().map(|written| (&written.group.key, written)))
    }
}

/// One group of a series.
struct WrittenGroup<'r, R> {
    group: &'r Group,
    path: &'r [&'r str],
    records: &'r [R],
    unknown: &'r str,
}

impl<R: Serialize> Serialize for WrittenGroup<'_, R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { group, path, records, .. } = self;
        let others = member(self.unknown, &group.key);
        let rest = Rest { records: Some(*path), metadata: None };
        let unknown = others.unwrap_or("{}");
        match records {
            [] if others == Some("null") => serializer.serialize_unit(),
            [record] if group.is_single => {
                Level { rest, records: record, metadata: &(), unknown }.serialize(serializer)
            }
            records => Level { rest, records, metadata: &(), unknown }.serialize(serializer),
        }
    }
}

/// The text of an inner object; an empty object if there is none.
fn inner<'u>(object: &'u str, name: &str) -> &'u str {
    member(object, name).unwrap_or("{}")
}

fn inner_at<'u>(object: &'u str, path: &[&str]) -> &'u str {
    let mut object = object;
    for key in path {
        object = inner(object, key);
    }
    object
}
