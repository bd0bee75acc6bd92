//! Reads the credentials of a description, as far as the client supports them.

use std::cmp::Reverse;
use std::collections::HashMap;

use catalogue::spec::{ApiKey, ClientCredentials, Credentials};
use catalogue::{is_line, may_carry_key, url_path};
use serde_yaml::{Mapping, Value};

use super::description_reader::DescriptionReader;
use super::omissions::Weight;
use super::server_address::after_scheme;
use super::tree::{entries, text, text_or_empty};
use crate::json_paths::entries_of;

/// Why a scheme is omitted that the catalogue could have if it had no other one.
const FURTHER: &str = "a further security scheme";

impl<'d> DescriptionReader<'d> {
    /// The credentials of the description. Every base URL ends in `suffix`. The catalogue has one API key and one token
    /// flow; further schemes are noted.
    pub(super) fn credentials(&mut self, suffix: &str) -> Credentials {
        let mut found = Credentials::default();
        let optional = self.has_open_operation();
        let mut schemes = Vec::new();
        for (name, scheme) in self.needed_schemes() {
            let pointer = scheme_pointer(name);
            if let Some(resolved) = self.resolve(scheme, &pointer) {
                schemes.push((pointer, resolved.value));
            }
        }
        // A flow that is added reserves the `Authorization` header, so flows are first.
        schemes.sort_by_key(|(_, scheme)| token_flow(scheme).is_none());
        for (pointer, scheme) in schemes {
            if let Err(why) = self.add_scheme(&mut found, scheme, suffix) {
                self.omissions.add(Weight::Missing, why, &pointer);
            }
        }
        if let Some(key) = &mut found.api_key {
            key.optional = optional;
        }
        found
    }

    /// Adds a scheme to the credentials, or returns why they cannot have it.
    fn add_scheme(&self, found: &mut Credentials, scheme: &Value, suffix: &str) -> Result<(), &'static str> {
        let evidence = self.options.evidence;
        if let Some(flow) = token_flow(scheme) {
            if found.client_credentials.is_some() {
                return Err(FURTHER);
            }
            let path = self.token_path(flow, suffix);
            let path = path.ok_or("a token path that is invalid or not below the base URL")?.into();
            let flow = ClientCredentials { path, label: "Token".to_owned(), evidence, ..ClientCredentials::default() };
            found.client_credentials = Some(flow);
            return Ok(());
        }
        let has_flow = found.client_credentials.is_some();
        let key = key_of(scheme, has_flow).ok_or("an unsupported security scheme")?;
        if found.api_key.is_some() {
            return Err(FURTHER);
        }
        found.api_key = Some(ApiKey { evidence, ..key });
        Ok(())
    }

    /// The schemes that operations need, the most frequent first; all of them if no requirement names one of them. Others
    /// are noted.
    fn needed_schemes(&mut self) -> Vec<(&'d str, &'d Value)> {
        let Some(components) = self.document.root.get("components") else { return Vec::new() };
        let counts = self.requirements();
        let mut schemes = entries(components, "securitySchemes");
        if schemes.iter().all(|(name, _)| !counts.contains_key(name)) {
            return schemes;
        }
        for (name, _) in &schemes {
            if !counts.contains_key(name) {
                let why = "a security scheme that no imported request needs";
                self.omissions.add(Weight::Aside, why, &scheme_pointer(name));
            }
        }
        schemes.retain(|(name, _)| counts.contains_key(name));
        schemes.sort_by_key(|(name, _)| Reverse(counts.get(name)));
        schemes
    }

    /// The names of schemes, each with the number of operations that need it.
    fn requirements(&self) -> HashMap<&'d str, usize> {
        let shared = self.document.root.get("security");
        let mut counts = HashMap::new();
        for get in self.document.gets() {
            let Some(Value::Sequence(alternatives)) = get.operation.get("security").or(shared) else { continue };
            for alternative in alternatives {
                for (name, _) in entries_of(alternative) {
                    *counts.entry(name).or_default() += 1;
                }
            }
        }
        counts
    }

    /// The path of the token below the base URL; `None` if it is invalid, on another host, or not below the base URL.
    fn token_path(&self, flow: &Value, suffix: &str) -> Option<String> {
        let mut url = text(flow, "tokenUrl")?;
        if let Some(rest) = after_scheme(url) {
            let (host, _) = rest.split_once('/')?;
            let own_host = self.server.as_ref()?.host.as_ref()?;
            if !host.eq_ignore_ascii_case(own_host) {
                return None;
            }
            url = &rest[host.len()..];
        }
        url_path::check(url, false).ok()?;
        // Every base URL already ends in `suffix`, so the path of the token must not contain it again.
        let path = url.strip_prefix(suffix)?;
        path.starts_with('/').then(|| path.to_owned())
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

/// The flow that returns an access token without a person.
fn token_flow(scheme: &Value) -> Option<&Value> {
    scheme.get("flows")?.get("clientCredentials")
}

fn scheme_pointer(name: &str) -> String {
    format!("#/components/securitySchemes/{name}")
}
