//! Reads a series in its envelope, record by record.
//!
//! One row serves all records: it is filled, passed to the caller, and emptied for the next record. If the catalogue
//! describes no envelope, the body is the bare list. Objects that enclose the records or enclose the metadata may have
//! unknown fields, which are kept, nested as in the body.

use std::fmt;

use super::error::DecodeError;
use super::field_value::FieldValue;
use super::read_columns::Columns;
use super::record::{Item, Record};
use super::row::{ANY, DecodedValue, Row};
use super::scanner::{DEPTH, Scanner, read};
use super::unknown_fields::{UnknownFields, UnknownText};
use crate::registry::{EnvelopeInfo, FieldInfo, FieldSource, RecordInfo, RecordLayout};
use crate::values::Timestamp;

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

    /// Returns a stored record; `None` after the last one.
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

/// Treatment of a record that is not as expected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum BadRecords {
    /// One bad record makes the response an error.
    #[default]
    Rejected,
    /// The record is omitted from the series and listed among the bad records.
    Skipped,
}

/// The JSON paths of a series in its body, and the field with the time of a record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// The path of the records; `None` if the body is the list.
    data: Option<&'static str>,
    /// The path of the metadata, if there is any.
    metadata: Option<&'static str>,
    time: Option<&'static str>,
    /// Whether the records can be missing or null.
    is_optional: bool,
}

impl Layout {
    /// Returns the layout of a body in the service's envelope; `data` is the endpoint's own path of the records.
    pub(crate) fn of(envelope: Option<&EnvelopeInfo>, data: Option<&'static str>) -> Self {
        let data = data.or(envelope.map(|envelope| envelope.data)).filter(|data| *data != ".");
        let metadata = envelope.and_then(|envelope| envelope.metadata).filter(|_| data.is_some());
        Self { data, metadata, time: envelope.and_then(|envelope| envelope.time), is_optional: false }
    }

    /// Sets whether the records can be missing or null.
    pub(crate) fn optional(self, is_optional: bool) -> Self {
        Self { is_optional, ..self }
    }

    /// Returns the paths of the records and of the metadata. `key` is the name in the body for which `*` stands.
    pub(crate) fn paths<'k>(&self, key: Option<&'k str>) -> [Option<Vec<&'k str>>; 2] {
        let named = |part| if part == "*" { key.unwrap_or(part) } else { part };
        [self.data, self.metadata].map(|path| Some(path?.split('.').map(named).collect()))
    }
}

/// The groups of the records in a body.
#[derive(Clone, Debug)]
pub(crate) struct Groups {
    /// Whether the groups are items of a list, and not members of an object.
    pub(crate) are_items: bool,
    pub(crate) groups: Vec<Group>,
}

/// A group of records, which share their labels.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// The key of the group in its object, or its index in its list.
    pub(crate) key: String,
    /// The number of records.
    pub(crate) records: usize,
    /// Whether the group has one record and no list.
    pub(crate) is_single: bool,
}

/// Everything in the response to a series request, except the valid records and the metadata.
#[derive(Debug, Default)]
pub(crate) struct EnvelopeRest {
    /// Fields of the envelope that are not in the catalogue.
    pub(crate) unknown_fields: UnknownFields,
    /// Records that are not as expected, and were omitted from the series.
    pub(crate) bad_records: Vec<BadRecord>,
    /// The name for which `*` stands in the path of the records.
    pub(crate) key: Option<String>,
    /// The groups of the records, if the records have labels.
    pub(crate) groups: Option<Groups>,
    /// The number of values that do not fit undocumented fields.
    pub(crate) misfits: usize,
    /// The number of records if every record has unknown fields, and no known field except the time. Otherwise 0.
    pub(crate) strange: usize,
    /// Whether the response has no records, not even bad ones.
    pub(crate) is_empty: bool,
    /// Whether the response has `null` in place of the list of records.
    pub(crate) is_null: bool,
}

