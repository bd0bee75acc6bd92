//! The one place from which requests are sent.
//!
//! Every request leaves here, for data and for a token alike: once, when the gate lets it, with its limits.
//! Statuses are for others to judge; only that the service finds too many requests goes to the gate at once.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::RequestContext;
use super::observer::Waiting;
use super::retry::{Retries, Retry};
use super::retry_after;
use crate::error::Error;
use crate::gate::{Gate, Permit};
use crate::request::BaseUrl;
use crate::transport::{Headers, HttpRequest, HttpResponse, Limits, Method, Transport};

/// Where requests leave: the base URL, the gate, the transport and its limits.
pub(crate) struct Dispatcher {
    base_url: BaseUrl,
    gate: Arc<dyn Gate>,
    transport: Arc<dyn Transport>,
    limits: Limits,
    retries: Retries,
}

impl Dispatcher {
    pub(crate) fn new(
        base_url: BaseUrl,
        gate: Arc<dyn Gate>,
        transport: Arc<dyn Transport>,
        limits: Limits,
        retry: Retry,
    ) -> Self {
        Self { base_url, gate, transport, limits, retries: Retries::new(retry) }
    }

    /// When what leaves here is sent again.
    pub(crate) fn retries(&self) -> &Retries {
        &self.retries
    }

    /// Waits for a turn at the gate.
    pub(crate) async fn permit(&self, context: &mut RequestContext) -> Result<Permit, Error> {
        context.wait_for(Waiting::Gate);
        let permit = self.gate.enter(context.next_attempt()).await;
        context.waited();
        Ok(permit?)
    }

    /// Asks for a path.
    pub(crate) async fn get(
        &self,
        path: &str,
        headers: Headers,
        permit: Permit,
        context: &mut RequestContext,
    ) -> Result<HttpResponse, Error> {
        let request = HttpRequest::new(Method::Get, self.base_url.join(path), headers, self.limits);
        self.send(request, permit, context).await
    }

    /// Sends a form to a path.
    pub(crate) async fn post(
        &self,
        path: &str,
        headers: Headers,
        form: &str,
        permit: Permit,
        context: &mut RequestContext,
    ) -> Result<HttpResponse, Error> {
        let mut request = HttpRequest::new(Method::Post, self.base_url.join(path), headers, self.limits);
        request.body = form.into();
        self.send(request, permit, context).await
    }

    async fn send(
        &self,
        mut request: HttpRequest,
        mut permit: Permit,
        context: &mut RequestContext,
    ) -> Result<HttpResponse, Error> {
        let since = context.attempt();
        request.limits.timeout = request.limits.timeout.min(context.left());
        let outcome = self.transport.send(request).await.map_err(Error::from);
        if let Ok(response) = &outcome {
            permit.departed(response.departure.unwrap_or_else(|| since.elapsed()));
        }
        let bytes = outcome.as_ref().map_or(0, |response| response.body.len());
        context.attempted(since, outcome.as_ref().map(|response| response.status).map_err(Error::kind), bytes);
        if let Some(pause) = outcome.as_ref().ok().and_then(|response| self.pause(response)) {
            self.gate.refused(pause);
        }
        // Not before the gate knows of a refusal: the next request would slip through.
        drop(permit);
        outcome
    }

    /// How long nothing may be sent, if the service found too many requests.
    fn pause(&self, response: &HttpResponse) -> Option<Duration> {
        let asked = || retry_after::read(&response.headers);
        (response.status == 429).then(|| self.retries.rules().pause(asked()))
    }
}

impl fmt::Debug for Dispatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dispatcher")
            .field("base_url", &self.base_url.as_str())
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
