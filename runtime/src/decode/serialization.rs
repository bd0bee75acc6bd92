//! Serialization of records and series into their wire form, with any serializer of serde.
//!
//! Fields have their wire names, and a timestamp has the unit of its field. `None` is written as `null`, unless the
//! service omitted the field. Unknown fields follow the known fields. A value that the service wrote in another form,
//! such as `"0.10"`, is written in that form if it has not been changed since. A number that would lose digits as an `f64`
//! is written as a string. A whole number is written without a fraction in text formats, as most services do, unless the
//! catalogue says that the field has one.
//!
//! To deserialize, the input is converted to JSON, and the decoder reads that JSON like a response: with the same
//! tolerance and the same errors, and without code that is compiled for each record.

use std::collections::BTreeSet;

use serde_core::de::Error as _;
use serde_core::ser::{Error as _, SerializeMap, SerializeStruct};
use serde_core::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Map;

use super::any_record::{AnyRecord, AnyValue};
use super::error::DecodeError;
use super::field_value::{AsFieldValue, FieldValue, RecordValue};
use super::read_row::object;
use super::record::Record;
use super::row::DecodedValue;
use super::scanner::{DEPTH, any, read};
use super::unknown_fields::{ABSENT, UnknownFields};
use crate::registry::{FieldInfo, RecordInfo, RecordLayout, ValueType};
use crate::values::wire::ToWire;
use crate::values::{Number, Value, json_text};

/// A value and its type in the catalogue.
#[derive(Clone, Copy)]
struct Typed<'r> {
    value: FieldValue<'r>,
    ty: ValueType,
    /// True if numbers and timestamps are in quotes.
    quoted: bool,
    /// True if whole numbers are written with a fraction.
    fraction: bool,
}

impl<'r> Typed<'r> {
    /// Returns a value without a type, whose timestamps are written in seconds.
    fn any(value: FieldValue<'r>) -> Self {
        Self { value, ty: ValueType::Any, quoted: false, fraction: false }
    }
}

impl Serialize for Typed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(text) = self.value.quoted(self.ty).filter(|_| self.quoted) {
            return serializer.serialize_str(&text);
        }
        match (self.value, self.ty) {
            (FieldValue::Null, _) => serializer.serialize_none(),
            (FieldValue::Boolean(value), _) => serializer.serialize_bool(value),
            (FieldValue::Integer(number), _) => serializer.serialize_i64(number),
            (FieldValue::Count(number), _) => serializer.serialize_u64(number),
            (FieldValue::Number(number), _) => serialize_number(number, self.fraction, serializer),
            (FieldValue::Decimal(number), _) => number.serialize(serializer),
            (FieldValue::Timestamp(time), ValueType::Timestamp(unit)) if unit.is_text() => {
                serializer.serialize_str(&time.to_wire(unit))
            }
            (FieldValue::Timestamp(time), ValueType::Timestamp(unit)) => serializer.serialize_i64(time.wire(unit)),
            (FieldValue::Timestamp(time), _) => time.serialize(serializer),
            (FieldValue::Text(text), _) => serializer.serialize_str(text),
            (FieldValue::Any(value), _) => value.serialize(serializer),
            (FieldValue::Record(record), _) => record.serialize(serializer),
            (FieldValue::List(list), ty) => {
                let ty = item(ty);
                serializer.collect_seq(list.iter().map(|value| Typed { value, ty, ..*self }))
            }
            (FieldValue::Map(map), ty) => {
                let ty = item(ty);
                serializer
                    .collect_map(map.entries().into_iter().map(|(key, value)| (key, Typed { value, ty, ..*self })))
            }
        }
    }
}

fn serialize_number<S: Serializer>(number: f64, fraction: bool, serializer: S) -> Result<S::Ok, S::Error> {
    let is_negative_zero = number == 0.0 && number.is_sign_negative();
    match Number::Float(number).integer() {
        Some(whole) if serializer.is_human_readable() && !is_negative_zero && !fraction => {
            serializer.serialize_i64(whole)
        }
        _ => serializer.serialize_f64(number),
    }
}

