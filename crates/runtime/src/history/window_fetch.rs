//! Fetches one window of a history: all of its pages, with further attempts for a page that fails.
//!
//! This code is compiled once for all endpoints.

use std::pin::Pin;
use std::time::Duration;

use super::page_response::{Batch, Received};
use crate::client::Untyped;
use crate::error::Error;
use crate::pages::{PageFacts, PageWalk};
use crate::platform::sleep;
use crate::send::{SeriesBody, TimedRecords, UndecodedResult};
use crate::values::Timestamp;

/// The functions for the series of an endpoint. Of the code that fetches windows, only these functions are compiled for
/// every endpoint.
#[derive(Clone, Copy)]
pub(super) struct Decode {
    /// Decodes a response.
    read: fn(UndecodedResult) -> Result<TimedRecords<Batch>, Error>,
    /// Appends the second records to the first.
    append: fn(&mut Batch, Batch),
}

impl Decode {
    pub(super) fn of<B: SeriesBody>() -> Self {
        Self { read: read::<B>, append: append::<B::Item> }
    }
}

fn read<B: SeriesBody>(response: UndecodedResult) -> Result<TimedRecords<Batch>, Error> {
    let TimedRecords { records, times, bad, metadata } = B::read_records(response)?;
    Ok(TimedRecords { records: Box::new(records), times, bad, metadata })
}

fn append<T: 'static>(records: &mut Batch, further: Batch) {
    if let (Some(records), Ok(mut further)) = (records.downcast_mut::<Vec<T>>(), further.downcast::<Vec<T>>()) {
        records.append(&mut further);
    }
}

/// The outcome of the requests for a window.
pub(super) struct FetchedWindow {
    pub(super) outcome: Result<Received<Batch>, Error>,
    /// The total time for which the requests waited. A request without a response is not counted.
    pub(super) waited: Duration,
    /// The number of pages after the first.
    pub(super) further_pages: u64,
}

/// A future that returns the records of a window.
pub(super) type WindowFetch = Pin<Box<dyn Future<Output = FetchedWindow> + Send>>;

/// The delay after the first failed attempt; each later delay is four times the delay before it.
const FIRST_DELAY: Duration = Duration::from_secs(1);

/// Requests all pages of a window that ends at `end`. If one page fails, the window fails, so that no page is missing in
/// silence.
pub(super) fn fetch(request: Untyped, end: Timestamp, decode: Decode, attempts: u32) -> WindowFetch {
    Box::pin(async move {
        let (mut walk, first) = match PageWalk::begin(request.clone()) {
            Some((walk, first)) => (Some(walk), first),
            None => (None, request),
        };
        let mut waited = Duration::ZERO;
        let mut further_pages = 0;
        let mut all: Option<Received<Batch>> = None;
        let mut next = Some(first);
        while let Some(request) = next {
            let page = fetch_page(&request, end, decode, attempts, walk.as_ref()).await;
            waited += page.waited;
            let (series, reached) = match page.outcome {
                Ok(received) => received,
                Err(error) => return FetchedWindow { outcome: Err(error), waited, further_pages },
            };
            let records = series.times.len() + series.bad.len();
            next = match walk.as_mut().map(|walk| walk.next(&request, page.facts, records)) {
                Some(Ok(next)) => next,
                Some(Err(error)) => return FetchedWindow { outcome: Err(error), waited, further_pages },
                None => None,
            };
            match &mut all {
                None => all = Some((series, reached)),
                Some((earlier, earlier_reached)) => {
                    further_pages += 1;
                    *earlier_reached = reached.min(*earlier_reached);
                    join(earlier, series, decode);
                }
            }
        }
        // The loop above runs at least once, because the first request always exists.
        let outcome = all.ok_or_else(|| Error::build("the window has no page"));
        FetchedWindow { outcome, waited, further_pages }
    })
}

/// Appends the records of a further page to those of a window.
fn join(records: &mut TimedRecords<Batch>, mut further: TimedRecords<Batch>, decode: Decode) {
    (decode.append)(&mut records.records, further.records);
    records.times.append(&mut further.times);
    records.bad.append(&mut further.bad);
    if records.metadata.is_none() {
        records.metadata = further.metadata;
    }
}

/// A page of a window, or the error of the last attempt.
struct FetchedPage {
    outcome: Result<Received<Batch>, Error>,
    waited: Duration,
    facts: PageFacts,
}

/// Requests a page of a window that ends at `end` until a request succeeds, the error is not retryable, or no attempt is
/// left, or the service asks for a long pause. If the service has possibly not reached the end, and its time is disputed,
/// another response decides.
async fn fetch_page(
    request: &Untyped,
    end: Timestamp,
    decode: Decode,
    attempts: u32,
    walk: Option<&PageWalk>,
) -> FetchedPage {
    let mut waited = Duration::ZERO;
    let mut delay = FIRST_DELAY;
    let mut sent = 0;
    let is_further = walk.is_some_and(|walk| walk.pages > 0);
    loop {
        let response = request.clone().send().await;
        sent += 1;
        let mut is_disputed = request.connection().clock.read().is_disputed();
        let mut reached = end;
        if let Ok(response) = &response {
            waited += response.waited();
            reached = response.reached;
            // The response to another request may have decided since then, but not what this response had reached.
            is_disputed |= response.is_time_disputed;
        }
        let facts = match (&response, walk) {
            (Ok(response), Some(walk)) => walk.facts(response.body()),
            _ => PageFacts::default(),
        };
        match (decode.read)(response) {
            // The service would reject the page again.
            Err(error) if error.is_long_pause() => {
                return FetchedPage { outcome: Err(error), waited, facts };
            }
            // After another page, the HTML page of a proxy does not mean that the base URL is wrong.
            Err(error) if sent < attempts && (error.is_retryable() || is_further && error.is_page()) => {}
            Ok(_) if sent < attempts && is_disputed && reached < end => {}
            Err(error) if sent > 1 => {
                let error = error.with_hint(format!("the page was requested {sent} times"));
                return FetchedPage { outcome: Err(error), waited, facts };
            }
            outcome => return FetchedPage { outcome: outcome.map(|series| (series, reached)), waited, facts },
        }
        sleep(delay).await;
        delay = delay.saturating_mul(4);
    }
}
