//! Serialization of records into their wire form, with any serializer of serde.
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
use std::collections::BTreeMap;

use serde_core::de::Error as _;
use serde_core::ser::{SerializeMap, SerializeSeq, SerializeStruct};
use serde_core::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use super::any_record::{AnyRecord, AnyValue};
use super::error::DecodeError;
use super::field_value::{AsFieldValue, FieldValue, RecordValue, Values};
use super::read_row::object;
use super::record::Record;
use super::row::DecodedValue;
use super::scanner::any;
use super::typed_value::{TypedValue, item};
use super::unknown_fields::{self, ABSENT, UnknownFields, on_one_line, value_of};
use crate::registry::{FieldInfo, FieldSource, RecordLayout, ValueType};
use crate::values::{Value, json_text};

/// Writes a value without the unit of its field, so a timestamp is written as the number of Unix seconds.
impl Serialize for FieldValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        TypedValue { value: *self, ty: ValueType::Any, quoted: false }.serialize(serializer)
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
pub(super) struct WrittenRecord<'r> {
    pub(super) record: RecordValue<'r>,
    /// True if fields are omitted whose values are elsewhere in the body.
    pub(super) is_in_body: bool,
}

impl Serialize for WrittenRecord<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let info = self.record.info();
        let (known, others) = self.fields();
        match info.layout {
            RecordLayout::Object | RecordLayout::Columns | RecordLayout::Named(_) if others.is_empty() => {
                let mut fields = serializer.serialize_struct(info.name, known.len())?;
                for (name, value) in &known {
                    fields.serialize_field(name, value)?;
                }
                fields.end()
            }
            RecordLayout::Object | RecordLayout::Columns | RecordLayout::Named(_) => {
                let mut fields = serializer.serialize_map(Some(known.len() + others.len()))?;
                for (name, value) in &known {
                    fields.serialize_entry(name, value)?;
                }
                for (name, value) in &others {
                    fields.serialize_entry(name, value)?;
                }
                fields.end()
            }
            RecordLayout::Positional => {
                let mut items = serializer.serialize_seq(Some(known.len() + others.len()))?;
                for (_, value) in &known {
                    items.serialize_element(value)?;
                }
                for (_, value) in &others {
                    items.serialize_element(value)?;
                }
                items.end()
            }
            RecordLayout::Value => known.first().map(|(_, value)| value).serialize(serializer),
        }
    }
}

/// Names of fields with their values.
pub(super) type Named<N, V> = Vec<(N, V)>;

impl<'r> WrittenRecord<'r> {
    /// The known fields that are written, and the unknown fields.
    pub(super) fn fields(&self) -> (Named<&'static str, WrittenValue<'r>>, Named<Cow<'r, str>, WrittenValue<'r>>) {
        let info = self.record.info();
        let unknown = self.record.unknown_fields();
        let originals = unknown.originals(info.fields);
        // A value that did not fit its field is among the unknown fields, with the name of the field.
        let mut misfits = Vec::new();
        let mut others = Vec::new();
        for (name, text) in unknown.iter_raw() {
            if info.fields.iter().any(|field| field.is_named(&name)) {
                misfits.push((name, text));
            } else {
                others.push((name, WrittenValue::received(text)));
            }
        }
        let mut known = Vec::new();
        for (field, value) in self.record.values() {
            let is_elsewhere = self.is_in_body && field.source.is_derived();
            if is_elsewhere {
                continue;
            }
            if let (FieldSource::Others, FieldValue::Map(members)) = (field.source, value) {
                others.extend(other_members(field, members, &originals));
                continue;
            }
            if let Some(value) = written_value(field, value, &originals, &misfits) {
                known.push((field.wire_name, value));
            }
        }
        (known, others)
    }
}

/// A value as it is written.
pub(super) enum WrittenValue<'r> {
    /// In the way that the catalogue declares for the field.
    Declared(TypedValue<'r>),
    /// As the text that the service wrote, if that is another text, or if the value did not fit the field. The value is
    /// written in formats in which a number has only one text.
    Received(&'r str, Value),
}

impl<'r> WrittenValue<'r> {
    pub(super) fn received(text: &'r str) -> Self {
        Self::Received(text, value_of(text))
    }
}

impl Serialize for WrittenValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Other serializers, also that of `serde_json::Value`, cannot write the text of a number, and `Serializer` has
        // no method by which they differ.
        let is_json_text = type_name::<S>().starts_with("&mut serde_json::ser::Serializer<");
        match self {
            Self::Declared(value) => value.serialize(serializer),
            Self::Received(text, value) => match RawValue::from_string(on_one_line(text)) {
                Ok(text) if is_json_text => text.serialize(serializer),
                _ => value.serialize(serializer),
            },
        }
    }
}

