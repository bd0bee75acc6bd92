//! A request without the type of its endpoint.
//!
//! The typed setters pass the values of params to this request, which stores each value in the form that is sent. This
//! code is compiled once for all endpoints.
//!
//! A request in flight is a separate task from the first poll on. It may occupy a slot of the rate limiter that other
//! requests wait for, so its progress must not depend on polls of the future. Dropping the future ends the task
//! immediately, even if its runtime has stopped.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use super::Core;
use super::blocking::Background;
use crate::decode::BadRecords;
use crate::dispatch::{Observers, Policy};
use crate::error::Error;
use crate::platform::{Runtime, Task};
use crate::rate_limit::Rank;
use crate::registry::{EndpointInfo, ListFormat, TimeUnit, ValueType};
use crate::request::RequestTarget;
use crate::send::{self, Body, Connection, HostOutage, Options, Response, UndecodedResult};
use crate::values::Timestamp;
use crate::values::wire::{IntoParam, ToWire};

/// A request that stores its endpoint as a value, so that its type does not name the endpoint.
///
/// Boxed, so that setters move only a pointer.
#[derive(Clone)]
pub struct Untyped(pub(super) Box<Parts>);

#[derive(Clone)]
pub(crate) struct Parts {
    pub(super) core: Core,
    pub(super) target: RequestTarget,
    pub(super) options: Options,
}

impl Untyped {
    /// Creates a request without params.
    pub fn new(core: &Core, endpoint: &'static EndpointInfo) -> Self {
        Self::of(core, RequestTarget::new(endpoint))
    }

    pub(super) fn of(core: &Core, target: RequestTarget) -> Self {
        Self(Box::new(Parts { core: core.clone(), target, options: Options::default() }))
    }

    /// The state that all requests of the client share.
    pub(crate) fn connection(&self) -> &Connection {
        &self.0.core.connection
    }

    /// Returns the time of the service.
    pub fn service_time(&self) -> Timestamp {
        self.connection().clock.read().time()
    }

    /// Returns whether responses agree about the time of the service.
    pub fn is_service_time_confirmed(&self) -> bool {
        self.connection().clock.read().is_confirmed()
    }

