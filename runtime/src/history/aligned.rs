//! Several histories as one table: a row for every time at which one of them has a record.
//!
//! Pages of several series come in, rows go out in order of time. A row has a cell for each series, which is `None`
//! where the series has no record of that time.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;

#[cfg(feature = "blocking")]
use super::blocking::Blocking;
use super::page::{Findings, Page};
use super::together::Together;
use crate::error::Error;
use crate::values::Timestamp;

/// How many rows an iterator takes from the stream at once.
#[cfg(feature = "blocking")]
const ROWS_AT_ONCE: usize = 1000;

/// A point in time, with a cell for each series.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Row<T> {
    /// The time.
    pub time: Timestamp,
    /// The cells, in the order in which the series were added; `None` where a series has no record of this time.
    pub cells: Vec<Option<T>>,
}

impl<T> Row<T> {
    /// Whether every series has a record of this time.
    pub fn is_complete(&self) -> bool {
        self.cells.iter().all(Option::is_some)
    }
}

/// Several histories as one table; from [`Together::aligned`].
///
/// The series may have different steps. The records of a series that is ahead of the others are kept in memory.
#[must_use = "nothing is asked before it is polled"]
pub struct Aligned<K, T> {
    series: Together<K, T>,
    columns: Vec<Column<K, T>>,
}

/// The records of a series that are in no row yet.
struct Column<K, T> {
    key: K,
    cells: VecDeque<(Timestamp, T)>,
    /// Where its last page ends; `None` before the first page.
    until: Option<Timestamp>,
    is_over: bool,
    findings: Findings,
}

impl<K, T> Column<K, T> {
    /// Whether the series has been read past a time, so that its cell is known.
    fn is_known(&self, time: Timestamp) -> bool {
        !self.cells.is_empty() || self.is_over || self.until.is_some_and(|until| until > time)
    }

    fn add(&mut self, page: Page<T>) {
        self.until = Some(page.range.end);
        self.cells.extend(page.times.into_iter().zip(page.records));
        self.findings.add(page.findings);
    }

    fn take(&mut self, time: Timestamp) -> Option<T> {
        let is_now = self.cells.front().is_some_and(|(first, _)| *first == time);
        is_now.then(|| self.cells.pop_front()).flatten().map(|(_, cell)| cell)
    }
}

impl<K: Clone, T> Aligned<K, T> {
    pub(super) fn new(series: Together<K, T>) -> Self {
        let column =
            |key| Column { key, cells: VecDeque::new(), until: None, is_over: false, findings: Findings::default() };
        let columns = series.keys().map(column).collect();
        Self { series, columns }
    }

    /// The next row; `None` after the last one, or after an error.
    pub async fn next(&mut self) -> Option<Result<Row<T>, Error>> {
        poll_fn(|cx| self.poll_row(cx)).await
    }

    /// The findings so far, by the key of their series.
    pub fn findings(&self) -> impl Iterator<Item = (&K, &Findings)> {
        self.columns.iter().map(|column| (&column.key, &column.findings))
    }

    /// The rows as an iterator, for callers who do not await; with the feature `blocking`.
    #[cfg(feature = "blocking")]
    pub fn rows_blocking(self) -> Blocking<Self> {
        Blocking::new(self.series.background.clone(), self).at_once(ROWS_AT_ONCE)
    }

    fn poll_row(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Row<T>, Error>>> {
        loop {
            let first = self.columns.iter().filter_map(|column| Some(column.cells.front()?.0)).min();
            if let Some(time) = first.filter(|time| self.columns.iter().all(|column| column.is_known(*time))) {
                let cells = self.columns.iter_mut().map(|column| column.take(time)).collect();
                return Poll::Ready(Some(Ok(Row { time, cells })));
            }
            match ready!(self.series.poll_indexed(cx)) {
                None if first.is_none() => return Poll::Ready(None),
                None => self.columns.iter_mut().for_each(|column| column.is_over = true),
                Some((_, Err(error))) => {
                    // Its column cannot be completed, so the table ends.
                    self.columns.clear();
                    self.series = Together::default();
                    return Poll::Ready(Some(Err(error)));
                }
                Some((index, Ok(page))) => {
                    if let Some(column) = self.columns.get_mut(index) {
                        column.add(page);
                    }
                }
            }
            for (index, column) in self.columns.iter_mut().enumerate() {
                column.is_over |= self.series.is_over(index);
            }
        }
    }
}

// Nothing in it is pinned.
impl<K, T> Unpin for Aligned<K, T> {}

impl<K: Clone, T> Stream for Aligned<K, T> {
    type Item = Result<Row<T>, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll_row(cx)
    }
}

impl<K: fmt::Debug, T> fmt::Debug for Aligned<K, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.columns.iter().map(|column| &column.key)).finish()
    }
}
