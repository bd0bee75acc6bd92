//! Several histories at once, for example of several endpoints, which share one rate limit.
//!
//! Each history has a key, and a function that converts its records. Each page is returned with the key of its history.
//! The pages of a history are in order, and no history gets far ahead of another that has not ended.
//!
//! Pages of several series are joined into rows in order of time. A row has a cell for each series, which is `None` if
//! the series has no record of that time.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;

use super::job::ReportedWindow;
use super::page::{Page, Report};
use super::streams::{Run, page};
use super::{HasHistory, History, RecordOf};
use crate::error::Error;
use crate::values::Timestamp;

/// The maximum number of pages that one series can be ahead of another.
const LEAD: u64 = 2;

/// Several histories at once.
///
/// ```no_run
/// # extern crate generated_client_runtime as runtime;
/// # use test_service::invented::{Client, Timeframe};
/// # use runtime::{Timestamp, history::MultiHistory};
/// # async fn demo(client: &Client, from: Timestamp, to: Timestamp) -> Result<(), runtime::Error> {
/// // `market().ratio()` is an example; use an endpoint of your client.
/// let mut all = MultiHistory::new();
/// for symbol in ["A", "B"] {
///     let ratio = client.market().ratio().symbol(symbol).timeframe(Timeframe::H1);
///     all = all.add(symbol, ratio.history(from..to), |record| Some(record.ratio));
/// }
/// let mut table = all.align();
/// let columns: Vec<_> = table.reports().map(|(symbol, _)| *symbol).collect();
/// println!("time,{}", columns.join(",")); // time,A,B
/// while let Some(row) = table.next().await {
///     let row = row?;
///     let cells = row.cells.iter().map(|cell| cell.map_or_else(String::new, |ratio| ratio.to_string()));
///     println!("{},{}", row.time, cells.collect::<Vec<_>>().join(","));
/// }
/// # Ok(()) }
/// ```
///
/// No series is more than two pages ahead of another series that has not ended. All series together request as many
/// pages in advance as a single history would.
#[must_use = "nothing is sent before it is polled"]
pub struct MultiHistory<K, T> {
    series: Vec<Member<K, T>>,
}

/// A page of a series, or the error that ends the series, with the key or index of the series.
type Keyed<K, T> = (K, Result<Page<T>, Error>);

/// A series that is ready.
struct Ready<T> {
    index: usize,
    /// `None` if the series has no more pages.
    page: Option<Result<Page<T>, Error>>,
}

struct Member<K, T> {
    key: K,
    /// `None` once the series is over.
    run: Option<Run>,
    /// Converts a window to a page, and maps each record.
    page: Box<dyn FnMut(ReportedWindow) -> Page<T> + Send>,
    pages: u64,
}

impl<K, T> Default for MultiHistory<K, T> {
    fn default() -> Self {
        Self { series: Vec::new() }
    }
}

impl<K: Clone, T> MultiHistory<K, Option<T>> {
    /// Joins all series into one table by time. Each series was added with a function that returns the value of a
    /// record; `None` is an empty cell. The columns are the series in the order in which they were added, which is also
    /// the order of the keys in [`Aligned::reports`].
    ///
    /// A time has a row if at least one series has a record of it. A time that is missing in all series has no row;
    /// each series reports it among its gaps.
    pub fn align(self) -> Aligned<K, T> {
        let columns = self.series.iter().map(|_| Column::new()).collect();
        Aligned { series: self, columns }
    }
}

impl<K: Clone, T> MultiHistory<K, T> {
    /// Creates an empty set of histories.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a history under a key. `map` converts each record of the history to `T`, the item type that all histories
    /// share.
    pub fn add<E: HasHistory>(
        mut self,
        key: K,
        history: History<E>,
        mut map: impl FnMut(RecordOf<E>) -> T + Send + 'static,
    ) -> Self {
        let run = Some(history.pages().run);
        let page = move |window| {
            let Page { range, records, times, report, checkpoint } = page(window);
            Page { range, records: records.into_iter().map(&mut map).collect(), times, report, checkpoint }
        };
        self.series.push(Member { key, run, page: Box::new(page), pages: 0 });
        self.share();
        self
    }

    /// Returns the next page of any series, with its key; `None` when all series are over.
    ///
    /// After an error there are no more pages under that key; the other series continue.
    pub async fn next(&mut self) -> Option<(K, Result<Page<T>, Error>)> {
        poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }

