//! Values of any kind.
//!
//! This module does not use the `Deserialize` implementation of [`Value`]. With the feature
//! `serde_json/arbitrary_precision`, that implementation accepts numbers that are too large for an `f64`, so the same
//! body would decode differently.

use serde_json::Map;

use super::DecodeError;
use super::scanner::Scanner;
use crate::values::{Number, Value};

/// Reads a value of any kind; of two entries with the same key, the later one is used.
pub(super) fn any(json: &mut Scanner<'_>, next: u8, depth: u8) -> Result<Value, DecodeError> {
    Ok(match next {
        b'{' => {
            let (depth, mut object) = (json.deeper(depth)?, Value::Object(Map::new()));
            json.object(|json| {
                let (key, next) = (json.text()?, json.colon()?);
                // `Map::insert` is not used, because this crate would then contain another compiled copy of the map's
                // code.
                object[&*key] = any(json, next, depth).map_err(|error| error.in_field(&key))?;
                Ok(())
            })?;
            object
        }
        b'[' => {
            let (depth, mut items) = (json.deeper(depth)?, Vec::new());
            json.list(|json, next| {
                items.push(any(json, next, depth).map_err(|error| error.at_index(items.len()))?);
                Ok(())
            })?;
            Value::Array(items)
        }
        b'"' => Value::from(json.text()?),
        b'-' | b'0'..=b'9' => match json.number()? {
            Number::Integer(number) => Value::from(number),
            Number::Unsigned(number) => Value::from(number),
            Number::Float(number) => Value::from(number),
        },
        _ => json.literal()?.map_or(Value::Null, Value::Bool),
    })
}
