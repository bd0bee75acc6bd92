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
use crate::registry::{Evidence, Range};
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
    // By their meaning in HTTP; what a service means by others is for its catalogue to say.
    if !matches!(error.status(), Some(400 | 422)) {
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
