//! The way of a request: check, credentials, gate, outlet, status, text; again if that helps.
//!
//! A call comes in, the text of a reply goes out. Compiled once for all endpoints; reading the text as
//! the type that an endpoint promises is the caller's last step.

use std::sync::Arc;

use crate::SERVICE;
use crate::call::Call;
use crate::check;
use crate::client::Client;
use crate::decode::DecodeError;
use crate::error::{Error, ErrorKind};
use crate::registry::Range;
#[cfg(feature = "tracing")]
use crate::spans;
use crate::status;
use crate::token::Token;
use crate::transport::HttpResponse;
use crate::trip::{Account, Trip};

/// The text of a successful reply, and what an error about it has to say.
pub(crate) struct Reply {
    client: Client,
    call: Call,
    text: String,
    account: Account,
}

impl Reply {
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Says that the text is not what the endpoint promises.
    #[cold]
    pub(crate) fn misfit(self, error: &DecodeError) -> Error {
        let error = Error::decode(error, self.text.into_bytes());
        error.about(&self.call).after(self.account).without_secrets(self.client.credentials())
    }
}

/// Sends a call and takes its reply.
pub(crate) async fn send(client: Client, call: Call) -> Result<Reply, Error> {
    match text(&client, &call).await {
        Ok((text, account)) => Ok(Reply { client, call, text, account }),
        Err(error) => Err(error.about(&call).without_secrets(client.credentials())),
    }
}

async fn text(client: &Client, call: &Call) -> Result<(String, Account), Error> {
    call.check()?;
    if tokio::runtime::Handle::try_current().is_err() {
        return Err(Error::build("there is no Tokio runtime; send from `#[tokio::main]` or a task"));
    }
    let mut trip = client.trip(call.endpoint());
    let deadline = trip.deadline();
    let body = body(client, call, &mut trip);
    #[cfg(feature = "tracing")]
    let span = spans::request(call.endpoint());
    #[cfg(feature = "tracing")]
    let body = tracing::Instrument::instrument(body, span.clone());
    let body = match deadline {
        Some(deadline) => tokio::time::timeout_at(deadline, body).await.ok(),
        None => Some(body.await),
    };
    let text = body.unwrap_or_else(|| Err(trip.timed_out(client.credentials()))).and_then(utf8);
    #[cfg(feature = "tracing")]
    spans::end(&span, text.as_ref().ok().map(String::len), &trip);
    let account = trip.account();
    match text {
        Ok(text) => Ok((text, account)),
        Err(error) => Err(explained(error.after(account), call)),
    }
}

/// The body of a success, after as many attempts as it takes and the rules allow.
async fn body(client: &Client, call: &Call, trip: &mut Trip) -> Result<Vec<u8>, Error> {
    let path = call.path_and_query();
    let retries = client.outlet().retries();
    loop {
        let outcome = authorized(client, &path, trip).await;
        match outcome.and_then(|response| status::accept(response, SERVICE.errors)) {
            Ok(body) => {
                retries.succeeded();
                return Ok(body);
            }
            // Whoever fetched the token has tried again already.
            Err(error) if error.is_token() => return Err(error),
            Err(error) => trip.retry(retries, error).await?,
        }
    }
}

fn utf8(body: Vec<u8>) -> Result<String, Error> {
    String::from_utf8(body).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let message = format!("the body is not UTF-8 from byte {at} on");
        Error::new(ErrorKind::Decode, message).with_body(error.into_bytes())
    })
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

/// Adds what the catalogue can tell about params that the service may have refused.
fn explained(error: Error, call: &Call) -> Error {
    if error.status() != Some(422) {
        return error;
    }
    let params = || call.endpoint().params.unwrap_or_default().iter();
    let required = params().filter(|param| param.required.is_some());
    let required: Vec<_> = required.map(|param| format!("`{}`", param.wire_name)).collect();
    let limited = params().filter(|param| param.range != Range::ALL);
    let limited = limited.map(|param| format!("`{}` is limited to {}", param.wire_name, check::bounds(param.range)));
    let required = Some(format!("reported as required: {}", required.join(", "))).filter(|_| !required.is_empty());
    error.with_hint(required.into_iter().chain(limited).collect::<Vec<_>>().join("; "))
}
