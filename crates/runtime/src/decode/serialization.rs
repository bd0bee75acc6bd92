//! Serialization of records and series into their wire form, with any serializer of serde.
//!
//! Fields have their wire names, and a timestamp has the unit of its field. `None` is written as `null`, unless the
//! service omitted the field. Unknown fields follow the known fields. A value that the service wrote in another form,
//! such as `"0.10"` or `1e-08`, is written in that form if it has not been changed since. In a format that is not JSON
//! text, numbers have no such form, and a number that would lose digits as an `f64` is written as a string. Any other
//! whole number is written without a fraction in text formats, as most services do.
//!
//! To deserialize, the input is converted to JSON, and the decoder reads that JSON like a response: with the same
//! tolerance and the same errors, and without code that is compiled for each record.

use std::any::type_name;
use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_core::de::Error as _;
use serde_core::ser::{Error as _, SerializeMap, SerializeSeq, SerializeStruct};
use serde_core::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Map;
use serde_json::value::RawValue;

use super::any_record::{AnyRecord, AnyValue};
use super::envelope::{Group, Groups};
use super::error::DecodeError;
use super::field_value::{AsFieldValue, FieldValue, RecordValue, Typed};
use super::read_row::object;
use super::record::Record;
use super::row::DecodedValue;
use super::scanner::any;
use super::unknown_fields::{ABSENT, UnknownFields, member, members, on_one_line, value_of};
use crate::registry::{FieldInfo, RecordInfo, RecordLayout, ValueType};
use crate::values::{Value, json_text};

/// Writes a value without the unit of its field, so a timestamp is written as the number of Unix seconds.
impl Serialize for FieldValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Typed { value: *self, ty: ValueType::Any, quoted: false }.serialize(serializer)
    }
}

/// Serializes the record as on the wire, with `null` for `None` unless the service omitted the field.
impl Serialize for AnyRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_field_value().serialize(serializer)
    }
}

/// Writes a struct if there are no unknown fields, otherwise a map; a positional record becomes a list.
impl Serialize for RecordValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        WrittenRecord { record: *self, is_in_body: false }.serialize(serializer)
    }
}

/// A record that is written, in its body or alone.
struct WrittenRecord<'r> {
    record: RecordValue<'r>,
    /// Whether fields are omitted whose values are elsewhere in the body.
    is_in_body: bool,
}

impl Serialize for WrittenRecord<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (info, unknown) = (self.record.info(), self.record.unknown_fields());
        let originals = unknown.originals(info.fields);
        let is_known = |name: &str| info.fields.iter().any(|field| field.wire_name == name);
        let (misfits, others): (Vec<_>, Vec<_>) = unknown.iter_raw().partition(|(name, _)| is_known(name));
        let form = |(field, value): (&FieldInfo, _)| Some((field.wire_name, form(field, value, &originals, &misfits)?));
        let values = self.record.values().into_iter();
        let is_written = |(field, _): &(&FieldInfo, _)| !(self.is_in_body && field.source.is_derived());
        let known: Vec<_> = values.filter(is_written).filter_map(form).collect();
        let others = others.into_iter().map(|(name, text)| (name, Form::Original(text, value_of(text))));
        let others: Vec<_> = others.collect();
        match info.form {
            RecordLayout::Object | RecordLayout::Columns if others.is_empty() => {
                let mut fields = serializer.serialize_struct(info.name, known.len())?;
                known.iter().try_for_each(|(name, value)| fields.serialize_field(name, value))?;
                fields.end()
            }
            RecordLayout::Object | RecordLayout::Columns => {
                let known = known.into_iter().map(|(name, value)| (Cow::Borrowed(name), value));
                serializer.collect_map(known.chain(others))
            }
            RecordLayout::Positional => {
                let others = others.into_iter().map(|(_, value)| value);
                serializer.collect_seq(known.into_iter().map(|(_, value)| value).chain(others))
            }
            RecordLayout::Value => known.first().map(|(_, value)| value).serialize(serializer),
        }
    }
}

/// A value in the form in which it is written.
enum Form<'r> {
    /// The form that the field has in the catalogue.
    Usual(Typed<'r>),
    /// The text in which the service wrote it, if that is another form, or if the value did not fit the field; and the
    /// value for formats in which a number has only one form.
    Original(&'r str, Value),
}

impl Serialize for Form<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Other serializers, also that of `serde_json::Value`, cannot write the text of a number.
        let is_json_text = type_name::<S>().starts_with("&mut serde_json::ser::Serializer<");
        match self {
            Self::Usual(value) => value.serialize(serializer),
            Self::Original(text, value) => match RawValue::from_string(on_one_line(text)) {
                Ok(text) if is_json_text => text.serialize(serializer),
                _ => value.serialize(serializer),
            },
        }
    }
}

