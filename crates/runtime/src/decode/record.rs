//! Records, and the elements of a series.
//!
//! An emitted record consists of a table of fields, and a few lines of code that take the values from a `Row`.

use super::field_value::{AsFieldValue, FieldValue, Fields, RecordValue};
use super::from_decoded::FromDecoded;
use super::row::{BoxedValue, DecodedValue, Row};
use super::unknown_fields::UnknownFields;
use crate::registry::{BodyInfo, EndpointInfo, Evidence, RecordInfo, RecursiveRecord, ValueType};
use crate::values::Value;

/// An object with known fields. Only emitted code implements this trait:
///
/// ```compile_fail,E0277
/// # use generated_client_runtime::{registry::RecordInfo, record::Record};
/// struct Mine;
///
/// impl Record for Mine {
///     const INFO: &'static RecordInfo = &RecordInfo::new("Mine", &[]);
/// }
/// ```
pub trait Record: Fields + Sized {
    /// The record's description in the catalogue.
    const INFO: &'static RecordInfo;

    /// The value of a field, by its name on the wire; `None` if the record has no such field.
    fn value(&self, wire_name: &str) -> Option<FieldValue<'_>> {
        RecordValue::of(self).value(wire_name)
    }
}

/// One element of a series: a [`Record`], or any [`Value`] if the fields are unknown. Users cannot implement this
/// trait:
///
/// ```compile_fail,E0277
/// # use generated_client_runtime::record::{Item, Row};
/// # use generated_client_runtime::registry::RecordInfo;
/// struct Mine;
///
/// impl Item for Mine {
///     const INFO: Option<&'static RecordInfo> = None;
///     fn from_row(_: &mut Row<'_>) -> Self {
///         Self
///     }
/// }
/// ```
pub trait Item: AsFieldValue + Sized + Send + 'static {
    /// The known fields, if any.
    const INFO: Option<&'static RecordInfo> = None;

    /// Takes the values of the element from a row.
    #[doc(hidden)]
    fn from_row(row: &mut Row<'_>) -> Self;
}

impl<T: Record + Send + 'static> Item for T {
    const INFO: Option<&'static RecordInfo> = Some(<T as Record>::INFO);

    fn from_row(row: &mut Row<'_>) -> Self {
        <T as Fields>::from_row(row)
    }
}

impl Item for Value {
    fn from_row(row: &mut Row<'_>) -> Self {
        row.take(0)
    }
}

/// A record that has only unknown fields, such as the metadata of an endpoint that is chosen at run time.
impl Record for UnknownFields {
    const INFO: &'static RecordInfo = &RecordInfo::new("UnknownFields", &[]);
}

impl Fields for UnknownFields {
    fn from_row(row: &mut Row<'_>) -> Self {
        row.unknown_fields()
    }

    fn value_at(&self, _: usize) -> Option<&dyn AsFieldValue> {
        None
    }

    fn unknown_fields(&self) -> &Self {
        self
    }
}

impl<'r> RecordValue<'r> {
    /// Creates a view of the record.
    pub fn of<R: Record>(record: &'r R) -> Self {
        Self { info: R::INFO, fields: record }
    }
}

impl<R: Record> AsFieldValue for R {
    fn as_field_value(&self) -> FieldValue<'_> {
        FieldValue::Record(RecordValue::of(self))
    }
}

/// Marks the implementation for a [`Record`], so that implementations do not overlap.
#[doc(hidden)]
#[derive(Debug)]
pub enum AsRecord {}

impl<T: Record> FromDecoded<AsRecord> for T {
    fn from_decoded(value: &mut DecodedValue<'_>) -> Self {
        match value.take_boxed() {
            Some(BoxedValue::Record(mut row)) => T::from_row(&mut row),
            _ => T::from_row(&mut Row::of(T::INFO)),
        }
    }
}

impl RecordInfo {
    /// Returns the description of the record type in the catalogue.
    pub const fn of<R: Record>() -> &'static Self {
        R::INFO
    }
}

#[doc(hidden)]
impl EndpointInfo {
    /// Sets the body to a list of records, whose times have the unit of the service; `time` is `None` if the list is not
    /// a time series. The call takes one line of emitted code; a struct literal as the value of the field would take six
    /// lines.
    #[must_use]
    pub const fn series<T: Item>(mut self, time: Option<&'static str>, evidence: Evidence) -> Self {
        self.body = BodyInfo::Series { record: T::INFO, time, evidence };
        self
    }
}

impl ValueType {
    /// Returns the type of an object with known fields.
    pub const fn record<R: Record>() -> Self {
        Self::Record(R::INFO)
    }

    /// Returns the type of a record that contains a list or map of records of its own type.
    pub const fn recursive<R: Record + 'static>() -> Self {
        Self::Recursive(RecursiveRecord::new(&RecordInfo::of::<R>))
    }
}
