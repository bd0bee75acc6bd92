//! Requests one endpoint, or with `--untyped` every endpoint whose fields are unknown, and saves the responses in a
//! folder: `save_responses FOLDER orderflow.buy_volume coin=BTC limit=5`.
//!
//! [`Client::from_env`] reads the base URL and the credentials. One client sends all requests, so that they share the
//! rate limit and the token. A file has the name of its endpoint and contains the body, but no header, because headers
//! may contain credentials.
//!
//! `cargo xtask learn --live` runs this program instead of calling the client: `xtask` generates the client, so `xtask`
//! must build even if the client does not.

#![expect(clippy::print_stderr, reason = "this is a program")]

use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

use generated_client::registry::{BodyInfo, EndpointInfo};
use generated_client::{AnyBody, Client, ErrorKind, REGISTRY};

type Endpoints = Vec<&'static EndpointInfo>;

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match save(&arguments).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Sends the requests. An endpoint that fails is reported and skipped; after a failure to connect, the remaining
/// endpoints are skipped too.
async fn save(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let [folder, wanted, params @ ..] = arguments else {
        return Err("pass a folder, an endpoint or `--untyped`, and params like coin=BTC".into());
    };
    let endpoints = selected(REGISTRY.endpoints(), wanted)?;
    let params = pairs(params, &endpoints)?;
    let client = Client::from_env()?;
    let mut saved = 0;
    for endpoint in &endpoints {
        match body(&client, endpoint, &params).await {
            Ok(body) => {
                let shown: Vec<_> = body.lines().take(if wanted == "--untyped" { 4 } else { 24 }).collect();
                eprintln!("{endpoint}:\n{}\n", shown.join("\n"));
                // The client returns a body only for a success, so the response is recorded with the status 200.
                fs::write(Path::new(folder).join(format!("{endpoint}.json")), format!("HTTP/1.1 200 OK\n\n{body}"))?;
                saved += 1;
            }
            Err(error) => {
                eprintln!("{endpoint}: skipped: {error:?}");
                if error.kind() == ErrorKind::Connect {
                    eprintln!("the remaining endpoints are skipped too");
                    break;
                }
            }
        }
    }
    if saved == 0 && !endpoints.is_empty() {
        return Err("no endpoint returned a response; the reasons are listed above".into());
    }
    Ok(())
}

/// Returns the endpoints to request: all endpoints with a path whose fields are unknown, or the endpoint with a path or
/// name.
fn selected(all: impl Iterator<Item = &'static EndpointInfo>, wanted: &str) -> Result<Endpoints, String> {
    if wanted == "--untyped" {
        let is_untyped = |body| matches!(body, BodyInfo::Unknown | BodyInfo::Series { record: None, .. });
        return Ok(all.filter(|endpoint| endpoint.path.is_some() && is_untyped(endpoint.body)).collect());
    }
    let is_wanted = |endpoint: &&EndpointInfo| {
        endpoint.path == Some(wanted)
            || [endpoint.name, endpoint.ident].contains(&wanted)
            || endpoint.to_string() == wanted
    };
    let found: Endpoints = all.filter(is_wanted).collect();
    match &found[..] {
        [] => Err(format!("the client has no endpoint `{wanted}`; `cargo xtask codegen` adds new endpoints to it")),
        [one] if one.path.is_none() => {
            let (group, name) = (one.group, one.name);
            Err(format!("`{wanted}` has no path; `cargo xtask add PATH --group {group} --name \"{name}\"` adds one"))
        }
        [_] => Ok(found),
        several => {
            let names: Vec<_> = several.iter().map(|endpoint| format!("`{endpoint}`")).collect();
            Err(format!("`{wanted}` is ambiguous: {}", names.join(" or ")))
        }
    }
}