/// A series that is being read.
pub(super) struct Reader<'w, 'a> {
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
pub(super) type Leads = [Option<&'static str>; 2];

/// The object or the list that is being read around the records.
struct Around {
    /// The paths from this value to the records and to the metadata.
    paths: Leads,
    /// Whether the members on these paths were found.
    met: [bool; 2],
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
    let mut reader = Reader {
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
    read(text, |json, next| {
        reader.body(json, next)?;
        reader.rest.misfits = json.misfits;
        Ok(())
    })?;
    reader.metadata.require_all().map_err(|error| error.in_field(layout.metadata.unwrap_or_default()))?;
    Ok((M::from_row(&mut reader.metadata), reader.rest))
}

impl<'a> Reader<'_, 'a> {
    /// Reads the entire body: the envelope, or a bare list if there is no envelope.
    fn body(&mut self, json: &mut Scanner<'a>, next: u8) -> Result<(), DecodeError> {
        let data = self.layout.data.unwrap_or_default();
        self.rest.unknown_fields = self.level(json, next, DEPTH, [Some(data), self.layout.metadata])?.take();
        self.rest.is_empty |= !self.has_data;
        self.require_data(json, data)
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
        paths: Leads,
    ) -> Result<UnknownText, DecodeError> {
        match paths {
            // `null` in place of the records, or of an object around them, means that there are no records.
            [Some(_), _] if next == b'n' => return self.no_records(json),
            [Some(""), _] => return self.records(json, next, depth),
            [_, Some("")] => return self.metadata.fill(json, next, depth).map(|()| UnknownText::default()),
            [Some(path), _] if self.is_grouped && first(path) == "*" => return self.groups(json, next, depth, path),
            _ => {}
        }
        let has_index = || paths.iter().flatten().any(|path| first(path).parse::<usize>().is_ok());
        let mut around = Around { paths, met: [false; 2], unknown: UnknownText::default(), depth: json.deeper(depth)? };
        match next {
            b'{' => json.object(|json| {
                let start = json.at;
                let (key, next) = json.any_key()?;
                self.member(json, next, &key, json.since(start), &mut around)
            })?,
            b'[' if has_index() => {
                let mut index = 0;
                json.list(|json, next| {
                    let key = index.to_string();
                    index += 1;
                    self.member(json, next, &key, &format!("\"{key}\":"), &mut around)
                })?;
            }
            b'n' if self.layout.is_optional => json.literal().map(drop)?,
            _ => return Err(json.expected("an object").without_data()),
        }
        Ok(around.unknown)
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
        // `*` stands for the member that can contain the records.
        let is_list = self.row.record.form != RecordLayout::Columns;
        let is_any = |rest: &str| next == if rest.is_empty() && is_list { b'[' } else { b'{' };
        let step = |path: &'static str| {
            let (first, rest) = path.split_once('.').unwrap_or((path, ""));
            (first == key || (first == "*" && is_any(rest))).then_some((first, rest))
        };
        let steps = around.paths.map(|path| path.and_then(step));
        if matches!(steps, [Some(("*", _)), _]) {
            self.rest.key = Some(key.to_owned());
        }
        for (met, (first, _)) in around.met.iter_mut().zip(steps).filter_map(|(met, step)| Some((met, step?))) {
            if std::mem::replace(met, true) {
                let second = || json.error("found a second list of records");
                return Err(if first == "*" { second() } else { json.duplicate(first) });
            }
        }
        let start = json.at;
        let read = match steps.map(|step| Some(step?.1)) {
            [None, None] => json.skip(next).map(|()| around.unknown.push(&[entry, json.since(start)].concat())),
            // `null` in place of the metadata, or of an object around it, means that there is no metadata.
            [None, _] if next == b'n' => json.literal().map(drop),
            leads => self.level(json, next, around.depth, leads).map(|inner| around.unknown.push_object(entry, &inner)),
        };
        read.map_err(|error| error.in_field(key))
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
        if next == b'{' && self.row.record.form == RecordLayout::Columns {
            return self.columns(json, depth);
        }
        if next == b'n' && self.layout.is_optional {
            self.rest.is_empty = true;
            return json.literal().map(|_| UnknownText::default());
        }
        if self.is_grouped && self.is_one_record(json, next) {
            return self.one_record(json, next, depth).map(|()| UnknownText::default());
        }
        if next != b'[' {
            return Err(json.expected("a list of records").without_data());
        }
        let (depth, mut index) = (json.deeper(depth)?, 0);
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

    /// Leaves out a record that failed to decode.
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
            Ok(_) => self.leave_out(error, index, json.since(start)),
            Err(_) => Err(error.at_index(index)),
        }
    }

