//! Reads the facts of a description about the entire service.

use codegen::names::{self, Case};
use codegen::{is_line, url_path};
use serde_yaml::Value;

use super::Reader;
use super::document::{entries, items, text, text_of};
use super::omissions::Weight;
use crate::editor::Editor;
use crate::format_keys::SERVICE;
use crate::yaml_path::YamlPath;
use crate::yaml_tree::Tree;

impl Reader<'_> {
    /// Returns the content of `service.yaml` according to the description. `has_error_body` is `true` if an existing
    /// catalogue already describes the body of errors.
    pub(super) fn service(&mut self, has_error_body: bool) -> Tree {
        let root = &self.document.root;
        let info = root.get("info").unwrap_or(&Value::Null);
        let text_or = |key: &str, other: &str| head(info, key).unwrap_or_else(|| other.to_owned());
        let title = text_or("title", "Service");
        let ascii: String = title.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { ' ' }).collect();
        let prefix = names::ident(&ascii, Case::Shouty).ok().filter(|prefix| names::is_ident(prefix, Case::Shouty));
        // The unit is a guess. `import` adds a note about it.
        let time = Tree::map().with("unit", "seconds").with("evidence", "reported");
        let evidence = self.options.evidence.clone();
        let base_url = self.base_url(&evidence);
        let base = base_url.as_ref().and_then(|base_url| base_url.text("suffix")).unwrap_or_default();
        let credentials = self.credentials(&evidence, base);
        let errors = self.errors(&evidence, has_error_body);
        Tree::map()
            .with("title", title.as_str())
            .with("version", text_or("version", "1"))
            .with_some("summary", self.summary(info, &["description"]))
            .with("env_prefix", prefix.as_deref().unwrap_or("SERVICE"))
            .with_some("base_url", base_url)
            .with("time", time)
            .with_some("credentials", credentials)
            .with_some("errors", Some(errors).filter(|errors| !errors.is_empty()))
    }

    /// Reads the facts of an existing catalogue on which the operations depend: the base path, the query param of the
    /// API key, the envelope and the modules.
    pub(super) fn surroundings(&mut self, editor: &Editor, described: &Tree) {
        let service = editor.tree(SERVICE);
        let at = |path: &[&str]| {
            path.iter().try_fold(service, |tree, key| tree.get(key)).and_then(Tree::as_text).map(str::to_owned)
        };
        self.suffix = at(&["base_url", "suffix"]).unwrap_or_default();
        self.key_param = at(&["credentials", "api_key", "query"]);
        let server_path = described.get("base_url").and_then(|base_url| base_url.text("suffix"));
        server_path.unwrap_or_default().clone_into(&mut self.server_path);
        // If the catalogue has no suffix and its paths do not include the server's path, the server's path is the
        // suffix.
        if self.suffix.is_empty() && !has_path_below(editor, &self.server_path) {
            self.suffix.clone_from(&self.server_path);
        }
        self.data = at(&["envelope", "data"]);
        self.metadata = at(&["envelope", "metadata", "name"]);
        let groups = editor.groups().map(YamlPath::file);
        self.modules = groups
            .filter_map(|file| Some((file.tree(editor).text("title")?.to_owned(), file.module().to_owned())))
            .collect();
    }

    /// Returns the suffix of all base URLs: the path of the first server. The user supplies the host.
    fn base_url(&mut self, evidence: &str) -> Option<Tree> {
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
        is_suffix.then(|| Tree::map().with("suffix", suffix).with("evidence", evidence))
    }
}

/// Returns `true` if a path in the catalogue begins with the path of the description's server.
fn has_path_below(editor: &Editor, server_path: &str) -> bool {
    let mut endpoints = editor.groups().flat_map(|file| editor.tree(file).entries("endpoints"));
    endpoints.any(|endpoint| endpoint.text("path").is_some_and(|path| path.starts_with(&format!("{server_path}/"))))
}

/// Returns the title or version, which may be written as a number.
fn head(info: &Value, key: &str) -> Option<String> {
    let value = text_of(info.get(key)?);
    Some(value.trim().to_owned()).filter(|value| is_line(value))
}

/// Adds a note for each fact about the service that differs between a description and the catalogue.
pub(super) fn note_differences(described: &Tree, is_in_paths: bool, editor: &mut Editor) {
    for key in ["base_url", "credentials"] {
        let here = editor.tree(SERVICE).get(key);
        let is_compared = key != "base_url" || !is_in_paths;
        let differs = |described: &Tree| is_compared && here.is_none_or(|here| !includes(here, described));
        if described.get(key).is_some_and(differs) {
            let how = if here.is_some() { "differs in the description" } else { "is not in the catalogue" };
            editor.note(format!("`{key}` of the service {how}"));
        }
    }
    let known = editor.tree(SERVICE).entries("errors");
    let is_new = |error: &&Tree| known.iter().all(|known| known.get("status") != error.get("status"));
    let new = described.entries("errors").iter().filter(is_new).filter_map(|error| error.get("status")?.scalar());
    let new: Vec<_> = new.collect();
    if !new.is_empty() {
        editor.note(format!("error statuses that are not in the catalogue: {}", new.join(", ")));
    }
}

/// Returns `true` if the catalogue contains a fact of a description. Evidence and texts are ignored.
fn includes(here: &Tree, described: &Tree) -> bool {
    match (described, here) {
        (Tree::Map(described), here) => described.iter().all(|(key, described)| {
            matches!(key.as_str(), "evidence" | "summary" | "notes" | "label" | "advice")
                || here.get(key).is_some_and(|here| includes(here, described))
        }),
        (Tree::List(described), Tree::List(here)) => {
            described.iter().all(|described| here.iter().any(|here| includes(here, described)))
        }
        _ => described.scalar().is_none_or(|text| here.scalar().is_some_and(|here| here.eq_ignore_ascii_case(text))),
    }
}
