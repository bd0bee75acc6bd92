//! Reads the facts of a description about the entire service, with its credentials as far as the client supports them.

use std::collections::BTreeMap;

use catalogue::spec::{ApiKey, BaseUrl, ClientCredentials, Credentials, Evidence, Service, Status};
use catalogue::yaml_parser::{Kind, Node};
use catalogue::{is_line, may_carry_key, url_path};
use serde_yaml::{Mapping, Value};

use super::Reader;
use super::document::{entries, items, text, text_of};
use super::omissions::Weight;
use crate::content::{Content, new_service};
use crate::editor::Editor;

impl Reader<'_> {
    /// Returns the content of `service.yaml` according to the description. `kept` has the keys of our own export.
    /// `has_error_body` is `true` if an existing catalogue already describes the body of errors.
    pub(super) fn service(&mut self, kept: Option<Service>, has_error_body: bool) -> Service {
        let root = &self.document.root;
        let info = root.get("info").unwrap_or(&Value::Null);
        let title = head(info, "title").unwrap_or_else(|| "Service".to_owned());
        let base_url = self.base_url();
        let base = base_url.as_ref().map(|base_url| base_url.suffix.clone()).unwrap_or_default();
        let credentials = self.credentials(&base);
        // The unit of timestamps is a guess. `import` adds a note about it.
        // In our own export, the description may have only facts.
        let summary = kept.as_ref().map(|kept| kept.summary.clone()).filter(|_| self.options.summaries);
        let summary = summary.unwrap_or_else(|| self.summary(info, &["description"]));
        let new = kept.map_or_else(|| new_service(title.clone()), |kept| Service { title: title.clone(), ..kept });
        let version = head(info, "version").unwrap_or(new.version);
        let has_error_body = has_error_body || new.error_body.evidence.is_some();
        let errors = self.errors(has_error_body);
        Service { version, summary, base_url, credentials, errors, ..new }
    }

    /// Returns the suffix of all base URLs: the path of the server. The user supplies the host.
    fn base_url(&mut self) -> Option<BaseUrl> {
        self.note_servers();
        let suffix = self.base.as_ref()?.path.clone();
        let is_suffix = url_path::check(&suffix, false).is_ok();
        if !is_suffix && !suffix.is_empty() {
            let why = format!("the invalid path `{suffix}` of the server URL");
            self.omissions.add(Weight::Fact, why, "#/servers");
        }
        is_suffix.then_some(BaseUrl { suffix, evidence: self.options.evidence })
    }

    /// Notes what is not imported of the servers of the description.
    fn note_servers(&mut self) {
        let root = &self.document.root;
        let Some(server) = items(root, "servers").first() else { return };
        for index in 1..items(root, "servers").len() {
            self.omissions.add(Weight::Aside, "a further server", &format!("#/servers/{index}"));
        }
        let url = text(server, "url").unwrap_or_default();
        let after_scheme = url.split_once("://").map(|(_, rest)| rest).or(url.strip_prefix("//"));
        let path = after_scheme.and_then(|rest| rest.split_once('/')).map_or("", |(_, path)| path);
        for (name, _) in entries(server, "variables") {
            if path.contains(&format!("{{{name}}}")) {
                let why = "a variable in the server's path, which is replaced by its default";
                self.omissions.add(Weight::Fact, why, &format!("#/servers/variables/{name}"));
            }
        }
        if after_scheme.is_some() {
            self.omissions.add(Weight::Aside, "the host of the server, which the user supplies", "#/servers");
        }
    }

    /// Returns the credentials of the description. Every base URL ends in `base`.
    pub(super) fn credentials(&mut self, base: &str) -> Credentials {
        let mut found = Credentials::default();
        let root = &self.document.root;
        let Some(components) = root.get("components") else { return found };
        let evidence = self.options.evidence;
        let optional = self.has_open_operation();
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

    /// Returns `true` if an operation needs no credentials: its security requirements, or else those of the description, are
    /// empty or contain an empty one. A description that declares no requirement at all states nothing about credentials.
    fn has_open_operation(&self) -> bool {
        let is_open = |requirements: &Value| {
            let list = requirements.as_sequence().map_or(&[][..], Vec::as_slice);
            list.is_empty() || list.iter().any(|one| one.as_mapping().is_some_and(Mapping::is_empty))
        };
        let shared = self.document.root.get("security");
        let all: Vec<_> = self.document.gets().map(|(_, operation)| operation.get("security").or(shared)).collect();
        let is_stated = all.iter().any(Option::is_some);
        shared.is_some_and(is_open) || is_stated && all.into_iter().any(|one| one.is_none_or(is_open))
    }

    /// Sets the catalogue on which the operations of the description depend.
    pub(super) fn set_catalogue(&mut self, known: &Content, described: &Service) {
        known.service.base_url_suffix().clone_into(&mut self.suffix);
        described.base_url_suffix().clone_into(&mut self.server_path);
        let below = format!("{}/", self.server_path);
        let mut paths = known.endpoints().filter_map(|(_, endpoint)| endpoint.path.known());
        // If the catalogue has no suffix and its paths do not include the server's path, the server's path is the
        // suffix.
        if self.suffix.is_empty() && !paths.any(|path| path.starts_with(&below)) {
            self.suffix.clone_from(&self.server_path);
        }
        self.known = known.clone();
    }

    /// Returns every error status once. `has_body` is `true` if the catalogue already describes the body of errors.
    fn errors(&mut self, has_body: bool) -> Vec<Status> {
        let mut errors = BTreeMap::new();
        for (path, operation) in self.document.gets() {
            for (status, response) in entries(operation, "responses") {
                let Some(number) = error_status(status) else { continue };
                let pointer = format!("`{path}`/responses/{status}");
                let (response, reference) = self.resolve(response, &pointer).unwrap_or((response, None));
                if response.get("content").is_some() && !has_body {
                    let why = "the body of an error response, which you have to describe in `error_body`";
                    self.omissions.add(Weight::Fact, why, reference.unwrap_or(&pointer));
                }
                errors.entry(number).or_insert_with(|| Status {
                    status: number.into(),
                    summary: self.summary(response, &["description"]),
                    rate_limited: response.get("x-rate-limited") == Some(&Value::Bool(true)),
                    evidence: self.options.evidence,
                    ..Status::default()
                });
            }
        }
        errors.into_values().collect()
    }
}

