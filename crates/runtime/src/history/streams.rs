//! Streams of the pages or records of a history.
//!
//! The windows of a run are converted to pages and records of the endpoint's type. `Pages` and `Records` implement
//! `futures_core::Stream`, and have a method `next` for users without that crate.
//!
//! [`Blocking`] is for code without async: its thread waits for each item of a stream, while the client's background
//! thread sends the requests for the next items.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, ready};

use futures_core::Stream;

use super::job::{Job, ReportedWindow};
use super::options::Progress;
use super::page::{CollectError, HistoryData, Page, Report};
use super::page_response::{Batch, PageResponse};
use crate::client::Background;
use crate::error::Error;
use crate::platform::lock;

/// The pages of a history, in order of time, created by [`History::pages`](super::History::pages).
///
/// Every window yields a page, even if it has no records, and each page has its own [report](Page::report). After an
/// error there are no more pages; another run can continue from the checkpoint of the last page. Dropping the stream
/// cancels its requests.
#[must_use = "nothing is sent before it is polled"]
pub struct Pages<T> {
    pub(super) run: Run,
    item: PhantomData<fn() -> T>,
}

/// A run over a range, or the error that prevents the run; `None` once the error was returned.
pub(super) struct Run(pub(super) Result<Box<Job>, Option<Error>>);

impl Run {
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<ReportedWindow, Error>>> {
        match &mut self.0 {
            Ok(job) => job.poll(cx),
            Err(error) => Poll::Ready(error.take().map(Err)),
        }
    }
}

impl<T: Send + 'static> Pages<T> {
    pub(super) fn new(job: Result<Job, Error>) -> Self {
        Self { run: Run(job.map(Box::new).map_err(Some)), item: PhantomData }
    }

    /// Returns the next page; `None` after the last page, or after an error.
    pub async fn next(&mut self) -> Option<Result<Page<T>, Error>> {
        poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }

    /// Collects all remaining records.
    pub async fn collect(mut self) -> Result<HistoryData<T>, CollectError<T>> {
        let mut all = HistoryData::default();
        while let Some(page) = self.next().await {
            match page {
                Ok(page) => all.add(page),
                Err(error) => return Err(CollectError { error, partial: Box::new(all) }),
            }
        }
        Ok(all)
    }

    /// Returns the progress so far.
    pub fn progress(&self) -> Progress {
        match &self.run.0 {
            Ok(job) => job.progress(),
            Err(_) => Progress::default(),
        }
    }
}

/// Converts a window to a page.
pub(super) fn page<T: 'static>(window: ReportedWindow) -> Page<T> {
    let ReportedWindow { window, response, checkpoint } = window;
    let PageResponse { sorted, records, report, .. } = response;
    let mut unsorted = unsorted_records::<T>(records);
    let mut times = Vec::with_capacity(sorted.len());
    let mut records = Vec::with_capacity(sorted.len());
    for (time, index) in sorted {
        if let Some(record) = unsorted.get_mut(index).and_then(Option::take) {
            times.push(time);
            records.push(record);
        }
    }
    Page { range: window.range(), times, records, report, checkpoint }
}

/// The records of a batch, in the order of the response, each of which can be taken.
fn unsorted_records<T: 'static>(batch: Option<Batch>) -> Vec<Option<T>> {
    let Some(batch) = batch else { return Vec::new() };
    match batch.downcast::<Vec<T>>() {
        Ok(records) => records.into_iter().map(Some).collect(),
        Err(_) => Vec::new(),
    }
}

impl<T: Send + 'static> Stream for Pages<T> {
    type Item = Result<Page<T>, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.run.poll(cx).map(|window| window.map(|window| window.map(page)))
    }
}

crate::debug::opaque_debug!(Pages<T>);

/// The records of a history, in order of time, created by [`History::records`](super::History::records).
#[must_use = "nothing is sent before it is polled"]
pub struct Records<T> {
    pages: Pages<T>,
    /// The records of the current page that were not returned yet.
    records: VecDeque<T>,
    report: Report,
}

// No field relies on being pinned.
impl<T> Unpin for Records<T> {}

