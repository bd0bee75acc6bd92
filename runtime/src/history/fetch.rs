//! Sends the requests that `pager` plans, and passes their responses to `pager`.
//!
//! Each request is a separate task, so it makes progress without being polled. New requests are started only when the
//! consumer polls, so a slow consumer also slows the fetching.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use super::page::Batch;
use super::page_response::Received;
use super::pager::{Accepted, Pager};
use super::request_plan::RequestTemplate;
use crate::client::Untyped;
use crate::error::Error;
use crate::platform::sleep;
use crate::send::{SeriesBody, TimedRecords, UndecodedResponse};

/// Decodes a response as the series of its endpoint. Only this function is compiled for every endpoint.
pub(super) type Decode = fn(Result<Box<UndecodedResponse>, Error>) -> Result<TimedRecords<Batch>, Error>;

/// The response for a window, with the total waiting time of its requests that got a response.
type Attempts = Pin<Box<dyn Future<Output = (Result<Received<Batch>, Error>, Duration)> + Send>>;

/// The delay after the first failed attempt; each further delay is four times as long.
const FIRST_DELAY: Duration = Duration::from_secs(1);

/// The windows of a range, fetched concurrently.
pub(super) struct Fetch {
    template: RequestTemplate,
    decode: Decode,
    /// The maximum number of requests for a window that fails.
    attempts: u32,
    pub(super) pager: Pager<Batch>,
    in_flight: Vec<(u64, Attempts)>,
    /// The total waiting time of all requests that got a response.
    pub(super) waited: Duration,
}

impl Fetch {
    pub(super) fn new(template: RequestTemplate, decode: Decode, attempts: u32, pager: Pager<Batch>) -> Self {
        Self { template, decode, attempts, pager, in_flight: Vec::new(), waited: Duration::ZERO }
    }

    /// Returns the next window in order of time; `None` after the last.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Accepted<Batch>>> {
        loop {
            // Checked before sending, because a window that is complete can lead to another request.
            if let Some(accepted) = self.pager.take() {
                return Poll::Ready(Some(accepted));
            }
            if self.pager.is_over() {
                return Poll::Ready(None);
            }
            while self.begin_one() {}
            if !self.receive(cx) {
                return Poll::Pending;
            }
        }
    }

    /// Prepares one more request, if one is due, and returns whether it did. `receive` sends the request.
    pub(super) fn begin_one(&mut self) -> bool {
        let next = self.pager.next_request();
        let request = next.map(|(id, window)| (id, self.template.request(window)));
        self.in_flight.extend(request.map(|(id, request)| (id, fetch(request, self.decode, self.attempts))));
        next.is_some()
    }

    /// Sends the prepared requests, and processes the responses that have arrived. Returns whether any has.
    pub(super) fn receive(&mut self, cx: &mut Context<'_>) -> bool {
        let before = self.in_flight.len();
        self.in_flight.retain_mut(|(id, attempts)| {
            let Poll::Ready((outcome, waited)) = attempts.as_mut().poll(cx) else { return true };
            self.waited += waited;
            self.pager.received(*id, outcome);
            false
        });
        self.in_flight.len() < before
    }
}

/// Requests a window until it succeeds or no attempt is left.
fn fetch(request: Untyped, decode: Decode, attempts: u32) -> Attempts {
    Box::pin(async move {
        let (mut waited, mut delay, mut sent) = (Duration::ZERO, FIRST_DELAY, 0);
        loop {
            let response = request.clone().send().await;
            sent += 1;
            waited += response.as_ref().map_or(Duration::ZERO, |response| response.waited());
            let date = response.as_ref().ok().and_then(|response| response.date());
            match decode(response) {
                Err(error) if sent < attempts && error.is_retryable() => {}
                outcome => return (outcome.map(|series| (series, date)), waited),
            }
            sleep(delay).await;
            delay = delay.saturating_mul(4);
        }
    })
}

/// Decodes a response as a series of type `B`; used as [`Decode`].
pub(super) fn decode<B: SeriesBody>(
    response: Result<Box<UndecodedResponse>, Error>,
) -> Result<TimedRecords<Batch>, Error> {
    let TimedRecords { records, times, bad, metadata } = B::read_records(response)?;
    Ok(TimedRecords { records: Box::new(records), times, bad, metadata })
}