    /// The endpoint of the request.
    pub fn endpoint(&self) -> &'static EndpointInfo {
        self.0.target.endpoint
    }

    /// The names and values of the params, without encoding.
    pub fn params(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.target.params()
    }

    /// The value of a param as it is sent; `None` if the param is not set.
    pub(crate) fn value(&self, wire_name: &str) -> Option<&str> {
        self.0.target.value(wire_name)
    }

    /// Checks the request against the catalogue.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.0.target.check()?;
        self.base_url().map(drop)
    }

    /// The base URL of the endpoint, or an error if it is not set.
    pub(crate) fn base_url(&self) -> Result<&str, Error> {
        self.connection().dispatcher.base_urls.of(self.endpoint())
    }

    /// The outage of the host of the endpoint.
    pub(crate) fn outage(&self) -> &HostOutage {
        self.connection().outages.of(self.endpoint())
    }

    /// The encoded path and query.
    pub fn path_and_query(&self) -> String {
        self.0.target.path_and_query()
    }

    /// Describes the request in an error.
    pub(crate) fn describe_in(&self, error: Error) -> Error {
        self.0.core.connection.with_request(error, &self.0.target)
    }

    pub(crate) fn observers(&self, rank: Rank) -> Observers {
        self.connection().observers_of(&self.0.target, rank)
    }

    /// The thread that sends blocking requests.
    pub(crate) fn background(&self) -> Arc<Background> {
        self.0.core.background.clone()
    }

    /// Sets a param; `None` omits it.
    pub(crate) fn set(mut self, wire_name: Cow<'static, str>, value: Option<String>) -> Self {
        self.0.target.set(wire_name, value);
        self
    }

    /// The unit of a param's timestamps.
    pub(crate) fn time_unit(&self, wire_name: &str) -> TimeUnit {
        match self.0.target.endpoint.param(wire_name).map(|param| param.ty) {
            Some(ValueType::Timestamp(unit)) => unit,
            _ => self.connection().service.time_unit,
        }
    }

    /// Sets a param to a value; `None` omits it.
    pub fn set_value(self, wire_name: Cow<'static, str>, value: &dyn ToWire) -> Self {
        let value = value.is_some().then(|| value.to_wire(self.time_unit(&wire_name)));
        self.set(wire_name, value)
    }

    /// Sets a param to a value of the type `T`. This function is compiled once for each type of value, and not for each
    /// endpoint.
    pub fn set_param<T: ToWire, Via>(self, wire_name: &'static str, value: impl IntoParam<T, Via>) -> Self {
        self.set_one(wire_name, &value.into_param())
    }

    /// Sets a param to one value, written as a list with one item if the param's list format is JSON.
    fn set_one(self, wire_name: &'static str, value: &dyn ToWire) -> Self {
        let info = self.0.target.endpoint.param(wire_name);
        if info.is_some_and(|info| info.list_as == ListFormat::Json) && value.is_some() {
            return self.set_list(Cow::Borrowed(wire_name), Some([value]));
        }
        self.set_value(Cow::Borrowed(wire_name), value)
    }

    /// Sets a param to several values in the list format of the catalogue; `None` omits it.
    pub fn set_list(mut self, wire_name: Cow<'static, str>, values: Option<impl IntoIterator<Item: ToWire>>) -> Self {
        let Some(values) = values else { return self.set(wire_name, None) };
        let unit = self.time_unit(&wire_name);
        let values = values.into_iter().map(|value| value.to_wire(unit)).collect();
        self.0.target.set_list(wire_name, values);
        self
    }

    /// Replaces the path and the query with those of a link to another page.
    pub(crate) fn linked(mut self, path_and_query: String) -> Self {
        self.0.target.link = Some(path_and_query);
        self
    }

    /// Sends a header with the request; it replaces the client's header of that name.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.0.options.header(name, value);
        self
    }

    /// Skips records that cannot be decoded, instead of failing the response.
    pub fn skip_bad_records(mut self) -> Self {
        self.0.options.bad_records = BadRecords::Skipped;
        self
    }

    /// Changes the timeouts and retry rules.
    pub fn set_policy(mut self, change: impl FnOnce(&mut Policy)) -> Self {
        let Parts { core, options, .. } = &mut *self.0;
        options.set(&core.connection.policy, change);
        self
    }

    /// Sends the request, and returns status and headers with the body.
    pub async fn response<B: Body>(self) -> Result<Response<B>, Error> {
        self.send().await?.into_response()
    }

    pub(crate) fn send(self) -> Sending {
        Sending { request: Some(self), task: None }
    }

    /// Starts the task that sends the request.
    fn start(self, runtime: &Runtime) -> Task<UndecodedResult> {
        let Parts { core, target, options } = *self.0;
        let sending = send::send(core.connection, target, options);
        // The span of the request is a child of the span in which it was first polled.
        #[cfg(feature = "tracing")]
        let sending = tracing::Instrument::in_current_span(sending);
        runtime.spawn(sending)
    }

    /// Waits for the response.
    pub fn send_blocking(self) -> UndecodedResult {
        let Parts { core, target, options } = *self.0;
        let outcome = core.background.wait(send::send(core.connection.clone(), target.clone(), options));
        outcome.unwrap_or_else(|error| Err(core.connection.with_request(error, &target)))
    }
}

/// Two requests are equal if they ask for the same, and treat the response in the same way.
impl PartialEq for Untyped {
    fn eq(&self, other: &Self) -> bool {
        self.0.target == other.0.target && self.0.options.bad_records == other.0.options.bad_records
    }
}

impl Eq for Untyped {}

impl Hash for Untyped {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.target.hash(state);
        self.0.options.bad_records.hash(state);
    }
}

impl fmt::Display for Untyped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.target.fmt(f)
    }
}

// Omits the headers, because they may contain a secret.
impl fmt::Debug for Untyped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let skips = if self.0.options.bad_records == BadRecords::Skipped { ", skip_bad_records" } else { "" };
        write!(f, "Request({:?}{skips})", self.0.target)
    }
}

/// The future of a response before decoding.
pub(crate) struct Sending {
    /// The request before the first poll in a runtime.
    request: Option<Untyped>,
    /// The task that sends the request; `None` before that, and after its outcome was returned.
    task: Option<Task<UndecodedResult>>,
}

impl Future for Sending {
    type Output = UndecodedResult;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<UndecodedResult> {
        if let Some(request) = &self.request {
            // After this error, the next poll tries again.
            let runtime = require_runtime().map_err(|error| request.describe_in(error))?;
            self.task = self.request.take().map(|request| request.start(&runtime));
        }
        let Some(task) = &mut self.task else {
            return Poll::Ready(Err(Error::build("the outcome of this request was already returned")));
        };
        let outcome = ready!(Pin::new(task).poll(cx));
        self.task = None;
        Poll::Ready(outcome.unwrap_or_else(|error| Err(Error::shutdown().with_source(error))))
    }
}

/// The current runtime, or an error that explains how to run one.
pub(crate) fn require_runtime() -> Result<Runtime, Error> {
    Runtime::current().ok_or_else(|| Error::build("no Tokio runtime is running; send from `#[tokio::main]` or a task"))
}
