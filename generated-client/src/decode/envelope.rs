//! The envelope of a series, record by record.
//!
//! One row serves all records; whoever wants them gets it handed over filled and gives it back empty.
//! Where the catalogue knows no envelope, the body is the bare list.

use super::DecodeError;
use super::any::skip;
use super::row::value;
use super::scanner::{DEPTH, Fault, FaultKind, Scanner};
use crate::record::Row;
use crate::registry::{EnvelopeInfo, Evidence, FieldInfo, RecordInfo, ValueType};
use crate::series::Item;
use crate::unknown_fields::UnknownText;
use crate::{Metadata, SERVICE};

/// Takes one record after the other.
///
/// A closure would do; it takes more code for every endpoint.
pub(crate) trait Push {
    fn push(&mut self, row: &mut Row<'_>);
}

impl<T: Item> Push for Vec<T> {
    fn push(&mut self, row: &mut Row<'_>) {
        self.push(T::from_row(row));
    }
}

/// What stands around the records.
pub(super) struct Frame<'a> {
    /// The metadata; without values if there is none.
    pub(crate) metadata: Row<'a>,
    /// What else the envelope holds.
    pub(crate) unknown: UnknownText,
}

impl Frame<'_> {
    /// The metadata, as the catalogue describes it.
    pub(super) fn metadata(&mut self) -> Result<Metadata, DecodeError> {
        let place = SERVICE.envelope.as_ref().and_then(|envelope| envelope.metadata);
        self.metadata.record().map_err(|error| DecodeError::misfit(&error.in_field(place.unwrap_or_default())))
    }
}

/// A walk through one series, and where it has got to.
pub(super) struct Walk<'w, 'a> {
    envelope: Option<&'static EnvelopeInfo>,
    /// What each record is read as.
    kind: Kind,
    row: Row<'a>,
    push: &'w mut dyn Push,
    frame: Frame<'a>,
    place: Place,
}

/// What a record is.
enum Kind {
    /// An object whose fields go to the row.
    Object,
    /// A value of any kind, which is the only one of its row.
    Any,
}

/// Where a walk has got to.
enum Place {
    Outside,
    Data,
    Record(usize),
    Metadata,
}

impl<'w, 'a> Walk<'w, 'a> {
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
            frame: Frame { metadata: Row::new(metadata.fields), unknown: UnknownText::default() },
            place: Place::Outside,
        }
    }

    /// Reads the text to its end.
    pub(super) fn read(mut self, text: &'a str) -> Result<Frame<'a>, DecodeError> {
        match super::read(text, |json, next| self.body(json, next)) {
            Ok(()) => Ok(self.frame),
            Err(fault) => Err(self.failure(text, &fault)),
        }
    }

    fn failure(self, text: &str, fault: &Fault) -> DecodeError {
        let data = self.envelope.map_or("", |envelope| envelope.data);
        let metadata = self.envelope.and_then(|envelope| envelope.metadata).unwrap_or_default();
        let place = match (self.place, &self.row.misfit) {
            (Place::Record(index), Some(misfit)) => {
                return DecodeError::misfit(&misfit.clone().at_index(index).in_field(data));
            }
            (Place::Record(index), None) => join(&format!("{data}[{index}]"), self.row.reading()),
            (Place::Metadata, _) => join(metadata, self.frame.metadata.reading()),
            (Place::Data, _) => data.to_owned(),
            (Place::Outside, _) => String::new(),
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
                self.place = Place::Metadata;
                self.metadata(json, next)?;
            } else {
                skip(json, next, DEPTH - 1)?;
                self.frame.unknown.push(json.since(start));
            }
            self.place = Place::Outside;
            Ok(())
        })?;
        if has_data { Ok(()) } else { Err(json.fault(FaultKind::Missing(envelope.data))) }
    }

    fn metadata(&mut self, json: &mut Scanner<'a>, next: u8) -> Result<(), Fault> {
        match next {
            b'n' => json.literal().map(drop),
            _ => self.frame.metadata.fill(json, next, DEPTH - 1),
        }
    }

    fn records(&mut self, json: &mut Scanner<'a>, next: u8, depth: u8) -> Result<(), Fault> {
        self.place = Place::Data;
        if next != b'[' {
            return Err(json.expected("a list of records"));
        }
        let mut index = 0;
        json.list(|json, next| {
            self.place = Place::Record(index);
            self.record(json, next, depth - 1)?;
            self.push.push(&mut self.row);
            if self.row.misfit.is_some() {
                return Err(json.fault(FaultKind::Misfit));
            }
            index += 1;
            Ok(())
        })
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
