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
    /// The part of the range.
    pub range: Range<Timestamp>,
    /// The metadata as on the wire, including fields that are not in the catalogue.
    pub metadata: Value,
    /// Requested values that the endpoint does not support, such as exchanges; the metadata contains them too.
    pub unsupported: Vec<String>,
    /// Fields of the envelope that are not in the catalogue.
    pub unknown_fields: UnknownFields,
}

impl PageMetadata {
    /// The metadata of a response.
    pub(super) fn new(notes: SeriesNotes) -> Self {
        let SeriesNotes { metadata, unsupported, unknown_fields } = notes;
        let start = Timestamp::from_unix_seconds(0);
        Self { range: start..start, metadata, unsupported, unknown_fields }
    }

    /// The same metadata, for a window.
    pub(super) fn of(self, window: Span) -> Self {
        Self { range: window.range(), ..self }
    }

    /// Returns whether another one differs only in its range.
    pub(super) fn is_the_same(&self, other: &Self) -> bool {
        self.metadata == other.metadata && self.unknown_fields == other.unknown_fields
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_that_differs_only_in_range_is_equal() {
        let metadata = |metadata: u8, unknown: u8| {
            let fields = |name: &str, value: u8| [(name, value.into())].into_iter().collect::<UnknownFields>();
            let metadata = serde_json::json!({"fee": metadata});
            PageMetadata::new(SeriesNotes {
                metadata,
                unsupported: Vec::new(),
                unknown_fields: fields("took", unknown),
            })
        };
        let one = metadata(1, 1);
        let later = Span { from: 7.into(), to: 9.into() };
        assert!(one.is_the_same(&metadata(1, 1).of(later)));
        assert!(!one.is_the_same(&metadata(1, 2)) && !one.is_the_same(&metadata(2, 1)));
    }
}
