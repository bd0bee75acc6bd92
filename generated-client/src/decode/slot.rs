//! One value into one slot.
//!
//! The table says whether a list, an object or anything at all is expected; what is not expected is
//! skipped and noted, since only the Rust type can say in full what was wanted.

use std::fmt;

use serde_core::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::NUMBER_KEY;
use super::any::AnySeed;
use super::key::next_key;
use super::row::number_entry;
use crate::Value;
use crate::number::Number;
use crate::record::{Large, Row, Slot};
use crate::registry::ValueType;

/// Fills a slot with a value of the type that the table names, or with what stands in its place.
///
/// In place, because moving slots around would cost more than reading most values.
pub(super) struct SlotSeed<'s, 'a> {
    pub(super) ty: &'s ValueType,
    pub(super) slot: &'s mut Slot<'a>,
}

impl<'a> SlotSeed<'_, 'a> {
    // A number or text, which is nearly always the case, never gets here.
    #[cold]
    fn any<D: Deserializer<'a>>(self, deserializer: D) -> Result<(), D::Error> {
        *self.slot = match AnySeed.deserialize(deserializer)? {
            Value::Null => Slot::Null,
            value => Large::Any(value).into(),
        };
        Ok(())
    }

    // Always `Ok`, as every visit ends with it.
    #[allow(clippy::unnecessary_wraps)]
    fn fill<E>(self, slot: Slot<'a>) -> Result<(), E> {
        // Only an absent slot is ever filled, and that is nothing to drop.
        std::mem::forget(std::mem::replace(self.slot, slot));
        Ok(())
    }
}

impl<'a> DeserializeSeed<'a> for SlotSeed<'_, 'a> {
    type Value = ();

    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<(), D::Error> {
        match self.ty {
            ValueType::Any => self.any(deserializer),
            _ => deserializer.deserialize_any(self),
        }
    }
}

impl<'a> Visitor<'a> for SlotSeed<'_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.fill(Slot::Bool(value))
    }

    fn visit_i64<E>(self, number: i64) -> Result<(), E> {
        self.fill(Slot::Integer(number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<(), E> {
        self.fill(i64::try_from(number).map_or(Slot::Unsigned(number), Slot::Integer))
    }

    fn visit_f64<E>(self, number: f64) -> Result<(), E> {
        self.fill(Slot::Float(number))
    }

    fn visit_borrowed_str<E>(self, text: &'a str) -> Result<(), E> {
        self.fill(Slot::Text(text))
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.fill(Large::Text(text.to_owned()).into())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.fill(Slot::Null)
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut list: A) -> Result<(), A::Error> {
        let ValueType::List(ty) = self.ty else {
            while list.next_element::<IgnoredAny>()?.is_some() {}
            return self.fill(Slot::StrayList);
        };
        let mut items = Vec::new();
        let mut slot = Slot::Absent;
        while list.next_element_seed(SlotSeed { ty, slot: &mut slot })?.is_some() {
            items.push(std::mem::take(&mut slot));
        }
        self.fill(Large::List(items).into())
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        let ValueType::Record(record) = self.ty else {
            let slot = stray(&mut map)?;
            return self.fill(slot);
        };
        let mut row = Row::new(record.fields);
        let number = row.read(&mut map)?;
        self.fill(number.map_or_else(|| Large::Record(row).into(), Slot::from))
    }
}

/// Skips an object that nobody expects, unless it is a number in disguise.
fn stray<'a, A: MapAccess<'a>>(map: &mut A) -> Result<Slot<'a>, A::Error> {
    if let Some(key) = next_key(map)? {
        if key == NUMBER_KEY {
            return number_entry(map).map(Slot::from);
        }
        map.next_value::<IgnoredAny>()?;
    }
    while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
    Ok(Slot::StrayObject)
}

impl From<Number> for Slot<'_> {
    fn from(number: Number) -> Self {
        match number {
            Number::Integer(number) => Self::Integer(number),
            Number::Unsigned(number) => Self::Unsigned(number),
            Number::Float(number) => Self::Float(number),
        }
    }
}