/// The names and the texts of fields.
type Texts<'u, N> = [(N, &'u str)];

/// The text of the last field with this name.
fn text_in<'u, N: AsRef<str>>(texts: &Texts<'u, N>, name: &str) -> Option<&'u str> {
    let (_, text) = texts.iter().rfind(|(known, _)| known.as_ref() == name)?;
    Some(text)
}

/// The value of a field; `None` if the service omitted the field. `misfits` are the values that did not fit their
/// fields.
fn written_value<'r>(
    field: &FieldInfo,
    value: FieldValue<'r>,
    originals: &Texts<'r, &'static str>,
    misfits: &Texts<'r, Cow<'r, str>>,
) -> Option<WrittenValue<'r>> {
    let declared = TypedValue { value, ty: field.ty, quoted: field.quoted };
    // This is so for most records.
    if originals.is_empty() && misfits.is_empty() {
        return Some(WrittenValue::Declared(declared));
    }
    let is_empty = match value {
        FieldValue::List(values) | FieldValue::Map(values) => values.iter().len() == 0,
        other => other.is_null(),
    };
    if let Some(text) = text_in(originals, field.wire_name) {
        if is_empty && text == ABSENT {
            return None;
        }
        if is_text_of(field, value, is_empty, text) {
            return Some(WrittenValue::Received(text, json_value(field, declared, is_empty, text)));
        }
    }
    match text_in(misfits, field.wire_name) {
        Some(text) if is_empty => Some(WrittenValue::received(text)),
        _ => Some(WrittenValue::Declared(declared)),
    }
}

/// The members of a record that are not in its table, from the field that has them. Of each member that would be written
/// in another form, `originals` has the text, as an object.
fn other_members<'r>(
    field: &FieldInfo,
    members: Values<'r>,
    originals: &Texts<'r, &'static str>,
) -> Named<Cow<'r, str>, WrittenValue<'r>> {
    let mut texts = BTreeMap::new();
    for (name, text) in originals {
        if *name == field.wire_name {
            texts.extend(unknown_fields::members(text));
        }
    }
    let ty = item(field.ty);
    let mut written = Vec::new();
    for (name, value) in members.entries() {
        let member = match texts.get(name) {
            Some(text) if is_read_as(value, ty, text) => WrittenValue::received(text),
            _ => WrittenValue::Declared(TypedValue { value, ty, quoted: field.quoted }),
        };
        written.push((Cow::Borrowed(name), member));
    }
    written
}

/// `true` if the value of a field is read from this text, so that it was not changed since.
fn is_text_of(field: &FieldInfo, value: FieldValue<'_>, is_empty: bool, text: &str) -> bool {
    let is_null = matches!(text, "null" | "\"\"") || is_marker(field, text);
    (is_empty && is_null) || is_read_as(value, field.ty, text)
}

/// The value of a text for formats that cannot write the text of a number. A `Value` has a number as an `f64`, so the
/// text is used as a string if digits would be lost.
fn json_value(field: &FieldInfo, declared: TypedValue<'_>, is_empty: bool, text: &str) -> Value {
    let candidates = [any(text).ok(), Some(text.into()), serde_json::to_value(declared).ok()];
    for candidate in candidates.into_iter().flatten() {
        if is_text_of(field, declared.value, is_empty, &candidate.to_string()) {
            return candidate;
        }
    }
    Value::Null
}

/// `true` if a text stands for a missing value of the field.
fn is_marker(field: &FieldInfo, text: &str) -> bool {
    if field.nulls.is_empty() {
        return false;
    }
    let Ok(value) = any(text) else { return false };
    value.as_str().is_some_and(|text| field.nulls.contains(&text))
}

/// `true` if a text is read as this value.
fn is_read_as(value: FieldValue<'_>, ty: ValueType, text: &str) -> bool {
    DecodedValue::of_json(&ty, text).is_ok_and(|read| AnyValue::from(read).as_field_value() == value)
}

impl Serialize for UnknownFields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter_raw().map(|(name, text)| (name, WrittenValue::received(text))))
    }
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
