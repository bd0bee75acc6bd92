//! One record of the body: its values, and the text of its unknown fields.
//!
//! The decoder reuses one row for all records of a series, so a record of numbers without quotes needs no
//! allocation. A repeated key is an error, because either value may be the right one.

use super::DecodeError;
use super::decoded_value::{DecodedValue, FromDecoded};
use super::scanner::{DEPTH, INEXACT, QUOTED, Scanner, UNQUOTED};
use super::unknown_fields::{ABSENT, UnknownFields, UnknownText};
use crate::registry::{Evidence, FieldInfo, RecordInfo, RecordLayout, ValueType};
use crate::values::Value;

/// The table of a record whose fields are unknown. It has no name, and its only field is a value of any kind.
pub(super) static ANY: &RecordInfo = &RecordInfo {
    form: RecordLayout::Value,
    ..RecordInfo::new("", &[FieldInfo::new("", "", ValueType::Any, Evidence::Documented)])
};

/// The values of one record of the body.
#[doc(hidden)]
#[derive(Debug)]
pub struct Row<'a> {
    pub(super) record: &'static RecordInfo,
    pub(super) values: Box<[DecodedValue<'a>]>,
    pub(super) unknown: UnknownText,
    /// Number of fields that have a value, which may be null.
    present: usize,
    /// True if a value of a wrong type is kept among the unknown fields, instead of being an error.
    pub(super) is_lenient: bool,
    /// Number of values in the body that do not fit undocumented fields.
    pub(crate) misfits: usize,
}

impl<'a> Row<'a> {
    /// Creates a row without values.
    pub(crate) fn of(record: &'static RecordInfo) -> Self {
        let values = record.fields.iter().map(|_| DecodedValue::Absent).collect();
        Self { record, values, unknown: UnknownText::default(), present: 0, is_lenient: false, misfits: 0 }
    }

    /// Takes the value of the field at `index`.
    pub fn take<T: FromDecoded<Via>, Via>(&mut self, index: usize) -> T {
        T::from_decoded(&mut self.values[index])
    }

    /// Takes the fields that are not in the table.
    pub fn unknown_fields(&mut self) -> UnknownFields {
        self.unknown.take()
    }

    /// Reads the next record into the row, in the layout that the record's table specifies.
    pub(super) fn fill(&mut self, json: &mut Scanner<'a>, next: u8, depth: u8) -> Result<(), DecodeError> {
        self.clear();
        match (self.record.form, next) {
            (RecordLayout::Object, b'{') => self.fill_by_name(json, depth)?,
            (RecordLayout::Positional, b'[') => self.fill_by_position(json, depth)?,
            (RecordLayout::Value, _) => self.fill_value(0, json, next, depth)?,
            (form, _) => return Err(json.expected(form.expectation())),
        }
        if self.present == self.values.len() { Ok(()) } else { self.note_absent() }
    }

    /// Notes the optional fields without a value. A required field without a value is an error, or is kept among the
    /// unknown fields, as null.
    #[inline(never)] // Most records have all fields.
    fn note_absent(&mut self) -> Result<(), DecodeError> {
        if !self.is_lenient {
            self.require_all()?;
        }
        for (field, value) in self.record.fields.iter().zip(&self.values) {
            match value {
                DecodedValue::Absent if field.optional => self.unknown.keep(field.wire_name, ABSENT),
                DecodedValue::Absent => self.unknown.push(&format!("{}:null", Value::from(field.wire_name))),
                _ => {}
            }
        }
        Ok(())
    }

    /// Removes the values of the previous record.
    #[inline]
    fn clear(&mut self) {
        for value in &mut self.values {
            match value {
                DecodedValue::Boxed(_) => *value = DecodedValue::Absent,
                _ => value.set(DecodedValue::Absent),
            }
        }
        self.unknown.clear();
        self.present = 0;
    }

    /// Returns an error if a required field has no value.
    pub(super) fn require_all(&self) -> Result<(), DecodeError> {
        let mut values = self.record.fields.iter().zip(&self.values).enumerate();
        let missing = values.find(|(_, (field, value))| !field.optional && matches!(value, DecodedValue::Absent));
        let Some((index, (field, _))) = missing else { return Ok(()) };
        let error = DecodeError::new(format!("expected {}, found nothing", field.ty.expectation()));
        Err(match self.record.form {
            RecordLayout::Object => error.in_field(field.wire_name),
            RecordLayout::Positional => error.at_index(index),
            RecordLayout::Value => error,
        })
    }

    fn fill_by_name(&mut self, json: &mut Scanner<'a>, depth: u8) -> Result<(), DecodeError> {
        let (depth, mut guess) = (json.deeper(depth)?, 0);
        json.object(|json| {
            let Some((index, next)) = self.known_key(guess, json)? else { return Ok(()) };
            guess = index + 1;
            self.fill_value(index, json, next, depth)
                .map_err(|error| error.in_field(self.record.fields[index].wire_name))
        })
    }

    /// Reads a key, and returns the index of its field and the first byte of its value. Keeps an unknown field, and
    /// returns `None` for such a field. `guess` is the probable index.
    #[inline]
    fn known_key(&mut self, guess: usize, json: &mut Scanner<'a>) -> Result<Option<(usize, u8)>, DecodeError> {
        // Keys usually appear in the order of the table.
        if let Some(field) = self.record.fields.get(guess).filter(|field| !field.is_escaped) {
            if let Some(next) = json.key_if(field.wire_name)? {
                return Ok(Some((guess, next)));
            }
        }
        self.any_key(json)
    }

