//! Sends a request: checks, credentials, rate limiter, transport, status and retries.
//!
//! This code returns the response for a target, and is compiled once for all endpoints. The caller decodes the body as
//! the type of the endpoint.
//!
//! The client's settings apply to every option that a request does not set. Most requests set none, and then nothing is
//! allocated.

use std::sync::Arc;
use std::time::Duration;

use super::host_outage::HostOutages;
use super::rejection_hints::with_hints;
use super::sent_fields::SentFields;
use super::service_clock::ServiceClock;
use crate::auth::{Credentials, Token};
use crate::decode::{self, BadRecords, DecodeError, Push, Row, error_body};
use crate::dispatch::observer::{Event, RequestParams};
use crate::dispatch::{Dispatcher, Observers, Policy, RequestContext, ShownParams, readable_body, status};
use crate::error::Error;
use crate::rate_limit::Rank;
use crate::registry::{BodyInfo, EndpointInfo, RecordInfo, ServiceInfo};
use crate::request::{RequestKind, RequestTarget};
use crate::secrets::Secret;
use crate::transport::{Headers, HttpResponse, InvalidHeader, ResponseBody};
use crate::values::Timestamp;

/// The state that the requests of a client and its clones share.
pub(crate) struct Connection {
    pub(crate) service: &'static ServiceInfo,
    pub(crate) credentials: Credentials,
    pub(crate) dispatcher: Arc<Dispatcher>,
    pub(crate) observers: Observers,
    pub(crate) clock: ServiceClock,
    pub(crate) sent_fields: SentFields,
    /// The outages that all followers of the client share.
    pub(crate) outages: HostOutages,
    /// The timeouts and retry rules of requests that set none.
    pub(crate) policy: Policy,
}

/// A successful response, with the context for an error about its body.
///
/// This type is public only because the signature of [`Body::read`] contains it. It is not exported, so users cannot
/// refer to it.
pub struct UndecodedResponse {
    pub(super) connection: Arc<Connection>,
    pub(super) target: RequestTarget,
    /// The option of the request.
    pub(super) bad_records: BadRecords,
    /// The response; its body is JSON.
    pub(super) response: HttpResponse,
    /// The body as the service sent it.
    pub(super) sent_body: ResponseBody,
    /// A time that the service had reached when it created the response.
    pub(crate) reached: Timestamp,
    context: RequestContext,
}

/// A successful response, or the error of a request.
pub(crate) type UndecodedResult = Result<Box<UndecodedResponse>, Error>;

impl UndecodedResponse {
    /// Returns how long the request waited in total: for a token, in the rate-limit queue, and between attempts.
    pub(crate) fn waited(&self) -> Duration {
        self.context.timing().waited
    }

    /// Returns the bytes of the body.
    pub(crate) fn body(&self) -> &[u8] {
        &self.response.body
    }

    /// Returns the body as text, or an error if it is not UTF-8 or contains an error of the service.
    pub(super) fn text(&self) -> Result<&str, DecodeError> {
        let text = std::str::from_utf8(&self.response.body);
        let text = text.map_err(|error| DecodeError::not_utf8(&error))?;
        let record = match self.target.endpoint.body {
            // `read_series` checks the body of a series after decoding it.
            BodyInfo::Series { .. } => return Ok(text),
            BodyInfo::Object { record, .. } => Some(record),
            BodyInfo::Unknown => None,
        };
        if error_body::is_error(text, record, &self.connection.service.error_body) {
            return Err(DecodeError::of_service());
        }
        Ok(text)
    }

