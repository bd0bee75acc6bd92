//! Records, and the elements of a series.
//!
//! An emitted record consists of a table of fields, and a few lines of code that take the values from a `Row`.

use super::envelope::Push;
use crate::registry::{BodyInfo, EndpointInfo, Evidence, RecordInfo, ValueType};
use crate::values::Value;

pub use super::any_record::AnyRecord;
pub use super::field_value::{FieldValue, ListValue, MapValue, RecordValue};
pub use super::unknown_fields::UnknownFields;

// These types are declared `pub` only because signatures that are hidden from the docs contain them.
pub(crate) use super::field_value::{AsFieldValue, Fields, number_of};
#[doc(hidden)]
pub use super::row::Row;

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

    /// Returns the value of a field, by its name on the wire; `None` if the record has no such field.
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

/// `INFO` is `None`, because the table of such a record is chosen at run time.
impl Item for AnyRecord {
    fn from_row(row: &mut Row<'_>) -> Self {
        <Self as Fields>::from_row(row)
    }
}

impl<T: Item> Push for Vec<T> {
    fn push(&mut self, row: &mut Row<'_>) {
        self.push(T::from_row(row));
    }

    fn reserve(&mut self, records: usize) {
        Self::reserve(self, records);
    }
}

impl RecordInfo {
    /// Returns the description of the record type in the catalogue.
    pub const fn of<R: Record>() -> &'static Self {
        R::INFO
    }
}

/// A call of one of these setters takes one line of emitted code; a struct literal as the value of the field would take
/// six lines.
#[doc(hidden)]
impl EndpointInfo {
    /// Sets the body to a series whose times have the unit of the service.
    #[must_use]
    pub const fn series<R: Record>(mut self, time: &'static str, evidence: Evidence) -> Self {
        let record = Some(RecordInfo::of::<R>());
        self.body = BodyInfo::Series { record, time: Some(time), evidence };
        self
    }

    /// Sets the body to a series of unknown records, whose times have the unit of the service.
    #[must_use]
    pub const fn unknown_series(mut self, time: &'static str, evidence: Evidence) -> Self {
        self.body = BodyInfo::Series { record: None, time: Some(time), evidence };
        self
    }
}

impl ValueType {
    /// Returns the type of an object with known fields.
    pub const fn record<R: Record>() -> Self {
        Self::Record(R::INFO)
    }

    /// Returns the type of a record that contains a list or map of records of its own type.
    pub const fn recursive<R: Record>() -> Self {
        Self::Recursive(RecordInfo::of::<R>)
    }
}
