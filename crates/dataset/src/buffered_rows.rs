//! The fetched rows of a table that are not in the journal yet.

use std::collections::BTreeMap;
use std::collections::btree_map::IntoValues;

use arrow_array::RecordBatch;
use runtime::Timestamp;

use crate::parquet_file::RowGroupSizes;
use crate::row_facts::RowFacts;
use crate::section::Section;
use crate::series::SeriesRequest;

/// The fetched rows of a table that are not in the journal yet, as sections of its next file.
#[derive(Debug, Default)]
pub(crate) struct BufferedRows {
    /// The sections by the start of the period of their data file, and by the number of the range that was fetched. The
    /// pages of a range are in order of time, unlike those of different ranges.
    sections: BTreeMap<(Timestamp, usize), BufferedSection>,
}

/// A section of a series, and its rows.
#[derive(Debug)]
pub(crate) struct BufferedSection {
    pub(crate) section: Section,
    pub(crate) batches: Vec<RecordBatch>,
}

impl BufferedRows {
    /// The section of a fetched range in a period, which is created if it is missing.
    pub(crate) fn section(
        &mut self,
        series: &SeriesRequest,
        range_number: usize,
        period_start: Timestamp,
    ) -> &mut BufferedSection {
        self.sections.entry((period_start, range_number)).or_insert_with(|| {
            let row_facts = RowFacts::new(series);
            let section = Section { path: series.path().to_owned(), row_facts, ..Section::default() };
            BufferedSection { section, batches: Vec::new() }
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.sections.is_empty()
    }

    /// `true` if each section that has rows has enough for a row group of a data file.
    pub(crate) fn are_row_groups(&self) -> bool {
        self.sections.values().all(|buffered| buffered.rows() == 0 || RowGroupSizes::DATA.is_large(buffered.rows()))
    }

    /// The first rows.
    pub(crate) fn first(&self) -> Option<&RecordBatch> {
        self.sections.values().find_map(|buffered| buffered.batches.first())
    }
}

impl BufferedSection {
    /// The number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }
}

impl IntoIterator for BufferedRows {
    type Item = BufferedSection;
    type IntoIter = IntoValues<(Timestamp, usize), BufferedSection>;

    fn into_iter(self) -> Self::IntoIter {
        self.sections.into_values()
    }
}