impl<T: Send + 'static> Records<T> {
    pub(super) fn new(pages: Pages<T>) -> Self {
        Self { pages, records: VecDeque::new(), report: Report::default() }
    }

    /// Returns the next record; `None` after the last record, or after an error.
    pub async fn next(&mut self) -> Option<Result<T, Error>> {
        poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }

    /// Returns the report so far, which is complete after the last record.
    ///
    /// Its entries stay in memory, so [take](Self::take_report) the report from time to time if a long range has many
    /// gaps.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Takes the report so far out of the stream.
    pub fn take_report(&mut self) -> Report {
        std::mem::take(&mut self.report)
    }

    /// Returns the progress so far.
    pub fn progress(&self) -> Progress {
        self.pages.progress()
    }
}

impl<T: Send + 'static> Stream for Records<T> {
    type Item = Result<T, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(record) = self.records.pop_front() {
                return Poll::Ready(Some(Ok(record)));
            }
            match ready!(Pin::new(&mut self.pages).poll_next(cx)) {
                None => return Poll::Ready(None),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                Some(Ok(page)) => {
                    self.report.add(page.report);
                    self.records = page.records.into();
                }
            }
        }
    }
}

crate::debug::opaque_debug!(Records<T>);

/// An iterator over the pages or records of a history, which blocks the calling thread until the next item is
/// available.
///
/// In an async task, where the thread must not block, each call returns an error and leaves the iterator unchanged.
#[must_use = "nothing is sent before the first item is requested"]
pub struct Blocking<S: Stream> {
    background: Arc<Background>,
    /// The stream, which the background thread locks each time it polls for an item.
    stream: Arc<Mutex<S>>,
    /// Items that have been read from the stream but not returned yet.
    items: VecDeque<S::Item>,
    /// The maximum number of available items that are read at once. Several items are read at once, because waiting for
    /// an item costs more than reading it.
    at_once: usize,
}

impl<S: Stream> Blocking<S> {
    pub(super) fn new(background: Arc<Background>, stream: S, at_once: usize) -> Self {
        Self { background, stream: Arc::new(Mutex::new(stream)), items: VecDeque::new(), at_once }
    }

    /// Returns the stream, which provides the report, the progress and the checkpoint.
    ///
    /// A stream of records is up to 1000 records ahead of this iterator.
    pub fn stream(&self) -> MutexGuard<'_, S> {
        lock(&self.stream)
    }
}

impl<S, T> Iterator for Blocking<S>
where
    S: Stream<Item = Result<T, Error>> + Unpin + Send + 'static,
    T: Send + 'static,
{
    type Item = Result<T, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.items.is_empty() {
            let stream = self.stream.clone();
            let at_once = self.at_once;
            match self.background.wait(poll_fn(move |cx| poll_some(&mut *lock(&stream), at_once, cx))) {
                Ok(items) => self.items = items,
                Err(error) => return Some(Err(error)),
            }
        }
        self.items.pop_front()
    }
}

/// Waits for an item or for the end, and also reads the items that are already available.
fn poll_some<S: Stream + Unpin>(stream: &mut S, at_once: usize, cx: &mut Context<'_>) -> Poll<VecDeque<S::Item>> {
    let mut items = VecDeque::new();
    while items.len() < at_once {
        match Pin::new(&mut *stream).poll_next(cx) {
            Poll::Ready(Some(item)) => items.push_back(item),
            Poll::Pending if items.is_empty() => return Poll::Pending,
            Poll::Ready(None) | Poll::Pending => break,
        }
    }
    Poll::Ready(items)
}

crate::debug::opaque_debug!(Blocking<S: Stream>);

#[cfg(test)]
mod blocking_tests {
    use std::task::Waker;

    use super::*;

    /// A stream that returns these polls in order, and then ends.
    struct Script(VecDeque<Poll<u8>>);

    impl Stream for Script {
        type Item = u8;

        fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<u8>> {
            self.0.pop_front().map_or(Poll::Ready(None), |polled| polled.map(Some))
        }
    }

    #[test]
    fn available_items_are_returned_at_once() {
        let script = [1, 2, 0, 0, 3, 4, 5, 6].map(|item| if item == 0 { Poll::Pending } else { Poll::Ready(item) });
        let mut stream = Script(script.into());
        let mut poll = || match poll_some(&mut stream, 3, &mut Context::from_waker(Waker::noop())) {
            Poll::Ready(items) => Some(Vec::from(items)),
            Poll::Pending => None,
        };
        let expected = [Some(vec![1, 2]), None, Some(vec![3, 4, 5]), Some(vec![6]), Some(vec![])];
        assert_eq!([(); 5].map(|()| poll()), expected);
    }
}
