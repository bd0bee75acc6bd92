//! Values of any kind.
//!
//! Not by way of [`Value`]'s own `Deserialize`: under `serde_json/arbitrary_precision` that one keeps numbers
//! as they were written, infinite ones included, and the same body would come out differently.

use serde_json::Map;

use super::scanner::{Fault, Scanner};
use crate::Value;
use crate::number::Number;

/// Reads a value of any kind; of two entries with one key the later counts.
pub(super) fn any(json: &mut Scanner<'_>, next: u8, depth: u8) -> Result<Value, Fault> {
    Ok(match next {
        b'{' => {
            let (depth, mut entries) = (json.deeper(depth)?, Map::new());
            json.object(|json| {
                let (key, next) = json.key()?;
                entries.insert(key.into_owned(), any(json, next, depth)?);
                Ok(())
            })?;
            Value::Object(entries)
        }
        b'[' => {
            let (depth, mut items) = (json.deeper(depth)?, Vec::new());
            json.list(|json, next| {
                items.push(any(json, next, depth)?);
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
