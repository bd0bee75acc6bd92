//! The metadata of a file: its sections, and the state of its table if there is no other file.

use std::collections::BTreeMap;
use std::time::Duration;

use arrow_schema::SchemaRef;
use runtime::Timestamp;
use serde::{Deserialize, Serialize};

use crate::partition::Partition;
use crate::retired_series::RetiredSeries;
use crate::saved_state::VERSION;
use crate::section::Section;
use crate::table_state::TableState;

/// The metadata of a file: its sections, and the state of its table if there is no other file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileState {
    pub(crate) version: u64,
    /// The [label of the source](crate::Backfill::source_label) of the rows.
    #[serde(rename = "origin")]
    pub(crate) source_label: String,
    /// The run that has fetched the rows; only in the journal.
    pub(crate) run: Option<SavedRun>,
    /// The columns; `None` in files of format 5.
    #[serde(default)]
    pub(crate) columns: Option<SchemaRef>,
    /// The checksum of each row group.
    pub(crate) checksums: Vec<String>,
    pub(crate) sections: Vec<Section>,
    /// The retired series of the table; `None` in the journal, and in files of an earlier version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) retired: Option<RetiredSeries>,
    /// Identifies the rows of a data file: a merge that replaces rows changes it, and any other merge keeps it. `None` in
    /// the journal, and in files of an earlier version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) generation: Option<String>,
    pub(crate) table: Option<TableState>,
}

impl FileState {
    /// Creates the metadata of a data file of a table, without its sections.
    pub(crate) fn of_table(state: &TableState) -> Self {
        Self { source_label: state.source_label.clone(), retired: Some(state.retired()), ..Self::default() }
    }

    /// The state of the table with one file that has this metadata, without the file, because it can be a copy or
    /// renamed.
    pub(crate) fn table_of_file(&self) -> Option<TableState> {
        let table = self.table.clone()?;
        Some(TableState { version: VERSION, files: BTreeMap::new(), ..table })
    }

    /// The columns of the file; `None` in files of format 5 that are not the only file of their table.
    pub(crate) fn known_columns(&self) -> Option<&SchemaRef> {
        self.columns.as_ref().or_else(|| self.table.as_ref()?.columns.as_ref())
    }

    /// The number of rows.
    pub(crate) fn rows(&self) -> u64 {
        self.sections.iter().map(|section| section.count as u64).fold(0, u64::saturating_add)
    }
}

/// The run that has written a file of the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SavedRun {
    /// The start of the run that has fetched the rows, and its refetch time.
    pub(crate) started: Timestamp,
    pub(crate) refetch: Duration,
    /// The time at which the file was written.
    pub(crate) written: Timestamp,
    /// The period of a data file of the table. Each section of the journal has rows of one period.
    pub(crate) partition: Option<Partition>,
    /// The time that the service had reached when the run began: what ends earlier than this by the refetch time is
    /// settled. `None` if it is unknown.
    #[serde(default)]
    pub(crate) reached: Option<Timestamp>,
}

impl SavedRun {
    /// The time until which the ranges that the run has fetched are settled, if the newest record has the time `last`.
    pub(crate) fn settled_until(&self, last: Timestamp) -> Timestamp {
        let newest = match self.reached {
            Some(reached) => last.max(reached),
            None => last,
        };
        newest - self.refetch
    }
}
