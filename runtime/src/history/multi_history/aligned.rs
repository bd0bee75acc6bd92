//! Several histories as one table: a row for every time at which any of the histories has a record.
//!
//! Pages of several series are joined into rows in order of time. A row has a cell for each series, which is `None` if
//! the series has no record of that time.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;

use super::MultiHistory;
use crate::error::Error;
use crate::history::page::{Page, Report};
use crate::values::Timestamp;

/// A row of the table: a time, and a cell for each series.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Row<T> {
    /// The time.
    pub time: Timestamp,
    /// The cells, in the order in which the series were added; `None` where a series has no record or no value for this
    /// time.
    pub cells: Vec<Option<T>>,
}

impl<T> Row<T> {
    /// Returns whether every series has a value for this time.
    pub fn is_complete(&self) -> bool {
        self.cells.iter().all(Option::is_some)
    }
}

/// Several histories as one table, created by [`MultiHistory::align`].
///
/// The series may have different steps. The records of a series that is ahead of the others are kept in memory.
#[must_use = "nothing is sent before it is polled"]
pub struct Aligned<K, T> {
    series: MultiHistory<K, Option<T>>,
    columns: Vec<Column<T>>,
}

/// The records of a series that have not been returned in a row yet.
struct Column<T> {
    cells: VecDeque<(Timestamp, Option<T>)>,
    /// The end of the latest page of the series so far; `None` before the first page.
    until: Option<Timestamp>,
    report: Report,
}

impl<T> Column<T> {
    fn new() -> Self {
        Self { cells: VecDeque::new(), until: None, report: Report::default() }
    }

    /// Returns whether the series was read far enough to know if it has a record at this time.
    fn is_known(&self, time: Timestamp) -> bool {
        !self.cells.is_empty() || self.until.is_some_and(|until| until > time)
    }

    fn add(&mut self, page: Page<Option<T>>) {
        self.until = Some(page.range.end);
        self.cells.extend(page.times.into_iter().zip(page.records));
        self.report.add(page.report);
    }

    fn take(&mut self, time: Timestamp) -> Option<T> {
        let is_now = self.cells.front().is_some_and(|(first, _)| *first == time);
        is_now.then(|| self.cells.pop_front()).flatten().and_then(|(_, cell)| cell)
    }
}

impl<K: Clone, T> Aligned<K, T> {
    pub(super) fn new(series: MultiHistory<K, Option<T>>) -> Self {
        let columns = series.series.iter().map(|_| Column::new()).collect();
        Self { series, columns }
    }

    /// Returns the next row; `None` after the last row, or after an error.
    pub async fn next(&mut self) -> Option<Result<Row<T>, Error>> {
        poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }

    /// Returns the reports so far, each with the key of its series.
    pub fn reports(&self) -> impl Iterator<Item = (&K, &Report)> {
        self.series.series.iter().zip(&self.columns).map(|(member, column)| (&member.key, &column.report))
    }

    /// Returns the next row, if each of its cells is known.
    fn row(&mut self) -> Option<Row<T>> {
        let time = self.columns.iter().filter_map(|column| Some(column.cells.front()?.0)).min()?;
        let mut columns = self.columns.iter().zip(&self.series.series);
        if !columns.all(|(column, member)| column.is_known(time) || member.run.is_none()) {
            return None;
        }
        let cells = self.columns.iter_mut().map(|column| column.take(time)).collect();
        Some(Row { time, cells })
    }
}

// No field relies on being pinned.
impl<K, T> Unpin for Aligned<K, T> {}

impl<K: Clone, T> Stream for Aligned<K, T> {
    type Item = Result<Row<T>, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(row) = self.row() {
                return Poll::Ready(Some(Ok(row)));
            }
            match self.series.poll_indexed(cx) {
                // If the poll has ended a series, the row does not need a record of that series, so the row may be
                // complete now.
                Poll::Pending => return self.row().map_or(Poll::Pending, |row| Poll::Ready(Some(Ok(row)))),
                Poll::Ready(None) => return Poll::Ready(self.row().map(Ok)),
                Poll::Ready(Some((_, Err(error)))) => {
                    // The column of the failed series cannot be completed, so the table ends.
                    self.columns.iter_mut().for_each(|column| column.cells.clear());
                    self.series.series.iter_mut().for_each(|member| member.run = None);
                    return Poll::Ready(Some(Err(error)));
                }
                Poll::Ready(Some((index, Ok(page)))) => {
                    if let Some(column) = self.columns.get_mut(index) {
                        column.add(page);
                    }
                }
            }
        }
    }
}

impl<K: fmt::Debug, T> fmt::Debug for Aligned<K, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.series.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn row_is_complete_once_every_series_is_past_its_time() {
        let mut column = Column::<u8>::new();
        let known = |column: &Column<u8>| [99, 100, 101].map(|time| column.is_known(time.into()));
        assert_eq!(known(&column), [false; 3]);
        column.until = Some(100.into());
        assert_eq!(known(&column), [true, false, false]);
        column.cells.push_back((200.into(), Some(7)));
        assert_eq!(known(&column), [true; 3]);
    }
}
