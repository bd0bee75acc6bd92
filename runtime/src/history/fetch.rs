//! Sends the requests that `pager` plans, and passes their responses to `pager`.
//!
//! Each request is a separate task, so it makes progress without being polled. New requests are sent only when the
//! consumer polls, so a slow consumer stops the fetching.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use super::page::Batch;
use super::page_response::Received;
use super::pager::{Accepted, Pager};
use super::request_plan::RequestTemplate;
use crate::client::Sending;
use crate::error::Error;
use crate::platform::{Instant, Sleep, sleep_until};
use crate::send::{SeriesBody, TimedRecords, UndecodedResponse};

type Outcome = Result<Box<UndecodedResponse>, Error>;

/// Decodes a response as the series of its endpoint. Only this function is compiled for every endpoint.
pub(super) type Decode = fn(Outcome) -> Result<Received<Batch>, Error>;

/// The windows of a range, fetched concurrently.
pub(super) struct Fetch {
    template: RequestTemplate,
    decode: Decode,
    pub(super) pager: Pager<Batch>,
    in_flight: Vec<(u64, Sending)>,
    /// Sleeps until a window that failed is due again.
    delay: Option<Pin<Box<Sleep>>>,
    /// The total waiting time of the requests that got a response.
    pub(super) waited: Duration,
    /// True if a response was ready at the first poll of its request, until `receive` reports it.
    has_response: bool,
}

impl Fetch {
    pub(super) fn new(template: RequestTemplate, decode: Decode, pager: Pager<Batch>) -> Self {
        Self {
            template,
            decode,
            pager,
            in_flight: Vec::new(),
            delay: None,
            waited: Duration::ZERO,
            has_response: false,
        }
    }

    /// Returns the next window in order of time; `None` after the last.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Accepted<Batch>>> {
        loop {
            // Checked before sending, because a settled window can need another request.
            if let Some(accepted) = self.pager.take() {
                return Poll::Ready(Some(accepted));
            }
            if self.pager.is_over() {
                return Poll::Ready(None);
            }
            while self.send_one(cx) {}
            if !self.receive(cx) && !self.is_due(cx) {
                return Poll::Pending;
            }
        }
    }

    /// Sends one more request, if one is due; returns whether it did.
    pub(super) fn send_one(&mut self, cx: &mut Context<'_>) -> bool {
        let now = Instant::now();
        let Some((id, window)) = self.pager.next_request(now) else { return false };
        let mut sending = self.template.request(window).send();
        match Pin::new(&mut sending).poll(cx) {
            Poll::Pending => self.in_flight.push((id, sending)),
            Poll::Ready(outcome) => {
                self.received(id, outcome, now);
                // No waker is registered for this response, so `receive` must report it.
                self.has_response = true;
            }
        }
        true
    }

    fn received(&mut self, id: u64, outcome: Outcome, now: Instant) {
        let date = outcome.as_ref().ok().and_then(|response| response.date());
        let received = (self.decode)(outcome).map(|received| Received { date, ..received });
        self.pager.received(id, received, now);
    }

    /// Processes the responses that have arrived.
    fn receive(&mut self, cx: &mut Context<'_>) -> bool {
        let (now, mut is_new) = (Instant::now(), std::mem::take(&mut self.has_response));
        let mut index = 0;
        while let Some((id, sending)) = self.in_flight.get_mut(index) {
            let Poll::Ready(outcome) = Pin::new(sending).poll(cx) else {
                index += 1;
                continue;
            };
            let id = *id;
            self.in_flight.swap_remove(index);
            self.waited += outcome.as_ref().map_or(Duration::ZERO, |response| response.waited());
            self.received(id, outcome, now);
            is_new = true;
        }
        is_new
    }

    /// Returns whether a failed window is due again. If not, the task is woken at the time at which it is.
    fn is_due(&mut self, cx: &mut Context<'_>) -> bool {
        let Some(due) = self.pager.next_retry() else { return false };
        let mut delay = Box::pin(sleep_until(due));
        let is_due = delay.as_mut().poll(cx).is_ready();
        // Stored, because a dropped sleep would not wake the task.
        self.delay = Some(delay).filter(|_| !is_due);
        is_due
    }
}

/// Decodes a response as a series of type `B`; used as [`Decode`].
pub(super) fn decode<B: SeriesBody>(response: Outcome) -> Result<Received<Batch>, Error> {
    let TimedRecords { records, times, bad, notes } = B::read_records(response)?;
    Ok(Received { times, records: Box::new(records), bad, notes, date: None })
}
