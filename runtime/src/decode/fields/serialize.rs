//! Serialization of records and series into their wire form, with any serializer of serde.
//!
//! Fields have their wire names, and a timestamp has the unit of its field. An absent value is written as `null`, so
//! that all records of a type have the same fields. Unknown fields follow the known fields.

use serde_core::ser::{Error, SerializeMap, SerializeStruct};
use serde_core::{Serialize, Serializer};

use crate::decode::record::{AsFieldValue, FieldValue, RecordValue, UnknownFields};
use crate::registry::{EnvelopeInfo, RecordLayout, ServiceInfo, ValueType};
use crate::values::Value;
use crate::values::wire::ToWire;

/// A value and its type in the catalogue.
struct Typed<'r> {
    value: FieldValue<'r>,
    ty: ValueType,
}

impl Serialize for Typed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (self.value, self.ty) {
            (FieldValue::Null, _) => serializer.serialize_none(),
            (FieldValue::Boolean(value), _) => serializer.serialize_bool(value),
            (FieldValue::Integer(number), _) => serializer.serialize_i64(number),
            (FieldValue::Count(number), _) => serializer.serialize_u64(number),
            (FieldValue::Number(number), _) => serializer.serialize_f64(number),
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
                serializer.collect_seq(list.iter().map(|value| Typed { value, ty }))
            }
            (FieldValue::Map(map), ty) => {
                let ty = item(ty);
                serializer.collect_map(map.entries().into_iter().map(|(key, value)| (key, Typed { value, ty })))
            }
        }
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
        Typed { value: *self, ty: ValueType::Any }.serialize(serializer)
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

/// Writes a struct if there are no unknown fields, otherwise a map; a positional record becomes a list.
fn serialize_record<S: Serializer>(
    record: RecordValue<'_>,
    values: &[&dyn AsFieldValue],
    unknown: &UnknownFields,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let info = record.info();
    let known = info.fields.iter().zip(values);
    let mut known = known.map(|(field, value)| (field, Typed { value: value.as_field_value(), ty: field.ty }));
    let unknown: Vec<_> = unknown.iter().collect();
    let others =
        unknown.iter().map(|(name, value)| (&**name, Typed { value: FieldValue::Any(value), ty: ValueType::Any }));
    match info.form {
        RecordLayout::Object if unknown.is_empty() => {
            let mut fields = serializer.serialize_struct(info.name, values.len())?;
            known.try_for_each(|(field, value)| fields.serialize_field(field.wire_name, &value))?;
            fields.end()
        }
        RecordLayout::Object => {
            serializer.collect_map(known.map(|(field, value)| (field.wire_name, value)).chain(others))
        }
        RecordLayout::Positional => {
            serializer.collect_seq(known.map(|(_, value)| value).chain(others.map(|(_, value)| value)))
        }
        RecordLayout::Value => known.next().map(|(_, value)| value).serialize(serializer),
    }
}

impl Serialize for UnknownFields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

/// Writes a series in its envelope, or as a bare list if the catalogue describes no envelope.
pub(crate) fn serialize_series<T: AsFieldValue, S: Serializer>(
    service: &ServiceInfo,
    records: &[T],
    metadata: &impl Serialize,
    unknown: &UnknownFields,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let records: Vec<_> = records.iter().map(T::as_field_value).collect();
    let Some(EnvelopeInfo { data, metadata: to_metadata, .. }) = service.envelope else {
        return records.serialize(serializer);
    };
    let unknown = unknown.iter().map(|(name, value)| (name.into_owned(), value)).collect();
    Level { leads: [Some(data), to_metadata], records: &records, metadata, unknown }.serialize(serializer)
}

/// One object on the path to the records and the metadata.
struct Level<'r, M> {
    leads: [Option<&'static str>; 2],
    records: &'r [FieldValue<'r>],
    metadata: &'r M,
    /// Unknown fields, including those of inner objects.
    unknown: Vec<(String, Value)>,
}

impl<M: Serialize> Serialize for Level<'_, M> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let keys = self.leads.map(|lead| lead.map(|lead| lead.split('.').next().unwrap_or_default()));
        let mut object = serializer.serialize_map(None)?;
        for (index, (lead, key)) in self.leads.into_iter().zip(keys).enumerate() {
            match key {
                Some(key) if lead == Some(key) && index == 0 => object.serialize_entry(key, self.records)?,
                Some(key) if lead == Some(key) => object.serialize_entry(key, self.metadata)?,
                Some(key) if !keys[..index].contains(&Some(key)) => object.serialize_entry(key, &self.within(key))?,
                _ => {}
            }
        }
        let others = self.unknown.iter().filter(|(name, _)| !keys.contains(&Some(name)));
        others.into_iter().try_for_each(|(name, value)| object.serialize_entry(name, value))?;
        object.end()
    }
}

impl<M> Level<'_, M> {
    /// Returns the next inner level: the object under `key`.
    fn within(&self, key: &str) -> Self {
        let further = |lead: Option<&'static str>| lead?.strip_prefix(key)?.strip_prefix('.');
        let unknown = self.unknown.iter().find(|(name, _)| name == key).and_then(|(_, value)| value.as_object());
        Self {
            leads: self.leads.map(further),
            unknown: unknown.into_iter().flatten().map(|(name, value)| (name.clone(), value.clone())).collect(),
            ..*self
        }
    }
}
