//! The envelope of a series, record by record.
//!
//! One row serves all records; whoever wants them gets it handed over filled and gives it back empty.
//! Where the catalogue knows no envelope, the body is the bare list.

use super::DecodeError;
use super::any::skip;
use super::record::{Row, Slot};
use super::row::value;
use super::scanner::{DEPTH, Fault, FaultKind, Scanner};
use super::unknown_fields::UnknownText;
use crate::registry::{EnvelopeInfo, Evidence, FieldInfo, RecordInfo, ValueType};

/// Takes one record after the other.
///
/// A closure would do; it takes more code for every endpoint.
pub trait Push {
    /// Takes the record that fills the row.
    fn push(&mut self, row: &mut Row<'_>);
}

/// What stands around the records.
pub(super) struct Rest<'a> {
    /// The metadata; without values if there is none.
    pub(super) metadata: Row<'a>,
    /// What else the envelope holds.
    pub(super) unknown: UnknownText,
    /// How many records came without any field that the catalogue knows besides the time; none if one had such a field.
    pub(super) strange: usize,
}

/// Reads one series; it knows where in the text it is.
pub(super) struct Reader<'w, 'a> {
    envelope: Option<&'static EnvelopeInfo>,
    /// What each record is read as.
    kind: Kind,
    row: Row<'a>,
    push: &'w mut dyn Push,
    rest: Rest<'a>,
    /// Whether a record had a known field besides its time.
    is_known: bool,
    position: Position,
}

/// What a record is.
enum Kind {
    /// An object whose fields go to the row.
    Object,
    /// A value of any kind, which is the only one of its row.
    Any,
}

/// In which part of the body the reader is.
enum Position {
    Outside,
    Data,
    Record(usize),
    Metadata,
}

impl<'w, 'a> Reader<'w, 'a> {
    pub(super) fn new(
        envelope: Option<&'static EnvelopeInfo>,
        record: Option<&'static RecordInfo>,
        metadata: &'static RecordInfo,
        push: &'w mut dyn Push,
    ) -> Self {
        const ANY: &[FieldInfo] = &[FieldInfo::new("", "", ValueType::Any, Evidence::Document)];
        Self {
            envelope,
            kind: if record.is_some() { Kind::Object } else { Kind::Any },
            row: Row::new(record.map_or(ANY, |record| record.fields)),
            push,
            rest: Rest { metadata: Row::new(metadata.fields), unknown: UnknownText::default(), strange: 0 },
            is_known: false,
            position: Position::Outside,
        }
    }

    /// Reads the text to its end.
    pub(super) fn read(mut self, text: &'a str) -> Result<Rest<'a>, DecodeError> {
        match super::read(text, |json, next| self.body(json, next)) {
            Ok(()) => Ok(self.rest),
            Err(fault) => Err(self.failure(text, &fault)),
        }
    }

    fn failure(self, text: &str, fault: &Fault) -> DecodeError {
        let data = self.envelope.map_or("", |envelope| envelope.data);
        let metadata = self.envelope.and_then(|envelope| envelope.metadata).unwrap_or_default();
        let place = match (self.position, &self.row.misfit) {
            (Position::Record(index), Some(misfit)) => {
                return DecodeError::misfit(&misfit.clone().at_index(index).in_field(data));
            }
            (Position::Record(index), None) => join(&format!("{data}[{index}]"), self.row.reading()),
            (Position::Metadata, _) => join(metadata, self.rest.metadata.reading()),
            (Position::Data, _) => data.to_owned(),
            (Position::Outside, _) => String::new(),
        };
        DecodeError::new(place, text, fault)
    }

    /// The body as a whole: the envelope, or the list where there is none.
    fn body(&mut self, json: &mut Scanner<'a>, next: u8) -> Result<(), Fault> {
        let Some(envelope) = self.envelope else {
            return self.records(json, next, DEPTH);
        };
        if next != b'{' {
            return Err(json.expected("an object"));
        }
        let (mut has_data, mut has_metadata) = (false, false);
        json.object(|json| {
            let start = json.at();
            let (key, next) = json.key()?;
            if key == envelope.data {
                if std::mem::replace(&mut has_data, true) {
                    return Err(json.fault(FaultKind::Twice(envelope.data)));
                }
                self.records(json, next, DEPTH - 1)?;
            } else if let Some(metadata) = envelope.metadata.filter(|metadata| key == *metadata) {
                if std::mem::replace(&mut has_metadata, true) {
                    return Err(json.fault(FaultKind::Twice(metadata)));
                }
                self.position = Position::Metadata;
                self.metadata(json, next)?;
            } else {
                skip(json, next, DEPTH - 1)?;
                self.rest.unknown.push(json.since(start));
            }
            self.position = Position::Outside;
            Ok(())
        })?;
        if has_data { Ok(()) } else { Err(json.fault(FaultKind::Missing(envelope.data))) }
    }

    fn metadata(&mut self, json: &mut Scanner<'a>, next: u8) -> Result<(), Fault> {
        match next {
            b'n' => json.literal().map(drop),
            _ => self.rest.metadata.fill(json, next, DEPTH - 1),
        }
    }

    fn records(&mut self, json: &mut Scanner<'a>, next: u8, depth: u8) -> Result<(), Fault> {
        self.position = Position::Data;
        if next != b'[' {
            return Err(json.expected("a list of records"));
        }
        let mut index = 0;
        json.list(|json, next| {
            self.position = Position::Record(index);
            self.record(json, next, depth - 1)?;
            // One known field is enough, so as a rule only the first record is looked at.
            if !self.is_known {
                self.is_known = matches!(self.kind, Kind::Any) || self.has_known_field();
                self.rest.strange = if self.is_known { 0 } else { index + 1 };
            }
            self.push.push(&mut self.row);
            if self.row.misfit.is_some() {
                return Err(json.fault(FaultKind::Misfit));
            }
            index += 1;
            Ok(())
        })
    }

    /// Whether the row has a known field besides the time, or none that is unknown either.
    fn has_known_field(&self) -> bool {
        let time = self.envelope.and_then(|envelope| envelope.time);
        let mut fields = self.row.fields.iter().zip(&self.row.slots);
        let came = fields.any(|(field, slot)| !matches!(slot, Slot::Absent) && Some(field.wire_name) != time);
        came || self.row.unknown.is_empty()
    }

    fn record(&mut self, json: &mut Scanner<'a>, next: u8, depth: u8) -> Result<(), Fault> {
        match (&self.kind, self.row.slots.first_mut()) {
            (Kind::Any, Some(slot)) => *slot = value(&ValueType::Any, json, next, depth)?,
            _ => self.row.fill(json, next, depth)?,
        }
        Ok(())
    }
}

/// A place within a place.
fn join(outer: &str, inner: &str) -> String {
    if inner.is_empty() { outer.to_owned() } else { format!("{outer}.{inner}") }
}