/// Returns the number of an error status; `None` for any other key of `responses`, such as `4XX` and `default`.
pub(super) fn error_status(status: &str) -> Option<u32> {
    status.parse().ok().filter(|number| (400..600).contains(number))
}

/// Returns the title or version, which may be written as a number.
fn head(info: &Value, key: &str) -> Option<String> {
    let value = text_of(info.get(key)?);
    Some(value.trim().to_owned()).filter(|value| is_line(value))
}

/// Adds a note for each fact about the service that differs between a description and the catalogue.
pub(super) fn note_differences(described: &Service, is_in_paths: bool, editor: &mut Editor) {
    let (known, new) = (editor.service.written(), described.written());
    for key in ["base_url", "credentials"] {
        let here = known.get(key);
        let is_compared = key != "base_url" || !is_in_paths;
        let differs = |described: &Node| is_compared && here.is_none_or(|here| !includes(here, described));
        if new.get(key).is_some_and(differs) {
            let how = if here.is_some() { "differs in the description" } else { "is not in the catalogue" };
            editor.note(format!("`{key}` of the service {how}"));
        }
    }
    let is_new = |error: &&Status| editor.service.errors.iter().all(|known| known.status != error.status);
    let new: Vec<_> = described.errors.iter().filter(is_new).map(|error| error.status.to_string()).collect();
    if !new.is_empty() {
        editor.note(format!("error statuses that are not in the catalogue: {}", new.join(", ")));
    }
}

/// Returns `true` if the catalogue contains a fact of a description. Evidence and texts are ignored.
fn includes(here: &Node, described: &Node) -> bool {
    match (&described.kind, &here.kind) {
        (Kind::Map(entries), _) => entries.iter().all(|(key, described)| {
            let key = key.text().unwrap_or_default();
            matches!(key, "evidence" | "label") || here.get(key).is_some_and(|here| includes(here, described))
        }),
        (Kind::Text(text), Kind::Text(here)) => here.eq_ignore_ascii_case(text),
        (described, here) => described == here,
    }
}

/// Returns the part of a request that carries the API key. If a flow issues tokens, the `Authorization` header is
/// reserved for them.
fn key_of(scheme: &Value, has_flow: bool) -> Option<ApiKey> {
    let (name, part) = (text(scheme, "name").unwrap_or_default(), text(scheme, "in"));
    let http = text(scheme, "scheme").unwrap_or_default().to_ascii_lowercase();
    let key = ApiKey::default();
    Some(match (text(scheme, "type")?, http.as_str()) {
        ("http", "bearer") if !has_flow => {
            ApiKey { header: Some("Authorization".into()), prefix: Some("Bearer ".to_owned()), ..key }
        }
        ("http", "basic") if !has_flow => ApiKey { basic: Some(true.into()), ..key },
        ("apiKey", _) if part == Some("header") && may_carry_key(name) => ApiKey { header: Some(name.into()), ..key },
        ("apiKey", _) if part == Some("query") && is_line(name) => ApiKey { query: Some(name.into()), ..key },
        _ => return None,
    })
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
