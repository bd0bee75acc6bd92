//! Requests endpoints of any catalogue with the runtime's untyped client, and saves what the service answers.
//!
//! No emitted code is used, so `cargo xtask drift --live` works for any catalogue, also if its client does not compile.
//! The requests are sent one after another, within the rate limit of the service.

mod param_values;

use std::path::Path;
use std::{fs, io};

use runtime::registry::{BodyInfo, EndpointInfo, Registry};
use runtime::{AnyBody, AnyClient, ErrorKind};

use param_values::values_for;

/// What the request of an endpoint led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The body of a successful response.
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

/// Requests each endpoint with a path once; `wanted` restricts them to one path, name, or group and method. `params` are
/// sent to every endpoint that has them. After a failure to connect, the other endpoints are skipped.
pub async fn request_all(
    client: &AnyClient,
    registry: &Registry,
    wanted: Option<&str>,
    params: &[(String, String)],
) -> Vec<Answered> {
    let mut answered = Vec::new();
    let mut is_unreachable = false;
    for endpoint in registry.endpoints().filter(|endpoint| endpoint.path.is_some()) {
        if wanted.is_some_and(|wanted| !is_named(endpoint, wanted)) {
            continue;
        }
        let answer = if is_unreachable {
            Answer::Skipped("not requested, because the service cannot be reached".to_owned())
        } else {
            request(client, endpoint, params, &mut is_unreachable).await
        };
        answered.push(Answered { endpoint: endpoint.to_string(), answer });
    }
    answered
}

fn is_named(endpoint: &EndpointInfo, wanted: &str) -> bool {
    let names = [endpoint.name, endpoint.ident];
    endpoint.path == Some(wanted) || names.contains(&wanted) || endpoint.to_string() == wanted
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
    // Without a declared body, the client returns every body as it was received.
    let untyped: &'static EndpointInfo = Box::leak(Box::new(EndpointInfo { body: BodyInfo::Unknown, ..*endpoint }));
    let mut request = client.endpoint(untyped);
    for (name, value) in values {
        request = request.query(name, value);
    }
    match request.await {
        Ok(AnyBody::Any(body)) => Answer::Body(format!("{body:#}")),
        Ok(other) => Answer::Failed(format!("unexpected body: {other:?}")),
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
