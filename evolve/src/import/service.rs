//! Reads the facts of a description about the entire service.

use std::collections::BTreeMap;

use codegen::spec::{BaseUrl, Service, Status};
use codegen::yaml_parser::{Kind, Node};
use codegen::{is_line, url_path};
use serde_yaml::Value;

use super::Reader;
use super::document::{entries, items, text, text_of};
use super::omissions::Weight;
use crate::content::Content;
use crate::editor::Editor;
use crate::new_service::new_service;

impl Reader<'_> {
    /// Returns the content of `service.yaml` according to the description. `has_error_body` is `true` if an existing
    /// catalogue already describes the body of errors.
    pub(super) fn service(&mut self, has_error_body: bool) -> Service {
        let root = &self.document.root;
        let info = root.get("info").unwrap_or(&Value::Null);
        let title = head(info, "title").unwrap_or_else(|| "Service".to_owned());
        let base_url = self.base_url();
        let base = base_url.as_ref().map(|base_url| base_url.suffix.clone()).unwrap_or_default();
        let credentials = self.credentials(&base);
        // The unit of timestamps is a guess. `import` adds a note about it.
        let new = new_service(title);
        let version = head(info, "version").unwrap_or(new.version);
        let (summary, errors) = (self.summary(info, &["description"]), self.errors(has_error_body));
        Service { version, summary, base_url, credentials, errors, ..new }
    }

    /// Returns the suffix of all base URLs: the path of the first server. The user supplies the host.
    fn base_url(&mut self) -> Option<BaseUrl> {
        let root = &self.document.root;
        let server = items(root, "servers").first()?;
        for index in 1..items(root, "servers").len() {
            self.omissions.add(Weight::Aside, "a further server", &format!("#/servers/{index}"));
        }
        let mut url = text(server, "url")?.to_owned();
        for (name, variable) in entries(server, "variables") {
            let path = text(server, "url").and_then(|url| url.split("://").last()?.split_once('/'));
            if path.is_some_and(|(_, path)| path.contains(&format!("{{{name}}}"))) {
                let why = "a variable in the server's path, which is replaced by its default";
                self.omissions.add(Weight::Fact, why, &format!("#/servers/variables/{name}"));
            }
            url = url.replace(&format!("{{{name}}}"), &variable.get("default").map(text_of).unwrap_or_default());
        }
        let path = match url.split_once("://").map(|(_, rest)| rest).or(url.strip_prefix("//")) {
            Some(rest) => {
                self.omissions.add(Weight::Aside, "the host of the server, which the user supplies", "#/servers");
                rest.find('/').map_or("", |slash| &rest[slash..]).to_owned()
            }
            None => url,
        };
        let suffix = path.trim_end_matches('/').split(['?', '#']).next().unwrap_or_default();
        let is_suffix = url_path::check(suffix, false).is_ok();
        if !is_suffix && !suffix.is_empty() {
            let why = format!("the invalid path `{suffix}` of the server URL");
            self.omissions.add(Weight::Fact, why, "#/servers");
        }
        is_suffix.then(|| BaseUrl { suffix: suffix.to_owned(), evidence: self.options.evidence })
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
