//! Reads the facts of a description about the entire service.

use std::collections::BTreeMap;

use catalogue::spec::{BaseUrl, Service, Status};
use catalogue::{is_line, url_path};
use serde_yaml::Value;

use super::description_reader::DescriptionReader;
use super::document::Resolved;
use super::omissions::Weight;
use super::server_address::after_scheme;
use super::tree::{entries, is_true, items, text_of, text_or_empty};
use crate::content::new_service;

impl DescriptionReader<'_> {
    /// The content of `service.yaml` according to the description. `exported` has the keys of our own export.
    /// `has_error_body` is `true` if an existing catalogue already describes the body of errors.
    pub(super) fn service(&mut self, exported: Option<Service>, has_error_body: bool) -> Service {
        let root = &self.document.root;
        let info = root.get("info").unwrap_or(&Value::Null);
        let base_url = self.base_url();
        let suffix = base_url.as_ref().map_or("", |base_url| base_url.suffix.as_str());
        let credentials = self.credentials(suffix);
        let title = one_line(info, "title").unwrap_or_else(|| "Service".to_owned());
        let mut service = match exported {
            Some(exported) => {
                // In our own export, the description may have only facts, so its text is no summary.
                let summary = if self.options.summaries { exported.summary.clone() } else { String::new() };
                Service { title, summary, ..exported }
            }
            None => Service { summary: self.summary(info, &["description"]), ..new_service(title) },
        };
        if let Some(version) = one_line(info, "version") {
            service.version = version;
        }
        service.errors = self.errors(has_error_body || service.error_body.evidence.is_some());
        service.base_url = base_url;
        service.credentials = credentials;
        service
    }

    /// The suffix of all base URLs: the path of the server. The user supplies the host.
    fn base_url(&mut self) -> Option<BaseUrl> {
        self.note_servers();
        let suffix = self.server.as_ref()?.path.clone();
        if url_path::check(&suffix, false).is_ok() {
            return Some(BaseUrl { suffix, evidence: self.options.evidence });
        }
        if !suffix.is_empty() {
            let why = format!("the invalid path `{suffix}` of the server URL");
            self.omissions.add(Weight::Fact, why, "#/servers");
        }
        None
    }

    /// Notes what is not imported of the servers of the description.
    fn note_servers(&mut self) {
        let servers = items(&self.document.root, "servers");
        let Some(server) = servers.first() else { return };
        for index in 1..servers.len() {
            self.omissions.add(Weight::Aside, "a further server", &format!("#/servers/{index}"));
        }
        let Some(address) = after_scheme(text_or_empty(server, "url")) else { return };
        if let Some((_, path)) = address.split_once('/') {
            for (name, _) in entries(server, "variables") {
                if path.contains(&format!("{{{name}}}")) {
                    let why = "a variable in the server's path, which is replaced by its default";
                    self.omissions.add(Weight::Fact, why, &format!("#/servers/variables/{name}"));
                }
            }
        }
        self.omissions.add(Weight::Aside, "the host of the server, which the user supplies", "#/servers");
    }

    /// Every error status once. `has_body` is `true` if the catalogue already describes the body of errors.
    fn errors(&mut self, has_body: bool) -> Vec<Status> {
        let mut errors = BTreeMap::new();
        for get in self.document.gets() {
            for (status, response) in entries(get.operation, "responses") {
                let Some(number) = error_status(status) else { continue };
                let pointer = format!("`{}`/responses/{status}", get.path);
                let unresolved = Resolved { value: response, reference: None };
                let resolved = self.resolve(response, &pointer).unwrap_or(unresolved);
                if resolved.value.get("content").is_some() && !has_body {
                    let why = "the body of an error response, which you have to describe in `error_body`";
                    self.omissions.add(Weight::Fact, why, resolved.pointer(&pointer));
                }
                errors.entry(number).or_insert_with(|| self.status(number, resolved.value));
            }
        }
        errors.into_values().collect()
    }

    fn status(&self, number: u32, response: &Value) -> Status {
        Status {
            status: number.into(),
            summary: self.summary(response, &["description"]),
            rate_limited: is_true(response, "x-rate-limited"),
            evidence: self.options.evidence,
            ..Status::default()
        }
    }
}

/// The number of an error status; `None` for any other key of `responses`, such as `4XX` and `default`.
pub(super) fn error_status(status: &str) -> Option<u32> {
    let number = status.parse().ok()?;
    if (400..600).contains(&number) { Some(number) } else { None }
}

/// The title or version, which may be written as a number.
fn one_line(info: &Value, key: &str) -> Option<String> {
    let text = text_of(info.get(key)?).trim().to_owned();
    if is_line(&text) { Some(text) } else { None }
}
