//! One object into one row.
//!
//! What the table does not know is kept beside the fields.
//! A known key that comes twice is refused, since nobody can tell which value is meant.

use std::borrow::Cow;
use std::fmt;

use serde_core::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Unexpected, Visitor};

use super::NUMBER_KEY;
use super::any::AnySeed;
use super::key::KeySeed;
use super::slot::SlotSeed;
use crate::number::Number;
use crate::record::{Row, Slot, UnknownFields};

/// Fills the row from an object.
pub(super) struct RowSeed<'r, 'a>(pub(super) &'r mut Row<'a>);

impl<'a> DeserializeSeed<'a> for RowSeed<'_, 'a> {
    type Value = ();

    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'a> Visitor<'a> for RowSeed<'_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        match self.0.read(&mut map)? {
            None => Ok(()),
            Some(number) => Err(A::Error::invalid_type(Unexpected::Float(number.float()), &self)),
        }
    }
}

impl<'a> Row<'a> {
    /// The field that was read last, by its name on the wire; empty before the first.
    pub(super) fn reading(&self) -> &'static str {
        self.reading.unwrap_or_default()
    }

    /// Reads an object's entries; the number, if the object was made of one by `serde_json`.
    pub(super) fn read<A: MapAccess<'a>>(&mut self, map: &mut A) -> Result<Option<Number>, A::Error> {
        self.clear();
        let (mut first, mut next) = (true, 0);
        let mut unknown = Cow::Borrowed("");
        loop {
            let key = KeySeed { fields: self.fields, next, unknown: &mut unknown };
            match map.next_key_seed(key)? {
                Some(Some(index)) => {
                    self.read_field(index, map)?;
                    next = index + 1;
                }
                Some(None) if first && unknown == NUMBER_KEY => return number_entry(map).map(Some),
                Some(None) => {
                    let value = map.next_value_seed(AnySeed)?;
                    self.unknown.insert(&unknown, value);
                }
                None => return Ok(None),
            }
            first = false;
        }
    }

    /// Drops what nobody has taken; as a rule that is nothing, and looking is cheaper than dropping.
    #[inline]
    fn clear(&mut self) {
        self.reading = None;
        for slot in &mut self.slots {
            if !matches!(slot, Slot::Absent) {
                *slot = Slot::Absent;
            }
        }
        if !self.unknown.is_empty() {
            self.unknown = UnknownFields::default();
        }
    }

    #[inline]
    fn read_field<A: MapAccess<'a>>(&mut self, index: usize, map: &mut A) -> Result<(), A::Error> {
        let (Some(field), Some(slot)) = (self.fields.get(index), self.slots.get_mut(index)) else {
            return map.next_value::<IgnoredAny>().map(drop);
        };
        self.reading = Some(field.wire_name);
        if !matches!(slot, Slot::Absent) {
            return Err(A::Error::custom("the key stands twice in one object"));
        }
        map.next_value_seed(SlotSeed { ty: &field.ty, slot })
    }
}

/// Reads the value that stands under [`NUMBER_KEY`].
pub(super) fn number_entry<'a, A: MapAccess<'a>>(map: &mut A) -> Result<Number, A::Error> {
    let text: String = map.next_value()?;
    // The words of `serde_json`, which says this itself unless `arbitrary_precision` is on.
    Number::parse(&text).ok_or_else(|| A::Error::custom("number out of range"))
}
