//! Converts operations to endpoints.

use codegen::spec::{Endpoint, Known};
use codegen::{is_line, url_path};
use serde_yaml::Value;

use super::Reader;
use super::document::{entries, items, text};
use super::omissions::{OPERATION, PATH, Weight};

impl<'d> Reader<'d> {
    /// Reads all operations under `paths`.
    pub(super) fn operations(&mut self) {
        let root = &self.document.root;
        for (path, item) in entries(root, "paths").filter(|(path, _)| !path.starts_with("x-")) {
            let pointer = format!("`{path}`");
            let Some((item, _)) = self.resolve(item, &pointer) else { continue };
            self.omissions.unread(item, PATH, &pointer);
            let Some(operation) = item.get("get") else { continue };
            // If the reference of an operation cannot be resolved, only the path of the operation is known.
            let operation = self.resolve(operation, &pointer).map_or(&Value::Null, |(operation, _)| operation);
            self.operation(path, item, operation, &pointer);
        }
    }

    fn operation(&mut self, path: &'d str, item: &'d Value, operation: &'d Value, pointer: &str) {
        let Some(path) = self.path(path, pointer) else { return };
        if !self.templates.insert(url_path::template(&path)) {
            let why = format!("{pointer}, which differs from another path only in the names of its params");
            self.omissions.add(Weight::Missing, why, pointer);
            return;
        }
        self.omissions.unread(operation, OPERATION, pointer);
        let own = path.strip_prefix(self.server_path.as_str()).unwrap_or(&path).to_owned();
        let group = self.group(operation, &own);
        let name = self.name(operation, &group, &own);
        let is_deprecated = operation.get("deprecated").and_then(Value::as_bool) == Some(true);
        // In OpenAPI, a missing `parameters` means an empty list, so `cargo xtask openapi` marks unknown params with
        // the key `x-params`.
        let is_unknown = operation.is_null() || text(operation, "x-params") == Some("unknown");
        let listed = items(item, "parameters").iter().chain(items(operation, "parameters"));
        let params = self.params(&path, listed, is_unknown, pointer);
        let body = self.body(operation, &name, pointer);
        let endpoint = Endpoint {
            name: name.into(),
            path: Known::Known(path.into()),
            evidence: self.options.evidence,
            summary: self.summary(operation, &["description", "summary"]),
            params: params.map_or(Known::Unknown, Known::Known),
            body: body.map_or(Known::Unknown, Known::Known),
            deprecated: is_deprecated.then(|| "The reason is not documented.".to_owned()),
            ..Endpoint::default()
        };
        self.draft.content.groups.entry(group).or_default().endpoints.push(endpoint);
    }

    /// Returns the part of the path after the suffix of the base URL; `None` if the catalogue does not allow such a
    /// path.
    fn path(&mut self, path: &str, pointer: &str) -> Option<String> {
        let server = self.server_path.as_str();
        let own = path.strip_prefix(server).filter(|_| !server.is_empty());
        let repeats = own.is_some_and(|own| own.is_empty() || own.starts_with('/'));
        if repeats {
            self.omissions.add(Weight::Fact, format!("the server path `{server}`, already part of the path"), pointer);
        }
        // `url` is the path on the host, which begins with the server's path. The catalogue needs only the part after
        // the suffix of the base URLs. If the server's path ends with this suffix, the entire server's path is removed.
        let url = if repeats { path.to_owned() } else { format!("{server}{path}") };
        let suffix = self.suffix.as_str();
        let base = if !suffix.is_empty() && server.ends_with(suffix) { server } else { suffix };
        let rest = url.strip_prefix(base).filter(|rest| rest.starts_with('/'));
        if rest.is_none() && (!server.is_empty() || url == base) && path.starts_with('/') {
            let why = format!("`{url}`, which is not below `{}`, the suffix of base URLs", self.suffix);
            self.omissions.add(Weight::Missing, why, pointer);
            return None;
        }
        let path = rest.unwrap_or(path).to_owned();
        let why = match url_path::check(&path, true) {
            Ok(()) if is_line(&path) => return Some(path),
            Err(("path-param", ..)) => "a duplicate path param",
            Err(("path-braces", ..)) if !path.contains('?') => "braces that do not enclose separate names",
            _ => "an unsupported form",
        };
        self.omissions.add(Weight::Missing, format!("{pointer}, a path with {why}"), pointer);
        None
    }
}
