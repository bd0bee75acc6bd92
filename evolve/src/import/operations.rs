//! Converts operations to endpoints.

use codegen::spec::ENDPOINT;
use codegen::{is_line, url_path};
use serde_yaml::Value;

use super::Reader;
use super::document::{entries, text};
use super::omissions::{OPERATION, PATH, Weight};
use crate::yaml_tree::Tree;

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
        let (params, are_all) = self.params(item, operation, pointer);
        let params = self.path_params(&path, params, are_all && !is_unknown, pointer);
        let body = self.body(operation, &name, pointer);
        let tree = Tree::map()
            .with("evidence", self.options.evidence.as_str())
            .with_some("summary", self.summary(operation, &["description", "summary"]))
            .with("name", name)
            .with("path", path)
            .with("params", params.map_or_else(|| "unknown".into(), Tree::List))
            .with("body", body.unwrap_or_else(|| "unknown".into()))
            .with_some("deprecated", is_deprecated.then_some("The reason is not documented."))
            .ordered(&ENDPOINT);
        self.draft.endpoints.push((group, tree));
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

    /// Adds the params that are missing in the list although they are in the path, and removes params whose key `in`
    /// contradicts the path. Returns `None` if the list may be incomplete and the path has no params.
    fn path_params(&mut self, path: &str, params: Vec<Tree>, are_all: bool, pointer: &str) -> Option<Vec<Tree>> {
        let in_path = url_path::params(path);
        let is_unknown = !are_all && in_path.is_empty();
        let name = |reader: &Self, entry: &Tree| reader.definition(entry).text("name").unwrap_or_default().to_owned();
        let fits = |entry: &Tree| self.definition(entry).get("in").is_some() == in_path.contains(&&*name(self, entry));
        let (mut params, others): (Vec<_>, Vec<_>) = params.into_iter().partition(|entry| !is_unknown && fits(entry));
        for other in others {
            let why =
                if is_unknown { "the other params are unknown" } else { "its location (`in`) contradicts the path" };
            let why = format!("the param `{}`, because {why}", name(self, &other));
            self.omissions.add(Weight::Missing, why, pointer);
        }
        if is_unknown {
            return None;
        }
        for missing in in_path {
            if !params.iter().any(|entry| name(self, entry) == missing) {
                let plain = Tree::map().with("name", missing).with("type", "string").with("in", "path");
                params.push(plain);
            }
        }
        Some(params)
    }
}
