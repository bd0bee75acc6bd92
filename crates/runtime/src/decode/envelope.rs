//! Reads a series in its envelope, record by record.
//!
//! One row serves all records: it is filled, passed to the caller, and emptied for the next record. If the catalogue
//! describes no envelope, the body is the bare list. Objects that enclose the records or enclose the metadata may have
//! unknown fields, which are kept, nested as in the body.

use super::bad_record::{BadRecord, BadRecords};
use super::column_names::ColumnNames;
use super::envelope_rest::EnvelopeRest;
use super::error::DecodeError;
use super::field_value::FieldValue;
use super::layout::Layout;
use super::read_columns::Columns;
use super::record::{Item, Record};
use super::row::{ANY, DecodedValue, Row};
use super::scanner::{DEPTH, Scanner, read};
use super::unknown_fields::UnknownText;
use crate::registry::{FieldSource, RecordInfo, RecordLayout};

/// The maximum number of records for which memory is reserved at once: a usual page size. Without a maximum, too much
/// memory would be reserved if the first record is short.
const AT_ONCE: usize = 1000;

/// The maximum number of records that are skipped in one response. More bad records mean that the response as a whole
/// is not as expected.
const MAX_BAD_RECORDS: usize = 1000;

/// Receives the records one by one.
///
/// This is a trait because closures would generate more code for every endpoint.
pub(crate) trait Push {
    /// Stores the record that the row contains.
    fn push(&mut self, row: &mut Row<'_>);

    /// Reserves memory for this many more records.
    fn reserve(&mut self, records: usize);

    /// The number of stored records.
    fn count(&self) -> usize;

    /// A stored record; `None` after the last one.
    fn get(&self, index: usize) -> Option<FieldValue<'_>>;
}

impl<T: Item> Push for Vec<T> {
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
    layout: Layout,
    bad_records: BadRecords,
    pub(super) row: Row<'a>,
    push: &'w mut dyn Push,
    /// The metadata; a row without values if the envelope has no metadata.
    metadata: Row<'a>,
    pub(super) rest: EnvelopeRest,
    /// True if any record had a known field other than the time, or no unknown field.
    is_known: bool,
    /// True once the records were found.
    pub(super) has_data: bool,
    /// True if the records have labels, so that `*` in their path stands for each of several groups.
    is_grouped: bool,
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

/// The remaining paths from a value to the records and to the metadata; `None` for a path that does not contain the
/// value, and an empty path for the value itself.
#[derive(Clone, Copy)]
pub(super) struct RemainingPaths {
    pub(super) records: Option<&'static str>,
    pub(super) metadata: Option<&'static str>,
}

impl RemainingPaths {
    /// `true` if the value is a list, of which a path names an item.
    fn begin_with_index(self) -> bool {
        let mut paths = [self.records, self.metadata].into_iter().flatten();
        paths.any(|path| first_key(path).parse::<usize>().is_ok())
    }
}

/// A member on a remaining path.
struct Step {
    /// The first key of the path.
    key: &'static str,
    /// The path from the member on.
    rest: &'static str,
}

/// The object or the list that is being read around the records.
struct Around {
    paths: RemainingPaths,
    /// True once the member on the path to the records was found.
    has_records: bool,
    /// True once the member on the path to the metadata was found.
    has_metadata: bool,
    /// The other members.
    unknown: UnknownText,
    /// The depth of the members.
    depth: u8,
}

/// Reads a series, and passes each record to `push`. Returns the metadata, and the rest of the envelope.
///
/// If `record` is `None`, each record is passed as a row with one value of any kind.
pub(crate) fn series<M: Record>(
    text: &str,
    layout: Layout,
    record: Option<&'static RecordInfo>,
    bad_records: BadRecords,
    push: &mut dyn Push,
) -> Result<(M, EnvelopeRest), DecodeError> {
    let mut reader = SeriesReader {
        layout,
        bad_records,
        row: Row::of(record.unwrap_or(ANY)),
        push,
        metadata: Row::of(M::INFO),
        rest: EnvelopeRest::default(),
        is_known: false,
        has_data: false,
        is_grouped: record.is_some_and(has_labels),
        last: LastRecords::default(),
    };
    if !reader.is_grouped {
        reader.find_column_names(text)?;
    }
    read(text, |json, next| {
        reader.body(json, next)?;
        reader.rest.misfits = json.misfits;
        Ok(())
    })?;
    reader.metadata.require_all().map_err(|error| error.in_field(layout.metadata.unwrap_or_default()))?;
    Ok((M::from_row(&mut reader.metadata), reader.rest))
}

impl<'a> SeriesReader<'_, 'a> {
    /// Finds the names of the values in the records, if they are elsewhere in a body, or in a group of records.
    pub(super) fn find_column_names(&mut self, text: &'a str) -> Result<(), DecodeError> {
        let RecordLayout::Named(path) = self.row.record.layout else { return Ok(()) };
        self.row.column_names = ColumnNames::at(text, path, self.row.record)?.map(Box::new);
        Ok(())
    }

    /// Reads the entire body: the envelope, or a bare list if there is no envelope.
    fn body(&mut self, json: &mut Scanner<'a>, next: u8) -> Result<(), DecodeError> {
        let records = self.layout.records.unwrap_or_default();
        let paths = RemainingPaths { records: Some(records), metadata: self.layout.metadata };
        self.rest.unknown_fields = self.level(json, next, DEPTH, paths)?.take();
        self.rest.is_empty |= !self.has_data;
        self.require_data(json, records)
    }

