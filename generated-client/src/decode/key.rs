//! The keys of an object, looked up in a table of fields.
//!
//! Keys usually come in the order of the table, so the field after the last one is tried first.

use std::borrow::Cow;
use std::fmt;

use serde_core::de::{DeserializeSeed, Deserializer, MapAccess, Visitor};

use crate::registry::FieldInfo;

/// Reads a key: the field's place in the table, or `None` with the key itself left in `unknown`.
///
/// A pair of words is returned in registers; a key would have to be moved through memory each time.
pub(super) struct KeySeed<'k, 'a> {
    pub(super) fields: &'static [FieldInfo],
    pub(super) next: usize,
    pub(super) unknown: &'k mut Cow<'a, str>,
}

impl KeySeed<'_, '_> {
    fn find(&self, key: &str) -> Option<usize> {
        let is_key = |field: &FieldInfo| field.wire_name == key;
        if self.fields.get(self.next).is_some_and(is_key) {
            return Some(self.next);
        }
        self.fields.iter().position(is_key)
    }
}

impl<'a> DeserializeSeed<'a> for KeySeed<'_, 'a> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<Option<usize>, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl<'a> Visitor<'a> for KeySeed<'_, 'a> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E>(self, key: &'a str) -> Result<Option<usize>, E> {
        let found = self.find(key);
        if found.is_none() {
            *self.unknown = Cow::Borrowed(key);
        }
        Ok(found)
    }

    fn visit_str<E>(self, key: &str) -> Result<Option<usize>, E> {
        let found = self.find(key);
        if found.is_none() {
            *self.unknown = Cow::Owned(key.to_owned());
        }
        Ok(found)
    }
}

/// The next key of an object without a table.
pub(super) fn next_key<'a, A: MapAccess<'a>>(map: &mut A) -> Result<Option<Cow<'a, str>>, A::Error> {
    let mut unknown = Cow::Borrowed("");
    let seed = KeySeed { fields: &[], next: 0, unknown: &mut unknown };
    Ok(map.next_key_seed(seed)?.map(|_| unknown))
}
