//! The base URL and the credentials: the API key, the token flow with its reply and its errors, and the environment
//! variables that hold them.
//!
//! What the client does with them is the same for every service, so those sentences stand here and in no catalogue.

use super::{known, tables};
use crate::emit::docs::{code, joined, prose};
use crate::model::{ClientCredentials, Service};

/// The section on the base URL.
pub(super) fn base_url(service: &Service) -> String {
    let mut text = "\n## Base URL\n\nYou give the base URL. The paths on these pages stand below it.\n".to_owned();
    if !service.base_url_suffix.is_empty() {
        let evidence = service.base_url_evidence.map(|evidence| format!(" {}", known(evidence))).unwrap_or_default();
        let suffix = code(&service.base_url_suffix);
        text += &format!("It ends in {suffix}.{evidence} A path may begin with that too.\n");
    }
    text
}

/// The section on the credentials.
pub(super) fn credentials(service: &Service) -> String {
    let key = service.api_key.as_ref().map(|key| {
        let behind =
            if key.prefix.is_empty() { String::new() } else { format!(", behind {}", code(key.prefix.trim())) };
        let optional = if key.optional { " Requests are answered without it too." } else { "" };
        format!("- An API key in the header {}{behind}.{optional} {}\n", code(&key.header), known(key.evidence))
    });
    let token = service.client_credentials.as_ref().map(|flow| {
        let beside = if service.api_key.is_some() { ", beside the API key" } else { "" };
        format!("- A bearer token in the header `authorization`{beside}. {}\n", known(flow.evidence))
    });
    let headers = service.headers.iter().map(|header| {
        let always = format!("The header {} is always {}.", code(&header.name), code(&header.value));
        format!("- {}\n", joined([always, prose(&header.summary), known(header.evidence)]))
    });
    let list: String = key.into_iter().chain(token).chain(headers).collect();
    let list = if list.is_empty() { list } else { format!("\n## Credentials\n\n{list}") };
    let flow = service.client_credentials.as_ref().map(|flow| token_flow(service, flow));
    list + &flow.unwrap_or_default()
}

/// The request for a token, its reply, and the causes of errors.
fn token_flow(service: &Service, flow: &ClientCredentials) -> String {
    let key = if service.api_key.is_some() { ", the API key" } else { "" };
    let printed = format!("It is printed as \u{201c}{}\u{201d}.", prose(&flow.label));
    let parts = [
        format!(
            "{} gives a token, by the client credentials grant of OAuth 2.0.",
            code(&format!("POST {}", flow.path))
        ),
        printed,
        prose(&flow.notes),
    ];
    let mut text = format!(
        "\n### Token flow\n\n{}\n\n\
         The client asks for a token if it has a client id and a client secret. It asks again before the token expires, \
         and when a request is answered with 401.\n\
         The request carries client id, colon and client secret in base64 as `authorization: Basic …`{key}, and the form \
         `grant_type=client_credentials` as its body.\n",
        joined(parts)
    );
    if !flow.reply.is_empty() {
        text += &format!("The reply is one object:\n\n{}", tables::fields(flow.reply.iter()));
    }
    if !flow.errors.is_empty() {
        text += &format!("\nThe errors of this request:\n\n{}", tables::statuses(&flow.errors));
    }
    text
}

/// The variables that `Client::from_env` reads, by their full names.
pub(super) fn environment(service: &Service) -> String {
    let variable = |name: &str| code(&format!("{}_{name}", service.env_prefix));
    let mut rows = vec![tables::row([variable("BASE_URL"), "the base URL".to_owned()])];
    if let Some(key) = &service.api_key {
        let optional = if key.optional { ", if you have one" } else { "" };
        rows.push(tables::row([variable("API_KEY"), format!("the API key{optional}")]));
    }
    if service.client_credentials.is_some() {
        rows.push(tables::row([variable("CLIENT_ID"), "the client id, for the token flow".to_owned()]));
        rows.push(tables::row([variable("CLIENT_SECRET"), "the client secret, for the token flow".to_owned()]));
    }
    let table = tables::table(["variable", "holds"], rows.into_iter());
    format!("\n## Environment\n\n`Client::from_env`, and so every program on these pages, reads:\n\n{table}")
}
