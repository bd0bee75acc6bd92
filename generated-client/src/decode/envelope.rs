//! The envelope of a series, record by record.
//!
//! One row serves all records; whoever wants them gets it handed over filled and gives it back empty.
//! Where the catalogue knows no envelope, the body is the bare list.

use std::fmt;

use serde_core::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::DecodeError;
use super::any::AnySeed;
use super::key::next_key;
use super::row::RowSeed;
use super::slot::SlotSeed;
use crate::field_error::FieldError;
use crate::record::{Record, Row, UnknownFields};
use crate::registry::{EnvelopeInfo, Evidence, FieldInfo, RecordInfo, ValueType};
use crate::{Metadata, SERVICE};

/// Takes one record after the other.
pub(crate) type Push<'p> = dyn FnMut(&mut Row<'_>) -> Result<(), FieldError> + 'p;

/// What stands around the records.
pub(crate) struct Around<'a> {
    /// The metadata; without values if there is none.
    pub(crate) metadata: Row<'a>,
    /// What else the envelope holds.
    pub(crate) unknown: UnknownFields,
}

impl Around<'_> {
    /// The metadata, as the catalogue describes it.
    pub(crate) fn metadata(&mut self) -> Result<Metadata, DecodeError> {
        let place = SERVICE.envelope.as_ref().and_then(|envelope| envelope.metadata);
        let metadata = Metadata::from_row(&mut self.metadata);
        metadata.map_err(|error| DecodeError::misfit(&error.in_field(place.unwrap_or_default())))
    }
}

/// A walk through one series, and where it has got to.
pub(super) struct Walk<'w, 'a> {
    envelope: Option<&'static EnvelopeInfo>,
    /// What each record is read as.
    item: Item,
    row: Row<'a>,
    push: &'w mut Push<'w>,
    around: Around<'a>,
    place: Place,
    misfit: Option<FieldError>,
}

/// What a record is.
enum Item {
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
        push: &'w mut Push<'w>,
    ) -> Self {
        const ANY: &[FieldInfo] = &[FieldInfo::new("", "", ValueType::Any, Evidence::Document)];
        Self {
            envelope,
            item: if record.is_some() { Item::Object } else { Item::Any },
            row: Row::new(record.map_or(ANY, |record| record.fields)),
            push,
            around: Around { metadata: Row::new(metadata.fields), unknown: UnknownFields::default() },
            place: Place::Outside,
            misfit: None,
        }
    }

    /// Reads the text to its end.
    pub(super) fn read(mut self, text: &'a str) -> Result<Around<'a>, DecodeError> {
        match super::read(text, Body(&mut self)) {
            Ok(()) => Ok(self.around),
            Err(error) => Err(self.failure(&error)),
        }
    }

    fn failure(self, error: &serde_json::Error) -> DecodeError {
        let data = self.envelope.map_or("", |envelope| envelope.data);
        let metadata = self.envelope.and_then(|envelope| envelope.metadata).unwrap_or_default();
        match (self.place, self.misfit) {
            (Place::Record(index), Some(misfit)) => DecodeError::misfit(&misfit.at_index(index).in_field(data)),
            (Place::Record(index), None) => {
                DecodeError::new(join(&format!("{data}[{index}]"), self.row.reading()), error)
            }
            (Place::Metadata, _) => DecodeError::new(join(metadata, self.around.metadata.reading()), error),
            (Place::Data, _) => DecodeError::new(data.to_owned(), error),
            (Place::Outside, _) => DecodeError::new(String::new(), error),
        }
    }

    fn read_record<A: SeqAccess<'a>>(&mut self, list: &mut A) -> Result<bool, A::Error> {
        // Until the record turns out to be an object, no field of it is being read.
        self.row.reading = None;
        let record = match (&self.item, self.row.slots.first_mut()) {
            (Item::Any, Some(slot)) => list.next_element_seed(SlotSeed { ty: &ValueType::Any, slot })?,
            _ => list.next_element_seed(RowSeed(&mut self.row))?,
        };
        Ok(record.is_some())
    }
}

/// A place within a place.
fn join(outer: &str, inner: &str) -> String {
    if inner.is_empty() { outer.to_owned() } else { format!("{outer}.{inner}") }
}

/// The body as a whole: the envelope, or the list where there is none.
struct Body<'r, 'w, 'a>(&'r mut Walk<'w, 'a>);

impl<'a> DeserializeSeed<'a> for Body<'_, '_, 'a> {
    type Value = ();

    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<(), D::Error> {
        match self.0.envelope {
            Some(envelope) => deserializer.deserialize_map(Envelope { walk: self.0, envelope }),
            None => List(self.0).deserialize(deserializer),
        }
    }
}

struct Envelope<'r, 'w, 'a> {
    walk: &'r mut Walk<'w, 'a>,
    envelope: &'static EnvelopeInfo,
}

impl<'a> Visitor<'a> for Envelope<'_, '_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object with `{}`", self.envelope.data)
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { walk, envelope } = self;
        let mut data = false;
        while let Some(key) = next_key(&mut map)? {
            if key == envelope.data {
                if std::mem::replace(&mut data, true) {
                    return Err(A::Error::duplicate_field(envelope.data));
                }
                map.next_value_seed(List(walk))?;
            } else if envelope.metadata.is_some_and(|metadata| key == metadata) {
                walk.place = Place::Metadata;
                map.next_value_seed(Nullable(RowSeed(&mut walk.around.metadata)))?;
            } else {
                let value = map.next_value_seed(AnySeed)?;
                walk.around.unknown.insert(&key, value);
            }
            walk.place = Place::Outside;
        }
        if data { Ok(()) } else { Err(A::Error::missing_field(envelope.data)) }
    }
}

/// The records.
struct List<'r, 'w, 'a>(&'r mut Walk<'w, 'a>);

impl<'a> DeserializeSeed<'a> for List<'_, '_, 'a> {
    type Value = ();

    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<(), D::Error> {
        self.0.place = Place::Data;
        deserializer.deserialize_seq(self)
    }
}

impl<'a> Visitor<'a> for List<'_, '_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of records")
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut list: A) -> Result<(), A::Error> {
        let Self(walk) = self;
        walk.place = Place::Record(0);
        let mut index = 0;
        while walk.read_record(&mut list)? {
            if let Err(misfit) = (walk.push)(&mut walk.row) {
                walk.misfit = Some(misfit);
                return Err(A::Error::custom("a value does not fit its field"));
            }
            index += 1;
            walk.place = Place::Record(index);
        }
        Ok(())
    }
}

/// An object that may be `null`, which leaves the row without values.
struct Nullable<'r, 'a>(RowSeed<'r, 'a>);

impl<'a> DeserializeSeed<'a> for Nullable<'_, 'a> {
    type Value = ();

    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_option(self)
    }
}

impl<'a> Visitor<'a> for Nullable<'_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or null")
    }

    fn visit_none<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_some<D: Deserializer<'a>>(self, deserializer: D) -> Result<(), D::Error> {
        self.0.deserialize(deserializer)
    }
}
