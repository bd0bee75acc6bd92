//! Operations become endpoints.

use codegen::names::{self, Case};
use codegen::{is_line, template};
use serde_yaml::Value;

use super::Reader;
use super::document::{aliases, entries, items, text};
use super::plan::{Annotations, PlannedEndpoint, PlannedParam, TakenParam, Ty};
use crate::merge::Several;

const KEYS: &str = "\
    deprecated description operationId parameters responses summary tags x-aliases x-deprecated x-evidence x-ident \
    x-notes x-params";

impl<'d> Reader<'d> {
    /// Everything under `paths`, and what is known by name only.
    pub(super) fn operations(&mut self) {
        let root = self.document.root();
        for (path, item) in entries(root, "paths") {
            if path.starts_with('/') {
                self.path_item(path, item);
            } else {
                self.notes.add(format!("`{path}`"), "#/paths");
            }
        }
        if root.get("webhooks").is_some() {
            self.notes.missing("`webhooks`", "#/webhooks");
        }
        for operation in items(root, "x-known-by-name") {
            if text(operation, "operationId").is_some_and(|id| names::ident(id, Case::Snake).is_ok()) {
                self.operation(None, &Value::Null, operation, "#/x-known-by-name");
            } else {
                self.notes.missing("an endpoint that has neither a path nor a name", "#/x-known-by-name");
            }
        }
    }

    fn path_item(&mut self, path: &'d str, item: &'d Value) {
        let place = format!("`{path}`");
        let Some((target, reference)) = self.document.follow(item) else {
            self.notes.missing("a path that leads nowhere", &place);
            return;
        };
        if let Some(reference) = reference {
            self.sweep(item, "$ref", &format!("{place}/$ref"));
            self.swept.insert(reference.to_owned());
        }
        for method in target.as_mapping().into_iter().flatten().filter_map(|(key, _)| key.as_str()) {
            match method {
                "get" | "parameters" | "$ref" => {}
                "post" | "put" | "patch" | "delete" | "head" | "options" | "trace" => {
                    self.notes.missing(format!("`{method}`: it only reads"), &place);
                }
                "summary" | "description" => self.untold(target, method, "a path", &place),
                other => self.notes.add(format!("`{other}` of a path"), &place),
            }
        }
        if let Some(operation) = target.get("get") {
            let operation = self.followed_operation(operation, &place);
            self.operation(Some(path), target, operation, &place);
        }
    }

    /// What a `$ref` in the place of an operation stands for; itself, with nothing in it, where that leads nowhere.
    fn followed_operation(&mut self, operation: &'d Value, place: &str) -> &'d Value {
        let Some((target, reference)) = self.document.follow(operation) else {
            self.notes
                .missing("an operation behind a reference that leads nowhere, of which only the path is known", place);
            return &Value::Null;
        };
        if reference.is_some() {
            self.sweep(operation, "$ref", &format!("{place}/get"));
        }
        target
    }

    fn operation(&mut self, path: Option<&'d str>, item: &'d Value, operation: &'d Value, place: &str) {
        self.sweep(operation, KEYS, place);
        let path = match path.map(|path| self.path(path, place)) {
            Some(None) => return,
            path => path.flatten(),
        };
        if path.as_ref().is_some_and(|path| self.is_told(path)) {
            self.notes.add("a path that is another one but for the names of its params", place);
            return;
        }
        if items(operation, "tags").len() > 1 {
            self.notes.aside("further tags of an endpoint, which stands in the group of the first", place);
        }
        let own = path.as_deref().unwrap_or_default();
        let own = own.strip_prefix(self.plan.prefix.as_str()).unwrap_or(own).to_owned();
        let group = self.group(operation, &own);
        let name = self.name(operation, &group, &own);
        let mut said = self.said(operation);
        if operation.get("description").is_none() {
            said.summary = text(operation, "summary").map(|text| self.prose(text)).unwrap_or_default();
        } else if text(operation, "summary") != Some(name.as_str()) {
            self.untold(operation, "summary", "an endpoint that has a description", place);
        }
        let is_deprecated = operation.get("deprecated").and_then(Value::as_bool) == Some(true);
        let deprecated =
            is_deprecated.then(|| text(operation, "x-deprecated").unwrap_or("The service says so.").to_owned());
        let is_unknown = path.is_none() || operation.is_null() || text(operation, "x-params") == Some("unknown");
        let (params, are_all) = if is_unknown { (Vec::new(), false) } else { self.params(item, operation, place) };
        let params = self.path_params(path.as_deref().unwrap_or_default(), params, are_all, place);
        let reply = self.reply(operation, &name, place);
        self.plan.endpoints.push(PlannedEndpoint {
            group,
            name,
            is_tagged: !items(operation, "tags").is_empty(),
            is_named: operation.get("operationId").is_some(),
            aliases: aliases(operation),
            path,
            said,
            params,
            told: self.names_of_params(item, operation),
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
            self.notes.missing("a path that is left out, for a param that stands in it twice", place);
            return None;
        }
        let is_path = path.starts_with('/') && path.split('/').skip(1).all(is_segment);
        if !is_path {
            let is_part =
                path.split('/').any(|segment| segment.contains('{') && !segment.contains('?') && !is_segment(segment));
            let why = if is_part { "a param that is only part of a segment" } else { "a form that it does not know" };
            self.notes.missing(format!("a path that is left out, for {why}"), place);
        }
        is_path.then_some(path)
    }

    /// The params with exactly those in the path that it has; `None` if there may be others, and none has to be listed.
    fn path_params(
        &mut self,
        path: &str,
        params: Vec<TakenParam>,
        are_all: bool,
        place: &str,
    ) -> Option<Vec<TakenParam>> {
        let in_path: Vec<&str> =
            path.split('/').filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}')).collect();
        if !are_all {
            if in_path.is_empty() {
                return None;
            }
            self.notes.missing("params beyond those that are known, which have to be listed for the path", place);
        }
        let mut params = params;
        let told = params.len();
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
        if params.len() < told || are_all && !missing.is_empty() {
            self.notes.add("params that do not agree with the path, which decides", place);
        }
        let plain = |name: &str| PlannedParam {
            id: String::new(),
            rank: 0,
            name: name.to_owned(),
            ty: Ty::Builtin("string"),
            several: Several::No,
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