    /// Returns an error if the records were not found at their path, unless they are optional.
    pub(super) fn require_data(&self, json: &Scanner<'a>, path: &str) -> Result<(), DecodeError> {
        if self.has_data || self.layout.is_optional {
            return Ok(());
        }
        Err(json.error(format_args!("`{path}` is missing")).without_data())
    }

    /// Reads the records, the metadata or a value around them, and returns the other members of this value.
    pub(super) fn level(
        &mut self,
        json: &mut Scanner<'a>,
        next: u8,
        depth: u8,
        paths: RemainingPaths,
    ) -> Result<UnknownText, DecodeError> {
        match paths {
            // `null` in place of the records, or of an object around them, means that there are no records.
            RemainingPaths { records: Some(_), .. } if next == b'n' => return self.no_records(json),
            RemainingPaths { records: Some(""), .. } => return self.records(json, next, depth),
            RemainingPaths { metadata: Some(""), .. } => {
                self.metadata.fill(json, next, depth)?;
                return Ok(UnknownText::default());
            }
            RemainingPaths { records: Some(path), .. } if self.is_grouped && first_key(path) == "*" => {
                return self.groups(json, next, depth, path);
            }
            _ => {}
        }
        let mut around = Around {
            paths,
            has_records: false,
            has_metadata: false,
            unknown: UnknownText::default(),
            depth: json.deeper(depth)?,
        };
        self.members(json, next, &mut around)?;
        Ok(around.unknown)
    }

    /// Reads the members of an object or a list around the records.
    fn members(&mut self, json: &mut Scanner<'a>, next: u8, around: &mut Around) -> Result<(), DecodeError> {
        match next {
            b'{' => json.object(|json| {
                let start = json.at;
                let (key, next) = json.any_key()?;
                self.member(json, next, &key, json.since(start), around)
            }),
            b'[' if around.paths.begin_with_index() => {
                let mut index = 0;
                json.list(|json, next| {
                    let key = index.to_string();
                    index += 1;
                    self.member(json, next, &key, &format!("\"{key}\":"), around)
                })
            }
            b'n' if self.layout.is_optional => json.literal().map(drop),
            _ => Err(json.expected("an object").without_data()),
        }
    }

    /// Reads a member of a value around the records. `entry` is the text of its key and colon.
    fn member(
        &mut self,
        json: &mut Scanner<'a>,
        next: u8,
        key: &str,
        entry: &str,
        around: &mut Around,
    ) -> Result<(), DecodeError> {
        let to_records = self.step(around.paths.records, key, next);
        let to_metadata = self.step(around.paths.metadata, key, next);
        if let Some(step) = &to_records {
            if step.key == "*" {
                self.rest.key = Some(key.to_owned());
            }
            claim(json, step, &mut around.has_records)?;
        }
        if let Some(step) = &to_metadata {
            claim(json, step, &mut around.has_metadata)?;
        }
        self.value_of_member(json, next, entry, around, [to_records, to_metadata]).map_err(|error| error.in_field(key))
    }

    /// The step of a path to the member with this key; `None` if the member is not on the path.
    fn step(&self, path: Option<&'static str>, key: &str, next: u8) -> Option<Step> {
        let path = path?;
        let (first, rest) = path.split_once('.').unwrap_or((path, ""));
        // `*` stands for the member that can contain the records.
        let is_list = rest.is_empty() && self.row.record.layout != RecordLayout::Columns;
        let is_any = first == "*" && next == if is_list { b'[' } else { b'{' };
        if first == key || is_any { Some(Step { key: first, rest }) } else { None }
    }

    fn value_of_member(
        &mut self,
        json: &mut Scanner<'a>,
        next: u8,
        entry: &str,
        around: &mut Around,
        [to_records, to_metadata]: [Option<Step>; 2],
    ) -> Result<(), DecodeError> {
        let start = json.at;
        if to_records.is_none() && to_metadata.is_none() {
            json.skip(next)?;
            around.unknown.push(&[entry, json.since(start)].concat());
            return Ok(());
        }
        // `null` in place of the metadata, or of an object around it, means that there is no metadata.
        if to_records.is_none() && next == b'n' {
            json.literal()?;
            return Ok(());
        }
        let paths =
            RemainingPaths { records: to_records.map(|step| step.rest), metadata: to_metadata.map(|step| step.rest) };
        let inner = self.level(json, next, around.depth, paths)?;
        around.unknown.push_object(entry, &inner);
        Ok(())
    }

    /// Reads `null` instead of the records.
    fn no_records(&mut self, json: &mut Scanner<'a>) -> Result<UnknownText, DecodeError> {
        json.literal()?;
        self.has_data = true;
        self.rest.is_empty = true;
        self.rest.is_null = true;
        Ok(UnknownText::default())
    }

    /// Reads the records. Returns the other members of the object if the records are columns.
    fn records(&mut self, json: &mut Scanner<'a>, next: u8, depth: u8) -> Result<UnknownText, DecodeError> {
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
                self.push.reserve((json.rest().len() / length).min(AT_ONCE));
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
        self.push.reserve(columns.length.min(AT_ONCE));
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
        self.push.push(&mut self.row);
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

/// `true` if records have values from their groups.
fn has_labels(record: &RecordInfo) -> bool {
    record.fields.iter().any(|field| matches!(field.source, FieldSource::Group(_)))
}

fn first_key(path: &str) -> &str {
    path.split('.').next().unwrap_or_default()
}

/// Marks the member of a path as found; a second one is an error.
fn claim(json: &Scanner<'_>, step: &Step, is_found: &mut bool) -> Result<(), DecodeError> {
    if !std::mem::replace(is_found, true) {
        return Ok(());
    }
    Err(if step.key == "*" { json.error("found a second list of records") } else { json.duplicate(step.key) })
}
