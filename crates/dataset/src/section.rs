//! The sections of a file: the rows of a series in a row group.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::changes::Changes;
use crate::row_facts::RowFacts;
use crate::time_ranges::TimeRanges;

/// Rows of a series in a row group. The rows of all sections of a file are one after the other. A series with rows in
/// several row groups has a section in each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Section {
    pub(crate) path: String,
    /// The row group.
    pub(crate) group: usize,
    /// Number of rows before it in the row group.
    pub(crate) skip: usize,
    /// Number of rows.
    pub(crate) count: usize,
    #[serde(flatten)]
    pub(crate) row_facts: RowFacts,
    /// The ranges that a run has fetched; only in the journal.
    pub(crate) fetched: TimeRanges,
    /// The values of the series that its endpoint does not support, by the responses; only in the journal.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) unsupported: BTreeSet<String>,
    /// What the rows have in each field; only in the journal, if they are encoded as in a data file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) encoded: Option<Changes>,
    /// What the merge that has written the file has changed, if the series had new rows; in its last section.
    #[serde(skip)]
    pub(crate) changes: Option<Changes>,
}

impl Section {
    /// A section without rows of the same series.
    pub(crate) fn emptied(&self) -> Self {
        Self { path: self.path.clone(), row_facts: self.row_facts.emptied(), ..Self::default() }
    }

    /// A section without rows that continues this one in the next row group.
    pub(crate) fn continued(&self) -> Self {
        let encoded = self.encoded.as_ref().map(|_| Changes::default());
        Self { encoded, ..self.emptied() }
    }
}
