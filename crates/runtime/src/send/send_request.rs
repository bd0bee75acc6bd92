//! Sends a request: checks, credentials, rate limiter, transport, status and retries.
//!
//! This code is compiled once for all endpoints. The caller decodes the body as the type of the endpoint.

use std::sync::Arc;
use std::time::Duration;

use super::connection::Connection;
use super::options::Options;
use super::rejection_hints::with_hints;
use super::undecoded_response::{UndecodedResponse, UndecodedResult};
use crate::auth::Token;
use crate::decode::error_body;
use crate::dispatch::{RequestContext, readable_body, status};
use crate::error::Error;
use crate::registry::{BodyInfo, EndpointInfo, ServiceInfo};
use crate::request::{RequestKind, RequestTarget};
use crate::secrets::Secret;
use crate::transport::{Headers, HttpResponse, ResponseBody};
use crate::values::Timestamp;

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
            let (reached, is_time_disputed) = connection.clock.add(date, age, context.last_attempt);
            Ok(Box::new(UndecodedResponse {
                connection,
                target,
                bad_records: options.bad_records,
                response,
                sent_body,
                reached,
                is_time_disputed,
                context,
            }))
        }
        Err(error) => {
            let error = with_hints(error.after(context.timing()), &target);
            let error = connection.with_request(error, &target);
            context.failed(&error);
            Err(error)
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
    context.policy.check()?;
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
                context.retry(retries, error.without_secrets(&connection.credentials)).await?;
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
    if matches!(sent.response.status, 401 | 403) && connection.credentials.has_replaced(sent.key.as_ref()) {
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
