//! Reads a value of any kind.
//!
//! The `Deserialize` implementation of [`Value`] is not used. With the feature `serde_json/arbitrary_precision`, that
//! implementation accepts numbers that are too large for an `f64`, so the same body would decode differently.

use serde_json::Map;

use super::{DEPTH, DecodeError, Scanner, read};
use crate::values::{Number, Value};

/// Reads a text that contains a value of any kind.
pub(crate) fn any(text: &str) -> Result<Value, DecodeError> {
    read(text, |json, next| json.any_value(next, DEPTH))
}

impl Scanner<'_> {
    /// Reads a value of any kind; of two entries with the same key, the later one is used.
    pub(in crate::decode) fn any_value(&mut self, next: u8, depth: u8) -> Result<Value, DecodeError> {
        Ok(match next {
            b'{' => {
                let depth = self.deeper(depth)?;
                let mut object = Value::Object(Map::new());
                self.object(|json| {
                    let key = json.text()?;
                    let next = json.colon()?;
                    // `Map::insert` is not used, because this crate would then contain another compiled copy of the
                    // map's code.
                    object[&*key] = json.any_value(next, depth).map_err(|error| error.in_field(&key))?;
                    Ok(())
                })?;
                object
            }
            b'[' => {
                let depth = self.deeper(depth)?;
                let mut items = Vec::new();
                self.list(|json, next| {
                    items.push(json.any_value(next, depth).map_err(|error| error.at_index(items.len()))?);
                    Ok(())
                })?;
                Value::Array(items)
            }
            b'"' => Value::from(self.text()?),
            b'-' | b'0'..=b'9' => match self.number()? {
                Number::Integer(number) => Value::from(number),
                Number::Unsigned(number) => Value::from(number),
                Number::Float(number) | Number::Other(number) => Value::from(number),
            },
            _ => self.literal()?.map_or(Value::Null, Value::Bool),
        })
    }
}