    /// Reads any key, and looks it up in the entire table.
    fn any_key(&mut self, json: &mut Scanner<'a>) -> Result<Option<(usize, u8)>, DecodeError> {
        let start = json.at;
        let (key, next) = json.any_key()?;
        let known = self.record.fields.iter().position(|field| field.wire_name == key);
        if known.is_none() {
            json.skip(next).map_err(|error| error.in_field(&key))?;
            self.unknown.push(json.since(start));
        }
        Ok(known.map(|index| (index, next)))
    }

    /// Assigns each value of a list to the field at its position. Additional values are kept with their positions as
    /// names.
    fn fill_by_position(&mut self, json: &mut Scanner<'a>, depth: u8) -> Result<(), DecodeError> {
        let (depth, mut index) = (json.deeper(depth)?, 0);
        json.list(|json, next| {
            self.fill_value(index, json, next, depth).map_err(|error| error.at_index(index))?;
            index += 1;
            Ok(())
        })
    }

    /// Reads the value of the field at `index`. If there is no such field, the value is kept with its index as name.
    #[inline(always)] // It is called for every value, and the call itself takes as long as the fast path.
    fn fill_value(&mut self, index: usize, json: &mut Scanner<'a>, next: u8, depth: u8) -> Result<(), DecodeError> {
        let start = json.at;
        let (Some(field), Some(value)) = (self.record.fields.get(index), self.values.get_mut(index)) else {
            json.skip(next)?;
            self.unknown.push(&format!("\"{index}\":{}", json.since(start)));
            return Ok(());
        };
        if !matches!(value, DecodedValue::Absent) {
            return Err(json.duplicate(field.wire_name));
        }
        // Each branch stores the value itself, because moving the value afterwards would take more instructions than
        // reading it.
        let read = match (next, &field.ty) {
            (b'n', ty) if field.optional => json.literal().map(|_| {
                value.set(DecodedValue::Null);
                if matches!(ty, ValueType::List(_) | ValueType::Map(_)) {
                    // It is read as an empty list or map.
                    self.unknown.keep(field.wire_name, "null");
                }
            }),
            // Fast path: most values are numbers.
            (b'-' | b'0'..=b'9', ValueType::Number) if !field.quoted => {
                json.number().map(|number| value.set(DecodedValue::Number(number.float())))
            }
            (b'-' | b'0'..=b'9', ty) if !field.quoted && ty.is_whole() => {
                DecodedValue::read_number(ty, json).map(|read| value.set(read))
            }
            // These values are written as they are read, so their form need not be noted.
            (b'"', ValueType::String | ValueType::Named(_))
            | (b't' | b'f', ValueType::Boolean)
            | (_, ValueType::Any | ValueType::Record(_)) => {
                DecodedValue::read(&field.ty, json, next, depth).map(|read| value.set(read))
            }
            _ => read_form(field, json, next, depth, &mut self.unknown).map(|read| value.set(read)),
        };
        match read {
            Ok(()) => self.present += 1,
            Err(error) => return self.refused(index, json, next, start, error),
        }
        Ok(())
    }

    /// Handles a value that the fast path cannot read, or that does not fit its field.
    #[cold]
    fn refused(
        &mut self,
        index: usize,
        json: &mut Scanner<'a>,
        next: u8,
        start: usize,
        mut error: DecodeError,
    ) -> Result<(), DecodeError> {
        let field = &self.record.fields[index];
        if matches!(next, b'-' | b'0'..=b'9') {
            json.at = start;
            match read_form(field, json, next, DEPTH, &mut self.unknown) {
                Ok(read) => {
                    self.values[index].set(read);
                    self.present += 1;
                    return Ok(());
                }
                Err(other) => error = other,
            }
        }
        // A value of an undocumented type costs only that value.
        if !self.is_lenient && (!field.optional || field.evidence == Evidence::Documented) {
            return Err(error);
        }
        json.at = start;
        json.skip(next)?;
        json.misfits += 1;
        self.present += 1;
        self.values[index].set(DecodedValue::Null);
        self.unknown.push(&format!("{}:{}", Value::from(field.wire_name), json.since(start)));
        Ok(())
    }
}

/// Reads a value that is not an unquoted number, and keeps its text if it would be written in another form.
#[inline(never)]
fn read_form<'a>(
    field: &FieldInfo,
    json: &mut Scanner<'a>,
    next: u8,
    depth: u8,
    unknown: &mut UnknownText,
) -> Result<DecodedValue<'a>, DecodeError> {
    let start = json.at;
    if next == b'"' && field.optional && field.ty.is_never_empty() && json.empty_text() {
        unknown.keep(field.wire_name, json.since(start));
        return Ok(DecodedValue::Null);
    }
    // The form of the values in a record is noted for the fields of that record.
    let outer = std::mem::replace(&mut json.seen, 0);
    let read = DecodedValue::read(&field.ty, json, next, depth);
    let seen = std::mem::replace(&mut json.seen, outer);
    if read.is_ok() && seen & (INEXACT | if field.quoted { UNQUOTED } else { QUOTED }) != 0 {
        unknown.keep(field.wire_name, json.since(start));
    }
    read
}

impl RecordLayout {
    /// Describes a record of this layout in error messages.
    pub(super) const fn expectation(self) -> &'static str {
        match self {
            Self::Object => "an object",
            Self::Positional => "a list",
            Self::Value => "a value",
        }
    }

    /// Returns whether a record of this layout can begin with this byte.
    pub(super) const fn begins_with(self, next: u8) -> bool {
        matches!((self, next), (Self::Object, b'{') | (Self::Positional, b'[') | (Self::Value, _))
    }
}
