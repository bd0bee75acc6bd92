//! Reads the records of a series, each in the same row, which is filled, passed on, and emptied for the next record.

use super::bad_record::{BadRecord, BadRecords};
use super::envelope_rest::EnvelopeRest;
use super::error::DecodeError;
use super::field_value::FieldValue;
use super::read_columns::Columns;
use super::record::Item;
use super::row::{DecodedValue, Row};
use super::scanner::Scanner;
use super::series_layout::SeriesLayout;
use super::unknown_fields::UnknownText;
use crate::registry::{FieldSource, RecordLayout};

/// The maximum number of records for which memory is reserved at once: a usual page size. Without a maximum, too much
/// memory would be reserved if the first record is short.
const AT_ONCE: usize = 1000;

/// The maximum number of records that are skipped in one response. More bad records mean that the response as a whole
/// is not as expected.
const MAX_BAD_RECORDS: usize = 1000;

/// Receives the records one by one.
///
/// This is a trait because closures would generate more code for every endpoint.
pub(crate) trait RecordList {
    /// Stores the record that the row contains.
    fn push(&mut self, row: &mut Row<'_>);

    /// Reserves memory for this many more records.
    fn reserve(&mut self, records: usize);

    /// The number of stored records.
    fn count(&self) -> usize;

    /// A stored record; `None` after the last one.
    fn get(&self, index: usize) -> Option<FieldValue<'_>>;
}

impl<T: Item> RecordList for Vec<T> {
    fn push(&mut self, row: &mut Row<'_>) {
        self.push(T::from_row(row));
    }

    fn reserve(&mut self, records: usize) {
        Self::reserve(self, records);
    }

    fn count(&self) -> usize {
        self.len()
    }

    fn get(&self, index: usize) -> Option<FieldValue<'_>> {
        self.as_slice().get(index).map(T::as_field_value)
    }
}

/// A series that is being read.
pub(super) struct SeriesReader<'w, 'a> {
    pub(super) layout: SeriesLayout,
    pub(super) bad_records: BadRecords,
    pub(super) row: Row<'a>,
    pub(super) list: &'w mut dyn RecordList,
    /// The metadata; a row without values if the envelope has no metadata.
    pub(super) metadata: Row<'a>,
    pub(super) rest: EnvelopeRest,
    /// True if any record had a known field other than the time, or no unknown field.
    pub(super) is_known: bool,
    /// True once the records were found.
    pub(super) has_data: bool,
    /// True if the records have labels, so that `*` in their path stands for each of several groups.
    pub(super) is_grouped: bool,
    /// The records that were read last.
    pub(super) last: LastRecords,
}

/// The records of a list, or one record without a list.
#[derive(Clone, Copy, Default)]
pub(super) struct LastRecords {
    /// The number of records, without bad records.
    pub(super) kept: usize,
    pub(super) is_single: bool,
}

