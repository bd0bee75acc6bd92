//! Sending a request: check, credentials, gate, transport, status, text; again if that helps.
//!
//! A target comes in, the text of a reply goes out. Compiled once for all endpoints; reading the text as
//! the type that an endpoint promises is the caller's last step.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::body::{Body, MetadataRecord};
use super::response::Response;
use crate::auth::{Credentials, Token};
use crate::decode::{self, DecodeError, EnvelopeRest, Push};
use crate::dispatch::observer::{Observers, RequestKind};
#[cfg(feature = "tracing")]
use crate::dispatch::spans;
use crate::dispatch::{Dispatcher, RequestContext, status};
use crate::error::{Error, ErrorKind, Timing};
use crate::registry::{Evidence, Range, RecordInfo, ServiceInfo, TimeField};
use crate::request::{RequestTarget, check};
use crate::secrets::Redact;
use crate::transport::HttpResponse;

/// What the requests of a client and its clones have in common: where they go, and with what.
pub(crate) struct Connection {
    pub(crate) service: &'static ServiceInfo,
    pub(crate) credentials: Credentials,
    pub(crate) dispatcher: Dispatcher,
    pub(crate) observers: Observers,
    /// The time for one request, whatever it takes.
    pub(crate) total_timeout: Duration,
}

/// The text of a successful reply, and what an error about it has to say.
///
/// A part of the signature of [`Body::read`], and of no other that users see: nobody outside can name one.
pub struct UndecodedResponse {
    connection: Arc<Connection>,
    target: RequestTarget,
    response: Response<String>,
    timing: Timing,
}

/// Reads a series, whose records go where they are kept. What is compiled of it once is in `decode`, since what a
/// series itself does is compiled for every endpoint.
pub(crate) fn read_series<M: MetadataRecord>(
    response: Result<Box<UndecodedResponse>, Error>,
    record: Option<&'static RecordInfo>,
    records: &mut dyn Push,
) -> Result<EnvelopeRest<M>, Error> {
    let response = response?;
    let target = &response.target;
    let (envelope, bad_records) = (M::SERVICE.envelope.as_ref(), target.bad_records());
    match decode::series(response.text(), envelope, record, bad_records, records) {
        Ok(rest) => Ok(EnvelopeRest { time: TimeField::of_endpoint(target.endpoint(), M::SERVICE), ..rest }),
        Err(error) => Err(response.misfit(error)),
    }
}

impl UndecodedResponse {
    pub(super) fn text(&self) -> &str {
        &self.response.body
    }

    /// Reads the text, and keeps what came along with it.
    pub(crate) fn into_response<B: Body>(mut self: Box<Self>) -> Result<Response<B>, Error> {
        let (status, mut headers) = (self.response.status, std::mem::take(&mut self.response.headers));
        self.connection.credentials.redact_headers(&mut headers);
        Ok(Response::new(status, headers, B::read(Ok(self))?))
    }

    /// Says that the text is not what the endpoint promises.
    #[cold]
    #[allow(clippy::needless_pass_by_value)] // All callers have done with it.
    pub(super) fn misfit(self: Box<Self>, error: DecodeError) -> Error {
        let Self { connection, target, response, timing } = *self;
        let said = if error.lacks_data() { status::said(&response.body, &connection.service.error_body) } else { None };
        let error = error.into_error(response.body.into_bytes(), said).after(timing);
        connection.about(error, &target)
    }
}

impl Connection {
    /// Says which request an error is about, and nothing that must not be seen.
    pub(crate) fn about(&self, error: Error, target: &RequestTarget) -> Error {
        error.about(target.endpoint(), target.to_string()).without_secrets(&self.credentials)
    }
}

/// Sends a request and takes its reply.
pub(crate) async fn send(connection: Arc<Connection>, target: RequestTarget) -> Result<Box<UndecodedResponse>, Error> {
    match answer(&connection, &target).await {
        Ok((response, timing)) => Ok(Box::new(UndecodedResponse { connection, target, response, timing })),
        Err(error) => Err(connection.about(error, &target)),
    }
}

async fn answer(connection: &Connection, target: &RequestTarget) -> Result<(Response<String>, Timing), Error> {
    target.check()?;
    if tokio::runtime::Handle::try_current().is_err() {
        return Err(Error::build("there is no Tokio runtime; send from `#[tokio::main]` or a task"));
    }
    let kind = RequestKind::Data(target.endpoint());
    let mut context = RequestContext::new(kind, connection.total_timeout, connection.observers.clone());
    let deadline = context.deadline();
    let success = success(connection, target, &mut context);
    #[cfg(feature = "tracing")]
    let span = spans::request(target.endpoint());
    #[cfg(feature = "tracing")]
    let success = tracing::Instrument::instrument(success, span.clone());
    let success = match deadline {
        Some(deadline) => tokio::time::timeout_at(deadline, success).await.ok(),
        None => Some(success.await),
    };
    let response = success.unwrap_or_else(|| Err(context.timed_out(&connection.credentials))).and_then(text);
    #[cfg(feature = "tracing")]
    spans::end(&span, response.as_ref().ok().map(|response| response.body.len()), &context);
    let timing = context.timing();
    match response {
        Ok(response) => Ok((response, timing)),
        Err(error) => Err(explained(error.after(timing), target)),
    }
}

/// A success, after as many attempts as it takes and the rules allow.
async fn success(
    connection: &Connection,
    target: &RequestTarget,
    context: &mut RequestContext,
) -> Result<HttpResponse, Error> {
    let path = target.path_and_query();
    let retries = connection.dispatcher.retries();
    loop {
        let outcome = authorized(connection, &path, context).await;
        match outcome
            .and_then(|response| status::accept(response, connection.service.errors, &connection.service.error_body))
        {
            Ok(response) => {
                retries.succeeded();
                return Ok(response);
            }
            // Whoever fetched the token has tried again already.
            Err(error) if error.is_token() => return Err(error),
            Err(error) => context.retry(retries, error).await?,
        }
    }
}

