//! Values of any kind, read or stepped over.
//!
//! Not by way of [`Value`]'s own `Deserialize`: under `serde_json/arbitrary_precision` that one keeps numbers
//! as they were written, infinite ones included, and the same body would come out differently.

use std::borrow::Cow;

use serde_json::Map;

use super::scanner::{DEPTH, Fault, Scanner};
use crate::values::Number;
use crate::values::Value;

/// Reads a value of any kind; of two entries with one key the later counts.
pub(super) fn any(json: &mut Scanner<'_>, next: u8, depth: u8) -> Result<Value, Fault> {
    Ok(match next {
        b'{' => {
            let (depth, mut object) = (json.deeper(depth)?, Value::Object(Map::new()));
            json.object(|json| {
                let (key, next) = json.key()?;
                // The map's own `insert` would be compiled here and not in its crate, thousands of lines of it.
                object[&*key] = any(json, next, depth)?;
                Ok(())
            })?;
            object
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

/// Steps over a value of any kind; it has to be one that could be read.
pub(super) fn skip(json: &mut Scanner<'_>, next: u8, depth: u8) -> Result<(), Fault> {
    match next {
        b'{' => {
            let depth = json.deeper(depth)?;
            json.object(|json| {
                let (_, next) = json.key()?;
                skip(json, next, depth)
            })
        }
        b'[' => {
            let depth = json.deeper(depth)?;
            json.list(|json, next| skip(json, next, depth))
        }
        b'"' => json.text().map(drop),
        b'-' | b'0'..=b'9' => json.skip_number(),
        _ => json.literal().map(drop),
    }
}

/// Reads the entries of an object in their order; of two with one key the later counts.
pub(super) fn entries<'a>(json: &mut Scanner<'a>) -> Result<Vec<(Cow<'a, str>, Value)>, Fault> {
    let mut entries: Vec<(Cow<'a, str>, Value)> = Vec::new();
    // An object for a map, since `serde_json` has that compiled; a map of our own would be compiled with the client.
    let mut places = Value::Null;
    json.object(|json| {
        let (key, next) = json.key()?;
        let value = any(json, next, DEPTH - 1)?;
        let place = places.get(&*key).and_then(|place| usize::try_from(place.as_u64()?).ok());
        if let Some((_, old)) = place.and_then(|place| entries.get_mut(place)) {
            *old = value;
        } else {
            places[&*key] = entries.len().into();
            entries.push((key, value));
        }
        Ok(())
    })?;
    Ok(entries)
}