impl<'a> SeriesReader<'_, 'a> {
    /// Reads `null` instead of the records.
    pub(super) fn no_records(&mut self, json: &mut Scanner<'a>) -> Result<UnknownText, DecodeError> {
        json.literal()?;
        self.has_data = true;
        self.rest.is_empty = true;
        self.rest.is_null = true;
        Ok(UnknownText::default())
    }

    /// Reads the records. Returns the other members of the object if the records are columns.
    pub(super) fn records(&mut self, json: &mut Scanner<'a>, next: u8, depth: u8) -> Result<UnknownText, DecodeError> {
        self.has_data = true;
        if next == b'{' && self.row.record.layout == RecordLayout::Columns {
            return self.columns(json, depth);
        }
        if next == b'n' && self.layout.is_optional {
            self.rest.is_empty = true;
            json.literal()?;
            return Ok(UnknownText::default());
        }
        if self.is_grouped && self.is_one_record(json, next) {
            self.one_record(json, next, depth)?;
            return Ok(UnknownText::default());
        }
        if next != b'[' {
            return Err(json.expected("a list of records").without_data());
        }
        let depth = json.deeper(depth)?;
        let mut index = 0;
        let bad_before = self.rest.bad_records.len();
        json.list(|json, next| {
            let start = json.at;
            match self.row.fill(json, next, depth) {
                Ok(()) => self.keep(index),
                Err(error) => self.skip_record(json, next, start, index, error)?,
            }
            if index == 0 {
                // Estimates the number of records in the rest of the text: all are assumed to be as long as the first.
                let length = json.at - start + 1;
                self.list.reserve((json.rest().len() / length).min(AT_ONCE));
            }
            index += 1;
            Ok(())
        })?;
        self.rest.is_empty = index == 0;
        self.last.kept = index + bad_before - self.rest.bad_records.len();
        Ok(UnknownText::default())
    }

    /// Skips a record that failed to decode.
    #[cold]
    fn skip_record(
        &mut self,
        json: &mut Scanner<'a>,
        next: u8,
        start: usize,
        index: usize,
        error: DecodeError,
    ) -> Result<(), DecodeError> {
        // The failed attempt stopped within the record, so the record is skipped from its beginning.
        json.at = start;
        match json.skip_text(next) {
            Ok(_) => {
                let text = json.since(start);
                match &self.row.column_names {
                    Some(names) if next == b'[' => {
                        let object = names.object(text);
                        self.add_bad_record(error, index, &object)
                    }
                    _ => self.add_bad_record(error, index, text),
                }
            }
            Err(_) => Err(error.at_index(index)),
        }
    }

    /// `true` if the value is one record instead of a list of records.
    fn is_one_record(&self, json: &Scanner<'a>, next: u8) -> bool {
        match self.row.record.layout {
            RecordLayout::Object => next == b'{',
            RecordLayout::Positional | RecordLayout::Named(_) => {
                let first = json.rest().strip_prefix('[').unwrap_or_default().trim_start();
                next == b'[' && !first.starts_with(['[', ']'])
            }
            RecordLayout::Columns | RecordLayout::Value => false,
        }
    }

    /// Reads one record that is not in a list.
    fn one_record(&mut self, json: &mut Scanner<'a>, next: u8, depth: u8) -> Result<(), DecodeError> {
        let start = json.at;
        self.last.is_single = true;
        match self.row.fill(json, next, depth) {
            Ok(()) => {
                self.last.kept = 1;
                self.keep(0);
                Ok(())
            }
            Err(error) => self.skip_record(json, next, start, 0, error),
        }
    }

    /// Reads records that are columns. Returns the other members of the object.
    #[inline(never)] // Within `records`, it would slow down the records of most services.
    fn columns(&mut self, json: &mut Scanner<'a>, depth: u8) -> Result<UnknownText, DecodeError> {
        let depth = json.deeper(json.deeper(depth)?)?;
        let mut unknown = UnknownText::default();
        let columns = Columns::read(json, self.row.record, &mut unknown)?;
        let end = json.at;
        let bad_before = self.rest.bad_records.len();
        self.list.reserve(columns.length.min(AT_ONCE));
        for index in 0..columns.length {
            match self.row.fill_from(&columns, json, index, depth) {
                Ok(()) => self.keep(index),
                Err(error) => self.add_bad_record(error, index, &columns.text(json, index)?)?,
            }
        }
        json.at = end;
        self.rest.is_empty = columns.length == 0;
        self.last.kept = columns.length + bad_before - self.rest.bad_records.len();
        Ok(unknown)
    }

    /// `true` if the row has a listed field other than the time, or no other member. Members of a declared type count only
    /// if no such field is listed: any object can have them.
    fn has_known_field(&self) -> bool {
        let mut lists_fields = false;
        let mut has_others = false;
        for (field, value) in self.row.record.fields.iter().zip(&self.row.values) {
            let is_time = Some(field.wire_name) == self.layout.time;
            let is_present = !matches!(value, DecodedValue::Absent);
            match field.source {
                FieldSource::Record if !is_time && is_present => return true,
                FieldSource::Record => lists_fields |= !is_time,
                FieldSource::Others => has_others = is_present,
                FieldSource::Group(_) | FieldSource::Period(..) => {}
            }
        }
        if has_others { !lists_fields } else { self.row.unknown.is_empty() }
    }

    /// Passes on the record in the row.
    #[inline(always)] // It is called for every record.
    fn keep(&mut self, index: usize) {
        // A known field in any record is enough, so usually only the first record is checked.
        if !self.is_known {
            self.is_known = self.has_known_field();
            self.rest.unrecognized = if self.is_known { 0 } else { index + 1 };
        }
        self.list.push(&mut self.row);
    }

    /// Adds a record to the bad records, if bad records are skipped; otherwise returns `error`.
    #[cold]
    fn add_bad_record(&mut self, error: DecodeError, index: usize, text: &str) -> Result<(), DecodeError> {
        let error = error.at_index(index);
        if self.bad_records == BadRecords::Rejected {
            return Err(error);
        }
        if self.rest.bad_records.len() == MAX_BAD_RECORDS {
            return Err(error.beyond(MAX_BAD_RECORDS));
        }
        let path = self.layout.paths(self.rest.key.as_deref()).records;
        let error = error.in_field(&path.unwrap_or_default().join("."));
        self.rest.bad_records.push(BadRecord { index, error, text: text.to_owned(), time: None });
        Ok(())
    }
}
