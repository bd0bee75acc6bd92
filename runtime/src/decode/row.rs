//! Reads one record into one row.
//!
//! Values of unknown fields are kept next to the known ones. A repeated key is an error, because either value may be
//! the right one. A value of an unexpected kind is skipped and recorded, because only the Rust type knows the full
//! expectation.

use std::borrow::Cow;

use super::DecodeError;
use super::any::any;
use super::record::{Large, Row, Slot};
use super::scanner::Scanner;
use crate::registry::{RecordLayout, ValueType};
use crate::values::{Number, Value};

impl<'a> Row<'a> {
    /// Fills the row from a record in its layout on the wire.
    pub(super) fn fill(&mut self, json: &mut Scanner<'a>, next: u8, depth: u8) -> Result<(), DecodeError> {
        self.clear();
        match (self.form, next) {
            (RecordLayout::Object, b'{') => self.fill_by_name(json, depth),
            (RecordLayout::Positional, b'[') => self.fill_by_position(json, depth),
            (RecordLayout::Value, _) => self.fill_whole(json, next, depth),
            (RecordLayout::Object, _) => Err(json.expected("an object")),
            (RecordLayout::Positional, _) => Err(json.expected("a list")),
        }
    }

    fn fill_by_name(&mut self, json: &mut Scanner<'a>, depth: u8) -> Result<(), DecodeError> {
        let (depth, mut guess) = (json.deeper(depth)?, 0);
        json.object(|json| {
            let Some((index, next)) = self.known_key(guess, json)? else { return Ok(()) };
            guess = index + 1;
            self.fill_slot(index, json, next, depth)
        })
    }

    /// Reads a key, and returns its field and the first byte of its value; unknown fields are kept.
    #[inline]
    fn known_key(&mut self, guess: usize, json: &mut Scanner<'a>) -> Result<Option<(usize, u8)>, DecodeError> {
        // Keys usually appear in the order of the table.
        if let Some(field) = self.fields.get(guess).filter(|field| field.plain) {
            if let Some(next) = json.key_if(field.wire_name)? {
                return Ok(Some((guess, next)));
            }
        }
        self.any_key(json)
    }

    /// Reads any key, and looks it up in the entire table.
    fn any_key(&mut self, json: &mut Scanner<'a>) -> Result<Option<(usize, u8)>, DecodeError> {
        let start = json.at();
        let (key, next) = json.any_key()?;
        let known = self.fields.iter().position(|field| field.wire_name == key);
        if known.is_none() {
            json.skip(next).map_err(|error| error.in_field(&key))?;
            self.unknown.push(json.since(start));
        }
        Ok(known.map(|index| (index, next)))
    }

    /// Assigns each value to the field at its position; additional values are kept by position.
    fn fill_by_position(&mut self, json: &mut Scanner<'a>, depth: u8) -> Result<(), DecodeError> {
        let (depth, mut position) = (json.deeper(depth)?, 0);
        json.list(|json, next| {
            let start = json.at();
            let filled = match (self.fields.get(position), self.slots.get_mut(position)) {
                (Some(field), Some(slot)) => value(&field.ty, json, next, depth).map(|value| *slot = value),
                _ => json.skip(next).map(|()| self.unknown.push(&format!("\"{position}\":{}", json.since(start)))),
            };
            filled.map_err(|error| error.at_index(position))?;
            position += 1;
            Ok(())
        })
    }

    /// Assigns the entire value to the only field.
    fn fill_whole(&mut self, json: &mut Scanner<'a>, next: u8, depth: u8) -> Result<(), DecodeError> {
        match (self.fields.first(), self.slots.first_mut()) {
            (Some(field), Some(slot)) => value(&field.ty, json, next, depth).map(|value| *slot = value),
            _ => json.skip(next),
        }
    }

    /// Drops the remaining values. Usually there are none, and checking is cheaper than dropping.
    #[inline]
    fn clear(&mut self) {
        for slot in &mut self.slots {
            if !matches!(slot, Slot::Absent) {
                *slot = Slot::Absent;
            }
        }
        self.unknown.clear();
    }

