//! Emits the sections on the base URL, the credentials, the token flow, and the environment variables that configure
//! all of these.
//!
//! These texts are not in the catalogue, because the client handles credentials in the same way for every service.

use super::{source, tables};
use crate::emit::docs::{code, joined, prose};
use crate::model::{ClientCredentials, KeyCarrier, Service};

/// Returns the section on the base URL.
pub(super) fn base_url(service: &Service) -> String {
    let mut text = "All paths are relative to the base URL, which you configure.\n".to_owned();
    if let Some(base_url) = &service.base_url {
        let (suffix, source) = (code(&base_url.suffix), source(base_url.evidence));
        text += &format!("The base URL ends in {suffix}. Paths may begin with {suffix} too. {source}\n");
    }
    text
}

/// Returns the section on the credentials.
pub(super) fn credentials(service: &Service) -> String {
    let key = service.api_key.as_ref().map(|key| {
        let carrier = match &key.carrier {
            KeyCarrier::Header { name, prefix } if prefix.is_empty() => {
                format!("An API key in the header {}", code(name))
            }
            KeyCarrier::Header { name, prefix } => {
                format!("An API key in the header {}, after {}", code(name), code(prefix.trim()))
            }
            KeyCarrier::Basic => format!("An API key, {}, for HTTP Basic authentication", code("name:password")),
            KeyCarrier::Query(name) => format!("An API key in the query param {}", code(name)),
        };
        let optional = if key.optional { " It is optional." } else { "" };
        format!("- {carrier}.{optional} {}\n", source(key.evidence))
    });
    let token = service.credentials.client_credentials.as_ref().map(|flow| {
        let added = if service.api_key.is_some() { ", in addition to the API key" } else { "" };
        format!("- A bearer token in the header `authorization`{added}. {}\n", source(flow.evidence))
    });
    let headers = service.headers.iter().map(|header| {
        let always = format!(
            "Every request sends the header {} as {}.",
            code(&header.name.to_ascii_lowercase()),
            code(&header.value)
        );
        format!("- {}\n", joined([always, source(header.evidence)]))
    });
    let list: String = key.into_iter().chain(token).chain(headers).collect();
    let flow = service.credentials.client_credentials.as_ref().map(|flow| token_flow(service, flow));
    list + &flow.unwrap_or_default()
}

/// Returns the section on the token request, its response and its errors.
fn token_flow(service: &Service, flow: &ClientCredentials) -> String {
    let key = if service.api_key.is_some() { ", the API key" } else { "" };
    let label = format!("Its label in the API document is \u{201c}{}\u{201d}.", prose(&flow.label));
    let parts = [
        format!(
            "{} returns an access token (OAuth 2.0 client credentials grant).",
            code(&format!("POST {}", flow.path))
        ),
        label,
        prose(&flow.notes),
    ];
    let mut text = format!(
        "\n### Token flow\n\n{}\n\n\
         The client requests a token if it has a client id and a client secret. It requests another before the token \
         expires and after a 401.\n\
         The request sends client id, colon and client secret in base64 as `authorization: Basic …`{key}, and the form \
         `grant_type=client_credentials` as its body.\n",
        joined(parts)
    );
    if !service.token_fields.is_empty() {
        text += &format!("\nFields of the response:\n\n{}", tables::fields(service.token_fields.iter(), false));
    }
    if !flow.errors.is_empty() {
        text += &format!("\nErrors of this request:\n\n{}", tables::statuses(&flow.errors));
    }
    text
}

/// Returns the section on the variables that `Client::from_env` reads, with their full names.
pub(super) fn environment(service: &Service) -> String {
    let variable = |name: &str| code(&format!("{}_{name}", service.env_prefix));
    let mut rows = vec![tables::row([variable("BASE_URL"), "the base URL".to_owned()])];
    if let Some(key) = &service.api_key {
        let optional = if key.optional { ", if you have one" } else { "" };
        rows.push(tables::row([variable("API_KEY"), format!("the API key{optional}")]));
    }
    if service.credentials.client_credentials.is_some() {
        rows.push(tables::row([variable("CLIENT_ID"), "the client id, for the token flow".to_owned()]));
        rows.push(tables::row([variable("CLIENT_SECRET"), "the client secret, for the token flow".to_owned()]));
    }
    let table = tables::table(["variable", "content"], rows.into_iter());
    format!("`Client::from_env`, which every program on these pages calls, reads:\n\n{table}")
}
