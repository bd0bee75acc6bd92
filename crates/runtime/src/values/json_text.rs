//! The JSON text of a value in any format of serde.
//!
//! JSON input keeps its text, so a number keeps every digit. Other formats are converted through [`Value`].

use std::fmt;

use serde_core::de::value::SeqAccessDeserializer;
use serde_core::de::{Error, MapAccess, SeqAccess, Visitor};
use serde_core::{Deserialize, Deserializer};
use serde_json::Map;

use super::Value;

/// A value as JSON.
pub(crate) fn json_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    deserializer.deserialize_newtype_struct(RAW_VALUE, Text)
}

/// The text of a string, or of another value as it is in JSON, where a number has every digit.
pub(super) fn text_or_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let json = json_text(deserializer)?;
    Ok(serde_json::from_str(&json).unwrap_or(json))
}

/// The name of the newtype that `serde_json::value::RawValue` requests. `serde_json` passes the text of the value as the
/// only entry of a map, with this name as its key. Any other format passes the value, within a newtype or bare. If a later
/// `serde_json` used another name, numbers would only lose digits that do not fit into an `f64`, and a test would fail.
const RAW_VALUE: &str = "$serde_json::private::RawValue";

/// Receives a value from any format as JSON text.
struct Text;

impl<'de> Visitor<'de> for Text {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<String, E> {
        Ok(Value::from(text).to_string())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<String, E> {
        Ok(number.to_string())
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<String, E> {
        Ok(number.to_string())
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<String, E> {
        Ok(Value::from(number).to_string())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<String, A::Error> {
        let mut object = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if key == RAW_VALUE {
                return entries.next_value();
            }
            object.insert(key, entries.next_value()?);
        }
        Ok(Value::Object(object).to_string())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<String, A::Error> {
        self.visit_newtype_struct(SeqAccessDeserializer::new(items))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, value: D) -> Result<String, D::Error> {
        Ok(Value::deserialize(value)?.to_string())
    }
}
