//! The way of a request: check, credentials, outlet, status, text.
//!
//! A call comes in, the text of a reply goes out. Compiled once for all endpoints; reading the text as
//! the type that an endpoint promises is the caller's last step.

use crate::SERVICE;
use crate::call::Call;
use crate::check;
use crate::client::Client;
use crate::decode::DecodeError;
use crate::error::{Error, ErrorKind};
use crate::registry::Range;
use crate::status;
use crate::transport::HttpResponse;

/// The text of a successful reply, and what an error about it has to say.
pub(crate) struct Reply {
    client: Client,
    call: Call,
    text: String,
}

impl Reply {
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Says that the text is not what the endpoint promises.
    #[cold]
    pub(crate) fn misfit(self, error: &DecodeError) -> Error {
        let error = Error::decode(error, self.text.into_bytes());
        error.about(&self.call).without_secrets(self.client.credentials())
    }
}

/// Sends a call and takes its reply.
pub(crate) async fn send(client: Client, call: Call) -> Result<Reply, Error> {
    match text(&client, &call).await {
        Ok(text) => Ok(Reply { client, call, text }),
        Err(error) => Err(error.about(&call).without_secrets(client.credentials())),
    }
}

async fn text(client: &Client, call: &Call) -> Result<String, Error> {
    call.check()?;
    let response = authorized(client, &call.path_and_query()).await?;
    let body = status::accept(response, SERVICE.errors).map_err(|error| explained(error, call))?;
    String::from_utf8(body).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let message = format!("the body is not UTF-8 from byte {at} on");
        Error::new(ErrorKind::Decode, message).with_body(error.into_bytes())
    })
}

/// Asks for a path; once more if a token was refused that another can replace.
async fn authorized(client: &Client, path: &str) -> Result<HttpResponse, Error> {
    let (credentials, outlet) = (client.credentials(), client.outlet());
    let token = credentials.token(outlet).await?;
    let response = outlet.get(path, credentials.headers(token.as_ref())).await?;
    match token {
        Some(refused) if response.status == 401 => {
            credentials.invalidate(&refused);
            let token = credentials.token(outlet).await?;
            outlet.get(path, credentials.headers(token.as_ref())).await
        }
        _ => Ok(response),
    }
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
