//! The time of the last record of each label, such as a contract, of a series whose records have labels beside their time.

use std::collections::BTreeMap;
use std::ops::Range;

use arrow_array::RecordBatch;
use runtime::Timestamp;
use serde::{Deserialize, Serialize};

use crate::row_labels::RowLabels;
use crate::timestamps::timestamp;

/// Maximum number of labels of a series. Further labels are not in the list.
const MAX_LABELS: usize = 1000;

/// The time of the last record of each label.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LastSeen(BTreeMap<String, Timestamp>);

impl LastSeen {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds rows with these times in microseconds; `key` are the columns that make a label.
    pub(crate) fn add(&mut self, rows: &RecordBatch, times: &[i64], key: &[String]) {
        let labels = RowLabels::new(rows, key);
        for (row, time) in times.iter().enumerate() {
            self.note(labels.of(row), timestamp(*time));
        }
    }

    pub(crate) fn add_all(&mut self, other: &Self) {
        for (label, last) in &other.0 {
            self.note(label.clone(), *last);
        }
    }

    /// Removes the labels whose last record is in a range.
    pub(crate) fn remove(&mut self, range: &Range<Timestamp>) {
        self.0.retain(|_, last| !range.contains(last));
    }

    fn note(&mut self, label: String, time: Timestamp) {
        let has_room = self.0.len() < MAX_LABELS;
        if let Some(last) = self.0.get_mut(&label) {
            *last = time.max(*last);
        } else if has_room {
            self.0.insert(label, time);
        }
    }

    /// The labels whose last record is before a time.
    pub(crate) fn before(&self, end: Timestamp) -> BTreeMap<String, Timestamp> {
        self.0.iter().filter(|(_, last)| **last < end).map(|(label, last)| (label.clone(), *last)).collect()
    }
}