    /// Polls for the same pages as `next`, with the index of the series instead of its key.
    fn poll_indexed(&mut self, cx: &mut Context<'_>) -> Poll<Option<Keyed<usize, T>>> {
        loop {
            let Some(fewest) = self.active().map(|member| member.pages).min() else { return Poll::Ready(None) };
            let Some(Ready { index, page }) = self.poll_members(fewest, cx) else { return Poll::Pending };
            if !matches!(page, Some(Ok(_))) {
                // This series sends no more requests, so the other series can send more requests in advance.
                self.share();
            }
            // Without a page, the series is over, and a series that was too far ahead of it can continue.
            if let Some(page) = page {
                return Poll::Ready(Some((index, page)));
            }
        }
    }

    /// Polls the series that are not too far ahead, those with the fewest pages first. Returns the first that is ready.
    fn poll_members(&mut self, fewest: u64, cx: &mut Context<'_>) -> Option<Ready<T>> {
        for pages in fewest..fewest + LEAD {
            for (index, member) in self.series.iter_mut().enumerate() {
                if member.pages != pages {
                    continue;
                }
                let Some(run) = &mut member.run else { continue };
                let Poll::Ready(window) = run.poll(cx) else { continue };
                member.pages += 1;
                let page = window.map(|window| window.map(&mut member.page));
                if !matches!(page, Some(Ok(_))) {
                    member.run = None;
                }
                return Some(Ready { index, page });
            }
        }
        None
    }

    fn active(&self) -> impl Iterator<Item = &Member<K, T>> {
        self.series.iter().filter(|member| member.run.is_some())
    }

    /// Divides the number of pages that are requested in advance among the active series.
    fn share(&mut self) {
        let among = self.active().count();
        for member in &mut self.series {
            if let Some(Run(Ok(job))) = &mut member.run {
                job.share(among);
            }
        }
    }
}

// No field relies on being pinned.
impl<K, T> Unpin for MultiHistory<K, T> {}

impl<K: Clone, T> Stream for MultiHistory<K, T> {
    type Item = (K, Result<Page<T>, Error>);

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll_indexed(cx).map(|item| {
            let (index, page) = item?;
            Some((self.series.get(index)?.key.clone(), page))
        })
    }
}

impl<K: fmt::Debug, T> fmt::Debug for MultiHistory<K, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.series.iter().map(|member| &member.key)).finish()
    }
}

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

    /// `true` if the series was read far enough to know if it has a record at this time.
    fn is_known(&self, time: Timestamp) -> bool {
        !self.cells.is_empty() || self.until.is_some_and(|until| until > time)
    }

    fn add(&mut self, page: Page<Option<T>>) {
        self.until = Some(page.range.end);
        self.cells.extend(page.times.into_iter().zip(page.records));
        self.report.add(page.report);
    }

    fn next_time(&self) -> Option<Timestamp> {
        let (time, _) = self.cells.front()?;
        Some(*time)
    }

    fn take(&mut self, time: Timestamp) -> Option<T> {
        if self.next_time()? != time {
            return None;
        }
        let (_, cell) = self.cells.pop_front()?;
        cell
    }
}

impl<K: Clone, T> Aligned<K, T> {
    /// Returns the next row; `None` after the last row, or after an error.
    pub async fn next(&mut self) -> Option<Result<Row<T>, Error>> {
        poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }

    /// Returns the reports so far, each with the key of its series, in the order of the columns.
    pub fn reports(&self) -> impl Iterator<Item = (&K, &Report)> {
        self.series.series.iter().zip(&self.columns).map(|(member, column)| (&member.key, &column.report))
    }

    /// The next row, if each of its cells is known.
    fn row(&mut self) -> Option<Row<T>> {
        let time = self.columns.iter().filter_map(Column::next_time).min()?;
        for (column, member) in self.columns.iter().zip(&self.series.series) {
            if !column.is_known(time) && member.run.is_some() {
                return None;
            }
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
                Poll::Pending => match self.row() {
                    Some(row) => return Poll::Ready(Some(Ok(row))),
                    None => return Poll::Pending,
                },
                Poll::Ready(None) => return Poll::Ready(self.row().map(Ok)),
                Poll::Ready(Some((_, Err(error)))) => {
                    // The column of the failed series cannot be completed, so the table ends.
                    for column in &mut self.columns {
                        column.cells.clear();
                    }
                    for member in &mut self.series.series {
                        member.run = None;
                    }
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
mod aligned_tests {
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
