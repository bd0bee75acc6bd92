//! Records and the rows they are made of.
//!
//! An emitted record is a table of fields and a few lines that take its values from a `Row`. The decoder fills the same
//! row again for each record, so a record of numbers costs no allocation. The decoder reads the JSON; `FromSlot` checks
//! the single values.

use super::DecodeError;
use super::envelope::Push;
use super::unknown_fields::UnknownText;
use crate::registry::{FieldInfo, RecordInfo, RecordLayout, ValueType};
use crate::values::Value;

pub use super::any_record::AnyRecord;
pub(crate) use super::field_value::number_of;
pub use super::field_value::{FieldValue, ListValue, MapValue, RecordValue};
pub use super::unknown_fields::UnknownFields;

// Public only in hidden signatures.
pub(crate) use super::field_value::{AsFieldValue, Fields};
pub(crate) use super::slot::{FromSlot, Large, Slot};

/// An object with known fields. Only emitted code implements it:
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

/// One element of a series: a [`Record`], or any [`Value`] if the fields are unknown. Users cannot implement it:
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
    const INFO: Option<&'static RecordInfo>;

    /// Creates the element from the values of a row, as a record does.
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
    const INFO: Option<&'static RecordInfo> = None;

    fn from_row(row: &mut Row<'_>) -> Self {
        row.take(0)
    }
}

impl<T: Item> Push for Vec<T> {
    fn push(&mut self, row: &mut Row<'_>) {
        let record = T::from_row(row);
        if row.misfit.is_none() {
            self.push(record);
        }
    }

    fn reserve(&mut self, records: usize) {
        Self::reserve(self, records);
    }
}

impl Push for Vec<AnyRecord> {
    fn push(&mut self, row: &mut Row<'_>) {
        let record = <AnyRecord as Fields>::from_row(row);
        if row.misfit.is_none() {
            self.push(record);
        }
    }

    fn reserve(&mut self, records: usize) {
        Self::reserve(self, records);
    }
}

impl RecordInfo {
    /// Returns the declaration of the record type in the catalogue.
    pub const fn of<R: Record>() -> &'static Self {
        R::INFO
    }
}

impl ValueType {
    /// The type of an object with known fields.
    pub const fn record<R: Record>() -> Self {
        Self::Record(R::INFO)
    }
}

/// Values of one object of the body, unconverted.
#[doc(hidden)]
#[derive(Debug)]
pub struct Row<'a> {
    /// The record; `None` for a row with a single value of any kind, and for an empty row.
    pub(crate) record: Option<&'static RecordInfo>,
    pub(crate) fields: &'static [FieldInfo],
    /// Layout of the object on the wire.
    pub(crate) form: RecordLayout,
    pub(crate) slots: Box<[Slot<'a>]>,
    pub(crate) unknown: UnknownText,
    /// First value that did not fit its type.
    pub(crate) misfit: Option<DecodeError>,
}

impl Row<'_> {
    /// Creates a row without values, for a record.
    pub(crate) fn of(record: &'static RecordInfo) -> Self {
        Self { record: Some(record), ..Self::new(record.fields, record.form) }
    }

    /// Creates a row without a record.
    pub(crate) fn empty() -> Self {
        Self::new(&[], RecordLayout::Object)
    }

    /// Creates a row without values.
    pub(crate) fn new(fields: &'static [FieldInfo], form: RecordLayout) -> Self {
        let slots = fields.iter().map(|_| Slot::Absent).collect();
        Self { record: None, fields, form, slots, unknown: UnknownText::default(), misfit: None }
    }

    /// Takes the value of the field at `index`; a second call finds it absent.
    ///
    /// A value that does not fit is noted here, and a placeholder is returned, so that emitted code needs no branch for
    /// each field. `Row::record` returns the error.
    pub fn take<T: FromSlot<Via>, Via>(&mut self, index: usize) -> T {
        match self.slots.get_mut(index).map_or_else(absent, T::from_slot) {
            Ok(value) => value,
            Err(error) => {
                self.note(index, error);
                T::placeholder()
            }
        }
    }

    /// Takes the value of a field that can be absent or null although its type cannot.
    pub fn take_or_default<T, Via>(&mut self, index: usize) -> T
    where
        T: FromSlot<Via> + Default,
    {
        self.take::<Option<T>, Via>(index).unwrap_or_default()
    }

    /// Converts the values into a record, or returns the first error.
    pub fn record<T: Record>(&mut self) -> Result<T, DecodeError> {
        let record = T::from_row(self);
        self.misfit.take().map_or(Ok(record), Err)
    }

    /// Converts the values into a record without its own Rust type, or returns the first error.
    pub(crate) fn any_record(&mut self) -> Result<AnyRecord, DecodeError> {
        let record = <AnyRecord as Fields>::from_row(self);
        self.misfit.take().map_or(Ok(record), Err)
    }

    #[cold]
    pub(super) fn note(&mut self, index: usize, misfit: DecodeError) {
        let misfit = match self.form {
            RecordLayout::Object => misfit.in_field(self.fields.get(index).map_or("", |field| field.wire_name)),
            RecordLayout::Positional => misfit.at_index(index),
            RecordLayout::Value => misfit,
        };
        self.misfit.get_or_insert(misfit);
    }

    /// Takes the fields that are not in the table.
    pub fn unknown_fields(&mut self) -> UnknownFields {
        self.unknown.take()
    }
}

/// Returns the value for a field outside the table: the same as for an absent one.
#[cold]
fn absent<T: FromSlot<Via>, Via>() -> Result<T, DecodeError> {
    T::from_slot(&mut Slot::Absent)
}
