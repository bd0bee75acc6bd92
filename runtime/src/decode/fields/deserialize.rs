//! Deserialization of records and series from their wire form, with any deserializer of serde.
//!
//! The input is converted to JSON, and the decoder reads that JSON like a response: with the same tolerance and the
//! same errors, and without code that is compiled for each record. JSON input keeps its text, so a number keeps every
//! digit. Other formats are converted through [`Value`].

use std::fmt;

use serde_core::de::value::{MapDeserializer, SeqAccessDeserializer};
use serde_core::de::{Error, MapAccess, SeqAccess, Visitor};
use serde_core::{Deserialize, Deserializer, forward_to_deserialize_any};
use serde_json::Map;
use serde_json::value::RawValue;

use crate::decode::record::{Record, UnknownFields};
use crate::decode::{self, DecodeError};
use crate::values::Value;

/// Converts the input into JSON, and returns the value that `decode` reads from it.
pub(crate) fn deserialize<'de, T, D: Deserializer<'de>>(
    deserializer: D,
    decode: impl FnOnce(&str) -> Result<T, DecodeError>,
) -> Result<T, D::Error> {
    let json = Box::<RawValue>::deserialize(TextOrValue(deserializer))?;
    decode(json.get()).map_err(D::Error::custom)
}

/// A wrapper of a deserializer for any format, from which [`RawValue`] can be read.
///
/// `RawValue` requests a newtype with a special name. `serde_json` recognizes the name and passes the text, as the only
/// entry of a map. Any other format passes the value, within a newtype or bare, and this type converts it to text.
struct TextOrValue<D>(D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for TextOrValue<D> {
    type Error = D::Error;

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_newtype_struct(name, Newtype { name, visitor })
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct seq
        tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// Receives the content of a newtype from any format, and passes it to `visitor` as `serde_json` does: as a map whose
/// only entry has the newtype's name as key and the JSON text as value.
struct Newtype<V> {
    name: &'static str,
    visitor: V,
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Newtype<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.visitor.expecting(f)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<V::Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if key == self.name {
                let text: Value = entries.next_value()?;
                return self.of_text(text.as_str().unwrap_or_default().to_owned());
            }
            object.insert(key, entries.next_value()?);
        }
        self.of_text(Value::Object(object).to_string())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<V::Value, A::Error> {
        self.visit_newtype_struct(SeqAccessDeserializer::new(items))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, value: D) -> Result<V::Value, D::Error> {
        self.of_text(Value::deserialize(value)?.to_string())
    }
}

impl<'de, V: Visitor<'de>> Newtype<V> {
    fn of_text<E: Error>(self, text: String) -> Result<V::Value, E> {
        self.visitor.visit_map(MapDeserializer::new([(self.name, text)].into_iter()))
    }
}

impl<'de> Deserialize<'de> for UnknownFields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize(deserializer, |json| decode::object(json, Self::INFO).map(|mut row| row.unknown_fields()))
    }
}