/// Returns the type of the values in a list or a map.
fn item(ty: ValueType) -> ValueType {
    match ty {
        ValueType::List(ValueType::Option(item)) | ValueType::Map(ValueType::Option(item)) => **item,
        ValueType::List(item) | ValueType::Map(item) => *item,
        _ => ValueType::Any,
    }
}

/// Writes a value without the unit of its field, so a timestamp is written as the number of Unix seconds.
impl Serialize for FieldValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Typed::any(*self).serialize(serializer)
    }
}

impl Serialize for RecordValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut serializer = Some(serializer);
        let mut outcome = None;
        self.visit(&mut |values, unknown| {
            outcome = serializer.take().map(|serializer| serialize_record(*self, values, unknown, serializer));
        });
        outcome.unwrap_or_else(|| Err(S::Error::custom("the record passed no fields to its visitor")))
    }
}

/// Serializes the record as on the wire, with `null` for `None` unless the service omitted the field.
impl Serialize for AnyRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_field_value().serialize(serializer)
    }
}

/// Writes a struct if there are no unknown fields, otherwise a map; a positional record becomes a list.
fn serialize_record<S: Serializer>(
    record: RecordValue<'_>,
    values: &[&dyn AsFieldValue],
    unknown: &UnknownFields,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let info = record.info();
    let forms = forms(info, values, unknown);
    let absent = forms.iter().filter(|form| matches!(form, Form::Absent)).count();
    let mut known = info.fields.iter().zip(values).enumerate().filter_map(|(index, (field, value))| {
        let value = match forms.get(index) {
            Some(Form::Absent) => return None,
            Some(Form::Original(value)) => Typed::any(FieldValue::Any(value)),
            Some(Form::Usual) | None => {
                let FieldInfo { ty, quoted, fraction, .. } = *field;
                Typed { value: value.as_field_value(), ty, quoted, fraction }
            }
        };
        Some((field, value))
    });
    let is_known = |name: &str| info.fields.iter().any(|field| field.wire_name == name);
    let unknown: Vec<_> = unknown.iter().filter(|(name, _)| !is_known(name)).collect();
    let others = unknown.iter().map(|(name, value)| (&**name, Typed::any(FieldValue::Any(value))));
    match info.form {
        RecordLayout::Object | RecordLayout::Columns if unknown.is_empty() => {
            let mut fields = serializer.serialize_struct(info.name, values.len() - absent)?;
            known.try_for_each(|(field, value)| fields.serialize_field(field.wire_name, &value))?;
            fields.end()
        }
        RecordLayout::Object | RecordLayout::Columns => {
            serializer.collect_map(known.map(|(field, value)| (field.wire_name, value)).chain(others))
        }
        RecordLayout::Positional => {
            serializer.collect_seq(known.map(|(_, value)| value).chain(others.map(|(_, value)| value)))
        }
        RecordLayout::Value => known.next().map(|(_, value)| value).serialize(serializer),
    }
}

/// The form in which the service wrote a field.
enum Form {
    /// The form that the field has in the catalogue.
    Usual,
    /// The same value in another form, or a value that did not fit the field.
    Original(Value),
    /// The service omitted the field.
    Absent,
}

/// Returns the form of each field. The list is empty if all have the usual form.
fn forms(info: &RecordInfo, values: &[&dyn AsFieldValue], unknown: &UnknownFields) -> Vec<Form> {
    let originals = unknown.originals();
    if originals.is_empty() && unknown.is_empty() {
        return Vec::new();
    }
    let of_field = |(field, value): (&FieldInfo, &&dyn AsFieldValue)| {
        let value = value.as_field_value();
        let is_empty = match value {
            FieldValue::List(list) => list.iter().len() == 0,
            FieldValue::Map(map) => map.entries().is_empty(),
            other => other.is_null(),
        };
        let original = originals.iter().find(|(name, _)| name == field.wire_name).map(|(_, text)| *text);
        if is_empty && original == Some(ABSENT) {
            return Form::Absent;
        }
        // A `Value` has a number as an `f64`, so the text of the number is tried if digits are lost.
        let forms = original.map(|text| [any(text).ok(), Some(Value::from(text))]);
        let mut forms = forms.into_iter().flatten().flatten();
        let is_same = |form: &Value| match form {
            Value::Null => is_empty,
            Value::String(text) if text.is_empty() && is_empty => true,
            other => is_read_as(value, field.ty, &other.to_string()),
        };
        let misfit = || if is_empty { unknown.get(field.wire_name) } else { None };
        forms.find(is_same).or_else(misfit).map_or(Form::Usual, Form::Original)
    };
    info.fields.iter().zip(values).map(of_field).collect()
}

