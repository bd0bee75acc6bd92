//! Operations become endpoints.

use codegen::names::{self, Case};
use codegen::{is_line, template};
use serde_yaml::Value;

use super::Reader;
use super::document::{aliases, entries, items, text};
use super::notes::Weight;
use super::plan::{Annotations, PlannedEndpoint, PlannedParam, TakenParam, Ty};
use super::service::history;
use crate::merge::Several;

impl<'d> Reader<'d> {
    /// Everything under `paths`, and what is known by name only.
    pub(super) fn operations(&mut self) {
        let root = self.document.root();
        for (path, item) in entries(root, "paths").filter(|(path, _)| path.starts_with('/')) {
            let place = format!("`{path}`");
            let Some((item, _)) = self.document.follow(item) else { continue };
            if item.get("get").is_some() {
                // Of an operation behind a reference that leads nowhere, only the path is known.
                let operation = self.document.operation(item).unwrap_or(&Value::Null);
                self.operation(Some(path), item, operation, &place);
            }
        }
        for operation in items(root, "x-known-by-name") {
            if text(operation, "operationId").is_some_and(|id| names::ident(id, Case::Snake).is_ok()) {
                self.operation(None, &Value::Null, operation, "#/x-known-by-name");
            }
        }
    }

    fn operation(&mut self, path: Option<&'d str>, item: &'d Value, operation: &'d Value, place: &str) {
        let told = path;
        let path = match path.map(|path| self.path(path, place)) {
            Some(None) => return,
            path => path.flatten(),
        };
        if path.as_ref().is_some_and(|path| self.is_told(path)) {
            let why = "a path that is another one but for the names of its params";
            self.notes.explain(Weight::Fact, why, place);
            return;
        }
        if let (Some(told), Some(path)) = (told, &path) {
            self.paths.insert(told.to_owned(), path.clone());
        }
        let own = path.as_deref().unwrap_or_default();
        let own = own.strip_prefix(self.plan.prefix.as_str()).unwrap_or(own).to_owned();
        let group = self.group(operation, &own);
        let name = self.name(operation, &group, &own);
        let mut said = self.said(operation);
        if operation.get("description").is_none() {
            said.summary = text(operation, "summary").map(|text| self.prose(text)).unwrap_or_default();
        }
        let is_deprecated = operation.get("deprecated").and_then(Value::as_bool) == Some(true);
        let deprecated =
            is_deprecated.then(|| text(operation, "x-deprecated").unwrap_or("The service says so.").to_owned());
        let is_unknown = path.is_none() || operation.is_null() || text(operation, "x-params") == Some("unknown");
        let (params, are_all) = if is_unknown { (Vec::new(), false) } else { self.params(item, operation, place) };
        let params = self.path_params(path.as_deref().unwrap_or_default(), params, are_all);
        let reply = self.reply(operation, &name, place);
        let told = self.names_of_params(item, operation);
        let history = operation.get("x-history").and_then(|said| match said.as_str() {
            Some("unknown") => Some("unknown".into()),
            _ => history(said, &told),
        });
        self.plan.endpoints.push(PlannedEndpoint {
            group,
            name,
            is_tagged: !items(operation, "tags").is_empty(),
            is_named: operation.get("operationId").is_some(),
            aliases: aliases(operation),
            path,
            said,
            params,
            told,
            history,
            body: reply.body,
            body_evidence: reply.evidence,
            time_unit: reply.time_unit,
            time_format: reply.time_format,
            deprecated,
        });
    }

    /// Whether an endpoint has a path already, whatever its params are called there.
    fn is_told(&self, path: &str) -> bool {
        let wanted = template(path);
        self.plan.endpoints.iter().filter_map(|endpoint| endpoint.path.as_deref()).any(|path| template(path) == wanted)
    }

    /// The path without what every base URL ends in, if the catalogue can have it.
    fn path(&mut self, path: &str, place: &str) -> Option<String> {
        let path = match path.strip_prefix(self.suffix.as_str()) {
            Some(rest) if !self.suffix.is_empty() && rest.starts_with('/') => rest,
            _ => path,
        };
        // The catalogue may write out what the server of the description ends in.
        let is_whole = path.starts_with(&format!("{}/", self.plan.prefix));
        let path = if is_whole { path.to_owned() } else { format!("{}{path}", self.plan.prefix) };
        let is_segment = |segment: &str| {
            let braces = segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
            match braces {
                Some(name) => !name.is_empty() && !name.contains(['{', '}']) && is_line(name),
                None => is_plain(segment),
            }
        };
        let params: Vec<&str> = path.split('/').filter(|segment| segment.starts_with('{')).collect();
        let is_twice = |index: usize| params[..index].contains(&params[index]);
        if (0..params.len()).any(is_twice) {
            self.notes.explain(Weight::Missing, "a path that is left out, for a param that stands in it twice", place);
            return None;
        }
        let is_path = path.starts_with('/') && path.split('/').skip(1).all(is_segment);
        if !is_path {
            let is_part =
                path.split('/').any(|segment| segment.contains('{') && !segment.contains('?') && !is_segment(segment));
            let why = if is_part { "a param that is only part of a segment" } else { "a form that it does not know" };
            self.notes.explain(Weight::Missing, format!("a path that is left out, for {why}"), place);
        }
        is_path.then_some(path)
    }

    /// The params with exactly those in the path that it has; `None` if there may be others, and none has to be listed.
    fn path_params(&self, path: &str, params: Vec<TakenParam>, are_all: bool) -> Option<Vec<TakenParam>> {
        let in_path: Vec<&str> =
            path.split('/').filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}')).collect();
        if !are_all && in_path.is_empty() {
            return None;
        }
        let mut params = params;
        let shared = &self.plan.shared;
        let param = |taken: &TakenParam| match taken {
            TakenParam::Shared(index) => (shared[*index].name.clone(), shared[*index].in_path),
            TakenParam::Own(param) => (param.name.clone(), param.in_path),
        };
        params.retain(|taken| {
            let (name, is_in_path) = param(taken);
            is_in_path == in_path.contains(&name.as_str())
        });
        let missing: Vec<_> =
            in_path.iter().filter(|name| !params.iter().any(|taken| param(taken).0 == **name)).collect();
        let plain = |name: &str| PlannedParam {
            id: String::new(),
            rank: 0,
            name: name.to_owned(),
            ty: Ty::Builtin("string"),
            several: Several::No,
            list_as: None,
            fixed: None,
            in_path: true,
            required: None,
            default: None,
            served: Vec::new(),
            works: Vec::new(),
            refused: Vec::new(),
            single: None,
            said: Annotations::default(),
        };
        params.extend(missing.into_iter().map(|name| TakenParam::Own(Box::new(plain(name)))));
        Some(params)
    }
}

/// Whether a segment of a path is no param and can stand as it is.
pub(super) fn is_plain(segment: &str) -> bool {
    let is_legal = |c: char| c.is_ascii_alphanumeric() || "-._~!$&'()*+,;=:@".contains(c);
    !matches!(segment, "" | "." | "..") && segment.chars().all(is_legal)
}