/// Splits params at `=`, and rejects a param that none of the endpoints has. Otherwise, a misspelt param would be
/// omitted from every request without an error.
fn pairs<'p>(params: &'p [String], endpoints: &[&EndpointInfo]) -> Result<Vec<(&'p str, &'p str)>, String> {
    let known: BTreeSet<&str> =
        endpoints.iter().flat_map(|endpoint| endpoint.params()).map(|param| param.wire_name).collect();
    let are_unknown = endpoints.iter().all(|endpoint| endpoint.param_lists.is_none());
    let pair = |param: &'p String| {
        let (name, value) = param.split_once('=').ok_or_else(|| format!("`{param}`: expected NAME=VALUE"))?;
        if are_unknown || known.contains(name) {
            return Ok((name, value));
        }
        let known: Vec<_> = known.iter().map(|name| format!("`{name}`")).collect();
        let help = if known.is_empty() { "the catalogue lists no params" } else { "known params: " };
        Err(format!("`{name}` is not a param of the requested endpoints; {help}{}", known.join(", ")))
    };
    params.iter().map(pair).collect()
}

/// Requests an endpoint with those of the params that it has, and returns the entire body unchanged.
async fn body(
    client: &Client,
    endpoint: &'static EndpointInfo,
    params: &[(&str, &str)],
) -> Result<String, generated_client::Error> {
    // Without a declared body, the client returns the body as received.
    let untyped = Box::leak(Box::new(EndpointInfo { body: BodyInfo::Unknown, ..*endpoint }));
    let is_param = |name: &str| endpoint.param_lists.is_none() || endpoint.param(name).is_some();
    let params = params.iter().filter(|(name, _)| is_param(name));
    let request = params.fold(client.endpoint(untyped), |request, (name, value)| request.query(*name, *value));
    Ok(match request.await? {
        AnyBody::Any(body) => format!("{body:#}"),
        known => format!("{known:?}"),
    })
}

#[cfg(test)]
mod tests {
    use generated_client::registry::{Evidence, ParamInfo, ValueType};

    use super::*;

    const fn endpoint(ident: &'static str, params: Option<&'static [&'static [ParamInfo]]>) -> EndpointInfo {
        EndpointInfo::of("books", ident).path(Some("/books")).param_lists(params)
    }

    const fn param(name: &'static str) -> ParamInfo {
        ParamInfo::new(name, name, ValueType::String, Evidence::Documented)
    }

    static ALL: [EndpointInfo; 4] = [
        endpoint("limits", Some(&[&[param("limits")], &[param("coin")]])),
        endpoint("none", Some(&[])),
        endpoint("unknown", None),
        endpoint("without_path", None).path(None),
    ];

    #[test]
    fn endpoint_is_found_by_path_or_name() {
        let found = |wanted: &str| {
            let found = selected(ALL.iter(), wanted);
            found.map(|found| found.iter().map(|endpoint| endpoint.ident).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(found("books.limits").as_deref(), Ok("limits"));
        assert_eq!(found("--untyped").as_deref(), Ok("limits none unknown"));
        for (wanted, expected) in [
            ("/books", "`/books` is ambiguous: `books.limits` or `books.none` or `books.unknown`"),
            ("/other", "the client has no endpoint `/other`; `cargo xtask codegen` adds new endpoints to it"),
            (
                "without_path",
                "`without_path` has no path; `cargo xtask add PATH --group books --name \"without_path\"` adds one",
            ),
        ] {
            assert_eq!(found(wanted), Err(expected.to_owned()));
        }
    }

    #[test]
    fn param_that_no_endpoint_has_is_rejected() {
        let [limits, none, unknown, _] = &ALL;
        let rejected = "`limit` is not a param of the requested endpoints; ";
        let table = [
            (vec![limits], "limit=5", Err(format!("{rejected}known params: `coin`, `limits`"))),
            (vec![limits, unknown], "limit=5", Err(format!("{rejected}known params: `coin`, `limits`"))),
            (vec![none], "limit=5", Err(format!("{rejected}the catalogue lists no params"))),
            (vec![unknown], "limit=5", Ok(vec![("limit", "5")])),
            (vec![none, limits], "coin=a=b", Ok(vec![("coin", "a=b")])),
            (vec![limits], "coin", Err("`coin`: expected NAME=VALUE".to_owned())),
        ];
        for (endpoints, param, expected) in table {
            assert_eq!(pairs(&[param.to_owned()], &endpoints), expected);
        }
    }
}
