//! What a body with a series contains besides the valid records and the metadata.

use super::bad_record::BadRecord;
use super::unknown_fields::UnknownFields;

/// The groups of the records in a body.
#[derive(Clone, Debug)]
pub(crate) struct Groups {
    pub(crate) form: GroupsForm,
    pub(crate) groups: Vec<Group>,
}

/// What contains the groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GroupsForm {
    /// They are the items of a list.
    Items,
    /// They are the members of an object.
    Members,
    /// There is one group in place of a list or an object of groups.
    One,
}

/// A group of records, which share their labels.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// The key of the group in its object, or its index in its list.
    pub(crate) key: String,
    /// The number of records.
    pub(crate) records: usize,
    /// True if the group has one record and no list.
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
    pub(crate) unrecognized: usize,
    /// True if the response has no records, not even bad ones.
    pub(crate) is_empty: bool,
    /// True if the response has `null` in place of the list of records.
    pub(crate) is_null: bool,
}
