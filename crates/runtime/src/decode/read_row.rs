//! Reads a record into its row, by the record's table.
//!
//! A repeated key is an error, because either value may be the right one. A row that is read leniently has no value for it.

use std::borrow::Cow;

use super::error::DecodeError;
use super::row::{DecodedValue, Row};
use super::scanner::{DEPTH, INEXACT, QUOTED, Scanner, UNQUOTED, read};
use super::unknown_fields::ABSENT;
use crate::registry::{Evidence, FieldInfo, FieldSource, RecordInfo, RecordLayout, ValueType};
use crate::values::{Timestamp, Value};

/// Reads one object.
pub(crate) fn object<'a>(text: &'a str, record: &'static RecordInfo) -> Result<Row<'a>, DecodeError> {
    let mut row = Row::of(record);
    read(text, |json, next| {
        row.fill(json, next, DEPTH)?;
        row.misfits = json.misfits;
        Ok(())
    })?;
    Ok(row)
}

impl<'a> Row<'a> {
    /// Reads the next record into the row, in the layout that the record's table specifies.
    pub(super) fn fill(&mut self, json: &mut Scanner<'a>, next: u8, depth: u8) -> Result<(), DecodeError> {
        self.clear();
        match (self.record.layout, next) {
            (RecordLayout::Object | RecordLayout::Columns | RecordLayout::Named(_), b'{') => {
                self.fill_by_name(json, depth)?;
            }
            (RecordLayout::Positional, b'[') if !self.labels.is_empty() => {
                self.fill_labelled_by_position(json, depth)?;
            }
            (RecordLayout::Positional, b'[') => self.fill_by_position(json, depth)?,
            (RecordLayout::Named(_), b'[') => self.fill_by_column_names(json, depth)?,
            (RecordLayout::Value, _) => self.fill_value(0, json, next, depth)?,
            (layout, _) => return Err(json.expected(layout.expectation())),
        }
        self.end()
    }

    /// Ends a record, whose values are all read.
    #[inline]
    pub(super) fn end(&mut self) -> Result<(), DecodeError> {
        if self.present == self.values.len() { Ok(()) } else { self.note_absent() }
    }

    /// Notes the optional fields without a value. A required field without a value is an error, or is kept among the
    /// unknown fields, as null.
    #[inline(never)] // Most records have all fields.
    fn note_absent(&mut self) -> Result<(), DecodeError> {
        self.derive()?;
        if !self.is_lenient {
            self.require_all()?;
        }
        for (index, (field, value)) in self.record.fields.iter().zip(&self.values).enumerate() {
            match value {
                DecodedValue::Absent if field.source != FieldSource::Record => {}
                DecodedValue::Absent if field.optional => self.unknown.keep(index, ABSENT),
                DecodedValue::Absent => self.unknown.push(&format!("{}:null", Value::from(field.wire_name))),
                _ => {}
            }
        }
        Ok(())
    }

    /// Reads the fields whose values are not in the record: labels of its group, and times of two fields.
    fn derive(&mut self) -> Result<(), DecodeError> {
        for (index, text) in std::mem::take(&mut self.labels) {
            if matches!(self.values[index], DecodedValue::Absent) {
                let name = self.record.fields[index].wire_name;
                let filled = read(text, |json, next| self.fill_value(index, json, next, DEPTH));
                filled.map_err(|error| error.in_field(name))?;
            }
            self.labels.push((index, text));
        }
        for (index, field) in self.record.fields.iter().enumerate() {
            let FieldSource::Period(year, period) = field.source else { continue };
            if let Some(time) = self.time_of_period(year, period) {
                self.values[index].set(DecodedValue::Timestamp(time));
                self.present += 1;
            }
        }
        Ok(())
    }

    /// The time of a year and a period, which are the values of these fields.
    fn time_of_period(&self, year: &str, period: &str) -> Option<Timestamp> {
        Timestamp::of_period(&self.text_of(year)?, &self.text_of(period)?)
    }

