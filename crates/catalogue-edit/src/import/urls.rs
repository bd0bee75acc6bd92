//! The URLs of operations: paths with servers of their own, and the styles of params in paths.

use serde_yaml::Value;

use super::Reader;
use super::document::{entries, items, text, text_of};
use super::omissions::Weight;
use super::schemas::type_of;

/// The host and the path of a server.
struct Address {
    /// The host with the port; `None` if the URL is relative to the description.
    host: Option<String>,
    /// The path without `/` at the end.
    path: String,
}

impl Address {
    /// Reads the URL of a server, with the defaults of its variables.
    fn of(server: &Value) -> Option<Self> {
        let mut url = text(server, "url")?.to_owned();
        for (name, variable) in entries(server, "variables") {
            url = url.replace(&format!("{{{name}}}"), &variable.get("default").map(text_of).unwrap_or_default());
        }
        let (host, path) = match url.split_once("://").map(|(_, rest)| rest).or(url.strip_prefix("//")) {
            Some(rest) => {
                let end = rest.find('/').unwrap_or(rest.len());
                (Some(rest[..end].to_ascii_lowercase()), &rest[end..])
            }
            None => (None, url.as_str()),
        };
        let path = path.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/').to_owned();
        Some(Self { host, path })
    }
}

impl<'d> Reader<'d> {
    /// Returns the path of an operation relative to the server of the description, if the operation or its path has a
    /// server of its own. Returns `None` if that is another service.
    pub(super) fn path_on_server(&mut self, path: &str, item: &'d Value, operation: &'d Value) -> Option<String> {
        let own = items(operation, "servers").first().or(items(item, "servers").first()).and_then(Address::of);
        let Some(own) = own else { return Some(path.to_owned()) };
        let shared = items(&self.document.root, "servers").first().and_then(Address::of);
        let shared = shared.unwrap_or(Address { host: own.host.clone(), path: String::new() });
        let is_same_host = own.host.is_none() || own.host == shared.host;
        let prefix = own.path.strip_prefix(&shared.path).filter(|rest| rest.is_empty() || rest.starts_with('/'));
        if let Some(prefix) = prefix.filter(|_| is_same_host) {
            return Some(format!("{prefix}{path}"));
        }
        let host = own.host.unwrap_or_default();
        let why = format!(
            "an endpoint on another server, `{host}{}`; import it into a catalogue of its own (first `{path}`)",
            own.path
        );
        self.omissions.add(Weight::Missing, why, &format!("`{path}`"));
        None
    }

    /// Returns a path in which the params have the texts around them that their `style` requires, such as `;id=` before
    /// `{id}`.
    pub(super) fn styled_path(&self, path: &str, listed: &[&'d Value]) -> String {
        let mut styled = path.to_owned();
        for param in listed {
            let Some((param, _)) = self.document.follow(param) else { continue };
            let schema = param.get("schema").and_then(|schema| self.document.follow(schema));
            let is_scalar = schema.is_some_and(|(schema, _)| !["array", "object"].contains(&type_of(schema)));
            if text(param, "in") != Some("path") || !is_scalar {
                continue;
            }
            let name = text(param, "name").unwrap_or_default();
            let before = match text(param, "style") {
                Some("matrix") => format!(";{name}="),
                Some("label") => ".".to_owned(),
                _ => continue,
            };
            styled = styled.replace(&format!("{{{name}}}"), &format!("{before}{{{name}}}"));
        }
        styled
    }
}