    #[inline]
    fn fill_slot(&mut self, index: usize, json: &mut Scanner<'a>, next: u8, depth: u8) -> Result<(), DecodeError> {
        let (Some(slot), Some(field)) = (self.slots.get_mut(index), self.fields.get(index)) else {
            return json.skip(next);
        };
        if !matches!(slot, Slot::Absent) {
            return Err(json.duplicate(field.wire_name).in_field(field.wire_name));
        }
        let filled = match (next, &field.ty) {
            // Fast path: nearly every record has a time, and nearly every time is a whole number.
            (b'-' | b'0'..=b'9', ValueType::Timestamp(unit)) => json.number().map(|number| match number {
                Number::Integer(count) if !unit.is_text() => Slot::moment(count, *unit),
                number => Slot::from(number).in_unit(*unit),
            }),
            (b'-' | b'0'..=b'9', ty) if !matches!(ty, ValueType::Any) => json.number().map(Slot::from),
            (_, ty) => value(ty, json, next, depth),
        };
        slot.fill(filled.map_err(|error| error.in_field(field.wire_name))?);
        Ok(())
    }
}

/// Reads a value of the type in the table; a value of another type becomes a slot that `FromSlot` rejects.
#[inline(never)] // It is recursive, and most values are read without calling it.
pub(super) fn value<'a>(ty: &ValueType, json: &mut Scanner<'a>, next: u8, depth: u8) -> Result<Slot<'a>, DecodeError> {
    Ok(match (next, ty) {
        (_, ValueType::Any) => match any(json, next, depth)? {
            Value::Null => Slot::Null,
            value => Large::Any(value).into(),
        },
        (b'-' | b'0'..=b'9', ValueType::Timestamp(unit)) => Slot::from(json.number()?).in_unit(*unit),
        (b'-' | b'0'..=b'9', _) => json.number()?.into(),
        (b'"', ValueType::Timestamp(unit)) => text(json)?.in_unit(*unit),
        (b'"', _) => text(json)?,
        (b'[', ValueType::List(ty)) => {
            let (depth, mut items) = (json.deeper(depth)?, Vec::new());
            json.list(|json, next| {
                items.push(value(ty.given(), json, next, depth).map_err(|error| error.at_index(items.len()))?);
                Ok(())
            })?;
            Large::List(items).into()
        }
        (b'{', ValueType::Map(ty)) => {
            let (depth, mut entries) = (json.deeper(depth)?, Vec::new());
            json.object(|json| {
                let (key, next) = json.any_key()?;
                let value = value(ty.given(), json, next, depth).map_err(|error| error.in_field(&key))?;
                entries.push((key.into_owned(), value));
                Ok(())
            })?;
            Large::Map(entries).into()
        }
        (b'{' | b'[', ValueType::Record(record)) if record.form.begins_with(next) => {
            let mut row = Row::of(record);
            row.fill(json, next, depth)?;
            Large::Record(row).into()
        }
        (b'[', _) => json.skip(next).map(|()| Slot::StrayList)?,
        (b'{', _) => json.skip(next).map(|()| Slot::StrayObject)?,
        _ => json.literal()?.map_or(Slot::Null, Slot::Bool),
    })
}

impl ValueType {
    /// Returns the type of a value that is not null.
    const fn given(&self) -> &Self {
        match self {
            Self::Option(given) => given,
            given => given,
        }
    }
}

impl RecordLayout {
    /// Returns whether a record of this layout can begin with this byte.
    const fn begins_with(self, next: u8) -> bool {
        match self {
            Self::Object => next == b'{',
            Self::Positional => next == b'[',
            Self::Value => true,
        }
    }
}

fn text<'a>(json: &mut Scanner<'a>) -> Result<Slot<'a>, DecodeError> {
    Ok(match json.text()? {
        Cow::Borrowed(text) => Slot::Text(text),
        Cow::Owned(text) => Large::Text(text).into(),
    })
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
