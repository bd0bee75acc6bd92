//! One object into one row.
//!
//! What the table does not know is kept beside the fields.
//! A known key that comes twice is refused, since nobody can tell which value is meant.
//! What the table does not expect is skipped and noted, since only the Rust type can say in full what was wanted.

use std::borrow::Cow;

use super::any::{any, skip};
use super::record::{Large, Row, Slot};
use super::scanner::{Fault, FaultKind, Scanner};
use crate::registry::{FieldInfo, ValueType};
use crate::values::{Number, Timestamp, Value};

impl<'a> Row<'a> {
    /// The field that was read last, by its name on the wire; empty before the first.
    pub(super) fn reading(&self) -> &'static str {
        self.reading.unwrap_or_default()
    }

    /// Fills the row from an object.
    pub(super) fn fill(&mut self, json: &mut Scanner<'a>, next: u8, depth: u8) -> Result<(), Fault> {
        self.clear();
        if next != b'{' {
            return Err(json.expected("an object"));
        }
        let (depth, mut guess) = (json.deeper(depth)?, 0);
        json.object(|json| {
            // Keys usually come in the order of the table.
            if let Some(field) = self.fields.get(guess).filter(|field| field.plain) {
                if let Some(next) = json.key_if(field.wire_name)? {
                    guess += 1;
                    return self.fill_slot(guess - 1, field, json, next, depth);
                }
            }
            let start = json.at();
            let (key, next) = json.key()?;
            let known = self.fields.iter().enumerate().find(|(_, field)| field.wire_name == key);
            if let Some((index, field)) = known {
                guess = index + 1;
                return self.fill_slot(index, field, json, next, depth);
            }
            skip(json, next, depth)?;
            self.unknown.push(json.since(start));
            Ok(())
        })
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
        self.unknown.clear();
    }

    #[inline]
    fn fill_slot(
        &mut self,
        index: usize,
        field: &'static FieldInfo,
        json: &mut Scanner<'a>,
        next: u8,
        depth: u8,
    ) -> Result<(), Fault> {
        let Some(slot) = self.slots.get_mut(index) else { return skip(json, next, depth) };
        self.reading = Some(field.wire_name);
        if !matches!(slot, Slot::Absent) {
            return Err(json.fault(FaultKind::Twice(field.wire_name)));
        }
        let filled = match (next, &field.ty) {
            // Nearly every record has a time, and nearly every time is a whole number.
            (b'-' | b'0'..=b'9', ValueType::Timestamp(unit)) => match json.number()? {
                Number::Integer(count) => Slot::Time(Timestamp::from_wire(count, *unit)),
                other => Slot::from(other).in_unit(*unit),
            },
            (b'-' | b'0'..=b'9', ty) if !matches!(ty, ValueType::Any) => json.number()?.into(),
            (_, ty) => value(ty, json, next, depth)?,
        };
        // What it replaces is absent, so there is nothing to drop, and looking would cost more than filling.
        std::mem::forget(std::mem::replace(slot, filled));
        Ok(())
    }
}

/// Reads a value of the type that the table names, or what stands in its place.
#[inline]
pub(super) fn value<'a>(ty: &ValueType, json: &mut Scanner<'a>, next: u8, depth: u8) -> Result<Slot<'a>, Fault> {
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
                items.push(value(ty, json, next, depth)?);
                Ok(())
            })?;
            Large::List(items).into()
        }
        (b'{', ValueType::Record(record)) => {
            let mut row = Row::new(record.fields);
            row.fill(json, next, depth)?;
            Large::Record(row).into()
        }
        (b'[', _) => skip(json, next, depth).map(|()| Slot::StrayList)?,
        (b'{', _) => skip(json, next, depth).map(|()| Slot::StrayObject)?,
        _ => json.literal()?.map_or(Slot::Null, Slot::Bool),
    })
}

fn text<'a>(json: &mut Scanner<'a>) -> Result<Slot<'a>, Fault> {
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