    /// Reads the body as one record.
    pub(super) fn object(&self, record: &'static RecordInfo) -> Result<Row<'_>, DecodeError> {
        let row = decode::object(self.text()?, record)?;
        self.report_misfits(row.misfits);
        Ok(row)
    }

    /// Notifies the observer of values that do not fit undocumented fields.
    pub(super) fn report_misfits(&self, values: usize) {
        if values > 0 {
            self.report(|request, params| Event::UnexpectedValues { request, params, values });
        }
    }

    /// Notifies the observer of fields that had values in earlier responses.
    pub(super) fn report_missing(&self, table: Option<&'static RecordInfo>, records: &dyn Push) {
        let Some(table) = table else { return };
        if !self.context.observers.has_receiver() {
            return;
        }
        let missing = self.connection.sent_fields.note(self.target.endpoint, table, records);
        for field in missing.fields {
            let new = missing.new.clone();
            self.report(|request, params| Event::FieldMissing { request, params, field, new });
        }
    }

    /// Notifies the observer of an event of the body.
    pub(super) fn report(&self, event: impl FnOnce(RequestKind, RequestParams) -> Event) {
        let observers = &self.context.observers;
        observers.notify(&event(self.context.request(), observers.params()));
    }

    /// Creates the error for a body that does not match the endpoint.
    #[cold]
    #[allow(clippy::needless_pass_by_value)] // No caller uses `error` afterwards.
    pub(super) fn misfit(self: Box<Self>, mut error: DecodeError) -> Error {
        let Self { connection, target, response, sent_body, context, .. } = *self;
        let HttpResponse { status, headers, body, .. } = response;
        if status == 204 && *body == *b"null" {
            // This body stands for the missing body of the response.
            error = DecodeError::new("it is empty".to_owned());
        }
        // The message of the service is used only if the body has no records. If the body has records, one of them
        // failed to decode, and the message does not explain that failure.
        let is_series = matches!(target.endpoint.body, BodyInfo::Series { .. });
        let lacks_data = error.lacks_data() || !is_series;
        let mut message = None;
        if lacks_data {
            message = error_body::find(&body, connection.service.error_body.message);
        }
        let error = error.into_error(&sent_body, message).with_response(status, headers).after(context.timing());
        context.failed(&error);
        connection.about(error, &target)
    }
}

impl Connection {
    /// Returns the receivers of the events of a request.
    pub(crate) fn observers_of(&self, target: &RequestTarget, rank: Rank) -> Observers {
        let params = ShownParams { target, secrets: &self.credentials };
        self.observers.of_request(&params, rank == Rank::Live)
    }

