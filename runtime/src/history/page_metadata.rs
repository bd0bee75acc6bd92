//! What the service says beside the records: the metadata of a series, for a part of the range.
//!
//! The metadata of a reply comes in; what it says goes out as data, with the venues that it leaves out by name.

use std::ops::Range;

use super::grid::Span;
use crate::decode::record::UnknownFields;
use crate::send::Said;
use crate::values::{Timestamp, Value};

/// What the service said beside the records of a part of the range.
///
/// Neighbouring pages with the same metadata share one. There is none where the service sent nothing beside the
/// records.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PageMetadata {
    /// The part of the range.
    pub range: Range<Timestamp>,
    /// The metadata as on the wire, with the fields that the catalogue does not know.
    pub metadata: Value,
    /// What was asked for and is not covered by the endpoint, such as venues; it stands in the metadata too.
    pub unsupported: Vec<String>,
    /// Fields of the envelope that the catalogue does not know.
    pub unknown_fields: UnknownFields,
}

impl PageMetadata {
    /// What a reply says.
    pub(super) fn new(said: Said) -> Self {
        let Said { metadata, unsupported, unknown_fields } = said;
        let start = Timestamp::from_unix_seconds(0);
        Self { range: start..start, metadata, unsupported, unknown_fields }
    }

    /// The same, said of a window.
    pub(super) fn of(self, window: Span) -> Self {
        Self { range: window.range(), ..self }
    }

    /// Whether another one differs in nothing but its range.
    pub(super) fn says_the_same(&self, other: &Self) -> bool {
        self.metadata == other.metadata && self.unknown_fields == other.unknown_fields
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_its_range_makes_no_difference() {
        let said = |metadata: u8, unknown: u8| {
            let fields = |name: &str, value: u8| [(name, value.into())].into_iter().collect::<UnknownFields>();
            let metadata = serde_json::json!({"fee": metadata});
            PageMetadata::new(Said { metadata, unsupported: Vec::new(), unknown_fields: fields("took", unknown) })
        };
        let one = said(1, 1);
        let later = Span { from: 7.into(), to: 9.into() };
        assert!(one.says_the_same(&said(1, 1).of(later)));
        assert!(!one.says_the_same(&said(1, 2)) && !one.says_the_same(&said(2, 1)));
    }
}
