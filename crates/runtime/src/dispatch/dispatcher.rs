//! The only code that sends requests.
//!
//! Requests for data and for tokens are sent here. Each call of `send` makes one attempt, with a permit of the rate
//! limiter and with the options of the request. This module reports the pauses for which responses ask; other modules
//! interpret the status of the response.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::observer::WaitReason;
use super::request_context::RequestContext;
use super::retry::{Retries, Retry};
use super::service_pause::{self, EndpointPauses, ServicePause};
use crate::error::{Error, ErrorKind};
use crate::platform::{sleep, timeout};
use crate::rate_limit::{Permit, RateLimiter};
use crate::registry::ServiceInfo;
use crate::request::BaseUrls;
use crate::transport::{Headers, HeadersNotifier, HttpRequest, HttpResponse, Transport};

/// Sends requests: it owns the base URLs, the rate limiter and the transport.
pub(crate) struct Dispatcher {
    pub(crate) base_urls: BaseUrls,
    pub(crate) service: &'static ServiceInfo,
    pub(crate) rate_limiter: Arc<dyn RateLimiter>,
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) max_body_bytes: usize,
    /// The retry budget of all requests sent here.
    pub(crate) retries: Retries,
    /// The endpoints that the service asked to pause.
    pub(crate) pauses: Arc<EndpointPauses>,
}

/// One tick of Tokio's clock. The dispatcher extends the timeout by this time. A transport that enforces the timeout
/// itself therefore ends the attempt first, and can report how much of the response had arrived.
const TICK: Duration = Duration::from_millis(1);

impl Dispatcher {
    /// Waits for the end of a pause of the endpoint, and for a permit of the rate limiter.
    pub(crate) async fn permit(&self, context: &mut RequestContext) -> Result<Permit, Error> {
        loop {
            while let Some(pause) = self.pauses.left(context.request()) {
                self.queued(context, sleep(pause)).await?;
            }
            let entering = self.rate_limiter.acquire(context.next_attempt());
            let permit = self.queued(context, entering).await?;
            let permit = permit.map_err(|error| error.of_this_request(ErrorKind::Queue, "the rate limiter failed"))?;
            // The pause may have begun while the request was queued.
            if self.pauses.left(context.request()).is_none() {
                return Ok(permit);
            }
        }
    }

    /// Waits as a part of the time in the queue.
    async fn queued<T>(&self, context: &mut RequestContext, wait: impl Future<Output = T>) -> Result<T, Error> {
        context.begin_wait(WaitReason::RateLimiter)?;
        let output = match context.queue_time_left() {
            None => wait.await,
            Some(left) => timeout(left, wait).await.map_err(|_| context.timed_out("queue_timeout"))?,
        };
        context.end_wait();
        Ok(output)
    }

    /// Creates the request for a URL; a `POST` if it has a form.
    pub(crate) fn request(
        &self,
        url: String,
        headers: Headers,
        form: Option<&str>,
        context: &RequestContext,
    ) -> HttpRequest {
        let timeout = context.policy.attempt_timeout.min(context.left());
        HttpRequest { form: form.map(str::to_owned), ..HttpRequest::new(url, headers, timeout, self.max_body_bytes) }
    }

    /// Sends a request, once.
    pub(crate) async fn send(
        &self,
        mut request: HttpRequest,
        permit: Permit,
        context: &mut RequestContext,
    ) -> Result<HttpResponse, Error> {
        let since = context.begin_attempt();
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
        let pause = outcome.as_ref().ok().and_then(|response| self.pause_of(response, &context.policy.retry));
        context.end_attempt(since, outcome.as_ref().map(|response| response.status).map_err(Error::kind), bytes, pause);
        if let Ok(response) = &outcome {
            // If the transport did not report the headers when they arrived, they are reported now.
            on_headers.notify(response.status, &response.headers);
        }
        // Dropped only after a 429 was reported to the rate limiter; otherwise the next request could be sent before
        // the pause begins.
        drop(permit);
        outcome
    }

    /// The time for which nothing is sent after a response that was rate-limited.
    fn pause_of(&self, response: &HttpResponse, retry: &Retry) -> Option<Duration> {
        match service_pause::requested(response.status, &response.headers, self.service) {
            Some(ServicePause::RateLimited(time)) => Some(retry.pause(time)),
            _ => None,
        }
    }

    /// The notifier that begins the pause for which a response asks, at most once.
    fn on_headers(&self, context: &RequestContext) -> HeadersNotifier {
        // A weak reference, because a transport may keep the request, and with it this notifier, for longer than the
        // client exists.
        let limiter = Arc::downgrade(&self.rate_limiter);
        let pauses = self.pauses.clone();
        let retry = context.policy.retry.clone();
        let request = context.request();
        let service = self.service;
        let is_reported = AtomicBool::new(false);
        HeadersNotifier::new(move |status, headers| {
            let Some(pause) = service_pause::requested(status, headers, service) else { return };
            if is_reported.swap(true, Ordering::Relaxed) {
                return;
            }
            // Without a client, nothing is left to pause.
            let Some(limiter) = limiter.upgrade() else { return };
            match pause {
                ServicePause::RateLimited(time) => limiter.on_rate_limited(retry.pause(time)),
                ServicePause::Exhausted(time) => limiter.on_exhausted(retry.pause(Some(time))),
                ServicePause::Endpoint(time) => {
                    let time = retry.pause(Some(time));
                    if pauses.pause(request, time) {
                        limiter.on_rate_limited(time);
                    }
                }
            }
        })
    }
}
