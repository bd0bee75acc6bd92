//! Reads the credentials of a description, as far as the client supports them.

use catalogue::spec::{ApiKey, ClientCredentials, Credentials, Evidence};
use catalogue::{is_line, may_carry_key, url_path};
use serde_yaml::{Mapping, Value};

use super::description_reader::DescriptionReader;
use super::omissions::Weight;
use super::tree::{entries, text, text_or_empty};

impl DescriptionReader<'_> {
    /// The credentials of the description. Every base URL ends in `suffix`. The catalogue has one API key and one token
    /// flow; further schemes are noted.
    pub(super) fn credentials(&mut self, suffix: &str) -> Credentials {
        let mut found = Credentials::default();
        let Some(components) = self.document.root.get("components") else { return found };
        let evidence = self.options.evidence;
        let optional = self.has_open_operation();
        let schemes = entries(components, "securitySchemes");
        let has_flow = schemes.iter().any(|(_, scheme)| scheme.get("flows").is_some());
        for (name, scheme) in schemes {
            let pointer = format!("#/components/securitySchemes/{name}");
            let Some(resolved) = self.resolve(scheme, &pointer) else { continue };
            let scheme = resolved.value;
            let flow = scheme.get("flows").and_then(|flows| flows.get("clientCredentials"));
            if let (Some(key), None) = (key_of(scheme, has_flow), &found.api_key) {
                found.api_key = Some(ApiKey { optional, evidence, ..key });
            } else if let (Some(flow), None) = (flow, &found.client_credentials) {
                found.client_credentials = token_flow(flow, evidence, suffix);
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

    /// `true` if an operation needs no credentials: its security requirements, or else those of the description, are empty or
    /// contain an empty one. A description that declares no requirement at all states nothing about credentials.
    fn has_open_operation(&self) -> bool {
        let shared = self.document.root.get("security");
        let mut is_stated = shared.is_some();
        let mut has_open = shared.is_some_and(is_open);
        for get in self.document.gets() {
            match get.operation.get("security").or(shared) {
                Some(requirements) => {
                    is_stated = true;
                    has_open |= is_open(requirements);
                }
                None => has_open = true,
            }
        }
        is_stated && has_open
    }
}

/// `true` if security requirements can be met without credentials.
fn is_open(requirements: &Value) -> bool {
    let Value::Sequence(alternatives) = requirements else { return true };
    for alternative in alternatives {
        if alternative.as_mapping().is_some_and(Mapping::is_empty) {
            return true;
        }
    }
    alternatives.is_empty()
}

/// The part of a request that carries the API key. If a flow issues tokens, the `Authorization` header is reserved for
/// them.
fn key_of(scheme: &Value, has_flow: bool) -> Option<ApiKey> {
    let mut key = ApiKey::default();
    match text(scheme, "type")? {
        "http" if !has_flow => match text(scheme, "scheme")?.to_ascii_lowercase().as_str() {
            "bearer" => {
                key.header = Some("Authorization".into());
                key.prefix = Some("Bearer ".to_owned());
            }
            "basic" => key.basic = Some(true.into()),
            _ => return None,
        },
        "apiKey" => {
            let name = text_or_empty(scheme, "name");
            match text(scheme, "in")? {
                "header" if may_carry_key(name) => key.header = Some(name.into()),
                "query" if is_line(name) => key.query = Some(name.into()),
                _ => return None,
            }
        }
        _ => return None,
    }
    Some(key)
}

/// The flow that returns an access token; `None` if the path of the token is invalid or not below the base URL.
fn token_flow(flow: &Value, evidence: Evidence, suffix: &str) -> Option<ClientCredentials> {
    let url = text(flow, "tokenUrl")?;
    url_path::check(url, false).ok()?;
    // Every base URL already ends in `suffix`, so the path of the token must not contain it again.
    let path = url.strip_prefix(suffix)?;
    if !path.starts_with('/') {
        return None;
    }
    Some(ClientCredentials { path: path.into(), label: "Token".to_owned(), evidence, ..ClientCredentials::default() })
}
