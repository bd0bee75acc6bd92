//! The stream of all pages of a request.

use std::future::poll_fn;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;

use super::walk::PageWalk;
use crate::client::{Endpoint, Request, Sending, Untyped};
use crate::error::Error;
use crate::send::{Body, SeriesBody, UndecodedResult};

/// All pages of a request, one after the other, created by `Request::all_pages`.
///
/// Each page is the body of a response. If a page fails, [`next`](Self::next) returns its error, and the next call
/// requests the same page again, so that no page is omitted. Pages that contradict each other are an error after which
/// there are no more pages: a cursor or a page that repeats, a link to another host, or fewer records than announced.
///
/// Nothing is sent before the first page is requested. Dropping the stream cancels its request.
#[must_use = "nothing is sent before it is polled"]
pub struct AllPages<E> {
    walk: Option<PageWalk>,
    /// The request for the next page; `None` after the last page.
    request: Option<Untyped>,
    sending: Option<Sending>,
    /// An error that is returned after the last valid page.
    error: Option<Error>,
    endpoint: PhantomData<fn() -> E>,
}

/// What was received from the pages of a request so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PagesAccount {
    /// The number of pages.
    pub pages: u64,
    /// The number of records on these pages, also of records that could not be decoded.
    pub records: u64,
    /// The number of records on all pages, if the service announces it.
    pub announced: Option<u64>,
    /// True once the last page was received.
    pub is_complete: bool,
}

impl<E: Endpoint<Body: SeriesBody>> AllPages<E> {
    #[doc(hidden)]
    pub fn new(request: Request<E>) -> Self {
        let request = request.untyped;
        let mut error = None;
        if request.endpoint().pages.is_none() {
            let none = Error::build("the catalogue defines no pages for this endpoint");
            error = Some(request.describe_in(none.with_hint("send the request itself; its response has all records")));
        }
        let (walk, request) = PageWalk::begin(request).unzip();
        Self { walk, request, sending: None, error, endpoint: PhantomData }
    }

    /// Sets the maximum number of pages; the default is 10,000. If another page follows, that is an error.
    pub fn max_pages(mut self, pages: u64) -> Self {
        if let Some(walk) = &mut self.walk {
            walk.max_pages = pages;
        }
        self
    }

    /// Returns the next page; `None` after the last page.
    pub async fn next(&mut self) -> Option<Result<E::Body, Error>> {
        poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }

    /// Adds the remaining pages to a list. After an error, the list has the pages before it, and another call continues
    /// with the page that failed.
    pub async fn collect_into(&mut self, pages: &mut Vec<E::Body>) -> Result<PagesAccount, Error> {
        while let Some(page) = self.next().await {
            pages.push(page?);
        }
        Ok(self.account())
    }

    /// Returns what was received so far.
    pub fn account(&self) -> PagesAccount {
        let Some(walk) = &self.walk else { return PagesAccount::default() };
        let is_complete = self.request.is_none() && self.error.is_none() && !walk.has_failed;
        PagesAccount { pages: walk.pages, records: walk.records, announced: walk.total, is_complete }
    }

    /// Adds a response, and prepares the request for the next page.
    fn received(&mut self, outcome: UndecodedResult) -> Result<E::Body, Error> {
        let (Some(walk), Some(request)) = (&mut self.walk, &self.request) else { return E::Body::read(outcome) };
        let facts = match &outcome {
            Ok(response) => walk.facts(response.body()),
            Err(_) => return E::Body::read(outcome),
        };
        let body = E::Body::read(outcome)?;
        match walk.next(request, facts, body.received()) {
            Ok(next) => self.request = next,
            Err(error) => {
                self.request = None;
                self.error = Some(error);
            }
        }
        Ok(body)
    }
}

// No field relies on being pinned.
impl<E> Unpin for AllPages<E> {}

impl<E: Endpoint<Body: SeriesBody>> Stream for AllPages<E> {
    type Item = Result<E::Body, Error>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        let Some(request) = &this.request else {
            return Poll::Ready(this.error.take().map(Err));
        };
        let sending = this.sending.get_or_insert_with(|| request.clone().send());
        let outcome = ready!(Pin::new(sending).poll(cx));
        this.sending = None;
        Poll::Ready(Some(this.received(outcome)))
    }
}

crate::debug::opaque_debug!(AllPages<E>);