/// The names and the texts of fields.
type Texts<'u, N> = [(N, &'u str)];

/// Returns the text of the last field with this name.
fn text_in<'u, N: AsRef<str>>(texts: &Texts<'u, N>, name: &str) -> Option<&'u str> {
    texts.iter().rfind(|(known, _)| known.as_ref() == name).map(|(_, text)| *text)
}

/// Returns the form of a field; `None` if the service omitted the field. `misfits` are the values that did not fit their
/// fields.
fn form<'r>(
    field: &FieldInfo,
    value: FieldValue<'r>,
    originals: &Texts<'r, &'static str>,
    misfits: &Texts<'r, Cow<'r, str>>,
) -> Option<Form<'r>> {
    let FieldInfo { ty, quoted, .. } = *field;
    let typed = Typed { value, ty, quoted };
    if originals.is_empty() && misfits.is_empty() {
        return Some(Form::Usual(typed));
    }
    let is_empty = match value {
        FieldValue::List(values) | FieldValue::Map(values) => values.iter().len() == 0,
        other => other.is_null(),
    };
    let original = text_in(originals, field.wire_name);
    if is_empty && original == Some(ABSENT) {
        return None;
    }
    let is_null = |text: &str| matches!(text, "null" | "\"\"") || is_marker(field, text);
    let is_same = |text: &str| (is_empty && is_null(text)) || is_read_as(value, ty, text);
    let original = original.filter(|text| is_same(text)).map(|text| {
        // A `Value` has a number as an `f64`, so the text of the number is used if digits are lost.
        let mut forms = [any(text).ok(), Some(text.into()), serde_json::to_value(typed).ok()].into_iter().flatten();
        Form::Original(text, forms.find(|form| is_same(&form.to_string())).unwrap_or_default())
    });
    let misfit =
        || text_in(misfits, field.wire_name).filter(|_| is_empty).map(|text| Form::Original(text, value_of(text)));
    Some(original.or_else(misfit).unwrap_or(Form::Usual(typed)))
}

/// Returns whether a text stands for a missing value of the field.
fn is_marker(field: &FieldInfo, text: &str) -> bool {
    let is_listed = |text: &str| field.nulls.contains(&text);
    !field.nulls.is_empty() && any(text).is_ok_and(|value| value.as_str().is_some_and(is_listed))
}

/// Returns whether a text is read as this value.
fn is_read_as(value: FieldValue<'_>, ty: ValueType, text: &str) -> bool {
    DecodedValue::of_json(&ty, text).is_ok_and(|read| AnyValue::from(read).as_field_value() == value)
}

impl Serialize for UnknownFields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter_raw().map(|(name, text)| (name, Form::Original(text, value_of(text)))))
    }
}

/// An element of a series, as it is written in its body.
struct InBody<'r>(FieldValue<'r>);

impl Serialize for InBody<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            FieldValue::Record(record) => WrittenRecord { record, is_in_body: true }.serialize(serializer),
            other => other.serialize(serializer),
        }
    }
}

/// Writes a series in its envelope, or as a bare list if it has none. The arguments are the paths of the records and of
/// the metadata, the table of the records, if it is known, and the groups of the records.
pub(crate) fn serialize_series<T: AsFieldValue, S: Serializer>(
    [data, to_metadata]: [Option<Vec<&str>>; 2],
    info: Option<&'static RecordInfo>,
    groups: Option<&Groups>,
    records: &[T],
    metadata: &impl Serialize,
    unknown: &UnknownFields,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let data = data.unwrap_or_default();
    let (leads, unknown) = ([Some(&*data), to_metadata.as_deref()], unknown.as_json());
    if let Some((groups, groups_at)) = groups.zip(data.iter().position(|key| *key == "*")) {
        let leads = [Some(&data[..groups_at]), leads[1]];
        let others = data[..groups_at].iter().fold(unknown, |object, key| inner(object, key));
        let records: Vec<_> = records.iter().map(|record| InBody(record.as_field_value())).collect();
        let records = &WrittenGroups { groups, path: &data[groups_at + 1..], records: &records, unknown: others };
        return Level { leads, records, metadata, unknown }.serialize(serializer);
    }
    let records: Vec<_> = records.iter().map(T::as_field_value).collect();
    let Some(info) = info.filter(|info| info.form == RecordLayout::Columns) else {
        let records: Vec<_> = records.into_iter().map(InBody).collect();
        return Level { leads, records: &records, metadata, unknown }.serialize(serializer);
    };
    let others = members(data.iter().fold(unknown, |object, key| inner(object, key)));
    let others = others.into_iter().map(|(name, text)| (name.into_owned(), value_of(text)));
    let records = &columns(info, &records, others.collect()).map_err(S::Error::custom)?;
    Level { leads, records, metadata, unknown }.serialize(serializer)
}

