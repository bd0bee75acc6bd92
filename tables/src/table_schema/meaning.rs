//! Metadata of a column in Arrow and Parquet: meaning, unit, evidence and format.

use std::collections::HashMap;

use runtime::registry::Evidence;

/// The metadata key that marks the text of a column as JSON.
pub(crate) const FORMAT: &str = "format";

/// The metadata of a column; unknown facts are omitted.
pub(super) fn of(meaning: &str, unit: &str, evidence: Option<Evidence>, is_json: bool) -> HashMap<String, String> {
    let evidence = evidence.map_or("", Evidence::as_str);
    let format = if is_json { "json" } else { "" };
    let all = [("meaning", meaning), ("unit", unit), ("evidence", evidence), (FORMAT, format)];
    let said = all.into_iter().filter(|(_, text)| !text.is_empty());
    said.map(|(key, text)| (key.to_owned(), text.to_owned())).collect()
}

/// Returns `true` if the metadata marks a column as JSON.
pub(crate) fn is_json(field: &arrow_schema::Field) -> bool {
    field.metadata().get(FORMAT).is_some_and(|format| format == "json")
}
