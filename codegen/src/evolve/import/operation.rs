//! Operations become endpoints.

use heck::{ToSnakeCase, ToTitleCase};
use serde_yaml::Value;

use super::Reader;
use super::document::{entries, items, text, text_of};
use super::plan::{PlannedBody, PlannedEndpoint, PlannedGroup, PlannedParam, Said, Several, Taken, Ty};
use crate::names::{self, Case};

const KEYS: &[&str] = &[
    "deprecated",
    "description",
    "operationId",
    "parameters",
    "responses",
    "summary",
    "tags",
    "x-aliases",
    "x-deprecated",
    "x-evidence",
    "x-ident",
    "x-notes",
    "x-params",
];

const RESPONSE_KEYS: &[&str] = &["content", "description", "x-body", "x-evidence", "x-time"];

impl<'d> Reader<'d> {
    /// Everything under `paths`, and what is known by name only.
    pub(super) fn operations(&mut self) {
        let root = self.document.root();
        for (path, item) in entries(root, "paths") {
            let place = format!("`{path}`");
            let item = self.document.follow(item).map_or(item, |(item, _)| item);
            for method in item.as_mapping().into_iter().flatten().filter_map(|(key, _)| key.as_str()) {
                match method {
                    "get" | "parameters" | "$ref" => {}
                    "post" | "put" | "patch" | "delete" | "head" | "options" | "trace" => {
                        self.notes.add(format!("`{method}`: it only reads"), &place);
                    }
                    "summary" | "description" => self.left_out += 1,
                    other => self.notes.add(format!("`{other}` of a path"), &place),
                }
            }
            if let Some(operation) = item.get("get") {
                self.operation(Some(path), item, operation, &place);
            }
        }
        if root.get("webhooks").is_some() {
            self.notes.add("`webhooks`", "#/webhooks");
        }
        for operation in items(root, "x-known-by-name") {
            self.operation(None, &Value::Null, operation, "#/x-known-by-name");
        }
    }

    fn operation(&mut self, path: Option<&'d str>, item: &'d Value, operation: &'d Value, place: &str) {
        self.sweep(operation, KEYS, place);
        let path = match path.map(|path| self.path(path, place)) {
            Some(None) => return,
            path => path.flatten(),
        };
        if items(operation, "tags").len() > 1 {
            self.notes.add("further tags of an endpoint, which stands in the group of the first", place);
        }
        let group = self.group(operation, path.as_deref().unwrap_or_default());
        let name = self.name(operation, &group, path.as_deref().unwrap_or_default());
        let mut said = self.said(operation);
        if said.summary.is_empty() {
            said.summary = text(operation, "summary").map(|text| self.prose(text)).unwrap_or_default();
        }
        let is_deprecated = operation.get("deprecated").and_then(Value::as_bool) == Some(true);
        let deprecated =
            is_deprecated.then(|| text(operation, "x-deprecated").unwrap_or("The service says so.").to_owned());
        let is_unknown = path.is_none() || text(operation, "x-params") == Some("unknown");
        let params = if is_unknown { None } else { Some(self.params(item, operation, place)) };
        let params = self.path_params(path.as_deref().unwrap_or_default(), params, place);
        let (body, body_evidence) = self.body(operation, &name, place);
        self.plan.endpoints.push(PlannedEndpoint {
            group,
            name,
            is_tagged: !items(operation, "tags").is_empty(),
            is_named: operation.get("operationId").is_some(),
            aliases: items(operation, "x-aliases").iter().map(text_of).collect(),
            path,
            said,
            params,
            body,
            body_evidence,
            deprecated,
        });
    }

    /// The path without what every base URL ends in, if the catalogue can have it.
    fn path(&mut self, path: &str, place: &str) -> Option<String> {
        let path = match path.strip_prefix(self.suffix.as_str()) {
            Some(rest) if !self.suffix.is_empty() && rest.starts_with('/') => rest,
            _ => path,
        };
        let is_legal = |c: char| c.is_ascii_alphanumeric() || "-._~!$&'()*+,;=:@".contains(c);
        let is_segment = |segment: &str| {
            let braces = segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
            match braces {
                Some(name) => !name.is_empty() && !name.contains(['{', '}']) && super::is_writable(name),
                None => !matches!(segment, "" | "." | "..") && segment.chars().all(is_legal),
            }
        };
        let is_path = path.starts_with('/') && path.split('/').skip(1).all(is_segment);
        if !is_path {
            self.notes.add("a path of a form that it does not know", place);
        }
        is_path.then(|| path.to_owned())
    }

