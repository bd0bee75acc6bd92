//! Converts operations to endpoints. The name of an endpoint is derived from the operation id, and its group from the first
//! tag. If the operation id or the tag is missing, the path is used instead.

use catalogue::names::{self, Case};
use catalogue::spec::{Endpoint, Group, Known};
use catalogue::{is_line, url_path};
use heck::{ToSnakeCase, ToTitleCase};
use serde_yaml::Value;

use super::Reader;
use super::document::{entries, items, text};
use super::extensions::OF_ENDPOINT;
use super::omissions::{OPERATION, PATH, Weight};
use crate::draft::telling;
use crate::rust_names::module_name;

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
        let listed: Vec<_> = items(item, "parameters").iter().chain(items(operation, "parameters")).collect();
        let Some(path) = self.path_on_server(path, item, operation) else { return };
        let path = self.styled_path(&path, &listed);
        let Some(path) = self.path(&path, pointer) else { return };
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
        let params = self.params(&path, listed.into_iter(), is_unknown, pointer);
        let body = self.body(operation, &name, pointer);
        self.note_members(&path, operation);
        let kept = self.kept(operation, OF_ENDPOINT, pointer);
        let kept = kept.and_then(|kept| kept.into_spec().1.pop()?.1.endpoints.pop());
        let kept = kept.unwrap_or_default();
        let endpoint = Endpoint {
            summary: telling(self.summary(operation, &["description", "summary"]), &name),
            name: name.into(),
            path: Known::Known(path.into()),
            evidence: self.own_evidence(operation).unwrap_or(self.options.evidence),
            params: params.map_or(Known::Unknown, Known::Known),
            body: body.map_or(Known::Unknown, Known::Known),
            deprecated: is_deprecated.then(|| "The reason is not documented.".to_owned()),
            ..kept
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
            Err(("path-param/twice", _)) => "a duplicate path param",
            Err((rule, _)) if rule.starts_with("path-braces") && !path.contains('?') => {
                "braces that do not enclose separate names"
            }
            _ => "an unsupported form",
        };
        self.omissions.add(Weight::Missing, format!("{pointer}, a path with {why}"), pointer);
        None
    }

    /// Returns the module for an endpoint, which is derived from its first tag or from the first segment of its path.
    fn group(&mut self, operation: &Value, path: &str) -> String {
        let tag = items(operation, "tags").first().and_then(Value::as_str);
        let first = path.split('/').find(|segment| !segment.is_empty() && !segment.contains('{'));
        let wanted = tag.or(first).unwrap_or("general");
        let known = self.known.groups.iter().find(|(_, group)| *group.title == wanted);
        let module = known.map_or_else(|| module_name(wanted), |(module, _)| module.clone());
        if !self.draft.content.groups.contains_key(&module) {
            let head = self.head(wanted, &module);
            self.draft.content.groups.insert(module.clone(), head);
        }
        module
    }

    /// Returns the title and the summary of a group.
    fn head(&self, wanted: &str, own: &str) -> Group {
        let is_own = |tag: &&Value| text(tag, "name").is_some_and(|name| name == wanted || module_name(name) == own);
        let tag = items(&self.document.root, "tags").iter().find(is_own).unwrap_or(&Value::Null);
        let name = text(tag, "name").unwrap_or(wanted);
        // A tag without spaces may be an identifier, such as `openInterest`, so it is converted to separate words.
        let title = if name.contains(' ') { name.to_owned() } else { name.to_title_case() };
        let title = text(tag, "x-displayName").map_or(title, str::to_owned);
        let title = if is_line(&title) { title } else { own.to_owned() };
        Group { title: title.into(), summary: self.summary(tag, &["description"]), ..Group::default() }
    }

    /// Returns the name of an endpoint, which is derived from the operation id or, if that is missing, from the path.
    fn name(&mut self, operation: &Value, group: &str, path: &str) -> String {
        let id = text(operation, "operationId").unwrap_or_default().to_snake_case();
        let short = id.strip_prefix(group).and_then(|id| id.strip_prefix('_'));
        let by_path = path.split('/').filter(|segment| !segment.contains('{')).collect::<Vec<_>>().join(" ");
        let wanted = short.unwrap_or(&id).to_owned();
        let wanted = if names::ident(&wanted, Case::Snake).is_ok() { wanted } else { by_path };
        let name = wanted.to_title_case();
        let name = if names::ident(&name, Case::Snake).is_ok() { name } else { "Root".to_owned() };
        // If the summary and the operation id become the same method name, the summary is used, because it is more
        // readable.
        let summary = text(operation, "summary").filter(|summary| self.options.summaries && is_line(summary));
        let is_same = |summary: &&str| names::ident(summary, Case::Snake) == names::ident(&name, Case::Snake);
        summary.filter(is_same).map_or(name, str::to_owned)
    }
}
