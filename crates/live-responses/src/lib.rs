//! Requests endpoints of any catalogue with the runtime's untyped client, and saves what the service answers.
//!
//! No emitted code is used, so `cargo xtask learn --live` and `cargo xtask drift --live` work for any catalogue, also if its
//! client does not compile. The requests are sent one after another, within the rate limit of the service.

mod param_values;

mod selection;

use std::path::Path;
use std::{fs, io};

use runtime::registry::{BodyFormat, BodyInfo, EndpointInfo};
use runtime::{AnyClient, ErrorKind};

use param_values::values_for;
pub use selection::{Selection, check_params};

/// What the request of an endpoint led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The body of a successful response, as the service sent it.
    Body(String),
    /// The request failed.
    Failed(String),
    /// No request was sent.
    Skipped(String),
}

/// An endpoint with what its request led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The group and the method, for example `market.ratio`.
    pub endpoint: String,
    /// The answer.
    pub answer: Answer,
}

/// Requests each of the endpoints once. `params` are sent to every endpoint that has them. After a failure to connect, the
/// other endpoints are skipped.
pub async fn request_all(
    client: &AnyClient,
    endpoints: &[&'static EndpointInfo],
    params: &[(String, String)],
) -> Vec<Answered> {
    let mut answered = Vec::new();
    let mut is_unreachable = false;
    for endpoint in endpoints {
        let answer = if is_unreachable {
            Answer::Skipped("not requested, because the service cannot be reached".to_owned())
        } else {
            request(client, endpoint, params, &mut is_unreachable).await
        };
        answered.push(Answered { endpoint: endpoint.to_string(), answer });
    }
    answered
}

async fn request(
    client: &AnyClient,
    endpoint: &'static EndpointInfo,
    params: &[(String, String)],
    is_unreachable: &mut bool,
) -> Answer {
    let values = match values_for(endpoint, params) {
        Ok(values) => values,
        Err(param) => {
            return Answer::Skipped(format!(
                "no value of its param `{param}` is known; pass `--param {param}=VALUE`, or add an `example`"
            ));
        }
    };
    // Without a declared body, any response without an error is a success, in any format.
    let untyped = EndpointInfo { body: BodyInfo::Unknown, format: BodyFormat::Text, ..*endpoint };
    let untyped: &'static EndpointInfo = Box::leak(Box::new(untyped));
    let mut request = client.endpoint(untyped);
    for (name, value) in values {
        request = request.query(name, value);
    }
    match request.text().await {
        Ok(body) => Answer::Body(body),
        Err(error) => {
            *is_unreachable = error.kind() == ErrorKind::Connect;
            Answer::Failed(error.to_string())
        }
    }
}

/// Writes a file for each endpoint: `NAME.json` with the response as `curl -i` prints it, or `NAME.failed` or
/// `NAME.skipped` with the reason. Headers are not saved, because they can contain credentials.
pub fn save(folder: &Path, answered: &[Answered]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for Answered { endpoint, answer } in answered {
        let (extension, text) = match answer {
            Answer::Body(body) => ("json", format!("HTTP/1.1 200 OK\n\n{body}")),
            Answer::Failed(why) => ("failed", why.clone()),
            Answer::Skipped(why) => ("skipped", why.clone()),
        };
        fs::write(folder.join(format!("{endpoint}.{extension}")), text)?;
    }
    Ok(())
}
