//! The metadata of a series, for a part of the range.
//!
//! The metadata of a response is kept as data, with a list of the exchanges that the response omits.

use std::ops::Range;

use super::time_grid::Span;
use crate::decode::record::UnknownFields;
use crate::send::SeriesNotes;
use crate::values::{Timestamp, Value};

/// The metadata of the responses for a part of the range.
///
/// Adjacent pages with the same metadata share one entry. A response without metadata has no entry.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PageMetadata {
    /// The part of the requested range that the page covers.
    pub range: Range<Timestamp>,
    /// The metadata as on the wire, including fields that are not in the catalogue.
    pub metadata: Value,
    /// Requested values that the endpoint does not support, such as exchanges; the metadata contains them too.
    pub unsupported: Vec<String>,
    /// Fields of the envelope that are not in the catalogue.
    pub unknown_fields: UnknownFields,
}

impl PageMetadata {
    /// The metadata of a response, for a window.
    pub(super) fn new(notes: SeriesNotes, window: Span) -> Self {
        let SeriesNotes { metadata, unsupported, unknown_fields } = notes;
        Self { range: window.range(), metadata, unsupported, unknown_fields }
    }

    /// Returns whether another entry differs only in its range.
    pub(super) fn is_the_same(&self, other: &Self) -> bool {
        self.metadata == other.metadata && self.unknown_fields == other.unknown_fields
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_that_differs_only_in_range_is_equal() {
        let metadata = |metadata: u8, unknown: u8, window: (i64, i64)| {
            let fields = |name: &str, value: u8| [(name, value.into())].into_iter().collect::<UnknownFields>();
            let metadata = serde_json::json!({"fee": metadata});
            let window = Span { from: window.0.into(), to: window.1.into() };
            let notes = SeriesNotes { metadata, unsupported: Vec::new(), unknown_fields: fields("took", unknown) };
            PageMetadata::new(notes, window)
        };
        let one = metadata(1, 1, (0, 7));
        assert!(one.is_the_same(&metadata(1, 1, (7, 9))));
        assert!(!one.is_the_same(&metadata(1, 2, (0, 7))) && !one.is_the_same(&metadata(2, 1, (0, 7))));
    }
}
