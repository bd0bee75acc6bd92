//! The way of a request: check, credentials, gate, outlet, status, text; again if that helps.
//!
//! A call comes in, the text of a reply goes out. Compiled once for all endpoints; reading the text as
//! the type that an endpoint promises is the caller's last step.

use std::fmt;
use std::sync::Arc;

use crate::SERVICE;
use crate::call::Call;
use crate::check;
use crate::client::Client;
use crate::decode::{self, Around, DecodeError, Push};
use crate::error::{Error, ErrorKind};
use crate::registry::{Evidence, Range, RecordInfo};
use crate::response::Response;
use crate::series::Body;
#[cfg(feature = "tracing")]
use crate::spans;
use crate::status;
use crate::token::Token;
use crate::transport::HttpResponse;
use crate::trip::{Account, Trip};

/// The text of a successful reply, and what an error about it has to say.
///
/// A part of the signature of [`Body::read`], and of no other that users see: nobody outside can name one.
pub struct Reply {
    client: Client,
    call: Call,
    response: Response<String>,
    account: Account,
}

/// What became of a request: a reply that is still to be read, or why there is none.
pub(crate) type Sent = Result<Box<Reply>, Error>;

/// Reads the text as what the endpoint promises.
pub(crate) fn read<B: Body>(sent: Sent) -> Result<B, Error> {
    let reply = sent?;
    B::decode(&reply.response.body).map_err(|error| reply.misfit(error))
}

/// The same for a series, whose records go where they are kept. All that is compiled of it once is here, since what
/// a series itself does is compiled for every endpoint.
pub(crate) fn read_series(
    sent: Sent,
    record: Option<&'static RecordInfo>,
    records: &mut dyn Push,
) -> Result<Around, Error> {
    let reply = sent?;
    decode::series(&reply.response.body, record, records).map_err(|error| reply.misfit(error))
}

impl Reply {
    /// Reads the text, and keeps what came along with it.
    pub(crate) fn into_response<B: Body>(mut self: Box<Self>) -> Result<Response<B>, Error> {
        let (status, mut headers) = (self.response.status, std::mem::take(&mut self.response.headers));
        self.client.credentials().redact_headers(&mut headers);
        Ok(Response::new(status, headers, B::read(Ok(self))?))
    }

    /// Says that the text is not what the endpoint promises.
    #[cold]
    #[allow(clippy::needless_pass_by_value)] // Both callers have done with it.
    fn misfit(self: Box<Self>, error: DecodeError) -> Error {
        let Self { client, call, response, account } = *self;
        let error = Error::decode(&error, response.body.into_bytes());
        error.about(&call).after(account).without_secrets(client.credentials())
    }
}

/// Sends a call and takes its reply.
pub(crate) async fn send(client: Client, call: Call) -> Sent {
    match answer(&client, &call).await {
        Ok((response, account)) => Ok(Box::new(Reply { client, call, response, account })),
        Err(error) => Err(error.about(&call).without_secrets(client.credentials())),
    }
}

async fn answer(client: &Client, call: &Call) -> Result<(Response<String>, Account), Error> {
    call.check()?;
    if tokio::runtime::Handle::try_current().is_err() {
        return Err(Error::build("there is no Tokio runtime; send from `#[tokio::main]` or a task"));
    }
    let mut trip = client.trip(call.endpoint());
    let deadline = trip.deadline();
    let success = success(client, call, &mut trip);
    #[cfg(feature = "tracing")]
    let span = spans::request(call.endpoint());
    #[cfg(feature = "tracing")]
    let success = tracing::Instrument::instrument(success, span.clone());
    let success = match deadline {
        Some(deadline) => tokio::time::timeout_at(deadline, success).await.ok(),
        None => Some(success.await),
    };
    let response = success.unwrap_or_else(|| Err(trip.timed_out(client.credentials()))).and_then(text);
    #[cfg(feature = "tracing")]
    spans::end(&span, response.as_ref().ok().map(|response| response.body.len()), &trip);
    let account = trip.account();
    match response {
        Ok(response) => Ok((response, account)),
        Err(error) => Err(explained(error.after(account), call)),
    }
}

/// A success, after as many attempts as it takes and the rules allow.
async fn success(client: &Client, call: &Call, trip: &mut Trip) -> Result<HttpResponse, Error> {
    let path = call.path_and_query();
    let retries = client.outlet().retries();
    loop {
        let outcome = authorized(client, &path, trip).await;
        match outcome.and_then(|response| status::accept(response, SERVICE.errors)) {
            Ok(response) => {
                retries.succeeded();
                return Ok(response);
            }
            // Whoever fetched the token has tried again already.
            Err(error) if error.is_token() => return Err(error),
            Err(error) => trip.retry(retries, error).await?,
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
async fn authorized(client: &Client, path: &str, trip: &mut Trip) -> Result<HttpResponse, Error> {
    let (token, response) = exchange(client, path, trip).await?;
    match token {
        Some(refused) if response.status == 401 => {
            client.credentials().invalidate(&refused);
            Ok(exchange(client, path, trip).await?.1)
        }
        _ => Ok(response),
    }
}

/// Sends the request with whatever token there is.
///
/// One that expired or was refused while the request waited at the gate is replaced first: at once if
/// there is another, else without a turn in hand. What comes then is used as it is, since a token may live
/// for less time than the gate takes.
async fn exchange(client: &Client, path: &str, trip: &mut Trip) -> Result<(Option<Arc<Token>>, HttpResponse), Error> {
    let (credentials, outlet) = (client.credentials(), client.outlet());
    let mut token = credentials.token(outlet, trip).await?;
    let mut pass = outlet.enter(trip).await?;
    if token.is_some() {
        token = credentials.working_token();
        if token.is_none() {
            pass.give_back();
            token = credentials.token(outlet, trip).await?;
            pass = outlet.enter(trip).await?;
        }
    }
    let response = outlet.get(path, credentials.headers(token.as_ref()), pass, trip).await?;
    Ok((token, response))
}

/// Its headers may repeat a secret, as nothing is masked yet.
impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reply(..)")
    }
}

/// Adds what the catalogue can tell about params that the service may have refused.
fn explained(error: Error, call: &Call) -> Error {
    // By their meaning in HTTP; what a service means by others is for its catalogue to say.
    if error.is_token() || !matches!(error.status(), Some(400 | 422)) {
        return error;
    }
    let params = || call.endpoint().params.unwrap_or_default().iter();
    let missing = params().filter(|param| !call.sets(param.wire_name)).filter_map(|param| {
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

    /// What is added to an error with this status and advice about a call with these params.
    fn check(status: u16, advice: &str, set: &[&'static str]) -> String {
        let mut call = Call::new(BOOK);
        for name in set {
            call.set(Cow::Borrowed(name), "1".to_owned());
        }
        let error = Error::new(ErrorKind::Status, "no").with_status(status, None).with_hint(advice);
        explained(error, &call).to_string()
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
        assert_eq!(explained(error, &Call::new(PING)).to_string(), "no; look twice");
    }
}