fn text(response: HttpResponse) -> Result<Response<String>, Error> {
    let HttpResponse { status, headers, body, .. } = response;
    let text = String::from_utf8(body).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let message = format!("the body is not UTF-8 from byte {at} on");
        Error::new(ErrorKind::Decode, message).with_body(error.into_bytes())
    })?;
    Ok(Response::new(status, headers, text))
}

/// Asks for a path; once more if a token was refused that another can replace.
async fn authorized(connection: &Connection, path: &str, context: &mut RequestContext) -> Result<HttpResponse, Error> {
    let (token, response) = exchange(connection, path, context).await?;
    match token {
        Some(refused) if response.status == 401 => {
            connection.credentials.invalidate(&refused);
            Ok(exchange(connection, path, context).await?.1)
        }
        _ => Ok(response),
    }
}

/// Sends the request with whatever token there is.
///
/// One that expired or was refused while the request waited at the gate is replaced first: at once if
/// there is another, else without a turn in hand. What comes then is used as it is, since a token may live
/// for less time than the gate takes.
async fn exchange(
    connection: &Connection,
    path: &str,
    context: &mut RequestContext,
) -> Result<(Option<Arc<Token>>, HttpResponse), Error> {
    let Connection { credentials, dispatcher, .. } = connection;
    let mut token = credentials.token(dispatcher, context).await?;
    let mut permit = dispatcher.permit(context).await?;
    if token.is_some() {
        token = credentials.working_token();
        if token.is_none() {
            permit.give_back();
            token = credentials.token(dispatcher, context).await?;
            permit = dispatcher.permit(context).await?;
        }
    }
    let response = dispatcher.get(path, credentials.headers(token.as_ref()), permit, context).await?;
    Ok((token, response))
}

/// Its headers may repeat a secret, as nothing is masked yet.
impl fmt::Debug for UndecodedResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UndecodedResponse(..)")
    }
}

/// Adds what the catalogue can tell about params that the service may have refused.
fn explained(error: Error, target: &RequestTarget) -> Error {
    // By their meaning in HTTP; what a service means by others is for its catalogue to say.
    if error.is_token() || !matches!(error.status(), Some(400 | 422)) {
        return error;
    }
    let params = || target.endpoint().params.unwrap_or_default().iter();
    let missing = params().filter(|param| !target.sets(param.wire_name)).filter_map(|param| {
        let known = known(param.required?);
        Some(format!("`{}` is {known} as required and not set", param.wire_name))
    });
    let limited = params().filter(|param| param.range != Range::ALL).map(|param| {
        let (known, bounds) = (known(param.evidence), check::bounds(param.range));
        format!("`{}` is {known} as limited: {bounds}", param.wire_name)
    });
    missing.chain(limited).fold(error, Error::with_hint)
}

fn known(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::Document => "documented",
        Evidence::Published => "published",
        Evidence::Reported => "reported",
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::registry::{EndpointInfo, ParamInfo, ValueType};

    const fn param(name: &'static str, ty: ValueType) -> ParamInfo {
        ParamInfo::new(name, name, ty, Evidence::Document)
    }

    const BOOK: &EndpointInfo = &EndpointInfo::new("market", "book", "Book").path("/book", Evidence::Document).params(
        &[
            param("coin", ValueType::String).required(Evidence::Document),
            param("venue", ValueType::String).required(Evidence::Reported),
        ],
        &[
            param("depth", ValueType::Count).range(Range { min: Some(1.0), max: Some(9.0) }),
            param("limit", ValueType::Count).range(Range { min: None, max: Some(50.0) }).known_by(Evidence::Reported),
            param("sort", ValueType::String),
        ],
    );

    /// What is added to an error with this status and advice about a request with these params.
    fn check(status: u16, advice: &str, set: &[&'static str]) -> String {
        let mut target = RequestTarget::new(BOOK);
        for name in set {
            target.set(Cow::Borrowed(name), "1".to_owned());
        }
        let error = Error::new(ErrorKind::Status, "no").with_status(status, None).with_hint(advice);
        explained(error, &target).to_string()
    }

    #[test]
    fn a_refusal_is_explained_by_what_the_catalogue_knows() {
        let limits = "`depth` is documented as limited: from 1 to 9; `limit` is reported as limited: at most 50";
        let coin = "`coin` is documented as required and not set";
        let venue = "`venue` is reported as required and not set";
        let table: [(u16, &str, &[&str], String); 6] = [
            (422, "look twice", &[], format!("no; look twice; {coin}; {venue}; {limits}")),
            (400, "look twice", &["coin"], format!("no; look twice; {venue}; {limits}")),
            (400, "", &["venue", "sort"], format!("no; {coin}; {limits}")),
            (422, "", &["coin", "venue"], format!("no; {limits}")),
            (404, "look twice", &[], "no; look twice".to_owned()),
            (500, "", &[], "no".to_owned()),
        ];
        for (status, advice, set, expected) in table {
            assert_eq!(check(status, advice, set), expected, "{status} {set:?}");
        }
    }

    #[test]
    fn nothing_known_adds_nothing() {
        const PING: &EndpointInfo = &EndpointInfo::new("market", "ping", "Ping").path("/ping", Evidence::Document);
        let error = Error::new(ErrorKind::Status, "no").with_status(422, None).with_hint("look twice");
        assert_eq!(explained(error, &RequestTarget::new(PING)).to_string(), "no; look twice");
    }
}
