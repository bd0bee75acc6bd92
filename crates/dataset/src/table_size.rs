//! Advice about files of a table that are too large for readers and for updates.

use std::collections::BTreeMap;

use runtime::Timestamp;

use crate::partition::{MAX_ROWS, Partition};
use crate::table::Table;

impl Table {
    /// A message if a file is expected to have much more rows than is good for readers and for updates.
    pub(crate) fn outgrown(&self) -> Option<String> {
        let partition = self.state.partition?;
        let interval = self.interval();
        if !interval.has_steps() {
            return self.outgrown_file(partition);
        }
        let series = self.state.series.len().max(self.series.len());
        let best = Partition::for_rows(interval, series);
        let rows = partition.rows(interval, series);
        if self.state.files.is_empty() || best == partition || rows <= 2 * MAX_ROWS {
            return None;
        }
        let location = self.place.location();
        Some(format!(
            "{location}: a file of a {partition} will have {rows} rows; for files of a {best}, move them away and run \
             the same command again"
        ))
    }

    /// A message if a file has much more rows than is good for readers and for updates, and its period can be
    /// shorter.
    fn outgrown_file(&self, partition: Partition) -> Option<String> {
        let mut rows: BTreeMap<Timestamp, u64> = BTreeMap::new();
        for counts in self.state.series.values().filter_map(|series| series.counts.as_ref()) {
            for (period, count) in counts {
                let of_period = rows.entry(*period).or_default();
                *of_period = of_period.saturating_add(*count);
            }
        }
        let largest = rows.into_values().max().filter(|rows| *rows > 2 * MAX_ROWS)?;
        let shorter = partition.shorter()?;
        let location = self.place.location();
        Some(format!(
            "{location}: a file of a {partition} has {largest} rows; for files of a {shorter}, move them away and run \
             the same command again with the partition `{shorter}`"
        ))
    }
}
