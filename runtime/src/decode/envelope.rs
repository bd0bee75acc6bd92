//! Reads a series in its envelope, record by record.
//!
//! One row serves all records: it is filled, passed to the caller, and emptied for the next record. If the catalogue
//! describes no envelope, the body is the bare list. Objects that enclose the records or enclose the metadata may have
//! unknown fields, which are kept, nested as in the body.

use super::bad_record::BadRecord;
use super::decoded_value::DecodedValue;
use super::record::{Record, UnknownFields};
use super::row::{ANY, Row};
use super::scanner::{DEPTH, Scanner};
use super::unknown_fields::UnknownText;
use super::{BadRecords, DecodeError};
use crate::registry::{EnvelopeInfo, RecordInfo};

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
}

/// Everything in the response to a series request, except the valid records and the metadata.
#[derive(Debug, Default)]
pub(crate) struct EnvelopeRest {
    /// Fields of the envelope that are not in the catalogue.
    pub(crate) unknown_fields: UnknownFields,
    /// Records that are not as expected, and were omitted from the series.
    pub(crate) bad_records: Vec<BadRecord>,
    /// The number of records if every record has unknown fields, and no known field except the time. Otherwise 0.
    pub(crate) strange: usize,
    /// Whether the response has no records, not even bad ones.
    pub(crate) is_empty: bool,
}

/// A series that is being read.
struct Reader<'w, 'a> {
    envelope: Option<&'static EnvelopeInfo>,
    bad_records: BadRecords,
    row: Row<'a>,
    push: &'w mut dyn Push,
    /// The metadata; a row without values if the envelope has no metadata.
    metadata: Row<'a>,
    rest: EnvelopeRest,
    /// True if any record had a known field other than the time, or no unknown field.
    is_known: bool,
    /// True once the records were found.
    has_data: bool,
}

