//! Converts security schemes to credentials, if the client supports their kind.

use codegen::{is_line, may_carry_key, url_path};
use serde_yaml::{Mapping, Value};

use super::Reader;
use super::document::{entries, items, text};
use super::omissions::Weight;
use crate::yaml_tree::Tree;

/// Returns `true` if an empty security requirement declares that credentials are optional.
pub(super) fn is_optional(root: &Value) -> bool {
    items(root, "security").iter().any(|one| one.as_mapping().is_some_and(Mapping::is_empty))
}

impl Reader<'_> {
    pub(super) fn credentials(&mut self, evidence: &str, base: &str) -> Option<Tree> {
        let components = &self.document.root.get("components")?;
        let (mut key, mut token) = (None, None);
        let is_optional = is_optional(&self.document.root);
        let has_flow = entries(components, "securitySchemes").any(|(_, scheme)| scheme.get("flows").is_some());
        for (name, scheme) in entries(components, "securitySchemes") {
            let pointer = format!("#/components/securitySchemes/{name}");
            let Some((scheme, _)) = self.resolve(scheme, &pointer) else { continue };
            let flow = scheme.get("flows").and_then(|flows| flows.get("clientCredentials"));
            // The catalogue has one API key and one token flow. Further schemes are reported as not imported.
            if let (Some(carrier), None) = (key_carrier(scheme, has_flow), &key) {
                key = Some(carrier.with_some("optional", is_optional.then_some(true)).with("evidence", evidence));
            } else if let (Some(flow), None) = (flow, &token) {
                token = token_flow(flow, evidence, base);
                if token.is_none() {
                    let why = "a token path that is invalid or not below the base URL";
                    self.omissions.add(Weight::Missing, why, &pointer);
                }
            } else {
                self.omissions.add(Weight::Missing, "an unsupported security scheme", &pointer);
            }
        }
        let credentials = Tree::map().with_some("api_key", key).with_some("client_credentials", token);
        (credentials != Tree::map()).then_some(credentials)
    }
}

/// Returns the part of a request that carries the API key. If a flow issues tokens, the `Authorization` header is
/// reserved for them.
fn key_carrier(scheme: &Value, has_flow: bool) -> Option<Tree> {
    let (name, part) = (text(scheme, "name").unwrap_or_default(), text(scheme, "in"));
    let http = text(scheme, "scheme").unwrap_or_default().to_ascii_lowercase();
    match (text(scheme, "type")?, http.as_str()) {
        ("http", "bearer") if !has_flow => Some(Tree::map().with("header", "Authorization").with("prefix", "Bearer ")),
        ("http", "basic") if !has_flow => Some(Tree::map().with("basic", true)),
        ("apiKey", _) if part == Some("header") && may_carry_key(name) => Some(Tree::map().with("header", name)),
        ("apiKey", _) if part == Some("query") && !name.is_empty() && is_line(name) => {
            Some(Tree::map().with("query", name))
        }
        _ => None,
    }
}

/// Converts the flow that returns an access token. Returns `None` if the path of the token is invalid or not below the
/// base URL.
fn token_flow(flow: &Value, evidence: &str, base: &str) -> Option<Tree> {
    let url = text(flow, "tokenUrl")?;
    url_path::check(url, false).ok()?;
    // Every base URL already ends in `base`, so the path of the token must not contain `base` again.
    let url = url.strip_prefix(base).filter(|rest| rest.starts_with('/'))?;
    Some(Tree::map().with("path", url).with("label", "Token").with("evidence", evidence))
}