    /// Adds a description of the request to an error, and masks secrets.
    pub(crate) fn about(&self, error: Error, target: &RequestTarget) -> Error {
        error.about(target.endpoint, target.to_string()).without_secrets(&self.credentials)
    }
}

/// Sends a request and returns its response.
pub(crate) async fn send(connection: Arc<Connection>, target: RequestTarget, options: Options) -> UndecodedResult {
    let policy = options.policy.as_deref().unwrap_or(&connection.policy).clone();
    let observers = connection.observers_of(&target, policy.rank);
    #[cfg(feature = "tracing")]
    let span = observers.span();
    let weight = target.endpoint.weight_of(|param| target.value(param));
    let mut context = RequestContext::new(RequestKind::Data(target.endpoint), weight, policy, observers);
    let success = send_until_successful(&connection, &target, &options, &mut context);
    #[cfg(feature = "tracing")]
    let success = tracing::Instrument::instrument(success, span);
    match success.await {
        Ok(Success { response, sent_body }) => {
            context.succeeded(response.status, sent_body.len());
            connection.outages.of(target.endpoint).responded();
            let date = date_of(&response.headers);
            let age = Duration::from_secs(age_in_seconds(&response.headers).unwrap_or(0));
            let reached = connection.clock.add(date, age, context.last_attempt);
            Ok(Box::new(UndecodedResponse {
                connection,
                target,
                bad_records: options.bad_records,
                response,
                sent_body,
                reached,
                context,
            }))
        }
        Err(error) => {
            let error = with_hints(error.after(context.timing()), &target);
            context.failed(&error);
            Err(connection.about(error, &target))
        }
    }
}

fn date_of(headers: &Headers) -> Option<Timestamp> {
    let date = headers.get("date")?.trim();
    Some(httpdate::parse_http_date(date).ok()?.into())
}

fn age_in_seconds(headers: &Headers) -> Option<u64> {
    headers.get("age")?.trim().parse().ok()
}

/// A successful response, whose body is JSON.
struct Success {
    response: HttpResponse,
    /// The body as the service sent it.
    sent_body: ResponseBody,
}

/// Sends the request until a response is successful, with at most as many attempts as the retry rules allow.
async fn send_until_successful(
    connection: &Connection,
    target: &RequestTarget,
    options: &Options,
    context: &mut RequestContext,
) -> Result<Success, Error> {
    target.check()?;
    connection.credentials.check_params(target)?;
    let url = [connection.dispatcher.base_urls.of(target.endpoint)?, &target.path_and_query()].concat();
    let headers = options.headers()?;
    connection.credentials.check(headers)?;
    let service = connection.service;
    let retries = &connection.dispatcher.retries;
    loop {
        let response = send_authorized(connection, &url, headers, context).await;
        match response.and_then(|response| to_success(response, target.endpoint, service)) {
            Ok(success) => {
                retries.succeeded();
                return Ok(success);
            }
            // The token flow has already retried the token request.
            Err(error) if error.is_token() => return Err(error),
            Err(error) => {
                // The dispatcher has reported an HTTP status, but not a status in the body.
                if error.is_rate_limited() && matches!(error.status(), Some(..400)) {
                    let pause = context.policy.retry.pause(error.retry_after());
                    connection.dispatcher.rate_limiter.on_rate_limited(pause);
                }
                context.retry(retries, error).await?;
            }
        }
    }
}

/// Converts the body to JSON, and returns an error if the status is not a success.
fn to_success(
    response: HttpResponse,
    endpoint: &'static EndpointInfo,
    service: &ServiceInfo,
) -> Result<Success, Error> {
    let is_series = matches!(endpoint.body, BodyInfo::Series { .. });
    let sent_body = response.body.clone();
    let mut response = readable_body::converted(response, endpoint, &service.error_body)?;
    if !is_series || !error_body::means_no_data(&response, &service.error_body) {
        response = status::accept(response, service, service.errors)?;
    }
    Ok(Success { response, sent_body })
}

/// Sends the request, and sends it once more if its token was rejected and another token may be accepted.
async fn send_authorized(
    connection: &Connection,
    url: &str,
    headers: &Headers,
    context: &mut RequestContext,
) -> Result<HttpResponse, Error> {
    let address = url.split('?').next().unwrap_or_default();
    let mut sent = send_once(connection, url, headers, context).await?;
    // The key may have been replaced while the request was in flight.
    if sent.response.status == 401 && connection.credentials.has_replaced(sent.key.as_ref()) {
        sent = send_once(connection, url, headers, context).await?;
    }
    let Sent { token, response, .. } = sent;
    let Some((flow, token)) = connection.credentials.flow.as_ref().zip(token) else { return Ok(response) };
    if response.status != 401 {
        // Only a status below 400 shows that the token was accepted. An error such as 503 leaves this open.
        if response.status < 400 {
            flow.cache().accept(address);
        }
        return Ok(response);
    }
    if !flow.cache().reject(&token, address) {
        return Ok(response);
    }
    let Sent { response, .. } = send_once(connection, url, headers, context).await?;
    if response.status == 401 {
        flow.cache().reject_again(address);
    }
    Ok(response)
}

/// A response, and the credentials of its request.
struct Sent {
    token: Option<Arc<Token>>,
    /// The API key; `None` if it is fixed.
    key: Option<Secret>,
    response: HttpResponse,
}

/// Sends the request, with the current token if the client uses tokens, and returns that token.
///
/// If the token expired or was rejected while the request was queued, another token is used if there is one. Otherwise
/// the permit is returned, a token is fetched, and the request waits in the queue again. After that wait, the token is
/// not checked again: if every wait were longer than the lifetime of a token, the request would never be sent.
async fn send_once(
    connection: &Connection,
    url: &str,
    headers: &Headers,
    context: &mut RequestContext,
) -> Result<Sent, Error> {
    let Connection { credentials, dispatcher, .. } = connection;
    let flow = credentials.flow.as_ref();
    if let Some(flow) = flow {
        flow.token(dispatcher, context).await?;
    }
    let mut permit = dispatcher.permit(context).await?;
    let mut token = flow.and_then(|flow| flow.cache().working());
    if let (Some(flow), None) = (flow, &token) {
        drop(permit);
        token = Some(flow.token(dispatcher, context).await?);
        permit = dispatcher.permit(context).await?;
    }
    let key = credentials.current_key()?;
    let mut all_headers = credentials.headers(token.as_ref(), key.as_ref(), context.body_format())?;
    // A header of the request replaces the client's header of the same name.
    all_headers.extend(headers);
    let url_with_key = credentials.url_with_key(url, key.as_ref());
    let request = dispatcher.request(url_with_key, all_headers, None, context);
    let response = dispatcher.send(request, permit, context).await?;
    Ok(Sent { token, key, response })
}

// Omits the headers and the body, because they may contain a secret, and nothing is masked yet.
crate::debug::opaque_debug!(UndecodedResponse);

/// The options of a request.
#[derive(Clone, Default)]
pub(crate) struct Options {
    /// The timeouts and retry rules; `None` if those of the client apply.
    pub(super) policy: Option<Box<Policy>>,
    /// Whether records that cannot be decoded are errors or are skipped.
    pub(crate) bad_records: BadRecords,
    headers: Headers,
    /// The first invalid header. Setters do not fail, so the error is returned when the request is sent.
    invalid: Option<InvalidHeader>,
}

impl Options {
    /// Changes the timeouts and retry rules, which are initially those of the client.
    pub(crate) fn set(&mut self, clients: &Policy, change: impl FnOnce(&mut Policy)) {
        change(self.policy.get_or_insert_with(|| Box::new(clients.clone())));
    }

    /// Sets a header.
    pub(crate) fn header(&mut self, name: &str, value: &str) {
        let invalid = self.headers.insert_sensitive(name, value).err();
        self.invalid = self.invalid.take().or(invalid);
    }

    /// Returns the headers, or an error if one is invalid.
    pub(crate) fn headers(&self) -> Result<&Headers, Error> {
        match &self.invalid {
            Some(invalid) => Err(invalid.clone().into()),
            None => Ok(&self.headers),
        }
    }
}
