//! The names of columns that are no field of a record and no param.

/// Name of the column with all fields that have no column of their own: a JSON object for each record, or null.
pub const UNKNOWN_FIELDS: &str = "unknown_fields";

/// Name of the column with each record as JSON, if the fields of the records are unknown.
pub(crate) const RECORD: &str = "record";

/// Name of the column with the members of records that the catalogue does not list by name, as a JSON object.
pub(crate) const OTHERS: &str = "others";

/// Name of the column with the endpoint of each row.
pub(crate) const ENDPOINT: &str = "endpoint";

/// The usual name of the column with the time at which a row was fetched.
pub(crate) const FETCHED_AT: &str = "fetched_at";