    /// Returns whether the value is one record instead of a list of records.
    fn is_one_record(&self, json: &Scanner<'a>, next: u8) -> bool {
        match self.row.record.form {
            RecordLayout::Object => next == b'{',
            RecordLayout::Positional => {
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
        let (depth, mut unknown) = (json.deeper(json.deeper(depth)?)?, UnknownText::default());
        let columns = Columns::read(json, self.row.record, &mut unknown)?;
        let end = json.at;
        let bad_before = self.rest.bad_records.len();
        self.push.reserve(columns.length.min(AT_ONCE));
        for index in 0..columns.length {
            match self.row.fill_from(&columns, json, index, depth) {
                Ok(()) => self.keep(index),
                Err(error) => self.leave_out(error, index, &columns.text(json, index)?)?,
            }
        }
        json.at = end;
        self.rest.is_empty = columns.length == 0;
        self.last.kept = columns.length + bad_before - self.rest.bad_records.len();
        Ok(unknown)
    }

    /// Returns whether the row has a known field other than the time, or no unknown field.
    fn has_known_field(&self) -> bool {
        let time = self.layout.time;
        let mut fields = self.row.record.fields.iter().zip(&self.row.values);
        let has_value = |value: &_| !matches!(value, DecodedValue::Absent);
        let is_told = |field: &FieldInfo| Some(field.wire_name) != time && !field.source.is_derived();
        fields.any(|(field, value)| has_value(value) && is_told(field)) || self.row.unknown.is_empty()
    }

    /// Passes on the record in the row.
    #[inline(always)] // It is called for every record.
    fn keep(&mut self, index: usize) {
        // A known field in any record is enough, so usually only the first record is checked.
        if !self.is_known {
            self.is_known = self.has_known_field();
            self.rest.strange = if self.is_known { 0 } else { index + 1 };
        }
        self.push.push(&mut self.row);
    }

    /// Adds a record to the bad records, if bad records are skipped; otherwise returns `error`.
    #[cold]
    fn leave_out(&mut self, error: DecodeError, index: usize, text: &str) -> Result<(), DecodeError> {
        let error = error.at_index(index);
        if self.bad_records == BadRecords::Rejected {
            return Err(error);
        }
        if self.rest.bad_records.len() == MAX_BAD_RECORDS {
            return Err(error.beyond(MAX_BAD_RECORDS));
        }
        let [data, _] = self.layout.paths(self.rest.key.as_deref());
        let error = error.in_field(&data.unwrap_or_default().join("."));
        self.rest.bad_records.push(BadRecord { index, error, text: text.to_owned(), time: None });
        Ok(())
    }
}

/// Returns whether records have values from their groups.
fn has_labels(record: &RecordInfo) -> bool {
    record.fields.iter().any(|field| matches!(field.source, FieldSource::Group(_)))
}

/// Returns the first key of a JSON path.
fn first(path: &str) -> &str {
    path.split('.').next().unwrap_or_default()
}

/// A record of a series that is not as expected; returned with `Request::skip_bad_records`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BadRecord {
    /// Index of the record in the list of the response, from zero; valid records are counted too.
    pub index: usize,
    /// The problem and its JSON path.
    pub error: DecodeError,
    /// Unchanged text of the record; of columns, an object with the unchanged text of each value.
    pub text: String,
    /// The time of the record; `None` if it has no readable time.
    pub time: Option<Timestamp>,
}

impl BadRecord {
    /// Returns the JSON path in the body, for example `data[700].ratio`. Of columns, the index is also before the field,
    /// so this is the path of `data.ratio[700]`.
    pub fn path(&self) -> &str {
        self.error.path()
    }
}

/// Writes the JSON path and the problem.
impl fmt::Display for BadRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}