/// The paths from the current object to the records and to the metadata; `None` for a path that does not contain this
/// object.
type Leads = [Option<&'static str>; 2];

/// Splits a path into its first key and the remaining path, which is `None` if there is only one key.
fn step(lead: &'static str) -> (&'static str, Option<&'static str>) {
    lead.split_once('.').map_or((lead, None), |(key, rest)| (key, Some(rest)))
}

/// Reads a series, and passes each record to `push`. Returns the metadata, and the rest of the envelope.
///
/// If `record` is `None`, each record is passed as a row with one value of any kind.
pub(crate) fn series<M: Record>(
    text: &str,
    envelope: Option<&'static EnvelopeInfo>,
    record: Option<&'static RecordInfo>,
    bad_records: BadRecords,
    push: &mut dyn Push,
) -> Result<(M, EnvelopeRest), DecodeError> {
    let mut reader = Reader {
        envelope,
        bad_records,
        row: Row::of(record.unwrap_or(ANY)),
        push,
        metadata: Row::of(M::INFO),
        rest: EnvelopeRest::default(),
        is_known: false,
        has_data: false,
    };
    super::read(text, |json, next| reader.body(json, next))?;
    let key = envelope.and_then(|envelope| envelope.metadata).unwrap_or_default();
    reader.metadata.require_all().map_err(|error| error.in_field(key))?;
    Ok((M::from_row(&mut reader.metadata), reader.rest))
}

impl<'a> Reader<'_, 'a> {
    /// Reads the entire body: the envelope, or a bare list if there is no envelope.
    fn body(&mut self, json: &mut Scanner<'a>, next: u8) -> Result<(), DecodeError> {
        let Some(envelope) = self.envelope else { return self.records(json, next, DEPTH) };
        let mut unknown = self.level(json, next, DEPTH, [Some(envelope.data), envelope.metadata])?;
        self.rest.unknown_fields = unknown.take();
        if self.has_data {
            return Ok(());
        }
        let mut missing = json.error(format_args!("`{}` is missing", envelope.data));
        missing.0.no_data = true;
        Err(missing)
    }

    /// Reads an object on the path to the records or the metadata, and returns the other members of this object.
    fn level(&mut self, json: &mut Scanner<'a>, next: u8, depth: u8, leads: Leads) -> Result<UnknownText, DecodeError> {
        if next != b'{' {
            return Err(json.expected("an object"));
        }
        let (depth, mut met, mut unknown) = (json.deeper(depth)?, [false; 2], UnknownText::default());
        json.object(|json| {
            let start = json.at;
            let (key, next) = json.any_key()?;
            let [data, metadata] = leads.map(|lead| lead.map(step).filter(|(first, _)| *first == key));
            for (met, (first, _)) in met.iter_mut().zip([data, metadata]).filter_map(|(met, led)| Some((met, led?))) {
                if std::mem::replace(met, true) {
                    return Err(json.duplicate(first));
                }
            }
            let read = match (data, metadata) {
                (Some((_, None)), _) => {
                    self.has_data = true;
                    self.records(json, next, depth)
                }
                (None, None) => json.skip(next).map(|()| unknown.push(json.since(start))),
                // `null` in place of the metadata, or of an object around it, means that there is no metadata.
                (None, _) if next == b'n' => json.literal().map(drop),
                (_, Some((_, None))) => self.metadata.fill(json, next, depth),
                _ => {
                    let key = json.since(start);
                    let leads = [data, metadata].map(|led| led?.1);
                    self.level(json, next, depth, leads).map(|inner| unknown.push_object(key, &inner))
                }
            };
            read.map_err(|error| error.in_field(&key))
        })?;
        Ok(unknown)
    }

    fn records(&mut self, json: &mut Scanner<'a>, next: u8, depth: u8) -> Result<(), DecodeError> {
        if next != b'[' {
            return Err(json.expected("a list of records"));
        }
        let (depth, mut index) = (json.deeper(depth)?, 0);
        json.list(|json, next| {
            let start = json.at;
            if let Err(error) = self.record(json, next, depth, index) {
                self.leave_out(json, start, error.at_index(index), index)?;
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
        Ok(())
    }

    /// Returns whether the row has a known field other than the time, or no unknown field.
    fn has_known_field(&self) -> bool {
        let time = self.envelope.and_then(|envelope| envelope.time);
        let mut fields = self.row.record.fields.iter().zip(&self.row.values);
        let has_value = |value: &_| !matches!(value, DecodedValue::Absent);
        fields.any(|(field, value)| has_value(value) && Some(field.wire_name) != time) || self.row.unknown.is_empty()
    }

    fn record(&mut self, json: &mut Scanner<'a>, next: u8, depth: u8, index: usize) -> Result<(), DecodeError> {
        self.row.fill(json, next, depth)?;
        // A known field in any record is enough, so usually only the first record is checked.
        if !self.is_known {
            self.is_known = self.has_known_field();
            self.rest.strange = if self.is_known { 0 } else { index + 1 };
        }
        self.push.push(&mut self.row);
        Ok(())
    }

    /// Adds a record to the bad records, if the record is valid JSON and bad records are skipped; otherwise returns
    /// `error`.
    #[cold]
    fn leave_out(
        &mut self,
        json: &mut Scanner<'a>,
        start: usize,
        error: DecodeError,
        index: usize,
    ) -> Result<(), DecodeError> {
        // The failed attempt stopped within the record, so the record is skipped from its beginning.
        json.at = start;
        let next = json.next_value()?;
        if self.bad_records == BadRecords::Rejected || json.skip(next).is_err() {
            return Err(error);
        }
        if self.rest.bad_records.len() == MAX_BAD_RECORDS {
            return Err(error.beyond(MAX_BAD_RECORDS));
        }
        let error = match self.envelope {
            Some(envelope) => error.in_field(envelope.data),
            None => error,
        };
        self.rest.bad_records.push(BadRecord { index, error, text: json.since(start).to_owned() });
        Ok(())
    }
}
