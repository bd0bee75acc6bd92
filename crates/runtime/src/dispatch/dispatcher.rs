//! The only code that sends requests.
//!
//! Requests for data and for tokens are sent here. Each call of `send` makes one attempt, with a permit of the rate
//! limiter and with the options of the request. This module reports a 429 to the rate limiter; other modules interpret
//! the status of the response.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::observer::WaitReason;
use super::request_context::RequestContext;
use super::retry::{Retries, read_retry_after};
use crate::error::{Error, ErrorKind};
use crate::platform::timeout;
use crate::rate_limit::{Permit, RateLimiter};
use crate::transport::{Headers, HeadersNotifier, HttpRequest, HttpResponse, Transport};

/// Sends requests: it owns the base URL, the rate limiter and the transport.
pub(crate) struct Dispatcher {
    /// The checked base URL, without a slash at its end.
    pub(crate) base_url: String,
    pub(crate) rate_limiter: Arc<dyn RateLimiter>,
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) max_body_bytes: usize,
    /// The retry budget of all requests sent here.
    pub(crate) retries: Retries,
}

/// One tick of Tokio's clock. The dispatcher extends the timeout by this time. A transport that enforces the timeout
/// itself therefore ends the attempt first, and can report how much of the response had arrived.
const TICK: Duration = Duration::from_millis(1);

impl Dispatcher {
    /// Waits for a permit of the rate limiter.
    pub(crate) async fn permit(&self, context: &mut RequestContext) -> Result<Permit, Error> {
        context.wait_for(WaitReason::RateLimiter)?;
        let entering = self.rate_limiter.acquire(context.next_attempt());
        let permit = match context.queue_time_left() {
            None => entering.await,
            Some(left) => timeout(left, entering).await.map_err(|_| context.timed_out("queue_timeout"))?,
        };
        context.waited();
        permit.map_err(|error| error.of_this_request(ErrorKind::Queue, "the rate limiter failed"))
    }

    /// Creates the request for a path; a `POST` if it has a form.
    pub(crate) fn request(
        &self,
        path: &str,
        headers: Headers,
        form: Option<&str>,
        context: &RequestContext,
    ) -> HttpRequest {
        let timeout = context.policy.attempt_timeout.min(context.left());
        let url = [&self.base_url, path].concat();
        HttpRequest { form: form.map(str::to_owned), ..HttpRequest::new(url, headers, timeout, self.max_body_bytes) }
    }

    /// Sends a request, once.
    pub(crate) async fn send(
        &self,
        mut request: HttpRequest,
        permit: Permit,
        context: &mut RequestContext,
    ) -> Result<HttpResponse, Error> {
        let since = context.attempt();
        if self.transport.reports_sent() {
            request.on_sent = permit.on_sent.clone();
        } else {
            // This transport does not report when a request is sent, so the request counts as sent now.
            permit.on_sent.notify();
        }
        let on_headers = self.on_headers(context);
        request.on_headers = on_headers.clone();
        let time = request.timeout;
        // If the transport does not enforce the timeout, the attempt ends here.
        let outcome = timeout(time.saturating_add(TICK), self.transport.send(request)).await;
        let outcome = outcome.unwrap_or_else(|_| Err(Error::late(ErrorKind::Headers, time, "")));
        let outcome = outcome.map_err(|error| error.of_this_request(ErrorKind::Headers, "the transport failed"));
        if outcome.is_ok() {
            // A request that got a response was sent, even if the transport did not report that.
            permit.on_sent.notify();
        }
        let bytes = outcome.as_ref().map_or(0, |response| response.body.len());
        context.attempted(since, outcome.as_ref().map(|response| response.status).map_err(Error::kind), bytes);
        if let Ok(response) = &outcome {
            // If the transport did not report the headers when they arrived, they are reported now.
            on_headers.notify(response.status, &response.headers);
        }
        // Dropped only after a 429 was reported to the rate limiter; otherwise the next request could be sent before
        // the pause begins.
        drop(permit);
        outcome
    }

    /// Returns the notifier that reports a 429 to the rate limiter, at most once.
    fn on_headers(&self, context: &RequestContext) -> HeadersNotifier {
        // A weak reference, because a transport may keep the request, and with it this notifier, for longer than the
        // client exists.
        let (limiter, retry) = (Arc::downgrade(&self.rate_limiter), context.policy.retry.clone());
        let is_reported = AtomicBool::new(false);
        HeadersNotifier::new(move |status, headers| {
            if status == 429 && !is_reported.swap(true, Ordering::Relaxed) {
                let pause = retry.pause(read_retry_after(headers));
                limiter.upgrade().inspect(|limiter| limiter.on_rate_limited(pause));
            }
        })
    }
}
