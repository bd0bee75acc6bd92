//! Requests a window, repeats the request after a failure, and decodes the response.
//!
//! Each request is a separate task, so it makes progress without being polled.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use super::page::Batch;
use super::page_response::Received;
use crate::client::Untyped;
use crate::error::Error;
use crate::platform::sleep;
use crate::send::{SeriesBody, TimedRecords, UndecodedResponse};
use crate::values::Timestamp;

/// A function that decodes a response as the series of its endpoint. Of the code that fetches windows, only this
/// function is compiled for every endpoint.
pub(super) type Decode = fn(Result<Box<UndecodedResponse>, Error>) -> Result<TimedRecords<Batch>, Error>;

/// A future that returns the response for a window, and the total time for which the requests for the window waited.
/// The waiting time of a request without a response is not counted.
pub(super) type Attempts = Pin<Box<dyn Future<Output = (Result<Received<Batch>, Error>, Duration)> + Send>>;

/// The delay after the first failed attempt; each later delay is four times the delay before it.
const FIRST_DELAY: Duration = Duration::from_secs(1);

/// Requests a window that ends at `end` until a request succeeds, the error is not retryable, or no attempt is left. If
/// the service has possibly not reached the end, and its time is disputed, another response decides.
pub(super) fn fetch(request: Untyped, end: Timestamp, decode: Decode, attempts: u32) -> Attempts {
    Box::pin(async move {
        let (mut waited, mut delay, mut sent) = (Duration::ZERO, FIRST_DELAY, 0);
        loop {
            let response = request.clone().send().await;
            sent += 1;
            waited += response.as_ref().map_or(Duration::ZERO, |response| response.waited());
            let reached = response.as_ref().map_or(end, |response| response.reached);
            let is_disputed = reached < end && request.connection().clock.read().is_disputed();
            match decode(response) {
                Err(error) if sent < attempts && error.is_retryable() => {}
                Ok(_) if sent < attempts && is_disputed => {}
                outcome => return (outcome.map(|series| (series, reached)), waited),
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