/// Returns the object of the other members, with a list for each field that any record has, known or not.
fn columns(info: &RecordInfo, records: &[FieldValue<'_>], mut object: Map<String, Value>) -> serde_json::Result<Value> {
    let mut records = records.iter().map(serde_json::to_value).collect::<serde_json::Result<Vec<_>>>()?;
    let known: Vec<_> = info.fields.iter().map(|field| field.wire_name.to_owned()).collect();
    let names = records.iter().filter_map(Value::as_object).flat_map(Map::keys);
    let unknown: BTreeSet<_> = names.filter(|name| !known.contains(name)).cloned().collect();
    for name in known.into_iter().chain(unknown) {
        let is_missing = records.is_empty() && object.get(&name).is_none();
        if is_missing || records.iter().any(|record| record.get(&name).is_some()) {
            let take = |record: &mut Value| record.get_mut(&name).map(Value::take).unwrap_or_default();
            let column = records.iter_mut().map(take).collect();
            object.insert(name, column);
        }
    }
    Ok(object.into())
}

/// The records, the metadata, or an object that contains them.
struct Level<'r, R, M> {
    /// The remaining paths to the records and to the metadata; `None` for a path that is not below this level.
    leads: [Option<&'r [&'r str]>; 2],
    records: &'r R,
    metadata: &'r M,
    /// The unknown fields of this object and of inner objects, as a JSON object.
    unknown: &'r str,
}

impl<R: Serialize, M: Serialize> Serialize for Level<'_, R, M> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.leads {
            [Some([]), _] => return self.records.serialize(serializer),
            [_, Some([])] => return self.metadata.serialize(serializer),
            _ => {}
        }
        let mut keys: Vec<_> = self.leads.iter().flatten().filter_map(|lead| lead.first().copied()).collect();
        keys.dedup();
        if !keys.is_empty() && keys.iter().all(|key| key.parse::<usize>().is_ok()) {
            return self.list(&keys, serializer);
        }
        let mut object = serializer.serialize_map(None)?;
        for key in &keys {
            let leads = self.leads.map(|lead| lead?.strip_prefix(&[*key]));
            object.serialize_entry(key, &Self { leads, unknown: inner(self.unknown, key), ..*self })?;
        }
        for (name, text) in members(self.unknown).iter().filter(|(name, _)| !keys.contains(&&**name)) {
            object.serialize_entry(name, &Form::Original(text, value_of(text)))?;
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
            let leads =
                self.leads.map(|lead| lead?.split_first().filter(|(key, _)| **key == index).map(|(_, rest)| rest));
            if leads.iter().any(Option::is_some) {
                list.serialize_element(&Self { leads, unknown: inner(self.unknown, &index), ..*self })?;
            } else if let Some((_, text)) = others.iter().find(|(name, _)| *name == index) {
                list.serialize_element(&Form::Original(text, value_of(text)))?;
            }
        }
        list.end()
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
        let Groups { are_items, groups } = self.groups;
        let mut rest = self.records;
        let mut written = Vec::with_capacity(groups.len());
        for group in groups {
            let (records, after) = rest.split_at(group.records.min(rest.len()));
            rest = after;
            written.push(WrittenGroup { group, path: self.path, records, unknown: self.unknown });
        }
        if *are_items {
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
        let leads = [Some(*path), None];
        let unknown = others.unwrap_or("{}");
        match records {
            [] if others == Some("null") => serializer.serialize_unit(),
            [record] if group.is_single => {
                Level { leads, records: record, metadata: &(), unknown }.serialize(serializer)
            }
            records => Level { leads, records, metadata: &(), unknown }.serialize(serializer),
        }
    }
}

/// Returns the text of an inner object; an empty object if there is none.
fn inner<'u>(object: &'u str, name: &str) -> &'u str {
    member(object, name).unwrap_or("{}")
}

/// Converts the input into JSON, and returns the value that `decode` reads from it.
pub(crate) fn deserialize<'de, T, D: Deserializer<'de>>(
    deserializer: D,
    decode: impl FnOnce(&str) -> Result<T, DecodeError>,
) -> Result<T, D::Error> {
    decode(&json_text(deserializer)?).map_err(D::Error::custom)
}

impl<'de> Deserialize<'de> for UnknownFields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize(deserializer, |json| object(json, Self::INFO).map(|mut row| row.unknown_fields()))
    }
}