    /// The value of a field as text; `None` if it is neither text nor a number.
    fn text_of(&self, name: &str) -> Option<String> {
        let index = self.record.fields.iter().position(|field| field.wire_name == name)?;
        match &self.values[index] {
            DecodedValue::Text(text) => Some((*text).to_owned()),
            DecodedValue::Integer(number) => Some(number.to_string()),
            DecodedValue::Count(number) => Some(number.to_string()),
            DecodedValue::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }

    /// Returns an error if a required field has no value.
    pub(super) fn require_all(&self) -> Result<(), DecodeError> {
        for (index, (field, value)) in self.record.fields.iter().zip(&self.values).enumerate() {
            if !field.optional && matches!(value, DecodedValue::Absent) {
                return Err(self.missing(index, field));
            }
        }
        Ok(())
    }

    #[cold]
    fn missing(&self, index: usize, field: &FieldInfo) -> DecodeError {
        let error = DecodeError::new(format!("expected {}, found nothing", field.ty.expectation()));
        match self.record.layout {
            RecordLayout::Object | RecordLayout::Columns | RecordLayout::Named(_) => error.in_field(field.wire_name),
            RecordLayout::Positional => error.at_index(index),
            RecordLayout::Value => error,
        }
    }

    fn fill_by_name(&mut self, json: &mut Scanner<'a>, depth: u8) -> Result<(), DecodeError> {
        let depth = json.deeper(depth)?;
        // The number of the field that precedes the next one, counted from 1.
        let mut previous = 0;
        json.object(|json| {
            let Some((index, next)) = self.known_key(previous, json)? else { return Ok(()) };
            previous = index + 1;
            self.fill_value(index, json, next, depth)
                .map_err(|error| error.in_field(self.record.fields[index].wire_name))
        })
    }

    /// Reads a key, and returns the index of its field and the first byte of its value. Keeps an unknown field, and
    /// returns `None` for such a field. `previous` is the number of the preceding field, counted from 1.
    #[inline]
    fn known_key(&mut self, previous: usize, json: &mut Scanner<'a>) -> Result<Option<(usize, u8)>, DecodeError> {
        // Fast path: keys are usually in the order of the table, or of the previous record.
        let guess = self.next_fields.get(previous).copied().unwrap_or(previous);
        if let Some(field) = self.record.fields.get(guess).filter(|field| field.is_comparable()) {
            if let Some(next) = json.key_if(field.wire_name)? {
                return Ok(Some((guess, next)));
            }
        }
        self.other_key(previous, json)
    }

    /// Reads a key that is not the expected one. The field is probably one of those that follow in the table.
    #[inline(never)] // Most keys are the expected ones.
    fn other_key(&mut self, previous: usize, json: &mut Scanner<'a>) -> Result<Option<(usize, u8)>, DecodeError> {
        let fields = self.record.fields;
        for index in (previous..fields.len()).chain(0..previous.min(fields.len())) {
            if !fields[index].is_comparable() {
                continue;
            }
            if let Some(next) = json.key_if(fields[index].wire_name)? {
                self.expect_next(previous, index);
                return Ok(Some((index, next)));
            }
        }
        self.any_key(json)
    }

    /// Notes that the field at `index` followed the field with the number `previous`.
    fn expect_next(&mut self, previous: usize, index: usize) {
        if self.next_fields.is_empty() {
            self.next_fields = (0..self.record.fields.len()).collect();
        }
        if let Some(next) = self.next_fields.get_mut(previous) {
            *next = index;
        }
    }

    /// Reads a key that has escapes or is not in the table.
    fn any_key(&mut self, json: &mut Scanner<'a>) -> Result<Option<(usize, u8)>, DecodeError> {
        let start = json.at;
        let (key, next) = json.any_key()?;
        let has_escapes = matches!(key, Cow::Owned(_));
        let mut fields = self.record.fields.iter();
        let mut known = fields.position(|field| (has_escapes || field.is_escaped) && field.is_named(&key));
        if known.is_none() {
            known = self.record.index_of_other_name(&key);
        }
        if let Some(index) = known {
            return Ok(Some((index, next)));
        }
        self.keep_unknown(&key, json, start, next).map_err(|error| error.in_field(&key))?;
        Ok(None)
    }

    /// Keeps a field that is not in the table; `start` is the position of its key.
    fn keep_unknown(&mut self, key: &str, json: &mut Scanner<'a>, start: usize, next: u8) -> Result<(), DecodeError> {
        if self.take_other(key, json, next) {
            return Ok(());
        }
        if !self.is_lenient {
            json.skip(next)?;
            self.unknown.push(json.since(start));
            return Ok(());
        }
        let value = json.at;
        let is_json = json.skip_text(next)?;
        self.unknown.push(&format!("{}:{}", Value::from(key), json.json_since(value, is_json)));
        Ok(())
    }

    /// Assigns each value of a list to the field at its position. Additional values are kept with their positions as
    /// names.
    fn fill_by_position(&mut self, json: &mut Scanner<'a>, depth: u8) -> Result<(), DecodeError> {
        let depth = json.deeper(depth)?;
        let mut index = 0;
        json.list(|json, next| {
            self.fill_value(index, json, next, depth).map_err(|error| error.at_index(index))?;
            index += 1;
            Ok(())
        })
    }

    /// Does the same for a record of a group with labels. The fields of the labels are not in the list.
    #[inline(never)] // Within `fill`, it would slow down other records.
    fn fill_labelled_by_position(&mut self, json: &mut Scanner<'a>, depth: u8) -> Result<(), DecodeError> {
        let depth = json.deeper(depth)?;
        let count = self.wire_field_count();
        let mut index = 0;
        json.list(|json, next| {
            if index < count {
                self.fill_value(index, json, next, depth).map_err(|error| error.at_index(index))?;
            } else {
                let start = json.at;
                json.skip(next)?;
                self.unknown.push(&format!("\"{index}\":{}", json.since(start)));
            }
            index += 1;
            Ok(())
        })
    }

    /// Reads the value of the field at `index`. If there is no such field, the value is kept with its index as name.
    #[inline(always)] // It is called for every value, and the call itself takes as long as the fast path.
    pub(super) fn fill_value(
        &mut self,
        index: usize,
        json: &mut Scanner<'a>,
        next: u8,
        depth: u8,
    ) -> Result<(), DecodeError> {
        let start = json.at;
        let (Some(field), Some(value)) = (self.record.fields.get(index), self.values.get_mut(index)) else {
            json.skip(next)?;
            self.unknown.push(&format!("\"{index}\":{}", json.since(start)));
            return Ok(());
        };
        if !matches!(value, DecodedValue::Absent) {
            return self.fill_again(index, json, next, depth);
        }
        // Each branch stores the value itself, because moving the value afterwards would take more instructions than
        // reading it.
        let read = match (next, &field.ty) {
            (b'n', ty) if field.optional => json.literal().map(|_| {
                value.set(DecodedValue::Null);
                if matches!(ty, ValueType::List(_) | ValueType::Map(_)) {
                    // It is read as an empty list or map.
                    self.unknown.keep(index, "null");
                }
            }),
            // A text can stand for a missing value.
            (b'"', _) if !field.nulls.is_empty() => self.fill_other(index, json, next, depth),
            (b'"', ValueType::String | ValueType::Named(_)) => value.set_text(&field.ty, json, depth),
            // These values are written as they are read, so their form need not be noted.
            (b't' | b'f', ValueType::Boolean) | (_, ValueType::Any | ValueType::Record(_)) => {
                DecodedValue::read(&field.ty, json, next, depth).map(|read| value.set(read))
            }
            (b'-' | b'0'..=b'9', ty) => match value.set_number(ty, json) {
                Some(is_exact) => {
                    if !is_exact || field.quoted {
                        self.unknown.keep(index, json.since(start));
                    }
                    Ok(())
                }
                None => self.fill_other(index, json, next, depth),
            },
            (b'"', ty) if ty.is_never_empty() => match value.set_quoted(field, json) {
                Some(is_usual) => {
                    if !is_usual {
                        self.unknown.keep(index, json.since(start));
                    }
                    Ok(())
                }
                None => self.fill_other(index, json, next, depth),
            },
            _ => self.fill_other(index, json, next, depth),
        };
        read.or_else(|error| {
            json.at = start;
            self.keep_misfit(index, json, error)
        })?;
        self.present += 1;
        Ok(())
    }

    /// Reads another value of a field. If the service sends the field under two names, the two values must be the same.
    /// Otherwise, neither of them is known to be right, and a lenient row keeps the second one as a value that does not fit.
    #[cold]
    fn fill_again(&mut self, index: usize, json: &mut Scanner<'a>, next: u8, depth: u8) -> Result<(), DecodeError> {
        let field = &self.record.fields[index];
        let start = json.at;
        let duplicate = json.duplicate(field.wire_name);
        if field.also_named.is_empty() {
            return if self.is_lenient { self.keep_misfit(index, json, duplicate) } else { Err(duplicate) };
        }
        let first = std::mem::take(&mut self.values[index]);
        self.present -= 1;
        self.fill_value(index, json, next, depth)?;
        // During a rename, a service may send null under one of the names.
        if matches!(first, DecodedValue::Null) {
            return Ok(());
        }
        if matches!(self.values[index], DecodedValue::Null) {
            self.values[index] = first;
            return Ok(());
        }
        if first == self.values[index] {
            return Ok(());
        }
        if !self.is_lenient {
            return Err(duplicate);
        }
        json.at = start;
        self.keep_misfit(index, json, duplicate)
    }

    /// Reads the value of a field in any form, and keeps its text if it would be written in another form.
    #[inline(never)] // Most values are read without calling it.
    fn fill_other(&mut self, index: usize, json: &mut Scanner<'a>, next: u8, depth: u8) -> Result<(), DecodeError> {
        let start = json.at;
        let field = &self.record.fields[index];
        if next == b'"' && field.optional && is_null_text(field, json) {
            self.values[index].set(DecodedValue::Null);
            self.unknown.keep(index, json.since(start));
            return Ok(());
        }
        // The form of the values in a record is noted for the fields of that record.
        let outer = std::mem::replace(&mut json.forms, 0);
        let read = DecodedValue::read(&field.ty, json, next, depth);
        let forms = std::mem::replace(&mut json.forms, outer);
        self.values[index].set(read?);
        if forms & (INEXACT | if field.quoted { UNQUOTED } else { QUOTED }) != 0 {
            self.unknown.keep(index, json.since(start));
        }
        Ok(())
    }

    /// Keeps a value that does not fit its field, unless the type of the field is documented.
    #[cold]
    fn keep_misfit(&mut self, index: usize, json: &mut Scanner<'a>, error: DecodeError) -> Result<(), DecodeError> {
        let field = &self.record.fields[index];
        // A value of an undocumented type costs only that value.
        if !self.is_lenient && (!field.optional || field.evidence == Evidence::Documented) {
            return Err(error);
        }
        let start = json.at;
        let next = json.next_value()?;
        let is_json = json.skip_text(next)?;
        json.misfits += 1;
        self.values[index].set(DecodedValue::Null);
        self.unknown.push(&format!("{}:{}", Value::from(field.wire_name), json.json_since(start, is_json)));
        Ok(())
    }
}

/// Reads a text if it stands for null: an empty text of a field that is never empty, or a marker. Returns whether it does.
fn is_null_text(field: &FieldInfo, json: &mut Scanner<'_>) -> bool {
    field.ty.is_never_empty() && json.empty_text() || is_marker(field, json)
}

/// Reads a text if it is one that stands for a missing value of the field. Returns whether it is.
fn is_marker(field: &FieldInfo, json: &mut Scanner<'_>) -> bool {
    if field.nulls.is_empty() {
        return false;
    }
    let start = json.at;
    let is_marker = json.text().is_ok_and(|text| field.nulls.contains(&&*text));
    if !is_marker {
        json.at = start;
    }
    is_marker
}
