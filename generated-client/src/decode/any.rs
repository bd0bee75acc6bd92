//! Values of any kind.
//!
//! Not [`Value`]'s own `Deserialize`: under `serde_json/arbitrary_precision` that one keeps numbers as
//! they were written, infinite ones included, and the same body would come out differently.

use std::borrow::Cow;
use std::fmt;

use serde_core::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number};

use super::key::next_key;
use super::row::number_entry;
use crate::Value;
use crate::number;

/// Reads a value of any kind.
pub(super) struct AnySeed;

impl<'de> DeserializeSeed<'de> for AnySeed {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for AnySeed {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(Value::from(number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(Value::from(number))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Value, E> {
        let finite = Number::from_f64(number).map(Value::Number);
        finite.ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::from(text))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element_seed(Self)? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut entries = Map::new();
        while let Some(key) = next_key(&mut map)? {
            if entries.is_empty() && key == super::NUMBER_KEY {
                return match number_entry(&mut map)? {
                    number::Number::Integer(number) => self.visit_i64(number),
                    number::Number::Unsigned(number) => self.visit_u64(number),
                    number::Number::Float(number) => self.visit_f64(number),
                };
            }
            let value = map.next_value_seed(Self)?;
            entries.insert(Cow::into_owned(key), value);
        }
        Ok(Value::Object(entries))
    }
}