    /// The params with exactly those in the path that it has.
    fn path_params(&mut self, path: &str, params: Option<Vec<Taken>>, place: &str) -> Option<Vec<Taken>> {
        let in_path: Vec<&str> =
            path.split('/').filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}')).collect();
        if params.is_none() && in_path.is_empty() {
            return None;
        }
        let mut params = params.unwrap_or_default();
        let told = params.len();
        let shared = &self.plan.shared;
        let param = |taken: &Taken| match taken {
            Taken::Shared(index) => (shared[*index].name.clone(), shared[*index].in_path),
            Taken::Own(param) => (param.name.clone(), param.in_path),
        };
        params.retain(|taken| {
            let (name, is_in_path) = param(taken);
            is_in_path == in_path.contains(&name.as_str())
        });
        let missing: Vec<_> =
            in_path.iter().filter(|name| !params.iter().any(|taken| param(taken).0 == **name)).collect();
        if params.len() < told || !missing.is_empty() {
            self.notes.add("params that do not agree with the path, which decides", place);
        }
        let plain = |name: &str| PlannedParam {
            id: String::new(),
            rank: 0,
            name: name.to_owned(),
            ty: Ty::Builtin("string"),
            adopted: None,
            several: Several::No,
            in_path: true,
            required: None,
            default: None,
            served: Vec::new(),
            said: Said::default(),
        };
        params.extend(missing.into_iter().map(|name| Taken::Own(Box::new(plain(name)))));
        Some(params)
    }

    /// The module that an endpoint is to stand in.
    fn group(&mut self, operation: &Value, path: &str) -> String {
        let tag = items(operation, "tags").first().and_then(Value::as_str);
        let first = path.split('/').find(|segment| !segment.is_empty() && !segment.starts_with('{'));
        let wanted = tag.or(first).unwrap_or("general").to_owned();
        if let Some((_, module)) = self.groups.iter().find(|(known, _)| *known == wanted) {
            return module.clone();
        }
        let module = self.modules.claim(&wanted, Case::Snake, names::Scope::Groups);
        let root = self.document.root();
        let tag = items(root, "tags").iter().find(|tag| text(tag, "name") == Some(&wanted)).unwrap_or(&Value::Null);
        let title = text(tag, "x-displayName").map(str::to_owned);
        // A tag may be one word of a program.
        let words = || if wanted.contains(' ') { wanted.clone() } else { wanted.to_title_case() };
        let title = title.unwrap_or_else(words);
        let summary = text(tag, "description").map(|text| self.prose(text)).unwrap_or_default();
        let aliases = items(tag, "x-aliases").iter().map(text_of).collect();
        let title = if super::is_writable(&title) { title } else { module.clone() };
        self.plan.groups.push(PlannedGroup { module: module.clone(), title, summary, aliases });
        self.groups.push((wanted, module.clone()));
        module
    }

    /// What an endpoint is called, from its id, or from its path where it has none.
    fn name(&mut self, operation: &Value, group: &str, path: &str) -> String {
        let id = text(operation, "operationId").unwrap_or_default().to_snake_case();
        let short = id.strip_prefix(group).and_then(|id| id.strip_prefix('_'));
        let by_path = path.split('/').filter(|segment| !segment.starts_with('{')).collect::<Vec<_>>().join(" ");
        let wanted = short.unwrap_or(&id).to_owned();
        let wanted = if names::ident(&wanted, Case::Snake).is_ok() { wanted } else { by_path };
        let name = wanted.to_title_case();
        let name = if names::ident(&name, Case::Snake).is_ok() { name } else { "Root".to_owned() };
        // What people call it, where that makes the same method.
        let said = text(operation, "summary").filter(|said| self.options.summaries && super::is_writable(said));
        let has_ident = text(operation, "x-ident").is_some_and(|ident| names::is_ident(ident, Case::Snake));
        let is_same = |said: &&str| has_ident || names::ident(said, Case::Snake) == names::ident(&name, Case::Snake);
        let same = said.filter(is_same);
        same.map_or(name, str::to_owned)
    }

    fn body(&mut self, operation: &'d Value, name: &str, place: &str) -> (PlannedBody, Option<String>) {
        let responses = operation.get("responses").unwrap_or(&Value::Null);
        let mut all = entries(operation, "responses");
        let good = responses.get("200").or_else(|| all.find(|(status, _)| status.starts_with('2')).map(|(_, it)| it));
        let Some(response) = good else {
            if responses.get("default").is_some() {
                self.notes
                    .add("a `default` response alone, which may be a failure, so that the body is unknown", place);
            }
            return (PlannedBody::Unknown, None);
        };
        let Some((response, _)) = self.document.follow(response) else {
            self.notes.add("a response that leads nowhere", place);
            return (PlannedBody::Unknown, None);
        };
        self.sweep(response, RESPONSE_KEYS, place);
        let evidence = text(response, "x-evidence").map(str::to_owned);
        let json = entries(response, "content").find(|(kind, _)| kind.contains("json") || *kind == "*/*");
        if entries(response, "content").count() > 1 {
            self.notes.add("further kinds of content", place);
        }
        let Some(schema) = json.and_then(|(_, content)| content.get("schema")) else {
            if response.get("content").is_some() {
                self.notes.add("a body that is not JSON, or has no schema, which is unknown", place);
            }
            return (PlannedBody::Unknown, None);
        };
        let time = text(response, "x-time").map(str::to_owned);
        if text(response, "x-body") == Some("unknown") {
            return (PlannedBody::Unknown, None);
        }
        let body =
            self.series(schema, name, time.clone(), place).unwrap_or_else(|| self.whole(schema, name, time, place));
        (body, evidence)
    }

    /// A body in the envelope of the service.
    fn series(&mut self, schema: &'d Value, name: &str, time: Option<String>, place: &str) -> Option<PlannedBody> {
        let envelope = self.envelope.clone()?;
        let (target, reference) = self.document.follow(schema)?;
        let place = reference.unwrap_or(place);
        self.sweep(target, super::schema::KEYS, place);
        let (list, _) = self.document.follow(target.get("properties")?.get(&envelope.data)?)?;
        if text(list, "type") != Some("array") {
            return None;
        }
        for (key, property) in entries(target, "properties") {
            if Some(key) == envelope.metadata.as_deref() {
                self.metadata(property, &format!("{place}/properties/{key}"));
            } else if key != envelope.data {
                self.notes.add(format!("`{key}` beside the records, which the client keeps"), place);
            }
        }
        let Some(item) = list.get("items") else { return Some(PlannedBody::Series(None, time)) };
        let value = self.value(item, &format!("{name} Item"), &format!("{place}/properties/{}/items", envelope.data));
        let record = match value.ty {
            Ty::Record(index) => Some(index),
            Ty::Builtin("any") => None,
            _ => {
                self.notes.add("records that are not objects, which are unknown", place);
                None
            }
        };
        Some(PlannedBody::Series(record, time))
    }

    /// A body without an envelope.
    fn whole(&mut self, schema: &'d Value, name: &str, time: Option<String>, place: &str) -> PlannedBody {
        let has_envelope = self.envelope.is_some();
        match self.value(schema, &format!("{name} Body"), place).ty {
            Ty::Record(index) => PlannedBody::Object(index),
            Ty::List(item) if !has_envelope => match *item {
                Ty::Record(index) => PlannedBody::Series(Some(index), time),
                Ty::Builtin("any") => PlannedBody::Series(None, time),
                _ => {
                    self.notes.add("a list of what is not an object, which is an unknown body", place);
                    PlannedBody::Unknown
                }
            },
            Ty::Builtin("any") => PlannedBody::Unknown,
            _ => {
                self.notes
                    .add("a body that is no object, nor a series as the service has them, which is unknown", place);
                PlannedBody::Unknown
            }
        }
    }
}
