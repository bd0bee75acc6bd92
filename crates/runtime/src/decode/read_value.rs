//! Reads a value as the type in the record's table.

use super::error::DecodeError;
use super::row::{BoxedValue, DecodedValue, Row};
use super::scalar::{Scalar, mismatch};
use super::scanner::{DEPTH, INEXACT, Scanner, read};
use crate::registry::{FieldInfo, ValueType};

impl<'a> DecodedValue<'a> {
    /// Replaces the value by a text.
    #[inline]
    pub(super) fn set_text(&mut self, ty: &ValueType, json: &mut Scanner<'a>, depth: u8) -> Result<(), DecodeError> {
        // Fast path: few texts have escapes.
        if let Some(text) = json.plain_text() {
            self.set(Self::Text(text));
            return Ok(());
        }
        self.set(Self::read(ty, json, b'"', depth)?);
        Ok(())
    }

    /// Replaces the value by a number or a timestamp in quotes, or by null if nothing is in the quotes, if that is next.
    /// Returns whether the field is written like that, and `None` if the value is not replaced.
    pub(super) fn set_quoted(&mut self, field: &FieldInfo, json: &mut Scanner<'a>) -> Option<bool> {
        let start = json.at;
        let text = json.plain_text()?;
        if text.is_empty() && field.optional {
            self.set(Self::Null);
            return Some(false);
        }
        let Some(scalar) = Scalar::of_plain_text(&field.ty, text) else {
            json.at = start;
            return None;
        };
        self.set(scalar.value);
        Some(scalar.is_exact && (field.quoted || !field.ty.has_quoted_form()))
    }

    /// Reads a text that contains a value of the type `ty`.
    pub(super) fn of_json(ty: &ValueType, text: &'a str) -> Result<Self, DecodeError> {
        read(text, |json, next| Self::read(ty, json, next, DEPTH))
    }

    /// Reads a value as the type `ty`.
    #[inline(never)] // It is recursive, and most values are read without calling it.
    pub(super) fn read(ty: &ValueType, json: &mut Scanner<'a>, next: u8, depth: u8) -> Result<Self, DecodeError> {
        Ok(match (next, ty) {
            (_, ValueType::Any) => BoxedValue::Any(json.any_value(next, depth)?).into(),
            (b'n', ValueType::Option(_)) => json.literal().map(|_| Self::Null)?,
            (b'"', ValueType::Option(ty)) if ty.is_never_empty() && json.empty_text() => {
                json.forms |= INEXACT;
                Self::Null
            }
            (_, ValueType::Option(ty)) => Self::read(ty, json, next, depth)?,
            (_, ValueType::Record(record)) if record.layout.begins_with(next) => {
                let mut row = Row::of(record);
                row.fill(json, next, depth)?;
                BoxedValue::Record(row).into()
            }
            (_, ValueType::Recursive(record)) => Self::read(&ValueType::Record(record.record()), json, next, depth)?,
            (b'-' | b'0'..=b'9' | b'"', _) => {
                let start = json.at;
                let scalar = if next == b'"' { Scalar::quoted(ty, json)? } else { Scalar::unquoted(ty, json)? };
                let scalar = scalar.ok_or_else(|| mismatch(ty, json.since(start)))?;
                if !scalar.is_exact {
                    json.forms |= INEXACT;
                }
                scalar.value
            }
            (b't' | b'f', ValueType::Boolean) => json.literal()?.map_or(Self::Null, Self::Boolean),
            (b'[', ValueType::List(ty)) => Self::read_list(ty, json, depth)?,
            (b'{', ValueType::Map(ty)) => Self::read_map(ty, json, depth)?,
            _ => {
                let start = json.at;
                json.skip(next)?;
                return Err(mismatch(ty, json.since(start)));
            }
        })
    }

    #[inline]
    fn read_list(ty: &ValueType, json: &mut Scanner<'a>, depth: u8) -> Result<Self, DecodeError> {
        let depth = json.deeper(depth)?;
        let mut items = Vec::new();
        json.list(|json, next| {
            items.push(Self::read(ty, json, next, depth).map_err(|error| error.at_index(items.len()))?);
            Ok(())
        })?;
        Ok(BoxedValue::List(items).into())
    }

    #[inline]
    fn read_map(ty: &ValueType, json: &mut Scanner<'a>, depth: u8) -> Result<Self, DecodeError> {
        let depth = json.deeper(depth)?;
        let mut entries = Vec::new();
        json.object(|json| {
            let (key, next) = json.any_key()?;
            let value = Self::read(ty, json, next, depth).map_err(|error| error.in_field(&key))?;
            entries.push((key.into_owned(), value));
            Ok(())
        })?;
        Ok(BoxedValue::Map(entries).into())
    }
}
