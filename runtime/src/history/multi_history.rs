//! Several histories at once, for example of several endpoints, which share one rate limit.
//!
//! Each history has a key, and a function that converts its records. Each page is returned with the key of its history.
//! The pages of a history are in order, and no history gets far ahead of another that has not ended.

mod aligned;

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;

use super::job::{Job, ReportedWindow};
use super::page::Page;
use super::streams::{Run, page};
use super::{HasHistory, History, RecordOf};
use crate::error::Error;

pub use aligned::{Aligned, Row};

/// The maximum number of pages that one series can be ahead of another.
const LEAD: u64 = 2;

/// Several histories at once.
///
/// ```no_run
/// # extern crate generated_client_runtime as runtime;
/// # mod invented { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/invented/service.rs")); }
/// # use invented::{Client, Timeframe};
/// # use runtime::{Timestamp, history::MultiHistory};
/// # async fn demo(client: &Client, from: Timestamp, to: Timestamp) -> Result<(), runtime::Error> {
/// // `market().ratio()` is an example; use an endpoint of your client.
/// let mut all = MultiHistory::new();
/// for coin in ["BTC", "ETH"] {
///     let ratio = client.market().ratio().coin(coin).timeframe(Timeframe::H1);
///     all = all.add(coin, ratio.history(from..to), |record| Some(record.ratio));
/// }
/// let mut table = all.align();
/// while let Some(row) = table.next().await {
///     let row = row?;
///     println!("{} {:?}", row.time, row.cells);
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
    /// record; `None` is an empty cell.
    pub fn align(self) -> Aligned<K, T> {
        Aligned::new(self)
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
        'again: loop {
            let Some(min) = self.active().map(|member| member.pages).min() else { return Poll::Ready(None) };
            // The series with the fewest pages are polled first.
            let count = self.series.len();
            let order = (min..min + LEAD).flat_map(|pages| (0..count).map(move |index| (pages, index)));
            for (pages, index) in order {
                let Some(member) = self.series.get_mut(index).filter(|member| member.pages == pages) else { continue };
                let Some(Poll::Ready(window)) = member.run.as_mut().map(|run| run.poll(cx)) else { continue };
                member.pages += 1;
                let page = window.map(|window| window.map(&mut member.page));
                if !matches!(page, Some(Ok(_))) {
                    member.run = None;
                    // This series sends no more requests, so the other series can send more requests in advance.
                    self.share();
                }
                match page {
                    Some(page) => return Poll::Ready(Some((index, page))),
                    // A series that was too far ahead of this series can continue.
                    None => continue 'again,
                }
            }
            return Poll::Pending;
        }
    }

    fn active(&self) -> impl Iterator<Item = &Member<K, T>> {
        self.series.iter().filter(|member| member.run.is_some())
    }

    fn jobs(&mut self) -> impl Iterator<Item = &mut Job> {
        self.series.iter_mut().filter_map(|member| member.run.as_mut()?.0.as_deref_mut().ok())
    }

    /// Divides the number of pages that are requested in advance among the active series.
    fn share(&mut self) {
        let among = self.active().count();
        self.jobs().for_each(|job| job.share(among));
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
