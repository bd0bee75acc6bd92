//! Reads a series in its envelope.
//!
//! If the catalogue describes no envelope, the body is the bare list. Objects that enclose the records or enclose the
//! metadata may have unknown fields, which are kept, nested as in the body.

use super::bad_record::BadRecords;
use super::column_names::ColumnNames;
use super::envelope_rest::EnvelopeRest;
use super::error::DecodeError;
use super::record::Record;
use super::row::{ANY, Row};
use super::scanner::{DEPTH, Scanner, read};
use super::series_layout::SeriesLayout;
use super::series_reader::{LastRecords, RecordList, SeriesReader};
use super::unknown_fields::UnknownText;
use crate::registry::{FieldSource, RecordInfo, RecordLayout};

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

/// Reads a series, and appends each record to `list`. Returns the metadata, and the rest of the envelope.
///
/// If `record` is `None`, each record is appended as a row with one value of any kind.
pub(crate) fn series<M: Record>(
    text: &str,
    layout: SeriesLayout,
    record: Option<&'static RecordInfo>,
    bad_records: BadRecords,
    list: &mut dyn RecordList,
) -> Result<(M, EnvelopeRest), DecodeError> {
    let mut reader = SeriesReader {
        layout,
        bad_records,
        row: Row::of(record.unwrap_or(ANY)),
        list,
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
