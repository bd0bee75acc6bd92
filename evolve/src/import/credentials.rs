//! Converts security schemes to credentials, if the client supports their kind.

use codegen::spec::{ApiKey, ClientCredentials, Credentials, Evidence};
use codegen::{is_line, may_carry_key, url_path};
use serde_yaml::{Mapping, Value};

use super::Reader;
use super::document::{entries, items, text};
use super::omissions::Weight;

impl Reader<'_> {
    /// Returns the credentials of the description. Every base URL ends in `base`.
    pub(super) fn credentials(&mut self, base: &str) -> Credentials {
        let mut found = Credentials::default();
        let root = &self.document.root;
        let Some(components) = root.get("components") else { return found };
        // An empty security requirement declares that credentials are optional.
        let is_empty = |one: &Value| one.as_mapping().is_some_and(Mapping::is_empty);
        let (evidence, optional) = (self.options.evidence, items(root, "security").iter().any(is_empty));
        let has_flow = entries(components, "securitySchemes").any(|(_, scheme)| scheme.get("flows").is_some());
        for (name, scheme) in entries(components, "securitySchemes") {
            let pointer = format!("#/components/securitySchemes/{name}");
            let Some((scheme, _)) = self.resolve(scheme, &pointer) else { continue };
            let flow = scheme.get("flows").and_then(|flows| flows.get("clientCredentials"));
            // The catalogue has one API key and one token flow. Further schemes are reported as not imported.
            if let (Some(key), None) = (key_of(scheme, has_flow), &found.api_key) {
                found.api_key = Some(ApiKey { optional, evidence, ..key });
            } else if let (Some(flow), None) = (flow, &found.client_credentials) {
                found.client_credentials = token_flow(flow, evidence, base);
                if found.client_credentials.is_none() {
                    let why = "a token path that is invalid or not below the base URL";
                    self.omissions.add(Weight::Missing, why, &pointer);
                }
            } else {
                self.omissions.add(Weight::Missing, "an unsupported security scheme", &pointer);
            }
        }
        found
    }
}

/// Returns the part of a request that carries the API key. If a flow issues tokens, the `Authorization` header is
/// reserved for them.
fn key_of(scheme: &Value, has_flow: bool) -> Option<ApiKey> {
    let (name, part) = (text(scheme, "name").unwrap_or_default(), text(scheme, "in"));
    let http = text(scheme, "scheme").unwrap_or_default().to_ascii_lowercase();
    let key = ApiKey::default();
    match (text(scheme, "type")?, http.as_str()) {
        ("http", "bearer") if !has_flow => {
            Some(ApiKey { header: Some("Authorization".into()), prefix: Some("Bearer ".to_owned()), ..key })
        }
        ("http", "basic") if !has_flow => Some(ApiKey { basic: Some(true.into()), ..key }),
        ("apiKey", _) if part == Some("header") && may_carry_key(name) => {
            Some(ApiKey { header: Some(name.into()), ..key })
        }
        ("apiKey", _) if part == Some("query") && !name.is_empty() && is_line(name) => {
            Some(ApiKey { query: Some(name.into()), ..key })
        }
        _ => None,
    }
}

/// Converts the flow that returns an access token. Returns `None` if the path of the token is invalid or not below the
/// base URL.
fn token_flow(flow: &Value, evidence: Evidence, base: &str) -> Option<ClientCredentials> {
    let url = text(flow, "tokenUrl")?;
    url_path::check(url, false).ok()?;
    // Every base URL already ends in `base`, so the path of the token must not contain `base` again.
    let path = url.strip_prefix(base).filter(|rest| rest.starts_with('/'))?.into();
    Some(ClientCredentials { path, label: "Token".to_owned(), evidence, ..ClientCredentials::default() })
}