/// Returns whether a text is read as this value.
fn is_read_as(value: FieldValue<'_>, ty: ValueType, text: &str) -> bool {
    let read = read(text, |json, next| DecodedValue::read(&ty, json, next, DEPTH)).map(AnyValue::from);
    read.is_ok_and(|read| read.as_field_value() == value)
}

impl Serialize for UnknownFields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

/// Writes a series in its envelope, or as a bare list if it has none. The arguments are the paths of the records and of
/// the metadata, and the table of the records, if it is known.
pub(crate) fn serialize_series<T: AsFieldValue, S: Serializer>(
    [data, to_metadata]: [Option<Vec<&str>>; 2],
    info: Option<&'static RecordInfo>,
    records: &[T],
    metadata: &impl Serialize,
    unknown: &UnknownFields,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let records: Vec<_> = records.iter().map(T::as_field_value).collect();
    let leads = [data.as_deref(), to_metadata.as_deref()];
    let unknown: Vec<_> = unknown.iter().map(|(name, value)| (name.into_owned(), value)).collect();
    let Some(info) = info.filter(|info| info.form == RecordLayout::Columns) else {
        return serialize_body(leads, &records, metadata, unknown, serializer);
    };
    let body: Value = unknown.iter().cloned().collect();
    let others = data.iter().flatten().try_fold(&body, |object, key| object.get(key)).and_then(Value::as_object);
    let columns = columns(info, &records, others.cloned().unwrap_or_default()).map_err(S::Error::custom)?;
    serialize_body(leads, &columns, metadata, unknown, serializer)
}

fn serialize_body<S: Serializer>(
    leads: [Option<&[&str]>; 2],
    records: &impl Serialize,
    metadata: &impl Serialize,
    unknown: Vec<(String, Value)>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    if leads[0].is_none() {
        return records.serialize(serializer);
    }
    Level { leads, records, metadata, unknown }.serialize(serializer)
}

/// Returns an object with a list for each field that any record has, known or not, and with other members.
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

/// One object on the path to the records and the metadata.
struct Level<'r, R, M> {
    leads: [Option<&'r [&'r str]>; 2],
    records: &'r R,
    metadata: &'r M,
    /// Unknown fields, including those of inner objects.
    unknown: Vec<(String, Value)>,
}

impl<R: Serialize, M: Serialize> Serialize for Level<'_, R, M> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let keys = self.leads.map(|lead| lead?.first().copied());
        let mut object = serializer.serialize_map(None)?;
        for (index, lead) in self.leads.into_iter().enumerate() {
            match lead {
                Some([key]) if index == 0 => object.serialize_entry(key, self.records)?,
                Some([key]) => object.serialize_entry(key, self.metadata)?,
                Some([key, ..]) if !keys[..index].contains(&Some(key)) => {
                    object.serialize_entry(key, &self.within(key))?;
                }
                _ => {}
            }
        }
        let others = self.unknown.iter().filter(|(name, _)| !keys.contains(&Some(name)));
        others.into_iter().try_for_each(|(name, value)| object.serialize_entry(name, value))?;
        object.end()
    }
}

impl<'r, R, M> Level<'r, R, M> {
    /// Returns the next inner level: the object under `key`.
    fn within(&self, key: &'r str) -> Self {
        let further = |lead: Option<&'r [&'r str]>| lead?.strip_prefix(&[key]);
        let unknown = self.unknown.iter().find(|(name, _)| name == key).and_then(|(_, value)| value.as_object());
        Self {
            leads: self.leads.map(further),
            unknown: unknown.into_iter().flatten().map(|(name, value)| (name.clone(), value.clone())).collect(),
            ..*self
        }
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
