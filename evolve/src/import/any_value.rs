//! Reads any JSON or YAML value, including those that other readers reject: numbers beyond 64 bits, and keys that are
//! not text.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, EnumAccess, Error, MapAccess, SeqAccess, VariantAccess, Visitor};
use serde_yaml::{Mapping, Value};

use super::document::text_of;

/// A value whose maps have texts as keys.
#[derive(Debug)]
pub(super) struct Tolerant(pub(super) Value);

impl<'de> Deserialize<'de> for Tolerant {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Any).map(Self)
    }
}

struct Any;

impl<'de> Visitor<'de> for Any {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    // Numbers beyond 64 bits are rounded to a float.
    #[expect(clippy::cast_precision_loss, reason = "nothing holds them exactly")]
    fn visit_i128<E>(self, value: i128) -> Result<Value, E> {
        Ok((value as f64).into())
    }

    #[expect(clippy::cast_precision_loss, reason = "nothing holds them exactly")]
    fn visit_u128<E>(self, value: u128) -> Result<Value, E> {
        Ok((value as f64).into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(Tolerant(item)) = list.next_element()? {
            items.push(item);
        }
        Ok(Value::Sequence(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut entries = Mapping::new();
        while let Some((Tolerant(key), Tolerant(value))) = map.next_entry()? {
            // In YAML `200` is a number, even as a key.
            let key = text_of(&key);
            if entries.insert(Value::from(key.as_str()), value).is_some() {
                return Err(A::Error::custom(format!("duplicate key `{key}`")));
            }
        }
        Ok(Value::Mapping(entries))
    }

    /// Tags are ignored.
    fn visit_enum<A: EnumAccess<'de>>(self, tagged: A) -> Result<Value, A::Error> {
        let (Tolerant(_), content) = tagged.variant()?;
        content.newtype_variant::<Tolerant>().map(|Tolerant(value)| value)
    }
}
